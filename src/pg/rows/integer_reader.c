/*
 * integer_reader.c - rows of integers: categorical variables, sequences of symbols, numbers of a
 * vector, three categories.
 */
#include "reader.h"

#include "catalog/pg_type.h"

#include "categories.h"
#include "vectors.h"

/* ---- categorical variables ---- */

static void
put_codes(TlvRowCursor *cursor, Datum value)
{
	TlvCodes codes = TlvCodesOf(value);
	tlv_part *part = &cursor->row.part[0];

	part->type = TLV_PART_CODES;
	part->n = 1;
	part->d = codes.p;
	part->codes = codes.values;
	part->missing = NULL;
	TlvCursorOwn(cursor, codes.owned);
}

/* ---- symbols ---- */

/* The first element that is NULL. */
static void
refuse_null_symbol(ArrayType *array, int n)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);

	for (int i = 0; i < n; i++)
		if ((bitmap[i / 8] & (1 << (i % 8))) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("symbol %d of a sequence is null", i + 1),
					 errhint("Leave it out with array_agg(...) FILTER, or give missing steps "
							 "a symbol of their own.")));
}

static void
put_symbols(TlvRowCursor *cursor, Datum value)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	int n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	const int32 *from = (const int32 *) ARR_DATA_PTR(array);
	tlv_part *part = &cursor->row.part[0];
	int64_t *symbols;

	if (ARR_ELEMTYPE(array) != INT4OID)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("a sequence of symbols is no integer[]")));
	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("a sequence of symbols has one dimension, not %d", ARR_NDIM(array)),
						errhint("Give one sequence at a time.")));
	if (ARR_HASNULL(array))
		refuse_null_symbol(array, n);
	symbols = palloc_extended((size_t) Max(n, 1) * sizeof(int64_t), MCXT_ALLOC_HUGE);
	for (int i = 0; i < n; i++)
		symbols[i] = from[i];
	*part = (tlv_part) TLV_PART(TLV_PART_IDS, (size_t) n, 1, symbols);
	TlvCursorOwn(cursor, symbols);
	TlvCursorOwn(cursor, TLV_COPY_OF(array, value));
}

/* ---- numbers ---- */

static void
put_numbers(TlvRowCursor *cursor, ArrayType *array)
{
	ArrayType *numbers = TlvFloat8OfIntegers(array);
	TlvVectors vectors = TlvVectorsOf(PointerGetDatum(numbers));

	cursor->row.part[0] = (tlv_part) TLV_PART(TLV_PART_FLOAT64, 1, vectors.d, vectors.x);
	cursor->rows = cursor->left = vectors.rows;
	cursor->many = vectors.many;
	cursor->parts = 1;
	TlvCursorOwn(cursor, numbers);
}

static void
integers_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	if (cursor->row.form == TLV_ROW_CODES)
		put_codes(cursor, PG_GETARG_DATUM(first));
	else if (cursor->row.form == TLV_ROW_SYMBOLS)
		put_symbols(cursor, PG_GETARG_DATUM(first));
	else
		put_numbers(cursor, PG_GETARG_ARRAYTYPE_P(first));
}

const TlvRowReader TlvIntegerRows = {1, {TLV_ROW_CODES, TLV_ROW_VECTOR}, integers_open};
const TlvRowReader TlvSymbolSequences = {1, {TLV_ROW_SYMBOLS}, integers_open};

/* ---- three categories ---- */

static void
categories_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	for (int t = 0; t < 3; t++)
	{
		tlv_part *part = &cursor->row.part[t];

		part->type = PG_ARGISNULL(first + t) ? TLV_PART_NONE : TLV_PART_IDS;
		part->n = part->d = 1;
		part->ids = &cursor->ids[t];
		part->missing = NULL;
		if (part->type != TLV_PART_NONE)
			cursor->ids[t] = PG_GETARG_INT32(first + t);
	}
}

const TlvRowReader TlvCategoryRows = {3, {TLV_ROW_CATEGORIES}, categories_open};
