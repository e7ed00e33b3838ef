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
answer_reader_put_id(FunctionCallInfo fcinfo, int argument, bool named, int part,
					 TlvRowCursor *cursor)
{
	tlv_part *to = &cursor->row.part[part];

	*to = (tlv_part) TLV_PART(TLV_PART_IDS, 1, 1, &cursor->ids[part]);
	if (named)
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

/* Which ids are names: the item's, the worker's, the answer's. */
static void
answer_open(FunctionCallInfo fcinfo, int first, int names, TlvRowCursor *cursor)
{
	for (int part = 0; part < 3; part++)
		answer_reader_put_id(fcinfo, first + part, (names & (1 << part)) != 0, part, cursor);
}

/* The same without a worker. */
static void
gold_open(FunctionCallInfo fcinfo, int first, int names, TlvRowCursor *cursor)
{
	answer_reader_put_id(fcinfo, first, (names & 1) != 0, 0, cursor);
	answer_reader_put_id(fcinfo, first + 1, (names & 4) != 0, 2, cursor);
	cursor->row.part[1] = (tlv_part){.type = TLV_PART_NONE};
}

/* The places of an entry of a tensor, and its value. */
static void
entry_open(FunctionCallInfo fcinfo, int first, int names, TlvRowCursor *cursor)
{
	answer_open(fcinfo, first, names, cursor);
	cursor->row.missing = PG_ARGISNULL(first + 3);
	cursor->row.value = cursor->row.missing ? 0 : PG_GETARG_FLOAT8(first + 3);
}

#define ANSWERS(form, reader, function, open, arguments, names)                                    \
	static void function(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor) \
	{                                                                                              \
		open(fcinfo, first, names, cursor);                                                        \
	}                                                                                              \
	const TlvRowReader reader = {arguments, {form}, function, .optional = (form) == TLV_ROW_ENTRY};

ANSWERS(TLV_ROW_ANSWER, TlvAnswerRows0, answer_open_0, answer_open, 3, 0)
ANSWERS(TLV_ROW_ANSWER, TlvAnswerRows1, answer_open_1, answer_open, 3, 1)
ANSWERS(TLV_ROW_ANSWER, TlvAnswerRows2, answer_open_2, answer_open, 3, 2)
ANSWERS(TLV_ROW_ANSWER, TlvAnswerRows3, answer_open_3, answer_open, 3, 3)
ANSWERS(TLV_ROW_ANSWER, TlvAnswerRows4, answer_open_4, answer_open, 3, 4)
ANSWERS(TLV_ROW_ANSWER, TlvAnswerRows5, answer_open_5, answer_open, 3, 5)
ANSWERS(TLV_ROW_ANSWER, TlvAnswerRows6, answer_open_6, answer_open, 3, 6)
ANSWERS(TLV_ROW_ANSWER, TlvAnswerRows7, answer_open_7, answer_open, 3, 7)
ANSWERS(TLV_ROW_ANSWER, TlvGoldRows0, gold_open_0, gold_open, 2, 0)
ANSWERS(TLV_ROW_ANSWER, TlvGoldRows1, gold_open_1, gold_open, 2, 1)
ANSWERS(TLV_ROW_ANSWER, TlvGoldRows4, gold_open_4, gold_open, 2, 4)
ANSWERS(TLV_ROW_ANSWER, TlvGoldRows5, gold_open_5, gold_open, 2, 5)
ANSWERS(TLV_ROW_ENTRY, TlvEntryRows0, entry_open_0, entry_open, 4, 0)
ANSWERS(TLV_ROW_ENTRY, TlvEntryRows1, entry_open_1, entry_open, 4, 1)
ANSWERS(TLV_ROW_ENTRY, TlvEntryRows2, entry_open_2, entry_open, 4, 2)
ANSWERS(TLV_ROW_ENTRY, TlvEntryRows3, entry_open_3, entry_open, 4, 3)
ANSWERS(TLV_ROW_ENTRY, TlvEntryRows4, entry_open_4, entry_open, 4, 4)
ANSWERS(TLV_ROW_ENTRY, TlvEntryRows5, entry_open_5, entry_open, 4, 5)
ANSWERS(TLV_ROW_ENTRY, TlvEntryRows6, entry_open_6, entry_open, 4, 6)
ANSWERS(TLV_ROW_ENTRY, TlvEntryRows7, entry_open_7, entry_open, 4, 7)

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
