/*
 * tensor3.h - symmetric third-order tensors.
 *
 * Packed: the entry (a, b, c) with a >= b >= c is at
 * a(a+1)(a+2)/6 + b(b+1)/2 + c.  Full: k x k x k, T[a + k (b + k c)].
 */
#ifndef TENSORLV_TENSOR3_H
#define TENSORLV_TENSOR3_H

#include "tensorlv/num/assert.h"
#include "tensorlv/num/context.h"

static inline size_t
tlv_packed3_size(size_t k)
{
	return k * (k + 1) * (k + 2) / 6;
}

/* a >= b >= c */
static inline size_t
tlv_packed3_index(size_t a, size_t b, size_t c)
{
	tlv_assert(a >= b && b >= c);
	return a * (a + 1) * (a + 2) / 6 + b * (b + 1) / 2 + c;
}

/* All k^3 entries of the packed form, full[c + k (b + k a)] = T_abc. */
extern void tlv_packed3_unpack(size_t k, const double *packed, double *full);

/* ||T||_F of the full tensor, from the packed one. */
extern double tlv_packed3_norm(size_t k, const double *packed);

/*
 * packed += sum over rows t of weight[t] y_t (x) y_t (x) y_t; y is k x n, one
 * column per row of data.  BLAS-3; work holds tlv_tensor3_work(k, n) doubles.
 * Cost n k^3 / 3 flops.
 */
extern size_t tlv_tensor3_work(size_t k, size_t n);
extern void tlv_packed3_add_cubes(size_t k, size_t n, const double *y, const double *weight,
								  double *packed, double *work);

/*
 * The same in single precision, summed up in double after every block of rows: hand in some
 * thousand rows at a time.  weight may be NULL for 1.  work holds tlv_tensor3_work(k, n) floats.
 * Interruptible.
 */
extern tlv_status tlv_packed3_add_cubes_float(tlv_context *ctx, size_t k, size_t n, const float *y,
											  const double *weight, double *packed, float *work);

/*
 * packed += sum over i of Sym3[w_i (x) w_i (x) r_i], where Sym3 is the SUM of
 * the 3 placements of r; w and r are k x n.  BLAS-3, interruptible.
 */
extern tlv_status tlv_packed3_add_squares(tlv_context *ctx, size_t k, size_t n, const double *w,
										  const double *r, double *packed);

/* The same in single precision, n some thousand at a time. */
extern tlv_status tlv_packed3_add_squares_float(tlv_context *ctx, size_t k, size_t n,
												const float *w, const float *r, double *packed);

/* packed += c * Sym3[Q (x) m], the sum of the 3 placements; q is the full k x k symmetric matrix.
 */
extern void tlv_packed3_add_product(size_t k, double c, const double *q, const double *m,
									double *packed);

/* packed += c * m (x) m (x) m */
extern void tlv_packed3_add_cube(size_t k, double c, const double *m, double *packed);

/*
 * Multilinear compression: out (packed, r) = T(M, M, M) for packed T of
 * dimension k and M (k x r).  Cost 2 k^3 r + ... flops, BLAS-3, interruptible.
 */
extern tlv_status tlv_packed3_compress(tlv_context *ctx, size_t k, size_t r, const double *packed,
									   const double *m, double *out);

#endif /* TENSORLV_TENSOR3_H */
