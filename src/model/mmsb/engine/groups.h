/*
 * groups.h - partitions of the nodes of a graph by the integrated likelihood of its edges and of
 * their scores (ranks.h): moves of nodes between groups, and joins of groups, while it grows.
 *
 * The edges of two groups are Poisson with a rate of their own, of a directed graph one in each
 * direction, whose exponential prior has the mean of its class, inside groups or between them;
 * labels and degrees are those of evidence.c.
 * Scores are normal with a mean and a variance of every pair of groups, or the same for all edges:
 * the larger evidence shows whether weights follow the groups.
 */
#ifndef TENSORLV_MMSB_GROUPS_H
#define TENSORLV_MMSB_GROUPS_H

#include "../internal.h"
#include "ranks.h"

/* What is looked for. */
typedef struct tlv_group_task
{
	const tlv_mmsb_fit_state *fit; /* of one side, or of tied ones; edges count 1 */
	const tlv_csr *edges;		   /* of all nodes, every edge in the rows of both of its ends */
	const size_t
		*split; /* where the edges to a node begin, behind those from it; NULL: undirected */
	const int32_t *number; /* directed: the row of a node, by its position on the sides */
	bool corrected;		   /* expected edges follow degrees, else the number of pairs */
	const tlv_rank_scores *scores;
	bool follow;  /* scores are of pairs of groups; else of all edges alike */
	double alike; /* evidence of scores that are alike, tlv_scores_alike() */
	size_t k;	  /* groups that are wanted; 0: as the evidence has it, */
	size_t most;  /* the largest number of groups; 0: any */
	uint64_t seed;
} tlv_group_task;

/* Moves and joins from the labels given, 0 .. *k - 1, to those of *evidence; *k groups.  Errors:
 * memory, TLV_CANCELLED. */
extern tlv_status tlv_groups_search(tlv_context *ctx, const tlv_group_task *task, int32_t *label,
									size_t *k, double *evidence);

/* The evidence of labels as they are. */
extern tlv_status tlv_groups_weigh(tlv_context *ctx, const tlv_group_task *task, int32_t *label,
								   size_t k, double *evidence);

#endif /* TENSORLV_MMSB_GROUPS_H */
