/*
 * arrays.c - memory of arrays in arguments and columns (arrays.h).
 */
#include "arrays.h"

#include "access/detoast.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

/* One that does not lie in memory as it is used, but for a head of one byte. */
static inline bool
is_packed(Datum value)
{
	const struct varlena *stored = (const struct varlena *) DatumGetPointer(value);

	return VARATT_IS_EXTERNAL(stored) || VARATT_IS_COMPRESSED(stored);
}

ArrayType *
TlvFetchExtendedArray(Datum array)
{
	if (is_packed(array))
		TlvRequireBytes((double) toast_raw_datum_size(array), "the array");
	return DatumGetArrayTypeP(array);
}

void
TlvRequireArrays(FunctionCallInfo fcinfo, int first, int n)
{
	double bytes = 0;

	for (int i = first; i < first + n; i++)
		if (!PG_ARGISNULL(i) && is_packed(PG_GETARG_DATUM(i)))
			bytes += (double) toast_raw_datum_size(PG_GETARG_DATUM(i));
	if (bytes > 0)
		TlvRequireBytes(bytes, "the arrays");
}

int
TlvArrayDims(Datum array, int dims[MAXDIM])
{
	const struct varlena *stored = (const struct varlena *) DatumGetPointer(array);
	const ArrayType *head;

	/* A slice of an array that is a variable of PL/pgSQL would be cut from a copy of all of it. */
	if (VARATT_IS_EXTERNAL_EXPANDED(stored))
	{
		AnyArrayType *expanded = DatumGetAnyArrayP(array);

		memcpy(dims, AARR_DIMS(expanded), (size_t) AARR_NDIM(expanded) * sizeof(int));
		return AARR_NDIM(expanded);
	}
	head = (const ArrayType *) PG_DETOAST_DATUM_SLICE(
		array, 0, (int32) (sizeof(ArrayType) - VARHDRSZ + MAXDIM * sizeof(int)));
	memcpy(dims, ARR_DIMS(head), (size_t) ARR_NDIM(head) * sizeof(int));
	return ARR_NDIM(head);
}

int
TlvArrayElements(ArrayType *array, size_t beside, Datum **values, bool **nulls)
{
	double n = (double) ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	int16 length;
	bool by_value;
	char align;
	int count;

	TlvRequireBytes((double) VARSIZE(array) + n * (double) (sizeof(Datum) + sizeof(bool) + beside),
					"the elements of an array");
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, align, values, nulls, &count);
	return count;
}

int
TlvFirstNull(const ArrayType *array)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	int n = bitmap != NULL ? ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) : 0;

	for (int i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		if ((bitmap[i / 8] & (1 << (i % 8))) == 0)
			return i;
	}
	return -1;
}

void *
TlvAllocElements(size_t n, size_t size)
{
	TlvRequireBytes((double) n * (double) size, "the elements of an array");
	return palloc_extended(Max(n, 1) * size, MCXT_ALLOC_HUGE);
}

ArrayType *
TlvArrayOfText(char *literal, Oid element)
{
	/* A datum, whether it is NULL, and its memory if it is a text. */
	const double of_element = sizeof(Datum) + sizeof(bool) + 24;
	double elements = 1;
	size_t length = 0;

	for (; literal[length] != '\0'; length++)
	{
		TlvLoopCheck(length);
		elements += literal[length] == ',';
	}
	/* The server copies the literal, and makes the array beside it. */
	TlvRequireBytes(elements * of_element + 3 * (double) length, "an array in its text form");
	return DatumGetArrayTypeP(OidInputFunctionCall(F_ARRAY_IN, literal, element, -1));
}
