/*
 * neighbours_mixed_plan.c - the variational steps of mixed memberships over rows of neighbours
 * (neighbours_plan.h, neighbours_mixed.h).
 */
#include "neighbours_mixed.h"
#include "neighbours_plan.h"

#include "tensorlv/model/kind.h"

/* Steps at most; where nodes move by less on average (half L1) they stand. */
#define MOST_STEPS 10
#define TOLERANCE  1e-3

/* What the check may find before the connectivity is re-estimated (mixed.c). */
#define MOST_DISTANCE 0.25
#define LEAST_OFF	  0.6

static tlv_status take_step(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass);

static tlv_status
make_step(tlv_context *ctx, struct neighbours_plan *own, tlv_value **values)
{
	neighbour_candidate *candidate = &own->candidates[0];
	const tlv_neighbour_step step = {
		.corrected = own->corrected, .known = &own->options, .rates = candidate->rates};

	return tlv_neighbours_step(ctx, &candidate->model, &values[0]->frame, &step, &candidate->moved);
}

/* Do the edges that the memberships are assigned fit those that they expect?  Else the connectivity
 * of the tensor is given up, and follows from the edges in more steps. */
static tlv_status
check_rates(tlv_context *ctx, struct neighbours_plan *own, const tlv_frame *statistics, bool *fits)
{
	neighbour_candidate *candidate = &own->candidates[0];
	double distance, off;
	tlv_mmsb_parts parts;

	TLV_TRY(tlv_mmsb_read(ctx, &candidate->model.frame, &parts));
	TLV_TRY(
		tlv_mixed_rows_check(ctx, &parts, tlv_frame_float64(statistics, "edges"), &distance, &off));
	tlv_free(ctx, parts.side[0].memberships.start);
	TLV_TRY(tlv_diagnose(ctx, &own->diagnostics, distance, "check_distance"));
	TLV_TRY(tlv_diagnose(ctx, &own->diagnostics, off, "check_off_diagonal"));
	*fits = distance <= MOST_DISTANCE && off >= LEAST_OFF;
	return TLV_OK;
}

static tlv_status
take_step(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	neighbour_candidate *candidate = &own->candidates[0];
	const tlv_frame *statistics;
	bool last, fits = true;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	statistics = &values[0]->frame;
	TLV_TRY(tlv_neighbours_require_rows(ctx, statistics, false));
	own->steps++;
	own->self_loops = tlv_frame_scalar(statistics, "self_loops", 0);
	last = own->steps % MOST_STEPS == 0 || candidate->moved <= TOLERANCE;
	if (last && candidate->rates != NULL)
		TLV_TRY(check_rates(ctx, own, statistics, &fits));
	if (!fits)
		candidate->rates = NULL; /* freed with the plan */
	TLV_TRY(make_step(ctx, own, values));
	if (last && fits)
	{
		TLV_TRY(
			tlv_diagnose(ctx, &own->diagnostics, candidate->rates == NULL, "connectivity_refined"));
		return tlv_neighbours_ask_edges(ctx, base, pass);
	}
	tlv_neighbours_ask_statistics(base, pass, "refinement", take_step);
	return TLV_OK;
}

tlv_status
tlv_neighbours_begin_mixed(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);

	own->self_loops = tlv_frame_scalar(&values[0]->frame, "self_loops", 0);
	TLV_TRY(make_step(ctx, own, values));
	if (own->options.refine == TLV_MMSB_REFINE_NONE)
		return tlv_neighbours_ask_edges(ctx, base, pass);
	own->candidates[0].moved = 1;
	tlv_neighbours_ask_statistics(base, pass, "refinement", take_step);
	return TLV_OK;
}
