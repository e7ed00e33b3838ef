/*
 * components.c - what pictures say of components (picture.h).
 */
#include <string.h>

#include "tensorlv/model/layout.h"
#include "tensorlv/model/picture.h"

void
tlv_stored_weights(const tlv_frame *model, size_t k, double *weights)
{
	const tlv_section *section = tlv_frame_find(model, "weights");

	if (section != NULL && section->element == TLV_FLOAT64 && section->rows * section->columns == k)
		memcpy(weights, tlv_section_data(model, section), k * sizeof(double));
}

tlv_status
tlv_picture_components(tlv_context *ctx, const tlv_frame *model, const char *what,
					   tlv_picture_component **components)
{
	size_t k = tlv_model_components(model);
	double *weights;

	TLV_TRY_NEW(ctx, *components, k);
	TLV_TRY_NEW(ctx, weights, k);
	TLV_TRY(tlv_model_weights(ctx, model, weights));
	tlv_stored_weights(model, k, weights);
	for (size_t j = 0; j < k; j++)
		(*components)[j] = (tlv_picture_component){.label = tlv_component_label(model, j),
												   .what = what,
												   .number = j + 1,
												   .weight = weights[j]};
	tlv_free(ctx, weights);
	return TLV_OK;
}
