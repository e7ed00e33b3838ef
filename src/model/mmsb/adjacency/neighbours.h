/*
 * neighbours.h - block models of undirected graphs whose adjacency comes row by row: a node and the
 * bag of its neighbours.  What is kept is of the size of the nodes, never of the edges.
 *
 * A model says which communities nodes are in; under it a row gives its node's posterior and what
 * joins it to each of the communities (statistics, neighbours.c), and all rows together the next
 * model (step.c): the mean field of block_model.h, over as many workers, tables and
 * servers as there are.  learn.c finds the first model from the star moments, which are
 * those of documents.
 */
#ifndef TENSORLV_MMSB_NEIGHBOURS_H
#define TENSORLV_MMSB_NEIGHBOURS_H

#include "tensorlv/model/mmsb.h"
#include "tensorlv/model/source.h"

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

/* Nodes of which statistics and models have one share each. */
extern double tlv_neighbour_most_nodes(void);

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

typedef struct tlv_neighbour_step
{
	bool diagonal; /* one rate between all different communities */
	bool raw;	   /* P as the edges have it, and not its posterior mean */
	bool corrected;
	bool keep; /* communities without nodes have a size above 0: they are there, and may get some */
	bool part; /* nodes without a row have the edges that the model expects, and not none */
	const tlv_mmsb_options *known; /* its labels stay; NULL: there are none */
	const double *rates;		   /* k x k: of mixed memberships the connectivity, up to a factor;
									* NULL: it follows from the edges */
} tlv_neighbour_step;

/*
 * The model after a step: nodes that have a row get its posterior and degree, others stay as they
 * are; the connectivity follows from the edges, those of all nodes.
 */
extern tlv_status tlv_neighbour_update(tlv_context *ctx, const tlv_frame *model,
									   const tlv_frame *statistics, const tlv_neighbour_step *step,
									   void **image, size_t *size);

/* The model with every node wholly in the community in which it has most, and no connectivity. */
extern tlv_status tlv_neighbour_harden(tlv_context *ctx, const tlv_frame *model, void **image,
									   size_t *size);

/* The one model with the memberships of the other, of the same nodes. */
extern tlv_status tlv_neighbour_soften(tlv_context *ctx, const tlv_frame *whole,
									   const tlv_frame *soft, void **image, size_t *size);

/* The class member. */
extern tlv_status tlv_mmsb_update(tlv_context *ctx, const tlv_frame *model,
								  const tlv_frame *statistics, const tlv_step *step, void **image,
								  size_t *size);

/* ---- starts (start.c) ---- */

/*
 * The summary of those items (nodes, as neighbours) of a summary that a block of so many directions
 * is of, of so many numbers at most (0: as many as a value has room for): those of most rows.
 * *image NULL: all of them.
 */
extern tlv_status tlv_neighbour_landmarks(tlv_context *ctx, const tlv_frame *summary,
										  size_t directions, double numbers, uint64_t seed,
										  void **image, size_t *size);

typedef enum tlv_neighbour_start
{
	TLV_NEIGHBOUR_CLUSTERS, /* k-means of the leading directions of the pairs of 2-stars */
	TLV_NEIGHBOUR_TENSOR	/* the components of the 3-stars */
} tlv_neighbour_start;

/*
 * A model of the nodes of a summary in which those of the subspace have a community, and whose
 * connectivity is 0.  Mixed memberships by the tensor come with rates (k x k), as a step takes
 * them.  The tensor's needs the moments; TLV_NOT_IDENTIFIABLE where these tell nothing apart.
 * Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_neighbour_begin(tlv_context *ctx, const tlv_mmsb_options *options,
									  tlv_neighbour_start start, const tlv_frame *summary,
									  const tlv_frame *subspace, const tlv_frame *moments,
									  bool poisson, double *rates, void **image, size_t *size);

/* ---- learning (learn.c) ---- */

/* The model of rows of nodes and their neighbours.  Errors: those of a fit. */
extern tlv_status tlv_neighbours_learn(tlv_context *ctx, tlv_source *rows,
									   const tlv_mmsb_learn_options *options, tlv_held *model);

/* The model with standard errors: those of a block model follow from itself, those of mixed
 * memberships from graphs drawn from the model and fitted with these options. */
extern tlv_status tlv_mmsb_add_errors(tlv_context *ctx, tlv_source *rows,
									  const tlv_mmsb_options *options, tlv_held *model);

#endif /* TENSORLV_MMSB_NEIGHBOURS_H */
