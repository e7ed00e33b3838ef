/*
 * moments.c - moments of three views: vectors, and categories
 * (views.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/views.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/view_sums.h"

/* ---- vectors ---- */

typedef struct view_state
{
	tlv_accumulator base;
	bool known; /* the dimensions are */
	tlv_view_sums sums;
} view_state;

tlv_status
tlv_view_moments_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	view_state *state = tlv_alloc0(ctx, 1, sizeof(view_state));

	TLV_TRY_ALLOC(ctx, state);
	state->base.class = tlv_kind_view_moments.accumulator;
	*accumulator = &state->base;
	return TLV_OK;
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
	tlv_status status = tlv_fail(
		ctx, TLV_BAD_DATA, "views of %zu, %zu and %zu numbers among views of %zu, %zu and %zu",
		d[0], d[1], d[2], expected[0], expected[1], expected[2]);

	tlv_fail_hint(ctx, "All rows of a group must have arrays of the same lengths.");
	return status;
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
	if (state->sums.room == 0) /* merged so far */
		return tlv_fail(ctx, TLV_INTERNAL, "these view moments cannot take rows");
	return tlv_view_sums_add(ctx, &state->sums, x);
}

static tlv_status
view_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	view_state *state = (view_state *) accumulator;
	tlv_view_sums other;

	if (tlv_frame_find(frame, "sum1") != NULL)
	{
		TLV_TRY(tlv_view_sums_read(ctx, frame, !state->known, &other));
		if (!state->known)
		{
			state->sums = other;
			state->known = true;
		}
		else
		{
			if (memcmp(other.d, state->sums.d, sizeof(other.d)) != 0)
				return refuse_dimensions(ctx, other.d, state->sums.d);
			TLV_TRY(tlv_view_sums_flush(ctx, &state->sums));
			tlv_view_sums_merge(&state->sums, &other);
			tlv_view_sums_free(ctx, &other);
		}
	}
	state->base.nulls += tlv_frame_scalar(frame, "nulls", 0);
	return TLV_OK;
}

static tlv_status
view_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	view_state *state = (view_state *) accumulator;

	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_VIEW_MOMENTS);
	builder->owned = NULL;
	tlv_frame_add_scalar(builder, "nulls", state->base.nulls);
	if (!state->known)
	{
		tlv_frame_add_scalar(builder, "rows", 0);
		return TLV_OK;
	}
	TLV_TRY(tlv_view_sums_flush(ctx, &state->sums));
	return tlv_view_sums_build(ctx, &state->sums, builder);
}

/* Of NULL rows alone there are no dimensions. */
static tlv_status
view_check(tlv_context *ctx, const tlv_frame *frame)
{
	uint64_t d[3];

	TLV_TRY(tlv_frame_require_whole(ctx, frame, "nulls"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "rows"));
	if (tlv_frame_scalar(frame, "rows", 0) == 0 && tlv_frame_find(frame, "sum1") == NULL)
		return TLV_OK;
	return tlv_view_sums_check(ctx, frame, d);
}

/* ---- categories ---- */

typedef struct category_state
{
	tlv_accumulator base;
	double rows;
	tlv_dictionary dictionary[3];
	tlv_triple_table table;
} category_state;

tlv_status
tlv_category_views_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	category_state *state = tlv_alloc0(ctx, 1, sizeof(category_state));

	TLV_TRY_ALLOC(ctx, state);
	state->base.class = tlv_kind_category_views.accumulator;
	for (int t = 0; t < 3; t++)
		tlv_dictionary_init(&state->dictionary[t]);
	*accumulator = &state->base;
	return TLV_OK;
}

static tlv_status
category_views_begin(tlv_context *ctx, const tlv_statistic *constants,
					 tlv_accumulator **accumulator)
{
	return tlv_category_views_create(ctx, accumulator);
}

const tlv_aggregate tlv_aggregate_category_views = {"tlv_view_moments", NULL, category_views_begin};

static tlv_status
category_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	category_state *state = (category_state *) accumulator;
	int32_t at[3];

	TLV_TRY(tlv_row_require_parts(ctx, row));
	for (int t = 0; t < 3; t++)
		TLV_TRY(tlv_category_position(ctx, &state->dictionary[t], row->part[t].ids[0],
									  "categories in a view", &at[t]));
	TLV_TRY(tlv_triple_add(ctx, &state->table,
						   tlv_triple_key((size_t) at[0], (size_t) at[1], (size_t) at[2]), 1));
	state->rows++;
	return TLV_OK;
}

static const char *const item_names[3] = {"items1", "items2", "items3"};

static tlv_status
category_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	category_state *state = (category_state *) accumulator;
	size_t n = tlv_frame_find(frame, "cells")->rows;
	const int64_t *cells = tlv_frame_int64(frame, "cells");
	const double *counts = tlv_frame_float64(frame, "counts");
	int32_t *at[3];

	for (int t = 0; t < 3; t++)
	{
		size_t d = tlv_frame_find(frame, item_names[t])->rows;
		const int64_t *items = tlv_frame_int64(frame, item_names[t]);

		at[t] = tlv_alloc(ctx, d, sizeof(int32_t));
		TLV_TRY_ALLOC(ctx, at[t]);
		TLV_TRY(tlv_category_positions(ctx, &state->dictionary[t], d, items, "categories in a view",
									   at[t]));
	}
	for (size_t i = 0; i < n; i++)
	{
		size_t part[3];

		if (i % TRIPLES_BETWEEN == TRIPLES_BETWEEN - 1)
			TLV_TRY_CONTINUE(ctx);
		for (int t = 0; t < 3; t++)
			part[t] = (size_t) at[t][tlv_triple_part(cells[i], t)];
		TLV_TRY(tlv_triple_add(ctx, &state->table, tlv_triple_key(part[0], part[1], part[2]),
							   counts[i]));
	}
	for (int t = 0; t < 3; t++)
		tlv_free(ctx, at[t]);
	state->base.nulls += tlv_frame_scalar(frame, "nulls", 0);
	state->rows += tlv_frame_scalar(frame, "rows", 0);
	return TLV_OK;
}

/* Categories ascending: equal moments are equal bytes whatever the order of the rows. */
static tlv_status
category_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	category_state *state = (category_state *) accumulator;
	size_t n = state->table.n, d[3], wide = 0;
	int64_t *block, *items[3];
	int32_t *rank[3];

	for (int t = 0; t < 3; t++)
		wide += d[t] = state->dictionary[t].n;
	block = tlv_alloc(ctx, 2 * n + 2 * wide, sizeof(int64_t));
	TLV_TRY_ALLOC(ctx, block);
	items[0] = block + 2 * n;
	items[1] = items[0] + d[0];
	items[2] = items[1] + d[1];
	rank[0] = (int32_t *) (items[2] + d[2]);
	rank[1] = rank[0] + d[0];
	rank[2] = rank[1] + d[1];
	for (int t = 0; t < 3; t++)
		TLV_TRY(tlv_dictionary_order(ctx, &state->dictionary[t], items[t], rank[t]));
	TLV_TRY(tlv_triple_list(ctx, &state->table, rank, block, (double *) (block + n)));

	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_CATEGORY_VIEWS);
	builder->owned = block;
	tlv_frame_add_scalar(builder, "rows", state->rows);
	tlv_frame_add_scalar(builder, "nulls", state->base.nulls);
	for (int t = 0; t < 3; t++)
		tlv_frame_add(builder, item_names[t], TLV_INT64, d[t], 1, items[t]);
	tlv_frame_add(builder, "cells", TLV_INT64, n, 1, block);
	tlv_frame_add(builder, "counts", TLV_FLOAT64, n, 1, block + n);
	return TLV_OK;
}

static tlv_status
category_check(tlv_context *ctx, const tlv_frame *frame)
{
	const double *counts;
	uint64_t d[3], n;

	TLV_TRY(tlv_frame_require_whole(ctx, frame, "rows"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "nulls"));
	for (int t = 0; t < 3; t++)
	{
		const tlv_section *section = tlv_frame_find(frame, item_names[t]);

		if (section == NULL || section->rows > TRIPLE_MOST)
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is missing or too long",
							item_names[t]);
		d[t] = section->rows;
		TLV_TRY(tlv_frame_require(ctx, frame, item_names[t], TLV_INT64, d[t], 1, NULL));
		TLV_TRY(tlv_frame_require_ascending(ctx, frame, item_names[t]));
	}
	TLV_TRY(tlv_triple_check(ctx, frame, d, &n));
	counts = tlv_frame_float64(frame, "counts");
	for (uint64_t i = 0; i < n; i++)
		if (counts[i] != floor(counts[i]))
			return tlv_fail(ctx, TLV_CORRUPT, "section \"counts\" holds %g", counts[i]);
	return TLV_OK;
}

static const tlv_accumulator_class view_class = {
	.name = "view_moments",
	.create = tlv_view_moments_create,
	.merge = view_merge,
	.build = view_build,
	.rows = TLV_ROW_VIEWS,
	.add = view_add,
};
static const tlv_accumulator_class category_class = {
	.name = "category_views",
	.create = tlv_category_views_create,
	.merge = category_merge,
	.build = category_build,
	.rows = TLV_ROW_CATEGORIES,
	.add = category_add,
};

const tlv_kind tlv_kind_view_moments = {TLV_KIND_LINE(VIEW_MOMENTS, view_moments),
										.check = view_check, .accumulator = &view_class};
const tlv_kind tlv_kind_category_views = {TLV_KIND_LINE(CATEGORY_VIEWS, category_views),
										  .check = category_check, .accumulator = &category_class};
