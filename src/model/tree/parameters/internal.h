/*
 * internal.h - the steps from tables of categories to a model.
 */
#ifndef TLV_TREE_PARAMETERS_INTERNAL_H
#define TLV_TREE_PARAMETERS_INTERNAL_H

#include "tensorlv/model/tree_belief.h"
#include "tensorlv/model/tree_selection.h"

/*
 * Chooses triples (3 x hidden, ascending) whose pairs show the states of their hidden node, and
 * with states = 0, or when no hidden node has that number of states, the states, too (node_states
 * of hidden nodes are written; the latter with a warning).  parts has the diagnostics, and the
 * names that warnings show.
 */
extern tlv_status tlv_tree_choose(tlv_context *ctx, const tree_shape *shape, const double *length,
								  const tlv_category_tables *tables, size_t states,
								  int64_t *node_states, int64_t *triples,
								  const tlv_tree_parts *parts);

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
