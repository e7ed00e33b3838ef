/*
 * words.c - cards of words (picture.h).
 */
#include <math.h>

#include "internal.h"

/* Of a card and of a word: cards in a row, fewer where names are wider than a card, and the least
 * width of one. */
#define WORD_ACROSS 4
#define WORD_WIDE	176.0
#define WORD_HIGH	184.0
#define WORD_LINE	18.0
#define PADDING		10.0

/* What the whole width of a bar stands for. */
static double
widest(size_t n, const tlv_picture_word *words)
{
	double most = 0;

	for (size_t w = 0; w < n; w++)
		most = fmax(most, fmax(words[w].share, words[w].high)); /* fmax ignores a NaN */
	return most;
}

/* Its bar, and over it the interval. */
static tlv_status
draw_share(tlv_context *ctx, tlv_picture *picture, double x, double top, double scale,
		   const tlv_picture_component *component, const tlv_picture_word *word)
{
	TLV_TRY(tlv_picture_add(ctx, picture,
							"<rect x=\"%\" y=\"%\" width=\"%\" height=\"%\" fill=\"$\" "
							"fill-opacity=\"0.25\"><title>%</title></rect>",
							(double[]){x, top, word->share * scale, WORD_LINE - 3, word->share},
							component->number - 1));
	if (isnan(word->low) || isnan(word->high))
		return TLV_OK;
	return tlv_picture_add(ctx, picture,
						   "<path d=\"M% %H%\" stroke=\"$\" stroke-width=\"3\" "
						   "stroke-opacity=\"0.6\"><title>% to %</title></path>",
						   (double[]){x + word->low * scale, top + WORD_LINE - 4.5,
									  x + word->high * scale, word->low, word->high},
						   component->number - 1);
}

tlv_status
tlv_draw_words(tlv_context *ctx, tlv_picture *picture, size_t k,
			   const tlv_picture_component *components, size_t i, size_t n,
			   const tlv_picture_word *words)
{
	const double font = 12;
	double wide = WORD_WIDE, x, y;
	size_t across, row;

	for (size_t j = 0; j < k; j++)
		wide = fmax(wide, picture_name_width(components + j, font) + 2 * PADDING);
	across = (size_t) fmax(1, floor(WORD_ACROSS * (WORD_WIDE + PADDING) / (wide + PADDING)));
	x = (double) (i % across) * (wide + PADDING);
	row = i / across;
	y = (double) row * (WORD_HIGH + PADDING);
	TLV_TRY(tlv_picture_add(
		ctx, picture, "<rect x=\"%\" y=\"%\" width=\"%\" height=\"%\" rx=\"6\" fill=\"#f6f7f8\"/>",
		(double[]){x, y, wide, WORD_HIGH}, 0));
	TLV_TRY(tlv_picture_name(ctx, picture, x + PADDING, y + 20, "", components + i));
	for (size_t w = 0; w < n; w++)
	{
		double top = y + 30 + (double) w * WORD_LINE,
			   scale = (wide - 2 * PADDING) / widest(n, words);

		TLV_TRY(draw_share(ctx, picture, x + PADDING, top, scale, components + i, words + w));
		TLV_TRY(tlv_picture_text(ctx, picture, x + PADDING + 4, top + 11.5, "", words[w].name, 20));
	}
	tlv_picture_reach(picture, x + wide, y + WORD_HIGH);
	return TLV_OK;
}
