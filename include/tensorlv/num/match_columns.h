/*
 * match_columns.h - which columns of two matrices belong together.
 */
#ifndef TENSORLV_MATCH_COLUMNS_H
#define TENSORLV_MATCH_COLUMNS_H

#include "tensorlv/num/context.h"

typedef enum tlv_matching
{
	TLV_MATCH_ASSIGNMENT, /* the permutation with the largest sum of cosines */
	TLV_MATCH_PROCRUSTES, /* the largest entries of the nearest orthogonal matrix */
	TLV_MATCH_ANGLE		  /* for every column of a the nearest of b */
} tlv_matching;

/*
 * Columns of b (n x k, row after row) that belong to those of a, by the cosines of their angles:
 * partner (k).  *valid: they are a permutation, as by assignment they always are.
 *
 * Source: Tan, Mukherjee 2017, 4.2; the assignment is what its theorem 1 wants.
 */
extern tlv_status tlv_match_columns(tlv_context *ctx, size_t n, size_t k, const double *a,
									const double *b, tlv_matching matching, int64_t *partner,
									bool *valid);

#endif /* TENSORLV_MATCH_COLUMNS_H */
