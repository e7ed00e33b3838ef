/*
 * moments.c - the transition functions: which aggregate is collected of which rows.
 */
#include "rows/reader.h"

#include "tensorlv/model/categories.h"
#include "tensorlv/model/convolution.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/evaluate.h"
#include "tensorlv/model/graph.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/model/network.h"
#include "tensorlv/model/sequences.h"
#include "tensorlv/model/views.h"

#define CONSTANT                                                                                   \
	{                                                                                              \
		TLV_CONSTANT_VALUE                                                                         \
	}
#define MAX_ORDER                                                                                  \
	{                                                                                              \
		TLV_CONSTANT_ORDER, "max_order"                                                            \
	}
#define METHOD                                                                                     \
	{                                                                                              \
		TLV_CONSTANT_REFINE                                                                        \
	}
#define TOP                                                                                        \
	{                                                                                              \
		TLV_CONSTANT_COUNT, "top", 1                                                               \
	}
#define BOOTSTRAP                                                                                  \
	{                                                                                              \
		TLV_CONSTANT_COUNT, "bootstrap", 0                                                         \
	}
#define SAMPLE_COUNT                                                                               \
	{                                                                                              \
		TLV_CONSTANT_COUNT, "count", 1                                                             \
	}
#define LAGS                                                                                       \
	{                                                                                              \
		TLV_CONSTANT_ORDER, "lags"                                                                 \
	}
#define SEED                                                                                       \
	{                                                                                              \
		TLV_CONSTANT_SEED                                                                          \
	}

/* ---- documents ---- */

TLV_TRANSITION(tlv_count_summary_accum, &tlv_aggregate_count_summary, &TlvBagRows, 1)
TLV_TRANSITION(tlv_count_summary_accum_array, &tlv_aggregate_count_summary, &TlvBagArrayRows, 1)
TLV_TRANSITION(tlv_count_pairs_accum, &tlv_aggregate_count_moments, &TlvBagRows, 1)
TLV_TRANSITION(tlv_count_pairs_accum_array, &tlv_aggregate_count_moments, &TlvBagArrayRows, 1)
TLV_TRANSITION(tlv_count_products_accum, &tlv_aggregate_count_products, &TlvBagRows, 1, 2,
			   {CONSTANT})
TLV_TRANSITION(tlv_count_products_accum_array, &tlv_aggregate_count_products, &TlvBagArrayRows, 1,
			   2, {CONSTANT})
TLV_TRANSITION(tlv_count_triples_accum, &tlv_aggregate_count_moments, &TlvBagRows, 1, 2, {CONSTANT})
TLV_TRANSITION(tlv_count_triples_accum_array, &tlv_aggregate_count_moments, &TlvBagArrayRows, 1, 2,
			   {CONSTANT})

TLV_TRANSITION(tlv_anchor_moments_accum, &tlv_aggregate_anchor_moments, &TlvBagRows, 1, 2,
			   {CONSTANT})
TLV_TRANSITION(tlv_anchor_moments_accum_array, &tlv_aggregate_anchor_moments, &TlvBagArrayRows, 1,
			   2, {CONSTANT})

TLV_TRANSITION(tlv_pair_moments_accum, &tlv_aggregate_pair_moments, &TlvBagRows, 1, 2, {CONSTANT})
TLV_TRANSITION(tlv_pair_moments_accum_array, &tlv_aggregate_pair_moments, &TlvBagArrayRows, 1, 2,
			   {CONSTANT})

TLV_TRANSITION(tlv_topic_products_accum, &tlv_aggregate_topic_products, &TlvBagRows, 1, 2,
			   {CONSTANT})
TLV_TRANSITION(tlv_topic_products_accum_array, &tlv_aggregate_topic_products, &TlvBagArrayRows, 1,
			   2, {CONSTANT})

/* ---- sets of items ---- */

TLV_MOVING_TRANSITION(tlv_cofire_accum, tlv_cofire_inverse, &tlv_aggregate_cofire,
					  &TlvSymbolSequences, 1, 2, {CONSTANT})
TLV_MOVING_TRANSITION(tlv_cofire_bag_accum, tlv_cofire_bag_inverse, &tlv_aggregate_cofire,
					  &TlvBagRows, 1, 2, {CONSTANT})

/* ---- vectors, views, categories, sequences ---- */

TLV_TRANSITION(tlv_dense_moments_accum, &tlv_aggregate_dense_moments, &TlvAnyTypeVectors, 1, 2,
			   {MAX_ORDER})
TLV_TRANSITION(tlv_dense_compressed_accum, &tlv_aggregate_dense_moments, &TlvAnyTypeVectors, 1, 2,
			   {CONSTANT, MAX_ORDER})
TLV_TRANSITION(tlv_row_sample_accum, &tlv_aggregate_row_sample, &TlvVectorRows, 1, 2,
			   {SAMPLE_COUNT, SEED})
TLV_TRANSITION(tlv_category_sample_accum, &tlv_aggregate_row_sample, &TlvIntegerRows, 1, 2,
			   {SAMPLE_COUNT, SEED})

TLV_TRANSITION(tlv_view_sample_accum, &tlv_aggregate_row_sample, &TlvAnyThreeRows, 1, 4,
			   {SAMPLE_COUNT, SEED})

/* Vectors and categories are collected in different values. */
static const TlvTransition *
view_transition(FunctionCallInfo fcinfo)
{
	static const TlvTransition vectors = {&tlv_aggregate_view_moments, &TlvAnyThreeRows, 1};
	static const TlvTransition categories = {&tlv_aggregate_category_views, &TlvAnyThreeRows, 1};

	return TlvAnyAreCategories(fcinfo, 1) ? &categories : &vectors;
}

TLV_FUNCTION(tlv_view_moments_accum)
{
	return TlvAccumulate(fcinfo, view_transition(fcinfo));
}

/* Sums of vectors are not exact: the server adds up anew. */
TLV_FUNCTION(tlv_view_moments_inverse)
{
	if (!TlvAnyAreCategories(fcinfo, 1))
		PG_RETURN_NULL();
	return TlvTakeAway(fcinfo, view_transition(fcinfo));
}

TLV_MOVING_TRANSITION(tlv_category_moments_accum, tlv_category_moments_inverse,
					  &tlv_aggregate_category_moments, &TlvIntegerRows, 1, 2, {BOOTSTRAP, SEED})
TLV_MOVING_TRANSITION(tlv_named_categories_accum, tlv_named_categories_inverse,
					  &tlv_aggregate_category_moments, &TlvNamedCodes, 1, 2, {BOOTSTRAP, SEED})
TLV_TRANSITION(tlv_sequence_moments_accum, &tlv_aggregate_sequence_moments, &TlvVectorSequences, 1)
TLV_MOVING_TRANSITION(tlv_symbol_moments_accum, tlv_symbol_moments_inverse,
					  &tlv_aggregate_sequence_moments, &TlvSymbolSequences, 1)

TLV_TRANSITION(tlv_series_moments_accum, &tlv_aggregate_series_moments, &TlvVectorSequences, 1, 2,
			   {LAGS, METHOD})

TLV_TRANSITION(tlv_sequence_sample_accum, &tlv_aggregate_sequence_sample, &TlvVectorSequences, 1, 2,
			   {SAMPLE_COUNT, SEED})
TLV_TRANSITION(tlv_symbol_sample_accum, &tlv_aggregate_sequence_sample, &TlvSymbolSequences, 1, 2,
			   {SAMPLE_COUNT, SEED})

TLV_MOVING_TRANSITION(tlv_named_moments_accum, tlv_named_moments_inverse,
					  &tlv_aggregate_sequence_moments, &TlvNamedSequences, 1)
TLV_TRANSITION(tlv_named_sample_accum, &tlv_aggregate_sequence_sample, &TlvNamedSequences, 1, 2,
			   {SAMPLE_COUNT, SEED})

/* ---- graphs ---- */

#define GRAPH_TRANSITIONS(graph)                                                                   \
	TLV_MOVING_TRANSITION(tlv_##graph##_accum, tlv_##graph##_accum_inverse,                        \
						  &tlv_aggregate_##graph, &TlvEdgeRows, 1)                                 \
	TLV_MOVING_TRANSITION(tlv_##graph##_accum_weight, tlv_##graph##_weight_inverse,                \
						  &tlv_aggregate_weighted_##graph, &TlvWeightedEdgeRows, 1)                \
	TLV_MOVING_TRANSITION(tlv_named_##graph##_accum, tlv_named_##graph##_accum_inverse,            \
						  &tlv_aggregate_##graph, &TlvNamedEdgeRows, 1)                            \
	TLV_MOVING_TRANSITION(tlv_named_##graph##_accum_weight, tlv_named_##graph##_weight_inverse,    \
						  &tlv_aggregate_weighted_##graph, &TlvNamedEdgeWeightedRows, 1)

GRAPH_TRANSITIONS(graph)
GRAPH_TRANSITIONS(digraph)
GRAPH_TRANSITIONS(bigraph)

/* The two ends of a bipartite graph have ids of their own, so they may be told in different ways.
 */
TLV_MOVING_TRANSITION(tlv_named_source_accum, tlv_named_source_accum_inverse,
					  &tlv_aggregate_bigraph, &TlvNamedSourceRows, 1)
TLV_MOVING_TRANSITION(tlv_named_source_accum_weight, tlv_named_source_weight_inverse,
					  &tlv_aggregate_weighted_bigraph, &TlvNamedSourceWeightedRows, 1)
TLV_MOVING_TRANSITION(tlv_named_target_accum, tlv_named_target_accum_inverse,
					  &tlv_aggregate_bigraph, &TlvNamedTargetRows, 1)
TLV_MOVING_TRANSITION(tlv_named_target_accum_weight, tlv_named_target_weight_inverse,
					  &tlv_aggregate_weighted_bigraph, &TlvNamedTargetWeightedRows, 1)

/* An undirected graph would count the two ends of an edge twice. */
TLV_TRANSITION(tlv_digraph_accum_neighbours, &tlv_aggregate_weighted_digraph, &TlvNeighbourRows, 1)
TLV_TRANSITION(tlv_bigraph_accum_neighbours, &tlv_aggregate_weighted_bigraph, &TlvNeighbourRows, 1)

/* ---- an estimate against the truth ---- */

TLV_MOVING_TRANSITION(tlv_label_pairs_accum, tlv_label_pairs_inverse, &tlv_aggregate_label_pairs,
					  &TlvLabelRows, 1)
TLV_MOVING_TRANSITION(tlv_cover_pairs_accum, tlv_cover_pairs_inverse, &tlv_aggregate_cover_pairs,
					  &TlvCoverRows, 1)
TLV_MOVING_TRANSITION(tlv_named_cover_pairs_accum, tlv_named_cover_pairs_inverse,
					  &tlv_aggregate_cover_pairs, &TlvNamedCoverRows, 1)
TLV_TRANSITION(tlv_membership_pairs_accum, &tlv_aggregate_membership_pairs, &TlvMembershipRows, 1)

/* ---- under a model ---- */

TLV_TRANSITION(tlv_statistics_accum, &tlv_aggregate_statistics, &TlvModelRows, 1, 2,
			   {CONSTANT, METHOD})
TLV_TRANSITION(tlv_neighbour_statistics_accum, &tlv_aggregate_statistics, &TlvNeighbourRows, 1, 3,
			   {CONSTANT})
TLV_TRANSITION(tlv_view_statistics_accum, &tlv_aggregate_statistics, &TlvAnyThreeRows, 1, 4,
			   {CONSTANT})

TLV_TRANSITION(tlv_error_statistics_accum, &tlv_aggregate_error_statistics, &TlvModelRows, 1, 2,
			   {CONSTANT})
TLV_TRANSITION(tlv_view_error_statistics_accum, &tlv_aggregate_error_statistics, &TlvAnyThreeRows,
			   1, 4, {CONSTANT})

TLV_TRANSITION(tlv_completion_accum, &tlv_aggregate_perplexity, &TlvBagRows, 1, 2, {CONSTANT})
TLV_TRANSITION(tlv_completion_accum_array, &tlv_aggregate_perplexity, &TlvBagArrayRows, 1, 2,
			   {CONSTANT})
TLV_MOVING_TRANSITION(tlv_coherence_accum, tlv_coherence_inverse, &tlv_aggregate_coherence,
					  &TlvBagRows, 1, 2, {CONSTANT, TOP})
TLV_MOVING_TRANSITION(tlv_coherence_accum_array, tlv_coherence_array_inverse,
					  &tlv_aggregate_coherence, &TlvBagArrayRows, 1, 2, {CONSTANT, TOP})
