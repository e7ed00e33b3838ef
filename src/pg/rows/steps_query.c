/*
 * steps_query.c - steps of sequences in order, of which no two may be at one time (queries.h).
 */
#include "queries.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/*
 * Rows of one time are peers in a window by time: the second has the first one's rank and a number
 * of its own.  The window is ordered as the steps are, so that one sort does for both.
 */
char *
TlvOrderedSteps(TlvSource *rows, const char *key, const char *from)
{
	TupleDesc desc = rows->query->desc;
	const Oid types[3] = {TupleDescAttr(desc, 0)->atttypid, TupleDescAttr(desc, 1)->atttypid,
						  INT8OID};
	const char *call = TlvStatementCall(&rows->made, "tlv_refuse_time", 3, types, NULL);

	return psprintf("(SELECT q.%s, q.t, q.x FROM (SELECT %s, t, x, pg_catalog.rank() OVER w AS a, "
					"pg_catalog.row_number() OVER w AS i FROM %s AS q "
					"WINDOW w AS (PARTITION BY %s ORDER BY t)) AS q "
					"WHERE CASE WHEN q.a OPERATOR(pg_catalog.<) q.i AND q.%s IS DISTINCT FROM NULL "
					"AND q.t IS DISTINCT FROM NULL THEN %s(q.%s, q.t, q.i) ELSE true END "
					"ORDER BY q.%s, q.t)",
					key, key, from, key, key, call, key, key);
}

static char *
shown(FunctionCallInfo fcinfo, int argument)
{
	Oid output;
	bool varlena;

	if (PG_ARGISNULL(argument))
		return pstrdup("null");
	getTypeOutputInfo(get_fn_expr_argtype(fcinfo->flinfo, argument), &output, &varlena);
	return OidOutputFunctionCall(output, PG_GETARG_DATUM(argument));
}

/* (sequence, t, place of the step) */
TLV_FUNCTION(tlv_refuse_time)
{
	ereport(ERROR,
			(errcode(ERRCODE_CARDINALITY_VIOLATION),
			 errmsg("sequence %s has two steps at time %s", TlvWhole(shown(fcinfo, 0)),
					TlvWhole(shown(fcinfo, 1))),
			 errhint("Steps at one time have no order. Group by sequence and time first, or number "
					 "the steps, as in row_number() OVER (PARTITION BY seq ORDER BY t, id).")));
	PG_RETURN_NULL();
}
