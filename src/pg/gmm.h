/*
 * gmm.h - what the SQL functions of mixtures of Gaussians share.
 */
#ifndef TLV_PG_GMM_H
#define TLV_PG_GMM_H

#include "server/tlv_pg.h"

#include "tensorlv/model/gmm.h"

/* A covariance argument; NULL is the given one. */
extern tlv_covariance TlvCovarianceArgument(FunctionCallInfo fcinfo, int argument,
											tlv_covariance usual);

/* Options of a fit, without k and covariance: arguments method, seed, restarts, steps from first
 * on. */
extern void TlvGmmOptions(FunctionCallInfo fcinfo, int first, tlv_gmm_options *options);

#endif /* TLV_PG_GMM_H */
