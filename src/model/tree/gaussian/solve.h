/*
 * solve.h - conditioning in a Gaussian tree by elimination of
 * everything that is not seen, from the leaves to the roots (Lauritzen, Wermuth 1989): the
 * precision of all nodes together has blocks on the diagonal and on the edges only, and
 * elimination in that order fills in nothing.
 */
#ifndef TLV_TREE_SOLVE_H
#define TLV_TREE_SOLVE_H

#include "tensorlv/model/tree_gaussian.h"

/* Blocks are column by column; an element is one coordinate of one node, nodes in order. */
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
extern void tlv_tree_gaussian_variances(tree_gaussian *gaussian);

#endif /* TLV_TREE_SOLVE_H */
