/*
 * mmsb_driver.c - tlv_mmsb(query, ...): communities from the text of a query
 * that returns edges, in one call.  One aggregate query with the caller's
 * rights gives the graph, another the labels; then the fit.
 */
#include "mmsb.h"

#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "server/old_query.h"
#include "server/row_source.h"

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

static struct varlena *
collect_graph(TlvRowSource *rows, const char *query, Oid function, const char *kind)
{
	TupleDesc desc = TlvRowSourceProbe(rows, query, function, "edges");
	bool weighted;

	if (!are_edges(desc, 3))
		TlvRefuseColumns(desc, "edges",
						 "It must return (src, dst [, weight]), whole numbers (weight: any "
						 "number).");
	weighted = desc->natts == 3;
	rows->source =
		psprintf("FROM (%s\n) AS q(src, dst%s)", rows->query, weighted ? ", weight" : "");
	return TlvRowSourcePass(rows,
							psprintf("%s.tlv_graph(src::pg_catalog.int8, dst::pg_catalog.int8%s, "
									 "'%s'::pg_catalog.text)",
									 rows->schema, weighted ? ", weight::pg_catalog.float8" : "",
									 kind),
							NULL, NULL, NULL);
}

/* A node with two labels is an error, not a sum; and no label is below 1. */
static void
refuse_bad_labels(const char *select)
{
	char *sql =
		psprintf("SELECT node::pg_catalog.text, pg_catalog.min(community)::pg_catalog.text, "
				 "pg_catalog.min(community) OPERATOR(pg_catalog.<) 1 FROM (%s\n) AS q(node, "
				 "community) WHERE node IS NOT NULL AND community IS NOT NULL GROUP BY node "
				 "HAVING pg_catalog.min(community) OPERATOR(pg_catalog.<>) "
				 "pg_catalog.max(community) OR pg_catalog.min(community) "
				 "OPERATOR(pg_catalog.<) 1 ORDER BY node LIMIT 1",
				 select);
	HeapTuple row;
	TupleDesc desc;
	bool isnull;

	TlvRunQuery(sql, 0, NULL, NULL);
	if (SPI_processed > 0)
	{
		row = SPI_tuptable->vals[0];
		desc = SPI_tuptable->tupdesc;
		if (DatumGetBool(SPI_getbinval(row, desc, 3, &isnull)))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("label %s of node %s is not the number of a community",
								   SPI_getvalue(row, desc, 2), SPI_getvalue(row, desc, 1)),
							errhint("Labels are whole numbers from 1 to k, one for each node.")));
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("node %s has more than one label", SPI_getvalue(row, desc, 1))));
	}
	SPI_freetuptable(SPI_tuptable);
}

static struct varlena *
collect_labels(TlvRowSource *rows, const char *query, Oid function)
{
	TupleDesc desc = TlvRowSourceProbe(rows, query, function, "labels");

	if (!are_edges(desc, 2))
		TlvRefuseColumns(desc, "labels", "It must return (node, community), whole numbers.");
	refuse_bad_labels(rows->query);
	MemoryContextSwitchTo(rows->mcxt);
	rows->source = psprintf("FROM (SELECT DISTINCT node, community FROM (%s\n) AS q(node, "
							"community)) AS d",
							rows->query);
	return TlvRowSourcePass(
		rows,
		psprintf("%s.tlv_bag(node::pg_catalog.int8, community::pg_catalog.float8)", rows->schema),
		NULL, NULL, NULL);
}

PG_FUNCTION_INFO_V1(tlv_mmsb);

/*
 * tlv_mmsb(query, k, alpha0, method, refine, seed, degree_corrected, partition, edges, labels,
 * restarts, steps, max_k, directed, bipartite)
 */
Datum
tlv_mmsb(PG_FUNCTION_ARGS)
{
	struct varlena *graph, *labels = NULL;
	const char *kind = "undirected";
	Oid function = fcinfo->flinfo->fn_oid;
	tlv_mmsb_options options;
	TlvRowSource rows = {0};
	bool directed = !PG_ARGISNULL(13) && PG_GETARG_BOOL(13);
	bool bipartite = !PG_ARGISNULL(14) && PG_GETARG_BOOL(14);

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	TlvMmsbOptions(fcinfo, &options);
	if (directed && bipartite)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a graph is directed or bipartite, not both"),
						errhint("The edges of a bipartite graph lead from one set of nodes to "
								"the other anyway.")));
	if (directed || bipartite)
		kind = directed ? "directed" : "bipartite";
	TlvRowSourceBegin(&rows);
	graph = collect_graph(&rows, text_to_cstring(PG_GETARG_TEXT_PP(0)), function, kind);
	if (graph != NULL && !PG_ARGISNULL(9))
		labels = collect_labels(&rows, text_to_cstring(PG_GETARG_TEXT_PP(9)), function);
	MemoryContextSwitchTo(rows.mcxt);
	if (labels != NULL)
		TlvMmsbLabels(labels, &options);
	graph = TlvRowSourceEnd(&rows, graph == NULL ? NULL : TlvMmsbFit(graph, &options));
	if (graph == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(graph);
}
