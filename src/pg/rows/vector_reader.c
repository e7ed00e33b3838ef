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
#include "server/arrays.h"
#include "tensorlv/num/plural.h"

static void
put_part(tlv_part *part, size_t n, size_t d, const double *x)
{
	part->type = TLV_PART_FLOAT64;
	part->n = n;
	part->d = d;
	part->float64 = x;
	part->missing = NULL;
}

/* ---- rows with a NULL in them, which aggregates leave out ---- */

static size_t
rows_of_array(const ArrayType *array)
{
	return ARR_NDIM(array) == 2 ? (size_t) ARR_DIMS(array)[0] : 1;
}

static size_t
width_of_array(const ArrayType *array)
{
	return (size_t) ARR_DIMS(array)[ARR_NDIM(array) - 1];
}

/* Could it be rows of vectors, if it were not for its NULLs? */
static bool
vector_reader_has_rows(const ArrayType *array)
{
	return ARR_ELEMTYPE(array) == FLOAT8OID && (ARR_NDIM(array) == 1 || ARR_NDIM(array) == 2);
}

static void
mark_incomplete(const ArrayType *array, bool *complete)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	size_t d = width_of_array(array), count = rows_of_array(array) * d;

	for (size_t i = 0; bitmap != NULL && i < count; i++)
	{
		TlvLoopCheck(i);
		if ((bitmap[i / 8] & (1 << (i % 8))) == 0)
			complete[i / d] = false;
	}
}

/* The rows that are complete, as an array without NULLs. */
static ArrayType *
keep_complete(const ArrayType *array, const bool *complete, size_t kept)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	const double *from = (const double *) ARR_DATA_PTR(array);
	size_t d = width_of_array(array), count = rows_of_array(array) * d;
	double *x = TlvAllocElements(kept * d, sizeof(double)), *to = x;
	ArrayType *result;

	for (size_t i = 0; i < count; i++)
	{
		TlvLoopCheck(i);
		if (complete[i / d])
			*to++ = *from;
		if (bitmap == NULL || (bitmap[i / 8] & (1 << (i % 8))) != 0)
			from++;
	}
	result =
		ARR_NDIM(array) == 1 ? TlvFloat8Array(d, x) : TlvFloat8Box(2, (const size_t[]){kept, d}, x);
	pfree(x);
	return result;
}

/* The same of several arrays side by side; false where no row is complete. */
static bool
leave_out_incomplete(TlvRowCursor *cursor, ArrayType **arrays, int n)
{
	size_t rows = rows_of_array(arrays[0]), kept = 0;
	bool *complete = TlvAllocElements(rows, sizeof(bool));

	memset(complete, true, rows);
	for (int t = 0; t < n; t++)
		mark_incomplete(arrays[t], complete);
	for (size_t i = 0; i < rows; i++)
		kept += complete[i];
	for (int t = 0; t < n && kept > 0; t++)
	{
		arrays[t] = keep_complete(arrays[t], complete, kept);
		TlvCursorOwn(cursor, arrays[t]);
	}
	pfree(complete);
	cursor->nulls = rows - kept;
	cursor->rows = cursor->left = kept;
	return kept > 0;
}

/*
 * Puts arrays of complete rows in the place of n arrays, of which one has NULLs; false: there is
 * no such row.  What is no array of rows is left to be refused as it is.
 */
static bool
complete_rows(TlvRowCursor *cursor, ArrayType **arrays, int n)
{
	for (int t = 0; t < n; t++)
		if (!vector_reader_has_rows(arrays[t]) ||
			rows_of_array(arrays[t]) != rows_of_array(arrays[0]))
			return true;
	return leave_out_incomplete(cursor, arrays, n);
}

/* ---- vectors ---- */

/* n x d elements of which some may be NULL: NaN, and said to be missing. */
static void
put_spread(TlvRowCursor *cursor, ArrayType *array, size_t n, size_t d)
{
	bool *missing;
	double *x = TlvSpreadNumbers(array, NAN, &missing);

	put_part(&cursor->row.part[0], n, d, x);
	cursor->row.part[0].missing = missing;
	TlvCursorOwn(cursor, x);
	TlvCursorOwn(cursor, missing);
}

/* What is there must be finite: NaN would be missing. */
static void
vector_reader_require_finite(const TlvRowCursor *cursor)
{
	const tlv_part *part = &cursor->row.part[0];

	for (size_t i = 0; i < part->n * part->d; i++)
	{
		TlvLoopCheck(i);
		if (!part->missing[i] && !isfinite(part->float64[i]))
			TlvRefuseNumber(cursor->named, i % part->d);
	}
}

/* One vector whose missing elements are NULL. */
static void
put_incomplete(TlvRowCursor *cursor, ArrayType *array)
{
	if (ARR_NDIM(array) != 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("a row has one dimension, not %d", ARR_NDIM(array)),
						errhint("One row has one element for each variable.")));
	put_spread(cursor, array, 1, (size_t) ARR_DIMS(array)[0]);
	vector_reader_require_finite(cursor);
}

/* One vector or many, of which some elements are NULL. */
static void
put_many_incomplete(TlvRowCursor *cursor, ArrayType *array)
{
	tlv_part *part = &cursor->row.part[0];

	put_spread(cursor, array, rows_of_array(array), width_of_array(array));
	vector_reader_require_finite(cursor);
	cursor->rows = cursor->left = part->n;
	cursor->many = ARR_NDIM(array) == 2;
	cursor->parts = 1;
	part->n = 1;
}

static void
put_sequence(TlvRowCursor *cursor, ArrayType *array, unsigned takes)
{
	TlvVectors vectors;

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
	vectors = TlvVectorsOf(array);
	if (vectors.many)
		put_part(&cursor->row.part[0], vectors.rows, vectors.d, vectors.x);
	else /* single numbers */
		put_part(&cursor->row.part[0], vectors.d, 1, vectors.x);
}

void
TlvOpenVectors(ArrayType *array, unsigned takes, TlvRowCursor *cursor)
{
	TlvVectors vectors;

	if (cursor->row.form == TLV_ROW_SEQUENCE)
	{
		put_sequence(cursor, array, takes);
		return;
	}
	if ((takes & TLV_ROWS_MISSING_ELEMENTS) != 0)
	{
		put_incomplete(cursor, array);
		return;
	}
	if ((takes & TLV_ROWS_MISSING_OF_MANY) != 0 && ARR_HASNULL(array) &&
		vector_reader_has_rows(array))
	{
		put_many_incomplete(cursor, array);
		return;
	}
	if ((takes & TLV_ROWS_COMPLETE) != 0 && ARR_HASNULL(array) && !complete_rows(cursor, &array, 1))
		return;
	vectors = TlvVectorsOf(array);
	put_part(&cursor->row.part[0], 1, vectors.d, vectors.x);
	cursor->rows = cursor->left = vectors.rows;
	cursor->many = vectors.many;
	cursor->parts = 1;
}

static void
open_vector_reader(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	ArrayType *array = TLV_GETARG_ARRAY(first);

	TlvCursorOwn(cursor, TLV_COPY_OF(array, PG_GETARG_DATUM(first)));
	TlvOpenVectors(array, takes, cursor);
}

const TlvRowReader TlvVectorRows = {1, {TLV_ROW_VECTOR}, open_vector_reader};
const TlvRowReader TlvAnyVectorRows = {1, {TLV_ROW_VECTOR, TLV_ROW_SEQUENCE}, open_vector_reader};
const TlvRowReader TlvVectorSequences = {1, {TLV_ROW_SEQUENCE}, open_vector_reader};

/* Views are the caller's, which owns their copies. */
void
TlvOpenViews(ArrayType *views[3], unsigned takes, TlvRowCursor *cursor)
{
	bool all = true, nulls = false;
	int known = -1;

	for (int t = 0; t < 3; t++)
	{
		all &= views[t] != NULL;
		nulls |= views[t] != NULL && ARR_HASNULL(views[t]);
	}
	if (all && nulls && (takes & TLV_ROWS_COMPLETE) != 0 && !complete_rows(cursor, views, 3))
		return;
	for (int t = 0; t < 3; t++)
	{
		TlvVectors vectors;

		cursor->row.part[t].type = TLV_PART_NONE;
		cursor->row.part[t].missing = NULL;
		if (views[t] == NULL)
			continue;
		vectors = TlvVectorsOf(views[t]);
		put_part(&cursor->row.part[t], 1, vectors.d, vectors.x);
		cursor->many |= vectors.many;
		if (known < 0)
			cursor->rows = vectors.rows;
		else if (vectors.rows != cursor->rows)
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 errmsg("view %d has %zu %s, view %d has %zu", known + 1, cursor->rows,
							tlv_plural((double) cursor->rows, "row", "rows"), t + 1, vectors.rows),
					 errhint("All three views must have a row for every observation.")));
		known = known < 0 ? t : known;
	}
	cursor->left = cursor->rows;
	cursor->parts = 3;
}

static void
views_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	ArrayType *views[3];

	TlvRequireArrays(fcinfo, first, 3);
	for (int t = 0; t < 3; t++)
	{
		views[t] = PG_ARGISNULL(first + t) ? NULL : TLV_GETARG_ARRAY(first + t);
		if (views[t] != NULL)
			TlvCursorOwn(cursor, TLV_COPY_OF(views[t], PG_GETARG_DATUM(first + t)));
	}
	TlvOpenViews(views, takes, cursor);
}

const TlvRowReader TlvViewRows = {3, {TLV_ROW_VIEWS}, views_open};
