/*
 * expect.c - expectation and maximisation over answers (internal.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"

#include "tensorlv/num/numbers.h"

tlv_status
tlv_crowd_state_create(tlv_context *ctx, const crowd_answers *data, double shrink,
					   crowd_state *state)
{
	size_t k = data->answers, wide = k * data->columns;

	memset(state, 0, sizeof(*state));
	state->data = data;
	state->k = k;
	state->shrink = shrink;
	TLV_TRY_NEW0(ctx, state->log_weights, k);
	TLV_TRY_NEW0(ctx, state->log_confusions, wide);
	TLV_TRY_NEW0(ctx, state->weights, k);
	TLV_TRY_NEW0(ctx, state->counts, wide);
	TLV_TRY_NEW0(ctx, state->pool, k * k);
	TLV_TRY_NEW0(ctx, state->shares, k + data->workers);
	state->knows = state->shares + k;
	TLV_TRY_NEW0(ctx, state->habits, data->columns);
	return TLV_OK;
}

/* ---- expectation ---- */

/* The posterior of the answers that an item may have: those that are known of it, or, where none
 * is, those that workers give.  Everything else is 0. */
static void
restrict_posterior(const crowd_answers *a, size_t item, size_t given, size_t k, double *q)
{
	if (given == a->start[item])
	{
		for (size_t h = 0; h < k; h++)
			q[h] = a->said[h] ? q[h] : -INFINITY;
		return;
	}
	for (size_t h = 0; h < k; h++)
	{
		bool known = false;

		for (size_t i = a->start[item]; i < given; i++)
			known |= a->column[i] - a->columns == h;
		q[h] = known ? q[h] : -INFINITY;
	}
}

double
tlv_crowd_share(size_t k, double *q)
{
	double largest = q[0], sum;

	for (size_t h = 1; h < k; h++)
		largest = q[h] > largest ? q[h] : largest;
	sum = q[0] = exp(q[0] - largest);
	for (size_t h = 1; h < k; h++)
		sum += q[h] = exp(q[h] - largest);
	for (size_t h = 0; h < k; h++)
		q[h] /= sum;
	return largest + log(sum);
}

static inline void
crowd_add_column(size_t k, double *to, const double *from)
{
	for (size_t h = 0; h < k; h++)
		to[h] += from[h];
}

static inline void
crowd_add_times(size_t k, double *to, double weight, const double *from)
{
	for (size_t h = 0; h < k; h++)
		to[h] += weight * from[h];
}

/* Expected counts of one item's answers, given what it may be. */
static void
count_item(crowd_state *state, size_t first, size_t end, const double *q)
{
	size_t k = state->k;

	for (size_t i = first; i < end; i++)
		crowd_add_times(k, state->counts + k * state->data->column[i], crowd_weight(state->data, i),
						q);
	crowd_add_column(k, state->weights, q);
}

static void
clear_counts(crowd_state *state)
{
	memset(state->weights, 0, state->k * sizeof(double));
	memset(state->counts, 0, state->k * state->data->columns * sizeof(double));
}

/* What is asked of every answer of an item: how likely it is right. */
static void
tell_item(const crowd_state *state, size_t first, size_t end, const double *q,
		  const crowd_told *told)
{
	size_t answers = state->data->answers;

	for (size_t i = first; i < end; i++)
	{
		size_t worker = state->data->column[i] / answers;
		double right = q[state->data->column[i] % answers];

		told->right[worker] += right;
		told->doubt[worker] += right * (1 - right);
	}
}

/* The posterior of an item, at q, and its log-likelihood. */
static double
item_posterior(const crowd_state *state, size_t item, size_t first, double *q)
{
	const crowd_answers *a = state->data;
	size_t k = state->k;

	memcpy(q, state->log_weights, k * sizeof(double));
	for (size_t i = first; i < a->start[item + 1]; i++)
		crowd_add_times(k, q, crowd_weight(a, i), state->log_confusions + k * a->column[i]);
	restrict_posterior(a, item, first, k, q);
	return tlv_crowd_share(k, q);
}

tlv_status
tlv_crowd_expect(tlv_context *ctx, crowd_state *state, const crowd_told *told)
{
	const crowd_answers *a = state->data;
	size_t k = state->k, looked = 0;
	double *q, total = 0;

	TLV_TRY_NEW(ctx, q, k);
	clear_counts(state);
	for (size_t item = 0; item < a->items; item++)
	{
		size_t first = crowd_first_given(a, item), end = a->start[item + 1];

		TLV_TRY(crowd_look(ctx, (end - first + 1) * k, &looked));
		total += item_posterior(state, item, first, q);
		count_item(state, first, end, q);
		if (told == NULL)
			continue;
		memcpy(told->posterior + k * item, q, k * sizeof(double));
		tell_item(state, first, end, q, told);
	}
	state->log_likelihood = total;
	tlv_free(ctx, q);
	return TLV_OK;
}

/* ---- what is said of an item ---- */

/* Expected counts of every worker's answers, class by class; totals (k x workers). */
static tlv_status
total_workers(tlv_context *ctx, const crowd_state *state, double **totals)
{
	size_t k = state->k, answers = state->data->answers, columns = state->data->columns;

	TLV_TRY_NEW_ROWS(ctx, *totals, state->data->workers, k);
	memset(*totals, 0, k * state->data->workers * sizeof(double));
	for (size_t column = 0; column < columns; column++)
	{
		if (column % (CROWD_STRIDE / k + 1) == CROWD_STRIDE / k)
			TLV_TRY_CONTINUE(ctx);
		crowd_add_column(k, *totals + k * (column / answers), state->counts + k * column);
	}
	return TLV_OK;
}

/* As how many answers those of the item in the column of answer i count, and those of its worker: a
 * worker may answer an item several times.  Columns ascend within an item, and with them workers.
 */
static void
count_own(const crowd_answers *a, size_t first, size_t end, size_t i, double *column,
		  double *worker)
{
	size_t of = (size_t) a->column[i] / a->answers;

	*column = *worker = 0;
	for (size_t t = i; t > first && (size_t) a->column[t - 1] / a->answers == of; t--)
	{
		*worker += crowd_weight(a, t - 1);
		*column += a->column[t - 1] == a->column[i] ? crowd_weight(a, t - 1) : 0;
	}
	for (size_t t = i; t < end && (size_t) a->column[t] / a->answers == of; t++)
	{
		*worker += crowd_weight(a, t);
		*column += a->column[t] == a->column[i] ? crowd_weight(a, t) : 0;
	}
}

/* The posterior of an item by the counts of all others, from its own, q, to left (k). */
static void
leave_out(const crowd_state *state, size_t item, size_t first, const double *totals,
		  const double *q, double *left)
{
	const crowd_answers *a = state->data;
	size_t k = state->k, end = a->start[item + 1];
	double pull = state->shrink * CROWD_SAID_SHRINK, own_column, own_worker;

	for (size_t h = 0; h < k; h++)
		left[h] = log(a->said[h] ? 1 + fmax(state->weights[h] - q[h], 0) : TLV_ROUNDING);
	for (size_t i = first; i < end; i++)
	{
		const double *counts = state->counts + k * a->column[i];
		const double *total = totals + k * (a->column[i] / a->answers);
		const double *pool = state->pool + k * (a->column[i] % a->answers);

		count_own(a, first, end, i, &own_column, &own_worker);
		for (size_t h = 0; h < k; h++)
			left[h] += crowd_weight(a, i) *
					   log((fmax(counts[h] - own_column * q[h], 0) + pull * pool[h] + CROWD_FLOOR) /
						   (fmax(total[h] - own_worker * q[h], 0) + pull +
							(double) a->answers * CROWD_FLOOR));
	}
	restrict_posterior(a, item, first, k, left);
	(void) tlv_crowd_share(k, left);
}

static size_t
crowd_largest_of(size_t k, const double *q)
{
	size_t best = 0;

	for (size_t h = 1; h < k; h++)
		best = q[h] > q[best] ? h : best;
	return best;
}

/* The answer, best, stays the most probable one: with each that is more probable it shares, after
 * which that one no longer is. */
static void
keep_answer(size_t k, size_t best, double *q)
{
	for (size_t turn = 0; turn < k; turn++)
	{
		size_t above = crowd_largest_of(k, q);
		double mean = (q[best] + q[above]) / 2;

		if (above == best)
			return;
		q[best] = mean + TLV_ROUNDING;
		q[above] = mean - TLV_ROUNDING;
	}
}

tlv_status
tlv_crowd_leave_one_out(tlv_context *ctx, const crowd_state *state, double *posterior)
{
	const crowd_answers *a = state->data;
	size_t k = state->k, looked = 0;
	double *totals, *left;

	TLV_TRY(total_workers(ctx, state, &totals));
	TLV_TRY_NEW(ctx, left, k);
	for (size_t item = 0; item < a->items; item++)
	{
		size_t first = crowd_first_given(a, item);
		double *q = posterior + k * item;

		TLV_TRY(crowd_look(ctx, (a->start[item + 1] - first + 1) * k, &looked));
		leave_out(state, item, first, totals, q, left);
		keep_answer(k, crowd_largest_of(k, q), left);
		memcpy(q, left, k * sizeof(double));
	}
	tlv_free(ctx, left);
	tlv_free(ctx, totals);
	return TLV_OK;
}

/* ---- the majority ---- */

tlv_status
tlv_crowd_majority(tlv_context *ctx, crowd_state *state)
{
	const crowd_answers *a = state->data;
	size_t k = state->k;
	double *q;

	TLV_TRY_NEW(ctx, q, k);
	clear_counts(state);
	for (size_t item = 0; item < a->items; item++)
	{
		size_t first = crowd_first_given(a, item), end = a->start[item + 1];
		size_t from = a->start[item], to = first > from ? first : end;
		double sum = 0;

		TLV_TRY_CONTINUE(ctx);
		memset(q, 0, k * sizeof(double));
		for (size_t i = from; i < to; i++)
			sum += crowd_weight(a, i);
		for (size_t i = from; i < to; i++)
			q[i < first ? a->column[i] - a->columns : a->column[i] % a->answers] +=
				crowd_weight(a, i) * (1 / sum);
		count_item(state, first, end, q);
	}
	tlv_free(ctx, q);
	return TLV_OK;
}

/* ---- maximisation ---- */

/* The shares of all answers, one of each more, from the sums of the pool. */
static void
share_answers(crowd_state *state)
{
	size_t k = state->k;
	double all = 0;

	for (size_t l = 0; l < k; l++)
	{
		state->shares[l] = 1;
		for (size_t h = 0; h < k; h++)
			state->shares[l] += state->pool[h + k * l] - CROWD_FLOOR;
		all += state->shares[l];
	}
	for (size_t l = 0; l < k; l++)
		state->shares[l] /= all;
}

void
tlv_crowd_pool(crowd_state *state)
{
	size_t k = state->k, answers = state->data->answers;

	for (size_t i = 0; i < k * answers; i++)
		state->pool[i] = CROWD_FLOOR;
	for (size_t column = 0; column < state->data->columns; column++)
		crowd_add_column(k, state->pool + k * (column % answers), state->counts + k * column);
	share_answers(state);
	for (size_t h = 0; h < k; h++)
	{
		double sum = 0;

		for (size_t l = 0; l < answers; l++)
			sum += state->pool[h + k * l];
		for (size_t l = 0; l < answers; l++)
			state->pool[h + k * l] /= sum;
	}
}

void
tlv_crowd_forget(crowd_state *state)
{
	for (size_t j = 0; j < state->data->workers; j++)
		state->knows[j] = 0.5;
	for (size_t column = 0; column < state->data->columns; column++)
		state->habits[column] = 1 / (double) state->k;
}

/* Three steps towards what the counts say of the share of the items that a worker knows, and of
 * the habit for the others; both have a prior of about one answer.  said has room for k. */
static void
improve_habits(crowd_state *state, size_t worker, double *said)
{
	size_t k = state->k;
	const double *counts = state->counts + k * k * worker;
	double *habit = state->habits + k * worker, all = 0;

	for (size_t l = 0; l < k; l++)
	{
		said[l] = 0;
		for (size_t h = 0; h < k; h++)
			said[l] += counts[k * l + h];
		all += said[l];
	}
	for (int step = 0; step < 3; step++)
	{
		double t = state->knows[worker], known = 0, sum = 0;

		for (size_t l = 0; l < k; l++)
		{
			double right = counts[k * l + l] * t / (t + (1 - t) * habit[l]);

			known += right;
			habit[l] = said[l] - right + state->shares[l];
			sum += habit[l];
		}
		for (size_t l = 0; l < k; l++)
			habit[l] /= sum;
		state->knows[worker] = (known + 1) / (all + 2);
	}
}

/* Logs of a worker's confusions; total has room for k. */
static void
maximize_worker(crowd_state *state, size_t worker, double *total)
{
	size_t k = state->k, answers = state->data->answers, first = k * worker * answers;
	crowd_prior prior = crowd_prior_of(state->shrink, state->data->given[worker]);
	double floor_sum = (double) answers * CROWD_FLOOR + prior.own + prior.shared;

	improve_habits(state, worker, total);
	for (size_t h = 0; h < k; h++)
		total[h] = floor_sum;
	for (size_t l = 0; l < answers; l++)
		crowd_add_column(k, total, state->counts + first + k * l);
	for (size_t h = 0; h < k; h++)
		total[h] = log(total[h]);
	for (size_t l = 0; l < answers; l++)
		for (size_t h = 0; h < k; h++)
		{
			size_t at = first + k * l + h;
			double t = state->knows[worker];
			double says = (1 - t) * state->habits[worker * k + l] + (l == h ? t : 0);

			state->log_confusions[at] = log(state->counts[at] + prior.own * says +
											prior.shared * state->pool[h + k * l] + CROWD_FLOOR) -
										total[h];
		}
}

tlv_status
tlv_crowd_maximize(tlv_context *ctx, crowd_state *state)
{
	size_t k = state->k, stride = CROWD_STRIDE / (k * k) + 1;
	double *total, items = 0;

	TLV_TRY_NEW(ctx, total, k);
	tlv_crowd_pool(state);
	for (size_t j = 0; j < state->data->workers; j++)
	{
		if (j % stride == stride - 1)
			TLV_TRY_CONTINUE(ctx);
		maximize_worker(state, j, total);
	}
	for (size_t h = 0; h < k; h++)
		items += state->data->said[h] ? 1 + state->weights[h] : TLV_ROUNDING;
	for (size_t h = 0; h < k; h++)
		state->log_weights[h] =
			log((state->data->said[h] ? 1 + state->weights[h] : TLV_ROUNDING) / items);
	tlv_free(ctx, total);
	return TLV_OK;
}
