/*
 * draw.c - templates as lines over their steps (convolution.h).
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/model/picture.h"

#define CONVOLUTION_NAMES 150.0 /* left of the lines */
#define HEIGHT			  90.0	/* of a template */
#define CONVOLUTION_WIDE  480.0 /* all of its steps */

static tlv_status
draw_template(tlv_context *ctx, tlv_picture *picture, size_t l, size_t s, const double *f,
			  double largest)
{
	double middle = ((double) l + 0.5) * HEIGHT, step = CONVOLUTION_WIDE / (double) s;

	TLV_TRY(tlv_picture_add(
		ctx, picture,
		"<path d=\"M% %H%\" stroke=\"#ccd\" fill=\"none\"/><path fill=\"none\" "
		"stroke=\"$\" stroke-width=\"2\" d=\"",
		(double[]){CONVOLUTION_NAMES, middle, CONVOLUTION_NAMES + CONVOLUTION_WIDE}, l));
	for (size_t t = 0; t < s; t++)
		TLV_TRY(tlv_picture_add(ctx, picture, t == 0 ? "M% %" : "L% %",
								(double[]){CONVOLUTION_NAMES + ((double) t + 0.5) * step,
										   middle - 0.42 * HEIGHT * f[t] / largest},
								l));
	return tlv_picture_add(ctx, picture, "\"><title>% steps</title></path>", (double[]){(double) s},
						   l);
}

tlv_status
convolution_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_picture_component *components;
	tlv_convolution_parts parts;
	double largest = 0;
	size_t n;

	tlv_convolution_read(model, &parts);
	TLV_TRY(tlv_picture_components(ctx, model, "template", &components));
	n = tlv_least(parts.k, TLV_PICTURE_COMPONENTS);
	for (size_t i = 0; i < parts.s * parts.k; i++)
		largest = fmax(largest, fabs(parts.templates[i]));
	for (size_t l = 0; l < n; l++)
	{
		TLV_TRY(draw_template(ctx, picture, l, parts.s, parts.templates + parts.s * l, largest));
		TLV_TRY(tlv_picture_name(ctx, picture, CONVOLUTION_NAMES - 12, ((double) l + 0.55) * HEIGHT,
								 "text-anchor=\"end\"", components + l));
	}
	tlv_picture_reach(picture, CONVOLUTION_NAMES + CONVOLUTION_WIDE, (double) n * HEIGHT);
	tlv_free(ctx, components);
	return TLV_OK;
}
