/*
 * test_separable.c - non-negative matrices as mixtures of some of their rows: planted ones, exact
 * and with noise, refusals.
 */
#define RNG_SEED 9
#include "pool_setup.h"
#include "tensorlv/model/anchors.h"

#define N 60
#define D 12
#define K 4

static double matrix[N * D], truth[N * K];

/* Rows 7, 17, 27 and 37 are those that the others are mixtures of; row 3 is zero, 8 a copy of 7. */
static int
plant(void **state)
{
	double corners[K * D];

	(void) setup(state);
	for (size_t i = 0; i < K * D; i++)
		corners[i] = tlv_rng_gamma(&rng, .5);
	memset(matrix, 0, sizeof(matrix));
	memset(truth, 0, sizeof(truth));
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < K && i != 3; j++)
		{
			truth[i * K + j] = i % 10 == 7 && i < 10 * K ? i / 10 == j : tlv_rng_gamma(&rng, 1);
			if (i == 8)
				truth[i * K + j] = j == 0 ? 2.5 : 0;
			for (size_t c = 0; c < D; c++)
				matrix[i * D + c] += truth[i * K + j] * corners[j * D + c];
		}
	return 0;
}

static bool
is_planted(int32_t row)
{
	return row == 8 || (row % 10 == 7 && row < 10 * K);
}

/* The rows, all of them, and the weights, with k given and without, by either method. */
TEST(test_exact)
{
	for (int way = 0; way < 6; way++)
	{
		tlv_separable_factors found;

		assert_ok(tlv_separable_factorize(&ctx, N, D, matrix, way % 2 ? K : 0, way / 2, 0, &found));
		assert_int_equal(found.k, K);
		for (size_t j = 0; j < K; j++)
			assert_true(is_planted(found.anchors[j]));
		for (size_t i = 0; i < N; i++)
			for (size_t j = 0; j < K; j++)
			{
				int32_t anchor = found.anchors[j];
				double wanted = truth[i * K + (size_t) anchor / 10] / (anchor == 8 ? 2.5 : 1);

				assert_below(fabs(found.weights[i * K + j] - wanted), 1e-6);
			}
	}
}

/* Entries that are a little off: the same rows within eps. */
TEST(test_noise)
{
	for (size_t i = 0; i < N * D; i++)
		matrix[i] *= 1 + 2e-4 * (tlv_rng_uniform(&rng) - .5);
	for (int method = 0; method < 3; method++)
	{
		tlv_separable_factors found;

		assert_ok(tlv_separable_factorize(&ctx, N, D, matrix, 0, method, 5e-4, &found));
		assert_int_equal(found.k, K);
		for (size_t j = 0; j < K; j++)
			assert_true(is_planted(found.anchors[j]));
	}
}

/*
 * No row is pure: three are for all but a hundredth of every component, and these are found, one
 * of each component and no row of less; farthest rows are so, too, but for how many there are.
 */
TEST(test_almost)
{
	tlv_separable_factors found;
	double corners[K * D], near = 0;

	for (size_t i = 0; i < K * D; i++)
		corners[i] = tlv_rng_gamma(&rng, .5);
	for (size_t i = 0; i < N; i++)
	{
		double share[K], sum = 0;

		for (size_t j = 0; j < K; j++)
			sum += share[j] = tlv_rng_gamma(&rng, 1);
		for (size_t j = 0; j < K; j++)
			share[j] *= (i < 3 * K ? .01 : 1) / sum;
		share[i % K] += i < 3 * K ? .99 : 0;
		for (size_t c = 0; c < D; c++)
		{
			matrix[i * D + c] = 0;
			for (size_t j = 0; j < K; j++)
				matrix[i * D + c] += share[j] * corners[j * D + c];
		}
	}
	assert_ok(tlv_separable_factorize(&ctx, N, D, matrix, 0, TLV_SEPARABLE_ALMOST, 3e-3, &found));
	assert_int_equal(found.k, K);
	for (size_t j = 0; j < K; j++)
	{
		assert_at_most(found.anchors[j], 3 * K - 1);
		for (size_t l = 0; l < j; l++)
			assert_int_not_equal(found.anchors[j] % K, found.anchors[l] % K);
	}
	for (size_t i = 0; i < N; i++)
		for (size_t c = 0; c < D; c++)
		{
			double made = 0;

			for (size_t j = 0; j < K; j++)
				made += found.weights[i * K + j] * matrix[(size_t) found.anchors[j] * D + c];
			near = fmax(near, fabs(made - matrix[i * D + c]));
		}
	assert_below(near, .005);
	assert_fails(tlv_separable_factorize(&ctx, 201, 1, matrix, 0, TLV_SEPARABLE_ALMOST, 0, &found),
				 TLV_LIMIT, "201 rows are more than 200");
	assert_cancelled_at(
		3, tlv_separable_factorize(&ctx, N, D, matrix, 0, TLV_SEPARABLE_ALMOST, 0, &found));
}

TEST(test_refusals)
{
	static const double zeros[6];
	tlv_separable_factors found;

	assert_fails(
		tlv_separable_factorize(&ctx, N, D, matrix, N + 1, TLV_SEPARABLE_ANCHORS, 0, &found),
		TLV_BAD_PARAMETER, "k = 61 is more than the 60 rows");
	assert_fails(
		tlv_separable_factorize(&ctx, N, D, matrix, K + 1, TLV_SEPARABLE_ANCHORS, 0, &found),
		TLV_NOT_IDENTIFIABLE, "only 4 of 5 anchor rows were found");
	assert_fails(tlv_separable_factorize(&ctx, N, D, matrix, 0, TLV_SEPARABLE_LONER, NAN, &found),
				 TLV_BAD_PARAMETER, "eps");
	assert_fails(tlv_separable_factorize(&ctx, 2, 3, zeros, 0, TLV_SEPARABLE_ANCHORS, 0, &found),
				 TLV_BAD_DATA, "all rows are zero");
	matrix[5] = -1e-9;
	assert_fails(tlv_separable_factorize(&ctx, N, D, matrix, 0, TLV_SEPARABLE_ANCHORS, 0, &found),
				 TLV_BAD_PARAMETER, "entry 6 of row 1");
	matrix[5] = INFINITY;
	assert_fails(tlv_separable_factorize(&ctx, N, D, matrix, 0, TLV_SEPARABLE_ANCHORS, 0, &found),
				 TLV_BAD_PARAMETER, "entry 6 of row 1");
	matrix[5] = 0;
	assert_fails(tlv_separable_factorize(&ctx, 1001, 1, matrix, 0, TLV_SEPARABLE_LONER, 0, &found),
				 TLV_LIMIT, "1001 rows are more than 1000");
	assert_cancelled_at(
		3, tlv_separable_factorize(&ctx, N, D, matrix, 0, TLV_SEPARABLE_LONER, 0, &found));
}

RUN_TESTS(plant, teardown)
