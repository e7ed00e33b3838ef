/*
 * test_decompose.c - the solver core on noisy orthogonal tensors of known
 * components; reproduces the table that the methods were chosen by.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tensorlv/decompose.h"
#include "tensorlv/linalg.h"
#include "tensorlv/tensor3.h"

static tlv_context ctx;

/* A tensor with known components, and a place for the answer. */
typedef struct bed
{
	size_t k;
	double *packed;
	double *vectors; /* k x k, columns */
	double *values;
	tlv_decomposition found;
	double mean, max; /* errors of the columns found */
	int lost;		  /* columns with an error above .5 */
	double seconds;
} bed;

static int
setup(void **state)
{
	(void) state;
	tlv_num_init();
	tlv_context_init_malloc(&ctx);
	return 0;
}

static int
teardown(void **state)
{
	(void) state;
	return ctx.arena.used == 0 ? 0 : -1;
}

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static double *
numbers(size_t n)
{
	double *x = tlv_alloc0(&ctx, n, sizeof(double));

	assert_non_null(x);
	return x;
}

static void
assert_ok(tlv_status status)
{
	if (status != TLV_OK)
		fail_msg("status %d: %s", (int) status, ctx.error.message);
}

/*
 * T = sum l_i v_i^3 + E, V a random rotation, l ~ U(low, high), E a Gaussian
 * tensor averaged over the 6 permutations of its indices and scaled by
 * eps / sqrt(k) * sqrt(6) / 2.  An entry of E with distinct indices is the
 * mean of 6 normals, one with two equal indices that of 3.
 */
static bed
make_bed(size_t k, double eps, double low, double high, uint64_t seed)
{
	bed b = {.k = k};
	tlv_rng rng;
	size_t rank;
	double *work = numbers(tlv_tensor3_work(k, k)), scale = eps / sqrt((double) k) * sqrt(6.0) / 2;
	double *entry;

	tlv_rng_seed(&rng, seed);
	entry = b.packed = numbers(tlv_packed3_size(k));
	b.vectors = numbers(k * k);
	b.values = numbers(k);
	b.found.vectors = numbers(k * k);
	b.found.values = numbers(k);
	tlv_rng_fill_normal(&rng, k * k, b.vectors);
	assert_ok(tlv_orthonormalize(&ctx, k, k, b.vectors, &rng, &rank));
	for (size_t i = 0; i < k; i++)
		b.values[i] = low + (high - low) * tlv_rng_uniform(&rng);
	tlv_packed3_add_cubes(k, k, b.vectors, b.values, b.packed, work);
	for (size_t i = 0; i < k && eps > 0; i++)
		for (size_t j = 0; j <= i; j++)
			for (size_t l = 0; l <= j; l++)
				*entry++ += scale * tlv_rng_normal(&rng) /
							sqrt(i == j && j == l	? 1
								 : i == j || j == l ? 3
													: 6);
	tlv_free(&ctx, work);
	return b;
}

static void
free_bed(bed *b)
{
	tlv_free(&ctx, b->packed);
	tlv_free(&ctx, b->vectors);
	tlv_free(&ctx, b->values);
	tlv_free(&ctx, b->found.vectors);
	tlv_free(&ctx, b->found.values);
}

/* Errors after matching the closest pairs first. */
static void
match(bed *b)
{
	size_t k = b->k;
	double *cosines = numbers(k * k), sum = 0;

	assert_ok(
		tlv_gemm(&ctx, true, false, k, k, k, 1, b->vectors, k, b->found.vectors, k, 0, cosines, k));
	b->max = 0;
	b->lost = 0;
	for (size_t t = 0; t < k; t++)
	{
		size_t best = 0, row, column;
		double error;

		for (size_t i = 1; i < k * k; i++)
			if (cosines[i] > cosines[best])
				best = i;
		error = sqrt(fmax(0, 2 - 2 * cosines[best]));
		sum += error;
		b->max = fmax(b->max, error);
		b->lost += error > 0.5;
		row = best % k;
		column = best / k;
		for (size_t i = 0; i < k; i++)
			cosines[row + i * k] = cosines[i + column * k] = -2;
	}
	b->mean = sum / (double) k;
	tlv_free(&ctx, cosines);
}

static void
solve(bed *b, const tlv_decompose_options *options)
{
	size_t used = ctx.arena.used;

	ctx.arena.peak = used;
	b->seconds = seconds();
	assert_ok(tlv_decompose(&ctx, b->k, b->packed, options, &b->found));
	b->seconds = seconds() - b->seconds;
	assert_true((double) (ctx.arena.peak - used) <= tlv_decompose_memory(b->k, options));
	assert_int_equal(ctx.arena.used, used);
	match(b);
}

/* ---- the table ---- */

static void
print_row(const char *name, double eps, int seeds, const bed *b)
{
	print_message("%-6s k=%3zu eps=%.2f seeds=%2d  mean %.4f  max %.3f  lost %.1f  residual %.4f  "
				  "iterations %4d  sweeps %3d  %.4f s\n",
				  name, b->k, eps, seeds, b->mean, b->max, b->lost / (double) seeds,
				  b->found.residual, b->found.iterations, b->found.sweeps, b->seconds);
}

/* Averages over seeds: mean error and seconds; max the largest; lost the sum. */
static bed
row(tlv_method method, size_t k, double eps, int seeds)
{
	bed result = {.k = k};
	double mean = 0, max = 0, time = 0;
	int lost = 0;

	for (int seed = 0; seed < seeds; seed++)
	{
		bed b = make_bed(k, eps, 1, 3, (uint64_t) seed + 100);
		tlv_decompose_options options = {.method = method, .seed = (uint64_t) seed};

		solve(&b, &options);
		mean += b.mean / seeds;
		time += b.seconds / seeds;
		max = fmax(max, b.max);
		lost += b.lost;
		result.found = b.found;
		free_bed(&b);
	}
	result.mean = mean;
	result.max = max;
	result.lost = lost;
	result.seconds = time;
	print_row(tlv_method_name(method), eps, seeds, &result);
	return result;
}

static void
test_joint_table(void **state)
{
	(void) state;
	for (size_t k = 20; k <= 100; k = k == 20 ? 50 : k + 50)
	{
		bed b = row(TLV_METHOD_JOINT, k, 0.02, k == 100 ? 2 : 20);

		assert_true(b.mean <= 0.0055 && b.lost == 0);
		b = row(TLV_METHOD_JOINT, k, 0.2, k == 100 ? 4 : 20);
		assert_true(b.mean <= 0.055 && b.lost == 0);
		b = row(TLV_METHOD_JOINT, k, 0.5, k == 100 ? 4 : 20);
		assert_true(b.mean <= 0.14);
		assert_true(k < 100 || b.lost == 0);
	}
}

static void
test_power_table(void **state)
{
	(void) state;
	assert_true(row(TLV_METHOD_POWER, 20, 0.2, 4).mean <= 0.09);
	assert_true(row(TLV_METHOD_POWER, 50, 0.2, 2).mean <= 0.09);
	assert_true(row(TLV_METHOD_POWER, 100, 0.2, 1).mean <= 0.09);
}

static void
test_als_table(void **state)
{
	(void) state;
	assert_true(row(TLV_METHOD_ALS, 20, 0.2, 4).mean <= 0.09);
	assert_true(row(TLV_METHOD_ALS, 50, 0.2, 4).mean <= 0.09);
	assert_true(row(TLV_METHOD_ALS, 100, 0.2, 2).mean <= 0.09);
	assert_true(row(TLV_METHOD_ALS, 100, 0.5, 1).mean <= 0.22);
}

static void
test_sgd_table(void **state)
{
	(void) state;
	for (size_t k = 5; k <= 10; k++)
	{
		bed b = row(TLV_METHOD_SGD, k, 0, 10);

		assert_true(b.lost == 0 && b.max < 1e-3);
		b = row(TLV_METHOD_SGD, k, 0.02, 10);
		assert_true(b.lost == 0 && b.mean < 0.02);
	}
	/* Documented as it is: components may be lost. */
	row(TLV_METHOD_SGD, 20, 0.2, 4);
	row(TLV_METHOD_SGD, 50, 0.2, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joint_table),
		cmocka_unit_test(test_power_table),
		cmocka_unit_test(test_als_table),
		cmocka_unit_test(test_sgd_table),
	};

	return cmocka_run_group_tests_name("decompose", tests, setup, teardown);
}
