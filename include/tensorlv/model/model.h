/*
 * model.h - what a fitted model can do, whatever it is: one record per kind.
 */
#ifndef TENSORLV_MODEL_H
#define TENSORLV_MODEL_H

#include "tensorlv/model/accumulator.h"
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
	/* Of a row of p categorical values, from 0, -1: missing (category_moments.h): the posteriors of
	 * all hidden variables, then of the row's missing ones, one after the other, each summing
	 * to 1; posterior_size() numbers, 0 when the row does not fit the model. */
	tlv_status (*infer_codes)(tlv_context *ctx, tlv_model *model, size_t p, const int32_t *values,
							  double *posterior);
	size_t (*posterior_size)(tlv_model *model, size_t p, const int32_t *values);
	tlv_status (*log_likelihood_codes)(tlv_context *ctx, tlv_model *model, size_t p,
									   const int32_t *values, double *value);
	/* An accumulator of expected sufficient statistics; method is one of refinements. */
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

/* ---- diagnostics: named numbers and warnings in words, kept with every model ---- */

#define TLV_DIAGNOSTICS_MAX 4096

typedef struct tlv_diagnostics
{
	char *names; /* lines, each ended by '\n'; warnings begin with "warning: " */
	size_t names_length;
	size_t names_room;
	double *values;
	size_t n;
	size_t room;
} tlv_diagnostics;

extern tlv_status tlv_diagnose(tlv_context *ctx, tlv_diagnostics *diagnostics, double value,
							   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Copies those of a model but the named ones (a list that NULL ends, or NULL). */
extern tlv_status tlv_diagnostics_copy(tlv_context *ctx, tlv_diagnostics *diagnostics,
									   const tlv_frame *model, const char *const *except);
/*
 * Reorders the k values from the one called first on: the new i-th is the old order[i]-th.  A
 * model without that name is left as it is.
 */
extern tlv_status tlv_diagnostics_permute(tlv_context *ctx, tlv_diagnostics *diagnostics,
										  const char *first, size_t k, const int64_t *order);
/* Adds the sections "diagnostics" and "diagnostic_names" to a model's frame. */
extern void tlv_diagnostics_add(const tlv_diagnostics *diagnostics, tlv_frame_builder *builder);
/* Checks them in a frame: as many lines as values. */
extern tlv_status tlv_diagnostics_check(tlv_context *ctx, const tlv_frame *model);

#endif /* TENSORLV_MODEL_H */
