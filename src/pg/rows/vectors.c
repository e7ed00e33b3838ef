/*
 * vectors.c - rows that are vectors: float8[] as transition arguments and as
 * arguments of a fitted model.
 *
 * An array of one dimension is one vector; of two dimensions, rows x
 * elements, it is many.  Numbers are used where they lie in the array.
 */
#include "server/tlv_pg.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

#include "categories.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/num/tensor3.h"
#include "tree.h"
#include "vectors.h"

/* Rows of one array between two looks at whether to stop. */
#define ROWS_BETWEEN 256

static void
refuse_null_element(ArrayType *array)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	int d = ARR_DIMS(array)[ARR_NDIM(array) - 1];

	for (int i = 0; i < count; i++)
		if ((bitmap[i / 8] & (1 << (i % 8))) == 0)
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("element %d of a vector is null", i % d + 1),
							errhint("Leave such rows out with FILTER or WHERE, or fill them with "
									"coalesce().")));
}

/* One or two dimensions, at least one element, no NULL. */
static void
check_shape(ArrayType *array)
{
	if (ARR_NDIM(array) == 0)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("a vector has no elements")));
	if (ARR_NDIM(array) > 2)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("an array of %d dimensions is neither a vector nor rows of vectors",
							   ARR_NDIM(array))));
	if (ARR_HASNULL(array))
		refuse_null_element(array);
}

TlvVectors
TlvVectorsOf(Datum value)
{
	ArrayType *array = DatumGetArrayTypeP(value);
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

ArrayType *
TlvFloat8Box(int ndim, const size_t *sides, const double *x)
{
	size_t count = 1, size;
	ArrayType *array;

	for (int i = 0; i < ndim; i++)
		count *= sides[i];
	size = ARR_OVERHEAD_NONULLS(ndim) + count * sizeof(double);
	if (size > MaxAllocSize)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("an array of %zu numbers is too large", count)));
	array = palloc0(size);
	SET_VARSIZE(array, size);
	array->ndim = ndim;
	array->elemtype = FLOAT8OID;
	for (int i = 0; i < ndim; i++)
	{
		ARR_DIMS(array)[i] = (int) sides[i];
		ARR_LBOUND(array)[i] = 1;
	}
	memcpy(ARR_DATA_PTR(array), x, count * sizeof(double));
	return array;
}

ArrayType *
TlvFloat8Array(size_t n, const double *x)
{
	return TlvFloat8Box(1, &n, x);
}

/* ---- reading moments ---- */

/* The full tensor of a packed one, of order 4. */
static double *
unpack4(size_t d, const double *packed)
{
	size_t side = d * d * d, sorted[4];
	double *full = MemoryContextAllocHuge(CurrentMemoryContext, side * d * sizeof(double));

	for (size_t i = 0; i < side * d; i++)
	{
		if (i % 65536 == 65535)
			CHECK_FOR_INTERRUPTS();
		sorted[0] = i / side;
		sorted[1] = i / (d * d) % d;
		sorted[2] = i / d % d;
		sorted[3] = i % d;
		for (int j = 1; j < 4; j++) /* descending */
			for (int l = j; l > 0 && sorted[l] > sorted[l - 1]; l--)
			{
				size_t swap = sorted[l];

				sorted[l] = sorted[l - 1];
				sorted[l - 1] = swap;
			}
		full[i] = packed[tlv_packed4_index(sorted[0], sorted[1], sorted[2], sorted[3])];
	}
	return full;
}

static ArrayType *
moment_array(const tlv_dense_central *central, int order)
{
	size_t d = central->d, sides[4] = {d, d, d, d};
	double *full;

	if (order <= 2)
		return TlvFloat8Box(order, sides, order == 1 ? central->mean : central->covariance);
	if (order == 4)
		return TlvFloat8Box(order, sides, unpack4(d, central->fourth));
	full = MemoryContextAllocHuge(CurrentMemoryContext, d * d * d * sizeof(double));
	tlv_packed3_unpack(d, central->third, full);
	return TlvFloat8Box(order, sides, full);
}

PG_FUNCTION_INFO_V1(tlv_central_moment);

/* tlv_central_moment(m, order): the mean, or E[(x - mean)^(x)order] in full */
Datum
tlv_central_moment(PG_FUNCTION_ARGS)
{
	tlv_frame frame = TlvFrame(PG_GETARG_TLV(0));
	int32 order = PG_GETARG_INT32(1);
	int most = (int) tlv_frame_scalar(&frame, "order", 0);
	tlv_dense_central central;
	ArrayType *array;
	TlvWork *work;

	if (frame.header->kind != TLV_KIND_DENSE_MOMENTS &&
		frame.header->kind != TLV_KIND_DENSE_COMPRESSED)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("tlv_central_moment needs moments of vectors, not of kind %s",
							   TlvKind(&frame)->name)));
	if (order < 1 || order > most)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("moment_order = %d is not between 1 and %d", order, most),
						errhint("These moments were collected up to order %d.", most)));
	if (tlv_frame_scalar(&frame, "rows", 0) == 0)
		PG_RETURN_NULL();
	work = TlvWorkBegin("tensorlv moments");
	TlvCheck(&work->ctx, tlv_dense_central_compute(&work->ctx, &frame, &central));
	array = moment_array(&central, order);
	TlvWorkEnd(work);
	PG_RETURN_ARRAYTYPE_P(array);
}

/* ---- a fitted model and its rows ---- */

static void
refuse_vectors(const tlv_model *model, const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("%s is not defined for vectors under a model of kind %s", what,
						   TlvKind(&model->frame)->name)));
}

/* Posteriors of all rows, rows x k, row by row: of vectors, or of the steps of one sequence. */
static double *
infer_vectors(FunctionCallInfo fcinfo, const TlvVectors *vectors, size_t *k)
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	tlv_model *model = cache->model;
	const tlv_model_class *class = model->class;
	double *shares;

	if (class->infer_vector == NULL && class->infer_sequence == NULL)
		refuse_vectors(model, "inference");
	*k = class->components(&model->frame);
	shares = palloc_extended(vectors->rows * *k * sizeof(double), MCXT_ALLOC_HUGE);
	if (class->infer_vector == NULL)
	{
		TlvCheck(&cache->ctx, class->infer_sequence(&cache->ctx, model, vectors->rows, NULL,
													vectors->d, vectors->x, shares));
		return shares;
	}
	for (size_t t = 0; t < vectors->rows; t++)
	{
		if (t % ROWS_BETWEEN == ROWS_BETWEEN - 1)
			CHECK_FOR_INTERRUPTS();
		TlvCheck(&cache->ctx, class->infer_vector(&cache->ctx, model, vectors->d,
												  vectors->x + t * vectors->d, shares + t * *k));
	}
	return shares;
}

/* A sequence of single numbers may be written as one array. */
static TlvVectors
rows_argument(FunctionCallInfo fcinfo)
{
	TlvVectors vectors = TlvVectorsOf(PG_GETARG_DATUM(1));
	const tlv_model_class *class = TlvCachedModel(fcinfo, 0)->model->class;

	if (class->infer_vector == NULL && class->infer_sequence != NULL && !vectors.many)
	{
		vectors.rows = vectors.d;
		vectors.d = 1;
		vectors.many = true;
	}
	return vectors;
}

PG_FUNCTION_INFO_V1(tlv_infer_vector);

/* tlv_infer(model, x): k numbers, or rows x k */
Datum
tlv_infer_vector(PG_FUNCTION_ARGS)
{
	TlvVectors vectors;
	size_t k;
	double *shares;

	if (TlvIsTree(fcinfo)) /* elements may be missing */
		return TlvTreeInferNumbers(fcinfo);
	vectors = rows_argument(fcinfo);
	shares = infer_vectors(fcinfo, &vectors, &k);
	if (vectors.many)
		PG_RETURN_ARRAYTYPE_P(TlvFloat8Box(2, (size_t[2]){vectors.rows, k}, shares));
	PG_RETURN_ARRAYTYPE_P(TlvFloat8Array(k, shares));
}

PG_FUNCTION_INFO_V1(tlv_assign_vector);

/* tlv_assign(model, x): the component of the largest posterior, from 1 */
Datum
tlv_assign_vector(PG_FUNCTION_ARGS)
{
	TlvVectors vectors = TlvVectorsOf(PG_GETARG_DATUM(1));
	tlv_model *model = TlvCachedModel(fcinfo, 0)->model;
	size_t k, best = 0;
	double *shares;

	if (model->class->infer_vector == NULL || TlvIsTree(fcinfo))
		refuse_vectors(model, "assignment");
	if (vectors.many)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("tlv_assign needs one vector, not %zu rows", vectors.rows),
						errhint("Give one row at a time.")));
	shares = infer_vectors(fcinfo, &vectors, &k);
	for (size_t j = 1; j < k; j++)
		best = shares[j] > shares[best] ? j : best;
	PG_RETURN_INT32((int32) best + 1);
}

PG_FUNCTION_INFO_V1(tlv_log_likelihood_vector);

/* tlv_log_likelihood(model, x), nats: of all rows together */
Datum
tlv_log_likelihood_vector(PG_FUNCTION_ARGS)
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	tlv_model *model = cache->model;
	double sum = 0, value;
	TlvVectors vectors;

	if (TlvIsTree(fcinfo))
		return TlvTreeLogLikelihoodNumbers(fcinfo);
	vectors = rows_argument(fcinfo);
	if (model->class->log_likelihood_vector == NULL)
	{
		if (model->class->log_likelihood_sequence == NULL)
			refuse_vectors(model, "the likelihood");
		TlvCheck(&cache->ctx,
				 model->class->log_likelihood_sequence(&cache->ctx, model, vectors.rows, NULL,
													   vectors.d, vectors.x, &sum));
		PG_RETURN_FLOAT8(sum);
	}
	for (size_t t = 0; t < vectors.rows; t++)
	{
		if (t % ROWS_BETWEEN == ROWS_BETWEEN - 1)
			CHECK_FOR_INTERRUPTS();
		TlvCheck(&cache->ctx,
				 model->class->log_likelihood_vector(&cache->ctx, model, vectors.d,
													 vectors.x + t * vectors.d, &value));
		sum += value;
	}
	PG_RETURN_FLOAT8(sum);
}

/* ---- rows of integers ---- */

/* Calls a function of the same call site with another row. */
static Datum
apply_row(FunctionCallInfo fcinfo, PGFunction function, Datum row)
{
	LOCAL_FCINFO(call, 2);

	InitFunctionCallInfoData(*call, fcinfo->flinfo, 2, fcinfo->fncollation, NULL, NULL);
	call->args[0] = fcinfo->args[0];
	call->args[1].isnull = false;
	call->args[1].value = row;
	return function(call);
}

ArrayType *
TlvFloat8OfIntegers(ArrayType *array)
{
	const int32 *from = (const int32 *) ARR_DATA_PTR(array);
	size_t sides[MAXDIM], count = 1;
	ArrayType *result;
	double *x;

	check_shape(array);
	for (int i = 0; i < ARR_NDIM(array); i++)
	{
		sides[i] = (size_t) ARR_DIMS(array)[i];
		count *= sides[i];
	}
	x = palloc_extended(count * sizeof(double), MCXT_ALLOC_HUGE);
	for (size_t i = 0; i < count; i++)
		x[i] = from[i];
	result = TlvFloat8Box(ARR_NDIM(array), sides, x);
	pfree(x);
	return result;
}

Datum
TlvIntegersLogLikelihood(FunctionCallInfo fcinfo)
{
	return apply_row(fcinfo, tlv_log_likelihood_vector,
					 PointerGetDatum(TlvFloat8OfIntegers(PG_GETARG_ARRAYTYPE_P(1))));
}

static Datum
infer_symbols(TlvModelCache *cache, ArrayType *array)
{
	tlv_model *model = cache->model;
	size_t n = (size_t) ARR_DIMS(array)[0], k = model->class->components(&model->frame);
	const int32 *symbols = (const int32 *) ARR_DATA_PTR(array);
	int64_t *wide = palloc_extended(n * sizeof(int64_t), MCXT_ALLOC_HUGE);
	double *shares = palloc_extended(n * k * sizeof(double), MCXT_ALLOC_HUGE);

	for (size_t t = 0; t < n; t++)
		wide[t] = symbols[t];
	TlvCheck(&cache->ctx,
			 model->class->infer_sequence(&cache->ctx, model, n, wide, 0, NULL, shares));
	return PointerGetDatum(TlvFloat8Box(2, (size_t[2]){n, k}, shares));
}

PG_FUNCTION_INFO_V1(tlv_infer_integers);

/* tlv_infer(model, integers): categories or a sequence of symbols where the model is of such, else
 * a vector */
Datum
tlv_infer_integers(PG_FUNCTION_ARGS)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(1);
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	const tlv_model_class *class = cache->model->class;

	if (class->infer_codes != NULL)
		return TlvInferCodes(fcinfo);
	if (ARR_NDIM(array) == 1 && class->infer_vector == NULL && class->infer_sequence != NULL)
	{
		if (ARR_HASNULL(array))
			refuse_null_element(array);
		return infer_symbols(cache, array);
	}
	return apply_row(fcinfo, tlv_infer_vector, PointerGetDatum(TlvFloat8OfIntegers(array)));
}

/* ---- rows in text form ---- */

/*
 * A literal without a type, tlv_infer(model, '{...}'), would fit every kind of row; as text it is
 * read as the row that the model is of.
 */
static Datum
apply_text(FunctionCallInfo fcinfo, PGFunction to_bag, PGFunction to_vector)
{
	tlv_model *model = TlvCachedModel(fcinfo, 0)->model;
	char *row = text_to_cstring(PG_GETARG_TEXT_PP(1));
	bool bag = model->class->infer_bag != NULL;

	/* Of a tree both int[] and float8[] may be rows. */
	if (!bag && (model->class->infer_vector == NULL || model->class->infer_codes != NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("the row of a model of kind %s needs a type", TlvKind(&model->frame)->name),
				 errhint("Write ARRAY[...], or '{...}'::float8[] or '{...}'::integer[].")));
	return apply_row(fcinfo, bag ? to_bag : to_vector,
					 bag ? DirectFunctionCall1(tlv_bag_in, CStringGetDatum(row))
						 : OidInputFunctionCall(F_ARRAY_IN, row, FLOAT8OID, -1));
}

#define TEXT_FUNCTION(name, to_bag, to_vector)                                                     \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		return apply_text(fcinfo, to_bag, to_vector);                                              \
	}

TEXT_FUNCTION(tlv_infer_text, tlv_infer_bag, tlv_infer_vector)
TEXT_FUNCTION(tlv_assign_text, tlv_assign_bag, tlv_assign_vector)
TEXT_FUNCTION(tlv_log_likelihood_text, tlv_log_likelihood_bag, tlv_log_likelihood_vector)
