/*
 * fit.c - from a stored value to a model: what every tlv_fit_* function does around its formulas.
 */
#include "fit.h"

#include "arguments.h"
#include "tensorlv/model/source.h"

void
TlvFailed(FunctionCallInfo fcinfo, const tlv_context *ctx)
{
	switch (ctx->error.code)
	{
		case TLV_NOT_IDENTIFIABLE:
		case TLV_BAD_DATA:
		case TLV_NO_ROWS:
			if (TlvFailureIsNull(fcinfo))
			{
				TlvWarn(ctx);
				return;
			}
			break;
		default: /* limits, memory, cancels, parameters: not what the rows are */
			break;
	}
	TlvRaise(ctx);
}

Datum
TlvFitEnd(TlvMaker *maker)
{
	tlv_frame model;

	TlvCheck(maker->ctx, tlv_frame_open(maker->ctx, maker->image, maker->size, &model));
	TlvRaiseWarnings(&model, NULL);
	PG_RETURN_POINTER(TlvMakerEnd(maker));
}

/* Rows that all were left out: what a fit would say of none is no help. */
static tlv_status
require_rows_of_value(tlv_context *ctx, const tlv_frame *value)
{
	static const char *const counts[] = {"rows", "documents", "sequences"};
	double nulls = tlv_frame_scalar(value, "nulls", 0);

	for (int i = 0; nulls > 0 && i < (int) lengthof(counts); i++)
		if (tlv_frame_scalar(value, counts[i], 1) == 0 &&
			tlv_frame_scalar(value, "skipped", 0) == 0)
		{
			tlv_fail(ctx, TLV_NO_ROWS, "the moments hold no row that can be used");
			tlv_fail_detail(ctx, "Rows that were left out: %.0f.", nulls);
			return tlv_fail_hint(ctx,
								 "Fill what is missing, or leave out the columns where it is.");
		}
	return TLV_OK;
}

Datum
TlvFit(FunctionCallInfo fcinfo, TlvFitValue fit, const void *options)
{
	tlv_frame frame = TlvSumsFrameOf(PG_GETARG_DATUM(0));
	TlvMaker maker;

	TlvMakerBegin(&maker, "tensorlv fit");
	if (require_rows_of_value(maker.ctx, &frame) != TLV_OK ||
		fit(maker.ctx, &frame, options, &maker.image, &maker.size) != TLV_OK ||
		tlv_tell_nulls(maker.ctx, &frame, &maker.image, &maker.size) != TLV_OK)
	{
		TlvFailed(fcinfo, maker.ctx);
		TlvWorkEnd(maker.work);
		PG_RETURN_NULL();
	}
	return TlvFitEnd(&maker);
}
