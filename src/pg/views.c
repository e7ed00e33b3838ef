/*
 * views.c - mixtures seen through three views: collecting, fitting, reading.
 */
#include "views.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "query.h"
#include "tensorlv/multiview.h"
#include "vectors.h"

uint64
TlvViewOptions(FunctionCallInfo fcinfo, int first, tlv_decompose_options *options)
{
	char *method = PG_ARGISNULL(first) ? "joint" : text_to_cstring(PG_GETARG_TEXT_PP(first));

	memset(options, 0, sizeof(*options));
	if (!tlv_method_from_name(method, &options->method))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no method \"%.40s\"", method),
						errhint("Use 'joint', 'power', 'als' or 'sgd'.")));
	options->seed = TlvSeedArgument(fcinfo, first + 1);
	if (!PG_ARGISNULL(first + 2))
		options->restarts = (int) TlvCountArgument(fcinfo, first + 2, "restarts", 1);
	if (!PG_ARGISNULL(first + 3))
		options->steps = (int) TlvCountArgument(fcinfo, first + 3, "steps", 1);
	options->starts = options->restarts;
	return options->seed;
}

int
TlvIterationsArgument(FunctionCallInfo fcinfo, int argument, int usual)
{
	return PG_ARGISNULL(argument) ? usual
								  : (int) TlvCountArgument(fcinfo, argument, "iterations", 0);
}

/* ---- transitions ---- */

static tlv_accumulator *
make_views(FunctionCallInfo fcinfo, TlvShared *shared)
{
	tlv_accumulator *accumulator;

	(void) fcinfo;
	TlvCheck(&shared->ctx, tlv_view_moments_create(&shared->ctx, &accumulator));
	return accumulator;
}

static tlv_accumulator *
make_categories(FunctionCallInfo fcinfo, TlvShared *shared)
{
	tlv_accumulator *accumulator;

	(void) fcinfo;
	TlvCheck(&shared->ctx, tlv_category_views_create(&shared->ctx, &accumulator));
	return accumulator;
}

/* Arrays of two dimensions are many rows: as many in each view. */
static void
add_views(TlvShared *shared, tlv_accumulator *accumulator, const TlvVectors view[3])
{
	const size_t d[3] = {view[0].d, view[1].d, view[2].d};

	for (int t = 1; t < 3; t++)
		if (view[t].rows != view[0].rows)
			ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
							errmsg("view 1 has %zu rows, view %d has %zu", view[0].rows, t + 1,
								   view[t].rows)));
	for (size_t i = 0; i < view[0].rows; i++)
	{
		const double *x[3] = {view[0].x + i * d[0], view[1].x + i * d[1], view[2].x + i * d[2]};

		TlvCheck(&shared->ctx, accumulator->class->add_views(&shared->ctx, accumulator, d, x));
	}
}

PG_FUNCTION_INFO_V1(tlv_view_moments_accum);

/* (state, x1, x2, x3), vectors */
Datum
tlv_view_moments_accum(PG_FUNCTION_ARGS)
{
	TlvShared *shared = TlvSharedState(fcinfo);
	TlvExpanded *expanded = TlvStateArgument(fcinfo, shared, make_views);
	TlvVectors view[3];

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
	{
		expanded->accumulator->nulls++;
		return TlvExpandedDatum(expanded);
	}
	for (int t = 0; t < 3; t++)
		view[t] = TlvVectorsOf(PG_GETARG_DATUM(t + 1));
	add_views(shared, expanded->accumulator, view);
	for (int t = 0; t < 3; t++)
		PG_FREE_IF_COPY(view[t].array, t + 1);
	return TlvExpandedDatum(expanded);
}

PG_FUNCTION_INFO_V1(tlv_category_views_accum);

/* (state, x1, x2, x3), categories */
Datum
tlv_category_views_accum(PG_FUNCTION_ARGS)
{
	TlvShared *shared = TlvSharedState(fcinfo);
	TlvExpanded *expanded = TlvStateArgument(fcinfo, shared, make_categories);
	tlv_accumulator *accumulator = expanded->accumulator;
	int64_t x[3];

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
	{
		accumulator->nulls++;
		return TlvExpandedDatum(expanded);
	}
	for (int t = 0; t < 3; t++)
		x[t] = PG_GETARG_INT32(t + 1);
	TlvCheck(&shared->ctx, accumulator->class->add_categories(&shared->ctx, accumulator, x));
	return TlvExpandedDatum(expanded);
}

/* ---- fitting ---- */

static struct varlena *
fit_views(struct varlena *moments, const tlv_multiview_options *options)
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

/* Arguments of both: (..., k, iterations, method, seed, restarts, steps). */
static void
view_arguments(FunctionCallInfo fcinfo, tlv_multiview_options *options)
{
	memset(options, 0, sizeof(*options));
	options->k = TlvCountArgument(fcinfo, 1, "k", 1);
	options->iterations = TlvIterationsArgument(fcinfo, 2, TLV_CELL_ITERATIONS);
	options->seed = TlvViewOptions(fcinfo, 3, &options->decompose);
}

PG_FUNCTION_INFO_V1(tlv_fit_multiview);

/* tlv_fit_multiview(m, k, iterations, method, seed, restarts, steps) */
Datum
tlv_fit_multiview(PG_FUNCTION_ARGS)
{
	tlv_multiview_options options;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	view_arguments(fcinfo, &options);
	PG_RETURN_POINTER(fit_views(PG_GETARG_TLV(0), &options));
}

/* ---- the driver ---- */

/* Whole numbers, or arrays of numbers; all three of one sort.  Returns the cast. */
static const char *
view_cast(TupleDesc desc)
{
	const char *cast = NULL;

	for (int i = 0; i < desc->natts && desc->natts == 3; i++)
	{
		Oid type = getBaseType(TupleDescAttr(desc, i)->atttypid);
		Oid element = get_element_type(type);
		const char *own = NULL;

		if (TlvIsIntegerType(type))
			own = "pg_catalog.int4";
		else if (OidIsValid(element) && TlvIsNumberType(getBaseType(element)))
			own = "pg_catalog.float8[]";
		if (own == NULL || (i > 0 && (cast == NULL || strcmp(own, cast) != 0)))
		{
			cast = NULL;
			break;
		}
		cast = own;
	}
	if (cast == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the query returns no three views"),
				 errhint("It must return (x1, x2, x3): three arrays of numbers, or three "
						 "whole numbers.")));
	return cast;
}

static struct varlena *
collect_views(TlvRowSource *rows, const char *query, Oid function)
{
	const char *cast = view_cast(TlvRowSourceProbe(rows, query, function, "views"));
	struct varlena *moments;

	rows->source = psprintf("FROM (%s\n) AS q(x1, x2, x3)", rows->query);
	moments = TlvRowSourcePass(
		rows,
		psprintf("%s.tlv_view_moments(x1::%s, x2::%s, x3::%s)", rows->schema, cast, cast, cast),
		NULL, NULL, NULL);
	if (moments == NULL)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("the query returns no rows")));
	return moments;
}

PG_FUNCTION_INFO_V1(tlv_multiview);

/* tlv_multiview(query, k, iterations, method, seed, restarts, steps) */
Datum
tlv_multiview(PG_FUNCTION_ARGS)
{
	tlv_multiview_options options;
	struct varlena *moments;
	TlvRowSource rows = {0};

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	view_arguments(fcinfo, &options);
	TlvRowSourceBegin(&rows);
	moments = collect_views(&rows, text_to_cstring(PG_GETARG_TEXT_PP(0)), fcinfo->flinfo->fn_oid);
	MemoryContextSwitchTo(rows.mcxt);
	PG_RETURN_POINTER(TlvRowSourceEnd(&rows, fit_views(moments, &options)));
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
