/*
 * test_choice.c - the number of components by the scores of held-out rows: the grid, where it ends,
 * the least k within one standard error, folds at random, and further folds.
 */
#include "tensorlv/model/choice.h"

#include "pool_setup.h"

/* Scores of 256 rows with that mean, and noise of every k and fold that adds up to 0 and is
 * orthogonal to that of all others (Walsh functions): the error of a difference is own sqrt(2 /
 * 255). */
static void
add_scores(tlv_choice *choice, size_t k, double mean, double own, size_t fold)
{
	double score[TLV_CHOICE_GROUPS], count[TLV_CHOICE_GROUPS];
	unsigned function = (unsigned) (k + 32 * fold);

	for (unsigned g = 0; g < TLV_CHOICE_GROUPS; g++)
	{
		count[g] = 1;
		score[g] = mean + (__builtin_parity(g & function) ? own : -own);
	}
	assert_ok(tlv_choice_add(&ctx, choice, k, score, count));
}

/* A curve that rises to k = top, and falls beyond. */
static double
curve(size_t k, size_t top)
{
	return -5 + (k <= top ? 0.2 * (double) k : 0.2 * (double) top - 0.02 * (double) (k - top));
}

/* The k that are tried, in their order, up to the choice. */
static size_t
follow(tlv_choice *choice, size_t top, size_t most, bool fine, size_t *tried)
{
	size_t k, n = 0;

	tlv_choice_begin(1, most, fine, choice);
	while ((k = tlv_choice_next(choice)) > 0)
	{
		add_scores(choice, k, curve(k, top), 0.01, 0);
		tlv_choice_decide(choice);
		tried[n++] = k;
	}
	return n;
}

static void
assert_tried(size_t top, size_t most, bool fine, const size_t *expected, size_t n, size_t chosen,
			 bool limited)
{
	size_t tried[TLV_CHOICE_POINTS];
	tlv_choice choice;

	assert_int_equal(follow(&choice, top, most, fine, tried), n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(tried[i], expected[i]);
	assert_int_equal(choice.points[choice.chosen].k, chosen);
	assert_int_equal(choice.limited, limited);
	assert_equal(choice.points[choice.best].error, 0);
	for (size_t i = 1; i < choice.n; i++)
		assert_above((double) choice.points[i].k, (double) choice.points[i - 1].k);
}

/* Two k beyond the best are tried, and those between it and the one below. */
TEST(test_grid)
{
	assert_tried(1, 100, false, (size_t[]){1, 2, 3}, 3, 1, false);
	assert_tried(2, 100, false, (size_t[]){1, 2, 3, 5}, 4, 2, false);
	assert_tried(5, 100, false, (size_t[]){1, 2, 3, 5, 8, 13, 4}, 7, 5, false);
	assert_tried(6, 100, false, (size_t[]){1, 2, 3, 5, 8, 13, 20, 6}, 8, 6, false);
	assert_tried(10, 100, false, (size_t[]){1, 2, 3, 5, 8, 13, 20, 32, 10, 9}, 10, 10, false);
	/* the limit is a point of the grid; a curve that has not fallen is not refined */
	assert_tried(90, 60, false, (size_t[]){1, 2, 3, 5, 8, 13, 20, 32, 50, 60}, 10, 60, true);
	assert_tried(6, 6, false, (size_t[]){1, 2, 3, 5, 6}, 5, 6, true);
	assert_tried(1, 1, false, (size_t[]){1}, 1, 1, true);
}

/* Where every component counts none of the first is left out, and the grid ends after two more. */
TEST(test_fine_grid)
{
	assert_tried(1, 100, true, (size_t[]){1, 2, 3}, 3, 1, false);
	assert_tried(4, 100, true, (size_t[]){1, 2, 3, 4, 5, 6}, 6, 4, false);
	assert_tried(7, 100, true, (size_t[]){1, 2, 3, 4, 5, 6, 8, 10, 13, 7}, 10, 7, false);
	assert_tried(9, 7, true, (size_t[]){1, 2, 3, 4, 5, 6, 7}, 7, 7, true);
}

/* A further component takes one error, and a difference below four is for further rows. */
TEST(test_errors_of_each)
{
	static const double errors[] = {0.8, 1.2, 4.2};

	for (size_t i = 0; i < 3; i++)
	{
		tlv_choice choice;

		tlv_choice_begin(1, 100, true, &choice);
		for (size_t k = 1; k <= 5; k++)
		{
			double beyond = k == 3 ? 1 : k == 2 ? 0 : -10;

			add_scores(&choice, k, -5 + beyond * errors[i] * 0.3 * sqrt(2.0 / 255), 0.3, 0);
			tlv_choice_decide(&choice);
		}
		assert_int_equal(choice.points[choice.chosen].k, errors[i] < 1 ? 2 : 3);
		assert_int_equal(tlv_choice_is_open(&choice), errors[i] < 4);
	}
}

/* The least k within an error of the best, and the least with nine tenths of the rise. */
TEST(test_least_within_an_error)
{
	static const double means[][2] = {{1, -5},	  {2, -4.5}, {3, -4.12},
									  {5, -4.01}, {8, -4},	 {13, -4.2}};
	tlv_choice choice;

	tlv_choice_begin(1, 100, false, &choice);
	for (size_t i = 0; i < 6; i++)
	{
		add_scores(&choice, (size_t) means[i][0], means[i][1], 0.3, 0);
		tlv_choice_decide(&choice);
	}
	assert_int_equal(choice.points[choice.chosen].k, 5);
	assert_below(choice.points[choice.best].mean - choice.points[choice.chosen].mean,
				 choice.points[choice.chosen].error);
	assert_above(choice.points[choice.best].mean - choice.points[2].mean, choice.points[2].error);
	assert_int_equal(choice.points[choice.gain].k, 5);
	assert_close(tlv_choice_gain(&choice, 0), 0, 1e-9);
	assert_close(tlv_choice_gain(&choice, choice.best), 1, 1e-9);
	assert_close(choice.points[0].error, 0.3 * sqrt(2.0 / 255), 1e-9);
}

/* Further rows decide between the chosen k and the best, whose error they lower; the others keep
 * their distance. */
TEST(test_further_folds)
{
	static const double means[][2] = {{1, -5}, {2, -4.5},  {3, -4.3}, {5, -4.03},
									  {8, -4}, {13, -4.4}, {20, -4.6}};
	tlv_choice choice;
	double distance, error;

	tlv_choice_begin(1, 100, false, &choice);
	for (size_t i = 0; i < 7; i++)
	{
		add_scores(&choice, (size_t) means[i][0], means[i][1], 0.6, 0);
		tlv_choice_decide(&choice);
	}
	assert_int_equal(choice.points[choice.chosen].k, 5);
	assert_true(tlv_choice_is_open(&choice));
	assert_int_equal(choice.points[choice.first].k, 3);
	assert_int_equal(choice.points[choice.last].k, 8);
	distance = choice.points[choice.best].mean - choice.points[0].mean;
	error = choice.points[choice.chosen].error;
	for (size_t fold = 1; fold < 5; fold++)
	{
		for (size_t i = 2; i < 5; i++)
			add_scores(&choice, (size_t) means[i][0], means[i][1], 0.6, fold);
		tlv_choice_decide(&choice);
	}
	assert_int_equal(choice.points[choice.chosen].k, 8);
	assert_close(choice.points[3].error, error / sqrt(5), 0.001);
	assert_close(choice.points[choice.best].mean - choice.points[0].mean, distance, 1e-9);
	assert_false(tlv_choice_is_open(&choice));
}

/* More components than one are better by 2.33 errors, or there is one; from 1 to 4 errors further
 * rows are asked for. */
TEST(test_one)
{
	static const double errors[] = {0.5, 2, 3, 5};

	for (size_t i = 0; i < 4; i++)
	{
		tlv_choice choice;

		tlv_choice_begin(1, 100, false, &choice);
		for (size_t k = 1; k <= 4; k++)
		{
			add_scores(&choice, k,
					   k == 2	? -4 + errors[i] * 0.01 * sqrt(2.0 / 255)
					   : k == 1 ? -4
								: -4.1,
					   0.01, 0);
			tlv_choice_decide(&choice);
		}
		assert_int_equal(choice.points[choice.best].k, 2);
		assert_int_equal(choice.points[choice.chosen].k, errors[i] > 2.33 ? 2 : 1);
		assert_int_equal(tlv_choice_is_open(&choice), errors[i] > 1 && errors[i] < 4);
	}
}

/* Folds have one size, are the same again, and do not go by the place of a row. */
TEST(test_folds)
{
	int64_t *folds, *again;
	size_t n[5] = {0}, by_place = 0;

	assert_ok(tlv_choice_draw_folds(&ctx, 103, 5, &folds));
	assert_ok(tlv_choice_draw_folds(&ctx, 103, 5, &again));
	for (size_t i = 0; i < 103; i++)
	{
		n[folds[i]]++;
		by_place += folds[i] == (int64_t) (i % 5);
		assert_int_equal(folds[i], again[i]);
	}
	for (size_t f = 0; f < 5; f++)
		assert_int_equal(n[f], f < 3 ? 21 : 20);
	assert_below((double) by_place, 40);
}

/* Scores of a curve that rises to `top`, with that noise in every fold, and what was asked for. */
typedef struct curve_search
{
	size_t top;
	double own;
	size_t asked[TLV_CHOICE_POINTS + 1]; /* folds of each k */
} curve_search;

static tlv_status
score_curve(tlv_context *context, void *search, size_t k, size_t fold, double *score, double *count)
{
	curve_search *of = search;

	assert_non_null(tlv_alloc(context, 100, sizeof(double)));
	of->asked[k]++;
	for (unsigned g = 0; g < TLV_CHOICE_GROUPS; g++)
	{
		double sign = __builtin_parity(g & (unsigned) (k + 32 * fold)) ? 1 : -1;

		count[g]++;
		score[g] += curve(k, of->top) + sign * of->own;
	}
	return TLV_OK;
}

/* Every k of the grid sees the first folds; the others only those that these leave open. */
TEST(test_search)
{
	curve_search clear = {.top = 3, .own = 0.01}, open = {.top = 3, .own = 1.2};
	tlv_choice choice;

	tlv_choice_begin(1, 100, true, &choice);
	assert_ok(tlv_choice_follow(&ctx, &choice, score_curve, &clear, 2, 5));
	assert_int_equal(choice.points[choice.chosen].k, 3);
	for (size_t k = 1; k <= 6; k++)
		assert_int_equal(clear.asked[k], k <= 5 ? 2 : 0);
	tlv_choice_begin(1, 100, true, &choice);
	assert_ok(tlv_choice_follow(&ctx, &choice, score_curve, &open, 2, 5));
	assert_int_equal(choice.points[choice.chosen].k, 3);
	assert_int_equal(open.asked[1], 2);
	assert_int_equal(open.asked[2], 5);
	assert_int_equal(open.asked[3], 5);
	assert_int_equal(open.asked[4], 5);
	assert_int_equal(open.asked[5], 2);
}

RUN_TESTS(setup, teardown)
