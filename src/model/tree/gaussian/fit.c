/*
 * fit.c - Gaussian trees from the covariance of the observed
 * columns: regressions by the method of moments through what stands for every hidden node, then EM
 * (fit.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/dense.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/tuning.h"
#include "fit.h"
#include "tuning.h"

/* ---- the variables ---- */

static tlv_status
take_columns(tlv_context *ctx, const tlv_tree *tree, const tlv_tree_fit_options *options,
			 gaussian_fit *fit)
{
	size_t p = options->groups > 0 ? options->groups : fit->d, *next;
	char shown[TLV_SHOWN_NAME];
	int64_t *states = fit->rooted.states;

	if (tree->p != p)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the tree has %zu %s, but the moments %zu", tree->p,
				 tlv_plural((double) tree->p, "variable", "variables"), p);
		return tlv_fail_hint(ctx, "Collect the moments of the variables that the tree has.");
	}
	fit->r = options->states > 0 ? options->states : 1;
	if (options->factors != NULL && options->factors->q > 0)
		fit->r = options->factors->q;
	TLV_TRY_NEW(ctx, fit->column, fit->d);
	for (size_t j = 0; j < fit->d; j++)
	{
		fit->column[j] = options->groups > 0 ? options->column[j] : (int64_t) j;
		if (fit->column[j] < 0 || fit->column[j] >= (int64_t) p)
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "column %zu is of group %lld, not of 1 to %zu",
							j + 1, (long long) fit->column[j] + 1, p);
		states[fit->column[j]]++;
	}
	for (size_t v = 0; v < p; v++)
		if (states[v] == 0)
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "group %zu has no column", v + 1);
		else if ((size_t) states[v] < fit->r && tree->nodes > p && options->factors == NULL)
			return tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
							"hidden nodes of dimension %zu are more than variable %s shows, %lld",
							fit->r, tlv_tree_show_variable(options, v, shown),
							(long long) states[v]);
	for (size_t v = p; v < tree->nodes; v++)
		states[v] = (int64_t) fit->r;
	fit->hidden = (tree->nodes - p) * fit->r;
	TLV_TRY_NEW0(ctx, fit->place, fit->d + tree->nodes + 1);
	next = fit->place + fit->d;
	for (size_t v = 0; v < p; v++)
		next[v + 1] = next[v] + (size_t) states[v];
	for (size_t j = 0; j < fit->d; j++)
		fit->place[j] = next[fit->column[j]]++;
	return TLV_OK;
}

/* One pass of L^-1 over the rows of all variables, and the result turned. */
static void
apply_scale(gaussian_fit *fit, const tree_gaussian *g, double *s)
{
	size_t d = fit->d;

	for (size_t c = 0; c < d; c++)
		for (size_t v = 0; v < fit->parts.p; v++)
			tlv_small_substitute((size_t) g->states[v], fit->columns.scale + g->square[v], false,
								 s + c * d + g->element[v]);
	for (size_t c = 0; c < d; c++)
		for (size_t i = 0; i < c; i++)
		{
			double swap = s[c * d + i];

			s[c * d + i] = s[i * d + c];
			s[i * d + c] = swap;
		}
}

/* A constant column gets a variance of its own and no edges. */
void
tlv_tree_floor_constant(tlv_dense_central *central)
{
	size_t d = central->d;
	double mean = 0;

	for (size_t j = 0; j < d; j++)
		mean += central->covariance[j * (d + 1)] / (double) d;
	for (size_t j = 0; j < d; j++)
	{
		if (central->covariance[j * (d + 1)] > 0)
			continue;
		for (size_t i = 0; i < d; i++)
			central->covariance[j * d + i] = central->covariance[i * d + j] = 0;
		central->covariance[j * (d + 1)] = TLV_LEAST_DIRECTION * (mean > 0 ? mean : 1);
	}
}

/* Of columns that do not vary, before they get a variance. */
static tlv_status
warn_of_constant(tlv_context *ctx, const tlv_dense_central *central,
				 const tlv_tree_fit_options *options, tlv_diagnostics *diagnostics)
{
	size_t d = central->d;
	tlv_shown_list constant = {0};
	char shown[TLV_SHOWN_NAME];

	for (size_t j = 0; j < d; j++)
		if (!(central->covariance[j * (d + 1)] > 0))
		{
			if (options->groups > 0)
				tlv_shown_add_number(&constant, j + 1);
			else
				tlv_shown_add(&constant, tlv_tree_show_variable(options, j, shown));
		}
	if (constant.n == 0)
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "dependent_columns",
								   .score = (double) constant.n,
								   .hint = constant.n == 1 ? "Omit it." : "Omit them."},
					"%s %s constant: %s no edges, and a millionth of the mean variance",
					tlv_shown_text(&constant, options->groups > 0 ? "column" : "variable"),
					tlv_shown_verb(&constant), constant.n == 1 ? "it has" : "they have");
}

static tlv_status
standardise(tlv_context *ctx, const tlv_dense_central *central, const tlv_tree_fit_options *options,
			gaussian_fit *fit)
{
	size_t d = fit->d;
	char shown[TLV_SHOWN_NAME];
	const tree_gaussian *g = &fit->g;

	TLV_TRY(tlv_alloc_numbers(ctx, &fit->s, d * d));
	TLV_TRY(tlv_alloc_numbers(ctx, &fit->columns.scale, g->square[fit->parts.p]));
	for (size_t j = 0; j < d; j++)
		for (size_t i = 0; i < d; i++)
			fit->s[fit->place[j] * d + fit->place[i]] = central->covariance[j * d + i];
	for (size_t v = 0; v < fit->parts.p; v++)
	{
		size_t n = (size_t) g->states[v], e = g->element[v];
		double *own = fit->columns.scale + g->square[v];

		for (size_t j = 0; j < n; j++)
			memcpy(own + j * n, fit->s + (e + j) * d + e, n * sizeof(double));
		if (tlv_small_cholesky(ctx, n, own) != TLV_OK)
		{
			if (ctx->error.code != TLV_BAD_DATA)
				return ctx->error.code;
			tlv_fail(ctx, TLV_BAD_DATA, "the columns of variable %s are linearly dependent",
					 tlv_tree_show_variable(options, v, shown));
			return tlv_fail_hint(ctx, "Omit the variable, or columns of it.");
		}
		for (size_t i = 0; i < n; i++)
			fit->columns.log_scale += log(own[i * n + i]);
	}
	apply_scale(fit, g, fit->s);
	apply_scale(fit, g, fit->s);
	return TLV_OK;
}

/* ---- the start ---- */

/* c (n_a x n_b) = the cross moment of two observed nodes, column by column. */
static void
copy_cross(const gaussian_fit *fit, size_t a, size_t b, double *c)
{
	size_t na = (size_t) fit->g.states[a], nb = (size_t) fit->g.states[b];

	for (size_t j = 0; j < nb; j++)
		memcpy(c + j * na, fit->s + (fit->g.element[b] + j) * fit->d + fit->g.element[a],
			   na * sizeof(double));
}

/*
 * view (n_a x r) with view view' = the part of rank r of C_ac C_bc^+ C_ba: how a depends on the
 * node that parts it from b and c.
 */
static tlv_status
solve_first(tlv_context *ctx, const gaussian_fit *fit, const int64_t *t, double *view)
{
	size_t n[3], r = fit->r, least;
	double *ac, *bc, *ba, *u, *s, *vt, *square, *values, *left, *right;

	for (int i = 0; i < 3; i++)
		n[i] = (size_t) fit->g.states[t[i]];
	least = n[1] < n[2] ? n[1] : n[2];
	TLV_TRY(tlv_alloc_numbers(ctx, &ac,
							  n[0] * n[2] + n[1] * n[2] + n[1] * n[0] + n[1] * least + least +
								  least * n[2] + n[0] * n[0] + n[0] + 2 * n[0] * r));
	bc = ac + n[0] * n[2];
	ba = bc + n[1] * n[2];
	u = ba + n[1] * n[0];
	s = u + n[1] * least;
	vt = s + least;
	square = vt + least * n[2];
	values = square + n[0] * n[0];
	left = values + n[0];
	right = left + n[0] * r;
	copy_cross(fit, (size_t) t[0], (size_t) t[2], ac);
	copy_cross(fit, (size_t) t[1], (size_t) t[2], bc);
	copy_cross(fit, (size_t) t[1], (size_t) t[0], ba);
	TLV_TRY(tlv_svd(ctx, n[1], n[2], bc, u, s, vt));
	TLV_TRY(tlv_gemm(ctx, false, true, n[0], r, n[2], 1, ac, n[0], vt, least, 0, left, n[0]));
	TLV_TRY(tlv_gemm(ctx, true, false, r, n[0], n[1], 1, u, n[1], ba, n[1], 0, right, r));
	for (size_t l = 0; l < r; l++)
		for (size_t i = 0; i < n[0]; i++)
			left[l * n[0] + i] /= fmax(s[l], 1e-3);
	TLV_TRY(tlv_gemm(ctx, false, false, n[0], n[0], r, 0.5, left, n[0], right, r, 0, square, n[0]));
	TLV_TRY(tlv_gemm(ctx, true, true, n[0], n[0], r, 0.5, right, r, left, n[0], 1, square, n[0]));
	TLV_TRY(tlv_eigen_symmetric(ctx, n[0], square, values));
	for (size_t l = 0; l < r; l++)
		for (size_t i = 0; i < n[0]; i++)
			view[l * n[0] + i] = square[l * n[0] + i] *
								 fmin(fmax(sqrt(fmax(values[l], 0)), START_LEAST), START_MOST);
	tlv_free(ctx, ac);
	return TLV_OK;
}

/* The other two of a triple from the first: E[b a'] = B A'. */
static tlv_status
solve_other(tlv_context *ctx, const gaussian_fit *fit, size_t b, size_t a, const double *first,
			double *view)
{
	size_t nb = (size_t) fit->g.states[b], na = (size_t) fit->g.states[a], r = fit->r;
	tree_side u = {nb, 1, {nb}, {NULL}}, v = {r, 1, {na}, {first}};
	double *cross, *joint;
	const double *pair;

	TLV_TRY(tlv_alloc_numbers(ctx, &cross, na * nb + nb * r));
	joint = cross + na * nb;
	copy_cross(fit, a, b, cross); /* a's elements run fastest */
	pair = cross;
	TLV_TRY(tlv_tree_cross_solve(ctx, &u, &v, &pair, joint));
	for (size_t i = 0; i < nb; i++)
		for (size_t l = 0; l < r; l++)
			view[l * nb + i] = joint[i * r + l];
	tlv_free(ctx, cross);
	return tlv_tree_clip_singular(ctx, nb, r, START_MOST, view);
}

static tlv_status
gaussian_tree_solve_views(tlv_context *ctx, gaussian_fit *fit)
{
	size_t p = fit->parts.p;

	for (size_t j = 0; j < fit->parts.nodes - p; j++)
	{
		const int64_t *t = fit->selection.triples + 3 * j;

		TLV_TRY_CONTINUE(ctx);
		if (t[0] < 0)
			continue;
		for (int i = 0; i < 3; i++)
			TLV_TRY(
				tlv_alloc_numbers(ctx, &fit->view[i][j], (size_t) fit->g.states[t[i]] * fit->r));
		TLV_TRY(solve_first(ctx, fit, t, fit->view[0][j]));
		for (int i = 1; i < 3; i++)
			TLV_TRY(solve_other(ctx, fit, (size_t) t[i], (size_t) t[0], fit->view[0][j],
								fit->view[i][j]));
	}
	return TLV_OK;
}

static size_t
open_side(const gaussian_fit *fit, size_t node, size_t other, tree_side *side, size_t stand[3])
{
	size_t p = fit->parts.p, found = 0;

	memset(side, 0, sizeof(*side));
	side->k = (size_t) fit->g.states[node];
	side->n = tlv_tree_stand_ins(&fit->selection, node, other, stand);
	for (size_t i = 0; i < side->n; i++)
		side->d[i] = (size_t) fit->g.states[stand[i]];
	for (size_t t = 0; t < 3 && node >= p; t++)
		if (found < side->n && fit->selection.triples[3 * (node - p) + t] == (int64_t) stand[found])
			side->a[found++] = fit->view[t][node - p];
	return side->n;
}

/* The regression of node v on its parent: their cross moment. */
static tlv_status
solve_edge(tlv_context *ctx, gaussian_fit *fit, size_t v)
{
	size_t u = (size_t) fit->parts.parent[v], a[3], c[3], n = 0;
	size_t nv = (size_t) fit->g.states[v], nu = (size_t) fit->g.states[u];
	double *block, *at, *table = fit->tables + fit->edge[v];
	const double *pairs[9];
	tree_side below, above;

	if (open_side(fit, v, u, &below, a) == 0 || open_side(fit, u, v, &above, c) == 0)
	{
		/* Nothing stands for a node of fewer than three directions. */
		for (size_t i = 0; i < nv && i < nu; i++)
			table[i * nv + i] = 0.5;
		return TLV_OK;
	}
	for (size_t i = 0; i < below.n; i++)
		for (size_t j = 0; j < above.n; j++)
			n += below.d[i] * above.d[j];
	TLV_TRY(tlv_alloc_numbers(ctx, &block, n + nv * nu));
	at = block + nv * nu;
	for (size_t i = 0; i < below.n; i++)
		for (size_t j = 0; j < above.n; j++)
		{
			copy_cross(fit, c[j], a[i], at);
			pairs[i * above.n + j] = at;
			at += below.d[i] * above.d[j];
		}
	TLV_TRY(tlv_tree_cross_solve(ctx, &below, &above, pairs, block));
	for (size_t i = 0; i < nv; i++)
		for (size_t j = 0; j < nu; j++)
			table[j * nv + i] = block[i * nu + j];
	tlv_free(ctx, block);
	return tlv_tree_clip_singular(ctx, nv, nu, START_MOST, table);
}

static tlv_status
solve_edges(tlv_context *ctx, gaussian_fit *fit)
{
	TLV_TRY(gaussian_tree_solve_views(ctx, fit));
	for (size_t v = 0; v < fit->parts.nodes; v++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (fit->parts.parent[v] >= 0)
			TLV_TRY(solve_edge(ctx, fit, v));
	}
	return TLV_OK;
}

/* ---- the model ---- */

/* B (n x m) on an observed parent in its own coordinates: B L^-1, row by row. */
static void
unscale_parent(size_t n, size_t m, const double *scale, double *table, double *row)
{
	for (size_t i = 0; i < n; i++)
	{
		for (size_t j = 0; j < m; j++)
			row[j] = table[j * n + i];
		tlv_small_substitute(m, scale, true, row);
		for (size_t j = 0; j < m; j++)
			table[j * n + i] = row[j];
	}
}

/* L B and L N L' of an observed node; B n x m, L (scale) lower triangular. */
static tlv_status
unscale_node(tlv_context *ctx, size_t n, size_t m, const double *scale, double *table,
			 double *noise, double *work)
{
	if (m > 0)
	{
		memcpy(work, table, n * m * sizeof(double));
		TLV_TRY(tlv_gemm(ctx, false, false, n, m, n, 1, scale, n, work, n, 0, table, n));
	}
	TLV_TRY(tlv_gemm(ctx, false, false, n, n, n, 1, scale, n, noise, n, 0, work, n));
	TLV_TRY(tlv_gemm(ctx, false, true, n, n, n, 1, work, n, scale, n, 0, noise, n));
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i < j; i++)
			noise[j * n + i] = noise[i * n + j];
	return TLV_OK;
}

/* Regressions and noise of the observed variables in their own scale. */
static tlv_status
unscale_variables(tlv_context *ctx, gaussian_fit *fit)
{
	const tree_gaussian *g = &fit->g;
	size_t p = fit->parts.p;
	double *work;

	TLV_TRY(tlv_alloc_numbers(ctx, &work, fit->d * (fit->d > fit->r ? fit->d : fit->r)));
	for (size_t v = 0; v < fit->parts.nodes; v++)
	{
		int64_t u = fit->parts.parent[v];
		size_t n = (size_t) g->states[v], m = u < 0 ? 0 : (size_t) g->states[u];
		double *table = fit->tables + fit->edge[v];
		double *scale = v < p ? fit->columns.scale + g->square[v] : NULL;

		if (u >= 0 && u < (int64_t) p)
			unscale_parent(n, m, fit->columns.scale + g->square[u], table, work);
		if (scale == NULL)
			continue;
		for (size_t j = 1; j < n; j++)
			memset(scale + j * n, 0, j * sizeof(double)); /* above the diagonal */
		TLV_TRY(unscale_node(ctx, n, m, scale, table, fit->noise + g->square[v], work));
	}
	tlv_free(ctx, work);
	return TLV_OK;
}

/* Three observed nodes near every hidden one, in three directions. */
static tlv_status
select_triples(tlv_context *ctx, gaussian_fit *fit)
{
	tlv_tree_parts *parts = &fit->parts;
	size_t hidden = parts->nodes - parts->p;
	int64_t *triples = tlv_alloc(ctx, 3 * hidden, sizeof(int64_t));
	tree_near *below, *above;
	tree_shape shape;

	TLV_TRY_ALLOC(ctx, triples);
	TLV_TRY_NEW(ctx, below, 2 * parts->nodes);
	above = below + parts->nodes;
	TLV_TRY(tlv_tree_shape_create(ctx, parts->p, parts->nodes, parts->parent, &shape));
	TLV_TRY(tlv_tree_nearest(ctx, &shape, parts->length, below, above));
	for (size_t j = 0; j < hidden; j++)
	{
		int64_t *triple = triples + 3 * j;

		if (!tlv_tree_nearest_triple(&shape, parts->length, below, above, parts->p + j, triple))
			triple[0] = triple[1] = triple[2] = -1;
	}
	tlv_tree_shape_free(ctx, &shape);
	tlv_free(ctx, below);
	parts->triples = triples;
	return tlv_tree_selection_create(ctx, parts, &fit->selection);
}

static tlv_status
open_fit(tlv_context *ctx, const tlv_tree *tree, const tlv_tree_fit_options *options,
		 const tlv_dense_central *central, gaussian_fit *fit)
{
	tlv_tree_parts *parts = &fit->parts;

	TLV_TRY(tlv_tree_rooted_create(ctx, tree, &fit->rooted));
	fit->d = central->d;
	TLV_TRY(take_columns(ctx, tree, options, fit));
	parts->p = tree->p;
	parts->nodes = tree->nodes;
	parts->gaussian = true;
	parts->rows = central->rows;
	parts->seed = (double) options->seed;
	parts->parent = fit->rooted.parent;
	parts->length = fit->rooted.length;
	parts->error = fit->rooted.error;
	parts->support = fit->rooted.support;
	parts->states = fit->rooted.states;
	parts->names = options->names;
	parts->names_length = options->names_length;
	parts->columns = fit->d;
	parts->column = fit->column;
	parts->means = central->mean;
	parts->diagnostics = &fit->diagnostics;
	return select_triples(ctx, fit);
}

static tlv_status
gaussian_tree_allocate_fit(tlv_context *ctx, gaussian_fit *fit)
{
	tlv_tree_parts *parts = &fit->parts;
	size_t hidden = parts->nodes - parts->p;
	double noise = 0, entries = 0;

	for (size_t v = 0; v < parts->nodes; v++)
	{
		noise += (double) parts->states[v] * (double) parts->states[v];
		if (parts->parent[v] >= 0)
			entries += (double) parts->states[v] * (double) parts->states[parts->parent[v]];
	}
	TLV_TRY(tlv_require_memory(ctx,
							   sizeof(double) *
								   (4 * noise + 3 * entries +
									(double) fit->d * ((double) fit->d + 2 * (double) fit->hidden)),
							   "the fit"));
	TLV_TRY_NEW(ctx, fit->edge, parts->nodes + 1);
	tlv_tree_table_offsets(parts, fit->edge);
	TLV_TRY(
		tlv_tree_gaussian_create(ctx, &fit->selection.shape, parts->states, fit->edge, &fit->g));
	parts->entries = fit->edge[parts->nodes];
	parts->noise_entries = fit->g.square[parts->nodes];
	TLV_TRY(tlv_alloc_numbers(ctx, &fit->tables, parts->entries));
	TLV_TRY(tlv_alloc_numbers(ctx, &fit->noise, parts->noise_entries));
	parts->tables = fit->tables;
	parts->noise = fit->noise;
	for (int t = 0; t < 3; t++)
		TLV_TRY_NEW0(ctx, fit->view[t], hidden);
	return TLV_OK;
}

tlv_status
tlv_tree_gaussian_fit(tlv_context *ctx, const tlv_frame *moments, const tlv_tree *tree,
					  const tlv_tree_fit_options *options, void **image, size_t *size)
{
	gaussian_fit fit = {0};
	tlv_dense_central central;

	TLV_TRY(tlv_dense_central_compute(ctx, moments, &central));
	TLV_TRY(warn_of_constant(ctx, &central, options, &fit.diagnostics));
	tlv_tree_floor_constant(&central);
	TLV_TRY(open_fit(ctx, tree, options, &central, &fit));
	TLV_TRY(gaussian_tree_allocate_fit(ctx, &fit));
	TLV_TRY(standardise(ctx, &central, options, &fit));
	TLV_TRY(tlv_diagnose(ctx, &fit.diagnostics, central.rows, "rows"));
	TLV_TRY(tlv_diagnose(ctx, &fit.diagnostics, (double) (fit.parts.nodes - fit.parts.p),
						 "hidden_nodes"));
	if (options->factors != NULL)
		tlv_tree_take_factors(&fit, options->factors);
	else
		TLV_TRY(solve_edges(ctx, &fit));
	TLV_TRY(tlv_tree_leave_noise(ctx, &fit));
	TLV_TRY(tlv_tree_gaussian_refine(ctx, &fit, options->iterations));
	if (options->factors == NULL)
		TLV_TRY(tlv_tree_compare_factors(ctx, &fit));
	TLV_TRY(unscale_variables(ctx, &fit));
	TLV_TRY(tlv_tree_write(ctx, &fit.parts, image, size));
	tlv_tree_gaussian_free(ctx, &fit.g);
	tlv_tree_selection_free(ctx, &fit.selection);
	tlv_dense_central_free(ctx, &central);
	return TLV_OK;
}
