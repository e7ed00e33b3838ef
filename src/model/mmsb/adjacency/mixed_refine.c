/*
 * mixed_refine.c - the variational updates of mixed memberships over rows of neighbours
 * (learn.h, mixed.h).
 */
#include "mixed.h"
#include "learn.h"

#include "tensorlv/model/kind.h"

/* Steps at most; where nodes move by less on average (half L1) they stand. */
#define MOST_STEPS 10
#define TOLERANCE  1e-3

/* What the check may find before the connectivity is re-estimated (mixed/least_squares.c). */
#define MOST_DISTANCE 0.25
#define LEAST_OFF	  0.6

static tlv_status
make_step(tlv_context *ctx, neighbours_fit *fit, const tlv_frame *statistics)
{
	neighbour_candidate *candidate = &fit->candidates[0];
	const tlv_neighbour_step step = {
		.corrected = fit->corrected, .known = &fit->options, .rates = candidate->rates};

	return tlv_neighbours_step(ctx, &candidate->model, statistics, &step, &candidate->moved);
}

/* Do the edges that the memberships are assigned fit those that they expect?  Else the connectivity
 * of the tensor is given up, and follows from the edges in more steps. */
static tlv_status
check_rates(tlv_context *ctx, neighbours_fit *fit, const tlv_frame *statistics, bool *fits)
{
	neighbour_candidate *candidate = &fit->candidates[0];
	double distance, off;
	tlv_mmsb_parts parts;

	TLV_TRY(tlv_mmsb_read(ctx, &candidate->model.frame, &parts));
	TLV_TRY(
		tlv_mixed_rows_check(ctx, &parts, tlv_frame_float64(statistics, "edges"), &distance, &off));
	tlv_free(ctx, parts.side[0].memberships.start);
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, distance, "check_distance"));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, off, "check_off_diagonal"));
	*fits = distance <= MOST_DISTANCE && off >= LEAST_OFF;
	return TLV_OK;
}

static tlv_status
refine_once(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit, bool *done)
{
	neighbour_candidate *candidate = &fit->candidates[0];
	tlv_value *values[STARTS];
	bool last, fits = true;

	TLV_TRY(tlv_neighbours_collect(ctx, rows, fit, "refinement", false, values));
	fit->iterations++;
	fit->self_loops = tlv_frame_scalar(&values[0]->frame, "self_loops", 0);
	last = fit->iterations % MOST_STEPS == 0 || candidate->moved <= TOLERANCE;
	if (last && candidate->rates != NULL)
		TLV_TRY(check_rates(ctx, fit, &values[0]->frame, &fits));
	if (!fits)
		candidate->rates = NULL; /* the arena's */
	TLV_TRY(make_step(ctx, fit, &values[0]->frame));
	tlv_neighbours_drop_values(fit, values);
	*done = last && fits;
	return TLV_OK;
}

tlv_status
tlv_neighbours_refine_mixed(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit,
							const tlv_frame *statistics)
{
	bool done = false;

	fit->self_loops = tlv_frame_scalar(statistics, "self_loops", 0);
	TLV_TRY(make_step(ctx, fit, statistics));
	if (fit->options.refine == TLV_MMSB_REFINE_NONE)
		return TLV_OK;
	fit->candidates[0].moved = 1;
	while (!done)
		TLV_TRY(refine_once(ctx, rows, fit, &done));
	return tlv_diagnose(ctx, &fit->diagnostics, fit->candidates[0].rates == NULL,
						"connectivity_refined");
}
