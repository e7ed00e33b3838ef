/*
 * forest.c - the rooted forest of a model: children, an order, subtrees
 * (tree_shape.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/tree_shape.h"

static tlv_status
allocate_shape(tlv_context *ctx, tree_shape *shape)
{
	size_t nodes = shape->nodes;

	TLV_TRY_NEW0(ctx, shape->first, nodes + 2);
	TLV_TRY_NEW0(ctx, shape->order, 5 * nodes);
	shape->child = shape->order + nodes;
	shape->root = shape->child + nodes;
	shape->enter = shape->root + nodes;
	shape->leave = shape->enter + nodes;
	return TLV_OK;
}

/* Children by counting sort, so that those of a node ascend. */
static void
list_children(tree_shape *shape)
{
	size_t *first = shape->first;

	for (size_t v = 0; v < shape->nodes; v++)
		if (shape->parent[v] >= 0)
			first[shape->parent[v] + 2]++;
	for (size_t v = 2; v < shape->nodes + 1; v++)
		first[v + 1] += first[v];
	for (size_t v = 0; v < shape->nodes; v++)
		if (shape->parent[v] >= 0)
			shape->child[first[shape->parent[v] + 1]++] = (int32_t) v;
}

/* Breadth first from the roots; how many nodes were reached. */
static size_t
structure_order_nodes(tree_shape *shape)
{
	size_t n = 0;

	for (size_t v = 0; v < shape->nodes; v++)
		if (shape->parent[v] < 0)
		{
			shape->root[v] = (int32_t) v;
			shape->order[n++] = (int32_t) v;
		}
	for (size_t at = 0; at < n; at++)
	{
		size_t v = (size_t) shape->order[at];

		for (size_t e = shape->first[v]; e < shape->first[v + 1]; e++)
		{
			shape->root[shape->child[e]] = shape->root[v];
			shape->order[n++] = shape->child[e];
		}
	}
	return n;
}

/* Intervals of subtrees: sizes from below, starts from above. */
static void
number_subtrees(tree_shape *shape)
{
	int32_t next = 0;

	for (size_t at = shape->nodes; at-- > 0;)
	{
		size_t v = (size_t) shape->order[at];

		shape->leave[v]++; /* the size, for the moment */
		if (shape->parent[v] >= 0)
			shape->leave[shape->parent[v]] += shape->leave[v];
	}
	for (size_t at = 0; at < shape->nodes; at++)
	{
		size_t v = (size_t) shape->order[at];
		int32_t start;

		if (shape->parent[v] < 0)
		{
			shape->enter[v] = next;
			next += shape->leave[v];
		}
		start = shape->enter[v] + 1;
		for (size_t e = shape->first[v]; e < shape->first[v + 1]; e++)
		{
			shape->enter[shape->child[e]] = start;
			start += shape->leave[shape->child[e]];
		}
	}
	for (size_t v = 0; v < shape->nodes; v++)
		shape->leave[v] += shape->enter[v];
}

tlv_status
tlv_tree_shape_create(tlv_context *ctx, size_t p, size_t nodes, const int64_t *parent,
					  tree_shape *shape)
{
	memset(shape, 0, sizeof(*shape));
	shape->p = p;
	shape->nodes = nodes;
	shape->parent = parent;
	for (size_t v = 0; v < nodes; v++)
		if (parent[v] < -1 || parent[v] >= (int64_t) nodes)
			return tlv_fail(ctx, TLV_CORRUPT, "node %zu of the tree has no node %lld as its parent",
							v, (long long) parent[v]);
	TLV_TRY(allocate_shape(ctx, shape));
	list_children(shape);
	if (structure_order_nodes(shape) < nodes)
		return tlv_fail(ctx, TLV_CORRUPT, "the tree has a circle");
	number_subtrees(shape);
	return TLV_OK;
}

void
tlv_tree_shape_free(tlv_context *ctx, tree_shape *shape)
{
	tlv_free(ctx, shape->order);
	tlv_free(ctx, shape->first);
	shape->order = NULL;
	shape->first = NULL;
}

int64_t
tlv_tree_direction(const tree_shape *shape, size_t v, size_t a)
{
	size_t low = shape->first[v], high = shape->first[v + 1];

	if (a == v || shape->root[a] != shape->root[v])
		return -1;
	if (shape->enter[a] < shape->enter[v] || shape->enter[a] >= shape->leave[v])
		return shape->parent[v];
	while (high - low > 1)
	{
		size_t middle = low + (high - low) / 2;

		if (shape->enter[shape->child[middle]] <= shape->enter[a])
			low = middle;
		else
			high = middle;
	}
	return shape->child[low];
}

/* ---- a learned tree in the model's form ---- */

tlv_status
tlv_tree_rooted_create(tlv_context *ctx, const tlv_tree *tree, tree_rooted *rooted)
{
	size_t nodes = tree->nodes;
	tlv_tree_rooting rooting;

	if (nodes < tree->p || tree->p == 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the tree has no nodes");
	TLV_TRY_NEW0(ctx, rooted->parent, 2 * nodes);
	rooted->states = rooted->parent + nodes;
	TLV_TRY_NEW0(ctx, rooted->length, 3 * nodes);
	rooted->error = rooted->length + nodes;
	rooted->support = rooted->error + nodes;
	TLV_TRY(tlv_tree_root(ctx, tree, &rooting));
	for (size_t v = 0; v < nodes; v++)
	{
		int32_t edge = rooting.edge[v];

		rooted->parent[v] = rooting.parent[v];
		rooted->error[v] = rooted->support[v] = -1;
		if (edge < 0)
			continue;
		rooted->length[v] = isfinite(tree->length[edge]) ? fmax(tree->length[edge], 0) : 0;
		if (isfinite(tree->error[edge]))
			rooted->error[v] = tree->error[edge];
		if (isfinite(tree->support[edge]))
			rooted->support[v] = tree->support[edge];
	}
	tlv_tree_rooting_free(ctx, &rooting);
	return TLV_OK;
}
