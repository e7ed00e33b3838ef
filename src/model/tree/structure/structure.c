/*
 * structure.c - the structure of a latent tree from distances (tree_structure.h).
 *
 * A minimum spanning tree of the observed nodes says who is near to whom.  The closed neighbourhood
 * of every inner node of it gets a small latent tree of its own, by neighbour joining or recursive
 * grouping, from the short distances that are known best; small trees whose centres are
 * neighbours share that pair of nodes as leaves and are joined there (Huang et al. 2020, procedure
 * 7, in a form for edges): with p the neighbour of v_j in the tree of v_i and q the neighbour of
 * v_i in the tree of v_j, the edges p - v_j and q - v_i become one edge p - q.  The order does not
 * matter.  At last edges that are not significant are contracted.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

/* ---- minimum spanning tree ---- */

typedef struct spanning
{
	bool *reached;
	int32_t *from;	 /* the nearest node of the tree so far */
	double *nearest; /* its distance */
} spanning;

/* Is this edge too weak to hold two components together? */
static bool
is_apart(const tlv_tree_distances *distances, double significance, size_t a, size_t b)
{
	double p = (double) distances->p, pairs = p * (p - 1) / 2;

	return significance > 0 && distances->independent[a * distances->p + b] * pairs > significance;
}

static tlv_status
grow_spanning_tree(tlv_context *ctx, const tlv_tree_distances *distances, double significance,
				   spanning *w, tlv_tree *tree)
{
	size_t p = distances->p, v = 0;

	tree->edges = 0;
	for (size_t u = 0; u < p; u++)
		w->nearest[u] = HUGE_VAL;
	for (size_t round = 1; round < p; round++)
	{
		const double *row = distances->distance + v * p;
		size_t best = p;

		w->reached[v] = true;
		for (size_t u = 0; u < p; u++)
		{
			if (w->reached[u])
				continue;
			if (row[u] < w->nearest[u])
			{
				w->nearest[u] = row[u];
				w->from[u] = (int32_t) v;
			}
			if (best == p || w->nearest[u] < w->nearest[best])
				best = u;
		}
		v = best;
		if (!is_apart(distances, significance, v, (size_t) w->from[v]))
		{
			tree->ends[2 * tree->edges] = w->from[v];
			tree->ends[2 * tree->edges + 1] = (int32_t) v;
			tree->length[tree->edges++] = w->nearest[v];
		}
		TLV_TRY_CONTINUE(ctx);
	}
	return TLV_OK;
}

/* Prim's algorithm on the whole matrix; without the edges of no significance. */
static tlv_status
spanning_tree(tlv_context *ctx, const tlv_tree_distances *distances, double significance,
			  tlv_tree *tree)
{
	size_t p = distances->p;
	spanning w = {0};
	tlv_status status;

	TLV_TRY(tlv_tree_create(ctx, p, p, p - 1, tree));
	TLV_TRY_NEW0(ctx, w.reached, p);
	TLV_TRY_NEW0(ctx, w.from, p);
	TLV_TRY_NEW(ctx, w.nearest, p);
	status = grow_spanning_tree(ctx, distances, significance, &w, tree);
	tlv_free(ctx, w.nearest);
	tlv_free(ctx, w.from);
	tlv_free(ctx, w.reached);
	return status;
}

/* ---- small trees and their union ---- */

typedef struct building
{
	const tlv_tree_distances *distances;
	const tlv_tree_options *options;
	const tlv_tree *spanning;
	tlv_tree_neighbours around;
	int32_t *member; /* of the small tree: observed nodes, the centre first */
	double *d, *se;	 /* among them */
	tlv_local_tree local;
	int32_t *number; /* of the small tree's nodes in the whole tree */
	int32_t *joint;	 /* [2 e + s], e of the spanning tree: next to end s in the other's tree */
	double *joint_length;
	tlv_tree whole; /* edges is their number so far */
} building;

static void
whole_add(tlv_tree *whole, int32_t a, int32_t b, double length)
{
	whole->ends[2 * whole->edges] = a;
	whole->ends[2 * whole->edges + 1] = b;
	whole->length[whole->edges++] = length;
}

/* The small tree of n members; new nodes are numbered on. */
static tlv_status
learn_local(tlv_context *ctx, building *w, size_t n)
{
	const tlv_tree_distances *all = w->distances;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
		{
			size_t at = (size_t) w->member[i] * all->p + (size_t) w->member[j];

			w->d[i * n + j] = all->distance[at];
			if (w->options->method == TLV_TREE_CLRG)
				w->se[i * n + j] = all->error[at];
		}
	if (w->options->method == TLV_TREE_CLRG)
		TLV_TRY(tlv_recursive_grouping(ctx, n, w->d, w->se, w->options->z,
									   w->options->observed_inside, &w->local));
	else
		TLV_TRY(tlv_neighbour_joining(ctx, n, w->d, &w->local));
	for (size_t i = 0; i < w->local.nodes; i++)
		w->number[i] = i < n ? w->member[i] : (int32_t) w->whole.nodes++;
	return TLV_OK;
}

static size_t
degree(const building *w, int32_t v)
{
	return w->around.start[v + 1] - w->around.start[v];
}

/* The tree of v's neighbourhood; edges to leaves with trees of their own wait to be joined. */
static tlv_status
learn_neighbourhood(tlv_context *ctx, building *w, int32_t v)
{
	size_t n = 1 + degree(w, v);

	w->member[0] = v;
	for (size_t i = 1; i < n; i++)
		w->member[i] = w->around.neighbour[w->around.start[v] + i - 1];
	TLV_TRY(learn_local(ctx, w, n));
	for (size_t e = 0; e < w->local.edges; e++)
	{
		int32_t a = w->local.ends[2 * e], b = w->local.ends[2 * e + 1];
		/* Leaves come first where an edge has one; the centre may be an inner node. */
		int32_t leaf = a > 0 && (size_t) a < n ? a : b, other = leaf == a ? b : a;

		if (leaf > 0 && (size_t) leaf < n && degree(w, w->member[leaf]) > 1)
		{
			size_t link = (size_t) w->around.edge[w->around.start[v] + (size_t) leaf - 1];
			size_t half = 2 * link + (w->spanning->ends[2 * link] != w->member[leaf]);

			w->joint[half] = w->number[other];
			w->joint_length[half] = w->local.length[e];
		}
		else
			whole_add(&w->whole, w->number[a], w->number[b], w->local.length[e]);
	}
	return TLV_OK;
}

/* p - v_j and v_i - q become p - q. */
static void
join_neighbourhoods(building *w)
{
	for (size_t e = 0; e < w->spanning->edges; e++)
	{
		int32_t a = w->spanning->ends[2 * e], b = w->spanning->ends[2 * e + 1];

		if (degree(w, a) > 1 && degree(w, b) > 1)
			whole_add(&w->whole, w->joint[2 * e], w->joint[2 * e + 1],
					  w->joint_length[2 * e] + w->joint_length[2 * e + 1] - w->spanning->length[e]);
		else if (degree(w, a) == 1 && degree(w, b) == 1)
			whole_add(&w->whole, a, b, w->spanning->length[e]);
	}
}

static tlv_status
learn_neighbourhoods(tlv_context *ctx, building *w)
{
	size_t p = w->spanning->p;

	for (size_t v = 0; v < p; v++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (degree(w, (int32_t) v) > 1)
			TLV_TRY(learn_neighbourhood(ctx, w, (int32_t) v));
		tlv_report(ctx, "structure", (double) v + 1, (double) p);
	}
	join_neighbourhoods(w);
	return TLV_OK;
}

/* One tree for every component of the spanning tree. */
static tlv_status
learn_components(tlv_context *ctx, building *w)
{
	tlv_tree_rooting rooting;
	size_t p = w->spanning->p;

	TLV_TRY(tlv_tree_root(ctx, w->spanning, &rooting));
	for (size_t begin = 0, end; begin < p; begin = end)
	{
		for (end = begin; end == begin || (end < p && rooting.parent[rooting.order[end]] >= 0);
			 end++)
			w->member[end - begin] = rooting.order[end];
		if (end - begin < 2)
			continue;
		TLV_TRY(learn_local(ctx, w, end - begin));
		for (size_t e = 0; e < w->local.edges; e++)
			whole_add(&w->whole, w->number[w->local.ends[2 * e]],
					  w->number[w->local.ends[2 * e + 1]], w->local.length[e]);
	}
	tlv_tree_rooting_free(ctx, &rooting);
	return TLV_OK;
}

/* Nodes of the largest small tree. */
static size_t
largest_group(const building *w)
{
	size_t p = w->spanning->p, most = 2;

	if (w->options->method == TLV_TREE_NJ)
		return p;
	for (size_t v = 0; v < p; v++)
		if (degree(w, (int32_t) v) + 1 > most)
			most = degree(w, (int32_t) v) + 1;
	return most;
}

static tlv_status
building_begin(tlv_context *ctx, building *w)
{
	size_t p = w->spanning->p, most;

	TLV_TRY(tlv_tree_neighbours_create(ctx, w->spanning, &w->around));
	most = largest_group(w);
	TLV_TRY_NEW(ctx, w->member, most);
	TLV_TRY_NEW_ROWS(ctx, w->d, most, most);
	w->se = tlv_alloc(ctx, w->options->method == TLV_TREE_CLRG ? most : 0, most * sizeof(double));
	TLV_TRY_ALLOC(ctx, w->se);
	TLV_TRY(tlv_local_tree_create(ctx, most, &w->local));
	TLV_TRY_NEW(ctx, w->number, 2 * most);
	TLV_TRY_NEW(ctx, w->joint, 2 * p);
	TLV_TRY_NEW(ctx, w->joint_length, 2 * p);
	/* Neighbourhoods have 3 p members in all, and every one of them at most two edges. */
	TLV_TRY(tlv_tree_create(ctx, p, p, 6 * p, &w->whole));
	w->whole.edges = 0;
	return TLV_OK;
}

static void
building_end(tlv_context *ctx, building *w)
{
	tlv_free(ctx, w->joint_length);
	tlv_free(ctx, w->joint);
	tlv_free(ctx, w->number);
	tlv_local_tree_free(ctx, &w->local);
	tlv_free(ctx, w->se);
	tlv_free(ctx, w->d);
	tlv_free(ctx, w->member);
	tlv_tree_neighbours_free(ctx, &w->around);
}

static tlv_status
learn_latent(tlv_context *ctx, const tlv_tree_distances *distances, const tlv_tree_options *options,
			 const tlv_tree *spanning, tlv_tree *tree)
{
	building w = {.distances = distances, .options = options, .spanning = spanning};
	tlv_status status = building_begin(ctx, &w);

	if (status == TLV_OK && options->method == TLV_TREE_NJ)
		status = learn_components(ctx, &w);
	else if (status == TLV_OK)
		status = learn_neighbourhoods(ctx, &w);
	building_end(ctx, &w);
	*tree = w.whole;
	return status;
}

static tlv_status
structure_check_request(tlv_context *ctx, const tlv_tree_distances *distances,
						const tlv_tree_options *options)
{
	size_t least = options->method == TLV_TREE_CHOW_LIU ? 1 : 3;

	if (!(options->z >= 0) || !isfinite(options->z))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "z is %g: it must be 0 or greater, and finite",
						options->z);
	if (!(options->significance >= 0 && options->significance < 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"the significance is %g: it must be from 0 to less than 1",
						options->significance);
	if (distances->p >= least)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_DATA, "a tree needs at least %zu variables, there are %zu", least,
			 distances->p);
	if (distances->p == 2)
		tlv_fail_hint(ctx, "Between two variables a hidden node is not identified; structure "
						   "chow-liu joins them by an edge.");
	return TLV_BAD_DATA;
}

tlv_status
tlv_tree_structure(tlv_context *ctx, const tlv_tree_distances *distances,
				   const tlv_tree_options *options, tlv_tree *tree)
{
	tlv_tree spanning;
	tlv_status status;

	memset(tree, 0, sizeof(*tree));
	memset(&spanning, 0, sizeof(spanning));
	TLV_TRY(structure_check_request(ctx, distances, options));
	status = spanning_tree(ctx, distances, options->significance, &spanning);
	if (status == TLV_OK && options->method == TLV_TREE_CHOW_LIU)
	{
		*tree = spanning;
		memset(&spanning, 0, sizeof(spanning));
	}
	else if (status == TLV_OK)
		status = learn_latent(ctx, distances, options, &spanning, tree);
	if (status == TLV_OK)
		status = tlv_tree_contract(ctx, distances, options, tree);
	tlv_tree_free(ctx, &spanning);
	if (status != TLV_OK)
		tlv_tree_free(ctx, tree);
	return status;
}
