/*
 * recover.c - topics by anchor words from the exact co-occurrence (lda.h; Ge 2013, chapters 3 and
 * 4): its rows, scaled to sum 1, say what stands beside an item.
 */
#include <math.h>
#include <string.h>

#include "anchor_topics.h"
#include "tuning.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/linalg.h"

typedef struct exact_fit
{
	anchor_fit fit;
	size_t width;		/* items and the one that stands for the others */
	double negative;	/* of the mixtures, in parts of all, before it was set to 0 */
	double runoff;		/* share of the tokens that are of items not told apart */
	double *own_shares; /* d */
} exact_fit;

static double
exact_memory(double width, double k, bool prior)
{
	return sizeof(double) * (width * (width + (5 + prior) * k + 16) + k * (6 * k + 40));
}

static tlv_status
open_pairs(tlv_context *ctx, const tlv_lda_options *options, exact_fit *exact)
{
	anchor_fit *fit = &exact->fit;
	const tlv_frame *moments = fit->moments;
	size_t width = tlv_frame_find(moments, "items")->rows;

	exact->width = fit->dims = fit->d = width;
	fit->items = tlv_frame_int64(moments, "items");
	fit->totals = tlv_frame_float64(moments, "totals");
	fit->frequency = tlv_frame_float64(moments, "frequency");
	fit->tokens = tlv_frame_scalar(moments, "tokens", 0);
	fit->k = options->k;
	if (!(fit->tokens > 0))
		return tlv_refuse_empty(ctx, "the moments hold", "documents");
	if (width > 0 && fit->items[width - 1] == TLV_RUNOFF_ITEM)
	{
		fit->d--;
		exact->runoff = fit->totals[width - 1] / fit->tokens;
	}
	if (fit->k == 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"k is not given, and co-occurrences do not identify it");
	if (options->fewer && fit->k > fit->d)
		fit->k = fit->d;
	if (fit->k > fit->d || fit->k == 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is more than the %zu items", options->k, fit->d);
		return tlv_fail_hint(ctx, "Use a smaller k.");
	}
	return tlv_require_memory(
		ctx, exact_memory((double) width, (double) fit->k, isnan(options->alpha0)), "the fit");
}

/* Of all items the distribution of what stands beside them. */
static tlv_status
fill_rows(tlv_context *ctx, exact_fit *exact)
{
	anchor_fit *fit = &exact->fit;
	size_t width = exact->width;
	const double *pairs = tlv_frame_float64(fit->moments, "pairs");
	const double *correction = tlv_frame_float64(fit->moments, "correction");

	TLV_TRY_NEW0_ROWS(ctx, fit->rows, width, fit->d);
	for (size_t i = 0; i < fit->d; i++)
	{
		double *row = fit->rows + i * width, sum = 0;

		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < width; j++)
		{
			row[j] = pairs[tlv_packed2_index(i, j)];
			if (j == i)
				row[j] = fmax(row[j] - correction[i], 0);
			sum += row[j];
		}
		for (size_t j = 0; j < width && sum > 0; j++)
			row[j] /= sum;
	}
	return TLV_OK;
}

/*
 * How noisy rows are, and which items may be anchors.  A pair of tokens counts 1 / (L - 1), and
 * numbers of pairs vary as much as they are large: row i by the mean of 1 / (L - 1) over the total
 * of item i.
 */
static tlv_status
judge_rows(tlv_context *ctx, exact_fit *exact)
{
	anchor_fit *fit = &exact->fit;
	double documents = tlv_frame_scalar(fit->moments, "documents", 0), sum = 0;
	double least = fmax(TLV_LDA_ANCHOR_DOCUMENTS, documents / CANDIDATE_SHARE);
	double weight = documents / fmax(fit->tokens - documents, 1);

	TLV_TRY_NEW0(ctx, fit->noise, fit->d);
	TLV_TRY_NEW0(ctx, fit->candidate, fit->d);
	TLV_TRY_NEW0(ctx, exact->own_shares, fit->d);
	for (size_t i = 0; i < fit->d; i++)
		sum += fit->totals[i];
	for (size_t i = 0; i < fit->d; i++)
	{
		exact->own_shares[i] = sum > 0 ? fit->totals[i] / sum : 1 / (double) fit->d;
		fit->noise[i] = fit->totals[i] > 0 ? weight / fit->totals[i] : 0;
		fit->candidate[i] = fit->frequency[i] >= least;
	}
	fit->shares = exact->own_shares;
	return TLV_OK;
}

/* What inverses make negative becomes 0; topics are scaled to sum 1 later. */
static tlv_status
drop_negative(tlv_context *ctx, exact_fit *exact)
{
	anchor_fit *fit = &exact->fit;
	size_t n = fit->corners.k * fit->d;
	double negative = 0, all = 0;

	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		all += fabs(fit->mixtures[i]);
		if (fit->mixtures[i] < 0)
		{
			negative -= fit->mixtures[i];
			fit->mixtures[i] = 0;
		}
	}
	if (!isfinite(all))
		return tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the inverse of the anchors' block overflows");
	exact->negative = all > 0 ? negative / all : 0;
	return TLV_OK;
}

/* Every item as a mixture of the anchors, in the way that was asked for. */
static tlv_status
recover_mixtures(tlv_context *ctx, const tlv_lda_options *options, exact_fit *exact)
{
	anchor_fit *fit = &exact->fit;
	const tlv_anchor_corners *corners = &fit->corners;
	tlv_anchor_points points = {.n = fit->d, .d = fit->dims, .rows = fit->rows};
	size_t k = corners->k;

	TLV_TRY_NEW_ROWS(ctx, fit->mixtures, k, fit->d);
	if (options->recovery == TLV_LDA_RECOVER_INVERSE)
	{
		TLV_TRY(
			tlv_anchors_invert(ctx, &points, k, corners->corners, corners->points, fit->mixtures));
		return drop_negative(ctx, exact);
	}
	TLV_TRY(tlv_anchors_recover(ctx, &points, k, corners->corners, fit->mixtures));
	if (options->recovery != TLV_LDA_RECOVER_KL)
		return TLV_OK;
	return tlv_anchors_recover_kl(ctx, &points, k, corners->corners, fit->mixtures);
}

/*
 * Second moments of the topics' shares, k x k: R = P'QP with P = S^2 A (A'S^2 A)^-1, A the topics,
 * S^2 the reciprocals of the items' shares.
 */
static tlv_status
recover_second_moments(tlv_context *ctx, const anchor_fit *fit, double *second)
{
	size_t k = fit->k, d = fit->d;
	double *scaled, *gram, *product;

	TLV_TRY_NEW_ROWS(ctx, scaled, k, d);
	TLV_TRY_NEW_ROWS(ctx, gram, k, k);
	TLV_TRY_NEW_ROWS(ctx, product, k, d);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			scaled[i * k + j] =
				fit->totals[i] > 0 ? fit->topics.phi[i * k + j] / fit->shares[i] : 0;
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, d, 1, scaled, k, fit->topics.phi, k, 0, gram, k));
	TLV_TRY(tlv_solve_spd(ctx, k, d, gram, scaled)); /* P' */
	TLV_TRY(
		tlv_gemm(ctx, false, false, k, d, d, 1, scaled, k, fit->rows, fit->dims, 0, product, k));
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			product[i * k + j] *= fit->shares[i];
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, d, 1, product, k, scaled, k, 0, second, k));
	tlv_free(ctx, scaled);
	tlv_free(ctx, gram);
	tlv_free(ctx, product);
	return TLV_OK;
}

tlv_status
tlv_lda_fit_pairs(tlv_context *ctx, const tlv_frame *moments, const tlv_lda_options *options,
				  void **image, size_t *size)
{
	exact_fit exact = {.fit = {.moments = moments}};
	anchor_fit *fit = &exact.fit;
	size_t wanted;

	TLV_TRY(tlv_lda_anchor_alpha0(ctx, options));
	TLV_TRY(open_pairs(ctx, options, &exact));
	wanted = fit->k;
	TLV_TRY(fill_rows(ctx, &exact));
	TLV_TRY(judge_rows(ctx, &exact));
	TLV_TRY(tlv_lda_choose_anchors(ctx, options, fit));
	TLV_TRY(recover_mixtures(ctx, options, &exact));
	TLV_TRY(tlv_lda_topics_of_mixtures(ctx, fit));
	TLV_TRY(tlv_lda_anchor_prior(ctx, options, recover_second_moments, fit));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, exact.runoff, "runoff_share"));
	if (options->recovery == TLV_LDA_RECOVER_INVERSE)
		TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, exact.negative, "negative_mass"));
	return tlv_lda_write_anchors(ctx, options, wanted, fit, image, size);
}
