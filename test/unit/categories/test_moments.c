/*
 * test_moments.c - tables of pairs and triples of categorical variables
 * against plain loops over rows: few and many states, missing values, block
 * boundaries, growing states, merging, the bootstrap's replicates, limits.
 */
#include "assertions.h"
#include "pool.h"
#include "tensorlv/model/categories.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"

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
	tlv_rng_seed(&rng, 11);
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
assert_refused(tlv_status status, tlv_status expected, const char *words)
{
	if (status != expected || strstr(ctx.error.message, words) == NULL)
		fail_msg("status %d (%s) instead of %d (%s)", (int) status, ctx.error.message,
				 (int) expected, words);
}

/* ---- rows ---- */

typedef struct rows
{
	size_t n, p;
	int32_t *x; /* n x p */
} rows;

/* Variables with states[v] states, uneven and dependent; missing with the given probability, in
 * variables of an odd number only. */
static rows
draw_rows(size_t n, size_t p, const int *states, double missing)
{
	rows data = {n, p, tlv_alloc(&ctx, n * p, sizeof(int32_t))};

	for (size_t t = 0; t < n; t++)
	{
		double hidden = tlv_rng_uniform(&rng);

		for (size_t v = 0; v < p; v++)
		{
			double u = tlv_rng_uniform(&rng) < 0.5 ? hidden : tlv_rng_uniform(&rng);
			bool gone = v % 2 == 1 && tlv_rng_uniform(&rng) < missing;

			data.x[t * p + v] = gone ? -1 : (int32_t) (u * u * (double) states[v]);
		}
	}
	return data;
}

static tlv_accumulator *
new_moments(size_t replicates, uint64_t seed)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_category_moments_create(&ctx, replicates, seed, &accumulator));
	return accumulator;
}

static void
add_rows(tlv_accumulator *accumulator, const rows *data, size_t from, size_t to)
{
	for (size_t t = from; t < to; t++)
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_CODES(data->p, data->x + t * data->p)));
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
	assert_ptr_equal(kind, &tlv_kind_category_moments);
	return frame;
}

static tlv_frame
collect(const rows *data, size_t replicates, uint64_t seed)
{
	tlv_accumulator *accumulator = new_moments(replicates, seed);

	add_rows(accumulator, data, 0, data->n);
	return stored(accumulator);
}

static tlv_frame
merged(size_t n, const tlv_frame *frames)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_kind_category_moments.accumulator->create(&ctx, &accumulator));
	for (size_t i = 0; i < n; i++)
		assert_ok(accumulator->class->merge(&ctx, accumulator, &frames[i]));
	return stored(accumulator);
}

static bool
same_bytes(const tlv_frame *a, const tlv_frame *b)
{
	return a->header->size == b->header->size &&
		   memcmp((const char *) a->header + 4, (const char *) b->header + 4,
				  a->header->size - 4) == 0;
}

static tlv_category_tables
opened(const tlv_frame *frame)
{
	tlv_category_tables tables;

	assert_ok(tlv_category_open(&ctx, frame, &tables));
	return tables;
}

/* ---- the same by plain loops ---- */

static void
check_singles(const rows *data, const tlv_category_tables *tables)
{
	for (size_t v = 0; v < data->p; v++)
	{
		int32_t most = -1;
		double count[100] = {0};

		for (size_t t = 0; t < data->n; t++)
		{
			int32_t x = data->x[t * data->p + v];

			most = x > most ? x : most;
			if (x >= 0)
				count[x]++;
		}
		assert_int_equal(tables->states[v], most + 1);
		for (int32_t s = 0; s <= most; s++)
			if (tables->singles[tables->offset[v] + (size_t) s] != count[s])
				fail_msg("variable %zu, state %d", v, s);
	}
}

static void
check_pair(const rows *data, const tlv_category_tables *tables, size_t a, size_t b)
{
	size_t da = (size_t) tables->states[a], db = (size_t) tables->states[b];
	const double *table = tlv_category_pair(tables, a, b);
	double *expected = tlv_alloc0(&ctx, da * db, sizeof(double));

	for (size_t t = 0; t < data->n; t++)
	{
		int32_t x = data->x[t * data->p + a], y = data->x[t * data->p + b];

		if (x >= 0 && y >= 0)
			expected[(size_t) x * db + (size_t) y]++;
	}
	for (size_t i = 0; i < da * db; i++)
		if (table[i] != expected[i])
			fail_msg("pair %zu, %zu: %g instead of %g in cell %zu, %zu", a, b, table[i],
					 expected[i], i / db, i % db);
	tlv_free(&ctx, expected);
}

static void
check_triple(const rows *data, const tlv_category_tables *tables, size_t a, size_t b, size_t c)
{
	size_t da = (size_t) tables->states[a], db = (size_t) tables->states[b];
	size_t dc = (size_t) tables->states[c];
	const double *table = tlv_category_triple(tables, a, b, c);
	double *expected = tlv_alloc0(&ctx, da * db * dc, sizeof(double));

	for (size_t t = 0; t < data->n; t++)
	{
		const int32_t *x = data->x + t * data->p;

		if (x[a] >= 0 && x[b] >= 0 && x[c] >= 0)
			expected[((size_t) x[a] * db + (size_t) x[b]) * dc + (size_t) x[c]]++;
	}
	for (size_t i = 0; i < da * db * dc; i++)
		if (table[i] != expected[i])
			fail_msg("triple %zu, %zu, %zu: %g instead of %g in cell %zu", a, b, c, table[i],
					 expected[i], i);
	tlv_free(&ctx, expected);
}

static void
check_all(const rows *data, const tlv_frame *frame)
{
	tlv_category_tables tables = opened(frame);
	size_t entries = 0;

	assert_int_equal(tables.p, data->p);
	assert_equal(tables.rows, (double) data->n);
	check_singles(data, &tables);
	for (size_t a = 0; a < data->p; a++)
		for (size_t b = a + 1; b < data->p; b++)
		{
			entries += (size_t) (tables.states[a] * tables.states[b]);
			check_pair(data, &tables, a, b);
			for (size_t c = b + 1; c < data->p && tables.triples != NULL; c++)
				check_triple(data, &tables, a, b, c);
		}
	assert_int_equal(tables.pair_entries, entries);
	tlv_category_close(&ctx, &tables);
}

/* ---- counts ---- */

/* Binary variables, of few and of many states, mixed; rows about the words of a plane. */
static void
test_counts(void **state)
{
	static const int binary[9] = {2, 2, 2, 2, 2, 2, 2, 2, 2};
	static const int mixed[9] = {2, 31, 3, 1, 40, 2, 5, 17, 4};
	static const int many[5] = {31, 25, 60, 31, 40};
	static const size_t sizes[] = {1, 3, 63, 64, 65, 511, 512, 513, 1500};

	(void) state;
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
static void
test_blocks(void **state)
{
	int states[150];
	rows data;
	tlv_frame frame;

	(void) state;
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
static void
test_most_states(void **state)
{
	static const int states[5] = {100, 100, 2, 100, 1};
	rows data = draw_rows(3000, 5, states, 0.2);
	tlv_frame frame;

	(void) state;
	for (size_t v = 0; v < 4; v++)
		data.x[v] = states[v] - 1;
	frame = collect(&data, 0, 1);
	assert_equal(tlv_frame_scalar(&frame, "most_states", 0), 100);
	assert_equal(tlv_frame_scalar(&frame, "triples_kept", -1), 1);
	check_all(&data, &frame);
}

/* Variables that are all missing, or always the same. */
static void
test_degenerate(void **state)
{
	static const int states[4] = {3, 1, 2, 2};
	rows data = draw_rows(600, 4, states, 0), one = draw_rows(20, 1, states, 0);
	tlv_frame frame;
	double missing = 0;

	(void) state;
	for (size_t t = 0; t < data.n; t++)
	{
		data.x[t * 4 + 2] = -1;
		if (t % 3 == 0)
			data.x[t * 4 + 1] = -1;
		if (t % 5 == 0)
			data.x[t * 4] = data.x[t * 4 + 1] = data.x[t * 4 + 3] = -1;
		for (size_t v = 0; v < 4; v++)
			missing += data.x[t * 4 + v] < 0;
	}
	frame = collect(&data, 3, 1);
	check_all(&data, &frame);
	assert_equal(tlv_frame_scalar(&frame, "missing", 0), missing);
	frame = collect(&one, 3, 1);
	check_all(&one, &frame);
	assert_int_equal(tlv_frame_find(&frame, "pairs")->rows, 0);
}

/* A value that a variable did not have before, in a later block and in a later build. */
static void
test_growing_states(void **state)
{
	static const int states[6] = {2, 3, 2, 4, 2, 2};
	rows data = draw_rows(17000, 6, states, 0.1);
	tlv_accumulator *accumulator = new_moments(2, 1);
	rows half = data;
	tlv_frame frame;

	(void) state;
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
static void
test_dropped_triples(void **state)
{
	static const int states[12] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
	rows data = draw_rows(400, 12, states, 0.1), begin = data, rest = data;
	tlv_frame parts[2], sum, whole;

	(void) state;
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

static void
test_merging(void **state)
{
	static const int states[7] = {2, 9, 3, 2, 30, 2, 4};
	rows data = draw_rows(1000, 7, states, 0.2), part = data;
	static const size_t cuts[5] = {0, 3, 4, 600, 1000};
	tlv_frame parts[5], sum, whole = collect(&data, 0, 1), again;
	tlv_accumulator *accumulator;

	(void) state;
	for (size_t i = 0; i < 4; i++)
	{
		part.n = cuts[i + 1] - cuts[i];
		part.x = data.x + cuts[i] * data.p;
		parts[i] = collect(&part, 0, 1);
	}
	sum = merged(4, parts);
	assert_true(same_bytes(&sum, &whole));
	/* a stored part, then rows */
	assert_ok(tlv_kind_category_moments.accumulator->create(&ctx, &accumulator));
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

static void
test_refused_merges(void **state)
{
	static const int states[4] = {2, 2, 3, 2};
	rows wide = draw_rows(10, 4, states, 0), narrow = draw_rows(10, 3, states, 0);
	tlv_frame frames[3] = {collect(&wide, 0, 1), collect(&narrow, 0, 1), collect(&wide, 5, 1)};
	tlv_accumulator *accumulator;

	(void) state;
	assert_ok(tlv_kind_category_moments.accumulator->create(&ctx, &accumulator));
	assert_ok(accumulator->class->merge(&ctx, accumulator, &frames[0]));
	assert_refused(accumulator->class->merge(&ctx, accumulator, &frames[1]), TLV_BAD_DATA,
				   "4 and of 3 variables");
	assert_refused(accumulator->class->merge(&ctx, accumulator, &frames[2]), TLV_BAD_PARAMETER,
				   "0 and of 5 bootstrap replicates");
}

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

/* ---- bad rows, limits, stops ---- */

static void
test_bad_rows(void **state)
{
	static const int states[3] = {2, 2, 2};
	static const int32_t low[3] = {0, -2, 1}, high[3] = {0, 1, 100}, huge[3] = {INT32_MAX, 0, 0};
	static const int32_t least[3] = {INT32_MIN, 0, 0};
	rows data = draw_rows(50, 3, states, 0);
	tlv_accumulator *accumulator = new_moments(0, 1);
	tlv_frame frame;

	(void) state;
	assert_refused(tlv_add(&ctx, accumulator, TLV_AS_CODES(0, low)), TLV_BAD_DATA, "no values");
	assert_refused(tlv_add(&ctx, accumulator, TLV_AS_CODES(20001, low)), TLV_LIMIT, "20001");
	add_rows(accumulator, &data, 0, 25);
	assert_refused(tlv_add(&ctx, accumulator, TLV_AS_CODES(2, low)), TLV_BAD_DATA,
				   "2 values, the first one 3");
	assert_refused(tlv_add(&ctx, accumulator, TLV_AS_CODES(3, low)), TLV_BAD_DATA,
				   "value 2 of a row is -2");
	assert_refused(tlv_add(&ctx, accumulator, TLV_AS_CODES(3, high)), TLV_BAD_DATA,
				   "value 3 of a row is 100");
	assert_refused(tlv_add(&ctx, accumulator, TLV_AS_CODES(3, huge)), TLV_BAD_DATA,
				   "value 1 of a row is 2147483647");
	assert_refused(tlv_add(&ctx, accumulator, TLV_AS_CODES(3, least)), TLV_BAD_DATA, "value 1");
	/* none of them was counted */
	add_rows(accumulator, &data, 25, 50);
	frame = stored(accumulator);
	check_all(&data, &frame);
}

static void
test_limits(void **state)
{
	size_t p = 7000;
	int32_t *row = tlv_alloc0(&ctx, p, sizeof(int32_t));
	tlv_accumulator *accumulator = new_moments(0, 1);

	(void) state;
	for (size_t v = 0; v < p; v++)
		row[v] = 1;
	assert_ok(tlv_add(&ctx, accumulator, TLV_AS_CODES(p, row)));
	assert_refused(accumulator->class->build(&ctx, accumulator, &builder), TLV_LIMIT,
				   "7000 variables with 14000 states together need");
	assert_non_null(strstr(ctx.error.hint, "fewer variables"));
	assert_below(ctx.arena.peak, (size_t) 4 << 20); /* refused before anything was allocated */

	accumulator = new_moments(1000, 1);
	assert_ok(tlv_add(&ctx, accumulator, TLV_AS_CODES(1000, row)));
	assert_refused(accumulator->class->build(&ctx, accumulator, &builder), TLV_LIMIT,
				   "1000 replicates");
	assert_non_null(strstr(ctx.error.hint, "Lower bootstrap to at most 44"));
	assert_refused(tlv_category_moments_create(&ctx, 1001, 1, &accumulator), TLV_BAD_PARAMETER,
				   "bootstrap = 1001");

	ctx.arena.limit = (size_t) 4 << 20;
	accumulator = new_moments(0, 1);
	assert_ok(tlv_add(&ctx, accumulator, TLV_AS_CODES(500, row)));
	assert_refused(accumulator->class->build(&ctx, accumulator, &builder), TLV_MEMORY_LIMIT,
				   "category moments needs");
}

static void
test_stops(void **state)
{
	static const int states[40] = {2, 2, 2, 2, 2, 2, 2, 2, 9, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
								   2, 2, 2, 2, 2, 2, 2, 2, 9, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
	rows data = draw_rows(300, 40, states, 0.1);

	(void) state;
	for (size_t stop = 1; stop < 2000; stop += 333)
	{
		tlv_accumulator *accumulator = new_moments(3, 1);

		add_rows(accumulator, &data, 0, 300);
		memory.calls = memory.stopped_calls = 0;
		memory.stop_at = stop;
		assert_int_equal(accumulator->class->build(&ctx, accumulator, &builder), TLV_CANCELLED);
		assert_int_equal(memory.stopped_calls, 0);
		memory.stop_at = 0;
	}
}

/* ---- what the kind refuses ---- */

static double *
numbers(const tlv_frame *frame, const char *name)
{
	return (double *) (uintptr_t) tlv_frame_float64(frame, name);
}

static void
test_checks(void **state)
{
	static const char *const counts[] = {"singles",		   "pairs",			  "triples",
										 "replicate_rows", "replicate_pairs", "replicate_singles"};
	static const char *const scalars[] = {"rows",		 "nulls",	"variables",   "replicates",
										  "most_states", "missing", "triples_kept"};
	static const int states[4] = {2, 3, 2, 4};
	rows data = draw_rows(100, 4, states, 0.1);

	(void) state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
	{
		tlv_frame frame = collect(&data, 2, 1);

		numbers(&frame, counts[i])[1] = -1;
		assert_int_equal(tlv_kind_category_moments.check(&ctx, &frame), TLV_CORRUPT);
		numbers(&frame, counts[i])[1] = 0.5; /* nor would sums of them be whole */
		assert_int_equal(tlv_kind_category_moments.check(&ctx, &frame), TLV_CORRUPT);
	}
	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
	{
		tlv_frame frame = collect(&data, 2, 1);

		numbers(&frame, scalars[i])[0] += 0.5;
		assert_int_equal(tlv_kind_category_moments.check(&ctx, &frame), TLV_CORRUPT);
	}
	for (int64_t d = -1; d < 200; d += 100)
	{
		tlv_frame frame = collect(&data, 2, 1);

		((int64_t *) (uintptr_t) tlv_frame_int64(&frame, "states"))[1] = d;
		assert_int_equal(tlv_kind_category_moments.check(&ctx, &frame), TLV_CORRUPT);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_blocks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_most_states, setup, teardown),
		cmocka_unit_test_setup_teardown(test_degenerate, setup, teardown),
		cmocka_unit_test_setup_teardown(test_growing_states, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dropped_triples, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merging, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_merges, setup, teardown),
		cmocka_unit_test_setup_teardown(test_replicates, setup, teardown),
		cmocka_unit_test_setup_teardown(test_replicate_ways, setup, teardown),
		cmocka_unit_test_setup_teardown(test_replicate_merge, setup, teardown),
		cmocka_unit_test_setup_teardown(test_equal_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stops, setup, teardown),
		cmocka_unit_test_setup_teardown(test_checks, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
