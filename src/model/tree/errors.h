/*
 * errors.h - members of the class of trees: the lengths of edges as estimates, item by item of the
 * nodes below them, and their standard errors, which the model has.
 */
#ifndef TENSORLV_TREE_ERRORS_H
#define TENSORLV_TREE_ERRORS_H

#include "tensorlv/model/errors.h"

extern tlv_status tlv_tree_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list);
extern tlv_status tlv_tree_standard_errors(tlv_context *ctx, const tlv_frame *model,
										   const tlv_frame *errors, tlv_estimates *list);

#endif /* TENSORLV_TREE_ERRORS_H */
