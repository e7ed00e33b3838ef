/*
 * sequences_query.c - sequences from a driver's query (queries.h).
 */
#include "rows/queries.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

static const char *const accepted =
	"It must return (seq, t, symbol integer or text), (seq, t, x) with x a number or an array of "
	"numbers, (seq, t, x1, x2, ...) with numbers, or one column of sequences: integer[], text[], "
	"or float8[] of steps x numbers.";

/* The hint at columns that are refused; of one of texts it says how letters become symbols. */
static const char *
hint_at(TupleDesc desc)
{
	if (desc->natts == 1 && TlvIsTextType(TlvColumnType(desc, 0)))
		return psprintf("%s string_to_array(text, NULL) makes a text[] of letters.", accepted);
	return accepted;
}

static Oid
whole_numbers(Oid base)
{
	return base == INT8OID ? INT8ARRAYOID : INT4ARRAYOID;
}

/* What a column of steps is cast to, NULL when it is none; *array gets what steps make. */
static const char *
step_cast(TlvSource *rows, int column, Oid *array)
{
	Oid base = TlvColumnType(rows->query->desc, column);

	if (TlvQueryIdType(rows->query, column) == TEXTOID)
	{
		*array = TEXTARRAYOID;
		return "pg_catalog.text";
	}
	if (TlvIsIntegerType(base))
	{
		*array = whole_numbers(base);
		return base == INT8OID ? "pg_catalog.int8" : "pg_catalog.int4";
	}
	*array = FLOAT8ARRAYOID;
	return TlvIsNumberType(base) ? "pg_catalog.float8" : TlvVectorCast(rows, column);
}

/* A column of whole sequences; returns the type of the array s. */
static Oid
read_arrays(TlvSource *rows)
{
	TupleDesc desc = rows->query->desc;
	Oid element = get_element_type(TlvColumnType(desc, 0));
	Oid base = OidIsValid(element) ? getBaseType(element) : InvalidOid, type;

	if (TlvQueryIdElement(rows->query, 0) == TEXTOID)
		type = TEXTARRAYOID;
	else if (TlvIsIntegerType(base))
		type = whole_numbers(base);
	else if (TlvIsNumberType(base))
		type = FLOAT8ARRAYOID;
	else
		TlvRefuseColumns(desc, "sequences", hint_at(desc));
	appendStringInfo(&rows->made.sql,
					 "SELECT s::pg_catalog.%s AS s FROM " TLV_QUERY_ROWS " AS q(s)",
					 type == TEXTARRAYOID	? "text[]"
					 : type == INT8ARRAYOID ? "int8[]"
					 : type == INT4ARRAYOID ? "int4[]"
											: "float8[]");
	return type;
}

/* Appends a step, or the array of its numbers; returns the type of an array of steps. */
static Oid
append_step(TlvSource *rows, StringInfo sql, bool *array)
{
	TupleDesc desc = rows->query->desc;
	const char *cast = NULL, *hint = hint_at(desc);
	Oid type = FLOAT8ARRAYOID;

	*array = desc->natts > 3;
	if (*array)
	{
		TlvNameColumns(rows, 2);
		TlvAppendColumnArray(sql, desc->natts - 2);
		return type;
	}
	if (desc->natts == 3)
		cast = step_cast(rows, 2, &type);
	if (cast == NULL)
		TlvRefuseColumns(desc, "sequences", hint);
	*array = strchr(cast, '[') != NULL;
	if (*array)
		TlvNameArray(rows, 2);
	else if (type == FLOAT8ARRAYOID)
		TlvNameColumns(rows, 2);
	appendStringInfo(sql, "x1::%s", cast);
	return type;
}

/*
 * (seq, t, step) rows as one array each.  A symbol or number that is NULL is missing; an array that
 * is NULL has no width: it is left out and counted, as steps of no sequence or time are.  One sort
 * of everything takes half the time of array_agg(x ORDER BY t, x), which sorts by seq and then
 * every group.
 */
static Oid
collect_steps(TlvSource *rows)
{
	StringInfo sql = &rows->made.sql;
	TlvGroups groups = {.name = "s", .key = "seq", .value = "pg_catalog.array_agg(x)"};
	StringInfoData step, from;
	bool arrays;
	Oid type;

	initStringInfo(&step);
	type = append_step(rows, &step, &arrays);
	initStringInfo(&from);
	appendStringInfo(&from, "(SELECT seq, t, %s AS x FROM " TLV_QUERY_ROWS " AS q(seq, t, ",
					 step.data);
	TlvAppendColumns(&from, rows->query->desc->natts - 2);
	appendStringInfoString(&from, "))");
	groups.where =
		arrays ? "t IS DISTINCT FROM NULL AND x IS DISTINCT FROM NULL" : "t IS DISTINCT FROM NULL";
	groups.good = arrays ? "CASE WHEN t IS DISTINCT FROM NULL THEN x END" : "t";
	groups.from = psprintf("%s AS steps", TlvOrderedSteps("seq", from.data));
	groups.marked = rows->marks = TLV_SAME_TIME;
	rows->required = arrays && rows->query->desc->natts == 3 ? 3 : 2;
	TlvAppendGroups(sql, &groups);
	return type;
}

void
TlvReadSequences(TlvDriver *driver, const char *text)
{
	TlvSource *rows = TlvSourceOpen(driver, 0, text, "sequences");
	bool arrays = rows->query->desc->natts == 1;

	TlvSourceColumn(rows, "s", arrays ? read_arrays(rows) : collect_steps(rows));
	rows->form = rows->types[0] == FLOAT8ARRAYOID ? TLV_ROW_SEQUENCE : TLV_ROW_SYMBOLS;
	rows->small_scan = true;
	TlvSourceReady(rows, arrays ? TLV_SOURCE_AGAIN : TLV_SOURCE_MADE);
}
