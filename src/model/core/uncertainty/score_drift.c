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

#include "tensorlv/model/drift.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"

/* Lower bound on the expected observations of a probability that is tested. */
#define LEAST_EXPECTED 5.0
/* Scores for every parameter that is tested, at least. */
#define LEAST_PIECES 3.0

/* Sums of the scores of one block in one value. */
typedef struct score_sums
{
	double pieces;
	const double *scores, *products;
} score_sums;

typedef struct score_test
{
	const tlv_estimate *list; /* n */
	size_t n;
	const double *counts; /* n: observations in the new rows */
	score_sums new, old;  /* of the new rows and of the reference */
	bool *tested;		  /* n */
	size_t *place;		  /* n, room: those of a test */
	double *covariance;	  /* n x n, room */
	double *apart;		  /* 2 n, room */
} score_test;

/* The p-values of a component's blocks, which are independent (Fisher 1932). */
typedef struct score_result
{
	size_t n;
	double statistic; /* F of one */
	double p_value, logarithms;
} score_result;

/* Products about the mean of the scores. */
static double
centred(const score_sums *sums, size_t i, size_t j)
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
	double sum = centred(&test->new, i, j) + centred(&test->old, i, j);

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
		   (own->estimate * test->counts[i] >= LEAST_EXPECTED && !follows(test, i));
}

/* Those of the parameters of a component (0: of all) that are tested, and the covariance of their
 * mean scores scaled to variances of 1. */
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
	return TLV_OK;
}

/* Adds the block's test of a component; none where there are no parameters or too few rows. */
static tlv_status
test_block(tlv_context *ctx, score_test *test, size_t component, score_result *result)
{
	double degrees = degrees_of(test), value = 0, *solved, below;
	size_t p;
	tlv_status status;

	TLV_TRY(gather(ctx, test, component, &p));
	if (p == 0 || test->new.pieces < LEAST_PIECES *(double) p)
		return TLV_OK;
	solved = test->apart + p;
	for (size_t a = 0; a < p; a++)
		solved[a] = test->apart[a];
	status = tlv_solve_spd(ctx, p, 1, test->covariance, solved);
	if (status == TLV_BAD_DATA) /* parameters that the rows do not identify */
	{
		memset(&ctx->error, 0, sizeof(ctx->error));
		return TLV_OK;
	}
	TLV_TRY(status);
	for (size_t a = 0; a < p; a++)
		value += test->apart[a] * solved[a];
	below = degrees - (double) p + 1;
	result->n++;
	result->statistic = value * below / (degrees * (double) p);
	result->p_value = tlv_f_survival(result->statistic, (double) p, below);
	result->logarithms -= 2 * log(fmax(result->p_value, DBL_MIN));
	return TLV_OK;
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

/* Block by block, of which the values hold the products one behind the other. */
static tlv_status
test_blocks(tlv_context *ctx, const tlv_estimates *list, score_test *test, size_t k,
			score_result *results)
{
	size_t first = 0;

	for (size_t end = 1; end <= list->n; end++)
	{
		if (end < list->n && list->list[end].block == list->list[first].block)
			continue;
		test->list = list->list + first;
		test->n = end - first;
		TLV_TRY(test_components(ctx, test, k, results));
		test->counts += test->n;
		test->new.scores += test->n;
		test->new.products += tlv_packed2_size(test->n);
		test->old.scores += test->n;
		test->old.products += tlv_packed2_size(test->n);
		first = end;
	}
	return TLV_OK;
}

tlv_status
tlv_scores_drift(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
				 tlv_drift *drift)
{
	const tlv_kind *kind = model->kind;
	size_t k = tlv_model_components(model);
	tlv_estimates list = {0};
	score_result *results;
	score_test test = {0};

	if (drift->reference == NULL)
		return tlv_drift_ask_reference(ctx, "rows");
	TLV_TRY(kind->model->estimates(ctx, model, &list));
	TLV_TRY(require_scores(ctx, model, statistics, &list));
	test.new = sums_of(statistics);
	test.counts = tlv_frame_float64(statistics, "counts");
	TLV_TRY(require_scores(ctx, model, drift->reference, &list));
	test.old = sums_of(drift->reference);
	TLV_TRY_NEW0(ctx, results, k + 1);
	TLV_TRY(test_blocks(ctx, &list, &test, k, results));
	for (size_t component = 0; component <= k; component++)
		TLV_TRY(put_result(ctx, drift, component, results + component));
	tlv_free(ctx, results);
	tlv_estimates_free(ctx, &list);
	if (drift->n > 0)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_DATA, "%.0f rows are too few to test the parameters of this model",
			 tlv_frame_scalar(statistics, "pieces", 0));
	return tlv_fail_hint(ctx, "Collect the statistics of more rows, of several days, say.");
}
