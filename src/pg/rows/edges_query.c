/*
 * edges_query.c - edges, and known labels of nodes, from a driver's queries (queries.h).
 */
#include "queries.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* Columns: the first two whole numbers, a third, where most allows one, any number. */
static bool
are_edges(TupleDesc desc, int most)
{
	if (desc->natts < 2 || desc->natts > most)
		return false;
	for (int i = 0; i < desc->natts; i++)
	{
		Oid type = getBaseType(TupleDescAttr(desc, i)->atttypid);

		if (!(i < 2 ? TlvIsIntegerType(type) : TlvIsNumberType(type)))
			return false;
	}
	return true;
}

void
TlvReadEdges(TlvDriver *driver, const char *text)
{
	TlvSource *rows = TlvSourceOpen(driver, 0, text, "edges");
	bool weighted = rows->query->desc->natts == 3;

	if (!are_edges(rows->query->desc, 3))
		TlvRefuseColumns(rows->query->desc, "edges",
						 "It must return (src, dst [, weight]), whole numbers (weight: any "
						 "number).");
	appendStringInfo(
		&rows->made.sql,
		"SELECT src::pg_catalog.int8 AS src, dst::pg_catalog.int8 AS dst%s FROM " TLV_QUERY_ROWS
		" AS q(src, dst%s)",
		weighted ? ", weight::pg_catalog.float8 AS weight" : "", weighted ? ", weight" : "");
	rows->form = TLV_ROW_EDGE;
	TlvSourceColumn(rows, "src", INT8OID);
	TlvSourceColumn(rows, "dst", INT8OID);
	if (weighted)
		TlvSourceColumn(rows, "weight", FLOAT8OID);
	TlvSourceReady(rows, TLV_SOURCE_ONCE);
}

/* ---- labels ---- */

void
TlvReadLabels(TlvDriver *driver, const char *text)
{
	TlvSource *rows = TlvSourceOpen(driver, 1, text, "labels");

	if (!are_edges(rows->query->desc, 2))
		TlvRefuseColumns(rows->query->desc, "labels",
						 "It must return (node, community), whole numbers.");
	appendStringInfoString(&rows->made.sql,
						   "SELECT node::pg_catalog.int8 AS node, community::pg_catalog.int8 AS "
						   "community FROM " TLV_QUERY_ROWS " AS q(node, community)");
	TlvSourceColumn(rows, "node", INT8OID);
	TlvSourceColumn(rows, "community", INT8OID);
	TlvSourceReady(rows, TLV_SOURCE_ONCE);
}
