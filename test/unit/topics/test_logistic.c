/*
 * test_logistic.c - documents of correlated topics: the mode and the width of their posterior
 * against numerical derivatives, what they add to the sums, and simulated shares.
 */
#include "topics_fixture.h"

#define K 4
#define D 30

static double mean[K], covariance[K * K], precision[K * K];

/* A random distribution of shares. */
static tlv_logistic_normal
random_normal(void)
{
	double root[K * K];

	for (size_t j = 0; j < K; j++)
		mean[j] = tlv_rng_normal(&rng);
	for (size_t i = 0; i < K * K; i++)
		root[i] = tlv_rng_normal(&rng);
	for (size_t i = 0; i < K; i++)
		for (size_t j = 0; j < K; j++)
		{
			covariance[i + j * K] = i == j ? .3 : 0;
			for (size_t l = 0; l < K; l++)
				covariance[i + j * K] += root[i + l * K] * root[j + l * K];
		}
	memcpy(precision, covariance, sizeof(covariance));
	assert_ok(tlv_cholesky(&ctx, K, precision));
	assert_ok(tlv_invert_cholesky(&ctx, K, precision));
	return (tlv_logistic_normal){K, mean, covariance};
}

static size_t
random_document(const tlv_topics *topics, int32_t *index, double *count)
{
	size_t n = 0;

	for (size_t i = 0; i < topics->d; i++)
		if (tlv_rng_uniform(&rng) < .5)
		{
			index[n] = (int32_t) i;
			count[n++] = (double) (1 + tlv_rng_below(&rng, 6));
		}
	return n;
}

/* ln p(document, x) without constants. */
static double
joint(const tlv_topics *topics, size_t n, const int32_t *index, const double *count,
	  const double *x)
{
	double sum = 0, total = 0, theta[K];

	for (size_t j = 0; j < K; j++)
		total += theta[j] = exp(x[j]);
	for (size_t i = 0; i < n; i++)
	{
		double p = 0;

		for (size_t j = 0; j < K; j++)
			p += theta[j] / total * topics->phi[(size_t) index[i] * K + j];
		sum += count[i] * log(p);
	}
	for (size_t j = 0; j < K; j++)
		for (size_t l = 0; l < K; l++)
			sum -= precision[j + l * K] * (x[j] - mean[j]) * (x[l] - mean[l]) / 2;
	return sum;
}

/* Its derivatives by differences. */
static void
differences(const tlv_topics *topics, size_t n, const int32_t *index, const double *count,
			const double *x, double *gradient, double *hessian)
{
	const double h = 1e-3;

	for (size_t j = 0; j < K; j++)
		for (size_t l = 0; l < K; l++)
		{
			double f[2][2], y[K];

			for (int a = 0; a < 2; a++)
				for (int b = 0; b < 2; b++)
				{
					memcpy(y, x, sizeof(y));
					y[j] += a ? h : -h;
					y[l] += b ? h : -h;
					f[a][b] = joint(topics, n, index, count, y);
				}
			hessian[j + l * K] = (f[1][1] - f[1][0] - f[0][1] + f[0][0]) / (4 * h * h);
			if (j == l)
				gradient[j] = (f[1][1] - f[0][0]) / (4 * h);
		}
}

TEST(test_laplace)
{
	double flattest = 0, widest = 0, counts = 0, shares = 0;
	int32_t index[D];
	double count[D];

	for (int trial = 0; trial < 50; trial++)
	{
		tlv_topics topics = model(K, D, 0.5);
		tlv_topic_worker *worker = worker_of(&topics);
		tlv_logistic_normal normal = random_normal();
		double x[K], gradient[K], hessian[K * K], width[K * K], theta[K],
			sum = 0, latent[K] = {0}, products[K * K] = {0}, own[K] = {0};
		tlv_logistic_statistics sums = {
			.items = items, .shares = own, .latent = latent, .latent_products = products};
		size_t n = random_document(&topics, index, count);
		tlv_topic_logistic *logistic = NULL;

		memset(items, 0, K * D * sizeof(double));
		assert_ok(tlv_topic_logistic_create(&ctx, &normal, &logistic));
		assert_ok(tlv_topic_logistic_expect(&ctx, logistic, worker, n, index, count, &sums));
		assert_ok(tlv_topic_logistic_infer(&ctx, logistic, worker, n, index, count, theta));
		for (size_t j = 0; j < K; j++)
			x[j] = mean[j] + latent[j];
		differences(&topics, n, index, count, x, gradient, hessian);
		for (size_t i = 0; i < K * K; i++)
			width[i] = -hessian[i];
		assert_ok(tlv_cholesky(&ctx, K, width));
		assert_ok(tlv_invert_cholesky(&ctx, K, width));
		for (size_t j = 0; j < K; j++)
		{
			double step = 0;

			for (size_t l = 0; l < K; l++)
			{
				size_t at = j > l ? j + l * K : l + j * K;
				double second = width[at] + latent[j] * latent[l];

				step += width[at] * gradient[l];
				widest = fmax(widest, fabs(products[at] - second) /
										  sqrt(width[j + j * K] * width[l + l * K]));
			}
			flattest = fmax(flattest, fabs(step) / sqrt(width[j + j * K]));
			shares = fmax(shares, fabs(theta[j] - own[j]));
		}
		for (size_t i = 0; i < K * D; i++)
			sum += items[i];
		counts = fmax(counts, fabs(sum / sums.tokens - 1));
		assert_true(sums.log_likelihood < 0 && sums.documents == 1);
		tlv_topic_logistic_destroy(&ctx, logistic);
		tlv_topic_worker_destroy(&ctx, worker);
	}
	/* how far the mode is from where it should be, in standard deviations; the width, in parts of
	 * it */
	assert_below(flattest, 0.05);
	assert_below(widest, 1e-3);
	assert_below(counts, 1e-5);
	assert_below(shares, 1e-12);
}

/* A document of no word has the shares at the mean; one of a clear topic that topic; the same at
 * any k. */
TEST(test_ends)
{
	static const size_t ks[] = {1, 2, 17, 100};
	double theta[MAX_K], zero[MAX_K] = {0}, *wide;

	for (size_t c = 0; c < 4; c++)
	{
		size_t k = ks[c], d = k < MAX_D ? k : MAX_D;
		const int32_t index[1] = {0};
		const double count[1] = {500};
		tlv_topics topics = {.k = k, .d = d, .phi = phi, .alpha = alpha};
		tlv_topic_logistic *logistic = NULL;
		tlv_topic_worker *worker;

		for (size_t i = 0; i < k * d; i++)
			phi[i] = i % k == i / k ? 0.9 : 0.1 / (double) d;
		for (size_t j = 0; j < k; j++)
			alpha[j] = 1;
		assert_non_null(wide = tlv_alloc0(&ctx, k * k, sizeof(double)));
		for (size_t j = 0; j < k; j++)
			wide[j + j * k] = 4;
		worker = worker_of(&topics);
		assert_ok(
			tlv_topic_logistic_create(&ctx, &(tlv_logistic_normal){k, zero, wide}, &logistic));
		assert_ok(tlv_topic_logistic_infer(&ctx, logistic, worker, 0, index, count, theta));
		assert_below(fabs(theta[k - 1] - 1 / (double) k), 1e-12);
		assert_ok(tlv_topic_logistic_infer(&ctx, logistic, worker, 1, index, count, theta));
		assert_above(theta[0], 0.9);
		tlv_topic_logistic_destroy(&ctx, logistic);
		tlv_topic_worker_destroy(&ctx, worker);
		tlv_free(&ctx, wide);
	}
}

TEST(test_refused)
{
	static const double indefinite[4] = {1, 2, 2, 1};
	static const double zero[2] = {0};
	tlv_topic_logistic *logistic = NULL;

	assert_int_equal(
		tlv_topic_logistic_create(&ctx, &(tlv_logistic_normal){2, zero, indefinite}, &logistic),
		TLV_BAD_DATA);
	assert_null(logistic);
	assert_int_equal(tlv_topic_logistic_create(
						 &ctx,
						 &(tlv_logistic_normal){TLV_LOGISTIC_TOPICS_MOST + 1, zero, indefinite},
						 &logistic),
					 TLV_LIMIT);
}

/* Shares that are drawn have logarithms of the right mean and covariance. */
TEST(test_simulated)
{
	tlv_topics topics = model(K, D, 0.5);
	tlv_logistic_normal normal = random_normal();
	double theta[K], x[K - 1], means[K - 1] = {0}, second = 0, expected, variance;
	tlv_topic_simulator *simulator;
	int32_t index[8];
	double count[8];
	const int draws = 20000;
	size_t n;

	assert_ok(tlv_topic_simulator_create(&ctx, &topics, &simulator));
	assert_ok(tlv_topic_simulator_correlate(&ctx, simulator, &normal));
	for (int t = 0; t < draws; t++)
	{
		assert_ok(tlv_topic_simulate(&ctx, simulator, &rng, 8, theta, &n, index, count));
		for (size_t j = 0; j + 1 < K; j++)
			means[j] += x[j] = log(theta[j]) - log(theta[K - 1]);
		second += (x[0] - mean[0] + mean[K - 1]) * (x[1] - mean[1] + mean[K - 1]);
	}
	expected = covariance[K] - covariance[K - 1] - covariance[2 * K - 1] + covariance[K * K - 1];
	variance = covariance[0] + covariance[K * K - 1] - 2 * covariance[K - 1];
	assert_below(fabs(means[0] / draws - mean[0] + mean[K - 1]) / sqrt(variance), 0.03);
	assert_below(fabs(second / draws - expected) / variance, 0.06);
	tlv_topic_simulator_destroy(&ctx, simulator);
}

RUN_TESTS_OF_GROUP(setup, teardown, NULL, NULL)
