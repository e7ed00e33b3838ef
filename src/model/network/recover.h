/*
 * recover.h - hyperedges of a recovery and the sets among them: what recover.c and mixtures.c
 * share.
 */
#ifndef TENSORLV_NETWORK_RECOVER_H
#define TENSORLV_NETWORK_RECOVER_H

#include "internal.h"
#include "tensorlv/num/rng.h"

typedef struct recovery
{
	size_t items;
	size_t n;		  /* hyperedges */
	int64_t *keys;	  /* n, ascending */
	bool *marked;	  /* n */
	uint64_t *links;  /* 3 n, ascending: two items and the third of a hyperedge */
	uint32_t *degree; /* work, of a candidate */
	int32_t *set;
	size_t set_n;
	tlv_rng rng;
} recovery;

/* The number of a hyperedge of three items in any order; n: there is none. */
extern size_t tlv_hyperedge(const recovery *r, size_t a, size_t b, size_t c);

/* ---- mixtures.c ---- */

/* What is two sets or more, and parts of many, has next to no hyperedges of its own; the largest
 * are looked at first. */
extern tlv_status tlv_network_drop_mixtures(tlv_context *ctx, const recovery *r,
											tlv_network_sets *sets);

/* Mean counts of threes within the sets, as shares of rows, and how many hyperedges these have. */
extern tlv_status tlv_network_measure_sets(tlv_context *ctx, recovery *r, const tlv_frame *frame,
										   tlv_network_sets *sets);

#endif /* TENSORLV_NETWORK_RECOVER_H */
