/*
 * deparsed.c - runs the statements of drivers a second time, from their text.
 *
 * A module of the tests, loaded beside the extension, which knows nothing of it.  Engines that take
 * a statement apart for other servers, as Citus does, deparse what the planner is given.  So does
 * this planner hook: the text has to stand on its own and to give what the statement gives.  Every
 * aggregate of ours in it has to declare the types of its arguments, which such engines compare.
 * What was run, and what failed, goes to the file deparsed.log.
 *
 * partial_agg(aggregate, ROW(arguments)) runs a transition function as these engines do: without an
 * expression that has the types of its arguments.
 */
#include "postgres.h"

#include <fcntl.h>
#include <unistd.h>

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"
#include "tcop/tcopprot.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

PG_MODULE_MAGIC;

extern void _PG_init(void);

static char *log_path;
static planner_hook_type next_planner;
static Oid driver; /* that is running */
static bool busy;
static List *seen; /* hashes of what this session has run */

/* ---- which driver is running ---- */

/* Functions of a query: their first argument is called query. */
static bool
is_driver(Oid function)
{
	HeapTuple tuple;
	Datum names;
	bool isnull, found = false;

	if (function < FirstNormalObjectId || !IsTransactionState())
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return false;
	names = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_proargnames, &isnull);
	if (!isnull && strncmp(NameStr(((Form_pg_proc) GETSTRUCT(tuple))->proname), "tlv_", 4) == 0)
	{
		Datum *name;
		int n;

		deconstruct_array(DatumGetArrayTypeP(names), TEXTOID, -1, false, TYPALIGN_INT, &name, NULL,
						  &n);
		for (int i = 0; i < n; i++)
			found |= strcmp(TextDatumGetCString(name[i]), "query") == 0;
	}
	ReleaseSysCache(tuple);
	return found;
}

static void
watch_driver(FmgrHookEventType event, FmgrInfo *function, Datum *before)
{
	if (event == FHET_START)
	{
		*before = ObjectIdGetDatum(driver);
		driver = function->fn_oid;
	}
	else
		driver = DatumGetObjectId(*before);
}

/* ---- the log ---- */

/* One line, which other sessions do not tear apart. */
static void
tell(const char *what, const char *text)
{
	StringInfoData line;
	int file = open(log_path, O_WRONLY | O_APPEND | O_CREAT, 0666);

	initStringInfo(&line);
	appendStringInfo(&line, "%s\t%s\t", what, get_func_name(driver));
	for (; *text != '\0' && line.len < 20000; text++)
		appendStringInfoChar(&line, *text == '\n' || *text == '\t' ? ' ' : *text);
	appendStringInfoChar(&line, '\n');
	if (file < 0 || write(file, line.data, line.len) != line.len)
		elog(FATAL, "cannot write to \"%s\": %m", log_path);
	close(file);
}

/* ---- statements ---- */

/* A pass whose rows are in a store of the session is sent nowhere. */
static bool
reads_store(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
		return ((RangeTblEntry *) node)->rtekind == RTE_NAMEDTUPLESTORE;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, reads_store, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, reads_store, context);
}

/* Models and other long values are no part of its shape. */
static Node *
forget_values(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Const) && ((Const *) node)->consttype >= FirstNormalObjectId)
		return (Node *) makeNullConst(((Const *) node)->consttype, -1, InvalidOid);
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, forget_values, context, 0);
	return expression_tree_mutator(node, forget_values, context);
}

static char *
text_of(Query *query)
{
	int level = NewGUCNestLevel();
	char *text;

	(void) set_config_option("search_path", "pg_catalog", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	text = pg_get_querydef(copyObject(query), false);
	AtEOXact_GUC(true, level);
	return text;
}

static bool
declares_other_types(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && ((Aggref *) node)->aggfnoid >= FirstNormalObjectId)
	{
		Aggref *aggregate = (Aggref *) node;
		Oid *declared;
		int n, i = 0;
		ListCell *cell;

		(void) get_func_signature(aggregate->aggfnoid, &declared, &n);
		foreach (cell, aggregate->args)
		{
			TargetEntry *argument = lfirst_node(TargetEntry, cell);

			if (!argument->resjunk && exprType((Node *) argument->expr) != declared[i++])
				return true;
		}
	}
	return expression_tree_walker(node, declares_other_types, context);
}

/* On the levels of ours: the statement itself, and its rows, "v". */
static bool
calls_any(Query *query)
{
	ListCell *cell;

	if (declares_other_types((Node *) query->targetList, NULL))
		return true;
	foreach (cell, query->rtable)
	{
		RangeTblEntry *from = lfirst_node(RangeTblEntry, cell);

		if (from->rtekind == RTE_SUBQUERY && strcmp(from->eref->aliasname, "v") == 0 &&
			calls_any(from->subquery))
			return true;
	}
	return false;
}

/* ---- running ---- */

typedef struct Collector
{
	DestReceiver pub;
	MemoryContext mcxt;
	List *rows; /* as text */
} Collector;

static void
collector_startup(DestReceiver *self, int operation, TupleDesc desc)
{
}

static bool
collector_take(TupleTableSlot *slot, DestReceiver *self)
{
	Collector *collector = (Collector *) self;
	MemoryContext before = MemoryContextSwitchTo(collector->mcxt);
	StringInfoData row;

	initStringInfo(&row);
	slot_getallattrs(slot);
	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		Oid output;
		bool varies;

		getTypeOutputInfo(TupleDescAttr(slot->tts_tupleDescriptor, i)->atttypid, &output, &varies);
		if (!slot->tts_isnull[i])
			appendStringInfoString(&row, OidOutputFunctionCall(output, slot->tts_values[i]));
		appendStringInfoChar(&row, '|');
	}
	collector->rows = lappend(collector->rows, row.data);
	MemoryContextSwitchTo(before);
	return true;
}

static int
compare_rows(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

static void
collector_nothing(DestReceiver *self)
{
}

/* The rows of a statement, as text and sorted: their order is nobody's business. */
static List *
result_of(Query *query, const char *text)
{
	Collector collector = {.pub = {.receiveSlot = collector_take,
								   .rStartup = collector_startup,
								   .rShutdown = collector_nothing,
								   .rDestroy = collector_nothing,
								   .mydest = DestNone}};
	PlannedStmt *plan = standard_planner(query, text, CURSOR_OPT_PARALLEL_OK, NULL);
	QueryDesc *desc;

	collector.mcxt = CurrentMemoryContext;
	PushActiveSnapshot(GetActiveSnapshot());
	desc = CreateQueryDesc(plan, text, GetActiveSnapshot(), InvalidSnapshot, &collector.pub, NULL,
						   NULL, 0);
	ExecutorStart(desc, 0);
#if PG_VERSION_NUM >= 180000
	ExecutorRun(desc, ForwardScanDirection, 0);
#else
	ExecutorRun(desc, ForwardScanDirection, 0, true);
#endif
	ExecutorFinish(desc);
	ExecutorEnd(desc);
	FreeQueryDesc(desc);
	PopActiveSnapshot();
	list_sort(collector.rows, compare_rows);
	return collector.rows;
}

static Query *
analysed(const char *text)
{
	RawStmt *raw = linitial_node(RawStmt, pg_parse_query(text));

	return linitial_node(Query, pg_analyze_and_rewrite_fixedparams(raw, text, NULL, 0, NULL));
}

static bool
same_rows(const List *a, const List *b)
{
	const ListCell *p, *q;

	forboth(p, a, q, b) if (strcmp(lfirst(p), lfirst(q)) != 0) return false;
	return list_length(a) == list_length(b);
}

/* The statement first: an error of its own is no matter of its text. */
static void
run_both(Query *query, const char *shape)
{
	List *expected = result_of(copyObject(query), "a statement"), *got = NIL;

	PG_TRY();
	{
		char *text = text_of(query);

		got = result_of(analysed(text), text);
	}
	PG_CATCH();
	{
		MemoryContext before = MemoryContextSwitchTo(TopTransactionContext);
		ErrorData *error = CopyErrorData();

		tell("failed", psprintf("%s: %s", error->message, shape));
		MemoryContextSwitchTo(before);
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (!same_rows(expected, got) && !contain_volatile_functions((Node *) query) &&
		strstr(shape, "TABLESAMPLE") == NULL)
		tell("differs", shape);
}

static bool
is_new(const char *shape)
{
	uint32 hash = hash_bytes((const unsigned char *) shape, strlen(shape)) ^ driver;
	MemoryContext before;

	if (list_member_oid(seen, hash))
		return false;
	before = MemoryContextSwitchTo(TopMemoryContext);
	seen = lappend_oid(seen, hash);
	MemoryContextSwitchTo(before);
	return true;
}

static void
check_statement(Query *query)
{
	MemoryContext mcxt =
		AllocSetContextCreate(CurrentMemoryContext, "deparsed", ALLOCSET_DEFAULT_SIZES);
	MemoryContext before = MemoryContextSwitchTo(mcxt);
	char *shape = text_of((Query *) forget_values((Node *) query, NULL));

	if (is_new(shape))
	{
		if (calls_any(query))
			tell("any", shape);
		run_both(query, shape);
		tell("ran", shape);
	}
	MemoryContextSwitchTo(before);
	MemoryContextDelete(mcxt);
}

/* Statements of ours have no place in any text. */
static PlannedStmt *
deparsed_planner(Query *query, const char *text, int options, ParamListInfo parameters)
{
	if (!busy && OidIsValid(driver) && log_path != NULL && log_path[0] != '\0' &&
		query->commandType == CMD_SELECT && query->stmt_location == -1 && query->stmt_len == 0 &&
		!reads_store((Node *) query, NULL))
	{
		busy = true;
		PG_TRY();
		{
			check_statement(query);
		}
		PG_FINALLY();
		{
			busy = false;
		}
		PG_END_TRY();
	}
	return next_planner != NULL ? next_planner(query, text, options, parameters)
								: standard_planner(query, text, options, parameters);
}

void
_PG_init(void)
{
	DefineCustomStringVariable("deparsed.log", "file that says which statements were run", NULL,
							   &log_path, "", PGC_USERSET, 0, NULL, NULL, NULL);
	next_planner = planner_hook;
	planner_hook = deparsed_planner;
	needs_fmgr_hook = is_driver;
	fmgr_hook = watch_driver;
}

/* ---- an aggregate as others run it ---- */

typedef struct Partial
{
	Oid aggregate, transition;
	Datum state;
	bool isnull;
} Partial;

/* (state, aggregate, row of arguments) */
PG_FUNCTION_INFO_V1(partial_transition);
Datum
partial_transition(PG_FUNCTION_ARGS)
{
	Partial *partial = PG_ARGISNULL(0) ? NULL : (Partial *) PG_GETARG_POINTER(0);
	HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(2);
	TupleDesc desc =
		lookup_rowtype_tupdesc_copy(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
	Datum values[FUNC_MAX_ARGS];
	bool nulls[FUNC_MAX_ARGS];
	MemoryContext mcxt, before;
	FmgrInfo function;
	Datum state;
	LOCAL_FCINFO(call, FUNC_MAX_ARGS);

	if (!AggCheckCallContext(fcinfo, &mcxt))
		elog(ERROR, "partial_transition called outside an aggregate");
	before = MemoryContextSwitchTo(mcxt);
	if (partial == NULL)
	{
		HeapTuple form = SearchSysCache1(AGGFNOID, PG_GETARG_DATUM(1));
		Oid *declared;
		int n;

		partial = palloc0(sizeof(Partial));
		partial->aggregate = PG_GETARG_OID(1);
		partial->transition = ((Form_pg_aggregate) GETSTRUCT(form))->aggtransfn;
		partial->isnull = true;
		ReleaseSysCache(form);
		(void) get_func_signature(partial->aggregate, &declared, &n);
		for (int i = 0; i < desc->natts; i++)
			if (i >= n || TupleDescAttr(desc, i)->atttypid != declared[i])
				elog(ERROR, "argument %d is not of the declared type", i + 1);
	}
	MemoryContextSwitchTo(before);
	heap_deform_tuple(&tuple, desc, values, nulls);
	fmgr_info(partial->transition, &function);
	InitFunctionCallInfoData(*call, &function, desc->natts + 1, InvalidOid, fcinfo->context, NULL);
	call->args[0] = (NullableDatum){partial->state, partial->isnull};
	for (int i = 0; i < desc->natts; i++)
		call->args[i + 1] = (NullableDatum){values[i], nulls[i]};
	state = FunctionCallInvoke(call);
	if (state != partial->state)
	{
		before = MemoryContextSwitchTo(mcxt);
		partial->state = call->isnull ? (Datum) 0
						 : DatumIsReadWriteExpandedObject(state, false, -1)
							 ? state
							 : datumCopy(state, false, -1);
		MemoryContextSwitchTo(before);
	}
	partial->isnull = call->isnull;
	PG_RETURN_POINTER(partial);
}

/* The state as text. */
PG_FUNCTION_INFO_V1(partial_final);
Datum
partial_final(PG_FUNCTION_ARGS)
{
	Partial *partial = PG_ARGISNULL(0) ? NULL : (Partial *) PG_GETARG_POINTER(0);
	Oid output;
	bool varies;

	if (partial == NULL || partial->isnull)
		PG_RETURN_NULL();
	getTypeOutputInfo(get_func_rettype(partial->transition), &output, &varies);
	PG_RETURN_TEXT_P(cstring_to_text(OidOutputFunctionCall(output, partial->state)));
}
