/*
 * vectors_query.c - vectors from a driver's query (queries.h).
 */
#include "rows/queries.h"

#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"

#include "rows/any.h"
#include "rows/vectors.h"
#include "server/arrays.h"

static const char *const accepted = "It must return an array of numbers, SELECT array[a, b, c] "
									"FROM ..., or columns of numbers, each "
									"a dimension, SELECT a, b, c FROM ...";

const char *
TlvVectorCast(TlvSource *rows, int column)
{
	Oid type = TlvColumnType(rows->query->desc, column);
	Oid element = get_element_type(type), function;

	if (OidIsValid(element) && TlvIsNumberType(getBaseType(element)))
		return "pg_catalog.float8[]";
	if (find_coercion_pathway(FLOAT4ARRAYOID, type, COERCION_EXPLICIT, &function) !=
		COERCION_PATH_FUNC)
		return NULL;
	TlvStatementAllowCast(&rows->made, type, FLOAT4ARRAYOID);
	return "pg_catalog.float4[]::pg_catalog.float8[]";
}

/* One column, each a vector. */
static void
vectors_of_arrays(TlvSource *rows)
{
	const char *cast = TlvVectorCast(rows, 0);

	if (cast == NULL)
	{
		const char *step = TlvVectorStep(TupleDescAttr(rows->query->desc, 0)->atttypid);

		TlvRefuseColumns(rows->query->desc, "vectors",
						 step != NULL ? psprintf("Cast the column: x::%s.", step) : accepted);
	}
	TlvNameArray(rows, 0);
	appendStringInfo(&rows->made.sql, "SELECT x::%s AS x", cast);
	TlvAppendWeight(rows, &rows->made.sql);
	appendStringInfoString(&rows->made.sql, " FROM " TLV_QUERY_ROWS " AS q(x)");
}

/* A row of which a number is missing is NULL.  The numbers of a row. */
static int
vectors_of_columns(TlvSource *rows)
{
	StringInfo sql = &rows->made.sql;
	int n = TlvChooseColumns(rows), x = 0;

	appendStringInfoString(sql, "SELECT CASE WHEN ");
	for (int i = 1; i <= n; i++)
		appendStringInfo(sql, "%sx%d IS NOT NULL", i > 1 ? " AND " : "", i);
	appendStringInfoString(sql, " THEN ");
	TlvAppendColumnArray(sql, n);
	appendStringInfoString(sql, " END AS x");
	TlvAppendWeight(rows, sql);
	appendStringInfoString(sql, " FROM " TLV_QUERY_ROWS " AS q(");
	for (int i = 0; i < rows->query->desc->natts; i++)
		if (bms_is_member(i, rows->skipped))
			appendStringInfo(sql, "%sskipped%d", i > 0 ? ", " : "", i);
		else
			appendStringInfo(sql, "%sx%d", i > 0 ? ", " : "", ++x);
	appendStringInfoChar(sql, ')');
	return n;
}

/* The cast is made for the condition and again for the value: it need not be the same. */
static void
take_width(void *width, TupleTableSlot *slot)
{
	ArrayType *array;

	if (slot->tts_isnull[0])
		return;
	array = TlvFetchArray(slot->tts_values[0]); /* which may have NULLs in it */
	*(size_t *) width = ARR_NDIM(array) == 0 ? 0 : (size_t) ARR_DIMS(array)[ARR_NDIM(array) - 1];
}

/* Numbers in the first vector, 0 without one. */
static size_t
vector_width(TlvSource *rows)
{
	TlvStatement statement;
	size_t width = 0;

	TlvSourceBegin(rows, &statement);
	statement.shipped = false;
	appendStringInfoString(&statement.sql, "SELECT x");
	TlvSourceFrom(rows, &statement);
	appendStringInfoString(&statement.sql, " WHERE x IS NOT NULL LIMIT 1");
	(void) TlvStatementRun(&statement, 1, rows->types, take_width, &width);
	return width;
}

void
TlvReadVectors(TlvDriver *driver, const char *text)
{
	TlvSource *rows = TlvSourceOpen(driver, 0, text, "vectors");
	TupleDesc desc = rows->query->desc;
	bool columns = desc->natts > 1 || (desc->natts == 1 && TlvIsNumberType(TlvColumnType(desc, 0)));
	int n = 0;

	if (desc->natts == 0)
		TlvRefuseColumns(desc, "vectors", accepted);
	if (columns)
		n = vectors_of_columns(rows);
	else
		vectors_of_arrays(rows);
	TlvSourceColumn(rows, "x", FLOAT8ARRAYOID);
	TlvWeightColumn(rows);
	rows->form = TLV_ROW_VECTOR;
	TlvSourceReady(rows, TLV_SOURCE_AGAIN);
	TlvQueryRelease(rows->query);
	rows->width[0] = columns ? (size_t) n : vector_width(rows);
}
