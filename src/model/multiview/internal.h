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
#include "tensorlv/model/mixture.h"
#include "tensorlv/model/multiview.h"

/* An open model. */
typedef struct multiview_model
{
	tlv_model base;
	tlv_multiview_parts parts;
	double *log_weights; /* k */
	double *joint;		 /* k */
	/* vectors */
	double *inverse[3];	 /* d_t x k: inverse variances */
	double *constant[3]; /* k: log density at the mean */
	/* categories */
	tlv_dictionary dictionary[3];
	double *probabilities[3]; /* k x d_t */
	/* vectors, for statistics: made when they are first wanted */
	bool prepared;
	tlv_mixture mixture; /* of all views */
	tlv_mixture_worker worker;
} multiview_model;

static inline bool
is_categorical(const tlv_multiview_parts *parts)
{
	return parts->items[0] != NULL;
}

/* A row's vectors: dimensions, finite, not beyond TLV_MIXTURE_LARGEST; errors name the view. */
extern tlv_status tlv_multiview_check_vectors(tlv_context *ctx, const tlv_multiview_parts *parts,
											  const tlv_part view[3]);

/* The position of a category in a view; TLV_BAD_DATA when the model does not know it. */
extern tlv_status tlv_multiview_position(tlv_context *ctx, const multiview_model *model, int view,
										 int64_t category, size_t *position);

/* A model of one sort of views and a row of the other. */
extern tlv_status tlv_multiview_refuse_row(tlv_context *ctx, const tlv_multiview_parts *parts);

/* A row whose views are put one behind the other, or the numbers of three categories (model.h). */
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
									   const tlv_frame *statistics, void **image, size_t *size);

#endif /* TENSORLV_MULTIVIEW_INTERNAL_H */
