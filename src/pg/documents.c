/*
 * documents.c - passes over the documents of a query (documents.h).
 *
 * A query of bags is run again for every pass, so that the planner sees all
 * of it: parallel workers, partitions, shards.  A query of (doc, item, count)
 * rows is grouped once; the bags are kept in a tuple store, which spills to disk
 * above work_mem, and every pass is an aggregate query over that.
 */
#include "documents.h"

#include <ctype.h>

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/queryenvironment.h"
#include "utils/syscache.h"

/* With a space, so that it hides no table of the user's. */
#define STORE_NAME "tensorlv documents"

static bool
is_integer_type(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

static bool
is_number_type(Oid type)
{
	return is_integer_type(type) || type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
}

static bool
is_text_type(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID || type == NAMEOID;
}

/* Runs a query; anything but rows is an error of ours. */
static void
run(const char *sql, int n_parameters, Oid *types, Datum *values)
{
	int result = SPI_execute_with_args(sql, n_parameters, types, values, NULL, true, 0);

	if (result != SPI_OK_SELECT)
		elog(ERROR, "query failed: %s", SPI_result_code_string(result));
}

/* The user's query, without the semicolon that would end it inside ours. */
static char *
strip_query(const char *query)
{
	char *copy = pstrdup(query);
	size_t length = strlen(copy);

	while (length > 0 && (isspace((unsigned char) copy[length - 1]) || copy[length - 1] == ';'))
		copy[--length] = '\0';
	if (length == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the query is empty")));
	return copy;
}

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
	documents->text_items = is_text_type(item);
	if (!documents->text_items && !is_integer_type(item))
		refuse_columns(desc);
	if (desc->natts == 3 && !is_number_type(getBaseType(TupleDescAttr(desc, 2)->atttypid)))
		refuse_columns(desc);
}

/* Groups (doc, item, count) rows into bags, kept in a tuple store under a name. */
static void
store_bags(TlvDocuments *documents, bool counted, Oid bag_type)
{
	EphemeralNamedRelation relation = palloc0(sizeof(EphemeralNamedRelationData));
	MemoryContext old;
	StringInfoData sql;
	TupleDesc desc;

	initStringInfo(&sql);
	appendStringInfo(
		&sql,
		"SELECT %s.tlv_bag(item::%s%s) AS bag FROM (%s\n) AS q(doc, item%s) "
		"WHERE doc IS NOT NULL GROUP BY doc",
		documents->schema, documents->text_items ? "pg_catalog.text" : "pg_catalog.int8",
		counted ? ", n::pg_catalog.float8" : "", documents->query, counted ? ", n" : "");
	old = MemoryContextSwitchTo(documents->mcxt);
	documents->store = tuplestore_begin_heap(true, false, work_mem);
	desc = CreateTemplateTupleDesc(1);
	TupleDescInitEntry(desc, 1, "bag", bag_type, -1, 0);
	MemoryContextSwitchTo(old);
#if PG_VERSION_NUM >= 140000
	{
		SPIExecuteOptions options = {0};
		DestReceiver *receiver = CreateDestReceiver(DestTuplestore);

		SetTuplestoreDestReceiverParams(receiver, documents->store, documents->mcxt, true, NULL,
										NULL);
		options.read_only = true;
		options.must_return_tuples = true;
		options.dest = receiver;
		if (SPI_execute_extended(sql.data, &options) < 0)
			elog(ERROR, "query failed");
	}
#else
	run(sql.data, 0, NULL, NULL);
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
	documents->query = strip_query(query);
	probe = psprintf("SELECT * FROM (%s\n) AS q LIMIT 0", documents->query);
	MemoryContextSwitchTo(old);
	run(probe, 0, NULL, NULL);
	recognize_columns(documents, SPI_tuptable->tupdesc, bag_type);
	counted = SPI_tuptable->tupdesc->natts == 3;
	SPI_freetuptable(SPI_tuptable);
	old = MemoryContextSwitchTo(documents->mcxt);
	if (documents->bags)
		documents->source = psprintf("FROM (%s\n) AS q(bag)", documents->query);
	else
		store_bags(documents, counted, bag_type);
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
	run(sql.data, parameter != NULL ? 1 : 0, types, values);
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

	sql = psprintf("SELECT %s.tlv_term_id(term) AS id, term FROM (SELECT DISTINCT "
				   "item::pg_catalog.text AS term FROM (%s\n) AS q(doc, item)) AS t "
				   "WHERE term IS NOT NULL ORDER BY 1, 2",
				   documents->schema, documents->query);
	run(sql, 0, NULL, NULL);
	documents->passes++;
	pfree(sql);
}
