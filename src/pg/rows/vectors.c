/*
 * vectors.c - float8[]: vectors in arguments, and arrays that are returned.
 */
#include "vectors.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "server/arrays.h"

/* One or two dimensions, at least one element, no NULL. */
static void
check_shape(const ArrayType *array)
{
	int null;

	if (ARR_NDIM(array) == 0)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("a vector has no elements"),
						errhint("A row that is missing altogether is null, not an empty array.")));
	if (ARR_NDIM(array) > 2)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("an array of %d dimensions is neither a vector nor rows of vectors",
						ARR_NDIM(array)),
				 errhint("Give a float8[] of one dimension, or of one row for each observation.")));
	null = TlvFirstNull(array);
	if (null >= 0)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("element %d of a vector is null",
							   null % ARR_DIMS(array)[ARR_NDIM(array) - 1] + 1),
						errhint("Leave such rows out with FILTER or WHERE, or fill them with "
								"coalesce().")));
}

TlvVectors
TlvVectorsOf(const ArrayType *array)
{
	TlvVectors vectors;

	if (ARR_ELEMTYPE(array) != FLOAT8OID)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("a vector is no float8[]")));
	check_shape(array);
	vectors.many = ARR_NDIM(array) == 2;
	vectors.rows = vectors.many ? (size_t) ARR_DIMS(array)[0] : 1;
	vectors.d = (size_t) ARR_DIMS(array)[vectors.many ? 1 : 0];
	vectors.x = (const double *) ARR_DATA_PTR(array);
	return vectors;
}

double *
TlvSpreadNumbers(const ArrayType *array, double fill, bool **missing)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	const double *from = (const double *) ARR_DATA_PTR(array);
	size_t n = (size_t) ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	double *numbers = TlvAllocElements(n, sizeof(double));

	*missing = TlvAllocElements(n, sizeof(bool));
	for (size_t i = 0; i < n; i++)
	{
		TlvLoopCheck(i); /* NULLs take a bit each: there may be many in a short value */
		(*missing)[i] = bitmap != NULL && (bitmap[i / 8] & (1 << (i % 8))) == 0;
		numbers[i] = (*missing)[i] ? fill : *from++;
	}
	return numbers;
}

/* Of an array of any dimensions, of elements of equal size in bytes. */
static void
require_array(size_t rows, size_t columns, size_t element)
{
	const size_t most = (MaxAllocSize - ARR_OVERHEAD_NONULLS(MAXDIM)) / element;

	if ((double) rows * (double) columns > (double) most)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("an array of %zu x %zu numbers is too large", rows, columns)));
}

void
TlvRequireArray(size_t rows, size_t columns)
{
	require_array(rows, columns, sizeof(double));
}

static ArrayType *
array_of(Oid type, size_t element, int ndim, const size_t *sides, const void *x)
{
	size_t count = 1, size;
	ArrayType *array;

	for (int i = 0; i < ndim; i++)
	{
		require_array(count, sides[i], element);
		count *= sides[i];
	}
	if (count == 0)
		return construct_empty_array(type);
	size = ARR_OVERHEAD_NONULLS(ndim) + count * element;
	array = palloc(size);
	memset(array, 0, ARR_OVERHEAD_NONULLS(ndim));
	SET_VARSIZE(array, size);
	array->ndim = ndim;
	array->elemtype = type;
	for (int i = 0; i < ndim; i++)
	{
		ARR_DIMS(array)[i] = (int) sides[i];
		ARR_LBOUND(array)[i] = 1;
	}
	TlvCopy(ARR_DATA_PTR(array), x, count * element);
	return array;
}

ArrayType *
TlvFloat8Box(int ndim, const size_t *sides, const double *x)
{
	return array_of(FLOAT8OID, sizeof(double), ndim, sides, x);
}

ArrayType *
TlvFloat8Array(size_t n, const double *x)
{
	return array_of(FLOAT8OID, sizeof(double), 1, &n, x);
}

ArrayType *
TlvInt4Array(size_t n, const int32_t *x)
{
	return array_of(INT4OID, sizeof(int32_t), 1, &n, x);
}

ArrayType *
TlvInt8Array(size_t n, const int64_t *x)
{
	return array_of(INT8OID, sizeof(int64_t), 1, &n, x);
}

ArrayType *
TlvFloat8Nulls(size_t n, const double *x, const bool *nulls)
{
	Datum *values = palloc_extended(Max(n, 1) * sizeof(Datum), MCXT_ALLOC_HUGE);
	ArrayType *array;

	for (size_t i = 0; i < n; i++)
		values[i] = Float8GetDatum(x[i]);
	array = construct_md_array(values, unconstify(bool *, nulls), 1, (int[]){(int) n}, (int[]){1},
							   FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
	pfree(values);
	return array;
}
