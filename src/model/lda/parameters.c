/*
 * parameters.c - models from given parameters (lda.h).
 */
#include "tensorlv/model/lda.h"

#include <math.h>

#include "internal.h"
#include "tensorlv/num/assert.h"

/* Given parameters, checked and brought into a model's form. */
typedef struct given_topics
{
	size_t k;
	size_t d;
	double alpha0;
	double *phi;	 /* k x d */
	double *weights; /* k */
	double *alpha;	 /* k */
	double *shares;	 /* d: of the items */
} given_topics;

static tlv_status
allocate_given(tlv_context *ctx, given_topics *given)
{
	TLV_TRY_NEW(ctx, given->phi, given->k * given->d + 2 * given->k + given->d);
	given->weights = given->phi + given->k * given->d;
	given->alpha = given->weights + given->k;
	given->shares = given->alpha + given->k;
	return TLV_OK;
}

/* Column j of phi, scaled to sum 1. */
static tlv_status
take_topic(tlv_context *ctx, const double *phi, size_t j, given_topics *given)
{
	size_t k = given->k;
	double sum = 0;

	TLV_TRY_CONTINUE(ctx);
	for (size_t i = 0; i < given->d; i++)
	{
		double p = phi[i * k + j];

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!(isfinite(p) && p >= 0))
			return tlv_fail(ctx, TLV_BAD_PARAMETER,
							"probability %g of topic %zu is not a number of at least 0", p, j + 1);
		sum += p;
	}
	if (isinf(sum))
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"the sum of the probabilities of topic %zu is not finite", j + 1);
	if (!(sum > 0))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "topic %zu has no probability", j + 1);
	for (size_t i = 0; i < given->d; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		given->phi[i * k + j] = phi[i * k + j] / sum;
	}
	tlv_assert(tlv_is_distribution(given->d, given->phi + j, k));
	return TLV_OK;
}

static tlv_status
take_alpha(tlv_context *ctx, const double *alpha, given_topics *given)
{
	given->alpha0 = 0;
	for (size_t j = 0; j < given->k; j++)
	{
		if (!(isfinite(alpha[j]) && alpha[j] > 0))
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha of topic %zu is %g, not above 0", j + 1,
							alpha[j]);
		given->alpha0 += alpha[j];
	}
	for (size_t j = 0; j < given->k; j++)
	{
		given->weights[j] = alpha[j] / given->alpha0;
		if (!(isfinite(given->alpha0) && given->weights[j] >= TLV_LDA_LEAST_WEIGHT))
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha of topic %zu is %g of a sum of %g",
							j + 1, alpha[j], given->alpha0);
	}
	tlv_lda_alpha(given->k, given->alpha0, given->weights, given->alpha);
	return TLV_OK;
}

static tlv_status
sum_shares(tlv_context *ctx, given_topics *given)
{
	for (size_t i = 0; i < given->d; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		given->shares[i] = 0;
		for (size_t j = 0; j < given->k; j++)
			given->shares[i] += given->weights[j] * given->phi[i * given->k + j];
	}
	tlv_assert(tlv_is_distribution(given->d, given->shares, 1));
	return TLV_OK;
}

static tlv_status
write_given(tlv_context *ctx, const tlv_lda_parameters *parameters, const given_topics *given,
			void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_lda_parts parts = {.k = given->k,
						   .d = given->d,
						   .alpha0 = given->alpha0,
						   .alpha0_free = 1,
						   .eta = TLV_LDA_ETA,
						   .seed = (double) parameters->seed,
						   .items = parameters->items,
						   .phi = given->phi,
						   .alpha = given->alpha,
						   .weights = given->weights,
						   .shares = given->shares,
						   .labels = parameters->labels,
						   .label_offsets = parameters->label_offsets,
						   .diagnostics = &diagnostics};

	if (parameters->labels != NULL)
		parts.labels_length = (size_t) parameters->label_offsets[given->d];
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, given->alpha0, "alpha0"));
	return tlv_lda_write(ctx, &parts, image, size);
}

static tlv_status
take_parameters(tlv_context *ctx, const tlv_lda_parameters *parameters, given_topics *given)
{
	for (size_t j = 0; j < given->k; j++)
		TLV_TRY(take_topic(ctx, parameters->phi, j, given));
	TLV_TRY(take_alpha(ctx, parameters->alpha, given));
	TLV_TRY(tlv_lda_sort_topics(ctx, given->k, given->d, given->phi, given->alpha, given->weights));
	return sum_shares(ctx, given);
}

tlv_status
tlv_lda_from_parameters(tlv_context *ctx, const tlv_lda_parameters *parameters, void **image,
						size_t *size)
{
	given_topics given = {.k = parameters->k, .d = parameters->d};
	tlv_status status = allocate_given(ctx, &given);

	if (status == TLV_OK)
		status = take_parameters(ctx, parameters, &given);
	if (status == TLV_OK)
		status = write_given(ctx, parameters, &given, image, size);
	tlv_free(ctx, given.phi);
	return status;
}
