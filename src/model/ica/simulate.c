/*
 * simulate.c - true mixing matrices, and rows drawn from them (ica.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/ica.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"

/* Excess kurtosis of the laws. */
static const double source_kurtosis[TLV_ICA_SOURCES] = {[TLV_ICA_LAPLACE] = 3,
														[TLV_ICA_UNIFORM] = -1.2,
														[TLV_ICA_BINARY] = -2,
														[TLV_ICA_EXPONENTIAL] = 6,
														[TLV_ICA_GAUSSIAN_SOURCE] = 0};

/* One value of mean 0 and variance 1. */
static double
draw_source(tlv_rng *rng, int64_t source)
{
	double u = tlv_rng_uniform(rng);

	switch (source)
	{
		case TLV_ICA_LAPLACE:
			return (u < 0.5 ? log1p(-2 * u) : -log1p(1 - 2 * u)) * -M_SQRT1_2;
		case TLV_ICA_UNIFORM:
			return sqrt(3.0) * (2 * u - 1);
		case TLV_ICA_BINARY:
			return u < 0.5 ? -1 : 1;
		case TLV_ICA_EXPONENTIAL:
			return -log1p(-u) - 1;
		default:
			return tlv_rng_normal(rng);
	}
}

static tlv_status
ica_check_simulation(tlv_context *ctx, const tlv_ica_simulation *o)
{
	if (o->d == 0 || o->d > 4000)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "dimensions = %zu is not between 1 and 4000", o->d);
	if (o->k == 0 || o->k > o->d || o->k > 1000)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is not between 1 and %zu", o->k,
						o->d < 1000 ? o->d : 1000);
	if (!(o->noise >= 0 && o->noise <= 1e100))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "noise = %g is not between 0 and 1e100", o->noise);
	return TLV_OK;
}

tlv_status
tlv_ica_simulate_model(tlv_context *ctx, const tlv_ica_simulation *options, void **image,
					   size_t *size)
{
	size_t d = options->d, k = options->k, rank = 0;
	tlv_diagnostics diagnostics = {0};
	tlv_ica_parts parts = {.d = d, .k = k, .change = 1, .diagnostics = &diagnostics};
	double *mean, *factor;
	tlv_rng rng;

	TLV_TRY(ica_check_simulation(ctx, options));
	TLV_TRY(tlv_require_svd(ctx, d, k));
	TLV_TRY(tlv_require_memory(ctx, 8.0 * (double) (d * (4 * k + d + 2)), "the model"));
	tlv_rng_seed(&rng, options->seed);
	TLV_TRY_NEW0(ctx, mean, d + 2 * d * k + k + d * d);
	parts.mixing = mean + d;
	parts.unmixing = parts.mixing + d * k;
	parts.kurtosis = parts.unmixing + d * k;
	factor = parts.kurtosis + k;
	TLV_TRY_NEW(ctx, parts.sources, k);
	parts.mean = mean;
	parts.noise = options->noise > 0;
	parts.seed = (double) options->seed;
	TLV_TRY(tlv_fill_normal(ctx, &rng, d * k, parts.mixing));
	TLV_TRY(tlv_fill_normal(ctx, &rng, d * d, factor));
	for (size_t i = 0; i < d * d; i++)
		factor[i] *= options->noise / sqrt((double) d);
	parts.noise_factor = options->noise > 0 ? factor : NULL;
	for (size_t j = 0; j < k; j++)
	{
		parts.sources[j] = options->mixed ? (int64_t) (j % 4) : (int64_t) options->source;
		parts.kurtosis[j] = source_kurtosis[parts.sources[j]];
	}
	TLV_TRY(tlv_pseudo_inverse(ctx, d, k, parts.mixing, 1e-12, parts.unmixing, &rank));
	TLV_TRY(tlv_ica_order(ctx, &parts));
	TLV_TRY(tlv_ica_diagnose(ctx, &parts));
	TLV_TRY(tlv_ica_write(ctx, &parts, image, size));
	tlv_free(ctx, parts.sources);
	tlv_free(ctx, mean);
	tlv_diagnostics_free(ctx, &diagnostics);
	return TLV_OK;
}

/* x += a y, a of d x n */
static void
ica_add_product(size_t d, size_t n, const double *restrict a, const double *restrict y,
				double *restrict x)
{
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < d; i++)
			x[i] += a[i + j * d] * y[j];
}

tlv_status
tlv_ica_simulate(tlv_context *ctx, const tlv_frame *model, size_t rows, uint64_t seed,
				 tlv_ica_emit emit, void *argument)
{
	const tlv_section *mixing = tlv_frame_find(model, "mixing");
	const int64_t *laws = tlv_frame_int64(model, "sources");
	const double *factor = tlv_frame_float64(model, "noise_factor");
	size_t d = mixing->rows, k = mixing->columns;
	double *sources, *x, *noise;
	tlv_rng rng;

	if (laws == NULL)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "the model does not say how its sources are distributed");
		return tlv_fail_hint(ctx, "Simulate from a model of tlv_simulate_ica_model.");
	}
	TLV_TRY_NEW(ctx, sources, k + 2 * d);
	x = sources + k;
	noise = x + d;
	/* Not the stream that the model was drawn from. */
	tlv_rng_seed(&rng, tlv_mix64(seed));
	for (size_t row = 1; row <= rows; row++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, row);
		memcpy(x, tlv_frame_float64(model, "mean"), d * sizeof(double));
		for (size_t j = 0; j < k; j++)
			sources[j] = draw_source(&rng, laws[j]);
		ica_add_product(d, k, tlv_section_data(model, mixing), sources, x);
		if (factor != NULL)
		{
			tlv_rng_fill_normal(&rng, d, noise);
			ica_add_product(d, d, factor, noise, x);
		}
		TLV_TRY(emit(ctx, argument, row, x, sources));
	}
	tlv_free(ctx, sources);
	return TLV_OK;
}
