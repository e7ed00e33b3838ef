/*
 * gather.c - the filter of an aggregate that adds rows to the aggregate's state itself.
 *
 * Citus calls the transition function of an aggregate through one of its own.  That one looks the
 * function up and takes a record of the arguments, with a copy of the constant, for every row,
 * which costs more than a short row does.  There the aggregates of a pass have a filter,
 * tlv_gather: it lets through the first row alone, which begins the state, and adds all later rows
 * to this state.
 */
#include "rows/any.h"

#include "catalog/pg_type.h"
#include "lib/ilist.h"
#include "nodes/execnodes.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* A call site of tlv_gather, in the memory of its plan. */
typedef struct GatherSite
{
	dlist_node node; /* of all that live */
	char *aggregate; /* the first argument: its name */
	/* Where the row was let through: the aggregate's transition function is called in it. */
	MemoryContext row;
	TlvExpanded *state; /* NULL: none has begun, or it has ended */
	const TlvTransition *transition;
	FmgrInfo function;	   /* that of the call, but what readers keep of it is theirs */
	FunctionCallInfo call; /* the arguments, the first of which stands for the state */
	MemoryContextCallback callback;
} GatherSite;

static dlist_head gathers = DLIST_STATIC_INIT(gathers);

/* That which has just let a row through; NULL: none. */
static GatherSite *waiting = NULL;

/* The plan is gone. */
static void
gather_end(void *argument)
{
	GatherSite *gather = argument;

	dlist_delete(&gather->node);
	if (waiting == gather)
		waiting = NULL;
}

/* The states of an aggregate context are gone: the next row begins another one. */
static void
states_end(void *shared)
{
	dlist_iter at;

	dlist_foreach(at, &gathers)
	{
		GatherSite *gather = dlist_container(GatherSite, node, at.cur);

		if (gather->state != NULL && gather->state->shared == shared)
			gather->state = NULL;
	}
}

static GatherSite *
gather_of(FunctionCallInfo fcinfo)
{
	MemoryContext mcxt = fcinfo->flinfo->fn_mcxt;
	GatherSite *gather = fcinfo->flinfo->fn_extra;

	if (gather != NULL)
		return gather;
	if (PG_ARGISNULL(0))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("the name of the aggregate must not be null")));
	gather = MemoryContextAllocZero(mcxt, sizeof(GatherSite));
	gather->aggregate = MemoryContextStrdup(mcxt, text_to_cstring(PG_GETARG_TEXT_PP(0)));
	gather->function = *fcinfo->flinfo;
	gather->function.fn_extra = NULL;
	gather->call = MemoryContextAllocZero(mcxt, SizeForFunctionCallInfo(PG_NARGS()));
	InitFunctionCallInfoData(*gather->call, &gather->function, PG_NARGS(), PG_GET_COLLATION(), NULL,
							 NULL);
	gather->callback.func = gather_end;
	gather->callback.arg = gather;
	MemoryContextRegisterResetCallback(mcxt, &gather->callback);
	dlist_push_head(&gathers, &gather->node);
	fcinfo->flinfo->fn_extra = gather;
	return gather;
}

/* Of groups, and of several sets of none, there is no telling which one a row is of. */
static void
require_no_groups(FunctionCallInfo fcinfo)
{
	const AggState *state = (AggState *) fcinfo->context;
	bool plain = IsA(state, AggState) && state->aggstrategy == AGG_PLAIN;

	if (!plain || ((Agg *) state->ss.ps.plan)->groupingSets != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("tlv_gather is a filter of aggregates without GROUP BY and without OVER")));
}

static bool
expression_holds(Node *expression, void *call)
{
	return expression == call ||
		   (expression != NULL && expression_tree_walker(expression, expression_holds, call));
}

/* Is the call in the filter of this aggregate, which is not NULL then?  Ordered rows come to it
 * later before version 16 of the server, and at once from there on, with more arguments. */
static bool
is_filter_of(const GatherSite *gather, const Aggref *aggregate)
{
	return aggregate != NULL && aggregate->aggorder == NIL && aggregate->aggdistinct == NIL &&
		   gather->function.fn_expr != NULL &&
		   expression_holds((Node *) aggregate->aggfilter, gather->function.fn_expr);
}

/*
 * Does nothing that is computed after the call reject its row?  Conditions that are joined with it
 * by AND or OR are evaluated in any order, so that rows could be added which they reject.  CASE has
 * an order.
 */
static bool
call_decides(Node *filter, void *call)
{
	CaseExpr *cases = (CaseExpr *) filter;
	ListCell *cell;

	if (filter == call)
		return true;
	if (!expression_holds(filter, call))
		return true;
	if (!IsA(filter, CaseExpr) || expression_holds((Node *) cases->arg, call))
		return false;
	foreach (cell, cases->args)
	{
		CaseWhen *when = lfirst_node(CaseWhen, cell);

		if (expression_holds((Node *) when->expr, call) ||
			!call_decides((Node *) when->result, call))
			return false;
	}
	return call_decides((Node *) cases->defresult, call);
}

static void
require_no_conditions(const GatherSite *gather, const Aggref *aggregate)
{
	if (!call_decides((Node *) aggregate->aggfilter, gather->function.fn_expr))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("tlv_gather must be the only condition of the filter"),
						errhint("Write the other conditions into the WHERE of the query, or into a "
								"CASE around it.")));
}

/* Whatever is no column is read of the first row alone. */
static void
require_constant(Node *argument, int number, const TlvTransition *transition)
{
	int columns = transition->row - 1 + transition->reader->arguments;

	if (number > columns && (contain_var_clause(argument) || contain_volatile_functions(argument)))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("argument %d of %s is not the same for all rows", number,
							   transition->aggregate->name),
						errhint("Leave tlv_gather away.")));
}

/* An engine's own aggregate has that of the aggregate that it calls before the arguments, which are
 * the fields of a record where there are several. */
static void
require_constants(FunctionCallInfo fcinfo, const Aggref *aggregate, const TlvTransition *transition)
{
	bool own = TlvIsTransitionOf(fcinfo->flinfo->fn_oid, aggregate->aggfnoid);
	int number = own ? 1 : 0;
	ListCell *cell, *field;

	foreach (cell, aggregate->args)
	{
		Node *argument = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (own || !IsA(argument, RowExpr))
			require_constant(argument, number++, transition);
		else
			foreach (field, ((RowExpr *) argument)->args)
				require_constant(lfirst(field), number++, transition);
	}
}

/* The same aggregate has several names in SQL: that of its statistic is the one to give. */
static void
require_name(const GatherSite *gather, const TlvTransition *transition)
{
	if (strcmp(gather->aggregate, transition->aggregate->name) != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("tlv_gather of \"%s\" is the filter of %s", gather->aggregate,
							   transition->aggregate->name),
						errhint("Write tlv_gather('%s', ...).", transition->aggregate->name)));
}

/* The reader takes the arguments for those of the transition function. */
static void
require_arguments(const GatherSite *gather, FunctionCallInfo fcinfo,
				  const TlvTransition *transition)
{
	int n = transition->reader->arguments;
	bool same = gather->call->nargs == transition->row + n;

	for (int i = 0; same && i < n; i++)
	{
		int argument = transition->row + i;
		Oid declared = TlvAnyDeclared(fcinfo, argument);
		Oid given = get_fn_expr_argtype(gather->call->flinfo, argument);

		same = declared == ANYOID || declared == getBaseType(given);
	}
	if (!same)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("tlv_gather is called with other columns than %s",
							   transition->aggregate->name),
						errdetail("Its arguments are the name of the aggregate and the columns of "
								  "the aggregate, in their order and of their types.")));
}

void
TlvGatherBegins(FunctionCallInfo fcinfo, const TlvTransition *transition, TlvExpanded *state)
{
	GatherSite *gather = waiting;
	Aggref *aggregate;
	MemoryContextCallback *callback;

	if (gather == NULL || gather->row != CurrentMemoryContext)
		return;
	require_no_groups(fcinfo);
	aggregate = AggGetAggref(fcinfo);
	if (!is_filter_of(gather, aggregate))
		return;
	require_name(gather, transition);
	require_no_conditions(gather, aggregate);
	require_constants(fcinfo, aggregate, transition);
	require_arguments(gather, fcinfo, transition);
	waiting = NULL;
	callback = MemoryContextAlloc(state->shared->mcxt, sizeof(MemoryContextCallback));
	callback->func = states_end;
	callback->arg = state->shared;
	MemoryContextRegisterResetCallback(state->shared->mcxt, callback);
	gather->state = state;
	gather->transition = transition;
}

/* The aggregate has skipped the row, since a constant is NULL: the next one is let through, too. */
void
TlvGatherSkips(FunctionCallInfo fcinfo)
{
	if (waiting != NULL && is_filter_of(waiting, AggGetAggref(fcinfo)))
		waiting = NULL;
}

/* tlv_gather(aggregate, row...): true, and the aggregate has the row, or false, and it is added to
 * the aggregate's state. */
TLV_FUNCTION(tlv_gather)
{
	GatherSite *gather = gather_of(fcinfo);

	if (gather->state == NULL)
	{
		if (waiting == gather)
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no aggregate \"%s\" has this tlv_gather as its filter", gather->aggregate),
				 errdetail("Aggregates of rows without ORDER BY and DISTINCT have such a "
						   "filter, tlv_bag_agg and aggregates of values have none."),
				 errhint("Leave tlv_gather away.")));
		gather->row = CurrentMemoryContext;
		waiting = gather;
		PG_RETURN_BOOL(true);
	}
	memcpy(gather->call->args, fcinfo->args, PG_NARGS() * sizeof(NullableDatum));
	TlvAddRows(gather->call, gather->transition, TlvExpandedGet(TlvExpandedDatum(gather->state)));
	PG_RETURN_BOOL(false);
}
