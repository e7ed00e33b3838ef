/*
 * plan.h - a mixture of Gaussians as a plan: what it knows from pass to pass (plan.c), and its end
 * (plan_finish.c).
 */
#ifndef TENSORLV_GMM_PLAN_H
#define TENSORLV_GMM_PLAN_H

#include "choose.h"
#include "wide.h"

typedef struct gmm_plan
{
	tlv_plan base;
	tlv_gmm_plan_options options;
	gmm_evidence evidence;
	tlv_held subspace; /* the leading directions, of compressed moments */
	tlv_held leading;  /* of wide rows (wide.h): the directions of the sample */
	size_t directions; /* of these, that rise above the noise */
	float *points;	   /* directions x rows: the sample in these */
	gmm_wide_choice choice;
	gmm_start clusters; /* of wide rows, until the moments are there */
	tlv_held single;
	gmm_start start;
	bool k_chosen;
	gmm_criteria criteria; /* of k = 1, 2, ... */
	gmm_tails tails;
	bool covariance_chosen;
	gmm_covariances covariances;
	double single_likelihood[TLV_COVARIANCES]; /* of one Gaussian */
	double logarithms_likelihood;			   /* of one of logarithms; -infinite: not known */
	/* Refinement of one model, until it has so many steps or, where these are not given, the
	 * likelihood stands. */
	tlv_held *model;
	int limit;
	double before; /* mean log-likelihood a step ago */
	double likelihood;
	double entropy; /* of responsibilities, mean */
	bool stands;
	tlv_plan_step refined; /* what comes then */
	/* The first of two rivals, by some steps. */
	tlv_held first;
	double first_likelihood;
	double first_entropy;
	bool first_stands;
} gmm_plan;

/* How many components are left when those that overlap count as one. */
extern size_t gmm_plan_groups(const gmm_plan *plan);

/* The model with all that was found on the way to it. */
extern tlv_status gmm_plan_finish(tlv_context *ctx, gmm_plan *plan);

#endif /* TENSORLV_GMM_PLAN_H */
