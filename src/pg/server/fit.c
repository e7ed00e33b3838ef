/*
 * fit.c - from a stored value to a model: what every tlv_fit_* function does around its formulas.
 */
#include "fit.h"

Datum
TlvFit(FunctionCallInfo fcinfo, TlvFitValue fit, const void *options)
{
	struct varlena *value = PG_GETARG_TLV(0), *result;
	tlv_frame frame = TlvFrame(value);
	TlvWork *work = TlvWorkBegin("tensorlv fit");
	void *image;
	size_t size;

	TlvCheck(&work->ctx, fit(&work->ctx, &frame, options, &image, &size));
	result = TlvValue(image, size);
	TlvWorkEnd(work);
	PG_RETURN_POINTER(result);
}
