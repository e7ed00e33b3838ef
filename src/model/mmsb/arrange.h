/*
 * arrange.h - communities of two models matched, and communities renumbered.
 */
#ifndef TENSORLV_MMSB_ARRANGE_H
#define TENSORLV_MMSB_ARRANGE_H

#include "tensorlv/model/layout.h"
#include "tensorlv/model/mmsb.h"

/*
 * The member match of the class: by the nodes that both models have, of both sides.  The distance
 * of two communities is the sum over these of |share in the one - share in the other|, over the
 * sum of all these shares: 0 for the same, 1 for no node in common.
 */
extern tlv_status tlv_mmsb_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b,
								 tlv_match *match);

/* The member arrange of the layout. */
extern tlv_status tlv_mmsb_arrange(tlv_context *ctx, const tlv_frame *model,
								   const tlv_frame *reference, size_t n, const tlv_place *places,
								   const tlv_diagnostics *diagnostics, void **image, size_t *size);

#endif /* TENSORLV_MMSB_ARRANGE_H */
