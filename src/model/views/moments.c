/*
 * moments.c - moments of three views: vectors, and categories
 * (views.h).
 */
#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/views.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/view_sums.h"

/* ---- vectors ---- */

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

/* ---- categories ---- */

/* The sizes: of each view's categories, and TLV_SIZE_4. */
#define SIZE_CELLS TLV_SIZE_4

typedef struct category_state
{
	tlv_declared declared;
	double rows;
	tlv_dictionary dictionary[3];
	tlv_triple_table table;
	/* the stored form */
	int64_t *items[3];
	int64_t *cells;
	double *counts;
} category_state;

tlv_status
tlv_category_views_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	return tlv_sections_create(ctx, tlv_kind_category_views.accumulator, NULL, accumulator);
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
	TLV_TRY(tlv_count_one(ctx, "rows", &state->rows));
	for (int t = 0; t < 3; t++)
		TLV_TRY(tlv_category_position(ctx, &state->dictionary[t], row->part[t].ids[0],
									  "categories in a view", &at[t]));
	return tlv_triple_add(ctx, &state->table,
						  tlv_triple_key((size_t) at[0], (size_t) at[1], (size_t) at[2]), 1);
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

		TLV_TRY_NEW(ctx, at[t], d);
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
	return TLV_OK;
}

/* Categories ascending: equal moments are equal bytes whatever the order of the rows. */
static tlv_status
category_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	category_state *state = (category_state *) accumulator;
	size_t n = state->table.n, wide = 0, *d = state->declared.sizes;
	int64_t *block;
	int32_t *rank[3];

	for (int t = 0; t < 3; t++)
		wide += d[t] = state->dictionary[t].n;
	d[SIZE_CELLS] = n;
	*owned = block = tlv_alloc(ctx, 2 * n + 2 * wide, sizeof(int64_t));
	TLV_TRY_ALLOC(ctx, block);
	state->cells = block;
	block += 2 * n;
	for (int t = 0; t < 3; block += d[t++])
		state->items[t] = block;
	rank[0] = (int32_t *) block;
	rank[1] = rank[0] + d[0];
	rank[2] = rank[1] + d[1];
	for (int t = 0; t < 3; t++)
		TLV_TRY(tlv_dictionary_order(ctx, &state->dictionary[t], state->items[t], rank[t]));
	return tlv_triple_list(ctx, &state->table, rank, state->cells, &state->counts);
}

static tlv_status
category_check(tlv_context *ctx, const tlv_frame *frame, const size_t *d)
{
	const double *counts = tlv_frame_float64(frame, "counts");
	double rows = 0;

	TLV_TRY(tlv_triple_check(ctx, frame, d));
	for (size_t i = 0; i < d[SIZE_CELLS]; i++)
		rows += counts[i];
	if (rows != tlv_frame_scalar(frame, "rows", 0))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"counts\" sums to %g instead of %g", rows,
						tlv_frame_scalar(frame, "rows", 0));
	return TLV_OK;
}

#define AT(member) offsetof(category_state, member)
static const tlv_declaration category_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(rows)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"items1", TLV_INT64, TLV_SIZE_1, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(items[0])},
	{"items2", TLV_INT64, TLV_SIZE_2, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(items[1])},
	{"items3", TLV_INT64, TLV_SIZE_3, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(items[2])},
	{"cells", TLV_INT64, SIZE_CELLS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(cells)},
	{"counts", TLV_FLOAT64, SIZE_CELLS, TLV_ONE, TLV_COUNTED, TLV_OWN, AT(counts)},
};
#undef AT
static const tlv_sections category_sections = {
	.state = sizeof(category_state),
	.kind = TLV_KIND_CATEGORY_VIEWS,
	TLV_LIST(category_list),
	.most = {TRIPLE_MOST, TRIPLE_MOST, TRIPLE_MOST, TLV_FRAME_MAX_BYTES / sizeof(double)},
	.describe = category_describe,
	.check_more = category_check,
	.merge_own = category_merge,
};

static const tlv_accumulator_class view_class = {
	.name = "view_moments",
	TLV_DECLARED(&view_sections),
	.rows = TLV_ROW_VIEWS,
	.add = view_add,
};
static const tlv_accumulator_class category_class = {
	.name = "category_views",
	TLV_DECLARED(&category_sections),
	.rows = TLV_ROW_CATEGORIES,
	.add = category_add,
};

const tlv_kind tlv_kind_view_moments = {TLV_KIND_LINE(VIEW_MOMENTS, view_moments),
										.accumulator = &view_class};
const tlv_kind tlv_kind_category_views = {TLV_KIND_LINE(CATEGORY_VIEWS, category_views),
										  .accumulator = &category_class};
