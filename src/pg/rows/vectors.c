/*
 * vectors.c - float8[]: vectors in arguments, and arrays that are returned.
 */
#include "vectors.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "server/arrays.h"

static void
refuse_null_element(ArrayType *array)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	int d = ARR_DIMS(array)[ARR_NDIM(array) - 1];

	for (int i = 0; i < count; i++)
	{
		TlvLoopCheck(i);
		if ((bitmap[i / 8] & (1 << (i % 8))) == 0)
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("element %d of a vector is null", i % d + 1),
							errhint("Leave such rows out with FILTER or WHERE, or fill them with "
									"coalesce().")));
	}
}

/* One or two dimensions, at least one element, no NULL. */
static void
check_shape(ArrayType *array)
{
	if (ARR_NDIM(array) == 0)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("a vector has no elements"),
						errhint("A row that is missing altogether is null, not an empty array.")));
	if (ARR_NDIM(array) > 2)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("an array of %d dimensions is neither a vector nor rows of vectors",
						ARR_NDIM(array)),
				 errhint("Give a float8[] of one dimension, or of one row for each observation.")));
	if (ARR_HASNULL(array))
		refuse_null_element(array);
}

TlvVectors
TlvVectorsOf(Datum value)
{
	ArrayType *array = TlvFetchArray(value);
	TlvVectors vectors;

	if (ARR_ELEMTYPE(array) != FLOAT8OID)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("a vector is no float8[]")));
	check_shape(array);
	vectors.array = array;
	vectors.many = ARR_NDIM(array) == 2;
	vectors.rows = vectors.many ? (size_t) ARR_DIMS(array)[0] : 1;
	vectors.d = (size_t) ARR_DIMS(array)[vectors.many ? 1 : 0];
	vectors.x = (const double *) ARR_DATA_PTR(array);
	return vectors;
}

/* Of an array of any dimensions. */
#define MOST_NUMBERS ((MaxAllocSize - ARR_OVERHEAD_NONULLS(MAXDIM)) / sizeof(double))

void
TlvRequireArray(size_t rows, size_t columns)
{
	const size_t most = MOST_NUMBERS;

	if ((double) rows * (double) columns > (double) most)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("an array of %zu x %zu numbers is too large", rows, columns)));
}

ArrayType *
TlvFloat8Box(int ndim, const size_t *sides, const double *x)
{
	size_t count = 1, size;
	ArrayType *array;

	for (int i = 0; i < ndim; i++)
	{
		TlvRequireArray(count, sides[i]);
		count *= sides[i];
	}
	size = ARR_OVERHEAD_NONULLS(ndim) + count * sizeof(double);
	array = palloc(size);
	memset(array, 0, ARR_OVERHEAD_NONULLS(ndim));
	SET_VARSIZE(array, size);
	array->ndim = ndim;
	array->elemtype = FLOAT8OID;
	for (int i = 0; i < ndim; i++)
	{
		ARR_DIMS(array)[i] = (int) sides[i];
		ARR_LBOUND(array)[i] = 1;
	}
	TlvCopy(ARR_DATA_PTR(array), x, count * sizeof(double));
	return array;
}

ArrayType *
TlvFloat8Array(size_t n, const double *x)
{
	return TlvFloat8Box(1, &n, x);
}
