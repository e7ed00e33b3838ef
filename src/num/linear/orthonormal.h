/*
 * orthonormal.h - what the two ways to orthonormal blocks share, in double (linalg.c) and in
 * single precision (block_float.c).
 */
#ifndef TENSORLV_ORTHONORMAL_H
#define TENSORLV_ORTHONORMAL_H

#include "tensorlv/num/context.h"

/*
 * Cholesky factor (lower, in place) of a Gram matrix of unit diagonal.  Where a pivot is not above
 * `suspicious`, the factor is changed so that its inverse leaves that direction with its own
 * remainder, not scaled up, and does not use it for later ones: the caller scales that remainder
 * and factors again.  *smallest is the smallest pivot, 0 for one that is not a number.
 */
extern tlv_status tlv_guarded_cholesky(tlv_context *ctx, size_t n, double suspicious,
									   double *restrict g, double *smallest);

#endif /* TENSORLV_ORTHONORMAL_H */
