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
#include "query.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "nodes/parsenodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/queryenvironment.h"
#include "utils/syscache.h"

/* With a space, so that it hides no table of the user's. */
#define STORE_NAME "tensorlv documents"

static void
refuse_columns(TupleDesc desc)
{
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = 0; i < desc->natts; i++)
		appendStringInfo(&columns, "%s%s", i > 0 ? ", " : "",
						 format_type_be(TupleDescAttr(desc, i)->atttypid));
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("the query returns (%s), which are no documents", columns.data),
			 errhint("It must return (doc, item bigint or text [, count]), or one column of type "
					 "tlv_bag.")));
}

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
		refuse_columns(desc);
	item = getBaseType(TupleDescAttr(desc, 1)->atttypid);
	documents->text_items = TlvIsTextType(item);
	if (!documents->text_items && !TlvIsIntegerType(item))
		refuse_columns(desc);
	if (desc->natts == 3 && !TlvIsNumberType(getBaseType(TupleDescAttr(desc, 2)->atttypid)))
		refuse_columns(desc);
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

/* The rows of a query that returns bags, kept in a tuple store under a name. */
static void
store_bags(TlvDocuments *documents, const char *sql, Oid bag_type)
{
	EphemeralNamedRelation relation = palloc0(sizeof(EphemeralNamedRelationData));
	MemoryContext old;
	TupleDesc desc;

	old = MemoryContextSwitchTo(documents->mcxt);
	documents->store = tuplestore_begin_heap(true, false, work_mem);
	desc = CreateTemplateTupleDesc(1);
	TupleDescInitEntry(desc, 1, "bag", bag_type, -1, 0);
	MemoryContextSwitchTo(old);
#if PG_VERSION_NUM >= 140000
	{
		SPIExecuteOptions options = {0};
		DestReceiver *receiver = CreateDestReceiver(DestTuplestore);
		bool before;

		SetTuplestoreDestReceiverParams(receiver, documents->store, documents->mcxt, true, NULL,
										NULL);
		options.read_only = true;
		options.must_return_tuples = true;
		options.dest = receiver;
		before = TlvBeginReading();
		if (SPI_execute_extended(sql, &options) < 0)
			elog(ERROR, "query failed");
		TlvEndReading(before);
	}
#else
	TlvRunQuery(sql, 0, NULL, NULL);
	for (uint64 i = 0; i < SPI_processed; i++)
		tuplestore_puttuple(documents->store, SPI_tuptable->vals[i]);
	SPI_freetuptable(SPI_tuptable);
#endif
	documents->passes++;
	relation->md.name = STORE_NAME;
	relation->md.reliddesc = InvalidOid;
	relation->md.tupdesc = desc;
	relation->md.enrtype = ENR_NAMED_TUPLESTORE;
	relation->md.enrtuples = (double) tuplestore_tuple_count(documents->store);
	relation->reldata = documents->store;
	if (SPI_register_relation(relation) < 0)
		elog(ERROR, "could not register the documents");
	documents->source = pstrdup("FROM \"" STORE_NAME "\"");
}

/* (doc, item, count) rows grouped into bags.  IS NOT NULL would refuse a row with a NULL in it. */
static char *
grouping_query(const TlvDocuments *documents, bool counted)
{
	return psprintf(
		"SELECT %s.tlv_bag(item::%s%s) AS bag FROM (%s\n) AS q(doc, item%s) "
		"WHERE doc IS DISTINCT FROM NULL GROUP BY doc",
		documents->schema, documents->text_items ? "pg_catalog.text" : "pg_catalog.int8",
		counted ? ", n::pg_catalog.float8" : "", documents->query, counted ? ", n" : "");
}

void
TlvDocumentsOpen(TlvDocuments *documents, const char *query, Oid function)
{
	Oid namespace = get_func_namespace(function);
	Oid bag_type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("tlv_bag"),
								   ObjectIdGetDatum(namespace));
	MemoryContext old;
	bool counted;
	char *probe;

	old = MemoryContextSwitchTo(documents->mcxt);
	documents->schema = quote_identifier(get_namespace_name(namespace));
	documents->query = TlvSingleSelect(query, "documents");
	probe = psprintf("SELECT * FROM (%s\n) AS q LIMIT 0", documents->query);
	MemoryContextSwitchTo(old);
	TlvRunQuery(probe, 0, NULL, NULL);
	recognize_columns(documents, SPI_tuptable->tupdesc, bag_type);
	counted = SPI_tuptable->tupdesc->natts == 3;
	SPI_freetuptable(SPI_tuptable);
	old = MemoryContextSwitchTo(documents->mcxt);
	if (documents->bags && is_stored_column(documents->query))
		documents->source = psprintf("FROM (%s\n) AS q(bag)", documents->query);
	else if (documents->bags)
		store_bags(documents, documents->query, bag_type);
	else
		store_bags(documents, grouping_query(documents, counted), bag_type);
	MemoryContextSwitchTo(old);
}

struct varlena *
TlvDocumentsPass(TlvDocuments *documents, const char *expression, const char *condition,
				 const char *parameter_type, struct varlena *parameter)
{
	StringInfoData sql;
	Oid types[1] = {InvalidOid};
	Datum values[1] = {PointerGetDatum(parameter)}, value;
	struct varlena *result = NULL;
	MemoryContext old;
	bool isnull;

	CHECK_FOR_INTERRUPTS();
	if (tlv_progress != TLV_PROGRESS_OFF)
		ereport(tlv_progress == TLV_PROGRESS_NOTICE ? NOTICE : LOG,
				(errmsg("tensorlv: pass %d: %s", documents->passes + 1, expression)));
	if (parameter != NULL)
		types[0] = DatumGetObjectId(
			DirectFunctionCall1(to_regtype, PointerGetDatum(cstring_to_text(psprintf(
												"%s.%s", documents->schema, parameter_type)))));
	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT %s %s", expression, documents->source);
	if (condition != NULL)
		appendStringInfo(&sql, " WHERE %s", condition);
	TlvRunPass(sql.data, parameter != NULL ? 1 : 0, types, values);
	documents->passes++;
	value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (!isnull)
	{
		old = MemoryContextSwitchTo(documents->mcxt);
		result = (struct varlena *) PG_DETOAST_DATUM_COPY(value);
		MemoryContextSwitchTo(old);
	}
	SPI_freetuptable(SPI_tuptable);
	pfree(sql.data);
	return result;
}

void
TlvDocumentsTerms(TlvDocuments *documents)
{
	char *sql;

	sql = psprintf(
		"SELECT %s.tlv_term_id(term) AS id, term FROM (SELECT DISTINCT "
		"item::pg_catalog.text COLLATE pg_catalog.\"C\" AS term FROM (%s\n) AS q(doc, item)) AS t "
		"WHERE term IS NOT NULL ORDER BY 1, 2",
		documents->schema, documents->query);
	TlvRunQuery(sql, 0, NULL, NULL);
	documents->passes++;
	pfree(sql);
}
