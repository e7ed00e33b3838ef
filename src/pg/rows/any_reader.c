/*
 * any_reader.c - the row in an argument that is declared "any", as the model takes it (any.h).
 */
#include "any_internal.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "query/query.h"
#include "vectors.h"
#include "server/arrays.h"
#include "tensorlv/model/categories.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/kind.h"

static AnyRow *
any_reader_row_of(FunctionCallInfo fcinfo, int argument)
{
	TlvCallNote *note = TlvNoteOfCall(fcinfo);
	AnyRow *row = note->kept;

	if (row != NULL)
		return row;
	row = MemoryContextAllocZero(note->mcxt, sizeof(AnyRow));
	row->mcxt = note->mcxt;
	row->function = fcinfo->flinfo->fn_oid;
	TlvAnyType(TlvAnyArgument(fcinfo, argument), PG_GET_COLLATION(), note->mcxt, &row->type);
	if (TlvAnyDeclared(fcinfo, argument) == TEXTOID)
		row->type.form = ANY_TEXT;
	note->kept = row;
	return row;
}

/* ---- what a model takes ---- */

static const struct
{
	tlv_row_form form;
	const char *what;
} taken[] = {
	{TLV_ROW_BAG, "a tlv_bag (tlv_bag_agg(item) makes it from rows), an array of them, an array of "
				  "text or a tsvector"},
	{TLV_ROW_VIEWS, "three views, ROW(x1, x2, x3), each an array of numbers"},
	{TLV_ROW_CATEGORIES, "three categories, ROW(a, b, c)"},
	{TLV_ROW_CODES,
	 "an array or a row of states: integers from 0, or names where the model has them"},
	{TLV_ROW_VECTOR, "an array or a row of numbers, or a vector: a type with a cast to real[]"},
	{TLV_ROW_SEQUENCE, "a sequence of vectors: an array of numbers, steps x dimensions"},
	{TLV_ROW_SYMBOLS, "a sequence of symbols: an array of integers or of text"},
	{TLV_ROW_ANSWERS, "answers to one item, ROW(workers, answers), two arrays of ids"},
	{TLV_ROW_NEIGHBOURS, "a node and its neighbours, two arguments: a bigint and a tlv_bag"},
};

/* "a tlv_bag or a tsvector", "three categories, ROW(a, b, c), or an array ..." */
static const char *
taken_forms(const AnyCall *call)
{
	StringInfoData text;
	tlv_code_names names;

	initStringInfo(&text);
	if (TlvAnyMixedNames(call, &names))
		return "its categories and then its numbers, by name or in the order of tlv_info(model) -> "
			   "'dimension_names'; or ROW(variables, categories, numbers), three arrays";
	for (size_t i = 0; i < lengthof(taken); i++)
		if ((call->takes & taken[i].form) != 0)
			appendStringInfo(&text, "%s%s", text.len > 0 ? "; or " : "", taken[i].what);
	if ((call->takes & (TLV_ROW_CODES | TLV_ROW_VECTOR)) != 0 &&
		tlv_value_names_of(&call->model->frame).n > 0)
		appendStringInfoString(&text, "; or ROW(variables, values), two arrays");
	return text.data;
}

static _Noreturn void
any_reader_refuse_text(const AnyCall *call, const char *given)
{
	ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("a model of kind %s takes no row of type text",
						   TlvKind(&call->model->frame)->name),
					errhint("Use to_tsvector(%s) for words of a text. It takes %s.",
							quote_literal_cstr(TlvClip(given, 60)), taken_forms(call))));
	pg_unreachable();
}

static _Noreturn void
refuse_type(const AnyCall *call, Oid type)
{
	const char *step = (call->takes & TLV_ROW_VECTOR) != 0 ? TlvVectorStep(type) : NULL;

	ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("a model of kind %s takes no row of type %s",
						   TlvKind(&call->model->frame)->name, format_type_be(type)),
					step != NULL ? errhint("Cast it: x::%s.", step)
								 : errhint("It takes %s.", taken_forms(call))));
	pg_unreachable();
}

/* ---- one value ---- */

const TlvRowReader TlvModelRows = {.arguments = 1, .of_model = true};

void
TlvAnyOpenAs(const AnyCall *call, const TlvRowReader *reader, tlv_row_form form, Datum value)
{
	LOCAL_FCINFO(argument, 1);

	InitFunctionCallInfoData(*argument, NULL, 1, InvalidOid, NULL, NULL);
	argument->args[0] = (NullableDatum){value, false};
	TlvCursorBegin(call->cursor, form);
	call->cursor->named = &call->model->frame;
	reader->open(argument, 0, call->takes, call->cursor);
}

void
TlvAnyOpenNumbers(const AnyCall *call, size_t d, const double *x, const bool *nulls)
{
	TlvAnyOpenAs(call, &TlvAnyVectorRows, TLV_ROW_VECTOR,
				 PointerGetDatum(TlvFloat8Nulls(d, x, nulls)));
}

/* An element that is null, by its name in the model, where rows have to be complete. */
static void
require_elements(const AnyCall *call, ArrayType *array)
{
	const unsigned nulls = TLV_ROWS_MISSING_ELEMENTS | TLV_ROWS_MISSING_OF_MANY | TLV_ROWS_COMPLETE;
	int i = (call->takes & nulls) != 0 ? -1 : TlvFirstNull(array);
	const char *name;

	if (i < 0)
		return;
	name =
		TlvNameOfVariable(&call->model->frame, (size_t) (i % ARR_DIMS(array)[ARR_NDIM(array) - 1]));
	if (name != NULL)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("number \"%s\" of a row is null", TlvWhole(name)),
						errhint("Leave such rows out with FILTER or WHERE, or fill them with "
								"coalesce().")));
}

static void
any_reader_open_numbers(const AnyCall *call, ArrayType *array, Oid element)
{
	tlv_code_names names;

	if (TlvAnyCodeNames(call, &names))
	{
		TlvAnyOpenCodeArray(call, &names, array, element);
		return;
	}
	if ((call->takes & TLV_ROW_CODES) != 0)
		TlvAnyOpenAs(call, &TlvIntegerRows, TLV_ROW_CODES,
					 PointerGetDatum(TlvInt4Numbers(array, element)));
	else if ((call->takes & TLV_ROW_SYMBOLS) != 0)
		TlvAnyOpenAs(call, &TlvSymbolSequences, TLV_ROW_SYMBOLS,
					 PointerGetDatum(TlvInt8Numbers(array, element)));
	else
	{
		require_elements(call, array);
		TlvAnyOpenAs(call, &TlvAnyVectorRows,
					 (call->takes & TLV_ROW_SEQUENCE) != 0 ? TLV_ROW_SEQUENCE : TLV_ROW_VECTOR,
					 PointerGetDatum(TlvFloat8Numbers(array, element)));
	}
}

/* Three categories as an array of texts. */
static void
open_named_categories(const AnyCall *call, const AnyType *type, ArrayType *array, Oid element)
{
	const AnyType text_type = {
		.form = ANY_OTHER, .type = TEXTOID, .base = TEXTOID, .equality = type->equality};
	Datum *values;
	bool *nulls;
	int n = TlvArrayElements(TlvTexts(array, element), 0, &values, &nulls);

	if (n != 3)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("an array of %d categories is no row of three views", n)));
	TlvCursorBegin(call->cursor, TLV_ROW_CATEGORIES);
	for (int t = 0; t < 3; t++)
		if (nulls[t])
			call->cursor->row.part[t].type = TLV_PART_NONE;
		else
			TlvPutCategory(&text_type, values[t], t, call->cursor);
}

#define NUMBERS (TLV_ROW_CODES | TLV_ROW_SYMBOLS | TLV_ROW_SEQUENCE | TLV_ROW_VECTOR)

/* One, or an array of them. */
static void
open_bags(const AnyCall *call, const TlvRowReader *reader, Datum value)
{
	if ((call->takes & TLV_ROW_BAG) == 0)
		refuse_type(call, call->row->type.type);
	TlvAnyOpenAs(call, reader, TLV_ROW_BAG, value);
}

static void
open_bag(const AnyCall *call, Datum value)
{
	open_bags(call, &TlvBagRows, value);
}

/* A bag of lexemes, which are kept to name those that the model does not know. */
static void
open_bag_of_words(const AnyCall *call, Datum words)
{
	open_bag(call, DirectFunctionCall1(tlv_to_bag_tsvector, words));
	call->cursor->words = words;
}

/* The same of strings. */
static void
open_bag_of_strings(const AnyCall *call, ArrayType *strings)
{
	TlvAnyOpenAs(call, &TlvBagRows, TLV_ROW_BAG, TlvBagOfTerms(PointerGetDatum(strings)));
	call->cursor->strings = strings;
}

static void
open_array(const AnyCall *call, AnyType *type, ArrayType *array)
{
	Oid element = TlvAnyElement(type, array);
	bool text = !TlvIsNumberType(element) && TlvIsIdType(element);
	tlv_code_names names;

	if ((call->takes & NUMBERS) != 0 && TlvIsNumberType(element))
		any_reader_open_numbers(call, array, element);
	else if (text && TlvAnyCodeNames(call, &names))
		TlvAnyOpenCodeArray(call, &names, array, element);
	else if ((call->takes & TLV_ROW_CATEGORIES) != 0 && text)
		open_named_categories(call, type, array, element);
	else if ((call->takes & TLV_ROW_SYMBOLS) != 0 && text)
	{
		TlvAnyOpenAs(call, &TlvNamedSequences, TLV_ROW_SYMBOLS,
					 PointerGetDatum(TlvTexts(array, element)));
		call->cursor->equality[0] = type->equality;
	}
	else if ((call->takes & TLV_ROW_BAG) != 0 && text)
		open_bag_of_strings(call, TlvTexts(array, element));
	else
		refuse_type(call, type->type);
}

static void
open_cast(const AnyCall *call, Datum value)
{
	if ((call->takes & NUMBERS) == 0)
		refuse_type(call, call->row->type.type);
	any_reader_open_numbers(call, TlvAnyCast(&call->row->type, value), FLOAT4OID);
}

/* An array of bags in its text form, as the same array of texts. */
static void
open_literal_bags(const AnyCall *call, char *given)
{
	ArrayType *array = TlvArrayOfText(given, TEXTOID);
	Datum *bags;
	bool *nulls;
	int n = TlvArrayElements(array, 0, &bags, &nulls);

	for (int i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		if (!nulls[i])
			bags[i] =
				DirectFunctionCall1(tlv_bag_in, CStringGetDatum(TextDatumGetCString(bags[i])));
	}
	/* The type of the elements says no more than how they are aligned, as bags are. */
	open_bags(call, &TlvBagArrayRows,
			  PointerGetDatum(construct_md_array(bags, nulls, ARR_NDIM(array), ARR_DIMS(array),
												 ARR_LBOUND(array), FLOAT8ARRAYOID, -1, false,
												 TYPALIGN_DOUBLE)));
}

/* A vector as pgvector writes it, [1,2,3], is an array. */
static char *
as_array(char *given)
{
	given += strspn(given, " \t\n");
	if (*given != '[' || strchr(given, '=') != NULL) /* bounds of an array: [0:2]={1,2,3} */
		return given;
	given = pstrdup(given);
	for (char *at = given; *at != '\0'; at++)
		*at = *at == '[' ? '{' : *at == ']' ? '}' : *at;
	return given;
}

/* The values of a row in the order of the model, which a row literal has; 0: it has no order. */
static size_t
columns_of_row(const AnyCall *call)
{
	size_t named = tlv_value_names_of(&call->model->frame).n;

	/* Three columns are the views themselves. */
	if ((call->takes & (TLV_ROW_CODES | TLV_ROW_VECTOR)) == 0 || (call->takes & TLV_ROW_VIEWS) != 0)
		return 0;
	return named > 0 ? named : tlv_model_dimensions(&call->model->frame);
}

/* A literal, or another text without a type, is read as what the model takes. */
static void
open_literal(const AnyCall *call, char *given)
{
	Oid element = FLOAT8OID;
	size_t columns = 0;
	tlv_code_names names;
	Datum bag, words;

	if ((call->takes & TLV_ROW_BAG) != 0)
	{
		given += strspn(given, " \t\n");
		if (TlvBagOfText(given, &bag, &words))
		{
			open_bag(call, bag);
			call->cursor->words = words;
		}
		else if (strncmp(given, "{\"{", 3) == 0 || pg_strncasecmp(given, "{NULL", 5) == 0)
			open_literal_bags(call, given);
		else if (given[0] == '{')
			open_bag_of_strings(call, TlvArrayOfText(given, TEXTOID));
		else
			any_reader_refuse_text(call, given);
		return;
	}
	given = as_array(given);
	if ((*given == '{' || *given == '(') && TlvAnyMixedNames(call, &names))
	{
		TlvAnyOpenMixedLiteral(call, &names, given);
		return;
	}
	if (*given == '(')
		columns = columns_of_row(call);
	if ((call->takes & NUMBERS) == 0 || (*given != '{' && *given != '[' && columns == 0))
		refuse_type(call, TEXTOID);
	if (TlvAnyCodeNames(call, &names) ||
		((call->takes & TLV_ROW_CATEGORIES) != 0 &&
		 tlv_frame_find(&call->model->frame, "category_names") != NULL))
		element = TEXTOID;
	else if ((call->takes & TLV_ROW_SYMBOLS) != 0)
		element = tlv_frame_find(&call->model->frame, "names") != NULL ? TEXTOID : INT8OID;
	open_array(call, &(AnyType){.form = ANY_ARRAY, .type = UNKNOWNOID},
			   columns > 0 ? TlvAnyRecordArray(given, columns, element)
						   : TlvArrayOfText(given, element));
}

/* ---- records ---- */

void
TlvAnyRefuseColumn(const AnyCall *call, int i)
{
	const AnyRecord *record = &call->row->record;
	const FormData_pg_attribute *column = TupleDescAttr(record->desc, record->columns[i]);

	ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("column %d (%s) of a row is of type %s", i + 1,
						   TlvWhole(NameStr(column->attname)), format_type_be(column->atttypid)),
					errhint("The model takes %s.", taken_forms(call))));
	pg_unreachable();
}

/* A column as float8[]; what a view is. */
static ArrayType *
column_view(const AnyCall *call, int i)
{
	AnyRecord *record = &call->row->record;
	AnyType *type = &record->type[i];
	Datum value = record->values[record->columns[i]];
	ArrayType *array = NULL;

	if (type->form == ANY_CAST)
		array = TlvAnyCast(type, value);
	else if (type->form == ANY_ARRAY)
		array = TlvFetchArray(value);
	if (array == NULL || (type->form == ANY_ARRAY && !TlvIsNumberType(TlvAnyElement(type, array))))
		TlvAnyRefuseColumn(call, i);
	return TlvFloat8Numbers(array, type->form == ANY_CAST ? FLOAT4OID : type->base);
}

static void
open_views(const AnyCall *call)
{
	LOCAL_FCINFO(arguments, 3);

	InitFunctionCallInfoData(*arguments, NULL, 3, InvalidOid, NULL, NULL);
	for (int t = 0; t < 3; t++)
	{
		arguments->args[t].isnull = TlvAnyColumnIsNull(&call->row->record, t);
		if (!arguments->args[t].isnull)
			arguments->args[t].value = PointerGetDatum(column_view(call, t));
	}
	TlvCursorOpen(arguments, 0, &TlvViewRows, TLV_ROW_VIEWS, call->takes, call->cursor);
}

/* The numbers of a row as one array. */
static ArrayType *
column_numbers(const AnyCall *call)
{
	const AnyRecord *record = &call->row->record;

	TlvAnyMatchRecord(call);
	for (size_t i = 0; i < record->d; i++)
	{
		int column = record->order != NULL ? record->order[i] : (int) i;

		if (!TlvAnyColumnIsNull(record, column) && record->type[column].form != ANY_NUMBER)
			TlvAnyRefuseColumn(call, column);
	}
	return TlvAnyColumnNumbers(record, record->d, record->order);
}

static void
open_code_columns(const AnyCall *call, const tlv_code_names *names)
{
	AnyRecord *record = &call->row->record;
	AnyCode *values;

	TlvAnyMatchRecord(call);
	values = palloc0(Max(record->d, 1) * sizeof(AnyCode));
	for (size_t i = 0; i < record->d; i++)
	{
		int column = record->order != NULL ? record->order[i] : (int) i;

		values[i].missing = TlvAnyColumnIsNull(record, column);
		if (!values[i].missing)
			values[i] =
				TlvAnyCodeOf(&record->type[column], record->values[record->columns[column]]);
	}
	TlvAnyOpenCodes(call, names, record->d, values);
}

/* A number that is whole as the category of a view, of whatever type it is. */
static void
put_whole_number(const AnyCall *call, int t)
{
	AnyRecord *record = &call->row->record;
	double number = TlvNumberOf(record->type[t].base, record->values[record->columns[t]]);
	ArrayType *whole = TlvInt8Numbers(TlvFloat8Array(1, &number), FLOAT8OID);

	TlvPutCategory(&(AnyType){.form = ANY_NUMBER, .type = INT8OID, .base = INT8OID},
				   Int64GetDatum(*(int64 *) ARR_DATA_PTR(whole)), t, call->cursor);
}

/* Three of them, or what is missing of them. */
static void
any_reader_open_categories(const AnyCall *call)
{
	AnyRecord *record = &call->row->record;

	TlvCursorBegin(call->cursor, TLV_ROW_CATEGORIES);
	for (int t = 0; t < 3; t++)
	{
		const AnyType *type = &record->type[t];

		if (TlvAnyColumnIsNull(record, t))
			call->cursor->row.part[t].type = TLV_PART_NONE;
		else if (type->form == ANY_NUMBER && !TlvIsIntegerType(type->base))
			put_whole_number(call, t);
		else if (type->form == ANY_NUMBER || type->form == ANY_LITERAL || TlvIsIdType(type->base))
			TlvPutCategory(type, record->values[record->columns[t]], t, call->cursor);
		else
			TlvAnyRefuseColumn(call, t);
	}
}

/* Two arrays of as many ids: workers, and what they answered. */
static void
open_answers(const AnyCall *call)
{
	AnyRecord *record = &call->row->record;

	TlvCursorBegin(call->cursor, TLV_ROW_ANSWERS);
	for (int t = 0; t < 2; t++)
	{
		AnyType *type = &record->type[t];
		ArrayType *array;

		if (type->form != ANY_ARRAY || TlvAnyColumnIsNull(record, t))
			TlvAnyRefuseColumn(call, t);
		array = TlvFetchArray(record->values[record->columns[t]]);
		if (!TlvIsIdType(TlvAnyElement(type, array)))
			TlvAnyRefuseColumn(call, t);
		TlvIdsOf(array, TlvAnyElement(type, array), &call->cursor->row.part[t], call->cursor);
		call->cursor->equality[t] = type->equality;
	}
}

/* Does a column that is there hold a view, or is none there?  *missing: one is not. */
static bool
has_views(const AnyRecord *record, bool *missing)
{
	bool views = false, any = false;

	*missing = false;
	for (int i = 0; i < record->n; i++)
	{
		bool there = !TlvAnyColumnIsNull(record, i);

		any |= there;
		*missing |= !there;
		views |= there && record->type[i].form != ANY_NUMBER;
	}
	return views || !any;
}

static bool
open_record(const AnyCall *call, Datum value)
{
	AnyRecord *record = &call->row->record;
	tlv_code_names names;
	bool views, missing;

	TlvAnyReadRecord(record, DatumGetHeapTupleHeader(value), call->row->mcxt);
	views = has_views(record, &missing);
	if (record->n == 3 && missing && (call->takes & TLV_ROWS_COMPLETE) != 0 &&
		(call->takes & (TLV_ROW_VIEWS | TLV_ROW_CATEGORIES)) != 0)
		return false;
	if ((call->takes & TLV_ROW_ANSWERS) != 0 && record->n == 2)
	{
		open_answers(call);
		return true;
	}
	if (TlvAnyIsLong(call))
		TlvAnyOpenLong(call);
	else if ((call->takes & TLV_ROW_VIEWS) != 0 && record->n == 3 && views)
		open_views(call);
	else if ((call->takes & TLV_ROW_CATEGORIES) != 0 && record->n == 3)
		any_reader_open_categories(call);
	else if (TlvAnyCodeNames(call, &names))
		open_code_columns(call, &names);
	else if (TlvAnyMixedNames(call, &names))
	{
		TlvAnyMatchRecord(call);
		TlvAnyOpenMixedColumns(call, &names);
	}
	else if ((call->takes & (TLV_ROW_VECTOR | TLV_ROW_CODES)) != 0)
		any_reader_open_numbers(call, column_numbers(call), FLOAT8OID);
	else
		refuse_type(call, call->row->type.type);
	return true;
}

/* ---- any row ---- */

bool
TlvAnyOpen(FunctionCallInfo fcinfo, int argument, const tlv_model *model, unsigned takes,
		   const char *what, TlvRowCursor *cursor)
{
	AnyRow *row = any_reader_row_of(fcinfo, argument);
	AnyCall call = {row, model, takes, cursor};
	Datum value = PG_GETARG_DATUM(argument);
	bool there = true;

	row->unknown.found = false;
	if (takes == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s is not defined for a model of kind %s", what,
							   TlvKind(&model->frame)->name),
						TlvKind(&model->frame) == &tlv_kind_ica
							? errhint("tlv_unmix(model, x) has the sources of a row.")
							: errhint("tlv_kinds() lists the functions that apply to each kind.")));
	switch (row->type.form)
	{
		case ANY_BAG:
			open_bag(&call, value);
			break;
		case ANY_BAGS:
			open_bags(&call, &TlvBagArrayRows, value);
			break;
		case ANY_TSVECTOR:
			open_bag_of_words(&call, value);
			break;
		case ANY_ARRAY:
			open_array(&call, &row->type, TlvFetchArray(value));
			break;
		case ANY_CAST:
			open_cast(&call, value);
			break;
		case ANY_RECORD:
			there = open_record(&call, value);
			break;
		case ANY_LITERAL:
			open_literal(&call, DatumGetCString(value));
			break;
		case ANY_TEXT:
			open_literal(&call, TextDatumGetCString(value));
			break;
		default:
			refuse_type(&call, row->type.type);
	}
	if (there)
		TlvAnySettleIds(model, cursor);
	if (there && TlvCountsRows())
	{
		cursor->model = model;
		cursor->function = row->function;
		cursor->unknown = row->unknown;
	}
	return there;
}
