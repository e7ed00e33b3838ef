/*
 * kinds.c - the list of all kinds of stored values (kind.h).  A new kind is
 * one line here.
 */
#include "tensorlv/model/kind.h"

static const tlv_kind *const all[] = {
	&tlv_kind_count_summary,
	&tlv_kind_count_pairs,
	&tlv_kind_count_products,
	&tlv_kind_count_triples,
	&tlv_kind_topic_statistics,
	&tlv_kind_completion,
	&tlv_kind_coherence,
	&tlv_kind_item_subspace,
	&tlv_kind_dense_subspace,
	&tlv_kind_lda,
	&tlv_kind_label_pairs,
	&tlv_kind_cover_pairs,
	&tlv_kind_membership_pairs,
	&tlv_kind_dense_moments,
	&tlv_kind_dense_compressed,
	&tlv_kind_mixture_statistics,
	&tlv_kind_mmsb,
	&tlv_kind_gaussian_mixture,
	&tlv_kind_component_statistics,
	&tlv_kind_ica,
	&tlv_kind_view_moments,
	&tlv_kind_category_views,
	&tlv_kind_view_statistics,
	&tlv_kind_multiview,
	&tlv_kind_sequence_moments,
	&tlv_kind_sequence_statistics,
	&tlv_kind_hmm,
	&tlv_kind_tree_statistics,
	&tlv_kind_tree_triples,
	&tlv_kind_tree,
	&tlv_kind_category_moments,
	&tlv_kind_graph_undirected,
	&tlv_kind_graph_directed,
	&tlv_kind_graph_bipartite,
};

const tlv_kind *const *
tlv_kinds(size_t *count)
{
	*count = sizeof(all) / sizeof(all[0]);
	return all;
}

const tlv_kind *
tlv_kind_find(tlv_frame_type type, uint8_t code)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i]->type == type && all[i]->code == code)
			return all[i];
	return NULL;
}

tlv_status
tlv_kind_require(tlv_context *ctx, const tlv_frame *frame, const tlv_kind *kind,
				 const char *function)
{
	static const char *const types[] = {"", "tlv_moments", "tlv_subspace", "tlv_model",
										"tlv_graph"};
	const tlv_kind *own = tlv_kind_find(frame->header->type, frame->header->kind);

	if (own == kind)
		return TLV_OK;
	return tlv_fail(ctx, TLV_BAD_PARAMETER, "%s needs a %s of kind %s, not %s", function,
					types[kind->type], kind->name, own != NULL ? own->name : "unknown");
}

tlv_status
tlv_kind_validate(tlv_context *ctx, const void *image, size_t size, tlv_frame_type type,
				  tlv_frame *frame, const tlv_kind **kind)
{
	static const char *const names[] = {"", "moments", "a subspace", "a model", "a graph"};

	TLV_TRY(tlv_frame_validate(ctx, image, size, frame));
	if (frame->header->type != type)
		return tlv_fail(ctx, TLV_CORRUPT, "the value is %s, not %s", names[frame->header->type],
						names[type]);
	*kind = tlv_kind_find(type, frame->header->kind);
	if (*kind == NULL)
		return tlv_fail(ctx, TLV_CORRUPT, "the value is of unknown kind %u", frame->header->kind);
	return (*kind)->check(ctx, frame);
}
