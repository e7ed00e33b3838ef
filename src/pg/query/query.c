/*
 * query.c - the caller's query, analysed once (query.h).
 */
#include "query.h"

#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/analyze.h"
#include "parser/parse_coerce.h"
#include "parser/parser.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "tcop/cmdtag.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "query_internal.h"
#include "server/arrays.h"
#include "server/arguments.h"

bool
TlvIsIntegerType(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

bool
TlvIsNumberType(Oid type)
{
	return TlvIsIntegerType(type) || type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
}

bool
TlvIsTextType(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID || type == NAMEOID;
}

/* A type of ours, whatever schema the extension is in, is known by the function that reads its
 * values. */
static PGFunction
input_function(Oid type)
{
	Oid input, parameter;
	FmgrInfo function;

	if (type < FirstNormalObjectId)
		return NULL;
	getTypeInputInfo(type, &input, &parameter);
	fmgr_info(input, &function);
	return function.fn_addr;
}

bool
TlvIsFrameType(Oid type)
{
	PGFunction input = input_function(type);

	return input == tlv_moments_in || input == tlv_subspace_in || input == tlv_model_in ||
		   input == tlv_graph_in;
}

bool
TlvIsBagType(Oid type)
{
	return input_function(type) == tlv_bag_in;
}

bool
TlvIsIdType(Oid type)
{
	Oid function;

	if (TlvIsNumberType(type))
		return TlvIsIntegerType(type);
	switch (get_typtype(type))
	{
		case TYPTYPE_ENUM:
		case TYPTYPE_RANGE:
			return true;
		case TYPTYPE_BASE:
			return type != TSVECTOROID && !OidIsValid(get_element_type(type)) &&
				   !TlvIsBagType(type) && !TlvIsFrameType(type) &&
				   find_coercion_pathway(FLOAT4ARRAYOID, type, COERCION_EXPLICIT, &function) !=
					   COERCION_PATH_FUNC;
		default:
			return false;
	}
}

/* ---- parsing and analysis ---- */

void
TlvQueryPosition(const char *text)
{
	int position = geterrposition();

	if (position > 0)
	{
		errposition(0);
		internalerrposition(position);
		internalerrquery(text);
	}
}

/* Is it the name of a table rather than a query: one word, perhaps qualified or quoted? */
static bool
is_one_word(const char *text)
{
	size_t length;

	text += strspn(text, " \t\n\r");
	length = strcspn(text, " \t\n\r;");
	return length > 0 && text[length + strspn(text + length, " \t\n\r;")] == '\0';
}

static void
analysis_position(void *text)
{
	if (geterrcode() == ERRCODE_SYNTAX_ERROR && is_one_word(text))
		errhint("Give a query: SELECT ..., or TABLE and the name of a table.");
	TlvQueryPosition(text);
}

List *
TlvParse(const char *text)
{
#if PG_VERSION_NUM >= 140000
	return raw_parser(text, RAW_PARSE_DEFAULT);
#else
	return raw_parser(text);
#endif
}

static Query *
analyse_alone(RawStmt *statement, const char *text)
{
#if PG_VERSION_NUM >= 150000
	return parse_analyze_fixedparams(statement, text, NULL, 0, NULL);
#else
	return parse_analyze(statement, text, NULL, 0, NULL);
#endif
}

/* The one statement of a text, which must be a query that reads. */
static RawStmt *
single_select(List *statements, const char *what)
{
	RawStmt *statement;

	if (statements == NIL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the query is empty"),
						errhint("Give one SELECT as the query.")));
	if (list_length(statements) > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%d statements are given, not one query", list_length(statements)),
						errhint("Give one SELECT as the query.")));
	statement = linitial_node(RawStmt, statements);
	if (!IsA(statement->stmt, SelectStmt))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s is not a query that reads %s",
							   GetCommandTagName(CreateCommandTag(statement->stmt)), what),
						errhint("Use SELECT, VALUES, TABLE or WITH ... SELECT.")));
	return statement;
}

/* The text of a statement, without the semicolon and the comments that may follow it; "--" may
 * begin a comment at its end. */
static char *
statement_text(const RawStmt *statement, const char *text)
{
	const char *from = text + Max(statement->stmt_location, 0);
	size_t length = statement->stmt_len > 0 ? (size_t) statement->stmt_len : strlen(from);

	while (length > 0 && strchr(" \t\n\r", from[length - 1]) != NULL)
		length--;
	return pnstrdup(from, length);
}

/* A query, in parentheses. */
static void
append_query(StringInfo all, const char *text, const char *what)
{
	appendStringInfo(all, "%s(%s\n)", all->len > 0 ? "\nUNION ALL\n" : "",
					 statement_text(single_select(TlvParse(text), what), text));
}

char *
TlvQueryText(FunctionCallInfo fcinfo, const char *what)
{
	StringInfoData all;
	Datum *values;
	bool *nulls;
	int n = 0;

	if (!TlvArgumentIsNull(fcinfo, "more_queries"))
		n = TlvArrayElements(TlvNamedArray(fcinfo, "more_queries"), 0, &values, &nulls);
	if (n == 0)
		return text_to_cstring(PG_GETARG_TEXT_PP(0));
	initStringInfo(&all);
	append_query(&all, text_to_cstring(PG_GETARG_TEXT_PP(0)), what);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("element %d of more_queries is null", i + 1)));
		append_query(&all, TextDatumGetCString(values[i]), what);
	}
	return all.data;
}

static void
refuse_writing(const Query *query)
{
	if (query->commandType != CMD_SELECT) /* INTO makes a command of its own */
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR), errmsg("SELECT ... INTO is not allowed here"),
				 errhint("Leave INTO out: the rows are read from the query itself.")));
	if (query->hasModifyingCTE)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("WITH clause containing a data-modifying statement must be at the "
							   "top level")));
}

static void
analyse_text(TlvQuery *query, const char *what)
{
	ErrorContextCallback callback = {error_context_stack, analysis_position,
									 unconstify(char *, query->text)};
	RawStmt *statement;

	error_context_stack = &callback;
	statement = single_select(TlvParse(query->text), what);
	query->statement = statement_text(statement, query->text);
	query->query = analyse_alone(statement, query->text);
	refuse_writing(query->query);
	error_context_stack = callback.previous;
}

/* Is the level a UNION ALL, with nothing done to its rows? */
static bool
is_union_all(const Query *level)
{
	return level->setOperations != NULL && level->cteList == NIL && level->sortClause == NIL &&
		   level->limitCount == NULL && level->limitOffset == NULL && level->rowMarks == NIL &&
		   !level->hasTargetSRFs;
}

/* Appends what is put together; false when a part is put in otherwise than with all its rows. */
static bool
append_parts(const Query *level, const Node *node, List **parts)
{
	const SetOperationStmt *both = (const SetOperationStmt *) node;

	if (IsA(node, RangeTblRef))
	{
		int index = ((const RangeTblRef *) node)->rtindex;

		*parts = lappend(*parts, rt_fetch(index, level->rtable)->subquery);
		return true;
	}
	return both->op == SETOP_UNION && both->all && append_parts(level, both->larg, parts) &&
		   append_parts(level, both->rarg, parts);
}

/* The parts of a UNION ALL; NIL for what is none. */
static List *
union_parts(const Query *level)
{
	List *parts = NIL;

	if (is_union_all(level) && append_parts(level, level->setOperations, &parts))
		return parts;
	return NIL;
}

/* Do both give columns of the same types? */
static bool
same_columns(TupleDesc a, TupleDesc b)
{
	bool same = a->natts == b->natts;

	for (int i = 0; same && i < a->natts; i++)
		same = TupleDescAttr(a, i)->atttypid == TupleDescAttr(b, i)->atttypid;
	return same;
}

/* The columns of a query, without those behind them that only serve to order its rows. */
static TupleDesc
query_columns_of(const Query *query)
{
	int n = 0;
	TupleDesc desc;
	ListCell *cell;

	foreach (cell, query->targetList)
		n += !lfirst_node(TargetEntry, cell)->resjunk;
	desc = CreateTemplateTupleDesc(n);
	foreach (cell, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, cell);
		Node *expression = (Node *) target->expr;

		if (target->resjunk)
			continue;
		TupleDescInitEntry(desc, target->resno, target->resname, exprType(expression),
						   exprTypmod(expression), 0);
		TupleDescInitEntryCollation(desc, target->resno, exprCollation(expression));
	}
	return desc;
}

/* Parts of other types are cast where they are put together. */
static List *
parts_alike(const TlvQuery *query)
{
	List *parts = union_parts(query->query);
	ListCell *cell;

	foreach (cell, parts)
		if (!same_columns(query_columns_of(lfirst_node(Query, cell)), query->desc))
			return NIL;
	return parts;
}

void
TlvQueryRegister(TlvQuery *query, const char *name, TupleDesc desc, Tuplestorestate *store)
{
	EphemeralNamedRelation relation = palloc0(sizeof(EphemeralNamedRelationData));

	relation->md.name = pstrdup(name);
	relation->md.reliddesc = InvalidOid;
	relation->md.tupdesc = desc;
	relation->md.enrtype = ENR_NAMED_TUPLESTORE;
	relation->md.enrtuples = store != NULL ? (double) tuplestore_tuple_count(store) : 0;
	relation->reldata = store;
	register_ENR(query->environment, relation);
}

static void
settle_spellings(TlvQuery *query, const TlvQuery *beside)
{
	Query *above = TlvFirstSpellings(query, beside);

	query->given = query->query;
	query->given_desc = query->desc;
	if (above == NULL)
		return;
	query->query = above;
	query->parts = NIL;
	query->desc = query_columns_of(above);
	get_ENR(query->environment, "tensorlv query")->md.tupdesc = query->desc;
}

TlvQuery *
TlvQueryOpen(const char *text, Oid function, const char *what, const TlvQuery *beside)
{
	MemoryContext mcxt =
		AllocSetContextCreate(CurrentMemoryContext, "tensorlv query", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(mcxt);
	TlvQuery *query = palloc0(sizeof(TlvQuery));

	query->mcxt = mcxt;
	query->text = pstrdup(text);
	query->environment = create_queryEnv();
	query->namespace = get_func_namespace(function);
	query->extension = getExtensionOfObject(ProcedureRelationId, function);
	if (!OidIsValid(query->extension)) /* nothing could be told to be its member */
		TlvRaiseMismatch("%s belongs to no extension", format_procedure(function));
	query->schema = quote_identifier(get_namespace_name(query->namespace));
	GetUserIdAndSecContext(&query->user, &query->security);
	query->row_security = row_security;
	analyse_text(query, what);
	query->desc = query_columns_of(query->query);
	query->parts = parts_alike(query);
	TlvQueryRegister(query, "tensorlv query", query->desc, NULL);
	settle_spellings(query, beside);
	MemoryContextSwitchTo(caller);
	return query;
}

void
TlvQueryClose(TlvQuery *query)
{
	TlvQueryRelease(query);
	if (query->store != NULL)
		tuplestore_end(query->store);
	MemoryContextDelete(query->mcxt);
}

void
TlvRefuseColumns(TupleDesc desc, const char *what, const char *hint)
{
	StringInfoData columns;

	initStringInfo(&columns);
	for (int i = 0; i < desc->natts; i++)
		appendStringInfo(&columns, "%s%s", i > 0 ? ", " : "",
						 format_type_be(TupleDescAttr(desc, i)->atttypid));
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("the query returns (%s), not %s", columns.data, what), errhint("%s", hint)));
}

Oid
TlvQueryType(const TlvQuery *query, const char *name)
{
	Oid type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name),
							   ObjectIdGetDatum(query->namespace));

	if (!OidIsValid(type) || getExtensionOfObject(TypeRelationId, type) != query->extension)
		TlvRaiseMismatch("type %s is missing", name);
	return type;
}

static Oid
id_type(TlvQuery *query, Oid type)
{
	Oid base = getBaseType(type);
	MemoryContext before;
	Oid function;

	if (!TlvIsIdType(base))
		return InvalidOid;
	if (TlvIsIntegerType(base))
		return INT8OID;
	function = TlvTrustedCast(base, TEXTOID);
	before = MemoryContextSwitchTo(query->mcxt);
	if (OidIsValid(function))
		query->casts = list_append_unique_oid(query->casts, function);
	MemoryContextSwitchTo(before);
	return TEXTOID;
}

Oid
TlvQueryIdType(TlvQuery *query, int column)
{
	return id_type(query, TupleDescAttr(query->desc, column)->atttypid);
}

Oid
TlvQueryIdElement(TlvQuery *query, int column)
{
	Oid element = get_element_type(TlvColumnType(query->desc, column));

	return OidIsValid(element) ? id_type(query, element) : InvalidOid;
}

/* ---- may it be run again? ---- */

/* Functions from this cost on are not run for every row of every pass. */
#define DEAR 100

static bool
is_dear_function(Oid function, void *context)
{
	HeapTuple tuple;
	bool dear;

	if (function >= FirstNormalObjectId)
		return true;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		TlvRaiseDropped(function);
	dear = ((Form_pg_proc) GETSTRUCT(tuple))->procost >= DEAR;
	ReleaseSysCache(tuple);
	return dear;
}

static bool
is_stored_relation(const RangeTblEntry *from)
{
	if (from->rtekind == RTE_JOIN || from->rtekind == RTE_SUBQUERY)
		return true; /* what they consist of is looked at by itself */
	if (!from->inFromCl)
		return true; /* what a view's rule calls OLD and NEW, before 16 */
	return from->rtekind == RTE_RELATION && from->tablesample == NULL &&
		   (from->relkind == RELKIND_RELATION || from->relkind == RELKIND_MATVIEW ||
			from->relkind == RELKIND_PARTITIONED_TABLE || from->relkind == RELKIND_FOREIGN_TABLE);
}

/* Does this level do nothing but select from, join and compute on stored rows? */
static bool
is_plain_level(const Query *level)
{
	ListCell *cell;

	if (union_parts(level) != NIL)
		return true; /* each part is looked at by itself */
	if (level->commandType != CMD_SELECT || level->hasAggs || level->hasWindowFuncs ||
		level->hasTargetSRFs || level->cteList != NIL || level->groupClause != NIL ||
		level->groupingSets != NIL || level->setOperations != NULL ||
		level->distinctClause != NIL || level->limitCount != NULL || level->limitOffset != NULL ||
		level->rowMarks != NIL || level->jointree->fromlist == NIL)
		return false;
	foreach (cell, level->rtable)
		if (!is_stored_relation(lfirst_node(RangeTblEntry, cell)))
			return false;
	return true;
}

/*
 * Does it make a value of a type of users'?  Domains have constraints, which may call anything;
 * so do the server's own functions that fill composites and arrays of them.
 */
static bool
makes_users_type(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Const:
		case T_FuncExpr:
		case T_CoerceViaIO:
		case T_ArrayCoerceExpr:
		case T_ArrayExpr:
		case T_RowExpr:
		case T_ConvertRowtypeExpr:
		case T_CoerceToDomain:
			return exprType(node) >= FirstNormalObjectId;
		default:
			return false;
	}
}

static bool
is_dear_node(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return !is_plain_level((Query *) node) ||
			   query_tree_walker((Query *) node, is_dear_node, context, 0);
	return makes_users_type(node) || check_functions_in_node(node, is_dear_function, context) ||
		   expression_tree_walker(node, is_dear_node, context);
}

bool
TlvQueryRepeatable(const TlvQuery *query)
{
	MemoryContext mcxt =
		AllocSetContextCreate(CurrentMemoryContext, "tensorlv rewriting", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(mcxt);
	Query *copy = copyObject(query->query), *rewritten;
	bool repeatable;

	AcquireRewriteLocks(copy, true, false);
	rewritten = linitial_node(Query, QueryRewrite(copy));
	repeatable =
		!contain_volatile_functions((Node *) rewritten) && !is_dear_node((Node *) rewritten, NULL);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(mcxt);
	return repeatable;
}
