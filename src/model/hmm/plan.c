/*
 * plan.c - a hidden Markov model from sequences: moments of their windows and a sample of them, the
 * best of several starts, Baum-Welch steps until the likelihood stands; over the rows, unless the
 * sample is all of them.
 */
#include <math.h>
#include <string.h>

#include "learn.h"
#include "tensorlv/model/plan.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/views.h"

/* Numbers of the sample, and sequences of it that are used: what they take is some 20 MB each. */
#define SAMPLE_NUMBERS	 ((size_t) 1 << 21)
#define SAMPLE_SEQUENCES ((size_t) 1 << 17)

/* Free parameters for every step, and steps of Baum-Welch, from which on these are too many. */
#define FEW_STEPS	 0.2
#define MANY_ASCENTS 50

/* Steps of EM on the counts of windows: the model is where steps over the sequences begin. */
#define START_ITERATIONS 100

/* What the plan keeps between two passes. */
enum
{
	KEPT_MOMENTS,
	KEPT_SAMPLE
};

typedef struct hmm_plan
{
	tlv_plan base;
	tlv_hmm_plan_options options;
	tlv_held model;	  /* of the moments */
	tlv_error failed; /* why there is none */
	size_t asked;	  /* states; 0: there are no fewer steps than states */
	tlv_hmm_ascent ascent;
	int starts; /* that were compared; 0: none but the moments' */
	bool moments_won;
	double sampled;	   /* steps */
	double steps;	   /* of all sequences */
	tlv_hmm_rank rank; /* of the table of pairs */
	double *curve;	   /* likelihood left out, by number of states */
	double *errors;	   /* of its difference from the best */
	size_t tried;	   /* of these */
	bool chosen;	   /* the number of states */
	unsigned constraints;
	tlv_diagnostics counters;
	tlv_name_table names; /* of symbols */
} hmm_plan;

/* Evaluations of the likelihood, at most. */
static int
hmm_step_limit(const hmm_plan *plan)
{
	if (plan->options.refine > TLV_HMM_REFINE_EM)
		return 0;
	return plan->options.iterations < 0 ? TLV_HMM_MAX_STEPS : plan->options.iterations;
}

/* ---- the end ---- */

static double
free_parameters(const tlv_hmm_parts *parts)
{
	double k = (double) parts->k, d = (double) parts->d;

	return k * k - 1 +
		   (parts->gaussian
				? tlv_mixture_parameters(parts->k, parts->d, parts->covariance, false) + 1 - k
				: k * (d - 1));
}

/* So many steps of Baum-Welch that the last of them fit what is chance in these sequences. */
static tlv_status
warn_of_parameters(tlv_context *ctx, const hmm_plan *plan, const tlv_hmm_parts *parts,
				   tlv_diagnostics *diagnostics)
{
	double parameters = free_parameters(parts);
	double steps = plan->steps;

	if (parts->k > 1 && plan->constraints == 0 && steps > 0 && parameters > steps)
		return tlv_warn(ctx, diagnostics,
						&(tlv_warning){.code = "many_parameters",
									   .score = parameters / steps,
									   .hint = "give longer sequences, fewer states, or symbols "
											   "that stand for several"},
						"there are %.0f free parameters and no more than %.0f steps: they follow "
						"these sequences, others may differ",
						parameters, steps);
	if (plan->options.iterations >= 0 || parts->k < 2 || plan->constraints != 0 ||
		parameters < FEW_STEPS * steps || plan->ascent.taken < MANY_ASCENTS)
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "many_parameters",
								   .score = parameters / steps,
								   .hint = "compare the likelihood of other sequences with "
										   "iterations => 50, or with fewer states"},
					"there are %.0f free parameters and %.0f steps: the last of %d steps of "
					"Baum-Welch fit these sequences alone",
					parameters, steps, plan->ascent.taken);
}

static tlv_status
warn_of_fit(tlv_context *ctx, const hmm_plan *plan, const tlv_hmm_parts *parts,
			tlv_diagnostics *diagnostics)
{
	const tlv_hmm_ascent *ascent = &plan->ascent;

	if (plan->failed.code != TLV_OK)
		TLV_TRY(
			tlv_warn(ctx, diagnostics,
					 &(tlv_warning){.code = "not_identified",
									.score = (double) plan->options.fit.k,
									.hint = "the model is the best by likelihood of other starts; "
											"other seeds may find a better one"},
					 "%s", plan->failed.message));
	if (plan->rank.p_value > TLV_HMM_SIGNIFICANCE && (plan->options.fit.k > 1 || plan->chosen))
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "independent_steps",
										.score = plan->rank.p_value,
										.hint = plan->chosen
													? NULL
													: "use one state, or a model of single steps"},
						 "neighbouring steps do not depend on each other: there are no states to "
						 "tell apart"));
	if (plan->chosen && plan->options.fit.k > 1 && plan->options.fit.k == plan->options.max_k)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "k_at_limit",
										.score = (double) plan->options.fit.k,
										.hint = "raise max_k, or choose a k by purpose"},
						 "k is the largest that was tried, max_k = %zu", plan->options.max_k));
	if (plan->asked > 0)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "fewer_components",
										.score = (double) plan->asked,
										.hint = "give more steps, or leave k out"},
						 "%zu of %zu states are there: there are no more steps", parts->k,
						 plan->asked));
	TLV_TRY(warn_of_parameters(ctx, plan, parts, diagnostics));
	if (hmm_step_limit(plan) > 0 && !ascent->plain && !ascent->stands)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = ascent->growth,
										.hint = "more iterations help"},
						 "Baum-Welch stopped at its limit of %d steps, while the log-likelihood "
						 "per step of time still grew",
						 ascent->taken));
	return TLV_OK;
}

/* The model with its states in the order of their shares; what the search tells goes along. */
static tlv_status
renumber(tlv_context *ctx, const hmm_plan *plan, const tlv_frame *model, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_hmm_parts parts;

	tlv_hmm_read(model, &parts);
	if (tlv_diagnostics_find(model, "sequences", -1) < 0)
		TLV_TRY(plan->model.image != NULL
					? tlv_diagnostics_copy_numbers(ctx, &diagnostics, &plan->model.frame, NULL)
					: tlv_diagnostics_append(ctx, &diagnostics, &plan->counters));
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, model, NULL));
	if (plan->starts > 0)
	{
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, plan->starts, "starts"));
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, plan->moments_won, "start_moments"));
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, plan->sampled, "sampled_steps"));
	}
	if (plan->chosen)
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) parts.k, "k_chosen"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, plan->rank.p_value, "independence_p_value"));
	if (plan->rank.k > 0)
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) plan->rank.k, "pair_rank"));
	if (plan->chosen)
		TLV_TRY(tlv_hmm_tell_rank(ctx, &plan->rank, &diagnostics));
	for (size_t k = 0; k < plan->tried; k++)
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, plan->curve[k], "held_out_%zu", k + 1));
	for (size_t k = 0; k < plan->tried; k++)
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, plan->errors[k], "held_out_error_%zu", k + 1));
	TLV_TRY(warn_of_fit(ctx, plan, &parts, &diagnostics));
	if (parts.items != NULL)
		TLV_TRY(tlv_hmm_name_items(ctx, &plan->names, parts.d, parts.items, &parts.names));
	parts.diagnostics = &diagnostics;
	return tlv_hmm_write(ctx, &parts, image, size);
}

static tlv_status
hmm_finish_model(tlv_context *ctx, hmm_plan *plan, tlv_held *model)
{
	tlv_held renumbered = {0};
	tlv_making made;

	tlv_plan_make(ctx, &made);
	TLV_TRY(tlv_plan_made(ctx, &made, &renumbered,
						  renumber(ctx, plan, &model->frame, &made.image, &made.size)));
	tlv_hmm_ascent_end(ctx, &plan->ascent);
	return tlv_plan_finish(ctx, &plan->base, &renumbered.frame, NULL, 0, NULL);
}

/* ---- refinement over the rows ---- */

static tlv_status hmm_refine(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass);

static void
hmm_ask_statistics(hmm_plan *plan, tlv_pass *pass)
{
	tlv_plan_ask(&plan->base, pass, "Baum-Welch", &tlv_aggregate_statistics, hmm_refine)->constant =
		&plan->ascent.current.frame;
	pass->passes_left = hmm_step_limit(plan) - plan->ascent.taken;
}

/* The likelihood that the statistics tell is that of the model before the step. */
static tlv_status
hmm_refine(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	hmm_plan *plan = (hmm_plan *) base;
	bool done;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	TLV_TRY(tlv_hmm_ascent_take(ctx, &plan->ascent, &values[0]->frame, &done));
	if (done)
		return hmm_finish_model(ctx, plan, &plan->ascent.current);
	hmm_ask_statistics(plan, pass);
	return TLV_OK;
}

/* ---- the starts ---- */

/* The sequences of the sample; those without steps are not among them. */
static tlv_status
open_sample(tlv_context *ctx, const tlv_frame *sample, tlv_hmm_data *data, bool *complete)
{
	TLV_TRY(tlv_sequence_sample_rows(ctx, sample, &data->n, &data->rows));
	data->n = tlv_least(data->n, SAMPLE_SEQUENCES);
	data->steps = 0;
	for (size_t i = 0; i < data->n; i++)
		data->steps += (double) data->rows[i].part[0].n;
	*complete = data->steps == tlv_frame_scalar(sample, "steps", 0);
	return TLV_OK;
}

/* All symbols, ascending: those of the moments, and of sequences that have no window. */
static tlv_status
list_symbols(tlv_context *ctx, const tlv_frame *moments, const tlv_hmm_data *data, size_t *m,
			 int64_t **items)
{
	const tlv_section *known = tlv_frame_find(moments, "items");
	tlv_dictionary dictionary = {0};
	int32_t at, *rank;

	*m = 0;
	*items = NULL;
	if (data->n == 0 || data->rows[0].form != TLV_ROW_SYMBOLS)
		return TLV_OK;
	for (size_t i = 0; known != NULL && i < known->rows; i++)
		TLV_TRY(tlv_category_position(ctx, &dictionary, tlv_frame_int64(moments, "items")[i],
									  "symbols", &at));
	for (size_t i = 0; i < data->n; i++)
		for (size_t t = 0; t < data->rows[i].part[0].n; t++)
			if (data->rows[i].part[0].ids[t] != TLV_SYMBOL_MISSING)
				TLV_TRY(tlv_category_position(ctx, &dictionary, data->rows[i].part[0].ids[t],
											  "symbols", &at));
	*m = dictionary.n;
	TLV_TRY_NEW(ctx, *items, *m);
	TLV_TRY_NEW(ctx, rank, *m);
	return tlv_dictionary_order(ctx, &dictionary, *items, rank);
}

static tlv_status
refuse_empty(tlv_context *ctx, const tlv_frame *moments)
{
	tlv_fail(ctx, TLV_BAD_DATA, "the query returns no sequence with a step");
	tlv_fail_detail(ctx, "%.0f sequences are empty.", tlv_frame_scalar(moments, "short", 0));
	return TLV_BAD_DATA;
}

/* Where the climb begins: the best of all starts, or the moments' where so many steps are asked. */
static tlv_status
choose_start(tlv_context *ctx, hmm_plan *plan, tlv_hmm_search *search, tlv_held *best)
{
	const tlv_hmm_options *fit = &plan->options.fit;

	search->start.k = fit->k;
	if (plan->model.image != NULL && (plan->options.iterations >= 0 || fit->k == 1))
	{
		*best = plan->model;
		memset(&plan->model, 0, sizeof(plan->model));
		return TLV_OK;
	}
	TLV_TRY(tlv_hmm_search_start(ctx, search, plan->model.image != NULL ? &plan->model.frame : NULL,
								 best));
	plan->starts = search->starts;
	plan->moments_won = search->moments_won;
	plan->sampled = search->data->steps;
	return TLV_OK;
}

/* Steps that do not depend on each other have one state; k of others by what is left out. */
static tlv_status
choose_states(tlv_context *ctx, hmm_plan *plan, tlv_hmm_search *search)
{
	size_t *k = &plan->options.fit.k;

	TLV_TRY(tlv_hmm_dependence(ctx, search->data, search->m, search->items, &plan->rank));
	if (*k > 0)
		return TLV_OK;
	plan->chosen = true;
	*k = 1;
	if (!(plan->rank.p_value <= TLV_HMM_SIGNIFICANCE) || plan->options.max_k == 1)
		return TLV_OK;
	TLV_TRY_NEW(ctx, plan->curve, plan->options.max_k);
	TLV_TRY_NEW0(ctx, plan->errors, plan->options.max_k);
	return tlv_hmm_choose(ctx, search, plan->options.max_k, plan->curve, plan->errors, &plan->tried,
						  k);
}

/* The moments' model; a failure that other starts may mend is kept for the warning. */
static tlv_status
fit_moments(tlv_context *ctx, hmm_plan *plan, const tlv_frame *moments)
{
	tlv_making made;
	tlv_status status;

	plan->steps = tlv_frame_scalar(moments, "steps", 0);
	for (size_t i = 0; i < TLV_HMM_COUNTERS; i++)
		TLV_TRY(tlv_diagnose(ctx, &plan->counters,
							 tlv_frame_scalar(moments, tlv_hmm_counters[i], 0), "%s",
							 tlv_hmm_counters[i]));
	if (plan->constraints != 0)
		return TLV_OK;
	tlv_plan_make(ctx, &made);
	status = tlv_plan_made(ctx, &made, &plan->model,
						   tlv_hmm_fit(ctx, moments, &plan->options.fit, &made.image, &made.size));
	if (status != TLV_NOT_IDENTIFIABLE && status != TLV_BAD_DATA && status != TLV_BAD_PARAMETER)
		return status;
	plan->failed = ctx->error;
	memset(&ctx->error, 0, sizeof(ctx->error));
	return TLV_OK;
}

static tlv_status
refuse_row(tlv_context *ctx, const char *what, size_t i, double least, double sum)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER, "row %zu of the given %s is no distribution", i + 1, what);
	if (least < 0)
	{
		tlv_fail_detail(ctx, "One of its numbers is %g.", least);
		return tlv_fail_hint(ctx, "Probabilities are not below 0.");
	}
	tlv_fail_detail(ctx, "Its numbers add up to %.10g.", sum);
	return tlv_fail_hint(ctx, sum > 0 ? "Divide each of them by this sum."
									  : "Give probabilities that add up to 1.");
}

/* n rows of probabilities. */
static tlv_status
check_rows(tlv_context *ctx, const char *what, size_t n, size_t width, const double *p)
{
	for (size_t i = 0; i < n; i++)
	{
		double sum = 0, least = 0;

		for (size_t j = 0; j < width; j++)
		{
			sum += p[i * width + j];
			least = fmin(least, p[i * width + j]);
		}
		if (!(least >= 0 && fabs(sum - 1) < 1e-6))
			return refuse_row(ctx, what, i, least, sum);
	}
	return TLV_OK;
}

/* What is held must be of what is seen. */
static tlv_status
check_given(tlv_context *ctx, const hmm_plan *plan, const tlv_hmm_search *search)
{
	const tlv_hmm_plan_options *options = &plan->options;
	size_t width = search->m > 0 ? search->m : search->data->rows[0].part[0].d;

	if (options->emissions == NULL)
		return TLV_OK;
	if (options->given_width == width)
		return search->m == 0
				   ? TLV_OK
				   : check_rows(ctx, "emissions", options->given_states, width, options->emissions);
	tlv_fail(ctx, TLV_BAD_PARAMETER, "the given emissions have %zu columns, the data %zu %s",
			 options->given_width, width, search->m > 0 ? "symbols" : "dimensions");
	return tlv_fail_hint(ctx, search->m > 0 ? "Give a column for every symbol, in their order."
											: "Give one number for every dimension.");
}

/* No more states than there are steps, unless some are given. */
static void
lower_states(hmm_plan *plan, const tlv_hmm_data *data)
{
	if (plan->constraints != 0 || (double) plan->options.fit.k <= data->steps)
		return;
	plan->asked = plan->options.fit.k;
	plan->options.fit.k = (size_t) data->steps;
}

static tlv_status
learn(tlv_context *ctx, hmm_plan *plan, const tlv_frame *moments, const tlv_value *sample,
	  tlv_pass *pass)
{
	tlv_hmm_data data;
	tlv_hmm_search search = {.data = &data,
							 .start = {.covariance = plan->options.fit.covariance,
									   .seed = plan->options.fit.seed,
									   .constraints = plan->constraints,
									   .transitions = plan->options.transitions,
									   .emissions = plan->options.emissions}};
	tlv_held best = {0};
	int64_t *items;
	bool complete;

	TLV_TRY(tlv_plan_require(ctx, sample));
	TLV_TRY(open_sample(ctx, &sample->frame, &data, &complete));
	if (data.n == 0)
		return refuse_empty(ctx, moments);
	TLV_TRY(list_symbols(ctx, moments, &data, &search.m, &items));
	search.items = items;
	if (data.rows[0].form == TLV_ROW_SYMBOLS && search.m == 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "all symbols are missing");
	TLV_TRY(check_given(ctx, plan, &search));
	lower_states(plan, &data);
	TLV_TRY(choose_states(ctx, plan, &search));
	if (plan->chosen)
		TLV_TRY(fit_moments(ctx, plan, moments));
	TLV_TRY(choose_start(ctx, plan, &search, &best));
	tlv_hmm_ascent_begin(&plan->ascent, &best, hmm_step_limit(plan));
	plan->ascent.plain = plan->options.iterations >= 0;
	if (complete)
		TLV_TRY(tlv_hmm_climb(ctx, &data, &plan->ascent));
	tlv_free(ctx, data.rows);
	if (complete || hmm_step_limit(plan) == 0)
		return hmm_finish_model(ctx, plan, &plan->ascent.current);
	hmm_ask_statistics(plan, pass);
	return TLV_OK;
}

static tlv_status
take_sample(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	return learn(ctx, (hmm_plan *) base, &base->kept[KEPT_MOMENTS]->frame, values[0], pass);
}

static void
ask_sample(hmm_plan *plan, tlv_pass *pass, tlv_plan_step then)
{
	tlv_statistic *sample =
		tlv_plan_ask(&plan->base, pass, "sample", &tlv_aggregate_sequence_sample, then);

	sample->count = SAMPLE_NUMBERS;
	sample->seed = plan->options.fit.seed;
	pass->passes_left = 1 + hmm_step_limit(plan);
}

/* ---- moments and fit ---- */

static tlv_status
take_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	hmm_plan *plan = (hmm_plan *) base;
	const tlv_frame *moments;

	if (values[0] == NULL || tlv_frame_scalar(&values[0]->frame, "short", 0) == 0)
		TLV_TRY(tlv_plan_require_rows(ctx, values[0], "sequences"));
	if (values[0] == NULL) /* cannot be */
		return TLV_NO_ROWS;
	moments = &values[0]->frame;
	TLV_TRY(tlv_hmm_check_covariance(ctx, moments, plan->options.fit.covariance));
	TLV_TRY(tlv_name_table_add_frame(ctx, &plan->names, moments));
	if (plan->options.fit.k > 0)
		TLV_TRY(fit_moments(ctx, plan, moments));
	if (plan->model.image != NULL && hmm_step_limit(plan) == 0)
		return hmm_finish_model(ctx, plan, &plan->model);
	if (base->asked > 1)
		return learn(ctx, plan, moments, values[1], pass);
	tlv_plan_keep(base, KEPT_MOMENTS, &values[0]);
	ask_sample(plan, pass, take_sample);
	return TLV_OK;
}

static tlv_status
ask_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	hmm_plan *plan = (hmm_plan *) base;

	tlv_plan_ask(base, pass, "moments", &tlv_aggregate_sequence_moments, take_moments);
	if (hmm_step_limit(plan) > 0 || plan->options.fit.k == 0 || plan->constraints != 0)
		ask_sample(plan, pass, take_moments);
	pass->passes_left = 2 + hmm_step_limit(plan);
	return TLV_OK;
}

const char *const tlv_hmm_refinement_names[] = {"auto", "em", "windows", "none", NULL};

static const tlv_plan_class hmm_plan_class = {
	.name = "tlv_hmm", .next = ask_moments, .support = &tlv_hmm_support};

/* What is given says how many states there are. */
static tlv_status
check_options(tlv_context *ctx, const tlv_hmm_plan_options *options)
{
	size_t k = options->given_states;

	if ((options->transitions != NULL || options->emissions != NULL) && options->fit.k != k)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu, but %zu states are given", options->fit.k, k);
		return tlv_fail_hint(ctx, "Leave k out, or give k => %zu.", k);
	}
	if (options->transitions != NULL)
		TLV_TRY(check_rows(ctx, "transitions", k, k, options->transitions));
	return TLV_OK;
}

tlv_status
tlv_hmm_plan_create(tlv_context *ctx, const tlv_hmm_plan_options *options, tlv_plan **created)
{
	hmm_plan *plan;

	TLV_TRY(check_options(ctx, options));
	plan = tlv_alloc0(ctx, 1, sizeof(hmm_plan));
	TLV_TRY_ALLOC(ctx, plan);
	plan->constraints = (options->left_right ? TLV_HMM_LEFT_RIGHT : 0) |
						(options->transitions != NULL ? TLV_HMM_FIXED_TRANSITIONS : 0) |
						(options->emissions != NULL ? TLV_HMM_FIXED_EMISSIONS : 0);
	plan->base.class = &hmm_plan_class;
	plan->base.supported = plan->constraints != 0; /* what is given comes again */
	plan->options = *options;
	plan->rank.p_value = NAN;
	plan->options.fit.start = hmm_step_limit(plan) > 0;
	if (options->refine == TLV_HMM_REFINE_NONE)
		plan->options.fit.iterations = 0;
	else
		plan->options.fit.iterations = plan->options.fit.start ? START_ITERATIONS : -1;
	*created = &plan->base;
	return TLV_OK;
}
