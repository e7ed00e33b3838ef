/*
 * test_linalg.c - dense linear algebra against plain loops and known truth.
 */
#define RNG_SEED 1
#include "malloc_setup.h"

static double *
random_matrix(size_t m, size_t n)
{
	double *x = room(m * n, sizeof(double));

	tlv_rng_fill_normal(&rng, m * n, x);
	return x;
}

static double *
zero_matrix(size_t m, size_t n)
{
	return room(m * n, sizeof(double));
}

/* max |x x' - 1| for an l x d block */
static double
distance_from_orthonormal(size_t l, size_t d, const double *x)
{
	double largest = 0;

	for (size_t i = 0; i < l; i++)
		for (size_t j = 0; j <= i; j++)
		{
			double sum = 0;

			for (size_t p = 0; p < d; p++)
				sum += x[i + p * l] * x[j + p * l];
			largest = fmax(largest, fabs(sum - (i == j)));
		}
	return largest;
}

/* ---- interrupts ---- */

TEST(test_cancel)
{
	size_t n = 1500, rank;
	double *a = random_matrix(n, n), *c = zero_matrix(n, n);

	assert_cancelled_at(3, tlv_gemm(&ctx, false, false, n, n, n, 1, a, n, a, n, 0, c, n));
	assert_int_equal(ctx.error.code, TLV_CANCELLED);
	assert_cancelled_at(1, tlv_syrk(&ctx, false, n, n, 1, a, n, 0, c, n, true));
	assert_cancelled_at(1, tlv_orthonormalize(&ctx, 10, n, a, &rng, &rank));
	assert_cancelled_at(1, tlv_eigen_symmetric(&ctx, 300, a, c));
	assert_cancelled_at(1, tlv_solve_spd(&ctx, n, 1, a, c));
	assert_cancelled_at(1, tlv_solve_triangle(&ctx, false, n, 1, a, c));
	assert_cancelled_at(1, tlv_invert_triangle(&ctx, true, n, a, c));
	assert_cancelled_at(1, tlv_packed2_multiply(&ctx, 400, a, NULL, 3, a, c));
}

/* ---- products ---- */

static void
plain_product(bool ta, bool tb, size_t m, size_t n, size_t k, const double *a, size_t lda,
			  const double *b, size_t ldb, double *c)
{
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < m; i++)
		{
			double sum = 0;

			for (size_t p = 0; p < k; p++)
				sum +=
					(ta ? a[p + i * lda] : a[i + p * lda]) * (tb ? b[j + p * ldb] : b[p + j * ldb]);
			c[i + j * m] = sum;
		}
}

TEST(test_gemm)
{
	size_t m = 37, n = 23, k = 51;
	double *a = random_matrix(60, 60), *b = random_matrix(60, 60);
	double *c = random_matrix(m, n), *old = zero_matrix(m, n), *truth = zero_matrix(m, n);

	for (int t = 0; t < 4; t++)
	{
		memcpy(old, c, m * n * sizeof(double));
		plain_product(t & 1, t & 2, m, n, k, a, 60, b, 60, truth);
		for (size_t i = 0; i < m * n; i++)
			truth[i] = 2 * truth[i] + 0.5 * old[i];
		assert_ok(tlv_gemm(&ctx, t & 1, t & 2, m, n, k, 2, a, 60, b, 60, 0.5, c, m));
		assert_below(largest_difference(m * n, c, truth), 1e-12);
	}
	assert_ok(tlv_gemm(&ctx, false, false, m, n, 0, 1, a, 60, b, 60, 0, c, m));
	memset(truth, 0, m * n * sizeof(double));
	assert_equal(largest_difference(m * n, c, truth), 0);
}

/* Single precision, against double. */
TEST(test_gemm_float)
{
	size_t m = 30, n = 20, k = 40;
	double *a = random_matrix(m, k), *b = random_matrix(k, n), *c = zero_matrix(m, n);
	float *fa = room(m * k, sizeof(float)), *fb = room(k * n, sizeof(float));
	float *fc = room(m * n, sizeof(float));

	for (size_t i = 0; i < m * k; i++)
		fa[i] = (float) a[i];
	for (size_t i = 0; i < k * n; i++)
		fb[i] = (float) b[i];
	for (int transpose = 0; transpose < 2; transpose++)
	{
		size_t lda = transpose ? k : m;

		assert_ok(tlv_gemm(&ctx, transpose, false, m, n, k, 1, a, lda, b, k, 0, c, m));
		assert_ok(tlv_gemm_float(&ctx, transpose, m, n, k, fa, lda, fb, k, fc, m));
		for (size_t i = 0; i < m * n; i++)
			assert_below(fabs(c[i] - (double) fc[i]), 1e-4);
	}
	assert_ok(tlv_gemm_float(&ctx, false, m, 0, k, fa, m, fb, k, fc, m));
}

/* Sizes that are cut into blocks: compared with products of parts by vectors. */
TEST(test_gemm_blocked)
{
	size_t m = 1100, n = 900, k = 1300;
	double *a = random_matrix(m, k), *b = random_matrix(k, n), *c = zero_matrix(m, n);
	double *x = random_matrix(n, 1), *bx = zero_matrix(k, 1), *abx = zero_matrix(m, 1);
	double *cx = zero_matrix(m, 1);

	assert_ok(tlv_gemm(&ctx, false, false, m, n, k, 1, a, m, b, k, 0, c, m));
	plain_product(false, false, k, 1, n, b, k, x, n, bx);
	plain_product(false, false, m, 1, k, a, m, bx, k, abx);
	plain_product(false, false, m, 1, n, c, m, x, n, cx);
	assert_below(largest_difference(m, abx, cx), 1e-9);

	/* a a', both ways, from one triangle */
	c = zero_matrix(m, m);
	for (int transpose = 0; transpose < 2; transpose++)
	{
		size_t order = transpose ? n : m;

		assert_ok(tlv_syrk(&ctx, transpose, order, transpose ? k : k, 1, transpose ? b : a,
						   transpose ? k : m, 0, c, order, true));
		for (int t = 0; t < 200; t++)
		{
			size_t i = tlv_rng_below(&rng, order), j = tlv_rng_below(&rng, order);
			double sum = 0;

			for (size_t p = 0; p < k; p++)
				sum += transpose ? b[p + i * k] * b[p + j * k] : a[i + p * m] * a[j + p * m];
			assert_close(c[i + j * order], sum, 1e-10);
		}
	}
}

/* ---- factorisations ---- */

static void
check_eigen(size_t n, size_t rank)
{
	double *x = random_matrix(n, rank), *a = zero_matrix(n, n), *v = zero_matrix(n, n);
	double *values = zero_matrix(n, 1), *back = zero_matrix(n, n), *scaled = zero_matrix(n, n);
	double error;

	assert_ok(tlv_syrk(&ctx, false, n, rank, 1, x, n, 0, a, n, true));
	memcpy(v, a, n * n * sizeof(double));
	/* Only the lower triangle may be read. */
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < j; i++)
			v[i + j * n] = NAN;
	assert_ok(tlv_eigen_symmetric(&ctx, n, v, values));
	for (size_t j = 0; j + 1 < n; j++)
		assert_at_least(values[j], values[j + 1]);
	for (size_t j = 0; j < n; j++)
	{
		double largest = 0;

		for (size_t i = 0; i < n; i++)
		{
			scaled[i + j * n] = v[i + j * n] * values[j];
			if (fabs(v[i + j * n]) > fabs(largest))
				largest = v[i + j * n];
		}
		assert_above(largest, 0);
	}
	assert_ok(tlv_gemm(&ctx, false, true, n, n, n, 1, scaled, n, v, n, 0, back, n));
	error = largest_difference(n * n, a, back) / values[0];
	assert_below(error, 1e-13 * sqrt((double) n));
	assert_below(distance_from_orthonormal(n, n, v), 1e-12);
}

TEST(test_eigen)
{
	double bad = NAN, value;

	for (size_t n = 1; n <= 40; n += 3)
	{
		check_eigen(n, n);
		check_eigen(n, n / 2 + 1);
	}
	check_eigen(300, 300);
	check_eigen(460, 460); /* in blocks */
	check_eigen(700, 350);
	assert_int_equal(tlv_eigen_symmetric(&ctx, 1, &bad, &value), TLV_BAD_DATA);
	assert_int_equal(tlv_eigen_symmetric(&ctx, TLV_EIGEN_LIMIT + 1, &bad, &value), TLV_LIMIT);
}

TEST(test_orthonormalize)
{
	size_t l = 30, d = 500, rank;
	double *x = random_matrix(l, d), *y = zero_matrix(l, d), *coordinates = zero_matrix(l, l);
	double *back = zero_matrix(l, d);

	/* Condition up to 1e8: independent. */
	for (size_t j = 0; j < d; j++)
	{
		x[7 + j * l] = x[3 + j * l] + 1e-8 * x[7 + j * l];
		x[8 + j * l] = 1e-9 * x[8 + j * l];
		x[9 + j * l] = x[2 + j * l] - 2 * x[4 + j * l] + 1e-5 * x[9 + j * l];
	}
	memcpy(y, x, l * d * sizeof(double));
	assert_ok(tlv_orthonormalize(&ctx, l, d, y, &rng, &rank));
	assert_int_equal(rank, l);
	assert_below(distance_from_orthonormal(l, d, y), 1e-14);
	/* The span of the leading directions is kept: x = (x y') y, lower triangular. */
	assert_ok(tlv_gemm(&ctx, false, true, l, l, d, 1, x, l, y, l, 0, coordinates, l));
	for (size_t j = 0; j < l; j++)
		for (size_t i = 0; i < j; i++)
			assert_below(fabs(coordinates[i + j * l]), 1e-5);
	assert_ok(tlv_gemm(&ctx, false, false, l, d, l, 1, coordinates, l, y, l, 0, back, l));
	assert_below(largest_difference(l * d, x, back), 1e-12);

	/* Dependent rows are found and replaced. */
	for (size_t j = 0; j < d; j++)
	{
		x[5 + j * l] = x[1 + j * l];
		x[6 + j * l] = 0;
		x[20 + j * l] = x[1 + j * l] - 3 * x[12 + j * l] + x[15 + j * l];
	}
	assert_ok(tlv_orthonormalize(&ctx, l, d, x, &rng, &rank));
	assert_int_equal(rank, l - 3);
	assert_below(distance_from_orthonormal(l, d, x), 1e-14);

	/* A complete basis, one direction, and what cannot be. */
	tlv_rng_fill_normal(&rng, l * l, x);
	assert_ok(tlv_orthonormalize(&ctx, l, l, x, &rng, &rank));
	assert_below(distance_from_orthonormal(l, l, x), 1e-14);
	assert_ok(tlv_orthonormalize(&ctx, 1, d, x, &rng, &rank));
	assert_int_equal(tlv_orthonormalize(&ctx, 3, 2, x, &rng, &rank), TLV_BAD_PARAMETER);
	x[4] = NAN;
	assert_int_equal(tlv_orthonormalize(&ctx, 3, 20, x, &rng, &rank), TLV_BAD_DATA);
}

/* A pseudo-inverse of rank 24: A A+ A = A. */
TEST(test_pseudo_inverse)
{
	size_t m = 40, n = 25, rank;
	double *a = random_matrix(m, n), *back = zero_matrix(m, n);
	double *inverse = zero_matrix(n, m), *q = zero_matrix(n, n);

	for (size_t i = 0; i < m; i++)
		a[i + 3 * m] = a[i] + a[i + m];
	assert_ok(tlv_pseudo_inverse(&ctx, m, n, a, 1e-12, inverse, &rank));
	assert_int_equal(rank, 24);
	assert_ok(tlv_gemm(&ctx, false, false, n, n, m, 1, inverse, n, a, m, 0, q, n));
	assert_ok(tlv_gemm(&ctx, false, false, m, n, n, 1, a, m, q, n, 0, back, m));
	assert_below(largest_difference(m * n, a, back), 1e-12);
}

/* A x 2^power = U S V' with orthonormal columns, descending values. */
static void
check_svd(size_t m, size_t n, size_t rank, int power)
{
	size_t r = m < n ? m : n;
	double *x = random_matrix(m, rank), *y = random_matrix(rank, n), *a = zero_matrix(m, n);
	double *copy = zero_matrix(m, n), *u = zero_matrix(m, r), *s = zero_matrix(r, 1);
	double *vt = zero_matrix(r, n), *back = zero_matrix(m, n), *square = zero_matrix(r, r);

	assert_ok(tlv_gemm(&ctx, false, false, m, n, rank, ldexp(1, power), x, m, y, rank, 0, a, m));
	memcpy(copy, a, m * n * sizeof(double));
	assert_ok(tlv_svd(&ctx, m, n, copy, u, s, vt));
	for (size_t j = 0; j + 1 < r; j++)
		assert_at_least(s[j], s[j + 1]);
	if (rank < r)
		assert_below(s[rank], 1e-13 * s[0]);
	assert_ok(tlv_gemm(&ctx, true, false, r, r, m, 1, u, m, u, m, 0, square, r));
	for (size_t i = 0; i < r * r; i++)
		assert_close(square[i], i % (r + 1) == 0, 1e-12);
	assert_below(distance_from_orthonormal(r, n, vt), 1e-12);
	for (size_t j = 0; j < r; j++)
		for (size_t i = 0; i < m; i++)
			u[i + j * m] *= s[j] / s[0];
	assert_ok(tlv_gemm(&ctx, false, false, m, n, r, 1, u, m, vt, r, 0, back, m));
	for (size_t i = 0; i < m * n; i++)
		assert_close(back[i], a[i] / s[0], 1e-13);
}

/* Small ones, and those that are cut into blocks. */
TEST(test_svd)
{
	check_svd(40, 25, 25, 0);
	check_svd(480, 480, 480, 0);
	check_svd(481, 480, 100, 0);
	check_svd(500, 470, 470, 900);
	check_svd(470, 500, 470, -900);
	check_svd(20000, 80, 80, 0);
	check_svd(80, 20000, 60, 0);
	check_svd(120000, 31, 31, 0);
}

TEST(test_large_problems_look)
{
	size_t n = TLV_EIGEN_LIMIT;
	double *a = random_matrix(n, n), *u = zero_matrix(n, n), *s = zero_matrix(n, 1);
	double *vt = zero_matrix(n, n);

	for (size_t look = 31; look > 1; look /= 4)
	{
		assert_cancelled_at(look, tlv_svd(&ctx, n, n, a, u, s, vt));
		assert_cancelled_at(look, tlv_eigen_symmetric(&ctx, n, a, s));
	}
	assert_int_equal(tlv_eigen_general(&ctx, TLV_GENERAL_LIMIT + 1, a, vt, &(bool){false}),
					 TLV_LIMIT);
}

/* The factor is orthogonal, and what is left of g beside it, q' g, symmetric and positive. */
static void
check_polar(size_t n, const double *g)
{
	double *q = zero_matrix(n, n), *left = zero_matrix(n, n), *values = zero_matrix(n, 1);

	memcpy(q, g, n * n * sizeof(double));
	assert_ok(tlv_polar(&ctx, n, q));
	assert_below(distance_from_orthonormal(n, n, q), 1e-13);
	assert_ok(tlv_gemm(&ctx, true, false, n, n, n, 1, q, n, g, n, 0, left, n));
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < n; i++)
			assert_close(left[i + j * n], left[j + i * n], 1e-12);
	assert_ok(tlv_eigen_symmetric(&ctx, n, left, values));
	assert_above(values[n - 1], 0);
}

/* A rotation and ever more beside it: products alone as far as they lead there. */
TEST(test_polar)
{
	const size_t n = 12;
	double *rotation = random_matrix(n, n), *noise = random_matrix(n, n), *g = zero_matrix(n, n);

	check_polar(25, random_matrix(25, 25));
	assert_ok(tlv_polar(&ctx, n, rotation));
	for (double part = 1e-9; part < 1; part *= 4)
	{
		for (size_t i = 0; i < n * n; i++)
			g[i] = rotation[i] + part * noise[i] / sqrt((double) n);
		check_polar(n, g);
	}
}

TEST(test_solve)
{
	static const size_t sizes[] = {1, 5, 255, 256, 257, 700};

	for (size_t t = 0; t < sizeof(sizes) / sizeof(sizes[0]); t++)
	{
		size_t n = sizes[t], m = 3;
		double *x = random_matrix(n, m), *b = zero_matrix(n, m), *a = zero_matrix(n, n);
		double *g = random_matrix(n, n);

		assert_ok(tlv_syrk(&ctx, false, n, n, 1.0 / (double) n, g, n, 0, a, n, true));
		for (size_t i = 0; i < n; i++)
			a[i + i * n] += 0.1;
		assert_ok(tlv_gemm(&ctx, false, false, n, m, n, 1, a, n, x, n, 0, b, n));
		assert_ok(tlv_solve_spd(&ctx, n, m, a, b));
		assert_below(largest_difference(n * m, b, x), 1e-11);
		memset(a, 0, n * n * sizeof(double));
		assert_int_equal(tlv_solve_spd(&ctx, n, m, a, b), TLV_BAD_DATA);
	}
}

/* L^-1 and L'^-1 of lower triangles whose other half is not zero, and (L L')^-1. */
TEST(test_triangles)
{
	static const size_t sizes[] = {1, 5, 256, 300, 520};

	for (size_t t = 0; t < sizeof(sizes) / sizeof(sizes[0]); t += EVERY(3))
	{
		size_t n = sizes[t];
		double *l = random_matrix(n, n), *lower = zero_matrix(n, n), *inverse = random_matrix(n, n);
		double *product = zero_matrix(n, n), *identity = zero_matrix(n, n);

		for (size_t j = 0; j < n; j++)
		{
			identity[j + j * n] = 1;
			l[j + j * n] = 5 + sqrt((double) n);
			memcpy(lower + j + j * n, l + j + j * n, (n - j) * sizeof(double));
		}
		for (int transpose = 0; transpose < 2; transpose++)
		{
			assert_ok(tlv_invert_triangle(&ctx, transpose, n, l, inverse));
			plain_product(transpose, false, n, n, n, lower, n, inverse, n, product);
			assert_below(largest_difference(n * n, product, identity), 1e-11);
			for (size_t j = 0; j < n; j++)
				for (size_t i = 0; i < j; i++)
					assert_equal(inverse[transpose ? j + i * n : i + j * n], 0);
			memcpy(product, identity, n * n * sizeof(double));
			assert_ok(tlv_solve_triangle(&ctx, transpose, n, n, l, product));
			assert_below(largest_difference(n * n, product, inverse), 1e-11);
		}
		plain_product(false, true, n, n, n, lower, n, lower, n, product);
		assert_ok(tlv_invert_cholesky(&ctx, n, l));
		plain_product(false, false, n, n, n, product, n, l, n, inverse);
		assert_below(largest_difference(n * n, inverse, identity), 1e-9);
	}
}

/* ---- packed matrices and subspaces ---- */

TEST(test_packed2)
{
	static const size_t sizes[] = {1, 7, 256, 300, 613};

	for (size_t t = 0; t < sizeof(sizes) / sizeof(sizes[0]); t++)
	{
		size_t d = sizes[t], l = 9;
		double *packed = random_matrix(tlv_packed2_size(d), 1), *full = zero_matrix(d, d);
		double *again = zero_matrix(tlv_packed2_size(d), 1), *scale = random_matrix(d, 1);
		double *x = random_matrix(l, d), *z = random_matrix(l, d), *truth = zero_matrix(l, d);

		tlv_packed2_unpack(d, packed, full);
		for (size_t i = 0; i < d; i++)
			for (size_t j = 0; j < d; j++)
				assert_equal(full[i + j * d], packed[tlv_packed2_index(i, j)]);
		tlv_packed2_pack(d, full, again);
		assert_memory_equal(packed, again, tlv_packed2_size(d) * sizeof(double));
		plain_product(false, false, l, d, d, x, l, full, d, truth);
		assert_ok(tlv_packed2_multiply(&ctx, d, packed, NULL, l, x, z));
		assert_below(largest_difference(l * d, z, truth), 1e-11);
		for (size_t j = 0; j < d; j++)
			for (size_t i = 0; i < d; i++)
				full[i + j * d] *= scale[i] * scale[j];
		plain_product(false, false, l, d, d, x, l, full, d, truth);
		assert_ok(tlv_packed2_multiply(&ctx, d, packed, scale, l, x, z));
		assert_below(largest_difference(l * d, z, truth), 1e-11);
	}
}

typedef struct spectrum
{
	const double *values;  /* d */
	const double *vectors; /* d x d, rows are eigenvectors */
	double *work;
} spectrum;

static tlv_status
apply_spectrum(tlv_context *context, void *argument, size_t d, size_t l, const double *x, double *z)
{
	spectrum *s = argument;

	TLV_TRY(tlv_gemm(context, false, true, l, d, d, 1, x, l, s->vectors, d, 0, s->work, l));
	for (size_t j = 0; j < d; j++)
		for (size_t i = 0; i < l; i++)
			s->work[i + j * l] *= s->values[j];
	return tlv_gemm(context, false, false, l, d, d, 1, s->work, l, s->vectors, d, 0, z, l);
}

/* Finds the k largest of a known spectrum, aligned with their eigenvectors. */
static int
check_subspace(const char *what, size_t d, size_t k, size_t l, const double *values)
{
	double *vectors = random_matrix(d, d), *x = zero_matrix(l, d), *ritz = zero_matrix(l, 1);
	spectrum s = {values, vectors, zero_matrix(l, d)};
	tlv_eigen_task task = {.n = d, .k = k, .l = l, .tolerance = 1e-12, .max_steps = 300};
	size_t rank;
	int steps;

	assert_ok(tlv_orthonormalize(&ctx, d, d, vectors, &rng, &rank));
	assert_ok(tlv_subspace_iteration(&ctx, &task, apply_spectrum, &s, &rng, x, ritz, &steps));
	assert_below(steps, 300);
	assert_below(distance_from_orthonormal(l, d, x), 1e-13);
	for (size_t i = 0; i < k; i++)
	{
		double dot = 0;

		for (size_t j = 0; j < d; j++)
			dot += x[i + j * l] * vectors[i + j * d];
		if (fabs(ritz[i] - values[i]) > 1e-9 * values[0] || fabs(fabs(dot) - 1) > 1e-5)
			fail_msg("%s: value %zu is %g, not %g; cosine %g", what, i, ritz[i], values[i], dot);
	}
	print_message("subspace, %s: %d steps\n", what, steps);
	return steps;
}

TEST(test_subspace)
{
	double values[200];
	const size_t d = 200, k = 10, l = 20;

	for (size_t i = 0; i < d; i++)
		values[i] = i < k ? 20 - (double) i : 3 * (1 - 2 * (double) (i - k) / (double) (d - k));
	assert_at_most(check_subspace("noise of both signs", d, k, l, values), 25);
	for (size_t i = d - 5; i < d; i++)
		values[i] = -40;
	check_subspace("a few large negative", d, k, l, values);
	for (size_t i = d - 60; i < d; i++)
		values[i] = -40;
	check_subspace("many large negative", d, k, l, values);
	for (size_t i = 0; i < d; i++)
		values[i] = i < k ? 20 - (double) i : 0;
	assert_at_most(check_subspace("exact rank", d, k, l, values), 4);
	assert_equal(tlv_ritz_change(2, (double[]){1, 2}, (double[]){1, 2.5}), 0.2);
}

RUN_TESTS_OF_GROUP(setup, teardown, NULL, drop_rooms)
