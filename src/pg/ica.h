/*
 * ica.h - what fitting independent components and its driver share on the
 * server floor.
 */
#ifndef TLV_PG_ICA_H
#define TLV_PG_ICA_H

#include "server/tlv_pg.h"

#include "tensorlv/model/ica.h"

/*
 * k and noise are arguments k and k + 1; method, seed, steps and keep_gaussian are the four from
 * first on.
 */
extern void TlvIcaOptions(FunctionCallInfo fcinfo, int k, int first, tlv_ica_options *options);

/* The model of moments of order 4, in the current memory context. */
extern struct varlena *TlvIcaFit(struct varlena *moments, const tlv_ica_options *options);

#endif /* TLV_PG_ICA_H */
