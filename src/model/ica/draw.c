/*
 * draw.c - how much of every source is in every dimension (internal.h).
 */
#include "internal.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/picture.h"

tlv_status
tlv_ica_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	const tlv_section *section = tlv_frame_find(model, "mixing");
	const double *mixing = tlv_section_data(model, section);
	const tlv_name_list names = tlv_dimension_names(model);
	size_t d = section->rows, k = section->columns;
	tlv_picture_component *components;
	double *numbers;

	TLV_TRY(tlv_picture_components(ctx, model, "source", &components));
	TLV_TRY_NEW_ROWS(ctx, numbers, k, d);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			numbers[j + k * i] = mixing[i + d * j];
	TLV_TRY(tlv_draw_matrix(ctx, picture, k, components, d, numbers, &names));
	tlv_free(ctx, numbers);
	tlv_free(ctx, components);
	return TLV_OK;
}
