/*
 * digamma.h - the digamma function where it is needed for every component of every
 * row: GSL's costs as much as the rest of such a step.
 */
#ifndef TENSORLV_DIGAMMA_H
#define TENSORLV_DIGAMMA_H

#include <math.h>

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

#endif /* TENSORLV_DIGAMMA_H */
