/*
 * score_drift.c - are rows those of a model, by the scores that error statistics hold? (drift.h)
 *
 * The mean score of rows under a model is about where the model would move for them.  Of n new rows
 * and m of a reference, both of one kind, the means differ by 0 on average, with the covariance
 * S (1 / n + 1 / m), S that of a row's score in both together: Hotelling's T^2 (1931).  What the
 * model was fitted to, and how well, does not matter.  S of the new rows alone would do for a
 * likely model without a reference, but scores are skewed: 13 in 100 of days of 500 rows alarmed
 * at 5 %.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "score_drift.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/special.h"
#include "tensorlv/num/tuning.h"

/* Periods of a reference at least, from which their spread is estimated. */
#define LEAST_PERIODS 7

double
tlv_score_centred(const score_sums *sums, size_t i, size_t j)
{
	return sums->products[tlv_packed2_index(i, j)] -
		   sums->scores[i] * sums->scores[j] / sums->pieces;
}

static double
degrees_of(const score_test *test)
{
	return test->new.pieces + test->old.pieces - 2;
}

/* Covariance of the difference of the mean scores. */
static double
covariance_at(const score_test *test, size_t i, size_t j)
{
	double sum = tlv_score_centred(&test->new, i, j) + tlv_score_centred(&test->old, i, j);

	return sum / degrees_of(test) * (1 / test->new.pieces + 1 / test->old.pieces);
}

/* Is one of a group, of which it is the largest, the one that follows from the others? */
static bool
follows(const score_test *test, size_t i)
{
	const tlv_estimate *own = test->list + i;

	for (size_t j = i; j-- > 0 && test->list[j].group == own->group;)
		if (test->list[j].estimate >= own->estimate)
			return false;
	for (size_t j = i + 1; j < test->n && test->list[j].group == own->group; j++)
		if (test->list[j].estimate > own->estimate)
			return false;
	return true;
}

static bool
is_tested(const score_test *test, size_t i)
{
	const tlv_estimate *own = test->list + i;

	if (own->fixed || !(covariance_at(test, i, i) > 0))
		return false;
	return own->group == 0 ||
		   (own->estimate * test->counts[i] >= TLV_LEAST_EXPECTED && !follows(test, i));
}

static double
dot(size_t n, const double *a, const double *b)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Adds row j to the Cholesky factor of the kept rows (rows of p values); the variance of score j
 * that the kept scores leave unexplained. */
static double
factor_row(const double *covariance, size_t p, size_t j, const size_t *kept, size_t rank,
		   double *factor)
{
	double *row = factor + rank * p, left;

	for (size_t b = 0; b < rank; b++)
		row[b] = (covariance[kept[b] * p + j] - dot(b, row, factor + b * p)) / factor[b * p + b];
	left = covariance[j * p + j] - dot(rank, row, row);
	row[rank] = sqrt(fmax(left, 0));
	return left;
}

tlv_status
tlv_score_rank(tlv_context *ctx, size_t p, const double *covariance, size_t *kept, size_t *rank)
{
	/* Upper bound on the proportion of a score's variance that other scores leave unexplained,
	 * where it depends on them: above the rounding of centred products. */
	const double dependent = 1e-9;
	double *factor;

	*rank = 0;
	TLV_TRY_NEW_ROWS(ctx, factor, p, p);
	for (size_t j = 0; j < p; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (factor_row(covariance, p, j, kept, *rank, factor) > dependent)
			kept[(*rank)++] = j;
	}
	tlv_free(ctx, factor);
	return TLV_OK;
}

/* Removes the gathered parameters whose scores are linear combinations of those before them. */
static tlv_status
keep_independent(tlv_context *ctx, score_test *test, size_t *p)
{
	size_t *kept, rank;

	TLV_TRY_NEW(ctx, kept, *p);
	TLV_TRY(tlv_score_rank(ctx, *p, test->covariance, kept, &rank));
	for (size_t b = 0; b < rank; b++)
	{
		test->place[b] = test->place[kept[b]];
		test->apart[b] = test->apart[kept[b]];
		for (size_t a = b; a < rank; a++)
			test->covariance[b * rank + a] = test->covariance[kept[b] * *p + kept[a]];
	}
	*p = rank;
	tlv_free(ctx, kept);
	return TLV_OK;
}

/* The tested parameters of a component (0: of all) whose scores are linearly independent, and the
 * covariance of their mean scores scaled to variances of 1. */
static tlv_status
gather(tlv_context *ctx, score_test *test, size_t component, size_t *p)
{
	*p = 0;
	for (size_t i = 0; i < test->n; i++)
		if (test->tested[i] && (component == 0 || test->list[i].component == component))
			test->place[(*p)++] = i;
	for (size_t a = 0; a < *p; a++)
	{
		size_t i = test->place[a];
		double scale = sqrt(covariance_at(test, i, i));

		TLV_TRY_CONTINUE(ctx);
		test->apart[a] =
			(test->new.scores[i] / test->new.pieces - test->old.scores[i] / test->old.pieces) /
			scale;
		for (size_t b = 0; b <= a; b++)
			test->covariance[b * *p + a] =
				covariance_at(test, i, test->place[b]) /
				(scale * sqrt(covariance_at(test, test->place[b], test->place[b])));
	}
	return keep_independent(ctx, test, p);
}

void
tlv_score_result_add(score_result *result, double statistic, double p_value)
{
	result->n++;
	result->statistic = statistic;
	result->p_value = p_value;
	result->logarithms -= 2 * log(fmax(p_value, DBL_MIN));
}

/* Hotelling's test of the p parameters that were gathered: p is the rank of the covariance. */
static tlv_status
test_gathered(tlv_context *ctx, score_test *test, size_t p, score_result *result)
{
	double degrees = degrees_of(test), value = 0, *solved, below;

	solved = test->apart + p;
	for (size_t a = 0; a < p; a++)
		solved[a] = test->apart[a];
	TLV_TRY(tlv_solve_spd(ctx, p, 1, test->covariance, solved));
	for (size_t a = 0; a < p; a++)
		value += test->apart[a] * solved[a];
	below = degrees - (double) p + 1;
	value *= below / (degrees * (double) p);
	tlv_score_result_add(result, value, tlv_f_survival(value, (double) p, below));
	return TLV_OK;
}

/* Adds the block's test of a component; none where there are no parameters or too few rows.  The
 * first is that of all parameters, by which periods are compared. */
static tlv_status
test_block(tlv_context *ctx, score_test *test, size_t component, score_result *result)
{
	/* Scores for every parameter that is tested, at least. */
	const double least_pieces = 3.0;
	size_t p;

	TLV_TRY(gather(ctx, test, component, &p));
	if (component == 0 && test->n_periods > 0)
		TLV_TRY(tlv_periods_compare(ctx, test, p));
	if (p == 0 || test->new.pieces < least_pieces *(double) p)
		return TLV_OK;
	return test->spread ? tlv_periods_test(ctx, test, p, result)
						: test_gathered(ctx, test, p, result);
}

static tlv_status
put_result(tlv_context *ctx, tlv_drift *drift, size_t component, const score_result *result)
{
	const char *name = component == 0 ? "scores" : "score";

	if (result->n == 0)
		return TLV_OK;
	if (result->n == 1)
		return tlv_drift_put(ctx, drift, name, component, result->statistic, result->p_value);
	return tlv_drift_put(ctx, drift, name, component, result->logarithms,
						 tlv_chisq_survival(result->logarithms, 2 * (double) result->n));
}

/* All tests of the parameters of one block. */
static tlv_status
test_components(tlv_context *ctx, score_test *test, size_t k, score_result *results)
{
	TLV_TRY_NEW0(ctx, test->tested, test->n);
	TLV_TRY_NEW(ctx, test->place, test->n);
	TLV_TRY_NEW_ROWS(ctx, test->covariance, test->n, test->n);
	TLV_TRY_NEW(ctx, test->apart, 2 * test->n);
	for (size_t i = 0; i < test->n; i++)
		test->tested[i] = is_tested(test, i);
	for (size_t component = 0; component <= k; component++)
		TLV_TRY(test_block(ctx, test, component, results + component));
	tlv_free(ctx, test->tested);
	tlv_free(ctx, test->place);
	tlv_free(ctx, test->covariance);
	tlv_free(ctx, test->apart);
	return TLV_OK;
}

static tlv_status
require_scores(tlv_context *ctx, const tlv_frame *model, const tlv_frame *frame,
			   const tlv_estimates *list)
{
	TLV_TRY(tlv_kind_require(ctx, frame, &tlv_kind_score_products, "tlv_drift"));
	TLV_TRY(tlv_require_model(ctx, frame, model));
	TLV_TRY(tlv_scores_require(ctx, frame, list, "tlv_drift"));
	if (!(tlv_frame_scalar(frame, "pieces", 0) > 1))
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the statistics hold fewer than two rows");
		return tlv_fail_hint(ctx, "Collect them from more rows.");
	}
	return TLV_OK;
}

static score_sums
sums_of(const tlv_frame *frame)
{
	return (score_sums){.pieces = tlv_frame_scalar(frame, "pieces", 0),
						.scores = tlv_frame_float64(frame, "scores"),
						.products = tlv_frame_float64(frame, "products")};
}

/* The sums of the next block of the list, n parameters after the last one's. */
static void
advance_sums(score_sums *sums, size_t n)
{
	sums->scores += n;
	sums->products += tlv_packed2_size(n);
}

/* Block by block, of which the values hold the products one behind the other. */
static tlv_status
test_blocks(tlv_context *ctx, const tlv_estimates *list, score_test *test, score_sums *periods,
			size_t k, score_result *results)
{
	size_t first = 0;

	test->periods = periods;
	for (size_t end = 1; end <= list->n; end++)
	{
		if (end < list->n && list->list[end].block == list->list[first].block)
			continue;
		test->list = list->list + first;
		test->n = end - first;
		TLV_TRY(test_components(ctx, test, k, results));
		test->counts += test->n;
		advance_sums(&test->new, test->n);
		advance_sums(&test->old, test->n);
		for (size_t r = 0; periods != NULL && r < test->n_periods; r++)
			advance_sums(&periods[r], test->n);
		first = end;
	}
	return TLV_OK;
}

/* The sums of the periods, and those of all of them together: a reference of one value is its
 * own sum. */
static tlv_status
open_reference(tlv_context *ctx, const tlv_frame *model, const tlv_estimates *list,
			   const tlv_drift *drift, score_test *test, score_sums **periods)
{
	size_t n = drift->references, size;
	double *scores, *products;

	for (size_t r = 0; r < n; r++)
		TLV_TRY(require_scores(ctx, model, &drift->reference[r], list));
	test->old = sums_of(&drift->reference[0]);
	if (!drift->periods)
		return TLV_OK;
	size = tlv_frame_find(&drift->reference[0], "products")->rows;
	test->n_periods = n;
	TLV_TRY_NEW(ctx, *periods, n);
	TLV_TRY_NEW0(ctx, scores, list->n);
	TLV_TRY_NEW0(ctx, products, size);
	test->old = (score_sums){.scores = scores, .products = products};
	for (size_t r = 0; r < n; r++)
	{
		score_sums *own = *periods + r;

		TLV_TRY_CONTINUE(ctx);
		*own = sums_of(&drift->reference[r]);
		test->old.pieces += own->pieces;
		for (size_t i = 0; i < list->n; i++)
			scores[i] += own->scores[i];
		for (size_t i = 0; i < size; i++)
			products[i] += own->products[i];
	}
	return TLV_OK;
}

static tlv_status
refuse_few_periods(tlv_context *ctx, size_t n)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER, "a reference of %zu periods does not show how periods differ",
			 n);
	return tlv_fail_hint(ctx,
						 "Give %d periods or more, or one value of all of them, which the "
						 "aggregate tlv_rollup makes.",
						 LEAST_PERIODS);
}

tlv_status
tlv_scores_drift(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
				 tlv_drift *drift)
{
	const tlv_kind *kind = model->kind;
	size_t k = tlv_model_components(model);
	score_sums *periods = NULL;
	tlv_estimates list = {0};
	score_result *results;
	score_test test = {0};

	if (drift->references == 0 && !drift->periods)
		return tlv_drift_ask_reference(ctx, "rows");
	if (drift->periods && drift->references < LEAST_PERIODS)
		return refuse_few_periods(ctx, drift->references);
	TLV_TRY(kind->model->estimates(ctx, model, &list));
	TLV_TRY(require_scores(ctx, model, statistics, &list));
	test.new = sums_of(statistics);
	test.counts = tlv_frame_float64(statistics, "counts");
	TLV_TRY(open_reference(ctx, model, &list, drift, &test, &periods));
	TLV_TRY_NEW0(ctx, results, k + 1);
	TLV_TRY(test_blocks(ctx, &list, &test, periods, k, results));
	for (size_t component = 0; component <= k; component++)
		TLV_TRY(put_result(ctx, drift, component, results + component));
	tlv_free(ctx, results);
	tlv_estimates_free(ctx, &list);
	if (drift->n > 0)
		return TLV_OK;
	tlv_fail(
		ctx, TLV_BAD_DATA, "%.0f %s too few to test the parameters of this model",
		tlv_frame_scalar(statistics, "pieces", 0),
		tlv_plural((double) (tlv_frame_scalar(statistics, "pieces", 0)), "row is", "rows are"));
	return tlv_fail_hint(ctx, "Collect the statistics of more rows, of several days, say.");
}
