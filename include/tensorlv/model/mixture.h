/*
 * mixture.h - the parameters of mixtures of Gaussians and of multivariate t distributions, of any
 * form of covariance, and of von Mises-Fisher distributions of directions, and a step of
 * expectation maximisation: what all models that are such mixtures share.
 *
 * A t distribution of nu degrees of freedom is a Gaussian of covariance S / u, u drawn for every
 * row from a gamma distribution of mean 1 and shape nu / 2: rows far out have a small u, and count
 * so much less.  S, its scale, is what "variances" are then; the covariance is nu / (nu - 2) S.
 *
 * A component of directions has a mean direction mu and a concentration kappa, which is its
 * "variance" here; of rows x of length 1 and d numbers its density is C_d(kappa) exp(kappa mu'x),
 * C_d(kappa) = kappa^v / ((2 pi)^(d/2) I_v(kappa)) with v = d/2 - 1 (Mardia, Jupp 2000).  Where
 * kappa is large the directions scatter about mu with a variance of 1/kappa in each of d - 1
 * dimensions.
 *
 * Rows, but directions, are taken relative to a center, the mixture's own mean: with variances of
 * at least TLV_MIXTURE_FLOOR of the data's, sums of squares about it lose at most half the digits.
 *
 * The room does not know where parameters come from: the models that use it are in gmm.h, hmm.h
 * and multiview.h.  The loop of expectation maximisation is that of all models (source.h, and em.h
 * on floor 1).
 */
#ifndef TENSORLV_MIXTURE_H
#define TENSORLV_MIXTURE_H

#include <math.h>

#include "tensorlv/model/errors.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/context.h"

typedef enum tlv_covariance
{
	TLV_COVARIANCE_COMMON,	  /* one variance for all components and coordinates */
	TLV_COVARIANCE_SPHERICAL, /* one for every component */
	TLV_COVARIANCE_DIAGONAL,  /* one for every component and coordinate */
	TLV_COVARIANCE_FULL,	  /* a matrix for every component */
	TLV_COVARIANCE_TIED,	  /* one matrix for all components */
	TLV_COVARIANCE_DIRECTION  /* no Gaussians: a concentration for every component of directions */
} tlv_covariance;

#define TLV_COVARIANCES 5 /* how many there are of Gaussians */

/* Is the covariance of a component a matrix? */
static inline bool
tlv_is_matrix(tlv_covariance covariance)
{
	return covariance == TLV_COVARIANCE_FULL || covariance == TLV_COVARIANCE_TIED;
}

/* Do all components have the same covariance? */
static inline bool
tlv_is_shared(tlv_covariance covariance)
{
	return covariance == TLV_COVARIANCE_COMMON || covariance == TLV_COVARIANCE_TIED;
}

/* Degrees of freedom are between these; at the upper end a t distribution is a Gaussian for all
 * practical purposes.  Where they start. */
#define TLV_LEAST_DEGREES 1.0
#define TLV_MOST_DEGREES  200.0
#define TLV_FIRST_DEGREES 5.0

/* The parameters.  What all components share is held k times. */
typedef struct tlv_mixture
{
	size_t k;
	size_t d;
	tlv_covariance covariance;
	double *weights;   /* k, positive, summing to 1 */
	double *means;	   /* d x k */
	double *variances; /* k, k, d x k, d(d+1)/2 x k, or k concentrations */
	double *degrees;   /* k: degrees of freedom of t distributions; NULL: Gaussians */
} tlv_mixture;

/* Numbers of variances of one component; free parameters of the whole mixture. */
extern size_t tlv_mixture_variances(size_t d, tlv_covariance covariance);
extern double tlv_mixture_parameters(size_t k, size_t d, tlv_covariance covariance, bool tails);

/* Arrays for the parameters from the arena, zeroed; and back.  They are Gaussians; as t
 * distributions, they have TLV_FIRST_DEGREES degrees of freedom. */
extern tlv_status tlv_mixture_create(tlv_context *ctx, size_t k, size_t d,
									 tlv_covariance covariance, tlv_mixture *mixture);
extern void tlv_mixture_free(tlv_context *ctx, tlv_mixture *mixture);
extern void tlv_mixture_use_tails(tlv_mixture *mixture);

/* Largest k and d that a model may have. */
#define TLV_MIXTURE_MOST_COMPONENTS 10000
#define TLV_MIXTURE_MOST_DIMENSIONS 4000
/* Largest modulus of a number in a row. */
#define TLV_MIXTURE_LARGEST 1e100

/* Every variance is at least this part of the whole data's in the same coordinate. */
#define TLV_MIXTURE_FLOOR 1e-6

/* What a column of the data holds that bounds the variances within components. */
typedef struct tlv_mixture_column
{
	double variance;
	double unit;  /* the values differ by its multiples; 0: by multiples of none that matters */
	double value; /* the most frequent one */
	double share; /* proportion of the rows that have it */
} tlv_mixture_column;

/*
 * Looks at n values x[0], x[d], ..., of that variance, in random order: the most frequent value is
 * that of the first 2000.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_mixture_look_at_column(tlv_context *ctx, size_t n, size_t d, const double *x,
											 double variance, tlv_mixture_column *column);

/*
 * Least variances (d) for data of the given variances: TLV_MIXTURE_FLOOR of each, of their mean
 * where a coordinate is constant, and of 1 when all are.  In a column (d, or NULL: not known) of
 * multiples of a unit it is unit^2 / (2 pi), at most the column's own variance: a Gaussian of less
 * gives more than all of its probability to the interval that is rounded to one value.
 */
extern tlv_status tlv_mixture_floor(tlv_context *ctx, size_t d, const double *variance,
									const tlv_mixture_column *columns, double *floor);

/* Raises the eigenvalues of a covariance (d x d) in units of the floor to 1, which maximises the
 * likelihood of variances at the floor or above in every direction.  Errors: memory, TLV_CANCELLED,
 * TLV_BAD_DATA for numbers that are not finite. */
extern tlv_status tlv_mixture_raise(tlv_context *ctx, size_t d, const double *floor,
									double *covariance);

/* The part that each column has in the directions in which a covariance (d x d) is at the floor, 0
 * to 1 (d).  Errors: those of tlv_eigen_symmetric. */
extern tlv_status tlv_mixture_floor_shares(tlv_context *ctx, size_t d, const double *covariance,
										   const double *floor, double *shares);

/* How many components have variances, in any direction of a full covariance, at the floor (d), or
 * the largest concentration. */
extern tlv_status tlv_mixture_at_floor(tlv_context *ctx, const tlv_mixture *mixture,
									   const double *floor, size_t *found);

/* ---- directions ---- */

/* Largest kappa by number of dimensions: components of equal rows have it. */
#define TLV_DIRECTIONS_MOST_KAPPA 1e6

/* log C_d(kappa), d >= 2. */
extern double tlv_directions_log_norm(size_t d, double kappa);

/*
 * The kappa of which directions of d numbers have a mean of this length: I_v+1(kappa) / I_v(kappa)
 * = length.  Start: Banerjee et al. 2005; Newton's steps: Sra 2012.  Within 0 and the largest.
 */
extern double tlv_directions_kappa(size_t d, double length);

/* The length of the mean of such directions: the inverse. */
extern double tlv_directions_length(size_t d, double kappa);

/* A row by its length, which is returned: 0 where it has none; x and row may be the same.  Errors:
 * TLV_BAD_DATA for numbers that are not finite or beyond TLV_MIXTURE_LARGEST. */
extern tlv_status tlv_directions_row(tlv_context *ctx, size_t d, const double *x, double *row,
									 double *length);

/* TLV_BAD_DATA for a row without a length. */
extern tlv_status tlv_directions_refuse_zeros(tlv_context *ctx);

/*
 * A row (d) whose missing numbers are those that are expected given the others: filled (d) gets
 * sum_j share_j E[x_i | the others, component j]; a component's matrix must be the full one,
 * packed. shares (k) of the components, or NULL: their posterior given the numbers that are there.
 * Errors: TLV_BAD_DATA for a number beyond TLV_MIXTURE_LARGEST, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_mixture_impute(tlv_context *ctx, const tlv_mixture *mixture,
									 const double *shares, const double *x, const bool *missing,
									 double *filled);

/*
 * What the numbers that are there say of a row (d): shares (k) of the components, and the logarithm
 * of its density in them.  Where none is there, the weights, and 0.  Of directions only that of
 * these numbers counts, and the density is that of directions of as many dimensions.  Errors: those
 * of tlv_mixture_impute, TLV_BAD_DATA for zeros alone in the place of a direction.
 */
extern tlv_status tlv_mixture_infer_given(tlv_context *ctx, const tlv_mixture *mixture,
										  const double *x, const bool *missing, double *shares,
										  double *log_likelihood);

/* ---- expectation and maximisation ---- */

/* Rows of a block. */
#define TLV_MIXTURE_BLOCK 128

/* Expected sufficient statistics about the center. */
typedef struct tlv_mixture_sums
{
	double rows;
	double log_likelihood;	  /* of the rows, nats */
	double entropy;			  /* of their responsibilities, nats */
	double *responsibilities; /* k: sum_t r_tj */
	double *sums;			  /* d x k: sum_t r_tj (x_t - c) */
	double *squares; /* sum_t r_tj of |x_t - c|^2 (k), squares (d x k) or products (packed x k) */
	/* Of t distributions, where r_tj in sums and squares is r_tj u_tj, u_tj = (nu_j + d) / (nu_j +
	 * distance) the expected precision; Gaussians leave them alone. */
	double *weighted; /* k: sum_t r_tj u_tj */
	double *logs;	  /* k: sum_t r_tj log u_tj */
} tlv_mixture_sums;

extern tlv_status tlv_mixture_sums_create(tlv_context *ctx, const tlv_mixture *mixture,
										  tlv_mixture_sums *sums);
extern void tlv_mixture_sums_clear(const tlv_mixture *mixture, tlv_mixture_sums *sums);
extern void tlv_mixture_sums_free(tlv_context *ctx, tlv_mixture_sums *sums);

/* A mixture prepared for blocks of rows. */
typedef struct tlv_mixture_worker
{
	const tlv_mixture *mixture;
	bool given_center;
	double *center;	  /* d */
	double *constant; /* k: log density at the center, log weight included */
	double *linear;	  /* d x k: inverse variances times (mean - center); full: L^-1 of it */
	double *inverse;  /* inverse variances: k or d x k; full: d x d x k, L^-1 transposed of
					   * S = L L'; full of few dimensions: packed x k, the quadratic form */
	/* of a block */
	double *squares;  /* block: |x|^2; d x block: squares, or L^-1 x; block x packed: products */
	double *scaled;	  /* d x block, full: the rows transposed, then weighted */
	double *product;  /* d x d, full */
	float *narrow;	  /* NULL, or room of tlv_mixture_worker_narrow */
	bool is_narrow;	  /* products in single precision: the means lie near enough to the center */
	bool narrow_rows; /* those of the last rows: their numbers are of its range, too */
	const double *weights; /* block: of the rows; NULL: 1 */
	double *shares;		   /* block x k: log densities, then responsibilities */
	double *density;	   /* block: log density of a row */
	double *total;		   /* block */
	double *entropy;	   /* block: of a row's responsibilities */
	/* of t distributions; NULL: of Gaussians */
	double *peak;	/* k: the Gaussian's log density at its mean, log weight included */
	double *summit; /* k: the same of the t distribution */
	double *heavy;	/* block x k: expected precisions u */
} tlv_mixture_worker;

/*
 * A worker for a mixture's shape, about the given center (NULL: the mixture's mean), and its
 * preparation, anew whenever the mixture has changed; create is both, about the mean.  TLV_BAD_DATA
 * when a covariance is not positive definite.
 */
extern tlv_status tlv_mixture_worker_open(tlv_context *ctx, const tlv_mixture *mixture,
										  const double *center, tlv_mixture_worker *worker);
extern tlv_status tlv_mixture_worker_prepare(tlv_context *ctx, tlv_mixture_worker *worker);
extern tlv_status tlv_mixture_worker_create(tlv_context *ctx, const tlv_mixture *mixture,
											tlv_mixture_worker *worker);
extern void tlv_mixture_worker_free(tlv_context *ctx, tlv_mixture_worker *worker);

/*
 * From the next preparation on a worker of spherical or common variances multiplies in single
 * precision where the means lie near enough to the center for it: log densities err by thousandths
 * at most, which serves a start.  Nothing is done where a block is too much work for one product.
 */
extern tlv_status tlv_mixture_worker_narrow(tlv_context *ctx, tlv_mixture_worker *worker);

/*
 * n <= TLV_MIXTURE_BLOCK rows x (d x n, relative to the center): worker->shares, density and
 * entropy, and their statistics are added to sums (NULL: not wanted).
 */
extern tlv_status tlv_mixture_expect(tlv_context *ctx, tlv_mixture_worker *worker, size_t n,
									 const double *x, tlv_mixture_sums *sums);

/* Rows that come one by one, and wait until there is a block of them. */
typedef struct tlv_mixture_rows
{
	double *x; /* d x TLV_MIXTURE_BLOCK; NULL before the first */
	size_t n;
	bool weighted; /* do the following weights differ from 1? */
	double weights[TLV_MIXTURE_BLOCK];
} tlv_mixture_rows;

/* Where the next row (d) is to be written; then it is counted with its weight, and a full block
 * enters the sums.  Errors: memory, those of tlv_mixture_expect. */
extern tlv_status tlv_mixture_rows_next(tlv_context *ctx, tlv_mixture_rows *rows, size_t d,
										double **row);
extern tlv_status tlv_mixture_rows_added(tlv_context *ctx, tlv_mixture_rows *rows, double weight,
										 tlv_mixture_worker *worker, tlv_mixture_sums *sums);

/* All that wait enter the sums; worker is not looked at where none do. */
extern tlv_status tlv_mixture_rows_flush(tlv_context *ctx, tlv_mixture_rows *rows,
										 tlv_mixture_worker *worker, tlv_mixture_sums *sums);

/* The same for rows that each belong to the component label[t], certainly; nothing of the
 * likelihood. */
extern tlv_status tlv_mixture_add_labelled(tlv_context *ctx, tlv_mixture_worker *worker, size_t n,
										   const double *x, const int32_t *label,
										   tlv_mixture_sums *sums);

/*
 * The mixture that maximises the expected likelihood and the prior of variances, kept at floor (d)
 * or above: into mixture, whose parameters before are those the sums belong to (a component without
 * rows keeps its own).
 *
 * Variances that components have of their own are the mode under an inverse Wishart prior of nu
 * pseudo-rows, whose covariance is the pooled one within components, W = sum_j S_j / n:
 * Sigma_j = (S_j + nu W) / (n_j + nu) (after Fraley, Raftery 2007, eq. 9 to 13, whose prior has the
 * covariance of all rows).  With few rows, maximum likelihood underestimates
 * variances, and intervals around it are too short.  nu is d + 2 of full covariances and 3 of
 * others, and less where the prior would move a component's variances, in the mean of its
 * directions, by more than their standard error, as it would where components are of very different
 * size or shape. part: of the prior; 1, or the weight of a step that keeps the rest of the old
 * model (step_prior.h).
 *
 * Of t distributions by expanded parameters (Liu, Rubin, Wu 1998): scales are divided by the mean
 * of u, which has the same fixed points and gets there sooner, but where one variance is common to
 * all. Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_mixture_maximize(tlv_context *ctx, const tlv_mixture_sums *sums,
									   const double *center, const double *floor, double part,
									   tlv_mixture *mixture);

/*
 * The mixture (of the same shape as before) as if weight times its own rows and 1 - weight times
 * as many rows of the one before had been added up: weights, means, second moments; degrees of
 * freedom by the shares of the rows.  0 < weight <= 1.  Errors: memory.
 */
extern tlv_status tlv_mixture_blend(tlv_context *ctx, const tlv_mixture *before, double weight,
									tlv_mixture *mixture);

/* ---- errors (errors.h) ---- */

/* Estimates of a mixture on their way into a list. */
typedef struct tlv_mixture_listing
{
	const tlv_mixture *mixture;
	const double *floor; /* d: variances there are fixed; NULL: there is none */
	double rows;		 /* that it was fitted to; 0: not known */
	tlv_name_list names; /* of the dimensions, or an empty list */
	const size_t *views; /* 3: dimensions of three views, which are named view.dimension; or NULL */
	bool fixed_means;
	bool penalised; /* variances are the mode under the prior of tlv_mixture_maximize */
	bool student;	/* intervals are Student's, of the rows of a component */
	bool whole;		/* all parameters are one block */
	size_t block;	/* the last one */
	tlv_estimates *list;
} tlv_mixture_listing;

/* The weights, which are group 1; then of every component the means, the variances or covariances
 * (a common variance behind the last means) and, hidden, degrees of freedom.  Errors: memory. */
extern tlv_status tlv_mixture_list_weights(tlv_context *ctx, tlv_mixture_listing *listing);
extern tlv_status tlv_mixture_list_components(tlv_context *ctx, tlv_mixture_listing *listing);

/*
 * Other values of what tlv_mixture_list_components lists: means as they are, variances v as v exp
 * ((value - v) / v), and covariances S likewise, as R exp(R^-1 (values - S) R'^-1) R' with S = R
 * R', which is positive definite whatever the values; degrees of freedom within their bounds.
 * Errors: TLV_BAD_DATA for a covariance that is not positive definite, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_mixture_redraw(tlv_context *ctx, const double *values, tlv_mixture *mixture);

/* The score of a row, of what tlv_mixture_list_components lists. */
typedef struct tlv_mixture_scorer
{
	const tlv_mixture *mixture;
	double *precisions; /* packed x k, of full covariances; else NULL */
	double *work;		/* 2 d */
} tlv_mixture_scorer;

extern tlv_status tlv_mixture_scorer_open(tlv_context *ctx, const tlv_mixture *mixture,
										  tlv_mixture_scorer *scorer);

/* Adds that of a row x (d) that is of component j by that share. */
extern void tlv_mixture_score(const tlv_mixture_scorer *scorer, size_t j, double share,
							  const double *x, double *scores);

/* Convergence tolerance of the mean log-likelihood, absolute and relative (em.h). */
#define TLV_MIXTURE_TOLERANCE 1e-6

/* ---- diagnostics, of mixtures of any distribution ---- */

/* The model's diagnostics after a step from these statistics: its rows, and the mean likelihood
 * before the step.  Errors: memory. */
extern tlv_status tlv_mixture_diagnose_step(tlv_context *ctx, const tlv_frame *model,
											const tlv_frame *statistics, double step,
											tlv_diagnostics *diagnostics);

/* Warns of components that have less than one of the rows, if there are any.  Errors: memory. */
extern tlv_status tlv_mixture_warn_empty(tlv_context *ctx, tlv_diagnostics *diagnostics, size_t k,
										 const double *weights, double rows);

#endif /* TENSORLV_MIXTURE_H */
