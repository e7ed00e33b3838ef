/*
 * fit.c - from a stored value to a model: what every tlv_fit_* function does around its formulas.
 */
#include "fit.h"

Datum
TlvFit(FunctionCallInfo fcinfo, TlvFitValue fit, const void *options)
{
	tlv_frame frame = TlvFrame(PG_GETARG_TLV(0));
	TlvMaker maker;

	TlvMakerBegin(&maker, "tensorlv fit");
	TlvCheck(maker.ctx, fit(maker.ctx, &frame, options, &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}
