/*
 * learn.h - what is found on the way to a mixture of Gaussians (learn.c), for the end of it
 * (finish.c).
 */
#ifndef TENSORLV_GMM_LEARN_H
#define TENSORLV_GMM_LEARN_H

#include "choose.h"
#include "wide.h"

/* Components for which the sample of wide rows is large enough where k is chosen. */
#define GMM_SAMPLE_K 30

/* A model after steps of refinement. */
typedef struct gmm_refined
{
	tlv_held *model;
	double likelihood; /* mean */
	double entropy;	   /* of responsibilities, mean */
	bool stands;	   /* the likelihood */
} gmm_refined;

typedef struct gmm_learning
{
	tlv_gmm_learn_options options; /* max_k is known */
	gmm_evidence evidence;
	tlv_held single;
	double single_likelihood[TLV_COVARIANCES]; /* of one Gaussian */
	double logarithms_likelihood;			   /* of one of logarithms; -infinite: not known */
	bool k_chosen;
	gmm_criteria criteria;	/* of k = 1, 2, ... */
	gmm_wide_choice choice; /* of wide rows */
	bool covariance_chosen;
	gmm_covariances covariances;
	gmm_tails tails;
	double zeros, scaled; /* of directions: rows without one, which are left out; rows whose length
						   * was not 1 */
	gmm_start start;
	gmm_refined refined;
} gmm_learning;

/* ---- directions.c ---- */

/* The sample of rows of directions, and their number, as far as the sample tells; of wide ones its
 * moments. */
extern tlv_status gmm_collect_directions(tlv_context *ctx, tlv_source *rows, gmm_learning *fit);

/* The mean log-likelihood of a row under one component, as far as the model of many tells. */
extern double gmm_single_direction_likelihood(const tlv_mixture *mixture);

/* What chance gains by components of directions beyond the first, at most. */
extern double gmm_chance_of_directions(const tlv_mixture *mixture, double rows);

/* Warns of rows of directions that are zero or not 1 long. */
extern tlv_status gmm_warn_rows(tlv_context *ctx, const gmm_learning *fit,
								tlv_diagnostics *diagnostics);

/* ---- finish.c ---- */

/* How many components are left when those that overlap count as one. */
extern size_t gmm_learning_groups(const gmm_learning *fit);

/* The model with all that was found on the way to it. */
extern tlv_status gmm_finish(tlv_context *ctx, const tlv_source *rows, const gmm_learning *fit,
							 tlv_held *finished);

#endif /* TENSORLV_GMM_LEARN_H */
