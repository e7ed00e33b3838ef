/*
 * labels.c - labels of the largest shares; numbering communities alike on both sides, and as known
 * labels do.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/optimize.h"

/* The assignment of largest total gain, gain[a + k b] of a to b. */
static tlv_status
assign_labels(tlv_context *ctx, size_t k, const double *gain, int64_t *assignment)
{
	double *cost = tlv_alloc(ctx, k * k, sizeof(double)), total;
	tlv_status status;

	TLV_TRY_ALLOC(ctx, cost);
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
			cost[a * k + b] = -gain[a + k * b];
	status = tlv_assignment(ctx, k, k, cost, assignment, &total);
	tlv_free(ctx, cost);
	return status;
}

tlv_status
tlv_mmsb_align_sides(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *const label[2],
					 int64_t *assignment)
{
	size_t k = fit->k;
	double *weight = tlv_alloc0(ctx, k * k + 2 * k, sizeof(double)), *rows, *columns;

	TLV_TRY_ALLOC(ctx, weight);
	rows = weight + k * k;
	columns = rows + k;
	TLV_TRY(tlv_block_edges(ctx, &fit->side[1].edges, label[1], label[0], k, true, weight));
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
		{
			rows[a] += weight[b + k * a];
			columns[b] += weight[b + k * a];
		}
	/* by the excess over chance, so that large communities do not take all */
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
			weight[b + k * a] = (weight[b + k * a] - rows[a] * columns[b] / fit->total) /
								sqrt(rows[a] * columns[b] + 1);
	TLV_TRY(assign_labels(ctx, k, weight, assignment));
	tlv_free(ctx, weight);
	return TLV_OK;
}

tlv_status
tlv_mmsb_align_known(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *const label[2],
					 int64_t *assignment)
{
	size_t k = fit->k;
	double *together = tlv_alloc0(ctx, k * k, sizeof(double));

	TLV_TRY_ALLOC(ctx, together);
	for (size_t s = 0; s < fit->sides; s++)
		for (size_t u = 0; u < fit->side[s].n; u++)
			if (fit->side[s].fixed[u] >= 0)
				together[(size_t) label[s][u] + k * (size_t) fit->side[s].fixed[u]] += 1;
	TLV_TRY(assign_labels(ctx, k, together, assignment));
	tlv_free(ctx, together);
	return TLV_OK;
}

tlv_status
tlv_mmsb_largest(tlv_context *ctx, size_t k, size_t rank, size_t n, const float *share,
				 int32_t **label)
{
	TLV_TRY_NEW(ctx, *label, n);
	for (size_t u = 0; u < n; u++)
	{
		size_t best = 0;

		if (u % 4096 == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t a = 1; a < rank; a++)
			best = share[u * k + a] > share[u * k + best] ? a : best;
		(*label)[u] = (int32_t) best;
	}
	return TLV_OK;
}

void
tlv_mmsb_relabel(size_t n, const int64_t *assignment, int32_t *label)
{
	for (size_t u = 0; u < n; u++)
		label[u] = (int32_t) assignment[label[u]];
}

tlv_status
tlv_mmsb_settle_labels(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *const label[2])
{
	int64_t *assignment = tlv_alloc(ctx, fit->k, sizeof(int64_t));

	TLV_TRY_ALLOC(ctx, assignment);
	if (fit->sides == 2)
	{
		TLV_TRY(tlv_mmsb_align_sides(ctx, fit, label, assignment));
		tlv_mmsb_relabel(fit->side[1].n, assignment, label[1]);
	}
	if (fit->side[0].fixed != NULL)
	{
		TLV_TRY(tlv_mmsb_align_known(ctx, fit, label, assignment));
		for (size_t s = 0; s < fit->sides; s++)
		{
			tlv_mmsb_relabel(fit->side[s].n, assignment, label[s]);
			for (size_t u = 0; u < fit->side[s].n; u++)
				if (fit->side[s].fixed[u] >= 0)
					label[s][u] = fit->side[s].fixed[u];
		}
	}
	tlv_free(ctx, assignment);
	return TLV_OK;
}
