/*
 * decompose.c - tlv_decompose and tlv_whiten: plain arrays, for those who
 * bring their own moments.
 */
#include "server/tlv_pg.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "server/arrays.h"
#include "tensorlv/num/decompose.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/whiten.h"
#include "rows/vectors.h"
#include "server/arguments.h"

/* Numbers of an array of the given order, all of whose sides are *n; or flat, with n^order. */
static const double *
cube_argument(FunctionCallInfo fcinfo, int argument, const char *name, int order, size_t *n)
{
	ArrayType *array = TLV_GETARG_ARRAY(argument);
	int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	int64 power = 0;
	bool cube = ARR_NDIM(array) == order || ARR_NDIM(array) == 1;
	int side = 0;

	if (ARR_HASNULL(array) && array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s has a null", name)));
	while (power < count)
	{
		side++;
		power = order == 2 ? (int64) side * side : (int64) side * side * side;
	}
	for (int i = 0; ARR_NDIM(array) == order && i < order; i++)
		cube &= ARR_DIMS(array)[i] == side;
	if (count == 0 || power != count || !cube)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s with %d entries in %d %s is not n x n%s", name, count, ARR_NDIM(array),
						tlv_plural((double) (ARR_NDIM(array)), "dimension", "dimensions"),
						order == 3 ? " x n" : "")));
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
	full = cube_argument(fcinfo, 0, "tensor", 3, &n);
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

/* An array of two dimensions from a column-major matrix. */
static Datum
matrix_datum(tlv_context *ctx, size_t rows, size_t columns, const double *x)
{
	double *by_rows = numbers(ctx, rows * columns);

	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < columns; j++)
			by_rows[i * columns + j] = x[i + rows * j];
	return PointerGetDatum(TlvFloat8Box(2, (size_t[2]){rows, columns}, by_rows));
}

/* tlv_whiten(m2, m3, k): the row (whitening, tensor, eigenvalues) */
TLV_FUNCTION(tlv_whiten_sql)
{
	size_t d, d3, k = TlvNamedCount(fcinfo, "k", 1);
	const double *m2, *m3;
	double *square, *packed, *w, *tensor, *values, *full;
	bool nulls[3] = {false, false, false};
	TlvWork *work;
	Datum row[3];
	TupleDesc desc;

	TlvRequireArrays(fcinfo, 0, 2);
	m2 = cube_argument(fcinfo, 0, "m2", 2, &d);
	m3 = cube_argument(fcinfo, 1, "m3", 3, &d3);
	if (d != d3)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("m2 has dimension %zu, m3 %zu", d, d3)));
	if (k > d)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("k = %zu is not between 1 and %zu", k, d)));
	desc = TlvRowType(fcinfo);
	work = TlvWorkBegin("tensorlv whiten");
	square = numbers(&work->ctx, d * d);
	memcpy(square, m2, d * d * sizeof(double));
	TlvCheck(&work->ctx, tlv_symmetric2(&work->ctx, d, square));
	packed = numbers(&work->ctx, tlv_packed3_size(d));
	TlvCheck(&work->ctx, tlv_symmetric3(&work->ctx, d, m3, packed));
	w = numbers(&work->ctx, d * k);
	values = numbers(&work->ctx, d);
	tensor = numbers(&work->ctx, tlv_packed3_size(k));
	full = numbers(&work->ctx, k * k * k);
	TlvCheck(&work->ctx, tlv_whiten(&work->ctx, d, square, packed, k, w, tensor, values));
	tlv_packed3_unpack(k, tensor, full);
	row[0] = matrix_datum(&work->ctx, d, k, w);
	row[1] = PointerGetDatum(TlvFloat8Box(3, (size_t[3]){k, k, k}, full));
	row[2] = PointerGetDatum(TlvFloat8Array(d, values));
	TlvWorkEnd(work);
	return HeapTupleGetDatum(heap_form_tuple(desc, row, nulls));
}
