/*
 * subtract.c - category moments taken out of others: counts, which are exact.
 */
#include "internal.h"
#include "tensorlv/model/accumulator.h"
#include "tensorlv/model/refusals.h"

/* How many rows of what is taken have a state of the sums. */
static double
taken_of_state(const tlv_category_tables *tables, const int32_t *map, size_t v, int64_t state)
{
	double taken = 0;

	if (map == NULL)
		return state < tables->states[v] ? tables->singles[tables->offset[v] + (size_t) state] : 0;
	for (size_t i = tables->offset[v]; i < tables->offset[v + 1]; i++)
		taken += map[i] == state ? tables->singles[i] : 0;
	return taken;
}

/* Would rows that were counted without these give the same tables?  Not where the last state of a
 * variable goes, which makes them smaller, nor where triples are gone that might have been kept. */
static bool
keeps_layout(const category_state *state, const tlv_category_tables *tables, const int32_t *map)
{
	const category_layout *layout = &state->layout;

	if (state->replicates > 0 || tables->replicates > 0)
		return false;
	if (tables->p == 0)
		return true;
	if (layout->p != tables->p || state->rows <= tables->rows || state->sums.triples == NULL ||
		tables->triples == NULL)
		return false;
	for (size_t v = 0; v < layout->p; v++)
	{
		int64_t last = layout->states[v] - 1;

		/* A name goes with its last row, whichever it is. */
		for (int64_t x = map == NULL ? last : 0; x >= 0 && x <= last; x++)
			if (state->sums.singles[layout->offset[v] + (size_t) x] <=
				taken_of_state(tables, map, v, x))
				return false;
	}
	return true;
}

/* The states of what is taken are among those that there are. */
static bool
is_within(const category_state *state, const tlv_category_tables *tables)
{
	if (state->layout.p != tables->p || state->rows < tables->rows)
		return false;
	for (size_t v = 0; v < tables->p; v++)
		if (tables->states[v] > state->layout.states[v])
			return false;
	return true; /* names that are not known here have no rows, as is seen later */
}

static tlv_status
refuse_more(tlv_context *ctx)
{
	return tlv_refuse_taken(ctx, "rows");
}

static tlv_status
category_require_left(tlv_context *ctx, size_t n, const double *left)
{
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (left[i] < 0)
			return refuse_more(ctx);
	}
	return TLV_OK;
}

/* All counts of the tables, whose layout is that of no more states. */
static tlv_status
subtract_tables(tlv_context *ctx, category_state *state, const tlv_category_tables *tables,
				const int32_t *map)
{
	const category_layout from = category_layout_of(tables), *to = &state->layout;

	TLV_TRY(category_add_tables(ctx, &from, tables, -1, map, to, &state->sums));
	TLV_TRY(category_require_left(ctx, to->offset[to->p], state->sums.singles));
	TLV_TRY(category_require_left(ctx, to->pair_row[to->p], state->sums.pairs));
	if (state->sums.triples != NULL)
		TLV_TRY(category_require_left(ctx, to->triple_row[to->p], state->sums.triples));
	state->rows -= tables->rows;
	return TLV_OK;
}

static tlv_status
subtract_opened(tlv_context *ctx, category_state *state, const tlv_category_tables *tables,
				const int32_t *map, bool exactly, bool *done)
{
	*done = keeps_layout(state, tables, map);
	if (!*done && exactly)
		return TLV_OK;
	if (state->replicates > 0 || tables->replicates > 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "rows cannot be subtracted from moments with bootstrap replicates");
		return tlv_fail_hint(ctx, "Collect them without replicates.");
	}
	*done = true;
	if (tables->p == 0)
		return TLV_OK;
	if (!is_within(state, tables))
		return refuse_more(ctx);
	if (tables->triples == NULL)
		category_drop_triples(ctx, state);
	return subtract_tables(ctx, state, tables, map);
}

/* The states that a value's are here, of categories told by name: in a table that knows them. */
static tlv_status
subtract_names(tlv_context *ctx, category_state *state, const tlv_category_tables *tables,
			   int32_t **map)
{
	TLV_TRY(category_tell(ctx, state,
						  tables->name_offsets == NULL ? TLV_CATEGORIES_BY_NUMBER
													   : TLV_CATEGORIES_BY_NAME));
	if (tables->name_offsets == NULL || state->layout.p != tables->p)
		return TLV_OK;
	TLV_TRY(category_map_names(ctx, state, tables, map));
	return category_grow_to_names(ctx, state);
}

tlv_status
category_subtract(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame,
				  bool exactly, bool *done)
{
	category_state *state = (category_state *) accumulator;
	double nulls = tlv_frame_scalar(frame, "nulls", 0);
	tlv_category_tables tables;
	int32_t *map = NULL;
	tlv_status status;

	TLV_TRY(category_flush(ctx, state));
	if (nulls > state->base.nulls)
		return refuse_more(ctx);
	TLV_TRY(tlv_category_open(ctx, frame, &tables));
	status = tables.p == 0 ? TLV_OK : subtract_names(ctx, state, &tables, &map);
	if (status == TLV_OK)
		status = subtract_opened(ctx, state, &tables, map, exactly, done);
	tlv_free(ctx, map);
	tlv_category_close(ctx, &tables);
	if (status == TLV_OK && *done)
		state->base.nulls -= nulls;
	return status;
}
