/*
 * views.h - what the SQL of multi-view mixtures and hidden Markov models shares.
 */
#ifndef TLV_VIEWS_H
#define TLV_VIEWS_H

#include "tlv_pg.h"

#include "row_source.h"
#include "tensorlv/decompose.h"

/* Arguments (method, seed, restarts, steps) from `first` on; returns the seed. */
extern uint64 TlvViewOptions(FunctionCallInfo fcinfo, int first, tlv_decompose_options *options);

/* An iterations argument: NULL gives `usual`. */
extern int TlvIterationsArgument(FunctionCallInfo fcinfo, int argument, int usual);

/*
 * The sequences behind a driver's query: (seq, t, symbol), (seq, t, number), (seq, t, vector), or
 * one column of ready sequences.  They are kept in a tuple store, one row with an array s for each,
 * over which TlvRowSourcePass runs.
 */
extern void TlvSequenceQueryOpen(TlvRowSource *rows, const char *query, Oid function);

#endif /* TLV_VIEWS_H */
