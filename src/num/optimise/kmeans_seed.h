/*
 * kmeans_seed.h - centers to begin k-means with.
 */
#ifndef TENSORLV_KMEANS_SEED_H
#define TENSORLV_KMEANS_SEED_H

#include "kmeans_points.h"

/*
 * Centers (d x k) chosen from the points by greedy k-means++: each is the best of 2 + ln k points
 * drawn in proportion to their squared distance from the centers before.  *found < k when fewer
 * points are distinct.  Of very many points a random part is looked at.
 */
extern tlv_status tlv_kmeans_seed(tlv_context *ctx, const kmeans_data *data, tlv_rng *rng,
								  float *centers, size_t *found);

#endif /* TENSORLV_KMEANS_SEED_H */
