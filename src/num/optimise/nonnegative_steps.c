/*
 * nonnegative_steps.c - the steps of the methods for nonnegative factors (nonnegative.h).
 */
#include "nonnegative_internal.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"

/* Added to both sides of a multiplicative step. */
#define STEP_SHIFT 1e-10

tlv_status
tlv_nonnegative_model(tlv_context *ctx, nonnegative_work *work)
{
	const size_t *d = work->d;
	size_t k = work->k, all = d[0] * d[1] * d[2];

	for (size_t x = 0; x < d[0]; x++)
		for (size_t y = 0; y < d[1]; y++)
			for (size_t h = 0; h < k; h++)
				work->rows[(x * d[1] + y) * k + h] =
					work->factor[0][x * k + h] * work->factor[1][y * k + h];
	TLV_TRY(tlv_gemm(ctx, true, false, d[2], d[0] * d[1], k, 1, work->factor[2], k, work->rows, k,
					 0, work->model, d[2]));
	for (size_t i = 0; i < all; i++)
		if (work->tensor.dense[i] < 0)
			work->model[i] = 0;
	return TLV_OK;
}

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

static tlv_status
step_wnmf(tlv_context *ctx, nonnegative_work *work, int mode)
{
	size_t all = work->d[mode] * work->k;
	tlv_tensor model = work->tensor;

	TLV_TRY(tlv_nonnegative_model(ctx, work));
	model.dense = work->model;
	TLV_TRY(tlv_tensor_multiply(ctx, &model, work->k, work->factor, mode, false, work->rows,
								work->below));
	for (size_t i = 0; i < all; i++)
		work->factor[mode][i] *= (work->z[i] + STEP_SHIFT) / (work->below[i] + STEP_SHIFT);
	return TLV_OK;
}

tlv_status
tlv_nonnegative_step(tlv_context *ctx, nonnegative_work *work, int mode)
{
	switch (work->options->method)
	{
		case TLV_NONNEGATIVE_WNMF:
			return step_wnmf(ctx, work, mode);
		case TLV_NONNEGATIVE_PQP:
			return step_pqp(ctx, work, mode);
		default:
			step_hals(work, mode);
			return TLV_OK;
	}
}
