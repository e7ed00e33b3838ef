/*
 * test_frame_narrow.c - sections of float32 and of few numbers that are not 0.
 */
#include "frame_fixture.h"

/* ---- float32 and sparse sections ---- */

static char *
narrow_example(size_t *size)
{
	static const float halves[3] = {0.5F, -2, 3e38F};
	static const double mostly_zero[12] = {0, 1.5, 0, 0, -0.0, 0, 0, -7, 0, 0, 0, 1e300};
	static const double zeros[4] = {0};
	void *image;

	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 77);
	tlv_frame_add(&builder, "halves", TLV_FLOAT32, 3, 1, halves);
	tlv_frame_add(&builder, "table", TLV_SPARSE, 4, 3, mostly_zero);
	tlv_frame_add(&builder, "zeros", TLV_SPARSE, 2, 2, zeros);
	tlv_frame_add(&builder, "nothing", TLV_SPARSE, 0, 5, NULL);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, size));
	return image;
}

TEST(test_narrow_round_trip)
{
	static const double expected[12] = {0, 1.5, 0, 0, 0, 0, 0, -7, 0, 0, 0, 1e300};
	static const uint32_t positions[3] = {1, 7, 11};
	size_t size, again;
	char *image = narrow_example(&size);
	double numbers[12];
	tlv_frame frame;
	tlv_sparse sparse;
	void *copy;

	assert_ok(tlv_frame_validate(&ctx, image, size, &frame));
	/* 3 floats and their padding; 3 entries of 12 bytes and theirs; no entries twice */
	assert_int_equal(size, sizeof(tlv_frame_header) + 4 * sizeof(tlv_section) + 16 + 40);
	assert_equal(tlv_frame_float32(&frame, "halves")[2], 3e38F);
	assert_null(tlv_frame_float32(&frame, "table"));
	assert_null(tlv_frame_float64(&frame, "halves"));
	assert_ok(tlv_section_numbers(&ctx, &frame, tlv_frame_find(&frame, "halves"), numbers));
	assert_equal(numbers[0], 0.5);
	assert_equal(numbers[1], -2);
	assert_equal(numbers[2], 3e38F);

	assert_true(tlv_frame_sparse(&frame, "table", &sparse));
	assert_int_equal(sparse.n, 3);
	assert_memory_equal(sparse.positions, positions, sizeof(positions));
	assert_ok(tlv_section_numbers(&ctx, &frame, tlv_frame_find(&frame, "table"), numbers));
	assert_memory_equal(numbers, expected, sizeof(expected));
	assert_true(tlv_frame_sparse(&frame, "zeros", &sparse));
	assert_equal(sparse.n, 0);
	assert_true(tlv_frame_sparse(&frame, "nothing", &sparse));
	assert_equal(sparse.n, 0);
	assert_false(tlv_frame_sparse(&frame, "halves", &sparse));
	assert_false(tlv_frame_sparse(&frame, "absent", &sparse));

	/* sections as they are stored go into another frame unchanged */
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 77);
	tlv_frame_add_from(&builder, &frame, NULL);
	assert_ok(tlv_frame_finish(&ctx, &builder, &copy, &again));
	assert_int_equal(again, size);
	assert_memory_equal(copy, image, size);
}

TEST(test_narrow_rules)
{
	size_t size;
	char *image = narrow_example(&size);
	tlv_section *section = section_of(image, "table"), good = *section;
	float *halves = (float *) (image + section_of(image, "halves")->offset);
	double *values = (double *) (image + section->offset);
	uint32_t *positions = (uint32_t *) (values + 3);
	tlv_frame frame;

#define BROKEN(what, value, reason)                                                                \
	do                                                                                             \
	{                                                                                              \
		__typeof__(what) before = (what);                                                          \
		(what) = (value);                                                                          \
		repair(image, size);                                                                       \
		assert_refused(image, size, reason);                                                       \
		(what) = before;                                                                           \
	} while (0)
	BROKEN(halves[1], INFINITY, "entry 2 of section \"halves\" is not finite");
	BROKEN(halves[3], 1.0F, "padding");
	BROKEN(values[2], NAN, "entry 3 of section \"table\" is not finite");
	BROKEN(values[0], 0.0, "entry 1 of section \"table\" is 0");
	BROKEN(values[0], -0.0, "entry 1 of section \"table\" is 0");
	BROKEN(positions[1], 1, "position 2 of section \"table\" is 1");
	BROKEN(positions[1], 0, "position 2 of section \"table\" is 0");
	BROKEN(positions[2], 12, "position 3 of section \"table\" is 12");
	BROKEN(positions[3], 1, "padding");
	BROKEN(section->entries, 2, "inside");
	BROKEN(section->entries, 13, "inside");
	BROKEN(section->rows, UINT64_C(1) << 31, "inside"); /* more than positions reach */
	BROKEN(section->rows, 3, "position 3");
#undef BROKEN
	assert_memory_equal(section, &good, sizeof(good));
	repair(image, size);
	assert_ok(tlv_frame_validate(&ctx, image, size, &frame));
}

/* What is not finite is found before it is written. */
TEST(test_narrow_infinite)
{
	static const float one = INFINITY;
	static const double two[2] = {0, NAN};
	void *image;
	size_t size;

	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 77);
	tlv_frame_add(&builder, "halves", TLV_FLOAT32, 1, 1, &one);
	assert_int_equal(tlv_frame_finish(&ctx, &builder, &image, &size), TLV_BAD_DATA);
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 77);
	tlv_frame_add(&builder, "table", TLV_SPARSE, 2, 1, two);
	assert_int_equal(tlv_frame_finish(&ctx, &builder, &image, &size), TLV_BAD_DATA);
	/* and what has more numbers than positions, before it is read */
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 77);
	tlv_frame_add(&builder, "table", TLV_SPARSE, UINT64_C(1) << 32, 2, two);
	assert_int_equal(tlv_frame_finish(&ctx, &builder, &image, &size), TLV_LIMIT);
}

RUN_TESTS(setup, teardown)
