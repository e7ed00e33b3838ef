/*
 * kmeans_seed.h - what the two files of k-means share.
 */
#ifndef TENSORLV_KMEANS_SEED_H
#define TENSORLV_KMEANS_SEED_H

#include "tensorlv/num/sparse.h"

typedef struct kmeans_data
{
	size_t n, d;
	const float *points;  /* d x n */
	const float *weights; /* n, or NULL: 1 */
	double total;		  /* of the weights */
	float *mean;		  /* d: the origin of all centers */
} kmeans_data;

/* Points first .. first + n - 1, less the mean of all. */
extern void tlv_kmeans_load(const kmeans_data *data, size_t first, size_t n, float *block);

/* Squared lengths of n points of a block. */
extern void tlv_kmeans_squares(size_t d, size_t n, const float *block, float *squares);

/* Squared distance of a point from a center (which is relative to the mean), without cancellation.
 */
extern double tlv_kmeans_distance(const kmeans_data *data, size_t i, const float *center);

/* Points per block: some MB, some ms of work with k centers. */
extern size_t tlv_kmeans_width(size_t n, size_t d, size_t k);

/*
 * Centers (d x k) chosen from the points by greedy k-means++: each is the best of 2 + ln k points
 * drawn in proportion to their squared distance from the centers before.  *found < k when fewer
 * points are distinct.  Of very many points a random part is looked at.
 */
extern tlv_status tlv_kmeans_seed(tlv_context *ctx, const kmeans_data *data, size_t k, tlv_rng *rng,
								  float *centers, size_t *found);

#endif /* TENSORLV_KMEANS_SEED_H */
