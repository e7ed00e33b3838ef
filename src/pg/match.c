/*
 * match.c - the components of two models, one to one: multi-view mixtures and
 * independent components.
 */
#include "multiview.h"

#include "tensorlv/model/ica.h"
#include "tensorlv/model/multiview.h"

Datum
TlvPutMatches(FunctionCallInfo fcinfo, size_t k, const int64_t *assignment, const double *error)
{
	TlvInitRows(fcinfo);
	for (size_t j = 0; j < k; j++)
	{
		bool none = assignment[j] < 0;
		Datum values[3] = {Int32GetDatum((int32) j + 1), Int32GetDatum((int32) assignment[j] + 1),
						   Float8GetDatum(error[j])};
		bool nulls[3] = {false, none, none};

		TlvPutRow(fcinfo, values, nulls);
	}
	return (Datum) 0;
}

Datum
TlvMatchViews(FunctionCallInfo fcinfo)
{
	tlv_frame a = TlvModelFrame(fcinfo, 0, &tlv_kind_multiview, "tlv_match");
	tlv_frame b = TlvModelFrame(fcinfo, 1, &tlv_kind_multiview, "tlv_match");
	tlv_multiview_parts parts_a, parts_b;
	int64_t *assignment;
	TlvWork *work;
	double *error;

	tlv_multiview_read(&a, &parts_a);
	tlv_multiview_read(&b, &parts_b);
	assignment = palloc(parts_a.k * sizeof(int64_t));
	error = palloc(parts_a.k * sizeof(double));
	work = TlvWorkBegin("tensorlv match");
	TlvCheck(&work->ctx, tlv_multiview_match(&work->ctx, &parts_a, &parts_b, assignment, error));
	TlvWorkEnd(work);
	return TlvPutMatches(fcinfo, parts_a.k, assignment, error);
}

Datum
TlvMatchMixing(FunctionCallInfo fcinfo)
{
	tlv_frame a = TlvModelFrame(fcinfo, 0, &tlv_kind_ica, "tlv_match");
	tlv_frame b = TlvModelFrame(fcinfo, 1, &tlv_kind_ica, "tlv_match");
	const tlv_section *x = tlv_frame_find(&a, "mixing"), *y = tlv_frame_find(&b, "mixing");
	int64_t *assignment = palloc(x->columns * sizeof(int64_t));
	double *error = palloc(x->columns * sizeof(double));
	TlvWork *work;

	if (x->rows != y->rows)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the models have %zu and %zu dimensions", (size_t) x->rows,
							   (size_t) y->rows)));
	work = TlvWorkBegin("tensorlv match");
	TlvCheck(&work->ctx, tlv_mixing_match(&work->ctx, x->rows, x->columns, tlv_section_data(&a, x),
										  y->columns, tlv_section_data(&b, y), assignment, error));
	TlvWorkEnd(work);
	return TlvPutMatches(fcinfo, x->columns, assignment, error);
}
