/*
 * internal.h - the parts of tree learning: trees of a few nodes, their union, contraction.
 */
#ifndef TENSORLV_TREE_INTERNAL_H
#define TENSORLV_TREE_INTERNAL_H

#include "tensorlv/model/tree_structure.h"

/*
 * A tree over n nodes learned from the distances among them: nodes 0 .. n-1 are those, n .. nodes-1
 * are new.  Lengths are estimates that may be negative.
 */
typedef struct tlv_local_tree
{
	size_t n, nodes, edges;
	int32_t *ends;	/* 2 x edges */
	double *length; /* edges */
} tlv_local_tree;

/* Room for every tree over at most `most` >= 2 nodes. */
extern tlv_status tlv_local_tree_create(tlv_context *ctx, size_t most, tlv_local_tree *local);
extern void tlv_local_tree_free(tlv_context *ctx, tlv_local_tree *local);
extern void tlv_local_tree_add(tlv_local_tree *local, size_t a, size_t b, double length);

/* Neighbour joining (Saitou, Nei 1987); distance (n x n, n >= 2) is overwritten.  O(n^3). */
extern tlv_status tlv_neighbour_joining(tlv_context *ctx, size_t n, double *distance,
										tlv_local_tree *local);

/*
 * Recursive grouping (Choi et al. 2011, section 4): nodes whose distances differ by the same amount
 * towards all others are siblings, or, with inside, children of node 0.  Equality is judged within
 * z standard errors.  distance and error (n x n, n >= 2) are overwritten.  O(n^3) for each level.
 */
extern tlv_status tlv_recursive_grouping(tlv_context *ctx, size_t n, double *distance,
										 double *error, double z, bool inside,
										 tlv_local_tree *local);

/*
 * Contracts edges that are not significantly longer than 0, and measures the others; the tree's
 * lengths so far serve only to say which nodes are near.  The tree is replaced.
 */
extern tlv_status tlv_tree_contract(tlv_context *ctx, const tlv_tree_distances *distances,
									const tlv_tree_options *options, tlv_tree *tree);

#endif /* TENSORLV_TREE_INTERNAL_H */
