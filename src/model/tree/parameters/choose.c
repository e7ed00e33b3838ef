/*
 * choose.c - which observed nodes every hidden one is learned from: triples
 * in three directions, near and not too weak (internal.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/special.h"

/* Correlations that an error shows. */
#define TREE_SHOWN 10
/* Nodes between two looks at whether to stop. */
#define TREE_CHOOSE_NODES_BETWEEN 1024

/* ---- how many states a pair shows ---- */

typedef struct pair_rank
{
	size_t rank; /* significant canonical correlations and 1 */
	size_t n;
	double correlation[TREE_SHOWN]; /* without the first, which is 1 */
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
	/* A canonical correlation counts when it and the smaller ones are not zero at this level. */
	const double rank_level = 1e-3;
	size_t m = (size_t) tables->states[a], n = (size_t) tables->states[b];
	size_t least = m < n ? m : n, used[2];
	double *block, *white, *s, total, tail = 0;

	memset(result, 0, sizeof(*result));
	if (least == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, block, 3 * m * n + 2 * (m + n) + m * m + n * n);
	white = block + m + n;
	s = white + m * n;
	total =
		whiten_pair(tlv_category_pair(tables, (size_t) a, (size_t) b), m, n, white, block, used);
	TLV_TRY(tlv_svd(ctx, n, m, white, s + least, s, s + least + n * least));
	least = used[0] < used[1] ? used[0] : used[1];
	for (size_t i = 1; i < least; i++)
		tail += s[i] * s[i];
	for (size_t i = 1; i < least && i <= TREE_SHOWN; i++)
		result->correlation[result->n++] = s[i];
	for (result->rank = least > 0; result->rank < least; result->rank++)
	{
		double degrees = (double) (used[0] - result->rank) * (double) (used[1] - result->rank);

		if (tlv_chisq_survival(total * tail, degrees) > rank_level)
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
	size_t first_weak, first_reduced;
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
choose_triple(tlv_context *ctx, choice *c, const tree_candidates *found, size_t node,
			  int64_t *states, int64_t *triple)
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
		c->first_reduced = c->reduced++ == 0 ? node : c->first_reduced;
	}
	goal = goal < 2 ? 2 : goal;
	states[node] = (int64_t) goal;
	c->strong += best >= goal && (c->states == 0 || goal == c->states);
	if (best < goal)
		c->first_weak = c->weak++ == 0 ? node : c->first_weak;
	return TLV_OK;
}

static tlv_status
warn_of_reduced(tlv_context *ctx, const choice *c, const tlv_tree_parts *parts)
{
	const tlv_warning warning = {.code = "fewer_components",
								 .score = (double) c->reduced,
								 .hint = "Use fewer states, or omit variables of few categories."};
	tlv_shown_list below = {0};
	const char *shown = tlv_tree_show_below(parts, c->first_reduced, &below);

	if (c->reduced == 1)
		return tlv_warn(ctx, parts->diagnostics, &warning,
						"the hidden node above %s has fewer states than asked for, since these "
						"variables have fewer",
						shown);
	return tlv_warn(ctx, parts->diagnostics, &warning,
					"%zu hidden nodes, the first of which is above %s, have fewer states than "
					"asked for, since their variables have fewer",
					c->reduced, shown);
}

static tlv_status
warn_of_weak(tlv_context *ctx, const choice *c, const tlv_tree_parts *parts)
{
	const tlv_warning warning = {.code = "not_identified",
								 .score = (double) c->weak,
								 .hint = "Use fewer states, or refine the model on rows."};
	tlv_shown_list below = {0};
	const char *shown = tlv_tree_show_below(parts, c->first_weak, &below);

	if (c->weak == 1)
		return tlv_warn(ctx, parts->diagnostics, &warning,
						"no triple of variables around the hidden node above %s shows all its "
						"states",
						shown);
	return tlv_warn(ctx, parts->diagnostics, &warning,
					"no triple of variables around %zu hidden nodes, the first of which is above "
					"%s, shows all their states",
					c->weak, shown);
}

static tlv_status
report_choice(tlv_context *ctx, const choice *c, size_t asked, size_t hidden,
			  const tlv_tree_parts *parts)
{
	tlv_diagnostics *diagnostics = parts->diagnostics;

	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) hidden, "hidden_nodes"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) c->weak, "not_identified"));
	if (asked != c->states)
		TLV_TRY(tlv_warn(
			ctx, diagnostics,
			&(tlv_warning){.code = "fewer_components",
						   .score = (double) hidden,
						   .hint = "Use fewer states, more rows, or states => null."},
			"the data do not identify %zu %s of hidden nodes: at most %zu can be distinguished",
			asked, tlv_plural((double) asked, "state", "states"),
			c->best.rank < 2 ? (size_t) 1 : c->best.rank));
	if (c->reduced > 0)
		TLV_TRY(warn_of_reduced(ctx, c, parts));
	if (c->weak > 0)
		TLV_TRY(warn_of_weak(ctx, c, parts));
	return TLV_OK;
}

/* The states and the triple of every hidden node. */
static tlv_status
choose_all(tlv_context *ctx, const tree_shape *shape, const double *length, const tree_near *below,
		   choice *c, int64_t *node_states, int64_t *triples)
{
	tree_candidates found;

	for (size_t j = 0; j < shape->nodes - shape->p; j++)
	{
		int64_t *triple = triples + 3 * j;

		triple[0] = triple[1] = triple[2] = -1;
		tlv_tree_list_candidates(shape, length, below, below + shape->nodes, shape->p + j, &found);
		TLV_TRY(choose_triple(ctx, c, &found, shape->p + j, node_states, triple));
	}
	return TLV_OK;
}

tlv_status
tlv_tree_choose(tlv_context *ctx, const tree_shape *shape, const double *length,
				const tlv_category_tables *tables, size_t states, int64_t *node_states,
				int64_t *triples, const tlv_tree_parts *parts)
{
	size_t hidden = shape->nodes - shape->p;
	tree_near *below = tlv_alloc(ctx, 2 * shape->nodes, sizeof(tree_near));
	choice c = {.tables = tables, .states = states};

	TLV_TRY_ALLOC(ctx, below);
	TLV_TRY(tlv_tree_nearest(ctx, shape, length, below, below + shape->nodes));
	TLV_TRY(choose_all(ctx, shape, length, below, &c, node_states, triples));
	if (states > 0 && hidden > 0 && c.strong == 0)
	{
		c = (choice){.tables = tables}; /* as many as each node shows */
		TLV_TRY(choose_all(ctx, shape, length, below, &c, node_states, triples));
	}
	tlv_free(ctx, below);
	return report_choice(ctx, &c, states, hidden, parts);
}
