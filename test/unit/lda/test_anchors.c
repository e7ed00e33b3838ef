/*
 * test_anchors.c - topics by anchor words: exactness on moments of infinitely many documents,
 * accuracy on simulated documents, given anchors, refusals, and the plan with every fault.
 */

#include "lda_learn_fixture.h"

/* ---- infinitely many documents ---- */

#define EXACT_D 30
#define EXACT_K 4

typedef struct exact
{
	double phi[EXACT_K * EXACT_D];
	double p1[EXACT_D];
	double scale[EXACT_D];
	double basis[EXACT_K * EXACT_D];
	double second[EXACT_K * EXACT_K]; /* E theta theta' */
	tlv_frame moments;
} exact;

static const double exact_alpha[EXACT_K] = {0.4, 0.1, 0.7, 0.2};

/* Topics of which item j belongs to topic j alone; shares of topics are those of LDA. */
static void
exact_topics(exact *x)
{
	size_t independent;

	assert_ok(tlv_topic_random(&ctx, EXACT_K, EXACT_D, 0.3, &rng, x->phi));
	for (size_t j = 0; j < EXACT_K; j++)
	{
		double sum = 0;

		for (size_t i = 0; i < EXACT_D; i++)
			sum += x->phi[i * EXACT_K + j] = i < EXACT_K ? .05 * (i == j) : x->phi[i * EXACT_K + j];
		for (size_t i = 0; i < EXACT_D; i++)
			x->phi[i * EXACT_K + j] /= sum;
	}
	for (size_t a = 0; a < EXACT_K; a++)
		for (size_t b = 0; b < EXACT_K; b++)
			x->second[a * EXACT_K + b] = exact_alpha[a] * (exact_alpha[b] + (a == b)) / (1.4 * 2.4);
	for (size_t i = 0; i < EXACT_D; i++)
	{
		for (size_t j = 0; j < EXACT_K; j++)
			x->p1[i] += exact_alpha[j] / 1.4 * x->phi[i * EXACT_K + j];
		x->scale[i] = 1 / sqrt(x->p1[i]);
		for (size_t j = 0; j < EXACT_K; j++)
			x->basis[i * EXACT_K + j] = x->scale[i] * x->phi[i * EXACT_K + j];
	}
	assert_ok(tlv_orthonormalize(&ctx, EXACT_K, EXACT_D, x->basis, &rng, &independent));
	assert_int_equal(independent, EXACT_K);
}

/* The value that they would give; documents that hold item i as told. */
static void
exact_moments(exact *x, const double *frequency)
{
	double b[EXACT_K][EXACT_K] = {{0}}, pairs[EXACT_K * (EXACT_K + 1) / 2] = {0};
	double totals[EXACT_D], noise[EXACT_D] = {0}, tokens = 1000;
	int64_t items[EXACT_D];
	tlv_digest subspace = {{1}};
	void *image;
	size_t size;

	for (size_t p = 0; p < EXACT_K; p++)
		for (size_t j = 0; j < EXACT_K; j++)
			for (size_t i = 0; i < EXACT_D; i++)
				b[p][j] += x->basis[i * EXACT_K + p] * x->scale[i] * x->phi[i * EXACT_K + j];
	for (size_t p = 0; p < EXACT_K; p++)
		for (size_t q = 0; q <= p; q++)
			for (size_t j = 0; j < EXACT_K; j++)
				for (size_t l = 0; l < EXACT_K; l++)
					pairs[tlv_packed2_index(p, q)] +=
						tokens * x->second[j * EXACT_K + l] * b[p][j] * b[q][l];
	for (size_t i = 0; i < EXACT_D; i++)
	{
		items[i] = 100 + 2 * (int64_t) i;
		totals[i] = tokens * x->p1[i];
	}
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, TLV_KIND_ANCHOR_MOMENTS);
	tlv_frame_add_scalar(&builder, "documents", 100);
	tlv_frame_add_scalar(&builder, "skipped", 0);
	tlv_frame_add_scalar(&builder, "nulls", 0);
	tlv_frame_add_scalar(&builder, "tokens", tokens);
	tlv_frame_add_scalar(&builder, "rank", EXACT_K);
	tlv_frame_add_scalar(&builder, "steps", 2);
	tlv_frame_add_scalar(&builder, "distinct", 0);
	tlv_frame_add_scalar(&builder, "seed", 1);
	tlv_frame_add_scalar(&builder, "minimum_documents", 0);
	tlv_frame_add_scalar(&builder, "trace", 1);
	tlv_frame_add(&builder, "subspace", TLV_BYTES, 1, TLV_DIGEST_SIZE, &subspace);
	tlv_frame_add(&builder, "items", TLV_INT64, EXACT_D, 1, items);
	tlv_frame_add(&builder, "scale", TLV_FLOAT64, EXACT_D, 1, x->scale);
	tlv_frame_add(&builder, "shares", TLV_FLOAT64, EXACT_D, 1, x->p1);
	tlv_frame_add(&builder, "basis", TLV_FLOAT64, EXACT_K, EXACT_D, x->basis);
	tlv_frame_add(&builder, "totals", TLV_FLOAT64, EXACT_D, 1, totals);
	tlv_frame_add(&builder, "frequency", TLV_FLOAT64, EXACT_D, 1, frequency);
	tlv_frame_add(&builder, "noise", TLV_FLOAT64, EXACT_D, 1, noise);
	tlv_frame_add(&builder, "pairs", TLV_FLOAT64, EXACT_K * (EXACT_K + 1) / 2, 1, pairs);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	x->moments = checked(TLV_FRAME_MOMENTS, image, size);
}

static exact
exact_model(void)
{
	double frequency[EXACT_D];
	exact x = {.phi = {0}};

	for (size_t i = 0; i < EXACT_D; i++)
		frequency[i] = 50;
	exact_topics(&x);
	exact_moments(&x, frequency);
	return x;
}

static tlv_frame
fit_anchors(tlv_frame moments, const tlv_lda_options *options)
{
	return MADE(tlv_lda_fit_anchors, &moments, options);
}

static const tlv_lda_options usual = {.k = EXACT_K, .alpha0 = NAN, .eta = TLV_LDA_ETA, .seed = 1};

/* Topics, weights and alpha0 come out exactly, each topic by its own item. */
TEST(test_exact)
{
	exact x = exact_model();
	double alpha[EXACT_K];
	corpus truth = {.k = EXACT_K, .d = EXACT_D, .phi = x.phi, .alpha = alpha};
	tlv_frame model = fit_anchors(x.moments, &usual);
	const int64_t *anchors = tlv_frame_int64(&model, "anchors");
	const double *phi = tlv_frame_float64(&model, "phi");
	errors e;

	memcpy(alpha, exact_alpha, sizeof(alpha));
	e = compare(&truth, model);
	assert_below(e.worst, 1e-8);
	assert_below(e.alpha, 1e-7);
	assert_close(tlv_frame_scalar(&model, "alpha0", 0), 1.4, 1e-8);
	assert_equal(present_diagnostic(model, "anchors_visible"), EXACT_K);
	assert_null(tlv_frame_find(&model, "warnings"));
	for (size_t j = 0; j < EXACT_K; j++)
	{
		size_t at = (size_t) (anchors[j] - 100) / 2;

		assert_below(at, EXACT_K);
		assert_above(phi[at * EXACT_K + j], .01);
		assert_above(tlv_frame_float64(&model, "anchor_distances")[j], 0);
	}
}

/* Given anchors by id; what cannot be meant is refused by what was given. */
TEST(test_given)
{
	const size_t first[] = {0, 1, 2};
	const char *const texts[] = {"apple", "pear"};
	exact x = exact_model();
	tlv_lda_options options = usual;
	double frequency[EXACT_D];
	tlv_frame model;
	void *image;
	size_t size;

	options.anchors = (tlv_lda_anchors){2, first, (const int64_t[]){104, 100}, texts};
	model = fit_anchors(x.moments, &options);
	assert_int_equal(tlv_frame_find(&model, "anchors")->rows, EXACT_K);
	options.anchors.items = (const int64_t[]){104, 101};
	assert_fails(tlv_lda_fit_anchors(&ctx, &x.moments, &options, &image, &size), TLV_BAD_PARAMETER,
				 "no document holds the anchor \"pear\"");
	options.anchors.items = (const int64_t[]){104, 104};
	assert_fails(tlv_lda_fit_anchors(&ctx, &x.moments, &options, &image, &size), TLV_BAD_PARAMETER,
				 "the anchor \"pear\" is given twice");
	for (size_t i = 0; i < EXACT_D; i++)
		frequency[i] = i == 2 ? 4 : 50;
	exact_moments(&x, frequency);
	options.anchors.items = (const int64_t[]){104, 100};
	options.anchors.texts = NULL;
	assert_fails(tlv_lda_fit_anchors(&ctx, &x.moments, &options, &image, &size), TLV_BAD_PARAMETER,
				 "the anchor \"104\" is in 4 documents only");
	options.anchors.n = 5;
	assert_fails(tlv_lda_fit_anchors(&ctx, &x.moments, &options, &image, &size), TLV_BAD_PARAMETER,
				 "5 anchors are given for 4 topics");
}

/* Items in too few documents are no anchors; with fewer candidates than topics, as many as there
 * are. */
TEST(test_few_candidates)
{
	double frequency[EXACT_D];
	exact x = exact_model();
	tlv_lda_options options = usual;
	tlv_frame model;
	void *image;
	size_t size;

	for (size_t i = 0; i < EXACT_D; i++)
		frequency[i] = i < 3 ? 50 : 4;
	exact_moments(&x, frequency);
	assert_fails(tlv_lda_fit_anchors(&ctx, &x.moments, &options, &image, &size),
				 TLV_NOT_IDENTIFIABLE, "only 3 of 4 topics have words of their own");
	options.fewer = true;
	model = fit_anchors(x.moments, &options);
	assert_int_equal(tlv_frame_find(&model, "phi")->rows, 3);
	options.k = 5;
	options.fewer = false;
	assert_fails(tlv_lda_fit_anchors(&ctx, &x.moments, &options, &image, &size), TLV_BAD_PARAMETER,
				 "more than the 4 directions");
}

/* alpha0 of Dirichlet moments at any scale; none of moments that are not. */
TEST(test_alpha0)
{
	double second[9], means[3];
	const double alpha[3] = {.2, .5, 2.3};

	for (size_t a = 0; a < 3; a++)
		for (size_t b = 0; b < 3; b++)
			second[a * 3 + b] = 7 * alpha[a] * (alpha[b] + (a == b));
	assert_close(tlv_lda_alpha0(3, second, means), 3, 1e-12);
	assert_close(means[2], 2.3 / 3, 1e-12);
	for (size_t a = 0; a < 9; a++)
		second[a] = 1;
	assert_true(isnan(tlv_lda_alpha0(3, second, means)));
}

/* ---- documents ---- */

/* The whole way over simulated documents, with refinement and without. */
TEST(test_plan)
{
	corpus c = simulate(2000, 200, 5, 50, 0.2, false);
	tlv_lda_learn_options options = usual_options_from(5, TLV_LDA_START_ANCHORS);
	tlv_frame model;
	errors first, refined;

	use_corpus(&c);
	model = learn(options);
	first = compare(&c, model);
	assert_below(first.mean, 0.25);
	assert_close(tlv_frame_scalar(&model, "alpha0", 0), 1, 0.5);
	options.refine = "gibbs";
	model = learn(options);
	refined = compare(&c, model);
	assert_below(refined.mean, 0.06);
	assert_int_equal(tlv_frame_find(&model, "anchors")->rows, 5);
	print_message("anchors: topic L1 %.4f, refined %.4f\n", first.mean, refined.mean);
}

/* More topics asked than there are: fewer corners, which is said, and the others from parts. */
TEST(test_too_many)
{
	corpus c = simulate(400, 12, 2, 30, 0.1, false);
	tlv_lda_learn_options options = usual_options_from(12, TLV_LDA_START_ANCHORS);
	tlv_frame model;
	tlv_warning warning;

	use_corpus(&c);
	options.refine = "gibbs";
	options.iterations = 2;
	model = learn(options);
	assert_int_equal(tlv_frame_find(&model, "phi")->rows, 12);
	assert_true(model_warns(&model, "anchors_below_noise", &warning));
	assert_equal(warning.score, present_diagnostic(model, "anchors_visible"));
	assert_below(warning.score, 12);
	assert_non_null(strstr(warning.message, "of 12 topics"));
	/* as many as there are: none is missed */
	c = simulate(3000, 200, 2, 50, 0.1, false);
	use_corpus(&c);
	options.fit.k = 2;
	model = learn(options);
	assert_false(model_warns(&model, "anchors_below_noise", NULL));
}

/* Few documents for every topic: both starts are tried, and the better one is refined. */
TEST(test_choice)
{
	corpus c = simulate(300, 120, 10, 40, 0.1, false);
	tlv_lda_learn_options options = usual_options_from(10, TLV_LDA_START_ANCHORS);
	tlv_frame model;
	double tensor, anchors;

	options.start = TLV_LDA_START_CHOOSE;
	options.refine = "gibbs";
	use_corpus(&c);
	model = learn(options);
	tensor = present_diagnostic(model, "held_out_perplexity_tensor");
	anchors = present_diagnostic(model, "held_out_perplexity_anchors");
	assert_int_equal(tlv_frame_find(&model, "anchors") != NULL, anchors < tensor);
	assert_int_equal(tlv_frame_find(&model, "phi")->rows, 10);
	print_message("choice: tensor %.1f, anchors %.1f, L1 %.3f\n", tensor, anchors,
				  compare(&c, model).mean);
	/* enough documents: the tensor alone */
	options.fit.k = 5;
	model = learn(options);
	assert_true(isnan(diagnostic(model, "held_out_perplexity_tensor")));
	assert_null(tlv_frame_find(&model, "anchors"));
}

/* Without room for third moments a start that is left open is that of anchors, which says so. */
TEST(test_no_room)
{
	corpus c = simulate(1500, 60, 12, 60, 0.05, false);
	tlv_lda_learn_options options = usual_options_from(12, TLV_LDA_START_CHOOSE);
	tlv_warning warning;
	tlv_frame model;
	double needs;
	int run;

	options.refine = "gibbs";
	options.iterations = 2;
	use_corpus(&c);
	model = learn(options);
	assert_null(tlv_frame_find(&model, "anchors"));
	assert_false(model_warns(&model, "anchors_for_memory", NULL));
	needs = tlv_lda_fit_memory(12, 60, &options.fit);
	passes.room = (size_t) (needs * 0.9);
	model = learn(options);
	assert_non_null(tlv_frame_find(&model, "anchors"));
	assert_int_equal(tlv_frame_find(&model, "phi")->rows, 12);
	assert_true(model_warns(&model, "anchors_for_memory", &warning));
	assert_true(warning.score > 0.9 * needs);
	/* one that is asked for and needs all of them is refused, before the pass for its moments and
	 * the two steps */
	run = passes.passes;
	options.start = TLV_LDA_START_TENSOR;
	options.fit.decompose.method = TLV_METHOD_ALS;
	passes.room = (size_t) (tlv_lda_fit_memory(12, 60, &options.fit) * 0.7);
	assert_int_equal(procedure_run(&passes, &tlv_lda_procedure, &options), TLV_MEMORY_LIMIT);
	assert_int_equal(passes.passes, run - 3);
	passes.room = 0;
}

/* Hundreds of topics: no third moments are collected, be the documents few or 41 a topic. */
ACCURACY_TEST(test_hundreds)
{
	corpus c = simulate(900, 400, 12, 60, 0.1, false);
	corpus many = simulate(201 * 41, 300, 12, 8, 0.1, false);
	tlv_lda_learn_options options = usual_options_from(201, TLV_LDA_START_CHOOSE);
	tlv_frame model;

	options.refine = "gibbs";
	options.iterations = 1;
	use_corpus(&c);
	model = learn(options);
	assert_non_null(tlv_frame_find(&model, "anchors"));
	assert_true(isnan(diagnostic(model, "held_out_perplexity_tensor")));
	assert_int_equal(tlv_frame_find(&model, "phi")->rows, 201);
	assert_false(model_warns(&model, "anchors_for_memory", NULL));
	use_corpus(&many);
	model = learn(options);
	assert_non_null(tlv_frame_find(&model, "anchors"));
	assert_true(isnan(diagnostic(model, "held_out_perplexity_tensor")));
}

TEST(test_choice_faults)
{
	corpus c = simulate(120, 40, 4, 30, 0.1, false), other = simulate(120, 30, 3, 20, 0.1, false);
	tlv_lda_learn_options options = usual_options_from(4, TLV_LDA_START_ANCHORS);

	options.start = TLV_LDA_START_CHOOSE;
	options.refine = "gibbs";
	options.iterations = 2;
	use_corpus(&c);
	passes.changed = (fixture_rows){20, passes.rows[0].rows};
	assert_at_least(procedure_fail_everywhere(&passes, &tlv_lda_procedure, &options, false), 11);
	use_corpus(&other);
	passes.changed = passes.rows[0];
	passes.rows[0].rows += 10;
	passes.rows[0].n -= 10;
	(void) procedure_fail_everywhere(&passes, &tlv_lda_procedure, &options, false);
}

TEST(test_faults)
{
	corpus c = simulate(300, 40, 2, 30, 0.1, false);
	tlv_lda_learn_options options = usual_options_from(2, TLV_LDA_START_ANCHORS);

	options.refine = "gibbs";
	options.iterations = 2;
	use_corpus(&c);
	passes.changed = (fixture_rows){20, passes.rows[0].rows};
	assert_at_least(procedure_fail_everywhere(&passes, &tlv_lda_procedure, &options, false), 8);
}

RUN_TESTS(setup, teardown)
