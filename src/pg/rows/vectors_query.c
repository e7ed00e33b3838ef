/*
 * vectors_query.c - vectors from a driver's query (queries.h).
 */
#include "queries.h"

#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"

#include "vectors.h"

static const char *const accepted =
	"It must return one column, an array of numbers: SELECT array[a, b, c] FROM ...";

/* How the query's column x becomes float8[]. */
static const char *
vector_expression(TlvSource *rows)
{
	TupleDesc desc = rows->query->desc;
	Oid type, function, element;

	if (desc->natts != 1)
		TlvRefuseColumns(desc, "vectors", accepted);
	type = getBaseType(TupleDescAttr(desc, 0)->atttypid);
	element = get_element_type(type);
	if (OidIsValid(element) && TlvIsNumberType(getBaseType(element)))
		return "x::pg_catalog.float8[]";
	/* A type of its own for vectors, as extensions have. */
	if (find_coercion_pathway(FLOAT4ARRAYOID, type, COERCION_EXPLICIT, &function) !=
		COERCION_PATH_FUNC)
		TlvRefuseColumns(desc, "vectors", accepted);
	TlvStatementAllowCast(&rows->made, type, FLOAT4ARRAYOID);
	return "x::pg_catalog.float4[]::pg_catalog.float8[]";
}

/* The cast is made for the condition and again for the value: it need not be the same. */
static void
take_width(void *width, TupleTableSlot *slot)
{
	if (!slot->tts_isnull[0])
		*(size_t *) width = TlvVectorsOf(slot->tts_values[0]).d;
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

	appendStringInfo(&rows->made.sql, "SELECT %s AS x FROM " TLV_QUERY_ROWS " AS q(x)",
					 vector_expression(rows));
	TlvSourceColumn(rows, "x", FLOAT8ARRAYOID);
	rows->form = TLV_ROW_VECTOR;
	TlvSourceReady(rows, TLV_SOURCE_AGAIN);
	rows->width[0] = vector_width(rows);
}
