/*
 * test_frame.c - frames: what is written is read back, and every single rule
 * of validation refuses an image that breaks this rule and no other.
 */
#include "frame_fixture.h"

TEST(test_round_trip)
{
	size_t size, again;
	char *image = example(&size), *copy = example(&again);
	tlv_frame frame;

	assert_int_equal(size % 8, 0);
	assert_int_equal(size, again);
	assert_memory_equal(image, copy, size); /* equal content, equal bytes */
	assert_ok(tlv_frame_validate(&ctx, image, size, &frame));
	assert_int_equal(frame.header->type, TLV_FRAME_MOMENTS);
	assert_int_equal(frame.header->kind, 77);
	assert_int_equal(frame.header->sections, 5);
	assert_equal(tlv_frame_scalar(&frame, "weight", 9), 0.25);
	assert_memory_equal(tlv_frame_float64(&frame, "numbers"), NUMBERS, sizeof(NUMBERS));
	assert_memory_equal(tlv_frame_int64(&frame, "items"), ITEMS, sizeof(ITEMS));
	assert_memory_equal(tlv_section_data(&frame, tlv_frame_find(&frame, "text")), BYTES, 11);
	assert_non_null(tlv_frame_find(&frame, "nothing"));

	/* of another element type, of another shape, missing */
	assert_null(tlv_frame_float64(&frame, "items"));
	assert_null(tlv_frame_int64(&frame, "numbers"));
	assert_null(tlv_frame_find(&frame, "number"));
	assert_equal(tlv_frame_scalar(&frame, "numbers", 9), 9);
	assert_equal(tlv_frame_scalar(&frame, "absent", 9), 9);

	/* The length word is the server's: no part of validation or digest. */
	header_of_image(image)->length_word = 0xdeadbeef;
	assert_ok(tlv_frame_validate(&ctx, image, size, &frame));
}

/* A builder may be copied, and a scalar must not point into the old place. */
TEST(test_copied_builder)
{
	static tlv_frame_builder moved;
	size_t size, moved_size;
	char *image = example(&size), *other;

	moved = builder;
	memset(&builder, 0xee, sizeof(builder));
	assert_ok(tlv_frame_size(&ctx, &moved, &moved_size));
	assert_int_equal(size, moved_size);
	other = tlv_alloc0(&ctx, size, 1);
	assert_ok(tlv_frame_write(&ctx, &moved, other, size));
	assert_memory_equal(image, other, size);
}

/* Frames are written into memory that was used before: padding must be cleared. */
TEST(test_write_clears_padding)
{
	size_t size;
	char *image = example(&size), *dirty = tlv_alloc(&ctx, size, 1);

	memset(dirty, 0xff, size);
	assert_ok(tlv_frame_write(&ctx, &builder, dirty, size));
	memset(dirty, 0, 4);
	assert_memory_equal(image, dirty, size);
}

TEST(test_header_rules)
{
	size_t size;
	char *image = example(&size);
	tlv_frame_header *header = header_of_image(image), good = *header;

#define BROKEN(field, value, reason)                                                               \
	do                                                                                             \
	{                                                                                              \
		*header = good;                                                                            \
		header->field = (value);                                                                   \
		repair(image, size);                                                                       \
		assert_refused(image, size, reason);                                                       \
	} while (0)
	BROKEN(version, 2, "version 2, this is version 1");
	BROKEN(version, 0x0100, "version 256"); /* the other byte order */
	BROKEN(type, 0, "type 0");
	BROKEN(type, 5, "type 5");
	BROKEN(size, size + 8, "its header says");
	BROKEN(size, size - 8, "its header says");
	BROKEN(reserved, 1, "header");
	BROKEN(sections, TLV_FRAME_MAX_SECTIONS + 1, "sections");
	BROKEN(sections, UINT32_MAX, "sections");
	BROKEN(sections, 4, "");
#undef BROKEN
	*header = good;
	header->digest.bytes[15] ^= 1;
	assert_refused(image, size, "fingerprint");
	/* The kind is covered by the digest: numbers of one kind are not those of another. */
	*header = good;
	header->kind = 78;
	assert_refused(image, size, "fingerprint");
}

/* Every prefix of a frame, and a frame with more behind it. */
TEST(test_truncation)
{
	size_t size;
	char *image = example(&size), *longer;

	for (size_t n = 0; n < size; n++)
		assert_refused(image, n, "");
	longer = tlv_alloc0(&ctx, size + 8, 1);
	memcpy(longer, image, size);
	assert_refused(longer, size + 8, "its header says");
	/* The same with the size made to agree: sections must fill the frame exactly. */
	header_of_image(longer)->size = size + 8;
	repair(longer, size + 8);
	assert_refused(longer, size + 8, "its sections need");
}

TEST(test_table_rules)
{
	size_t size;
	char *image = example(&size);
	tlv_section *section = section_of(image, "numbers"), good = *section;

#define BROKEN(change, reason)                                                                     \
	do                                                                                             \
	{                                                                                              \
		*section = good;                                                                           \
		change;                                                                                    \
		repair(image, size);                                                                       \
		assert_refused(image, size, reason);                                                       \
	} while (0)
	BROKEN(section->name[0] = 'N', "name");
	BROKEN(section->name[0] = '\0', "name");
	BROKEN(section->name[3] = ' ', "name");
	BROKEN(section->name[12] = 'x', "name"); /* behind the end */
	BROKEN(memset(section->name, 'x', TLV_FRAME_NAME_SIZE), "name");
	BROKEN(strcpy(section->name, "weight\0"), "twice");
	BROKEN(section->element = 0, "element type");
	BROKEN(section->element = 6, "element type");
	BROKEN(section->entries = 1, "element type");
	BROKEN(section->offset += 8, "inside");
	BROKEN(section->offset -= 8, "inside"); /* overlaps the section before */
	BROKEN(section->offset = UINT64_MAX - 7, "inside");
	BROKEN(section->rows = 1, "inside");  /* the next one no longer follows */
	BROKEN(section->rows = 50, "inside"); /* beyond the end */
	BROKEN(section->columns = UINT64_MAX / 2 + 2, "inside");
	BROKEN((section->rows = UINT64_C(1) << 32, section->columns = UINT64_C(1) << 32), "inside");
	/* rows x columns fits, times 8 does not: 2^61 + 6 numbers look like 48 bytes */
	BROKEN((section->rows = (UINT64_C(1) << 61) + 6, section->columns = 1), "inside");
#undef BROKEN
}

/* A last section whose bytes fit but whose padding does not. */
TEST(test_padding_beyond_end)
{
	size_t size;
	void *image;
	char *cut;

	tlv_frame_begin(&builder, TLV_FRAME_MODEL, 1);
	tlv_frame_add(&builder, "text", TLV_BYTES, 11, 1, BYTES);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	cut = image;
	header_of_image(cut)->size = size - 5;
	repair(cut, size - 5);
	assert_refused(cut, size - 5, "inside");
}

TEST(test_number_rules)
{
	static const double bad[] = {NAN, -NAN, INFINITY, -INFINITY};
	size_t size;
	char *image = example(&size);
	tlv_section *numbers = section_of(image, "numbers"), *text = section_of(image, "text");
	double *last = (double *) (image + numbers->offset) + 5;
	int64_t *items = (int64_t *) (image + section_of(image, "items")->offset);
	tlv_frame frame;

	for (size_t i = 0; i < 4; i++)
	{
		*last = bad[i];
		repair(image, size);
		assert_refused(image, size, "entry 6 of section \"numbers\" is not finite");
	}
	*last = 6;
	for (uint64_t at = 11; at < 16; at++)
	{
		image[text->offset + at] = 1;
		repair(image, size);
		assert_refused(image, size, "padding");
		image[text->offset + at] = 0;
	}
	/* Integers and bytes may be anything, also what would be NaN. */
	items[0] = -1;
	image[text->offset] = (char) 0xff;
	repair(image, size);
	assert_ok(tlv_frame_validate(&ctx, image, size, &frame));
}

/* Every bit flipped: nothing gets through, nothing is read out of bounds. */
TEST(test_bit_flips)
{
	size_t size;
	char *image = example(&size);

	for (size_t bit = 32; bit < 8 * size; bit++)
	{
		image[bit / 8] ^= (char) (1 << bit % 8);
		assert_refused(image, size, "");
		image[bit / 8] ^= (char) (1 << bit % 8);
	}
}

TEST(test_require)
{
	static const int64_t level[2] = {4, 4};
	size_t size;
	void *image;
	tlv_frame frame;
	const void *data;

	image = example(&size);
	assert_ok(tlv_frame_open(&ctx, image, size, &frame));
	assert_ok(tlv_frame_require(&ctx, &frame, "numbers", TLV_FLOAT64, 2, 3, &data));
	assert_ptr_equal(data, tlv_frame_float64(&frame, "numbers"));
	assert_ok(tlv_frame_require(&ctx, &frame, "numbers", TLV_FLOAT64, 2, 3, NULL));
	assert_fails(tlv_frame_require(&ctx, &frame, "numbers", TLV_FLOAT64, 3, 2, NULL), TLV_CORRUPT,
				 "2 x 3 instead of 3 x 2");
	assert_fails(tlv_frame_require(&ctx, &frame, "numbers", TLV_INT64, 2, 3, NULL), TLV_CORRUPT,
				 "elements");
	assert_fails(tlv_frame_require(&ctx, &frame, "absent", TLV_INT64, 2, 3, NULL), TLV_CORRUPT,
				 "missing");
	assert_ok(tlv_frame_require_minimum(&ctx, &frame, "numbers", -2));
	assert_fails(tlv_frame_require_minimum(&ctx, &frame, "numbers", -1.5), TLV_CORRUPT, "entry 2");
	assert_fails(tlv_frame_require_minimum(&ctx, &frame, "items", 0), TLV_CORRUPT, "missing");
	assert_fails(tlv_frame_require_whole(&ctx, &frame, "weight"), TLV_CORRUPT,
				 "is 0.25, not an integer");
	assert_fails(tlv_frame_require_whole(&ctx, &frame, "numbers"), TLV_CORRUPT,
				 "2 x 3 instead of 1 x 1");
	assert_ok(tlv_frame_require_ascending(&ctx, &frame, "items"));
	assert_fails(tlv_frame_require_ascending(&ctx, &frame, "numbers"), TLV_CORRUPT, "missing");
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 1);
	tlv_frame_add(&builder, "items", TLV_INT64, 2, 1, level);
	tlv_frame_add_scalar(&builder, "largest", 0x1p53);
	tlv_frame_add_scalar(&builder, "larger", 0x1p54);
	tlv_frame_add_scalar(&builder, "negative", -1);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	assert_ok(tlv_frame_open(&ctx, image, size, &frame));
	assert_fails(tlv_frame_require_ascending(&ctx, &frame, "items"), TLV_CORRUPT, "entry 2");
	assert_ok(tlv_frame_require_whole(&ctx, &frame, "largest"));
	assert_fails(tlv_frame_require_whole(&ctx, &frame, "larger"), TLV_CORRUPT, "not an integer");
	assert_fails(tlv_frame_require_whole(&ctx, &frame, "negative"), TLV_CORRUPT, "not an integer");
}

TEST(test_add_from)
{
	static const char *const except[] = {"items", "text", "absent", NULL};
	size_t size, copied;
	void *image = example(&size), *copy;
	tlv_frame frame, second;

	assert_ok(tlv_frame_open(&ctx, image, size, &frame));
	/* all of it: the very same bytes */
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 77);
	tlv_frame_add_from(&builder, &frame, NULL);
	assert_ok(tlv_frame_finish(&ctx, &builder, &copy, &copied));
	assert_int_equal(size, copied);
	assert_memory_equal(image, copy, size);
	/* some replaced */
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 77);
	tlv_frame_add_from(&builder, &frame, except);
	tlv_frame_add_scalar(&builder, "items", 3);
	assert_ok(tlv_frame_finish(&ctx, &builder, &copy, &copied));
	assert_ok(tlv_frame_validate(&ctx, copy, copied, &second));
	assert_int_equal(second.header->sections, 4);
	assert_null(tlv_frame_find(&second, "text"));
	assert_equal(tlv_frame_scalar(&second, "items", 0), 3);
	assert_equal(tlv_frame_scalar(&second, "weight", 0), 0.25);
}

static void
assert_too_large(void)
{
	size_t size;
	void *image;

	assert_int_equal(tlv_frame_size(&ctx, &builder, &size), TLV_LIMIT);
	assert_string_not_equal(ctx.error.hint, "");
	assert_int_equal(tlv_frame_finish(&ctx, &builder, &image, &size), TLV_LIMIT);
}

/* Too large: told before anything is allocated or read. */
TEST(test_limits)
{
	size_t size;

	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 1);
	tlv_frame_add(&builder, "wide", TLV_FLOAT64, 1000000, 91, NUMBERS);
	assert_ok(tlv_frame_size(&ctx, &builder, &size));
	tlv_frame_add(&builder, "more", TLV_FLOAT64, 1000000, 1, NUMBERS);
	assert_too_large();
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 1);
	tlv_frame_add(&builder, "wide", TLV_FLOAT64, UINT64_C(1) << 40, UINT64_C(1) << 40, NUMBERS);
	assert_too_large();
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 1);
	for (int i = 0; i < TLV_FRAME_MAX_SECTIONS; i++)
	{
		char name[16];

		snprintf(name, sizeof(name), "s%d", i);
		tlv_frame_add_scalar(&builder, name, i);
	}
	assert_ok(tlv_frame_size(&ctx, &builder, &size));
	tlv_frame_add_scalar(&builder, "last", 1);
	assert_too_large();
}

/* The fingerprint sees every byte, its place, the length and the seed. */
TEST(test_fingerprint)
{
	unsigned char bytes[100];
	uint64_t seen[400];
	size_t n = 0;

	memset(bytes, 0, sizeof(bytes));
	for (size_t size = 0; size <= 100; size++)
		seen[n++] = tlv_fingerprint(bytes, size, 1);
	for (size_t at = 0; at < 100; at++)
	{
		bytes[at] = 1;
		seen[n++] = tlv_fingerprint(bytes, 100, 1);
		bytes[at] = 0x80;
		seen[n++] = tlv_fingerprint(bytes, 100, 1);
		bytes[at] = 0;
	}
	seen[n++] = tlv_fingerprint(bytes, 100, 2);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			assert_unequal(seen[i], seen[j]);
}

TEST(test_kind_lookup)
{
	size_t count, size;
	const tlv_kind *const *kinds = tlv_kinds(&count);
	char *image = example(&size);
	tlv_frame frame;

	for (size_t i = 0; i < count; i++)
	{
		assert_ptr_equal(tlv_kind_find(kinds[i]->type, kinds[i]->code), kinds[i]);
		assert_int_equal(kinds[i]->accumulator != NULL,
						 kinds[i]->type == TLV_FRAME_MOMENTS || kinds[i]->type == TLV_FRAME_GRAPH);
		assert_int_equal(kinds[i]->model != NULL, kinds[i]->type == TLV_FRAME_MODEL);
		/* What a kind needs is missing in an empty frame: no check may crash on it. */
		tlv_frame_begin(&builder, kinds[i]->type, kinds[i]->code);
		{
			void *empty;
			size_t empty_size;

			assert_ok(tlv_frame_finish(&ctx, &builder, &empty, &empty_size));
			assert_fails(tlv_kind_validate(&ctx, empty, empty_size, kinds[i]->type, &frame),
						 TLV_CORRUPT, "missing");
		}
	}
	assert_null(tlv_kind_find(TLV_FRAME_MODEL, 200));
	assert_fails(tlv_kind_validate(&ctx, image, size, TLV_FRAME_MOMENTS, &frame), TLV_CORRUPT,
				 "unknown kind 77");
	assert_fails(tlv_kind_validate(&ctx, image, size, TLV_FRAME_MODEL, &frame), TLV_CORRUPT,
				 "is moments, not a model");
}

/* The digest that a frame holds of another one. */
TEST(test_digest)
{
	size_t size, other_size;
	char *image = example(&size);
	tlv_digest digest = header_of_image(image)->digest;
	void *other;
	tlv_frame frame;

	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 77);
	tlv_frame_add(&builder, "model", TLV_BYTES, 1, TLV_DIGEST_SIZE, &digest);
	tlv_frame_add(&builder, "text", TLV_BYTES, TLV_DIGEST_SIZE, 1, &digest);
	assert_ok(tlv_frame_finish(&ctx, &builder, &other, &other_size));
	assert_ok(tlv_frame_validate(&ctx, other, other_size, &frame));
	assert_true(tlv_digest_equal(tlv_frame_digest(&frame, "model"), &digest));
	assert_false(tlv_digest_equal(&frame.header->digest, &digest));
	assert_null(tlv_frame_digest(&frame, "text"));
	assert_null(tlv_frame_digest(&frame, "absent"));
}

/* Of a large frame the digest can be interrupted. */
TEST(test_cancel)
{
	const size_t n = (size_t) 3 << 20;
	double *zeros = numbers(n);
	void *image;
	size_t size;
	tlv_frame frame;

	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 77);
	tlv_frame_add(&builder, "numbers", TLV_FLOAT64, n, 1, zeros);
	assert_cancelled_at(2, tlv_frame_finish(&ctx, &builder, &image, &size));
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	assert_cancelled_at(1, tlv_frame_validate(&ctx, image, size, &frame));
	assert_ok(tlv_frame_validate(&ctx, image, size, &frame));
	assert_cancelled_at(1, tlv_frame_require_minimum(&ctx, &frame, "numbers", 0));
}

/* One number that is not finite, in the second piece of those that are looked at at once. */
TEST(test_not_finite)
{
	const size_t n = (size_t) 3 << 20, at = n - 5;
	double *most_zero = numbers(n);
	void *image;
	size_t size;
	tlv_frame frame;

	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 77);
	tlv_frame_add(&builder, "numbers", TLV_FLOAT64, n, 1, most_zero);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	((double *) ((char *) image + size))[-5] = NAN;
	assert_int_equal(tlv_frame_validate(&ctx, image, size, &frame), TLV_CORRUPT);
	assert_string_equal(ctx.error.message, "entry 3145724 of section \"numbers\" is not finite");
	most_zero[at] = INFINITY;
	assert_int_equal(tlv_frame_finish(&ctx, &builder, &image, &size), TLV_BAD_DATA);
}

RUN_TESTS(setup, teardown)
