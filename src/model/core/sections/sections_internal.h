/*
 * sections_internal.h - shapes of declared sections and where their numbers are in an accumulator:
 * what creating, merging and checking share.
 */
#ifndef TENSORLV_SECTIONS_INTERNAL_H
#define TENSORLV_SECTIONS_INTERNAL_H

#include "tensorlv/model/sections.h"

static inline bool
is_size(tlv_dimension dimension)
{
	return dimension < TLV_SIZES;
}

static inline size_t
count_of(tlv_dimension dimension, const size_t *sizes)
{
	if (is_size(dimension))
		return sizes[dimension];
	switch (dimension)
	{
		case TLV_PACKED_1:
			return sizes[0] * (sizes[0] + 1) / 2;
		case TLV_CUBES_1:
			return sizes[0] * (sizes[0] + 1) * (sizes[0] + 2) / 6;
		case TLV_2_TIMES_3:
			return sizes[1] * sizes[2];
		case TLV_2_AND_1:
			return sizes[1] + 1;
		case TLV_THREE:
			return 3;
		case TLV_FOUR:
			return 4;
		case TLV_DIGEST_ROW:
			return TLV_DIGEST_SIZE;
		default:
			return 1;
	}
}

static inline size_t
number_count(const tlv_declaration *declaration, const size_t *sizes)
{
	return count_of(declaration->rows, sizes) * count_of(declaration->columns, sizes);
}

/* Of fixed shape: it lies in the state itself. */
static inline bool
is_fixed(const tlv_declaration *declaration)
{
	return declaration->rows >= TLV_ONE && declaration->columns >= TLV_ONE;
}

/* Bytes of a number in memory, where sparse sections are unpacked. */
static inline size_t
number_size(const tlv_declaration *declaration)
{
	return declaration->element == TLV_SPARSE ? sizeof(double)
											  : tlv_element_size(declaration->element);
}

static inline void *
numbers_of(const void *state, const tlv_declaration *declaration)
{
	char *member = (char *) state + declaration->offset;

	return is_fixed(declaration) ? (void *) member : *(void **) member;
}

/* Allocates all arrays in one block, for the sizes of the state. */
extern tlv_status tlv_sections_allocate(tlv_context *ctx, tlv_declared *state,
										const tlv_sections *sections);

#endif /* TENSORLV_SECTIONS_INTERNAL_H */
