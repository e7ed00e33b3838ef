/*
 * columns_query.c - rows of named columns, each a dimension, from a driver's query (queries.h).
 */
#include "rows/queries.h"
#include "rows/keys.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* What the server calls a column that has no name. */
#define NO_NAME "?column?"

/* A query that is longer is not shown in a hint, nor are more columns listed. */
#define SHOWN_QUERY	  300
#define SHOWN_COLUMNS 5

/* ---- calls in hints ---- */

char *
TlvHintCall(const TlvSource *rows, const char *function, const char *list, const char *options)
{
	const char *query = rows->query->statement, *weights = rows->driver->weights;

	if (strlen(query) > SHOWN_QUERY)
		query = "...";
	if (function == NULL)
		function = get_func_name(rows->driver->function);
	if (weights != NULL) /* the call keeps them */
	{
		list = list != NULL ? psprintf("%s, %s", list, quote_identifier(weights)) : NULL;
		options = psprintf("%s%sweights => %s", options, options[0] != '\0' ? ", " : "",
						   quote_literal_cstr(weights));
	}
	if (list != NULL)
		query = psprintf("SELECT %s FROM (%s%s) AS q", list, query,
						 strstr(query, "--") != NULL ? "\n" : "");
	return psprintf("%s(%s%s%s)", function, quote_literal_cstr(query),
					options[0] != '\0' ? ", " : "", options);
}

bool
TlvLooksWide(TupleDesc desc)
{
	for (int i = 0; i < desc->natts; i++)
	{
		Oid type = TlvColumnType(desc, i);

		if (!TlvIsNumberType(type) && !TlvIsIdType(type))
			return false;
	}
	return desc->natts > 1;
}

const char *const TlvLayouts[] = {"long", "wide", NULL};

/* A single array is a row by itself. */
bool
TlvIsWide(TupleDesc desc, TlvLayout layout)
{
	if (layout != TLV_LAYOUT_OMITTED)
		return layout == TLV_LAYOUT_WIDE;
	if (desc->natts == 1)
		return !OidIsValid(get_element_type(TlvColumnType(desc, 0)));
	return desc->natts != 3;
}

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

/* The table's column that a column of the query shows, through views: its number and the table;
 * false: it is none. */
static bool
column_origin(const TlvQuery *query, int column, Oid *table, AttrNumber *number)
{
	const TargetEntry *entry = column_entry(query->query, column);
	bool again = true;

	while (again && entry != NULL && OidIsValid(entry->resorigtbl) && entry->resorigcol > 0)
	{
		Relation relation;

		*table = entry->resorigtbl;
		*number = entry->resorigcol;
		relation = relation_open(*table, AccessShareLock);
		again = see_through(relation, &entry);
		relation_close(relation, NoLock);
	}
	return !again;
}

/* Is the column a table's primary key by itself?  That table. */
static bool
column_is_key(const TlvQuery *query, int column, Oid *table)
{
	AttrNumber number;

	return column_origin(query, column, table, &number) && TlvIsKey(*table, number);
}

/* ---- columns that are variables ---- */

/* The columns that are no key, and of a type that is taken; NULL: all of them. */
static char *
list_columns(const TlvSource *rows, bool (*is_taken)(Oid type))
{
	TupleDesc desc = rows->query->desc;
	bool all = true;
	StringInfoData list;
	Oid table;

	initStringInfo(&list);
	for (int i = 0; i < desc->natts; i++)
		if (column_is_key(rows->query, i, &table) ||
			(is_taken != NULL && !is_taken(TlvColumnType(desc, i))))
			all = false;
		else
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
							 quote_identifier(TlvColumnName(desc, i)));
	return all ? NULL : list.data;
}

char *
TlvHintColumns(const TlvSource *rows, const char *function, const char *options)
{
	return TlvHintCall(rows, function, list_columns(rows, NULL), options);
}

char *
TlvHintWide(const TlvSource *rows)
{
	return TlvHintColumns(rows, NULL, "layout => 'wide'");
}

char *
TlvHintTwoValues(const TlvSource *rows)
{
	if (rows->query->desc->natts != 3 || !TlvLooksWide(rows->query->desc))
		return NULL;
	return psprintf("Group by row and variable first, or use %s if every column is a variable.",
					TlvHintWide(rows));
}

/* Is every row of the query one of that table, which it selects from alone? */
static bool
reads_table_alone(const Query *query, Oid table)
{
	return list_length(query->rtable) == 1 && !query->hasTargetSRFs &&
		   linitial_node(RangeTblEntry, query->rtable)->rtekind == RTE_RELATION &&
		   linitial_node(RangeTblEntry, query->rtable)->relid == table;
}

void
TlvRefuseWide(const TlvSource *rows)
{
	TupleDesc desc = rows->query->desc;
	Oid table;

	if (TlvLooksWide(desc) && column_is_key(rows->query, 0, &table) &&
		reads_table_alone(rows->query->query, table))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" is the primary key of \"%s\": no row has two variables",
						TlvColumnName(desc, 0), get_rel_name(table)),
				 errhint("Use %s if every other column is a variable.", TlvHintWide(rows))));
}

/* The variable's name instead of its number, which the error has as the name of a column. */
static void
name_variable(TlvSource *rows, int copies, const char *hint, ErrorData *error)
{
	int variable = error->column_name != NULL ? pg_strtoint32(error->column_name) / copies : -1;
	char shown[TLV_SHOWN_NAME];
	const char *name;

	error->message = unconstify(char *, TlvNameNumber(rows, error->message));
	if (error->sqlerrcode != ERRCODE_CARDINALITY_VIOLATION || variable < 0)
		return;
	name = tlv_names_show(rows->names, (size_t) variable, shown);
	error->message = copies == 1
						 ? psprintf("variable %s has two values in one row", name)
						 : psprintf("variable %s has more than %d values in one row", name, copies);
	error->column_name = NULL;
	if (hint != NULL)
		error->hint = pstrdup(hint);
}

void
TlvSourcePivot(TlvSource *rows, int copies, const char *hint)
{
	MemoryContext mcxt = CurrentMemoryContext;

	PG_TRY();
	{
		TlvSourceReady(rows, TLV_SOURCE_MADE);
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(mcxt);
		error = CopyErrorData();
		FlushErrorState();
		name_variable(rows, copies, hint, error);
		ReThrowError(error);
	}
	PG_END_TRY();
}

static bool
is_variable(Oid type)
{
	return TlvIsNumberType(type) || TlvIsIdType(type);
}

/* Rows of which the key is a column. */
static const char LONG[] = "layout => 'long'";

/* The hint is the call with these options on the other columns of a type that is taken, where there
 * is one. */
static void
refuse_key(const TlvSource *rows, int column, const char *options, bool (*is_taken)(Oid type))
{
	const char *name = TlvColumnName(rows->query->desc, column), *omit = "Omit it";
	const char *list = list_columns(rows, is_taken);
	AttrNumber number;
	Oid table;

	if (!column_origin(rows->query, column, &table, &number))
		return;
	if (options == LONG)
		omit = psprintf("Use %s", TlvHintCall(rows, NULL, NULL, options));
	else if (options != NULL && list != NULL && list[0] != '\0')
		omit = psprintf("Use %s", TlvHintCall(rows, NULL, list, options));
	TlvRefuseKey(
		table, number, name,
		psprintf("%s, or write %s + 0.0 if it is a measurement.", omit, quote_identifier(name)));
}

/* Numbers of an array, or of a type that is cast to real[], may be the row that is meant: they are
 * not skipped. */
static bool
is_vector(Oid type)
{
	Oid base = getBaseType(type), element = get_element_type(base), function;

	if (OidIsValid(element))
		return TlvIsNumberType(getBaseType(element));
	return find_coercion_pathway(FLOAT4ARRAYOID, base, COERCION_EXPLICIT, &function) ==
		   COERCION_PATH_FUNC;
}

char *
TlvHintArray(const TlvSource *rows, int column)
{
	Oid type = TlvColumnType(rows->query->desc, column);

	return psprintf(
		"%s is a row by itself: use %s, or give its elements as columns.",
		OidIsValid(get_element_type(type)) ? "An array" : "A vector",
		TlvHintCall(rows, NULL, quote_identifier(TlvColumnName(rows->query->desc, column)), ""));
}

char *
TlvHintTime(TupleDesc desc, int column)
{
	const FormData_pg_attribute *attribute = TupleDescAttr(desc, column);
	const char *name = quote_identifier(NameStr(attribute->attname));
	char category;
	bool preferred;

	get_type_category_preferred(getBaseType(attribute->atttypid), &category, &preferred);
	if (category != TYPCATEGORY_DATETIME && category != TYPCATEGORY_TIMESPAN)
		return NULL;
	return psprintf("extract(epoch FROM %s)", name);
}

static void
columns_query_refuse_type(const TlvSource *rows, int column)
{
	Form_pg_attribute attribute = TupleDescAttr(rows->query->desc, column);
	const char *number = TlvHintTime(rows->query->desc, column);

	if (!TlvIsNumberType(getBaseType(attribute->atttypid)))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" is of type %s, not a number",
							   NameStr(attribute->attname), format_type_be(attribute->atttypid)),
						OidIsValid(get_element_type(getBaseType(attribute->atttypid))) ||
								is_vector(attribute->atttypid)
							? errhint("%s", TlvHintArray(rows, column))
							: errhint("Every column is a dimension here: leave it out, or %s.",
									  number != NULL ? psprintf("use %s", number)
													 : "cast it to a number")));
}

/* ---- dimensions ---- */

tlv_names *
TlvColumnNames(TupleDesc desc, int first)
{
	tlv_names *names = palloc0(sizeof(tlv_names));
	int64_t *offsets = palloc0((desc->natts - first + 1) * sizeof(int64_t));
	StringInfoData text;

	initStringInfo(&text);
	for (int i = first; i < desc->natts; i++)
	{
		const char *name = TlvColumnName(desc, i);

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
TlvNameArray(TlvSource *rows, int column)
{
	const char *name = TlvColumnName(rows->query->desc, column);

	if (strcmp(name, NO_NAME) == 0)
		return;
	rows->names = palloc0(sizeof(tlv_names));
	rows->names->array = (tlv_text){name, strlen(name)};
}

void
TlvNameColumns(TlvSource *rows, int first)
{
	for (int i = first; i < rows->query->desc->natts; i++)
	{
		columns_query_refuse_type(rows, i);
		refuse_key(rows, i, first == 0 ? "" : NULL, TlvIsNumberType);
	}
	rows->names = TlvColumnNames(rows->query->desc, first);
}

/* What a column that is no dimension is; NULL: it is one. */
static const char *
no_dimension(const TlvSource *rows, int column)
{
	Oid type = TupleDescAttr(rows->query->desc, column)->atttypid, table;

	if (!TlvIsNumberType(getBaseType(type)))
		return format_type_be(type);
	if (column_is_key(rows->query, column, &table))
		return "the primary key";
	return bms_is_member(column, rows->skipped) ? "row numbers" : NULL;
}

/* The names of columns that are skipped, with what they are. */
static const char *
list_skipped(const TlvSource *rows)
{
	int n = 0, column = -1, all = bms_num_members(rows->skipped);
	StringInfoData list;

	initStringInfo(&list);
	while (n < Min(all, SHOWN_COLUMNS) && (column = bms_next_member(rows->skipped, column)) >= 0)
		appendStringInfo(&list, "%s\"%s\" (%s)",
						 n++ > 0	? ", "
						 : all == 1 ? "column "
									: "columns ",
						 TlvColumnName(rows->query->desc, column), no_dimension(rows, column));
	if (all > SHOWN_COLUMNS)
		appendStringInfo(&list, " and %d more", all - SHOWN_COLUMNS);
	return list.data;
}

/* NULL: that of the warning's code. */
static const char *
hint_skipped(const TlvSource *rows)
{
	const char *number = NULL;
	int column = -1;

	while (number == NULL && (column = bms_next_member(rows->skipped, column)) >= 0)
		number = TlvHintTime(rows->query->desc, column);
	return number == NULL ? NULL
						  : psprintf("List the columns that are dimensions; use %s for a time that "
									 "is one.",
									 number);
}

int
TlvNameTakenColumns(TlvSource *rows)
{
	TupleDesc desc = rows->query->desc, taken;
	int n = desc->natts - bms_num_members(rows->skipped), next = 0;

	taken = CreateTemplateTupleDesc(n);
	for (int i = 0; i < desc->natts; i++)
		if (!bms_is_member(i, rows->skipped))
			TupleDescCopyEntry(taken, (AttrNumber) ++next, desc, (AttrNumber) (i + 1));
	rows->names = TlvColumnNames(taken, 0);
	if (n < desc->natts)
	{
		rows->skipped_hint = hint_skipped(rows);
		rows->skipped_columns = list_skipped(rows);
		rows->skipped_n = desc->natts - n;
	}
	return n;
}

int
TlvChooseColumns(TlvSource *rows)
{
	TupleDesc desc = rows->query->desc;

	for (int i = 0; i < desc->natts; i++)
		if (is_vector(TupleDescAttr(desc, i)->atttypid))
			columns_query_refuse_type(rows, i);
		else if (no_dimension(rows, i) != NULL)
			rows->skipped = bms_add_member(rows->skipped, i);
	TlvSkipRowNumbers(rows);
	if (bms_num_members(rows->skipped) == desc->natts)
		TlvNameColumns(rows, 0); /* an error, of the first */
	for (int i = 0; i < desc->natts; i++)
		if (!bms_is_member(i, rows->skipped))
			refuse_key(rows, i, "", TlvIsNumberType); /* a part of a key warns */
	return TlvNameTakenColumns(rows);
}

/* (row, variable, category, number) of rows with more than one variable. */
static bool
looks_long(const TlvSource *rows)
{
	TupleDesc desc = rows->query->desc;
	Oid table;

	return desc->natts == 4 && TlvIsTextType(getBaseType(TupleDescAttr(desc, 1)->atttypid)) &&
		   TlvIsTextType(getBaseType(TupleDescAttr(desc, 2)->atttypid)) &&
		   TlvIsNumberType(getBaseType(TupleDescAttr(desc, 3)->atttypid)) &&
		   column_is_key(rows->query, 0, &table) && !reads_table_alone(rows->query->query, table);
}

/* Variables are known by their names. */
void
TlvRequireVariables(const TlvSource *rows, bool with_numbers)
{
	TupleDesc desc = rows->query->desc;
	bool as_long = with_numbers && looks_long(rows);

	for (int i = 0; i < desc->natts; i++)
	{
		const char *name = TlvColumnName(desc, i);

		refuse_key(rows, i, as_long ? LONG : "layout => 'wide'", is_variable);
		for (int j = 0; j < i; j++)
			if (strcmp(name, TlvColumnName(desc, j)) == 0)
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

void
TlvAppendQuery(StringInfo sql, int n)
{
	appendStringInfoString(sql, " FROM " TLV_QUERY_ROWS " AS q(");
	TlvAppendColumns(sql, n);
	appendStringInfoChar(sql, ')');
}
