/*
 * survey_numbers.c - variables that are numbers in rows (row, variable, category, number) of a
 * driver's query (survey.h).
 */
#include "survey.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "tensorlv/model/membership.h"

bool
TlvSurveyIsText(Oid type)
{
	Oid base = getBaseType(type);

	return !TlvIsIntegerType(base) && base != BOOLOID && !type_is_enum(base);
}

/* The n elements of the list as an array, text or int4. */
static int
list_parameter(TlvSource *rows, const SurveyList *list, Datum *values, Oid element)
{
	bool is_text = element == TEXTOID;
	ArrayType *array =
		construct_array(values, (int) list->n, element, is_text ? -1 : 4, !is_text, TYPALIGN_INT);

	return TlvStatementParameter(&rows->made, is_text ? TEXTARRAYOID : INT4ARRAYOID,
								 PointerGetDatum(array));
}

/* Variables and categories are known by their texts. */
#define IS_TEXT_OF(column)                                                                         \
	"OPERATOR(pg_catalog.=) q." column "::pg_catalog.text COLLATE pg_catalog.\"C\""

const char *
TlvSurveyCoded(TlvSource *rows, const SurveyList *list)
{
	int name = list_parameter(rows, list, list->variable, TEXTOID);
	int category = list_parameter(rows, list, list->category, TEXTOID);
	int at = list_parameter(rows, list, list->at, INT4OID);
	int code = list_parameter(rows, list, list->code, INT4OID);

	return psprintf("%s LEFT JOIN ROWS FROM (pg_catalog.unnest($%d), pg_catalog.unnest($%d), "
					"pg_catalog.unnest($%d), pg_catalog.unnest($%d)) "
					"AS v(name, category, at, code) ON v.name %s AND v.category %s",
					list->from, name, category, at, code, IS_TEXT_OF("variable"),
					IS_TEXT_OF("category"));
}

void
TlvSurveyNameNumber(TlvSource *rows, SurveyList *list, const char *name)
{
	appendStringInfoString(&list->names, name);
	list->offsets[++rows->names->n] = list->names.len;
	rows->names->text = list->names.data;
}

static void
add_survey_number(SurveyNumbers *numbers, TupleTableSlot *slot)
{
	Datum name = PointerGetDatum(PG_DETOAST_DATUM_COPY(slot->tts_values[0]));

	if (DatumGetInt64(slot->tts_values[2]) == 0)
	{
		TlvSurveyLeaveOut(numbers->list, slot->tts_values[0]);
		return;
	}
	if (DatumGetBool(slot->tts_values[1]))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("variable \"%s\" has both categories and numbers",
							   TlvClip(TextDatumGetCString(name), 40)),
						errhint("Leave the category NULL where a variable is a number, or use %s "
								"if every column is a variable.",
								TlvHintWide(numbers->rows))));
	if (numbers->list->variables + numbers->n >= TLV_CATEGORY_MOST_VARIABLES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the query returns more than %d variables", TLV_CATEGORY_MOST_VARIABLES)));
	if (numbers->n == numbers->room)
		numbers->names = repalloc(numbers->names, (size_t) (numbers->room *= 2) * sizeof(Datum));
	numbers->names[numbers->n++] = name;
}

static void
take_survey_number(void *numbers, TupleTableSlot *slot)
{
	MemoryContext before = MemoryContextSwitchTo(((SurveyNumbers *) numbers)->mcxt);

	add_survey_number(numbers, slot);
	MemoryContextSwitchTo(before);
}

SurveyNumbers *
TlvSurveyCollectNumbers(TlvSource *rows, SurveyList *list, int copies, int *n)
{
	TupleDesc desc = rows->query->desc;
	SurveyNumbers *numbers = palloc0(sizeof(SurveyNumbers));
	bool text = TlvSurveyIsText(TupleDescAttr(desc, 1)->atttypid);
	TlvStatement statement;

	numbers->mcxt = CurrentMemoryContext;
	numbers->rows = rows;
	numbers->list = list;
	numbers->room = 16;
	numbers->names = palloc(16 * sizeof(Datum));
	TlvStatementBegin(&statement, rows->query);
	appendStringInfo(
		&statement.sql,
		"SELECT d.variable::pg_catalog.text, d.named, d.n FROM (SELECT variable%s AS variable, "
		"pg_catalog.bool_or(category IS NOT NULL) AS named, pg_catalog.count(measured) AS n FROM "
		"%s WHERE r IS DISTINCT FROM NULL AND variable IS NOT NULL GROUP BY 1) AS d WHERE d.n "
		"OPERATOR(pg_catalog.>) 0 OR NOT d.named ORDER BY d.variable",
		text ? "::pg_catalog.text COLLATE pg_catalog.\"C\"" : "", list->from);
	TlvDriverReport(rows->driver, "collecting the numbers");
	(void) TlvStatementRun(&statement, 3, (Oid[]){TEXTOID, BOOLOID, INT8OID}, take_survey_number,
						   numbers);
	*n = numbers->n;
	if (numbers->n > 0 && list->n == 0)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("no variable has a category"),
						errhint("Numbers alone are for tlv_gmm.")));
	if (numbers->n > 0 && copies > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("rows with numbers have no copies of variables")));
	return numbers->n > 0 ? numbers : NULL;
}

/* (r, variable, slot, code): the place of a value in the vector of its row, and what stands there.
 */
static const char *
values_of_rows(TlvSource *rows, const SurveyList *list, const SurveyNumbers *numbers)
{
	const char *coded = TlvSurveyCoded(rows, list);
	ArrayType *names =
		construct_array(numbers->names, numbers->n, TEXTOID, -1, false, TYPALIGN_INT);
	int measured = TlvStatementParameter(&rows->made, TEXTARRAYOID, PointerGetDatum(names));

	return psprintf(
		"(SELECT q.r AS r, q.variable AS variable, COALESCE(v.code::pg_catalog.float8, q.measured) "
		"AS code, COALESCE(v.at, n.at OPERATOR(pg_catalog.+) %d) AS slot FROM %s LEFT JOIN "
		"pg_catalog.unnest($%d) WITH ORDINALITY AS n(name, at) ON n.name %s) AS a",
		(int) list->variables, coded, measured, IS_TEXT_OF("variable"));
}

void
TlvSurveyPivotNumbers(TlvSource *rows, SurveyList *list, const SurveyNumbers *numbers)
{
	const char *call =
		TlvStatementCall(&rows->made, "tlv_row_agg", 3, (Oid[]){INT8OID, FLOAT8OID, INT4OID}, NULL);
	TlvGroups groups = {
		.name = "v", .key = "a.r", .where = "a.code IS NOT NULL", .good = "a.variable"};

	groups.from = values_of_rows(rows, list, numbers);
	groups.value = psprintf("%s(a.slot::pg_catalog.int8, a.code, %d::pg_catalog.int4)", call,
							(int) list->variables + numbers->n);
	appendStringInfo(&rows->made.sql,
					 "SELECT pg_catalog.array_replace(w.v, NULL, '%g'::pg_catalog.float8) AS v "
					 "FROM (",
					 TLV_MEMBERSHIP_MISSING);
	TlvAppendGroups(&rows->made.sql, &groups);
	appendStringInfoString(&rows->made.sql, ") AS w");
	for (int i = 0; i < numbers->n; i++)
		TlvSurveyNameNumber(rows, list, TextDatumGetCString(numbers->names[i]));
}
