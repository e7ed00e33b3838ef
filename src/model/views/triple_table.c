/*
 * triple_table.c - counts of triples (triple_table.h).
 */
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/triple_table.h"

#include "tensorlv/num/assert.h"
#include "tensorlv/num/bag.h"

#define TLV_HASH_NAME			   triple
#define TLV_HASH_TABLE			   tlv_triple_table
#define TLV_HASH_SLOT			   tlv_triple_slot
#define TLV_HASH_USED(table, slot) ((slot).key_plus_1 != 0)
#define TLV_HASH_KEY(table, slot)  ((slot).key_plus_1 - 1)
#include "tensorlv/num/hash.h"

tlv_status
tlv_triple_add(tlv_context *ctx, tlv_triple_table *table, int64_t key, double count)
{
	tlv_triple_slot *slot;

	tlv_assert(key >= 0);
	TLV_TRY(triple_reserve(ctx, table, table->n + 1));
	slot = triple_slot_of(table, (uint64_t) key);
	if (slot->key_plus_1 == 0)
	{
		slot->key_plus_1 = (uint64_t) key + 1;
		table->n++;
		table->gone++;
	}
	table->gone -= slot->count == 0;
	slot->count += count;
	table->gone += slot->count == 0;
	return TLV_OK;
}

tlv_status
tlv_triple_take(tlv_context *ctx, tlv_triple_table *table, int64_t key, double count)
{
	tlv_triple_slot *slot = table->n > 0 ? triple_slot_of(table, (uint64_t) key) : NULL;

	if (slot == NULL || slot->key_plus_1 == 0 || slot->count < count)
		return tlv_refuse_taken(ctx, "rows");
	slot->count -= count;
	table->gone += slot->count == 0 && count > 0;
	return TLV_OK;
}

tlv_status
tlv_triple_change_all(tlv_context *ctx, tlv_triple_table *table, const tlv_frame *frame,
					  const char *keys, const char *counts, int32_t *const at[3],
					  tlv_triple_change change)
{
	size_t n = tlv_frame_find(frame, keys)->rows;
	const int64_t *key = tlv_frame_int64(frame, keys);
	const double *count = tlv_frame_float64(frame, counts);

	for (size_t i = 0; i < n; i++)
	{
		size_t part[3];

		TLV_TRY_CONTINUE_AT(ctx, i);
		for (int t = 0; t < 3; t++)
			part[t] = (size_t) at[t][tlv_triple_part(key[i], t)];
		TLV_TRY(change(ctx, table, tlv_triple_key(part[0], part[1], part[2]), count[i]));
	}
	return TLV_OK;
}

double
tlv_triple_find(const tlv_triple_table *table, int64_t key)
{
	return table->n > 0 ? triple_slot_of(table, (uint64_t) key)->count : 0;
}

tlv_status
tlv_triple_mark(tlv_context *ctx, const tlv_triple_table *table, int t, bool *used)
{
	for (size_t i = 0; table->slots != NULL && i <= table->mask; i++)
	{
		const tlv_triple_slot *slot = &table->slots[i];

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (slot->key_plus_1 != 0 && slot->count != 0)
			used[tlv_triple_part((int64_t) (slot->key_plus_1 - 1), t)] = true;
	}
	return TLV_OK;
}

tlv_status
tlv_triple_list(tlv_context *ctx, const tlv_triple_table *table, int32_t *const rank[3],
				int64_t *keys, double **counts)
{
	tlv_bag_entry *entries = tlv_alloc(ctx, table->n, sizeof(tlv_bag_entry));
	size_t n = 0;

	TLV_TRY_ALLOC(ctx, entries);
	for (size_t i = 0; table->slots != NULL && i <= table->mask; i++)
	{
		const tlv_triple_slot *slot = &table->slots[i];
		size_t part[3];

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (slot->key_plus_1 == 0 || slot->count == 0)
			continue;
		for (int t = 0; t < 3; t++)
			part[t] = (size_t) rank[t][tlv_triple_part((int64_t) (slot->key_plus_1 - 1), t)];
		entries[n++] = (tlv_bag_entry){tlv_triple_key(part[0], part[1], part[2]), slot->count};
	}
	tlv_assert(n == tlv_triple_count(table));
	TLV_TRY(tlv_bag_sort(ctx, n, entries, (tlv_bag_entry *) keys, &n));
	*counts = (double *) (keys + n);
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		keys[i] = entries[i].item;
		(*counts)[i] = entries[i].weight;
	}
	tlv_assert(tlv_ascends_strictly(n, keys));
	tlv_free(ctx, entries);
	return TLV_OK;
}

tlv_status
tlv_dictionary_order(tlv_context *ctx, const tlv_dictionary *dictionary, int64_t *items,
					 int32_t *rank)
{
	size_t n;

	return tlv_dictionary_order_used(ctx, dictionary, NULL, items, rank, &n);
}

tlv_status
tlv_dictionary_order_used(tlv_context *ctx, const tlv_dictionary *dictionary, const bool *used,
						  int64_t *items, int32_t *rank, size_t *n_used)
{
	tlv_bag_entry *entries = tlv_alloc(ctx, 2 * dictionary->n, sizeof(tlv_bag_entry));
	size_t n = 0;

	TLV_TRY_ALLOC(ctx, entries);
	for (size_t i = 0; i < dictionary->n; i++)
		if (used == NULL || used[i])
			entries[n++] = (tlv_bag_entry){dictionary->items[i], (double) i};
	TLV_TRY(tlv_bag_sort(ctx, n, entries, entries + n, &n));
	for (size_t i = 0; i < n; i++)
	{
		items[i] = entries[i].item;
		rank[(size_t) entries[i].weight] = (int32_t) i;
	}
	tlv_assert(tlv_ascends_strictly(n, items));
	tlv_free(ctx, entries);
	*n_used = n;
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
		tlv_fail(ctx, TLV_LIMIT, "more than %zu distinct %s", TRIPLE_MOST, what);
		return tlv_fail_hint(ctx, "Give rare ones a common number.");
	}
	return tlv_dictionary_add(ctx, dictionary, item, position);
}

tlv_status
tlv_category_positions(tlv_context *ctx, tlv_dictionary *dictionary, size_t n, const int64_t *items,
					   const char *what, int32_t *position)
{
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		TLV_TRY(tlv_category_position(ctx, dictionary, items[i], what, &position[i]));
	}
	return TLV_OK;
}

/* Is it an id of a set of names, at a position that is used? */
static bool
is_named(const tlv_dictionary sets[3], const bool named[3], bool *const used[3], int64_t id)
{
	for (int t = 0; t < 3; t++)
	{
		int32_t at = named[t] ? tlv_dictionary_find(&sets[t], id) : -1;

		if (at >= 0 && (used[t] == NULL || used[t][at]))
			return true;
	}
	return false;
}

tlv_status
tlv_named_ids_list(tlv_context *ctx, const tlv_name_table *names, const tlv_dictionary sets[3],
				   const bool named[3], bool *const used[3], int64_t *block, tlv_named_ids *list)
{
	size_t n = 0;

	TLV_TRY(tlv_name_table_ids(ctx, names, block));
	for (size_t i = 0; i < names->n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (is_named(sets, named, used, block[i]))
			block[n++] = block[i];
	}
	*list = (tlv_named_ids){
		.n = n, .ids = block, .offsets = block + n, .bytes = (char *) (block + 2 * n + 1)};
	if (!tlv_name_table_list(names, n, block, list->offsets, list->bytes))
		list->offsets[0] = 0;
	list->bytes_n = (size_t) list->offsets[n];
	return TLV_OK;
}

tlv_status
tlv_triple_check(tlv_context *ctx, const tlv_frame *frame, const char *section, const size_t d[3])
{
	const int64_t *cells = tlv_frame_int64(frame, section);
	size_t n = tlv_frame_find(frame, section)->rows;

	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		for (int t = 0; t < 3; t++)
			if (cells[i] < 0 || tlv_triple_part(cells[i], t) >= d[t])
				return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" names an unknown category",
								section);
	}
	return TLV_OK;
}
