/*
 * confirm.c - groups of copying workers count as one, and are confirmed given what is true
 * (internal.h).
 */
#include <math.h>

#include "internal.h"
#include "tuning.h"

/* ---- as how many answers they count ---- */

/* The group and the answer of answer i, as a place in a table of counts; 0: of no group. */
static size_t
place_of_copy(const crowd_answers *a, const crowd_copies *copies, size_t i)
{
	size_t group = copies->group[a->column[i] / a->answers];

	return group > 0 ? group * a->answers + a->column[i] % a->answers : 0;
}

tlv_status
tlv_crowd_weigh(tlv_context *ctx, const crowd_copies *copies, crowd_answers *a)
{
	double *alike;

	tlv_free(ctx, a->weight);
	a->weight = NULL;
	if (copies->groups == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, a->weight, a->n);
	TLV_TRY_NEW0(ctx, alike, (copies->groups + 1) * a->answers);
	for (size_t i = 0; i < a->n; i++)
		a->weight[i] = 1;
	for (size_t item = 0; item < a->items; item++)
	{
		size_t first = crowd_first_given(a, item), end = a->start[item + 1];

		TLV_TRY_CONTINUE_AT(ctx, item);
		for (size_t i = first; i < end; i++)
			alike[place_of_copy(a, copies, i)]++;
		for (size_t i = first; i < end; i++)
			if (place_of_copy(a, copies, i) > 0)
				a->weight[i] = 1 / alike[place_of_copy(a, copies, i)];
		for (size_t i = first; i < end; i++)
			alike[place_of_copy(a, copies, i)] = 0;
	}
	tlv_free(ctx, alike);
	return TLV_OK;
}

/* ---- given what is true ---- */

/* Most answers of a group to an item that are compared. */
#define CONFIRMED_OF_ITEM 40

/* Pairs of one group: items shared, agreements, those expected, and their variance, were pairs
 * independent. */
typedef struct confirmation
{
	double shared, agreed, expected, variance;
	double *said; /* CONFIRMED_OF_ITEM x answers: probabilities of what one says */
	size_t answer[CONFIRMED_OF_ITEM];
} confirmation;

/* What a worker says of an item of that posterior. */
static void
expect_answers(const crowd_state *state, size_t worker, const double *posterior, double *said)
{
	size_t k = state->k, answers = state->data->answers;

	for (size_t l = 0; l < answers; l++)
	{
		const double *logs = state->log_confusions + k * (worker * answers + l);

		said[l] = 0;
		for (size_t h = 0; h < k; h++)
			said[l] += posterior[h] * exp(logs[h]);
	}
}

static void
confirm_pair(size_t answers, const double *x, const double *y, bool alike, confirmation *c)
{
	double p = 0;

	for (size_t l = 0; l < answers; l++)
		p += x[l] * y[l];
	c->shared++;
	c->agreed += alike;
	c->expected += p;
	c->variance += p * (1 - p);
}

/* The pairs of the group that have answered the item; of a worker the first answer counts. */
static void
confirm_item(const crowd_state *state, const crowd_copies *copies, size_t group, size_t item,
			 const double *posterior, confirmation *c)
{
	const crowd_answers *a = state->data;
	size_t n = 0, last = SIZE_MAX;

	for (size_t i = crowd_first_given(a, item); i < a->start[item + 1] && n < CONFIRMED_OF_ITEM;
		 i++)
	{
		size_t worker = a->column[i] / a->answers;

		if (copies->group[worker] != group || worker == last)
			continue;
		last = worker;
		c->answer[n] = a->column[i] % a->answers;
		expect_answers(state, worker, posterior, c->said + a->answers * n);
		for (size_t other = 0; other < n; other++)
			confirm_pair(a->answers, c->said + a->answers * other, c->said + a->answers * n,
						 c->answer[other] == c->answer[n], c);
		n++;
	}
}

/* How often a group agrees beyond what its confusions explain: the share of the answers in which
 * it would differ, and a score: over the root of the variance that pairs would have if they were
 * independent, which those of one item are not.  Both are 0 of workers who would hardly differ. */
static tlv_status
confirm_group(tlv_context *ctx, const crowd_state *state, const crowd_copies *copies, size_t group,
			  const double *posterior, double *rate, double *z)
{
	const crowd_answers *a = state->data;
	size_t k = state->k, looked = 0;
	double work = (double) a->n * (double) k * (double) a->answers;
	size_t step = 1 + (size_t) (work / CROWD_WORK);
	confirmation c = {0};

	TLV_TRY_NEW(ctx, c.said, CONFIRMED_OF_ITEM * a->answers);
	for (size_t item = 0; item < a->items; item += step)
	{
		TLV_TRY(
			crowd_look(ctx, (a->start[item + 1] - a->start[item]) * k * a->answers + 1, &looked));
		confirm_item(state, copies, group, item, posterior + k * item, &c);
	}
	tlv_free(ctx, c.said);
	*rate = *z = 0;
	if (!(c.shared - c.expected > LEAST_DIFFER * c.shared))
		return TLV_OK;
	*rate = (c.agreed - c.expected) / (c.shared - c.expected);
	*z = (c.agreed - c.expected) / sqrt(fmax(c.variance, 1e-9));
	return TLV_OK;
}

tlv_status
tlv_crowd_confirm_copies(tlv_context *ctx, const crowd_state *state, const double *posterior,
						 crowd_copies *copies)
{
	uint32_t number[CROWD_MOST_GROUPS + 1] = {0}, kept = 0;

	for (size_t group = 1; group <= copies->groups; group++)
	{
		double rate = 0, z = 0;

		TLV_TRY(confirm_group(ctx, state, copies, group, posterior, &rate, &z));
		if (!(rate > LEAST_COPY_RATE && z > LEAST_COPY_Z))
			continue;
		number[group] = ++kept;
		copies->rate[kept] = rate;
	}
	for (size_t j = 0; j < state->data->workers; j++)
		copies->group[j] = number[copies->group[j]];
	copies->groups = kept;
	return TLV_OK;
}
