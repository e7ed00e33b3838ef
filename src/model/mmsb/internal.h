/*
 * internal.h - a fit of communities to a graph, shared by the files that
 * do its parts (mmsb_*.c).
 */
#ifndef TENSORLV_MMSB_INTERNAL_H
#define TENSORLV_MMSB_INTERNAL_H

#include "engine/block_model.h"
#include "mixed/memberships.h"
#include "mixed/mixed_membership.h"
#include "tensorlv/model/star_moments.h"
#include "tensorlv/model/mmsb.h"

/* One side of the graph; of an undirected graph the only one. */
typedef struct tlv_mmsb_side
{
	size_t all;			/* nodes, also those without edges on this side */
	const int64_t *ids; /* of all */
	size_t n;			/* nodes with edges; everything below is of these */
	int32_t *position;	/* n: among all; by decreasing number of edges */
	int32_t *place;		/* all: position among the n, or -1 */
	tlv_csr edges;		/* n x n of the other side; without values edges count 1 */
	float *weight; /* of the edges, whether they are their values or not; NULL: there are none */
	tlv_name_list names; /* of all */
	double *degree;		 /* n: sums of weights */
	int32_t *fixed;		 /* n: known communities, -1 elsewhere; NULL: none known */
	int32_t *label;		 /* n: block model */
	int32_t *proposed;	 /* n: labels that local moves propose; NULL: none */
	float *share;		 /* k x n: mixed memberships; NULL for a block model */
	double *propensity;	 /* n: mixed and degree-corrected; else NULL */
} tlv_mmsb_side;

/* What the moments of one side of the graph gave. */
typedef struct tlv_mmsb_moments
{
	tlv_star_moments stars;
	size_t rank;		 /* communities that the moments tell apart, at most k; 0: no tensor */
	double *eigenvalues; /* k, of the whitened second moment */
	double *values;		 /* k, of the tensor */
	double residual;
	int iterations;
	bool converged;
	double *inverse; /* k x k: pseudo-inverse of the components, from scores to memberships */
	double *weights; /* k: alpha / alpha0 as the tensor has them, sum 1 */
	double implied;	 /* their sum before: much above 1 where there are more than communities */
} tlv_mmsb_moments;

/* The weights of a graph's edges. */
typedef struct tlv_weights
{
	bool vary;	  /* not all are equal */
	double scale; /* the largest */
	double unit;  /* all are multiples of it; 0: of no number */
} tlv_weights;

typedef struct tlv_mmsb_fit_state
{
	const tlv_mmsb_options *options;
	tlv_graph_header header;
	size_t k;
	bool poisson; /* the values of edges are counts */
	tlv_weights weights;
	bool corrected;	  /* for degrees */
	bool followed;	  /* weights that are no counts have decided */
	size_t spurious;  /* communities that were asked for and are not there */
	size_t proposals; /* communities that are proposed; 0: none yet */
	bool embedded;	  /* there are moments of the whole graph, and directions */
	size_t sides;
	bool tree;	  /* nearly; its communities are cuts, which no likelihood compares */
	bool draft;	  /* communities that are clear are found from one random order alone */
	bool tied;	  /* two sides: the labels of a node's edges in both directions are the same */
	double total; /* sum of all degrees of side 0 */
	tlv_mmsb_side side[2];
	tlv_mmsb_moments moments[2];
	double *connectivity; /* k x k */
	tlv_diagnostics diagnostics;
} tlv_mmsb_fit_state;

static inline size_t
tlv_mmsb_other(const tlv_mmsb_fit_state *fit, size_t s)
{
	return fit->sides == 1 ? 0 : 1 - s;
}

/* graph.c: sides, edges and known labels from a loaded graph, whose rows are taken over. */
extern tlv_status tlv_mmsb_open_graph(tlv_context *ctx, tlv_graph *graph, tlv_mmsb_fit_state *fit);

/* weights.c: of a stored graph with weights. */
extern tlv_status tlv_mmsb_find_unit(tlv_context *ctx, const tlv_frame *frame,
									 tlv_weights *weights);

/* weights.c: whether the values of edges, in units, are Poisson counts; they are left out where
 * they are not. */
extern tlv_status tlv_mmsb_choose_weights(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/*
 * weights.c: what a Poisson model of edges that are there once gains by the condition that no pair
 * has two: the sum over pairs of lambda - log(1 + lambda).
 */
extern tlv_status tlv_mmsb_simple_gain(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
									   int32_t *const label[2], size_t k, bool corrected,
									   double *gain);

/* follow.c: of a graph whose weights are no counts, undirected or of tied sides: communities that
 * the weights follow in place of those found, where these are likelier. */
extern tlv_status tlv_mmsb_follow_weights(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/* weights.c: the weights as values of the edges, or edges that all count 1; degrees follow. */
extern tlv_status tlv_mmsb_use_weights(tlv_context *ctx, tlv_mmsb_fit_state *fit, bool used);

typedef enum tlv_proposal
{
	TLV_PROPOSE_SOME, /* k communities, whatever they are worth */
	TLV_PROPOSE_BEST, /* as many as have the largest integrated likelihood, perhaps 1 */
	TLV_PROPOSE_CUTS  /* those of largest modularity */
} tlv_proposal;

/*
 * propose.c: labels by local moves, for every node, of fit->k communities, at most max_k where no k
 * is given, and fit->corrected, whether degrees are corrected for, as the options want it.
 * Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_mmsb_propose(tlv_context *ctx, tlv_mmsb_fit_state *fit, tlv_proposal wanted,
								   size_t k);

/* graph.c: sources and targets as nodes of one graph. */
extern tlv_status tlv_mmsb_join_sides(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
									  tlv_csr *joined);

/* Bytes that a proposal takes: of n nodes of all sides, and the entries of all sides' edges. */
extern double tlv_mmsb_proposal_memory(size_t n, size_t entries, size_t sides);

/* Communities at most: never more than the smaller side has nodes; and whether a model, plain or
 * degree-corrected, may be chosen. */
extern size_t tlv_proposal_most(const tlv_mmsb_fit_state *fit);
extern bool tlv_proposal_may_be(const tlv_mmsb_fit_state *fit, int corrected);

/*
 * propose.c: whether degrees are corrected for, of fit->k communities: as the options say, or by
 * the likelihood of labels by local moves, where they leave it open.
 */
extern tlv_status tlv_mmsb_choose_correction(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/*
 * rank.c: k from cross-validated eigenvalues, at most `most`; standard errors of all that were
 * looked at go to the diagnostics.
 */
extern tlv_status tlv_mmsb_count_directions(tlv_context *ctx, tlv_mmsb_fit_state *fit, size_t most,
											size_t *k);

/* choose.c: whether communities whose evidence exceeds that of one by `gain` nats are taken without
 * the spectrum, which costs more than the moves, and without more careful moves. */
extern bool tlv_mmsb_decides(const tlv_mmsb_fit_state *fit, double gain);

/*
 * choose.c: the block model of largest integrated likelihood, k and labels, of those that local
 * moves and the spectrum propose.
 */
extern tlv_status tlv_mmsb_choose_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/* fit.c: a block model, of k communities or as many as there are. */
extern tlv_status tlv_mmsb_fit_block_model(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/* tied.c: only nodes of directed graphs are sources and targets, and mixed memberships are of each
 * side: TLV_BAD_PARAMETER where the options ask for more. */
extern tlv_status tlv_mmsb_check_sides(tlv_context *ctx, const tlv_mmsb_options *options,
									   tlv_graph_kind kind);

/* tied.c: the edges of both directions of every node, all x all; split (all): where those to the
 * node begin, behind those from it; NULL: edges of two nodes are one, and their values are added.
 */
extern tlv_status tlv_mmsb_join_directions(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
										   size_t *split, tlv_csr *to);

/* tied.c: of a directed graph with a block model: one community for each node in place of those of
 * sources and targets, where that is the likelier or asked for; fit->tied says so. */
extern tlv_status tlv_mmsb_tie_sides(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/* fit.c: moments, as far as they serve, and the labels of a block model of k communities. */
extern tlv_status tlv_mmsb_fit_k_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/* moments.c */

/* The directions of all sides, and bytes that they need at most. */
extern tlv_status tlv_mmsb_find_directions(tlv_context *ctx, tlv_mmsb_fit_state *fit);
extern double tlv_mmsb_directions_memory(const tlv_mmsb_fit_state *fit);

/* Star moments and their decomposition, for every side. */
extern tlv_status tlv_mmsb_decompose(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/*
 * Memberships of side s by least squares, before projection: k x n, in place of the scores; and
 * what one edge adds to those of its other end, k x n of the other side, in place of the basis.
 */
extern tlv_status tlv_mmsb_solve_scores(tlv_context *ctx, tlv_mmsb_fit_state *fit, size_t s);

/* k-means of the directions of a side's nodes, best of `starts`, but of fewer where that is much
 * work. */
extern tlv_status tlv_mmsb_cluster(tlv_context *ctx, const tlv_mmsb_fit_state *fit, size_t s,
								   int starts, int32_t *label);

/* blocks.c: labels of a block model, from the best of several starts. */
extern tlv_status tlv_mmsb_fit_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/* blocks.c: labels of fit->k communities after a few mean-field steps of a block model of one rate
 * between communities, or full; of a graph that is too large for them they stay. */
extern tlv_status tlv_mmsb_step_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit, bool full,
									   int32_t *const label[2]);

/* mixed/least_squares.c: shares and connectivity of a mixed membership model. */
extern tlv_status tlv_mmsb_fit_mixed(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/*
 * write.c: the model's frame, communities in their order.  Adds diagnostics of them, and the
 * connectivity and propensities of a block model, which follow from its labels.
 */
extern tlv_status tlv_mmsb_write_fit(tlv_context *ctx, tlv_mmsb_fit_state *fit, void **image,
									 size_t *size);

/* evidence.c */

/* Most communities. */
#define TLV_MMSB_MOST 1000

/*
 * Logarithms of the integrated likelihood of labels 0 .. k - 1, plain or degree-corrected: of one
 * rate between all different communities, and of one for every two of them, which needs
 * k <= TLV_MMSB_MOST and else is -infinity.  Where sides are tied, labels of nodes that have edges
 * in both directions are told once.  Comparable between partitions, k and models of the same graph.
 * Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_mmsb_evidence(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
									int32_t *const label[2], size_t k, bool corrected,
									double evidence[2]);

/* The plain and the degree-corrected one of one rate between communities alone: less work. */
extern tlv_status tlv_mmsb_moves_evidence(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
										  int32_t *const label[2], size_t k, double evidence[2]);

/*
 * posterior.c: memberships of the nodes of a block model, from whole ones (those of the labels) to
 * the posterior of each given all others, in place.  Known labels stay.  Errors: memory,
 * TLV_CANCELLED.
 */
extern tlv_status tlv_mmsb_block_memberships(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
											 tlv_memberships memberships[2]);

/*
 * choose.c: the gain in the integrated likelihood of as many communities as were asked for over
 * one, an edge's end, to the diagnostics, and a warning where there is none.  Of mixed memberships
 * a node is in the community of which it has most.
 */
extern tlv_status tlv_mmsb_doubt(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/*
 * labels.c: met (n_labels) marks the labels of nodes with edges.  Warns of the others;
 * TLV_BAD_DATA where there are labels and none is met.
 */
extern tlv_status tlv_mmsb_check_labels(tlv_context *ctx, const tlv_mmsb_options *options,
										const bool *met, tlv_diagnostics *to);

/* labels.c */

/* The community of every node in which it has most; the first community where it has none. */
extern tlv_status tlv_mmsb_largest(tlv_context *ctx, size_t k, size_t n, const float *share,
								   int32_t **label);

/*
 * Assignments (new[a] of old a) that bring the labels of side 1 to meet those of side 0, by the
 * edges between them, and those of both sides to meet the known labels.
 */
extern tlv_status tlv_mmsb_align_sides(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
									   int32_t *const label[2], int64_t *assignment);
extern tlv_status tlv_mmsb_align_known(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
									   int32_t *const label[2], int64_t *assignment);

/* label <- assignment[label] */
extern void tlv_mmsb_relabel(size_t n, const int64_t *assignment, int32_t *label);

/* Both alignments, where they apply, and known labels put in place. */
extern tlv_status tlv_mmsb_settle_labels(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
										 int32_t *const label[2]);

#endif /* TENSORLV_MMSB_INTERNAL_H */
