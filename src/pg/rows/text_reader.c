/*
 * text_reader.c - sequences of symbols, and rows of categorical variables, that are told by name.
 */
#include "reader.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "server/arrays.h"
#include "tensorlv/model/categories.h"
#include "tensorlv/model/sequences.h"

static void
text_reader_check_texts(const ArrayType *array, const char *what, const char *part)
{
	if (ARR_ELEMTYPE(array) != TEXTOID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("a %s by name is no text[]", what)));
	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("a %s has one dimension, not %d", what, ARR_NDIM(array)),
						errhint("Give one %s at a time.", part)));
}

/* One block: the symbols, what they are called, what is missing. */
typedef struct TextBlock
{
	int64_t *symbols;
	tlv_text *names;
	bool *missing;
} TextBlock;

static TextBlock
make_block(TlvRowCursor *cursor, size_t n)
{
	size_t room = Max(n, 1);
	TextBlock block;

	block.names = TlvAllocElements(room, sizeof(tlv_text) + sizeof(int64_t) + sizeof(bool));
	block.symbols = (int64_t *) (block.names + room);
	block.missing = (bool *) (block.symbols + room);
	TlvCursorOwn(cursor, block.names);
	return block;
}

/* Elements lie one behind the other, those that are NULL left out. */
static void
read_texts(const ArrayType *array, size_t n, const TextBlock *block)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	char *at = ARR_DATA_PTR(array);

	for (size_t i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		block->missing[i] = bitmap != NULL && (bitmap[i / 8] & (1 << (i % 8))) == 0;
		if (block->missing[i])
		{
			block->symbols[i] = TLV_SYMBOL_MISSING;
			block->names[i] = (tlv_text){NULL, 0};
			continue;
		}
		block->names[i] = (tlv_text){VARDATA_ANY(at), VARSIZE_ANY_EXHDR(at)};
		block->symbols[i] = TlvTermId(block->names[i].bytes, block->names[i].length);
		at = att_addlength_pointer(at, -1, at);
		at = (char *) att_align_nominal(at, TYPALIGN_INT);
	}
}

static void
texts_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	Datum value = PG_GETARG_DATUM(first);
	ArrayType *array = TlvFetchArray(value);
	size_t n = (size_t) ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	tlv_part *part = &cursor->row.part[0];
	TextBlock block;

	text_reader_check_texts(array, "sequence of symbols", "sequence");
	TlvCursorOwn(cursor, TLV_COPY_OF(array, value));
	block = make_block(cursor, n);
	read_texts(array, n, &block);
	*part = (tlv_part) TLV_PART(TLV_PART_IDS, n, 1, block.symbols);
	part->names = block.names;
	if (!ARR_HASNULL(array))
		return;
	if ((takes & TLV_ROWS_MISSING_ELEMENTS) == 0)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("an element of a sequence or set is null")));
	part->missing = block.missing;
}

const TlvRowReader TlvNamedSequences = {1, {TLV_ROW_SYMBOLS}, texts_open};

/* The codes only say which values are missing: who counts them numbers the names. */
static void
codes_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	Datum value = PG_GETARG_DATUM(first);
	ArrayType *array = TlvFetchArray(value);
	size_t n = (size_t) ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	tlv_part *part = &cursor->row.part[0];
	TextBlock block;
	int32_t *codes;

	text_reader_check_texts(array, "row of categorical variables", "row");
	if (n == 0)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("a row has no values"),
						errhint("A row that is missing altogether is null, not an empty array.")));
	TlvCursorOwn(cursor, TLV_COPY_OF(array, value));
	block = make_block(cursor, n);
	read_texts(array, n, &block);
	codes = TlvAllocElements(n, sizeof(int32_t));
	TlvCursorOwn(cursor, codes);
	for (size_t v = 0; v < n; v++)
		codes[v] = block.missing[v] ? TLV_CATEGORY_MISSING : 0;
	*part = (tlv_part) TLV_PART(TLV_PART_CODES, 1, n, codes);
	part->names = block.names;
}

const TlvRowReader TlvNamedCodes = {1, {TLV_ROW_CODES}, codes_open};
