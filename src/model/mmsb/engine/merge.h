/*
 * merge.h - from many communities to fewer, two at a time, those first whose union costs the least
 * likelihood.
 */
#ifndef TENSORLV_MMSB_MERGE_H
#define TENSORLV_MMSB_MERGE_H

#include "levels.h"

/*
 * Merges the communities 0 .. n - 1 of the labels until k are left, k >= 1; labels become those of
 * the k.  The likelihood is that of the block model with a rate of its own inside every community
 * and one between them, which stays what it is at first.  Communities that no edge joins are merged
 * smallest first.  Time grows as n log n and with the pairs of communities that edges join.
 * Interruptible.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_merge_communities(tlv_context *ctx, const tlv_level_task *task, size_t n,
										size_t k, int32_t *label);

#endif /* TENSORLV_MMSB_MERGE_H */
