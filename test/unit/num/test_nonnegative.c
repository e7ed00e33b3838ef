/*
 * test_nonnegative.c - nonnegative factors of tensors.
 */
#include "malloc_setup.h"
#include "tensorlv/num/nonnegative.h"

#define SWEEPS 3000

static const size_t shape[3] = {6, 5, 7};
#define ALL	 (6 * 5 * 7)
#define ROWS (6 + 5 + 7)

/* rows x k numbers from 0 to 1, three in ten of them 0. */
static void
draw_factors(uint64_t seed, size_t rows, size_t k, double *factors)
{
	tlv_rng rng;

	tlv_rng_seed(&rng, seed);
	for (size_t i = 0; i < rows * k; i++)
	{
		double x = tlv_rng_uniform(&rng);

		factors[i] = x < 0.3 ? 0 : x;
	}
}

/* The tensor of k components with these factors, of weight 1 where weights is NULL. */
static void
multiply(const size_t *d, size_t k, const double *factors, const double *weights, double *tensor)
{
	const double *a = factors, *b = a + d[0] * k, *c = b + d[1] * k;

	for (size_t i = 0; i < d[0] * d[1] * d[2]; i++)
	{
		size_t x = i / d[2] / d[1], y = i / d[2] % d[1], z = i % d[2];

		tensor[i] = 0;
		for (size_t h = 0; h < k; h++)
			tensor[i] +=
				(weights == NULL ? 1 : weights[h]) * a[x * k + h] * b[y * k + h] * c[z * k + h];
	}
}

/* exact, and Gaussian noise of that standard deviation. */
static void
add_noise(size_t n, const double *exact, double deviation, double *noisy)
{
	tlv_rng rng;

	tlv_rng_seed(&rng, 3);
	for (size_t i = 0; i < n; i++)
		noisy[i] = exact[i] + deviation * tlv_rng_normal(&rng);
}

static double
norm_of(size_t n, const double *x)
{
	double square = 0;

	for (size_t i = 0; i < n; i++)
		square += x[i] * x[i];
	return sqrt(square);
}

/* How far a model is from the exact tensor, in parts of that one's norm; model is lost. */
static double
relative_error(size_t n, double *model, const double *exact)
{
	for (size_t i = 0; i < n; i++)
		model[i] -= exact[i];
	return norm_of(n, model) / norm_of(n, exact);
}

TEST(test_recovers_factors)
{
	const char *names[] = {"hals", "pqp"};
	double factors[ROWS * 3], found[ROWS * 3], weights[3], tensor[ALL], model[ALL], residual;

	draw_factors(1, ROWS, 3, factors);
	multiply(shape, 3, factors, NULL, tensor);
	for (int method = 0; method < 2; method++)
	{
		tlv_nonnegative_options options = {.method = (tlv_nonnegative_method) method,
										   .sweeps = SWEEPS,
										   .tolerance = 1e-14,
										   .seed = 1};
		double largest;

		assert_ok(tlv_nonnegative_cp(&ctx, shape, 3, tensor, &options, found, weights, &residual));
		multiply(shape, 3, found, weights, model);
		largest = largest_difference(ALL, model, tensor);
		printf("%s: residual %.2e, largest gap %.2e\n", names[method], residual, largest);
		assert_true(residual < 0.01);
		assert_true(largest < 0.02);
		for (size_t i = 0; i < ROWS * 3; i++)
			assert_true(found[i] >= 0);
		assert_true(weights[0] >= weights[1] && weights[1] >= weights[2]);
		for (size_t s = 0; s < 3; s++)
		{
			double nearest = 0;

			for (size_t other = 0; other < 3; other++)
			{
				double ab = 0, aa = 0;

				for (size_t i = 0; i < shape[0]; i++)
				{
					ab += factors[i * 3 + s] * found[i * 3 + other];
					aa += factors[i * 3 + s] * factors[i * 3 + s];
				}
				nearest = fmax(nearest, ab / sqrt(aa));
			}
			assert_true(nearest > 0.999);
		}
	}
}

/* With noise there are negative entries; all methods come near the truth. */
TEST(test_negative_entries)
{
	double factors[ROWS * 2], found[ROWS * 2], weights[2], tensor[ALL], noisy[ALL], model[ALL];

	draw_factors(2, ROWS, 2, factors);
	multiply(shape, 2, factors, NULL, tensor);
	add_noise(ALL, tensor, 0.05, noisy);
	for (int method = 0; method < 2; method++)
	{
		tlv_nonnegative_options options = {.method = (tlv_nonnegative_method) method, .seed = 1};
		double residual, error;

		assert_ok(tlv_nonnegative_cp(&ctx, shape, 2, noisy, &options, found, weights, &residual));
		multiply(shape, 2, found, weights, model);
		error = relative_error(ALL, model, tensor);
		printf("method %d: residual %.4f, from the truth %.4f\n", method, residual, error);
		assert_below(error, 0.12);
	}
}

#define LARGE	   (40 * 30 * 26)
#define LARGE_ROWS (40 + 30 + 26)

/* Starts on the core of a tensor come as near the truth as those on the tensor itself, or nearer.
 * Noise is a tenth of the numbers' root mean square. */
TEST(test_core)
{
	const size_t d[3] = {40, 30, 26}, k = 8;
	double *exact = numbers(LARGE), *noisy = numbers(LARGE), *model = numbers(LARGE);
	double found[LARGE_ROWS * 8], weights[8], worst = 0, sum[2] = {0, 0};

	for (uint64_t seed = 1; seed <= 3; seed++)
	{
		draw_factors(seed, LARGE_ROWS, k, found);
		multiply(d, k, found, NULL, exact);
		add_noise(LARGE, exact, 0.1 * norm_of(LARGE, exact) / sqrt(LARGE), noisy);
		for (int core = 0; core < 2; core++)
		{
			const tlv_tensor tensor = {.d = {d[0], d[1], d[2]}, .dense = noisy};
			tlv_nonnegative_options options = {.seed = seed, .core = core == 1};
			tlv_factors_found out;
			double error;

			assert_ok(tlv_nonnegative_factors(&ctx, &tensor, k, &options, found, weights, &out));
			multiply(d, k, found, weights, model);
			error = relative_error(LARGE, model, exact);
			printf("seed %d, %s: from the truth %.4f, residual %.5f, sweeps %.0f\n", (int) seed,
				   core == 1 ? "core" : "tensor", error, out.residual, (double) out.sweeps);
			sum[core] += error;
			if (core == 1)
				worst = fmax(worst, error);
		}
	}
	assert_at_most(sum[1], 1.02 * sum[0]);
	assert_at_most(worst, 0.02);
}

/* A positive tensor of rank 2 whose factors are unique, and one entry of them negative: the nearest
 * factors without one leave a residual. */
TEST(test_no_nonnegative_factors)
{
	const size_t two[3] = {2, 2, 2};
	const double a[2][2] = {{1, 1}, {1, 0}}, b[2][2] = {{2, -1}, {2, 1}};
	double tensor[8], factors[12], weights[2], residual;
	tlv_nonnegative_options options = {.sweeps = SWEEPS, .seed = 1};

	for (size_t i = 0; i < 8; i++)
	{
		tensor[i] = 0;
		for (size_t h = 0; h < 2; h++)
			tensor[i] += a[i / 4][h] * b[i / 2 % 2][h] * a[i % 2][h];
		assert_true(tensor[i] > 0);
	}
	assert_ok(tlv_nonnegative_cp(&ctx, two, 2, tensor, &options, factors, weights, &residual));
	printf("residual %.4f\n", residual);
	assert_true(residual > 0.01 && residual < 0.3);
}

TEST(test_scale)
{
	double factors[ROWS * 2], tensor[ALL], one[ROWS * 2], two[ROWS * 2], w[2], v[2], residual;
	tlv_nonnegative_options options = {.seed = 5};

	draw_factors(4, ROWS, 2, factors);
	multiply(shape, 2, factors, NULL, tensor);
	assert_ok(tlv_nonnegative_cp(&ctx, shape, 2, tensor, &options, one, w, &residual));
	for (size_t i = 0; i < ALL; i++)
		tensor[i] *= 1024;
	assert_ok(tlv_nonnegative_cp(&ctx, shape, 2, tensor, &options, two, v, &residual));
	assert_memory_equal(one, two, sizeof(one));
	assert_true(v[0] == 1024 * w[0] && v[1] == 1024 * w[1]);
}

TEST(test_bad_tensors)
{
	double tensor[ALL] = {0}, factors[ROWS], weights[1], residual;
	const size_t empty[3] = {2, 0, 2};
	tlv_nonnegative_options options = {.seed = 1};

	assert_ok(tlv_nonnegative_cp(&ctx, shape, 1, tensor, &options, factors, weights, &residual));
	assert_true(weights[0] == 0 && residual == 0);
	for (size_t i = 0; i < ALL; i++)
		tensor[i] = -1; /* the nearest is none */
	for (int method = 0; method < 2; method++)
	{
		options.method = (tlv_nonnegative_method) method;
		assert_ok(
			tlv_nonnegative_cp(&ctx, shape, 1, tensor, &options, factors, weights, &residual));
		printf("method %d: weight %.2e of a tensor of -1\n", method, weights[0]);
		assert_true(weights[0] < 0.1);
	}
	tensor[3] = NAN;
	assert_fails(tlv_nonnegative_cp(&ctx, shape, 1, tensor, &options, factors, weights, &residual),
				 TLV_BAD_DATA, "entry 4 of the tensor is nan");
	assert_fails(tlv_nonnegative_cp(&ctx, shape, 0, tensor, &options, factors, weights, &residual),
				 TLV_BAD_PARAMETER, "0 components");
	assert_fails(tlv_nonnegative_cp(&ctx, empty, 1, tensor, &options, factors, weights, &residual),
				 TLV_BAD_PARAMETER, "2 x 0 x 2");
}

RUN_TESTS(setup, teardown)
