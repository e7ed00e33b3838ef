/*
 * model.h - what a fitted model can do, whatever it is: one record per kind.
 */
#ifndef TENSORLV_MODEL_H
#define TENSORLV_MODEL_H

#include "tensorlv/model/accumulator.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/num/bag.h"
#include "tensorlv/num/frame.h"

/* A model opened for use: parameters, dictionary, work space.  The frame's memory must outlive it.
 */
typedef struct tlv_model tlv_model;

typedef struct tlv_model_class
{
	/* Opens the model. */
	tlv_status (*open)(tlv_context *ctx, const tlv_frame *frame, tlv_model **model);
	/* Number of components. */
	size_t (*components)(const tlv_frame *frame);
	/* Memberships of a bag: components() numbers summing to 1. */
	tlv_status (*infer_bag)(tlv_context *ctx, tlv_model *model, const tlv_bag_image *bag,
							double *shares);
	/* Log-likelihood of a bag given its inferred memberships, nats. */
	tlv_status (*log_likelihood_bag)(tlv_context *ctx, tlv_model *model, const tlv_bag_image *bag,
									 double *value);
	/* The same of a vector of d numbers. */
	tlv_status (*infer_vector)(tlv_context *ctx, tlv_model *model, size_t d, const double *x,
							   double *shares);
	tlv_status (*log_likelihood_vector)(tlv_context *ctx, tlv_model *model, size_t d,
										const double *x, double *value);
	/* Of a sequence (accumulator.h): n x components() posteriors, row by row; its log-likelihood;
	 * its most probable states, from 0. */
	tlv_status (*infer_sequence)(tlv_context *ctx, tlv_model *model, size_t n,
								 const int64_t *symbols, size_t d, const double *x, double *shares);
	tlv_status (*log_likelihood_sequence)(tlv_context *ctx, tlv_model *model, size_t n,
										  const int64_t *symbols, size_t d, const double *x,
										  double *value);
	tlv_status (*decode_sequence)(tlv_context *ctx, tlv_model *model, size_t n,
								  const int64_t *symbols, size_t d, const double *x,
								  int32_t *states);
	/* Of a row of p categorical values, from 0, -1: missing (categories.h): the posteriors of
	 * all hidden variables, then of the row's missing ones, one after the other, each summing
	 * to 1; posterior_size() numbers, 0 when the row does not fit the model. */
	tlv_status (*infer_codes)(tlv_context *ctx, tlv_model *model, size_t p, const int32_t *values,
							  double *posterior);
	size_t (*posterior_size)(tlv_model *model, size_t p, const int32_t *values);
	tlv_status (*log_likelihood_codes)(tlv_context *ctx, tlv_model *model, size_t p,
									   const int32_t *values, double *value);
	/* An accumulator of expected sufficient statistics; method names a refinement, NULL the usual
	 * one. */
	tlv_status (*statistics)(tlv_context *ctx, tlv_model *model, const char *method,
							 tlv_accumulator **accumulator);
	/* An accumulator of held-out likelihood by completion. */
	tlv_status (*completion)(tlv_context *ctx, tlv_model *model, tlv_accumulator **accumulator);
	/* An accumulator of joint document frequencies of every component's top items. */
	tlv_status (*coherence)(tlv_context *ctx, tlv_model *model, size_t top,
							tlv_accumulator **accumulator);
	/* The model after one refinement step with those statistics: a new frame. */
	tlv_status (*update)(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
						 void **image, size_t *size);
} tlv_model_class;

struct tlv_model
{
	const tlv_model_class *class;
	tlv_frame frame;
};

#endif /* TENSORLV_MODEL_H */
