/*
 * views_query.c - triples of views from a driver's query (queries.h).
 */
#include "rows/queries.h"

#include "catalog/pg_type.h"

/* What the three columns are cast to: vectors all, or categories all; false: neither. */
static bool
are_views(TlvSource *rows, const char **casts, Oid *types, bool *vectors)
{
	TupleDesc desc = rows->query->desc;

	for (int i = 0; i < 3 && desc->natts == 3; i++)
	{
		Oid id = TlvQueryIdType(rows->query, i);
		bool category = OidIsValid(id);

		types[i] = category ? id : FLOAT8ARRAYOID;
		casts[i] = types[i] == INT8OID	 ? "pg_catalog.int8"
				   : types[i] == TEXTOID ? "pg_catalog.text"
										 : TlvVectorCast(rows, i);
		if (casts[i] == NULL || (i > 0 && category == *vectors))
			return false;
		*vectors = !category;
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
	Oid types[3];

	if (!are_views(rows, casts, types, &vectors))
		TlvRefuseColumns(rows->query->desc, "views",
						 "It must return (x1, x2, x3): three arrays of numbers, or three "
						 "categories, each a string or an integer.");
	rows->form = vectors ? TLV_ROW_VIEWS : TLV_ROW_CATEGORIES;
	if (vectors)
		rows->names = TlvColumnNames(rows->query->desc, 0);
	for (int t = 0; t < 3; t++)
	{
		appendStringInfo(&rows->made.sql, "%s %s::%s AS %s", t == 0 ? "SELECT" : ",", columns[t],
						 casts[t], columns[t]);
		TlvSourceColumn(rows, columns[t], types[t]);
	}
	appendStringInfoString(&rows->made.sql, " FROM " TLV_QUERY_ROWS " AS q(x1, x2, x3)");
	return rows;
}
