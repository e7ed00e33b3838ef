/*
 * selection.c - the triples of a tree without parameters and the tables of
 * pairs that go with them (tree_selection.h).
 */
#include <string.h>

#include "internal.h"

tlv_status
tlv_tree_selection_create(tlv_context *ctx, const tlv_tree_parts *parts, tree_selection *selection)
{
	size_t hidden = parts->nodes - parts->p;

	memset(selection, 0, sizeof(*selection));
	selection->states = parts->states;
	selection->triples = parts->triples;
	TLV_TRY(tlv_tree_shape_create(ctx, parts->p, parts->nodes, parts->parent, &selection->shape));
	TLV_TRY_NEW(ctx, selection->direction, 3 * hidden);
	for (size_t j = 0; j < hidden; j++)
	{
		const int64_t *triple = selection->triples + 3 * j;
		int64_t *direction = selection->direction + 3 * j;
		bool none = triple[0] < 0 && triple[1] < 0 && triple[2] < 0;

		for (int t = 0; t < 3; t++)
		{
			direction[t] = -1;
			if (triple[t] >= 0 && triple[t] < (int64_t) parts->p)
				direction[t] =
					tlv_tree_direction(&selection->shape, parts->p + j, (size_t) triple[t]);
		}
		if (!none && (direction[0] < 0 || direction[1] < 0 || direction[2] < 0 ||
					  direction[0] == direction[1] || direction[0] == direction[2] ||
					  direction[1] == direction[2]))
			return tlv_fail(ctx, TLV_CORRUPT,
							"the triple of hidden node %zu is not in three directions from it", j);
	}
	return TLV_OK;
}

void
tlv_tree_selection_free(tlv_context *ctx, tree_selection *selection)
{
	tlv_tree_shape_free(ctx, &selection->shape);
	tlv_free(ctx, selection->direction);
}

size_t
tlv_tree_stand_ins(const tree_selection *selection, size_t node, size_t other, size_t stand[3])
{
	size_t p = selection->shape.p, n = 0;

	if (node < p)
	{
		stand[0] = node;
		return 1;
	}
	for (size_t e = 3 * (node - p); e < 3 * (node - p) + 3; e++)
		if (selection->triples[e] >= 0 && selection->direction[e] != (int64_t) other)
			stand[n++] = (size_t) selection->triples[e];
	return n;
}

double
tlv_tree_pair_entries(const tree_selection *selection)
{
	size_t a[3], c[3];
	double sum = 0;

	for (size_t v = 0; v < selection->shape.nodes; v++)
	{
		size_t u, na, nc;

		if (selection->shape.parent[v] < 0)
		{
			sum += v < selection->shape.p ? (double) selection->states[v] : 0;
			continue;
		}
		u = (size_t) selection->shape.parent[v];
		na = tlv_tree_stand_ins(selection, v, u, a);
		nc = tlv_tree_stand_ins(selection, u, v, c);
		for (size_t i = 0; i < na; i++)
			for (size_t j = 0; j < nc; j++)
				sum += (double) (selection->states[a[i]] * selection->states[c[j]]);
	}
	return sum;
}

size_t
tlv_tree_triple_entries(const tree_selection *selection, size_t hidden)
{
	const int64_t *triple = selection->triples + 3 * hidden;

	if (triple[0] < 0)
		return 0;
	return (size_t) (selection->states[triple[0]] * selection->states[triple[1]] *
					 selection->states[triple[2]]);
}
