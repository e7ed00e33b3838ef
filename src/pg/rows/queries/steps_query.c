/*
 * steps_query.c - steps of sequences in order, with marks at those of one time (queries.h).
 */
#include "rows/queries.h"

/*
 * Rows of one time are peers in a window by time: the second has the first one's rank and a number
 * of its own.  The window needs no order but that of the rows, so that one sort does for both.
 */
char *
TlvOrderedSteps(const char *key, const char *from)
{
	return psprintf("(SELECT q.%s, q.t, q.x, q.a OPERATOR(pg_catalog.<) q.i AND q.%s IS DISTINCT "
					"FROM NULL AND q.t IS DISTINCT FROM NULL AS " TLV_SAME_TIME " FROM "
					"(SELECT %s, t, x, pg_catalog.rank() OVER w AS a, pg_catalog.row_number() OVER "
					"w AS i FROM (SELECT * FROM %s AS q ORDER BY %s, t, x) AS q "
					"WINDOW w AS (PARTITION BY %s ORDER BY t)) AS q ORDER BY q.%s, q.t, q.x)",
					key, key, key, from, key, key, key);
}
