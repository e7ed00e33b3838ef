/*
 * mmsb_driver.c - tlv_mmsb(query, ...): communities from the text of a query
 * that returns edges, in one call.  One aggregate query with the caller's
 * rights gives the graph, another the labels; then the fit.
 */
#include "communities.h"

#include "catalog/namespace.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "query.h"

/* The one value of an aggregate query, copied to mcxt; NULL for NULL. */
static struct varlena *
single_value(const char *sql, MemoryContext mcxt)
{
	struct varlena *result = NULL;
	MemoryContext old;
	Datum value;
	bool isnull;

	TlvRunPass(sql, 0, NULL, NULL);
	value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (!isnull)
	{
		old = MemoryContextSwitchTo(mcxt);
		result = (struct varlena *) PG_DETOAST_DATUM_COPY(value);
		MemoryContextSwitchTo(old);
	}
	SPI_freetuptable(SPI_tuptable);
	return result;
}

/* How many columns a query returns: least to most, the first two whole numbers, a third any number.
 */
static int
require_columns(const char *query, int least, int most, const char *what, const char *columns)
{
	char *probe = psprintf("SELECT * FROM (%s\n) AS q LIMIT 0", query);
	TupleDesc desc;
	bool fits;
	int n;

	TlvRunQuery(probe, 0, NULL, NULL);
	desc = SPI_tuptable->tupdesc;
	n = desc->natts;
	fits = n >= least && n <= most;
	for (int i = 0; i < n && fits; i++)
	{
		Oid type = getBaseType(TupleDescAttr(desc, i)->atttypid);

		fits = i < 2 ? TlvIsIntegerType(type) : TlvIsNumberType(type);
	}
	SPI_freetuptable(SPI_tuptable);
	if (!fits)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("the query of %s returns other columns", what),
						errhint("It must return %s, whole numbers%s.", columns,
								most > 2 ? " (weight: any number)" : "")));
	return n;
}

static struct varlena *
collect_graph(const char *query, const char *schema, const char *kind, MemoryContext mcxt)
{
	char *select = TlvSingleSelect(query, "edges");
	int columns = require_columns(select, 2, 3, "edges", "(src, dst [, weight])");
	char *sql = psprintf("SELECT %s.tlv_graph(src::pg_catalog.int8, dst::pg_catalog.int8%s, "
						 "'%s'::pg_catalog.text) FROM (%s\n) AS q(src, dst%s)",
						 schema, columns == 3 ? ", weight::pg_catalog.float8" : "", kind, select,
						 columns == 3 ? ", weight" : "");

	return single_value(sql, mcxt);
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
collect_labels(const char *query, const char *schema, MemoryContext mcxt)
{
	char *select = TlvSingleSelect(query, "labels");
	char *sql;

	require_columns(select, 2, 2, "labels", "(node, community)");
	refuse_bad_labels(select);
	sql = psprintf("SELECT %s.tlv_bag(node::pg_catalog.int8, community::pg_catalog.float8) FROM "
				   "(SELECT DISTINCT node, community FROM (%s\n) AS q(node, community)) AS d",
				   schema, select);
	return single_value(sql, mcxt);
}

PG_FUNCTION_INFO_V1(tlv_mmsb);

/*
 * tlv_mmsb(query, k, alpha0, method, refine, seed, degree_corrected, partition, edges, labels,
 * restarts, steps, max_k, directed, bipartite)
 */
Datum
tlv_mmsb(PG_FUNCTION_ARGS)
{
	MemoryContext caller = CurrentMemoryContext, old;
	struct varlena *graph, *labels = NULL;
	const char *schema, *kind = "undirected";
	tlv_mmsb_options options;
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
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	schema = quote_identifier(get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid)));
	graph = collect_graph(text_to_cstring(PG_GETARG_TEXT_PP(0)), schema, kind, caller);
	if (!PG_ARGISNULL(9))
		labels = collect_labels(text_to_cstring(PG_GETARG_TEXT_PP(9)), schema, caller);
	SPI_finish();
	old = MemoryContextSwitchTo(caller);
	if (graph == NULL)
		PG_RETURN_NULL();
	if (labels != NULL)
		TlvMmsbLabels(labels, &options);
	graph = TlvMmsbFit(graph, &options);
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(graph);
}
