/*
 * optimize.c - projection on the simplex, non-negative least squares, optimal
 * assignment, golden section (optimize.h).
 */
#include "tensorlv/num/optimize.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Rows of A that one BLAS call takes: about 0.05 s at n = 500. */
#define NNLS_ROWS 8192

/*
 * work holds two stacks: candidates for the support in [support, end), those put aside in
 * [0, support).  rho is the shift that the support would need.
 */
void
tlv_project_simplex(size_t n, double *x, size_t stride, double *work)
{
	size_t support = 0;
	size_t end = 1;
	size_t before;
	double rho;

	if (n == 0)
		return;
	work[0] = x[0];
	rho = x[0] - 1;
	for (size_t i = 1; i < n; i++)
	{
		double y = x[i * stride];

		if (!(y > rho))
			continue;
		rho += (y - rho) / (double) (end - support + 1);
		if (rho <= y - 1)
		{
			support = end;
			rho = y - 1;
		}
		work[end++] = y;
	}
	/* Those put aside may belong to the support after all. */
	for (size_t i = support; i-- > 0;)
		if (work[i] > rho)
		{
			work[--support] = work[i];
			rho += (work[support] - rho) / (double) (end - support);
		}
	do
	{
		size_t kept = support;
		double sum = -1;

		before = end;
		for (size_t i = support; i < end; i++)
			if (work[i] > rho)
				work[kept++] = work[i];
		end = kept;
		for (size_t i = support; i < end; i++)
			sum += work[i];
		if (end > support)
			rho = sum / (double) (end - support);
	} while (end != before && end > support);
	for (size_t i = 0; i < n; i++)
		x[i * stride] = fmax(x[i * stride] - rho, 0);
}

/* ---- non-negative least squares ---- */

typedef struct nnls_problem
{
	size_t n;
	double *gram;	  /* n x n, unit diagonal */
	double *moment;	  /* A'b of the scaled columns */
	double *norm;	  /* of the columns */
	double *x;		  /* scaled solution */
	double *solution; /* of the passive set */
	double *gradient;
	double *factor; /* n x n */
	int *passive;	/* indices with x > 0, ascending */
	size_t passives;
	bool *is_passive;
} nnls_problem;

static tlv_status
nnls_allocate(tlv_context *ctx, size_t n, nnls_problem *problem, double **block)
{
	*block = tlv_alloc0(ctx, 2 * n + 5, n * sizeof(double));
	TLV_TRY_ALLOC(ctx, *block);
	problem->is_passive = tlv_alloc0(ctx, n, sizeof(bool));
	TLV_TRY_ALLOC(ctx, problem->is_passive);
	problem->passive = tlv_alloc0(ctx, n, sizeof(int));
	TLV_TRY_ALLOC(ctx, problem->passive);
	problem->n = n;
	problem->gram = *block;
	problem->factor = problem->gram + n * n;
	problem->moment = problem->factor + n * n;
	problem->norm = problem->moment + n;
	problem->x = problem->norm + n;
	problem->solution = problem->x + n;
	problem->gradient = problem->solution + n;
	return TLV_OK;
}

/* Gram matrix and A'b, columns scaled to unit length: tolerances then mean the same for all. */
static tlv_status
nnls_gram(tlv_context *ctx, size_t m, const double *a, const double *b, nnls_problem *problem)
{
	size_t n = problem->n;

	for (size_t r = 0; r < m; r += NNLS_ROWS)
	{
		int rows = (int) (m - r < NNLS_ROWS ? m - r : NNLS_ROWS);

		TLV_TRY_CONTINUE(ctx);
		cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int) n, rows, 1, a + r, (int) m, 1,
					problem->gram, (int) n);
		cblas_dgemv(CblasColMajor, CblasTrans, rows, (int) n, 1, a + r, (int) m, b + r, 1, 1,
					problem->moment, 1);
	}
	for (size_t j = 0; j < n; j++)
		problem->norm[j] = sqrt(problem->gram[j * n + j]);
	for (size_t j = 0; j < n; j++)
	{
		double inverse = problem->norm[j] > 0 ? 1 / problem->norm[j] : 0;

		if (!isfinite(problem->norm[j]) || !isfinite(problem->moment[j]))
			return tlv_fail(ctx, TLV_BAD_DATA, "least squares: column %zu is not finite", j + 1);
		problem->moment[j] *= inverse;
		problem->gram[j * n + j] = 1;
		for (size_t i = j + 1; i < n; i++)
		{
			double value = problem->gram[j * n + i] * inverse *
						   (problem->norm[i] > 0 ? 1 / problem->norm[i] : 0);

			problem->gram[j * n + i] = value;
			problem->gram[i * n + j] = value;
		}
	}
	return TLV_OK;
}

static void
nnls_list(nnls_problem *problem)
{
	problem->passives = 0;
	for (size_t j = 0; j < problem->n; j++)
		if (problem->is_passive[j])
			problem->passive[problem->passives++] = (int) j;
}

/* Least squares over the passive set; a ridge of rounding size where columns are dependent. */
static tlv_status
nnls_solve(tlv_context *ctx, nnls_problem *problem)
{
	size_t p = problem->passives;
	double ridge = 0;

	for (int attempt = 0; attempt < 14; attempt++)
	{
		for (size_t j = 0; j < p; j++)
		{
			size_t column = (size_t) problem->passive[j];

			for (size_t i = j; i < p; i++)
				problem->factor[j * p + i] =
					problem->gram[column * problem->n + (size_t) problem->passive[i]];
			problem->factor[j * p + j] += ridge;
			problem->solution[j] = problem->moment[column];
		}
		if (LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', (int) p, 1, problem->factor, (int) p,
							   problem->solution, (int) p) == 0)
			return TLV_OK;
		ridge = ridge == 0 ? 1e-14 * (double) (p + 1) : 10 * ridge;
	}
	return tlv_fail(ctx, TLV_INTERNAL, "least squares: no factorisation");
}

/*
 * Lawson and Hanson's inner loop: towards the least squares solution of the
 * passive set, dropping what reaches zero, until that solution is positive.
 */
static tlv_status
nnls_descend(tlv_context *ctx, nnls_problem *problem)
{
	for (nnls_list(problem); problem->passives > 0; nnls_list(problem))
	{
		double step = 1;
		size_t blocking = problem->passives;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(nnls_solve(ctx, problem));
		for (size_t p = 0; p < problem->passives; p++)
		{
			double from = problem->x[problem->passive[p]];
			double to = problem->solution[p];

			if (to <= 0 && from / (from - to) < step)
			{
				step = from / (from - to);
				blocking = p;
			}
		}
		for (size_t p = 0; p < problem->passives; p++)
		{
			size_t j = (size_t) problem->passive[p];

			problem->x[j] += step * (problem->solution[p] - problem->x[j]);
			if (p == blocking || problem->x[j] <= 0)
			{
				problem->x[j] = 0;
				problem->is_passive[j] = false;
			}
		}
		if (blocking == problem->passives)
			break;
	}
	nnls_list(problem);
	return TLV_OK;
}

/* The free variable of steepest descent, or n when there is none. */
static size_t
nnls_entering(nnls_problem *problem, double tolerance)
{
	size_t n = problem->n;
	size_t best = n;
	double steepest = tolerance;

	memcpy(problem->gradient, problem->moment, n * sizeof(double));
	cblas_dgemv(CblasColMajor, CblasNoTrans, (int) n, (int) n, -1, problem->gram, (int) n,
				problem->x, 1, 1, problem->gradient, 1);
	for (size_t j = 0; j < n; j++)
		if (!problem->is_passive[j] && problem->norm[j] > 0 && problem->gradient[j] > steepest)
		{
			steepest = problem->gradient[j];
			best = j;
		}
	return best;
}

/*
 * Starts from all columns rather than from none: in our uses most of them stay, and each step
 * costs a factorisation.
 */
static tlv_status
nnls_iterate(tlv_context *ctx, nnls_problem *problem)
{
	size_t n = problem->n;
	double largest = 0;
	double tolerance;

	for (size_t j = 0; j < n; j++)
		largest = fmax(largest, fabs(problem->moment[j]));
	tolerance = 1e-12 * largest;
	for (size_t j = 0; j < n; j++)
	{
		problem->is_passive[j] = problem->norm[j] > 0;
		problem->x[j] = problem->norm[j] > 0 ? (largest + DBL_MIN) / (double) n : 0;
	}
	TLV_TRY(nnls_descend(ctx, problem));
	for (size_t step = 0; step < 3 * n + 10; step++)
	{
		size_t entering = nnls_entering(problem, tolerance);

		if (entering == n)
			break;
		/* In at zero; the first solution after it has a positive entry there, up to rounding. */
		problem->is_passive[entering] = true;
		TLV_TRY(nnls_descend(ctx, problem));
		if (!problem->is_passive[entering])
			break;
	}
	return TLV_OK;
}

static tlv_status
nnls_run(tlv_context *ctx, size_t m, size_t n, const double *a, const double *b,
		 nnls_problem *problem, double *x, double *residual)
{
	double sum = 0;

	TLV_TRY(nnls_gram(ctx, m, a, b, problem));
	TLV_TRY(nnls_iterate(ctx, problem));
	for (size_t j = 0; j < n; j++)
		x[j] = problem->x[j] > 0 ? problem->x[j] / problem->norm[j] : 0;
	for (size_t i = 0; i < m; i++)
	{
		double rest = b[i];

		for (size_t j = 0; j < n; j++)
			rest -= a[i + j * m] * x[j];
		sum += rest * rest;
	}
	*residual = sqrt(sum);
	return TLV_OK;
}

tlv_status
tlv_nnls(tlv_context *ctx, size_t m, size_t n, const double *a, const double *b, double *x,
		 double *residual)
{
	nnls_problem problem = {0};
	double *block = NULL;
	tlv_status status;

	if (m == 0 || n == 0 || m > INT32_MAX || n > 20000)
		return tlv_fail(ctx, TLV_LIMIT, "least squares with %zu rows and %zu columns", m, n);
	status = nnls_allocate(ctx, n, &problem, &block);
	if (status == TLV_OK)
		status = nnls_run(ctx, m, n, a, b, &problem, x, residual);
	tlv_free(ctx, problem.passive);
	tlv_free(ctx, problem.is_passive);
	tlv_free(ctx, block);
	return status;
}

/* ---- assignment ---- */

typedef struct matching
{
	size_t n;
	size_t m;
	const double *cost;
	double *row_price;
	double *column_price;
	double *slack;	/* least reduced cost of a column from the tree */
	size_t *row_of; /* row of a column, n for none; entry m is the root */
	size_t *before; /* column before on the path */
	bool *reached;
} matching;

/* Shortest augmenting path from `row`; prices stay feasible. */
static void
augment(matching *match, size_t row)
{
	size_t m = match->m;
	size_t column = m;

	for (size_t j = 0; j <= m; j++)
	{
		match->slack[j] = HUGE_VAL;
		match->reached[j] = false;
	}
	match->row_of[m] = row;
	while (match->row_of[column] != match->n)
	{
		size_t i = match->row_of[column];
		size_t next = m;
		double least = HUGE_VAL;

		match->reached[column] = true;
		for (size_t j = 0; j < m; j++)
		{
			double reduced;

			if (match->reached[j])
				continue;
			reduced = match->cost[i * m + j] - match->row_price[i] - match->column_price[j];
			if (reduced < match->slack[j])
			{
				match->slack[j] = reduced;
				match->before[j] = column;
			}
			if (match->slack[j] < least || next == m)
			{
				least = match->slack[j];
				next = j;
			}
		}
		for (size_t j = 0; j <= m; j++)
			if (match->reached[j])
			{
				match->row_price[match->row_of[j]] += least;
				match->column_price[j] -= least;
			}
			else
				match->slack[j] -= least;
		column = next;
	}
	while (column != m)
	{
		size_t previous = match->before[column];

		match->row_of[column] = match->row_of[previous];
		column = previous;
	}
}

tlv_status
tlv_assignment(tlv_context *ctx, size_t n, size_t m, const double *cost, int64_t *assignment,
			   double *total)
{
	matching match = {.n = n, .m = m, .cost = cost};
	double *block;

	if (n > m)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "cannot assign %zu rows to %zu columns", n, m);
	for (size_t e = 0; e < n * m; e++)
		if (!isfinite(cost[e]))
			return tlv_fail(ctx, TLV_BAD_DATA, "cost of assignment is not finite");
	block = tlv_alloc0(ctx, n + (m + 1) * 5, sizeof(double));
	TLV_TRY_ALLOC(ctx, block);
	match.row_price = block;
	match.column_price = block + n;
	match.slack = match.column_price + m + 1;
	match.row_of = (size_t *) (match.slack + m + 1);
	match.before = match.row_of + m + 1;
	match.reached = (bool *) (match.before + m + 1);
	for (size_t j = 0; j <= m; j++)
		match.row_of[j] = n;
	for (size_t i = 0; i < n; i++)
	{
		if (tlv_should_stop(ctx))
		{
			tlv_free(ctx, block);
			return tlv_cancelled(ctx);
		}
		augment(&match, i);
	}
	*total = 0;
	for (size_t j = 0; j < m; j++)
		if (match.row_of[j] < n)
		{
			assignment[match.row_of[j]] = (int64_t) j;
			*total += cost[match.row_of[j] * m + j];
		}
	tlv_free(ctx, block);
	return TLV_OK;
}

/* ---- golden section ---- */

/* NaN counts as infinite: a point where f has no value is never the minimum. */
static tlv_status
evaluate(tlv_context *ctx, tlv_scalar_function f, void *argument, double logarithm, double *value)
{
	TLV_TRY_CONTINUE(ctx);
	TLV_TRY(f(ctx, argument, exp(logarithm), value));
	if (isnan(*value))
		*value = HUGE_VAL;
	return TLV_OK;
}

tlv_status
tlv_minimize_log(tlv_context *ctx, tlv_scalar_function f, void *argument, double low, double high,
				 double tolerance, double *x, double *value)
{
	const double golden = 0.61803398874989484820;
	double a = log(low);
	double b = log(high);
	double left;
	double right;
	double at_left;
	double at_right;

	if (!(low > 0 && high >= low && isfinite(high) && tolerance > 0))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "cannot search between %g and %g", low, high);
	tolerance = fmax(tolerance, 1e-12 * fmax(1, fmax(fabs(a), fabs(b))));
	left = b - golden * (b - a);
	right = a + golden * (b - a);
	TLV_TRY(evaluate(ctx, f, argument, left, &at_left));
	TLV_TRY(evaluate(ctx, f, argument, right, &at_right));
	while (b - a > tolerance)
	{
		if (at_left <= at_right)
		{
			b = right;
			right = left;
			at_right = at_left;
			left = b - golden * (b - a);
			TLV_TRY(evaluate(ctx, f, argument, left, &at_left));
		}
		else
		{
			a = left;
			left = right;
			at_left = at_right;
			right = a + golden * (b - a);
			TLV_TRY(evaluate(ctx, f, argument, right, &at_right));
		}
	}
	*x = exp(at_left <= at_right ? left : right);
	*value = fmin(at_left, at_right);
	return TLV_OK;
}
