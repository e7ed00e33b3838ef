/*
 * simulate.c - random hidden Markov models and sequences drawn from them
 * (hmm.h).
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/num/numbers.h"

static tlv_status
hmm_check_options(tlv_context *ctx, const tlv_hmm_simulation *options)
{
	size_t d = options->symbols > 0 ? options->symbols : options->dimensions;

	if (options->k == 0 || options->k > UINT16_MAX)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is not between 1 and %d", options->k,
						UINT16_MAX);
	if (d == 0 || d > TRIPLE_MOST)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"%zu symbols or dimensions are not between 1 and "
						"%zu",
						d, TRIPLE_MOST);
	if (!(options->stay >= 0 && options->stay <= 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "stay = %g is not between 0 and 1", options->stay);
	if (!(options->concentration > 0 && options->concentration <= 1e9))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "concentration = %g is not a number above 0",
						options->concentration);
	if (!(options->separation >= 0 && options->separation <= 1e9))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "separation = %g is not a number from 0 on",
						options->separation);
	if ((double) options->k * (double) (options->k + d) > (double) TLV_FRAME_MAX_BYTES / 16)
		return tlv_fail(ctx, TLV_LIMIT,
						"%zu states over %zu symbols or dimensions are too many "
						"for one value",
						options->k, d);
	return TLV_OK;
}

/* A probability vector into n entries with a stride. */
static void
draw_distribution(tlv_rng *rng, size_t n, double concentration, double *p, size_t stride)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += p[i * stride] = tlv_rng_gamma(rng, concentration) + TLV_TINY;
	for (size_t i = 0; i < n; i++)
		p[i * stride] /= sum;
}

tlv_status
tlv_hmm_simulate_model(tlv_context *ctx, const tlv_hmm_simulation *options, void **image,
					   size_t *size)
{
	size_t k = options->k, d = options->symbols > 0 ? options->symbols : options->dimensions;
	tlv_diagnostics diagnostics = {0};
	tlv_hmm_parts parts = {
		.covariance = TLV_COVARIANCE_SPHERICAL, .k = k, .d = d, .gaussian = options->symbols == 0};
	double *initial, *transitions, *emissions;
	int64_t *items;
	tlv_rng rng;

	TLV_TRY(hmm_check_options(ctx, options));
	TLV_TRY_NEW(ctx, initial, 2 * k + 2 * k * k + k * d + d);
	transitions = initial + 2 * k;
	emissions = transitions + 2 * k * k;
	items = (int64_t *) (emissions + k * d);
	tlv_rng_seed(&rng, options->seed);
	for (size_t j = 0; j < k; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		draw_distribution(&rng, k, 1, transitions + j * k, 1);
		for (size_t i = 0; i < k; i++)
			transitions[j * k + i] =
				(1 - options->stay) * transitions[j * k + i] + (i == j ? options->stay : 0);
		initial[k + j] = 1; /* variances */
		if (!parts.gaussian)
			draw_distribution(&rng, d, options->concentration, emissions + j, k);
		for (size_t i = 0; parts.gaussian && i < d; i++)
			emissions[j * d + i] =
				tlv_rng_normal(&rng) * options->separation / sqrt(2 * (double) d);
	}
	for (size_t j = 0; j < k * k; j++)
		transitions[j] = fmax(transitions[j], TLV_LEAST_PROBABILITY); /* irreducible */
	TLV_TRY(tlv_stationary(ctx, k, transitions, transitions + k * k, initial));
	for (size_t i = 0; i < d; i++)
		items[i] = (int64_t) i + 1;
	parts.seed = (double) options->seed;
	parts.initial = initial;
	parts.variances = initial + k;
	parts.transitions = transitions;
	parts.emissions = emissions;
	parts.items = parts.gaussian ? NULL : items;
	parts.diagnostics = &diagnostics;
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, 1, "simulated"));
	return tlv_hmm_write(ctx, &parts, image, size);
}

/* An index drawn with the given probabilities, stride between them. */
static size_t
draw_index(tlv_rng *rng, size_t n, const double *p, size_t stride)
{
	double u = tlv_rng_uniform(rng);

	for (size_t i = 0; i + 1 < n; i++)
	{
		u -= p[i * stride];
		if (u < 0)
			return i;
	}
	return n - 1;
}

/* Of full covariances from the last coordinate on: the factor's rows need those before. */
static void
draw_vector(const tlv_hmm_parts *model, tlv_rng *rng, size_t state, double *x)
{
	size_t d = model->d, n = tlv_mixture_variances(d, model->covariance);
	const double *means = model->emissions + state * d, *own = model->variances + state * n;
	bool full = model->covariance == TLV_COVARIANCE_FULL;

	for (size_t i = 0; i < d; i++)
		x[i] = (full ? 1 : sqrt(own[n == d ? i : 0])) * tlv_rng_normal(rng);
	for (size_t i = d; full && i-- > 0;)
	{
		const double *row = own + i * (i + 1) / 2;
		double sum = 0;

		for (size_t c = 0; c <= i; c++)
			sum += row[c] * x[c];
		x[i] = sum;
	}
	for (size_t i = 0; i < d; i++)
		x[i] += means[i];
}

void
tlv_hmm_simulate(const tlv_hmm_parts *model, tlv_rng *rng, size_t n, int32_t *states,
				 int64_t *symbols, double *x)
{
	size_t k = model->k, d = model->d, state = 0;

	for (size_t t = 0; t < n; t++)
	{
		state = draw_index(rng, k, t == 0 ? model->initial : model->transitions + state * k, 1);
		if (states != NULL)
			states[t] = (int32_t) state;
		if (!model->gaussian && symbols != NULL)
			symbols[t] = model->items[draw_index(rng, d, model->emissions + state, k)];
		if (model->gaussian && x != NULL)
			draw_vector(model, rng, state, x + t * d);
	}
}
