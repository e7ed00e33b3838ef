/*
 * test_plane.c - the two dimensions in which components are drawn (picture.h).
 */
#include "tensorlv/model/picture.h"

#include "pool_setup.h"
#include "tensorlv/num/rng.h"

static size_t place[2];

static void
choose(size_t n, size_t d, const double *means, const double *variances, size_t each)
{
	double weights[8];

	for (size_t j = 0; j < n; j++)
		weights[j] = 1.0 / (double) n;
	assert_ok(tlv_picture_plane(&ctx,
								&(tlv_picture_normals){.n = n,
													   .d = d,
													   .weights = weights,
													   .means = means,
													   .variances = variances,
													   .each = each},
								place));
}

static void
assert_place(size_t first, size_t second)
{
	assert_int_equal(place[0], first);
	assert_int_equal(place[1], second);
}

/* Dimension 3 repeats dimension 1: only dimension 2 has what it shows. */
TEST(test_dimensions_that_repeat)
{
	const double means[] = {0, 0, 0, 0, 0, 8, 0, 7.5, 0, 8, 4, 7.5}, variances[] = {1, 1, 1};

	choose(3, 4, means, variances, 1);
	assert_place(1, 2);
}

/* The unit of a dimension, and how far apart components are, are not what counts. */
TEST(test_units)
{
	const double powers[] = {1e-150, 1e-3, 1, 1e4, 1e90};

	for (int p = 0; p < 5; p++)
	{
		double u = powers[p];
		const double means[] = {0, 0, 0, 5000, 300 * u, 1}, v = 1000 * 1000;
		const double variances[] = {v, u * u, 0.04, v, u * u, 0.04};

		choose(2, 3, means, variances, 3);
		assert_place(1, 0);
	}
}

/* Neither of the last two dimensions tells the components apart, but both together do. */
TEST(test_correlation)
{
	const double means[] = {0, 0, 0, 2, 1, -1};
	const double covariance[] = {1, 0, 1, 0, 0.99, 1};
	double variances[12];

	memcpy(variances, covariance, sizeof(covariance));
	memcpy(variances + 6, covariance, sizeof(covariance));
	choose(2, 3, means, variances, 6);
	/* The first dimension is the best by itself, and it stays. */
	assert_int_equal(place[0], 0);
	choose(2, 2, (const double[]){0, 0, 1, -1}, (const double[]){1, 0.99, 1, 1, 0.99, 1}, 3);
	assert_place(0, 1);
	/* Beside dimension 2, which is the best, dimension 3 is better than dimension 1, since it is
	 * correlated with it. */
	choose(2, 3, (const double[]){0, 0, 0, 0.9, 1, -0.8}, variances, 6);
	assert_place(1, 2);
}

/* Components that differ in their variances alone, of one dimension, or not at all. */
TEST(test_corners)
{
	choose(2, 3, (const double[]){1, 1, 1, 1, 1, 1}, (const double[]){1, 1, 1, 1, 9, 4}, 3);
	assert_place(1, 2);
	choose(2, 1, (const double[]){0, 1}, (const double[]){1, 1}, 1);
	assert_place(0, 0);
	choose(2, 2, (const double[]){3, 3, 3, 3}, (const double[]){0, 0}, 1);
	assert_place(0, 1);
	choose(2, 3, (const double[]){3, 3, 0, 3, 3, 1}, (const double[]){0, 0}, 1);
	assert_place(2, 0);
	choose(1, 3, (const double[]){3, 1, 2}, (const double[]){1}, 1);
	assert_true(place[0] != place[1]);
	choose(3, 2, (const double[]){-1e100, 0, 0, 0, 1e100, 1e-100}, (const double[]){0, 1, 1e-200},
		   1);
	assert_true(place[0] != place[1]);
}

/* What is chosen first is never worse for assigning rows than another dimension, as rows tell. */
TEST(test_rows_assigned)
{
	enum
	{
		D = 4,
		ROWS = 4000
	};
	tlv_rng rng;

	tlv_rng_seed(&rng, 33);
	for (int trial = 0; trial < 20; trial++)
	{
		double means[2 * D], variances[2 * D], wrong[D] = {0};

		for (int i = 0; i < 2 * D; i++)
		{
			means[i] = 2 * tlv_rng_normal(&rng);
			variances[i] = 0.5 + tlv_rng_uniform(&rng);
		}
		choose(2, D, means, variances, D);
		for (int r = 0; r < ROWS; r++)
			for (int i = 0; i < D; i++)
			{
				int j = r % 2;
				double x = means[j * D + i] + sqrt(variances[j * D + i]) * tlv_rng_normal(&rng);
				double score[2];

				for (int c = 0; c < 2; c++)
					score[c] =
						(x - means[c * D + i]) * (x - means[c * D + i]) / variances[c * D + i] +
						log(variances[c * D + i]);
				wrong[i] += score[j] > score[1 - j] ? 1.0 / ROWS : 0;
			}
		for (int i = 0; i < D; i++)
			assert_true(wrong[place[0]] <= wrong[i] + 0.03);
	}
}

RUN_TESTS_OF_GROUP(setup, teardown, NULL, NULL)
