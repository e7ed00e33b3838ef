/*
 * test_learn.c - learning mixtures of three views from rows in memory: accuracy of the
 * whole fit, when it refines and stops, what it holds, and everything that can go wrong on the way.
 */
#include "source_fixture.h"
#include "tensorlv/model/multiview.h"
#include "view_fixture.h"

#define K 3

static source_fixture f;

static tlv_frame
random_model(bool categories, uint64_t seed)
{
	tlv_multiview_simulation simulation = {
		.k = K, .categories = categories, .separation = 3, .concentration = 0.5, .seed = seed};
	static const size_t wide[3] = {5, 8, 3}, many[3] = {10, 20, 30};

	memcpy(simulation.d, categories ? many : wide, sizeof(simulation.d));
	return MADE(tlv_multiview_random, &simulation);
}

static tlv_row
drawn_row(const tlv_multiview_parts *parts)
{
	int64_t *category = room(3, sizeof(int64_t));
	double *x[3];

	for (int t = 0; t < 3; t++)
		x[t] = room(parts->d[t], sizeof(double));
	(void) tlv_multiview_draw(parts, &rng, x, category);
	return parts->items[0] != NULL ? *TLV_AS_CATEGORIES(category) : *TLV_AS_VIEWS(parts->d, x);
}

static tlv_row *
drawn_rows(tlv_frame model, size_t n)
{
	tlv_row *rows = room(n, sizeof(tlv_row));
	tlv_multiview_parts parts;

	tlv_multiview_read(&model, &parts);
	for (size_t i = 0; i < n; i++)
		rows[i] = drawn_row(&parts);
	return rows;
}

static void
use_rows(tlv_frame model, size_t n)
{
	fixture_begin(&f, &ctx, &memory);
	f.rows[0] = (fixture_rows){n, drawn_rows(model, n)};
	f.changed = (fixture_rows){n, drawn_rows(model, n)};
	f.told.form = f.rows[0].rows[0].form;
}

static tlv_multiview_learn_options
options_of(tlv_multiview_refinement refine, int iterations)
{
	return (tlv_multiview_learn_options){
		.fit = {.k = K, .seed = 1}, .refine = refine, .iterations = iterations};
}

/* Mean distance of the components' means, of categories of their probabilities. */
static double
mean_error(tlv_frame found, tlv_frame truth)
{
	tlv_multiview_parts a, b;
	int64_t assignment[K];
	double error[K], sum = 0;

	tlv_multiview_read(&found, &a);
	tlv_multiview_read(&truth, &b);
	assert_ok(tlv_multiview_match(&ctx, &a, &b, assignment, error));
	for (size_t j = 0; j < K; j++)
		sum += error[j] / K;
	return sum;
}

/* ---- accuracy ---- */

/* The fit to the moments alone, and after refinement. */
static void
check_accuracy(bool categories, double start, double refined)
{
	tlv_multiview_learn_options none = options_of(TLV_MULTIVIEW_REFINE_NONE, -1);
	tlv_multiview_learn_options em = options_of(TLV_MULTIVIEW_REFINE_EM, -1);
	tlv_frame truth = random_model(categories, 4);

	use_rows(truth, 20000);
	assert_below(mean_error(procedure_model(&f, &tlv_multiview_procedure, &none, false), truth),
				 start);
	assert_below(mean_error(procedure_model(&f, &tlv_multiview_procedure, &em, false), truth),
				 refined);
}

TEST(test_accuracy)
{
	check_accuracy(false, 0.105, 0.068);
	check_accuracy(true, 0.092, 0.065);
}

/* ---- what it does when ---- */

/*
 * Unless it is said, categories are refined, without a pass, and vectors are not.  Vectors take a
 * pass a step and one more for the likelihood.
 */
TEST(test_steps)
{
	static const struct
	{
		bool categories;
		tlv_multiview_refinement refine;
		int iterations;
		int passes;
		bool criteria;
	} cases[] = {
		{true, TLV_MULTIVIEW_REFINE_AUTO, -1, 1, true},
		{true, TLV_MULTIVIEW_REFINE_NONE, -1, 1, false},
		{true, TLV_MULTIVIEW_REFINE_EM, 0, 1, false}, /* no likelihood is known */
		{false, TLV_MULTIVIEW_REFINE_AUTO, -1, 1, false},
		{false, TLV_MULTIVIEW_REFINE_EM, 0, 2, true},
		{false, TLV_MULTIVIEW_REFINE_EM, 9, 11, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		tlv_multiview_learn_options options = options_of(cases[i].refine, cases[i].iterations);
		tlv_frame model;

		use_rows(random_model(cases[i].categories, 4), 1000);
		model = procedure_small_model(&f, &tlv_multiview_procedure, &options, 4);
		assert_int_equal(f.passes, cases[i].passes);
		assert_equal(isfinite(diagnostic(model, "bic")), cases[i].criteria);
	}
}

/* It stops when the likelihood stands; where means have moved far on the way, it says so. */
TEST(test_stops)
{
	tlv_multiview_learn_options options = options_of(TLV_MULTIVIEW_REFINE_EM, -1);
	tlv_frame model;
	double moved;

	use_rows(random_model(false, 4), 3000);
	model = procedure_model(&f, &tlv_multiview_procedure, &options, false);
	assert_below(diagnostic(model, "passes"), 100);
	assert_false(model_warns(&model, "iterations_at_limit", NULL));
	moved = diagnostic(model, "refinement_shift");
	assert_above(moved, 0);
	assert_equal(model_warns(&model, "means_moved", NULL), moved > 0.2);
}

TEST(test_names)
{
	assert_string_equal(tlv_multiview_refinement_names[TLV_MULTIVIEW_REFINE_AUTO], "auto");
	assert_string_equal(tlv_multiview_refinement_names[TLV_MULTIVIEW_REFINE_EM], "em");
	assert_string_equal(tlv_multiview_refinement_names[TLV_MULTIVIEW_REFINE_NONE], "none");
	assert_null(tlv_multiview_refinement_names[3]);
}

/* ---- what can go wrong ---- */

TEST(test_refusals)
{
	tlv_multiview_learn_options options = options_of(TLV_MULTIVIEW_REFINE_AUTO, -1);
	tlv_warning warning;
	tlv_frame model;

	/* no more components than the views tell apart */
	options.fit.k = 11;
	use_rows(random_model(true, 4), 500);
	model = procedure_model(&f, &tlv_multiview_procedure, &options, false);
	assert_true(model_warns(&model, "fewer_components", &warning));
	assert_non_null(strstr(warning.message, "k = 11"));
	assert_float_equal(warning.score, 11, 0);
	assert_true(tlv_frame_find(&model, "weights")->rows < 11);
}

TEST(test_faults)
{
	tlv_multiview_learn_options options = options_of(TLV_MULTIVIEW_REFINE_EM, 2);

	for (int categories = 0; categories < 2; categories++)
	{
		use_rows(random_model(categories, 4), 400);
		procedure_fail_everywhere(&f, &tlv_multiview_procedure, &options, false);
	}
}

RUN_TESTS(setup, teardown)
