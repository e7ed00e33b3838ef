/*
 * directions_given.c - rows with gaps under a mixture of directions: what the direction of the
 * numbers that are there says (mixture.h).
 *
 * How long the missing part is, nobody knows, since only the direction of a row counts.  Let u be
 * the direction of the m numbers that are there, sin t their share of the length of the whole row,
 * and n the dimensions of what is missing.  A component with mean (a, b) and concentration kappa
 * has the density
 *
 *     C_d(kappa) int sin^(m-1) t cos^(n-1) t exp(kappa a'u sin t) B_n(kappa |b| cos t) dt
 *
 * over t from 0 to pi/2, where B_n(s) is the integral of exp(s y_1) over the unit sphere of n
 * dimensions, and C_d(kappa) = 1 / B_d(kappa).
 */
#include <math.h>

#include "worker.h"
#include "tensorlv/num/special.h"

/* Panels of four points of the integral, over where its logarithm is within so much of its largest.
 */
#define PANELS 24
#define POINTS (4 * PANELS)
#define DEPTH  40.0

/* log B_n(s) */
static double
log_sphere(size_t n, double s)
{
	if (n == 1) /* two points */
		return s + log1p(exp(-2 * s));
	return (double) n / 2 * log(2 * M_PI) + tlv_log_bessel((double) n / 2 - 1, s);
}

/* A component, as far as it concerns a row with gaps. */
typedef struct given_direction
{
	size_t m, n;   /* dimensions that are there, that are missing */
	double along;  /* kappa a'u */
	double across; /* kappa |b| */
} given_direction;

static double
log_integrand(const given_direction *given, double t)
{
	double sine = sin(t), cosine = cos(t);

	return ((double) given->m - 1) * log(sine) + ((double) given->n - 1) * log(cosine) +
		   given->along * sine + log_sphere(given->n, given->across * cosine);
}

/* Gauss and Legendre's points within a panel from 0 to 1, and their weights. */
static const double gauss_points[4] = {0.06943184420297371, 0.33000947820757187,
									   0.66999052179242813, 0.93056815579702629};
static const double gauss_weights[4] = {0.17392742256872693, 0.32607257743127307,
										0.32607257743127307, 0.17392742256872693};

/* The logarithms at the points of an interval; the largest. */
static double
look_between(const given_direction *given, double low, double high, double *values)
{
	double panel = (high - low) / PANELS, largest = -HUGE_VAL;

	for (int i = 0; i < POINTS; i++)
	{
		int before = i / 4;

		values[i] = log_integrand(given, low + (before + gauss_points[i % 4]) * panel);
		largest = fmax(largest, values[i]);
	}
	return largest;
}

/* The logarithm of the integral: the interval is narrowed to where there is something. */
static double
log_integral(const given_direction *given)
{
	/* Looks for where that is, each over a part of the one before. */
	const int most_looks = 20;
	double low = 0, high = M_PI / 2, values[POINTS], panel, largest, sum = 0;

	for (int look = 0;; look++)
	{
		int first = 0, last = POINTS - 1;

		panel = (high - low) / PANELS;
		largest = look_between(given, low, high, values);
		while (values[first] < largest - DEPTH)
			first++;
		while (values[last] < largest - DEPTH)
			last--;
		if (last - first >= POINTS / 2 || look == most_looks)
			break;
		last = last / 4 + 2; /* panels, with one beside them */
		first = first / 4 - 1;
		high = fmin(low + last * panel, M_PI / 2);
		low = fmax(low + first * panel, 0);
	}
	for (int i = 0; i < POINTS; i++)
		sum += gauss_weights[i % 4] * exp(values[i] - largest);
	return largest + log(sum * panel);
}

/* ln w_j p_j(u) of a component. */
static double
log_joint(const tlv_mixture *mixture, size_t j, const bool *missing, const double *u, size_t m)
{
	const double *mean = mixture->means + j * mixture->d;
	double kappa = mixture->variances[j], along = 0, across = 0;
	given_direction given = {.m = m, .n = mixture->d - m};
	size_t at = 0;

	for (size_t i = 0; i < mixture->d; i++)
		if (missing[i])
			across += mean[i] * mean[i];
		else
			along += mean[i] * u[at++];
	given.along = kappa * along;
	given.across = kappa * sqrt(across);
	return log(mixture->weights[j]) + log_integral(&given) - log_sphere(mixture->d, kappa);
}

tlv_status
mixture_directions_given(tlv_context *ctx, const tlv_mixture *mixture, const double *x,
						 const bool *missing, double *shares, double *log_likelihood)
{
	size_t m = 0;
	double largest = -HUGE_VAL, sum = 0, length, *u;

	TLV_TRY_NEW(ctx, u, mixture->d);
	for (size_t i = 0; i < mixture->d; i++)
		if (!missing[i])
			u[m++] = x[i];
	TLV_TRY(tlv_directions_row(ctx, m, u, u, &length));
	if (m > 0 && length == 0)
		return tlv_directions_refuse_zeros(ctx);
	for (size_t j = 0; j < mixture->k; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		shares[j] = m == 0 ? log(mixture->weights[j]) : log_joint(mixture, j, missing, u, m);
		largest = fmax(largest, shares[j]);
	}
	for (size_t j = 0; j < mixture->k; j++)
		sum += shares[j] = exp(shares[j] - largest);
	for (size_t j = 0; j < mixture->k; j++)
		shares[j] /= sum;
	*log_likelihood = largest + log(sum);
	tlv_free(ctx, u);
	return TLV_OK;
}
