/*
 * number_forms.c - distributions of a number in a component (internal.h): normal, Poisson,
 * log-normal, gamma.  The last two are of what is positive and skewed, as prices and durations are,
 * whose tails normal distributions would divide into components.
 */
#include <math.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/special.h"

/* Least variance of integers: that of their rounding. */
static const double rounding_variance = 1.0 / 12;

/* ---- normal: what is beyond the centre, and its square ---- */

static double
normal_statistics(const number_scale *scale, double x, double *t)
{
	t[0] = x - scale->centre;
	t[1] = t[0] * t[0];
	return 0;
}

/* Of a normal distribution around `beyond`, in these statistics. */
static void
set_square(double beyond, double variance, double *c)
{
	c[0] = -beyond * beyond / (2 * variance) - log(TLV_TWO_PI * variance) / 2;
	c[1] = beyond / variance;
	c[2] = -1 / (2 * variance);
}

static void
normal_coefficients(const number_scale *scale, double mean, double variance, double *c)
{
	set_square(mean - scale->centre, variance, c);
}

static void
normal_expected(const number_scale *scale, double mean, double variance, double *t)
{
	t[0] = mean - scale->centre;
	t[1] = t[0] * t[0] + variance;
}

/* The mean beyond the centre, and the variance, in place of the one before; all: the variance of
 * all rows. */
static double
maximize_square(const number_step *step, double all, double n, const double *t, double *variance)
{
	double own = n + step->count, mean = t[0] / own;
	double square = (t[1] + step->count * all) / own - mean * mean;

	*variance = (own * fmax(square, 0) + step->narrow * all + step->kept * *variance) /
				(own + step->narrow + step->kept);
	*variance = fmax(*variance, LEAST_PART * all);
	return mean;
}

static void
normal_maximize(const number_step *step, const number_scale *scale, double n, const double *t,
				double *mean, double *variance)
{
	double all = scale->deviation * scale->deviation;

	*mean = scale->centre + maximize_square(step, all, n, t, variance);
	if (step->whole)
		*variance = fmax(*variance, rounding_variance);
}

static void
normal_score(double x, double mean, double variance, double *score)
{
	double beyond = x - mean;

	score[0] = beyond / variance;
	score[1] = (beyond * beyond / variance - 1) / (2 * variance);
}

/* ---- Poisson: in the statistics of a normal number ---- */

static double
poisson_statistics(const number_scale *scale, double x, double *t)
{
	(void) normal_statistics(scale, x, t);
	return -tlv_lgamma(x + 1);
}

static void
poisson_coefficients(const number_scale *scale, double mean, double variance, double *c)
{
	(void) variance;
	c[0] = scale->centre * log(mean) - mean;
	c[1] = log(mean);
	c[2] = 0;
}

static void
poisson_maximize(const number_step *step, const number_scale *scale, double n, const double *t,
				 double *mean, double *variance)
{
	*mean = *variance = fmax(scale->centre + t[0] / (n + step->count), SHARE_FLOOR);
}

static void
poisson_score(double x, double mean, double variance, double *score)
{
	(void) variance;
	score[0] = (x - mean) / mean;
	score[1] = 0;
}

/* ---- log-normal: what the logarithm is beyond its centre, and the square of that ---- */

static double
lognormal_statistics(const number_scale *scale, double x, double *t)
{
	double logarithm = log(x);

	t[0] = logarithm - scale->log_centre;
	t[1] = t[0] * t[0];
	return -logarithm;
}

/* The variance of the logarithm, and its mean beyond the centre. */
static double
of_logarithm(const number_scale *scale, double mean, double variance, double *beyond)
{
	double own = log1p(variance / mean / mean);

	*beyond = log(mean) - own / 2 - scale->log_centre;
	return own;
}

static void
lognormal_coefficients(const number_scale *scale, double mean, double variance, double *c)
{
	double beyond, own = of_logarithm(scale, mean, variance, &beyond);

	set_square(beyond, own, c);
}

static void
lognormal_expected(const number_scale *scale, double mean, double variance, double *t)
{
	double own = of_logarithm(scale, mean, variance, &t[0]);

	t[1] = t[0] * t[0] + own;
}

static void
lognormal_maximize(const number_step *step, const number_scale *scale, double n, const double *t,
				   double *mean, double *variance)
{
	const double most = TLV_MEMBERSHIP_LARGEST;
	double all = scale->log_deviation * scale->log_deviation, beyond;
	double own = of_logarithm(scale, *mean, *variance, &beyond);

	beyond = maximize_square(step, all, n, t, &own);
	*mean = fmin(exp(scale->log_centre + beyond + own / 2), most);
	*variance = fmin(expm1(own) * *mean * *mean, most * most);
	if (step->whole)
		*variance = fmax(*variance, rounding_variance);
}

/* Of the mean u = log m - w / 2 and the variance w = log(1 + v / m^2) of the logarithm, by m and v.
 */
static void
lognormal_score(double x, double mean, double variance, double *score)
{
	double w = log1p(variance / mean / mean), own[2];
	double w_of_variance = 1 / (mean * mean + variance);
	double w_of_mean = -2 * variance / mean * w_of_variance;

	normal_score(log(x), log(mean) - w / 2, w, own);
	score[0] = own[0] * (1 / mean - w_of_mean / 2) + own[1] * w_of_mean;
	score[1] = (own[1] - own[0] / 2) * w_of_variance;
}

/* ---- gamma: what the logarithm is beyond its centre, and the number itself ---- */

static double
gamma_statistics(const number_scale *scale, double x, double *t)
{
	double logarithm = log(x);

	t[0] = logarithm - scale->log_centre;
	t[1] = x;
	return -logarithm;
}

static void
gamma_coefficients(const number_scale *scale, double mean, double variance, double *c)
{
	double shape = mean * mean / variance;

	c[0] = shape * (log(shape / mean) + scale->log_centre) - tlv_lgamma(shape);
	c[1] = shape;
	c[2] = -shape / mean;
}

static void
gamma_expected(const number_scale *scale, double mean, double variance, double *t)
{
	double shape = mean * mean / variance;

	t[0] = tlv_digamma(shape) - log(shape / mean) - scale->log_centre;
	t[1] = mean;
}

/*
 * The shape a at which log a - digamma(a) is that gap, > 0: a first guess, good to 1.5 % and exact
 * where the gap is small, and two steps of Newton in 1 / a (Minka 2002, Estimating a gamma
 * distribution), with the derivative of digamma by a difference.
 */
static double
shape_of(double gap)
{
	const double apart = 1e-4, small = 1e-4;
	double shape = (3 - gap + sqrt((gap - 3) * (gap - 3) + 24 * gap)) / (12 * gap);

	for (int step = 0; step < 2 && gap > small; step++)
	{
		double slope = (tlv_digamma(shape * (1 + apart)) - tlv_digamma(shape * (1 - apart))) /
					   (2 * apart * shape);
		double beyond = log(shape) - tlv_digamma(shape) - gap;

		shape = 1 / (1 / shape + beyond / (shape * shape * (1 / shape - slope)));
	}
	return shape;
}

static void
gamma_maximize(const number_step *step, const number_scale *scale, double n, const double *t,
			   double *mean, double *variance)
{
	double all = scale->log_deviation * scale->log_deviation / 2, own = n + step->count, gap;
	double before = *mean * *mean / *variance;

	*mean = (t[1] + step->count * scale->centre) / own;
	gap = log(*mean) - scale->log_centre - t[0] / own;
	gap = (own * fmax(gap, 0) + step->narrow * all +
		   step->kept * (log(before) - tlv_digamma(before))) /
		  (own + step->narrow + step->kept);
	*variance = *mean * *mean / shape_of(fmax(gap, LEAST_PART * all));
	if (step->whole)
		*variance = fmax(*variance, rounding_variance);
}

/* By way of the shape a = m^2 / v. */
static void
gamma_score(double x, double mean, double variance, double *score)
{
	double shape = mean * mean / variance;
	double of_shape = log(shape / mean) + 1 + log(x) - x / mean - tlv_digamma(shape);

	score[0] = (x / mean - 1) * shape / mean + of_shape * 2 * shape / mean;
	score[1] = -of_shape * shape / variance;
}

/* ---- all ---- */

const number_form *
membership_number_form(int64_t form)
{
	/* Two forms of as many parameters are told apart by one parameter more, for which the Bayesian
	 * information criterion charges half the logarithm of the rows. */
	static const number_form forms[TLV_NUMBER_FORMS] = {
		{0, normal_statistics, normal_coefficients, normal_expected, normal_maximize, normal_score},
		{0, poisson_statistics, poisson_coefficients, normal_expected, poisson_maximize,
		 poisson_score},
		{.5, lognormal_statistics, lognormal_coefficients, lognormal_expected, lognormal_maximize,
		 lognormal_score},
		{.5, gamma_statistics, gamma_coefficients, gamma_expected, gamma_maximize, gamma_score},
	};

	return &forms[form];
}
