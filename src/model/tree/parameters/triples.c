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

/* Rows that wait: their values lie variable by variable, so that a table is filled at once. */
#define WAITING ((size_t) 256)

typedef struct triples_state
{
	tlv_accumulator base;
	tree_model *model; /* NULL when only stored values are merged */
	tree_selection selection;
	tlv_digest fingerprint;
	size_t entries;
	double *tables;
	double rows;
	size_t waiting;
	int8_t *values; /* p x WAITING */
} triples_state;

static tlv_status
triples_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	triples_state *state = tlv_alloc0(ctx, 1, sizeof(triples_state));

	TLV_TRY_ALLOC(ctx, state);
	state->base.class = tlv_kind_tree_triples.accumulator;
	*accumulator = &state->base;
	return TLV_OK;
}

static tlv_status
allocate_tables(tlv_context *ctx, triples_state *state, size_t entries)
{
	state->entries = entries;
	state->tables = tlv_alloc0(ctx, entries, sizeof(double));
	TLV_TRY_ALLOC(ctx, state->tables);
	return TLV_OK;
}

tlv_status
tlv_tree_triples_create(tlv_context *ctx, tlv_model *base, tlv_accumulator **accumulator)
{
	tree_model *model = (tree_model *) base;
	triples_state *state;
	double entries = 0;

	TLV_TRY(triples_create(ctx, accumulator));
	state = (triples_state *) *accumulator;
	state->model = model;
	state->fingerprint = base->frame.header->digest;
	TLV_TRY(tlv_tree_selection_create(ctx, &model->parts, &state->selection));
	for (size_t j = 0; j < model->parts.nodes - model->parts.p; j++)
		entries += (double) tlv_tree_triple_entries(&state->selection, j);
	if (entries > (double) TLV_TREE_MOST_ENTRIES)
		return tlv_fail(ctx, TLV_LIMIT,
						"the tables of triples would have %.0f numbers, more than %zu", entries,
						TLV_TREE_MOST_ENTRIES);
	state->values = tlv_alloc0(ctx, model->parts.p, WAITING);
	TLV_TRY_ALLOC(ctx, state->values);
	return allocate_tables(ctx, state, (size_t) entries);
}

/* ---- rows ---- */

static void
count_triple(const triples_state *state, const int64_t *triple, double *table)
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
flush(tlv_context *ctx, triples_state *state)
{
	double *table = state->tables;

	for (size_t j = 0; j < state->selection.shape.nodes - state->selection.shape.p; j++)
	{
		size_t entries = tlv_tree_triple_entries(&state->selection, j);

		if (j % 1024 == 0)
			TLV_TRY_CONTINUE(ctx);
		if (entries > 0)
			count_triple(state, state->selection.triples + 3 * j, table);
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
		return tlv_fail(ctx, TLV_INTERNAL, "statistics without a model cannot take rows");
	parts = &state->model->parts;
	if (p != parts->p)
		return tlv_fail(ctx, TLV_BAD_DATA, "a row has %zu values, but the tree %zu variables", p,
						parts->p);
	for (size_t v = 0; v < p; v++)
	{
		if (values[v] < TLV_CATEGORY_MISSING || values[v] >= parts->states[v])
			return tlv_fail(ctx, TLV_BAD_DATA,
							"value %d of variable %zu is not one of its states, 0 to %lld",
							values[v], v + 1, (long long) parts->states[v] - 1);
		state->values[v * WAITING + state->waiting] = (int8_t) values[v];
	}
	if (++state->waiting == WAITING)
		return flush(ctx, state);
	return TLV_OK;
}

/* ---- stored values ---- */

static tlv_status
triples_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	triples_state *state = (triples_state *) accumulator;
	const double *tables = tlv_frame_float64(frame, "tables");
	size_t entries = tlv_frame_find(frame, "tables")->rows;
	tlv_status status;

	if (state->tables == NULL)
	{
		TLV_TRY(allocate_tables(ctx, state, entries));
		state->fingerprint = *tlv_frame_digest(frame, "model");
	}
	if (!tlv_digest_equal(&state->fingerprint, tlv_frame_digest(frame, "model")) ||
		state->entries != entries)
	{
		status = tlv_fail(ctx, TLV_BAD_PARAMETER,
						  "the tables of triples were collected for different trees");
		tlv_fail_hint(ctx, "Collect all parts with one and the same model.");
		return status;
	}
	for (size_t i = 0; i < entries; i++)
		state->tables[i] += tables[i];
	state->base.nulls += tlv_frame_scalar(frame, "nulls", 0);
	state->rows += tlv_frame_scalar(frame, "rows", 0);
	return TLV_OK;
}

static tlv_status
triples_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	triples_state *state = (triples_state *) accumulator;

	if (state->model != NULL)
		TLV_TRY(flush(ctx, state));
	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_TREE_TRIPLES);
	builder->owned = NULL;
	tlv_frame_add_scalar(builder, "rows", state->rows);
	tlv_frame_add_scalar(builder, "nulls", state->base.nulls);
	tlv_frame_add_digest(builder, "model", &state->fingerprint);
	tlv_frame_add(builder, "tables", TLV_FLOAT64, state->entries, 1, state->tables);
	return TLV_OK;
}

static tlv_status
triples_check(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *tables = tlv_frame_find(frame, "tables");

	TLV_TRY(tlv_frame_require_whole(ctx, frame, "rows"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "nulls"));
	TLV_TRY(tlv_frame_require_digest(ctx, frame, "model"));
	if (tables == NULL)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"tables\" is missing");
	TLV_TRY(tlv_frame_require(ctx, frame, "tables", TLV_FLOAT64, tables->rows, 1, NULL));
	return tlv_frame_require_minimum(ctx, frame, "tables", 0);
}

static const tlv_accumulator_class triples_class = {
	.name = "tree_triples",
	.create = triples_create,
	.merge = triples_merge,
	.build = triples_build,
	.rows = TLV_ROW_CODES,
	.add = triples_add,
};
const tlv_kind tlv_kind_tree_triples = {TLV_KIND_LINE(TREE_TRIPLES, tree_triples),
										.check = triples_check, .accumulator = &triples_class};
