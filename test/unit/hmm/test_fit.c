/*
 * test_fit.c - hidden Markov models: exactness on population moments, accuracy
 * on simulated sequences, forward-backward and Viterbi against enumeration of all
 * paths, Baum-Welch, merging, refusals.
 */
#include "assertions.h"
#include "model/hmm/internal.h"
#include "tensorlv/model/triple_table.h"
#include "view_fixture.h"
#include "infer.h"

static tlv_frame
simulated_model(size_t symbols, size_t dimensions, size_t k, uint64_t seed)
{
	tlv_hmm_simulation options = {k, symbols, dimensions, 0.7, 0.3, 4, seed};
	void *image;
	size_t size;

	assert_ok(tlv_hmm_simulate_model(&ctx, &options, &image, &size));
	return checked(TLV_FRAME_MODEL, image, size);
}

static tlv_sequence
drawn(tlv_frame model, size_t n, int32_t **states)
{
	tlv_hmm_parts parts;
	tlv_sequence sequence = {.n = n};
	int64_t *symbols = NULL;
	double *x = NULL;

	tlv_hmm_read(&model, &parts);
	*states = room(n, sizeof(int32_t));
	if (parts.gaussian)
		x = room(n * parts.d, sizeof(double));
	else
		symbols = room(n, sizeof(int64_t));
	tlv_hmm_simulate(&parts, &rng, n, *states, symbols, x);
	sequence.symbols = symbols;
	sequence.d = parts.gaussian ? parts.d : 0;
	sequence.x = x;
	return sequence;
}

/* A sequence as a row. */
#define ROW_OF(s)                                                                                  \
	((s).symbols != NULL ? TLV_AS_SYMBOLS((s).n, (s).symbols)                                      \
						 : TLV_AS_SEQUENCE((s).n, (s).d, (s).x))

static void
add(tlv_accumulator *accumulator, tlv_sequence s, size_t first, size_t n)
{
	assert_ok(tlv_add(&ctx, accumulator,
					  s.symbols != NULL ? TLV_AS_SYMBOLS(n, s.symbols + first)
										: TLV_AS_SEQUENCE(n, s.d, s.x + first * s.d)));
}

static tlv_frame
moments_of(tlv_sequence s)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_sequence_moments_create(&ctx, &accumulator));
	add(accumulator, s, 0, s.n);
	return built(accumulator);
}

static tlv_frame
fitted(tlv_frame moments, size_t k, int iterations)
{
	tlv_hmm_options options = {.k = k, .iterations = iterations, .seed = 1};
	void *image;
	size_t size;

	assert_ok(tlv_hmm_fit(&ctx, &moments, &options, &image, &size));
	return checked(TLV_FRAME_MODEL, image, size);
}

typedef struct errors
{
	double emissions, transitions;
} errors;

static errors
compare(tlv_frame truth, tlv_frame model)
{
	tlv_hmm_parts a, b;
	int64_t as[20];
	errors e = {0, 0};

	tlv_hmm_read(&truth, &a);
	tlv_hmm_read(&model, &b);
	e.emissions =
		match(a.k, a.d, a.gaussian, a.emissions, a.gaussian ? a.d : 1, a.gaussian ? 1 : a.k,
			  b.emissions, a.gaussian ? a.d : 1, a.gaussian ? 1 : a.k, as);
	for (size_t i = 0; i < a.k; i++)
		for (size_t j = 0; j < a.k; j++)
			e.transitions += fabs(a.transitions[i * a.k + j] -
								  b.transitions[(size_t) as[i] * a.k + (size_t) as[j]]) /
							 (double) a.k;
	return e;
}

static tlv_frame
statistics_of(tlv_frame model, tlv_sequence s)
{
	tlv_accumulator *accumulator;
	tlv_model *open;

	assert_ok(tlv_kind_hmm.model->open(&ctx, &model, &open));
	assert_ok(tlv_kind_hmm.model->statistics(&ctx, open, "baum-welch", &accumulator));
	add(accumulator, s, 0, s.n);
	return built(accumulator);
}

static tlv_frame
refined(tlv_frame model, tlv_sequence s, int steps)
{
	double before = -HUGE_VAL;
	void *image;
	size_t size;

	for (int i = 0; i < steps; i++)
	{
		tlv_frame statistics = statistics_of(model, s);
		double now = tlv_frame_scalar(&statistics, "log_likelihood", 0);

		assert_at_least(now, before - 1e-6 * fabs(before));
		before = now;
		assert_ok(tlv_kind_hmm.model->update(&ctx, &model, &statistics, &image, &size));
		model = checked(TLV_FRAME_MODEL, image, size);
	}
	return model;
}

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

static void
test_accuracy_symbols(void **state)
{
	(void) state;
	check_accuracy(20, 0, 5, 100000, (errors){0.1, 0.14}, (errors){0.055, 0.045});
	check_accuracy(8, 0, 3, 20000, (errors){0.06, 0.045}, (errors){0.055, 0.035});
}

static void
test_accuracy_vectors(void **state)
{
	(void) state;
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
	void *image;
	size_t size, n = 0;

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
	for (size_t a = 0; a < p.d; a++)
		first[a] *= 1e6 / 1e15;
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, TLV_KIND_SEQUENCE_MOMENTS);
	builder.owned = NULL;
	tlv_frame_add_scalar(&builder, "sequences", 1e6);
	tlv_frame_add_scalar(&builder, "short", 0);
	tlv_frame_add_scalar(&builder, "nulls", 0);
	tlv_frame_add_scalar(&builder, "steps", 3e6);
	tlv_frame_add(&builder, "items", TLV_INT64, p.d, 1, p.items);
	tlv_frame_add(&builder, "initial", TLV_FLOAT64, p.d, 1, first);
	tlv_frame_add(&builder, "cells", TLV_INT64, n, 1, cells);
	tlv_frame_add(&builder, "counts", TLV_FLOAT64, n, 1, counts);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	return checked(TLV_FRAME_MOMENTS, image, size);
}

static void
test_population(void **state)
{
	tlv_frame truth = simulated_model(POPULATION_M, 0, POPULATION_K, 9);
	tlv_frame moments = population_moments(truth), model = fitted(moments, POPULATION_K, 0);
	errors e = compare(truth, model);

	(void) state;
	assert_below(e.emissions, 1e-6);
	assert_below(e.transitions, 1e-5);
	assert_below(diagnostic(model, "residual"), 1e-6);
	assert_below(diagnostic(model, "asymmetry_3"), 1e-6);
	for (size_t j = 0; j < POPULATION_K; j++)
		assert_close(tlv_frame_float64(&model, "initial")[j],
					 tlv_frame_float64(&truth, "stationary")[j], 1e-4);
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

/* ---- one sequence against all paths ---- */

static double
path_probability(const tlv_hmm_parts *p, tlv_sequence s, const int32_t *path)
{
	double value = 1;

	for (size_t t = 0; t < s.n; t++)
	{
		size_t j = (size_t) path[t];
		double squared = 0;

		value *= t == 0 ? p->initial[j] : p->transitions[(size_t) path[t - 1] * p->k + j];
		if (!p->gaussian)
		{
			value *= s.symbols[t] > (int64_t) p->d
						 ? 1
						 : p->emissions[(size_t) (s.symbols[t] - 1) * p->k + j];
			continue;
		}
		for (size_t i = 0; i < p->d; i++)
			squared += pow(s.x[t * p->d + i] - p->emissions[j * p->d + i], 2);
		value *= exp(-0.5 * squared / p->variances[j]) *
				 pow(2 * M_PI * p->variances[j], -0.5 * (double) p->d);
	}
	return value;
}

static void
check_paths(tlv_frame model, tlv_sequence s)
{
	double posterior[8 * 3] = {0}, pairs[9] = {0}, total = 0, best = 0, shares[8 * 3], value;
	int32_t path[8] = {0}, most[8] = {0}, decoded[8];
	size_t paths = 1;
	tlv_hmm_parts p;
	tlv_model *open;
	tlv_frame statistics;
	const double *sums;

	tlv_hmm_read(&model, &p);
	for (size_t t = 0; t < s.n; t++)
		paths *= p.k;
	for (size_t number = 0; number < paths; number++)
	{
		double probability;

		for (size_t t = 0, rest = number; t < s.n; t++, rest /= p.k)
			path[t] = (int32_t) (rest % p.k);
		probability = path_probability(&p, s, path);
		total += probability;
		if (probability > best)
			memcpy(most, path, sizeof(path));
		best = fmax(best, probability);
		for (size_t t = 0; t < s.n; t++)
			posterior[t * p.k + (size_t) path[t]] += probability;
		for (size_t t = 1; t < s.n; t++)
			pairs[(size_t) path[t - 1] * p.k + (size_t) path[t]] += probability;
	}
	assert_ok(tlv_kind_hmm.model->open(&ctx, &model, &open));
	assert_ok(tlv_model_log_likelihood(&ctx, open, ROW_OF(s), &value));
	assert_above(total, 0);
	assert_close(value, log(fmax(total, 1e-300)), 1e-10 * fabs(value));
	assert_ok(infer_values(&ctx, open, ROW_OF(s), shares));
	for (size_t e = 0; e < s.n * p.k; e++)
		assert_close(shares[e], posterior[e] / total, 1e-10);
	assert_ok(tlv_model_decode(&ctx, open, ROW_OF(s), decoded));
	for (size_t t = 0; t < s.n; t++)
		assert_int_equal(decoded[t], most[t]);
	statistics = statistics_of(model, s);
	sums = tlv_frame_float64(&statistics, "sums");
	for (size_t j = 0; j < p.k; j++)
		assert_close(sums[j], posterior[j] / total, 1e-10);
	for (size_t e = 0; e < p.k * p.k; e++)
		assert_close(sums[p.k + e], pairs[e] / total, 1e-10);
}

static void
test_paths(void **state)
{
	tlv_frame symbols = simulated_model(5, 0, 3, 3), vectors = simulated_model(0, 2, 3, 3);
	int64_t unknown[4] = {2, 77, 1, 5};
	int32_t *states;

	(void) state;
	for (size_t n = 1; n <= 8; n++)
	{
		check_paths(symbols, drawn(symbols, n, &states));
		check_paths(vectors, drawn(vectors, n, &states));
	}
	check_paths(symbols, (tlv_sequence){4, unknown, 0, NULL}); /* 77 counts as missing */
}

/* Sequences longer than a block: the same as one plain pass in logarithms of sums. */
static void
test_long_sequence(void **state)
{
	tlv_frame model = simulated_model(0, 2, 3, 4);
	size_t n = 2 * HMM_BLOCK + 77;
	int32_t *states, *decoded = room(n, sizeof(int32_t));
	tlv_sequence s = drawn(model, n, &states);
	double *shares = room(3 * n, sizeof(double)), *half = room(3 * n, sizeof(double)), right = 0;
	tlv_model *open;

	(void) state;
	assert_ok(tlv_kind_hmm.model->open(&ctx, &model, &open));
	assert_ok(infer_values(&ctx, open, TLV_AS_SEQUENCE(n, s.d, s.x), shares));
	assert_ok(tlv_model_decode(&ctx, open, TLV_AS_SEQUENCE(n, s.d, s.x), decoded));
	for (size_t t = 0; t < n; t++)
	{
		assert_close(shares[3 * t] + shares[3 * t + 1] + shares[3 * t + 2], 1, 1e-12);
		right += decoded[t] == states[t];
	}
	assert_above(right, 0.9 * (double) n);
	/* Far from the end, what is cut off does not matter, wherever the blocks' borders are. */
	assert_ok(infer_values(&ctx, open, TLV_AS_SEQUENCE(n - 500, s.d, s.x + 500 * s.d), half));
	for (size_t t = 700; t < n; t++)
		for (size_t j = 0; j < 3; j++)
			assert_close(shares[3 * t + j], half[3 * (t - 500) + j], 1e-9);
}

/* What the model all but rules out stays finite: no step takes away more than 1e300. */
static void
test_impossible(void **state)
{
	tlv_frame model = simulated_model(0, 2, 3, 4);
	double far[8] = {1e150, -1e150, 0, 0, 1e6, 1e6, -1e200, 1e200}, shares[12], value;
	tlv_model *open;

	(void) state;
	assert_ok(tlv_kind_hmm.model->open(&ctx, &model, &open));
	assert_ok(infer_values(&ctx, open, TLV_AS_SEQUENCE(4, 2, far), shares));
	assert_ok(tlv_model_log_likelihood(&ctx, open, TLV_AS_SEQUENCE(4, 2, far), &value));
	assert_between(value, -4e300, -1e299);
	for (size_t i = 0; i < 12; i++)
		assert_between(shares[i], 0, 1);
	for (size_t t = 0; t < 4; t++)
		assert_close(shares[3 * t] + shares[3 * t + 1] + shares[3 * t + 2], 1, 1e-9);
}

/* ---- moments ---- */

/* Parts in any order are the whole; of symbols bit by bit. */
static void
test_merge(void **state)
{
	tlv_frame truths[2] = {simulated_model(7, 0, 3, 5), simulated_model(0, 3, 3, 5)};

	(void) state;
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
		x = built(whole);
		y = built(a);
		z = built(b);
		assert_ok(merged->class->merge(&ctx, merged, &z));
		assert_ok(merged->class->merge(&ctx, merged, &y));
		w = built(merged);
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
static void
test_translation(void **state)
{
	tlv_frame truth = simulated_model(0, 4, 3, 6), near, far;
	int32_t *states;
	tlv_sequence s = drawn(truth, 20000, &states);
	double *moved = room(s.n * s.d, sizeof(double));
	tlv_hmm_parts a, b;

	(void) state;
	for (size_t e = 0; e < s.n * s.d; e++)
		moved[e] = s.x[e] + 1e6;
	near = fitted(moments_of(s), 3, 0);
	far = fitted(moments_of((tlv_sequence){s.n, NULL, s.d, moved}), 3, 0);
	tlv_hmm_read(&near, &a);
	tlv_hmm_read(&far, &b);
	for (size_t e = 0; e < 3 * s.d; e++)
		assert_close(a.emissions[e] + 1e6, b.emissions[e], 1e-5);
	for (size_t e = 0; e < 9; e++)
		assert_close(a.transitions[e], b.transitions[e], 1e-6);
	assert_close(a.variances[0] / b.variances[0], 1, 1e-5);
}

/* ---- parts ---- */

static void
test_stationary(void **state)
{
	tlv_frame model = simulated_model(4, 0, 6, 8);
	const double *stationary = tlv_frame_float64(&model, "stationary");
	tlv_hmm_parts p;

	(void) state;
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
static void
test_least_squares(void **state)
{
	enum
	{
		k = 17
	};
	double *o = room(k * 40, sizeof(double)), *truth = room(k * k, sizeof(double));
	double *gram = room(k * k, sizeof(double)), *moment = room(k * k, sizeof(double));
	double *h = room(k * k, sizeof(double)), *work = room(k * k, sizeof(double));

	(void) state;
	tlv_rng_fill_normal(&rng, k * 40, o);
	for (size_t e = 0; e < k * k; e++)
		truth[e] = fmax(tlv_rng_normal(&rng), 0);
	assert_ok(tlv_gemm(&ctx, false, true, k, k, 40, 1, o, k, o, k, 0, gram, k));
	assert_ok(tlv_gemm(&ctx, false, false, k, k, k, 1, gram, k, truth, k, 0, work, k));
	assert_ok(tlv_gemm(&ctx, false, false, k, k, k, 1, work, k, gram, k, 0, moment, k));
	assert_ok(tlv_hmm_least_squares(&ctx, k, gram, moment, h));
	for (size_t e = 0; e < k * k; e++)
		assert_close(h[e], truth[e], 1e-4);
}

/* One state is every sequence's. */
static void
test_one_state(void **state)
{
	tlv_frame truths[2] = {simulated_model(5, 0, 2, 7), simulated_model(0, 2, 2, 7)};

	(void) state;
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

static void
test_refusals(void **state)
{
	const int64_t symbols[6] = {1, 2, 1, 3, 1, 2};
	const double bad[6] = {1, 2, NAN, 4, 5, 6}, fine[6] = {1, 2, 3, 4, 5, 7};
	const double huge[8] = {1e300, -1e300, 1e300, 1e299, -1e300, 1e300, 2, 3};
	tlv_accumulator *accumulator;
	tlv_frame model = simulated_model(3, 0, 2, 1);
	tlv_model *open;
	double value;

	(void) state;
	assert_ok(tlv_sequence_moments_create(&ctx, &accumulator));
	assert_int_equal(fit_status(built(accumulator), 2), TLV_BAD_DATA); /* no sequence at all */
	add(accumulator, (tlv_sequence){2, symbols, 0, NULL}, 0, 2);
	assert_int_equal(fit_status(built(accumulator), 2), TLV_BAD_DATA);
	add(accumulator, (tlv_sequence){6, symbols, 0, NULL}, 0, 6);
	assert_int_equal(tlv_add(&ctx, accumulator, TLV_AS_SEQUENCE(3, 2, fine)), TLV_BAD_PARAMETER);
	assert_int_equal(fit_status(built(accumulator), 0), TLV_BAD_PARAMETER);
	assert_int_equal(fit_status(built(accumulator), 4), TLV_BAD_PARAMETER);
	assert_ok(tlv_sequence_moments_create(&ctx, &accumulator));
	assert_int_equal(tlv_add(&ctx, accumulator, TLV_AS_SEQUENCE(3, 2, bad)), TLV_BAD_DATA);
	assert_ok(tlv_sequence_moments_create(&ctx, &accumulator));
	add(accumulator, (tlv_sequence){3, NULL, 2, fine}, 0, 3);
	assert_int_equal(tlv_add(&ctx, accumulator, TLV_AS_SEQUENCE(3, 1, fine)), TLV_BAD_DATA);
	assert_int_equal(fit_status(built(accumulator), 2), TLV_BAD_DATA); /* one window */
	add(accumulator, (tlv_sequence){4, NULL, 2, huge}, 0, 4);
	assert_int_equal(accumulator->class->build(&ctx, accumulator, &builder), TLV_BAD_DATA);
	assert_ok(tlv_kind_hmm.model->open(&ctx, &model, &open));
	assert_int_equal(tlv_model_log_likelihood(&ctx, open, TLV_AS_SEQUENCE(3, 2, fine), &value),
					 TLV_BAD_PARAMETER);
}

static void
test_corrupt(void **state)
{
	tlv_frame symbols = simulated_model(4, 0, 3, 1), vectors = simulated_model(0, 2, 3, 1);

	(void) state;
	assert_true(refused_with(symbols, "transitions", 0, 0));
	assert_true(refused_with(symbols, "transitions", 0, 0.99));
	assert_true(refused_with(symbols, "emissions", 3, -1));
	assert_true(refused_with(symbols, "initial", 1, 2));
	assert_true(refused_with(symbols, "steps", 0, 0.5));
	assert_true(refused_with(vectors, "variances", 2, 0));
}

static void
test_stop(void **state)
{
	tlv_frame truth = simulated_model(20, 0, 4, 1);
	int32_t *states;
	tlv_sequence s = drawn(truth, 20000, &states);
	tlv_frame moments = moments_of(s);

	(void) state;
	for (size_t at = 1; at < 200; at += 20)
	{
		memory.calls = memory.stopped_calls = 0;
		memory.stop_at = at;
		assert_int_equal(fit_status(moments, 4), TLV_CANCELLED);
		assert_int_equal(memory.stopped_calls, 0);
		if (memory.calls < at)
			break;
	}
	memory.stop_at = 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_accuracy_symbols, setup, teardown),
		cmocka_unit_test_setup_teardown(test_accuracy_vectors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_population, setup, teardown),
		cmocka_unit_test_setup_teardown(test_paths, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_sequence, setup, teardown),
		cmocka_unit_test_setup_teardown(test_impossible, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merge, setup, teardown),
		cmocka_unit_test_setup_teardown(test_translation, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stationary, setup, teardown),
		cmocka_unit_test_setup_teardown(test_least_squares, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_state, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_corrupt, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stop, setup, teardown),
	};

	return cmocka_run_group_tests_name("hmm", tests, NULL, NULL);
}
