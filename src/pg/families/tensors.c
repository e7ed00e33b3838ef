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
						  &tlv_aggregate_tensor_entries, &TlvEntryRows[number], 1)

ENTRIES(0)
ENTRIES(1)
ENTRIES(2)
ENTRIES(3)
ENTRIES(4)
ENTRIES(5)
ENTRIES(6)
ENTRIES(7)

/* ---- tensors from arguments ---- */

/* Sides and first subscripts of an array of three dimensions of numbers; *missing: which elements
 * are NULL, or NULL. */
static const double *
array_argument(FunctionCallInfo fcinfo, size_t d[TLV_MODES], int64_t first[TLV_MODES],
			   bool **missing)
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
		return TlvSpreadNumbers(array, 0, missing);
	return (const double *) ARR_DATA_PTR(array);
}

/* What entries are that do not occur: 0, or missing. */
static const char *const absent_names[] = {"zero", "missing", NULL};

#define TENSOR_ARGUMENT(member) offsetof(TensorArguments, member)
#define ABSENT_ARGUMENT                                                                            \
	{                                                                                              \
		"absent", TLV_ARGUMENT_CHOICE, TENSOR_ARGUMENT(absent),                                    \
			.what = "meaning of absent entries", .names = absent_names                             \
	}

/* The tensor in argument 0: an array, or collected entries. */
static tlv_status
tensor_argument(FunctionCallInfo fcinfo, bool array, int absent, tlv_context *ctx, tlv_frame *frame,
				tlv_tensor_source *source)
{
	bool *missing;
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

/* The arguments of the three fits beside the tensor. */
typedef struct TensorArguments
{
	int absent;
	union
	{
		tlv_cp_fit_options cp;
		tlv_tucker_fit_options tucker;
		tlv_train_fit_options train;
	};
	const char *method;
	Datum ranks; /* read_ranks reads them */
} TensorArguments;

typedef TensorArguments (*ReadTensorArguments)(FunctionCallInfo fcinfo);
typedef tlv_status (*FitTensor)(tlv_context *ctx, const tlv_tensor_source *source,
								const TensorArguments *arguments, void **image, size_t *size);

/* Returns what fit makes of the tensor in argument 0, which is not NULL, as SQL. */
static Datum
fit_tensor(FunctionCallInfo fcinfo, bool array, ReadTensorArguments read, FitTensor fit)
{
	TensorArguments arguments = read(fcinfo);
	tlv_tensor_source source;
	tlv_frame frame;
	TlvMaker maker;

	TlvMakerBegin(&maker, "tensorlv fit");
	if (tensor_argument(fcinfo, array, arguments.absent, maker.ctx, &frame, &source) != TLV_OK ||
		fit(maker.ctx, &source, &arguments, &maker.image, &maker.size) != TLV_OK)
	{
		TlvFailed(fcinfo, maker.ctx);
		TlvWorkEnd(maker.work);
		PG_RETURN_NULL();
	}
	return TlvFitEnd(&maker);
}

/* Two functions: of collected entries, and of an array. */
#define TENSOR_FIT(name, read, fit)                                                                \
	TLV_FIT_FUNCTION(name)                                                                         \
	{                                                                                              \
		return fit_tensor(fcinfo, false, read, fit);                                               \
	}                                                                                              \
	TLV_FIT_FUNCTION(name##_array)                                                                 \
	{                                                                                              \
		return fit_tensor(fcinfo, true, read, fit);                                                \
	}

/* ---- sums of products ---- */

static const TlvArgument cp_arguments[] = {
	ABSENT_ARGUMENT,
	{"k", TLV_ARGUMENT_COUNT, TENSOR_ARGUMENT(cp.k), .least = 1, .required = true},
	{"nonnegative", TLV_ARGUMENT_FLAG, TENSOR_ARGUMENT(cp.nonnegative)},
	{"method", TLV_ARGUMENT_TEXT, TENSOR_ARGUMENT(method)},
	{"iterations", TLV_ARGUMENT_NUMBER, TENSOR_ARGUMENT(cp.iterations), .least = 1},
	{"restarts", TLV_ARGUMENT_NUMBER, TENSOR_ARGUMENT(cp.restarts), .least = 1},
	{"seed", TLV_ARGUMENT_SEED, TENSOR_ARGUMENT(cp.seed)},
	{NULL}};

static TensorArguments
read_cp_arguments(FunctionCallInfo fcinfo)
{
	static const char *const any_sign[] = {"auto", "als", NULL};
	static const char *const nonnegative[] = {"auto", "hals", "pqp", NULL};
	TensorArguments arguments = {.cp = {.seed = 1}};

	TlvReadArguments(fcinfo, cp_arguments, &arguments);
	if (arguments.method != NULL)
		arguments.cp.solver =
			TlvChoiceAmong(arguments.method, tlv_cp_solver_names,
						   arguments.cp.nonnegative ? nonnegative : any_sign, "method");
	return arguments;
}

static tlv_status
fit_cp(tlv_context *ctx, const tlv_tensor_source *source, const TensorArguments *arguments,
	   void **image, size_t *size)
{
	return tlv_cp_fit(ctx, source, &arguments->cp, image, size);
}

TENSOR_FIT(tlv_fit_cp, read_cp_arguments, fit_cp)

/* ---- cores in bases, chains of cores ---- */

/* n numbers of at least 1. */
static void
read_ranks(FunctionCallInfo fcinfo, int n, size_t *ranks)
{
	ArrayType *array = TlvNamedArray(fcinfo, "ranks");
	const int32 *given = (const int32 *) ARR_DATA_PTR(array);

	if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != n || array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("ranks is not an array of %d numbers", n)));
	for (int m = 0; m < n; m++)
	{
		if (given[m] < 1)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("ranks[%d] = %d is not at least 1", m + 1, given[m])));
		ranks[m] = (size_t) given[m];
	}
}

static const TlvArgument tucker_arguments[] = {
	ABSENT_ARGUMENT,
	{"ranks", TLV_ARGUMENT_DATUM, TENSOR_ARGUMENT(ranks)},
	{"iterations", TLV_ARGUMENT_NUMBER, TENSOR_ARGUMENT(tucker.iterations), .least = 0},
	{"seed", TLV_ARGUMENT_SEED, TENSOR_ARGUMENT(tucker.seed)},
	{NULL}};

static TensorArguments
read_tucker_arguments(FunctionCallInfo fcinfo)
{
	TensorArguments arguments = {.tucker = {.iterations = -1, .seed = 1}};

	TlvReadArguments(fcinfo, tucker_arguments, &arguments);
	read_ranks(fcinfo, TLV_MODES, arguments.tucker.ranks);
	return arguments;
}

static tlv_status
fit_tucker(tlv_context *ctx, const tlv_tensor_source *source, const TensorArguments *arguments,
		   void **image, size_t *size)
{
	return tlv_tucker_fit(ctx, source, &arguments->tucker, image, size);
}

TENSOR_FIT(tlv_fit_tucker, read_tucker_arguments, fit_tucker)

static const TlvArgument train_arguments[] = {
	ABSENT_ARGUMENT,
	{"ranks", TLV_ARGUMENT_DATUM, TENSOR_ARGUMENT(ranks)},
	{"tolerance", TLV_ARGUMENT_REAL, TENSOR_ARGUMENT(train.tolerance), .most = 1, .most_text = "1"},
	{NULL}};

static TensorArguments
read_train_arguments(FunctionCallInfo fcinfo)
{
	TensorArguments arguments = {.train = {.tolerance = 0.01}};

	TlvReadArguments(fcinfo, train_arguments, &arguments);
	if (!TlvArgumentIsNull(fcinfo, "ranks"))
		read_ranks(fcinfo, 2, arguments.train.ranks);
	return arguments;
}

static tlv_status
fit_train(tlv_context *ctx, const tlv_tensor_source *source, const TensorArguments *arguments,
		  void **image, size_t *size)
{
	return tlv_train_fit(ctx, source, &arguments->train, image, size);
}

TENSOR_FIT(tlv_fit_tensor_train, read_train_arguments, fit_train)
