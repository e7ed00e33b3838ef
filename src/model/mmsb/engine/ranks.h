/*
 * ranks.h - weights of edges as normal scores of their ranks, which have one distribution whatever
 * the weights' unit and distribution are.
 *
 * Edges of one weight have the mean of their scores, and of the squares.  What follows from the
 * nodes alone is taken off: where y_uv = a_u + a_v + noise with random effects a, or a_u + b_v of a
 * directed graph, has the larger evidence, the scores are those of the ranks of the residuals.
 */
#ifndef TENSORLV_MMSB_RANKS_H
#define TENSORLV_MMSB_RANKS_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/sparse.h"

typedef struct tlv_rank_scores
{
	float *score, *square; /* of the entries of the rows; mean square 1 */
	double effects;		   /* what effects of nodes gain, in nats; 0: there are none */
} tlv_rank_scores;

/*
 * Of the weights of a graph's entries, every edge in the rows of both of its ends.  split: of a
 * directed graph, where in every row the edges that lead to the node begin, behind those that lead
 * from it; NULL: undirected.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_rank_scores_create(tlv_context *ctx, const tlv_csr *edges,
										 const size_t *split, const float *weight,
										 tlv_rank_scores *scores);
extern void tlv_rank_scores_free(tlv_context *ctx, tlv_rank_scores *scores);

/* ---- evidence ---- */

/* Edges between two groups of nodes: their number, and sums of their scores and of the squares. */
typedef struct tlv_score_sums
{
	double n, sum, squares;
} tlv_score_sums;

/* Scores of a pair of groups are normal: priors of their mean and variance. */
typedef struct tlv_score_prior
{
	double centre, strength;  /* normal; the strength in edges */
	double freedom, variance; /* inverse chi-squared */
	double constant;		  /* of the evidence of every pair */
} tlv_score_prior;

/* Log marginal likelihood of the scores of a pair; of_count: the part of it that follows from the
 * number of edges n alone, tlv_score_count_evidence(prior, n). */
extern double tlv_score_evidence(const tlv_score_prior *prior, const tlv_score_sums *pair,
								 double of_count);
extern double tlv_score_count_evidence(const tlv_score_prior *prior, double n);

/* The prior of largest evidence for n pairs, and that; weak: one that is hardly stronger than one
 * edge.  Errors: TLV_CANCELLED. */
extern tlv_status tlv_score_fit(tlv_context *ctx, size_t n, const tlv_score_sums *pairs, bool weak,
								tlv_score_prior *prior, double *evidence);

/* The evidence of scores that are alike for all edges: what they add to every partition. */
extern tlv_status tlv_scores_alike(tlv_context *ctx, size_t entries, const tlv_rank_scores *scores,
								   double *evidence);

#endif /* TENSORLV_MMSB_RANKS_H */
