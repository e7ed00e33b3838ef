/*
 * words.c - cards of words (picture.h).
 */
#include "tensorlv/model/picture.h"

/* Of a card and of a word. */
#define ACROSS	4
#define WIDE	176.0
#define HIGH	184.0
#define LINE	18.0
#define PADDING 10.0

tlv_status
tlv_draw_words(tlv_context *ctx, tlv_picture *picture, size_t i,
			   const tlv_picture_component *component, size_t n, const tlv_text *words,
			   const double *shares)
{
	size_t row = i / ACROSS;
	double x = (double) (i % ACROSS) * (WIDE + PADDING), y = (double) row * (HIGH + PADDING);

	TLV_TRY(tlv_picture_add(
		ctx, picture, "<rect x=\"%\" y=\"%\" width=\"%\" height=\"%\" rx=\"6\" fill=\"#f6f7f8\"/>",
		(double[]){x, y, WIDE, HIGH}, 0));
	TLV_TRY(tlv_picture_name(ctx, picture, x + PADDING, y + 20, "", component));
	for (size_t w = 0; w < n; w++)
	{
		double top = y + 30 + (double) w * LINE;

		TLV_TRY(tlv_picture_add(ctx, picture,
								"<rect x=\"%\" y=\"%\" width=\"%\" height=\"%\" fill=\"$\" "
								"fill-opacity=\"0.25\"><title>%</title></rect>",
								(double[]){x + PADDING, top,
										   (WIDE - 2 * PADDING) * shares[w] / shares[0], LINE - 3,
										   shares[w]},
								component->number - 1));
		TLV_TRY(tlv_picture_text(ctx, picture, x + PADDING + 4, top + 11.5, "", words[w], 20));
	}
	tlv_picture_reach(picture, x + WIDE, y + HIGH);
	return TLV_OK;
}
