/*
 * apply.c - a fitted model and rows: what it infers of them, the component of each, their
 * likelihood, most probable states; and two models compared.
 */
#include "rows/reader.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgroids.h"

#include "rows/vectors.h"
#include "server/arguments.h"
#include "tensorlv/model/hmm.h"

/* Rows of one array between two looks at whether to stop. */
#define ROWS_BETWEEN 256
/* Numbers of a posterior that is kept for the next row. */
#define KEPT_NUMBERS 65536

/* A call (model, row...). */
typedef struct ApplyCall
{
	TlvModelCache *cache;
	tlv_context *ctx;
	tlv_model *model;
	TlvRowCursor cursor;
} ApplyCall;

static bool
all_null(FunctionCallInfo fcinfo, const TlvRowReader *reader)
{
	for (int i = 1; i <= reader->arguments; i++)
		if (!PG_ARGISNULL(i))
			return false;
	return true;
}

/* False: there is no row, or no model.  what is named where the model cannot do it. */
static bool
open_call(FunctionCallInfo fcinfo, const TlvRowReader *reader, const char *what, ApplyCall *call)
{
	tlv_row_form form;
	unsigned takes;

	if (PG_ARGISNULL(0) || all_null(fcinfo, reader))
		return false;
	call->cache = TlvCachedModel(fcinfo, 0);
	call->ctx = &call->cache->ctx;
	call->model = call->cache->model;
	takes = call->model->class->rows;
	form = TlvRowForm(reader, takes);
	TlvCheck(call->ctx, tlv_model_require(call->ctx, call->model, form, what));
	if (TlvRowIsNull(fcinfo, 1, reader, takes))
	{
		TlvCachedModelEnd(call->cache);
		return false;
	}
	TlvCursorOpen(fcinfo, 1, reader, form, takes, &call->cursor);
	return true;
}

static bool
next_row(ApplyCall *call)
{
	if (call->cursor.left % ROWS_BETWEEN == ROWS_BETWEEN - 1)
		CHECK_FOR_INTERRUPTS();
	return TlvCursorNext(&call->cursor);
}

static void
close_call(ApplyCall *call)
{
	TlvCursorClose(&call->cursor);
	if (call->cache->posterior.room > KEPT_NUMBERS)
		tlv_posterior_free(call->ctx, &call->cache->posterior);
	TlvCachedModelEnd(call->cache);
}

/* ---- posteriors ---- */

static bool
is_sequence(const tlv_row *row)
{
	return row->form == TLV_ROW_SEQUENCE || row->form == TLV_ROW_SYMBOLS;
}

/* Before all of them are worked out. */
static void
require_value_size(const ApplyCall *call)
{
	size_t steps = call->cursor.row.part[0].n;
	size_t k = tlv_model_components(&call->model->frame);

	if (steps > MaxAllocSize / sizeof(double) / k)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("posteriors of %zu steps in %zu states are more than one value can hold",
						steps, k),
				 errhint("Cut the sequence into parts that overlap, or use tlv_viterbi.")));
}

/* The next row's, in the cache. */
static const tlv_posterior *
infer_next(ApplyCall *call)
{
	tlv_posterior *posterior = &call->cache->posterior;

	if (!next_row(call))
		return NULL;
	if (is_sequence(&call->cursor.row))
		require_value_size(call);
	TlvCheck(call->ctx,
			 call->model->class->infer(call->ctx, call->model, &call->cursor.row, posterior));
	return posterior;
}

/* Of one row: its numbers, of a sequence steps x k. */
static ArrayType *
row_array(ApplyCall *call)
{
	const tlv_posterior *posterior = infer_next(call);

	if (posterior->total == 0)
		return construct_empty_array(FLOAT8OID);
	if (is_sequence(&call->cursor.row))
		return TlvFloat8Box(2, (size_t[2]){posterior->n, posterior->width}, posterior->values);
	return TlvFloat8Array(posterior->total, posterior->values);
}

/* Of an array of rows: rows x k. */
static ArrayType *
rows_array(ApplyCall *call)
{
	size_t rows = call->cursor.rows, k = 0, row = 0;
	const tlv_posterior *posterior;
	double *numbers = NULL;
	ArrayType *array;

	for (; (posterior = infer_next(call)) != NULL; row++)
	{
		if (row == 0)
		{
			k = posterior->total;
			TlvRequireArray(rows, k);
			numbers = palloc_extended(rows * k * sizeof(double), MCXT_ALLOC_HUGE);
		}
		memcpy(numbers + row * k, posterior->values, k * sizeof(double));
	}
	if (numbers == NULL) /* no rows */
		return construct_empty_array(FLOAT8OID);
	array = TlvFloat8Box(2, (size_t[2]){rows, k}, numbers);
	pfree(numbers);
	return array;
}

static Datum
infer(FunctionCallInfo fcinfo, const TlvRowReader *reader)
{
	ArrayType *array;
	ApplyCall call;

	if (!open_call(fcinfo, reader, "inference", &call))
		PG_RETURN_NULL();
	array = call.cursor.many ? rows_array(&call) : row_array(&call);
	close_call(&call);
	PG_RETURN_ARRAYTYPE_P(array);
}

/* ---- the component of the largest posterior, from 1 ---- */

static Datum
assign(FunctionCallInfo fcinfo, const TlvRowReader *reader)
{
	static const char *const what = "assignment";
	const tlv_posterior *posterior;
	size_t best = 0;
	ApplyCall call;

	if (!open_call(fcinfo, reader, what, &call))
		PG_RETURN_NULL();
	if (call.cursor.rows != 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("tlv_assign needs one row, not %zu", call.cursor.rows),
						errhint("Give one row at a time.")));
	posterior = infer_next(&call);
	if (posterior->widths != NULL) /* there is no one hidden choice */
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s is not defined for %s under a model of kind %s", what,
						tlv_row_name(call.cursor.row.form), TlvKind(&call.model->frame)->name)));
	for (size_t j = 1; j < posterior->width; j++)
		best = posterior->values[j] > posterior->values[best] ? j : best;
	close_call(&call);
	PG_RETURN_INT32((int32) best + 1);
}

/* ---- log-likelihoods in nats, of all rows together ---- */

static Datum
log_likelihood(FunctionCallInfo fcinfo, const TlvRowReader *reader)
{
	double sum = 0, value;
	ApplyCall call;

	if (!open_call(fcinfo, reader, "the likelihood", &call))
		PG_RETURN_NULL();
	while (next_row(&call))
	{
		TlvCheck(call.ctx,
				 call.model->class->log_likelihood(call.ctx, call.model, &call.cursor.row, &value));
		sum += value;
	}
	close_call(&call);
	if (isinf(sum))
		float_overflow_error();
	PG_RETURN_FLOAT8(sum);
}

/* ---- the most probable states of a sequence, from 1 ---- */

static ArrayType *
states_array(ApplyCall *call)
{
	size_t n = call->cursor.row.part[0].n;
	ArrayType *array;
	int32_t *states;
	Datum *values;

	if (n == 0)
		return construct_empty_array(INT4OID);
	states = palloc_extended(n * sizeof(int32_t), MCXT_ALLOC_HUGE);
	TlvCheck(call->ctx, tlv_model_decode(call->ctx, call->model, &call->cursor.row, states));
	values = palloc_extended(n * sizeof(Datum), MCXT_ALLOC_HUGE);
	for (size_t t = 0; t < n; t++)
		values[t] = Int32GetDatum(states[t] + 1);
	array = construct_array(values, (int) n, INT4OID, sizeof(int32), true, TYPALIGN_INT);
	pfree(values);
	pfree(states);
	return array;
}

static Datum
decode(FunctionCallInfo fcinfo, const TlvRowReader *reader)
{
	ArrayType *array;
	ApplyCall call;

	if (!open_call(fcinfo, reader, "tlv_viterbi", &call))
		PG_RETURN_NULL();
	array = next_row(&call) ? states_array(&call) : NULL;
	close_call(&call);
	if (array == NULL)
		PG_RETURN_NULL();
	PG_RETURN_ARRAYTYPE_P(array);
}

/* ---- the steps after a sequence ---- */

/* Rows of a step whose states have those probabilities. */
static void
put_forecast(FunctionCallInfo fcinfo, const tlv_hmm_parts *parts, int32 step, const double *states,
			 double *seen)
{
	tlv_hmm_forecast_steps(parts, states, seen, seen + parts->d);
	for (size_t i = 0; i < parts->d; i++)
		if (parts->gaussian)
			TlvPutRow(fcinfo, TlvInt4(step), TlvInt4((int32) i + 1), TlvFloat8(seen[i]),
					  TlvFloat8(seen[parts->d + i]));
		else
			TlvPutRow(fcinfo, TlvInt4(step), TlvInt8(parts->items[i]),
					  TlvNameCell(&parts->names, i, parts->items[i]), TlvFloat8(seen[i]));
}

/* Of a sequence without steps: how sequences begin. */
static Datum
forecast(FunctionCallInfo fcinfo, const TlvRowReader *reader)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_hmm, "tlv_forecast");
	size_t steps = TlvNamedCount(fcinfo, "steps", 1), k;
	const tlv_posterior *posterior;
	double *states, *before, *seen;
	tlv_hmm_parts parts;
	ApplyCall call;

	TlvInitRows(fcinfo);
	tlv_hmm_read(&frame, &parts);
	if (!open_call(fcinfo, reader, "tlv_forecast", &call))
		return (Datum) 0;
	posterior = infer_next(&call);
	k = parts.k;
	states = palloc_extended(2 * (k + parts.d) * sizeof(double), MCXT_ALLOC_HUGE);
	before = states + k;
	seen = before + k;
	if (posterior->n > 0)
		memcpy(before, posterior->values + (posterior->n - 1) * k, k * sizeof(double));
	for (size_t step = 1; step <= steps; step++)
	{
		if (step == 1 && posterior->n == 0)
			memcpy(states, parts.initial, k * sizeof(double));
		else
			tlv_hmm_forecast_states(&parts, before, states);
		put_forecast(fcinfo, &parts, (int32) step, states, seen);
		memcpy(before, states, k * sizeof(double));
	}
	close_call(&call);
	pfree(states);
	return (Datum) 0;
}

/* ---- rows in text form ---- */

typedef Datum (*Apply)(FunctionCallInfo fcinfo, const TlvRowReader *reader);

/*
 * A literal without a type, tlv_infer(model, '{...}'), would fit every kind of row; as text it is
 * read as the row that the model is of.
 */
static Datum
apply_text(FunctionCallInfo fcinfo, Apply apply)
{
	LOCAL_FCINFO(call, 2);
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	const tlv_model *model = cache->model;
	char *row = text_to_cstring(PG_GETARG_TEXT_PP(1));
	unsigned takes = model->class->rows;
	bool bag = (takes & TLV_ROW_BAG) != 0;

	/* Of a tree both int[] and float8[] may be rows. */
	if (!bag && ((takes & TLV_ROW_VECTOR) == 0 || (takes & TLV_ROW_CODES) != 0))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("the row of a model of kind %s needs a type", TlvKind(&model->frame)->name),
				 errhint("Write ARRAY[...], or '{...}'::float8[] or '{...}'::integer[].")));
	TlvCachedModelEnd(cache); /* to be found there again by the call */
	InitFunctionCallInfoData(*call, fcinfo->flinfo, 2, fcinfo->fncollation, NULL, NULL);
	call->args[0] = fcinfo->args[0];
	call->args[1].isnull = false;
	call->args[1].value = bag ? DirectFunctionCall1(tlv_bag_in, CStringGetDatum(row))
							  : OidInputFunctionCall(F_ARRAY_IN, row, FLOAT8OID, -1);
	return apply(call, bag ? &TlvBagRows : &TlvVectorRows);
}

/* ---- the functions ---- */

#define ROW_FUNCTION(name, apply, reader)                                                          \
	TLV_FUNCTION(name)                                                                             \
	{                                                                                              \
		return apply(fcinfo, &(reader));                                                           \
	}

#define TEXT_FUNCTION(name, apply)                                                                 \
	TLV_FUNCTION(name)                                                                             \
	{                                                                                              \
		return apply_text(fcinfo, apply);                                                          \
	}

ROW_FUNCTION(tlv_infer_bag, infer, TlvBagRows)
ROW_FUNCTION(tlv_infer_vector, infer, TlvAnyVectorRows)
ROW_FUNCTION(tlv_infer_integers, infer, TlvAnyIntegerRows)
ROW_FUNCTION(tlv_infer_names, infer, TlvNamedSequences)
ROW_FUNCTION(tlv_infer_views, infer, TlvViewRows)
ROW_FUNCTION(tlv_infer_categories, infer, TlvCategoryRows)
TEXT_FUNCTION(tlv_infer_text, infer)

ROW_FUNCTION(tlv_assign_bag, assign, TlvBagRows)
ROW_FUNCTION(tlv_assign_vector, assign, TlvVectorRows)
ROW_FUNCTION(tlv_assign_views, assign, TlvViewRows)
ROW_FUNCTION(tlv_assign_categories, assign, TlvCategoryRows)
TEXT_FUNCTION(tlv_assign_text, assign)

ROW_FUNCTION(tlv_log_likelihood_bag, log_likelihood, TlvBagRows)
ROW_FUNCTION(tlv_log_likelihood_vector, log_likelihood, TlvAnyVectorRows)
ROW_FUNCTION(tlv_log_likelihood_symbols, log_likelihood, TlvAnyIntegerRows)
ROW_FUNCTION(tlv_log_likelihood_names, log_likelihood, TlvNamedSequences)
ROW_FUNCTION(tlv_log_likelihood_views, log_likelihood, TlvViewRows)
ROW_FUNCTION(tlv_log_likelihood_categories, log_likelihood, TlvCategoryRows)
TEXT_FUNCTION(tlv_log_likelihood_text, log_likelihood)

ROW_FUNCTION(tlv_viterbi_symbols, decode, TlvSymbolSequences)
ROW_FUNCTION(tlv_viterbi_names, decode, TlvNamedSequences)
ROW_FUNCTION(tlv_viterbi_vectors, decode, TlvVectorSequences)
ROW_FUNCTION(tlv_forecast_symbols, forecast, TlvSymbolSequences)
ROW_FUNCTION(tlv_forecast_names, forecast, TlvNamedSequences)
ROW_FUNCTION(tlv_forecast_vectors, forecast, TlvVectorSequences)

/* ---- two models ---- */

void
TlvPutMatch(FunctionCallInfo fcinfo, const tlv_match *match)
{
	TlvInitRows(fcinfo);
	for (size_t j = 0; j < match->k; j++)
		TlvPutRow(fcinfo, TlvInt4((int32) j + 1),
				  TlvNullIf(match->component[j] < 0, TlvInt4((int32) match->component[j] + 1)),
				  TlvNullIf(isnan(match->distance[j]), TlvFloat8(match->distance[j])));
}

/* tlv_match(a, b): rows (component_a, component_b, distance) */
TLV_FUNCTION(tlv_match_models)
{
	tlv_frame a = TlvFrame(PG_GETARG_TLV(0)), b = TlvFrame(PG_GETARG_TLV(1));
	TlvWork *work = TlvWorkBegin("tensorlv match");
	tlv_match match;

	work->ctx.arena.limit = SIZE_MAX; /* bounded by the models' own size */
	TlvCheck(&work->ctx, tlv_model_match(&work->ctx, &a, &b, &match));
	TlvPutMatch(fcinfo, &match);
	TlvWorkEnd(work);
	return (Datum) 0;
}
