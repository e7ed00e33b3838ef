/*
 * edges_query.c - edges, nodes with their neighbours, and known labels of nodes, from a driver's
 * queries (queries.h).
 */
#include "rows/queries.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static bool
are_edges(TlvQuery *query)
{
	TupleDesc desc = query->desc;

	if (desc->natts < 2 || desc->natts > 3)
		return false;
	for (int i = 0; i < 2; i++)
		if (!OidIsValid(TlvQueryIdType(query, i)))
			return false;
	return desc->natts == 2 || TlvIsNumberType(TlvColumnType(desc, 2));
}

static const char *
type_name(Oid type)
{
	return type == INT8OID ? "pg_catalog.int8" : "pg_catalog.text";
}

/* Nodes with the bags of their neighbours. */
static bool
are_neighbours(const TlvSource *rows)
{
	TupleDesc desc = rows->query->desc;

	return desc->natts == 2 && TlvColumnType(desc, 1) == TlvQueryType(rows->query, "tlv_bag");
}

static void
read_neighbours(TlvSource *rows)
{
	if (TlvQueryIdType(rows->query, 0) != INT8OID)
		TlvRefuseColumns(rows->query->desc, "nodes and their neighbours",
						 "It must return (node, neighbours), an integer and a tlv_bag; use "
						 "tlv_term_id(name) in both for nodes with names.");
	appendStringInfo(&rows->made.sql,
					 "SELECT node::pg_catalog.int8 AS node, neighbours::%s.tlv_bag AS neighbours "
					 "FROM " TLV_QUERY_ROWS " AS q(node, neighbours)",
					 rows->query->schema);
	rows->form = TLV_ROW_NEIGHBOURS;
	TlvSourceColumn(rows, "node", INT8OID);
	TlvSourceColumn(rows, "neighbours", TlvQueryType(rows->query, "tlv_bag"));
	TlvSourceReady(rows, TLV_SOURCE_ONCE);
}

/* Of one set of nodes either both ends are numbers or both are names. */
void
TlvReadEdges(TlvDriver *driver, const char *text, bool bipartite)
{
	TlvSource *rows = TlvSourceOpen(driver, 0, text, "edges");
	TupleDesc desc = rows->query->desc;
	bool weighted = desc->natts == 3;
	Oid types[2];

	if (are_neighbours(rows))
	{
		read_neighbours(rows);
		return;
	}
	if (!are_edges(rows->query))
		TlvRefuseColumns(desc, "edges",
						 "It must return (src, dst [, weight]), integers or strings (weight: any "
						 "number), or (node, neighbours tlv_bag).");
	for (int i = 0; i < 2; i++)
		types[i] = TlvQueryIdType(rows->query, i);
	if (!bipartite && types[0] != types[1])
		TlvRefuseColumns(desc, "edges of one set of nodes",
						 "Cast one of the columns; or the graph is bipartite: bipartite => true.");
	appendStringInfo(
		&rows->made.sql,
		"SELECT src::%s AS src, dst::%s AS dst%s FROM " TLV_QUERY_ROWS " AS q(src, dst%s)",
		type_name(types[0]), type_name(types[1]),
		weighted ? ", weight::pg_catalog.float8 AS weight" : "", weighted ? ", weight" : "");
	rows->form = types[0] == INT8OID && types[1] == INT8OID ? TLV_ROW_EDGE : TLV_ROW_NAMED_EDGE;
	TlvSourceColumn(rows, "src", types[0]);
	TlvSourceColumn(rows, "dst", types[1]);
	if (weighted)
		TlvSourceColumn(rows, "weight", FLOAT8OID);
	TlvSourceReady(rows, TLV_SOURCE_ONCE);
}

/* ---- labels ---- */

void
TlvReadLabels(TlvDriver *driver, const char *text)
{
	TlvSource *rows = TlvSourceOpen(driver, 1, text, "labels");
	TupleDesc desc = rows->query->desc;

	if (desc->natts != 2 || !OidIsValid(TlvQueryIdType(rows->query, 0)) ||
		TlvQueryIdType(rows->query, 1) != INT8OID)
		TlvRefuseColumns(desc, "labels",
						 "It must return (node, community), communities as integers.");
	appendStringInfo(
		&rows->made.sql,
		"SELECT node::%s AS node, community::pg_catalog.int8 AS community FROM " TLV_QUERY_ROWS
		" AS q(node, community)",
		type_name(TlvQueryIdType(rows->query, 0)));
	TlvSourceColumn(rows, "node", TlvQueryIdType(rows->query, 0));
	TlvSourceColumn(rows, "community", INT8OID);
	TlvSourceReady(rows, TLV_SOURCE_ONCE);
}
