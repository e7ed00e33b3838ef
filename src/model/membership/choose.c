/*
 * choose.c - the number of components (internal.h, choice.h): of classes by rows that were left
 * out, of mixed memberships, which no row has before it is seen, by cells that were; or by BIC.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/choice.h"
#include "tensorlv/model/diagnostics.h"

/* Rows are held out by fifths: of fewer rows than that each in turn, of more one first, and the
 * others where it leaves the choice open. */
#define FOLDS	 5
#define FEW_ROWS 1000

/* Iterations of a fold at most. */
#define FOLD_STEPS 300

/* How many numbers of components without a gain in BIC end the search. */
#define WITHOUT_GAIN 2

typedef struct member_search
{
	membership_rows *rows;
	const tlv_membership_options *options;
	int64_t *place;						/* of classes, n: of each row in a random order */
	int64_t fold;						/* that is held out now: places of this rest */
	membership_rows training, held_out; /* of this fold */
	tlv_choice curve;
} member_search;

/* ---- folds ---- */

/* Folds of one size, at random: rows come in the order of their values, of which every fifth row
 * would be the same proportion in each fold, and held-out rows no others than those learnt from. */
static tlv_status
draw_folds(tlv_context *ctx, member_search *search)
{
	tlv_rng rng;

	tlv_rng_seed(&rng, search->options->seed);
	TLV_TRY_NEW(ctx, search->place, search->rows->n);
	return tlv_rng_permutation(ctx, &rng, search->rows->n, search->place);
}

/* The rows of one fold, or all others; what describes the numbers stays that of all rows. */
static tlv_status
take_fold(tlv_context *ctx, const member_search *search, bool others, membership_rows *part)
{
	const membership_rows *rows = search->rows;
	size_t q = rows->scalars;

	*part = *rows;
	part->n = 0;
	TLV_TRY_NEW_ROWS(ctx, part->codes, rows->n, rows->slots);
	TLV_TRY_NEW_ROWS(ctx, part->numbers, rows->n, q + 1);
	TLV_TRY_NEW(ctx, part->marginal, rows->categories);
	for (size_t i = 0; i < rows->n; i++)
	{
		if ((search->place[i] % FOLDS == search->fold) == others)
			continue;
		memcpy(part->codes + part->n * rows->slots, rows->codes + i * rows->slots,
			   rows->slots * sizeof(*rows->codes));
		if (q > 0)
			memcpy(part->numbers + part->n * q, rows->numbers + i * q, q * sizeof(double));
		part->n++;
	}
	membership_find_marginal(part);
	return TLV_OK;
}

/* ---- one member ---- */

/* Items of a row that is held out, without the categories that no other row has. */
static size_t
known_items(const member_search *search, size_t i, membership_worker *worker)
{
	const membership_rows *rows = &search->held_out;
	size_t all = membership_row_members(rows, rows->codes, i, worker), n = 0;

	for (size_t s = 0; s < all; s++)
		if ((size_t) rows->items[s] >= worker->first ||
			search->training.marginal[rows->items[s]] > 0)
			rows->items[n++] = rows->items[s];
	return n;
}

/* Adds the log-likelihoods of the rows that are held out, and how many values they have. */
static tlv_status
score_rows(tlv_context *ctx, const member_search *search, const membership_fit *fit, double *score,
		   double *count)
{
	const membership_rows *rows = &search->held_out;
	membership_worker worker;

	TLV_TRY(membership_worker_create(ctx, false, fit->k, rows->categories, rows->slots, &worker));
	TLV_TRY(
		membership_worker_number(ctx, &worker, membership_real_categories(rows), &fit->numbers));
	TLV_TRY(membership_worker_set(ctx, &worker, rows->categories, fit->weights, fit->table));
	for (size_t i = 0; i < rows->n; i++)
	{
		size_t n = known_items(search, i, &worker);
		size_t group = tlv_mix64(i * FOLDS + (size_t) search->fold) % TLV_CHOICE_GROUPS;

		TLV_TRY_CONTINUE_AT(ctx, i);
		score[group] += membership_infer(&worker, n, rows->items);
		count[group] += (double) n;
	}
	membership_worker_free(ctx, &worker);
	return TLV_OK;
}

/* Of k components. */
static membership_training
begin_training(const tlv_membership_options *options, size_t k)
{
	membership_training training = {.options = *options, .k = k};

	training.options.k = k;
	training.options.alpha0 =
		membership_alpha0(options, k); /* the same for a component of every trial */
	return training;
}

/* One fold under k classes, which no row of it has helped to begin either: flat directions of the
 * likelihood keep what the first parameters knew. */
static tlv_status
score_fold(tlv_context *ctx, member_search *search, size_t k, size_t fold, double *score,
		   double *count)
{
	membership_training training = begin_training(search->options, k);

	training.quick = true;
	search->fold = (int64_t) fold;
	TLV_TRY(take_fold(ctx, search, true, &search->training));
	TLV_TRY(take_fold(ctx, search, false, &search->held_out));
	TLV_TRY(membership_train(ctx, &search->training, &training));
	TLV_TRY(membership_refine(ctx, &search->training, &training.options, FOLD_STEPS, &training.fit,
							  &training));
	return score_rows(ctx, search, &training.fit, score, count);
}

/* Cells of mixed memberships that training itself holds out. */
static tlv_status
score_cells(tlv_context *ctx, member_search *search, size_t k, double *score, double *count)
{
	membership_training training = begin_training(search->options, k);

	TLV_TRY(membership_train(ctx, search->rows, &training));
	memcpy(score, training.score, sizeof(training.score));
	memcpy(count, training.count, sizeof(training.count));
	return TLV_OK;
}

/* Adds the folds first .. end - 1 under one k; nothing of the fits stays. */
static tlv_status
add_member(tlv_context *ctx, member_search *search, size_t k, size_t first, size_t end)
{
	double score[TLV_CHOICE_GROUPS] = {0}, count[TLV_CHOICE_GROUPS] = {0};
	tlv_status status = TLV_OK;

	for (size_t fold = first; fold < end && status == TLV_OK; fold++)
	{
		tlv_scratch scratch;

		tlv_scratch_begin(ctx, &scratch);
		status = search->options->mixed ? score_cells(ctx, search, k, score, count)
										: score_fold(ctx, search, k, fold, score, count);
		tlv_scratch_end(ctx, &scratch);
	}
	TLV_TRY(status);
	return tlv_choice_add(ctx, &search->curve, k, score, count);
}

/* ---- the curve ---- */

/* The grid, and what refines it, in the first folds; the k that these leave open in the others. */
static tlv_status
follow_curve(tlv_context *ctx, member_search *search, size_t first, size_t folds)
{
	tlv_choice *curve = &search->curve;
	size_t k;

	while ((k = tlv_choice_next(curve)) > 0)
	{
		TLV_TRY(add_member(ctx, search, k, 0, first));
		tlv_choice_decide(curve);
	}
	if (first == folds || !tlv_choice_is_open(curve))
		return TLV_OK;
	for (size_t i = curve->first; i <= curve->last; i++)
		TLV_TRY(add_member(ctx, search, curve->points[i].k, first, folds));
	tlv_choice_decide(curve);
	return TLV_OK;
}

/* Too few rows to hold any out have one component, and no point of the curve. */
static tlv_status
choose_by_held_out(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
				   size_t most, tlv_diagnostics *to, size_t *k)
{
	member_search search = {.rows = rows, .options = options};
	size_t folds = options->mixed ? 1 : FOLDS;
	const tlv_choice *curve = &search.curve;

	*k = 1;
	if (rows->n < MEMBERSHIP_LEAST_COMPARED)
		return TLV_OK;
	if (!options->mixed)
		TLV_TRY(draw_folds(ctx, &search));
	tlv_choice_begin(1, tlv_least(most, rows->n * (FOLDS - 1) / FOLDS), true, &search.curve);
	TLV_TRY(follow_curve(ctx, &search, rows->n < FEW_ROWS ? folds : 1, folds));
	*k = curve->points[curve->chosen].k;
	for (size_t i = 0; i < curve->n; i++)
		TLV_TRY(tlv_diagnose(ctx, to, curve->points[i].mean, "held_out_%zu", curve->points[i].k));
	for (size_t i = 0; i < curve->n; i++)
		TLV_TRY(tlv_diagnose(ctx, to, curve->points[i].error, "held_out_error_%zu",
							 curve->points[i].k));
	return TLV_OK;
}

/* ---- BIC ---- */

/* Of all rows; icl: and twice the entropy. */
static tlv_status
fit_for_bic(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
			size_t k, double *bic, double *icl)
{
	membership_training training = begin_training(options, k);
	double n = (double) rows->n;
	double parameters =
		membership_parameters((double) k, (double) membership_real_categories(rows),
							  (double) (rows->p - rows->scalars), (double) rows->scalars);

	training.steps = -1;
	training.entropies = true;
	TLV_TRY(membership_train(ctx, rows, &training));
	*bic = parameters * log(n) - 2 * n * training.likelihood;
	*icl = *bic + 2 * n * training.entropy;
	return TLV_OK;
}

static tlv_status
choose_by_bic(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
			  size_t most, tlv_diagnostics *to, size_t *k)
{
	double bic[TLV_MEMBERSHIP_MOST_TRIED], icl[TLV_MEMBERSHIP_MOST_TRIED];
	size_t n = 0;

	for (*k = 1; n < most && n < *k + WITHOUT_GAIN; n++)
	{
		tlv_scratch scratch;
		tlv_status status;

		tlv_scratch_begin(ctx, &scratch);
		status = fit_for_bic(ctx, rows, options, n + 1, &bic[n], &icl[n]);
		tlv_scratch_end(ctx, &scratch);
		TLV_TRY(status);
		if (bic[n] < bic[*k - 1])
			*k = n + 1;
	}
	for (size_t i = 0; i < n; i++)
		TLV_TRY(tlv_diagnose(ctx, to, bic[i], "bic_%zu", i + 1));
	for (size_t i = 0; i < n; i++)
		TLV_TRY(tlv_diagnose(ctx, to, icl[i], "icl_%zu", i + 1));
	return TLV_OK;
}

tlv_status
membership_choose(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
				  tlv_membership_criterion criterion, size_t max_k, tlv_diagnostics *to, size_t *k)
{
	size_t most = tlv_least(tlv_least(max_k, rows->categories - rows->p + 1), rows->n);

	TLV_TRY((criterion == TLV_MEMBERSHIP_BIC ? choose_by_bic : choose_by_held_out)(
		ctx, rows, options, most, to, k));
	if (*k > 1 && *k == max_k)
		return tlv_warn(ctx, to,
						&(tlv_warning){.code = "k_at_limit",
									   .score = (double) *k,
									   .hint = "Increase max_k, or give k."},
						"k is the largest that was tried, max_k = %zu", max_k);
	return TLV_OK;
}
