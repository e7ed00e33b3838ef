/*
 * topics_fixture.h - random topics and the worker that infers given them; shared by the
 * tests of topics.
 */
#ifndef TENSORLV_TEST_TOPICS_FIXTURE_H
#define TENSORLV_TEST_TOPICS_FIXTURE_H

#include "malloc_setup.h"
#include "model/topics/worker.h"
#include "tensorlv/num/special.h"
#include "tensorlv/model/topics.h"

#define MAX_K 128
#define MAX_D 64

static double phi[MAX_K * MAX_D];
static double alpha[MAX_K];
static double items[MAX_K * MAX_D];

/* A random model in phi and alpha. */
static inline tlv_topics
model(size_t k, size_t d, double concentration)
{
	assert_ok(tlv_topic_random(&ctx, k, d, concentration, &rng, phi));
	for (size_t j = 0; j < k; j++)
		alpha[j] = 0.05 + tlv_rng_uniform(&rng);
	return (tlv_topics){.k = k, .d = d, .phi = phi, .alpha = alpha};
}

static inline tlv_topic_worker *
worker_of(const tlv_topics *topics)
{
	tlv_topic_worker *worker;

	assert_ok(tlv_topic_worker_create(&ctx, topics, &worker));
	return worker;
}

#endif /* TENSORLV_TEST_TOPICS_FIXTURE_H */
