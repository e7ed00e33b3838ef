/*
 * learn.c - the whole of learning communities (mmsb.h): from edges one scan for the graph, one for
 * the known labels of nodes where there are some, and the fit; rows of nodes and their neighbours
 * have a procedure of their own (neighbours.h).
 */
#include "errors.h"
#include "internal.h"
#include "adjacency/neighbours.h"
#include "tensorlv/model/kind.h"

tlv_status
tlv_mmsb_add_errors(tlv_context *ctx, tlv_source *rows, const tlv_mmsb_options *options,
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

static tlv_status
add_support(tlv_context *ctx, const tlv_frame *graph, const tlv_mmsb_options *options,
			tlv_held *model)
{
	tlv_making made;

	if (tlv_model_components(&model->frame) == 1)
		return TLV_OK;
	return TLV_MAKE(ctx, &made, model,
					tlv_mmsb_support(ctx, &model->frame, graph, options, &made.image, &made.size));
}

/* Of a value, besides weights: the distance to the edge before it, and its part of a node. */
#define EDGE_BYTES 8

/* The graph, and the known labels into the options. */
static tlv_status
collect_graph(tlv_context *ctx, tlv_source *rows, const tlv_mmsb_learn_options *options,
			  tlv_value **graph, tlv_mmsb_options *fit)
{
	static const tlv_aggregate *const aggregates[] = {[TLV_GRAPH_UNDIRECTED] = &tlv_aggregate_graph,
													  [TLV_GRAPH_DIRECTED] = &tlv_aggregate_digraph,
													  [TLV_GRAPH_BIPARTITE] =
														  &tlv_aggregate_bigraph};
	bool labelled = rows->labels != NULL;
	tlv_value *labels;

	TLV_TRY(tlv_collect_growing(ctx, rows, "graph", 1 + labelled,
								&(tlv_statistic){.aggregate = aggregates[options->graph]},
								EDGE_BYTES, graph));
	TLV_TRY(tlv_require_rows(ctx, *graph, "rows"));
	if (!labelled)
		return TLV_OK;
	TLV_TRY(tlv_collect(ctx, rows->labels, "labels", 1, 1,
						&(tlv_statistic){.aggregate = &tlv_aggregate_bigraph}, &labels));
	if (labels != NULL)
		TLV_TRY(tlv_mmsb_labels_of_graph(ctx, &labels->frame, fit));
	tlv_value_drop(labels);
	return TLV_OK;
}

static tlv_status
mmsb_learn(tlv_context *ctx, tlv_source *rows, const void *argument, tlv_held *model)
{
	const tlv_mmsb_learn_options *options = argument;
	tlv_mmsb_options fit = options->fit;
	tlv_value *graph;
	tlv_making made;

	if (rows->rows.form == TLV_ROW_NEIGHBOURS)
		return tlv_neighbours_learn(ctx, rows, options, model);
	TLV_TRY(collect_graph(ctx, rows, options, &graph, &fit));
	fit.null_columns = rows->rows.null_columns;
	TLV_TRY(TLV_MAKE(ctx, &made, model,
					 tlv_mmsb_fit(ctx, &graph->frame, &fit, &made.image, &made.size)));
	if (options->errors)
	{
		TLV_TRY(add_support(ctx, &graph->frame, &fit, model));
		TLV_TRY(tlv_mmsb_add_errors(ctx, rows, &fit, model));
	}
	tlv_value_drop(graph);
	return TLV_OK;
}

const tlv_procedure tlv_mmsb_procedure = {.learn = mmsb_learn, .own_errors = true};
