/*
 * plan.c - a hidden Markov model from sequences: moments of their windows, the fit, Baum-Welch
 * steps until the likelihood stands.
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/model/plan.h"
#include "tensorlv/model/views.h"

typedef struct hmm_plan
{
	tlv_plan base;
	tlv_hmm_plan_options options;
	tlv_held model;
	int taken;	   /* steps of Baum-Welch */
	double before; /* the log-likelihood per step of time under the model before */
} hmm_plan;

/* Steps of Baum-Welch, at most. */
static int
step_limit(const hmm_plan *plan)
{
	if (plan->options.refine != TLV_HMM_REFINE_BAUM_WELCH)
		return 0;
	return plan->options.iterations < 0 ? TLV_HMM_MAX_STEPS : plan->options.iterations;
}

/* growth > 0: of the log-likelihood per step of time in the last step, after which it was left. */
static tlv_status
finish_model(tlv_context *ctx, hmm_plan *plan, double growth)
{
	tlv_diagnostics diagnostics = {0};

	if (growth > 0)
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = growth,
										.hint = "more iterations help"},
						 "Baum-Welch stopped at its limit of %d steps, while the log-likelihood "
						 "per step of time still grew",
						 plan->taken));
	return tlv_plan_finish(ctx, &plan->base, &plan->model.frame, &diagnostics, 0, NULL);
}

/* ---- refinement ---- */

static tlv_status refine(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass);

static void
ask_statistics(hmm_plan *plan, tlv_pass *pass)
{
	tlv_plan_ask(&plan->base, pass, "Baum-Welch", &tlv_aggregate_sequence_statistics, refine)
		->constant = &plan->model.frame;
	pass->passes_left = step_limit(plan) - plan->taken;
}

/* One step; the likelihood that the statistics tell is that of the model before it. */
static tlv_status
refine(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	hmm_plan *plan = (hmm_plan *) base;
	bool until = plan->options.iterations < 0;
	double now, growth;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	now = tlv_plan_mean_likelihood(&values[0]->frame, "steps");
	growth = now - plan->before;
	plan->before = now;
	plan->taken++;
	TLV_TRY(tlv_plan_refine(ctx, &plan->model, &values[0]->frame));
	if (until && growth < TLV_HMM_TOLERANCE)
		return finish_model(ctx, plan, 0);
	if (plan->taken >= step_limit(plan))
		return finish_model(ctx, plan, until ? growth : 0);
	ask_statistics(plan, pass);
	return TLV_OK;
}

/* ---- moments and fit ---- */

static tlv_status
hmm_plan_fit(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	hmm_plan *plan = (hmm_plan *) base;
	const tlv_value *moments = values[0];
	double too_short;
	tlv_making made;

	too_short = moments != NULL ? tlv_frame_scalar(&moments->frame, "short", 0) : 0;
	if (too_short == 0)
		TLV_TRY(tlv_plan_require_rows(ctx, moments, "sequences"));
	else if (tlv_frame_scalar(&moments->frame, "sequences", 0) < 1)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the query returns no sequence of at least %d steps",
				 TLV_WINDOW);
		tlv_fail_detail(ctx, "%.0f sequences are shorter.", too_short);
		return TLV_BAD_DATA;
	}
	tlv_plan_make(ctx, &made);
	TLV_TRY(tlv_plan_made(
		ctx, &made, &plan->model,
		tlv_hmm_fit(ctx, &moments->frame, &plan->options.fit, &made.image, &made.size)));
	if (step_limit(plan) == 0)
		return finish_model(ctx, plan, 0);
	ask_statistics(plan, pass);
	return TLV_OK;
}

static tlv_status
ask_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	tlv_plan_ask(base, pass, "moments", &tlv_aggregate_sequence_moments, hmm_plan_fit);
	pass->passes_left = 1 + step_limit((hmm_plan *) base);
	return TLV_OK;
}

const char *const tlv_hmm_refinement_names[] = {"baum-welch", "windows", "none", NULL};

static const tlv_plan_class hmm_plan_class = {"tlv_hmm", ask_moments};

tlv_status
tlv_hmm_plan_create(tlv_context *ctx, const tlv_hmm_plan_options *options, tlv_plan **created)
{
	hmm_plan *plan = tlv_alloc0(ctx, 1, sizeof(hmm_plan));

	TLV_TRY_ALLOC(ctx, plan);
	plan->base.class = &hmm_plan_class;
	plan->options = *options;
	plan->options.fit.iterations = options->refine == TLV_HMM_REFINE_NONE ? 0 : TLV_CELL_ITERATIONS;
	plan->before = -HUGE_VAL;
	*created = &plan->base;
	return TLV_OK;
}
