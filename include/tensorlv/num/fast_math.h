/*
 * fast_math.h - functions where a block of rows takes one for every component: a loop over the
 * exponential here is vectorised, over the library's it is not; and GSL's digamma costs as much as
 * the rest of such a step.
 */
#ifndef TENSORLV_FAST_MATH_H
#define TENSORLV_FAST_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/*
 * exp(x) for x <= 0, to 2e-16 relative: x = n ln 2 + r, a polynomial in r, and n into the
 * exponent.  Below -700: exp(-700), which is nothing beside the 1 of the largest.
 */
static inline double
tlv_exp_nonpositive(double x)
{
	const double magic = 0x1.8p52; /* adding it leaves n in the low bits */
	double bounded = x > -700.0 ? x : -700.0;
	double shifted = bounded * 0x1.71547652b82fep0 + magic;
	double n = shifted - magic;
	double r = (bounded - n * 0x1.62e42fefa3800p-1) - n * 0x1.ef35793c76730p-45;
	double p = 1.0 / 6227020800.0;
	double scale;
	int64_t bits;

	p = p * r + 1.0 / 479001600.0;
	p = p * r + 1.0 / 39916800.0;
	p = p * r + 1.0 / 3628800.0;
	p = p * r + 1.0 / 362880.0;
	p = p * r + 1.0 / 40320.0;
	p = p * r + 1.0 / 5040.0;
	p = p * r + 1.0 / 720.0;
	p = p * r + 1.0 / 120.0;
	p = p * r + 1.0 / 24.0;
	p = p * r + 1.0 / 6.0;
	p = p * r + 0.5;
	p = p * r + 1.0;
	p = p * r + 1.0;
	memcpy(&bits, &shifted, sizeof(bits));
	bits = (int64_t) ((uint64_t) (bits + 1023) << 52);
	memcpy(&scale, &bits, sizeof(scale));
	return p * scale;
}

/*
 * Digamma of x > 0, to 1e-12: the recurrence up to 10, then the asymptotic
 * series (Abramowitz, Stegun 6.3.18).
 */
static inline double
tlv_fast_digamma(double x)
{
	double shift = 0;
	double f;

	while (x < 10)
		shift += 1 / x++;
	f = 1 / (x * x);
	return log(x) - shift - 0.5 / x -
		   f * (1.0 / 12 - f * (1.0 / 120 - f * (1.0 / 252 - f * (1.0 / 240))));
}

/*
 * Logarithm of the gamma function of x > 0, to 1e-12: the recurrence up to 8, then Stirling's
 * series (Abramowitz, Stegun 6.1.41).
 */
static inline double
tlv_fast_lgamma(double x)
{
	double product = 1;
	double f;

	while (x < 8)
		product *= x++;
	f = 1 / (x * x);
	f = (1.0 / 12 - f * (1.0 / 360 - f * (1.0 / 1260 - f * (1.0 / 1680 - f / 1188)))) / x;
	return (x - 0.5) * log(x) - x + 0.91893853320467274178 + f - log(product);
}

#endif /* TENSORLV_FAST_MATH_H */
