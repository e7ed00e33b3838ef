/*
 * layout.c - where the tables of category moments stand, how they
 * grow, and reading stored ones (categories.h).
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/num/assert.h"

/* What a stored value has beside its tables, generously. */
#define FRAME_REST ((size_t) 4096)
/* Numbers cleared between two looks at whether to stop. */
#define ZEROS_BETWEEN ((size_t) 1 << 20)

tlv_status
category_layout_create(tlv_context *ctx, size_t p, category_layout *layout)
{
	size_t *block = tlv_alloc0(ctx, 4 * (p + 1), sizeof(size_t));

	memset(layout, 0, sizeof(*layout));
	TLV_TRY_ALLOC(ctx, block);
	layout->p = p;
	layout->offset = block;
	layout->pair_row = block + (p + 1);
	layout->triple_row = block + 2 * (p + 1);
	layout->states = (int64_t *) (block + 3 * (p + 1));
	return TLV_OK;
}

void
category_layout_free(tlv_context *ctx, category_layout *layout)
{
	tlv_free(ctx, layout->offset);
	memset(layout, 0, sizeof(*layout));
}

void
category_layout_place(category_layout *layout)
{
	size_t p = layout->p, all, pairs = 0, triples = 0;

	for (size_t v = 0; v < p; v++)
		layout->offset[v + 1] = layout->offset[v] + (size_t) layout->states[v];
	all = layout->offset[p];
	for (size_t v = 0; v < p; v++)
	{
		layout->pair_row[v] = pairs;
		pairs += (size_t) layout->states[v] * (all - layout->offset[v + 1]);
	}
	layout->pair_row[p] = pairs;
	for (size_t v = 0; v < p; v++)
	{
		layout->triple_row[v] = triples;
		triples += (size_t) layout->states[v] * (pairs - layout->pair_row[v + 1]);
	}
	layout->triple_row[p] = triples;
}

/* ---- growing ---- */

static void
free_sums(tlv_context *ctx, category_sums *sums)
{
	tlv_free(ctx, sums->singles);
	tlv_free(ctx, sums->pairs);
	tlv_free(ctx, sums->triples);
	tlv_free(ctx, sums->part_rows);
	tlv_free(ctx, sums->part_singles);
	tlv_free(ctx, sums->part_pairs);
	memset(sums, 0, sizeof(*sums));
}

static size_t
all_bytes(const category_layout *layout, size_t replicates, bool triples)
{
	size_t p = layout->p, tables = layout->offset[p] + layout->pair_row[p];

	return 8 * (p + replicates + tables * (1 + replicates) +
				(triples ? layout->triple_row[p] : 0)) +
		   FRAME_REST;
}

/* Before anything is allocated: a value that could not be stored is not collected. */
static tlv_status
check_size(tlv_context *ctx, const category_layout *layout, size_t replicates, size_t bytes)
{
	size_t p = layout->p, one = all_bytes(layout, 0, false);

	if (bytes <= TLV_FRAME_MAX_BYTES)
		return tlv_require_memory(ctx, (double) bytes, "category moments");
	if (replicates == 0 || one > TLV_FRAME_MAX_BYTES)
	{
		tlv_fail(ctx, TLV_LIMIT,
				 "tables of all pairs of %zu variables with %zu states together need %zu "
				 "bytes, more than %zu",
				 p, layout->offset[p], one, TLV_FRAME_MAX_BYTES);
		return tlv_fail_hint(ctx, "Use fewer variables, or put rare states together.");
	}
	tlv_fail(ctx, TLV_LIMIT,
			 "%zu replicates of the tables of all pairs of %zu variables with %zu states "
			 "together need %zu bytes, more than %zu",
			 replicates, p, layout->offset[p], bytes, TLV_FRAME_MAX_BYTES);
	return tlv_fail_hint(
		ctx, "Lower bootstrap to at most %zu, use fewer variables, or put rare states together.",
		(TLV_FRAME_MAX_BYTES - one) / (8 * (1 + layout->offset[p] + layout->pair_row[p])));
}

/* n zeros; hundreds of megabytes take their time. */
static tlv_status
take_zeros(tlv_context *ctx, size_t n, double **array)
{
	TLV_TRY_NEW(ctx, *array, n);
	for (size_t at = 0; at < n; at += ZEROS_BETWEEN)
	{
		TLV_TRY_CONTINUE(ctx);
		memset(*array + at, 0, (n - at < ZEROS_BETWEEN ? n - at : ZEROS_BETWEEN) * sizeof(double));
	}
	return TLV_OK;
}

static tlv_status
create_sums(tlv_context *ctx, const category_layout *layout, size_t replicates, bool triples,
			category_sums *sums)
{
	size_t p = layout->p;

	memset(sums, 0, sizeof(*sums));
	TLV_TRY(take_zeros(ctx, layout->offset[p], &sums->singles));
	TLV_TRY(take_zeros(ctx, layout->pair_row[p], &sums->pairs));
	if (triples)
		TLV_TRY(take_zeros(ctx, layout->triple_row[p], &sums->triples));
	if (replicates == 0)
		return TLV_OK;
	TLV_TRY(take_zeros(ctx, replicates, &sums->part_rows));
	TLV_TRY(take_zeros(ctx, layout->offset[p] * replicates, &sums->part_singles));
	return take_zeros(ctx, layout->pair_row[p] * replicates, &sums->part_pairs);
}

/* A view of live sums, for adding them elsewhere. */
static tlv_category_tables
tables_of(const category_state *state)
{
	return (tlv_category_tables){
		.singles = state->sums.singles,
		.pairs = state->sums.pairs,
		.triples = state->sums.triples,
		.replicates = state->sums.part_rows != NULL ? state->replicates : 0,
		.part_rows = state->sums.part_rows,
		.part_singles = state->sums.part_singles,
		.part_pairs = state->sums.part_pairs,
	};
}

tlv_status
category_grow(tlv_context *ctx, category_state *state, size_t p, const int64_t *states)
{
	category_layout layout;
	category_sums sums;
	size_t bytes;
	bool same = state->layout.p == p && state->sums.singles != NULL, triples;

	for (size_t v = 0; v < p && same; v++)
		same = states[v] <= state->layout.states[v];
	if (same)
		return TLV_OK;
	TLV_TRY(category_layout_create(ctx, p, &layout));
	for (size_t v = 0; v < p; v++)
	{
		int64_t before = state->layout.p == p ? state->layout.states[v] : 0;

		layout.states[v] = before > states[v] ? before : states[v];
	}
	category_layout_place(&layout);
	triples = !state->dropped && layout.triple_row[p] <= TLV_CATEGORY_MOST_TRIPLES;
	bytes = all_bytes(&layout, state->replicates, triples);
	TLV_TRY(check_size(ctx, &layout, state->replicates, bytes));
	TLV_TRY(create_sums(ctx, &layout, state->replicates, triples, &sums));
	if (state->sums.singles != NULL)
	{
		tlv_category_tables before = tables_of(state);

		TLV_TRY(category_add_tables(ctx, &state->layout, &before, 1, NULL, &layout, &sums));
	}
	free_sums(ctx, &state->sums);
	category_layout_free(ctx, &state->layout);
	state->layout = layout;
	state->sums = sums;
	state->dropped = !triples;
	return TLV_OK;
}

void
category_drop_triples(tlv_context *ctx, category_state *state)
{
	tlv_free(ctx, state->sums.triples);
	state->sums.triples = NULL;
	state->dropped = true;
}

/* ---- adding ---- */

/* rows x columns numbers, multiplied by a factor, to a table of `stride` columns; their rows and
 * columns by the maps (NULL: as they are). */
static inline void
add_table(size_t rows, size_t columns, const double *restrict from, double times,
		  const int32_t *row, const int32_t *column, size_t stride, double *restrict to)
{
	for (size_t x = 0; x < rows; x++, from += columns)
	{
		double *restrict into = to + (row == NULL ? x : (size_t) row[x]) * stride;

		for (size_t y = 0; y < columns && column == NULL; y++)
			into[y] += times * from[y];
		for (size_t y = 0; y < columns && column != NULL; y++)
			into[column[y]] += times * from[y];
	}
}

/* Of the states of a variable. */
static const int32_t *
map_of(const category_layout *layout, const int32_t *map, size_t v)
{
	return map == NULL ? NULL : map + layout->offset[v];
}

static void
add_singles(const category_layout *from, const double *values, double times, const int32_t *map,
			const category_layout *to, double *sums)
{
	for (size_t v = 0; v < from->p; v++)
		add_table(1, (size_t) from->states[v], values + from->offset[v], times, NULL,
				  map_of(from, map, v), 0, sums + to->offset[v]);
}

static tlv_status
category_add_pairs(tlv_context *ctx, const category_layout *from, const double *values,
				   double times, const int32_t *map, const category_layout *to, double *sums)
{
	for (size_t a = 0; a < from->p; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = a + 1; b < from->p; b++)
			add_table((size_t) from->states[a], (size_t) from->states[b],
					  values + category_pair_offset(from, a, b), times, map_of(from, map, a),
					  map_of(from, map, b), (size_t) to->states[b],
					  sums + category_pair_offset(to, a, b));
	}
	return TLV_OK;
}

static void
add_triples(const category_layout *from, const double *values, double times, const int32_t *map,
			const category_layout *to, double *sums)
{
	for (size_t a = 0; a < from->p; a++)
		for (size_t b = a + 1; b < from->p; b++)
			for (size_t c = b + 1; c < from->p; c++)
			{
				size_t part = (size_t) from->states[b] * (size_t) from->states[c];
				size_t room = (size_t) to->states[b] * (size_t) to->states[c];
				const double *old = values + category_triple_offset(from, a, b, c);
				double *new = sums + category_triple_offset(to, a, b, c);

				for (size_t x = 0; x < (size_t) from->states[a]; x++)
					add_table((size_t) from->states[b], (size_t) from->states[c], old + x * part,
							  times, map_of(from, map, b), map_of(from, map, c),
							  (size_t) to->states[c],
							  new + (map == NULL ? x : (size_t) map_of(from, map, a)[x]) * room);
			}
}

tlv_status
category_add_tables(tlv_context *ctx, const category_layout *from,
					const tlv_category_tables *tables, double times, const int32_t *map,
					const category_layout *to, category_sums *sums)
{
	size_t p = from->p;

	add_singles(from, tables->singles, times, map, to, sums->singles);
	TLV_TRY(category_add_pairs(ctx, from, tables->pairs, times, map, to, sums->pairs));
	if (sums->triples != NULL && tables->triples != NULL)
		add_triples(from, tables->triples, times, map, to, sums->triples);
	for (size_t r = 0; r < tables->replicates; r++)
	{
		sums->part_rows[r] += times * tables->part_rows[r];
		add_singles(from, tables->part_singles + r * from->offset[p], times, map, to,
					sums->part_singles + r * to->offset[p]);
		TLV_TRY(category_add_pairs(ctx, from, tables->part_pairs + r * from->pair_row[p], times,
								   map, to, sums->part_pairs + r * to->pair_row[p]));
	}
	return TLV_OK;
}

tlv_status
category_rearrange(tlv_context *ctx, category_state *state, const int32_t *map)
{
	tlv_category_tables before = tables_of(state);
	category_sums sums;

	if (state->sums.singles == NULL)
		return TLV_OK;
	TLV_TRY(
		create_sums(ctx, &state->layout, state->replicates, state->sums.triples != NULL, &sums));
	TLV_TRY(category_add_tables(ctx, &state->layout, &before, 1, map, &state->layout, &sums));
	free_sums(ctx, &state->sums);
	state->sums = sums;
	return TLV_OK;
}

/* ---- reading ---- */

tlv_status
category_refuse_drawn(tlv_context *ctx, const tlv_frame *frame)
{
	if (tlv_frame_find(frame, "replicate_rows") == NULL)
		return TLV_OK;
	tlv_fail(ctx, TLV_GONE, "replicates that an earlier version has drawn are no longer supported");
	return tlv_fail_hint(ctx, "Collect tlv_category_moments again.");
}

tlv_status
tlv_category_open(tlv_context *ctx, const tlv_frame *moments, tlv_category_tables *tables)
{
	const tlv_section *states = tlv_frame_find(moments, "states");
	size_t p = states == NULL ? 0 : states->rows;
	category_layout layout;

	memset(tables, 0, sizeof(*tables));
	TLV_TRY(category_refuse_drawn(ctx, moments));
	TLV_TRY(category_layout_create(ctx, p, &layout));
	if (p > 0)
		memcpy(layout.states, tlv_section_data(moments, states), p * sizeof(int64_t));
	category_layout_place(&layout);
	tables->p = p;
	tables->rows = tlv_frame_scalar(moments, "rows", 0);
	tables->states = layout.states;
	tables->offset = layout.offset;
	tables->pair_row = layout.pair_row;
	tables->triple_row = layout.triple_row;
	tables->singles = tlv_frame_float64(moments, "singles");
	tables->pairs = tlv_frame_float64(moments, "pairs");
	tables->triples = tlv_frame_float64(moments, "triples");
	tables->pair_entries = layout.pair_row[p];
	if (tlv_frame_find(moments, "part_rows") != NULL)
		tables->replicates = (size_t) tlv_frame_scalar(moments, "replicates", 0);
	tables->name_offsets = tlv_frame_int64(moments, "name_offsets");
	tables->names = tables->name_offsets == NULL
						? NULL
						: tlv_section_data(moments, tlv_frame_find(moments, "names"));
	tables->part_rows = tlv_frame_float64(moments, "part_rows");
	tables->part_singles = tlv_frame_float64(moments, "part_singles");
	tables->part_pairs = tlv_frame_float64(moments, "part_pairs");
	return TLV_OK;
}

void
tlv_category_close(tlv_context *ctx, tlv_category_tables *tables)
{
	tlv_free(ctx, (void *) (uintptr_t) tables->offset);
	memset(tables, 0, sizeof(*tables));
}

const double *
tlv_category_pair(const tlv_category_tables *tables, size_t a, size_t b)
{
	const category_layout layout = category_layout_of(tables);

	tlv_assert(a < b && b < tables->p);
	return tables->pairs + category_pair_offset(&layout, a, b);
}

const double *
tlv_category_triple(const tlv_category_tables *tables, size_t a, size_t b, size_t c)
{
	const category_layout layout = category_layout_of(tables);

	tlv_assert(a < b && b < c && c < tables->p && tables->triples != NULL);
	return tables->triples + category_triple_offset(&layout, a, b, c);
}
