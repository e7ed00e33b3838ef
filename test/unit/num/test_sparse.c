/*
 * test_sparse.c - sparse rows times blocks against plain loops; transposes, sums, labels.
 */
#include "sparse_fixture.h"
#include "num/linear/block_float.h"

/* ---- sparse rows ---- */

static void
assert_product(const tlv_csr *a, size_t l, const float *x, const float *y)
{
	for (size_t i = 0; i < a->rows; i++)
		for (size_t c = 0; c < l; c++)
		{
			double sum = 0, size = 0;

			for (size_t p = a->start[i]; p < a->start[i + 1]; p++)
			{
				double term = entry(a, p) * (double) x[(size_t) a->index[p] * l + c];

				sum += term;
				size += fabs(term);
			}
			/* Not a number fails, too. */
			if (!(fabs(sum - (double) y[i * l + c]) <= 1e-5 * size))
				fail_msg("l = %zu, row %zu, column %zu: %g instead of %g", l, i, c,
						 (double) y[i * l + c], sum);
		}
}

static void
check_widths(const tlv_csr *a, size_t from, size_t to, size_t step)
{
	for (size_t l = from; l <= to; l += step)
	{
		float *x = random_block(l, a->columns), *y = empty_block(l, a->rows);

		assert_ok(tlv_csr_multiply(&ctx, a, l, x, y));
		assert_product(a, l, x, y);
	}
}

TEST(test_multiply)
{
	for (int weighted = 0; weighted < 2; weighted++)
	{
		tlv_csr a = random_csr(60, 45, 0.2, weighted);

		check_widths(&a, 1, 150, 1);
		check_widths(&a, 197, 1000, 201);
		tlv_csr_free(&ctx, &a);
	}
}

/* Rows that are summed in segments and in interruptible parts. */
TEST(test_multiply_long_rows)
{
	static const size_t widths[] = {1, 3, 20, 200, 1000};

	for (int weighted = 0; weighted < 2; weighted++)
	{
		tlv_csr a = random_csr(3, 10000, 0.003, weighted);

		for (size_t i = 0; i < 5; i++)
			check_widths(&a, widths[i], widths[i], 1);
		tlv_csr_free(&ctx, &a);
	}
}

TEST(test_multiply_rows)
{
	size_t l = 21;
	tlv_csr a = random_csr(50, 40, 0.3, true);
	float *x = random_block(l, 40), *all = empty_block(l, 50), *some = empty_block(l, 50);

	assert_ok(tlv_csr_multiply(&ctx, &a, l, x, all));
	tlv_csr_multiply_rows(&a, 0, 13, l, x, some);
	tlv_csr_multiply_rows(&a, 13, 0, l, x, some + 13 * l);
	tlv_csr_multiply_rows(&a, 13, 37, l, x, some + 13 * l);
	assert_memory_equal(all, some, 50 * l * sizeof(float));
	tlv_csr_free(&ctx, &a);
}

TEST(test_multiply_nothing)
{
	tlv_csr a;
	float x[12] = {0}, y[12];

	assert_ok(tlv_csr_create(&ctx, 4, 3, 0, false, &a));
	for (int i = 0; i < 12; i++)
		y[i] = 7;
	assert_ok(tlv_csr_multiply(&ctx, &a, 3, x, y));
	for (int i = 0; i < 12; i++)
		assert_equal(y[i], 0);
	assert_ok(tlv_csr_multiply(&ctx, &a, 0, x, y));
	tlv_csr_free(&ctx, &a);
	assert_ok(tlv_csr_create(&ctx, 0, 0, 0, true, &a));
	assert_ok(tlv_csr_multiply(&ctx, &a, 3, x, y));
	tlv_csr_free(&ctx, &a);
	assert_int_equal(tlv_csr_create(&ctx, (size_t) INT32_MAX + 1, 1, 0, true, &a), TLV_LIMIT);
}

TEST(test_transpose)
{
	for (int weighted = 0; weighted < 2; weighted++)
	{
		tlv_csr a = random_csr(31, 17, 0.3, weighted), t, back;

		assert_ok(tlv_csr_transpose(&ctx, &a, &t));
		assert_int_equal(t.rows, 17);
		assert_int_equal(t.columns, 31);
		assert_int_equal(t.start[17], a.entries);
		for (size_t j = 0; j < 17; j++)
			for (size_t p = t.start[j] + 1; p < t.start[j + 1]; p++)
				assert_below(t.index[p - 1], t.index[p]);
		assert_ok(tlv_csr_transpose(&ctx, &t, &back));
		assert_memory_equal(back.start, a.start, 32 * sizeof(size_t));
		assert_memory_equal(back.index, a.index, a.entries * sizeof(int32_t));
		if (weighted)
			assert_memory_equal(back.value, a.value, a.entries * sizeof(float));
		tlv_csr_free(&ctx, &back);
		tlv_csr_free(&ctx, &t);
		tlv_csr_free(&ctx, &a);
	}
}

TEST(test_row_sums)
{
	for (int weighted = 0; weighted < 2; weighted++)
	{
		tlv_csr a = random_csr(40, 50, 0.4, weighted);
		double sums[40];

		tlv_csr_row_sums(&a, sums);
		for (size_t i = 0; i < 40; i++)
		{
			double sum = 0;

			for (size_t p = a.start[i]; p < a.start[i + 1]; p++)
				sum += entry(&a, p);
			assert_close(sum, sums[i], 1e-9);
		}
		tlv_csr_free(&ctx, &a);
	}
}

TEST(test_cancel)
{
	size_t l = 1000, rank;
	tlv_csr a = random_csr(2, 20000, 0.1, false), t;
	float *x = random_block(l, 20000), *y = empty_block(l, 2);
	double *gram = room(l * l, sizeof(double));

	assert_cancelled_at(2, tlv_csr_multiply(&ctx, &a, l, x, y));
	assert_int_equal(ctx.error.code, TLV_CANCELLED);
	assert_cancelled_at(1, tlv_csr_transpose(&ctx, &a, &t));
	assert_null(t.start);
	assert_cancelled_at(1, tlv_gram_float(&ctx, 20000, l, x, l, x, gram));
	assert_cancelled_at(1, tlv_rotate_float(&ctx, 20000, l, x, l, gram));
	assert_cancelled_at(1, tlv_orthonormalize_roughly(&ctx, l, 20000, x, &rng, &rank));
	tlv_csr_free(&ctx, &a);
}

TEST(test_memory_limit)
{
	tlv_csr a = random_csr(20, 20, 0.5, true), t;

	for (size_t spare = 0; spare < 20 * 8 * 12; spare += 100)
	{
		assert_short_of_memory(spare, tlv_csr_transpose(&ctx, &a, &t));
		assert_null(t.start);
	}
	tlv_csr_free(&ctx, &a);
}

RUN_TESTS(setup, teardown)
