/*
 * pivot.c - (variable, value) rows as one array: what is missing is NULL.
 *
 * The state is an array of all variables without NULLs, changed in place; a value that stands for
 * missing ones becomes NULL at the end.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "tensorlv/model/categories.h"
#include "tensorlv/num/plural.h"

/* No category and no number that a row may have. */
#define NO_CATEGORY PG_INT32_MIN

static ArrayType *
empty_row(FunctionCallInfo fcinfo, int width, Oid type, Size element)
{
	MemoryContext mcxt;
	ArrayType *array;
	Size size;

	if (width < 1 || width > TLV_CATEGORY_MOST_VARIABLES)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%d variables are out of range", width),
						errhint("A row has from 1 to %d.", TLV_CATEGORY_MOST_VARIABLES)));
	TlvRequireAggregate(fcinfo, &mcxt);
	size = ARR_OVERHEAD_NONULLS(1) + (Size) width * element;
	array = MemoryContextAllocZero(mcxt, size);
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->elemtype = type;
	ARR_DIMS(array)[0] = width;
	ARR_LBOUND(array)[0] = 1;
	if (type == INT4OID)
		for (int i = 0; i < width; i++)
			((int32 *) ARR_DATA_PTR(array))[i] = NO_CATEGORY;
	else
		for (int i = 0; i < width; i++)
			((double *) ARR_DATA_PTR(array))[i] = NAN;
	return array;
}

/* A state as this file makes it; others would be read beyond their end. */
static ArrayType *
pivot_state_argument(FunctionCallInfo fcinfo, int argument)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);

	TlvRequireAggregate(fcinfo, NULL);
	if (ARR_NDIM(array) != 1 || ARR_HASNULL(array))
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("the array is not the state of an aggregate of this extension"),
						errhint("An aggregate over these functions has no initial value.")));
	return array;
}

/* The state of argument 0, made by the first row; refuses a width that changes. */
static ArrayType *
row_state(FunctionCallInfo fcinfo, Oid type, Size element)
{
	ArrayType *array;

	if (PG_ARGISNULL(3))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("the number of variables is null")));
	if (PG_ARGISNULL(0))
		return empty_row(fcinfo, PG_GETARG_INT32(3), type, element);
	array = pivot_state_argument(fcinfo, 0);
	if (ARR_DIMS(array)[0] != PG_GETARG_INT32(3))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a row has %d %s and then %d", ARR_DIMS(array)[0],
							   tlv_plural((double) (ARR_DIMS(array)[0]), "variable", "variables"),
							   PG_GETARG_INT32(3)),
						errhint("All rows must have the same number of variables.")));
	return array;
}

/* Position of the variable of argument 1, from 0. */
static int
variable_position(FunctionCallInfo fcinfo, const ArrayType *array)
{
	int64 variable = PG_GETARG_INT64(1);

	if (variable < 1 || variable > ARR_DIMS(array)[0])
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("variable " INT64_FORMAT " is out of range", variable),
						errhint("Variables are numbered from 1 to %d here.", ARR_DIMS(array)[0])));
	return (int) variable - 1;
}

static void
pivot_refuse_second(int position)
{
	ereport(ERROR,
			(errcode(ERRCODE_CARDINALITY_VIOLATION),
			 errmsg("variable %d has two values in one row", position + 1),
			 err_generic_string(PG_DIAG_COLUMN_NAME, psprintf("%d", position)),
			 errhint("Group by row and variable first, and say which value is to be taken.")));
}

/* (state integer[], variable, value integer, variables) */
TLV_FUNCTION(tlv_category_row_accum)
{
	ArrayType *array = row_state(fcinfo, INT4OID, sizeof(int32));
	int32 *cells = (int32 *) ARR_DATA_PTR(array);

	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2))
	{
		int at = variable_position(fcinfo, array);
		int32 value = PG_GETARG_INT32(2);

		if (value < 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("category %d of variable %d is negative", value, at + 1),
							errhint("Number the categories from 0; what is missing is null.")));
		if (cells[at] != NO_CATEGORY)
			pivot_refuse_second(at);
		cells[at] = value;
	}
	PG_RETURN_POINTER(array);
}

/* (state float8[], variable, value float8, variables) */
TLV_FUNCTION(tlv_number_row_accum)
{
	ArrayType *array = row_state(fcinfo, FLOAT8OID, sizeof(double));
	double *cells = (double *) ARR_DATA_PTR(array);

	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2))
	{
		int at = variable_position(fcinfo, array);
		double value = PG_GETARG_FLOAT8(2);

		if (!isfinite(value))
			ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
							errmsg("value %g of variable %d is not finite", value, at + 1),
							errhint("What is missing is null.")));
		if (!isnan(cells[at]))
			pivot_refuse_second(at);
		cells[at] = value;
	}
	PG_RETURN_POINTER(array);
}

/* Both states in the first; they hold different variables. */
static Datum
pivot_combine_rows(FunctionCallInfo fcinfo, bool numbers)
{
	ArrayType *to, *from;
	MemoryContext mcxt, old;

	TlvRequireAggregate(fcinfo, &mcxt);
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	from = pivot_state_argument(fcinfo, 1);
	if (PG_ARGISNULL(0))
	{
		old = MemoryContextSwitchTo(mcxt);
		to = PG_GETARG_ARRAYTYPE_P_COPY(1);
		MemoryContextSwitchTo(old);
		PG_RETURN_POINTER(to);
	}
	to = pivot_state_argument(fcinfo, 0);
	if (ARR_DIMS(to)[0] != ARR_DIMS(from)[0])
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("rows have %d and %d %s", ARR_DIMS(to)[0], ARR_DIMS(from)[0],
							   tlv_plural((double) (ARR_DIMS(from)[0]), "variable", "variables")),
						errhint("All rows must have the same number of variables.")));
	for (int i = 0; i < ARR_DIMS(to)[0]; i++)
	{
		int32 *a = (int32 *) ARR_DATA_PTR(to) + i, *b = (int32 *) ARR_DATA_PTR(from) + i;
		double *x = (double *) ARR_DATA_PTR(to) + i, *y = (double *) ARR_DATA_PTR(from) + i;

		if (numbers ? isnan(*y) : *b == NO_CATEGORY)
			continue;
		if (numbers ? !isnan(*x) : *a != NO_CATEGORY)
			pivot_refuse_second(i);
		if (numbers)
			*x = *y;
		else
			*a = *b;
	}
	PG_RETURN_POINTER(to);
}

TLV_FUNCTION(tlv_category_row_combine)
{
	return pivot_combine_rows(fcinfo, false);
}

TLV_FUNCTION(tlv_number_row_combine)
{
	return pivot_combine_rows(fcinfo, true);
}

static Datum
finish_row(FunctionCallInfo fcinfo, bool numbers)
{
	ArrayType *array;
	Datum *values;
	bool *nulls;
	int n, lower = 1;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	array = pivot_state_argument(fcinfo, 0);
	n = ARR_DIMS(array)[0];
	values = palloc((Size) n * sizeof(Datum));
	nulls = palloc((Size) n * sizeof(bool));
	for (int i = 0; i < n; i++)
	{
		int32 code = numbers ? 0 : ((int32 *) ARR_DATA_PTR(array))[i];
		double number = numbers ? ((double *) ARR_DATA_PTR(array))[i] : 0;

		nulls[i] = numbers ? isnan(number) : code == NO_CATEGORY;
		values[i] = numbers ? Float8GetDatum(number) : Int32GetDatum(code);
	}
	PG_RETURN_ARRAYTYPE_P(construct_md_array(
		values, nulls, 1, &n, &lower, numbers ? FLOAT8OID : INT4OID,
		numbers ? sizeof(double) : sizeof(int32), numbers ? FLOAT8PASSBYVAL : true,
		numbers ? TYPALIGN_DOUBLE : TYPALIGN_INT));
}

TLV_FUNCTION(tlv_category_row_final)
{
	return finish_row(fcinfo, false);
}

TLV_FUNCTION(tlv_number_row_final)
{
	return finish_row(fcinfo, true);
}
