/*
 * multiview.h - what the SQL of multi-view mixtures and hidden Markov models shares.
 */
#ifndef TLV_VIEWS_H
#define TLV_VIEWS_H

#include "server/tlv_pg.h"

#include "decompose.h"
#include "server/row_source.h"
#include "tensorlv/model/multiview.h"

/* An iterations argument: NULL gives `usual`. */
extern int TlvIterationsArgument(FunctionCallInfo fcinfo, int argument, int usual);

/* The mixture of moments of three views, in the current memory context. */
extern struct varlena *TlvViewFit(struct varlena *moments, const tlv_multiview_options *options);

/*
 * The sequences behind a driver's query: (seq, t, symbol), (seq, t, number), (seq, t, vector), or
 * one column of ready sequences.  They are kept in a tuple store, one row with an array s for each,
 * over which TlvRowSourcePass runs.
 */
extern void TlvSequenceQueryOpen(TlvRowSource *rows, const char *query, Oid function);

#endif /* TLV_VIEWS_H */
