/*
 * multiview.c - mixtures seen through three views: collecting, fitting, reading.
 */
#include "multiview.h"

#include "utils/builtins.h"

#include "rows/vectors.h"

int
TlvIterationsArgument(FunctionCallInfo fcinfo, int argument, int usual)
{
	return PG_ARGISNULL(argument) ? usual
								  : (int) TlvCountArgument(fcinfo, argument, "iterations", 0);
}

/* ---- fitting ---- */

struct varlena *
TlvViewFit(struct varlena *moments, const tlv_multiview_options *options)
{
	tlv_frame frame = TlvFrame(moments);
	struct varlena *result;
	TlvWork *work;
	void *image;
	size_t size;

	if (frame.header->kind != TLV_KIND_VIEW_MOMENTS &&
		frame.header->kind != TLV_KIND_CATEGORY_VIEWS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("tlv_fit_multiview needs moments of three views, not of kind %s",
							   TlvKind(&frame)->name),
						errhint("Collect them with tlv_view_moments(x1, x2, x3).")));
	work = TlvWorkBegin("tensorlv fit");
	TlvCheck(&work->ctx, tlv_multiview_fit(&work->ctx, &frame, options, &image, &size));
	result = TlvValue(image, size);
	TlvWorkEnd(work);
	return result;
}

PG_FUNCTION_INFO_V1(tlv_fit_multiview);

/* tlv_fit_multiview(m, k, iterations, method, seed, restarts, steps) */
Datum
tlv_fit_multiview(PG_FUNCTION_ARGS)
{
	tlv_multiview_options options;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	memset(&options, 0, sizeof(options));
	options.k = TlvCountArgument(fcinfo, 1, "k", 1);
	options.iterations = TlvIterationsArgument(fcinfo, 2, TLV_CELL_ITERATIONS);
	options.seed = TlvDecomposeOptions(fcinfo, 3, &options.decompose);
	PG_RETURN_POINTER(TlvViewFit(PG_GETARG_TLV(0), &options));
}

/* ---- reading ---- */

PG_FUNCTION_INFO_V1(tlv_view_components_rows);

/* Rows (view, component, weight, mean, variance). */
Datum
tlv_view_components_rows(PG_FUNCTION_ARGS)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_multiview, "tlv_view_components");
	tlv_multiview_parts parts;

	tlv_multiview_read(&frame, &parts);
	TlvInitRows(fcinfo);
	for (int t = 0; t < 3; t++)
		for (size_t j = 0; j < parts.k; j++)
		{
			size_t d = parts.d[t];
			Datum values[5] = {Int32GetDatum(t + 1), Int32GetDatum((int32) j + 1),
							   Float8GetDatum(parts.weights[j])};
			bool nulls[5] = {false, false, false, false, parts.variances[t] == NULL};

			values[3] = PointerGetDatum(TlvFloat8Array(d, parts.means[t] + j * d));
			if (parts.variances[t] != NULL)
				values[4] = PointerGetDatum(TlvFloat8Array(d, parts.variances[t] + j * d));
			TlvPutRow(fcinfo, values, nulls);
		}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(tlv_view_categories_rows);

/* Rows (view, component, category, probability). */
Datum
tlv_view_categories_rows(PG_FUNCTION_ARGS)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_multiview, "tlv_view_categories");
	tlv_multiview_parts parts;

	tlv_multiview_read(&frame, &parts);
	if (parts.items[0] == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the views of this model are vectors, not categories"),
						errhint("Use tlv_view_components(model).")));
	TlvInitRows(fcinfo);
	for (int t = 0; t < 3; t++)
		for (size_t j = 0; j < parts.k; j++)
			for (size_t i = 0; i < parts.d[t]; i++)
			{
				Datum values[4] = {Int32GetDatum(t + 1), Int32GetDatum((int32) j + 1),
								   Int64GetDatum(parts.items[t][i]),
								   Float8GetDatum(parts.means[t][j * parts.d[t] + i])};
				bool nulls[4] = {false, false, false, false};

				TlvPutRow(fcinfo, values, nulls);
			}
	return (Datum) 0;
}
