/*
 * internal.h - what the files of mixtures of Gaussians share.
 */
#ifndef TENSORLV_GMM_INTERNAL_H
#define TENSORLV_GMM_INTERNAL_H

#include "tensorlv/model/dense.h"
#include "tensorlv/model/gmm.h"

/* Rows whose length is farther from 1 have been scaled, and are counted. */
#define GMM_UNIT_TOLERANCE 1e-2

/* The accumulator of a model's statistics. */
extern tlv_status tlv_gmm_statistics(tlv_context *ctx, tlv_model *model, const char *method,
									 tlv_accumulator **accumulator);

/* The model after one step with statistics collected under it. */
extern tlv_status tlv_gmm_update(tlv_context *ctx, const tlv_frame *model,
								 const tlv_frame *statistics, const tlv_step *step, void **image,
								 size_t *size);

/* tlv_gmm_fit where the covariance is chosen. */
extern tlv_status tlv_gmm_fit_any(tlv_context *ctx, const tlv_frame *moments,
								  const tlv_gmm_options *options, void **image, size_t *size);

/* tlv_gmm_fit where k is chosen. */
extern tlv_status tlv_gmm_fit_chosen(tlv_context *ctx, const tlv_frame *moments,
									 const tlv_gmm_options *options, void **image, size_t *size);

/* An open model. */
typedef struct tlv_gmm_model
{
	tlv_model base;
	tlv_mixture mixture;
	tlv_mixture_worker worker;
	double *row;			   /* d */
	tlv_mixture_scorer scorer; /* opened by the first score */
} tlv_gmm_model;

/* One row, checked and made relative to the model's center, or a direction, whose length is
 * returned: 0 where it has none; 1 of others. */
extern tlv_status tlv_gmm_row(tlv_context *ctx, const tlv_gmm_model *model, size_t d,
							  const double *x, double *row, double *length);

/*
 * A mixture refined where it is, up to `steps` steps on a sample or until its mean log-likelihood
 * stands; that mean, and the mean entropy of responsibilities, of the mixture at the end.  floor
 * (d) is that of the whole data.  Errors: memory, TLV_CANCELLED, those of tlv_mixture_expect.
 */
extern tlv_status tlv_gmm_ascend(tlv_context *ctx, const tlv_gmm_sample *rows, const double *floor,
								 int steps, tlv_mixture *mixture, double *log_likelihood,
								 double *entropy);

/* A mixture, and its mean log-likelihood of a row. */
typedef struct gmm_likely
{
	const tlv_mixture *mixture;
	double log_likelihood;
} gmm_likely;

/* Another mixture that is nearly as likely as the best, and divides the rows otherwise. */
typedef struct gmm_another
{
	double behind; /* nats, of all rows */
	double *moved; /* k: rows that a component of the best loses or gains; NULL: there is none */
} gmm_another;

/*
 * Another mixture of the same rows, which becomes *nearest if it is at most 3 nats behind the best,
 * with more than 3 % of the rows in another component, and nearer than the one before; and the
 * warning of the nearest of all, if there is one.  Errors: memory, TLV_CANCELLED, those of
 * tlv_mixture_expect.
 */
extern tlv_status gmm_compare_another(tlv_context *ctx, const tlv_gmm_sample *rows,
									  const gmm_likely *best, const gmm_likely *other,
									  gmm_another *nearest);
extern tlv_status gmm_warn_of_another(tlv_context *ctx, size_t k, const gmm_another *nearest,
									  tlv_diagnostics *diagnostics);

/* The component of each row, label[t], by its responsibility.  Errors: memory, those of
 * tlv_mixture_expect. */
extern tlv_status gmm_assign_rows(tlv_context *ctx, const tlv_gmm_sample *rows,
								  const tlv_mixture *mixture, int32_t *label);

/*
 * Divisions of the rows among k components from those of a mixture of one fewer, of which each in
 * turn is split across its leading principal axis, or of one more, of which each in turn joins the
 * one whose mean is nearest: *label (rows x components of the mixture), from the arena.  Errors:
 * memory, those of tlv_mixture_expect.
 */
extern tlv_status gmm_neighbour_divisions(tlv_context *ctx, const tlv_gmm_sample *rows,
										  const tlv_mixture *from, size_t k, int32_t **label);

/*
 * Has the mixture a component of fewer than d + 1 of n rows with a variance at the floor?  These
 * rows have no covariance of their own: it is the floor that bounds their likelihood, and any
 * number of components could be had so.  Many equal values are a matter of the density.
 */
extern tlv_status gmm_is_degenerate(tlv_context *ctx, const double *floor,
									const tlv_mixture *mixture, double n, bool *degenerate);

/* Components by descending weight.  order: their numbers, or NULL. */
extern void gmm_sort_components(tlv_mixture *mixture, int64_t *order);

/* A mixture's parameters into another of its shape, which becomes one of t distributions if it is.
 */
extern void tlv_gmm_copy(const tlv_mixture *from, tlv_mixture *to);

/* The mixture, of a given shape, of rows that each belong to the component label[t]. */
extern tlv_status tlv_gmm_of_labels(tlv_context *ctx, const tlv_gmm_sample *rows,
									const double *floor, const int32_t *label,
									tlv_mixture *mixture);

/*
 * Where moments are: in all dimensions (basis NULL), or in the directions of a subspace.  Outside
 * of these the data are taken to have the same variance in all directions.
 */
typedef struct gmm_space
{
	size_t dimensions;
	size_t directions;
	const double *basis;  /* dimensions x directions */
	const double *origin; /* dimensions: what direction coordinates are about */
	double outside;		  /* E|r|^2, r the part of a row outside */
	double variance;	  /* the same by direction */
	double *skew;		  /* directions: E[|r|^2 (y - E y)], y the coordinates; NULL: zero */
} gmm_space;

extern tlv_status tlv_gmm_space_open(tlv_context *ctx, const tlv_frame *moments, gmm_space *space);
/* The coordinate whose skewness a spherical mixture explains least; moments are in units of the
 * coordinates, means are not (NULL: neither is). */
extern size_t gmm_least_explained(const tlv_dense_central *moments, const tlv_mixture *mixture,
								  const double *unit);

/* Bytes that a fit to moments of an order in the space takes at most. */
extern double tlv_gmm_fit_memory(const gmm_space *space, int order, const tlv_gmm_options *options);
extern void tlv_gmm_space_close(tlv_context *ctx, gmm_space *space);
/* Means (directions x k), a covariance (directions x directions) in all dimensions; of the
 * covariance, or its diagonal. */
extern tlv_status tlv_gmm_lift_means(tlv_context *ctx, const gmm_space *space, size_t k,
									 const double *means, double *lifted);
extern tlv_status tlv_gmm_lift_variances(tlv_context *ctx, const gmm_space *space,
										 const double *covariance, double *variances);
extern tlv_status tlv_gmm_lift_covariance(tlv_context *ctx, const gmm_space *space,
										  const double *covariance, double *lifted);

/* errors.c: the members of the class. */
extern tlv_status tlv_gmm_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list);
extern tlv_status tlv_gmm_score(tlv_context *ctx, tlv_model *model, const tlv_row *row,
								tlv_score_sink *sink);
extern tlv_status tlv_gmm_redraw(tlv_context *ctx, const tlv_frame *model, const double *values,
								 void **image, size_t *size);

/* The member of the class. */
extern tlv_status tlv_gmm_drift(tlv_context *ctx, const tlv_frame *model,
								const tlv_frame *statistics, tlv_drift *drift);

/* Rows that a comparison of covariances or of tails takes from the sample, at most. */
#define GMM_COMPARED_ROWS 2000.0

#endif /* TENSORLV_GMM_INTERNAL_H */
