/*
 * plan.c - layered networks as a plan (network.h): of every layer what is on together below it, its
 * units, and steps until its edges stand.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* Steps of a layer. */
#define MOST_STEPS 10

typedef struct network_plan
{
	tlv_plan base;
	tlv_network_options options;
	bool refine;
	int steps; /* of this layer */
	size_t layers, wanted;
	tlv_held model;
} network_plan;

static network_plan *
network_plan_of(tlv_plan *plan)
{
	return (network_plan *) plan;
}

static tlv_status network_take_counts(tlv_context *ctx, tlv_plan *base, tlv_value **values,
									  tlv_pass *pass);
static tlv_status network_take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values,
										  tlv_pass *pass);

static tlv_status
finish(tlv_context *ctx, network_plan *plan)
{
	const tlv_section *items = tlv_frame_find(&plan->model.frame, "items");
	const tlv_names *names = plan->base.rows.names;
	tlv_diagnostics diagnostics = {0};
	tlv_plan_section sections[2];

	if (plan->layers < plan->wanted)
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "fewer_components",
										.score = (double) plan->layers,
										.hint = "Give more rows, or fewer layers."},
						 "of %zu layers the model has %zu: units above are not on together more "
						 "often than by chance",
						 plan->wanted, plan->layers));
	if (names != NULL)
		TLV_TRY(tlv_plan_name_items(ctx, names, items->rows,
									tlv_frame_int64(&plan->model.frame, "items"), "item_offsets",
									"item_names", sections));
	return tlv_plan_finish(ctx, &plan->base, &plan->model.frame, &diagnostics,
						   names == NULL ? 0 : 2, sections);
}

static void
ask_for_counts(network_plan *plan, tlv_pass *pass)
{
	tlv_statistic *counts =
		tlv_plan_ask(&plan->base, pass, "threes", &tlv_aggregate_cofire, network_take_counts);

	if (plan->layers > 0)
		counts->constant = &plan->model.frame;
}

/* Steps have changed how often units are on. */
static tlv_status
order_units(tlv_context *ctx, network_plan *plan)
{
	tlv_making made;
	tlv_status status;

	tlv_plan_make(ctx, &made);
	status = tlv_network_order(ctx, &plan->model.frame, &made.image, &made.size);
	return tlv_plan_made(ctx, &made, &plan->model, status);
}

/* Another step of the layer, the next layer, or the end. */
static tlv_status
go_on(tlv_context *ctx, network_plan *plan, bool stands, tlv_pass *pass)
{
	int limit = plan->options.iterations >= 0 ? plan->options.iterations : MOST_STEPS;

	if (plan->refine && !stands && plan->steps < limit)
	{
		tlv_plan_ask(&plan->base, pass, "edges", &tlv_aggregate_statistics, network_take_statistics)
			->constant = &plan->model.frame;
		return TLV_OK;
	}
	if (plan->steps > 0)
		TLV_TRY(order_units(ctx, plan));
	if (plan->layers < plan->options.layers)
	{
		ask_for_counts(plan, pass);
		return TLV_OK;
	}
	return finish(ctx, plan);
}

static tlv_status
network_take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	network_plan *plan = network_plan_of(base);
	char changed[32];

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	TLV_TRY(tlv_plan_refine(ctx, &plan->model, &values[0]->frame));
	plan->steps++;
	snprintf(changed, sizeof(changed), "edges_changed_%zu", plan->layers);
	return go_on(ctx, plan, tlv_diagnostics_find(&plan->model.frame, changed, 0) == 0, pass);
}

/* Units that are hardly ever on together have no layer above them: the network ends below. */
static bool
no_layer_above(network_plan *plan, tlv_status status)
{
	return status == TLV_BAD_DATA && plan->layers > 0;
}

static tlv_status
network_take_counts(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	network_plan *plan = network_plan_of(base);
	tlv_making made;
	tlv_status status;

	TLV_TRY(plan->layers > 0 ? tlv_plan_require(ctx, values[0])
							 : tlv_plan_require_rows(ctx, values[0], "rows"));
	tlv_plan_make(ctx, &made);
	status = tlv_network_fit(ctx, &values[0]->frame, plan->layers > 0 ? &plan->model.frame : NULL,
							 &plan->options, &made.image, &made.size);
	if (no_layer_above(plan, status))
	{
		tlv_scratch_end(ctx, &made.scratch);
		return finish(ctx, plan);
	}
	TLV_TRY(tlv_plan_made(ctx, &made, &plan->model, status));
	plan->layers++;
	plan->steps = 0;
	return go_on(ctx, plan, false, pass);
}

static tlv_status
network_begin(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	network_plan *plan = network_plan_of(base);

	(void) ctx;
	(void) values;
	ask_for_counts(plan, pass);
	pass->passes_left = plan->options.layers == 1 && !plan->refine ? 1 : 0;
	return TLV_OK;
}

tlv_status
tlv_network_plan_create(tlv_context *ctx, const tlv_network_options *options, tlv_plan **plan)
{
	static const tlv_plan_class class = {.name = "tlv_network", .next = network_begin};
	const char *refine = options->refine == NULL ? "auto" : options->refine;
	network_plan *new = tlv_alloc0(ctx, 1, sizeof(network_plan));

	TLV_TRY_ALLOC(ctx, new);
	if (options->layers < 1 || options->layers > TLV_NETWORK_MOST_LAYERS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "layers = %zu is not between 1 and %d",
						options->layers, TLV_NETWORK_MOST_LAYERS);
	if (!isnan(options->threshold) && !(options->threshold > 0 && options->threshold <= 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "threshold = %g is not above 0 and at most 1",
						options->threshold);
	new->base.class = &class;
	new->options = *options;
	new->wanted = options->layers;
	new->refine = strcmp(refine, "none") != 0;
	if (new->refine && strcmp(refine, "auto") != 0 && strcmp(refine, "em") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", refine);
		return tlv_fail_hint(ctx, "Use 'auto', 'em' or 'none'.");
	}
	*plan = &new->base;
	return TLV_OK;
}
