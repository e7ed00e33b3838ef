/*
 * moments.c - moments of three views that are vectors (views.h).
 */
#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/views.h"
#include "tensorlv/model/view_sums.h"

typedef struct view_state
{
	tlv_declared declared;
	bool known; /* the dimensions are */
	tlv_view_sums sums;
} view_state;

tlv_status
tlv_view_moments_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	return tlv_sections_create(ctx, tlv_kind_view_moments.accumulator, NULL, accumulator);
}

static tlv_status
view_moments_begin(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	return tlv_view_moments_create(ctx, accumulator);
}

const tlv_aggregate tlv_aggregate_view_moments = {"tlv_view_moments", NULL, view_moments_begin};

static tlv_status
refuse_dimensions(tlv_context *ctx, const size_t d[3], const size_t expected[3])
{
	tlv_fail(ctx, TLV_BAD_DATA, "views of %zu, %zu and %zu numbers among views of %zu, %zu and %zu",
			 d[0], d[1], d[2], expected[0], expected[1], expected[2]);
	return tlv_fail_hint(ctx, "All rows of a group must have arrays of the same lengths.");
}

static tlv_status
view_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	view_state *state = (view_state *) accumulator;
	const tlv_part *part = row->part;
	const size_t d[3] = {part[0].d, part[1].d, part[2].d};
	const double *const x[3] = {part[0].float64, part[1].float64, part[2].float64};

	TLV_TRY(tlv_row_require_parts(ctx, row));
	if (!state->known)
	{
		TLV_TRY(tlv_view_sums_create(ctx, d, true, &state->sums));
		state->known = true;
	}
	else if (memcmp(d, state->sums.d, sizeof(state->sums.d)) != 0)
		return refuse_dimensions(ctx, d, state->sums.d);
	return tlv_view_sums_add(ctx, &state->sums, x);
}

static tlv_status
view_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	return tlv_view_sums_flush(ctx, &((view_state *) accumulator)->sums);
}

/* Sums about a point are moved to that of the other. */
static tlv_status
view_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	view_state *state = (view_state *) accumulator;
	tlv_view_sums other;

	if (tlv_frame_find(frame, "sum1")->rows == 0) /* of NULL rows alone */
		return TLV_OK;
	TLV_TRY(tlv_view_sums_read(ctx, frame, !state->known, &other));
	if (!state->known)
	{
		state->sums = other;
		state->known = true;
		return TLV_OK;
	}
	if (memcmp(other.d, state->sums.d, sizeof(other.d)) != 0)
		return refuse_dimensions(ctx, other.d, state->sums.d);
	tlv_view_sums_merge(&state->sums, &other);
	tlv_view_sums_free(ctx, &other);
	return TLV_OK;
}

static tlv_status
view_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	view_state *state = (view_state *) accumulator;

	(void) owned;
	memcpy(state->declared.sizes, state->sums.d, sizeof(state->sums.d));
	return state->known ? tlv_view_sums_require_finite(ctx, &state->sums) : TLV_OK;
}

/* Of NULL rows alone there are no dimensions. */
static tlv_status
view_check(tlv_context *ctx, const tlv_frame *frame, const size_t *d)
{
	if (tlv_frame_scalar(frame, "rows", 0) == 0 && d[0] == 0 && d[1] == 0 && d[2] == 0)
		return TLV_OK;
	return tlv_view_sums_check(ctx, d);
}

static const tlv_declaration view_list[] = {
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM,
	 offsetof(view_state, declared.base.nulls)},
	VIEW_SUMS_LIST(view_state, sums),
};
static const tlv_sections view_sections = {
	.state = sizeof(view_state),
	.kind = TLV_KIND_VIEW_MOMENTS,
	TLV_LIST(view_list),
	.most = {TLV_VIEW_MOST_TRIPLES, TLV_VIEW_MOST_TRIPLES, TLV_VIEW_MOST_TRIPLES},
	.flush = view_flush,
	.describe = view_describe,
	.check_more = view_check,
	.merge_own = view_merge,
};

static const tlv_accumulator_class view_class = {
	.name = "view_moments",
	TLV_DECLARED(&view_sections),
	.rows = TLV_ROW_VIEWS,
	.add = view_add,
};
const tlv_kind tlv_kind_view_moments = {TLV_KIND_LINE(VIEW_MOMENTS, view_moments),
										.accumulator = &view_class};
