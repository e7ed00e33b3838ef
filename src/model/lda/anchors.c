/*
 * anchors.c - topics by anchor words, from the pair moment in a basis (lda.h).
 *
 * With S Q S ~ U diag(e) U', p the shares of the items: x_i = e U_i / (S_i p_i) is the row of item
 * i of the co-occurrence given that item, in coordinates whose Euclidean distance is that of
 * chi-square.  An item of one topic alone is a corner of the simplex in which all rows lie.
 */
#include "anchor_topics.h"

#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/linalg.h"

typedef struct low_rank
{
	anchor_fit fit;	 /* first, as second_moments has it */
	size_t width;	 /* directions of the basis */
	double *pairs;	 /* width x width: Q */
	double *vectors; /* width x width: its eigenvectors */
	double *values;	 /* width */
} low_rank;

/* ---- the rows ---- */

static double
anchors_memory(size_t width, size_t d, size_t k)
{
	double w = (double) width, items = (double) d, topics = (double) k;

	return sizeof(double) * (4 * w * w + items * (3 * topics + 8) + topics * (4 * topics + 20));
}

static tlv_status
anchors_open_moments(tlv_context *ctx, const tlv_lda_options *options, low_rank *low)
{
	anchor_fit *fit = &low->fit;
	const tlv_frame *moments = fit->moments;
	double documents = tlv_frame_scalar(moments, "documents", 0);

	low->width = tlv_frame_find(moments, "basis")->rows;
	fit->d = tlv_frame_find(moments, "basis")->columns;
	fit->items = tlv_frame_int64(moments, "items");
	fit->shares = tlv_frame_float64(moments, "shares");
	fit->totals = tlv_frame_float64(moments, "totals");
	fit->frequency = tlv_frame_float64(moments, "frequency");
	fit->tokens = tlv_frame_scalar(moments, "tokens", 0);
	fit->k = options->k > 0 ? options->k : low->width;
	if (options->fewer && fit->k > low->width)
		fit->k = low->width;
	if (fit->k > low->width)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is more than the %zu directions of the moments",
				 fit->k, low->width);
		return tlv_fail_hint(ctx, "Collect the moments in a subspace of at least k directions.");
	}
	if (documents < 1)
		return tlv_refuse_empty(ctx, "the moments hold", "documents");
	return tlv_require_memory(ctx, anchors_memory(low->width, fit->d, fit->k), "the fit");
}

/* Leading eigenvectors of Q; no more topics than it has positive eigenvalues. */
static tlv_status
lda_find_directions(tlv_context *ctx, const tlv_lda_options *options, low_rank *low)
{
	anchor_fit *fit = &low->fit;
	size_t w = low->width, positive = 0;

	TLV_TRY_NEW_ROWS(ctx, low->pairs, w, w);
	TLV_TRY_NEW_ROWS(ctx, low->vectors, w, w);
	TLV_TRY_NEW(ctx, low->values, w);
	tlv_packed2_unpack(w, tlv_frame_float64(fit->moments, "pairs"), low->pairs);
	for (size_t i = 0; i < w * w; i++)
		low->pairs[i] /= fit->tokens;
	memcpy(low->vectors, low->pairs, w * w * sizeof(double));
	TLV_TRY(tlv_eigen_symmetric(ctx, w, low->vectors, low->values));
	while (positive < w && low->values[positive] > 1e-12 * low->values[0])
		positive++;
	if (positive >= fit->k)
		return TLV_OK;
	if (!options->fewer || positive == 0)
	{
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the moments identify %zu of %zu topics", positive,
				 fit->k);
		return tlv_fail_hint(ctx, "Use a smaller k, or more documents.");
	}
	fit->k = positive;
	return TLV_OK;
}

/* Rows of all items, how noisy they are, and which may be anchors. */
static tlv_status
make_rows(tlv_context *ctx, low_rank *low)
{
	anchor_fit *fit = &low->fit;
	size_t k = fit->k, w = low->width, d = fit->d;
	const double *scale = tlv_frame_float64(fit->moments, "scale");
	const double *noise = tlv_frame_float64(fit->moments, "noise");

	fit->dims = k;
	TLV_TRY_NEW_ROWS(ctx, fit->rows, k, d);
	TLV_TRY_NEW0(ctx, fit->noise, d);
	TLV_TRY_NEW0(ctx, fit->candidate, d);
	TLV_TRY(tlv_gemm(ctx, true, false, k, d, w, 1, low->vectors, w,
					 tlv_frame_float64(fit->moments, "basis"), w, 0, fit->rows, k));
	for (size_t i = 0; i < d; i++)
	{
		double share = fit->totals[i] / fit->tokens;
		double factor = share > 0 ? 1 / (scale[i] * share) : 0;

		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			fit->rows[i * k + j] *= low->values[j] * factor;
		if (share > 0)
			fit->noise[i] = noise[i] / fit->totals[i] / fit->totals[i];
		fit->candidate[i] = fit->frequency[i] >= TLV_LDA_ANCHOR_DOCUMENTS;
	}
	return TLV_OK;
}

/*
 * Second moments of the topics' shares, k x k: R = M Q M' with M = (A'S^2 A)^-1 A'W, A the topics,
 * which is A^+ Q A^+' with the pseudo-inverse weighted by the reciprocals of the items' shares.
 */
static tlv_status
second_moments(tlv_context *ctx, const anchor_fit *fit, double *second)
{
	const low_rank *low = (const low_rank *) fit;
	size_t k = fit->k, w = low->width, d = fit->d;
	const double *scale = tlv_frame_float64(fit->moments, "scale");
	double *scaled, *gram, *m, *product;

	TLV_TRY_NEW_ROWS(ctx, scaled, k, d);
	TLV_TRY_NEW_ROWS(ctx, gram, k, k);
	TLV_TRY_NEW_ROWS(ctx, m, k, w);
	TLV_TRY_NEW_ROWS(ctx, product, k, w);
	for (size_t i = 0; i < d; i++)
	{
		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			scaled[i * k + j] = scale[i] * fit->topics.phi[i * k + j];
	}
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, d, 1, scaled, k, scaled, k, 0, gram, k));
	TLV_TRY(tlv_gemm(ctx, false, true, k, w, d, 1, scaled, k,
					 tlv_frame_float64(fit->moments, "basis"), w, 0, m, k));
	TLV_TRY(tlv_solve_spd(ctx, k, w, gram, m));
	TLV_TRY(tlv_gemm(ctx, false, false, k, w, w, 1, m, k, low->pairs, w, 0, product, k));
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, w, 1, product, k, m, k, 0, second, k));
	tlv_free(ctx, scaled);
	tlv_free(ctx, gram);
	tlv_free(ctx, m);
	tlv_free(ctx, product);
	return TLV_OK;
}

static tlv_status
diagnose_directions(tlv_context *ctx, low_rank *low)
{
	static const char *const names[][2] = {{"minimum_documents", "minimum_documents"},
										   {"steps", "subspace_steps"},
										   {"trace", "trace"}};
	tlv_diagnostics *to = &low->fit.diagnostics;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		TLV_TRY(tlv_diagnose(ctx, to, tlv_frame_scalar(low->fit.moments, names[i][0], 0), "%s",
							 names[i][1]));
	for (size_t j = 0; j < low->width; j++)
		TLV_TRY(tlv_diagnose(ctx, to, low->values[j], "eigenvalue_%zu", j + 1));
	return TLV_OK;
}

tlv_status
tlv_lda_fit_anchors(tlv_context *ctx, const tlv_frame *moments, const tlv_lda_options *options,
					void **image, size_t *size)
{
	tlv_frame complete;
	low_rank low = {.fit = {.moments = &complete}};
	anchor_fit *fit = &low.fit;
	tlv_anchor_points points;
	size_t wanted;

	TLV_TRY(tlv_count_complete(ctx, moments, options->subspace,
							   "tlv_fit_lda(moments, subspace => ...)", &complete));
	TLV_TRY(tlv_lda_anchor_alpha0(ctx, options));
	TLV_TRY(anchors_open_moments(ctx, options, &low));
	wanted = fit->k;
	TLV_TRY(lda_find_directions(ctx, options, &low));
	TLV_TRY(make_rows(ctx, &low));
	TLV_TRY(tlv_lda_choose_anchors(ctx, options, fit));
	points = (tlv_anchor_points){.n = fit->d, .d = fit->dims, .rows = fit->rows};
	TLV_TRY_NEW_ROWS(ctx, fit->mixtures, fit->corners.k, fit->d);
	TLV_TRY(tlv_anchors_recover(ctx, &points, fit->corners.k, fit->corners.corners, fit->mixtures));
	TLV_TRY(tlv_lda_topics_of_mixtures(ctx, fit));
	TLV_TRY(tlv_lda_anchor_prior(ctx, options, second_moments, &low.fit));
	TLV_TRY(diagnose_directions(ctx, &low));
	return tlv_lda_write_anchors(ctx, options, wanted, fit, image, size);
}
