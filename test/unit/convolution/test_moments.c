/*
 * test_moments.c - lagged moments against sums over all steps: gaps, shifts, merging, windows,
 * refusals.
 */
#include "convolution_fixture.h"

#define LAGS 5

/* Sums about a shift of all t for which t + b is in the same stretch. */
typedef struct brute
{
	double third, front, back, single, pairs;
} brute;

static brute
sum_of(size_t n, const double *x, const bool *missing, size_t a, size_t b, double shift)
{
	brute sum = {0};

	for (size_t t = 0; t + b < n; t++)
	{
		bool whole = true;

		for (size_t i = t; i <= t + b; i++)
			whole = whole && !(missing != NULL && missing[i]);
		if (!whole)
			continue;
		sum.third += (x[t] - shift) * (x[t + a] - shift) * (x[t + b] - shift);
		sum.front += (x[t] - shift) * (x[t + a] - shift);
		sum.back += (x[t + a] - shift) * (x[t + b] - shift);
		sum.single += x[t + a] - shift;
		sum.pairs += 1;
	}
	return sum;
}

/* Largest relative difference of a value from the sums of stretches of one series. */
static double
difference(const tlv_frame *moments, size_t n, const double *x, const bool *missing)
{
	double shift = tlv_frame_scalar(moments, "shift", 0), largest = 0;

	for (size_t b = 0; b < LAGS; b++)
		for (size_t a = 0; a <= b; a++)
		{
			size_t i = tlv_packed2_index(b, a);
			brute sum = sum_of(n, x, missing, a, b, shift);

			largest = fmax(largest, fabs(tlv_frame_float64(moments, "third")[i] - sum.third));
			largest = fmax(largest, fabs(tlv_frame_float64(moments, "front")[i] - sum.front));
			largest = fmax(largest, fabs(tlv_frame_float64(moments, "back")[i] - sum.back));
			largest = fmax(largest, fabs(tlv_frame_float64(moments, "single")[i] - sum.single));
			largest = fmax(largest, fabs(tlv_frame_float64(moments, "pairs")[b] - sum.pairs));
		}
	return largest;
}

static double *
drawn_numbers(size_t n, double mean, uint64_t seed)
{
	double *x = numbers(n);
	tlv_rng rng;

	tlv_rng_seed(&rng, seed);
	for (size_t t = 0; t < n; t++)
		x[t] = mean + tlv_rng_gamma(&rng, 1);
	return x;
}

TEST(test_sums)
{
	for (size_t n = 1; n <= 12; n++)
	{
		double *x = drawn_numbers(n, 3, n);
		tlv_frame moments = moments_of(n, x, LAGS);

		assert_below(difference(&moments, n, x, NULL), 1e-12);
	}
	{
		double *x = drawn_numbers(1300, 3, 5);
		tlv_frame moments = moments_of(1300, x, LAGS);

		assert_below(difference(&moments, 1300, x, NULL), 1e-9);
	}
}

/* Stretches by gaps, one after the other, and in parts that are merged in any order. */
TEST(test_segments)
{
	const size_t n = 60;
	double *x = drawn_numbers(n, 100, 7);
	bool *missing = room(n, sizeof(bool));
	tlv_accumulator *whole = empty_moments(LAGS, NULL), *parts, *other;
	tlv_frame together, left, right, merged, backwards;
	tlv_row row = *TLV_AS_SEQUENCE(n, 1, x);

	missing[0] = missing[20] = missing[21] = missing[23] = missing[40] = missing[59] = true;
	row.part[0].missing = missing;
	assert_ok(tlv_add(&ctx, whole, &row));
	together = stored(whole);
	assert_below(difference(&together, n, x, missing), 1e-9);
	assert_equal(tlv_frame_scalar(&together, "segments", 0), 4);
	assert_equal(tlv_frame_scalar(&together, "values", 0), 54);
	parts = empty_moments(LAGS, NULL);
	assert_ok(tlv_add(&ctx, parts, TLV_AS_SEQUENCE(19, 1, x + 1)));
	assert_ok(tlv_add(&ctx, parts, TLV_AS_SEQUENCE(1, 1, x + 22)));
	left = stored(parts);
	parts = empty_moments(LAGS, NULL);
	assert_ok(tlv_add(&ctx, parts, TLV_AS_SEQUENCE(16, 1, x + 24)));
	assert_ok(tlv_add(&ctx, parts, TLV_AS_SEQUENCE(18, 1, x + 41)));
	right = stored(parts);
	assert_ok(tlv_accumulator_create(&ctx, tlv_kind_series_moments.accumulator, &parts));
	assert_ok(parts->class->merge(&ctx, parts, &left));
	assert_ok(parts->class->merge(&ctx, parts, &right));
	merged = stored(parts);
	assert_below(difference(&merged, n, x, missing), 1e-9);
	assert_ok(tlv_accumulator_create(&ctx, tlv_kind_series_moments.accumulator, &other));
	assert_ok(other->class->merge(&ctx, other, &right));
	assert_ok(other->class->merge(&ctx, other, &left));
	backwards = stored(other);
	assert_true(tlv_digest_equal(&merged.header->digest, &backwards.header->digest));
}

/* Cyclic windows of two times the lags; the rest is left out. */
TEST(test_windows)
{
	const size_t width = 2 * LAGS, n = 3 * width + 7;
	double *x = drawn_numbers(n, 1, 3), shift, largest = 0;
	tlv_accumulator *accumulator = empty_moments(LAGS, "windows");
	tlv_frame moments, lagged = moments_of(n, x, LAGS);

	assert_ok(tlv_add(&ctx, accumulator, TLV_AS_SEQUENCE(n, 1, x)));
	moments = stored(accumulator);
	shift = tlv_frame_scalar(&moments, "shift", 0);
	for (size_t b = 0; b < LAGS; b++)
		for (size_t a = 0; a <= b; a++)
		{
			double sum = 0;

			for (size_t t = 0; t < 3 * width; t++)
			{
				size_t from = t / width * width;

				sum += (x[t] - shift) * (x[from + (t + a) % width] - shift) *
					   (x[from + (t + b) % width] - shift);
			}
			largest = fmax(
				largest, fabs(sum - tlv_frame_float64(&moments, "third")[tlv_packed2_index(b, a)]));
		}
	assert_below(largest, 1e-11);
	assert_equal(tlv_frame_scalar(&moments, "values", 0), (double) (3 * width));
	assert_int_equal(accumulator->class->merge(&ctx, accumulator, &lagged), TLV_BAD_PARAMETER);
}

TEST(test_refusals)
{
	tlv_accumulator *accumulator = empty_moments(LAGS, NULL);
	tlv_statistic statistic = {.aggregate = &tlv_aggregate_series_moments, .order = 3};
	double x[4] = {1, NAN, 3, 4};

	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_SEQUENCE(4, 1, x)), TLV_BAD_DATA,
				 "element 2 of a series is NaN");
	x[1] = 1e70;
	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_SEQUENCE(4, 1, x)), TLV_BAD_DATA,
				 "element 2 of a series is above 1e60");
	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_SEQUENCE(2, 2, x)), TLV_BAD_DATA,
				 "a step of a series has 2 numbers, not one");
	assert_fails(tlv_statistic_create(&ctx, &statistic, &accumulator), TLV_BAD_PARAMETER,
				 "lags = 3 is not between 4 and 128");
	statistic.order = 129;
	assert_fails(tlv_statistic_create(&ctx, &statistic, &accumulator), TLV_LIMIT,
				 "lags = 129 is not between 4 and 128");
	statistic =
		(tlv_statistic){.aggregate = &tlv_aggregate_series_moments, .order = 8, .refine = "hours"};
	assert_fails(tlv_statistic_create(&ctx, &statistic, &accumulator), TLV_BAD_PARAMETER,
				 "there is no way \"hours\" to collect a series");
}

RUN_TESTS(setup, teardown)
