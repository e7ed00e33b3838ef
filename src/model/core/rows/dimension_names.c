/*
 * dimension_names.c - what the dimensions of a model of vectors are called (dimension_names.h).
 */
#include <string.h>

#include "tensorlv/model/dimension_names.h"

const tlv_name_sections tlv_dimension_names_sections = {"dimension_name_offsets",
														"dimension_names"};

static size_t
kind_dimensions(const tlv_kind *kind, const tlv_frame *frame)
{
	if (kind == NULL || kind->model == NULL || kind->model->dimensions == NULL)
		return 0;
	return kind->model->dimensions(frame);
}

size_t
tlv_model_dimensions(const tlv_frame *model)
{
	return kind_dimensions(model->kind, model);
}

tlv_name_list
tlv_dimension_names(const tlv_frame *model)
{
	return tlv_name_list_of(model, &tlv_dimension_names_sections);
}

tlv_value_names
tlv_value_names_of(const tlv_frame *model)
{
	const tlv_kind *kind = model->kind;
	tlv_value_names names = {.list = tlv_dimension_names(model)};

	if (names.list.offsets != NULL)
		names.n = tlv_model_dimensions(model);
	else if (kind != NULL && kind->model != NULL && kind->model->value_lines != NULL)
		names.lines = kind->model->value_lines(model, &names.n);
	return names;
}

bool
tlv_value_names_next(tlv_value_names *names, tlv_text *name)
{
	const char *end;

	if (names->next == names->n)
		return false;
	if (names->lines == NULL)
		*name = tlv_name_at(&names->list, names->next);
	else
	{
		for (end = names->lines; *end != '\n'; end++)
			;
		*name = (tlv_text){names->lines, (size_t) (end - names->lines)};
		names->lines = end + 1;
	}
	names->next++;
	return true;
}

size_t
tlv_dimension_names_found(const tlv_frame *frame)
{
	return (size_t) (tlv_frame_find(frame, tlv_dimension_names_sections.offsets) != NULL) +
		   (size_t) (tlv_frame_find(frame, tlv_dimension_names_sections.bytes) != NULL);
}

tlv_status
tlv_dimension_names_check(tlv_context *ctx, const tlv_kind *kind, const tlv_frame *frame)
{
	size_t n;

	if (tlv_dimension_names_found(frame) == 0)
		return TLV_OK;
	n = kind_dimensions(kind, frame);
	if (n == 0)
		return tlv_fail(ctx, TLV_CORRUPT, "the value has names of dimensions but no dimensions");
	return tlv_name_list_check(ctx, frame, &tlv_dimension_names_sections, n);
}

tlv_status
tlv_dimension_names_keep(tlv_context *ctx, const tlv_frame *before, void **image, size_t *size)
{
	const tlv_name_list names = tlv_dimension_names(before);
	tlv_frame_builder *builder;
	void *without = *image;
	tlv_frame after;

	if (names.offsets == NULL)
		return TLV_OK;
	TLV_TRY(tlv_frame_open(ctx, without, *size, &after));
	if (tlv_dimension_names_found(&after) > 0)
		return TLV_OK;
	builder = tlv_alloc0(ctx, 1, sizeof(tlv_frame_builder));
	TLV_TRY_ALLOC(ctx, builder);
	tlv_frame_begin(builder, after.header->type, after.header->kind);
	tlv_frame_add_from(builder, &after, NULL);
	tlv_name_list_add(builder, &tlv_dimension_names_sections, tlv_model_dimensions(before), &names);
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_free(ctx, builder);
	tlv_free(ctx, without);
	return TLV_OK;
}
