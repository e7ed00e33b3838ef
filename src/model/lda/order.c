/*
 * order.c - topics by decreasing weight, and their Dirichlet parameters (internal.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/numbers.h"

tlv_status
tlv_lda_sort_topics(tlv_context *ctx, size_t k, size_t d, double *phi, double *alpha,
					double *weights)
{
	double *row = tlv_alloc(ctx, k, sizeof(double));
	int64_t *order;

	TLV_TRY_ALLOC(ctx, row);
	TLV_TRY_NEW(ctx, order, k);
	tlv_order_weights(k, weights, order);
	for (size_t i = 0; i < d + 2; i++)
	{
		double *numbers = i < d ? phi + i * k : i == d ? alpha : weights;

		memcpy(row, numbers, k * sizeof(double));
		for (size_t j = 0; j < k; j++)
			numbers[j] = row[order[j]];
	}
	tlv_assert(tlv_descends(k, weights));
	tlv_free(ctx, order);
	tlv_free(ctx, row);
	return TLV_OK;
}

void
tlv_lda_alpha(size_t k, double alpha0, const double *weights, double *alpha)
{
	for (size_t j = 0; j < k; j++)
		alpha[j] = fmax(alpha0 > 0 ? alpha0 * weights[j] : weights[j], TLV_TINY);
}

tlv_status
tlv_lda_order_anchors(tlv_context *ctx, size_t k, const int64_t *order, const int64_t **anchors,
					  const double **distances)
{
	int64_t *items;
	double *numbers;

	if (*anchors == NULL || *distances == NULL)
		return TLV_OK;
	TLV_TRY_NEW(ctx, items, k);
	TLV_TRY_NEW(ctx, numbers, k);
	for (size_t j = 0; j < k; j++)
	{
		items[j] = (*anchors)[order[j]];
		numbers[j] = (*distances)[order[j]];
	}
	*anchors = items;
	*distances = numbers;
	return TLV_OK;
}
