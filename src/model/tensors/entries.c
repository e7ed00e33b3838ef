/*
 * entries.c - entries of a tensor as they come, and merged (tensors.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/num/dictionary.h"

/* Three tables of places: sums of values other than 0; weights of rows whose value is 0, and of
 * rows whose value is missing.  A place of the last that is in neither of the others is missing. */
typedef enum table_of
{
	VALUES,
	ZEROS,
	NULLS,
	TABLES
} table_of;

#define SIZE_CELLS TLV_SIZE_6
#define SIZE_ZEROS TLV_SIZE_7
#define SIZE_NULLS TLV_SIZE_8

/* The sections of a table: places, and what they count. */
static const char *const sections_of[TABLES][2] = {
	{"cells", "values"}, {"zero_cells", "zero_rows"}, {"null_cells", "null_rows"}};
static const size_t size_of[TABLES] = {SIZE_CELLS, SIZE_ZEROS, SIZE_NULLS};

typedef struct entries_state
{
	tlv_declared declared;
	tlv_dictionary sets[TLV_MODES];
	tlv_name_table names;
	tlv_triple_table table[TABLES]; /* by places in the dictionaries */
	double total;					/* moduli of all that was added */
	bool fractions;					/* some values were not integers */
	/* the stored form */
	tlv_tensor_ids ids;
	int64_t *cells[TABLES];
	double *counts[TABLES];
} entries_state;

tlv_status
tlv_tensor_entries_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	return tlv_sections_create(ctx, tlv_kind_tensor_entries.accumulator, NULL, accumulator);
}

static tlv_status
entries_begin(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	(void) constants;
	return tlv_tensor_entries_create(ctx, accumulator);
}

const tlv_aggregate tlv_aggregate_tensor_entries = {"tlv_tensor_agg", NULL, entries_begin};

/* ---- rows ---- */

/* Ids of a mode are all numbers or all of names. */
static tlv_status
tensor_tell(tlv_context *ctx, entries_state *state, int mode, double told)
{
	if (state->ids.told[mode] == 0)
		state->ids.told[mode] = told;
	if (told == 0 || state->ids.told[mode] == told)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER,
			 "items of mode %d identified by number and by name cannot be combined", mode + 1);
	return tlv_fail_hint(ctx, "Cast all of them to bigint, or all to text.");
}

static tlv_status
place_item(tlv_context *ctx, entries_state *state, int mode, int64_t id, int32_t *place)
{
	char what[32] = "items of mode 1";

	what[strlen(what) - 1] = (char) ('1' + mode);
	return tlv_category_position(ctx, &state->sets[mode], id, what, place);
}

static int64_t
tensor_key_of(const int32_t place[TLV_MODES])
{
	return tlv_triple_key((size_t) place[0], (size_t) place[1], (size_t) place[2]);
}

/* Adds a value, or, to the other tables, rows. */
static tlv_status
add_count(tlv_context *ctx, entries_state *state, table_of table, int64_t key, double count)
{
	double total = state->total + fabs(count);

	if (table != VALUES)
		return tlv_triple_add(ctx, &state->table[table], key, count);
	/* sums of parts of it stay finite, too */
	if (!(total <= 1e300))
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the values of a tensor add up to more than 1e300");
		return tlv_fail_hint(ctx, "Divide all values by a constant.");
	}
	state->total = total;
	state->fractions |= count != floor(count);
	return tlv_triple_add(ctx, &state->table[VALUES], key, count);
}

static tlv_status
entries_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	entries_state *state = (entries_state *) accumulator;
	int32_t place[TLV_MODES];

	if (!isfinite(row->value))
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the value of an entry is %s",
				 isnan(row->value) ? "NaN" : "infinite");
		return tlv_fail_hint(ctx, "Give NULL for a value that is missing.");
	}
	for (int m = 0; m < TLV_MODES; m++)
	{
		const tlv_part *part = &row->part[m];

		TLV_TRY(tensor_tell(ctx, state, m, part->names == NULL ? 1 : 2));
		if (part->names != NULL)
			TLV_TRY(tlv_name_table_add(ctx, &state->names, part->ids[0], part->names[0]));
		TLV_TRY(place_item(ctx, state, m, part->ids[0], &place[m]));
	}
	if (row->missing)
		accumulator->nulls++;
	if (row->missing || row->value == 0)
		return add_count(ctx, state, row->missing ? NULLS : ZEROS, tensor_key_of(place), 1);
	return add_count(ctx, state, VALUES, tensor_key_of(place), row->value);
}

/* ---- merging, and taking away ---- */

/* Places here of a value's items. */
static tlv_status
tensor_merge_items(tlv_context *ctx, entries_state *state, const tlv_tensor_ids *ids,
				   int32_t *place[TLV_MODES])
{
	const tlv_name_list list = {ids->name_offsets, ids->names};

	for (int m = 0; m < TLV_MODES; m++)
	{
		TLV_TRY(tensor_tell(ctx, state, m, ids->told[m]));
		for (size_t i = 0; i < ids->d[m]; i++)
		{
			TLV_TRY_CONTINUE_AT(ctx, i);
			TLV_TRY(place_item(ctx, state, m, ids->items[m][i], &place[m][i]));
		}
	}
	return tlv_name_table_add_list(ctx, &state->names, ids->names_n, ids->name_ids, &list);
}

/* The key here of a place of a value whose items have these places. */
static int64_t
key_here(int32_t *const place[TLV_MODES], int64_t cell)
{
	int32_t at[TLV_MODES];

	for (int m = 0; m < TLV_MODES; m++)
		at[m] = place[m][tlv_triple_part(cell, m)];
	return tensor_key_of(at);
}

/* What rounding has left of a value that was taken out is nothing. */
static double
without(const tlv_triple_table *table, int64_t key, double value)
{
	/* Of what is taken out: what rounding may leave. */
	const double rounding = 1e-12;
	double there = tlv_triple_find(table, key), left = there - value;

	return fabs(left) <= rounding * fmax(fabs(there), fabs(value)) ? -there : -value;
}

static tlv_status
take_count(tlv_context *ctx, entries_state *state, table_of table, int64_t key, double count)
{
	if (table != VALUES)
		return tlv_triple_take(ctx, &state->table[table], key, count);
	return add_count(ctx, state, VALUES, key, without(&state->table[VALUES], key, count));
}

/* Adds all that a value has, or takes it out. */
static tlv_status
merge_counts(tlv_context *ctx, entries_state *state, const tlv_frame *frame,
			 tlv_status (*merge)(tlv_context *, entries_state *, table_of, int64_t, double))
{
	int32_t *place[TLV_MODES];
	tlv_tensor_ids ids;

	tlv_tensor_read_ids(frame, &ids);
	TLV_TRY_NEW(ctx, place[0], ids.d[0] + ids.d[1] + ids.d[2]);
	place[1] = place[0] + ids.d[0];
	place[2] = place[1] + ids.d[1];
	TLV_TRY(tensor_merge_items(ctx, state, &ids, place));
	for (table_of t = 0; t < TABLES; t++)
	{
		const int64_t *cells = tlv_frame_int64(frame, sections_of[t][0]);
		const double *counts = tlv_frame_float64(frame, sections_of[t][1]);
		size_t n = tlv_frame_find(frame, sections_of[t][0])->rows;

		for (size_t i = 0; i < n; i++)
		{
			TLV_TRY_CONTINUE_AT(ctx, i);
			TLV_TRY(merge(ctx, state, t, key_here(place, cells[i]), counts[i]));
		}
	}
	tlv_free(ctx, place[0]);
	return TLV_OK;
}

static tlv_status
entries_merge_own(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	return merge_counts(ctx, (entries_state *) accumulator, frame, add_count);
}

/* Whether sums of values are exact, these among them. */
static bool
is_exact(const entries_state *state, size_t n, const double *values)
{
	double total = state->total;

	if (state->fractions)
		return false;
	for (size_t i = 0; i < n; i++)
	{
		total += fabs(values[i]);
		if (values[i] != floor(values[i]))
			return false;
	}
	return total <= 0x1p53;
}

static tlv_status
entries_subtract(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame,
				 bool exactly, bool *done)
{
	entries_state *state = (entries_state *) accumulator;
	size_t n = tlv_frame_find(frame, "cells")->rows;
	const double *values = tlv_frame_float64(frame, "values");
	double nulls = tlv_frame_scalar(frame, "nulls", 0);

	/* A state to which entries were added and from which they were subtracted is rebuilt when most
	 * of its entries are gone. */
	*done = !exactly || (is_exact(state, n, values) && !tlv_triple_is_stale(&state->table[VALUES]));
	if (!*done)
		return TLV_OK;
	if (nulls > state->declared.base.nulls)
		return tlv_refuse_taken(ctx, "rows");
	TLV_TRY(merge_counts(ctx, state, frame, take_count));
	state->declared.base.nulls -= nulls;
	return TLV_OK;
}

/* ---- the stored form ---- */

/* Determines the items with entries, their ranks, and whether the ids of each mode are numbers or
 * names. */
static tlv_status
tensor_order_items(tlv_context *ctx, entries_state *state, bool *used[TLV_MODES],
				   int32_t *rank[TLV_MODES])
{
	for (int m = 0; m < TLV_MODES; m++)
	{
		TLV_TRY_NEW0(ctx, used[m], state->sets[m].n);
		TLV_TRY_NEW(ctx, rank[m], state->sets[m].n);
		for (table_of t = 0; t < TABLES; t++)
			TLV_TRY(tlv_triple_mark(ctx, &state->table[t], m, used[m]));
		TLV_TRY(tlv_dictionary_order_used(ctx, &state->sets[m], used[m], state->ids.items[m],
										  rank[m], &state->ids.d[m]));
	}
	return TLV_OK;
}

/* The names of the items that are there. */
static tlv_status
tensor_describe_names(tlv_context *ctx, entries_state *state, bool *const used[TLV_MODES],
					  int64_t *block)
{
	tlv_tensor_ids *ids = &state->ids;
	bool by_name[TLV_MODES];
	tlv_named_ids named;

	for (int m = 0; m < TLV_MODES; m++)
		by_name[m] = ids->told[m] == 2;
	TLV_TRY(tlv_named_ids_list(ctx, &state->names, state->sets, by_name, used, block, &named));
	ids->names_n = named.n;
	ids->bytes_n = named.bytes_n;
	ids->name_ids = named.ids;
	ids->name_offsets = named.offsets;
	ids->names = named.bytes;
	return TLV_OK;
}

static tlv_status
entries_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	entries_state *state = (entries_state *) accumulator;
	size_t items = state->sets[0].n + state->sets[1].n + state->sets[2].n, cells = 0;
	size_t bytes = state->names.filled / sizeof(int64_t) + 1, *sizes = state->declared.sizes;
	int32_t *rank[TLV_MODES];
	bool *used[TLV_MODES];
	int64_t *block;

	for (table_of t = 0; t < TABLES; t++)
		cells += state->table[t].n;
	block = tlv_alloc(ctx, items + 2 * cells + 2 * state->names.n + 1 + bytes, sizeof(int64_t));
	TLV_TRY_ALLOC(ctx, block);
	*owned = block;
	for (int m = 0; m < TLV_MODES; m++)
	{
		state->ids.items[m] = block;
		block += state->sets[m].n;
	}
	TLV_TRY(tensor_order_items(ctx, state, used, rank));
	for (int m = 0; m < TLV_MODES; m++)
		if (state->ids.d[m] == 0)
			state->ids.told[m] = 0;
	for (table_of t = 0; t < TABLES; t++)
	{
		state->cells[t] = block;
		TLV_TRY(tlv_triple_list(ctx, &state->table[t], rank, state->cells[t], &state->counts[t]));
		sizes[size_of[t]] = tlv_triple_count(&state->table[t]);
		block += 2 * state->table[t].n;
	}
	TLV_TRY(tensor_describe_names(ctx, state, used, block));
	sizes[SIZE_I] = state->ids.d[0];
	sizes[SIZE_J] = state->ids.d[1];
	sizes[SIZE_L] = state->ids.d[2];
	sizes[SIZE_NAMES] = state->ids.names_n;
	sizes[SIZE_BYTES] = state->ids.bytes_n;
	for (int m = 0; m < TLV_MODES; m++)
	{
		tlv_free(ctx, rank[m]);
		tlv_free(ctx, used[m]);
	}
	return TLV_OK;
}

/* No entry is 0, and of the tables of rows every place has some. */
static tlv_status
tensor_check_counts(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	double total = 0;

	for (table_of t = 0; t < TABLES; t++)
	{
		const double *counts = tlv_frame_float64(frame, sections_of[t][1]);

		for (size_t i = 0; i < sizes[size_of[t]]; i++)
		{
			TLV_TRY_CONTINUE_AT(ctx, i);
			if (counts[i] == 0)
				return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of \"%s\" is 0", i + 1,
								sections_of[t][1]);
			total += t == VALUES ? fabs(counts[i]) : 0;
		}
	}
	if (!(total <= 1e300))
		return tlv_fail(ctx, TLV_CORRUPT, "the values of a tensor add up to more than 1e300");
	return TLV_OK;
}

/* Every item is in a place of one of the tables. */
static tlv_status
entries_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const size_t d[TLV_MODES] = {sizes[SIZE_I], sizes[SIZE_J], sizes[SIZE_L]};
	bool *seen;

	TLV_TRY(tlv_tensor_check_ids(ctx, frame, sizes));
	for (table_of t = 0; t < TABLES; t++)
		TLV_TRY(tlv_triple_check(ctx, frame, sections_of[t][0], d));
	TLV_TRY(tensor_check_counts(ctx, frame, sizes));
	for (int m = 0; m < TLV_MODES; m++)
	{
		TLV_TRY_NEW0(ctx, seen, d[m]);
		for (table_of t = 0; t < TABLES; t++)
			for (size_t i = 0; i < sizes[size_of[t]]; i++)
			{
				TLV_TRY_CONTINUE_AT(ctx, i);
				seen[tlv_triple_part(tlv_frame_int64(frame, sections_of[t][0])[i], m)] = true;
			}
		for (size_t i = 0; i < d[m]; i++)
			if (!seen[i])
				return tlv_fail(ctx, TLV_CORRUPT, "item %zu of mode %d has no entry", i + 1, m + 1);
		tlv_free(ctx, seen);
	}
	return TLV_OK;
}

#define AT(member) offsetof(entries_state, member)
static const tlv_declaration entries_list[] = {
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	TENSOR_ID_SECTIONS(entries_state, TLV_OWN),
	{"cells", TLV_INT64, SIZE_CELLS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(cells[VALUES])},
	{"values", TLV_FLOAT64, SIZE_CELLS, TLV_ONE, TLV_ANY, TLV_OWN, AT(counts[VALUES])},
	{"zero_cells", TLV_INT64, SIZE_ZEROS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(cells[ZEROS])},
	{"zero_rows", TLV_FLOAT64, SIZE_ZEROS, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN, AT(counts[ZEROS])},
	{"null_cells", TLV_INT64, SIZE_NULLS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(cells[NULLS])},
	{"null_rows", TLV_FLOAT64, SIZE_NULLS, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN, AT(counts[NULLS])},
};
#undef AT

static const char *const entries_no_sums[] = {"told", NULL};
static const tlv_sections entries_sections = {
	.state = sizeof(entries_state),
	.kind = TLV_KIND_TENSOR_ENTRIES,
	TLV_LIST(entries_list),
	.most = {TRIPLE_MOST, TLV_FRAME_MAX_BYTES, TRIPLE_MOST, TRIPLE_MOST, TLV_FRAME_MAX_BYTES,
			 TLV_DICTIONARY_MAX, TLV_DICTIONARY_MAX, TLV_DICTIONARY_MAX},
	.describe = entries_describe,
	.takes_away = true,
	.no_sums = entries_no_sums,
	.check_more = entries_check_more,
	.merge_own = entries_merge_own,
};

static const tlv_accumulator_class entries_class = {
	.name = "tensor_entries",
	TLV_DECLARED(&entries_sections),
	.subtract = entries_subtract,
	.rows = TLV_ROW_ENTRY,
	.add = entries_add,
};
const tlv_kind tlv_kind_tensor_entries = {TLV_KIND_LINE(TENSOR_ENTRIES, tensor_entries),
										  .accumulator = &entries_class};
