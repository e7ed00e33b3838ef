/*
 * joints.c - a tree of what is joined at which distance (picture.h).
 */
#include "tensorlv/model/picture.h"

#include <math.h>

#define JOINT_NAMES	 250.0
#define JOINT_LENGTH 400.0

/* Where the groups stand: that of leaf j by its first leaf. */
typedef struct joint_drawing
{
	size_t *next;	/* n: the leaf behind it in its group; n: none */
	size_t *last;	/* n: of the group that leaf j is the first of */
	size_t *first;	/* n: of its group */
	double *x, *y;	/* n: of the group that leaf j is the first of */
	double *height; /* n: of leaf j */
} joint_drawing;

static tlv_status
create_drawing(tlv_context *ctx, size_t n, joint_drawing *w)
{
	TLV_TRY_NEW(ctx, w->next, 3 * n);
	TLV_TRY_NEW(ctx, w->x, 3 * n);
	w->last = w->next + n;
	w->first = w->last + n;
	w->y = w->x + n;
	w->height = w->y + n;
	for (size_t j = 0; j < n; j++)
	{
		w->next[j] = n;
		w->last[j] = w->first[j] = j;
	}
	return TLV_OK;
}

/* Leaves of b stand behind those of a; returns the first of a. */
static size_t
chain(joint_drawing *w, size_t n, size_t a, size_t b)
{
	size_t to = w->first[a], from = w->first[b];

	w->next[w->last[to]] = from;
	w->last[to] = w->last[from];
	for (size_t j = from; j < n; j = w->next[j])
		w->first[j] = to;
	return to;
}

/* The leaves from top to bottom, in the order in which groups were chained. */
static tlv_status
draw_leaves(tlv_context *ctx, tlv_picture *picture, size_t n, double top,
			const tlv_picture_component *components, const tlv_text *names, joint_drawing *w)
{
	const int letters = 38;
	const double line = 16.0;
	double y = top;

	for (size_t i = 0; i < n; i++)
		if (w->first[i] == i)
			for (size_t j = i; j < n; j = w->next[j], y += line)
			{
				w->height[j] = y;
				TLV_TRY(tlv_picture_add(ctx, picture,
										"<circle cx=\"%\" cy=\"%\" r=\"4\" fill=\"$\"/>",
										(double[]){4, y - 4}, components[j].number - 1));
				TLV_TRY(tlv_picture_text(ctx, picture, 14, y, "", names[j], letters));
			}
	tlv_picture_reach(picture, JOINT_NAMES + JOINT_LENGTH + 4, y);
	return TLV_OK;
}

static tlv_status
draw_joint(tlv_context *ctx, tlv_picture *picture, joint_drawing *w, size_t a, size_t b,
		   double distance, double longest)
{
	double x = JOINT_NAMES + JOINT_LENGTH * (longest > 0 ? distance / longest : 1);

	TLV_TRY(tlv_picture_add(
		ctx, picture,
		"<path d=\"M% %H%V%H%\" fill=\"none\" stroke=\"#888\"><title>%</title></path>",
		(double[]){w->x[a], w->y[a] - 4, x, w->y[b] - 4, w->x[b], distance}, 0));
	w->x[a] = x;
	w->y[a] = (w->y[a] + w->y[b]) / 2;
	return TLV_OK;
}

tlv_status
tlv_draw_joints(tlv_context *ctx, tlv_picture *picture, size_t n,
				const tlv_picture_component *components, const tlv_text *names, size_t joints,
				const tlv_picture_joint *joint)
{
	const double gap = 28.0; /* between what is there and the tree */
	double top = picture->height + gap, longest = 0;
	joint_drawing w;

	TLV_TRY(create_drawing(ctx, n, &w));
	for (size_t i = 0; i < joints; i++)
	{
		longest = fmax(longest, joint[i].distance);
		chain(&w, n, joint[i].a, joint[i].b);
	}
	TLV_TRY(draw_leaves(ctx, picture, n, top, components, names, &w));
	for (size_t j = 0; j < n; j++)
	{
		w.first[j] = w.last[j] = j;
		w.next[j] = n;
		w.x[j] = JOINT_NAMES;
		w.y[j] = w.height[j];
	}
	for (size_t i = 0; i < joints; i++)
	{
		size_t a = w.first[joint[i].a], b = w.first[joint[i].b];

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(draw_joint(ctx, picture, &w, a, b, joint[i].distance, longest));
		chain(&w, n, a, b);
	}
	tlv_free(ctx, w.next);
	tlv_free(ctx, w.x);
	return TLV_OK;
}
