/*
 * learn.c - the whole of learning communities (mmsb.h): one scan for the graph, of edges or of
 * nodes with their neighbours, one for the known labels of nodes where there are some, and the fit.
 */
#include "errors.h"
#include "internal.h"
#include "tensorlv/model/kind.h"

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
