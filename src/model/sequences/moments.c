/*
 * moments.c - windows of three steps of sequences, and how sequences
 * begin (sequences.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/sequences.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/views.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/view_sums.h"

/* Steps between two looks at whether to stop. */
#define STEPS_BETWEEN ((size_t) 65536)
/* Numbers that a vector has at most, as those of models. */
#define MOST_NUMBERS ((size_t) 4000)

typedef enum sequence_form
{
	FORM_UNKNOWN,
	FORM_SYMBOLS,
	FORM_VECTORS,
	FORM_NAMED, /* symbols that are told by name, as they are stored */
	FORM_WIDE	/* vectors of too many numbers for third moments: no windows are kept */
} sequence_form;

/* The sizes: of vectors their dimension three times (view_sums.h), of symbols these. */
#define SIZE_ITEMS TLV_SIZE_1
#define SIZE_NAMES TLV_SIZE_2
#define SIZE_CELLS TLV_SIZE_3
#define SIZE_BYTES TLV_SIZE_4

typedef struct sequence_state
{
	tlv_declared declared;
	sequence_form form;
	double sequences;
	double too_short;
	double steps;
	/* symbols */
	tlv_dictionary dictionary;
	tlv_triple_table table;
	double *initial; /* by position: how often first; of vectors, the sum of the first ones */
	size_t room;
	tlv_name_table names; /* of symbols, those of short sequences too */
	bool taken;			  /* sequences have been taken out again */
	/* their stored form */
	int64_t *items;
	double *first; /* initial, by item */
	int64_t *cells;
	double *counts;
	int64_t *name_ids, *name_offsets;
	char *name_bytes;
	/* vectors */
	tlv_view_sums sums;
	size_t wide; /* numbers of wide ones */
} sequence_state;

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

static tlv_status
set_form(tlv_context *ctx, sequence_state *state, sequence_form form)
{
	if (state->form == FORM_UNKNOWN)
		state->form = form;
	if (state->form != form)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"sequences of symbols and of vectors cannot be put together");
	return TLV_OK;
}

/* Room for the first symbols of `n` positions. */
static tlv_status
grow_initial(tlv_context *ctx, sequence_state *state, size_t n)
{
	size_t room = state->room < 16 ? 16 : state->room;
	double *grown;

	if (n <= state->room)
		return TLV_OK;
	while (room < n)
		room *= 2;
	grown = tlv_realloc(ctx, state->initial, room, sizeof(double));
	TLV_TRY_ALLOC(ctx, grown);
	memset(grown + state->room, 0, (room - state->room) * sizeof(double));
	state->initial = grown;
	state->room = room;
	return TLV_OK;
}

static tlv_status
add_symbols(tlv_context *ctx, sequence_state *state, size_t n, const int64_t *symbols,
			const bool *missing)
{
	int32_t at[3] = {0, 0, 0};
	size_t run = 0; /* steps since the last that is missing */

	TLV_TRY(set_form(ctx, state, FORM_SYMBOLS));
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
			TLV_TRY(grow_initial(ctx, state, state->dictionary.n));
			state->initial[at[2]]++;
		}
		if (run >= 3)
			TLV_TRY(tlv_triple_add(ctx, &state->table,
								   tlv_triple_key((size_t) at[0], (size_t) at[1], (size_t) at[2]),
								   1));
	}
	return grow_initial(ctx, state, state->dictionary.n);
}

/* The names of a sequence's symbols. */
static tlv_status
note_names(tlv_context *ctx, sequence_state *state, const tlv_part *part)
{
	TLV_TRY(set_form(ctx, state, FORM_SYMBOLS));
	for (size_t i = 0; i < part->n; i++)
	{
		if (i % STEPS_BETWEEN == STEPS_BETWEEN - 1)
			TLV_TRY_CONTINUE(ctx);
		if (part->missing == NULL || !part->missing[i])
			TLV_TRY(tlv_name_table_add(ctx, &state->names, part->ids[i], part->names[i]));
	}
	return TLV_OK;
}

static tlv_status
refuse_dimension(tlv_context *ctx, size_t d, size_t expected)
{
	return tlv_fail(ctx, TLV_BAD_DATA, "a sequence of vectors of %zu numbers among vectors of %zu",
					d, expected);
}

static tlv_status
create_vectors(tlv_context *ctx, sequence_state *state, size_t d)
{
	const size_t all[3] = {d, d, d};

	TLV_TRY(tlv_view_sums_create(ctx, all, true, &state->sums));
	return grow_initial(ctx, state, d);
}

static bool
is_wide(size_t d)
{
	return (double) d * (double) d * (double) d > TLV_VIEW_MOST_TRIPLES;
}

static tlv_status
set_wide(tlv_context *ctx, sequence_state *state, size_t d)
{
	if (state->form == FORM_WIDE && state->wide != d)
		return refuse_dimension(ctx, d, state->wide);
	if (state->form == FORM_VECTORS)
		return refuse_dimension(ctx, d, state->sums.d[0]);
	TLV_TRY(set_form(ctx, state, FORM_WIDE));
	if (d > MOST_NUMBERS)
		return tlv_fail(ctx, TLV_LIMIT, "vectors of %zu numbers have more than %zu", d,
						MOST_NUMBERS);
	state->wide = d;
	return grow_initial(ctx, state, d);
}

/* Of wide vectors only how sequences begin is kept. */
static tlv_status
add_wide(tlv_context *ctx, sequence_state *state, size_t d, const double *x)
{
	TLV_TRY(set_wide(ctx, state, d));
	for (size_t i = 0; i < d; i++)
		state->initial[i] += isnan(x[i]) ? 0 : x[i];
	return TLV_OK;
}

static tlv_status
check_finite(tlv_context *ctx, size_t n, size_t d, const double *x, const bool *missing)
{
	for (size_t i = 0; i < n * d; i++)
		if (!isfinite(x[i]) && (missing == NULL || !missing[i]))
			return tlv_fail(ctx, TLV_BAD_DATA, "number %zu of step %zu is %s", i % d + 1, i / d + 1,
							isnan(x[i]) ? "NaN" : "infinite");
	return TLV_OK;
}

/* The first window says what sums are taken about: those of the first steps so far move there. */
static void
move_initial(sequence_state *state, const double *first)
{
	if (state->sums.rows > 0 || state->sums.waiting > 0)
		return;
	for (size_t i = 0; i < state->sums.d[0]; i++)
		state->initial[i] += state->sequences * (state->sums.shift[0][i] - first[i]);
}

static tlv_status
add_vectors(tlv_context *ctx, sequence_state *state, size_t n, size_t d, const double *x,
			const bool *missing)
{
	TLV_TRY(check_finite(ctx, n, d, x, missing));
	if (is_wide(d))
		return add_wide(ctx, state, d, x);
	if (state->form == FORM_WIDE)
		return refuse_dimension(ctx, d, state->wide);
	TLV_TRY(set_form(ctx, state, FORM_VECTORS));
	if (state->sums.d[0] == 0)
		TLV_TRY(create_vectors(ctx, state, d));
	if (state->sums.d[0] != d)
		return refuse_dimension(ctx, d, state->sums.d[0]);
	for (size_t i = 0; i + 2 < n; i++)
	{
		const double *views[3] = {x + i * d, x + (i + 1) * d, x + (i + 2) * d};

		if (i % 1024 == 1023)
			TLV_TRY_CONTINUE(ctx);
		if (missing != NULL && memchr(missing + i * d, 1, 3 * d) != NULL)
			continue;
		move_initial(state, views[0]);
		TLV_TRY(tlv_view_sums_add(ctx, &state->sums, views));
	}
	for (size_t i = 0; i < d; i++) /* a number that is missing is taken for the reference */
		state->initial[i] += isnan(x[i]) ? 0 : x[i] - state->sums.shift[0][i];
	return TLV_OK;
}

static tlv_status
sequence_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	sequence_state *state = (sequence_state *) accumulator;
	const tlv_part *part = &row->part[0];
	size_t n = part->n;

	if (row->form == TLV_ROW_SYMBOLS && part->names != NULL)
		TLV_TRY(note_names(ctx, state, part));
	if (n < TLV_WINDOW)
	{
		state->too_short++;
		return TLV_OK;
	}
	TLV_TRY(row->form == TLV_ROW_SYMBOLS
				? add_symbols(ctx, state, n, part->ids, part->missing)
				: add_vectors(ctx, state, n, part->d, part->float64, part->missing));
	state->sequences++;
	state->steps += (double) n;
	return TLV_OK;
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

static tlv_status
merge_symbols(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	sequence_state *state = (sequence_state *) accumulator;
	size_t m = tlv_frame_find(frame, "items")->rows;
	const int64_t *items = tlv_frame_int64(frame, "items");
	const double *initial = tlv_frame_float64(frame, "initial");
	int32_t *at = tlv_alloc(ctx, m, sizeof(int32_t));

	TLV_TRY_ALLOC(ctx, at);
	TLV_TRY(set_form(ctx, state, FORM_SYMBOLS));
	TLV_TRY(tlv_category_positions(ctx, &state->dictionary, m, items, "symbols", at));
	TLV_TRY(grow_initial(ctx, state, state->dictionary.n));
	for (size_t i = 0; i < m; i++)
		state->initial[at[i]] += initial[i];
	TLV_TRY(change_windows(ctx, state, frame, at, tlv_triple_add));
	tlv_free(ctx, at);
	return TLV_OK;
}

static const tlv_name_sections name_sections = {"name_offsets", "names"};

static tlv_status
merge_named(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	sequence_state *state = (sequence_state *) accumulator;

	TLV_TRY(merge_symbols(ctx, accumulator, frame));
	return tlv_name_table_add_frame(ctx, &state->names, frame);
}

static tlv_status
merge_vectors(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	sequence_state *state = (sequence_state *) accumulator;
	const double *initial = tlv_frame_float64(frame, "initial");
	const double *shift = tlv_frame_float64(frame, "shift1");
	double sequences = tlv_frame_scalar(frame, "sequences", 0);
	double *before;
	tlv_view_sums other;
	size_t d;

	TLV_TRY(set_form(ctx, state, FORM_VECTORS));
	TLV_TRY(tlv_view_sums_read(ctx, frame, false, &other));
	d = other.d[0];
	if (state->sums.d[0] == 0)
	{
		TLV_TRY(create_vectors(ctx, state, d));
		memcpy(state->sums.shift[0], shift, d * sizeof(double));
	}
	if (state->sums.d[0] != d)
		return refuse_dimension(ctx, d, state->sums.d[0]);
	TLV_TRY_NEW(ctx, before, d);
	memcpy(before, state->sums.shift[0], d * sizeof(double));
	tlv_view_sums_merge(&state->sums, &other);
	for (size_t i = 0; i < d; i++)
		state->initial[i] += state->sequences * (before[i] - state->sums.shift[0][i]) + initial[i] +
							 sequences * (shift[i] - state->sums.shift[0][i]);
	tlv_free(ctx, before);
	tlv_view_sums_free(ctx, &other);
	return TLV_OK;
}

static tlv_status
merge_wide(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	sequence_state *state = (sequence_state *) accumulator;
	const double *initial = tlv_frame_float64(frame, "initial");
	size_t d = tlv_frame_find(frame, "initial")->rows;

	TLV_TRY(set_wide(ctx, state, d));
	for (size_t i = 0; i < d; i++)
		state->initial[i] += initial[i];
	return TLV_OK;
}

static tlv_status
sequence_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	return tlv_view_sums_flush(ctx, &((sequence_state *) accumulator)->sums);
}

/* ---- taking away ---- */

static tlv_status
refuse_more(tlv_context *ctx)
{
	return tlv_fail(ctx, TLV_BAD_DATA, "more sequences are taken away than there are");
}

/* The counts of windows and of first symbols. */
static tlv_status
take_symbols(tlv_context *ctx, sequence_state *state, const tlv_frame *frame)
{
	size_t m = tlv_frame_find(frame, "items")->rows;
	const double *initial = tlv_frame_float64(frame, "initial");
	int32_t *at = tlv_alloc(ctx, m, sizeof(int32_t));

	TLV_TRY_ALLOC(ctx, at);
	TLV_TRY(tlv_category_positions(ctx, &state->dictionary, m, tlv_frame_int64(frame, "items"),
								   "symbols", at));
	TLV_TRY(grow_initial(ctx, state, state->dictionary.n));
	for (size_t i = 0; i < m; i++)
	{
		if (initial[i] > state->initial[at[i]])
			return refuse_more(ctx);
		state->initial[at[i]] -= initial[i];
	}
	TLV_TRY(change_windows(ctx, state, frame, at, tlv_triple_take));
	tlv_free(ctx, at);
	return TLV_OK;
}

/* Has every symbol of the dictionary been the first of a sequence, or is it part of a window?  The
 * value of others, as of steps beside missing ones, does not tell who else has them. */
static tlv_status
all_counted(tlv_context *ctx, const sequence_state *state, bool *counted)
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

static tlv_status
sequence_subtract(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame,
				  bool exactly, bool *done)
{
	sequence_state *state = (sequence_state *) accumulator;
	static const char *const names[] = {"sequences", "short", "nulls", "steps"};
	double *own[] = {&state->sequences, &state->too_short, &state->declared.base.nulls,
					 &state->steps};
	bool symbols = tlv_frame_find(frame, "items") != NULL;

	/* Names are kept of short sequences, too: whose are left of those, nobody knows. */
	*done =
		(symbols && state->form == FORM_SYMBOLS && (state->names.n == 0 || state->too_short == 0) &&
		 !tlv_triple_is_stale(&state->table)) ||
		tlv_frame_find(frame, "initial") == NULL;
	if (*done && symbols && exactly)
		TLV_TRY(all_counted(ctx, state, done));
	if (!*done && exactly)
		return TLV_OK;
	if (!symbols && tlv_frame_find(frame, "initial") != NULL)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"no sequences can be taken out of moments of sequences of vectors");
	*done = true;
	state->taken = true;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (tlv_frame_scalar(frame, names[i], 0) > *own[i])
			return refuse_more(ctx);
	if (symbols)
		TLV_TRY(take_symbols(ctx, state, frame));
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		*own[i] -= tlv_frame_scalar(frame, names[i], 0);
	return TLV_OK;
}

/* ---- the stored form ---- */

/* The symbols that are still there: of windows, or first ones, where some may be gone. */
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
		(*used)[i] |= state->initial[i] > 0;
	return TLV_OK;
}

/* Has any of them a name? */
static tlv_status
symbols_named(tlv_context *ctx, const sequence_state *state, bool *named)
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
describe_symbols(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
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
check_symbols(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
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
	if (windows > steps) /* which are a whole number */
		return tlv_fail(ctx, TLV_CORRUPT, "%g windows in %g steps", windows, steps);
	return tlv_triple_check(ctx, frame, (const size_t[3]){m, m, m});
}

static tlv_status
check_named(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	TLV_TRY(tlv_name_list_check(ctx, frame, &name_sections, sizes[SIZE_NAMES]));
	return check_symbols(ctx, frame, sizes);
}

static tlv_status
check_initial(tlv_context *ctx, const sequence_state *state, size_t d)
{
	for (size_t i = 0; i < d; i++)
		if (!isfinite(state->initial[i]))
			return tlv_fail(ctx, TLV_BAD_DATA, "the numbers are too large for third moments");
	return TLV_OK;
}

static tlv_status
describe_vectors(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	sequence_state *state = (sequence_state *) accumulator;

	(void) owned;
	memcpy(state->declared.sizes, state->sums.d, sizeof(state->sums.d));
	TLV_TRY(check_initial(ctx, state, state->sums.d[0]));
	return tlv_view_sums_require_finite(ctx, &state->sums);
}

static tlv_status
describe_wide(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	sequence_state *state = (sequence_state *) accumulator;

	(void) owned;
	state->declared.sizes[SIZE_ITEMS] = state->wide;
	return check_initial(ctx, state, state->wide);
}

static tlv_status
check_wide(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	(void) frame;
	if (!is_wide(sizes[SIZE_ITEMS]))
		return tlv_fail(ctx, TLV_CORRUPT, "the sequences' windows are missing");
	return TLV_OK;
}

static tlv_status
check_vectors(tlv_context *ctx, const tlv_frame *frame, const size_t *d)
{
	(void) frame;
	if (d[0] != d[1] || d[0] != d[2])
		return tlv_fail(ctx, TLV_CORRUPT, "the windows' vectors differ in length");
	return tlv_view_sums_check(ctx, d);
}

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
					  .describe = describe_symbols,
					  .takes_away = true,
					  .check_more = check_symbols,
					  .merge_own = merge_symbols},
	[FORM_NAMED] = {.state = sizeof(sequence_state),
					.kind = TLV_KIND_SEQUENCE_MOMENTS,
					.n = sizeof(named_list) / sizeof(named_list[0]),
					.list = named_list,
					.most = {TRIPLE_MOST, TLV_DICTIONARY_MAX, TLV_FRAME_MAX_BYTES / sizeof(double),
							 TLV_FRAME_MAX_BYTES},
					.describe = describe_symbols,
					.takes_away = true,
					.check_more = check_named,
					.merge_own = merge_named},
	[FORM_VECTORS] = {.state = sizeof(sequence_state),
					  .kind = TLV_KIND_SEQUENCE_MOMENTS,
					  TLV_LIST(vector_list),
					  .most = {TLV_VIEW_MOST_TRIPLES, TLV_VIEW_MOST_TRIPLES, TLV_VIEW_MOST_TRIPLES},
					  .flush = sequence_flush,
					  .describe = describe_vectors,
					  .check_more = check_vectors,
					  .merge_own = merge_vectors},
	[FORM_WIDE] = {.state = sizeof(sequence_state),
				   .kind = TLV_KIND_SEQUENCE_MOMENTS,
				   .n = sizeof(wide_list) / sizeof(wide_list[0]),
				   .list = wide_list,
				   .most = {MOST_NUMBERS},
				   .describe = describe_wide,
				   .check_more = check_wide,
				   .merge_own = merge_wide},
};

static const tlv_sections *
form_of(const tlv_frame *frame)
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
	return tlv_sections_merge_form(ctx, accumulator, form_of(frame), frame);
}

static tlv_status
sequence_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	sequence_state *state = (sequence_state *) accumulator;
	sequence_form form = state->form;
	bool named;

	TLV_TRY(symbols_named(ctx, state, &named));
	if (named)
		form = FORM_NAMED;
	if (form == FORM_SYMBOLS && state->taken && state->sequences == 0)
		form = FORM_UNKNOWN; /* as before the first */
	return tlv_sections_build_form(ctx, accumulator, &forms[form], builder);
}

static tlv_status
sequence_check(tlv_context *ctx, const tlv_frame *frame)
{
	return tlv_sections_check(ctx, frame, form_of(frame));
}

static const tlv_accumulator_class sequence_class = {
	.name = "sequence_moments",
	.sections = &forms[FORM_UNKNOWN],
	.form = form_of,
	.merge = sequence_merge,
	.build = sequence_build,
	.subtract = sequence_subtract,
	.rows = TLV_ROW_SEQUENCE | TLV_ROW_SYMBOLS | TLV_ROWS_MISSING_ELEMENTS,
	.add = sequence_add,
};
const tlv_kind tlv_kind_sequence_moments = {TLV_KIND_LINE(SEQUENCE_MOMENTS, sequence_moments),
											.check = sequence_check,
											.accumulator = &sequence_class};
