/*
 * match.c - the components of two multi-view mixtures, one to one (multiview.h).
 */
#include <math.h>

#include "tensorlv/model/assignment.h"
#include "tensorlv/model/multiview.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"

/* L1 distance of the probabilities of two views over all categories of either, both ascending. */
static double
category_distance(const tlv_multiview_parts *a, size_t ja, const tlv_multiview_parts *b, size_t jb,
				  int view)
{
	const int64_t *x = a->items[view], *y = b->items[view];
	const double *p = a->means[view] + ja * a->d[view], *q = b->means[view] + jb * b->d[view];
	size_t i = 0, j = 0;
	double sum = 0;

	while (i < a->d[view] || j < b->d[view])
	{
		bool in_a = i < a->d[view] && (j >= b->d[view] || x[i] <= y[j]);
		bool in_b = j < b->d[view] && (i >= a->d[view] || y[j] <= x[i]);

		sum += fabs((in_a ? p[i] : 0) - (in_b ? q[j] : 0));
		i += in_a;
		j += in_b;
	}
	return sum;
}

static double
multiview_component_distance(const tlv_multiview_parts *a, size_t i, const tlv_multiview_parts *b,
							 size_t j)
{
	double sum = 0;

	for (int t = 0; t < 3; t++)
		if (a->items[0] != NULL)
			sum += category_distance(a, i, b, j, t) / 3;
		else
			sum +=
				tlv_squared_distance(a->d[t], a->means[t] + i * a->d[t], b->means[t] + j * a->d[t]);
	return a->items[0] != NULL ? sum : sqrt(sum);
}

tlv_status
tlv_multiview_match(tlv_context *ctx, const tlv_multiview_parts *a, const tlv_multiview_parts *b,
					int64_t *assignment, double *error)
{
	double *cost;

	if ((a->items[0] != NULL) != (b->items[0] != NULL))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "one model is of categories, one of vectors");
	for (int t = 0; t < 3 && a->items[0] == NULL; t++)
		if (a->d[t] != b->d[t])
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER, "view %d has %zu and %zu %s", t + 1, a->d[t], b->d[t],
					 tlv_plural((double) b->d[t], "dimension", "dimensions"));
			return tlv_fail_hint(ctx, "Fit both to the same columns in the same order.");
		}
	TLV_TRY_NEW_ROWS(ctx, cost, a->k, b->k);
	for (size_t i = 0; i < a->k; i++)
		for (size_t j = 0; j < b->k; j++)
		{
			TLV_TRY_CONTINUE(ctx);
			cost[i * b->k + j] = multiview_component_distance(a, i, b, j);
		}
	TLV_TRY(tlv_assign_components(ctx, a->k, b->k, cost, NAN, assignment, error));
	tlv_free(ctx, cost);
	return TLV_OK;
}
