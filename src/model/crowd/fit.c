/*
 * fit.c - the ascent from several starts (crowd.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/assignment.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/sort.h"
#include "tensorlv/num/tuning.h"

/* Divisions of the workers into groups for the moments. */
#define DIVISIONS 5

const char *const tlv_crowd_start_names[] = {"auto", "majority", "moments", NULL};

const tlv_crowd_options tlv_crowd_defaults = {
	.start = TLV_CROWD_BOTH, .shrink = 1, .iterations = -1, .restarts = DIVISIONS, .seed = 1};

/* A fit on its way. */
typedef struct crowd_fit
{
	const tlv_crowd_options *options;
	crowd_answers data;
	crowd_copies copies;
	crowd_state state;
	tlv_rng rng;
	int most;	/* steps of an ascent */
	bool known; /* some answers are, and say which class is which */
	/* the best so far */
	bool found;
	double best, best_steps;
	int best_start; /* 0: the majority, else a division of the workers */
	double *log_weights, *log_confusions;
	int refused; /* divisions that told no classes */
} crowd_fit;

/* ---- memory ---- */

/* All that is allocated beside the value and the model. */
static tlv_status
require_room(tlv_context *ctx, const crowd_answers *a)
{
	double k = (double) a->answers, wide = k * (double) a->columns;
	double cube = a->answers > CROWD_MOST_CLASSES ? 0 : k * k * k;
	double bytes = 8 * (3 * wide + 16 * k * k + 3 * cube + 40 * (double) a->workers);

	bytes += 8 * (k + 4) * (double) a->items;
	bytes += 2 * (8 * (wide + k * (double) a->workers) + 8 * (k + 4) * (double) a->items);
	return tlv_require_memory(ctx, bytes, "workers' confusions and items' answers");
}

/* ---- one start ---- */

/* Is there any answer that is known? */
static bool
has_known(const crowd_answers *a)
{
	for (size_t i = 0; i < a->items; i++)
		if (crowd_first_given(a, i) > a->start[i])
			return true;
	return false;
}

/* EM from the state's parameters until the log-likelihood converges; the state keeps the last
 * parameters. */
static tlv_status
ascend(tlv_context *ctx, crowd_fit *fit, double *steps)
{
	double before = -INFINITY;

	for (*steps = 0; *steps < fit->most; ++*steps)
	{
		double now;

		TLV_TRY(tlv_crowd_expect(ctx, &fit->state, NULL));
		now = fit->state.log_likelihood;
		if (fabs(now - before) <= TLV_EM_TOLERANCE * fabs(now))
			break;
		before = now;
		TLV_TRY(tlv_crowd_maximize(ctx, &fit->state));
		tlv_report(ctx, "ascent", *steps, fit->most);
	}
	return tlv_crowd_expect(ctx, &fit->state, NULL);
}

/* x (k) in the order of the classes, partner (k) */
static void
reorder(size_t k, const int64_t *partner, double *x, double *old)
{
	memcpy(old, x, k * sizeof(double));
	for (size_t h = 0; h < k; h++)
		x[h] = old[partner[h]];
}

/*
 * Classes in the order that makes the workers right most often: moments of one division may name
 * them otherwise, which is as likely.
 */
static tlv_status
name_classes(tlv_context *ctx, crowd_state *state)
{
	size_t k = state->k, columns = state->data->columns;
	double *cost, *error, *old;
	int64_t *partner;

	TLV_TRY_NEW0(ctx, cost, k * k + 2 * k);
	error = cost + k * k;
	old = error + k;
	TLV_TRY_NEW(ctx, partner, k);
	for (size_t column = 0; column < columns; column++)
		for (size_t h = 0; h < k; h++)
			cost[column % state->data->answers * k + h] -= state->counts[column * k + h];
	TLV_TRY(tlv_assign_components(ctx, k, k, cost, 0, partner, error));
	reorder(k, partner, state->log_weights, old);
	for (size_t column = 0; column < columns; column++)
		reorder(k, partner, state->log_confusions + k * column, old);
	tlv_free(ctx, partner);
	tlv_free(ctx, cost);
	return TLV_OK;
}

/*
 * Groups of copying workers count as one from here on: those that agree more often than what is
 * true explains, of a first fit from the majority in which all groups that were found count so.
 */
static tlv_status
find_copies(tlv_context *ctx, crowd_fit *fit)
{
	size_t workers = fit->data.workers;
	crowd_told told = {0};
	int most = fit->most;
	double steps;

	TLV_TRY(tlv_crowd_find_copies(ctx, &fit->data, &fit->copies));
	if (fit->copies.groups == 0)
		return TLV_OK;
	TLV_TRY(tlv_crowd_weigh(ctx, &fit->copies, &fit->data));
	fit->most = TLV_MOST_PASSES;
	tlv_crowd_forget(&fit->state);
	TLV_TRY(tlv_crowd_majority(ctx, &fit->state));
	TLV_TRY(tlv_crowd_maximize(ctx, &fit->state));
	TLV_TRY(ascend(ctx, fit, &steps));
	fit->most = most;
	TLV_TRY_NEW_ROWS(ctx, told.posterior, fit->data.items, fit->state.k);
	TLV_TRY_NEW0(ctx, told.right, 2 * workers);
	told.doubt = told.right + workers;
	TLV_TRY(tlv_crowd_expect(ctx, &fit->state, &told));
	TLV_TRY(tlv_crowd_confirm_copies(ctx, &fit->state, told.posterior, &fit->copies));
	tlv_free(ctx, told.right);
	tlv_free(ctx, told.posterior);
	return tlv_crowd_weigh(ctx, &fit->copies, &fit->data);
}

/* The state's parameters are the best so far, or are forgotten. */
static tlv_status
judge(tlv_context *ctx, crowd_fit *fit, int start)
{
	size_t k = fit->state.k;
	double steps;

	TLV_TRY(ascend(ctx, fit, &steps));
	if (start > 0 && !fit->known)
		TLV_TRY(name_classes(ctx, &fit->state));
	if (fit->found && !(fit->state.log_likelihood > fit->best))
		return TLV_OK;
	fit->found = true;
	fit->best = fit->state.log_likelihood;
	fit->best_steps = steps;
	fit->best_start = start;
	memcpy(fit->log_weights, fit->state.log_weights, k * sizeof(double));
	return tlv_copy(ctx, fit->log_confusions, fit->state.log_confusions,
					k * fit->data.columns * sizeof(double));
}

static tlv_status
from_majority(tlv_context *ctx, crowd_fit *fit)
{
	tlv_crowd_forget(&fit->state);
	TLV_TRY(tlv_crowd_majority(ctx, &fit->state));
	TLV_TRY(tlv_crowd_maximize(ctx, &fit->state));
	return judge(ctx, fit, 0);
}

static tlv_status
from_moments(tlv_context *ctx, crowd_fit *fit, int division)
{
	tlv_status status = tlv_crowd_moments(ctx, &fit->state, &fit->copies, &fit->rng);

	tlv_crowd_forget(&fit->state);
	if (status == TLV_NOT_IDENTIFIABLE)
	{
		fit->refused++;
		return TLV_OK;
	}
	TLV_TRY(status);
	return judge(ctx, fit, division);
}

static tlv_status
try_starts(tlv_context *ctx, crowd_fit *fit)
{
	const tlv_crowd_options *options = fit->options;
	int divisions = options->restarts > 0 ? options->restarts : DIVISIONS;

	if (options->start != TLV_CROWD_MOMENTS)
		TLV_TRY(from_majority(ctx, fit));
	if (options->start == TLV_CROWD_MAJORITY || fit->state.k < 2 || fit->data.workers < 3)
		divisions = 0;
	for (int i = 1; i <= divisions; i++)
		TLV_TRY(from_moments(ctx, fit, i));
	return fit->found ? TLV_OK : from_majority(ctx, fit);
}

/* ---- what to say of it ---- */

static tlv_status
diagnose_start(tlv_context *ctx, const crowd_fit *fit, tlv_diagnostics *d)
{
	bool asked = fit->options->start != TLV_CROWD_MAJORITY;

	TLV_TRY(tlv_diagnose(ctx, d, fit->best / (double) fit->data.items, "log_likelihood_per_item"));
	TLV_TRY(tlv_diagnose(ctx, d, fit->best_start, "start"));
	if (asked)
		TLV_TRY(tlv_diagnose(ctx, d, fit->refused, "divisions_refused"));
	if (fit->options->start == TLV_CROWD_MOMENTS && fit->best_start == 0)
		TLV_TRY(tlv_warn(ctx, d,
						 &(tlv_warning){.code = "not_identified",
										.score = fit->refused,
										.hint = "Increase restarts, or use start => 'auto'."},
						 "no division of the workers into three groups identifies the answers: the "
						 "initial estimate is the majority vote"));
	if (!fit->options->plain && fit->options->iterations < 0 && fit->best_steps >= fit->most)
		TLV_TRY(tlv_warn(ctx, d,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = fit->best_steps,
										.hint = "Increase iterations."},
						 "the log-likelihood still increases after %d %s", fit->most,
						 tlv_plural((double) fit->most, "iteration", "iterations")));
	return TLV_OK;
}

/* What messages call an id of a set: its name in quotes, or the number. */
static const char *
show_id(const crowd_answers *a, const char *set, size_t at, char shown[TLV_SHOWN_NAME])
{
	const tlv_names names = {.n = a->names,
							 .ids = tlv_frame_int64(a->frame, "name_ids"),
							 .offsets = tlv_frame_int64(a->frame, "name_offsets"),
							 .text = tlv_section_data(a->frame, tlv_frame_find(a->frame, "names"))};
	int64_t id = tlv_frame_int64(a->frame, set)[at];
	size_t i = tlv_find_id(names.ids, names.n, id);

	if (i < names.n)
		return tlv_names_show(&names, i, shown);
	snprintf(shown, TLV_SHOWN_NAME, "%lld", (long long) id);
	return shown;
}

/* Gold that matches nothing: answers that no worker gives, items that no worker has. */
static tlv_status
diagnose_gold(tlv_context *ctx, const crowd_answers *a, const tlv_crowd_options *options,
			  tlv_diagnostics *d)
{
	size_t answers = 0, items = 0, answer = 0, item = 0;
	char shown[TLV_SHOWN_NAME];

	if (options->empty_gold)
		TLV_TRY(tlv_warn(
			ctx, d,
			&(tlv_warning){.code = "unmatched_labels", .hint = "Correct the query, or omit gold."},
			"the query of gold has no rows"));
	if (options->null_gold > 0)
		TLV_TRY(tlv_warn(ctx, d,
						 &(tlv_warning){.code = "unmatched_labels",
										.score = options->null_gold,
										.hint = "Leave items without a known answer out of gold."},
						 "%.0f gold %s skipped, since the item or the answer is null",
						 options->null_gold,
						 tlv_plural(options->null_gold, "answer was", "answers were")));
	for (size_t h = a->answers; h-- > 0;)
		if (!a->said[h])
			answers++, answer = h;
	for (size_t i = a->items; i-- > 0;)
		if (a->start[i] < a->start[i + 1] && crowd_first_given(a, i) == a->start[i + 1])
			items++, item = i;
	if (answers > 0)
		TLV_TRY(tlv_warn(ctx, d,
						 &(tlv_warning){.code = "unmatched_labels",
										.score = (double) answers,
										.hint = "Spell the answers of gold as the workers do."},
						 answers == 1 ? "no worker gives the gold answer %s"
									  : "no worker gives some of the gold answers, the first of "
										"which is %s",
						 show_id(a, "answers", answer, shown)));
	if (items > 0)
		TLV_TRY(tlv_warn(ctx, d,
						 &(tlv_warning){.code = "unmatched_labels",
										.score = (double) items,
										.hint = "Spell the items of gold as the answers do."},
						 "no worker answers %zu %s of gold, the first of which is %s", items,
						 items == 1 ? "item" : "items", show_id(a, "items", item, shown)));
	return TLV_OK;
}

/* Items with one answer, items whose known answers contradict each other. */
static tlv_status
diagnose_items(tlv_context *ctx, const crowd_answers *a, const tlv_crowd_options *options,
			   tlv_diagnostics *d)
{
	double single = 0, contradicted = 0, three = 0;

	for (size_t i = 0; i < a->items; i++)
	{
		size_t first = crowd_first_given(a, i), known = first - a->start[i];

		TLV_TRY_CONTINUE_AT(ctx, i);
		single += a->start[i + 1] - first == 1;
		three += a->start[i + 1] - first >= 3;
		contradicted += known > 1 && a->column[a->start[i]] != a->column[first - 1];
	}
	TLV_TRY(tlv_diagnose(ctx, d, single, "items_with_one_answer"));
	if (contradicted > 0)
		TLV_TRY(tlv_warn(
			ctx, d,
			&(tlv_warning){.code = "contradictory_gold",
						   .score = contradicted,
						   .hint = "Give one answer per item in gold."},
			contradicted == 1
				? "%.0f item has two different gold answers: one of them is taken to be true"
				: "%.0f items have two different gold answers: one of them is taken to be "
				  "true",
			contradicted));
	TLV_TRY(tlv_warn_nulls(ctx, d, tlv_frame_scalar(a->frame, "nulls", 0) - options->null_gold,
						   options->null_columns,
						   "Give an item, a worker and a label for every answer."));
	TLV_TRY(diagnose_gold(ctx, a, options, d));
	if (three == 0)
		return tlv_warn(ctx, d,
						&(tlv_warning){.code = "few_rows",
									   .score = three,
									   .hint = "Ask three or more workers about every item."},
						"no item has three answers: workers cannot be distinguished");
	return TLV_OK;
}

/* Who copies: a warning for every group. */
static tlv_status
diagnose_copies(tlv_context *ctx, const crowd_fit *fit, tlv_diagnostics *d)
{
	const crowd_copies *copies = &fit->copies;

	for (size_t group = 1; group <= copies->groups; group++)
	{
		tlv_shown_list list = {0};
		char shown[TLV_SHOWN_NAME] = "";

		for (size_t j = 0; j < fit->data.workers; j++)
		{
			TLV_TRY_CONTINUE_AT(ctx, j);
			if (copies->group[j] != group)
				continue;
			if (list.n < TLV_SHOWN_MOST)
				show_id(&fit->data, "workers", j, shown);
			tlv_shown_add(&list, shown);
		}
		TLV_TRY(tlv_warn(
			ctx, d,
			&(tlv_warning){.code = "copying_workers",
						   .score = copies->rate[group],
						   .hint = "Use copies => 'ignore' if they answer independently."},
			"%s give the same answers, in %.0f of 100 cases in which independent workers would "
			"differ: they count as one",
			tlv_shown_text(&list, "worker"), 100 * copies->rate[group]));
	}
	return TLV_OK;
}

/* Workers who agree no more than by chance, where nothing else tells what is true. */
static tlv_status
diagnose_agreement(tlv_context *ctx, const crowd_fit *fit, tlv_diagnostics *d)
{
	double z = 0;

	TLV_TRY(tlv_crowd_agreement(ctx, &fit->data, &fit->copies, &z));
	TLV_TRY(tlv_diagnose(ctx, d, z, "agreement"));
	if (z < TLV_CHANCE_ERRORS && !fit->known)
		return tlv_warn(ctx, d,
						&(tlv_warning){.code = "no_structure",
									   .score = z,
									   .hint = "Collect more answers to every item, or give known "
											   "answers of some items in gold."},
						"workers do not agree more often than their habits explain: the consensus "
						"may be chance");
	return TLV_OK;
}

/* How often all workers together are right, class by class alike; answers that are worthless. */
static tlv_status
diagnose_workers(tlv_context *ctx, const crowd_fit *fit, tlv_diagnostics *d)
{
	size_t k = fit->state.k;
	double right = 0;

	for (size_t h = 0; h < k; h++)
		right += fit->state.pool[h + k * h] / (double) k;
	TLV_TRY(tlv_diagnose(ctx, d, right, "mean_right"));
	if (k == 1)
		return tlv_warn(ctx, d,
						&(tlv_warning){.code = "no_structure",
									   .score = 1,
									   .hint = "Collect answers to items that differ."},
						"all answers are the same");
	TLV_TRY(diagnose_agreement(ctx, fit, d));
	if (right < 1 / (double) k + 0.05)
		return tlv_warn(ctx, d,
						&(tlv_warning){.code = "no_better_than_chance",
									   .score = right,
									   .hint = "Give known answers of some items in gold."},
						"workers are right in %.0f of 100 answers: which class is which answer is "
						"not identified",
						100 * right);
	return TLV_OK;
}

/* ---- the fit ---- */

/* The best parameters, what they say of every item, and a model of it. */
static tlv_status
end_fit(tlv_context *ctx, crowd_fit *fit, void **image, size_t *size)
{
	size_t k = fit->state.k, workers = fit->data.workers;
	tlv_diagnostics d = {0};
	crowd_told told = {0};

	memcpy(fit->state.log_weights, fit->log_weights, k * sizeof(double));
	TLV_TRY(tlv_copy(ctx, fit->state.log_confusions, fit->log_confusions,
					 k * fit->data.columns * sizeof(double)));
	tlv_free(ctx, fit->log_confusions);
	TLV_TRY_NEW_ROWS(ctx, told.posterior, fit->data.items, k);
	TLV_TRY_NEW0(ctx, told.right, 2 * workers + 1);
	told.doubt = told.right + workers;
	TLV_TRY(tlv_crowd_expect(ctx, &fit->state, &told));
	tlv_crowd_pool(&fit->state);
	TLV_TRY(tlv_crowd_leave_one_out(ctx, &fit->state, told.posterior));
	TLV_TRY(diagnose_start(ctx, fit, &d));
	TLV_TRY(diagnose_items(ctx, &fit->data, fit->options, &d));
	TLV_TRY(diagnose_copies(ctx, fit, &d));
	TLV_TRY(diagnose_workers(ctx, fit, &d));
	return tlv_crowd_write(ctx, &fit->state, &told, &fit->copies, fit->options, fit->best_steps, &d,
						   image, size);
}

static tlv_status
fit_answers(tlv_context *ctx, crowd_fit *fit, const tlv_frame *frame, void **image, size_t *size)
{
	size_t k;

	TLV_TRY(tlv_crowd_load(ctx, frame, &fit->data));
	TLV_TRY(require_room(ctx, &fit->data));
	TLV_TRY(tlv_crowd_state_create(ctx, &fit->data, fit->options->shrink, &fit->state));
	k = fit->state.k;
	fit->known = has_known(&fit->data);
	TLV_TRY_NEW(ctx, fit->log_weights, k);
	TLV_TRY_NEW_ROWS(ctx, fit->log_confusions, fit->data.columns, k);
	if (!fit->options->independent)
		TLV_TRY(find_copies(ctx, fit));
	TLV_TRY(try_starts(ctx, fit));
	return end_fit(ctx, fit, image, size);
}

tlv_status
tlv_crowd_fit(tlv_context *ctx, const tlv_frame *answers, const tlv_crowd_options *options,
			  void **image, size_t *size)
{
	crowd_fit fit = {.options = options};
	tlv_scratch scratch;
	tlv_status status;

	TLV_TRY(tlv_kind_require(ctx, answers, &tlv_kind_crowd_answers, "tlv_fit_crowd"));
	if (!(options->shrink >= 0 && options->shrink <= 1000))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "shrink = %g is not between 0 and 1000",
						options->shrink);
	fit.most = options->plain			  ? 0
			   : options->iterations >= 0 ? options->iterations
										  : TLV_MOST_PASSES;
	tlv_rng_seed(&fit.rng, options->seed);
	tlv_scratch_begin(ctx, &scratch);
	status = fit_answers(ctx, &fit, answers, image, size);
	if (status == TLV_OK)
		tlv_scratch_keep(ctx, *image);
	tlv_scratch_end(ctx, &scratch);
	return status;
}

/* ---- learning ---- */

/* Of a value: three positions, and an item of which it is the only answer with its name. */
#define ANSWER_BYTES (6 * sizeof(int64_t))

/* Both values as one. */
static tlv_status
unite(tlv_context *ctx, const tlv_frame *given, const tlv_frame *known, void **image, size_t *size)
{
	tlv_accumulator *accumulator;
	tlv_frame_builder *builder;

	TLV_TRY(tlv_crowd_answers_create(ctx, &accumulator));
	accumulator->large = true;
	TLV_TRY(accumulator->class->merge(ctx, accumulator, given));
	TLV_TRY(accumulator->class->merge(ctx, accumulator, known));
	TLV_TRY_NEW0(ctx, builder, 1);
	TLV_TRY(accumulator->class->build(ctx, accumulator, builder));
	builder->large = true;
	return tlv_frame_finish(ctx, builder, image, size);
}

static tlv_status
fit_united(tlv_context *ctx, const tlv_frame *given, const tlv_frame *known,
		   const tlv_crowd_options *options, tlv_held *model)
{
	tlv_held both = {0};
	tlv_making made;

	TLV_TRY(TLV_MAKE(ctx, &made, &both, unite(ctx, given, known, &made.image, &made.size)));
	TLV_TRY(tlv_crowd_fit(ctx, &both.frame, options, &model->image, &model->size));
	tlv_free(ctx, both.image);
	return TLV_OK;
}

static tlv_status
crowd_learn(tlv_context *ctx, tlv_source *answers, const void *argument, tlv_held *model)
{
	tlv_crowd_options options = *(const tlv_crowd_options *) argument;
	bool labelled = answers->labels != NULL;
	tlv_value *given, *known = NULL;

	TLV_TRY(tlv_collect_growing(ctx, answers, "answers", 1 + labelled,
								&(tlv_statistic){.aggregate = &tlv_aggregate_crowd_answers},
								ANSWER_BYTES, &given));
	TLV_TRY(tlv_require_rows(ctx, given, NULL));
	if (labelled)
		TLV_TRY(tlv_collect_growing(ctx, answers->labels, "gold", 1,
									&(tlv_statistic){.aggregate = &tlv_aggregate_gold_answers},
									ANSWER_BYTES, &known));
	options.null_columns = answers->rows.null_columns;
	options.empty_gold = labelled && known == NULL;
	options.null_gold = known != NULL ? tlv_frame_scalar(&known->frame, "nulls", 0) : 0;
	TLV_TRY(known != NULL
				? fit_united(ctx, &given->frame, &known->frame, &options, model)
				: tlv_crowd_fit(ctx, &given->frame, &options, &model->image, &model->size));
	return tlv_frame_open(ctx, model->image, model->size, &model->frame);
}

const tlv_procedure tlv_crowd_procedure = {.learn = crowd_learn};
