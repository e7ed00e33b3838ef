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

/* Splits of all edges; 0: one side has fewer than the given number of observed nodes. */
typedef struct split_work
{
	tlv_tree_rooting rooting;
	uint64_t *key;	 /* of the observed nodes in every node's subtree */
	uint64_t *count; /* how many they are */
	uint64_t least;	 /* observed nodes of a side */
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
		if (w->count[v] >= w->least && root_count - w->count[v] >= w->least)
			split[w->rooting.edge[v]] =
				below < above ? tlv_mix64(below) ^ above : tlv_mix64(above) ^ below;
	}
}

static tlv_status
find_splits(tlv_context *ctx, const tlv_tree *tree, uint64_t least, uint64_t **split)
{
	split_work w = {.least = least};

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
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "trees of %zu and of %zu variables cannot be compared",
				 a->p, b->p);
		return tlv_fail_hint(ctx, "Learn both from the same variables.");
	}
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
	TLV_TRY(find_splits(ctx, a, 2, &of_a));
	TLV_TRY(find_splits(ctx, b, 2, &of_b));
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

/* ---- lengths ---- */

typedef struct split_length
{
	uint64_t split;
	double length;
} split_length;

static int
compare_splits(const void *a, const void *b)
{
	return compare_words(&((const split_length *) a)->split, &((const split_length *) b)->split);
}

/* The splits of a tree with the lengths of their edges, by split. */
static tlv_status
list_lengths(tlv_context *ctx, const tlv_tree *tree, split_length **list)
{
	uint64_t *split;

	TLV_TRY(find_splits(ctx, tree, 1, &split));
	TLV_TRY_NEW(ctx, *list, tree->edges);
	for (size_t e = 0; e < tree->edges; e++)
		(*list)[e] = (split_length){split[e], tree->length[e]};
	tlv_free(ctx, split);
	qsort(*list, tree->edges, sizeof(split_length), compare_splits);
	return TLV_OK;
}

tlv_status
tlv_tree_add_lengths(tlv_context *ctx, const tlv_tree *tree, const tlv_tree *replicate,
					 double *sums)
{
	split_length *list;
	uint64_t *split;

	TLV_TRY(check_same(ctx, tree, replicate));
	TLV_TRY(find_splits(ctx, tree, 1, &split));
	TLV_TRY(list_lengths(ctx, replicate, &list));
	for (size_t e = 0; e < tree->edges; e++)
	{
		split_length wanted = {split[e], 0}, *found;
		double apart;

		if (split[e] == 0)
			continue;
		found = bsearch(&wanted, list, replicate->edges, sizeof(split_length), compare_splits);
		if (found == NULL)
			continue;
		apart = found->length - tree->length[e];
		sums[3 * e]++;
		sums[3 * e + 1] += apart;
		sums[3 * e + 2] += apart * apart;
	}
	tlv_free(ctx, list);
	tlv_free(ctx, split);
	return TLV_OK;
}
