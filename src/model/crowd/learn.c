/*
 * learn.c - the whole of learning from answers (crowd.h): one pass for the answers, one for those
 * that are known where there are some, and the fit.
 */
#include "internal.h"
#include "tensorlv/model/kind.h"

/* Of a value: three positions, and an item of which it is the only answer with its name. */
#define ANSWER_BYTES (6 * sizeof(int64_t))

/* Both values as one. */
static tlv_status
unite(tlv_context *ctx, const tlv_frame *given, const tlv_frame *known, void **image, size_t *size)
{
	tlv_accumulator *accumulator;
	tlv_frame_builder *builder;

	TLV_TRY(tlv_crowd_answers_create(ctx, &accumulator));
	accumulator->large = true;
	TLV_TRY(accumulator->class->merge(ctx, accumulator, given));
	TLV_TRY(accumulator->class->merge(ctx, accumulator, known));
	TLV_TRY_NEW0(ctx, builder, 1);
	TLV_TRY(accumulator->class->build(ctx, accumulator, builder));
	builder->large = true;
	return tlv_frame_finish(ctx, builder, image, size);
}

static tlv_status
fit_united(tlv_context *ctx, const tlv_frame *given, const tlv_frame *known,
		   const tlv_crowd_options *options, tlv_held *model)
{
	tlv_held both = {0};
	tlv_making made;

	TLV_TRY(TLV_MAKE(ctx, &made, &both, unite(ctx, given, known, &made.image, &made.size)));
	TLV_TRY(tlv_crowd_fit(ctx, &both.frame, options, &model->image, &model->size));
	tlv_free(ctx, both.image);
	return TLV_OK;
}

static tlv_status
crowd_learn(tlv_context *ctx, tlv_source *answers, const void *argument, tlv_held *model)
{
	tlv_crowd_options options = *(const tlv_crowd_options *) argument;
	bool labelled = answers->labels != NULL;
	tlv_value *given, *known = NULL;

	TLV_TRY(tlv_collect_growing(ctx, answers, "answers", 1 + labelled,
								&(tlv_statistic){.aggregate = &tlv_aggregate_crowd_answers},
								ANSWER_BYTES, &given));
	TLV_TRY(tlv_require_rows(ctx, given, NULL));
	if (labelled)
		TLV_TRY(tlv_collect_growing(ctx, answers->labels, "gold", 1,
									&(tlv_statistic){.aggregate = &tlv_aggregate_gold_answers},
									ANSWER_BYTES, &known));
	options.null_columns = answers->rows.null_columns;
	options.empty_gold = labelled && known == NULL;
	options.null_gold = known != NULL ? tlv_frame_scalar(&known->frame, "nulls", 0) : 0;
	TLV_TRY(known != NULL
				? fit_united(ctx, &given->frame, &known->frame, &options, model)
				: tlv_crowd_fit(ctx, &given->frame, &options, &model->image, &model->size));
	return tlv_frame_open(ctx, model->image, model->size, &model->frame);
}

const tlv_procedure tlv_crowd_procedure = {.learn = crowd_learn};
