/*
 * test_context.c - memory, errors and random variates.
 */
#include <float.h>

#define RNG_SEED 1
#include "malloc_setup.h"

/* ---- memory ---- */

TEST(test_memory)
{
	double *x;

	for (size_t n = 0; n < 5000; n += 7)
	{
		char *block = tlv_alloc0(&ctx, n, 1);

		assert_non_null(block);
		assert_int_equal((uintptr_t) block % (n >= 1024 ? 64 : 16), 0);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(block[i], 0);
		memset(block, 1, n);
		block = tlv_realloc(&ctx, block, n / 2 + 3000, 1);
		assert_non_null(block);
		for (size_t i = 0; i < n && i < n / 2 + 3000; i++)
			assert_int_equal(block[i], 1);
		tlv_free(&ctx, block);
	}
	assert_int_equal(ctx.arena.used, 0);
	assert_above(ctx.arena.peak, 3000);

	assert_null(tlv_alloc(&ctx, SIZE_MAX / 4, 8));
	assert_int_equal(ctx.error.code, TLV_LIMIT);
	assert_null(tlv_alloc(&ctx, SIZE_MAX, 1));
	assert_int_equal(ctx.error.code, TLV_LIMIT);
	ctx.arena.limit = 10000;
	x = tlv_alloc(&ctx, 1000, sizeof(double));
	assert_non_null(x);
	assert_null(tlv_alloc(&ctx, 1000, sizeof(double)));
	assert_int_equal(ctx.error.code, TLV_MEMORY_LIMIT);
	assert_null(tlv_realloc(&ctx, x, 2000, sizeof(double)));
	x[999] = 1; /* the old block is valid */
	assert_int_equal(tlv_require_memory(&ctx, 1000, "this"), TLV_OK);
	assert_int_equal(tlv_require_memory(&ctx, 1e9, "this"), TLV_MEMORY_LIMIT);
	assert_int_equal(tlv_require_memory(&ctx, NAN, "this"), TLV_MEMORY_LIMIT);
	assert_int_equal(tlv_require_memory(&ctx, 3e6, "this"), TLV_MEMORY_LIMIT);
	assert_string_equal(ctx.error.message, "2.9 MB of memory are needed for this");
	assert_string_equal(ctx.error.detail, "10 kB are allowed, of which 8 kB are in use.");
	assert_true(strtod(ctx.error.hint, NULL) == 3e6 + (double) ctx.arena.used);
	assert_int_equal(tlv_require_memory(&ctx, 5e12, "this"), TLV_MEMORY_LIMIT);
	assert_string_equal(ctx.error.message, "4656.7 GB of memory are needed for this");
	assert_int_equal(tlv_require_memory(&ctx, 9000, "this"), TLV_MEMORY_LIMIT);
	assert_string_equal(ctx.error.message, "9 kB of memory are needed for this");
	/* what is expected is named, and refuses nothing */
	tlv_expect_memory(&ctx, 5e6);
	tlv_expect_memory(&ctx, 100);
	assert_int_equal(tlv_require_memory(&ctx, 1000, "this"), TLV_OK);
	assert_int_equal(tlv_require_memory(&ctx, 3e6, "this"), TLV_MEMORY_LIMIT);
	assert_string_equal(ctx.error.message, "2.9 MB of memory are needed for this");
	assert_true(strtod(ctx.error.hint, NULL) == 5e6 + (double) ctx.arena.used);
	assert_int_equal(tlv_require_memory(&ctx, 6e6, "this"), TLV_MEMORY_LIMIT);
	assert_true(strtod(ctx.error.hint, NULL) == 6e6 + (double) ctx.arena.used);
	tlv_free(&ctx, x);
	ctx.arena.limit = SIZE_MAX;
}

/* What is not kept goes at the end; what is older stays what it is. */
TEST(test_scratch)
{
	tlv_scratch outer, inner;
	char *old = tlv_alloc(&ctx, 100, 1), *mine, *kept;
	size_t used;

	tlv_scratch_begin(&ctx, &outer);
	mine = tlv_alloc(&ctx, 50, 1);
	memset(mine, 1, 50);
	tlv_scratch_begin(&ctx, &inner);
	kept = tlv_alloc(&ctx, 3000, 1);
	assert_non_null(tlv_alloc0(&ctx, 10, 10));
	tlv_free(&ctx, tlv_alloc(&ctx, 10, 10));
	old = tlv_realloc(&ctx, old, 2000, 1);
	mine = tlv_realloc(&ctx, mine, 5000, 1);
	tlv_scratch_keep(&ctx, kept);
	kept = tlv_realloc(&ctx, kept, 6000, 1);
	used = ctx.arena.used;
	tlv_scratch_end(&ctx, &inner);
	assert_below(ctx.arena.used, used);
	assert_ptr_equal(ctx.scratch, &outer);
	memset(kept, 2, 6000);
	assert_int_equal(mine[49], 1);
	memset(mine, 2, 5000);
	tlv_scratch_end(&ctx, &outer);
	assert_null(ctx.scratch);
	memset(old, 3, 2000);
	tlv_free(&ctx, old);
	assert_int_equal(ctx.arena.used, 0);
	tlv_free(&ctx, NULL);
}

TEST(test_errors)
{
	char text[500];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	tlv_fail_detail(&ctx, "old");
	assert_int_equal(tlv_fail(&ctx, TLV_BAD_DATA, "%s", text), TLV_BAD_DATA);
	assert_int_equal(strlen(ctx.error.message), sizeof(ctx.error.message) - 1);
	assert_string_equal(ctx.error.detail, "");
	tlv_fail_hint(&ctx, "try %d", 3);
	assert_string_equal(ctx.error.hint, "try 3");
	assert_int_equal(tlv_cancelled(&ctx), TLV_CANCELLED);
	assert_string_equal(ctx.error.hint, "");
}

/* ---- random variates ---- */

/* Mean and variance of n variates, compared with the truth at 5 standard errors. */
static void
check_moments(const char *what, size_t n, const double *x, double mean, double variance,
			  double excess_kurtosis)
{
	double sum = 0, squares = 0, error = sqrt(variance / (double) n);

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	sum /= (double) n;
	for (size_t i = 0; i < n; i++)
		squares += (x[i] - sum) * (x[i] - sum);
	squares /= (double) n;
	if (fabs(sum - mean) > 5 * error)
		fail_msg("%s: mean %g, not %g", what, sum, mean);
	if (fabs(squares - variance) > 5 * variance * sqrt((excess_kurtosis + 2) / (double) n))
		fail_msg("%s: variance %g, not %g", what, squares, variance);
}

TEST(test_random)
{
	static const double shapes[] = {0.05, 0.5, 1, 2.5, 100};
	static const double means[] = {0.1, 3, 9.99, 10, 40, 1e4, 1e9};
	size_t n = 200000;
	double *x = tlv_alloc(&ctx, n, sizeof(double));
	tlv_rng again;

	assert_non_null(x);
	/* The stream is fixed for ever: values computed from the published algorithms. */
	tlv_rng_seed(&again, 0);
	assert_equal(again.state[0], UINT64_C(0xe220a8397b1dcdaf));
	assert_equal(tlv_rng_next(&again), UINT64_C(0x99ec5f36cb75f2b4));

	tlv_rng_fill_normal(&rng, n, x);
	check_moments("normal", n, x, 0, 1, 0);
	for (size_t i = 0; i < n; i++)
		x[i] = tlv_rng_uniform(&rng);
	check_moments("uniform", n, x, 0.5, 1.0 / 12, -1.2);
	for (size_t i = 0; i < n; i++)
		x[i] = (double) tlv_rng_below(&rng, 7);
	check_moments("below 7", n, x, 3, 4, -1.25);
	for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
	{
		for (size_t i = 0; i < n; i++)
			x[i] = tlv_rng_gamma(&rng, shapes[s]);
		check_moments("gamma", n, x, shapes[s], shapes[s], 6 / shapes[s]);
	}
	for (size_t s = 0; s < sizeof(means) / sizeof(means[0]); s++)
	{
		for (size_t i = 0; i < n; i++)
			x[i] = (double) tlv_rng_poisson(&rng, means[s]);
		check_moments("poisson", n, x, means[s], means[s], 1 / means[s]);
	}
	assert_int_equal(tlv_rng_poisson(&rng, 0), 0);
	tlv_free(&ctx, x);
}

/* Draws without replacement: all ways of making one, and of few the exact probabilities. */
TEST(test_hypergeometric)
{
	static const double cases[][3] = {{20, 30, 10},		 {30, 20, 45},	  {500, 4000, 900},
									  {4000, 500, 4000}, {3e9, 2e9, 1e9}, {5000, 5e12, 1e12},
									  {1e12, 9e12, 2e12}};
	double counts[5] = {0}, exact[5] = {70, 224, 168, 32, 1}; /* C(4, i) C(8, 4 - i) */
	size_t n = 40000;

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
	{
		double good = cases[c][0], bad = cases[c][1], draws = cases[c][2], total = good + bad;
		double mean = draws * (good / total), variance, sum = 0, square = 0;

		variance = mean * (bad / total) * ((total - draws) / (total - 1));
		for (size_t i = 0; i < n; i++)
		{
			double drawn = tlv_rng_hypergeometric(&rng, good, bad, draws);

			assert_true(drawn >= fmax(0, draws - bad) && drawn <= fmin(good, draws));
			assert_equal(drawn, floor(drawn));
			sum += (drawn - mean) / (double) n;
			square += (drawn - mean) * (drawn - mean) / (double) n;
		}
		assert_at_most(fabs(sum), 4 * sqrt(variance / (double) n));
		assert_close(square / variance, 1, 0.04);
	}
	for (size_t i = 0; i < n; i++)
		counts[(size_t) tlv_rng_hypergeometric(&rng, 4, 8, 4)] += 1 / (double) n;
	for (int i = 0; i < 5; i++)
		assert_close(counts[i], exact[i] / 495, 0.012);
	assert_equal(tlv_rng_hypergeometric(&rng, 0, 7, 3), 0);
	assert_equal(tlv_rng_hypergeometric(&rng, 7, 0, 3), 3);
	assert_equal(tlv_rng_hypergeometric(&rng, 7, 5, 12), 7);
	assert_equal(tlv_rng_hypergeometric(&rng, 7, 5, 0), 0);
}

TEST(test_dirichlet_permutation)
{
	double alpha[3] = {0.2, 0.5, 3}, tiny[4] = {1e-5, 1e-5, 1e-5, 1e-5}, out[4], mean[3] = {0};
	int64_t order[10], seen[10] = {0};
	size_t n = 100000;

	for (size_t i = 0; i < n; i++)
	{
		tlv_rng_dirichlet(&rng, 3, alpha, out);
		assert_close(out[0] + out[1] + out[2], 1, 1e-12);
		for (int j = 0; j < 3; j++)
			mean[j] += out[j] / (double) n;
	}
	for (int j = 0; j < 3; j++)
		assert_close(mean[j], alpha[j] / 3.7, 0.005);
	for (int i = 0; i < 100; i++)
	{
		tlv_rng_dirichlet(&rng, 4, tiny, out);
		assert_close(out[0] + out[1] + out[2] + out[3], 1, 1e-12);
	}
	/* Parameters that nobody means, but a forged model may hold: still a distribution. */
	for (int i = 0; i < 100; i++)
	{
		const double odd[] = {0, 1e-320, 1e-310, 1e-300, 1, 1e300, DBL_MAX};

		for (int first = 0; first < 7; first++)
			for (int many = 1; first + many <= 7; many++)
			{
				double share[7], sum = 0;

				tlv_rng_dirichlet(&rng, (size_t) many, odd + first, share);
				for (int j = 0; j < many; j++)
					sum += share[j];
				assert_close(sum, 1, 1e-12);
			}
	}
	assert_ok(tlv_rng_permutation(&ctx, &rng, 10, order));
	for (int i = 0; i < 10; i++)
		seen[order[i]]++;
	for (int i = 0; i < 10; i++)
		assert_int_equal(seen[i], 1);
}

RUN_TESTS_OF_GROUP(setup, teardown, NULL, NULL)
