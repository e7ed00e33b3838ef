/*
 * eigen.c - all eigenvalues and eigenvectors of a dense symmetric matrix
 * (linalg.h).
 */
#include "tensorlv/num/linalg.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "tensorlv/num/assert.h"

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

tlv_status
tlv_eigen_symmetric(tlv_context *ctx, size_t n, double *a, double *values)
{
	/* One call that cannot be interrupted: .2 s at this size, 2 s at 2400. */
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
	TLV_TRY(eigen_direct(ctx, n, a, values));
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
	if (n > TLV_EIGEN_LIMIT)
		return tlv_fail(ctx, TLV_LIMIT, "a dense eigenproblem of dimension %zu exceeds %d", n,
						TLV_EIGEN_LIMIT);
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
