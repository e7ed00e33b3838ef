/*
 * documents.h - the documents behind a driver's query, and aggregate queries
 * over them.
 */
#ifndef TLV_DOCUMENTS_H
#define TLV_DOCUMENTS_H

#include "tlv_pg.h"

#include "utils/tuplestore.h"

typedef struct TlvDocuments
{
	MemoryContext mcxt; /* what outlives SPI calls */
	const char *schema; /* of the extension, quoted */
	char *query;		/* the user's, without a trailing semicolon */
	bool bags;			/* it returns bags; else (doc, item [, count]) rows, kept as bags */
	bool text_items;
	char *source; /* "FROM ..." that gives a column bag */
	Tuplestorestate *store;
	int passes;
} TlvDocuments;

/*
 * Finds out what the query returns and prepares passes over it.  SPI must be connected.
 * Errors: 22023 and 42804 for unusable columns; whatever the query itself raises.
 */
extern void TlvDocumentsOpen(TlvDocuments *documents, const char *query, Oid function);

/*
 * Value of "SELECT <expression> FROM <documents> WHERE <condition>", copied to documents->mcxt;
 * NULL for NULL.  $1 in the expression is parameter (of type parameter_type, an extension type's
 * name) when it is not NULL.  Runs with the caller's rights, in parallel where the planner can.
 */
extern struct varlena *TlvDocumentsPass(TlvDocuments *documents, const char *expression,
										const char *condition, const char *parameter_type,
										struct varlena *parameter);

/* Ids and texts of the query's terms: rows (id bigint, term text), by id, left in SPI_tuptable. */
extern void TlvDocumentsTerms(TlvDocuments *documents);

#endif /* TLV_DOCUMENTS_H */
