/*
 * vector_query.h - the vectors behind a driver's query: passes over them are those of
 * row_source.h, over a column x of float8[].
 */
#ifndef TLV_VECTOR_QUERY_H
#define TLV_VECTOR_QUERY_H

#include "server/row_source.h"

/*
 * Finds out what the query returns and prepares passes over it (TlvRowSourcePass).  A query that
 * only computes its vectors from the rows of one table is run again for every pass, so that
 * the planner sees all of it; the vectors of any other are kept in a tuple store.  Errors: 42804
 * unless it returns one column of an array of numbers, or of a type that is cast to real[].
 */
extern void TlvVectorQueryOpen(TlvRowSource *rows, const char *query, Oid function);

/* Will the query give the same rows again, at the price of a scan? */
extern bool TlvTextRepeatable(const char *query);

/* Numbers in the first vector, 0 without one. */
extern size_t TlvVectorQueryWidth(TlvRowSource *rows);

/*
 * A random sample without replacement of `wanted` of the `total` vectors of d numbers, in their
 * order: *n of them in x (d x wanted).
 */
extern void TlvVectorQuerySample(TlvRowSource *rows, size_t d, double total, size_t wanted,
								 uint64 seed, double *x, size_t *n);

#endif /* TLV_VECTOR_QUERY_H */
