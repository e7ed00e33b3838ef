/*
 * leave_out.c - topics of all documents but those of a group of entities, from moments by group,
 * which share a basis (lda.h, counts.h).
 *
 * In a fixed basis topics of other documents differ within its span alone, which is a small part of
 * their error.  Read through the pair moments of the same documents, a = M2 W q, they differ as
 * those of a new fit do; of the documents that the basis is of, both are the same.
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"

/* Items between two looks at whether to stop. */
#define ITEMS_BETWEEN 4096

/* M2 in the basis: pairs - f m m', f = a0 / (a0 + 1). */
static void
subtract_means(const lda_products *through, double *moment)
{
	size_t w = through->width;
	double f = through->alpha0 / (through->alpha0 + 1);

	for (size_t j = 0; j < w; j++)
		for (size_t i = 0; i < w; i++)
			moment[j * w + i] = through->pairs[j * w + i] - f * through->mean[i] * through->mean[j];
}

/* q = b (b'M b)^-1 b'b, width x k: the b are a basis of the k directions that M has. */
static tlv_status
solve_components(tlv_context *ctx, const lda_products *through, double *q)
{
	size_t k = through->k, w = through->width;
	double *moment, *image, *gram, *right;
	tlv_status status;

	TLV_TRY_NEW_ROWS(ctx, moment, w, w);
	TLV_TRY_NEW_ROWS(ctx, image, w, k);
	TLV_TRY_NEW_ROWS(ctx, gram, k, k);
	TLV_TRY_NEW_ROWS(ctx, right, k, k);
	subtract_means(through, moment);
	TLV_TRY(
		tlv_gemm(ctx, false, false, w, k, w, 1, moment, w, through->components, w, 0, image, w));
	TLV_TRY(tlv_gemm(ctx, true, false, k, k, w, 1, through->components, w, image, w, 0, gram, k));
	TLV_TRY(tlv_gemm(ctx, true, false, k, k, w, 1, through->components, w, through->components, w,
					 0, right, k));
	status = tlv_solve_spd(ctx, k, k, gram, right);
	if (status == TLV_BAD_DATA)
	{
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the moments do not identify %zu topics", k);
		return tlv_fail_hint(ctx, "Use a smaller k, or more documents.");
	}
	TLV_TRY(status);
	TLV_TRY(tlv_gemm(ctx, false, false, w, k, k, 1, through->components, w, right, k, 0, q, w));
	tlv_free(ctx, right);
	tlv_free(ctx, gram);
	tlv_free(ctx, image);
	tlv_free(ctx, moment);
	return TLV_OK;
}

tlv_status
tlv_lda_read_products(tlv_context *ctx, const lda_products *through, double *raw)
{
	size_t k = through->k, w = through->width, d = through->d;
	double f = through->alpha0 / (through->alpha0 + 1), *q, *mean;

	TLV_TRY_NEW_ROWS(ctx, q, w, k);
	TLV_TRY_NEW0(ctx, mean, k);
	TLV_TRY(solve_components(ctx, through, q));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < w; i++)
			mean[j] += through->mean[i] * q[j * w + i];
	TLV_TRY(tlv_gemm(ctx, true, false, k, d, w, 1 / through->tokens, q, w, through->products, w, 0,
					 raw, k));
	for (size_t i = 0; i < d; i++)
	{
		if (i % ITEMS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < k; j++)
			raw[i * k + j] -= f * through->totals[i] / through->tokens * mean[j];
	}
	tlv_free(ctx, mean);
	tlv_free(ctx, q);
	return TLV_OK;
}

static tlv_status
fit_groups(tlv_context *ctx, const tlv_grouped *groups, size_t without, tlv_lda_options options,
		   void **image, size_t *size)
{
	double *products;
	tlv_frame triples;

	TLV_TRY(tlv_alloc_numbers(ctx, &products, groups->width * groups->d));
	TLV_TRY(tlv_grouped_without(ctx, groups, without, products, image, size));
	TLV_TRY(tlv_frame_open(ctx, *image, *size, &triples));
	options.products = products;
	return tlv_lda_fit(ctx, &triples, &options, image, size);
}

tlv_status
tlv_lda_fit_grouped(tlv_context *ctx, const tlv_frame *grouped, const tlv_lda_options *options,
					void **image, size_t *size)
{
	tlv_grouped groups;

	TLV_TRY(tlv_grouped_open(ctx, grouped, options->subspace,
							 "tlv_fit_lda(moments, subspace => ...)", &groups));
	return fit_groups(ctx, &groups, groups.groups, *options, image, size);
}

tlv_status
tlv_lda_fit_without(tlv_context *ctx, const tlv_frame *model, const tlv_grouped *groups,
					size_t without, void **image, size_t *size)
{
	tlv_lda_options options = {.k = tlv_model_components(model),
							   .alpha0 = tlv_frame_scalar(model, "alpha0", 0),
							   .eta = tlv_frame_scalar(model, "eta", TLV_LDA_ETA),
							   .seed = (uint64_t) tlv_frame_scalar(model, "seed", 1)};

	return fit_groups(ctx, groups, without, options, image, size);
}
