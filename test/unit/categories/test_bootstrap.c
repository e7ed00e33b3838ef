/*
 * test_bootstrap.c - replicates of the tables of pairs: what they keep, how they
 * spread, both ways of counting them, merging.
 */
#include "category_fixture.h"

/* ---- the bootstrap ---- */

/* A replicate is a weighting of the rows: of its tables, margins and sums agree. */
static void
check_replicate(const tlv_category_tables *all, size_t r)
{
	tlv_category_tables one;

	tlv_category_replicate(all, r, &one);
	for (size_t a = 0; a < one.p; a++)
		for (size_t b = a + 1; b < one.p; b++)
		{
			const double *table = tlv_category_pair(&one, a, b);
			size_t da = (size_t) one.states[a], db = (size_t) one.states[b];

			for (size_t x = 0; x < da; x++)
			{
				double sum = 0;

				for (size_t y = 0; y < db; y++)
					sum += table[x * db + y];
				assert_at_most(sum, one.singles[one.offset[a] + x]);
				if (b % 2 == 0) /* never missing */
					assert_equal(sum, one.singles[one.offset[a] + x]);
			}
		}
	for (size_t a = 0; a < one.p; a += 2)
	{
		double sum = 0;

		for (size_t x = one.offset[a]; x < one.offset[a + 1]; x++)
			sum += one.singles[x];
		assert_equal(sum, one.rows);
	}
}

/* Of a count c the replicates have mean and variance c. */
static void
check_spread(size_t replicates, const double *values, double count, double bound)
{
	double mean = 0, variance = 0, r = (double) replicates;

	for (size_t i = 0; i < replicates; i++)
		mean += values[i] / r;
	for (size_t i = 0; i < replicates; i++)
		variance += (values[i] - mean) * (values[i] - mean) / (r - 1);
	if (fabs(mean - count) > bound * sqrt(count / r))
		fail_msg("mean %g of replicates of %g", mean, count);
	if (fabs(variance / count - 1) > bound * sqrt(2 / r))
		fail_msg("variance %g of replicates of %g", variance, count);
}

static void
check_replicates(const rows *data, size_t replicates)
{
	tlv_frame frame = collect(data, replicates, 5), plain = collect(data, 0, 5);
	tlv_category_tables tables = opened(&frame);
	double *values = tlv_alloc(&ctx, replicates, sizeof(double));

	check_all(data, &frame);
	assert_int_equal(tables.replicates, replicates);
	assert_memory_equal(tables.pairs, tlv_frame_float64(&plain, "pairs"),
						tables.pair_entries * sizeof(double));
	check_spread(replicates, tables.replicate_rows, (double) data->n, 4.5);
	for (size_t r = 0; r < replicates; r++)
		check_replicate(&tables, r);
	for (size_t i = 0; i < tables.pair_entries; i++)
	{
		for (size_t r = 0; r < replicates; r++)
			values[r] = tables.replicate_pairs[r * tables.pair_entries + i];
		if (tables.pairs[i] >= 50)
			check_spread(replicates, values, tables.pairs[i], 4.5);
		if (tables.pairs[i] == 0)
			for (size_t r = 0; r < replicates; r++)
				assert_equal(values[r], 0);
	}
	tlv_category_close(&ctx, &tables);
}

static void
test_replicates(void **state)
{
	static const int binary[8] = {2, 2, 3, 2, 2, 2, 2, 2}, many[6] = {30, 60, 2, 31, 28, 40};
	rows few = draw_rows(3000, 8, binary, 0.2), wide = draw_rows(3000, 6, many, 0.2);
	rows long_rows = draw_rows(17000, 4, binary, 0.2);

	(void) state;
	check_replicates(&few, 301);
	check_replicates(&wide, 300);
	check_replicates(&long_rows, 50);
}

/* Sum over the cells of a table with x >= from[0] and y >= from[1]. */
static double
corner(const tlv_category_tables *tables, size_t a, size_t b, const size_t from[2])
{
	const double *table = tlv_category_pair(tables, a, b);
	size_t db = (size_t) tables->states[b];
	double sum = 0;

	for (size_t x = from[0]; x < (size_t) tables->states[a]; x++)
		for (size_t y = from[1]; y < db; y++)
			sum += table[x * db + y];
	return sum;
}

/* Tables of many states are counted in another way than those of few, with the same weights: two
 * variables of many states, and whether each is above a limit. */
static void
test_replicate_ways(void **state)
{
	static const int states[4] = {60, 50, 2, 2};
	static const size_t from[3][2] = {{0, 0}, {5, 4}, {1, 1}};
	rows data = draw_rows(1500, 4, states, 0.2);
	tlv_category_tables tables;
	tlv_frame frame;

	(void) state;
	for (size_t t = 0; t < data.n; t++)
	{
		int32_t *x = data.x + t * 4;

		x[2] = x[0] >= 5;
		x[3] = x[1] < 0 ? -1 : x[1] >= 4;
	}
	frame = collect(&data, 40, 3);
	tables = opened(&frame);
	for (size_t r = 0; r < 40; r++)
	{
		tlv_category_tables one;

		tlv_category_replicate(&tables, r, &one);
		assert_equal(corner(&one, 0, 1, from[0]), corner(&one, 2, 3, from[0]));
		assert_equal(corner(&one, 0, 1, from[1]), corner(&one, 2, 3, from[2]));
		assert_above(corner(&one, 0, 1, from[1]), 0);
	}
	tlv_category_close(&ctx, &tables);
}

/* Replicates are merged by number; equal seeds and rows give equal bytes, other seeds do not. */
static void
test_replicate_merge(void **state)
{
	static const int states[5] = {2, 3, 2, 5, 2};
	rows data = draw_rows(800, 5, states, 0.1), part = data;
	tlv_frame parts[2], sum, same = collect(&data, 7, 1), again = collect(&data, 7, 1);
	tlv_frame other = collect(&data, 7, 2);
	const double *a, *b, *both;

	(void) state;
	assert_true(same_bytes(&same, &again));
	assert_false(same_bytes(&same, &other));
	part.n = 400;
	parts[0] = collect(&part, 7, 1);
	part.x = data.x + 400 * data.p;
	parts[1] = collect(&part, 7, 1);
	sum = merged(2, parts);
	check_all(&data, &sum);
	a = tlv_frame_float64(&parts[0], "replicate_rows");
	b = tlv_frame_float64(&parts[1], "replicate_rows");
	both = tlv_frame_float64(&sum, "replicate_rows");
	for (size_t r = 0; r < 7; r++)
		assert_equal(both[r], a[r] + b[r]);
	a = tlv_frame_float64(&parts[0], "replicate_pairs");
	b = tlv_frame_float64(&parts[1], "replicate_pairs");
	both = tlv_frame_float64(&sum, "replicate_pairs");
	for (size_t i = 0; i < 7 * tlv_frame_find(&sum, "replicate_pairs")->rows; i++)
		assert_equal(both[i], a[i] + b[i]);
}

/* Rows of many equal values still weigh independently. */
static void
test_equal_rows(void **state)
{
	rows data = {2000, 2, tlv_alloc0(&ctx, 2000 * 2, sizeof(int32_t))};
	tlv_frame frame = collect(&data, 400, 9);

	(void) state;
	check_spread(400, tlv_frame_float64(&frame, "replicate_rows"), 2000, 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_replicates, setup, teardown),
		cmocka_unit_test_setup_teardown(test_replicate_ways, setup, teardown),
		cmocka_unit_test_setup_teardown(test_replicate_merge, setup, teardown),
		cmocka_unit_test_setup_teardown(test_equal_rows, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
