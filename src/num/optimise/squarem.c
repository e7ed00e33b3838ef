/*
 * squarem.c - extrapolation of fixed-point steps (squarem.h).
 */
#include "tensorlv/num/squarem.h"

#include <math.h>

/* Most that a logarithm changes beyond the third point: a probability that is sent to 0 would never
 * come back. */
#define SQUAREM_MOST_LOGARITHM 3.0

double
tlv_squarem_number(tlv_squarem *s, double weight, double a, double b, double c)
{
	double r = b - a, v = c - 2 * b + a;

	if (s->step == 0)
	{
		s->change += weight * r * r;
		s->curvature += weight * v * v;
		return c;
	}
	return a + 2 * s->step * r + s->step * s->step * v;
}

double
tlv_squarem_positive(tlv_squarem *s, double weight, double a, double b, double c)
{
	double beyond;

	if (!(a > 0 && b > 0 && c > 0))
		return c;
	beyond = tlv_squarem_number(s, weight, log(a), log(b), log(c)) - log(c);
	return c * exp(fmin(fmax(beyond, -SQUAREM_MOST_LOGARITHM), SQUAREM_MOST_LOGARITHM));
}

double
tlv_squarem_begin_step(tlv_squarem *s, double longest)
{
	double step = s->curvature > 0 ? sqrt(s->change / s->curvature) : 1;

	return s->step = fmin(fmax(step, 1), longest);
}
