/*
 * aggregates.c - making accumulators from statistics, and the aggregates that every model offers
 * that can do it.
 */
#include "tensorlv/model/aggregate.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"

tlv_status
tlv_statistic_create(tlv_context *ctx, const tlv_statistic *statistic,
					 tlv_accumulator **accumulator)
{
	tlv_statistic constants = *statistic;

	if (constants.opened == NULL && constants.constant != NULL && constants.aggregate->open != NULL)
		TLV_TRY(constants.aggregate->open(ctx, constants.constant, &constants.opened));
	return constants.aggregate->create(ctx, &constants, accumulator);
}

static tlv_status
model_constant_open(tlv_context *ctx, const tlv_frame *constant, void **opened)
{
	const tlv_kind *kind = constant->kind;
	tlv_model *model;

	if (kind == NULL || kind->model == NULL)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the constant of the aggregate is no model");
	TLV_TRY(tlv_model_open(ctx, constant, &model));
	*opened = model;
	return TLV_OK;
}

/* The model of an aggregate's constants, of the components that are there. */
static tlv_status
constant_model(tlv_context *ctx, const tlv_statistic *constants, tlv_model **model)
{
	const int64_t *place;

	*model = constants->opened;
	if (*model == NULL)
		return tlv_refuse_no_constant(ctx, constants->aggregate->name, "model");
	*model = tlv_model_present(*model, &place);
	return TLV_OK;
}

static tlv_status
refuse_model(tlv_context *ctx, const tlv_statistic *constants)
{
	return tlv_kind_undefined(ctx, constants->constant, constants->aggregate->name);
}

static tlv_status
statistics_of_model(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	tlv_model *model;

	TLV_TRY(constant_model(ctx, constants, &model));
	if (model->class->statistics == NULL)
		return refuse_model(ctx, constants);
	return model->class->statistics(ctx, model, constants->refine, accumulator);
}

static tlv_status
completion_of_model(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	tlv_model *model;

	TLV_TRY(constant_model(ctx, constants, &model));
	if (model->class->completion == NULL)
		return refuse_model(ctx, constants);
	return model->class->completion(ctx, model, accumulator);
}

static tlv_status
coherence_of_model(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	tlv_model *model;

	TLV_TRY(constant_model(ctx, constants, &model));
	if (model->class->coherence == NULL)
		return refuse_model(ctx, constants);
	TLV_TRY(tlv_require_present(ctx, constants->opened, "coherence"));
	return model->class->coherence(ctx, model, constants->count, accumulator);
}

const tlv_aggregate tlv_aggregate_statistics = {"tlv_statistics", model_constant_open,
												statistics_of_model};
const tlv_aggregate tlv_aggregate_perplexity = {"tlv_perplexity", model_constant_open,
												completion_of_model};
const tlv_aggregate tlv_aggregate_completion = {"tlv_completion", model_constant_open,
												completion_of_model};
const tlv_aggregate tlv_aggregate_coherence = {"tlv_coherence", model_constant_open,
											   coherence_of_model};
