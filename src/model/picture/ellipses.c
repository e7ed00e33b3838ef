/*
 * ellipses.c - components of vectors in two dimensions (picture.h).
 */
#include "tensorlv/model/picture.h"

#include <math.h>
#include <stdio.h>

/* Of the drawing; standard deviations that an ellipse takes in. */
#define WIDE	   560.0
#define HIGH	   420.0
#define DEVIATIONS 2.0
/* So far from an edge a name does not reach it. */
#define NAME_REACH 110.0
#define DEGREES	   57.29577951308232

/* From numbers to places: what is drawn lies between these. */
typedef struct view_box
{
	double low[2], high[2];
} view_box;

static double
place_x(const view_box *box, double x)
{
	return WIDE * (x - box->low[0]) / (box->high[0] - box->low[0]);
}

static double
place_y(const view_box *box, double y)
{
	return HIGH * (box->high[1] - y) / (box->high[1] - box->low[1]);
}

static void
widen_box(view_box *box, int i, double low, double high)
{
	box->low[i] = fmin(box->low[i], low);
	box->high[i] = fmax(box->high[i], high);
}

/* The box of all ellipses, of some size whatever they are. */
static view_box
box_of(size_t n, size_t d, const double *means, const double *covariances)
{
	view_box box = {{HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL}};

	for (size_t j = 0; j < n; j++)
		for (int i = 0; i < 2; i++)
		{
			double mean = i < (int) d ? means[j * d + (size_t) i] : 0;
			double reach = DEVIATIONS * 1.1 * sqrt(fmax(covariances[3 * j + 2 * (size_t) i], 0));

			widen_box(&box, i, mean - reach, mean + reach);
		}
	for (int i = 0; i < 2; i++)
		if (!(box.high[i] > box.low[i]))
		{
			box.low[i] -= fmax(fabs(box.low[i]) * 1e-6, 1e-300);
			box.high[i] += fmax(fabs(box.high[i]) * 1e-6, 1e-300);
		}
	return box;
}

/* Half axes and the turn of an ellipse as it is drawn. */
static void
drawn_axes(const view_box *box, const double *covariance, double axes[2], double *turn)
{
	double sx = WIDE / (box->high[0] - box->low[0]), sy = HIGH / (box->high[1] - box->low[1]);
	double a = covariance[0] * sx * sx, b = -covariance[1] * sx * sy, c = covariance[2] * sy * sy;
	double middle = (a + c) / 2, apart = hypot((a - c) / 2, b);

	axes[0] = DEVIATIONS * sqrt(fmax(middle + apart, 0));
	axes[1] = DEVIATIONS * sqrt(fmax(middle - apart, 0));
	*turn = DEGREES * 0.5 * atan2(2 * b, a - c);
}

static tlv_status
draw_axis_number(tlv_context *ctx, tlv_picture *picture, double x, double y, const char *style,
				 double value)
{
	char number[32];
	int n = snprintf(number, sizeof(number), "%.4g", value);

	return tlv_picture_text(ctx, picture, x, y, style, (tlv_text){number, (size_t) n}, 20);
}

/* The frame, what lies at its ends, and the names of the dimensions. */
static tlv_status
draw_axes(tlv_context *ctx, tlv_picture *picture, const view_box *box, size_t d,
		  const tlv_name_list *dimensions)
{
	tlv_text x = tlv_name_at(dimensions, 0), y = {NULL, 0};

	TLV_TRY(tlv_picture_add(ctx, picture,
							"<rect x=\"0\" y=\"0\" width=\"%\" height=\"%\" fill=\"none\" "
							"stroke=\"#ccd\"/>",
							(double[]){WIDE, HIGH}, 0));
	TLV_TRY(draw_axis_number(ctx, picture, 0, HIGH + 16, "fill=\"#777\"", box->low[0]));
	TLV_TRY(draw_axis_number(ctx, picture, WIDE, HIGH + 16, "fill=\"#777\" text-anchor=\"end\"",
							 box->high[0]));
	if (x.bytes == NULL)
		x = (tlv_text){"dimension 1", 11};
	TLV_TRY(tlv_picture_text(ctx, picture, WIDE / 2, HIGH + 16,
							 "fill=\"#777\" text-anchor=\"middle\"", x, 40));
	tlv_picture_reach(picture, WIDE, HIGH + 20);
	if (d < 2)
		return TLV_OK;
	y = tlv_name_at(dimensions, 1);
	if (y.bytes == NULL)
		y = (tlv_text){"dimension 2", 11};
	TLV_TRY(draw_axis_number(ctx, picture, 4, HIGH - 4, "fill=\"#777\"", box->low[1]));
	TLV_TRY(draw_axis_number(ctx, picture, 4, 14, "fill=\"#777\"", box->high[1]));
	return tlv_picture_text(ctx, picture, 4, HIGH / 2, "fill=\"#777\"", y, 40);
}

static tlv_status
draw_component(tlv_context *ctx, tlv_picture *picture, const view_box *box, size_t d,
			   const tlv_picture_component *component, const double *mean, const double *covariance)
{
	double x = place_x(box, mean[0]), y = place_y(box, d > 1 ? mean[1] : 0), axes[2], turn;
	double strong = isnan(component->weight) ? 0.3 : 0.08 + 0.4 * sqrt(component->weight);

	drawn_axes(box, covariance, axes, &turn);
	TLV_TRY(tlv_picture_add(
		ctx, picture,
		"<ellipse cx=\"%\" cy=\"%\" rx=\"%\" ry=\"%\" transform=\"rotate(% % %)\" "
		"fill=\"$\" fill-opacity=\"%\" stroke=\"$\" data-c=\"%\"/>"
		"<circle cx=\"%\" cy=\"%\" r=\"2.5\" fill=\"$\"/>",
		(double[]){x, y, axes[0], axes[1], turn, x, y, strong, (double) component->number, x, y},
		component->number - 1));
	return tlv_picture_name(ctx, picture, fmin(fmax(x, 6), WIDE - 6), y - 6,
							x < NAME_REACH			? "text-anchor=\"start\""
							: x > WIDE - NAME_REACH ? "text-anchor=\"end\""
													: "text-anchor=\"middle\"",
							component);
}

tlv_status
tlv_draw_ellipses(tlv_context *ctx, tlv_picture *picture, size_t n,
				  const tlv_picture_component *components, size_t d, const double *means,
				  const double *covariances, const tlv_name_list *dimensions)
{
	size_t drawn = tlv_least(n, TLV_PICTURE_COMPONENTS);
	view_box box = box_of(n, d, means, covariances);

	TLV_TRY(draw_axes(ctx, picture, &box, d, dimensions));
	for (size_t j = 0; j < drawn; j++)
		TLV_TRY(draw_component(ctx, picture, &box, d, components + j, means + j * d,
							   covariances + 3 * j));
	return TLV_OK;
}
