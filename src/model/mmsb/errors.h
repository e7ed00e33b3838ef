/*
 * errors.h - what the numbers of communities are worth: estimates and their standard errors.
 *
 * Of a block model (alpha0 = 0) the edges between two communities are independent draws, and their
 * errors follow from the model: P (1 - P) over the number of pairs of nodes, or P over it where
 * weights are counts.  Of mixed memberships the error of the memberships outweighs that of the
 * edges (binomial intervals of alpha0 = 1 hold .48 instead of .95), and their errors are those of
 * fits to graphs that are drawn from the model (parametric bootstrap, Efron 1979).
 */
#ifndef TENSORLV_MMSB_ERRORS_H
#define TENSORLV_MMSB_ERRORS_H

#include "tensorlv/model/errors.h"
#include "tensorlv/model/mmsb.h"

/*
 * Members of the class.  Estimates are, side after side, the weights of the communities and, with
 * alpha0 > 0, their alpha; of two sides item is 1 for the source and 2 for the target; then the
 * connectivity of a and b, k x k.  Standard errors of a block model are of all of them.
 */
extern tlv_status tlv_mmsb_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list);
extern tlv_status tlv_mmsb_standard_errors(tlv_context *ctx, const tlv_frame *model,
										   const tlv_frame *errors, tlv_estimates *list);

#endif /* TENSORLV_MMSB_ERRORS_H */
