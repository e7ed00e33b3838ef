/*
 * batch_sums.h - what the posteriors of a few rows of a batch add to the expected statistics:
 * k numbers of eight lanes for every row.
 */
#ifndef TLV_HMM_BATCH_SUMS_H
#define TLV_HMM_BATCH_SUMS_H

#include "internal.h"

/* pairs[to + k from] += weighted[to] alpha[from] of the row before, over n rows and all lanes. */
extern void tlv_hmm_add_pairs(size_t k, size_t n, const tlv_octet *restrict weighted,
							  const tlv_octet *restrict before, double *restrict pairs);

/* Posteriors of the rows in which sequences start (a bit for every lane). */
extern void tlv_hmm_add_first(size_t k, const uint8_t *starts, size_t n, const double *gamma,
							  double *initial);

/* emissions (k x d) of each lane's symbol += gamma; at: d where a symbol is not known. */
extern void tlv_hmm_add_symbols(size_t k, size_t d, const int32_t *at, size_t n,
								const double *gamma, double *restrict emissions);

/* Sums of the vectors of n rows of the batch from `row` on.  work: stride x (1 +
 * tlv_hmm_vector_sums) */
extern void tlv_hmm_add_lane_vectors(const tlv_hmm_model *model, const tlv_hmm_batch *batch,
									 size_t row, size_t n, const double *gamma, double *work,
									 tlv_hmm_sums *sums);

#endif /* TLV_HMM_BATCH_SUMS_H */
