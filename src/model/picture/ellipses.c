/*
 * ellipses.c - components of vectors, and rows of them, in two dimensions or in one (picture.h).
 */
#include <math.h>
#include <stdio.h>

#include "internal.h"
#include "tensorlv/num/numbers.h"

/* Of the drawing; standard deviations that an ellipse takes in. */
#define ELLIPSE_WIDE 560.0
#define ELLIPSE_HIGH 420.0
#define DEVIATIONS	 2.0
/* So far from an edge a name does not reach it. */
#define NAME_REACH 110.0
#define DEGREES	   57.29577951308232
/* Places of a density that are joined by lines; standard deviations that they cover. */
#define PLACES		  61
#define ELLIPSE_REACH 3.5
/* Names are read above rows, too. */
#define HALO "paint-order=\"stroke\" stroke=\"#fff\" stroke-width=\"3\" text-anchor="

/* From numbers to places: what is drawn lies between these. */
typedef struct view_box
{
	double low[2], high[2];
} view_box;

static double
place_x(const view_box *box, double x)
{
	return ELLIPSE_WIDE * (x - box->low[0]) / (box->high[0] - box->low[0]);
}

static double
place_y(const view_box *box, double y)
{
	return ELLIPSE_HIGH * (box->high[1] - y) / (box->high[1] - box->low[1]);
}

static void
widen_box(view_box *box, int i, double low, double high)
{
	box->low[i] = fmin(box->low[i], low);
	box->high[i] = fmax(box->high[i], high);
}

static double
picture_mean_of(const tlv_picture_normals *normals, size_t j, size_t i)
{
	return normals->means[j * normals->d + i];
}

static double
picture_deviation_of(const tlv_picture_normals *normals, size_t j, size_t i)
{
	return sqrt(fmax(picture_covariance(normals, j, i, i), 0));
}

/* The height of a density at its middle, of some width whatever its variance is. */
static double
peak_of(const tlv_picture_normals *normals, size_t j)
{
	double deviation = picture_deviation_of(normals, j, 0);

	return deviation > 0 ? normals->weights[j] / deviation : 0;
}

/* The box of all components, and of the rows in these dimensions; of some size whatever they are.
 */
static view_box
box_of(const tlv_picture_normals *normals, const tlv_picture_rows *rows, const size_t place[2])
{
	view_box box = {{HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL}};
	bool flat = normals->d < 2;

	for (int i = 0; i < (flat ? 1 : 2); i++)
	{
		for (size_t j = 0; j < normals->n; j++)
		{
			double mean = picture_mean_of(normals, j, place[i]);
			double reach = (flat ? ELLIPSE_REACH : DEVIATIONS * 1.1) *
						   picture_deviation_of(normals, j, place[i]);

			widen_box(&box, i, mean - reach, mean + reach);
		}
		for (size_t r = 0; rows != NULL && r < rows->n; r++)
			if (!isnan(rows->x[r * rows->d + place[i]]))
				widen_box(&box, i, rows->x[r * rows->d + place[i]],
						  rows->x[r * rows->d + place[i]]);
	}
	for (size_t j = 0; flat && j < normals->n; j++)
		widen_box(&box, 1, 0, 1.1 * peak_of(normals, j));
	for (int i = 0; i < 2; i++)
		if (!(box.high[i] > box.low[i]))
		{
			box.low[i] -= fmax(fabs(box.low[i]) * 1e-6, TLV_TINY);
			box.high[i] += fmax(fabs(box.high[i]) * 1e-6, TLV_TINY);
		}
	return box;
}

/* ---- axes ---- */

static tlv_status
draw_axis_number(tlv_context *ctx, tlv_picture *picture, double x, double y, const char *style,
				 double value)
{
	char number[32];
	int n = snprintf(number, sizeof(number), "%.4g", value);

	return tlv_picture_text(ctx, picture, x, y, style, (tlv_text){number, (size_t) n}, 20);
}

static tlv_status
draw_dimension(tlv_context *ctx, tlv_picture *picture, double x, double y, const char *style,
			   const tlv_picture_normals *normals, size_t i)
{
	tlv_text name = tlv_name_at(&normals->dimensions, i);
	char number[40];

	if (name.bytes == NULL)
		name =
			(tlv_text){number, (size_t) snprintf(number, sizeof(number), "dimension %zu", i + 1)};
	return tlv_picture_text(ctx, picture, x, y, style, name, 40);
}

/* The frame, the numbers at its ends, and the names of the dimensions. */
static tlv_status
draw_axes(tlv_context *ctx, tlv_picture *picture, const view_box *box,
		  const tlv_picture_normals *normals, const size_t place[2])
{
	TLV_TRY(tlv_picture_add(ctx, picture,
							"<rect x=\"0\" y=\"0\" width=\"%\" height=\"%\" fill=\"none\" "
							"stroke=\"#ccd\"/>",
							(double[]){ELLIPSE_WIDE, ELLIPSE_HIGH}, 0));
	TLV_TRY(draw_axis_number(ctx, picture, 0, ELLIPSE_HIGH + 16, "fill=\"#777\"", box->low[0]));
	TLV_TRY(draw_axis_number(ctx, picture, ELLIPSE_WIDE, ELLIPSE_HIGH + 16,
							 "fill=\"#777\" text-anchor=\"end\"", box->high[0]));
	TLV_TRY(draw_dimension(ctx, picture, ELLIPSE_WIDE / 2, ELLIPSE_HIGH + 16,
						   "fill=\"#777\" text-anchor=\"middle\"", normals, place[0]));
	tlv_picture_reach(picture, ELLIPSE_WIDE, ELLIPSE_HIGH + 20);
	if (normals->d < 2)
		return TLV_OK;
	TLV_TRY(draw_axis_number(ctx, picture, 4, ELLIPSE_HIGH - 4, "fill=\"#777\"", box->low[1]));
	TLV_TRY(draw_axis_number(ctx, picture, 4, 14, "fill=\"#777\"", box->high[1]));
	return draw_dimension(ctx, picture, 4, ELLIPSE_HIGH / 2, "fill=\"#777\"", normals, place[1]);
}

/* ---- components ---- */

static tlv_status
draw_name(tlv_context *ctx, tlv_picture *picture, double x, double y,
		  const tlv_picture_component *component)
{
	return tlv_picture_name(ctx, picture, fmin(fmax(x, 6), ELLIPSE_WIDE - 6), fmax(y, 12),
							x < NAME_REACH					? HALO "\"start\""
							: x > ELLIPSE_WIDE - NAME_REACH ? HALO "\"end\""
															: HALO "\"middle\"",
							component);
}

/* Half axes and the turn of an ellipse as it is drawn. */
static void
drawn_axes(const view_box *box, const tlv_picture_normals *normals, size_t j, const size_t place[2],
		   double axes[2], double *turn)
{
	double sx = ELLIPSE_WIDE / (box->high[0] - box->low[0]),
		   sy = ELLIPSE_HIGH / (box->high[1] - box->low[1]);
	double a = picture_covariance(normals, j, place[0], place[0]) * sx * sx;
	double b = -picture_covariance(normals, j, place[0], place[1]) * sx * sy;
	double c = picture_covariance(normals, j, place[1], place[1]) * sy * sy;
	double middle = (a + c) / 2, apart = hypot((a - c) / 2, b);

	axes[0] = DEVIATIONS * sqrt(fmax(middle + apart, 0));
	axes[1] = DEVIATIONS * sqrt(fmax(middle - apart, 0));
	*turn = DEGREES * 0.5 * atan2(2 * b, a - c);
}

static tlv_status
draw_ellipse(tlv_context *ctx, tlv_picture *picture, const view_box *box,
			 const tlv_picture_normals *normals, size_t j, const size_t place[2])
{
	double x = place_x(box, picture_mean_of(normals, j, place[0]));
	double y = place_y(box, picture_mean_of(normals, j, place[1]));
	double strong = 0.08 + 0.4 * sqrt(fmin(fmax(normals->weights[j], 0), 1)), axes[2], turn;

	drawn_axes(box, normals, j, place, axes, &turn);
	return tlv_picture_add(
		ctx, picture,
		"<ellipse cx=\"%\" cy=\"%\" rx=\"%\" ry=\"%\" transform=\"rotate(% % %)\" "
		"fill=\"$\" fill-opacity=\"%\" stroke=\"$\" data-c=\"%\"/>"
		"<circle cx=\"%\" cy=\"%\" r=\"2.5\" fill=\"$\"/>",
		(double[]){x, y, axes[0], axes[1], turn, x, y, strong, (double) j + 1, x, y}, j);
}

/* The density of a component times its weight, above the lower edge of the frame. */
static tlv_status
draw_density(tlv_context *ctx, tlv_picture *picture, const view_box *box,
			 const tlv_picture_normals *normals, size_t j)
{
	double mean = picture_mean_of(normals, j, 0), deviation = picture_deviation_of(normals, j, 0);

	TLV_TRY(tlv_picture_add(ctx, picture,
							"<path fill=\"$\" fill-opacity=\"0.25\" stroke=\"$\" data-c=\"%\" "
							"d=\"",
							(double[]){(double) j + 1}, j));
	for (int i = 0; i < PLACES; i++)
	{
		double z = ELLIPSE_REACH * (2.0 * i / (PLACES - 1) - 1);
		double place[2] = {place_x(box, mean + z * deviation),
						   place_y(box, peak_of(normals, j) * exp(-z * z / 2))};

		TLV_TRY(tlv_picture_add(ctx, picture, i == 0 ? "M% %" : "L% %", place, 0));
	}
	return tlv_json_put(ctx, &picture->body, "\"/>");
}

/* ---- rows ---- */

static tlv_status
draw_row(tlv_context *ctx, tlv_picture *picture, const view_box *box,
		 const tlv_picture_normals *normals, size_t r, const size_t place[2])
{
	const tlv_picture_rows *rows = picture->rows;
	const double *x = rows->x + r * rows->d;

	if (isnan(x[place[0]]) || isnan(x[place[1]]))
		return TLV_OK;
	TLV_TRY(
		tlv_picture_add(ctx, picture,
						"<circle cx=\"%\" cy=\"%\" r=\"3\" fill=\"$\" stroke=\"#fff\" "
						"stroke-width=\"0.5\">",
						(double[]){place_x(box, x[place[0]]),
								   normals->d > 1 ? place_y(box, x[place[1]]) : ELLIPSE_HIGH - 4},
						rows->component[r]));
	TLV_TRY(tlv_picture_title(ctx, picture, rows->names[r]));
	return tlv_json_put(ctx, &picture->body, "</circle>");
}

tlv_status
tlv_draw_normals(tlv_context *ctx, tlv_picture *picture, const tlv_picture_component *components,
				 const tlv_picture_normals *normals)
{
	size_t drawn = tlv_least(normals->n, TLV_PICTURE_COMPONENTS), place[2];
	view_box box;

	TLV_TRY(tlv_picture_plane(ctx, normals, place));
	box = box_of(normals, picture->rows, place);
	TLV_TRY(draw_axes(ctx, picture, &box, normals, place));
	for (size_t j = 0; j < drawn; j++)
		TLV_TRY(normals->d > 1 ? draw_ellipse(ctx, picture, &box, normals, j, place)
							   : draw_density(ctx, picture, &box, normals, j));
	for (size_t r = 0; picture->rows != NULL && r < picture->rows->n; r++)
		TLV_TRY(draw_row(ctx, picture, &box, normals, r, place));
	/* Names lie above rows. */
	for (size_t j = 0; j < drawn; j++)
		TLV_TRY(draw_name(ctx, picture, place_x(&box, picture_mean_of(normals, j, place[0])),
						  (normals->d > 1 ? place_y(&box, picture_mean_of(normals, j, place[1]))
										  : place_y(&box, peak_of(normals, j))) -
							  6,
						  components + j));
	return TLV_OK;
}
