/*
 * shape.c - trees as lists of edges, their neighbour lists and roots (tree_structure.h).
 */
#include "tensorlv/model/tree_structure.h"

#include <math.h>
#include <string.h>

tlv_status
tlv_tree_create(tlv_context *ctx, size_t p, size_t nodes, size_t edges, tlv_tree *tree)
{
	*tree = (tlv_tree){.p = p, .nodes = nodes, .edges = edges};
	if (nodes > TLV_TREE_MOST_NODES)
		return tlv_fail(ctx, TLV_LIMIT, "a tree of %zu nodes is too large, more than %d", nodes,
						TLV_TREE_MOST_NODES);
	TLV_TRY_NEW0_ROWS(ctx, tree->ends, edges, 2);
	TLV_TRY_NEW0(ctx, tree->length, edges);
	TLV_TRY_NEW(ctx, tree->error, edges);
	TLV_TRY_NEW(ctx, tree->support, edges);
	for (size_t e = 0; e < edges; e++)
		tree->error[e] = tree->support[e] = NAN;
	return TLV_OK;
}

void
tlv_tree_free(tlv_context *ctx, tlv_tree *tree)
{
	tlv_free(ctx, tree->support);
	tlv_free(ctx, tree->error);
	tlv_free(ctx, tree->length);
	tlv_free(ctx, tree->ends);
	memset(tree, 0, sizeof(*tree));
}

tlv_status
tlv_tree_neighbours_create(tlv_context *ctx, const tlv_tree *tree, tlv_tree_neighbours *neighbours)
{
	size_t *start, halves = 2 * tree->edges;

	memset(neighbours, 0, sizeof(*neighbours));
	TLV_TRY_NEW0(ctx, start, tree->nodes + 2);
	neighbours->start = start;
	TLV_TRY_NEW(ctx, neighbours->neighbour, halves);
	TLV_TRY_NEW(ctx, neighbours->edge, halves);
	/* Counted two places further on, so that filling moves every start to where it belongs. */
	for (size_t h = 0; h < halves; h++)
		start[tree->ends[h] + 2]++;
	for (size_t v = 2; v < tree->nodes + 2; v++)
		start[v] += start[v - 1];
	for (size_t h = 0; h < halves; h++)
	{
		size_t at = start[tree->ends[h] + 1]++;

		neighbours->neighbour[at] = tree->ends[h ^ 1];
		neighbours->edge[at] = (int32_t) (h / 2);
	}
	return TLV_OK;
}

void
tlv_tree_neighbours_free(tlv_context *ctx, tlv_tree_neighbours *neighbours)
{
	tlv_free(ctx, neighbours->edge);
	tlv_free(ctx, neighbours->neighbour);
	tlv_free(ctx, neighbours->start);
	memset(neighbours, 0, sizeof(*neighbours));
}

void
tlv_tree_hang(const tlv_tree_neighbours *neighbours, tlv_tree_rooting *rooting, int32_t root,
			  size_t *at)
{
	size_t head = *at;

	rooting->parent[root] = -1;
	rooting->edge[root] = -1;
	rooting->order[(*at)++] = root;
	while (head < *at)
	{
		int32_t v = rooting->order[head++];

		for (size_t i = neighbours->start[v]; i < neighbours->start[v + 1]; i++)
		{
			int32_t child = neighbours->neighbour[i];

			if (child == rooting->parent[v])
				continue;
			rooting->parent[child] = v;
			rooting->edge[child] = neighbours->edge[i];
			rooting->order[(*at)++] = child;
		}
	}
}

/* Hidden before observed, then more neighbours, then the lower number. */
static bool
better_root(const tlv_tree *tree, const tlv_tree_neighbours *neighbours, int32_t a, int32_t b)
{
	bool hidden_a = (size_t) a >= tree->p, hidden_b = (size_t) b >= tree->p;
	size_t degree_a = neighbours->start[a + 1] - neighbours->start[a];
	size_t degree_b = neighbours->start[b + 1] - neighbours->start[b];

	if (hidden_a != hidden_b)
		return hidden_a;
	return degree_a != degree_b ? degree_a > degree_b : a < b;
}

static void
root_components(const tlv_tree *tree, const tlv_tree_neighbours *neighbours,
				tlv_tree_rooting *rooting)
{
	size_t at = 0;

	rooting->components = 0;
	memset(rooting->edge, 0xfe, tree->nodes * sizeof(int32_t)); /* neither -1 nor an edge */
	for (size_t v = 0; v < tree->nodes; v++)
	{
		size_t begin = at;
		int32_t best;

		if (rooting->edge[v] >= -1)
			continue;
		/* Once from anywhere to see who belongs to it, once from the best of them. */
		tlv_tree_hang(neighbours, rooting, (int32_t) v, &at);
		best = rooting->order[begin];
		for (size_t i = begin; i < at; i++)
			if (better_root(tree, neighbours, rooting->order[i], best))
				best = rooting->order[i];
		at = begin;
		tlv_tree_hang(neighbours, rooting, best, &at);
		rooting->components++;
	}
}

tlv_status
tlv_tree_root(tlv_context *ctx, const tlv_tree *tree, tlv_tree_rooting *rooting)
{
	tlv_tree_neighbours neighbours;

	memset(rooting, 0, sizeof(*rooting));
	TLV_TRY_NEW(ctx, rooting->parent, tree->nodes);
	TLV_TRY_NEW(ctx, rooting->edge, tree->nodes);
	TLV_TRY_NEW(ctx, rooting->order, tree->nodes);
	TLV_TRY(tlv_tree_neighbours_create(ctx, tree, &neighbours));
	root_components(tree, &neighbours, rooting);
	tlv_tree_neighbours_free(ctx, &neighbours);
	return TLV_OK;
}

void
tlv_tree_rooting_free(tlv_context *ctx, tlv_tree_rooting *rooting)
{
	tlv_free(ctx, rooting->order);
	tlv_free(ctx, rooting->edge);
	tlv_free(ctx, rooting->parent);
	memset(rooting, 0, sizeof(*rooting));
}
