/*
 * octet.h - eight numbers at once: eight states of one sequence, or one state of eight
 * sequences.
 */
#ifndef TLV_HMM_OCTET_H
#define TLV_HMM_OCTET_H

#include <stddef.h>

/* Blocks of memory are aligned to it anyway; the type does not insist. */
typedef double tlv_octet __attribute__((vector_size(64), aligned(8), may_alias));

#define TLV_OCTET ((size_t) 8)

/* Steps between two normalisations: each takes off a factor of TLV_LEAST_PROBABILITY / 10 at the
 * most. */
#define TLV_OCTET_STEPS ((size_t) 8)

/* n rounded up to whole octets. */
static inline size_t
tlv_whole_octets(size_t n)
{
	return (n + TLV_OCTET - 1) / TLV_OCTET * TLV_OCTET;
}

static inline double
tlv_octet_sum(const tlv_octet *x)
{
	return (((*x)[0] + (*x)[4]) + ((*x)[1] + (*x)[5])) +
		   (((*x)[2] + (*x)[6]) + ((*x)[3] + (*x)[7]));
}

#endif /* TLV_HMM_OCTET_H */
