/*
 * tied.c - of a directed graph: whether nodes group as sources as they do as targets.
 *
 * The communities of sources and of targets have been found apart.  Here every node has one, and
 * rates of both directions of its own: partitions are those of the graph without directions, of the
 * sources, and of the targets, each with nodes moved under the rates of both directions.  The
 * integrated likelihood of the directed graph compares them with those apart, whose labels must be
 * told twice.
 */
#include "../internal.h"
#include "../tuning.h"

#include "tensorlv/num/rng.h"

#include <math.h>
#include <string.h>

const char *const tlv_side_choice_names[] = {"auto", "tied", "separate", NULL};

typedef struct tied_work
{
	tlv_mmsb_fit_state *fit;
	size_t all;			 /* nodes */
	int32_t *node;		 /* all: of the partition looked at; -1 without edges */
	int32_t *before;	 /* all: the same before a step that may be taken back */
	int32_t *label[2];	 /* of the partition looked at, by side */
	int32_t *best[2];	 /* of the likeliest */
	size_t k, best_k;	 /* communities of both */
	double value;		 /* evidence of the partition looked at */
	double evidence;	 /* of the likeliest */
	bool corrected;		 /* for degrees */
	bool best_corrected; /* likewise */
	bool tree;			 /* sides show no communities, and edges without directions a tree */
	size_t most;		 /* communities that the options and the nodes allow */
	tlv_diagnostics diagnostics; /* of the graph without directions */
} tied_work;

tlv_status
tlv_mmsb_check_sides(tlv_context *ctx, const tlv_mmsb_options *options, tlv_graph_kind kind)
{
	if (options->sides != TLV_SIDES_AUTO && kind != TLV_GRAPH_DIRECTED)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "%s sides are those of directed graphs, not of %s ones",
				 tlv_side_choice_names[options->sides], tlv_graph_kind_name(kind));
		return tlv_fail_hint(ctx, "Omit sides, or use directed => true.");
	}
	if (options->sides == TLV_SIDES_TIED && options->alpha0 > 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "tied sides are for alpha0 = 0, not %g", options->alpha0);
		return tlv_fail_hint(ctx,
							 "Mixed memberships are of sources and targets apart: omit sides.");
	}
	return TLV_OK;
}

/* ---- the graph without directions ---- */

tlv_status
tlv_mmsb_join_directions(tlv_context *ctx, const tlv_mmsb_fit_state *fit, size_t *split,
						 tlv_csr *to)
{
	const tlv_mmsb_side *side = fit->side;
	size_t all = side[0].all, at = 0, *place;
	bool valued = side[0].edges.value != NULL;

	TLV_TRY(tlv_csr_create(ctx, all, all, 2 * side[0].edges.entries, valued, to));
	TLV_TRY_NEW0(ctx, place, all);
	for (size_t i = 0; i < all; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		to->start[i] = at;
		for (size_t s = 0; s < 2; s++)
		{
			const tlv_csr *edges = &side[s].edges;
			size_t u = (size_t) side[s].place[i];

			if (split != NULL && s == 1)
				split[i] = at;
			if (side[s].place[i] < 0)
				continue;
			for (size_t e = edges->start[u]; e < edges->start[u + 1]; e++)
			{
				size_t v = (size_t) side[1 - s].position[edges->index[e]];

				if (split != NULL || place[v] <= to->start[i])
				{
					to->index[at] = (int32_t) v;
					if (valued)
						to->value[at] = 0;
					place[v] = ++at;
				}
				if (valued)
					to->value[place[v] - 1] += edges->value[e];
			}
		}
	}
	to->start[all] = to->entries = at;
	tlv_free(ctx, place);
	return TLV_OK;
}

static void
close_both(tlv_context *ctx, tlv_mmsb_side *side)
{
	if (side->label != side->proposed)
		tlv_free(ctx, side->label);
	tlv_free(ctx, side->proposed);
	tlv_free(ctx, side->fixed);
	tlv_free(ctx, side->degree);
	tlv_free(ctx, side->position);
	tlv_free(ctx, side->place);
	tlv_csr_free(ctx, &side->edges);
}

/* The communities of the graph without directions. */
static tlv_status
fit_without_directions(tlv_context *ctx, tied_work *work, bool *corrected)
{
	const tlv_mmsb_fit_state *fit = work->fit;
	tlv_mmsb_options options = *fit->options;
	tlv_mmsb_fit_state both = {.options = &options,
							   .k = options.n_labels > 0 ? fit->k : options.k,
							   .poisson = fit->poisson};
	tlv_graph graph = {.header = fit->header};

	graph.header.kind = TLV_GRAPH_UNDIRECTED;
	graph.nodes[0] = graph.nodes[1] = (int64_t *) fit->side[0].ids;
	TLV_TRY(tlv_mmsb_join_directions(ctx, fit, NULL, &graph.out));
	graph.in = graph.out;
	/* weights have been checked, those of two directions may add up to more, and labels are known
	 */
	options.edges = TLV_EDGES_AUTO;
	TLV_TRY(tlv_mmsb_open_graph(ctx, &graph, &both));
	tlv_diagnostics_free(ctx, &both.diagnostics);
	TLV_TRY(tlv_mmsb_fit_block_model(ctx, &both));
	for (size_t i = 0; i < work->all; i++)
		work->node[i] = both.side[0].place[i] < 0 ? -1 : both.side[0].label[both.side[0].place[i]];
	work->k = both.k;
	work->most = options.k > 0 || options.n_labels > 0 ? both.k : tlv_proposal_most(&both);
	*corrected = both.corrected;
	work->tree = both.tree && fit->k == 1;
	work->diagnostics = both.diagnostics;
	close_both(ctx, &both.side[0]);
	return TLV_OK;
}

/* ---- partitions ---- */

/* The communities of one side; of nodes without edges there, those of the other one. */
static void
take_side(tied_work *work, size_t s)
{
	const tlv_mmsb_side *own = &work->fit->side[s], *other = &work->fit->side[1 - s];

	for (size_t i = 0; i < work->all; i++)
		work->node[i] = own->place[i] >= 0	   ? own->label[own->place[i]]
						: other->place[i] >= 0 ? other->label[other->place[i]]
											   : -1;
	work->k = work->fit->k;
}

/* Groups of nodes that have both communities in common. */
static void
cross_sides(tied_work *work)
{
	const tlv_mmsb_side *side = work->fit->side;
	int32_t k = (int32_t) work->fit->k;

	for (size_t i = 0; i < work->all; i++)
	{
		int32_t u = side[0].place[i], v = side[1].place[i];

		if (u >= 0 && v >= 0)
			work->node[i] = side[0].label[u] * k + side[1].label[v];
		else if (u >= 0 || v >= 0)
			work->node[i] = (k + 1) * (u >= 0 ? side[0].label[u] : side[1].label[v]);
	}
	work->k = work->fit->k * work->fit->k;
}

/* Random groups, as many as are wanted or a few. */
static void
draw_groups(tied_work *work, tlv_rng *rng)
{
	const tlv_mmsb_side *side = work->fit->side;

	work->k = work->fit->options->k > 0 ? work->most : tlv_least(FEW_JOINED, work->most);
	for (size_t i = 0; i < work->all; i++)
		work->node[i] = side[0].place[i] < 0 && side[1].place[i] < 0
							? -1
							: (int32_t) tlv_rng_below(rng, work->k);
}

static void
spread_labels(tied_work *work)
{
	for (size_t s = 0; s < 2; s++)
		for (size_t u = 0; u < work->fit->side[s].n; u++)
			work->label[s][u] = work->node[work->fit->side[s].position[u]];
}

/* Where k is chosen, communities without nodes are left out. */
static tlv_status
drop_unused(tlv_context *ctx, tied_work *work)
{
	int32_t *number, used = 0;

	if (work->fit->options->k > 0 || work->fit->options->n_labels > 0)
		return TLV_OK;
	TLV_TRY_NEW0(ctx, number, work->k);
	for (size_t i = 0; i < work->all; i++)
		if (work->node[i] >= 0)
			number[work->node[i]] = 1;
	for (size_t a = 0; a < work->k; a++)
		number[a] = number[a] > 0 ? used++ : 0;
	for (size_t i = 0; i < work->all; i++)
		if (work->node[i] >= 0)
			work->node[i] = number[work->node[i]];
	work->k = (size_t) used;
	tlv_free(ctx, number);
	return TLV_OK;
}

/* Evidence of the partition looked at, with one rate between communities or one for every two. */
static tlv_status
weigh_tied(tlv_context *ctx, tied_work *work)
{
	double found[2];

	spread_labels(work);
	TLV_TRY(tlv_mmsb_evidence(ctx, work->fit, work->label, work->k, work->corrected, found));
	work->value = fmax(found[0], found[1]);
	return TLV_OK;
}

/* Where the partition looked at is likelier than it was, it stays; else it is as before. */
static tlv_status
keep_or_return(tlv_context *ctx, tied_work *work, bool *better)
{
	double value = work->value;

	TLV_TRY(weigh_tied(ctx, work));
	*better = work->value > value;
	if (*better)
		return TLV_OK;
	memcpy(work->node, work->before, work->all * sizeof(int32_t));
	work->value = value;
	return TLV_OK;
}

static void
take_tied(tied_work *work)
{
	if (work->k > work->most || work->value <= work->evidence)
		return;
	spread_labels(work);
	work->evidence = work->value;
	work->best_k = work->k;
	work->best_corrected = work->corrected;
	for (size_t s = 0; s < 2; s++)
		memcpy(work->best[s], work->label[s], work->fit->side[s].n * sizeof(int32_t));
}

/* ---- moves ---- */

/* The rates of a partition, and what they let expect of a node. */
typedef struct tied_rates
{
	tlv_block_model model;
	double *edges, *expected, *rate, *log_rate; /* k x k, source by target */
	double *sums;								/* 2 x k: expected edges of a node of mass 1 */
	double *counts;								/* k: of a node's edges in one direction */
	double *score;								/* k */
} tied_rates;

static tlv_status
open_rates(tlv_context *ctx, const tied_work *work, tied_rates *rates)
{
	const tlv_mmsb_fit_state *fit = work->fit;
	size_t k = work->k;

	rates->model = (tlv_block_model){.k = k, .sides = 2, .total = fit->total};
	for (size_t s = 0; s < 2; s++)
	{
		double *propensity;

		TLV_TRY_NEW(ctx, propensity, fit->side[s].n);
		for (size_t u = 0; u < fit->side[s].n; u++)
			propensity[u] =
				work->corrected ? fit->side[s].degree[u] / fit->total : 1 / (double) fit->side[s].n;
		rates->model.side[s] = (tlv_block_side){.n = fit->side[s].n,
												.edges = &fit->side[s].edges,
												.propensity = propensity,
												.label = work->label[s]};
	}
	TLV_TRY_NEW_ROWS(ctx, rates->edges, k, 4 * (k + 1));
	rates->expected = rates->edges + k * k;
	rates->rate = rates->expected + k * k;
	rates->log_rate = rates->rate + k * k;
	rates->sums = rates->log_rate + k * k;
	rates->counts = rates->sums + 2 * k;
	rates->score = rates->counts + k;
	return TLV_OK;
}

static void
close_rates(tlv_context *ctx, tied_rates *rates)
{
	for (size_t s = 0; s < 2; s++)
		tlv_free(ctx, (void *) rates->model.side[s].propensity);
	tlv_free(ctx, rates->edges);
}

/* Estimates the rates from the labels of both sides. */
static tlv_status
find_rates(tlv_context *ctx, tied_rates *rates)
{
	const tlv_block_side *side = rates->model.side;
	size_t k = rates->model.k;
	double *mass[2] = {rates->counts, rates->score}, total = rates->model.total;
	tlv_block_sums sums = {k, 2, rates->edges, rates->expected};

	memset(rates->edges, 0, k * k * sizeof(double));
	TLV_TRY(
		tlv_block_edges(ctx, side[0].edges, side[0].label, side[1].label, k, true, rates->edges));
	for (size_t s = 0; s < 2; s++)
	{
		memset(mass[s], 0, k * sizeof(double));
		for (size_t u = 0; u < side[s].n; u++)
			mass[s][side[s].label[u]] += side[s].propensity[u];
	}
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			rates->expected[a + k * b] = total * mass[0][a] * mass[1][b];
	tlv_block_rates(&sums, false, rates->rate, rates->log_rate);
	memset(rates->sums, 0, 2 * k * sizeof(double));
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
		{
			rates->sums[a] += total * mass[1][b] * rates->rate[a + k * b];
			rates->sums[k + b] += total * mass[0][a] * rates->rate[a + k * b];
		}
	return TLV_OK;
}

/* Adds the log-likelihood of the edges of node u on side s to the score of each community. */
static void
add_scores(tied_rates *rates, size_t s, size_t u)
{
	const tlv_block_side *side = &rates->model.side[s];
	const tlv_csr *edges = side->edges;
	size_t k = rates->model.k;

	memset(rates->counts, 0, k * sizeof(double));
	for (size_t e = edges->start[u]; e < edges->start[u + 1]; e++)
		rates->counts[rates->model.side[1 - s].label[edges->index[e]]] +=
			edges->value == NULL ? 1 : (double) edges->value[e];
	for (size_t a = 0; a < k; a++)
		rates->score[a] -= side->propensity[u] * rates->sums[s * k + a];
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k && rates->counts[b] > 0; a++)
			rates->score[a] += rates->counts[b] * rates->log_rate[s == 0 ? a + k * b : b + k * a];
}

/* All nodes once, at the rates as they are; *moved of them move. */
static tlv_status
move_tied(tlv_context *ctx, tied_work *work, tied_rates *rates, size_t *moved)
{
	const tlv_mmsb_side *side = work->fit->side;

	*moved = 0;
	for (size_t i = 0; i < work->all; i++)
	{
		size_t to = 0;

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		if (work->node[i] < 0)
			continue;
		memset(rates->score, 0, work->k * sizeof(double));
		for (size_t s = 0; s < 2; s++)
			if (side[s].place[i] >= 0)
				add_scores(rates, s, (size_t) side[s].place[i]);
		for (size_t a = 1; a < work->k; a++)
			to = rates->score[a] > rates->score[to] ? a : to;
		if (rates->score[to] <= rates->score[work->node[i]])
			continue;
		++*moved;
		work->node[i] = (int32_t) to;
		for (size_t s = 0; s < 2; s++)
			if (side[s].place[i] >= 0)
				work->label[s][side[s].place[i]] = (int32_t) to;
	}
	return TLV_OK;
}

/* Nodes move until none does, where that makes the partition likelier. */
static tlv_status
move_all(tlv_context *ctx, tied_work *work)
{
	tied_rates rates;
	size_t moved = 1;
	bool better;

	memcpy(work->before, work->node, work->all * sizeof(int32_t));
	spread_labels(work);
	TLV_TRY(open_rates(ctx, work, &rates));
	for (int sweep = 0; sweep < GROUP_SWEEPS && moved > 0; sweep++)
	{
		TLV_TRY(find_rates(ctx, &rates));
		TLV_TRY(move_tied(ctx, work, &rates, &moved));
	}
	close_rates(ctx, &rates);
	return keep_or_return(ctx, work, &better);
}

/* ---- joins ---- */

/* The first two communities whose union is likelier become one; *joined says whether there are. */
static tlv_status
join_two(tlv_context *ctx, tied_work *work, bool *joined)
{
	*joined = false;
	for (size_t a = 0; a < work->k && !*joined; a++)
		for (size_t b = a + 1; b < work->k && !*joined; b++)
		{
			memcpy(work->before, work->node, work->all * sizeof(int32_t));
			for (size_t i = 0; i < work->all; i++)
				if (work->node[i] == (int32_t) b)
					work->node[i] = (int32_t) a;
			TLV_TRY(keep_or_return(ctx, work, joined));
		}
	return *joined ? drop_unused(ctx, work) : TLV_OK;
}

/* The partition looked at with its nodes moved, and of a few communities, where their number is
 * chosen, two joined as long as that is likelier.  Known labels and parts of trees stay. */
static tlv_status
try_tied(tlv_context *ctx, tied_work *work, bool corrected)
{
	const tlv_mmsb_options *options = work->fit->options;
	bool joined = options->k == 0;

	work->corrected = corrected;
	TLV_TRY(drop_unused(ctx, work));
	TLV_TRY(weigh_tied(ctx, work));
	if (work->k > 1 && work->k <= TLV_MMSB_MOST && options->n_labels == 0 && !work->tree)
	{
		TLV_TRY(move_all(ctx, work));
		TLV_TRY(drop_unused(ctx, work));
		while (joined && work->k > 1 && work->k <= FEW_JOINED)
			TLV_TRY(join_two(ctx, work, &joined));
		TLV_TRY(move_all(ctx, work));
		TLV_TRY(drop_unused(ctx, work));
	}
	take_tied(work);
	return TLV_OK;
}

/* ---- the choice ---- */

/* From the communities of sources and of targets. */
static tlv_status
try_sides(tlv_context *ctx, tied_work *work)
{
	const tlv_mmsb_fit_state *fit = work->fit;

	for (size_t s = 0; s < 2; s++)
	{
		take_side(work, s);
		TLV_TRY(try_tied(ctx, work, fit->corrected));
	}
	if (fit->options->k > 0 || fit->options->n_labels > 0 || fit->k > FEW_JOINED)
		return TLV_OK;
	cross_sides(work);
	return try_tied(ctx, work, fit->corrected);
}

/* From random groups, which find blocks that are no denser inside. */
static tlv_status
try_random_groups(tlv_context *ctx, tied_work *work)
{
	const tlv_mmsb_options *options = work->fit->options;
	tlv_rng rng;

	if (work->fit->side[0].edges.entries > LARGE_ENDS)
		return TLV_OK;
	tlv_rng_seed(&rng, options->seed);
	for (int corrected = 0; corrected < 2; corrected++)
		for (int i = 0; i < TIED_DRAWS && tlv_proposal_may_be(work->fit, corrected); i++)
		{
			draw_groups(work, &rng);
			TLV_TRY(try_tied(ctx, work, corrected));
		}
	return TLV_OK;
}

/* The likeliest partition in which every node has one community. */
static tlv_status
find_tied(tlv_context *ctx, tied_work *work)
{
	const tlv_mmsb_options *options = work->fit->options;
	bool corrected;

	for (size_t s = 0; s < 2; s++)
	{
		TLV_TRY_NEW(ctx, work->label[s], work->fit->side[s].n);
		TLV_TRY_NEW(ctx, work->best[s], work->fit->side[s].n);
	}
	TLV_TRY_NEW(ctx, work->node, work->all);
	TLV_TRY_NEW(ctx, work->before, work->all);
	TLV_TRY(fit_without_directions(ctx, work, &corrected));
	TLV_TRY(try_tied(ctx, work, corrected));
	if (work->fit->k > 1)
		TLV_TRY(try_sides(ctx, work));
	if (options->n_labels == 0 && !work->tree)
		TLV_TRY(try_random_groups(ctx, work));
	for (size_t s = 0; s < 2; s++)
		tlv_free(ctx, work->label[s]);
	tlv_free(ctx, work->before);
	tlv_free(ctx, work->node);
	return TLV_OK;
}

tlv_status
tlv_mmsb_tie_sides(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	tied_work work = {.fit = fit, .all = fit->side[0].all, .evidence = -HUGE_VAL};
	int32_t *const label[2] = {fit->side[0].label, fit->side[1].label};
	double apart[2], gain;

	TLV_TRY(tlv_mmsb_evidence(ctx, fit, label, fit->k, fit->corrected, apart));
	fit->tied = true;
	TLV_TRY(find_tied(ctx, &work));
	gain = work.evidence - fmax(apart[0], apart[1]);
	fit->tied = gain >= 0 || work.tree || fit->options->sides == TLV_SIDES_TIED;
	tlv_diagnostics_free(ctx, fit->tied ? &fit->diagnostics : &work.diagnostics);
	if (fit->tied)
		fit->diagnostics = work.diagnostics;
	if (!fit->tied && fit->draft && fit->options->k == 0 && fit->options->n_labels == 0)
	{
		tlv_diagnostics_free(ctx, &fit->diagnostics);
		fit->draft = false;
		fit->k = 0;
		TLV_TRY(tlv_mmsb_fit_block_model(ctx, fit));
	}
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, gain, "gain_of_tied_sides"));
	for (size_t s = 0; s < 2 && !fit->tied; s++)
		tlv_free(ctx, work.best[s]);
	if (!fit->tied)
		return TLV_OK;
	fit->k = work.best_k;
	fit->corrected = work.best_corrected;
	for (size_t s = 0; s < 2; s++)
		fit->side[s].label = work.best[s];
	return TLV_OK;
}
