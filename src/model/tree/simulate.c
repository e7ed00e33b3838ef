/*
 * simulate.c - random parameters for a tree, and rows drawn from a model
 * (tree.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/tree.h"
#include "tensorlv/model/tree_gaussian.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"

/* ---- models ---- */

typedef struct random_tree
{
	const tlv_tree_simulation *options;
	tlv_tree_parts parts;
	tree_rooted rooted;
	size_t *offset;
	double *tables;
	tlv_rng rng;
} random_tree;

static double
draw_strength(random_tree *random)
{
	return random->options->low +
		   (random->options->high - random->options->low) * tlv_rng_uniform(&random->rng);
}

/* r I + (1 - r) random, rows of Dirichlet(2); with more states than rows the identity's first. */
static void
draw_table(random_tree *random, size_t v, double *alpha)
{
	size_t states = (size_t) random->parts.states[v];
	size_t parents = (size_t) random->parts.states[random->parts.parent[v]];
	double *table = random->tables + random->offset[v], r = draw_strength(random);

	for (size_t y = 0; y < states; y++)
		alpha[y] = 2;
	for (size_t x = 0; x < parents; x++)
	{
		tlv_rng_dirichlet(&random->rng, states, alpha, table + x * states);
		for (size_t y = 0; y < states; y++)
			table[x * states + y] = (1 - r) * table[x * states + y] + (x % states == y ? r : 0);
	}
}

static tlv_status
tree_draw_categories(tlv_context *ctx, random_tree *random, double *alpha)
{
	for (size_t v = 0; v < random->parts.nodes; v++)
	{
		size_t states = (size_t) random->parts.states[v];

		TLV_TRY_CONTINUE_OFTEN(ctx, v);
		if (random->parts.parent[v] >= 0)
		{
			draw_table(random, v, alpha);
			continue;
		}
		for (size_t y = 0; y < states; y++)
			alpha[y] = 10;
		tlv_rng_dirichlet(&random->rng, states, alpha, random->tables + random->offset[v]);
	}
	return TLV_OK;
}

/* What the length of a categorical edge takes. */
typedef struct edge_work
{
	double *margins; /* nodes x most states */
	double scaled[TLV_CATEGORY_MOST_STATES * TLV_CATEGORY_MOST_STATES];
	double s[TLV_CATEGORY_MOST_STATES];
	double singular[]; /* scratch */
} edge_work;

/*
 * The information distance of a node and its parent, as the distances of rows estimate it: less the
 * sum of the logarithms of the k - 1 largest canonical correlations, k the states of hidden nodes,
 * in proportion where there are fewer.  Writes the node's margin.
 */
static tlv_status
edge_length(tlv_context *ctx, random_tree *random, size_t v, edge_work *w)
{
	size_t parent = (size_t) random->parts.parent[v], k = random->options->hidden_states;
	size_t a = (size_t) random->parts.states[parent], b = (size_t) random->parts.states[v];
	const double *table = random->tables + random->offset[v];
	double *above = w->margins + parent * TLV_CATEGORY_MOST_STATES, sum = 0;
	double *own = w->margins + v * TLV_CATEGORY_MOST_STATES;
	size_t r = (a < b ? a : b) - 1;

	for (size_t x = 0; x < a; x++)
		for (size_t y = 0; y < b; y++)
			own[y] += above[x] * table[x * b + y];
	for (size_t y = 0; y < b; y++)
		for (size_t x = 0; x < a; x++)
			w->scaled[x + y * a] =
				own[y] > 0 ? sqrt(above[x] / own[y]) * (table[x * b + y] - own[y]) : 0;
	TLV_TRY(tlv_singular_values(ctx, a, b, w->scaled, r, w->s, w->singular));
	for (size_t i = 0; i < r; i++)
		sum -= log(fmin(TREE_MOST_CATEGORY, fmax(TLV_TINY, w->s[i])));
	random->rooted.length[v] = sum * ((double) k - 1) / (double) r;
	return TLV_OK;
}

static tlv_status
measure_edges(tlv_context *ctx, random_tree *random)
{
	size_t nodes = random->parts.nodes, scratch;
	tree_shape shape;
	edge_work *w;

	scratch = tlv_singular_values_work(TLV_CATEGORY_MOST_STATES, TLV_CATEGORY_MOST_STATES);
	w = tlv_alloc(ctx, 1, sizeof(edge_work) + scratch * sizeof(double));
	TLV_TRY_ALLOC(ctx, w);
	TLV_TRY_NEW0(ctx, w->margins, nodes * TLV_CATEGORY_MOST_STATES);
	TLV_TRY(tlv_tree_shape_create(ctx, random->parts.p, nodes, random->parts.parent, &shape));
	for (size_t at = 0; at < nodes; at++)
	{
		size_t v = (size_t) shape.order[at];

		TLV_TRY_CONTINUE_OFTEN(ctx, at);
		if (random->parts.parent[v] >= 0)
			TLV_TRY(edge_length(ctx, random, v, w));
		else
			memcpy(w->margins + v * TLV_CATEGORY_MOST_STATES, random->tables + random->offset[v],
				   (size_t) random->parts.states[v] * sizeof(double));
	}
	tlv_tree_shape_free(ctx, &shape);
	tlv_free(ctx, w->margins);
	tlv_free(ctx, w);
	return TLV_OK;
}

static void
draw_correlations(random_tree *random, double *noise)
{
	for (size_t v = 0; v < random->parts.nodes; v++)
	{
		double r;

		noise[v] = 1;
		if (random->parts.parent[v] < 0)
			continue;
		r = draw_strength(random);
		random->rooted.length[v] = -log(r);
		noise[v] = 1 - r * r;
		random->tables[random->offset[v]] = tlv_rng_uniform(&random->rng) < 0.5 ? r : -r;
	}
}

static tlv_status
tree_check_simulation(tlv_context *ctx, const tlv_tree_simulation *options)
{
	if (!(options->low > 0 && options->low <= options->high && options->high < 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"the strengths of edges, %g to %g, are not in order between 0 and 1",
						options->low, options->high);
	if (!options->gaussian &&
		(options->hidden_states < 2 || options->hidden_states > TLV_CATEGORY_MOST_STATES ||
		 options->observed_states < 2 || options->observed_states > TLV_CATEGORY_MOST_STATES))
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"%zu states of hidden nodes and %zu of variables are not from 2 to %d",
						options->hidden_states, options->observed_states, TLV_CATEGORY_MOST_STATES);
	return TLV_OK;
}

/* Sizes, and arrays that are written to. */
static tlv_status
open_random(tlv_context *ctx, const tlv_tree *tree, random_tree *random)
{
	const tlv_tree_simulation *options = random->options;
	tlv_tree_parts *parts = &random->parts;

	TLV_TRY(tlv_tree_rooted_create(ctx, tree, &random->rooted));
	parts->p = tree->p;
	parts->nodes = tree->nodes;
	parts->gaussian = options->gaussian;
	parts->seed = (double) (options->seed & (((uint64_t) 1 << 53) - 1));
	parts->parent = random->rooted.parent;
	parts->length = random->rooted.length;
	parts->error = random->rooted.error;
	parts->support = random->rooted.support;
	parts->states = random->rooted.states;
	for (size_t v = 0; v < tree->nodes; v++)
	{
		random->rooted.error[v] = random->rooted.support[v] = -1;
		random->rooted.states[v] = options->gaussian ? 1
								   : v < tree->p	 ? (int64_t) options->observed_states
													 : (int64_t) options->hidden_states;
	}
	TLV_TRY_NEW(ctx, random->offset, tree->nodes + 1);
	tlv_tree_table_offsets(parts, random->offset);
	parts->entries = random->offset[tree->nodes];
	if (parts->entries > TLV_TREE_MOST_ENTRIES)
		return tlv_fail(ctx, TLV_LIMIT, "the tree's tables have %zu numbers, more than %zu",
						parts->entries, TLV_TREE_MOST_ENTRIES);
	TLV_TRY_NEW0(ctx, random->tables, parts->entries);
	parts->tables = random->tables;
	tlv_rng_seed(&random->rng, options->seed);
	return TLV_OK;
}

tlv_status
tlv_tree_simulate_model(tlv_context *ctx, const tlv_tree *tree, const tlv_tree_simulation *options,
						void **image, size_t *size)
{
	random_tree random = {.options = options};
	tlv_diagnostics diagnostics = {0};
	int64_t *column;
	double *block;

	TLV_TRY(tree_check_simulation(ctx, options));
	TLV_TRY(open_random(ctx, tree, &random));
	random.parts.diagnostics = &diagnostics;
	/* means, noise; or the parameters of a Dirichlet distribution */
	TLV_TRY_NEW0(ctx, block, 2 * tree->nodes + TLV_CATEGORY_MOST_STATES);
	TLV_TRY_NEW(ctx, column, tree->p);
	for (size_t v = 0; v < tree->p; v++)
		column[v] = (int64_t) v;
	if (options->gaussian)
	{
		draw_correlations(&random, block + tree->nodes);
		random.parts.columns = tree->p;
		random.parts.column = column;
		random.parts.means = block;
		random.parts.noise = block + tree->nodes;
		random.parts.noise_entries = tree->nodes;
	}
	else
	{
		TLV_TRY(tree_draw_categories(ctx, &random, block));
		TLV_TRY(measure_edges(ctx, &random));
	}
	TLV_TRY(tlv_tree_write(ctx, &random.parts, image, size));
	tlv_free(ctx, column);
	tlv_free(ctx, block);
	tlv_free(ctx, random.tables);
	tlv_free(ctx, random.offset);
	tlv_free(ctx, random.rooted.length);
	tlv_free(ctx, random.rooted.parent);
	return TLV_OK;
}

/* ---- rows ---- */

struct tlv_tree_sampler
{
	tlv_tree_parts parts;
	tree_shape shape;
	size_t *offset;
	size_t *noise_at;  /* nodes: of root in factors, Gaussian */
	double *factors;   /* Cholesky factors of the noise, column by column */
	size_t *element;   /* nodes + 1: of values */
	double *values;	   /* of all nodes */
	double *normal;	   /* most dimensions */
	size_t *column_at; /* columns: element of values */
	int32_t *states;   /* nodes */
};

static tlv_status
open_gaussian(tlv_context *ctx, tlv_tree_sampler *sampler)
{
	const tlv_tree_parts *parts = &sampler->parts;
	size_t nodes = parts->nodes, most = 0, *next;

	TLV_TRY_NEW(ctx, sampler->factors, parts->noise_entries);
	memcpy(sampler->factors, parts->noise, parts->noise_entries * sizeof(double));
	TLV_TRY_NEW0(ctx, sampler->noise_at, 3 * nodes + 1 + parts->columns);
	sampler->element = sampler->noise_at + nodes;
	next = sampler->element + nodes + 1;
	sampler->column_at = next + nodes;
	for (size_t v = 0, at = 0; v < nodes; v++)
	{
		size_t n = (size_t) parts->states[v];

		sampler->noise_at[v] = at;
		if (tlv_small_cholesky(ctx, n, sampler->factors + at) != TLV_OK)
			return ctx->error.code != TLV_BAD_DATA
					   ? ctx->error.code
					   : tlv_fail(ctx, TLV_BAD_DATA,
								  "the noise of node %zu is not positive definite", v);
		at += n * n;
		sampler->element[v + 1] = sampler->element[v] + n;
		next[v] = sampler->element[v];
		most = most > n ? most : n;
	}
	for (size_t j = 0; j < parts->columns; j++)
		sampler->column_at[j] = next[parts->column[j]]++;
	TLV_TRY_NEW0(ctx, sampler->values, sampler->element[nodes] + most);
	sampler->normal = sampler->values + sampler->element[nodes];
	return TLV_OK;
}

tlv_status
tlv_tree_sampler_create(tlv_context *ctx, const tlv_frame *model, tlv_tree_sampler **created)
{
	tlv_tree_sampler *sampler = tlv_alloc0(ctx, 1, sizeof(tlv_tree_sampler));
	tlv_tree_parts *parts;

	TLV_TRY_ALLOC(ctx, sampler);
	parts = &sampler->parts;
	tlv_tree_read(model, parts);
	if (parts->tables == NULL)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "the tree has no parameters yet");
		return tlv_fail_hint(
			ctx, "Collect tlv_statistics(values, model) and tlv_update the model first.");
	}
	TLV_TRY(tlv_tree_shape_create(ctx, parts->p, parts->nodes, parts->parent, &sampler->shape));
	TLV_TRY_NEW(ctx, sampler->offset, parts->nodes + 1);
	tlv_tree_table_offsets(parts, sampler->offset);
	TLV_TRY_NEW0(ctx, sampler->states, parts->nodes);
	if (parts->gaussian)
		TLV_TRY(open_gaussian(ctx, sampler));
	*created = sampler;
	return TLV_OK;
}

static void
sample_categories(tlv_tree_sampler *sampler, tlv_rng *rng)
{
	const tlv_tree_parts *parts = &sampler->parts;

	for (size_t at = 0; at < parts->nodes; at++)
	{
		size_t v = (size_t) sampler->shape.order[at], states = (size_t) parts->states[v];
		const double *row = parts->tables + sampler->offset[v];
		double u = tlv_rng_uniform(rng);
		size_t y = 0;

		if (parts->parent[v] >= 0)
			row += (size_t) sampler->states[parts->parent[v]] * states;
		while (y + 1 < states && (u -= row[y]) >= 0)
			y++;
		sampler->states[v] = (int32_t) y;
	}
}

static void
sample_gaussian(tlv_tree_sampler *sampler, tlv_rng *rng)
{
	const tlv_tree_parts *parts = &sampler->parts;

	for (size_t at = 0; at < parts->nodes; at++)
	{
		size_t v = (size_t) sampler->shape.order[at], n = (size_t) parts->states[v];
		const double *factor = sampler->factors + sampler->noise_at[v];
		const double *table = parts->tables + sampler->offset[v];
		double *to = sampler->values + sampler->element[v];

		tlv_rng_fill_normal(rng, n, sampler->normal);
		memset(to, 0, n * sizeof(double));
		for (size_t j = 0; j < n; j++)
			for (size_t i = j; i < n; i++)
				to[i] += factor[j * n + i] * sampler->normal[j];
		if (parts->parent[v] < 0)
			continue;
		for (size_t j = 0; j < (size_t) parts->states[parts->parent[v]]; j++)
			for (size_t i = 0; i < n; i++)
				to[i] += table[j * n + i] * sampler->values[sampler->element[parts->parent[v]] + j];
	}
}

void
tlv_tree_sample(tlv_tree_sampler *sampler, tlv_rng *rng, int32_t *codes, double *x)
{
	const tlv_tree_parts *parts = &sampler->parts;

	if (!parts->gaussian)
	{
		sample_categories(sampler, rng);
		if (codes != NULL)
			memcpy(codes, sampler->states, parts->nodes * sizeof(int32_t));
		return;
	}
	sample_gaussian(sampler, rng);
	for (size_t j = 0; x != NULL && j < parts->columns; j++)
		x[j] = parts->means[j] + sampler->values[sampler->column_at[j]];
}
