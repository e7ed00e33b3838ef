/*
 * test_tensor4.c - packed symmetric tensors of order 4: places, unpacking and translation against
 * sums over rows; products in single precision against those in double (tensor3.h).
 */
#define RNG_SEED 23
#include "pool_setup.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/tensor4.h"

#define D	 7
#define ROWS 150

/* Sum of the fourth powers of d x n rows. */
static double *
fourths(size_t d, size_t n, const double *y)
{
	double *packed = numbers(tlv_packed4_size(d));

	assert_ok(tlv_packed4_add_fourths(&ctx, d, n, y, packed, numbers(tlv_tensor4_work(d))));
	return packed;
}

/* Every place is taken once, in order. */
TEST(test_places)
{
	size_t at = 0;

	for (size_t a = 0; a < 12; a++)
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++)
				for (size_t e = 0; e <= c; e++)
					assert_int_equal(tlv_packed4_index(a, b, c, e), at++);
	assert_int_equal(at, tlv_packed4_size(12));
}

TEST(test_unpack)
{
	double *y = numbers(D * ROWS), *full = numbers(D * D * D * D);

	tlv_rng_fill_normal(&rng, D * ROWS, y);
	assert_ok(tlv_packed4_unpack(&ctx, D, fourths(D, ROWS, y), full));
	for (size_t i = 0; i < D * D * D * D; i++)
	{
		double sum = 0;

		for (size_t t = 0; t < ROWS; t++)
		{
			const double *row = y + t * D;

			sum += row[i % D] * row[i / D % D] * row[i / D / D % D] * row[i / D / D / D];
		}
		assert_close(full[i], sum, 1e-11 * ROWS);
	}
}

/* Sums of rows, and of the same rows moved. */
TEST(test_translate)
{
	double *y = numbers(D * ROWS), *moved = numbers(D * ROWS), delta[D];
	double *sum1 = numbers(D), *sum2 = numbers(D * D), *sum3 = numbers(tlv_packed3_size(D));
	double *packed, *expected;

	tlv_rng_fill_normal(&rng, D * ROWS, y);
	tlv_rng_fill_normal(&rng, D, delta);
	for (size_t t = 0; t < ROWS; t++)
		for (size_t i = 0; i < D; i++)
		{
			moved[t * D + i] = y[t * D + i] + delta[i];
			sum1[i] += y[t * D + i];
			for (size_t j = 0; j < D; j++)
				sum2[i + j * D] += y[t * D + i] * y[t * D + j];
			for (size_t j = 0; j <= i; j++)
				for (size_t l = 0; l <= j; l++)
					sum3[tlv_packed3_index(i, j, l)] += y[t * D + i] * y[t * D + j] * y[t * D + l];
		}
	packed = fourths(D, ROWS, y);
	expected = fourths(D, ROWS, moved);
	tlv_packed4_translate(D, ROWS, delta, sum1, sum2, sum3, packed);
	assert_all_close(tlv_packed4_size(D), packed, expected, 1e-10 * ROWS);
}

/* Weighted cubes and squares; n around the blocks' borders. */
TEST(test_single_precision)
{
	for (size_t k = 1; k <= 40; k += 13)
		for (size_t n = 1; n <= 1100; n = 3 * n + 7)
		{
			size_t entries = tlv_packed3_size(k), all = k * n;
			double *y = numbers(all), *r = numbers(all), *weight = numbers(n);
			float *single = tlv_alloc(&ctx, 2 * all, sizeof(float));
			double *cubes[2] = {numbers(entries), numbers(entries)};
			double *squares[2] = {numbers(entries), numbers(entries)};

			tlv_rng_fill_normal(&rng, all, y);
			tlv_rng_fill_normal(&rng, all, r);
			for (size_t t = 0; t < n; t++)
				weight[t] = tlv_rng_uniform(&rng);
			for (size_t i = 0; i < all; i++)
			{
				single[i] = (float) y[i];
				single[all + i] = (float) r[i];
				y[i] = (double) single[i];
				r[i] = (double) single[all + i];
			}
			tlv_packed3_add_cubes(k, n, y, weight, cubes[0], numbers(tlv_tensor3_work(k, n)));
			assert_ok(tlv_packed3_add_cubes_float(&ctx, k, n, single, weight, cubes[1],
												  (float *) numbers(tlv_tensor3_work(k, n))));
			assert_ok(tlv_packed3_add_squares(&ctx, k, n, y, r, squares[0]));
			assert_ok(tlv_packed3_add_squares_float(&ctx, k, n, single, single + all, squares[1]));
			assert_all_close(entries, cubes[1], cubes[0], 5e-6 * sqrt((double) n));
			assert_all_close(entries, squares[1], squares[0], 5e-6 * sqrt((double) n));
			pool_reset(&memory, &ctx);
		}
}

RUN_TESTS(setup, teardown)
