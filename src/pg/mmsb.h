/*
 * mmsb.h - what the fit of communities to a graph and its one-call
 * driver share.
 */
#ifndef TLV_PG_COMMUNITIES_H
#define TLV_PG_COMMUNITIES_H

#include "server/tlv_pg.h"

#include "tensorlv/model/mmsb.h"

/*
 * Reads k, alpha0, method, refine, seed, degree_corrected, partition and edges from arguments 1 to
 * 8, restarts, steps and max_k from 10 to 12, checked.
 */
extern void TlvMmsbOptions(FunctionCallInfo fcinfo, tlv_mmsb_options *options);

/* Known communities: a bag of nodes whose weights are their communities, from 1. */
extern void TlvMmsbLabels(struct varlena *labels, tlv_mmsb_options *options);

/* The model of a graph as a value in the current memory context. */
extern struct varlena *TlvMmsbFit(struct varlena *graph, const tlv_mmsb_options *options);

#endif /* TLV_PG_COMMUNITIES_H */
