/*
 * sequence_query.c - the sequences behind a driver's query (views.h).
 *
 * A query of stored arrays is run again for every pass, by parallel workers where the planner
 * can.  (seq, t, step) rows, and arrays that the query computes, are collected once: one sort by
 * (seq, t), which may be parallel; the passes that follow are over what was kept, in one process.
 */
#include "multiview.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "server/old_query.h"
#include "vector_query.h"

static const char *const accepted =
	"It must return (seq, t, symbol integer), (seq, t, x) with x a number or an array of numbers, "
	"or "
	"one column of sequences: integer[], or float8[] of steps x numbers.";

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
			TlvRefuseColumns(desc, "sequences", accepted);
		*array = TlvIsIntegerType(getBaseType(element)) ? INT4ARRAYOID : FLOAT8ARRAYOID;
		return psprintf("SELECT s::%s AS s FROM (%s\n) AS q(s)",
						*array == INT4ARRAYOID ? "pg_catalog.int4[]" : "pg_catalog.float8[]",
						query);
	}
	if (desc->natts != 3)
		TlvRefuseColumns(desc, "sequences", accepted);
	cast = step_cast(TupleDescAttr(desc, 2)->atttypid, array);
	if (cast == NULL)
		TlvRefuseColumns(desc, "sequences", accepted);
	/*
	 * The step itself as a last key: ties of t, too, come in one order.  One sort of everything
	 * takes half the time of array_agg(x ORDER BY t, x), which sorts by seq and then every group.
	 */
	return psprintf("SELECT pg_catalog.array_agg(x) AS s FROM (SELECT seq, x::%s AS x FROM (%s\n) "
					"AS q(seq, t, x) WHERE seq IS DISTINCT FROM NULL AND t IS DISTINCT FROM NULL "
					"AND x IS DISTINCT FROM NULL ORDER BY q.seq, q.t, q.x) AS steps GROUP BY seq",
					cast, query);
}

void
TlvSequenceQueryOpen(TlvRowSource *rows, const char *query, Oid function)
{
	TupleDesc desc = TlvRowSourceProbe(rows, query, function, "sequences");
	Oid array;
	char *sql = sequence_query(rows->query, desc, &array);
	bool repeatable = desc->natts == 1 && TlvTextRepeatable(rows->query);

	MemoryContextSwitchTo(rows->mcxt);
	if (repeatable)
		rows->source = psprintf("FROM (%s) AS v", sql);
	else
		TlvRowSourceStore(rows, sql, "s", array);
}
