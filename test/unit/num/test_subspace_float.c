/*
 * test_subspace_float.c - orthonormal blocks of single precision, and the leading
 * eigenvectors of operators that are known.
 */
#include "sparse_fixture.h"
#include "num/linear/block_float.h"

/* ---- tall blocks ---- */

TEST(test_gram_and_rotate)
{
	const size_t n = 9001, la = 7, lb = 5;
	float *x = random_block(la, n), *y = random_block(lb, n), *old = random_block(la, n);
	double gram[49], r[35];

	memcpy(old, x, la * n * sizeof(float));
	assert_ok(tlv_gram_float(&ctx, n, la, x, lb, y, gram));
	for (size_t i = 0; i < la; i++)
		for (size_t j = 0; j < lb; j++)
		{
			double sum = 0;

			for (size_t p = 0; p < n; p++)
				sum += (double) x[i + p * la] * (double) y[j + p * lb];
			assert_close(sum, gram[i + j * la], 1e-3);
		}
	assert_ok(tlv_gram_float(&ctx, n, la, x, la, x, gram));
	for (size_t i = 0; i < la; i++)
		for (size_t j = 0; j < la; j++)
			assert_equal(gram[i + j * la], gram[j + i * la]);
	assert_close(gram[0] / (double) n, 1, 0.1);

	tlv_rng_fill_normal(&rng, 35, r);
	assert_ok(tlv_rotate_float(&ctx, n, la, x, lb, r));
	for (size_t p = 0; p < n; p++)
		for (size_t j = 0; j < lb; j++)
		{
			double sum = 0;

			for (size_t i = 0; i < la; i++)
				sum += r[i + j * la] * (double) old[i + p * la];
			assert_close(sum, (double) x[j + p * lb], 1e-5 * 30);
		}
	assert_int_equal(tlv_rotate_float(&ctx, n, 2, x, 3, r), TLV_BAD_PARAMETER);
}

/* max |x x' - 1| */
static double
distance_from_orthonormal(size_t l, size_t n, const float *x)
{
	double *gram = room(l * l, sizeof(double)), largest = 0;

	assert_ok(tlv_gram_float(&ctx, n, l, x, l, x, gram));
	for (size_t i = 0; i < l; i++)
		for (size_t j = 0; j < l; j++)
			largest = fmax(largest, fabs(gram[i + j * l] - (i == j)));
	return largest;
}

static void
assert_orthonormalized(size_t l, size_t n, float *x, size_t expected)
{
	size_t rank;

	assert_ok(tlv_orthonormalize_roughly(&ctx, l, n, x, &rng, &rank));
	assert_int_equal(rank, expected);
	assert_below(distance_from_orthonormal(l, n, x), 3e-5);
}

TEST(test_orthonormalize)
{
	const size_t n = 3000, l = 12;
	float *x = random_block(l, n);
	size_t rank;

	assert_orthonormalized(l, n, x, l);
	/* Nearly dependent, and of very different lengths. */
	for (size_t p = 0; p < n; p++)
	{
		for (size_t i = 1; i < l; i++)
			x[i + p * l] = x[p * l] + 1e-3F * x[i + p * l];
		x[3 + p * l] *= 1e-6F;
		x[5 + p * l] *= 1e6F;
	}
	assert_orthonormalized(l, n, x, l);
	/* Exactly dependent, zero. */
	for (size_t p = 0; p < n; p++)
	{
		x[4 + p * l] = x[2 + p * l] * 2;
		x[6 + p * l] = x[7 + p * l] - x[1 + p * l];
		x[9 + p * l] = 0;
	}
	assert_orthonormalized(l, n, x, l - 3);
	/* Two dimensions with equal roundings throughout, as the leaves of a star have them. */
	for (size_t i = 0; i < l; i++)
		for (size_t p = 2; p < n; p++)
			x[i + p * l] = x[i + l];
	assert_orthonormalized(l, n, x, 2);
	memset(x, 0, l * n * sizeof(float));
	assert_orthonormalized(l, n, x, 0);
	x[17] = NAN;
	assert_int_equal(tlv_orthonormalize_roughly(&ctx, l, n, x, &rng, &rank), TLV_BAD_DATA);
	assert_int_equal(tlv_orthonormalize_roughly(&ctx, l, 5, x, &rng, &rank), TLV_BAD_PARAMETER);
	x = random_block(20, 20);
	assert_orthonormalized(20, 20, x, 20);
}

/* ---- subspace iteration ---- */

/* Q diag(values) Q' with Q a product of two reflections: known eigenvectors, cheap to apply. */
typedef struct known_operator
{
	size_t n;
	double *values;
	double *mirror[2]; /* unit vectors */
	int products;
} known_operator;

static void
reflect(const known_operator *a, int which, size_t stride, float *x)
{
	double product = 0;

	for (size_t i = 0; i < a->n; i++)
		product += a->mirror[which][i] * (double) x[i * stride];
	for (size_t i = 0; i < a->n; i++)
		x[i * stride] -= (float) (2 * product * a->mirror[which][i]);
}

static tlv_status
apply_known(tlv_context *context, void *argument, size_t l, const float *x, float *z)
{
	known_operator *a = argument;

	a->products++;
	memcpy(z, x, l * a->n * sizeof(float));
	for (size_t c = 0; c < l; c++)
	{
		reflect(a, 0, l, z + c);
		reflect(a, 1, l, z + c);
		for (size_t i = 0; i < a->n; i++)
			z[i * l + c] *= (float) a->values[i];
		reflect(a, 1, l, z + c);
		reflect(a, 0, l, z + c);
	}
	return TLV_OK;
}

static known_operator
known(size_t n)
{
	known_operator a = {n, NULL, {NULL, NULL}, 0};

	a.values = room(3 * n, sizeof(double));
	for (int i = 0; i < 2; i++)
	{
		double sum = 0;

		a.mirror[i] = a.values + (size_t) (i + 1) * n;
		tlv_rng_fill_normal(&rng, n, a.mirror[i]);
		for (size_t j = 0; j < n; j++)
			sum += a.mirror[i][j] * a.mirror[i][j];
		for (size_t j = 0; j < n; j++)
			a.mirror[i][j] /= sqrt(sum);
	}
	return a;
}

/* Largest |A v - ritz v| of the leading k, in relation to the first value. */
static double
residual(known_operator *a, size_t k, size_t l, const float *x, float *z, const double *ritz)
{
	double largest = 0;

	assert_ok(apply_known(&ctx, a, l, x, z));
	for (size_t c = 0; c < k; c++)
	{
		double sum = 0;

		for (size_t i = 0; i < a->n; i++)
		{
			double difference = (double) z[i * l + c] - ritz[c] * (double) x[i * l + c];

			sum += difference * difference;
		}
		largest = fmax(largest, sqrt(sum));
	}
	return largest / fmax(fabs(ritz[0]), 1e-3);
}

static tlv_status
iterate_known(known_operator *a, tlv_eigen_task task, float *x, double *ritz, int *steps)
{
	return tlv_subspace_iteration_float(&ctx, &task, apply_known, a, &rng, x, ritz, steps);
}

/* Finds `expected`, with a few products with the operator. */
static void
assert_found(known_operator *a, size_t k, size_t l, bool modulus, const double *expected,
			 double tolerance, int most, double precision)
{
	float *x = empty_block(l, a->n), *z = empty_block(l, a->n);
	double *ritz = room(l, sizeof(double));
	int steps;

	a->products = 0;
	assert_ok(iterate_known(a, (tlv_eigen_task){a->n, k, l, tolerance, 100, modulus, false}, x,
							ritz, &steps));
	assert_int_equal(steps, a->products);
	for (size_t i = 0; i < k; i++)
		if (!(fabs(ritz[i] - expected[i]) <= precision * fabs(expected[0])))
			fail_msg("after %d steps Ritz value %zu is %g instead of %g", steps, i, ritz[i],
					 expected[i]);
	if (steps > most)
		fail_msg("%d steps, expected at most %d", steps, most);
	if (!(residual(a, k, l, x, z, ritz) < 10 * sqrt(precision)))
		fail_msg("residual %g", residual(a, k, l, x, z, ritz));
	assert_below(distance_from_orthonormal(l, a->n, x), 1e-4);
}

/* Some values above noise of both signs, as of a graph. */
static void
spectrum_of_graph(known_operator *a, size_t leading, const double *values, double noise)
{
	for (size_t i = 0; i < a->n; i++)
		a->values[i] = i < leading ? values[i] : noise * cos(M_PI * (double) i / (double) a->n);
}

TEST(test_subspace)
{
	static const double clear[] = {40, 9, 8, 7, 6};
	static const double close[] = {10, 6, 5.8, 5.6, 5.5};
	known_operator a = known(2000);

	spectrum_of_graph(&a, 5, clear, 2);
	assert_found(&a, 5, 10, true, clear, 1e-3, 12, 1e-3);
	assert_found(&a, 5, 10, false, clear, 1e-3, 14, 1e-3);
	assert_found(&a, 5, 5, true, clear, 1e-4, 20, 1e-3);
	spectrum_of_graph(&a, 5, close, 4.5);
	assert_found(&a, 5, 10, true, close, 1e-4, 30, 1e-3);
	assert_found(&a, 5, 10, false, close, 1e-4, 35, 1e-3);
}

/* Both ends matter by modulus, only the upper one by value. */
TEST(test_subspace_indefinite)
{
	static const double both[] = {-30, 20, -12, 11, -9};
	static const double upper[] = {20, 11, 3};
	static const double negative[] = {-1, -2, -3};
	known_operator a = known(1500);

	for (size_t i = 0; i < a.n; i++)
		a.values[i] = i < 5 ? both[i] : i == 5 ? 3 : 2 * cos((double) i);
	assert_found(&a, 5, 9, true, both, 1e-4, 20, 1e-3);
	assert_found(&a, 3, 9, false, upper, 1e-4, 40, 1e-3);
	assert_found(&a, 2, 4, false, upper, 1e-5, 40, 1e-3);
	for (size_t i = 0; i < a.n; i++)
		a.values[i] = i < 3 ? negative[i] : -5 - fabs(cos((double) i));
	assert_found(&a, 3, 6, false, negative, 1e-5, 40, 1e-3);
}

TEST(test_subspace_low_rank)
{
	static const double three[] = {5, -4, 1e-2, 0, 0, 0};
	known_operator a = known(400);

	spectrum_of_graph(&a, 6, three, 0);
	assert_found(&a, 3, 8, true, three, 1e-5, 20, 1e-4);
	assert_found(&a, 6, 8, true, three, 1e-5, 20, 1e-4);
	memset(a.values, 0, a.n * sizeof(double));
	assert_found(&a, 2, 4, true, a.values, 1e-5, 5, 1);
	assert_found(&a, 2, 4, false, a.values, 1e-5, 5, 1);
}

TEST(test_subspace_limits)
{
	static const double values[] = {9, 5, 4};
	known_operator a = known(30);
	float *x = empty_block(30, 30);
	double ritz[30];
	int steps;

	spectrum_of_graph(&a, 3, values, 1);
	for (int most = 1; most < 12; most++)
	{
		a.products = 0;
		assert_ok(
			iterate_known(&a, (tlv_eigen_task){30, 3, 5, 0, most, true, false}, x, ritz, &steps));
		assert_int_equal(steps, most);
		assert_int_equal(a.products, most);
	}
	assert_close(ritz[2], 4, 1e-3);
	/* From what was found, at once. */
	assert_ok(iterate_known(&a, (tlv_eigen_task){30, 3, 5, 1e-2, 50, true, true}, x, ritz, &steps));
	assert_at_most(steps, 4);
	assert_close(ritz[2], 4, 1e-3);
	/* All of the space. */
	assert_ok(
		iterate_known(&a, (tlv_eigen_task){30, 30, 30, 1e-4, 50, false, false}, x, ritz, &steps));
	assert_close(ritz[0], 9, 1e-4);
	assert_int_equal(
		iterate_known(&a, (tlv_eigen_task){30, 3, 31, 1e-4, 50, false, false}, x, ritz, &steps),
		TLV_BAD_PARAMETER);
	assert_int_equal(
		iterate_known(&a, (tlv_eigen_task){30, 0, 4, 1e-4, 50, false, false}, x, ritz, &steps),
		TLV_BAD_PARAMETER);
	assert_cancelled_at(
		4, iterate_known(&a, (tlv_eigen_task){30, 3, 5, 0, 50, true, false}, x, ritz, &steps));
}

RUN_TESTS(setup, teardown)
