/*
 * worker.h - a mixture that is prepared for blocks of rows: what is made ready before (worker.c),
 * and what the blocks do with it (expect.c).
 */
#ifndef TENSORLV_MIXTURE_WORKER_H
#define TENSORLV_MIXTURE_WORKER_H

#include "tensorlv/model/mixture.h"

/* Up to this dimension a block's products of coordinates are formed once for all components; of
 * more they cost more than whitening the rows for every component, which leaves out rows of no
 * share. */
#define MOST_PRODUCTS 20

static inline bool
mixture_forms_products(const tlv_mixture *mixture)
{
	return tlv_is_matrix(mixture->covariance) && mixture->d <= MOST_PRODUCTS;
}

/* The mean of the floors, the least variance that all coordinates have in common; above 0. */
extern double mixture_mean_floor(size_t d, const double *floor);

/* The room of worker->narrow: rows, d x block; shares, block x k; linear and sums, d x k. */

static inline float *
mixture_narrow_shares(const tlv_mixture_worker *worker)
{
	return worker->narrow + worker->mixture->d * TLV_MIXTURE_BLOCK;
}

static inline float *
mixture_narrow_linear(const tlv_mixture_worker *worker)
{
	return mixture_narrow_shares(worker) + worker->mixture->k * TLV_MIXTURE_BLOCK;
}

static inline float *
mixture_narrow_sums(const tlv_mixture_worker *worker)
{
	return mixture_narrow_linear(worker) + worker->mixture->d * worker->mixture->k;
}

/* ---- directions.c ---- */

/* Component j from the sum (d) of its rows. */
extern void mixture_set_direction(tlv_mixture *mixture, size_t j, double rows, const double *sum);

/* What tlv_mixture_infer_given, tlv_mixture_list_components, tlv_mixture_score and
 * tlv_mixture_redraw do of directions, the last three of one component. */
extern tlv_status mixture_list_direction(tlv_context *ctx, tlv_mixture_listing *listing, size_t j);
extern void mixture_score_direction(const tlv_mixture *mixture, size_t j, double share,
									const double *x, double *scores);
extern void mixture_redraw_direction(tlv_mixture *mixture, size_t j, const double *values);

/* One more estimate; apart: in a block of its own where they are divided (errors.c). */
extern tlv_status mixture_add_estimate(tlv_context *ctx, tlv_mixture_listing *listing, bool apart,
									   tlv_estimate estimate);

/* ---- single precision (expect.c) ---- */

/* Whether numbers stay in the range of single precision when they are multiplied. */
extern bool mixture_all_narrow(size_t n, const double *x);
extern void mixture_to_float(size_t n, const double *restrict from, float *restrict to);

#endif /* TENSORLV_MIXTURE_WORKER_H */
