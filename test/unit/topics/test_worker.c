/*
 * test_worker.c - inference given topics against naive double arithmetic and
 * against exact enumeration of the posterior of small documents.
 */
#include "topics_fixture.h"

/* ---- naive double arithmetic ---- */

static void
naive_infer(const tlv_topics *t, size_t n, const int32_t *index, const double *count, double *theta)
{
	for (size_t j = 0; j < t->k; j++)
		theta[j] = 1.0 / (double) t->k;
	for (int step = 0; step < 100; step++)
	{
		double next[MAX_K];
		double sum = 0;
		double change = 0;

		memcpy(next, t->alpha, t->k * sizeof(double));
		for (size_t i = 0; i < n; i++)
		{
			const double *row = t->phi + (size_t) index[i] * t->k;
			double s = 0;

			for (size_t j = 0; j < t->k; j++)
				s += theta[j] * fmax(row[j], 1e-12);
			for (size_t j = 0; j < t->k; j++)
				next[j] += count[i] * theta[j] * fmax(row[j], 1e-12) / s;
		}
		for (size_t j = 0; j < t->k; j++)
			sum += next[j];
		for (size_t j = 0; j < t->k; j++)
		{
			change = fmax(change, fabs(next[j] / sum - theta[j]));
			theta[j] = next[j] / sum;
		}
		if (change < 1e-4)
			break;
	}
}

TEST(test_infer)
{
	static const size_t ks[] = {1, 3, 16, 17, 50, 100};
	int32_t index[MAX_D];
	double count[MAX_D];
	double theta[MAX_K];
	double exact[MAX_K];

	for (size_t c = 0; c < 6 * 20; c++)
	{
		tlv_topics topics = model(ks[c % 6], MAX_D, 0.1);
		tlv_topic_worker *worker = worker_of(&topics);
		size_t n = tlv_rng_below(&rng, 30);
		double likelihood = 0;
		double sum = 0;

		for (size_t i = 0; i < n; i++)
		{
			index[i] = (int32_t) tlv_rng_below(&rng, MAX_D);
			count[i] = 0.5 + 5 * tlv_rng_uniform(&rng);
		}
		assert_ok(tlv_topic_infer(&ctx, worker, n, index, count, theta));
		naive_infer(&topics, n, index, count, exact);
		for (size_t j = 0; j < topics.k; j++)
		{
			/* One step more or less at the limit of 1e-4 is possible. */
			assert_close(theta[j], exact[j], 1e-4);
			sum += theta[j];
		}
		assert_close(sum, 1, 1e-12);
		for (size_t i = 0; i < n; i++)
		{
			double p = 0;

			for (size_t j = 0; j < topics.k; j++)
				p += theta[j] * fmax(phi[(size_t) index[i] * topics.k + j], 1e-12);
			likelihood += count[i] * log(fmax(p, 1e-300));
		}
		assert_close(tlv_topic_log_likelihood(worker, n, index, count, theta), likelihood,
					 1e-6 * (1 + fabs(likelihood)));
		tlv_topic_worker_destroy(&ctx, worker);
	}
}

TEST(test_worker_memory)
{
	tlv_topics topics = model(20, MAX_D, 1);
	tlv_topic_worker *worker = worker_of(&topics);
	double promised = tlv_topic_worker_memory(&topics);

	/* beside the allocator's own bookkeeping */
	assert_at_most((double) ctx.arena.used, promised + 1024);
	assert_at_least((double) ctx.arena.used, 0.9 * promised);
	tlv_topic_worker_destroy(&ctx, worker);
	assert_short_of_memory(1000, tlv_topic_worker_create(&ctx, &topics, &worker));
	assert_null(worker);
	alpha[3] = 0;
	assert_int_equal(tlv_topic_worker_create(&ctx, &topics, &worker), TLV_BAD_PARAMETER);
	tlv_topic_worker_destroy(&ctx, NULL);
}

/* ---- Gibbs sampling against the exact posterior ---- */

/*
 * Sums over all k^length assignments: expected counts (n x k) and expected
 * leave-one-out log-likelihood.  token[t] is the entry of the document that token t belongs to.
 */
static void
enumerate(const tlv_topics *t, size_t length, const size_t *token, const int32_t *index,
		  double *expected, double *likelihood)
{
	size_t k = t->k;
	size_t z[8] = {0};
	double n[MAX_K] = {0};
	double total = 0;
	double alpha0 = 0;

	for (size_t j = 0; j < k; j++)
		alpha0 += t->alpha[j];
	n[0] = (double) length;
	for (bool more = true; more;)
	{
		double weight = 0;
		double rest = 0;

		for (size_t j = 0; j < k; j++)
			weight += n[j] > 0 ? lgamma(t->alpha[j] + n[j]) - lgamma(t->alpha[j]) : 0;
		for (size_t a = 0; a < length; a++)
		{
			const double *row = t->phi + (size_t) index[token[a]] * k;
			double p = 0;

			weight += log(row[z[a]]);
			for (size_t j = 0; j < k; j++)
				p += row[j] * (t->alpha[j] + n[j] - (z[a] == j));
			rest += log(p / (alpha0 + (double) length - 1));
		}
		weight = exp(weight);
		total += weight;
		*likelihood += weight * rest;
		for (size_t a = 0; a < length; a++)
			expected[token[a] * k + z[a]] += weight;
		more = false;
		for (size_t a = 0; a < length && !more; a++)
		{
			n[z[a]]--;
			z[a] = (z[a] + 1) % k;
			n[z[a]]++;
			more = z[a] != 0;
		}
	}
	for (size_t e = 0; e < 8 * k; e++)
		expected[e] /= total;
	*likelihood /= total;
}

static void
check_gibbs(size_t k, size_t length, size_t n, const size_t *token, int keep)
{
	static double expected[8 * MAX_K];
	tlv_topics topics = model(k, MAX_D, 0.5);
	tlv_topic_worker *worker = worker_of(&topics);
	tlv_topic_statistics statistics = {.items = items};
	tlv_gibbs_options options = {.warm = 3, .burn = 20, .keep = keep, .seed = k};
	int32_t index[8];
	double count[8] = {0};
	double likelihood = 0;

	memset(expected, 0, sizeof(expected));
	memset(items, 0, sizeof(items));
	for (size_t i = 0; i < n; i++)
		index[i] = (int32_t) (7 * i + 3);
	for (size_t a = 0; a < length; a++)
		count[token[a]]++;
	assert_ok(tlv_topic_gibbs(&ctx, worker, n, index, count, &options, &statistics));
	enumerate(&topics, length, token, index, expected, &likelihood);
	for (size_t i = 0; i < n; i++)
	{
		double sum = 0;

		for (size_t j = 0; j < k; j++)
		{
			double found = items[(size_t) index[i] * k + j];

			assert_close(found, expected[i * k + j], 4 / sqrt(keep));
			sum += found;
		}
		assert_close(sum, count[i], 1e-4);
	}
	assert_close(statistics.log_likelihood, likelihood, 10 / sqrt(keep));
	assert_close(statistics.tokens, (double) length, 0);
	assert_close(statistics.documents, 1, 0);
	tlv_topic_worker_destroy(&ctx, worker);
}

ACCURACY_TEST(test_gibbs_exact)
{
	const size_t token[6] = {0, 0, 0, 1, 1, 2};

	for (int repeat = 0; repeat < 4; repeat++)
	{
		check_gibbs(1, 6, 3, token, 4000);
		check_gibbs(3, 6, 3, token, 40000);
		check_gibbs(17, 4, 2, token, 40000);
		check_gibbs(40, 3, 1, token, 40000);
		check_gibbs(50, 3, 1, token, 40000);
		check_gibbs(100, 2, 1, token, 40000);
		check_gibbs(3, 1, 1, token, 40000);
	}
}

/*
 * Two items, two topics: counts c and 3.  Exact over the numbers of tokens in
 * topic 0; c on both sides of the limit for blocks.
 */
static void
check_block(double c, int keep)
{
	tlv_topics topics = model(2, 2, 2);
	tlv_topic_worker *worker = worker_of(&topics);
	tlv_topic_statistics statistics = {.items = items};
	tlv_gibbs_options options = {.warm = 3, .burn = 200, .keep = keep, .seed = 3};
	int32_t index[2] = {0, 1};
	double count[2] = {c, 3};
	double expected[2] = {0, 0};
	double total = 0;
	double largest = -HUGE_VAL;

	memset(items, 0, sizeof(items));
	assert_ok(tlv_topic_gibbs(&ctx, worker, 2, index, count, &options, &statistics));
	for (int pass = 0; pass < 2; pass++)
		for (double m = 0; m <= c; m++)
			for (double b = 0; b <= 3; b++)
			{
				double w = lgamma(c + 1) - lgamma(m + 1) - lgamma(c - m + 1) + lgamma(4) -
						   lgamma(b + 1) - lgamma(4 - b) + m * log(phi[0]) + (c - m) * log(phi[1]) +
						   b * log(phi[2]) + (3 - b) * log(phi[3]) + lgamma(alpha[0] + m + b) +
						   lgamma(alpha[1] + c + 3 - m - b);

				largest = fmax(largest, w);
				if (pass == 0)
					continue;
				w = exp(w - largest);
				total += w;
				expected[0] += w * m;
				expected[1] += w * b;
			}
	/* The memberships mix slowly when one item has nearly all tokens: wide bounds. */
	assert_close(items[0] / c, expected[0] / total / c, 0.06);
	assert_close(items[2] / 3, expected[1] / total / 3, 0.06);
	assert_close(items[0] + items[1], c, 1e-3 * c);
	assert_close(items[2] + items[3], 3, 1e-3);
	tlv_topic_worker_destroy(&ctx, worker);
}

ACCURACY_TEST(test_gibbs_block)
{
	for (int repeat = 0; repeat < 3; repeat++)
	{
		check_block(TLV_GIBBS_BLOCK_COUNT, 4000);
		check_block(TLV_GIBBS_BLOCK_COUNT + 1, 40000);
		check_block(400, 40000);
	}
}

/* 1e9 tokens cost no more than a few hundred. */
TEST(test_gibbs_huge)
{
	tlv_topics topics = model(20, MAX_D, 0.5);
	tlv_topic_worker *worker = worker_of(&topics);
	tlv_topic_statistics statistics = {.items = items};
	tlv_gibbs_options options = {.warm = 5, .burn = 5, .keep = 5, .seed = 3};
	int32_t index[3] = {5, 6, 9};
	double count[3] = {1e9, 4e15, 2};
	double sum = 0;

	memset(items, 0, sizeof(items));
	assert_ok(tlv_topic_gibbs(&ctx, worker, 3, index, count, &options, &statistics));
	for (size_t j = 0; j < 20; j++)
		sum += items[5 * 20 + j];
	assert_close(sum, 1e9, 1);
	assert_true(isfinite(statistics.log_likelihood));
	assert_below(statistics.log_likelihood, 0);
	tlv_topic_worker_destroy(&ctx, worker);
}

TEST(test_faults)
{
	tlv_topics topics = model(4, MAX_D, 0.5);
	tlv_topic_worker *worker = worker_of(&topics);
	tlv_topic_statistics s = {.items = items};
	tlv_gibbs_options options = {.warm = 2, .burn = 1, .keep = 1};
	int32_t index[2] = {0, 1};
	double count[2] = {1, 2.5};
	double theta[4];
	double ll = 0;
	double tokens = 0;

	assert_fails(tlv_topic_gibbs(&ctx, worker, 2, index, count, &options, &s), TLV_BAD_DATA, "2.5");
	assert_int_equal(tlv_topic_completion(&ctx, worker, NULL, 2, index, count, 1, &ll, &tokens),
					 TLV_BAD_DATA);
	assert_ok(tlv_topic_infer(&ctx, worker, 2, index, count, theta));
	count[1] = -1;
	assert_int_equal(tlv_topic_infer(&ctx, worker, 2, index, count, theta), TLV_BAD_DATA);
	count[1] = NAN;
	assert_int_equal(tlv_topic_infer(&ctx, worker, 2, index, count, theta), TLV_BAD_DATA);
	count[1] = 1;
	index[1] = MAX_D;
	assert_int_equal(tlv_topic_infer(&ctx, worker, 2, index, count, theta), TLV_BAD_PARAMETER);
	index[1] = 1;
	options.keep = 0;
	assert_int_equal(tlv_topic_gibbs(&ctx, worker, 2, index, count, &options, &s),
					 TLV_BAD_PARAMETER);
	options.keep = 1;
	assert_ok(tlv_topic_gibbs(&ctx, worker, 2, index, count, &options, &s)); /* it has its memory */
	for (size_t look = 1; look <= 4; look++)
		assert_cancelled_at(look, tlv_topic_gibbs(&ctx, worker, 2, index, count, &options, &s));
	s.documents = 0;
	assert_ok(tlv_topic_gibbs(&ctx, worker, 0, NULL, NULL, &options, &s));
	assert_equal(s.documents, 0);
	assert_ok(tlv_topic_infer(&ctx, worker, 0, NULL, NULL, theta));
	assert_close(theta[1], alpha[1] / (alpha[0] + alpha[1] + alpha[2] + alpha[3]), 1e-15);
	tlv_topic_worker_destroy(&ctx, worker);
}

/* ---- topics that move ---- */

static double found[2][MAX_K * MAX_D];

/* The document by itself under those topics, with the chain's settings. */
static void
gibbs_under(const tlv_topics *topics, size_t n, const int32_t *index, const double *count,
			const tlv_gibbs_options *options, tlv_topic_statistics *statistics)
{
	tlv_topic_worker *worker = worker_of(topics);

	assert_ok(tlv_topic_gibbs(&ctx, worker, n, index, count, options, statistics));
	tlv_topic_worker_destroy(&ctx, worker);
}

/*
 * At first the topics are those of the beginning; after half of the tokens half of those and what
 * has been found; after all of them nothing but what has been found.
 */
TEST(test_stepwise)
{
	static double moved[MAX_K * MAX_D];
	const int32_t index[3] = {5, 9, 40};
	const double count[3] = {3, 1, 2}, eta = 0.1;
	tlv_gibbs_options options = {TLV_STEPWISE_WARM, TLV_STEPWISE_BURN, TLV_STEPWISE_KEEP, 11};
	tlv_topics topics = model(20, MAX_D, 1), then = topics;
	double weights[20], mass[80];
	tlv_topic_worker *worker = worker_of(&topics);

	for (int half = 1; half <= 2; half++) /* the first document is half of the tokens, or all */
	{
		tlv_topic_statistics moving = {.items = found[0]}, alone = {.items = found[1]};
		tlv_topic_moves moves = {.begun = topics,
								 .weights = weights,
								 .tokens = half == 1 ? 12 : 6,
								 .eta = eta,
								 .mass = mass,
								 .factors = mass + 20};
		double left = half == 1 ? 0.5 : 0;

		memset(found, 0, sizeof(found));
		memset(mass, 0, sizeof(mass));
		for (size_t j = 0; j < 20; j++)
			weights[j] = 0.05;
		assert_ok(tlv_topic_stepwise(&ctx, worker, 3, index, count, &options, &moves, &moving));
		gibbs_under(&topics, 3, index, count, &options, &alone);
		assert_all_close((size_t) 20 * MAX_D, found[0], found[1], 0);
		for (size_t i = 0; i < MAX_D; i++)
			for (size_t j = 0; j < 20; j++)
			{
				double begun = left * (moves.tokens * 0.05 + eta * MAX_D);

				moved[i * 20 + j] =
					(begun * phi[i * 20 + j] + found[0][i * 20 + j] + (1 - left) * eta) /
					(begun + mass[j] + (1 - left) * eta * MAX_D);
			}
		then.phi = moved;
		memset(found[1], 0, sizeof(found[1]));
		alone = (tlv_topic_statistics){.items = found[1]};
		gibbs_under(&then, 3, index, count, &options, &alone);
		for (size_t i = 0; i < (size_t) 20 * MAX_D; i++)
			found[1][i] += found[0][i];
		assert_ok(tlv_topic_stepwise(&ctx, worker, 3, index, count, &options, &moves, &moving));
		assert_all_close((size_t) 20 * MAX_D, found[0], found[1], 1e-5);
		assert_close(moving.tokens, 12, 0);
	}
	tlv_topic_worker_destroy(&ctx, worker);
}

/* Topics with counts but without mass, and hardly any of the beginning: what a forged or a merged
 * state may hold.  No probability is more than 1, so the chain goes on. */
TEST(test_stepwise_massless)
{
	const int32_t index[3] = {5, 9, 40};
	const double count[3] = {3, 1, 2};
	const tlv_gibbs_options options = {TLV_STEPWISE_WARM, TLV_STEPWISE_BURN, TLV_STEPWISE_KEEP, 11};
	tlv_topics topics = model(20, MAX_D, 1);
	double weights[20], mass[80] = {0};
	tlv_topic_worker *worker = worker_of(&topics);
	tlv_topic_statistics statistics = {.items = found[0]};
	tlv_topic_moves moves = {.begun = topics,
							 .weights = weights,
							 .tokens = 144,
							 .eta = 1e-143,
							 .mass = mass,
							 .factors = mass + 20};

	for (size_t j = 0; j < 20; j++)
		weights[j] = 1e-294;
	for (size_t i = 0; i < (size_t) 20 * MAX_D; i++)
		found[0][i] = 1;
	assert_ok(tlv_topic_stepwise(&ctx, worker, 3, index, count, &options, &moves, &statistics));
	for (size_t i = 0; i < (size_t) 20 * MAX_D; i++)
		assert_true(isfinite(found[0][i]));
	assert_true(isfinite(statistics.log_likelihood));
	tlv_topic_worker_destroy(&ctx, worker);
}

RUN_TESTS(setup, teardown)
