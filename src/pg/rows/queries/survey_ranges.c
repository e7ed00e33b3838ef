/*
 * survey_ranges.c - columns of numbers in a driver's query, cut into ranges that are categories
 * (survey.h).
 *
 * A range holds about as many of the column's values as another; a value that many rows have is one
 * by itself.  Bounds are the shortest decimals that divide the values so.  Order and ties decide,
 * not units: an increasing function of the column is cut at the same rows.
 */
#include "survey.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/lsyscache.h"

/* Fewest ranges of a column, which has more where it has enough values for each.  Fewer values
 * than the last number are no range by themselves. */
#define FEWEST_RANGES 3
#define RANGE_VALUES  200
#define LEAST_VALUES  5

/* A number, or a date. */
static bool
is_measure(const TlvSource *rows, int column)
{
	return bms_is_member(column, rows->numbers) ||
		   TlvColumnType(rows->query->desc, column) == DATEOID;
}

const char *
TlvSurveyNumber(TupleDesc desc, int column)
{
	if (TlvColumnType(desc, column) != DATEOID)
		return psprintf("x%d::pg_catalog.float8", column + 1);
	return psprintf("CASE WHEN pg_catalog.isfinite(x%d::pg_catalog.date) THEN "
					"(x%d::pg_catalog.date OPERATOR(pg_catalog.-) "
					"'2000-01-01'::pg_catalog.date)::pg_catalog.float8 END",
					column + 1, column + 1);
}

/* ---- where the values are ---- */

typedef struct RangeList
{
	TupleDesc desc;
	SurveyRanges *ranges; /* of every column */
} RangeList;

/* The next group of a column's values; one of few values joins its neighbour. */
static void
take_range(void *argument, TupleTableSlot *slot)
{
	RangeList *list = argument;
	int column = DatumGetInt32(slot->tts_values[0]) - 1;
	SurveyRanges *ranges = &list->ranges[column];
	double least = DatumGetFloat8(slot->tts_values[1]), most = DatumGetFloat8(slot->tts_values[2]);
	double mean = DatumGetFloat8(slot->tts_values[3]), weight = DatumGetFloat8(slot->tts_values[4]);
	int64 values = DatumGetInt64(slot->tts_values[5]);
	SurveyRange *last = ranges->n > 0 ? &ranges->list[ranges->n - 1] : NULL;

	if (!isfinite(least) || !isfinite(most))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("number \"%s\" of a row is %s", TlvColumnName(list->desc, column),
							   isnan(most) ? "NaN" : "infinite"),
						errhint("Leave such rows out with WHERE, or use NULL for what is "
								"missing.")));
	if (last != NULL && (values < LEAST_VALUES || last->values < LEAST_VALUES ||
						 ranges->n == lengthof(ranges->list)))
	{
		last->weight += weight;
		last->mean += (mean - last->mean) * weight / last->weight;
		last->values += values;
		last->most = most;
		return;
	}
	ranges->list[ranges->n++] = (SurveyRange){least, least, most, mean, weight, values};
}

/* The values of a column in their order, in groups, for take_range.  The column is divided into
 * parts of equal weight.  A value whose rows weigh a part or more is a group by itself; the others
 * are grouped by the part that the last row of such a value lies in. */
static void
collect_ranges(TlvSource *rows, RangeList *list)
{
	TlvStatement statement;
	StringInfo sql = &statement.sql;
	const char *weight =
		rows->driver->weights != NULL ? "q." TLV_WEIGHT_COLUMN : "1::pg_catalog.float8";

	TlvStatementBegin(&statement, rows->query);
	appendStringInfo(sql,
					 "SELECT d.variable, pg_catalog.min(d.x), pg_catalog.max(d.x), "
					 "pg_catalog.sum(d.w OPERATOR(pg_catalog.*) d.x) OPERATOR(pg_catalog./) "
					 "pg_catalog.sum(d.w), pg_catalog.sum(d.w), pg_catalog.count(*) FROM ("
					 "SELECT v.variable, v.x, w.w, "
					 "pg_catalog.sum(w.w) OVER (PARTITION BY v.variable) AS total, "
					 "pg_catalog.sum(w.w) OVER (PARTITION BY v.variable ORDER BY v.x) AS until, "
					 "pg_catalog.sum(w.w) OVER (PARTITION BY v.variable, v.x) AS own, "
					 "LEAST(%d, GREATEST(%d, pg_catalog.count(*) OVER (PARTITION BY v.variable) "
					 "OPERATOR(pg_catalog./) %d))::pg_catalog.float8 AS parts "
					 "FROM (SELECT q.*, %s AS w FROM " TLV_QUERY_ROWS " AS q(",
					 SURVEY_RANGES, FEWEST_RANGES, RANGE_VALUES, weight);
	TlvAppendColumns(sql, list->desc->natts);
	appendStringInfoString(sql, ")) AS w, LATERAL (VALUES ");
	for (int i = 0, n = 0; i < list->desc->natts; i++)
		if (is_measure(rows, i))
			appendStringInfo(sql, "%s(%d::pg_catalog.int4, %s)", n++ > 0 ? ", " : "", i + 1,
							 TlvSurveyNumber(list->desc, i));
	appendStringInfoString(
		sql,
		") AS v(variable, x) WHERE v.x IS NOT NULL AND w.w OPERATOR(pg_catalog.>) "
		"0::pg_catalog.float8 AND w.w OPERATOR(pg_catalog.<) 'Infinity'::pg_catalog.float8) AS d "
		"GROUP BY d.variable, LEAST(d.parts, pg_catalog.ceil(d.parts OPERATOR(pg_catalog.*) "
		"d.until OPERATOR(pg_catalog./) d.total)), d.parts OPERATOR(pg_catalog.*) d.own "
		"OPERATOR(pg_catalog.>=) d.total ORDER BY 1, 2");
	TlvDriverReport(rows->driver, "cutting numbers into ranges");
	(void) TlvStatementRun(&statement, 6,
						   (Oid[]){INT4OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, INT8OID},
						   take_range, list);
}

/* ---- bounds and names ---- */

/* The decimal of fewest digits above `low` and not above `high`. */
static double
short_decimal(double low, double high)
{
	/* Powers of ten up to which both they and the places of a double are exact. */
	const int most_power = 22;
	double power = 1;
	int digits = 0;

	for (; digits < most_power && power <= fabs(high) + fabs(low); digits++)
		power *= 10;
	for (; digits > 0; digits--, power /= 10)
		if (floor(high / power) * power > low && floor(high / power) * power <= high)
			return floor(high / power) * power;
	for (int i = 0; i <= most_power && fabs(high) * power < 1e15; i++, power *= 10)
		if (floor(high * power) / power > low && floor(high * power) / power <= high)
			return floor(high * power) / power;
	return high;
}

static const char *
shown_number(double x, bool date)
{
	char text[MAXDATELEN + 1];
	struct pg_tm day = {0};

	if (!date)
	{
		char *shown = psprintf("%.15g", x == 0 ? 0 : x);

		return strtod(shown, NULL) == x ? shown : psprintf("%.17g", x);
	}
	j2date((int) x + POSTGRES_EPOCH_JDATE, &day.tm_year, &day.tm_mon, &day.tm_mday);
	EncodeDateOnly(&day, USE_ISO_DATES, text);
	return pstrdup(text);
}

/* A value by itself, or what lies from one bound to the next. */
static const char *
range_name(const SurveyRanges *ranges, int i, bool date)
{
	const SurveyRange *range = &ranges->list[i];
	const char *lower = shown_number(range->lower, date);

	if (range->least == range->most)
		return shown_number(range->most, date);
	if (ranges->n == 1)
		return psprintf("%s to %s", lower, shown_number(range->most, date));
	if (i == 0)
		return psprintf("%s %s", date ? "before" : "under", shown_number(range[1].lower, date));
	if (i == ranges->n - 1)
		return date ? psprintf("since %s", lower) : psprintf("%s or more", lower);
	return psprintf("%s to %s", lower, shown_number(range[1].lower, date));
}

/* Bounds, names, and what makes them of the column in SQL. */
static void
finish_ranges(const RangeList *list, int column, SurveyRanges *ranges)
{
	bool date = TlvColumnType(list->desc, column) == DATEOID;
	StringInfoData bounds, names;

	initStringInfo(&bounds);
	initStringInfo(&names);
	for (int i = 1; i < ranges->n; i++)
	{
		SurveyRange *range = &ranges->list[i];

		if (!date)
			range->lower = short_decimal(range[-1].most, range->lower);
		appendStringInfo(&bounds, "%s%.17g", i > 1 ? "," : "", range->lower);
	}
	for (int i = 0; i < ranges->n; i++)
		appendStringInfo(&names, "%s\"%s\"", i > 0 ? "," : "", range_name(ranges, i, date));
	ranges->code = psprintf("pg_catalog.width_bucket(%s, '{%s}'::pg_catalog.float8[])",
							TlvSurveyNumber(list->desc, column), bounds.data);
	ranges->name = psprintf("('{%s}'::pg_catalog.text[])[%s OPERATOR(pg_catalog.+) 1]", names.data,
							ranges->code);
}

const SurveyRanges *
TlvSurveyCutNumbers(TlvSource *rows)
{
	RangeList list = {.desc = rows->query->desc};
	bool any = false;

	list.ranges = palloc0((Size) list.desc->natts * sizeof(SurveyRanges));
	for (int i = 0; i < list.desc->natts; i++)
		any |= is_measure(rows, i);
	if (any)
		collect_ranges(rows, &list);
	for (int i = 0; i < list.desc->natts; i++)
		if (list.ranges[i].n > 0)
			finish_ranges(&list, i, &list.ranges[i]);
	return list.ranges;
}

void
TlvSurveyTellRanges(const SurveyList *list, TlvSurvey *answers)
{
	int64_t *ranged = palloc0((Size) list->variables * sizeof(int64_t));
	double *lower = palloc0((Size) Max(list->n, 1) * sizeof(double));
	double *centres = palloc0((Size) Max(list->n, 1) * sizeof(double));
	bool any = false;

	for (int64 j = 0, at = 0; j < list->variables; at += list->states[j++])
	{
		int column = pg_strtoint32(TextDatumGetCString(list->variable[at])) - 1;
		const SurveyRanges *ranges = &list->ranges[column];

		if (ranges->n == 0)
			continue;
		if (ranges->n != list->states[j])
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("column \"%s\" had other values when the query was run again",
							TlvColumnName(list->columns, column)),
					 errhint("A foreign table has changed: copy its rows into a table first.")));
		for (int c = 0; c < ranges->n; c++)
		{
			lower[at + c] = ranges->list[c].lower;
			centres[at + c] = ranges->list[c].mean;
		}
		ranged[j] = any = true;
	}
	if (any)
		answers->ranges = (tlv_code_ranges){ranged, lower, centres};
}
