/*
 * errors.h - members of the class of trees: the lengths of edges as estimates, item by item of the
 * nodes below them, and their standard errors, which the model has.
 */
#ifndef TENSORLV_TREE_ERRORS_H
#define TENSORLV_TREE_ERRORS_H

#include "tensorlv/model/errors.h"
#include "tensorlv/model/tree.h"

extern tlv_status tlv_tree_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list);
extern tlv_status tlv_tree_standard_errors(tlv_context *ctx, const tlv_frame *model,
										   const tlv_frame *errors, tlv_estimates *list);

/* model.c: how many h's precede the number of a hidden node: the fewest with which no variable is
 * called. */
extern size_t tree_hidden_prefix(const tlv_tree_parts *parts);

#endif /* TENSORLV_TREE_ERRORS_H */
