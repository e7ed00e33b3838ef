/*
 * categories.c - moments of three views that are categories: how often every triple of them occurs
 * (views.h).
 */
#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/views.h"
#include "tensorlv/num/names.h"
#include "tensorlv/num/sort.h"

/* The sizes: of each view's categories. */
#define SIZE_NAMES TLV_SIZE_2
#define SIZE_D1	   TLV_SIZE_1
#define SIZE_D2	   TLV_SIZE_3
#define SIZE_D3	   TLV_SIZE_4
#define SIZE_CELLS TLV_SIZE_5
#define SIZE_BYTES TLV_SIZE_6

typedef struct category_state
{
	tlv_declared declared;
	double rows;
	int64_t told[3]; /* 0: no row has come */
	tlv_dictionary dictionary[3];
	tlv_triple_table table;
	tlv_name_table names;
	bool *used[3]; /* while it is stored: the positions that are; NULL: all */
	/* the stored form */
	int64_t *items[3];
	int64_t *cells;
	double *counts;
	tlv_named_ids named;
} category_state;

static const size_t view_sizes[3] = {SIZE_D1, SIZE_D2, SIZE_D3};
static const char *const item_names[3] = {"items1", "items2", "items3"};

tlv_status
tlv_category_views_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	return tlv_sections_create(ctx, tlv_kind_category_views.accumulator, NULL, accumulator);
}

static tlv_status
category_views_begin(tlv_context *ctx, const tlv_statistic *constants,
					 tlv_accumulator **accumulator)
{
	(void) constants;
	return tlv_category_views_create(ctx, accumulator);
}

const tlv_aggregate tlv_aggregate_category_views = {"tlv_view_moments", NULL, category_views_begin};

/* ---- rows ---- */

/* The categories of a view are all numbers or all names. */
static tlv_status
view_tell(tlv_context *ctx, category_state *state, int view, int64_t told)
{
	if (state->told[view] == 0)
		state->told[view] = told;
	if (state->told[view] == told)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER,
			 "categories of view %d identified by number and by name cannot be combined", view + 1);
	return tlv_fail_hint(ctx, "Cast all of them to bigint, or all to text.");
}

static tlv_status
view_category_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	category_state *state = (category_state *) accumulator;
	int32_t at[3];

	TLV_TRY(tlv_row_require_parts(ctx, row));
	for (int t = 0; t < 3; t++)
		TLV_TRY(view_tell(ctx, state, t,
						  row->part[t].names == NULL ? TLV_CATEGORIES_BY_NUMBER
													 : TLV_CATEGORIES_BY_NAME));
	TLV_TRY(tlv_count_one(ctx, "rows", &state->rows));
	for (int t = 0; t < 3; t++)
	{
		const tlv_part *part = &row->part[t];

		if (part->names != NULL)
			TLV_TRY(tlv_name_table_add(ctx, &state->names, part->ids[0], part->names[0]));
		TLV_TRY(tlv_category_position(ctx, &state->dictionary[t], part->ids[0],
									  "categories in a view", &at[t]));
	}
	return tlv_triple_add(ctx, &state->table,
						  tlv_triple_key((size_t) at[0], (size_t) at[1], (size_t) at[2]), 1);
}

/* ---- values ---- */

static tlv_status
tell_frame(tlv_context *ctx, category_state *state, const tlv_frame *frame)
{
	const int64_t *told = tlv_frame_int64(frame, "told");

	if (tlv_frame_scalar(frame, "rows", 0) == 0)
		return TLV_OK;
	for (int t = 0; t < 3; t++)
		TLV_TRY(view_tell(ctx, state, t, told == NULL ? TLV_CATEGORIES_BY_NUMBER : told[t]));
	return TLV_OK;
}

/* The positions here of a value's categories; freed with at[0]. */
static tlv_status
positions_of(tlv_context *ctx, category_state *state, const tlv_frame *frame, int32_t *at[3])
{
	size_t d[3];

	for (int t = 0; t < 3; t++)
		d[t] = tlv_frame_find(frame, item_names[t])->rows;
	TLV_TRY_NEW(ctx, at[0], d[0] + d[1] + d[2]);
	at[1] = at[0] + d[0];
	at[2] = at[1] + d[1];
	for (int t = 0; t < 3; t++)
		TLV_TRY(tlv_category_positions(ctx, &state->dictionary[t], d[t],
									   tlv_frame_int64(frame, item_names[t]),
									   "categories in a view", at[t]));
	return TLV_OK;
}

static tlv_status
category_merge_own(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	category_state *state = (category_state *) accumulator;
	int32_t *at[3];

	TLV_TRY(tell_frame(ctx, state, frame));
	TLV_TRY(tlv_name_table_add_frame(ctx, &state->names, frame));
	TLV_TRY(positions_of(ctx, state, frame, at));
	TLV_TRY(
		tlv_triple_change_all(ctx, &state->table, frame, "cells", "counts", at, tlv_triple_add));
	tlv_free(ctx, at[0]);
	return TLV_OK;
}

/* Counts are whole numbers: what is left is what would have come without these. */
static tlv_status
category_subtract(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame,
				  bool exactly, bool *done)
{
	category_state *state = (category_state *) accumulator;
	double rows = tlv_frame_scalar(frame, "rows", 0), nulls = tlv_frame_scalar(frame, "nulls", 0);
	int32_t *at[3];

	*done = !(exactly && tlv_triple_is_stale(&state->table));
	if (!*done)
		return TLV_OK;
	if (rows > state->rows || nulls > state->declared.base.nulls)
		return tlv_refuse_taken(ctx, "rows");
	TLV_TRY(tell_frame(ctx, state, frame));
	TLV_TRY(positions_of(ctx, state, frame, at));
	TLV_TRY(
		tlv_triple_change_all(ctx, &state->table, frame, "cells", "counts", at, tlv_triple_take));
	tlv_free(ctx, at[0]);
	state->declared.base.nulls -= nulls;
	state->rows -= rows;
	if (state->rows == 0)
		memset(state->told, 0, sizeof(state->told));
	return TLV_OK;
}

/* ---- the stored form ---- */

/* Which categories there are still, where some may be gone. */
static tlv_status
view_mark_used(tlv_context *ctx, category_state *state)
{
	size_t n[3];

	state->used[0] = state->used[1] = state->used[2] = NULL;
	if (state->table.gone == 0)
		return TLV_OK;
	for (int t = 0; t < 3; t++)
		n[t] = state->dictionary[t].n;
	TLV_TRY_NEW0(ctx, state->used[0], n[0] + n[1] + n[2]);
	state->used[1] = state->used[0] + n[0];
	state->used[2] = state->used[1] + n[1];
	for (int t = 0; t < 3; t++)
		TLV_TRY(tlv_triple_mark(ctx, &state->table, t, state->used[t]));
	return TLV_OK;
}

/* The categories and the cells, in their order. */
static tlv_status
describe_cells(tlv_context *ctx, category_state *state, int32_t *rank[3])
{
	for (int t = 0; t < 3; t++)
		TLV_TRY(tlv_dictionary_order_used(ctx, &state->dictionary[t], state->used[t],
										  state->items[t], rank[t],
										  &state->declared.sizes[view_sizes[t]]));
	return tlv_triple_list(ctx, &state->table, rank, state->cells, &state->counts);
}

/* Categories ascending: equal moments are equal bytes whatever the order of the rows. */
static tlv_status
category_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	category_state *state = (category_state *) accumulator;
	size_t n = tlv_triple_count(&state->table), named = state->names.n, wide = 0;
	bool by_name[3];
	int32_t *rank[3];
	int64_t *block;

	for (int t = 0; t < 3; t++)
	{
		wide += state->dictionary[t].n;
		by_name[t] = state->told[t] == TLV_CATEGORIES_BY_NAME;
	}
	*owned = block =
		tlv_alloc(ctx, 2 * n + 2 * wide + 2 * named + 2 + state->names.filled / sizeof(int64_t),
				  sizeof(int64_t));
	TLV_TRY_ALLOC(ctx, block);
	state->declared.sizes[SIZE_CELLS] = n;
	state->cells = block;
	block += 2 * n;
	for (int t = 0; t < 3; block += state->dictionary[t++].n)
		state->items[t] = block;
	rank[0] = (int32_t *) block;
	rank[1] = rank[0] + state->dictionary[0].n;
	rank[2] = rank[1] + state->dictionary[1].n;
	TLV_TRY(describe_cells(ctx, state, rank));
	TLV_TRY(tlv_named_ids_list(ctx, &state->names, state->dictionary, by_name, state->used,
							   block + wide, &state->named));
	state->declared.sizes[SIZE_NAMES] = state->named.n;
	state->declared.sizes[SIZE_BYTES] = state->named.bytes_n;
	return TLV_OK;
}

static tlv_status
check_cells(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const double *counts = tlv_frame_float64(frame, "counts");
	double rows = 0;

	TLV_TRY(tlv_triple_check(ctx, frame, "cells",
							 (const size_t[3]){sizes[SIZE_D1], sizes[SIZE_D2], sizes[SIZE_D3]}));
	for (size_t i = 0; i < sizes[SIZE_CELLS]; i++)
		rows += counts[i];
	if (rows != tlv_frame_scalar(frame, "rows", 0))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"counts\" sums to %g instead of %g", rows,
						tlv_frame_scalar(frame, "rows", 0));
	return TLV_OK;
}

static bool
holds_id(const tlv_frame *frame, const char *section, int64_t id)
{
	size_t n = tlv_frame_find(frame, section)->rows;

	return tlv_find_id(tlv_frame_int64(frame, section), n, id) < n;
}

/* Names are those of categories of views that are told by name. */
static tlv_status
check_named(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const int64_t *told = tlv_frame_int64(frame, "told"), *ids = tlv_frame_int64(frame, "name_ids");

	TLV_TRY(check_cells(ctx, frame, sizes));
	/* There are none where the only category that is told by name is the empty text. */
	TLV_TRY(tlv_id_names_check(ctx, frame, sizes[SIZE_NAMES]));
	for (int t = 0; t < 3; t++)
		if (told[t] != TLV_CATEGORIES_BY_NUMBER && told[t] != TLV_CATEGORIES_BY_NAME)
			return tlv_fail(ctx, TLV_CORRUPT,
							"categories of view %d are identified by neither number nor name",
							t + 1);
	for (size_t i = 0; i < sizes[SIZE_NAMES]; i++)
	{
		bool known = false;

		TLV_TRY_CONTINUE_AT(ctx, i);
		for (int t = 0; t < 3; t++)
			known |= told[t] == TLV_CATEGORIES_BY_NAME && holds_id(frame, item_names[t], ids[i]);
		if (!known)
			return tlv_fail(ctx, TLV_CORRUPT, "a name is that of no category");
	}
	return TLV_OK;
}

#define AT(member) offsetof(category_state, member)
#define CELLS                                                                                      \
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(rows)},                         \
		{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},     \
		{"items1", TLV_INT64, SIZE_D1, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(items[0])},             \
		{"items2", TLV_INT64, SIZE_D2, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(items[1])},             \
		{"items3", TLV_INT64, SIZE_D3, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(items[2])},             \
		{"cells", TLV_INT64, SIZE_CELLS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(cells)},              \
	{                                                                                              \
		"counts", TLV_FLOAT64, SIZE_CELLS, TLV_ONE, TLV_COUNTED, TLV_OWN, AT(counts)               \
	}
static const tlv_declaration number_list[] = {CELLS};
static const tlv_declaration named_list[] = {
	CELLS,
	{"told", TLV_INT64, TLV_THREE, TLV_ONE, TLV_POSITIVE, TLV_OWN, AT(told)},
	{"name_ids", TLV_INT64, SIZE_NAMES, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(named.ids)},
	{"name_offsets", TLV_INT64, TLV_2_AND_1, TLV_ONE, TLV_ANY, TLV_OWN, AT(named.offsets)},
	{"names", TLV_BYTES, SIZE_BYTES, TLV_ONE, TLV_ANY, TLV_OWN, AT(named.bytes)},
};
#undef CELLS
#undef AT

#define MOST_CELLS (TLV_FRAME_MAX_BYTES / sizeof(double))

/* A declaration for categories that are numbers, and one for those of which some have names. */
static const tlv_sections forms[2] = {
	{.state = sizeof(category_state),
	 .kind = TLV_KIND_CATEGORY_VIEWS,
	 .n = sizeof(number_list) / sizeof(number_list[0]),
	 .list = number_list,
	 .most = {TRIPLE_MOST, 0, TRIPLE_MOST, TRIPLE_MOST, MOST_CELLS},
	 .describe = category_describe,
	 .takes_away = true,
	 .check_more = check_cells,
	 .merge_own = category_merge_own},
	{.state = sizeof(category_state),
	 .kind = TLV_KIND_CATEGORY_VIEWS,
	 .n = sizeof(named_list) / sizeof(named_list[0]),
	 .list = named_list,
	 .most = {TRIPLE_MOST, 3 * TRIPLE_MOST, TRIPLE_MOST, TRIPLE_MOST, MOST_CELLS,
			  TLV_FRAME_MAX_BYTES},
	 .describe = category_describe,
	 .takes_away = true,
	 .check_more = check_named,
	 .merge_own = category_merge_own},
};

static const tlv_sections *
view_form_of(const tlv_frame *frame)
{
	return &forms[tlv_frame_find(frame, "told") != NULL];
}

static tlv_status
view_category_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	return tlv_sections_merge_form(ctx, accumulator, view_form_of(frame), frame);
}

static tlv_status
view_category_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	category_state *state = (category_state *) accumulator;
	bool named = false;

	TLV_TRY(view_mark_used(ctx, state));
	for (int t = 0; t < 3; t++)
		named |= state->told[t] == TLV_CATEGORIES_BY_NAME;
	TLV_TRY(tlv_sections_build_form(ctx, accumulator, &forms[named], builder));
	tlv_free(ctx, state->used[0]);
	return TLV_OK;
}

static tlv_status
view_category_check(tlv_context *ctx, const tlv_frame *frame)
{
	return tlv_sections_check(ctx, frame, view_form_of(frame));
}

static const tlv_accumulator_class category_class = {
	.name = "category_views",
	.sections = &forms[0],
	.form = view_form_of,
	.merge = view_category_merge,
	.build = view_category_build,
	.subtract = category_subtract,
	.rows = TLV_ROW_CATEGORIES,
	.add = view_category_add,
};
const tlv_kind tlv_kind_category_views = {TLV_KIND_LINE(CATEGORY_VIEWS, category_views),
										  .check = view_category_check,
										  .accumulator = &category_class};
