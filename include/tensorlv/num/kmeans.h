/*
 * kmeans.h - k-means of points in single precision.
 */
#ifndef TENSORLV_KMEANS_H
#define TENSORLV_KMEANS_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/rng.h"

typedef struct tlv_kmeans_task
{
	size_t n;			  /* points */
	size_t d;			  /* coordinates, each scaled by what it is to count */
	const float *points;  /* d x n, contiguous per point */
	const float *weights; /* n, at least 0; NULL: 1 */
	size_t k;			  /* clusters */
	int starts;
	int max_steps; /* of every start; 0: every point to the nearest of the first centers */
	size_t among;  /* first centers are sought among so many of the first points; 0: among all */
} tlv_kmeans_task;

/*
 * Greedy k-means++ starts (Arthur,
 * Vassilvitskii 2007), Lloyd's iteration with the distances as one GEMM per
 * block of points until no label changes, the sum of squares falls by less
 * than 1e-5 of itself, or after max_steps, best of `starts` by the weighted
 * within-cluster sum of squares, *inertia.  Where n d k exceeds 2e9 the start is sought
 * among max(50000, 20 k) random points.
 *
 * label[i] in 0 .. k - 1; no cluster is left empty while k points of positive
 * weight are distinct (as floats about the mean of all): an empty one gets the point
 * farthest from its center.  When only k' < k are, each is a cluster
 * of its own, labels k' .. k - 1 are not used, and their centers repeat that
 * of label 0.  centers (d x k, float: the means) may be NULL.
 *
 * The same seed gives the same labels.  Interruptible.  Memory: 12 n bytes, 12 k d, some MB; while
 * starting also at most 92 bytes for each point looked at.  Errors: TLV_BAD_PARAMETER unless
 * 1 <= k <= n, d >= 1, starts >= 1, max_steps >= 0; TLV_BAD_DATA for a coordinate that is not
 * finite, for a weight that is not finite or negative, and when all weights are 0.  Points beyond
 * 1e15, or all below 1e-15, take 4 n d bytes more.
 */
extern tlv_status tlv_kmeans(tlv_context *ctx, const tlv_kmeans_task *task, tlv_rng *rng,
							 int32_t *label, float *centers, double *inertia);

/*
 * The same, with the labels (n x starts) and the sum of squares of every start, not only of the
 * best; start s takes at most max_steps[s] steps.
 */
extern tlv_status tlv_kmeans_starts(tlv_context *ctx, const tlv_kmeans_task *task,
									const int *max_steps, tlv_rng *rng, int32_t *label,
									double *inertia);

#endif /* TENSORLV_KMEANS_H */
