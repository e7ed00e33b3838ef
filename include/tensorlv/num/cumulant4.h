/*
 * cumulant4.h - fourth cumulants: packed symmetric fourth-order tensors (tensor4.h) as
 * matrices, in other bases, and less their Gaussian part.
 *
 * As a matrix of pairs: T(a, b, c, e) at the row of the pair (a, b) and
 * the column of (c, e), pairs in the order of tlv_packed2_index.
 */
#ifndef TENSORLV_CUMULANT4_H
#define TENSORLV_CUMULANT4_H

#include "tensorlv/num/context.h"

/* ||T||_F of the full tensor, from the packed one. */
extern double tlv_cumulant4_norm(size_t k, const double *packed);

/* The matrix of pairs of factor * T, symmetric, k(k+1)/2 square; and back (lower triangle read). */
extern void tlv_cumulant4_to_pairs(size_t k, const double *packed, double factor, double *pairs);
extern void tlv_cumulant4_from_pairs(size_t k, const double *pairs, double *packed);

/*
 * Multilinear compression: out (packed, k) = T(W, W, W, W) for packed T of
 * dimension d and W (d x k).  Interruptible.  Cost about d^2 (d^2 k + d k^2) + k^2 (d^2 k + d k^2)
 * flops; work space d^4/4 + d^2 k^2/4 doubles.
 */
extern tlv_status tlv_cumulant4_compress(tlv_context *ctx, size_t d, size_t k, const double *packed,
										 const double *w, double *out);

/* Bytes of work space that compression takes. */
extern double tlv_cumulant4_compress_memory(size_t d, size_t k);

/*
 * From the fourth moment of k uncorrelated variables of mean 0 and variance 1 to
 * their fourth cumulant, in place: minus 1 for each of the three ways to pair equal indices.
 */
extern void tlv_cumulant4_subtract_gaussian(size_t k, double *packed);

#endif /* TENSORLV_CUMULANT4_H */
