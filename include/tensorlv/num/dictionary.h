/*
 * dictionary.h - from the caller's item ids (any 64-bit integers) to
 * positions 0, 1, 2, ... in order of arrival.
 */
#ifndef TENSORLV_DICTIONARY_H
#define TENSORLV_DICTIONARY_H

#include "tensorlv/num/context.h"

#define TLV_DICTIONARY_MAX INT32_C(500000000)

typedef struct tlv_dictionary
{
	int64_t *items; /* by position */
	size_t n;
	size_t room;
	uint32_t *slots; /* hash.h */
	size_t mask;
	int32_t *direct; /* frozen dictionaries of a narrow range: position by item - base, or -1 */
	int64_t base;
	uint64_t range;
} tlv_dictionary;

/* Makes it empty, without memory, whatever it held; a dictionary of zero bytes is empty, too. */
extern void tlv_dictionary_init(tlv_dictionary *dictionary);
/* Gives back what it holds and makes it empty. */
extern void tlv_dictionary_clear(tlv_context *ctx, tlv_dictionary *dictionary);

/* Position of item, added when it is new.  Errors: memory, TLV_LIMIT. */
extern tlv_status tlv_dictionary_add(tlv_context *ctx, tlv_dictionary *dictionary, int64_t item,
									 int32_t *position);

/* Builds the dictionary of n distinct items, for finding only: position i is items[i].
 * Errors: memory, TLV_CANCELLED. */
extern tlv_status tlv_dictionary_freeze(tlv_context *ctx, tlv_dictionary *dictionary, size_t n,
										const int64_t *items);

/* Position of item, or -1. */
extern int32_t tlv_dictionary_find(const tlv_dictionary *dictionary, int64_t item);

/*
 * Positions of the known ones among n items, with their counts, in order; *n_known gets how many
 * there are.  Errors: TLV_CANCELLED.
 */
extern tlv_status tlv_dictionary_map(tlv_context *ctx, const tlv_dictionary *dictionary, size_t n,
									 const int64_t *items, const double *counts, int32_t *index,
									 double *known, size_t *n_known);

#endif /* TENSORLV_DICTIONARY_H */
