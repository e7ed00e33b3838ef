/*
 * test_moments.c - moments of vectors against plain loops over rows,
 * merging of different shifts, and what cannot be summed.
 */
#include "dense_fixture.h"

TEST(test_moments)
{
	static const size_t dimensions[] = {1, 2, 5, 7};

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
TEST(test_packed4)
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
TEST(test_merging)
{
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
TEST(test_far_shifts)
{
	size_t d = 3, n = 600;
	double *x = draw_rows(n, d);
	tlv_accumulator *a = new_moments(4), *b = new_moments(4);

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
TEST(test_building)
{
	size_t d = 5;
	double *x = draw_rows(ROWS, d);
	tlv_accumulator *accumulator = new_moments(3), *nothing = new_moments(3);
	tlv_frame first, empty;

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

TEST(test_bad_rows)
{
	double good[3] = {1, 2, 3}, bad[3] = {1, NAN, 3}, wide[3] = {1, 2, 1e100}, *many;
	tlv_accumulator *a = new_moments(3), *b;
	tlv_frame frame;

	assert_fails(tlv_add(&ctx, a, TLV_AS_VECTOR(0, good)), TLV_BAD_DATA, "no elements");
	assert_fails(tlv_add(&ctx, a, TLV_AS_VECTOR(3, bad)), TLV_BAD_DATA, "element 2 of a vector");
	add_rows(a, 3, good, 0, 1);
	frame = stored(a);
	assert_fails(tlv_add(&ctx, a, TLV_AS_VECTOR(2, good)), TLV_BAD_DATA, "length 2");
	assert_fails(tlv_add(&ctx, a, TLV_AS_VECTOR(3, bad)), TLV_BAD_DATA, "element 2 of a vector");
	bad[1] = -INFINITY;
	assert_fails(tlv_add(&ctx, a, TLV_AS_VECTOR(3, bad)), TLV_BAD_DATA, "infinite");
	assert_fails(tlv_add(&ctx, a, TLV_AS_VECTOR(3, wide)), TLV_BAD_DATA, "element 3");
	assert_string_not_equal(ctx.error.hint, "");
	assert_same_bytes(stored(a), frame);
	/* the limits of every order */
	assert_fails(tlv_dense_moments_create(&ctx, 5, &b), TLV_BAD_PARAMETER, "max_order = 5");
	assert_fails(tlv_dense_moments_create(&ctx, 1, &b), TLV_BAD_PARAMETER, "max_order = 1");
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
	assert_fails(b->class->merge(&ctx, b, &frame), TLV_BAD_PARAMETER, "order");
	b = new_moments(3);
	add_rows(b, 2, good, 0, 1);
	assert_fails(b->class->merge(&ctx, b, &frame), TLV_BAD_DATA, "length 2");
	/* too far apart to be merged */
	wide[2] = -1e100;
	b = new_moments(3);
	add_rows(b, 3, wide, 0, 1);
	assert_fails(b->class->merge(&ctx, b, &frame), TLV_BAD_DATA, "element 3");
}

/* Huge and tiny numbers: summed where they can be, refused in words where they cannot. */
TEST(test_magnitudes)
{
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
			assert_fails(tlv_dense_central_compute(&ctx, &frame, &central), TLV_BAD_DATA,
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
		assert_fails(tlv_add(&ctx, a, TLV_AS_VECTOR(2, rows + 4)), TLV_BAD_DATA, "overflow");
	}
}

/* At every limit an error, at every stop an end. */
static tlv_status
moments_of_order_4(size_t n, size_t d, const double *x)
{
	tlv_accumulator *accumulator;

	TLV_TRY(tlv_dense_moments_create(&ctx, 4, &accumulator));
	for (size_t t = 0; t < n; t++)
		TLV_TRY(tlv_add(&ctx, accumulator, TLV_AS_VECTOR(d, x + d * t)));
	return TLV_OK;
}

TEST(test_limits_and_stops)
{
	double *x = draw_rows(600, 30);

	assert_above(COUNT_REFUSALS(400000, moments_of_order_4(600, 30, x)), 0);
	for (size_t look = 1; look < 6; look++)
		assert_cancelled_at(look, moments_of_order_4(600, 30, x));
}

/* Values that were tampered with: the kind's own rules. */
TEST(test_checks)
{
	size_t d = 3;
	double *x = draw_rows(50, d);
	tlv_accumulator *a = new_moments(3);
	tlv_frame frame;

	add_rows(a, d, x, 0, 50);
	frame = stored(a);
	for (uint32_t s = 0; s < frame.header->sections; s++)
	{
		const tlv_section *section = &frame.table[s];
		double *number = (double *) tlv_section_data(&frame, section), old = *number;

		if (section->rows == 0 || strcmp(section->name, "shift") == 0 ||
			strcmp(section->name, "sum1") == 0 || strcmp(section->name, "sum3") == 0)
			continue; /* nothing, or any finite number may stand there */
		*number = -1;
		assert_int_equal(tlv_kind_check(&ctx, &tlv_kind_dense_moments, &frame), TLV_CORRUPT);
		*number = old;
		assert_ok(tlv_kind_check(&ctx, &tlv_kind_dense_moments, &frame));
		((tlv_section *) section)->rows++;
		assert_int_equal(tlv_kind_check(&ctx, &tlv_kind_dense_moments, &frame), TLV_CORRUPT);
		((tlv_section *) section)->rows--;
	}
	{
		tlv_frame subspace = subspace_of(frame, 2);
		double *basis = (double *) tlv_frame_float64(&subspace, "basis");

		basis[0] += 1e-3;
		assert_int_equal(tlv_kind_check(&ctx, &tlv_kind_dense_subspace, &subspace), TLV_CORRUPT);
	}
}

RUN_TESTS(setup, teardown)
