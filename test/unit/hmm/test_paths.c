/*
 * test_paths.c - posteriors, likelihoods and paths of sequences against sums over
 * all paths; long sequences and impossible ones.
 */
#include "hmm_fixture.h"

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
	open = open_model(model);
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
	for (size_t j = 0; j < p.k; j++)
		assert_close(tlv_frame_float64(&statistics, "initial")[j], posterior[j] / total, 1e-10);
	for (size_t e = 0; e < p.k * p.k; e++)
		assert_close(tlv_frame_float64(&statistics, "pairs")[e], pairs[e] / total, 1e-10);
}

TEST(test_paths)
{
	tlv_frame symbols = simulated_model(5, 0, 3, 3), vectors = simulated_model(0, 2, 3, 3);
	int64_t unknown[4] = {2, 77, 1, 5};
	int32_t *states;

	for (size_t n = 1; n <= 8; n++)
	{
		check_paths(symbols, drawn(symbols, n, &states));
		check_paths(vectors, drawn(vectors, n, &states));
	}
	check_paths(symbols, (tlv_sequence){4, unknown, 0, NULL, NULL}); /* 77 counts as missing */
}

/* Sequences longer than a block: the same as one plain pass in logarithms of sums. */
TEST(test_long_sequence)
{
	tlv_frame model = simulated_model(0, 2, 3, 4);
	size_t n = 2 * HMM_BLOCK + 77;
	int32_t *states, *decoded = room(n, sizeof(int32_t));
	tlv_sequence s = drawn(model, n, &states);
	double *shares = room(3 * n, sizeof(double)), *half = room(3 * n, sizeof(double)), right = 0;
	tlv_model *open = open_model(model);

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
TEST(test_impossible)
{
	tlv_frame model = simulated_model(0, 2, 3, 4);
	double far[8] = {1e150, -1e150, 0, 0, 1e6, 1e6, -1e200, 1e200}, shares[12], value;
	tlv_model *open = open_model(model);

	assert_ok(infer_values(&ctx, open, TLV_AS_SEQUENCE(4, 2, far), shares));
	assert_ok(tlv_model_log_likelihood(&ctx, open, TLV_AS_SEQUENCE(4, 2, far), &value));
	assert_between(value, -4e300, -1e299);
	for (size_t i = 0; i < 12; i++)
		assert_between(shares[i], 0, 1);
	for (size_t t = 0; t < 4; t++)
		assert_close(shares[3 * t] + shares[3 * t + 1] + shares[3 * t + 2], 1, 1e-9);
}

RUN_TESTS(setup, teardown)
