/*
 * old_query.c - running a user's query through SPI (old_query.h).
 */
#include "old_query.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "nodes/parsenodes.h"
#include "parser/parser.h"
#include "tcop/cmdtag.h"
#include "tcop/utility.h"
#include "utils/guc.h"

void
TlvRunQuery(const char *sql, int n_parameters, Oid *types, Datum *values)
{
	bool before = TlvBeginReading();
	int result = SPI_execute_with_args(sql, n_parameters, types, values, NULL, true, 0);

	TlvEndReading(before);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "query failed: %s", SPI_result_code_string(result));
}

/* The end of a level restores the settings made in it, as does the end of a failed transaction. */
static int
begin_uncompiled(void)
{
	int level = NewGUCNestLevel();

	(void) set_config_option("jit", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
							 false);
	return level;
}

void
TlvRunPass(const char *sql, int n_parameters, Oid *types, Datum *values)
{
	SPIPlanPtr plan = SPI_prepare_cursor(sql, n_parameters, types,
										 CURSOR_OPT_GENERIC_PLAN | CURSOR_OPT_PARALLEL_OK);
	bool before = TlvBeginReading();
	int level = begin_uncompiled();
	int result = plan != NULL ? SPI_execute_plan(plan, values, NULL, true, 0) : SPI_result;

	AtEOXact_GUC(true, level);
	TlvEndReading(before);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "query failed: %s", SPI_result_code_string(result));
	SPI_freeplan(plan);
}

/* An error's position is in the user's query, not in the statement that calls us. */
static void
query_position(void *query)
{
	int position = geterrposition();

	if (position > 0)
	{
		errposition(0);
		internalerrposition(position);
		internalerrquery(query);
	}
}

static List *
parse_query(const char *query)
{
	ErrorContextCallback callback = {error_context_stack, query_position, (void *) query};
	List *statements;

	error_context_stack = &callback;
#if PG_VERSION_NUM >= 140000
	statements = raw_parser(query, RAW_PARSE_DEFAULT);
#else
	statements = raw_parser(query);
#endif
	error_context_stack = callback.previous;
	return statements;
}

char *
TlvSingleSelect(const char *query, const char *rows)
{
	List *statements = parse_query(query);
	RawStmt *statement;

	if (statements == NIL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the query is empty")));
	if (list_length(statements) > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%d statements are given, not one query", list_length(statements))));
	statement = linitial_node(RawStmt, statements);
	if (!IsA(statement->stmt, SelectStmt))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s is not a query that reads %s",
							   GetCommandTagName(CreateCommandTag(statement->stmt)), rows),
						errhint("Use SELECT, VALUES, TABLE or WITH ... SELECT.")));
	query += statement->stmt_location;
	return statement->stmt_len > 0 ? pnstrdup(query, (Size) statement->stmt_len) : pstrdup(query);
}
