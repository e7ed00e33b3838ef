/*
 * integer_reader.c - rows of integers: categorical variables, sequences of symbols, numbers of a
 * vector.
 */
#include "any.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "server/arrays.h"
#include "tensorlv/model/categories.h"
#include "tensorlv/model/sequences.h"

/* ---- categorical variables ---- */

/* NULL elements have no place among an array's values. */
static int32_t *
spread_values(const ArrayType *array, size_t p)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	const int32 *from = (const int32 *) ARR_DATA_PTR(array);
	int32_t *values = TlvAllocElements(p, sizeof(int32_t));

	for (size_t v = 0; v < p; v++)
	{
		TlvLoopCheck(v); /* NULLs take a bit each: there may be many in a short value */
		values[v] = bitmap[v / 8] & (1 << (v % 8)) ? *from++ : TLV_CATEGORY_MISSING;
	}
	return values;
}

void
TlvRefuseState(size_t v, int32 value)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
					errmsg("value %zu of a row is %d, not a state from 0 to %d", v + 1, value,
						   TLV_CATEGORY_MOST_STATES - 1),
					errhint("States are numbered from 0; missing values are null.")));
}

/* What is negative and not NULL must not pass for missing. */
static void
refuse_negative(const ArrayType *array, size_t p)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	const int32 *from = (const int32 *) ARR_DATA_PTR(array);

	for (size_t v = 0; v < p; v++)
	{
		TlvLoopCheck(v);
		if (bitmap != NULL && (bitmap[v / 8] & (1 << (v % 8))) == 0)
			continue;
		if (*from < 0)
			TlvRefuseState(v, *from);
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

static void
put_codes(TlvRowCursor *cursor, Datum value)
{
	ArrayType *array = TlvFetchArray(value);
	tlv_part *part = &cursor->row.part[0];
	const int32_t *from;
	int present;
	int32_t signs = 0;

	check_array(array);
	TlvCursorOwn(cursor, TLV_COPY_OF(array, value));
	from = (const int32_t *) ARR_DATA_PTR(array);
	present = (int) (((char *) array + ARR_SIZE(array) - (char *) from) / sizeof(int32_t));
	*part = (tlv_part) TLV_PART(TLV_PART_CODES, 1, (size_t) ARR_DIMS(array)[0], from);
	for (int i = 0; i < present; i++)
		signs |= from[i];
	if (signs < 0)
		refuse_negative(array, part->d);
	if (ARR_HASNULL(array))
	{
		int32_t *values = spread_values(array, part->d);

		part->codes = values;
		TlvCursorOwn(cursor, values);
	}
}

/* ---- symbols ---- */

static bool
is_long(const ArrayType *array)
{
	return ARR_ELEMTYPE(array) == INT8OID;
}

/* Of those that are there. */
static int64
symbol_at(ArrayType *array, int i)
{
	return is_long(array) ? ((const int64 *) ARR_DATA_PTR(array))[i]
						  : ((const int32 *) ARR_DATA_PTR(array))[i];
}

/* NULL elements have no place among an array's values. */
static void
spread_symbols(TlvRowCursor *cursor, ArrayType *array, int n, int64_t *symbols)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	bool *missing = TlvAllocElements((size_t) n, sizeof(bool));
	int present = 0;

	for (int i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		missing[i] = (bitmap[i / 8] & (1 << (i % 8))) == 0;
		symbols[i] = missing[i] ? TLV_SYMBOL_MISSING : symbol_at(array, present++);
	}
	cursor->row.part[0].missing = missing;
	TlvCursorOwn(cursor, missing);
}

static void
put_symbols(TlvRowCursor *cursor, Datum value, unsigned takes)
{
	ArrayType *array = TlvFetchArray(value);
	int n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	tlv_part *part = &cursor->row.part[0];
	int null = (takes & TLV_ROWS_MISSING_ELEMENTS) != 0 ? -1 : TlvFirstNull(array);
	int64_t *symbols;

	if (ARR_ELEMTYPE(array) != INT4OID && !is_long(array))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("a sequence of symbols is no array of integers")));
	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("a sequence of symbols has one dimension, not %d", ARR_NDIM(array)),
						errhint("Give one sequence at a time.")));
	if (null >= 0)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("element %d of a sequence or set is null", null + 1),
						errhint("Leave it out with array_agg(...) FILTER, or give missing steps "
								"a symbol of their own.")));
	symbols = TlvAllocElements((size_t) n, sizeof(int64_t));
	*part = (tlv_part) TLV_PART(TLV_PART_IDS, (size_t) n, 1, symbols);
	if (ARR_HASNULL(array))
		spread_symbols(cursor, array, n, symbols);
	for (int i = 0; !ARR_HASNULL(array) && i < n; i++)
		symbols[i] = symbol_at(array, i);
	TlvCursorOwn(cursor, symbols);
	TlvCursorOwn(cursor, TLV_COPY_OF(array, value));
}

/* ---- numbers ---- */

static void
integer_reader_put_numbers(TlvRowCursor *cursor, ArrayType *array, unsigned takes)
{
	ArrayType *numbers = TlvFloat8Numbers(array, INT4OID);

	TlvCursorOwn(cursor, numbers);
	TlvOpenVectors(numbers, takes, cursor);
}

static void
integers_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	if (cursor->row.form == TLV_ROW_CODES)
		put_codes(cursor, PG_GETARG_DATUM(first));
	else if (cursor->row.form == TLV_ROW_SYMBOLS)
		put_symbols(cursor, PG_GETARG_DATUM(first), takes);
	else
		integer_reader_put_numbers(cursor, TLV_GETARG_ARRAY(first), takes);
}

/* The steps of a sequence of vectors may be written with integers. */
static void
any_integers_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	int dims[MAXDIM];

	if (cursor->row.form == TLV_ROW_SYMBOLS && (takes & TLV_ROW_SEQUENCE) != 0 &&
		TlvArrayDims(PG_GETARG_DATUM(first), dims) == 2)
		cursor->row.form = TLV_ROW_SEQUENCE;
	integers_open(fcinfo, first, takes, cursor);
}

const TlvRowReader TlvIntegerRows = {1, {TLV_ROW_CODES, TLV_ROW_VECTOR}, integers_open};
const TlvRowReader TlvAnyIntegerRows = {
	1, {TLV_ROW_CODES, TLV_ROW_VECTOR, TLV_ROW_SYMBOLS}, any_integers_open};
const TlvRowReader TlvSymbolSequences = {1, {TLV_ROW_SYMBOLS}, integers_open};
