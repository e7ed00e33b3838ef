/*
 * test_learn.c - the whole of learning independent components of vectors in memory:
 * both ways to the moments, refinement, refusals, and a fault in every pass.
 */
#include "source_setup.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/ica.h"
#include "tensorlv/num/linalg.h"

/* ---- rows ---- */

typedef struct row_list
{
	size_t d;
	double *x;
	tlv_row *rows;
} row_list;

static tlv_status
take_row(tlv_context *context, void *argument, size_t row, const double *x, const double *sources)
{
	row_list *list = argument;
	double *to = list->x + (row - 1) * list->d;

	memcpy(to, x, list->d * sizeof(double));
	list->rows[row - 1] = *TLV_AS_VECTOR(list->d, to);
	return TLV_OK;
}

/* n rows of a random model of k sources in d dimensions; returns that model. */
static tlv_frame
simulate(size_t n, size_t d, size_t k)
{
	tlv_ica_simulation options = {.d = d, .k = k, .mixed = true, .seed = 3};
	row_list list = {.d = d};
	tlv_frame truth;

	list.x = tlv_alloc(&ctx, n * d, sizeof(double));
	list.rows = tlv_alloc(&ctx, n, sizeof(tlv_row));
	assert_non_null(list.x);
	assert_non_null(list.rows);
	truth = MADE(tlv_ica_simulate_model, &options);
	assert_ok(tlv_ica_simulate(&ctx, &truth, n, 5, take_row, &list));
	passes = (source_fixture){.ctx = &ctx, .memory = &memory, .rows = {{n, list.rows}}};
	passes.told.form = TLV_ROW_VECTOR;
	passes.told.width[0] = d;
	passes.changed = (fixture_rows){n / 2, list.rows + n / 2};
	return truth;
}

/* ---- procedures ---- */

static tlv_ica_learn_options
usual_options(size_t k)
{
	return (tlv_ica_learn_options){.fit = {.k = k, .seed = 1}, .iterations = -1};
}

static tlv_frame
learn(tlv_ica_learn_options options)
{
	return procedure_model(&passes, &tlv_ica_procedure, &options, false);
}

static double
amari_error(tlv_frame truth, tlv_frame model)
{
	const tlv_section *mixing = tlv_frame_find(&truth, "mixing");
	double index;

	assert_ok(tlv_ica_amari(&ctx, mixing->rows, mixing->columns,
							tlv_frame_float64(&truth, "mixing"),
							tlv_frame_float64(&model, "mixing"), &index));
	return index;
}

TEST(test_refined)
{
	tlv_frame truth = simulate(20000, 4, 4), model;
	tlv_ica_learn_options options = usual_options(0);

	model = learn(options);
	assert_below(amari_error(truth, model), 0.02);
	assert_false(model_warns(&model, "iterations_at_limit", NULL));
	assert_above(passes.passes, 2);
	/* It ends where one step more would be a small one. */
	options.iterations = (int) tlv_frame_scalar(&model, "steps", 0) + 1;
	model = learn(options);
	assert_true(tlv_ica_settled(&model));
	/* One step, and none: passes are the moments and those. */
	options.iterations = 1;
	model = learn(options);
	assert_int_equal(passes.passes, 2);
	assert_float_equal(tlv_frame_scalar(&model, "steps", -1), 1, 0);
	options.iterations = 0;
	(void) learn(options);
	assert_int_equal(passes.passes, 1);
	options.refine = "none";
	options.iterations = -1;
	model = learn(options);
	assert_int_equal(passes.passes, 1);
	assert_float_equal(tlv_frame_scalar(&model, "steps", -1), 0, 0);
	assert_below(amari_error(truth, model), 0.1);
}

/* Vectors too long for all their fourth moments: a pass for the directions comes first. */
ACCURACY_TEST(test_long_vectors)
{
	tlv_frame truth = simulate(4000, 62, 3);
	tlv_ica_learn_options options = usual_options(3);
	tlv_warning warning;
	tlv_frame model;

	options.iterations = 2;
	assert_below(amari_error(truth, learn(options)), 0.1);
	assert_int_equal(passes.passes, 4);
	options.fit.k = 61;
	options.iterations = 0;
	model = learn(options);
	assert_int_equal(tlv_frame_find(&model, "mixing")->columns, 60);
	assert_true(model_warns(&model, "directions_skipped", &warning));
	assert_float_equal(warning.score, 1, 0);
	/* Unsaid, as many leading directions as there may be, and a warning. */
	options.fit.k = 0;
	options.iterations = 0;
	model = learn(options);
	assert_int_equal(tlv_frame_find(&model, "mixing")->columns, 60);
	assert_true(model_warns(&model, "directions_skipped", &warning));
	assert_float_equal(warning.score, 2, 0);
}

TEST(test_options)
{
	tlv_ica_learn_options options = usual_options(0);

	options.refine = "em";
	assert_int_equal(tlv_ica_procedure.check(&ctx, &options), TLV_BAD_PARAMETER);
	assert_string_equal(ctx.error.message, "there is no refinement \"em\"");
	options.refine = "tanh";
	options.fit.noise = true;
	assert_int_equal(tlv_ica_procedure.check(&ctx, &options), TLV_BAD_PARAMETER);
	/* Unsaid, noise is not refined. */
	(void) simulate(2000, 3, 3);
	options.refine = NULL;
	options.fit.keep_gaussian = true;
	(void) learn(options);
	assert_int_equal(passes.passes, 1);
}

TEST(test_no_rows)
{
	tlv_ica_learn_options options = usual_options(0);

	passes = (source_fixture){.ctx = &ctx, .memory = &memory};
	assert_fails(procedure_run(&passes, &tlv_ica_procedure, &options), TLV_NO_ROWS,
				 "the query returns no rows");
}

TEST(test_faults)
{
	tlv_ica_learn_options options = usual_options(0);

	(void) simulate(600, 3, 3);
	options.iterations = 2;
	assert_int_equal(procedure_fail_everywhere(&passes, &tlv_ica_procedure, &options, false), 4);
	options = usual_options(2);
	options.iterations = 1;
	(void) simulate(300, 61, 2);
	assert_int_equal(procedure_fail_everywhere(&passes, &tlv_ica_procedure, &options, false), 4);
}

RUN_TESTS(setup, teardown)
