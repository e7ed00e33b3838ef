/*
 * plan.c - independent components as a plan (ica.h): moments, fit, refinement steps until they
 * settle.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/plan.h"

/* Steps when the number is left to us; they settle in three to ten. */
#define MOST_STEPS 100
/* Steps of a lesser ratio are those of a method that has come near, not of one that creeps. */
#define MOST_SHRINK 0.2
/* Where steps over the rows follow, the start need not be exact: far below what sampling turns. */
#define START_TOLERANCE 1e-5
/* Rows for every component, below which some direction has the fourth moment that is sought. */
#define ROWS_ENOUGH 10.0

typedef struct ica_plan
{
	tlv_plan base;
	tlv_ica_plan_options options;
	bool refine;
	bool likelihood; /* refinement */
	int steps;
	double changed;	   /* by the step before the last one */
	tlv_held subspace; /* of long vectors */
	size_t left_out;   /* directions of these that were not asked to be */
	tlv_fewer fewer;
	tlv_held model;
} ica_plan;

static ica_plan *
ica_plan_of(tlv_plan *plan)
{
	return (ica_plan *) plan;
}

/* ---- refinement and the end ---- */

/*
 * The last step was small, or the steps shrink so fast that all that are to come would be: what is
 * left of a geometric series.  Newton's steps shrink faster than that.
 */
static bool
ica_plan_settled(const ica_plan *plan)
{
	double last = tlv_frame_scalar(&plan->model.frame, "change", 1);
	double shrink = plan->changed > 0 ? last / plan->changed : 1;

	return tlv_ica_settled(&plan->model.frame) || (plan->steps > 1 && shrink < MOST_SHRINK &&
												   last * shrink / (1 - shrink) < TLV_ICA_SETTLED);
}

/* Of few rows chance alone makes directions that look as far from Gaussians as sources. */
static tlv_status
warn_of_few_rows(tlv_context *ctx, const tlv_frame *model, tlv_diagnostics *diagnostics)
{
	double rows = tlv_diagnostics_find(model, "rows", HUGE_VAL);
	double k = (double) tlv_frame_find(model, "mixing")->columns;

	if (k < 2 || rows >= ROWS_ENOUGH * k)
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "few_rows",
								   .score = rows / k,
								   .hint = "give more rows, or a smaller k"},
					"%.0f rows are few for %.0f components: chance makes such as well", rows, k);
}

static tlv_status
ica_finish(tlv_context *ctx, ica_plan *plan)
{
	const tlv_frame *model = &plan->model.frame;
	tlv_diagnostics diagnostics = {0};

	if (plan->refine && plan->options.iterations < 0 && !ica_plan_settled(plan))
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = tlv_frame_scalar(model, "change", 1)},
						 "the refinement did not settle in %d steps", MOST_STEPS));
	TLV_TRY(tlv_plan_warn_fewer(ctx, &plan->fewer, &diagnostics));
	TLV_TRY(warn_of_few_rows(ctx, model, &diagnostics));
	if (plan->left_out > 0)
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "directions_left_out",
										.score = (double) plan->left_out,
										.hint = "give the columns that belong together in fits of "
												"their own"},
						 "of more than %d dimensions there are too many fourth moments: components "
						 "are sought in so many leading directions, %zu are left out",
						 TLV_DENSE_MOST_4, plan->left_out));
	return tlv_plan_finish(ctx, &plan->base, model, &diagnostics, 0, NULL);
}

static tlv_status ica_take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values,
									  tlv_pass *pass);

static tlv_status
ica_refine_or_finish(tlv_context *ctx, ica_plan *plan, tlv_pass *pass)
{
	int limit = plan->options.iterations >= 0 ? plan->options.iterations : MOST_STEPS;
	tlv_statistic *statistic;

	if (!plan->refine || plan->steps == limit)
		return ica_finish(ctx, plan);
	/* The usual refinement is not named: a constant of text would keep servers from shipping it. */
	statistic = tlv_plan_ask(&plan->base, pass, "refinement", &tlv_aggregate_statistics,
							 ica_take_statistics);
	statistic->constant = &plan->model.frame;
	statistic->refine = plan->likelihood ? "likelihood" : NULL;
	pass->passes_left = limit - plan->steps;
	return TLV_OK;
}

static tlv_status
ica_take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	ica_plan *plan = ica_plan_of(base);

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	plan->changed = tlv_frame_scalar(&plan->model.frame, "change", 1);
	TLV_TRY(tlv_plan_refine(ctx, &plan->model, &values[0]->frame));
	plan->steps++;
	if (plan->options.iterations < 0 && ica_plan_settled(plan))
		return ica_finish(ctx, plan);
	return ica_refine_or_finish(ctx, plan, pass);
}

/* ---- moments and fit ---- */

static tlv_status
fit_components(tlv_context *ctx, tlv_plan *base, const tlv_frame *moments, size_t k)
{
	ica_plan *plan = ica_plan_of(base);
	tlv_making made;

	plan->options.fit.k = k;
	tlv_plan_make(ctx, &made);
	return tlv_plan_made(ctx, &made, &plan->model,
						 tlv_ica_fit(ctx, moments, &plan->options.fit, &made.image, &made.size));
}

static tlv_status
ica_take_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	ica_plan *plan = ica_plan_of(base);

	if (plan->subspace.image != NULL)
		TLV_TRY(tlv_plan_require(ctx, values[0]));
	TLV_TRY(tlv_plan_require_rows(ctx, values[0], "rows"));
	TLV_TRY(tlv_plan_fit_fewer(ctx, base, &values[0]->frame, plan->options.fit.k, fit_components,
							   &plan->fewer));
	return ica_refine_or_finish(ctx, plan, pass);
}

/* Above the limit of whole moments: those in the k leading directions, in a second pass. */
static size_t
directions_of(const ica_plan *plan)
{
	return plan->options.fit.k > 0 ? plan->options.fit.k : plan->options.fit.max_k;
}

static tlv_status
ica_take_covariance(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	ica_plan *plan = ica_plan_of(base);
	tlv_making made;

	TLV_TRY(tlv_plan_require_rows(ctx, values[0], "rows"));
	tlv_plan_make(ctx, &made);
	TLV_TRY(tlv_plan_made(
		ctx, &made, &plan->subspace,
		tlv_dense_subspace(ctx, &values[0]->frame, directions_of(plan), &made.image, &made.size)));
	tlv_plan_ask(&plan->base, pass, "moments", &tlv_aggregate_dense_moments, ica_take_moments)
		->constant = &plan->subspace.frame;
	return TLV_OK;
}

static tlv_status
ica_begin(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	ica_plan *plan = ica_plan_of(base);
	size_t d = base->rows.width[0];

	if (d <= TLV_DENSE_MOST_4)
	{
		tlv_plan_ask(&plan->base, pass, "moments", &tlv_aggregate_dense_moments, ica_take_moments)
			->order = 4;
		return TLV_OK;
	}
	if (directions_of(plan) == 0 || directions_of(plan) > TLV_DENSE_MOST_4)
	{
		/* as many as there can be */
		plan->left_out =
			(directions_of(plan) == 0 ? d : tlv_least(d, directions_of(plan))) - TLV_DENSE_MOST_4;
		plan->options.fit.k = plan->options.fit.k > 0 ? TLV_DENSE_MOST_4 : 0;
		plan->options.fit.max_k = TLV_DENSE_MOST_4;
	}
	tlv_plan_ask(&plan->base, pass, "covariance", &tlv_aggregate_dense_moments, ica_take_covariance)
		->order = 2;
	return TLV_OK;
}

/* ---- options ---- */

static tlv_status
ica_choose_refinement(tlv_context *ctx, ica_plan *plan)
{
	const char *refine = plan->options.refine;

	if (refine != NULL && strcmp(refine, "auto") == 0)
		refine = NULL;
	plan->likelihood = refine != NULL && strcmp(refine, "likelihood") == 0;
	plan->refine =
		refine == NULL ? !plan->options.fit.noise : plan->likelihood || strcmp(refine, "tanh") == 0;
	if (refine != NULL && !plan->refine && strcmp(refine, "none") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", refine);
		return tlv_fail_hint(ctx, "Use 'auto', 'tanh', 'likelihood' or 'none'.");
	}
	if (plan->refine && plan->options.fit.noise)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "a model fitted to noise has no refinement over the rows");
		return tlv_fail_hint(ctx,
							 "The steps would fit the noise: use refine => 'none', or noise => "
							 "false.");
	}
	if (plan->refine && plan->options.iterations != 0 && plan->options.fit.decompose.tolerance == 0)
		plan->options.fit.decompose.tolerance = START_TOLERANCE;
	return TLV_OK;
}

tlv_status
tlv_ica_plan_create(tlv_context *ctx, const tlv_ica_plan_options *options, tlv_plan **plan)
{
	static const tlv_plan_class class = {.name = "tlv_ica", .next = ica_begin};
	ica_plan *new = tlv_alloc0(ctx, 1, sizeof(ica_plan));

	TLV_TRY_ALLOC(ctx, new);
	new->base.class = &class;
	new->options = *options;
	TLV_TRY(ica_choose_refinement(ctx, new));
	*plan = &new->base;
	return TLV_OK;
}
