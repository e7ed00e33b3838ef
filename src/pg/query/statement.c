/*
 * statement.c - statements of ours over the rows of the caller's query (query.h).
 */
#include "query.h"

#include <float.h>

#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "jit/jit.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "rewrite/rewriteHandler.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#include "query_internal.h"

/* min_parallel_table_scan_size where nobody has set it: 8 MB. */
#define USUAL_SCAN_SIZE ((8 * 1024 * 1024) / BLCKSZ)

/* ---- the caller's query in it ---- */

typedef struct StandIn
{
	const char *name;
	const Query *query;
} StandIn;

/*
 * The caller's query, or a part of it, in the stand-in's stead.  Its columns get the names by which
 * our statement calls them as column aliases: engines that deparse the statement for other servers
 * (Citus) print a subquery's columns by the names that the caller gave them otherwise.
 */
static bool
put_query(Node *node, void *context)
{
	const StandIn *stand_in = context;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, put_query, context, QTW_EXAMINE_RTES_BEFORE);
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *from = (RangeTblEntry *) node;

		if (from->rtekind == RTE_NAMEDTUPLESTORE && strcmp(from->enrname, stand_in->name) == 0)
		{
			from->rtekind = RTE_SUBQUERY;
			from->subquery = copyObject(unconstify(Query *, stand_in->query));
			from->alias = copyObject(from->eref);
			from->relid = InvalidOid;
			from->enrname = NULL;
			from->enrtuples = 0;
			from->coltypes = from->coltypmods = from->colcollations = NIL;
		}
		return false;
	}
	return expression_tree_walker(node, put_query, context);
}

void
TlvPutQuery(Query *own, const char *name, const Query *query)
{
	(void) put_query((Node *) own, &(StandIn){name, query});
}

/* ---- planning ---- */

static void
require_same_rights(const TlvQuery *query)
{
	Oid user;
	int security;

	GetUserIdAndSecContext(&user, &security);
	if (user != query->user || security != query->security || row_security != query->row_security)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the role or row_security has changed while the query was run")));
}

static Query *
statement_query(TlvStatement *statement)
{
	TlvQuery *query = statement->query;
	Query *own = TlvAnalyseStatement(statement);

	if (query->held == NULL)
		TlvPutQuery(own, "tensorlv query",
					statement->part != NULL ? statement->part : query->query);
	AcquireRewriteLocks(own, true, false);
	/* Positions are those in the caller's text: no part of ours is meant. */
	own->stmt_location = -1;
	own->stmt_len = 0;
	return linitial_node(Query, QueryRewrite(own));
}

/*
 * Arrays of long rows are stored out of line: their table looks small, and the planner would not
 * give it workers, however much a row costs.  Only where nobody has chosen a size, and only while
 * this statement is planned: until AtEOXact_GUC, as after an error.  Returns 0 where nothing is
 * set.
 */
static int
begin_small_scan(void)
{
	int level;

	if (min_parallel_table_scan_size != USUAL_SCAN_SIZE)
		return 0;
	level = NewGUCNestLevel();
	(void) set_config_option("min_parallel_table_scan_size", "0", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	return level;
}

static PlannedStmt *
plan_once(TlvStatement *statement)
{
	int level = statement->small_scan ? begin_small_scan() : 0;
	PlannedStmt *plan = pg_plan_query(statement_query(statement), statement->query->text,
									  CURSOR_OPT_PARALLEL_OK, NULL);

	if (level > 0)
		AtEOXact_GUC(true, level);
	/* Compiling each of many passes costs more than the expressions in them take. */
	plan->jitFlags = PGJIT_NONE;
	if (!CommandIsReadOnly(plan))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("%s is not allowed in a non-volatile function",
							   CreateCommandName((Node *) plan))));
	return plan;
}

/* Workers have a memory of their own, in which a reference would point to anything. */
static PlannedStmt *
plan_statement(TlvStatement *statement)
{
	PlannedStmt *plan;

	statement->by_reference = true;
	plan = plan_once(statement);
	if (!plan->parallelModeNeeded || !TlvStatementHolds(statement))
		return plan;
	statement->by_reference = false;
	return plan_once(statement);
}

/* ---- what a plan says ---- */

void
TlvStatementExpects(TlvStatement *statement, TlvExpected *expected)
{
	MemoryContext caller = CurrentMemoryContext, mcxt;
	PlannedStmt *plan;

	mcxt = AllocSetContextCreate(caller, "tensorlv estimate", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(mcxt);
	PushActiveSnapshot(GetActiveSnapshot());
	plan = plan_statement(statement);
	PopActiveSnapshot();
	expected->rows = TlvPlanReadsForeignTables(plan) || TlvPlanReadsElsewhere(plan->planTree)
						 ? DBL_MAX
						 : plan->planTree->plan_rows;
	expected->most_rows = TlvPlanMostRows(plan, plan->planTree);
	expected->width = plan->planTree->plan_width;
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(mcxt);
}

/* A statement that one server answers as a whole is a scan at the top.  Only a hook of the planner
 * makes such plans. */
bool
TlvStatementIsSplit(TlvStatement *statement)
{
	MemoryContext caller = CurrentMemoryContext, mcxt;
	const Plan *plan;
	bool split;

	if (!TlvPlannerIsHooked())
		return false;
	mcxt = AllocSetContextCreate(caller, "tensorlv estimate", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(mcxt);
	PushActiveSnapshot(GetActiveSnapshot());
	plan = plan_statement(statement)->planTree;
	split = TlvPlanReadsElsewhere(plan) && !TlvPlanIsRemoteScan(plan);
	PopActiveSnapshot();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(mcxt);
	return split;
}

/* ---- running ---- */

typedef struct StatementReceiver
{
	DestReceiver pub;
	const TlvStatement *statement;
	int n;
	const Oid *types;
	TlvTakeRow take;
	void *argument;
	MemoryContext mcxt; /* of the caller */
	MemoryContext pass; /* NULL, or above all states, which go before the one row is copied */
} StatementReceiver;

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc desc)
{
	StatementReceiver *receiver = (StatementReceiver *) self;
	bool same = desc->natts == receiver->n;

	for (int i = 0; same && i < receiver->n; i++)
		same = TupleDescAttr(desc, i)->atttypid == receiver->types[i];
	if (!same)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("a pass returns columns of other types than it should")));
}

/* From 16 on an aggregate without a final function returns its state, which is copied as it is. */
static bool
any_live_state(TupleTableSlot *slot)
{
	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
		if (!slot->tts_isnull[i] && !TupleDescAttr(slot->tts_tupleDescriptor, i)->attbyval &&
			VARATT_IS_EXTERNAL_EXPANDED((struct varlena *) DatumGetPointer(slot->tts_values[i])))
			return true;
	return false;
}

static bool
receiver_take(TupleTableSlot *slot, DestReceiver *self)
{
	StatementReceiver *receiver = (StatementReceiver *) self;
	MemoryContext before = MemoryContextSwitchTo(receiver->mcxt);

	slot_getallattrs(slot);
	if (receiver->pass != NULL && !any_live_state(slot))
		TlvDropStates(receiver->pass);
	receiver->take(receiver->argument, slot);
	MemoryContextSwitchTo(before);
	return !receiver->statement->enough;
}

static void
receiver_nothing(DestReceiver *self)
{
}

/*
 * The store in which the parameters wait for their use is made when the executor starts, and goes
 * to a temporary file, in each of many passes, where they exceed work_mem, although they are in
 * memory anyway.  Until AtEOXact_GUC, as after an error; 0 where there is room.
 */
static int
begin_room_for_parameters(const TlvStatement *statement)
{
	/* Parameters shorter than this, in kB, have room in any work_mem. */
	const int parameters_long = 16;
	double kilobytes = work_mem + TlvStatementParametersSize(statement) / 1024,
		   most = MAX_KILOBYTES;
	int level;

	if (kilobytes < work_mem + parameters_long)
		return 0;
	level = NewGUCNestLevel();
	(void) set_config_option("work_mem", psprintf("%.0f", Min(kilobytes, most)), PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return level;
}

static void
execute_plan(TlvStatement *statement, PlannedStmt *plan, DestReceiver *receiver)
{
	TlvQuery *query = statement->query;
	int level = begin_room_for_parameters(statement);
	QueryDesc *desc;

	desc = CreateQueryDesc(plan, TlvMarkedText(query->text), GetActiveSnapshot(), InvalidSnapshot,
						   receiver, NULL, query->environment, 0);
	ExecutorStart(desc, 0);
	if (level > 0)
		AtEOXact_GUC(true, level);
#if PG_VERSION_NUM >= 180000
	ExecutorRun(desc, ForwardScanDirection, 0);
#else
	ExecutorRun(desc, ForwardScanDirection, 0, true);
#endif
	ExecutorFinish(desc);
	ExecutorEnd(desc);
	FreeQueryDesc(desc);
}

/* An error's position is in the caller's text, and so is the error, unless it is in what we do. */
static void
statement_context(void *argument)
{
	const TlvQuery *query = argument;

	TlvQueryPosition(query->text);
	errcontext("reading the rows of \"%s\"", query->text);
}

/* False, and nothing run, when it was to be shipped and cannot be. */
static bool
plan_and_execute(TlvStatement *statement, DestReceiver *receiver)
{
	PlannedStmt *plan = plan_statement(statement);

	require_same_rights(statement->query); /* planning may call functions, too */
	if (statement->shipped && (TlvPlanFetches(plan->planTree) || TlvAnyPlanFetches(plan->subplans)))
		return false;
	statement->foreign = TlvPlanReadsForeignTables(plan);
	statement->elsewhere = statement->foreign || TlvPlanReadsElsewhere(plan->planTree);
	execute_plan(statement, plan, receiver);
	return true;
}

/* Runs the statement over rows of the caller's, or over those that were stored of them. */
static bool
statement_read_rows(TlvStatement *statement, DestReceiver *receiver)
{
	TlvQuery *query = statement->query;
	volatile bool again = query->read && query->store == NULL && query->held == NULL;
	volatile bool run;

	if (again)
		TlvRepeatBegin();
	PG_TRY();
	{
		run = plan_and_execute(statement, receiver);
	}
	PG_FINALLY();
	{
		if (again)
			TlvRepeatEnd();
	}
	PG_END_TRY();
	return run;
}

bool
TlvStatementRun(TlvStatement *statement, int n, const Oid *types, TlvTakeRow take, void *argument)
{
	TlvQuery *query = statement->query;
	MemoryContext caller = CurrentMemoryContext, mcxt;
	StatementReceiver receiver = {.pub = {.receiveSlot = receiver_take,
										  .rStartup = receiver_startup,
										  .rShutdown = receiver_nothing,
										  .rDestroy = receiver_nothing,
										  .mydest = DestNone},
								  .statement = statement,
								  .n = n,
								  .types = types,
								  .take = take,
								  .argument = argument,
								  .mcxt = caller};
	ErrorContextCallback callback = {error_context_stack, statement_context, query};
	bool run;

	CHECK_FOR_INTERRUPTS();
	require_same_rights(query);
	mcxt = AllocSetContextCreate(query->mcxt, "tensorlv pass", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(mcxt);
	TlvBeginHolding(statement);
	if (statement->single)
		receiver.pass = mcxt;
	error_context_stack = &callback;
	PushActiveSnapshot(GetActiveSnapshot());
	run = statement_read_rows(statement, &receiver.pub);
	PopActiveSnapshot();
	error_context_stack = callback.previous;
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(mcxt);
	return run;
}

/* ---- storing ---- */

typedef struct StoredRows
{
	TlvStatement *statement;
	Tuplestorestate *store;
	double bytes, most; /* 0: no bound */
	const Oid *arrays;	/* TlvQueryArrays */
	TlvNulls *nulls;	/* of the columns, counted; NULL: they are not */
} StoredRows;

/* Of its values, as another server has sent them or would have to. */
static double
slot_bytes(const TupleTableSlot *slot)
{
	double bytes = 0;

	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		int length = TupleDescAttr(slot->tts_tupleDescriptor, i)->attlen;

		if (!slot->tts_isnull[i])
			bytes += length >= 0 ? length : VARSIZE_ANY(DatumGetPointer(slot->tts_values[i]));
	}
	return bytes;
}

static void
count_null(TlvNulls *nulls, Oid array_type, Datum value, bool null)
{
	ArrayType *array;

	nulls->rows += null;
	if (null || !OidIsValid(array_type))
		return;
	array = DatumGetArrayTypeP(value);
	if (array_contains_nulls(array) && nulls->within++ == 0)
		nulls->example = DatumGetArrayTypePCopy(value);
	if ((Pointer) array != DatumGetPointer(value))
		pfree(array);
}

static void
store_row(void *argument, TupleTableSlot *slot)
{
	StoredRows *rows = argument;

	tuplestore_puttupleslot(rows->store, slot);
	for (int i = 0; rows->nulls != NULL && i < slot->tts_tupleDescriptor->natts; i++)
		count_null(&rows->nulls[i], rows->arrays[i], slot->tts_values[i], slot->tts_isnull[i]);
	rows->bytes += rows->most > 0 ? slot_bytes(slot) : 0;
	rows->statement->enough = rows->bytes > rows->most;
}

/* "tensorlv rows" are those of the store from now on. */
static void
query_keep(TlvQuery *query, Tuplestorestate *store, int n, const char *const *names,
		   const Oid *types)
{
	TupleDesc desc;

	if (query->store == NULL)
	{
		desc = CreateTemplateTupleDesc(n);
		for (int i = 0; i < n; i++)
			TupleDescInitEntry(desc, (AttrNumber) (i + 1), names[i], types[i], -1, 0);
		TlvQueryRegister(query, "tensorlv rows", desc, store);
	}
	else
	{
		tuplestore_end(query->store);
		get_ENR(query->environment, "tensorlv rows")->reldata = store;
	}
	query->store = store;
}

bool
TlvStatementStore(TlvStatement *statement, int n, const char *const *names, const Oid *types,
				  double most)
{
	TlvQuery *query = statement->query;
	MemoryContext caller = MemoryContextSwitchTo(query->mcxt);
	StoredRows rows = {.statement = statement,
					   .store = tuplestore_begin_heap(true, false, work_mem),
					   .most = most};

	(void) TlvStatementRun(statement, n, types, store_row, &rows);
	query->read |= !statement->enough;
	if (statement->enough)
		tuplestore_end(rows.store);
	else
		query_keep(query, rows.store, n, names, types);
	MemoryContextSwitchTo(caller);
	return !statement->enough;
}

static const Oid *
query_arrays(TlvQuery *query, TupleDesc desc)
{
	Oid *arrays = MemoryContextAllocZero(query->mcxt, ((Size) desc->natts + 1) * sizeof(Oid));
	Oid bag = TlvQueryType(query, "tlv_bag");

	for (int i = 0; i < desc->natts; i++)
	{
		Oid element = get_element_type(TlvColumnType(desc, i));

		if (OidIsValid(element) && element != bag)
			arrays[i] = TlvIsNumberType(getBaseType(element)) ? FLOAT8ARRAYOID : TEXTARRAYOID;
	}
	return query->arrays = arrays;
}

const Oid *
TlvQueryArrays(TlvQuery *query)
{
	return query->arrays != NULL ? query->arrays : query_arrays(query, query->desc);
}

void
TlvQueryHold(TlvQuery *query)
{
	MemoryContext caller = MemoryContextSwitchTo(query->mcxt);
	EphemeralNamedRelation rows = get_ENR(query->environment, "tensorlv query");
	TupleDesc desc = rows->md.tupdesc; /* a column more than readers see where there are weights */
	int n = desc->natts;
	Oid *types = palloc((Size) n * sizeof(Oid));
	Tuplestorestate *held = tuplestore_begin_heap(true, false, work_mem);
	TlvStatement statement;
	StoredRows stored = {
		.statement = &statement, .store = held, .arrays = query_arrays(query, desc)};

	query->nulls = stored.nulls = palloc0((Size) Max(n, 1) * sizeof(TlvNulls));
	for (int i = 0; i < n; i++)
		types[i] = TupleDescAttr(desc, i)->atttypid;
	TlvStatementBegin(&statement, query);
	appendStringInfoString(&statement.sql, "SELECT * FROM " TLV_QUERY_ROWS);
	(void) TlvStatementRun(&statement, n, types, store_row, &stored);
	rows->reldata = query->held = held;
	rows->md.enrtuples = (double) tuplestore_tuple_count(held);
	MemoryContextSwitchTo(caller);
}

void
TlvQueryRelease(TlvQuery *query)
{
	if (query->held == NULL)
		return;
	tuplestore_end(query->held);
	get_ENR(query->environment, "tensorlv query")->reldata = query->held = NULL;
}
