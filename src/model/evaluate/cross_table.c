/*
 * cross_table.c - sparse counts of pairs of labels (cross_table.h).
 */
#include "cross_table.h"

#include "tensorlv/model/refusals.h"
#include "tensorlv/num/bag.h"

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

/* How one count changes: tlv_tally_add() or tally_take(). */
typedef tlv_status (*tally_change)(tlv_context *ctx, tlv_tally *tally, int64_t key, double count,
								   int32_t *position);

/* Changes every count of the table that a stored one has.  table->gone counts pairs left at 0. */
static tlv_status
change_all(tlv_context *ctx, tlv_cross_table *table, const tlv_frame *frame, tally_change change)
{
	const double *const sizes[2] = {tlv_frame_float64(frame, "sizes_a"),
									tlv_frame_float64(frame, "sizes_b")};
	tlv_cross_view view;
	int32_t *position[2] = {NULL, NULL}, pair = 0;

	TLV_TRY_CONTINUE(ctx);
	tlv_cross_table_view(frame, &view);
	for (int s = 0; s < 2; s++)
	{
		TLV_TRY_NEW(ctx, position[s], view.n[s]);
		for (size_t i = 0; i < view.n[s]; i++)
		{
			TLV_TRY_CONTINUE_AT(ctx, i);
			TLV_TRY(change(ctx, &table->labels[s], view.labels[s][i],
						   sizes[s] == NULL ? 0 : sizes[s][i], &position[s][i]));
		}
	}
	for (size_t i = 0; i < view.n_pairs; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		TLV_TRY(change(ctx, &table->pairs,
					   tlv_pair_key(position[0][tlv_pair_a(view.pairs[i])],
									position[1][tlv_pair_b(view.pairs[i])]),
					   view.counts[i], &pair));
		table->gone += table->pairs.counts[pair] == 0;
	}
	tlv_free(ctx, position[1]);
	tlv_free(ctx, position[0]);
	return TLV_OK;
}

tlv_status
tlv_cross_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	return change_all(ctx, &((tlv_cross_state *) accumulator)->table, frame, tlv_tally_add);
}

/* Takes from the count of a key; *position gets where it is. */
static tlv_status
tally_take(tlv_context *ctx, tlv_tally *tally, int64_t key, double count, int32_t *position)
{
	*position = tlv_dictionary_find(&tally->keys, key);
	if (*position < 0 || tally->counts[*position] < count)
		return tlv_refuse_taken(ctx, "rows");
	tally->counts[*position] -= count;
	return TLV_OK;
}

/* Is most of it gone? */
static bool
is_stale(const tlv_cross_table *table)
{
	return table->gone > 4096 && table->gone > table->pairs.keys.n / 2;
}

/* Counts, which are exact. */
tlv_status
tlv_cross_subtract(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame,
				   bool exactly, bool *done)
{
	tlv_cross_state *state = (tlv_cross_state *) accumulator;
	double nodes = tlv_frame_scalar(frame, "nodes", 0), nulls = tlv_frame_scalar(frame, "nulls", 0);

	if (nodes > state->nodes || nulls > state->declared.base.nulls)
		return tlv_refuse_taken(ctx, "rows");
	*done = !(exactly && is_stale(&state->table));
	if (!*done)
		return TLV_OK;
	TLV_TRY(change_all(ctx, &state->table, frame, tally_take));
	state->table.gone++; /* labels may be, too */
	state->nodes -= nodes;
	state->declared.base.nulls -= nulls;
	return TLV_OK;
}

/* The labels of one side that are still there: those of pairs, and those of some size. */
static tlv_status
mark_labels(tlv_context *ctx, const tlv_cross_table *table, int side, bool *used)
{
	const tlv_tally *labels = &table->labels[side];

	for (size_t i = 0; i < labels->keys.n; i++)
		used[i] = table->gone == 0 || labels->counts[i] > 0;
	for (size_t i = 0; i < table->pairs.keys.n; i++)
	{
		int64_t key = table->pairs.keys.items[i];

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (table->pairs.counts[i] > 0)
			used[side == 0 ? tlv_pair_a(key) : tlv_pair_b(key)] = true;
	}
	return TLV_OK;
}

/* What a table is sorted with. */
typedef struct cross_sort
{
	tlv_bag_entry *entries, *work;
	bool *used;
	int32_t *rank[2]; /* by position: where the label went */
} cross_sort;

/* Labels that are there in ascending order with their sizes; *n gets their number. */
static tlv_status
sort_labels(tlv_context *ctx, const tlv_cross_table *table, int side, const cross_sort *sort,
			tlv_cross_arrays *arrays, size_t *n)
{
	const tlv_tally *tally = &table->labels[side];

	*n = 0;
	TLV_TRY(mark_labels(ctx, table, side, sort->used));
	for (size_t i = 0; i < tally->keys.n; i++)
		if (sort->used[i])
			sort->entries[(*n)++] = (tlv_bag_entry){tally->keys.items[i], (double) i};
	TLV_TRY(tlv_bag_sort(ctx, *n, sort->entries, sort->work, n));
	for (size_t i = 0; i < *n; i++)
	{
		size_t position = (size_t) sort->entries[i].weight;

		TLV_TRY_CONTINUE_AT(ctx, i);
		arrays->labels[side][i] = sort->entries[i].item;
		arrays->sizes[side][i] = tally->counts[position];
		sort->rank[side][position] = (int32_t) i;
	}
	return TLV_OK;
}

static tlv_status
sort_pairs(tlv_context *ctx, const tlv_tally *pairs, const cross_sort *sort,
		   tlv_cross_arrays *arrays, size_t *n_pairs)
{
	size_t n = 0;

	for (size_t i = 0; i < pairs->keys.n; i++)
	{
		int64_t key = pairs->keys.items[i];

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (pairs->counts[i] > 0)
			sort->entries[n++] = (tlv_bag_entry){
				tlv_pair_key(sort->rank[0][tlv_pair_a(key)], sort->rank[1][tlv_pair_b(key)]),
				pairs->counts[i]};
	}
	TLV_TRY(tlv_bag_sort(ctx, n, sort->entries, sort->work, &n));
	for (size_t i = 0; i < n; i++)
	{
		arrays->pairs[i] = sort->entries[i].item;
		arrays->counts[i] = sort->entries[i].weight;
	}
	*n_pairs = n;
	return TLV_OK;
}

/* Labels ascending with their sizes, pairs in order. */
tlv_status
tlv_cross_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	tlv_cross_state *state = (tlv_cross_state *) accumulator;
	const tlv_cross_table *table = &state->table;
	tlv_cross_arrays *arrays = &state->stored;
	size_t *sizes = state->declared.sizes;
	size_t n_a = table->labels[0].keys.n, n_b = table->labels[1].keys.n;
	size_t n = table->pairs.keys.n, most = n > n_a ? n : n_a;
	cross_sort sort;

	most = most > n_b ? most : n_b;
	*owned = arrays->labels[0] = tlv_alloc(ctx, 2 * (n_a + n_b + n), sizeof(int64_t));
	TLV_TRY_ALLOC(ctx, arrays->labels[0]);
	arrays->labels[1] = arrays->labels[0] + n_a;
	arrays->pairs = arrays->labels[1] + n_b;
	arrays->sizes[0] = (double *) (arrays->pairs + n);
	arrays->sizes[1] = arrays->sizes[0] + n_a;
	arrays->counts = arrays->sizes[1] + n_b;
	TLV_TRY_NEW_ROWS(ctx, sort.entries, most, 2);
	sort.work = sort.entries + most;
	TLV_TRY_NEW(ctx, sort.used, most);
	TLV_TRY_NEW(ctx, sort.rank[0], n_a + n_b);
	sort.rank[1] = sort.rank[0] + n_a;
	TLV_TRY(sort_labels(ctx, table, 0, &sort, arrays, &sizes[SIZE_A]));
	TLV_TRY(sort_labels(ctx, table, 1, &sort, arrays, &sizes[SIZE_B]));
	TLV_TRY(sort_pairs(ctx, &table->pairs, &sort, arrays, &sizes[SIZE_PAIRS]));
	tlv_free(ctx, sort.rank[0]);
	tlv_free(ctx, sort.used);
	tlv_free(ctx, sort.entries);
	return TLV_OK;
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
