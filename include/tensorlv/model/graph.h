/*
 * graph.h - tlv_graph: a compressed sparse graph, as a stored value, as the
 * state of an aggregate, and as sparse rows to compute with.
 *
 * The stored form is a frame (frame.h) of type TLV_FRAME_GRAPH; its kind says
 * what an edge joins:
 *
 *   undirected   one set of nodes, every pair once (as the ends i < j by node id)
 *   directed     one set of nodes, ordered pairs
 *   bipartite    two sets of nodes with ids of their own, source and target
 *
 * Sections: scalars "weighted" (0 or 1), "self_loops" and "self_loop_weight"
 * (rows; left out; bipartite graphs have none), "nulls" (rows), "entries" (distinct edges),
 * "total" (sum of weights), "rows" and "columns" (numbers of nodes; the same
 * for one set); "nodes" and, for bipartite graphs, "targets": the first id
 * (zigzag: 0, -1, 1, -2, ...), then every id less the last one less 1;
 * "adjacency": for every row the number of its entries, and every column less
 * the least that could be there: the last one plus 1, and at first 0 (undirected:
 * the row plus 1).  Weights are missing when all are 1; when all are whole numbers
 * up to 2^53, they are "multiplicities": in the order of the entries 2 (w - 2) + 1
 * for a weight w, and 2 (n - 1) for n times 1; otherwise "weights" (float64).
 * A node without edges is there because of its self-loops.  Where nodes have names these follow:
 * "node_name_offsets" and "node_names", of bipartite graphs "target_name_offsets" and
 * "target_names" (names.h).
 * Variable-length bytes: 7 bits each, lowest first, the high bit set on all but
 * the last (LEB128), without superfluous zero bytes: equal graphs have equal images.
 *
 * The room stores, merges, folds and loads graphs, and finds connected components.  Communities
 * are in mmsb.h, and products of sparse rows are on floor 1 (sparse.h).
 */
#ifndef TENSORLV_GRAPH_H
#define TENSORLV_GRAPH_H

#include "tensorlv/model/aggregate.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/num/names.h"
#include "tensorlv/num/sparse.h"

typedef enum tlv_graph_kind
{
	TLV_GRAPH_UNDIRECTED = 1, /* the codes of the kinds */
	TLV_GRAPH_DIRECTED = 2,
	TLV_GRAPH_BIPARTITE = 3
} tlv_graph_kind;

/* 'undirected', 'directed', 'bipartite'; false when the name is none of them. */
extern const char *tlv_graph_kind_name(tlv_graph_kind kind);

/* ---- collecting ---- */

/*
 * An empty graph to which edges are added.  weighted only decides what the value says of itself:
 * edges of an unweighted graph have their multiplicity as weight.
 */
extern tlv_status tlv_graph_accumulator_create(tlv_context *ctx, tlv_graph_kind kind, bool weighted,
											   tlv_accumulator **accumulator);

/*
 * Rows are edges, with names of their nodes or without, or, of directed and bipartite graphs, nodes
 * with the bags of those that edges lead to; duplicates (in an undirected graph, reversed ones,
 * too) add up. Errors: TLV_BAD_DATA for a weight that is not finite and positive, naming the edge;
 * TLV_LIMIT, memory.
 */
extern const tlv_aggregate tlv_aggregate_graph, tlv_aggregate_digraph, tlv_aggregate_bigraph;
extern const tlv_aggregate tlv_aggregate_weighted_graph, tlv_aggregate_weighted_digraph,
	tlv_aggregate_weighted_bigraph;

/*
 * The undirected graph of a directed one that rows of neighbours have made: every edge comes from
 * both of its ends.  The image may be larger than a value.  Errors: TLV_BAD_DATA where an edge
 * comes from one end alone, or with another weight; memory, TLV_CANCELLED.
 */
extern tlv_status tlv_graph_fold(tlv_context *ctx, const tlv_frame *directed, void **image,
								 size_t *size);

/* Edges that are gathered before they are sorted: at most so many, 2^22 unless set. */
extern void tlv_graph_accumulator_set_buffer(tlv_accumulator *accumulator, size_t edges);

/* Gives it back; the server drops its memory all at once instead. */
extern void tlv_graph_accumulator_free(tlv_context *ctx, tlv_accumulator *accumulator);

/* ---- reading ---- */

/* What a stored graph says of itself, without decoding it. */
typedef struct tlv_graph_header
{
	tlv_graph_kind kind;
	bool weighted;
	size_t rows;	/* source nodes */
	size_t columns; /* target nodes; rows of one-set graphs */
	size_t entries; /* distinct edges; of an undirected graph every pair once */
	double total;	/* their weight */
	double self_loops;
	double self_loop_weight;
	double nulls;
} tlv_graph_header;

/* Of a valid graph; nothing is allocated, nothing can fail. */
extern void tlv_graph_read_header(const tlv_frame *frame, tlv_graph_header *header);

/* A graph as sparse rows.  Arrays are the graph's own, but that of one-set graphs are shared. */
typedef struct tlv_graph
{
	tlv_graph_header header;
	int64_t *nodes[2]; /* ids of source and target nodes, ascending; the same array for one set */
	tlv_csr out;	   /* rows x columns; of an undirected graph both directions */
	tlv_csr in;		   /* its transposed; of an undirected graph the same arrays */
} tlv_graph;

/* Bytes that loading will take. */
extern double tlv_graph_load_memory(const tlv_graph_header *header, bool binary);

/* Decodes a valid graph.  Weights are divided by the unit; unit 0: weights are left out, an edge is
 * there or not. */
extern tlv_status tlv_graph_load(tlv_context *ctx, const tlv_frame *frame, double unit,
								 tlv_graph *graph);
extern void tlv_graph_free(tlv_context *ctx, tlv_graph *graph);

/* The ids of a stored graph's nodes, ascending: "nodes", or of bipartite graphs "targets"; n of
 * them. */
extern tlv_status tlv_graph_decode_nodes(tlv_context *ctx, const tlv_frame *frame, const char *name,
										 size_t n, int64_t **ids);

/* The names of source nodes (side 0), or of target nodes; empty where there are none. */
extern tlv_name_list tlv_graph_names(const tlv_frame *frame, size_t side);

/* Walks over the stored edges in order of (source, target), without decoding everything. */
typedef struct tlv_graph_cursor tlv_graph_cursor;
extern tlv_status tlv_graph_cursor_open(tlv_context *ctx, const tlv_frame *frame,
										tlv_graph_cursor **cursor);
/* The next edge; false at the end. */
extern bool tlv_graph_cursor_next(tlv_graph_cursor *cursor, int64_t *src, int64_t *dst,
								  double *weight);
extern void tlv_graph_cursor_close(tlv_context *ctx, tlv_graph_cursor *cursor);

/*
 * Labels every node with its connected component, 0, 1, ... by decreasing size
 * (edges taken both ways).  component has rows entries for one-set graphs, rows + columns for
 * bipartite ones (targets behind sources).  *two_colourable: an undirected graph is probably a
 * bipartite one.  A tree is two-colourable, too: it is not counted (it needs a cycle).
 */
extern tlv_status tlv_graph_components(tlv_context *ctx, const tlv_graph *graph, int32_t *component,
									   size_t *count, bool *two_colourable);

#endif /* TENSORLV_GRAPH_H */
