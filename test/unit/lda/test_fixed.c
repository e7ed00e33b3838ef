/*
 * test_fixed.c - topics that stay as they are while others are learnt: that they stay in every
 * refinement, step and extension, that the others come as near to the truth, refusals, and the plan
 * with every fault.
 */

#include "lda_learn_fixture.h"
#include "tensorlv/model/layout.h"

#define K		5
#define D		60
#define STRANGE 7 /* an item that no document holds */

/* The first n topics of the truth as a model, over its items and a strange one of share .05. */
static tlv_frame
given_topics(const corpus *c, size_t n)
{
	tlv_lda_parameters parameters;
	double *phi = room(n * (c->d + 1), sizeof(double)), *alpha = room(n, sizeof(double));
	int64_t *items = room(c->d + 1, sizeof(int64_t));
	tlv_frame frame;

	items[0] = STRANGE;
	for (size_t i = 0; i < c->d; i++)
		items[i + 1] = c->items[i];
	for (size_t j = 0; j < n; j++)
	{
		alpha[j] = (double) (n - j); /* descending: they keep their numbers */
		phi[j] = .05 / .95;
		for (size_t i = 0; i < c->d; i++)
			phi[(i + 1) * n + j] = c->phi[i * c->k + j];
	}
	parameters = (tlv_lda_parameters){
		.k = n, .d = c->d + 1, .items = items, .phi = phi, .alpha = alpha, .seed = 1};
	frame = MADE(tlv_lda_from_parameters, &parameters);
	return MADE(tlv_label_component, &frame, 0, (tlv_text){"first", 5});
}

/* Largest difference of a fixed topic from the given one, over all items; all of these are there.
 */
static double
moved(tlv_frame model, tlv_frame given)
{
	size_t k = tlv_frame_find(&model, "phi")->rows, d = tlv_frame_find(&model, "phi")->columns;
	size_t n = tlv_frame_find(&given, "phi")->rows, at = 0, seen = 0;
	const double *phi = tlv_frame_float64(&model, "phi"), *own = tlv_frame_float64(&given, "phi");
	const double *fixed = tlv_frame_float64(&model, "fixed");
	const int64_t *items = tlv_frame_int64(&model, "items"),
				  *its = tlv_frame_int64(&given, "items");
	double most = 0;

	assert_non_null(fixed);
	for (size_t i = 0; i < d; i++)
	{
		bool known = at < tlv_frame_find(&given, "phi")->columns && its[at] == items[i];

		for (size_t j = 0; j < k; j++)
			if (fixed[j] > 0)
				most = fmax(
					most, fabs(phi[i * k + j] - (known ? own[at * n + (size_t) fixed[j] - 1] : 0)));
		at += known;
	}
	assert_int_equal(at, tlv_frame_find(&given, "phi")->columns);
	for (size_t j = 0; j < k; j++)
		seen += fixed[j] > 0;
	assert_int_equal(seen, n);
	return most;
}

/* Mean L1 of the topics of the truth from `from` on to the nearest of the model, one to one. */
static double
distance(const corpus *c, tlv_frame model, size_t from)
{
	size_t k = tlv_frame_find(&model, "phi")->rows, d = tlv_frame_find(&model, "phi")->columns;
	const double *phi = tlv_frame_float64(&model, "phi");
	const int64_t *items = tlv_frame_int64(&model, "items");
	double *full = room(k * c->d, sizeof(double)), error[MAX_K], sum = 0;
	int64_t assignment[MAX_K];

	for (size_t i = 0; i < d; i++)
		if (items[i] != STRANGE)
			memcpy(full + (size_t) (items[i] - 100) / 2 * k, phi + i * k, k * sizeof(double));
	assert_ok(tlv_topic_match(&ctx, c->d, c->k, c->phi, k, full, assignment, error));
	for (size_t j = from; j < c->k; j++)
		sum += error[j] / (double) (c->k - from);
	return sum;
}

/* To the last bit, under every refinement and from either start; the label stays, too. */
TEST(test_stay)
{
	static const char *const refinements[] = {NULL, "gibbs", "stepwise", "ctm"};
	corpus c = simulate(600, D, K, 40, 0.2, false);
	tlv_frame given = given_topics(&c, 2), model;

	use_corpus(&c);
	for (int r = 0; r < 8; r++)
	{
		tlv_lda_learn_options options =
			usual_options_from(K, r < 4 ? TLV_LDA_START_TENSOR : TLV_LDA_START_ANCHORS);
		size_t first = 0;

		options.refine = refinements[r % 4];
		options.iterations = 3;
		options.fixed = &given;
		model = learn(options);
		assert_equal(moved(model, given), 0);
		assert_equal(present_diagnostic(model, "fixed_topics"), 2);
		assert_int_equal(tlv_frame_find(&model, "phi")->columns, D + 1);
		for (size_t j = 0; j < K; j++)
			if (tlv_frame_float64(&model, "fixed")[j] == 1)
				first = j;
		assert_int_equal(tlv_component_label(&model, first).length, 5);
		assert_below(distance(&c, model, 2), .11);
	}
	model = refine(&c, model, "ctm"); /* the last one, by one more step of its own */
	assert_equal(moved(model, given), 0);
}

/* The other topics come as near to the truth as if all had to be learnt. */
TEST(test_others)
{
	static const char *const refinements[] = {"gibbs", "stepwise"};
	corpus c = simulate(1500, D, K, 20, 0.2, false);
	tlv_lda_learn_options options = usual_options_from(K, TLV_LDA_START_TENSOR);
	tlv_frame given = given_topics(&c, 3);

	use_corpus(&c);
	for (int r = 0; r < 2; r++)
	{
		double all;

		options.refine = refinements[r];
		options.fixed = NULL;
		all = distance(&c, learn(options), 3);
		options.fixed = &given;
		assert_below(distance(&c, learn(options), 3), 1.1 * all);
	}
}

/* A summary of documents that lack items: fixed topics keep their proportions, unsmoothed. */
TEST(test_extend)
{
	corpus c = simulate(300, D, K, 40, 0.2, false);
	tlv_lda_learn_options options = usual_options_from(K, TLV_LDA_START_TENSOR);
	tlv_frame given = given_topics(&c, 2), model, summary;
	tlv_accumulator *accumulator;
	const double *fixed, *phi;
	size_t size, d;
	void *image;

	use_corpus(&c);
	options.fixed = &given;
	model = learn(options);
	assert_ok(tlv_count_summary_create(&ctx, &accumulator));
	assert_ok(collect(accumulator, &c, &image, &size));
	summary = checked(TLV_FRAME_MOMENTS, image, size);
	model = MADE(tlv_lda_extend, &model, &summary, 1, .1, false);
	fixed = tlv_frame_float64(&model, "fixed");
	phi = tlv_frame_float64(&model, "phi");
	d = tlv_frame_find(&model, "phi")->columns;
	for (size_t j = 0; j < K; j++)
		for (size_t i = 0; fixed[j] > 0 && i < d; i++)
		{
			size_t item = (size_t) (tlv_frame_int64(&model, "items")[i] - 100) / 2;

			assert_close(phi[i * K + j], c.phi[item * K + (size_t) fixed[j] - 1], 1e-3);
		}
}

TEST(test_refusals)
{
	corpus c = simulate(300, D, K, 40, 0.2, false), other = c;
	tlv_lda_learn_options options = usual_options_from(2, TLV_LDA_START_TENSOR);
	tlv_frame given = given_topics(&c, 3), model;
	int64_t *items = room(D, sizeof(int64_t));

	use_corpus(&c);
	options.fixed = &given;
	assert_int_equal(procedure_run(&passes, &tlv_lda_procedure, &options), TLV_BAD_PARAMETER);
	/* all of them fixed, and one that is chosen is no less */
	options.fit.k = 3;
	model = learn(options);
	assert_equal(moved(model, given), 0);
	options.fit.k = 0;
	options.max_k = 2;
	model = learn(options);
	assert_int_equal(tlv_frame_find(&model, "phi")->rows, 3);
	/* items of another world */
	for (size_t i = 0; i < D; i++)
		items[i] = c.items[i] + 1;
	other.items = items;
	given = given_topics(&other, 2);
	options.fit.k = 4;
	assert_int_equal(procedure_run(&passes, &tlv_lda_procedure, &options), TLV_BAD_PARAMETER);
}

TEST(test_faults)
{
	corpus c = simulate(200, 40, 3, 30, 0.1, false);
	tlv_lda_learn_options options = usual_options_from(3, TLV_LDA_START_TENSOR);
	tlv_frame given = given_topics(&c, 1);

	options.refine = "gibbs";
	options.iterations = 2;
	options.fixed = &given;
	use_corpus(&c);
	passes.changed = (fixture_rows){20, passes.rows[0].rows};
	assert_at_least(procedure_fail_everywhere(&passes, &tlv_lda_procedure, &options, false), 9);
}

RUN_TESTS(setup, teardown)
