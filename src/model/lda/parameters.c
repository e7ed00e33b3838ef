/*
 * parameters.c - order and scale of topics, and models from given
 * parameters (lda.h).
 */
#include "tensorlv/model/lda.h"

#include <math.h>
#include <string.h>

#include "internal.h"

void
tlv_lda_order_topics(size_t k, const double *weights, int64_t *order)
{
	for (size_t j = 0; j < k; j++)
	{
		size_t at = j;

		for (; at > 0 && weights[order[at - 1]] < weights[j]; at--)
			order[at] = order[at - 1];
		order[at] = (int64_t) j;
	}
}

tlv_status
tlv_lda_sort_topics(tlv_context *ctx, size_t k, size_t d, double *phi, double *alpha,
					double *weights)
{
	double *row = tlv_alloc(ctx, k, sizeof(double));
	int64_t *order;

	TLV_TRY_ALLOC(ctx, row);
	order = tlv_alloc(ctx, k, sizeof(int64_t));
	TLV_TRY_ALLOC(ctx, order);
	tlv_lda_order_topics(k, weights, order);
	for (size_t i = 0; i < d + 2; i++)
	{
		double *numbers = i < d ? phi + i * k : i == d ? alpha : weights;

		memcpy(row, numbers, k * sizeof(double));
		for (size_t j = 0; j < k; j++)
			numbers[j] = row[order[j]];
	}
	tlv_free(ctx, order);
	tlv_free(ctx, row);
	return TLV_OK;
}

void
tlv_lda_alpha(size_t k, double alpha0, const double *weights, double *alpha)
{
	for (size_t j = 0; j < k; j++)
		alpha[j] = alpha0 > 0 ? alpha0 * weights[j] : weights[j];
}

tlv_status
tlv_lda_from_parameters(tlv_context *ctx, size_t k, size_t d, const int64_t *items,
						const double *phi, const double *alpha, uint64_t seed, void **image,
						size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_lda_parts parts = {0};
	double *own, *weights, *shares, *own_alpha, alpha0 = 0;

	own = tlv_alloc(ctx, k * d + 2 * k + d, sizeof(double));
	TLV_TRY_ALLOC(ctx, own);
	weights = own + k * d;
	own_alpha = weights + k;
	shares = own_alpha + k;
	for (size_t j = 0; j < k; j++)
	{
		double sum = 0;

		if (!(isfinite(alpha[j]) && alpha[j] > 0))
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha of topic %zu is %g, not above 0", j + 1,
							alpha[j]);
		for (size_t i = 0; i < d; i++)
		{
			if (!(isfinite(phi[i * k + j]) && phi[i * k + j] >= 0))
				return tlv_fail(ctx, TLV_BAD_PARAMETER,
								"probability %g of topic %zu is not a number of at least 0",
								phi[i * k + j], j + 1);
			sum += phi[i * k + j];
		}
		if (!(sum > 0 && isfinite(sum)))
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "topic %zu has no probability", j + 1);
		for (size_t i = 0; i < d; i++)
			own[i * k + j] = phi[i * k + j] / sum;
		alpha0 += alpha[j];
	}
	for (size_t j = 0; j < k; j++)
	{
		weights[j] = alpha[j] / alpha0;
		if (!(isfinite(alpha0) && weights[j] >= TLV_LDA_LEAST_WEIGHT))
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha of topic %zu is %g of a sum of %g",
							j + 1, alpha[j], alpha0);
	}
	tlv_lda_alpha(k, alpha0, weights, own_alpha);
	TLV_TRY(tlv_lda_sort_topics(ctx, k, d, own, own_alpha, weights));
	for (size_t i = 0; i < d; i++)
	{
		shares[i] = 0;
		for (size_t j = 0; j < k; j++)
			shares[i] += weights[j] * own[i * k + j];
	}
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, alpha0, "alpha0"));
	parts.k = k;
	parts.d = d;
	parts.alpha0 = alpha0;
	parts.alpha0_free = 1;
	parts.eta = TLV_LDA_ETA;
	parts.seed = (double) seed;
	parts.items = items;
	parts.phi = own;
	parts.alpha = own_alpha;
	parts.weights = weights;
	parts.shares = shares;
	parts.diagnostics = &diagnostics;
	return tlv_lda_write(ctx, &parts, image, size);
}
