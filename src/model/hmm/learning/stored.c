/*
 * stored.c - a hidden Markov model from stored moments alone, whatever they identify (hmm.h).
 *
 * Counts of windows hold their likelihood, so that of symbols any number of states has a fit: by EM
 * from random starts where the moments have none.  Of vectors nothing but the moments is left; they
 * give as many states as they identify.
 */
#include <math.h>
#include <string.h>

#include "learn.h"
#include "../tuning.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/special.h"
#include "tensorlv/model/choice.h"
#include "tensorlv/num/tuning.h"
#include "tensorlv/num/numbers.h"

static tlv_status
allocate_start(tlv_context *ctx, size_t k, size_t m, tlv_hmm_window_start *start)
{
	TLV_TRY_NEW(ctx, start->emissions, k * (m + k + 1));
	start->transitions = start->emissions + k * m;
	start->first = start->transitions + k * k;
	return TLV_OK;
}

/* How often every symbol stands in the middle of a window. */
static tlv_status
symbol_shares(tlv_context *ctx, const tlv_view_source *source, double **shares)
{
	TLV_TRY_NEW0(ctx, *shares, source->d[1]);
	for (size_t e = 0; e < source->n; e++)
		(*shares)[tlv_triple_part(source->cells[e], 1)] += source->counts[e] / source->total;
	return TLV_OK;
}

static void
draw_start(tlv_rng *rng, size_t k, size_t m, const double *shares, tlv_hmm_window_start *start)
{
	/* A state of a start: the symbols' shares, mixed with a random distribution. */
	const double random_part = 0.5, stay_part = 0.5;

	for (size_t j = 0; j < k; j++)
	{
		double sum = 0;

		for (size_t i = 0; i < m; i++)
			sum += start->emissions[i * k + j] = -log(1 - tlv_rng_uniform(rng)) * shares[i];
		for (size_t i = 0; i < m; i++)
			start->emissions[i * k + j] =
				(1 - random_part) * shares[i] + random_part * start->emissions[i * k + j] / sum;
		for (size_t l = 0; l < k; l++)
			start->transitions[j * k + l] = (1 - stay_part) / (double) k + (j == l ? stay_part : 0);
		start->first[j] = 1 / (double) k;
	}
}

static tlv_status
hmm_climb(tlv_context *ctx, const tlv_view_source *source, size_t k, int steps,
		  tlv_hmm_window_start *start)
{
	return tlv_hmm_window_em(ctx, source, k, steps, start->emissions, start->transitions,
							 start->first, &start->em);
}

/* The start that a few steps bring farthest, brought to its end. */
tlv_status
tlv_hmm_best_window_start(tlv_context *ctx, const tlv_view_source *source,
						  const tlv_hmm_window_task *task, tlv_hmm_window_start *best)
{
	size_t k = task->k, m = source->d[0];
	tlv_hmm_window_start start;
	double *shares;

	TLV_TRY(symbol_shares(ctx, source, &shares));
	TLV_TRY(allocate_start(ctx, k, m, best));
	TLV_TRY(allocate_start(ctx, k, m, &start));
	for (int i = 0; i < task->starts; i++)
	{
		tlv_rng rng;

		tlv_report(ctx, "starts", i, task->starts);
		tlv_rng_stream(&rng, task->seed, 500 + (uint64_t) i);
		draw_start(&rng, k, m, shares, &start);
		TLV_TRY(hmm_climb(ctx, source, k, task->first, &start));
		if (i == 0 || start.em.likelihood > best->em.likelihood)
		{
			tlv_hmm_window_start other = *best;

			*best = start;
			start = other;
		}
	}
	tlv_free(ctx, shares);
	tlv_free(ctx, start.emissions);
	return task->last != 0 ? hmm_climb(ctx, source, k, task->last, best) : TLV_OK;
}

/* ---- what the counts say of the beginning ---- */

static tlv_status
count_initial(tlv_context *ctx, const tlv_frame *moments, size_t k, size_t m,
			  const tlv_hmm_window_start *best, double **initial)
{
	const double *counts = tlv_frame_float64(moments, "initial");
	double *sums;

	TLV_TRY_NEW(ctx, *initial, 2 * k);
	sums = *initial + k;
	memcpy(*initial, best->first, k * sizeof(double));
	for (int step = 0; step < HMM_FIRST_STEPS; step++)
	{
		memcpy(sums, best->first, k * sizeof(double)); /* which count as one sequence more */
		for (size_t i = 0; i < m; i++)
		{
			double p = TLV_LEAST_PROBABILITY;

			for (size_t j = 0; j < k; j++)
				p += (*initial)[j] * best->emissions[i * k + j];
			for (size_t j = 0; j < k; j++)
				sums[j] += counts[i] * (*initial)[j] * best->emissions[i * k + j] / p;
		}
		memcpy(*initial, sums, k * sizeof(double));
		tlv_normalize_columns(k, 1, 0, *initial);
	}
	return TLV_OK;
}

static tlv_status
write_counts(tlv_context *ctx, const tlv_frame *moments, const tlv_view_source *source,
			 const tlv_hmm_options *options, const tlv_hmm_window_start *best,
			 tlv_diagnostics *diagnostics, void **image, size_t *size)
{
	size_t k = options->k, m = source->d[0];
	tlv_hmm_parts parts = {.k = k,
						   .d = m,
						   .seed = (double) options->seed,
						   .transitions = best->transitions,
						   .items = tlv_frame_int64(moments, "items"),
						   .emissions = best->emissions,
						   .diagnostics = diagnostics};
	double *initial;

	TLV_TRY(count_initial(ctx, moments, k, m, best, &initial));
	parts.initial = initial;
	TLV_TRY(tlv_hmm_name_symbols(ctx, moments, &parts));
	TLV_TRY(tlv_hmm_diagnose_windows(ctx, &best->em, options, diagnostics));
	return tlv_hmm_write(ctx, &parts, image, size);
}

/* ---- what moments alone do not identify ---- */

static tlv_status
diagnose_counters(tlv_context *ctx, const tlv_frame *moments, double windows,
				  tlv_diagnostics *diagnostics)
{
	for (size_t i = 0; i < TLV_HMM_COUNTERS; i++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, tlv_frame_scalar(moments, tlv_hmm_counters[i], 0),
							 "%s", tlv_hmm_counters[i]));
	return tlv_diagnose(ctx, diagnostics, windows, "windows");
}

static tlv_hmm_window_task
counts_task(const tlv_view_source *source, const tlv_hmm_options *options)
{
	double step = (double) source->n * (double) options->k;

	return (tlv_hmm_window_task){
		.k = options->k,
		.starts = (int) fmax(1, fmin(HMM_STORED_STARTS, COSTLY_CELLS * HMM_STORED_STARTS / step)),
		.first = HMM_FIRST_STEPS,
		.last = options->iterations,
		.seed = options->seed};
}

/* Any number of states of symbols. */
static tlv_status
fit_counts(tlv_context *ctx, const tlv_frame *moments, const tlv_hmm_options *options,
		   const tlv_error *failed, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_view_source source;
	tlv_hmm_window_task task;
	tlv_hmm_window_start best;

	tlv_hmm_window_source(moments, &source);
	TLV_TRY(tlv_require_memory(
		ctx, sizeof(double) * (10.0 * (double) options->k * (double) (source.d[0] + options->k)),
		"the fit"));
	task = counts_task(&source, options);
	TLV_TRY(tlv_hmm_best_window_start(ctx, &source, &task, &best));
	TLV_TRY(diagnose_counters(ctx, moments, source.total, &diagnostics));
	TLV_TRY(tlv_warn(
		ctx, &diagnostics,
		&(tlv_warning){
			.code = "not_identified",
			.score = (double) options->k,
			.hint = "Use tlv_hmm(query), which learns from whole sequences: this model is the best "
					"of random initialisations by the likelihood of windows of three steps."},
		"%s", failed->message));
	return write_counts(ctx, moments, &source, options, &best, &diagnostics, image, size);
}

/* A failure that says that there are not so many states in the moments. */
static bool
is_too_many(tlv_status status)
{
	return status == TLV_NOT_IDENTIFIABLE || status == TLV_BAD_PARAMETER || status == TLV_BAD_DATA;
}

/* As many states of vectors as there are, which the model says. */
static tlv_status
fit_fewer(tlv_context *ctx, const tlv_frame *moments, const tlv_hmm_options *options,
		  const tlv_error *failed, bool told, void **image, size_t *size)
{
	size_t most = tlv_frame_find(moments, "initial")->rows + 1;
	tlv_hmm_options fewer = *options;
	tlv_diagnostics diagnostics = {0};
	tlv_status status = TLV_NOT_IDENTIFIABLE;
	tlv_hmm_parts parts;
	tlv_frame frame;

	fewer.k = tlv_least(options->k - 1, most);
	for (; fewer.k >= 1; fewer.k--)
	{
		status = tlv_hmm_fit(ctx, moments, &fewer, image, size);
		if (status == TLV_OK || !is_too_many(status) || fewer.k == 1)
			break;
		memset(&ctx->error, 0, sizeof(ctx->error));
	}
	if (status != TLV_OK || !told)
		return status;
	TLV_TRY(tlv_frame_open(ctx, *image, *size, &frame));
	tlv_hmm_read(&frame, &parts);
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, &frame, NULL));
	TLV_TRY(tlv_warn(
		ctx, &diagnostics,
		&(tlv_warning){.code = "fewer_components",
					   .score = (double) fewer.k,
					   .hint = "Use tlv_hmm(query), which learns k states from whole sequences."},
		"%s: the model has %zu", failed->message, fewer.k));
	parts.diagnostics = &diagnostics;
	return tlv_hmm_write(ctx, &parts, image, size);
}

/* ---- the number of states ---- */

/* Of symbols: the rank of the table of neighbours, the more frequent ones told apart. */
static tlv_status
rank_of_counts(tlv_context *ctx, const tlv_frame *moments, tlv_hmm_rank *rank)
{
	tlv_view_source source;
	double *counts, *table;
	int32_t *class;
	size_t c;

	tlv_hmm_window_source(moments, &source);
	TLV_TRY_NEW(ctx, class, source.d[0]);
	TLV_TRY(symbol_shares(ctx, &source, &counts));
	TLV_TRY(tlv_hmm_classes(ctx, source.d[0], counts, source.total, class, &c));
	TLV_TRY_NEW0(ctx, table, c * c);
	for (size_t e = 0; e < source.n; e++)
		table[(size_t) class[tlv_triple_part(source.cells[e], 1)] * c +
			  (size_t) class[tlv_triple_part(source.cells[e], 0)]] += source.counts[e];
	TLV_TRY(tlv_hmm_table_rank(ctx, c, table, rank));
	tlv_free(ctx, table);
	tlv_free(ctx, counts);
	tlv_free(ctx, class);
	return TLV_OK;
}

/*
 * Of vectors: 1 and the rank of the correlations (d x d) of a step and the next.  Under
 * independence n times the sum of their squares is a sum of chi-squared variables whose weights add
 * up to d^2, whatever the numbers of a step have to do with each other; far in the tail such a
 * sum is largest where one of them has all the weight (Szekely, Bakirov 2003).
 */
static tlv_status
rank_of_sums(tlv_context *ctx, const tlv_frame *moments, tlv_hmm_rank *rank)
{
	tlv_view_sums sums;
	double *scaled, *values, rest = 0;
	size_t d;

	TLV_TRY(tlv_view_sums_read(ctx, moments, false, &sums));
	d = sums.d[0];
	TLV_TRY_NEW(ctx, scaled, d * d + d + tlv_singular_values_work(d, d));
	values = scaled + d * d;
	for (size_t j = 0; j < d; j++)
		for (size_t i = 0; i < d; i++)
		{
			double n = sums.rows, a = sums.sum[0][i], b = sums.sum[1][j];
			double va = sums.square[0][i] - a * a / n, vb = sums.square[1][j] - b * b / n;

			scaled[j * d + i] =
				va > 0 && vb > 0 ? (sums.pairs[0][j * d + i] - a * b / n) / sqrt(va) / sqrt(vb) : 0;
		}
	TLV_TRY(tlv_singular_values(ctx, d, d, scaled, d, values, values + d));
	for (size_t i = 0; i < d; i++)
		rest += values[i] * values[i];
	*rank = (tlv_hmm_rank){.p_value = NAN};
	for (rank->k = 1; rank->k <= d; rank->k++)
	{
		double p = tlv_chisq_survival(sums.rows * fmax(rest, 0) / (double) (d * d), 1);

		rank->p_value = rank->k == 1 ? p : rank->p_value;
		if (rank->k <= TLV_HMM_RANKS)
			rank->enough[rank->tested++] = p;
		if (!(p <= TLV_SIGNIFICANCE))
			break;
		rest -= values[rank->k - 1] * values[rank->k - 1];
	}
	tlv_free(ctx, scaled);
	tlv_view_sums_free(ctx, &sums);
	return TLV_OK;
}

/* How the number of states was chosen. */
typedef struct stored_choice
{
	tlv_hmm_rank rank; /* of the pairs */
	size_t tried;	   /* of these states, at most max_k */
	double *curve;	   /* tried: likelihood of windows left out, NaN where it is not known */
} stored_choice;

/* The model with what the choice of its number of states tells. */
static tlv_status
tell_choice(tlv_context *ctx, const stored_choice *choice, void **image, size_t *size)
{
	double p_value = choice->rank.p_value;
	tlv_diagnostics diagnostics = {0};
	tlv_hmm_parts parts;
	tlv_frame frame;

	TLV_TRY(tlv_frame_open(ctx, *image, *size, &frame));
	tlv_hmm_read(&frame, &parts);
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, &frame, NULL));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) parts.k, "k_chosen"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) choice->rank.k, "pair_rank"));
	TLV_TRY(tlv_hmm_tell_rank(ctx, &choice->rank, &diagnostics));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, p_value, "independence_p_value"));
	for (size_t j = 0; j < choice->tried && choice->curve != NULL; j++)
		if (!isnan(choice->curve[j]))
			TLV_TRY(tlv_diagnose(ctx, &diagnostics, choice->curve[j], "held_out_%zu", j + 1));
	if (p_value > TLV_SIGNIFICANCE)
		TLV_TRY(tlv_warn(
			ctx, &diagnostics,
			&(tlv_warning){
				.code = "no_structure", .score = p_value, .hint = "Use a model of single steps."},
			"neighbouring steps do not depend on each other: there are no states to distinguish"));
	parts.diagnostics = &diagnostics;
	return tlv_hmm_write(ctx, &parts, image, size);
}

/* ---- thinning ---- */

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

/*
 * From *k states, which the counts' rank shows, to fewer as long as these are as likely where
 * windows are left out: what one more state adds there is no chance.  Windows are dealt out to the
 * folds by seeded hypergeometric thinning of the counts.  curve (*k): that likelihood, per window,
 * by number of states; NaN of those that were not tried.  Nothing is done where that would be much
 * work, or windows are few.  Errors: memory, TLV_CANCELLED.
 */
static tlv_status
hmm_confirm_states(tlv_context *ctx, const tlv_view_source *source, uint64_t seed, double *curve,
				   size_t *k)
{
	double step = (double) source->n * (double) *k;
	double starts =
		floor(HMM_MOST_WORK / (step * 2 * TLV_FOLDS * (TLV_MOST_PASSES + HMM_FIRST_STEPS)));
	tlv_hmm_window_task task = {.first = HMM_FIRST_STEPS, .last = TLV_MOST_PASSES, .seed = seed};
	fold_counts folds[TLV_FOLDS] = {{NULL, NULL}};

	for (size_t j = 0; j < *k; j++)
		curve[j] = NAN;
	if (*k == 1 || starts < 1 || source->total < LEAST_WINDOWS * TLV_FOLDS)
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

/* Fewer states, where windows that are left out do not confirm so many. */
static tlv_status
confirm_choice(tlv_context *ctx, const tlv_frame *moments, uint64_t seed, stored_choice *choice,
			   size_t *k)
{
	tlv_view_source source;

	tlv_hmm_window_source(moments, &source);
	TLV_TRY_NEW(ctx, choice->curve, *k);
	return hmm_confirm_states(ctx, &source, seed, choice->curve, k);
}

/* ---- the fit ---- */

static tlv_status
fit_told(tlv_context *ctx, const tlv_frame *moments, const tlv_hmm_options *options, bool told,
		 void **image, size_t *size)
{
	bool symbols = tlv_frame_find(moments, "items") != NULL;
	tlv_status status = tlv_hmm_fit(ctx, moments, options, image, size);
	tlv_error failed = ctx->error;
	tlv_view_source source = {0};

	if (!is_too_many(status) || tlv_frame_find(moments, symbols ? "cells" : "sum1") == NULL)
		return status;
	if (symbols)
		tlv_hmm_window_source(moments, &source);
	if (symbols ? source.total == 0 : options->k == 1)
		return status;
	memset(&ctx->error, 0, sizeof(ctx->error));
	return symbols ? fit_counts(ctx, moments, options, &failed, image, size)
				   : fit_fewer(ctx, moments, options, &failed, told, image, size);
}

tlv_status
tlv_hmm_fit_stored(tlv_context *ctx, const tlv_frame *moments, const tlv_hmm_options *options,
				   size_t max_k, void **image, size_t *size)
{
	tlv_hmm_options chosen = *options;
	stored_choice choice = {.rank = {.k = 1, .p_value = NAN}};
	bool symbols = tlv_frame_find(moments, "items") != NULL;

	TLV_TRY(tlv_hmm_check_covariance(ctx, moments, options->covariance));
	if (options->k > 0)
		return fit_told(ctx, moments, options, true, image, size);
	if (symbols)
		TLV_TRY(rank_of_counts(ctx, moments, &choice.rank));
	else if (tlv_frame_find(moments, "sum1") != NULL)
		TLV_TRY(rank_of_sums(ctx, moments, &choice.rank));
	chosen.k = choice.tried = tlv_least(choice.rank.k, max_k);
	if (symbols && chosen.k > 1)
		TLV_TRY(confirm_choice(ctx, moments, options->seed, &choice, &chosen.k));
	TLV_TRY(fit_told(ctx, moments, &chosen, false, image, size));
	return tell_choice(ctx, &choice, image, size);
}
