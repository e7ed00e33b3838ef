/*
 * intervals.c - proportions with their intervals (picture.h).
 */
#include "tensorlv/model/picture.h"

#include <math.h>

#define INTERVAL_LENGTH 240.0 /* of the axis, from 0 to 1 */
#define INTERVAL_LINE	16.0

/* The axis from 0 to 1, and a broken line at the reference. */
static tlv_status
draw_axis(tlv_context *ctx, tlv_picture *picture, double top, double bottom, double reference)
{
	double x = TLV_PICTURE_NAMES + reference * INTERVAL_LENGTH;

	TLV_TRY(tlv_picture_add(ctx, picture, "<path d=\"M% %H%\" fill=\"none\" stroke=\"#888\"/>",
							(double[]){TLV_PICTURE_NAMES, top, TLV_PICTURE_NAMES + INTERVAL_LENGTH},
							0));
	TLV_TRY(tlv_picture_text(ctx, picture, TLV_PICTURE_NAMES, top - 6,
							 "text-anchor=\"middle\" fill=\"#777\"", (tlv_text){"0", 1}, 1));
	TLV_TRY(tlv_picture_text(ctx, picture, TLV_PICTURE_NAMES + INTERVAL_LENGTH, top - 6,
							 "text-anchor=\"middle\" fill=\"#777\"", (tlv_text){"1", 1}, 1));
	return tlv_picture_add(ctx, picture,
						   "<path d=\"M% %V%\" fill=\"none\" stroke=\"#888\" "
						   "stroke-dasharray=\"4 3\"><title>%</title></path>",
						   (double[]){x, top, bottom, reference}, 0);
}

static tlv_status
draw_interval(tlv_context *ctx, tlv_picture *picture, double y, const tlv_picture_word *row)
{
	const int letters = 22;

	TLV_TRY(tlv_picture_text(ctx, picture, TLV_PICTURE_NAMES - 8, y + 4, "text-anchor=\"end\"",
							 row->name, letters));
	if (!isnan(row->low) && !isnan(row->high))
		TLV_TRY(tlv_picture_add(ctx, picture,
								"<path d=\"M% %H%\" fill=\"none\" stroke=\"$\" stroke-width=\"3\" "
								"stroke-opacity=\"0.5\"><title>% to %</title></path>",
								(double[]){TLV_PICTURE_NAMES + row->low * INTERVAL_LENGTH, y,
										   TLV_PICTURE_NAMES + row->high * INTERVAL_LENGTH,
										   row->low, row->high},
								0));
	return tlv_picture_add(
		ctx, picture, "<circle cx=\"%\" cy=\"%\" r=\"4\" fill=\"$\"><title>%</title></circle>",
		(double[]){TLV_PICTURE_NAMES + row->share * INTERVAL_LENGTH, y, row->share}, 0);
}

tlv_status
tlv_draw_intervals(tlv_context *ctx, tlv_picture *picture, size_t n, const tlv_picture_word *rows,
				   double reference)
{
	const double gap = 36.0; /* between the shapes above and the axis */
	double top = picture->height + gap,
		   bottom = top + INTERVAL_LINE * (double) n + INTERVAL_LINE / 2;

	TLV_TRY(draw_axis(ctx, picture, top, bottom, reference));
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		TLV_TRY(draw_interval(ctx, picture, top + INTERVAL_LINE * (double) (i + 1), rows + i));
	}
	tlv_picture_reach(picture, TLV_PICTURE_NAMES + INTERVAL_LENGTH + 8, bottom);
	return TLV_OK;
}
