/*
 * test_errors.c - scores of latent classes against differences of the likelihood; what mixed
 * membership and many variables have.
 */
#include "membership_fixture.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/kind.h"

static tlv_frame
errors_of(const drawn *rows, size_t n)
{
	tlv_statistic statistic = {.aggregate = &tlv_aggregate_error_statistics,
							   .constant = &rows->truth};
	tlv_accumulator *accumulator;

	assert_ok(tlv_statistic_create(&ctx, &statistic, &accumulator));
	for (size_t i = 0; i < n; i++)
		assert_ok(tlv_add(&ctx, accumulator, rows->rows + i));
	return stored(accumulator);
}

static double
likelihood_of(const drawn *rows)
{
	const tlv_kind *kind = rows->truth.kind;
	tlv_model *model;
	double value;

	assert_ok(kind->model->open(&ctx, &rows->truth, &model));
	assert_ok(tlv_model_log_likelihood(&ctx, model, rows->rows, &value));
	return value;
}

/* Parameter `at` of the list: weights, then of every variable components, then categories. */
static void
move(const drawn *rows, size_t at, double by)
{
	const tlv_membership_parts *parts = &rows->parts;
	size_t k = parts->k, states = (size_t) parts->states[0], own = at - k;

	if (at < k)
		scale_one(parts->weights, k, 1, at, exp(by));
	else
		scale_one(parts->probabilities + own / (k * states) * states * k + own / states % k, states,
				  k, own % states, exp(by));
}

TEST(test_scores)
{
	const double step = 1e-5;
	drawn rows = draw_members(
		1, (tlv_membership_simulation){
			   .variables = 4, .categories = 3, .k = 2, .alpha = 1, .concentration = 1, .seed = 3});
	tlv_frame errors = errors_of(&rows, 1);
	const tlv_section *scores = tlv_frame_find(&errors, "scores");
	size_t size = rows.truth.header->size;
	void *before = room(size, 1);

	assert_equal(scores->rows, 2 + 24);
	memcpy(before, rows.truth.header, size);
	for (size_t i = 0; i < scores->rows; i++)
	{
		double value[2];

		for (int side = 0; side < 2; side++)
		{
			move(&rows, i, side == 0 ? -step : step);
			value[side] = likelihood_of(&rows);
			memcpy((void *) rows.truth.header, before, size);
		}
		assert_close(((const double *) tlv_section_data(&errors, scores))[i],
					 (value[1] - value[0]) / (2 * step), 1e-6);
	}
}

/* Alpha has none; of many variables each is a block, and probabilities have theirs. */
TEST(test_blocks)
{
	for (int mixed = 0; mixed < 2; mixed++)
	{
		drawn rows = draw_members(800, (tlv_membership_simulation){.mixed = mixed == 1,
																   .variables = 120,
																   .categories = 3,
																   .k = 3,
																   .alpha = .3,
																   .concentration = 2,
																   .seed = 4});
		tlv_frame errors = errors_of(&rows, 800);
		tlv_estimates list = {0};
		size_t known = 0;

		assert_equal(tlv_frame_find(&errors, "blocks")->rows, 121);
		assert_ok(tlv_model_estimates(&ctx, &rows.truth, &errors, &list));
		assert_equal(list.n, 3 + 120 * 9);
		for (size_t h = 0; h < 3; h++)
			assert_true(isnan(list.list[h].standard_error) == (mixed == 1));
		for (size_t i = 3; i < list.n; i++)
			known += list.list[i].standard_error > 0;
		assert_above((double) known / (120 * 9), .97);
	}
}

RUN_TESTS(setup, teardown)
