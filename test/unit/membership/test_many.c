/*
 * test_many.c - rows of many variables: a start from some of them, the others by regression.
 */
#include "membership_fixture.h"

#define ROWS	  1000
#define VARIABLES 550

static tlv_frame
start_alone(bool mixed, size_t k)
{
	tlv_membership_learn_options options = {
		.fit = {.mixed = mixed, .k = k, .seed = 1, .decompose = {.seed = 1}},
		.iterations = -1,
		.refine = 1};

	return procedure_model(&passes, tlv_membership_procedure(&options), &options, false);
}

/* The notes have .0444 for as many rows and 1,000 variables. */
TEST(test_memberships)
{
	drawn d = draw_members(ROWS, survey(true, VARIABLES, 8, 101));
	tlv_frame model = start_alone(true, 8);

	assert_below(table_error(&d.truth, &model), 0.0480);
	assert_close(diagnostic(model, "start_of_moments"), 1, 0);
}

/* A third of the values missing, of some variables more: by the square root of 3/2 farther off. */
TEST(test_missing)
{
	drawn d = draw_members(ROWS, survey(false, VARIABLES, 4, 102));
	tlv_frame model;

	for (size_t i = 0; i < d.n * d.p; i++)
		if (tlv_mix64(i) % 12 < 2 + i % d.p % 5)
			d.codes[i] = -1;
	model = start_alone(false, 4);
	assert_below(table_error(&d.truth, &model), 0.035);
	assert_false(model_warns(&model, "not_identified", NULL));
}

/* Values at random, in which there is nothing to find. */
TEST(test_nothing_to_see)
{
	drawn d = draw_members(ROWS, survey(true, VARIABLES, 3, 103));
	tlv_frame model;

	for (size_t i = 0; i < d.n * d.p; i++)
		d.codes[i] = (int32_t) (tlv_mix64(i) % 4);
	model = start_alone(true, 3);
	assert_true(model_warns(&model, "no_structure", NULL));
}

RUN_TESTS(setup, teardown)
