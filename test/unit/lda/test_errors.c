/*
 * test_errors.c - standard errors of topics: intervals hold the truth as often as they say, from
 * moments and after refinement, and the sums add up.
 */
#include "assertions.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../../src/model/lda/internal.h"
#include "lda_fixture.h"
#include "plan_fixture.h"
#include "tensorlv/model/drift.h"

/* The truth of all repetitions, and its documents. */
typedef struct truth
{
	corpus of;
	double *alpha0_free;
	size_t n, length;
} truth;

static void
redraw(corpus *c, size_t length, uint64_t seed)
{
	int32_t *index = room(length, sizeof(int32_t));
	double *count = room(length, sizeof(double));
	tlv_topic_simulator *simulator;
	double theta[MAX_K];
	tlv_rng own;

	tlv_rng_seed(&own, seed);
	assert_ok(tlv_topic_simulator_create(&ctx, &(tlv_topics){c->k, c->d, c->phi, c->alpha},
										 &simulator));
	for (size_t t = 0; t < c->n; t++)
	{
		size_t distinct;

		assert_ok(tlv_topic_simulate(&ctx, simulator, &own, length, theta, &distinct, index, count));
		c->bags[t] = make_bag(c, distinct, index, count);
	}
}

static tlv_frame
learn(const corpus *c, const tlv_lda_plan_options *options)
{
	plan_fixture passes = {.ctx = &ctx, .memory = &memory};
	tlv_row *rows = room(c->n, sizeof(tlv_row));
	tlv_frame model;
	tlv_plan *plan;

	for (size_t t = 0; t < c->n; t++)
		rows[t] = *TLV_AS_BAG(c->bags[t]);
	passes.rows[0] = (plan_rows){c->n, rows};
	passes.told.form = TLV_ROW_BAG;
	assert_ok(tlv_lda_plan_create(&ctx, options, &plan));
	model = plan_model(&passes, plan);
	plan_forget(&passes);
	return model;
}

static tlv_frame
error_statistics(const corpus *c, tlv_frame model)
{
	tlv_accumulator *accumulator;
	tlv_model *open;
	void *image;
	size_t size;

	assert_ok(tlv_kind_lda.model->open(&ctx, &model, &open));
	assert_ok(tlv_lda_error_statistics(&ctx, open, &accumulator));
	assert_ok(collect(accumulator, c, &image, &size));
	return checked(TLV_FRAME_MOMENTS, image, size);
}

typedef struct tally
{
	double held, n;
	double error, squares, sum, square_sum; /* of standard errors and of estimates less the truth */
} tally;

static void
count_in(tally *t, double estimate, double truth, double error)
{
	if (isnan(error))
		return;
	t->held += fabs(estimate - truth) <= 1.96 * error;
	t->n++;
	t->squares += error * error;
	t->sum += estimate - truth;
	t->square_sum += (estimate - truth) * (estimate - truth);
}

static void
show(const char *what, const tally *t)
{
	if (getenv("TLV_SHOW") != NULL)
		printf("%s: cover %.3f of %.0f, SE/RMSE %.3f bias %.5f rmse %.5f\n", what, t->held / t->n, t->n,
			   sqrt(t->squares / t->square_sum), t->sum / t->n, sqrt(t->square_sum / t->n));
}

/* Coverage of probabilities above .002, of the others, of weights and of alpha. */
static void
cover(size_t reps, size_t n, size_t d, size_t k, size_t length, double alpha, const char *refine,
	  tally *tallies)
{
	corpus c = simulate(n, d, k, length, alpha, false);
	tlv_lda_plan_options options = {
		.fit = {.k = k, .alpha0 = NAN, .eta = TLV_LDA_ETA, .seed = 1},
		.max_k = 20,
		.minimum_documents = -1,
		.refine = refine,
		.iterations = -1,
	};
	double rate = 0, share = 0;

	for (size_t j = 0; j < k; j++)
		c.alpha[j] = alpha * (.5 + (double) j / (double) (k - 1));
	for (size_t r = 0; r < reps; r++)
	{
		int64_t assignment[MAX_K];
		double error[MAX_K], *full, *phi, alpha0 = 0;
		tlv_lda_errors found;
		tlv_frame model, statistics;
		tlv_scratch scratch;

		tlv_scratch_begin(&ctx, &scratch);
		redraw(&c, length, 1000 + r);
		model = learn(&c, &options);
		statistics = error_statistics(&c, model);
		assert_ok(tlv_lda_errors_of(&ctx, &model, &statistics, &found));
		full = room(k * d, sizeof(double));
		phi = (double *) tlv_frame_float64(&model, "phi");
		assert_int_equal(tlv_frame_find(&model, "phi")->rows, k);
		for (size_t i = 0; i < tlv_frame_find(&model, "phi")->columns; i++)
			memcpy(full + (size_t) (tlv_frame_int64(&model, "items")[i] - 100) / 2 * k, phi + i * k,
				   k * sizeof(double));
		assert_ok(tlv_topic_match(&ctx, d, k, c.phi, k, full, assignment, error));
		for (size_t j = 0; j < k; j++)
			alpha0 += c.alpha[j];
		for (size_t j = 0; j < k; j++)
		{
			size_t own = (size_t) assignment[j];

			rate += found.rate[own] / (double) (k * reps);
			share += found.count[own] / (double) (n * length / k * k * reps);
			count_in(&tallies[2], tlv_frame_float64(&model, "weights")[own], c.alpha[j] / alpha0,
					 found.weight[own]);
			for (size_t i = 0; i < tlv_frame_find(&model, "phi")->columns; i++)
			{
				double p =
					c.phi[(size_t) (tlv_frame_int64(&model, "items")[i] - 100) / 2 * k + j];

				count_in(&tallies[p > .002 ? 0 : 1], phi[i * k + own], p,
						 found.probability[i * k + own]);
			}
		}
		tlv_scratch_end(&ctx, &scratch);
	}
	if (getenv("TLV_SHOW") != NULL)
		printf("%s n %zu d %zu k %zu L %zu alpha %g: rate %.3f share %.3f\n",
			   refine == NULL ? "none" : refine, n, d, k, length, alpha, rate, share);
	show("  p > .002", &tallies[0]);
	show("  p small", &tallies[1]);
	show("  weights", &tallies[2]);
}

static void
test_cover(void **state)
{
	size_t reps = getenv("REPS") != NULL ? (size_t) atoi(getenv("REPS")) : 4;
	static const char *const refinements[] = {NULL, "gibbs", "stepwise", "em"};

	(void) state;
	for (int i = 0; i < 4; i++)
	{
		tally tallies[4] = {{0}};

		cover(reps, 2000, 300, 5, 60, .1, refinements[i], tallies);
	}
}

static void
test_drift_level(void **state)
{
	size_t reps = getenv("REPS") != NULL ? (size_t) atoi(getenv("REPS")) : 4;
	corpus c = simulate(5000, 300, 5, 60, .1, false), day;
	tlv_lda_plan_options options = {
		.fit = {.k = 5, .alpha0 = NAN, .eta = TLV_LDA_ETA, .seed = 1},
		.max_k = 20,
		.minimum_documents = -1,
		.refine = "gibbs",
		.iterations = -1,
	};
	tlv_frame model, old;
	double alarms[4] = {0}, strict = 0, any = 0;

	(void) state;
	model = learn(&c, &options);
	redraw(&c, 60, 77);
	old = error_statistics(&c, model);
	day = c;
	day.n = 500;
	day.bags = room(500, sizeof(void *));
	for (size_t r = 0; r < reps; r++)
	{
		tlv_drift drift = {.reference = &old};
		tlv_scratch scratch;
		tlv_frame new;
		double least = 1;

		tlv_scratch_begin(&ctx, &scratch);
		redraw(&day, 60, 1000 + r);
		new = error_statistics(&day, model);
		assert_ok(tlv_model_drift(&ctx, &model, &new, &drift));
		for (size_t i = 0; i < drift.n; i++)
		{
			const tlv_drift_test *t = &drift.tests[i];
			int which = strcmp(t->test, "shares") == 0 ? 0 : strcmp(t->test, "likelihood") == 0 ? 1 : strcmp(t->test, "new words") == 0 ? 2 : 3;

			alarms[which] += (t->p_value < .05) / (which == 3 ? 5. : 1.);
			if (which < 3)
				least = fmin(least, t->p_value);
		}
		any += least * 3 < .05;
		strict += least * 3 < .001;
		tlv_scratch_end(&ctx, &scratch);
	}
	printf("drift: shares %.3f likelihood %.3f new words %.3f share %.3f any %.3f strict %.3f\n", alarms[0] / reps, alarms[1] / reps, alarms[2] / reps, alarms[3] / reps, any / reps, strict / reps);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cover, setup, teardown),
		cmocka_unit_test_setup_teardown(test_drift_level, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
