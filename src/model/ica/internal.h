/*
 * internal.h - an opened model of independent components.
 */
#ifndef TENSORLV_ICA_INTERNAL_H
#define TENSORLV_ICA_INTERNAL_H

#include "tensorlv/model/ica.h"

typedef struct tlv_ica_model
{
	tlv_model base;
	size_t d;
	size_t k;
	bool noise;
	const double *mean;
	const double *unmixing; /* k x d */
} tlv_ica_model;

/* out = x - mean; refuses other dimensions and numbers that are not finite. */
extern tlv_status tlv_ica_center(tlv_context *ctx, const tlv_ica_model *model, size_t d,
								 const double *x, double *out);

/* Sums over the rows of a pass: kind component_statistics. */
typedef struct tlv_ica_means
{
	size_t k;
	double rows;
	const double *responses;  /* k x k: y g(y)' */
	const double *curvatures; /* k x k: g'(y) (y^2)' */
	const double *slopes;	  /* k: g'(y) */
	const double *products;	  /* k x k: y y'; NULL: the step is to be orthogonal */
} tlv_ica_means;

/* statistics.c: entries of the model class */
extern tlv_status tlv_ica_statistics(tlv_context *ctx, tlv_model *model, const char *method,
									 tlv_accumulator **accumulator);
extern tlv_status tlv_ica_update(tlv_context *ctx, const tlv_frame *model,
								 const tlv_frame *statistics, const tlv_step *step, void **image,
								 size_t *size);

#endif /* TENSORLV_ICA_INTERNAL_H */
