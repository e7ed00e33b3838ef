/*
 * models.c - what models do, and the one place where a model refuses what it cannot do.
 */
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/sections.h"

const tlv_step tlv_whole_step = {.weight = 1};

tlv_status
tlv_model_create(tlv_context *ctx, const tlv_frame *frame, size_t bytes, tlv_model **model)
{
	*model = tlv_alloc0(ctx, 1, bytes);
	TLV_TRY_ALLOC(ctx, *model);
	(*model)->class = tlv_kind_find(TLV_FRAME_MODEL, frame->header->kind)->model;
	(*model)->frame = *frame;
	(*model)->rows = (*model)->class->rows;
	return TLV_OK;
}

size_t
tlv_model_components(const tlv_frame *frame)
{
	const tlv_model_class *class = tlv_kind_find(TLV_FRAME_MODEL, frame->header->kind)->model;
	size_t sizes[TLV_SIZES];

	if (class->components != NULL)
		return class->components(frame);
	tlv_sections_sizes(frame, class->sections, sizes);
	return sizes[class->components_size];
}

tlv_status
tlv_model_round(tlv_context *ctx, void *image, size_t size)
{
	const tlv_kind *kind;
	tlv_frame frame;

	TLV_TRY(tlv_frame_open(ctx, image, size, &frame));
	kind = tlv_kind_find((tlv_frame_type) frame.header->type, frame.header->kind);
	if (kind->model == NULL || kind->model->round == NULL)
		return TLV_OK;
	TLV_TRY(kind->model->round(ctx, &frame, image));
	return tlv_frame_seal(ctx, image);
}

static const char *
model_kind_name(const tlv_frame *frame)
{
	const tlv_kind *kind = tlv_kind_find(frame->header->type, frame->header->kind);

	return kind != NULL ? kind->name : "unknown";
}

tlv_status
tlv_model_require(tlv_context *ctx, const tlv_model *model, tlv_row_form form, const char *what)
{
	if ((model->rows & form) != 0)
		return TLV_OK;
	return tlv_fail(ctx, TLV_BAD_PARAMETER, "%s is not defined for %s under a model of kind %s",
					what, tlv_row_name(form), model_kind_name(&model->frame));
}

tlv_status
tlv_model_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *posterior)
{
	TLV_TRY(tlv_model_require(ctx, model, row->form, "inference"));
	return model->class->infer(ctx, model, row, posterior);
}

tlv_status
tlv_model_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *value)
{
	TLV_TRY(tlv_model_require(ctx, model, row->form, "the likelihood"));
	return model->class->log_likelihood(ctx, model, row, value);
}

tlv_status
tlv_model_decode(tlv_context *ctx, tlv_model *model, const tlv_row *row, int32_t *states)
{
	TLV_TRY(tlv_model_require(ctx, model, row->form, "decoding"));
	if (model->class->decode == NULL)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "decoding is not defined for a model of kind %s",
						model_kind_name(&model->frame));
	return model->class->decode(ctx, model, row, states);
}

tlv_status
tlv_model_impute(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *filled)
{
	TLV_TRY(tlv_model_require(ctx, model, row->form, "imputation"));
	if (model->class->impute == NULL)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "imputation is not defined for a model of kind %s",
						model_kind_name(&model->frame));
	return model->class->impute(ctx, model, row, filled);
}

tlv_status
tlv_model_step(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
			   const tlv_step *step, void **image, size_t *size)
{
	const tlv_kind *kind = tlv_kind_find(model->header->type, model->header->kind);

	TLV_TRY(kind->model->update(ctx, model, statistics, step, image, size));
	return tlv_dimension_names_keep(ctx, model, image, size);
}

tlv_status
tlv_model_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	const tlv_kind *kind = tlv_kind_find(a->header->type, a->header->kind);

	if (kind == NULL || kind->model == NULL || kind->model->match == NULL)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "tlv_match is not defined for a model of kind %s",
						model_kind_name(a));
	TLV_TRY(tlv_kind_require(ctx, b, kind, "tlv_match"));
	match->k = tlv_model_components(a);
	TLV_TRY_NEW(ctx, match->component, match->k);
	TLV_TRY_NEW(ctx, match->distance, match->k);
	return kind->model->match(ctx, a, b, match);
}
