/*
 * test_moments.c - tables of pairs and triples of categorical variables
 * against plain loops over rows: few and many states, missing values, block
 * boundaries, growing states, merging, limits.
 */
#include "category_fixture.h"

/* ---- forged values ---- */

/* A value without variables has nothing beside its counters, which a merge would look into. */
TEST(test_forged_sections)
{
	static const int states[3] = {2, 3, 2};
	static const int64_t one = 1;
	rows data = draw_rows(20, 3, states, 0.1);
	tlv_frame real = collect(&data, 50, 1), forged;
	void *image;
	size_t size;

	for (int extra = 0; extra <= 1; extra++)
	{
		tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, TLV_KIND_CATEGORY_MOMENTS);
		tlv_frame_add_scalar(&builder, "rows", 0);
		tlv_frame_add_scalar(&builder, "nulls", 1);
		tlv_frame_add_scalar(&builder, "variables", 0);
		tlv_frame_add_scalar(&builder, "replicates", 50);
		if (extra == 1)
			tlv_frame_add(&builder, "part_rows", TLV_INT64, 1, 1, &one);
		assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
		assert_int_equal(tlv_kind_validate(&ctx, image, size, TLV_FRAME_MOMENTS, &forged),
						 extra == 1 ? TLV_CORRUPT : TLV_OK);
		if (extra == 0)
			forged = merged(2, (tlv_frame[]){real, forged});
	}
	/* nor has one with variables */
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, TLV_KIND_CATEGORY_MOMENTS);
	tlv_frame_add_from(&builder, &real, NULL);
	tlv_frame_add(&builder, "more", TLV_INT64, 1, 1, &one);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	assert_int_equal(tlv_kind_validate(&ctx, image, size, TLV_FRAME_MOMENTS, &forged), TLV_CORRUPT);
}

/* ---- counts ---- */

/* Binary variables, of few and of many states, mixed; rows about the words of a plane. */
TEST(test_counts)
{
	static const int binary[9] = {2, 2, 2, 2, 2, 2, 2, 2, 2};
	static const int mixed[9] = {2, 31, 3, 1, 40, 2, 5, 17, 4};
	static const int many[5] = {31, 25, 60, 31, 40};
	static const size_t sizes[] = {1, 3, 63, 64, 65, 511, 512, 513, 1500};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int m = 0; m < 2; m++)
		{
			rows few = draw_rows(sizes[i], 9, binary, 0.3 * m);
			rows some = draw_rows(sizes[i], 9, mixed, 0.3 * m);
			rows wide = draw_rows(sizes[i], 5, many, 0.3 * m);
			tlv_frame frames[3] = {collect(&few, 0, 1), collect(&some, 0, 1), collect(&wide, 0, 1)};

			check_all(&few, &frames[0]);
			check_all(&some, &frames[1]);
			check_all(&wide, &frames[2]);
			assert_equal(tlv_frame_scalar(&frames[0], "triples_kept", -1), 1);
		}
}

/* More than one block, and more variables than a group of planes has. */
TEST(test_blocks)
{
	int states[150];
	rows data;
	tlv_frame frame;

	for (size_t v = 0; v < 150; v++)
		states[v] = v % 10 == 0 ? 12 : 2;
	data = draw_rows(20000, 12, states, 0.1);
	frame = collect(&data, 0, 1);
	check_all(&data, &frame);
	data = draw_rows(700, 150, states, 0.1);
	frame = collect(&data, 0, 1);
	assert_null(tlv_frame_find(&frame, "triples"));
	check_all(&data, &frame);
}

/* Tables of the largest size, and a variable of 100 states beside binary ones. */
TEST(test_most_states)
{
	static const int states[5] = {100, 100, 2, 100, 1};
	rows data = draw_rows(3000, 5, states, 0.2);
	tlv_frame frame;

	for (size_t v = 0; v < 4; v++)
		data.x[v] = states[v] - 1;
	frame = collect(&data, 0, 1);
	assert_equal(tlv_frame_scalar(&frame, "most_states", 0), 100);
	assert_equal(tlv_frame_scalar(&frame, "triples_kept", -1), 1);
	check_all(&data, &frame);
}

/* Variables that are all missing, or always the same. */
TEST(test_degenerate)
{
	static const int states[4] = {3, 1, 2, 2};
	rows data = draw_rows(600, 4, states, 0), one = draw_rows(20, 1, states, 0);
	tlv_frame frame;
	double missing = 0;

	for (size_t t = 0; t < data.n; t++)
	{
		data.x[t * 4 + 2] = -1;
		if (t % 3 == 0)
			data.x[t * 4 + 1] = -1;
		if (t % 5 == 0)
			data.x[t * 4] = data.x[t * 4 + 1] = data.x[t * 4 + 3] = -1;
		for (size_t v = 0; v < 4 && t % 5 > 0; v++)
			missing += data.x[t * 4 + v] < 0;
	}
	frame = collect(&data, 3, 1);
	check_all(&data, &frame);
	assert_equal(tlv_frame_scalar(&frame, "missing", 0), missing);
	assert_equal(tlv_frame_scalar(&frame, "nulls", 0), 120); /* rows without a value */
	frame = collect(&one, 3, 1);
	check_all(&one, &frame);
	assert_int_equal(tlv_frame_find(&frame, "pairs")->rows, 0);
}

/* A value that a variable did not have before, in a later block and in a later build. */
TEST(test_growing_states)
{
	static const int states[6] = {2, 3, 2, 4, 2, 2};
	rows data = draw_rows(17000, 6, states, 0.1);
	tlv_accumulator *accumulator = new_moments(2, 1);
	rows half = data;
	tlv_frame frame;

	half.n = 9000;
	add_rows(accumulator, &data, 0, 9000);
	frame = stored(accumulator);
	check_all(&half, &frame);
	data.x[9500 * 6 + 2] = 30;
	data.x[16999 * 6] = 7;
	add_rows(accumulator, &data, 9000, 17000);
	frame = stored(accumulator);
	check_all(&data, &frame);
}

/* Triples are counted until they are too many, and stay dropped. */
TEST(test_dropped_triples)
{
	static const int states[12] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
	rows data = draw_rows(400, 12, states, 0.1), begin = data, rest = data;
	tlv_frame parts[2], sum, whole;

	for (size_t v = 0; v < 12; v++)
		data.x[300 * 12 + v] = 30;
	begin.n = 300;
	rest.n = 100;
	rest.x = data.x + 300 * data.p;
	parts[0] = collect(&begin, 0, 1);
	parts[1] = collect(&rest, 0, 1);
	assert_non_null(tlv_frame_find(&parts[0], "triples"));
	assert_null(tlv_frame_find(&parts[1], "triples"));
	sum = merged(2, parts);
	whole = collect(&data, 0, 1);
	check_all(&data, &sum);
	assert_true(same_bytes(&sum, &whole));
}

/* ---- merging ---- */

TEST(test_merging)
{
	static const int states[7] = {2, 9, 3, 2, 30, 2, 4};
	rows data = draw_rows(1000, 7, states, 0.2), part = data;
	static const size_t cuts[5] = {0, 3, 4, 600, 1000};
	tlv_frame parts[5], sum, whole = collect(&data, 0, 1), again;
	tlv_accumulator *accumulator;

	for (size_t i = 0; i < 4; i++)
	{
		part.n = cuts[i + 1] - cuts[i];
		part.x = data.x + cuts[i] * data.p;
		parts[i] = collect(&part, 0, 1);
	}
	sum = merged(4, parts);
	assert_true(same_bytes(&sum, &whole));
	/* a stored part, then rows */
	assert_ok(tlv_accumulator_create(&ctx, tlv_kind_category_moments.accumulator, &accumulator));
	assert_ok(accumulator->class->merge(&ctx, accumulator, &parts[0]));
	add_rows(accumulator, &data, 3, 600);
	assert_ok(accumulator->class->merge(&ctx, accumulator, &parts[3]));
	again = stored(accumulator);
	assert_true(same_bytes(&again, &whole));
	/* NULL rows alone */
	accumulator = new_moments(0, 1);
	accumulator->nulls = 2;
	parts[4] = stored(accumulator);
	parts[0] = whole;
	parts[1] = parts[4];
	sum = merged(2, parts);
	assert_equal(tlv_frame_scalar(&sum, "nulls", 0), 2);
	check_all(&data, &sum);
}

TEST(test_refused_merges)
{
	static const int states[4] = {2, 2, 3, 2};
	rows wide = draw_rows(10, 4, states, 0), narrow = draw_rows(10, 3, states, 0);
	tlv_frame frames[3] = {collect(&wide, 0, 1), collect(&narrow, 0, 1), collect(&wide, 5, 1)};
	tlv_accumulator *accumulator;

	assert_ok(tlv_accumulator_create(&ctx, tlv_kind_category_moments.accumulator, &accumulator));
	assert_ok(accumulator->class->merge(&ctx, accumulator, &frames[0]));
	assert_fails(accumulator->class->merge(&ctx, accumulator, &frames[1]), TLV_BAD_DATA,
				 "4 and of 3 variables");
	assert_fails(accumulator->class->merge(&ctx, accumulator, &frames[2]), TLV_BAD_PARAMETER,
				 "0 and of 5 bootstrap replicates");
}

/* ---- bad rows, limits, stops ---- */

TEST(test_bad_rows)
{
	static const int states[3] = {2, 2, 2};
	static const int32_t low[3] = {0, -2, 1}, high[3] = {0, 1, 100}, huge[3] = {INT32_MAX, 0, 0};
	static const int32_t least[3] = {INT32_MIN, 0, 0};
	rows data = draw_rows(50, 3, states, 0);
	tlv_accumulator *accumulator = new_moments(0, 1);
	tlv_frame frame;

	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_CODES(0, low)), TLV_BAD_DATA, "no values");
	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_CODES(20001, low)), TLV_LIMIT, "20001");
	add_rows(accumulator, &data, 0, 25);
	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_CODES(2, low)), TLV_BAD_DATA,
				 "2 values, the first one 3");
	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_CODES(3, low)), TLV_BAD_DATA,
				 "value 2 of a row is -2");
	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_CODES(3, high)), TLV_BAD_DATA,
				 "value 3 of a row is 100");
	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_CODES(3, huge)), TLV_BAD_DATA,
				 "value 1 of a row is 2147483647");
	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_CODES(3, least)), TLV_BAD_DATA, "value 1");
	/* none of them was counted */
	add_rows(accumulator, &data, 25, 50);
	frame = stored(accumulator);
	check_all(&data, &frame);
}

TEST(test_limits)
{
	size_t p = 7000;
	int32_t *row = tlv_alloc0(&ctx, p, sizeof(int32_t));
	tlv_accumulator *accumulator = new_moments(0, 1);

	for (size_t v = 0; v < p; v++)
		row[v] = 1;
	assert_ok(tlv_add(&ctx, accumulator, TLV_AS_CODES(p, row)));
	assert_fails(accumulator->class->build(&ctx, accumulator, &builder), TLV_LIMIT,
				 "7000 variables with 14000 states together need");
	assert_non_null(strstr(ctx.error.hint, "fewer variables"));
	assert_below(ctx.arena.peak, (size_t) 4 << 20); /* refused before anything was allocated */

	accumulator = new_moments(1000, 1);
	assert_ok(tlv_add(&ctx, accumulator, TLV_AS_CODES(1000, row)));
	assert_fails(accumulator->class->build(&ctx, accumulator, &builder), TLV_LIMIT,
				 "1000 replicates");
	assert_non_null(strstr(ctx.error.hint, "Lower bootstrap to at most 44"));
	assert_fails(tlv_category_moments_create(&ctx, 1001, 1, &accumulator), TLV_BAD_PARAMETER,
				 "bootstrap = 1001");

	ctx.arena.limit = (size_t) 4 << 20;
	accumulator = new_moments(0, 1);
	assert_ok(tlv_add(&ctx, accumulator, TLV_AS_CODES(500, row)));
	assert_fails(accumulator->class->build(&ctx, accumulator, &builder), TLV_MEMORY_LIMIT,
				 "of memory are needed for category moments");
}

TEST(test_stops)
{
	static const int states[40] = {2, 2, 2, 2, 2, 2, 2, 2, 9, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
								   2, 2, 2, 2, 2, 2, 2, 2, 9, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
	rows data = draw_rows(300, 40, states, 0.1);

	for (size_t look = 1; look < 2000; look += 333)
	{
		tlv_accumulator *accumulator = new_moments(3, 1);

		add_rows(accumulator, &data, 0, 300);
		assert_cancelled_at(look, accumulator->class->build(&ctx, accumulator, &builder));
	}
}

/* ---- what the kind refuses ---- */

static double *
section_numbers(const tlv_frame *frame, const char *name)
{
	return (double *) (uintptr_t) tlv_frame_float64(frame, name);
}

TEST(test_checks)
{
	static const char *const counts[] = {"singles",	  "pairs",		"triples",
										 "part_rows", "part_pairs", "part_singles"};
	static const char *const scalars[] = {"rows",		 "nulls",	"variables",   "replicates",
										  "most_states", "missing", "triples_kept"};
	static const int states[4] = {2, 3, 2, 4};
	rows data = draw_rows(100, 4, states, 0.1);

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
	{
		tlv_frame frame = collect(&data, 2, 1);

		section_numbers(&frame, counts[i])[1] = -1;
		assert_int_equal(tlv_kind_check(&ctx, &tlv_kind_category_moments, &frame), TLV_CORRUPT);
		section_numbers(&frame, counts[i])[1] = 0.5; /* nor would sums of them be whole */
		assert_int_equal(tlv_kind_check(&ctx, &tlv_kind_category_moments, &frame), TLV_CORRUPT);
	}
	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
	{
		tlv_frame frame = collect(&data, 2, 1);

		section_numbers(&frame, scalars[i])[0] += 0.5;
		assert_int_equal(tlv_kind_check(&ctx, &tlv_kind_category_moments, &frame), TLV_CORRUPT);
	}
	for (int64_t d = -1; d < 200; d += 100)
	{
		tlv_frame frame = collect(&data, 2, 1);

		((int64_t *) (uintptr_t) tlv_frame_int64(&frame, "states"))[1] = d;
		assert_int_equal(tlv_kind_check(&ctx, &tlv_kind_category_moments, &frame), TLV_CORRUPT);
	}
}

/* As many rows as there may be: what would no longer be a whole number of values is refused, by
 * input and by merging, so that what merging gives is accepted. */
TEST(test_most_rows)
{
	static const int states[4] = {2, 3, 2, 4};
	static const struct
	{
		double rows;
		tlv_status input, merged;
	} cases[] = {{0x1p50, TLV_OK, TLV_OK},
				 {0x1p50 + 1, TLV_OK, TLV_LIMIT},
				 {0x1p51, TLV_OK, TLV_LIMIT},
				 {0x1p51 + 1, TLV_CORRUPT, TLV_LIMIT}};
	rows data = draw_rows(100, 4, states, 0.1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		tlv_frame frame = collect(&data, 0, 1);
		double before = *section_numbers(&frame, "rows"), added = cases[i].rows - before;
		tlv_accumulator *accumulator;
		tlv_frame sum;

		*section_numbers(&frame, "rows") += added;
		*section_numbers(&frame, "missing") += 4 * added;
		assert_int_equal(tlv_kind_check(&ctx, &tlv_kind_category_moments, &frame), cases[i].input);
		assert_ok(
			tlv_accumulator_create(&ctx, tlv_kind_category_moments.accumulator, &accumulator));
		if (cases[i].input == TLV_OK)
			assert_ok(accumulator->class->merge(&ctx, accumulator, &frame));
		else
			assert_int_equal(accumulator->class->merge(&ctx, accumulator, &frame), TLV_LIMIT);
		if (cases[i].input != TLV_OK)
			continue;
		assert_int_equal(accumulator->class->merge(&ctx, accumulator, &frame), cases[i].merged);
		if (cases[i].merged != TLV_OK)
			continue;
		sum = stored(accumulator);
		assert_ok(tlv_kind_check(&ctx, &tlv_kind_category_moments, &sum));
	}
}

RUN_TESTS(setup, teardown)
