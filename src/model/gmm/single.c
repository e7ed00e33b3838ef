/*
 * single.c - one Gaussian beside a mixture: its likelihood, from the covariance alone (choose.h).
 */
#include "choose.h"

#include <float.h>
#include <math.h>

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

/* The floor is added to the diagonal, as the maximisation step does: without it, rounding would
 * decide on the smallest eigenvalues of dependent columns.  Infinite where the sum is not positive
 * definite. */
static tlv_status
full(tlv_context *ctx, const tlv_dense_central *central, const double *floor, gmm_single *single)
{
	size_t d = central->d;
	double *matrix;

	*single = (gmm_single){0, (double) d};
	TLV_TRY_NEW_ROWS(ctx, matrix, d, d);
	for (size_t e = 0; e < d * d; e++)
		matrix[e] = central->covariance[e];
	for (size_t i = 0; i < d; i++)
		matrix[i * d + i] += floor[i];
	if (tlv_cholesky(ctx, d, matrix) != TLV_OK)
	{
		if (ctx->error.code != TLV_BAD_DATA)
			return ctx->error.code;
		single->log_determinant = HUGE_VAL;
		tlv_free(ctx, matrix);
		return TLV_OK;
	}
	for (size_t i = 0; i < d; i++)
		single->log_determinant += 2 * log(matrix[i * d + i]);
	TLV_TRY(tlv_invert_cholesky(ctx, d, matrix));
	for (size_t i = 0; i < d; i++)
		single->trace -= floor[i] * matrix[i * d + i];
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
