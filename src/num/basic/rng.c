/*
 * rng.c - reproducible random variates (rng.h).
 */
#include "tensorlv/num/rng.h"

#include <float.h>
#include <math.h>

#include "tensorlv/num/assert.h"
#include "tensorlv/num/numbers.h"

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

void
tlv_rng_seed(tlv_rng *rng, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
	{
		rng->state[i] = tlv_mix64(seed);
		seed += UINT64_C(0x9e3779b97f4a7c15);
	}
	rng->spare = 0;
	rng->has_spare = false;
}

static inline uint64_t
rotate_left(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

/* xoshiro256** */
uint64_t
tlv_rng_next(tlv_rng *rng)
{
	uint64_t *s = rng->state;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotate_left(s[3], 45);
	return result;
}

/* Lemire 2019: the high word of a product, the few biased low words rejected. */
uint64_t
tlv_rng_below(tlv_rng *rng, uint64_t bound)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide) tlv_rng_next(rng) * bound;

	if ((uint64_t) product < bound)
	{
		uint64_t threshold = (0 - bound) % bound;

		while ((uint64_t) product < threshold)
			product = (wide) tlv_rng_next(rng) * bound;
	}
	return (uint64_t) (product >> 64);
}

double
tlv_rng_normal(tlv_rng *rng)
{
	double radius, angle;

	if (rng->has_spare)
	{
		rng->has_spare = false;
		return rng->spare;
	}
	/* 1 - uniform is in (0, 1]: its logarithm is finite. */
	radius = sqrt(-2 * log(1 - tlv_rng_uniform(rng)));
	angle = 2 * M_PI * tlv_rng_uniform(rng);
	rng->spare = radius * sin(angle);
	rng->has_spare = true;
	return radius * cos(angle);
}

void
tlv_rng_fill_normal(tlv_rng *rng, size_t n, double *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = tlv_rng_normal(rng);
}

/* Marsaglia-Tsang for shape >= 1. */
static double
gamma_from_one(tlv_rng *rng, double shape)
{
	double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);

	for (;;)
	{
		double x = tlv_rng_normal(rng), v = 1 + c * x, u;

		if (v <= 0)
			continue;
		v = v * v * v;
		u = 1 - tlv_rng_uniform(rng);
		if (u < 1 - 0.0331 * x * x * x * x || log(u) < 0.5 * x * x + d * (1 - v + log(v)))
			return d * v;
	}
}

double
tlv_rng_gamma(tlv_rng *rng, double shape)
{
	double x;

	if (shape >= 1)
		return gamma_from_one(rng, shape);
	x = gamma_from_one(rng, shape + 1);
	return x * pow(1 - tlv_rng_uniform(rng), 1 / shape);
}

/* The logarithm of a gamma variate, finite for any shape of at least 0: differences of two are. */
static double
log_gamma_variate(tlv_rng *rng, double shape)
{
	const double most = DBL_MAX / 4;
	double x;

	if (shape >= 1)
		return log(gamma_from_one(rng, fmin(shape, most)));
	x = log(gamma_from_one(rng, shape + 1));
	return fmax(x + log(1 - tlv_rng_uniform(rng)) / shape, -most);
}

/*
 * By logarithms of gamma variates: with small alpha all n of them may
 * underflow, and their quotients are still wanted.
 */
void
tlv_rng_dirichlet(tlv_rng *rng, size_t n, const double *alpha, double *out)
{
	double largest = -INFINITY, sum = 0;

	for (size_t i = 0; i < n; i++)
	{
		out[i] = log_gamma_variate(rng, alpha[i]);
		largest = fmax(largest, out[i]);
	}
	for (size_t i = 0; i < n; i++)
	{
		out[i] = exp(out[i] - largest);
		sum += out[i];
	}
	for (size_t i = 0; i < n; i++)
		out[i] /= sum;
	tlv_assert(n == 0 || tlv_is_distribution(n, out, 1));
}

/* Transformed rejection with squeeze (PTRS, Hoermann 1993), for mean >= 10. */
static uint64_t
poisson_large(tlv_rng *rng, double mean)
{
	double slope = 0.931 + 2.53 * sqrt(mean), log_mean = log(mean);
	double a = -0.059 + 0.02483 * slope, inverse_alpha = 1.1239 + 1.1328 / (slope - 3.4);
	double v_r = 0.9277 - 3.6224 / (slope - 2);

	for (;;)
	{
		double u = tlv_rng_uniform(rng) - 0.5, v = 1 - tlv_rng_uniform(rng);
		double us = 0.5 - fabs(u), k = floor((2 * a / us + slope) * u + mean + 0.43);
		int sign;

		if (us >= 0.07 && v <= v_r)
			return (uint64_t) k;
		if (k < 0 || (us < 0.013 && v > us))
			continue;
		if (log(v * inverse_alpha / (a / (us * us) + slope)) <=
			k * log_mean - mean - lgamma_r(k + 1, &sign))
			return (uint64_t) k;
	}
}

uint64_t
tlv_rng_poisson(tlv_rng *rng, double mean)
{
	double limit, product = 1;
	uint64_t count = 0;

	if (!(mean > 0))
		return 0;
	if (mean > 1e15) /* the standard deviation is below the spacing that matters */
		return (uint64_t) fmin(mean, 1e18);
	if (mean >= 10)
		return poisson_large(rng, mean);
	limit = exp(-mean);
	for (product = 1 - tlv_rng_uniform(rng); product > limit; count++)
		product *= 1 - tlv_rng_uniform(rng);
	return count;
}

/* ---- draws without replacement ---- */

#define MOST_EXACT_TOTAL 1e11

static double
hypergeometric_one_by_one(tlv_rng *rng, double good, double total, double draws)
{
	double taken = 0;

	for (; good > 0 && draws > 0; good--, total--)
		if (tlv_rng_uniform(rng) * total < draws)
		{
			taken++;
			draws--;
		}
	return taken;
}

static double
log_binomial(double n, double m)
{
	int sign;

	return lgamma_r(n + 1, &sign) - lgamma_r(m + 1, &sign) - lgamma_r(n - m + 1, &sign);
}

/* Inversion from the mode outwards, alternately above and below it. */
static double
hypergeometric_from_mode(tlv_rng *rng, double good, double bad, double draws)
{
	double least = fmax(0, draws - bad), most = fmin(good, draws);
	double mode = fmin(fmax(floor((draws + 1) * (good + 1) / (good + bad + 2)), least), most);
	double p = exp(log_binomial(good, mode) + log_binomial(bad, draws - mode) -
				   log_binomial(good + bad, draws));
	double above = mode, below = mode, p_above = p, p_below = p;
	double left = tlv_rng_uniform(rng) - p;

	while (left > 0 && (above < most || below > least))
	{
		if (above < most)
		{
			p_above *= (good - above) * (draws - above) / ((above + 1) * (bad - draws + above + 1));
			above++;
			if ((left -= p_above) <= 0)
				return above;
		}
		if (below > least)
		{
			p_below *= below * (bad - draws + below) / ((good - below + 1) * (draws - below + 1));
			below--;
			if ((left -= p_below) <= 0)
				return below;
		}
		if (p_above + p_below < TLV_TINY)
			break;
	}
	return mode;
}

double
tlv_rng_hypergeometric(tlv_rng *rng, double good, double bad, double draws)
{
	const double few_good = 4096.0;
	const double one_by_one = 64.0;
	const double most_deviation = 1e4;
	double total = good + bad, mean, deviation;

	if (draws > total / 2)
		return good - tlv_rng_hypergeometric(rng, good, bad, total - draws);
	if (good > bad)
		return draws - tlv_rng_hypergeometric(rng, bad, good, draws);
	if (good <= 0 || draws <= 0)
		return 0;
	if (good <= (total > MOST_EXACT_TOTAL ? few_good : one_by_one))
		return hypergeometric_one_by_one(rng, good, total, draws);
	mean = draws / total * good;
	deviation = sqrt(mean * (bad / total) * ((total - draws) / (total - 1)));
	if (total <= MOST_EXACT_TOTAL && deviation <= most_deviation)
		return hypergeometric_from_mode(rng, good, bad, draws);
	if (deviation < 10)
		return fmin(fmin(good, draws), (double) tlv_rng_poisson(rng, mean));
	return fmin(fmin(good, draws), fmax(0, rint(mean + deviation * tlv_rng_normal(rng))));
}

tlv_status
tlv_rng_permutation(tlv_context *ctx, tlv_rng *rng, size_t n, int64_t *out)
{
	for (size_t i = 0; i < n; i++)
	{
		size_t j = (size_t) tlv_rng_below(rng, i + 1);

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (j != i)
			out[i] = out[j];
		out[j] = (int64_t) i;
	}
	return TLV_OK;
}
