/*
 * eigen.c - all eigenvalues and eigenvectors of a dense symmetric matrix
 * (linalg.h).
 */
#include "tensorlv/num/linalg.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "reduce.h"
#include "tensorlv/num/assert.h"

/* LAPACK's routine behind dsytrd, for which LAPACKE has no name: the first nb columns of the lower
 * triangle, and w for the update of the others.  The last argument is the length of uplo. */
extern void dlatrd_(const char *uplo, const lapack_int *n, const lapack_int *nb, double *a,
					const lapack_int *lda, double *e, double *tau, double *w, const lapack_int *ldw,
					size_t uplo_length);

/* LAPACK orders ascending. */
static void
reverse_columns(size_t n, double *a, double *values)
{
	for (size_t j = 0; j < n / 2; j++)
	{
		double *left = a + j * n, *right = a + (n - 1 - j) * n, swap = values[j];

		values[j] = values[n - 1 - j];
		values[n - 1 - j] = swap;
		for (size_t i = 0; i < n; i++)
		{
			swap = left[i];
			left[i] = right[i];
			right[i] = swap;
		}
	}
}

static void
fix_signs(size_t n, double *a)
{
	for (size_t j = 0; j < n; j++)
	{
		double *column = a + j * n;
		size_t largest = 0;

		for (size_t i = 1; i < n; i++)
			if (fabs(column[i]) > fabs(column[largest]))
				largest = i;
		if (column[largest] < 0)
			for (size_t i = 0; i < n; i++)
				column[i] = -column[i];
	}
}

static tlv_status
eigen_direct(tlv_context *ctx, size_t n, double *a, double *values)
{
	lapack_int size = (lapack_int) n, info, integers;
	double doubles, *work;

	info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', size, a, size, values, &doubles, -1,
							   &integers, -1);
	if (info != 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "the eigenvalues of a matrix cannot be computed (%d)",
						(int) info);
	TLV_TRY_NEW(ctx, work, (size_t) doubles + (size_t) integers);
	info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', size, a, size, values, work,
							   (lapack_int) doubles, (lapack_int *) (work + (size_t) doubles),
							   integers);
	tlv_free(ctx, work);
	if (info != 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "the eigenvalues of a matrix did not converge");
	return TLV_OK;
}

/* Work space of a problem that is solved in blocks: one allocation. */
typedef struct eigen_work
{
	double *vectors; /* n x n, of the tridiagonal matrix, then of A */
	double *e, *tau;
	double *update; /* n x TLV_REDUCED_COLUMNS */
	double *scratch;
	lapack_int scratch_size;
	lapack_int *integers;
	lapack_int n_integers;
} eigen_work;

static tlv_status
new_eigen_work(tlv_context *ctx, size_t n, eigen_work *w)
{
	/* What dstedc takes; the others take TLV_REDUCED_SCRATCH. */
	size_t scratch = 1 + 4 * n + n * n + TLV_REDUCED_SCRATCH, integers = 3 + 5 * n;

	w->scratch_size = (lapack_int) scratch;
	w->n_integers = (lapack_int) integers;
	TLV_TRY_NEW(ctx, w->vectors, n * n + (2 + TLV_REDUCED_COLUMNS) * n + scratch + integers);
	w->e = w->vectors + n * n;
	w->tau = w->e + n;
	w->update = w->tau + n;
	w->scratch = w->update + n * TLV_REDUCED_COLUMNS;
	w->integers = (lapack_int *) (w->scratch + scratch);
	return TLV_OK;
}

/* A = Q T Q': below the diagonal of a the reflectors of Q, in d and w->e the diagonals of T. */
static tlv_status
tridiagonalise(tlv_context *ctx, size_t n, double *a, double *d, eigen_work *w)
{
	lapack_int order = (lapack_int) n, rest, nb = TLV_REDUCED_COLUMNS;
	size_t j = 0;

	for (; n - j > TLV_REDUCED_AT_ONCE; j += (size_t) nb)
	{
		size_t left = n - j, after = left - (size_t) nb;
		double *block = a + j * (n + 1);

		TLV_TRY_CONTINUE(ctx);
		rest = (lapack_int) left;
		dlatrd_("L", &rest, &nb, block, &order, w->e + j, w->tau + j, w->update, &rest, 1);
		cblas_dsyr2k(CblasColMajor, CblasLower, CblasNoTrans, (int) after, (int) nb, -1, block + nb,
					 (int) n, w->update + nb, (int) left, 1, block + (size_t) nb * (n + 1),
					 (int) n);
		for (size_t i = 0; i < (size_t) nb; i++)
			d[j + i] = block[i * (n + 1)];
	}
	TLV_TRY_CONTINUE(ctx);
	rest = (lapack_int) (n - j);
	if (LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, 'L', rest, a + j * (n + 1), order, d + j, w->e + j,
							w->tau + j, w->scratch, w->scratch_size) != 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "a matrix cannot be made tridiagonal");
	return TLV_OK;
}

static tlv_status
eigen_steps(tlv_context *ctx, size_t n, double *a, double *values, eigen_work *w)
{
	lapack_int order = (lapack_int) n;
	size_t width = tlv_reduced_width(n, n);

	TLV_TRY(tridiagonalise(ctx, n, a, values, w));
	TLV_TRY_CONTINUE(ctx);
	if (LAPACKE_dstedc_work(LAPACK_COL_MAJOR, 'I', order, values, w->e, w->vectors, order,
							w->scratch, w->scratch_size, w->integers, w->n_integers) != 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "the eigenvalues of a matrix did not converge");
	for (size_t j = 0; j < n; j += width)
	{
		TLV_TRY_CONTINUE(ctx);
		if (LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', 'L', 'N', order,
								(lapack_int) tlv_least(width, n - j), a, order, w->tau,
								w->vectors + j * n, order, w->scratch, w->scratch_size) != 0)
			return tlv_fail(ctx, TLV_BAD_DATA, "the eigenvectors of a matrix cannot be computed");
	}
	memcpy(a, w->vectors, n * n * sizeof(double));
	return TLV_OK;
}

/* What dsyevd does, with looks at interrupts between blocks of columns: the divide and conquer of
 * the tridiagonal matrix is the one call that remains, .1 s for n = 1000. */
static tlv_status
eigen_in_blocks(tlv_context *ctx, size_t n, double *a, double *values)
{
	double largest = 0, scale;
	eigen_work w;
	tlv_status status;

	for (size_t j = 0; j < n; j++)
		for (size_t i = j; i < n; i++)
			largest = fmax(largest, fabs(a[i + j * n]));
	scale = tlv_reduced_scale(largest);
	for (size_t j = 0; j < n; j++)
		for (size_t i = j; i < n; i++)
			a[i + j * n] *= scale;
	TLV_TRY(new_eigen_work(ctx, n, &w));
	status = eigen_steps(ctx, n, a, values, &w);
	for (size_t i = 0; i < n && status == TLV_OK; i++)
		values[i] /= scale;
	tlv_free(ctx, w.vectors);
	return status;
}

tlv_status
tlv_eigen_symmetric(tlv_context *ctx, size_t n, double *a, double *values)
{
	/* Dimension of a problem that one call of LAPACK solves within .1 s. */
	const int direct_most = 450;

	if (n > TLV_EIGEN_LIMIT)
		return tlv_fail(ctx, TLV_LIMIT, "a dense eigenproblem of dimension %zu exceeds %d", n,
						TLV_EIGEN_LIMIT);
	if (n == 0)
		return TLV_OK;
	/* dsyevd may loop on what is not a number. */
	for (size_t j = 0; j < n; j++)
		for (size_t i = j; i < n; i++)
			if (!isfinite(a[i + j * n]))
				return tlv_fail(ctx, TLV_BAD_DATA, "a matrix has entries that are not finite");
	TLV_TRY_CONTINUE(ctx);
	TLV_TRY(n <= direct_most ? eigen_direct(ctx, n, a, values)
							 : eigen_in_blocks(ctx, n, a, values));
	reverse_columns(n, a, values);
	fix_signs(n, a);
	tlv_assert(tlv_descends(n, values));
	return TLV_OK;
}

/* Runs dgeev twice, the first time for the size of its work space. */
static tlv_status
eigen_general_direct(tlv_context *ctx, size_t n, double *a, double *vectors, double *values)
{
	lapack_int size = (lapack_int) n, info;
	double doubles, *work;

	info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'V', size, a, size, values, values + n, NULL,
							  1, vectors, size, &doubles, -1);
	if (info != 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "the eigenvectors of a matrix cannot be computed (%d)",
						(int) info);
	TLV_TRY_NEW(ctx, work, (size_t) doubles);
	info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'V', size, a, size, values, values + n, NULL,
							  1, vectors, size, work, (lapack_int) doubles);
	tlv_free(ctx, work);
	if (info != 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "the eigenvectors of a matrix did not converge");
	return TLV_OK;
}

tlv_status
tlv_eigen_general(tlv_context *ctx, size_t n, double *a, double *vectors, bool *real)
{
	double *values;

	*real = true;
	if (n > TLV_GENERAL_LIMIT)
		return tlv_fail(ctx, TLV_LIMIT, "a general eigenproblem of dimension %zu exceeds %d", n,
						TLV_GENERAL_LIMIT);
	for (size_t i = 0; i < n * n; i++)
		if (!isfinite(a[i]))
			return tlv_fail(ctx, TLV_BAD_DATA, "a matrix has entries that are not finite");
	if (n == 0)
		return TLV_OK;
	TLV_TRY_CONTINUE(ctx);
	TLV_TRY_NEW(ctx, values, 2 * n);
	TLV_TRY(eigen_general_direct(ctx, n, a, vectors, values));
	for (size_t i = 0; i < n; i++)
		*real &= values[n + i] == 0;
	tlv_free(ctx, values);
	return TLV_OK;
}
