/*
 * test_batch.c - many sequences at once against one by one, long ones against short
 * ones, and the states of two models, one to one.
 */
#include "hmm_fixture.h"

static tlv_accumulator *
statistics(tlv_frame model, tlv_model **open)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_kind_hmm.model->open(&ctx, &model, open));
	assert_ok(tlv_kind_hmm.model->statistics(&ctx, *open, "em", &accumulator));
	return accumulator;
}

/* Sums of posteriors and of pairs, which the chain gives for one sequence. */
typedef struct plain_sums
{
	tlv_hmm_model *model;
	double initial[40];
	double steps[40];
	double pairs[40 * 40];
	double log_likelihood;
} plain_sums;

static tlv_status
visit(tlv_context *context, void *argument, size_t first, size_t n, const int32_t *at,
	  const double *gamma)
{
	plain_sums *sums = argument;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < sums->model->parts.k; j++)
		{
			sums->steps[j] += gamma[i * sums->model->stride + j];
			if (first + i == 0)
				sums->initial[j] += gamma[j];
		}
	return TLV_OK;
}

static void
assert_near(double a, double b)
{
	assert_close(a, b, 1e-9 * (1 + fabs(b)));
}

/* Lengths from 1 to a little more than what a batch takes, in two batches and more. */
static void
check_batch(size_t symbols, size_t dimensions, size_t k)
{
	tlv_frame model = simulated_model(symbols, dimensions, k, 4), built_value;
	tlv_model *open;
	tlv_accumulator *accumulator = statistics(model, &open);
	plain_sums plain = {.model = (tlv_hmm_model *) open};
	size_t most = tlv_hmm_batch_most(plain.model), total = 0;
	size_t lengths[] = {1, 2, 7, 8, 9, 15, 16, 17, 100, 33, 1, 64, 500, most, most + 1, 3, 1000};
	tlv_sequence s;
	const double *initial, *pairs, *emissions, *weights;

	for (size_t i = 0; i < 17; i++)
		total += lengths[i];
	s = drawn(model, total, NULL);
	for (size_t i = 0, first = 0; i < 17; first += lengths[i++])
	{
		tlv_sequence part = s;
		double own;

		part.n = lengths[i];
		part.symbols = s.symbols != NULL ? s.symbols + first : NULL;
		part.x = s.x != NULL ? s.x + first * s.d : NULL;
		assert_ok(tlv_hmm_smooth(&ctx, plain.model, &part, visit, &plain, plain.pairs, &own));
		plain.log_likelihood += own;
		add(accumulator, s, first, lengths[i]);
	}
	built_value = stored(accumulator);
	initial = tlv_frame_float64(&built_value, "initial");
	pairs = tlv_frame_float64(&built_value, "pairs");
	emissions = tlv_frame_float64(&built_value, "emissions");
	weights = tlv_frame_float64(&built_value, "weights");
	assert_near(tlv_frame_scalar(&built_value, "log_likelihood", 0), plain.log_likelihood);
	for (size_t j = 0; j < k; j++)
	{
		double emitted = dimensions > 0 ? weights[j] : 0;

		for (size_t i = 0; i < symbols; i++)
			emitted += emissions[i * k + j];
		assert_near(initial[j], plain.initial[j]);
		assert_near(emitted, plain.steps[j]);
		for (size_t i = 0; i < k; i++)
			assert_near(pairs[j * k + i], plain.pairs[j * k + i]);
	}
}

TEST(test_batch)
{
	static const size_t states[] = {1, 2, 3, 4, 5, 8, 9, 19};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
	{
		check_batch(30, 0, states[i]);
		check_batch(0, 3, states[i]);
	}
}

/* What was added before and after a value was built counts once. */
TEST(test_build_twice)
{
	static const char *const names[] = {"initial", "pairs", "emissions"};
	tlv_frame model = simulated_model(6, 0, 3, 1), once, twice;
	tlv_sequence s = drawn(model, 900, NULL);
	tlv_model *open;
	tlv_accumulator *a = statistics(model, &open), *b = statistics(model, &open);

	for (size_t i = 0; i < 900; i += 100)
	{
		add(a, s, i, 100);
		add(b, s, i, 100);
		(void) stored(b);
	}
	once = stored(a);
	twice = stored(b);
	for (size_t i = 0; i < 3; i++)
	{
		const tlv_section *section = tlv_frame_find(&once, names[i]);

		for (size_t e = 0; e < section->rows * section->columns; e++)
			assert_near(tlv_frame_float64(&once, names[i])[e],
						tlv_frame_float64(&twice, names[i])[e]);
	}
	assert_near(tlv_frame_scalar(&once, "log_likelihood", 0),
				tlv_frame_scalar(&twice, "log_likelihood", 0));
}

/* Paths longer than what predecessors are kept for: as in parts, away from their ends. */
TEST(test_long_path)
{
	tlv_frame model = simulated_model(6, 0, 3, 1);
	size_t n = ((size_t) 1 << 20) + 5000, from = n - 10000;
	tlv_sequence s = drawn(model, n, NULL), tail = {n - from, s.symbols + from, 0, NULL, NULL};
	int32_t *path = room(n, sizeof(int32_t)), *part = room(n - from, sizeof(int32_t));
	tlv_model *open = open_model(model);

	assert_ok(tlv_model_decode(&ctx, open, TLV_AS_SYMBOLS(n, s.symbols), path));
	assert_ok(tlv_model_decode(&ctx, open, TLV_AS_SYMBOLS(tail.n, tail.symbols), part));
	for (size_t t = 500; t < tail.n; t++)
		assert_int_equal(path[from + t], part[t]);
	tail.n = 5000;
	assert_ok(tlv_model_decode(&ctx, open, TLV_AS_SYMBOLS(5000, s.symbols), part));
	for (size_t t = 0; t < 4500; t++)
		assert_int_equal(path[t], part[t]);
}

/* The states of a model in another order, and one of them left out. */
TEST(test_match)
{
	static const size_t order[3] = {2, 0, 1};
	tlv_frame frame = simulated_model(6, 0, 3, 1);
	double initial[3], transitions[9], emissions[18], error[3];
	int64_t assignment[3];
	tlv_hmm_parts a, b;

	tlv_hmm_read(&frame, &a);
	b = a;
	b.initial = initial;
	b.transitions = transitions;
	b.emissions = emissions;
	for (size_t j = 0; j < 3; j++)
	{
		for (size_t i = 0; i < 3; i++)
			transitions[j * 3 + i] = a.transitions[order[j] * 3 + order[i]];
		for (size_t i = 0; i < 6; i++)
			emissions[i * 3 + j] = a.emissions[i * 3 + order[j]];
	}
	assert_ok(tlv_hmm_match(&ctx, &a, &b, assignment, error));
	for (size_t j = 0; j < 3; j++)
	{
		assert_int_equal(order[assignment[j]], j);
		assert_equal(error[j], 0);
	}
	b = a;
	b.k = 1; /* its first state's emissions are every third number, so read with a stride of 1 */
	b.emissions = emissions;
	for (size_t i = 0; i < 6; i++)
		emissions[i] = a.emissions[i * 3 + 1];
	transitions[0] = 1;
	b.transitions = transitions;
	assert_ok(tlv_hmm_match(&ctx, &a, &b, assignment, error));
	assert_int_equal(assignment[1], 0);
	assert_int_equal(assignment[0], -1);
	assert_equal(error[1], 0);
	assert_true(isnan(error[0]));
	assert_true(isnan(error[2]));
}

RUN_TESTS(setup, teardown)
