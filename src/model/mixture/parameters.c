/*
 * parameters.c - the parameters of a mixture (mixture.h).
 */
#include <string.h>

#include "tensorlv/model/mixture.h"
#include "tensorlv/num/linalg.h"

size_t
tlv_mixture_variances(size_t d, tlv_covariance covariance)
{
	if (tlv_is_matrix(covariance))
		return tlv_packed2_size(d);
	return covariance == TLV_COVARIANCE_DIAGONAL ? d : 1;
}

double
tlv_mixture_parameters(size_t k, size_t d, tlv_covariance covariance, bool tails)
{
	double variances = (tlv_is_shared(covariance) ? 1 : (double) k) *
					   (double) tlv_mixture_variances(d, covariance);

	if (covariance == TLV_COVARIANCE_DIRECTION) /* a mean is 1 long */
		variances = 0;
	return (double) k - 1 + (double) k * (double) d + variances + (tails ? (double) k : 0);
}

tlv_status
tlv_mixture_create(tlv_context *ctx, size_t k, size_t d, tlv_covariance covariance,
				   tlv_mixture *mixture)
{
	mixture->k = k;
	mixture->d = d;
	mixture->covariance = covariance;
	mixture->degrees = NULL;
	TLV_TRY_NEW0_ROWS(ctx, mixture->weights, k, (2 + d + tlv_mixture_variances(d, covariance)));
	mixture->means = mixture->weights + k;
	mixture->variances = mixture->means + d * k;
	return TLV_OK;
}

void
tlv_mixture_use_tails(tlv_mixture *mixture)
{
	mixture->degrees =
		mixture->variances + mixture->k * tlv_mixture_variances(mixture->d, mixture->covariance);
	for (size_t j = 0; j < mixture->k; j++)
		mixture->degrees[j] = TLV_FIRST_DEGREES;
}

void
tlv_mixture_free(tlv_context *ctx, tlv_mixture *mixture)
{
	tlv_free(ctx, mixture->weights);
	mixture->weights = NULL;
}
