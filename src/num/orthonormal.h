/*
 * orthonormal.h - what the two ways to orthonormal blocks share, in double (linalg.c) and in
 * single precision (block_float.c).
 */
#ifndef TENSORLV_ORTHONORMAL_H
#define TENSORLV_ORTHONORMAL_H

#include <stddef.h>

/*
 * Cholesky factor (lower, in place) of a Gram matrix of unit diagonal.  Where a pivot is not above
 * `suspicious`, the factor is changed so that its inverse leaves that direction with its own
 * remainder, not scaled up, and does not use it for later ones: the caller scales that remainder
 * and factors again.  Returns the smallest pivot, 0 for one that is not a number.
 */
extern double tlv_guarded_cholesky(size_t n, double suspicious, double *restrict g);

#endif /* TENSORLV_ORTHONORMAL_H */
