/*
 * frame_fixture.h - an image with a section of every element type, and how validation
 * refuses what it is changed to.
 */
#ifndef TENSORLV_TEST_FRAME_FIXTURE_H
#define TENSORLV_TEST_FRAME_FIXTURE_H

#include "pool_setup.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/model/kind.h"

static const double NUMBERS[6] = {1.5, -2, 0, 1e300, -1e-300, 6};
static const int64_t ITEMS[3] = {INT64_MIN, 0, INT64_MAX};
static const char BYTES[11] = {'h', 'e', 'l', 'l', 'o', '\n', 'w', 'o', 'r', 'l', 'd'};

/* One section of every element type, 11 bytes of text so that there is padding. */
static inline char *
example(size_t *size)
{
	void *image;

	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, 77);
	tlv_frame_add_scalar(&builder, "weight", 0.25);
	tlv_frame_add(&builder, "numbers", TLV_FLOAT64, 2, 3, NUMBERS);
	tlv_frame_add(&builder, "items", TLV_INT64, 3, 1, ITEMS);
	tlv_frame_add(&builder, "text", TLV_BYTES, 11, 1, BYTES);
	tlv_frame_add(&builder, "nothing", TLV_FLOAT64, 0, 5, NULL);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, size));
	return image;
}

static inline tlv_frame_header *
header_of_image(char *image)
{
	return (tlv_frame_header *) image;
}

static inline tlv_section *
section_of(char *image, const char *name)
{
	tlv_section *table = (tlv_section *) (header_of_image(image) + 1);

	for (uint32_t i = 0; i < header_of_image(image)->sections; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	fail_msg("no section %s", name);
	return NULL;
}

/* Makes the fingerprint right again, so that another rule must find the fault. */
static inline void
repair(char *image, size_t size)
{
	if (header_of_image(image)->size == size) /* else the size itself is the fault */
		assert_ok(tlv_frame_seal(&ctx, header_of_image(image)));
}

static inline void
assert_refused(const char *image, size_t size, const char *reason)
{
	tlv_frame frame;
	char *copy = tlv_alloc(&ctx, size, 1); /* of the exact size: ASan sees reads behind it */

	memcpy(copy, image, size);
	assert_fails(tlv_frame_validate(&ctx, copy, size, &frame), TLV_CORRUPT, reason);
	tlv_free(&ctx, copy);
}

#endif /* TENSORLV_TEST_FRAME_FIXTURE_H */
