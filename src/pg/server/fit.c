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

Datum
TlvFit(FunctionCallInfo fcinfo, TlvFitValue fit, const void *options)
{
	tlv_frame frame = TlvSumsFrameOf(PG_GETARG_DATUM(0));
	TlvMaker maker;

	TlvMakerBegin(&maker, "tensorlv fit");
	if (fit(maker.ctx, &frame, options, &maker.image, &maker.size) != TLV_OK ||
		tlv_tell_nulls(maker.ctx, &frame, &maker.image, &maker.size) != TLV_OK)
	{
		TlvFailed(fcinfo, maker.ctx);
		TlvWorkEnd(maker.work);
		PG_RETURN_NULL();
	}
	return TlvFitEnd(&maker);
}
