/*
 * documents.h - the documents behind a driver's query.
 */
#ifndef TLV_DOCUMENTS_H
#define TLV_DOCUMENTS_H

#include "server/row_source.h"

typedef struct TlvDocuments
{
	TlvRowSource rows; /* passes over a column bag */
	bool bags;		   /* the query returns bags; else (doc, item [, count]) rows, kept as bags */
	bool text_items;
} TlvDocuments;

/*
 * Finds out what the query returns and prepares passes over it.
 * Errors: 22023 and 42804 for unusable columns; whatever the query itself raises.
 */
extern void TlvDocumentsOpen(TlvDocuments *documents, const char *query, Oid function);

/* Ids and texts of the query's terms: rows (id bigint, term text), by id, left in SPI_tuptable. */
extern void TlvDocumentsTerms(TlvDocuments *documents);

#endif /* TLV_DOCUMENTS_H */
