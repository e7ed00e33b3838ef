/*
 * documents.c - passes over the documents of a query (documents.h).
 *
 * A query of stored bags is run again for every pass, so that the planner sees
 * all of it: parallel workers, partitions, shards.  Bags that the query computes,
 * or (doc, item, count) rows that are grouped into bags, are made once; they
 * are kept in a tuple store, which spills to disk above work_mem, and every
 * pass is an aggregate query over that.
 */
#include "documents.h"
#include "server/old_query.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "nodes/parsenodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/syscache.h"

/* A bag or rows of documents, and nothing else. */
static const char *const accepted =
	"It must return (doc, item bigint or text [, count]), or one column of type tlv_bag.";

/* Which of the accepted forms the columns have. */
static void
recognize_columns(TlvDocuments *documents, TupleDesc desc, Oid bag_type)
{
	Oid item;

	if (desc->natts == 1 && TupleDescAttr(desc, 0)->atttypid == bag_type)
	{
		documents->bags = true;
		return;
	}
	if (desc->natts != 2 && desc->natts != 3)
		TlvRefuseColumns(desc, "documents", accepted);
	item = getBaseType(TupleDescAttr(desc, 1)->atttypid);
	documents->text_items = TlvIsTextType(item);
	if (!documents->text_items && !TlvIsIntegerType(item))
		TlvRefuseColumns(desc, "documents", accepted);
	if (desc->natts == 3 && !TlvIsNumberType(getBaseType(TupleDescAttr(desc, 2)->atttypid)))
		TlvRefuseColumns(desc, "documents", accepted);
}

/* Does this level of a query choose rows by chance, or by their order of arrival? */
static bool
chooses_rows(const Query *part)
{
	ListCell *cell;

	if (part->limitCount != NULL || part->limitOffset != NULL)
		return true;
	foreach (cell, part->rtable)
		if (lfirst_node(RangeTblEntry, cell)->tablesample != NULL)
			return true;
	return false;
}

/*
 * Is the query's bag a column that is stored somewhere?  Then running it again costs a scan;
 * anything else would be computed anew in every pass.  All passes must see the same rows: so
 * not when another run may choose others.
 */
static bool
is_stored_column(const char *query)
{
	SPIPlanPtr plan = SPI_prepare(query, 0, NULL);
	CachedPlanSource *source;
	Query *part;
	AttrNumber column = 1;

	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	source = linitial(SPI_plan_get_plan_sources(plan));
	part = linitial_node(Query, source->query_list);
	if (contain_volatile_functions((Node *) part))
		return false;
	for (;;)
	{
		Node *expression;
		RangeTblEntry *from;

		if (part->commandType != CMD_SELECT || part->hasAggs || part->groupClause != NIL ||
			part->setOperations != NULL || part->distinctClause != NIL || chooses_rows(part))
			return false;
		expression = (Node *) ((TargetEntry *) list_nth(part->targetList, column - 1))->expr;
		if (!IsA(expression, Var) || ((Var *) expression)->varattno <= 0 ||
			((Var *) expression)->varlevelsup > 0) /* a column of LATERAL's other side */
			return false;
		from = rt_fetch(((Var *) expression)->varno, part->rtable);
		if (from->rtekind != RTE_SUBQUERY)
			return from->rtekind == RTE_RELATION;
		column = ((Var *) expression)->varattno;
		part = from->subquery;
	}
}

/* (doc, item, count) rows grouped into bags.  IS NOT NULL would refuse a row with a NULL in it. */
static char *
grouping_query(const TlvDocuments *documents, bool counted)
{
	return psprintf(
		"SELECT %s.tlv_bag(item::%s%s) AS bag FROM (%s\n) AS q(doc, item%s) "
		"WHERE doc IS DISTINCT FROM NULL GROUP BY doc",
		documents->rows.schema, documents->text_items ? "pg_catalog.text" : "pg_catalog.int8",
		counted ? ", n::pg_catalog.float8" : "", documents->rows.query, counted ? ", n" : "");
}

void
TlvDocumentsOpen(TlvDocuments *documents, const char *query, Oid function)
{
	TlvRowSource *rows = &documents->rows;
	Oid bag_type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("tlv_bag"),
								   ObjectIdGetDatum(get_func_namespace(function)));
	TupleDesc desc = TlvRowSourceProbe(rows, query, function, "documents");
	bool stored;

	recognize_columns(documents, desc, bag_type);
	stored = documents->bags && is_stored_column(rows->query);
	MemoryContextSwitchTo(rows->mcxt);
	if (stored)
		rows->source = psprintf("FROM (%s\n) AS q(bag)", rows->query);
	else
		TlvRowSourceStore(
			rows, documents->bags ? rows->query : grouping_query(documents, desc->natts == 3),
			"bag", bag_type);
}

void
TlvDocumentsTerms(TlvDocuments *documents)
{
	char *sql;

	sql = psprintf(
		"SELECT %s.tlv_term_id(term) AS id, term FROM (SELECT DISTINCT "
		"item::pg_catalog.text COLLATE pg_catalog.\"C\" AS term FROM (%s\n) AS q(doc, item)) AS t "
		"WHERE term IS NOT NULL ORDER BY 1, 2",
		documents->rows.schema, documents->rows.query);
	TlvRunQuery(sql, 0, NULL, NULL);
	MemoryContextSwitchTo(documents->rows.mcxt);
	documents->rows.passes++;
	pfree(sql);
}
