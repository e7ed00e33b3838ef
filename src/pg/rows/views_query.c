/*
 * views_query.c - triples of views from a driver's query (queries.h).
 */
#include "queries.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

/* What the three columns are cast to: vectors all, or whole numbers all; false: neither. */
static bool
are_views(TlvSource *rows, const char **casts, bool *vectors)
{
	TupleDesc desc = rows->query->desc;

	for (int i = 0; i < 3 && desc->natts == 3; i++)
	{
		bool integer = TlvIsIntegerType(getBaseType(TupleDescAttr(desc, i)->atttypid));

		casts[i] = integer ? "pg_catalog.int8" : TlvVectorCast(rows, i);
		if (casts[i] == NULL || (i > 0 && integer == *vectors))
			return false;
		*vectors = !integer;
	}
	return desc->natts == 3;
}

TlvSource *
TlvReadViews(TlvDriver *driver, const char *text)
{
	static const char *const columns[] = {"x1", "x2", "x3"};
	TlvSource *rows = TlvSourceOpen(driver, 0, text, "views");
	const char *casts[3];
	bool vectors = false;

	if (!are_views(rows, casts, &vectors))
		TlvRefuseColumns(rows->query->desc, "views",
						 "It must return (x1, x2, x3): three arrays of numbers, or three whole "
						 "numbers; categories that are texts are for tlv_lca with layout => "
						 "'wide'.");
	rows->form = vectors ? TLV_ROW_VIEWS : TLV_ROW_CATEGORIES;
	for (int t = 0; t < 3; t++)
	{
		appendStringInfo(&rows->made.sql, "%s %s::%s AS %s", t == 0 ? "SELECT" : ",", columns[t],
						 casts[t], columns[t]);
		TlvSourceColumn(rows, columns[t], vectors ? FLOAT8ARRAYOID : INT8OID);
	}
	appendStringInfoString(&rows->made.sql, " FROM " TLV_QUERY_ROWS " AS q(x1, x2, x3)");
	return rows;
}
