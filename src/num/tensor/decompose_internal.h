/*
 * decompose_internal.h - what the methods of tlv_decompose share.
 *
 * The tensor is held as a k x k(k+1)/2 matrix, one column of k numbers
 * T(a, b, .) per pair b <= a: half of the full tensor, and the form in which
 * T(x, y, I) of many x at once is one matrix product followed by symmetric
 * matrix-vector products that run along the vectors.
 *
 * Sets of n vectors are stored transposed, n x k: the n numbers of one
 * coordinate are contiguous.
 */
#ifndef TENSORLV_DECOMPOSE_INTERNAL_H
#define TENSORLV_DECOMPOSE_INTERNAL_H

#include "tensorlv/num/decompose.h"
#include "tensorlv/num/linalg.h"

typedef struct tlv_solver
{
	tlv_context *ctx;
	size_t k;
	size_t pairs;		  /* k(k+1)/2 */
	const double *packed; /* the caller's */
	double scale;		  /* largest entry of packed: the work is on packed / scale */
	double norm2;		  /* ||T||^2 of the scaled tensor */
	double *half;		  /* k x pairs, scaled */
	double *block;		  /* work space of tlv_solver_apply */
	size_t block_size;	  /* in doubles */
	double *vectors;	  /* k x k transposed: the result of a method, unit rows */
	bool orthonormal;	  /* the method says that they are */
	const tlv_decompose_options *options;
	tlv_decomposition *out; /* iterations, sweeps and converged are filled by the method */
	tlv_rng rng;
} tlv_solver;

/*
 * out_l = T(x_l, y_l, I) for n vectors (all n x k transposed; x and y may be
 * the same, out may not).  Cost n k^3 + 2 n k^2 flops.
 */
extern tlv_status tlv_solver_apply(tlv_solver *solver, size_t n, const double *x, const double *y,
								   double *out);

/*
 * out_i += X_ij y_j and out_j += X_ij y_i for the pairs j <= i of the rows first <= i < end: n
 * symmetric matrices times n vectors.  x begins at the pair (first, 0) and is n x pairs.
 */
extern void tlv_pairs_multiply(size_t n, size_t first, size_t end, const double *restrict x,
							   const double *restrict y, double *out);

/* values_l = <x_l, y_l> of the rows of two n x k sets. */
extern void tlv_rows_dot(size_t n, size_t k, const double *restrict x, const double *restrict y,
						 double *restrict values);

/* row_l *= factor_l */
extern void tlv_rows_scale(size_t n, size_t k, double *restrict x, const double *restrict factor);

/*
 * a (k x k transposed) = gram^-1 a, rows normalised: the least-squares factor of an alternating
 * decomposition.  Where two columns of the others have become one, the solution of least norm keeps
 * both alive.  inverse, right: k x k; lengths: k, the rows' old ones.
 */
extern tlv_status tlv_solve_factor(tlv_context *ctx, size_t k, const double *gram, double *inverse,
								   double *right, double *lengths, double *a);

/* Rows to unit length (a zero row stays); lengths (n) may be used as work and gets the old ones. */
extern void tlv_rows_normalize(size_t n, size_t k, double *x, double *lengths);

/*
 * The column form of a packed tensor times factor: out[c + stride * pair],
 * c < k; the stride may exceed k, the gap is left alone.
 */
extern void tlv_fill_half(size_t k, const double *packed, double factor, size_t stride,
						  double *out);

/* vectors (k x k transposed) from the columns of a matrix, which have to be orthonormal
 * (tlv_decompose_options); gram: k x k.  Error: TLV_BAD_PARAMETER. */
extern tlv_status tlv_given_start(tlv_context *ctx, size_t k, const double *initial,
								  double *vectors, double *gram);

/* x_l <- sum over the other rows, of n rows (n x columns transposed). */
extern void tlv_rows_others(size_t n, size_t columns, double *x);

/*
 * Jacobi: the rotation (k x k, columns) that makes count symmetric matrices jointly
 * as diagonal as possible, to an angle of about 1e-3; the matrices, count x pairs, are
 * rotated along.  count is a multiple of TLV_REGISTER_DOUBLES (fill up with zeros); *sweeps is
 * increased.
 */
extern tlv_status tlv_jacobi_joint(tlv_context *ctx, size_t k, size_t count, double *matrices,
								   double *rotation, int *sweeps);

/* Noisy gradient descent of k unit vectors from a random orthonormal start (decompose_sgd.c). */
typedef struct tlv_descent
{
	tlv_context *ctx;
	size_t k;
	double *vectors; /* k x k transposed */
	double unit;	 /* what the gradient is measured in: the mean squared value */
	tlv_rng *rng;
	const tlv_decompose_options *options;
	tlv_decomposition *out; /* iterations and converged are filled */
	tlv_status (*gradient)(void *argument, double *gradient);
	void *argument;
} tlv_descent;

/* work holds 2 k k + k doubles. */
extern tlv_status tlv_descend(const tlv_descent *descent, double *work);

/* The methods: each fills solver->vectors and the counts in solver->out. */
extern tlv_status tlv_decompose_joint(tlv_solver *solver);
extern tlv_status tlv_decompose_power(tlv_solver *solver);
extern tlv_status tlv_decompose_als(tlv_solver *solver);
extern tlv_status tlv_decompose_sgd(tlv_solver *solver);
extern tlv_status tlv_decompose_flattening(tlv_solver *solver);
extern tlv_status tlv_decompose_jennrich(tlv_solver *solver);
extern tlv_status tlv_decompose_simultaneous(tlv_solver *solver);
extern tlv_status tlv_decompose_adaptive(tlv_solver *solver);
extern tlv_status tlv_decompose_sketch(tlv_solver *solver);

/* Doubles that a method allocates beyond the solver's own. */
extern double tlv_joint_memory(size_t k, const tlv_decompose_options *options);
extern double tlv_power_memory(size_t k, const tlv_decompose_options *options);
extern double tlv_als_memory(size_t k, const tlv_decompose_options *options);
extern double tlv_sgd_memory(size_t k, const tlv_decompose_options *options);
extern double tlv_flattening_memory(size_t k, const tlv_decompose_options *options);
extern double tlv_jennrich_memory(size_t k, const tlv_decompose_options *options);
extern double tlv_simultaneous_memory(size_t k, const tlv_decompose_options *options);
extern double tlv_adaptive_memory(size_t k, const tlv_decompose_options *options);
extern double tlv_sketch_memory(size_t k, const tlv_decompose_options *options);

/* ---- fourth order ---- */

typedef struct tlv_solver4
{
	tlv_context *ctx;
	size_t k;
	size_t pairs;	 /* k(k+1)/2 */
	double scale;	 /* largest entry of the tensor: the work is on the tensor / scale */
	double norm2;	 /* ||T||^2 of the scaled tensor */
	double *matrix;	 /* pairs x pairs, scaled: T(a, b, c, e) */
	double *outer;	 /* k x pairs: what T is contracted with */
	double *image;	 /* k x pairs: the contraction */
	double *vectors; /* k x k transposed: the result of a method, unit rows */
	const tlv_decompose_options *options;
	tlv_decomposition *out;
	tlv_rng rng;
} tlv_solver4;

/* out_l = T(x_l, y_l, z_l, I) for k vectors each (k x k transposed). */
extern tlv_status tlv_solver4_apply(tlv_solver4 *solver, const double *x, const double *y,
									const double *z, double *out);

/* decompose4_cp.c: fills solver->vectors; work holds TLV_CP4_WORK(k) doubles. */
#define TLV_CP4_WORK(k) (7 * (k) * (k) + 2 * (k))
extern tlv_status tlv_solver4_cp(tlv_solver4 *solver, double *work);

#endif /* TENSORLV_DECOMPOSE_INTERNAL_H */
