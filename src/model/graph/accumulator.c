/*
 * accumulator.c - a graph that is being collected (graph.h).
 *
 * Edges, one or all those of a node in a row, are gathered in a buffer.  A full buffer is sorted,
 * its duplicates are added up, and it becomes a delta-coded run; runs of like size are merged, so
 * that every edge is merged a logarithmic number of times.  Building merges
 * what is left into one run, which image.c turns into the stored form.
 */
#include "internal.h"

#include <float.h>
#include <inttypes.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"

#define FIRST_ROOM ((size_t) 16)
#define BUFFER_MAX ((size_t) 1 << 22)

typedef struct graph_state
{
	tlv_accumulator base;
	graph_totals totals;
	size_t n; /* edges in the buffer */
	size_t room;
	size_t buffer_max;
	raw_edge *edge;
	double *weight; /* NULL while all are 1 */
	size_t n_runs;
	size_t runs_room;
	edge_run *run;	 /* each more than twice as long as the next */
	bool fractions;	 /* a stored graph has had weights that are not whole */
	bool negative;	 /* some weight is */
	size_t bag_room; /* of the two arrays of a row's bag */
	int64_t *items;
	double *item_weights;
	tlv_name_table names[2]; /* of nodes; of targets of a bipartite graph the second */
} graph_state;

tlv_status
tlv_graph_accumulator_create(tlv_context *ctx, tlv_graph_kind kind, bool weighted,
							 tlv_accumulator **accumulator)
{
	graph_state *state = tlv_alloc0(ctx, 1, sizeof(graph_state));

	TLV_TRY_ALLOC(ctx, state);
	state->base.class = &tlv_graph_accumulator_classes[kind - 1];
	state->totals.kind = kind;
	state->totals.weighted = weighted;
	state->buffer_max = BUFFER_MAX;
	*accumulator = &state->base;
	return TLV_OK;
}

#define GRAPH_MAKERS(name, kind, weighted)                                                         \
	static tlv_status name##_create(tlv_context *ctx, tlv_accumulator **accumulator)               \
	{                                                                                              \
		return tlv_graph_accumulator_create(ctx, kind, weighted, accumulator);                     \
	}                                                                                              \
	static tlv_status name##_begin(tlv_context *ctx, const tlv_statistic *constants,               \
								   tlv_accumulator **accumulator)                                  \
	{                                                                                              \
		return name##_create(ctx, accumulator);                                                    \
	}

GRAPH_MAKERS(graph, TLV_GRAPH_UNDIRECTED, false)
GRAPH_MAKERS(digraph, TLV_GRAPH_DIRECTED, false)
GRAPH_MAKERS(bigraph, TLV_GRAPH_BIPARTITE, false)
GRAPH_MAKERS(weighted_graph, TLV_GRAPH_UNDIRECTED, true)
GRAPH_MAKERS(weighted_digraph, TLV_GRAPH_DIRECTED, true)
GRAPH_MAKERS(weighted_bigraph, TLV_GRAPH_BIPARTITE, true)

const tlv_aggregate tlv_aggregate_graph = {"tlv_graph_agg", NULL, graph_begin};
const tlv_aggregate tlv_aggregate_digraph = {"tlv_digraph_agg", NULL, digraph_begin};
const tlv_aggregate tlv_aggregate_bigraph = {"tlv_bigraph_agg", NULL, bigraph_begin};
const tlv_aggregate tlv_aggregate_weighted_graph = {"tlv_graph_agg", NULL, weighted_graph_begin};
const tlv_aggregate tlv_aggregate_weighted_digraph = {"tlv_digraph_agg", NULL,
													  weighted_digraph_begin};
const tlv_aggregate tlv_aggregate_weighted_bigraph = {"tlv_bigraph_agg", NULL,
													  weighted_bigraph_begin};

void
tlv_graph_accumulator_set_buffer(tlv_accumulator *accumulator, size_t edges)
{
	((graph_state *) accumulator)->buffer_max = edges < 1 ? 1 : edges;
}

void
tlv_graph_accumulator_free(tlv_context *ctx, tlv_accumulator *accumulator)
{
	graph_state *state = (graph_state *) accumulator;

	if (state == NULL)
		return;
	for (size_t i = 0; i < state->n_runs; i++)
		tlv_run_free(ctx, &state->run[i]);
	tlv_free(ctx, state->run);
	tlv_free(ctx, state->edge);
	tlv_free(ctx, state->weight);
	tlv_free(ctx, state->items);
	tlv_free(ctx, state->item_weights);
	for (int s = 0; s < 2; s++)
		tlv_name_table_free(ctx, &state->names[s]);
	tlv_free(ctx, state);
}

static bool
one_set(const graph_state *state)
{
	return state->totals.kind != TLV_GRAPH_BIPARTITE;
}

/* The sum of the last two runs in their place. */
static tlv_status
merge_last(tlv_context *ctx, graph_state *state)
{
	const run_combination of = {.one_set = one_set(state)};
	edge_run *last = &state->run[state->n_runs - 1], sum;

	TLV_TRY(tlv_run_combine(ctx, &of, last - 1, last, &sum));
	tlv_run_free(ctx, last);
	tlv_run_free(ctx, last - 1);
	state->n_runs--;
	*(last - 1) = sum;
	if (sum.entries == 0)
		tlv_run_free(ctx, &state->run[--state->n_runs]);
	/* Every entry takes a byte or more. */
	if (sum.entries > TLV_FRAME_MAX_BYTES && !state->base.large)
		return tlv_graph_too_large(ctx, sum.entries);
	return TLV_OK;
}

/* Takes over a run; one whose weights have cancelled each other is empty. */
static tlv_status
graph_add_run(tlv_context *ctx, graph_state *state, edge_run *run)
{
	if (run->entries == 0)
	{
		tlv_run_free(ctx, run);
		return TLV_OK;
	}
	if (state->n_runs == state->runs_room)
	{
		size_t room = state->runs_room + 2;
		edge_run *grown = tlv_realloc(ctx, state->run, room, sizeof(edge_run));

		if (grown == NULL)
		{
			tlv_run_free(ctx, run);
			return ctx->error.code;
		}
		state->run = grown;
		state->runs_room = room;
	}
	state->run[state->n_runs++] = *run;
	while (state->n_runs > 1 &&
		   state->run[state->n_runs - 2].entries / 2 <= state->run[state->n_runs - 1].entries)
		TLV_TRY(merge_last(ctx, state));
	return TLV_OK;
}

static tlv_status
flush_buffer(tlv_context *ctx, graph_state *state)
{
	edge_run run;

	if (state->n == 0)
		return TLV_OK;
	TLV_TRY(tlv_run_from_edges(ctx, one_set(state), state->n, state->edge, state->weight, &run));
	state->n = 0;
	return graph_add_run(ctx, state, &run);
}

static tlv_status
grow_buffer(tlv_context *ctx, graph_state *state)
{
	size_t room = state->room == 0 ? FIRST_ROOM : 4 * state->room;
	raw_edge *edge;

	if (room > state->buffer_max)
		room = state->buffer_max;
	if (state->weight != NULL)
	{
		double *weight = tlv_realloc(ctx, state->weight, room, sizeof(double));

		TLV_TRY_ALLOC(ctx, weight);
		state->weight = weight;
	}
	edge = tlv_realloc(ctx, state->edge, room, sizeof(raw_edge));
	TLV_TRY_ALLOC(ctx, edge);
	state->edge = edge;
	state->room = room;
	return TLV_OK;
}

/* The first weight that is not 1. */
static tlv_status
begin_weights(tlv_context *ctx, graph_state *state)
{
	TLV_TRY_NEW(ctx, state->weight, state->room);
	for (size_t i = 0; i < state->n; i++)
		state->weight[i] = 1;
	return TLV_OK;
}

static tlv_status
bad_weight(tlv_context *ctx, const tlv_row *row)
{
	int64_t src = row->edge.source, dst = row->edge.target;
	double weight = row->edge.weight;

	if (row->form == TLV_ROW_NAMED_EDGE && row->edge.name[0].bytes != NULL &&
		row->edge.name[1].bytes != NULL)
		tlv_fail(ctx, TLV_BAD_DATA,
				 "weight %g of the edge from \"%.*s\" to \"%.*s\" is not a finite number", weight,
				 tlv_shown_length(row->edge.name[0]), row->edge.name[0].bytes,
				 tlv_shown_length(row->edge.name[1]), row->edge.name[1].bytes);
	else
		tlv_fail(ctx, TLV_BAD_DATA,
				 "weight %g of the edge from %" PRId64 " to %" PRId64 " is not a finite number",
				 weight, src, dst);
	return tlv_fail_hint(ctx, "Leave such rows out, with WHERE or FILTER.");
}

static tlv_status
graph_make_room(tlv_context *ctx, graph_state *state)
{
	return state->room < state->buffer_max ? grow_buffer(ctx, state) : flush_buffer(ctx, state);
}

/* Names of a row's nodes. */
static tlv_status
note_names(tlv_context *ctx, graph_state *state, const tlv_edge *edge)
{
	TLV_TRY(tlv_name_table_add(ctx, &state->names[0], edge->source, edge->name[0]));
	return tlv_name_table_add(ctx, &state->names[one_set(state) ? 0 : 1], edge->target,
							  edge->name[1]);
}

/* An edge; of weight 0 it is none. */
static inline tlv_status
put_edge(tlv_context *ctx, graph_state *state, int64_t src, int64_t dst, double weight)
{
	raw_edge edge = {bias(src), bias(dst)};

	state->negative |= weight < 0;
	if (state->n == state->room)
		TLV_TRY(graph_make_room(ctx, state));
	if (src == dst && one_set(state))
	{
		state->totals.self_loops++;
		state->totals.self_loop_weight += fabs(weight);
		weight = 1; /* what is kept says that the node is there */
	}
	if (state->totals.kind == TLV_GRAPH_UNDIRECTED && edge.dst < edge.src)
		edge = (raw_edge){edge.dst, edge.src};
	if (weight != 1 && state->weight == NULL)
		TLV_TRY(begin_weights(ctx, state));
	if (state->weight != NULL)
		state->weight[state->n] = weight;
	state->edge[state->n++] = edge;
	return TLV_OK;
}

static tlv_status
reserve_bag(tlv_context *ctx, graph_state *state, size_t n)
{
	if (n <= state->bag_room)
		return TLV_OK;
	tlv_free(ctx, state->items);
	tlv_free(ctx, state->item_weights);
	state->items = NULL;
	state->item_weights = NULL;
	state->bag_room = 0;
	TLV_TRY_NEW(ctx, state->items, 2 * n);
	TLV_TRY_NEW(ctx, state->item_weights, 2 * n);
	state->bag_room = 2 * n;
	return TLV_OK;
}

/* The edges from a node to all items of its bag, whose weights are positive. */
static tlv_status
put_neighbours(tlv_context *ctx, graph_state *state, const tlv_neighbours *row)
{
	size_t n = row->bag->n;

	TLV_TRY(reserve_bag(ctx, state, n));
	TLV_TRY(tlv_bag_read(ctx, row->bag, state->items, state->item_weights));
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		TLV_TRY(put_edge(ctx, state, row->node, state->items[i], state->item_weights[i]));
	}
	return TLV_OK;
}

static tlv_status
graph_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	graph_state *state = (graph_state *) accumulator;

	if (row->form == TLV_ROW_NEIGHBOURS)
		return put_neighbours(ctx, state, &row->neighbours);
	if (row->edge.weight == 0) /* no edge */
		return TLV_OK;
	if (!(fabs(row->edge.weight) <= DBL_MAX))
		return bad_weight(ctx, row);
	if (row->form == TLV_ROW_NAMED_EDGE)
		TLV_TRY(note_names(ctx, state, &row->edge));
	return put_edge(ctx, state, row->edge.source, row->edge.target, row->edge.weight);
}

/* ---- stored graphs ---- */

/* Writes the edges of a stored graph, so many times, and its nodes where they have no row of their
 * own. */
static tlv_status
put_frame(tlv_context *ctx, run_writer *writer, const tlv_frame *frame, bool with_nodes,
		  int64_t *const nodes[2], double times)
{
	size_t looked = 0;
	entry_cursor cursor;
	entry_batch batch;

	tlv_entry_open(frame, &cursor);
	while (entry_next_batch(&cursor, &batch))
	{
		uint64_t src = bias(nodes[0][cursor.row - 1]);

		for (size_t i = 0; i < batch.n; i++)
			__builtin_prefetch(&nodes[1][batch.column[i]]);
		if (batch.n == 0 && with_nodes)
			TLV_TRY(tlv_run_put(ctx, writer, src, src, 1));
		for (size_t i = 0; i < batch.n; i++)
			TLV_TRY(tlv_run_put(ctx, writer, src, bias(nodes[1][batch.column[i]]),
								times * batch.weight[i]));
		TLV_TRY(graph_count_work(ctx, &looked, batch.n + 1));
	}
	return TLV_OK;
}

/* Takes over the names of one side's nodes, of those ids. */
static tlv_status
merge_names(tlv_context *ctx, tlv_name_table *names, const tlv_frame *frame, size_t side, size_t n,
			const int64_t *ids)
{
	tlv_name_list list = tlv_graph_names(frame, side);

	return tlv_name_table_add_list(ctx, names, n, ids, &list);
}

/* Nodes of one graph are all identified by number or all by name: both would show an id twice. */
static tlv_status
require_same_nodes(tlv_context *ctx, const graph_state *state, const tlv_frame *frame)
{
	bool named = tlv_graph_names(frame, 0).offsets != NULL;

	if (state->n + state->n_runs == 0 || named == (state->names[0].n > 0))
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "nodes identified by number and by name cannot be combined");
	return tlv_fail_hint(ctx, "Cast all of them to bigint, or all to text.");
}

static tlv_status
run_from_frame(tlv_context *ctx, graph_state *state, const tlv_frame *frame,
			   const tlv_graph_header *header, double times, edge_run *run)
{
	bool bipartite = header->kind == TLV_GRAPH_BIPARTITE;
	int64_t *nodes[2];
	run_writer writer = {.room = 0};
	tlv_status status = tlv_graph_decode_sides(ctx, frame, nodes);

	if (status == TLV_OK)
		status = tlv_run_begin(ctx, &writer, 4 * header->entries + 8 * header->rows);
	if (status == TLV_OK)
		status = put_frame(ctx, &writer, frame, !bipartite, nodes, times);
	if (status == TLV_OK)
		status = merge_names(ctx, &state->names[0], frame, 0, header->rows, nodes[0]);
	if (status == TLV_OK && bipartite)
		status = merge_names(ctx, &state->names[1], frame, 1, header->columns, nodes[1]);
	tlv_graph_free_sides(ctx, nodes);
	if (status == TLV_OK)
		tlv_run_end(ctx, &writer);
	else
		tlv_run_free(ctx, &writer.run);
	*run = writer.run;
	return status;
}

/* Adding and taking out again is exact while all weights, and their sum, are whole. */
static bool
has_fractions(const tlv_frame *frame, const tlv_graph_header *header)
{
	return tlv_frame_find(frame, "weights") != NULL || !(header->total <= GRAPH_MAX_WHOLE);
}

static void
note_signs(graph_state *state, const tlv_frame *frame, const tlv_graph_header *header)
{
	const double *weight = tlv_frame_float64(frame, "weights");

	for (size_t e = 0; e < header->entries && weight != NULL && !state->negative; e++)
		state->negative = weight[e] < 0;
}

static tlv_status
graph_merge_times(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame,
				  double times)
{
	graph_state *state = (graph_state *) accumulator;
	tlv_graph_header header;
	edge_run run;

	tlv_graph_read_header(frame, &header);
	if (!(times * fabs(header.total) <= DBL_MAX && times * header.self_loop_weight <= DBL_MAX))
		return tlv_fail(ctx, TLV_BAD_DATA, "weights of %g times %g together are not finite", times,
						header.total);
	TLV_TRY(tlv_require_whole_sum(ctx, "self_loops", state->totals.self_loops, header.self_loops));
	TLV_TRY(tlv_require_whole_sum(ctx, "nulls", state->base.nulls, header.nulls));
	if (header.rows > 0)
	{
		TLV_TRY(require_same_nodes(ctx, state, frame));
		TLV_TRY(run_from_frame(ctx, state, frame, &header, times, &run));
		TLV_TRY(graph_add_run(ctx, state, &run));
	}
	note_signs(state, frame, &header);
	state->fractions |= has_fractions(frame, &header);
	state->totals.weighted |= header.weighted || times != 1;
	state->totals.self_loops += header.self_loops;
	state->totals.self_loop_weight += times * header.self_loop_weight;
	state->base.nulls += header.nulls;
	return TLV_OK;
}

static tlv_status
graph_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	return graph_merge_times(ctx, accumulator, frame, 1);
}

/* All that there is in one run, the only one; there may be none. */
static tlv_status
one_run(tlv_context *ctx, graph_state *state)
{
	TLV_TRY(flush_buffer(ctx, state));
	while (state->n_runs > 1)
		TLV_TRY(merge_last(ctx, state));
	return TLV_OK;
}

/* The edges of a stored graph out of the only run. */
static tlv_status
subtract_edges(tlv_context *ctx, graph_state *state, const tlv_frame *frame,
			   const tlv_graph_header *header)
{
	const edge_run none = {.entries = 0};
	const run_combination of = {.one_set = one_set(state),
								.subtract = true,
								.with_nodes = state->totals.self_loops > 0,
								.negative = state->negative,
								.names = state->names};
	edge_run taken, left;
	tlv_status status;

	TLV_TRY(run_from_frame(ctx, state, frame, header, 1, &taken));
	status = tlv_run_combine(ctx, &of, state->n_runs > 0 ? state->run : &none, &taken, &left);
	tlv_run_free(ctx, &taken);
	TLV_TRY(status);
	if (state->n_runs > 0)
		tlv_run_free(ctx, &state->run[--state->n_runs]);
	return graph_add_run(ctx, state, &left);
}

/*
 * What is left of counts beside the edges.  Of self-loops nobody knows whose they were: a node that
 * is there stays while there are any.
 */
static tlv_status
subtract_totals(tlv_context *ctx, graph_state *state, const tlv_graph_header *header)
{
	graph_totals *totals = &state->totals;

	totals->self_loops -= header->self_loops;
	totals->self_loop_weight -= header->self_loop_weight;
	state->base.nulls -= header->nulls;
	TLV_TRY(tlv_require_left(ctx, "self_loops", 1, NULL, &totals->self_loops));
	if (totals->self_loops == 0)
		totals->self_loop_weight = 0;
	TLV_TRY(tlv_require_left(ctx, "self_loop_weight", 1, &header->self_loop_weight,
							 &totals->self_loop_weight));
	return tlv_require_left(ctx, "nulls", 1, NULL, &state->base.nulls);
}

static tlv_status
graph_subtract(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame, bool exactly,
			   bool *done)
{
	graph_state *state = (graph_state *) accumulator;
	tlv_graph_header header;

	tlv_graph_read_header(frame, &header);
	TLV_TRY(one_run(ctx, state));
	state->fractions |= state->n_runs > 0 && state->run->form == RUN_FLOAT;
	*done = !exactly ||
			(!state->fractions && !has_fractions(frame, &header) && state->totals.self_loops == 0 &&
			 header.self_loops == 0 && state->totals.weighted == header.weighted);
	if (!*done)
		return TLV_OK;
	note_signs(state, frame, &header);
	if (header.rows > 0)
		TLV_TRY(subtract_edges(ctx, state, frame, &header));
	return subtract_totals(ctx, state, &header);
}

static tlv_status
graph_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	graph_state *state = (graph_state *) accumulator;

	TLV_TRY(one_run(ctx, state));
	state->totals.nulls = state->base.nulls;
	state->totals.large = state->base.large;
	return tlv_graph_build_image(ctx, &state->totals, state->n_runs > 0 ? state->run : NULL,
								 state->names, builder);
}

/* An edge in the rows of both of its ends would count twice in an undirected graph: rows of
 * neighbours make a directed one, which is folded (fold.c). */
#define GRAPH_CLASS(kind, make, neighbours)                                                        \
	{                                                                                              \
		.name = (kind), .create = (make), .merge = graph_merge, .build = graph_build,              \
		.subtract = graph_subtract, .merge_times = graph_merge_times,                              \
		.rows = TLV_ROW_EDGE | TLV_ROW_NAMED_EDGE | (neighbours), .add = graph_add                 \
	}

const tlv_accumulator_class tlv_graph_accumulator_classes[3] = {
	GRAPH_CLASS("undirected", graph_create, 0),
	GRAPH_CLASS("directed", digraph_create, TLV_ROW_NEIGHBOURS),
	GRAPH_CLASS("bipartite", bigraph_create, TLV_ROW_NEIGHBOURS),
};
