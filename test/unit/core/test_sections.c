/*
 * test_sections.c - declared values: a kind of the test's own with every element, range and merge
 * tag is created, merged, built and checked; every tag finds what breaks it.
 */
#include "mutations.h"
#include "pool_setup.h"
#include "tensorlv/model/sections.h"

/* ---- the kind ---- */

#define SIZE_K	   TLV_SIZE_1
#define SIZE_ITEMS TLV_SIZE_2
#define CODE	   200

typedef struct toy_state
{
	tlv_declared declared;
	double rows, largest, mean;
	int64_t least[3];
	tlv_digest model;
	double *sums;	 /* packed k */
	float *narrow;	 /* k x items */
	double *sparse;	 /* items x k */
	int64_t *items;	 /* items */
	int64_t *counts; /* items */
	double waiting;	 /* rows not in `rows` */
	int sized;
} toy_state;

static tlv_status
toy_flush(tlv_context *c, tlv_accumulator *accumulator)
{
	toy_state *state = (toy_state *) accumulator;

	state->rows += state->waiting;
	state->waiting = 0;
	return TLV_OK;
}

static tlv_status
toy_sized(tlv_context *c, tlv_accumulator *accumulator)
{
	((toy_state *) accumulator)->sized++;
	return TLV_OK;
}

static tlv_status
toy_check_more(tlv_context *c, const tlv_frame *frame, const size_t *sizes)
{
	return tlv_frame_scalar(frame, "rows", 0) >= (double) sizes[SIZE_ITEMS]
			   ? TLV_OK
			   : tlv_fail(c, TLV_CORRUPT, "more items than rows");
}

static tlv_status
toy_merge_own(tlv_context *c, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	((toy_state *) accumulator)->mean += 100 + tlv_frame_scalar(frame, "mean", 0);
	return TLV_OK;
}

#define AT(member) offsetof(toy_state, member)
static const tlv_declaration toy_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(rows)},
	{"largest", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_EQUAL, AT(largest)},
	{"mean", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_OWN, AT(mean)},
	{"least", TLV_INT64, TLV_THREE, TLV_ONE, TLV_POSITIVE, TLV_EQUAL, AT(least)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(model)},
	{"items", TLV_INT64, SIZE_ITEMS, TLV_ONE, TLV_ASCENDING, TLV_EQUAL, AT(items)},
	{"sums", TLV_FLOAT64, TLV_PACKED_1, TLV_ONE, TLV_ANY, TLV_SUM, AT(sums)},
	{"narrow", TLV_FLOAT32, SIZE_K, TLV_FOUR, TLV_NONNEGATIVE, TLV_SUM, AT(narrow)},
	{"sparse", TLV_SPARSE, SIZE_ITEMS, SIZE_K, TLV_NONNEGATIVE, TLV_SUM, AT(sparse)},
	{"counts", TLV_INT64, SIZE_ITEMS, TLV_ONE, TLV_ANY, TLV_SUM, AT(counts)},
};
#undef AT
static const tlv_sections toy_sections = {
	.state = sizeof(toy_state),
	.kind = CODE,
	TLV_LIST(toy_list),
	.least = {2, 0},
	.most = {5, 6},
	.flush = toy_flush,
	.sized = toy_sized,
	.check_more = toy_check_more,
	.merge_own = toy_merge_own,
};
static const tlv_accumulator_class toy_class = {.name = "toy", TLV_DECLARED(&toy_sections)};

/* Two components; items first, first + step, ... */
static toy_state *
toy(size_t items, int64_t first, int64_t step)
{
	const size_t sizes[TLV_SIZES] = {2, items};
	tlv_accumulator *accumulator;
	toy_state *state;

	assert_ok(tlv_sections_create(&ctx, &toy_class, sizes, &accumulator));
	state = (toy_state *) accumulator;
	state->waiting = 10;
	state->largest = (double) first;
	state->mean = 1;
	for (int t = 0; t < 3; t++)
		state->least[t] = first + 10 * t;
	memset(&state->model, 7, sizeof(state->model));
	for (int i = 0; i < 3; i++)
		state->sums[i] = i - 1;
	for (int i = 0; i < 8; i++)
		state->narrow[i] = (float) i / 2;
	for (size_t i = 0; i < items; i++)
	{
		state->items[i] = first + (int64_t) i * step;
		state->counts[i] = (int64_t) i + 1;
		state->sparse[i] = 0;
		state->sparse[items + i] = (double) state->items[i];
	}
	return state;
}

static tlv_frame
stored_toy(void *accumulator)
{
	tlv_frame frame;
	void *image;
	size_t size;

	assert_ok(tlv_sections_build(&ctx, accumulator, &builder));
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	assert_ok(tlv_frame_validate(&ctx, image, size, &frame));
	assert_int_equal(frame.header->kind, CODE);
	assert_ok(tlv_sections_check(&ctx, &frame, &toy_sections));
	return frame;
}

static tlv_accumulator *
empty(void)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_sections_create(&ctx, &toy_class, NULL, &accumulator));
	return accumulator;
}

/* ---- tests ---- */

/* A value merged into an empty accumulator is the same value, but for what merge_own says. */
TEST(test_round_trip)
{
	tlv_frame one = stored_toy(toy(3, 5, 2)), again;
	tlv_accumulator *sum = empty();
	size_t sizes[TLV_SIZES];

	assert_int_equal(tlv_sections_build(&ctx, sum, &builder), TLV_INTERNAL);
	assert_ok(tlv_sections_merge(&ctx, sum, &one));
	assert_int_equal(((toy_state *) sum)->sized, 1);
	assert_equal(((toy_state *) sum)->mean, 101);
	((toy_state *) sum)->mean = 1;
	again = stored_toy(sum);
	assert_int_equal(again.header->size, one.header->size);
	assert_memory_equal(again.header, one.header, one.header->size);
	tlv_sections_sizes(&one, &toy_sections, sizes);
	assert_int_equal(sizes[0], 2);
	assert_int_equal(sizes[1], 3);
}

/* Of the same items; what must be equal stays. */
TEST(test_merge)
{
	static const int64_t keys[3] = {5, 7, 9}, counts[3] = {2, 4, 6};
	static const double sparse[6] = {0, 0, 0, 10, 14, 18};
	toy_state *sum = toy(3, 5, 2);
	tlv_frame other = stored_toy(toy(3, 5, 2));

	assert_ok(tlv_sections_merge(&ctx, &sum->declared.base, &other));
	assert_int_equal(sum->sized, 1);
	assert_equal(sum->rows, 20);
	assert_equal(sum->largest, 5);
	assert_equal(sum->mean, 102);
	assert_int_equal(sum->least[0], 5);
	assert_int_equal(sum->least[2], 25);
	assert_memory_equal(sum->items, keys, sizeof(keys));
	assert_memory_equal(sum->counts, counts, sizeof(counts));
	assert_memory_equal(sum->sparse, sparse, sizeof(sparse));
	for (int i = 0; i < 3; i++)
		assert_equal(sum->sums[i], 2 * (i - 1));
	for (int i = 0; i < 8; i++)
		assert_equal((double) sum->narrow[i], i);
	stored_toy(sum);
}

/* Arrays of the size are zero, and the others what they were. */
TEST(test_resize)
{
	toy_state *resized = toy(3, 5, 2);

	assert_ok(tlv_sections_resize(&ctx, &resized->declared.base, SIZE_ITEMS, 5));
	assert_int_equal(resized->sized, 2);
	for (size_t i = 0; i < 5; i++)
	{
		assert_int_equal(resized->items[i], 0);
		assert_int_equal(resized->counts[i], 0);
	}
	for (int i = 0; i < 3; i++)
		assert_equal(resized->sums[i], i - 1);
	for (int i = 0; i < 8; i++)
		assert_equal((double) resized->narrow[i], (double) i / 2);
}

/* Merging is the same in any order, the first value into an empty accumulator. */
TEST(test_merge_order)
{
	tlv_accumulator *a = empty(), *b = empty();
	tlv_frame parts[3], one, two;

	for (int i = 0; i < 3; i++)
	{
		toy_state *part = toy(3, 5, 2);

		part->counts[i] = 10 + i;
		part->sums[i] = i / 4.0;
		parts[i] = stored_toy(part);
	}
	for (int i = 0; i < 3; i++)
	{
		assert_ok(tlv_sections_merge(&ctx, a, &parts[i]));
		assert_ok(tlv_sections_merge(&ctx, b, &parts[2 - i]));
	}
	one = stored_toy(a);
	two = stored_toy(b);
	assert_int_equal(one.header->size, two.header->size);
	assert_memory_equal(one.header, two.header, one.header->size);
}

/* What does not belong together is refused, and the accumulator is as before. */
TEST(test_refused)
{
	const size_t sizes[TLV_SIZES] = {3, 0};
	toy_state *sum = toy(3, 5, 2), *other = toy(3, 5, 2);
	tlv_frame before = stored_toy(sum), after, frame;
	tlv_accumulator *wide;

	other->model.bytes[15] ^= 1;
	frame = stored_toy(other);
	assert_int_equal(tlv_sections_merge(&ctx, &sum->declared.base, &frame), TLV_BAD_PARAMETER);
	assert_string_equal(ctx.error.message, "the statistics were collected under different models");
	assert_ok(tlv_sections_create(&ctx, &toy_class, sizes, &wide));
	((toy_state *) wide)->model = sum->model;
	for (int t = 0; t < 3; t++)
		((toy_state *) wide)->least[t] = 1;
	frame = stored_toy(wide);
	assert_int_equal(tlv_sections_merge(&ctx, &sum->declared.base, &frame), TLV_BAD_PARAMETER);
	/* too many rows to be counted, other items */
	other = toy(3, 5, 2);
	other->waiting = 0x1p53 - 5;
	frame = stored_toy(other);
	assert_int_equal(tlv_sections_merge(&ctx, &sum->declared.base, &frame), TLV_LIMIT);
	frame = stored_toy(toy(4, 5, 2));
	assert_int_equal(tlv_sections_merge(&ctx, &sum->declared.base, &frame), TLV_BAD_PARAMETER);
	assert_string_equal(ctx.error.message, "the values were collected with different options");
	after = stored_toy(sum);
	assert_memory_equal(after.header, before.header, before.header->size);
}

/* ---- what breaks a tag ---- */

/* The frame with a section replaced, or left out (data NULL), or another one added (name NULL). */
static tlv_status
changed(tlv_frame frame, const char *name, tlv_element element, size_t rows, size_t columns,
		const void *data)
{
	const char *const except[] = {name, NULL};
	tlv_frame again;
	void *image;
	size_t size;

	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, CODE);
	tlv_frame_add_from(&builder, &frame, except);
	if (data != NULL)
		tlv_frame_add(&builder, name == NULL ? "more" : name, element, rows, columns, data);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	assert_ok(tlv_frame_validate(&ctx, image, size, &again));
	return tlv_sections_check(&ctx, &again, &toy_sections);
}

TEST(test_check)
{
	static const double numbers[64] = {0}, half = 0.5, huge = 0x1p54, negative = -1;
	static const double below[6] = {0, 0, 0, 0, 0, -2}, few = 2;
	static const float narrow_below[8] = {0, 0, -1};
	static const int64_t zero[3] = {1, 0, 1}, large[3] = {1, 1, INT64_C(1) << 31};
	static const int64_t twice[3] = {5, 5, 9};
	tlv_frame frame = stored_toy(toy(3, 5, 2));

	/* every section: missing, of another element, of another shape; and one more */
	for (size_t i = 0; i < toy_sections.n; i++)
	{
		const char *name = toy_list[i].name;
		const tlv_section *section = tlv_frame_find(&frame, name);
		tlv_element other = toy_list[i].element == TLV_FLOAT64 ? TLV_INT64 : TLV_FLOAT64;
		tlv_element own = toy_list[i].element;

		assert_int_equal(changed(frame, name, own, 0, 0, NULL), TLV_CORRUPT);
		assert_int_equal(changed(frame, name, other, section->rows, section->columns, numbers),
						 TLV_CORRUPT);
		assert_int_equal(changed(frame, name, own, section->rows + 1, section->columns, numbers),
						 TLV_CORRUPT);
		assert_int_equal(changed(frame, name, own, section->rows, section->columns + 1, numbers),
						 TLV_CORRUPT);
	}
	assert_int_equal(changed(frame, NULL, TLV_FLOAT64, 1, 1, numbers), TLV_CORRUPT);
	/* ranges */
	assert_int_equal(changed(frame, "rows", TLV_FLOAT64, 1, 1, &half), TLV_CORRUPT);
	assert_int_equal(changed(frame, "rows", TLV_FLOAT64, 1, 1, &huge), TLV_CORRUPT);
	assert_int_equal(changed(frame, "rows", TLV_FLOAT64, 1, 1, &negative), TLV_CORRUPT);
	assert_ok(changed(frame, "largest", TLV_FLOAT64, 1, 1, &negative));
	assert_int_equal(changed(frame, "least", TLV_INT64, 3, 1, zero), TLV_CORRUPT);
	assert_int_equal(changed(frame, "least", TLV_INT64, 3, 1, large), TLV_CORRUPT);
	assert_int_equal(changed(frame, "items", TLV_INT64, 3, 1, twice), TLV_CORRUPT);
	assert_int_equal(changed(frame, "narrow", TLV_FLOAT32, 2, 4, narrow_below), TLV_CORRUPT);
	assert_int_equal(changed(frame, "sparse", TLV_SPARSE, 3, 2, below), TLV_CORRUPT);
	/* the hook */
	assert_int_equal(changed(frame, "rows", TLV_FLOAT64, 1, 1, &few), TLV_CORRUPT);
	assert_string_equal(ctx.error.message, "more items than rows");
}

/* What a declaration says, and its changed values break, is refused. */
TEST(test_mutations)
{
	tlv_frame one = stored_toy(toy(3, 5, 2));
	char accepted[128];
	size_t refused = count_refused_mutations(&ctx, &one, &toy_sections, accepted);

	assert_string_equal(accepted, "");
	assert_above((double) refused, 30);
}

/* Shares by rows and by columns, of a section larger than what is looked at in one piece. */
TEST(test_shares)
{
	const size_t rows = 100, columns = 5000;
	double *x = tlv_alloc(&ctx, rows * columns, sizeof(double));
	tlv_frame frame;
	void *image;
	size_t size;

	for (int by_rows = 0; by_rows <= 1; by_rows++)
		for (int broken = 0; broken <= 2; broken++)
		{
			tlv_status wanted = broken == 0 ? TLV_OK : TLV_CORRUPT;

			for (size_t i = 0; i < rows * columns; i++)
				x[i] = 1.0 / (double) (by_rows ? columns : rows);
			if (broken > 0) /* in row 71, column 3001 */
				x[3000 * rows + 70] = broken == 1 ? -1 : 0.5;
			tlv_frame_begin(&builder, TLV_FRAME_MODEL, CODE);
			tlv_frame_add(&builder, "x", TLV_FLOAT64, rows, columns, x);
			assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
			assert_ok(tlv_frame_validate(&ctx, image, size, &frame));
			assert_int_equal(tlv_require_shares(&ctx, &frame, "x", by_rows, 0), wanted);
			if (broken == 1)
				assert_string_equal(ctx.error.message, "entry 300071 of section \"x\" is -1");
			if (broken == 2)
				assert_non_null(strstr(ctx.error.message, by_rows ? "row 71" : "column 3001"));
			if (broken == 0)
				assert_cancelled_at(1, tlv_require_shares(&ctx, &frame, "x", by_rows, 0));
		}
}

static tlv_status
sum_of(const tlv_frame *a, const tlv_frame *b)
{
	tlv_accumulator *sum;

	TLV_TRY(tlv_sections_create(&ctx, &toy_class, NULL, &sum));
	TLV_TRY(tlv_sections_merge(&ctx, sum, a));
	return tlv_sections_merge(&ctx, sum, b);
}

/* Memory refused at every place: an error, never a crash. */
TEST(test_memory)
{
	tlv_frame a = stored_toy(toy(3, 5, 2)), b = stored_toy(toy(3, 5, 2));

	assert_above(COUNT_REFUSALS(64, sum_of(&a, &b)), 5);
}

RUN_TESTS(setup, teardown)
