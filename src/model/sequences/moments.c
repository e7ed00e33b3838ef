/*
 * moments.c - windows of three steps of sequences, and how sequences
 * begin (sequences.h).
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/views.h"

tlv_status
tlv_sequence_moments_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	return tlv_sections_create(ctx, tlv_kind_sequence_moments.accumulator, NULL, accumulator);
}

static tlv_status
sequence_moments_begin(tlv_context *ctx, const tlv_statistic *constants,
					   tlv_accumulator **accumulator)
{
	return tlv_sequence_moments_create(ctx, accumulator);
}

const tlv_aggregate tlv_aggregate_sequence_moments = {"tlv_sequence_moments", NULL,
													  sequence_moments_begin};

tlv_status
sequence_set_form(tlv_context *ctx, sequence_state *state, sequence_form form)
{
	if (state->form == FORM_UNKNOWN)
		state->form = form;
	if (state->form != form)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "sequences of symbols and of vectors cannot be combined");
		return tlv_fail_hint(ctx, "Collect them separately.");
	}
	return TLV_OK;
}

tlv_status
sequence_grow_initial(tlv_context *ctx, sequence_state *state, size_t n)
{
	size_t room = state->room < 16 ? 16 : state->room;
	double *grown;
	bool *apart;

	if (n <= state->room)
		return TLV_OK;
	while (room < n)
		room *= 2;
	grown = tlv_realloc(ctx, state->initial, room, sizeof(double));
	TLV_TRY_ALLOC(ctx, grown);
	memset(grown + state->room, 0, (room - state->room) * sizeof(double));
	state->initial = grown;
	apart = tlv_realloc(ctx, state->apart, room, sizeof(bool));
	TLV_TRY_ALLOC(ctx, apart);
	memset(apart + state->room, 0, (room - state->room) * sizeof(bool));
	state->apart = apart;
	state->room = room;
	return TLV_OK;
}

static tlv_status
sequence_refuse_more(tlv_context *ctx)
{
	return tlv_refuse_taken(ctx, "sequences");
}

/* ---- symbols ---- */

static tlv_status
sequence_add_symbols(tlv_context *ctx, sequence_state *state, size_t n, const int64_t *symbols,
					 const bool *missing)
{
	int32_t at[3] = {0, 0, 0};
	size_t run = 0; /* steps since the last that is missing */

	TLV_TRY(sequence_set_form(ctx, state, FORM_SYMBOLS));
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		at[0] = at[1];
		at[1] = at[2];
		run = missing != NULL && missing[i] ? 0 : run + 1;
		if (run == 0)
			continue;
		TLV_TRY(tlv_category_position(ctx, &state->dictionary, symbols[i], "symbols", &at[2]));
		if (i == 0)
		{
			TLV_TRY(sequence_grow_initial(ctx, state, state->dictionary.n));
			state->initial[at[2]]++;
		}
		if (run >= 3)
			TLV_TRY(tlv_triple_add(ctx, &state->table,
								   tlv_triple_key((size_t) at[0], (size_t) at[1], (size_t) at[2]),
								   1));
	}
	return sequence_grow_initial(ctx, state, state->dictionary.n);
}

/* The names of a sequence's symbols. */
static tlv_status
sequence_note_names(tlv_context *ctx, sequence_state *state, const tlv_part *part)
{
	TLV_TRY(sequence_set_form(ctx, state, FORM_SYMBOLS));
	for (size_t i = 0; i < part->n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (part->missing == NULL || !part->missing[i])
			TLV_TRY(tlv_name_table_add(ctx, &state->names, part->ids[i], part->names[i]));
	}
	return TLV_OK;
}

static tlv_status
sequence_note_symbols(tlv_context *ctx, sequence_state *state, const tlv_part *part)
{
	int32_t at;

	TLV_TRY(sequence_set_form(ctx, state, FORM_SYMBOLS));
	for (size_t i = 0; i < part->n; i++)
	{
		if (part->missing != NULL && part->missing[i])
			continue;
		TLV_TRY(tlv_category_position(ctx, &state->dictionary, part->ids[i], "symbols", &at));
		TLV_TRY(sequence_grow_initial(ctx, state, state->dictionary.n));
		state->apart[at] = true;
	}
	return sequence_grow_initial(ctx, state, state->dictionary.n);
}

/* ---- merging ---- */

/* Symbols of one value are all identified by number or all by name. */
static tlv_status
require_same_symbols(tlv_context *ctx, const sequence_state *state, const tlv_frame *frame)
{
	bool named = tlv_frame_find(frame, "names") != NULL;

	/* A single symbol without a name may be the empty text, which has none. */
	if (named == (state->names.n > 0) || state->dictionary.n == 0 ||
		(named ? state->dictionary.n : tlv_frame_find(frame, "items")->rows) < 2)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "symbols identified by number and by name cannot be combined");
	return tlv_fail_hint(ctx, "Cast all of them to bigint, or all to text.");
}

static tlv_status
sequence_merge_symbols(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	sequence_state *state = (sequence_state *) accumulator;
	size_t m = tlv_frame_find(frame, "items")->rows;
	const int64_t *items = tlv_frame_int64(frame, "items");
	const double *initial = tlv_frame_float64(frame, "initial");
	int32_t *at = tlv_alloc(ctx, m, sizeof(int32_t));

	TLV_TRY_ALLOC(ctx, at);
	TLV_TRY(sequence_set_form(ctx, state, FORM_SYMBOLS));
	TLV_TRY(require_same_symbols(ctx, state, frame));
	TLV_TRY(tlv_category_positions(ctx, &state->dictionary, m, items, "symbols", at));
	TLV_TRY(sequence_grow_initial(ctx, state, state->dictionary.n));
	for (size_t i = 0; i < m; i++)
		state->initial[at[i]] += initial[i];
	for (size_t i = 0; tlv_frame_scalar(frame, "short", 0) > 0 && i < m; i++)
		state->apart[at[i]] = true; /* which of them is, the value does not tell */
	TLV_TRY(tlv_triple_change_all(ctx, &state->table, frame, "cells", "counts",
								  (int32_t *const[3]){at, at, at}, tlv_triple_add));
	tlv_free(ctx, at);
	return TLV_OK;
}

static const tlv_name_sections name_sections = {"name_offsets", "names"};

/* The symbols of a sequence that has no window, as part of the vocabulary. */
static tlv_status
sequence_merge_named(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	sequence_state *state = (sequence_state *) accumulator;

	TLV_TRY(sequence_merge_symbols(ctx, accumulator, frame));
	return tlv_name_table_add_frame(ctx, &state->names, frame);
}

/* ---- taking away ---- */

/* Takes the counts of windows and of first symbols away. */
static tlv_status
sequence_take_symbols(tlv_context *ctx, sequence_state *state, const tlv_frame *frame)
{
	size_t m = tlv_frame_find(frame, "items")->rows;
	const double *initial = tlv_frame_float64(frame, "initial");
	int32_t *at = tlv_alloc(ctx, m, sizeof(int32_t));

	TLV_TRY_ALLOC(ctx, at);
	TLV_TRY(tlv_category_positions(ctx, &state->dictionary, m, tlv_frame_int64(frame, "items"),
								   "symbols", at));
	TLV_TRY(sequence_grow_initial(ctx, state, state->dictionary.n));
	for (size_t i = 0; i < m; i++)
	{
		if (initial[i] > state->initial[at[i]])
			return sequence_refuse_more(ctx);
		state->initial[at[i]] -= initial[i];
	}
	TLV_TRY(tlv_triple_change_all(ctx, &state->table, frame, "cells", "counts",
								  (int32_t *const[3]){at, at, at}, tlv_triple_take));
	tlv_free(ctx, at);
	return TLV_OK;
}

/* Has every symbol of the dictionary been the first of a sequence, or is it part of a window?  The
 * value of others, as of steps beside missing ones, does not tell who else has them. */
static tlv_status
sequence_all_counted(tlv_context *ctx, const sequence_state *state, bool *counted)
{
	bool *used;

	TLV_TRY_NEW0(ctx, used, state->dictionary.n);
	for (int t = 0; t < 3; t++)
		TLV_TRY(tlv_triple_mark(ctx, &state->table, t, used));
	*counted = true;
	for (size_t i = 0; i < state->dictionary.n && *counted; i++)
		*counted = used[i] || state->initial[i] > 0;
	tlv_free(ctx, used);
	return TLV_OK;
}

/* ---- the stored form ---- */

/* The symbols that are still there: of windows, first ones, or of sequences without a window, where
 * some may be gone. */
static tlv_status
mark_symbols(tlv_context *ctx, const sequence_state *state, bool **used)
{
	*used = NULL;
	if (!state->taken)
		return TLV_OK;
	TLV_TRY_NEW0(ctx, *used, state->dictionary.n);
	for (int t = 0; t < 3; t++)
		TLV_TRY(tlv_triple_mark(ctx, &state->table, t, *used));
	for (size_t i = 0; i < state->dictionary.n; i++)
		(*used)[i] |= state->initial[i] > 0 || state->apart[i];
	return TLV_OK;
}

static tlv_status
sequence_symbols_named(tlv_context *ctx, const sequence_state *state, bool *named)
{
	bool *used;

	*named = state->names.n > 0;
	if (!*named || !state->taken)
		return TLV_OK;
	*named = false;
	TLV_TRY(mark_symbols(ctx, state, &used));
	for (size_t i = 0; i < state->dictionary.n && !*named; i++)
		*named = (used == NULL || used[i]) &&
				 tlv_name_table_find(&state->names, state->dictionary.items[i]).bytes != NULL;
	tlv_free(ctx, used);
	return TLV_OK;
}

/* All names, those of short sequences too, or those of the symbols that are left. */
static tlv_status
list_names(tlv_context *ctx, sequence_state *state)
{
	size_t n = 0;

	if (!state->taken)
	{
		n = state->names.n;
		TLV_TRY(tlv_name_table_ids(ctx, &state->names, state->name_ids));
	}
	for (size_t i = 0; i < state->declared.sizes[SIZE_ITEMS] && state->taken; i++)
		if (tlv_name_table_find(&state->names, state->items[i]).bytes != NULL)
			state->name_ids[n++] = state->items[i];
	if (!tlv_name_table_list(&state->names, n, state->name_ids, state->name_offsets,
							 state->name_bytes))
		state->name_offsets[n] = 0;
	state->declared.sizes[SIZE_NAMES] = n;
	state->declared.sizes[SIZE_BYTES] = (size_t) state->name_offsets[n];
	return TLV_OK;
}

static tlv_status
sequence_describe_symbols(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	sequence_state *state = (sequence_state *) accumulator;
	size_t n = tlv_triple_count(&state->table), m = state->dictionary.n, named = state->names.n;
	size_t bytes = state->names.filled / sizeof(int64_t) + 1;
	int64_t *block = tlv_alloc(ctx, 2 * n + 3 * m + 2 * named + 1 + bytes, sizeof(int64_t));
	int32_t *rank, *ranks[3];
	bool *used;

	TLV_TRY_ALLOC(ctx, block);
	*owned = block;
	state->declared.sizes[SIZE_CELLS] = n;
	state->cells = block;
	state->items = block + 2 * n;
	state->first = (double *) (state->items + m);
	rank = (int32_t *) (state->first + m);
	state->name_ids = state->items + 3 * m;
	state->name_offsets = state->name_ids + named;
	state->name_bytes = (char *) (state->name_offsets + named + 1);
	ranks[0] = ranks[1] = ranks[2] = rank;
	TLV_TRY(mark_symbols(ctx, state, &used));
	TLV_TRY(tlv_dictionary_order_used(ctx, &state->dictionary, used, state->items, rank,
									  &state->declared.sizes[SIZE_ITEMS]));
	TLV_TRY(list_names(ctx, state));
	TLV_TRY(tlv_triple_list(ctx, &state->table, ranks, state->cells, &state->counts));
	for (size_t i = 0; i < m; i++)
		if (used == NULL || used[i])
			state->first[rank[i]] = state->initial[i];
	tlv_free(ctx, used);
	return TLV_OK;
}

static tlv_status
sequence_check_symbols(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const double *counts = tlv_frame_float64(frame, "counts");
	size_t m = sizes[SIZE_ITEMS];
	double windows = 0, steps = tlv_frame_scalar(frame, "steps", 0);

	for (size_t i = 0; i < sizes[SIZE_CELLS]; i++)
	{
		if (!(counts[i] >= 1))
			return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of section \"counts\" is %g", i + 1,
							counts[i]);
		windows += counts[i];
	}
	if (windows > steps) /* which are an integer */
		return tlv_fail(ctx, TLV_CORRUPT, "%g windows in %g steps", windows, steps);
	return tlv_triple_check(ctx, frame, "cells", (const size_t[3]){m, m, m});
}

/* Has any of the symbols that are still there a name? */
static tlv_status
sequence_check_named(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	TLV_TRY(tlv_name_list_check(ctx, frame, &name_sections, sizes[SIZE_NAMES]));
	return sequence_check_symbols(ctx, frame, sizes);
}

/* ---- sequences of either form ---- */

/* A sequence without a window: its symbols are in the vocabulary. */
static tlv_status
sequence_add_short(tlv_context *ctx, sequence_state *state, const tlv_row *row)
{
	const tlv_part *part = &row->part[0];

	state->too_short++;
	if (row->form != TLV_ROW_SYMBOLS || part->n == 0)
		return TLV_OK;
	return sequence_note_symbols(ctx, state, part);
}

static tlv_status
sequence_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	sequence_state *state = (sequence_state *) accumulator;
	const tlv_part *part = &row->part[0];
	size_t n = part->n;

	if (row->form == TLV_ROW_SYMBOLS && part->names != NULL)
		TLV_TRY(sequence_note_names(ctx, state, part));
	if (n < TLV_WINDOW)
		return sequence_add_short(ctx, state, row);
	TLV_TRY(row->form == TLV_ROW_SYMBOLS
				? sequence_add_symbols(ctx, state, n, part->ids, part->missing)
				: sequence_add_vectors(ctx, state, n, part->d, part->float64, part->missing));
	state->sequences++;
	state->steps += (double) n;
	return TLV_OK;
}

/* ---- taking away ---- */

static tlv_status
sequence_subtract(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame,
				  bool exactly, bool *done)
{
	sequence_state *state = (sequence_state *) accumulator;
	static const char *const names[] = {"sequences", "short", "nulls", "steps"};
	double *own[] = {&state->sequences, &state->too_short, &state->declared.base.nulls,
					 &state->steps};
	bool symbols = tlv_frame_find(frame, "items") != NULL;

	/* Symbols of short sequences are kept, too: which of those remain is not known. */
	*done = (symbols && state->form == FORM_SYMBOLS && state->too_short == 0 &&
			 !tlv_triple_is_stale(&state->table)) ||
			tlv_frame_find(frame, "initial") == NULL;
	if (*done && symbols && exactly)
		TLV_TRY(sequence_all_counted(ctx, state, done));
	if (!*done && exactly)
		return TLV_OK;
	if (!symbols && tlv_frame_find(frame, "initial") != NULL)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "sequences cannot be subtracted from moments of sequences of vectors");
		return tlv_fail_hint(ctx, "Add up the other parts instead, by tlv_rollup.");
	}
	*done = true;
	state->taken = true;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (tlv_frame_scalar(frame, names[i], 0) > *own[i])
			return sequence_refuse_more(ctx);
	if (symbols)
		TLV_TRY(sequence_take_symbols(ctx, state, frame));
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		*own[i] -= tlv_frame_scalar(frame, names[i], 0);
	return TLV_OK;
}

/* ---- the stored form ---- */

static tlv_status
check_nothing(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	(void) sizes;
	if (tlv_frame_scalar(frame, "sequences", 0) > 0)
		return tlv_fail(ctx, TLV_CORRUPT, "the sequences' windows are missing");
	return TLV_OK;
}

#define AT(member) offsetof(sequence_state, member)
#define COUNTERS                                                                                   \
	{"sequences", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(sequences)},               \
		{"short", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(too_short)},               \
		{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},     \
	{                                                                                              \
		"steps", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(steps)                      \
	}
static const tlv_declaration counter_list[] = {COUNTERS};
#define SYMBOLS                                                                                    \
	{"items", TLV_INT64, SIZE_ITEMS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(items)},                  \
		{"initial", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN, AT(first)},        \
		{"cells", TLV_INT64, SIZE_CELLS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(cells)},              \
	{                                                                                              \
		"counts", TLV_FLOAT64, SIZE_CELLS, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN, AT(counts)           \
	}
static const tlv_declaration symbol_list[] = {COUNTERS, SYMBOLS};
static const tlv_declaration named_list[] = {
	COUNTERS,
	SYMBOLS,
	{"name_ids", TLV_INT64, SIZE_NAMES, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(name_ids)},
	{"name_offsets", TLV_INT64, TLV_2_AND_1, TLV_ONE, TLV_ANY, TLV_OWN, AT(name_offsets)},
	{"names", TLV_BYTES, SIZE_BYTES, TLV_ONE, TLV_ANY, TLV_OWN, AT(name_bytes)},
};
static const tlv_declaration vector_list[] = {
	COUNTERS,
	{"initial", TLV_FLOAT64, TLV_SIZE_1, TLV_ONE, TLV_ANY, TLV_OWN, AT(initial)},
	VIEW_SUMS_LIST(sequence_state, sums),
};
static const tlv_declaration wide_list[] = {
	COUNTERS,
	{"initial", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_ANY, TLV_OWN, AT(initial)},
};
#undef COUNTERS
#undef AT

/* What a value holds says of what its sequences are: a declaration for each form. */
static const tlv_sections forms[] = {
	[FORM_UNKNOWN] = {.state = sizeof(sequence_state),
					  .kind = TLV_KIND_SEQUENCE_MOMENTS,
					  TLV_LIST(counter_list),
					  .check_more = check_nothing},
	[FORM_SYMBOLS] = {.state = sizeof(sequence_state),
					  .kind = TLV_KIND_SEQUENCE_MOMENTS,
					  TLV_LIST(symbol_list),
					  .most = {TRIPLE_MOST, 0, TLV_FRAME_MAX_BYTES / sizeof(double)},
					  .describe = sequence_describe_symbols,
					  .takes_away = true,
					  .check_more = sequence_check_symbols,
					  .merge_own = sequence_merge_symbols},
	[FORM_NAMED] = {.state = sizeof(sequence_state),
					.kind = TLV_KIND_SEQUENCE_MOMENTS,
					.n = sizeof(named_list) / sizeof(named_list[0]),
					.list = named_list,
					.most = {TRIPLE_MOST, TLV_DICTIONARY_MAX, TLV_FRAME_MAX_BYTES / sizeof(double),
							 TLV_FRAME_MAX_BYTES},
					.describe = sequence_describe_symbols,
					.takes_away = true,
					.check_more = sequence_check_named,
					.merge_own = sequence_merge_named},
	[FORM_VECTORS] = {.state = sizeof(sequence_state),
					  .kind = TLV_KIND_SEQUENCE_MOMENTS,
					  TLV_LIST(vector_list),
					  .most = {TLV_VIEW_MOST_TRIPLES, TLV_VIEW_MOST_TRIPLES, TLV_VIEW_MOST_TRIPLES},
					  .flush = sequence_flush_vectors,
					  .describe = sequence_describe_vectors,
					  .check_more = sequence_check_vectors,
					  .merge_own = sequence_merge_vectors},
	[FORM_WIDE] = {.state = sizeof(sequence_state),
				   .kind = TLV_KIND_SEQUENCE_MOMENTS,
				   .n = sizeof(wide_list) / sizeof(wide_list[0]),
				   .list = wide_list,
				   .most = {MOST_NUMBERS},
				   .describe = sequence_describe_wide,
				   .check_more = sequence_check_wide,
				   .merge_own = sequence_merge_wide},
};

static const tlv_sections *
sequence_form_of(const tlv_frame *frame)
{
	return &forms[tlv_frame_find(frame, "name_ids") != NULL	 ? FORM_NAMED
				  : tlv_frame_find(frame, "items") != NULL	 ? FORM_SYMBOLS
				  : tlv_frame_find(frame, "sum1") != NULL	 ? FORM_VECTORS
				  : tlv_frame_find(frame, "initial") != NULL ? FORM_WIDE
															 : FORM_UNKNOWN];
}

static tlv_status
sequence_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	return tlv_sections_merge_form(ctx, accumulator, sequence_form_of(frame), frame);
}

static tlv_status
sequence_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	sequence_state *state = (sequence_state *) accumulator;
	sequence_form form = state->form;
	bool named;

	TLV_TRY(sequence_symbols_named(ctx, state, &named));
	if (named)
		form = FORM_NAMED;
	if (form == FORM_SYMBOLS && state->taken && state->sequences == 0)
		form = FORM_UNKNOWN; /* as before the first */
	return tlv_sections_build_form(ctx, accumulator, &forms[form], builder);
}

static tlv_status
sequence_check(tlv_context *ctx, const tlv_frame *frame)
{
	return tlv_sections_check(ctx, frame, sequence_form_of(frame));
}

static const tlv_accumulator_class sequence_class = {
	.name = "sequence_moments",
	.sections = &forms[FORM_UNKNOWN],
	.form = sequence_form_of,
	.merge = sequence_merge,
	.build = sequence_build,
	.subtract = sequence_subtract,
	.rows = TLV_ROW_SEQUENCE | TLV_ROW_SYMBOLS | TLV_ROWS_MISSING_ELEMENTS,
	.add = sequence_add,
};
const tlv_kind tlv_kind_sequence_moments = {TLV_KIND_LINE(SEQUENCE_MOMENTS, sequence_moments),
											.check = sequence_check,
											.accumulator = &sequence_class};
