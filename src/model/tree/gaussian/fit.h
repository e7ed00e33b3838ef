/*
 * fit.h - what the start of a Gaussian tree's fit and its EM share.
 *
 * All is done with every node standardised to covariance I, the observed variables by the Cholesky
 * factor of their own covariance: a regression is then a cross moment, its singular values are
 * correlations, and what it leaves is I - B B'.
 */
#ifndef TLV_TREE_GAUSSIAN_FIT_H
#define TLV_TREE_GAUSSIAN_FIT_H

#include "solve.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/tree_selection.h"

typedef struct gaussian_fit
{
	tlv_tree_parts parts;
	tree_rooted rooted;
	tree_selection selection;
	size_t d;		 /* columns */
	size_t r;		 /* dimension of hidden nodes */
	size_t hidden;	 /* elements of hidden nodes */
	int64_t *column; /* d */
	size_t *place;	 /* d: the element of every column; packing: solve.h */
	size_t *edge;	 /* nodes + 1 */
	double *s;		 /* d x d, standardised, in the order of elements */
	struct
	{
		double *scale;	   /* Cholesky factors of the variables' covariances: squares of nodes */
		double *means;	   /* d */
		double log_scale;  /* the logarithm of the factors' determinants */
	} columns;			   /* what standardising took off */
	double log_likelihood; /* of a row, once refined */
	double **view[3];	   /* hidden nodes: of every stand-in, its dimension x r */
	double *tables;
	double *noise;
	tree_gaussian g;
	double *kt;		/* d x hidden: means of hidden elements given unit observed ones */
	double *mt;		/* d x hidden: s kt */
	double *factor; /* r x r of hidden nodes */
	tlv_diagnostics diagnostics;
} gaussian_fit;

/* Columns that do not vary get a millionth of the mean variance. */
extern void tlv_tree_floor_constant(tlv_dense_central *central);

/* Singular values of b (m x n) at most `most`. */
extern tlv_status tlv_tree_clip_singular(tlv_context *ctx, size_t m, size_t n, double most,
										 double *b);

/* The noise of all nodes: what their regressions leave of I. */
extern tlv_status tlv_tree_leave_noise(tlv_context *ctx, gaussian_fit *fit);

/* At most the given number of EM iterations on the covariance, which is a sufficient statistic of
 * the rows (Rubin, Thayer 1982). The diagnostics report the result. */
extern tlv_status tlv_tree_gaussian_refine(tlv_context *ctx, gaussian_fit *fit, int iterations);

/* factor_tree.c */

/* The regressions on the one hidden node of a tree of factors. */
extern void tlv_tree_take_factors(gaussian_fit *fit, const tlv_factors *factors);

/* Fits factors beside a refined tree of single numbers and warns where they are the better model.
 */
extern tlv_status tlv_tree_compare_factors(tlv_context *ctx, gaussian_fit *fit);

#endif /* TLV_TREE_GAUSSIAN_FIT_H */
