/*
 * survey_query.c - rows of categorical variables whose categories may have names, from a driver's
 * query (queries.h).
 */
#include "survey.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "tensorlv/model/categories.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/membership.h"

static const char *const accepted =
	"It must return (row, variable, category), variables and categories as strings or integers; "
	"one column for each variable, with layout => 'wide' if there are three; (row, variable, "
	"category, number) with layout => 'long', where some variables are numbers; or one column of "
	"arrays: integer[] of categories, numbered from 0.";

static bool
survey_query_is_category(Oid type)
{
	return TlvIsIdType(getBaseType(type));
}

/* (row, variable, category, number) */
static bool
has_number_column(TupleDesc desc)
{
	return desc->natts == 4;
}

/* Whether they are arrays. */
static bool
recognize_answers(const TlvSource *rows)
{
	TupleDesc desc = rows->query->desc;
	Oid last = desc->natts > 0 ? TupleDescAttr(desc, desc->natts - 1)->atttypid : InvalidOid;
	Oid element = desc->natts == 1 ? get_element_type(getBaseType(last)) : InvalidOid;

	if (OidIsValid(element) && TlvIsIntegerType(getBaseType(element)))
		return true;
	if (has_number_column(desc) && TlvIsNumberType(getBaseType(last)))
		last = TupleDescAttr(desc, 2)->atttypid;
	else if (desc->natts != 3)
		last = InvalidOid;
	if (!OidIsValid(last) || !survey_query_is_category(last) ||
		!survey_query_is_category(TupleDescAttr(desc, 1)->atttypid))
		TlvRefuseColumns(desc, "answers",
						 TlvLooksWide(desc)
							 ? psprintf("Use %s if every column is a variable.", TlvHintWide(rows))
							 : accepted);
	TlvRefuseWide(rows);
	return false;
}

/* ---- variables and categories ---- */

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

static bool
is_same_text(Datum a, Datum b)
{
	size_t length = VARSIZE_ANY_EXHDR(DatumGetPointer(a));

	return length == VARSIZE_ANY_EXHDR(DatumGetPointer(b)) &&
		   memcmp(VARDATA_ANY(DatumGetPointer(a)), VARDATA_ANY(DatumGetPointer(b)), length) == 0;
}

/* What a variable is called: as it is, or as the column of that number. */
static const char *
variable_name(const SurveyList *list, Datum variable)
{
	char *name = TextDatumGetCString(variable);

	return list->columns == NULL ? name : TlvColumnName(list->columns, pg_strtoint32(name) - 1);
}

/* Begins the next variable where it is another one than the last. */
static void
take_variable(SurveyList *list, Datum variable)
{
	if (list->n > 0 && is_same_text(list->variable[list->n - 1], variable))
		return;
	if (list->variables == TLV_CATEGORY_MOST_VARIABLES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the query returns more than %d variables", TLV_CATEGORY_MOST_VARIABLES)));
	appendStringInfoString(&list->names, variable_name(list, variable));
	list->offsets[++list->variables] = list->names.len;
	list->states[list->variables - 1] = 0;
}

void
TlvSurveyLeaveOut(SurveyList *list, Datum variable)
{
	const char *name = variable_name(list, variable);
	char shown[TLV_SHOWN_NAME];

	tlv_shown_add(&list->unanswered, tlv_show_name((tlv_text){name, strlen(name)}, shown));
}

/* A variable that nobody has answered, whose only category is NULL, is left out. */
static bool
leave_out_unanswered(SurveyList *list, TupleTableSlot *slot)
{
	if (!slot->tts_isnull[1] || list->keep_unanswered)
		return false;
	if (list->n == 0 || !is_same_text(list->variable[list->n - 1], slot->tts_values[0]))
		TlvSurveyLeaveOut(list, slot->tts_values[0]);
	return true;
}

/* A variable of more categories than are taken: an error, or it is left out where columns are. */
static void
refuse_many(SurveyList *list, Datum variable)
{
	const char *name = variable_name(list, variable);
	char shown[TLV_SHOWN_NAME];

	if (list->ranges == NULL)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("variable \"%s\" has more than %d categories", TlvClip(name, 40),
							   list->most_states),
						errhint("Join the rare ones, and leave out what is no category.")));
	tlv_shown_add(&list->crowded, tlv_show_name((tlv_text){name, strlen(name)}, shown));
	list->many = variable;
	list->n -= list->states[--list->variables];
	list->names.len = (int) list->offsets[list->variables];
	list->categories.len = (int) list->category_offsets[list->n];
}

/* Where variables that nobody has answered are kept, they have an empty category. */
static void
survey_add_answer(SurveyList *list, TupleTableSlot *slot)
{
	Datum variable = PointerGetDatum(PG_DETOAST_DATUM_COPY(slot->tts_values[0])), category;
	int64_t *states;
	int length;

	if ((list->many != 0 && is_same_text(list->many, variable)) || leave_out_unanswered(list, slot))
		return;
	take_variable(list, variable);
	if (slot->tts_isnull[1] && list->states[list->variables - 1] > 0)
		return;
	category = slot->tts_isnull[1] ? PointerGetDatum(cstring_to_text(""))
								   : PointerGetDatum(PG_DETOAST_DATUM_COPY(slot->tts_values[1]));
	length = (int) VARSIZE_ANY_EXHDR(DatumGetPointer(category));
	if (length > TLV_LABEL_MOST)
		refuse_long(variable_name(list, variable), length);
	states = &list->states[list->variables - 1];
	if (*states == list->most_states)
	{
		refuse_many(list, variable);
		return;
	}
	grow_answers(list);
	list->variable[list->n] = variable;
	list->category[list->n] = category;
	list->at[list->n] = Int32GetDatum((int32) list->variables);
	list->code[list->n] = Int32GetDatum((int32) (*states)++);
	appendBinaryStringInfo(&list->categories, VARDATA_ANY(DatumGetPointer(category)), length);
	list->category_offsets[++list->n] = list->categories.len;
}

static void
take_answer(void *list, TupleTableSlot *slot)
{
	MemoryContext before = MemoryContextSwitchTo(((SurveyList *) list)->mcxt);

	survey_add_answer(list, slot);
	MemoryContextSwitchTo(before);
}

/* Numbers in their order, texts as bytes.  Beside numbers, which have no category, no variable is
 * unanswered. */
static SurveyList *
collect_answers(TlvSource *rows, const char *from, TupleDesc columns, const SurveyRanges *ranges,
				bool text_variables, bool text_categories, bool numbers, const TlvSurvey *answers)
{
	SurveyList *list = palloc0(sizeof(SurveyList));
	const char *as_text = "::pg_catalog.text COLLATE pg_catalog.\"C\"";
	TlvStatement statement;

	list->mcxt = CurrentMemoryContext;
	list->columns = columns;
	list->ranges = ranges;
	list->from = from;
	list->keep_unanswered = answers->unanswered;
	list->most_states = answers->most_states > 0 ? answers->most_states : TLV_CATEGORY_MOST_STATES;
	list->room = 64;
	list->variable = palloc(64 * sizeof(Datum));
	list->category = palloc(64 * sizeof(Datum));
	list->at = palloc(64 * sizeof(Datum));
	list->code = palloc(64 * sizeof(Datum));
	list->category_offsets = palloc0(65 * sizeof(int64_t));
	initStringInfo(&list->names);
	initStringInfo(&list->categories);
	TlvStatementBegin(&statement, rows->query);
	appendStringInfo(
		&statement.sql,
		"SELECT variable::pg_catalog.text, category::pg_catalog.text FROM (SELECT "
		"DISTINCT variable%s AS variable, number, category%s AS category FROM %s WHERE "
		"r IS DISTINCT FROM NULL AND variable IS NOT NULL%s) "
		"AS d ORDER BY d.variable, d.number, d.category",
		text_variables ? as_text : "", text_categories ? as_text : "", from,
		numbers ? " AND category IS NOT NULL" : "");
	TlvDriverReport(rows->driver, "collecting the categories");
	(void) TlvStatementRun(&statement, 2, (Oid[]){TEXTOID, TEXTOID}, take_answer, list);
	return list;
}

/* ---- rows ---- */

/* One array for each row, its values by the numbers of variables and categories; copies of a
 * variable are side by side, in the order of their categories.  What is more than the copies meets
 * the last one of them, and is refused there. */
static void
pivot_answers(TlvSource *rows, const SurveyList *list, int copies)
{
	const char *call =
		TlvStatementCall(&rows->made, "tlv_row_agg", 3, (Oid[]){INT8OID, INT4OID, INT4OID}, NULL);
	TlvGroups groups = {
		.name = "v", .key = "a.r", .where = "a.code IS NOT NULL", .good = "a.variable"};
	StringInfoData from;

	initStringInfo(&from);
	appendStringInfoString(&from, "(SELECT q.r AS r, q.variable AS variable, v.code AS code, ");
	if (copies == 1)
		appendStringInfoString(&from, "v.at AS slot ");
	else
		appendStringInfo(&from,
						 "(v.at OPERATOR(pg_catalog.-) 1) OPERATOR(pg_catalog.*) %d "
						 "OPERATOR(pg_catalog.+) LEAST(%d, pg_catalog.row_number() OVER (PARTITION "
						 "BY q.r, v.at ORDER BY v.code)) AS slot ",
						 copies, copies);
	appendStringInfo(&from, "FROM %s) AS a", TlvSurveyCoded(rows, list));
	groups.value = psprintf("%s(a.slot::pg_catalog.int8, a.code, %d::pg_catalog.int4)", call,
							(int) list->variables * copies);
	groups.from = from.data;
	TlvAppendGroups(&rows->made.sql, &groups);
}

/* What is skipped, in a message and behind what it has already. */
static void
tell_skipped(TlvSource *rows, const char *what, int n, const char *hint)
{
	rows->skipped_columns =
		rows->skipped_n > 0 ? psprintf("%s and %s", rows->skipped_columns, what) : what;
	rows->skipped_n += n;
	rows->skipped_hint = hint;
}

static void
tell_row_numbers(TlvSource *rows)
{
	tlv_shown_list list = {0};

	for (int i = -1; (i = bms_next_member(rows->skipped, i)) >= 0;)
	{
		const char *name = TlvColumnName(rows->query->desc, i);
		char shown[TLV_SHOWN_NAME];

		tlv_shown_add(&list, tlv_show_name((tlv_text){name, strlen(name)}, shown));
	}
	if (list.n > 0)
		tell_skipped(rows, psprintf("%s (row numbers)", tlv_shown_text(&list, "column")),
					 (int) list.n, "Cast a number to float8, a category to text.");
}

static void
tell_answers(TlvSource *rows, SurveyList *list, TlvSurvey *answers)
{
	const char *what = answers->numbers > 0 ? "value" : "category";

	rows->names = palloc0(sizeof(tlv_names));
	rows->names->n = (size_t) list->variables;
	rows->names->offsets = list->offsets;
	rows->names->text = list->names.data;
	answers->categories.n = (size_t) list->n;
	answers->categories.offsets = list->category_offsets;
	answers->categories.text = list->categories.data;
	answers->states = list->states;
	if (list->ranges != NULL)
		TlvSurveyTellRanges(list, answers);
	tell_row_numbers(rows);
	if (list->crowded.n > 0)
		tell_skipped(rows,
					 psprintf("%s of more than %d categories",
							  tlv_shown_text(&list->crowded, "column"), list->most_states),
					 (int) list->crowded.n,
					 "Join rare categories; cast a number to float8, a time to date.");
	if (list->unanswered.n > 0)
		tell_skipped(rows,
					 psprintf("%s without a %s",
							  tlv_shown_text(&list->unanswered,
											 list->columns != NULL ? "column" : "variable"),
							  what),
					 (int) list->unanswered.n, psprintf("Omit what no row has a %s of.", what));
}

/* ---- one column a variable ---- */

static bool
is_number_column(const TlvSource *rows, int column)
{
	return bms_is_member(column, rows->numbers);
}

/* What works instead of an array beside other columns. */
static const char *
hint_array(const TlvSource *rows, int column)
{
	Form_pg_attribute attribute = TupleDescAttr(rows->query->desc, column);
	Oid element = getBaseType(get_element_type(getBaseType(attribute->atttypid)));

	if (TlvIsIntegerType(element))
		return TlvHintArray(rows, column);
	return psprintf("Give its elements as columns, or as rows (row, variable, value) by unnest(%s) "
					"WITH ORDINALITY.",
					quote_identifier(NameStr(attribute->attname)));
}

/* Neither a category nor a number. */
static void
refuse_column(const TlvSource *rows, int column)
{
	TupleDesc desc = rows->query->desc;
	Form_pg_attribute attribute = TupleDescAttr(desc, column);

	if (!survey_query_is_category(attribute->atttypid) &&
		!TlvIsNumberType(getBaseType(attribute->atttypid)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" is of type %s, neither a category nor a number",
						NameStr(attribute->attname), format_type_be(attribute->atttypid)),
				 OidIsValid(get_element_type(getBaseType(attribute->atttypid)))
					 ? errhint("%s", hint_array(rows, column))
					 : errhint("Every column is a variable here: leave it out, or cast it to text "
							   "or integer.")));
}

/* The columns as rows (r, variable, category, number), the number where it is an integer. */
static const char *
answers_of_columns(const TlvSource *rows, TupleDesc desc, const SurveyRanges *ranges,
				   bool takes_numbers)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "(SELECT w.r, u.variable, u.category, u.number FROM (SELECT "
								 "pg_catalog.row_number() OVER () AS r, q.* FROM " TLV_QUERY_ROWS
								 " AS q(");
	TlvAppendColumns(&sql, desc->natts);
	appendStringInfoString(&sql, ")) AS w, LATERAL (VALUES ");
	for (int i = 0, n = 0; i < desc->natts; i++)
		if (ranges != NULL && ranges[i].n > 0)
			appendStringInfo(&sql, "%s(%d::pg_catalog.int4, %s, %s::pg_catalog.int8)",
							 n++ > 0 ? ", " : "", i + 1, ranges[i].name, ranges[i].code);
		else if (!bms_is_member(i, rows->skipped) && (!takes_numbers || !is_number_column(rows, i)))
			appendStringInfo(&sql, "%s(%d::pg_catalog.int4, w.x%d::pg_catalog.text, %s%s)",
							 n++ > 0 ? ", " : "", i + 1, i + 1,
							 TlvIsIntegerType(TlvColumnType(desc, i)) ? psprintf("w.x%d", i + 1)
																	  : "NULL",
							 "::pg_catalog.int8");
	appendStringInfoString(&sql, ") AS u(variable, category, number)) AS q");
	return sql.data;
}

void
TlvSurveyRequireColumns(const TlvSource *rows, bool with_numbers)
{
	TupleDesc desc = rows->query->desc;

	if (desc->natts == 0)
		TlvRefuseColumns(desc, "answers", accepted);
	TlvRequireVariables(rows, with_numbers);
	for (int i = 0; i < desc->natts; i++)
		refuse_column(rows, i);
}

static SurveyList *
collect_columns(TlvSource *rows, const TlvSurvey *answers)
{
	TupleDesc desc = rows->query->desc;
	const SurveyRanges *ranges;

	if (answers->cuts_numbers) /* the reader has not yet, since numbers alone are none */
		TlvSurveyRequireColumns(rows, false);
	if (answers->numbers + bms_num_members(rows->skipped) == desc->natts)
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("no column is a category"),
			 errhint(
				 "Use tlv_gmm for numbers alone; cast categories and numbers of rows to text.")));
	ranges = answers->cuts_numbers ? TlvSurveyCutNumbers(rows) : NULL;
	return collect_answers(rows, answers_of_columns(rows, desc, ranges, answers->takes_numbers),
						   desc, ranges, false, true, false, answers);
}

/* ---- numbers beside the categories ---- */

/* The categories of the variable that begins with entry `from` of the list, as a parameter. */
static int
categories_parameter(TlvSource *rows, const SurveyList *list, int64 from, int64_t n)
{
	ArrayType *array =
		construct_array(list->category + from, (int) n, TEXTOID, -1, false, TYPALIGN_INT);

	return TlvStatementParameter(&rows->made, TEXTARRAYOID, PointerGetDatum(array));
}

/* A column as the code of its category; one that is missing is NULL, of vectors -1. */
static void
append_code(TlvSource *rows, const SurveyList *list, int column, int64 from, int64_t n,
			bool vectors, StringInfo sql)
{
	const char *code = list->ranges != NULL ? list->ranges[column].code : NULL;

	if (code == NULL)
		code = psprintf("(pg_catalog.array_position($%d, x%d::pg_catalog.text) "
						"OPERATOR(pg_catalog.-) 1)",
						categories_parameter(rows, list, from, n), column + 1);
	if (vectors)
		appendStringInfo(sql, "COALESCE(%s, -1)::pg_catalog.float8", code);
	else
		appendStringInfoString(sql, code);
}

/* Variables without a category are left out: which column the others are. */
static int
column_of_variable(const SurveyList *list, int64 entry)
{
	return pg_strtoint32(TextDatumGetCString(list->variable[entry])) - 1;
}

static void
select_columns(TlvSource *rows, SurveyList *list, bool vectors)
{
	TupleDesc desc = rows->query->desc;
	StringInfo sql = &rows->made.sql;

	appendStringInfoString(sql, "SELECT CASE WHEN ROW(");
	for (int i = 0, n = 0; i < desc->natts; i++)
		if (!bms_is_member(i, rows->skipped))
			appendStringInfo(sql, "%sx%d", n++ > 0 ? ", " : "", i + 1);
	appendStringInfoString(sql, ") IS NULL THEN NULL ELSE ARRAY[");
	for (int64 j = 0, from = 0; j < list->variables; from += list->states[j++])
	{
		appendStringInfoString(sql, j > 0 ? ", " : "");
		append_code(rows, list, column_of_variable(list, from), from, list->states[j], vectors,
					sql);
	}
	for (int i = 0; list->ranges == NULL && i < desc->natts; i++)
		if (is_number_column(rows, i))
		{
			appendStringInfo(sql, ", COALESCE(%s, '%g'::pg_catalog.float8)",
							 TlvSurveyNumber(desc, i), TLV_MEMBERSHIP_MISSING);
			TlvSurveyNameNumber(rows, list, TlvColumnName(desc, i));
		}
	appendStringInfoString(sql, "] END AS v");
	TlvAppendWeight(rows, sql);
	TlvAppendQuery(sql, desc->natts);
}

/* ---- either ---- */

static SurveyList *
collect_rows(TlvSource *rows, int variable, const TlvSurvey *answers)
{
	TupleDesc desc = rows->query->desc;
	bool text = TlvSurveyIsText(TupleDescAttr(desc, 2)->atttypid), beside = has_number_column(desc);
	const char *columns = variable == 1 ? "r, variable" : "variable, r";

	return collect_answers(
		rows,
		psprintf("(SELECT q.r, q.variable, q.category, NULL::pg_catalog.int8 AS number%s FROM %s "
				 "AS q(%s, category%s)) AS q",
				 beside ? ", q.measured::pg_catalog.float8 AS measured" : "", TLV_QUERY_ROWS,
				 columns, beside ? ", measured" : ""),
		NULL, NULL, TlvSurveyIsText(TupleDescAttr(desc, variable)->atttypid), text, beside,
		answers);
}

void
TlvReadSurveyOf(TlvSource *rows, bool arrays, int variable, int copies, bool wide,
				TlvSurvey *answers)
{
	SurveyList *list = NULL;
	SurveyNumbers *measured = NULL;

	bool weighted = rows->driver->weights != NULL, vectors;

	TlvRequireWeighedRows(rows, wide || arrays);
	if (wide && copies > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a row of columns has no copies of its variables"),
						errhint("Give rows (row, variable, category), as layout => 'long' has "
								"them.")));

	answers->numbers = wide && answers->takes_numbers ? bms_num_members(rows->numbers) : 0;
	for (int i = 0; i < rows->query->desc->natts; i++)
		(void) TlvQueryIdType(rows->query, i);
	rows->lacking = "a value";
	if (arrays)
	{
		appendStringInfo(&rows->made.sql, "SELECT v::pg_catalog.int4[]%s AS v",
						 weighted ? "::pg_catalog.float8[]" : "");
		TlvAppendWeight(rows, &rows->made.sql);
		appendStringInfoString(&rows->made.sql, " FROM " TLV_QUERY_ROWS " AS q(v)");
	}
	else
	{
		TlvSourceHold(rows);
		list = wide ? collect_columns(rows, answers) : collect_rows(rows, variable, answers);
		if (!wide && has_number_column(rows->query->desc))
			measured = TlvSurveyCollectNumbers(rows, list, copies, &answers->numbers);
		tell_answers(rows, list, answers);
	}
	vectors = answers->numbers > 0 || weighted;
	rows->form = answers->numbers > 0 ? TLV_ROW_VECTOR : TLV_ROW_CODES;
	TlvSourceColumn(rows, "v", vectors ? FLOAT8ARRAYOID : INT4ARRAYOID);
	TlvWeightColumn(rows);
	if (!arrays && list->n == 0)
		return;
	if (!arrays && !wide)
		rows->required = 2;
	else
		rows->null_columns = ""; /* one null there skips no row */
	if (measured != NULL)
		TlvSurveyPivotNumbers(rows, list, measured);
	else if (!arrays && (vectors || list->ranges != NULL))
		select_columns(rows, list, vectors);
	else if (!arrays)
		pivot_answers(rows, list, copies);
	if (arrays)
		TlvSourceReady(rows, TLV_SOURCE_AGAIN);
	else
		TlvSourcePivot(rows, copies,
					   copies == 1 ? TlvHintTwoValues(rows)
								   : "Increase copies, or group by row and variable first.");
	TlvQueryRelease(rows->query);
}

void
TlvReadSurvey(TlvDriver *driver, const char *text, int copies, TlvLayout layout, TlvSurvey *answers)
{
	TlvSource *rows = TlvSourceOpen(driver, 0, text, "answers");
	bool wide = TlvIsWide(rows->query->desc, layout);
	bool arrays = !wide && recognize_answers(rows);

	memset(answers, 0, sizeof(*answers));
	answers->takes_numbers = true;
	answers->most_states = TLV_MEMBERSHIP_MOST_STATES;
	if (wide)
	{
		TlvSurveyRequireColumns(rows, true);
		TlvSurveyJudgeColumns(rows);
	}
	TlvReadSurveyOf(rows, arrays, 1, copies, wide, answers);
}
