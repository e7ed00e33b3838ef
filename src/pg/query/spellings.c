/*
 * spellings.c - ids of types that take several spellings for equal: citext, and texts of collations
 * that are not deterministic (query_internal.h).
 *
 * Ids that are no integers are known by their text.  Where equal values may have different texts,
 * the caller's query is given a level above it, on which every such value, in a column or in an
 * array, has become the text of the first spelling, in the order of bytes, among all that are equal
 * to it by the type's own equality.  Columns of one type and collation share their spellings, since
 * they may hold the same ids, as both ends of an edge do.  A second query of the same call (known
 * answers, labels) takes the spellings of the first one, whose rows are read beside its own, before
 * those that it alone has.
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

bool
TlvHasSpellings(Oid base, Oid collation)
{
	TypeCacheEntry *entry;
	bool preferred;
	char category;
	Oid function;

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

/* A type and a collation of which a query has columns. */
typedef struct SpelledType
{
	Oid type, collation;
} SpelledType;

/* The type of a column's ids, or of those in its arrays. */
static SpelledType
type_of_ids(const FormData_pg_attribute *column, bool *array)
{
	Oid base = getBaseType(column->atttypid), element = get_element_type(base);

	*array = OidIsValid(element);
	return (SpelledType){*array ? getBaseType(element) : base, column->attcollation};
}

/* The place of a column's type in the list, from 1; 0: its values have one text each. */
static int
spellings_place_of(const List *types, const FormData_pg_attribute *column, bool *array)
{
	SpelledType type = type_of_ids(column, array);

	for (int t = 0; t < list_length(types); t++)
	{
		const SpelledType *other = list_nth(types, t);

		if (other->type == type.type && other->collation == type.collation)
			return t + 1;
	}
	return 0;
}

static List *
spelled_types(TupleDesc desc)
{
	List *types = NIL;

	for (int i = 0; i < desc->natts; i++)
	{
		const FormData_pg_attribute *column = TupleDescAttr(desc, i);
		bool array;
		SpelledType type = type_of_ids(column, &array), *kept;

		if (spellings_place_of(types, column, &array) > 0 ||
			!TlvHasSpellings(type.type, type.collation))
			continue;
		kept = palloc(sizeof(SpelledType));
		*kept = type;
		types = lappend(types, kept);
	}
	return types;
}

/* Adds rows (r, c, at, e, later) to a union: ids of one type in the columns of a query's rows. */
static void
append_ids(StringInfo sql, TupleDesc desc, const List *types, int place, bool own)
{
	const char *rows = own ? "q" : "o", *later = own ? "true" : "false";

	for (int c = 1; c <= desc->natts; c++)
	{
		bool array;

		if (spellings_place_of(types, TupleDescAttr(desc, c - 1), &array) != place)
			continue;
		appendStringInfo(sql, "%sSELECT %s AS r, %d AS c, %s AS later, ",
						 sql->data[sql->len - 1] == '(' ? "" : " UNION ALL ",
						 own ? "q.r" : "NULL::pg_catalog.int8", c, later);
		if (array)
			appendStringInfo(sql,
							 "x.at, x.e FROM %s, pg_catalog.unnest(%s.c%d) WITH ORDINALITY AS "
							 "x(e, at)",
							 rows, rows, c);
		else
			appendStringInfo(sql, "1::pg_catalog.int8 AS at, %s.c%d AS e FROM %s", rows, c, rows);
	}
}

/* The first spellings of a row's ids of one type: an array for each of its columns. */
static void
append_spellings(StringInfo sql, const TlvQuery *query, const TlvQuery *beside, const List *types,
				 int place)
{
	bool array;

	appendStringInfoString(sql, " LEFT JOIN (SELECT w.r");
	for (int c = 1; c <= query->desc->natts; c++)
		if (spellings_place_of(types, TupleDescAttr(query->desc, c - 1), &array) == place)
			appendStringInfo(sql,
							 ", pg_catalog.array_agg(w.f ORDER BY w.at) FILTER (WHERE w.c "
							 "OPERATOR(pg_catalog.=) %d) AS f%d",
							 c, c);
	appendStringInfoString(
		sql,
		" FROM (SELECT u.r, u.c, u.at, pg_catalog.first_value(u.e::pg_catalog.text) OVER "
		"(PARTITION BY u.e ORDER BY u.later, u.e::pg_catalog.text COLLATE pg_catalog.\"C\") AS f "
		"FROM (");
	append_ids(sql, query->desc, types, place, true);
	if (beside != NULL)
		append_ids(sql, beside->given_desc, types, place, false);
	appendStringInfo(sql, ") AS u) AS w GROUP BY w.r) AS t%d ON q.r OPERATOR(pg_catalog.=) t%d.r",
					 place, place);
}

/* A column as the level above has it. */
static void
append_column(StringInfo sql, TupleDesc desc, const List *types, int c)
{
	bool array;
	int place = spellings_place_of(types, TupleDescAttr(desc, c - 1), &array);

	if (place == 0)
		appendStringInfo(sql, "q.c%d", c);
	else if (!array)
		appendStringInfo(sql, "t%d.f%d[1] COLLATE pg_catalog.\"C\"", place, c);
	else /* one of several dimensions, which readers refuse, keeps them; an empty one has no row */
		appendStringInfo(
			sql,
			"COALESCE(CASE WHEN pg_catalog.array_ndims(q.c%d) OPERATOR(pg_catalog.>) 1 "
			"THEN NULL ELSE t%d.f%d END, q.c%d::pg_catalog.text[]) COLLATE "
			"pg_catalog.\"C\"",
			c, place, c, c);
	appendStringInfo(sql, " AS %s", quote_identifier(TlvColumnName(desc, c - 1)));
}

/* "q(c1, c2)" */
static void
append_row(StringInfo sql, const char *rows, TupleDesc desc)
{
	appendStringInfo(sql, " AS %s(", rows);
	for (int c = 1; c <= desc->natts; c++)
		appendStringInfo(sql, "%sc%d", c > 1 ? ", " : "", c);
	appendStringInfoChar(sql, ')');
}

static void
append_statement(StringInfo sql, const TlvQuery *query, const TlvQuery *beside, const List *types)
{
	TupleDesc desc = query->desc;

	appendStringInfoString(sql, "WITH q AS MATERIALIZED (SELECT pg_catalog.row_number() OVER () AS "
								"r, q.* FROM " TLV_QUERY_ROWS);
	append_row(sql, "q", desc);
	appendStringInfoChar(sql, ')');
	if (beside != NULL)
	{
		appendStringInfoString(sql, ", o AS MATERIALIZED (SELECT o.* FROM " TLV_FIRST_ROWS);
		append_row(sql, "o", beside->given_desc);
		appendStringInfoChar(sql, ')');
	}
	for (int c = 1; c <= desc->natts; c++)
	{
		appendStringInfoString(sql, c > 1 ? ", " : " SELECT ");
		append_column(sql, desc, types, c);
	}
	appendStringInfoString(sql, " FROM q");
	for (int place = 1; place <= list_length(types); place++)
		append_spellings(sql, query, beside, types, place);
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
TlvFirstSpellings(TlvQuery *query, const TlvQuery *beside)
{
	List *types = spelled_types(query->desc);
	TlvStatement statement;
	Query *above;
	ListCell *cell;

	if (types == NIL)
		return NULL;
	if (beside != NULL)
		TlvQueryRegister(query, "tensorlv first", beside->given_desc, NULL);
	TlvStatementBegin(&statement, query);
	foreach (cell, types)
		TlvStatementAllowCast(&statement, ((const SpelledType *) lfirst(cell))->type, TEXTOID);
	append_statement(&statement.sql, query, beside, types);
	above = TlvAnalyseStatement(&statement);
	keep_origins(query->query, above);
	TlvPutQuery(above, "tensorlv query", query->query);
	if (beside != NULL)
		TlvPutQuery(above, "tensorlv first", beside->given);
	return above;
}
