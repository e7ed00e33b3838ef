/*
 * linalg.c - products, factorisations and solves of dense matrices, cut into
 * pieces short enough to be interrupted (linalg.h).
 */
#include "tensorlv/num/linalg.h"

#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "orthonormal.h"
#include "tensorlv/num/assert.h"

/* Work of one BLAS call: about 0.05 s on one current core, 0.2 s on an old one. */
#define BLOCK_FLOPS TLV_GEMM_FLOAT_MOST
/* g is nearly orthogonal where I - g g' has a lesser Frobenius norm. */
#define NEARLY_ORTHOGONAL 0.7

static tlv_status
check_dimension(tlv_context *ctx, size_t n)
{
	if (n > INT_MAX / 2)
		return tlv_fail(ctx, TLV_LIMIT, "a matrix dimension of %zu is too large", n);
	return TLV_OK;
}

/* Halves the largest of the three block sizes until one block is short work. */
static void
block_sizes(size_t *m, size_t *n, size_t *k)
{
	while (2.0 * (double) *m * (double) *n * (double) (*k > 0 ? *k : 1) > BLOCK_FLOPS)
	{
		size_t *largest = *m >= *n ? m : n;

		if (*k > *largest)
			largest = k;
		*largest = (*largest + 1) / 2;
	}
}

tlv_status
tlv_gemm(tlv_context *ctx, bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k,
		 double alpha, const double *a, size_t lda, const double *b, size_t ldb, double beta,
		 double *c, size_t ldc)
{
	CBLAS_TRANSPOSE ta = transpose_a ? CblasTrans : CblasNoTrans;
	CBLAS_TRANSPOSE tb = transpose_b ? CblasTrans : CblasNoTrans;
	size_t mb = m, nb = n, kb = k;

	if (m == 0 || n == 0)
		return TLV_OK;
	TLV_TRY(check_dimension(ctx, lda));
	TLV_TRY(check_dimension(ctx, ldb));
	TLV_TRY(check_dimension(ctx, ldc));
	block_sizes(&mb, &nb, &kb);
	for (size_t j = 0; j < n; j += nb)
		for (size_t i = 0; i < m; i += mb)
			/* At least once, so that k = 0 still scales C by beta. */
			for (size_t p = 0; p == 0 || p < k; p += kb)
			{
				const double *pa = transpose_a ? a + p + i * lda : a + i + p * lda;
				const double *pb = transpose_b ? b + j + p * ldb : b + p + j * ldb;

				TLV_TRY_CONTINUE(ctx);
				cblas_dgemm(CblasColMajor, ta, tb, (int) tlv_least(mb, m - i),
							(int) tlv_least(nb, n - j), (int) tlv_least(kb, k - p), alpha, pa,
							(int) lda, pb, (int) ldb, p == 0 ? beta : 1, c + i + j * ldc,
							(int) ldc);
				if (k == 0)
					break;
			}
	return TLV_OK;
}

tlv_status
tlv_gemm_float(tlv_context *ctx, bool transpose_a, size_t m, size_t n, size_t k, const float *a,
			   size_t lda, const float *b, size_t ldb, float *c, size_t ldc)
{
	tlv_assert(2.0 * (double) m * (double) n * (double) k <= TLV_GEMM_FLOAT_MOST);
	if (m == 0 || n == 0)
		return TLV_OK;
	TLV_TRY(check_dimension(ctx, lda));
	TLV_TRY(check_dimension(ctx, ldb));
	TLV_TRY(check_dimension(ctx, ldc));
	TLV_TRY_CONTINUE(ctx);
	cblas_sgemm(CblasColMajor, transpose_a ? CblasTrans : CblasNoTrans, CblasNoTrans, (int) m,
				(int) n, (int) k, 1, a, (int) lda, b, (int) ldb, 0, c, (int) ldc);
	return TLV_OK;
}

/* Upper triangle from the lower one, by tiles that stay in cache. */
static void
mirror_lower(size_t n, double *c, size_t ldc)
{
	const size_t tile = 32;

	for (size_t j0 = 0; j0 < n; j0 += tile)
		for (size_t i0 = j0; i0 < n; i0 += tile)
			for (size_t j = j0; j < tlv_least(j0 + tile, n); j++)
				for (size_t i = i0 > j ? i0 : j + 1; i < tlv_least(i0 + tile, n); i++)
					c[j + i * ldc] = c[i + j * ldc];
}

/* One diagonal block of tlv_syrk, its k split into short pieces. */
static tlv_status
syrk_diagonal(tlv_context *ctx, bool transpose, size_t n, size_t k, double alpha, const double *a,
			  size_t lda, double beta, double *c, size_t ldc)
{
	size_t mb = n, nb = n, kb = k;

	block_sizes(&mb, &nb, &kb);
	for (size_t p = 0; p == 0 || p < k; p += kb)
	{
		TLV_TRY_CONTINUE(ctx);
		cblas_dsyrk(CblasColMajor, CblasLower, transpose ? CblasTrans : CblasNoTrans, (int) n,
					(int) tlv_least(kb, k - p), alpha, transpose ? a + p : a + p * lda, (int) lda,
					p == 0 ? beta : 1, c, (int) ldc);
		if (k == 0)
			break;
	}
	return TLV_OK;
}

tlv_status
tlv_syrk(tlv_context *ctx, bool transpose, size_t n, size_t k, double alpha, const double *a,
		 size_t lda, double beta, double *c, size_t ldc, bool mirror)
{
	const size_t width = 1024;

	TLV_TRY(check_dimension(ctx, lda));
	TLV_TRY(check_dimension(ctx, ldc));
	for (size_t j = 0; j < n; j += width)
	{
		size_t nb = tlv_least(width, n - j), below = j + nb;
		const double *aj = transpose ? a + j * lda : a + j;

		TLV_TRY(syrk_diagonal(ctx, transpose, nb, k, alpha, aj, lda, beta, c + j + j * ldc, ldc));
		TLV_TRY(tlv_gemm(ctx, transpose, !transpose, n - below, nb, k, alpha,
						 transpose ? a + below * lda : a + below, lda, aj, lda, beta,
						 c + below + j * ldc, ldc));
	}
	if (mirror)
		mirror_lower(n, c, ldc);
	return TLV_OK;
}

/* ---- numbers ---- */

tlv_status
tlv_fill_normal(tlv_context *ctx, tlv_rng *rng, size_t n, double *x)
{
	const size_t block = 250000;

	for (size_t i = 0; i < n; i += block)
	{
		TLV_TRY_CONTINUE(ctx);
		tlv_rng_fill_normal(rng, tlv_least(block, n - i), x + i);
	}
	return TLV_OK;
}

double
tlv_squared_distance(size_t d, const double *a, const double *b)
{
	double sum = 0;

	for (size_t i = 0; i < d; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

double
tlv_largest_modulus(size_t n, const double *x)
{
	double largest = 0;

	for (size_t i = 0; i < n; i++)
	{
		if (isnan(x[i]))
			return x[i];
		largest = fmax(largest, fabs(x[i]));
	}
	return largest;
}

/* n numbers, stride apart. */
static void
normalize_numbers(size_t n, size_t stride, double smallest, double *x)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i * stride] = fmax(x[i * stride], smallest);
	for (size_t i = 0; i < n; i++)
		x[i * stride] = sum > 0 ? x[i * stride] / sum : 1 / (double) n;
}

void
tlv_normalize_rows(size_t rows, size_t columns, double smallest, double *x)
{
	for (size_t j = 0; j < rows; j++)
		normalize_numbers(columns, rows, smallest, x + j);
}

void
tlv_normalize_columns(size_t rows, size_t columns, double smallest, double *x)
{
	for (size_t j = 0; j < columns; j++)
		normalize_numbers(rows, 1, smallest, x + j * rows);
}

/* ---- orthonormal bases ---- */

/* A row that keeps less than this part (squared) of its length is taken out again first. */
#define SUSPICIOUS_PIVOT 1e-6

/* Column j of the factor; returns its pivot. */
TLV_CLONES static double
guarded_column(size_t n, size_t j, double suspicious, double *restrict g)
{
	double pivot = g[j + j * n];
	bool guard = !(pivot > suspicious);
	double root = guard ? 1 : sqrt(pivot);

	g[j + j * n] = root;
	for (size_t i = j + 1; i < n; i++)
		g[i + j * n] = guard ? 0 : g[i + j * n] / root;
	for (size_t p = j + 1; p < n && !guard; p++)
	{
		double factor = g[p + j * n];

		for (size_t i = p; i < n; i++)
			g[i + p * n] -= factor * g[i + j * n];
	}
	return pivot;
}

tlv_status
tlv_guarded_cholesky(tlv_context *ctx, size_t n, double suspicious, double *restrict g,
					 double *smallest)
{
	/* Work of columns of a factor between two looks at whether to stop. */
	const double column_flops = 5e7;
	double work = 0;

	*smallest = 1;
	for (size_t j = 0; j < n; j++)
	{
		double pivot = guarded_column(n, j, suspicious, g);

		if (!(pivot >= *smallest))
			*smallest = isnan(pivot) ? fmin(*smallest, 0) : pivot;
		work += (double) (n - j) * (double) (n - j);
		if (work > column_flops)
		{
			TLV_TRY_CONTINUE(ctx);
			work = 0;
		}
	}
	return TLV_OK;
}

/* x = L^-1 diag(scale) x for the l x d block x, in column blocks. */
static tlv_status
apply_factor(tlv_context *ctx, size_t l, size_t d, const double *factor, const double *scale,
			 double *x)
{
	size_t width = (size_t) (BLOCK_FLOPS / ((double) l * (double) l + 1)) + 1;

	for (size_t j0 = 0; j0 < d; j0 += width)
	{
		size_t columns = tlv_least(width, d - j0);

		TLV_TRY_CONTINUE(ctx);
		for (size_t j = j0; j < j0 + columns; j++)
			for (size_t i = 0; i < l; i++)
				x[i + j * l] *= scale[i];
		cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int) l,
					(int) columns, 1, factor, (int) l, x + j0 * l, (int) l);
	}
	return TLV_OK;
}

typedef struct ortho_work
{
	double *gram;	/* l x l */
	double *scale;	/* what makes each row a unit vector */
	bool *replaced; /* by a random row */
} ortho_work;

/*
 * Lengths from the diagonal of the Gram matrix.  After the first round every
 * row had unit length before it was made orthogonal to the others, so that a
 * tiny length means a dependent row.  Those become random; *fresh is their
 * number.
 */
static tlv_status
scale_rows(tlv_context *ctx, size_t l, size_t d, bool first, double *x, ortho_work *w, tlv_rng *rng,
		   size_t *fresh)
{
	/* A row that keeps less than this part of its length is dependent to rounding. */
	const double dependent = 1e-11;

	*fresh = 0;
	for (size_t i = 0; i < l; i++)
	{
		double length = sqrt(w->gram[i + i * l]);

		if (!isfinite(length))
			return tlv_fail(ctx, TLV_BAD_DATA, "a basis has entries that are not finite");
		if (length > (first ? 0 : dependent))
		{
			w->scale[i] = 1 / length;
			continue;
		}
		for (size_t j = 0; j < d; j++)
			x[i + j * l] = tlv_rng_normal(rng);
		w->replaced[i] = true;
		(*fresh)++;
	}
	return TLV_OK;
}

/* Two rounds without a suspicious row are needed: the second brings full precision. */
static tlv_status
orthonormalize_rounds(tlv_context *ctx, size_t l, size_t d, double *x, ortho_work *w, tlv_rng *rng)
{
	for (int round = 0, clean = 0; clean < 2; round++)
	{
		double smallest;
		size_t fresh;

		if (round == 20)
			return tlv_fail(ctx, TLV_BAD_DATA,
							"a basis cannot be made orthonormal: numbers too large or too small");
		TLV_TRY(tlv_syrk(ctx, false, l, d, 1, x, l, 0, w->gram, l, false));
		TLV_TRY(scale_rows(ctx, l, d, round == 0, x, w, rng, &fresh));
		if (fresh > 0)
		{
			TLV_TRY(tlv_syrk(ctx, false, l, d, 1, x, l, 0, w->gram, l, false));
			TLV_TRY(scale_rows(ctx, l, d, true, x, w, rng, &fresh));
		}
		for (size_t j = 0; j < l; j++)
			for (size_t i = j; i < l; i++)
				w->gram[i + j * l] *= w->scale[i] * w->scale[j];
		TLV_TRY(tlv_guarded_cholesky(ctx, l, SUSPICIOUS_PIVOT, w->gram, &smallest));
		clean = smallest > SUSPICIOUS_PIVOT ? clean + 1 : 0;
		TLV_TRY(apply_factor(ctx, l, d, w->gram, w->scale, x));
	}
	return TLV_OK;
}

tlv_status
tlv_orthonormalize(tlv_context *ctx, size_t l, size_t d, double *x, tlv_rng *rng, size_t *rank)
{
	ortho_work w;
	double *block;
	tlv_status status;

	*rank = 0;
	if (l > d)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu directions in %zu dimensions", l, d);
	TLV_TRY(check_dimension(ctx, d));
	TLV_TRY_NEW0(ctx, block, l * (l + 2));
	w.gram = block;
	w.scale = block + l * l;
	w.replaced = (bool *) (w.scale + l);
	status = orthonormalize_rounds(ctx, l, d, x, &w, rng);
	for (size_t i = 0; i < l; i++)
		*rank += !w.replaced[i];
	tlv_free(ctx, block);
	return status;
}

/* ---- factorisations ---- */

/* gram = (I - g g') / 2 */
static tlv_status
half_defect(tlv_context *ctx, size_t n, const double *g, double *gram)
{
	TLV_TRY(tlv_gemm(ctx, false, true, n, n, n, -0.5, g, n, g, n, 0, gram, n));
	for (size_t i = 0; i < n; i++)
		gram[i + i * n] += 0.5;
	return TLV_OK;
}

tlv_status
tlv_polar_near(tlv_context *ctx, size_t n, double *g, double *gram, double *copy)
{
	for (int step = 0; step < 12; step++)
	{
		double distance = 0;

		TLV_TRY(half_defect(ctx, n, g, gram));
		for (size_t i = 0; i < n * n; i++)
			distance = fmax(distance, fabs(gram[i]));
		if (distance < 1e-15 * (double) (n + 10))
			break;
		memcpy(copy, g, n * n * sizeof(double));
		TLV_TRY(tlv_gemm(ctx, false, false, n, n, n, 1, gram, n, copy, n, 1, g, n));
	}
	return TLV_OK;
}

/* U W' of g = U S W'; u, vt and s are work space. */
static tlv_status
polar_by_svd(tlv_context *ctx, size_t n, double *g, double *u, double *vt, double *s)
{
	TLV_TRY(tlv_svd(ctx, n, n, g, u, s, vt));
	return tlv_gemm(ctx, false, false, n, n, n, 1, u, n, vt, n, 0, g, n);
}

tlv_status
tlv_polar(tlv_context *ctx, size_t n, double *g)
{
	double *work = tlv_alloc(ctx, n * (2 * n + 1), sizeof(double)), square = 0;
	tlv_status status;

	TLV_TRY_ALLOC(ctx, work);
	status = half_defect(ctx, n, g, work);
	for (size_t i = 0; i < n * n && status == TLV_OK; i++)
		square += 4 * work[i] * work[i];
	if (status == TLV_OK && square < NEARLY_ORTHOGONAL * NEARLY_ORTHOGONAL)
		status = tlv_polar_near(ctx, n, g, work, work + n * n);
	else if (status == TLV_OK)
		status = polar_by_svd(ctx, n, g, work, work + n * n, work + 2 * n * n);
	tlv_free(ctx, work);
	return status;
}

/* Right-looking by blocks. */
tlv_status
tlv_cholesky(tlv_context *ctx, size_t n, double *a)
{
	const size_t width = 256;

	for (size_t j = 0; j < n; j += width)
	{
		size_t nb = tlv_least(width, n - j), below = n - j - nb;
		double *diagonal = a + j + j * n, *panel = diagonal + nb;

		TLV_TRY_CONTINUE(ctx);
		if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int) nb, diagonal, (lapack_int) n) !=
			0)
			return tlv_fail(ctx, TLV_BAD_DATA, "a matrix is not positive definite");
		if (below == 0)
			break;
		cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int) below,
					(int) nb, 1, diagonal, (int) n, panel, (int) n);
		TLV_TRY(tlv_syrk(ctx, false, below, nb, -1, panel, n, 1, panel + nb * n, n, false));
	}
	return TLV_OK;
}

/* Columns of a right-hand side that one call solves for, of n equations. */
static size_t
solved_columns(size_t n)
{
	return (size_t) (BLOCK_FLOPS / ((double) n * (double) n + 1)) + 1;
}

/* B (n x m) becomes L^-1 B, or L'^-1 B; ldl and ldb are leading dimensions. */
static tlv_status
solve_columns(tlv_context *ctx, bool transpose, size_t n, size_t m, const double *l, size_t ldl,
			  double *b, size_t ldb)
{
	size_t width = solved_columns(n);

	for (size_t j = 0; j < m && n > 0; j += width)
	{
		TLV_TRY_CONTINUE(ctx);
		cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, transpose ? CblasTrans : CblasNoTrans,
					CblasNonUnit, (int) n, (int) tlv_least(width, m - j), 1, l, (int) ldl,
					b + j * ldb, (int) ldb);
	}
	return TLV_OK;
}

tlv_status
tlv_solve_triangle(tlv_context *ctx, bool transpose, size_t n, size_t m, const double *l, double *b)
{
	TLV_TRY(check_dimension(ctx, n));
	return solve_columns(ctx, transpose, n, m, l, n, b, n);
}

tlv_status
tlv_solve_spd(tlv_context *ctx, size_t n, size_t m, double *a, double *b)
{
	TLV_TRY(check_dimension(ctx, n));
	TLV_TRY(tlv_cholesky(ctx, n, a));
	TLV_TRY(solve_columns(ctx, false, n, m, a, n, b, n));
	return solve_columns(ctx, true, n, m, a, n, b, n);
}

/* A column of L^-1 is zero above the diagonal, one of L'^-1 below it: only the rest is solved for.
 */
tlv_status
tlv_invert_triangle(tlv_context *ctx, bool transpose, size_t n, const double *l, double *inverse)
{
	const size_t width = 256;

	TLV_TRY(check_dimension(ctx, n));
	for (size_t j = 0; j < n; j += width)
	{
		size_t nb = tlv_least(width, n - j), from = transpose ? 0 : j;
		size_t rows = transpose ? j + nb : n - j;

		TLV_TRY_CONTINUE(ctx);
		memset(inverse + j * n, 0, nb * n * sizeof(double));
		for (size_t i = j; i < j + nb; i++)
			inverse[i + i * n] = 1;
		TLV_TRY(solve_columns(ctx, transpose, rows, nb, l + from + from * n, n,
							  inverse + from + j * n, n));
	}
	return TLV_OK;
}

/* A^-1 = L'^-1 L^-1 */
tlv_status
tlv_invert_cholesky(tlv_context *ctx, size_t n, double *l)
{
	double *inverse;
	tlv_status status;

	TLV_TRY_NEW_ROWS(ctx, inverse, n, n);
	status = tlv_invert_triangle(ctx, false, n, l, inverse);
	if (status == TLV_OK)
		status = tlv_syrk(ctx, true, n, n, 1, inverse, n, 0, l, n, true);
	tlv_free(ctx, inverse);
	return status;
}

/* inverse (n x m) = V S^+ U'; copy is overwritten. */
static tlv_status
pseudo_inverse_from(tlv_context *ctx, size_t m, size_t n, double *copy, double *u, double *s,
					double *vt, double tolerance, double *inverse, size_t *rank)
{
	size_t r = tlv_least(m, n);

	TLV_TRY(tlv_svd(ctx, m, n, copy, u, s, vt));
	for (size_t j = 0; j < r && s[j] > 0 && s[j] >= tolerance * s[0]; j++)
	{
		for (size_t i = 0; i < m; i++)
			u[i + j * m] /= s[j];
		(*rank)++;
	}
	return tlv_gemm(ctx, true, true, n, m, *rank, 1, vt, r, u, m, 0, inverse, n);
}

tlv_status
tlv_pseudo_inverse(tlv_context *ctx, size_t m, size_t n, const double *a, double tolerance,
				   double *inverse, size_t *rank)
{
	size_t r = tlv_least(m, n);
	double *work;
	tlv_status status;

	*rank = 0;
	if (r == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, work, m * n + m * r + r * n + r);
	memcpy(work, a, m * n * sizeof(double));
	status = pseudo_inverse_from(ctx, m, n, work, work + m * n, work + m * n + m * r + r * n,
								 work + m * n + m * r, tolerance, inverse, rank);
	tlv_free(ctx, work);
	return status;
}
