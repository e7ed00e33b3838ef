/*
 * neighbours_support.c - which communities of rows of neighbours are real, and the errors of mixed
 * memberships (support.h, errors.h): the plan runs again over the rows without a quarter of the
 * edges, four times.  An edge is left out at both of its ends.
 */
#include "errors.h"
#include "neighbours_plan.h"

#include <math.h>

#include "tensorlv/model/support.h"

static void
drop_models(tlv_context *ctx, struct neighbours_plan *own)
{
	tlv_free(ctx, own->subspace.image);
	tlv_free(ctx, own->soft.image);
	for (size_t i = 0; i < own->n; i++)
		tlv_free(ctx, own->candidates[i].model.image);
}

/* The plan from its beginning, without the next quarter of the edges. */
static void
begin_part(tlv_context *ctx, tlv_plan *base, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	tlv_support_state state = own->support;

	state.part++;
	drop_models(ctx, own);
	*own = (struct neighbours_plan){.options = state.options,
									.directions = own->directions,
									.damp = own->damp,
									.support = state};
	own->options.seed += (uint64_t) state.part;
	tlv_report(ctx, "support", state.part - 1, TLV_SUPPORT_PARTS);
	tlv_neighbours_ask_summary(base, pass);
}

/* Errors of mixed memberships are those of graphs drawn from the model. */
static tlv_status
add_errors(tlv_context *ctx, tlv_plan *base)
{
	const struct neighbours_plan *own = neighbours_of(base);
	tlv_frame model;
	tlv_making made;
	tlv_held held = {0};
	tlv_status status;

	if (!(own->support.options.alpha0 > 0))
		return TLV_OK;
	base->errors = false;
	TLV_TRY(tlv_frame_open(ctx, base->image, base->size, &model));
	tlv_plan_make(ctx, &made);
	status = tlv_plan_made(
		ctx, &made, &held,
		tlv_mmsb_bootstrap(ctx, &model, &own->support.options, &made.image, &made.size));
	if (status != TLV_OK)
		return tlv_plan_refuse_errors(ctx, base, status);
	tlv_free(ctx, base->image);
	base->image = held.image;
	base->size = held.size;
	return TLV_OK;
}

/* The model with what has been found, which is the plan's from here on. */
static tlv_status
finish_support(tlv_context *ctx, tlv_plan *base, bool known)
{
	tlv_support_state *state = &neighbours_of(base)->support;
	size_t k = tlv_model_components(&state->model.frame);
	tlv_diagnostics all = {0};

	state->part = 0;
	drop_models(ctx, neighbours_of(base));
	for (size_t a = 0; !known && a < k; a++)
		state->apart[a] = NAN;
	TLV_TRY(tlv_diagnostics_copy(ctx, &all, &state->model.frame, NULL));
	TLV_TRY(tlv_support_diagnose(ctx, "community", "spurious_community", "edges", k, state->apart,
								 &all));
	TLV_TRY(tlv_diagnostics_rewrite(ctx, &state->model.frame, &all, &base->image, &base->size));
	tlv_diagnostics_free(ctx, &all);
	tlv_free(ctx, state->model.image);
	return add_errors(ctx, base);
}

tlv_status
tlv_neighbours_guard(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	tlv_status status = own->step(ctx, base, values, pass);

	if (status != TLV_BAD_DATA && status != TLV_BAD_PARAMETER && status != TLV_NOT_IDENTIFIABLE &&
		status != TLV_NO_ROWS)
		return status;
	own->n = 0; /* what the step has left is given back with the plan */
	own->subspace = own->soft = (tlv_held){0};
	*pass = (tlv_pass){0};
	return finish_support(ctx, base, false);
}

tlv_status
tlv_neighbours_begin_support(tlv_context *ctx, tlv_plan *base, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	tlv_support_state *state = &own->support;
	tlv_mmsb_parts parts;

	state->model = (tlv_held){.image = base->image, .size = base->size};
	TLV_TRY(tlv_frame_open(ctx, base->image, base->size, &state->model.frame));
	TLV_TRY(tlv_mmsb_read(ctx, &state->model.frame, &parts));
	state->options = tlv_mmsb_options_of(&parts, &own->options);
	tlv_free(ctx, parts.side[0].memberships.start);
	if (parts.k == 1)
		return add_errors(ctx, base);
	base->image = NULL;
	TLV_TRY_NEW0(ctx, state->apart, parts.k);
	begin_part(ctx, base, pass);
	return TLV_OK;
}

tlv_status
tlv_neighbours_take_part(tlv_context *ctx, tlv_plan *base, const tlv_frame *found, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	tlv_mmsb_parts whole, other;

	TLV_TRY(tlv_mmsb_read(ctx, &own->support.model.frame, &whole));
	TLV_TRY(tlv_mmsb_read(ctx, found, &other));
	TLV_TRY(tlv_mmsb_compare_side(ctx, &whole, &other, 0, own->support.apart));
	tlv_free(ctx, whole.side[0].memberships.start);
	tlv_free(ctx, other.side[0].memberships.start);
	if (own->support.part == TLV_SUPPORT_PARTS)
		return finish_support(ctx, base, true);
	begin_part(ctx, base, pass);
	return TLV_OK;
}
