/*
 * sequence_query.c - the sequences behind a driver's query (views.h).
 */
#include "views.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/queryenvironment.h"

#include "query.h"

/* With a space, so that it hides no table of the user's. */
#define STORE_NAME "tensorlv sequences"

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
			 errmsg("the query returns (%s), which are no sequences", columns.data),
			 errhint("It must return (seq, t, symbol integer), (seq, t, x) with x a number or an "
					 "array of numbers, or one column of sequences: integer[], or float8[] of "
					 "steps x numbers.")));
}

/* What a column of steps is cast to, NULL when it is none; *array gets what steps make. */
static const char *
step_cast(Oid type, Oid *array)
{
	Oid base = getBaseType(type), element = get_element_type(base);

	*array = FLOAT8ARRAYOID;
	if (TlvIsIntegerType(base))
	{
		*array = INT4ARRAYOID;
		return "pg_catalog.int4";
	}
	if (TlvIsNumberType(base))
		return "pg_catalog.float8";
	if (OidIsValid(element) && TlvIsNumberType(getBaseType(element)))
		return "pg_catalog.float8[]";
	return NULL;
}

/* The query of one array s a sequence; *array gets its type. */
static char *
sequence_query(const char *query, TupleDesc desc, Oid *array)
{
	Oid base, element;
	const char *cast;

	if (desc->natts == 1)
	{
		base = getBaseType(TupleDescAttr(desc, 0)->atttypid);
		element = get_element_type(base);
		if (!OidIsValid(element) || !TlvIsNumberType(getBaseType(element)))
			refuse_columns(desc);
		*array = TlvIsIntegerType(getBaseType(element)) ? INT4ARRAYOID : FLOAT8ARRAYOID;
		return psprintf("SELECT s::%s AS s FROM (%s\n) AS q(s)",
						*array == INT4ARRAYOID ? "pg_catalog.int4[]" : "pg_catalog.float8[]",
						query);
	}
	if (desc->natts != 3)
		refuse_columns(desc);
	cast = step_cast(TupleDescAttr(desc, 2)->atttypid, array);
	if (cast == NULL)
		refuse_columns(desc);
	/* The step itself as a second key: ties of t, too, come in one order. */
	return psprintf("SELECT pg_catalog.array_agg(x::%s ORDER BY t, x) AS s FROM (%s\n) AS q(seq, "
					"t, x) WHERE seq IS DISTINCT FROM NULL AND t IS DISTINCT FROM NULL AND x IS "
					"DISTINCT FROM NULL GROUP BY seq",
					cast, query);
}

static void
fill_store(TlvDocuments *rows, const char *sql)
{
#if PG_VERSION_NUM >= 140000
	DestReceiver *receiver = CreateDestReceiver(DestTuplestore);
	SPIExecuteOptions options = {0};
	bool before;

	SetTuplestoreDestReceiverParams(receiver, rows->store, rows->mcxt, true, NULL, NULL);
	options.read_only = true;
	options.must_return_tuples = true;
	options.dest = receiver;
	before = TlvBeginReading();
	if (SPI_execute_extended(sql, &options) < 0)
		elog(ERROR, "query failed");
	TlvEndReading(before);
#else
	TlvRunQuery(sql, 0, NULL, NULL);
	for (uint64 i = 0; i < SPI_processed; i++)
		tuplestore_puttuple(rows->store, SPI_tuptable->vals[i]);
	SPI_freetuptable(SPI_tuptable);
#endif
}

void
TlvSequenceQueryOpen(TlvDocuments *rows, const char *query, Oid function)
{
	MemoryContext old = MemoryContextSwitchTo(rows->mcxt);
	EphemeralNamedRelation relation = palloc0(sizeof(EphemeralNamedRelationData));
	TupleDesc desc = CreateTemplateTupleDesc(1);
	Oid array;
	char *sql;

	rows->schema = quote_identifier(get_namespace_name(get_func_namespace(function)));
	rows->query = TlvSingleSelect(query, "sequences");
	TlvRunQuery(psprintf("SELECT * FROM (%s\n) AS q LIMIT 0", rows->query), 0, NULL, NULL);
	MemoryContextSwitchTo(
		rows->mcxt); /* a query leaves us in SPI's context, which ends before us */
	sql = sequence_query(rows->query, SPI_tuptable->tupdesc, &array);
	SPI_freetuptable(SPI_tuptable);
	TupleDescInitEntry(desc, 1, "s", array, -1, 0);
	rows->store = tuplestore_begin_heap(true, false, work_mem);
	fill_store(rows, sql);
	MemoryContextSwitchTo(rows->mcxt);
	rows->passes++;
	relation->md.name = STORE_NAME;
	relation->md.reliddesc = InvalidOid;
	relation->md.tupdesc = desc;
	relation->md.enrtype = ENR_NAMED_TUPLESTORE;
	relation->md.enrtuples = (double) tuplestore_tuple_count(rows->store);
	relation->reldata = rows->store;
	if (SPI_register_relation(relation) < 0)
		elog(ERROR, "could not register the sequences");
	rows->source = pstrdup("FROM \"" STORE_NAME "\"");
	MemoryContextSwitchTo(old);
}
