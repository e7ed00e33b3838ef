/*
 * drift.c - weights and categories of components in new rows (drift.h).
 */
#include "internal.h"
#include "tensorlv/model/drift.h"

tlv_status
tlv_multiview_drift(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
					tlv_drift *drift)
{
	static const char *const names[3] = {"counts1", "counts2", "counts3"};
	static const char *const tests[3] = {"categories of view 1", "categories of view 2",
										 "categories of view 3"};
	const double *responsibilities = NULL, *counts = NULL;
	tlv_multiview_parts own;
	size_t k;

	tlv_multiview_read(model, &own);
	k = own.k;
	TLV_TRY(tlv_frame_require(ctx, statistics, "responsibilities", TLV_FLOAT64, k, 1,
							  (const void **) &responsibilities));
	TLV_TRY(tlv_drift_counts(ctx, drift, "weights", 0, k, 1, responsibilities, own.weights));
	for (int t = 0; t < 3 && is_categorical(&own); t++)
	{
		double *shares;

		TLV_TRY(tlv_frame_require(ctx, statistics, names[t], TLV_FLOAT64, k, own.d[t],
								  (const void **) &counts));
		TLV_TRY_NEW_ROWS(ctx, shares, k, own.d[t]);
		for (size_t i = 0; i < own.d[t]; i++)
			for (size_t j = 0; j < k; j++)
				shares[i * k + j] = own.means[t][j * own.d[t] + i];
		for (size_t j = 0; j < k; j++)
			TLV_TRY(
				tlv_drift_counts(ctx, drift, tests[t], j + 1, own.d[t], k, counts + j, shares + j));
		tlv_free(ctx, shares);
	}
	return TLV_OK;
}
