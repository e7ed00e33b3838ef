/*
 * tensor.h - third-order tensors of any shape, dense or sparse, and what their decompositions are
 * made of: products with the factors of two modes or of all.
 *
 * A factor of mode m is k x d[m]: the k numbers of one item are contiguous.
 */
#ifndef TENSORLV_TENSOR_H
#define TENSORLV_TENSOR_H

#include "tensorlv/num/context.h"

#define TLV_MODES 3

typedef struct tlv_tensor
{
	size_t d[TLV_MODES];
	const double *dense;		  /* d[0] x d[1] x d[2], the last index running fastest; or NULL: */
	size_t n;					  /* entries other than 0, */
	const int32_t *at[TLV_MODES]; /* their places, ascending, the last running fastest, */
	const double *entries;
} tlv_tensor;

/* What became of an iteration over a tensor. */
typedef struct tlv_factors_found
{
	double residual; /* |T - model| / |T|; of a tensor of zeros 0 */
	int sweeps;		 /* of all starts together */
	bool converged;	 /* the best start's last sweep moved less than the tolerance */
} tlv_factors_found;

/* The sum of squared entries; and the largest modulus. */
extern double tlv_tensor_norm2(const tlv_tensor *tensor);
extern tlv_status tlv_tensor_largest(tlv_context *ctx, const tlv_tensor *tensor, double *largest);

/* The sum, where a residual can be relative to it.  Error: TLV_BAD_DATA. */
extern tlv_status tlv_tensor_measure(tlv_context *ctx, const tlv_tensor *tensor, double *norm2);

/* Doubles of the work space `rows` of tlv_tensor_multiply: for dense tensors k d[0] d[1], else k.
 */
extern double tlv_tensor_work(const tlv_tensor *tensor, size_t k);

/*
 * z (k x d[mode]): of every item of a mode the sum over the tensor's other two indices of T times
 * the products of their factors, which is the right side of least squares for that mode (MTTKRP).
 * Of a dense tensor one matrix product; one with the last mode's factor serves modes 0 and 1: with
 * `again` what `rows` holds from the call before, of mode 0 with the same last factor, is used once
 * more.  Of a sparse one about 2 n k flops.  Errors: TLV_CANCELLED.
 */
extern tlv_status tlv_tensor_multiply(tlv_context *ctx, const tlv_tensor *tensor, size_t k,
									  double *const factor[TLV_MODES], int mode, bool again,
									  double *rows, double *z);

/*
 * T (e.g. d0 x d1 x d2) in bases of its modes, u[m] r[m] x d[m], NULL: as it is: out is r[0] x r[1]
 * x r[2], the last index running fastest.  work holds tlv_tensor_project_work doubles.  Errors:
 * TLV_CANCELLED.
 */
extern double tlv_tensor_project_work(const tlv_tensor *tensor, const size_t r[TLV_MODES]);
extern tlv_status tlv_tensor_project(tlv_context *ctx, const tlv_tensor *tensor,
									 const size_t r[TLV_MODES], double *const u[TLV_MODES],
									 double *work, double *out);

/*
 * Of a sparse tensor the same for all modes but one, pair by pair: out is (r[a] r[b]) x d[mode], a
 * and b the other two modes, b running fastest.  Errors: TLV_CANCELLED.
 */
extern tlv_status tlv_tensor_unfold(tlv_context *ctx, const tlv_tensor *tensor,
									const size_t r[TLV_MODES], double *const u[TLV_MODES], int mode,
									double *out);

/* ---- factors of a sum of products, with their Gram matrices (k x k each) ---- */

/* The vectors of every component become as long as each other in all modes, unless one is 0. */
extern void tlv_factors_balance(const size_t d[TLV_MODES], size_t k, double *const gram[TLV_MODES],
								double *const factor[TLV_MODES]);

/* to (k x (d[0] + d[1] + d[2])): the components by decreasing weight (k, which are sorted), their
 * vectors of length 1 or 0, the element of largest modulus positive in the first two modes.
 * Errors: memory. */
extern tlv_status tlv_factors_order(tlv_context *ctx, const size_t d[TLV_MODES], size_t k,
									double *const gram[TLV_MODES], double *const factor[TLV_MODES],
									double *weights, double *to);

/* The sum over h of weights[h] (NULL: 1) times the products of columns a, b and c (k each). */
static inline double
tlv_tensor_entry(size_t k, const double *weights, const double *a, const double *b, const double *c)
{
	double sum = 0;

	for (size_t h = 0; h < k; h++)
		sum += (weights == NULL ? 1 : weights[h]) * a[h] * b[h] * c[h];
	return sum;
}

#endif /* TENSORLV_TENSOR_H */
