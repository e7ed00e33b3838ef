/*
 * multiview_apply.c - rows of three views under a fitted mixture: posterior,
 * component, likelihood; views that are not known are NULL.
 */
#include "multiview.h"

#include "miscadmin.h"
#include "utils/array.h"

#include "rows/vectors.h"

/* A call (model, x1, x2, x3) with its views read. */
typedef struct ViewCall
{
	TlvModelCache *cache;
	size_t k;
	bool vectors;
	bool many; /* rows in arrays of two dimensions */
	size_t rows;
	TlvVectors view[3];
	tlv_view_row row;
} ViewCall;

static void
read_vectors(FunctionCallInfo fcinfo, ViewCall *call)
{
	int first = -1;

	for (int t = 0; t < 3; t++)
	{
		if (!call->row.known[t])
			continue;
		call->view[t] = TlvVectorsOf(PG_GETARG_DATUM(t + 1));
		call->row.d[t] = call->view[t].d;
		first = first < 0 ? t : first;
		call->many |= call->view[t].many;
		if (call->view[t].rows != call->view[first].rows)
			ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
							errmsg("view %d has %zu rows, view %d has %zu", first + 1,
								   call->view[first].rows, t + 1, call->view[t].rows)));
	}
	call->rows = call->view[first].rows;
}

/* False: the model is NULL, or no view is known. */
static bool
open_call(FunctionCallInfo fcinfo, bool vectors, const char *function, ViewCall *call)
{
	memset(call, 0, sizeof(*call));
	if (PG_ARGISNULL(0) || (PG_ARGISNULL(1) && PG_ARGISNULL(2) && PG_ARGISNULL(3)))
		return false;
	call->cache = TlvCachedModel(fcinfo, 0);
	TlvRequireKind(&call->cache->model->frame, &tlv_kind_multiview, function);
	call->k = call->cache->model->class->components(&call->cache->model->frame);
	call->vectors = call->row.vectors = vectors;
	call->rows = 1;
	for (int t = 0; t < 3; t++)
	{
		call->row.known[t] = !PG_ARGISNULL(t + 1);
		if (!vectors && call->row.known[t])
			call->row.category[t] = PG_GETARG_INT32(t + 1);
	}
	if (vectors)
		read_vectors(fcinfo, call);
	return true;
}

static void
infer_row(ViewCall *call, size_t row, double *shares, double *log_likelihood)
{
	for (int t = 0; t < 3 && call->vectors; t++)
		if (call->row.known[t])
			call->row.x[t] = call->view[t].x + row * call->view[t].d;
	if (row % 1024 == 1023)
		CHECK_FOR_INTERRUPTS();
	TlvCheck(&call->cache->ctx, tlv_multiview_infer(&call->cache->ctx, call->cache->model,
													&call->row, shares, log_likelihood));
}

static void
release(FunctionCallInfo fcinfo, const ViewCall *call)
{
	for (int t = 0; t < 3 && call->vectors; t++)
		if (call->row.known[t])
			PG_FREE_IF_COPY(call->view[t].array, t + 1);
}

static Datum
infer(FunctionCallInfo fcinfo, bool vectors)
{
	ViewCall call;
	ArrayType *result;
	double *shares;

	if (!open_call(fcinfo, vectors, "tlv_infer of three views", &call))
		PG_RETURN_NULL();
	shares = palloc_extended(call.rows * call.k * sizeof(double), MCXT_ALLOC_HUGE);
	for (size_t i = 0; i < call.rows; i++)
		infer_row(&call, i, shares + i * call.k, NULL);
	result = call.many ? TlvFloat8Box(2, (size_t[2]){call.rows, call.k}, shares)
					   : TlvFloat8Array(call.k, shares);
	pfree(shares);
	release(fcinfo, &call);
	PG_RETURN_ARRAYTYPE_P(result);
}

static Datum
assign(FunctionCallInfo fcinfo, bool vectors)
{
	ViewCall call;
	double *shares;
	size_t best = 0;

	if (!open_call(fcinfo, vectors, "tlv_assign of three views", &call))
		PG_RETURN_NULL();
	if (call.rows > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("tlv_assign needs one row, not %zu", call.rows),
						errhint("Give one row at a time.")));
	shares = palloc(call.k * sizeof(double));
	infer_row(&call, 0, shares, NULL);
	for (size_t j = 1; j < call.k; j++)
		best = shares[j] > shares[best] ? j : best;
	pfree(shares);
	release(fcinfo, &call);
	PG_RETURN_INT32((int32) best + 1);
}

static Datum
log_likelihood(FunctionCallInfo fcinfo, bool vectors)
{
	ViewCall call;
	double sum = 0, value = 0;

	if (!open_call(fcinfo, vectors, "tlv_log_likelihood of three views", &call))
		PG_RETURN_NULL();
	for (size_t i = 0; i < call.rows; i++)
	{
		infer_row(&call, i, NULL, &value);
		sum += value;
	}
	release(fcinfo, &call);
	PG_RETURN_FLOAT8(sum);
}

#define VIEW_FUNCTION(name, function, vectors)                                                     \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		return function(fcinfo, vectors);                                                          \
	}

VIEW_FUNCTION(tlv_infer_views, infer, true)
VIEW_FUNCTION(tlv_infer_categories, infer, false)
VIEW_FUNCTION(tlv_assign_views, assign, true)
VIEW_FUNCTION(tlv_assign_categories, assign, false)
VIEW_FUNCTION(tlv_log_likelihood_views, log_likelihood, true)
VIEW_FUNCTION(tlv_log_likelihood_categories, log_likelihood, false)
