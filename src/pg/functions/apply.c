/*
 * apply.c - a fitted model and rows: what it infers of them, the component of each, their
 * likelihood, most probable states; and two models compared.
 */
#include "rows/any.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/float.h"

#include "rows/vectors.h"
#include "tensorlv/model/contributions.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/hmm.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/sort.h"

/* A call (model, row...). */
typedef struct ApplyCall
{
	TlvModelCache *cache;
	tlv_context *ctx;
	tlv_model *model;
	bool uncertain; /* posteriors are averaged over draws of the model */
	TlvRowCursor cursor;
} ApplyCall;

/* False: there is no row, or no model.  what is the function's name, for errors. */
static bool
open_call(FunctionCallInfo fcinfo, const char *what, ApplyCall *call)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return false;
	call->cache = TlvCachedModel(fcinfo, 0);
	call->ctx = &call->cache->ctx;
	call->model = call->cache->model;
	call->uncertain = false;
	if (TlvAnyOpen(fcinfo, 1, call->model, call->model->rows, what, &call->cursor))
		return true;
	TlvCachedModelEnd(call->cache);
	return false;
}

static bool
next_row(ApplyCall *call)
{
	CHECK_FOR_INTERRUPTS();
	return TlvCursorNext(&call->cursor);
}

static void
close_call(ApplyCall *call)
{
	/* Numbers of a posterior that is kept for the next row. */
	const int kept_numbers = 65536;

	TlvCursorClose(&call->cursor);
	if (call->cache->posterior.room > kept_numbers)
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
	TlvCheckRow(
		call->ctx, &call->model->frame,
		call->uncertain
			? tlv_drawn_infer(call->ctx, call->cache->drawn, &call->cursor.row, posterior)
			: call->model->class->infer(call->ctx, call->model, &call->cursor.row, posterior));
	return posterior;
}

/* Draws are opened once, and kept with the model. */
static void
use_draws(ApplyCall *call)
{
	TlvModelCache *cache = call->cache;

	if (cache->drawn == NULL)
		TlvCheck(call->ctx, tlv_drawn_open(call->ctx, &call->model->frame,
										   "tlv_infer(..., uncertain => true)", &cache->drawn));
	call->uncertain = true;
}

/* Of one row: its numbers, of a sequence steps x k. */
static ArrayType *
row_array(ApplyCall *call)
{
	const tlv_posterior *posterior = infer_next(call);

	if (is_sequence(&call->cursor.row))
		return TlvFloat8Box(2, (size_t[2]){posterior->n, posterior->width}, posterior->values);
	return TlvFloat8Array(posterior->total, posterior->values);
}

/* Rows x k numbers, of which those of some rows are NULL. */
static ArrayType *
box_with_nulls(size_t rows, size_t k, const double *numbers, const bool *there)
{
	Datum *values = palloc_extended(rows * k * sizeof(Datum), MCXT_ALLOC_HUGE);
	bool *nulls = palloc_extended(rows * k * sizeof(bool), MCXT_ALLOC_HUGE);

	for (size_t i = 0; i < rows * k; i++)
	{
		TlvLoopCheck(i);
		nulls[i] = !there[i / k];
		values[i] = nulls[i] ? (Datum) 0 : Float8GetDatum(numbers[i]);
	}
	return construct_md_array(values, nulls, 2, (int[]){(int) rows, (int) k}, (int[]){1, 1},
							  FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
}

/* Of an array of rows: rows x k; a row that is NULL has NULLs. */
static ArrayType *
rows_array(ApplyCall *call)
{
	size_t rows = call->cursor.rows, k = tlv_model_components(&call->model->frame), row, n = 0;
	const tlv_posterior *posterior;
	ArrayType *array;
	double *numbers;
	bool *there;

	if (rows == 0)
		return construct_empty_array(FLOAT8OID);
	TlvRequireArray(rows, k);
	numbers = palloc_extended(rows * k * sizeof(double), MCXT_ALLOC_HUGE);
	there = palloc0(rows * sizeof(bool));
	while ((posterior = infer_next(call)) != NULL)
	{
		row = n++ + call->cursor.nulls;
		tlv_assert(row < rows && posterior->total == k);
		there[row] = true;
		memcpy(numbers + row * k, posterior->values, k * sizeof(double));
	}
	array = n == rows ? TlvFloat8Box(2, (size_t[2]){rows, k}, numbers)
					  : box_with_nulls(rows, k, numbers, there);
	pfree(there);
	pfree(numbers);
	return array;
}

/* The hidden variables of a tree have a posterior each, of states, which are no components. */
static void
require_components(const ApplyCall *call, const char *what)
{
	if (TlvKind(&call->model->frame) == &tlv_kind_tree)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s is not defined for a model of kind tree", what),
						errhint("tlv_tree_posterior(model, x) has the posterior of every hidden "
								"node, of numbers their means and variances.")));
}

/* tlv_infer(model, x, uncertain) */
TLV_FUNCTION(tlv_infer)
{
	ArrayType *array;
	ApplyCall call;

	if (PG_ARGISNULL(2))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("uncertain is null")));
	if (!open_call(fcinfo, "tlv_infer", &call))
		PG_RETURN_NULL();
	require_components(&call, "tlv_infer");
	if (PG_GETARG_BOOL(2))
		use_draws(&call);
	array = call.cursor.many ? rows_array(&call) : row_array(&call);
	close_call(&call);
	PG_RETURN_ARRAYTYPE_P(array);
}

/* ---- the components of the largest posteriors, from 1 ---- */

static void
require_one_row(const ApplyCall *call)
{
	if (is_sequence(&call->cursor.row))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a sequence has a state for every step"),
						errhint("Use tlv_viterbi(model, x) or tlv_top(model, x).")));
	if (call->cursor.rows != 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("tlv_assign needs one row, not %zu", call->cursor.rows),
						errhint("Give one row at a time, or use tlv_top(model, x).")));
}

/* tlv_assign(model, x) */
TLV_FUNCTION(tlv_assign)
{
	const tlv_posterior *posterior;
	size_t best = 0;
	ApplyCall call;
	bool known;

	if (!open_call(fcinfo, "tlv_assign", &call))
		PG_RETURN_NULL();
	require_components(&call, "tlv_assign");
	require_one_row(&call);
	posterior = infer_next(&call); /* NULL: of an array of one bag, which is null */
	for (size_t j = 1; posterior != NULL && j < posterior->width; j++)
		best = posterior->values[j] > posterior->values[best] ? j : best;
	known = posterior != NULL && TlvRowIsKnown(call.model, &call.cursor.row);
	close_call(&call);
	if (!known)
		PG_RETURN_NULL();
	PG_RETURN_INT32((int32) best + 1);
}

typedef struct RankedShare
{
	uint64 key; /* shares are not negative: numbers in the order of their bits, the largest first */
	uint64 component;
} RankedShare;

/*
 * Rows (step, rank, component, label, probability) of one step: the larger first, of equal ones
 * that of the lower number.  room holds 2 k.
 */
static void
put_top(FunctionCallInfo fcinfo, const ApplyCall *call, int32 step, size_t k, const double *shares,
		size_t n, RankedShare *room)
{
	static const tlv_sort_form form = {sizeof(RankedShare), sizeof(uint64), 0, 64};
	const RankedShare *ranked;
	void *sorted;

	for (size_t j = 0; j < k; j++)
	{
		room[j].component = j;
		memcpy(&room[j].key, shares + j, sizeof(double));
		room[j].key = ~room[j].key;
	}
	TlvCheck(call->ctx, tlv_radix_sort(call->ctx, &form, k, room, room + k, &sorted));
	ranked = sorted;
	for (size_t rank = 0; rank < Min(n, k); rank++)
	{
		size_t j = ranked[rank].component;

		TlvPutRow(fcinfo, TlvInt4(step), TlvInt4((int32) rank + 1), TlvInt4((int32) j + 1),
				  TlvComponentLabel(&call->model->frame, j), TlvFloat8(shares[j]));
	}
}

/* tlv_top(model, x, n): a sequence has as many steps as it is long, rows one each */
TLV_FUNCTION(tlv_top)
{
	const tlv_posterior *posterior;
	RankedShare *ranked;
	int32 step = 0;
	ApplyCall call;
	size_t n;

	TlvInitRows(fcinfo);
	n = TlvCountArgument(fcinfo, 2, "n", 1);
	if (!open_call(fcinfo, "tlv_top", &call))
		return (Datum) 0;
	require_components(&call, "tlv_top");
	ranked = palloc(2 * tlv_model_components(&call.model->frame) * sizeof(RankedShare));
	while ((posterior = infer_next(&call)) != NULL)
	{
		bool known = TlvRowIsKnown(call.model, &call.cursor.row);

		for (size_t i = 0; i < posterior->n; i++) /* rows that are NULL are counted, too */
		{
			step++;
			if (known)
				put_top(fcinfo, &call, (int32) call.cursor.nulls + step, posterior->width,
						posterior->values + i * posterior->width, n, ranked);
		}
	}
	close_call(&call);
	pfree(ranked);
	return (Datum) 0;
}

/* ---- log-likelihoods in nats, of all rows together ---- */

/* tlv_log_likelihood(model, x) */
TLV_FUNCTION(tlv_log_likelihood)
{
	double sum = 0, value;
	ApplyCall call;

	if (!open_call(fcinfo, "tlv_log_likelihood", &call))
		PG_RETURN_NULL();
	while (next_row(&call))
	{
		TlvCheckRow(
			call.ctx, &call.model->frame,
			call.model->class->log_likelihood(call.ctx, call.model, &call.cursor.row, &value));
		sum += value;
	}
	close_call(&call);
	if (isinf(sum))
		float_overflow_error();
	PG_RETURN_FLOAT8(sum);
}

/* The next name of a dimension, or its number where the model has none. */
static char *
next_dimension_name(tlv_value_names *names, size_t dimension)
{
	tlv_text name;
	char *bytes;

	if (!tlv_value_names_next(names, &name) || name.bytes == NULL)
		return psprintf("%zu", dimension);
	bytes = pnstrdup(name.bytes, name.length);
	if (names->lines != NULL)
		tlv_lines_decode(bytes, name.length);
	return bytes;
}

/* tlv_contributions(model, x): rows (dimension, dimension_name, log_likelihood) */
TLV_FUNCTION(tlv_contributions)
{
	const unsigned forms =
		TLV_ROW_VECTOR | TLV_ROW_CODES | TLV_ROWS_MISSING_ELEMENTS | TLV_ROWS_MISSING_OF_MANY;
	TlvModelCache *cache;
	tlv_value_names names;
	TlvRowCursor cursor;
	tlv_model *model;
	size_t copies; /* values of one variable stand together, and have its name */
	char *name = NULL;
	double *values;

	TlvInitRows(fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	cache = TlvCachedModel(fcinfo, 0);
	model = cache->model;
	copies = (size_t) Max(tlv_frame_scalar(&model->frame, "copies", 1), 1);
	if (TlvAnyOpen(fcinfo, 1, model, tlv_model_has_contributions(model) ? model->rows & forms : 0,
				   "tlv_contributions", &cursor))
	{
		if (cursor.rows != 1 || !TlvCursorNext(&cursor))
			ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
							errmsg("tlv_contributions needs one row, not %zu", cursor.rows),
							errhint("Give one row at a time, as in LATERAL "
									"tlv_contributions(model, x).")));
		values = palloc(cursor.row.part[0].d * sizeof(double));
		TlvCheckRow(&cache->ctx, &model->frame,
					tlv_model_contributions(&cache->ctx, model, &cursor.row, values));
		names = tlv_value_names_of(&model->frame);
		for (size_t i = 0; i < cursor.row.part[0].d; i++)
		{
			if (i % copies == 0)
				name = next_dimension_name(&names, i / copies + 1);
			TlvPutRow(fcinfo, TlvInt4((int32) i + 1), TlvText(name), TlvKnown(values[i]));
		}
		TlvCursorClose(&cursor);
	}
	TlvCachedModelEnd(cache);
	return (Datum) 0;
}

/* ---- the most probable states of a sequence, from 1 ---- */

/* The same of a model of sequences. */
static bool
open_sequence(FunctionCallInfo fcinfo, const char *what, ApplyCall *call)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return false;
	call->cache = TlvCachedModel(fcinfo, 0);
	TlvRequireKind(&call->cache->model->frame, &tlv_kind_hmm, what);
	TlvCachedModelEnd(call->cache);
	return open_call(fcinfo, what, call);
}

static ArrayType *
states_array(ApplyCall *call)
{
	size_t n = call->cursor.row.part[0].n;
	ArrayType *array;
	int32_t *states;

	if (n == 0)
		return construct_empty_array(INT4OID);
	states = palloc_extended(n * sizeof(int32_t), MCXT_ALLOC_HUGE);
	TlvCheck(call->ctx, tlv_model_decode(call->ctx, call->model, &call->cursor.row, states));
	for (size_t t = 0; t < n; t++)
		states[t]++;
	array = TlvInt4Array(n, states);
	pfree(states);
	return array;
}

/* tlv_viterbi(model, x) */
TLV_FUNCTION(tlv_viterbi)
{
	ArrayType *array;
	ApplyCall call;

	if (!open_sequence(fcinfo, "tlv_viterbi", &call))
		PG_RETURN_NULL();
	(void) next_row(&call);
	array = states_array(&call);
	close_call(&call);
	PG_RETURN_ARRAYTYPE_P(array);
}

/* ---- the steps after a sequence ---- */

/*
 * Rows (step, symbol, symbol_name, probability, dimension, mean, variance) of a step whose states
 * have those probabilities: what is not of the model's symbols, or vectors, is NULL.
 */
static void
put_forecast(FunctionCallInfo fcinfo, const tlv_hmm_parts *parts, int32 step, const double *states,
			 double *seen)
{
	const TlvCell none = {.isnull = true};

	tlv_hmm_forecast_steps(parts, states, seen, seen + parts->d);
	for (size_t i = 0; i < parts->d; i++)
		if (parts->gaussian)
			TlvPutRow(fcinfo, TlvInt4(step), none, none, none, TlvInt4((int32) i + 1),
					  TlvFloat8(seen[i]), TlvFloat8(seen[parts->d + i]));
		else
			TlvPutRow(fcinfo, TlvInt4(step), TlvInt8(parts->items[i]),
					  TlvNameCell(&parts->names, i, parts->items[i]), TlvFloat8(seen[i]), none,
					  none, none);
}

/* Of a sequence whose last step has that posterior; NULL: it has no steps, and what is to come is
 * how sequences begin. */
static void
apply_put_steps(FunctionCallInfo fcinfo, const tlv_hmm_parts *parts, const double *last,
				size_t steps)
{
	double *states = palloc_extended(2 * (parts->k + parts->d) * sizeof(double), MCXT_ALLOC_HUGE);
	double *before = states + parts->k, *seen = before + parts->k;

	if (last != NULL)
		memcpy(before, last, parts->k * sizeof(double));
	for (size_t step = 1; step <= steps; step++)
	{
		if (step == 1 && last == NULL)
			memcpy(states, parts->initial, parts->k * sizeof(double));
		else
			tlv_hmm_forecast_states(parts, before, states);
		put_forecast(fcinfo, parts, (int32) step, states, seen);
		memcpy(before, states, parts->k * sizeof(double));
	}
	pfree(states);
}

/* tlv_forecast(model, x, steps) */
TLV_FUNCTION(tlv_forecast)
{
	const tlv_posterior *posterior;
	tlv_hmm_parts parts;
	ApplyCall call;
	size_t steps;

	TlvInitRows(fcinfo);
	steps = TlvCountArgument(fcinfo, 2, "steps", 1);
	if (!open_sequence(fcinfo, "tlv_forecast", &call))
		return (Datum) 0;
	tlv_hmm_read(&call.model->frame, &parts);
	posterior = infer_next(&call);
	apply_put_steps(fcinfo, &parts,
					posterior->n > 0 ? posterior->values + (posterior->n - 1) * parts.k : NULL,
					steps);
	close_call(&call);
	return (Datum) 0;
}

/* ---- two models ---- */

/* tlv_match(a, b): rows (component_a, component_b, distance); NULL without a partner */
TLV_FUNCTION(tlv_match_models)
{
	tlv_frame a = TlvFrameOf(PG_GETARG_DATUM(0)), b = TlvFrameOf(PG_GETARG_DATUM(1));
	TlvWork *work;
	tlv_match match;

	if (TlvKind(&a) == &tlv_kind_tree)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("tlv_match is not defined for a model of kind tree"),
						errdetail("A hidden variable is one by its place in the tree, and another "
								  "tree has other variables."),
						errhint("tlv_robinson_foulds(a, b) compares two trees.")));
	work = TlvWorkBegin("tensorlv match");
	work->ctx.arena.limit = TlvValueMemory();
	TlvCheck(&work->ctx, tlv_model_match(&work->ctx, &a, &b, &match));
	TlvInitRows(fcinfo);
	for (size_t j = 0; j < match.k; j++)
		TlvPutRow(fcinfo, TlvInt4((int32) j + 1),
				  TlvNullIf(match.component[j] < 0, TlvInt4((int32) match.component[j] + 1)),
				  TlvKnown(match.distance[j]));
	TlvWorkEnd(work);
	return (Datum) 0;
}
