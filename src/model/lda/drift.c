/*
 * drift.c - do documents use the words of the topics as the model says? (drift.h)
 */
#include "internal.h"
#include "tensorlv/model/drift.h"

tlv_status
tlv_lda_drift(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
			  tlv_drift *drift)
{
	const tlv_section *phi = tlv_frame_find(model, "phi");
	size_t k = phi->rows, d = phi->columns;
	const double *counts = NULL;
	double *shares;

	TLV_TRY(
		tlv_frame_require(ctx, statistics, "expected", TLV_FLOAT64, k, d, (const void **) &counts));
	TLV_TRY_NEW_ROWS(ctx, shares, k, d);
	tlv_section_numbers(model, phi, shares);
	for (size_t j = 0; j < k; j++)
		TLV_TRY(tlv_drift_counts(ctx, drift, "words", j + 1, d, k, counts + j, shares + j));
	tlv_free(ctx, shares);
	return TLV_OK;
}
