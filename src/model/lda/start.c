/*
 * start.c - topics to refine from where the moments give fewer than were asked for: the corpus as
 * one topic, and parts of the topics that there are (lda.h).
 */
#include "tensorlv/model/lda.h"

#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/rng.h"

/* Streams of the parts differ from those of the decomposition and of the draws. */
#define START_STREAM UINT64_C(0x7061727473)

tlv_status
tlv_lda_corpus_topic(tlv_context *ctx, const tlv_frame *summary, const tlv_lda_options *options,
					 void **image, size_t *size)
{
	size_t d = tlv_frame_find(summary, "items")->rows;
	const double *totals = tlv_frame_float64(summary, "totals");
	double tokens = tlv_frame_scalar(summary, "tokens", 0);
	double alpha0 = isnan(options->alpha0) ? START_ALPHA : options->alpha0, sum = 0;
	double weight = 1, alpha = alpha0 > 0 ? alpha0 : weight;
	tlv_diagnostics none = {0};
	tlv_lda_parts parts = {.k = 1,
						   .d = d,
						   .alpha0 = alpha0,
						   .alpha0_free = isnan(options->alpha0) || options->alpha0_free,
						   .eta = options->eta,
						   .seed = (double) options->seed,
						   .items = tlv_frame_int64(summary, "items"),
						   .alpha = &alpha,
						   .weights = &weight,
						   .diagnostics = &none};
	double *shares;

	if (d == 0 || !(tokens > 0))
		return tlv_refuse_empty(ctx, "the summary holds", "documents");
	TLV_TRY_NEW(ctx, shares, d);
	for (size_t i = 0; i < d; i++)
		sum += shares[i] = totals[i] / tokens;
	for (size_t i = 0; i < d; i++)
		shares[i] /= sum;
	parts.phi = parts.shares = shares;
	return tlv_lda_write(ctx, &parts, image, size);
}

/* Topic `to` becomes a random part of topic `from`: each probability times an exponential draw. */
static void
take_part(tlv_rng *rng, size_t k, size_t d, double *phi, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = 0; i < d; i++)
		sum += phi[i * k + to] = phi[i * k + from] * tlv_rng_gamma(rng, 1);
	for (size_t i = 0; i < d; i++)
		phi[i * k + to] = sum > 0 ? phi[i * k + to] / sum : phi[i * k + from];
}

static size_t
heaviest(size_t k, const double *weights)
{
	size_t best = 0;

	for (size_t j = 1; j < k; j++)
		if (weights[j] > weights[best])
			best = j;
	return best;
}

/* Diagnostics of single topics, which later steps reorder all together. */
static bool
is_of_topic(const char *name)
{
	static const char *const names[] = {"negative_mass_", "tensor_eigenvalue_", "implied_weight_"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

tlv_status
tlv_lda_copy_diagnostics(tlv_context *ctx, const tlv_frame *model, tlv_diagnostics *diagnostics)
{
	tlv_diagnostics_walk numbers = tlv_diagnostics_of(model);
	tlv_warnings_walk warnings = tlv_warnings_of(model);

	while (tlv_diagnostics_next(&numbers))
		if (!is_of_topic(numbers.name))
			TLV_TRY(tlv_diagnose(ctx, diagnostics, numbers.value, "%s", numbers.name));
	while (tlv_warnings_next(&warnings))
		if (warnings.warning.component == 0)
			TLV_TRY(tlv_warn(ctx, diagnostics, &warnings.warning, "%s", warnings.warning.message));
	return TLV_OK;
}

/* Parts of topics have no anchors of their own; in the order that the topics will have. */
static tlv_status
fill_anchors(tlv_context *ctx, size_t before, size_t k, const double *weights, tlv_lda_parts *parts)
{
	double *distances;
	int64_t *anchors, *order;

	if (parts->anchors == NULL)
		return TLV_OK;
	TLV_TRY_NEW(ctx, anchors, k);
	TLV_TRY_NEW0(ctx, distances, k);
	TLV_TRY_NEW(ctx, order, k);
	for (size_t j = 0; j < k; j++)
		anchors[j] = parts->anchors[j < before ? j : 0];
	memcpy(distances, parts->anchor_distances, before * sizeof(double));
	parts->anchors = anchors;
	parts->anchor_distances = distances;
	tlv_order_weights(k, weights, order);
	return tlv_lda_order_anchors(ctx, k, order, &parts->anchors, &parts->anchor_distances);
}

tlv_status
tlv_lda_fill(tlv_context *ctx, const tlv_frame *model, size_t k, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	double *phi, *weights, *alpha;
	tlv_lda_parts parts;
	size_t before, d;
	tlv_rng rng;

	tlv_sections_read(model, tlv_kind_lda.model->sections, &parts);
	before = parts.k;
	d = parts.d;
	TLV_TRY_NEW0(ctx, phi, k * d + 2 * k);
	weights = phi + k * d;
	alpha = weights + k;
	for (size_t i = 0; i < d; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		memcpy(phi + i * k, parts.phi + i * before, before * sizeof(double));
	}
	memcpy(weights, parts.weights, before * sizeof(double));
	tlv_rng_seed(&rng, tlv_mix64((uint64_t) parts.seed + START_STREAM));
	for (size_t j = before; j < k; j++)
	{
		size_t from = heaviest(j, weights);

		TLV_TRY_CONTINUE(ctx);
		take_part(&rng, k, d, phi, from, j);
		weights[j] = weights[from] /= 2;
	}
	if (parts.alpha0 > 0 && parts.alpha0_free != 0)
		parts.alpha0 = START_ALPHA * (double) k;
	tlv_lda_alpha(k, parts.alpha0, weights, alpha);
	TLV_TRY(fill_anchors(ctx, before, k, weights, &parts));
	TLV_TRY(tlv_lda_sort_topics(ctx, k, d, phi, alpha, weights));
	TLV_TRY(tlv_lda_copy_diagnostics(ctx, model, &diagnostics));
	parts.k = k;
	parts.alpha0_least = 0;
	parts.phi = phi;
	parts.alpha = alpha;
	parts.weights = weights;
	parts.diagnostics = &diagnostics;
	TLV_TRY(tlv_lda_write(ctx, &parts, image, size));
	tlv_diagnostics_free(ctx, &diagnostics);
	tlv_free(ctx, phi);
	return TLV_OK;
}
