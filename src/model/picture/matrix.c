/*
 * matrix.c - numbers as shades (picture.h).
 */
#include "tensorlv/model/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELL		24.0
#define HEADS		70.0 /* above the columns */
#define HEAD_MOST	10	 /* characters of the head of a column */
#define HEAD_LETTER 6.6

static tlv_status
draw_cell(tlv_context *ctx, tlv_picture *picture, size_t i, size_t j, double share, double number)
{
	return tlv_picture_add(
		ctx, picture,
		"<rect x=\"%\" y=\"%\" width=\"%\" height=\"%\" fill=\"$\" fill-opacity=\"%\" "
		"stroke=\"#dde\" stroke-opacity=\"1\" data-c=\"%\"><title>%</title></rect>",
		(double[]){TLV_PICTURE_NAMES + (double) j * CELL, HEADS + (double) i * CELL, CELL, CELL,
				   share, (double) i + 1, number},
		number < 0 ? 1 : 0);
}

/* Turned upwards over its column; a number where there is no name. */
static tlv_status
draw_head(tlv_context *ctx, tlv_picture *picture, const tlv_name_list *heads, size_t j)
{
	tlv_text name = tlv_name_at(heads, j);
	char number[32], style[96];
	double x = TLV_PICTURE_NAMES + ((double) j + 0.65) * CELL;

	/* At 60 degrees a letter takes half of its width to the right. */
	tlv_picture_reach(picture, x + HEAD_LETTER / 2 * fmin((double) name.length, HEAD_MOST + 3), 0);
	if (name.bytes == NULL)
		name = (tlv_text){number, (size_t) snprintf(number, sizeof(number), "%zu", j + 1)};
	snprintf(style, sizeof(style), "fill=\"#777\" transform=\"rotate(-60 %d %d)\"", (int) x,
			 (int) HEADS - 6);
	return tlv_picture_text(ctx, picture, x, HEADS - 6, style, name, HEAD_MOST);
}

tlv_status
tlv_draw_matrix(tlv_context *ctx, tlv_picture *picture, size_t n,
				const tlv_picture_component *components, size_t columns, const double *numbers,
				const tlv_name_list *heads)
{
	size_t across = tlv_least(columns, TLV_PICTURE_COLUMNS);
	size_t down = tlv_least(n, TLV_PICTURE_COMPONENTS);
	double largest = 0;

	for (size_t i = 0; i < n * columns; i++)
		largest = fmax(largest, fabs(numbers[i]));
	for (size_t j = 0; j < across; j++)
		TLV_TRY(draw_head(ctx, picture, heads, j));
	for (size_t i = 0; i < down; i++)
	{
		TLV_TRY(tlv_picture_name(ctx, picture, TLV_PICTURE_NAMES - 8,
								 HEADS + ((double) i + 0.68) * CELL, "text-anchor=\"end\"",
								 components + i));
		for (size_t j = 0; j < across; j++)
			TLV_TRY(draw_cell(ctx, picture, i, j,
							  largest > 0 ? fabs(numbers[i + n * j]) / largest : 0,
							  numbers[i + n * j]));
	}
	tlv_picture_reach(picture, TLV_PICTURE_NAMES + (double) across * CELL,
					  HEADS + (double) down * CELL);
	return TLV_OK;
}
