/*
 * tiles.c - components that are pictures themselves: squares of numbers (picture.h).
 */
#include <math.h>

#include "internal.h"

#define SIDE		64.0 /* of a tile */
#define TILE_GAP	10.0
#define TEXT		16.0 /* below a tile */
#define TILE_ACROSS 8	 /* tiles in a row at most, fewer where names are wider than a tile */
#define LEVELS		8	 /* shades */

/* All points of one shade: a path, which is shorter than a rectangle for each. */
static tlv_status
draw_level(tlv_context *ctx, tlv_picture *picture, double left, double top, size_t side,
		   const double *numbers, double largest, int level)
{
	double point = SIDE / (double) side;
	size_t n = 0;

	for (size_t i = 0; i < side * side && largest != 0; i++)
	{
		size_t down = i / side;

		if (lround(numbers[i] / largest * LEVELS) != level)
			continue;
		if (n++ == 0)
			TLV_TRY(tlv_picture_add(ctx, picture, "<path fill=\"$\" fill-opacity=\"%\" d=\"",
									(double[]){(double) level / LEVELS}, largest < 0 ? 1 : 0));
		TLV_TRY(tlv_picture_add(ctx, picture, "M% %h%v%H%z",
								(double[]){left + point * (double) (i % side),
										   top + point * (double) down, point, point,
										   left + point * (double) (i % side)},
								0));
	}
	return n == 0 ? TLV_OK : tlv_picture_add(ctx, picture, "\"/>", NULL, 0);
}

static tlv_status
draw_tile(tlv_context *ctx, tlv_picture *picture, double left, double top, size_t side,
		  const double *numbers, size_t number)
{
	double largest = 0;

	for (size_t i = 0; i < side * side; i++)
		largest = fmax(largest, fabs(numbers[i]));
	TLV_TRY(tlv_picture_add(ctx, picture,
							"<rect x=\"%\" y=\"%\" width=\"%\" height=\"%\" fill=\"#fff\" "
							"stroke=\"#dde\" data-c=\"%\"/>",
							(double[]){left, top, SIDE, SIDE, (double) number}, 0));
	for (int level = 1; level <= LEVELS; level++)
		for (int sign = 0; sign < 2; sign++)
			TLV_TRY(draw_level(ctx, picture, left, top, side, numbers,
							   sign == 0 ? largest : -largest, level));
	return TLV_OK;
}

tlv_status
tlv_draw_tiles(tlv_context *ctx, tlv_picture *picture, size_t n,
			   const tlv_picture_component *components, size_t side, const double *numbers)
{
	double wide = SIDE;
	size_t across;

	n = tlv_least(n, TLV_PICTURE_COMPONENTS);
	for (size_t j = 0; j < n; j++)
		wide = fmax(wide, picture_name_width(components + j, 9));
	across = (size_t) fmax(1, floor(TILE_ACROSS * (SIDE + TILE_GAP) / (wide + TILE_GAP)));
	for (size_t j = 0; j < n; j++)
	{
		double left = TILE_GAP + (wide - SIDE) / 2 + (wide + TILE_GAP) * (double) (j % across);
		size_t down = j / across;
		double top = TILE_GAP + (SIDE + TILE_GAP + TEXT) * (double) down;

		TLV_TRY(draw_tile(ctx, picture, left, top, side, numbers + j * side * side,
						  components[j].number));
		TLV_TRY(tlv_picture_name(ctx, picture, left + SIDE / 2, top + SIDE + TEXT - 4,
								 "text-anchor=\"middle\" font-size=\"9\"", components + j));
		tlv_picture_reach(picture, left + (SIDE + wide) / 2, top + SIDE + TEXT);
	}
	return TLV_OK;
}
