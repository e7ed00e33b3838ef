/*
 * lanes.h - eight numbers at once: eight states of one sequence, or one state of eight
 * sequences.
 */
#ifndef TLV_HMM_LANES_H
#define TLV_HMM_LANES_H

#include <stddef.h>

/* Blocks of memory are aligned to it anyway; the type does not insist. */
typedef double tlv_lanes __attribute__((vector_size(64), aligned(8), may_alias));

#define TLV_LANES ((size_t) 8)

/* Steps between two normalisations: each takes off a factor of TLV_HMM_LEAST / 10 at the most. */
#define TLV_LANES_STEPS ((size_t) 8)

/* n rounded up to whole lanes. */
static inline size_t
tlv_whole_lanes(size_t n)
{
	return (n + TLV_LANES - 1) / TLV_LANES * TLV_LANES;
}

static inline double
tlv_lanes_sum(const tlv_lanes *x)
{
	return (((*x)[0] + (*x)[4]) + ((*x)[1] + (*x)[5])) +
		   (((*x)[2] + (*x)[6]) + ((*x)[3] + (*x)[7]));
}

#endif /* TLV_HMM_LANES_H */
