/*
 * neighbours_plan.h - what a plan over rows of neighbours keeps between its passes, and what its
 * result is worth.
 */
#ifndef TENSORLV_MMSB_NEIGHBOURS_PLAN_H
#define TENSORLV_MMSB_NEIGHBOURS_PLAN_H

#include "neighbours.h"
#include "internal.h"

/* More nodes than this make a graph large: fewer steps are taken. */
#define LARGE_NODES 1000000

/* Third moments of more communities are not collected: their cube travels, too. */
#define MOST_TENSOR 100

/* Starts that are tried in one pass at most. */
#define STARTS TLV_PLAN_STATISTICS

typedef struct neighbour_candidate
{
	tlv_held model;
	bool diagonal;
	bool corrected; /* while k is chosen */
	const char *name;
	double *rates; /* of mixed memberships by the tensor: k x k, up to a factor; else NULL */
	double moved;  /* by its last step, on average over the nodes */
} neighbour_candidate;

/* Parts of the edges are left out in turn, where errors are asked for (neighbours_support.c). */
typedef struct tlv_support_state
{
	int part;				  /* the one that is left out, from 1; 0: none */
	tlv_held model;			  /* of all edges */
	tlv_mmsb_options options; /* as this model's */
	double *apart;			  /* k: distances of its communities */
} tlv_support_state;

struct neighbours_plan
{
	tlv_mmsb_options options;
	size_t rank; /* of the subspace */
	bool chosen; /* k is to be chosen, or was */
	int choice_steps;
	bool limited; /* k is the most that was looked at */
	double directions;
	double damp; /* of weights: 1 where an edge is there or not; 0: none */
	bool poisson;
	bool corrected;
	bool large;
	tlv_held subspace;
	int subspace_steps;
	size_t n; /* candidates */
	neighbour_candidate candidates[STARTS];
	tlv_held soft; /* in the end: memberships, while the edges between labels are counted */
	int steps;
	double strangers, self_loops;
	tlv_diagnostics diagnostics;
	tlv_support_state support;
	tlv_plan_step step; /* what the guard of a part hands on to */
};

static inline struct neighbours_plan *
neighbours_of(tlv_plan *base)
{
	return ((mmsb_plan *) base)->neighbours;
}

/* ---- neighbours_plan.c ---- */

/* A start of k communities as one more candidate; none where the moments tell nothing apart. */
extern tlv_status tlv_neighbours_add_start(tlv_context *ctx, tlv_plan *base,
										   tlv_neighbour_start start, const char *name, size_t k,
										   const tlv_frame *moments);

/* The star moments in the subspace, and then the starts. */
extern void tlv_neighbours_ask_moments(tlv_plan *base, tlv_pass *pass);

/* Statistics of all candidates. */
extern void tlv_neighbours_ask_statistics(tlv_plan *base, tlv_pass *pass, const char *stage,
										  tlv_plan_step then);

/* k is known, and the subspace: the starts. */
extern tlv_status tlv_neighbours_begin_starts(tlv_context *ctx, tlv_plan *base,
											  const tlv_frame *moments, tlv_pass *pass);

/* The beginning, but for known labels. */
extern void tlv_neighbours_ask_summary(tlv_plan *base, tlv_pass *pass);

/* ---- neighbours_refine.c ---- */

/* The edges of the starts are known: one candidate of each block model, or the better one. */
extern tlv_status tlv_neighbours_take_starts(tlv_context *ctx, tlv_plan *base, tlv_value **values,
											 tlv_pass *pass);

/* The candidate after a step; *moved of its nodes, on average. */
extern tlv_status tlv_neighbours_step(tlv_context *ctx, tlv_held *model,
									  const tlv_frame *statistics, const tlv_neighbour_step *step,
									  double *moved);

/* Every edge must be in the rows of both of its ends; the first statistics tell, as no node has
 * moved. */
extern tlv_status tlv_neighbours_require_rows(tlv_context *ctx, const tlv_frame *statistics,
											  bool first);

/* One candidate less. */
extern void tlv_neighbours_drop(tlv_context *ctx, struct neighbours_plan *own, size_t i);

/* The last pass: the edges between whole communities. */
extern tlv_status tlv_neighbours_ask_edges(tlv_context *ctx, tlv_plan *base, tlv_pass *pass);

/* ---- neighbours_support.c ---- */

/* The model is done, and errors are asked for: the support of its communities, and the errors. */
extern tlv_status tlv_neighbours_begin_support(tlv_context *ctx, tlv_plan *base, tlv_pass *pass);

/* The model without a part of the edges is done. */
extern tlv_status tlv_neighbours_take_part(tlv_context *ctx, tlv_plan *base, const tlv_frame *found,
										   tlv_pass *pass);

/* A step of such a model: where it is refused, nothing is known of the communities. */
extern tlv_status tlv_neighbours_guard(tlv_context *ctx, tlv_plan *base, tlv_value **values,
									   tlv_pass *pass);

/* ---- neighbours_mixed_plan.c ---- */

/* The edges between the memberships of the starts are known: variational steps of mixed
 * memberships, from each of them and then from the one whose neighbours are the likelier. */
extern tlv_status tlv_neighbours_begin_mixed(tlv_context *ctx, tlv_plan *base, tlv_value **values,
											 tlv_pass *pass);

/* ---- neighbours_choose.c ---- */

/*
 * k is not known: clusters of several k are weighed by their edges in one pass, and with them what
 * becomes of the best when communities are merged, two at a time.  The k of largest integrated
 * likelihood is then the plan's, whose starts are next.
 */
extern tlv_status tlv_neighbours_choose(tlv_context *ctx, tlv_plan *base, tlv_pass *pass);

/* Most communities that are looked at. */
extern size_t tlv_neighbours_most(const tlv_mmsb_options *options);

/* Are known labels communities of the model's k, and is one of them of a node that has edges? */
extern tlv_status tlv_neighbours_check_labels(tlv_context *ctx, const tlv_mmsb_options *options,
											  const tlv_frame *summary);

/* ---- neighbours_worth.c ---- */

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

/* The diagnostics of the model and its warnings, into the plan's. */
extern tlv_status tlv_neighbours_diagnose(tlv_context *ctx, struct neighbours_plan *own,
										  const tlv_frame *model);

/* Two models of the same communities, these by decreasing size, as the second has them; all of
 * them, or only those that have nodes. */
extern tlv_status tlv_neighbours_order(tlv_context *ctx, bool all, tlv_held *whole, tlv_held *soft);

#endif /* TENSORLV_MMSB_NEIGHBOURS_PLAN_H */
