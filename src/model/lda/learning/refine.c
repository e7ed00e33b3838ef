/*
 * refine.c - refinement, until the perplexity converges or the number of iterations is reached
 * (learn.h).
 */
#include "learn.h"
#include "../tuning.h"

#include <math.h>
#include <string.h>

/* ---- what refinement is ---- */

lda_refinement
lda_begin_refinement(const lda_learning *fit)
{
	bool correlated = fit->options.refine != NULL && strcmp(fit->options.refine, "ctm") == 0;

	return (lda_refinement){.how = correlated ? "stepwise" : fit->options.refine,
							.asked = correlated ? -1 : fit->options.iterations,
							.perplexity = {HUGE_VAL, HUGE_VAL}};
}

bool
lda_topics_move(const lda_refinement *refinement)
{
	return strcmp(refinement->how, "stepwise") == 0;
}

tlv_statistic
lda_statistics_of(const tlv_held *model, const lda_refinement *refinement)
{
	return (tlv_statistic){.aggregate = &tlv_aggregate_statistics,
						   .constant = &model->frame,
						   .refine = refinement->how};
}

tlv_source *
lda_in_order(tlv_source *view, tlv_source *documents, const tlv_held *model, size_t k,
			 const lda_refinement *refinement)
{
	double tokens = tlv_diagnostics_find(&model->frame, "tokens", INFINITY);

	if (!lda_topics_move(refinement) || (double) k * tokens > SETTLED_WORK)
		return documents;
	tlv_source_ordered(view, documents);
	return view;
}

int
lda_more_iterations(const tlv_frame *model, double fall)
{
	const tlv_section *phi = tlv_frame_find(model, "phi");
	double tokens = tlv_diagnostics_find(model, "tokens", 0);
	double plenty = sqrt(sqrt(tokens / ((double) phi->rows * (double) phi->columns)));

	return (int) fmax(fmin(ceil(MORE_ITERATIONS * sqrt(fmax(fall, 0)) * plenty), MOST_ITERATIONS),
					  TLV_REFINE_MIN_STEPS - 1);
}

/* ---- iterations ---- */

/*
 * How far the model goes beyond an iteration's estimate: nothing in the first one, then RELAXATION
 * times as far, and ever less to the end.
 */
static double
relaxation(const lda_learning *fit, const lda_refinement *refinement)
{
	int all = refinement->asked < 0 ? refinement->planned : refinement->asked;
	int left = all - 1 - refinement->done;

	if (strcmp(refinement->how, "ctm") == 0)
		return CORRELATED_RELAXATION;
	if (!lda_topics_move(refinement) || refinement->done == 0 || left <= 0 ||
		tlv_frame_scalar(&fit->model.frame, "alpha0", 1) == 0)
		return 0;
	return RELAXATION * left / (all - 1);
}

/* Notes the perplexity before this iteration; has it converged: have two iterations together hardly
 * decreased it? */
static bool
perplexity_converges(const lda_learning *fit, lda_refinement *refinement, double perplexity)
{
	double *before = refinement->perplexity;
	bool converged = refinement->done + 1 >= TLV_REFINE_MIN_STEPS &&
					 perplexity > (1 - TLV_REFINE_TOLERANCE) * before[0];

	before[0] = before[1];
	before[1] = perplexity;
	if (lda_topics_move(refinement) && refinement->done == 1)
		refinement->planned =
			1 + lda_more_iterations(&fit->model.frame, 1 - perplexity / before[0]);
	return converged && !lda_topics_move(refinement) && refinement->asked < 0;
}

static int
most_iterations(const lda_refinement *refinement)
{
	if (refinement->asked >= 0)
		return refinement->asked;
	return refinement->planned > 0 ? refinement->planned : TLV_REFINE_MAX_STEPS;
}

static tlv_status
lda_refine_once(tlv_context *ctx, tlv_source *documents, lda_learning *fit,
				lda_refinement *refinement, bool *converged)
{
	int left = lda_is_to_be_tested(fit) ? 0 : most_iterations(refinement) - refinement->done;
	tlv_statistic statistic = lda_statistics_of(&fit->model, refinement);
	tlv_source ordered, *rows = lda_in_order(&ordered, documents, &fit->model, fit->k, refinement);
	tlv_value *value;
	tlv_step step = {0};
	tlv_making made;

	TLV_TRY(tlv_collect_again(ctx, rows, "refinement", left, &statistic, &value));
	*converged = perplexity_converges(fit, refinement, tlv_lda_perplexity(&value->frame));
	step.weight = 1 + relaxation(fit, refinement);
	TLV_TRY(TLV_MAKE(
		ctx, &made, &fit->model,
		tlv_model_step(ctx, &fit->model.frame, &value->frame, &step, &made.image, &made.size)));
	tlv_value_drop(value);
	refinement->done++;
	return TLV_OK;
}

static tlv_status
refine_to_the_end(tlv_context *ctx, tlv_source *documents, lda_learning *fit,
				  lda_refinement *refinement)
{
	bool converged = false;

	while (!converged && refinement->done < most_iterations(refinement))
		TLV_TRY(lda_refine_once(ctx, documents, fit, refinement, &converged));
	fit->at_limit = !converged && refinement->asked < 0 && refinement->planned == 0;
	fit->iterations = refinement->done;
	return TLV_OK;
}

tlv_status
lda_refine(tlv_context *ctx, tlv_source *documents, lda_learning *fit, lda_refinement *refinement)
{
	TLV_TRY(refine_to_the_end(ctx, documents, fit, refinement));
	if (strcmp(fit->options.refine, "ctm") != 0 || fit->k == 1)
		return TLV_OK;
	*refinement = (lda_refinement){
		.how = "ctm", .asked = fit->options.iterations, .perplexity = {HUGE_VAL, HUGE_VAL}};
	return refine_to_the_end(ctx, documents, fit, refinement);
}
