/*
 * solve.c - conditioning in Gaussian trees, and what a model of that
 * kind can do (tree_gaussian.h, model.h).
 */
#include "solve.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/refusals.h"
#include "tensorlv/num/linalg.h"

/* Elements of a block from which on it is left to the library of linear algebra. */
#define WIDE ((size_t) 48)

/* ---- small dense blocks: mostly of one element ---- */

tlv_status
tlv_small_cholesky(tlv_context *ctx, size_t n, double *a)
{
	if (n > WIDE)
		return tlv_cholesky(ctx, n, a);
	for (size_t j = 0; j < n; j++)
	{
		for (size_t l = 0; l < j; l++)
			for (size_t i = j; i < n; i++)
				a[j * n + i] -= a[l * n + i] * a[l * n + j];
		if (!(a[j * n + j] > 0))
			return tlv_fail(ctx, TLV_BAD_DATA, "a matrix is not positive definite");
		a[j * n + j] = sqrt(a[j * n + j]);
		for (size_t i = j + 1; i < n; i++)
			a[j * n + i] /= a[j * n + j];
	}
	return TLV_OK;
}

void
tlv_small_substitute(size_t n, const double *l, bool transposed, double *x)
{
	for (size_t step = 0; step < n; step++)
	{
		size_t i = transposed ? n - 1 - step : step;

		for (size_t j = transposed ? i + 1 : 0; j < (transposed ? n : i); j++)
			x[i] -= (transposed ? l[i * n + j] : l[j * n + i]) * x[j];
		x[i] /= l[i * n + i];
	}
}

tlv_status
tlv_small_solve(tlv_context *ctx, size_t n, size_t m, const double *l, bool transposed, double *x)
{
	if (n > WIDE)
		return tlv_solve_triangle(ctx, transposed, n, m, l, x);
	for (size_t c = 0; c < m; c++)
		tlv_small_substitute(n, l, transposed, x + c * n);
	return TLV_OK;
}

/* ---- the precision of a tree ---- */

/* A node's own places in the packed arrays (solve.h). */
typedef struct node_blocks
{
	size_t n;			 /* elements */
	size_t m;			 /* free ones ... */
	const int32_t *list; /* ... and which they are */
	double *precision;	 /* n x n */
	double *factor;		 /* m x m */
	double *variance;	 /* m x m */
	double *cross;		 /* n x the parent's n */
	double *gain;		 /* m x the parent's m */
	double *value;		 /* n */
	double *potential;	 /* n */
	double *mean;		 /* m */
} node_blocks;

static inline node_blocks
blocks_of(const tree_gaussian *g, size_t v)
{
	size_t element = g->element[v], square = g->square[v], edge = g->edge[v];

	return (node_blocks){.n = (size_t) g->states[v],
						 .m = (size_t) g->n_free[v],
						 .list = g->list + element,
						 .precision = g->precision + square,
						 .factor = g->factor + square,
						 .variance = g->variance + square,
						 .cross = g->cross + edge,
						 .gain = g->gain + edge,
						 .value = g->value + element,
						 .potential = g->potential + element,
						 .mean = g->mean + element};
}

tlv_status
tlv_tree_gaussian_create(tlv_context *ctx, const tree_shape *shape, const int64_t *states,
						 const size_t *edge, tree_gaussian *g)
{
	size_t nodes = shape->nodes, most = 0, elements, squares, edges = edge[nodes];
	double *block;

	memset(g, 0, sizeof(*g));
	g->shape = shape;
	g->states = states;
	g->edge = edge;
	TLV_TRY_NEW0(ctx, g->element, 2 * (nodes + 1));
	g->square = g->element + nodes + 1;
	for (size_t v = 0; v < nodes; v++)
	{
		size_t n = (size_t) states[v];

		most = most > n ? most : n;
		g->element[v + 1] = g->element[v] + n;
		g->square[v + 1] = g->square[v] + n * n;
	}
	elements = g->element[nodes];
	squares = g->square[nodes];
	TLV_TRY_NEW0(ctx, block, 3 * squares + 2 * edges + 3 * elements + 2 * most * most);
	g->precision = block;
	g->factor = block + squares;
	g->variance = g->factor + squares;
	g->cross = g->variance + squares;
	g->gain = g->cross + edges;
	g->value = g->gain + edges;
	g->potential = g->value + elements;
	g->mean = g->potential + elements;
	g->work = g->mean + elements;
	TLV_TRY_NEW0(ctx, g->list, elements + nodes);
	g->n_free = g->list + elements;
	TLV_TRY_NEW0(ctx, g->free, elements);
	return TLV_OK;
}

void
tlv_tree_gaussian_free(tlv_context *ctx, tree_gaussian *g)
{
	tlv_free(ctx, g->free);
	tlv_free(ctx, g->list);
	tlv_free(ctx, g->precision);
	tlv_free(ctx, g->element);
}

/* to (n x n) += sign B' C with B and C both m x n. */
static tlv_status
gaussian_tree_add_product(tlv_context *ctx, size_t m, size_t n, double sign, const double *b,
						  const double *c, double *to)
{
	if (m > WIDE || n > WIDE)
		return tlv_gemm(ctx, true, false, n, n, m, sign, b, m, c, m, 1, to, n);
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < n; i++)
		{
			double sum = 0;

			for (size_t l = 0; l < m; l++)
				sum += b[i * m + l] * c[j * m + l];
			to[j * n + i] += sign * sum;
		}
	return TLV_OK;
}

tlv_status
tlv_tree_gaussian_set(tlv_context *ctx, tree_gaussian *g, const double *tables, const double *noise)
{
	const tree_shape *shape = g->shape;

	memset(g->precision, 0, g->square[shape->nodes] * sizeof(double));
	g->log_noise = 0;
	g->factored = false;
	for (size_t v = 0; v < shape->nodes; v++)
	{
		size_t n = (size_t) g->states[v], edges = g->edge[v + 1] - g->edge[v], m;
		double *own = g->precision + g->square[v], *cross = g->cross + g->edge[v];
		double *inverse = g->work + n * n;

		TLV_TRY_CONTINUE(ctx);
		memcpy(g->work, noise + g->square[v], n * n * sizeof(double));
		if (tlv_small_cholesky(ctx, n, g->work) != TLV_OK)
			return ctx->error.code != TLV_BAD_DATA
					   ? ctx->error.code
					   : tlv_fail(ctx, TLV_BAD_DATA,
								  "the noise of node %zu is not positive definite", v);
		memset(inverse, 0, n * n * sizeof(double));
		for (size_t i = 0; i < n; i++)
		{
			inverse[i * n + i] = 1;
			g->log_noise += 2 * log(g->work[i * n + i]);
		}
		TLV_TRY(tlv_small_solve(ctx, n, n, g->work, false, inverse));
		TLV_TRY(gaussian_tree_add_product(ctx, n, n, 1, inverse, inverse, own));
		if (shape->parent[v] < 0)
			continue;
		m = (size_t) g->states[shape->parent[v]];
		/* -N^-1 B, and B' N^-1 B for the parent */
		memcpy(cross, tables + g->edge[v], edges * sizeof(double));
		TLV_TRY(tlv_small_solve(ctx, n, m, g->work, false, cross));
		TLV_TRY(gaussian_tree_add_product(ctx, n, m, 1, cross, cross,
										  g->precision + g->square[shape->parent[v]]));
		TLV_TRY(tlv_small_solve(ctx, n, m, g->work, true, cross));
		for (size_t e = 0; e < edges; e++)
			cross[e] = -cross[e];
	}
	return TLV_OK;
}

/* ---- elimination ---- */

/* Lists the free elements of node v and copies their part of its diagonal block. */
static void
gather_free(tree_gaussian *g, size_t v)
{
	int32_t *list = g->list + g->element[v];
	node_blocks own;
	size_t m = 0;

	for (size_t i = 0; i < (size_t) g->states[v]; i++)
		if (g->free[g->element[v] + i])
			list[m++] = (int32_t) i;
	g->n_free[v] = (int32_t) m;
	own = blocks_of(g, v);
	for (size_t j = 0; j < m; j++)
		for (size_t i = 0; i < m; i++)
			own.factor[j * m + i] = own.precision[(size_t) list[j] * own.n + (size_t) list[i]];
}

/* What a node's elimination leaves to do: its gain, and less for its parent's diagonal block. */
static tlv_status
eliminate_from_parent(tlv_context *ctx, const node_blocks *own, const node_blocks *parent)
{
	for (size_t j = 0; j < parent->m; j++)
		for (size_t i = 0; i < own->m; i++)
			own->gain[j * own->m + i] =
				own->cross[(size_t) parent->list[j] * own->n + (size_t) own->list[i]];
	TLV_TRY(tlv_small_solve(ctx, own->m, parent->m, own->factor, false, own->gain));
	TLV_TRY(gaussian_tree_add_product(ctx, own->m, parent->m, -1, own->gain, own->gain,
									  parent->factor));
	return tlv_small_solve(ctx, own->m, parent->m, own->factor, true, own->gain);
}

tlv_status
tlv_tree_gaussian_factor(tlv_context *ctx, tree_gaussian *g)
{
	const tree_shape *shape = g->shape;

	for (size_t v = 0; v < shape->nodes; v++)
		gather_free(g, v);
	g->log_free = 0;
	for (size_t at = shape->nodes; at-- > 0;)
	{
		size_t v = (size_t) shape->order[at];
		node_blocks own = blocks_of(g, v);

		TLV_TRY_CONTINUE(ctx);
		if (tlv_small_cholesky(ctx, own.m, own.factor) != TLV_OK)
			return ctx->error.code != TLV_BAD_DATA
					   ? ctx->error.code
					   : tlv_fail(ctx, TLV_BAD_DATA,
								  "the tree's covariance is not positive definite");
		for (size_t i = 0; i < own.m; i++)
			g->log_free += 2 * log(own.factor[i * own.m + i]);
		if (shape->parent[v] >= 0)
		{
			node_blocks parent = blocks_of(g, (size_t) shape->parent[v]);

			TLV_TRY(eliminate_from_parent(ctx, &own, &parent));
		}
	}
	g->factored = true;
	return TLV_OK;
}

/* potential -= the precision's blocks of an edge times value, at both ends. */
static void
subtract_edge(const node_blocks *own, const node_blocks *parent)
{
	for (size_t j = 0; j < parent->n; j++)
		for (size_t i = 0; i < own->n; i++)
		{
			own->potential[i] -= own->cross[j * own->n + i] * parent->value[j];
			parent->potential[j] -= own->cross[j * own->n + i] * own->value[i];
		}
}

/* potential = - precision value, over all elements. */
static void
fill_potential(tree_gaussian *g)
{
	const tree_shape *shape = g->shape;

	memset(g->potential, 0, g->element[shape->nodes] * sizeof(double));
	for (size_t v = 0; v < shape->nodes; v++)
	{
		node_blocks own = blocks_of(g, v);

		for (size_t j = 0; j < own.n; j++)
			for (size_t i = 0; i < own.n; i++)
				own.potential[i] -= own.precision[j * own.n + i] * own.value[j];
		if (shape->parent[v] >= 0)
		{
			node_blocks parent = blocks_of(g, (size_t) shape->parent[v]);

			subtract_edge(&own, &parent);
		}
	}
}

/*
 * From the leaves up: the means of every node's free elements as if its parent's were 0, and what
 * they take off the parent's potentials.  Returns what elimination takes off the quadratic form.
 */
static double
eliminate_upwards(tree_gaussian *g)
{
	const tree_shape *shape = g->shape;
	double taken = 0;

	for (size_t at = shape->nodes; at-- > 0;)
	{
		size_t v = (size_t) shape->order[at];
		node_blocks own = blocks_of(g, v);

		for (size_t i = 0; i < own.m; i++)
			own.mean[i] = own.potential[own.list[i]];
		if (shape->parent[v] >= 0)
		{
			node_blocks parent = blocks_of(g, (size_t) shape->parent[v]);

			for (size_t j = 0; j < parent.m; j++)
				for (size_t i = 0; i < own.m; i++)
					parent.potential[parent.list[j]] -= own.gain[j * own.m + i] * own.mean[i];
		}
		tlv_small_substitute(own.m, own.factor, false, own.mean);
		for (size_t i = 0; i < own.m; i++)
			taken += own.mean[i] * own.mean[i];
		tlv_small_substitute(own.m, own.factor, true, own.mean);
	}
	return taken;
}

/* From the roots down: the parent's means put in. */
static void
substitute_downwards(tree_gaussian *g)
{
	const tree_shape *shape = g->shape;

	for (size_t at = 0; at < shape->nodes; at++)
	{
		size_t v = (size_t) shape->order[at];
		node_blocks own = blocks_of(g, v), parent;

		if (shape->parent[v] < 0)
			continue;
		parent = blocks_of(g, (size_t) shape->parent[v]);
		for (size_t j = 0; j < parent.m; j++)
			for (size_t i = 0; i < own.m; i++)
				own.mean[i] -= own.gain[j * own.m + i] * parent.mean[j];
	}
}

double
tlv_tree_gaussian_solve(tree_gaussian *g)
{
	double form = 0;

	fill_potential(g);
	for (size_t e = 0; e < g->element[g->shape->nodes]; e++)
		form -= g->value[e] * g->potential[e];
	form -= eliminate_upwards(g);
	substitute_downwards(g);
	return form;
}

/* variance += gain (the parent's variance) gain'; work: m x the parent's m. */
static tlv_status
add_parents_variance(tlv_context *ctx, const node_blocks *own, const node_blocks *parent,
					 double *work)
{
	size_t m = own->m, n = parent->m;

	if (m == 1 && n == 1)
	{
		own->variance[0] += own->gain[0] * parent->variance[0] * own->gain[0];
		return TLV_OK;
	}
	TLV_TRY(tlv_gemm(ctx, false, false, m, n, n, 1, own->gain, m, parent->variance, n, 0, work, m));
	return tlv_gemm(ctx, false, true, m, m, n, 1, work, m, own->gain, m, 1, own->variance, m);
}

tlv_status
tlv_tree_gaussian_variances(tlv_context *ctx, tree_gaussian *g)
{
	const tree_shape *shape = g->shape;

	for (size_t at = 0; at < shape->nodes; at++)
	{
		size_t v = (size_t) shape->order[at];
		node_blocks own = blocks_of(g, v);
		size_t m = own.m;
		double *inverse = g->work;

		TLV_TRY_CONTINUE(ctx);
		memset(inverse, 0, m * m * sizeof(double));
		memset(own.variance, 0, m * m * sizeof(double));
		for (size_t i = 0; i < m; i++)
			inverse[i * m + i] = 1;
		TLV_TRY(tlv_small_solve(ctx, m, m, own.factor, false, inverse));
		TLV_TRY(gaussian_tree_add_product(ctx, m, m, 1, inverse, inverse, own.variance));
		if (shape->parent[v] >= 0)
		{
			node_blocks parent = blocks_of(g, (size_t) shape->parent[v]);

			TLV_TRY(add_parents_variance(ctx, &own, &parent, g->work));
		}
	}
	return TLV_OK;
}

/* ---- models ---- */

typedef struct gaussian_model
{
	tree_gaussian g;
	size_t *place; /* columns: element */
} gaussian_model;

static gaussian_model *
of_model(const tree_model *model)
{
	return (gaussian_model *) model->gaussian;
}

tlv_status
tlv_tree_gaussian_open(tlv_context *ctx, tree_model *model)
{
	const tlv_tree_parts *parts = &model->parts;
	gaussian_model *opened = tlv_alloc0(ctx, 1, sizeof(gaussian_model));
	size_t *next;

	TLV_TRY_ALLOC(ctx, opened);
	model->gaussian = &opened->g;
	TLV_TRY(tlv_tree_gaussian_create(ctx, &model->shape, parts->states, model->offset, &opened->g));
	TLV_TRY(tlv_tree_gaussian_set(ctx, &opened->g, parts->tables, parts->noise));
	TLV_TRY_NEW(ctx, opened->place, parts->columns + parts->nodes);
	next = opened->place + parts->columns;
	memcpy(next, opened->g.element, parts->nodes * sizeof(size_t));
	for (size_t j = 0; j < parts->columns; j++)
		opened->place[j] = next[parts->column[j]]++;
	memset(opened->g.free, true, opened->g.element[parts->nodes] * sizeof(bool));
	return TLV_OK;
}

/* Takes a row in; the elimination is done again only when other elements are missing. */
static tlv_status
gaussian_tree_take_row(tlv_context *ctx, tree_model *model, size_t d, const double *x, size_t *seen)
{
	const tlv_tree_parts *parts = &model->parts;
	gaussian_model *opened;
	tree_gaussian *g;

	if (!parts->gaussian)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "the tree is of categories, not of numbers");
		return tlv_fail_hint(ctx, "Its rows are arrays of int.");
	}
	if (d != parts->columns)
		return tlv_refuse_width(ctx, d, parts->columns);
	opened = of_model(model);
	g = &opened->g;
	*seen = 0;
	for (size_t j = 0; j < d; j++)
	{
		size_t e = opened->place[j];
		bool missing = isnan(x[j]);

		if (isinf(x[j]))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "element %zu of a row is infinite", j + 1);
			return tlv_fail_hint(ctx, "Leave such rows out, or replace the number.");
		}
		g->factored = g->factored && missing == g->free[e];
		g->free[e] = missing;
		g->value[e] = missing ? 0 : x[j] - parts->means[j];
		*seen += !missing;
	}
	return g->factored ? TLV_OK : tlv_tree_gaussian_factor(ctx, g);
}

tlv_status
tlv_tree_gaussian_log_likelihood(tlv_context *ctx, tlv_model *base, size_t d, const double *x,
								 double *value)
{
	tree_model *model = (tree_model *) base;
	const tree_gaussian *g;
	size_t seen;
	double form;

	TLV_TRY(gaussian_tree_take_row(ctx, model, d, x, &seen));
	form = tlv_tree_gaussian_solve(model->gaussian);
	g = model->gaussian;
	*value = -0.5 * (form + g->log_noise + g->log_free + (double) seen * log(2 * M_PI));
	if (!isfinite(*value))
		return tlv_refuse_far_numbers(ctx);
	return TLV_OK;
}

/* One block for every hidden node, then for every missing element. */
static tlv_status
begin_posterior(tlv_context *ctx, tree_model *model, size_t d, const double *x,
				tlv_posterior *posterior)
{
	size_t n = 0;

	for (size_t v = model->parts.p; v < model->parts.nodes; v++)
		model->widths[n++] = (size_t) model->parts.states[v];
	for (size_t j = 0; j < d; j++)
		if (isnan(x[j]))
			model->widths[n++] = 1;
	return tlv_posterior_begin_blocks(ctx, posterior, n, model->widths);
}

tlv_status
tlv_tree_infer_gaussian(tlv_context *ctx, tlv_model *base, size_t d, const double *x,
						tlv_posterior *means, tlv_posterior *variances)
{
	tree_model *model = (tree_model *) base;
	const tlv_tree_parts *parts = &model->parts;
	size_t seen, at = 0;
	double *mean, *variance = NULL;
	tree_gaussian *g;

	TLV_TRY(gaussian_tree_take_row(ctx, model, d, x, &seen));
	TLV_TRY(begin_posterior(ctx, model, d, x, means));
	mean = means->values;
	if (variances != NULL)
	{
		TLV_TRY(begin_posterior(ctx, model, d, x, variances));
		variance = variances->values;
	}
	g = model->gaussian;
	tlv_tree_gaussian_solve(g);
	if (variance != NULL)
		TLV_TRY(tlv_tree_gaussian_variances(ctx, g));
	for (size_t v = parts->p; v < parts->nodes; v++)
		for (size_t i = 0; i < (size_t) parts->states[v]; i++)
		{
			mean[at] = g->mean[g->element[v] + i];
			if (variance != NULL)
				variance[at] = g->variance[g->square[v] + i * (size_t) parts->states[v] + i];
			at++;
		}
	for (size_t j = 0; j < d; j++)
	{
		size_t v = (size_t) parts->column[j], i = 0, e = of_model(model)->place[j];

		if (!isnan(x[j]))
			continue;
		while (g->element[v] + (size_t) g->list[g->element[v] + i] != e)
			i++;
		mean[at] = parts->means[j] + g->mean[g->element[v] + i];
		if (variance != NULL)
			variance[at] = g->variance[g->square[v] + i * (size_t) g->n_free[v] + i];
		at++;
	}
	for (size_t i = 0; i < at; i++)
		if (!isfinite(mean[i]) || (variance != NULL && !isfinite(variance[i])))
			return tlv_refuse_far_numbers(ctx);
	return TLV_OK;
}
