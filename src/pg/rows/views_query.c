/*
 * views_query.c - triples of views from a driver's query (queries.h).
 */
#include "queries.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

/* Whole numbers, or arrays of numbers; all three of one sort.  False: neither. */
static bool
are_views(TupleDesc desc, bool *vectors)
{
	for (int i = 0; i < desc->natts; i++)
	{
		Oid type = getBaseType(TupleDescAttr(desc, i)->atttypid);
		Oid element = get_element_type(type);
		bool numbers = OidIsValid(element) && TlvIsNumberType(getBaseType(element));

		if ((!numbers && !TlvIsIntegerType(type)) || (i > 0 && numbers != *vectors))
			return false;
		*vectors = numbers;
	}
	return desc->natts == 3;
}

TlvSource *
TlvReadViews(TlvDriver *driver, const char *text)
{
	static const char *const columns[] = {"x1", "x2", "x3"};
	TlvSource *rows = TlvSourceOpen(driver, 0, text, "views");
	const char *cast;
	bool vectors = false;

	if (!are_views(rows->query->desc, &vectors))
		TlvRefuseColumns(rows->query->desc, "views",
						 "It must return (x1, x2, x3): three arrays of numbers, or three whole "
						 "numbers.");
	rows->form = vectors ? TLV_ROW_VIEWS : TLV_ROW_CATEGORIES;
	cast = vectors ? "float8[]" : "int4";
	for (int t = 0; t < 3; t++)
	{
		appendStringInfo(&rows->made.sql, "%s %s::pg_catalog.%s AS %s", t == 0 ? "SELECT" : ",",
						 columns[t], cast, columns[t]);
		TlvSourceColumn(rows, columns[t], vectors ? FLOAT8ARRAYOID : INT4OID);
	}
	appendStringInfoString(&rows->made.sql, " FROM " TLV_QUERY_ROWS " AS q(x1, x2, x3)");
	return rows;
}
