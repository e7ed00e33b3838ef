/*
 * simulate.c - random mixtures of Gaussians and of directions, and rows drawn from them (gmm.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"

/* Standard deviation of a true mixture. */
static double
draw_deviation(tlv_rng *rng, bool differing)
{
	return differing ? 0.5 + tlv_rng_uniform(rng) : 1;
}

/* Q diag(s^2) Q' with a random rotation Q, packed. */
static tlv_status
random_covariance(tlv_context *ctx, size_t d, tlv_rng *rng, double *packed)
{
	double *q = tlv_alloc(ctx, d, 2 * d * sizeof(double)), *full;
	size_t rank;

	TLV_TRY_ALLOC(ctx, q);
	full = q + d * d;
	TLV_TRY(tlv_fill_normal(ctx, rng, d * d, q));
	TLV_TRY(tlv_orthonormalize(ctx, d, d, q, rng, &rank));
	for (size_t i = 0; i < d; i++)
	{
		double deviation = draw_deviation(rng, true);

		for (size_t r = 0; r < d; r++)
			q[i * d + r] *= deviation;
	}
	TLV_TRY(tlv_syrk(ctx, false, d, d, 1, q, d, 0, full, d, true));
	tlv_packed2_pack(d, full, packed);
	tlv_free(ctx, q);
	return TLV_OK;
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

static tlv_status
draw_directions(tlv_context *ctx, double separation, tlv_rng *rng, tlv_mixture *mixture)
{
	size_t d = mixture->d;

	for (size_t j = 0; j < mixture->k; j++)
	{
		double deviation = draw_deviation(rng, true), *mean = mixture->means + j * d, square = 0;

		TLV_TRY_CONTINUE(ctx);
		tlv_rng_fill_normal(rng, d, mean);
		for (size_t i = 0; i < d; i++)
			square += mean[i] * mean[i];
		for (size_t i = 0; i < d; i++)
			mean[i] /= sqrt(square);
		mixture->variances[j] = kappa_of_separation(d, separation / deviation);
	}
	return TLV_OK;
}

static tlv_status
draw_mixture(tlv_context *ctx, double separation, tlv_rng *rng, tlv_mixture *mixture)
{
	const double weight_concentration = 10.0;
	size_t k = mixture->k, d = mixture->d;
	size_t variances = tlv_mixture_variances(d, mixture->covariance);
	double factor = separation / sqrt(2 * (double) d);

	for (size_t j = 0; j < k; j++)
		mixture->weights[j] = weight_concentration;
	tlv_rng_dirichlet(rng, k, mixture->weights, mixture->weights);
	if (mixture->covariance == TLV_COVARIANCE_DIRECTION)
		return draw_directions(ctx, separation, rng, mixture);
	TLV_TRY(tlv_fill_normal(ctx, rng, d * k, mixture->means));
	for (size_t i = 0; i < d * k; i++)
		mixture->means[i] *= factor;
	for (size_t j = 0; j < k; j++)
		if (mixture->covariance == TLV_COVARIANCE_TIED && j > 0)
			memcpy(mixture->variances + j * variances, mixture->variances,
				   variances * sizeof(double));
		else if (tlv_is_matrix(mixture->covariance))
			TLV_TRY(random_covariance(ctx, d, rng, mixture->variances + j * variances));
		else
			for (size_t i = 0; i < variances; i++)
			{
				double deviation =
					draw_deviation(rng, mixture->covariance != TLV_COVARIANCE_COMMON);

				mixture->variances[j * variances + i] = deviation * deviation;
			}
	return TLV_OK;
}

tlv_status
tlv_gmm_random(tlv_context *ctx, size_t k, size_t d, double separation, tlv_covariance covariance,
			   uint64_t seed, void **image, size_t *size)
{
	size_t least = covariance == TLV_COVARIANCE_DIRECTION ? 2 : 1;
	tlv_gmm_parts parts = {0};
	tlv_mixture mixture;
	double *floor;
	tlv_rng rng;

	if (k == 0 || k > TLV_MIXTURE_MOST_COMPONENTS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is not between 1 and %d", k,
						TLV_MIXTURE_MOST_COMPONENTS);
	if (d < least || d > TLV_MIXTURE_MOST_DIMENSIONS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "d = %zu is not between %zu and %d", d, least,
						TLV_MIXTURE_MOST_DIMENSIONS);
	if (!(separation >= 0 && separation <= 1e50))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "separation = %g is not between 0 and 1e50",
						separation);
	tlv_rng_seed(&rng, seed);
	TLV_TRY(tlv_mixture_create(ctx, k, d, covariance, &mixture));
	TLV_TRY(draw_mixture(ctx, separation, &rng, &mixture));
	TLV_TRY_NEW0(ctx, floor, d);
	for (size_t i = 0; i < d; i++)
		floor[i] = TLV_MIXTURE_FLOOR;
	parts.mixture = &mixture;
	parts.floor = floor;
	parts.seed = (double) seed;
	TLV_TRY(tlv_gmm_write(ctx, &parts, image, size));
	tlv_free(ctx, floor);
	tlv_mixture_free(ctx, &mixture);
	return TLV_OK;
}

/* ---- rows ---- */

struct tlv_gmm_simulator
{
	const tlv_mixture *mixture;
	double *factor; /* d x d x k: Cholesky factors, full only */
	double *normal; /* d */
};

tlv_status
tlv_gmm_simulator_create(tlv_context *ctx, const tlv_mixture *mixture,
						 tlv_gmm_simulator **simulator)
{
	size_t k = mixture->k, d = mixture->d;
	tlv_gmm_simulator *made = tlv_alloc0(ctx, 1, sizeof(tlv_gmm_simulator));

	TLV_TRY_ALLOC(ctx, made);
	made->mixture = mixture;
	TLV_TRY_NEW(ctx, made->normal, d);
	if (tlv_is_matrix(mixture->covariance))
	{
		TLV_TRY_NEW_ROWS(ctx, made->factor, k, d * d);
		for (size_t j = 0; j < k; j++)
		{
			double *l = made->factor + j * d * d;

			TLV_TRY_CONTINUE(ctx);
			tlv_packed2_unpack(d, mixture->variances + j * tlv_packed2_size(d), l);
			TLV_TRY(tlv_solve_spd(ctx, d, 0, l, NULL));
		}
	}
	*simulator = made;
	return TLV_OK;
}

/* The cosine of a direction with the mean: rejection from a transformed beta distribution (Ulrich
 * 1984, Wood 1994). */
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

static void
draw_direction(size_t d, const double *mean, double kappa, tlv_rng *rng, double *x)
{
	double along = 0, square = 0, cosine = draw_cosine(d, kappa, rng);

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
}

static double
gmm_deviation_of(const tlv_mixture *mixture, size_t j, size_t i)
{
	return sqrt(mixture->covariance == TLV_COVARIANCE_DIAGONAL
					? mixture->variances[j * mixture->d + i]
					: mixture->variances[j]);
}

size_t
tlv_gmm_simulate(tlv_gmm_simulator *simulator, tlv_rng *rng, double *x)
{
	const tlv_mixture *mixture = simulator->mixture;
	size_t d = mixture->d, j = 0;
	double u = tlv_rng_uniform(rng);

	while (j + 1 < mixture->k && u >= mixture->weights[j])
		u -= mixture->weights[j++];
	if (mixture->covariance == TLV_COVARIANCE_DIRECTION)
	{
		draw_direction(d, mixture->means + j * d, mixture->variances[j], rng, x);
		return j;
	}
	tlv_rng_fill_normal(rng, d, simulator->normal);
	if (mixture->degrees != NULL)
	{
		double shape = mixture->degrees[j] / 2, root = sqrt(shape / tlv_rng_gamma(rng, shape));

		for (size_t i = 0; i < d; i++)
			simulator->normal[i] *= root;
	}
	memcpy(x, mixture->means + j * d, d * sizeof(double));
	for (size_t i = 0; i < d; i++)
		if (simulator->factor == NULL)
			x[i] += gmm_deviation_of(mixture, j, i) * simulator->normal[i];
		else
			for (size_t c = 0; c <= i; c++)
				x[i] += simulator->factor[j * d * d + c * d + i] * simulator->normal[c];
	return j;
}
