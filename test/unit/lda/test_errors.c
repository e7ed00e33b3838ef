/*
 * test_errors.c - standard errors of topics: intervals hold the truth as often as they say, from
 * moments and after refinement; and tests of drift, which are made of the same sums.
 */

#include "lda_learn_fixture.h"
#include "tensorlv/model/drift.h"
#include "tensorlv/model/errors.h"

/* Other documents of the same topics. */
static void
redraw(corpus *c, size_t length, uint64_t seed)
{
	int32_t *index = room(length, sizeof(int32_t));
	double *count = room(length, sizeof(double));
	const tlv_topics topics = {c->k, c->d, c->phi, c->alpha};
	tlv_topic_simulator *simulator;
	double theta[MAX_K];
	tlv_rng own;

	tlv_rng_seed(&own, seed);
	assert_ok(tlv_topic_simulator_create(&ctx, &topics, &simulator));
	for (size_t t = 0; t < c->n; t++)
	{
		size_t distinct;

		assert_ok(
			tlv_topic_simulate(&ctx, simulator, &own, length, theta, &distinct, index, count));
		c->bags[t] = make_bag(c, distinct, index, count);
	}
}

static tlv_frame
learn_from(const corpus *c, tlv_lda_learn_options options)
{
	tlv_frame model;

	use_corpus(c);
	model = learn(options);
	return model;
}

static tlv_frame
learn_with_errors(const corpus *c, tlv_lda_learn_options options)
{
	options.errors = true;
	return learn_from(c, options);
}

static tlv_frame
error_statistics(const corpus *c, tlv_frame model)
{
	tlv_accumulator *accumulator;
	void *image;
	size_t size;
	tlv_model *open = open_model(model);

	assert_ok(tlv_kind_lda.model->errors(&ctx, open, &accumulator));
	assert_ok(collect(accumulator, c, &image, &size));
	return checked(TLV_FRAME_MOMENTS, image, size);
}

/* How often intervals of 95 % held the truth, and the mean squares of standard errors and errors.
 */
typedef struct tally
{
	double held, n, stated, made, above;
} tally;

static void
count_in(tally *t, const tlv_estimate *one, double truth)
{
	double estimate = one->estimate, error = one->standard_error, low, high;

	tlv_estimate_interval(one, 1.959964, &low, &high);
	t->held += low <= truth && truth <= high;
	t->above += truth > high;
	t->n++;
	t->stated += error * error;
	t->made += (estimate - truth) * (estimate - truth);
}

static double
held(const tally *t)
{
	return t->held / t->n;
}

static double
stated_over_made(const tally *t)
{
	return sqrt(t->stated / t->made);
}

/* The estimates of one model against the truth: probabilities above .002, those of them below .02
 * again (rare; NULL: nobody asks), and weights. */
static void
count_model(const corpus *c, tlv_frame model, tally *probabilities, tally *rare, tally *weights)
{
	size_t k = c->k, d = tlv_frame_find(&model, "phi")->columns;
	const double *phi = tlv_frame_float64(&model, "phi");
	const int64_t *items = tlv_frame_int64(&model, "items");
	tlv_frame statistics = error_statistics(c, model);
	double *full = room(k * c->d, sizeof(double)), error[MAX_K], alpha0 = 0;
	tlv_estimates list = {0};
	int64_t own[MAX_K];

	assert_ok(tlv_model_estimates(&ctx, &model, &statistics, &list));
	assert_int_equal(list.n, k * (d + 2));
	for (size_t i = 0; i < d; i++)
		memcpy(full + (size_t) (items[i] - 100) / 2 * k, phi + i * k, k * sizeof(double));
	assert_ok(tlv_topic_match(&ctx, c->d, k, c->phi, k, full, own, error));
	for (size_t j = 0; j < k; j++)
		alpha0 += c->alpha[j];
	for (size_t j = 0; j < k; j++)
	{
		const tlv_estimate *weight = &list.list[own[j]];

		if (!isnan(weight->standard_error))
			count_in(weights, weight, c->alpha[j] / alpha0);
		for (size_t i = 0; i < d; i++)
		{
			const tlv_estimate *one = &list.list[2 * k + (size_t) own[j] * d + i];
			double p = c->phi[(size_t) (items[i] - 100) / 2 * k + j];

			assert_int_equal(one->item, items[i]);
			if (p > .002)
				count_in(probabilities, one, p);
			if (rare != NULL && p > .002 && p < .02)
				count_in(rare, one, p);
		}
	}
}

static tlv_lda_learn_options
usual_options(size_t k, const char *refine)
{
	tlv_lda_learn_options options = usual_options_from(k, TLV_LDA_START_TENSOR);

	options.refine = refine;
	return options;
}

/* Over some sets of documents. */
static void
cover(const char *refine, tally *probabilities, tally *weights)
{
	corpus c = simulate(1000, 150, 4, 50, .1, false);
	tlv_lda_learn_options options = usual_options(4, refine);

	for (size_t r = 0; r < 3; r++)
	{
		tlv_scratch scratch;

		tlv_scratch_begin(&ctx, &scratch);
		redraw(&c, 50, 1000 + r);
		count_model(&c, learn_from(&c, options), probabilities, NULL, weights);
		tlv_scratch_end(&ctx, &scratch);
	}
}

ACCURACY_TEST(test_cover)
{
	static const char *const refinements[] = {NULL, "gibbs", "stepwise"};

	for (int i = 0; i < 3; i++)
	{
		tally probabilities = {0}, weights = {0};

		cover(refinements[i], &probabilities, &weights);
		assert_above(probabilities.n, 400);
		assert_above(held(&probabilities), .92);
		assert_below(held(&probabilities), .98);
		assert_above(stated_over_made(&probabilities), .85);
		assert_below(stated_over_made(&probabilities), 1.15);
		assert_equal(weights.n, refinements[i] == NULL ? 0 : 12);
		if (weights.n > 0)
			assert_at_least(held(&weights), 10. / 12);
	}
}

/* Rare words, whose errors are small where the estimates happen to be: the truth is not above the
 * interval more often than below. */
TEST(test_rare_words)
{
	corpus c = simulate(600, 200, 8, 40, .1, false);
	tlv_lda_learn_options options = usual_options(8, "gibbs");
	tally probabilities = {0}, rare = {0}, weights = {0};

	for (size_t r = 0; r < 3; r++)
	{
		tlv_scratch scratch;

		tlv_scratch_begin(&ctx, &scratch);
		redraw(&c, 40, 2000 + r);
		count_model(&c, learn_from(&c, options), &probabilities, &rare, &weights);
		tlv_scratch_end(&ctx, &scratch);
	}
	print_message("of %.0f words below .02 held %.3f, above %.3f; of all held %.3f, above %.3f\n",
				  rare.n, held(&rare), rare.above / rare.n, held(&probabilities),
				  probabilities.above / probabilities.n);
	assert_above(held(&rare), .92);
	assert_below(rare.above / rare.n, .06);
	assert_between(held(&probabilities), .93, .98);
}

/* The single topic model, whose expected counts are exact. */
TEST(test_single_topic)
{
	corpus c = simulate(1000, 100, 3, 30, 1, true);
	tlv_lda_learn_options options = usual_options(3, "gibbs");
	tally probabilities = {0}, weights = {0};

	options.fit.alpha0 = 0;
	count_model(&c, learn_from(&c, options), &probabilities, NULL, &weights);
	assert_above(held(&probabilities), .88);
	assert_above(stated_over_made(&probabilities), .85);
	assert_below(stated_over_made(&probabilities), 1.15);
	assert_at_least(held(&weights), 2. / 3);
}

/* The p-value of a test of some documents against others. */
static double
p_value(const corpus *c, tlv_frame model, tlv_frame reference, const char *test)
{
	tlv_frame statistics = error_statistics(c, model);
	tlv_drift drift = {.references = 1, .reference = &reference};

	assert_ok(tlv_model_drift(&ctx, &model, &statistics, &drift));
	assert_int_equal(drift.n, 3 + c->k);
	for (size_t i = 0; i < drift.n; i++)
		if (strcmp(drift.tests[i].test, test) == 0)
			return drift.tests[i].p_value;
	fail_msg("no test %s", test);
	return NAN;
}

/* Documents of the same topics pass; more of a topic, purer ones and new words do not. */
TEST(test_drift)
{
	corpus c = simulate(1500, 150, 4, 50, .1, false), other;
	tlv_lda_learn_options options = usual_options(4, "gibbs");
	tlv_frame model = learn_from(&c, options), reference;

	redraw(&c, 50, 1);
	reference = error_statistics(&c, model);
	c.n = 400;
	redraw(&c, 50, 2);
	assert_above(p_value(&c, model, reference, "shares"), .01);
	assert_above(p_value(&c, model, reference, "likelihood"), .01);
	assert_above(p_value(&c, model, reference, "new words"), .01);
	c.alpha[0] *= 2;
	redraw(&c, 50, 3);
	assert_below(p_value(&c, model, reference, "shares"), .001);
	c.alpha[0] /= 2;
	for (size_t j = 0; j < c.k; j++)
		c.alpha[j] /= 4;
	redraw(&c, 50, 4);
	assert_below(p_value(&c, model, reference, "likelihood"), .001);
	for (size_t j = 0; j < c.k; j++)
		c.alpha[j] *= 4;
	other = simulate(1, 150, 4, 50, .1, false);
	for (size_t i = 0; i < c.d; i++)
		c.phi[i * c.k] = .7 * c.phi[i * c.k] + .3 * other.phi[i * c.k];
	redraw(&c, 50, 5);
	assert_below(p_value(&c, model, reference, "new words"), .001);
}

/* How many topics the model says are spurious, and the largest distance of those that it does not.
 */
static size_t
count_spurious(tlv_frame model, double *farthest)
{
	tlv_warnings_walk walk = tlv_warnings_of(&model);
	size_t k = tlv_frame_find(&model, "phi")->rows, n = 0;

	while (tlv_warnings_next(&walk))
		n += strcmp(walk.warning.code, "spurious_component") == 0;
	*farthest = 0;
	for (size_t j = 0; j < k; j++)
	{
		char name[32];
		double distance;

		snprintf(name, sizeof(name), "recurrence_%zu", j + 1);
		distance = present_diagnostic(model, name);
		if (distance <= .6)
			*farthest = fmax(*farthest, distance);
	}
	return n;
}

/* Topics that are there come again from parts of the documents, others do not. */
ACCURACY_TEST(test_recurrence)
{
	static const char *const refinements[] = {NULL, "gibbs", "stepwise"};
	corpus c = simulate(1200, 120, 4, 50, .1, false);
	double farthest;

	for (int i = 0; i < 3; i++)
	{
		tlv_lda_learn_options options = usual_options(4, refinements[i]);

		assert_equal(count_spurious(learn_with_errors(&c, options), &farthest), 0);
		assert_below(farthest, .3);
		options.fit.k = 7;
		assert_at_least(count_spurious(learn_with_errors(&c, options), &farthest), 1);
	}
	c.n = 12;
	for (size_t k = 2; k < 6; k++)
	{
		tlv_lda_learn_options options = usual_options(k, "gibbs");

		learn_with_errors(&c, options);
	}
}

RUN_TESTS(setup, teardown)
