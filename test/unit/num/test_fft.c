/*
 * test_fft.c - Fourier transforms of every length against the sum itself, there and back.
 */
#include "pool_setup.h"
#include "tensorlv/num/fft.h"
#include "tensorlv/num/rng.h"

static double
transform_error(size_t n, bool inverse)
{
	double *x = room(4 * n, sizeof(double)), *y = x + 2 * n, error = 0;
	tlv_rng rng;

	tlv_rng_seed(&rng, n);
	tlv_rng_fill_normal(&rng, 2 * n, x);
	memcpy(y, x, 2 * n * sizeof(double));
	assert_ok(tlv_fft(&ctx, n, y, inverse));
	for (size_t w = 0; w < n; w++)
	{
		double re = 0, im = 0;

		for (size_t t = 0; t < n; t++)
		{
			double angle = (inverse ? 2 : -2) * M_PI * (double) (t * w % n) / (double) n;

			re += x[2 * t] * cos(angle) - x[2 * t + 1] * sin(angle);
			im += x[2 * t] * sin(angle) + x[2 * t + 1] * cos(angle);
		}
		re /= inverse ? (double) n : 1;
		im /= inverse ? (double) n : 1;
		error = fmax(error, hypot(y[2 * w] - re, y[2 * w + 1] - im));
	}
	return error;
}

TEST(test_lengths)
{
	for (size_t n = 1; n <= 33; n++)
	{
		assert_below(transform_error(n, false), 1e-12);
		assert_below(transform_error(n, true), 1e-12);
	}
	assert_below(transform_error(256, false), 1e-11);
	assert_below(transform_error(253, false), 1e-11);
	assert_int_equal(tlv_fft(&ctx, TLV_FFT_MOST + 1, NULL, false), TLV_LIMIT);
	assert_int_equal(tlv_power_of_two(1), 1);
	assert_int_equal(tlv_power_of_two(65), 128);
}

TEST(test_grid)
{
	const size_t n = 12;
	double *x = room(4 * n * n, sizeof(double)), *y = x + 2 * n * n;
	tlv_rng rng;

	tlv_rng_seed(&rng, 1);
	tlv_rng_fill_normal(&rng, 2 * n * n, x);
	memcpy(y, x, 2 * n * n * sizeof(double));
	assert_ok(tlv_fft_grid(&ctx, n, y, false));
	assert_ok(tlv_fft_grid(&ctx, n, y, true));
	assert_all_close(2 * n * n, y, x, 1e-13);
}

RUN_TESTS(setup, teardown)
