/*
 * aggregates.c - the aggregates of documents.
 */
#include "tensorlv/model/counts.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"

static tlv_status
item_subspace_open(tlv_context *ctx, const tlv_frame *constant, bool compressed, void **opened)
{
	tlv_subspace *subspace;

	TLV_TRY(tlv_kind_require(ctx, constant, &tlv_kind_item_subspace, "counting in a subspace"));
	TLV_TRY(tlv_subspace_open(ctx, constant, compressed, &subspace));
	*opened = subspace;
	return TLV_OK;
}

static tlv_status
block_open(tlv_context *ctx, const tlv_frame *constant, void **opened)
{
	return item_subspace_open(ctx, constant, false, opened);
}

static tlv_status
compressed_open(tlv_context *ctx, const tlv_frame *constant, void **opened)
{
	return item_subspace_open(ctx, constant, true, opened);
}

static tlv_status
summary_begin(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	return tlv_count_summary_create(ctx, accumulator);
}

static tlv_status
moments_begin(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	return constants->opened == NULL
			   ? tlv_count_pairs_create(ctx, accumulator)
			   : tlv_count_triples_create(ctx, constants->opened, accumulator);
}

static tlv_status
products_begin(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	if (constants->opened == NULL)
		return tlv_refuse_no_constant(ctx, "tlv_count_products", "subspace");
	return tlv_count_products_create(ctx, constants->opened, accumulator);
}

static tlv_status
anchors_begin(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	if (constants->opened == NULL)
		return tlv_refuse_no_constant(ctx, "tlv_anchor_moments", "subspace");
	return tlv_anchor_moments_create(ctx, constants->opened, accumulator);
}

static tlv_status
pairs_begin(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	if (constants->opened == NULL)
		return tlv_refuse_no_constant(ctx, "tlv_pair_moments", "subspace");
	return tlv_pair_moments_create(ctx, constants->opened, accumulator);
}

const tlv_aggregate tlv_aggregate_count_summary = {"tlv_count_summary", NULL, summary_begin};
const tlv_aggregate tlv_aggregate_count_moments = {"tlv_count_moments", compressed_open,
												   moments_begin};
const tlv_aggregate tlv_aggregate_count_products = {"tlv_count_products", block_open,
													products_begin};
const tlv_aggregate tlv_aggregate_anchor_moments = {"tlv_anchor_moments", compressed_open,
													anchors_begin};
const tlv_aggregate tlv_aggregate_pair_moments = {"tlv_pair_moments", block_open, pairs_begin};
