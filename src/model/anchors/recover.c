/*
 * recover.c - points as mixtures of corners (anchors.h).
 */
#include "tensorlv/model/anchors.h"

#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"

/* Of k corners X and points x: X'X and, in place of the shares, X'x of each. */
static tlv_status
equations(tlv_context *ctx, const tlv_anchor_points *points, size_t k, const double *corners,
		  double *gram, double *moments)
{
	size_t d = points->d;

	TLV_TRY(tlv_gemm(ctx, true, false, k, k, d, 1, corners, d, corners, d, 0, gram, k));
	return tlv_gemm(ctx, true, false, k, points->n, d, 1, corners, d, points->rows, d, 0, moments,
					k);
}

tlv_status
tlv_anchors_recover(tlv_context *ctx, const tlv_anchor_points *points, size_t k,
					const double *corners, double *shares)
{
	double *gram, *moment, *work;

	TLV_TRY_NEW_ROWS(ctx, gram, k, k);
	TLV_TRY_NEW(ctx, moment, k);
	TLV_TRY_NEW_ROWS(ctx, work, k, k + 5);
	TLV_TRY(equations(ctx, points, k, corners, gram, shares));
	for (size_t i = 0; i < points->n; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		memcpy(moment, shares + i * k, k * sizeof(double));
		TLV_TRY(tlv_quadratic_nonnegative(ctx, k, gram, moment, true, shares + i * k, work));
	}
	tlv_free(ctx, gram);
	tlv_free(ctx, moment);
	tlv_free(ctx, work);
	return TLV_OK;
}
