/*
 * internal.h - one step of expectation maximisation for mixtures of Gaussians: what its
 * files share.
 *
 * Rows are taken relative to a center, the mixture's own mean: with variances of at least
 * TLV_GMM_FLOOR of the data's, sums of squares about it lose at most half the digits.
 */
#ifndef TENSORLV_GMM_INTERNAL_H
#define TENSORLV_GMM_INTERNAL_H

#include "tensorlv/model/gmm.h"

/* Rows of a block. */
#define GMM_BLOCK 128

/* Expected sufficient statistics about the center. */
typedef struct gmm_sums
{
	double rows;
	double log_likelihood;	  /* of the rows, nats */
	double *responsibilities; /* k: sum_t r_tj */
	double *sums;			  /* d x k: sum_t r_tj (x_t - c) */
	double *squares; /* sum_t r_tj of |x_t - c|^2 (k), squares (d x k) or products (packed x k) */
} gmm_sums;

extern tlv_status tlv_gmm_sums_create(tlv_context *ctx, const tlv_mixture *mixture, gmm_sums *sums);
extern void tlv_gmm_sums_clear(const tlv_mixture *mixture, gmm_sums *sums);
extern void tlv_gmm_sums_free(tlv_context *ctx, gmm_sums *sums);

/* A mixture prepared for blocks of rows. */
typedef struct gmm_worker
{
	const tlv_mixture *mixture;
	bool given_center;
	double *center;	  /* d */
	double *constant; /* k: log density at the center, log weight included */
	double *linear;	  /* d x k: inverse variances times (mean - center); full: L^-1 of it */
	double *inverse;  /* inverse variances: k or d x k; full: d x d x k, L^-1 transposed of
					   * S = L L'; full of few dimensions: packed x k, the quadratic form */
	/* of a block */
	double *squares; /* block: |x|^2; d x block: squares, or L^-1 x; block x packed: products */
	double *scaled;	 /* d x block, full: the rows transposed, then weighted */
	double *product; /* d x d, full */
	double *shares;	 /* block x k: log densities, then responsibilities */
	double *density; /* block: log density of a row */
	double *total;	 /* block */
} gmm_worker;

/*
 * A worker for a mixture's shape, about the given center (NULL: the mixture's mean), and its
 * preparation, anew whenever the mixture has changed; create is both, about the mean.  TLV_BAD_DATA
 * when a covariance is not positive definite.
 */
extern tlv_status tlv_gmm_worker_open(tlv_context *ctx, const tlv_mixture *mixture,
									  const double *center, gmm_worker *worker);
extern tlv_status tlv_gmm_worker_prepare(tlv_context *ctx, gmm_worker *worker);
extern tlv_status tlv_gmm_worker_create(tlv_context *ctx, const tlv_mixture *mixture,
										gmm_worker *worker);
extern void tlv_gmm_worker_free(tlv_context *ctx, gmm_worker *worker);

/*
 * n <= GMM_BLOCK rows x (d x n, relative to the center): worker->shares and density, and
 * their statistics are added to sums (NULL: not wanted).
 */
extern tlv_status tlv_gmm_expect(tlv_context *ctx, gmm_worker *worker, size_t n, const double *x,
								 gmm_sums *sums);

/* The same for rows that each belong to the component label[t], certainly; nothing of the
 * likelihood. */
extern tlv_status tlv_gmm_add_labelled(tlv_context *ctx, gmm_worker *worker, size_t n,
									   const double *x, const int32_t *label, gmm_sums *sums);

/*
 * The mixture that maximises the expected likelihood, with its variances kept at floor (d) or
 * above: into mixture, whose parameters before are those the sums belong to (a
 * component without rows keeps its own).
 */
extern void tlv_gmm_maximize(const gmm_sums *sums, const double *center, const double *floor,
							 tlv_mixture *mixture);

/* Lloyd's iteration from several starts; all arrays are the caller's. */
typedef struct gmm_lloyd
{
	size_t n;
	size_t d;
	const double *rows; /* d x n */
	size_t k;
	size_t starts;
	const double *metric; /* d x starts: what squared differences of a coordinate count */
	const int *steps;	  /* starts: at most; 0: only to the nearest center */
	double *centers;	  /* d x k x starts; at first those to begin with */
	int32_t *label;		  /* n x starts, found: the nearest center of every row */
	double *gain;		  /* starts, found: half of what the centers take off the sum of squares */
} gmm_lloyd;

/* Fills the centers by k-means++ among the rows. */
extern tlv_status tlv_gmm_seed_lloyd(tlv_context *ctx, const gmm_lloyd *task, tlv_rng *rng);
/* Every start until it stands, or its steps are done; a center without rows stays where it is. */
extern tlv_status tlv_gmm_run_lloyd(tlv_context *ctx, const gmm_lloyd *task);

/* The accumulator of a model's statistics. */
extern tlv_status tlv_gmm_statistics(tlv_context *ctx, tlv_model *model, const char *method,
									 tlv_accumulator **accumulator);

/* The model after one step with statistics collected under it. */
extern tlv_status tlv_gmm_update(tlv_context *ctx, const tlv_frame *model,
								 const tlv_frame *statistics, void **image, size_t *size);

/* An open model. */
typedef struct tlv_gmm_model
{
	tlv_model base;
	tlv_mixture mixture;
	gmm_worker worker;
	double *row; /* d */
} tlv_gmm_model;

/* One row, checked and made relative to the model's center. */
extern tlv_status tlv_gmm_row(tlv_context *ctx, const tlv_gmm_model *model, size_t d,
							  const double *x, double *row);

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
extern void tlv_gmm_space_close(tlv_context *ctx, gmm_space *space);
/* Means (directions x k), a covariance (directions x directions) in all dimensions; of the
 * covariance, or its diagonal. */
extern tlv_status tlv_gmm_lift_means(tlv_context *ctx, const gmm_space *space, size_t k,
									 const double *means, double *lifted);
extern tlv_status tlv_gmm_lift_variances(tlv_context *ctx, const gmm_space *space,
										 const double *covariance, double *variances);
extern tlv_status tlv_gmm_lift_covariance(tlv_context *ctx, const gmm_space *space,
										  const double *covariance, double *lifted);

#endif /* TENSORLV_GMM_INTERNAL_H */
