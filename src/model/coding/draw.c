/*
 * draw.c - how much of every dimension is in every atom, or the atoms of patches of pictures
 * (internal.h).
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/picture.h"

tlv_status
tlv_coding_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	/* Bounds on the dimension of rows that are drawn as square patches if their coordinates have no
	 * names. */
	const int least_patch = 16, most_patch = 1024;
	const tlv_section *section = tlv_frame_find(model, "atoms");
	const double *atoms = tlv_section_data(model, section);
	const tlv_name_list names = tlv_dimension_names(model);
	size_t d = section->rows, k = section->columns, side = (size_t) lround(sqrt((double) d));
	tlv_picture_component *components;
	double *numbers;

	TLV_TRY(tlv_picture_components(ctx, model, "atom", &components));
	if (d >= least_patch && d <= most_patch && side * side == d && names.offsets == NULL)
		return tlv_draw_tiles(ctx, picture, k, components, side, atoms);
	TLV_TRY_NEW_ROWS(ctx, numbers, k, d);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			numbers[j + k * i] = atoms[i + d * j];
	TLV_TRY(tlv_draw_matrix(ctx, picture, k, components, d, numbers, &names));
	tlv_free(ctx, numbers);
	tlv_free(ctx, components);
	return TLV_OK;
}
