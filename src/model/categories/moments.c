/*
 * moments.c - the accumulator of tables of pairs and triples of
 * categorical variables (categories.h).
 *
 * The kind is not declared (sections.h): how long its tables are is a polynomial of the states of
 * all variables, which no tag says, and which of them there are differs from value to value.
 */
#include <math.h>
#include <string.h>

#include "tensorlv/num/bit_planes.h"
#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/rng.h"

/* Bytes of a block's rows, about, and their number: enough for a pass over all tables to pay. */
#define BLOCK_BYTES ((size_t) 16 << 20)
#define LEAST_ROWS	((size_t) 2048)
#define MOST_ROWS	((size_t) 65536)
/* Rows of a fresh block: there may be many groups of few rows. */
#define FIRST_ROWS ((size_t) 8)

static tlv_status
category_state_create(tlv_context *ctx, category_state **state)
{
	TLV_TRY_NEW0(ctx, *state, 1);
	(*state)->base.class = tlv_kind_category_moments.accumulator;
	return TLV_OK;
}

tlv_status
tlv_category_moments_create(tlv_context *ctx, size_t replicates, uint64_t seed,
							tlv_accumulator **accumulator)
{
	category_state *state;

	*accumulator = NULL;
	if (replicates > TLV_CATEGORY_MOST_REPLICATES)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "bootstrap = %zu is not at most %d", replicates,
						TLV_CATEGORY_MOST_REPLICATES);
	TLV_TRY(category_state_create(ctx, &state));
	state->replicates = replicates;
	state->replicates_known = true;
	state->seed = tlv_mix64(seed);
	*accumulator = &state->base;
	return TLV_OK;
}

static tlv_status
category_moments_begin(tlv_context *ctx, const tlv_statistic *constants,
					   tlv_accumulator **accumulator)
{
	return tlv_category_moments_create(ctx, constants->count, constants->seed, accumulator);
}

const tlv_aggregate tlv_aggregate_category_moments = {"tlv_category_moments", NULL,
													  category_moments_begin};

/* Only for merging: as many replicates as the first value has. */
static tlv_status
create_empty(tlv_context *ctx, tlv_accumulator **accumulator)
{
	category_state *state;

	*accumulator = NULL;
	TLV_TRY(category_state_create(ctx, &state));
	*accumulator = &state->base;
	return TLV_OK;
}

/* ---- rows ---- */

static tlv_status
check_variables(tlv_context *ctx, const category_state *state, size_t p)
{
	if (state->layout.p == p && p > 0)
		return TLV_OK;
	if (p == 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "a row has no values");
	if (p > TLV_CATEGORY_MOST_VARIABLES)
		return tlv_fail(ctx, TLV_LIMIT, "a row has %zu values, more than %d", p,
						TLV_CATEGORY_MOST_VARIABLES);
	if (state->layout.p == 0)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_DATA, "a row has %zu %s, the first one %zu", p,
			 tlv_plural((double) p, "value", "values"), state->layout.p);
	return tlv_fail_hint(ctx, "All rows must have the same variables; missing values are null.");
}

/* The first row says how many variables there are. */
static tlv_status
categories_begin(tlv_context *ctx, category_state *state, size_t p)
{
	size_t wanted = BLOCK_BYTES / p / TLV_PLANE_ROWS * TLV_PLANE_ROWS;

	if (state->layout.p == 0)
		TLV_TRY(category_layout_create(ctx, p, &state->layout));
	state->block_most = wanted < LEAST_ROWS ? LEAST_ROWS : wanted > MOST_ROWS ? MOST_ROWS : wanted;
	state->largest = tlv_alloc0(ctx, p, 1);
	TLV_TRY_ALLOC(ctx, state->largest);
	state->least = tlv_alloc(ctx, p, 1);
	TLV_TRY_ALLOC(ctx, state->least);
	memset(state->least, UINT8_MAX, p);
	return TLV_OK;
}

static tlv_status
grow_block(tlv_context *ctx, category_state *state)
{
	size_t room = state->block_room == 0 ? FIRST_ROWS : 4 * state->block_room;
	uint8_t *grown;

	room = room < state->block_most ? room : state->block_most;
	grown = tlv_realloc(ctx, state->block, room, state->layout.p);
	TLV_TRY_ALLOC(ctx, grown);
	state->block = grown;
	state->block_room = room;
	return TLV_OK;
}

/* 1 + value is the code: anything outside 0 .. 100 has no place, as an unsigned number. */
TLV_CLONES static bool
in_range(size_t p, const int32_t *values)
{
	uint32_t outside = 0;

	for (size_t v = 0; v < p; v++)
		outside |= (uint32_t) values[v] + 1 > TLV_CATEGORY_MOST_STATES;
	return outside == 0;
}

TLV_CLONES static void
encode(size_t p, const int32_t *restrict values, uint8_t *restrict codes, uint8_t *restrict largest,
	   uint8_t *restrict least)
{
	for (size_t v = 0; v < p; v++)
	{
		uint8_t code = (uint8_t) (values[v] + 1);

		codes[v] = code;
		largest[v] = largest[v] > code ? largest[v] : code;
		least[v] = least[v] < code ? least[v] : code;
	}
}

static tlv_status
refuse_value(tlv_context *ctx, size_t p, const int32_t *values)
{
	size_t v = 0;

	while (v + 1 < p && (uint32_t) values[v] + 1 <= TLV_CATEGORY_MOST_STATES)
		v++;
	tlv_fail(ctx, TLV_BAD_DATA, "value %zu of a row is %d, not a state from 0 to %d", v + 1,
			 values[v], TLV_CATEGORY_MOST_STATES - 1);
	return tlv_fail_hint(ctx, values[v] < 0
								  ? "States are numbered from 0; missing values are null."
								  : "Number the states from 0, without gaps; put rare ones "
									"together.");
}

static tlv_status
category_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	category_state *state = (category_state *) accumulator;
	const int32_t *values = row->part[0].codes;
	size_t p = row->part[0].d;
	uint8_t *codes;

	TLV_TRY(check_variables(ctx, state, p));
	TLV_TRY(category_tell(ctx, state,
						  row->part[0].names == NULL ? TLV_CATEGORIES_BY_NUMBER
													 : TLV_CATEGORIES_BY_NAME));
	/* A row without a value does not say how many variables the others have. */
	if (row->part[0].names != NULL && !tlv_codes_missing(p, values))
	{
		TLV_TRY(category_codes_of_names(ctx, state, &row->part[0]));
		values = state->codes;
	}
	if (!in_range(p, values))
		return refuse_value(ctx, p, values);
	if (tlv_codes_missing(p, values))
	{
		accumulator->nulls++;
		return TLV_OK;
	}
	if (state->largest == NULL)
		TLV_TRY(categories_begin(ctx, state, p));
	if (state->block_rows == state->block_room)
	{
		if (state->block_room == state->block_most)
			TLV_TRY(category_flush(ctx, state));
		else
			TLV_TRY(grow_block(ctx, state));
	}
	codes = state->block + state->block_rows * p;
	encode(p, values, codes, state->largest, state->least);
	state->block_rows++;
	return TLV_OK;
}

/* ---- merging ---- */

static tlv_status
check_replicates(tlv_context *ctx, category_state *state, const tlv_frame *frame)
{
	size_t replicates = (size_t) tlv_frame_scalar(frame, "replicates", 0);

	if (!state->replicates_known)
		state->replicates = replicates;
	state->replicates_known = true;
	if (state->replicates == replicates)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER,
			 "category moments of %zu and of %zu bootstrap replicates cannot be merged",
			 state->replicates, replicates);
	return tlv_fail_hint(ctx, "Collect all parts with the same number of replicates.");
}

/* No count is above that of its rows. */
static tlv_status
check_sums(tlv_context *ctx, const category_state *state, const tlv_category_tables *tables,
		   double nulls)
{
	TLV_TRY(tlv_require_whole_sum(ctx, "nulls", state->base.nulls, nulls));
	TLV_TRY(tlv_require_whole_sum(ctx, "rows", state->rows, tables->rows));
	TLV_TRY(tlv_require_whole_sum(ctx, "values", state->rows * (double) tables->p,
								  tables->rows * (double) tables->p));
	for (size_t r = 0; r < tables->replicates && state->sums.part_rows != NULL; r++)
		TLV_TRY(tlv_require_whole_sum(ctx, "part_rows", state->sums.part_rows[r],
									  tables->part_rows[r]));
	return TLV_OK;
}

static tlv_status
merge_tables(tlv_context *ctx, category_state *state, const tlv_category_tables *tables)
{
	category_layout layout;
	int32_t *map = NULL;

	if (state->layout.p > 0 && state->layout.p != tables->p)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "category moments of %zu and of %zu %s cannot be merged",
				 state->layout.p, tables->p,
				 tlv_plural((double) tables->p, "variable", "variables"));
		return tlv_fail_hint(ctx, "All parts must have the same variables.");
	}
	TLV_TRY(category_flush(ctx, state));
	TLV_TRY(category_tell(ctx, state,
						  tables->name_offsets == NULL ? TLV_CATEGORIES_BY_NUMBER
													   : TLV_CATEGORIES_BY_NAME));
	if (tables->name_offsets != NULL)
		TLV_TRY(category_map_names(ctx, state, tables, &map));
	if (map == NULL || state->layout.p == 0)
		TLV_TRY(category_grow(ctx, state, tables->p, tables->states));
	TLV_TRY(category_grow_to_names(ctx, state));
	if (tables->triples == NULL)
		category_drop_triples(ctx, state);
	layout = category_layout_of(tables);
	TLV_TRY(category_add_tables(ctx, &layout, tables, 1, map, &state->layout, &state->sums));
	tlv_free(ctx, map);
	state->rows += tables->rows;
	return TLV_OK;
}

static tlv_status
category_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	category_state *state = (category_state *) accumulator;
	double nulls = tlv_frame_scalar(frame, "nulls", 0);
	tlv_category_tables tables;

	TLV_TRY(tlv_category_open(ctx, frame, &tables));
	TLV_TRY(check_replicates(ctx, state, frame));
	TLV_TRY(check_sums(ctx, state, &tables, nulls));
	if (tables.p > 0)
		TLV_TRY(merge_tables(ctx, state, &tables));
	state->base.nulls += nulls;
	tlv_category_close(ctx, &tables);
	return TLV_OK;
}

/* Counts taken so many times, which must stay whole. */
static tlv_status
multiplied_counts(tlv_context *ctx, size_t n, const double *counts, double times, double **copy)
{
	*copy = NULL;
	if (counts == NULL)
		return TLV_OK;
	TLV_TRY_NEW(ctx, *copy, n);
	for (size_t i = 0; i < n; i++)
	{
		double count = times * counts[i];

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!(count <= 0x1p53 && count == floor(count)))
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER, "%g times %g is not an integer up to 2^53", times,
					 counts[i]);
			return tlv_fail_hint(ctx, "Counts of rows must remain integers.");
		}
		(*copy)[i] = count;
	}
	return TLV_OK;
}

/* The rows as often: a part of them would be as many rows at once. */
static tlv_status
category_merge_times(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame,
					 double times)
{
	category_state *state = (category_state *) accumulator;
	double nulls = tlv_frame_scalar(frame, "nulls", 0), *singles, *pairs, *triples, *counts;
	tlv_category_tables tables;

	TLV_TRY(tlv_category_open(ctx, frame, &tables));
	TLV_TRY(check_replicates(ctx, state, frame));
	if (state->replicates > 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "moments with bootstrap replicates cannot be multiplied");
		return tlv_fail_hint(ctx, "Collect them without replicates.");
	}
	TLV_TRY(multiplied_counts(ctx, 2, (const double[]){tables.rows, nulls}, times, &counts));
	TLV_TRY(multiplied_counts(ctx, tables.offset[tables.p], tables.singles, times, &singles));
	TLV_TRY(multiplied_counts(ctx, tables.pair_entries, tables.pairs, times, &pairs));
	TLV_TRY(multiplied_counts(ctx, tables.triple_row[tables.p], tables.triples, times, &triples));
	tables.rows = counts[0];
	tables.singles = singles;
	tables.pairs = pairs;
	tables.triples = triples;
	TLV_TRY(check_sums(ctx, state, &tables, counts[1]));
	if (tables.p > 0)
		TLV_TRY(merge_tables(ctx, state, &tables));
	state->base.nulls += counts[1];
	tlv_free(ctx, triples);
	tlv_free(ctx, pairs);
	tlv_free(ctx, singles);
	tlv_free(ctx, counts);
	tlv_category_close(ctx, &tables);
	return TLV_OK;
}

/* ---- the stored form ---- */

static double
missing_values(const category_state *state)
{
	const category_layout *layout = &state->layout;
	double present = 0;

	for (size_t i = 0; i < layout->offset[layout->p]; i++)
		present += state->sums.singles[i];
	return state->rows * (double) layout->p - present;
}

static double
most_states(size_t p, const int64_t *states)
{
	int64_t most = 0;

	for (size_t v = 0; v < p; v++)
		most = states[v] > most ? states[v] : most;
	return (double) most;
}

static void
add_replicates(const category_state *state, tlv_frame_builder *builder)
{
	const category_layout *layout = &state->layout;

	tlv_frame_add(builder, "part_rows", TLV_FLOAT64, state->replicates, 1, state->sums.part_rows);
	tlv_frame_add(builder, "part_singles", TLV_FLOAT64, layout->offset[layout->p],
				  state->replicates, state->sums.part_singles);
	tlv_frame_add(builder, "part_pairs", TLV_FLOAT64, layout->pair_row[layout->p],
				  state->replicates, state->sums.part_pairs);
}

/* Rows may have come behind values that were merged.  Values are counted, too: present and missing
 * ones are as many as rows times variables. */
static tlv_status
category_require_whole_counts(tlv_context *ctx, const category_state *state)
{
	const double *part_rows = state->sums.part_rows;

	TLV_TRY(tlv_require_whole_sum(ctx, "rows", state->rows, 0));
	TLV_TRY(tlv_require_whole_sum(ctx, "nulls", state->base.nulls, 0));
	for (size_t r = 0; r < state->replicates && part_rows != NULL; r++)
		TLV_TRY(tlv_require_whole_sum(ctx, "part_rows", part_rows[r], 0));
	return tlv_require_whole_sum(ctx, "values", state->rows * (double) state->layout.p, 0);
}

static tlv_status
category_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	category_state *state = (category_state *) accumulator;
	const category_layout *layout = &state->layout;
	size_t p = layout->p;

	TLV_TRY(category_flush(ctx, state));
	TLV_TRY(category_sort_names(ctx, state));
	TLV_TRY(category_require_whole_counts(ctx, state));
	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_CATEGORY_MOMENTS);
	builder->owned = NULL;
	tlv_frame_add_scalar(builder, "rows", state->rows);
	tlv_frame_add_scalar(builder, "nulls", state->base.nulls);
	tlv_frame_add_scalar(builder, "variables", (double) p);
	if (state->replicates > 0)
		tlv_frame_add_scalar(builder, "replicates", (double) state->replicates);
	if (p == 0)
		return TLV_OK;
	tlv_frame_add_scalar(builder, "missing", missing_values(state));
	tlv_frame_add_scalar(builder, "most_states", most_states(p, layout->states));
	tlv_frame_add_scalar(builder, "triples_kept", state->sums.triples != NULL);
	tlv_frame_add(builder, "states", TLV_INT64, p, 1, layout->states);
	tlv_frame_add(builder, "singles", TLV_FLOAT64, layout->offset[p], 1, state->sums.singles);
	tlv_frame_add(builder, "pairs", TLV_FLOAT64, layout->pair_row[p], 1, state->sums.pairs);
	if (state->sums.triples != NULL)
		tlv_frame_add(builder, "triples", TLV_FLOAT64, layout->triple_row[p], 1,
					  state->sums.triples);
	if (state->replicates > 0)
		add_replicates(state, builder);
	return state->told == TLV_CATEGORIES_BY_NAME ? category_add_names(ctx, state, builder) : TLV_OK;
}

/* ---- checking ---- */

/* Counts are whole numbers, so that sums of them are; those of a column at most most[column]. */
static tlv_status
require_counts(tlv_context *ctx, const tlv_frame *frame, const char *name, size_t rows,
			   size_t columns, const double *most)
{
	const double *counts;
	const void *data;

	TLV_TRY(tlv_frame_require(ctx, frame, name, TLV_FLOAT64, rows, columns, &data));
	counts = data;
	for (size_t c = 0; c < columns; c++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < rows; i++, counts++)
			if (!(*counts >= 0 && *counts <= most[c] && *counts == floor(*counts)))
				return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of section \"%s\" is %g, not a count",
								c * rows + i + 1, name, *counts);
	}
	return TLV_OK;
}

/* No variable has more values than there are rows; what is not there is missing. */
static tlv_status
check_singles(tlv_context *ctx, const tlv_frame *frame, const category_layout *layout)
{
	const double *singles = tlv_frame_float64(frame, "singles");
	double rows = tlv_frame_scalar(frame, "rows", 0);
	double missing = rows * (double) layout->p;

	if (missing > 0x1p53)
		return tlv_fail(ctx, TLV_CORRUPT, "%g rows of %zu variables are too many", rows, layout->p);
	for (size_t v = 0; v < layout->p; v++)
	{
		double values = 0;

		for (size_t i = layout->offset[v]; i < layout->offset[v + 1]; i++)
			values += singles[i];
		if (values > rows)
			return tlv_fail(ctx, TLV_CORRUPT, "variable %zu has %g values in %g rows", v + 1,
							values, rows);
		missing -= values;
	}
	if (tlv_frame_scalar(frame, "missing", -1) != missing)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"missing\" is not %g", missing);
	return TLV_OK;
}

/* part_rows is replicates x 1, all at most 2^53. */
static tlv_status
require_replicate_rows(tlv_context *ctx, const tlv_frame *frame, size_t replicates,
					   const double **rows)
{
	const double most = 0x1p53;

	TLV_TRY(require_counts(ctx, frame, "part_rows", replicates, 1, &most));
	*rows = tlv_frame_float64(frame, "part_rows");
	return TLV_OK;
}

static tlv_status
check_tables(tlv_context *ctx, const tlv_frame *frame, const category_layout *layout,
			 size_t replicates)
{
	size_t p = layout->p, singles = layout->offset[p], pairs = layout->pair_row[p];
	bool kept = tlv_frame_find(frame, "triples") != NULL;
	const double rows = tlv_frame_scalar(frame, "rows", 0), *part_rows;

	TLV_TRY(require_counts(ctx, frame, "singles", singles, 1, &rows));
	TLV_TRY(check_singles(ctx, frame, layout));
	TLV_TRY(require_counts(ctx, frame, "pairs", pairs, 1, &rows));
	if (tlv_frame_scalar(frame, "triples_kept", -1) != (kept ? 1 : 0))
		return tlv_fail(ctx, TLV_CORRUPT, "triples_kept does not say what is kept");
	if (kept && layout->triple_row[p] > TLV_CATEGORY_MOST_TRIPLES)
		return tlv_fail(ctx, TLV_CORRUPT, "there are %zu entries of triples, more than %zu",
						layout->triple_row[p], TLV_CATEGORY_MOST_TRIPLES);
	if (kept)
		TLV_TRY(require_counts(ctx, frame, "triples", layout->triple_row[p], 1, &rows));
	if (replicates == 0)
		return TLV_OK;
	TLV_TRY(require_replicate_rows(ctx, frame, replicates, &part_rows));
	TLV_TRY(require_counts(ctx, frame, "part_singles", singles, replicates, part_rows));
	return require_counts(ctx, frame, "part_pairs", pairs, replicates, part_rows);
}

static tlv_status
check_states(tlv_context *ctx, const tlv_frame *frame, size_t p, size_t replicates)
{
	const int64_t *states;
	const void *data;
	category_layout layout;
	tlv_status status;

	TLV_TRY(tlv_frame_require(ctx, frame, "states", TLV_INT64, p, 1, &data));
	states = data;
	for (size_t v = 0; v < p; v++)
		if (states[v] < 0 || states[v] > TLV_CATEGORY_MOST_STATES)
			return tlv_fail(ctx, TLV_CORRUPT, "variable %zu has %lld states", v + 1,
							(long long) states[v]);
	if (tlv_frame_scalar(frame, "most_states", -1) != most_states(p, states))
		return tlv_fail(ctx, TLV_CORRUPT, "most_states is not the largest number of states");
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "missing"));
	TLV_TRY(category_layout_create(ctx, p, &layout));
	memcpy(layout.states, states, p * sizeof(int64_t));
	category_layout_place(&layout);
	status = check_tables(ctx, frame, &layout, replicates);
	if (status == TLV_OK)
		status = category_check_names(ctx, frame, &layout);
	category_layout_free(ctx, &layout);
	return status;
}

/* Those that a value has, and no other: what is not looked at here must not be found later. */
static tlv_status
check_sections(tlv_context *ctx, const tlv_frame *frame, bool variables, bool replicates)
{
	uint32_t expected = 3 + (replicates ? 1 : 0);

	if (variables)
		expected += 6 + (tlv_frame_find(frame, "triples") != NULL ? 1 : 0) + (replicates ? 3 : 0) +
					(tlv_frame_find(frame, "name_offsets") != NULL ? 2 : 0);
	if (frame->header->sections != expected)
		return tlv_fail(ctx, TLV_CORRUPT, "the value has %u sections instead of %u",
						frame->header->sections, expected);
	return TLV_OK;
}

/* Of NULL rows alone there are no variables. */
static tlv_status
category_check(tlv_context *ctx, const tlv_frame *frame)
{
	double p, replicates = 0;

	TLV_TRY(tlv_frame_require_whole(ctx, frame, "rows"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "nulls"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "variables"));
	if (tlv_frame_find(frame, "replicates") != NULL)
	{
		TLV_TRY(tlv_frame_require_whole(ctx, frame, "replicates"));
		replicates = tlv_frame_scalar(frame, "replicates", 0);
		if (replicates < 1 || replicates > TLV_CATEGORY_MOST_REPLICATES)
			return tlv_fail(ctx, TLV_CORRUPT, "there are %g replicates", replicates);
	}
	p = tlv_frame_scalar(frame, "variables", 0);
	if (p > TLV_CATEGORY_MOST_VARIABLES)
		return tlv_fail(ctx, TLV_CORRUPT, "there are %g variables", p);
	TLV_TRY(category_refuse_drawn(ctx, frame));
	TLV_TRY(check_sections(ctx, frame, p > 0, replicates > 0));
	if (p > 0)
		return check_states(ctx, frame, (size_t) p, (size_t) replicates);
	if (tlv_frame_scalar(frame, "rows", 0) > 0)
		return tlv_fail(ctx, TLV_CORRUPT, "there are rows, but no variables");
	return TLV_OK;
}

static const tlv_accumulator_class category_class = {
	.name = "category_moments",
	.create = create_empty,
	.merge = category_merge,
	.build = category_build,
	.subtract = category_subtract,
	.merge_times = category_merge_times,
	.rows = TLV_ROW_CODES,
	.add = category_add,
};
const tlv_kind tlv_kind_category_moments = {TLV_KIND_LINE(CATEGORY_MOMENTS, category_moments),
											.check = category_check,
											.accumulator = &category_class};
