/*
 * fit.c - from a stored graph to a model of its communities
 * (mmsb.h): the order of the parts, diagnostics, and what the model
 * keeps.
 */
#include "connectivity.h"
#include "internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensorlv/num/optimize.h"

#define MOST_COMMUNITIES 1000

#define POOR_RESIDUAL 0.3

/* Variance of degrees over their mean, within communities, that asks for degree correction. */
#define UNEQUAL_DEGREES 2.0

bool
tlv_mmsb_refinement_from_name(const char *name, tlv_mmsb_refinement *refinement)
{
	static const char *const names[] = {"auto", "none", "likelihood", "variational"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
		{
			*refinement = (tlv_mmsb_refinement) i;
			return true;
		}
	return false;
}

bool
tlv_edge_model_from_name(const char *name, tlv_edge_model *edges)
{
	static const char *const names[] = {"auto", "bernoulli", "poisson"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
		{
			*edges = (tlv_edge_model) i;
			return true;
		}
	return false;
}

/* ---- checks ---- */

static tlv_status
refuse_empty(tlv_context *ctx, const tlv_graph_header *header)
{
	tlv_status status = tlv_fail(ctx, TLV_BAD_DATA, "the graph has no edges");

	if (header->self_loops > 0)
		tlv_fail_detail(ctx, "%.0f self-loops are left out.", header->self_loops);
	return status;
}

static tlv_status
check_options(tlv_context *ctx, const tlv_mmsb_options *options)
{
	tlv_status status;

	if (!(options->alpha0 >= 0 && options->alpha0 <= 1e6))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha0 = %g is not between 0 and 1e6",
						options->alpha0);
	if (options->refine == TLV_MMSB_REFINE_LIKELIHOOD && options->alpha0 > 0)
	{
		status = tlv_fail(ctx, TLV_BAD_PARAMETER,
						  "refinement by likelihood is for alpha0 = 0, not %g", options->alpha0);
		tlv_fail_hint(ctx, "Mixed memberships are refined by 'variational'.");
		return status;
	}
	if (options->k > MOST_COMMUNITIES || options->max_k > MOST_COMMUNITIES)
		return tlv_fail(ctx, TLV_LIMIT, "%s = %zu is more than %d",
						options->k > MOST_COMMUNITIES ? "k" : "max_k",
						options->k > MOST_COMMUNITIES ? options->k : options->max_k,
						MOST_COMMUNITIES);
	return TLV_OK;
}

/* k against the nodes, and the labels against k. */
static tlv_status
check_k(tlv_context *ctx, const tlv_mmsb_fit_state *fit)
{
	const tlv_mmsb_options *options = fit->options;
	tlv_status status;

	for (size_t s = 0; s < fit->sides; s++)
		if (fit->k > fit->side[s].n)
		{
			status = tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is more than the %zu %s with edges",
							  fit->k, fit->side[s].n,
							  fit->sides == 1 ? "nodes"
							  : s == 0		  ? "sources"
											  : "targets");
			tlv_fail_hint(ctx, "Use a smaller k, or leave k out and let it be chosen.");
			return status;
		}
	for (size_t i = 0; i < options->n_labels; i++)
		if (options->label[i] < 0 || (size_t) options->label[i] >= fit->k)
		{
			status = tlv_fail(ctx, TLV_BAD_PARAMETER,
							  "label %" PRId32 " of node %" PRId64 " is not between 1 and k = %zu",
							  options->label[i] + 1, options->label_nodes[i], fit->k);
			tlv_fail_hint(ctx, "Give k, at least the largest label.");
			return status;
		}
	return TLV_OK;
}

/* ---- diagnostics ---- */

static tlv_status
diagnose_graph(tlv_context *ctx, const tlv_graph *graph, tlv_mmsb_fit_state *fit)
{
	const tlv_graph_header *header = &graph->header;
	size_t nodes = header->rows + (header->kind == TLV_GRAPH_BIPARTITE ? header->columns : 0);
	int32_t *component = tlv_alloc(ctx, nodes, sizeof(int32_t));
	size_t components, largest = 0;
	bool colourable = false;
	tlv_diagnostics *diagnostics = &fit->diagnostics;

	TLV_TRY_ALLOC(ctx, component);
	TLV_TRY(tlv_graph_components(ctx, graph, component, &components));
	for (size_t u = 0; u < nodes; u++)
		largest += component[u] == 0;
	tlv_free(ctx, component);
	if (header->kind == TLV_GRAPH_UNDIRECTED)
		TLV_TRY(tlv_graph_is_two_colourable(ctx, graph, &colourable));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) nodes, "nodes"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) header->entries, "edges"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, header->total, "weight"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, header->self_loops, "self_loops"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, header->nulls, "nulls"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) components, "connected_components"));
	TLV_TRY(
		tlv_diagnose(ctx, diagnostics, (double) largest, "nodes_of_largest_connected_component"));
	if (colourable)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, 1,
							 "warning: every edge joins two groups of nodes that have none "
							 "inside: if it is a bipartite graph, say so (bipartite => true, or "
							 "'bipartite' in tlv_graph)"));
	return TLV_OK;
}

static tlv_status
diagnose_sides(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	size_t isolated = 0;

	for (size_t s = 0; s < fit->sides; s++)
		isolated += fit->side[s].all - fit->side[s].n;
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, (double) isolated, "nodes_without_edges"));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, (double) fit->k, "k"));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, fit->options->k == 0, "k_chosen"));
	return tlv_diagnose(ctx, &fit->diagnostics, fit->options->alpha0, "alpha0");
}

static tlv_status
diagnose_moments(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	size_t k = fit->k;

	for (size_t s = 0; s < fit->sides; s++)
	{
		const tlv_mmsb_moments *moments = &fit->moments[s];
		const char *side = fit->sides == 1 ? "" : s == 0 ? "source_" : "target_";
		tlv_diagnostics *to = &fit->diagnostics;

		TLV_TRY(tlv_diagnose(ctx, to, moments->residual, "%sresidual", side));
		TLV_TRY(tlv_diagnose(ctx, to, moments->eigenvalues[0] / moments->eigenvalues[k - 1],
							 "%scondition_number", side));
		TLV_TRY(tlv_diagnose(ctx, to, moments->iterations, "%siterations", side));
		TLV_TRY(tlv_diagnose(ctx, to, moments->sweeps, "%ssweeps", side));
		TLV_TRY(tlv_diagnose(ctx, to, moments->converged, "%sconverged", side));
		TLV_TRY(tlv_diagnose(ctx, to, moments->stars.steps, "%ssubspace_steps", side));
		if (fit->sides == 1 && !fit->options->partition)
			TLV_TRY(tlv_diagnose(ctx, to, moments->stars.disassortative, "disassortative"));
		if (moments->residual > POOR_RESIDUAL)
			TLV_TRY(tlv_diagnose(ctx, to, moments->residual,
								 "warning: the residual is above %g: k communities are near or "
								 "below what the 3-stars can tell",
								 POOR_RESIDUAL));
		for (size_t j = 0; j < k; j++)
			TLV_TRY(
				tlv_diagnose(ctx, to, moments->eigenvalues[j], "%seigenvalue_%zu", side, j + 1));
		for (size_t j = 0; j < k && moments->values != NULL; j++)
			TLV_TRY(
				tlv_diagnose(ctx, to, moments->values[j], "%stensor_eigenvalue_%zu", side, j + 1));
	}
	return TLV_OK;
}

/* Variance over mean of degrees within communities, pooled: 1 for a plain block model. */
static tlv_status
diagnose_degrees(tlv_context *ctx, tlv_mmsb_fit_state *fit, const tlv_memberships *memberships)
{
	size_t k = fit->k;
	const tlv_mmsb_side *side = &fit->side[0];
	double *sums = tlv_alloc0(ctx, 3 * k, sizeof(double)), within = 0, mean = 0;

	TLV_TRY_ALLOC(ctx, sums);
	for (size_t u = 0; u < side->n; u++)
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
	if (!fit->options->degree_corrected && within / mean > UNEQUAL_DEGREES)
		TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, within / mean,
							 "warning: degrees vary within communities more than chance explains: "
							 "degree_corrected => true will serve better"));
	tlv_free(ctx, sums);
	return TLV_OK;
}

/* ---- from the fit to the model ---- */

/* Memberships of the nodes of a side that have edges. */
static tlv_status
side_memberships(tlv_context *ctx, const tlv_mmsb_fit_state *fit, size_t s,
				 tlv_memberships *memberships)
{
	const tlv_mmsb_side *side = &fit->side[s];
	size_t k = fit->k;
	tlv_membership_builder builder;
	double *share;

	if (side->share == NULL)
		return tlv_memberships_from_labels(ctx, side->n, side->label, memberships);
	share = tlv_alloc(ctx, k, sizeof(double));
	TLV_TRY_ALLOC(ctx, share);
	TLV_TRY(tlv_memberships_begin(ctx, side->n, &builder));
	for (size_t u = 0; u < side->n; u++)
	{
		if (u % 4096 == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t a = 0; a < k; a++)
			share[a] = side->share[u * k + a];
		TLV_TRY(tlv_memberships_append(ctx, &builder, k, share));
	}
	*memberships = builder.memberships;
	tlv_free(ctx, share);
	return TLV_OK;
}

/* The same of all nodes, in the order of their ids; none for those without edges. */
static tlv_status
all_memberships(tlv_context *ctx, const tlv_mmsb_side *side, const tlv_memberships *from,
				tlv_memberships *to)
{
	size_t at = 0, entries = from->start[from->n];

	to->n = side->all;
	to->start = tlv_alloc(ctx, side->all + 1, sizeof(size_t));
	TLV_TRY_ALLOC(ctx, to->start);
	to->community = tlv_alloc(ctx, entries, sizeof(uint16_t));
	TLV_TRY_ALLOC(ctx, to->community);
	to->share = tlv_alloc(ctx, entries, sizeof(float));
	TLV_TRY_ALLOC(ctx, to->share);
	for (size_t i = 0; i < side->all; i++)
	{
		int32_t u = side->place[i];
		size_t n = u < 0 ? 0 : from->start[u + 1] - from->start[u];

		to->start[i] = at;
		if (n == 0)
			continue;
		memcpy(to->community + at, from->community + from->start[u], n * sizeof(uint16_t));
		memcpy(to->share + at, from->share + from->start[u], n * sizeof(float));
		at += n;
	}
	to->start[side->all] = at;
	return TLV_OK;
}

/* Numbers of all nodes of a side from those of its nodes with edges. */
static tlv_status
spread(tlv_context *ctx, const tlv_mmsb_side *side, const double *from, double **to)
{
	*to = tlv_alloc0(ctx, side->all, sizeof(double));
	TLV_TRY_ALLOC(ctx, *to);
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
	bool corrected = fit->options->degree_corrected;
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
		side->propensity = tlv_alloc(ctx, side->n, sizeof(double));
		TLV_TRY_ALLOC(ctx, side->propensity);
		for (size_t u = 0; u < side->n; u++)
			side->propensity[u] =
				side->degree[u] * sizes[s * k + (size_t) side->label[u]] / ends[side->label[u]];
	}
	tlv_free(ctx, ends);
	return TLV_OK;
}

typedef struct order_entry
{
	double size;
	int64_t community;
} order_entry;

static int
compare_sizes(const void *a, const void *b)
{
	const order_entry *x = a, *y = b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return x->community < y->community ? -1 : 1;
}

/* By decreasing size, both sides together; with known labels as these number them. */
static tlv_status
order_communities(tlv_context *ctx, const tlv_mmsb_fit_state *fit, const double *sizes,
				  int64_t *order)
{
	size_t k = fit->k;
	order_entry *entries = tlv_alloc(ctx, k, sizeof(order_entry));

	TLV_TRY_ALLOC(ctx, entries);
	for (size_t a = 0; a < k; a++)
		entries[a] = (order_entry){sizes[a] + (fit->sides == 2 ? sizes[k + a] : 0), (int64_t) a};
	if (fit->options->n_labels == 0)
		qsort(entries, k, sizeof(order_entry), compare_sizes);
	for (size_t a = 0; a < k; a++)
		order[a] = entries[a].community;
	tlv_free(ctx, entries);
	return TLV_OK;
}

static void
reorder_square(size_t k, const int64_t *order, const double *from, double *to)
{
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			to[a + k * b] = from[(size_t) order[a] + k * (size_t) order[b]];
}

/* Modularity, conductances, and communities without nodes. */
static tlv_status
diagnose_communities(tlv_context *ctx, tlv_mmsb_fit_state *fit, const double *edges,
					 const double *sizes)
{
	size_t k = fit->k, empty = 0;
	double *conductance = tlv_alloc(ctx, k, sizeof(double));

	TLV_TRY_ALLOC(ctx, conductance);
	TLV_TRY(
		tlv_diagnose(ctx, &fit->diagnostics, tlv_modularity(k, edges, conductance), "modularity"));
	for (size_t a = 0; a < k; a++)
		TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, conductance[a], "conductance_%zu", a + 1));
	for (size_t a = 0; a < k; a++)
		empty += sizes[a] < 0.5 && (fit->sides == 1 || sizes[k + a] < 0.5);
	if (empty > 0)
		TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, (double) empty,
							 "warning: %zu of the %zu communities are empty: a smaller k will do",
							 empty, k));
	tlv_free(ctx, conductance);
	return TLV_OK;
}

static tlv_status
write_model(tlv_context *ctx, tlv_mmsb_fit_state *fit, void **image, size_t *size)
{
	const tlv_mmsb_options *options = fit->options;
	size_t k = fit->k;
	double *edges = tlv_alloc(ctx, 3 * k * k + 4 * k, sizeof(double)), *connectivity, *ordered;
	double *sizes, *alpha, *numbers[2][2] = {{NULL, NULL}, {NULL, NULL}};
	int64_t *order = tlv_alloc(ctx, k, sizeof(int64_t));
	tlv_memberships memberships[2], all[2];
	tlv_mmsb_parts parts = {0};

	TLV_TRY_ALLOC(ctx, edges);
	TLV_TRY_ALLOC(ctx, order);
	connectivity = edges + k * k;
	ordered = connectivity + k * k;
	sizes = ordered + k * k;
	alpha = sizes + 2 * k;
	for (size_t s = 0; s == 0 || s < fit->sides; s++)
	{
		TLV_TRY(side_memberships(ctx, fit, s, &memberships[s]));
		tlv_memberships_sums(&memberships[s], k, NULL, sizes + s * k);
	}
	TLV_TRY(tlv_community_edges(ctx, fit, edges));
	if (fit->side[0].share == NULL)
		TLV_TRY(block_connectivity(ctx, fit, edges, sizes));
	TLV_TRY(order_communities(ctx, fit, sizes, order));
	reorder_square(k, order, fit->connectivity, connectivity);
	reorder_square(k, order, edges, ordered);
	for (size_t s = 0; s < fit->sides; s++)
	{
		const tlv_mmsb_side *side = &fit->side[s];
		double total = 0;

		TLV_TRY(tlv_memberships_reorder(ctx, k, order, &memberships[s]));
		tlv_memberships_sums(&memberships[s], k, NULL, sizes + s * k);
		for (size_t a = 0; a < k; a++)
			total += sizes[s * k + a];
		for (size_t a = 0; a < k; a++)
			alpha[s * k + a] = options->alpha0 * sizes[s * k + a] / total;
		TLV_TRY(spread(ctx, side, side->degree, &numbers[s][0]));
		if (side->propensity != NULL)
			TLV_TRY(spread(ctx, side, side->propensity, &numbers[s][1]));
		parts.side[s].n = side->all;
		parts.side[s].nodes = side->ids;
		parts.side[s].degree = numbers[s][0];
		parts.side[s].propensity = numbers[s][1];
		TLV_TRY(all_memberships(ctx, side, &memberships[s], &all[s]));
		parts.side[s].memberships = all[s];
	}
	TLV_TRY(diagnose_degrees(ctx, fit, &memberships[0]));
	TLV_TRY(diagnose_communities(ctx, fit, ordered, sizes));
	parts.k = k;
	parts.sides = fit->sides;
	parts.graph = fit->header.kind;
	parts.poisson = fit->poisson;
	parts.degree_corrected = options->degree_corrected;
	parts.alpha0 = options->alpha0;
	parts.seed = (double) options->seed;
	parts.alpha = alpha;
	parts.sizes = sizes;
	parts.connectivity = connectivity;
	parts.diagnostics = &fit->diagnostics;
	return tlv_mmsb_write(ctx, &parts, image, size);
}

/* ---- the fit ---- */

/* One community: everybody's. */
static tlv_status
fit_one(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	for (size_t s = 0; s < fit->sides; s++)
	{
		fit->side[s].label = tlv_alloc0(ctx, fit->side[s].n, sizeof(int32_t));
		TLV_TRY_ALLOC(ctx, fit->side[s].label);
	}
	return TLV_OK;
}

/* Whether memberships may be mixed: alpha0 > 0, or what the moments say is left as it is. */
static bool
is_mixed(const tlv_mmsb_options *options)
{
	return options->alpha0 > 0 || options->refine == TLV_MMSB_REFINE_VARIATIONAL ||
		   options->refine == TLV_MMSB_REFINE_NONE;
}

static tlv_status
fit_communities(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	bool blocks = !is_mixed(fit->options);

	if (fit->k == 1)
		return fit_one(ctx, fit);
	if (fit->options->partition)
		TLV_TRY(tlv_mmsb_decompose_parts(ctx, fit));
	else
	{
		TLV_TRY(tlv_mmsb_decompose(ctx, fit, blocks || fit->options->degree_corrected));
		for (size_t s = 0; s < fit->sides; s++)
			TLV_TRY(tlv_mmsb_solve_scores(ctx, fit, s));
	}
	TLV_TRY(diagnose_moments(ctx, fit));
	return blocks ? tlv_mmsb_fit_blocks(ctx, fit) : tlv_mmsb_fit_mixed(ctx, fit);
}

tlv_status
tlv_mmsb_fit(tlv_context *ctx, const tlv_frame *frame, const tlv_mmsb_options *options,
			 void **image, size_t *size)
{
	tlv_mmsb_fit_state *fit = tlv_alloc0(ctx, 1, sizeof(tlv_mmsb_fit_state));
	tlv_graph_header header;
	tlv_graph graph;

	TLV_TRY_ALLOC(ctx, fit);
	TLV_TRY(check_options(ctx, options));
	tlv_graph_read_header(frame, &header);
	if (header.entries == 0)
		return refuse_empty(ctx, &header);
	fit->options = options;
	fit->k = options->k;
	fit->poisson = options->edges == TLV_EDGES_POISSON ||
				   (options->edges == TLV_EDGES_AUTO && header.weighted);
	/* as it is stored, and once more in the order of the fit */
	TLV_TRY(
		tlv_require_memory(ctx, 2 * tlv_graph_load_memory(&header, !fit->poisson), "the graph"));
	TLV_TRY(tlv_graph_load(ctx, frame, !fit->poisson, &graph));
	TLV_TRY(diagnose_graph(ctx, &graph, fit));
	TLV_TRY(tlv_mmsb_open_graph(ctx, &graph, fit));
	if (fit->k == 0)
		TLV_TRY(tlv_mmsb_choose_k(ctx, fit));
	TLV_TRY(check_k(ctx, fit));
	TLV_TRY(diagnose_sides(ctx, fit));
	fit->connectivity = tlv_alloc0(ctx, fit->k * fit->k, sizeof(double));
	TLV_TRY_ALLOC(ctx, fit->connectivity);
	TLV_TRY(fit_communities(ctx, fit));
	return write_model(ctx, fit, image, size);
}
