/*
 * lda_driver.h - what the LDA functions of the server floor share.
 */
#ifndef TLV_LDA_DRIVER_H
#define TLV_LDA_DRIVER_H

#include "server/tlv_pg.h"

#include "tensorlv/model/lda.h"

/* Reads the argument alpha0, and method, seed, restarts and steps from number first on. */
extern void TlvLdaOptions(FunctionCallInfo fcinfo, int alpha0, int first, tlv_lda_options *options);

#endif /* TLV_LDA_DRIVER_H */
