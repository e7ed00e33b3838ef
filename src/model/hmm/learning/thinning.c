/*
 * thinning.c - the number of states that stored counts of windows confirm (learn.h).
 *
 * Stored counts have no sequences that could be left out.  Their windows are dealt out to folds at
 * random instead, by the multivariate hypergeometric law, cell by cell; what is learnt from the
 * others is held against each fold in turn.
 */
#include <math.h>
#include <string.h>

#include "learn.h"
#include "tensorlv/model/choice.h"
#include "tensorlv/num/rng.h"

/* Starts of EM, steps of each, and of the best one; fewer starts, or none, above so much work. */
#define HMM_THINNING_STARTS		 4
#define HMM_THINNING_FIRST_STEPS 20
#define HMM_LAST_STEPS			 100
#define HMM_MOST_WORK			 4e9

/* The windows of one fold and of all others, of the cells of the source. */
typedef struct fold_counts
{
	double *own, *others;
} fold_counts;

/* Every window of the source to one fold, all of (nearly) the same size. */
static tlv_status
deal_windows(tlv_context *ctx, const tlv_view_source *source, uint64_t seed, fold_counts *folds)
{
	size_t n = source->n;
	double *left, total = 0;
	tlv_rng rng;

	TLV_TRY_NEW(ctx, left, n);
	for (size_t e = 0; e < n; e++)
		total += left[e] = floor(source->counts[e]);
	tlv_rng_stream(&rng, seed, 900);
	for (int f = 0; f < TLV_FOLDS; f++)
	{
		double rest = total, draws = floor(total / (TLV_FOLDS - f));

		TLV_TRY_NEW(ctx, folds[f].own, 2 * n);
		folds[f].others = folds[f].own + n;
		total -= draws;
		for (size_t e = 0; e < n; e++)
		{
			double taken;

			TLV_TRY_CONTINUE_AT(ctx, e);
			rest -= left[e];
			taken = tlv_rng_hypergeometric(&rng, left[e], rest, draws);
			draws -= taken;
			left[e] -= taken;
			folds[f].own[e] = taken;
			folds[f].others[e] = floor(source->counts[e]) - taken;
		}
	}
	tlv_free(ctx, left);
	return TLV_OK;
}

static tlv_view_source
with_counts(const tlv_view_source *source, const double *counts)
{
	tlv_view_source part = *source;

	part.counts = counts;
	part.total = 0;
	for (size_t e = 0; e < part.n; e++)
		part.total += counts[e];
	return part;
}

/* Mean log-likelihood per window of the folds under k states that are learnt from all others. */
static tlv_status
held_out_windows(tlv_context *ctx, const tlv_view_source *source, const fold_counts *folds,
				 const tlv_hmm_window_task *task, double *mean)
{
	*mean = 0;
	for (int f = 0; f < TLV_FOLDS; f++)
	{
		tlv_view_source others = with_counts(source, folds[f].others);
		tlv_view_source own = with_counts(source, folds[f].own);
		tlv_hmm_window_start learnt;
		tlv_em em;

		TLV_TRY(tlv_hmm_best_window_start(ctx, &others, task, &learnt));
		TLV_TRY(tlv_hmm_window_em(ctx, &own, task->k, 0, learnt.emissions, learnt.transitions,
								  learnt.first, &em));
		*mean += em.likelihood / TLV_FOLDS;
		tlv_free(ctx, learnt.emissions);
	}
	return TLV_OK;
}

tlv_status
tlv_hmm_confirm_states(tlv_context *ctx, const tlv_view_source *source, uint64_t seed,
					   double *curve, size_t *k)
{
	/* Fewer windows in a fold tell nothing. */
	const double least_windows = 20.0;
	double step = (double) source->n * (double) *k;
	double starts =
		floor(HMM_MOST_WORK / (step * 2 * TLV_FOLDS * (HMM_LAST_STEPS + HMM_THINNING_FIRST_STEPS)));
	tlv_hmm_window_task task = {
		.first = HMM_THINNING_FIRST_STEPS, .last = HMM_LAST_STEPS, .seed = seed};
	fold_counts folds[TLV_FOLDS] = {{NULL, NULL}};

	for (size_t j = 0; j < *k; j++)
		curve[j] = NAN;
	if (*k == 1 || starts < 1 || source->total < least_windows * TLV_FOLDS)
		return TLV_OK;
	task.starts = (int) fmin(starts, HMM_THINNING_STARTS);
	TLV_TRY(deal_windows(ctx, source, seed, folds));
	task.k = *k;
	TLV_TRY(held_out_windows(ctx, source, folds, &task, &curve[*k - 1]));
	for (task.k = *k - 1; task.k >= 1; task.k--)
	{
		TLV_TRY(held_out_windows(ctx, source, folds, &task, &curve[task.k - 1]));
		if (curve[task.k - 1] < curve[task.k])
			break;
		*k = task.k;
	}
	for (int f = 0; f < TLV_FOLDS; f++)
		tlv_free(ctx, folds[f].own);
	return TLV_OK;
}
