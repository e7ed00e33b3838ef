/*
 * test_tails.c - mixtures of t distributions: densities against the formula, steps that rise,
 * degrees of freedom, and rows far out that make no components.
 */
#include <float.h>

#include "gmm_refine.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/gmm.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"

/* A random mixture of t distributions of so many degrees of freedom, and one more each. */
static tlv_frame
random_truth(size_t k, size_t d, tlv_covariance covariance, double degrees)
{
	double *floor = room(d, sizeof(double));
	tlv_mixture drawn, mixture;
	tlv_gmm_parts parts = {.mixture = &mixture, .floor = floor, .seed = 1};
	tlv_frame truth;

	truth = MADE(tlv_gmm_random, k, d, 10, covariance, 3);
	tlv_gmm_read(&truth, &drawn);
	assert_null(drawn.degrees);
	mixture = drawn;
	mixture.degrees = room(k, sizeof(double));
	for (size_t j = 0; j < k; j++)
		mixture.degrees[j] = degrees + (double) j;
	for (size_t i = 0; i < d; i++)
		floor[i] = TLV_MIXTURE_FLOOR;
	truth = MADE(tlv_gmm_write, &parts);
	return truth;
}

/* Rows of it are those of the passes. */
static double *
draw_rows(tlv_frame truth, size_t n)
{
	tlv_gmm_simulator *simulator;
	tlv_mixture mixture;
	double *x;
	tlv_rng rng;

	tlv_gmm_read(&truth, &mixture);
	x = room(n * mixture.d, sizeof(double));
	assert_ok(tlv_gmm_simulator_create(&ctx, &mixture, &simulator));
	tlv_rng_seed(&rng, 5);
	for (size_t t = 0; t < n; t++)
		(void) tlv_gmm_simulate(simulator, &rng, x + t * mixture.d);
	fixture_use_rows(fixture_rows_of(n, mixture.d, x));
	return x;
}

static tlv_gmm_learn_options
usual_options(size_t k, tlv_tails tails)
{
	return (tlv_gmm_learn_options){
		.fit = {.k = k, .any_covariance = true, .tails = tails, .seed = 1},
		.max_k = 8,
		.refine = true,
		.iterations = -1};
}

static tlv_frame
learn(tlv_gmm_learn_options options)
{
	return procedure_model(&passes, &tlv_gmm_procedure, &options, false);
}

static size_t
components_of(tlv_frame model)
{
	return tlv_frame_find(&model, "weights")->rows;
}

/* ---- formulas ---- */

/* The scale of a component in two dimensions. */
static void
scale_of(const tlv_mixture *mixture, size_t j, double s[3])
{
	size_t each = tlv_mixture_variances(2, mixture->covariance);
	const double *own = mixture->variances + j * each;

	s[0] = own[0];
	s[1] = mixture->covariance == TLV_COVARIANCE_FULL ? own[1] : 0;
	s[2] = own[each - 1];
}

static double
log_density(const tlv_mixture *mixture, const double *x)
{
	double sum = 0;

	for (size_t j = 0; j < mixture->k; j++)
	{
		double s[3], a = x[0] - mixture->means[2 * j], b = x[1] - mixture->means[2 * j + 1];
		double nu = mixture->degrees[j], determinant, distance;

		scale_of(mixture, j, s);
		determinant = s[0] * s[2] - s[1] * s[1];
		distance = (s[2] * a * a - 2 * s[1] * a * b + s[0] * b * b) / determinant;
		sum += mixture->weights[j] *
			   exp(tlv_lgamma(nu / 2 + 1) - tlv_lgamma(nu / 2) - log(nu * acos(-1.0)) -
				   log(determinant) / 2 - (nu / 2 + 1) * log1p(distance / nu));
	}
	return log(fmax(sum, DBL_MIN));
}

TEST(test_density)
{
	for (tlv_covariance c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_FULL; c++)
	{
		tlv_frame truth = random_truth(3, 2, c, 1.5);
		double *x = draw_rows(truth, 50), value;
		tlv_mixture mixture;
		tlv_model *open;

		tlv_gmm_read(&truth, &mixture);
		open = open_model(truth);
		x[0] = 1e30; /* far out the density is small, and a number */
		for (size_t t = 0; t < 50; t++)
		{
			assert_ok(tlv_model_log_likelihood(&ctx, open, TLV_AS_VECTOR(2, x + 2 * t), &value));
			assert_close(value, log_density(&mixture, x + 2 * t), 1e-9);
		}
	}
}

/* Every step raises the likelihood, and the degrees of freedom come near those that were drawn. */
TEST(test_steps)
{
	for (tlv_covariance c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_FULL; c++)
	{
		tlv_frame truth = random_truth(2, 3, c, 3), model = truth;
		double before = -HUGE_VAL, likelihood, *x = draw_rows(truth, 12000);
		tlv_gmm_sample sample;
		tlv_mixture mixture;
		void *image;
		size_t size;

		tlv_gmm_read(&model, &mixture);
		mixture.degrees[0] = mixture.degrees[1] = 30;
		mixture.variances[0] *= c == TLV_COVARIANCE_COMMON ? 1 : 4;
		assert_ok(tlv_gmm_sample_open(&ctx, 12000, 3, x, false, 1, &sample));
		for (int step = 0; step < 60; step++)
		{
			refine_on(&model, &sample, 1, &likelihood, &image, &size);
			assert_ok(tlv_frame_open(&ctx, image, size, &model));
			assert_above(likelihood, before - 1e-12);
			before = likelihood;
		}
		tlv_gmm_read(&model, &mixture);
		for (size_t j = 0; j < 2; j++)
			assert_between(mixture.degrees[j], 2.6, 4.6);
	}
}

/* ---- what is learnt ---- */

/* Rows far out make no components of t distributions, and several Gaussians; which is said. */
ACCURACY_TEST(test_components)
{
	for (size_t k = 1; k <= 3; k += 2)
		for (tlv_covariance c = TLV_COVARIANCE_SPHERICAL; c <= TLV_COVARIANCE_FULL; c += 2)
		{
			tlv_frame truth = random_truth(k, 5, c, 4), model;
			tlv_warning warning;
			tlv_mixture mixture;

			(void) draw_rows(truth, 3000);
			model = learn(usual_options(0, TLV_TAILS_T));
			tlv_gmm_read(&model, &mixture);
			assert_int_equal(mixture.k, k);
			assert_int_equal(mixture.covariance, c);
			for (size_t j = 0; j < k; j++)
				assert_between(mixture.degrees[j], 2.5, 12);
			assert_int_equal(model_warns(&model, "no_structure", NULL), k == 1);
			assert_equal(tlv_frame_find(&model, "warnings") != NULL, k == 1);
			model = learn(usual_options(0, TLV_TAILS_NORMAL));
			assert_above(components_of(model), (double) k);
			assert_true(model_warns(&model, "heavy_tails", &warning));
			assert_between(warning.score, 2, 8);
		}
}

/* Gaussians are Gaussians, by either choice. */
ACCURACY_TEST(test_normal_rows)
{
	tlv_frame truth = random_truth(3, 4, TLV_COVARIANCE_DIAGONAL, TLV_MOST_DEGREES - 3), model;
	tlv_mixture mixture;

	(void) draw_rows(truth, 3000);
	model = learn(usual_options(0, TLV_TAILS_NORMAL));
	assert_equal(components_of(model), 3);
	assert_null(tlv_frame_find(&model, "warnings"));
	model = learn(usual_options(0, TLV_TAILS_T));
	tlv_gmm_read(&model, &mixture);
	assert_int_equal(mixture.k, 3);
	for (size_t j = 0; j < 3; j++)
		assert_above(mixture.degrees[j], 12);
}

TEST(test_faults)
{
	tlv_gmm_learn_options options = usual_options(0, TLV_TAILS_T);

	(void) draw_rows(random_truth(2, 2, TLV_COVARIANCE_SPHERICAL, 3), 400);
	options.max_k = 3;
	passes.changed = (fixture_rows){5, passes.rows[0].rows};
	assert_at_least(procedure_fail_everywhere(&passes, &tlv_gmm_procedure, &options, false), 3);
}

RUN_TESTS(setup, teardown)
