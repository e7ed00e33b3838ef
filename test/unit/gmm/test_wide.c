/*
 * test_wide.c - mixtures over rows of a hundred numbers and more: starts from merged clusters in
 * the leading directions, k that is chosen, and every fault on the way.
 */
#include "gmm_fixture.h"

#include "tensorlv/model/diagnostics.h"

static tlv_gmm_learn_options
usual_options(size_t k, tlv_covariance covariance)
{
	return (tlv_gmm_learn_options){
		.fit = {.k = k, .covariance = covariance, .seed = 1}, .refine = true, .iterations = -1};
}

static tlv_frame
learn(tlv_gmm_learn_options options)
{
	return procedure_model(&passes, &tlv_gmm_procedure, &options, false);
}

static size_t
components(tlv_frame model)
{
	tlv_mixture mixture;

	tlv_gmm_read(&model, &mixture);
	return mixture.k;
}

/* The true clusters are found, as many as there are, and no fewer where k is given. */
ACCURACY_TEST(test_clusters)
{
	for (int c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_SPHERICAL; c++)
	{
		data rows = simulate(3000, 120, 25, 12, (tlv_covariance) c);
		tlv_frame chosen, given;

		fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
		chosen = learn(usual_options(0, (tlv_covariance) c));
		assert_int_equal(components(chosen), 25);
		/* 11 is the root of 120: what one row of a component errs by */
		assert_below(mean_error(rows.truth, chosen), 1.5);
		assert_equal(diagnostic(chosen, "k_chosen"), 1);
		assert_below(diagnostic(chosen, "icl_25"), diagnostic(chosen, "icl_24"));
		/* where the search ends at 25, of which the rounding of some processors decides, there is
		 * none */
		assert_false(diagnostic(chosen, "icl_25") >= diagnostic(chosen, "icl_26"));
		given = learn(usual_options(25, (tlv_covariance) c));
		assert_below(mean_error(rows.truth, given), 1.5);
		pool_reset(&memory, &ctx);
	}
}

/* Third moments are asked for where clusters overlap. */
TEST(test_overlap)
{
	for (int overlap = 0; overlap < 2; overlap++)
	{
		data rows = simulate(4000, 120, 6, overlap ? 2 : 12, TLV_COVARIANCE_SPHERICAL);
		tlv_frame model;

		fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
		model = learn(usual_options(6, TLV_COVARIANCE_SPHERICAL));
		assert_int_equal(isnan(diagnostic(model, "residual")), !overlap);
		pool_reset(&memory, &ctx);
	}
}

/* Statistics of the first rows, in single precision where it is asked for. */
static void
expect_some(const tlv_mixture *mixture, const double *x, bool narrow, bool *is_narrow,
			tlv_mixture_sums *sums)
{
	static const double zero[150] = {0};
	tlv_mixture_worker worker;

	assert_ok(tlv_mixture_sums_create(&ctx, mixture, sums));
	assert_ok(tlv_mixture_worker_open(&ctx, mixture, zero, &worker));
	if (narrow)
		assert_ok(tlv_mixture_worker_narrow(&ctx, &worker));
	assert_ok(tlv_mixture_worker_prepare(&ctx, &worker));
	*is_narrow = worker.is_narrow;
	for (size_t t = 0; t < 3; t++)
		assert_ok(tlv_mixture_expect(&ctx, &worker, 100, x + t * 100 * mixture->d, sums));
	tlv_mixture_worker_free(&ctx, &worker);
}

/* Single precision: the same statistics, and none of it where the means lie far from the center. */
TEST(test_narrow)
{
	for (int c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_SPHERICAL; c++)
	{
		data rows = simulate(300, 150, 7, 4, (tlv_covariance) c);
		tlv_mixture mixture;
		tlv_mixture_sums exact, narrow;
		bool is_narrow;

		tlv_gmm_read(&rows.truth, &mixture);
		expect_some(&mixture, rows.x, false, &is_narrow, &exact);
		assert_false(is_narrow);
		expect_some(&mixture, rows.x, true, &is_narrow, &narrow);
		assert_true(is_narrow);
		assert_below(fabs(narrow.log_likelihood - exact.log_likelihood), 1e-5 * exact.rows);
		for (size_t j = 0; j < 7; j++)
		{
			assert_below(fabs(narrow.responsibilities[j] - exact.responsibilities[j]), 1e-2);
			for (size_t i = 0; i < 150; i++)
				assert_below(fabs(narrow.sums[j * 150 + i] - exact.sums[j * 150 + i]), 1e-1);
		}
		for (size_t i = 0; i < 150; i++)
			mixture.means[i] += 1e4;
		expect_some(&mixture, rows.x, true, &is_narrow, &narrow);
		assert_false(is_narrow);
		pool_reset(&memory, &ctx);
	}
}

/* Numbers that are out of the range of single precision are multiplied in double, whether rows or
 * parameters have them. */
TEST(test_out_of_range)
{
	static const double scale[] = {1e-40, 1e40};

	for (size_t s = 0; s < 3; s++)
	{
		data rows = simulate(300, 150, 7, 4, TLV_COVARIANCE_SPHERICAL);
		tlv_mixture mixture;
		tlv_mixture_sums exact, narrow;
		bool is_narrow;

		tlv_gmm_read(&rows.truth, &mixture);
		for (size_t i = 0; s < 2 && i < 300 * 150; i++)
			rows.x[i] *= scale[s];
		for (size_t i = 0; s < 2 && i < 7 * 150; i++)
			mixture.means[i] *= scale[s];
		for (size_t j = 0; s < 2 && j < 7; j++)
			mixture.variances[j] *= scale[s] * scale[s];
		if (s == 2)
			rows.x[5] = 1e40;
		expect_some(&mixture, rows.x, false, &is_narrow, &exact);
		expect_some(&mixture, rows.x, true, &is_narrow, &narrow);
		assert_equal(is_narrow, s > 0);
		assert_below(fabs(narrow.log_likelihood - exact.log_likelihood),
					 1e-5 * exact.rows + 1e-9 * fabs(exact.log_likelihood));
		for (size_t j = 0; j < 7; j++)
			assert_below(fabs(narrow.responsibilities[j] - exact.responsibilities[j]), 1e-2);
		pool_reset(&memory, &ctx);
	}
}

/* More components than third moments are collected for. */
TEST(test_many)
{
	data rows = simulate(4000, 130, 120, 16, TLV_COVARIANCE_COMMON);
	tlv_frame model;
	tlv_mixture mixture, truth;
	int64_t assignment[120];
	double error[120], sum = 0;

	fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
	model = learn(usual_options(120, TLV_COVARIANCE_COMMON));
	tlv_gmm_read(&rows.truth, &truth);
	tlv_gmm_read(&model, &mixture);
	assert_ok(tlv_gmm_match(&ctx, &truth, &mixture, assignment, error));
	for (size_t j = 0; j < 120; j++)
		sum += error[j] / 120;
	assert_below(sum, 2.5);
}

/* Where there is nothing, there is one component. */
TEST(test_nothing)
{
	data rows = simulate(1500, 110, 1, 4, TLV_COVARIANCE_COMMON);

	fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
	assert_int_equal(components(learn(usual_options(0, TLV_COVARIANCE_SPHERICAL))), 1);
}

/* Rows of which few differ. */
TEST(test_equal_rows)
{
	data rows = simulate(600, 100, 3, 8, TLV_COVARIANCE_COMMON);

	for (size_t t = 3; t < rows.n; t++)
		memcpy(rows.x + t * rows.d, rows.x + t % 3 * rows.d, rows.d * sizeof(double));
	fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
	assert_int_equal(components(learn(usual_options(0, TLV_COVARIANCE_SPHERICAL))), 3);
	assert_int_equal(components(learn(usual_options(5, TLV_COVARIANCE_SPHERICAL))), 5);
}

/* Rows that memory holds are read twice, others in every step: with one result. */
TEST(test_memory)
{
	data rows = simulate(3000, 100, 4, 9, TLV_COVARIANCE_SPHERICAL);
	size_t all = rows.n * rows.d * sizeof(double);
	tlv_mixture held, read;
	tlv_frame model;
	double error[4];
	int64_t order[4];

	fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
	passes.room = 5 * all;
	model = learn(usual_options(4, TLV_COVARIANCE_SPHERICAL));
	assert_equal(passes.passes, 2);
	tlv_gmm_read(&model, &held);
	passes.room = 3 * all;
	model = learn(usual_options(4, TLV_COVARIANCE_SPHERICAL));
	assert_above(passes.passes, 3);
	tlv_gmm_read(&model, &read);
	assert_ok(tlv_gmm_match(&ctx, &held, &read, order, error));
	for (size_t j = 0; j < 4; j++)
		assert_below(error[j], 1e-3);
}

TEST(test_faults)
{
	tlv_gmm_learn_options options = usual_options(0, TLV_COVARIANCE_SPHERICAL);
	data rows = simulate(700, 100, 4, 9, TLV_COVARIANCE_SPHERICAL);
	data changed = simulate(500, 90, 2, 4, TLV_COVARIANCE_SPHERICAL);

	fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
	passes.changed = fixture_rows_of(changed.n, changed.d, changed.x);
	options.iterations = 2;
	/* All rows are in the sample: two passes, six of one t distribution beside, and the end. */
	assert_equal(procedure_fail_everywhere(&passes, &tlv_gmm_procedure, &options, true), 9);
	options.fit.k = 12;
	fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
	passes.changed = (fixture_rows){5, passes.rows[0].rows}; /* most of them gone */
	(void) procedure_fail_everywhere(&passes, &tlv_gmm_procedure, &options, true);
	/* Nor where the rows are read in every step. */
	rows = simulate(2200, 100, 4, 9, TLV_COVARIANCE_SPHERICAL);
	fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
	passes.changed = (fixture_rows){5, passes.rows[0].rows};
	passes.room = 3 * rows.n * rows.d * sizeof(double);
	options.fit.k = 4;
	assert_at_least(procedure_fail_everywhere(&passes, &tlv_gmm_procedure, &options, true), 5);
}

RUN_TESTS(setup, teardown)
