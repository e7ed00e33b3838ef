/*
 * test_fit.c - hidden Markov models: exactness on population moments, accuracy
 * on simulated sequences, forward-backward and Viterbi against enumeration of all
 * paths, Baum-Welch, merging, refusals.
 */
#include "hmm_fixture.h"

/* ---- accuracy ---- */

/* Bounds about 1.5 times what was measured for these models; others of the size differ widely. */
static void
check_accuracy(size_t symbols, size_t dimensions, size_t k, size_t n, errors moments,
			   errors refined_errors)
{
	tlv_frame truth = simulated_model(symbols, dimensions, k, 2), model;
	int32_t *states;
	tlv_sequence s = drawn(truth, n, &states);
	tlv_frame m = moments_of(s);
	errors spectral, counts, after;

	model = fitted(m, k, 0);
	spectral = compare(truth, model);
	assert_below(spectral.emissions, moments.emissions);
	assert_below(spectral.transitions, moments.transitions);
	model = fitted(m, k, 100);
	counts = compare(truth, model);
	if (symbols > 0)
		assert_below(counts.emissions, spectral.emissions);
	after = compare(truth, refined(model, s, 10));
	assert_below(after.emissions, refined_errors.emissions);
	assert_below(after.transitions, refined_errors.transitions);
	print_message("k = %zu: emissions %.4f, counts %.4f, Baum-Welch %.4f; transitions %.4f, %.4f, "
				  "%.4f\n",
				  k, spectral.emissions, counts.emissions, after.emissions, spectral.transitions,
				  counts.transitions, after.transitions);
}

TEST(test_accuracy_symbols)
{
	check_accuracy(20, 0, 5, 100000, (errors){0.1, 0.14}, (errors){0.055, 0.045});
	check_accuracy(8, 0, 3, 20000, (errors){0.06, 0.045}, (errors){0.055, 0.035});
}

TEST(test_accuracy_vectors)
{
	check_accuracy(0, 8, 4, 50000, (errors){0.16, 0.14}, (errors){0.085, 0.12});
}

/* ---- population moments ---- */

#define POPULATION_M 6
#define POPULATION_K 3

/* Windows of the stationary chain in proportion to their probability. */
static tlv_frame
population_moments(tlv_frame model)
{
	enum
	{
		cells_n = POPULATION_M * POPULATION_M * POPULATION_M
	};
	int64_t *cells = room(cells_n, sizeof(int64_t));
	double *counts = room(cells_n, sizeof(double)), first[POPULATION_M] = {0};
	const double *stationary = tlv_frame_float64(&model, "stationary");
	tlv_hmm_parts p;
	size_t n = 0;

	tlv_hmm_read(&model, &p);
	for (size_t a = 0; a < p.d; a++)
		for (size_t b = 0; b < p.d; b++)
			for (size_t c = 0; c < p.d; c++, n++)
			{
				cells[n] = tlv_triple_key(a, b, c);
				for (size_t i = 0; i < p.k; i++)
					for (size_t j = 0; j < p.k; j++)
						for (size_t l = 0; l < p.k; l++)
							counts[n] += 1e15 * stationary[i] * p.emissions[a * p.k + i] *
										 p.transitions[i * p.k + j] * p.emissions[b * p.k + j] *
										 p.transitions[j * p.k + l] * p.emissions[c * p.k + l];
				first[a] += counts[n];
			}
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, TLV_KIND_SEQUENCE_MOMENTS);
	builder.owned = NULL;
	tlv_frame_add_scalar(&builder, "sequences", 1e15);
	tlv_frame_add_scalar(&builder, "short", 0);
	tlv_frame_add_scalar(&builder, "nulls", 0);
	tlv_frame_add_scalar(&builder, "steps", 3e15);
	tlv_frame_add(&builder, "items", TLV_INT64, p.d, 1, p.items);
	tlv_frame_add(&builder, "initial", TLV_FLOAT64, p.d, 1, first);
	tlv_frame_add(&builder, "cells", TLV_INT64, n, 1, cells);
	tlv_frame_add(&builder, "counts", TLV_FLOAT64, n, 1, counts);
	return MADE(tlv_frame_finish, &builder);
}

TEST(test_population)
{
	tlv_frame truth = simulated_model(POPULATION_M, 0, POPULATION_K, 9);
	tlv_frame moments = population_moments(truth), model = fitted(moments, POPULATION_K, 0);
	errors e = compare(truth, model);

	assert_below(e.emissions, 1e-6);
	assert_below(e.transitions, 1e-5);
	assert_below(diagnostic(model, "residual"), 1e-6);
	assert_below(diagnostic(model, "asymmetry_3"), 1e-12);
	assert_all_close(POPULATION_K, tlv_frame_float64(&model, "initial"),
					 tlv_frame_float64(&truth, "stationary"), 1e-4);
	/* EM stays where it is. */
	e = compare(truth, fitted(moments, POPULATION_K, 100));
	assert_below(e.emissions, 0.02);
	assert_below(e.transitions, 0.05);
	/* One state more than there are. */
	{
		tlv_hmm_options options = {.k = POPULATION_K + 1, .seed = 1};
		void *image;
		size_t size;

		assert_int_equal(tlv_hmm_fit(&ctx, &moments, &options, &image, &size),
						 TLV_NOT_IDENTIFIABLE);
		assert_non_null(strstr(ctx.error.detail, "Singular values"));
		assert_non_null(strstr(ctx.error.hint, "At most 3"));
	}
}

/* ---- moments ---- */

/* Parts in any order are the whole; of symbols bit by bit. */
TEST(test_merge)
{
	tlv_frame truths[2] = {simulated_model(7, 0, 3, 5), simulated_model(0, 3, 3, 5)};

	for (int form = 0; form < 2; form++)
	{
		int32_t *states;
		tlv_sequence s = drawn(truths[form], 3000, &states);
		tlv_accumulator *whole, *a, *b, *merged;
		tlv_frame x, y, z, w;

		assert_ok(tlv_sequence_moments_create(&ctx, &whole));
		assert_ok(tlv_sequence_moments_create(&ctx, &a));
		assert_ok(tlv_sequence_moments_create(&ctx, &b));
		assert_ok(tlv_sequence_moments_create(&ctx, &merged));
		for (size_t i = 0; i < 3000; i += 100)
		{
			add(whole, s, i, 100);
			add(i < 1000 ? a : b, s, i, 100);
		}
		add(whole, s, 0, 2);
		add(b, s, 0, 2);
		x = stored(whole);
		y = stored(a);
		z = stored(b);
		assert_ok(merged->class->merge(&ctx, merged, &z));
		assert_ok(merged->class->merge(&ctx, merged, &y));
		w = stored(merged);
		assert_equal(tlv_frame_scalar(&w, "short", 0), 1);
		assert_equal(tlv_frame_scalar(&w, "sequences", 0), 30);
		if (form == 0)
			assert_true(tlv_digest_equal(&x.header->digest, &w.header->digest));
		else
		{
			errors e = compare(fitted(x, 3, 0), fitted(w, 3, 0));

			assert_below(e.emissions, 1e-9);
			assert_below(e.transitions, 1e-9);
		}
	}
}

/* Far from zero as near to it: the fit moves along and nothing else. */
TEST(test_translation)
{
	tlv_frame truth = simulated_model(0, 4, 3, 6), near, far;
	int32_t *states;
	tlv_sequence s = drawn(truth, 20000, &states);
	double *moved = room(s.n * s.d, sizeof(double));
	tlv_hmm_parts a, b;

	for (size_t e = 0; e < s.n * s.d; e++)
		moved[e] = s.x[e] + 1e6;
	near = fitted(moments_of(s), 3, 0);
	far = fitted(moments_of((tlv_sequence){s.n, NULL, s.d, moved, NULL}), 3, 0);
	tlv_hmm_read(&near, &a);
	tlv_hmm_read(&far, &b);
	for (size_t e = 0; e < 3 * s.d; e++)
		assert_close(a.emissions[e] + 1e6, b.emissions[e], 1e-5);
	assert_all_close(9, a.transitions, b.transitions, 1e-6);
	assert_close(a.variances[0] / b.variances[0], 1, 1e-5);
}

/* ---- parts ---- */

TEST(test_stationary)
{
	tlv_frame model = simulated_model(4, 0, 6, 8);
	const double *stationary = tlv_frame_float64(&model, "stationary");
	tlv_hmm_parts p;

	tlv_hmm_read(&model, &p);
	for (size_t to = 0; to < p.k; to++)
	{
		double sum = 0;

		for (size_t from = 0; from < p.k; from++)
			sum += stationary[from] * p.transitions[from * p.k + to];
		assert_close(sum, stationary[to], 1e-14);
		if (to != 0)
			assert_at_most(stationary[to], stationary[to - 1]);
	}
}

/* Projected gradient for many states finds what the active set does. */
TEST(test_least_squares)
{
	enum
	{
		k = 17
	};
	double *o = room(k * 40, sizeof(double)), *truth = room(k * k, sizeof(double));
	double *gram = room(k * k, sizeof(double)), *moment = room(k * k, sizeof(double));
	double *h = room(k * k, sizeof(double)), *work = room(k * k, sizeof(double));

	tlv_rng_fill_normal(&rng, k * 40, o);
	for (size_t e = 0; e < k * k; e++)
		truth[e] = fmax(tlv_rng_normal(&rng), 0);
	assert_ok(tlv_gemm(&ctx, false, true, k, k, 40, 1, o, k, o, k, 0, gram, k));
	assert_ok(tlv_gemm(&ctx, false, false, k, k, k, 1, gram, k, truth, k, 0, work, k));
	assert_ok(tlv_gemm(&ctx, false, false, k, k, k, 1, work, k, gram, k, 0, moment, k));
	assert_ok(tlv_hmm_least_squares(&ctx, k, gram, moment, h));
	assert_all_close(k * k, h, truth, 1e-4);
}

/* One state is every sequence's. */
TEST(test_one_state)
{
	tlv_frame truths[2] = {simulated_model(5, 0, 2, 7), simulated_model(0, 2, 2, 7)};

	for (int form = 0; form < 2; form++)
	{
		int32_t *states;
		tlv_sequence s = drawn(truths[form], 1000, &states);
		tlv_frame model = refined(fitted(moments_of(s), 1, 100), s, 2);
		tlv_hmm_parts p;

		tlv_hmm_read(&model, &p);
		assert_equal(p.transitions[0], 1);
		assert_equal(p.initial[0], 1);
	}
}

static tlv_status
fit_status(tlv_frame moments, size_t k)
{
	tlv_hmm_options options = {.k = k, .iterations = 10, .seed = 1};
	void *image;
	size_t size;

	return tlv_hmm_fit(&ctx, &moments, &options, &image, &size);
}

/* Accelerated steps on the counts of windows stand where plain ones arrive much later; few plain
 * ones say that they do not. */
TEST(test_window_steps)
{
	const int limits[3] = {-1, 4000, 5};
	tlv_frame moments, truth = simulated_model(8, 0, 3, 3);
	double reached[3], steps[3];
	bool warned[3];
	int32_t *states;

	moments = moments_of(drawn(truth, 20000, &states));
	for (int i = 0; i < 3; i++)
	{
		tlv_frame model = fitted(moments, 3, limits[i]);

		reached[i] = diagnostic(model, "window_log_likelihood");
		steps[i] = diagnostic(model, "window_iterations");
		warned[i] = model_warns(&model, "iterations_at_limit", NULL);
	}
	print_message("accelerated %.0f steps: %.9f, plain %.0f: %.9f, %.0f: %.9f\n", steps[0],
				  reached[0], steps[1], reached[1], steps[2], reached[2]);
	assert_at_least(reached[0], reached[1] - 1e-8);
	assert_below(steps[0], 0.6 * steps[1]);
	assert_below(reached[2], reached[0] - 1e-6);
	assert_false(warned[0]);
	assert_false(warned[1]);
	assert_true(warned[2]);
}

TEST(test_refusals)
{
	const int64_t symbols[6] = {1, 2, 1, 3, 1, 2};
	const double bad[6] = {1, 2, NAN, 4, 5, 6}, fine[6] = {1, 2, 3, 4, 5, 7};
	const double huge[8] = {1e300, -1e300, 1e300, 1e299, -1e300, 1e300, 2, 3};
	tlv_accumulator *accumulator;
	tlv_frame model = simulated_model(3, 0, 2, 1);
	tlv_model *open;
	double value;

	assert_ok(tlv_sequence_moments_create(&ctx, &accumulator));
	assert_int_equal(fit_status(stored(accumulator), 2), TLV_BAD_DATA); /* no sequence at all */
	add(accumulator, (tlv_sequence){2, symbols, 0, NULL, NULL}, 0, 2);
	assert_int_equal(fit_status(stored(accumulator), 2), TLV_BAD_DATA);
	add(accumulator, (tlv_sequence){6, symbols, 0, NULL, NULL}, 0, 6);
	assert_int_equal(tlv_add(&ctx, accumulator, TLV_AS_SEQUENCE(3, 2, fine)), TLV_BAD_PARAMETER);
	assert_int_equal(fit_status(stored(accumulator), 0), TLV_BAD_PARAMETER);
	assert_int_equal(fit_status(stored(accumulator), 4), TLV_BAD_PARAMETER);
	assert_ok(tlv_sequence_moments_create(&ctx, &accumulator));
	assert_int_equal(tlv_add(&ctx, accumulator, TLV_AS_SEQUENCE(3, 2, bad)), TLV_BAD_DATA);
	assert_ok(tlv_sequence_moments_create(&ctx, &accumulator));
	add(accumulator, (tlv_sequence){3, NULL, 2, fine, NULL}, 0, 3);
	assert_int_equal(tlv_add(&ctx, accumulator, TLV_AS_SEQUENCE(3, 1, fine)), TLV_BAD_DATA);
	assert_int_equal(fit_status(stored(accumulator), 2), TLV_BAD_DATA); /* one window */
	add(accumulator, (tlv_sequence){4, NULL, 2, huge, NULL}, 0, 4);
	assert_int_equal(accumulator->class->build(&ctx, accumulator, &builder), TLV_BAD_DATA);
	open = open_model(model);
	assert_int_equal(tlv_model_log_likelihood(&ctx, open, TLV_AS_SEQUENCE(3, 2, fine), &value),
					 TLV_BAD_PARAMETER);
}

TEST(test_corrupt)
{
	tlv_frame symbols = simulated_model(4, 0, 3, 1), vectors = simulated_model(0, 2, 3, 1);

	assert_true(refused_with(symbols, "transitions", 0, 0));
	assert_true(refused_with(symbols, "transitions", 0, 0.99));
	assert_true(refused_with(symbols, "emissions", 3, -1));
	assert_true(refused_with(symbols, "initial", 1, 2));
	assert_true(refused_with(symbols, "steps", 0, 0.5));
	assert_true(refused_with(vectors, "variances", 2, 0));
}

TEST(test_stop)
{
	tlv_frame truth = simulated_model(20, 0, 4, 1);
	int32_t *states;
	tlv_sequence s = drawn(truth, 20000, &states);
	tlv_frame moments = moments_of(s);

	for (size_t look = 1; look < 200; look += 20)
		assert_cancelled_at(look, fit_status(moments, 4));
}

RUN_TESTS(setup, teardown)
