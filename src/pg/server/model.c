/*
 * model.c - models, and arrays of values, as arguments.
 */
#include "tlv_pg.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

tlv_frame
TlvModelFrame(FunctionCallInfo fcinfo, int argument, const tlv_kind *kind, const char *function)
{
	tlv_frame frame = TlvFrame(PG_GETARG_TLV(argument));

	TlvRequireKind(&frame, kind, function);
	return frame;
}

tlv_frame *
TlvArrayFrames(Datum array, size_t *n)
{
	ArrayType *own = DatumGetArrayTypeP(array);
	Oid element = ARR_ELEMTYPE(own);
	Datum *values;
	bool *nulls, by_value;
	int16 length;
	char align;
	int count;
	tlv_frame *frames;

	get_typlenbyvalalign(element, &length, &by_value, &align);
	deconstruct_array(own, element, length, by_value, align, &values, &nulls, &count);
	frames = palloc(Max(count, 1) * sizeof(tlv_frame));
	*n = 0;
	for (int i = 0; i < count; i++)
		if (!nulls[i])
			frames[(*n)++] = TlvFrame((struct varlena *) PG_DETOAST_DATUM(values[i]));
	return frames;
}

uint64
TlvSeedArgument(FunctionCallInfo fcinfo, int argument)
{
	int64 seed = PG_ARGISNULL(argument) ? 1 : PG_GETARG_INT64(argument);

	if (seed < 0 || seed >= INT64CONST(1) << 53)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("seed = " INT64_FORMAT " is not between 0 and 2^53 - 1", seed)));
	return (uint64) seed;
}

size_t
TlvCountArgument(FunctionCallInfo fcinfo, int argument, const char *name, int minimum)
{
	int32 value;

	if (PG_ARGISNULL(argument))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s is null", name)));
	value = PG_GETARG_INT32(argument);
	if (value < minimum)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s = %d is not at least %d", name, value, minimum),
						errhint("Give a number of %d or more.", minimum)));
	return (size_t) value;
}
