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

/* (node, least community, is it below 1) of a node whose labels are no labels. */
static void
refuse_label(void *argument, TupleTableSlot *slot)
{
	const char *node = TextDatumGetCString(slot->tts_values[0]);

	(void) argument;
	if (DatumGetBool(slot->tts_values[2]))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("label %s of node %s is not the number of a community",
							   TextDatumGetCString(slot->tts_values[1]), node),
						errhint("Labels are whole numbers from 1 to k, one for each node.")));
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION), errmsg("node %s has more than one label", node)));
}

/* A node with two labels is an error, not a sum; and no label is below 1. */
static void
refuse_bad_labels(TlvSource *rows)
{
	TlvStatement statement;

	TlvStatementBegin(&statement, rows->query);
	appendStringInfoString(
		&statement.sql,
		"SELECT node::pg_catalog.text, pg_catalog.min(community)::pg_catalog.text, "
		"pg_catalog.min(community) OPERATOR(pg_catalog.<) 1 FROM " TLV_QUERY_ROWS
		" AS q(node, community) WHERE node IS NOT NULL AND community IS NOT NULL GROUP BY node "
		"HAVING pg_catalog.min(community) OPERATOR(pg_catalog.<>) pg_catalog.max(community) OR "
		"pg_catalog.min(community) OPERATOR(pg_catalog.<) 1 ORDER BY node LIMIT 1");
	(void) TlvStatementRun(&statement, 3, (Oid[]){TEXTOID, TEXTOID, BOOLOID}, refuse_label, NULL);
}

void
TlvReadLabels(TlvDriver *driver, const char *text)
{
	TlvSource *rows = TlvSourceOpen(driver, 1, text, "labels");

	if (!are_edges(rows->query->desc, 2))
		TlvRefuseColumns(rows->query->desc, "labels",
						 "It must return (node, community), whole numbers.");
	refuse_bad_labels(rows);
	appendStringInfoString(&rows->made.sql,
						   "SELECT DISTINCT node::pg_catalog.int8 AS node, "
						   "community::pg_catalog.float8 AS community FROM " TLV_QUERY_ROWS
						   " AS q(node, community)");
	TlvSourceColumn(rows, "node", INT8OID);
	TlvSourceColumn(rows, "community", FLOAT8OID);
	TlvSourceReady(rows, TLV_SOURCE_ONCE);
}
