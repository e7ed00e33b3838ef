/*
 * tensors.c - tensors: collecting their entries, arguments of the fits.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "rows/any.h"
#include "query/query.h"
#include "rows/vectors.h"
#include "server/arrays.h"
#include "server/arguments.h"
#include "server/fit.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/tensors.h"
#include "tensorlv/model/triple_table.h"

/* ---- collecting: 1, 2 and 4: items of the first, second and third mode are texts ---- */

#define ENTRIES(number)                                                                            \
	TLV_MOVING_TRANSITION(tlv_tensor_agg_accum_##number, tlv_tensor_agg_inverse_##number,          \
						  &tlv_aggregate_tensor_entries, &TlvEntryRows##number, 1)

ENTRIES(0)
ENTRIES(1)
ENTRIES(2)
ENTRIES(3)
ENTRIES(4)
ENTRIES(5)
ENTRIES(6)
ENTRIES(7)

/* ---- tensors from arguments ---- */

/* The elements of an array with NULLs, 0 in their places; *missing says where they are. */
static const double *
spread_elements(const ArrayType *array, size_t n, const bool **missing)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	const double *from = (const double *) ARR_DATA_PTR(array);
	double *numbers = TlvAllocElements(n, sizeof(double));
	bool *nulls = TlvAllocElements(n, sizeof(bool));

	for (size_t i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		nulls[i] = (bitmap[i / 8] & (1 << (i % 8))) == 0;
		numbers[i] = nulls[i] ? 0 : *from++;
	}
	*missing = nulls;
	return numbers;
}

/* Sides and first subscripts of an array of three dimensions of numbers; *missing: which elements
 * are NULL, or NULL. */
static const double *
array_argument(FunctionCallInfo fcinfo, size_t d[TLV_MODES], int64_t first[TLV_MODES],
			   const bool **missing)
{
	ArrayType *array = TLV_GETARG_ARRAY(0);

	if (ARR_NDIM(array) != TLV_MODES)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("the tensor has %d dimensions, not %d", ARR_NDIM(array), TLV_MODES),
						errhint("Rows (i, j, l, value) are collected with tlv_tensor_agg.")));
	for (int m = 0; m < TLV_MODES; m++)
	{
		d[m] = (size_t) ARR_DIMS(array)[m];
		first[m] = ARR_LBOUND(array)[m];
	}
	*missing = NULL;
	if (ARR_HASNULL(array) && array_contains_nulls(array))
		return spread_elements(array, d[0] * d[1] * d[2], missing);
	return (const double *) ARR_DATA_PTR(array);
}

/* What entries are that do not occur: 0, or missing. */
static const char *const absent_names[] = {"zero", "missing", NULL};

#define ABSENT_ARGUMENT(options)                                                                   \
	{                                                                                              \
		"absent", TLV_ARGUMENT_CHOICE, offsetof(options, absent),                                  \
			.what = "meaning of absent entries", .names = absent_names                             \
	}

/* The tensor in argument 0: an array, or collected entries. */
static tlv_status
tensor_argument(FunctionCallInfo fcinfo, bool array, int absent, tlv_context *ctx, tlv_frame *frame,
				tlv_tensor_source *source)
{
	const bool *missing;
	size_t d[TLV_MODES];
	int64_t first[TLV_MODES];
	const double *numbers;

	if (array)
	{
		numbers = array_argument(fcinfo, d, first, &missing);
		return tlv_tensor_of_array(ctx, d, first, numbers, missing, source);
	}
	*frame = TlvFrameOf(PG_GETARG_DATUM(0));
	TLV_TRY(tlv_kind_require(ctx, frame, &tlv_kind_tensor_entries, "the fit of a tensor"));
	return tlv_tensor_load(ctx, frame, absent == 1, source);
}

typedef tlv_status (*FitTensor)(tlv_context *ctx, const tlv_tensor_source *source,
								const void *options, void **image, size_t *size);

/* Returns what fit makes of the tensor in argument 0, which is not NULL, as SQL. */
static Datum
fit_tensor(FunctionCallInfo fcinfo, bool array, int absent, FitTensor fit, const void *options)
{
	tlv_tensor_source source;
	tlv_frame frame;
	TlvMaker maker;
	tlv_status status;

	TlvMakerBegin(&maker, "tensorlv fit");
	status = tensor_argument(fcinfo, array, absent, maker.ctx, &frame, &source);
	if (status == TLV_OK)
		status = fit(maker.ctx, &source, options, &maker.image, &maker.size);
	if (status != TLV_OK)
	{
		TlvFailed(fcinfo, maker.ctx);
		TlvWorkEnd(maker.work);
		PG_RETURN_NULL();
	}
	return TlvFitEnd(&maker);
}

/* ---- sums of products ---- */

typedef struct CpArguments
{
	tlv_cp_fit_options fit;
	const char *method;
	int absent;
} CpArguments;

static const TlvArgument cp_arguments[] = {
	ABSENT_ARGUMENT(CpArguments),
	{"k", TLV_ARGUMENT_COUNT, offsetof(CpArguments, fit.k), .least = 1, .required = true},
	{"nonnegative", TLV_ARGUMENT_FLAG, offsetof(CpArguments, fit.nonnegative)},
	{"method", TLV_ARGUMENT_TEXT, offsetof(CpArguments, method)},
	{"iterations", TLV_ARGUMENT_NUMBER, offsetof(CpArguments, fit.iterations), .least = 1},
	{"restarts", TLV_ARGUMENT_NUMBER, offsetof(CpArguments, fit.restarts), .least = 1},
	{"seed", TLV_ARGUMENT_SEED, offsetof(CpArguments, fit.seed)},
	{NULL}};

static CpArguments
read_cp_arguments(FunctionCallInfo fcinfo)
{
	static const char *const any_sign[] = {"auto", "als", NULL};
	static const char *const nonnegative[] = {"auto", "hals", "pqp", NULL};
	CpArguments arguments = {.fit = {.seed = 1}};

	TlvReadArguments(fcinfo, cp_arguments, &arguments);
	if (arguments.method != NULL)
		arguments.fit.solver =
			TlvChoiceAmong(arguments.method, tlv_cp_solver_names,
						   arguments.fit.nonnegative ? nonnegative : any_sign, "method");
	return arguments;
}

static tlv_status
fit_cp(tlv_context *ctx, const tlv_tensor_source *source, const void *options, void **image,
	   size_t *size)
{
	return tlv_cp_fit(ctx, source, options, image, size);
}

static Datum
fit_cp_of(FunctionCallInfo fcinfo, bool array)
{
	CpArguments arguments;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	arguments = read_cp_arguments(fcinfo);
	return fit_tensor(fcinfo, array, arguments.absent, fit_cp, &arguments.fit);
}

/* tlv_fit_cp(moments, k, ...) */
TLV_KEEPING_FUNCTION(tlv_fit_cp)
{
	return fit_cp_of(fcinfo, false);
}

/* tlv_fit_cp(tensor float8[], k, ...) */
TLV_KEEPING_FUNCTION(tlv_fit_cp_array)
{
	return fit_cp_of(fcinfo, true);
}

/* ---- cores in bases, chains of cores ---- */

/* n numbers of at least 1. */
static void
read_counts(FunctionCallInfo fcinfo, const char *name, int n, size_t *counts)
{
	ArrayType *array = TlvNamedArray(fcinfo, name);
	const int32 *given = (const int32 *) ARR_DATA_PTR(array);

	if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != n || array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s is not an array of %d numbers", name, n)));
	for (int m = 0; m < n; m++)
	{
		if (given[m] < 1)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("%s[%d] = %d is not at least 1", name, m + 1, given[m])));
		counts[m] = (size_t) given[m];
	}
}

typedef struct TuckerArguments
{
	tlv_tucker_fit_options fit;
	int absent;
	Datum ranks; /* read_counts reads them */
} TuckerArguments;

static const TlvArgument tucker_arguments[] = {
	ABSENT_ARGUMENT(TuckerArguments),
	{"ranks", TLV_ARGUMENT_DATUM, offsetof(TuckerArguments, ranks)},
	{"iterations", TLV_ARGUMENT_NUMBER, offsetof(TuckerArguments, fit.iterations), .least = 0},
	{"seed", TLV_ARGUMENT_SEED, offsetof(TuckerArguments, fit.seed)},
	{NULL}};

static TuckerArguments
read_tucker_arguments(FunctionCallInfo fcinfo)
{
	TuckerArguments arguments = {.fit = {.iterations = -1, .seed = 1}};

	TlvReadArguments(fcinfo, tucker_arguments, &arguments);
	read_counts(fcinfo, "ranks", TLV_MODES, arguments.fit.ranks);
	return arguments;
}

static tlv_status
fit_tucker(tlv_context *ctx, const tlv_tensor_source *source, const void *options, void **image,
		   size_t *size)
{
	return tlv_tucker_fit(ctx, source, options, image, size);
}

static Datum
fit_tucker_of(FunctionCallInfo fcinfo, bool array)
{
	TuckerArguments arguments;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	arguments = read_tucker_arguments(fcinfo);
	return fit_tensor(fcinfo, array, arguments.absent, fit_tucker, &arguments.fit);
}

/* tlv_fit_tucker(moments, ranks, ...) */
TLV_KEEPING_FUNCTION(tlv_fit_tucker)
{
	return fit_tucker_of(fcinfo, false);
}

/* tlv_fit_tucker(tensor float8[], ranks, ...) */
TLV_KEEPING_FUNCTION(tlv_fit_tucker_array)
{
	return fit_tucker_of(fcinfo, true);
}

typedef struct TrainArguments
{
	tlv_train_fit_options fit;
	int absent;
	Datum ranks; /* read_counts reads them */
} TrainArguments;

static const TlvArgument train_arguments[] = {
	ABSENT_ARGUMENT(TrainArguments),
	{"ranks", TLV_ARGUMENT_DATUM, offsetof(TrainArguments, ranks)},
	{"tolerance", TLV_ARGUMENT_REAL, offsetof(TrainArguments, fit.tolerance), .most = 1,
	 .most_text = "1"},
	{NULL}};

static TrainArguments
read_train_arguments(FunctionCallInfo fcinfo)
{
	TrainArguments arguments = {.fit = {.tolerance = 0.01}};

	TlvReadArguments(fcinfo, train_arguments, &arguments);
	if (!TlvArgumentIsNull(fcinfo, "ranks"))
		read_counts(fcinfo, "ranks", 2, arguments.fit.ranks);
	return arguments;
}

static tlv_status
fit_train(tlv_context *ctx, const tlv_tensor_source *source, const void *options, void **image,
		  size_t *size)
{
	return tlv_train_fit(ctx, source, options, image, size);
}

static Datum
fit_train_of(FunctionCallInfo fcinfo, bool array)
{
	TrainArguments arguments;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	arguments = read_train_arguments(fcinfo);
	return fit_tensor(fcinfo, array, arguments.absent, fit_train, &arguments.fit);
}

/* tlv_fit_tensor_train(moments, ...) */
TLV_KEEPING_FUNCTION(tlv_fit_tensor_train)
{
	return fit_train_of(fcinfo, false);
}

/* tlv_fit_tensor_train(tensor float8[], ...) */
TLV_KEEPING_FUNCTION(tlv_fit_tensor_train_array)
{
	return fit_train_of(fcinfo, true);
}
