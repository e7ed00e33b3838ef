/*
 * learn.c - the whole of learning a mixture of three views (multiview.h): moments, the fit, for
 * vectors expectation maximisation over the rows until the likelihood converges.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/support.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/num/tuning.h"

typedef struct view_learning
{
	tlv_multiview_learn_options options;
	bool vectors;
	bool refined;
	tlv_held fitted;   /* by the moments */
	tlv_held model;	   /* after steps over the rows; empty without any */
	double likelihood; /* mean over the rows, under the last model; NaN: not known */
	bool stands;
	tlv_fewer fewer;
	double shift; /* of the means of vectors by refinement, standard deviations */
} view_learning;

static int
view_step_limit(const view_learning *fit)
{
	if (!fit->refined || !fit->vectors)
		return 0;
	return fit->options.iterations < 0 ? TLV_MOST_PASSES : fit->options.iterations;
}

static const tlv_held *
latest_model(const view_learning *fit)
{
	return fit->model.image != NULL ? &fit->model : &fit->fitted;
}

/* ---- moments and fit ---- */

const char *const tlv_multiview_refinement_names[] = {"auto", "em", "none", NULL};

/* What the rows are says what is done: categories are refined unless it was declined, vectors when
 * it was asked for. */
static view_learning
multiview_view_begin(const tlv_source *rows, const tlv_multiview_learn_options *options)
{
	bool vectors = rows->rows.form == TLV_ROW_VIEWS;
	view_learning fit = {.options = *options, .vectors = vectors, .likelihood = NAN};

	fit.refined = options->refine == TLV_MULTIVIEW_REFINE_EM ||
				  (options->refine == TLV_MULTIVIEW_REFINE_AUTO && !vectors);
	fit.options.fit.iterations = fit.refined ? options->iterations : 0;
	fit.options.fit.names = (rows->of != NULL ? rows->of : rows)->rows.names;
	return fit;
}

static tlv_status
fit_views(tlv_context *ctx, void *argument, const tlv_frame *moments, size_t k)
{
	view_learning *fit = argument;
	tlv_making made;

	fit->options.fit.k = k;
	return TLV_MAKE(ctx, &made, &fit->fitted,
					tlv_multiview_fit(ctx, moments, &fit->options.fit, &made.image, &made.size));
}

static tlv_status
multiview_fit_moments(tlv_context *ctx, tlv_source *rows, view_learning *fit)
{
	const tlv_aggregate *aggregate =
		fit->vectors ? &tlv_aggregate_view_moments : &tlv_aggregate_category_views;
	int passes_left = fit->refined && fit->vectors ? 2 + view_step_limit(fit) : 1;
	tlv_value *moments;

	TLV_TRY(tlv_collect_first(ctx, rows, "moments", passes_left,
							  &(tlv_statistic){.aggregate = aggregate}, "rows", &moments));
	TLV_TRY(tlv_fit_fewer(ctx, &moments->frame, fit->options.fit.k, fit_views, fit, &fit->fewer));
	tlv_value_drop(moments);
	return TLV_OK;
}

/* ---- refinement ---- */

/*
 * How far the means have moved: of the components, the largest distance over the standard deviation
 * of all coordinates together.
 */
static tlv_status
measure_shift(tlv_context *ctx, view_learning *fit)
{
	tlv_multiview_parts fitted, refined;
	int64_t *assignment;
	double *error;

	tlv_multiview_read(&fit->fitted.frame, &fitted);
	tlv_multiview_read(&latest_model(fit)->frame, &refined);
	TLV_TRY_NEW(ctx, assignment, refined.k);
	TLV_TRY_NEW(ctx, error, refined.k);
	TLV_TRY(tlv_multiview_match(ctx, &refined, &fitted, assignment, error));
	for (size_t j = 0; j < refined.k; j++)
	{
		double variance = 0;

		for (int t = 0; t < 3; t++)
			for (size_t i = 0; i < refined.d[t]; i++)
				variance += refined.variances[t][j * refined.d[t] + i];
		fit->shift = fmax(fit->shift, error[j] / sqrt(variance));
	}
	tlv_free(ctx, error);
	tlv_free(ctx, assignment);
	return TLV_OK;
}

/* Expectation maximisation over rows of vectors; the fit itself is kept, which the refined model is
 * compared with. */
static tlv_status
refine_vectors(tlv_context *ctx, tlv_source *rows, view_learning *fit)
{
	tlv_source_ascent ascent = {.source = rows,
								.model = &fit->model,
								.stage = "refinement",
								.em = {.limit = 1 + view_step_limit(fit),
									   .to_the_limit = fit->options.iterations >= 0,
									   .tolerance = TLV_MIXTURE_TOLERANCE,
									   .relative = TLV_MIXTURE_TOLERANCE}};
	tlv_making made;

	TLV_TRY(TLV_MAKE(ctx, &made, &fit->model,
					 tlv_frame_copy(ctx, &fit->fitted.frame, &made.image, &made.size)));
	TLV_TRY(tlv_source_ascend(ctx, &ascent));
	tlv_value_drop(ascent.sums);
	fit->likelihood = ascent.em.likelihood;
	fit->stands = ascent.em.stands;
	return measure_shift(ctx, fit);
}

/* ---- the end ---- */

/*
 * Copies what is no warning, where the model was refined: warnings of a start do not hold for what
 * came of it.  What EM on counts has said of the likelihood is taken note of.
 */
static tlv_status
copy_diagnostics(tlv_context *ctx, view_learning *fit, const tlv_frame *model,
				 tlv_diagnostics *diagnostics)
{
	fit->likelihood = tlv_diagnostics_find(model, "mean_log_likelihood", fit->likelihood);
	fit->stands = tlv_diagnostics_find(model, "count_stands", fit->stands) > 0;
	return (fit->refined ? tlv_diagnostics_copy_numbers : tlv_diagnostics_copy)(ctx, diagnostics,
																				model, NULL);
}

/* The name of a number of a view as SQL has it, "sizes"[2]; x1[2] where the columns of the query
 * have no names of their own. */
static void
show_number(const tlv_names *views, int t, size_t i, char shown[TLV_SHOWN_NAME])
{
	char name[TLV_SHOWN_NAME], other[TLV_SHOWN_NAME];
	bool own = views != NULL && tlv_names_show(views, (size_t) t, name)[0] == '"';

	for (int s = 0; own && s < 3; s++)
		own = s == t || strcmp(name, tlv_names_show(views, (size_t) s, other)) != 0;
	if (!own)
		snprintf(name, sizeof(name), "x%d", t + 1);
	(void) tlv_show_element(name, i, shown);
}

tlv_status
tlv_multiview_show_least(tlv_context *ctx, const tlv_frame *moments, const tlv_names *views,
						 const tlv_view_solution *solution, bool vectors,
						 char text[2 * TLV_SHOWN_NAME])
{
	int t = solution->least_view;
	size_t least = solution->least;
	const int64_t *told = tlv_frame_int64(moments, "told");
	tlv_name_table names = {0};
	char shown[TLV_SHOWN_NAME], view[TLV_SHOWN_NAME];
	tlv_text name = {NULL, 0};
	int64_t id;

	if (vectors)
	{
		show_number(views, t, least, text);
		return TLV_OK;
	}
	id = tlv_frame_int64(moments, tlv_multiview_items[t])[least];
	TLV_TRY(tlv_name_table_add_frame(ctx, &names, moments));
	if (told != NULL && told[t] == TLV_CATEGORIES_BY_NAME)
		name = tlv_name_table_find(&names, id);
	if (name.length > 0)
		(void) tlv_show_name(name, shown);
	else
		snprintf(shown, sizeof(shown), "%lld", (long long) id);
	snprintf(text, 2 * TLV_SHOWN_NAME, "category %.88s of view %.88s", shown,
			 tlv_names_show(views, (size_t) t, view));
	tlv_name_table_free(ctx, &names);
	return TLV_OK;
}

/* Is the variance of number i of view t at its floor in a component? */
static bool
multiview_is_at_floor(const tlv_multiview_parts *parts, size_t component, int t, size_t i)
{
	return parts->variances[t][component * parts->d[t] + i] <= parts->floors[t][i];
}

/* Lists the components that have variances at their floor, and the numbers of the views that have
 * them. */
static void
multiview_list_low(const tlv_multiview_parts *parts, const tlv_names *views,
				   tlv_shown_list *components, tlv_shown_list *numbers)
{
	char shown[TLV_SHOWN_NAME];

	for (size_t j = 0; j < parts->k; j++)
	{
		bool low = false;

		for (int t = 0; t < 3; t++)
			for (size_t i = 0; i < parts->d[t]; i++)
				low |= multiview_is_at_floor(parts, j, t, i);
		if (low)
			tlv_shown_add_number(components, j + 1);
	}
	for (int t = 0; t < 3; t++)
		for (size_t i = 0; i < parts->d[t]; i++)
		{
			bool low = false;

			for (size_t j = 0; j < parts->k; j++)
				low |= multiview_is_at_floor(parts, j, t, i);
			show_number(views, t, i, shown);
			if (low)
				tlv_shown_add(numbers, shown);
		}
}

static tlv_status
multiview_warn_of_floor(tlv_context *ctx, const tlv_multiview_parts *parts, const tlv_names *views,
						tlv_diagnostics *diagnostics)
{
	tlv_shown_list components = {0}, numbers = {0};

	multiview_list_low(parts, views, &components, &numbers);
	if (components.n == 0)
		return TLV_OK;
	return tlv_warn(
		ctx, diagnostics,
		&(tlv_warning){.code = "variances_at_floor", .score = (double) components.n},
		"the variances of %s are at their floor, a millionth of the variance of the data: %s %s "
		"constant, or rows are equal",
		tlv_shown_text(&components, "component"), tlv_shown_text(&numbers, NULL),
		tlv_shown_verb(&numbers));
}

/* Components at their floors, or without rows; a likelihood that still rises. */
static tlv_status
add_warnings(tlv_context *ctx, const view_learning *fit, const tlv_names *views,
			 const tlv_multiview_parts *parts, tlv_diagnostics *diagnostics)
{
	/* Refinement that moves means by more, in standard deviations, fits another model. */
	const double most_shift = 0.2;

	if (fit->refined) /* else it is there */
	{
		const tlv_frame *fitted = &fit->fitted.frame;

		TLV_TRY(tlv_multiview_warn_random(ctx, tlv_diagnostics_find(fitted, "random_starts", 0),
										  parts->k, diagnostics));
		TLV_TRY(tlv_multiview_warn_rank(
			ctx, tlv_diagnostics_find(fitted, "independence_p_value", NAN), diagnostics));
	}
	if (fit->shift > most_shift)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "means_moved", .score = fit->shift},
						 "refinement moved means by up to %.3g standard deviations: the moments "
						 "are uncertain, or the columns of a view are not independent Gaussians "
						 "given the component",
						 fit->shift));
	if (fit->vectors)
		TLV_TRY(multiview_warn_of_floor(ctx, parts, views, diagnostics));
	TLV_TRY(tlv_mixture_warn_empty(ctx, diagnostics, parts->k, parts->weights, parts->rows));
	if (fit->refined && fit->vectors && fit->options.iterations < 0 && !fit->stands)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit", .score = TLV_MOST_PASSES},
						 "the log-likelihood still increases after %d iterations",
						 TLV_MOST_PASSES));
	return TLV_OK;
}

static tlv_status
add_criteria(tlv_context *ctx, const view_learning *fit, const tlv_multiview_parts *parts,
			 tlv_diagnostics *diagnostics)
{
	double parameters = tlv_multiview_parameters(parts);
	double deviance = -2 * parts->rows * fit->likelihood;

	if (fit->vectors)
	{
		TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->likelihood, "mean_log_likelihood"));
		TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->shift, "refinement_shift"));
	}
	TLV_TRY(tlv_diagnose(ctx, diagnostics, parameters, "parameters"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, parameters * log(parts->rows) + deviance, "bic"));
	return tlv_diagnose(ctx, diagnostics, 2 * parameters + deviance, "aic");
}

static tlv_status
multiview_finish(tlv_context *ctx, const tlv_source *rows, view_learning *fit, tlv_held *finished)
{
	const tlv_frame *model = &latest_model(fit)->frame;
	tlv_diagnostics diagnostics = {0};
	tlv_multiview_parts parts;

	tlv_multiview_read(model, &parts);
	TLV_TRY(copy_diagnostics(ctx, fit, model, &diagnostics));
	TLV_TRY(tlv_warn_fewer(ctx, &fit->fewer, &diagnostics));
	if (fit->refined && isfinite(fit->likelihood))
		TLV_TRY(add_criteria(ctx, fit, &parts, &diagnostics));
	TLV_TRY(add_warnings(ctx, fit, (rows->of != NULL ? rows->of : rows)->rows.names, &parts,
						 &diagnostics));
	return tlv_source_finish(ctx, rows, model, &diagnostics, 0, NULL, finished);
}

static tlv_status
multiview_learn(tlv_context *ctx, tlv_source *rows, const void *options, tlv_held *model)
{
	view_learning fit = multiview_view_begin(rows, options);

	TLV_TRY(multiview_fit_moments(ctx, rows, &fit));
	if (fit.refined && fit.vectors)
		TLV_TRY(refine_vectors(ctx, rows, &fit));
	return multiview_finish(ctx, rows, &fit, model);
}

/* ---- support ---- */

static size_t
multiview_sample_count(const void *fit, const tlv_frame *model)
{
	tlv_multiview_parts parts;
	size_t d;

	(void) fit;
	tlv_multiview_read(model, &parts);
	d = is_categorical(&parts) ? TLV_SAMPLE_HALVES : parts.d[0] + parts.d[1] + parts.d[2];
	return tlv_least(TLV_SUPPORT_ROWS, TLV_SUPPORT_NUMBERS / d + 1);
}

static tlv_status
rows_of_ids(tlv_context *ctx, size_t n, const double *x, tlv_row *rows)
{
	int64_t *ids;

	TLV_TRY_NEW_ROWS(ctx, ids, n, 3);
	for (size_t i = 0; i < 3 * n; i++)
		ids[i] = tlv_sample_id(x + 2 * i);
	for (size_t i = 0; i < n; i++)
		rows[i] = *TLV_AS_CATEGORIES(ids + 3 * i);
	return TLV_OK;
}

static tlv_status
multiview_sample_rows(tlv_context *ctx, const tlv_frame *model, const tlv_frame *sample, size_t *n,
					  tlv_row **rows, bool *complete)
{
	tlv_multiview_parts parts;
	const size_t *d = parts.d;
	double *x;

	tlv_multiview_read(model, &parts);
	TLV_TRY(tlv_row_sample_rows(ctx, sample, n, &x));
	*complete = (double) *n >= tlv_frame_scalar(sample, "seen", 0);
	TLV_TRY_NEW(ctx, *rows, *n);
	if (is_categorical(&parts))
		return rows_of_ids(ctx, *n, x, *rows);
	for (size_t i = 0; i < *n; i++, x += d[0] + d[1] + d[2])
	{
		const double *views[3] = {x, x + d[0], x + d[0] + d[1]};

		(*rows)[i] = *TLV_AS_VIEWS(d, views);
	}
	return TLV_OK;
}

static tlv_status
multiview_learn_part(tlv_context *ctx, const void *fit, const tlv_frame *model, size_t n,
					 const tlv_row *rows, uint64_t seed, void **image, size_t *size)
{
	tlv_multiview_learn_options options = *(const tlv_multiview_learn_options *) fit;
	tlv_memory_source list;
	tlv_held part;

	options.fit.k = tlv_model_components(model);
	options.fit.seed = seed;
	tlv_source_of_list(&list, n, rows);
	list.source.rows.form = rows[0].form;
	TLV_TRY(tlv_learn(ctx, &tlv_multiview_procedure, &options, &list.source, false, &part));
	*image = part.image;
	*size = part.size;
	return TLV_OK;
}

static const tlv_support_class multiview_support = {
	"component",		   "spurious_component", &tlv_aggregate_row_sample, multiview_sample_count,
	multiview_sample_rows, multiview_learn_part};

const tlv_procedure tlv_multiview_procedure = {.learn = multiview_learn,
											   .support = &multiview_support};
