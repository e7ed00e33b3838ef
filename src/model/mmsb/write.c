/*
 * write.c - from what a fit has found to the model's frame (mmsb.h): communities in order,
 * numbers of all nodes, and diagnostics of the communities.
 */
#include "engine/connectivity.h"
#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/sort.h"

#include <stdlib.h>
#include <string.h>
#include <math.h>

/* What is known of the communities, first as the fit numbers them, then in their order. */
typedef struct community_numbers
{
	size_t k;
	tlv_memberships memberships[2]; /* of the nodes with edges */
	double *edges;					/* k x k: between communities */
	double *connectivity;			/* k x k */
	double *sizes;					/* k x sides: sums of memberships */
	double *alpha;					/* k x sides */
	double *work;					/* k x k */
	int64_t *order;					/* k */
} community_numbers;

/* ---- memberships and numbers of nodes ---- */

/* Memberships of the nodes of a side that have edges. */
static tlv_status
side_memberships(tlv_context *ctx, const tlv_mmsb_fit_state *fit, size_t s,
				 tlv_memberships *memberships)
{
	const tlv_mmsb_side *side = &fit->side[s];
	size_t k = fit->k;
	tlv_membership_builder builder;
	double *share;

	TLV_TRY_NEW(ctx, share, k);
	TLV_TRY(tlv_memberships_begin(ctx, side->n, 2 * side->n, &builder));
	for (size_t u = 0; u < side->n; u++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, u);
		for (size_t a = 0; a < k; a++)
			share[a] = side->share[u * k + a];
		TLV_TRY(tlv_memberships_append(ctx, &builder, k, share));
	}
	*memberships = builder.memberships;
	tlv_free(ctx, share);
	return TLV_OK;
}

/* The same of all nodes, in the order of their ids; none for those without edges on this side, or,
 * where sides are tied, on either. */
static tlv_status
all_memberships(tlv_context *ctx, const tlv_mmsb_fit_state *fit, size_t s,
				const tlv_memberships memberships[2], tlv_memberships *to)
{
	const tlv_mmsb_side *side = &fit->side[s];
	size_t entries = memberships[s].start[memberships[s].n];
	tlv_membership_builder builder;

	if (fit->tied)
		entries += memberships[1 - s].start[memberships[1 - s].n];
	TLV_TRY(tlv_memberships_begin(ctx, side->all, entries, &builder));
	for (size_t i = 0; i < side->all; i++)
	{
		size_t of = fit->tied && side->place[i] < 0 ? 1 - s : s;
		int32_t u = fit->side[of].place[i];

		TLV_TRY(u < 0 ? tlv_memberships_append(ctx, &builder, 0, NULL)
					  : tlv_memberships_copy(ctx, &builder, &memberships[of], (size_t) u));
	}
	*to = builder.memberships;
	return TLV_OK;
}

/* Numbers of all nodes of a side from those of its nodes with edges. */
static tlv_status
spread_numbers(tlv_context *ctx, const tlv_mmsb_side *side, const double *from, double **to)
{
	TLV_TRY_NEW0(ctx, *to, side->all);
	for (size_t u = 0; u < side->n; u++)
		(*to)[side->position[u]] = from[u];
	return TLV_OK;
}

/*
 * P of a block model, E_ab over the number of pairs of its nodes; and, degree-corrected, the
 * propensities of nodes, their degree over the mean of their community.
 */
static tlv_status
block_connectivity(tlv_context *ctx, tlv_mmsb_fit_state *fit, const double *edges,
				   const double *sizes)
{
	size_t k = fit->k, o = tlv_mmsb_other(fit, 0);
	bool corrected = fit->corrected;
	double *ends = tlv_alloc0(ctx, k, sizeof(double));

	TLV_TRY_ALLOC(ctx, ends);
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
		{
			double pairs =
				sizes[a] * (sizes[o * k + b] - (fit->sides == 1 && a == b && !corrected));

			fit->connectivity[a + k * b] = pairs > 0 ? edges[a + k * b] / pairs : 0;
		}
	for (size_t s = 0; s < fit->sides && corrected; s++)
	{
		tlv_mmsb_side *side = &fit->side[s];

		memset(ends, 0, k * sizeof(double));
		for (size_t u = 0; u < side->n; u++)
			ends[side->label[u]] += side->degree[u];
		TLV_TRY_NEW(ctx, side->propensity, side->n);
		for (size_t u = 0; u < side->n; u++)
			side->propensity[u] =
				side->degree[u] * sizes[s * k + (size_t) side->label[u]] / ends[side->label[u]];
	}
	tlv_free(ctx, ends);
	return TLV_OK;
}

/* By decreasing size, both sides together; with known labels as these number them. */
static tlv_status
order_communities(tlv_context *ctx, const tlv_mmsb_fit_state *fit, const double *sizes,
				  int64_t *order)
{
	size_t k = fit->k;
	double *both;

	TLV_TRY_NEW0(ctx, both, k);
	for (size_t a = 0; a < k && fit->options->n_labels == 0; a++)
		both[a] = sizes[a] + (fit->sides == 2 ? sizes[k + a] : 0);
	tlv_order_weights(k, both, order);
	tlv_free(ctx, both);
	return TLV_OK;
}

/* In place, through work of the same size. */
static void
reorder_square(size_t k, const int64_t *order, double *square, double *work)
{
	memcpy(work, square, k * k * sizeof(double));
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			square[a + k * b] = work[(size_t) order[a] + k * (size_t) order[b]];
}

/* ---- diagnostics ---- */

/* Variance over mean of degrees within communities, pooled: 1 for a plain block model. */
static tlv_status
diagnose_degrees(tlv_context *ctx, tlv_mmsb_fit_state *fit, const tlv_memberships *memberships)
{
	size_t k = fit->k;
	const tlv_mmsb_side *side = &fit->side[0];
	double *sums = tlv_alloc0(ctx, 3 * k, sizeof(double)), within = 0, mean = 0;

	TLV_TRY_ALLOC(ctx, sums);
	for (size_t u = 0; u < memberships->n; u++)
		for (size_t i = memberships->start[u]; i < memberships->start[u + 1]; i++)
		{
			double *own = sums + 3 * (size_t) memberships->community[i];

			own[0] += memberships->share[i];
			own[1] += memberships->share[i] * side->degree[u];
			own[2] += memberships->share[i] * side->degree[u] * side->degree[u];
		}
	for (size_t c = 0; c < k; c++)
	{
		within +=
			sums[3 * c] > 0 ? sums[3 * c + 2] - sums[3 * c + 1] * sums[3 * c + 1] / sums[3 * c] : 0;
		mean += sums[3 * c + 1];
	}
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, within / mean, "degree_dispersion"));
	if (fit->options->degree_corrected == TLV_DEGREES_PLAIN && within / mean > UNEQUAL_DEGREES)
		TLV_TRY(tlv_warn(ctx, &fit->diagnostics,
						 &(tlv_warning){.code = "unequal_degrees",
										.score = within / mean,
										.hint = "Use degree_corrected => true."},
						 "degrees vary within communities more than sampling error explains"));
	tlv_free(ctx, sums);
	return TLV_OK;
}

/* Modularity, conductances, and communities without nodes. */
static tlv_status
diagnose_communities(tlv_context *ctx, tlv_mmsb_fit_state *fit, const double *edges,
					 const double *sizes)
{
	size_t k = fit->k;
	tlv_shown_list empty = {0};
	double *conductance = tlv_alloc(ctx, k, sizeof(double));

	TLV_TRY_ALLOC(ctx, conductance);
	TLV_TRY(
		tlv_diagnose(ctx, &fit->diagnostics, tlv_modularity(k, edges, conductance), "modularity"));
	for (size_t a = 0; a < k; a++)
		TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, conductance[a], "conductance_%zu", a + 1));
	for (size_t a = 0; a < k; a++)
		if (sizes[a] < 0.5 && (fit->sides == 1 || sizes[k + a] < 0.5))
			tlv_shown_add_number(&empty, a + 1);
	if (empty.n > fit->spurious)
		TLV_TRY(tlv_warn(ctx, &fit->diagnostics,
						 &(tlv_warning){.code = "empty_component",
										.score = (double) empty.n,
										.hint = "Use a smaller k."},
						 "%s %s %s empty", empty.n == 1 ? "community" : "communities",
						 tlv_shown_text(&empty, NULL), tlv_shown_verb(&empty)));
	tlv_free(ctx, conductance);
	return TLV_OK;
}

/* ---- the communities ---- */

static tlv_status
allocate_numbers(tlv_context *ctx, size_t k, community_numbers *numbers)
{
	numbers->k = k;
	TLV_TRY_NEW(ctx, numbers->edges, 3 * k * k + 4 * k);
	numbers->connectivity = numbers->edges + k * k;
	numbers->work = numbers->connectivity + k * k;
	numbers->sizes = numbers->work + k * k;
	numbers->alpha = numbers->sizes + 2 * k;
	TLV_TRY_NEW(ctx, numbers->order, k);
	return TLV_OK;
}

/* Nodes of tied sides that have no edges in one direction are in their communities there, too. */
static void
count_one_sided(const tlv_mmsb_fit_state *fit, double *sizes)
{
	for (size_t s = 0; s < 2; s++)
		for (size_t v = 0; v < fit->side[1 - s].n; v++)
			if (fit->side[s].place[fit->side[1 - s].position[v]] < 0)
				sizes[s * fit->k + (size_t) fit->side[1 - s].label[v]] += 1;
}

/* ---- closed neighbourhoods ---- */

static int
community_compare_nodes(const void *a, const void *b)
{
	int32_t x = *(const int32_t *) a, y = *(const int32_t *) b;

	return x < y ? -1 : x > y;
}

/*
 * Do communities explain that neighbours of a node are joined?  They do in a graph that a block
 * model drew; where nodes lie in a space, as on a map, near ones are joined, and communities are
 * pieces of it without a boundary of their own.
 */

static bool
are_joined(const tlv_csr *edges, int32_t u, int32_t v)
{
	return bsearch(&v, edges->index + edges->start[u], edges->start[u + 1] - edges->start[u],
				   sizeof(int32_t), community_compare_nodes) != NULL;
}

typedef struct closure
{
	const tlv_mmsb_fit_state *fit;
	const double *edges; /* k x k */
	double *mass;		 /* k */
	double joined, expected;
} closure;

/* A pair of neighbours. */
static void
community_add_pair(closure *sums, int32_t u, int32_t v)
{
	const tlv_mmsb_side *side = &sums->fit->side[0];
	size_t k = sums->fit->k, a = (size_t) side->label[u], b = (size_t) side->label[v];
	bool corrected = sums->fit->corrected;
	double rate =
		sums->edges[a + k * b] / (sums->mass[a] * (sums->mass[b] - (a == b && !corrected)));

	if (corrected)
		rate *= side->degree[u] * side->degree[v];
	sums->expected += fmin(rate, 1);
	sums->joined += are_joined(&side->edges, u, v);
}

/* An end of a random edge, and two of its neighbours. */
static tlv_status
draw_pairs(tlv_context *ctx, closure *sums)
{
	/* Pairs of neighbours that are drawn. */
	const int pairs = 20000;
	const tlv_csr *rows = &sums->fit->side[0].edges;
	tlv_rng rng;

	tlv_rng_seed(&rng, tlv_mix64(sums->fit->options->seed + 2));
	for (size_t i = 0; i < pairs; i++)
	{
		size_t e = tlv_rng_below(&rng, rows->entries), c = (size_t) rows->index[e];
		size_t n = rows->start[c + 1] - rows->start[c];
		int32_t u, v;

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		if (n < 2)
			continue;
		u = rows->index[rows->start[c] + tlv_rng_below(&rng, n)];
		v = rows->index[rows->start[c] + tlv_rng_below(&rng, n)];
		if (u != v)
			community_add_pair(sums, u, v);
	}
	return TLV_OK;
}

/*
 * How often two neighbours of a node are joined, over what a block model of an
 * undirected graph without weights lets expect, to the diagnostics, and a warning where it is much
 * more; edges (k x k) are those between communities.
 */
static tlv_status
mmsb_check_closure(tlv_context *ctx, tlv_mmsb_fit_state *fit, const double *edges)
{
	const tlv_mmsb_side *side = &fit->side[0];
	closure sums = {.fit = fit, .edges = edges};
	double joined, expected;

	TLV_TRY_NEW0(ctx, sums.mass, fit->k);
	for (size_t u = 0; u < side->n; u++)
		sums.mass[side->label[u]] += fit->corrected ? side->degree[u] : 1;
	TLV_TRY(draw_pairs(ctx, &sums));
	joined = sums.joined;
	expected = sums.expected;
	tlv_free(ctx, sums.mass);
	if (joined < LEAST_CLOSED)
		return TLV_OK;
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, joined / expected, "closure"));
	/* a plain model that was asked for misses more than communities do */
	if (!(joined > MOST_CLOSURE * expected) || fit->options->degree_corrected == TLV_DEGREES_PLAIN)
		return TLV_OK;
	return tlv_warn(
		ctx, &fit->diagnostics,
		&(tlv_warning){.code = "closed_neighbourhoods",
					   .score = joined / expected,
					   .hint = "Treat the communities as a division of the graph, not as a "
							   "finding: pieces of a map or of a similarity have no boundaries."},
		"neighbours of a node are joined %.1f times as often as the communities explain",
		joined / expected);
}

/* Memberships, sizes, edges and P, of a block model from these. */
static tlv_status
measure_communities(tlv_context *ctx, tlv_mmsb_fit_state *fit, community_numbers *numbers)
{
	size_t k = fit->k, sides = fit->sides;
	bool blocks = fit->side[0].share == NULL;

	tlv_assert(sides == 1 || sides == 2);
	TLV_TRY(tlv_community_edges(ctx, fit, numbers->edges));
	for (size_t s = 0; s < sides; s++)
	{
		if (blocks)
			TLV_TRY(tlv_memberships_from_labels(ctx, fit->side[s].n, fit->side[s].label,
												&numbers->memberships[s]));
		else
			TLV_TRY(side_memberships(ctx, fit, s, &numbers->memberships[s]));
		tlv_memberships_sums(&numbers->memberships[s], k, NULL, numbers->sizes + s * k);
	}
	if (blocks && fit->tied && !fit->corrected)
		count_one_sided(fit, numbers->sizes);
	if (blocks)
		TLV_TRY(block_connectivity(ctx, fit, numbers->edges, numbers->sizes));
	if (blocks && sides == 1 && fit->side[0].edges.value == NULL)
		TLV_TRY(mmsb_check_closure(ctx, fit, numbers->edges));
	if (blocks && k > 1)
		TLV_TRY(tlv_mmsb_block_memberships(ctx, fit, numbers->memberships));
	for (size_t s = 0; s < sides && blocks; s++)
		tlv_memberships_sums(&numbers->memberships[s], k, NULL, numbers->sizes + s * k);
	memcpy(numbers->connectivity, fit->connectivity, k * k * sizeof(double));
	return TLV_OK;
}

static tlv_status
write_number_communities(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
						 community_numbers *numbers)
{
	size_t k = numbers->k;

	TLV_TRY(order_communities(ctx, fit, numbers->sizes, numbers->order));
	reorder_square(k, numbers->order, numbers->connectivity, numbers->work);
	reorder_square(k, numbers->order, numbers->edges, numbers->work);
	for (size_t s = 0; s < fit->sides; s++)
	{
		TLV_TRY(tlv_memberships_reorder(ctx, k, numbers->order, &numbers->memberships[s]));
		tlv_memberships_sums(&numbers->memberships[s], k, NULL, numbers->sizes + s * k);
	}
	return TLV_OK;
}

/* Dirichlet parameters in proportion to the sizes. */
static void
share_alpha(const tlv_mmsb_fit_state *fit, community_numbers *numbers)
{
	size_t k = numbers->k;

	for (size_t s = 0; s < fit->sides; s++)
	{
		double total = 0;

		for (size_t a = 0; a < k; a++)
			total += numbers->sizes[s * k + a];
		for (size_t a = 0; a < k; a++)
			numbers->alpha[s * k + a] = fit->options->alpha0 * numbers->sizes[s * k + a] / total;
	}
}

/* All nodes of side s, those without edges included. */
static tlv_status
write_describe_side(tlv_context *ctx, const tlv_mmsb_fit_state *fit, size_t s,
					const tlv_memberships memberships[2], tlv_mmsb_parts *parts)
{
	const tlv_mmsb_side *side = &fit->side[s];
	double *degree, *propensity = NULL;

	TLV_TRY(spread_numbers(ctx, side, side->degree, &degree));
	if (side->propensity != NULL)
		TLV_TRY(spread_numbers(ctx, side, side->propensity, &propensity));
	parts->side[s].n = side->all;
	parts->side[s].nodes = side->ids;
	parts->side[s].names = side->names;
	parts->side[s].degree = degree;
	parts->side[s].propensity = propensity;
	return all_memberships(ctx, fit, s, memberships, &parts->side[s].memberships);
}

tlv_status
tlv_mmsb_write_fit(tlv_context *ctx, tlv_mmsb_fit_state *fit, void **image, size_t *size)
{
	const tlv_mmsb_options *options = fit->options;
	community_numbers numbers = {0};
	tlv_mmsb_parts parts = {.k = fit->k,
							.sides = fit->sides,
							.tied = fit->tied,
							.graph = fit->header.kind,
							.poisson = fit->poisson,
							.degree_corrected = fit->corrected,
							.alpha0 = options->alpha0,
							.seed = (double) options->seed,
							.unit = fit->poisson ? fit->weights.unit : 1,
							.diagnostics = &fit->diagnostics};

	TLV_TRY(allocate_numbers(ctx, fit->k, &numbers));
	TLV_TRY(measure_communities(ctx, fit, &numbers));
	TLV_TRY(write_number_communities(ctx, fit, &numbers));
	share_alpha(fit, &numbers);
	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY(write_describe_side(ctx, fit, s, numbers.memberships, &parts));
	for (size_t s = 0; s < fit->sides && fit->tied; s++)
		tlv_memberships_sums(&parts.side[s].memberships, fit->k, NULL, numbers.sizes + s * fit->k);
	TLV_TRY(diagnose_degrees(ctx, fit, &numbers.memberships[0]));
	TLV_TRY(diagnose_communities(ctx, fit, numbers.edges, numbers.sizes));
	parts.alpha = numbers.alpha;
	parts.sizes = numbers.sizes;
	parts.connectivity = numbers.connectivity;
	return tlv_mmsb_write(ctx, &parts, image, size);
}
