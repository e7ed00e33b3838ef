/*
 * survey_query.c - rows of categorical variables whose categories may have names, from a driver's
 * query (queries.h).
 */
#include "queries.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "tensorlv/model/categories.h"
#include "tensorlv/model/layout.h"

static const char *const accepted =
	"It must return (row, variable, category), variables and categories by text or whole numbers, "
	"or one column of arrays: integer[] of categories, numbered from 0.";

static bool
is_text(Oid type)
{
	return TlvIsTextType(getBaseType(type));
}

static bool
is_category(Oid type)
{
	Oid base = getBaseType(type);

	return TlvIsTextType(base) || TlvIsIntegerType(base) || base == BOOLOID || type_is_enum(base);
}

/* Whether they are arrays. */
static bool
recognize_answers(TupleDesc desc)
{
	Oid last = desc->natts > 0 ? TupleDescAttr(desc, desc->natts - 1)->atttypid : InvalidOid;
	Oid element = desc->natts == 1 ? get_element_type(getBaseType(last)) : InvalidOid;

	if (OidIsValid(element) && TlvIsIntegerType(getBaseType(element)))
		return true;
	if (desc->natts != 3 || !is_category(last) || !is_category(TupleDescAttr(desc, 1)->atttypid))
		TlvRefuseColumns(desc, "answers", accepted);
	return false;
}

/* ---- variables and categories ---- */

/* All pairs of a variable and a category, in the order of both. */
typedef struct SurveyList
{
	MemoryContext mcxt;
	TlvSurvey *answers;
	int64 n, room; /* pairs */
	Datum *variable, *category, *at, *code;
	int64_t variables;
	int64_t offsets[TLV_CATEGORY_MOST_VARIABLES + 1];
	int64_t states[TLV_CATEGORY_MOST_VARIABLES];
	int64_t *category_offsets; /* room + 1 */
	StringInfoData names, categories;
} SurveyList;

static void
grow_answers(SurveyList *list)
{
	Size bytes;

	if (list->n < list->room)
		return;
	list->room *= 2;
	bytes = (Size) list->room * sizeof(Datum);
	list->variable = repalloc_huge(list->variable, bytes);
	list->category = repalloc_huge(list->category, bytes);
	list->at = repalloc_huge(list->at, bytes);
	list->code = repalloc_huge(list->code, bytes);
	list->category_offsets = repalloc_huge(list->category_offsets, bytes + sizeof(int64_t));
}

static void
refuse_long(const char *variable, int length)
{
	ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					errmsg("a category of variable \"%s\" is a text of %d bytes",
						   TlvClip(variable, 40), length),
					errhint("Categories are names of at most %d bytes.", TLV_LABEL_MOST)));
}

/* Begins the next variable where it is another one than the last. */
static void
take_variable(SurveyList *list, Datum variable)
{
	text *name = DatumGetTextPP(variable);
	int length = (int) VARSIZE_ANY_EXHDR(name);
	int64_t last = list->variables - 1;

	if (last >= 0 && list->offsets[last + 1] - list->offsets[last] == length &&
		memcmp(list->names.data + list->offsets[last], VARDATA_ANY(name), (size_t) length) == 0)
		return;
	if (list->variables == TLV_CATEGORY_MOST_VARIABLES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the query returns more than %d variables", TLV_CATEGORY_MOST_VARIABLES)));
	appendBinaryStringInfo(&list->names, VARDATA_ANY(name), length);
	list->offsets[++list->variables] = list->names.len;
	list->states[list->variables - 1] = 0;
}

static void
take_answer(void *argument, TupleTableSlot *slot)
{
	SurveyList *list = argument;
	MemoryContext before = MemoryContextSwitchTo(list->mcxt);
	Datum variable = PointerGetDatum(PG_DETOAST_DATUM_COPY(slot->tts_values[0]));
	Datum category = PointerGetDatum(PG_DETOAST_DATUM_COPY(slot->tts_values[1]));
	int length = (int) VARSIZE_ANY_EXHDR(DatumGetPointer(category));
	int64_t *states;

	take_variable(list, variable);
	if (length > TLV_LABEL_MOST)
		refuse_long(TextDatumGetCString(variable), length);
	states = &list->states[list->variables - 1];
	if (*states == TLV_CATEGORY_MOST_STATES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("variable \"%s\" has more than %d categories",
						TlvClip(TextDatumGetCString(variable), 40), TLV_CATEGORY_MOST_STATES),
				 errhint("Join the rare ones, and leave out what is no category.")));
	grow_answers(list);
	list->variable[list->n] = variable;
	list->category[list->n] = category;
	list->at[list->n] = Int32GetDatum((int32) list->variables);
	list->code[list->n] = Int32GetDatum((int32) (*states)++);
	appendBinaryStringInfo(&list->categories, VARDATA_ANY(DatumGetPointer(category)), length);
	list->category_offsets[++list->n] = list->categories.len;
	MemoryContextSwitchTo(before);
}

static SurveyList *
collect_answers(TlvSource *rows, bool text_variables, bool text_categories)
{
	SurveyList *list = palloc0(sizeof(SurveyList));
	const char *as_text = "::pg_catalog.text COLLATE pg_catalog.\"C\"";
	TlvStatement statement;

	list->mcxt = CurrentMemoryContext;
	list->room = 64;
	list->variable = palloc(64 * sizeof(Datum));
	list->category = palloc(64 * sizeof(Datum));
	list->at = palloc(64 * sizeof(Datum));
	list->code = palloc(64 * sizeof(Datum));
	list->category_offsets = palloc0(65 * sizeof(int64_t));
	initStringInfo(&list->names);
	initStringInfo(&list->categories);
	TlvStatementBegin(&statement, rows->query);
	appendStringInfo(&statement.sql,
					 "SELECT variable::pg_catalog.text, category::pg_catalog.text FROM (SELECT "
					 "DISTINCT variable%s AS variable, category%s AS category FROM " TLV_QUERY_ROWS
					 " AS q(r, variable, category) WHERE r IS DISTINCT FROM NULL AND variable IS "
					 "NOT NULL AND category IS NOT NULL) AS d ORDER BY d.variable, d.category",
					 text_variables ? as_text : "", text_categories ? as_text : "");
	TlvDriverReport(rows->driver, "collecting the categories");
	(void) TlvStatementRun(&statement, 2, (Oid[]){TEXTOID, TEXTOID}, take_answer, list);
	return list;
}

/* ---- rows ---- */

static int
array_parameter(TlvSource *rows, const SurveyList *list, Datum *values, Oid element)
{
	bool is_text = element == TEXTOID;
	ArrayType *array =
		construct_array(values, (int) list->n, element, is_text ? -1 : 4, !is_text, TYPALIGN_INT);

	return TlvStatementParameter(&rows->made, is_text ? TEXTARRAYOID : INT4ARRAYOID,
								 PointerGetDatum(array));
}

/* One array for each row, its values by the numbers of variables and categories; copies of a
 * variable side by side, in the order of their categories. */
static void
pivot_answers(TlvSource *rows, const SurveyList *list, int copies)
{
	int name = array_parameter(rows, list, list->variable, TEXTOID);
	int category = array_parameter(rows, list, list->category, TEXTOID);
	int at = array_parameter(rows, list, list->at, INT4OID);
	int code = array_parameter(rows, list, list->code, INT4OID);
	const char *call =
		TlvStatementCall(&rows->made, "tlv_row_agg", 3, (Oid[]){INT4OID, INT4OID, INT4OID}, NULL);

	appendStringInfo(&rows->made.sql,
					 "SELECT %s(a.slot::pg_catalog.int4, a.code, %d::pg_catalog.int4) AS v FROM "
					 "(SELECT q.r AS r, v.code AS code, ",
					 call, (int) list->variables * copies);
	if (copies == 1)
		appendStringInfoString(&rows->made.sql, "v.at AS slot ");
	else
		appendStringInfo(&rows->made.sql,
						 "(v.at OPERATOR(pg_catalog.-) 1) OPERATOR(pg_catalog.*) %d "
						 "OPERATOR(pg_catalog.+) pg_catalog.row_number() OVER (PARTITION BY q.r, "
						 "v.at ORDER BY v.code) AS slot ",
						 copies);
	appendStringInfo(
		&rows->made.sql,
		"FROM " TLV_QUERY_ROWS " AS q(r, variable, category) JOIN ROWS FROM "
		"(pg_catalog.unnest($%d), pg_catalog.unnest($%d), pg_catalog.unnest($%d), "
		"pg_catalog.unnest($%d)) AS v(name, category, at, code) ON v.name "
		"OPERATOR(pg_catalog.=) q.variable::pg_catalog.text COLLATE pg_catalog.\"C\" AND "
		"v.category OPERATOR(pg_catalog.=) q.category::pg_catalog.text COLLATE pg_catalog.\"C\" "
		"WHERE q.r IS DISTINCT FROM NULL) AS a GROUP BY a.r",
		name, category, at, code);
}

static void
tell_answers(TlvSource *rows, SurveyList *list, TlvSurvey *answers)
{
	rows->names = palloc0(sizeof(tlv_names));
	rows->names->n = (size_t) list->variables;
	rows->names->offsets = list->offsets;
	rows->names->text = list->names.data;
	answers->categories.n = (size_t) list->n;
	answers->categories.offsets = list->category_offsets;
	answers->categories.text = list->categories.data;
	answers->states = list->states;
}

void
TlvReadSurvey(TlvDriver *driver, const char *text, int copies, TlvSurvey *answers)
{
	TlvSource *rows = TlvSourceOpen(driver, 0, text, "answers");
	TupleDesc desc = rows->query->desc;
	bool arrays = recognize_answers(desc);
	SurveyList *list;

	memset(answers, 0, sizeof(*answers));
	rows->form = TLV_ROW_CODES;
	TlvSourceColumn(rows, "v", INT4ARRAYOID);
	if (arrays)
		appendStringInfoString(&rows->made.sql,
							   "SELECT v::pg_catalog.int4[] AS v FROM " TLV_QUERY_ROWS " AS q(v)");
	else
	{
		TlvSourceHold(rows);
		list = collect_answers(rows, is_text(TupleDescAttr(desc, 1)->atttypid),
							   is_text(TupleDescAttr(desc, 2)->atttypid));
		tell_answers(rows, list, answers);
		if (list->n == 0)
			return;
		pivot_answers(rows, list, copies);
	}
	TlvSourceReady(rows, arrays ? TLV_SOURCE_AGAIN : TLV_SOURCE_MADE);
	TlvSourceRelease(rows);
}
