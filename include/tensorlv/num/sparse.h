/*
 * sparse.h - compressed sparse rows and their products with blocks of vectors.
 *
 * A block of l vectors over n rows is stored transposed, as everywhere here:
 * the l numbers of one row are contiguous (l x n, column-major).  Blocks are
 * single precision: a product with a sparse matrix is bound by memory, and a
 * subspace of noisy data needs no more digits.
 */
#ifndef TENSORLV_SPARSE_H
#define TENSORLV_SPARSE_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"

/* Rows of column indices, ascending within a row, and their values. */
typedef struct tlv_csr
{
	size_t rows;
	size_t columns;
	size_t entries;
	size_t *start;	/* rows + 1 */
	int32_t *index; /* entries, 0 .. columns - 1 */
	float *value;	/* entries; NULL: all are 1 */
} tlv_csr;

/*
 * Memory of its own for a matrix of that shape; value only when weighted; start is all 0, the rest
 * not set.  Errors: TLV_LIMIT above 2^31 - 1 rows or columns, memory; nothing is left allocated.
 */
extern tlv_status tlv_csr_create(tlv_context *ctx, size_t rows, size_t columns, size_t entries,
								 bool weighted, tlv_csr *a);
extern void tlv_csr_free(tlv_context *ctx, tlv_csr *a);

/* The transposed matrix, rows ascending again.  Interruptible. */
extern tlv_status tlv_csr_transpose(tlv_context *ctx, const tlv_csr *a, tlv_csr *transposed);

/*
 * y (l x rows) = A x, x l x columns, which may not overlap; empty rows give 0.  Interruptible.  Its
 * speed of light is the memory's: entries (4 l + 4) bytes read where x does not fit the caches.
 * Rows of x are read at random: l a multiple of 16 and x on a boundary of 64 bytes
 * waste no part of a cache line.
 */
extern tlv_status tlv_csr_multiply(tlv_context *ctx, const tlv_csr *a, size_t l, const float *x,
								   float *y);

/* Rows first .. first + n - 1 only, y l x n; not interruptible. */
extern void tlv_csr_multiply_rows(const tlv_csr *a, size_t first, size_t n, size_t l,
								  const float *x, float *y);

/* z = x (l x n) with row i multiplied by scale[i]; z may be x.  Interruptible. */
extern tlv_status tlv_scale_rows_float(tlv_context *ctx, size_t n, size_t l, const float *scale,
									   const float *x, float *z);

/* sums[i] = sum of the values of row i. */
extern void tlv_csr_row_sums(const tlv_csr *a, double *sums);

/*
 * gram (la x lb, column-major, double) = x y', x la x n, y lb x n, summed in
 * double precision by blocks of a few thousand columns.  x == y makes it exactly symmetric, at half
 * the work.  la and lb at most TLV_EIGEN_LIMIT (TLV_LIMIT).  Interruptible.
 */
extern tlv_status tlv_gram_float(tlv_context *ctx, size_t n, size_t la, const float *x, size_t lb,
								 const float *y, double *gram);

/* x (l x n) <- r' x, in place, for r l x m (double, column-major), m <= l: the leading m rows of
 * every column are the result, stored m x n (x keeps its l n numbers of memory).  Interruptible. */
extern tlv_status tlv_rotate_float(tlv_context *ctx, size_t n, size_t l, float *x, size_t m,
								   const double *r);

/*
 * y (m rows of every column, the columns stride >= m apart) = r' x, x l x n, r l x m (double,
 * column-major); what lies between m and stride is left alone.  Interruptible.
 */
extern tlv_status tlv_transform_float(tlv_context *ctx, size_t n, size_t l, const float *x,
									  size_t m, const double *r, size_t stride, float *y);

typedef tlv_status (*tlv_apply_float)(tlv_context *ctx, void *argument, size_t l, const float *x,
									  float *z);

/*
 * Block subspace iteration with Rayleigh-Ritz and Chebyshev acceleration (Saad
 * 2011) for a symmetric operator of dimension n.  x (l x n, l at most TLV_EIGEN_LIMIT) gets an
 * orthonormal block (to about 1e-5): its first k directions are the Ritz vectors
 * of the k dominant eigenvalues: algebraically largest, or of largest modulus when
 * modulus.  ritz: l values, in that order.
 *
 * Ends when the leading k Ritz values change by less than tolerance (relative to
 * the largest of all by modulus) between two Rayleigh-Ritz steps, or after max_steps >= 1
 * products with the operator; *steps is their number.  x starts at random, or as it is when
 * `started`.  Room to spare, l > k, makes it faster, and so does l >= 2 k with an indefinite
 * operator whose algebraically largest values are wanted.
 *
 * Memory: 2 l n floats (l n with max_steps = 1) and 2 l^2 doubles.  Errors: TLV_BAD_PARAMETER
 * unless 1 <= k <= l <= n, TLV_LIMIT, TLV_CANCELLED, those of apply.
 */
extern tlv_status tlv_subspace_iteration_float(tlv_context *ctx, const tlv_eigen_task *task,
											   tlv_apply_float apply, void *argument, tlv_rng *rng,
											   float *x, double *ritz, int *steps);

#endif /* TENSORLV_SPARSE_H */
