/*
 * pass_statement.c - the statements over the rows of a source (driver.h): that of a pass, with its
 * aggregates, and that which counts the nulls of each column.
 */
#include "driver_internal.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "rows/queries.h"
#include "server/arrays.h"

bool
TlvSourceNeedsOrder(const TlvSource *rows, const tlv_pass *pass)
{
	bool in_order = rows->form == TLV_ROW_BAG && rows->query->store != NULL; /* rows_settle */

	return pass->settled && !in_order;
}

void
TlvSourceAppendOrder(const TlvSource *rows, TlvStatement *statement, StringInfo sql)
{
	const char *hash;

	if (rows->form != TLV_ROW_BAG)
	{
		appendStringInfo(sql, " ORDER BY %s", rows->columns[0]);
		return;
	}
	hash =
		TlvStatementCall(statement, "tlv_fold", 3, (Oid[]){rows->types[0], INT4OID, INT8OID}, NULL);
	for (int seed = 2; seed <= 3; seed++)
		appendStringInfo(sql, "%s %s(%s, %d::pg_catalog.int4, %d::pg_catalog.int8)",
						 seed > 2 ? "," : " ORDER BY", hash, rows->columns[0], PG_INT32_MAX, seed);
}

#define MOST_ARGUMENTS (TLV_ROW_COLUMNS + 5)

/* The arguments of an aggregate, as text and as types. */
typedef struct PassCall
{
	StringInfoData sql;
	int n;
	Oid types[MOST_ARGUMENTS];
} PassCall;

static void
add_argument(PassCall *call, Oid type)
{
	if (call->n > 0)
		appendStringInfoString(&call->sql, ", ");
	call->types[call->n++] = type;
}

/* A bag with its counts damped or scaled, as the pass has it. */
static void
add_bag(TlvStatement *statement, const tlv_pass *pass, Oid bag, const char *column, PassCall *call)
{
	if (pass->scale > 0)
		appendStringInfo(
			&call->sql, "%s('%.17g'::pg_catalog.float8, %s)",
			TlvStatementCall(statement, "tlv_bag_scale", 2, (Oid[]){FLOAT8OID, bag}, NULL),
			pass->scale, column);
	else if (pass->damp > 0)
		appendStringInfo(
			&call->sql, "%s(%s, '%.17g'::pg_catalog.float8)",
			TlvStatementCall(statement, "tlv_bag_damp", 2, (Oid[]){bag, FLOAT8OID}, NULL), column,
			pass->damp);
	else
		appendStringInfoString(&call->sql, column);
}

/* The columns of a row. */
static void
pass_statement_add_row(TlvSource *rows, TlvStatement *statement, const tlv_pass *pass,
					   PassCall *call)
{
	Oid bag = TlvQueryType(rows->query, "tlv_bag");

	for (int i = 0; i < rows->n; i++)
	{
		add_argument(call, rows->types[i]);
		if (rows->types[i] == bag)
			add_bag(statement, pass, bag, rows->columns[i], call);
		else
			appendStringInfoString(&call->sql, rows->columns[i]);
	}
}

static int
held_parameter(TlvStatement *statement, Oid type, const tlv_frame *frame)
{
	tlv_frame_header *header = unconstify(tlv_frame_header *, frame->header);

	SET_VARSIZE(header, header->size);
	return TlvStatementHeld(statement, type, (struct varlena *) header);
}

/* A subspace or a model: a parameter, evaluated once for all rows. */
static void
add_constant(TlvSource *rows, TlvStatement *statement, const tlv_frame *frame, PassCall *call)
{
	static const char *const types[] = {"", "tlv_moments", "tlv_subspace", "tlv_model",
										"tlv_graph"};
	Oid type = TlvQueryType(rows->query, types[frame->header->type]);

	add_argument(call, type);
	appendStringInfo(&call->sql, "(SELECT p%d FROM p)", held_parameter(statement, type, frame));
}

static void
add_options(const tlv_statistic *statistic, PassCall *call)
{
	if (statistic->order != 0)
	{
		add_argument(call, INT4OID);
		appendStringInfo(&call->sql, "%d::pg_catalog.int4", statistic->order);
	}
	if (statistic->count > 0)
	{
		add_argument(call, INT4OID);
		appendStringInfo(&call->sql, "%d::pg_catalog.int4", (int32) statistic->count);
		add_argument(call, INT8OID);
		appendStringInfo(&call->sql, INT64_FORMAT "::pg_catalog.int8", (int64) statistic->seed);
	}
	if (statistic->refine != NULL)
	{
		add_argument(call, TEXTOID);
		appendStringInfo(&call->sql, "%s::pg_catalog.text", quote_literal_cstr(statistic->refine));
	}
}

static const char *
missing_condition(const TlvSource *rows)
{
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < rows->n; i++)
		appendStringInfo(&sql, "%spg_catalog.array_position(%s, NULL) IS NOT NULL",
						 i > 0 ? " OR " : "", rows->columns[i]);
	return sql.data;
}

/*
 * Does the engine that spreads the rows call the aggregates' functions through one of its own, for
 * every row?  There tlv_gather adds the rows to the states, but rows that are sorted first.
 */
static bool
gathers_rows(const TlvSource *rows, const tlv_pass *pass)
{
	return rows->split && !rows->foreign && rows->query->store == NULL && pass->pieces <= 1 &&
		   !TlvSourceNeedsOrder(rows, pass);
}

/* The filter of an aggregate over the row. */
static void
add_filter(TlvSource *rows, TlvStatement *statement, const tlv_pass *pass, const PassCall *row,
		   const tlv_statistic *statistic, StringInfo select)
{
	const char *missing = pass->complete ? missing_condition(rows) : NULL;
	Oid types[MOST_ARGUMENTS] = {TEXTOID};

	if (!gathers_rows(rows, pass))
	{
		if (missing != NULL)
			appendStringInfo(select, " FILTER (WHERE (%s) IS NOT TRUE)", missing);
		else if (rows->foreign && statistic->constant != NULL)
			/* By this filter the other server knows that it runs a pass (aggregates.c). */
			appendStringInfo(select, " FILTER (WHERE (SELECT p%d FROM p))",
							 TlvStatementParameter(statement, BOOLOID, BoolGetDatum(true)));
		return;
	}
	memcpy(types + 1, row->types, row->n * sizeof(Oid));
	appendStringInfoString(select, " FILTER (WHERE ");
	if (missing != NULL)
		appendStringInfo(select, "CASE WHEN %s THEN false ELSE ", missing);
	appendStringInfo(select, "%s(%s::pg_catalog.text, %s)",
					 TlvStatementCall(statement, "tlv_gather", row->n + 1, types, NULL),
					 quote_literal_cstr(statistic->aggregate->name), row->sql.data);
	appendStringInfoString(select, missing != NULL ? " END)" : ")");
}

/* Appends one aggregate over the rows; returns the type of its value. */
static Oid
add_statistic(TlvSource *rows, TlvStatement *statement, const tlv_pass *pass,
			  const tlv_statistic *statistic, StringInfo select)
{
	PassCall row = {.n = 0}, call;
	const char *name;
	Oid result;

	initStringInfo(&row.sql);
	pass_statement_add_row(rows, statement, pass, &row);
	call = row;
	initStringInfo(&call.sql);
	appendStringInfoString(&call.sql, row.sql.data);
	if (statistic->constant != NULL)
		add_constant(rows, statement, statistic->constant, &call);
	add_options(statistic, &call);
	if (TlvSourceNeedsOrder(rows, pass))
		TlvSourceAppendOrder(rows, statement, &call.sql);
	name = TlvStatementCall(statement, statistic->aggregate->name, call.n, call.types, &result);
	appendStringInfo(select, "%s(%s)", name, call.sql.data);
	add_filter(rows, statement, pass, &row, statistic, select);
	return result;
}

static void
add_fold(TlvSource *rows, TlvStatement *statement, const tlv_pass *pass)
{
	if (pass->folds == 0)
		return;
	appendStringInfo(
		&statement->sql,
		" WHERE %s(%s, %d::pg_catalog.int4, 1::pg_catalog.int8) "
		"OPERATOR(pg_catalog.%s) %d::pg_catalog.int4",
		TlvStatementCall(statement, "tlv_fold", 3, (Oid[]){rows->types[0], INT4OID, INT8OID}, NULL),
		rows->columns[0], pass->folds, pass->others ? "<>" : "=", pass->fold);
}

/* The piece of a row, by a hash of the first of its ids that every server computes alike. */
static void
add_piece(TlvSource *rows, TlvStatement *statement, const tlv_pass *pass)
{
	const char *hash =
		rows->types[0] == INT8OID
			? psprintf("pg_catalog.hashint8extended(%s, 1::pg_catalog.int8)", rows->columns[0])
			: psprintf("%s(%s)",
					   TlvStatementCall(statement, "tlv_term_id", 1, (Oid[]){TEXTOID}, NULL),
					   rows->columns[0]);

	appendStringInfo(&statement->sql, ", %s OPERATOR(pg_catalog.&) %zu::pg_catalog.int8", hash,
					 pass->pieces - 1);
}

/* WITH p AS MATERIALIZED (SELECT $1 AS p1, ...): made once, whatever workers and servers do. */
static void
add_parameters(TlvStatement *statement, int from)
{
	int n = list_length(statement->parameters);

	for (int i = from; i < n; i++)
		appendStringInfo(&statement->sql, "%s$%d AS p%d",
						 i == from ? "WITH p AS MATERIALIZED (SELECT " : ", ", i + 1, i + 1);
	if (n > from)
		appendStringInfoString(&statement->sql, ") ");
}

/* ---- nulls of columns ---- */

/* The items of documents and sets are elements of an array, other arrays are vectors. */
static bool
are_items(const TlvSource *rows)
{
	return rows->form == TLV_ROW_BAG || rows->sets;
}

/* Does a null inside of the column's arrays skip its row? */
static bool
has_elements(const TlvSource *rows, int column)
{
	Oid type = TlvQueryArrays(rows->query)[column];

	return OidIsValid(type) &&
		   (are_items(rows) || (type == FLOAT8ARRAYOID &&
								(rows->form == TLV_ROW_VECTOR || rows->form == TLV_ROW_VIEWS)));
}

/*
 * Appends what TlvTakeNulls reads of a column of the query, x in the statement; returns how many
 * columns these are.  Replacing the nulls of an array changes it if it has any, whatever its
 * dimensions, and the smallest of such arrays is the same under every plan.
 */
static int
append_nulls(const TlvSource *rows, int column, const char *x, bool follows, StringInfo sql,
			 Oid *types)
{
	Oid array = TlvQueryArrays(rows->query)[column];
	bool numbers = array == FLOAT8ARRAYOID;

	types[0] = types[1] = INT8OID;
	types[2] = array;
	appendStringInfo(sql, "%spg_catalog.count(*) OPERATOR(pg_catalog.-) pg_catalog.count(%s)",
					 follows ? ", " : "", x);
	if (!has_elements(rows, column))
		return 1;
	x = psprintf("%s::pg_catalog.%s", x, numbers ? "float8[]" : "text[] COLLATE pg_catalog.\"C\"");
	for (int i = 1; i < NULL_COLUMNS; i++)
		appendStringInfo(sql,
						 ", pg_catalog.%s(%s) FILTER (WHERE pg_catalog.array_replace(%s, NULL, "
						 "%s) OPERATOR(pg_catalog.<>) %s)",
						 i == 1 ? "count" : "min", x, x,
						 numbers ? "0::pg_catalog.float8" : "''::pg_catalog.text", x);
	return NULL_COLUMNS;
}

void
TlvTakeNulls(const TlvSource *rows, int column, const TupleTableSlot *slot, int *at,
			 TlvNulls *nulls)
{
	nulls->rows += DatumGetInt64(slot->tts_values[(*at)++]);
	if (!has_elements(rows, column))
		return;
	nulls->within += DatumGetInt64(slot->tts_values[(*at)++]);
	if (!slot->tts_isnull[*at] && nulls->example == NULL)
		nulls->example = DatumGetArrayTypePCopy(slot->tts_values[*at]);
	(*at)++;
}

/* ---- the statement ---- */

/*
 * Rows that are not stored are counted in every pass over all of them: it is the same snapshot here
 * and in one transaction of postgres_fdw, but not wherever rows may come from.
 */
int
TlvPassStatement(TlvSource *rows, const tlv_pass *pass, TlvStatement *statement, StringInfo select,
				 Oid *types, bool *counted)
{
	int n = 0;

	(void) TlvQueryArrays(rows->query); /* while its types are there */
	TlvSourceBegin(rows, statement);
	statement->single = pass->pieces <= 1;
	for (size_t i = 0; i < pass->n; i++)
	{
		if (i > 0)
			appendStringInfoString(select, ", ");
		types[n++] = add_statistic(rows, statement, pass, &pass->statistics[i], select);
	}
	add_parameters(statement, list_length(rows->made.parameters));
	appendStringInfo(&statement->sql, "SELECT %s", select->data);
	if (pass->complete)
	{
		appendStringInfo(&statement->sql, ", pg_catalog.count(*) FILTER (WHERE %s)",
						 missing_condition(rows));
		types[n++] = INT8OID;
	}
	for (int i = 0; i < rows->n && rows->once; i++)
		n += append_nulls(rows, i, rows->columns[i], true, &statement->sql, types + n);
	*counted = rows->query->store == NULL && pass->folds == 0 && !rows->once;
	if (*counted)
	{
		appendStringInfoString(&statement->sql, ", pg_catalog.count(*)");
		types[n++] = INT8OID;
	}
	if (pass->pieces > 1)
	{
		add_piece(rows, statement, pass);
		types[n++] = INT8OID;
	}
	TlvSourceFrom(rows, statement);
	add_fold(rows, statement, pass);
	if (pass->pieces > 1)
		appendStringInfo(&statement->sql, " GROUP BY %d", n);
	return n;
}

/* ---- columns with nulls ---- */

typedef struct NullCounts
{
	const TlvSource *rows;
	TlvNulls *nulls;
} NullCounts;

static void
add_null_counts(void *argument, TupleTableSlot *slot)
{
	const NullCounts *counts = argument;

	for (int i = 0, at = 0; i < counts->rows->query->desc->natts; i++)
		TlvTakeNulls(counts->rows, i, slot, &at, &counts->nulls[i]);
}

/* The nulls of each column of the query, over all of its parts. */
static void
count_nulls(TlvSource *rows, const Query *part, TlvNulls *nulls)
{
	int n = rows->query->desc->natts, columns = 0;
	Oid *types = palloc((Size) n * NULL_COLUMNS * sizeof(Oid));
	TlvStatement statement;

	TlvStatementBegin(&statement, rows->query);
	statement.part = part;
	appendStringInfoString(&statement.sql, "SELECT ");
	for (int i = 0; i < n; i++)
		columns +=
			append_nulls(rows, i, psprintf("q.x%d", i + 1), i > 0, &statement.sql, types + columns);
	TlvAppendQuery(&statement.sql, n);
	(void) TlvStatementRun(&statement, columns, types, add_null_counts, &(NullCounts){rows, nulls});
}

/* ", such as dimension 2 of {1,NULL}": the first null of the array; dimensions are its last. */
static const char *
describe_example(ArrayType *array, const char *noun)
{
	const int shown_bytes = 80;
	int at = TlvFirstNull(array);
	Oid out;
	bool varlena;
	char *text;

	getTypeOutputInfo(get_array_type(ARR_ELEMTYPE(array)), &out, &varlena);
	text = OidOutputFunctionCall(out, PointerGetDatum(array));
	return psprintf(", such as %s %d of %s%s", noun, at % ARR_DIMS(array)[ARR_NDIM(array) - 1] + 1,
					TlvClip(text, shown_bytes), strlen(text) > shown_bytes ? "..." : "");
}

/* column "a" (2), or columns "a" (2), "b" (1, such as dimension 2 of {1,NULL}) and 4 more. */
static const char *
describe_columns(TlvSource *rows, const TlvNulls *nulls)
{
	/* Columns that are named at most, and the bytes of a name that are shown. */
	const int named_columns = 3, named_bytes = 40;
	TupleDesc desc = rows->query->desc;
	int required = rows->required > 0 ? rows->required : desc->natts;
	StringInfoData text;
	int n = 0;

	initStringInfo(&text);
	for (int i = 0; i < required; i++)
	{
		int64 within = has_elements(rows, i) ? nulls[i].within : 0;

		if (nulls[i].rows + within == 0 || bms_is_member(i, rows->skipped))
			continue;
		rows->null_total += (double) (nulls[i].rows + within);
		if (n++ >= named_columns)
			continue;
		appendStringInfo(&text, "%s\"%s\" (" INT64_FORMAT "%s)", n > 1 ? ", " : "",
						 TlvClip(TlvColumnName(desc, i), named_bytes), nulls[i].rows + within,
						 within > 0 ? describe_example(nulls[i].example,
													   are_items(rows) ? "element" : "dimension")
									: "");
	}
	if (n > named_columns)
		appendStringInfo(&text, " and %d more", n - named_columns);
	return n == 0 ? "" : psprintf("%s %s", n > 1 ? "columns" : "column", text.data);
}

/* The nulls of a query that returns the same rows again, by a scan. */
static TlvNulls *
count_again(TlvSource *rows)
{
	TlvNulls *nulls = palloc0(rows->query->desc->natts * sizeof(TlvNulls));
	ListCell *cell;

	if (rows->query->parts == NIL)
		count_nulls(rows, NULL, nulls);
	foreach (cell, rows->query->parts)
		count_nulls(rows, lfirst_node(Query, cell), nulls);
	return nulls;
}

void
TlvNameNullColumns(TlvSource *rows, const TlvNulls *counted)
{
	MemoryContext before = MemoryContextSwitchTo(rows->driver->mcxt);
	const TlvNulls *nulls = rows->once ? counted : rows->query->nulls;

	if (nulls == NULL)
		nulls = count_again(rows);
	rows->null_columns = describe_columns(rows, nulls);
	MemoryContextSwitchTo(before);
}
