/*
 * model.c - models, and arrays of values, as arguments.
 */
#include "arrays.h"

tlv_frame
TlvModelFrame(FunctionCallInfo fcinfo, int argument, const tlv_kind *kind, const char *function)
{
	return TlvKindFrame(PG_GETARG_DATUM(argument), kind, function);
}

TlvStoredArray
TlvReadArray(Datum array)
{
	TlvStoredArray stored = {.n = 0};
	Datum *values;
	bool *nulls;
	int count = TlvArrayElements(TlvFetchArray(array), sizeof(tlv_frame_header *), &values, &nulls);

	stored.headers = palloc_extended(Max(count, 1) * sizeof(tlv_frame_header *), MCXT_ALLOC_HUGE);
	for (int i = 0; i < count; i++)
		if (!nulls[i])
			stored.headers[stored.n++] = (const tlv_frame_header *) PG_DETOAST_DATUM(values[i]);
	return stored;
}

tlv_frame
TlvOpenElement(void *array, size_t i)
{
	TlvStoredArray *stored = array;
	MemoryContext old;
	tlv_frame frame;

	if (stored->opened == NULL)
		stored->opened =
			AllocSetContextCreate(CurrentMemoryContext, "tensorlv element", ALLOCSET_SMALL_SIZES);
	MemoryContextReset(stored->opened);
	old = MemoryContextSwitchTo(stored->opened);
	frame = TlvFrame((struct varlena *) stored->headers[i]);
	MemoryContextSwitchTo(old);
	return frame;
}

tlv_frame *
TlvOpenArray(const TlvStoredArray *array)
{
	tlv_frame *frames = palloc(Max(array->n, 1) * sizeof(tlv_frame));
	double bytes = 0;

	for (size_t i = 0; i < array->n; i++)
		bytes += (double) TlvUnpackedBytes((struct varlena *) array->headers[i]);
	TlvRequireBytes(bytes, "the unpacked values of the array");
	for (size_t i = 0; i < array->n; i++)
		frames[i] = TlvFrame((struct varlena *) array->headers[i]);
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
