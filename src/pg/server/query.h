/*
 * query.h - running the text of a user's query, and our own around it, through
 * SPI: reading only, with the caller's rights.
 */
#ifndef TLV_QUERY_H
#define TLV_QUERY_H

#include "tlv_pg.h"

/* Whole numbers, any numbers, any text; of base types. */
extern bool TlvIsIntegerType(Oid type);
extern bool TlvIsNumberType(Oid type);
extern bool TlvIsTextType(Oid type);

/*
 * What we run only reads.  SPI refuses commands that write; the transaction's mode refuses them
 * within functions, too.  Set directly: from 16 on the setting cannot be saved and restored.
 * After an error the end of the (sub)transaction does what TlvEndReading does.
 */
extern bool TlvBeginReading(void);
extern void TlvEndReading(bool before);

/* Runs a query and leaves its rows in SPI_tuptable; anything but rows is an error of ours. */
extern void TlvRunQuery(const char *sql, int n_parameters, Oid *types, Datum *values);

/*
 * The same for a pass over many rows.  A generic plan keeps the parameter a parameter: a custom
 * plan would fold it into a constant, and a subspace of 80 MB would travel to the parallel workers
 * as text.  Without jit: a driver runs many passes, and compiling each costs more than the
 * expressions in it take.
 */
extern void TlvRunPass(const char *sql, int n_parameters, Oid *types, Datum *values);

/*
 * The one SELECT of the user's text, without the semicolon that would end it inside ours; rows says
 * in an error what it should read.
 */
extern char *TlvSingleSelect(const char *query, const char *rows);

#endif /* TLV_QUERY_H */
