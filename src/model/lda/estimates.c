/*
 * estimates.c - the estimates of a topic model, and their standard errors from the sums of errors.c
 * (tensorlv/model/errors.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/linalg.h"

/* ---- probabilities ---- */

/* What p^2, p s and s^2 are multiplied with to get the square of what is not sparse. */
typedef struct dense_squares
{
	double own, mixed, share;
	double divisor; /* of the whole */
} dense_squares;

static dense_squares
dense_of(const tlv_frame *model, const tlv_frame *errors, size_t j)
{
	const double *products = tlv_frame_float64(errors, "products");
	const double *totals = tlv_frame_float64(errors, "totals");
	double alpha0 = tlv_frame_scalar(model, "alpha0", 0);
	double weight = tlv_frame_float64(model, "weights")[j], mass, lengths = 0, length = 0;
	size_t k = tlv_frame_find(model, "phi")->rows, d = tlv_frame_find(model, "phi")->columns;
	double own = products[tlv_packed2_index(j, j)];

	if (tlv_frame_scalar(errors, "moments", 0) == 0)
	{
		mass = totals[j] + tlv_frame_scalar(model, "eta", 0) * (double) d;
		return (dense_squares){own, 0, 0, mass * mass};
	}
	mass = tlv_frame_scalar(errors, "tokens", 0);
	for (size_t a = 0; a < k; a++)
	{
		length += products[a > j ? tlv_packed2_index(a, j) : tlv_packed2_index(j, a)];
		for (size_t b = 0; b <= a; b++)
			lengths += (a == b ? 1 : 2) * products[tlv_packed2_index(a, b)];
	}
	own /= weight * weight; /* g g, and below L g and L L */
	length /= weight;
	return (dense_squares){own, -2 * alpha0 * (length - own),
						   alpha0 * alpha0 * (lengths - 2 * length + own), mass * mass};
}

/* Standard errors, from statistics of errors. */
typedef struct topic_standard_errors
{
	size_t k;
	double *probability; /* k x d */
	double *weight;		 /* k */
	double *count;		 /* k: draws that would tell the topic's probabilities as well */
} topic_standard_errors;

static tlv_status
topic_errors(tlv_context *ctx, const tlv_frame *model, const tlv_frame *errors, size_t j,
			 const double *shares, topic_standard_errors *to)
{
	const tlv_section *phi = tlv_frame_find(model, "phi");
	const double *influence = tlv_frame_float64(errors, "influence");
	const double *p = tlv_frame_float64(model, "phi");
	dense_squares dense = dense_of(model, errors, j);
	const double *certain = tlv_frame_float64(errors, "certain");
	bool moments = tlv_frame_scalar(errors, "moments", 0) != 0;
	double mass = tlv_frame_float64(errors, "totals")[j];
	double binomial = 0, sum = 0;

	for (size_t i = 0; i < phi->columns; i++)
	{
		size_t at = i * phi->rows + j;
		double square = influence[at] + dense.own * p[at] * p[at] +
						dense.mixed * p[at] * shares[i] + dense.share * shares[i] * shares[i];
		double part = moments ? 1 : fmin(fmax(certain[at] / (p[at] * mass), 1 - RATE_MOST), 1);
		double variance = fmax(square, 0) / (dense.divisor * part * part);

		TLV_TRY_CONTINUE_AT(ctx, i);
		to->probability[at] = sqrt(variance);
		sum += variance;
		binomial += p[at] * (1 - p[at]);
	}
	to->count[j] = sum > 0 ? binomial / sum : 0;
	return TLV_OK;
}

static tlv_status
items_shares(tlv_context *ctx, const tlv_frame *model, double *shares)
{
	const tlv_section *phi = tlv_frame_find(model, "phi");
	const double *p = tlv_frame_float64(model, "phi");
	const double *weights = tlv_frame_float64(model, "weights");

	for (size_t i = 0; i < phi->columns; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		shares[i] = 0;
		for (size_t j = 0; j < phi->rows; j++)
			shares[i] += weights[j] * p[i * phi->rows + j];
	}
	return TLV_OK;
}

/* ---- weights ---- */

/* From the shares of the documents: sum of (N_j - L w)^2, over all tokens. */
static void
lda_weight_errors(const tlv_frame *model, const tlv_frame *errors, topic_standard_errors *to)
{
	const double *products = tlv_frame_float64(errors, "products");
	const double *weights = tlv_frame_float64(model, "weights");
	double tokens = tlv_frame_scalar(errors, "tokens", 0), lengths = 0;
	size_t k = to->k;

	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
			lengths += products[tlv_packed2_index(a > b ? a : b, a > b ? b : a)];
	for (size_t j = 0; j < k; j++)
	{
		double length = 0, w = weights[j];

		for (size_t l = 0; l < k; l++)
			length += products[tlv_packed2_index(j > l ? j : l, j > l ? l : j)];
		to->weight[j] =
			sqrt(fmax(products[tlv_packed2_index(j, j)] - 2 * w * length + w * w * lengths, 0)) /
			tokens;
	}
}

static tlv_status
find_topic_errors(tlv_context *ctx, const tlv_frame *model, const tlv_frame *errors,
				  topic_standard_errors *to)
{
	const tlv_section *phi = tlv_frame_find(model, "phi");
	double *shares;

	to->k = phi->rows;
	TLV_TRY_NEW_ROWS(ctx, to->probability, phi->columns, to->k);
	TLV_TRY_NEW(ctx, to->weight, 2 * to->k);
	to->count = to->weight + to->k;
	TLV_TRY_NEW(ctx, shares, phi->columns);
	TLV_TRY(items_shares(ctx, model, shares));
	for (size_t j = 0; j < to->k; j++)
		TLV_TRY(topic_errors(ctx, model, errors, j, shares, to));
	tlv_free(ctx, shares);
	lda_weight_errors(model, errors, to);
	return TLV_OK;
}

/* ---- the members of the class ---- */

tlv_status
tlv_lda_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	const tlv_section *phi = tlv_frame_find(model, "phi");
	const double *p = tlv_frame_float64(model, "phi"), *alpha = tlv_frame_float64(model, "alpha");
	const double *weights = tlv_frame_float64(model, "weights");
	const int64_t *items = tlv_frame_int64(model, "items");
	const int64_t *offsets = tlv_frame_int64(model, "label_offsets");
	const char *labels =
		offsets != NULL ? tlv_section_data(model, tlv_frame_find(model, "labels")) : NULL;
	size_t k = phi->rows, d = phi->columns;

	TLV_TRY(tlv_require_memory(ctx, 3.0 * sizeof(tlv_estimate) * (double) k * (2 + (double) d),
							   "the estimates of the topics"));
	for (size_t j = 0; j < k; j++)
		TLV_TRY(tlv_estimates_add(ctx, list,
								  &(tlv_estimate){.part = TLV_ESTIMATE_WEIGHT,
												  .component = j + 1,
												  .estimate = weights[j]}));
	for (size_t j = 0; !tlv_lda_is_correlated(model) && j < k; j++)
		TLV_TRY(tlv_estimates_add(
			ctx, list,
			&(tlv_estimate){.part = TLV_ESTIMATE_ALPHA, .component = j + 1, .estimate = alpha[j]}));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
		{
			tlv_estimate one = {.part = TLV_ESTIMATE_PROBABILITY,
								.plain = true,
								.component = j + 1,
								.has_item = true,
								.item = items[i],
								.number = {items[i]},
								.estimate = p[i * k + j]};

			if (labels != NULL)
				one.name[0] =
					(tlv_text){labels + offsets[i], (size_t) (offsets[i + 1] - offsets[i])};
			TLV_TRY(tlv_estimates_add(ctx, list, &one));
		}
	return TLV_OK;
}

/* Errors of a sample of the documents are as many times larger as the root of what it lacks. */
static double
sample_factor(const tlv_frame *model, const tlv_frame *errors)
{
	double all = tlv_diagnostics_find(model, "tokens", 0);
	double seen = tlv_frame_scalar(errors, "tokens", 0);

	return all > 0 ? sqrt(seen / all) : 1;
}

tlv_status
tlv_lda_standard_errors(tlv_context *ctx, const tlv_frame *model, const tlv_frame *errors,
						tlv_estimates *list)
{
	size_t k = tlv_frame_find(model, "phi")->rows, d = tlv_frame_find(model, "phi")->columns;
	const double *fixed = tlv_frame_float64(model, "fixed");
	bool moments;
	topic_standard_errors found;
	double factor;

	TLV_TRY(tlv_lda_require_errors(ctx, model, errors));
	if (!(tlv_frame_scalar(errors, "tokens", 0) > 0))
		return tlv_refuse_empty(ctx, "the statistics hold", "documents");
	moments = tlv_frame_scalar(errors, "moments", 0) != 0;
	factor = sample_factor(model, errors);
	TLV_TRY(find_topic_errors(ctx, model, errors, &found));
	/* Weights of topics from moments have errors of the third moments, which are not seen here;
	 * alpha is not where its likelihood is greatest. */
	for (size_t j = 0; j < k && !moments; j++)
		list->list[j].standard_error = factor * found.weight[j];
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
		{
			tlv_estimate *one = &list->list[2 * k + j * d + i];

			TLV_TRY_CONTINUE_AT(ctx, j * d + i);
			one->standard_error =
				tlv_lda_is_fixed(fixed, j) ? 0 : factor * found.probability[i * k + j];
			one->count = found.count[j] / (factor * factor);
		}
	tlv_free(ctx, found.probability);
	tlv_free(ctx, found.weight);
	return TLV_OK;
}

void
tlv_lda_word_interval(const tlv_frame *model, size_t j, size_t i, double z, double share,
					  double *low, double *high)
{
	const tlv_section *phi = tlv_frame_find(model, "phi");
	const double *kept = tlv_frame_float64(model, tlv_errors_section), *counts;
	size_t k = phi->rows, before = tlv_lda_is_correlated(model) ? k : 2 * k;
	tlv_estimate one = {.part = TLV_ESTIMATE_PROBABILITY, .plain = true, .estimate = share};

	*low = *high = NAN;
	if (kept == NULL || kept[before + j * phi->columns + i] < 0)
		return;
	counts = kept + tlv_frame_find(model, tlv_errors_section)->rows;
	one.standard_error = kept[before + j * phi->columns + i];
	one.degrees = fmax(-counts[before + j * phi->columns + i], 0);
	tlv_estimate_interval(&one, z, low, high);
}
