/*
 * series_query.c - series of readings from a driver's query (queries.h).
 */
#include "queries.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

static const char *const accepted = "It must return (series, t, reading) with a number for every "
									"reading, or one column of arrays of numbers in the order of "
									"time.";

static Oid
column_type(TlvSource *rows, int column)
{
	return getBaseType(TupleDescAttr(rows->query->desc, column)->atttypid);
}

/* A column of whole series. */
static void
read_arrays(TlvSource *rows)
{
	Oid element = get_element_type(column_type(rows, 0));

	if (!OidIsValid(element) || !TlvIsNumberType(getBaseType(element)))
		TlvRefuseColumns(rows->query->desc, "series", accepted);
	appendStringInfoString(&rows->made.sql,
						   "SELECT s::pg_catalog.float8[] AS s FROM " TLV_QUERY_ROWS " AS q(s)");
}

/* (series, t, reading) rows as one array each; of readings of one t the smaller comes first. */
static void
collect_readings(TlvSource *rows)
{
	TlvGroups groups = {.name = "s",
						.key = "series",
						.value = "pg_catalog.array_agg(x)",
						.where = "t IS DISTINCT FROM NULL",
						.good = "t",
						.from = "(SELECT series, t, x FROM (SELECT series, t, "
								"x::pg_catalog.float8 AS x FROM " TLV_QUERY_ROWS
								" AS q(series, t, x)) AS q ORDER BY q.series, q.t, q.x) AS steps"};

	TlvAppendGroups(&rows->made.sql, &groups);
}

void
TlvReadSeries(TlvDriver *driver, const char *text)
{
	TlvSource *rows = TlvSourceOpen(driver, 0, text, "series");
	int n = rows->query->desc->natts;

	if (n == 1)
		read_arrays(rows);
	else if (n == 3 && TlvIsNumberType(column_type(rows, 2)))
		collect_readings(rows);
	else
		TlvRefuseColumns(rows->query->desc, "series", accepted);
	TlvSourceColumn(rows, "s", FLOAT8ARRAYOID);
	rows->form = TLV_ROW_SEQUENCE;
	rows->small_scan = true;
	TlvSourceReady(rows, n == 1 ? TLV_SOURCE_AGAIN : TLV_SOURCE_MADE);
}
