/*
 * single.c - one Gaussian beside a mixture: its likelihood, from the covariance alone, and that of
 * one of logarithms, since numbers of one sign and many sizes are one skewed shape, which takes a
 * mixture many components (choose.h).
 */
#include "choose.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tensorlv/model/dense.h"
#include "tensorlv/num/linalg.h"

/* Logarithm of the determinant of a covariance, and the trace of its inverse times that of the
 * rows: the quadratic form of the mean log density. */
typedef struct gmm_single
{
	double log_determinant, trace;
} gmm_single;

/* One variance for all dimensions. */
static gmm_single
spherical(const tlv_dense_central *central, const double *floor)
{
	size_t d = central->d;
	double mean = 0, least = DBL_MIN, variance; /* the logarithm is of more than 0 */

	for (size_t i = 0; i < d; i++)
	{
		mean += central->covariance[i * d + i] / (double) d;
		least += floor[i] / (double) d;
	}
	variance = fmax(mean, least);
	return (gmm_single){(double) d * log(variance), (double) d * mean / variance};
}

static gmm_single
diagonal(const tlv_dense_central *central, const double *floor)
{
	gmm_single single = {0, 0};

	for (size_t i = 0; i < central->d; i++)
	{
		double own = central->covariance[i * central->d + i], variance = fmax(own, floor[i]);

		single.log_determinant += log(variance);
		single.trace += own / variance;
	}
	return single;
}

/* The covariance whose variances are kept at the floor, as in the maximisation step. */
static tlv_status
full(tlv_context *ctx, const tlv_dense_central *central, const double *floor, gmm_single *single)
{
	size_t d = central->d;
	double *matrix;

	*single = (gmm_single){0, 0};
	TLV_TRY_NEW_ROWS(ctx, matrix, d, d);
	memcpy(matrix, central->covariance, d * d * sizeof(double));
	TLV_TRY(tlv_mixture_raise(ctx, d, floor, matrix));
	TLV_TRY(tlv_cholesky(ctx, d, matrix));
	for (size_t i = 0; i < d; i++)
		single->log_determinant += 2 * log(matrix[i * d + i]);
	TLV_TRY(tlv_invert_cholesky(ctx, d, matrix));
	for (size_t e = 0; e < d * d; e++)
		single->trace += central->covariance[e] * matrix[e];
	tlv_free(ctx, matrix);
	return TLV_OK;
}

tlv_status
gmm_single_likelihoods(tlv_context *ctx, const gmm_evidence *evidence, double *likelihood)
{
	/* Dimensions of which the determinant of a full covariance takes no time beside the fit. */
	const int most_full = 300;
	tlv_dense_central central;
	const double *floor = evidence->floor;
	double d = (double) evidence->d;

	TLV_TRY(tlv_dense_central_compute(ctx, evidence->moments, &central));
	for (int form = 0; form < TLV_COVARIANCES; form++)
	{
		gmm_single single;

		likelihood[form] = -HUGE_VAL;
		if (tlv_is_matrix(form) && (evidence->d > most_full || evidence->n <= d))
			continue;
		if (tlv_is_matrix(form))
			TLV_TRY(full(ctx, &central, floor, &single));
		else
			single = form == TLV_COVARIANCE_DIAGONAL ? diagonal(&central, floor)
													 : spherical(&central, floor);
		if (isfinite(single.log_determinant))
			likelihood[form] = -(d * log(2 * M_PI) + single.log_determinant + single.trace) / 2;
	}
	tlv_dense_central_free(ctx, &central);
	return TLV_OK;
}

/* ---- of logarithms ---- */

/* The logarithms of a column of one sign, in place; their sum goes to *jacobian.  Others stay. */
static bool
take_logarithms(const tlv_gmm_sample *sample, size_t i, double *x, double *jacobian)
{
	double sign = sample->rows[i] + sample->center[i] > 0 ? 1 : -1;

	for (size_t t = 0; t < sample->n; t++)
		if (!(sign * (sample->rows[t * sample->d + i] + sample->center[i]) > DBL_MIN))
			return false;
	for (size_t t = 0; t < sample->n; t++)
	{
		double *at = &x[t * sample->d + i];

		*at = log(sign * (sample->rows[t * sample->d + i] + sample->center[i]));
		*jacobian += *at;
	}
	return true;
}

/* The mean log-likelihood of one Gaussian, its own, of n rows, which become deviations. */
static tlv_status
gaussian_likelihood(tlv_context *ctx, size_t n, size_t d, double *x, double *likelihood)
{
	/* Of the largest eigenvalue: what is below is no variance. */
	const double rounding = 1e-12;
	double *covariance, determinant = 0;

	for (size_t i = 0; i < d; i++)
	{
		double mean = 0;

		for (size_t t = 0; t < n; t++)
			mean += x[t * d + i] / (double) n;
		for (size_t t = 0; t < n; t++)
			x[t * d + i] -= mean;
	}
	TLV_TRY(tlv_alloc_numbers(ctx, &covariance, d * d + d));
	TLV_TRY(tlv_syrk(ctx, false, d, n, 1 / (double) n, x, d, 0, covariance, d, true));
	TLV_TRY(tlv_eigen_symmetric(ctx, d, covariance, covariance + d * d));
	for (size_t i = 0; i < d; i++)
		determinant +=
			covariance[d * d + i] > rounding * fmax(covariance[d * d], covariance[d * d + d - 1])
				? log(covariance[d * d + i])
				: HUGE_VAL;
	*likelihood = -((double) d * (log(2 * M_PI) + 1) + determinant) / 2; /* -infinite: none */
	tlv_free(ctx, covariance);
	return TLV_OK;
}

tlv_status
gmm_look_at_logarithms(tlv_context *ctx, const tlv_gmm_sample *sample, double *likelihood)
{
	/* Dimensions of which the covariance takes no time beside the fit. */
	const int most_dimensions = 60;
	double *x, jacobian = 0;
	size_t taken = 0;

	*likelihood = -HUGE_VAL;
	if (sample->rows == NULL || sample->d > most_dimensions || sample->n < 2 * sample->d)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, x, sample->n, sample->d);
	TLV_TRY(tlv_copy(ctx, x, sample->rows, sample->n * sample->d * sizeof(double)));
	for (size_t i = 0; i < sample->d; i++)
		taken += take_logarithms(sample, i, x, &jacobian);
	if (taken > 0)
	{
		TLV_TRY(gaussian_likelihood(ctx, sample->n, sample->d, x, likelihood));
		*likelihood -= jacobian / (double) sample->n;
	}
	tlv_free(ctx, x);
	return TLV_OK;
}
