/*
 * plan.c - answers as a plan (crowd.h): one pass for the answers, one for those that are known
 * where there are some, and the fit.
 */
#include "internal.h"
#include "tensorlv/model/kind.h"

typedef struct crowd_plan
{
	tlv_plan base;
	tlv_crowd_plan_options options;
} crowd_plan;

/* What of the pass for the answers is kept while that for the known ones runs. */
#define GIVEN 0

static tlv_status
fit_given(tlv_context *ctx, crowd_plan *plan, const tlv_frame *answers)
{
	return tlv_crowd_fit(ctx, answers, &plan->options.fit, &plan->base.image, &plan->base.size);
}

/* Both values as one. */
static tlv_status
unite(tlv_context *ctx, const tlv_frame *given, const tlv_frame *known, void **image, size_t *size)
{
	tlv_accumulator *accumulator;
	tlv_frame_builder *builder;

	TLV_TRY(tlv_crowd_answers_create(ctx, &accumulator));
	TLV_TRY(accumulator->class->merge(ctx, accumulator, given));
	TLV_TRY(accumulator->class->merge(ctx, accumulator, known));
	TLV_TRY_NEW0(ctx, builder, 1);
	TLV_TRY(accumulator->class->build(ctx, accumulator, builder));
	return tlv_frame_finish(ctx, builder, image, size);
}

static tlv_status
fit_united(tlv_context *ctx, crowd_plan *plan, const tlv_frame *known)
{
	tlv_scratch scratch;
	tlv_status status;
	tlv_frame both;
	void *image;
	size_t size;

	tlv_scratch_begin(ctx, &scratch);
	status = unite(ctx, &plan->base.kept[GIVEN]->frame, known, &image, &size);
	if (status == TLV_OK)
		tlv_scratch_keep(ctx, image);
	tlv_scratch_end(ctx, &scratch);
	TLV_TRY(status);
	TLV_TRY(tlv_frame_open(ctx, image, size, &both));
	TLV_TRY(fit_given(ctx, plan, &both));
	tlv_free(ctx, image);
	return TLV_OK;
}

static tlv_status
take_known(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	crowd_plan *plan = (crowd_plan *) base;

	(void) pass;
	if (values[0] != NULL)
		return fit_united(ctx, plan, &values[0]->frame);
	return fit_given(ctx, plan, &base->kept[GIVEN]->frame);
}

static tlv_status
take_given(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	crowd_plan *plan = (crowd_plan *) base;

	TLV_TRY(tlv_plan_require_rows(ctx, values[0], NULL));
	if (!plan->options.gold)
		return fit_given(ctx, plan, &values[0]->frame);
	tlv_plan_keep(base, GIVEN, &values[0]);
	tlv_plan_ask(base, pass, "gold", &tlv_aggregate_gold_answers, take_known);
	pass->source = 1;
	pass->passes_left = 1;
	return TLV_OK;
}

static tlv_status
ask_given(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	crowd_plan *plan = (crowd_plan *) base;

	(void) ctx;
	(void) values;
	tlv_plan_ask(base, pass, "answers", &tlv_aggregate_crowd_answers, take_given);
	pass->passes_left = 1 + plan->options.gold;
	return TLV_OK;
}

tlv_status
tlv_crowd_plan_create(tlv_context *ctx, const tlv_crowd_plan_options *options, tlv_plan **created)
{
	static const tlv_plan_class class = {.name = "tlv_crowd", .next = ask_given};
	crowd_plan *plan = tlv_alloc0(ctx, 1, sizeof(crowd_plan));

	TLV_TRY_ALLOC(ctx, plan);
	plan->base.class = &class;
	plan->options = *options;
	*created = &plan->base;
	return TLV_OK;
}
