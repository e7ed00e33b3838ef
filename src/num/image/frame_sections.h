/*
 * frame_sections.h - what reading and building frames share (frame.c, frame_build.c).
 */
#ifndef TENSORLV_FRAME_SECTIONS_H
#define TENSORLV_FRAME_SECTIONS_H

#include "tensorlv/num/frame.h"

/* Numbers that are looked at between two looks at whether to stop. */
#define NUMBERS_PIECE (TLV_COPY_PIECE / sizeof(double))

/* Bytes that are hashed between two looks at whether to stop. */
#define DIGEST_PIECE ((size_t) 8 << 20)

static inline size_t
align8(size_t n)
{
	return (n + 7) & ~(size_t) 7;
}

/* A name is lower-case letters, digits and underscores, then zeros. */
extern bool tlv_section_name_is_valid(const char *name);

/* Whether count numbers are finite; of an element that is no number they are. */
extern tlv_status tlv_numbers_finite(tlv_context *ctx, uint32_t element, size_t count,
									 const void *data, bool *finite);

/* The same of a section as it is stored. */
extern tlv_status tlv_section_finite(tlv_context *ctx, const tlv_section *section, const void *data,
									 bool *finite);

#endif /* TENSORLV_FRAME_SECTIONS_H */
