/*
 * subspace.c - block subspace iteration for the algebraically largest
 * eigenvalues of an implicit symmetric operator (linalg.h).
 */
#include "tensorlv/num/linalg.h"

#include <math.h>
#include <string.h>

/* x = e' (z + shift x), in column blocks because x is both source and target. */
static tlv_status
images_of_ritz_vectors(tlv_context *ctx, size_t d, size_t l, double *x, const double *z,
					   const double *e, double shift, double *block, size_t width)
{
	for (size_t j = 0; j < d; j += width)
	{
		size_t columns = tlv_least(width, d - j), n = columns * l;

		for (size_t i = 0; i < n; i++)
			block[i] = z[j * l + i] + shift * x[j * l + i];
		TLV_TRY(tlv_gemm(ctx, true, false, l, columns, l, 1, e, l, block, l, 0, x + j * l, l));
	}
	return TLV_OK;
}

/*
 * The shift that keeps a large negative part of the spectrum from crowding
 * out the positive one.  Negative directions that the block has room for are
 * best kept in it: they then are orthogonal to the Ritz vectors that are
 * wanted.  Noise has both signs about equally and needs no shift; only when
 * the negative end clearly exceeds the middle of the block is the operator
 * moved, by the half that makes the two ends of the spectrum change places.
 */
static double
shift_for(size_t l, const double *ritz)
{
	double middle = ritz[l / 2], lowest = -ritz[l - 1];

	return lowest > 0 && lowest > 1.5 * fmax(middle, 0) && lowest > 1e-3 * ritz[0] ? lowest / 2 : 0;
}

tlv_status
tlv_subspace_step(tlv_context *ctx, size_t d, size_t l, double *x, const double *z, const double *b,
				  tlv_rng *rng, double *ritz)
{
	size_t width = tlv_least(d, 65536 / (l + 1) + 64), rank;
	double *e = tlv_alloc(ctx, l * l + l * width, sizeof(double));
	tlv_status status;

	TLV_TRY_ALLOC(ctx, e);
	/* b is symmetric but for rounding. */
	for (size_t j = 0; j < l; j++)
		for (size_t i = 0; i < l; i++)
			e[i + j * l] = 0.5 * (b[i + j * l] + b[j + i * l]);
	status = tlv_eigen_symmetric(ctx, l, e, ritz);
	if (status == TLV_OK && l > 0)
		status = images_of_ritz_vectors(ctx, d, l, x, z, e, shift_for(l, ritz), e + l * l, width);
	if (status == TLV_OK)
		status = tlv_orthonormalize(ctx, l, d, x, rng, &rank);
	tlv_free(ctx, e);
	return status;
}

double
tlv_ritz_change(size_t k, const double *before, const double *after)
{
	double largest = 0;

	for (size_t i = 0; i < k; i++)
	{
		double change = fabs(after[i] - before[i]);
		double scale = fmax(fabs(after[i]), fabs(before[i]));

		if (change > 0)
			largest = fmax(largest, change / scale);
	}
	return largest;
}

static tlv_status
iterate_block(tlv_context *ctx, const tlv_eigen_task *task, tlv_apply apply, void *argument,
			  tlv_rng *rng, double *x, double *ritz, int *steps, double *work)
{
	size_t n = task->n, l = task->l, rank;
	double *z = work, *b = z + l * n, *before = b + l * l;

	TLV_TRY(tlv_fill_normal(ctx, rng, l * n, x));
	TLV_TRY(tlv_orthonormalize(ctx, l, n, x, rng, &rank));
	while (*steps < task->max_steps)
	{
		memcpy(before, ritz, l * sizeof(double));
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(apply(ctx, argument, n, l, x, z));
		TLV_TRY(tlv_gemm(ctx, false, true, l, l, n, 1, x, l, z, l, 0, b, l));
		TLV_TRY(tlv_subspace_step(ctx, n, l, x, z, b, rng, ritz));
		(*steps)++;
		if (*steps > 1 && tlv_ritz_change(task->k, before, ritz) < task->tolerance)
			break;
	}
	return TLV_OK;
}

tlv_status
tlv_subspace_iteration(tlv_context *ctx, const tlv_eigen_task *task, tlv_apply apply,
					   void *argument, tlv_rng *rng, double *x, double *ritz, int *steps)
{
	size_t n = task->n, l = task->l;
	double *work;
	tlv_status status;

	*steps = 0;
	if (task->k > l || l > n)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu of %zu directions in %zu dimensions", task->k,
						l, n);
	TLV_TRY_NEW(ctx, work, l * n + l * l + l);
	memset(ritz, 0, l * sizeof(double));
	status = iterate_block(ctx, task, apply, argument, rng, x, ritz, steps, work);
	tlv_free(ctx, work);
	return status;
}
