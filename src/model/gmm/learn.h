/*
 * learn.h - what is found on the way to a mixture of Gaussians (learn.c), for the end of it
 * (finish.c).
 */
#ifndef TENSORLV_GMM_LEARN_H
#define TENSORLV_GMM_LEARN_H

#include "choose.h"
#include "wide.h"

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
	gmm_start start;
	gmm_refined refined;
} gmm_learning;

/* How many components are left when those that overlap count as one. */
extern size_t gmm_learning_groups(const gmm_learning *fit);

/* The model with all that was found on the way to it. */
extern tlv_status gmm_finish(tlv_context *ctx, const tlv_source *rows, const gmm_learning *fit,
							 tlv_held *finished);

#endif /* TENSORLV_GMM_LEARN_H */
