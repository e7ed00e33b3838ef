/*
 * lda_driver.h - what the LDA functions of the server floor share.
 */
#ifndef TLV_LDA_DRIVER_H
#define TLV_LDA_DRIVER_H

#include "tlv_pg.h"

#include "tensorlv/lda.h"

/* Reads the arguments alpha0, method, seed, restarts, steps, from argument number first on. */
extern void TlvLdaOptions(FunctionCallInfo fcinfo, int first, tlv_lda_options *options);

#endif /* TLV_LDA_DRIVER_H */
