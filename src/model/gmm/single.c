/*
 * single.c - one Gaussian beside a mixture: its likelihood, from the covariance alone (choose.h).
 */
#include "choose.h"

#include <math.h>

#include "tensorlv/model/dense.h"
#include "tensorlv/num/linalg.h"

/* Dimensions of which the determinant of a full covariance takes no time beside the fit. */
#define MOST_FULL 300

/* Logarithm of the determinant of the covariance as that form has it; infinite where it has none.
 */
static tlv_status
log_determinant(tlv_context *ctx, const tlv_dense_central *central, tlv_covariance form,
				double *value)
{
	size_t d = central->d;
	double trace = 0, *copy;

	*value = 0;
	for (size_t i = 0; i < d; i++)
	{
		trace += central->covariance[i * d + i];
		*value += log(central->covariance[i * d + i]);
	}
	if (form == TLV_COVARIANCE_DIAGONAL)
		return TLV_OK;
	*value = (double) d * log(trace / (double) d);
	if (form != TLV_COVARIANCE_FULL)
		return TLV_OK;
	TLV_TRY(tlv_alloc_numbers(ctx, &copy, d * d + d));
	for (size_t e = 0; e < d * d; e++)
		copy[e] = central->covariance[e];
	TLV_TRY(tlv_eigen_symmetric(ctx, d, copy, copy + d * d));
	*value = 0;
	for (size_t i = 0; i < d; i++)
		*value += copy[d * d + i] > 0 ? log(copy[d * d + i]) : -HUGE_VAL;
	tlv_free(ctx, copy);
	return TLV_OK;
}

tlv_status
gmm_single_likelihoods(tlv_context *ctx, const gmm_evidence *evidence, double *likelihood)
{
	tlv_dense_central central;
	double d = (double) evidence->d;

	TLV_TRY(tlv_dense_central_compute(ctx, evidence->moments, &central));
	for (int form = 0; form < TLV_COVARIANCES; form++)
	{
		double determinant;

		likelihood[form] = -HUGE_VAL;
		if (form == TLV_COVARIANCE_FULL && (evidence->d > MOST_FULL || evidence->n <= d))
			continue;
		TLV_TRY(log_determinant(ctx, &central, (tlv_covariance) form, &determinant));
		if (isfinite(determinant))
			likelihood[form] = -(d * (log(2 * M_PI) + 1) + determinant) / 2;
	}
	tlv_dense_central_free(ctx, &central);
	return TLV_OK;
}
