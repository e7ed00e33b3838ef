/*
 * fit.c - from tables of categories and a structure to a model, at once
 * or with tables of triples collected later (tree_parameters.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/source.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"

/* ---- choice: triples in three directions, near and not too weak ---- */

/* Correlations that an error shows. */
#define TREE_SHOWN 10

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

/*
 * Chooses triples (3 x hidden, ascending) whose pairs show the states of their hidden node, and
 * with states = 0, or when no hidden node has that number of states, the states, too (node_states
 * of hidden nodes are written; the latter with a warning).  parts has the diagnostics, and the
 * names that warnings show.
 */
static tlv_status
tree_choose(tlv_context *ctx, const tree_shape *shape, const double *length,
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

/* Adds the table of (a, c), a's states outside. */
static double *
copy_pair(const tlv_category_tables *tables, size_t a, size_t c, const int64_t *states, double *to)
{
	size_t sa = (size_t) states[a], sc = (size_t) states[c];
	size_t ta = (size_t) tables->states[a], tc = (size_t) tables->states[c];
	const double *from = tlv_category_pair(tables, a < c ? a : c, a < c ? c : a);

	memset(to, 0, sa * sc * sizeof(double));
	for (size_t x = 0; x < ta; x++)
		for (size_t y = 0; y < tc; y++)
			to[x * sc + y] = a < c ? from[x * tc + y] : from[y * ta + x];
	return to + sa * sc;
}

/* The tables of pairs in the order of the selection. */
static tlv_status
copy_pairs(tlv_context *ctx, const tlv_category_tables *tables, const tree_selection *selection,
		   double **pairs, size_t *entries)
{
	double wanted = tlv_tree_pair_entries(selection), *to;

	if (wanted > (double) TLV_TREE_MOST_ENTRIES)
	{
		tlv_fail(ctx, TLV_LIMIT, "the tables of pairs have %.0f numbers, more than %zu", wanted,
				 TLV_TREE_MOST_ENTRIES);
		return tlv_fail_hint(ctx, "Use fewer variables, or put rare states together.");
	}
	*entries = (size_t) wanted;
	*pairs = to = tlv_alloc0(ctx, *entries, sizeof(double));
	TLV_TRY_ALLOC(ctx, to);
	for (size_t v = 0; v < selection->shape.nodes; v++)
	{
		size_t a[3], c[3], u, na, nc;

		if (selection->shape.parent[v] < 0)
		{
			if (v < selection->shape.p)
			{
				memcpy(to, tables->singles + tables->offset[v],
					   (size_t) tables->states[v] * sizeof(double));
				to += selection->states[v];
			}
			continue;
		}
		u = (size_t) selection->shape.parent[v];
		na = tlv_tree_stand_ins(selection, v, u, a);
		nc = tlv_tree_stand_ins(selection, u, v, c);
		for (size_t i = 0; i < na; i++)
			for (size_t j = 0; j < nc; j++)
				to = copy_pair(tables, a[i], c[j], selection->states, to);
	}
	return TLV_OK;
}

/* The tables of the chosen triples, one after the other. */
static tlv_status
copy_triples(tlv_context *ctx, const tlv_category_tables *tables, const tree_selection *selection,
			 double **triples)
{
	size_t hidden = selection->shape.nodes - selection->shape.p, entries = 0;
	double *to;

	for (size_t j = 0; j < hidden; j++)
		entries += tlv_tree_triple_entries(selection, j);
	*triples = to = tlv_alloc0(ctx, entries, sizeof(double));
	TLV_TRY_ALLOC(ctx, to);
	for (size_t j = 0; j < hidden; j++)
	{
		const int64_t *t = selection->triples + 3 * j;
		size_t n = tlv_tree_triple_entries(selection, j);

		/* Of a variable that is never there the tables are empty, its states here 1. */
		if (n > 0 && tables->states[t[0]] > 0 && tables->states[t[1]] > 0 &&
			tables->states[t[2]] > 0)
			memcpy(to, tlv_category_triple(tables, (size_t) t[0], (size_t) t[1], (size_t) t[2]),
				   n * sizeof(double));
		to += n;
	}
	return TLV_OK;
}

/* Solves for the tables and writes the model. */
static tlv_status
write_solved(tlv_context *ctx, tlv_tree_parts *parts, const double *triples, const double *pairs,
			 const tlv_decompose_options *decompose, void **image, size_t *size)
{
	double entries = 0;
	double *tables;

	for (size_t v = 0; v < parts->nodes; v++)
		entries += (double) parts->states[v] *
				   (parts->parent[v] < 0 ? 1 : (double) parts->states[parts->parent[v]]);
	if (entries > (double) TLV_TREE_MOST_ENTRIES)
	{
		tlv_fail(ctx, TLV_LIMIT, "the tree's tables have %.0f numbers, more than %zu", entries,
				 TLV_TREE_MOST_ENTRIES);
		return tlv_fail_hint(ctx, "Use fewer variables, or put rare states together.");
	}
	parts->entries = (size_t) entries;
	TLV_TRY_NEW0(ctx, tables, parts->entries);
	TLV_TRY(tlv_tree_solve(ctx, parts, triples, pairs, decompose, tables, parts->diagnostics));
	parts->tables = tables;
	if (parts->regularise)
		TLV_TRY(tlv_tree_regularise(ctx, parts, image, size));
	else
		TLV_TRY(tlv_tree_write(ctx, parts, image, size));
	tlv_free(ctx, tables);
	return TLV_OK;
}

static tlv_status
tree_check_variables(tlv_context *ctx, const tlv_tree *tree, size_t p,
					 const tlv_tree_fit_options *options)
{
	if (tree->p != p)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the tree has %zu %s, but the moments %zu", tree->p,
				 tlv_plural((double) tree->p, "variable", "variables"), p);
		return tlv_fail_hint(ctx, "Collect the moments of the variables that the tree has.");
	}
	if (options->states > TLV_CATEGORY_MOST_STATES)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "states = %zu is more than %d", options->states,
						TLV_CATEGORY_MOST_STATES);
	if (options->states == 1)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "a hidden node has at least 2 states");
	return TLV_OK;
}

/* Names that are given are those of all categories that the rows have. */
static void
tree_name_categories(tlv_tree_parts *parts, const tlv_names *names)
{
	size_t categories = 0;

	for (size_t v = 0; v < parts->p; v++)
		categories += (size_t) parts->states[v];
	if (names == NULL || names->n != categories)
		return;
	parts->category_offsets = names->offsets;
	parts->category_ends = names->n + 1;
	parts->category_names = names->text;
	parts->category_bytes = (size_t) names->offsets[names->n];
}

static tlv_status
fit_categories(tlv_context *ctx, const tlv_category_tables *tables, tree_rooted *rooted,
			   tlv_tree_parts *parts, const tlv_tree_fit_options *options, void **image,
			   size_t *size)
{
	size_t hidden = parts->nodes - parts->p;
	int64_t *triples = tlv_alloc0(ctx, 3 * hidden, sizeof(int64_t));
	double *pairs = NULL, *triple_tables = NULL;
	tree_shape shape;
	tree_selection selection;

	TLV_TRY_ALLOC(ctx, triples);
	for (size_t v = 0; v < parts->p; v++)
		rooted->states[v] = tables->states[v] > 0 ? tables->states[v] : 1;
	tree_name_categories(parts, options->categories);
	TLV_TRY(tlv_tree_shape_create(ctx, parts->p, parts->nodes, rooted->parent, &shape));
	TLV_TRY(tree_choose(ctx, &shape, rooted->length, tables, options->states, rooted->states,
						triples, parts));
	tlv_tree_shape_free(ctx, &shape);
	parts->triples = triples;
	TLV_TRY(tlv_tree_selection_create(ctx, parts, &selection));
	TLV_TRY(copy_pairs(ctx, tables, &selection, &pairs, &parts->pair_entries));
	parts->pairs = pairs;
	if (tables->triples != NULL)
		TLV_TRY(copy_triples(ctx, tables, &selection, &triple_tables));
	tlv_tree_selection_free(ctx, &selection);
	if (hidden == 0 || triple_tables != NULL)
		TLV_TRY(write_solved(ctx, parts, triple_tables, pairs, &options->decompose, image, size));
	else
		TLV_TRY(tlv_tree_write(ctx, parts, image, size));
	tlv_free(ctx, triple_tables);
	tlv_free(ctx, pairs);
	tlv_free(ctx, triples);
	return TLV_OK;
}

tlv_status
tlv_tree_fit_categories(tlv_context *ctx, const tlv_frame *moments, const tlv_tree *tree,
						const tlv_tree_fit_options *options, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_tree_fit_options own = *options;
	tlv_category_tables tables;
	tlv_tree_parts parts = {0};
	tlv_names names = {0};
	int64_t *offsets = NULL;
	tree_rooted rooted;

	TLV_TRY(tlv_category_open(ctx, moments, &tables));
	TLV_TRY(tree_check_variables(ctx, tree, tables.p, options));
	TLV_TRY(tlv_tree_rooted_create(ctx, tree, &rooted));
	parts.p = tree->p;
	parts.nodes = tree->nodes;
	parts.regularise = options->regularise;
	parts.rows = tables.rows;
	parts.seed = (double) options->seed;
	parts.parent = rooted.parent;
	parts.length = rooted.length;
	parts.error = rooted.error;
	parts.support = rooted.support;
	parts.states = rooted.states;
	parts.names = options->names;
	parts.names_length = options->names_length;
	parts.diagnostics = &diagnostics;
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, tables.rows, "rows"));
	if (tables.name_offsets != NULL)
	{
		TLV_TRY(tlv_category_tree_names(ctx, &tables, &offsets, &names.n));
		names.offsets = offsets;
		names.text = tables.names;
		own.categories = &names;
	}
	TLV_TRY(fit_categories(ctx, &tables, &rooted, &parts, &own, image, size));
	tlv_free(ctx, offsets);
	tlv_free(ctx, rooted.length);
	tlv_free(ctx, rooted.parent);
	tlv_category_close(ctx, &tables);
	return TLV_OK;
}

tlv_status
tlv_tree_complete(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
				  void **image, size_t *size)
{
	tlv_decompose_options decompose = {0};
	tlv_diagnostics diagnostics = {0};
	tlv_tree_parts parts;
	tree_selection selection;
	size_t entries = 0;

	tlv_tree_read(model, &parts);
	TLV_TRY(tlv_tree_selection_create(ctx, &parts, &selection));
	for (size_t j = 0; j < parts.nodes - parts.p; j++)
		entries += tlv_tree_triple_entries(&selection, j);
	tlv_tree_selection_free(ctx, &selection);
	if (tlv_frame_find(statistics, "tables")->rows != entries)
		return tlv_refuse_foreign_statistics(ctx);
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, model, NULL));
	parts.diagnostics = &diagnostics;
	decompose.seed = (uint64_t) parts.seed;
	return write_solved(ctx, &parts, tlv_frame_float64(statistics, "tables"), parts.pairs,
						&decompose, image, size);
}
