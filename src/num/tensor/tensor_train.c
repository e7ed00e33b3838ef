/*
 * tensor_train.c - a third-order tensor as a chain of three cores (tucker.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tucker.h"

/* How many directions there can be of one mode against the others. */
static size_t
most_directions(const size_t d[TLV_MODES], int mode)
{
	return tlv_least(d[mode], d[0] * d[1] * d[2] / d[mode]);
}

/* The least number of directions whose rest is at most `rest`, or as many as are wanted. */
static size_t
count_directions(size_t most, const double *values, double norm2, size_t wanted, double rest)
{
	/* Squared singular values below this part of the squared norm are rounding. */
	const double least_direction = 1e-16;
	size_t r = most;
	double left = 0;

	while (r > 1 && values[r - 1] <= least_direction * norm2)
		r--;
	if (wanted > 0)
		return tlv_least(r, wanted);
	while (r > 1 && left + values[r - 1] <= rest)
		left += values[--r];
	return r;
}

/* The directions of a mode that are kept: basis (r x d[mode]) from the arena. */
static tlv_status
keep_directions(tlv_context *ctx, const size_t d[TLV_MODES], const double *x, int mode,
				double norm2, size_t *r, double rest, double **basis)
{
	size_t n = d[mode], most = most_directions(d, mode), wanted = *r;
	double *all, *values;

	if (wanted > 0)
		most = tlv_least(most, wanted);
	else if (most > TLV_EIGEN_LIMIT)
	{
		tlv_fail(ctx, TLV_LIMIT, "a side of %zu is too large to find ranks by a tolerance", n);
		return tlv_fail_hint(ctx, "Give the ranks.");
	}
	TLV_TRY_NEW_ROWS(ctx, all, n, most);
	TLV_TRY_NEW(ctx, values, most);
	TLV_TRY(tlv_mode_basis(ctx, d, x, mode, most, 1, all, values));
	*r = count_directions(most, values, norm2, wanted, rest);
	TLV_TRY_NEW_ROWS(ctx, *basis, n, *r);
	for (size_t i = 0; i < n; i++)
		memcpy(*basis + i * *r, all + i * most, *r * sizeof(double));
	tlv_free(ctx, values);
	tlv_free(ctx, all);
	return TLV_OK;
}

/* Bytes that tlv_tensor_train takes at most, its cores among them. */
static double
train_memory(const tlv_tensor *tensor)
{
	double all = (double) tensor->d[0] * (double) tensor->d[1] * (double) tensor->d[2], bytes = 0;

	for (int m = 0; m < TLV_MODES; m += 2)
	{
		double most = (double) most_directions(tensor->d, m), n = (double) tensor->d[m];

		bytes += 3 * most * n + 3 * most * most;
	}
	return 8 * (3 * all + bytes) + 4096;
}

/* The last two cores from what the first basis leaves, rest (r[0] x d[1] x d[2]). */
static tlv_status
split_rest(tlv_context *ctx, tlv_train *train, const double *rest, double norm2, double lost)
{
	size_t r = train->r[0], middle = r * train->d[1], last = train->d[2];
	double *basis;

	TLV_TRY(keep_directions(ctx, (size_t[]){1, middle, last}, rest, 2, norm2, &train->r[1], lost,
							&basis));
	TLV_TRY_NEW_ROWS(ctx, train->core[1], middle, train->r[1]);
	TLV_TRY_NEW_ROWS(ctx, train->core[2], train->r[1], last);
	TLV_TRY(tlv_gemm(ctx, false, false, train->r[1], middle, last, 1, basis, train->r[1], rest,
					 last, 0, train->core[1], train->r[1]));
	for (size_t l = 0; l < last; l++)
		for (size_t b = 0; b < train->r[1]; b++)
			train->core[2][b * last + l] = basis[l * train->r[1] + b];
	tlv_free(ctx, basis);
	return TLV_OK;
}

/* The train is a core in bases of the outer modes, whose middle one is as it was. */
static tlv_status
tensor_train_direct_residual(tlv_context *ctx, const tlv_tensor *tensor, tlv_train *train)
{
	size_t r[TLV_MODES] = {train->r[0], train->d[1], train->r[1]}, last = train->d[2];
	double *basis, *u[TLV_MODES] = {train->core[0], NULL, NULL};

	TLV_TRY_NEW_ROWS(ctx, basis, train->r[1], last);
	for (size_t b = 0; b < train->r[1]; b++)
		for (size_t l = 0; l < last; l++)
			basis[b + l * train->r[1]] = train->core[2][b * last + l];
	u[2] = basis;
	TLV_TRY(tlv_tucker_residual(ctx, tensor, r, u, train->core[1], &train->residual));
	tlv_free(ctx, basis);
	return TLV_OK;
}

tlv_status
tlv_tensor_train(tlv_context *ctx, const tlv_tensor *tensor, double tolerance, tlv_train *train)
{
	const size_t *d = tensor->d;
	double norm2, kept = 0, lost, *rest;

	if (!(tolerance >= 0 && tolerance < 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the tolerance must be at least 0 and below 1");
	TLV_TRY(tlv_tensor_measure(ctx, tensor, &norm2));
	TLV_TRY(tlv_require_memory(ctx, train_memory(tensor), "a tensor train"));
	memcpy(train->d, d, sizeof(train->d));
	lost = tolerance * tolerance * norm2 / 2;
	TLV_TRY(keep_directions(ctx, d, tensor->dense, 0, norm2, &train->r[0], lost, &train->core[0]));
	TLV_TRY_NEW_ROWS(ctx, rest, train->r[0], d[1] * d[2]);
	TLV_TRY(tlv_gemm(ctx, false, true, d[1] * d[2], train->r[0], d[0], 1, tensor->dense,
					 d[1] * d[2], train->core[0], train->r[0], 0, rest, d[1] * d[2]));
	TLV_TRY(split_rest(ctx, train, rest, norm2, lost));
	tlv_free(ctx, rest);
	for (size_t i = 0; i < train->r[0] * d[1] * train->r[1]; i++)
		kept += train->core[1][i] * train->core[1][i];
	train->residual = sqrt(fmax(0, 1 - kept / norm2));
	if (train->residual * train->residual < TLV_CANCELLED_RESIDUAL)
		return tensor_train_direct_residual(ctx, tensor, train);
	return TLV_OK;
}
