/*
 * block_float.h - what subspace_float.c needs of block_float.c.
 */
#ifndef TENSORLV_BLOCK_FLOAT_H
#define TENSORLV_BLOCK_FLOAT_H

#include "tensorlv/num/sparse.h"

/*
 * tlv_orthonormalize_float for a block whose directions are only kept apart:
 * ends after the first round that leaves them orthonormal to about 1e-5.
 */
extern tlv_status tlv_orthonormalize_roughly(tlv_context *ctx, size_t l, size_t n, float *x,
											 tlv_rng *rng, size_t *rank);

/* n numbers of mean 0 and variance 1, nearly normal, at one word of the generator each. */
extern tlv_status tlv_fill_random_float(tlv_context *ctx, size_t n, size_t stride, float *x,
										tlv_rng *rng);

#endif /* TENSORLV_BLOCK_FLOAT_H */
