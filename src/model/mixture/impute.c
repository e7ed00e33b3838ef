/*
 * impute.c - rows with missing numbers under a mixture (mixture.h): the posterior of the components
 * given the numbers that are there, and what the missing ones are expected to be, of every
 * component their mean given the others, weighted with it.
 */
#include "worker.h"

#include "tensorlv/model/refusals.h"

#include <math.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"

/* The numbers that are there, and work space. */
typedef struct mixture_given
{
	size_t n, missing;
	size_t *seen;	  /* n: their places */
	size_t *absent;	  /* missing */
	double *factor;	  /* n x n, row by row: L of their covariance L L' */
	double *rest;	  /* n: L^-1 (x - mean), then L'^-1 of that */
	double *expected; /* missing x k */
	double *density;  /* k: logarithms, the weight's included */
} mixture_given;

static tlv_status
mixture_find_given(tlv_context *ctx, const tlv_mixture *mixture, const double *x,
				   const bool *missing, mixture_given *given)
{
	size_t d = mixture->d;

	TLV_TRY_NEW(ctx, given->seen, 2 * d);
	given->absent = given->seen + d;
	for (size_t i = 0; i < d; i++)
		if (missing[i])
			given->absent[given->missing++] = i;
		else if (!(fabs(x[i]) <= TLV_MIXTURE_LARGEST))
			return tlv_refuse_number(ctx, i, x[i], TLV_MIXTURE_LARGEST);
		else
			given->seen[given->n++] = i;
	if (tlv_is_matrix(mixture->covariance))
		TLV_TRY_NEW_ROWS(ctx, given->factor, given->n, given->n);
	TLV_TRY_NEW(ctx, given->rest, given->n);
	TLV_TRY_NEW_ROWS(ctx, given->expected, given->missing, mixture->k);
	TLV_TRY_NEW(ctx, given->density, mixture->k);
	return TLV_OK;
}

static void
free_given(tlv_context *ctx, mixture_given *given)
{
	tlv_free(ctx, given->density);
	tlv_free(ctx, given->expected);
	tlv_free(ctx, given->rest);
	tlv_free(ctx, given->factor);
	tlv_free(ctx, given->seen);
}

/* Covariance, or scale, of two coordinates of a component with a matrix of its own. */
static double
full_entry(const tlv_mixture *mixture, size_t j, size_t a, size_t b)
{
	const double *packed = mixture->variances + j * tlv_packed2_size(mixture->d);

	return packed[a >= b ? tlv_packed2_index(a, b) : tlv_packed2_index(b, a)];
}

static double
mixture_variance_of(const tlv_mixture *mixture, size_t j, size_t i)
{
	if (mixture->covariance == TLV_COVARIANCE_DIAGONAL)
		return mixture->variances[j * mixture->d + i];
	return mixture->variances[j];
}

/* The factor of the covariance of what is there; *log_root: the logarithm of its determinant's
 * root. */
static tlv_status
factor_given(tlv_context *ctx, const tlv_mixture *mixture, size_t j, mixture_given *given,
			 double *log_root)
{
	size_t n = given->n;

	*log_root = 0;
	for (size_t a = 0; a < n; a++)
	{
		double *row = given->factor + a * n;

		TLV_TRY_CONTINUE(ctx);
		for (size_t b = 0; b <= a; b++)
		{
			const double *other = given->factor + b * n;
			double sum = full_entry(mixture, j, given->seen[a], given->seen[b]);

			for (size_t i = 0; i < b; i++)
				sum -= row[i] * other[i];
			row[b] = a == b ? sqrt(sum) : sum / other[b];
		}
		if (!(row[a] > 0))
			return tlv_fail(ctx, TLV_BAD_DATA,
							"the covariance of component %zu is singular in the numbers given",
							j + 1);
		*log_root += log(row[a]);
	}
	return TLV_OK;
}

/* The squared distance of what is there from the mean, and its weights on what is not. */
static tlv_status
full_distance(tlv_context *ctx, const tlv_mixture *mixture, size_t j, const double *x,
			  mixture_given *given, double *log_root, double *distance)
{
	const double *mean = mixture->means + j * mixture->d;
	size_t n = given->n;

	TLV_TRY(factor_given(ctx, mixture, j, given, log_root));
	*distance = 0;
	for (size_t a = 0; a < n; a++)
	{
		double sum = x[given->seen[a]] - mean[given->seen[a]];

		for (size_t b = 0; b < a; b++)
			sum -= given->factor[a * n + b] * given->rest[b];
		given->rest[a] = sum / given->factor[a * n + a];
		*distance += given->rest[a] * given->rest[a];
	}
	for (size_t a = n; a-- > 0;)
	{
		for (size_t b = a + 1; b < n; b++)
			given->rest[a] -= given->factor[b * n + a] * given->rest[b];
		given->rest[a] /= given->factor[a * n + a];
	}
	return TLV_OK;
}

static void
plain_distance(const tlv_mixture *mixture, size_t j, const double *x, const mixture_given *given,
			   double *log_root, double *distance)
{
	const double *mean = mixture->means + j * mixture->d;

	*log_root = *distance = 0;
	for (size_t a = 0; a < given->n; a++)
	{
		size_t i = given->seen[a];
		double variance = mixture_variance_of(mixture, j, i);

		*distance += (x[i] - mean[i]) * (x[i] - mean[i]) / variance;
		*log_root += log(variance) / 2;
	}
}

/* Logarithm of the density of n numbers at that distance, up to what all components share. */
static double
log_density(const tlv_mixture *mixture, size_t j, size_t n, double log_root, double distance)
{
	double half = (double) n / 2, nu;

	if (mixture->degrees == NULL)
		return -log_root - distance / 2;
	nu = mixture->degrees[j];
	return lgamma(nu / 2 + half) - lgamma(nu / 2) - half * log(nu / 2) - log_root -
		   (nu / 2 + half) * log1p(distance / nu);
}

static tlv_status
expect_missing(tlv_context *ctx, const tlv_mixture *mixture, size_t j, const double *x,
			   mixture_given *given)
{
	bool full = tlv_is_matrix(mixture->covariance);
	double log_root, distance;

	if (full)
		TLV_TRY(full_distance(ctx, mixture, j, x, given, &log_root, &distance));
	else
		plain_distance(mixture, j, x, given, &log_root, &distance);
	given->density[j] =
		log(mixture->weights[j]) + log_density(mixture, j, given->n, log_root, distance);
	for (size_t m = 0; m < given->missing; m++)
	{
		size_t i = given->absent[m];
		double sum = mixture->means[j * mixture->d + i];

		for (size_t a = 0; full && a < given->n; a++)
			sum += full_entry(mixture, j, i, given->seen[a]) * given->rest[a];
		given->expected[j * given->missing + m] = sum;
	}
	return TLV_OK;
}

/* Shares of the components, in the place of the logarithms of their densities; *log_sum: that of
 * what all of them add up to. */
static tlv_status
shares_of_densities(tlv_context *ctx, size_t k, double *density, double *log_sum)
{
	double largest = -INFINITY, sum = 0;

	for (size_t j = 0; j < k; j++)
		largest = fmax(largest, density[j]);
	if (!(largest > -TLV_MIXTURE_LARGEST))
		return tlv_refuse_far_row(ctx);
	for (size_t j = 0; j < k; j++)
		sum += density[j] = exp(density[j] - largest);
	for (size_t j = 0; j < k; j++)
		density[j] /= sum;
	*log_sum = largest + log(sum);
	return TLV_OK;
}

/* ---- directions ---- */

/* Panels of four points of the integral, over where its logarithm is within DEPTH of its largest.
 */
#define PANELS 24
#define POINTS (4 * PANELS)
#define DEPTH  40.0

/*
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

static tlv_status
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

tlv_status
tlv_mixture_infer_given(tlv_context *ctx, const tlv_mixture *mixture, const double *x,
						const bool *missing, double *shares, double *log_likelihood)
{
	mixture_given given = {.n = 0};

	if (mixture->covariance == TLV_COVARIANCE_DIRECTION)
		return mixture_directions_given(ctx, mixture, x, missing, shares, log_likelihood);
	TLV_TRY(mixture_find_given(ctx, mixture, x, missing, &given));
	for (size_t j = 0; j < mixture->k; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(expect_missing(ctx, mixture, j, x, &given));
	}
	TLV_TRY(shares_of_densities(ctx, mixture->k, given.density, log_likelihood));
	*log_likelihood = given.n == 0 ? 0 : *log_likelihood - (double) given.n / 2 * log(2 * M_PI);
	for (size_t j = 0; j < mixture->k; j++)
		shares[j] = given.n == 0 ? mixture->weights[j] : given.density[j];
	free_given(ctx, &given);
	return TLV_OK;
}

tlv_status
tlv_mixture_impute(tlv_context *ctx, const tlv_mixture *mixture, const double *shares,
				   const double *x, const bool *missing, double *filled)
{
	size_t k = mixture->k;
	mixture_given given = {.n = 0};
	double log_sum;

	TLV_TRY(mixture_find_given(ctx, mixture, x, missing, &given));
	for (size_t i = 0; i < mixture->d; i++)
		filled[i] = missing[i] ? 0 : x[i];
	for (size_t j = 0; j < k && given.missing > 0; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(expect_missing(ctx, mixture, j, x, &given));
	}
	if (shares == NULL && given.missing > 0)
		TLV_TRY(shares_of_densities(ctx, k, given.density, &log_sum));
	for (size_t j = 0; j < k; j++)
		for (size_t m = 0; m < given.missing; m++)
			filled[given.absent[m]] += (shares != NULL ? shares[j] : given.density[j]) *
									   given.expected[j * given.missing + m];
	free_given(ctx, &given);
	return TLV_OK;
}
