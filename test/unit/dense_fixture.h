/*
 * dense_fixture.h - skewed rows, their stored moments, and central moments by plain
 * loops.
 */
#ifndef TENSORLV_TEST_DENSE_FIXTURE_H
#define TENSORLV_TEST_DENSE_FIXTURE_H

#define RNG_SEED 7
#include "pool_setup.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/num/tensor3.h"

#define ROWS 700 /* more than two blocks */

static inline void
assert_near(double a, double b, double scale)
{
	if (!(fabs(a - b) <= 1e-10 * scale))
		fail_msg("%.17g instead of %.17g, scale %g", a, b, scale);
}

/* Rows about different means, skewed, of different scales. */
static inline double *
draw_rows(size_t n, size_t d)
{
	double *x = tlv_alloc(&ctx, n * d, sizeof(double));

	for (size_t t = 0; t < n; t++)
		for (size_t j = 0; j < d; j++)
		{
			double z = tlv_rng_normal(&rng);

			x[t * d + j] = 3 * (double) j + (z + 0.3 * z * z) * (1 + (double) j / 2) +
						   (j > 0 ? 0.5 * x[t * d + j - 1] : 0);
		}
	return x;
}

static inline tlv_accumulator *
new_moments(int order)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_dense_moments_create(&ctx, order, &accumulator));
	return accumulator;
}

static inline void
add_rows(tlv_accumulator *accumulator, size_t d, const double *x, size_t from, size_t to)
{
	for (size_t t = from; t < to; t++)
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_VECTOR(d, x + t * d)));
}

static inline tlv_accumulator *
empty_like(tlv_frame frame)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_accumulator_create(&ctx, frame.kind->accumulator, &accumulator));
	return accumulator;
}

static inline void
merge(tlv_accumulator *accumulator, tlv_frame frame)
{
	assert_ok(accumulator->class->merge(&ctx, accumulator, &frame));
}

static inline double
mean_of(size_t n, size_t d, const double *x, size_t j)
{
	double sum = 0;

	for (size_t t = 0; t < n; t++)
		sum += x[t * d + j];
	return sum / (double) n;
}

/* E[product of (x - m)] over the given elements. */
static inline double
central_of(size_t n, size_t d, const double *x, int order, const size_t *index)
{
	double m[4], sum = 0;

	for (int i = 0; i < order; i++)
		m[i] = mean_of(n, d, x, index[i]);
	for (size_t t = 0; t < n; t++)
	{
		double product = 1;

		for (int i = 0; i < order; i++)
			product *= x[t * d + index[i]] - m[i];
		sum += product;
	}
	return sum / (double) n;
}

/* What the entries of one order are measured by. */
static inline double
spread(size_t n, size_t d, const double *x, int order)
{
	double largest = 0;

	for (size_t j = 0; j < d; j++)
		largest = fmax(largest, central_of(n, d, x, 2, (size_t[2]){j, j}));
	return pow(largest, order / 2.0);
}

static inline void
check_central(tlv_frame frame, size_t n, size_t d, const double *x, int order)
{
	tlv_dense_central central;

	assert_ok(tlv_dense_central_compute(&ctx, &frame, &central));
	assert_int_equal(central.d, d);
	assert_int_equal(central.order, order);
	assert_equal(central.rows, (double) n);
	assert_equal(central.third == NULL, order < 3);
	assert_equal(central.fourth == NULL, order < 4);
	for (size_t a = 0; a < d; a++)
	{
		assert_near(central.mean[a], mean_of(n, d, x, a), 100);
		for (size_t b = 0; b <= a; b++)
		{
			double value = central_of(n, d, x, 2, (size_t[2]){a, b});

			assert_near(central.covariance[a + d * b], value, spread(n, d, x, 2));
			assert_equal(central.covariance[a + d * b], central.covariance[b + d * a]);
			for (size_t c = 0; c <= b && order >= 3; c++)
			{
				value = central_of(n, d, x, 3, (size_t[3]){a, b, c});
				assert_near(central.third[tlv_packed3_index(a, b, c)], value, spread(n, d, x, 3));
				for (size_t e = 0; e <= c && order >= 4; e++)
				{
					value = central_of(n, d, x, 4, (size_t[4]){a, b, c, e});
					assert_near(central.fourth[tlv_packed4_index(a, b, c, e)], value,
								spread(n, d, x, 4));
				}
			}
		}
	}
	tlv_dense_central_free(&ctx, &central);
}

/* ---- leading directions ---- */

static inline tlv_frame
subspace_of(tlv_frame moments, size_t p)
{
	tlv_frame frame;

	frame = MADE(tlv_dense_subspace, &moments, p);
	assert_ptr_equal(frame.kind, &tlv_kind_dense_subspace);
	return frame;
}

#endif /* TENSORLV_TEST_DENSE_FIXTURE_H */
