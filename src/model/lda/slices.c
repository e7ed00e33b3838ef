/*
 * slices.c - the decomposition of a third moment that is never formed, a scan of the documents an
 * iteration (learn.h; counts.h): for hundreds of topics, or little memory.
 *
 * The pair moment gives the basis in which it is white and, by anchor words, where the rotation
 * begins and what alpha0 is where it is not given; every scan collects the slices of the third
 * moment in the basis of the moment, and a step of tlv_decompose_step rotates it.
 */
#include "learn.h"

#include <math.h>

/* The basis has converged when no entry of the rotation moves by more. */
#define SLICE_TOLERANCE 1e-6
/* Or where an iteration moves by more than half of the one before, along the noise, and increases
 * the objective by less than this, relatively; as of the tensor (decompose_joint.c). */
#define SLICE_RISE 2e-5
/* alpha0 where neither the caller nor anchors determine it. */
#define PLAIN_ALPHA0 1.0

/* The topics of anchor words, where there are any, and their alpha0. */
static tlv_status
begin_with_anchors(tlv_context *ctx, const lda_learning *fit, const tlv_frame *moments,
				   tlv_whitening_options *white)
{
	tlv_lda_options options = fit->options.fit;
	tlv_frame model;
	tlv_status status;
	void *image;
	size_t size;

	options.k = fit->k;
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
make_white(tlv_context *ctx, lda_learning *fit, const tlv_frame *moments)
{
	tlv_whitening_options white = {.rank = fit->k,
								   .alpha0 = fit->options.fit.alpha0,
								   .fewer = true,
								   .seed = fit->options.fit.seed};
	tlv_making made;
	tlv_status status;

	if (tlv_count_refers(moments))
		white.subspace = &fit->subspace.frame;
	else
		lda_drop_subspace(ctx, fit); /* the moments hold what they need of it */
	tlv_make(ctx, &made);
	status = begin_with_anchors(ctx, fit, moments, &white);
	if (!(white.alpha0 >= 0))
		white.alpha0 = PLAIN_ALPHA0;
	if (status == TLV_OK)
		status = tlv_subspace_whiten(ctx, moments, &white, &made.image, &made.size);
	return tlv_made(ctx, &made, &fit->subspace, status);
}

/* Has the rotation converged, so that these slices are those of the basis as it is? */
static bool
rotation_has_converged(const tlv_rotation *step, double moved, int iteration)
{
	bool slow = step->change > moved / 2 && step->objective >= step->before &&
				step->objective - step->before <= SLICE_RISE * step->objective;

	return step->change <= SLICE_TOLERANCE || (iteration > 0 && slow);
}

/* Rotates the basis, unless it has converged or the iteration is the last. */
static tlv_status
rotate_basis(tlv_context *ctx, lda_learning *fit, const tlv_frame *slices, int iteration,
			 double *moved, bool *done)
{
	int given = fit->options.fit.decompose.steps;
	int most = given > 0 ? given : TLV_LDA_SLICE_STEPS;
	tlv_held turned = {0};
	tlv_rotation step;
	tlv_making made;

	TLV_TRY(TLV_MAKE(
		ctx, &made, &turned,
		tlv_subspace_rotate(ctx, &fit->subspace.frame, slices, &step, &made.image, &made.size)));
	*done = rotation_has_converged(&step, *moved, iteration) || iteration + 1 >= most;
	if (*done)
	{
		tlv_free(ctx, turned.image);
		return TLV_OK;
	}
	*moved = step.change;
	lda_drop_subspace(ctx, fit);
	fit->subspace = turned;
	return TLV_OK;
}

tlv_status
lda_collect_slices(tlv_context *ctx, tlv_source *counts, lda_learning *fit, tlv_value **moments)
{
	tlv_status status;
	double moved = 0;
	bool done = false;

	TLV_TRY(tlv_collect_again(ctx, counts, "moments", 0,
							  &(tlv_statistic){.aggregate = &tlv_aggregate_anchor_moments,
											   .constant = &fit->subspace.frame},
							  moments));
	status = make_white(ctx, fit, &(*moments)->frame);
	if (status == TLV_NOT_IDENTIFIABLE) /* one topic at most: what fits anchors says so, too */
		return TLV_OK;
	TLV_TRY(status);
	for (int iteration = 0; !done; iteration++)
	{
		tlv_value_drop(*moments);
		TLV_TRY(tlv_collect_again(ctx, counts, "decomposition", 0,
								  &(tlv_statistic){.aggregate = &tlv_aggregate_slice_moments,
												   .constant = &fit->subspace.frame},
								  moments));
		TLV_TRY(rotate_basis(ctx, fit, &(*moments)->frame, iteration, &moved, &done));
	}
	return TLV_OK;
}
