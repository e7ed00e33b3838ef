/*
 * tree_gaussian.h - trees of Gaussian variables: distances and regressions from the covariance
 * alone, factors that act on all of them, and conditioning in them.
 *
 * This is the header of the room tree/gaussian.  The structure is found from distances alone in
 * tree_structure.h; categories are in tree_parameters.h, and moments in dense.h.
 */
#ifndef TENSORLV_TREE_GAUSSIAN_H
#define TENSORLV_TREE_GAUSSIAN_H

#include "tensorlv/model/tree_belief.h"
#include "tensorlv/num/rng.h"

/* ---- fitting ---- */

/* tlv_tree_distances_compute (tree_learn.h) of dense_moments. */
extern tlv_status tlv_tree_distances_dense(tlv_context *ctx, const tlv_frame *moments,
										   const tlv_tree_distance_options *options,
										   tlv_tree_distances *distances);

/* tlv_tree_fit (tree.h) of dense_moments. */
extern tlv_status tlv_tree_gaussian_fit(tlv_context *ctx, const tlv_frame *moments,
										const tlv_tree *tree, const tlv_tree_fit_options *options,
										void **image, size_t *size);

/*
 * Dense moments of order 2 whose covariance is drawn from the Wishart distribution with the given
 * moments' covariance and rows - 1 degrees of freedom, divided by these (Bartlett's
 * decomposition, Smith and Hocking 1972).  Errors: TLV_LIMIT for more than TLV_EIGEN_LIMIT columns.
 */
typedef struct tlv_wishart tlv_wishart;
extern tlv_status tlv_wishart_create(tlv_context *ctx, const tlv_frame *moments, uint64_t seed,
									 tlv_wishart **wishart);
extern tlv_status tlv_wishart_draw(tlv_context *ctx, tlv_wishart *wishart, void **image,
								   size_t *size);
extern void tlv_wishart_free(tlv_context *ctx, tlv_wishart *wishart);

/* ---- factors ---- */

/* No variable of a factor analysis is left less of its variance by the factors. */
#define TLV_FACTORS_LEAST_NOISE 2e-4
/* Most variables. */
#define TLV_FACTORS_MOST_VARIABLES 500

typedef struct tlv_factors
{
	size_t q;
	double *loadings;	   /* d x q, column by column; NULL without factors */
	double log_likelihood; /* of a standardised row */
	double parameters;	   /* means and variances among them */
} tlv_factors;

/* Most factors that d variables identify (Ledermann 1937), at most 100; 0 for d < 3. */
extern size_t tlv_factors_most(size_t d);

/*
 * Factor analysis of d correlations r (d x d) by maximum likelihood: r = L L' + a diagonal.  q = 0:
 * the number of factors by the Bayesian information criterion, 0 where no factor is better.
 * At most `steps` of EM once it is known.  O(d^3 + d^2 q) for each number that is tried.  Errors:
 * TLV_LIMIT for more than TLV_EIGEN_LIMIT variables, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_factors_fit(tlv_context *ctx, size_t d, const double *r, double rows,
								  size_t q, int steps, tlv_factors *factors);

/*
 * The factors of dense_moments (q = 0: their number is chosen) and their tree: one hidden node
 * above all variables, to which tlv_tree_fit gives the loadings; without factors all variables
 * apart. Lengths are those of the variables' correlations with what the factors say of them.
 * Errors: those of tlv_factors_fit, TLV_BAD_DATA for a constant variable, TLV_NOT_IDENTIFIABLE for
 * too large a q, TLV_LIMIT for more than TLV_FACTORS_MOST_VARIABLES.
 */
extern tlv_status tlv_tree_factors(tlv_context *ctx, const tlv_frame *moments, size_t q,
								   tlv_factors *factors, tlv_tree *tree);

/* The Bayesian information criterion as a log-likelihood of a row: larger is better. */
extern double tlv_factors_criterion(double log_likelihood, double parameters, double rows);

/* ---- inference ---- */

/* Of the model class (model.h); open is what a model of Gaussian variables needs more. */
extern tlv_status tlv_tree_gaussian_open(tlv_context *ctx, tree_model *model);
extern tlv_status tlv_tree_gaussian_log_likelihood(tlv_context *ctx, tlv_model *model, size_t d,
												   const double *x, double *value);

/*
 * Posteriors given a row (NaN: missing): the means of the hidden nodes' elements, a block for each
 * node, followed by those of the missing elements, and their variances (NULL: not wanted).
 */
extern tlv_status tlv_tree_infer_gaussian(tlv_context *ctx, tlv_model *model, size_t d,
										  const double *x, tlv_posterior *means,
										  tlv_posterior *variances);

/* ---- small dense blocks: mostly of one element ---- */

/* As tlv_cholesky and tlv_solve_triangle, which wide blocks are left to. */
extern tlv_status tlv_small_cholesky(tlv_context *ctx, size_t n, double *a);
extern tlv_status tlv_small_solve(tlv_context *ctx, size_t n, size_t m, const double *l,
								  bool transposed, double *x);
/* x (n) = L^-1 x or L'^-1 x: n^2 operations. */
extern void tlv_small_substitute(size_t n, const double *l, bool transposed, double *x);

#endif /* TENSORLV_TREE_GAUSSIAN_H */
