/*
 * hmm_fixture.h - simulated hidden Markov models, sequences of them, and fits compared
 * with the truth.
 */
#ifndef TENSORLV_TEST_HMM_FIXTURE_H
#define TENSORLV_TEST_HMM_FIXTURE_H

#include "model/hmm/internal.h"
#include "tensorlv/model/triple_table.h"
#include "view_fixture.h"
#include "infer.h"

static inline tlv_frame
simulated_model(size_t symbols, size_t dimensions, size_t k, uint64_t seed)
{
	tlv_hmm_simulation options = {k, symbols, dimensions, 0.7, 0.3, 4, seed};

	return MADE(tlv_hmm_simulate_model, &options);
}

/* n symbols or vectors of the model, with their states where these are asked for. */
static inline tlv_sequence
drawn(tlv_frame model, size_t n, int32_t **states)
{
	tlv_hmm_parts parts;
	tlv_sequence sequence = {.n = n};
	int64_t *symbols = NULL;
	double *x = NULL;

	tlv_hmm_read(&model, &parts);
	if (states != NULL)
		*states = room(n, sizeof(int32_t));
	if (parts.gaussian)
		x = room(n * parts.d, sizeof(double));
	else
		symbols = room(n, sizeof(int64_t));
	tlv_hmm_simulate(&parts, &rng, n, states == NULL ? NULL : *states, symbols, x);
	sequence.symbols = symbols;
	sequence.d = parts.gaussian ? parts.d : 0;
	sequence.x = x;
	return sequence;
}

/* A sequence as a row. */
#define ROW_OF(s)                                                                                  \
	((s).symbols != NULL ? TLV_AS_SYMBOLS((s).n, (s).symbols)                                      \
						 : TLV_AS_SEQUENCE((s).n, (s).d, (s).x))

static inline void
add(tlv_accumulator *accumulator, tlv_sequence s, size_t first, size_t n)
{
	assert_ok(tlv_add(&ctx, accumulator,
					  s.symbols != NULL ? TLV_AS_SYMBOLS(n, s.symbols + first)
										: TLV_AS_SEQUENCE(n, s.d, s.x + first * s.d)));
}

static inline tlv_frame
moments_of(tlv_sequence s)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_sequence_moments_create(&ctx, &accumulator));
	add(accumulator, s, 0, s.n);
	return stored(accumulator);
}

static inline tlv_frame
fitted(tlv_frame moments, size_t k, int iterations)
{
	tlv_hmm_options options = {
		.covariance = TLV_COVARIANCE_SPHERICAL, .k = k, .iterations = iterations, .seed = 1};

	return MADE(tlv_hmm_fit, &moments, &options);
}

typedef struct errors
{
	double emissions, transitions;
} errors;

static inline errors
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

static inline tlv_frame
statistics_of(tlv_frame model, tlv_sequence s)
{
	tlv_accumulator *accumulator = statistics_begin(model, "em");

	add(accumulator, s, 0, s.n);
	return stored(accumulator);
}

static inline tlv_frame
refined(tlv_frame model, tlv_sequence s, int steps)
{
	double before = -HUGE_VAL;

	for (int i = 0; i < steps; i++)
	{
		tlv_frame statistics = statistics_of(model, s);
		double now = tlv_frame_scalar(&statistics, "log_likelihood", 0);

		assert_at_least(now, before - 1e-6 * fabs(before));
		before = now;
		model = updated(model, statistics);
	}
	return model;
}

#endif /* TENSORLV_TEST_HMM_FIXTURE_H */
