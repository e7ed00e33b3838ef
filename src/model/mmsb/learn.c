/*
 * learn.c - the whole of learning communities (mmsb.h): one scan for the graph, of edges or of
 * nodes with their neighbours, one for the known labels of nodes where there are some, and the fit.
 */
#include <math.h>
#include <string.h>

#include "errors.h"
#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/support.h"
#include "tensorlv/num/rng.h"
#include "mixed/memberships.h"
#include "tuning.h"
#include "tensorlv/num/sort.h"

/* Student's quantile of 95 % intervals for DRAWN_GRAPHS, 20. */
#define BIAS_QUANTILE 2.086

/* ---- errors of mixed memberships ---- */

/*
 * Memberships are drawn again for every graph, from the Dirichlet distribution of the model: its
 * moments are those of a population, which the nodes are a sample of, and with the memberships of
 * the model for all graphs intervals of the connectivity hold .86 instead of .95.
 */

/* Seeds of the graphs are far from those of fits. */
#define SEED_OF_GRAPHS 0x626f6f7473747261u

typedef struct bootstrap
{
	const tlv_frame *model;
	tlv_mmsb_parts parts;
	tlv_mmsb_options options;
	tlv_estimates *list;
	double *sums;	 /* of every estimate: sum of distances */
	double *squares; /* and of their squares */
	double done;	 /* fits */
} bootstrap;

static tlv_status
mixed_put_edge(tlv_context *ctx, void *argument, int64_t source, int64_t target, double weight)
{
	return tlv_add(ctx, argument, TLV_AS_EDGE(source, target, weight));
}

/* ---- drawing ---- */

/* Shares of Dirichlet(alpha): one community where alpha is so small that all are 0. */
static void
draw_shares(tlv_rng *rng, size_t k, const double *alpha, double *shares)
{
	double sum = 0, left = 0;

	for (size_t a = 0; a < k; a++)
	{
		shares[a] = alpha[a] > 0 ? tlv_rng_gamma(rng, alpha[a]) : 0;
		sum += shares[a];
		left += alpha[a];
	}
	left *= sum > 0 ? 0 : tlv_rng_uniform(rng);
	for (size_t a = 0; a < k; a++)
	{
		shares[a] = sum > 0 ? shares[a] / sum : left >= 0 && (left < alpha[a] || a + 1 == k);
		left -= sum > 0 || shares[a] == 1 ? INFINITY : alpha[a];
	}
}

static bool
is_labelled(const tlv_mmsb_options *options, int64_t node)
{
	return tlv_find_id(options->label_nodes, options->n_labels, node) < options->n_labels;
}

/* Memberships of the nodes of a side; those without any have none, and known ones are kept. */
static tlv_status
draw_memberships(tlv_context *ctx, const bootstrap *state, size_t s, tlv_rng *rng,
				 tlv_memberships *to)
{
	const tlv_memberships *from = &state->parts.side[s].memberships;
	tlv_membership_builder builder;
	size_t k = state->parts.k;
	double *shares;

	TLV_TRY(tlv_memberships_begin(ctx, from->n, 2 * from->n, &builder));
	TLV_TRY_NEW(ctx, shares, k);
	for (size_t u = 0; u < from->n; u++)
	{
		bool any = from->start[u + 1] > from->start[u];

		TLV_TRY_CONTINUE(ctx);
		draw_shares(rng, k, state->parts.alpha + s * k, shares);
		if (any && s == 0 && is_labelled(&state->options, state->parts.side[s].nodes[u]))
		{
			memset(shares, 0, k * sizeof(double));
			for (size_t e = from->start[u]; e < from->start[u + 1]; e++)
				shares[from->community[e]] = from->share[e];
		}
		TLV_TRY(tlv_memberships_append(ctx, &builder, k, any ? shares : NULL));
	}
	*to = builder.memberships;
	return TLV_OK;
}

/* The model with other memberships, as numbers and as a value. */
static tlv_status
draw_truth(tlv_context *ctx, const bootstrap *state, uint64_t seed, tlv_mmsb_parts *parts,
		   tlv_frame *truth)
{
	tlv_rng rng;
	void *image;
	size_t size;

	tlv_rng_seed(&rng, seed);
	*parts = state->parts;
	for (size_t s = 0; s < parts->sides; s++)
		TLV_TRY(draw_memberships(ctx, state, s, &rng, &parts->side[s].memberships));
	TLV_TRY(tlv_mmsb_write(ctx, parts, &image, &size));
	return tlv_frame_open(ctx, image, size, truth);
}

/* The graph of edges that were collected, whose accumulator is freed. */
static tlv_status
mmsb_finish_graph(tlv_context *ctx, tlv_accumulator *edges, tlv_frame *graph)
{
	tlv_frame_builder *builder;
	void *image;
	size_t size;

	TLV_TRY_NEW(ctx, builder, 1);
	TLV_TRY(tlv_accumulator_store(ctx, edges, builder));
	TLV_TRY(tlv_frame_finish(ctx, builder, &image, &size));
	tlv_graph_accumulator_free(ctx, edges);
	return tlv_frame_open(ctx, image, size, graph);
}

/* A graph drawn from these. */
static tlv_status
draw_graph(tlv_context *ctx, const tlv_mmsb_parts *parts, uint64_t seed, tlv_frame *graph)
{
	tlv_accumulator *edges;

	TLV_TRY(tlv_graph_accumulator_create(ctx, parts->graph, parts->poisson, &edges));
	TLV_TRY(tlv_mmsb_simulate_edges(ctx, parts, seed, mixed_put_edge, edges));
	return mmsb_finish_graph(ctx, edges, graph);
}

/* ---- fits ---- */

/* Where the numbers of a fit stand of which the model's is the i-th; community i of the model is
 * component[i] of the fit. */
static size_t
place_in_fit(const bootstrap *state, const int64_t *component, size_t i)
{
	size_t k = state->parts.k, before = state->list->n - k * k;

	if (i < before)
		return i - i % k + (size_t) component[i % k];
	i -= before;
	return before + (size_t) component[i / k] * k + (size_t) component[i % k];
}

static tlv_status
mixed_add_fit(tlv_context *ctx, bootstrap *state, const tlv_frame *truth, const tlv_frame *fit)
{
	tlv_estimates list = {0};
	tlv_match match;

	TLV_TRY(tlv_mmsb_estimates(ctx, fit, &list));
	if (list.n != state->list->n)
		return TLV_OK;
	TLV_TRY(tlv_model_match(ctx, truth, fit, &match));
	for (size_t i = 0; i < list.n; i++)
	{
		size_t at = place_in_fit(state, match.component, i);
		double apart = list.list[at].estimate - state->list->list[i].estimate;

		state->sums[i] += apart;
		state->squares[i] += apart * apart;
	}
	state->done++;
	return TLV_OK;
}

static tlv_status
draw_and_fit(tlv_context *ctx, bootstrap *state, int b)
{
	uint64_t seed = tlv_mix64(state->options.seed ^ SEED_OF_GRAPHS) + (uint64_t) b;
	tlv_frame graph, fit, truth;
	tlv_mmsb_parts parts;
	void *image;
	size_t size;
	tlv_status status;

	TLV_TRY(draw_truth(ctx, state, seed, &parts, &truth));
	TLV_TRY(draw_graph(ctx, &parts, seed, &graph));
	status = tlv_mmsb_fit(ctx, &graph, &state->options, &image, &size);
	if (status == TLV_BAD_DATA)
		return TLV_OK; /* hardly any edges */
	TLV_TRY(status);
	TLV_TRY(tlv_frame_open(ctx, image, size, &fit));
	return mixed_add_fit(ctx, state, &truth, &fit);
}

/* Options for fits as the model's. */
static tlv_mmsb_options
mmsb_options_of(const tlv_mmsb_parts *parts, const tlv_mmsb_options *options)
{
	tlv_mmsb_options same = *options;

	same.k = parts->k;
	same.max_k = 0;
	same.alpha0 = parts->alpha0;
	same.edges = parts->poisson ? TLV_EDGES_POISSON : TLV_EDGES_BERNOULLI;
	same.unit = parts->unit;
	same.degree_corrected = parts->degree_corrected ? TLV_DEGREES_CORRECTED : TLV_DEGREES_PLAIN;
	if (parts->graph == TLV_GRAPH_DIRECTED && parts->alpha0 == 0)
		same.sides = parts->tied ? TLV_SIDES_TIED : TLV_SIDES_SEPARATE;
	return same;
}

static tlv_status
begin_bootstrap(tlv_context *ctx, const tlv_mmsb_options *options, bootstrap *state)
{
	TLV_TRY(tlv_mmsb_read(ctx, state->model, &state->parts));
	TLV_TRY(tlv_mmsb_estimates(ctx, state->model, state->list));
	TLV_TRY_NEW0(ctx, state->sums, 2 * state->list->n);
	state->squares = state->sums + state->list->n;
	state->options = mmsb_options_of(&state->parts, options);
	state->options.unit = 1; /* graphs are drawn as counts */
	return TLV_OK;
}

static tlv_status
run_bootstrap(tlv_context *ctx, bootstrap *state)
{
	for (int b = 0; b < DRAWN_GRAPHS; b++)
	{
		tlv_scratch scratch;
		tlv_status status;

		tlv_report(ctx, "errors", b, DRAWN_GRAPHS);
		TLV_TRY_CONTINUE(ctx);
		tlv_scratch_begin(ctx, &scratch);
		status = draw_and_fit(ctx, state, b);
		tlv_scratch_end(ctx, &scratch);
		TLV_TRY(status);
	}
	if (2 * state->done < DRAWN_GRAPHS)
		return tlv_fail(ctx, TLV_BAD_DATA,
						"%.0f of %d graphs drawn from the model have as many communities",
						state->done, DRAWN_GRAPHS);
	return TLV_OK;
}

/*
 * How far an estimate is from the truth, with its bias b and deviation s over the fits: s + |b| /
 * z, so that an interval of z errors reaches as far to the side of the bias as one of z s about
 * what is not biased.  The root of s^2 + b^2 is less: intervals of rare edges then hold .91.
 */
static double
error_with_bias(const bootstrap *state, size_t i)
{
	double mean = state->sums[i] / state->done;
	double variance = fmax(state->squares[i] - state->done * mean * mean, 0) / (state->done - 1);
	double bias = sqrt(fmax(mean * mean - variance / state->done, 0));

	return sqrt(variance) + bias / BIAS_QUANTILE;
}

/*
 * The model with the standard errors of fits with these options to graphs drawn from it: of every
 * number the deviation of their numbers and what the bias adds to an interval, communities matched
 * by their nodes.  Errors: TLV_BAD_DATA where less
 * than half of the graphs have as many communities, memory, TLV_CANCELLED.
 */
static tlv_status
mmsb_bootstrap(tlv_context *ctx, const tlv_frame *model, const tlv_mmsb_options *options,
			   void **image, size_t *size)
{
	tlv_estimates list = {0};
	bootstrap state = {.model = model, .list = &list};

	TLV_TRY(begin_bootstrap(ctx, options, &state));
	TLV_TRY(run_bootstrap(ctx, &state));
	for (size_t i = 0; i < list.n; i++)
	{
		list.list[i].standard_error = error_with_bias(&state, i);
		list.list[i].degrees = state.done;
	}
	return tlv_errors_write(ctx, model, &list, image, size);
}

/* The model with standard errors: those of a block model follow from itself, those of mixed
 * memberships from graphs drawn from the model and fitted with these options. */
static tlv_status
mmsb_add_errors(tlv_context *ctx, tlv_source *rows, const tlv_mmsb_options *options,
				tlv_held *model)
{
	tlv_making made;
	tlv_status status;

	if (!(options->alpha0 > 0))
		return tlv_collect_errors(ctx, rows, model);
	status = TLV_MAKE(ctx, &made, model,
					  mmsb_bootstrap(ctx, &model->frame, options, &made.image, &made.size));
	if (status == TLV_OK)
		return TLV_OK;
	TLV_TRY(tlv_refuse_errors(ctx, status, &model->image, &model->size));
	return tlv_frame_open(ctx, model->image, model->size, &model->frame);
}

/* ---- support ---- */

typedef struct graph_support
{
	const tlv_frame *model, *graph;
	tlv_mmsb_parts parts;
	tlv_mmsb_options options;
	double *apart; /* k: sums of distances to the partners */
} graph_support;

/* The graph without a quarter of its edges. */
static tlv_status
mmsb_leave_out(tlv_context *ctx, const graph_support *state, uint64_t part, tlv_frame *rest)
{
	tlv_graph_cursor *cursor;
	tlv_accumulator *edges;
	tlv_graph_header header;
	int64_t ends[2];
	double weight;

	tlv_graph_read_header(state->graph, &header);
	TLV_TRY(tlv_graph_accumulator_create(ctx, header.kind, header.weighted, &edges));
	TLV_TRY(tlv_graph_cursor_open(ctx, state->graph, &cursor));
	for (size_t e = 0; tlv_graph_cursor_next(cursor, &ends[0], &ends[1], &weight); e++)
	{
		uint64_t key = tlv_mix64(tlv_fingerprint(ends, sizeof(ends), state->options.seed));

		TLV_TRY_CONTINUE_OFTEN(ctx, e);
		if (key % TLV_SUPPORT_PARTS != part)
			TLV_TRY(tlv_add(ctx, edges, TLV_AS_EDGE(ends[0], ends[1], weight)));
	}
	tlv_graph_cursor_close(ctx, cursor);
	return mmsb_finish_graph(ctx, edges, rest);
}

static tlv_status
mmsb_learn_without(tlv_context *ctx, const graph_support *state, uint64_t part)
{
	tlv_mmsb_options options = state->options;
	tlv_frame rest, fit;
	tlv_match match;
	size_t size;
	void *image;

	options.seed += part + 1;
	TLV_TRY(mmsb_leave_out(ctx, state, part, &rest));
	TLV_TRY(tlv_mmsb_fit(ctx, &rest, &options, &image, &size));
	TLV_TRY(tlv_frame_open(ctx, image, size, &fit));
	TLV_TRY(tlv_model_match(ctx, state->model, &fit, &match));
	for (size_t a = 0; a < state->parts.k; a++)
		state->apart[a] += (match.component[a] >= 0 ? match.distance[a] : 1) / TLV_SUPPORT_PARTS;
	return TLV_OK;
}

/* known: false where a part has no fit. */
static tlv_status
mmsb_learn_parts(tlv_context *ctx, graph_support *state, bool *known)
{
	*known = true;
	for (uint64_t part = 0; *known && part < TLV_SUPPORT_PARTS; part++)
	{
		tlv_scratch scratch;
		tlv_status status;

		tlv_report(ctx, "support", (double) part, TLV_SUPPORT_PARTS);
		tlv_scratch_begin(ctx, &scratch);
		status = mmsb_learn_without(ctx, state, part);
		tlv_scratch_end(ctx, &scratch);
		*known = status != TLV_BAD_DATA && status != TLV_BAD_PARAMETER &&
				 status != TLV_NOT_IDENTIFIABLE && status != TLV_MEMORY_LIMIT &&
				 status != TLV_LIMIT; /* else there is no telling */
		if (*known)
			TLV_TRY(status);
	}
	return TLV_OK;
}

/*
 * The model with the numbers "recurrence_1" and so on and the warnings "spurious_component": how
 * far its communities are from those of fits with these options that leave a quarter of the graph's
 * edges out in turn.  Errors: memory, TLV_CANCELLED.
 */
static tlv_status
mmsb_support(tlv_context *ctx, const tlv_frame *model, const tlv_frame *graph,
			 const tlv_mmsb_options *options, void **image, size_t *size)
{
	graph_support state = {.model = model, .graph = graph};
	tlv_diagnostics all = {0};
	bool known;

	TLV_TRY(tlv_mmsb_read(ctx, model, &state.parts));
	state.options = mmsb_options_of(&state.parts, options);
	TLV_TRY_NEW0(ctx, state.apart, state.parts.k);
	TLV_TRY(mmsb_learn_parts(ctx, &state, &known));
	for (size_t a = 0; !known && a < state.parts.k; a++)
		state.apart[a] = NAN;
	TLV_TRY(tlv_diagnostics_copy(ctx, &all, model, NULL));
	TLV_TRY(tlv_support_diagnose(ctx, "community", "spurious_component", "edges", state.parts.k,
								 state.apart, &all));
	return tlv_diagnostics_rewrite(ctx, model, &all, image, size);
}

static tlv_status
add_support(tlv_context *ctx, const tlv_frame *graph, const tlv_mmsb_options *options,
			tlv_held *model)
{
	tlv_making made;

	if (tlv_model_components(&model->frame) == 1)
		return TLV_OK;
	return TLV_MAKE(ctx, &made, model,
					mmsb_support(ctx, &model->frame, graph, options, &made.image, &made.size));
}

/* What collects the graph: rows of neighbours have every edge of an undirected graph twice. */
static const tlv_aggregate *
graph_aggregate(const tlv_source *rows, tlv_graph_kind kind)
{
	static const tlv_aggregate *const of_edges[] = {[TLV_GRAPH_UNDIRECTED] = &tlv_aggregate_graph,
													[TLV_GRAPH_DIRECTED] = &tlv_aggregate_digraph,
													[TLV_GRAPH_BIPARTITE] = &tlv_aggregate_bigraph};

	if (rows->rows.form != TLV_ROW_NEIGHBOURS)
		return of_edges[kind];
	return kind == TLV_GRAPH_BIPARTITE ? &tlv_aggregate_weighted_bigraph
									   : &tlv_aggregate_weighted_digraph;
}

/* The undirected graph in place of the one that rows of neighbours have made. */
static tlv_status
fold_graph(tlv_context *ctx, tlv_value **graph)
{
	tlv_scratch scratch;
	tlv_status status;
	void *image;
	size_t size;

	tlv_scratch_begin(ctx, &scratch);
	status = tlv_graph_fold(ctx, &(*graph)->frame, &image, &size);
	if (status == TLV_OK)
		tlv_scratch_keep(ctx, image);
	tlv_scratch_end(ctx, &scratch);
	TLV_TRY(status);
	tlv_value_drop(*graph);
	return tlv_value_of_image(ctx, image, size, graph);
}

/* The known labels of nodes into the options. */
static tlv_status
collect_labels(tlv_context *ctx, tlv_source *labels, tlv_mmsb_options *fit)
{
	tlv_value *value;

	if (labels == NULL)
		return TLV_OK;
	TLV_TRY(tlv_collect(ctx, labels, "labels", 1, 1,
						&(tlv_statistic){.aggregate = &tlv_aggregate_bigraph}, &value));
	fit->empty_labels = value == NULL;
	if (value != NULL)
		TLV_TRY(tlv_mmsb_labels_of_graph(ctx, &value->frame, fit));
	tlv_value_drop(value);
	return TLV_OK;
}

static tlv_status
collect_graph(tlv_context *ctx, tlv_source *rows, tlv_graph_kind kind, tlv_value **graph)
{
	/* Of a value, besides weights: the distance to the edge before it, and its part of a node. */
	const int edge_bytes = 8;

	TLV_TRY(tlv_collect_growing(ctx, rows, "graph", 1 + (rows->labels != NULL),
								&(tlv_statistic){.aggregate = graph_aggregate(rows, kind)},
								edge_bytes, graph));
	TLV_TRY(tlv_require_rows(ctx, *graph, "rows"));
	if (rows->rows.form != TLV_ROW_NEIGHBOURS || kind != TLV_GRAPH_UNDIRECTED)
		return TLV_OK;
	return fold_graph(ctx, graph);
}

static tlv_status
mmsb_learn(tlv_context *ctx, tlv_source *rows, const void *argument, tlv_held *model)
{
	const tlv_mmsb_learn_options *options = argument;
	tlv_mmsb_options fit = options->fit;
	tlv_value *graph;
	tlv_making made;

	TLV_TRY(collect_graph(ctx, rows, options->graph, &graph));
	TLV_TRY(collect_labels(ctx, rows->labels, &fit));
	fit.null_columns = rows->rows.null_columns;
	TLV_TRY(TLV_MAKE(ctx, &made, model,
					 tlv_mmsb_fit(ctx, &graph->frame, &fit, &made.image, &made.size)));
	if (options->errors)
	{
		TLV_TRY(add_support(ctx, &graph->frame, &fit, model));
		TLV_TRY(mmsb_add_errors(ctx, rows, &fit, model));
	}
	tlv_value_drop(graph);
	return TLV_OK;
}

const tlv_procedure tlv_mmsb_procedure = {.learn = mmsb_learn, .own_errors = true};
