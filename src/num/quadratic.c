/*
 * quadratic.c - small quadratic programs over non-negative numbers and over
 * the simplex, given by their normal equations (optimize.h).
 */
#include "tensorlv/num/optimize.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"

typedef struct quadratic
{
	size_t n;
	const double *gram;
	const double *moment;
	bool simplex;
	double *x;
	double *factor;	  /* n x n */
	double *solution; /* 2 n: of the support, for the moment and for ones */
	double *gradient; /* n: of descent, up to the multiplier of the sum */
	size_t *support;  /* n: indices that may be positive */
	size_t size;
} quadratic;

static tlv_status
check_finite(tlv_context *ctx, const quadratic *q)
{
	for (size_t i = 0; i < q->n * q->n; i++)
		if (!isfinite(q->gram[i]))
			return tlv_fail(ctx, TLV_BAD_DATA, "quadratic program: the matrix is not finite");
	for (size_t i = 0; i < q->n; i++)
		if (!isfinite(q->moment[i]))
			return tlv_fail(ctx, TLV_BAD_DATA, "quadratic program: the vector is not finite");
	return TLV_OK;
}

/* The minimum over the support without signs, into solution. */
static tlv_status
solve_support(tlv_context *ctx, quadratic *q)
{
	size_t p = q->size;
	double trace = 0, ridge = 0, sums[2] = {0, 0};
	tlv_status status = TLV_BAD_DATA;

	for (size_t j = 0; j < q->n; j++)
		trace += q->gram[j * (q->n + 1)];
	for (int attempt = 0; attempt < 14 && status != TLV_OK; attempt++)
	{
		for (size_t j = 0; j < p; j++)
		{
			for (size_t i = j; i < p; i++)
				q->factor[j * p + i] = q->gram[q->support[j] * q->n + q->support[i]];
			q->factor[j * p + j] += ridge;
			q->solution[j] = q->moment[q->support[j]];
			q->solution[p + j] = 1;
		}
		status = tlv_solve_spd(ctx, p, 2, q->factor, q->solution);
		if (status == TLV_CANCELLED)
			return status;
		ridge = ridge == 0 ? 1e-14 * trace + 1e-300 : 10 * ridge;
	}
	if (status != TLV_OK)
		return tlv_fail(ctx, TLV_BAD_DATA, "quadratic program: the matrix is not semi-definite");
	for (size_t j = 0; j < p; j++)
	{
		sums[0] += q->solution[j];
		sums[1] += q->solution[p + j];
	}
	for (size_t j = 0; q->simplex && j < p; j++)
		q->solution[j] += (1 - sums[0]) / sums[1] * q->solution[p + j];
	return TLV_OK;
}

/*
 * Towards the minimum over the support, dropping what reaches zero on the way.  What is left is
 * positive: a zero would be found entering again, and be there twice.
 */
static tlv_status
descend(tlv_context *ctx, quadratic *q)
{
	while (q->size > 0)
	{
		double step = 1;
		size_t blocking = q->size, left = 0;
		bool last;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(solve_support(ctx, q));
		for (size_t j = 0; j < q->size; j++)
		{
			double from = q->x[q->support[j]], to = q->solution[j];

			if (to <= 0 && (from <= 0 || from / (from - to) < step))
			{
				step = from <= 0 ? 0 : from / (from - to);
				blocking = j;
			}
		}
		for (size_t j = 0; j < q->size; j++)
		{
			size_t i = q->support[j];

			/* a whole step without the rounding that could make it 0 */
			q->x[i] = step < 1 ? q->x[i] + step * (q->solution[j] - q->x[i]) : q->solution[j];
			if (j == blocking || !(q->x[i] > 0))
				q->x[i] = 0;
			else
				q->support[left++] = i;
		}
		last = blocking == q->size;
		q->size = left;
		if (last)
			return TLV_OK;
	}
	return TLV_OK;
}

/* The entry outside the support along which the objective falls most steeply, or n. */
static size_t
entering(quadratic *q)
{
	double level = 0, scale = 0, steepest = 0;
	size_t best = q->n;

	memcpy(q->gradient, q->moment, q->n * sizeof(double));
	for (size_t s = 0; s < q->size; s++)
	{
		const double *restrict column = q->gram + q->support[s] * q->n;
		double x = q->x[q->support[s]];

		for (size_t i = 0; i < q->n; i++)
			q->gradient[i] -= x * column[i];
	}
	for (size_t i = 0; i < q->n; i++)
		scale = fmax(scale, fabs(q->moment[i]) + fabs(q->gradient[i]));
	/* On the support all gradients equal the multiplier of the sum. */
	for (size_t s = 0; q->simplex && s < q->size; s++)
		level += q->gradient[q->support[s]] / (double) q->size;
	steepest = level + 1e-12 * scale;
	for (size_t i = 0; i < q->n; i++)
		if (q->x[i] == 0 && q->gradient[i] > steepest)
		{
			steepest = q->gradient[i];
			best = i;
		}
	return best;
}

/* The best single entry. */
static void
start(quadratic *q)
{
	size_t best = 0;

	for (size_t i = 1; q->simplex && i < q->n; i++)
		if (q->gram[i * (q->n + 1)] - 2 * q->moment[i] <
			q->gram[best * (q->n + 1)] - 2 * q->moment[best])
			best = i;
	for (size_t i = 0; i < q->n; i++)
		q->x[i] = 0;
	q->size = 0;
	if (q->simplex)
	{
		q->x[best] = 1;
		q->support[q->size++] = best;
	}
}

tlv_status
tlv_quadratic_nonnegative(tlv_context *ctx, size_t n, const double *gram, const double *moment,
						  bool simplex, double *x, double *work)
{
	quadratic q = {.n = n, .gram = gram, .moment = moment, .simplex = simplex, .x = x};
	double sum = 0;

	q.factor = work;
	q.solution = work + n * n;
	q.gradient = q.solution + 2 * n;
	q.support = (size_t *) (q.gradient + n);
	TLV_TRY(check_finite(ctx, &q));
	start(&q);
	for (size_t step = 0; step < 3 * n + 10; step++)
	{
		size_t next = entering(&q);

		if (next == n)
			break;
		q.support[q.size++] = next;
		TLV_TRY(descend(ctx, &q));
		if (x[next] == 0) /* in and out again: rounding */
			break;
	}
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	if (!isfinite(sum) || (simplex && !(sum > 0)))
		return tlv_fail(ctx, TLV_BAD_DATA,
						"quadratic program: the numbers differ too much in size");
	for (size_t i = 0; simplex && i < n; i++)
		x[i] /= sum;
	return TLV_OK;
}
