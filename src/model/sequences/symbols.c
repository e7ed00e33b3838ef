/*
 * symbols.c - moments of sequences of symbols: windows are counted (sequences.h).
 */
#include "internal.h"

/* Steps between two looks at whether to stop. */
#define STEPS_BETWEEN ((size_t) 65536)

tlv_status
sequence_add_symbols(tlv_context *ctx, sequence_state *state, size_t n, const int64_t *symbols,
					 const bool *missing)
{
	int32_t at[3] = {0, 0, 0};
	size_t run = 0; /* steps since the last that is missing */

	TLV_TRY(sequence_set_form(ctx, state, FORM_SYMBOLS));
	for (size_t i = 0; i < n; i++)
	{
		if (i % STEPS_BETWEEN == STEPS_BETWEEN - 1)
			TLV_TRY_CONTINUE(ctx);
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

tlv_status
sequence_note_names(tlv_context *ctx, sequence_state *state, const tlv_part *part)
{
	TLV_TRY(sequence_set_form(ctx, state, FORM_SYMBOLS));
	for (size_t i = 0; i < part->n; i++)
	{
		if (i % STEPS_BETWEEN == STEPS_BETWEEN - 1)
			TLV_TRY_CONTINUE(ctx);
		if (part->missing == NULL || !part->missing[i])
			TLV_TRY(tlv_name_table_add(ctx, &state->names, part->ids[i], part->names[i]));
	}
	return TLV_OK;
}

tlv_status
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

/* Puts the counts of a stored value's windows in, or takes them out: tlv_triple_add() or
 * tlv_triple_take(); at: where its symbols are here. */
static tlv_status
change_windows(tlv_context *ctx, sequence_state *state, const tlv_frame *frame, const int32_t *at,
			   tlv_status (*change)(tlv_context *, tlv_triple_table *, int64_t, double))
{
	size_t n = tlv_frame_find(frame, "cells")->rows;
	const int64_t *cells = tlv_frame_int64(frame, "cells");
	const double *counts = tlv_frame_float64(frame, "counts");

	for (size_t i = 0; i < n; i++)
	{
		size_t part[3];

		if (i % TRIPLES_BETWEEN == TRIPLES_BETWEEN - 1)
			TLV_TRY_CONTINUE(ctx);
		for (int t = 0; t < 3; t++)
			part[t] = (size_t) at[tlv_triple_part(cells[i], t)];
		TLV_TRY(change(ctx, &state->table, tlv_triple_key(part[0], part[1], part[2]), counts[i]));
	}
	return TLV_OK;
}

tlv_status
sequence_merge_symbols(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	sequence_state *state = (sequence_state *) accumulator;
	size_t m = tlv_frame_find(frame, "items")->rows;
	const int64_t *items = tlv_frame_int64(frame, "items");
	const double *initial = tlv_frame_float64(frame, "initial");
	int32_t *at = tlv_alloc(ctx, m, sizeof(int32_t));

	TLV_TRY_ALLOC(ctx, at);
	TLV_TRY(sequence_set_form(ctx, state, FORM_SYMBOLS));
	TLV_TRY(tlv_category_positions(ctx, &state->dictionary, m, items, "symbols", at));
	TLV_TRY(sequence_grow_initial(ctx, state, state->dictionary.n));
	for (size_t i = 0; i < m; i++)
		state->initial[at[i]] += initial[i];
	for (size_t i = 0; tlv_frame_scalar(frame, "short", 0) > 0 && i < m; i++)
		state->apart[at[i]] = true; /* which of them is, the value does not tell */
	TLV_TRY(change_windows(ctx, state, frame, at, tlv_triple_add));
	tlv_free(ctx, at);
	return TLV_OK;
}

static const tlv_name_sections name_sections = {"name_offsets", "names"};

tlv_status
sequence_merge_named(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	sequence_state *state = (sequence_state *) accumulator;

	TLV_TRY(sequence_merge_symbols(ctx, accumulator, frame));
	return tlv_name_table_add_frame(ctx, &state->names, frame);
}

/* ---- taking away ---- */

tlv_status
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
	TLV_TRY(change_windows(ctx, state, frame, at, tlv_triple_take));
	tlv_free(ctx, at);
	return TLV_OK;
}

tlv_status
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

tlv_status
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

tlv_status
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

tlv_status
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

tlv_status
sequence_check_named(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	TLV_TRY(tlv_name_list_check(ctx, frame, &name_sections, sizes[SIZE_NAMES]));
	return sequence_check_symbols(ctx, frame, sizes);
}
