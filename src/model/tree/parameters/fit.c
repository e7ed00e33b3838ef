/*
 * fit.c - from tables of categories and a structure to a model, at once
 * or with tables of triples collected later (tree_parameters.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/source.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/plural.h"

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
	TLV_TRY(tlv_tree_choose(ctx, &shape, rooted->length, tables, options->states, rooted->states,
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
