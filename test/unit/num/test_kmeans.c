/*
 * test_kmeans.c - k-means: planted clusters, degenerate points, what is
 * promised of labels, centers and the sum of squares.
 */
#define RNG_SEED 3
#include "malloc_setup.h"
#include "tensorlv/num/kmeans.h"

/* Number of labels in use; all are within 0 .. k - 1, and those in use come first. */
static size_t
labels_used(size_t n, size_t k, const int32_t *label)
{
	size_t *count = room(k, sizeof(size_t)), used = 0;

	for (size_t i = 0; i < n; i++)
	{
		assert_at_least(label[i], 0);
		assert_below((size_t) label[i], k);
		count[label[i]]++;
	}
	for (size_t c = 0; c < k; c++)
	{
		used += count[c] > 0;
		if (count[c] != 0)
			assert_equal(used, c + 1);
	}
	return used;
}

static double
sum_of_squares(size_t n, size_t d, const float *points, const float *weights, const int32_t *label,
			   const float *centers)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < d; j++)
		{
			double difference =
				(double) points[i * d + j] - (double) centers[(size_t) label[i] * d + j];

			sum += (weights == NULL ? 1 : (double) weights[i]) * difference * difference;
		}
	return sum;
}

static tlv_status
cluster(tlv_kmeans_task task, int32_t *label, float *centers, double *inertia)
{
	return tlv_kmeans(&ctx, &task, &rng, label, centers, inertia);
}

/* Point i belongs to cluster i % k, around a random center `far` off the origin. */
static float *
planted(size_t n, size_t d, size_t k, double noise, double far)
{
	double *center = room(d * k, sizeof(double));
	float *points = room(n * d, sizeof(float));

	tlv_rng_fill_normal(&rng, d * k, center);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < d; j++)
			points[i * d + j] =
				(float) (far + center[(i % k) * d + j] + noise * tlv_rng_normal(&rng));
	return points;
}

static void
check_planted(size_t n, size_t d, size_t k, double noise, double far, int starts)
{
	float *points = planted(n, d, k, noise, far), *centers = room(d * k, sizeof(float));
	int32_t *label = room(n, sizeof(int32_t));
	double inertia, again;

	assert_ok(
		cluster((tlv_kmeans_task){n, d, points, NULL, k, starts, 50, 0}, label, centers, &inertia));
	assert_int_equal(labels_used(n, k, label), k);
	for (size_t i = k; i < n; i++)
		if (label[i] != label[i % k])
			fail_msg("n = %zu, d = %zu, k = %zu: point %zu is not with point %zu", n, d, k, i,
					 i % k);
	again = sum_of_squares(n, d, points, NULL, label, centers);
	assert_close(again, inertia, 1e-3 * inertia);
	/* noise^2 for every coordinate but those that the means take, within 4 standard errors. */
	assert_close(inertia / (noise * noise * (double) ((n - k) * d)), 1,
				 4 * sqrt(2 / (double) ((n - k) * d)));
}

TEST(test_planted)
{
	check_planted(500, 10, 3, 0.1, 0, 1);
	check_planted(3000, 17, 40, 0.05, 0, 3);
	check_planted(3000, 33, 16, 0.1, 1000, 3);
}

/* So many that the seeds come from a part of the points. */
ACCURACY_TEST(test_many_planted)
{
	check_planted(20000, 50, 100, 0.05, 0, 3);
	check_planted(60000, 100, 400, 0.05, 0, 1);
}

/* Clusters that overlap: the steps after the first take the sum of squares down to what is left. */
TEST(test_steps)
{
	size_t n = 5000, d = 20, k = 20;
	double noise = 0.6, inertia;
	float *points = planted(n, d, k, noise, 0);
	int32_t *label = room(n, sizeof(int32_t));

	assert_ok(cluster((tlv_kmeans_task){n, d, points, NULL, k, 10, 50, 0}, label, NULL, &inertia));
	assert_below(inertia / (noise * noise * (double) ((n - k) * d)), 1.01);
}

/* Three clusters on a line, in units whose squares are beyond single precision, too. */
TEST(test_units)
{
	const float units[] = {1, 1e20F, 1e-25F};

	for (int u = 0; u < 3; u++)
	{
		float points[] = {1, 2, 3, 11, 12, 13, 101, 102, 103}, centers[3];
		int32_t label[9];
		double inertia;

		for (int i = 0; i < 9; i++)
			points[i] *= units[u];
		assert_ok(
			cluster((tlv_kmeans_task){9, 1, points, NULL, 3, 5, 20, 0}, label, centers, &inertia));
		assert_int_equal(labels_used(9, 3, label), 3);
		assert_close(inertia / ((double) units[u] * (double) units[u]), 6, 1e-4);
		for (int i = 0; i < 9; i++)
		{
			assert_int_equal(label[i], label[i / 3 * 3]);
			assert_below(fabsf(centers[label[i]] / points[i / 3 * 3 + 1] - 1), 1e-6F);
		}
	}
}

TEST(test_one_cluster)
{
	float points[] = {0, 0, 2, 0, 1, 3}, centers[2];
	int32_t label[3];
	double inertia;

	assert_ok(
		cluster((tlv_kmeans_task){3, 2, points, NULL, 1, 3, 20, 0}, label, centers, &inertia));
	assert_below(fabsf(centers[0] - 1), 1e-6F);
	assert_below(fabsf(centers[1] - 1), 1e-6F);
	assert_close(inertia, 8, 1e-5);
}

/* A weight counts as so many copies. */
TEST(test_weights)
{
	float points[] = {0, 1, 10, 12}, weights[] = {3, 1, 1, 0}, centers[2];
	int32_t label[4];
	double inertia;

	assert_ok(
		cluster((tlv_kmeans_task){4, 1, points, weights, 2, 4, 20, 0}, label, centers, &inertia));
	assert_int_equal(label[0], label[1]);
	assert_int_equal(label[2], label[3]);
	assert_int_not_equal(label[0], label[2]);
	assert_below(fabsf(centers[label[0]] - 0.25F), 1e-6F);
	assert_below(fabsf(centers[label[2]] - 10), 1e-5F);
	assert_close(inertia, 0.75, 1e-5);
	weights[1] = -1;
	for (int empty = 0; empty < 2; empty++)
	{
		assert_int_equal(cluster((tlv_kmeans_task){4, 1, points, weights, 2, 4, 20, 0}, label,
								 centers, &inertia),
						 TLV_BAD_DATA);
		memset(weights, 0, sizeof(weights));
	}
}

/* m distinct points, each several times. */
static void
check_duplicates(size_t n, size_t d, size_t m, size_t k, double apart)
{
	float *points = room(n * d, sizeof(float)), *centers = room(d * k, sizeof(float));
	int32_t *label = room(n, sizeof(int32_t));
	size_t used = m < k ? m : k;
	double inertia;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < d; j++)
			points[i * d + j] =
				(float) (apart * (double) ((i % m) * (j + 1)) + (i % m == 0 ? 1 : 0));
	assert_ok(
		cluster((tlv_kmeans_task){n, d, points, NULL, k, 2, 30, 0}, label, centers, &inertia));
	assert_int_equal(labels_used(n, k, label), used);
	for (size_t i = m; i < n; i++)
		assert_int_equal(label[i], label[i % m]);
	if (m <= k)
		assert_below(inertia, 1e-9 * apart * apart * (double) (n * d));
	for (size_t i = 0; i < d * k; i++)
		assert_true(isfinite(centers[i]));
}

TEST(test_duplicates)
{
	check_duplicates(100, 3, 1, 1, 1);
	check_duplicates(100, 3, 1, 7, 1);
	check_duplicates(100, 3, 6, 7, 1);
	check_duplicates(100, 3, 7, 7, 1);
	check_duplicates(100, 3, 20, 7, 1);
	/* Nearly equal in relation to the first point: told apart nevertheless. */
	check_duplicates(100, 2, 5, 5, 1e-4);
	check_duplicates(100, 2, 9, 20, 1e-5);
}

TEST(test_every_point_a_cluster)
{
	const size_t n = 300;
	float *points = planted(n, 4, 5, 0.5, 0), *centers = room(4 * n, sizeof(float));
	int32_t *label = room(n, sizeof(int32_t));
	double inertia;

	assert_ok(
		cluster((tlv_kmeans_task){n, 4, points, NULL, n, 1, 10, 0}, label, centers, &inertia));
	assert_int_equal(labels_used(n, n, label), n);
	assert_below(inertia, 1e-9);
	assert_ok(
		cluster((tlv_kmeans_task){n, 4, points, NULL, n - 1, 1, 0, 0}, label, centers, &inertia));
	assert_int_equal(labels_used(n, n - 1, label), n - 1);
}

TEST(test_same_seed)
{
	const size_t n = 2000;
	float *points = planted(n, 8, 5, 1, 0);
	int32_t *label = room(2 * n, sizeof(int32_t));
	double inertia[2];

	for (size_t i = 0; i < 2; i++)
	{
		tlv_rng_seed(&rng, 77);
		assert_ok(cluster((tlv_kmeans_task){n, 8, points, NULL, 12, 2, 30, 0}, label + i * n, NULL,
						  &inertia[i]));
	}
	assert_memory_equal(label, label + n, n * sizeof(int32_t));
	assert_equal(inertia[0], inertia[1]);
}

TEST(test_bad_input)
{
	float points[] = {0, 1, 2, NAN};
	const struct
	{
		tlv_kmeans_task task;
		tlv_status status;
	} cases[] = {{{3, 1, points, NULL, 4, 1, 9, 0}, TLV_BAD_PARAMETER},
				 {{3, 1, points, NULL, 0, 1, 9, 0}, TLV_BAD_PARAMETER},
				 {{3, 0, points, NULL, 2, 1, 9, 0}, TLV_BAD_PARAMETER},
				 {{3, 1, points, NULL, 2, 0, 9, 0}, TLV_BAD_PARAMETER},
				 {{4, 1, points, NULL, 2, 1, 9, 0}, TLV_BAD_DATA}};
	int32_t label[4];
	double inertia;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(cluster(cases[i].task, label, NULL, &inertia), cases[i].status);
	points[3] = 1e30F; /* its square alone is beyond single precision */
	assert_ok(cluster(cases[4].task, label, NULL, &inertia));
}

/* Cancelled at every look in turn, and short of memory at every allocation: nothing is lost. */
TEST(test_cancel_and_memory)
{
	const size_t n = 3000;
	const tlv_kmeans_task task = {n, 20, planted(n, 20, 5, 0.5, 0), NULL, 6, 1, 3, 0};
	int32_t *label = room(n, sizeof(int32_t));
	double inertia;

	assert_cancelled_anywhere(10, 1000, cluster(task, label, NULL, &inertia));
	assert_at_least(COUNT_REFUSALS(1000, cluster(task, label, NULL, &inertia)), 60);
}

RUN_TESTS(setup, teardown)
