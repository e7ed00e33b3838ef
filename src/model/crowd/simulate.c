/*
 * simulate.c - workers with confusions of their own, and what they answer (crowd.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"

static tlv_status
crowd_check_simulation(tlv_context *ctx, const tlv_crowd_simulation *o)
{
	/* Workers and answers to choose from, multiplied. */
	const double most_numbers = 1e8;

	if (o->k < 1 || o->k > TLV_CROWD_MOST_ANSWERS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is not between 1 and %zu", o->k,
						TLV_CROWD_MOST_ANSWERS);
	if ((double) o->workers * (double) o->k * (double) o->k > most_numbers)
		return tlv_fail(ctx, TLV_LIMIT, "%zu workers with %zu answers to choose from", o->workers,
						o->k);
	if (!(o->share >= 0 && o->share <= 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "share = %g is not between 0 and 1", o->share);
	if (!(o->low >= 0 && o->low <= o->high && o->high <= 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "skill from %g to %g is not between 0 and 1",
						o->low, o->high);
	if (!(o->adversarial >= 0 && o->adversarial <= 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "adversarial = %g is not between 0 and 1",
						o->adversarial);
	return TLV_OK;
}

/* Running sums of the answers' probabilities, answer by answer, of every class of a worker. */
static tlv_status
draw_worker(tlv_context *ctx, const tlv_crowd_simulation *o, tlv_rng *rng, const double *alpha,
			double *row, int64_t *order, double *sums)
{
	double skill = o->low + (o->high - o->low) * tlv_rng_uniform(rng);

	for (size_t l = 0; l < o->k; l++)
		order[l] = (int64_t) l;
	if (tlv_rng_uniform(rng) < o->adversarial)
		TLV_TRY(tlv_rng_permutation(ctx, rng, o->k, order));
	for (size_t h = 0; h < o->k; h++)
	{
		double sum = 0;

		TLV_TRY_CONTINUE(ctx);
		tlv_rng_dirichlet(rng, o->k, alpha, row);
		for (size_t l = 0; l < o->k; l++)
			row[l] *= 1 - skill;
		row[h] += skill;
		for (size_t l = 0; l < o->k; l++)
			sums[h * o->k + l] = sum += row[order[l]];
	}
	return TLV_OK;
}

static tlv_status
simulate_draw_workers(tlv_context *ctx, const tlv_crowd_simulation *o, double *sums)
{
	double *alpha;
	int64_t *order;
	tlv_rng rng;

	TLV_TRY_NEW(ctx, alpha, 2 * o->k);
	TLV_TRY_NEW(ctx, order, o->k);
	for (size_t l = 0; l < o->k; l++)
		alpha[l] = 1;
	for (size_t j = 0; j < o->workers; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		tlv_rng_stream(&rng, o->seed, j + 1);
		TLV_TRY(draw_worker(ctx, o, &rng, alpha, alpha + o->k, order, sums + j * o->k * o->k));
	}
	tlv_free(ctx, order);
	tlv_free(ctx, alpha);
	return TLV_OK;
}

/* The first answer whose running sum is above a uniform number. */
static size_t
draw_answer(tlv_rng *rng, size_t k, const double *sums)
{
	double u = tlv_rng_uniform(rng);
	size_t l = 0;

	while (l + 1 < k && u >= sums[l])
		l++;
	return l;
}

/* Workers are passed over by geometric steps, so that an item costs what it has answers. */
static tlv_status
draw_item(tlv_context *ctx, const tlv_crowd_simulation *o, const double *sums, size_t item,
		  tlv_crowd_put put, void *argument)
{
	double scale = o->share < 1 ? log1p(-o->share) : -INFINITY, at = 0;
	size_t truth;
	tlv_rng rng;

	tlv_rng_stream(&rng, tlv_mix64(o->seed), item + 1);
	truth = (size_t) tlv_rng_below(&rng, o->k);
	while (o->share > 0)
	{
		tlv_crowd_answer answer = {.item = item + 1, .truth = truth + 1};

		at += o->share < 1 ? floor(log1p(-tlv_rng_uniform(&rng)) / scale) : 0;
		if (!(at < (double) o->workers))
			return TLV_OK;
		answer.worker = (size_t) at + 1;
		answer.answer = 1 + draw_answer(&rng, o->k, sums + ((size_t) at * o->k + truth) * o->k);
		TLV_TRY(put(ctx, argument, &answer));
		at++;
	}
	return TLV_OK;
}

tlv_status
tlv_crowd_simulate(tlv_context *ctx, const tlv_crowd_simulation *options, tlv_crowd_put put,
				   void *argument)
{
	double *sums;

	TLV_TRY(crowd_check_simulation(ctx, options));
	TLV_TRY_NEW_ROWS(ctx, sums, options->workers * options->k, options->k);
	TLV_TRY(simulate_draw_workers(ctx, options, sums));
	for (size_t item = 0; item < options->items; item++)
	{
		if (item % 256 == 255)
			TLV_TRY_CONTINUE(ctx);
		TLV_TRY(draw_item(ctx, options, sums, item, put, argument));
	}
	tlv_free(ctx, sums);
	return TLV_OK;
}
