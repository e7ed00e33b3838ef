/*
 * series_query.c - series of readings from a driver's query (queries.h).
 */
#include "rows/queries.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

static const char *const accepted = "It must return (series, t, reading) with a number for every "
									"reading, or one column of arrays of numbers in the order of "
									"time.";

/* A column of whole series. */
static void
series_query_read_arrays(TlvSource *rows)
{
	Oid element = get_element_type(TlvColumnType(rows->query->desc, 0));

	if (!OidIsValid(element) || !TlvIsNumberType(getBaseType(element)))
		TlvRefuseColumns(rows->query->desc, "series", accepted);
	appendStringInfoString(&rows->made.sql,
						   "SELECT s::pg_catalog.float8[] AS s FROM " TLV_QUERY_ROWS " AS q(s)");
}

/* t as a number, in SQL; NULL where it has no distances. */
static const char *
series_query_position_of(Oid t)
{
	switch (t)
	{
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
			return "pg_catalog.date_part('epoch', t)";
		default:
			return TlvIsNumberType(t) ? "t::pg_catalog.float8" : NULL;
	}
}

/* Rows (series, t, x). */
#define STEPS_AS_THEY_ARE                                                                          \
	"(SELECT series, t, x::pg_catalog.float8 AS x FROM " TLV_QUERY_ROWS " AS q(series, t, x))"

/* Those rows in order, the second %s, with a NULL before every reading whose t is further than one
 * and a half times the usual step of its series, the median, from that of the reading before: the
 * first %s is t as a number. */
#define STEPS_WITH_GAPS                                                                            \
	"(SELECT series, t, CASE WHEN i OPERATOR(pg_catalog.=) 2 THEN x END AS x, " TLV_SAME_TIME      \
	" AND i OPERATOR(pg_catalog.=) 2 AS " TLV_SAME_TIME " FROM "                                   \
	"(SELECT *, pg_catalog.max(CASE WHEN r OPERATOR(pg_catalog.=) ((n OPERATOR(pg_catalog.+) 1) "  \
	"OPERATOR(pg_catalog./) 2) THEN d END) OVER (PARTITION BY series) AS usual FROM "              \
	"(SELECT *, pg_catalog.row_number() OVER (PARTITION BY series ORDER BY d) AS r, "              \
	"pg_catalog.count(d) OVER (PARTITION BY series) AS n FROM "                                    \
	"(SELECT series, t, x, " TLV_SAME_TIME                                                         \
	", CASE WHEN p OPERATOR(pg_catalog.>) pg_catalog.lag(p) OVER w "                               \
	"THEN p OPERATOR(pg_catalog.-) pg_catalog.lag(p) OVER w END AS d FROM "                        \
	"(SELECT series, t, %s AS p, x, " TLV_SAME_TIME " FROM %s AS q) AS q "                         \
	"WINDOW w AS (PARTITION BY series ORDER BY t, x)) AS q) AS q) AS q "                           \
	"CROSS JOIN LATERAL pg_catalog.generate_series(CASE WHEN d OPERATOR(pg_catalog.>) "            \
	"(usual OPERATOR(pg_catalog.*) 1.5::pg_catalog.float8) THEN 1 ELSE 2 END, 2) AS i "            \
	"ORDER BY q.series, q.t, i, q.x)"

/* (series, t, reading) rows as one array each. */
static void
collect_readings(TlvSource *rows)
{
	const char *position = series_query_position_of(TlvColumnType(rows->query->desc, 1));
	const char *steps = TlvOrderedSteps("series", STEPS_AS_THEY_ARE);
	TlvGroups groups = {.name = "s",
						.key = "series",
						.value = "pg_catalog.array_agg(x)",
						.where = "t IS DISTINCT FROM NULL",
						.good = "t",
						.from = psprintf("%s AS steps", steps),
						.marked = rows->marks = TLV_SAME_TIME};

	if (position != NULL)
		groups.from = psprintf("%s AS steps", psprintf(STEPS_WITH_GAPS, position, steps));
	TlvAppendGroups(&rows->made.sql, &groups);
}

void
TlvReadSeries(TlvDriver *driver, const char *text)
{
	TlvSource *rows = TlvSourceOpen(driver, 0, text, "series");
	int n = rows->query->desc->natts;

	if (n == 1)
		series_query_read_arrays(rows);
	else if (n == 3 && TlvIsNumberType(TlvColumnType(rows->query->desc, 2)))
		collect_readings(rows);
	else
		TlvRefuseColumns(rows->query->desc, "series", accepted);
	if (n == 3)
		rows->required = 2;
	TlvSourceColumn(rows, "s", FLOAT8ARRAYOID);
	rows->form = TLV_ROW_SEQUENCE;
	rows->small_scan = true;
	TlvSourceReady(rows, n == 1 ? TLV_SOURCE_AGAIN : TLV_SOURCE_MADE);
}
