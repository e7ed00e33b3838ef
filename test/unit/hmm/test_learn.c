/*
 * test_learn.c - learning hidden Markov models from sequences in memory: accuracy of the
 * whole fit, when it stops, what it holds, and everything that can go wrong on the way.
 */
#include "hmm_fixture.h"
#include "source_fixture.h"

static source_fixture f;

/* n sequences of so many steps each, as rows. */
static tlv_row *
drawn_rows(tlv_frame model, size_t n, size_t steps)
{
	tlv_row *rows = room(n, sizeof(tlv_row));

	for (size_t i = 0; i < n; i++)
	{
		tlv_sequence s = drawn(model, steps, NULL);

		rows[i] = *ROW_OF(s);
	}
	return rows;
}

static void
use_rows(tlv_frame model, size_t n, size_t steps)
{
	fixture_begin(&f, &ctx, &memory);
	f.rows[0] = (fixture_rows){n, drawn_rows(model, n, steps)};
	f.changed = (fixture_rows){n, drawn_rows(model, n, steps)};
	f.told.form = f.rows[0].rows[0].form;
}

static tlv_hmm_learn_options
options_of(size_t k, tlv_hmm_refinement refine, int iterations)
{
	return (tlv_hmm_learn_options){
		.fit = {.k = k, .seed = 1, .covariance = TLV_COVARIANCE_SPHERICAL},
		.refine = refine,
		.iterations = iterations};
}

/* The model of the rows in use. */
static tlv_frame
learn(tlv_hmm_learn_options options)
{
	return procedure_model(&f, tlv_hmm_procedure(&options), &options, false);
}

/* ---- accuracy ---- */

/* Steps until the likelihood stands, which is said when it does not. */
static void
check_accuracy(size_t symbols, size_t dimensions, size_t k, size_t n, double most_emissions,
			   double most_transitions)
{
	tlv_frame truth = simulated_model(symbols, dimensions, k, 2), model;
	tlv_hmm_learn_options options = options_of(k, TLV_HMM_REFINE_EM, -1);
	errors e;

	use_rows(truth, n, 500);
	model = learn(options);
	e = compare(truth, model);
	assert_below(e.emissions, most_emissions);
	assert_below(e.transitions, most_transitions);
	assert_false(model_warns(&model, "iterations_at_limit", NULL));
	assert_equal(diagnostic(model, "passes"), 1);
}

ACCURACY_TEST(test_accuracy)
{
	check_accuracy(8, 0, 3, 40, 0.045, 0.041);
	check_accuracy(0, 8, 4, 100, 0.043, 0.022);
}

/*
 * EM on the counts of windows stands where nothing follows.  Where steps over the sequences do, it
 * ends before, which is not worth a warning.
 */
TEST(test_start_at_limit)
{
	for (uint64_t seed = 1; seed <= 4; seed += EVERY(4))
	{
		tlv_hmm_learn_options options = options_of(2, TLV_HMM_REFINE_WINDOWS, -1);
		tlv_frame model;

		use_rows(simulated_model(4, 0, 4, seed), 5, 1000);
		model = learn(options);
		assert_false(model_warns(&model, "iterations_at_limit", NULL));
		options.refine = TLV_HMM_REFINE_EM;
		model = learn(options);
		assert_false(model_warns(&model, "iterations_at_limit", NULL));
	}
}

/* ---- what it does when ---- */

/* Every kind of refinement takes as many passes as it says; what it holds is its model. */
TEST(test_steps)
{
	static const tlv_hmm_refinement kinds[] = {TLV_HMM_REFINE_NONE, TLV_HMM_REFINE_WINDOWS,
											   TLV_HMM_REFINE_AUTO, TLV_HMM_REFINE_EM};
	static const int iterations[] = {-1, -1, 0, 7};

	use_rows(simulated_model(50, 0, 2, 3), 20, 100);
	for (size_t i = 0; i < 4; i++)
	{
		tlv_hmm_learn_options options = options_of(2, kinds[i], iterations[i]);
		tlv_frame model = procedure_small_model(&f, tlv_hmm_procedure(&options), &options, 4);

		assert_int_equal(f.passes, 1); /* the sample is all of the rows */
		assert_equal(isnan(diagnostic(model, "refinement_steps"))
						 ? 0
						 : diagnostic(model, "refinement_steps"),
					 iterations[i] > 0 ? iterations[i] : 0);
		assert_equal(isnan(diagnostic(model, "window_iterations")),
					 kinds[i] == TLV_HMM_REFINE_NONE);
	}
}

TEST(test_names)
{
	assert_string_equal(tlv_hmm_refinement_names[TLV_HMM_REFINE_AUTO], "auto");
	assert_string_equal(tlv_hmm_refinement_names[TLV_HMM_REFINE_EM], "em");
	assert_string_equal(tlv_hmm_refinement_names[TLV_HMM_REFINE_WINDOWS], "windows");
	assert_string_equal(tlv_hmm_refinement_names[TLV_HMM_REFINE_NONE], "none");
	assert_null(tlv_hmm_refinement_names[4]);
}

/* ---- where moments do not suffice ---- */

/* n steps of levels that follow each other, each for so many steps, with noise. */
static tlv_row *
level_rows(size_t n, size_t levels, size_t stay)
{
	tlv_row *row = room(1, sizeof(tlv_row));
	double *x = room(n, sizeof(double));

	for (size_t t = 0; t < n; t++)
		x[t] = 5 * (double) (t / stay % levels) + tlv_rng_uniform(&rng);
	*row = *TLV_AS_SEQUENCE(n, 1, x);
	return row;
}

/* Single numbers show two states in windows of three steps: others take other starts. */
TEST(test_levels)
{
	for (size_t k = 3; k <= 5; k += EVERY(2))
	{
		tlv_hmm_learn_options options = options_of(k, TLV_HMM_REFINE_AUTO, -1);
		tlv_hmm_parts parts;
		tlv_frame model;

		fixture_begin(&f, &ctx, &memory);
		f.rows[0] = (fixture_rows){1, level_rows(3000, k, 100)};
		f.told.form = TLV_ROW_SEQUENCE;
		model = learn(options);
		tlv_hmm_read(&model, &parts);
		for (size_t level = 0; level < k; level++)
		{
			double nearest = HUGE_VAL;

			for (size_t j = 0; j < k; j++)
				nearest = fmin(nearest, fabs(parts.emissions[j] - 5 * (double) level - 0.5));
			assert_below(nearest, 0.05);
		}
		for (size_t j = 0; j < k; j++)
			assert_close(parts.variances[j], 1.0 / 12, 0.01);
		assert_true(model_warns(&model, "not_identified", NULL));
		assert_equal(diagnostic(model, "start_moments"), 0);
	}
}

/* What no window of three steps is needed for: sequences of two steps, one state, one symbol. */
TEST(test_little)
{
	tlv_hmm_learn_options two = options_of(2, TLV_HMM_REFINE_EM, -1);
	tlv_hmm_learn_options nine = options_of(9, TLV_HMM_REFINE_NONE, -1);
	tlv_frame truth = simulated_model(4, 0, 2, 3), model;

	use_rows(truth, 20, 2);
	model = learn(two);
	assert_true(model_warns(&model, "not_identified", NULL));
	assert_equal(diagnostic(model, "short"), 20);
	use_rows(truth, 20, 20); /* nine states of four symbols, also without refinement */
	model = learn(nine);
	assert_true(model_warns(&model, "not_identified", NULL));
	assert_int_equal(f.passes, 2);
}

/* Parameters nearly as many as steps bring a warning; given iterations or more steps do not. */
TEST(test_many_parameters)
{
	tlv_hmm_learn_options to_end = options_of(9, TLV_HMM_REFINE_EM, -1);
	tlv_hmm_learn_options given = options_of(9, TLV_HMM_REFINE_EM, 200);
	tlv_frame truth = simulated_model(30, 0, 4, 3), model;
	tlv_warning warning;

	use_rows(truth, 20, 60);
	model = learn(to_end);
	assert_true(model_warns(&model, "many_parameters", &warning));
	assert_close(warning.score, (9 * 9 - 1 + 9 * 29) / 1200.0, 1e-12);
	model = learn(given);
	assert_false(model_warns(&model, "many_parameters", NULL));
	use_rows(truth, 40, 60);
	model = learn(to_end);
	assert_false(model_warns(&model, "many_parameters", NULL));
}

/* Covariances of every form: the likelihood is not below that of a form with less freedom. */
TEST(test_covariances)
{
	double before = -HUGE_VAL;

	use_rows(simulated_model(0, 3, 3, 5), 30, 100);
	for (size_t i = 0; i < f.rows[0].n; i++)
		for (size_t t = 0; t < 100; t++)
		{
			double *x = (double *) f.rows[0].rows[i].part[0].float64 + 3 * t;

			x[1] += x[0] * (1 + fabs(x[2]) / 4);
			x[2] *= 2;
		}
	for (int c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_FULL; c++)
	{
		tlv_hmm_learn_options options = options_of(3, TLV_HMM_REFINE_AUTO, -1);
		tlv_hmm_parts parts;
		tlv_frame model;
		double now;

		options.fit.covariance = (tlv_covariance) c;
		model = learn(options);
		tlv_hmm_read(&model, &parts);
		assert_int_equal(parts.covariance, c);
		now = diagnostic(model, "log_likelihood_per_step");
		assert_above(now, before);
		before = now;
		if (c == TLV_COVARIANCE_COMMON)
			assert_equal(parts.variances[0], parts.variances[2]);
	}
}

/* ---- what is missing ---- */

/* The likelihood of a sequence under a model. */
static double
likelihood_of(tlv_frame model, const tlv_row *row)
{
	double value;
	tlv_model *open = open_model(model);

	assert_ok(tlv_model_log_likelihood(&ctx, open, row, &value));
	return value;
}

/* A model of two states and the given coordinates of two dimensions. */
static tlv_frame
model_of(tlv_covariance covariance, size_t d, const double *means, const double *variances)
{
	static const double initial[2] = {0.6, 0.4}, transitions[4] = {0.7, 0.3, 0.2, 0.8};
	tlv_diagnostics none = {0};
	tlv_hmm_parts parts = {.k = 2,
						   .d = d,
						   .gaussian = true,
						   .initial = initial,
						   .transitions = transitions,
						   .emissions = means,
						   .variances = variances,
						   .covariance = covariance,
						   .in_order = true,
						   .diagnostics = &none};

	return MADE(tlv_hmm_write, &parts);
}

/* Without its second number a step is one of a single number. */
TEST(test_missing_density)
{
	static const double means[4] = {0, 1, 2, -1}, first[2] = {0, 2}, second[2] = {1, -1};
	static const double diagonal[4] = {1, 2, 0.5, 3}, factors[6] = {1, 0.5, 1.2, 2, -1, 0.7};
	static const double of_first[2] = {1, 4}, of_second[2] = {0.25 + 1.44, 1.49};
	double x[14], one[7];
	bool missing[14];

	for (int hidden = 0; hidden < 2; hidden++)
	{
		for (size_t t = 0; t < 7; t++)
		{
			one[t] = 3 * tlv_rng_normal(&rng);
			x[2 * t + (size_t) hidden] = NAN;
			x[2 * t + 1 - (size_t) hidden] = one[t];
			missing[2 * t + (size_t) hidden] = true;
			missing[2 * t + 1 - (size_t) hidden] = false;
		}
		for (int full = 0; full < 2; full++)
		{
			tlv_row row = *TLV_AS_SEQUENCE(7, 2, x);
			double variances[2] = {hidden == 0 ? 2 : 1, hidden == 0 ? 3 : 0.5};
			tlv_frame two = model_of(full ? TLV_COVARIANCE_FULL : TLV_COVARIANCE_DIAGONAL, 2, means,
									 full ? factors : diagonal);
			tlv_frame single = model_of(TLV_COVARIANCE_SPHERICAL, 1, hidden == 0 ? second : first,
										!full		  ? variances
										: hidden == 0 ? of_second
													  : of_first);

			row.part[0].missing = missing;
			assert_close(likelihood_of(two, &row),
						 likelihood_of(single, TLV_AS_SEQUENCE(7, 1, one)), 1e-9);
		}
	}
}

/* A third of the numbers are missing: of every form of covariance the likelihood grows in every
 * plain step, and the truth is found. */
TEST(test_missing_steps)
{
	tlv_frame truth = simulated_model(0, 3, 3, 5);
	tlv_row *rows;

	use_rows(truth, 60, 100);
	rows = (tlv_row *) f.rows[0].rows;
	for (size_t i = 0; i < 60; i++)
	{
		bool *missing = room(300, sizeof(bool));
		double *x = (double *) rows[i].part[0].float64;

		for (size_t e = 0; e < 300; e++)
		{
			missing[e] = tlv_rng_uniform(&rng) < 0.33;
			x[e] = missing[e] ? NAN : x[e];
		}
		rows[i].part[0].missing = missing;
	}
	for (int c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_FULL; c += EVERY(3))
	{
		double before = -HUGE_VAL;
		tlv_frame model = {0};
		errors e;

		for (int steps = 1; steps <= 4; steps++)
		{
			tlv_hmm_learn_options options =
				options_of(3, TLV_HMM_REFINE_AUTO, steps < 4 ? steps : -1);
			double now;

			options.fit.covariance = (tlv_covariance) c;
			model = learn(options);
			now = diagnostic(model, "log_likelihood");
			assert_at_least(now, before);
			before = now;
		}
		e = compare(truth, model);
		assert_below(e.emissions, 0.12);
		assert_below(e.transitions, 0.06);
	}
}

/* Symbols that are missing: three in ten. */
TEST(test_missing_symbols)
{
	tlv_frame truth = simulated_model(8, 0, 3, 2), model;
	tlv_hmm_learn_options options = options_of(3, TLV_HMM_REFINE_AUTO, -1);
	errors e;
	tlv_row *rows;

	use_rows(truth, 100, 200);
	rows = (tlv_row *) f.rows[0].rows;
	for (size_t i = 0; i < 100; i++)
	{
		bool *missing = room(200, sizeof(bool));
		int64_t *symbols = (int64_t *) rows[i].part[0].ids;

		for (size_t t = 0; t < 200; t++)
		{
			missing[t] = tlv_rng_uniform(&rng) < 0.3;
			symbols[t] = missing[t] ? TLV_SYMBOL_MISSING : symbols[t];
		}
		rows[i].part[0].missing = missing;
	}
	model = learn(options);
	e = compare(truth, model);
	assert_below(e.emissions, 0.06);
	assert_below(e.transitions, 0.06);
	assert_equal(diagnostic(model, "steps"), 20000);
}

/* ---- what is held ---- */

/* Sequences that go through three levels, each once. */
TEST(test_left_right)
{
	tlv_hmm_learn_options options = options_of(3, TLV_HMM_REFINE_AUTO, -1);
	tlv_row *rows = room(20, sizeof(tlv_row));
	tlv_hmm_parts parts;
	tlv_frame model;

	options.left_right = true;
	fixture_begin(&f, &ctx, &memory);
	for (size_t i = 0; i < 20; i++)
		rows[i] = *level_rows(60, 3, 15 + i % 8);
	f.rows[0] = (fixture_rows){20, rows};
	f.told.form = TLV_ROW_SEQUENCE;
	model = learn(options);
	tlv_hmm_read(&model, &parts);
	assert_above(parts.initial[0], 1 - 1e-8);
	for (size_t j = 0; j < 3; j++)
	{
		assert_close(parts.emissions[j], 5 * (double) j + 0.5, 0.1);
		for (size_t to = 0; to < j; to++)
			assert_below(parts.transitions[j * 3 + to], 1e-9);
	}
	assert_int_equal(parts.constraints, TLV_HMM_LEFT_RIGHT);
}

/* Given transitions, or given emissions, stay as they are; the others are found. */
TEST(test_given)
{
	tlv_frame truth = simulated_model(8, 0, 3, 2), model;
	double emissions[24];
	tlv_hmm_parts given, parts;

	tlv_hmm_read(&truth, &given);
	for (size_t e = 0; e < 24; e++)
		emissions[e] = given.emissions[e % 8 * 3 + e / 8];
	for (int held = 0; held < 2; held++)
	{
		tlv_hmm_learn_options options = options_of(3, TLV_HMM_REFINE_AUTO, -1);

		options.given_states = 3;
		options.given_width = 8;
		options.transitions = held == 0 ? given.transitions : NULL;
		options.emissions = held == 1 ? emissions : NULL;
		use_rows(truth, 100, 200);
		model = learn(options);
		tlv_hmm_read(&model, &parts);
		assert_all_close(9, parts.transitions, given.transitions, held == 0 ? 1e-9 : 0.04);
		assert_all_close(24, parts.emissions, given.emissions, held == 1 ? 1e-6 : 0.04);
	}
}

TEST(test_given_refused)
{
	static const double rows[4] = {0.5, 0.6, 0.5, 0.5};
	tlv_hmm_learn_options options = options_of(3, TLV_HMM_REFINE_AUTO, -1);

	use_rows(simulated_model(4, 0, 2, 3), 20, 50);
	options.given_states = 2;
	options.given_width = 2;
	options.transitions = rows;
	assert_fails(procedure_run(&f, tlv_hmm_procedure(&options), &options), TLV_BAD_PARAMETER,
				 "k = 3, but 2 states are given");
	options.fit.k = 2;
	assert_fails(procedure_run(&f, tlv_hmm_procedure(&options), &options), TLV_BAD_PARAMETER,
				 "row 1 of the given transitions is no distribution");
	options.transitions = NULL;
	options.emissions = rows;
	assert_fails(procedure_run(&f, tlv_hmm_procedure(&options), &options), TLV_BAD_PARAMETER,
				 "the given emissions have 2 columns, the data 4 symbols");
}

/* ---- the number of states ---- */

/* Draws steps that do not depend on each other: symbols, or vectors from one of two Gaussians. */
static void
use_independent(size_t n, size_t steps, size_t d)
{
	tlv_row *rows = room(n, sizeof(tlv_row));

	fixture_begin(&f, &ctx, &memory);
	for (size_t i = 0; i < n; i++)
	{
		int64_t *symbols = room(steps, sizeof(int64_t));
		double *x = room(steps * (d + 1), sizeof(double));

		for (size_t t = 0; t < steps; t++)
		{
			double far = tlv_rng_uniform(&rng) < 0.3 ? 4 : 0;

			symbols[t] = 1 + (int64_t) (8 * tlv_rng_uniform(&rng) * tlv_rng_uniform(&rng));
			for (size_t c = 0; c < d; c++)
				x[t * d + c] = far + tlv_rng_normal(&rng);
		}
		rows[i] = d > 0 ? *TLV_AS_SEQUENCE(steps, d, x) : *TLV_AS_SYMBOLS(steps, symbols);
	}
	f.rows[0] = (fixture_rows){n, rows};
	f.told.form = rows[0].form;
}

/* One state, and a warning; k given is warned of, too. */
ACCURACY_TEST(test_independent)
{
	for (size_t d = 0; d <= 2; d += 2)
	{
		size_t found = 0, warned = 0;

		for (size_t round = 0; round < 40; round++)
		{
			tlv_hmm_learn_options options = options_of(0, TLV_HMM_REFINE_AUTO, -1);
			tlv_hmm_parts parts;
			tlv_frame model;

			options.max_k = 4;
			use_independent(20, 50, d);
			model = learn(options);
			tlv_hmm_read(&model, &parts);
			found += parts.k > 1;
			options.fit.k = 2;
			model = learn(options);
			warned += model_warns(&model, "no_structure", NULL);
		}
		assert_at_most(found, 2);
		assert_at_least(warned, 38);
	}
}

/* The true number; levels that are uniform are no more states than there are levels. */
ACCURACY_TEST(test_choice)
{
	for (size_t i = 0; i < 3; i++)
	{
		tlv_hmm_learn_options options = options_of(0, TLV_HMM_REFINE_AUTO, -1);
		tlv_hmm_parts parts;
		tlv_frame model;

		options.max_k = 8;
		if (i < 2)
			use_rows(simulated_model(i == 0 ? 8 : 0, i == 0 ? 0 : 4, 3, 2), 100, 100);
		else
		{
			fixture_begin(&f, &ctx, &memory);
			f.rows[0] = (fixture_rows){1, level_rows(3000, 3, 100)};
			f.told.form = TLV_ROW_SEQUENCE;
		}
		model = learn(options);
		tlv_hmm_read(&model, &parts);
		assert_equal(parts.k, 3);
		assert_equal(diagnostic(model, "k_chosen"), 3);
		assert_false(model_warns(&model, "no_structure", NULL));
	}
}

/* A model of two states of many sequences of `steps` steps, most of which the sample has no room
 * for: near the truth within the bound, after few passes. */
static tlv_frame
learn_many(tlv_frame truth, size_t sequences, size_t steps, double bound)
{
	tlv_hmm_learn_options options = options_of(2, TLV_HMM_REFINE_AUTO, -1);
	errors e;
	tlv_frame model;

	use_rows(truth, sequences, steps);
	model = learn(options);
	e = compare(truth, model);
	assert_below(e.emissions, bound);
	assert_below(e.transitions, bound);
	assert_below(f.passes, 8);
	return model;
}

/* More numbers than the sample has room for: the last steps are taken over all rows. */
ACCURACY_TEST(test_sampled)
{
	tlv_frame model;

	model = learn_many(simulated_model(6, 0, 2, 4), 50, 50000, 0.004);
	assert_above(f.passes, 2);
	assert_equal(diagnostic(model, "steps"), 50 * 50000);
	assert_below(diagnostic(model, "sampled_steps"), 50 * 50000);
}

/* Many short sequences, of which most are equal to others: the sample is like them. */
ACCURACY_TEST(test_short)
{
	(void) learn_many(simulated_model(4, 0, 2, 4), 200000, 4, 0.02);
}

/* ---- what can go wrong ---- */

TEST(test_refusals)
{
	tlv_hmm_learn_options two = options_of(2, TLV_HMM_REFINE_EM, -1);
	tlv_frame truth = simulated_model(4, 0, 2, 3);
	tlv_warning warning;
	tlv_frame model;

	/* no more states than steps */
	use_rows(truth, 1, 1);
	model = learn(two);
	assert_true(model_warns(&model, "fewer_components", &warning));
	assert_float_equal(warning.score, 2, 0);
	use_rows(truth, 3, 0);
	assert_fails(procedure_run(&f, tlv_hmm_procedure(&two), &two), TLV_NO_ROWS,
				 "no sequence with a step");
}

TEST(test_faults)
{
	tlv_hmm_learn_options options = options_of(2, TLV_HMM_REFINE_EM, 2);

	for (int vectors = 0; vectors < 2; vectors++)
	{
		use_rows(simulated_model(vectors ? 0 : 4, vectors ? 3 : 0, 2, 3), 10, 60);
		procedure_fail_everywhere(&f, tlv_hmm_procedure(&options), &options, false);
	}
}

RUN_TESTS(setup, teardown)
