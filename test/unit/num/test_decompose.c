/*
 * test_decompose.c - the solver core on noisy orthogonal tensors of known
 * components; reproduces the table that the methods were chosen by.
 */
#include "malloc_setup.h"
#include "tensorlv/num/decompose.h"
#include "tensorlv/num/tensor3.h"

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
} bed;

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
	return b;
}

static double
distance(size_t k, const double *a, const double *b)
{
	double sum = 0;

	for (size_t i = 0; i < k; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sqrt(sum);
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
		row = best % k;
		column = best / k;
		/* Not from the cosine: it rounds to 1 where the vectors still differ by 1e-8. */
		error = distance(k, b->vectors + row * k, b->found.vectors + column * k);
		sum += error;
		b->max = fmax(b->max, error);
		b->lost += error > 0.5;
		for (size_t i = 0; i < k; i++)
			cosines[row + i * k] = cosines[i + column * k] = -2;
	}
	b->mean = sum / (double) k;
}

static void
solve(bed *b, const tlv_decompose_options *options)
{
	size_t used = ctx.arena.used;

	ctx.arena.peak = used;
	assert_ok(tlv_decompose(&ctx, b->k, b->packed, options, &b->found));
	assert_at_most((double) (ctx.arena.peak - used), tlv_decompose_memory(b->k, options));
	assert_int_equal(ctx.arena.used, used);
	match(b);
}

/* ---- the table ---- */

/* Over seeds: max the largest, lost the sum, all else the average. */
static bed
row(tlv_method method, size_t k, double eps, int seeds)
{
	bed result = {.k = k};

	for (int seed = 0; seed < seeds; seed++)
	{
		bed b = make_bed(k, eps, 1, 3, (uint64_t) seed + 100);
		tlv_decompose_options options = {.method = method, .seed = (uint64_t) seed};

		solve(&b, &options);
		result.mean += b.mean / seeds;
		result.max = fmax(result.max, b.max);
		result.lost += b.lost;
		result.found.residual += b.found.residual / seeds;
		result.found.iterations += b.found.iterations;
		result.found.sweeps += b.found.sweeps;
		assert_true(b.found.converged || method == TLV_METHOD_SGD || method == TLV_METHOD_ALS);
	}
	print_message("%-6s k=%3zu eps=%.2f seeds=%2d  mean %.4f  max %.3f  lost %.1f  residual %.4f  "
				  "iterations %4d  sweeps %3d\n",
				  tlv_method_name(method), k, eps, seeds, result.mean, result.max,
				  result.lost / (double) seeds, result.found.residual,
				  result.found.iterations / seeds, result.found.sweeps / seeds);
	return result;
}

ACCURACY_TEST(test_joint_table)
{
	for (size_t k = 20; k <= 100; k = k == 20 ? 50 : k + 50)
	{
		bed b = row(TLV_METHOD_JOINT, k, 0.02, k == 100 ? 2 : 20);

		assert_at_most(b.mean, 0.0055);
		assert_equal(b.lost, 0);
		b = row(TLV_METHOD_JOINT, k, 0.2, k == 100 ? 4 : 20);
		assert_at_most(b.mean, 0.055);
		assert_equal(b.lost, 0);
		b = row(TLV_METHOD_JOINT, k, 0.5, k == 100 ? 4 : 20);
		assert_at_most(b.mean, 0.14);
		if (k >= 100)
			assert_equal(b.lost, 0);
	}
}

ACCURACY_TEST(test_power_table)
{
	assert_at_most(row(TLV_METHOD_POWER, 20, 0.2, 4).mean, 0.09);
	assert_at_most(row(TLV_METHOD_POWER, 50, 0.2, 2).mean, 0.09);
	assert_at_most(row(TLV_METHOD_POWER, 70, 0.2, 1).mean, 0.09);
}

ACCURACY_TEST(test_als_table)
{
	assert_at_most(row(TLV_METHOD_ALS, 20, 0.2, 4).mean, 0.09);
	assert_at_most(row(TLV_METHOD_ALS, 50, 0.2, 4).mean, 0.09);
	assert_at_most(row(TLV_METHOD_ALS, 70, 0.2, 2).mean, 0.09);
	assert_at_most(row(TLV_METHOD_ALS, 70, 0.5, 1).mean, 0.22);
}

ACCURACY_TEST(test_sgd_table)
{
	for (size_t k = 5; k <= 10; k++)
	{
		bed b = row(TLV_METHOD_SGD, k, 0, 10);

		assert_equal(b.lost, 0);
		assert_below(b.max, 1e-3);
		b = row(TLV_METHOD_SGD, k, 0.02, 10);
		assert_equal(b.lost, 0);
		assert_below(b.mean, 0.03);
	}
	/* Of larger tensors components may be lost, and no bound is promised. */
	if (getenv("TLV_SHOW") != NULL)
	{
		row(TLV_METHOD_SGD, 20, 0.2, 4);
		row(TLV_METHOD_SGD, 50, 0.2, 1);
	}
}

/* ---- single properties ---- */

static const tlv_method METHODS[] = {TLV_METHOD_JOINT, TLV_METHOD_POWER, TLV_METHOD_ALS,
									 TLV_METHOD_SGD};

/* ||T - sum l v^3|| / ||T|| from all entries. */
static double
plain_residual(const bed *b)
{
	size_t k = b->k, size = tlv_packed3_size(k);
	double *rest = numbers(size), residual;

	memcpy(rest, b->packed, size * sizeof(double));
	for (size_t i = 0; i < k; i++)
		tlv_packed3_add_cube(k, -b->found.values[i], b->found.vectors + i * k, rest);
	residual = tlv_packed3_norm(k, rest) / tlv_packed3_norm(k, b->packed);
	return residual;
}

static void
check_form(const bed *b, bool orthonormal)
{
	size_t k = b->k;
	double objective = 0;

	for (size_t i = 0; i < k; i++)
	{
		assert_at_least(b->found.values[i], 0);
		if (i != 0)
			assert_at_most(b->found.values[i - 1], b->found.values[i]);
		objective += b->found.values[i] * b->found.values[i];
		for (size_t j = 0; j <= i; j++)
		{
			double dot = 0;

			for (size_t l = 0; l < k; l++)
				dot += b->found.vectors[l + i * k] * b->found.vectors[l + j * k];
			if (i == j || orthonormal)
				assert_close(dot, i == j, 1e-13);
		}
	}
	assert_close(b->found.objective / objective, 1, 1e-13);
	assert_close(b->found.residual, plain_residual(b), 1e-7);
}

/* Small and exact tensors, every method, every k from 1 on; and the form of the result. */
TEST(test_exact)
{
	for (int m = 0; m < 4; m++)
		for (size_t k = 1; k <= 12; k++)
		{
			bed b = make_bed(k, 0, 1, 3, 300 + k), noisy = make_bed(k, 0.3, 1, 3, 300 + k);
			tlv_decompose_options options = {.method = METHODS[m], .seed = k};

			solve(&b, &options);
			assert_int_equal(b.lost, 0);
			assert_below(b.max, METHODS[m] == TLV_METHOD_SGD ? 1e-3 : 1e-12);
			check_form(&b, METHODS[m] == TLV_METHOD_JOINT);
			solve(&noisy, &options);
			check_form(&noisy, METHODS[m] == TLV_METHOD_JOINT);
		}
}

TEST(test_one_component)
{
	double values[] = {2, -3, 1e-250, 1e250};

	for (int m = 0; m < 4; m++)
		for (int i = 0; i < 4; i++)
		{
			double value = 0, vector = 0;
			tlv_decomposition found = {.values = &value, .vectors = &vector};
			tlv_decompose_options options = {.method = METHODS[m]};

			assert_ok(tlv_decompose(&ctx, 1, values + i, &options, &found));
			assert_close(value / fabs(values[i]), 1, 1e-14);
			assert_equal(vector, values[i] < 0 ? -1 : 1);
			assert_below(found.residual, 1e-7);
			assert_true(found.converged);
		}
}

/* Units do not matter, and nothing else than seed and data does. */
TEST(test_scale_and_seed)
{
	size_t k = 15;
	bed a = make_bed(k, 0.2, 1, 3, 1), b = make_bed(k, 0.2, 1, 3, 1);
	tlv_decompose_options options = {.seed = 7};

	solve(&a, &options);
	solve(&b, &options);
	assert_memory_equal(a.found.vectors, b.found.vectors, k * k * sizeof(double));
	assert_memory_equal(a.found.values, b.found.values, k * sizeof(double));
	for (size_t i = 0; i < tlv_packed3_size(k); i++)
		b.packed[i] *= 0x1.0p-700;
	assert_ok(tlv_decompose(&ctx, k, b.packed, &options, &b.found));
	assert_memory_equal(a.found.vectors, b.found.vectors, k * k * sizeof(double));
	assert_equal(b.found.values[3], a.found.values[3] * 0x1.0p-700);
	/* The optimum does not depend on the seed. */
	memcpy(b.packed, a.packed, tlv_packed3_size(k) * sizeof(double));
	options.seed = 8;
	solve(&b, &options);
	assert_all_close(k * k, a.found.vectors, b.found.vectors, 1e-8);
}

TEST(test_warm_start)
{
	static const size_t sizes[] = {1, 7, 20, 50, 100};

	for (size_t t = 0; t < 5; t++)
	{
		size_t k = sizes[t];
		bed b = make_bed(k, 0.1, 1, 3, 40 + k);
		double *cold = numbers(k * k), *initial = numbers(k * k);
		tlv_decompose_options options = {.seed = 1};
		tlv_rng rng;
		int iterations;

		solve(&b, &options);
		iterations = b.found.iterations;
		memcpy(cold, b.found.vectors, k * k * sizeof(double));
		/* A slightly different tensor, as in a line search. */
		tlv_rng_seed(&rng, 5);
		for (size_t i = 0; i < tlv_packed3_size(k); i++)
			b.packed[i] += 1e-3 / sqrt((double) k) * tlv_rng_normal(&rng);
		solve(&b, &options);
		memcpy(initial, b.found.vectors, k * k * sizeof(double));
		options.initial = cold;
		solve(&b, &options);
		assert_all_close(k * k, initial, b.found.vectors, 1e-9);
		assert_at_most(b.found.iterations, iterations);
		assert_equal(b.found.sweeps, 0);
		print_message("warm start k=%3zu: %d iterations\n", k, b.found.iterations);
		cold[0] += 1e-3;
		assert_int_equal(tlv_decompose(&ctx, k, b.packed, &options, &b.found), TLV_BAD_PARAMETER);
	}
}

/* Noise as large as the values: as good as starting from the truth. */
ACCURACY_TEST(test_hard)
{
	double quotient = 0;
	int seeds = 20;

	for (int seed = 0; seed < seeds; seed++)
	{
		bed b = make_bed(20, 1.2, 1, 3, 500 + (uint64_t) seed);
		tlv_decompose_options options = {.seed = (uint64_t) seed};
		double objective;

		solve(&b, &options);
		objective = b.found.objective;
		options.initial = b.vectors;
		solve(&b, &options);
		quotient += objective / b.found.objective / seeds;
		options = (tlv_decompose_options){.seed = 1, .starts = 2};
		solve(&b, &options);
	}
	print_message("hard regime: objective %.5f of that from the truth\n", quotient);
	assert_at_least(quotient, 0.9995);
}

TEST(test_refusals)
{
	size_t k = 6;
	bed b = make_bed(k, 0.1, 1, 3, 9);
	tlv_decompose_options options = {0};
	double *zero = numbers(tlv_packed3_size(k)), kept = b.packed[11];

	assert_int_equal(tlv_decompose(&ctx, k, zero, &options, &b.found), TLV_BAD_DATA);
	b.packed[11] = NAN;
	assert_int_equal(tlv_decompose(&ctx, k, b.packed, &options, &b.found), TLV_BAD_DATA);
	b.packed[11] = -INFINITY;
	assert_int_equal(tlv_decompose(&ctx, k, b.packed, &options, &b.found), TLV_BAD_DATA);
	b.packed[11] = kept;
	assert_int_equal(tlv_decompose(&ctx, 0, b.packed, &options, &b.found), TLV_BAD_PARAMETER);
	options.starts = -1;
	assert_int_equal(tlv_decompose(&ctx, k, b.packed, &options, &b.found), TLV_BAD_PARAMETER);
	options = (tlv_decompose_options){.tolerance = NAN};
	assert_int_equal(tlv_decompose(&ctx, k, b.packed, &options, &b.found), TLV_BAD_PARAMETER);
	options = (tlv_decompose_options){.method = (tlv_method) 17};
	assert_int_equal(tlv_decompose(&ctx, k, b.packed, &options, &b.found), TLV_BAD_PARAMETER);
	assert_string_equal(tlv_method_name((tlv_method) 17), "unknown");
	options = (tlv_decompose_options){0};
	assert_short_of_memory((size_t) tlv_decompose_memory(k, &options) - 1,
						   tlv_decompose(&ctx, k, b.packed, &options, &b.found));
	ctx.arena.limit = ctx.arena.used + (size_t) tlv_decompose_memory(k, &options);
	assert_ok(tlv_decompose(&ctx, k, b.packed, &options, &b.found));
	ctx.arena.limit = SIZE_MAX;
	assert_string_equal(tlv_method_name(TLV_METHOD_JOINT), "joint");
	assert_string_equal(tlv_method_name(TLV_METHOD_SGD), "sgd");
}

static int countdown;

static void *
alloc_until_zero(void *owner, size_t bytes)
{
	return --countdown < 0 ? NULL : malloc(bytes);
}

/* Cancelled at any look, or without memory at any allocation: the status says so, nothing leaks. */
TEST(test_any_point)
{
	for (int m = 0; m < 4; m++)
	{
		bed b = make_bed(9, 0.5, 1, 3, 77);
		tlv_decompose_options options = {.method = METHODS[m]};
		size_t used = ctx.arena.used;
		tlv_arena arena = ctx.arena;
		tlv_status status = TLV_OUT_OF_MEMORY;

		assert_cancelled_anywhere(1, 30, tlv_decompose(&ctx, 9, b.packed, &options, &b.found));
		ctx.arena.alloc = alloc_until_zero;
		for (int n = 0; n < 100000 && status == TLV_OUT_OF_MEMORY; n += 1 + n / 3)
		{
			countdown = n;
			status = tlv_decompose(&ctx, 9, b.packed, &options, &b.found);
			assert_int_equal(ctx.arena.used, used);
		}
		assert_ok(status);
		ctx.arena.alloc = arena.alloc;
	}
}

RUN_TESTS_OF_GROUP(setup, teardown, NULL, drop_rooms)
