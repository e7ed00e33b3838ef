/*
 * solve.h - conditioning in a Gaussian tree by elimination of
 * everything that is not seen, from the leaves to the roots (Lauritzen, Wermuth 1989): the
 * precision of all nodes together has blocks on the diagonal and on the edges only, and
 * elimination in that order fills in nothing.
 */
#ifndef TLV_TREE_SOLVE_H
#define TLV_TREE_SOLVE_H

#include "tensorlv/model/tree_gaussian.h"

/*
 * How it is packed.  An element is one coordinate of one node.  Arrays hold what belongs to
 * elements, to the n x n blocks of nodes, or to the blocks of edges, node x parent, one node after
 * the other and blocks column by column.  Of nodes 0, 1, 2 of 2, 1 and 2 elements (a b, c, d e),
 * 2 the parent of both others:
 *
 *     elements   | a b | c | d e |                         element: 0 2 3 5
 *     blocks     | aa ba ab bb | cc | dd ed de ee |        square:  0 4 5 9
 *     edges      | ad bd ae be | cd ce |                   edge:    0 4 6 6
 *
 * What is not seen of a row is free.  `list` says which of a node's elements are, from the node's
 * first place on, and n_free how many; of b, d and e:
 *
 *     list       | 1 . | . | 0 1 |                         n_free:  1 0 2
 *
 * factor, variance and gain hold the rows and columns of free elements alone, moved together at the
 * beginning of each block's place (so does mean):
 *
 *     factor     | bb . . . | . | dd ed de ee |
 *     gain       | bd be . . | . . |
 */
typedef struct tree_gaussian
{
	const tree_shape *shape;
	const int64_t *states; /* dimensions */
	size_t *element;	   /* nodes + 1: first element of every node */
	size_t *square;		   /* nodes + 1: of its n x n block */
	const size_t *edge;	   /* nodes + 1: of its n x parent's n block */
	double *precision;	   /* diagonal blocks */
	double *cross;		   /* edge blocks: node x parent */
	double log_noise;	   /* sum of the logarithms of the noise's determinants */
	/* of a pattern of free elements */
	bool factored;
	bool *free;		 /* elements */
	int32_t *list;	 /* elements: the free ones of every node, from its first place on */
	int32_t *n_free; /* nodes */
	double *factor;	 /* Cholesky factors of what is left of the diagonal blocks, free x free */
	double *gain;	 /* edge blocks: left diagonal block^-1 cross, free x parent's free */
	double log_free; /* logarithm of the determinant of the free elements' precision */
	/* of a row */
	double *value;	   /* elements: less the mean; 0 where free */
	double *potential; /* elements */
	double *mean;	   /* elements */
	double *work;	   /* most dimensions squared */
	double *variance;  /* diagonal blocks, free x free */
} tree_gaussian;

extern tlv_status tlv_tree_gaussian_create(tlv_context *ctx, const tree_shape *shape,
										   const int64_t *states, const size_t *edge,
										   tree_gaussian *gaussian);
extern void tlv_tree_gaussian_free(tlv_context *ctx, tree_gaussian *gaussian);

/* Sets regressions (edge blocks) and noise (diagonal blocks).  Errors: TLV_BAD_DATA when the noise
 * is not positive definite. */
extern tlv_status tlv_tree_gaussian_set(tlv_context *ctx, tree_gaussian *gaussian,
										const double *tables, const double *noise);

/* Eliminates the elements marked in free. */
extern tlv_status tlv_tree_gaussian_factor(tlv_context *ctx, tree_gaussian *gaussian);

/* Means of the free elements given value; the quadratic form of the seen ones' precision. */
extern double tlv_tree_gaussian_solve(tree_gaussian *gaussian);

/* Variances (diagonal blocks) of the free elements. */
extern tlv_status tlv_tree_gaussian_variances(tlv_context *ctx, tree_gaussian *gaussian);

#endif /* TLV_TREE_SOLVE_H */
