/*
 * image.c - the stored form of a run of edges: ids ranked, positions
 * written row by row (graph.h).
 */
#include "internal.h"

#include <float.h>
#include <inttypes.h>

#include "tensorlv/model/kind.h"

/* How the weights are stored. */
typedef struct weight_form
{
	bool ones;
	bool whole;
} weight_form;

/* A run on its way into an image. */
typedef struct image_writer
{
	tlv_context *ctx;
	tlv_status status;
	const graph_totals *totals;
	const edge_run *run;
	weight_form form;
	node_index index[2];
	size_t rows, columns, entries;
	uint64_t ones; /* weights of 1 that are not written yet */
	double total;
	/* One block: weights, adjacency, node lists. */
	double *weights;
	uint8_t *multiplicities, *adjacency, *nodes, *targets, *adjacency_end;
	size_t multiplicities_size, adjacency_size, nodes_size, targets_size;
	const tlv_name_table *names; /* of sources and targets */
	int64_t *offsets[2];
	char *bytes[2];
	tlv_name_list lists[2];
} image_writer;

tlv_status
tlv_graph_too_large(tlv_context *ctx, size_t entries)
{
	tlv_fail(ctx, TLV_LIMIT, "a graph of %zu edges does not fit into a value of %zu MB", entries,
			 TLV_FRAME_MAX_BYTES / ((size_t) 1024 * 1024));
	return tlv_fail_hint(ctx, "Collect fewer edges, with WHERE, or several graphs, with GROUP BY.");
}

static bool
is_one_set(const image_writer *writer)
{
	return writer->totals->kind != TLV_GRAPH_BIPARTITE;
}

/* Notes what the weight of one edge asks of the form they are stored in. */
static tlv_status
note_weight(tlv_context *ctx, image_writer *writer, const run_cursor *edge)
{
	weight_form *form = &writer->form;
	double weight = edge->weight;

	if (!(fabs(weight) <= DBL_MAX))
	{
		char shown[2][TLV_SHOWN_NAME];

		tlv_graph_show_edge(writer->names, is_one_set(writer), edge, shown);
		tlv_fail(ctx, TLV_BAD_DATA,
				 "the weights of the edge from %s to %s add up to more than a float8 holds",
				 shown[0], shown[1]);
		return tlv_fail_hint(ctx, "Divide all weights by a constant.");
	}
	form->ones &= weight == 1;
	form->whole &= is_whole(weight);
	return TLV_OK;
}

/* First look at every edge: the set of nodes, and the form of the weights. */
static tlv_status
collect_nodes(tlv_context *ctx, image_writer *writer)
{
	bool one_set = is_one_set(writer);
	node_index *source = &writer->index[0], *target = &writer->index[one_set ? 0 : 1];
	uint64_t row = 0;
	run_cursor edge, ahead;

	run_open(&edge, writer->run);
	run_open_ahead(&ahead, writer->run, target);
	for (bool first = true; run_next(&edge); first = false)
	{
		if (run_next(&ahead))
			node_index_ahead(target, ahead.dst);
		if (first || edge.src != row)
			TLV_TRY(node_index_add(ctx, source, edge.src));
		row = edge.src;
		TLV_TRY(node_index_add(ctx, target, edge.dst));
		if (edge.weight != 1)
			TLV_TRY(note_weight(ctx, writer, &edge));
		if (edge.left % GRAPH_STOP_STRIDE == 0)
			TLV_TRY_CONTINUE(ctx);
	}
	return TLV_OK;
}

static tlv_status
rank_nodes(tlv_context *ctx, image_writer *writer)
{
	const edge_run *run = writer->run;

	if (is_one_set(writer))
		TLV_TRY(tlv_node_index_begin(
			ctx, &writer->index[0], run->low[0] < run->low[1] ? run->low[0] : run->low[1],
			run->high[0] > run->high[1] ? run->high[0] : run->high[1], run->entries));
	else
		for (int end = 0; end < 2; end++)
			TLV_TRY(tlv_node_index_begin(ctx, &writer->index[end], run->low[end], run->high[end],
										 run->entries));
	TLV_TRY(collect_nodes(ctx, writer));
	TLV_TRY(tlv_node_index_finish(ctx, &writer->index[0]));
	if (!is_one_set(writer))
		TLV_TRY(tlv_node_index_finish(ctx, &writer->index[1]));
	writer->rows = writer->index[0].n;
	writer->columns = writer->index[is_one_set(writer) ? 0 : 1].n;
	return TLV_OK;
}

/*
 * Room for everything.  A gap of positions is no longer than one of ids, so a run's bytes bound
 * those of the image, but for the count and the first column of every row.
 */
static tlv_status
allocate_image(tlv_context *ctx, image_writer *writer, void **block)
{
	const edge_run *run = writer->run;
	size_t adjacency = run->size + 10 * run->rows + writer->rows + 2 * VARINT_MAX;
	size_t nodes = tlv_node_index_room(&writer->index[0]);
	size_t targets = is_one_set(writer) ? 0 : tlv_node_index_room(&writer->index[1]);
	size_t weights = writer->form.ones ? 0
					 : writer->form.whole
						 ? (run->form == RUN_WHOLE ? 2 * run->weights_size : 8 * run->entries)
						 : run->entries * sizeof(double);

	size_t offsets = 0, bytes = 0;
	char *start;

	for (int side = 0; side < (is_one_set(writer) ? 1 : 2); side++)
		if (writer->names[side].n > 0)
		{
			offsets += (writer->index[side].n + 1) * sizeof(int64_t);
			bytes += writer->names[side].filled;
		}
	if (adjacency > TLV_FRAME_MAX_BYTES && !writer->totals->large)
		adjacency = TLV_FRAME_MAX_BYTES;
	*block = tlv_alloc(ctx, offsets + weights + adjacency + nodes + targets + bytes, 1);
	TLV_TRY_ALLOC(ctx, *block);
	start = *block;
	writer->offsets[0] = *block;
	writer->offsets[1] = writer->offsets[0] + (writer->names[0].n > 0 ? writer->index[0].n + 1 : 0);
	writer->bytes[0] = start + offsets + weights + adjacency + nodes + targets;
	writer->bytes[1] = writer->bytes[0] + writer->names[0].filled;
	writer->weights = (double *) (start + offsets);
	writer->multiplicities = (uint8_t *) start + offsets;
	writer->adjacency = writer->multiplicities + weights;
	writer->adjacency_end = writer->adjacency + adjacency;
	writer->nodes = writer->adjacency_end;
	writer->targets = writer->nodes + nodes;
	return TLV_OK;
}

static void
put_multiplicity(image_writer *writer, uint64_t code)
{
	uint8_t *at = writer->multiplicities + writer->multiplicities_size;

	writer->multiplicities_size = (size_t) (put_varint(at, code) - writer->multiplicities);
}

/* The ones that have been counted up to here. */
static void
put_ones(image_writer *writer)
{
	if (writer->ones > 0)
		put_multiplicity(writer, ones_code(writer->ones));
	writer->ones = 0;
}

static inline void
put_image_weight(image_writer *writer, double weight)
{
	if (!writer->form.whole)
		writer->weights[writer->entries] = weight;
	else if (weight == 1)
		writer->ones++;
	else
	{
		put_ones(writer);
		put_multiplicity(writer, multiplicity_code((uint64_t) weight));
	}
	writer->total += weight;
	writer->entries++;
}

/* Writes the count of a row at its first byte; a longer one moves the row. */
static uint8_t *
put_count(uint8_t *row, uint8_t *end, size_t count)
{
	size_t more = varint_size(count) - 1;

	if (more > 0)
		memmove(row + 1 + more, row + 1, (size_t) (end - row - 1));
	put_varint(row, count);
	return end + more;
}

/*
 * The row of edge->src; *more is false when it was the last one.  NULL, and writer->status:
 * no room left, or stopped.
 */
static inline __attribute__((always_inline)) uint8_t *
put_row(image_writer *writer, uint8_t *at, run_cursor *edge, run_cursor *ahead, size_t position,
		bool *more)
{
	bool one_set = is_one_set(writer);
	const node_index *index = &writer->index[one_set ? 0 : 1];
	uint64_t base = writer->totals->kind == TLV_GRAPH_UNDIRECTED ? position + 1 : 0;
	uint64_t src = edge->src;
	uint8_t *row = at++;
	size_t first = writer->entries;

	do
	{
		if (writer->adjacency_end - at < 2 * VARINT_MAX)
		{
			writer->status = tlv_graph_too_large(writer->ctx, writer->run->entries);
			return NULL;
		}
		if (edge->left % GRAPH_STOP_STRIDE == 0 && tlv_should_stop(writer->ctx))
		{
			writer->status = tlv_cancelled(writer->ctx);
			return NULL;
		}
		if (run_next(ahead))
			node_index_ahead(index, ahead->dst);
		if (!one_set || edge->dst != src)
		{
			uint64_t column = node_index_rank(index, edge->dst);

			at = put_gap(at, column - base);
			base = column + 1;
			put_image_weight(writer, edge->weight);
		}
		*more = run_next(edge);
	} while (*more && edge->src == src);
	return put_count(row, at, writer->entries - first);
}

/* Cloned for the sake of an instruction that counts bits. */
TLV_CLONES static tlv_status
put_adjacency(tlv_context *ctx, image_writer *writer)
{
	uint8_t *at = writer->adjacency;
	size_t row = 0;
	run_cursor edge, ahead;
	bool more;

	run_open(&edge, writer->run);
	run_open_ahead(&ahead, writer->run, &writer->index[is_one_set(writer) ? 0 : 1]);
	more = run_next(&edge);
	while (more)
	{
		size_t position = is_one_set(writer) ? node_index_rank(&writer->index[0], edge.src) : row;

		if ((size_t) (writer->adjacency_end - at) < position - row + 2 * VARINT_MAX)
			return tlv_graph_too_large(ctx, writer->run->entries);
		for (; row < position; row++)
			*at++ = 0;
		at = put_row(writer, at, &edge, &ahead, position, &more);
		if (at == NULL)
			return writer->status;
		row++;
	}
	if ((size_t) (writer->adjacency_end - at) < writer->rows - row)
		return tlv_graph_too_large(ctx, writer->run->entries);
	for (; row < writer->rows; row++)
		*at++ = 0;
	writer->adjacency_size = (size_t) (at - writer->adjacency);
	return TLV_OK;
}

/* The names of the nodes, in their order. */
static tlv_status
graph_put_names(tlv_context *ctx, image_writer *writer)
{
	for (int side = 0; side < (is_one_set(writer) ? 1 : 2); side++)
	{
		const node_index *index = &writer->index[side];
		int64_t *ids;

		if (writer->names[side].n == 0)
			continue;
		TLV_TRY_NEW(ctx, ids, index->n);
		tlv_node_index_list(index, ids);
		if (tlv_name_table_list(&writer->names[side], index->n, ids, writer->offsets[side],
								writer->bytes[side]))
			writer->lists[side] = (tlv_name_list){writer->offsets[side], writer->bytes[side]};
		tlv_free(ctx, ids);
	}
	return TLV_OK;
}

static tlv_status
write_image(tlv_context *ctx, image_writer *writer, void **block)
{
	TLV_TRY(rank_nodes(ctx, writer));
	TLV_TRY(allocate_image(ctx, writer, block));
	TLV_TRY(put_adjacency(ctx, writer));
	if (!writer->form.ones && writer->form.whole)
		put_ones(writer);
	writer->nodes_size = tlv_node_index_write(&writer->index[0], writer->nodes);
	if (!is_one_set(writer))
		writer->targets_size = tlv_node_index_write(&writer->index[1], writer->targets);
	return graph_put_names(ctx, writer);
}

static tlv_status
check_totals(tlv_context *ctx, const image_writer *writer)
{
	const graph_totals *totals = writer->totals;

	if (!(fabs(writer->total) <= DBL_MAX && totals->self_loop_weight <= DBL_MAX))
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the weights add up to more than a float8 holds");
		return tlv_fail_hint(ctx, "Divide all weights by a constant.");
	}
	if (totals->nulls > GRAPH_MAX_WHOLE || totals->self_loops > GRAPH_MAX_WHOLE)
		return tlv_fail(ctx, TLV_LIMIT, "more than 2^53 rows");
	return TLV_OK;
}

static void
add_sections(const image_writer *writer, tlv_frame_builder *builder)
{
	const graph_totals *totals = writer->totals;

	tlv_frame_add_scalar(builder, "weighted", totals->weighted);
	tlv_frame_add_scalar(builder, "self_loops", totals->self_loops);
	tlv_frame_add_scalar(builder, "self_loop_weight", totals->self_loop_weight);
	tlv_frame_add_scalar(builder, "nulls", totals->nulls);
	tlv_frame_add_scalar(builder, "entries", (double) writer->entries);
	tlv_frame_add_scalar(builder, "total", writer->total);
	tlv_frame_add_scalar(builder, "rows", (double) writer->rows);
	tlv_frame_add_scalar(builder, "columns", (double) writer->columns);
	tlv_frame_add(builder, "nodes", TLV_BYTES, writer->nodes_size, 1, writer->nodes);
	if (!is_one_set(writer))
		tlv_frame_add(builder, "targets", TLV_BYTES, writer->targets_size, 1, writer->targets);
	tlv_frame_add(builder, "adjacency", TLV_BYTES, writer->adjacency_size, 1, writer->adjacency);
	if (!writer->form.whole)
		tlv_frame_add(builder, "weights", TLV_FLOAT64, writer->entries, 1, writer->weights);
	else if (!writer->form.ones)
		tlv_frame_add(builder, "multiplicities", TLV_BYTES, writer->multiplicities_size, 1,
					  writer->multiplicities);
	tlv_name_list_add(builder, &tlv_graph_name_sections[0], writer->rows, &writer->lists[0]);
	tlv_name_list_add(builder, &tlv_graph_name_sections[1], writer->columns, &writer->lists[1]);
}

tlv_status
tlv_graph_build_image(tlv_context *ctx, const graph_totals *totals, const edge_run *run,
					  const tlv_name_table names[2], tlv_frame_builder *builder)
{
	image_writer writer = {
		.ctx = ctx, .totals = totals, .run = run, .form = {true, true}, .names = names};
	void *block = NULL;
	tlv_status status = TLV_OK;

	tlv_frame_begin(builder, TLV_FRAME_GRAPH, (uint8_t) totals->kind);
	if (run != NULL)
		status = write_image(ctx, &writer, &block);
	for (int end = 0; end < 2; end++)
		tlv_node_index_free(ctx, &writer.index[end]);
	if (status == TLV_OK)
		status = check_totals(ctx, &writer);
	if (status == TLV_OK)
	{
		add_sections(&writer, builder);
		if (builder->overflow || (builder->size > TLV_FRAME_MAX_BYTES && !totals->large))
			status = tlv_graph_too_large(ctx, writer.entries);
	}
	if (status == TLV_OK)
		builder->owned = block;
	else
		tlv_free(ctx, block);
	return status;
}
