/*
 * start.c - topics to refine from where the moments give fewer than were asked for: the corpus as
 * one topic, and parts of the topics that there are (lda.h).
 */
#include "tensorlv/model/lda.h"

#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/rng.h"

/* The Dirichlet parameter of each topic where the moments say nothing of it. */
#define START_ALPHA 0.1

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
		return tlv_fail(ctx, TLV_BAD_DATA, "the summary holds no documents");
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

static tlv_status
copy_diagnostics(tlv_context *ctx, const tlv_frame *model, tlv_diagnostics *diagnostics)
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

tlv_status
tlv_lda_fill(tlv_context *ctx, const tlv_frame *model, size_t k, void **image, size_t *size)
{
	static const char *const replaced[] = {
		"phi",			 "alpha",		"weights",			"alpha0",
		"alpha0_least",	 "diagnostics", "diagnostic_names", "warnings",
		"warning_texts", NULL};
	const tlv_section *section = tlv_frame_find(model, "phi");
	const double *old = tlv_section_data(model, section);
	size_t before = section->rows, d = section->columns;
	double alpha0 = tlv_frame_scalar(model, "alpha0", 0);
	tlv_diagnostics diagnostics = {0};
	tlv_frame_builder *builder;
	double *phi, *weights, *alpha;
	tlv_rng rng;

	TLV_TRY_NEW0(ctx, phi, k * d + 2 * k);
	weights = phi + k * d;
	alpha = weights + k;
	for (size_t i = 0; i < d; i++)
		memcpy(phi + i * k, old + i * before, before * sizeof(double));
	memcpy(weights, tlv_frame_float64(model, "weights"), before * sizeof(double));
	tlv_rng_seed(&rng, tlv_mix64((uint64_t) tlv_frame_scalar(model, "seed", 0) + START_STREAM));
	for (size_t j = before; j < k; j++)
	{
		size_t from = heaviest(j, weights);

		TLV_TRY_CONTINUE(ctx);
		take_part(&rng, k, d, phi, from, j);
		weights[j] = weights[from] /= 2;
	}
	if (alpha0 > 0 && tlv_frame_scalar(model, "alpha0_free", 0) != 0)
		alpha0 = START_ALPHA * (double) k;
	tlv_lda_alpha(k, alpha0, weights, alpha);
	TLV_TRY(tlv_lda_sort_topics(ctx, k, d, phi, alpha, weights));
	TLV_TRY(copy_diagnostics(ctx, model, &diagnostics));
	TLV_TRY_NEW(ctx, builder, 1);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, TLV_KIND_LDA);
	tlv_frame_add_scalar(builder, "alpha0", alpha0);
	tlv_frame_add_scalar(builder, "alpha0_least", 0);
	tlv_frame_add(builder, "alpha", TLV_FLOAT64, k, 1, alpha);
	tlv_frame_add(builder, "weights", TLV_FLOAT64, k, 1, weights);
	tlv_frame_add(builder, "phi", TLV_FLOAT64, k, d, phi);
	tlv_frame_add_from(builder, model, replaced);
	tlv_diagnostics_add(&diagnostics, builder);
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_free(ctx, builder);
	tlv_diagnostics_free(ctx, &diagnostics);
	tlv_free(ctx, phi);
	return TLV_OK;
}
