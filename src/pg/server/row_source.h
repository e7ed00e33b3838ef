/*
 * row_source.h - the rows behind a driver's query, and aggregate queries over
 * them: what the one-call drivers have in common, whatever their rows are.
 */
#ifndef TLV_ROW_SOURCE_H
#define TLV_ROW_SOURCE_H

#include "query.h"

#include "access/tupdesc.h"
#include "portability/instr_time.h"
#include "utils/tuplestore.h"

typedef struct TlvRowSource
{
	MemoryContext mcxt; /* current after every function here; SPI calls leave SPI's own current */
	const char *schema; /* of the extension, quoted */
	char *query;		/* the user's, without a trailing semicolon */
	char *source;		/* "FROM ..." of every pass */
	Tuplestorestate *store;
	int passes;
	instr_time start;
} TlvRowSource;

/* Starts the clock, makes rows->mcxt, below the current context, and connects to SPI. */
extern void TlvRowSourceBegin(TlvRowSource *rows);

/*
 * Parses the user's query and runs it without rows; what says in an error what it should read.
 * Returns the description of its columns, in rows->mcxt, which is the current context from here on.
 */
extern TupleDesc TlvRowSourceProbe(TlvRowSource *rows, const char *query, Oid function,
								   const char *what);

/*
 * Runs a query of ours that returns one column of that type, and keeps its rows in a tuple store,
 * which spills to disk above work_mem: all passes are over that.
 */
extern void TlvRowSourceStore(TlvRowSource *rows, const char *sql, const char *column, Oid type);
/* The same of columns as described, in rows->mcxt. */
extern void TlvRowSourceStoreRows(TlvRowSource *rows, const char *sql, TupleDesc desc);

/*
 * Value of "SELECT <expression> FROM <rows> WHERE <condition>", copied to rows->mcxt;
 * NULL for NULL.  $1 in the expression is parameter (of type parameter_type, an extension type's
 * name) when it is not NULL.  Runs with the caller's rights, in parallel where the planner can.
 */
extern struct varlena *TlvRowSourcePass(TlvRowSource *rows, const char *expression,
										const char *condition, const char *parameter_type,
										struct varlena *parameter);

/* The same over rows that a pass has seen: an error, not NULL, when none come any more. */
extern struct varlena *TlvRowSourceAgain(TlvRowSource *rows, const char *expression,
										 const char *parameter_type, struct varlena *parameter);

/* Diagnostics "passes" and "seconds". */
extern void TlvRowSourceDiagnose(const TlvRowSource *rows, tlv_context *ctx,
								 tlv_diagnostics *diagnostics);

/*
 * Ends SPI, the store and rows->mcxt; returns a copy of value (NULL for NULL), which may live in
 * it, in the context that TlvRowSourceBegin found.
 */
extern struct varlena *TlvRowSourceEnd(TlvRowSource *rows, struct varlena *value);

/* A single number of a stored value, 0 when it has none of that name. */
extern double TlvScalar(struct varlena *value, const char *name);

#endif /* TLV_ROW_SOURCE_H */
