/*
 * triples.c - tables of the triples that a tree without parameters asks
 * for, one for every hidden node: what completes it.
 *
 * The value (kind tree_triples): scalars "rows", "nulls"; "model" (its fingerprint); "tables":
 * hidden node after hidden node, of triple (a, b, c) the rows in which all three are present, at
 * [(x_a * states[b] + x_b) * states[c] + x_c]; nothing of nodes without a triple.
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/plural.h"

/* Rows that wait: their values lie variable by variable, so that a table is filled at once. */
#define WAITING ((size_t) 256)

/* The size: numbers of the tables. */
#define SIZE_ENTRIES TLV_SIZE_1

typedef struct triples_state
{
	tlv_declared declared;
	tree_model *model; /* NULL when only stored values are merged */
	tree_selection selection;
	tlv_digest fingerprint;
	double *tables;
	double rows;
	size_t waiting;
	int8_t *values; /* p x WAITING */
} triples_state;

tlv_status
tlv_tree_triples_create(tlv_context *ctx, tlv_model *base, tlv_accumulator **accumulator)
{
	tree_model *model = (tree_model *) base;
	tree_selection selection;
	size_t sizes[TLV_SIZES] = {0};
	triples_state *state;
	double entries = 0;

	TLV_TRY(tlv_tree_selection_create(ctx, &model->parts, &selection));
	for (size_t j = 0; j < model->parts.nodes - model->parts.p; j++)
		entries += (double) tlv_tree_triple_entries(&selection, j);
	if (entries > (double) TLV_TREE_MOST_ENTRIES)
	{
		tlv_fail(ctx, TLV_LIMIT, "the tables of triples would have %.0f numbers, more than %zu",
				 entries, TLV_TREE_MOST_ENTRIES);
		return tlv_fail_hint(ctx, "Use fewer variables, or put rare states together.");
	}
	sizes[SIZE_ENTRIES] = (size_t) entries;
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_tree_triples.accumulator, sizes, accumulator));
	state = (triples_state *) *accumulator;
	state->model = model;
	state->selection = selection;
	state->fingerprint = base->frame.header->digest;
	state->values = tlv_alloc0(ctx, model->parts.p, WAITING);
	TLV_TRY_ALLOC(ctx, state->values);
	return TLV_OK;
}

/* ---- rows ---- */

static void
tree_count_triple(const triples_state *state, const int64_t *triple, double *table)
{
	const int64_t *states = state->selection.states;
	const int8_t *a = state->values + (size_t) triple[0] * WAITING;
	const int8_t *b = state->values + (size_t) triple[1] * WAITING;
	const int8_t *c = state->values + (size_t) triple[2] * WAITING;
	int64_t sb = states[triple[1]], sc = states[triple[2]];

	for (size_t r = 0; r < state->waiting; r++)
		if (a[r] >= 0 && b[r] >= 0 && c[r] >= 0)
			table[(a[r] * sb + b[r]) * sc + c[r]]++;
}

static tlv_status
triples_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	triples_state *state = (triples_state *) accumulator;
	double *table = state->tables;

	if (state->waiting == 0)
		return TLV_OK;
	for (size_t j = 0; j < state->selection.shape.nodes - state->selection.shape.p; j++)
	{
		size_t entries = tlv_tree_triple_entries(&state->selection, j);

		TLV_TRY_CONTINUE_OFTEN(ctx, j);
		if (entries > 0)
			tree_count_triple(state, state->selection.triples + 3 * j, table);
		table += entries;
	}
	state->rows += (double) state->waiting;
	state->waiting = 0;
	return TLV_OK;
}

static tlv_status
triples_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	triples_state *state = (triples_state *) accumulator;
	const int32_t *values = row->part[0].codes;
	size_t p = row->part[0].d;
	const tlv_tree_parts *parts;

	if (state->model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	parts = &state->model->parts;
	if (p != parts->p)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "a row has %zu %s, but the tree %zu %s", p,
				 tlv_plural((double) p, "value", "values"), parts->p,
				 tlv_plural((double) parts->p, "variable", "variables"));
		return tlv_fail_hint(ctx,
							 "Give the variables that the tree was fitted to, in their order.");
	}
	for (size_t v = 0; v < p; v++)
	{
		if (values[v] < TLV_CATEGORY_MISSING || values[v] >= parts->states[v])
		{
			tlv_fail(ctx, TLV_BAD_DATA,
					 "value %d of variable %zu is not one of its states, 0 to %lld", values[v],
					 v + 1, (long long) parts->states[v] - 1);
			return tlv_fail_hint(ctx, "Values that the model has not seen can be given as NULL.");
		}
		state->values[v * WAITING + state->waiting] = (int8_t) values[v];
	}
	if (++state->waiting == WAITING)
		return triples_flush(ctx, accumulator);
	return TLV_OK;
}

/* ---- stored values ---- */

#define AT(member) offsetof(triples_state, member)
static const tlv_declaration triples_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(rows)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"tables", TLV_FLOAT64, SIZE_ENTRIES, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(tables)},
};
#undef AT
static const tlv_sections triples_sections = {
	.state = sizeof(triples_state),
	.kind = TLV_KIND_TREE_TRIPLES,
	TLV_LIST(triples_list),
	.least = {0},
	.most = {TLV_FRAME_MAX_BYTES / sizeof(double)},
	.flush = triples_flush,
};

static const tlv_accumulator_class triples_class = {
	.name = "tree_triples",
	TLV_DECLARED(&triples_sections),
	.rows = TLV_ROW_CODES,
	.add = triples_add,
};
const tlv_kind tlv_kind_tree_triples = {TLV_KIND_LINE(TREE_TRIPLES, tree_triples),
										.accumulator = &triples_class};
