/*
 * internal.h - the steps from tables of categories to a model.
 */
#ifndef TLV_TREE_PARAMETERS_INTERNAL_H
#define TLV_TREE_PARAMETERS_INTERNAL_H

#include "tensorlv/model/tree_belief.h"
#include "tensorlv/model/tree_selection.h"

/*
 * Tables of all nodes (tlv_tree_table_offsets) from those of triples, one after the other, and of
 * pairs, both in the order of the selection.
 */
extern tlv_status tlv_tree_solve(tlv_context *ctx, const tlv_tree_parts *parts,
								 const double *triple_tables, const double *pairs,
								 const tlv_decompose_options *decompose, double *tables,
								 tlv_diagnostics *diagnostics);

/* The accumulator of the tables that a model without parameters asks for. */
extern tlv_status tlv_tree_triples_create(tlv_context *ctx, tlv_model *model,
										  tlv_accumulator **accumulator);
/* The model that tables of triples complete. */
extern tlv_status tlv_tree_complete(tlv_context *ctx, const tlv_frame *model,
									const tlv_frame *statistics, void **image, size_t *size);

/* Writes a categorical model after weak hidden nodes have been merged into their parents. */
extern tlv_status tlv_tree_regularise(tlv_context *ctx, const tlv_tree_parts *parts, void **image,
									  size_t *size);

#endif /* TLV_TREE_PARAMETERS_INTERNAL_H */
