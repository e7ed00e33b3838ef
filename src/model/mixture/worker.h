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
	return mixture->covariance == TLV_COVARIANCE_FULL && mixture->d <= MOST_PRODUCTS;
}

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

/* Whether numbers stay in the range of single precision when they are multiplied. */
extern bool mixture_all_narrow(size_t n, const double *x);
extern void mixture_to_float(size_t n, const double *restrict from, float *restrict to);

#endif /* TENSORLV_MIXTURE_WORKER_H */
