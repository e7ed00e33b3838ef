/*
 * test_directions.c - mixtures of directions: Bessel functions and concentrations, accuracy on
 * simulated rows, k that is chosen, rows without a direction, and every fault on the way.
 */

#include "gmm_refine.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/gmm.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"
#include "infer.h"

/* ---- functions ---- */

/* Orders of one half are elementary; others follow from their neighbours. */
TEST(test_bessel)
{
	const double arguments[] = {1e-6, 0.01, 0.5, 1, 7, 60, 400, 1e4, 1e8};
	const double orders[] = {0, 0.5, 3, 20, 58.5, 59.5, 60, 191, 767, 1999};

	for (size_t i = 0; i < 9; i++)
	{
		double x = arguments[i];
		/* I_1/2 = sqrt(2 / (pi x)) sinh x */
		double half = 0.5 * log(2 / M_PI) - log(x) + x + log1p(-exp(-2 * x)) - log(2);

		assert_close(tlv_log_bessel(0.5, x), half, 2e-9 + 1e-14 * x);
		if (x >= 0.01)
			assert_close(tlv_bessel_ratio(0.5, x), 1 / tanh(x) - 1 / x, 1e-9);
		for (size_t o = 0; o < 10; o++)
		{
			double v = orders[o], r = tlv_bessel_ratio(v, x), next = tlv_bessel_ratio(v + 1, x);

			/* I_v - I_v+2 = 2 (v + 1) / x I_v+1 */
			assert_close(r * (2 * (v + 1) / x + next), 1, 1e-9);
			assert_between(r, 0, 1);
		}
	}
	assert_close(exp(tlv_log_bessel(0, 1)), 1.2660658777520083, 1e-9);
	assert_close(tlv_bessel_ratio(0, 1), 0.5651591039924850 / 1.2660658777520083, 1e-9);
	assert_close(tlv_log_bessel(4, 0), -4 * log(2) - log(24), 1e-9);
	assert_equal(tlv_bessel_ratio(4, 0), 0);
}

TEST(test_kappa)
{
	const size_t dimensions[] = {2, 3, 10, 384, 1536, 4000};
	const double kappas[] = {1e-3, 0.3, 5, 100, 3000, 1e5};

	for (size_t i = 0; i < 6; i++)
	{
		size_t d = dimensions[i];

		for (size_t j = 0; j < 6; j++)
		{
			double length = tlv_bessel_ratio((double) d / 2 - 1, kappas[j]);

			assert_close(tlv_directions_kappa(d, length) / kappas[j], 1, 1e-6);
		}
		assert_equal(tlv_directions_kappa(d, 0), 0);
		assert_equal(tlv_directions_kappa(d, 1), TLV_DIRECTIONS_MOST_KAPPA * (double) d);
		/* no concentration: all directions alike, on the surface of the ball */
		assert_close(tlv_directions_log_norm(d, 0),
					 tlv_lgamma((double) d / 2) - log(2) - 0.5 * (double) d * log(M_PI), 1e-8);
	}
}

/* ---- rows ---- */

static data
simulate_directions(size_t n, size_t d, size_t k, double separation, uint64_t seed)
{
	return simulate_from(n, d, k, separation, TLV_COVARIANCE_DIRECTION, seed);
}

static tlv_gmm_learn_options
of_directions(size_t k, int iterations)
{
	return (tlv_gmm_learn_options){
		.fit = {.k = k, .covariance = TLV_COVARIANCE_DIRECTION, .seed = 1},
		.refine = true,
		.iterations = iterations};
}

static tlv_frame
learn(size_t k)
{
	tlv_gmm_learn_options options = of_directions(k, -1);

	return procedure_model(&passes, &tlv_gmm_procedure, &options, false);
}

/* Of the components one to one: how far the means are, and how far kappas are from their ratio. */
static void
compare(tlv_frame truth, tlv_frame model, double *mean, double *kappa)
{
	tlv_mixture a, b;
	int64_t component[64];
	double distance[64];
	tlv_match match = {.component = component, .distance = distance};

	tlv_gmm_read(&truth, &a);
	tlv_gmm_read(&model, &b);
	assert_int_equal(a.k, b.k);
	assert_ok(tlv_kind_direction_mixture.model->match(&ctx, &truth, &model, &match));
	*mean = *kappa = 0;
	for (size_t j = 0; j < a.k; j++)
	{
		*mean += distance[j] / (double) a.k;
		*kappa = fmax(*kappa, fabs(log(b.variances[component[j]] / a.variances[j])));
	}
}

/* ---- accuracy ---- */

/* Bounds are twice the statistical error of the means, or wider. */
ACCURACY_TEST(test_accuracy)
{
	const struct
	{
		size_t n, d, k;
		double separation, mean, kappa;
	} cases[] = {{5000, 3, 3, 14, 0.01, 0.1},
				 {4000, 50, 6, 10, 0.06, 0.1},
				 {3000, 384, 12, 14, 0.15, 0.1},
				 {30000, 20, 8, 8, 0.03, 0.05}};

	for (size_t i = 0; i < 4; i++)
	{
		data rows = simulate_directions(cases[i].n, cases[i].d, cases[i].k, cases[i].separation, 3);
		double mean, kappa;

		fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
		for (size_t given = 0; given < 2; given++)
		{
			compare(rows.truth, learn(given ? cases[i].k : 0), &mean, &kappa);
			assert_below(mean, cases[i].mean);
			assert_below(kappa, cases[i].kappa);
		}
		pool_reset(&memory, &ctx);
	}
}

/* Steps of expectation maximisation never lose likelihood, and lengths of rows do not count. */
TEST(test_steps)
{
	data rows = simulate_directions(2000, 8, 4, 5, 3);
	tlv_gmm_learn_options options = of_directions(4, 8);
	double before = -HUGE_VAL;
	tlv_frame model, longer;
	tlv_mixture a, b;

	fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
	model = procedure_model(&passes, &tlv_gmm_procedure, &options, false);
	for (int step = 1; step <= 8; step++)
	{
		char name[60];

		snprintf(name, sizeof(name), "mean_log_likelihood_before_step_%d", step);
		assert_at_least(diagnostic(model, name), before - 1e-12);
		before = diagnostic(model, name);
	}
	for (size_t i = 0; i < rows.n * rows.d; i++)
		rows.x[i] *= 1 + (double) (i / rows.d % 7);
	fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
	longer = procedure_model(&passes, &tlv_gmm_procedure, &options, false);
	assert_above(diagnostic(longer, "refinement_steps"), 7);
	tlv_gmm_read(&model, &a);
	tlv_gmm_read(&longer, &b);
	for (size_t i = 0; i < 4 * 8; i++) /* as samples they differ */
		assert_close(a.means[i], b.means[i], 0.02);
	assert_true(model_warns(&longer, "rows_scaled", NULL));
	assert_false(model_warns(&model, "rows_scaled", NULL));
}

/* Directions from everywhere are one component. */
TEST(test_nothing)
{
	for (size_t d = 2; d < 200; d = 3 * d + 1)
	{
		data rows = simulate_directions(2000, d, 1, 0, 3);
		tlv_mixture directions;
		tlv_frame model;

		fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
		model = learn(0);
		tlv_gmm_read(&model, &directions);
		assert_int_equal(directions.k, 1);
		assert_below(directions.variances[0], 3 * sqrt((double) d));
		pool_reset(&memory, &ctx);
	}
}

/* How many of 20 draws are given the number of components that they have. */
static int
exact_numbers(size_t n, size_t d, size_t k, double separation)
{
	int exact = 0;

	for (uint64_t seed = 201; seed <= 220; seed++)
	{
		data rows = simulate_directions(n, d, k, separation, seed);
		tlv_mixture directions;
		tlv_frame model;

		fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
		model = learn(0);
		tlv_gmm_read(&model, &directions);
		exact += directions.k == k;
		pool_reset(&memory, &ctx);
	}
	print_message("%zu rows, %zu dimensions, %zu components %g apart: %d of 20 exact\n", n, d, k,
				  separation, exact);
	return exact;
}

/* Groups of few dimensions that overlap, and one. */
ACCURACY_TEST(test_overlapping)
{
	assert_at_least(exact_numbers(500, 3, 1, 4), 19);
	assert_at_least(exact_numbers(500, 8, 1, 4), 19);
	/* 14 with OpenBLAS 0.3.21, 11 with 0.3.13 */
	assert_at_least(exact_numbers(500, 3, 3, 4), 10);
	assert_at_least(exact_numbers(500, 6, 3, 4), 18);
}

/* Rows of zeros are left out and counted; without another row there is nothing to learn. */
TEST(test_zeros)
{
	data rows = simulate_directions(400, 6, 2, 12, 3);
	tlv_gmm_learn_options options = of_directions(2, -1);
	tlv_posterior posterior = {0};
	tlv_frame model;
	tlv_model *open;

	memset(rows.x, 0, 30 * 6 * sizeof(double));
	fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
	model = learn(2);
	assert_equal(tlv_frame_scalar(&model, "rows", 0), 370);
	assert_true(model_warns(&model, "rows_skipped", NULL));
	open = open_model(model);
	assert_int_equal(tlv_model_infer(&ctx, open, TLV_AS_VECTOR(6, rows.x), &posterior),
					 TLV_BAD_DATA);
	assert_ok(tlv_model_infer(&ctx, open, TLV_AS_VECTOR(6, rows.x + 6 * 50), &posterior));
	assert_close(posterior.values[0] + posterior.values[1], 1, 1e-12);
	memset(rows.x, 0, 400 * 6 * sizeof(double));
	fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
	assert_int_equal(procedure_run(&passes, &tlv_gmm_procedure, &options), TLV_BAD_DATA);
}

/* Equal rows have the largest kappa, and the model says so. */
TEST(test_equal_rows)
{
	data rows = simulate_directions(300, 5, 3, 8, 3);
	tlv_mixture directions;
	tlv_frame model;

	for (size_t t = 2; t < rows.n; t++)
		memcpy(rows.x + t * 5, rows.x + t % 2 * 5, 5 * sizeof(double));
	fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
	model = learn(0);
	tlv_gmm_read(&model, &directions);
	assert_int_equal(directions.k, 2);
	assert_equal(directions.variances[0], 5 * TLV_DIRECTIONS_MOST_KAPPA);
	assert_true(model_warns(&model, "variances_at_floor", NULL));
	model = learn(4);
	tlv_gmm_read(&model, &directions);
	assert_int_equal(directions.k, 4);
}

/* The posterior and the log density of a row of which only the first m numbers are there. */
static double
infer_first(const tlv_mixture *directions, size_t m, const double *x, double *shares)
{
	bool missing[16];
	double row[16];
	tlv_frame model;
	tlv_mixture copy = *directions;
	tlv_gmm_parts parts = {.mixture = &copy};
	tlv_part part = TLV_PART(TLV_PART_FLOAT64, 1, directions->d, row);
	tlv_row given = {.form = TLV_ROW_VECTOR};
	tlv_posterior posterior = {0};
	tlv_model *open;
	double value;

	for (size_t i = 0; i < directions->d; i++)
	{
		missing[i] = i >= m;
		row[i] = x == NULL || missing[i] ? NAN : x[i];
	}
	part.missing = missing;
	given.part[0] = part;
	model = MADE(tlv_gmm_write, &parts);
	assert_ok(tlv_model_open(&ctx, &model, &open));
	assert_ok(open->class->infer(&ctx, open, &given, &posterior));
	memcpy(shares, posterior.values, directions->k * sizeof(double));
	assert_ok(open->class->log_likelihood(&ctx, open, &given, &value));
	tlv_posterior_free(&ctx, &posterior);
	return value;
}

/* Densities of the directions of what is there add up to 1; little said, the weights; much, as
 * without gaps. */
TEST(test_gaps)
{
	double weights[3] = {0.5, 0.3, 0.2}, means[48] = {0}, kappas[3] = {30, 2, 500}, shares[3];
	const size_t dimensions[] = {3, 4, 16};

	for (size_t i = 0; i < 3; i++)
	{
		tlv_mixture directions = {.k = 3,
								  .d = dimensions[i],
								  .covariance = TLV_COVARIANCE_DIRECTION,
								  .weights = weights,
								  .means = means,
								  .variances = kappas};
		double total = 0, mean[3] = {0};

		for (size_t j = 0; j < 3; j++)
		{
			double length = 0;

			for (size_t c = 0; c < directions.d; c++)
			{
				means[j * directions.d + c] = sin((double) (3 * j + 2 * c * c + 1));
				length += means[j * directions.d + c] * means[j * directions.d + c];
			}
			for (size_t c = 0; c < directions.d; c++)
				means[j * directions.d + c] /= sqrt(length);
		}
		for (int step = 0; step < 720; step++)
		{
			double angle = 2 * M_PI * step / 720, x[2] = {7 * cos(angle), 7 * sin(angle)};
			double share = exp(infer_first(&directions, 2, x, shares)) * 2 * M_PI / 720;

			total += share;
			for (size_t j = 0; j < 3; j++)
				mean[j] += share * shares[j];
		}
		assert_close(total, 1, 1e-6);
		assert_all_close(3, mean, weights, 1e-6);
		assert_close(exp(infer_first(&directions, 1, (const double[]){2}, shares)) +
						 exp(infer_first(&directions, 1, (const double[]){-1e9}, shares)),
					 1, 1e-6);
		assert_close(infer_first(&directions, 0, NULL, shares), 0, 1e-12);
		assert_close(shares[0], 0.5, 1e-12);
	}
}

TEST(test_faults)
{
	tlv_gmm_learn_options options = of_directions(3, 2);
	data rows = simulate_directions(800, 12, 3, 8, 3),
		 changed = simulate_directions(300, 10, 2, 4, 3);

	fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
	passes.changed = fixture_rows_of(changed.n, changed.d, changed.x);
	assert_at_least(procedure_fail_everywhere(&passes, &tlv_gmm_procedure, &options, false), 4);
	options.fit.k = 0;
	fixture_use_rows(fixture_rows_of(rows.n, rows.d, rows.x));
	passes.changed = (fixture_rows){5, passes.rows[0].rows}; /* most of them gone */
	(void) procedure_fail_everywhere(&passes, &tlv_gmm_procedure, &options, false);
}

RUN_TESTS(setup, teardown)
