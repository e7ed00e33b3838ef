/*
 * optimize.c - projection on the simplex, optimal assignment, golden section
 * (optimize.h).
 */
#include "tensorlv/num/optimize.h"

#include <math.h>

#include "tensorlv/num/assert.h"

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
	tlv_assert(!isfinite(rho) || fabs(rho) > 1e9 || tlv_is_distribution(n, x, stride));
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

/* Shortest augmenting path from `row`, at most n steps of m columns; prices stay feasible. */
static tlv_status
augment(tlv_context *ctx, matching *match, size_t row)
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

		TLV_TRY_CONTINUE(ctx);
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
	return TLV_OK;
}

tlv_status
tlv_assignment(tlv_context *ctx, size_t n, size_t m, const double *cost, int64_t *assignment,
			   double *total)
{
	matching match = {.n = n, .m = m, .cost = cost};
	double *block;
	size_t assigned = 0;
	tlv_status status = TLV_OK;

	if (n > m)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "cannot assign %zu rows to %zu columns", n, m);
	for (size_t e = 0; e < n * m; e++)
	{
		TLV_TRY_CONTINUE_AT(ctx, e);
		if (!isfinite(cost[e]))
			return tlv_fail(ctx, TLV_BAD_DATA, "cost of assignment is not finite");
	}
	TLV_TRY_NEW0(ctx, block, n + (m + 1) * 5);
	match.row_price = block;
	match.column_price = block + n;
	match.slack = match.column_price + m + 1;
	match.row_of = (size_t *) (match.slack + m + 1);
	match.before = match.row_of + m + 1;
	match.reached = (bool *) (match.before + m + 1);
	for (size_t j = 0; j <= m; j++)
		match.row_of[j] = n;
	for (size_t i = 0; i < n && status == TLV_OK; i++)
		status = augment(ctx, &match, i);
	if (status != TLV_OK)
	{
		tlv_free(ctx, block);
		return status;
	}
	*total = 0;
	for (size_t j = 0; j < m; j++)
		if (match.row_of[j] < n)
		{
			assigned++;
			assignment[match.row_of[j]] = (int64_t) j;
			*total += cost[match.row_of[j] * m + j];
		}
	tlv_assert(assigned == n); /* every row has a column of its own */
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
