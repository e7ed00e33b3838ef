/*
 * drift.c - transitions, and symbols or means of the states, in new sequences (drift.h).
 */
#include "internal.h"
#include "tensorlv/model/drift.h"

tlv_status
tlv_hmm_drift(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
			  tlv_drift *drift)
{
	const double *pairs = NULL, *emissions = NULL;
	tlv_hmm_parts own;
	size_t k;

	tlv_hmm_read(model, &own);
	k = own.k;
	TLV_TRY(tlv_frame_require(ctx, statistics, "pairs", TLV_FLOAT64, k, k, (const void **) &pairs));
	for (size_t j = 0; j < k; j++)
		TLV_TRY(tlv_drift_counts(ctx, drift, "transitions", j + 1, k, 1, pairs + j * k,
								 own.transitions + j * k));
	if (own.gaussian)
		return TLV_OK;
	TLV_TRY(tlv_frame_require(ctx, statistics, "emissions", TLV_FLOAT64, k, own.d,
							  (const void **) &emissions));
	for (size_t j = 0; j < k; j++)
		TLV_TRY(tlv_drift_counts(ctx, drift, "emissions", j + 1, own.d, k, emissions + j,
								 own.emissions + j));
	return TLV_OK;
}
