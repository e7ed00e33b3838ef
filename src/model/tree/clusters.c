/*
 * clusters.c - the variables of a tree in groups (tree.h).
 *
 * Distances that add up along the paths of a tree are squares of Euclidean ones, so that groups of
 * variables have the inertia of Ward (1963): the sum of the distances of all pairs over the number
 * of variables.  The edge is cut that takes most of it away, again and again; what every edge would
 * take away follows from the sums of its two sides, for all edges in two walks over the nodes.
 */
#include "tensorlv/model/tree.h"
#include "tensorlv/model/tree_shape.h"
#include "tensorlv/num/sort.h"

/* Sums over the variables of a part of the tree. */
typedef struct part_sums
{
	double n;		 /* variables below the node, itself among them */
	double distance; /* from the node to each of these */
	double pairs;	 /* between them */
	double all;		 /* from the node to all of its part */
	int64_t top;	 /* node at the top of the part */
} part_sums;

typedef struct tree_cutting
{
	const tlv_tree_parts *parts;
	tree_shape shape;
	bool *cut; /* nodes: from their parent */
	part_sums *sums;
} tree_cutting;

static bool
is_top(const tree_cutting *cutting, size_t v)
{
	return cutting->parts->parent[v] < 0 || cutting->cut[v];
}

/* Sums of every node, those below it first. */
static void
cutting_ascend(tree_cutting *cutting)
{
	const tlv_tree_parts *parts = cutting->parts;

	for (size_t v = 0; v < parts->nodes; v++)
		cutting->sums[v] = (part_sums){.n = v < parts->p};
	for (size_t at = parts->nodes; at-- > 0;)
	{
		size_t v = (size_t) cutting->shape.order[at];
		const part_sums *own = &cutting->sums[v];
		part_sums *above;
		double reached;

		if (is_top(cutting, v))
			continue;
		above = &cutting->sums[parts->parent[v]];
		reached = own->distance + own->n * parts->length[v];
		above->pairs += own->pairs + above->n * reached + own->n * above->distance;
		above->distance += reached;
		above->n += own->n;
	}
}

static double
inertia(double pairs, double n)
{
	return n > 0 ? pairs / n : 0;
}

/* What of the inertia goes when v is cut from its parent; 0 where that leaves no variable. */
static double
cutting_gain(const tree_cutting *cutting, size_t v)
{
	const part_sums *own = &cutting->sums[v], *whole = &cutting->sums[own->top];
	double others = whole->n - own->n, across, pairs;

	if (own->n == 0 || others == 0)
		return 0;
	across = others * own->distance + own->n * (own->all - own->distance);
	pairs = whole->pairs - own->pairs - across;
	return inertia(whole->pairs, whole->n) - inertia(own->pairs, own->n) - inertia(pairs, others);
}

/* The best edge, by the node below it; -1 when none divides variables.  Writes tops and all. */
static int64_t
cutting_choose(tree_cutting *cutting)
{
	const tlv_tree_parts *parts = cutting->parts;
	double most = -1;
	int64_t best = -1;

	cutting_ascend(cutting);
	for (size_t at = 0; at < parts->nodes; at++)
	{
		size_t v = (size_t) cutting->shape.order[at];
		part_sums *own = &cutting->sums[v];
		const part_sums *above;
		bool divides;
		double gain;

		own->top = (int64_t) v;
		own->all = own->distance;
		if (is_top(cutting, v))
			continue;
		above = &cutting->sums[parts->parent[v]];
		own->top = above->top;
		divides = own->n > 0 && cutting->sums[own->top].n > own->n;
		own->all = above->all + parts->length[v] * (cutting->sums[own->top].n - 2 * own->n);
		gain = cutting_gain(cutting, v);
		if (divides && (gain > most || best < 0))
		{
			most = gain;
			best = (int64_t) v;
		}
	}
	return best;
}

/* Cuts edges until there is the given number of groups, or one group for each variable. */
static tlv_status
cut_groups(tlv_context *ctx, tree_cutting *cutting, size_t groups)
{
	const tlv_tree_parts *parts = cutting->parts;
	size_t n = 0;

	for (size_t v = 0; v < parts->nodes; v++)
		n += parts->parent[v] < 0;
	for (;; n++)
	{
		int64_t best = cutting_choose(cutting);

		TLV_TRY_CONTINUE(ctx);
		if (best < 0 || n >= groups)
			return TLV_OK;
		cutting->cut[best] = true;
	}
}

/* Every variable by the hidden node that it hangs from, a tree without any by its root. */
static void
group_by_parent(tree_cutting *cutting)
{
	const tlv_tree_parts *parts = cutting->parts;

	for (size_t at = 0; at < parts->nodes; at++)
	{
		size_t v = (size_t) cutting->shape.order[at];
		int64_t parent = parts->parent[v];

		cutting->sums[v].top =
			v >= parts->p || parent < 0 ? (int64_t) v : cutting->sums[parent].top;
	}
}

/* Numbers from 1, by decreasing size, of equal size by the first variable. */
static tlv_status
tree_number_groups(tlv_context *ctx, const tree_cutting *cutting, int32_t *cluster)
{
	static const tlv_sort_form form = {sizeof(uint64_t), sizeof(uint64_t), 0, 64};
	size_t p = cutting->parts->p, nodes = cutting->parts->nodes, n = 0;
	int32_t *size = tlv_alloc0(ctx, 2 * nodes, sizeof(int32_t)), *given = size + nodes;
	uint64_t *keys, *sorted;
	void *result;

	TLV_TRY_ALLOC(ctx, size);
	TLV_TRY_NEW(ctx, keys, 2 * p);
	for (size_t v = 0; v < p; v++)
		size[cutting->sums[v].top]++;
	for (size_t v = 0; v < p; v++)
	{
		int64_t top = cutting->sums[v].top;

		if (given[top] == 0)
			keys[n++] = (uint64_t) (p - (size_t) size[top]) << 32 | v;
		given[top] = 1;
	}
	TLV_TRY(tlv_radix_sort(ctx, &form, n, keys, keys + p, &result));
	sorted = result;
	for (size_t i = 0; i < n; i++)
		given[cutting->sums[sorted[i] & UINT32_MAX].top] = (int32_t) i + 1;
	for (size_t v = 0; v < p; v++)
		cluster[v] = given[cutting->sums[v].top];
	tlv_free(ctx, keys);
	tlv_free(ctx, size);
	return TLV_OK;
}

tlv_status
tlv_tree_clusters(tlv_context *ctx, const tlv_tree_parts *parts, size_t groups, int32_t *cluster)
{
	tree_cutting cutting = {.parts = parts};

	TLV_TRY(tlv_tree_shape_create(ctx, parts->p, parts->nodes, parts->parent, &cutting.shape));
	TLV_TRY_NEW(ctx, cutting.sums, parts->nodes);
	TLV_TRY_NEW0(ctx, cutting.cut, parts->nodes);
	if (groups > 0)
		TLV_TRY(cut_groups(ctx, &cutting, groups));
	else
		group_by_parent(&cutting);
	TLV_TRY(tree_number_groups(ctx, &cutting, cluster));
	tlv_free(ctx, cutting.cut);
	tlv_free(ctx, cutting.sums);
	tlv_tree_shape_free(ctx, &cutting.shape);
	return TLV_OK;
}
