/*
 * match.c - which class of one model is which of another (internal.h).
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/model/assignment.h"
#include "tensorlv/model/layout.h"

/*
 * Half the sum of the differences of what all workers together say of both classes, answer by
 * answer as far as both models have it, the rest as it is.
 */
static double
pool_distance(const tlv_crowd_parts *a, size_t i, const tlv_crowd_parts *b, size_t j)
{
	double sum = 0;
	size_t x = 0, y = 0;

	while (x < a->answers_n || y < b->answers_n)
	{
		bool left = y == b->answers_n || (x < a->answers_n && a->answers[x] <= b->answers[y]);
		bool right = x == a->answers_n || (y < b->answers_n && b->answers[y] <= a->answers[x]);
		double p = left ? a->pool[i + a->k * x] : 0, q = right ? b->pool[j + b->k * y] : 0;

		sum += fabs(p - q);
		x += left;
		y += right;
	}
	return sum / 2;
}

tlv_status
tlv_crowd_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	tlv_crowd_parts x, y;
	double *cost;

	tlv_crowd_read(a, &x);
	tlv_crowd_read(b, &y);
	TLV_TRY_NEW_ROWS(ctx, cost, x.k, y.k);
	for (size_t i = 0; i < x.k; i++)
		for (size_t j = 0; j < y.k; j++)
		{
			TLV_TRY_CONTINUE(ctx);
			cost[i * y.k + j] = pool_distance(&x, i, &y, j) + (x.answers[x.component_answers[i]] !=
															   y.answers[y.component_answers[j]]);
		}
	TLV_TRY(tlv_assign_components(ctx, x.k, y.k, cost, NAN, match->component, match->distance));
	tlv_free(ctx, cost);
	return TLV_OK;
}
