/*
 * within.c - what passes over documents within a subspace have in common (within.h).
 */
#include "within.h"

#include "tensorlv/num/linalg.h"

tlv_status
tlv_within_require_all_pairs(tlv_context *ctx, const tlv_subspace *subspace, const char *what)
{
	if (!subspace->distinct)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "%s need a subspace of all pairs, not of distinct ones", what);
	return tlv_fail_hint(ctx, "Find it with distinct_pairs => false.");
}

tlv_status
tlv_within_subtract_repeats(tlv_context *ctx, const tlv_subspace *subspace,
							const double *correction, double *square)
{
	size_t width = subspace->width, d = subspace->d;
	double *scaled;

	TLV_TRY_NEW_ROWS(ctx, scaled, d, width);
	for (size_t i = 0; i < d; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		for (size_t j = 0; j < width; j++)
			scaled[i * width + j] = correction[i] * subspace->weights[i * width + j];
	}
	TLV_TRY(tlv_gemm(ctx, false, true, width, width, d, -1, scaled, width, subspace->weights, width,
					 1, square, width));
	tlv_free(ctx, scaled);
	return TLV_OK;
}

void
tlv_within_add_square(size_t width, const double *square, double *pairs)
{
	for (size_t i = 0; i < width; i++)
		for (size_t j = 0; j <= i; j++)
			pairs[tlv_packed2_index(i, j)] += square[j * width + i];
}
