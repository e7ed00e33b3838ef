/*
 * query.h - the one query: the caller's text is analysed once, alone, and every statement over its
 * rows takes that analysis in as a subquery.
 *
 * A statement of ours reads "tensorlv query", a stand-in of the row type of the caller's query,
 * or "tensorlv rows", what was stored of it; everything else in it is qualified and exactly cast.
 * It is analysed with the stand-in, compared with what it is known to call, given the caller's
 * query in the stand-in's stead, and planned anew with its parameters bound.  All that runs only
 * reads, with the caller's rights and under the caller's settings, in parallel where the planner
 * can.
 */
#ifndef TLV_QUERY_H
#define TLV_QUERY_H

#include "server/tlv_pg.h"

#include "access/tupdesc.h"
#include "executor/tuptable.h"
#include "lib/stringinfo.h"
#include "nodes/parsenodes.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/queryenvironment.h"
#include "utils/tuplestore.h"

/* Whole numbers, any numbers, any text; of base types. */
extern bool TlvIsIntegerType(Oid type);
extern bool TlvIsNumberType(Oid type);
extern bool TlvIsTextType(Oid type);

/*
 * Is a value of that base type an id?  Whole numbers by number, and whatever is one thing by its
 * text: neither other numbers, of which equal ones may be written in two ways, nor what has parts:
 * arrays, vectors (types with a cast to real[]), rows, tsvector, values of this extension.
 */
extern bool TlvIsIdType(Oid type);

/* May equal values of that base type have different texts?  Those of strings alone. */
extern bool TlvHasSpellings(Oid base, Oid collation);

/* tlv_bag, in whatever schema the extension is. */
extern bool TlvIsBagType(Oid type);

/* The base type of a column, and its name. */
static inline Oid
TlvColumnType(TupleDesc desc, int column)
{
	return getBaseType(TupleDescAttr(desc, column)->atttypid);
}

static inline const char *
TlvColumnName(TupleDesc desc, int column)
{
	return NameStr(TupleDescAttr(desc, column)->attname);
}

/* tlv_moments, tlv_subspace, tlv_model or tlv_graph, whose values begin with a frame's header. */
extern bool TlvIsFrameType(Oid type);

/*
 * Begins the definition of a function that runs the caller's query.  All that runs until it returns
 * only reads: the transaction's mode refuses commands that write, within functions, casts and
 * functions of types, too.  Errors: 25006 for code that ends that mode, at once or, where the
 * server does not say so, at the end of the function; 42704 where an object was dropped while it
 * was used.
 */
#define TLV_QUERY_FUNCTION(name)                                                                   \
	static Datum name##_body(FunctionCallInfo fcinfo);                                             \
	TLV_FUNCTION(name)                                                                             \
	{                                                                                              \
		return TlvReadQuery(name##_body, fcinfo);                                                  \
	}                                                                                              \
	static Datum name##_body(FunctionCallInfo fcinfo)

/*
 * The transaction is read-only while the body runs.  The mode is set directly: from 16 on the
 * setting cannot be saved and restored.  After an error the end of the (sub)transaction restores
 * it.
 */
extern Datum TlvReadQuery(PGFunction body, FunctionCallInfo fcinfo);

/* With a space, so that they hide no table of the user's. */
#define TLV_QUERY_ROWS	"\"tensorlv query\""
#define TLV_STORED_ROWS "\"tensorlv rows\""
#define TLV_FIRST_ROWS	"\"tensorlv first\"" /* of another query of the call */

/* The nulls of a column of a query. */
typedef struct TlvNulls
{
	int64 rows;			/* of which the column is null */
	int64 within;		/* of which an element of its array is */
	ArrayType *example; /* one of the latter */
} TlvNulls;

typedef struct TlvQuery
{
	MemoryContext mcxt; /* all of it is here */
	const char *text;	/* the caller's */
	/* The one statement in it, without what may follow its semicolon, as it was read before a
	 * function of it could switch standard_conforming_strings. */
	const char *statement;
	bool read;		/* a pass has read its rows, or they were stored */
	Query *query;	/* of the text, not rewritten */
	List *parts;	/* of a UNION ALL: queries of the same columns; else NIL */
	TupleDesc desc; /* its columns */
	Query *given;	/* and what follows: as the caller wrote it, without our own level */
	TupleDesc given_desc;
	QueryEnvironment *environment;
	Tuplestorestate *held;	/* what the query returned, as "tensorlv query"; NULL: it is run */
	const Oid *arrays;		/* TlvQueryArrays; NULL: not looked at */
	TlvNulls *nulls;		/* of its columns, in the rows that were held; NULL: none were */
	Tuplestorestate *store; /* NULL: its rows are read again */
	Oid namespace;			/* of the extension */
	Oid extension;
	const char *schema; /* quoted */
	Oid user;			/* and what follows: at the start */
	int security;
	bool row_security;
	List *casts; /* OIDs of functions that every statement over it may call for casts */
} TlvQuery;

/*
 * The caller's text, argument 0, and those of more_queries, each one query, put together by UNION
 * ALL.  Errors: 22004 for a NULL among them, 22023 for one that is not one query.
 */
extern char *TlvQueryText(FunctionCallInfo fcinfo, const char *what);

/*
 * Parses and analyses the caller's text in a child of the current context; function is one of the
 * extension's, what says in an error what the query should read.  Ids are spelled as those of the
 * other query of the call, beside; NULL: there is none.  Errors: 22023 unless it is one query,
 * 0A000 for data-modifying WITH, and those of the text, with their positions in it.
 */
extern TlvQuery *TlvQueryOpen(const char *text, Oid function, const char *what,
							  const TlvQuery *beside);

/* Gives back the store and all memory. */
extern void TlvQueryClose(TlvQuery *query);

/* Error 42804 that names the types of the columns found. */
extern _Noreturn void TlvRefuseColumns(TupleDesc desc, const char *what, const char *hint);

/*
 * How the ids of a column are told: INT8OID, or TEXTOID, to which every statement over the query
 * may cast them from then on (the type or, of an array, its elements); InvalidOid where they are
 * none.  Errors: 42501, as of TlvStatementAllowCast.
 */
extern Oid TlvQueryIdType(TlvQuery *query, int column);
extern Oid TlvQueryIdElement(TlvQuery *query, int column);

/* OID of a type of the extension. */
extern Oid TlvQueryType(const TlvQuery *query, const char *name);

/*
 * Will the query give the same rows again, at the price of a scan?  The one rule: it calls nothing
 * volatile, its rows come from stored tables (views seen through) by selection, join and the
 * server's own inexpensive functions, and it neither limits nor samples them on any level.  Foreign
 * tables are a matter of the plan: TlvStatement.shipped.
 */
extern bool TlvQueryRepeatable(const TlvQuery *query);

/* ---- statements over its rows ---- */

typedef struct TlvStatement
{
	TlvQuery *query;
	StringInfoData sql;
	List *calls;	   /* what its own levels may call beside the server's functions */
	List *casts;	   /* and OIDs of the functions of casts */
	List *parameters;  /* $1, $2, ... */
	bool by_reference; /* held ones are planned as pointers to them */
	const Query *part; /* of the query's parts, in its stead; NULL: all of it */
	bool shipped;	   /* run only when no rows of foreign tables travel to us */
	bool small_scan;   /* workers for tables that look small */
	bool single;	   /* returns one row, of aggregates over all others */
	bool foreign;	   /* it has read foreign tables */
	bool elsewhere;	   /* these, or tables that an extension spreads over servers */
	bool enough;	   /* set by who takes its rows: no more of them */
} TlvStatement;

extern void TlvStatementBegin(TlvStatement *statement, TlvQuery *query);

/* Begins a statement that may call what the other may and has its parameters, but not its text. */
extern void TlvStatementLike(TlvStatement *statement, const TlvStatement *other);

/*
 * A function or aggregate of the extension, by its exact signature, that the statement may call by
 * the name that is returned, unqualified and with arguments of exactly these types: it is called by
 * its OID, whatever else is of that name.  *result, unless NULL, gets the type of its value.
 */
extern const char *TlvStatementCall(TlvStatement *statement, const char *name, int n,
									const Oid *types, Oid *result);

/*
 * It may cast one type to another, if that takes nobody's function, or one of the current user or a
 * superuser.  Errors: 42501.
 */
extern void TlvStatementAllowCast(TlvStatement *statement, Oid from, Oid to);

/*
 * Casts come with types: who makes a type writes them, and who only reads a column of it does not
 * expect to run them.  Error 42501 unless the function is the current user's or a superuser's.
 */
extern void TlvRequireTrustedCast(Oid from, Oid to, Oid function);

/* The function of the cast, trusted; InvalidOid when it takes none. */
extern Oid TlvTrustedCast(Oid from, Oid to);

/* Is there a volatile function in its casts? */
extern bool TlvStatementIsVolatile(const TlvStatement *statement);

/* A parameter, which is not NULL; returns its number, n of "$n", the same for the same datum. */
extern int TlvStatementParameter(TlvStatement *statement, Oid type, Datum value);

/*
 * The same of a long value that stays where it is until the statement has run: this process reads
 * it there, other processes and servers get it whole.  TlvIsHeld is true of it.
 */
extern int TlvStatementHeld(TlvStatement *statement, Oid type, struct varlena *value);

/* What the planner knows of the rows of a statement. */
typedef struct TlvExpected
{
	double rows;	  /* estimated; DBL_MAX where those of other servers would come */
	double most_rows; /* a bound that does not depend on statistics; DBL_MAX: there is none */
	double width;	  /* estimated bytes of a row */
} TlvExpected;

extern void TlvStatementExpects(TlvStatement *statement, TlvExpected *expected);

/* Does an extension that spreads tables over servers split the aggregates of the statement, so that
 * they are computed here from values of parts of the rows? */
extern bool TlvStatementIsSplit(TlvStatement *statement);

/* Takes a row of the result; the slot's contents go after that. */
typedef void (*TlvTakeRow)(void *argument, TupleTableSlot *slot);

/*
 * Runs the statement, whose columns must be of those types.  False, and nothing done, when it was
 * to be shipped and cannot be.  The current context stays; take is called in it.
 */
extern bool TlvStatementRun(TlvStatement *statement, int n, const Oid *types, TlvTakeRow take,
							void *argument);

/*
 * Runs the statement and keeps its rows, columns of those names and types, as "tensorlv rows", in a
 * tuple store that spills to disk above work_mem; in the stead of rows that were stored before,
 * which it may read.  False, and nothing kept, when they take more than so many bytes (0: as many
 * as there are).
 */
extern bool TlvStatementStore(TlvStatement *statement, int n, const char *const *names,
							  const Oid *types, double most);

/* For each column that is an array, what its nulls are looked for in: float8[] for numbers, text[]
 * for others; bags have none.  Looked up once, since types may be dropped while the query is read.
 */
extern const Oid *TlvQueryArrays(TlvQuery *query);

/*
 * More than one statement over "tensorlv query" to come, of which each must see the same rows: runs
 * the query once and holds what it returns, until it is released.  Counts the nulls of its columns.
 */
extern void TlvQueryHold(TlvQuery *query);
extern void TlvQueryRelease(TlvQuery *query);

#endif /* TLV_QUERY_H */
