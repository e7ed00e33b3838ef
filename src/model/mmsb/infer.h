/*
 * infer.h - what a mixed membership block model can do once it is open
 * (infer.c).
 */
#ifndef TENSORLV_MMSB_INFER_H
#define TENSORLV_MMSB_INFER_H

#include "tensorlv/model/mmsb.h"
#include "tensorlv/num/dictionary.h"

extern tlv_status tlv_mmsb_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model);

/*
 * Memberships of a new node on the source side, k numbers summing to 1, from the weights of
 * its edges to known nodes of the target side; unknown ones are left out.  Without any known
 * neighbour alpha over its sum (alpha0 = 0: the shares of the communities).
 * Error: TLV_BAD_DATA for a weight above 1e100.
 */
extern tlv_status tlv_mmsb_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row,
								 tlv_posterior *posterior);

/*
 * Log-likelihood of a new node's edges to known nodes, nats: given its inferred memberships, or,
 * alpha0 = 0, over all communities.  Poisson (for a Bernoulli model its approximation for sparse
 * graphs); degree-corrected: multinomial, given the sum of the weights.
 */
extern tlv_status tlv_mmsb_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row,
										  double *value);

/* The parts of a model that is open, and where its nodes of the target side are found. */
extern const tlv_mmsb_parts *tlv_mmsb_opened(const tlv_model *model,
											 const tlv_dictionary **dictionary);

#endif /* TENSORLV_MMSB_INFER_H */
