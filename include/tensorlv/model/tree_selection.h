/*
 * tree_selection.h - the triples of observed nodes that hidden ones are learned from, and cross
 * moments of hidden nodes from those of what stands for them.
 *
 * This is a header of the room tree/parameters.  A triple is decomposed in view_solver.h.
 */
#ifndef TENSORLV_TREE_SELECTION_H
#define TENSORLV_TREE_SELECTION_H

#include "tensorlv/model/tree_parameters.h"

typedef struct tree_selection
{
	tree_shape shape;
	const int64_t *states;
	const int64_t *triples; /* 3 x hidden; -1 where there is none */
	int64_t *direction;		/* 3 x hidden: neighbours of the hidden node */
} tree_selection;

/* Errors: TLV_CORRUPT when a triple is not in three directions, memory. */
extern tlv_status tlv_tree_selection_create(tlv_context *ctx, const tlv_tree_parts *parts,
											tree_selection *selection);
extern void tlv_tree_selection_free(tlv_context *ctx, tree_selection *selection);

/* Which observed nodes stand for node on its edge to other; their number, at most 3. */
extern size_t tlv_tree_stand_ins(const tree_selection *selection, size_t node, size_t other,
								 size_t stand[3]);

/* Numbers in all tables of pairs; in the table of triples of hidden node j. */
extern double tlv_tree_pair_entries(const tree_selection *selection);
extern size_t tlv_tree_triple_entries(const tree_selection *selection, size_t hidden);

/* One end of an edge and what stands for it: E[stand-in a | end] = A_a. */
typedef struct tree_side
{
	size_t k;			/* columns of all A */
	size_t n;			/* stand-ins */
	size_t d[3];		/* rows of A */
	const double *a[3]; /* d x k, column by column; NULL: the identity */
} tree_side;

/*
 * J of least sum |P_ac - A_a J A_c'|^2 over the stand-ins a of u and c of v, at
 * [x_u * k_v + x_v]; pairs[a * v.n + c]: P_ac at [x_a * d_c + x_c].
 */
extern tlv_status tlv_tree_cross_solve(tlv_context *ctx, const tree_side *u, const tree_side *v,
									   const double *const *pairs, double *joint);

#endif /* TENSORLV_TREE_SELECTION_H */
