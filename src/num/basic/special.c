/*
 * special.c - special functions of GSL that never raise (special.h).  GSL's
 * functions call the process-wide error handler even in their _e forms, so
 * that arguments outside the domain are sorted out before they get there.
 */
#include "tensorlv/num/special.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_psi.h>
#include <math.h>
#include <stdbool.h>

/* Finite, and not one of the poles 0, -1, -2, ... of the gamma function. */
static bool
off_poles(double x)
{
	return isfinite(x) && (x > 0 || x != floor(x));
}

static double
checked(int status, const gsl_sf_result *result)
{
	return status == GSL_SUCCESS ? result->val : NAN;
}

double
tlv_digamma(double x)
{
	gsl_sf_result result;

	if (x == HUGE_VAL)
		return x;
	return off_poles(x) ? checked(gsl_sf_psi_e(x, &result), &result) : NAN;
}

double
tlv_lgamma(double x)
{
	gsl_sf_result result;

	if (x > 1e305)
		return HUGE_VAL;
	return off_poles(x) ? checked(gsl_sf_lngamma_e(x, &result), &result) : NAN;
}

double
tlv_log_choose(double n, double k)
{
	return tlv_lgamma(n + 1) - tlv_lgamma(k + 1) - tlv_lgamma(n - k + 1);
}

double
tlv_normal_cdf(double x)
{
	const double tlv_sqrt_half = 0.70710678118654752440;

	return 0.5 * erfc(-x * tlv_sqrt_half);
}

double
tlv_normal_quantile(double p)
{
	return p > 0 && p < 1 ? gsl_cdf_ugaussian_Pinv(p) : NAN;
}

double
tlv_chisq_survival(double x, double degrees)
{
	gsl_sf_result result;

	if (isnan(x) || !(degrees > 0) || !isfinite(degrees))
		return NAN;
	if (x <= 0)
		return 1;
	/* So far out that the tail, below exp(-700), underflows (Laurent, Massart 2000, lemma 1). */
	if (x > degrees + 2 * sqrt(700 * degrees) + 1400)
		return 0;
	return checked(gsl_sf_gamma_inc_Q_e(0.5 * degrees, 0.5 * x, &result), &result);
}

double
tlv_f_survival(double x, double above, double below)
{
	gsl_sf_result result;
	double ratio;

	if (isnan(x) || !(above > 0) || !(below > 0) || !isfinite(above) || !isfinite(below))
		return NAN;
	if (x <= 0)
		return 1;
	ratio = below / (below + above * x);
	/* The tail is below ratio^(below / 2) (1 + above): where that underflows, it is 0. */
	if (!(ratio > 0) || below / 2 * log(ratio) < -700)
		return 0;
	return checked(gsl_sf_beta_inc_e(0.5 * below, 0.5 * above, ratio, &result), &result);
}

/* Half an incomplete beta integral, which keeps its digits far out in the tail. */
double
tlv_student_survival(double x, double degrees)
{
	gsl_sf_result result;
	double ratio, tail = 0;

	if (isnan(x) || !(degrees > 0) || !isfinite(degrees))
		return NAN;
	if (isinf(x))
		return x > 0 ? 0 : 1;
	ratio = degrees / (degrees + x * x);
	/* The tail is below ratio^(degrees / 2): where that underflows, it is 0. */
	if (ratio > 0 && degrees / 2 * log(ratio) > -700)
		tail = checked(gsl_sf_beta_inc_e(0.5 * degrees, 0.5, ratio, &result), &result) / 2;
	return x >= 0 ? tail : 1 - tail;
}

double
tlv_common_divisor(double a, double b, double rounding)
{
	while (b > rounding)
	{
		/* What is a whole b but for rounding has nothing left. */
		double rest = fmod(a, b);

		rest = b - rest <= rounding ? 0 : rest;
		a = b;
		b = rest;
	}
	return a;
}
