/*
 * svd.c - singular values and vectors of a dense matrix (linalg.h).
 *
 * A small problem is one call of LAPACK.  A larger one takes the same three steps with looks at
 * interrupts between blocks of columns: A = Q R, R = Q' B P' with an upper bidiagonal B, and
 * B = U S V' by divide and conquer, which is the one call that remains (Golub, Van Loan, section
 * 8.6).
 */
#include "tensorlv/num/linalg.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "reduce.h"

/* LAPACK's routine behind dgebrd, for which LAPACKE has no name: the first nb rows and columns
 * of an m x n matrix, and x, y for the update of the others. */
extern void dlabrd_(const lapack_int *m, const lapack_int *n, const lapack_int *nb, double *a,
					const lapack_int *lda, double *d, double *e, double *tauq, double *taup,
					double *x, const lapack_int *ldx, double *y, const lapack_int *ldy);

/* Work space of a large problem, n <= m: one block. */
typedef struct svd_work
{
	size_t m, n;
	double *a;	   /* m x n: below its diagonal the reflectors of Q */
	double *r;	   /* n x n: R, then the reflectors of both sides of B */
	double *d, *e; /* n: diagonals of B, of which d becomes S */
	double *tau, *tau_left, *tau_right;
	double *rows, *columns; /* n x TLV_REDUCED_COLUMNS: what updates the rest of R */
	double *scratch;		/* of LAPACK */
	lapack_int scratch_size;
	lapack_int *integers; /* 8 n */
} svd_work;

/* ---- A = Q R ---- */

/* Columns of a block of Q; at least one. */
static size_t
factored_columns(size_t m)
{
	/* m b^2 of a block of b columns that is factored in one call. */
	const double factored_most = 5e7;
	size_t most = (size_t) sqrt(factored_most / (double) m);

	return most < 1 ? 1 : tlv_least(most, TLV_REDUCED_COLUMNS);
}

/* c (m - j rows, `columns` columns, leading dimension m) becomes H c or H' c, H the reflectors of
 * the nb columns from j on. */
static tlv_status
apply_block(tlv_context *ctx, svd_work *w, bool transpose, size_t j, size_t nb, size_t columns,
			double *c)
{
	size_t rows = w->m - j, width = tlv_reduced_width(rows, nb);

	for (size_t i = 0; i < columns; i += width)
	{
		TLV_TRY_CONTINUE(ctx);
		if (LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', transpose ? 'T' : 'N', (lapack_int) rows,
								(lapack_int) tlv_least(width, columns - i), (lapack_int) nb,
								w->a + j + j * w->m, (lapack_int) w->m, w->tau + j, c + i * w->m,
								(lapack_int) w->m, w->scratch, w->scratch_size) != 0)
			return tlv_fail(ctx, TLV_BAD_DATA, "a matrix cannot be factored");
	}
	return TLV_OK;
}

static tlv_status
factor(tlv_context *ctx, svd_work *w)
{
	size_t width = factored_columns(w->m);

	for (size_t j = 0; j < w->n; j += width)
	{
		size_t nb = tlv_least(width, w->n - j);

		TLV_TRY_CONTINUE(ctx);
		if (LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, (lapack_int) (w->m - j), (lapack_int) nb,
								w->a + j + j * w->m, (lapack_int) w->m, w->tau + j, w->scratch,
								w->scratch_size) != 0)
			return tlv_fail(ctx, TLV_BAD_DATA, "a matrix cannot be factored");
		TLV_TRY(apply_block(ctx, w, true, j, nb, w->n - j - nb, w->a + j + (j + nb) * w->m));
	}
	for (size_t j = 0; j < w->n; j++)
	{
		memcpy(w->r + j * w->n, w->a + j * w->m, (j + 1) * sizeof(double));
		memset(w->r + j + 1 + j * w->n, 0, (w->n - j - 1) * sizeof(double));
	}
	return TLV_OK;
}

/* u (m x n), whose first n rows are set and whose others are zero, becomes Q u. */
static tlv_status
svd_apply_factor(tlv_context *ctx, svd_work *w, double *u)
{
	size_t width = factored_columns(w->m), blocks = (w->n + width - 1) / width;

	for (size_t b = blocks; b-- > 0;)
	{
		size_t j = b * width;

		TLV_TRY(apply_block(ctx, w, false, j, tlv_least(width, w->n - j), w->n, u + j));
	}
	return TLV_OK;
}

/* ---- R = Q B P' ---- */

static tlv_status
bidiagonalise(tlv_context *ctx, svd_work *w)
{
	size_t n = w->n, j = 0;
	lapack_int order = (lapack_int) n, rest, nb = TLV_REDUCED_COLUMNS;

	for (; n - j > TLV_REDUCED_AT_ONCE; j += (size_t) nb)
	{
		size_t left = n - j, after = left - (size_t) nb;
		double *block = w->r + j + j * n, *others = block + (size_t) nb * (n + 1);

		TLV_TRY_CONTINUE(ctx);
		rest = (lapack_int) left;
		dlabrd_(&rest, &rest, &nb, block, &order, w->d + j, w->e + j, w->tau_left + j,
				w->tau_right + j, w->rows, &rest, w->columns, &rest);
		TLV_TRY(tlv_gemm(ctx, false, true, after, after, (size_t) nb, -1, block + nb, n,
						 w->columns + nb, left, 1, others, n));
		TLV_TRY(tlv_gemm(ctx, false, false, after, after, (size_t) nb, -1, w->rows + nb, left,
						 block + (size_t) nb * n, n, 1, others, n));
	}
	TLV_TRY_CONTINUE(ctx);
	rest = (lapack_int) (n - j);
	if (LAPACKE_dgebrd_work(LAPACK_COL_MAJOR, rest, rest, w->r + j + j * n, order, w->d + j,
							w->e + j, w->tau_left + j, w->tau_right + j, w->scratch,
							w->scratch_size) != 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "a matrix cannot be made bidiagonal");
	return TLV_OK;
}

/* The singular vectors of R from those of B: u is n x n with leading dimension m, vt n x n. */
static tlv_status
apply_bidiagonal(tlv_context *ctx, svd_work *w, double *u, double *vt)
{
	size_t n = w->n, width = tlv_reduced_width(n, n);
	lapack_int order = (lapack_int) n;

	for (size_t j = 0; j < n; j += width)
	{
		lapack_int columns = (lapack_int) tlv_least(width, n - j);

		TLV_TRY_CONTINUE(ctx);
		if (LAPACKE_dormbr_work(LAPACK_COL_MAJOR, 'Q', 'L', 'N', order, columns, order, w->r, order,
								w->tau_left, u + j * w->m, (lapack_int) w->m, w->scratch,
								w->scratch_size) != 0 ||
			LAPACKE_dormbr_work(LAPACK_COL_MAJOR, 'P', 'R', 'T', columns, order, order, w->r, order,
								w->tau_right, vt + j, order, w->scratch, w->scratch_size) != 0)
			return tlv_fail(ctx, TLV_BAD_DATA, "singular vectors cannot be computed");
	}
	return TLV_OK;
}

/* ---- all steps ---- */

static tlv_status
new_work(tlv_context *ctx, size_t m, size_t n, double *a, svd_work *w)
{
	size_t panel = n * TLV_REDUCED_COLUMNS;
	/* dbdsdc takes 3 n^2 + 4 n, the others the width of their block times their panel. */
	size_t scratch = 3 * n * n + 4 * n + TLV_REDUCED_SCRATCH;

	*w = (svd_work){.m = m, .n = n, .a = a, .scratch_size = (lapack_int) scratch};
	TLV_TRY_NEW(ctx, w->r, n * n + 5 * n + 2 * panel + scratch + 8 * n);
	w->d = w->r + n * n;
	w->e = w->d + n;
	w->tau = w->e + n;
	w->tau_left = w->tau + n;
	w->tau_right = w->tau_left + n;
	w->rows = w->tau_right + n;
	w->columns = w->rows + panel;
	w->scratch = w->columns + panel;
	w->integers = (lapack_int *) (w->scratch + scratch);
	return TLV_OK;
}

static tlv_status
solve_steps(tlv_context *ctx, svd_work *w, double *u, double *s, double *vt)
{
	size_t m = w->m, n = w->n;

	TLV_TRY(factor(ctx, w));
	TLV_TRY(bidiagonalise(ctx, w));
	TLV_TRY_CONTINUE(ctx);
	for (size_t j = 0; j < n; j++)
		memset(u + j * m, 0, m * sizeof(double));
	TLV_TRY_CONTINUE(ctx);
	if (LAPACKE_dbdsdc_work(LAPACK_COL_MAJOR, 'U', 'I', (lapack_int) n, w->d, w->e, u,
							(lapack_int) m, vt, (lapack_int) n, NULL, NULL, w->scratch,
							w->integers) != 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "the singular values of a matrix did not converge");
	memcpy(s, w->d, n * sizeof(double));
	TLV_TRY(apply_bidiagonal(ctx, w, u, vt));
	return svd_apply_factor(ctx, w, u);
}

/* n <= m. */
static tlv_status
svd_tall(tlv_context *ctx, size_t m, size_t n, double *a, double *u, double *s, double *vt)
{
	double largest = 0, scale;
	svd_work w;
	tlv_status status;

	for (size_t i = 0; i < m * n; i++)
		largest = fmax(largest, fabs(a[i]));
	scale = tlv_reduced_scale(largest);
	TLV_TRY_CONTINUE(ctx);
	for (size_t i = 0; i < m * n; i++)
		a[i] *= scale;
	TLV_TRY(new_work(ctx, m, n, a, &w));
	status = solve_steps(ctx, &w, u, s, vt);
	for (size_t i = 0; i < n && status == TLV_OK; i++)
		s[i] /= scale;
	tlv_free(ctx, w.r);
	return status;
}

/* to (n x m) becomes the transpose of from (m x n). */
static void
transpose(size_t m, size_t n, const double *from, double *to)
{
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < m; i++)
			to[j + i * n] = from[i + j * m];
}

/* m < n: A' = V S U'. */
static tlv_status
svd_wide(tlv_context *ctx, size_t m, size_t n, double *a, double *u, double *s, double *vt)
{
	double *turned, *left;
	tlv_status status;

	TLV_TRY_NEW(ctx, turned, m * n + m * m);
	left = turned + m * n;
	transpose(m, n, a, turned);
	status = svd_tall(ctx, n, m, turned, a, s, left);
	if (status == TLV_OK)
	{
		transpose(n, m, a, vt);
		transpose(m, m, left, u);
	}
	tlv_free(ctx, turned);
	return status;
}

/* One call of LAPACK. */
static tlv_status
svd_direct(tlv_context *ctx, size_t m, size_t n, double *a, double *u, double *s, double *vt)
{
	size_t r = tlv_least(m, n);
	lapack_int rows = (lapack_int) m, columns = (lapack_int) n, rank = (lapack_int) r, info;
	double *work, size;
	lapack_int *integers;

	info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', rows, columns, a, rows, s, u, rows, vt, rank,
							   &size, -1, NULL);
	if (info != 0)
		return tlv_fail(ctx, TLV_BAD_DATA,
						"the singular values of a matrix cannot be computed (%d)", (int) info);
	TLV_TRY_NEW(ctx, work, (size_t) size + 4 * r);
	integers = (lapack_int *) (work + (size_t) size);
	info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', rows, columns, a, rows, s, u, rows, vt, rank,
							   work, (lapack_int) size, integers);
	tlv_free(ctx, work);
	if (info != 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "the singular values of a matrix did not converge");
	return TLV_OK;
}

static double
problem_size(size_t m, size_t n)
{
	return (double) m * (double) n * (double) tlv_least(m, n);
}

tlv_status
tlv_require_svd(tlv_context *ctx, size_t m, size_t n)
{
	/* m n min(m, n) of the largest problem: 1000 x 1000. */
	const double problem_most = 1e9;

	if (m > INT_MAX / 2 || n > INT_MAX / 2 || problem_size(m, n) > problem_most)
		return tlv_fail(ctx, TLV_LIMIT, "a singular value problem of %zu x %zu is too large", m, n);
	return TLV_OK;
}

tlv_status
tlv_svd(tlv_context *ctx, size_t m, size_t n, double *a, double *u, double *s, double *vt)
{
	/* m n min(m, n) of a problem that one call of LAPACK solves within .1 s. */
	const double call_most = 1e8;

	TLV_TRY(tlv_require_svd(ctx, m, n));
	if (m == 0 || n == 0)
		return TLV_OK;
	TLV_TRY_CONTINUE(ctx);
	/* LAPACK may loop or crash on what is not a number. */
	for (size_t i = 0; i < m * n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!isfinite(a[i]))
			return tlv_fail(ctx, TLV_BAD_DATA, "a matrix has entries that are not finite");
	}
	if (problem_size(m, n) <= call_most)
		return svd_direct(ctx, m, n, a, u, s, vt);
	return m < n ? svd_wide(ctx, m, n, a, u, s, vt) : svd_tall(ctx, m, n, a, u, s, vt);
}
