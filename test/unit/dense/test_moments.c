/*
 * test_moments.c - moments of vectors against plain loops over rows,
 * merging of different shifts, the leading directions, and what cannot be summed.
 */
#include "assertions.h"
#include "pool.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/tensor3.h"

#define ROWS 700 /* more than two blocks */

static pool memory;
static tlv_context ctx;
static tlv_rng rng;
static tlv_frame_builder builder;

static int
setup(void **state)
{
	(void) state;
	tlv_num_init();
	pool_init(&memory, &ctx);
	tlv_rng_seed(&rng, 7);
	return 0;
}

static int
teardown(void **state)
{
	(void) state;
	pool_reset(&memory, &ctx);
	return 0;
}

static void
assert_near(double a, double b, double scale)
{
	if (!(fabs(a - b) <= 1e-10 * scale))
		fail_msg("%.17g instead of %.17g, scale %g", a, b, scale);
}

/* Rows about different means, skewed, of different scales. */
static double *
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

static tlv_accumulator *
new_moments(int order)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_dense_moments_create(&ctx, order, &accumulator));
	return accumulator;
}

static void
add_rows(tlv_accumulator *accumulator, size_t d, const double *x, size_t from, size_t to)
{
	for (size_t t = from; t < to; t++)
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_VECTOR(d, x + t * d)));
}

/* The stored value, which its own kind must accept. */
static tlv_frame
stored(tlv_accumulator *accumulator)
{
	const tlv_kind *kind;
	tlv_frame frame;
	void *image;
	size_t size;

	assert_ok(accumulator->class->build(&ctx, accumulator, &builder));
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	assert_ok(tlv_kind_validate(&ctx, image, size, TLV_FRAME_MOMENTS, &frame, &kind));
	assert_ptr_equal(kind->accumulator, accumulator->class);
	return frame;
}

static tlv_accumulator *
empty_like(tlv_frame frame)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_kind_find(TLV_FRAME_MOMENTS, frame.header->kind)
				  ->accumulator->create(&ctx, &accumulator));
	return accumulator;
}

static void
merge(tlv_accumulator *accumulator, tlv_frame frame)
{
	assert_ok(accumulator->class->merge(&ctx, accumulator, &frame));
}

static void
assert_same_bytes(tlv_frame a, tlv_frame b)
{
	assert_int_equal(a.header->size, b.header->size);
	assert_memory_equal(a.header, b.header, a.header->size);
}

static double
mean_of(size_t n, size_t d, const double *x, size_t j)
{
	double sum = 0;

	for (size_t t = 0; t < n; t++)
		sum += x[t * d + j];
	return sum / (double) n;
}

/* E[product of (x - m)] over the given elements. */
static double
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
static double
spread(size_t n, size_t d, const double *x, int order)
{
	double largest = 0;

	for (size_t j = 0; j < d; j++)
		largest = fmax(largest, central_of(n, d, x, 2, (size_t[2]){j, j}));
	return pow(largest, order / 2.0);
}

static void
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

static void
test_moments(void **state)
{
	static const size_t dimensions[] = {1, 2, 5, 7};

	(void) state;
	for (size_t i = 0; i < 4; i++)
		for (int order = 2; order <= 4; order++)
			for (size_t n = 1; n <= ROWS; n = n == 1 ? 255 : n == 255 ? 256 : n + 222)
			{
				size_t d = dimensions[i];
				double *x = draw_rows(n, d);
				tlv_accumulator *accumulator = new_moments(order);

				add_rows(accumulator, d, x, 0, n);
				check_central(stored(accumulator), n, d, x, order);
			}
}

/* Packed sums of fourth powers and the index, where pairs need several blocks. */
static void
test_packed4(void **state)
{
	enum
	{
		K = 23,
		N = 300
	};
	double *y = tlv_alloc(&ctx, K * N, sizeof(double));
	double *packed = tlv_alloc0(&ctx, tlv_packed4_size(K), sizeof(double));
	double *work = tlv_alloc(&ctx, tlv_tensor4_work(K), sizeof(double));
	size_t at = 0;

	(void) state;
	tlv_rng_fill_normal(&rng, K * N, y);
	assert_ok(tlv_packed4_add_fourths(&ctx, K, N, y, packed, work));
	for (size_t a = 0; a < K; a++)
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++)
				for (size_t e = 0; e <= c; e++, at++)
				{
					double sum = 0;

					assert_int_equal(tlv_packed4_index(a, b, c, e), at);
					if (at % 7 != 0 && e != c)
						continue;
					for (size_t t = 0; t < N; t++)
						sum += y[t * K + a] * y[t * K + b] * y[t * K + c] * y[t * K + e];
					assert_near(packed[at], sum, 1000);
				}
	assert_int_equal(at, tlv_packed4_size(K));
}

/* Parts with shifts of their own, in whatever order and nesting, are the whole. */
static void
test_merging(void **state)
{
	(void) state;
	for (int order = 2; order <= 4; order++)
	{
		size_t d = 4, bounds[5] = {0, 3, 300, 310, ROWS};
		double *x = draw_rows(ROWS, d);
		tlv_frame parts[4], ab, ba;
		tlv_accumulator *forwards, *backwards, *own;

		for (int p = 0; p < 4; p++)
		{
			tlv_accumulator *part = new_moments(order);

			add_rows(part, d, x, bounds[p], bounds[p + 1]);
			part->nulls = p;
			parts[p] = stored(part);
		}
		forwards = empty_like(parts[0]);
		backwards = empty_like(parts[0]);
		for (int p = 0; p < 4; p++)
		{
			merge(forwards, parts[p]);
			merge(backwards, parts[3 - p]);
		}
		assert_equal(forwards->nulls, 6);
		check_central(stored(forwards), ROWS, d, x, order);
		check_central(stored(backwards), ROWS, d, x, order);
		/* a copy, to the last bit */
		own = empty_like(parts[0]);
		merge(own, parts[2]);
		assert_same_bytes(stored(own), parts[2]);
		/* rows before and after a merge */
		own = new_moments(order);
		add_rows(own, d, x, 0, 3);
		merge(own, parts[1]);
		add_rows(own, d, x, 300, ROWS);
		check_central(stored(own), ROWS, d, x, order);
		/* a + b is b + a, also with as many rows */
		forwards = new_moments(order);
		add_rows(forwards, d, x, 0, 5);
		backwards = new_moments(order);
		add_rows(backwards, d, x, 5, 10);
		ab = stored(forwards);
		ba = stored(backwards);
		merge(forwards, ba);
		merge(backwards, ab);
		assert_same_bytes(stored(forwards), stored(backwards));
	}
}

/* A first row far away, and parts far from each other: the rounding stays that of the data. */
static void
test_far_shifts(void **state)
{
	size_t d = 3, n = 600;
	double *x = draw_rows(n, d);
	tlv_accumulator *a = new_moments(4), *b = new_moments(4);

	(void) state;
	for (size_t i = 0; i < n * d; i++)
		x[i] += i < 300 * d ? 1e6 : 1e6 + 5000;
	add_rows(a, d, x, 0, 300);
	add_rows(b, d, x, 300, n);
	merge(a, stored(b));
	{
		tlv_frame frame = stored(a);
		tlv_dense_central central;

		assert_ok(tlv_dense_central_compute(&ctx, &frame, &central));
		for (size_t j = 0; j < d; j++)
		{
			double value = central_of(n, d, x, 4, (size_t[4]){j, j, j, j});

			assert_close(central.fourth[tlv_packed4_index(j, j, j, j)] / value, 1, 1e-8);
		}
	}
}

/* build() changes nothing; of no rows at all there is a value, too. */
static void
test_building(void **state)
{
	size_t d = 5;
	double *x = draw_rows(ROWS, d);
	tlv_accumulator *accumulator = new_moments(3), *nothing = new_moments(3);
	tlv_frame first, empty;

	(void) state;
	add_rows(accumulator, d, x, 0, 40);
	first = stored(accumulator);
	assert_same_bytes(first, stored(accumulator));
	add_rows(accumulator, d, x, 40, ROWS);
	check_central(stored(accumulator), ROWS, d, x, 3);
	nothing->nulls = 4;
	empty = stored(nothing);
	assert_equal(tlv_frame_scalar(&empty, "order", 0), 3);
	accumulator = empty_like(first);
	merge(accumulator, empty);
	merge(accumulator, first);
	assert_equal(accumulator->nulls, 4);
	accumulator->nulls = 0;
	assert_same_bytes(stored(accumulator), first);
	{
		tlv_dense_central central;

		assert_int_equal(tlv_dense_central_compute(&ctx, &empty, &central), TLV_BAD_DATA);
		tlv_dense_central_free(&ctx, &central);
	}
}

static void
assert_refused(tlv_status status, tlv_status expected, const char *part)
{
	assert_int_equal(status, expected);
	if (strstr(ctx.error.message, part) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", ctx.error.message, part);
}

static void
test_bad_rows(void **state)
{
	double good[3] = {1, 2, 3}, bad[3] = {1, NAN, 3}, wide[3] = {1, 2, 1e100}, *many;
	tlv_accumulator *a = new_moments(3), *b;
	tlv_frame frame;

	(void) state;
	assert_refused(tlv_add(&ctx, a, TLV_AS_VECTOR(0, good)), TLV_BAD_DATA, "no elements");
	assert_refused(tlv_add(&ctx, a, TLV_AS_VECTOR(3, bad)), TLV_BAD_DATA, "element 2 of a vector");
	add_rows(a, 3, good, 0, 1);
	frame = stored(a);
	assert_refused(tlv_add(&ctx, a, TLV_AS_VECTOR(2, good)), TLV_BAD_DATA, "length 2");
	assert_refused(tlv_add(&ctx, a, TLV_AS_VECTOR(3, bad)), TLV_BAD_DATA, "element 2 of a vector");
	bad[1] = -INFINITY;
	assert_refused(tlv_add(&ctx, a, TLV_AS_VECTOR(3, bad)), TLV_BAD_DATA, "infinite");
	assert_refused(tlv_add(&ctx, a, TLV_AS_VECTOR(3, wide)), TLV_BAD_DATA, "element 3");
	assert_string_not_equal(ctx.error.hint, "");
	assert_same_bytes(stored(a), frame);
	/* the limits of every order */
	assert_refused(tlv_dense_moments_create(&ctx, 5, &b), TLV_BAD_PARAMETER, "max_order = 5");
	assert_refused(tlv_dense_moments_create(&ctx, 1, &b), TLV_BAD_PARAMETER, "max_order = 1");
	many = tlv_alloc0(&ctx, TLV_DENSE_MOST_2 + 1, sizeof(double));
	for (int order = 2; order <= 4; order++)
	{
		size_t most = order == 2 ? TLV_DENSE_MOST_2 : order == 3 ? TLV_DENSE_MOST_3 : 60;

		b = new_moments(order);
		assert_int_equal(tlv_add(&ctx, b, TLV_AS_VECTOR(most + 1, many)), TLV_LIMIT);
		assert_string_not_equal(ctx.error.hint, "");
		assert_ok(tlv_add(&ctx, b, TLV_AS_VECTOR(most, many)));
	}
	/* other orders, other dimensions */
	b = new_moments(4);
	assert_refused(b->class->merge(&ctx, b, &frame), TLV_BAD_PARAMETER, "order");
	b = new_moments(3);
	add_rows(b, 2, good, 0, 1);
	assert_refused(b->class->merge(&ctx, b, &frame), TLV_BAD_DATA, "length 2");
	/* too far apart to be merged */
	wide[2] = -1e100;
	b = new_moments(3);
	add_rows(b, 3, wide, 0, 1);
	assert_refused(b->class->merge(&ctx, b, &frame), TLV_BAD_DATA, "element 3");
}

/* Huge and tiny numbers: summed where they can be, refused in words where they cannot. */
static void
test_magnitudes(void **state)
{
	(void) state;
	for (int order = 2; order <= 4; order++)
	{
		double reach = order == 2 ? 1e139 : order == 3 ? 1e94 : 1e71;
		double vanishing = order == 2 ? 1e-160 : order == 3 ? 1e-110 : 1e-80;
		double factors[3] = {reach, 1 / reach * 1e10, 1};
		double *x = draw_rows(400, 2);

		for (int f = 0; f < 3; f++)
		{
			double *y = tlv_alloc(&ctx, 800, sizeof(double));
			tlv_accumulator *a = new_moments(order);
			tlv_dense_central central = {0};
			tlv_frame frame;

			for (int i = 0; i < 800; i++)
				y[i] = x[i] / 50 * factors[f];
			add_rows(a, 2, y, 0, 400);
			frame = stored(a);
			if (factors[f] >= 1 / 1e70)
				assert_ok(tlv_dense_central_compute(&ctx, &frame, &central));
			tlv_dense_central_free(&ctx, &central);
		}
		for (int total = 0; total < 2; total++)
		{
			double rows[4] = {0, 1, total ? 1e-300 : vanishing, 2};
			tlv_accumulator *a = new_moments(order);
			tlv_dense_central central;
			tlv_frame frame;

			add_rows(a, 2, rows, 0, 2);
			frame = stored(a);
			assert_refused(tlv_dense_central_compute(&ctx, &frame, &central), TLV_BAD_DATA,
						   "element 1");
			tlv_dense_central_free(&ctx, &central);
		}
	}
	/* 1e300 and its neighbours: nothing to overflow as long as they are equal */
	{
		double rows[6] = {1e300, 1, 1e300, 2, -1e300, 2};
		tlv_accumulator *a = new_moments(4);

		add_rows(a, 2, rows, 0, 2);
		stored(a);
		assert_refused(tlv_add(&ctx, a, TLV_AS_VECTOR(2, rows + 4)), TLV_BAD_DATA, "overflow");
	}
}

/* ---- leading directions ---- */

static tlv_frame
subspace_of(tlv_frame moments, size_t p)
{
	const tlv_kind *kind;
	tlv_frame frame;
	void *image;
	size_t size;

	assert_ok(tlv_dense_subspace(&ctx, &moments, p, &image, &size));
	assert_ok(tlv_kind_validate(&ctx, image, size, TLV_FRAME_SUBSPACE, &frame, &kind));
	assert_ptr_equal(kind, &tlv_kind_dense_subspace);
	return frame;
}

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

static void
test_compressed(void **state)
{
	(void) state;
	check_compressed(6, 2, 4);
	check_compressed(6, 6, 3);
	check_compressed(5, 3, 2);
	check_compressed(1, 1, 4);
}

static void
test_subspace(void **state)
{
	size_t d = 6;
	double *x = draw_rows(ROWS, d);
	tlv_accumulator *a = new_moments(2), *one, *two;
	tlv_frame moments, subspace, other, value;
	tlv_dense_central central;
	void *image;
	size_t size;

	(void) state;
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
	assert_refused(tlv_add(&ctx, one, TLV_AS_VECTOR(5, x)), TLV_BAD_DATA, "length 5");
	value = stored(two);
	assert_refused(one->class->merge(&ctx, one, &value), TLV_BAD_PARAMETER, "different");
	assert_int_equal(tlv_dense_subspace(&ctx, &value, 1, &image, &size), TLV_BAD_PARAMETER);
}

/* More dimensions than a dense eigen-solver takes. */
static void
test_large_dimension(void **state)
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

	(void) state;
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

/* At every limit an error, at every stop an end. */
static void
test_limits_and_stops(void **state)
{
	double *x = draw_rows(600, 30);

	(void) state;
	for (size_t limit = 1000; limit < 40000000; limit = limit * 3 / 2)
	{
		tlv_accumulator *a;
		tlv_status status;

		ctx.arena.limit = ctx.arena.used + limit;
		status = tlv_dense_moments_create(&ctx, 4, &a);
		for (size_t t = 0; t < 600 && status == TLV_OK; t++)
			status = tlv_add(&ctx, a, TLV_AS_VECTOR(30, x + 30 * t));
		if (status != TLV_OK)
			assert_equal(status, TLV_MEMORY_LIMIT);
	}
	ctx.arena.limit = SIZE_MAX;
	for (size_t stop = 1; stop < 6; stop++)
	{
		tlv_accumulator *a = new_moments(4);
		tlv_status status = TLV_OK;

		memory.calls = 0;
		memory.stop_at = stop;
		for (size_t t = 0; t < 600 && status == TLV_OK; t++)
			status = tlv_add(&ctx, a, TLV_AS_VECTOR(30, x + 30 * t));
		assert_int_equal(status, TLV_CANCELLED);
		assert_int_equal(memory.stopped_calls, 0);
		memory.stop_at = 0;
	}
}

/* Values that were tampered with: the kind's own rules. */
static void
test_checks(void **state)
{
	size_t d = 3;
	double *x = draw_rows(50, d);
	tlv_accumulator *a = new_moments(3);
	tlv_frame frame;

	(void) state;
	add_rows(a, d, x, 0, 50);
	frame = stored(a);
	for (uint32_t s = 0; s < frame.header->sections; s++)
	{
		const tlv_section *section = &frame.table[s];
		double *number = (double *) tlv_section_data(&frame, section), old = *number;

		if (strcmp(section->name, "shift") == 0 || strcmp(section->name, "sum1") == 0 ||
			strcmp(section->name, "sum3") == 0)
			continue; /* any finite number may stand there */
		*number = -1;
		assert_int_equal(tlv_kind_dense_moments.check(&ctx, &frame), TLV_CORRUPT);
		*number = old;
		assert_ok(tlv_kind_dense_moments.check(&ctx, &frame));
		((tlv_section *) section)->rows++;
		assert_int_equal(tlv_kind_dense_moments.check(&ctx, &frame), TLV_CORRUPT);
		((tlv_section *) section)->rows--;
	}
	{
		tlv_frame subspace = subspace_of(frame, 2);
		double *basis = (double *) tlv_frame_float64(&subspace, "basis");

		basis[0] += 1e-3;
		assert_int_equal(tlv_kind_dense_subspace.check(&ctx, &subspace), TLV_CORRUPT);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_moments, setup, teardown),
		cmocka_unit_test_setup_teardown(test_packed4, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merging, setup, teardown),
		cmocka_unit_test_setup_teardown(test_far_shifts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_building, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(test_magnitudes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_compressed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_subspace, setup, teardown),
		cmocka_unit_test_setup_teardown(test_large_dimension, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limits_and_stops, setup, teardown),
		cmocka_unit_test_setup_teardown(test_checks, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
