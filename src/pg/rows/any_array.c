/*
 * any_array.c - arrays of any type of numbers or texts as those that the readers know (any.h).
 */
#include "any.h"

#include <math.h>

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "query/query.h"
#include "server/arrays.h"
#include "tensorlv/model/categories.h"

double
TlvNumberOf(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case DATEOID:
			return DATE_NOT_FINITE(DatumGetDateADT(value)) ? NAN : DatumGetDateADT(value);
		default:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8, value));
	}
}

bool
TlvAnyIsMeasure(const AnyType *type)
{
	return type->form == ANY_NUMBER || type->base == DATEOID;
}

/* Elements that are there. */
static size_t
present_elements(const ArrayType *array)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	size_t present = 0;

	if (bitmap == NULL)
		return (size_t) count;
	for (int i = 0; i < count; i++)
	{
		TlvLoopCheck(i);
		present += (bitmap[i / 8] & (1 << (i % 8))) != 0;
	}
	return present;
}

/* An array of the same shape, with the same NULLs, whose elements are to be filled in. */
static ArrayType *
same_shape(const ArrayType *array, Oid element, size_t size, size_t present)
{
	int ndim = ARR_NDIM(array), count = ArrayGetNItems(ndim, ARR_DIMS(array));
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	size_t head = bitmap != NULL ? ARR_OVERHEAD_WITHNULLS(ndim, count) : ARR_OVERHEAD_NONULLS(ndim);
	ArrayType *result;
	bits8 *to;

	if (present > (MaxAllocSize - head) / size)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("an array of %zu numbers is too large", present)));
	TlvRequireBytes((double) head + (double) present * (double) size, "an array");
	result = palloc(head + present * size);
	memset(result, 0, head);
	SET_VARSIZE(result, head + present * size);
	result->ndim = ndim;
	result->elemtype = element;
	result->dataoffset = bitmap != NULL ? (int32) head : 0;
	memcpy(ARR_DIMS(result), ARR_DIMS(array), (size_t) ndim * sizeof(int));
	memcpy(ARR_LBOUND(result), ARR_LBOUND(array), (size_t) ndim * sizeof(int));
	to = ARR_NULLBITMAP(result);
	if (to != NULL)
		memcpy(to, bitmap, (size_t) (count + 7) / 8);
	return result;
}

/* Numerics lie one behind the other, each with its length. */
static void
spread_numerics(const char *at, size_t n, double *to)
{
	for (size_t i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		to[i] = TlvNumberOf(NUMERICOID, PointerGetDatum(at));
		at = att_addlength_pointer(at, -1, at);
		at = (const char *) att_align_nominal(at, TYPALIGN_INT);
	}
}

#define SPREAD(from_type)                                                                          \
	for (size_t i = 0; i < n; i++)                                                                 \
	to[i] = (double) ((const from_type *) from)[i]

static void
any_array_spread_numbers(Oid element, const char *from, size_t n, double *to)
{
	switch (element)
	{
		case INT2OID:
			SPREAD(int16);
			break;
		case INT4OID:
			SPREAD(int32);
			break;
		case INT8OID:
			SPREAD(int64);
			break;
		case FLOAT4OID:
			SPREAD(float4);
			break;
		case FLOAT8OID:
			SPREAD(float8);
			break;
		default:
			spread_numerics(from, n, to);
			break;
	}
}

ArrayType *
TlvFloat8Numbers(ArrayType *array, Oid element)
{
	ArrayType *result;
	size_t present;

	if (ARR_ELEMTYPE(array) == FLOAT8OID)
		return array;
	present = present_elements(array);
	result = same_shape(array, FLOAT8OID, sizeof(float8), present);
	any_array_spread_numbers(element, ARR_DATA_PTR(array), present,
							 (double *) ARR_DATA_PTR(result));
	return result;
}

/* ---- whole numbers ---- */

static int64
whole_number(double number)
{
	if (!(fabs(number) <= 9007199254740992.0) || number != trunc(number))
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("%g is not an integer", number),
						errhint("The rows of this model must be integers.")));
	return (int64) number;
}

ArrayType *
TlvInt8Numbers(ArrayType *array, Oid element)
{
	size_t present;
	ArrayType *result;
	int64 *to;

	if (ARR_ELEMTYPE(array) == INT8OID)
		return array;
	present = present_elements(array);
	result = same_shape(array, INT8OID, sizeof(int64), present);
	to = (int64 *) ARR_DATA_PTR(result);
	if (element == INT8OID) /* of a domain */
		TlvCopy(to, ARR_DATA_PTR(array), present * sizeof(int64));
	else
	{
		double *numbers = TlvAllocElements(present, sizeof(double));

		any_array_spread_numbers(element, ARR_DATA_PTR(array), present, numbers);
		for (size_t i = 0; i < present; i++)
			to[i] = whole_number(numbers[i]);
		pfree(numbers);
	}
	return result;
}

ArrayType *
TlvInt4Numbers(ArrayType *array, Oid element)
{
	ArrayType *wide, *result;
	const int64 *from;
	size_t present;
	int32 *to;

	if (ARR_ELEMTYPE(array) == INT4OID)
		return array;
	wide = TlvInt8Numbers(array, element);
	from = (const int64 *) ARR_DATA_PTR(wide);
	present = present_elements(wide);
	result = same_shape(wide, INT4OID, sizeof(int32), present);
	to = (int32 *) ARR_DATA_PTR(result);
	for (size_t i = 0; i < present; i++)
		if (from[i] < PG_INT32_MIN || from[i] > PG_INT32_MAX)
			ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
							errmsg(INT64_FORMAT " is not a state from 0 to %d", from[i],
								   TLV_CATEGORY_MOST_STATES - 1),
							errhint("States are numbered from 0; missing values are null.")));
		else
			to[i] = (int32) from[i];
	return result;
}

/* ---- texts ---- */

/* Of other types. */
static ArrayType *
made_texts(ArrayType *array, Oid element)
{
	bool *nulls;
	Datum *values;
	/* A text takes a header and a few characters, alone and in the array. */
	int n = TlvArrayElements(array, 48, &values, &nulls);

	for (int i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		if (!nulls[i])
			values[i] = PointerGetDatum(TlvTextOf(element, values[i]));
	}
	return construct_md_array(values, nulls, ARR_NDIM(array), ARR_DIMS(array), ARR_LBOUND(array),
							  TEXTOID, -1, false, TYPALIGN_INT);
}

/* What a function of one argument, or of the three of a cast, makes of a value; NULL: nothing. */
static text *
call_cast(Oid from, Oid function, Datum value)
{
	LOCAL_FCINFO(call, 3);
	FmgrInfo info;
	Datum result;

	TlvRequireTrustedCast(from, TEXTOID, function);
	fmgr_info(function, &info);
	InitFunctionCallInfoData(*call, &info, (short) get_func_nargs(function), InvalidOid, NULL,
							 NULL);
	call->args[0] = (NullableDatum){value, false};
	call->args[1] = (NullableDatum){Int32GetDatum(-1), false};
	call->args[2] = (NullableDatum){BoolGetDatum(true), false};
	result = FunctionCallInvoke(call);
	if (call->isnull)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("the cast from %s to text gives none", format_type_be(from))));
	return DatumGetTextPP(result);
}

text *
TlvTextOf(Oid base, Datum value)
{
	Oid function;
	bool varies;

	if (base == TEXTOID || base == VARCHAROID)
		return DatumGetTextPP(value);
	switch (find_coercion_pathway(TEXTOID, base, COERCION_EXPLICIT, &function))
	{
		case COERCION_PATH_RELABELTYPE:
			return DatumGetTextPP(value);
		case COERCION_PATH_FUNC:
			return call_cast(base, function, value);
		default:
			getTypeOutputInfo(base, &function, &varies);
			return cstring_to_text(OidOutputFunctionCall(function, value));
	}
}

ArrayType *
TlvTexts(ArrayType *array, Oid element)
{
	ArrayType *result;

	if (ARR_ELEMTYPE(array) == TEXTOID)
		return array;
	if (element != TEXTOID && element != VARCHAROID)
		return made_texts(array, element);
	result = palloc(VARSIZE(array));
	TlvCopy(result, array, VARSIZE(array));
	result->elemtype = TEXTOID;
	return result;
}

bool
TlvAreNumbers(ArrayType *texts)
{
	Datum *terms;
	bool *nulls, numbers = true;
	int n = TlvArrayElements(texts, 0, &terms, &nulls);

	for (int i = 0; i < n && numbers; i++)
	{
		char *term = nulls[i] ? "0" : TextDatumGetCString(terms[i]);

		TlvLoopCheck(i);
		term += *term == '-';
		numbers = *term != '\0' && term[strspn(term, "0123456789")] == '\0';
	}
	pfree(terms);
	pfree(nulls);
	return numbers;
}
