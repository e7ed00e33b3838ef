/*
 * simulate.c - random multi-view mixtures, and rows drawn from a model (multiview.h).
 */
#include <math.h>

#include "internal.h"

static tlv_status
multiview_check_options(tlv_context *ctx, const tlv_multiview_simulation *options)
{
	size_t most = options->categories ? TLV_VIEW_MOST_CATEGORIES : TLV_MIXTURE_MOST_DIMENSIONS;

	if (options->k == 0 || options->k > TLV_VIEW_MOST_COMPONENTS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is not between 1 and %d", options->k,
						TLV_VIEW_MOST_COMPONENTS);
	for (int t = 0; t < 3; t++)
		if (options->d[t] == 0 || options->d[t] > most)
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu %s of view %d are not between 1 and %zu",
							options->d[t], options->categories ? "categories" : "dimensions", t + 1,
							most);
	if (!(options->separation >= 0 && options->separation <= 1e50))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "separation = %g is not between 0 and 1e50",
						options->separation);
	if (!(options->concentration >= 1e-3 && options->concentration <= 1e6))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "concentration = %g is not between 0.001 and 1e6",
						options->concentration);
	return tlv_require_memory(
		ctx,
		2.0 * sizeof(double) * ((double) options->k + 1) *
			(1 + (double) options->d[0] + (double) options->d[1] + (double) options->d[2]),
		"the model");
}

/* Means of a typical distance, and standard deviations of .5 .. 1.5. */
static tlv_status
draw_vectors(tlv_context *ctx, const tlv_multiview_simulation *options, int view, tlv_rng *rng,
			 tlv_multiview_parts *parts)
{
	size_t d = options->d[view], k = options->k;
	double *means = tlv_alloc(ctx, 2 * k + 1, d * sizeof(double)), *variances, *floor;
	double scale = options->separation / sqrt(2 * (double) d);

	TLV_TRY_ALLOC(ctx, means);
	variances = means + k * d;
	floor = variances + k * d;
	for (size_t e = 0; e < k * d; e++)
	{
		double deviation = 0.5 + tlv_rng_uniform(rng);

		if (e % 65536 == 65535)
			TLV_TRY_CONTINUE(ctx);
		means[e] = scale * tlv_rng_normal(rng);
		variances[e] = deviation * deviation;
	}
	for (size_t i = 0; i < d; i++)
		floor[i] = TLV_MIXTURE_FLOOR;
	parts->means[view] = means;
	parts->variances[view] = variances;
	parts->floors[view] = floor;
	return TLV_OK;
}

static tlv_status
draw_categories(tlv_context *ctx, const tlv_multiview_simulation *options, int view, tlv_rng *rng,
				tlv_multiview_parts *parts)
{
	size_t d = options->d[view], k = options->k;
	double *means = tlv_alloc(ctx, k, d * sizeof(double));
	double *alpha = tlv_alloc(ctx, d, sizeof(double));
	int64_t *items = tlv_alloc(ctx, d, sizeof(int64_t));

	TLV_TRY_ALLOC(ctx, means);
	TLV_TRY_ALLOC(ctx, alpha);
	TLV_TRY_ALLOC(ctx, items);
	for (size_t i = 0; i < d; i++)
	{
		items[i] = (int64_t) i + 1;
		alpha[i] = options->concentration;
	}
	for (size_t j = 0; j < k; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		tlv_rng_dirichlet(rng, d, alpha, means + j * d);
	}
	tlv_free(ctx, alpha);
	parts->means[view] = means;
	parts->items[view] = items;
	return TLV_OK;
}

tlv_status
tlv_multiview_random(tlv_context *ctx, const tlv_multiview_simulation *options, void **image,
					 size_t *size)
{
	tlv_multiview_parts parts = {0};
	tlv_diagnostics none = {0};
	double *weights;
	tlv_rng rng;

	TLV_TRY(multiview_check_options(ctx, options));
	TLV_TRY_NEW_ROWS(ctx, weights, options->k, 2);
	for (size_t j = 0; j < options->k; j++)
		weights[options->k + j] = 10;
	tlv_rng_seed(&rng, options->seed);
	tlv_rng_dirichlet(&rng, options->k, weights + options->k, weights);
	parts.k = options->k;
	parts.seed = (double) options->seed;
	parts.weights = weights;
	parts.diagnostics = &none;
	for (int t = 0; t < 3; t++)
	{
		parts.d[t] = options->d[t];
		TLV_TRY(options->categories ? draw_categories(ctx, options, t, &rng, &parts)
									: draw_vectors(ctx, options, t, &rng, &parts));
	}
	return tlv_multiview_write(ctx, &parts, image, size);
}

/* Position of a draw among probabilities. */
static size_t
draw_position(size_t n, const double *p, tlv_rng *rng)
{
	double u = tlv_rng_uniform(rng);
	size_t at = 0;

	while (at + 1 < n && u >= p[at])
		u -= p[at++];
	return at;
}

size_t
tlv_multiview_draw(const tlv_multiview_parts *parts, tlv_rng *rng, double *const x[3],
				   int64_t category[3])
{
	size_t j = draw_position(parts->k, parts->weights, rng);

	for (int t = 0; t < 3; t++)
	{
		size_t d = parts->d[t];

		if (is_categorical(parts))
		{
			category[t] = parts->items[t][draw_position(d, parts->means[t] + j * d, rng)];
			continue;
		}
		tlv_rng_fill_normal(rng, d, x[t]);
		for (size_t i = 0; i < d; i++)
			x[t][i] = parts->means[t][j * d + i] + sqrt(parts->variances[t][j * d + i]) * x[t][i];
	}
	return j;
}
