/*
 * columns_query.c - rows of named columns, each a dimension, from a driver's query (queries.h).
 */
#include "queries.h"
#include "keys.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* What the server calls a column that has no name. */
#define NO_NAME "?column?"

/* ---- what is no dimension ---- */

/* The column of a query, from 0, as it is listed. */
static const TargetEntry *
column_entry(const Query *query, int column)
{
	return get_tle_by_resno(query->targetList, (AttrNumber) (column + 1));
}

/* A view's column becomes that which it shows. */
static bool
see_through(Relation view, const TargetEntry **entry)
{
	if (view->rd_rel->relkind != RELKIND_VIEW)
		return false;
	*entry = column_entry(get_view_query(view), (*entry)->resorigcol - 1);
	return true;
}

/* The column may come through views from a table whose key it is. */
static void
refuse_key(const TlvQuery *query, int column)
{
	const char *name = NameStr(TupleDescAttr(query->desc, column)->attname);
	const TargetEntry *entry = column_entry(query->query, column);
	bool again = true;

	while (again && entry != NULL && OidIsValid(entry->resorigtbl) && entry->resorigcol > 0)
	{
		Oid table = entry->resorigtbl;
		AttrNumber number = entry->resorigcol;
		Relation relation = relation_open(table, AccessShareLock);

		again = see_through(relation, &entry);
		relation_close(relation, NoLock);
		if (!again)
			TlvRefuseKey(table, number, name,
						 psprintf("Leave it out, or write %s + 0 if it is a measurement.",
								  quote_identifier(name)));
	}
}

static void
refuse_type(const TlvQuery *query, int column)
{
	Form_pg_attribute attribute = TupleDescAttr(query->desc, column);

	if (!TlvIsNumberType(getBaseType(attribute->atttypid)))
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" is of type %s, not a number", NameStr(attribute->attname),
					format_type_be(attribute->atttypid)),
			 OidIsValid(get_element_type(getBaseType(attribute->atttypid)))
				 ? errhint("An array of numbers is a row by itself: give no other column, or the "
						   "numbers as columns.")
				 : errhint("Every column is a dimension here: leave it out, or cast it to a "
						   "number.")));
}

/* ---- dimensions ---- */

/* Names of the columns from the first on. */
static tlv_names *
column_names(TupleDesc desc, int first)
{
	tlv_names *names = palloc0(sizeof(tlv_names));
	int64_t *offsets = palloc0((desc->natts - first + 1) * sizeof(int64_t));
	StringInfoData text;

	initStringInfo(&text);
	for (int i = first; i < desc->natts; i++)
	{
		const char *name = NameStr(TupleDescAttr(desc, i)->attname);

		if (strcmp(name, NO_NAME) != 0)
			appendStringInfoString(&text, name);
		offsets[i - first + 1] = text.len;
	}
	names->n = (size_t) (desc->natts - first);
	names->offsets = offsets;
	names->text = text.data;
	return names;
}

void
TlvNameColumns(TlvSource *rows, int first)
{
	for (int i = first; i < rows->query->desc->natts; i++)
	{
		refuse_type(rows->query, i);
		refuse_key(rows->query, i);
	}
	rows->names = column_names(rows->query->desc, first);
}

/* Variables are known by their names. */
void
TlvRequireVariables(const TlvQuery *query)
{
	for (int i = 0; i < query->desc->natts; i++)
	{
		const char *name = NameStr(TupleDescAttr(query->desc, i)->attname);

		refuse_key(query, i);
		for (int j = 0; j < i; j++)
			if (strcmp(name, NameStr(TupleDescAttr(query->desc, j)->attname)) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_DUPLICATE_COLUMN),
						 errmsg("columns %d and %d are both called \"%s\"", j + 1, i + 1, name),
						 errhint("Give every variable a name of its own, with AS.")));
	}
}

void
TlvAppendColumns(StringInfo sql, int n)
{
	for (int i = 1; i <= n; i++)
		appendStringInfo(sql, "%sx%d", i > 1 ? ", " : "", i);
}

void
TlvAppendColumnArray(StringInfo sql, int n)
{
	appendStringInfoString(sql, "ARRAY[");
	for (int i = 1; i <= n; i++)
		appendStringInfo(sql, "%sx%d::pg_catalog.float8", i > 1 ? ", " : "", i);
	appendStringInfoChar(sql, ']');
}
