/*
 * arrays.h - arrays in arguments and columns: memory is asked for before they are fetched and
 * before anything is made of their elements.
 */
#ifndef TENSORLV_PG_ARRAYS_H
#define TENSORLV_PG_ARRAYS_H

#include "tlv_pg.h"

#include "utils/array.h"

/* Of an array that is packed, short or expanded: TlvFetchArray's alone. */
extern ArrayType *TlvFetchExtendedArray(Datum array);

/* The array; refused (53400) before it is fetched or decompressed where it exceeds
 * tensorlv.work_mem.  Long ones lie in a table's pages as they are used: nothing is made, row by
 * row. */
static inline ArrayType *
TlvFetchArray(Datum array)
{
	return VARATT_IS_EXTENDED(DatumGetPointer(array)) ? TlvFetchExtendedArray(array)
													  : (ArrayType *) DatumGetPointer(array);
}

#define TLV_GETARG_ARRAY(n) TlvFetchArray(PG_GETARG_DATUM(n))

/* Refuses n arguments that together exceed tensorlv.work_mem (53400); some may be NULL. */
extern void TlvRequireArrays(FunctionCallInfo fcinfo, int first, int n);

/* The number of dimensions, and the sides in dims: of the header alone, the rest is not fetched. */
extern int TlvArrayDims(Datum array, int dims[MAXDIM]);

/* Returns the number of elements, and the elements; of each the caller makes `beside` bytes.
 * Refused (53400) where all of that exceeds tensorlv.work_mem. */
extern int TlvArrayElements(ArrayType *array, size_t beside, Datum **values, bool **nulls);

/* The place of the first element that is NULL, from 0; -1: none is. */
extern int TlvFirstNull(const ArrayType *array);

/* Memory for n things made of the elements of an array; refused likewise. */
extern void *TlvAllocElements(size_t n, size_t size);

/* The array that a literal writes; refused likewise. */
extern ArrayType *TlvArrayOfText(char *literal, Oid element);

#endif /* TENSORLV_PG_ARRAYS_H */
