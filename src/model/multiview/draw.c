/*
 * draw.c - the means, or the probabilities of categories, of every component in every view
 * (internal.h).
 */
#include "internal.h"
#include "tensorlv/model/picture.h"

tlv_status
tlv_multiview_picture(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	const tlv_name_list none = {NULL, NULL};
	tlv_picture_component *components;
	tlv_multiview_parts parts;
	size_t k, columns, at = 0;
	double *numbers;

	TLV_TRY(tlv_picture_components(ctx, model, "component", &components));
	tlv_multiview_read(model, &parts);
	k = parts.k;
	columns = parts.d[0] + parts.d[1] + parts.d[2];
	TLV_TRY_NEW_ROWS(ctx, numbers, k, columns);
	for (int t = 0; t < 3; t++)
		for (size_t i = 0; i < parts.d[t]; i++, at++)
			for (size_t j = 0; j < k; j++)
				numbers[j + k * at] = parts.means[t][j * parts.d[t] + i];
	TLV_TRY(tlv_draw_matrix(ctx, picture, k, components, columns, numbers, &none));
	tlv_free(ctx, numbers);
	tlv_free(ctx, components);
	return TLV_OK;
}
