/*
 * models.c - what models do, and the one place where a model refuses what it cannot do.
 */
#include <string.h>

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
	(*model)->class = frame->kind->model;
	(*model)->frame = *frame;
	(*model)->rows = (*model)->class->rows;
	return TLV_OK;
}

size_t
tlv_model_components(const tlv_frame *frame)
{
	const tlv_model_class *class = frame->kind->model;
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
	kind = frame.kind;
	if (kind->model == NULL || kind->model->round == NULL)
		return TLV_OK;
	TLV_TRY(kind->model->round(ctx, &frame, image));
	return tlv_frame_seal(ctx, image);
}

static const char *
model_kind_name(const tlv_frame *frame)
{
	const tlv_kind *kind = frame->kind;

	return kind != NULL ? kind->name : "unknown";
}

tlv_status
tlv_model_require(tlv_context *ctx, const tlv_model *model, tlv_row_form form, const char *what)
{
	if ((model->rows & form) != 0)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "%s is not defined for %s under a model of kind %s", what,
			 tlv_row_name(form), model_kind_name(&model->frame));
	return tlv_fail_hint(ctx, "tlv_kinds() lists the functions that apply to each kind.");
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
		return tlv_kind_undefined(ctx, &model->frame, "decoding");
	return model->class->decode(ctx, model, row, states);
}

tlv_status
tlv_model_impute(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *filled)
{
	const int64_t *place;

	TLV_TRY(tlv_model_require(ctx, model, row->form, "imputation"));
	if (model->class->impute == NULL)
		return tlv_kind_undefined(ctx, &model->frame, "imputation");
	model = tlv_model_present(model, &place);
	return model->class->impute(ctx, model, row, filled);
}

tlv_status
tlv_model_step(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
			   const tlv_step *step, void **image, size_t *size)
{
	const tlv_kind *kind = model->kind;

	TLV_TRY(kind->model->update(ctx, model, statistics, step, image, size));
	return tlv_dimension_names_keep(ctx, model, image, size);
}

static bool
texts_equal(tlv_text a, tlv_text b)
{
	return a.bytes != NULL && tlv_text_equal(a, b);
}

/* The same names in another order: distances by position would compare one with another. */
static tlv_status
require_order_of_names(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b)
{
	tlv_name_list one = tlv_dimension_names(a), other = tlv_dimension_names(b);
	size_t d = tlv_model_dimensions(a), at = 0;

	if (one.offsets == NULL || other.offsets == NULL || d != tlv_model_dimensions(b))
		return TLV_OK;
	while (at < d && texts_equal(tlv_name_at(&one, at), tlv_name_at(&other, at)))
		at++;
	for (size_t i = at + 1; i < d; i++)
	{
		tlv_text mine = tlv_name_at(&one, at), theirs = tlv_name_at(&other, at);

		if (!texts_equal(mine, tlv_name_at(&other, i)))
			continue;
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "dimension %zu is \"%.*s\" in one model and \"%.*s\" in the other", at + 1,
				 tlv_shown_length(mine), mine.bytes, tlv_shown_length(theirs), theirs.bytes);
		return tlv_fail_hint(ctx, "Fit both to the same columns in the same order.");
	}
	return TLV_OK;
}

tlv_status
tlv_model_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	const tlv_kind *kind = a->kind;

	if (kind == NULL || kind->model == NULL || kind->model->match == NULL)
		return tlv_kind_undefined(ctx, a, "tlv_match");
	TLV_TRY(tlv_kind_require(ctx, b, kind, "tlv_match"));
	/* Where categories have names variables have, too, and are paired by these. */
	if (kind->model->code_names == NULL)
		TLV_TRY(require_order_of_names(ctx, a, b));
	match->k = tlv_model_components(a);
	TLV_TRY_NEW(ctx, match->component, match->k);
	TLV_TRY_NEW(ctx, match->distance, match->k);
	return kind->model->match(ctx, a, b, match);
}
