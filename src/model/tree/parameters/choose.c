/*
 * choose.c - which observed nodes every hidden one is learned from: triples
 * in three directions, near and not too weak (tree_parts.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"
#include "../parts.h"

/* Directions and triples of a node that are looked at. */
#define MOST_DIRECTIONS 5
#define MOST_TRIPLES	12
/* A canonical correlation counts when it and the smaller ones are not zero at this level. */
#define RANK_LEVEL 1e-3
/* Correlations that an error shows. */
#define SHOWN 10
/* Nodes between two looks at whether to stop. */
#define NODES_BETWEEN 1024

/* ---- nearest observed nodes ---- */

static void
insert_near(tree_near *list, int32_t node, double distance)
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
		insert_near(list, from->node[i], from->distance[i] + more);
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
				insert_near(&above[c], all.at[i].node, all.at[i].distance + length[c]);
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
			insert_near(&below[v], (int32_t) v, 0);
		if (shape->parent[v] >= 0)
			insert_all(&below[shape->parent[v]], &below[v], length[v]);
	}
	for (size_t at = 0; at < shape->nodes; at++)
	{
		if (at % NODES_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		look_down(shape, length, below, above, (size_t) shape->order[at]);
	}
	return TLV_OK;
}

/* ---- candidates: the triples of one node, the nearest first ---- */

typedef struct candidate
{
	double score;
	int64_t node[3];
} candidate;

typedef struct candidates
{
	size_t n;
	candidate list[MOST_TRIPLES];
} candidates;

static void
insert_candidate(candidates *found, const candidate *one)
{
	size_t at = found->n;

	if (at == MOST_TRIPLES && one->score >= found->list[at - 1].score)
		return;
	at = at == MOST_TRIPLES ? at - 1 : at;
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

static void
list_candidates(const tree_shape *shape, const double *length, const tree_near *below,
				const tree_near *above, size_t node, candidates *found)
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
					candidate one;

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
	candidates found;

	list_candidates(shape, length, below, above, node, &found);
	if (found.n == 0)
		return false;
	memcpy(triple, found.list[0].node, 3 * sizeof(int64_t));
	return true;
}

/* ---- how many states a pair shows ---- */

typedef struct pair_rank
{
	size_t rank; /* significant canonical correlations and 1 */
	size_t n;
	double correlation[SHOWN]; /* without the first, which is 1 */
} pair_rank;

/* Entries over the roots of the marginals; used[0..1]: states that occur. */
static double
whiten_pair(const double *table, size_t m, size_t n, double *white, double *margins, size_t used[2])
{
	double total = 0;

	memset(margins, 0, (m + n) * sizeof(double));
	for (size_t x = 0; x < m; x++)
		for (size_t y = 0; y < n; y++)
		{
			margins[x] += table[x * n + y];
			margins[m + y] += table[x * n + y];
			total += table[x * n + y];
		}
	used[0] = used[1] = 0;
	for (size_t x = 0; x < m + n; x++)
		used[x >= m] += margins[x] > 0;
	for (size_t x = 0; x < m; x++)
		for (size_t y = 0; y < n; y++)
			white[x * n + y] =
				table[x * n + y] > 0 ? table[x * n + y] / sqrt(margins[x] * margins[m + y]) : 0;
	return total;
}

static tlv_status
rank_pair(tlv_context *ctx, const tlv_category_tables *tables, int64_t a, int64_t b,
		  pair_rank *result)
{
	size_t m = (size_t) tables->states[a], n = (size_t) tables->states[b];
	size_t least = m < n ? m : n, used[2];
	double *block, *white, *s, total, tail = 0;

	memset(result, 0, sizeof(*result));
	if (least == 0)
		return TLV_OK;
	block = tlv_alloc(ctx, 3 * m * n + 2 * (m + n) + m * m + n * n, sizeof(double));
	TLV_TRY_ALLOC(ctx, block);
	white = block + m + n;
	s = white + m * n;
	total =
		whiten_pair(tlv_category_pair(tables, (size_t) a, (size_t) b), m, n, white, block, used);
	TLV_TRY(tlv_svd(ctx, n, m, white, s + least, s, s + least + n * least));
	least = used[0] < used[1] ? used[0] : used[1];
	for (size_t i = 1; i < least; i++)
		tail += s[i] * s[i];
	for (size_t i = 1; i < least && i <= SHOWN; i++)
		result->correlation[result->n++] = s[i];
	for (result->rank = least > 0; result->rank < least; result->rank++)
	{
		double degrees = (double) (used[0] - result->rank) * (double) (used[1] - result->rank);

		if (tlv_chisq_survival(total * tail, degrees) > RANK_LEVEL)
			break;
		tail = fmax(tail - s[result->rank] * s[result->rank], 0);
	}
	tlv_free(ctx, block);
	return TLV_OK;
}

/* ---- choice ---- */

typedef struct choice
{
	const tlv_category_tables *tables;
	size_t states; /* asked for; 0: choose */
	size_t strong; /* nodes with a triple that shows its states */
	size_t weak;
	size_t reduced; /* nodes whose variables have fewer states than asked for */
	pair_rank best; /* the pair of highest rank */
} choice;

/* Least rank of a triple's pairs, and what its variables allow at most. */
static tlv_status
rank_triple(tlv_context *ctx, choice *c, const int64_t *node, size_t *rank, size_t *most)
{
	pair_rank pair;

	*rank = *most = SIZE_MAX;
	for (int t = 0; t < 3; t++)
	{
		size_t states = (size_t) c->tables->states[node[t]];

		*most = states < *most ? states : *most;
	}
	for (int t = 0; t < 3; t++)
	{
		TLV_TRY(rank_pair(ctx, c->tables, node[t == 2], node[t == 0 ? 1 : 2], &pair));
		*rank = pair.rank < *rank ? pair.rank : *rank;
		if (pair.rank > c->best.rank)
			c->best = pair;
	}
	return TLV_OK;
}

/* The first triple that shows the states asked for; otherwise the one that shows most. */
static tlv_status
choose_triple(tlv_context *ctx, choice *c, const candidates *found, int64_t *states,
			  int64_t *triple)
{
	size_t best = 0, best_most = 0, goal;

	for (size_t i = 0; i < found->n; i++)
	{
		size_t rank, most;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(rank_triple(ctx, c, found->list[i].node, &rank, &most));
		if (i == 0 || rank > best || (rank == best && most > best_most))
		{
			memcpy(triple, found->list[i].node, 3 * sizeof(int64_t));
			best = rank;
			best_most = most;
		}
		if (c->states > 0 && rank >= c->states)
			break;
	}
	goal = c->states > 0 ? c->states : best;
	if (found->n > 0 && goal > best_most)
	{
		goal = best_most;
		c->reduced++;
	}
	goal = goal < 2 ? 2 : goal;
	*states = (int64_t) goal;
	c->strong += best >= goal && (c->states == 0 || goal == c->states);
	c->weak += best < goal;
	return TLV_OK;
}

static tlv_status
refuse_states(tlv_context *ctx, const choice *c)
{
	char text[SHOWN * 16] = "";
	size_t used = 0;
	tlv_status status;

	for (size_t i = 0; i < c->best.n && used + 16 < sizeof(text); i++)
		used += (size_t) snprintf(text + used, sizeof(text) - used, "%s%.3g", i > 0 ? ", " : "",
								  c->best.correlation[i]);
	status = tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
					  "the data do not identify %zu states of hidden nodes", c->states);
	tlv_fail_detail(
		ctx, "Canonical correlations of the most dependent variables after the first: %s.", text);
	tlv_fail_hint(ctx,
				  "At most %zu states can be told apart: use fewer, more rows, or states => null.",
				  c->best.rank < 2 ? (size_t) 1 : c->best.rank);
	return status;
}

static tlv_status
report_choice(tlv_context *ctx, const choice *c, size_t hidden, tlv_diagnostics *diagnostics)
{
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) hidden, "hidden_nodes"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) c->weak, "weak_triples"));
	if (c->reduced > 0)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) c->reduced,
							 "warning: hidden nodes whose variables have fewer states than asked "
							 "for have fewer, too"));
	if (c->weak > 0)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) c->weak,
							 "warning: no triple of variables around some hidden nodes shows all "
							 "their states: use fewer states, or refine the model on rows"));
	return TLV_OK;
}

tlv_status
tlv_tree_choose(tlv_context *ctx, const tree_shape *shape, const double *length,
				const tlv_category_tables *tables, size_t states, int64_t *node_states,
				int64_t *triples, tlv_diagnostics *diagnostics)
{
	size_t hidden = shape->nodes - shape->p;
	tree_near *below = tlv_alloc(ctx, 2 * shape->nodes, sizeof(tree_near));
	choice c = {.tables = tables, .states = states};
	candidates found;

	TLV_TRY_ALLOC(ctx, below);
	TLV_TRY(tlv_tree_nearest(ctx, shape, length, below, below + shape->nodes));
	for (size_t j = 0; j < hidden; j++)
	{
		int64_t *triple = triples + 3 * j;

		triple[0] = triple[1] = triple[2] = -1;
		list_candidates(shape, length, below, below + shape->nodes, shape->p + j, &found);
		TLV_TRY(choose_triple(ctx, &c, &found, &node_states[shape->p + j], triple));
	}
	tlv_free(ctx, below);
	if (states > 0 && hidden > 0 && c.strong == 0)
		return refuse_states(ctx, &c);
	return report_choice(ctx, &c, hidden, diagnostics);
}
