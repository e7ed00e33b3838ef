/*
 * source_em.c - expectation maximisation of a stored model, a scan of the rows an iteration
 * (source.h).
 */
#include "tensorlv/model/source.h"

static tlv_status
expect_scan(tlv_context *ctx, void *state, double *likelihood)
{
	tlv_source_ascent *ascent = state;
	const tlv_statistic statistic = {.aggregate = &tlv_aggregate_statistics,
									 .constant = &ascent->model->frame};

	tlv_value_drop(ascent->sums);
	TLV_TRY(tlv_collect_again(ctx, ascent->source, ascent->stage,
							  ascent->more ? 0 : ascent->em.limit - ascent->em.taken, &statistic,
							  &ascent->sums));
	if (tlv_frame_scalar(&ascent->sums->frame, "rows", 0) == 0)
		return tlv_rows_gone(ctx);
	*likelihood = tlv_mean_likelihood(&ascent->sums->frame, "rows");
	return TLV_OK;
}

static tlv_status
maximize_scan(tlv_context *ctx, void *state)
{
	tlv_source_ascent *ascent = state;

	return tlv_refine(ctx, ascent->model, &ascent->sums->frame);
}

tlv_status
tlv_source_ascend(tlv_context *ctx, tlv_source_ascent *ascent)
{
	ascent->em.state = ascent;
	ascent->em.expect = expect_scan;
	ascent->em.maximize = maximize_scan;
	ascent->em.likelihood = -HUGE_VAL;
	return tlv_em_run(ctx, &ascent->em);
}
