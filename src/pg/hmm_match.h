/*
 * hmm_match.h - tlv_match of hidden Markov models.
 */
#ifndef TLV_SEQUENCE_MATCH_H
#define TLV_SEQUENCE_MATCH_H

#include "server/tlv_pg.h"

/* Rows (component_a, component_b, error). */
extern Datum TlvMatchChains(FunctionCallInfo fcinfo);

#endif /* TLV_SEQUENCE_MATCH_H */
