/*
 * test_whiten.c - whitening and decomposition of given arrays: known components come back,
 * arrays that are not symmetric or not of full rank are refused in words.
 */
#define RNG_SEED 3
#include "pool_setup.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/whiten.h"

#define D 6
#define K 3

static double means[K][D], weights[K] = {0.5, 0.3, 0.2};
static double m2[D * D], m3[D * D * D], packed[D * (D + 1) * (D + 2) / 6];

static int
make_moments(void **state)
{
	(void) setup(state);
	memset(m2, 0, sizeof(m2));
	memset(m3, 0, sizeof(m3));
	for (int r = 0; r < K; r++)
		for (int i = 0; i < D; i++)
			means[r][i] = tlv_rng_normal(&rng);
	for (int r = 0; r < K; r++)
		for (int i = 0; i < D; i++)
			for (int j = 0; j < D; j++)
			{
				m2[i * D + j] += weights[r] * means[r][i] * means[r][j];
				for (int l = 0; l < D; l++)
					m3[(i * D + j) * D + l] += weights[r] * means[r][i] * means[r][j] * means[r][l];
			}
	return 0;
}

/* Weights and means from the moments alone. */
TEST(test_recovery)
{
	double w[D * K], tensor[K * (K + 1) * (K + 2) / 6], values[D], eigenvalues[K], vectors[K * K];
	double residual, u[D * D];
	tlv_decompose_options options = {0};

	memcpy(u, m2, sizeof(u));
	assert_ok(tlv_symmetric3(&ctx, D, m3, packed));
	assert_ok(tlv_whiten(&ctx, D, u, packed, K, w, tensor, values));
	for (int a = 0; a < K; a++)
		for (int b = 0; b < K; b++)
		{
			double sum = 0;

			for (int i = 0; i < D; i++)
				for (int j = 0; j < D; j++)
					sum += w[i + D * a] * m2[i * D + j] * w[j + D * b];
			assert_close(sum, a == b, 1e-9);
		}
	options.seed = 1;
	assert_ok(tlv_decompose_leading(&ctx, K, tensor, K, &options, eigenvalues, vectors, &residual));
	assert_below(residual, 1e-7);
	for (int r = 0; r < K; r++)
	{
		int truth = K - 1 - r; /* the smallest weight has the largest value */

		assert_close(eigenvalues[r], 1 / sqrt(weights[truth]), 1e-8);
		for (int i = 0; i < D; i++)
		{
			double mean = 0;

			for (int j = 0; j < K; j++)
				mean += u[i + D * j] * sqrt(values[j]) * vectors[j + K * r];
			assert_close(eigenvalues[r] * mean, means[truth][i], 1e-7);
		}
	}
}

/* Fewer components than dimensions: the largest, and the residual of what is left out. */
TEST(test_leading)
{
	double tensor[20] = {0}, values[4], vectors[16], residual;
	tlv_decompose_options options = {0};

	for (size_t i = 0; i < 4; i++)
		tensor[tlv_packed3_index(i, i, i)] = i == 2 ? 4 : i == 0 ? -3 : 0;
	options.seed = 1;
	assert_ok(tlv_decompose_leading(&ctx, 4, tensor, 1, &options, values, vectors, &residual));
	assert_close(values[0], 4, 1e-12);
	assert_close(vectors[2], 1, 1e-12);
	assert_close(residual, 3.0 / 5, 1e-9);
	assert_ok(tlv_decompose_leading(&ctx, 4, tensor, 2, &options, values, vectors, &residual));
	assert_close(values[1], 3, 1e-12);
	assert_below(fabs(vectors[4] + 1), 1e-12);
	assert_below(residual, 1e-9);
	assert_int_equal(
		tlv_decompose_leading(&ctx, 4, tensor, 5, &options, values, vectors, &residual),
		TLV_BAD_PARAMETER);
}

TEST(test_refusals)
{
	double w[D * D], tensor[D * (D + 1) * (D + 2) / 6], values[D], u[D * D];

	m3[1] += 1e-3;
	assert_fails(tlv_symmetric3(&ctx, D, m3, packed), TLV_BAD_DATA, "[2][1][1]");
	m3[1] = INFINITY;
	assert_fails(tlv_symmetric3(&ctx, D, m3, packed), TLV_BAD_DATA, "[1][1][2]");
	m3[1] = m3[D];
	assert_ok(tlv_symmetric3(&ctx, D, m3, packed));
	memcpy(u, m2, sizeof(u));
	assert_int_equal(tlv_whiten(&ctx, D, u, packed, K + 1, w, tensor, values),
					 TLV_NOT_IDENTIFIABLE);
	assert_non_null(strstr(ctx.error.detail, "eigenvalues"));
	assert_int_equal(tlv_whiten(&ctx, D, u, packed, D + 1, w, tensor, values), TLV_BAD_PARAMETER);
}

RUN_TESTS(make_moments, teardown)
