/*
 * test_fit.c - latent classes and mixed membership from tables of pairs and triples, and from rows:
 * parameters near those that the rows were drawn from.
 */
#include "membership_fixture.h"

static tlv_frame
fit_tables(const drawn *d, tlv_membership_options options)
{
	tlv_frame moments = category_table(d), model;

	options.copies = 1;
	options.seed = options.decompose.seed = 1;
	model = MADE(tlv_membership_fit, &moments, &options);
	return model;
}

static tlv_frame
learn(tlv_membership_options options)
{
	tlv_membership_learn_options learning = {.fit = options, .iterations = -1};

	learning.fit.seed = learning.fit.decompose.seed = 1;
	return procedure_model(&passes, tlv_membership_procedure(&learning), &learning, false);
}

/* Figures of the notes and 5 %, in the mean over three seeds. */
ACCURACY_TEST(test_mixed)
{
	static const struct
	{
		size_t k, n;
		double moments, learned;
	} sets[] = {{3, 1000, 0.0215, 0.0215}, {5, 5000, 0.0168, 0.0156}, {10, 1000, 0.07, 0.0613}};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
	{
		tlv_membership_options options = {
			.mixed = true, .k = sets[i].k, .alpha0 = 0.1 * (double) sets[i].k};
		double moments = 0, learned = 0;

		for (uint64_t seed = 101; seed <= 103; seed++)
		{
			drawn d = draw_members(sets[i].n, survey(true, 25, sets[i].k, seed));
			tlv_frame model = fit_tables(&d, options);

			moments += table_error(&d.truth, &model) / 3;
			model = learn(options);
			learned += table_error(&d.truth, &model) / 3;
			assert_int_equal(passes.passes, 1);
		}
		assert_below(moments, sets[i].moments);
		assert_below(learned, sets[i].learned);
	}
}

/* The sum of the Dirichlet's parameters that is left to the fit, of rows of one component each, of
 * some, and of most of them. */
ACCURACY_TEST(test_alpha)
{
	static const struct
	{
		double alpha, moments, learned, least, most;
	} sets[] = {{0.02, 0.0190, 0.0190, 0.05, 0.3},
				{0.1, 0.0210, 0.0200, 0.3, 0.8},
				{0.5, 0.0500, 0.0500, 1.5, 4}};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
	{
		tlv_membership_options options = {.mixed = true, .k = 5};
		tlv_membership_simulation drawing = survey(true, 25, 5, 111);
		tlv_membership_parts parts;
		tlv_frame model;
		double sum = 0;
		drawn d;

		drawing.alpha = sets[i].alpha;
		d = draw_members(3000, drawing);
		model = fit_tables(&d, options);
		tlv_membership_read(&model, &parts);
		for (size_t h = 0; h < 5; h++)
			sum += parts.weights[h];
		assert_between(sum, sets[i].least, sets[i].most);
		assert_below(table_error(&d.truth, &model), sets[i].moments);
		model = learn(options);
		assert_below(table_error(&d.truth, &model), sets[i].learned);
	}
}

TEST(test_classes)
{
	tlv_membership_options options = {.k = 5};

	for (uint64_t seed = 101; seed <= 103; seed += EVERY(3))
	{
		drawn d = draw_members(5000, survey(false, 25, 5, seed));
		tlv_frame model = fit_tables(&d, options);

		assert_below(table_error(&d.truth, &model), 0.013);
		model = learn(options);
		assert_below(table_error(&d.truth, &model), 0.012);
		assert_false(model_warns(&model, "no_structure", NULL));
	}
}

/* k is that of the truth. */
TEST(test_chosen)
{
	tlv_membership_options options = {.k = 0};
	tlv_frame model;

	for (uint64_t seed = 101; seed <= 102; seed += EVERY(2))
	{
		(void) draw_members(3000, survey(false, 25, 4, seed));
		model = learn(options);
		assert_int_equal(tlv_model_components(&model), 4);
	}
}

static void
drop_values(const drawn *d, unsigned every)
{
	for (size_t i = 0; i < d->n * d->p; i++)
		if (tlv_mix64(i) % every == 0)
			d->codes[i] = -1;
}

/* Half of the values missing, and what a row says of them. */
TEST(test_missing)
{
	tlv_membership_options options = {.k = 3};
	drawn d = draw_members(4000, survey(false, 25, 3, 101));
	tlv_frame model;

	drop_values(&d, 2);
	model = fit_tables(&d, options);
	assert_below(table_error(&d.truth, &model), 0.025);
	model = learn(options);
	assert_below(table_error(&d.truth, &model), 0.02);
}

/* Two copies of every variable show what one cannot: the pairs of a variable with itself. */
TEST(test_copies)
{
	tlv_membership_options options = {.mixed = true, .k = 3, .copies = 2};
	drawn d = draw_members(2000, survey(true, 25, 3, 101));
	tlv_frame model, moments = category_table(&d);
	void *image;
	size_t size;

	/* 25 values are not two of every variable. */
	options.decompose.seed = 1;
	assert_fails(tlv_membership_fit(&ctx, &moments, &options, &image, &size), TLV_BAD_PARAMETER,
				 "25 values of a row are not 2 of every variable");
	for (size_t i = 0; i < d.n; i++) /* the rows with themselves: copies of the same category */
		d.rows[i].part[0].d = 24;
	d.p = 24;
	passes.told.width[0] = 24;
	moments = category_table(&d);
	model = MADE(tlv_membership_fit, &moments, &options);
	assert_int_equal(tlv_frame_find(&model, "states")->rows, 12);
}

TEST(test_refused)
{
	tlv_membership_simulation few = survey(false, 25, 2, 1);
	tlv_membership_options options = {.k = 300, .copies = 1, .seed = 1};
	tlv_frame moments, model;
	tlv_membership_parts parts;
	double sum = 0;
	void *image;
	size_t size;
	drawn d;

	few.variables = 2;
	d = draw_members(100, few);
	moments = category_table(&d);
	assert_fails(tlv_membership_fit(&ctx, &moments, &options, &image, &size), TLV_BAD_PARAMETER,
				 "k = 300 is more than 200");
	options.k = 2;
	assert_fails(tlv_membership_fit(&ctx, &moments, &options, &image, &size), TLV_NOT_IDENTIFIABLE,
				 "2 variables: components show in three at least");
	options.k = 0; /* one component stands for them, and says why */
	model = MADE(tlv_membership_fit, &moments, &options);
	tlv_membership_read(&model, &parts);
	assert_int_equal(parts.k, 1);
	assert_true(model_warns(&model, "k_untested", &(tlv_warning){0}));
	for (size_t v = 0; v < parts.categories; v++)
		sum += parts.probabilities[v];
	assert_close(sum, 2, 1e-9); /* of two variables */
	few.variables = 4;
	d = draw_members(100, few);
	moments = category_table(&d);
	options.k = 14;
	assert_fails(tlv_membership_fit(&ctx, &moments, &options, &image, &size), TLV_NOT_IDENTIFIABLE,
				 "14 components are not identified by 4 variables");
}

/* k = 0: as many as the pairs show, of classes and of memberships. */
TEST(test_shown)
{
	static const size_t ks[] = {1, 2, 4};

	for (size_t i = 0; i < sizeof(ks) / sizeof(ks[0]); i++)
		for (int mixed = 0; mixed < 2; mixed++)
		{
			drawn d = draw_members(4000, survey(mixed, 25, ks[i], 5 + i));
			tlv_frame model = fit_tables(&d, (tlv_membership_options){.mixed = mixed});
			tlv_warning found_warning;

			assert_equal((double) tlv_model_components(&model), (double) ks[i]);
			assert_equal(model_warns(&model, "no_structure", &found_warning), ks[i] == 1);
			pool_reset(&memory, &ctx);
		}
}

/* The start of the rows last drawn. */
static const tlv_frame *
start_alone(const tlv_membership_options *fit)
{
	const tlv_membership_learn_options options = {.fit = *fit, .iterations = -1, .refine = 1};
	static tlv_frame model;

	model = procedure_model(&passes, tlv_membership_procedure(&options), &options, false);
	return &model;
}

/* Twenty components of 5,000 rows leave half of the triples unexplained: nonnegative factors are
 * likelier, and nearer.  Five are found as they are. */
ACCURACY_TEST(test_noisy_triples)
{
	tlv_membership_simulation shape = {.mixed = true,
									   .variables = 25,
									   .categories = 4,
									   .k = 20,
									   .alpha = 0.1,
									   .concentration = 0.5};
	tlv_membership_options options = {
		.mixed = true, .k = 20, .alpha0 = 2, .copies = 1, .seed = 1, .decompose = {.seed = 1}};
	double sum = 0;
	tlv_frame moments, model;
	drawn d;

	for (shape.seed = 541; shape.seed <= 543; shape.seed++)
	{
		d = draw_members(5000, shape);
		moments = category_table(&d);
		model = MADE(tlv_membership_fit, &moments, &options);
		assert_close(diagnostic(model, "start_of_partitions"), 1, 0);
		sum += table_error(&d.truth, &model) / 3;
	}
	print_message("error %.4f\n", sum);
	assert_below(sum, 0.0905);
	assert_below(table_error(&d.truth, start_alone(&options)), 0.0905);
	shape.k = options.k = 5;
	d = draw_members(5000, shape);
	moments = category_table(&d);
	model = MADE(tlv_membership_fit, &moments, &options);
	assert_close(diagnostic(model, "start_of_partitions"), 0, 0);
}

RUN_TESTS(setup, teardown)
