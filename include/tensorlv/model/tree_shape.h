/*
 * tree_shape.h - the rooted forest of a tree, and the observed nodes near to each of its nodes.
 *
 * This is a header of the room tree/structure.  Trees are found in tree_structure.h.
 */
#ifndef TENSORLV_TREE_SHAPE_H
#define TENSORLV_TREE_SHAPE_H

#include "tensorlv/model/tree_structure.h"

typedef struct tree_shape
{
	size_t p;
	size_t nodes;
	const int64_t *parent;
	int32_t *order; /* nodes, parents before children */
	size_t *first;	/* nodes + 1: children of v are child[first[v]] .. child[first[v + 1] - 1] */
	int32_t *child;
	int32_t *root;	/* nodes: that of the component */
	int32_t *enter; /* nodes: numbers of a subtree are enter[v] .. leave[v] - 1 */
	int32_t *leave;
} tree_shape;

/* Errors: TLV_CORRUPT when the parents are out of range or go in circles, memory. */
extern tlv_status tlv_tree_shape_create(tlv_context *ctx, size_t p, size_t nodes,
										const int64_t *parent, tree_shape *shape);
extern void tlv_tree_shape_free(tlv_context *ctx, tree_shape *shape);

/* The neighbour of v behind which a lies; -1 when a is v or in another component. */
extern int64_t tlv_tree_direction(const tree_shape *shape, size_t v, size_t a);

/* A learned tree in the model's form. */
typedef struct tree_rooted
{
	int64_t *parent; /* in one block with states */
	double *length;	 /* in one block with error and support */
	double *error;
	double *support;
	int64_t *states; /* zero */
} tree_rooted;
extern tlv_status tlv_tree_rooted_create(tlv_context *ctx, const tlv_tree *tree,
										 tree_rooted *rooted);

/* The nearest observed nodes of a direction, distances beside them. */
#define TREE_NEAR 3
typedef struct tree_near
{
	int n;
	int32_t node[TREE_NEAR];
	double distance[TREE_NEAR];
} tree_near;

/* below[v]: of v's subtree, from v; above[v]: of all else, from v. */
extern tlv_status tlv_tree_nearest(tlv_context *ctx, const tree_shape *shape, const double *length,
								   tree_near *below, tree_near *above);

/* Triples of observed nodes in three directions from a node, the nearest first. */
#define TREE_MOST_CANDIDATES 12
typedef struct tree_candidate
{
	double score; /* sum of the distances */
	int64_t node[3];
} tree_candidate;

typedef struct tree_candidates
{
	size_t n;
	tree_candidate list[TREE_MOST_CANDIDATES];
} tree_candidates;
extern void tlv_tree_list_candidates(const tree_shape *shape, const double *length,
									 const tree_near *below, const tree_near *above, size_t node,
									 tree_candidates *found);

/* The nearest three directions' nearest nodes, without a look at data; false: fewer directions. */
extern bool tlv_tree_nearest_triple(const tree_shape *shape, const double *length,
									const tree_near *below, const tree_near *above, size_t node,
									int64_t triple[3]);

#endif /* TENSORLV_TREE_SHAPE_H */
