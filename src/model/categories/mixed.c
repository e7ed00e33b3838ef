/*
 * mixed.c - the accumulator of tables of categories and numbers (categories.h): sums of the
 * products of what different variables of a row weigh.
 *
 * The layout is that of category moments, of which a number is a variable of two states.  Rows are
 * added as they come: products of numbers cannot be counted in bit planes.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/plural.h"

/* The states of a number: it is there, and its value. */
#define NUMBER_STATES 2

/* What a variable of the current row weighs: n states from `state` on. */
typedef struct mixed_value
{
	size_t variable;
	size_t state;
	size_t n;
	double weight[NUMBER_STATES];
} mixed_value;

typedef struct mixed_state
{
	category_state tables; /* its layout and sums, without block and bootstrap */
	size_t scalars;		   /* the last variables of the layout; 0 before the first row */
	double *squares;	   /* scalars */
	int64_t *wanted;	   /* states that a row needs: p of the layout */
	mixed_value *values;   /* p: those that are there */
} mixed_state;

static tlv_status
mixed_create_empty(tlv_context *ctx, tlv_accumulator **accumulator)
{
	mixed_state *state;

	*accumulator = NULL;
	TLV_TRY_NEW0(ctx, state, 1);
	state->tables.base.class = tlv_kind_mixed_moments.accumulator;
	state->tables.replicates_known = true;
	*accumulator = &state->tables.base;
	return TLV_OK;
}

static tlv_status
mixed_moments_begin(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	(void) constants;
	return mixed_create_empty(ctx, accumulator);
}

const tlv_aggregate tlv_aggregate_mixed_moments = {"tlv_mixed_moments", NULL, mixed_moments_begin};

/* ---- rows ---- */

static tlv_status
check_widths(tlv_context *ctx, const mixed_state *state, size_t p, size_t q)
{
	size_t all = state->tables.layout.p;

	if (p == 0 || q == 0)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "a row has no %s", p == 0 ? "categories" : "numbers");
		return tlv_fail_hint(ctx, "Use %s for such rows.",
							 p == 0 ? "tlv_dense_moments(x, 3)" : "tlv_category_moments(v)");
	}
	if (p + q > TLV_CATEGORY_MOST_VARIABLES)
		return tlv_fail(ctx, TLV_LIMIT, "a row has %zu values, more than %d", p + q,
						TLV_CATEGORY_MOST_VARIABLES);
	if (all == 0 || (q == state->scalars && p + q == all))
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_DATA, "a row has %zu %s and %zu %s, the first one %zu and %zu", p,
			 tlv_plural((double) p, "category", "categories"), q,
			 tlv_plural((double) q, "number", "numbers"), all - state->scalars, state->scalars);
	return tlv_fail_hint(ctx, "All rows must have the same variables; missing values are null.");
}

static tlv_status
mixed_begin(tlv_context *ctx, mixed_state *state, size_t all, size_t scalars)
{
	if (state->values != NULL)
		return TLV_OK;
	TLV_TRY_NEW0(ctx, state->squares, scalars);
	TLV_TRY_NEW0(ctx, state->wanted, all);
	TLV_TRY_NEW(ctx, state->values, all);
	state->scalars = scalars;
	for (size_t s = all - scalars; s < all; s++)
		state->wanted[s] = NUMBER_STATES;
	return TLV_OK;
}

/* The values that are there, in state->values; how many.  Nothing has changed when one is
 * refused, but what a later row needs at least. */
static tlv_status
take_values(tlv_context *ctx, mixed_state *state, const tlv_row *row, size_t *n)
{
	size_t p = row->part[0].d, q = row->part[1].d;
	const int32_t *codes = row->part[0].codes;
	const double *numbers = row->part[1].float64;

	*n = 0;
	for (size_t j = 0; j < p; j++)
	{
		if (codes[j] < TLV_CATEGORY_MISSING || codes[j] >= TLV_CATEGORY_MOST_STATES)
		{
			tlv_fail(ctx, TLV_BAD_DATA, "value %zu of a row is %d, not a state from 0 to %d", j + 1,
					 codes[j], TLV_CATEGORY_MOST_STATES - 1);
			return tlv_fail_hint(ctx, "States are numbered from 0; missing values are null.");
		}
		if (codes[j] == TLV_CATEGORY_MISSING)
			continue;
		state->values[(*n)++] =
			(mixed_value){.variable = j, .state = (size_t) codes[j], .n = 1, .weight = {1}};
	}
	for (size_t s = 0; s < q; s++)
	{
		if (isnan(numbers[s]))
			continue;
		if (!(fabs(numbers[s]) <= TLV_MIXED_MOST))
			return tlv_refuse_number(ctx, s, numbers[s], TLV_MIXED_MOST);
		state->values[(*n)++] =
			(mixed_value){.variable = p + s, .n = NUMBER_STATES, .weight = {1, numbers[s]}};
	}
	for (size_t t = 0; t < *n; t++)
		if ((int64_t) state->values[t].state >= state->wanted[state->values[t].variable])
			state->wanted[state->values[t].variable] =
				(int64_t) (state->values[t].state + state->values[t].n);
	return TLV_OK;
}

static void
add_pair_of(mixed_state *state, const mixed_value *a, const mixed_value *b)
{
	const category_layout *layout = &state->tables.layout;
	size_t states = (size_t) layout->states[b->variable];
	double *table =
		state->tables.sums.pairs + category_pair_offset(layout, a->variable, b->variable);

	for (size_t x = 0; x < a->n; x++)
		for (size_t y = 0; y < b->n; y++)
			table[(a->state + x) * states + b->state + y] += a->weight[x] * b->weight[y];
}

static void
add_triple_of(mixed_state *state, const mixed_value *a, const mixed_value *b, const mixed_value *c)
{
	const category_layout *layout = &state->tables.layout;
	size_t states_b = (size_t) layout->states[b->variable];
	size_t states_c = (size_t) layout->states[c->variable];
	double *table = state->tables.sums.triples +
					category_triple_offset(layout, a->variable, b->variable, c->variable);

	for (size_t x = 0; x < a->n; x++)
		for (size_t y = 0; y < b->n; y++)
		{
			double weight = a->weight[x] * b->weight[y];
			double *to = table + ((a->state + x) * states_b + b->state + y) * states_c + c->state;

			for (size_t z = 0; z < c->n; z++)
				to[z] += weight * c->weight[z];
		}
}

static tlv_status
mixed_add_values(tlv_context *ctx, mixed_state *state, size_t n)
{
	const category_layout *layout = &state->tables.layout;
	const mixed_value *values = state->values;

	for (size_t i = 0; i < n; i++)
	{
		size_t variable = values[i].variable;

		for (size_t x = 0; x < values[i].n; x++)
			state->tables.sums.singles[layout->offset[variable] + values[i].state + x] +=
				values[i].weight[x];
		if (variable >= layout->p - state->scalars)
			state->squares[variable - (layout->p - state->scalars)] +=
				values[i].weight[1] * values[i].weight[1];
		TLV_TRY_CONTINUE(ctx);
		for (size_t j = i + 1; j < n; j++)
		{
			add_pair_of(state, &values[i], &values[j]);
			for (size_t l = j + 1; l < n && state->tables.sums.triples != NULL; l++)
				add_triple_of(state, &values[i], &values[j], &values[l]);
		}
	}
	return TLV_OK;
}

static tlv_status
mixed_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	mixed_state *state = (mixed_state *) accumulator;
	size_t p = row->part[0].d, q = row->part[1].d, n;

	TLV_TRY(check_widths(ctx, state, p, q));
	TLV_TRY(mixed_begin(ctx, state, p + q, q));
	TLV_TRY(take_values(ctx, state, row, &n));
	TLV_TRY(category_grow(ctx, &state->tables, p + q, state->wanted));
	state->tables.rows++;
	return mixed_add_values(ctx, state, n);
}

/* ---- merging ---- */

static tlv_status
mixed_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	mixed_state *state = (mixed_state *) accumulator;
	double nulls = tlv_frame_scalar(frame, "nulls", 0);
	category_layout layout = {0};
	tlv_category_tables from;

	TLV_TRY(tlv_category_open(ctx, frame, &from));
	TLV_TRY(tlv_require_whole_sum(ctx, "nulls", state->tables.base.nulls, nulls));
	TLV_TRY(tlv_require_whole_sum(ctx, "rows", state->tables.rows, from.rows));
	state->tables.base.nulls += nulls;
	if (from.p > 0)
	{
		TLV_TRY(check_widths(ctx, state, from.p - from.scalars, from.scalars));
		TLV_TRY(mixed_begin(ctx, state, from.p, from.scalars));
		TLV_TRY(category_grow(ctx, &state->tables, from.p, from.states));
		if (from.triples == NULL)
			category_drop_triples(ctx, &state->tables);
		TLV_TRY(category_layout_create(ctx, from.p, &layout));
		memcpy(layout.states, from.states, from.p * sizeof(int64_t));
		category_layout_place(&layout);
		TLV_TRY(
			category_add_tables(ctx, &layout, &from, &state->tables.layout, &state->tables.sums));
		category_layout_free(ctx, &layout);
		for (size_t s = 0; s < from.scalars; s++)
			state->squares[s] += from.squares[s];
		state->tables.rows += from.rows;
	}
	tlv_category_close(ctx, &from);
	return TLV_OK;
}

/* ---- the stored form ---- */

static tlv_status
mixed_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	mixed_state *state = (mixed_state *) accumulator;
	const category_layout *layout = &state->tables.layout;
	const category_sums *sums = &state->tables.sums;
	size_t p = layout->p;

	TLV_TRY(tlv_require_whole_sum(ctx, "rows", state->tables.rows, 0));
	TLV_TRY(tlv_require_whole_sum(ctx, "nulls", state->tables.base.nulls, 0));
	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_MIXED_MOMENTS);
	builder->owned = NULL;
	tlv_frame_add_scalar(builder, "rows", state->tables.rows);
	tlv_frame_add_scalar(builder, "nulls", state->tables.base.nulls);
	tlv_frame_add_scalar(builder, "variables", (double) p);
	tlv_frame_add_scalar(builder, "scalars", (double) state->scalars);
	if (p == 0)
		return TLV_OK;
	tlv_frame_add_scalar(builder, "triples_kept", sums->triples != NULL);
	tlv_frame_add(builder, "states", TLV_INT64, p, 1, layout->states);
	tlv_frame_add(builder, "singles", TLV_FLOAT64, layout->offset[p], 1, sums->singles);
	tlv_frame_add(builder, "pairs", TLV_FLOAT64, layout->pair_row[p], 1, sums->pairs);
	if (sums->triples != NULL)
		tlv_frame_add(builder, "triples", TLV_FLOAT64, layout->triple_row[p], 1, sums->triples);
	tlv_frame_add(builder, "squares", TLV_FLOAT64, state->scalars, 1, state->squares);
	return TLV_OK;
}

/* ---- checking ---- */

/* Whether a state is the value of a number, not a count. */
static inline bool
is_value(const tlv_category_tables *tables, size_t variable, size_t state)
{
	return variable >= tables->p - tables->scalars && state == 1;
}

static tlv_status
require_count(tlv_context *ctx, const tlv_category_tables *tables, const char *name, double entry)
{
	if (entry >= 0 && entry <= tables->rows && entry == floor(entry))
		return TLV_OK;
	return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" holds %g, not a count", name, entry);
}

/* What is counted of two variables, or of three. */
static tlv_status
check_counts_of(tlv_context *ctx, const tlv_category_tables *tables, size_t a, size_t b)
{
	size_t states_a = (size_t) tables->states[a], states_b = (size_t) tables->states[b];
	const double *pair = tlv_category_pair(tables, a, b);

	for (size_t x = 0; x < states_a; x++)
		for (size_t y = 0; y < states_b; y++)
			if (!is_value(tables, a, x) && !is_value(tables, b, y))
				TLV_TRY(require_count(ctx, tables, "pairs", pair[x * states_b + y]));
	for (size_t c = b + 1; c < tables->p && tables->triples != NULL; c++)
	{
		size_t states = (size_t) tables->states[c];
		const double *triple = tlv_category_triple(tables, a, b, c);

		for (size_t i = 0; i < states_a * states_b * states; i++)
			if (!is_value(tables, a, i / states / states_b) &&
				!is_value(tables, b, i / states % states_b) && !is_value(tables, c, i % states))
				TLV_TRY(require_count(ctx, tables, "triples", triple[i]));
	}
	return TLV_OK;
}

static tlv_status
check_counts(tlv_context *ctx, const tlv_category_tables *tables)
{
	for (size_t a = 0; a < tables->p; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t x = 0; x < (size_t) tables->states[a]; x++)
			if (!is_value(tables, a, x))
				TLV_TRY(
					require_count(ctx, tables, "singles", tables->singles[tables->offset[a] + x]));
		for (size_t b = a + 1; b < tables->p; b++)
			TLV_TRY(check_counts_of(ctx, tables, a, b));
	}
	for (size_t s = 0; s < tables->scalars; s++)
		if (!(tables->squares[s] >= 0))
			return tlv_fail(ctx, TLV_CORRUPT, "section \"squares\" holds %g", tables->squares[s]);
	return TLV_OK;
}

static tlv_status
check_mixed_tables(tlv_context *ctx, const tlv_frame *frame, size_t p, size_t scalars)
{
	bool kept = tlv_frame_find(frame, "triples") != NULL;
	const int64_t *states;
	const void *data;
	tlv_category_tables tables;

	TLV_TRY(tlv_frame_require(ctx, frame, "states", TLV_INT64, p, 1, &data));
	states = data;
	for (size_t v = 0; v < p; v++)
		if (states[v] < 0 || states[v] > TLV_CATEGORY_MOST_STATES ||
			(v >= p - scalars && states[v] != NUMBER_STATES))
			return tlv_fail(ctx, TLV_CORRUPT, "variable %zu has %lld states", v + 1,
							(long long) states[v]);
	TLV_TRY(tlv_category_open(ctx, frame, &tables));
	TLV_TRY(tlv_frame_require(ctx, frame, "singles", TLV_FLOAT64, tables.offset[p], 1, &data));
	TLV_TRY(tlv_frame_require(ctx, frame, "pairs", TLV_FLOAT64, tables.pair_row[p], 1, &data));
	TLV_TRY(tlv_frame_require(ctx, frame, "squares", TLV_FLOAT64, scalars, 1, &data));
	if (tlv_frame_scalar(frame, "triples_kept", -1) != (kept ? 1 : 0))
		return tlv_fail(ctx, TLV_CORRUPT, "triples_kept does not say what is kept");
	if (kept && tables.triple_row[p] > TLV_CATEGORY_MOST_TRIPLES)
		return tlv_fail(ctx, TLV_CORRUPT, "there are %zu entries of triples, more than %zu",
						tables.triple_row[p], TLV_CATEGORY_MOST_TRIPLES);
	if (kept)
		TLV_TRY(
			tlv_frame_require(ctx, frame, "triples", TLV_FLOAT64, tables.triple_row[p], 1, &data));
	TLV_TRY(check_counts(ctx, &tables));
	tlv_category_close(ctx, &tables);
	return TLV_OK;
}

/* Of NULL rows alone there are no variables. */
static tlv_status
mixed_check(tlv_context *ctx, const tlv_frame *frame)
{
	double p, scalars;
	uint32_t expected = 4;

	TLV_TRY(tlv_frame_require_whole(ctx, frame, "rows"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "nulls"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "variables"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "scalars"));
	p = tlv_frame_scalar(frame, "variables", 0);
	scalars = tlv_frame_scalar(frame, "scalars", 0);
	if (p > TLV_CATEGORY_MOST_VARIABLES || (p > 0 && !(scalars >= 1 && scalars < p)) ||
		(p == 0 && scalars > 0))
		return tlv_fail(ctx, TLV_CORRUPT, "there are %g variables, %g of them numbers", p, scalars);
	if (p > 0)
		expected += 5 + (tlv_frame_find(frame, "triples") != NULL ? 1 : 0);
	if (frame->header->sections != expected)
		return tlv_fail(ctx, TLV_CORRUPT, "the value has %u sections instead of %u",
						frame->header->sections, expected);
	if (p > 0)
		return check_mixed_tables(ctx, frame, (size_t) p, (size_t) scalars);
	if (tlv_frame_scalar(frame, "rows", 0) > 0)
		return tlv_fail(ctx, TLV_CORRUPT, "there are rows, but no variables");
	return TLV_OK;
}

static const tlv_accumulator_class mixed_class = {
	.name = "mixed_moments",
	.create = mixed_create_empty,
	.merge = mixed_merge,
	.build = mixed_build,
	.rows = TLV_ROW_MIXED,
	.add = mixed_add,
};
const tlv_kind tlv_kind_mixed_moments = {TLV_KIND_LINE(MIXED_MOMENTS, mixed_moments),
										 .check = mixed_check, .accumulator = &mixed_class};
