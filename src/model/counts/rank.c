/*
 * rank.c - how many topics the documents support: cross-validated
 * eigenvalues over pairs of distinct items (counts.h).
 */
#include "tensorlv/model/counts.h"

#include <math.h>

#include "tensorlv/model/kind.h"

double
tlv_count_z(const tlv_frame *triples, size_t direction)
{
	double n = tlv_frame_scalar(triples, "documents", 0), mean, squares, variance;

	if (tlv_frame_scalar(triples, "distinct", 0) == 0)
		return NAN;
	mean = tlv_frame_float64(triples, "z_sum")[direction] / n;
	squares = tlv_frame_float64(triples, "z_squares")[direction];
	variance = fmax(squares / n - mean * mean, mean * mean / n);
	return n < 2 || !(variance > 0) ? NAN : mean / sqrt(variance / n);
}

static tlv_status
check_fold(tlv_context *ctx, const tlv_frame *frame)
{
	if (frame->header->type == TLV_FRAME_MOMENTS && frame->header->kind == TLV_KIND_COUNT_TRIPLES &&
		tlv_frame_scalar(frame, "distinct", 0) != 0)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER,
			 "choosing k needs compressed moments collected in distinct mode");
	return tlv_fail_hint(
		ctx, "Use tlv_find_subspace(..., distinct_pairs => true) and tlv_count_moments(bag, "
			 "subspace), or tlv_suggest_k(query).");
}

tlv_status
tlv_count_suggest_k(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, double *z,
					size_t *count, size_t *k)
{
	/* Standard errors that a direction must reach in both folds. */
	const double significant_z = 3.0;
	size_t wa, wb;

	TLV_TRY(check_fold(ctx, a));
	TLV_TRY(check_fold(ctx, b));
	wa = tlv_frame_find(a, "mean")->rows;
	wb = tlv_frame_find(b, "mean")->rows;
	*count = wa < wb ? wa : wb;
	*k = 0;
	for (size_t j = 0; j < *count; j++)
	{
		double za = tlv_count_z(a, j), zb = tlv_count_z(b, j);
		double smaller = za < zb || isnan(za) ? za : zb;

		if (z != NULL)
			z[j] = smaller;
		*k += smaller > significant_z;
	}
	return TLV_OK;
}
