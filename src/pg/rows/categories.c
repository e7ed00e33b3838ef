/*
 * categories.c - rows of categorical variables: collecting their tables,
 * statistics under a model, applying a model, looking at the tables.
 */
#include "categories.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"

#include "tensorlv/model/categories.h"
#include "vectors.h"

/* ---- rows ---- */

/* NULL elements have no place among an array's values. */
static int32_t *
spread_values(const ArrayType *array, size_t p)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	const int32 *from = (const int32 *) ARR_DATA_PTR(array);
	int32_t *values = palloc(p * sizeof(int32_t));

	for (size_t v = 0; v < p; v++)
		values[v] = bitmap[v / 8] & (1 << (v % 8)) ? *from++ : TLV_CATEGORY_MISSING;
	return values;
}

/* What is negative and not NULL must not pass for missing. */
static void
refuse_negative(const ArrayType *array, size_t p)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	const int32 *from = (const int32 *) ARR_DATA_PTR(array);

	for (size_t v = 0; v < p; v++)
	{
		if (bitmap != NULL && (bitmap[v / 8] & (1 << (v % 8))) == 0)
			continue;
		if (*from < 0)
			ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
							errmsg("value %zu of a row is %d, not a state from 0 to %d", v + 1,
								   *from, TLV_CATEGORY_MOST_STATES - 1),
							errhint("States are numbered from 0; missing values are null.")));
		from++;
	}
}

static void
check_array(const ArrayType *array)
{
	if (ARR_ELEMTYPE(array) != INT4OID)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("a row of categorical variables is no integer[]")));
	if (ARR_NDIM(array) == 0)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("a row has no values"),
						errhint("A row that is missing altogether is null, not an empty array.")));
	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("a row of categorical variables has one dimension, not %d",
							   ARR_NDIM(array)),
						errhint("Give one row at a time.")));
}

TlvCodes
TlvCodesOf(Datum value)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	TlvCodes codes = {0, NULL, NULL};
	const int32 *from;
	int present;
	int32 signs = 0;

	check_array(array);
	codes.p = (size_t) ARR_DIMS(array)[0];
	from = (const int32 *) ARR_DATA_PTR(array);
	present = (int) (((char *) array + ARR_SIZE(array) - (char *) from) / sizeof(int32));
	for (int i = 0; i < present; i++)
		signs |= from[i];
	if (signs < 0)
		refuse_negative(array, codes.p);
	codes.values = from;
	if ((Pointer) array != DatumGetPointer(value))
		codes.owned = array;
	if (ARR_HASNULL(array))
	{
		codes.values = spread_values(array, codes.p);
		if (codes.owned != NULL)
			pfree(codes.owned);
		codes.owned = (void *) (uintptr_t) codes.values;
	}
	return codes;
}

void
TlvReleaseCodes(const TlvCodes *codes)
{
	if (codes->owned != NULL)
		pfree(codes->owned);
}

/* ---- tables of pairs ---- */

static void
put_cell(FunctionCallInfo fcinfo, size_t a, size_t x, size_t b, size_t y, double count)
{
	bool single = a == b;
	Datum values[5] = {Int32GetDatum((int32) a + 1), Int32GetDatum((int32) b + 1),
					   Int32GetDatum((int32) x), Int32GetDatum((int32) y),
					   Int64GetDatum((int64) count)};
	bool nulls[5] = {false, single, false, single, false};

	TlvPutRow(fcinfo, values, nulls);
}

PG_FUNCTION_INFO_V1(tlv_category_tables_rows);

/* Rows (variable_a, variable_b, state_a, state_b, count); of single variables b is NULL. */
Datum
tlv_category_tables_rows(PG_FUNCTION_ARGS)
{
	tlv_frame frame = TlvFrame(PG_GETARG_TLV(0));
	TlvWork *work = TlvWorkBegin("tensorlv tables");
	tlv_category_tables tables;

	TlvRequireKind(&frame, &tlv_kind_category_moments, "tlv_category_tables");
	TlvCheck(&work->ctx, tlv_category_open(&work->ctx, &frame, &tables));
	TlvInitRows(fcinfo);
	for (size_t a = 0; a < tables.p; a++)
	{
		size_t states_a = (size_t) tables.states[a];

		for (size_t x = 0; x < states_a; x++)
			put_cell(fcinfo, a, x, a, 0, tables.singles[tables.offset[a] + x]);
		for (size_t b = a + 1; b < tables.p; b++)
		{
			const double *pair = tlv_category_pair(&tables, a, b);
			size_t states_b = (size_t) tables.states[b];

			CHECK_FOR_INTERRUPTS();
			for (size_t i = 0; i < states_a * states_b; i++)
				put_cell(fcinfo, a, i / states_b, b, i % states_b, pair[i]);
		}
	}
	TlvWorkEnd(work);
	return (Datum) 0;
}

/* ---- applying ---- */

Datum
TlvInferCodes(FunctionCallInfo fcinfo)
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	tlv_model *model = cache->model;
	TlvCodes codes = TlvCodesOf(PG_GETARG_DATUM(1));
	size_t n = model->class->posterior_size(model, codes.p, codes.values);
	double *posterior = palloc_extended((n + 1) * sizeof(double), MCXT_ALLOC_HUGE);
	ArrayType *result;

	TlvCheck(&cache->ctx,
			 model->class->infer_codes(&cache->ctx, model, codes.p, codes.values, posterior));
	result = n == 0 ? construct_empty_array(FLOAT8OID) : TlvFloat8Array(n, posterior);
	pfree(posterior);
	TlvReleaseCodes(&codes);
	PG_RETURN_ARRAYTYPE_P(result);
}

Datum
TlvLogLikelihoodCodes(FunctionCallInfo fcinfo)
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	tlv_model *model = cache->model;
	TlvCodes codes = TlvCodesOf(PG_GETARG_DATUM(1));
	double value = 0;

	TlvCheck(&cache->ctx,
			 model->class->log_likelihood_codes(&cache->ctx, model, codes.p, codes.values, &value));
	TlvReleaseCodes(&codes);
	PG_RETURN_FLOAT8(value);
}
