/*
 * separable.c - tlv_separable_nmf: a matrix given as an array.
 */
#include "server/tlv_pg.h"

#include "miscadmin.h"

#include "utils/array.h"

#include "server/arrays.h"
#include "server/arguments.h"
#include "tensorlv/model/anchors.h"
#include "tensorlv/num/plural.h"

static const char *const separable_methods[] = {"anchors", "loner", "almost",
												NULL}; /* as tlv_separable_method */

/* The argument as rows of numbers. */
static const double *
matrix_argument(FunctionCallInfo fcinfo, size_t *n, size_t *d)
{
	ArrayType *array = TLV_GETARG_ARRAY(0);

	if (ARR_NDIM(array) != 2)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("m has %d %s, not 2", ARR_NDIM(array),
							   tlv_plural((double) ARR_NDIM(array), "dimension", "dimensions"))));
	if (ARR_HASNULL(array) && array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("m has a null")));
	*n = (size_t) ARR_DIMS(array)[0];
	*d = (size_t) ARR_DIMS(array)[1];
	return (const double *) ARR_DATA_PTR(array);
}

/* Rows (matrix_row, component, weight, anchor), of weights above 0. */
TLV_FUNCTION(tlv_separable_nmf_rows)
{
	tlv_separable_factors factors;
	const double *matrix;
	tlv_separable_method method;
	TlvWork *work;
	size_t n, d, k;
	double eps;

	TlvInitRows(fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	matrix = matrix_argument(fcinfo, &n, &d);
	k = TlvArgumentIsNull(fcinfo, "k") ? 0 : TlvNamedCount(fcinfo, "k", 1);
	method = (tlv_separable_method) TlvNamedChoice(fcinfo, "method", separable_methods, "method");
	eps = TlvNamedNumber(fcinfo, "eps");
	work = TlvWorkBegin("tensorlv factorisation");
	TlvCheck(&work->ctx,
			 tlv_separable_factorize(&work->ctx, n, d, matrix, k, method, eps, &factors));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < factors.k; j++)
		{
			double weight = factors.weights[i * factors.k + j];

			CHECK_FOR_INTERRUPTS();
			if (weight > 0)
				TlvPutRow(fcinfo, TlvInt4((int32) i + 1), TlvInt4((int32) j + 1), TlvFloat8(weight),
						  TlvBool(factors.anchors[j] == (int32) i));
		}
	TlvWorkEnd(work);
	return (Datum) 0;
}
