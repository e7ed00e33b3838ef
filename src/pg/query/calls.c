/*
 * calls.c - what statements of ours call (query.h).
 *
 * The parser knows functions by their names only, and whoever may create functions in the
 * extension's schema can add others of these names: with an argument more that has a default, and a
 * call has no unique meaning.  So calls of the extension's functions are taken out of the raw
 * statement, and a hook of the parser puts them in where the types of their arguments are known, by
 * exact signature.  Parameters come in the same way, as constants (parameters.c): what is planned
 * has none, here or on another server.
 */
#include "query.h"

#include "catalog/dependency.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "parser/parse_agg.h"
#include "parser/parse_clause.h"
#include "parser/parse_coerce.h"
#include "parser/parse_expr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "query_internal.h"

/* A function that the statement may call. */
typedef struct StatementCall
{
	const char *name;
	Oid function;
	Oid result;
	oidvector *types;
} StatementCall;

void
TlvStatementBegin(TlvStatement *statement, TlvQuery *query)
{
	memset(statement, 0, sizeof(*statement));
	statement->query = query;
	initStringInfo(&statement->sql);
}

void
TlvStatementLike(TlvStatement *statement, const TlvStatement *other)
{
	TlvStatementBegin(statement, other->query);
	statement->calls = list_copy(other->calls);
	statement->casts = list_copy(other->casts);
	statement->parameters = list_copy(other->parameters);
}

/* ---- what it may call ---- */

/* The function of that name and exactly these arguments; invalid: there is none.  A schema's owner
 * may add functions of our names; only the extension's members are ours. */
static Oid
find_member(const TlvQuery *query, const char *name, const oidvector *types)
{
	Oid function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
								   PointerGetDatum(types), ObjectIdGetDatum(query->namespace));

	if (OidIsValid(function) &&
		getExtensionOfObject(ProcedureRelationId, function) != query->extension)
		return InvalidOid;
	return function;
}

/* That of rows of any types, behind an argument of another one: its last argument is VARIADIC
 * "any". */
static Oid
find_variadic_member(const TlvQuery *query, const char *name, const oidvector *types)
{
	Oid function = find_member(query, name, buildoidvector((Oid[]){types->values[0], ANYOID}, 2));

	return OidIsValid(function) && get_func_variadictype(function) == ANYOID ? function
																			 : InvalidOid;
}

/* An aggregate of rows of any type has another name where it declares their types, which engines
 * that take aggregates apart compare: "any" is sent to none of them. */
const char *
TlvStatementCall(TlvStatement *statement, const char *name, int n, const Oid *types, Oid *result)
{
	const TlvQuery *query = statement->query;
	StatementCall *call = palloc(sizeof(StatementCall));

	call->name = name;
	call->types = buildoidvector(types, n);
	call->function = find_member(query, name, call->types);
	if (!OidIsValid(call->function))
		call->function = find_variadic_member(query, name, call->types);
	if (!OidIsValid(call->function))
	{
		call->name = psprintf("%s_typed", name);
		call->function = find_member(query, call->name, call->types);
	}
	if (!OidIsValid(call->function))
		TlvRaiseMismatch("function %s of %d arguments is missing", name, n);
	call->result = get_func_rettype(call->function);
	statement->calls = lappend(statement->calls, call);
	if (result != NULL)
		*result = call->result;
	return call->name;
}

/* Is the function written by the caller, or by somebody who may do everything anyway? */
static bool
is_trusted_function(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		TlvRaiseDropped(function);
	owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	ReleaseSysCache(tuple);
	return owner == GetUserId() || superuser_arg(owner);
}

void
TlvRequireTrustedCast(Oid from, Oid to, Oid function)
{
	if (!is_trusted_function(function))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the cast from %s to %s is somebody else's function, %s",
						format_type_be(from), format_type_be(to), format_procedure(function)),
				 errhint("Cast in the query, if that function may run with your rights.")));
}

Oid
TlvTrustedCast(Oid from, Oid to)
{
	Oid function = InvalidOid;
	bool is_varlena;

	switch (find_coercion_pathway(to, getBaseType(from), COERCION_EXPLICIT, &function))
	{
		case COERCION_PATH_FUNC:
			break;
		case COERCION_PATH_COERCEVIAIO:
			getTypeOutputInfo(getBaseType(from), &function, &is_varlena);
			break;
		default:
			return InvalidOid;
	}
	TlvRequireTrustedCast(from, to, function);
	return function;
}

void
TlvStatementAllowCast(TlvStatement *statement, Oid from, Oid to)
{
	Oid function = TlvTrustedCast(from, to);

	if (OidIsValid(function))
		statement->casts = list_append_unique_oid(statement->casts, function);
}

static bool
any_volatile(const List *functions)
{
	ListCell *cell;

	foreach (cell, functions)
		if (func_volatile(lfirst_oid(cell)) == PROVOLATILE_VOLATILE)
			return true;
	return false;
}

bool
TlvStatementIsVolatile(const TlvStatement *statement)
{
	return any_volatile(statement->casts) || any_volatile(statement->query->casts);
}

/* Is it one of the extension's that the statement may call? */
static bool
is_call(const TlvStatement *statement, Oid function)
{
	ListCell *cell;

	foreach (cell, statement->calls)
		if (((const StatementCall *) lfirst(cell))->function == function)
			return true;
	return false;
}

static bool
is_strange_function(Oid function, void *context)
{
	const TlvStatement *statement = context;

	if (function < FirstNormalObjectId || list_member_oid(statement->casts, function) ||
		list_member_oid(statement->query->casts, function) || is_call(statement, function))
		return false;
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("a function of somebody else's, %s, has come in where tensorlv "
						   "calls one of its own or of the server's",
						   format_procedure(function))));
	pg_unreachable();
}

/* Nothing on its own levels that is not ours or the server's, whatever the parser has found. */
static bool
refuse_strange(Node *node, void *statement)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, refuse_strange, statement,
								 QTW_EXAMINE_RTES_BEFORE);
	if (IsA(node, RangeTblEntry))
	{
		if (((RangeTblEntry *) node)->rtekind == RTE_RELATION)
			elog(ERROR, "a pass reads a table by name");
		return false;
	}
	(void) check_functions_in_node(node, is_strange_function, statement);
	return expression_tree_walker(node, refuse_strange, statement);
}

/* ---- calls, taken out and put in ---- */

/* What the parser is given and gives back. */
typedef struct CallsTaken
{
	const TlvStatement *statement;
	List *calls; /* FuncCall, of which each left a ParamRef of number -1, -2, ... */
} CallsTaken;

static bool
is_name_of_call(const TlvStatement *statement, const FuncCall *call)
{
	const char *name = strVal(llast(call->funcname));
	ListCell *cell;

	if (list_length(call->funcname) == 1)
		foreach (cell, statement->calls)
			if (strcmp(((const StatementCall *) lfirst(cell))->name, name) == 0)
				return true;
	return false;
}

/* The node's place in the statement stays: it becomes a parameter where it lies. */
static bool
take_calls(Node *node, void *context)
{
	CallsTaken *taken = context;

	if (node == NULL)
		return false;
	(void) raw_expression_tree_walker(node, take_calls, context);
	if (IsA(node, FuncCall) && is_name_of_call(taken->statement, (FuncCall *) node))
	{
		FuncCall *call = palloc(sizeof(FuncCall));
		ParamRef *place = (ParamRef *) node;

		StaticAssertStmt(sizeof(ParamRef) <= sizeof(FuncCall), "a call has room for a parameter");
		memcpy(call, node, sizeof(FuncCall));
		taken->calls = lappend(taken->calls, call);
		place->type = T_ParamRef;
		place->number = -list_length(taken->calls);
		place->location = -1;
	}
	return false;
}

/* The one of that name whose arguments are of exactly these types. */
static const StatementCall *
find_call(const TlvStatement *statement, const char *name, List *arguments)
{
	ListCell *cell;

	foreach (cell, statement->calls)
	{
		const StatementCall *call = lfirst(cell);
		bool same = strcmp(call->name, name) == 0 && call->types->dim1 == list_length(arguments);

		for (int i = 0; same && i < call->types->dim1; i++)
			same = exprType(list_nth(arguments, i)) == call->types->values[i];
		if (same)
			return call;
	}
	elog(ERROR, "%s is called with other types than it was looked up with", name);
	pg_unreachable();
}

static Node *
aggregate_call(ParseState *pstate, const StatementCall *call, List *arguments, const FuncCall *raw)
{
	Aggref *aggregate = makeNode(Aggref);

	aggregate->aggfnoid = call->function;
	aggregate->aggtype = call->result;
	aggregate->aggkind = AGGKIND_NORMAL;
	aggregate->aggfilter =
		(Expr *) transformWhereClause(pstate, raw->agg_filter, EXPR_KIND_FILTER, "FILTER");
	aggregate->aggsplit = AGGSPLIT_SIMPLE;
#if PG_VERSION_NUM >= 140000
	aggregate->aggno = -1;
	aggregate->aggtransno = -1;
#endif
	aggregate->location = -1;
	transformAggregateCall(pstate, aggregate, arguments, raw->agg_order, false);
	return (Node *) aggregate;
}

static Node *
put_call(ParseState *pstate, const TlvStatement *statement, const FuncCall *raw)
{
	const StatementCall *call;
	List *arguments = NIL;
	ListCell *cell;

	foreach (cell, raw->args)
		arguments = lappend(arguments, transformExpr(pstate, lfirst(cell), pstate->p_expr_kind));
	call = find_call(statement, strVal(linitial(raw->funcname)), arguments);
	if (get_func_prokind(call->function) == PROKIND_AGGREGATE)
		return aggregate_call(pstate, call, arguments, raw);
	return (Node *) makeFuncExpr(call->function, call->result, arguments, InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

static Node *
put_parameter(ParseState *pstate, ParamRef *place)
{
	const CallsTaken *taken = pstate->p_ref_hook_state;
	int n = place->number;

	if (n < 0)
		return put_call(pstate, taken->statement, list_nth(taken->calls, -n - 1));
	return (Node *) TlvParameterConstant(taken->statement, n);
}

/* ---- analysis ---- */

static void
set_up_parser(ParseState *pstate, void *taken)
{
	pstate->p_paramref_hook = put_parameter;
	pstate->p_ref_hook_state = taken;
}

static Query *
analyse_taken(RawStmt *raw, const TlvStatement *statement, CallsTaken *taken)
{
	const char *sql = statement->sql.data;
	QueryEnvironment *environment = statement->query->environment;
#if PG_VERSION_NUM >= 150000
	return parse_analyze_withcb(raw, sql, set_up_parser, taken, environment);
#else
	ParseState *pstate = make_parsestate(NULL);
	Query *query;

	pstate->p_sourcetext = sql;
	pstate->p_queryEnv = environment;
	set_up_parser(pstate, taken);
	query = transformTopLevelStmt(pstate, raw);
	free_parsestate(pstate);
	return query;
#endif
}

/*
 * What we call compares no texts by their collations.  Without one, a call with a text constant may
 * be sent to another server, which need not know the collation.
 */
static bool
forget_collations(Node *node, void *statement)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, forget_collations, statement, 0);
	if (IsA(node, Aggref) && is_call(statement, ((Aggref *) node)->aggfnoid))
		((Aggref *) node)->inputcollid = InvalidOid;
	if (IsA(node, FuncExpr) && is_call(statement, ((FuncExpr *) node)->funcid))
		((FuncExpr *) node)->inputcollid = InvalidOid;
	return expression_tree_walker(node, forget_collations, statement);
}

/* Positions in our text are nothing to the caller, who would look for them in his own. */
static void
forget_position(void *argument)
{
	errposition(0);
}

Query *
TlvAnalyseStatement(TlvStatement *statement)
{
	ErrorContextCallback callback = {error_context_stack, forget_position, NULL};
	RawStmt *raw = linitial_node(RawStmt, TlvParse(statement->sql.data));
	CallsTaken taken = {statement, NIL};
	Query *own;

	error_context_stack = &callback;
	(void) take_calls(raw->stmt, &taken);
	own = analyse_taken(raw, statement, &taken);
	error_context_stack = callback.previous;
	(void) refuse_strange((Node *) own, statement);
	(void) forget_collations((Node *) own, statement);
	return own;
}
