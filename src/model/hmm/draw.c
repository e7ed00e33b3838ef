/*
 * draw.c - states and their transitions (internal.h).
 */
#include "internal.h"
#include "tensorlv/model/picture.h"

tlv_status
tlv_hmm_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_picture_component *components;
	tlv_hmm_parts parts;

	TLV_TRY(tlv_picture_components(ctx, model, "state", &components));
	tlv_hmm_read(model, &parts);
	TLV_TRY(tlv_draw_chain(ctx, picture, parts.k, components, parts.transitions));
	tlv_free(ctx, components);
	return TLV_OK;
}
