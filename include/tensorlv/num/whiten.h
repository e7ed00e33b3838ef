/*
 * whiten.h - for those who bring their own moments: symmetric arrays checked
 * and packed, whitened, decomposed.
 */
#ifndef TENSORLV_WHITEN_H
#define TENSORLV_WHITEN_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/decompose.h"

/* Entries that a permutation of the indices makes equal may differ by this part of the largest. */
#define TLV_SYMMETRY_TOLERANCE 1e-8

/*
 * Checks that a full n x n x n tensor is finite and symmetric, and averages what rounding has left
 * different into packed3.  TLV_BAD_DATA names the first entry (indices from 1) that is not.
 */
extern tlv_status tlv_symmetric3(tlv_context *ctx, size_t n, const double *full, double *packed);

/*
 * Whitening W (d x k): W' M2 W = I from the k leading eigenvectors U and eigenvalues of M2 (d x d,
 * overwritten; d <= TLV_EIGEN_LIMIT), W = U diag(values)^-1/2, and the whitened tensor M3(W, W, W),
 * packed.  values gets all d eigenvalues of M2, descending.
 *
 * If M2 = sum w_i m_i m_i' and M3 = sum w_i m_i^(x)3 over k linearly independent m_i, then the
 * decomposition of the whitened tensor has values w_i^-1/2 and vectors v_i, and
 * m_i = value_i U diag(values)^1/2 v_i (Anandkumar, Ge, Hsu, Kakade, Telgarsky 2014, section 4.3).
 *
 * Errors: TLV_BAD_PARAMETER unless 1 <= k <= d, TLV_NOT_IDENTIFIABLE when the k-th eigenvalue is
 * not above 1e-10 times the first, with the eigenvalues in the detail; TLV_BAD_DATA when the
 * whitened tensor overflows; TLV_LIMIT.
 */
extern tlv_status tlv_whiten(tlv_context *ctx, size_t d, double *m2, const double *m3, size_t k,
							 double *w, double *tensor, double *values);

/*
 * The k components of largest value, descending, of a packed tensor of dimension n: values (k),
 * vectors (n x k), and the residual ||T - sum values v^(x)3||_F / ||T||_F of these k.
 * Errors: TLV_BAD_PARAMETER unless 1 <= k <= n, and those of tlv_decompose.
 */
extern tlv_status tlv_decompose_leading(tlv_context *ctx, size_t n, const double *packed, size_t k,
										const tlv_decompose_options *options, double *values,
										double *vectors, double *residual);

#endif /* TENSORLV_WHITEN_H */
