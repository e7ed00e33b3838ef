/*
 * test_bootstrap.c - replicates of the tables of pairs: what they keep, how they spread, and the
 * parts of the rows that they have, which are merged.
 */
#include "category_fixture.h"

/* ---- the bootstrap ---- */

/* A replicate has whole rows: of its tables, margins and sums agree. */
static void
check_replicate(const tlv_category_tables *replicate)
{
	const tlv_category_tables one = *replicate;

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

/* Of a count c the replicates have mean c, and the variance is that of counts in a sample, to some
 * part. */
static void
check_spread(size_t replicates, const double *values, double count, double rows)
{
	double mean = 0, variance = 0, r = (double) replicates, expected = count * (1 - count / rows);

	for (size_t i = 0; i < replicates; i++)
		mean += values[i] / r;
	for (size_t i = 0; i < replicates; i++)
		variance += (values[i] - mean) * (values[i] - mean) / (r - 1);
	if (fabs(mean - count) > 5 * sqrt(count / r))
		fail_msg("mean %g of replicates of %g", mean, count);
	if (fabs(variance / expected - 1) > 8 * sqrt(2 / r))
		fail_msg("variance %g of replicates of %g, expected %g", variance, count, expected);
}

/* The parts are of all rows, and replicates spread as samples do. */
static void
check_replicates(const rows *data, size_t replicates)
{
	tlv_frame frame = collect(data, replicates, 5), plain = collect(data, 0, 5);
	tlv_category_tables tables = opened(&frame), one;
	double *values = tlv_alloc(&ctx, replicates * tables.pair_entries, sizeof(double));
	tlv_rng rng;

	check_all(data, &frame);
	assert_int_equal(tables.replicates, replicates);
	assert_memory_equal(tables.pairs, tlv_frame_float64(&plain, "pairs"),
						tables.pair_entries * sizeof(double));
	for (size_t i = 0; i < tables.pair_entries; i++)
	{
		double sum = 0;

		for (size_t r = 0; r < replicates; r++)
			sum += tables.part_pairs[r * tables.pair_entries + i];
		assert_equal(sum, tables.pairs[i]);
	}
	tlv_rng_seed(&rng, 3);
	assert_ok(tlv_category_replicate_create(&ctx, &tables, &one));
	for (size_t r = 0; r < replicates; r++)
	{
		assert_ok(tlv_category_replicate_draw(&ctx, &tables, &rng, &one));
		check_replicate(&one);
		for (size_t i = 0; i < tables.pair_entries; i++) /* of as many rows */
			values[i * replicates + r] = one.pairs[i] * tables.rows / one.rows;
	}
	for (size_t i = 0; i < tables.pair_entries; i++)
		if (tables.pairs[i] >= 50)
			check_spread(replicates, values + i * replicates, tables.pairs[i], tables.rows);
	tlv_category_replicate_free(&ctx, &one);
	tlv_category_close(&ctx, &tables);
}

TEST(test_replicates)
{
	static const int binary[8] = {2, 2, 3, 2, 2, 2, 2, 2}, many[6] = {30, 60, 2, 31, 28, 40};
	rows few = draw_rows(3000, 8, binary, 0.2), wide = draw_rows(3000, 6, many, 0.2);
	rows long_rows = draw_rows(17000, 4, binary, 0.2);

	check_replicates(&few, 301);
	check_replicates(&wide, 300 / EVERY(10));
	check_replicates(&long_rows, 50 / EVERY(5));
}

/* Parts are merged by number; equal seeds and rows give equal bytes, other seeds do not. */
TEST(test_replicate_merge)
{
	static const int states[5] = {2, 3, 2, 5, 2};
	rows data = draw_rows(800, 5, states, 0.1), part = data;
	tlv_frame parts[2], sum, same = collect(&data, 7, 1), again = collect(&data, 7, 1);
	tlv_frame other = collect(&data, 7, 2);
	const double *a, *b, *both;

	assert_true(same_bytes(&same, &again));
	assert_false(same_bytes(&same, &other));
	part.n = 400;
	parts[0] = collect(&part, 7, 1);
	part.x = data.x + 400 * data.p;
	parts[1] = collect(&part, 7, 1);
	sum = merged(2, parts);
	check_all(&data, &sum);
	a = tlv_frame_float64(&parts[0], "part_rows");
	b = tlv_frame_float64(&parts[1], "part_rows");
	both = tlv_frame_float64(&sum, "part_rows");
	for (size_t r = 0; r < 7; r++)
		assert_equal(both[r], a[r] + b[r]);
	a = tlv_frame_float64(&parts[0], "part_pairs");
	b = tlv_frame_float64(&parts[1], "part_pairs");
	both = tlv_frame_float64(&sum, "part_pairs");
	for (size_t i = 0; i < 7 * tlv_frame_find(&sum, "part_pairs")->rows; i++)
		assert_equal(both[i], a[i] + b[i]);
}

/* Replicates that an earlier version has drawn, in the text form and in tables, which are not
 * checked. */
TEST(test_gone)
{
	static const char *const replaced[] = {"part_rows", NULL};
	static const int states[3] = {2, 3, 2};
	rows data = draw_rows(100, 3, states, 0.1);
	tlv_frame moments = collect(&data, 7, 1), other;
	tlv_category_tables tables;
	tlv_accumulator *accumulator = new_moments(7, 1);
	size_t size;
	void *image;

	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, TLV_KIND_CATEGORY_MOMENTS);
	tlv_frame_add_from(&builder, &moments, replaced);
	tlv_frame_add(&builder, "replicate_rows", TLV_FLOAT64, 7, 1,
				  tlv_frame_float64(&moments, "part_rows"));
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	assert_ok(tlv_frame_open(&ctx, image, size, &other));
	assert_int_equal(tlv_kind_check(&ctx, other.kind, &other), TLV_GONE);
	assert_int_equal(tlv_category_open(&ctx, &other, &tables), TLV_GONE);
	assert_int_equal(accumulator->class->merge(&ctx, accumulator, &other), TLV_GONE);
}

RUN_TESTS(setup, teardown)
