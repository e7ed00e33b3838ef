/*
 * nearest.c - the observed nodes near to every node of a tree, by direction, and triples of them
 * (tree_shape.h).
 */
#include <string.h>

#include "tensorlv/model/tree_shape.h"

/* Directions of a node that are looked at. */
#define MOST_DIRECTIONS 5

static void
nearest_insert_near(tree_near *list, int32_t node, double distance)
{
	int at = list->n;

	if (at == TREE_NEAR && distance >= list->distance[at - 1])
		return;
	at = at == TREE_NEAR ? at - 1 : at;
	list->n = at + 1;
	for (; at > 0 && list->distance[at - 1] > distance; at--)
	{
		list->distance[at] = list->distance[at - 1];
		list->node[at] = list->node[at - 1];
	}
	list->distance[at] = distance;
	list->node[at] = node;
}

static void
insert_all(tree_near *list, const tree_near *from, double more)
{
	for (int i = 0; i < from->n; i++)
		nearest_insert_near(list, from->node[i], from->distance[i] + more);
}

/* The nearest of all directions of a node, twice as many: enough when one of them is left out. */
typedef struct directed_near
{
	int n;
	struct
	{
		int32_t node, direction;
		double distance;
	} at[2 * TREE_NEAR];
} directed_near;

static void
insert_directed(directed_near *list, int32_t direction, const tree_near *from, double more)
{
	for (int i = 0; i < from->n; i++)
	{
		double distance = from->distance[i] + more;
		int at = list->n;

		if (at == 2 * TREE_NEAR && distance >= list->at[at - 1].distance)
			return;
		at = at == 2 * TREE_NEAR ? at - 1 : at;
		list->n = at + 1;
		for (; at > 0 && list->at[at - 1].distance > distance; at--)
			list->at[at] = list->at[at - 1];
		list->at[at].node = from->node[i];
		list->at[at].direction = direction;
		list->at[at].distance = distance;
	}
}

/* above of the children of u, from u's own. */
static void
look_down(const tree_shape *shape, const double *length, const tree_near *below, tree_near *above,
		  size_t u)
{
	tree_near own = {.n = u < shape->p, .node = {(int32_t) u}};
	directed_near all = {0};

	insert_directed(&all, -1, &own, 0);
	insert_directed(&all, -1, &above[u], 0);
	for (size_t e = shape->first[u]; e < shape->first[u + 1]; e++)
		insert_directed(&all, shape->child[e], &below[shape->child[e]], length[shape->child[e]]);
	for (size_t e = shape->first[u]; e < shape->first[u + 1]; e++)
	{
		int32_t c = shape->child[e];

		for (int i = 0; i < all.n; i++)
			if (all.at[i].direction != c)
				nearest_insert_near(&above[c], all.at[i].node, all.at[i].distance + length[c]);
	}
}

tlv_status
tlv_tree_nearest(tlv_context *ctx, const tree_shape *shape, const double *length, tree_near *below,
				 tree_near *above)
{
	memset(below, 0, shape->nodes * sizeof(tree_near));
	memset(above, 0, shape->nodes * sizeof(tree_near));
	for (size_t at = shape->nodes; at-- > 0;)
	{
		size_t v = (size_t) shape->order[at];

		if (v < shape->p)
			nearest_insert_near(&below[v], (int32_t) v, 0);
		if (shape->parent[v] >= 0)
			insert_all(&below[shape->parent[v]], &below[v], length[v]);
	}
	for (size_t at = 0; at < shape->nodes; at++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, at);
		look_down(shape, length, below, above, (size_t) shape->order[at]);
	}
	return TLV_OK;
}

/* ---- candidates: the triples of one node, the nearest first ---- */

static void
insert_candidate(tree_candidates *found, const tree_candidate *one)
{
	size_t at = found->n;

	if (at == TREE_MOST_CANDIDATES && one->score >= found->list[at - 1].score)
		return;
	at = at == TREE_MOST_CANDIDATES ? at - 1 : at;
	found->n = at + 1;
	for (; at > 0 && found->list[at - 1].score > one->score; at--)
		found->list[at] = found->list[at - 1];
	found->list[at] = *one;
}

/* The nearest directions of a node, the nearest first; their number. */
static size_t
nearest_directions(const tree_shape *shape, const double *length, const tree_near *below,
				   const tree_near *above, size_t node, tree_near directions[MOST_DIRECTIONS])
{
	size_t n = 0, first = shape->first[node], end = shape->first[node + 1];

	for (size_t e = first; e <= end; e++)
	{
		tree_near one = {0};
		size_t at;

		if (e < end)
			insert_all(&one, &below[shape->child[e]], length[shape->child[e]]);
		else
			insert_all(&one, &above[node], 0);
		if (one.n == 0 ||
			(n == MOST_DIRECTIONS && one.distance[0] >= directions[n - 1].distance[0]))
			continue;
		at = n < MOST_DIRECTIONS ? n++ : n - 1;
		for (; at > 0 && directions[at - 1].distance[0] > one.distance[0]; at--)
			directions[at] = directions[at - 1];
		directions[at] = one;
	}
	return n;
}

static void
sort_three(int64_t x[3])
{
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			if (x[j] > x[j + 1])
			{
				int64_t swap = x[j];

				x[j] = x[j + 1];
				x[j + 1] = swap;
			}
}

void
tlv_tree_list_candidates(const tree_shape *shape, const double *length, const tree_near *below,
						 const tree_near *above, size_t node, tree_candidates *found)
{
	tree_near d[MOST_DIRECTIONS];
	size_t n = nearest_directions(shape, length, below, above, node, d);

	found->n = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			for (size_t l = j + 1; l < n; l++)
				for (int e = 0; e < TREE_NEAR * TREE_NEAR * TREE_NEAR; e++)
				{
					int a = e % TREE_NEAR, b = e / TREE_NEAR % TREE_NEAR;
					int c = e / (TREE_NEAR * TREE_NEAR);
					tree_candidate one;

					if (a >= d[i].n || b >= d[j].n || c >= d[l].n)
						continue;
					one.node[0] = d[i].node[a];
					one.node[1] = d[j].node[b];
					one.node[2] = d[l].node[c];
					one.score = d[i].distance[a] + d[j].distance[b] + d[l].distance[c];
					sort_three(one.node);
					insert_candidate(found, &one);
				}
}

bool
tlv_tree_nearest_triple(const tree_shape *shape, const double *length, const tree_near *below,
						const tree_near *above, size_t node, int64_t triple[3])
{
	tree_candidates found;

	tlv_tree_list_candidates(shape, length, below, above, node, &found);
	if (found.n == 0)
		return false;
	memcpy(triple, found.list[0].node, 3 * sizeof(int64_t));
	return true;
}
