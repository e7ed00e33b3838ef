/*
 * cofire.c - how often one, two and three items are on together (network.h).
 *
 * The stored value (kind cofire): scalars "rows", "nulls"; "model", the fingerprint of the model
 * whose topmost units were counted, zeros where items were; "items" (ascending ids, of units their
 * numbers from 1); "cells", three places x <= y <= z in one word (triple_table.h), and "counts",
 * the rows in which all of them are on: (x, x, x) is a single item and (x, y, y) a pair.
 *
 * While rows are added, counts are in a hash table, and where most of what a few items can make
 * occurs, in an array.
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/num/bag.h"

/* Cells that are merged between two looks at how much room they take. */
#define CELLS_BETWEEN ((size_t) 16384)

#define SIZE_ITEMS TLV_SIZE_1
#define SIZE_CELLS TLV_SIZE_2

/* Largest number of items whose triples are counted in an array (of 67 MB), and the inverse of the
 * proportion of triples that occur from which the array is used. */
#define ARRAY_MOST	464
#define ARRAY_SHARE 10
/* Most counts in the table, of 1 GB. */
#define MOST_CELLS ((size_t) 1 << 25)

typedef struct cofire_state
{
	tlv_declared declared;
	tlv_network_model *model; /* NULL: of rows */
	tlv_digest fingerprint;
	double rows;
	tlv_dictionary set;		/* of items */
	tlv_triple_table table; /* by places there, descending */
	uint32_t *array;		/* the same, where it is not NULL, by number_of */
	size_t array_items;		/* for which it has room */
	/* a row */
	int64_t *buffer;
	double *weights;
	size_t buffer_room;
	int32_t *places; /* its places, descending */
	size_t places_room;
	/* the stored form */
	int64_t *items, *cells;
	double *counts;
} cofire_state;

/* ---- where counts are ---- */

/* Threes, with repetition, of n. */
static size_t
threes_of(size_t n)
{
	return n * (n + 1) * (n + 2) / 6;
}

/* The place in the array of a >= b >= c. */
static size_t
number_of(size_t a, size_t b, size_t c)
{
	return threes_of(a) + b * (b + 1) / 2 + c;
}

/* From the table to an array for the items there are, or more of them. */
static tlv_status
network_grow_array(tlv_context *ctx, cofire_state *state)
{
	size_t n = tlv_least(ARRAY_MOST, state->set.n + 16), from = threes_of(state->array_items);
	bool first = state->array == NULL;
	uint32_t *array;

	if (first)
		array = tlv_alloc0(ctx, threes_of(n), sizeof(uint32_t));
	else
		array = tlv_realloc(ctx, state->array, threes_of(n), sizeof(uint32_t));
	TLV_TRY_ALLOC(ctx, array);
	if (!first)
		memset(array + from, 0, (threes_of(n) - from) * sizeof(uint32_t));
	state->array = array;
	state->array_items = n;
	for (size_t i = 0; first && state->table.slots != NULL && i <= state->table.mask; i++)
	{
		const tlv_triple_slot *slot = &state->table.slots[i];
		int64_t key = (int64_t) (slot->key_plus_1 - 1);

		if (slot->key_plus_1 != 0)
			array[number_of(tlv_triple_part(key, 0), tlv_triple_part(key, 1),
							tlv_triple_part(key, 2))] = (uint32_t) slot->count;
	}
	if (first)
	{
		tlv_free(ctx, state->table.slots);
		state->table = (tlv_triple_table){0};
	}
	return TLV_OK;
}

static tlv_status
leave_array(tlv_context *ctx, cofire_state *state)
{
	uint32_t *array = state->array;
	size_t at = 0;

	for (size_t a = 0; a < state->array_items; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++, at++)
				if (array[at] != 0)
					TLV_TRY(tlv_triple_add(ctx, &state->table, tlv_triple_key(a, b, c), array[at]));
	}
	tlv_free(ctx, array);
	state->array = NULL;
	state->array_items = 0;
	return TLV_OK;
}

/* Before rows are added, as many as that. */
static tlv_status
choose_place(tlv_context *ctx, cofire_state *state, double rows)
{
	/* What an entry of it holds. */
	const double array_rows = 4e9;
	size_t n = state->set.n;
	bool small = n <= ARRAY_MOST && state->rows + rows < array_rows;

	if (state->array != NULL && !small)
		return leave_array(ctx, state);
	if (state->array != NULL ? n > state->array_items
							 : small && n > 16 && state->table.n > threes_of(n) / ARRAY_SHARE)
		return network_grow_array(ctx, state);
	return TLV_OK;
}

static tlv_status
count_cell(tlv_context *ctx, cofire_state *state, size_t a, size_t b, size_t c, double rows)
{
	if (state->array == NULL)
		return tlv_triple_add(ctx, &state->table, tlv_triple_key(a, b, c), rows);
	state->array[number_of(a, b, c)] += (uint32_t) rows;
	return TLV_OK;
}

/* ---- rows ---- */

static tlv_status
network_require_room(tlv_context *ctx, const cofire_state *state)
{
	if (state->table.n <= MOST_CELLS)
		return TLV_OK;
	tlv_fail(ctx, TLV_LIMIT, "more than %zu threes of items are on together", MOST_CELLS);
	return tlv_fail_hint(ctx, "Leave out items that are on in few rows, or in most of them.");
}

static tlv_status
network_count_row(tlv_context *ctx, cofire_state *state, size_t n)
{
	/* Threes between two looks at tlv_should_stop(). */
	const double threes_between = 4194304.0;
	const int32_t *places = state->places;
	double work = 0;

	for (size_t i = 0; i < n; i++)
	{
		size_t a = (size_t) places[i];

		TLV_TRY(network_require_room(ctx, state));
		if ((work += (double) (n - i) * (double) (n - i) / 2) > threes_between)
		{
			TLV_TRY_CONTINUE(ctx);
			work = 0;
		}
		for (size_t j = i; j < n; j++)
		{
			size_t b = (size_t) places[j];

			/* (a, a, c), a pair, is kept as such: (a, b, b) is not made */
			for (size_t l = j == i ? i : j + 1; l < n && state->array == NULL; l++)
				TLV_TRY(tlv_triple_add(ctx, &state->table, tlv_triple_key(a, b, (size_t) places[l]),
									   1));
			if (state->array != NULL)
			{
				uint32_t *array = state->array + number_of(a, b, 0);

				for (size_t l = j == i ? i : j + 1; l < n; l++)
					array[places[l]]++;
			}
		}
	}
	return TLV_OK;
}

static void
sort_descending(size_t n, int32_t *places)
{
	for (size_t i = 1; i < n; i++)
	{
		int32_t place = places[i];
		size_t at = i;

		for (; at > 0 && places[at - 1] < place; at--)
			places[at] = places[at - 1];
		places[at] = place;
	}
}

/* What is on in a row, as ids in the buffer. */
static tlv_status
read_row(tlv_context *ctx, cofire_state *state, const tlv_row *row, size_t *n)
{
	const tlv_network_layer_edges *top;

	if (state->model == NULL)
		return tlv_network_row(ctx, row, &state->buffer, &state->weights, &state->buffer_room, n);
	TLV_TRY(tlv_network_run(ctx, state->model, row, state->model->parts.layers_n));
	top = &state->model->layer[state->model->parts.layers_n - 1];
	if (state->buffer == NULL)
		TLV_TRY_NEW(ctx, state->buffer, top->units);
	*n = state->model->on_n;
	for (size_t i = 0; i < *n; i++)
		state->buffer[i] = (int64_t) top->first + state->model->on[i] + 1;
	return TLV_OK;
}

static tlv_status
cofire_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	cofire_state *state = (cofire_state *) accumulator;
	size_t n;

	if (!tlv_network_row_is_whole(row))
		return tlv_count_one(ctx, "nulls", &accumulator->nulls);
	TLV_TRY(read_row(ctx, state, row, &n));
	if (n > TLV_NETWORK_MOST_ON)
	{
		tlv_fail(ctx, TLV_LIMIT,
				 "a row has %zu items that are on, of which %d can be counted by threes", n,
				 TLV_NETWORK_MOST_ON);
		return tlv_fail_hint(ctx, "Leave out items that are on in most rows: they tell little.");
	}
	if (n > state->places_room)
	{
		tlv_free(ctx, state->places);
		state->places = NULL;
		TLV_TRY_NEW(ctx, state->places, 2 * n);
		state->places_room = 2 * n;
	}
	TLV_TRY(tlv_category_positions(ctx, &state->set, n, state->buffer, "items", state->places));
	TLV_TRY(choose_place(ctx, state, 1));
	sort_descending(n, state->places);
	TLV_TRY(tlv_count_one(ctx, "rows", &state->rows));
	return network_count_row(ctx, state, n);
}

/* ---- merging, and taking away ---- */

/* The places here, descending, of a stored cell: pairs as (a, a, c). */
static void
cell_places(const int32_t *place, int64_t cell, size_t out[3])
{
	int32_t at[3];

	for (int t = 0; t < 3; t++)
		at[t] = place[tlv_triple_part(cell, t)];
	if (at[1] == at[2])
		at[1] = at[0]; /* (x, y, y): two that differ, or one */
	sort_descending(3, at);
	if (at[1] == at[2] && at[0] != at[1])
		at[1] = at[0];
	for (int t = 0; t < 3; t++)
		out[t] = (size_t) at[t];
}

static tlv_status
places_of(tlv_context *ctx, cofire_state *state, const tlv_frame *frame, int32_t **place)
{
	size_t n = tlv_frame_find(frame, "items")->rows;

	TLV_TRY_NEW(ctx, *place, n);
	return tlv_category_positions(ctx, &state->set, n, tlv_frame_int64(frame, "items"), "items",
								  *place);
}

static tlv_status
cofire_merge_own(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	cofire_state *state = (cofire_state *) accumulator;
	size_t n = tlv_frame_find(frame, "cells")->rows;
	const int64_t *cells = tlv_frame_int64(frame, "cells");
	const double *counts = tlv_frame_float64(frame, "counts");
	int32_t *place;

	TLV_TRY(places_of(ctx, state, frame, &place));
	for (size_t i = 0; i < n; i++)
	{
		size_t at[3];

		TLV_TRY_CONTINUE_AT(ctx, i);
		TLV_TRY(network_require_room(ctx, state));
		if (i % CELLS_BETWEEN == 0)
			TLV_TRY(choose_place(ctx, state, tlv_frame_scalar(frame, "rows", 0)));
		cell_places(place, cells[i], at);
		TLV_TRY(count_cell(ctx, state, at[0], at[1], at[2], counts[i]));
	}
	tlv_free(ctx, place);
	return TLV_OK;
}

static tlv_status
take_cells(tlv_context *ctx, cofire_state *state, const tlv_frame *frame, const int32_t *place)
{
	size_t n = tlv_frame_find(frame, "cells")->rows;
	const int64_t *cells = tlv_frame_int64(frame, "cells");
	const double *counts = tlv_frame_float64(frame, "counts");

	for (size_t i = 0; i < n; i++)
	{
		size_t at[3];
		uint32_t *count;

		TLV_TRY_CONTINUE_AT(ctx, i);
		cell_places(place, cells[i], at);
		if (state->array == NULL)
		{
			TLV_TRY(tlv_triple_take(ctx, &state->table, tlv_triple_key(at[0], at[1], at[2]),
									counts[i]));
			continue;
		}
		count = &state->array[number_of(at[0], at[1], at[2])];
		if (*count < counts[i])
			return tlv_refuse_taken(ctx, "rows");
		*count -= (uint32_t) counts[i];
	}
	return TLV_OK;
}

/* Counts are whole: what is left is exact. */
static tlv_status
cofire_subtract(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame,
				bool exactly, bool *done)
{
	cofire_state *state = (cofire_state *) accumulator;
	double rows = tlv_frame_scalar(frame, "rows", 0), nulls = tlv_frame_scalar(frame, "nulls", 0);
	int32_t *place;

	/* A state to which cells were added and from which they were subtracted is rebuilt when most of
	 * its cells are gone. */
	*done = !exactly || !tlv_triple_is_stale(&state->table);
	if (!*done)
		return TLV_OK;
	TLV_TRY(tlv_sections_match(ctx, accumulator, accumulator->class->sections, frame));
	if (rows > state->rows || nulls > state->declared.base.nulls)
		return tlv_refuse_taken(ctx, "rows");
	TLV_TRY(places_of(ctx, state, frame, &place));
	TLV_TRY(choose_place(ctx, state, 0));
	TLV_TRY(take_cells(ctx, state, frame, place));
	tlv_free(ctx, place);
	state->rows -= rows;
	state->declared.base.nulls -= nulls;
	return TLV_OK;
}

/* ---- the stored form ---- */

/* The items that are on in some row, in order, and the ranks of their places. */
static tlv_status
network_order_items(tlv_context *ctx, cofire_state *state, int32_t *rank)
{
	bool *used;

	TLV_TRY_NEW0(ctx, used, state->set.n);
	for (size_t i = 0; i < state->set.n; i++)
		used[i] = state->array != NULL
					  ? i < state->array_items && state->array[number_of(i, i, i)] != 0
					  : tlv_triple_find(&state->table, tlv_triple_key(i, i, i)) != 0;
	TLV_TRY(tlv_dictionary_order_used(ctx, &state->set, used, state->items, rank,
									  &state->declared.sizes[SIZE_ITEMS]));
	tlv_free(ctx, used);
	return TLV_OK;
}

/* Whether all items of a cell are on in some row. They are, unless rows were subtracted from a
 * state that does not contain them. */
static bool
are_ranked(const int32_t *rank, size_t a, size_t b, size_t c)
{
	return rank[a] >= 0 && rank[b] >= 0 && rank[c] >= 0;
}

/* The key of a cell as it is stored. */
static int64_t
stored_key(const int32_t *rank, size_t a, size_t b, size_t c)
{
	int32_t at[3] = {rank[a], rank[b], rank[c]};

	if (a == b && b != c) /* a pair: of the two the larger rank twice */
		return at[0] > at[2] ? tlv_triple_key((size_t) at[2], (size_t) at[0], (size_t) at[0])
							 : tlv_triple_key((size_t) at[0], (size_t) at[2], (size_t) at[2]);
	sort_descending(3, at);
	return tlv_triple_key((size_t) at[2], (size_t) at[1], (size_t) at[0]);
}

static tlv_status
list_cells(tlv_context *ctx, const cofire_state *state, const int32_t *rank, tlv_bag_entry *entries,
		   size_t *n)
{
	size_t at = 0;

	*n = 0;
	for (size_t a = 0; state->array != NULL && a < state->array_items; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++, at++)
				if (state->array[at] != 0 && !are_ranked(rank, a, b, c))
					return tlv_refuse_taken(ctx, "rows");
				else if (state->array[at] != 0)
					entries[(*n)++] = (tlv_bag_entry){stored_key(rank, a, b, c), state->array[at]};
	}
	for (size_t i = 0; state->table.slots != NULL && i <= state->table.mask; i++)
	{
		const tlv_triple_slot *slot = &state->table.slots[i];
		int64_t key = (int64_t) (slot->key_plus_1 - 1);

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (slot->key_plus_1 == 0 || slot->count == 0)
			continue;
		if (!are_ranked(rank, tlv_triple_part(key, 0), tlv_triple_part(key, 1),
						tlv_triple_part(key, 2)))
			return tlv_refuse_taken(ctx, "rows");
		entries[(*n)++] =
			(tlv_bag_entry){stored_key(rank, tlv_triple_part(key, 0), tlv_triple_part(key, 1),
									   tlv_triple_part(key, 2)),
							slot->count};
	}
	return TLV_OK;
}

static size_t
count_cells(const cofire_state *state)
{
	size_t n = 0;

	if (state->array == NULL)
		return tlv_triple_count(&state->table);
	for (size_t i = 0; i < threes_of(state->array_items); i++)
		n += state->array[i] != 0;
	return n;
}

static tlv_status
cofire_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	cofire_state *state = (cofire_state *) accumulator;
	size_t cells = count_cells(state), n;
	tlv_bag_entry *entries, *work;
	int32_t *rank;

	/* keys and counts lie where entries are sorted from */
	TLV_TRY(
		tlv_require_memory(ctx, 32.0 * (double) cells, "the counts of items that are on together"));
	TLV_TRY_NEW(ctx, work, cells + state->set.n);
	*owned = work;
	state->items = (int64_t *) (work + cells);
	TLV_TRY_NEW(ctx, rank, state->set.n);
	memset(rank, 0xff, state->set.n * sizeof(*rank)); /* -1: of an item that no row has */
	TLV_TRY(network_order_items(ctx, state, rank));
	TLV_TRY_NEW(ctx, entries, cells);
	TLV_TRY(list_cells(ctx, state, rank, entries, &n));
	TLV_TRY(tlv_bag_sort(ctx, n, entries, work, &n));
	state->cells = (int64_t *) work;
	state->counts = (double *) (state->cells + n);
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		state->cells[i] = entries[i].item;
		state->counts[i] = entries[i].weight;
	}
	state->declared.sizes[SIZE_CELLS] = n;
	tlv_free(ctx, entries);
	tlv_free(ctx, rank);
	return TLV_OK;
}

/* Every item is there alone, cells are in order, and none is on in more rows than there are. */
static tlv_status
cofire_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const size_t d[3] = {sizes[SIZE_ITEMS], sizes[SIZE_ITEMS], sizes[SIZE_ITEMS]};
	const int64_t *cells = tlv_frame_int64(frame, "cells");
	const double *counts = tlv_frame_float64(frame, "counts");
	double rows = tlv_frame_scalar(frame, "rows", 0);
	size_t singles = 0;

	TLV_TRY(tlv_triple_check(ctx, frame, "cells", d));
	for (size_t i = 0; i < sizes[SIZE_CELLS]; i++)
	{
		size_t x = tlv_triple_part(cells[i], 0), y = tlv_triple_part(cells[i], 1),
			   z = tlv_triple_part(cells[i], 2);

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (x > y || y > z || (x == y && y != z))
			return tlv_fail(ctx, TLV_CORRUPT, "cell %zu is not in order", i + 1);
		if (counts[i] > rows)
			return tlv_fail(ctx, TLV_CORRUPT, "cell %zu is on in %.0f of %.0f rows", i + 1,
							counts[i], rows);
		singles += x == z;
	}
	if (singles != sizes[SIZE_ITEMS])
		return tlv_fail(ctx, TLV_CORRUPT, "%zu of %zu items are on", singles, sizes[SIZE_ITEMS]);
	return TLV_OK;
}

#define AT(member) offsetof(cofire_state, member)
static const tlv_declaration cofire_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(rows)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"items", TLV_INT64, SIZE_ITEMS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(items)},
	{"cells", TLV_INT64, SIZE_CELLS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(cells)},
	{"counts", TLV_FLOAT64, SIZE_CELLS, TLV_ONE, TLV_COUNTED, TLV_OWN, AT(counts)},
};
#undef AT
static const tlv_sections cofire_sections = {
	.state = sizeof(cofire_state),
	.kind = TLV_KIND_COFIRE,
	TLV_LIST(cofire_list),
	.most = {TLV_NETWORK_MOST_ITEMS, TLV_DICTIONARY_MAX},
	.describe = cofire_describe,
	.takes_away = true,
	.check_more = cofire_check_more,
	.merge_own = cofire_merge_own,
};

static const tlv_accumulator_class cofire_class = {
	.name = "cofire",
	TLV_DECLARED(&cofire_sections),
	.subtract = cofire_subtract,
	.rows = TLV_ROW_BAG | TLV_ROW_SYMBOLS | TLV_ROWS_MISSING_ELEMENTS,
	.add = cofire_add,
};

const tlv_kind tlv_kind_cofire = {TLV_KIND_LINE(COFIRE, cofire), .accumulator = &cofire_class};

/* ---- the aggregate ---- */

static tlv_status
cofire_open(tlv_context *ctx, const tlv_frame *constant, void **opened)
{
	tlv_model *model;

	TLV_TRY(tlv_kind_require(ctx, constant, &tlv_kind_network, "tlv_cofire"));
	TLV_TRY(tlv_model_create(ctx, constant, sizeof(tlv_network_model), &model));
	*opened = model;
	return tlv_network_open(ctx, constant, *opened);
}

static tlv_status
cofire_begin(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	cofire_state *state;

	TLV_TRY(tlv_sections_create(ctx, &cofire_class, NULL, accumulator));
	state = (cofire_state *) *accumulator;
	state->declared.known = true; /* of items, unless a model is given */
	if (constants->constant == NULL)
		return TLV_OK;
	state->model = constants->opened;
	state->fingerprint = constants->constant->header->digest;
	return TLV_OK;
}

const tlv_aggregate tlv_aggregate_cofire = {"tlv_cofire", cofire_open, cofire_begin};
