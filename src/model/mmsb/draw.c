/*
 * draw.c - how often nodes of two communities are joined (arrange.h).
 */
#include "arrange.h"
#include "tensorlv/model/picture.h"

tlv_status
tlv_mmsb_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	const tlv_name_list none = {NULL, NULL};
	const tlv_section *section = tlv_frame_find(model, "connectivity");
	tlv_picture_component *components;

	TLV_TRY(tlv_picture_components(ctx, model, "community", &components));
	TLV_TRY(tlv_draw_matrix(ctx, picture, section->rows, components, section->columns,
							tlv_section_data(model, section), &none));
	tlv_free(ctx, components);
	return TLV_OK;
}
