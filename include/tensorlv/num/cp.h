/*
 * cp.h - canonical polyadic decomposition (CP, PARAFAC) of a third-order tensor of any shape:
 * T ~ sum_h weights[h] a_h (x) b_h (x) c_h with unit vectors.
 */
#ifndef TENSORLV_CP_H
#define TENSORLV_CP_H

#include "tensorlv/num/tensor.h"

typedef struct tlv_cp_options
{
	int restarts;	/* random starts, beside simultaneous diagonalisation where k is at most two of
					 * the sides; 0: 3, or 10 where k is above the second largest side */
	int iterations; /* sweeps of a start at most; 0: 500, or 1000 likewise */
	double tolerance; /* a sweep that lowers the residual by less is the last; 0: 1e-9 */
	bool diagonalise; /* only the start of simultaneous diagonalisation (Jennrich), and only it */
	uint64_t seed;
} tlv_cp_options;

/*
 * factors: those of the three modes one behind the other, k x (d[0] + d[1] + d[2]), every column
 * vector of a mode of length 1, the entry of largest modulus positive in the first two modes;
 * weights (k) >= 0, descending.  A dense tensor is first put into bases of at most k directions a
 * mode (tucker.h), so that starts cost what a tensor of k^3 costs; alternating least squares,
 * accelerated, with a proximal term; the least residual of all starts, polished on the tensor
 * itself.  The same options and tensor give the same result; scaling T scales the weights and
 * nothing else.  k may be above the sides: unique in general as long as 2 k + 2 is at most the sum
 * of the sides (Kruskal), and found as cp.md of the explanation says.  Errors: TLV_BAD_PARAMETER
 * for k = 0, TLV_BAD_DATA when an entry is not finite or all are 0, TLV_LIMIT for k above 1000,
 * memory, TLV_CANCELLED.
 *
 * Sources: Harshman 1970; Leurgans, Ross, Abel 1993 (the start); Bro, Andersson 1998 (compression);
 * Ang, Cohen, Gillis, Hien 2020 (acceleration).
 */
extern tlv_status tlv_cp(tlv_context *ctx, const tlv_tensor *tensor, size_t k,
						 const tlv_cp_options *options, double *factors, double *weights,
						 tlv_factors_found *found);

/* Part of it: whether the tensor can be decomposed into k components at all. */
extern tlv_status tlv_cp_check(tlv_context *ctx, const tlv_tensor *tensor, size_t k);

#endif /* TENSORLV_CP_H */
