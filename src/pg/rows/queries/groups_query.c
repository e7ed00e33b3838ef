/*
 * groups_query.c - rows of a driver's query gathered by what they belong to (queries.h).
 */
#include "rows/queries.h"

/*
 * What cannot be gathered, of no key or without its value, becomes rows that are NULL, one for
 * each, so that whoever reads them counts what was left out.  The first row of a key also has the
 * number of rows that are marked.  Beside GROUP BY the key occurs in aggregates only: an engine
 * that takes these apart asks its servers for the columns of an expression outside of them, which
 * are not grouped where the key is computed.
 */
void
TlvAppendGroups(StringInfo sql, const TlvGroups *groups)
{
	const char *key = groups->key, *good = groups->good;

	appendStringInfo(sql, "SELECT CASE WHEN g.i OPERATOR(pg_catalog.=) 1 THEN g.v END AS %s",
					 groups->name);
	if (groups->marked != NULL)
		appendStringInfo(sql, ", CASE WHEN g.i OPERATOR(pg_catalog.=) 1 THEN g.m END AS %s",
						 groups->marked);
	appendStringInfo(sql,
					 " FROM (SELECT k.v, %spg_catalog.generate_series(1::pg_catalog.int8, k.n) "
					 "AS i FROM (SELECT %s FILTER (WHERE %s IS DISTINCT FROM NULL%s%s) AS v, ",
					 groups->marked != NULL ? "k.m, " : "", groups->value, key,
					 groups->where != NULL ? " AND " : "",
					 groups->where != NULL ? groups->where : "");
	if (groups->marked != NULL)
		appendStringInfo(sql, "pg_catalog.count(*) FILTER (WHERE %s AND %s) AS m, ", groups->marked,
						 groups->where != NULL ? groups->where : "true");
	appendStringInfo(
		sql,
		"CASE WHEN pg_catalog.count(%s) OPERATOR(pg_catalog.>) 0 AND pg_catalog.count(%s) "
		"OPERATOR(pg_catalog.>) 0 THEN pg_catalog.count(*) OPERATOR(pg_catalog.-) "
		"pg_catalog.count(%s) OPERATOR(pg_catalog.+) 1 ELSE pg_catalog.count(*) END AS "
		"n FROM %s GROUP BY %s) AS k) AS g",
		key, good, good, groups->from, key);
}
