/*
 * query_internal.h - what query.c, calls.c, parameters.c, planned.c and statement.c share.
 */
#ifndef TLV_QUERY_INTERNAL_H
#define TLV_QUERY_INTERNAL_H

#include "query.h"

#include "nodes/plannodes.h"

/* Makes the position of the error that is being raised one in that text. */
extern void TlvQueryPosition(const char *text);

extern List *TlvParse(const char *text);

/* ---- calls.c ---- */

/* A statement of ours, analysed: with its calls and parameters, and nothing that is strange. */
extern Query *TlvAnalyseStatement(TlvStatement *statement);

/* ---- statement.c ---- */

/* Puts the caller's query, or a part of it, into a statement in the stead of the stand-in of that
 * name. */
extern void TlvPutQuery(Query *own, const char *name, const Query *query);

/* ---- planned.c ---- */

/* Do the plans, or does the plan (NULL: no), bring rows of foreign tables here, rather than
 * aggregates over them? */
extern bool TlvAnyPlanFetches(const List *plans);
extern bool TlvPlanFetches(const Plan *plan);

/* Is there a foreign table in it? */
extern bool TlvPlanReadsForeignTables(const PlannedStmt *plan);

/* Is it a scan of an extension that reads neither a table nor the rows of other plans?  Engines
 * that spread tables over servers (Citus) bring the rows of other servers by such scans. */
extern bool TlvPlanIsRemoteScan(const Plan *plan);

/* Is there such a scan in it?  NULL: no. */
extern bool TlvPlanReadsElsewhere(const Plan *plan);

/* The number of rows that a part of a plan cannot exceed, by the pages of the tables that it scans;
 * DBL_MAX where more than scans decides. */
extern double TlvPlanMostRows(const PlannedStmt *planned, const Plan *plan);

/* ---- spellings.c ---- */

/* The caller's query with the first spelling in the place of ids that are equal by their type's own
 * equality, of those in the other query's rows (NULL: there is none) before its own; NULL: no type
 * has more than one. */
extern Query *TlvFirstSpellings(TlvQuery *query, const TlvQuery *beside);

/* ---- parameters.c ---- */

/* Parameter $number as what is planned; NULL: there is none of that number. */
extern Const *TlvParameterConstant(const TlvStatement *statement, int number);

/* Bytes in its parameters, but for those that are planned as pointers. */
extern double TlvStatementParametersSize(const TlvStatement *statement);

/* Is any of them held? */
extern bool TlvStatementHolds(const TlvStatement *statement);

/* TlvIsHeld is true of them until the current context goes. */
extern void TlvBeginHolding(const TlvStatement *statement);

/* Makes a name of rows known to the statements; store NULL: the stand-in. */
extern void TlvQueryRegister(TlvQuery *query, const char *name, TupleDesc desc,
							 Tuplestorestate *store);

#endif /* TLV_QUERY_INTERNAL_H */
