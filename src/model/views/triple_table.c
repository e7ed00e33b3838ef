/*
 * triple_table.c - counts of triples (triple_table.h).
 */
#include "tensorlv/model/triple_table.h"

#include <string.h>

#include "tensorlv/num/bag.h"
#include "tensorlv/num/rng.h"

#define FIRST_SLOTS ((size_t) 64)

static inline size_t
find_slot(const tlv_triple_table *table, int64_t key)
{
	size_t slot = (size_t) tlv_mix64((uint64_t) key) & table->mask;

	while (table->keys[slot] >= 0 && table->keys[slot] != key)
		slot = (slot + 1) & table->mask;
	return slot;
}

static tlv_status
grow_table(tlv_context *ctx, tlv_triple_table *table)
{
	tlv_triple_table grown = {.n = table->n};
	size_t slots = table->keys == NULL ? FIRST_SLOTS : 2 * (table->mask + 1);

	grown.mask = slots - 1;
	grown.keys = tlv_alloc(ctx, slots, sizeof(int64_t));
	TLV_TRY_ALLOC(ctx, grown.keys);
	memset(grown.keys, 0xff, slots * sizeof(int64_t));
	grown.counts = tlv_alloc(ctx, slots, sizeof(double));
	TLV_TRY_ALLOC(ctx, grown.counts);
	for (size_t i = 0; table->keys != NULL && i <= table->mask; i++)
		if (table->keys[i] >= 0)
		{
			size_t slot = find_slot(&grown, table->keys[i]);

			grown.keys[slot] = table->keys[i];
			grown.counts[slot] = table->counts[i];
		}
	tlv_free(ctx, table->keys);
	tlv_free(ctx, table->counts);
	*table = grown;
	return TLV_OK;
}

tlv_status
tlv_triple_add(tlv_context *ctx, tlv_triple_table *table, int64_t key, double count)
{
	size_t slot;

	if (table->keys == NULL || 2 * table->n > table->mask)
		TLV_TRY(grow_table(ctx, table));
	if (table->keys == NULL) /* cannot be */
		return tlv_fail(ctx, TLV_INTERNAL, "a table without slots");
	slot = find_slot(table, key);
	if (table->keys[slot] < 0)
	{
		table->keys[slot] = key;
		table->counts[slot] = 0;
		table->n++;
	}
	table->counts[slot] += count;
	return TLV_OK;
}

tlv_status
tlv_triple_list(tlv_context *ctx, const tlv_triple_table *table, int32_t *const rank[3],
				int64_t *keys, double *counts)
{
	tlv_bag_entry *entries = tlv_alloc(ctx, 2 * table->n, sizeof(tlv_bag_entry));
	size_t n = 0;

	TLV_TRY_ALLOC(ctx, entries);
	for (size_t i = 0; table->keys != NULL && i <= table->mask; i++)
		if (table->keys[i] >= 0)
		{
			size_t part[3];

			for (int t = 0; t < 3; t++)
				part[t] = (size_t) rank[t][tlv_triple_part(table->keys[i], t)];
			entries[n++] =
				(tlv_bag_entry){tlv_triple_key(part[0], part[1], part[2]), table->counts[i]};
		}
	tlv_bag_sort(n, entries, entries + n);
	for (size_t i = 0; i < n; i++)
	{
		keys[i] = entries[i].item;
		counts[i] = entries[i].weight;
	}
	tlv_free(ctx, entries);
	return TLV_OK;
}

tlv_status
tlv_dictionary_order(tlv_context *ctx, const tlv_dictionary *dictionary, int64_t *items,
					 int32_t *rank)
{
	size_t n = dictionary->n;
	tlv_bag_entry *entries = tlv_alloc(ctx, 2 * n, sizeof(tlv_bag_entry));

	TLV_TRY_ALLOC(ctx, entries);
	for (size_t i = 0; i < n; i++)
		entries[i] = (tlv_bag_entry){dictionary->items[i], (double) i};
	tlv_bag_sort(n, entries, entries + n);
	for (size_t i = 0; i < n; i++)
	{
		items[i] = entries[i].item;
		rank[(size_t) entries[i].weight] = (int32_t) i;
	}
	tlv_free(ctx, entries);
	return TLV_OK;
}

tlv_status
tlv_category_position(tlv_context *ctx, tlv_dictionary *dictionary, int64_t item, const char *what,
					  int32_t *position)
{
	*position = tlv_dictionary_find(dictionary, item);
	if (*position >= 0)
		return TLV_OK;
	if (dictionary->n == TRIPLE_MOST)
	{
		tlv_status status =
			tlv_fail(ctx, TLV_LIMIT, "more than %zu distinct %s", TRIPLE_MOST, what);

		tlv_fail_hint(ctx, "Give rare ones a common number.");
		return status;
	}
	return tlv_dictionary_add(ctx, dictionary, item, position);
}

tlv_status
tlv_triple_check(tlv_context *ctx, const tlv_frame *frame, const uint64_t d[3], uint64_t *n)
{
	const tlv_section *section = tlv_frame_find(frame, "cells");
	const int64_t *cells;

	if (section == NULL)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"cells\" is missing");
	*n = section->rows;
	TLV_TRY(tlv_frame_require(ctx, frame, "cells", TLV_INT64, *n, 1, NULL));
	TLV_TRY(tlv_frame_require_ascending(ctx, frame, "cells"));
	TLV_TRY(tlv_frame_require(ctx, frame, "counts", TLV_FLOAT64, *n, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "counts", 1));
	cells = tlv_frame_int64(frame, "cells");
	for (uint64_t i = 0; i < *n; i++)
		for (int t = 0; t < 3; t++)
			if (cells[i] < 0 || tlv_triple_part(cells[i], t) >= d[t])
				return tlv_fail(ctx, TLV_CORRUPT, "section \"cells\" names an unknown category");
	return TLV_OK;
}
