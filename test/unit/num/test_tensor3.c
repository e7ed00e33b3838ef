/*
 * test_tensor3.c - packed symmetric tensors against plain loops over all indices.
 */
#define RNG_SEED 2
#include "malloc_setup.h"
#include "tensorlv/num/tensor3.h"

static const size_t SIZES[] = {1, 2, 3, 8, 17, 33};
#define N_SIZES (sizeof(SIZES) / sizeof(SIZES[0]))

static double *
drawn_numbers(size_t n, bool random)
{
	double *x = room(n, sizeof(double));

	if (random)
		tlv_rng_fill_normal(&rng, n, x);
	return x;
}

/* The packed tensor against entries of a full one. */
static double
difference(size_t k, const double *packed, const double *full)
{
	double largest = 0;

	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++)
				largest = fmax(
					largest, fabs(packed[tlv_packed3_index(a, b, c)] - full[a + k * (b + k * c)]));
	return largest;
}

TEST(test_pack)
{
	for (size_t t = 0; t < N_SIZES; t++)
	{
		size_t k = SIZES[t], size = tlv_packed3_size(k);
		double *packed = drawn_numbers(size, true), *full = drawn_numbers(k * k * k, false);
		double *again = drawn_numbers(size, false), sum = 0;

		assert_int_equal(tlv_packed3_index(k - 1, k - 1, k - 1), size - 1);
		tlv_packed3_unpack(k, packed, full);
		for (size_t a = 0; a < k; a++)
			for (size_t b = 0; b < k; b++)
				for (size_t c = 0; c < k; c++)
				{
					size_t high = a > b ? a : b, low = a > b ? b : a, middle = c;

					if (c > high)
						middle = high, high = c;
					else if (c < low)
						middle = low, low = c;
					assert_equal(full[a + k * (b + k * c)],
								 packed[tlv_packed3_index(high, middle, low)]);
					sum += full[a + k * (b + k * c)] * full[a + k * (b + k * c)];
				}
		assert_close(tlv_packed3_norm(k, packed) / sqrt(sum), 1, 1e-14);
		for (size_t i = 0; i < size; i++)
			again[i] = packed[i] * 1e200;
		assert_close(tlv_packed3_norm(k, again) / (1e200 * sqrt(sum)), 1, 1e-14);
		again[size / 2] = NAN;
		assert_true(isnan(tlv_packed3_norm(k, again)));
	}
}

static void
check_sums(size_t k, size_t n)
{
	size_t size = tlv_packed3_size(k);
	double *y = drawn_numbers(k * n, true), *w = drawn_numbers(n, true),
		   *r = drawn_numbers(k * n, true);
	double *q = drawn_numbers(k * k, true), *packed = drawn_numbers(size, false);
	double *full = drawn_numbers(k * k * k, false),
		   *work = drawn_numbers(tlv_tensor3_work(k, n), false);

	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < a; b++)
			q[a + b * k] = q[b + a * k];
	tlv_packed3_add_cubes(k, n, y, w, packed, work);
	assert_ok(tlv_packed3_add_squares(&ctx, k, n, y, r, packed));
	tlv_packed3_add_product(k, 0.7, q, y, packed);
	tlv_packed3_add_cube(k, -1.3, r, packed);
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++)
			{
				double sum = -1.3 * r[a] * r[b] * r[c];

				sum += 0.7 * (q[a + b * k] * y[c] + q[a + c * k] * y[b] + q[b + c * k] * y[a]);
				for (size_t t = 0; t < n; t++)
				{
					const double *yt = y + t * k, *rt = r + t * k;

					sum += w[t] * yt[a] * yt[b] * yt[c];
					sum += yt[a] * yt[b] * rt[c] + yt[a] * rt[b] * yt[c] + rt[a] * yt[b] * yt[c];
				}
				full[a + k * (b + k * c)] = sum;
			}
	if (!(difference(k, packed, full) < 1e-12 * (double) (n + 10)))
		fail_msg("sums for k = %zu, n = %zu differ by %g", k, n, difference(k, packed, full));
}

TEST(test_sums)
{
	for (size_t t = 0; t < N_SIZES; t++)
	{
		check_sums(SIZES[t], 1);
		check_sums(SIZES[t], 10);
	}
	/* More rows than one chunk holds, and more pairs than one block. */
	check_sums(5, 700);
	check_sums(40, 257);
}

/* T(u, v, w) of the full tensor */
static double
form(size_t k, const double *full, const double *u, const double *v, const double *w)
{
	double sum = 0;

	for (size_t c = 0; c < k; c++)
		for (size_t b = 0; b < k; b++)
			for (size_t a = 0; a < k; a++)
				sum += full[a + k * (b + k * c)] * u[a] * v[b] * w[c];
	return sum;
}

TEST(test_forms)
{
	for (size_t t = 0; t < N_SIZES; t++)
	{
		size_t k = SIZES[t], r = k / 2 + 1, n = k + 3;
		double *packed = drawn_numbers(tlv_packed3_size(k), true),
			   *full = drawn_numbers(k * k * k, false);
		double *m = drawn_numbers(k * n, true), *out = drawn_numbers(tlv_packed3_size(r), false);

		tlv_packed3_unpack(k, packed, full);
		assert_ok(tlv_packed3_compress(&ctx, k, r, packed, m, out));
		for (size_t a = 0; a < r; a += 2)
			for (size_t b = 0; b <= a; b++)
				for (size_t c = 0; c <= b; c += 3)
					assert_close(out[tlv_packed3_index(a, b, c)],
								 form(k, full, m + a * k, m + b * k, m + c * k), 1e-10);
	}
}

RUN_TESTS_OF_GROUP(setup, teardown, NULL, drop_rooms)
