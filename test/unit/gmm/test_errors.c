/*
 * test_errors.c - scores of mixtures against differences of the likelihood, standard errors of one
 * Gaussian against their formulas, and what has none.
 */
#include "gmm_fixture.h"
#include "tensorlv/model/errors.h"

static tlv_frame
random_truth(size_t k, size_t d, tlv_covariance covariance, bool tails)
{
	tlv_mixture mixture, own;
	tlv_gmm_parts parts = {.mixture = &own, .rows = 1000};
	double floor[8] = {1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6};
	tlv_frame truth;

	truth = MADE(tlv_gmm_random, k, d, 2, covariance, 3);
	tlv_gmm_read(&truth, &mixture);
	assert_ok(tlv_mixture_create(&ctx, k, d, covariance, &own));
	memcpy(own.weights, mixture.weights, k * sizeof(double));
	memcpy(own.means, mixture.means, d * k * sizeof(double));
	memcpy(own.variances, mixture.variances,
		   k * tlv_mixture_variances(d, covariance) * sizeof(double));
	if (tails)
		tlv_mixture_use_tails(&own);
	parts.floor = floor;
	return MADE(tlv_gmm_write, &parts);
}

static double
likelihood_of(const tlv_frame *frame, size_t d, const double *x)
{
	double value;
	tlv_model *model = open_model(*frame);

	assert_ok(tlv_model_log_likelihood(&ctx, model, TLV_AS_VECTOR(d, x), &value));
	return value;
}

/* The places of a parameter in a mixture, the i-th of the list; of one that all share k. */
static size_t
places_of(tlv_mixture *own, size_t at, double **places)
{
	size_t each = tlv_mixture_variances(own->d, own->covariance), n;
	bool shared = tlv_is_shared(own->covariance);

	at -= own->k;
	for (size_t j = 0; j < own->k; j++)
	{
		if (at < own->d)
			return places[0] = own->means + j * own->d + at, 1;
		at -= own->d;
		n = shared && j + 1 < own->k ? 0 : each;
		for (size_t i = 0; shared && at < n && i < own->k; i++)
			places[i] = own->variances + i * each + at;
		if (at < n)
			return shared ? own->k : (places[0] = own->variances + j * each + at, 1);
		at -= n;
		if (own->degrees != NULL && at-- == 0)
			return places[0] = own->degrees + j, 1;
	}
	return 0;
}

/* The derivative by parameter i, of a weight by its logarithm. */
static double
difference(const tlv_frame *frame, size_t i, const double *x)
{
	const double step = 1e-5;
	double value[2], *places[8], before[8];
	tlv_mixture own;

	tlv_gmm_read(frame, &own);
	memcpy(before, own.weights, own.k * sizeof(double));
	for (int side = 0; side < 2; side++)
	{
		double by = side == 0 ? -step : step, sum = 0;
		size_t n = i < own.k ? 0 : places_of(&own, i, places);

		if (i < own.k)
		{
			for (size_t j = 0; j < own.k; j++)
				sum += own.weights[j] = before[j] * (i == j ? exp(by) : 1);
			for (size_t j = 0; j < own.k; j++)
				own.weights[j] /= sum;
		}
		for (size_t l = 0; l < n; l++)
			*places[l] += by;
		value[side] = likelihood_of(frame, own.d, x);
		for (size_t l = 0; l < n; l++)
			*places[l] -= by;
		memcpy(own.weights, before, own.k * sizeof(double));
	}
	return (value[1] - value[0]) / (2 * step);
}

static tlv_frame
statistics_of(const tlv_frame *frame, size_t n, size_t d, const double *x)
{
	tlv_statistic statistic = {.aggregate = &tlv_aggregate_error_statistics, .constant = frame};
	tlv_accumulator *accumulator;

	assert_ok(tlv_statistic_create(&ctx, &statistic, &accumulator));
	for (size_t t = 0; t < n; t++)
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_VECTOR(d, x + t * d)));
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, TLV_KIND_SCORE_PRODUCTS);
	assert_ok(accumulator->class->build(&ctx, accumulator, &builder));
	return MADE(tlv_frame_finish, &builder);
}

static tlv_estimates
errors_from(const tlv_frame *frame, const data *rows)
{
	tlv_frame errors = statistics_of(frame, rows->n, rows->d, rows->x);
	tlv_estimates list = {0};

	assert_ok(tlv_model_estimates(&ctx, frame, &errors, &list));
	return list;
}

TEST(test_scores)
{
	const double x[3] = {.5, -1, 2};

	for (int form = 0; form < 2 * TLV_COVARIANCES; form++)
	{
		tlv_frame frame = random_truth(3, 3, (tlv_covariance) (form / 2), form % 2 == 1);
		tlv_frame errors = statistics_of(&frame, 1, 3, x);
		const tlv_section *scores = tlv_frame_find(&errors, "scores");

		for (size_t i = 0; i < scores->rows; i++)
			assert_close(((const double *) tlv_section_data(&errors, scores))[i],
						 difference(&frame, i, x), 1e-6);
	}
}

/* Of the true mixture: as of its rows, of which 1,000 were told of, whatever the sample. */
TEST(test_one_gaussian)
{
	for (size_t n = 20000; n <= 40000; n += 20000)
	{
		tlv_frame frame = random_truth(1, 3, TLV_COVARIANCE_DIAGONAL, false);
		data rows = simulate(n, 3, 1, 2, TLV_COVARIANCE_DIAGONAL);
		tlv_estimates list;
		tlv_mixture own;

		tlv_gmm_read(&rows.truth, &own);
		memcpy((double *) tlv_frame_float64(&frame, "means"), own.means, 3 * sizeof(double));
		memcpy((double *) tlv_frame_float64(&frame, "variances"), own.variances,
			   3 * sizeof(double));
		list = errors_from(&frame, &rows);
		assert_equal(list.n, 7);
		assert_true(isnan(list.list[0].standard_error)); /* the only weight is 1 */
		for (size_t i = 0; i < 3; i++)
		{
			double variance = own.variances[i];

			assert_close(list.list[1 + i].standard_error / sqrt(variance / 1000), 1, .03);
			assert_close(list.list[4 + i].standard_error / (variance * sqrt(2.0 / 1000)), 1, .03);
		}
	}
}

/* Statistics with sums of errors by the sandwich, which there are no more, in the text form and in
 * tables, which are not checked. */
TEST(test_gone)
{
	static const char *const replaced[] = {"curvature", NULL};
	const double x[3] = {.5, -1, 2}, curvature[1] = {-1};
	tlv_frame frame = random_truth(2, 3, TLV_COVARIANCE_SPHERICAL, false);
	tlv_frame errors = statistics_of(&frame, 1, 3, x), other;
	tlv_estimates list = {0};
	tlv_accumulator *accumulator;
	size_t size;
	void *image;

	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, TLV_KIND_SCORE_PRODUCTS);
	tlv_frame_add_from(&builder, &errors, replaced);
	tlv_frame_add(&builder, "curvature", TLV_FLOAT64, 1, 1, curvature);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	assert_ok(tlv_frame_open(&ctx, image, size, &other));
	assert_int_equal(tlv_kind_check(&ctx, other.kind, &other), TLV_GONE);
	assert_int_equal(tlv_model_estimates(&ctx, &frame, &other, &list), TLV_GONE);
	assert_ok(tlv_accumulator_create(&ctx, other.kind->accumulator, &accumulator));
	assert_int_equal(accumulator->class->merge(&ctx, accumulator, &other), TLV_GONE);
}

/* A component of almost no rows, and a variance at the floor. */
TEST(test_unknown)
{
	tlv_frame frame = random_truth(2, 2, TLV_COVARIANCE_SPHERICAL, false);
	data rows = simulate(500, 2, 2, 2, TLV_COVARIANCE_SPHERICAL);
	tlv_estimates list;
	tlv_mixture own;
	double low, high;

	tlv_gmm_read(&frame, &own);
	own.weights[1] = 1e-4;
	own.weights[0] = 1 - 1e-4;
	list = errors_from(&frame, &rows);
	for (size_t i = 0; i < list.n; i++)
		if (list.list[i].component == 2)
			assert_true(isnan(list.list[i].standard_error));
	tlv_estimate_interval(list.list + 1, 1.96, &low, &high);
	assert_true(low >= 0);
	assert_between(high, 1.96 * 1.96 / 1010, .02);
}

/* Intervals of shares lie between 0 and 1; of scales they are positive. */
TEST(test_intervals)
{
	double low, high;

	tlv_estimate_interval(
		&(tlv_estimate){.part = TLV_ESTIMATE_WEIGHT, .estimate = .5, .standard_error = .05}, 1.96,
		&low, &high);
	assert_close(low, .4038, 1e-4);
	assert_close(high, .5962, 1e-4);
	/* as in tables of Student's distribution */
	for (int i = 0; i < 4; i++)
	{
		const double degrees[4] = {1, 2, 5, 20}, quantile[4] = {12.706, 4.303, 2.571, 2.086};

		tlv_estimate_interval(
			&(tlv_estimate){.part = TLV_ESTIMATE_MEAN, .standard_error = 1, .degrees = degrees[i]},
			1.959964, &low, &high);
		assert_close(high, quantile[i], 1e-3);
		assert_close(low, -quantile[i], 1e-3);
	}
	tlv_estimate_interval(
		&(tlv_estimate){
			.part = TLV_ESTIMATE_PROBABILITY, .estimate = 0, .standard_error = NAN, .count = 100},
		1.96, &low, &high);
	assert_close(low, 0, 1e-12);
	assert_close(high, .036218, 1e-5);
	/* 4 of 100, as in tables of Clopper and Pearson's limits */
	tlv_estimate_interval(
		&(tlv_estimate){
			.part = TLV_ESTIMATE_PROBABILITY, .estimate = .04, .standard_error = NAN, .count = 100},
		1.959964, &low, &high);
	assert_close(low, .0110, 1e-4);
	assert_close(high, .0993, 1e-4);
	tlv_estimate_interval(
		&(tlv_estimate){.part = TLV_ESTIMATE_VARIANCE, .estimate = 2, .standard_error = 4}, 1.96,
		&low, &high);
	assert_close(low, 2 * exp(-3.92), 1e-9);
	assert_close(high, 2 * exp(3.92), 1e-9);
	tlv_estimate_interval(
		&(tlv_estimate){.part = TLV_ESTIMATE_MEAN, .estimate = 2, .standard_error = NAN}, 1.96,
		&low, &high);
	assert_true(isnan(low) && isnan(high));
}

RUN_TESTS(setup, teardown)
