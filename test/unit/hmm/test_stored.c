/*
 * test_stored.c - hidden Markov models from stored moments alone: more states than these identify,
 * the number of states by the rank of what is stored, vectors too wide for third moments.
 */
#include "hmm_fixture.h"

static tlv_frame
stored_fit(tlv_frame moments, size_t k, int iterations)
{
	tlv_hmm_options options = {
		.k = k, .covariance = TLV_COVARIANCE_SPHERICAL, .iterations = iterations, .seed = 1};

	return MADE(tlv_hmm_fit_stored, &moments, &options, 10);
}

static size_t
states_of(tlv_frame model)
{
	tlv_hmm_parts parts;

	tlv_hmm_read(&model, &parts);
	return parts.k;
}

/* Where the moments suffice it is their fit, bit by bit. */
TEST(test_identified)
{
	tlv_frame truths[2] = {simulated_model(8, 0, 3, 2), simulated_model(0, 4, 3, 2)};

	for (int form = 0; form < 2; form++)
	{
		int32_t *states;
		tlv_frame moments = moments_of(drawn(truths[form], 20000, &states));
		tlv_frame a = stored_fit(moments, 3, 100), b = fitted(moments, 3, 100);

		assert_int_equal(a.header->size, b.header->size);
		assert_memory_equal(a.header, b.header, a.header->size);
	}
}

/* Four states of two symbols: their windows have no moments of so many, but a likelihood. */
TEST(test_more_than_symbols)
{
	tlv_frame truth = simulated_model(2, 0, 4, 3), moments, two, four;
	tlv_warning warning;
	int32_t *states;

	moments = moments_of(drawn(truth, 20000, &states));
	four = stored_fit(moments, 4, 100);
	assert_int_equal(states_of(four), 4);
	assert_true(model_warns(&four, "not_identified", &warning));
	assert_non_null(strstr(warning.message, "2 distinct symbols"));
	assert_close(warning.score, 4, 1e-12);
	assert_close(diagnostic(four, "windows"), 19998, 1e-9);
	/* No worse than one that is identified, and no better than the counts themselves. */
	two = stored_fit(moments, 2, 100);
	assert_false(model_warns(&two, "not_identified", NULL));
	assert_above(diagnostic(four, "window_log_likelihood"),
				 diagnostic(two, "window_log_likelihood") - 1e-5);
	{
		const double *counts = tlv_frame_float64(&moments, "counts");
		size_t n = tlv_frame_find(&moments, "cells")->rows;
		double entropy = 0;

		for (size_t e = 0; e < n; e++)
			entropy += counts[e] / 19998 * log(counts[e] / 19998);
		assert_below(diagnostic(four, "window_log_likelihood"), entropy + 1e-9);
		assert_above(diagnostic(four, "window_log_likelihood"), entropy - 1e-3);
	}
	assert_int_equal(states_of(stored_fit(moments, 4, 0)), 4);
}

/* Of vectors there are as many states as the moments tell apart. */
TEST(test_more_than_dimensions)
{
	tlv_frame truth = simulated_model(0, 1, 2, 3), moments, model;
	tlv_warning warning;
	int32_t *states;

	moments = moments_of(drawn(truth, 20000, &states));
	model = stored_fit(moments, 5, 100);
	assert_int_equal(states_of(model), 2);
	assert_true(model_warns(&model, "fewer_components", &warning));
	assert_close(warning.score, 2, 1e-12);
	assert_non_null(strstr(warning.message, "k = 5 is more than 2"));
}

static tlv_frame
independent(size_t d, size_t n, uint64_t seed)
{
	double *x = room(n * (d > 0 ? d : 1), sizeof(double));
	int64_t *symbols = room(n, sizeof(int64_t));
	tlv_rng own;

	tlv_rng_stream(&own, seed, 1);
	for (size_t t = 0; t < n; t++)
	{
		double common = tlv_rng_normal(&own);

		symbols[t] = (int64_t) (6 * tlv_rng_uniform(&own));
		for (size_t i = 0; i < d; i++) /* correlated ones: the bound must hold for them */
			x[t * d + i] = common + 0.5 * tlv_rng_normal(&own);
	}
	return moments_of(d > 0 ? (tlv_sequence){n, NULL, d, x, NULL}
							: (tlv_sequence){n, symbols, 0, NULL, NULL});
}

/* Independent steps have one state, with few exceptions; three states are three. */
TEST(test_chosen)
{
	int wrong[2] = {0, 0}, found[2] = {0, 0};

	for (uint64_t seed = 1; seed <= 200; seed += EVERY(40))
		for (int form = 0; form < 2; form++)
		{
			tlv_frame model = stored_fit(independent(form == 0 ? 0 : 3, 2000, seed), 0, 20);

			wrong[form] += states_of(model) > 1;
			if (states_of(model) > 1)
				assert_false(model_warns(&model, "no_structure", NULL));
		}
	assert_at_most(wrong[0], 2);
	assert_at_most(wrong[1], 4);
	for (uint64_t seed = 1; seed <= 10; seed += EVERY(10))
		for (int form = 0; form < 2; form++)
		{
			int32_t *states;
			tlv_frame truth = simulated_model(form == 0 ? 8 : 0, form == 0 ? 0 : 4, 3, seed);
			tlv_frame model = stored_fit(moments_of(drawn(truth, 20000, &states)), 0, 20);

			found[form] += states_of(model) == 3;
			assert_close(diagnostic(model, "k_chosen"), (double) states_of(model), 1e-12);
		}
	assert_above(EVERY(10) * found[0], 7.5);
	assert_above(EVERY(10) * found[1], 6.5);
}

/* A state too many by the rank of the pairs, of which windows that are left out know nothing. */
ACCURACY_TEST(test_confirmed)
{
	int by_rank = 0, found = 0, confirmed = 0;

	for (uint64_t seed = 1; seed <= 40; seed++)
	{
		int32_t *states;
		tlv_frame truth = simulated_model(8, 0, 2, seed);
		tlv_frame moments = moments_of(drawn(truth, 5000, &states));
		tlv_frame model = stored_fit(moments, 0, 20), again = stored_fit(moments, 0, 20);
		size_t rank = (size_t) diagnostic(model, "pair_rank"), k = states_of(model);

		assert_memory_equal(model.header, again.header, model.header->size);
		by_rank += rank == 2;
		found += k == 2;
		assert_true(k <= rank);
		if (k == rank || k == 1)
			continue;
		confirmed++;
		assert_true(diagnostic(model, "held_out_2") >= diagnostic(model, "held_out_3"));
		assert_true(diagnostic(model, "held_out_2") > diagnostic(model, "held_out_1"));
	}
	assert_above(confirmed, 0);
	assert_at_least(found, by_rank + 1);
	assert_at_least(found, 36);
}

/* A component that a warning names is the state of that number, however states are ordered. */
TEST(test_component)
{
	double initial[2] = {0.5, 0.5}, transitions[4] = {0.5, 0.5, 0.1, 0.9};
	double emissions[4] = {0.9, 0.2, 0.1, 0.8};
	int64_t items[2] = {1, 2};
	tlv_diagnostics diagnostics = {0};
	tlv_hmm_parts parts = {.k = 2,
						   .d = 2,
						   .initial = initial,
						   .transitions = transitions,
						   .items = items,
						   .emissions = emissions,
						   .diagnostics = &diagnostics};
	tlv_warning warning;
	tlv_frame model;

	assert_ok(tlv_warn(&ctx, &diagnostics,
					   &(tlv_warning){.code = "negative_mass", .component = 1, .score = 1}, "one"));
	model = MADE(tlv_hmm_write, &parts);
	assert_true(model_warns(&model, "negative_mass", &warning));
	assert_int_equal(warning.component, 2); /* the rarer of the two */
}

/* Estimates of moments may be far from probabilities: a value is written all the same. */
TEST(test_far_sums)
{
	double initial[2] = {0.5, 0.5}, transitions[4] = {40, -3, 0, 1e-300};
	double emissions[6] = {90, 0.2, 0, 0.3, -1, 0.5};
	int64_t items[3] = {1, 2, 3};
	tlv_diagnostics diagnostics = {0};
	tlv_hmm_parts parts = {.k = 2,
						   .d = 3,
						   .initial = initial,
						   .transitions = transitions,
						   .items = items,
						   .emissions = emissions,
						   .diagnostics = &diagnostics};
	void *image;
	size_t size;

	assert_ok(tlv_hmm_write(&ctx, &parts, &image, &size));
	checked(TLV_FRAME_MODEL, image, size);
}

/* Symbols and their names stay through merges and fits; those of sequences too short for a window,
 * too. */
TEST(test_names)
{
	static const tlv_text words[] = {{"ada", 3}, {"bob", 3}, {"", 0}, {"dot", 3}};
	tlv_accumulator *whole, *parts[2], *merged;
	tlv_hmm_parts read;
	tlv_frame a, b, model;
	tlv_text names[50];
	int64_t symbols[50];
	tlv_row row;

	assert_ok(tlv_sequence_moments_create(&ctx, &whole));
	assert_ok(tlv_sequence_moments_create(&ctx, &merged));
	for (int p = 0; p < 2; p++)
		assert_ok(tlv_sequence_moments_create(&ctx, &parts[p]));
	for (size_t s = 0; s < 21; s++)
	{
		size_t n = s == 20 ? 2 : 50;

		for (size_t i = 0; i < n; i++)
		{
			size_t word = s == 20 ? 3 : (size_t) tlv_rng_below(&rng, 3);

			symbols[i] = 100 * (int64_t) word - 5;
			names[i] = words[word];
		}
		row = *TLV_AS_SYMBOLS(n, symbols);
		row.part[0].names = names;
		assert_ok(tlv_add(&ctx, whole, &row));
		assert_ok(tlv_add(&ctx, parts[s % 2], &row));
	}
	a = stored(whole);
	for (int p = 0; p < 2; p++)
	{
		b = stored(parts[p]);
		assert_ok(merged->class->merge(&ctx, merged, &b));
	}
	b = stored(merged);
	assert_int_equal(a.header->size, b.header->size);
	assert_memory_equal(a.header, b.header, a.header->size);
	assert_int_equal(tlv_frame_find(&a, "name_ids")->rows, 3); /* an empty name says nothing */
	model = stored_fit(b, 2, 10);
	tlv_hmm_read(&model, &read);
	assert_int_equal(read.d, 4);
	assert_memory_equal(tlv_name_at(&read.names, 0).bytes, "ada", 3);
	assert_memory_equal(tlv_name_at(&read.names, 1).bytes, "bob", 3);
	assert_null(tlv_name_at(&read.names, 2).bytes);
	assert_memory_equal(tlv_name_at(&read.names, 3).bytes, "dot", 3);
	names[0] = (tlv_text){"eve", 3};
	symbols[0] = -5;
	row = *TLV_AS_SYMBOLS(1, symbols);
	row.part[0].names = names;
	assert_fails(tlv_add(&ctx, whole, &row), TLV_BAD_DATA, "eve");
}

/* Vectors of more numbers than third moments have room for. */
TEST(test_wide)
{
	size_t d = 201, n = 40;
	double *x = room(n * d, sizeof(double));
	tlv_accumulator *whole, *part, *merged;
	tlv_hmm_options options = {.k = 2, .covariance = TLV_COVARIANCE_SPHERICAL, .seed = 1};
	tlv_frame a, b, m;
	void *image;
	size_t size;

	for (size_t i = 0; i < n * d; i++)
		x[i] = (double) (i % 17);
	assert_ok(tlv_sequence_moments_create(&ctx, &whole));
	assert_ok(tlv_sequence_moments_create(&ctx, &part));
	assert_ok(tlv_sequence_moments_create(&ctx, &merged));
	assert_ok(tlv_add(&ctx, whole, TLV_AS_SEQUENCE(n / 2, d, x)));
	a = stored(whole);
	assert_ok(tlv_add(&ctx, whole, TLV_AS_SEQUENCE(n / 2, d, x + n / 2 * d)));
	assert_ok(tlv_add(&ctx, part, TLV_AS_SEQUENCE(n / 2, d, x + n / 2 * d)));
	b = stored(part);
	assert_ok(merged->class->merge(&ctx, merged, &a));
	assert_ok(merged->class->merge(&ctx, merged, &b));
	m = stored(merged);
	a = stored(whole);
	assert_int_equal(a.header->size, m.header->size);
	assert_memory_equal(a.header, m.header, a.header->size);
	assert_int_equal(tlv_add(&ctx, whole, TLV_AS_SEQUENCE(3, 4, x)), TLV_BAD_DATA);
	assert_fails(tlv_hmm_fit_stored(&ctx, &m, &options, 10, &image, &size), TLV_NOT_IDENTIFIABLE,
				 "too wide");
	memset(&ctx.error, 0, sizeof(ctx.error));
	assert_ok(tlv_sequence_moments_create(&ctx, &part));
	assert_ok(tlv_add(&ctx, part, TLV_AS_SEQUENCE(3, 4, x)));
	assert_int_equal(tlv_add(&ctx, part, TLV_AS_SEQUENCE(3, d, x)), TLV_BAD_DATA);
}

/* Refused memory and cancels end it wherever they come. */
TEST(test_faults)
{
	tlv_frame truth = simulated_model(2, 0, 4, 3), moments;
	tlv_hmm_options options = {
		.k = 4, .covariance = TLV_COVARIANCE_SPHERICAL, .iterations = 50, .seed = 1};
	int32_t *states;
	void *image;
	size_t size;

	moments = moments_of(drawn(truth, 5000, &states));
	assert_cancelled_anywhere(1, 13,
							  tlv_hmm_fit_stored(&ctx, &moments, &options, 10, &image, &size));
	assert_above(
		COUNT_REFUSALS(997, tlv_hmm_fit_stored(&ctx, &moments, &options, 10, &image, &size)), 0);
}

RUN_TESTS(setup, teardown)
