/*
 * decompose.c - tlv_decompose: plain arrays, for those who bring their own moments.
 */
#include "server/tlv_pg.h"

#include "utils/array.h"
#include "utils/builtins.h"

#include "server/arrays.h"
#include "tensorlv/num/decompose.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/whiten.h"
#include "rows/vectors.h"
#include "server/arguments.h"

/* Numbers of a cubic array, all of whose sides are *n; or flat, with n^3. */
static const double *
cube_argument(FunctionCallInfo fcinfo, size_t *n)
{
	ArrayType *array = TLV_GETARG_ARRAY(0);
	int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	bool cube = ARR_NDIM(array) == 3 || ARR_NDIM(array) == 1;
	int64 side = 0;

	if (ARR_HASNULL(array) && array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("tensor has a null")));
	while (side * side * side < count)
		side++;
	for (int i = 0; ARR_NDIM(array) == 3 && i < 3; i++)
		cube &= ARR_DIMS(array)[i] == side;
	if (count == 0 || side * side * side != count || !cube)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("tensor with %d entries in %d %s is not n x n x n", count, ARR_NDIM(array),
						tlv_plural((double) (ARR_NDIM(array)), "dimension", "dimensions"))));
	*n = (size_t) side;
	return (const double *) ARR_DATA_PTR(array);
}

static double *
numbers(tlv_context *ctx, size_t count)
{
	double *x = tlv_alloc(ctx, count, sizeof(double));

	if (x == NULL)
		TlvRaise(ctx);
	return x;
}

typedef struct DecomposeArguments
{
	size_t k;	/* 0: as many as there are dimensions */
	int method; /* of decompose_methods */
	tlv_decompose_options options;
} DecomposeArguments;

/* In the order of tlv_method, and behind these that of any vectors. */
static const char *const decompose_methods[] = {"joint",
												"power",
												"als",
												"sgd",
												"flattening",
												"jennrich",
												"simultaneous",
												"adaptive",
												"adaptive-trace",
												"adaptive-svd",
												"sketch",
												"cp",
												NULL};
#define METHOD_CP (TLV_METHOD_SKETCH + 1)

static const TlvArgument decompose_arguments[] = {
	{"k", TLV_ARGUMENT_COUNT, offsetof(DecomposeArguments, k), .least = 1},
	{"method", TLV_ARGUMENT_CHOICE, offsetof(DecomposeArguments, method), .what = "method",
	 .names = decompose_methods},
	TLV_DECOMPOSE_ARGUMENTS_BUT_METHOD(DecomposeArguments, options, options.seed),
	{NULL}};

/* The k components by the method that was asked for. */
static void
decompose_by(tlv_context *ctx, const DecomposeArguments *arguments, size_t n, size_t k,
			 const double *packed, double *values, double *vectors, double *residual)
{
	tlv_decompose_options options = arguments->options;

	if (arguments->method == METHOD_CP)
	{
		TlvCheck(ctx, tlv_decompose_cp(ctx, n, packed, k, &options, values, vectors, residual));
		return;
	}
	options.method = (tlv_method) arguments->method;
	TlvCheck(ctx, tlv_decompose_leading(ctx, n, packed, k, &options, values, vectors, residual));
}

/* tlv_decompose(tensor, ...): rows (component, eigenvalue, vector, residual) */
TLV_FUNCTION(tlv_decompose_rows)
{
	DecomposeArguments arguments = {0};
	const double *full;
	double *packed, *values, *vectors, residual;
	TlvWork *work;
	size_t n, k;

	TlvInitRows(fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	full = cube_argument(fcinfo, &n);
	TlvReadArguments(fcinfo, decompose_arguments, &arguments);
	k = arguments.k > 0 ? arguments.k : n;
	work = TlvWorkBegin("tensorlv decompose");
	packed = numbers(&work->ctx, tlv_packed3_size(n));
	TlvCheck(&work->ctx, tlv_symmetric3(&work->ctx, n, full, packed));
	values = numbers(&work->ctx, Max(n, k));
	vectors = numbers(&work->ctx, n * Max(n, k));
	decompose_by(&work->ctx, &arguments, n, k, packed, values, vectors, &residual);
	for (size_t j = 0; j < k; j++)
		TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvFloat8(values[j]),
				  TlvOwned(TlvFloat8Array(n, vectors + n * j)), TlvFloat8(residual));
	TlvWorkEnd(work);
	return (Datum) 0;
}
