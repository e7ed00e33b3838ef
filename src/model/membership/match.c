/*
 * match.c - the components of two models over the same variables, one to one; their picture.
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/model/assignment.h"
#include "tensorlv/model/picture.h"

/* Mean over the variables of the total variation of two components, 0 to 1; categories that only
 * one of the models has count as 0 in the other. */
static double
component_distance(const tlv_membership_parts *a, size_t i, const tlv_membership_parts *b, size_t j)
{
	size_t x = 0, y = 0;
	double sum = 0;

	for (size_t v = 0; v < a->p; x += (size_t) a->states[v], y += (size_t) b->states[v], v++)
		for (int64_t c = 0; c < a->states[v] || c < b->states[v]; c++)
		{
			double p = c < a->states[v] ? a->probabilities[(x + (size_t) c) * a->k + i] : 0;
			double q = c < b->states[v] ? b->probabilities[(y + (size_t) c) * b->k + j] : 0;

			sum += fabs(p - q) / 2;
		}
	return sum / (double) a->p;
}

tlv_status
membership_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	tlv_membership_parts x, y;
	double *cost;

	tlv_membership_read(a, &x);
	tlv_membership_read(b, &y);
	if (x.p != y.p)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the models have %zu and %zu variables", x.p, y.p);
	TLV_TRY_NEW_ROWS(ctx, cost, x.k, y.k);
	for (size_t i = 0; i < x.k; i++)
		for (size_t j = 0; j < y.k; j++)
		{
			TLV_TRY_CONTINUE(ctx);
			cost[i * y.k + j] = component_distance(&x, i, &y, j);
		}
	TLV_TRY(tlv_assign_components(ctx, x.k, y.k, cost, NAN, match->component, match->distance));
	tlv_free(ctx, cost);
	return TLV_OK;
}

tlv_status
membership_draw_picture(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_picture_component *components;
	tlv_membership_parts parts;
	tlv_name_list heads;

	tlv_membership_read(model, &parts);
	heads = (tlv_name_list){parts.name_offsets, parts.names};
	TLV_TRY(tlv_picture_components(ctx, model, "component", &components));
	TLV_TRY(tlv_draw_matrix(ctx, picture, parts.k, components, parts.categories,
							parts.probabilities, &heads));
	tlv_free(ctx, components);
	return TLV_OK;
}
