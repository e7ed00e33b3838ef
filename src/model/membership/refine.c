/*
 * refine.c - parameters refined over rows in memory (internal.h): by expectation and maximisation
 * of classes, by chains of mixed membership.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/em.h"
#include "tensorlv/num/tuning.h"

tlv_status
membership_sums_create(tlv_context *ctx, const membership_rows *rows, size_t k,
					   membership_sums *sums)
{
	TLV_TRY_NEW_ROWS(ctx, sums->weights, k, 1);
	TLV_TRY_NEW_ROWS(ctx, sums->counts, membership_sum_rows(rows), k);
	return TLV_OK;
}

void
membership_sums_clear(const membership_rows *rows, size_t k, membership_sums *sums)
{
	sums->rows = sums->log_likelihood = sums->entropy = 0;
	memset(sums->weights, 0, k * sizeof(double));
	memset(sums->counts, 0, membership_sum_rows(rows) * k * sizeof(double));
}

static bool
all_positive(size_t k, const double *weights)
{
	bool positive = true;

	tlv_assert(weights != NULL);
	for (size_t h = 0; h < k; h++)
		positive = positive && weights[h] > 0;
	return positive;
}

/* ---- numbers ---- */

tlv_status
membership_start_numbers(tlv_context *ctx, const membership_rows *rows, membership_fit *fit)
{
	size_t k = fit->k, q = rows->scalars;

	if (q == 0 || fit->numbers.q > 0)
		return TLV_OK;
	TLV_TRY(membership_numbers_create(ctx, q, k, &fit->numbers));
	memcpy(fit->numbers.scale, rows->scale, q * sizeof(number_scale));
	fit->numbers.choosing = true;
	for (size_t i = 0; i < q * k; i++)
	{
		size_t s = i / k, j = rows->p - q + s;
		double centre = rows->scale[s].centre, deviation = rows->scale[s].deviation;
		double mean = 0, variance = 0;

		for (size_t v = rows->offset[j]; v < rows->offset[j + 1]; v++)
		{
			double share = fit->table[v * k + i % k], own = rows->group[2 * v] - centre;

			mean += share * own;
			variance += share * (rows->group[2 * v + 1] + own * own);
		}
		fit->numbers.mean[i] = centre + mean;
		fit->numbers.variance[i] = fmax(variance - mean * mean, 0.05 * deviation * deviation);
	}
	return TLV_OK;
}

/* The sums of the logarithms of factorials of all values that are there (q). */
static tlv_status
sum_factorials(tlv_context *ctx, const membership_rows *rows, double *factorials)
{
	size_t q = rows->scalars;

	for (size_t i = 0; i < rows->n; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t s = 0; s < q; s++)
			if (rows->whole[s] && rows->codes[(i + 1) * rows->slots - q + s] != 0)
				factorials[s] += lgamma(rows->numbers[i * q + s] + 1);
	}
	return TLV_OK;
}

/* ---- refinement ---- */

/* What a refinement works with. */
typedef struct refinement
{
	membership_rows *rows;
	membership_fit *fit;
	double prior;
	uint64_t seed;
	int step, steps; /* taken, and at most */
	membership_worker worker;
	membership_sums sums, late; /* of a step; of the later half of all steps */
	uint8_t *draws;				/* n x slots: the chains of mixed membership; or NULL */
	double *factorials;			/* scalars: of the rows' counts, in logarithms */
} refinement;

static tlv_status
refinement_begin(tlv_context *ctx, membership_rows *rows, bool mixed, membership_fit *fit,
				 refinement *own)
{
	size_t k = fit->k;

	*own = (refinement){.rows = rows, .fit = fit};
	TLV_TRY(membership_worker_create(ctx, mixed, k, rows->categories, rows->slots, &own->worker));
	TLV_TRY(membership_start_numbers(ctx, rows, fit));
	TLV_TRY(membership_worker_number(ctx, &own->worker, membership_real_categories(rows),
									 &fit->numbers));
	TLV_TRY_NEW0(ctx, own->factorials, rows->scalars + 1);
	TLV_TRY(sum_factorials(ctx, rows, own->factorials));
	TLV_TRY(membership_sums_create(ctx, rows, k, &own->sums));
	TLV_TRY(membership_sums_create(ctx, rows, k, &own->late));
	membership_sums_clear(rows, k, &own->late);
	if (mixed)
		TLV_TRY_NEW_ROWS(ctx, own->draws, rows->n, rows->slots);
	return TLV_OK;
}

static void
refinement_end(tlv_context *ctx, refinement *own)
{
	tlv_free(ctx, own->draws);
	tlv_free(ctx, own->factorials);
	tlv_free(ctx, own->late.counts);
	tlv_free(ctx, own->late.weights);
	tlv_free(ctx, own->sums.counts);
	tlv_free(ctx, own->sums.weights);
	membership_worker_free(ctx, &own->worker);
}

/* The sums of all rows under the parameters. */
static tlv_status
refinement_expect(tlv_context *ctx, void *state, double *likelihood)
{
	refinement *own = state;
	membership_rows *rows = own->rows;

	TLV_TRY(membership_worker_set(ctx, &own->worker, rows->categories, own->fit->weights,
								  own->fit->table));
	own->worker.silent = own->worker.mixed && own->step + 1 < own->steps;
	membership_sums_clear(rows, own->worker.k, &own->sums);
	TLV_TRY(membership_expect_rows(ctx, rows, &own->worker, own->seed, own->step, own->draws,
								   &own->sums));
	*likelihood = own->sums.log_likelihood / own->sums.rows;
	return TLV_OK;
}

/* Sums of the later half together: draws of a chain, of which one step alone has but a few. */
static void
add_late(refinement *own)
{
	size_t k = own->worker.k;

	own->late.rows += own->sums.rows;
	for (size_t h = 0; h < k; h++)
		own->late.weights[h] += own->sums.weights[h];
	for (size_t i = 0; i < k * membership_sum_rows(own->rows); i++)
		own->late.counts[i] += own->sums.counts[i];
}

/* Parameters from sums, those of numbers included. */
static void
maximize_sums(const refinement *own, const membership_sums *sums)
{
	const membership_rows *rows = own->rows;
	membership_fit *fit = own->fit;

	membership_maximize(own->worker.mixed, own->prior, 1, rows->p - rows->scalars, rows->states,
						fit->k, sums, fit->weights, fit->table);
	membership_numbers_maximize(1, sums->counts + membership_real_categories(rows) * fit->k,
								rows->whole, own->factorials, &fit->numbers);
}

static tlv_status
refinement_maximize(tlv_context *ctx, void *state)
{
	refinement *own = state;

	(void) ctx;
	maximize_sums(own, &own->sums);
	if (own->worker.mixed && own->step >= own->steps / 2)
		add_late(own);
	own->step++;
	return TLV_OK;
}

/* Of chains the parameters of the later half. */
static void
maximize_late(refinement *own)
{
	double scale = (double) own->rows->n / own->late.rows;

	for (size_t i = 0; i < own->worker.k * membership_sum_rows(own->rows); i++)
		own->late.counts[i] *= scale;
	maximize_sums(own, &own->late);
}

tlv_status
membership_refine(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
				  int steps, membership_fit *fit, membership_training *training)
{
	refinement own;
	tlv_em em = {.state = &own,
				 .expect = refinement_expect,
				 .maximize = refinement_maximize,
				 .limit = steps,
				 .to_the_limit = options->mixed,
				 .steps_on = true,
				 .tolerance = TLV_EM_TOLERANCE * (double) rows->slots,
				 .likelihood = -HUGE_VAL};

	tlv_assert(all_positive(fit->k, fit->weights));
	TLV_TRY(refinement_begin(ctx, rows, options->mixed, fit, &own));
	own.prior = training->prior;
	own.seed = options->seed;
	own.steps = steps;
	own.worker.entropies = training->entropies;
	TLV_TRY(tlv_em_run(ctx, &em));
	training->taken = em.taken;
	training->stands = em.stands && !options->mixed;
	if (steps > 0)
	{
		training->likelihood = em.likelihood;
		training->entropy = own.sums.entropy / own.sums.rows;
	}
	if (options->mixed && steps > 0)
		maximize_late(&own);
	refinement_end(ctx, &own);
	return TLV_OK;
}
