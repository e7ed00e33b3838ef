/*
 * plan.c - templates as a plan (convolution.h): one pass for the moments, and the fit.
 */
#include "internal.h"
#include "tensorlv/model/kind.h"

typedef struct convolution_plan
{
	tlv_plan base;
	tlv_convolution_plan_options options;
	tlv_held model;
} convolution_plan;

static tlv_status
take_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	convolution_plan *plan = (convolution_plan *) base;
	tlv_making made;

	(void) pass;
	TLV_TRY(tlv_plan_require_rows(ctx, values[0], "values"));
	tlv_plan_make(ctx, &made);
	TLV_TRY(tlv_plan_made(
		ctx, &made, &plan->model,
		tlv_convolution_fit(ctx, &values[0]->frame, &plan->options.fit, &made.image, &made.size)));
	return tlv_plan_finish(ctx, base, &plan->model.frame, NULL, 0, NULL);
}

static tlv_status
ask_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	convolution_plan *plan = (convolution_plan *) base;
	tlv_statistic *statistic =
		tlv_plan_ask(base, pass, "moments", &tlv_aggregate_series_moments, take_moments);

	(void) ctx;
	(void) values;
	statistic->order = (int32_t) plan->options.fit.length;
	statistic->refine = plan->options.windows ? "windows" : NULL;
	pass->passes_left = 1;
	return TLV_OK;
}

tlv_status
tlv_convolution_plan_create(tlv_context *ctx, const tlv_convolution_plan_options *options,
							tlv_plan **created)
{
	static const tlv_plan_class class = {.name = "tlv_convolution", .next = ask_moments};
	convolution_plan *plan = tlv_alloc0(ctx, 1, sizeof(convolution_plan));

	TLV_TRY_ALLOC(ctx, plan);
	plan->base.class = &class;
	plan->options = *options;
	*created = &plan->base;
	return TLV_OK;
}
