/*
 * variables_query.c - rows of variables from a driver's query (queries.h).
 */
#include "survey.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "tensorlv/model/categories.h"

static const char *const accepted =
	"It must return (row, variable, value), variables as strings or integers; one column for each "
	"variable, with layout => 'wide' if there are three; or one column of arrays: integer[] of "
	"categories, numbered from 0, or float8[]. Categories are integers, strings, or values of "
	"other types by their text representation.";

typedef enum ValueForm
{
	FORM_NONE,
	FORM_CATEGORIES,
	FORM_NUMBERS
} ValueForm;

static ValueForm
variables_query_form_of(Oid type)
{
	Oid base = getBaseType(type);

	if (TlvIsIdType(base))
		return FORM_CATEGORIES;
	return TlvIsNumberType(base) ? FORM_NUMBERS : FORM_NONE;
}

static bool
variables_query_is_plain(TupleDesc desc, int column)
{
	Oid type = TlvColumnType(desc, column);

	return TlvIsTextType(type) || TlvIsIntegerType(type);
}

/*
 * (row, variable, value).  Where only the first is a text or a whole number, as in (stock, day,
 * return), the second is the row.  The variable's column, -1 when there is none.
 */
static int
variable_column(TupleDesc desc)
{
	for (int i = 1; i >= 0; i--)
		if (variables_query_is_plain(desc, i))
			return i;
	for (int i = 1; i >= 0; i--)
		if (TlvIsIdType(TlvColumnType(desc, i)))
			return i;
	return -1;
}

static ValueForm
recognize_form(TupleDesc desc)
{
	Oid last = desc->natts > 0 ? TupleDescAttr(desc, desc->natts - 1)->atttypid : InvalidOid;
	Oid element;

	if (desc->natts == 1)
	{
		element = get_element_type(getBaseType(last));
		return OidIsValid(element) && TlvIsNumberType(getBaseType(element))
				   ? variables_query_form_of(element)
				   : FORM_NONE;
	}
	return desc->natts == 3 && variable_column(desc) >= 0 ? variables_query_form_of(last)
														  : FORM_NONE;
}

/* Are they numbers?  kind may make numbers of whole ones. */
static bool
choose_kind(ValueForm form, const char *kind)
{
	bool gaussian = form == FORM_NUMBERS;

	if (kind == NULL)
		return gaussian;
	if (strcmp(kind, "gaussian") == 0)
		return true;
	if (strcmp(kind, "categorical") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no kind of tree \"%s\"", TlvClip(kind, 40)),
						errhint("Use 'categorical' or 'gaussian'.")));
	if (gaussian)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("the query returns numbers, not categories"),
						errhint("Cast them to text or integer, or cut them into ranges by "
								"width_bucket(value, thresholds).")));
	return false;
}

static bool
recognize_kind(const TlvSource *rows, const char *kind)
{
	TupleDesc desc = rows->query->desc;
	ValueForm form = recognize_form(desc);

	if (form == FORM_NONE)
		TlvRefuseColumns(desc, "rows of variables",
						 TlvLooksWide(desc)
							 ? psprintf("Use %s if every column is a variable.", TlvHintWide(rows))
							 : accepted);
	TlvRefuseWide(rows);
	return choose_kind(form, kind);
}

/* ---- the names of the variables ---- */

typedef struct NameList
{
	MemoryContext mcxt;
	int64_t offsets[TLV_CATEGORY_MOST_VARIABLES + 1];
	Datum names[TLV_CATEGORY_MOST_VARIABLES];
	int64 n;
	StringInfoData text;
} NameList;

static void
take_name(void *argument, TupleTableSlot *slot)
{
	NameList *list = argument;
	MemoryContext before;

	if (slot->tts_isnull[0])
		return;
	before = MemoryContextSwitchTo(list->mcxt);
	if (list->n < TLV_CATEGORY_MOST_VARIABLES)
	{
		list->names[list->n] = PointerGetDatum(PG_DETOAST_DATUM_COPY(slot->tts_values[0]));
		appendStringInfoString(&list->text, TextDatumGetCString(slot->tts_values[0]));
		list->offsets[list->n + 1] = list->text.len;
	}
	list->n++;
	MemoryContextSwitchTo(before);
}

/* In their order: by number, or as bytes. */
static NameList *
collect_names(TlvSource *rows, const char *columns, bool text)
{
	NameList *list = palloc0(sizeof(NameList));
	TlvStatement statement;

	list->mcxt = CurrentMemoryContext;
	initStringInfo(&list->text);
	TlvStatementBegin(&statement, rows->query);
	appendStringInfo(
		&statement.sql,
		"SELECT variable::pg_catalog.text FROM (SELECT DISTINCT variable%s AS variable "
		"FROM " TLV_QUERY_ROWS " AS q(%s) WHERE variable IS NOT NULL) AS d ORDER BY d.variable",
		text ? "::pg_catalog.text COLLATE pg_catalog.\"C\"" : "", columns);
	TlvDriverReport(rows->driver, "collecting the variables");
	(void) TlvStatementRun(&statement, 1, (Oid[]){TEXTOID}, take_name, list);
	if (list->n > TLV_CATEGORY_MOST_VARIABLES)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the query returns " INT64_FORMAT " variables, more than %d",
							   list->n, TLV_CATEGORY_MOST_VARIABLES)));
	rows->names = palloc0(sizeof(tlv_names));
	rows->names->n = (size_t) list->n;
	rows->names->offsets = list->offsets;
	rows->names->text = list->text.data;
	return list;
}

/* ---- forms ---- */

/* Rows (row, variable, number) as one array each; false when there is no variable. */
static bool
variables_query_pivot_numbers(TlvSource *rows)
{
	TupleDesc desc = rows->query->desc;
	int variable = variable_column(desc);
	const char *columns = variable == 1 ? "r, variable, value" : "variable, r, value";
	TlvGroups groups = {.name = "v", .key = "q.r", .where = "v.at IS NOT NULL", .good = "v.at"};
	NameList *list;
	ArrayType *names;

	TlvSourceHold(rows);
	list = collect_names(rows, columns, TlvQueryIdType(rows->query, variable) == TEXTOID);
	if (list->n == 0)
		return false;
	names = construct_array(list->names, (int) list->n, TEXTOID, -1, false, TYPALIGN_INT);
	groups.value = psprintf(
		"%s(v.at::pg_catalog.int8, q.value::pg_catalog.float8, %d::pg_catalog.int4)",
		TlvStatementCall(&rows->made, "tlv_row_agg", 3, (Oid[]){INT8OID, FLOAT8OID, INT4OID}, NULL),
		(int) list->n);
	groups.from = psprintf(
		TLV_QUERY_ROWS
		" AS q(%s) LEFT JOIN pg_catalog.unnest($%d) WITH ORDINALITY AS v(name, at) ON "
		"v.name OPERATOR(pg_catalog.=) q.variable::pg_catalog.text COLLATE pg_catalog.\"C\"",
		columns, TlvStatementParameter(&rows->made, TEXTARRAYOID, PointerGetDatum(names)));
	TlvAppendGroups(&rows->made.sql, &groups);
	return true;
}

/* ---- one column a variable ---- */

/* Numbers, unless all are integers of few values, or are cut into ranges: a kind asks for it, or a
 * column of texts, booleans or other categories stands beside them.  Times are no such column. */
static ValueForm
columns_form(const TlvSource *rows, const char *kind)
{
	TupleDesc desc = rows->query->desc;
	bool categories = kind != NULL && strcmp(kind, "categorical") == 0, numbers = false;

	for (int i = 0; i < desc->natts; i++)
	{
		bool number = TlvIsNumberType(TlvColumnType(desc, i));

		categories |= !number && TlvHintTime(desc, i) == NULL;
		numbers |= number && bms_is_member(i, rows->numbers);
	}
	return numbers && !categories ? FORM_NUMBERS : FORM_CATEGORIES;
}

/* A date beside numbers alone may be one of them, or the row. */
static void
refuse_time(TupleDesc desc, int column)
{
	const char *number = TlvHintTime(desc, column);
	Form_pg_attribute attribute = TupleDescAttr(desc, column);

	if (number != NULL)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" is of type %s, beside numbers",
							   NameStr(attribute->attname), format_type_be(attribute->atttypid)),
						getBaseType(attribute->atttypid) == DATEOID
							? errhint("Leave it out, use %s, or cut all of them into ranges by "
									  "kind => 'categorical'.",
									  number)
							: errhint("Leave it out, or use %s.", number)));
}

static void
read_number_columns(TlvSource *rows)
{
	TupleDesc desc = rows->query->desc;

	for (int i = 0; i < desc->natts; i++)
		refuse_time(desc, i);
	TlvNameColumns(rows, 0);
	(void) TlvNameTakenColumns(rows);
	appendStringInfoString(&rows->made.sql, "SELECT ARRAY[");
	for (int i = 0, n = 0; i < desc->natts; i++)
		if (!bms_is_member(i, rows->skipped))
			appendStringInfo(&rows->made.sql, "%sx%d::pg_catalog.float8", n++ > 0 ? ", " : "",
							 i + 1);
	appendStringInfoString(&rows->made.sql, "] AS v");
	TlvAppendWeight(rows, &rows->made.sql);
	TlvAppendQuery(&rows->made.sql, desc->natts);
	TlvSourceReady(rows, TLV_SOURCE_AGAIN);
	TlvQueryRelease(rows->query);
}

/* ---- either ---- */

static void
variables_query_read_numbers(TlvSource *rows, bool wide)
{
	bool arrays = rows->query->desc->natts == 1;

	TlvRequireWeighedRows(rows, wide || arrays);
	rows->form = TLV_ROW_VECTOR;
	TlvSourceColumn(rows, "v", FLOAT8ARRAYOID);
	TlvWeightColumn(rows);
	if (wide)
	{
		read_number_columns(rows);
		return;
	}
	if (arrays)
	{
		appendStringInfoString(&rows->made.sql, "SELECT v::pg_catalog.float8[] AS v");
		TlvAppendWeight(rows, &rows->made.sql);
		appendStringInfoString(&rows->made.sql, " FROM " TLV_QUERY_ROWS " AS q(v)");
	}
	else if (!variables_query_pivot_numbers(rows))
		return;
	if (arrays)
		TlvSourceReady(rows, TLV_SOURCE_AGAIN);
	else
		TlvSourcePivot(rows, 1, TlvHintTwoValues(rows));
	TlvQueryRelease(rows->query);
}

void
TlvReadVariables(TlvDriver *driver, const char *text, const char *kind, TlvLayout layout,
				 TlvSurvey *answers)
{
	TlvSource *rows = TlvSourceOpen(driver, 0, text, "rows of variables");
	TupleDesc desc = rows->query->desc;
	bool wide = TlvIsWide(desc, layout);
	bool arrays = !wide && desc->natts == 1, gaussian;

	(void) choose_kind(FORM_CATEGORIES, kind); /* is there such a kind? */
	if (wide)
	{
		TlvRequireVariables(rows, false);
		TlvSurveyJudgeColumns(rows);
	}
	gaussian = wide ? choose_kind(columns_form(rows, kind), kind) : recognize_kind(rows, kind);
	/* What no row has a value of stands alone in a tree. */
	*answers = (TlvSurvey){.unanswered = true, .cuts_numbers = wide};
	if (gaussian)
		variables_query_read_numbers(rows, wide);
	else
		TlvReadSurveyOf(rows, arrays, wide || arrays ? 1 : variable_column(desc), 1, wide, answers);
}
