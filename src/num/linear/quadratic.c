/*
 * quadratic.c - small quadratic programs over non-negative numbers and over the simplex, given by
 * their normal equations, and non-negative least squares, which is one (optimize.h).
 */
#include "tensorlv/num/optimize.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "tensorlv/num/assert.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"

/* Rows of A that one BLAS call takes: about 0.05 s at n = 500. */
#define NNLS_ROWS 8192

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
check_equations(tlv_context *ctx, const quadratic *q)
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
		ridge = ridge == 0 ? 1e-14 * trace + TLV_TINY : 10 * ridge;
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
descend_support(tlv_context *ctx, quadratic *q)
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
			tlv_assert(left <= j && i < q->n);
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
entering_support(quadratic *q)
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

/* From the best single entry, or of a problem without a sum from nothing. */
static void
start_small(quadratic *q)
{
	size_t best = 0;

	for (size_t i = 1; q->simplex && i < q->n; i++)
		if (q->gram[i * (q->n + 1)] - 2 * q->moment[i] <
			q->gram[best * (q->n + 1)] - 2 * q->moment[best])
			best = i;
	memset(q->x, 0, q->n * sizeof(double));
	q->size = 0;
	if (q->simplex)
	{
		q->x[best] = 1;
		q->support[q->size++] = best;
	}
}

/* From all entries but those of norm 0, which would not matter. */
static tlv_status
start_full(tlv_context *ctx, quadratic *q, const double *norm)
{
	double largest = 0;

	for (size_t i = 0; i < q->n; i++)
		largest = fmax(largest, fabs(q->moment[i]));
	q->size = 0;
	for (size_t i = 0; i < q->n; i++)
	{
		q->x[i] = norm[i] > 0 ? (largest + DBL_MIN) / (double) q->n : 0;
		if (norm[i] > 0)
			q->support[q->size++] = i;
	}
	return descend_support(ctx, q);
}

/* Entries enter one by one until none would make the objective fall. */
static tlv_status
grow_support(tlv_context *ctx, quadratic *q)
{
	for (size_t step = 0; step < 3 * q->n + 10; step++)
	{
		size_t next = entering_support(q);

		if (next == q->n)
			break;
		q->support[q->size++] = next;
		TLV_TRY(descend_support(ctx, q));
		if (q->x[next] == 0) /* in and out again: rounding */
			break;
	}
	return TLV_OK;
}

static void
divide_work(quadratic *q, double *work)
{
	q->factor = work;
	q->solution = work + q->n * q->n;
	q->gradient = q->solution + 2 * q->n;
	q->support = (size_t *) (q->gradient + q->n);
}

tlv_status
tlv_quadratic_nonnegative(tlv_context *ctx, size_t n, const double *gram, const double *moment,
						  bool simplex, double *x, double *work)
{
	quadratic q = {.n = n, .gram = gram, .moment = moment, .simplex = simplex, .x = x};
	double sum = 0;

	divide_work(&q, work);
	TLV_TRY(check_equations(ctx, &q));
	start_small(&q);
	TLV_TRY(grow_support(ctx, &q));
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	if (!isfinite(sum) || (simplex && !(sum > 0)))
		return tlv_fail(ctx, TLV_BAD_DATA,
						"quadratic program: the numbers differ too much in size");
	for (size_t i = 0; simplex && i < n; i++)
		x[i] /= sum;
	return TLV_OK;
}

/* ---- least squares ---- */

/* A'A and A'b of columns scaled to unit length: tolerances then mean the same for all. */
static tlv_status
scaled_equations(tlv_context *ctx, size_t m, size_t n, const double *a, const double *b,
				 double *gram, double *moment, double *norm)
{
	for (size_t r = 0; r < m; r += NNLS_ROWS)
	{
		int rows = (int) (m - r < NNLS_ROWS ? m - r : NNLS_ROWS);

		TLV_TRY_CONTINUE(ctx);
		cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int) n, rows, 1, a + r, (int) m, 1,
					gram, (int) n);
		cblas_dgemv(CblasColMajor, CblasTrans, rows, (int) n, 1, a + r, (int) m, b + r, 1, 1,
					moment, 1);
	}
	for (size_t j = 0; j < n; j++)
	{
		norm[j] = sqrt(gram[j * n + j]);
		if (!isfinite(norm[j]) || !isfinite(moment[j]))
			return tlv_fail(ctx, TLV_BAD_DATA, "least squares: column %zu is not finite", j + 1);
	}
	for (size_t j = 0; j < n; j++)
	{
		double inverse = norm[j] > 0 ? 1 / norm[j] : 0;

		moment[j] *= inverse;
		gram[j * n + j] = 1;
		for (size_t i = j + 1; i < n; i++)
		{
			double value = gram[j * n + i] * inverse * (norm[i] > 0 ? 1 / norm[i] : 0);

			gram[j * n + i] = value;
			gram[i * n + j] = value;
		}
	}
	return TLV_OK;
}

static double
residual_norm(size_t m, size_t n, const double *a, const double *b, const double *x)
{
	double sum = 0;

	for (size_t i = 0; i < m; i++)
	{
		double rest = b[i];

		for (size_t j = 0; j < n; j++)
			rest -= a[i + j * m] * x[j];
		sum += rest * rest;
	}
	return sqrt(sum);
}

/* Starts from all columns: in our uses most of them stay, and each step costs a factorisation. */
static tlv_status
solve_least_squares(tlv_context *ctx, size_t m, size_t n, const double *a, const double *b,
					double *x, double *block)
{
	double *gram = block, *moment = gram + n * n, *norm = moment + n;
	quadratic q = {.n = n, .gram = gram, .moment = moment, .x = x};

	divide_work(&q, norm + n);
	TLV_TRY(scaled_equations(ctx, m, n, a, b, gram, moment, norm));
	TLV_TRY(start_full(ctx, &q, norm));
	TLV_TRY(grow_support(ctx, &q));
	for (size_t j = 0; j < n; j++)
		x[j] = x[j] > 0 ? x[j] / norm[j] : 0;
	return TLV_OK;
}

tlv_status
tlv_nnls(tlv_context *ctx, size_t m, size_t n, const double *a, const double *b, double *x,
		 double *residual)
{
	double *block;
	tlv_status status;

	if (m == 0 || n == 0 || m > INT32_MAX || n > 20000)
		return tlv_fail(ctx, TLV_LIMIT, "least squares with %zu rows and %zu columns", m, n);
	TLV_TRY_NEW0_ROWS(ctx, block, 2 * n + 7, n);
	status = solve_least_squares(ctx, m, n, a, b, x, block);
	if (status == TLV_OK)
		*residual = residual_norm(m, n, a, b, x);
	tlv_free(ctx, block);
	return status;
}
