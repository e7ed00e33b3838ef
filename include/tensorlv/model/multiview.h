/*
 * multiview.h - mixtures seen through three views that are independent given
 * the hidden component: vectors of any distribution, or categories (the latent
 * class model), by the method of moments (Anandkumar, Ge, Hsu, Kakade,
 * Telgarsky 2014, section 3.3 and theorem 3.6).
 *
 * The room contains the fit to moments, refinement, the rank test that chooses k, and simulation.
 * Moments of views are in views.h, the solver that hidden Markov models share in view_solver.h,
 * and more than three variables of categories in membership.h.
 */
#ifndef TENSORLV_MULTIVIEW_H
#define TENSORLV_MULTIVIEW_H

#include "tensorlv/num/decompose.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/num/names.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/views.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/rng.h"

typedef struct tlv_multiview_options
{
	size_t k;		/* 0: chosen, by the rank of the cross moments of views */
	size_t max_k;	/* then at most so many; 0: no fewer */
	int iterations; /* of EM on the counts of categories, -1: until the likelihood converges */
	uint64_t seed;
	tlv_decompose_options decompose;
	const tlv_names *names; /* of the views, for messages; NULL: they have none */
} tlv_multiview_options;

/*
 * Fits k components to view_moments or category_views.  The model's frame: "weights" (k,
 * descending), "means<t>" (d_t x k: conditional means; of categories their probabilities),
 * of vectors "variances<t>" (d_t x k) and "floor<t>" (d_t: the least variance), of categories
 * "items<t>" (d_t) and, where some are told by name, "category_offsets" and "category_names" (of
 * the three views' categories one behind the other, names.h), "rows", "steps" of refinement over
 * rows, "seed", diagnostics.
 * Views 1 and 3 are mapped to view 2 by linear regression on each other, the second and third
 * moment of what results are whitened and decomposed, views 1 and 3 follow by regression.
 * Of vectors all components get the variance that the means leave: a start for refinement.
 * k = 0: the middle of the ranks of the three cross moments, by chi-squared tests, less where the
 * moments identify fewer; 1 where the views are independent, which a warning says of any k.
 * Errors: TLV_BAD_PARAMETER when k is more than a view has dimensions (categories),
 * TLV_BAD_DATA when there are fewer rows than components or no number varies,
 * TLV_NOT_IDENTIFIABLE when a view is constant or with the singular values of the views' cross
 * moment, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_multiview_fit(tlv_context *ctx, const tlv_frame *moments,
									const tlv_multiview_options *options, void **image,
									size_t *size);

/* What it takes to write a multi-view model; components are put in order of weight. */
typedef struct tlv_multiview_parts
{
	size_t k;
	size_t d[3];
	double rows;
	double steps; /* of refinement over rows */
	double seed;
	const double *weights;		/* k */
	const double *means[3];		/* d_t x k */
	const double *variances[3]; /* d_t x k; NULL for categories */
	const double *floors[3];	/* d_t: least variances; NULL for categories */
	const int64_t *items[3];	/* d_t; NULL for vectors */
	/* names of the items of all views, d_1 + d_2 + d_3 and one offset; NULL: they are numbers */
	const int64_t *category_offsets;
	const char *category_names;
	size_t category_ends, category_bytes; /* offsets and bytes, where they are */
	int64_t *order; /* k: gets the order that they are written in; NULL: not wanted */
	tlv_diagnostics *diagnostics;
} tlv_multiview_parts;

/*
 * The frame of these parts, components by decreasing weight; weights and, of categories, the
 * probabilities of every component are kept above 1e-10 and variances above 1e-200.  Of categories
 * the probabilities are normalised again.  diagnostics go along with the order.  *image comes from
 * the arena.  Errors: memory, numbers that are not finite.
 */
extern tlv_status tlv_multiview_write(tlv_context *ctx, const tlv_multiview_parts *parts,
									  void **image, size_t *size);

/* The parts of a stored model; they point into it. */
extern void tlv_multiview_read(const tlv_frame *frame, tlv_multiview_parts *parts);

/* What the categories of a view (0, 1, 2) are called; empty: they are numbers. */
extern tlv_name_list tlv_multiview_names(const tlv_multiview_parts *parts, int view);

/* Has one of them a name? */
extern bool tlv_multiview_is_named(const tlv_multiview_parts *parts, int view);

/* Free parameters: weights, and means and variances or probabilities of every view. */
extern double tlv_multiview_parameters(const tlv_multiview_parts *parts);

/* Most components of a model. */
#define TLV_VIEW_MOST_COMPONENTS 10000

/* ---- rows under a model ---- */

/*
 * infer: the posterior of the components given the views that are known (others say nothing), by
 * Gaussians of diagonal variances or by the probabilities of categories; log_likelihood: the
 * logarithm of the density (probability) of these views.  A row is three views, or, as a vector,
 * their numbers or categories one behind the other.  Errors, naming the view: TLV_BAD_PARAMETER for
 * vectors under a model of categories and the reverse, TLV_BAD_DATA for another number of
 * dimensions, numbers that are not finite or beyond 1e100, a category that the model does not know.
 */

/*
 * Assigns components of b to those of a with the least total error: assignment[j] is the
 * component of b for j of a, from 0, or -1 when b has fewer; error[j] theirs, NaN without.  Error
 * of vectors: Euclidean distance of the means of all views together; of categories: the L1
 * distance of their probabilities, 0 .. 2, mean over the views; a category that one model does not
 * know has probability 0 there.  Errors: TLV_BAD_PARAMETER for unlike views, memory,
 * TLV_CANCELLED.
 */
extern tlv_status tlv_multiview_match(tlv_context *ctx, const tlv_multiview_parts *a,
									  const tlv_multiview_parts *b, int64_t *assignment,
									  double *error);
/* ---- from rows to a model, as a procedure (source.h) ---- */

typedef enum tlv_multiview_refinement
{
	TLV_MULTIVIEW_REFINE_AUTO, /* categories yes, vectors no */
	TLV_MULTIVIEW_REFINE_EM,   /* of vectors a pass a step; of categories on the stored counts */
	TLV_MULTIVIEW_REFINE_NONE  /* the moments' answer as it is */
} tlv_multiview_refinement;

/* 'auto', 'em', 'none', in the order of the enumeration; NULL ends them. */
extern const char *const tlv_multiview_refinement_names[];

typedef struct tlv_multiview_learn_options
{
	tlv_multiview_options fit; /* its iterations follow from these */
	tlv_multiview_refinement refine;
	int iterations; /* -1: until the likelihood converges, 100 passes or 1000 steps on counts at
					 * most
					 */
} tlv_multiview_learn_options;

/*
 * Passes: view_moments or category_views, as source->rows.form is TLV_ROW_VIEWS or
 * TLV_ROW_CATEGORIES, then view_statistics for every step over vectors, and once more for the
 * likelihood at the end.  Errors: those of tlv_multiview_fit and of the steps.
 */
extern const tlv_procedure tlv_multiview_procedure; /* its options are these */

/* ---- simulation ---- */

typedef struct tlv_multiview_simulation
{
	size_t k;
	size_t d[3]; /* dimensions, or numbers of categories */
	bool categories;
	double separation;	  /* vectors: typical distance of two means in each view */
	double concentration; /* categories: of the symmetric Dirichlet law of their probabilities */
	uint64_t seed;
} tlv_multiview_simulation;

/*
 * A random true model: weights Dirichlet(10); of vectors normal means and standard deviations
 * uniform on .5 .. 1.5 by component and coordinate; of categories, 1, 2, ... in each view.
 * Errors: TLV_BAD_PARAMETER, memory.
 */
extern tlv_status tlv_multiview_random(tlv_context *ctx, const tlv_multiview_simulation *options,
									   void **image, size_t *size);

/* Draws a row, into x[t] (d_t) or category; returns its component, from 0. */
extern size_t tlv_multiview_draw(const tlv_multiview_parts *parts, tlv_rng *rng, double *const x[3],
								 int64_t category[3]);

#endif /* TENSORLV_MULTIVIEW_H */
