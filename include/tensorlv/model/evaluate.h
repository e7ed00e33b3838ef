/*
 * evaluate.h - an estimate against the truth: partitions, covers (nodes that
 * belong to several communities) and memberships.
 *
 * Each is collected row by row, one row a node, into mergeable counts from which
 * every measure follows:
 *
 *   label_pairs       (a, b): a node's label in either partition; the contingency table
 *   cover_pairs       (a[], b[]): a node's communities in either cover; sizes and intersections
 *   membership_pairs  (a[], b[]): a node's memberships, k and k' numbers; means and co-moments
 *
 * a is the truth and b the estimate where it matters.
 *
 * The room measures.  It does not match models with each other (tlv_match in model.h), and it
 * knows neither how an estimate was made nor what a node is.
 */
#ifndef TENSORLV_EVALUATE_H
#define TENSORLV_EVALUATE_H

#include "tensorlv/model/aggregate.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"

/* ---- partitions ---- */

/* A row is a node's two labels.  Errors: memory, TLV_LIMIT (distinct pairs of labels). */
extern const tlv_aggregate tlv_aggregate_label_pairs;

/*
 * Mutual information over the mean of both entropies, 0 .. 1; 1 when both partitions have one
 * cluster; NaN without nodes.
 */
extern tlv_status tlv_label_nmi(tlv_context *ctx, const tlv_frame *pairs, double *nmi);

/* Rand index adjusted for chance (Hubert, Arabie 1985); 1 for equal partitions; NaN without nodes.
 */
extern tlv_status tlv_label_ari(tlv_context *ctx, const tlv_frame *pairs, double *ari);

/* ---- covers ---- */

/*
 * A row is a node that is in n communities of the one cover and n of the other, perhaps none; a
 * community that is named twice counts once.  Errors: memory, TLV_LIMIT.
 */
extern const tlv_aggregate tlv_aggregate_cover_pairs;

/*
 * Normalised mutual information of covers (Lancichinetti, Fortunato, Kertesz 2009, appendix B):
 * 1 - (H(A|B) + H(B|A)) / 2, H(A|B) the mean over communities A_i of min_j H(A_i | B_j) / H(A_i),
 * only those j with h(P11) + h(P00) > h(P01) + h(P10) taken.  A community of all nodes has no
 * entropy: its term is 0 when the other cover has one, too, else 1.  0 when one cover is empty; NaN
 * when both are.
 */
extern tlv_status tlv_cover_nmi(tlv_context *ctx, const tlv_frame *pairs, double *nmi);

/*
 * Mean F1 score of every community with its best match (Yang, Leskovec 2013), averaged over both
 * directions, 0 .. 1; 0 when one cover is empty; NaN when both are.
 */
extern tlv_status tlv_cover_f1(tlv_context *ctx, const tlv_frame *pairs, double *f1);

/* ---- memberships ---- */

/*
 * A row is a node's memberships: k_a and k_b numbers, the same in every row.  Errors: TLV_BAD_DATA
 * for a number that is not finite (|x| <= 1e100) or rows of other lengths; TLV_LIMIT, memory.
 */
extern const tlv_aggregate tlv_aggregate_membership_pairs;

/* One pair of components. */
typedef struct tlv_component_pair
{
	double correlation; /* Pearson's; NaN where a component does not vary */
	double t;			/* Student's, n - 2 degrees of freedom; NaN likewise, or n < 3 */
	double p_value;		/* right tail: they go together; 1 where t is NaN */
	double q_value;		/* Benjamini, Hochberg 1995, over all k_a k_b pairs */
	double error;		/* mean of |a_i - b_j| over the nodes */
	bool matched;		/* q <= alpha */
	bool assigned;		/* by the one-to-one assignment of least total error */
} tlv_component_pair;

typedef struct tlv_membership_match
{
	size_t k_a;
	size_t k_b;
	double nodes;
	tlv_component_pair *pairs; /* k_a x k_b, row by row: pairs[i * k_b + j] */
	double recovery_ratio;	   /* share of the true components with a match */
	double error;			   /* (1 / k_a) sum of the errors of all matched pairs */
	double l1;				   /* mean of half the L1 distance under the assignment */
} tlv_membership_match;

/*
 * Compares every true component with every estimated one (Huang 2016, 3.4.1, with
 * the right tail).  Where k_a != k_b the assignment fills up with components that are 0 everywhere,
 * and so does l1.  Error: TLV_BAD_PARAMETER when alpha is not in 0 .. 1; TLV_BAD_DATA without
 * nodes.
 */
extern tlv_status tlv_membership_compare(tlv_context *ctx, const tlv_frame *pairs, double alpha,
										 tlv_membership_match *match);

#endif /* TENSORLV_EVALUATE_H */
