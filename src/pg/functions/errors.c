/*
 * errors.c - the estimates of a model with their standard errors and intervals.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "tensorlv/model/errors.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/special.h"

static void
append_name(StringInfo text, tlv_text name, int64 number)
{
	if (name.bytes != NULL)
		appendBinaryStringInfo(text, name.bytes, (int) name.length);
	else
		appendStringInfo(text, INT64_FORMAT, number);
}

/* What the item is called; NULL without one. */
static TlvCell
item_name_cell(const tlv_estimate *estimate)
{
	StringInfoData text;

	if (!estimate->has_item)
		return TlvOwned(NULL);
	initStringInfo(&text);
	append_name(&text, estimate->name[0],
				estimate->between == NULL ? estimate->item : estimate->number[0]);
	if (estimate->between != NULL)
	{
		appendStringInfoString(&text, estimate->between);
		append_name(&text, estimate->name[1], estimate->number[1]);
	}
	return TlvText(text.data);
}

static void
put_estimate(FunctionCallInfo fcinfo, const tlv_estimate *estimate, double z)
{
	double low, high;

	if (estimate->part == TLV_ESTIMATE_HIDDEN)
		return;
	tlv_estimate_interval(estimate, z, &low, &high);
	TlvPutRow(fcinfo, TlvText(tlv_estimate_part_name(estimate->part)),
			  TlvNullIf(estimate->component == 0, TlvInt4((int32) estimate->component)),
			  TlvNullIf(!estimate->has_item, TlvInt8(estimate->item)), item_name_cell(estimate),
			  TlvFloat8(estimate->estimate), TlvKnown(estimate->standard_error), TlvKnown(low),
			  TlvKnown(high));
}

/* tlv_estimates(model, errors, confidence): rows (part, component, item, item_name, estimate,
 * standard_error, low, high) */
TLV_FUNCTION(tlv_estimates_rows)
{
	tlv_estimates list = {0};
	tlv_frame model, errors;
	double confidence;
	TlvWork *work;

	TlvInitRows(fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	if (PG_ARGISNULL(2))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("confidence is null")));
	model = TlvFrameOf(PG_GETARG_DATUM(0));
	confidence = PG_GETARG_FLOAT8(2);
	if (!(confidence > 0 && confidence < 1))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("confidence = %g is not between 0 and 1", confidence),
						errhint("0.95 gives intervals of 95 %%.")));
	if (TlvKind(&model)->model->estimates == NULL && PG_ARGISNULL(1)) /* none */
		return (Datum) 0;
	work = TlvWorkBegin("tensorlv estimates");
	if (!PG_ARGISNULL(1))
		errors = TlvFrameOf(PG_GETARG_DATUM(1));
	TlvCheck(&work->ctx,
			 tlv_model_estimates(&work->ctx, &model, PG_ARGISNULL(1) ? NULL : &errors, &list));
	for (size_t i = 0; i < list.n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		put_estimate(fcinfo, list.list + i, tlv_normal_quantile((1 + confidence) / 2));
	}
	TlvWorkEnd(work);
	return (Datum) 0;
}

/* tlv_jackknife(model, without) */
TLV_KEEPING_FUNCTION(tlv_jackknife)
{
	tlv_frame model = TlvFrameOf(PG_GETARG_DATUM(0));
	TlvStoredArray array = TlvReadArray(PG_GETARG_DATUM(1));
	tlv_stored_models without = {array.n, array.headers, TlvOpenElement, &array};
	TlvMaker maker;

	TlvMakerBegin(&maker, "tensorlv jackknife");
	TlvCheck(maker.ctx,
			 tlv_errors_jackknife(maker.ctx, &model, &without, &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}
