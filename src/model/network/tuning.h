/*
 * tuning.h - numbers that decide the units of a layered network and its edges.
 */
#ifndef TENSORLV_NETWORK_TUNING_H
#define TENSORLV_NETWORK_TUNING_H

#include "tensorlv/num/tuned.h"

/* ---- Sets of hyperedges (recover.c, mixtures.c) ---- */
/*
 * Proportion of the hyperedges of a set that are in no larger one, and of its members relative to
 * their usual number, from which on it is accepted; and of the rows that must show an edge.
 */
#define MAJORITY TLV_TUNED(MAJORITY, 0.5)

/* Members of a set, relative to their usual number, below which it is rejected. */
#define SMALL_SHARE TLV_TUNED(SMALL_SHARE, 0.35)

/*
 * Between these it is accepted if this proportion of it is in no larger set, and of its triples
 * are hyperedges.
 */
#define SMALL_FRESH TLV_TUNED(SMALL_FRESH, 0.9)

/* Threshold of hyperedges, relative to the count of triples within the median set. */
#define SET_SHARE TLV_TUNED(SET_SHARE, 0.6)

/* How often a threshold is corrected to this. */
#define TIMES_AGAIN TLV_TUNED(TIMES_AGAIN, 3)

/* Relative difference from it at which a threshold stays. */
#define NEAR_ENOUGH TLV_TUNED(NEAR_ENOUGH, 0.1)

/*
 * Proportion of the pairs of a set that a member is a hyperedge with; and of the members of either
 * of two sets, in common, from which on these are merged.
 */
#define MEMBER_SHARE TLV_TUNED(MEMBER_SHARE, 0.7)

/* Proportion of its hyperedges within other sets, above which a set is a mixture of these. */
#define MIXTURE_SHARE TLV_TUNED(MIXTURE_SHARE, 0.6)

/* ---- Repair of sets (repair.c) ---- */
/* Least cut between members and others, relative to the mean of the median member. */
#define LOWEST_CUT TLV_TUNED(LOWEST_CUT, 0.4)

/* Largest such cut. */
#define HIGHEST_CUT TLV_TUNED(HIGHEST_CUT, 0.85)

/* Passes over the counts. */
#define NETWORK_PASSES TLV_TUNED(NETWORK_PASSES, 4)

/* Ratio of the means of members to those of others, from which on a set is one of its own. */
#define LEAST_GAP TLV_TUNED(LEAST_GAP, 1.15)

/* ---- Threshold of hyperedges (threshold.c) ---- */
/* Hyperedges of a peak of the distribution of counts. */
#define LEAST_PEAK TLV_TUNED(LEAST_PEAK, 4.0)

/* Ratio of both peaks to the valley between them. */
#define LEAST_DEPTH TLV_TUNED(LEAST_DEPTH, 3.0)

/* Hyperedges of a peak that needs no valley. */
#define HIGH_PEAK TLV_TUNED(HIGH_PEAK, 50.0)

/* Least count of a triple that is looked at. */
#define LEAST_COUNT TLV_TUNED(LEAST_COUNT, 8.0)

/* ---- Refinement ---- */
/* Proportion of its children that are on, from which on a unit is. */
#define SHARE_ON TLV_TUNED(SHARE_ON, 0.6)

/* Steps of a layer. */
#define NETWORK_STEPS TLV_TUNED(NETWORK_STEPS, 10)

/* Proportion of what would be on that is on below an edge of weight -1. */
#define STILL_ON TLV_TUNED(STILL_ON, 0.1)

/* Edges of weight 1 that a unit keeps whatever rows show. */
#define KEPT_EDGES TLV_TUNED(KEPT_EDGES, 3)

/* Items from which on a warning names a unit of most of them. */
#define MANY_ITEMS TLV_TUNED(MANY_ITEMS, 40)

#endif /* TENSORLV_NETWORK_TUNING_H */
