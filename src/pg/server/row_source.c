/*
 * row_source.c - passes over the rows of a driver's query (row_source.h).
 */
#include "row_source.h"

#include "catalog/namespace.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/queryenvironment.h"

#include "old_query.h"

/* With a space, so that it hides no table of the user's. */
#define STORE_NAME "tensorlv rows"

void
TlvRowSourceBegin(TlvRowSource *rows)
{
	INSTR_TIME_SET_CURRENT(rows->start);
	rows->mcxt =
		AllocSetContextCreate(CurrentMemoryContext, "tensorlv driver", ALLOCSET_DEFAULT_SIZES);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	MemoryContextSwitchTo(rows->mcxt);
}

TupleDesc
TlvRowSourceProbe(TlvRowSource *rows, const char *query, Oid function, const char *what)
{
	TupleDesc desc;

	MemoryContextSwitchTo(rows->mcxt);
	rows->schema = quote_identifier(get_namespace_name(get_func_namespace(function)));
	rows->query = TlvSingleSelect(query, what);
	TlvRunQuery(psprintf("SELECT * FROM (%s\n) AS q LIMIT 0", rows->query), 0, NULL, NULL);
	MemoryContextSwitchTo(rows->mcxt);
	desc = CreateTupleDescCopy(SPI_tuptable->tupdesc);
	SPI_freetuptable(SPI_tuptable);
	return desc;
}

static void
fill_store(TlvRowSource *rows, const char *sql)
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
TlvRowSourceStoreRows(TlvRowSource *rows, const char *sql, TupleDesc desc)
{
	EphemeralNamedRelation relation;

	MemoryContextSwitchTo(rows->mcxt);
	relation = palloc0(sizeof(EphemeralNamedRelationData));
	rows->store = tuplestore_begin_heap(true, false, work_mem);
	fill_store(rows, sql);
	rows->passes++;
	relation->md.name = STORE_NAME;
	relation->md.reliddesc = InvalidOid;
	relation->md.tupdesc = desc;
	relation->md.enrtype = ENR_NAMED_TUPLESTORE;
	relation->md.enrtuples = (double) tuplestore_tuple_count(rows->store);
	relation->reldata = rows->store;
	if (SPI_register_relation(relation) < 0)
		elog(ERROR, "could not register the rows of a query");
	MemoryContextSwitchTo(rows->mcxt);
	rows->source = pstrdup("FROM \"" STORE_NAME "\"");
}

void
TlvRowSourceStore(TlvRowSource *rows, const char *sql, const char *column, Oid type)
{
	TupleDesc desc;

	MemoryContextSwitchTo(rows->mcxt);
	desc = CreateTemplateTupleDesc(1);
	TupleDescInitEntry(desc, 1, column, type, -1, 0);
	TlvRowSourceStoreRows(rows, sql, desc);
}

struct varlena *
TlvRowSourcePass(TlvRowSource *rows, const char *expression, const char *condition,
				 const char *parameter_type, struct varlena *parameter)
{
	StringInfoData sql;
	Oid types[1] = {InvalidOid};
	Datum values[1] = {PointerGetDatum(parameter)}, value;
	struct varlena *result = NULL;
	bool isnull;

	CHECK_FOR_INTERRUPTS();
	if (tlv_progress != TLV_PROGRESS_OFF)
		ereport(tlv_progress == TLV_PROGRESS_NOTICE ? NOTICE : LOG,
				(errmsg("tensorlv: pass %d: %s", rows->passes + 1, expression)));
	if (parameter != NULL)
		types[0] = DatumGetObjectId(DirectFunctionCall1(
			to_regtype,
			PointerGetDatum(cstring_to_text(psprintf("%s.%s", rows->schema, parameter_type)))));
	initStringInfo(&sql);
	appendStringInfo(&sql, "SELECT %s %s", expression, rows->source);
	if (condition != NULL)
		appendStringInfo(&sql, " WHERE %s", condition);
	TlvRunPass(sql.data, parameter != NULL ? 1 : 0, types, values);
	rows->passes++;
	CHECK_FOR_INTERRUPTS(); /* the value may be hundreds of megabytes */
	MemoryContextSwitchTo(rows->mcxt);
	value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (!isnull)
		result = (struct varlena *) PG_DETOAST_DATUM_COPY(value);
	SPI_freetuptable(SPI_tuptable);
	pfree(sql.data);
	return result;
}

struct varlena *
TlvRowSourceAgain(TlvRowSource *rows, const char *expression, const char *parameter_type,
				  struct varlena *parameter)
{
	struct varlena *value = TlvRowSourcePass(rows, expression, NULL, parameter_type, parameter);

	if (value == NULL)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("the query returned rows once and none when it was run again"),
						errhint("A function in it gives other results each time although it is "
								"not declared VOLATILE.")));
	return value;
}

void
TlvRowSourceDiagnose(const TlvRowSource *rows, tlv_context *ctx, tlv_diagnostics *diagnostics)
{
	instr_time now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, rows->start);
	TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, rows->passes, "passes"));
	TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, INSTR_TIME_GET_DOUBLE(now), "seconds"));
}

struct varlena *
TlvRowSourceEnd(TlvRowSource *rows, struct varlena *value)
{
	MemoryContext caller = MemoryContextGetParent(rows->mcxt);
	struct varlena *result = NULL;

	MemoryContextSwitchTo(caller);
	if (value != NULL) /* before SPI ends, whose memory it may lie in */
		result = TlvValue(value, VARSIZE(value));
	SPI_finish();
	MemoryContextSwitchTo(caller);
	if (rows->store != NULL)
		tuplestore_end(rows->store);
	MemoryContextDelete(rows->mcxt);
	return result;
}

double
TlvScalar(struct varlena *value, const char *name)
{
	tlv_frame frame = TlvFrame(value);

	return tlv_frame_scalar(&frame, name, 0);
}
