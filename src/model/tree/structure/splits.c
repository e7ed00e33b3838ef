/*
 * splits.c - splits of the observed nodes, and how many two trees share (tree_structure.h).
 *
 * Every observed node has a random number of 64 bits; a set of nodes is known by the exclusive or
 * of theirs.  A split is the pair of the two sides of an edge within its component, so that forests
 * have splits, too.
 */
#include "tensorlv/model/tree_structure.h"

#include <stdlib.h>
#include <string.h>

#include "tensorlv/num/rng.h"

static uint64_t
node_key(size_t v)
{
	return tlv_mix64(tlv_mix64(v + 1));
}

/* Splits of all edges; 0: one side has fewer than two observed nodes. */
typedef struct split_work
{
	tlv_tree_rooting rooting;
	uint64_t *key;	 /* of the observed nodes in every node's subtree */
	uint64_t *count; /* how many they are */
} split_work;

static void
fill_splits(const tlv_tree *tree, split_work *w, uint64_t *split)
{
	uint64_t root_key = 0, root_count = 0;

	for (size_t v = 0; v < tree->p; v++)
	{
		w->key[v] = node_key(v);
		w->count[v] = 1;
	}
	for (size_t i = tree->nodes; i-- > 0;)
	{
		int32_t v = w->rooting.order[i], parent = w->rooting.parent[v];

		if (parent < 0)
			continue;
		w->key[parent] ^= w->key[v];
		w->count[parent] += w->count[v];
	}
	for (size_t i = 0; i < tree->nodes; i++)
	{
		int32_t v = w->rooting.order[i];
		uint64_t below = w->key[v], above;

		if (w->rooting.parent[v] < 0)
		{
			root_key = below;
			root_count = w->count[v];
			continue;
		}
		above = root_key ^ below;
		split[w->rooting.edge[v]] = 0;
		if (w->count[v] >= 2 && root_count - w->count[v] >= 2)
			split[w->rooting.edge[v]] =
				below < above ? tlv_mix64(below) ^ above : tlv_mix64(above) ^ below;
	}
}

static tlv_status
find_splits(tlv_context *ctx, const tlv_tree *tree, uint64_t **split)
{
	split_work w;

	*split = NULL;
	TLV_TRY(tlv_tree_root(ctx, tree, &w.rooting));
	TLV_TRY_NEW0(ctx, w.key, 2 * tree->nodes);
	w.count = w.key + tree->nodes;
	TLV_TRY_NEW0(ctx, *split, tree->edges);
	fill_splits(tree, &w, *split);
	tlv_free(ctx, w.key);
	tlv_tree_rooting_free(ctx, &w.rooting);
	return TLV_OK;
}

static int
compare_words(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

	return x < y ? -1 : x > y;
}

/* Ascending, without repetitions and without 0; returns how many are left. */
static size_t
sort_splits(size_t n, uint64_t *split)
{
	size_t kept = 0;

	qsort(split, n, sizeof(uint64_t), compare_words);
	for (size_t i = 0; i < n; i++)
		if (split[i] != 0 && (kept == 0 || split[kept - 1] != split[i]))
			split[kept++] = split[i];
	return kept;
}

static tlv_status
check_same(tlv_context *ctx, const tlv_tree *a, const tlv_tree *b)
{
	if (a->p != b->p)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"trees of %zu and of %zu variables cannot be compared", a->p, b->p);
	return TLV_OK;
}

tlv_status
tlv_tree_robinson_foulds(tlv_context *ctx, const tlv_tree *a, const tlv_tree *b, size_t *different,
						 size_t *total)
{
	uint64_t *of_a, *of_b;
	size_t n, m, i = 0, j = 0, same = 0;

	*different = *total = 0;
	TLV_TRY(check_same(ctx, a, b));
	TLV_TRY(find_splits(ctx, a, &of_a));
	TLV_TRY(find_splits(ctx, b, &of_b));
	n = sort_splits(a->edges, of_a);
	m = sort_splits(b->edges, of_b);
	while (i < n && j < m)
	{
		int order = compare_words(of_a + i, of_b + j);

		same += order == 0;
		i += order <= 0;
		j += order >= 0;
	}
	*total = n + m;
	*different = n + m - 2 * same;
	tlv_free(ctx, of_b);
	tlv_free(ctx, of_a);
	return TLV_OK;
}

tlv_status
tlv_tree_count_splits(tlv_context *ctx, const tlv_tree *tree, const tlv_tree *replicate,
					  double *counts)
{
	uint64_t *split, *other;
	size_t n;

	TLV_TRY(check_same(ctx, tree, replicate));
	TLV_TRY(find_splits(ctx, tree, &split));
	TLV_TRY(find_splits(ctx, replicate, &other));
	n = sort_splits(replicate->edges, other);
	for (size_t e = 0; e < tree->edges; e++)
		if (split[e] != 0 && bsearch(&split[e], other, n, sizeof(uint64_t), compare_words) != NULL)
			counts[e]++;
	tlv_free(ctx, other);
	tlv_free(ctx, split);
	return TLV_OK;
}
