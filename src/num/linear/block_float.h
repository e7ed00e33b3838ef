/*
 * block_float.h - what subspace_float.c needs of block_float.c.
 */
#ifndef TENSORLV_BLOCK_FLOAT_H
#define TENSORLV_BLOCK_FLOAT_H

#include "tensorlv/num/sparse.h"

/*
 * Orthonormalises the directions of x (l x n, l <= n) in place and in order by rounds of Cholesky
 * QR (Yamamoto et al. 2015), the Gram matrix in double precision, to about 1e-5; directions that
 * depend on the others to single precision are replaced by random ones.  *rank: how many were
 * independent. Errors: TLV_BAD_PARAMETER when l > n, TLV_LIMIT for l > TLV_EIGEN_LIMIT,
 * TLV_BAD_DATA when an entry is not finite or its square exceeds single precision, TLV_CANCELLED.
 */
extern tlv_status tlv_orthonormalize_roughly(tlv_context *ctx, size_t l, size_t n, float *x,
											 tlv_rng *rng, size_t *rank);

/* n numbers of mean 0 and variance 1, nearly normal, at one word of the generator each. */
extern tlv_status tlv_fill_random_float(tlv_context *ctx, size_t n, size_t stride, float *x,
										tlv_rng *rng);

#endif /* TENSORLV_BLOCK_FLOAT_H */
