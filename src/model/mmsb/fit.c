/*
 * fit.c - from a stored graph to a model of its communities
 * (mmsb.h): the order of the parts, and diagnostics of the graph and its moments.
 */
#include "adjacency/neighbours.h"
#include "engine/connectivity.h"
#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/tuning.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const tlv_mmsb_refinement_names[] = {"auto", "none", "em", "likelihood", NULL};
const char *const tlv_edge_model_names[] = {"auto", "bernoulli", "poisson", NULL};

/* ---- checks ---- */

static tlv_status
mmsb_refuse_empty(tlv_context *ctx, const tlv_graph_header *header)
{
	tlv_fail(ctx, TLV_BAD_DATA, "the graph has no edges");
	if (header->self_loops > 0)
		tlv_fail_detail(ctx,
						header->self_loops == 1 ? "%.0f self-loop is left out."
												: "%.0f self-loops are left out.",
						header->self_loops);
	return tlv_fail_hint(ctx, "Communities show in which nodes are joined to which others.");
}

/* Refused before the fit, not when its model is written. */
static tlv_status
require_few_nodes(tlv_context *ctx, const tlv_graph_header *header)
{
	double most = tlv_mmsb_most_nodes(), n = (double) header->rows;

	if (header->kind != TLV_GRAPH_UNDIRECTED)
		n += (double) header->columns;
	if (n <= most)
		return TLV_OK;
	tlv_fail(ctx, TLV_LIMIT, "%.0f nodes are more than the %.0f that a model has memory for", n,
			 most);
	return tlv_fail_hint(ctx,
						 "Fit a part of the nodes with the edges between them, such as those of "
						 "SELECT src, dst FROM edges WHERE src %% %.0f = 0 AND dst %% %.0f = 0. "
						 "tlv_infer(model, neighbours) places the others.",
						 ceil(n / most), ceil(n / most));
}

static tlv_status
check_mmsb_options(tlv_context *ctx, const tlv_mmsb_options *options)
{
	if (!(options->alpha0 >= 0 && options->alpha0 <= 1e6))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha0 = %g is not between 0 and 1e6",
						options->alpha0);
	if (options->refine == TLV_MMSB_REFINE_LIKELIHOOD && options->alpha0 > 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"refinement by likelihood is for alpha0 = 0, not %g", options->alpha0);
	if (options->k > TLV_MMSB_MOST || options->max_k > TLV_MMSB_MOST)
		return tlv_fail(ctx, TLV_LIMIT, "%s = %zu is more than %d",
						options->k > TLV_MMSB_MOST ? "k" : "max_k",
						options->k > TLV_MMSB_MOST ? options->k : options->max_k, TLV_MMSB_MOST);
	return TLV_OK;
}

/* No more communities than nodes of a side, and no label above k. */
static tlv_status
mmsb_check_k(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	const tlv_mmsb_options *options = fit->options;
	size_t asked = fit->k, n;

	for (size_t s = 0; s < fit->sides; s++)
	{
		n = fit->side[s].n;
		if (fit->k <= n)
			continue;
		fit->k = n;
		TLV_TRY(tlv_warn(ctx, &fit->diagnostics,
						 &(tlv_warning){.code = "fewer_components",
										.score = (double) asked,
										.hint = "Use a smaller k, or omit it."},
						 "the model has %zu %s instead of %zu: the graph has no more %s with edges",
						 n, tlv_plural((double) n, "community", "communities"), asked,
						 fit->sides == 1 ? "nodes"
						 : s == 0		 ? "sources"
										 : "targets"));
	}
	for (size_t i = 0; i < options->n_labels; i++)
		if (options->label[i] < 0 || (size_t) options->label[i] >= fit->k)
		{
			char shown[TLV_SHOWN_NAME];

			tlv_fail(
				ctx, TLV_BAD_PARAMETER, "label %" PRId32 " of node %s is not between 1 and k = %zu",
				options->label[i] + 1,
				tlv_show_id(tlv_name_at(&options->label_names, i), options->label_nodes[i], shown),
				fit->k);
			return tlv_fail_hint(ctx, "Give k, at least the largest label.");
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
	bool colourable;
	tlv_diagnostics *diagnostics = &fit->diagnostics;

	TLV_TRY_ALLOC(ctx, component);
	TLV_TRY(tlv_graph_components(ctx, graph, component, &components, &colourable));
	for (size_t u = 0; u < nodes; u++)
		largest += component[u] == 0;
	tlv_free(ctx, component);
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) nodes, "nodes"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) header->entries, "edges"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, header->total, "weight"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, header->self_loops, "self_loops"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, header->nulls, "nulls"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) components, "connected_components"));
	TLV_TRY(
		tlv_diagnose(ctx, diagnostics, (double) largest, "nodes_of_largest_connected_component"));
	TLV_TRY(tlv_warn_nulls(ctx, diagnostics, header->nulls, fit->options->null_columns, NULL));
	if (header->self_loops > 0)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "rows_skipped",
										.score = header->self_loops,
										.hint = "Filter them out: they tell nothing of groups."},
						 "%.0f %s of a node to itself %s skipped", header->self_loops,
						 tlv_plural(header->self_loops, "edge", "edges"),
						 tlv_plural(header->self_loops, "was", "were")));
	if (colourable)
		TLV_TRY(tlv_warn(
			ctx, diagnostics,
			&(tlv_warning){
				.code = "two_colourable",
				.score = 1,
				.hint = "Use bipartite => true, or tlv_bigraph_agg, if the graph is bipartite."},
			"every edge joins two groups of nodes that have no edges inside"));
	return TLV_OK;
}

/* Nodes that have no membership on a side that they are of; where sides are tied, on neither. */
static size_t
count_isolated(const tlv_mmsb_fit_state *fit)
{
	const tlv_mmsb_side *from = &fit->side[0], *to = &fit->side[fit->sides - 1];
	bool same = fit->header.kind != TLV_GRAPH_BIPARTITE;
	size_t isolated = same ? 0 : from->all - from->n + to->all - to->n;

	for (size_t i = 0; same && i < from->all; i++)
	{
		bool sends = from->place[i] >= 0, receives = to->place[i] >= 0;

		isolated += !(fit->tied ? sends || receives : sends && receives);
	}
	return isolated;
}

static tlv_status
diagnose_sides(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	TLV_TRY(
		tlv_diagnose(ctx, &fit->diagnostics, (double) count_isolated(fit), "nodes_without_edges"));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, (double) fit->k, "k"));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, fit->options->k == 0, "k_chosen"));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, fit->corrected, "degree_corrected"));
	return tlv_diagnose(ctx, &fit->diagnostics, fit->options->alpha0, "alpha0");
}

/* What the tensor's directions leave out. */
static tlv_status
warn_of_directions(tlv_context *ctx, tlv_mmsb_fit_state *fit, const tlv_mmsb_moments *moments)
{
	size_t k = fit->k;

	if (moments->rank == k)
		return TLV_OK;
	return tlv_warn(ctx, &fit->diagnostics,
					&(tlv_warning){.code = "not_identified",
								   .score = (double) (k - moments->rank),
								   .hint = "Compare a smaller k, or omit k: these communities come "
										   "from other initial estimates."},
					"%zu of the %zu directions of the 3-stars %s no community", k - moments->rank,
					k, tlv_plural((double) (k - moments->rank), "carries", "carry"));
}

/* ", least of all the edges of node NAME": the node whose negative memberships have the largest
 * sum, in units of edges. */
static const char *
show_misfit(const tlv_mmsb_fit_state *fit, size_t s, char text[2 * TLV_SHOWN_NAME])
{
	const tlv_mmsb_side *side = &fit->side[s];
	const tlv_star_moments *stars = &fit->moments[s].stars;
	size_t k = fit->k, least = 0, node;
	double most = 0;
	char shown[TLV_SHOWN_NAME];

	text[0] = '\0';
	if (stars->scores == NULL || stars->rows != side->n)
		return text;
	for (size_t u = 0; u < side->n; u++)
	{
		double below = 0;

		for (size_t a = 0; a < k; a++)
			below += fmax(-(double) stars->scores[u * k + a], 0);
		least = below > most ? u : least;
		most = fmax(most, below);
	}
	node = (size_t) side->position[least];
	if (side->names.offsets != NULL && side->names.offsets[node + 1] > side->names.offsets[node])
		(void) tlv_show_name(
			(tlv_text){side->names.bytes + side->names.offsets[node],
					   (size_t) (side->names.offsets[node + 1] - side->names.offsets[node])},
			shown);
	else
		snprintf(shown, sizeof(shown), "%lld", (long long) side->ids[node]);
	snprintf(text, 2 * TLV_SHOWN_NAME, ", least of all the edges of node %s", shown);
	return text;
}

static tlv_status
diagnose_moments(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	char misfit[2 * TLV_SHOWN_NAME];
	size_t k = fit->k;

	for (size_t s = 0; s < fit->sides; s++)
	{
		const tlv_mmsb_moments *moments = &fit->moments[s];
		const char *side = fit->sides == 1 ? "" : s == 0 ? "source_" : "target_";
		tlv_diagnostics *to = &fit->diagnostics;
		double last = moments->rank > 0 ? moments->eigenvalues[moments->rank - 1] : NAN;

		TLV_TRY(tlv_diagnose(ctx, to, moments->residual, "%sresidual", side));
		TLV_TRY(tlv_diagnose(ctx, to, (double) moments->rank, "%sdirections", side));
		TLV_TRY(tlv_diagnose(ctx, to, moments->eigenvalues[0] / last, "%scondition_number", side));
		TLV_TRY(tlv_diagnose(ctx, to, moments->iterations, "%siterations", side));
		TLV_TRY(tlv_diagnose(ctx, to, moments->converged, "%sconverged", side));
		TLV_TRY(tlv_diagnose(ctx, to, moments->stars.steps, "%ssubspace_steps", side));
		if (fit->sides == 1)
			TLV_TRY(tlv_diagnose(ctx, to, moments->stars.disassortative, "disassortative"));
		TLV_TRY(warn_of_directions(ctx, fit, moments));
		if (moments->rank == k && moments->residual > TLV_POOR_RESIDUAL)
			TLV_TRY(tlv_warn(ctx, to,
							 &(tlv_warning){.code = "large_residual", .score = moments->residual},
							 "the relative residual is above %g: k communities are near or below "
							 "what the 3-stars identify%s",
							 TLV_POOR_RESIDUAL, show_misfit(fit, s, misfit)));
		for (size_t j = 0; j < k; j++)
			TLV_TRY(
				tlv_diagnose(ctx, to, moments->eigenvalues[j], "%seigenvalue_%zu", side, j + 1));
		for (size_t j = 0; j < moments->rank; j++)
			TLV_TRY(
				tlv_diagnose(ctx, to, moments->values[j], "%stensor_eigenvalue_%zu", side, j + 1));
	}
	return TLV_OK;
}

/* ---- moments ---- */

/* Whether memberships may be mixed: alpha0 > 0, or what the moments say is left as it is. */
static bool
is_mixed(const tlv_mmsb_options *options)
{
	return options->alpha0 > 0 || options->refine == TLV_MMSB_REFINE_EM ||
		   options->refine == TLV_MMSB_REFINE_NONE;
}

/* Whether directions take too much work or memory for one of several initialisations. */
static bool
directions_cost_too_much(tlv_context *ctx, const tlv_mmsb_fit_state *fit)
{
	double k = (double) fit->k, n = (double) fit->side[0].n;
	bool proposed = fit->side[0].proposed != NULL && fit->side[0].fixed == NULL;

	if (!proposed || fit->options->k > 0)
		return false;
	return (double) fit->side[0].edges.entries * k + n * k * k > DIRECTIONS_WORK ||
		   tlv_require_memory(ctx, tlv_mmsb_directions_memory(fit), "directions") != TLV_OK;
}

/* The directions of the graph, of which a block model's initialisations are clusters. */
static tlv_status
mmsb_find_directions(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	if (directions_cost_too_much(ctx, fit))
		return TLV_OK;
	TLV_TRY(
		tlv_require_memory(ctx, tlv_mmsb_directions_memory(fit), "the directions of the graph"));
	TLV_TRY(tlv_mmsb_find_directions(ctx, fit));
	fit->embedded = true;
	return fit->sides == 2 ? TLV_OK
						   : tlv_diagnose(ctx, &fit->diagnostics,
										  fit->moments[0].stars.disassortative, "disassortative");
}

/* Moments of the graph, and scores of its nodes; of block models directions alone. */
static tlv_status
find_moments(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	fit->embedded = false;
	if (!is_mixed(fit->options))
		return mmsb_find_directions(ctx, fit);
	TLV_TRY(tlv_mmsb_decompose(ctx, fit));
	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY(tlv_mmsb_solve_scores(ctx, fit, s));
	fit->embedded = true;
	return diagnose_moments(ctx, fit);
}

/* ---- the fit ---- */

/* One community: everybody's. */
static tlv_status
mmsb_fit_one(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY_NEW0(ctx, fit->side[s].label, fit->side[s].n);
	return TLV_OK;
}

static void
free_moments(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	for (size_t s = 0; s < fit->sides; s++)
	{
		tlv_star_moments_free(ctx, &fit->moments[s].stars);
		tlv_free(ctx, fit->moments[s].eigenvalues);
		fit->moments[s] = (tlv_mmsb_moments){0};
	}
}

tlv_status
tlv_mmsb_fit_k_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	if (fit->k == 1)
		return mmsb_fit_one(ctx, fit);
	TLV_TRY(find_moments(ctx, fit));
	TLV_TRY(tlv_mmsb_fit_blocks(ctx, fit));
	free_moments(ctx, fit);
	return TLV_OK;
}

/* ---- more communities than there are ---- */

/*
 * Where the tensor's eigenvalues imply communities that weigh much more than all nodes, some of
 * them are of noise, and spoil the others: then only as many are fitted as the edges agree on that
 * were set aside, at least two.
 */
static tlv_status
leave_out_spurious(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	double implied = fmax(fit->moments[0].implied, fit->moments[fit->sides - 1].implied);
	size_t wanted = fit->k, directions;

	if (fit->options->k == 0 || fit->options->n_labels > 0 || !fit->embedded || wanted < 3 ||
		fit->options->refine == TLV_MMSB_REFINE_NONE || fit->moments[0].rank < wanted ||
		implied < IMPLAUSIBLE_WEIGHT)
		return TLV_OK;
	TLV_TRY(tlv_mmsb_count_directions(ctx, fit, wanted, &directions));
	if (directions >= wanted)
		return TLV_OK;
	free_moments(ctx, fit);
	tlv_diagnostics_free(ctx, &fit->diagnostics);
	fit->k = directions < 2 ? 2 : directions;
	fit->spurious = wanted - fit->k;
	return find_moments(ctx, fit);
}

/* From fit->k communities to k: the others have no nodes, and are named. */
static tlv_status
add_spurious(tlv_context *ctx, tlv_mmsb_fit_state *fit, size_t k)
{
	size_t found = fit->k;
	double *wide;

	for (size_t s = 0; s < fit->sides; s++)
	{
		float *share;

		TLV_TRY_NEW0(ctx, share, k * fit->side[s].n);
		for (size_t u = 0; u < fit->side[s].n; u++)
			memcpy(share + u * k, fit->side[s].share + u * found, found * sizeof(float));
		tlv_free(ctx, fit->side[s].share);
		fit->side[s].share = share;
	}
	TLV_TRY_NEW0(ctx, wide, k * k);
	for (size_t b = 0; b < found; b++)
		memcpy(wide + b * k, fit->connectivity + b * found, found * sizeof(double));
	tlv_free(ctx, fit->connectivity);
	fit->connectivity = wide;
	fit->k = k;
	for (size_t c = found; c < k; c++)
		TLV_TRY(tlv_warn(ctx, &fit->diagnostics,
						 &(tlv_warning){.code = "spurious_component",
										.component = c + 1,
										.score = (double) found,
										.hint = "Use a smaller k."},
						 "community %zu was asked for, but the graph has no more than %zu", c + 1,
						 found));
	return TLV_OK;
}

static tlv_status
fit_communities(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	tlv_diagnostics before = fit->diagnostics, own;
	size_t wanted = fit->k;

	fit->diagnostics = (tlv_diagnostics){0};
	if (fit->k > 1)
		TLV_TRY(find_moments(ctx, fit));
	TLV_TRY(leave_out_spurious(ctx, fit));
	own = fit->diagnostics;
	fit->diagnostics = before;
	TLV_TRY(tlv_diagnostics_append(ctx, &fit->diagnostics, &own));
	tlv_diagnostics_free(ctx, &own);
	TLV_TRY_NEW0(ctx, fit->connectivity, fit->k * fit->k);
	if (fit->k == 1)
		return mmsb_fit_one(ctx, fit);
	TLV_TRY(tlv_mmsb_fit_mixed(ctx, fit));
	return fit->k < wanted ? add_spurious(ctx, fit, wanted) : TLV_OK;
}

/* What bounds a k that is chosen. */
static size_t
most_communities(const tlv_mmsb_fit_state *fit)
{
	if (fit->options->max_k > 0)
		return fit->options->max_k;
	return is_mixed(fit->options) || fit->options->n_labels > 0 ? TLV_TESTED_RANK : TLV_MMSB_MOST;
}

/* What may be done where the most communities that were allowed have been found. */
static const char *
limit_hint(size_t most)
{
	return most < TLV_MMSB_MOST
			   ? "Increase max_k, or give k."
			   : "Give k, or fit parts of the graph: no model has more communities.";
}

static tlv_status
warn_of_limit(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	size_t most = most_communities(fit);

	if (fit->options->k > 0 || fit->k < most || fit->k < 3)
		return TLV_OK;
	return tlv_warn(
		ctx, &fit->diagnostics,
		&(tlv_warning){.code = "k_at_limit", .score = (double) fit->k, .hint = limit_hint(most)},
		"there may be more communities than max_k = %zu", most);
}

tlv_status
tlv_mmsb_fit_block_model(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	if (fit->k == 0 && fit->options->n_labels == 0)
		return tlv_mmsb_choose_blocks(ctx, fit);
	if (fit->k == 0)
		TLV_TRY(tlv_mmsb_count_directions(ctx, fit, most_communities(fit), &fit->k));
	TLV_TRY(mmsb_check_k(ctx, fit));
	TLV_TRY(tlv_mmsb_propose(ctx, fit, TLV_PROPOSE_SOME, fit->k));
	return tlv_mmsb_fit_k_blocks(ctx, fit);
}

/* Fits a block model.  Of a directed graph the model with one community per node replaces that with
 * separate sides where it is likelier or asked for.  Only the diagnostics of the model that is kept
 * are reported. */
static tlv_status
fit_block_models(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	tlv_diagnostics of_graph = fit->diagnostics;
	bool may_tie =
		fit->header.kind == TLV_GRAPH_DIRECTED && fit->options->sides != TLV_SIDES_SEPARATE;

	fit->diagnostics = (tlv_diagnostics){0};
	fit->draft = may_tie;
	TLV_TRY(tlv_mmsb_fit_block_model(ctx, fit));
	if (may_tie)
		TLV_TRY(tlv_mmsb_tie_sides(ctx, fit));
	TLV_TRY(tlv_diagnostics_append(ctx, &of_graph, &fit->diagnostics));
	tlv_diagnostics_free(ctx, &fit->diagnostics);
	fit->diagnostics = of_graph;
	return TLV_OK;
}

static tlv_status
fit_mixed_model(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	if (fit->k == 0)
		TLV_TRY(tlv_mmsb_count_directions(ctx, fit, most_communities(fit), &fit->k));
	TLV_TRY(mmsb_check_k(ctx, fit));
	TLV_TRY(tlv_mmsb_choose_correction(ctx, fit));
	return fit_communities(ctx, fit);
}

/* All of a fit, before the graph is loaded: its moments are of k directions, or some. */
static double
fit_memory(const tlv_graph_header *header, const tlv_mmsb_fit_state *fit)
{
	/* Directions that a fit without k is expected to take. */
	const int usual_directions = 10;
	size_t sides = header->kind == TLV_GRAPH_UNDIRECTED ? 1 : 2;
	tlv_csr out = {
		.rows = header->rows, .columns = header->columns, .entries = header->entries * (3 - sides)};
	tlv_csr in = {.rows = out.columns, .columns = out.rows, .entries = out.entries};
	size_t k = fit->k > 0 ? fit->k : usual_directions;
	/* The graph without directions, where it is looked at. */
	tlv_graph_header undirected = {.kind = TLV_GRAPH_UNDIRECTED, .weighted = header->weighted};
	double moments =
		(is_mixed(fit->options) ? tlv_dirichlet_memory(k, k, &fit->options->decompose) : 0) +
		fmax(tlv_star_memory(&(tlv_star_side){.out = &out, .in = &in}, k),
			 tlv_star_memory(&(tlv_star_side){.out = &in, .in = &out}, k));

	if (header->kind == TLV_GRAPH_DIRECTED && !is_mixed(fit->options) &&
		fit->options->sides != TLV_SIDES_SEPARATE)
		undirected.entries = header->entries;
	return 2 * (tlv_graph_load_memory(header, !fit->poisson) +
				tlv_graph_load_memory(&undirected, !fit->poisson)) +
		   fmax(moments, tlv_mmsb_proposal_memory(sides == 2 ? out.rows + out.columns : out.rows,
												  2 * header->entries, sides));
}

/* What weights are divided by: their unit, or the largest of them. */
static double
weight_divisor(const tlv_mmsb_fit_state *fit)
{
	return fit->weights.unit > 0 ? fit->weights.unit : fit->weights.scale;
}

/*
 * The unit of the weights, and whether they are wanted: as counts, which is yet to be decided where
 * the options leave it open.
 */
static tlv_status
read_weights(tlv_context *ctx, const tlv_frame *frame, const tlv_graph_header *header,
			 tlv_mmsb_fit_state *fit)
{
	const tlv_mmsb_options *options = fit->options;

	fit->weights.unit = options->unit > 0 ? options->unit : 1;
	fit->poisson = options->edges == TLV_EDGES_POISSON;
	if (options->edges != TLV_EDGES_AUTO || !header->weighted)
		return TLV_OK;
	TLV_TRY(tlv_mmsb_find_unit(ctx, frame, &fit->weights));
	/* single precision is enough for ranks, whatever the unit */
	fit->poisson = fit->weights.vary;
	return TLV_OK;
}

tlv_status
tlv_mmsb_fit(tlv_context *ctx, const tlv_frame *frame, const tlv_mmsb_options *options,
			 void **image, size_t *size)
{
	tlv_mmsb_fit_state *fit = tlv_alloc0(ctx, 1, sizeof(tlv_mmsb_fit_state));
	tlv_graph_header header;
	tlv_graph graph;

	TLV_TRY_ALLOC(ctx, fit);
	TLV_TRY(check_mmsb_options(ctx, options));
	tlv_graph_read_header(frame, &header);
	if (header.entries == 0)
		return mmsb_refuse_empty(ctx, &header);
	TLV_TRY(tlv_mmsb_check_sides(ctx, options, header.kind));
	TLV_TRY(require_few_nodes(ctx, &header));
	fit->options = options;
	fit->k = options->k;
	TLV_TRY(read_weights(ctx, frame, &header, fit));
	tlv_expect_memory(ctx, fit_memory(&header, fit));
	/* as it is stored, and once more in the order of the fit */
	TLV_TRY(
		tlv_require_memory(ctx, 2 * tlv_graph_load_memory(&header, !fit->poisson), "the graph"));
	TLV_TRY(tlv_graph_load(ctx, frame, fit->poisson ? weight_divisor(fit) : 0, &graph));
	TLV_TRY(diagnose_graph(ctx, &graph, fit));
	TLV_TRY(tlv_mmsb_open_graph(ctx, &graph, fit));
	if (fit->weights.vary)
		TLV_TRY(tlv_mmsb_choose_weights(ctx, fit));
	for (size_t s = 0; s < fit->sides; s++)
		fit->side[s].names = tlv_graph_names(frame, s);
	if (is_mixed(options))
		TLV_TRY(fit_mixed_model(ctx, fit));
	else
	{
		TLV_TRY(fit_block_models(ctx, fit));
		if (fit->weights.vary && !fit->poisson)
			TLV_TRY(tlv_mmsb_follow_weights(ctx, fit));
		TLV_TRY_NEW0(ctx, fit->connectivity, fit->k * fit->k);
	}
	TLV_TRY(diagnose_sides(ctx, fit));
	TLV_TRY(warn_of_limit(ctx, fit));
	TLV_TRY(tlv_mmsb_doubt(ctx, fit));
	return tlv_mmsb_write_fit(ctx, fit, image, size);
}
