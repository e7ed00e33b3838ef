/*
 * test_learn.c - the whole of learning topics, over documents in memory: accuracy, choices
 * on the way, labels, and every fault in every state.
 */

#include "lda_learn_fixture.h"

static tlv_lda_learn_options
usual_options(size_t k)
{
	return usual_options_from(k, TLV_LDA_START_TENSOR);
}

/* ---- what is learnt ---- */

/* By moments alone, then refined by every method until the perplexity converges. */
ACCURACY_TEST(test_accuracy)
{
	static const char *const refinements[] = {"gibbs", "stepwise"};
	corpus c = simulate(3000, 60, 4, 60, 0.3, false);
	tlv_lda_learn_options options = usual_options(4);
	errors moments_only, refined;
	tlv_frame model;

	use_corpus(&c);
	model = learn(options);
	moments_only = compare(&c, model);
	assert_below(moments_only.mean, 0.05);
	assert_below(moments_only.alpha, 0.1);
	assert_equal(present_diagnostic(model, "k_chosen"), 0);
	assert_equal(present_diagnostic(model, "counts_damped"), 0);
	assert_equal(present_diagnostic(model, "passes"), passes.passes);
	for (int i = 0; i < 2; i++)
	{
		options.refine = refinements[i];
		model = learn(options);
		refined = compare(&c, model);
		assert_below(refined.mean, 0.04);
		assert_below(refined.mean, moments_only.mean);
		assert_below(refined.alpha, 0.1);
		assert_at_least(tlv_frame_scalar(&model, "steps", 0), TLV_REFINE_MIN_STEPS);
		assert_at_most(tlv_frame_scalar(&model, "steps", 0), TLV_REFINE_MAX_STEPS);
	}
	options.iterations = 2;
	model = learn(options);
	assert_equal(tlv_frame_scalar(&model, "steps", 0), 2);
	options.iterations = 0;
	model = learn(options);
	assert_equal(tlv_frame_scalar(&model, "steps", 0), 0);
}

/* k by the words of held-out documents: the least that predicts them as well as the best. */
ACCURACY_TEST(test_choice_of_k)
{
	corpus c = simulate(4000, 60, 5, 60, 0.1, false);
	tlv_lda_learn_options options = usual_options(0);
	tlv_warning warning;
	tlv_frame model;

	use_corpus(&c);
	model = learn(options);
	assert_equal(tlv_frame_find(&model, "phi")->rows, 5);
	assert_equal(present_diagnostic(model, "k_chosen"), 1);
	for (int k = 1; k <= 3; k++)
	{
		char name[32], error[32];

		snprintf(name, sizeof(name), "held_out_%d", k);
		snprintf(error, sizeof(error), "held_out_error_%d", k);
		assert_above(present_diagnostic(model, "held_out_5") - present_diagnostic(model, name),
					 5 * present_diagnostic(model, error));
	}
	assert_above(present_diagnostic(model, "held_out_5"), present_diagnostic(model, "held_out_8"));
	assert_at_most(present_diagnostic(model, "k_of_gain"), 5);
	assert_false(model_warns(&model, "k_at_limit", NULL));
	assert_below(compare(&c, model).mean, 0.04);

	options.max_k = 5;
	model = learn(options);
	assert_true(model_warns(&model, "k_at_limit", &warning));
	assert_non_null(strstr(warning.message, "k = 5 is the limit"));
}

/* Documents in which every word that comes, comes several times. */
static corpus
in_bursts(corpus c, double times)
{
	for (size_t t = 0; t < c.n; t++)
	{
		size_t n = c.bags[t]->n;
		int64_t *items = room(n, sizeof(int64_t));
		double *counts = room(n, sizeof(double));

		assert_ok(tlv_bag_read(&ctx, c.bags[t], items, counts));
		for (size_t i = 0; i < n; i++)
			counts[i] *= 1 + times * (double) (tlv_rng_below(&rng, 3) == 0);
		c.bags[t] = room(tlv_bag_size(n, items, counts), 1);
		tlv_bag_write(n, items, counts, c.bags[t]);
	}
	return c;
}

/* Bursts are measured, and the moments then see damped counts; or as one says. */
ACCURACY_TEST(test_bursts)
{
	corpus c = in_bursts(simulate(3000, 200, 4, 40, 0.2, false), 12);
	tlv_lda_learn_options options = usual_options(4);
	tlv_frame model;
	double damped;

	use_corpus(&c);
	options.refine = "gibbs";
	model = learn(options);
	assert_above(present_diagnostic(model, "burstiness"), 2);
	assert_above(present_diagnostic(model, "trace_raw_counts"), 3);
	assert_equal(present_diagnostic(model, "counts_damped"), 1);
	damped = compare(&c, model).mean;
	assert_below(damped, 0.12);

	options.counts = TLV_LDA_COUNTS_RAW;
	model = learn(options);
	assert_true(isnan(diagnostic(model, "burstiness")));
	assert_equal(present_diagnostic(model, "counts_damped"), 0);

	c = simulate(3000, 60, 4, 60, 0.3, false);
	use_corpus(&c);
	options.counts = TLV_LDA_COUNTS_DAMPED;
	model = learn(options);
	assert_equal(present_diagnostic(model, "counts_damped"), 1);
	assert_true(isnan(diagnostic(model, "burstiness")));
	assert_below(compare(&c, model).mean, 0.07);
}

/* With many directions bursts are told before the subspace of the raw counts stands. */
TEST(test_bursts_of_many_directions)
{
	corpus c = in_bursts(simulate(500, 200, 8, 40, 0.1, false), 12);
	tlv_lda_learn_options options = usual_options(70);
	tlv_frame model;

	use_corpus(&c);
	model = learn(options);
	assert_equal(present_diagnostic(model, "counts_damped"), 1);
	assert_above(present_diagnostic(model, "burstiness"), 3);
	/* two summaries, three steps for the bursts, the moments, and the steps of the subspace */
	assert_equal(passes.passes, 6 + present_diagnostic(model, "subspace_steps"));
	assert_equal(tlv_frame_find(&model, "phi")->rows, 70);
}

/* ---- labels ---- */
TEST(test_labels)
{
	int64_t ids[] = {1, 100, 104, 106, 9000}, offsets[] = {0, 2, 5, 5, 7, 8};
	corpus c = simulate(500, 10, 2, 30, 0.2, false);
	tlv_names names = {.n = 5, .ids = ids, .offsets = offsets, .text = "xxabcdez"};
	tlv_lda_learn_options options = usual_options(2);
	const tlv_section *labels;
	const int64_t *at;
	tlv_frame model;

	use_corpus(&c);
	passes.told.names = &names;
	model = learn(options);
	labels = tlv_frame_find(&model, "labels");
	at = tlv_frame_int64(&model, "label_offsets");
	assert_non_null(labels);
	assert_int_equal(labels->rows, 5);
	assert_memory_equal(tlv_section_data(&model, labels), "abcde", 5);
	assert_int_equal(tlv_frame_find(&model, "label_offsets")->rows,
					 tlv_frame_find(&model, "items")->rows + 1);
	assert_int_equal(at[0], 0); /* item 100 is "abc", 102 has no name, 104 an empty one */
	assert_int_equal(at[1], 3);
	assert_int_equal(at[2], 3);
	assert_int_equal(at[3], 3);
	assert_int_equal(at[4], 5); /* 106 is "de" */
}

/* ---- documents of one or two words ---- */

/* Pairs of words have the topics that are asked for, one where that is left open; single words one.
 */
TEST(test_short)
{
	const size_t asked[] = {0, 2, 0, 2}, found[] = {1, 2, 1, 1};

	for (size_t i = 0; i < 4; i++)
	{
		corpus c = simulate(3000, 12, 2, i < 2 ? 2 : 1, 0.1, false);
		tlv_lda_learn_options options = usual_options(asked[i]);
		tlv_warning warning;
		tlv_frame model;

		use_corpus(&c);
		model = learn(options);
		assert_int_equal(tlv_frame_find(&model, "phi")->rows, found[i]);
		assert_true(model_warns(&model, i < 2 ? "rows_skipped" : "no_structure", &warning));
		assert_false(model_warns(&model, "repeated_words", NULL));
	}
}

/* ---- what cannot be learnt from ---- */

TEST(test_refusals)
{
	corpus c = simulate(60, 10, 2, 2, 0.2, false);
	tlv_lda_learn_options options = usual_options(2);

	use_corpus(&c);
	passes.rows[0].n = 0;
	for (size_t k = 0; k <= 2; k += 2)
	{
		options = usual_options(k);
		assert_fails(procedure_run(&passes, &tlv_lda_procedure, &options), TLV_NO_ROWS,
					 "the query returns no rows");
	}
}

/* ---- documents that tell less than was asked for ---- */

/* k topics from anything that holds a document: the moments' own and parts of these. */
static void
assert_filled(const corpus *c, size_t documents, size_t k, size_t identified)
{
	static const char *const refinements[] = {NULL, "gibbs"};
	tlv_lda_learn_options options = usual_options(k);
	tlv_warning warning;

	options.iterations = 3;
	for (int i = 0; i < 2; i++)
		for (int single = 0; single < 2; single++)
		{
			tlv_frame model;

			options.refine = refinements[i];
			options.fit.alpha0 = single ? 0 : NAN;
			use_corpus(c);
			passes.rows[0] = documents_of(c, 0, documents);
			model = learn(options);
			assert_int_equal(tlv_frame_find(&model, "phi")->rows, k);
			assert_true(model_warns(&model, "not_identified", &warning));
			assert_at_most(warning.score, (double) identified);
		}
}

TEST(test_too_many_topics)
{
	corpus c = simulate(60, 40, 3, 20, 0.2, false), one = simulate(30, 1, 1, 20, 1, false);

	assert_filled(&c, 60, 30, 29);
	assert_filled(&c, 60, 80, 40); /* more than items, and than documents */
	assert_filled(&c, 1, 3, 1);
	assert_filled(&one, 30, 4, 1);
}

/* A given k where there are no topics is warned of, by any refinement; where there are some it is
 * not, however weak they are. */
ACCURACY_TEST(test_no_topics)
{
	static const char *const refinements[] = {NULL, "gibbs"};
	tlv_lda_learn_options options = usual_options(0);
	tlv_warning warning;
	tlv_frame model;

	options.test = true;
	for (int set = 0; set < 12; set++)
	{
		corpus c = set < 6 ? simulate(400, 150, 1, 40, 0.5, false)
						   : simulate(1000, 300, 4, 40, 0.5, set % 2 == 1);

		use_corpus(&c);
		options.fit.k = (size_t) (2 + set % 5);
		options.refine = refinements[set % 2];
		model = learn(options);
		assert_equal(present_diagnostic(model, "k_chosen"), 0);
		assert_int_equal(tlv_frame_find(&model, "phi")->rows, options.fit.k);
		assert_int_equal(model_warns(&model, "no_structure", &warning), set < 6);
		if (set >= 6)
			continue;
		assert_equal(warning.score, 1);
		options.fit.k = 1;
		model = learn(options);
		assert_false(model_warns(&model, "no_structure", NULL));
	}
}

/* Nothing to find: one topic, and a warning that says so. */
TEST(test_no_structure)
{
	corpus noise = simulate(600, 50, 1, 20, 5, false);
	tlv_lda_learn_options options = usual_options(0);
	const size_t documents[] = {1, 4, 600};
	tlv_frame model;

	for (int i = 0; i < 3; i++)
	{
		use_corpus(&noise);
		passes.rows[0] = documents_of(&noise, 0, documents[i]);
		model = learn(options);
		assert_int_equal(tlv_frame_find(&model, "phi")->rows, 1);
		/* Of few documents none can be held out, of many the constant direction is significant. */
		assert_int_equal(model_warns(&model, "k_untested", NULL), documents[i] < 5);
		assert_int_equal(model_warns(&model, "no_structure", NULL), documents[i] >= 5);
		assert_false(model_warns(&model, "repeated_words", NULL));
	}
}

/* L1 distance of every topic of the model to the nearest true one. */
static void
nearest_truth(const corpus *c, const tlv_frame *model, double *distance)
{
	size_t k = tlv_frame_find(model, "phi")->rows, d = tlv_frame_find(model, "phi")->columns;
	const int64_t *items = tlv_frame_int64(model, "items");
	const double *phi = tlv_frame_float64(model, "phi");

	for (size_t j = 0; j < k; j++)
	{
		distance[j] = HUGE_VAL;
		for (size_t l = 0; l < c->k; l++)
		{
			double sum = 0;

			for (size_t i = 0; i < d; i++)
				sum += fabs(phi[i * k + j] - c->phi[(size_t) (items[i] - 100) / 2 * c->k + l]);
			distance[j] = fmin(distance[j], sum);
		}
	}
}

/* Topics too many are named, and no other. */
ACCURACY_TEST(test_spurious_topics)
{
	corpus c = simulate(2000, 600, 8, 80, 0.1, false);
	tlv_lda_learn_options options = usual_options(12);
	double distance[12];
	size_t named = 0, wrong = 0, spurious = 0;
	tlv_warnings_walk walk;
	tlv_frame model;

	use_corpus(&c);
	options.refine = "gibbs";
	model = learn(options);
	nearest_truth(&c, &model, distance);
	for (walk = tlv_warnings_of(&model); tlv_warnings_next(&walk);)
		if (strcmp(walk.warning.code, "spurious_component") == 0)
		{
			named++;
			wrong += distance[walk.warning.component - 1] < 0.5;
		}
	for (size_t j = 0; j < 12; j++)
		spurious += distance[j] >= 0.5;
	assert_equal(spurious, 4);
	assert_equal(wrong, 0);
	assert_at_least(named, 3);
}

/* Of few documents the likelihood makes alpha0 too small; the moments do not. */
TEST(test_alpha0_of_few_documents)
{
	corpus c = simulate(400, 300, 6, 80, 0.15, false);
	tlv_lda_learn_options options = usual_options(6);
	double moments, refined;
	tlv_frame model;

	use_corpus(&c);
	model = learn(options);
	moments = tlv_frame_scalar(&model, "alpha0", 0);
	assert_above(moments, 0.7);
	assert_below(moments, 1.15); /* 0.9 */
	options.refine = "gibbs";
	model = learn(options);
	refined = tlv_frame_scalar(&model, "alpha0", 0);
	assert_at_least(refined, moments * (1 - 1e-9));
	assert_below(refined, 1.15);
}

/* A refinement that the limit ends says so; one that was given its steps does not. */
TEST(test_step_limit)
{
	corpus c = simulate(400, 60, 4, 60, 0.3, false);
	tlv_lda_learn_options options = usual_options(4);
	tlv_frame model;

	use_corpus(&c);
	options.refine = "gibbs";
	options.iterations = 2;
	model = learn(options);
	assert_false(model_warns(&model, "iterations_at_limit", NULL));
	options.iterations = -1;
	model = learn(options);
	assert_false(model_warns(&model, "iterations_at_limit", NULL));
	assert_below(tlv_frame_scalar(&model, "steps", 0), TLV_REFINE_MAX_STEPS);
}

/* Products of few documents are these, and refer to the subspace of the step before, which is given
 * back when the next one is there. */
TEST(test_few_documents)
{
	corpus c = simulate(40, 1000, 3, 20, 0.1, false);
	tlv_lda_learn_options options = usual_options(3);
	size_t referring;

	options.counts = TLV_LDA_COUNTS_RAW;
	options.iterations = 2;
	use_corpus(&c);
	(void) fixture_learn_model(
		&passes, &(fixture_learner){.procedure = &tlv_lda_procedure, .options = &options});
	referring = fixture_referring_passes(&passes);
	fixture_forget(&passes);
	assert_at_least(referring, 4);
	assert_int_equal(fixture_steady_passes(&passes, "subspace", 0), referring - 1);
}

/* ---- faults ---- */

/* k chosen, bursts measured, damped, refined: all states there are. */
TEST(test_faults)
{
	corpus c = in_bursts(simulate(240, 40, 2, 30, 0.1, false), 12);
	corpus other = simulate(150, 30, 3, 20, 0.1, false);
	tlv_lda_learn_options options = usual_options(0);

	options.max_k = 4;
	options.refine = "gibbs";
	options.iterations = 3;
	use_corpus(&c);
	passes.changed = documents_of(&c, 0, 20); /* most of them gone */
	assert_at_least(procedure_fail_everywhere(&passes, &tlv_lda_procedure, &options, false), 30);
	passes.changed = documents_of(&other, 0, other.n);
	procedure_change_everywhere(&passes, &tlv_lda_procedure, &options);
	options.refine = "stepwise";
	passes.changed = documents_of(&c, 0, 20);
	assert_at_least(procedure_fail_everywhere(&passes, &tlv_lda_procedure, &options, false), 30);
}

/*
 * Few steps in which topics move and go beyond those of expectation maximisation reach what many
 * steps of it do not, on documents that are far from enough for their topics.
 */
TEST(test_stepwise)
{
	corpus c = simulate(400, 300, 8, 40, 0.1, false);
	tlv_lda_learn_options options = usual_options(8);
	errors many, few;

	use_corpus(&c);
	options.refine = "gibbs";
	options.iterations = 40;
	many = compare(&c, learn(options));
	options.refine = "stepwise";
	options.iterations = 10;
	few = compare(&c, learn(options));
	if (!(few.mean < many.mean))
		fail_msg("error %g of 10 steps, %g of 40", few.mean, many.mean);
}

/* Documents of one word each beside usual ones; and of one word in all. */
TEST(test_one_word)
{
	corpus c = simulate(300, 20, 2, 20, 0.1, false);
	tlv_lda_learn_options options = usual_options(2);
	tlv_frame model;

	options.refine = "stepwise";
	for (size_t t = 0; t < 300; t += 3)
	{
		int64_t item = 100 + (int64_t) (t % 20);
		double count = 1 + 3 * (double) (t % 2);

		c.bags[t] = room(tlv_bag_size(1, &item, &count), 1);
		tlv_bag_write(1, &item, &count, c.bags[t]);
	}
	use_corpus(&c);
	model = learn(options);
	assert_equal(tlv_frame_find(&model, "phi")->rows, 2);
	for (size_t t = 0; t < 300; t++)
	{
		int64_t item = 100;
		double count = 5;

		c.bags[t] = room(tlv_bag_size(1, &item, &count), 1);
		tlv_bag_write(1, &item, &count, c.bags[t]);
	}
	use_corpus(&c);
	model = learn(options);
	assert_equal(tlv_frame_find(&model, "phi")->columns, 1);
}

RUN_TESTS(setup, teardown)
