/*
 * ascend.c - steps of expectation maximisation over the rows of a source (mixture.h).
 */
#include "tensorlv/model/mixture.h"

tlv_status
tlv_mixture_ascend(tlv_context *ctx, tlv_source *rows, tlv_mixture_ascent *ascent)
{
	const tlv_statistic statistic = {.aggregate = &tlv_aggregate_statistics,
									 .constant = &ascent->model->frame};
	double before = -HUGE_VAL;

	for (;;)
	{
		int left = ascent->limit - (int) tlv_frame_scalar(&ascent->model->frame, "steps", 0);
		tlv_value *value;
		const tlv_frame *sums;

		TLV_TRY(tlv_collect_again(ctx, rows, "refinement",
								  ascent->last ? 1 + (left > 0 ? left : 0) : 0, &statistic,
								  &value));
		sums = &value->frame;
		ascent->rows = tlv_frame_scalar(sums, "rows", 0);
		ascent->zeros = tlv_frame_scalar(sums, "zeros", 0);
		ascent->scaled = tlv_frame_scalar(sums, "scaled", 0);
		if (ascent->rows == 0)
			return tlv_rows_gone(ctx);
		ascent->likelihood = tlv_mean_likelihood(sums, "rows");
		ascent->entropy = tlv_frame_scalar(sums, "entropy", 0) / ascent->rows;
		ascent->stands = tlv_mixture_stands(before, ascent->likelihood);
		if (left > 0 && !(ascent->to_the_end && ascent->stands))
			TLV_TRY(tlv_refine(ctx, ascent->model, sums));
		else
			left = 0;
		tlv_value_drop(value);
		if (left == 0)
			return TLV_OK;
		before = ascent->likelihood;
	}
}
