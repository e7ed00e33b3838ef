/*
 * cross_table.c - sparse counts of pairs of labels (cross_table.h).
 */
#include "cross_table.h"

#include "tensorlv/num/bag.h"

/* Entries between two looks at tlv_should_stop(): some milliseconds. */
#define CHUNK_ENTRIES 65536

tlv_status
tlv_tally_add(tlv_context *ctx, tlv_tally *tally, int64_t key, double count, int32_t *position)
{
	if (tally->keys.n == tally->room)
	{
		size_t room = 2 * tally->room + 16;
		double *grown = tlv_realloc(ctx, tally->counts, room, sizeof(double));

		TLV_TRY_ALLOC(ctx, grown);
		for (size_t i = tally->keys.n; i < room; i++)
			grown[i] = 0;
		tally->counts = grown;
		tally->room = room;
	}
	TLV_TRY(tlv_dictionary_add(ctx, &tally->keys, key, position));
	tally->counts[*position] += count;
	return TLV_OK;
}

void
tlv_cross_table_view(const tlv_frame *frame, tlv_cross_view *view)
{
	view->n[0] = tlv_frame_find(frame, "labels_a")->rows;
	view->n[1] = tlv_frame_find(frame, "labels_b")->rows;
	view->labels[0] = tlv_frame_int64(frame, "labels_a");
	view->labels[1] = tlv_frame_int64(frame, "labels_b");
	view->n_pairs = tlv_frame_find(frame, "pairs")->rows;
	view->pairs = tlv_frame_int64(frame, "pairs");
	view->counts = tlv_frame_float64(frame, "counts");
}

tlv_status
tlv_cross_table_merge(tlv_context *ctx, tlv_cross_table *table, const tlv_frame *frame,
					  const double *const sizes[2])
{
	tlv_cross_view view;
	int32_t *position[2] = {NULL, NULL}, pair = 0;

	tlv_cross_table_view(frame, &view);
	for (int s = 0; s < 2; s++)
	{
		TLV_TRY_NEW(ctx, position[s], view.n[s]);
		for (size_t i = 0; i < view.n[s]; i++)
		{
			if (i % CHUNK_ENTRIES == 0)
				TLV_TRY_CONTINUE(ctx);
			TLV_TRY(tlv_tally_add(ctx, &table->labels[s], view.labels[s][i],
								  sizes[s] == NULL ? 0 : sizes[s][i], &position[s][i]));
		}
	}
	for (size_t i = 0; i < view.n_pairs; i++)
	{
		if (i % CHUNK_ENTRIES == 0)
			TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_tally_add(ctx, &table->pairs,
							  tlv_pair_key(position[0][tlv_pair_a(view.pairs[i])],
										   position[1][tlv_pair_b(view.pairs[i])]),
							  view.counts[i], &pair));
	}
	tlv_free(ctx, position[1]);
	tlv_free(ctx, position[0]);
	return TLV_OK;
}

/* Labels in ascending order with their sizes; rank[position] is where each went. */
static tlv_status
sort_labels(tlv_context *ctx, const tlv_tally *tally, tlv_bag_entry *entries, tlv_bag_entry *work,
			int64_t *labels, double *sizes, int32_t *rank)
{
	size_t n = tally->keys.n;

	for (size_t i = 0; i < n; i++)
		entries[i] = (tlv_bag_entry){tally->keys.items[i], (double) i};
	TLV_TRY(tlv_bag_sort(ctx, n, entries, work, &n));
	for (size_t i = 0; i < n; i++)
	{
		size_t position = (size_t) entries[i].weight;

		if (i % CHUNK_ENTRIES == CHUNK_ENTRIES - 1)
			TLV_TRY_CONTINUE(ctx);
		labels[i] = entries[i].item;
		sizes[i] = tally->counts[position];
		rank[position] = (int32_t) i;
	}
	return TLV_OK;
}

static tlv_status
sort_pairs(tlv_context *ctx, const tlv_tally *pairs, const int32_t *rank_a, const int32_t *rank_b,
		   tlv_bag_entry *entries, tlv_bag_entry *work, int64_t *keys, double *counts)
{
	size_t n = pairs->keys.n;

	for (size_t i = 0; i < n; i++)
	{
		int64_t key = pairs->keys.items[i];

		if (i % CHUNK_ENTRIES == CHUNK_ENTRIES - 1)
			TLV_TRY_CONTINUE(ctx);
		entries[i].item = tlv_pair_key(rank_a[tlv_pair_a(key)], rank_b[tlv_pair_b(key)]);
		entries[i].weight = pairs->counts[i];
	}
	TLV_TRY(tlv_bag_sort(ctx, n, entries, work, &n));
	for (size_t i = 0; i < n; i++)
	{
		keys[i] = entries[i].item;
		counts[i] = entries[i].weight;
	}
	return TLV_OK;
}

tlv_status
tlv_cross_table_list(tlv_context *ctx, const tlv_cross_table *table, tlv_cross_arrays *arrays,
					 void **owned)
{
	size_t n_a = table->labels[0].keys.n, n_b = table->labels[1].keys.n;
	size_t n = table->pairs.keys.n, most = n > n_a ? n : n_a;
	tlv_bag_entry *entries;
	int32_t *rank;

	most = most > n_b ? most : n_b;
	*owned = arrays->labels[0] = tlv_alloc(ctx, 2 * (n_a + n_b + n), sizeof(int64_t));
	TLV_TRY_ALLOC(ctx, arrays->labels[0]);
	arrays->labels[1] = arrays->labels[0] + n_a;
	arrays->pairs = arrays->labels[1] + n_b;
	arrays->sizes[0] = (double *) (arrays->pairs + n);
	arrays->sizes[1] = arrays->sizes[0] + n_a;
	arrays->counts = arrays->sizes[1] + n_b;
	TLV_TRY_NEW_ROWS(ctx, entries, most, 2);
	rank = tlv_alloc(ctx, n_a + n_b, sizeof(int32_t));
	TLV_TRY_ALLOC(ctx, rank);
	TLV_TRY(sort_labels(ctx, &table->labels[0], entries, entries + most, arrays->labels[0],
						arrays->sizes[0], rank));
	TLV_TRY(sort_labels(ctx, &table->labels[1], entries, entries + most, arrays->labels[1],
						arrays->sizes[1], rank + n_a));
	TLV_TRY(sort_pairs(ctx, &table->pairs, rank, rank + n_a, entries, entries + most, arrays->pairs,
					   arrays->counts));
	tlv_free(ctx, rank);
	tlv_free(ctx, entries);
	return TLV_OK;
}

void
tlv_cross_table_sizes(const tlv_cross_table *table, size_t *sizes)
{
	sizes[SIZE_A] = table->labels[0].keys.n;
	sizes[SIZE_B] = table->labels[1].keys.n;
	sizes[SIZE_PAIRS] = table->pairs.keys.n;
}

tlv_status
tlv_cross_table_check(tlv_context *ctx, const tlv_frame *frame)
{
	tlv_cross_view view;

	tlv_cross_table_view(frame, &view);
	for (size_t i = 0; i < view.n_pairs; i++)
		if (view.pairs[i] < 0 || tlv_pair_a(view.pairs[i]) >= view.n[0] ||
			tlv_pair_b(view.pairs[i]) >= view.n[1])
			return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of section \"pairs\" names no labels",
							i + 1);
	return TLV_OK;
}
