/*
 * test_subspace.c - the leading directions of vectors, and moments in them
 * against those of all coordinates.
 */
#include "dense_fixture.h"

/* Rows in the basis, with what is outside. */
static void
project(tlv_frame subspace, const double *x, double *y, double *outside)
{
	const tlv_section *basis = tlv_frame_find(&subspace, "basis");
	const double *u = tlv_section_data(&subspace, basis);
	const double *mean = tlv_frame_float64(&subspace, "mean");

	*outside = 0;
	for (size_t j = 0; j < basis->columns; j++)
	{
		y[j] = 0;
		for (size_t i = 0; i < basis->rows; i++)
			y[j] += u[i + basis->rows * j] * (x[i] - mean[i]);
		*outside -= y[j] * y[j];
	}
	for (size_t i = 0; i < basis->rows; i++)
		*outside += (x[i] - mean[i]) * (x[i] - mean[i]);
}

static void
check_compressed(size_t d, size_t p, int order)
{
	double *x = draw_rows(ROWS, d), *y = tlv_alloc(&ctx, ROWS * p, sizeof(double));
	double *radial1 = tlv_alloc0(&ctx, p, sizeof(double)), radial = 0;
	tlv_accumulator *whole = new_moments(2), *parts[2], *merged;
	tlv_frame subspace, frame;

	add_rows(whole, d, x, 0, ROWS);
	subspace = subspace_of(stored(whole), p);
	assert_ok(tlv_dense_compressed_create_order(&ctx, &subspace, order, &whole));
	add_rows(whole, d, x, 0, ROWS);
	for (size_t t = 0; t < ROWS; t++)
	{
		double outside;

		project(subspace, x + t * d, y + t * p, &outside);
		radial += outside;
		for (size_t j = 0; j < p; j++)
			radial1[j] += outside * y[t * p + j];
	}
	frame = stored(whole);
	check_central(frame, ROWS, p, y, order);
	assert_near(tlv_frame_scalar(&frame, "radial", -1), radial, 1 + radial);
	for (size_t j = 0; j < p; j++)
		assert_near(tlv_frame_float64(&frame, "radial1")[j], radial1[j], 1e6 * (1 + radial));
	assert_near(tlv_frame_scalar(&frame, "noise", -1) * (double) (d - p), radial / ROWS,
				10 * (1 + radial / ROWS));
	for (int i = 0; i < 2; i++)
	{
		assert_ok(tlv_dense_compressed_create_order(&ctx, &subspace, order, &parts[i]));
		add_rows(parts[i], d, x, i == 0 ? 0 : 100, i == 0 ? 100 : ROWS);
	}
	merged = empty_like(frame);
	merge(merged, stored(parts[0]));
	merge(merged, stored(parts[1]));
	check_central(stored(merged), ROWS, p, y, order);
	merge(parts[0], stored(parts[1]));
	check_central(stored(parts[0]), ROWS, p, y, order);
}

TEST(test_compressed)
{
	check_compressed(6, 2, 4);
	check_compressed(6, 6, 3);
	check_compressed(5, 3, 2);
	check_compressed(1, 1, 4);
}

TEST(test_subspace)
{
	size_t d = 6;
	double *x = draw_rows(ROWS, d);
	tlv_accumulator *a = new_moments(2), *one, *two;
	tlv_frame moments, subspace, other, value;
	tlv_dense_central central;
	void *image;
	size_t size;

	add_rows(a, d, x, 0, ROWS);
	moments = stored(a);
	subspace = subspace_of(moments, 2);
	other = subspace_of(moments, 3);
	assert_ok(tlv_dense_central_compute(&ctx, &moments, &central));
	for (size_t j = 0; j < 2; j++) /* C u = value u */
		for (size_t i = 0; i < d; i++)
		{
			const double *u = tlv_frame_float64(&subspace, "basis") + d * j;
			double value_j = tlv_frame_float64(&subspace, "covariance_values")[j], sum = 0;

			for (size_t l = 0; l < d; l++)
				sum += central.covariance[i + d * l] * u[l];
			assert_near(sum, value_j * u[i], value_j);
		}
	assert_int_equal(tlv_dense_subspace(&ctx, &moments, 0, &image, &size), TLV_BAD_PARAMETER);
	assert_int_equal(tlv_dense_subspace(&ctx, &moments, 7, &image, &size), TLV_BAD_PARAMETER);
	assert_ok(tlv_dense_compressed_create(&ctx, &subspace, &one));
	assert_ok(tlv_dense_compressed_create(&ctx, &other, &two));
	assert_fails(tlv_add(&ctx, one, TLV_AS_VECTOR(5, x)), TLV_BAD_DATA, "length 5");
	value = stored(two);
	assert_fails(one->class->merge(&ctx, one, &value), TLV_BAD_PARAMETER, "different");
	assert_int_equal(tlv_dense_subspace(&ctx, &value, 1, &image, &size), TLV_BAD_PARAMETER);
}

/* More dimensions than a dense eigen-solver takes. */
TEST(test_large_dimension)
{
	enum
	{
		LARGE = TLV_EIGEN_LIMIT + 50,
		N = 400
	};
	double *x = tlv_alloc(&ctx, (size_t) LARGE * N, sizeof(double));
	tlv_accumulator *a = new_moments(2);
	tlv_frame subspace;
	const double *u;

	tlv_rng_fill_normal(&rng, (size_t) LARGE * N, x);
	for (size_t t = 0; t < N; t++)
	{
		x[t * LARGE + 3] *= 100;
		x[t * LARGE + 1000] *= 50;
	}
	add_rows(a, LARGE, x, 0, N);
	subspace = subspace_of(stored(a), 2);
	u = tlv_frame_float64(&subspace, "basis");
	assert_above(fabs(u[3]), 0.99);
	assert_above(fabs(u[LARGE + 1000]), 0.98);
	assert_above(tlv_frame_scalar(&subspace, "noise", 0), 0.9);
	assert_below(tlv_frame_scalar(&subspace, "noise", 0), 1.1);
}

RUN_TESTS(setup, teardown)
