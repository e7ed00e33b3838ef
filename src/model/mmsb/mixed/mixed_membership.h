/*
 * mixed_membership.h - mean-field variational inference of mixed memberships
 * from a start: every edge end is shared out among communities, memberships
 * are Dirichlet (Airoldi, Blei, Fienberg, Xing 2008, in the Poisson form of
 * Ball, Karrer, Newman 2011, which sees edges only).
 *
 * g_uv ~ Poisson(theta_u theta_v pi_u' P pi_v).  All nodes of a side are
 * updated from the same state, so that the result does not depend on their order.
 */
#ifndef TENSORLV_MIXED_MEMBERSHIP_H
#define TENSORLV_MIXED_MEMBERSHIP_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/sparse.h"

typedef struct tlv_mixed_side
{
	size_t n;
	const tlv_csr *edges; /* n x nodes of the other side (of one side: its own) */
	const double *degree; /* sums of the rows */
	const int32_t *fixed; /* known communities, -1 elsewhere; NULL: none */
	float *share;		  /* k x n: pi, in and out; columns sum to 1 */
	double *propensity;	  /* theta, in and out, mean 1; NULL: all 1 */
} tlv_mixed_side;

typedef struct tlv_mixed_model
{
	size_t k;
	size_t sides;		  /* 1: undirected; 2: rows and columns of one matrix */
	double alpha;		  /* Dirichlet parameter of every community */
	double *connectivity; /* P, k x k: P[a + k b], a of the rows; in and, when updated, out */
	tlv_mixed_side side[2];
} tlv_mixed_model;

/* No entry below a thousandth of the largest, and of one side both directions their mean. */
extern void tlv_connectivity_settle(size_t k, bool symmetric, double *connectivity);

/* Bytes of work space. */
extern double tlv_mixed_memory(const tlv_mixed_model *model, bool update);

/*
 * Steps until shares move by less than tolerance on average (half L1), at most max_steps.  update
 * also re-estimates P: needed where the start's P is not to be trusted, but it drifts towards
 * communities too distinct; a P without bias is better kept.
 */
extern tlv_status tlv_mixed_variational(tlv_context *ctx, tlv_mixed_model *model, bool update,
										int max_steps, double tolerance, int *steps);

/*
 * Posterior predictive check on the weight between communities: *distance is the L1 distance
 * (0 to 2) between the shares of edges that the memberships are assigned and those they expect;
 * *off is the ratio of the two between different communities, 1 when the model fits.
 */
extern tlv_status tlv_mixed_check(tlv_context *ctx, const tlv_mixed_model *model, double *distance,
								  double *off);

#endif /* TENSORLV_MIXED_MEMBERSHIP_H */
