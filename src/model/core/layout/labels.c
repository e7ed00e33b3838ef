/*
 * labels.c - what components of models are called (layout.h).
 */
#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"

const char *const tlv_label_sections[TLV_LABEL_SECTIONS + 1] = {"component_offsets",
																"component_labels", NULL};
static const tlv_name_sections label_sections = {"component_offsets", "component_labels"};

tlv_name_list
tlv_labels_of(const tlv_frame *model)
{
	return tlv_name_list_of(model, &label_sections);
}

tlv_text
tlv_component_label(const tlv_frame *model, size_t component)
{
	const tlv_name_list list = tlv_labels_of(model);

	return tlv_name_at(&list, component);
}

tlv_text
tlv_given_label(const tlv_frame *model, size_t component)
{
	const tlv_model_class *class = model->kind->model;
	tlv_text label = tlv_component_label(model, component), own;
	char digits[24];

	if (label.bytes == NULL || class->own_label == NULL)
		return label;
	own = class->own_label(model, component, digits);
	return own.bytes != NULL && tlv_text_equal(own, label) ? (tlv_text){NULL, 0} : label;
}

tlv_status
tlv_labels_check(tlv_context *ctx, const tlv_frame *model)
{
	size_t k = tlv_model_components(model);
	tlv_name_list list;

	TLV_TRY(tlv_name_list_check(ctx, model, &label_sections, k));
	list = tlv_labels_of(model);
	for (size_t j = 0; list.offsets != NULL && j < k; j++)
		if (tlv_name_at(&list, j).length > TLV_LABEL_MOST)
			return tlv_fail(ctx, TLV_CORRUPT, "the label of component %zu is too long", j + 1);
	return TLV_OK;
}

/* One behind the other; the list is empty where there is no label at all. */
static tlv_status
join_labels(tlv_context *ctx, size_t k, const tlv_text *labels, tlv_name_list *list)
{
	size_t length = 0;
	int64_t *offsets;
	char *bytes;

	*list = (tlv_name_list){NULL, NULL};
	for (size_t j = 0; j < k; j++)
		length += labels[j].length;
	if (length == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, offsets, k + 1);
	TLV_TRY_NEW(ctx, bytes, length);
	offsets[0] = 0;
	for (size_t j = 0; j < k; j++)
	{
		if (labels[j].length > 0)
			memcpy(bytes + offsets[j], labels[j].bytes, labels[j].length);
		offsets[j + 1] = offsets[j] + (int64_t) labels[j].length;
	}
	*list = (tlv_name_list){offsets, bytes};
	return TLV_OK;
}

tlv_status
tlv_labels_put(tlv_context *ctx, const tlv_frame *model, const tlv_text *labels, void **image,
			   size_t *size)
{
	size_t k = tlv_model_components(model);
	tlv_frame_builder *builder;
	tlv_name_list list;

	TLV_TRY(join_labels(ctx, k, labels, &list));
	TLV_TRY_NEW(ctx, builder, 1);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, model->header->kind);
	tlv_frame_add_from(builder, model, tlv_label_sections);
	tlv_name_list_add(builder, &label_sections, k, &list);
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_free(ctx, builder);
	return TLV_OK;
}

tlv_status
tlv_label_component(tlv_context *ctx, const tlv_frame *model, size_t component, tlv_text label,
					void **image, size_t *size)
{
	const tlv_model_class *class = model->kind->model;
	size_t k = tlv_model_components(model);
	tlv_text *labels;
	char digits[24];

	if (component >= k)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "component %zu is not one of the model's %zu",
						component + 1, k);
	if (label.length > TLV_LABEL_MOST)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "a label has at most %d bytes, not %zu", TLV_LABEL_MOST,
				 label.length);
		return tlv_fail_hint(ctx, "Use a shorter one.");
	}
	TLV_TRY_NEW(ctx, labels, k);
	for (size_t j = 0; j < k; j++)
		labels[j] = tlv_component_label(model, j);
	labels[component] = label.bytes == NULL && class->own_label != NULL
							? class->own_label(model, component, digits)
							: label;
	TLV_TRY(tlv_labels_put(ctx, model, labels, image, size));
	tlv_free(ctx, labels);
	return TLV_OK;
}
