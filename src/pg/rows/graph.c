/*
 * graph.c - tlv_graph: collecting edges, reading graphs.
 */
#include "server/tlv_pg.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "tensorlv/model/graph.h"

/* ---- reading ---- */

/* Work space beside a value that is open. */
static TlvWork *
begin_reading(const char *name)
{
	TlvWork *work = TlvWorkBegin(name);

	work->ctx.arena.limit = TlvValueMemory();
	return work;
}

/* The ends of an edge as they are stored: ids, ascending, and names. */
typedef struct EdgeEnds
{
	size_t n;
	int64_t *ids; /* NULL: numbers, which need no looking up */
	tlv_name_list names;
} EdgeEnds;

static EdgeEnds
edge_ends(TlvWork *work, const tlv_frame *frame, size_t side)
{
	EdgeEnds ends = {.names = tlv_graph_names(frame, side)};
	tlv_graph_header header;

	tlv_graph_read_header(frame, &header);
	ends.n = side == 0 ? header.rows : header.columns;
	if (ends.names.offsets != NULL)
		TlvCheck(&work->ctx,
				 tlv_graph_decode_nodes(&work->ctx, frame,
										side == 1 && header.kind == TLV_GRAPH_BIPARTITE ? "targets"
																						: "nodes",
										ends.n, &ends.ids));
	return ends;
}

/* What an id is called. */
static TlvCell
end_name(const EdgeEnds *ends, int64_t id)
{
	size_t low = 0, high = ends->n;

	while (ends->ids != NULL && low + 1 < high)
	{
		size_t middle = low + (high - low) / 2;

		if (ends->ids[middle] <= id)
			low = middle;
		else
			high = middle;
	}
	return TlvNameCell(&ends->names, low, id);
}

/* Rows (src, src_name, dst, dst_name, weight). */
TLV_FUNCTION(tlv_edges_rows)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	TlvWork *work = begin_reading("tensorlv edges");
	EdgeEnds from, to;
	tlv_graph_cursor *cursor;
	int64_t src, dst;
	double weight;

	TlvInitRows(fcinfo);
	from = edge_ends(work, &frame, 0);
	to = edge_ends(work, &frame, 1);
	TlvCheck(&work->ctx, tlv_graph_cursor_open(&work->ctx, &frame, &cursor));
	while (tlv_graph_cursor_next(cursor, &src, &dst, &weight))
		TlvPutRow(fcinfo, TlvInt8(src), end_name(&from, src), TlvInt8(dst), end_name(&to, dst),
				  TlvFloat8(weight));
	TlvWorkEnd(work);
	return (Datum) 0;
}

static void *
graph_allocate(TlvWork *work, size_t count, size_t size)
{
	void *block = tlv_alloc(&work->ctx, count, size);

	if (block == NULL)
		TlvRaise(&work->ctx);
	return block;
}

/* The sides of a graph: one, called both, of undirected ones; else source and target. */
typedef struct GraphSide
{
	bool sources;
	size_t nodes;
	int64_t *ids;
	tlv_name_list names;
	Datum name; /* text */
} GraphSide;

static int
graph_sides(TlvWork *work, const tlv_frame *frame, GraphSide side[2])
{
	tlv_graph_header header;

	tlv_graph_read_header(frame, &header);
	side[0].sources = true;
	side[0].nodes = header.rows;
	TlvCheck(&work->ctx,
			 tlv_graph_decode_nodes(&work->ctx, frame, "nodes", header.rows, &side[0].ids));
	side[0].names = tlv_graph_names(frame, 0);
	side[0].name = CStringGetTextDatum(header.kind == TLV_GRAPH_UNDIRECTED ? "both" : "source");
	if (header.kind == TLV_GRAPH_UNDIRECTED)
		return 1;
	side[1].sources = false;
	side[1].nodes = header.columns;
	side[1].ids = side[0].ids;
	side[1].names = tlv_graph_names(frame, 1);
	side[1].name = CStringGetTextDatum("target");
	if (header.kind == TLV_GRAPH_BIPARTITE)
		TlvCheck(&work->ctx, tlv_graph_decode_nodes(&work->ctx, frame, "targets", header.columns,
													&side[1].ids));
	return 2;
}

/* Rows (node, node_name, side, degree, weight). */
TLV_FUNCTION(tlv_degrees_rows)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	TlvWork *work = begin_reading("tensorlv degrees");
	GraphSide side[2];
	int sides = graph_sides(work, &frame, side);

	TlvInitRows(fcinfo);
	for (int s = 0; s < sides; s++)
	{
		int64_t *degree = graph_allocate(work, side[s].nodes, sizeof(int64_t));
		double *weight = graph_allocate(work, side[s].nodes, sizeof(double));

		TlvCheck(&work->ctx,
				 tlv_graph_degrees(&work->ctx, &frame, side[s].sources, degree, weight));
		for (size_t i = 0; i < side[s].nodes; i++)
			TlvPutRow(fcinfo, TlvInt8(side[s].ids[i]),
					  TlvNameCell(&side[s].names, i, side[s].ids[i]), TlvDatum(side[s].name),
					  TlvInt8(degree[i]), TlvFloat8(weight[i]));
		tlv_free(&work->ctx, weight);
		tlv_free(&work->ctx, degree);
	}
	TlvWorkEnd(work);
	return (Datum) 0;
}

/* The bag of one node's neighbours; work arrays have room for them. */
static struct varlena *
neighbour_bag(const tlv_graph_neighbours *neighbours, size_t node, const int64_t *ids,
			  int64_t *items)
{
	size_t from = neighbours->start[node], n = neighbours->start[node + 1] - from;

	for (size_t e = 0; e < n; e++)
		items[e] = ids[neighbours->index[from + e]];
	return TlvBagValue(n, items, neighbours->weight + from);
}

static void
graph_put_neighbours(FunctionCallInfo fcinfo, TlvWork *work, const tlv_frame *frame,
					 const GraphSide *side, const GraphSide *other)
{
	tlv_graph_neighbours neighbours;
	int64_t *items;

	TlvCheck(&work->ctx, tlv_graph_neighbours_load(&work->ctx, frame, side->sources, &neighbours));
	items = graph_allocate(work, other->nodes, sizeof(int64_t));
	for (size_t i = 0; i < side->nodes; i++)
		TlvPutRow(fcinfo, TlvInt8(side->ids[i]), TlvNameCell(&side->names, i, side->ids[i]),
				  TlvDatum(side->name), TlvOwned(neighbour_bag(&neighbours, i, other->ids, items)));
	tlv_free(&work->ctx, items);
	tlv_graph_neighbours_free(&work->ctx, &neighbours);
}

/* Rows (node, node_name, side, neighbours). */
TLV_FUNCTION(tlv_neighbours_rows)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	TlvWork *work = TlvWorkBegin("tensorlv neighbours");
	GraphSide side[2];
	int sides = graph_sides(work, &frame, side);

	TlvInitRows(fcinfo);
	for (int s = 0; s < sides; s++)
		graph_put_neighbours(fcinfo, work, &frame, &side[s], &side[sides - 1 - s]);
	TlvWorkEnd(work);
	return (Datum) 0;
}

/* Rows (node, node_name, side, component). */
TLV_FUNCTION(tlv_connected_components_rows)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	TlvWork *work = TlvWorkBegin("tensorlv components");
	Datum source, target = CStringGetTextDatum("target");
	tlv_name_list names[2] = {tlv_graph_names(&frame, 0), tlv_graph_names(&frame, 1)};
	int32_t *component;
	tlv_graph graph;
	size_t n, count;

	TlvInitRows(fcinfo);
	TlvCheck(&work->ctx, tlv_graph_load(&work->ctx, &frame, 0, &graph));
	n = graph.header.rows;
	if (graph.header.kind == TLV_GRAPH_BIPARTITE)
		n += graph.header.columns;
	source = CStringGetTextDatum(graph.header.kind == TLV_GRAPH_BIPARTITE ? "source" : "both");
	component = graph_allocate(work, n, sizeof(int32_t));
	TlvCheck(&work->ctx, tlv_graph_components(&work->ctx, &graph, component, &count));
	for (size_t i = 0; i < n; i++)
	{
		bool behind = i >= graph.header.rows;
		size_t at = behind ? i - graph.header.rows : i;
		int64_t id = graph.nodes[behind ? 1 : 0][at];

		TlvPutRow(fcinfo, TlvInt8(id), TlvNameCell(&names[behind ? 1 : 0], at, id),
				  TlvDatum(behind ? target : source), TlvInt4(component[i] + 1));
	}
	TlvWorkEnd(work);
	return (Datum) 0;
}
