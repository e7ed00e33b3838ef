/*
 * chain.c - states and the ways between them (picture.h).
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/num/special.h"

/* Of the largest state; the share of the ways out that is drawn at least; the widest arrow. */
#define CHAIN_LARGEST 42.0
#define CHAIN_LEAST	  0.05
#define WIDEST		  9.0
#define SMALLEST	  8.0

/* Where the states stand. */
typedef struct chain_drawing
{
	size_t n;
	const tlv_picture_component *components;
	double centre, ring;
} chain_drawing;

static double
state_x(const chain_drawing *w, size_t j)
{
	return w->centre + (w->n > 1 ? w->ring * sin(TLV_TWO_PI * (double) j / (double) w->n) : 0);
}

static double
state_y(const chain_drawing *w, size_t j)
{
	return w->centre - (w->n > 1 ? w->ring * cos(TLV_TWO_PI * (double) j / (double) w->n) : 0);
}

static double
state_radius(const chain_drawing *w, size_t j)
{
	return fmax(CHAIN_LARGEST * sqrt(w->components[j].weight), SMALLEST);
}

/* A bow to the right of the straight line, with a head, as wide as its share of the ways out. */
static tlv_status
draw_arrow(tlv_context *ctx, tlv_picture *picture, const chain_drawing *w, size_t from, size_t to,
		   double p, double share)
{
	double ax = state_x(w, from), ay = state_y(w, from), bx = state_x(w, to), by = state_y(w, to);
	double length = hypot(bx - ax, by - ay), ux = (bx - ax) / length, uy = (by - ay) / length;
	double mx = (ax + bx) / 2 - 0.16 * length * uy, my = (ay + by) / 2 + 0.16 * length * ux;
	double end = hypot(bx - mx, by - my), vx = (bx - mx) / end, vy = (by - my) / end;
	double head = 6 + WIDEST * share, stop = state_radius(w, to) + 1, tip = stop + head;

	TLV_TRY(tlv_picture_add(
		ctx, picture,
		"<path d=\"M% % Q% % % %\" fill=\"none\" stroke=\"$\" stroke-opacity=\"0.6\" "
		"stroke-width=\"%\"><title>%</title></path>",
		(double[]){ax, ay, mx, my, bx - tip * vx, by - tip * vy, 0.8 + WIDEST * share, p}, from));
	return tlv_picture_add(ctx, picture, "<path d=\"M% % L% % L% %Z\" fill=\"$\"/>",
						   (double[]){bx - stop * vx, by - stop * vy, bx - tip * vx - head / 2 * vy,
									  by - tip * vy + head / 2 * vx, bx - tip * vx + head / 2 * vy,
									  by - tip * vy - head / 2 * vx},
						   from);
}

/* The name stands outside of the circle of states, where no arrows are. */
static tlv_status
draw_state(tlv_context *ctx, tlv_picture *picture, const chain_drawing *w, size_t j, double stay)
{
	double x = state_x(w, j), y = state_y(w, j), radius = state_radius(w, j);

	TLV_TRY(tlv_picture_add(ctx, picture,
							"<circle cx=\"%\" cy=\"%\" r=\"%\" fill=\"#fff\" stroke=\"$\" "
							"stroke-width=\"%\" data-c=\"%\"><title>%</title></circle>",
							(double[]){x, y, radius, 1 + WIDEST * stay, (double) j + 1, stay}, j));
	return tlv_picture_name(ctx, picture, x, y < w->centre ? y - radius - 12 : y + radius + 18,
							"text-anchor=\"middle\"", w->components + j);
}

/* All ways out of a state.  How often it is left shows in its ring, so that the arrows of states
 * that last are seen as well. */
static tlv_status
draw_leaving(tlv_context *ctx, tlv_picture *picture, const chain_drawing *w, size_t from,
			 const double *row)
{
	double leaving = 0;

	for (size_t to = 0; to < w->n; to++)
		leaving += to == from ? 0 : row[to];
	for (size_t to = 0; to < w->n; to++)
		if (to != from && leaving > 0 && row[to] >= CHAIN_LEAST * leaving)
			TLV_TRY(draw_arrow(ctx, picture, w, from, to, row[to], row[to] / leaving));
	return TLV_OK;
}

tlv_status
tlv_draw_chain(tlv_context *ctx, tlv_picture *picture, size_t n,
			   const tlv_picture_component *components, const double *transitions)
{
	size_t drawn = tlv_least(n, TLV_PICTURE_COMPONENTS);
	chain_drawing w = {.n = drawn, .components = components};
	const double font = 12, gap = 8; /* of names, and between them */
	double wide = 0;

	for (size_t j = 0; j < drawn; j++)
		wide = fmax(wide, picture_name_width(components + j, font) + gap);
	if (drawn > 1)
		w.ring =
			fmax(fmax(130, 32 * (double) drawn), wide / 2 / sin(TLV_TWO_PI / 2 / (double) drawn));
	w.centre = w.ring + CHAIN_LARGEST + 30;
	for (size_t from = 0; from < drawn; from++)
		TLV_TRY(draw_leaving(ctx, picture, &w, from, transitions + n * from));
	for (size_t j = 0; j < drawn; j++)
		TLV_TRY(draw_state(ctx, picture, &w, j, transitions[j + n * j]));
	tlv_picture_reach(picture, 2 * w.centre, 2 * w.centre);
	return TLV_OK;
}
