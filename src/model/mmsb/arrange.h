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

/* The member apart: communities are the nearer the more often their nodes are joined: rates
 * within both over these and those between them, 1 where they are never joined. */
extern tlv_status tlv_mmsb_apart(tlv_context *ctx, const tlv_frame *model, double *distance);

/* The member arrange of the layout. */
extern tlv_status tlv_mmsb_merge(tlv_context *ctx, const tlv_frame *model, const bool *marked,
								 size_t to, void **image, size_t *size);
extern tlv_status tlv_mmsb_arrange(tlv_context *ctx, const tlv_frame *model,
								   const tlv_frame *reference, size_t n, const tlv_place *places,
								   const tlv_diagnostics *diagnostics, void **image, size_t *size);

/* Its page (page.c). */
extern const tlv_page_view tlv_mmsb_page;

#endif /* TENSORLV_MMSB_ARRANGE_H */
