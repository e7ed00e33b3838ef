/*
 * match_columns.h - which columns of two matrices belong together.
 */
#ifndef TENSORLV_MATCH_COLUMNS_H
#define TENSORLV_MATCH_COLUMNS_H

#include "tensorlv/num/context.h"

/*
 * Columns of b (n x k, row after row) that belong to those of a: partner (k) is the permutation
 * with the largest sum of cosines of their angles.  Errors: memory, TLV_CANCELLED.
 *
 * Source: Tan, Mukherjee 2017, theorem 1.
 */
extern tlv_status tlv_match_columns(tlv_context *ctx, size_t n, size_t k, const double *a,
									const double *b, int64_t *partner);

#endif /* TENSORLV_MATCH_COLUMNS_H */
