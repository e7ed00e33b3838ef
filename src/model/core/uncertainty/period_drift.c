/*
 * period_drift.c - the score test between periods that differ from each other (score_drift.h).
 *
 * Each period is a point x = S^-1 m, m the mean score of its rows and S the covariance of a score
 * within periods: where one iteration of scoring would move the parameters for that period.  In
 * these coordinates a column that shifts moves its means alone, while it is in every score.  Of a
 * parameter the rows explain the variance v / n of x, with v its element of the diagonal of S^-1;
 * what periods differ by beyond it is estimated from those of the reference, of which there are
 * few: each parameter is tested by Student's t, and the least p-value counts times their number
 * (Bonferroni).
 */
#include <math.h>
#include <string.h>

#include "score_drift.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"

typedef struct period_points
{
	size_t p, n;		 /* parameters whose scores are independent, periods of the reference */
	size_t *place;		 /* p: the parameters */
	double *means;		 /* p x (n + 1): mean scores of the periods, and of the new rows */
	double *x;			 /* p x (n + 1) */
	double *inverse;	 /* p x p: S^-1 */
	double inverse_rows; /* mean of 1 / n over the periods of the reference */
	double rows;		 /* of all of them */
} period_points;

/* The covariance of the scores within periods, scaled to variances of 1 (0 of a constant), p x p,
 * lower triangle. */
static tlv_status
find_covariance(tlv_context *ctx, const score_test *test, size_t p, double *covariance,
				double *scale)
{
	double degrees = 0;

	for (size_t r = 0; r < test->n_periods; r++)
		degrees += test->periods[r].pieces - 1;
	for (size_t a = p; a-- > 0;)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = 0; b <= a; b++)
		{
			double sum = 0;

			for (size_t r = 0; r < test->n_periods; r++)
				sum += tlv_score_centred(&test->periods[r], test->place[a], test->place[b]);
			covariance[b * p + a] = sum / degrees;
		}
		scale[a] = sqrt(fmax(covariance[a * p + a], 0));
	}
	for (size_t a = 0; a < p; a++)
		for (size_t b = 0; b <= a; b++)
			covariance[b * p + a] =
				scale[a] > 0 && scale[b] > 0 ? covariance[b * p + a] / (scale[a] * scale[b]) : 0;
	return TLV_OK;
}

/* points->p: the rank of the covariance. */
static tlv_status
find_inverse(tlv_context *ctx, const score_test *test, size_t all, period_points *points)
{
	double *covariance, *scale;
	size_t p;

	TLV_TRY_NEW_ROWS(ctx, covariance, all, all);
	TLV_TRY_NEW(ctx, scale, all);
	TLV_TRY_NEW(ctx, points->place, all);
	TLV_TRY(find_covariance(ctx, test, all, covariance, scale));
	TLV_TRY(tlv_score_rank(ctx, all, covariance, points->place, &p));
	for (size_t b = 0; b < p; b++)
		for (size_t a = b; a < p; a++)
			covariance[b * p + a] = covariance[points->place[b] * all + points->place[a]];
	TLV_TRY_NEW0_ROWS(ctx, points->inverse, p, p);
	for (size_t a = 0; a < p; a++)
		points->inverse[a * p + a] = 1;
	TLV_TRY(tlv_solve_spd(ctx, p, p, covariance, points->inverse));
	for (size_t a = 0; a < p; a++)
		for (size_t b = 0; b < p; b++)
			points->inverse[b * p + a] /= scale[points->place[a]] * scale[points->place[b]];
	for (size_t a = 0; a < p; a++)
		points->place[a] = test->place[points->place[a]];
	points->p = p;
	tlv_free(ctx, covariance);
	tlv_free(ctx, scale);
	return TLV_OK;
}

static tlv_status
find_points(tlv_context *ctx, const score_test *test, size_t all, period_points *points)
{
	size_t n = test->n_periods, p;

	*points = (period_points){.n = n};
	TLV_TRY(find_inverse(ctx, test, all, points));
	p = points->p;
	TLV_TRY_NEW_ROWS(ctx, points->means, p, n + 1);
	TLV_TRY_NEW0_ROWS(ctx, points->x, p, n + 1);
	for (size_t r = 0; r <= n; r++)
	{
		const score_sums *sums = r < n ? &test->periods[r] : &test->new;
		double *mean = points->means + r * p, *x = points->x + r * p;

		TLV_TRY_CONTINUE(ctx);
		for (size_t a = 0; a < p; a++)
			mean[a] = sums->scores[points->place[a]] / sums->pieces;
		for (size_t b = 0; b < p; b++)
			for (size_t a = 0; a < p; a++)
				x[a] += points->inverse[b * p + a] * mean[b];
		if (r == n)
			break;
		points->inverse_rows += 1 / sums->pieces / (double) n;
		points->rows += sums->pieces;
	}
	return TLV_OK;
}

static void
free_points(tlv_context *ctx, const period_points *points)
{
	tlv_free(ctx, points->x);
	tlv_free(ctx, points->means);
	tlv_free(ctx, points->inverse);
	tlv_free(ctx, points->place);
}

/* Mean and variance of one coordinate of the points of the reference. */
static void
period_drift_measure(const period_points *points, size_t a, double *mean, double *variance)
{
	double sum = 0, squares = 0, n = (double) points->n;

	for (size_t r = 0; r < points->n; r++)
		sum += points->x[r * points->p + a] / n;
	for (size_t r = 0; r < points->n; r++)
		squares += (points->x[r * points->p + a] - sum) * (points->x[r * points->p + a] - sum);
	*mean = sum;
	*variance = squares / (n - 1);
}

/* Sum over the periods of n (m - mean)' S^-1 (m - mean): chi squared of p (n - 1) degrees where
 * nothing but rows makes them differ. */
static double
whole_spread(const score_test *test, const period_points *points)
{
	size_t p = points->p;
	double sum = 0;

	for (size_t a = 0; a < p; a++)
	{
		double mean = 0, point = 0;

		for (size_t r = 0; r < points->n; r++)
		{
			mean += test->periods[r].pieces / points->rows * points->means[r * p + a];
			point += test->periods[r].pieces / points->rows * points->x[r * p + a];
		}
		for (size_t r = 0; r < points->n; r++)
			sum += test->periods[r].pieces * (points->means[r * p + a] - mean) *
				   (points->x[r * p + a] - point);
	}
	return sum;
}

tlv_status
tlv_periods_compare(tlv_context *ctx, score_test *test, size_t p)
{
	/* The level at which periods are taken to differ. */
	const double spread_level = 0.1;
	double degrees = (double) test->n_periods - 1, least = 1;
	period_points points;

	test->spread = false;
	if (p == 0)
		return TLV_OK;
	TLV_TRY(find_points(ctx, test, p, &points));
	p = points.p;
	for (size_t a = 0; a < p; a++)
	{
		double own = points.inverse[a * p + a] * points.inverse_rows, mean, variance;

		period_drift_measure(&points, a, &mean, &variance);
		least = fmin(least, tlv_chisq_survival(degrees * variance / own, degrees));
	}
	if (p > 0)
		test->spread = 2 * fmin((double) p * least, tlv_chisq_survival(whole_spread(test, &points),
																	   (double) p * degrees)) <=
					   spread_level;
	free_points(ctx, &points);
	return TLV_OK;
}

/* How many periods of the reference lie farther from all others than the new rows do. */
static size_t
farther_periods(const period_points *points, size_t a, double mean)
{
	double own = fabs(points->x[points->n * points->p + a] - mean), n = (double) points->n;
	size_t farther = 0;

	for (size_t r = 0; r < points->n; r++)
		farther += fabs(points->x[r * points->p + a] - mean) * n / (n - 1) >= own;
	return farther;
}

tlv_status
tlv_periods_test(tlv_context *ctx, const score_test *test, size_t p, score_result *result)
{
	double n = (double) test->n_periods, least = 1, statistic = 0;
	period_points points;

	TLV_TRY(find_points(ctx, test, p, &points));
	p = points.p;
	for (size_t a = 0; a < p; a++)
	{
		double mean, variance, own, rows, apart, value;
		size_t farther;

		period_drift_measure(&points, a, &mean, &variance);
		own = points.inverse[a * p + a];
		rows = own * points.inverse_rows;
		apart = points.x[points.n * p + a] - mean;
		apart *= apart / (fmax(variance, rows) * (1 + 1 / n) + own / test->new.pieces - rows);
		value = tlv_f_survival(apart, 1, n - 1);
		farther = farther_periods(&points, a, mean);
		if (farther > 0) /* by ranks there is nothing unusual */
			value = fmax(value, (1 + (double) farther) / (n + 1));
		if (value < least)
			statistic = apart;
		least = fmin(least, value);
	}
	if (p > 0)
		tlv_score_result_add(result, statistic, fmin(1, (double) p * least));
	free_points(ctx, &points);
	return TLV_OK;
}
