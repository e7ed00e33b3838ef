/*
 * singular.c - the largest singular values of many small matrices (linalg.h).
 */
#include "tensorlv/num/linalg.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

/* Up to here sweeps of rotations are faster than a call of LAPACK. */
#define JACOBI_MOST 6

/* One rotation that takes out g[i][j] (Golub, Van Loan, section 8.5). */
static void
rotate_columns(size_t r, double *g, size_t i, size_t j)
{
	double off = g[i * r + j], theta, t, c, s;

	if (off == 0)
		return;
	theta = (g[j * r + j] - g[i * r + i]) / (2 * off);
	t = 1 / (fabs(theta) + sqrt(theta * theta + 1));
	t = theta < 0 ? -t : t;
	c = 1 / sqrt(t * t + 1);
	s = t * c;
	for (size_t p = 0; p < r; p++)
	{
		double x = g[p * r + i], y = g[p * r + j];

		g[p * r + i] = c * x - s * y;
		g[p * r + j] = s * x + c * y;
	}
	for (size_t p = 0; p < r; p++)
	{
		double x = g[i * r + p], y = g[j * r + p];

		g[i * r + p] = c * x - s * y;
		g[j * r + p] = s * x + c * y;
	}
}

/* Eigenvalues, in no order, onto the diagonal. */
static void
jacobi_singular(size_t r, double *g)
{
	double diagonal = 0;

	for (size_t i = 0; i < r; i++)
		diagonal += g[i * r + i];
	for (int sweep = 0; sweep < 20; sweep++)
	{
		double off = 0;

		for (size_t i = 0; i < r; i++)
			for (size_t j = i + 1; j < r; j++)
				off += fabs(g[i * r + j]);
		if (!(off > 1e-15 * diagonal))
			return;
		for (size_t i = 0; i < r; i++)
			for (size_t j = i + 1; j < r; j++)
				rotate_columns(r, g, i, j);
	}
}

/* The smaller of A A' and A' A, both triangles. */
static void
gram(size_t m, size_t n, const double *a, double *g)
{
	size_t r = m < n ? m : n, terms = m < n ? n : m;
	size_t step = m < n ? 1 : m, along = m < n ? m : 1; /* of a vector, of its entries */

	if (r > JACOBI_MOST)
	{
		cblas_dsyrk(CblasColMajor, CblasLower, m < n ? CblasNoTrans : CblasTrans, (int) r,
					(int) terms, 1, a, (int) m, 0, g, (int) r);
		return;
	}
	for (size_t i = 0; i < r; i++)
		for (size_t j = 0; j <= i; j++)
		{
			double sum = 0;

			for (size_t t = 0; t < terms; t++)
				sum += a[i * step + t * along] * a[j * step + t * along];
			g[i * r + j] = g[j * r + i] = sum;
		}
}

size_t
tlv_singular_values_work(size_t m, size_t n)
{
	size_t r = m < n ? m : n;

	return r * (r + 1) + 64 * r;
}

/* The k largest of r values, by taking the largest of those left. */
static void
take_largest(size_t r, const double *g, size_t along, size_t k, double *s, double *left)
{
	for (size_t i = 0; i < r; i++)
		left[i] = g[i * along];
	for (size_t i = 0; i < k; i++)
	{
		size_t best = 0;

		for (size_t j = 1; j < r; j++)
			if (left[j] > left[best])
				best = j;
		s[i] = sqrt(fmax(0, left[best]));
		left[best] = -HUGE_VAL;
	}
}

tlv_status
tlv_singular_values(tlv_context *ctx, size_t m, size_t n, const double *a, size_t k, double *s,
					double *work)
{
	size_t r = m < n ? m : n;
	double *g = work, *values = work + r * r, *rest = values + r;

	gram(m, n, a, g);
	if (r <= JACOBI_MOST)
	{
		jacobi_singular(r, g);
		take_largest(r, g, r + 1, k, s, values);
		return TLV_OK;
	}
	if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int) r, g, (lapack_int) r, values,
						   rest, (lapack_int) (64 * r)) != 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "the singular values of a matrix did not converge");
	take_largest(r, values, 1, k, s, rest);
	return TLV_OK;
}
