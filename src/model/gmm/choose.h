/*
 * choose.h - where refinement starts, and the number of components: what is decided between two
 * passes, from moments of all rows and a sample of them.
 */
#ifndef TENSORLV_GMM_CHOOSE_H
#define TENSORLV_GMM_CHOOSE_H

#include <limits.h>

#include "tensorlv/model/support.h"
#include "tensorlv/model/gmm.h"
#include "tensorlv/model/source.h"

/* Third moments are collected in all dimensions up to this number, their cost grows with its
 * cube; of more dimensions in the leading directions, by a pass of its own. */
#define GMM_MOST_THIRD 20

/* Steps of refinement at most, over all rows and on the sample. */
#define GMM_MOST_STEPS 100

/* k is chosen when the criterion has risen this often in a row; more often of vectors up to this
 * number of rows times dimensions squared: it takes no time, and their criterion has several
 * minima. */
#define GMM_SMALL		2e4
#define GMM_MOST_RISES	2
#define GMM_SMALL_RISES 10

/* What is known of the rows. */
typedef struct gmm_evidence
{
	tlv_gmm_options options; /* but k */
	bool refine;			 /* rows are passed over again, to refine */
	bool groups;			 /* the criterion is the integrated completed likelihood */
	double n;				 /* rows */
	size_t d;
	const tlv_frame *moments;	 /* of order 3 up to GMM_MOST_THIRD dimensions, else of order 2 */
	const tlv_frame *compressed; /* of order 3, in the leading directions; NULL: not collected */
	const tlv_frame *single;	 /* model of one component */
	const double *floor;		 /* d: of variances, of the whole data */
	tlv_gmm_sample sample;		 /* its rows NULL: not drawn, or given back */
} gmm_evidence;

static inline bool
gmm_is_small(const gmm_evidence *evidence)
{
	return evidence->options.covariance != TLV_COVARIANCE_DIRECTION &&
		   evidence->n * (double) (evidence->d * evidence->d) <= GMM_SMALL;
}

/* Rises of a criterion in a row after which the search for k ends. */
static inline int
gmm_most_rises(const gmm_evidence *evidence)
{
	return gmm_is_small(evidence) ? GMM_SMALL_RISES : GMM_MOST_RISES;
}

/* A start for refinement. */
typedef struct gmm_start
{
	size_t k;
	tlv_held fitted;	   /* to the moments; none where these do not identify k components */
	tlv_held sampled;	   /* better on the sample, and refined there; or none */
	bool rivals;		   /* which of both is better, only all rows can tell */
	bool from_moments;	   /* the fit to the moments is what it goes back to */
	bool stands;		   /* refined on all rows, until the likelihood converges */
	double log_likelihood; /* mean over the sample, where it was measured */
	double entropy;		   /* the same, of responsibilities */
} gmm_start;

/* The model that a start is; of rivals, the first. */
static inline tlv_held *
gmm_start_model(gmm_start *start)
{
	return start->sampled.image != NULL && !start->rivals ? &start->sampled : &start->fitted;
}

/* A copy of a model into copy, in place of what is there. */
extern tlv_status gmm_copy_model(tlv_context *ctx, const tlv_frame *model, tlv_held *copy);

extern void gmm_start_free(tlv_context *ctx, gmm_start *start);

/* The fit of one component, which the others need, into single, and the floor of variances; both
 * become those of the evidence. */
extern tlv_status gmm_fit_single(tlv_context *ctx, gmm_evidence *evidence, tlv_held *single);

/*
 * The mean log-likelihood of a row under one Gaussian, likelihood[TLV_COVARIANCES]; -infinite where
 * there is none, and of full covariances of very many dimensions.
 */
extern tlv_status gmm_single_likelihoods(tlv_context *ctx, const gmm_evidence *evidence,
										 double *likelihood);

/* The same of directions, by their sample (directions.c). */
extern tlv_status gmm_single_direction(tlv_context *ctx, const gmm_evidence *evidence,
									   tlv_held *single);

/* What takes the place of the floor of variances for directions (d). */
extern tlv_status gmm_direction_floor(tlv_context *ctx, size_t d, const double **floor);

/* A start of k components, with its fit to the moments as far as they carry one. */
extern tlv_status gmm_start_fit(tlv_context *ctx, const gmm_evidence *evidence, size_t k,
								gmm_start *start);

/* Does the fit stand, without a sample beside it? */
extern bool gmm_start_is_trusted(const gmm_evidence *evidence, const gmm_start *start);

/* Rows of the sample for starts of up to k components, in `room` bytes. */
extern size_t gmm_sample_size(const gmm_evidence *evidence, size_t k, double room);

/*
 * The best of `starts` starts from the sample, of a given mixture (or NULL), and of those made from
 * one of one component more or fewer (or NULL), into start->sampled, with its likelihood;
 * *given_won (unless NULL): it was the given one.
 */
extern tlv_status gmm_start_from_sample(tlv_context *ctx, const gmm_evidence *evidence,
										const tlv_mixture *given, const tlv_mixture *next,
										int starts, gmm_start *start, bool *given_won);

/*
 * The start on the sample: its likelihood there and, unless the fit to the moments is trusted, the
 * best of it, of starts from the sample and of those made from `next` (or NULL).
 */
extern tlv_status gmm_start_measure(tlv_context *ctx, const gmm_evidence *evidence,
									const tlv_mixture *next, gmm_start *start);

/* Criteria of every number of components that was tried, 1 .. n, on the sample. */
typedef struct gmm_criteria
{
	size_t n;
	double *bic; /* the Bayesian information criterion */
	double *icl; /* of the complete data: bic plus twice the entropy of responsibilities */
} gmm_criteria;

/*
 * The number of components, 1 .. max_k, of the least criterion on the sample, and its start.  The
 * search ends where the Bayesian information criterion has risen.
 */
extern tlv_status gmm_choose_k(tlv_context *ctx, const gmm_evidence *evidence, size_t max_k,
							   gmm_start *best, gmm_criteria *criteria);

/* The k of the least value of a criterion. */
extern size_t gmm_least(size_t n, const double *criterion);

/* ---- one component beside many ---- */

/*
 * Twice the gain in log-likelihood of all rows that chance gives, at most, by so many parameters
 * more than one component has: for every parameter, and for a component that the best of many
 * starts finds in few rows.
 */
#define GMM_CHANCE_PARAMETER 2.5
#define GMM_CHANCE_FEW_ROWS	 40.0

static inline double
gmm_chance(double more)
{
	return GMM_CHANCE_PARAMETER * more + GMM_CHANCE_FEW_ROWS;
}

/* ---- tails ---- */

typedef struct gmm_tails
{
	bool heavy;		/* t distributions fit better */
	size_t k;		/* so many of them */
	double degrees; /* the least of their degrees of freedom */
} gmm_tails;

/*
 * Whether k t distributions of the same form of covariance have a better Bayesian information
 * criterion than a mixture of Gaussians, on some rows of the sample.  Errors: memory,
 * TLV_CANCELLED.
 */
extern tlv_status gmm_look_at_tails(tlv_context *ctx, const gmm_evidence *evidence,
									const tlv_held *gaussians, size_t k, gmm_tails *tails);

/*
 * The mean log-likelihood of a row of the sample where one Gaussian is of the logarithms of all
 * columns of one sign, and of the others as they are; -infinite where there is none, no such
 * column, or no sample.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status gmm_look_at_logarithms(tlv_context *ctx, const tlv_gmm_sample *sample,
										 double *likelihood);

/* ---- the covariance ---- */

typedef struct gmm_covariances
{
	size_t rows;				   /* that were looked at */
	double least[TLV_COVARIANCES]; /* the criterion, over k, for the whole sample; NaN: not tried */
	tlv_covariance best;
} gmm_covariances;

/*
 * The covariance of the least Bayesian information criterion, of k components or (k = 0) of any
 * number up to max_k, found on some rows of the sample.  Where all have variances at the floor,
 * spherical.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status gmm_choose_covariance(tlv_context *ctx, const gmm_evidence *evidence, size_t k,
										size_t max_k, gmm_covariances *found);

#endif /* TENSORLV_GMM_CHOOSE_H */
