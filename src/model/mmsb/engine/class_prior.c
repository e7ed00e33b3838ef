/*
 * class_prior.c - priors of a class of pairs of groups, and the evidence of a pair (class_prior.h).
 *
 * A search evaluates pairs millions of times with few different numbers of edges: the terms that
 * depend on these alone, which contain most of the logarithms, are kept until the priors change.
 */
#include "class_prior.h"

#include <math.h>

#include "tensorlv/num/fast_math.h"

/* Numbers of edges whose terms are kept. */
#define MOST_COUNTS 4096

tlv_status
tlv_class_prior_create(tlv_context *ctx, size_t entries, bool follow, tlv_class_prior *prior)
{
	*prior = (tlv_class_prior){.follow = follow, .counts = 1 + tlv_least(entries, MOST_COUNTS)};
	TLV_TRY_NEW(ctx, prior->terms, prior->counts);
	return TLV_OK;
}

void
tlv_class_prior_free(tlv_context *ctx, tlv_class_prior *prior)
{
	tlv_free(ctx, prior->terms);
}

/* Log marginal likelihood of n edges where expected are at rate 1; log_gamma is that of n + shape.
 */
static double
class_rate_evidence(const tlv_class_prior *prior, double n, double expected, double log_gamma)
{
	double a = prior->shape;

	return log_gamma - (n + a) * log(expected + a / prior->rate) + prior->constant;
}

static const tlv_count_terms *
terms_of_count(const tlv_class_prior *prior, double n)
{
	size_t last = prior->counts - 1;
	bool kept = n < (double) last && n == floor(n);
	tlv_count_terms *terms = &prior->terms[kept ? (size_t) n : last];

	if (isnan(terms->rate) || !kept)
	{
		terms->rate = tlv_fast_lgamma(n + prior->shape);
		terms->scores = prior->follow ? tlv_score_count_evidence(&prior->scores, n) : 0;
	}
	return terms;
}

double
tlv_class_evidence(const tlv_class_prior *prior, const tlv_score_sums *pair, double expected)
{
	const tlv_count_terms *terms = terms_of_count(prior, pair->n);
	double value = expected > 0 ? class_rate_evidence(prior, pair->n, expected, terms->rate) : 0;

	return prior->follow ? value + tlv_score_evidence(&prior->scores, pair, terms->scores) : value;
}

static void
set_shape(tlv_class_prior *prior, double shape)
{
	prior->shape = shape;
	prior->constant = shape * log(shape / prior->rate) - tlv_fast_lgamma(shape);
}

/* The best shape of the prior of the rates, whose mean is that of the class. */
static tlv_status
fit_rates(tlv_context *ctx, size_t n, const tlv_score_sums *pairs, const double *expected,
		  tlv_class_prior *prior)
{
	/* Exponents of 2 of the shapes that are compared: the last one is one rate for all pairs. */
	const int last_shape = 12;
	double most = -HUGE_VAL, best = 1, sums[2] = {0.5, 0.5};

	for (size_t i = 0; i < n; i++)
	{
		sums[0] += pairs[i].n;
		sums[1] += expected[i];
	}
	prior->rate = sums[0] / sums[1];
	for (int s = 0; s <= last_shape; s++)
	{
		double value = 0;

		TLV_TRY_CONTINUE(ctx);
		set_shape(prior, exp2(s));
		for (size_t i = 0; i < n; i++)
			value += expected[i] > 0
						 ? class_rate_evidence(prior, pairs[i].n, expected[i],
											   tlv_fast_lgamma(pairs[i].n + prior->shape))
						 : 0;
		best = value > most ? prior->shape : best;
		most = fmax(most, value);
	}
	set_shape(prior, best);
	return TLV_OK;
}

tlv_status
tlv_class_fit(tlv_context *ctx, size_t n, const tlv_score_sums *pairs, const double *expected,
			  bool weak, tlv_class_prior *prior)
{
	double evidence;

	TLV_TRY(fit_rates(ctx, n, pairs, expected, prior));
	if (weak)
		set_shape(prior, 1);
	if (prior->follow)
		TLV_TRY(tlv_score_fit(ctx, n, pairs, weak, &prior->scores, &evidence));
	for (size_t i = 0; i < prior->counts; i++)
		prior->terms[i].rate = NAN;
	return TLV_OK;
}
