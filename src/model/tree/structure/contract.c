/*
 * contract.c - which edges of a tree are longer than 0, and how long they are
 * (internal.h).
 *
 * The length of an edge u - v is measured by quartets: a, b from two branches of u and c, d from
 * two branches of v give ((d_ac + d_bd + d_ad + d_bc) / 2 - d_ab - d_cd) / 2.  Quartets of a few
 * near nodes are averaged by inverse variance; an observed end stands for both nodes of its side.
 * Edges shorter than z standard errors are contracted, the worst first.  What lies behind an edge
 * does not change by contractions elsewhere, so that the nodes near to it are listed once, and a
 * contraction asks only for the edges at the merged node to be measured again.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

#define NEAREST	 20 /* nodes listed on every side of every edge */
#define BRANCHES 16 /* of an end looked at: those with the nearest nodes */
#define KEPT	 3	/* branches of an end, and nodes of a branch, in the quartets */
#define PAIRS	 (KEPT * (KEPT - 1) / 2 * KEPT * KEPT)

typedef struct near_node
{
	int32_t node;
	int32_t branch; /* half of an edge that it was found behind, -1: the node itself */
	double distance;
} near_node;

typedef struct near_list
{
	size_t n;
	near_node at[2 * NEAREST];
} near_list;

/*
 * The halves of edge e are 2e and 2e + 1; half h belongs to node ends[h], and h ^ 1 is the other.
 * The halves of a node are a linked list, so that two nodes are merged by joining lists.
 */
typedef struct contraction
{
	const tlv_tree_distances *distances;
	double z;
	bool inside;
	size_t p, nodes, edges;
	int32_t *ends;
	double *length, *error;
	double *score; /* length in standard errors */
	uint8_t *fresh, *gone;
	int32_t *first, *next; /* of nodes and of halves; -1 ends a list */
	near_node *near;	   /* of half h: NEAREST nodes on its own side, from the other end */
	uint8_t *nearby;	   /* how many */
} contraction;

/* Keeps the list ascending and at most most long. */
static void
insert_near(near_list *list, size_t most, near_node x)
{
	size_t at = list->n;

	if (at == most && x.distance >= list->at[at - 1].distance)
		return;
	if (at == most)
		at--;
	else
		list->n++;
	for (; at > 0 && list->at[at - 1].distance > x.distance; at--)
		list->at[at] = list->at[at - 1];
	list->at[at] = x;
}

/* What is near to v behind half h of it. */
static void
insert_branch(const contraction *w, int32_t h, near_list *list)
{
	const near_node *near = w->near + (size_t) (h ^ 1) * NEAREST;

	for (size_t i = 0; i < w->nearby[h ^ 1]; i++)
		insert_near(list, 2 * NEAREST, (near_node){near[i].node, h, near[i].distance});
}

/* The side of half h is its node with all but the branch behind h itself. */
static void
store_side(contraction *w, int32_t h, const near_list *around)
{
	near_node *near = w->near + (size_t) h * NEAREST;
	size_t n = 0;

	for (size_t i = 0; i < around->n && n < NEAREST; i++)
		if (around->at[i].branch != h)
		{
			near[n] = around->at[i];
			near[n++].distance += w->length[h / 2];
		}
	w->nearby[h] = (uint8_t) n;
}

/* All branches of v but those that are not known yet. */
static void
look_around(const contraction *w, int32_t v, near_list *list)
{
	list->n = 0;
	if ((size_t) v < w->p)
		insert_near(list, 2 * NEAREST, (near_node){v, -1, 0});
	for (int32_t h = w->first[v]; h >= 0; h = w->next[h])
		insert_branch(w, h, list);
}

/* Sides of all halves: first those below every node of a rooted tree, then those above. */
static tlv_status
list_near_nodes(tlv_context *ctx, contraction *w, const tlv_tree *tree)
{
	tlv_tree_rooting rooting;
	near_list list;

	TLV_TRY(tlv_tree_root(ctx, tree, &rooting));
	for (size_t i = w->nodes; i-- > 0;)
	{
		int32_t v = rooting.order[i], e = rooting.edge[v];

		if (e < 0)
			continue;
		look_around(w, v, &list);
		store_side(w, 2 * e + (w->ends[2 * e] != v), &list);
	}
	for (size_t i = 0; i < w->nodes; i++)
	{
		int32_t v = rooting.order[i];

		look_around(w, v, &list);
		for (int32_t h = w->first[v]; h >= 0; h = w->next[h])
			if (h / 2 != rooting.edge[v])
				store_side(w, h, &list);
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
	}
	tlv_tree_rooting_free(ctx, &rooting);
	return TLV_OK;
}

/* ---- measuring one edge ---- */

typedef struct branch
{
	size_t n;
	int32_t node[NEAREST];
	double key[NEAREST]; /* least standard error towards the other side */
} branch;

/* One end of an edge with what hangs from it. */
typedef struct end_side
{
	size_t n;
	branch at[BRANCHES];
	size_t pairs;
	int32_t pair[PAIRS][2];
} end_side;

/* Branches at the node of half h, but for the one behind h; an observed node is its own. */
static void
structure_gather(const contraction *w, int32_t h, end_side *side)
{
	int32_t v = w->ends[h];
	near_list heads = {0};

	side->n = side->pairs = 0;
	if ((size_t) v < w->p)
	{
		side->n = side->at[0].n = 1;
		side->at[0].node[0] = v;
		return;
	}
	for (int32_t g = w->first[v]; g >= 0; g = w->next[g])
		if (g != h && w->nearby[g ^ 1] > 0)
			insert_near(&heads, BRANCHES,
						(near_node){0, g, w->near[(size_t) (g ^ 1) * NEAREST].distance});
	for (size_t i = 0; i < heads.n; i++)
	{
		size_t other = (size_t) (heads.at[i].branch ^ 1);
		branch *b = &side->at[side->n++];

		b->n = w->nearby[other];
		for (size_t j = 0; j < b->n; j++)
			b->node[j] = w->near[other * NEAREST + j].node;
	}
}

static double
least_error(const contraction *w, int32_t a, const end_side *other)
{
	const double *error = w->distances->error + (size_t) a * w->distances->p;
	double least = HUGE_VAL;

	for (size_t i = 0; i < other->n; i++)
		for (size_t j = 0; j < other->at[i].n; j++)
			least = fmin(least, error[other->at[i].node[j]]);
	return least;
}

/* The nodes of a branch by the least error towards the other side. */
static void
sort_branch(const contraction *w, branch *b, const end_side *other)
{
	for (size_t j = 0; j < b->n; j++)
	{
		int32_t node = b->node[j];
		double key = least_error(w, node, other);
		size_t at = j;

		for (; at > 0 && b->key[at - 1] > key; at--)
		{
			b->key[at] = b->key[at - 1];
			b->node[at] = b->node[at - 1];
		}
		b->key[at] = key;
		b->node[at] = node;
	}
}

/* The best KEPT branches, and their pairs of nodes. */
static void
choose_pairs(const contraction *w, end_side *side, const end_side *other)
{
	size_t best[KEPT] = {0}, kept = 0;

	for (size_t i = 0; i < side->n; i++)
	{
		size_t at = kept < KEPT ? kept++ : KEPT;

		sort_branch(w, &side->at[i], other);
		for (; at > 0 && side->at[best[at - 1]].key[0] > side->at[i].key[0]; at--)
			if (at < KEPT)
				best[at] = best[at - 1];
		if (at < KEPT)
			best[at] = i;
	}
	for (size_t i = 0; i < kept; i++)
		for (size_t j = i + 1; j < kept; j++)
		{
			const branch *x = &side->at[best[i]], *y = &side->at[best[j]];

			for (size_t k = 0; k < x->n && k < KEPT; k++)
				for (size_t l = 0; l < y->n && l < KEPT; l++)
				{
					side->pair[side->pairs][0] = x->node[k];
					side->pair[side->pairs++][1] = y->node[l];
				}
		}
}

static void
own_pair(const contraction *w, int32_t h, end_side *side)
{
	int32_t v = w->ends[h];

	if ((size_t) v >= w->p)
		return;
	side->pairs = 1;
	side->pair[0][0] = side->pair[0][1] = v;
}

/* The mean over quartets and the standard error of the best of them. */
static void
average_quartets(const contraction *w, size_t e, const end_side *left, const end_side *right)
{
	const double *d = w->distances->distance, *se = w->distances->error;
	double weight = 0, sum = 0, least = HUGE_VAL;
	size_t p = w->distances->p;

	for (size_t i = 0; i < left->pairs; i++)
		for (size_t j = 0; j < right->pairs; j++)
		{
			size_t a = (size_t) left->pair[i][0], b = (size_t) left->pair[i][1];
			size_t c = (size_t) right->pair[j][0], f = (size_t) right->pair[j][1];
			size_t ac = a * p + c, bf = b * p + f, af = a * p + f, bc = b * p + c;
			/* Of four terms two, or all, are one and the same where an end is observed. */
			double same = 0.25 * (a == b ? 2 : 1) * (c == f ? 2 : 1);
			double across = se[ac] * se[ac] + se[bf] * se[bf] + se[af] * se[af] + se[bc] * se[bc];
			double within = se[a * p + b] * se[a * p + b] + se[c * p + f] * se[c * p + f];
			double v = 0.25 * (same * across + within) + 1e-24;

			sum += 0.5 * (0.5 * (d[ac] + d[bf] + d[af] + d[bc]) - d[a * p + b] - d[c * p + f]) / v;
			weight += 1 / v;
			least = fmin(least, v);
		}
	if (weight == 0)
		return;
	w->length[e] = sum / weight;
	w->error[e] = sqrt(least);
	w->score[e] = w->length[e] / w->error[e];
}

static void
measure_edge(const contraction *w, size_t e)
{
	end_side left, right;

	w->fresh[e] = 1;
	structure_gather(w, (int32_t) (2 * e), &left);
	structure_gather(w, (int32_t) (2 * e + 1), &right);
	choose_pairs(w, &left, &right);
	choose_pairs(w, &right, &left);
	own_pair(w, (int32_t) (2 * e), &left);
	own_pair(w, (int32_t) (2 * e + 1), &right);
	average_quartets(w, e, &left, &right);
}

/* ---- contraction ---- */

static bool
may_vanish(const contraction *w, size_t e)
{
	bool left = (size_t) w->ends[2 * e] < w->p, right = (size_t) w->ends[2 * e + 1] < w->p;

	return !w->gone[e] && w->z > 0 && !(left && right) && (w->inside || !(left || right));
}

static bool
is_short(const contraction *w, size_t e)
{
	const double rounding = 1e-8; /* edges shorter than this are taken for 0 */

	return w->length[e] < fmax(rounding, w->z * w->error[e]);
}

static void
unlink_half(contraction *w, int32_t h)
{
	int32_t *at = &w->first[w->ends[h]];

	while (*at != h)
		at = &w->next[*at];
	*at = w->next[h];
}

/* The hidden end goes into the other; all edges there are to be measured again. */
static void
contract_edge(contraction *w, size_t e)
{
	int32_t keep = (int32_t) (2 * e), drop, last = -1, u;

	if ((size_t) w->ends[keep] >= w->p && (size_t) w->ends[keep ^ 1] < w->p)
		keep ^= 1;
	drop = keep ^ 1;
	u = w->ends[keep];
	unlink_half(w, keep);
	unlink_half(w, drop);
	w->gone[e] = 1;
	for (int32_t h = w->first[w->ends[drop]]; h >= 0; h = w->next[h])
	{
		w->ends[h] = u;
		last = h;
	}
	if (last >= 0)
	{
		int32_t v = w->ends[drop];

		w->next[last] = w->first[u];
		w->first[u] = w->first[v];
		w->first[v] = -1;
	}
	for (int32_t h = w->first[u]; h >= 0; h = w->next[h])
		w->fresh[h / 2] = 0;
}

/* The short edge of least score, or edges when there is none. */
static size_t
worst_edge(const contraction *w)
{
	size_t worst = w->edges;

	for (size_t e = 0; e < w->edges; e++)
		if (may_vanish(w, e) && is_short(w, e) &&
			(worst == w->edges || w->score[e] < w->score[worst]))
			worst = e;
	return worst;
}

/* Measures what has to be; all: edges that cannot vanish, too. */
static tlv_status
measure_stale(tlv_context *ctx, const contraction *w, bool all, size_t *measured)
{
	*measured = 0;
	for (size_t e = 0; e < w->edges; e++)
		if (!w->fresh[e] && !w->gone[e] && (all || may_vanish(w, e)))
		{
			measure_edge(w, e);
			TLV_TRY_CONTINUE_OFTEN(ctx, (*measured)++);
		}
	return TLV_OK;
}

static tlv_status
contract_all(tlv_context *ctx, contraction *w)
{
	size_t measured;

	do
	{
		size_t e;

		TLV_TRY(measure_stale(ctx, w, false, &measured));
		while ((e = worst_edge(w)) < w->edges)
		{
			TLV_TRY_CONTINUE(ctx);
			if (w->fresh[e])
				contract_edge(w, e);
			else
				measure_edge(w, e);
		}
	} while (measured > 0);
	return measure_stale(ctx, w, true, &measured);
}

/* ---- from a tree and back ---- */

static tlv_status
contraction_begin(tlv_context *ctx, contraction *w, const tlv_tree *tree)
{
	size_t halves = 2 * tree->edges;

	TLV_TRY_NEW(ctx, w->ends, halves);
	TLV_TRY_NEW(ctx, w->length, 3 * tree->edges);
	w->fresh = tlv_alloc0(ctx, 2 * tree->edges, 1);
	TLV_TRY_ALLOC(ctx, w->fresh);
	TLV_TRY_NEW(ctx, w->first, tree->nodes + halves);
	TLV_TRY_NEW_ROWS(ctx, w->near, halves, NEAREST);
	w->nearby = tlv_alloc0(ctx, halves, 1);
	TLV_TRY_ALLOC(ctx, w->nearby);
	w->error = w->length + tree->edges;
	w->score = w->length + 2 * tree->edges;
	w->gone = w->fresh + tree->edges;
	w->next = w->first + tree->nodes;
	memcpy(w->ends, tree->ends, halves * sizeof(int32_t));
	memset(w->first, 0xff, tree->nodes * sizeof(int32_t));
	for (size_t h = 0; h < halves; h++)
	{
		w->next[h] = w->first[w->ends[h]];
		w->first[w->ends[h]] = (int32_t) h;
	}
	for (size_t e = 0; e < tree->edges; e++)
	{
		w->length[e] = fmax(0, tree->length[e]);
		w->error[e] = w->score[e] = NAN;
	}
	return list_near_nodes(ctx, w, tree);
}

/* Nodes that are left keep their order. */
static tlv_status
structure_finish(tlv_context *ctx, const contraction *w, tlv_tree *tree)
{
	int32_t *number = tlv_alloc(ctx, w->nodes, sizeof(int32_t));
	size_t nodes = 0, edges = 0;

	TLV_TRY_ALLOC(ctx, number);
	for (size_t v = 0; v < w->nodes; v++)
		if (v < w->p || w->first[v] >= 0)
			number[v] = (int32_t) nodes++;
	for (size_t e = 0; e < w->edges; e++)
		edges += !w->gone[e];
	tlv_tree_free(ctx, tree);
	TLV_TRY(tlv_tree_create(ctx, w->p, nodes, edges, tree));
	edges = 0;
	for (size_t e = 0; e < w->edges; e++)
		if (!w->gone[e])
		{
			tree->ends[2 * edges] = number[w->ends[2 * e]];
			tree->ends[2 * edges + 1] = number[w->ends[2 * e + 1]];
			tree->length[edges] = fmax(0, w->length[e]);
			tree->error[edges++] = w->error[e];
		}
	tlv_free(ctx, number);
	return TLV_OK;
}

tlv_status
tlv_tree_contract(tlv_context *ctx, const tlv_tree_distances *distances,
				  const tlv_tree_options *options, tlv_tree *tree)
{
	contraction w = {.distances = distances,
					 .z = options->z,
					 .inside = options->observed_inside,
					 .p = tree->p,
					 .nodes = tree->nodes,
					 .edges = tree->edges};
	tlv_status status = contraction_begin(ctx, &w, tree);

	if (status == TLV_OK)
		status = contract_all(ctx, &w);
	if (status == TLV_OK)
		status = structure_finish(ctx, &w, tree);
	tlv_free(ctx, w.nearby);
	tlv_free(ctx, w.near);
	tlv_free(ctx, w.first);
	tlv_free(ctx, w.fresh);
	tlv_free(ctx, w.length);
	tlv_free(ctx, w.ends);
	return status;
}
