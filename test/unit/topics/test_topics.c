/*
 * test_topics.c - completion and its draws; simulation against the moments of the
 * model; maximisation, matching and coherence of whole topics; refinement.
 */
#include "topics_fixture.h"

/* ---- completion and its draws ---- */

TEST(test_binomial)
{
	static const double cases[][2] = {{1, 0.3},	   {10, 0.5},	{64, 0.5},	{100, 0.9}, {5000, 0.5},
									  {1000, 0.3}, {1e6, 1e-6}, {1e9, 0.7}, {4e15, 0.5}};

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++)
	{
		double n = cases[c][0];
		double p = cases[c][1];
		double deviation = sqrt(n * p * (1 - p));
		double mean = 0;
		double square = 0;

		for (int r = 0; r < 20000; r++)
		{
			double x = tlv_topic_binomial(&rng, n, p);
			double z = (x - n * p) / deviation;

			assert_between(x, 0, n);
			assert_equal(x, floor(x));
			mean += z / 20000;
			square += z * z / 20000;
		}
		assert_close(mean, 0, 4 / sqrt(20000));
		assert_close(square, 1, 0.08);
	}
	assert_equal(tlv_topic_binomial(&rng, 1000, 0), 0);
	assert_equal(tlv_topic_binomial(&rng, 1000, 1), 1000);
	assert_equal(tlv_topic_binomial(&rng, 0, 0.5), 0);
}

TEST(test_completion)
{
	tlv_topics topics = model(1, MAX_D, 2);
	tlv_topic_worker *worker = worker_of(&topics);
	int32_t index[1] = {3};
	double count[1] = {9};
	double sum = 0, squares = 0, ends[2] = {0, 0};
	double again[2][2];

	for (uint64_t seed = 0; seed < 4000; seed++)
	{
		double likelihood = 0;
		double tokens = 0;

		assert_ok(
			tlv_topic_completion(&ctx, worker, NULL, 1, index, count, seed, &likelihood, &tokens));
		ends[0] += tokens == 0;
		ends[1] += tokens == 9;
		assert_between(tokens, 0, 9);
		assert_close(likelihood, tokens * log(phi[3]), 1e-5);
		sum += tokens;
		squares += (tokens - 4.5) * (tokens - 4.5);
	}
	assert_close(sum / 4000, 4.5, 4 * 1.5 / sqrt(4000));
	/* binomial: the variance is 9 / 4, the fourth moment 14.06; one in 512 is at either end */
	assert_close(squares / 4000, 2.25, 4 * sqrt((14.06 - 2.25 * 2.25) / 4000));
	for (int end = 0; end < 2; end++)
		assert_close(ends[end], 4000. / 512, 4 * sqrt(4000. / 512));
	memset(again, 0, sizeof(again));
	for (int r = 0; r < 2; r++)
		assert_ok(tlv_topic_completion(&ctx, worker, NULL, 1, index, count, 7, &again[r][0],
									   &again[r][1]));
	assert_memory_equal(again[0], again[1], sizeof(again[0]));
	tlv_topic_worker_destroy(&ctx, worker);
}

/* ---- simulation ---- */

TEST(test_simulate)
{
	size_t k = 3;
	size_t d = 6;
	size_t length = 20;
	int documents = 40000;
	tlv_topics topics = model(k, d, 1);
	tlv_topic_simulator *simulator;
	double single[6] = {0};
	double pair[6][6] = {{0}};
	double theta[3];
	int32_t index[20];
	double count[20];
	double alpha0 = alpha[0] + alpha[1] + alpha[2];

	assert_ok(tlv_topic_simulator_create(&ctx, &topics, &simulator));
	for (int t = 0; t < documents; t++)
	{
		size_t n;
		double sum = 0;

		assert_ok(tlv_topic_simulate(&ctx, simulator, &rng, length, theta, &n, index, count));
		for (size_t a = 0; a < n; a++)
		{
			if (a != 0)
				assert_above(index[a], index[a - 1]);
			sum += count[a];
			single[index[a]] += count[a];
			for (size_t b = 0; b < n; b++)
				pair[index[a]][index[b]] += count[a] * (count[b] - (a == b));
		}
		assert_close(sum, 20, 0);
	}
	for (size_t a = 0; a < d; a++)
	{
		double mean = 0;

		for (size_t j = 0; j < k; j++)
			mean += alpha[j] / alpha0 * phi[j + k * a];
		assert_close(single[a] / documents / 20, mean, 0.005);
		for (size_t b = 0; b < d; b++)
		{
			double moment = 0;

			for (size_t i = 0; i < k; i++)
				for (size_t j = 0; j < k; j++)
					moment += phi[i + k * a] * phi[j + k * b] * alpha[i] * (alpha[j] + (i == j)) /
							  (alpha0 * (alpha0 + 1));
			assert_close(pair[a][b] / documents / 380, moment, 0.005);
		}
	}
	tlv_topic_simulator_destroy(&ctx, simulator);
}

TEST(test_random)
{
	tlv_topics topics = model(5, MAX_D, 1e-12);

	for (int sparse = 0; sparse < 2; sparse++)
	{
		for (size_t j = 0; j < 5; j++)
		{
			double sum = 0;

			for (size_t i = 0; i < MAX_D; i++)
				sum += topics.phi[j + 5 * i];
			assert_close(sum, 1, 1e-12);
		}
		assert_ok(tlv_topic_random(&ctx, 5, MAX_D, 50, &rng, phi));
	}
	assert_int_equal(tlv_topic_random(&ctx, 5, MAX_D, 0, &rng, phi), TLV_BAD_PARAMETER);
}

/* ---- whole topics ---- */

TEST(test_maximize)
{
	double counts[6] = {1, 0, 3, 0, 0, 0}; /* 2 topics, 3 items; topic 1 is empty */
	double prior[3] = {0.5, 0.3, 0.2};
	double out[6];

	assert_ok(tlv_topic_maximize(&ctx, 2, 3, counts, 0.5, NULL, out));
	assert_close(out[0], 1.5 / 5.5, 1e-15);
	assert_close(out[1], 1.0 / 3, 1e-15);
	assert_ok(tlv_topic_maximize(&ctx, 2, 3, counts, 0.5, prior, out));
	assert_close(out[2], (3 + 0.45) / 5.5, 1e-15);
	assert_close(out[5], 0.2, 1e-15);
	assert_ok(tlv_topic_maximize(&ctx, 2, 3, counts, 0, NULL, out));
	assert_close(out[4], 0, 0);
	assert_close(out[5], 1.0 / 3, 1e-15);
	assert_int_equal(tlv_topic_maximize(&ctx, 2, 3, counts, -1, NULL, out), TLV_BAD_PARAMETER);
}

TEST(test_match)
{
	static double a[3 * MAX_D];
	static double b[2 * MAX_D];
	int64_t assignment[3];
	double error[3];

	assert_ok(tlv_topic_random(&ctx, 3, MAX_D, 0.3, &rng, a));
	for (size_t i = 0; i < MAX_D; i++)
	{
		b[2 * i] = a[3 * i + 2];
		b[2 * i + 1] = 0.9 * a[3 * i] + 0.1 / MAX_D;
	}
	assert_ok(tlv_topic_match(&ctx, MAX_D, 3, a, 2, b, assignment, error));
	assert_int_equal(assignment[0], 1);
	assert_int_equal(assignment[1], -1);
	assert_int_equal(assignment[2], 0);
	assert_close(error[1], 2, 0);
	assert_close(error[2], 0, 1e-15);
	assert_above(error[0], 0.01);
	assert_below(error[0], 0.2);
	assert_ok(tlv_topic_match(&ctx, MAX_D, 2, b, 3, a, assignment, error));
	assert_int_equal(assignment[0], 2);
	assert_int_equal(assignment[1], 0);
}

TEST(test_coherence)
{
	/* 10 documents: items in 5, 4 and 2; pairs in 3, 1 and 0 of them */
	double joint[6] = {5, 3, 4, 1, 0, 2};
	double npmi;
	double umass;

	tlv_topic_coherence(3, joint, 10, &npmi, &umass);
	assert_close(npmi, (log(0.3 / 0.2) / -log(0.3) + log(0.1 / 0.1) / -log(0.1) - 1) / 3, 1e-14);
	assert_close(umass, (log(4.0 / 5) + log(2.0 / 5) + log(1.0 / 4)) / 3, 1e-14);
	tlv_topic_coherence(1, joint, 10, &npmi, &umass);
	assert_true(isnan(npmi) && isnan(umass));
	joint[0] = joint[1] = joint[2] = 10;
	tlv_topic_coherence(2, joint, 10, &npmi, &umass);
	assert_close(npmi, 1, 0);
}

/* ---- refinement ---- */

/* Gibbs-EM from a blurred start comes near the truth, and the same seed gives the same bits. */
TEST(test_refinement)
{
	enum
	{
		K = 4,
		DOCUMENTS = 1500,
		LENGTH = 50
	};
	static double truth[K * MAX_D];
	static double first[K * MAX_D];
	tlv_topics topics = model(K, MAX_D, 0.2);
	double theta[K];
	int64_t assignment[K];
	double error[K];

	for (size_t j = 0; j < K; j++)
		alpha[j] = 0.2;
	memcpy(truth, phi, sizeof(truth));
	for (int run = 0; run < 2; run++)
	{
		for (size_t e = 0; e < K * MAX_D; e++)
			phi[e] = 0.5 * truth[e] + 0.5 / MAX_D;
		for (int step = 0; step < 6; step++)
		{
			tlv_topics true_topics = {.k = K, .d = MAX_D, .phi = truth, .alpha = alpha};
			tlv_topic_simulator *simulator;
			tlv_topic_worker *worker = worker_of(&topics);
			tlv_topic_statistics s = {.items = items};
			tlv_rng documents;

			memset(items, 0, sizeof(items));
			tlv_rng_seed(&documents, 77);
			assert_ok(tlv_topic_simulator_create(&ctx, &true_topics, &simulator));
			for (uint64_t t = 0; t < DOCUMENTS; t++)
			{
				int32_t index[LENGTH];
				double count[LENGTH];
				size_t n;
				tlv_gibbs_options options = {TLV_GIBBS_WARM, TLV_GIBBS_BURN, TLV_GIBBS_KEEP,
											 tlv_mix64(t + 1000 * (uint64_t) step)};

				assert_ok(tlv_topic_simulate(&ctx, simulator, &documents, LENGTH, theta, &n, index,
											 count));
				assert_ok(tlv_topic_gibbs(&ctx, worker, n, index, count, &options, &s));
			}
			assert_close(s.tokens, DOCUMENTS * LENGTH, 0);
			assert_ok(tlv_topic_maximize(&ctx, K, MAX_D, items, TLV_REFINE_ETA, NULL, phi));
			tlv_topic_worker_destroy(&ctx, worker);
			tlv_topic_simulator_destroy(&ctx, simulator);
		}
		assert_ok(tlv_topic_match(&ctx, MAX_D, K, truth, K, phi, assignment, error));
		for (size_t j = 0; j < K; j++)
		{
			assert_equal(assignment[j], (int64_t) j);
			assert_below(error[j], 0.09);
		}
		if (run == 0)
			memcpy(first, phi, sizeof(first));
	}
	assert_memory_equal(first, phi, sizeof(first));
}

RUN_TESTS_OF_GROUP(setup, teardown, NULL, NULL)
