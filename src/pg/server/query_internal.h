/*
 * query_internal.h - what query.c and statement.c share.
 */
#ifndef TLV_QUERY_INTERNAL_H
#define TLV_QUERY_INTERNAL_H

#include "query.h"

/* Makes the position of the error that is being raised one in that text. */
extern void TlvQueryPosition(const char *text);

extern List *TlvParse(const char *text);
extern Query *TlvAnalyse(RawStmt *statement, const char *text, const Oid *types, int n,
						 QueryEnvironment *environment);

/* Makes a name of rows known to the statements; store NULL: the placeholder. */
extern void TlvQueryRegister(TlvQuery *query, const char *name, TupleDesc desc,
							 Tuplestorestate *store);

#endif /* TLV_QUERY_INTERNAL_H */
