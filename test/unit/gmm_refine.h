/*
 * gmm_refine.h - a mixture refined on a sample, from where it is.
 */
#ifndef TENSORLV_TEST_GMM_REFINE_H
#define TENSORLV_TEST_GMM_REFINE_H

#include "source_setup.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/gmm.h"

/* Rows, and the mixture that they were drawn from. */
typedef struct data
{
	size_t n, d;
	double *x;
	tlv_frame truth;
} data;

/* n rows of a random mixture of k components. */
static inline data
simulate_from(size_t n, size_t d, size_t k, double separation, tlv_covariance covariance,
			  uint64_t seed)
{
	data result = {.n = n, .d = d, .x = numbers(n * d)};
	tlv_gmm_simulator *simulator;
	tlv_mixture mixture;
	tlv_rng rng;

	result.truth = MADE(tlv_gmm_random, k, d, separation, covariance, seed);
	tlv_gmm_read(&result.truth, &mixture);
	assert_ok(tlv_gmm_simulator_create(&ctx, &mixture, &simulator));
	tlv_rng_seed(&rng, seed + 2);
	for (size_t t = 0; t < n; t++)
		(void) tlv_gmm_simulate(simulator, &rng, result.x + t * d);
	return result;
}

static inline data
simulate(size_t n, size_t d, size_t k, double separation, tlv_covariance covariance)
{
	return simulate_from(n, d, k, separation, covariance, 3);
}

/* A model after steps on a sample; the likelihood at their end. */
static inline void
refine_on(const tlv_frame *model, const tlv_gmm_sample *sample, int steps, double *likelihood,
		  void **image, size_t *size)
{
	tlv_mixture given;
	tlv_gmm_start_options options = {.seed = 1, .steps = steps, .given = &given};
	tlv_frame frame;

	tlv_gmm_read(model, &given);
	options.k = given.k;
	options.covariance = given.covariance;
	options.tails = given.degrees != NULL ? TLV_TAILS_T : TLV_TAILS_NORMAL;
	assert_ok(
		tlv_gmm_start(&ctx, sample, tlv_frame_float64(model, "floor"), &options, image, size));
	assert_ok(tlv_frame_open(&ctx, *image, *size, &frame));
	*likelihood = diagnostic(frame, "sample_mean_log_likelihood");
}

/* Mean distance of the means. */
static inline double
mean_error(tlv_frame truth, tlv_frame model)
{
	tlv_mixture a, b;
	int64_t assignment[64];
	double error[64], sum = 0;

	tlv_gmm_read(&truth, &a);
	tlv_gmm_read(&model, &b);
	assert_ok(tlv_gmm_match(&ctx, &a, &b, assignment, error));
	for (size_t j = 0; j < a.k; j++)
		sum += error[j] / (double) a.k;
	return sum;
}

#endif /* TENSORLV_TEST_GMM_REFINE_H */
