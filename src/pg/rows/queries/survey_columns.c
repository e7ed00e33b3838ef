/*
 * survey_columns.c - which columns of a driver's query are numbers, and which are categories
 * (survey.h).
 *
 * An integer of few different values is a category, say an answer from 1 to 5; one of many is a
 * number, say an age, unless it numbers the rows.
 */
#include "survey.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

/* Values of a column that are looked at, at most, until one comes again. */
#define MOST_VALUES 2000

/* The different values of an integer column, in their order. */
typedef struct IntegerColumn
{
	int column, n, room;
	bool repeats; /* a value has come again */
	int64 *values;
} IntegerColumn;

typedef struct IntegerColumns
{
	TlvStatement *statement; /* that reads them */
	int n;
	IntegerColumn *list;
} IntegerColumns;

static bool
is_settled(const IntegerColumn *column)
{
	return column->n == MOST_VALUES || (column->repeats && column->n > TLV_MOST_INTEGER_CATEGORIES);
}

static void
note_value(IntegerColumn *column, int64 value)
{
	int at = 0, end = column->n;

	while (at < end)
	{
		int middle = (at + end) / 2;

		if (column->values[middle] < value)
			at = middle + 1;
		else
			end = middle;
	}
	if (at < column->n && column->values[at] == value)
	{
		column->repeats = true;
		return;
	}
	if (column->n == column->room)
		column->values =
			repalloc(column->values, (Size) (column->room *= 2) * sizeof(column->values[0]));
	memmove(column->values + at + 1, column->values + at,
			(Size) (column->n++ - at) * sizeof(column->values[0]));
	column->values[at] = value;
}

static void
take_integers(void *argument, TupleTableSlot *slot)
{
	IntegerColumns *columns = argument;
	bool settled = true;

	for (int i = 0; i < columns->n; i++)
	{
		if (!slot->tts_isnull[i] && !is_settled(&columns->list[i]))
			note_value(&columns->list[i], DatumGetInt64(slot->tts_values[i]));
		settled &= is_settled(&columns->list[i]);
	}
	columns->statement->enough = settled;
}

/* Do the values number the rows: do all differ, in a range in which some would be equal by chance?
 */
static bool
numbers_rows(const IntegerColumn *column)
{
	double n = column->n, pairs = n * (n - 1) / 2, range;

	if (column->repeats || n <= TLV_MOST_INTEGER_CATEGORIES)
		return false;
	range = (double) column->values[column->n - 1] - (double) column->values[0] + 1;
	return tlv_is_key(n, (double[]){pairs, pairs / range, 0});
}

/* The integer columns that are not skipped, and their values in the first rows, or in all. */
static IntegerColumns
read_integers(TlvSource *rows, bool first)
{
	TupleDesc desc = rows->query->desc;
	IntegerColumns columns = {0};
	Oid *types = palloc((Size) desc->natts * sizeof(Oid));
	TlvStatement statement;

	columns.list = palloc0((Size) desc->natts * sizeof(IntegerColumn));
	for (int i = 0; i < desc->natts; i++)
		if (TlvIsIntegerType(getBaseType(TupleDescAttr(desc, i)->atttypid)) &&
			!bms_is_member(i, rows->skipped))
			columns.list[columns.n++] =
				(IntegerColumn){.column = i, .room = 32, .values = palloc(32 * sizeof(int64))};
	if (columns.n == 0)
		return columns;
	columns.statement = &statement;
	TlvSourceHold(rows);
	TlvStatementBegin(&statement, rows->query);
	for (int i = 0; i < columns.n; i++)
	{
		types[i] = INT8OID;
		appendStringInfo(&statement.sql, "%sx%d::pg_catalog.int8", i == 0 ? "SELECT " : ", ",
						 columns.list[i].column + 1);
	}
	appendStringInfoString(&statement.sql, " FROM " TLV_QUERY_ROWS " AS q(");
	TlvAppendColumns(&statement.sql, desc->natts);
	appendStringInfo(&statement.sql, first ? ") LIMIT %d" : ")", MOST_VALUES);
	TlvDriverReport(rows->driver, "looking at the integers");
	(void) TlvStatementRun(&statement, columns.n, types, take_integers, &columns);
	return columns;
}

/* Integers of many values are numbers, or number the rows. */
static void
judge_integers(TlvSource *rows)
{
	IntegerColumns columns = read_integers(rows, false);

	for (int i = 0; i < columns.n; i++)
	{
		const IntegerColumn *column = &columns.list[i];

		if (numbers_rows(column))
			rows->skipped = bms_add_member(rows->skipped, column->column);
		else if (column->n > TLV_MOST_INTEGER_CATEGORIES)
			rows->numbers = bms_add_member(rows->numbers, column->column);
	}
}

void
TlvSkipRowNumbers(TlvSource *rows)
{
	int left = rows->query->desc->natts - bms_num_members(rows->skipped);
	IntegerColumns columns;

	if (left <= 1)
		return;
	columns = read_integers(rows, true);
	for (int i = 0; i < columns.n && left > 1; i++)
		if (numbers_rows(&columns.list[i]))
		{
			rows->skipped = bms_add_member(rows->skipped, columns.list[i].column);
			left--;
		}
}

static void
take_truth(void *argument, TupleTableSlot *slot)
{
	*(bool *) argument = !slot->tts_isnull[0] && DatumGetBool(slot->tts_values[0]);
}

/* Are four columns (row, variable, category, number) or the like, since the first two are a key of
 * the rows, of which each has two variables and more?  Then the first is no number. */
static bool
columns_are_long(const TlvSource *rows)
{
	TlvStatement statement;
	bool key = false;

	/* A type without ids may have a cast to text that nobody has looked at. */
	if (rows->query->desc->natts != 4 || !OidIsValid(TlvQueryIdType(rows->query, 1)))
		return false;
	TlvStatementBegin(&statement, rows->query);
	appendStringInfoString(&statement.sql,
						   "SELECT pg_catalog.count(*) OPERATOR(pg_catalog.=) "
						   "pg_catalog.count(DISTINCT (x1, x2::pg_catalog.text)) AND "
						   "pg_catalog.count(*) OPERATOR(pg_catalog.>=) (2 OPERATOR(pg_catalog.*) "
						   "pg_catalog.count(DISTINCT x1)) FROM " TLV_QUERY_ROWS
						   " AS q(x1, x2, x3, x4)");
	(void) TlvStatementRun(&statement, 1, (Oid[]){BOOLOID}, take_truth, &key);
	return key;
}

/* Dates are numbers of days beside a category that is none. */
void
TlvSurveyJudgeColumns(TlvSource *rows)
{
	TupleDesc desc = rows->query->desc;
	Bitmapset *dates = NULL;
	bool category = false;

	/* Casts to text are those of their types' owners, or refused, before any runs. */
	for (int i = 0; i < desc->natts; i++)
		(void) TlvQueryIdType(rows->query, i);
	judge_integers(rows);
	if (bms_is_member(0, rows->numbers) && columns_are_long(rows))
		rows->numbers = bms_del_member(rows->numbers, 0);
	for (int i = 0; i < desc->natts; i++)
	{
		Oid type = getBaseType(TupleDescAttr(desc, i)->atttypid);

		if (TlvIsNumberType(type) && !TlvIsIntegerType(type))
			rows->numbers = bms_add_member(rows->numbers, i);
		else if (type == DATEOID)
			dates = bms_add_member(dates, i);
		else if (TlvIsIdType(type))
			category |= !bms_is_member(i, rows->numbers) && !bms_is_member(i, rows->skipped);
	}
	if (category)
		rows->numbers = bms_join(rows->numbers, dates);
}
