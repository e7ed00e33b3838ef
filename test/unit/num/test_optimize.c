/*
 * test_optimize.c - projection, least squares and assignment against brute
 * force; special functions against known values.
 */
#define RNG_SEED 11
#include "malloc_setup.h"
#include "tensorlv/num/optimize.h"
#include "tensorlv/num/special.h"

/* KKT: x sums to 1, and y - x is one constant on the support and no less off it. */
static void
check_projection(size_t n, size_t stride, double scale)
{
	double y[64 * 3];
	double x[64 * 3];
	double work[64];
	double sum = 0;
	double shift = 0;

	for (size_t i = 0; i < n * stride; i++)
		y[i] = x[i] = scale * tlv_rng_normal(&rng);
	tlv_project_simplex(n, x, stride, work);
	for (size_t i = 0; i < n * stride; i += stride)
	{
		assert_at_least(x[i], 0);
		sum += x[i];
		shift = x[i] > 0 ? y[i] - x[i] : shift;
	}
	assert_close(sum, 1, 1e-12 * (1 + scale));
	for (size_t i = 0; i < n * stride; i++)
		if (i % stride != 0)
			assert_equal(x[i], y[i]);
		else if (x[i] > 0)
			assert_close(y[i] - x[i], shift, 1e-12 * (1 + scale));
		else
			assert_at_most(y[i], shift + 1e-12 * (1 + scale));
}

TEST(test_project_simplex)
{
	double inside[3] = {0.2, 0.3, 0.5};
	double vertex[2] = {7, -3};
	double work[3];

	for (int repeat = 0; repeat < 3000; repeat++)
		check_projection(1 + (size_t) tlv_rng_below(&rng, 64), 1 + (size_t) tlv_rng_below(&rng, 3),
						 pow(10, (double) (repeat % 7) - 4));
	tlv_project_simplex(3, inside, 1, work);
	assert_close(inside[0], 0.2, 1e-15);
	tlv_project_simplex(2, vertex, 1, work);
	assert_equal(vertex[0], 1);
	assert_equal(vertex[1], 0);
	tlv_project_simplex(0, NULL, 1, work);
}

/* ---- least squares ---- */

/* Solves the p x p system by elimination with pivoting; false when singular. */
static bool
eliminate(size_t p, double *g, double *r)
{
	for (size_t c = 0; c < p; c++)
	{
		size_t pivot = c;

		for (size_t i = c + 1; i < p; i++)
			pivot = fabs(g[i * p + c]) > fabs(g[pivot * p + c]) ? i : pivot;
		if (fabs(g[pivot * p + c]) < 1e-12)
			return false;
		for (size_t j = 0; j < p; j++)
		{
			double swap = g[c * p + j];

			g[c * p + j] = g[pivot * p + j];
			g[pivot * p + j] = swap;
		}
		double swap = r[c];

		r[c] = r[pivot];
		r[pivot] = swap;
		for (size_t i = 0; i < p; i++)
			if (i != c)
			{
				double f = g[i * p + c] / g[c * p + c];

				for (size_t j = 0; j < p; j++)
					g[i * p + j] -= f * g[c * p + j];
				r[i] -= f * r[c];
			}
	}
	for (size_t c = 0; c < p; c++)
		r[c] /= g[c * p + c];
	return true;
}

static double
residual_of(size_t m, size_t n, const double *a, const double *b, const double *x)
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

/* Least residual over all active sets. */
static double
nnls_brute(size_t m, size_t n, const double *a, const double *b)
{
	double best = HUGE_VAL;

	for (unsigned set = 0; set < 1u << n; set++)
	{
		double x[8] = {0};
		double g[64];
		double r[8];
		size_t columns[8];
		size_t p = 0;
		bool feasible;

		for (size_t j = 0; j < n; j++)
			if (set >> j & 1)
				columns[p++] = j;
		for (size_t u = 0; u < p; u++)
		{
			r[u] = 0;
			for (size_t i = 0; i < m; i++)
				r[u] += a[i + columns[u] * m] * b[i];
			for (size_t v = 0; v < p; v++)
			{
				g[u * p + v] = 0;
				for (size_t i = 0; i < m; i++)
					g[u * p + v] += a[i + columns[u] * m] * a[i + columns[v] * m];
			}
		}
		feasible = eliminate(p, g, r);
		for (size_t u = 0; feasible && u < p; u++)
		{
			x[columns[u]] = r[u];
			feasible = r[u] >= 0;
		}
		if (feasible)
			best = fmin(best, residual_of(m, n, a, b, x));
	}
	return best;
}

TEST(test_nnls)
{
	for (int repeat = 0; repeat < 400; repeat++)
	{
		size_t n = 1 + (size_t) tlv_rng_below(&rng, 7);
		size_t m = n + (size_t) tlv_rng_below(&rng, 8);
		double a[7 * 15];
		double b[15];
		double x[7];
		double residual;
		double shift = (double) (repeat % 3) * 0.5;

		for (size_t e = 0; e < m * n; e++)
			a[e] = (tlv_rng_normal(&rng) + shift) * (e / m == 0 ? 1e3 : 1);
		for (size_t i = 0; i < m; i++)
			b[i] = tlv_rng_normal(&rng);
		assert_int_equal(tlv_nnls(&ctx, m, n, a, b, x, &residual), TLV_OK);
		for (size_t j = 0; j < n; j++)
			assert_at_least(x[j], 0);
		assert_close(residual, residual_of(m, n, a, b, x), 1e-12);
		assert_close(residual, nnls_brute(m, n, a, b), 1e-8);
	}
}

/* Columns that repeat or vanish, and more columns than rows. */
TEST(test_nnls_degenerate)
{
	double a[4 * 2] = {1, 2, 1, 2, 0, 0, 3, -1};
	double b[2] = {2, 4};
	double x[4];
	double residual;
	double bad[2] = {1, NAN};

	assert_int_equal(tlv_nnls(&ctx, 2, 4, a, b, x, &residual), TLV_OK);
	assert_close(residual, 0, 1e-7);
	assert_equal(x[2], 0);
	assert_close(x[0] + x[1], 2, 1e-6);
	b[0] = b[1] = -1;
	assert_int_equal(tlv_nnls(&ctx, 2, 1, a, b, x, &residual), TLV_OK);
	assert_equal(x[0], 0);
	assert_close(residual, sqrt(2), 1e-15);
	assert_int_equal(tlv_nnls(&ctx, 2, 1, bad, b, x, &residual), TLV_BAD_DATA);
}

/* Truth recovered from many rows (several blocks of the Gram matrix). */
TEST(test_nnls_large)
{
	size_t m = 20000;
	size_t n = 30;
	double *a = room(m * n, sizeof(double));
	double *b = room(m, sizeof(double));
	double x[30];
	double residual;

	for (size_t e = 0; e < m * n; e++)
		a[e] = tlv_rng_uniform(&rng);
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < m; i++)
			b[i] += a[i + j * m] * (j % 3 == 0 ? 0 : (double) j);
	assert_int_equal(tlv_nnls(&ctx, m, n, a, b, x, &residual), TLV_OK);
	for (size_t j = 0; j < n; j++)
		assert_close(x[j], j % 3 == 0 ? 0 : (double) j, 1e-9);
}

/* ---- assignment ---- */

static double
assign_brute(size_t n, size_t m, const double *cost, size_t row, unsigned used)
{
	double best = HUGE_VAL;

	if (row == n)
		return 0;
	for (size_t j = 0; j < m; j++)
		if (!(used >> j & 1))
			best =
				fmin(best, cost[row * m + j] + assign_brute(n, m, cost, row + 1, used | 1u << j));
	return best;
}

TEST(test_assignment)
{
	for (int repeat = 0; repeat < 400; repeat++)
	{
		size_t m = 1 + (size_t) tlv_rng_below(&rng, 6);
		size_t n = 1 + (size_t) tlv_rng_below(&rng, m);
		double cost[36];
		int64_t assignment[6];
		unsigned used = 0;
		double total;
		double sum = 0;

		for (size_t e = 0; e < n * m; e++)
			cost[e] = repeat % 2 ? tlv_rng_normal(&rng) : (double) tlv_rng_below(&rng, 4);
		assert_int_equal(tlv_assignment(&ctx, n, m, cost, assignment, &total), TLV_OK);
		for (size_t i = 0; i < n; i++)
		{
			assert_at_least(assignment[i], 0);
			assert_below((size_t) assignment[i], m);
			assert_false(used >> assignment[i] & 1);
			used |= 1u << assignment[i];
			sum += cost[i * m + (size_t) assignment[i]];
		}
		assert_close(total, sum, 1e-12);
		assert_close(total, assign_brute(n, m, cost, 0, 0), 1e-12);
	}
}

TEST(test_assignment_faults)
{
	double cost[2] = {1, HUGE_VAL};
	int64_t assignment[2];
	double total;

	assert_int_equal(tlv_assignment(&ctx, 2, 1, cost, assignment, &total), TLV_BAD_PARAMETER);
	assert_int_equal(tlv_assignment(&ctx, 1, 2, cost, assignment, &total), TLV_BAD_DATA);
	assert_cancelled_at(1, tlv_assignment(&ctx, 1, 1, cost, assignment, &total));
}

/* ---- golden section ---- */

static tlv_status
log_parabola(tlv_context *context, void *argument, double x, double *value)
{
	double off = log(x) - *(double *) argument;

	*value = x > 50 ? NAN : 3 + off * off;
	return TLV_OK;
}

static tlv_status
failing(tlv_context *context, void *argument, double x, double *value)
{
	return tlv_fail(context, TLV_BAD_DATA, "no");
}

TEST(test_minimize_log)
{
	double target = log(2.5);
	double x;
	double value;

	assert_int_equal(tlv_minimize_log(&ctx, log_parabola, &target, 0.01, 100, 1e-5, &x, &value),
					 TLV_OK);
	assert_close(x, 2.5, 3e-5);
	assert_close(value, 3, 1e-9);
	target = -10;
	assert_int_equal(tlv_minimize_log(&ctx, log_parabola, &target, 0.01, 100, 1e-4, &x, &value),
					 TLV_OK);
	assert_close(x, 0.01, 1e-5);
	assert_int_equal(tlv_minimize_log(&ctx, failing, NULL, 1, 2, 1e-3, &x, &value), TLV_BAD_DATA);
	assert_int_equal(tlv_minimize_log(&ctx, log_parabola, &target, 0, 2, 1e-3, &x, &value),
					 TLV_BAD_PARAMETER);
}

TEST(test_special)
{
	assert_close(tlv_digamma(1), -0.57721566490153286, 1e-14);
	assert_close(tlv_digamma(0.5), -1.96351002602142348, 1e-14);
	assert_close(tlv_lgamma(10), 12.8018274800814696, 1e-13);
	assert_close(tlv_lgamma(-0.5), 1.26551212348464540, 1e-13);
	assert_close(tlv_normal_cdf(1.96), 0.97500210485177953, 1e-15);
	assert_close(tlv_normal_cdf(-10) / 7.61985302416052606e-24, 1, 1e-13);
	assert_close(tlv_chisq_survival(3.84145882069412448, 1), 0.05, 1e-14);
	assert_close(tlv_chisq_survival(10, 10), 0.44049328506521257, 1e-14);
	assert_equal(tlv_chisq_survival(-1, 2), 1);
	assert_equal(tlv_chisq_survival(1e6, 2), 0);
	assert_equal(tlv_chisq_survival(HUGE_VAL, 5), 0);
}

/* GSL's default handler would abort here if a fault reached it. */
TEST(test_special_domain)
{
	const double poles[] = {0, -1, -7, NAN, -HUGE_VAL};

	for (size_t i = 0; i < sizeof(poles) / sizeof(*poles); i++)
	{
		assert_true(isnan(tlv_digamma(poles[i])));
		assert_true(isnan(tlv_lgamma(poles[i])));
		assert_true(isnan(tlv_chisq_survival(1, poles[i])));
	}
	assert_true(isnan(tlv_normal_cdf(NAN)));
	assert_true(isnan(tlv_chisq_survival(NAN, 1)));
	for (int e = -300; e <= 300; e += 7)
	{
		double x = pow(10, e);

		assert_false(isnan(tlv_digamma(x)));
		assert_false(isnan(tlv_lgamma(x)));
	}
	for (double degrees = 1; degrees < 1e5; degrees *= 10)
	{
		double before = 1;

		assert_equal(tlv_chisq_survival(1e-300, degrees), 1);
		for (int e = -300; e <= 300; e++) /* 1 falls to 0 */
		{
			double survival = tlv_chisq_survival(pow(10, e), degrees);

			assert_between(survival, 0, before);
			assert_at_most(survival, tlv_chisq_survival(pow(10, e), 10 * degrees));
			before = survival;
		}
		assert_equal(before, 0);
	}
}

RUN_TESTS_OF_GROUP(setup, teardown, NULL, drop_rooms)
