/*
 * tensor4.h - symmetric fourth-order tensors.
 *
 * Packed: the entry (a, b, c, e) with a >= b >= c >= e is at
 * C(a+3, 4) + C(b+2, 3) + C(c+1, 2) + e.
 */
#ifndef TENSORLV_TENSOR4_H
#define TENSORLV_TENSOR4_H

#include "tensorlv/num/context.h"

static inline size_t
tlv_packed4_size(size_t d)
{
	return d * (d + 1) * (d + 2) / 6 * (d + 3) / 4;
}

extern size_t tlv_packed4_index(size_t a, size_t b, size_t c, size_t e);

/* full (d x d x d x d) of a packed tensor.  Interruptible. */
extern tlv_status tlv_packed4_unpack(tlv_context *ctx, size_t d, const double *packed,
									 double *full);

/*
 * packed += sum over columns t of y_t (x) y_t (x) y_t (x) y_t; y is k x n, one
 * column per row of data.  BLAS-3, n k^4 / 12 flops; work holds
 * tlv_tensor4_work(k) doubles.  Interruptible.
 */
extern size_t tlv_tensor4_work(size_t k);
extern tlv_status tlv_packed4_add_fourths(tlv_context *ctx, size_t k, size_t n, const double *y,
										  double *packed, double *work);

/*
 * The sum about another point: given n and the sums of y, y^(x)2 (full k x k) and y^(x)3 (packed)
 * over n rows, packed becomes the sum of (y + delta)^(x)4 instead of y^(x)4.
 */
extern void tlv_packed4_translate(size_t k, double n, const double *delta, const double *sum1,
								  const double *sum2, const double *sum3, double *packed);

#endif /* TENSORLV_TENSOR4_H */
