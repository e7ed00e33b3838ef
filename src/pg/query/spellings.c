/*
 * spellings.c - ids of types that take several spellings for equal: citext, and texts of collations
 * that are not deterministic (query_internal.h).
 *
 * Ids that are no integers are known by their text.  Where equal values may have different texts,
 * the caller's query is given a level above it, on which every such value has become the text of
 * the first spelling, in the order of bytes, among all that are equal to it by the type's own
 * equality. Columns of one type and collation are told apart from others only, since they may hold
 * the same ids, as both ends of an edge do.
 */
#include "query.h"

#include "access/nbtree.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "query_internal.h"

/* May equal values of a type of strings have different texts? */
static bool
has_spellings(const FormData_pg_attribute *column)
{
	Oid base = getBaseType(column->atttypid), collation = column->attcollation, function;
	TypeCacheEntry *entry;
	bool preferred;
	char category;

	get_type_category_preferred(base, &category, &preferred);
	if (category != TYPCATEGORY_STRING || !TlvIsIdType(base))
		return false;
	if (TlvIsTextType(base)) /* blanks that character(n) ignores are not in its text either */
		return OidIsValid(collation) && !get_collation_isdeterministic(collation);
	entry = lookup_type_cache(base, TYPECACHE_BTREE_OPFAMILY);
	if (!OidIsValid(entry->btree_opf)) /* nothing compares its values */
		return false;
	function = get_opfamily_proc(entry->btree_opf, entry->btree_opintype, entry->btree_opintype,
								 BTEQUALIMAGE_PROC);
	return !OidIsValid(function) ||
		   !DatumGetBool(OidFunctionCall1Coll(
			   function, OidIsValid(collation) ? collation : DEFAULT_COLLATION_OID,
			   ObjectIdGetDatum(entry->btree_opintype)));
}

/* Columns with the same spellings. */
typedef struct SpelledColumns
{
	Oid type, collation;
	List *columns; /* from 1 */
} SpelledColumns;

static List *
spelled_columns(TupleDesc desc)
{
	List *all = NIL;

	for (int i = 0; i < desc->natts; i++)
	{
		const FormData_pg_attribute *column = TupleDescAttr(desc, i);
		SpelledColumns *same = NULL;
		ListCell *cell;

		if (!has_spellings(column))
			continue;
		foreach (cell, all)
		{
			SpelledColumns *other = lfirst(cell);

			if (other->type == getBaseType(column->atttypid) &&
				other->collation == column->attcollation)
				same = other;
		}
		if (same == NULL)
		{
			same = palloc(sizeof(SpelledColumns));
			*same = (SpelledColumns){getBaseType(column->atttypid), column->attcollation, NIL};
			all = lappend(all, same);
		}
		same->columns = lappend_int(same->columns, i + 1);
	}
	return all;
}

/* The rows and, in an array, the first spellings of what is in the columns. */
static void
append_spellings(StringInfo sql, const SpelledColumns *same, int number)
{
	ListCell *cell;

	appendStringInfoString(
		sql, ", (SELECT w.r, pg_catalog.array_agg(w.f ORDER BY w.at) AS f FROM (SELECT q.r, u.at, "
			 "pg_catalog.first_value(u.e::pg_catalog.text) OVER (PARTITION BY u.e ORDER BY "
			 "u.e::pg_catalog.text COLLATE pg_catalog.\"C\") AS f FROM q, "
			 "pg_catalog.unnest(ARRAY[");
	foreach (cell, same->columns)
		appendStringInfo(sql, "%sq.c%d", cell == list_head(same->columns) ? "" : ", ",
						 lfirst_int(cell));
	appendStringInfo(sql, "]) WITH ORDINALITY AS u(e, at)) AS w GROUP BY w.r) AS t%d", number);
}

/* The group of a column, from 1, and its place there; 0: it stays as it is. */
static int
group_of(const List *all, int column, int *place)
{
	for (int g = 0; g < list_length(all); g++)
	{
		const SpelledColumns *same = list_nth(all, g);

		for (int i = 0; i < list_length(same->columns); i++)
			if (list_nth_int(same->columns, i) == column)
			{
				*place = i + 1;
				return g + 1;
			}
	}
	return 0;
}

static void
append_statement(StringInfo sql, TupleDesc desc, const List *all)
{
	appendStringInfoString(sql,
						   "WITH q AS MATERIALIZED (SELECT pg_catalog.row_number() OVER () AS r");
	for (int c = 1; c <= desc->natts; c++)
		appendStringInfo(sql, ", c%d", c);
	appendStringInfoString(sql, " FROM " TLV_QUERY_ROWS " AS q(");
	for (int c = 1; c <= desc->natts; c++)
		appendStringInfo(sql, "%sc%d", c > 1 ? ", " : "", c);
	appendStringInfoString(sql, ")) SELECT ");
	for (int c = 1; c <= desc->natts; c++)
	{
		int place, group = group_of(all, c, &place);

		appendStringInfoString(sql, c > 1 ? ", " : "");
		if (group > 0)
			appendStringInfo(sql, "t%d.f[%d] COLLATE pg_catalog.\"C\"", group, place);
		else
			appendStringInfo(sql, "q.c%d", c);
		appendStringInfo(sql, " AS %s",
						 quote_identifier(NameStr(TupleDescAttr(desc, c - 1)->attname)));
	}
	appendStringInfoString(sql, " FROM q");
	for (int g = 1; g <= list_length(all); g++)
		append_spellings(sql, list_nth(all, g - 1), g);
	for (int g = 1; g <= list_length(all); g++)
		appendStringInfo(sql, " %s q.r OPERATOR(pg_catalog.=) t%d.r", g > 1 ? "AND" : "WHERE", g);
}

/* Where columns that stay come from. */
static void
keep_origins(const Query *from, Query *to)
{
	ListCell *cell;

	foreach (cell, to->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, cell);
		ListCell *other;

		foreach (other, from->targetList)
		{
			const TargetEntry *origin = lfirst_node(TargetEntry, other);

			if (!target->resjunk && !origin->resjunk && origin->resno == target->resno &&
				IsA(target->expr, Var))
			{
				target->resorigtbl = origin->resorigtbl;
				target->resorigcol = origin->resorigcol;
			}
		}
	}
}

Query *
TlvFirstSpellings(TlvQuery *query)
{
	List *all = spelled_columns(query->desc);
	TlvStatement statement;
	Query *above;
	ListCell *cell;

	if (all == NIL)
		return NULL;
	TlvStatementBegin(&statement, query);
	foreach (cell, all)
		TlvStatementAllowCast(&statement, ((const SpelledColumns *) lfirst(cell))->type, TEXTOID);
	append_statement(&statement.sql, query->desc, all);
	above = TlvAnalyseStatement(&statement);
	keep_origins(query->query, above);
	TlvPutQuery(above, query->query);
	return above;
}
