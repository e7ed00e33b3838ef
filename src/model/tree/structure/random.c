/*
 * random.c - random trees (tree_structure.h): leaf after leaf is hung from the middle of an edge
 * drawn at random, then edges between hidden nodes are contracted.
 */
#include "tensorlv/model/tree_structure.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/rng.h"

/* Edge e becomes two, and the leaf hangs from the new node between them. */
static void
hang_leaf(tlv_tree *tree, size_t e, int32_t leaf)
{
	int32_t hidden = (int32_t) tree->nodes++, far = tree->ends[2 * e + 1];

	tree->ends[2 * e + 1] = hidden;
	tree->ends[2 * tree->edges] = hidden;
	tree->ends[2 * tree->edges + 1] = far;
	tree->edges++;
	tree->ends[2 * tree->edges] = hidden;
	tree->ends[2 * tree->edges + 1] = leaf;
	tree->edges++;
}

/* The last edge takes the place of e, the last node that of e's second end. */
static void
structure_contract(tlv_tree *tree, size_t e)
{
	int32_t keep = tree->ends[2 * e], drop = tree->ends[2 * e + 1];
	int32_t last = (int32_t) --tree->nodes;

	tree->edges--;
	tree->ends[2 * e] = tree->ends[2 * tree->edges];
	tree->ends[2 * e + 1] = tree->ends[2 * tree->edges + 1];
	for (size_t h = 0; h < 2 * tree->edges; h++)
		if (tree->ends[h] == drop)
			tree->ends[h] = keep;
	for (size_t h = 0; h < 2 * tree->edges && drop != last; h++)
		if (tree->ends[h] == last)
			tree->ends[h] = drop;
}

static bool
between_hidden(const tlv_tree *tree, size_t e)
{
	return (size_t) tree->ends[2 * e] >= tree->p && (size_t) tree->ends[2 * e + 1] >= tree->p;
}

/* An edge between hidden nodes at random; false: there is none. */
static bool
contract_random(tlv_tree *tree, tlv_rng *rng)
{
	uint64_t inner = 0, chosen;

	for (size_t e = 0; e < tree->edges; e++)
		inner += between_hidden(tree, e);
	if (inner == 0)
		return false;
	chosen = tlv_rng_below(rng, inner);
	for (size_t e = 0; e < tree->edges; e++)
		if (between_hidden(tree, e) && chosen-- == 0)
		{
			structure_contract(tree, e);
			return true;
		}
	return false;
}

tlv_status
tlv_tree_random(tlv_context *ctx, size_t p, size_t contractions, uint64_t seed, tlv_tree *tree)
{
	tlv_rng rng;

	memset(tree, 0, sizeof(*tree));
	if (p < 3)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "a tree of %zu leaves: there must be at least 3",
						p);
	tlv_rng_seed(&rng, seed);
	TLV_TRY(tlv_tree_create(ctx, p, 2 * p - 2, 2 * p - 3, tree));
	tree->nodes = p;
	tree->edges = 1;
	tree->ends[0] = 0;
	tree->ends[1] = 1;
	for (size_t leaf = 2; leaf < p; leaf++)
		hang_leaf(tree, (size_t) tlv_rng_below(&rng, tree->edges), (int32_t) leaf);
	for (size_t c = 0; c < contractions && contract_random(tree, &rng); c++)
		TLV_TRY_CONTINUE(ctx);
	for (size_t e = 0; e < tree->edges; e++)
		tree->length[e] = -log(0.6 + 0.3 * tlv_rng_uniform(&rng));
	return TLV_OK;
}
