/*
 * test_cp.c - canonical polyadic decomposition of tensors of any shape, and bases of their modes.
 */
#include "malloc_setup.h"
#include "tensorlv/num/cp.h"
#include "tensorlv/num/nonnegative.h"
#include "tensorlv/num/tucker.h"

/* A tensor of k components of unit vectors (k x items) and Gaussian noise, in parts of its norm. */
typedef struct sample
{
	tlv_tensor tensor, exact;
	size_t k, items;
	double *factors;
	double *numbers; /* of the tensor, and of that without noise */
} sample;

static sample
draw(size_t d0, size_t d1, size_t d2, size_t k, double noise, uint64_t seed)
{
	sample s = {.k = k, .items = d0 + d1 + d2};
	size_t all = d0 * d1 * d2;
	double norm = 0, wrong = 0, *exact;
	tlv_rng rng;

	tlv_rng_seed(&rng, seed);
	s.factors = numbers(s.items * k);
	s.numbers = numbers(2 * all);
	exact = s.numbers + all;
	tlv_rng_fill_normal(&rng, s.items * k, s.factors);
	for (size_t i = 0; i < all; i++)
	{
		size_t x = i / d2 / d1, y = i / d2 % d1, z = i % d2;

		exact[i] = tlv_tensor_entry(k, NULL, s.factors + x * k, s.factors + (d0 + y) * k,
									s.factors + (d0 + d1 + z) * k);
		s.numbers[i] = tlv_rng_normal(&rng);
		norm += exact[i] * exact[i];
		wrong += s.numbers[i] * s.numbers[i];
	}
	for (size_t i = 0; i < all; i++)
		s.numbers[i] = exact[i] + noise * sqrt(norm / wrong) * s.numbers[i];
	s.tensor = (tlv_tensor){.d = {d0, d1, d2}, .dense = s.numbers};
	s.exact = (tlv_tensor){.d = {d0, d1, d2}, .dense = exact};
	return s;
}

/* A basis of k columns for each mode. */
static void
make_bases(const sample *s, size_t k, double *u[3])
{
	for (int m = 0; m < 3; m++)
		u[m] = numbers(k * s->tensor.d[m]);
}

/* Cosine of column i of one set of factors and j of another, of all modes multiplied. */
static double
cosine(const sample *s, const double *found, size_t i, size_t j)
{
	double product = 1;
	const double *a = s->factors, *b = found;

	for (int m = 0; m < 3; m++)
	{
		double ab = 0, aa = 0, bb = 0;

		for (size_t x = 0; x < s->tensor.d[m]; x++, a += s->k, b += s->k)
		{
			ab += a[i] * b[j];
			aa += a[i] * a[i];
			bb += b[j] * b[j];
		}
		product *= ab / sqrt(aa * bb);
	}
	return product;
}

/* The least, over the components that there are, of the best cosine. */
static double
worst_cosine(const sample *s, const double *found)
{
	double worst = 1;

	for (size_t i = 0; i < s->k; i++)
	{
		double best = -1;

		for (size_t j = 0; j < s->k; j++)
			best = fmax(best, cosine(s, found, i, j));
		worst = fmin(worst, best);
	}
	return worst;
}

static double
run(const sample *s, const tlv_tensor *t, tlv_cp_options options, tlv_factors_found *found)
{
	double *factors = numbers(s->items * s->k), *weights = numbers(s->k);

	assert_ok(tlv_cp(&ctx, t, s->k, &options, factors, weights, found));
	for (size_t h = 1; h < s->k; h++)
		assert_at_most(weights[h], weights[h - 1]);
	return worst_cosine(s, factors);
}

TEST(test_exact)
{
	sample s = draw(9, 7, 8, 4, 0, 1);
	tlv_factors_found found;

	assert_at_least(run(&s, &s.tensor, (tlv_cp_options){.diagonalise = true, .seed = 3}, &found),
					1 - 1e-9);
	assert_at_most(found.residual, 1e-7);
	assert_at_least(run(&s, &s.tensor, (tlv_cp_options){.seed = 3}, &found), 1 - 1e-9);
}

/* The figures of tensors-points.md: the relative error against the tensor without noise. */
TEST(test_noise)
{
	sample s = draw(50, 40, 30, 6, .3, 2);
	tlv_factors_found found;

	assert_at_least(run(&s, &s.tensor, (tlv_cp_options){.seed = 1}, &found), .999);
	assert_between(found.residual, .28, .2875);
}

/* A sparse tensor gives what the same one as an array does. */
TEST(test_sparse)
{
	sample s = draw(12, 10, 9, 3, .05, 4);
	size_t all = 12 * 10 * 9;
	int32_t *at = room(3 * all, sizeof(int32_t));
	tlv_tensor sparse = {.d = {12, 10, 9}, .n = all, .entries = s.numbers};
	tlv_factors_found found, same;
	double *u[3], *v[3], core[8], other[8];

	for (size_t i = 0; i < all; i++)
	{
		at[i] = (int32_t) (i / 90);
		at[all + i] = (int32_t) (i / 9 % 10);
		at[2 * all + i] = (int32_t) (i % 9);
	}
	for (int m = 0; m < 3; m++)
		sparse.at[m] = at + (size_t) m * all;
	make_bases(&s, 2, u);
	make_bases(&s, 2, v);
	assert_at_least(run(&s, &sparse, (tlv_cp_options){.seed = 1}, &found), .995);
	(void) run(&s, &s.tensor, (tlv_cp_options){.seed = 1}, &same);
	assert_close(found.residual, same.residual, 1e-6);
	assert_ok(tlv_tucker(&ctx, &s.tensor, (size_t[]){2, 2, 2},
						 &(tlv_tucker_options){.iterations = -1}, u, core, &same));
	assert_ok(tlv_tucker(&ctx, &sparse, (size_t[]){2, 2, 2},
						 &(tlv_tucker_options){.iterations = -1}, v, other, &found));
	assert_close(found.residual, same.residual, 1e-6);
}

/* More components than items: the share of tensors on which all are found. */
TEST(test_overcomplete)
{
	static const size_t k[] = {8, 10, 12, 14, 16, 20};
	static const int least[] = {5, 5, 5, 5, 4, 0};

	for (size_t i = 0; i < 6; i++)
	{
		int found_all = 0, starts = 0;

		for (uint64_t seed = 1; seed <= 5; seed++)
		{
			sample s = draw(10, 10, 10, k[i], 0, seed);
			tlv_factors_found found;
			double worst = run(&s, &s.tensor, (tlv_cp_options){.seed = seed + 100}, &found);

			found_all += worst > .99;
			starts += found.sweeps;
		}
		if (getenv("TLV_SHOW") != NULL)
			print_message("10 x 10 x 10, k = %zu: %d of 5 tensors, %d sweeps each\n", k[i],
						  found_all, starts / 5);
		assert_at_least(found_all, least[i]);
	}
}

TEST(test_tucker)
{
	sample s = draw(20, 15, 10, 4, .2, 5);
	const size_t r[3] = {4, 4, 4};
	tlv_factors_found start, found;
	double *u[3], core[64];

	make_bases(&s, 4, u);
	assert_ok(
		tlv_tucker(&ctx, &s.tensor, r, &(tlv_tucker_options){.iterations = 0}, u, core, &start));
	assert_ok(
		tlv_tucker(&ctx, &s.tensor, r, &(tlv_tucker_options){.iterations = -1}, u, core, &found));
	assert_at_most(found.residual, start.residual);
	assert_at_most(found.residual, .2);
	assert_true(found.converged);
}

/* Ranks by a tolerance keep it, and are those of the components that there are. */
TEST(test_train)
{
	sample s = draw(12, 9, 10, 3, 1e-3, 7);
	tlv_train train = {.r = {0, 0}}, small = {.r = {2, 2}};

	assert_ok(tlv_tensor_train(&ctx, &s.tensor, 2e-3, &train));
	assert_equal(train.r[0], 3);
	assert_equal(train.r[1], 3);
	assert_at_most(train.residual, 2e-3);
	for (size_t i = 0; i < 12 * 9 * 10; i += 7)
	{
		size_t x = i / 90, y = i / 10 % 9, z = i % 10;
		double sum = 0;

		for (size_t a = 0; a < 3; a++)
			for (size_t b = 0; b < 3; b++)
				sum += train.core[0][x * 3 + a] * train.core[1][(a * 9 + y) * 3 + b] *
					   train.core[2][b * 10 + z];
		assert_close(sum, s.exact.dense[i], .03);
	}
	assert_ok(tlv_tensor_train(&ctx, &s.tensor, 0, &small));
	assert_equal(small.r[0], 2);
	assert_fails(tlv_tensor_train(&ctx, &s.tensor, 1, &train), TLV_BAD_PARAMETER, "tolerance");
	for (int m = 0; m < 3; m++)
	{
		tlv_free(&ctx, train.core[m]);
		tlv_free(&ctx, small.core[m]);
	}
}

/* What a tensor of low rank leaves is rounding, not its root. */
TEST(test_exact_residuals)
{
	sample s = draw(12, 9, 10, 3, 0, 7);
	tlv_train train = {.r = {0, 0}};
	tlv_factors_found found;
	double *u[3], core[27];

	make_bases(&s, 3, u);
	assert_ok(tlv_tucker(&ctx, &s.tensor, (size_t[]){3, 3, 3},
						 &(tlv_tucker_options){.iterations = -1}, u, core, &found));
	assert_below(found.residual, 1e-14);
	assert_ok(tlv_tensor_train(&ctx, &s.tensor, 1e-7, &train));
	assert_equal(train.r[0], 3);
	assert_equal(train.r[1], 3);
	assert_below(train.residual, 1e-14);
	for (int m = 0; m < 3; m++)
		tlv_free(&ctx, train.core[m]);
}

TEST(test_bad)
{
	double x[8] = {0}, factors[12], weights[2];
	tlv_tensor t = {.d = {2, 2, 2}, .dense = x};
	tlv_factors_found found;

	assert_fails(tlv_cp(&ctx, &t, 2, &(tlv_cp_options){0}, factors, weights, &found), TLV_BAD_DATA,
				 "is zero");
	x[3] = NAN;
	assert_fails(tlv_cp(&ctx, &t, 2, &(tlv_cp_options){0}, factors, weights, &found), TLV_BAD_DATA,
				 "entry 4");
	x[3] = 1;
	assert_fails(tlv_cp(&ctx, &t, 0, &(tlv_cp_options){0}, factors, weights, &found),
				 TLV_BAD_PARAMETER, "at least 1");
	assert_fails(tlv_cp(&ctx, &t, 1001, &(tlv_cp_options){0}, factors, weights, &found), TLV_LIMIT,
				 "above 1000");
	assert_ok(tlv_cp(&ctx, &t, 2, &(tlv_cp_options){0}, factors, weights, &found));
	assert_at_most(found.residual, 1e-12);
	assert_short_of_memory(1000,
						   tlv_cp(&ctx, &t, 2, &(tlv_cp_options){0}, factors, weights, &found));
	assert_non_null(strstr(ctx.error.message, "the factors of a tensor"));
}

RUN_TESTS_OF_GROUP(setup, teardown, NULL, drop_rooms)
