/*
 * test_learn.c - latent classes and mixed membership learnt from rows in memory: passes beyond
 * the sample, what is said of a model that predicts nothing, steps, every fault in every state.
 */
#include "membership_fixture.h"
#include "tensorlv/model/suggest.h"

static tlv_membership_learn_options
usual_options(bool mixed, size_t k)
{
	return (tlv_membership_learn_options){
		.fit = {.mixed = mixed, .k = k, .seed = 1, .decompose.seed = 1}, .iterations = -1};
}

static tlv_membership_simulation
few_variables(bool mixed)
{
	return (tlv_membership_simulation){.mixed = mixed,
									   .variables = 5,
									   .categories = 3,
									   .k = 2,
									   .alpha = 0.2,
									   .concentration = 0.3,
									   .seed = 7};
}

static tlv_frame
statistics_of(const drawn *d, const tlv_frame *model)
{
	tlv_frame_builder *builder = room(1, sizeof(tlv_frame_builder));
	tlv_accumulator *accumulator;
	tlv_model *open;

	assert_ok(tlv_model_open(&ctx, model, &open));
	assert_ok(open->class->statistics(&ctx, open, NULL, &accumulator));
	for (size_t i = 0; i < d->n; i++)
		assert_ok(tlv_add(&ctx, accumulator, &d->rows[i]));
	assert_ok(accumulator->class->build(&ctx, accumulator, builder));
	return MADE(tlv_frame_finish, builder);
}

/* A step never lowers the likelihood of classes but for what the prior weighs. */
TEST(test_steps)
{
	drawn d = draw_members(1000, few_variables(false));
	tlv_membership_learn_options options = usual_options(false, 2);
	tlv_frame model, next, statistics;
	double before;

	options.refine = 1;
	model = procedure_model(&passes, tlv_membership_procedure(&options), &options, false);
	assert_float_equal(tlv_frame_scalar(&model, "steps", -1), 0, 0);
	statistics = statistics_of(&d, &model);
	before = tlv_frame_scalar(&statistics, "log_likelihood", 0);
	assert_float_equal(tlv_frame_scalar(&statistics, "rows", 0), 1000, 0);
	next = MADE(tlv_model_update, &model, &statistics, 1);
	statistics = statistics_of(&d, &next);
	assert_at_least(tlv_frame_scalar(&statistics, "log_likelihood", 0), before);
	/* Half a step leads half as far, into a model of its kind. */
	statistics = statistics_of(&d, &model);
	next = MADE(tlv_model_update, &model, &statistics, 0.5);
	assert_float_equal(tlv_frame_scalar(&next, "steps", 0), 1, 0);
}

/* Values without any structure: two components say no more than the marginal frequencies. */
TEST(test_nothing_there)
{
	tlv_membership_learn_options options = usual_options(true, 3);
	drawn d = draw_members(400, few_variables(true));
	tlv_frame model;

	for (size_t i = 0; i < d.n * d.p; i++)
		d.codes[i] = (int32_t) (tlv_mix64(i) % 3);
	model = procedure_model(&passes, tlv_membership_procedure(&options), &options, false);
	assert_true(model_warns(&model, "no_structure", NULL));
}

/* A variable that names the rows, and one whose values come twice. */
TEST(test_names_of_rows)
{
	tlv_membership_learn_options options = usual_options(false, 2);
	drawn d = draw_members(300, few_variables(false));

	for (size_t each = 1; each <= 2; each++)
	{
		tlv_frame model;
		tlv_warning warning;
		bool found;

		for (size_t i = 0; i < d.n; i++)
			d.codes[i * d.p + 1] = (int32_t) (i / each);
		model = procedure_model(&passes, tlv_membership_procedure(&options), &options, false);
		found = model_warns(&model, "identifying_column", &warning);
		assert_int_equal(found, each == 1);
		if (found)
			assert_close(warning.score, 300, 0);
		passes = (source_fixture){.ctx = &ctx, .memory = &memory, .rows = {{d.n, d.rows}}};
		passes.told.form = TLV_ROW_CODES;
	}
}

/* How many of `sets` draws, k left out, are given another number of components than they have. */
static int
wrong_numbers(int sets, size_t n, tlv_membership_simulation drawn_from)
{
	int wrong = 0;

	for (int set = 0; set < sets; set++)
	{
		tlv_membership_learn_options options = usual_options(drawn_from.mixed, 0);
		tlv_membership_parts parts;
		tlv_frame model;

		drawn_from.seed = 300 + (uint64_t) set;
		(void) draw_members(n, drawn_from);
		model = procedure_model(&passes, tlv_membership_procedure(&options), &options, false);
		tlv_membership_read(&model, &parts);
		wrong += parts.k != drawn_from.k;
	}
	return wrong;
}

/* One component where there is one, by classes and by memberships; three where there are three. */
ACCURACY_TEST(test_number)
{
	for (int mixed = 0; mixed < 2; mixed++)
	{
		tlv_membership_simulation one = {.mixed = mixed != 0,
										 .variables = 6,
										 .categories = 3,
										 .k = 1,
										 .alpha = 1,
										 .concentration = 1};
		tlv_membership_simulation three = {.mixed = mixed != 0,
										   .variables = 12,
										   .categories = 4,
										   .k = 3,
										   .alpha = 0.1,
										   .concentration = 0.5};

		assert_at_most(wrong_numbers(30, 150, one), 1);
		assert_at_most(wrong_numbers(5, 500, three), 1);
	}
}

/* What was tried, and what was chosen: by held-out rows with errors, or by the least BIC, beside
 * which is the least ICL, greater for every k but one. */
TEST(test_curve)
{
	tlv_membership_learn_options options = usual_options(false, 0);
	tlv_suggestion *rows;
	tlv_frame model;
	size_t n;

	for (int bic = 0; bic < 2; bic++)
	{
		(void) draw_members(500, (tlv_membership_simulation){.variables = 12,
															 .categories = 4,
															 .k = 3,
															 .alpha = 1,
															 .concentration = 0.5,
															 .seed = 4});
		options.criterion = bic ? TLV_MEMBERSHIP_BIC : TLV_MEMBERSHIP_HELD_OUT;
		model = procedure_model(&passes, tlv_membership_procedure(&options), &options, false);
		assert_ok(tlv_model_suggestions(&ctx, &model, &rows, &n));
		assert_int_equal(n, bic ? 10 : 5);
		for (size_t i = 5; i < n; i++)
		{
			assert_int_equal(rows[i].k, i - 4);
			assert_string_equal(rows[i].criterion, TLV_SUGGEST_ICL);
			assert_equal(rows[i].chosen, i == 7);
			assert_true(i == 5 ? fabs(rows[i].score - rows[0].score) < 1e-6
							   : rows[i].score > rows[i - 5].score + 1);
		}
		for (size_t i = 0; i < 5; i++)
		{
			assert_int_equal(rows[i].k, i + 1);
			assert_string_equal(rows[i].criterion, bic ? TLV_SUGGEST_BIC : TLV_SUGGEST_HELD_OUT);
			assert_equal(rows[i].chosen, i == 2);
			assert_equal(bic, isnan(rows[i].standard_error));
			assert_true(bic ? rows[i].score >= rows[2].score : rows[i].score <= rows[2].score);
			assert_true(bic || i == 2 || rows[i].standard_error > 0);
		}
	}
	options.fit.k = 2;
	model = procedure_model(&passes, tlv_membership_procedure(&options), &options, false);
	assert_fails(tlv_model_suggestions(&ctx, &model, &rows, &n), TLV_BAD_PARAMETER,
				 "this model of kind latent_classes tells of one k only");
}

TEST(test_constant)
{
	tlv_membership_learn_options options = usual_options(false, 2);
	drawn d = draw_members(300, few_variables(false));
	tlv_frame model;

	for (size_t i = 0; i < d.n; i++)
		d.codes[i * d.p] = 0;
	(void) procedure_model(&passes, tlv_membership_procedure(&options), &options, false);
	for (size_t i = 0; i < d.n * d.p; i++)
		d.codes[i] = 0;
	passes = (source_fixture){.ctx = &ctx, .memory = &memory, .rows = {{d.n, d.rows}}};
	passes.told.form = TLV_ROW_CODES;
	model = procedure_model(&passes, tlv_membership_procedure(&options), &options, false);
	assert_equal(tlv_model_components(&model), 1);
	assert_true(model_warns(&model, "fewer_components", NULL));
}

TEST(test_no_rows)
{
	tlv_membership_learn_options options = usual_options(false, 2);

	passes = (source_fixture){.ctx = &ctx, .memory = &memory};
	assert_fails(procedure_run(&passes, tlv_membership_procedure(&options), &options), TLV_NO_ROWS,
				 "the query returns no rows");
}

TEST(test_faults)
{
	tlv_membership_learn_options options = usual_options(false, 2);

	(void) draw_members(60, few_variables(false));
	assert_int_equal(
		procedure_fail_everywhere(&passes, tlv_membership_procedure(&options), &options, false), 2);
	options = usual_options(true, 2);
	(void) draw_members(60, few_variables(true));
	options.iterations = 2;
	assert_int_equal(
		procedure_fail_everywhere(&passes, tlv_membership_procedure(&options), &options, false), 2);
}

RUN_TESTS(setup, teardown)
