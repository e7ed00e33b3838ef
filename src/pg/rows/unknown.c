/*
 * unknown.c - rows with elements that the model they are read for does not know, whatever its kind:
 * counted for one warning of the statement, which names the first; and rows of which it knows none.
 */
#include "any_internal.h"

#include "miscadmin.h"
#include "tsearch/ts_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "server/arrays.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/kind.h"

/* Items of a bag that are read at once. */
#define ITEMS_AT_ONCE 64

/* What elements are called, what becomes of those that are not known, and what to do. */
typedef struct Elements
{
	const char *name, *detail, *hint;
} Elements;

/* The hint for elements that are identified by what they are called. */
#define SPELL(what)                                                                                \
	"Spell " what " as in the rows that the model was learnt from, or fit a model to rows that "   \
	"have these " what "."

static const Elements categories = {"categories", "They count as missing.", SPELL("categories")};
static const Elements variables = {"variables", "They are left out.", SPELL("variables")};
static const Elements symbols = {"symbols", "They count as missing.", SPELL("symbols")};
static const Elements workers = {"workers", "Their answers are left out.", SPELL("workers")};
static const Elements answers = {"answers", "They are left out.", SPELL("answers")};
static const Elements items = {
	"items", "They are left out.",
	"Use the items of the rows that the model was learnt from (the id of a term is "
	"tlv_term_id(term)), or fit a model to rows that have these items."};
static const Elements nodes = {
	"neighbours", "They are left out.",
	"Use the nodes of the edges that the model was learnt from (the id of a node with a name is "
	"tlv_term_id(name)), or fit a model to edges that have these nodes."};

static tlv_text
unknown_digits_of(int64 number)
{
	char *digits = psprintf(INT64_FORMAT, number);

	return (tlv_text){digits, strlen(digits)};
}

/* ---- the first of a row ---- */

static bool
has_variables(const tlv_row *row)
{
	return row->form == TLV_ROW_CODES || row->form == TLV_ROW_CATEGORIES ||
		   row->form == TLV_ROW_VECTOR;
}

static const Elements *
unknown_elements_of(const tlv_model *model, const tlv_row *row, size_t part)
{
	if (part == TLV_NO_PART)
		return &variables;
	switch (row->form)
	{
		case TLV_ROW_SYMBOLS:
			return TlvKind(&model->frame) == &tlv_kind_network ? &items : &symbols;
		case TLV_ROW_ANSWERS:
			return part == 0 ? &workers : &answers;
		case TLV_ROW_BAG:
		case TLV_ROW_NEIGHBOURS:
			return TlvKind(&model->frame) == &tlv_kind_mmsb ? &nodes : &items;
		default:
			return &categories;
	}
}

static bool
knows(const tlv_model *model, size_t part, int64 id)
{
	bool known = true;

	return model->class->ids(model, (int) part, id, &known) == TLV_IDS_ANY || known;
}

/* The string of an array that an item is the id of. */
static tlv_text
unknown_string_of(ArrayType *array, int64 item)
{
	Datum *terms;
	bool *nulls;
	int n = TlvArrayElements(TlvTexts(array, getBaseType(ARR_ELEMTYPE(array))), 0, &terms, &nulls);

	for (int i = 0; i < n; i++)
	{
		const char *bytes = nulls[i] ? NULL : VARDATA_ANY(DatumGetPointer(terms[i]));
		size_t length = nulls[i] ? 0 : VARSIZE_ANY_EXHDR(DatumGetPointer(terms[i]));

		TlvLoopCheck(i);
		if (!nulls[i] && TlvTermId(bytes, length) == item)
			return (tlv_text){bytes, length};
	}
	return unknown_digits_of(item);
}

/* The lexeme that an item of a tsvector, or the string that one of an array, is the id of; the id
 * itself of an item of a bag. */
static tlv_text
unknown_item_name(const TlvRowCursor *cursor, int64 item)
{
	TSVector words;

	if (cursor->strings != NULL)
		return unknown_string_of(cursor->strings, item);
	if (cursor->words == (Datum) 0)
		return unknown_digits_of(item);
	words = DatumGetTSVector(cursor->words);
	for (int i = 0; i < words->size; i++)
	{
		const WordEntry *word = ARRPTR(words) + i;
		const char *bytes = STRPTR(words) + word->pos;

		if (TlvTermId(bytes, word->len) == item)
			return (tlv_text){bytes, word->len};
	}
	return unknown_digits_of(item);
}

/* Is there an item that the model knows, or one that it does not?  The first of them. */
static bool
unknown_find_item(const tlv_model *model, const tlv_bag_image *bag, bool known, int64_t *item)
{
	int64_t ids[ITEMS_AT_ONCE];

	for (size_t from = 0; from < bag->n; from += ITEMS_AT_ONCE)
	{
		size_t to = Min(from + ITEMS_AT_ONCE, bag->n);

		TlvLoopCheck(from / ITEMS_AT_ONCE);
		tlv_bag_read_items(bag, from, to, ids);
		for (size_t i = 0; i < to - from; i++)
			if (knows(model, 0, ids[i]) == known)
			{
				*item = ids[i];
				return true;
			}
	}
	return false;
}

static void
find_in_bag(const TlvRowCursor *cursor, TlvUnknown *unknown)
{
	int64_t item;

	if (unknown_find_item(cursor->model, cursor->row.bag, false, &item))
		*unknown = (TlvUnknown){true, 0, unknown_item_name(cursor, item)};
}

static void
find_in_parts(const TlvRowCursor *cursor, size_t parts, TlvUnknown *unknown)
{
	for (size_t p = 0; p < parts && !unknown->found; p++)
	{
		const tlv_part *part = &cursor->row.part[p];

		for (size_t i = 0; part->type == TLV_PART_IDS && i < part->n && !unknown->found; i++)
			if ((part->missing == NULL || !part->missing[i]) &&
				!knows(cursor->model, p, part->ids[i]))
				*unknown = (TlvUnknown){true, p,
										part->names != NULL ? part->names[i]
															: unknown_digits_of(part->ids[i])};
	}
}

/* Codes that are identified by number; the reader has looked up those identified by name. */
static void
find_in_codes(const TlvRowCursor *cursor, TlvUnknown *unknown)
{
	const tlv_frame *model = &cursor->model->frame;
	const tlv_section *states = tlv_frame_find(model, "states");
	size_t copies = (size_t) Max(tlv_frame_scalar(model, "copies", 1), 1);
	const tlv_part *part = &cursor->row.part[0];

	for (size_t v = 0; states != NULL && v < part->d && v / copies < states->rows; v++)
		if (part->codes[v] >= ((const int64_t *) tlv_section_data(model, states))[v / copies])
		{
			*unknown = (TlvUnknown){true, v / copies, unknown_digits_of(part->codes[v])};
			return;
		}
}

static void
find_unknown(const TlvRowCursor *cursor, TlvUnknown *unknown)
{
	tlv_row_form form = cursor->row.form;

	if (form == TLV_ROW_CODES)
		find_in_codes(cursor, unknown);
	else if (cursor->model->class->ids == NULL)
		return;
	else if (form == TLV_ROW_BAG || form == TLV_ROW_NEIGHBOURS)
		find_in_bag(cursor, unknown);
	else if (form == TLV_ROW_CATEGORIES)
		find_in_parts(cursor, 3, unknown);
	else if (form == TLV_ROW_ANSWERS)
		find_in_parts(cursor, 2, unknown);
	else if (form == TLV_ROW_SYMBOLS)
		find_in_parts(cursor, 1, unknown);
}

/* ---- rows of which a model knows nothing ---- */

static bool
knows_category(const tlv_frame *model, const tlv_part *part)
{
	const tlv_section *states = tlv_frame_find(model, "states");
	size_t copies = (size_t) Max(tlv_frame_scalar(model, "copies", 1), 1);

	for (size_t v = 0; v < part->d; v++)
		if (part->codes[v] >= 0 &&
			(states == NULL || v / copies >= states->rows ||
			 part->codes[v] < ((const int64_t *) tlv_section_data(model, states))[v / copies]))
			return true;
	return false;
}

static bool
has_number(const tlv_part *part)
{
	for (size_t i = 0; part->missing != NULL && i < part->n * part->d; i++)
		if (!part->missing[i])
			return true;
	return part->missing == NULL;
}

static bool
knows_id(const tlv_model *model, const tlv_row *row, size_t p, size_t i)
{
	const tlv_part *part = &row->part[p];

	return part->type == TLV_PART_IDS && i < part->n &&
		   (part->missing == NULL || !part->missing[i]) && knows(model, p, part->ids[i]);
}

/* An answer is informative only if its worker is known, too. */
static bool
knows_answer(const tlv_model *model, const tlv_row *row)
{
	for (size_t i = 0; i < row->part[0].n; i++)
		if (knows_id(model, row, 0, i) && knows_id(model, row, 1, i))
			return true;
	return false;
}

static bool
knows_any(const tlv_model *model, const tlv_row *row, size_t parts)
{
	for (size_t p = 0; p < parts; p++)
		for (size_t i = 0; row->part[p].type == TLV_PART_IDS && i < row->part[p].n; i++)
			if (knows_id(model, row, p, i))
				return true;
	return false;
}

bool
TlvRowIsKnown(const tlv_model *model, const tlv_row *row)
{
	bool ids = model->class->ids != NULL;
	int64_t item;

	switch (row->form)
	{
		case TLV_ROW_BAG:
			return !ids || unknown_find_item(model, row->bag, true, &item);
		case TLV_ROW_CODES:
			return knows_category(&model->frame, &row->part[0]);
		case TLV_ROW_VECTOR:
		case TLV_ROW_SEQUENCE:
			return has_number(&row->part[0]);
		case TLV_ROW_SYMBOLS:
			return !ids || knows_any(model, row, 1);
		case TLV_ROW_CATEGORIES:
			return !ids || knows_any(model, row, 3);
		case TLV_ROW_ANSWERS:
			return !ids || knows_answer(model, row);
		default:
			return true;
	}
}

/* ---- counting ---- */

char *
TlvNameOfVariable(const tlv_frame *model, size_t variable)
{
	tlv_value_names names = tlv_value_names_of(model);
	tlv_text name = {NULL, 0};
	char *bytes;

	for (size_t i = 0; i <= variable; i++)
		if (!tlv_value_names_next(&names, &name))
			return NULL;
	bytes = pnstrdup(name.bytes, name.length);
	tlv_lines_decode(bytes, name.length);
	return bytes;
}

const char *
TlvVariableName(const tlv_frame *model, size_t variable)
{
	const char *name = TlvNameOfVariable(model, variable);

	return name != NULL ? quote_identifier(name) : psprintf("%zu", variable + 1);
}

/* A message about a number of a row, with the number's name in the model. */
static const char *
name_number_of(const tlv_frame *model, const char *message)
{
	size_t copies = (size_t) Max(tlv_frame_scalar(model, "copies", 1), 1), position = 0;
	const char *name;
	int after = 0;

	sscanf(message, "number %zu of a row%n", &position, &after);
	if (after == 0)
		sscanf(message, "element %zu of a vector%n", &position, &after);
	if (after == 0 || position == 0)
		return message;
	name = TlvNameOfVariable(model, (position - 1) / copies);
	if (name == NULL)
		return message;
	return psprintf("number \"%s\" of a row%s", TlvClip(name, 60), message + after);
}

void
TlvRefuseNumber(const tlv_frame *model, size_t i)
{
	const char *message = psprintf("element %zu of a vector is not finite", i + 1);

	ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					errmsg("%s", model != NULL ? name_number_of(model, message) : message),
					errhint("What is missing is null.")));
	pg_unreachable();
}

void
TlvCheckRow(tlv_context *ctx, const tlv_frame *model, tlv_status status)
{
	const char *named;

	if (status == TLV_OK)
		return;
	named = name_number_of(model, ctx->error.message);
	if (named != ctx->error.message)
		strlcpy(ctx->error.message, named, sizeof(ctx->error.message));
	TlvRaise(ctx);
}

void
TlvCountUnknown(TlvRowCursor *cursor)
{
	TlvUnknown *unknown = &cursor->unknown;
	const Elements *elements;
	const char *first;

	if (!unknown->found)
		find_unknown(cursor, unknown);
	if (!unknown->found)
		return;
	elements = unknown_elements_of(cursor->model, &cursor->row, unknown->part);
	if (!TlvCountRow(cursor->function, elements->hint))
	{
		first = TlvClip(pnstrdup(unknown->name.bytes, unknown->name.length), 60);
		first = has_variables(&cursor->row) && unknown->part != TLV_NO_PART
					? psprintf("\"%s\" of variable %s", first,
							   TlvVariableName(&cursor->model->frame, unknown->part))
					: psprintf("\"%s\"", first);
		TlvCountFirstRow(cursor->function, elements->name, first, elements->detail, elements->hint);
	}
	unknown->found = false; /* of the next row of the call */
}
