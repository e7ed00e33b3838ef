/*
 * worker.h - what the files that work on one document share: the
 * worker, its float kernels and the draws that rng.h does not have.  Private to src/model.
 */
#ifndef TENSORLV_TOPIC_WORKER_H
#define TENSORLV_TOPIC_WORKER_H

#include "tensorlv/model/topics.h"

/* No topic is quite impossible for an item: keeps every mixture positive. */
#define TLV_PHI_FLOOR 1e-12f

/* Floats that a kernel touches between two looks at tlv_should_stop(): a few milliseconds. */
#define TLV_KERNEL_FLOATS 4000000

struct tlv_topic_worker
{
	size_t k;
	size_t d;
	size_t width; /* k rounded up to TLV_REGISTER_FLOATS */
	double alpha0;
	double *alpha;		   /* k */
	double *digamma_alpha; /* k */
	double digamma_alpha0;
	float *phi;		/* d rows of width floats, 64-byte aligned, >= TLV_PHI_FLOOR */
	float *theta;	/* width; zeros behind k, as in all float rows */
	float *weights; /* width: theta or alpha + counts */
	float *product; /* width: phi of an item times weights */
	float *row;		/* width: sums of one item */
	double *totals; /* k */
	void *phi_block;
	void *float_block;
	/* buffers that grow with the documents */
	uint16_t *assignment; /* topics of the single tokens */
	size_t assignment_room;
	double *shares; /* counts per topic of the items that are drawn as one block */
	size_t shares_room;
	float *moved; /* rows of a document's items under topics that move */
	size_t moved_room;
	int32_t *moved_at; /* their numbers: 0, 1, 2, ... */
	size_t moved_at_room;
	int32_t *half_index[2]; /* observed and scored half */
	size_t half_index_room[2];
	double *half_count[2];
	size_t half_count_room[2];
};

/*
 * Kernels are inlined by force: a call from a clone for wide registers into code for narrow ones
 * would cost more than the work.
 */
#define TLV_KERNEL static inline __attribute__((always_inline))

/* statistics of one item += scale * row; whole registers first */
TLV_KERNEL void
tlv_add_topic_row(size_t k, double *restrict items, const float *restrict row, double scale)
{
	size_t j = 0;

	for (; j + 8 <= k; j += 8)
		for (size_t l = 0; l < 8; l++)
			items[j + l] += scale * (double) row[j + l];
	for (; j < k; j++)
		items[j] += scale * (double) row[j];
}

/* sum of the lanes, pairwise */
TLV_KERNEL float
tlv_lanes_sum(const float *lane)
{
	float half[8];
	float quarter[4];

	for (int l = 0; l < 8; l++)
		half[l] = lane[l] + lane[l + 8];
	for (int l = 0; l < 4; l++)
		quarter[l] = half[l] + half[l + 4];
	return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

/* Row of an item. */
static inline const float *
tlv_topic_row(const tlv_topic_worker *worker, int32_t index)
{
	return worker->phi + (size_t) index * worker->width;
}

/* Items that a kernel may treat between two looks at tlv_should_stop(). */
static inline size_t
tlv_topic_chunk(const tlv_topic_worker *worker)
{
	size_t chunk = TLV_KERNEL_FLOATS / worker->width;

	return chunk == 0 ? 1 : chunk;
}

/*
 * Checks a document: positions inside the model, counts finite and > 0, and
 * integers up to 2^53 if `whole` is true.  *tokens (may be NULL) gets their sum.
 */
extern tlv_status tlv_topic_check_document(tlv_context *ctx, const tlv_topic_worker *worker,
										   size_t n, const int32_t *index, const double *count,
										   bool whole, double *tokens);

/* worker->theta by at most `steps` fixed-point steps from uniform memberships. */
extern tlv_status tlv_topic_fixed_point(tlv_context *ctx, tlv_topic_worker *worker, size_t n,
										const int32_t *index, const double *count, int steps,
										double tolerance);

/* worker->row: for every topic the expected tokens over its share, worker->theta. */
extern tlv_status tlv_topic_add_up(tlv_context *ctx, tlv_topic_worker *worker, size_t n,
								   const int32_t *index, const double *count);

/*
 * A buffer for at least `count` elements in place of the given one, whose contents are lost; grows
 * geometrically.  NULL when memory is short; the old buffer and its room are gone then, too.
 */
extern void *tlv_topic_reserve(tlv_context *ctx, void *buffer, size_t *room, size_t count,
							   size_t size);

/* gains_j += scale (digamma(alpha_j + N_j) - digamma(alpha_j)), N = worker->totals. */
extern void tlv_topic_alpha_add(const tlv_topic_worker *worker, double scale, double *gains);

/* digamma(alpha0 + tokens) - digamma(alpha0) */
extern double tlv_topic_alpha_length(const tlv_topic_worker *worker, double tokens);

#endif /* TENSORLV_TOPIC_WORKER_H */
