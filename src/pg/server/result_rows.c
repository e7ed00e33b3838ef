/*
 * result_rows.c - returning rows: one way for all versions of the server.
 */
#include "tlv_pg.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

void
TlvInitRows(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext old;
	TupleDesc desc;

	if (result == NULL || !IsA(result, ReturnSetInfo) || !(result->allowedModes & SFRM_Materialize))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("set-returning function called where rows cannot be taken")));
	old = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type is not a row type");
	result->returnMode = SFRM_Materialize;
	result->setDesc = BlessTupleDesc(desc);
	result->setResult = tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0,
											  false, work_mem);
	MemoryContextSwitchTo(old);
}

void
TlvPutRow(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	CHECK_FOR_INTERRUPTS(); /* a bag alone may have millions of rows */
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}
