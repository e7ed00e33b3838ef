/*
 * neighbours_plan.h - what a plan over rows of neighbours keeps between its passes, and what its
 * result is worth.
 */
#ifndef TENSORLV_MMSB_NEIGHBOURS_PLAN_H
#define TENSORLV_MMSB_NEIGHBOURS_PLAN_H

#include "neighbours.h"
#include "internal.h"

#define STARTS 2

typedef struct neighbour_candidate
{
	tlv_held model;
	bool diagonal;
	const char *name;
	double moved; /* by its last step, on average over the nodes */
} neighbour_candidate;

struct neighbours_plan
{
	tlv_mmsb_options options;
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
};

static inline struct neighbours_plan *
neighbours_of(tlv_plan *base)
{
	return ((mmsb_plan *) base)->neighbours;
}

/* ---- neighbours_worth.c ---- */

/*
 * Integrated likelihoods of the communities of a model whose connectivity is that of its edges, and
 * of one community.  *used: communities that have a node.  Where some nodes have none, the edges
 * between those that have stand for all of theirs.
 */
extern tlv_status tlv_neighbours_weigh(tlv_context *ctx, const tlv_mmsb_parts *parts,
									   const tlv_neighbour_sums *sums, tlv_mmsb_evidences *found,
									   tlv_mmsb_evidences *one, double *used);

/* The diagnostics of the model and its warnings, into the plan's. */
extern tlv_status tlv_neighbours_diagnose(tlv_context *ctx, struct neighbours_plan *own,
										  const tlv_frame *model);

/* The model with its communities by decreasing size. */
extern tlv_status tlv_neighbours_order(tlv_context *ctx, const tlv_frame *model, void **image,
									   size_t *size);

#endif /* TENSORLV_MMSB_NEIGHBOURS_PLAN_H */
