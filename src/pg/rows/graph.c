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
