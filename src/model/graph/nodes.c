/*
 * nodes.c - the set of a graph's node ids and their ranks: bitmap or
 * hash table (internal.h).
 */
#include "internal.h"

#include "tensorlv/num/sort.h"

tlv_status
tlv_node_index_begin(tlv_context *ctx, node_index *index, uint64_t low, uint64_t high, size_t uses)
{
	/* Bits that a bitmap may have per edge: it then takes at most 6 bytes per edge. */
	const int bits_per_edge = 32;
	memset(index, 0, sizeof(*index));
	index->low = low;
	if (uses == 0 || (high - low) / bits_per_edge > uses + 32)
		return node_index_reserve(ctx, index, 1);
	index->words = (size_t) ((high - low) / 64 + 1);
	TLV_TRY_NEW0(ctx, index->bits, index->words);
	return TLV_OK;
}

tlv_status
tlv_node_index_add_hashed(tlv_context *ctx, node_index *index, uint64_t id)
{
	node_slot *slot = node_index_slot_of(index, id);

	if (slot->used)
		return TLV_OK;
	if (index->n == (size_t) TLV_DICTIONARY_MAX)
		return tlv_fail(ctx, TLV_LIMIT, "more than %d nodes", TLV_DICTIONARY_MAX);
	*slot = (node_slot){.id = id, .used = 1};
	index->n++;
	return node_index_reserve(ctx, index, index->n + 1);
}

static tlv_status
rank_bits(tlv_context *ctx, node_index *index)
{
	TLV_TRY_NEW(ctx, index->before, index->words);
	for (size_t w = 0; w < index->words; w++)
	{
		index->before[w] = (uint32_t) index->n;
		index->n += (size_t) __builtin_popcountll(index->bits[w]);
		if (index->n > (size_t) TLV_DICTIONARY_MAX)
			return tlv_fail(ctx, TLV_LIMIT, "more than %d nodes", TLV_DICTIONARY_MAX);
	}
	return TLV_OK;
}

static tlv_status
sort_ids(tlv_context *ctx, node_index *index)
{
	tlv_sort_form form = {sizeof(uint64_t), sizeof(uint64_t), 0, 64};
	uint64_t *work = tlv_alloc(ctx, index->n, sizeof(uint64_t));
	void *sorted;
	tlv_status status;

	TLV_TRY_ALLOC(ctx, work);
	status = tlv_radix_sort(ctx, &form, index->n, index->sorted, work, &sorted);
	if (sorted == work)
	{
		work = index->sorted;
		index->sorted = sorted;
	}
	tlv_free(ctx, work);
	return status;
}

static tlv_status
rank_hashed(tlv_context *ctx, node_index *index)
{
	size_t n = 0;

	TLV_TRY_NEW(ctx, index->sorted, index->n);
	for (size_t i = 0; i <= index->mask; i++)
	{
		if (i % GRAPH_STOP_STRIDE == GRAPH_STOP_STRIDE - 1)
			TLV_TRY_CONTINUE(ctx);
		if (index->slots[i].used)
			index->sorted[n++] = index->slots[i].id;
	}
	TLV_TRY(sort_ids(ctx, index));
	for (size_t i = 0; i < n; i++)
	{
		if (i + 8 < n)
			node_index_prefetch(index, index->sorted[i + 8]);
		node_index_slot_of(index, index->sorted[i])->rank = (uint32_t) i;
		if (i % GRAPH_STOP_STRIDE == 0)
			TLV_TRY_CONTINUE(ctx);
	}
	return TLV_OK;
}

tlv_status
tlv_node_index_finish(tlv_context *ctx, node_index *index)
{
	return index->bits != NULL ? rank_bits(ctx, index) : rank_hashed(ctx, index);
}

void
tlv_node_index_free(tlv_context *ctx, node_index *index)
{
	tlv_free(ctx, index->bits);
	tlv_free(ctx, index->before);
	tlv_free(ctx, index->slots);
	tlv_free(ctx, index->sorted);
	memset(index, 0, sizeof(*index));
}

size_t
tlv_node_index_room(const node_index *index)
{
	uint64_t range = 0;

	if (index->bits != NULL)
		range = 64 * (uint64_t) index->words;
	else if (index->n > 0)
		range = index->sorted[index->n - 1] - index->sorted[0];
	return VARINT_MAX + index->n * varint_size(range);
}

/* The first id, then the gaps less 1 (graph.h). */
static uint8_t *
put_id(uint8_t *at, bool first, uint64_t last, uint64_t id)
{
	return put_varint(at, first ? zigzag((uint64_t) unbias(id)) : id - last - 1);
}

size_t
tlv_node_index_write(const node_index *index, uint8_t *bytes)
{
	uint8_t *at = bytes;
	uint64_t last = 0;

	for (size_t i = 0; i < index->n && index->bits == NULL; i++)
	{
		at = put_id(at, i == 0, last, index->sorted[i]);
		last = index->sorted[i];
	}
	for (size_t w = 0; w < index->words && index->bits != NULL; w++)
		for (uint64_t word = index->bits[w]; word != 0; word &= word - 1)
		{
			uint64_t id = index->low + 64 * w + (uint64_t) __builtin_ctzll(word);

			at = put_id(at, at == bytes, last, id);
			last = id;
		}
	return (size_t) (at - bytes);
}

void
tlv_node_index_list(const node_index *index, int64_t *ids)
{
	for (size_t i = 0; i < index->n && index->bits == NULL; i++)
		ids[i] = unbias(index->sorted[i]);
	for (size_t w = 0, i = 0; w < index->words && index->bits != NULL; w++)
		for (uint64_t word = index->bits[w]; word != 0; word &= word - 1)
			ids[i++] = unbias(index->low + 64 * w + (uint64_t) __builtin_ctzll(word));
}
