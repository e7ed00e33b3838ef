/*
 * choose.c - the number of components, by cells that are held out or by BIC (internal.h).
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/model/diagnostics.h"

/* How many numbers of components without a gain end the search. */
#define WITHOUT_GAIN 2
/* Standard errors by which the best has to be better than few; than one: MEMBERSHIP_MARGIN. */
#define MARGIN_OF_MORE 1.0

/* What numbers of components reach. */
typedef struct curve
{
	tlv_membership_criterion criterion;
	size_t n, rows;								/* numbers that were tried; rows of the trials */
	double cells;								/* held out, of these rows */
	double score[TLV_MEMBERSHIP_MOST_TRIED];	/* of k = i + 1: mean of a cell, or BIC */
	double icl[TLV_MEMBERSHIP_MOST_TRIED];		/* beside BIC: and twice the entropy */
	double error[TLV_MEMBERSHIP_MOST_TRIED];	/* of the difference to the best */
	double *of_rows[TLV_MEMBERSHIP_MOST_TRIED]; /* sums of the held-out cells of every row */
} curve;

static double
bic_of(const membership_rows *rows, const membership_training *training)
{
	double n = (double) rows->n;
	double parameters =
		membership_parameters((double) training->k, (double) membership_real_categories(rows),
							  (double) (rows->p - rows->scalars), (double) rows->scalars);

	return parameters * log(n) - 2 * n * training->likelihood;
}

/* One more component than the last; nothing of the fit stays. */
static tlv_status
curve_try(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options, curve *c)
{
	membership_training training = {.options = *options,
									.k = c->n + 1,
									.steps = -1,
									.entropies = c->criterion == TLV_MEMBERSHIP_BIC};
	tlv_scratch scratch;
	tlv_status status;
	double *scores;

	training.options.k = training.k;
	training.options.alpha0 =
		membership_alpha0(options, training.k); /* the same for a component of every trial */
	if (c->criterion == TLV_MEMBERSHIP_HELD_OUT)
	{
		training.steps = 0;
		TLV_TRY_NEW(ctx, scores, c->rows);
		TLV_TRY_NEW(ctx, training.others, c->rows);
		training.scores = scores;
	}
	tlv_scratch_begin(ctx, &scratch);
	status = membership_train(ctx, rows, &training);
	tlv_scratch_end(ctx, &scratch);
	TLV_TRY(status);
	c->of_rows[c->n] = training.scores;
	c->score[c->n] =
		c->criterion == TLV_MEMBERSHIP_HELD_OUT ? training.held : bic_of(rows, &training);
	c->icl[c->n] = c->score[c->n] + 2 * (double) rows->n * training.entropy;
	c->cells = training.cells;
	tlv_free(ctx, training.others);
	c->n++;
	return TLV_OK;
}

/* Standard error of the mean difference of two over the same cells, by rows. */
static double
difference_error(const curve *c, const double *a, const double *b)
{
	double sum = 0, squares = 0, n = (double) c->rows;

	for (size_t i = 0; i < c->rows; i++)
	{
		sum += a[i] - b[i];
		squares += (a[i] - b[i]) * (a[i] - b[i]);
	}
	return sqrt(fmax(squares - sum * sum / n, 0)) / c->cells;
}

static size_t
curve_best(const curve *c)
{
	size_t best = 0;

	for (size_t i = 1; i < c->n; i++)
		if (c->criterion == TLV_MEMBERSHIP_HELD_OUT ? c->score[i] > c->score[best]
													: c->score[i] < c->score[best])
			best = i;
	return best;
}

/* The least number that the best does not beat clearly. */
static size_t
curve_choose(curve *c)
{
	size_t best = curve_best(c);

	if (c->criterion != TLV_MEMBERSHIP_HELD_OUT)
		return best + 1;
	for (size_t i = 0; i < c->n; i++)
		c->error[i] = difference_error(c, c->of_rows[best], c->of_rows[i]);
	for (size_t i = 0; i < best; i++)
		if (c->score[best] - c->score[i] <=
			(i == 0 ? MEMBERSHIP_MARGIN : MARGIN_OF_MORE) * c->error[i])
			return i + 1;
	return best + 1;
}

static tlv_status
curve_diagnose(tlv_context *ctx, const curve *c, tlv_diagnostics *to)
{
	bool held_out = c->criterion == TLV_MEMBERSHIP_HELD_OUT;

	for (size_t i = 0; i < c->n; i++)
		TLV_TRY(tlv_diagnose(ctx, to, c->score[i], held_out ? "held_out_%zu" : "bic_%zu", i + 1));
	for (size_t i = 0; i < c->n && !held_out; i++)
		TLV_TRY(tlv_diagnose(ctx, to, c->icl[i], "icl_%zu", i + 1));
	for (size_t i = 0; i < c->n && held_out; i++)
		TLV_TRY(tlv_diagnose(ctx, to, c->error[i], "held_out_error_%zu", i + 1));
	return TLV_OK;
}

tlv_status
membership_choose(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
				  tlv_membership_criterion criterion, size_t max_k, tlv_diagnostics *to, size_t *k)
{
	curve c = {.criterion = criterion, .rows = membership_trial_rows(rows)};
	size_t most = tlv_least(max_k, rows->categories - rows->p + 1);

	while (c.n < most && c.n < rows->n && c.n < curve_best(&c) + 1 + WITHOUT_GAIN)
		TLV_TRY(curve_try(ctx, rows, options, &c));
	*k = curve_choose(&c);
	TLV_TRY(curve_diagnose(ctx, &c, to));
	if (*k > 1 && *k == max_k)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "k_at_limit",
										.score = (double) *k,
										.hint = "Increase max_k, or give k."},
						 "k is the largest that was tried, max_k = %zu", max_k));
	for (size_t i = 0; i < c.n; i++)
		tlv_free(ctx, c.of_rows[i]);
	return TLV_OK;
}
