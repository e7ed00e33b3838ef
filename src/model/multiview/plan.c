/*
 * plan.c - a mixture of three views from rows: moments, the fit, for vectors expectation
 * maximisation over the rows until the likelihood stands.
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/model/plan.h"

/* Passes of refinement at most, when their number is left to us. */
#define MOST_STEPS 100
/* Refinement that moves means by more, in standard deviations, fits another model. */
#define MOST_SHIFT 0.2
/* The likelihood stands when the mean over the rows rises by less, of itself and 1. */
#define TOLERANCE 1e-6

typedef struct view_plan
{
	tlv_plan base;
	tlv_multiview_plan_options options;
	bool vectors;
	bool refined;
	tlv_held fitted;   /* by the moments */
	tlv_held model;	   /* after the steps; empty before the first */
	int taken;		   /* steps over the rows */
	double likelihood; /* mean over the rows, under the last model; NaN: not known */
	bool stands;
	tlv_fewer fewer;
	double shift; /* of the means of vectors by refinement, standard deviations */
} view_plan;

static int
view_step_limit(const view_plan *plan)
{
	if (!plan->refined || !plan->vectors)
		return 0;
	return plan->options.iterations < 0 ? MOST_STEPS : plan->options.iterations;
}

static tlv_held *
latest_model(view_plan *plan)
{
	return plan->model.image != NULL ? &plan->model : &plan->fitted;
}

/* ---- the model with what only the plan knows ---- */

/*
 * Copies what is no warning, where the model was refined: warnings of a start do not hold for what
 * came of it.  What EM on counts has said of the likelihood is taken note of.
 */
static tlv_status
copy_diagnostics(tlv_context *ctx, view_plan *plan, const tlv_frame *model,
				 tlv_diagnostics *diagnostics)
{
	plan->likelihood = tlv_diagnostics_find(model, "mean_log_likelihood", plan->likelihood);
	plan->stands = tlv_diagnostics_find(model, "count_stands", plan->stands) > 0;
	return (plan->refined ? tlv_diagnostics_copy_numbers : tlv_diagnostics_copy)(ctx, diagnostics,
																				 model, NULL);
}

/* Does one of a component's variances lie at its floor? */
static bool
is_at_floor(const tlv_multiview_parts *parts, size_t component)
{
	for (int t = 0; t < 3; t++)
		for (size_t i = 0; i < parts->d[t]; i++)
			if (parts->variances[t][component * parts->d[t] + i] <= parts->floors[t][i])
				return true;
	return false;
}

/* Components at their floors, or without rows; a likelihood that still rises. */
static tlv_status
add_warnings(tlv_context *ctx, const view_plan *plan, const tlv_multiview_parts *parts,
			 tlv_diagnostics *diagnostics)
{
	size_t low = 0;

	for (size_t j = 0; j < parts->k; j++)
		low += plan->vectors && is_at_floor(parts, j);
	if (plan->refined) /* else it is there */
	{
		const tlv_frame *fitted = &plan->fitted.frame;

		TLV_TRY(tlv_multiview_warn_random(ctx, tlv_diagnostics_find(fitted, "random_starts", 0),
										  parts->k, diagnostics));
		TLV_TRY(tlv_multiview_warn_rank(
			ctx, tlv_diagnostics_find(fitted, "independence_p_value", NAN), diagnostics));
	}
	if (plan->shift > MOST_SHIFT)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "means_moved", .score = plan->shift},
						 "refinement moved means by up to %.3g standard deviations: the moments "
						 "are uncertain, or the columns of a view are not independent Gaussians "
						 "given the component",
						 plan->shift));
	if (low > 0)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "variances_at_floor", .score = (double) low},
						 "the variances of %zu of %zu components are at their floor, a millionth "
						 "of the variance of the data: columns are constant, or rows are equal",
						 (size_t) low, (size_t) parts->k));
	TLV_TRY(tlv_mixture_warn_empty(ctx, diagnostics, parts->k, parts->weights, parts->rows));
	if (plan->refined && plan->vectors && plan->options.iterations < 0 && !plan->stands)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit", .score = MOST_STEPS},
						 "the log-likelihood still increases after %d iterations", MOST_STEPS));
	return TLV_OK;
}

static tlv_status
add_criteria(tlv_context *ctx, const view_plan *plan, const tlv_multiview_parts *parts,
			 tlv_diagnostics *diagnostics)
{
	double parameters = tlv_multiview_parameters(parts);
	double deviance = -2 * parts->rows * plan->likelihood;

	if (plan->vectors)
	{
		TLV_TRY(tlv_diagnose(ctx, diagnostics, plan->likelihood, "mean_log_likelihood"));
		TLV_TRY(tlv_diagnose(ctx, diagnostics, plan->shift, "refinement_shift"));
	}
	TLV_TRY(tlv_diagnose(ctx, diagnostics, parameters, "parameters"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, parameters * log(parts->rows) + deviance, "bic"));
	return tlv_diagnose(ctx, diagnostics, 2 * parameters + deviance, "aic");
}

static tlv_status
view_finish_model(tlv_context *ctx, view_plan *plan)
{
	const tlv_frame *model = &latest_model(plan)->frame;
	tlv_diagnostics diagnostics = {0};
	tlv_multiview_parts parts;

	tlv_multiview_read(model, &parts);
	TLV_TRY(copy_diagnostics(ctx, plan, model, &diagnostics));
	TLV_TRY(tlv_plan_warn_fewer(ctx, &plan->fewer, &diagnostics));
	if (plan->refined && isfinite(plan->likelihood))
		TLV_TRY(add_criteria(ctx, plan, &parts, &diagnostics));
	TLV_TRY(add_warnings(ctx, plan, &parts, &diagnostics));
	return tlv_plan_finish_with(ctx, &plan->base, model, &diagnostics, 0, NULL);
}

/* ---- refinement ---- */

/*
 * How far the means have moved: of the components, the largest distance over the standard deviation
 * of all coordinates together.
 */
static tlv_status
measure_shift(tlv_context *ctx, view_plan *plan)
{
	tlv_multiview_parts fitted, refined;
	int64_t *assignment;
	double *error;

	tlv_multiview_read(&plan->fitted.frame, &fitted);
	tlv_multiview_read(&latest_model(plan)->frame, &refined);
	TLV_TRY_NEW(ctx, assignment, refined.k);
	TLV_TRY_NEW(ctx, error, refined.k);
	TLV_TRY(tlv_multiview_match(ctx, &refined, &fitted, assignment, error));
	for (size_t j = 0; j < refined.k; j++)
	{
		double variance = 0;

		for (int t = 0; t < 3; t++)
			for (size_t i = 0; i < refined.d[t]; i++)
				variance += refined.variances[t][j * refined.d[t] + i];
		plan->shift = fmax(plan->shift, error[j] / sqrt(variance));
	}
	tlv_free(ctx, error);
	tlv_free(ctx, assignment);
	return TLV_OK;
}

static tlv_status view_refine(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass);

static void
view_ask_statistics(view_plan *plan, tlv_pass *pass)
{
	tlv_plan_ask(&plan->base, pass, "expectation maximisation", &tlv_aggregate_statistics,
				 view_refine)
		->constant = &latest_model(plan)->frame;
	pass->passes_left = view_step_limit(plan) - plan->taken + 1;
}

/*
 * The model after one more step, from the sums over the rows under it; the fit itself is kept,
 * which the refined model is compared with.
 */
static tlv_status
take_step(tlv_context *ctx, view_plan *plan, const tlv_frame *statistics)
{
	tlv_making made;

	if (plan->model.image != NULL)
		return tlv_plan_refine(ctx, &plan->model, statistics);
	tlv_plan_make(ctx, &made);
	return tlv_plan_made(ctx, &made, &plan->model,
						 tlv_multiview_update(ctx, &plan->fitted.frame, statistics, &tlv_whole_step,
											  &made.image, &made.size));
}

/*
 * Expectation maximisation over rows of vectors, a pass a step; one more pass tells the
 * likelihood at the end.
 */
static tlv_status
view_refine(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	view_plan *plan = (view_plan *) base;
	double before = plan->likelihood;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	plan->likelihood = tlv_plan_mean_likelihood(&values[0]->frame, "rows");
	plan->stands = plan->taken > 0 && plan->likelihood - before < TOLERANCE * (fabs(before) + 1);
	if (plan->taken >= view_step_limit(plan) || (plan->options.iterations < 0 && plan->stands))
	{
		TLV_TRY(measure_shift(ctx, plan));
		return view_finish_model(ctx, plan);
	}
	TLV_TRY(take_step(ctx, plan, &values[0]->frame));
	plan->taken++;
	view_ask_statistics(plan, pass);
	return TLV_OK;
}

/* ---- moments and fit ---- */

static tlv_status
fit_views(tlv_context *ctx, tlv_plan *base, const tlv_frame *moments, size_t k)
{
	view_plan *plan = (view_plan *) base;
	tlv_making made;

	plan->options.fit.k = k;
	tlv_plan_make(ctx, &made);
	return tlv_plan_made(
		ctx, &made, &plan->fitted,
		tlv_multiview_fit(ctx, moments, &plan->options.fit, &made.image, &made.size));
}

static tlv_status
multiview_plan_fit(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	view_plan *plan = (view_plan *) base;

	TLV_TRY(tlv_plan_require_rows(ctx, values[0], "rows"));
	TLV_TRY(tlv_plan_fit_fewer(ctx, base, &values[0]->frame, plan->options.fit.k, fit_views,
							   &plan->fewer));
	if (!plan->refined || !plan->vectors)
		return view_finish_model(ctx, plan);
	view_ask_statistics(plan, pass);
	return TLV_OK;
}

/* What the rows are is known here at the earliest: categories are refined unless it was declined,
 * vectors when it was asked for. */
static tlv_status
ask_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	view_plan *plan = (view_plan *) base;
	int steps = plan->options.iterations;

	plan->vectors = base->rows.form == TLV_ROW_VIEWS;
	plan->refined = plan->options.refine == TLV_MULTIVIEW_REFINE_EM ||
					(plan->options.refine == TLV_MULTIVIEW_REFINE_AUTO && !plan->vectors);
	plan->options.fit.iterations = plan->refined ? steps : 0;
	tlv_plan_ask(base, pass, "moments",
				 plan->vectors ? &tlv_aggregate_view_moments : &tlv_aggregate_category_views,
				 multiview_plan_fit);
	pass->passes_left = plan->refined && plan->vectors ? 2 + view_step_limit(plan) : 1;
	return TLV_OK;
}

const char *const tlv_multiview_refinement_names[] = {"auto", "em", "none", NULL};

tlv_status
tlv_multiview_learn_part(tlv_context *ctx, const void *fit, const tlv_frame *model, size_t n,
						 const tlv_row *rows, uint64_t seed, void **image, size_t *size)
{
	tlv_multiview_plan_options options = ((const view_plan *) fit)->options;
	tlv_plan *part;

	options.fit.k = tlv_model_components(model);
	options.fit.seed = seed;
	TLV_TRY(tlv_multiview_plan_create(ctx, &options, &part));
	part->rows.form = ((const tlv_plan *) fit)->rows.form;
	TLV_TRY(tlv_plan_run(ctx, part, n, rows));
	*image = part->image;
	*size = part->size;
	return TLV_OK;
}

static const tlv_plan_class multiview_plan_class = {
	.name = "tlv_multiview", .next = ask_moments, .support = &tlv_multiview_support};

tlv_status
tlv_multiview_plan_create(tlv_context *ctx, const tlv_multiview_plan_options *options,
						  tlv_plan **created)
{
	view_plan *plan = tlv_alloc0(ctx, 1, sizeof(view_plan));

	TLV_TRY_ALLOC(ctx, plan);
	plan->base.class = &multiview_plan_class;
	plan->options = *options;
	plan->likelihood = NAN;
	*created = &plan->base;
	return TLV_OK;
}
