/*
 * answer_reader.c - answers: one of an item by a worker, one that is known, and all that several
 * workers say of one item; and entries of tensors, which are told by ids in the same way.
 */
#include "any.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "query/query.h"
#include "server/arrays.h"

/* One id of a row, as part `part`: a number, or a text, whose hash it is. */
static void
answer_reader_put_id(FunctionCallInfo fcinfo, int argument, int part, TlvRowCursor *cursor)
{
	tlv_part *to = &cursor->row.part[part];

	*to = (tlv_part) TLV_PART(TLV_PART_IDS, 1, 1, &cursor->ids[part]);
	if ((cursor->texts & (1 << part)) != 0)
	{
		text *given = PG_GETARG_TEXT_PP(argument);

		TlvCursorOwn(cursor, TLV_COPY_OF(given, PG_GETARG_DATUM(argument)));
		cursor->names[part] = (tlv_text){VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given)};
		cursor->ids[part] = TlvTermId(VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given));
		to->names = &cursor->names[part];
	}
	else
		cursor->ids[part] = PG_GETARG_INT64(argument);
}

/* The item, the worker, the answer. */
static void
answer_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	for (int part = 0; part < 3; part++)
		answer_reader_put_id(fcinfo, first + part, part, cursor);
}

/* The same without a worker. */
static void
gold_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	answer_reader_put_id(fcinfo, first, 0, cursor);
	answer_reader_put_id(fcinfo, first + 1, 2, cursor);
	cursor->row.part[1] = (tlv_part){.type = TLV_PART_NONE};
}

/* The places of an entry of a tensor, and its value. */
static void
entry_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	answer_open(fcinfo, first, takes, cursor);
	cursor->row.missing = PG_ARGISNULL(first + 3);
	cursor->row.value = cursor->row.missing ? 0 : PG_GETARG_FLOAT8(first + 3);
}

/* A reader for every choice of ids that are texts. */
#define READERS(...)                                                                               \
	{                                                                                              \
		{__VA_ARGS__, .texts = 0}, {__VA_ARGS__, .texts = 1}, {__VA_ARGS__, .texts = 2},           \
			{__VA_ARGS__, .texts = 3}, {__VA_ARGS__, .texts = 4}, {__VA_ARGS__, .texts = 5},       \
			{__VA_ARGS__, .texts = 6}, {__VA_ARGS__, .texts = 7},                                  \
	}

const TlvRowReader TlvAnswerRows[8] = READERS(3, {TLV_ROW_ANSWER}, answer_open);
const TlvRowReader TlvGoldRows[8] = READERS(2, {TLV_ROW_ANSWER}, gold_open);
const TlvRowReader TlvEntryRows[8] = READERS(4, {TLV_ROW_ENTRY}, entry_open, .optional = 1);

/* ---- all of one item ---- */

static int64
id_of_name(Oid type, Datum value, tlv_text *name)
{
	text *given = TlvTextOf(type, value);

	*name = (tlv_text){VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given)};
	return TlvTermId(name->bytes, name->length);
}

int64
TlvIdOf(Oid type, Datum value)
{
	tlv_text name;

	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return DatumGetInt64(value);
		default:
			return id_of_name(type, value, &name);
	}
}

void
TlvIdsOf(ArrayType *array, Oid element, tlv_part *part, TlvRowCursor *cursor)
{
	bool *nulls, named = !TlvIsIntegerType(element);
	Datum *values;
	int n;
	int64_t *ids;
	tlv_text *names = NULL;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("an array of ids has %d dimensions, not one", ARR_NDIM(array)),
						errhint("Give the answers to one item at a time.")));
	n = TlvArrayElements(array, sizeof(int64_t) + (named ? sizeof(tlv_text) : 0), &values, &nulls);
	ids = palloc_extended((size_t) Max(n, 1) * sizeof(int64_t), MCXT_ALLOC_HUGE);
	if (named)
		names = palloc_extended((size_t) Max(n, 1) * sizeof(tlv_text), MCXT_ALLOC_HUGE);
	for (int i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		ids[i] = 0;
		if (!nulls[i])
			ids[i] = names == NULL ? TlvIdOf(element, values[i])
								   : id_of_name(element, values[i], &names[i]);
	}
	pfree(values);
	TlvCursorOwn(cursor, ids);
	TlvCursorOwn(cursor, nulls);
	*part = (tlv_part) TLV_PART(TLV_PART_IDS, (size_t) n, 1, ids);
	part->missing = nulls;
	part->names = names;
	if (names != NULL)
		TlvCursorOwn(cursor, names);
}
