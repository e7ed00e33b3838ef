/*
 * kind.h - one record per kind of stored value: its name and what its frame
 * must hold.  Output, validation, roll-up, tlv_info and the tests iterate
 * over these records, so that a new kind is a new record.
 */
#ifndef TENSORLV_KIND_H
#define TENSORLV_KIND_H

#include "tensorlv/model/accumulator.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/model/model.h"

typedef struct tlv_kind
{
	tlv_frame_type type;
	uint8_t code; /* of the image: never reused */
	const char *name;
	/* sections, shapes and ranges; TLV_CORRUPT otherwise.  The frame itself is already valid. */
	tlv_status (*check)(tlv_context *ctx, const tlv_frame *frame);
	const tlv_accumulator_class *accumulator; /* moments and graphs */
	const tlv_model_class *model;			  /* models only */
} tlv_kind;

/* All kinds, in the order of type and code; *count gets their number. */
extern const tlv_kind *const *tlv_kinds(size_t *count);

/* The record of a type and code, or NULL. */
extern const tlv_kind *tlv_kind_find(tlv_frame_type type, uint8_t code);

/* TLV_BAD_PARAMETER unless the frame is of that kind; function names who needs it. */
extern tlv_status tlv_kind_require(tlv_context *ctx, const tlv_frame *frame, const tlv_kind *kind,
								   const char *function);

/* Validates an image of unknown origin completely; *kind gets its record. */
extern tlv_status tlv_kind_validate(tlv_context *ctx, const void *image, size_t size,
									tlv_frame_type type, tlv_frame *frame, const tlv_kind **kind);

/* Kinds; the codes are those of the images. */
enum
{
	TLV_KIND_COUNT_SUMMARY = 1,
	TLV_KIND_COUNT_PAIRS = 2,
	TLV_KIND_COUNT_PRODUCTS = 3,
	TLV_KIND_COUNT_TRIPLES = 4,
	TLV_KIND_TOPIC_STATISTICS = 5,
	TLV_KIND_COMPLETION = 6,
	TLV_KIND_COHERENCE = 7,
	TLV_KIND_LABEL_PAIRS = 8,
	TLV_KIND_COVER_PAIRS = 9,
	TLV_KIND_MEMBERSHIP_PAIRS = 10,
	TLV_KIND_DENSE_MOMENTS = 11,
	TLV_KIND_DENSE_COMPRESSED = 12,
	TLV_KIND_VIEW_MOMENTS = 13,
	TLV_KIND_CATEGORY_VIEWS = 14,
	TLV_KIND_MIXTURE_STATISTICS = 15,
	TLV_KIND_SEQUENCE_MOMENTS = 16,
	TLV_KIND_SEQUENCE_STATISTICS = 17,
	TLV_KIND_VIEW_STATISTICS = 18,
	TLV_KIND_COMPONENT_STATISTICS = 19,
	TLV_KIND_CATEGORY_MOMENTS = 20,
	TLV_KIND_TREE_STATISTICS = 21,
	TLV_KIND_TREE_TRIPLES = 22,

	TLV_KIND_ITEM_SUBSPACE = 1,
	TLV_KIND_DENSE_SUBSPACE = 2,

	TLV_KIND_LDA = 1,
	TLV_KIND_MMSB = 2,
	TLV_KIND_GAUSSIAN_MIXTURE = 3,
	TLV_KIND_MULTIVIEW = 4,
	TLV_KIND_HMM = 5,
	TLV_KIND_ICA = 6,
	TLV_KIND_TREE = 7,

	TLV_KIND_GRAPH_UNDIRECTED = 1,
	TLV_KIND_GRAPH_DIRECTED = 2,
	TLV_KIND_GRAPH_BIPARTITE = 3
};

extern const tlv_kind tlv_kind_count_summary, tlv_kind_count_pairs, tlv_kind_count_products,
	tlv_kind_count_triples, tlv_kind_topic_statistics, tlv_kind_completion, tlv_kind_coherence,
	tlv_kind_item_subspace, tlv_kind_lda, tlv_kind_mmsb, tlv_kind_label_pairs, tlv_kind_cover_pairs,
	tlv_kind_membership_pairs, tlv_kind_graph_undirected, tlv_kind_graph_directed,
	tlv_kind_graph_bipartite;
extern const tlv_kind tlv_kind_dense_moments, tlv_kind_dense_compressed, tlv_kind_dense_subspace;
extern const tlv_kind tlv_kind_gaussian_mixture, tlv_kind_mixture_statistics;
extern const tlv_kind tlv_kind_ica, tlv_kind_component_statistics;
extern const tlv_kind tlv_kind_view_moments, tlv_kind_category_views, tlv_kind_multiview;
extern const tlv_kind tlv_kind_view_statistics;
extern const tlv_kind tlv_kind_sequence_moments, tlv_kind_sequence_statistics, tlv_kind_hmm;
extern const tlv_kind tlv_kind_tree, tlv_kind_tree_statistics, tlv_kind_tree_triples;
extern const tlv_kind tlv_kind_category_moments;

#endif /* TENSORLV_KIND_H */
