/*
 * nonnegative.h - factors without negative entries of a third-order tensor that may have some:
 * T ~ sum_h weights[h] a_h (x) b_h (x) c_h with a, b, c >= 0.
 *
 * A tensor is d[0] x d[1] x d[2] doubles, the last index running fastest.
 */
#ifndef TENSORLV_NONNEGATIVE_H
#define TENSORLV_NONNEGATIVE_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/tensor.h"

typedef enum tlv_nonnegative_method
{
	TLV_NONNEGATIVE_HALS, /* a column at a time, exactly: hierarchical alternating least squares */
	TLV_NONNEGATIVE_PQP	  /* multiplicative steps of parallel quadratic programming, with the shift
						   * that makes them converge linearly */
} tlv_nonnegative_method;

typedef struct tlv_nonnegative_options
{
	tlv_nonnegative_method method;
	int restarts;	  /* random starts, the least residual kept; 0: 4 */
	int sweeps;		  /* at most, of each; 0: 300 (hals), 1000 (pqp) */
	double tolerance; /* a sweep that lowers the squared residual by a smaller part of |T|^2 is the
					   * last; 0: 1e-9 */
	uint64_t seed;
	bool core; /* hals of a dense tensor: starts are run on its core in bases of at most k
				* directions a mode, each sweep from a point beyond the last; the best one goes on
				* there with up to 2000 sweeps, then with the tensor itself */
} tlv_nonnegative_options;

/*
 * factors: those of the three modes one behind the other, (d[0] + d[1] + d[2]) x k, row after row,
 * every column of a mode of length 1 or 0; weights (k) >= 0, descending; *residual is
 * |T - model| / |T| (of a tensor of zeros 0).  The same
 * options and tensor give the same result; scaling T scales the weights and nothing else.  Takes
 * about 8 (k + 1) d0 d1 bytes beside the tensor.  Errors: TLV_BAD_PARAMETER
 * for k = 0 or an empty mode, TLV_BAD_DATA when an entry is not finite, TLV_MEMORY_LIMIT,
 * TLV_CANCELLED.
 *
 * Which method: hals, which reaches the optimum of the other in a sixth of its sweeps.
 *
 * Sources: Kim, He, Park 2014 (hals); Tan, Mukherjee 2017, Algorithm 1 and theorems 2 and 4.
 */
extern tlv_status tlv_nonnegative_cp(tlv_context *ctx, const size_t d[3], size_t k,
									 const double *tensor, const tlv_nonnegative_options *options,
									 double *factors, double *weights, double *residual);

/* The same of a dense or sparse tensor (of a sparse one with work that grows with its entries), and
 * what became of it. */
extern tlv_status tlv_nonnegative_factors(tlv_context *ctx, const tlv_tensor *tensor, size_t k,
										  const tlv_nonnegative_options *options, double *factors,
										  double *weights, tlv_factors_found *found);

#endif /* TENSORLV_NONNEGATIVE_H */
