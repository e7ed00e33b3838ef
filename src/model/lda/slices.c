/*
 * slices.c - the decomposition of a third moment that is never formed, a pass over the documents a
 * step (plan.h; counts.h): for hundreds of topics, or little memory.
 *
 * The pair moment gives the basis in which it is white and, by anchor words, where the rotation
 * begins and what alpha0 is where it is not given; every pass collects the slices of the third
 * moment in the basis of the moment, and a step of tlv_decompose_step turns it.
 */
#include "plan.h"

#include <math.h>

/* The basis stands when no entry of the rotation moves by more. */
#define SLICE_TOLERANCE 1e-6
/* Or where a step moves by more than half of the one before, along the noise, and lifts the
 * objective by a smaller part of it; as of the tensor (decompose_joint.c). */
#define SLICE_RISE 2e-5
/* alpha0 where neither the caller nor anchors say. */
#define PLAIN_ALPHA0 1.0

static tlv_status take_slices(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass);

static void
ask_slices(lda_plan *plan, tlv_pass *pass)
{
	tlv_lda_ask(plan, pass, "decomposition", &tlv_aggregate_slice_moments, take_slices)->constant =
		&plan->subspace.frame;
}

/* The topics of anchor words, where there are any, and their alpha0. */
static tlv_status
begin_with_anchors(tlv_context *ctx, const lda_plan *plan, const tlv_frame *moments,
				   tlv_whitening_options *white)
{
	tlv_lda_options options = plan->options.fit;
	tlv_frame model;
	tlv_status status;
	void *image;
	size_t size;

	options.k = plan->k;
	options.fewer = true;
	options.alpha0 = options.alpha0 > 0 ? options.alpha0 : NAN;
	options.subspace = white->subspace;
	status = tlv_lda_fit_anchors(ctx, moments, &options, &image, &size);
	if (status == TLV_NOT_IDENTIFIABLE)
		return TLV_OK;
	TLV_TRY(status);
	TLV_TRY(tlv_frame_open(ctx, image, size, &model));
	white->topics = tlv_frame_find(&model, "phi")->rows;
	white->phi = tlv_frame_float64(&model, "phi");
	if (isnan(white->alpha0))
		white->alpha0 = tlv_frame_scalar(&model, "alpha0", PLAIN_ALPHA0);
	return TLV_OK;
}

static tlv_status
make_white(tlv_context *ctx, lda_plan *plan, const tlv_frame *moments)
{
	tlv_whitening_options white = {.rank = plan->k,
								   .alpha0 = plan->options.fit.alpha0,
								   .fewer = true,
								   .seed = plan->options.fit.seed};
	tlv_making made;
	tlv_status status;

	if (tlv_count_refers(moments))
		white.subspace = &plan->subspace.frame;
	else
		tlv_lda_subspace_drop(ctx, plan); /* the moments hold what they need of it */
	tlv_plan_make(ctx, &made);
	status = begin_with_anchors(ctx, plan, moments, &white);
	if (!(white.alpha0 >= 0))
		white.alpha0 = PLAIN_ALPHA0;
	if (status == TLV_OK)
		status = tlv_subspace_whiten(ctx, moments, &white, &made.image, &made.size);
	return tlv_plan_made(ctx, &made, &plan->subspace, status);
}

static tlv_status
take_pairs(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);
	tlv_status status;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	status = make_white(ctx, plan, &values[0]->frame);
	/* one topic at all: what fits anchors says so, too */
	if (status == TLV_NOT_IDENTIFIABLE)
		return tlv_lda_take_moments(ctx, base, values, pass);
	TLV_TRY(status);
	plan->slice_steps = 0;
	plan->slice_moved = 0;
	ask_slices(plan, pass);
	return TLV_OK;
}

/* Is this the last step, whose slices are those of the basis as it is? */
static bool
is_last(const lda_plan *plan, const tlv_rotation *step, int most)
{
	bool slow = step->change > plan->slice_moved / 2 && step->objective >= step->before &&
				step->objective - step->before <= SLICE_RISE * step->objective;

	return step->change <= SLICE_TOLERANCE || (plan->slice_steps > 0 && slow) ||
		   plan->slice_steps + 1 >= most;
}

static tlv_status
take_slices(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);
	int given = plan->options.fit.decompose.steps;
	tlv_held turned = {0};
	tlv_rotation step;
	tlv_making made;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	tlv_plan_make(ctx, &made);
	TLV_TRY(tlv_plan_made(ctx, &made, &turned,
						  tlv_subspace_rotate(ctx, &plan->subspace.frame, &values[0]->frame, &step,
											  &made.image, &made.size)));
	if (is_last(plan, &step, given > 0 ? given : TLV_LDA_SLICE_STEPS))
	{
		tlv_free(ctx, turned.image);
		return tlv_lda_take_moments(ctx, base, values, pass);
	}
	plan->slice_steps++;
	plan->slice_moved = step.change;
	tlv_lda_subspace_drop(ctx, plan);
	plan->subspace = turned;
	ask_slices(plan, pass);
	return TLV_OK;
}

void
tlv_lda_slices_begin(lda_plan *plan, tlv_pass *pass)
{
	tlv_lda_ask(plan, pass, "moments", &tlv_aggregate_anchor_moments, take_pairs)->constant =
		&plan->subspace.frame;
}
