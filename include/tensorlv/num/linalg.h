/*
 * linalg.h - dense linear algebra over OpenBLAS and LAPACK.
 *
 * Matrices are column-major, as in LAPACK.  A tall basis of d items by l
 * directions is stored TRANSPOSED, as an l x d column-major matrix: the l
 * numbers of one item are contiguous, which is what sparse rows need.
 * Functions that can run long split their work into pieces of at most about
 * 0.1 s and look at tlv_should_stop() between them.
 */
#ifndef TENSORLV_LINALG_H
#define TENSORLV_LINALG_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/rng.h"

/* A squared relative residual, 1 minus a ratio of squared norms, below this has lost six digits or
 * more to cancellation: it is computed from the residual itself. */
#define TLV_CANCELLED_RESIDUAL 1e-6

/*
 * C (m x n) = alpha op(A) op(B) + beta C; op(A) is m x k.  Like dgemm, in
 * interruptible blocks of about 2 GFLOP.  Errors: TLV_LIMIT for a leading
 * dimension above 2^30, TLV_CANCELLED.
 */
extern tlv_status tlv_gemm(tlv_context *ctx, bool transpose_a, bool transpose_b, size_t m, size_t n,
						   size_t k, double alpha, const double *a, size_t lda, const double *b,
						   size_t ldb, double beta, double *c, size_t ldc);

/* C = op(A) B in single precision, in one call: 2 m n k at most TLV_GEMM_FLOAT_MOST. */
#define TLV_GEMM_FLOAT_MOST 2e9
extern tlv_status tlv_gemm_float(tlv_context *ctx, bool transpose_a, size_t m, size_t n, size_t k,
								 const float *a, size_t lda, const float *b, size_t ldb, float *c,
								 size_t ldc);

/*
 * Lower triangle of C (n x n) = alpha op(A) op(A)' + beta C; op(A) is n x k:
 * A is n x k, or k x n when transpose.  mirror also fills the upper triangle.
 */
extern tlv_status tlv_syrk(tlv_context *ctx, bool transpose, size_t n, size_t k, double alpha,
						   const double *a, size_t lda, double beta, double *c, size_t ldc,
						   bool mirror);

/*
 * Eigenvalues, descending, and eigenvectors (columns of a, in place of the
 * matrix) of a symmetric n x n matrix (lower triangle read).
 * Signs: the entry of largest modulus of each vector is positive.
 * Errors: TLV_LIMIT above TLV_EIGEN_LIMIT (larger problems are for
 * tlv_subspace_iteration), TLV_BAD_DATA when an entry is not finite.
 */
#define TLV_EIGEN_LIMIT 1000
extern tlv_status tlv_eigen_symmetric(tlv_context *ctx, size_t n, double *a, double *values);

/*
 * Eigenvectors of a general n x n matrix (overwritten), columns of vectors (n x n): of a pair of
 * complex ones the real and the imaginary part.  *real: there is no such pair.  Errors: TLV_LIMIT
 * above TLV_GENERAL_LIMIT (one call of LAPACK that cannot be interrupted, .2 s there), TLV_BAD_DATA
 * when an entry is not finite, memory.
 */
#define TLV_GENERAL_LIMIT 500
extern tlv_status tlv_eigen_general(tlv_context *ctx, size_t n, double *a, double *vectors,
									bool *real);

/*
 * Orthonormalises the directions of a transposed tall basis x (l x d, l <= d)
 * in place and in order (the first i span what the first i did) by two or more
 * rounds of Cholesky QR (Yamamoto et al. 2015); directions that are dependent
 * to rounding are replaced by random ones from rng.  *rank is the number that
 * were independent.  Errors: TLV_BAD_PARAMETER when l > d, TLV_BAD_DATA when an
 * entry is not finite, TLV_CANCELLED.
 */
extern tlv_status tlv_orthonormalize(tlv_context *ctx, size_t l, size_t d, double *x, tlv_rng *rng,
									 size_t *rank);

/*
 * Nearest orthogonal matrix (polar factor) of g (n x n), in place: U W' of its
 * SVD U S W', by products alone where g is nearly orthogonal.  Errors:
 * TLV_BAD_DATA when an entry is not finite.
 */
extern tlv_status tlv_polar(tlv_context *ctx, size_t n, double *g);

/*
 * The same of g whose singular values are known to lie between 0 and sqrt(3), by
 * Newton-Schulz steps g <- (3 g - g g' g) / 2 (Higham, Functions of Matrices, 2008,
 * section 8.3): quadratic where they are near 1, and nothing but products.  gram and
 * copy (n x n) are work space.
 */
extern tlv_status tlv_polar_near(tlv_context *ctx, size_t n, double *g, double *gram, double *copy);

/*
 * Solves A X = B, A symmetric positive definite n x n (lower triangle read,
 * overwritten by its Cholesky factor), B n x m in place.  Errors: TLV_BAD_DATA
 * when A is not positive definite; B then is unchanged.
 */
extern tlv_status tlv_solve_spd(tlv_context *ctx, size_t n, size_t m, double *a, double *b);

/*
 * The same in parts.  tlv_cholesky: A, lower triangle read, becomes its factor L, A = L L', whose
 * upper triangle is not touched; TLV_BAD_DATA when A is not positive definite.  tlv_solve_triangle:
 * B (n x m) becomes L^-1 B, or L'^-1 B.  tlv_invert_triangle: inverse (n x n) becomes L^-1, or
 * L'^-1, with zeros in the other triangle.  tlv_invert_cholesky: L becomes A^-1, both triangles.
 */
extern tlv_status tlv_cholesky(tlv_context *ctx, size_t n, double *a);
extern tlv_status tlv_solve_triangle(tlv_context *ctx, bool transpose, size_t n, size_t m,
									 const double *l, double *b);
extern tlv_status tlv_invert_triangle(tlv_context *ctx, bool transpose, size_t n, const double *l,
									  double *inverse);
extern tlv_status tlv_invert_cholesky(tlv_context *ctx, size_t n, double *l);

/* Pseudo-inverse (n x m) of a (m x n); singular values below tolerance * largest are dropped. */
extern tlv_status tlv_pseudo_inverse(tlv_context *ctx, size_t m, size_t n, const double *a,
									 double tolerance, double *inverse, size_t *rank);

/*
 * Thin SVD of a (m x n, overwritten): u m x r, s r (descending), vt r x n,
 * r = min(m, n).  Errors: TLV_LIMIT when m n min(m, n) exceeds 1e9, TLV_BAD_DATA when an entry is
 * not finite.  The longest piece without a look at interrupts is the divide and conquer of its
 * bidiagonal matrix, .15 s for r = 1000.
 */
extern tlv_status tlv_svd(tlv_context *ctx, size_t m, size_t n, double *a, double *u, double *s,
						  double *vt);

/* TLV_LIMIT where tlv_svd or tlv_pseudo_inverse of m x n would be: before the matrix is made. */
extern tlv_status tlv_require_svd(tlv_context *ctx, size_t m, size_t n);

/*
 * The k <= min(m, n) largest singular values, descending, of a small matrix of finite numbers (m x
 * n), by the eigenvalues of its smaller Gram matrix: those below 1e-8 of the largest are rounding.
 * No allocation, for many small matrices; work has as many numbers as tlv_singular_values_work
 * says.
 */
extern size_t tlv_singular_values_work(size_t m, size_t n);
extern tlv_status tlv_singular_values(tlv_context *ctx, size_t m, size_t n, const double *a,
									  size_t k, double *s, double *work);

/* ---- packed symmetric matrices: lower triangle by rows, (i, j) with j <= i at i(i+1)/2 + j ----
 */

static inline size_t
tlv_packed2_size(size_t n)
{
	return n * (n + 1) / 2;
}

static inline size_t
tlv_packed2_index(size_t i, size_t j)
{
	return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

/* Full n x n matrix from the packed one, and back (the lower triangle is read). */
extern void tlv_packed2_unpack(size_t n, const double *packed, double *full);
extern void tlv_packed2_pack(size_t n, const double *full, double *packed);

/*
 * z = (D P D) x for a packed symmetric P (d x d), D = diag(scale) (NULL for
 * the identity), and transposed tall blocks x and z (l x d).  Tiled, BLAS-3,
 * interruptible; reads P once.
 */
extern tlv_status tlv_packed2_multiply(tlv_context *ctx, size_t d, const double *packed,
									   const double *scale, size_t l, const double *x, double *z);

/*
 * Block subspace iteration for the algebraically largest eigenvalues of an
 * implicit symmetric operator.
 *
 * x (l x d, transposed, orthonormal) is the current block, z (l x d) its image
 * under the operator, b (l x l) = x z' its Rayleigh quotient.  One step gives
 * the Ritz values (descending, l of them) and turns x into the next
 * orthonormal block: the images of the Ritz vectors, in the order of their
 * Ritz values, orthonormalised.  An indefinite operator converges to its
 * algebraically largest part: negative directions that the block has room for
 * stay in it, which keeps them out of the others, and when their values clearly
 * exceed the middle one of the block the operator is shifted.  Have l at least
 * 2 k where large negative eigenvalues are possible.  rng is used only where
 * images are linearly dependent.
 */
extern tlv_status tlv_subspace_step(tlv_context *ctx, size_t d, size_t l, double *x,
									const double *z, const double *b, tlv_rng *rng, double *ritz);

/* Largest relative change of the leading k Ritz values between two steps. */
extern double tlv_ritz_change(size_t k, const double *before, const double *after);

typedef tlv_status (*tlv_apply)(tlv_context *ctx, void *argument, size_t d, size_t l,
								const double *x, double *z);

/* n standard normal numbers, as tlv_rng_fill_normal draws them; with looks at tlv_should_stop(). */
extern tlv_status tlv_fill_normal(tlv_context *ctx, tlv_rng *rng, size_t n, double *x);

/* |a - b|^2 of d numbers each */
extern double tlv_squared_distance(size_t d, const double *a, const double *b);

/* Largest modulus of n numbers; NaN where one is. */
extern double tlv_largest_modulus(size_t n, const double *x);

/*
 * Entries of x (rows x columns, column by column) to at least `smallest`, then every row, or
 * column, scaled to sum 1; of a sum of 0 all alike.
 */
extern void tlv_normalize_rows(size_t rows, size_t columns, double smallest, double *x);
extern void tlv_normalize_columns(size_t rows, size_t columns, double smallest, double *x);

/* What a subspace iteration looks for, and when it ends. */
typedef struct tlv_eigen_task
{
	size_t n;		  /* dimension of the operator */
	size_t k;		  /* eigenvectors wanted */
	size_t l;		  /* directions of the block: k <= l <= n */
	double tolerance; /* ends when the leading k Ritz values change by less than this part ... */
	int max_steps;	  /* ... or after so many */
	bool modulus;	  /* in single precision: largest modulus, not algebraically largest */
	bool started;	  /* in single precision: from x as it is, not at random */
} tlv_eigen_task;

/*
 * Iterates until the leading k Ritz values change by less than tolerance
 * (relative) or max_steps is reached.  x (l x n) is filled with a random start
 * from rng and ends as an orthonormal block whose first k directions span the
 * dominant subspace, aligned with the Ritz vectors; ritz has l entries; *steps products with the
 * operator were made.  Memory: l n + l^2 doubles.  Errors: TLV_BAD_PARAMETER unless k <= l <= n,
 * memory, TLV_CANCELLED, those of apply.
 */
extern tlv_status tlv_subspace_iteration(tlv_context *ctx, const tlv_eigen_task *task,
										 tlv_apply apply, void *argument, tlv_rng *rng, double *x,
										 double *ritz, int *steps);

/* ---- what BLAS is in use ---- */
extern const char *tlv_blas_config(void);
extern const char *tlv_blas_core(void);
extern const char *tlv_blas_flavour(void);	/* of OpenBLAS: serial, pthread or openmp */
extern const char *tlv_blas_provider(void); /* shared object that cblas_dgemm comes from */
extern int tlv_blas_threads(void);
extern bool tlv_blas_in_threads(void); /* whether several threads may call it at a time */
extern void tlv_blas_set_threads(int threads);
extern const char *tlv_gsl_version(void);
/* Call once at load: GSL's default error handler would abort the process. */
extern void tlv_num_init(void);

#endif /* TENSORLV_LINALG_H */
