/*
 * old_query.h - running the text of a user's query, and our own around it, through
 * SPI: reading only, with the caller's rights.
 */
#ifndef TLV_OLD_QUERY_H
#define TLV_OLD_QUERY_H

#include "query.h"

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

#endif /* TLV_OLD_QUERY_H */
