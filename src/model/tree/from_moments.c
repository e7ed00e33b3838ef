/*
 * from_moments.c - a latent tree from moments (tree_learn.h).
 */
#include "tensorlv/model/tree_gaussian.h"
#include "tuning.h"
#include "tensorlv/model/tree_learn.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/kind.h"

typedef struct learner
{
	const tlv_frame *moments;
	const tlv_tree_learn_options *options;
	tlv_tree_distance_options distance; /* with the states that are taken */
	tlv_category_tables tables;			/* of categories */
	bool categories;
	tlv_tree tree;
	size_t replicates;
	double *lengths; /* 3 x edges: sums over the replicates (tlv_tree_add_lengths) */
} learner;

/* ---- structure ---- */

static tlv_status
learn_structure(tlv_context *ctx, learner *l, const tlv_frame *moments,
				const tlv_category_tables *tables, tlv_tree *tree)
{
	tlv_tree_options options = l->options->structure;
	tlv_tree_distances distances;

	if (l->categories)
		TLV_TRY(tlv_tree_distances_of_tables(ctx, tables, &l->distance, &distances));
	else
		TLV_TRY(tlv_tree_distances_compute(ctx, moments, &l->distance, &distances));
	if (distances.p < 3) /* hidden nodes are not identified: an edge, where there is one */
		options.method = TLV_TREE_CHOW_LIU;
	TLV_TRY(tlv_tree_structure(ctx, &distances, &options, tree));
	tlv_tree_distances_free(ctx, &distances);
	return TLV_OK;
}

/* The number of states that most hidden nodes of a categorical model have; 2 without any. */
static size_t
usual_states(const tlv_tree_parts *parts)
{
	size_t count[TLV_CATEGORY_MOST_STATES + 1] = {0}, best = 2;

	for (size_t v = parts->p; v < parts->nodes; v++)
		if (parts->states[v] <= TLV_CATEGORY_MOST_STATES)
			count[parts->states[v]]++;
	for (size_t k = 2; k <= TLV_CATEGORY_MOST_STATES; k++)
		best = count[k] > count[best] ? k : best;
	return best;
}

/* ---- support ---- */

static tlv_status
count_replicate(tlv_context *ctx, learner *l, const tlv_frame *moments,
				const tlv_category_tables *tables)
{
	tlv_tree tree;

	TLV_TRY_CONTINUE(ctx);
	TLV_TRY(learn_structure(ctx, l, moments, tables, &tree));
	TLV_TRY(tlv_tree_add_lengths(ctx, &l->tree, &tree, l->lengths));
	tlv_tree_free(ctx, &tree);
	return TLV_OK;
}

static tlv_status
count_drawn(tlv_context *ctx, learner *l)
{
	tlv_wishart *wishart;
	tlv_frame frame;
	void *image;
	size_t size;

	TLV_TRY(tlv_wishart_create(ctx, l->moments, l->options->fit.seed, &wishart));
	for (size_t r = 0; r < l->replicates; r++)
	{
		TLV_TRY(tlv_wishart_draw(ctx, wishart, &image, &size));
		TLV_TRY(tlv_frame_open(ctx, image, size, &frame));
		TLV_TRY(count_replicate(ctx, l, &frame, NULL));
		tlv_free(ctx, image);
	}
	tlv_wishart_free(ctx, wishart);
	return TLV_OK;
}

static tlv_status
count_resampled(tlv_context *ctx, learner *l)
{
	tlv_category_tables replicate;
	tlv_rng rng;

	tlv_rng_seed(&rng, l->options->fit.seed);
	TLV_TRY(tlv_category_replicate_create(ctx, &l->tables, &replicate));
	for (size_t r = 0; r < l->replicates; r++)
	{
		TLV_TRY(tlv_category_replicate_draw(ctx, &l->tables, &rng, &replicate));
		TLV_TRY(count_replicate(ctx, l, NULL, &replicate));
	}
	tlv_category_replicate_free(ctx, &replicate);
	return TLV_OK;
}

/* Shares of the replicates, of the edges that split off more than a leaf. */
static tlv_status
set_support(tlv_context *ctx, learner *l)
{
	int32_t *degree = tlv_alloc0(ctx, l->tree.nodes, sizeof(int32_t));

	TLV_TRY_ALLOC(ctx, degree);
	for (size_t e = 0; e < 2 * l->tree.edges; e++)
		degree[l->tree.ends[e]]++;
	for (size_t e = 0; e < l->tree.edges; e++)
		if (degree[l->tree.ends[2 * e]] > 1 && degree[l->tree.ends[2 * e + 1]] > 1)
			l->tree.support[e] = l->lengths[3 * e] / (double) l->replicates;
	tlv_free(ctx, degree);
	return TLV_OK;
}

/* How much the lengths of an edge differ between the replicates that have it; that of the best
 * quartet, which is the error of a structure without replicates, is some 1.4 times too large. */
static void
set_errors(learner *l)
{
	for (size_t e = 0; e < l->tree.edges; e++)
	{
		double n = l->lengths[3 * e], sum = l->lengths[3 * e + 1];
		double spread = l->lengths[3 * e + 2] - sum * sum / n;

		if (n >= LEAST_LENGTHS && spread > 0)
			l->tree.error[e] = sqrt(spread / (n - 1));
	}
}

/* The share of the replicates' trees that have the edge's split: NaN for edges to leaves. */
static tlv_status
tree_find_support(tlv_context *ctx, learner *l)
{
	if (l->replicates == 0 || l->tree.edges == 0)
		return TLV_OK;
	TLV_TRY_NEW0_ROWS(ctx, l->lengths, l->tree.edges, 3);
	TLV_TRY((l->categories ? count_resampled : count_drawn)(ctx, l));
	TLV_TRY(set_support(ctx, l));
	set_errors(l);
	tlv_free(ctx, l->lengths);
	return TLV_OK;
}

/* ---- the model ---- */

/* The node that the tree of a node is known by, with a shorter way to it. */
static size_t
find_root(size_t *up, size_t node)
{
	while (up[node] != node)
		node = up[node] = up[up[node]];
	return node;
}

/* Lists the variables that have no edge, and the first variable of every tree. */
static tlv_status
list_trees(tlv_context *ctx, const learner *l, tlv_shown_list *alone, tlv_shown_list *first)
{
	const tlv_tree *tree = &l->tree;
	char shown[TLV_SHOWN_NAME];
	size_t *up;
	bool *has_edge, *seen;

	TLV_TRY_NEW(ctx, up, tree->nodes);
	TLV_TRY_NEW0(ctx, has_edge, tree->nodes);
	TLV_TRY_NEW0(ctx, seen, tree->nodes);
	for (size_t v = 0; v < tree->nodes; v++)
		up[v] = v;
	for (size_t e = 0; e < tree->edges; e++)
	{
		size_t a = (size_t) tree->ends[2 * e], b = (size_t) tree->ends[2 * e + 1];

		has_edge[a] = has_edge[b] = true;
		up[find_root(up, a)] = find_root(up, b);
	}
	for (size_t v = 0; v < tree->p; v++)
	{
		size_t root = find_root(up, v);

		tlv_tree_show_variable(&l->options->fit, v, shown);
		if (!has_edge[v])
			tlv_shown_add(alone, shown);
		if (!seen[root])
			tlv_shown_add(first, shown);
		seen[root] = true;
	}
	tlv_free(ctx, seen);
	tlv_free(ctx, has_edge);
	tlv_free(ctx, up);
	return TLV_OK;
}

static tlv_status
warn_of_forest(tlv_context *ctx, const learner *l, size_t trees, tlv_diagnostics *diagnostics)
{
	tlv_shown_list alone = {0}, first = {0};

	TLV_TRY(list_trees(ctx, l, &alone, &first));
	if (alone.n > 0)
		return tlv_warn(ctx, diagnostics, &(tlv_warning){.code = "forest", .score = (double) trees},
						"the variables form %zu trees: %s %s on no other", trees,
						tlv_shown_text(&alone, "variable"), alone.n == 1 ? "depends" : "depend");
	return tlv_warn(
		ctx, diagnostics,
		&(tlv_warning){.code = "forest",
					   .score = (double) trees,
					   .hint = "Learn a tree from the variables that belong together."},
		"the variables form %zu trees, of %s and others: variables of different trees show no "
		"dependence",
		trees, tlv_shown_text(&first, NULL));
}

static tlv_status
tree_diagnose(tlv_context *ctx, const learner *l, tlv_diagnostics *diagnostics)
{
	size_t components = l->tree.nodes - l->tree.edges;

	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) l->tree.p, "variables"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) components, "components"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) l->distance.states, "distance_states"));
	if (l->replicates > 0)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) l->replicates, "replicates"));
	if (components > 1)
		TLV_TRY(warn_of_forest(ctx, l, components, diagnostics));
	return TLV_OK;
}

/* Writes the fitted image again, what the structure tells before what the parameters do. */
static tlv_status
add_diagnostics(tlv_context *ctx, const learner *l, void *fitted, size_t fitted_size, void **image,
				size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_frame frame;

	TLV_TRY(tlv_frame_open(ctx, fitted, fitted_size, &frame));
	TLV_TRY(tree_diagnose(ctx, l, &diagnostics));
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, &frame, NULL));
	TLV_TRY(tlv_diagnostics_rewrite(ctx, &frame, &diagnostics, image, size));
	tlv_free(ctx, fitted);
	return TLV_OK;
}

/* Factors: the structure follows from the parameters. */
static tlv_status
learn_factors(tlv_context *ctx, learner *l, void **image, size_t *size)
{
	tlv_tree_fit_options fit = l->options->fit;
	tlv_factors factors;

	if (l->options->distance.groups > 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"structure factors is of single numbers, not of groups of them");
	TLV_TRY(tlv_tree_factors(ctx, l->moments, l->options->distance.states, &factors, &l->tree));
	l->distance.states = factors.q;
	l->replicates = 0; /* there is no split to support */
	fit.factors = &factors;
	TLV_TRY(tlv_tree_fit(ctx, l->moments, &l->tree, &fit, image, size));
	tlv_free(ctx, factors.loadings);
	return TLV_OK;
}

/* Structure with distance.states, and parameters. */
static tlv_status
learn_tree(tlv_context *ctx, learner *l, void **image, size_t *size)
{
	tlv_tree_fit_options fit = l->options->fit;

	fit.states = l->options->distance.states;
	fit.groups = l->distance.groups;
	fit.column = l->distance.column;
	TLV_TRY(learn_structure(ctx, l, l->moments, &l->tables, &l->tree));
	TLV_TRY(tree_find_support(ctx, l));
	return tlv_tree_fit(ctx, l->moments, &l->tree, &fit, image, size);
}

static tlv_status
learn_categories(tlv_context *ctx, learner *l, void **image, size_t *size)
{
	size_t replicates = l->replicates, states;
	tlv_tree_parts parts;
	tlv_frame frame;

	if (l->options->distance.states > 0)
		return learn_tree(ctx, l, image, size);
	l->distance.states = 2;
	l->replicates = 0; /* not of a tree that may not stay */
	TLV_TRY(learn_tree(ctx, l, image, size));
	TLV_TRY(tlv_frame_open(ctx, *image, *size, &frame));
	tlv_tree_read(&frame, &parts);
	states = usual_states(&parts);
	l->replicates = replicates;
	if (states == 2 && replicates == 0)
		return TLV_OK;
	l->distance.states = states;
	tlv_free(ctx, *image);
	tlv_tree_free(ctx, &l->tree);
	return learn_tree(ctx, l, image, size);
}

tlv_status
tlv_tree_learn(tlv_context *ctx, const tlv_frame *moments, const tlv_tree_learn_options *options,
			   void **image, size_t *size)
{
	learner l = {.moments = moments, .options = options, .distance = options->distance};
	void *fitted;
	size_t fitted_size;

	l.replicates = options->replicates;
	l.categories = moments->header->kind == TLV_KIND_CATEGORY_MOMENTS;
	if (l.categories)
	{
		if (options->structure.method == TLV_TREE_FACTORS)
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER, "structure factors is of numbers, not of categories");
			return tlv_fail_hint(ctx, "Omit structure.");
		}
		if (options->replicates > 0)
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER,
					 "the replicates of categories are those of their moments");
			return tlv_fail_hint(ctx,
								 "Collect them with tlv_category_moments(v, %zu), and leave "
								 "bootstrap out of the fit.",
								 options->replicates);
		}
		TLV_TRY(tlv_category_open(ctx, moments, &l.tables));
		l.replicates = l.tables.replicates;
		TLV_TRY(learn_categories(ctx, &l, &fitted, &fitted_size));
		tlv_category_close(ctx, &l.tables);
	}
	else
	{
		if (options->replicates > TLV_CATEGORY_MOST_REPLICATES)
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "bootstrap = %zu is more than %d",
							options->replicates, TLV_CATEGORY_MOST_REPLICATES);
		l.distance.states = options->distance.states > 0 ? options->distance.states : 1;
		TLV_TRY(options->structure.method == TLV_TREE_FACTORS
					? learn_factors(ctx, &l, &fitted, &fitted_size)
					: learn_tree(ctx, &l, &fitted, &fitted_size));
	}
	TLV_TRY(add_diagnostics(ctx, &l, fitted, fitted_size, image, size));
	tlv_tree_free(ctx, &l.tree);
	return TLV_OK;
}
