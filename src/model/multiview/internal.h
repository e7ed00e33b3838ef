/*
 * internal.h - what the files of multi-view mixtures share.
 *
 * Given the component the views are independent and each a Gaussian of diagonal variances:
 * together that is a diagonal Gaussian of all coordinates, so that steps of EM are those of a
 * diagonal mixture of the views put one behind the other (mixture.h).
 */
#ifndef TENSORLV_MULTIVIEW_INTERNAL_H
#define TENSORLV_MULTIVIEW_INTERNAL_H

#include "tensorlv/num/dictionary.h"
#include "tensorlv/model/support.h"
#include "tensorlv/model/mixture.h"
#include "tensorlv/model/multiview.h"
#include "tensorlv/model/view_solver.h"

/* An open model. */
typedef struct multiview_model
{
	tlv_model base;
	tlv_multiview_parts parts;
	double *joint; /* k */
	/* categories */
	tlv_dictionary dictionary[3];
	double *probabilities[3]; /* k x d_t */
	/* vectors */
	tlv_mixture mixture; /* of all views */
	tlv_mixture_worker worker;
	double *row;   /* of a row the views one behind the other, about the worker's center */
	bool *missing; /* which of its numbers are */
	/* for scores: made when they are first wanted */
	tlv_mixture_scorer scorer;
	double *joined; /* of a row the views one behind the other */
} multiview_model;

static inline bool
is_categorical(const tlv_multiview_parts *parts)
{
	return parts->items[0] != NULL;
}

/* Numbers of components whose p-values are told. */
#define MULTIVIEW_CURVE 32

/* What the dependence of views tells of the number of components. */
typedef struct multiview_rank
{
	size_t k;		   /* the middle of those of the three pairs, 1 at least */
	size_t by_pair[3]; /* 12, 13, 23 */
	double p_value;	   /* that the views are independent, the middle one; NaN: too few rows */
	double enough[MULTIVIEW_CURVE]; /* that so many are, 1 and more; NaN: not asked */
} multiview_rank;

/*
 * The rank of the cross moments, by chi-squared tests of what their smaller singular values leave:
 * of vectors whatever their numbers have to do with each other, which makes the test a cautious
 * one; of categories the most frequent 50 of a view are told apart.  Views of more than
 * TLV_EIGEN_LIMIT numbers are TLV_LIMIT; memory, TLV_CANCELLED.
 */
extern tlv_status tlv_multiview_rank(tlv_context *ctx, const tlv_frame *moments,
									 multiview_rank *found);

/* The sections of the categories of each view. */
extern const char *const tlv_multiview_items[3];

/* What messages call what the components explain least: a number as SQL has it, "sizes"[2], x1[2]
 * where the columns of the query have no names of their own, or a category and its view. */
extern tlv_status tlv_multiview_show_least(tlv_context *ctx, const tlv_frame *moments,
										   const tlv_names *views,
										   const tlv_view_solution *solution, bool vectors,
										   char text[2 * TLV_SHOWN_NAME]);

/* Says that there is nothing to tell components apart, where that is so. */
extern tlv_status tlv_multiview_warn_rank(tlv_context *ctx, double p_value,
										  tlv_diagnostics *diagnostics);

/* Says that the components were begun at random, from so many starts, where that is so. */
extern tlv_status tlv_multiview_warn_random(tlv_context *ctx, double starts, size_t k,
											tlv_diagnostics *diagnostics);

/* The source of category_views; it points into the frame. */
extern void tlv_multiview_cells(const tlv_frame *moments, tlv_view_source *cells);

/* A row's vectors: dimensions, finite, not beyond TLV_MIXTURE_LARGEST; errors name the view. */
extern tlv_status tlv_multiview_check_vectors(tlv_context *ctx, const tlv_multiview_parts *parts,
											  const tlv_part view[3]);

/* Does a view of a row say anything?  A category that the model does not know does not; of one that
 * it knows, the position in the view. */
extern bool tlv_multiview_knows(const multiview_model *model, int view, const tlv_part *part,
								size_t *position);

/* A model of one sort of views and a row of the other. */
extern tlv_status tlv_multiview_refuse_row(tlv_context *ctx, const tlv_multiview_parts *parts);

/* The views of a row of them one behind the other in a vector: into *whole, which points into the
 * row and ids.  TLV_BAD_DATA for another width, and for what is no whole number. */
extern tlv_status tlv_multiview_views_of_row(tlv_context *ctx, const tlv_multiview_parts *parts,
											 const tlv_row *row, tlv_row *whole, int64_t ids[3]);

/* A row whose views are put one behind the other, or the numbers of three categories (model.h). */
extern tlv_status tlv_multiview_impute(tlv_context *ctx, tlv_model *model, const tlv_row *row,
									   tlv_posterior *filled);
extern tlv_status tlv_multiview_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row,
									  tlv_posterior *posterior);
extern tlv_status tlv_multiview_log_likelihood(tlv_context *ctx, tlv_model *model,
											   const tlv_row *row, double *value);

/* Arrays of d_t x k one behind the other: into d x k, d the sum. */
extern void tlv_multiview_join(const size_t d[3], size_t k, const double *const from[3],
							   double *to);

/* The accumulator of a model's statistics, and the model after a step with them (model.h). */
extern tlv_status tlv_multiview_statistics(tlv_context *ctx, tlv_model *model, const char *method,
										   tlv_accumulator **accumulator);
extern tlv_status tlv_multiview_update(tlv_context *ctx, const tlv_frame *model,
									   const tlv_frame *statistics, const tlv_step *step,
									   void **image, size_t *size);

/* The views of vectors one behind the other, about the worker's center: into row (d). */
extern void tlv_multiview_join_row(const multiview_model *model, const tlv_part view[3],
								   double *row);

/* errors.c: the members of the class. */
extern tlv_status tlv_multiview_estimates(tlv_context *ctx, const tlv_frame *model,
										  tlv_estimates *list);
extern tlv_status tlv_multiview_score(tlv_context *ctx, tlv_model *model, const tlv_row *row,
									  tlv_score_sink *sink);
extern tlv_status tlv_multiview_redraw(tlv_context *ctx, const tlv_frame *model,
									   const double *values, void **image, size_t *size);

#endif /* TENSORLV_MULTIVIEW_INTERNAL_H */
