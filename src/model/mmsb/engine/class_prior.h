/*
 * class_prior.h - priors of a class of pairs of groups, those inside groups or those between them,
 * and the evidence of the edges of a pair: their number, Poisson with a gamma prior of the rate,
 * and their scores (ranks.h).
 */
#ifndef TENSORLV_MMSB_CLASS_PRIOR_H
#define TENSORLV_MMSB_CLASS_PRIOR_H

#include "ranks.h"

/* Terms of the evidence of a pair that its number of edges alone determines. */
typedef struct tlv_count_terms
{
	double rate; /* log gamma of the posterior shape; NAN: not computed yet */
	double scores;
} tlv_count_terms;

typedef struct tlv_class_prior
{
	double rate, shape, constant; /* gamma: mean, shape, constant term of the evidence */
	tlv_score_prior scores;
	bool follow;			/* the scores of every pair have a distribution of their own */
	size_t counts;			/* terms that are kept */
	tlv_count_terms *terms; /* by number of edges; the last for all larger numbers */
} tlv_class_prior;

/* entries bounds the number of edges between two groups.  Errors: memory. */
extern tlv_status tlv_class_prior_create(tlv_context *ctx, size_t entries, bool follow,
										 tlv_class_prior *prior);
extern void tlv_class_prior_free(tlv_context *ctx, tlv_class_prior *prior);

/* The priors of largest evidence for n pairs with their expected numbers of edges at rate 1; weak:
 * priors that are hardly stronger than one edge.  Errors: TLV_CANCELLED. */
extern tlv_status tlv_class_fit(tlv_context *ctx, size_t n, const tlv_score_sums *pairs,
								const double *expected, bool weak, tlv_class_prior *prior);

/* Log marginal likelihood of a pair, in nats. */
extern double tlv_class_evidence(const tlv_class_prior *prior, const tlv_score_sums *pair,
								 double expected);

#endif /* TENSORLV_MMSB_CLASS_PRIOR_H */
