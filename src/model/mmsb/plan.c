/*
 * plan.c - communities from edges: one pass for the graph, one for the known labels of nodes
 * where there are some, and the fit; or from rows of nodes and their neighbours (neighbours.h).
 */
#include "errors.h"
#include "internal.h"
#include "neighbours.h"

/* What of the pass for the graph is kept while that for the labels runs. */
#define GRAPH 0

typedef enum graph_stage
{
	STAGE_FIT,
	STAGE_SUPPORT,
	STAGE_ERRORS
} graph_stage;

static tlv_status
run_stage(tlv_context *ctx, const mmsb_plan *plan, graph_stage stage, const tlv_frame *graph,
		  void **image, size_t *size)
{
	tlv_frame model;

	if (stage == STAGE_FIT)
		return tlv_mmsb_fit(ctx, graph, &plan->options.fit, image, size);
	TLV_TRY(tlv_frame_open(ctx, plan->base.image, plan->base.size, &model));
	if (stage == STAGE_SUPPORT)
		return tlv_mmsb_support(ctx, &model, graph, &plan->options.fit, image, size);
	return tlv_mmsb_bootstrap(ctx, &model, &plan->options.fit, image, size);
}

/* Runs what makes the model's image, which is the plan's. */
static tlv_status
keep_model(tlv_context *ctx, mmsb_plan *plan, graph_stage stage, const tlv_frame *graph)
{
	void *image = NULL;
	tlv_scratch scratch;
	size_t size = 0;
	tlv_status status;

	tlv_scratch_begin(ctx, &scratch);
	status = run_stage(ctx, plan, stage, graph, &image, &size);
	if (status == TLV_OK)
		tlv_scratch_keep(ctx, image);
	tlv_scratch_end(ctx, &scratch);
	TLV_TRY(status);
	tlv_free(ctx, plan->base.image);
	plan->base.image = image;
	plan->base.size = size;
	return TLV_OK;
}

/* The model; with errors its support, and of mixed memberships the errors that block models get
 * from themselves. */
static tlv_status
fit_graph(tlv_context *ctx, mmsb_plan *plan, const tlv_frame *graph)
{
	tlv_status status;
	tlv_frame model;

	TLV_TRY(keep_model(ctx, plan, STAGE_FIT, graph));
	if (!plan->base.errors)
		return TLV_OK;
	TLV_TRY(tlv_frame_open(ctx, plan->base.image, plan->base.size, &model));
	if (tlv_model_components(&model) > 1)
		TLV_TRY(keep_model(ctx, plan, STAGE_SUPPORT, graph));
	if (!(plan->options.fit.alpha0 > 0))
		return TLV_OK;
	plan->base.errors = false;
	status = keep_model(ctx, plan, STAGE_ERRORS, graph);
	return status == TLV_OK ? status : tlv_plan_refuse_errors(ctx, &plan->base, status);
}

static tlv_status
take_labels(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	mmsb_plan *plan = (mmsb_plan *) base;

	if (values[0] != NULL)
		TLV_TRY(tlv_mmsb_labels_of_graph(ctx, &values[0]->frame, &plan->options.fit));
	return fit_graph(ctx, plan, &base->kept[GRAPH]->frame);
}

/* ---- the graph ---- */

static tlv_status
take_graph(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	mmsb_plan *plan = (mmsb_plan *) base;

	TLV_TRY(tlv_plan_require_rows(ctx, values[0], "rows"));
	if (!plan->options.labels)
		return fit_graph(ctx, plan, &values[0]->frame);
	tlv_plan_keep(base, GRAPH, &values[0]);
	tlv_plan_ask(base, pass, "labels", &tlv_aggregate_bigraph, take_labels);
	pass->source = 1;
	pass->passes_left = 1;
	return TLV_OK;
}

static tlv_status
ask_graph(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	static const tlv_aggregate *const aggregates[] = {[TLV_GRAPH_UNDIRECTED] = &tlv_aggregate_graph,
													  [TLV_GRAPH_DIRECTED] = &tlv_aggregate_digraph,
													  [TLV_GRAPH_BIPARTITE] =
														  &tlv_aggregate_bigraph};
	mmsb_plan *plan = (mmsb_plan *) base;

	if (base->rows.form == TLV_ROW_NEIGHBOURS)
		return tlv_mmsb_ask_neighbours(ctx, plan, pass);
	tlv_plan_ask(base, pass, "graph", aggregates[plan->options.graph], take_graph);
	pass->passes_left = 1 + plan->options.labels;
	return TLV_OK;
}

static const tlv_plan_class mmsb_plan_class = {.name = "tlv_mmsb", .next = ask_graph};

tlv_status
tlv_mmsb_plan_create(tlv_context *ctx, const tlv_mmsb_plan_options *options, tlv_plan **created)
{
	mmsb_plan *plan = tlv_alloc0(ctx, 1, sizeof(mmsb_plan));

	TLV_TRY_ALLOC(ctx, plan);
	plan->base.class = &mmsb_plan_class;
	plan->options = *options;
	*created = &plan->base;
	return TLV_OK;
}
