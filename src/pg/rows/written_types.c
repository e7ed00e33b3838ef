/*
 * written_types.c - types of arguments as the caller wrote them, before implicit casts to the types
 * that a function declares (any.h).
 */
#include "any.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/execnodes.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "query/query.h"

/* The base type of an argument as the caller wrote it, before an implicit cast. */
static Oid
base_as_written(FunctionCallInfo fcinfo, int argument)
{
	Node *call = fcinfo->flinfo->fn_expr;
	Node *written = call != NULL && IsA(call, FuncExpr)
						? strip_implicit_coercions(list_nth(((FuncExpr *) call)->args, argument))
						: NULL;

	return getBaseType(written != NULL ? exprType(written) : TlvAnyDeclared(fcinfo, argument));
}

void
TlvIdType(FunctionCallInfo fcinfo, int argument, MemoryContext mcxt, AnyType *type)
{
	bool text = TlvAnyDeclared(fcinfo, argument) == TEXTOID;

	TlvAnyType(text ? TEXTOID : TlvAnyArgument(fcinfo, argument), PG_GET_COLLATION(), mcxt, type);
	if (text)
		type->equality = TlvEqualityOf(base_as_written(fcinfo, argument), PG_GET_COLLATION(), mcxt);
}

/* ---- texts that are compared by their bytes ---- */

bool
TlvIsTransitionOf(Oid function, Oid aggregate)
{
	HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	Form_pg_aggregate form;
	bool is;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_aggregate) GETSTRUCT(tuple);
	is = form->aggtransfn == function || form->aggmtransfn == function ||
		 form->aggminvtransfn == function;
	ReleaseSysCache(tuple);
	return is;
}

/*
 * The type of the expression without its implicit casts, and without the domain that it is over.
 * The planner joins x::text COLLATE "C" to one cast, which it marks as implicit: only the collation
 * tells it from the implicit cast of x.
 */
static Oid
written_type(Node *expression)
{
	Node *written = strip_implicit_coercions(expression);

	if (exprCollation(written) != exprCollation(expression))
		written = expression;
	return getBaseType(exprType(written));
}

/* split: an engine that takes the aggregate apart, whose record of arguments takes no COLLATE. */
static void
refuse_spellings(Oid function, Oid type, Oid element, Oid collation, bool split)
{
	bool array = OidIsValid(element), text = TlvIsTextType(array ? element : type);
	const char *spelled = text ? psprintf("collation \"%s\"", get_collation_name(collation))
							   : format_type_be(array ? element : type);

	ereport(
		ERROR,
		(errcode(text ? ERRCODE_DATATYPE_MISMATCH : ERRCODE_INSUFFICIENT_PRIVILEGE),
		 errmsg("%s compares strings by their bytes, and several strings are equal under %s",
				get_func_name(function), spelled),
		 split && !array ? errhint("Use an expression of type text in the place of x, for example "
								   "lower(x::text), or x::text || '' to compare bytes.")
		 : array ? errhint("Use x::text[] COLLATE \"C\" in the place of an array x to compare "
						   "bytes, or the function of a query, which compares by that equality.")
				 : errhint("Use min(x::text COLLATE \"C\") OVER (PARTITION BY x) from a subquery "
						   "in the place of x, the first spelling of each, or x::text COLLATE "
						   "\"C\" to compare bytes.")));
}

/* Refuses an argument of a type or a collation under which different strings are equal. */
static void
require_bytes(Oid function, Oid declared, Node *expression, bool split)
{
	Oid collation = exprCollation(expression), type, element;

	if (declared != TEXTOID && declared != TEXTARRAYOID)
		return;
	type = written_type(expression);
	element = declared == TEXTARRAYOID ? get_base_element_type(type) : InvalidOid;
	if (OidIsValid(element))
		element = getBaseType(element);
	if (TlvHasSpellings(OidIsValid(element) ? element : type, collation))
		refuse_spellings(function, type, element, collation, split);
}

static Node *
argument_expression(Node *argument)
{
	return IsA(argument, TargetEntry) ? (Node *) ((TargetEntry *) argument)->expr : argument;
}

/* The arguments of a call of that function, of which the first is argument `at` of ours, as those
 * of an aggregate come after the state in its transition function; any: those that are declared
 * "any" are strings as well. */
static void
require_bytes_of_arguments(FunctionCallInfo fcinfo, Oid function, List *arguments, int at, bool any)
{
	ListCell *cell;

	foreach (cell, arguments)
	{
		if (at >= PG_NARGS())
			return;
		require_bytes(function, any ? TEXTOID : TlvAnyDeclared(fcinfo, at),
					  argument_expression(lfirst(cell)), false);
		at++;
	}
}

/* An argument without casts that change neither its bytes nor its collation. */
static Node *
uncast_argument(Node *argument)
{
	while (IsA(argument, RelabelType) &&
		   exprCollation((Node *) ((RelabelType *) argument)->arg) == exprCollation(argument))
		argument = (Node *) ((RelabelType *) argument)->arg;
	return argument;
}

static void
require_bytes_of_split(Oid function, Node *written)
{
	Node *argument = uncast_argument(written);
	bool array = OidIsValid(get_base_element_type(exprType(argument)));

	require_bytes(function, array ? TEXTARRAYOID : TEXTOID, argument, true);
}

/*
 * Another aggregate calls the transition function, as engines do that take aggregates apart: it has
 * the oid of ours before the arguments, several of them as a row, of which it is not known which
 * are texts.  What such an engine sends to another server has implicit casts written out, so that
 * x::text is not the caller's word there.
 */
static void
require_bytes_of_engine(FunctionCallInfo fcinfo, List *arguments)
{
	Oid function = fcinfo->flinfo->fn_oid;
	ListCell *cell, *of_row;

	foreach (cell, arguments)
	{
		Node *argument = argument_expression(lfirst(cell));

		if (IsA(argument, Const) && exprType(argument) == OIDOID &&
			!((Const *) argument)->constisnull)
			function = DatumGetObjectId(((Const *) argument)->constvalue);
		else if (IsA(argument, RowExpr))
		{
			foreach (of_row, ((RowExpr *) argument)->args)
				require_bytes_of_split(function, lfirst(of_row));
		}
		else
			require_bytes_of_split(function, argument);
	}
}

static void
require_bytes_of_call(FunctionCallInfo fcinfo)
{
	Node *call = fcinfo->flinfo->fn_expr;

	if (call != NULL && IsA(call, FuncExpr))
		require_bytes_of_arguments(fcinfo, fcinfo->flinfo->fn_oid, ((FuncExpr *) call)->args, 0,
								   false);
}

void
TlvRequireByteEquality(FunctionCallInfo fcinfo, bool any)
{
	Aggref *aggregate;
	ListCell *cell;

	if (fcinfo->context != NULL && IsA(fcinfo->context, WindowAggState))
	{
		foreach (cell, ((WindowAggState *) fcinfo->context)->funcs)
		{
			WindowFunc *call = lfirst_node(WindowFuncExprState, cell)->wfunc;

			if (TlvIsTransitionOf(fcinfo->flinfo->fn_oid, call->winfnoid))
				require_bytes_of_arguments(fcinfo, call->winfnoid, call->args, 1, any);
		}
		return;
	}
	aggregate = AggGetAggref(fcinfo);
	if (aggregate == NULL)
		require_bytes_of_call(fcinfo);
	else if (TlvIsTransitionOf(fcinfo->flinfo->fn_oid, aggregate->aggfnoid))
		require_bytes_of_arguments(fcinfo, aggregate->aggfnoid, aggregate->args, 1, any);
	else
		require_bytes_of_engine(fcinfo, aggregate->args);
}
