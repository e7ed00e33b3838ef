/*
 * learn.c - the whole of learning a hidden Markov model (hmm.h): moments of the windows of the
 * sequences and a sample of these, the number of states where it is not given, the best of several
 * initial estimates, and Baum-Welch until the likelihood converges, over the rows unless the sample
 * is all of them.
 */
#include <math.h>
#include <string.h>

#include "learn.h"
#include "../tuning.h"
#include "tensorlv/model/source.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/views.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/sort.h"
#include "tensorlv/num/tuning.h"

/* Numbers of the sample, and sequences of it that are used: what they take is some 20 MB each. */
#define SAMPLE_NUMBERS	 ((size_t) 1 << 21)
#define SAMPLE_SEQUENCES ((size_t) 1 << 17)

typedef struct hmm_learning
{
	tlv_hmm_learn_options options;
	tlv_held model;	  /* of the moments */
	tlv_error failed; /* why there is none */
	size_t asked;	  /* states; 0: there are no fewer steps than states */
	tlv_hmm_ascent ascent;
	int starts; /* that were compared; 0: none but the moments' */
	bool moments_won;
	double sampled;	   /* steps */
	double steps;	   /* of all sequences */
	double too_short;  /* sequences without a window */
	tlv_hmm_rank rank; /* of the table of pairs */
	tlv_choice curve;  /* likelihood left out, by number of states */
	bool chosen;	   /* the number of states */
	unsigned constraints;
	tlv_diagnostics counters;
	tlv_name_table names; /* of symbols */
	double number_gain;	  /* of integers that are symbols; at most 0: they are no numbers */
} hmm_learning;

static unsigned
hmm_constraints(const tlv_hmm_learn_options *options)
{
	return (options->left_right ? TLV_HMM_LEFT_RIGHT : 0) |
		   (options->transitions != NULL ? TLV_HMM_FIXED_TRANSITIONS : 0) |
		   (options->emissions != NULL ? TLV_HMM_FIXED_EMISSIONS : 0);
}

/* Evaluations of the likelihood, at most. */
static int
hmm_step_limit(const hmm_learning *fit)
{
	if (fit->options.refine > TLV_HMM_REFINE_EM)
		return 0;
	return fit->options.iterations < 0 ? TLV_HMM_MAX_STEPS : fit->options.iterations;
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
warn_of_parameters(tlv_context *ctx, const hmm_learning *fit, const tlv_hmm_parts *parts,
				   tlv_diagnostics *diagnostics)
{
	double parameters = free_parameters(parts);
	double steps = fit->steps;

	if (parts->k > 1 && fit->constraints == 0 && steps > 0 && parameters > steps)
		return tlv_warn(
			ctx, diagnostics,
			&(tlv_warning){
				.code = "many_parameters",
				.score = parameters / steps,
				.hint = "Give longer sequences, fewer states, or symbols that stand for several."},
			"there are %.0f free parameters and no more than %.0f %s: they fit these sequences "
			"alone",
			parameters, steps, tlv_plural(steps, "step", "steps"));
	if (fit->options.iterations >= 0 || parts->k < 2 || fit->constraints != 0 ||
		parameters < FEW_STEPS * steps || fit->ascent.taken < MANY_ASCENTS)
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "many_parameters",
								   .score = parameters / steps,
								   .hint = "Compare the likelihood of other sequences with "
										   "iterations => 50, or with fewer states."},
					"there are %.0f free parameters and %.0f steps: the last of %d Baum-Welch "
					"iterations fit these sequences alone",
					parameters, steps, fit->ascent.taken);
}

/* Of sequences that moments cannot use, unless the model has that warning from its moments. */
static tlv_status
warn_of_short(tlv_context *ctx, const hmm_learning *fit, const tlv_frame *model,
			  tlv_diagnostics *diagnostics)
{
	tlv_warnings_walk walk = tlv_warnings_of(model);

	while (tlv_warnings_next(&walk))
		if (strcmp(walk.warning.code, "rows_skipped") == 0)
			return TLV_OK;
	return tlv_hmm_warn_short(ctx, fit->too_short, diagnostics);
}

/* Of a chosen k the curve decides, where there is one; of a given k the test. */
static bool
has_no_states(const hmm_learning *fit)
{
	if (fit->chosen)
		return fit->options.fit.k == 1 && fit->curve.n > 0;
	return fit->options.fit.k > 1 && fit->rank.p_value > TLV_SIGNIFICANCE;
}

static tlv_status
warn_of_fit(tlv_context *ctx, const hmm_learning *fit, const tlv_hmm_parts *parts,
			tlv_diagnostics *diagnostics)
{
	const tlv_hmm_ascent *ascent = &fit->ascent;

	/* A chosen k above what the moments identify began elsewhere: nobody asked for it. */
	if (fit->failed.code != TLV_OK && !(fit->chosen && fit->failed.code == TLV_BAD_PARAMETER))
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "not_identified",
										.score = (double) fit->options.fit.k,
										.hint = "Compare models of other seeds by likelihood: this "
												"one is the best of several initialisations."},
						 "%s", fit->failed.message));
	if (has_no_states(fit))
		TLV_TRY(tlv_warn(
			ctx, diagnostics,
			&(tlv_warning){.code = "no_structure",
						   .score = fit->rank.p_value,
						   .hint = fit->chosen ? "Use a model of single steps."
											   : "Use one state, or a model of single steps."},
			fit->rank.p_value > TLV_SIGNIFICANCE
				? "neighbouring steps do not depend on each other: there are no states to "
				  "distinguish"
				: "one state predicts sequences that were left out as well as more states do"));
	else if (fit->chosen && fit->curve.n == 0)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "k_untested", .score = 1, .hint = "Give k."},
						 "there are too few steps to hold some of them out: the number of states "
						 "is not tested, and the model has one"));
	if (fit->chosen && fit->options.fit.k > 1 && fit->options.fit.k == fit->options.max_k)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "k_at_limit",
										.score = (double) fit->options.fit.k,
										.hint = "Increase max_k, or give k."},
						 "k is the largest that was tried, max_k = %zu", fit->options.max_k));
	if (fit->number_gain > 0)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "symbols_are_numbers", .score = fit->number_gain},
						 "%zu integers are symbols here, but a normal distribution of them as "
						 "numbers describes the steps better than their frequencies do",
						 parts->d));
	if (fit->asked > 0)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "fewer_components",
										.score = (double) fit->asked,
										.hint = "Give more steps, or omit k."},
						 "the model has %zu %s instead of %zu: there are no more steps", parts->k,
						 tlv_plural((double) parts->k, "state", "states"), fit->asked));
	TLV_TRY(warn_of_parameters(ctx, fit, parts, diagnostics));
	if (hmm_step_limit(fit) > 0 && !ascent->plain && !ascent->stands)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = ascent->growth,
										.hint = "Increase iterations."},
						 "Baum-Welch stopped at its limit of %d %s while the "
						 "log-likelihood per step of time still increased",
						 ascent->taken,
						 tlv_plural((double) ascent->taken, "iteration", "iterations")));
	return TLV_OK;
}

/* The model with its states in the order of their shares; what the search tells goes along. */
static tlv_status
renumber(tlv_context *ctx, const hmm_learning *fit, const tlv_frame *model, void **image,
		 size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_hmm_parts parts;

	tlv_hmm_read(model, &parts);
	if (tlv_diagnostics_find(model, "sequences", -1) < 0)
		TLV_TRY(fit->model.image != NULL
					? tlv_diagnostics_copy_numbers(ctx, &diagnostics, &fit->model.frame, NULL)
					: tlv_diagnostics_append(ctx, &diagnostics, &fit->counters));
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, model, NULL));
	if (fit->starts > 0)
	{
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, fit->starts, "starts"));
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, fit->moments_won, "start_moments"));
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, fit->sampled, "sampled_steps"));
	}
	if (fit->chosen)
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) parts.k, "k_chosen"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, fit->rank.p_value, "independence_p_value"));
	if (fit->rank.k > 0)
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) fit->rank.k, "pair_rank"));
	if (fit->chosen)
		TLV_TRY(tlv_hmm_tell_rank(ctx, &fit->rank, &diagnostics));
	TLV_TRY(tlv_choice_tell(ctx, &fit->curve, &diagnostics));
	TLV_TRY(warn_of_short(ctx, fit, model, &diagnostics));
	TLV_TRY(warn_of_fit(ctx, fit, &parts, &diagnostics));
	if (parts.items != NULL)
		TLV_TRY(tlv_hmm_name_items(ctx, &fit->names, parts.d, parts.items, &parts.names));
	parts.diagnostics = &diagnostics;
	return tlv_hmm_write(ctx, &parts, image, size);
}

static tlv_status
hmm_finish(tlv_context *ctx, const tlv_source *sequences, hmm_learning *fit, tlv_held *model,
		   tlv_held *finished)
{
	tlv_held renumbered = {0};
	tlv_making made;

	TLV_TRY(TLV_MAKE(ctx, &made, &renumbered,
					 renumber(ctx, fit, &model->frame, &made.image, &made.size)));
	return tlv_source_finish_after(ctx, sequences, &renumbered.frame, &(tlv_diagnostics){0},
								   finished);
}

/* ---- the starts ---- */

/* The sequences of the sample; those without steps are not among them. */
static tlv_status
hmm_open_sample(tlv_context *ctx, const tlv_frame *sample, tlv_hmm_data *data, bool *complete)
{
	TLV_TRY(tlv_sequence_sample_rows(ctx, sample, SAMPLE_SEQUENCES, &data->n, &data->rows));
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
	tlv_fail(ctx, TLV_NO_ROWS, "the query returns no sequence with a step");
	tlv_fail_detail(ctx, "%.0f %s empty.", tlv_frame_scalar(moments, "short", 0),
					tlv_plural((double) (tlv_frame_scalar(moments, "short", 0)), "sequence is",
							   "sequences are"));
	return TLV_NO_ROWS;
}

/* Where the climb begins: the best of all starts, or the moments' where so many steps are asked. */
static tlv_status
choose_start(tlv_context *ctx, hmm_learning *fit, tlv_hmm_search *search, tlv_held *best)
{
	size_t k = fit->options.fit.k;

	search->start.k = k;
	if (fit->model.image != NULL && (fit->options.iterations >= 0 || k == 1))
	{
		*best = fit->model;
		memset(&fit->model, 0, sizeof(fit->model));
		return TLV_OK;
	}
	TLV_TRY(tlv_hmm_search_start(ctx, search, fit->model.image != NULL ? &fit->model.frame : NULL,
								 best));
	fit->starts = search->starts;
	fit->moments_won = search->moments_won;
	fit->sampled = search->data->steps;
	return TLV_OK;
}

/* How many states there are, and whether there are any, is chosen by held-out sequences; the test
 * of dependence is evidence beside it. */
static tlv_status
choose_states(tlv_context *ctx, hmm_learning *fit, tlv_hmm_search *search)
{
	size_t *k = &fit->options.fit.k;

	TLV_TRY(tlv_hmm_dependence(ctx, search->data, search->m, search->items, &fit->rank));
	if (*k > 0)
		return TLV_OK;
	fit->chosen = true;
	*k = 1;
	if (fit->options.max_k == 1)
		return TLV_OK;
	return tlv_hmm_choose(ctx, search, fit->options.max_k, &fit->curve, k);
}

/* The moments' model; a failure that other starts may mend is kept for the warning. */
static tlv_status
fit_moments(tlv_context *ctx, hmm_learning *fit, const tlv_frame *moments)
{
	tlv_making made;
	tlv_status status;

	fit->steps = tlv_frame_scalar(moments, "steps", 0);
	for (size_t i = 0; i < TLV_HMM_COUNTERS; i++)
		TLV_TRY(tlv_diagnose(ctx, &fit->counters, tlv_frame_scalar(moments, tlv_hmm_counters[i], 0),
							 "%s", tlv_hmm_counters[i]));
	if (fit->constraints != 0)
		return TLV_OK;
	status = TLV_MAKE(ctx, &made, &fit->model,
					  tlv_hmm_fit(ctx, moments, &fit->options.fit, &made.image, &made.size));
	if (status != TLV_NOT_IDENTIFIABLE && status != TLV_BAD_DATA && status != TLV_BAD_PARAMETER)
		return status;
	fit->failed = ctx->error;
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
check_given(tlv_context *ctx, const hmm_learning *fit, const tlv_hmm_search *search)
{
	const tlv_hmm_learn_options *options = &fit->options;
	size_t width = search->m > 0 ? search->m : search->data->rows[0].part[0].d;

	if (options->emissions == NULL)
		return TLV_OK;
	if (options->given_width == width)
		return search->m == 0
				   ? TLV_OK
				   : check_rows(ctx, "emissions", options->given_states, width, options->emissions);
	tlv_fail(ctx, TLV_BAD_PARAMETER, "the given emissions have %zu %s, the data %zu %s",
			 options->given_width, tlv_plural((double) options->given_width, "column", "columns"),
			 width, search->m > 0 ? "symbols" : "dimensions");
	return tlv_fail_hint(ctx, search->m > 0 ? "Give a column for every symbol, in their order."
											: "Give one number for every dimension.");
}

typedef struct named_column
{
	tlv_text name;
	size_t symbol; /* its number */
} named_column;

static int
compare_named_columns(const void *a, const void *b, const void *argument)
{
	const tlv_text *x = &((const named_column *) a)->name, *y = &((const named_column *) b)->name;
	size_t common = tlv_least(x->length, y->length); /* 0 of the empty text, which has no bytes */
	int order = common > 0 ? memcmp(x->bytes, y->bytes, common) : 0;

	return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

/* Given emissions have a column for every symbol in the order of its text; those of a model are in
 * the order of the numbers that stand for the texts. */
static tlv_status
order_given(tlv_context *ctx, const hmm_learning *fit, tlv_hmm_search *search)
{
	size_t m = search->m, k = fit->options.given_states;
	named_column *columns;
	double *ordered;

	if (fit->options.emissions == NULL || fit->names.n == 0 || m == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, columns, m);
	TLV_TRY_NEW(ctx, ordered, k * m);
	for (size_t i = 0; i < m; i++)
		columns[i] = (named_column){tlv_name_table_find(&fit->names, search->items[i]), i};
	TLV_TRY(tlv_merge_sort(ctx, m, sizeof(named_column), columns, compare_named_columns, NULL));
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < k; j++)
			ordered[j * m + columns[i].symbol] = fit->options.emissions[j * m + i];
	search->start.emissions = ordered;
	tlv_free(ctx, columns);
	return TLV_OK;
}

static bool
dimension_has_value(const tlv_hmm_data *data, size_t dimension)
{
	for (size_t i = 0; i < data->n; i++)
	{
		const tlv_part *part = &data->rows[i].part[0];

		for (size_t t = 0; t < part->n; t++)
			if (part->missing == NULL || !part->missing[t * part->d + dimension])
				return true;
	}
	return false;
}

/* A dimension that is null throughout has no mean: data hold all sequences. */
static tlv_status
require_dimensions(tlv_context *ctx, const hmm_learning *fit, const tlv_hmm_data *data)
{
	size_t d = data->rows[0].part[0].d;
	char shown[TLV_SHOWN_NAME];

	for (size_t j = 0; data->rows[0].form == TLV_ROW_SEQUENCE && j < d; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (dimension_has_value(data, j))
			continue;
		if (d == 1)
			return tlv_fail(ctx, TLV_NO_ROWS, "the number is null in every step");
		tlv_fail(ctx, TLV_NO_ROWS, "number %s is null in every step",
				 tlv_names_show(fit->options.fit.names, j, shown));
		return tlv_fail_hint(ctx, "Leave it out, or fill what is missing.");
	}
	return TLV_OK;
}

/* No more states than there are steps, unless some are given. */
static void
lower_states(hmm_learning *fit, const tlv_hmm_data *data)
{
	if (fit->constraints != 0 || (double) fit->options.fit.k <= data->steps)
		return;
	fit->asked = fit->options.fit.k;
	fit->options.fit.k = (size_t) data->steps;
}

/*
 * Climbs over the sample until the likelihood converges.  A climb over all rows begins where that
 * one ends: the scans of a slow climb would cost more than all else, and the many roundings of sums
 * of parts would add up.
 */
static tlv_status
climb_sample(tlv_context *ctx, hmm_learning *fit, const tlv_hmm_data *data, bool complete,
			 tlv_held *best)
{
	bool plain = fit->options.iterations >= 0;

	fit->ascent = (tlv_hmm_ascent){.current = *best, .plain = plain, .limit = hmm_step_limit(fit)};
	return complete || !plain ? tlv_hmm_climb(ctx, data, NULL, &fit->ascent) : TLV_OK;
}

/* Initialises the climb from the sample, and climbs over it; *complete: it holds all sequences. */
static tlv_status
learn_sample(tlv_context *ctx, hmm_learning *fit, const tlv_frame *moments, const tlv_frame *sample,
			 bool *complete)
{
	tlv_hmm_data data;
	tlv_hmm_search search = {.data = &data,
							 .start = {.covariance = fit->options.fit.covariance,
									   .seed = fit->options.fit.seed,
									   .constraints = fit->constraints,
									   .transitions = fit->options.transitions,
									   .emissions = fit->options.emissions}};
	tlv_held best = {0};
	int64_t *items;

	TLV_TRY(hmm_open_sample(ctx, sample, &data, complete));
	if (data.n == 0)
		return refuse_empty(ctx, moments);
	if (*complete)
		TLV_TRY(require_dimensions(ctx, fit, &data));
	TLV_TRY(list_symbols(ctx, moments, &data, &search.m, &items));
	search.items = items;
	if (search.m > 0 && fit->names.n == 0)
		TLV_TRY(tlv_hmm_number_gain(ctx, &data, search.m, items, &fit->number_gain));
	if (data.rows[0].form == TLV_ROW_SYMBOLS && search.m == 0)
		return tlv_fail(ctx, TLV_NO_ROWS, "all symbols are missing");
	TLV_TRY(check_given(ctx, fit, &search));
	TLV_TRY(order_given(ctx, fit, &search));
	lower_states(fit, &data);
	TLV_TRY(choose_states(ctx, fit, &search));
	if (fit->chosen)
		TLV_TRY(fit_moments(ctx, fit, moments));
	TLV_TRY(choose_start(ctx, fit, &search, &best));
	TLV_TRY(climb_sample(ctx, fit, &data, *complete, &best));
	tlv_free(ctx, data.rows);
	return TLV_OK;
}

/* ---- moments, and the sample ---- */

static tlv_statistic
sample_statistic(const hmm_learning *fit)
{
	return (tlv_statistic){.aggregate = &tlv_aggregate_sequence_sample,
						   .count = SAMPLE_NUMBERS,
						   .seed = TLV_CHOICE_SEED};
}

/* The moments; and the sample in the same scan where it is certain to be needed, else NULL. */
static tlv_status
hmm_collect_moments(tlv_context *ctx, tlv_source *sequences, hmm_learning *fit,
					tlv_value *values[2])
{
	int limit = hmm_step_limit(fit);
	bool sample = limit > 0 || fit->options.fit.k == 0 || fit->constraints != 0;
	const tlv_statistic statistics[2] = {{.aggregate = &tlv_aggregate_sequence_moments},
										 sample_statistic(fit)};

	values[1] = NULL;
	TLV_TRY(tlv_collect(ctx, sequences, "moments", 2 + limit, 1 + sample, statistics, values));
	if (values[0] == NULL || tlv_frame_scalar(&values[0]->frame, "short", 0) == 0)
		TLV_TRY(tlv_require_rows(ctx, values[0], "sequences"));
	if (values[0] != NULL)
		fit->too_short = tlv_frame_scalar(&values[0]->frame, "short", 0);
	TLV_TRY(tlv_hmm_check_covariance(ctx, &values[0]->frame, fit->options.fit.covariance));
	fit->options.fit.names = tlv_source_rows(sequences)->rows.names;
	return tlv_name_table_add_frame(ctx, &fit->names, &values[0]->frame);
}

static tlv_status
hmm_collect_sample(tlv_context *ctx, tlv_source *sequences, const hmm_learning *fit,
				   tlv_value **sample)
{
	const tlv_statistic statistic = sample_statistic(fit);

	if (*sample != NULL)
		return TLV_OK;
	return tlv_collect_again(ctx, sequences, "sample", 1 + hmm_step_limit(fit), &statistic, sample);
}

/* ---- the whole ---- */

static void
hmm_begin(const tlv_hmm_learn_options *options, hmm_learning *fit)
{
	*fit = (hmm_learning){.options = *options, .rank.p_value = NAN};
	fit->constraints = hmm_constraints(options);
	fit->options.fit.start = hmm_step_limit(fit) > 0;
	if (options->refine == TLV_HMM_REFINE_NONE)
		fit->options.fit.iterations = 0;
	else
		fit->options.fit.iterations = fit->options.fit.start ? TLV_MOST_PASSES : -1;
}

static tlv_status
hmm_learn(tlv_context *ctx, tlv_source *sequences, const void *options, tlv_held *model)
{
	tlv_value *values[2];
	hmm_learning fit;
	bool complete;

	hmm_begin(options, &fit);
	TLV_TRY(hmm_collect_moments(ctx, sequences, &fit, values));
	if (fit.options.fit.k > 0)
		TLV_TRY(fit_moments(ctx, &fit, &values[0]->frame));
	if (fit.model.image != NULL && hmm_step_limit(&fit) == 0)
		return hmm_finish(ctx, sequences, &fit, &fit.model, model);
	TLV_TRY(hmm_collect_sample(ctx, sequences, &fit, &values[1]));
	TLV_TRY(learn_sample(ctx, &fit, &values[0]->frame, &values[1]->frame, &complete));
	tlv_value_drop(values[0]);
	tlv_value_drop(values[1]);
	if (!complete && hmm_step_limit(&fit) > 0)
		TLV_TRY(tlv_hmm_climb(ctx, NULL, sequences, &fit.ascent));
	return hmm_finish(ctx, sequences, &fit, &fit.ascent.current, model);
}

const char *const tlv_hmm_refinement_names[] = {"auto", "em", "windows", "none", NULL};

/* What is given says how many states there are. */
static tlv_status
hmm_check(tlv_context *ctx, const void *argument)
{
	const tlv_hmm_learn_options *options = argument;
	size_t k = options->given_states;

	if ((options->transitions != NULL || options->emissions != NULL) && options->fit.k != k)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu, but %zu %s given", options->fit.k, k,
				 tlv_plural((double) k, "state is", "states are"));
		return tlv_fail_hint(ctx, "Leave k out, or give k => %zu.", k);
	}
	if (options->transitions != NULL)
		TLV_TRY(check_rows(ctx, "transitions", k, k, options->transitions));
	return TLV_OK;
}

/* States that are given are in every model: their support is not to be found. */
static const tlv_procedure free_procedure = {
	.check = hmm_check, .learn = hmm_learn, .support = &tlv_hmm_support};
static const tlv_procedure constrained_procedure = {.check = hmm_check, .learn = hmm_learn};

const tlv_procedure *
tlv_hmm_procedure(const tlv_hmm_learn_options *options)
{
	return hmm_constraints(options) != 0 ? &constrained_procedure : &free_procedure;
}
