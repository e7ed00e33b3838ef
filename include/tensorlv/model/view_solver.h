/*
 * view_solver.h - from moments of three views to the conditional means of each
 * (views.h): what multi-view mixtures and hidden Markov models share.
 *
 * This is a header of the room of views.  The whitened tensor is decomposed on floor 1
 * (decompose.h), and models are refined in multiview.h and hmm.h.
 */
#ifndef TLV_VIEW_SOLVER_H
#define TLV_VIEW_SOLVER_H

#include "tensorlv/num/decompose.h"
#include "tensorlv/num/em.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/view_sums.h"

/*
 * Moments of three views in coordinates of the solver's own: dense, or counts of triples of
 * categories (of indicator vectors).  Both are sums over `total` rows.
 */
typedef struct tlv_view_source
{
	size_t d[3];
	double total;
	const double *pairs[3]; /* dense: 12, 13, 23; NULL for categories */
	const double *triples;	/* dense: d_1 x d_2 x d_3 */
	size_t n;				/* categories: cells */
	const int64_t *cells;
	const double *counts;
} tlv_view_source;

/*
 * y (l x d_to) = x (l x d_from) E[x_from x_to'], for transposed tall blocks.  Errors: memory,
 * TLV_CANCELLED.
 */
extern tlv_status tlv_view_multiply(tlv_context *ctx, const tlv_view_source *source, int from,
									int to, size_t l, const double *x, double *y);

/* t (k x k x k) = E[x_1 (x) x_2 (x) x_3](a, b, c) for transposed tall blocks a, b, c. */
extern tlv_status tlv_view_compress(tlv_context *ctx, const tlv_view_source *source, size_t k,
									const double *a, const double *b, const double *c, double *t);

typedef struct tlv_view_solution
{
	size_t k;
	size_t n_singular;
	double *singular; /* of E[x_1 x_3'], descending; at least k, k + 1 where there are */
	size_t n_eigenvalues;
	double *eigenvalues; /* of the symmetrised second moment, descending */
	double asymmetry2;	 /* relative, of the second moment before it was made symmetric */
	double asymmetry3;	 /* of the whitened third one */
	tlv_decomposition decomposition;
	double *weights;  /* k, summing to 1 */
	double *means[3]; /* k x d_t: conditional means, in the source's coordinates */
	bool misfit; /* the residual is large: the moments of this coordinate are explained least */
	int least_view;
	size_t least;
} tlv_view_solution;

/*
 * k is at most d_t of every view; words: "components" or "states".  Errors: TLV_NOT_IDENTIFIABLE
 * with the singular values or eigenvalues, those of tlv_decompose.
 */
extern tlv_status tlv_view_solve(tlv_context *ctx, const tlv_view_source *source, size_t k,
								 const tlv_decompose_options *options, const char *words,
								 uint64_t seed, tlv_view_solution *solution);

/* Fills misfit, least_view and least of a solution. */
extern tlv_status tlv_view_find_least(tlv_context *ctx, const tlv_view_source *source,
									  tlv_view_solution *solution);

/* What every fit says of it: order[i] is the component that becomes the i-th; least is what
 * messages call the coordinate of a misfit. */
extern tlv_status tlv_view_diagnose(tlv_context *ctx, const tlv_view_solution *solution,
									const int64_t *order, const char *least,
									tlv_diagnostics *diagnostics);

/*
 * The source of sums of vectors: shifted to `center`, scaled to unit variance, and with one
 * constant coordinate appended to each view, so that the result does not depend on where zero is.
 * unscale_t (d_t + 1 each) is what the solver's coordinates are divided by.
 */
typedef struct tlv_dense_source
{
	tlv_view_source source; /* d_t + 1 */
	double *center[3];		/* d_t */
	double *scale[3];		/* d_t + 1: coordinate = scale (x - center), constant = scale */
	double *block;
} tlv_dense_source;

/* common: one center and scale for all views (windows of a sequence). */
extern tlv_status tlv_dense_source_create(tlv_context *ctx, const tlv_view_sums *sums, bool common,
										  size_t k, tlv_dense_source *dense);

/* Turns solved means of view t (k x (d_t + 1)) into those of the rows (d_t x k). */
extern void tlv_dense_source_means(const tlv_dense_source *dense, int view, size_t k,
								   const double *solved, double *means);

/*
 * packed = the symmetric part of t (k x k x k); returns the Frobenius norm of the asymmetric part
 * relative to that of t.  The squares of the asymmetric part are summed: the square root of a
 * difference of the two norms would be 1e-8 for a symmetric tensor, the root of a rounding error.
 */
extern double tlv_symmetrise3(size_t k, const double *t, double *packed);

/* The warnings follow their components into the order of weights (tlv_order_weights,
 * tlv_warnings_permute).  Errors: memory. */
extern tlv_status tlv_warnings_follow_weights(tlv_context *ctx, tlv_diagnostics *diagnostics,
											  size_t k, const double *weights);

/*
 * Classes of d categories: the most - 1 most frequent ones have one each, by decreasing count, the
 * others the last one together.  *classes is how many there are, min(d, most); time d times most.
 */
extern tlv_status tlv_frequent_classes(tlv_context *ctx, size_t d, const double *counts,
									   size_t most, int32_t *class, size_t *classes);

/* Columns of a transposed k x d block as probability vectors: negative entries cut, normalised. */
extern void tlv_clip_probabilities(size_t k, size_t d, double *block, double *negative);

/* ---- expectations over counted triples (EM) ---- */

/*
 * With p_n = sum_j a[j, n_1] b[j, n_2] c[j, n_3] over the cells n (a, b, c: k x d_t):
 * ga[j, i] = sum over n with n_1 = i of count_n / p_n b[j, n_2] c[j, n_3], and so on; the mean
 * of ln p_n over the rows.
 */
extern tlv_status tlv_cell_expectations(tlv_context *ctx, const tlv_view_source *source, size_t k,
										const double *a, const double *b, const double *c,
										double *ga, double *gb, double *gc, double *likelihood);

/* A mixture of three categories that are independent given the component, whose parameters change
 * in place. */
typedef struct tlv_cell_mixture
{
	const tlv_view_source *source;
	size_t k;
	double *weights;  /* k */
	double *means[3]; /* k x d_t */
	/* Added to the expected count of every category of a component; 0: tlv_category_prior. */
	double prior;
} tlv_cell_mixture;

/* Its refinement on the counts, of which em says how long it goes on.  Errors: memory,
 * TLV_CANCELLED. */
extern tlv_status tlv_cell_refine(tlv_context *ctx, const tlv_cell_mixture *own, tlv_em *em);

#endif /* TLV_VIEW_SOLVER_H */
