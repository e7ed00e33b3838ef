/*
 * neighbours.h - rows of a graph, a node and the bag of its neighbours, under a block model of an
 * undirected graph: memberships of nodes, new ones too, by steps of the mean field (block_model.h).
 *
 * Under a model a row gives its node's posterior and the edges that join it to each of the
 * communities (statistics, neighbours.c), and all rows together the next model (step.c), over any
 * number of workers, tables and servers.  Memory is of the size of the nodes, never of the edges.
 */
#ifndef TENSORLV_MMSB_NEIGHBOURS_H
#define TENSORLV_MMSB_NEIGHBOURS_H

#include "tensorlv/model/mmsb.h"

/* ---- statistics (neighbours.c) ---- */

/*
 * Rows of a model's graph.  The stored value (kind neighbour_statistics): scalars "rows", "nulls",
 * "log_likelihood" (of the rows that have known neighbours, up to what does not depend on the
 * model), "self_loops" (their weight, which is left out), "strangers" (the weight of neighbours
 * that the model does not know), the model's fingerprint "model"; "edges" (k x k: edges[a + k b] =
 * sum over nodes u of community a and neighbours v of b); of every node that has come, ascending,
 * "nodes", "degree", and its posterior, zeros left out: "support" (2 bytes each: the number of its
 * communities), "communities" (2 bytes each), "shares" (float32 each).
 *
 * A model whose connectivity is all 0 says nothing of edges yet: nodes stay where they are.
 */
extern tlv_status tlv_mmsb_statistics(tlv_context *ctx, tlv_model *model, const char *method,
									  tlv_accumulator **accumulator);

/* Shares of one of n nodes that statistics keep, the largest, so that these and the next model have
 * at most TLV_FRAME_MAX_BYTES: as many as there are up to some 100 communities of a million. */
extern size_t tlv_neighbour_most_shares(size_t n);

/* Nodes of which statistics and models store one share each. */
extern double tlv_mmsb_most_nodes(void);

/*
 * Of the shares of a node (k, sum 1) the `most` largest stay, of equal ones the first, and the
 * others become 0; work: most numbers.  Returns the sum of what stays, or 1 where nothing had to
 * go.  Less than a half says too little to be kept: the node waits until more of its neighbours
 * have a community.
 */
extern double tlv_neighbour_keep(size_t k, size_t most, double *share, double *work);

/* What the sums of a model are of: nodes by community. */
typedef struct tlv_neighbour_sums
{
	size_t k;
	double nodes;	  /* that have a community */
	double total;	  /* of all degrees */
	double *size;	  /* k: of nodes */
	double *degree;	  /* k: of their degrees */
	double *theta;	  /* k: of their propensities */
	double *edges;	  /* k x k: E, as the connectivity tells it */
	double *expected; /* k x k: X, at rate 1 */
} tlv_neighbour_sums;

/* Sums of an undirected model; memory from the arena, in one block at sums->size. */
extern tlv_status tlv_neighbour_sums_of(tlv_context *ctx, const tlv_mmsb_parts *parts,
										tlv_neighbour_sums *sums);

/* Pairs of nodes of communities a and b by their propensities: what P is over. */
extern double tlv_neighbour_pairs(const tlv_neighbour_sums *sums, bool corrected, size_t a,
								  size_t b);

/* ---- a step (step.c) ---- */

/*
 * The model after a step: nodes that have a row get its posterior and degree, others stay as they
 * are; the connectivity follows from the edges, and those that the model expects of its nodes
 * without a row.  The class member.
 */
extern tlv_status tlv_mmsb_update(tlv_context *ctx, const tlv_frame *model,
								  const tlv_frame *statistics, const tlv_step *step, void **image,
								  size_t *size);

#endif /* TENSORLV_MMSB_NEIGHBOURS_H */
