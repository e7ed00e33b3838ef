/*
 * load.c - a stored graph as sparse rows (graph.h).
 */
#include "internal.h"

#include <float.h>

/* Rows of a graph that are being filled. */
typedef struct row_filler
{
	const tlv_frame *frame;
	bool both;	   /* undirected: every entry is in the rows of both of its ends */
	tlv_csr *to;   /* index ascends within a row */
	double unit;   /* of the values, if there are any */
	size_t *place; /* where the next entry of a row goes */
} row_filler;

/* start[i + 1] gets the entries of row i. */
static tlv_status
graph_count_entries(tlv_context *ctx, const row_filler *filler)
{
	size_t *count = filler->to->start + 1, looked = 0;
	entry_cursor cursor;
	entry_batch batch;

	tlv_entry_open(filler->frame, &cursor);
	cursor.weights = NULL;
	cursor.multiplicities = NULL;
	while (entry_next_batch(&cursor, &batch))
	{
		count[cursor.row - 1] += batch.n;
		for (size_t i = 0; i < batch.n && filler->both; i++)
			__builtin_prefetch(&count[batch.column[i]], 1);
		for (size_t i = 0; i < batch.n && filler->both; i++)
			count[batch.column[i]]++;
		TLV_TRY(graph_count_work(ctx, &looked, batch.n + 1));
	}
	return TLV_OK;
}

static inline void
graph_put_entry(const row_filler *filler, size_t row, size_t column, double weight)
{
	size_t at = filler->place[row]++;

	filler->to->index[at] = (int32_t) column;
	if (filler->to->value != NULL)
		filler->to->value[at] = (float) (weight / filler->unit);
}

/* Asks for the memory that entries of these rows will be written to. */
static inline void
prefetch_rows(const row_filler *filler, const entry_batch *batch)
{
	for (size_t i = 0; i < batch->n; i++)
		__builtin_prefetch(&filler->place[batch->column[i]], 1);
	for (size_t i = 0; i < batch->n; i++)
	{
		size_t at = filler->place[batch->column[i]];

		__builtin_prefetch(&filler->to->index[at], 1);
		if (filler->to->value != NULL)
			__builtin_prefetch(&filler->to->value[at], 1);
	}
}

static tlv_status
require_float(tlv_context *ctx, const row_filler *filler, const entry_batch *batch)
{
	for (size_t i = 0; i < batch->n && filler->to->value != NULL; i++)
		if (!(fabs(batch->weight[i]) / filler->unit <= (double) FLT_MAX))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "an edge's weight %g is too large to compute with",
					 batch->weight[i]);
			return tlv_fail_hint(ctx, "Divide all weights by a constant.");
		}
	return TLV_OK;
}

/*
 * Rows come in order.  So an undirected row has got its lower neighbours, ascending, before its own
 * entries, the higher ones, are read.
 */
static tlv_status
place_entries(tlv_context *ctx, const row_filler *filler)
{
	size_t looked = 0;
	entry_cursor cursor;
	entry_batch batch;

	tlv_entry_open(filler->frame, &cursor);
	if (filler->to->value == NULL)
	{
		cursor.weights = NULL;
		cursor.multiplicities = NULL;
	}
	while (entry_next_batch(&cursor, &batch))
	{
		TLV_TRY(require_float(ctx, filler, &batch));
		if (filler->both)
			prefetch_rows(filler, &batch);
		for (size_t i = 0; i < batch.n; i++)
		{
			graph_put_entry(filler, cursor.row - 1, batch.column[i], batch.weight[i]);
			if (filler->both)
				graph_put_entry(filler, batch.column[i], cursor.row - 1, batch.weight[i]);
		}
		TLV_TRY(graph_count_work(ctx, &looked, batch.n + 1));
	}
	return TLV_OK;
}

static tlv_status
graph_fill_rows(tlv_context *ctx, row_filler *filler)
{
	size_t rows = filler->to->rows, *start = filler->to->start;
	tlv_status status;

	TLV_TRY(graph_count_entries(ctx, filler));
	for (size_t i = 0; i < rows; i++)
		start[i + 1] += start[i];
	TLV_TRY_NEW(ctx, filler->place, rows);
	memcpy(filler->place, start, rows * sizeof(size_t));
	status = place_entries(ctx, filler);
	tlv_free(ctx, filler->place);
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

tlv_status
tlv_graph_load(tlv_context *ctx, const tlv_frame *frame, double unit, tlv_graph *graph)
{
	const tlv_graph_header *header = &graph->header;
	row_filler filler = {.frame = frame, .to = &graph->out, .unit = unit};
	bool valued = unit != 0 && has_weights(frame);
	tlv_status status;

	memset(graph, 0, sizeof(*graph));
	tlv_graph_read_header(frame, &graph->header);
	filler.both = header->kind == TLV_GRAPH_UNDIRECTED;
	TLV_TRY(tlv_require_memory(ctx, tlv_graph_load_memory(header, unit == 0), "the graph"));
	status = tlv_graph_decode_sides(ctx, frame, graph->nodes);
	if (status == TLV_OK)
		status = tlv_csr_create(ctx, header->rows, header->columns,
								header->entries * (filler.both ? 2 : 1), valued, &graph->out);
	if (status == TLV_OK)
		status = graph_fill_rows(ctx, &filler);
	if (status == TLV_OK && !filler.both)
		status = tlv_csr_transpose(ctx, &graph->out, &graph->in);
	if (filler.both)
		graph->in = graph->out;
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
	tlv_graph_free_sides(ctx, graph->nodes);
	memset(graph, 0, sizeof(*graph));
}
