/*
 * decompose.h - arguments of everything that decomposes a tensor.
 */
#ifndef TLV_PG_DECOMPOSE_H
#define TLV_PG_DECOMPOSE_H

#include "server/tlv_pg.h"

#include "tensorlv/num/decompose.h"

/* Arguments (method, seed, restarts, steps) from `first` on; returns the seed. */
extern uint64 TlvDecomposeOptions(FunctionCallInfo fcinfo, int first,
								  tlv_decompose_options *options);

#endif /* TLV_PG_DECOMPOSE_H */
