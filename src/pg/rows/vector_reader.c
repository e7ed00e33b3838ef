/*
 * vector_reader.c - rows of float8[]: vectors, three views, sequences of vectors.
 *
 * An array of one dimension is one vector; of two dimensions, rows x elements, it is many.  Numbers
 * are used where they lie in the array.
 */
#include "reader.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "vectors.h"

static void
put_part(tlv_part *part, size_t n, size_t d, const double *x)
{
	part->type = TLV_PART_FLOAT64;
	part->n = n;
	part->d = d;
	part->float64 = x;
	part->missing = NULL;
}

static void
put_vectors(TlvRowCursor *cursor, tlv_part *part, const TlvVectors *vectors, Datum value)
{
	put_part(part, 1, vectors->d, vectors->x);
	TlvCursorOwn(cursor, TLV_COPY_OF(vectors->array, value));
}

/* n x d elements of which some may be NULL: NaN, and said to be missing. */
static void
put_spread(TlvRowCursor *cursor, ArrayType *array, size_t n, size_t d)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	const double *from = (const double *) ARR_DATA_PTR(array);
	double *x = palloc_extended(n * d * sizeof(double), MCXT_ALLOC_HUGE);
	bool *missing = palloc_extended(n * d * sizeof(bool), MCXT_ALLOC_HUGE);

	for (size_t i = 0; i < n * d; i++)
	{
		TlvLoopCheck(i); /* NULLs take a bit each: there may be many in a short value */
		missing[i] = bitmap != NULL && (bitmap[i / 8] & (1 << (i % 8))) == 0;
		x[i] = missing[i] ? NAN : *from++;
	}
	put_part(&cursor->row.part[0], n, d, x);
	cursor->row.part[0].missing = missing;
	TlvCursorOwn(cursor, x);
	TlvCursorOwn(cursor, missing);
}

/* One vector whose missing elements are NULL. */
static void
put_incomplete(TlvRowCursor *cursor, ArrayType *array)
{
	const tlv_part *part = &cursor->row.part[0];

	if (ARR_NDIM(array) != 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("a row has one dimension, not %d", ARR_NDIM(array)),
						errhint("One row has one element for each variable.")));
	put_spread(cursor, array, 1, (size_t) ARR_DIMS(array)[0]);
	for (size_t i = 0; i < part->d; i++)
	{
		TlvLoopCheck(i);
		if (!part->missing[i] && !isfinite(part->float64[i]))
			ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
							errmsg("element %zu is not finite", i + 1),
							errhint("What is missing is null.")));
	}
}

static void
put_sequence(TlvRowCursor *cursor, Datum value, unsigned takes)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	TlvVectors vectors;

	TlvCursorOwn(cursor, TLV_COPY_OF(array, value));
	if (ARR_NDIM(array) == 0)
	{
		put_part(&cursor->row.part[0], 0, 0, NULL);
		return;
	}
	if (ARR_HASNULL(array) && ARR_NDIM(array) <= 2 && ARR_ELEMTYPE(array) == FLOAT8OID &&
		(takes & TLV_ROWS_MISSING_ELEMENTS) != 0)
	{
		put_spread(cursor, array, (size_t) ARR_DIMS(array)[0],
				   ARR_NDIM(array) == 2 ? (size_t) ARR_DIMS(array)[1] : 1);
		return;
	}
	vectors = TlvVectorsOf(PointerGetDatum(array));
	if (vectors.many)
		put_part(&cursor->row.part[0], vectors.rows, vectors.d, vectors.x);
	else /* single numbers */
		put_part(&cursor->row.part[0], vectors.d, 1, vectors.x);
}

static void
vector_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	Datum value = PG_GETARG_DATUM(first);
	TlvVectors vectors;

	if (cursor->row.form == TLV_ROW_SEQUENCE)
	{
		put_sequence(cursor, value, takes);
		return;
	}
	if ((takes & TLV_ROWS_MISSING_ELEMENTS) != 0)
	{
		put_incomplete(cursor, PG_GETARG_ARRAYTYPE_P(first));
		return;
	}
	vectors = TlvVectorsOf(value);
	put_vectors(cursor, &cursor->row.part[0], &vectors, value);
	cursor->rows = cursor->left = vectors.rows;
	cursor->many = vectors.many;
	cursor->parts = 1;
}

const TlvRowReader TlvVectorRows = {1, {TLV_ROW_VECTOR}, vector_open};
const TlvRowReader TlvAnyVectorRows = {1, {TLV_ROW_VECTOR, TLV_ROW_SEQUENCE}, vector_open};
const TlvRowReader TlvVectorSequences = {1, {TLV_ROW_SEQUENCE}, vector_open};

/* Arrays of two dimensions are many rows: as many in each view. */
static void
views_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	int known = -1;

	for (int t = 0; t < 3; t++)
	{
		TlvVectors vectors;

		cursor->row.part[t].type = TLV_PART_NONE;
		cursor->row.part[t].missing = NULL;
		if (PG_ARGISNULL(first + t))
			continue;
		vectors = TlvVectorsOf(PG_GETARG_DATUM(first + t));
		put_vectors(cursor, &cursor->row.part[t], &vectors, PG_GETARG_DATUM(first + t));
		cursor->many |= vectors.many;
		if (known < 0)
			cursor->rows = vectors.rows;
		else if (vectors.rows != cursor->rows)
			ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
							errmsg("view %d has %zu rows, view %d has %zu", known + 1, cursor->rows,
								   t + 1, vectors.rows)));
		known = known < 0 ? t : known;
	}
	cursor->left = cursor->rows;
	cursor->parts = 3;
}

const TlvRowReader TlvViewRows = {3, {TLV_ROW_VIEWS}, views_open};
