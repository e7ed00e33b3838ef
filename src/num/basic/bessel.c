/*
 * bessel.c - modified Bessel functions of any order, in logarithms (special.h).
 *
 * From an order of UNIFORM on, the uniform expansion (Abramowitz, Stegun 9.7.7) is exact to 1e-10;
 * lower orders follow from it by the recurrence I_v-1 - I_v+1 = 2 v / x I_v, which is stable
 * downwards.  All are divided by x^v, so that nothing is lost near 0.
 */
#include "tensorlv/num/special.h"

#include <math.h>

#include "tensorlv/num/assert.h"

#define UNIFORM 60.0

/* Sum of u_k(t) / order^k, k = 0 .. 4, less 1. */
static double
expansion_terms(double order, double root)
{
	double t = order / root, s = t * t, e = 1 / root; /* t / order */
	double u1 = (3 - 5 * s) / 24;
	double u2 = (81 + s * (-462 + 385 * s)) / 1152;
	double u3 = (30375 + s * (-369603 + s * (765765 - 425425 * s))) / 414720;
	double u4 =
		(4465125 + s * (-94121676 + s * (349922430 + s * (-446185740 + 185910725 * s)))) / 39813120;

	return e * (u1 + e * (u2 + e * (u3 + e * u4)));
}

/* log(I_order(x) / x^order) of a large order. */
static double
uniform_log(double order, double x)
{
	const double log_root_2_pi = 0.91893853320467274178;
	double root = hypot(order, x);

	return root - order * log(order + root) - log_root_2_pi - 0.5 * log(root) +
		   log1p(expansion_terms(order, root));
}

/* I_order+1(x) / (x I_order(x)) of a large order: differences taken before they cancel. */
static double
uniform_ratio(double order, double x)
{
	double low = hypot(order, x), high = hypot(order + 1, x);
	double more = (2 * order + 1) / (low + high);

	return exp(more - log(order + 1 + high) - order * log1p((1 + more) / (order + low)) -
			   0.25 * log1p((2 * order + 1) / (low * low)) +
			   log1p(expansion_terms(order + 1, high)) - log1p(expansion_terms(order, low)));
}

/* Down from a large order to this one: that ratio, and on the way the sum of logarithms. */
static double
descend(double order, double x, double *sum)
{
	int above = order < UNIFORM ? (int) ceil(UNIFORM - order) : 0;
	double ratio = uniform_ratio(order + above, x);

	*sum = uniform_log(order + above, x);
	for (; above > 0; above--)
	{
		/* I_high-1 / x^(high-1) from I_high / x^high, high = order + above */
		ratio = 1 / (2 * (order + above) + x * x * ratio);
		*sum -= log(ratio);
	}
	return ratio;
}

double
tlv_log_bessel(double order, double x)
{
	double sum;

	tlv_assert(order >= 0 && x >= 0);
	(void) descend(order, x, &sum);
	return sum;
}

double
tlv_bessel_ratio(double order, double x)
{
	double sum;

	tlv_assert(order >= 0 && x >= 0);
	return x * descend(order, x, &sum);
}
