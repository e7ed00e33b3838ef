/*
 * directions_simulate.c - random mixtures of directions, and rows drawn from them (directions.h).
 */
#include <math.h>
#include <string.h>

#include "directions.h"
#include "tensorlv/model/mixture.h"
#include "tensorlv/num/linalg.h"

#define WEIGHT_CONCENTRATION 10.0

/* A random direction. */
static void
draw_direction(size_t d, tlv_rng *rng, double *x)
{
	double square = 0;

	tlv_rng_fill_normal(rng, d, x);
	for (size_t i = 0; i < d; i++)
		square += x[i] * x[i];
	for (size_t i = 0; i < d; i++)
		x[i] /= sqrt(square);
}

/*
 * Means r long and at right angles are sqrt(2) r apart, and rows scatter by sqrt((1 - r^2)/(d - 1))
 * in each of the other dimensions.
 */
static double
kappa_of_separation(size_t d, double separation)
{
	double t = separation / sqrt(2 * (double) (d - 1));

	return tlv_directions_kappa(d, t / sqrt(1 + t * t));
}

tlv_status
tlv_directions_random(tlv_context *ctx, size_t k, size_t d, double separation, bool differing,
					  uint64_t seed, void **image, size_t *size)
{
	tlv_directions directions;
	const tlv_directions_parts parts = {.directions = &directions, .seed = (double) seed};
	tlv_rng rng;

	if (k == 0 || k > TLV_MIXTURE_MOST_COMPONENTS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is not between 1 and %d", k,
						TLV_MIXTURE_MOST_COMPONENTS);
	if (d < 2 || d > TLV_MIXTURE_MOST_DIMENSIONS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "d = %zu is not between 2 and %d", d,
						TLV_MIXTURE_MOST_DIMENSIONS);
	if (!(separation >= 0 && separation <= 1e50))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "separation = %g is not between 0 and 1e50",
						separation);
	tlv_rng_seed(&rng, seed);
	TLV_TRY(tlv_directions_create(ctx, k, d, &directions));
	for (size_t j = 0; j < k; j++)
		directions.weights[j] = WEIGHT_CONCENTRATION;
	tlv_rng_dirichlet(&rng, k, directions.weights, directions.weights);
	for (size_t j = 0; j < k; j++)
	{
		double deviation = differing ? 0.5 + tlv_rng_uniform(&rng) : 1;

		TLV_TRY_CONTINUE(ctx);
		draw_direction(d, &rng, directions.means + j * d);
		directions.kappas[j] = kappa_of_separation(d, separation / deviation);
	}
	TLV_TRY(tlv_directions_write(ctx, &parts, image, size));
	tlv_directions_free(ctx, &directions);
	return TLV_OK;
}

/* The cosine of a direction with the mean: rejection from a transformed beta distribution. */
static double
draw_cosine(size_t d, double kappa, tlv_rng *rng)
{
	double m = (double) (d - 1), b = m / (2 * kappa + hypot(2 * kappa, m)), x = (1 - b) / (1 + b);
	double c = kappa * x + m * log1p(-x * x), half[2] = {m / 2, m / 2};

	for (;;)
	{
		double z[2], w;

		tlv_rng_dirichlet(rng, 2, half, z);
		w = (1 - (1 + b) * z[0]) / (1 - (1 - b) * z[0]);
		if (kappa * w + m * log1p(-x * w) - c >= log(1 - tlv_rng_uniform(rng)))
			return w;
	}
}

size_t
tlv_directions_simulate(const tlv_directions *directions, tlv_rng *rng, double *x)
{
	size_t d = directions->d, j = 0;
	double u = tlv_rng_uniform(rng), along = 0, square = 0, cosine;
	const double *mean;

	while (j + 1 < directions->k && u >= directions->weights[j])
		u -= directions->weights[j++];
	mean = directions->means + j * d;
	cosine = draw_cosine(d, directions->kappas[j], rng);
	tlv_rng_fill_normal(rng, d, x);
	for (size_t i = 0; i < d; i++)
		along += x[i] * mean[i];
	for (size_t i = 0; i < d; i++)
	{
		x[i] -= along * mean[i];
		square += x[i] * x[i];
	}
	for (size_t i = 0; i < d; i++)
		x[i] = cosine * mean[i] + sqrt(fmax(1 - cosine * cosine, 0) / square) * x[i];
	return j;
}
