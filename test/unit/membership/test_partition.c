/*
 * test_partition.c - mixed membership by partitions of the variables and nonnegative factors.
 */
#include "membership_fixture.h"

static tlv_frame
learn_parts(tlv_membership_options options, size_t k, bool refined)
{
	tlv_membership_plan_options plan_options = {.iterations = -1, .refine = refined ? 0 : 1};
	tlv_plan *plan;

	options.mixed = options.partition = true;
	options.k = k;
	options.copies = 1;
	options.seed = options.decompose.seed = 1;
	plan_options.fit = options;
	assert_ok(tlv_membership_plan_create(&ctx, &plan_options, &plan));
	return plan_model(&passes, plan);
}

static tlv_membership_simulation
survey(size_t variables, size_t k, uint64_t seed)
{
	return (tlv_membership_simulation){.mixed = true,
									   .variables = variables,
									   .categories = 4,
									   .k = k,
									   .alpha = 0.1,
									   .concentration = 0.5,
									   .seed = seed};
}

/* One partition, three solvers. */
static void
test_one_partition(void **state)
{
	drawn d = draw_members(3000, survey(25, 3, 3));

	(void) state;
	for (int solver = 0; solver < 3; solver++)
	{
		tlv_membership_options options = {.solver = (tlv_nonnegative_method) solver};
		tlv_frame start = learn_parts(options, 3, false), model = learn_parts(options, 3, true);
		double of_start = table_error(&d.truth, &start), error = table_error(&d.truth, &model);

		printf("solver %d: start %.4f, refined %.4f\n", solver, of_start, error);
		assert_true(of_start < 0.022);
		assert_true(error < 0.016);
	}
}

/* Several, matched in three ways; some values are missing. */
static void
test_many_partitions(void **state)
{
	drawn d = draw_members(1500, survey(150, 4, 4));

	(void) state;
	for (size_t i = 0; i < d.n; i++)
		d.codes[i * d.p + (i * 7) % d.p] = TLV_CATEGORY_MISSING;
	for (int matching = 0; matching < 3; matching++)
	{
		tlv_membership_options options = {.matching = (tlv_matching) matching};
		tlv_frame start = learn_parts(options, 4, false);
		double error = table_error(&d.truth, &start);

		printf("matching %d: start %.4f\n", matching, error);
		assert_true(error < 0.03);
	}
}

static void
test_refused_partitions(void **state)
{
	drawn d = draw_members(200, survey(6, 2, 5));
	tlv_membership_plan_options plan_options = {
		.fit = {.mixed = true, .partition = true, .k = 9, .copies = 1}, .iterations = -1};
	tlv_frame moments = category_table(&d);
	tlv_plan *plan;
	void *image;
	size_t size;

	(void) state;
	assert_ok(tlv_membership_plan_create(&ctx, &plan_options, &plan));
	assert_fails(plan_run(&passes, plan), TLV_NOT_IDENTIFIABLE,
				 "9 components cannot be told from three groups of 6 variables");
	plan_options.fit.k = 2;
	assert_fails(tlv_membership_fit(&ctx, &moments, &plan_options.fit, &image, &size),
				 TLV_BAD_PARAMETER, "method partition needs rows");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_partition, setup, forget),
		cmocka_unit_test_setup_teardown(test_many_partitions, setup, forget),
		cmocka_unit_test_setup_teardown(test_refused_partitions, setup, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
