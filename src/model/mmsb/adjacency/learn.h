/*
 * learn.h - what learning communities from rows of neighbours finds on its way
 * (learn.c), for those of its stages that have files of their own.
 */
#ifndef TENSORLV_MMSB_NEIGHBOURS_LEARN_H
#define TENSORLV_MMSB_NEIGHBOURS_LEARN_H

#include "neighbours.h"
#include "../internal.h"
#include "tensorlv/model/source.h"

/* More nodes than this make a graph large: fewer iterations are made. */
#define LARGE_NODES 1000000

/* Third moments of more communities are not collected: their cube travels, too. */
#define MOST_TENSOR 100

/* Initialisations that are tried in one scan at most. */
#define STARTS TLV_PASS_STATISTICS

typedef struct neighbour_candidate
{
	tlv_held model;
	bool diagonal;
	bool corrected; /* while k is chosen */
	const char *name;
	double *rates; /* of mixed memberships by the tensor: k x k, up to a factor; else NULL */
	double moved;  /* by its last iteration, on average over the nodes */
} neighbour_candidate;

typedef struct neighbours_fit
{
	tlv_mmsb_options options;
	size_t rank;  /* of the subspace */
	bool chosen;  /* k was not given */
	bool limited; /* k is the most that was tried */
	double directions;
	double damp; /* of weights: 1 where an edge is there or not; 0: none */
	bool poisson;
	bool corrected;
	bool large;
	tlv_value *summary;
	tlv_held subspace;
	int subspace_iterations;
	size_t n; /* candidates */
	neighbour_candidate candidates[STARTS];
	int iterations; /* of refinement */
	double self_loops;
	tlv_diagnostics diagnostics;
} neighbours_fit;

/* ---- learn.c ---- */

/* An initial estimate of k communities as one more candidate; none where the moments identify no
 * communities. */
extern tlv_status tlv_neighbours_add_start(tlv_context *ctx, neighbours_fit *fit,
										   tlv_neighbour_start start, const char *name, size_t k,
										   const tlv_frame *moments);

/* Statistics of all candidates, in one scan; the first see every edge from both of its ends, as no
 * node has moved.  Errors: those of a pass, and TLV_BAD_DATA where an edge is not in the rows of
 * both of its ends. */
extern tlv_status tlv_neighbours_collect(tlv_context *ctx, tlv_source *rows,
										 const neighbours_fit *fit, const char *stage, bool first,
										 tlv_value *values[STARTS]);
extern void tlv_neighbours_drop_values(const neighbours_fit *fit, tlv_value *values[STARTS]);

/* A model with these options without one of TLV_SUPPORT_PARTS parts of the edges, which is not
 * finished.  Errors: those of the fit. */
extern tlv_status tlv_neighbours_learn_part(tlv_context *ctx, tlv_source *seen,
											const tlv_mmsb_options *options, double directions,
											int part, tlv_held *model);

/* ---- support.c ---- */

/* The model with the support of its communities, learnt with these options of its own. */
extern tlv_status tlv_neighbours_find_support(tlv_context *ctx, tlv_source *seen,
											  const tlv_mmsb_options *options, double directions,
											  tlv_held *model);

/* ---- refine.c ---- */

/* The candidate after an iteration; *moved of its nodes, on average. */
extern tlv_status tlv_neighbours_step(tlv_context *ctx, tlv_held *model,
									  const tlv_frame *statistics, const tlv_neighbour_step *step,
									  double *moved);

/* From the initial estimates to one candidate, by the mean field of block models or of mixed
 * memberships. */
extern tlv_status tlv_neighbours_refine(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit);

/* ---- mixed_refine.c ---- */

/* Variational updates of mixed memberships, from the statistics of the initial estimate. */
extern tlv_status tlv_neighbours_refine_mixed(tlv_context *ctx, tlv_source *rows,
											  neighbours_fit *fit, const tlv_frame *statistics);

/* ---- choose.c ---- */

/*
 * k was not given: the evidence of clusters of several k follows from the edges of one scan, and
 * that of the best when communities are merged, two at a time.  The k of largest integrated
 * likelihood is then the fit's, and the best division a candidate where it is to be kept.
 */
extern tlv_status tlv_neighbours_choose(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit);

/* Most communities that are tried. */
extern size_t tlv_neighbours_most(const tlv_mmsb_options *options);

/* Are known labels communities of the model's k, and is one of them of a node that has edges? */
extern tlv_status tlv_neighbours_check_labels(tlv_context *ctx, const tlv_mmsb_options *options,
											  const tlv_frame *summary, tlv_diagnostics *to);

/* ---- worth.c ---- */

/* Nodes that have a community, by decreasing degree, and the edges between these communities. */
typedef struct tlv_division
{
	tlv_mmsb_fit_state fit; /* for evidence.c; it points into the division */
	float weighted;
	size_t k;
	double used; /* communities that have a node */
	double *degree;
	int32_t *label;
	double *edges; /* k x k; where some nodes have none, those of the others stand for all */
} tlv_division;

/* Of the model of that connectivity; the division must stay where it is. */
extern tlv_status tlv_division_open(tlv_context *ctx, const tlv_mmsb_parts *parts,
									const tlv_neighbour_sums *sums, tlv_division *division);
extern void tlv_division_free(tlv_context *ctx, tlv_division *division);

/*
 * Integrated likelihoods of the communities of a model whose connectivity is that of its edges, and
 * of one community.  *used: communities that have a node.
 */
extern tlv_status tlv_neighbours_weigh(tlv_context *ctx, const tlv_mmsb_parts *parts,
									   const tlv_neighbour_sums *sums, tlv_mmsb_evidences *found,
									   tlv_mmsb_evidences *one, double *used);

/* The diagnostics of the model and its warnings, into the fit's. */
extern tlv_status tlv_neighbours_diagnose(tlv_context *ctx, neighbours_fit *fit,
										  const tlv_frame *model);

/* Two models of the same communities, these by decreasing size, as the second has them; all of
 * them, or only those that have nodes. */
extern tlv_status tlv_neighbours_order(tlv_context *ctx, bool all, tlv_held *whole, tlv_held *soft);

#endif /* TENSORLV_MMSB_NEIGHBOURS_LEARN_H */
