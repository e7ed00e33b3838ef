/*
 * source_errors.c - the pass that collects the standard errors of a finished model (source.h).
 *
 * A model that can have none, or not with the memory there is, is kept with a warning that says so:
 * what was learnt is worth more than its errors.
 */
#include "tensorlv/model/errors.h"
#include "tensorlv/model/source.h"

/* Does the status say that errors are refused, not that the work has to end? */
static bool
is_refusal(tlv_status status)
{
	return status == TLV_BAD_PARAMETER || status == TLV_BAD_DATA || status == TLV_NO_ROWS ||
		   status == TLV_NOT_IDENTIFIABLE || status == TLV_LIMIT || status == TLV_MEMORY_LIMIT;
}

tlv_status
tlv_refuse_errors(tlv_context *ctx, tlv_status status, void **image, size_t *size)
{
	const tlv_error why = ctx->error;
	/* The hint to a limit of memory is the number of bytes. */
	const char *hint = why.code == TLV_MEMORY_LIMIT ? "Increase tensorlv.work_mem." : why.hint;
	void *without = *image;
	tlv_diagnostics all = {0};
	tlv_frame model;

	if (!is_refusal(status))
		return status;
	TLV_TRY(tlv_frame_open(ctx, *image, *size, &model));
	TLV_TRY(tlv_diagnostics_copy(ctx, &all, &model, NULL));
	TLV_TRY(tlv_warn(ctx, &all, &(tlv_warning){.code = "no_errors", .hint = hint},
					 "the model has no standard errors: %s", why.message));
	TLV_TRY(tlv_diagnostics_rewrite(ctx, &model, &all, image, size));
	tlv_diagnostics_free(ctx, &all);
	tlv_free(ctx, without);
	return TLV_OK;
}

/* statistics NULL: of a kind that collects none. */
static tlv_status
source_put_errors(tlv_context *ctx, const tlv_frame *statistics, void **image, size_t *size)
{
	void *without = *image;
	tlv_frame model;
	tlv_status status;

	TLV_TRY(tlv_frame_open(ctx, *image, *size, &model));
	status = tlv_errors_put(ctx, &model, statistics, image, size);
	if (status != TLV_OK)
		return tlv_refuse_errors(ctx, status, image, size);
	tlv_free(ctx, without);
	return TLV_OK;
}

/* Can they be collected?  The accumulator of a pass says so before it is run. */
static tlv_status
try_collecting(tlv_context *ctx, const tlv_frame *model)
{
	const tlv_statistic errors = {.aggregate = &tlv_aggregate_error_statistics, .constant = model};
	tlv_accumulator *accumulator;
	tlv_scratch scratch;
	tlv_status status;

	tlv_scratch_begin(ctx, &scratch);
	status = tlv_statistic_create(ctx, &errors, &accumulator);
	tlv_scratch_end(ctx, &scratch);
	return status;
}

static tlv_status
collect_errors(tlv_context *ctx, tlv_source *source, void **image, size_t *size)
{
	tlv_value *statistics;
	tlv_frame model;
	tlv_status status;

	TLV_TRY(tlv_frame_open(ctx, *image, *size, &model));
	if (!tlv_errors_are_collected(&model))
		return source_put_errors(ctx, NULL, image, size);
	status = try_collecting(ctx, &model);
	if (status != TLV_OK)
		return tlv_refuse_errors(ctx, status, image, size);
	TLV_TRY(tlv_collect_again(
		ctx, source, "errors", 1,
		&(tlv_statistic){.aggregate = &tlv_aggregate_error_statistics, .constant = &model},
		&statistics));
	TLV_TRY(source_put_errors(ctx, &statistics->frame, image, size));
	tlv_value_drop(statistics);
	return TLV_OK;
}

tlv_status
tlv_collect_errors(tlv_context *ctx, tlv_source *source, tlv_held *model)
{
	tlv_source_rows(source)->passes_after = 0;
	TLV_TRY(collect_errors(ctx, source, &model->image, &model->size));
	return tlv_frame_open(ctx, model->image, model->size, &model->frame);
}
