/*
 * step.c - the next model from the statistics of rows of an adjacency matrix
 * (neighbours.h).
 */
#include "neighbours.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../engine/block_model.h"
#include "../mixed/memberships.h"
#include "../mixed/mixed_membership.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/dictionary.h"
#include "tensorlv/num/plural.h"

/* What is known of the rows: sorted nodes with memberships. */
typedef struct seen_rows
{
	size_t n;
	const int64_t *nodes;
	const double *degree;
	const double *edges;
	tlv_memberships memberships;
} seen_rows;

static tlv_status
open_rows(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics, size_t k,
		  seen_rows *rows)
{
	if (statistics->header->kind != TLV_KIND_NEIGHBOUR_STATISTICS)
		return tlv_refuse_kind_of_statistics(ctx, "neighbours");
	TLV_TRY(tlv_require_model(ctx, statistics, model));
	/* Equal fingerprints mean equal shapes, but a value may come from anywhere. */
	TLV_TRY(tlv_frame_require(ctx, statistics, "edges", TLV_FLOAT64, k, k,
							  (const void **) &rows->edges));
	rows->n = tlv_frame_find(statistics, "nodes")->rows;
	if (rows->n == 0)
		return tlv_refuse_empty_statistics(ctx);
	rows->nodes = tlv_frame_int64(statistics, "nodes");
	rows->degree = tlv_frame_float64(statistics, "degree");
	return tlv_memberships_open(ctx, statistics, rows->n, "support", "communities", "shares",
								&rows->memberships);
}

/* ---- nodes of the model and of the rows ---- */

/* Arrays of both, which the caller frees: nodes, degrees, propensities and memberships. */
typedef struct all_nodes
{
	int64_t *nodes;
	double *degree;
	double *propensity;
	tlv_membership_builder builder;
	const tlv_memberships *memberships; /* of it */
} all_nodes;

static tlv_status
allocate_nodes(tlv_context *ctx, size_t n, size_t entries, all_nodes *all)
{
	TLV_TRY_NEW(ctx, all->nodes, n);
	TLV_TRY_NEW(ctx, all->degree, n);
	TLV_TRY_NEW(ctx, all->propensity, n);
	all->memberships = &all->builder.memberships;
	return tlv_memberships_begin(ctx, n, entries, &all->builder);
}

static void
free_nodes(tlv_context *ctx, all_nodes *all)
{
	tlv_free(ctx, all->nodes);
	tlv_free(ctx, all->degree);
	tlv_free(ctx, all->propensity);
	tlv_memberships_free(ctx, &all->builder.memberships);
}

static tlv_status
copy_node(tlv_context *ctx, int64_t id, double degree, const tlv_memberships *from, size_t u,
		  all_nodes *all)
{
	all->nodes[all->memberships->n] = id;
	all->degree[all->memberships->n] = degree;
	return tlv_memberships_copy(ctx, &all->builder, from, u);
}

/* Nodes with a row as the rows have them, others as the model has them; ascending. */
static tlv_status
join_nodes(tlv_context *ctx, const tlv_mmsb_parts *parts, const seen_rows *rows, all_nodes *all)
{
	const tlv_memberships *own = &parts->side[0].memberships;
	size_t n = parts->side[0].n, u = 0, v = 0;

	TLV_TRY(
		allocate_nodes(ctx, n + rows->n, own->start[n] + rows->memberships.start[rows->n], all));
	while (u < n || v < rows->n)
	{
		int64_t id = u < n ? parts->side[0].nodes[u] : 0;

		TLV_TRY_CONTINUE_AT(ctx, u + v);
		if (v == rows->n || (u < n && id < rows->nodes[v]))
		{
			TLV_TRY(copy_node(ctx, id, parts->side[0].degree[u], own, u, all));
			u++;
			continue;
		}
		u += u < n && id == rows->nodes[v];
		TLV_TRY(copy_node(ctx, rows->nodes[v], rows->degree[v], &rows->memberships, v, all));
		v++;
	}
	if (all->memberships->n > n && parts->side[0].names.offsets != NULL)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "rows are of %zu %s that the model does not know, whose "
				 "nodes have names",
				 all->memberships->n - n,
				 tlv_plural((double) (all->memberships->n - n), "node", "nodes"));
		return tlv_fail_hint(ctx, "Use tlv_term_id(name) for a node with a name.");
	}
	if (all->memberships->n > (size_t) TLV_DICTIONARY_MAX)
		return tlv_fail(ctx, TLV_LIMIT, "there are more than %d nodes", TLV_DICTIONARY_MAX);
	return TLV_OK;
}

/* ---- connectivity ---- */

/* Propensities: degrees over their mean. */
static void
set_propensities(const tlv_neighbour_sums *sums, all_nodes *all)
{
	double mean = sums->total / fmax(sums->nodes, 1);

	for (size_t u = 0; u < all->memberships->n; u++)
		all->propensity[u] = mean > 0 ? all->degree[u] / mean : 0;
}

/*
 * Edges over pairs of nodes, edges as the posterior means of their rates have them.  Both
 * directions of what joins two communities are one number.
 */
static tlv_status
connect(tlv_context *ctx, const double *edges, tlv_mmsb_parts *parts, double *connectivity)
{
	size_t k = parts->k;
	tlv_block_sums block = {.k = k, .sides = 1};
	tlv_neighbour_sums sums;
	double *rate;

	TLV_TRY(tlv_neighbour_sums_of(ctx, parts, &sums));
	TLV_TRY_NEW(ctx, rate, 2 * k * k);
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			sums.edges[a + k * b] = (edges[a + k * b] + edges[b + k * a]) / 2;
	block.edges = sums.edges;
	block.expected = sums.expected;
	tlv_block_rates(&block, false, rate, rate + k * k);
	for (size_t i = 0; i < k * k; i++)
		sums.edges[i] = rate[i] * sums.expected[i];
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
		{
			double pairs = tlv_neighbour_pairs(&sums, parts->degree_corrected, a, b);

			connectivity[a + k * b] = pairs > 0 ? sums.edges[a + k * b] / pairs : 0;
		}
	tlv_free(ctx, rate);
	tlv_free(ctx, sums.size);
	return TLV_OK;
}

/* Is the node of number u of the model without a row?  *v: the rows before it, u ascending. */
static bool
has_no_row(const tlv_mmsb_parts *parts, const seen_rows *rows, size_t u, size_t *v)
{
	int64_t id = parts->side[0].nodes[u];

	while (*v < rows->n && rows->nodes[*v] < id)
		++*v;
	return *v == rows->n || rows->nodes[*v] != id;
}

/*
 * The edges of the rows, and those that the model expects of its nodes without a row: a batch of
 * some nodes is not informative about the others.  edges: k x k.
 */
static tlv_status
complete_edges(tlv_context *ctx, const tlv_mmsb_parts *parts, const seen_rows *rows, double *edges)
{
	const tlv_memberships *m = &parts->side[0].memberships;
	bool corrected = parts->degree_corrected;
	size_t k = parts->k, v = 0;
	double *all, *without;

	TLV_TRY_NEW0(ctx, all, 2 * k);
	without = all + k;
	for (size_t u = 0; u < parts->side[0].n; u++)
	{
		double theta = corrected ? parts->side[0].propensity[u] : 1;
		bool no_row = has_no_row(parts, rows, u, &v);

		TLV_TRY_CONTINUE_AT(ctx, u);
		for (size_t e = m->start[u]; e < m->start[u + 1]; e++)
		{
			all[m->community[e]] += theta * m->share[e];
			without[m->community[e]] += no_row ? theta * m->share[e] : 0;
		}
	}
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
		{
			/* as tlv_neighbour_pairs has it, and mixed memberships */
			bool own = a == b && !corrected && !(parts->alpha0 > 0) && all[a] > 1;

			edges[a + k * b] = rows->edges[a + k * b] +
							   parts->connectivity[a + k * b] * without[a] * (all[b] - own);
		}
	tlv_free(ctx, all);
	return TLV_OK;
}

/* ---- a step ---- */

/* The parts with the nodes given. */
static void
use_nodes(const all_nodes *all, tlv_mmsb_parts *parts)
{
	parts->side[0].n = all->memberships->n;
	parts->side[0].nodes = all->nodes;
	parts->side[0].degree = all->degree;
	parts->side[0].propensity = all->propensity;
	parts->side[0].memberships = *all->memberships;
}

/* Sizes (k), propensities and connectivity (k x k) of a block model of these nodes. */
static tlv_status
describe_blocks(tlv_context *ctx, const double *edges, all_nodes *all, double *sizes,
				double *connectivity, tlv_mmsb_parts *parts)
{
	bool corrected = parts->degree_corrected;
	tlv_neighbour_sums sums;

	parts->degree_corrected = false; /* the sums are of what the propensities follow from */
	use_nodes(all, parts);
	TLV_TRY(tlv_neighbour_sums_of(ctx, parts, &sums));
	set_propensities(&sums, all);
	memcpy(sizes, sums.size, parts->k * sizeof(double));
	tlv_free(ctx, sums.size);
	parts->degree_corrected = corrected;
	return connect(ctx, edges, parts, connectivity);
}

/* theta = degree over what the shares let expect of exposures P sum(theta pi), mean 1. */
static void
expect_degrees(const tlv_mmsb_parts *before, const double *sums, all_nodes *all)
{
	const tlv_memberships *m = all->memberships;
	size_t k = before->k;
	double total = 0;

	for (size_t u = 0; u < m->n; u++)
	{
		double expected = 0;

		for (size_t e = m->start[u]; e < m->start[u + 1]; e++)
			for (size_t b = 0; b < k; b++)
				expected += m->share[e] * before->connectivity[m->community[e] + k * b] * sums[b];
		all->propensity[u] = expected > 0 ? all->degree[u] / expected : 0;
		total += all->propensity[u];
	}
	for (size_t u = 0; u < m->n; u++)
		all->propensity[u] = total > 0 ? all->propensity[u] * (double) m->n / total : 1;
}

/* The same of mixed memberships, and alpha. */
static tlv_status
describe_mixed(tlv_context *ctx, const tlv_mmsb_parts *before, const double *edges, all_nodes *all,
			   double *sizes, double *alpha, double *connectivity, tlv_mmsb_parts *parts)
{
	const tlv_mmsb_parts *own = parts;
	size_t k = parts->k;
	double *sums, total = 0;

	TLV_TRY_NEW(ctx, sums, k);
	if (own->degree_corrected)
	{
		tlv_memberships_sums(&before->side[0].memberships, k, before->side[0].propensity, sums);
		expect_degrees(before, sums, all);
	}
	use_nodes(all, parts);
	tlv_memberships_sums(all->memberships, k, own->degree_corrected ? all->propensity : NULL, sums);
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			connectivity[a + k * b] = edges[a + k * b] / fmax(sums[a] * sums[b], DBL_MIN);
	tlv_connectivity_settle(k, true, connectivity);
	tlv_memberships_sums(all->memberships, k, NULL, sizes);
	for (size_t a = 0; a < k; a++)
		total += sizes[a];
	for (size_t a = 0; a < k; a++)
		alpha[a] = own->alpha0 * sizes[a] / fmax(total, DBL_MIN);
	tlv_free(ctx, sums);
	return TLV_OK;
}

static tlv_status
update_model(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics, void **image,
			 size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_mmsb_parts parts, before;
	all_nodes all = {.nodes = NULL};
	seen_rows rows;
	double *sizes, *alpha, *connectivity, *edges;

	TLV_TRY(tlv_mmsb_read(ctx, model, &parts));
	before = parts;
	TLV_TRY(open_rows(ctx, model, statistics, parts.k, &rows));
	TLV_TRY_NEW(ctx, edges, parts.k * parts.k);
	TLV_TRY(complete_edges(ctx, &parts, &rows, edges));
	TLV_TRY(join_nodes(ctx, &parts, &rows, &all));
	TLV_TRY_NEW0(ctx, sizes, parts.k * (parts.k + 2));
	alpha = sizes + parts.k;
	connectivity = alpha + parts.k;
	if (parts.alpha0 > 0)
		TLV_TRY(describe_mixed(ctx, &before, edges, &all, sizes, alpha, connectivity, &parts));
	else
		TLV_TRY(describe_blocks(ctx, edges, &all, sizes, connectivity, &parts));
	tlv_free(ctx, before.side[0].memberships.start);
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, model, NULL));
	parts.sizes = sizes;
	parts.alpha = alpha;
	parts.connectivity = connectivity;
	parts.diagnostics = &diagnostics;
	TLV_TRY(tlv_mmsb_write(ctx, &parts, image, size));
	tlv_diagnostics_free(ctx, &diagnostics);
	tlv_free(ctx, edges);
	tlv_free(ctx, sizes);
	tlv_free(ctx, rows.memberships.start);
	free_nodes(ctx, &all);
	return TLV_OK;
}

tlv_status
tlv_mmsb_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
				const tlv_step *step, void **image, size_t *size)
{
	if (step->weight < 1)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "a model of communities has no step of weight %g",
				 step->weight);
		return tlv_fail_hint(ctx, "Nodes of which statistics were collected get their new "
								  "memberships: leave the weight out.");
	}
	if (statistics->header->kind == TLV_KIND_NEIGHBOUR_STATISTICS &&
		tlv_frame_scalar(statistics, "rows", 0) > 0 &&
		tlv_frame_scalar(model, "graph", 0) != TLV_GRAPH_UNDIRECTED)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "a graph with two sides has no refinement steps");
		return tlv_fail_hint(ctx, "Fit the model again to the whole graph.");
	}
	return update_model(ctx, model, statistics, image, size);
}
