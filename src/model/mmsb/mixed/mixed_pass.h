/*
 * mixed_pass.h - one pass over the edges of mixed memberships, and the work space of the
 * passes: what mixed_membership.c is made of.  Nodes are divided into lanes (lanes.h).
 */
#ifndef TENSORLV_MIXED_PASS_H
#define TENSORLV_MIXED_PASS_H

#include "mixed_membership.h"

/* Allocations whose rows are aligned. */
#define TLV_MIXED_BLOCKS 4

/* What a thread needs that works on the nodes of a lane (lanes.h). */
typedef struct tlv_node_lane
{
	float *weight;	  /* width */
	float *row;		  /* width */
	float *mean;	  /* width: sum of neighbours' shares over their rates */
	double *share;	  /* k */
	double *sums;	  /* k: the lane's part of those of F */
	double *assigned; /* k x k: its part of A */
	double moved;	  /* half L1 distances of its nodes' shares to those before */
	bool begun;		  /* the next node has its weights, and the sums of some of its edges: */
	size_t edge;	  /* of those before this one */
} tlv_node_lane;

typedef struct tlv_mixed_work
{
	tlv_mixed_model *model;
	bool update;
	size_t width;					/* k in whole vectors */
	float *gamma[2];				/* width x n: Dirichlet parameters */
	float *rate;					/* width x n of the side that is seen: F */
	float *before;					/* k x n: its shares, while they change */
	void *blocks[TLV_MIXED_BLOCKS]; /* what was allocated for the three above and lanes, not aligned
									 */
	double *sums;					/* k: of F over the side that is seen */
	double *assigned; /* k x k: A = sum of W_u times the neighbours' shares over their rates */
	double *inverse;  /* k x k: of P */
	bool direct;	  /* P cannot be inverted: shares are summed edge by edge */
	size_t most;	  /* lanes that there is work space for */
	tlv_node_lane *lane;
} tlv_mixed_work;

/* update: the connectivity is to be estimated, too.  Memory: tlv_mixed_memory(). */
extern tlv_status tlv_mixed_work_create(tlv_context *ctx, tlv_mixed_model *model, bool update,
										tlv_mixed_work *work);
extern void tlv_mixed_work_free(tlv_context *ctx, tlv_mixed_work *work);

/* Parameters of side s as the start's shares have them: alpha + degree x shares of edge ends. */
extern tlv_status tlv_mixed_start_side(tlv_context *ctx, tlv_mixed_work *work, size_t s);

/* The new parameters and shares of all nodes of side s; *moved gets half their L1 distances. */
extern tlv_status tlv_mixed_update_side(tlv_context *ctx, tlv_mixed_work *work, size_t s,
										double *moved);

/* Sums over the nodes of side s of propensity times share: k numbers. */
extern tlv_status tlv_mixed_sum_shares(tlv_context *ctx, tlv_mixed_work *work, size_t s,
									   double *sums);

/* work->assigned from the shares as they are, edge by edge. */
extern tlv_status tlv_mixed_assign_edges(tlv_context *ctx, tlv_mixed_work *work);

#endif /* TENSORLV_MIXED_PASS_H */
