/*
 * answers_query.c - answers of workers, and known ones, from a driver's queries (queries.h).
 */
#include "rows/queries.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

/* Columns of ids, called by these names; NULL ends them. */
static void
read_ids(TlvSource *rows, const char *const *names, const char *what, const char *hint)
{
	TupleDesc desc = rows->query->desc;
	StringInfo sql = &rows->made.sql;
	int n = 0;

	while (names[n] != NULL)
		n++;
	if (desc->natts != n) /* or none at all */
		TlvRefuseColumns(desc, what, hint);
	for (int i = 0; i < n; i++)
		if (!OidIsValid(TlvQueryIdType(rows->query, i)))
			TlvRefuseColumns(desc, what, hint);
	for (int i = 0; i < n; i++)
	{
		Oid type = TlvQueryIdType(rows->query, i);

		appendStringInfo(sql, "%s%s::pg_catalog.%s AS %s", i == 0 ? "SELECT " : ", ", names[i],
						 type == INT8OID ? "int8" : "text", names[i]);
		TlvSourceColumn(rows, names[i], type);
	}
	appendStringInfoString(sql, " FROM " TLV_QUERY_ROWS " AS q(");
	for (int i = 0; i < n; i++)
		appendStringInfo(sql, "%s%s", i == 0 ? "" : ", ", names[i]);
	appendStringInfoChar(sql, ')');
	rows->form = TLV_ROW_ANSWER;
	TlvSourceReady(rows, TLV_SOURCE_ONCE);
}

void
TlvReadAnswers(TlvDriver *driver, const char *text)
{
	static const char *const names[] = {"item", "worker", "answer", NULL};

	read_ids(TlvSourceOpen(driver, 0, text, "answers"), names, "answers",
			 "It must return (item, worker, answer), each an integer or a string.");
}

void
TlvReadGold(TlvDriver *driver, const char *text)
{
	static const char *const names[] = {"item", "answer", NULL};

	read_ids(TlvSourceOpen(driver, 1, text, "gold"), names, "known answers",
			 "It must return (item, answer), each an integer or a string.");
}
