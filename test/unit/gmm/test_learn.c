/*
 * test_learn.c - the whole of learning mixtures of Gaussians of vectors in memory:
 * accuracy of every way that it takes, choices, warnings, and a fault in every pass.
 */

#include "gmm_refine.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/gmm.h"
#include "tensorlv/num/linalg.h"

/* ---- rows ---- */

/* The rows in use are those of a random mixture, which is returned. */
static tlv_frame
use_mixture(size_t n, size_t d, size_t k, double separation, tlv_covariance covariance)
{
	data rows = simulate(n, d, k, separation, covariance);

	fixture_use_rows(fixture_rows_of(n, d, rows.x));
	return rows.truth;
}

/* ---- procedures ---- */

static tlv_gmm_learn_options
usual_options(size_t k, tlv_covariance covariance)
{
	return (tlv_gmm_learn_options){.fit = {.k = k, .covariance = covariance, .seed = 1},
								   .max_k = 10,
								   .refine = true,
								   .iterations = -1};
}

static tlv_frame
learn(tlv_gmm_learn_options options)
{
	return procedure_model(&passes, &tlv_gmm_procedure, &options, false);
}

/* ---- what is learnt ---- */

/* Many rows, spherical: the fit to the moments is trusted, and refined without a sample. */
TEST(test_trusted)
{
	tlv_frame truth = use_mixture(30000, 10, 4, 4, TLV_COVARIANCE_SPHERICAL), model;
	tlv_gmm_learn_options options = usual_options(4, TLV_COVARIANCE_SPHERICAL);

	model = learn(options);
	assert_below(mean_error(truth, model), 0.05);
	assert_equal(diagnostic(model, "start_moments"), 1);
	assert_true(isnan(diagnostic(model, "sample_rows")));
	assert_equal(tlv_frame_scalar(&model, "rows", 0), 30000);
	assert_equal(diagnostic(model, "passes"), diagnostic(model, "refinement_steps") + 2);
	assert_null(tlv_frame_find(&model, "warnings"));

	options.iterations = 3;
	model = learn(options);
	assert_equal(tlv_frame_scalar(&model, "steps", 0), 3);
	assert_equal(passes.passes, 5);
	options.refine = false;
	model = learn(options);
	assert_equal(tlv_frame_scalar(&model, "steps", 0), 0);
	assert_equal(passes.passes, 1);
	assert_below(mean_error(truth, model), 0.15);
}

/* Few rows: starts from a sample that is all of them. */
TEST(test_whole_sample)
{
	static const tlv_covariance covariances[] = {TLV_COVARIANCE_COMMON, TLV_COVARIANCE_DIAGONAL,
												 TLV_COVARIANCE_FULL};

	for (int c = 0; c < 3; c++)
	{
		tlv_frame truth = use_mixture(1500, 4, 3, 5, covariances[c]), model;

		model = learn(usual_options(3, covariances[c]));
		assert_below(mean_error(truth, model), 0.2);
		assert_equal(diagnostic(model, "sample_rows"), 1500);
		assert_null(tlv_frame_find(&model, "warnings"));
	}
}

/*
 * Many rows that moments of spherical components do not fit well: the fit to them and a start from
 * the sample are rivals, with the steps of both in passes.
 */
TEST(test_rivals)
{
	tlv_frame truth = use_mixture(22000, 4, 4, 3, TLV_COVARIANCE_DIAGONAL), model;
	tlv_gmm_learn_options options = usual_options(4, TLV_COVARIANCE_SPHERICAL);

	model = learn(options);
	assert_below(mean_error(truth, model), 0.5); /* variances differ by coordinate in truth */
	assert_above(diagnostic(model, "sample_rows"), 2000);
	options.iterations = 2;
	model = learn(options);
	assert_equal(tlv_frame_scalar(&model, "steps", 0), 2);
	assert_equal(passes.passes, 2 + 3 + 3);
}

/* Long vectors: moments in the leading directions, by a pass of their own. */
TEST(test_compressed)
{
	tlv_frame truth = use_mixture(25000, 40, 3, 4, TLV_COVARIANCE_SPHERICAL), model;

	model = learn(usual_options(3, TLV_COVARIANCE_SPHERICAL));
	assert_equal(diagnostic(model, "directions"), 3);
	assert_below(mean_error(truth, model), 0.15);
	/* One component needs none. */
	model = learn(usual_options(1, TLV_COVARIANCE_SPHERICAL));
	assert_true(isnan(diagnostic(model, "directions")));
}

/* ---- k ---- */

TEST(test_choice_of_k)
{
	tlv_frame truth = use_mixture(4000, 4, 3, 6, TLV_COVARIANCE_SPHERICAL), model;
	tlv_gmm_learn_options options = usual_options(0, TLV_COVARIANCE_SPHERICAL);
	tlv_warning warning;

	model = learn(options);
	assert_equal(tlv_frame_find(&model, "weights")->rows, 3);
	assert_equal(diagnostic(model, "k_chosen"), 1);
	assert_below(diagnostic(model, "bic_3"), diagnostic(model, "bic_2"));
	assert_below(diagnostic(model, "bic_3"), diagnostic(model, "bic_4"));
	assert_true(isnan(diagnostic(model, "bic_6"))); /* it has risen twice */
	assert_equal(diagnostic(model, "bic_rows"), 4000);
	assert_below(mean_error(truth, model), 0.1);
	options.max_k = 3;
	model = learn(options);
	assert_true(model_warns(&model, "k_at_limit", &warning));
	assert_string_equal(warning.message, "k is the largest that was tried, max_k = 3");

	/* Of long vectors, too: the directions are those of the largest k. */
	truth = use_mixture(3000, 30, 4, 6, TLV_COVARIANCE_SPHERICAL);
	options.max_k = 6;
	model = learn(options);
	assert_equal(tlv_frame_find(&model, "weights")->rows, 4);
	assert_equal(diagnostic(model, "directions"), 6);
	assert_below(mean_error(truth, model), 0.3);
}

/* ---- the covariance ---- */

/* What is learnt where neither k nor the covariance are said. */
static tlv_frame
learn_all(void)
{
	tlv_gmm_learn_options options = usual_options(0, TLV_COVARIANCE_COMMON);

	options.fit.any_covariance = true;
	return learn(options);
}

static double
covariance_of(tlv_frame model)
{
	return tlv_frame_scalar(&model, "covariance", NAN);
}

/* The criterion is compared over covariances, as well as over k. */
ACCURACY_TEST(test_choice_of_covariance)
{
	tlv_gmm_learn_options options = usual_options(3, TLV_COVARIANCE_COMMON);
	tlv_frame truth, model;

	options.fit.any_covariance = true;
	for (tlv_covariance c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_FULL; c++)
	{
		truth = use_mixture(3000, 4, 3, 6, c);
		model = learn_all();
		assert_equal(covariance_of(model), c);
		assert_equal(tlv_frame_find(&model, "weights")->rows, 3);
		assert_below(mean_error(truth, model), 0.2);
		assert_null(tlv_frame_find(&model, "warnings"));
		model = learn(options);
		assert_equal(covariance_of(model), c);
		assert_equal(diagnostic(model, "covariance_chosen"), 1);
		assert_below(mean_error(truth, model), 0.2);
	}
	/* Of a large sample, some rows tell; moments that are trusted still are. */
	truth = use_mixture(30000, 10, 4, 4, TLV_COVARIANCE_SPHERICAL);
	options.fit.k = 4;
	model = learn(options);
	assert_equal(covariance_of(model), TLV_COVARIANCE_SPHERICAL);
	assert_equal(diagnostic(model, "covariance_rows"), 2000);
	assert_equal(diagnostic(model, "start_moments"), 1);
	assert_below(mean_error(truth, model), 0.05);
	assert_below(diagnostic(model, "bic_spherical"), diagnostic(model, "bic_full"));
	assert_close(diagnostic(model, "bic_spherical") / diagnostic(model, "bic_rows"),
				 diagnostic(model, "bic") / 30000, 0.5);
}

/* Rows of one correlated Gaussian are one component, not several that are round. */
ACCURACY_TEST(test_one_gaussian)
{
	tlv_gmm_learn_options options = usual_options(0, TLV_COVARIANCE_SPHERICAL);
	tlv_warning warning;
	tlv_frame model;
	double *x;

	for (size_t d = 2; d <= 5; d += 3)
	{
		(void) use_mixture(3000, d, 1, 4, TLV_COVARIANCE_FULL);
		model = learn_all();
		assert_equal(tlv_frame_find(&model, "weights")->rows, 1);
		assert_equal(covariance_of(model), TLV_COVARIANCE_FULL);
		/* That there is nothing to find is said, and nothing of a shape. */
		assert_true(model_warns(&model, "no_structure", NULL));
		assert_false(model_warns(&model, "components_overlap", NULL));
		assert_false(model_warns(&model, "heavy_tails", NULL));
	}
	/* Round components do describe it; that they are no groups is said. */
	model = learn(options);
	assert_above(tlv_frame_find(&model, "weights")->rows, 3);
	assert_true(model_warns(&model, "components_overlap", &warning));
	assert_below(warning.score, (double) tlv_frame_find(&model, "weights")->rows - 1);
	assert_above(diagnostic(model, "icl"), diagnostic(model, "bic"));

	/* So it is of one shape that is no Gaussian. */
	x = room(2000 * 2, sizeof(double));
	for (int t = 0; t < 2000; t++)
	{
		x[2 * t] = fmod(t * 0.6180339887, 1);
		x[2 * t + 1] = fmod(t * 0.7548776662, 1);
	}
	fixture_use_rows(fixture_rows_of(2000, 2, x));
	model = learn_all();
	assert_true(model_warns(&model, "components_overlap", &warning));
	assert_equal(warning.score, 1);
}

/* A given k of rows of one Gaussian is fitted, and doubted, whatever the form; of groups it is not.
 */
TEST(test_doubt)
{
	for (int set = 0; set < 16; set += EVERY(5))
	{
		tlv_covariance form = (tlv_covariance) (set % 4);
		size_t k = set < 8 ? 1 : 3;
		tlv_gmm_learn_options options = usual_options(2 + (size_t) set / 4 % 2, form);
		double gain, truth;
		tlv_mixture mixture;
		tlv_frame model;

		(void) use_mixture(600, 3, k, 6, form);
		model = learn(options);
		tlv_gmm_read(&model, &mixture);
		assert_equal(mixture.k, options.fit.k);
		assert_int_equal(model_warns(&model, "no_structure", NULL), k == 1);
		gain = diagnostic(model, "gain_over_one");
		truth = diagnostic(model, "mean_log_likelihood");
		options.fit.k = 1;
		model = learn(options);
		assert_false(model_warns(&model, "no_structure", NULL));
		assert_close(gain, truth - diagnostic(model, "mean_log_likelihood"), 1e-6);
	}
}

/* One row that lies far out is no group of its own, although any likelihood can be had from it. */
TEST(test_outlier)
{
	tlv_frame model;
	double *x;

	(void) use_mixture(2000, 30, 3, 7, TLV_COVARIANCE_SPHERICAL);
	x = (double *) passes.rows[0].rows[0].part[0].float64;
	for (int i = 0; i < 30; i++)
		x[i] = i % 2 == 0 ? 30 : -30;
	model = learn_all();
	assert_false(model_warns(&model, "variances_at_floor", NULL));
	assert_false(model_warns(&model, "empty_component", NULL));
	assert_at_least(tlv_frame_find(&model, "weights")->rows, 2);
}

/* ---- warnings and refusals ---- */

TEST(test_warnings)
{
	double *curve = room(5000, sizeof(double)), x[60];
	tlv_frame model;

	for (int t = 0; t < 30; t++) /* three points, ten times each */
	{
		x[2 * t] = t % 3;
		x[2 * t + 1] = t % 3 == 1;
	}
	fixture_use_rows(fixture_rows_of(30, 2, x));
	model = learn(usual_options(3, TLV_COVARIANCE_SPHERICAL));
	assert_true(model_warns(&model, "variances_at_floor", NULL));

	for (int t = 1; t <= 2500; t++) /* far more components than there are clusters */
	{
		curve[2 * t - 2] = sin((double) t * t);
		curve[2 * t - 1] = cos(t * sqrt(t));
	}
	fixture_use_rows(fixture_rows_of(2500, 2, curve));
	model = learn(usual_options(20, TLV_COVARIANCE_FULL));
	assert_true(model_warns(&model, "iterations_at_limit", NULL));
	assert_equal(tlv_frame_scalar(&model, "steps", 0), 100);
}

TEST(test_refusals)
{
	static const double x[] = {1, 2, 3, 5};
	tlv_gmm_learn_options options = usual_options(3, TLV_COVARIANCE_SPHERICAL);

	fixture_use_rows(fixture_rows_of(2, 2, x));
	assert_fails(procedure_run(&passes, &tlv_gmm_procedure, &options), TLV_BAD_DATA,
				 "2 rows are too few for 3 components");
	fixture_use_rows((fixture_rows){0, NULL});
	assert_fails(procedure_run(&passes, &tlv_gmm_procedure, &options), TLV_NO_ROWS,
				 "the query returns no rows");
	options.fit.k = TLV_MIXTURE_MOST_COMPONENTS + 1;
	assert_fails(tlv_gmm_procedure.check(&ctx, &options), TLV_BAD_PARAMETER,
				 "k = 10001 is more than 10000");
}

/* ---- the sample ---- */

/* A sample does not depend on order and parts, and is one of all rows alike. */
TEST(test_sample)
{
	const tlv_statistic wanted = {.aggregate = &tlv_aggregate_row_sample, .count = 1000, .seed = 7};
	tlv_frame_builder *builder = room(1, sizeof(tlv_frame_builder));
	double *x = room(40000, sizeof(double)), sum = 0;
	tlv_accumulator *one, *third, *both;
	tlv_frame frames[4];
	tlv_rng rng;
	void *image;
	size_t size;

	tlv_rng_seed(&rng, 3);
	for (int i = 0; i < 40000; i++)
		x[i] = tlv_rng_uniform(&rng);
	assert_ok(tlv_statistic_create(&ctx, &wanted, &one));
	for (int t = 0; t < 20000; t++)
		assert_ok(tlv_add(&ctx, one, TLV_AS_VECTOR(2, x + 2 * t)));
	assert_ok(tlv_accumulator_create(&ctx, tlv_kind_row_sample.accumulator, &both));
	for (int p = 2; p >= 0; p--)
	{
		assert_ok(tlv_statistic_create(&ctx, &wanted, &third));
		for (int t = 19999; t >= 0; t--)
			if (t % 3 == p && (p < 2 || t < 900))
				assert_ok(tlv_add(&ctx, third, TLV_AS_VECTOR(2, x + 2 * t)));
		for (int t = 900; t < 20000 && p == 1; t++)
			if (t % 3 == 2)
				assert_ok(tlv_add(&ctx, third, TLV_AS_VECTOR(2, x + 2 * t)));
		assert_ok(third->class->build(&ctx, third, builder));
		frames[p] = MADE(tlv_frame_finish, builder);
		assert_ok(both->class->merge(&ctx, both, &frames[p]));
	}
	assert_ok(one->class->build(&ctx, one, builder));
	frames[3] = MADE(tlv_frame_finish, builder);
	assert_ok(both->class->build(&ctx, both, builder));
	assert_ok(tlv_frame_finish(&ctx, builder, &image, &size));
	assert_int_equal(size, frames[3].header->size);
	assert_memory_equal(image, frames[3].header, size);
	assert_equal(tlv_frame_scalar(&frames[3], "seen", 0), 20000);
	assert_int_equal(tlv_frame_find(&frames[3], "rows")->columns, 1000);
	for (int i = 0; i < 2000; i++)
		sum += tlv_frame_float64(&frames[3], "rows")[i] / 2000;
	assert_close(sum, 0.5, 4 * sqrt(1.0 / 12 / 2000));

	assert_fails(tlv_add(&ctx, one, TLV_AS_VECTOR(1, x)), TLV_BAD_DATA, "length 1");
	x[1] = NAN;
	assert_fails(tlv_add(&ctx, one, TLV_AS_VECTOR(2, x)), TLV_BAD_DATA, "NaN");
}

/* How many rows of one number are x. */
static size_t
count_rows(const double *rows, size_t n, double x)
{
	size_t count = 0;

	for (size_t t = 0; t < n; t++)
		count += rows[t] == x;
	return count;
}

/* Equal rows have their share of the sample, be all of them few or beside many that differ. */
TEST(test_sample_of_equal_rows)
{
	const tlv_statistic wanted = {.aggregate = &tlv_aggregate_row_sample, .count = 1000, .seed = 7};
	tlv_frame_builder *builder = room(1, sizeof(tlv_frame_builder));
	tlv_accumulator *one;
	tlv_frame sample;
	double *rows, x;
	void *image;
	size_t size, n;

	for (int different = 0; different <= 1; different++)
	{
		assert_ok(tlv_statistic_create(&ctx, &wanted, &one));
		for (int t = 0; t < 12000; t++)
		{
			x = t % 4 == 3 ? different * t + 1 : t % 2;
			assert_ok(tlv_add(&ctx, one, TLV_AS_VECTOR(1, &x)));
		}
		assert_ok(one->class->build(&ctx, one, builder));
		sample = MADE(tlv_frame_finish, builder);
		assert_ok(tlv_row_sample_rows(&ctx, &sample, &n, &rows));
		assert_int_equal(n, 1000);
		if (!different)
			assert_int_equal(count_rows(rows, n, 1), 500);
		/* Where others differ it may be left out, as any of them, but has no other share. */
		if (!different || count_rows(rows, n, 0) > 0)
			assert_int_equal(count_rows(rows, n, 0), 500);
	}
	/* Rows that are fewer than the sample: each as often as it came. */
	assert_ok(tlv_statistic_create(&ctx, &wanted, &one));
	for (int t = 0; t < 300; t++)
	{
		x = t % 3 == 0 ? -1 : t;
		assert_ok(tlv_add(&ctx, one, TLV_AS_VECTOR(1, &x)));
	}
	assert_ok(one->class->build(&ctx, one, builder));
	assert_ok(tlv_frame_finish(&ctx, builder, &image, &size));
	assert_ok(tlv_frame_open(&ctx, image, size, &sample));
	assert_ok(tlv_row_sample_rows(&ctx, &sample, &n, &rows));
	assert_int_equal(n, 300);
	assert_int_equal(count_rows(rows, n, -1), 100);
	for (int t = 1; t < 300; t++)
		assert_int_equal(count_rows(rows, n, t), t % 3 != 0);
}

/* Rows that are not as wide as was told: as many components are tried as there is room for. */
TEST(test_narrower_than_told)
{
	const size_t clusters = 14, each = 20, d = 30;
	double *x = room(d * clusters * each, sizeof(double));
	tlv_gmm_learn_options options = usual_options(0, TLV_COVARIANCE_SPHERICAL);
	tlv_frame model;
	tlv_rng rng;

	tlv_rng_seed(&rng, 1);
	for (size_t t = 0; t < clusters * each; t++)
		for (size_t i = 0; i < d; i++)
			x[t * d + i] = (i == t % clusters ? 100 : 0) + tlv_rng_uniform(&rng);
	fixture_use_rows(fixture_rows_of(clusters * each, d, x));
	passes.told.width[0] = 300;
	options.max_k = 0;
	model = procedure_model(&passes, &tlv_gmm_procedure, &options, false);
	assert_equal(diagnostic(model, "k_chosen"), 1);
	assert_int_equal(tlv_frame_find(&model, "weights")->rows, clusters);
}

/* ---- faults ---- */

/* All ways: compressed moments, a sample, rivals; and k that is chosen. */
TEST(test_faults)
{
	tlv_gmm_learn_options options = usual_options(2, TLV_COVARIANCE_SPHERICAL);
	double *wide = room(500 * 5, sizeof(double));

	(void) use_mixture(1000, 24, 2, 4, TLV_COVARIANCE_SPHERICAL);
	passes.changed = fixture_rows_of(500, 5, wide); /* shorter, and all zero */
	options.iterations = 3;
	assert_at_least(procedure_fail_everywhere(&passes, &tlv_gmm_procedure, &options, false), 7);
	passes.changed = (fixture_rows){5, passes.rows[0].rows}; /* most of them gone */
	procedure_change_everywhere(&passes, &tlv_gmm_procedure, &options);

	(void) use_mixture(800, 3, 2, 5, TLV_COVARIANCE_SPHERICAL);
	options.fit.k = 0;
	options.max_k = 4;
	passes.changed = (fixture_rows){5, passes.rows[0].rows};
	assert_at_least(procedure_fail_everywhere(&passes, &tlv_gmm_procedure, &options, false), 6);
	options.fit.any_covariance = true;
	assert_at_least(procedure_fail_everywhere(&passes, &tlv_gmm_procedure, &options, false), 4);
	options.fit.k = 2;
	assert_at_least(procedure_fail_everywhere(&passes, &tlv_gmm_procedure, &options, false), 4);
	options.fit.any_covariance = false;

	(void) use_mixture(22000, 4, 4, 3, TLV_COVARIANCE_DIAGONAL);
	options.fit.k = 4;
	options.iterations = 6;
	passes.changed = (fixture_rows){100, passes.rows[0].rows};
	assert_at_least(procedure_fail_everywhere(&passes, &tlv_gmm_procedure, &options, false), 15);
}

RUN_TESTS(setup, teardown)
