/*
 * test_rank.c - how many components views tell apart: as many as there are, one where the views are
 * independent, whatever the numbers within a view have to do with each other.
 */
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/multiview.h"
#include "tensorlv/model/view_solver.h"
#include "tensorlv/num/sort.h"
#include "view_fixture.h"

static tlv_frame
random_truth(bool categories, size_t k, const size_t d[3], uint64_t seed)
{
	tlv_multiview_simulation simulation = {
		.k = k, .categories = categories, .separation = 3, .concentration = 0.5, .seed = seed};

	memcpy(simulation.d, d, sizeof(simulation.d));
	return MADE(tlv_multiview_random, &simulation);
}

/* Moments of n rows of a model; with `entangle` the numbers of a view are nearly one number. */
static tlv_frame
draw_moments(tlv_frame truth, size_t n, bool entangle)
{
	tlv_multiview_parts parts;
	tlv_accumulator *accumulator = NULL;
	bool vectors;

	tlv_multiview_read(&truth, &parts);
	vectors = parts.items[0] == NULL;
	assert_ok((vectors ? tlv_view_moments_create : tlv_category_views_create)(&ctx, &accumulator));
	for (size_t t = 0; t < n; t++)
	{
		double numbers[60], *x[3] = {numbers, numbers + 20, numbers + 40};
		int64_t category[3];

		(void) tlv_multiview_draw(&parts, &rng, x, category);
		for (int v = 0; v < 3 && entangle; v++)
			for (size_t i = 1; i < parts.d[v]; i++)
				x[v][i] = x[v][0] + 0.1 * x[v][i];
		assert_ok(tlv_add(&ctx, accumulator,
						  vectors ? TLV_AS_VIEWS(parts.d, x) : TLV_AS_CATEGORIES(category)));
	}
	return stored(accumulator);
}

static tlv_frame
fit_moments(tlv_frame moments, size_t k)
{
	tlv_multiview_options options = {.k = k, .seed = 1};

	return MADE(tlv_multiview_fit, &moments, &options);
}

static size_t
components(tlv_frame model)
{
	tlv_multiview_parts parts;

	tlv_multiview_read(&model, &parts);
	return parts.k;
}

/* As many as there are, in most draws; more in none. */
TEST(test_power)
{
	static const size_t wide[3] = {5, 8, 6}, many[3] = {6, 7, 8};

	for (int categories = 0; categories < 2; categories++)
		for (size_t k = 2; k <= 4; k++)
		{
			int exact = 0, more = 0;

			for (uint64_t seed = 1; seed <= 5; seed++)
			{
				tlv_frame truth = random_truth(categories, k, categories ? many : wide, seed);
				size_t found = components(fit_moments(draw_moments(truth, 8000, false), 0));

				exact += found == k;
				more += found > k;
			}
			assert_at_least(exact, 4);
			assert_equal(more, 0);
		}
}

/* False alarms: of 40 draws of independent views none, where 1 % of tests fail and the middle of
 * three counts. */
TEST(test_independent)
{
	static const size_t wide[3] = {4, 4, 4}, many[3] = {3, 9, 12};

	for (int kind = 0; kind < 3; kind++)
		for (uint64_t seed = 1; seed <= 40; seed++)
		{
			tlv_frame truth = random_truth(kind == 2, 1, kind == 2 ? many : wide, seed);
			tlv_frame moments = draw_moments(truth, 1500, kind == 1), model;

			model = fit_moments(moments, 0);
			assert_int_equal(components(model), 1);
			assert_true(model_warns(&model, "no_structure", NULL));
			assert_above(diagnostic(model, "independence_p_value"), 0.01);
			assert_equal(diagnostic(model, "k_chosen"), 1);
		}
}

/* k that is given stays; a warning says that there is nothing, and none where there is. */
TEST(test_given)
{
	static const size_t wide[3] = {5, 8, 6}, many[3] = {6, 7, 8};

	for (int categories = 0; categories < 2; categories++)
	{
		const size_t *d = categories ? many : wide;
		tlv_frame model =
			fit_moments(draw_moments(random_truth(categories, 3, d, 2), 5000, false), 2);

		assert_int_equal(components(model), 2);
		assert_equal(diagnostic(model, "k_chosen"), 0);
		assert_equal(diagnostic(model, "rank_12"), 3);
		assert_equal(diagnostic(model, "rank_13"), 3);
		assert_false(model_warns(&model, "no_structure", NULL));
	}
}

/* Too few rows for a test, and rows of one number. */
TEST(test_few)
{
	static const size_t one[3] = {1, 1, 1}, wide[3] = {2, 3, 2};
	tlv_frame model;

	model = fit_moments(draw_moments(random_truth(false, 2, wide, 1), 10, false), 0);
	assert_int_equal(components(model), 1);
	assert_false(model_warns(&model, "no_structure", NULL));
	model = fit_moments(draw_moments(random_truth(false, 2, one, 1), 4000, false), 0);
	assert_int_equal(components(model), 2);
}

/* Classes of counts with ties, against an order of all; of counts that ascend, in no time. */
TEST(test_frequent_classes)
{
	enum
	{
		D = 500,
		MANY = 1 << 20
	};
	double *counts;
	int64_t order[D];
	int32_t *class;
	size_t classes;

	counts = tlv_alloc(&ctx, MANY, sizeof(double));
	class = tlv_alloc(&ctx, MANY, sizeof(int32_t));
	for (size_t i = 0; i < D; i++)
		counts[i] = (double) (tlv_mix64(i) % 40);
	for (size_t d = 0; d <= D; d = d * 2 + 1)
		for (size_t most = 1; most <= 65; most += 16)
		{
			tlv_order_weights(d, counts, order);
			assert_ok(tlv_frequent_classes(&ctx, d, counts, most, class, &classes));
			assert_int_equal(classes, tlv_least(d, most));
			for (size_t i = 0; i < d; i++)
				assert_int_equal(class[order[i]], tlv_least(i, classes - 1));
		}
	for (size_t i = 0; i < MANY; i++)
		counts[i] = (double) i;
	assert_ok(tlv_frequent_classes(&ctx, MANY, counts, 50, class, &classes));
	assert_int_equal(class[MANY - 1], 0);
	assert_int_equal(class[MANY - 49], 48);
	assert_int_equal(class[0], 49);
}

RUN_TESTS(setup, teardown)
