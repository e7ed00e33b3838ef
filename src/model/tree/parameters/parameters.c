/*
 * parameters.c - the tables of a tree of categories from those of triples
 * and pairs: one multi-view decomposition for every hidden node (Anandkumar, Ge, Hsu, Kakade,
 * Telgarsky 2014, theorem 3.6), which fixes what its states are called, and for every edge the
 * joint distribution of its ends by least squares through what stands for them.
 *
 * Both are then fitted to the same tables by likelihood, which turns them into probabilities; for
 * the edge that problem is concave.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/view_solver.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/numbers.h"
#include "tensorlv/num/tuning.h"

/* What is known of a hidden node: its distribution and those of its triple given it. */
typedef struct node_views
{
	size_t k;
	double *weights;   /* k; NULL: there is no triple, or it was never seen */
	double *means[3];  /* k x d_t, as the solver has them */
	double *turned[3]; /* d_t x k */
} node_views;

typedef struct tree_solver
{
	const tlv_tree_parts *parts;
	const tlv_decompose_options *decompose;
	tree_selection selection;
	node_views *views; /* hidden nodes */
	tlv_rng rng;
	size_t failed;		 /* triples that could not be decomposed */
	size_t first_failed; /* the node of the first of them */
	double *tables;
	size_t *offset;
} tree_solver;

/* ---- EM on one triple ---- */

static tlv_status
refine_triple(tlv_context *ctx, const tlv_view_source *source, node_views *views, int steps)
{
	const tlv_cell_mixture own = {.source = source,
								  .k = views->k,
								  .weights = views->weights,
								  .means = {views->means[0], views->means[1], views->means[2]},
								  .prior = TLV_TREE_PRIOR};
	tlv_em em = {
		.limit = steps, .steps_on = true, .tolerance = TRIPLE_TOLERANCE, .likelihood = -HUGE_VAL};

	return tlv_cell_refine(ctx, &own, &em);
}

/* ---- the decomposition of one triple ---- */

/* The cells of a table that are not empty, in order. */
static tlv_status
open_cells(tlv_context *ctx, const size_t d[3], const double *table, tlv_view_source *source)
{
	size_t n = d[0] * d[1] * d[2];
	int64_t *cells = tlv_alloc(ctx, n, sizeof(int64_t));
	double *counts = NULL;

	TLV_TRY_ALLOC(ctx, cells);
	TLV_TRY(tlv_alloc_numbers(ctx, &counts, n));
	memset(source, 0, sizeof(*source));
	memcpy(source->d, d, sizeof(source->d));
	for (size_t e = 0; e < n; e++)
	{
		if (!(table[e] > 0))
			continue;
		cells[source->n] = tlv_triple_key(e / (d[1] * d[2]), e / d[2] % d[1], e % d[2]);
		counts[source->n++] = table[e];
		source->total += table[e];
	}
	source->cells = cells;
	source->counts = counts;
	return TLV_OK;
}

static void
free_solution(tlv_context *ctx, tlv_view_solution *solution)
{
	tlv_free(ctx, solution->singular);
	tlv_free(ctx, solution->eigenvalues);
	tlv_free(ctx, solution->decomposition.values);
	tlv_free(ctx, solution->decomposition.vectors);
	tlv_free(ctx, solution->weights);
	for (int t = 0; t < 3; t++)
		tlv_free(ctx, solution->means[t]);
}

/* What the solver found, as probabilities; false: the triple is too weak for it. */
static tlv_status
start_solved(tlv_context *ctx, tree_solver *solver, const tlv_view_source *source,
			 node_views *views, bool *solved)
{
	tlv_view_solution solution = {0};
	double *negative;
	tlv_status status;

	*solved = false;
	for (int t = 0; t < 3; t++)
		if (source->d[t] < views->k)
			return TLV_OK;
	status = tlv_view_solve(ctx, source, views->k, solver->decompose, "states",
							(uint64_t) solver->parts->seed, &solution);
	if (status == TLV_NOT_IDENTIFIABLE || status == TLV_BAD_DATA)
	{
		memset(&ctx->error, 0, sizeof(ctx->error));
		return TLV_OK;
	}
	TLV_TRY(status);
	TLV_TRY(tlv_alloc_numbers(ctx, &negative, views->k));
	memcpy(views->weights, solution.weights, views->k * sizeof(double));
	for (int t = 0; t < 3; t++)
	{
		tlv_clip_probabilities(views->k, source->d[t], solution.means[t], negative);
		memcpy(views->means[t], solution.means[t], views->k * source->d[t] * sizeof(double));
	}
	tlv_free(ctx, negative);
	free_solution(ctx, &solution);
	*solved = true;
	return TLV_OK;
}

static void
start_random(tree_solver *solver, const tlv_view_source *source, node_views *views)
{
	for (size_t j = 0; j < views->k; j++)
		views->weights[j] = 1 / (double) views->k;
	for (int t = 0; t < 3; t++)
		for (size_t e = 0; e < views->k * source->d[t]; e++)
			views->means[t][e] = tlv_rng_gamma(&solver->rng, 2);
}

static tlv_status
allocate_views(tlv_context *ctx, const size_t d[3], size_t k, node_views *views)
{
	double *block;

	views->k = k;
	TLV_TRY(tlv_alloc_numbers(ctx, &block, k + 2 * k * (d[0] + d[1] + d[2])));
	views->weights = block;
	block += k;
	for (int t = 0; t < 3; t++)
	{
		views->means[t] = block;
		views->turned[t] = block + k * d[t];
		block += 2 * k * d[t];
	}
	return TLV_OK;
}

static void
solver_fails(tree_solver *solver, size_t hidden)
{
	if (solver->failed++ == 0)
		solver->first_failed = solver->parts->p + hidden;
}

static tlv_status
solve_triple(tlv_context *ctx, tree_solver *solver, size_t hidden, const double *table)
{
	const int64_t *states = solver->parts->states;
	const int64_t *triple = solver->selection.triples + 3 * hidden;
	node_views *views = &solver->views[hidden];
	tlv_view_source source;
	size_t d[3];
	bool solved;

	views->k = (size_t) states[solver->parts->p + hidden];
	if (triple[0] < 0)
	{
		solver_fails(solver, hidden);
		return TLV_OK;
	}
	for (int t = 0; t < 3; t++)
		d[t] = (size_t) states[triple[t]];
	TLV_TRY(open_cells(ctx, d, table, &source));
	if (source.total > 0)
	{
		TLV_TRY(allocate_views(ctx, d, views->k, views));
		TLV_TRY(start_solved(ctx, solver, &source, views, &solved));
		if (!solved)
		{
			solver_fails(solver, hidden);
			start_random(solver, &source, views);
		}
		for (int t = 0; t < 3; t++)
			tlv_normalize_rows(views->k, d[t], TRIPLE_LEAST, views->means[t]);
		TLV_TRY(refine_triple(ctx, &source, views, solved ? TRIPLE_STEPS : TLV_MOST_PASSES));
		for (int t = 0; t < 3; t++)
			for (size_t i = 0; i < d[t]; i++)
				for (size_t j = 0; j < views->k; j++)
					views->turned[t][j * d[t] + i] = views->means[t][i * views->k + j];
	}
	else
		solver_fails(solver, hidden);
	tlv_free(ctx, (void *) source.counts);
	tlv_free(ctx, (void *) source.cells);
	return TLV_OK;
}

/* ---- edges ---- */

/* The stand-ins of a node towards another, with their tables; none when they were never seen. */
static void
tree_open_side(const tree_solver *solver, size_t node, size_t other, tree_side *side,
			   size_t stand[3])
{
	size_t p = solver->parts->p, found = 0;
	const node_views *views;

	memset(side, 0, sizeof(*side));
	side->k = (size_t) solver->parts->states[node];
	side->n = tlv_tree_stand_ins(&solver->selection, node, other, stand);
	for (size_t i = 0; i < side->n; i++)
		side->d[i] = (size_t) solver->parts->states[stand[i]];
	if (node < p)
		return;
	views = &solver->views[node - p];
	for (size_t t = 0; t < 3 && views->weights != NULL; t++)
		if (found < side->n &&
			solver->selection.triples[3 * (node - p) + t] == (int64_t) stand[found])
			side->a[found++] = views->turned[t];
}

static bool
is_known(const tree_solver *solver, size_t node, const tree_side *side)
{
	return side->n > 0 && (node < solver->parts->p || side->a[0] != NULL);
}

/* One pair's part of the expectation: sum (k_v x k_u) += A_c' (P' / Q') A_a, Q = A_a J A_c'. */
static tlv_status
add_ratio(tlv_context *ctx, const tree_side *u, size_t a, const tree_side *v, size_t c,
		  const double *pair, const double *joint, double *half, double *ratio, double *sum)
{
	size_t da = u->d[a], dc = v->d[c];
	const double *turned = half;

	/* J' A_a', then A_c of it */
	if (u->a[a] != NULL)
		TLV_TRY(
			tlv_gemm(ctx, false, true, v->k, da, u->k, 1, joint, v->k, u->a[a], da, 0, half, v->k));
	else
		turned = joint;
	if (v->a[c] != NULL)
		TLV_TRY(
			tlv_gemm(ctx, false, false, dc, da, v->k, 1, v->a[c], dc, turned, v->k, 0, ratio, dc));
	else
		memcpy(ratio, turned, dc * da * sizeof(double));
	for (size_t e = 0; e < da * dc; e++)
		ratio[e] = pair[e] > 0 ? pair[e] / fmax(ratio[e], TLV_TINY) : 0;
	turned = ratio;
	if (v->a[c] != NULL)
	{
		TLV_TRY(tlv_gemm(ctx, true, false, v->k, da, dc, 1, v->a[c], dc, ratio, dc, 0, half, v->k));
		turned = half;
	}
	if (u->a[a] != NULL)
		return tlv_gemm(ctx, false, false, v->k, u->k, da, 1, turned, v->k, u->a[a], da, 1, sum,
						v->k);
	for (size_t e = 0; e < v->k * u->k; e++)
		sum[e] += turned[e];
	return TLV_OK;
}

/* EM for the joint distribution, composite over the pairs of stand-ins. */
static tlv_status
refine_joint(tlv_context *ctx, const tree_side *u, const tree_side *v, const double *const *pairs,
			 double *joint)
{
	size_t most = 0, n = u->k * v->k, room = 0;
	double *half, *ratio, *sum;

	for (size_t i = 0; i < u->n; i++)
		most = most > u->d[i] ? most : u->d[i];
	for (size_t i = 0; i < v->n; i++)
		room = room > v->d[i] ? room : v->d[i];
	TLV_TRY(tlv_alloc_numbers(ctx, &half, most * v->k + most * room + n));
	ratio = half + most * v->k;
	sum = ratio + most * room;
	for (int step = 0; step < TRIPLE_STEPS; step++)
	{
		double total = 0;

		TLV_TRY_CONTINUE(ctx);
		memset(sum, 0, n * sizeof(double));
		for (size_t a = 0; a < u->n; a++)
			for (size_t c = 0; c < v->n; c++)
				TLV_TRY(add_ratio(ctx, u, a, v, c, pairs[a * v->n + c], joint, half, ratio, sum));
		for (size_t e = 0; e < n; e++)
			total += joint[e] *= sum[e];
		for (size_t e = 0; e < n && total > 0; e++)
			joint[e] /= total;
	}
	tlv_free(ctx, half);
	return TLV_OK;
}

/* Tables of pairs as shares; evenly where no row has both.  Returns the largest number of rows. */
static double
share_pairs(const tree_side *u, const tree_side *v, const double *counts, double *shares,
			const double **pairs)
{
	double most = 0;

	for (size_t a = 0; a < u->n; a++)
		for (size_t c = 0; c < v->n; c++)
		{
			size_t n = u->d[a] * v->d[c];
			double total = 0;

			for (size_t e = 0; e < n; e++)
				total += counts[e];
			for (size_t e = 0; e < n; e++)
				shares[e] = total > 0 ? counts[e] / total : 1 / (double) n;
			pairs[a * v->n + c] = shares;
			most = fmax(most, total);
			counts += n;
			shares += n;
		}
	return most;
}

/* The table of node v given u from their joint distribution at [x_v * k_u + x_u]. */
static void
write_table(const tree_solver *solver, size_t v, size_t u, double rows, const double *joint)
{
	size_t states = (size_t) solver->parts->states[v], parents = (size_t) solver->parts->states[u];
	double *table = solver->tables + solver->offset[v];

	for (size_t x = 0; x < parents; x++)
	{
		double sum = 0;

		for (size_t y = 0; y < states; y++)
			sum += table[x * states + y] = rows * joint[y * parents + x] + TLV_TREE_PRIOR;
		for (size_t y = 0; y < states; y++)
			table[x * states + y] /= sum;
	}
}

static void
random_table(tree_solver *solver, size_t v, size_t u)
{
	size_t states = (size_t) solver->parts->states[v], parents = (size_t) solver->parts->states[u];
	double *table = solver->tables + solver->offset[v];

	for (size_t x = 0; x < parents; x++)
	{
		double sum = 0;

		for (size_t y = 0; y < states; y++)
			sum += table[x * states + y] =
				tlv_rng_gamma(&solver->rng, 2) + (x % states == y ? 1 : 0);
		for (size_t y = 0; y < states; y++)
			table[x * states + y] /= sum;
	}
}

/* The edge from node v up; *counts moves on behind its pairs. */
static tlv_status
tree_solve_edge(tlv_context *ctx, tree_solver *solver, size_t v, const double **counts)
{
	size_t u = (size_t) solver->parts->parent[v], stand[3], n = 0, joint_size;
	const double *pairs[9];
	tree_side below, above;
	double *shares, *joint, rows;

	tree_open_side(solver, v, u, &below, stand);
	tree_open_side(solver, u, v, &above, stand);
	for (size_t a = 0; a < below.n; a++)
		for (size_t c = 0; c < above.n; c++)
			n += below.d[a] * above.d[c];
	joint_size = below.k * above.k;
	TLV_TRY(tlv_alloc_numbers(ctx, &shares, n + joint_size));
	joint = shares + n;
	rows = share_pairs(&below, &above, *counts, shares, pairs);
	*counts += n;
	if (is_known(solver, v, &below) && is_known(solver, u, &above) && rows > 0)
	{
		TLV_TRY(tlv_tree_cross_solve(ctx, &below, &above, pairs, joint));
		for (size_t e = 0; e < joint_size; e++)
			joint[e] = fmax(joint[e], EDGE_LEAST / (double) joint_size);
		TLV_TRY(refine_joint(ctx, &below, &above, pairs, joint));
		write_table(solver, v, u, rows, joint);
	}
	else
		random_table(solver, v, u);
	tlv_free(ctx, shares);
	return TLV_OK;
}

/* The distribution of a root. */
static void
solve_root(tree_solver *solver, size_t v, const double **counts)
{
	size_t states = (size_t) solver->parts->states[v];
	double *table = solver->tables + solver->offset[v], sum = 0;

	for (size_t y = 0; y < states; y++)
	{
		if (v < solver->parts->p)
			table[y] = *(*counts)++ + TLV_TREE_PRIOR;
		else if (solver->views[v - solver->parts->p].weights != NULL)
			table[y] = solver->views[v - solver->parts->p].weights[y];
		else
			table[y] = 1;
		sum += table[y];
	}
	for (size_t y = 0; y < states; y++)
		table[y] /= sum;
}

static tlv_status
warn_of_failed(tlv_context *ctx, const tree_solver *solver, tlv_diagnostics *diagnostics)
{
	const tlv_warning warning = {.code = "not_identified",
								 .score = (double) solver->failed,
								 .hint = "Refine the model on rows."};
	tlv_shown_list below = {0};
	const char *shown = tlv_tree_show_below(solver->parts, solver->first_failed, &below);

	if (solver->failed == 1)
		return tlv_warn(ctx, diagnostics, &warning,
						"the hidden node above %s has no triple that can be decomposed: it is "
						"initialised from a random table",
						shown);
	return tlv_warn(ctx, diagnostics, &warning,
					"%zu hidden nodes, the first of which is above %s, have no triple that can be "
					"decomposed: they are initialised from random tables",
					solver->failed, shown);
}

tlv_status
tlv_tree_solve(tlv_context *ctx, const tlv_tree_parts *parts, const double *triple_tables,
			   const double *pairs, const tlv_decompose_options *decompose, double *tables,
			   tlv_diagnostics *diagnostics)
{
	size_t hidden = parts->nodes - parts->p;
	tree_solver solver = {.parts = parts, .decompose = decompose, .tables = tables};

	tlv_rng_seed(&solver.rng, (uint64_t) parts->seed);
	TLV_TRY(tlv_tree_selection_create(ctx, parts, &solver.selection));
	TLV_TRY_NEW0(ctx, solver.views, hidden);
	TLV_TRY_NEW(ctx, solver.offset, parts->nodes + 1);
	tlv_tree_table_offsets(parts, solver.offset);
	for (size_t j = 0; j < hidden; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		tlv_report(ctx, "triples", (double) j, (double) hidden);
		TLV_TRY(solve_triple(ctx, &solver, j, triple_tables));
		triple_tables += tlv_tree_triple_entries(&solver.selection, j);
	}
	for (size_t v = 0; v < parts->nodes; v++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (parts->parent[v] < 0)
			solve_root(&solver, v, &pairs);
		else
			TLV_TRY(tree_solve_edge(ctx, &solver, v, &pairs));
	}
	for (size_t j = 0; j < hidden; j++)
		tlv_free(ctx, solver.views[j].weights);
	tlv_free(ctx, solver.views);
	tlv_free(ctx, solver.offset);
	tlv_tree_selection_free(ctx, &solver.selection);
	return solver.failed > 0 ? warn_of_failed(ctx, &solver, diagnostics) : TLV_OK;
}
