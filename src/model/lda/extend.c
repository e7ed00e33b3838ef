/*
 * extend.c - topics over the items of other documents (lda.h).
 */
#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"

/* A number times this, less itself times this less 1, has 16 significant bits (Veltkamp 1968). */
#define COARSE 137438953473.0 /* 2^37 + 1 */

static inline double
coarse(double x)
{
	double high = x * COARSE;

	return high - (high - x);
}

/*
 * The initial estimates by their first 16 bits.  Drawn refinement magnifies the last digits, in
 * which sums differ from processor to processor, to other topics of the same size; what remains of
 * an estimate is far finer than its sampling error.  Fixed topics stay as they are.
 */
static tlv_status
coarsen_topics(tlv_context *ctx, const double *fixed, size_t k, size_t d, double *phi)
{
	double *sums = tlv_alloc0(ctx, k, sizeof(double));

	TLV_TRY_ALLOC(ctx, sums);
	for (size_t i = 0; i < d; i++)
	{
		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
		{
			if (!tlv_lda_is_fixed(fixed, j))
				phi[i * k + j] = coarse(phi[i * k + j]);
			sums[j] += phi[i * k + j];
		}
	}
	for (size_t i = 0; i < d; i++)
	{
		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			if (!tlv_lda_is_fixed(fixed, j) && sums[j] > 0)
				phi[i * k + j] /= sums[j];
	}
	tlv_free(ctx, sums);
	return TLV_OK;
}

/*
 * Topics over the items of a summary, k x d: the old ones where they are
 * known, the corpus shares elsewhere, mixed with `smoothing` of the shares.  Fixed topics stay as
 * they are, but for items that the summary lacks.
 */
static tlv_status
extend_topics(tlv_context *ctx, const tlv_frame *model, size_t d, const int64_t *items,
			  const double *shares, double smoothing, double *phi)
{
	const tlv_section *section = tlv_frame_find(model, "phi");
	const double *old = tlv_section_data(model, section), *fixed;
	size_t k = section->rows;
	double *kept = tlv_alloc0(ctx, k, sizeof(double)), known = 0;
	tlv_dictionary dictionary;

	TLV_TRY_ALLOC(ctx, kept);
	fixed = tlv_frame_float64(model, "fixed");
	TLV_TRY(
		tlv_dictionary_freeze(ctx, &dictionary, section->columns, tlv_frame_int64(model, "items")));
	for (size_t i = 0; i < d; i++)
	{
		int32_t at = tlv_dictionary_find(&dictionary, items[i]);

		LDA_TRY_LOOK(ctx, i, k);
		if (at < 0)
			continue;
		known += shares[i];
		for (size_t j = 0; j < k; j++)
			kept[j] += old[(size_t) at * k + j];
	}
	for (size_t i = 0; i < d; i++)
	{
		int32_t at = tlv_dictionary_find(&dictionary, items[i]);

		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
		{
			/* A topic all of whose items are gone has nothing but the shares left. */
			double own =
				at < 0 || !(kept[j] > 0) ? shares[i] : known * (old[(size_t) at * k + j] / kept[j]);

			phi[i * k + j] = smoothing * shares[i] + (1 - smoothing) * own;
			if (tlv_lda_is_fixed(fixed, j) && kept[j] > 0)
				phi[i * k + j] = at < 0 ? 0 : old[(size_t) at * k + j] / kept[j];
		}
	}
	tlv_dictionary_clear(ctx, &dictionary);
	tlv_free(ctx, kept);
	return TLV_OK;
}

/* The mixing weights and Dirichlet parameters, likewise; an alpha0 that was given stays exactly. */
static void
coarsen_mixing(tlv_lda_parts *parts, double *weights, double *alpha)
{
	double total = 0;

	for (size_t j = 0; j < parts->k; j++)
		total += weights[j] = coarse(parts->weights[j]);
	for (size_t j = 0; j < parts->k; j++)
		weights[j] /= total;
	if (parts->alpha0_free != 0)
		parts->alpha0 = coarse(parts->alpha0);
	tlv_lda_alpha(parts->k, parts->alpha0, weights, alpha);
	parts->weights = weights;
	parts->alpha = alpha;
}

tlv_status
tlv_lda_extend(tlv_context *ctx, const tlv_frame *model, const tlv_frame *summary, double times,
			   double smoothing, bool drawn, void **image, size_t *size)
{
	static const char *const renewed[] = {"tokens", NULL};
	double tokens = tlv_frame_scalar(summary, "tokens", 0);
	tlv_diagnostics diagnostics = {0};
	const double *totals;
	double *phi, *shares, *alpha, *weights;
	tlv_lda_parts parts;
	size_t d;

	d = tlv_frame_find(summary, "items")->rows;
	totals = tlv_frame_float64(summary, "totals");
	if (!(tokens > 0))
		return tlv_refuse_empty(ctx, "the summary holds", "documents");
	tlv_sections_read(model, tlv_kind_lda.model->sections, &parts);
	TLV_TRY_NEW(ctx, phi, parts.k * d + d + 2 * parts.k);
	shares = phi + parts.k * d;
	alpha = shares + d;
	weights = alpha + parts.k;
	if (drawn)
		coarsen_mixing(&parts, weights, alpha);
	for (size_t i = 0; i < d; i++)
		shares[i] = totals[i] / tokens;
	parts.d = d;
	parts.items = tlv_frame_int64(summary, "items");
	parts.shares = shares;
	parts.phi = phi;
	parts.labels = NULL;
	parts.label_offsets = NULL;
	parts.diagnostics = &diagnostics;
	TLV_TRY(extend_topics(ctx, model, d, parts.items, shares, smoothing, phi));
	if (drawn)
		TLV_TRY(coarsen_topics(ctx, tlv_frame_float64(model, "fixed"), parts.k, d, phi));
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, model, renewed));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, tokens / times, "tokens"));
	TLV_TRY(tlv_lda_write(ctx, &parts, image, size));
	tlv_diagnostics_free(ctx, &diagnostics);
	tlv_free(ctx, phi);
	return TLV_OK;
}
