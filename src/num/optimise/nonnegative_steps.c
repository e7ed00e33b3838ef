/*
 * nonnegative_steps.c - the steps of the methods for nonnegative factors (nonnegative.h).
 */
#include "nonnegative_internal.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"

/* Added to both sides of a multiplicative step. */
#define STEP_SHIFT 1e-10

static void
step_hals(nonnegative_work *work, int mode)
{
	size_t k = work->k;

	for (size_t i = 0; i < work->d[mode]; i++)
	{
		double *x = work->factor[mode] + i * k;
		const double *z = work->z + i * k;

		for (size_t h = 0; h < k; h++)
		{
			double rest = z[h];

			if (!(work->q[h * k + h] > 0))
				continue;
			for (size_t g = 0; g < k; g++)
				rest -= x[g] * work->q[h * k + g];
			x[h] = fmax(x[h] + rest / work->q[h * k + h], LEAST_ENTRY);
		}
	}
}

/* *least: the least eigenvalue of q; copy: its Cholesky factor's matrix, values: lengths of
 * Q^-1/2 z of every row, in `below`. */
static tlv_status
find_shift(tlv_context *ctx, nonnegative_work *work, int mode, bool *shifted)
{
	/* A Gram matrix of smaller eigenvalues has no shift. */
	const double singular = 1e-12;
	size_t k = work->k, n = work->d[mode];
	double trace = 0, least;

	for (size_t h = 0; h < k; h++)
		trace += work->q[h * k + h];
	memcpy(work->copy, work->q, k * k * sizeof(double));
	TLV_TRY(tlv_eigen_symmetric(ctx, k, work->copy, work->values));
	least = work->values[k - 1];
	*shifted = least > singular * trace / (double) k;
	if (!*shifted)
		return TLV_OK;
	memcpy(work->copy, work->q, k * k * sizeof(double));
	memcpy(work->below, work->z, n * k * sizeof(double));
	TLV_TRY(tlv_solve_spd(ctx, k, n, work->copy, work->below));
	for (size_t i = 0; i < n; i++)
	{
		double square = 0;

		for (size_t h = 0; h < k; h++)
			square += work->z[i * k + h] * work->below[i * k + h];
		work->below[i * k] = sqrt(fmax(square, 0) / least);
	}
	return TLV_OK;
}

static tlv_status
step_pqp(tlv_context *ctx, nonnegative_work *work, int mode)
{
	size_t k = work->k;
	bool shifted;

	TLV_TRY(find_shift(ctx, work, mode, &shifted));
	for (size_t i = 0; i < work->d[mode]; i++)
	{
		double *x = work->factor[mode] + i * k;
		const double *z = work->z + i * k;

		for (size_t h = 0; h < k; h++)
		{
			double product = 0, shift = STEP_SHIFT;

			if (shifted)
				shift += fmax(work->below[i * k] * work->q[h * k + h] - fabs(z[h]), 0) / 2;
			for (size_t g = 0; g < k; g++)
				product += x[g] * work->q[h * k + g];
			work->values[h] = x[h] * (fmax(z[h], 0) + shift) / (product + fmax(-z[h], 0) + shift);
		}
		memcpy(x, work->values, k * sizeof(double));
	}
	return TLV_OK;
}

tlv_status
tlv_nonnegative_step(tlv_context *ctx, nonnegative_work *work, int mode)
{
	if (work->options->method == TLV_NONNEGATIVE_PQP)
		return step_pqp(ctx, work, mode);
	step_hals(work, mode);
	return TLV_OK;
}
