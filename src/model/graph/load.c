/*
 * load.c - a stored graph as sparse rows (graph.h).
 */
#include "internal.h"

#include <float.h>

/* One direction of a graph that is being filled. */
typedef struct side_filler
{
	tlv_context *ctx;
	const tlv_frame *frame;
	bool by_source;
	bool by_target; /* both: undirected */
	size_t *start;	/* rows + 1 */
	int32_t *index; /* ascending within a row */
	float *value;	/* or NULL */
	double unit;	/* of the values */
	size_t *place;	/* work: where the next entry of a row goes */
} side_filler;

/* Adds the entries of one row to the counts of their columns. */
static tlv_status
count_row(tlv_context *ctx, entry_cursor *cursor, size_t n, size_t *count)
{
	entry_batch batch;

	for (size_t e = 0; e < n; e += batch.n)
	{
		entry_take(cursor, n - e, &batch);
		for (size_t i = 0; i < batch.n; i++)
			__builtin_prefetch(&count[batch.column[i]], 1);
		for (size_t i = 0; i < batch.n; i++)
			count[batch.column[i]]++;
		if ((e + batch.n) % GRAPH_STOP_STRIDE == 0)
			TLV_TRY_CONTINUE(ctx);
	}
	return TLV_OK;
}

/* start[i + 1] gets the entries of row i. */
static tlv_status
graph_count_entries(const side_filler *side)
{
	size_t *count = side->start + 1, *columns = side->by_target ? count : NULL;
	size_t looked = 0;
	entry_cursor cursor;

	tlv_entry_open(side->frame, &cursor);
	cursor.weights = NULL;
	cursor.multiplicities = NULL;
	for (size_t row = 0; row < cursor.rows; row++)
	{
		size_t n = entry_next_row(&cursor);

		if (side->by_source)
			count[row] += n;
		if (columns != NULL)
			TLV_TRY(count_row(side->ctx, &cursor, n, columns));
		else
			for (size_t e = 0; e < n; e++)
				(void) entry_next_column(&cursor);
		TLV_TRY(graph_count_work(side->ctx, &looked, n + 1));
	}
	return TLV_OK;
}

static inline void
graph_put_entry(const side_filler *side, size_t row, size_t column, double weight)
{
	size_t at = side->place[row]++;

	side->index[at] = (int32_t) column;
	if (side->value != NULL)
		side->value[at] = (float) (weight / side->unit);
}

/* Asks for the memory that entries of these rows will be written to. */
static inline void
prefetch_rows(const side_filler *side, const entry_batch *batch)
{
	for (size_t i = 0; i < batch->n; i++)
		__builtin_prefetch(&side->place[batch->column[i]], 1);
	for (size_t i = 0; i < batch->n; i++)
	{
		size_t at = side->place[batch->column[i]];

		__builtin_prefetch(&side->index[at], 1);
		if (side->value != NULL)
			__builtin_prefetch(&side->value[at], 1);
	}
}

/* The entries of one row of the stored graph. */
static tlv_status
graph_place_row(const side_filler *side, entry_cursor *cursor, size_t row, size_t n)
{
	entry_batch batch;

	for (size_t e = 0; e < n; e += batch.n)
	{
		entry_take(cursor, n - e, &batch);
		if (side->by_target)
			prefetch_rows(side, &batch);
		for (size_t i = 0; i < batch.n; i++)
		{
			if (side->value != NULL && !(fabs(batch.weight[i]) / side->unit <= (double) FLT_MAX))
			{
				tlv_fail(side->ctx, TLV_BAD_DATA,
						 "an edge's weight %g is too large to compute with", batch.weight[i]);
				return tlv_fail_hint(side->ctx, "Divide all weights by a constant.");
			}
			if (side->by_source)
				graph_put_entry(side, row, batch.column[i], batch.weight[i]);
			if (side->by_target)
				graph_put_entry(side, batch.column[i], row, batch.weight[i]);
		}
		if ((e + batch.n) % GRAPH_STOP_STRIDE == 0)
			TLV_TRY_CONTINUE(side->ctx);
	}
	return TLV_OK;
}

/*
 * Rows come in order.  So those of every target fill in ascending order; and an undirected row has
 * got its lower neighbours before its own entries, the higher ones, are read.
 */
static tlv_status
place_entries(const side_filler *side)
{
	size_t looked = 0;
	entry_cursor cursor;

	tlv_entry_open(side->frame, &cursor);
	if (side->value == NULL)
	{
		cursor.weights = NULL;
		cursor.multiplicities = NULL;
	}
	for (size_t row = 0; row < cursor.rows; row++)
	{
		size_t n = entry_next_row(&cursor);

		TLV_TRY(graph_place_row(side, &cursor, row, n));
		TLV_TRY(graph_count_work(side->ctx, &looked, n + 1));
	}
	return TLV_OK;
}

/* rows: of this side. */
static tlv_status
fill_side(side_filler *side, size_t rows)
{
	tlv_status status;

	memset(side->start, 0, (rows + 1) * sizeof(size_t));
	TLV_TRY(graph_count_entries(side));
	for (size_t i = 0; i < rows; i++)
		side->start[i + 1] += side->start[i];
	side->place = tlv_alloc(side->ctx, rows, sizeof(size_t));
	TLV_TRY_ALLOC(side->ctx, side->place);
	memcpy(side->place, side->start, rows * sizeof(size_t));
	status = place_entries(side);
	tlv_free(side->ctx, side->place);
	side->place = NULL;
	return status;
}

/* Whether weights other than 1 are stored. */
static bool
has_weights(const tlv_frame *frame)
{
	return tlv_frame_find(frame, "weights") != NULL ||
		   tlv_frame_find(frame, "multiplicities") != NULL;
}

double
tlv_graph_load_memory(const tlv_graph_header *header, bool binary)
{
	bool one_set = header->kind != TLV_GRAPH_BIPARTITE;
	/* Of an unweighted graph the total tells whether an edge came twice. */
	bool values = !binary && (header->weighted || header->total != (double) header->entries);
	double rows = (double) header->rows, columns = (double) header->columns;
	double entry = sizeof(int32_t) + (values ? sizeof(float) : 0);
	double nodes = (rows + (one_set ? 0 : columns)) * sizeof(int64_t);
	double starts = (header->kind == TLV_GRAPH_UNDIRECTED ? rows : rows + columns) * sizeof(size_t);
	double work = (rows > columns ? rows : columns) * sizeof(size_t);

	return 2 * (double) header->entries * entry + nodes + starts + work + 2048;
}

static tlv_status
load_rows(tlv_context *ctx, const tlv_frame *frame, double unit, bool by_source, bool by_target,
		  tlv_graph *graph, tlv_csr *a)
{
	const tlv_graph_header *header = &graph->header;
	size_t rows = by_source ? header->rows : header->columns;
	size_t columns = by_source ? header->columns : header->rows;
	side_filler side = {
		.ctx = ctx, .frame = frame, .by_source = by_source, .by_target = by_target, .unit = unit};

	TLV_TRY(tlv_csr_create(ctx, rows, columns, header->entries * (by_source && by_target ? 2 : 1),
						   unit != 0, a));
	side.start = a->start;
	side.index = a->index;
	side.value = a->value;
	return fill_side(&side, rows);
}

static tlv_status
load_nodes(tlv_context *ctx, const tlv_frame *frame, tlv_graph *graph)
{
	TLV_TRY(tlv_graph_decode_nodes(ctx, frame, "nodes", graph->header.rows, &graph->nodes[0]));
	graph->nodes[1] = graph->nodes[0];
	if (graph->header.kind != TLV_GRAPH_BIPARTITE)
		return TLV_OK;
	graph->nodes[1] = NULL;
	return tlv_graph_decode_nodes(ctx, frame, "targets", graph->header.columns, &graph->nodes[1]);
}

tlv_status
tlv_graph_load(tlv_context *ctx, const tlv_frame *frame, double unit, tlv_graph *graph)
{
	double values = has_weights(frame) ? unit : 0;
	tlv_status status;

	memset(graph, 0, sizeof(*graph));
	tlv_graph_read_header(frame, &graph->header);
	TLV_TRY(tlv_require_memory(ctx, tlv_graph_load_memory(&graph->header, unit == 0), "the graph"));
	status = load_nodes(ctx, frame, graph);
	if (status == TLV_OK && graph->header.kind == TLV_GRAPH_UNDIRECTED)
	{
		status = load_rows(ctx, frame, values, true, true, graph, &graph->out);
		graph->in = graph->out;
	}
	else if (status == TLV_OK)
	{
		status = load_rows(ctx, frame, values, true, false, graph, &graph->out);
		if (status == TLV_OK)
			status = load_rows(ctx, frame, values, false, true, graph, &graph->in);
	}
	if (status != TLV_OK)
		tlv_graph_free(ctx, graph);
	return status;
}

void
tlv_graph_free(tlv_context *ctx, tlv_graph *graph)
{
	if (graph->header.kind != TLV_GRAPH_UNDIRECTED)
		tlv_csr_free(ctx, &graph->in);
	tlv_csr_free(ctx, &graph->out);
	if (graph->nodes[1] != graph->nodes[0])
		tlv_free(ctx, graph->nodes[1]);
	tlv_free(ctx, graph->nodes[0]);
	memset(graph, 0, sizeof(*graph));
}
