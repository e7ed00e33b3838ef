/*
 * dictionary.c - hashed item dictionary (dictionary.h).
 */
#include "tensorlv/num/dictionary.h"

#include <string.h>

void
tlv_dictionary_init(tlv_dictionary *dictionary)
{
	memset(dictionary, 0, sizeof(*dictionary));
}

void
tlv_dictionary_clear(tlv_context *ctx, tlv_dictionary *dictionary)
{
	tlv_free(ctx, dictionary->items);
	tlv_free(ctx, dictionary->slots);
	tlv_free(ctx, dictionary->direct);
	tlv_dictionary_init(dictionary);
}

/* Positions plus 1, so that 0 is free. */
#define TLV_HASH_NAME			   dictionary
#define TLV_HASH_TABLE			   tlv_dictionary
#define TLV_HASH_SLOT			   uint32_t
#define TLV_HASH_USED(table, slot) ((slot) != 0)
#define TLV_HASH_KEY(table, slot)  ((uint64_t) (table)->items[(slot) -1])
#include "tensorlv/num/assert.h"
#include "tensorlv/num/hash.h"

static inline int32_t
find_hashed(const tlv_dictionary *dictionary, int64_t item)
{
	return (int32_t) *dictionary_slot_of(dictionary, (uint64_t) item) - 1;
}

int32_t
tlv_dictionary_find(const tlv_dictionary *dictionary, int64_t item)
{
	if (dictionary->direct != NULL)
	{
		uint64_t distance = (uint64_t) item - (uint64_t) dictionary->base;

		return distance <= dictionary->range ? dictionary->direct[distance] : -1;
	}
	return dictionary->slots != NULL ? find_hashed(dictionary, item) : -1;
}

tlv_status
tlv_dictionary_add(tlv_context *ctx, tlv_dictionary *dictionary, int64_t item, int32_t *position)
{
	tlv_assert(dictionary->direct == NULL); /* not frozen */
	if (dictionary->slots != NULL && (*position = find_hashed(dictionary, item)) >= 0)
		return TLV_OK;
	if (dictionary->n == (size_t) TLV_DICTIONARY_MAX)
		return tlv_fail(ctx, TLV_LIMIT, "more than %d distinct items", TLV_DICTIONARY_MAX);
	if (dictionary->n == dictionary->room)
	{
		size_t room = dictionary->room == 0 ? 16 : 2 * dictionary->room;
		int64_t *items = tlv_realloc(ctx, dictionary->items, room, sizeof(int64_t));

		TLV_TRY_ALLOC(ctx, items);
		dictionary->items = items;
		TLV_TRY(dictionary_reserve(ctx, dictionary, room));
		dictionary->room = room;
	}
	tlv_assert(dictionary->n < dictionary->room);
	*position = (int32_t) dictionary->n;
	dictionary->items[dictionary->n++] = item;
	*dictionary_slot_of(dictionary, (uint64_t) item) = (uint32_t) dictionary->n;
	return TLV_OK;
}

static tlv_status
hash_items(tlv_context *ctx, tlv_dictionary *dictionary)
{
	TLV_TRY(dictionary_reserve(ctx, dictionary, dictionary->n));
	for (size_t i = 0; i < dictionary->n; i++)
	{
		uint32_t *slot = dictionary_slot_of(dictionary, (uint64_t) dictionary->items[i]);

		TLV_TRY_CONTINUE_AT(ctx, i);
		tlv_assert(*slot == 0); /* items are distinct */
		*slot = (uint32_t) (i + 1);
	}
	return TLV_OK;
}

tlv_status
tlv_dictionary_freeze(tlv_context *ctx, tlv_dictionary *dictionary, size_t n, const int64_t *items)
{
	int64_t low = n > 0 ? items[0] : 0, high = low;

	tlv_dictionary_init(dictionary);
	TLV_TRY_NEW(ctx, dictionary->items, n);
	if (n > 0)
		memcpy(dictionary->items, items, n * sizeof(int64_t));
	dictionary->n = dictionary->room = n;
	for (size_t i = 0; i < n; i++)
	{
		low = items[i] < low ? items[i] : low;
		high = items[i] > high ? items[i] : high;
	}
	dictionary->base = low;
	dictionary->range = (uint64_t) high - (uint64_t) low;
	if (n == 0 || dictionary->range / 8 > n + 128)
		return hash_items(ctx, dictionary);
	TLV_TRY_NEW(ctx, dictionary->direct, dictionary->range + 1);
	memset(dictionary->direct, 0xff, (dictionary->range + 1) * sizeof(int32_t));
	for (size_t i = 0; i < n; i++)
	{
		tlv_assert(dictionary->direct[(uint64_t) items[i] - (uint64_t) low] == -1);
		dictionary->direct[(uint64_t) items[i] - (uint64_t) low] = (int32_t) i;
	}
	return TLV_OK;
}

tlv_status
tlv_dictionary_map(tlv_context *ctx, const tlv_dictionary *dictionary, size_t n,
				   const int64_t *items, const double *counts, int32_t *index, double *known,
				   size_t *n_known)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
	{
		int32_t position = tlv_dictionary_find(dictionary, items[i]);

		TLV_TRY_CONTINUE_AT(ctx, i);
		index[found] = position;
		known[found] = counts[i];
		found += position >= 0;
	}
	*n_known = found;
	return TLV_OK;
}
