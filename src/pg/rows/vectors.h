/*
 * vectors.h - float8[] arguments and results.
 */
#ifndef TLV_VECTORS_H
#define TLV_VECTORS_H

#include "server/tlv_pg.h"

#include "utils/array.h"

/* Vectors in an array, where they lie. */
typedef struct TlvVectors
{
	bool many; /* two dimensions */
	size_t rows;
	size_t d;		 /* of a row */
	const double *x; /* rows x d, row by row */
} TlvVectors;

/* Errors: an empty array, one of more than two dimensions, a NULL element. */
extern TlvVectors TlvVectorsOf(const ArrayType *array);

/* The elements of a float8[], `fill` where they are NULL, as *missing says. */
extern double *TlvSpreadNumbers(const ArrayType *array, double fill, bool **missing);

/* Error 54000 unless an array holds rows x columns numbers: before they are worked out. */
extern void TlvRequireArray(size_t rows, size_t columns);

/* A float8[], integer[] or bigint[] of n numbers. */
extern ArrayType *TlvFloat8Array(size_t n, const double *x);
extern ArrayType *TlvInt4Array(size_t n, const int32_t *x);
extern ArrayType *TlvInt8Array(size_t n, const int64_t *x);

/* A float8[] of ndim dimensions; the last index of x is the fastest. */
extern ArrayType *TlvFloat8Box(int ndim, const size_t *sides, const double *x);

/* A float8[] of n numbers, NULL where nulls says so. */
extern ArrayType *TlvFloat8Nulls(size_t n, const double *x, const bool *nulls);

#endif /* TLV_VECTORS_H */
