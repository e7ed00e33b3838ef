/*
 * distance.h - from correlations to distances, of categories and of numbers.
 */
#ifndef TENSORLV_TREE_DISTANCE_H
#define TENSORLV_TREE_DISTANCE_H

#include "tensorlv/model/tree_structure.h"

/* Rows that two variables must share for anything to be said about them. */
#define TREE_LEAST_ROWS 4

/* No correlation is taken for larger. */
#define TREE_MOST_GAUSSIAN (1 - 1e-9)
#define TREE_MOST_CATEGORY (1 - 1e-6)

extern tlv_status tlv_tree_distances_create(tlv_context *ctx, size_t p, double rows,
											const tlv_tree_distance_options *options,
											tlv_tree_distances *distances);

/*
 * Distance, error and p-value of one pair from its r canonical correlations s (changed), r = 0
 * where none is known, of `rows` rows; `wanted` are expected of variables that are large enough.
 */
extern void tlv_tree_distance_set(tlv_tree_distances *distances, size_t a, size_t b, size_t r,
								  double *s, size_t wanted, bool gaussian, double rows,
								  double p_value);

/* Of dense_moments. */
extern tlv_status tlv_tree_distances_dense(tlv_context *ctx, const tlv_frame *moments,
										   const tlv_tree_distance_options *options,
										   tlv_tree_distances *distances);

#endif /* TENSORLV_TREE_DISTANCE_H */
