/*
 * views.h - what the SQL of multi-view mixtures and hidden Markov models shares.
 */
#ifndef TLV_VIEWS_H
#define TLV_VIEWS_H

#include "tlv_pg.h"

#include "row_source.h"
#include "tensorlv/decompose.h"
#include "tensorlv/multiview.h"

/* Arguments (method, seed, restarts, steps) from `first` on; returns the seed. */
extern uint64 TlvViewOptions(FunctionCallInfo fcinfo, int first, tlv_decompose_options *options);

/* An iterations argument: NULL gives `usual`. */
extern int TlvIterationsArgument(FunctionCallInfo fcinfo, int argument, int usual);

/* The mixture of moments of three views, in the current memory context. */
extern struct varlena *TlvViewFit(struct varlena *moments, const tlv_multiview_options *options);

/* tlv_log_likelihood(model, integers) where the model is of categories. */
extern Datum TlvCategoriesLogLikelihood(FunctionCallInfo fcinfo);

/* tlv_match(a, b) of multi-view mixtures, and of independent components. */
extern Datum TlvMatchViews(FunctionCallInfo fcinfo);
extern Datum TlvMatchMixing(FunctionCallInfo fcinfo);

/*
 * The sequences behind a driver's query: (seq, t, symbol), (seq, t, number), (seq, t, vector), or
 * one column of ready sequences.  They are kept in a tuple store, one row with an array s for each,
 * over which TlvRowSourcePass runs.
 */
extern void TlvSequenceQueryOpen(TlvRowSource *rows, const char *query, Oid function);

#endif /* TLV_VIEWS_H */
