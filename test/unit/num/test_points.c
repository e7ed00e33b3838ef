/*
 * test_points.c - neighbours in the plane against all pairs, at the bounds of what is taken, and
 * what is refused.
 */
#define RNG_SEED 3
#include "malloc_setup.h"
#include "tensorlv/num/points.h"

#define MARKS 4
#define MOST  700

static double x[MOST], y[MOST];
static uint32_t mark[MOST];

/* What the last call left is given back: an index has no end of its own. */
static int
end_scratch(void **state)
{
	tlv_scratch *scratch = *state;

	if (scratch != NULL)
		tlv_scratch_end(&ctx, scratch);
	return teardown(state);
}

static tlv_status
make(size_t n, double radius, tlv_points **points)
{
	return tlv_points_make(&ctx, n, x, y, mark, MARKS, radius, points);
}

/* All counts of all points are those of all pairs; returns the number of pairs. */
static double
check_pairs(size_t n, double radius)
{
	tlv_scratch scratch;
	tlv_points *points;
	double pairs = 0;

	tlv_scratch_begin(&ctx, &scratch);
	assert_ok(make(n, radius, &points));
	for (size_t i = 0; i < n; i++)
	{
		uint32_t expected[MARKS] = {0};
		const uint32_t *found, *count;
		size_t marks, distinct = 0;

		for (size_t j = 0; j < n; j++)
			if (mark[j] != TLV_POINTS_NO_MARK &&
				(x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]) <= radius * radius)
				expected[mark[j]]++;
		assert_ok(tlv_points_count(&ctx, points, x[i], y[i], &marks, &found, &count));
		for (uint32_t m = 0; m < MARKS; m++)
		{
			if (expected[m] == 0)
				continue;
			pairs += expected[m];
			assert_equal(found[distinct], m);
			assert_equal(count[m], expected[m]);
			distinct++;
		}
		assert_equal(marks, distinct);
	}
	tlv_scratch_end(&ctx, &scratch);
	return pairs;
}

/* Uniform points about (shift, -shift), some without a mark. */
static void
scatter(size_t n, double scale, double shift)
{
	for (size_t i = 0; i < n; i++)
	{
		x[i] = shift + scale * (double) tlv_rng_below(&rng, 1 << 20) / (1 << 20);
		y[i] = -shift + scale * (double) tlv_rng_below(&rng, 1 << 20) / (1 << 20);
		mark[i] = i % 50 == 49 ? TLV_POINTS_NO_MARK : (uint32_t) (i % MARKS);
	}
}

TEST(test_all_pairs)
{
	static const double scales[] = {1, 1e-140, 1e140, 1e-9, 1e9};

	for (size_t s = 0; s < sizeof(scales) / sizeof(*scales); s++)
	{
		scatter(MOST, scales[s], 0);
		for (double radius = 1.0 / 512; radius < 3; radius *= 6)
			assert_above(check_pairs(MOST, radius * scales[s]), MOST * .95);
	}
	/* far from the origin, where coordinates are rough */
	scatter(MOST, 1, 1e15);
	assert_above(check_pairs(MOST, .3), MOST);
	scatter(MOST, 1, 1e6);
	assert_above(check_pairs(MOST, .1), MOST);
}

/* Distances that are exactly the radius count, on a grid whose step is no binary fraction, too. */
TEST(test_grid)
{
	for (size_t i = 0; i < 400; i++)
	{
		x[i] = (double) (i % 20);
		y[i] = ((double) i - x[i]) / 20;
		mark[i] = 0;
	}
	assert_equal(check_pairs(400, 1), 400 + 4 * 19 * 20);
	for (size_t i = 0; i < 400; i++)
	{
		x[i] *= .1;
		y[i] *= .1;
	}
	check_pairs(400, .1);
	check_pairs(400, .2);
}

TEST(test_same_place)
{
	for (size_t i = 0; i < 100; i++)
	{
		x[i] = i % 2 == 0 ? 0.0 : -0.0;
		y[i] = 5;
		mark[i] = (uint32_t) (i % MARKS);
	}
	assert_equal(check_pairs(100, 1e-150), 10000);
	assert_equal(check_pairs(1, 1), 1);
	assert_equal(check_pairs(0, 1), 0);
	mark[0] = TLV_POINTS_NO_MARK;
	assert_equal(check_pairs(1, 1), 0);
}

TEST(test_refused)
{
	static const double radii[] = {0, -1, NAN, INFINITY, 1e151, 1e-151};
	static tlv_scratch scratch;
	tlv_points *points;

	*state = &scratch;
	tlv_scratch_begin(&ctx, &scratch);
	scatter(10, 1, 0);
	for (size_t r = 0; r < sizeof(radii) / sizeof(*radii); r++)
		assert_fails(make(10, radii[r], &points), TLV_BAD_PARAMETER, "radius");
	assert_fails(make(10, 1e-13, &points), TLV_BAD_PARAMETER, "too small");
	x[3] = NAN;
	assert_fails(make(10, 1, &points), TLV_BAD_DATA, "x = nan");
	x[3] = 0;
	y[3] = -INFINITY;
	assert_fails(make(10, 1, &points), TLV_BAD_DATA, "y = -inf");
	y[3] = 1e151;
	assert_fails(make(10, 1, &points), TLV_BAD_DATA, "1e+151");
}

TEST(test_cancel_and_memory)
{
	static tlv_scratch scratch;
	const uint32_t *found, *count;
	tlv_points *points;
	size_t marks;
	fault_looks first = {.at = 1};
	tlv_status status = TLV_OK;

	*state = &scratch;
	tlv_scratch_begin(&ctx, &scratch);
	scatter(MOST, 1, 0);
	assert_ok(make(MOST, 2, &points));
	ctx.stop = fault_stops;
	ctx.stop_argument = &first;
	for (size_t i = 0; i < 3000 && status == TLV_OK; i++)
		status = tlv_points_count(&ctx, points, x[i % MOST], y[i % MOST], &marks, &found, &count);
	assert_int_equal(status, TLV_CANCELLED);
	ctx.stop = NULL;
	assert_short_of_memory(20000, make(MOST, 1, &points));
}

RUN_TESTS(setup, end_scratch)
