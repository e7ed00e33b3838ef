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
					  tlv_mmsb_bootstrap(ctx, &model->frame, options, &made.image, &made.size));
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
	/* Nodes and edges between two looks at tlv_should_stop(). */
	const int steps_between = 4096;
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

		if (e % steps_between == 0)
			TLV_TRY_CONTINUE(ctx);
		if (key % TLV_SUPPORT_PARTS != part)
			TLV_TRY(tlv_add(ctx, edges, TLV_AS_EDGE(ends[0], ends[1], weight)));
	}
	tlv_graph_cursor_close(ctx, cursor);
	return tlv_mmsb_finish_graph(ctx, edges, rest);
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
	state.options = tlv_mmsb_options_of(&state.parts, options);
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
