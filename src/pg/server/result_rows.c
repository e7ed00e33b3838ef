/*
 * result_rows.c - returning rows: one way for all versions of the server.
 */
#include "tlv_pg.h"

#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

/* Most columns of a row that is returned. */
#define TLV_ROW_CELLS 16

/* The type of the row, or of the rows, that the function is declared to return; it may have been
 * dropped since the statement began.  Errors: 42883. */
static TupleDesc
row_type(FunctionCallInfo fcinfo)
{
	Oid function = fcinfo->flinfo->fn_oid;
	TupleDesc desc;

	if (!SearchSysCacheExists1(PROCOID, ObjectIdGetDatum(function)))
		TlvRaiseDropped(function);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type is not a row type");
	return BlessTupleDesc(desc);
}

void
TlvInitRows(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext old;

	if (result == NULL || !IsA(result, ReturnSetInfo) || !(result->allowedModes & SFRM_Materialize))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("set-returning function called where rows cannot be taken")));
	old = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	result->returnMode = SFRM_Materialize;
	result->setDesc = row_type(fcinfo);
	result->setResult = tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0,
											  false, work_mem);
	MemoryContextSwitchTo(old);
}

void
TlvPutCells(FunctionCallInfo fcinfo, int n, const TlvCell *cells)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum values[TLV_ROW_CELLS];
	bool nulls[TLV_ROW_CELLS];

	CHECK_FOR_INTERRUPTS(); /* a bag alone may have millions of rows */
	if (n > TLV_ROW_CELLS || n != result->setDesc->natts)
		TlvRaiseMismatch("a row of %d columns, where %d are declared", n, result->setDesc->natts);
	for (int i = 0; i < n; i++)
	{
		values[i] = cells[i].value;
		nulls[i] = cells[i].isnull;
	}
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	for (int i = 0; i < n; i++)
		if (cells[i].owned != NULL)
			pfree(cells[i].owned);
}

TlvCell
TlvText(const char *value)
{
	return TlvOwned(value == NULL ? NULL : cstring_to_text(value));
}

TlvCell
TlvStoredText(tlv_text text)
{
	if (text.bytes == NULL)
		return TlvOwned(NULL);
	(void) pg_verifymbstr(text.bytes, (int) text.length, false);
	return TlvOwned(cstring_to_text_with_len(text.bytes, (int) text.length));
}

/* ---- names ---- */

TlvCell
TlvIdCell(tlv_text name, int64 id)
{
	char digits[MAXINT8LEN + 1];

	if (name.bytes != NULL)
		return TlvStoredText(name);
	pg_lltoa(id, digits);
	return TlvText(digits);
}

char *
TlvNameText(const tlv_name_list *names, size_t i, int64 id)
{
	tlv_text name = tlv_name_at(names, i);
	char digits[MAXINT8LEN + 1];

	if (name.bytes != NULL)
	{
		/* The value may come from a database of another encoding. */
		(void) pg_verifymbstr(name.bytes, (int) name.length, false);
		return pnstrdup(name.bytes, name.length);
	}
	if (names->offsets != NULL && id == TlvTermId("", 0))
		return pstrdup("");
	pg_lltoa(id, digits);
	return pstrdup(digits);
}

TlvCell
TlvNameCell(const tlv_name_list *names, size_t i, int64 id)
{
	char *name = TlvNameText(names, i, id);
	text *copy = cstring_to_text(name);

	pfree(name);
	return TlvOwned(copy);
}

TlvCell
TlvCategoryCell(const tlv_name_list *names, size_t i, int64 code)
{
	return TlvNameCell(names, i, names->offsets == NULL ? code : TlvTermId("", 0));
}
