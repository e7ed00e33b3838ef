/*
 * tucker.h - third-order tensors in smaller form: Tucker's, a core in orthonormal bases of the
 * modes, and the tensor train, a chain of three cores.
 */
#ifndef TENSORLV_TUCKER_H
#define TENSORLV_TUCKER_H

#include "tensorlv/num/tensor.h"

typedef struct tlv_tucker_options
{
	int iterations;	  /* sweeps after the start at most; below 0: 50; 0: the start alone */
	double tolerance; /* a sweep that lowers the residual by less is the last; 0: 1e-9 */
	uint64_t seed;	  /* of a sparse tensor, which starts at random */
} tlv_tucker_options;

/* Bytes that tlv_tucker takes at most beside its result. */
extern double tlv_tucker_memory(const tlv_tensor *tensor, const size_t r[TLV_MODES]);

/*
 * T ~ core x_0 U_0' x_1 U_1' x_2 U_2': bases u[m], r[m] x d[m] with orthonormal rows, and the core,
 * r[0] x r[1] x r[2], the last index running fastest.  Of a dense tensor begun by the sequentially
 * truncated singular value decomposition of higher order, whose squared residual is at most three
 * times the best one; then higher-order orthogonal iteration.  Errors: TLV_BAD_PARAMETER for ranks
 * that are 0, above the side or above the product of the two others, TLV_BAD_DATA when an entry is
 * not finite or all are 0, memory, TLV_CANCELLED.
 *
 * Sources: Vannieuwenhoven, Vandebril, Meerbergen 2012; De Lathauwer, De Moor, Vandewalle 2000.
 */
extern tlv_status tlv_tucker(tlv_context *ctx, const tlv_tensor *tensor, const size_t r[TLV_MODES],
							 const tlv_tucker_options *options, double *const u[TLV_MODES],
							 double *core, tlv_factors_found *found);

/*
 * |T - core x_0 U_0' x_1 U_1' x_2 U_2'| / |T| of a dense tensor, entry by entry.  u[1] may be NULL:
 * the identity, with r[1] = d[1].  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_tucker_residual(tlv_context *ctx, const tlv_tensor *tensor,
									  const size_t r[TLV_MODES], double *const u[TLV_MODES],
									  const double *core, double *residual);

/*
 * The leading r directions of one mode of a dense tensor d[0] x d[1] x d[2]: basis (r x d[mode],
 * orthonormal rows), and the r squared singular values of the unfolding.  Errors: memory,
 * TLV_CANCELLED.
 */
extern tlv_status tlv_mode_basis(tlv_context *ctx, const size_t d[TLV_MODES], const double *dense,
								 int mode, size_t r, uint64_t seed, double *basis, double *values);

/* ---- tensor train ---- */

typedef struct tlv_train
{
	size_t d[TLV_MODES];
	size_t r[2];			 /* ranks between the cores */
	double *core[TLV_MODES]; /* d[0] x r[0], r[0] x d[1] x r[1], r[1] x d[2], the last index running
							  * fastest */
	double residual;		 /* |T - train| / |T| */
} tlv_train;

/*
 * The tensor train of a dense tensor by two truncated singular value decompositions: of the given
 * ranks (train->r, which are cut to what there is), or, where these are 0, of the least whose
 * residual is at most the tolerance.  The residual is at most the square root of 2 times the least
 * that those ranks allow.  Cores are from the arena.  Directions of less than 1e-8 of |T| are
 * rounding and left out.  Errors: TLV_BAD_PARAMETER for a tolerance that is negative or at least 1,
 * TLV_BAD_DATA when an entry is not finite or all are 0, TLV_LIMIT where all of more than
 * TLV_EIGEN_LIMIT directions are asked for, memory, TLV_CANCELLED.
 *
 * Source: Oseledets 2011, algorithm 1 and theorem 2.2.
 */
extern tlv_status tlv_tensor_train(tlv_context *ctx, const tlv_tensor *tensor, double tolerance,
								   tlv_train *train);

#endif /* TENSORLV_TUCKER_H */
