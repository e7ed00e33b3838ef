/*
 * rng.h - reproducible random numbers.  The stream depends on the seed only:
 * splitmix64 (Steele, Lea, Flood 2014) expands the seed, xoshiro256** (Blackman,
 * Vigna 2018) runs.  Gamma, Dirichlet, Poisson and multinomial variates are
 * made from it by the library's own small generators so that they do not
 * depend on a GSL version.
 */
#ifndef TENSORLV_RNG_H
#define TENSORLV_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorlv/num/context.h"

typedef struct tlv_rng
{
	uint64_t state[4];
	double spare; /* second Box-Muller variate */
	bool has_spare;
} tlv_rng;

/* splitmix64's finaliser: a good 64-bit mix of one word. */
static inline uint64_t
tlv_mix64(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

extern void tlv_rng_seed(tlv_rng *rng, uint64_t seed);

/*
 * Stream i, from 1, of a seed: rows that are simulated each from a stream of their own do not
 * depend on how many follow.
 */
static inline void
tlv_rng_stream(tlv_rng *rng, uint64_t seed, uint64_t i)
{
	tlv_rng_seed(rng, tlv_mix64(seed) + i);
}

extern uint64_t tlv_rng_next(tlv_rng *rng);

/* Uniform in [0, 1) with 53 bits. */
static inline double
tlv_rng_uniform(tlv_rng *rng)
{
	return (double) (tlv_rng_next(rng) >> 11) * 0x1.0p-53;
}

/* Uniform integer in 0 .. bound-1, without bias; bound > 0. */
extern uint64_t tlv_rng_below(tlv_rng *rng, uint64_t bound);

/* Standard normal (Box-Muller). */
extern double tlv_rng_normal(tlv_rng *rng);
extern void tlv_rng_fill_normal(tlv_rng *rng, size_t n, double *out);

/* Gamma(shape, 1), shape > 0 (Marsaglia-Tsang 2000, with the boost for shape < 1). */
extern double tlv_rng_gamma(tlv_rng *rng, double shape);

/* Dirichlet(alpha[0..n-1]), alpha at least 0, into out, summing to 1. */
extern void tlv_rng_dirichlet(tlv_rng *rng, size_t n, const double *alpha, double *out);

/* Poisson(mean), mean >= 0. */
extern uint64_t tlv_rng_poisson(tlv_rng *rng, double mean);

/*
 * How many of `draws` without replacement out of good + bad are good; all whole numbers >= 0 up to
 * 2^53, draws <= good + bad.  Exact below 1e11, where the law is not too wide for that (a standard
 * deviation of 10,000); by its normal or its Poisson limit beyond.
 */
extern double tlv_rng_hypergeometric(tlv_rng *rng, double good, double bad, double draws);

/* Random permutation of 0 .. n-1 (Fisher-Yates).  Errors: TLV_CANCELLED. */
extern tlv_status tlv_rng_permutation(tlv_context *ctx, tlv_rng *rng, size_t n, int64_t *out);

#endif /* TENSORLV_RNG_H */
