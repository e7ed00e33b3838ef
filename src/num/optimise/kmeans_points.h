/*
 * kmeans_points.h - the points of k-means, in blocks about their mean: what seeds and Lloyd's
 * iteration share.
 */
#ifndef TENSORLV_KMEANS_POINTS_H
#define TENSORLV_KMEANS_POINTS_H

#include "tensorlv/num/kmeans.h"

/* Points of a tile; blocks begin with one. */
#define KMEANS_TILE 64

typedef struct kmeans_data
{
	const tlv_kmeans_task *task;
	size_t n, d;  /* those of the task */
	double total; /* of the weights */
	bool centered;
	float *mean;	/* d: the origin of all centers; 0 when centered */
	float *squares; /* n: squared lengths about it */
	float *tiles;	/* points about it, KMEANS_TILE at a time by coordinate; NULL: too many */
} kmeans_data;

static inline double
kmeans_weight(const kmeans_data *data, size_t i)
{
	return data->task->weights == NULL ? 1 : (double) data->task->weights[i];
}

/* Of the points from the first on; NULL: 1. */
static inline const float *
kmeans_weights(const kmeans_data *data, size_t first)
{
	return data->task->weights == NULL ? NULL : data->task->weights + first;
}

/* Points first .. first + n - 1, less the mean of all. */
extern void tlv_kmeans_load(const kmeans_data *data, size_t first, size_t n, float *block);

/* The same where they are, or loaded into room. */
static inline const float *
tlv_kmeans_block(const kmeans_data *data, size_t first, size_t n, float *room)
{
	if (data->centered)
		return data->task->points + first * data->d;
	tlv_kmeans_load(data, first, n, room);
	return room;
}

/*
 * Products of the points first .. first + n - 1, which are the block, with k centers, a column of
 * stride width each; room for whole tiles.
 */
extern void tlv_kmeans_scores(const kmeans_data *data, size_t first, size_t n, const float *block,
							  size_t k, const float *centers, size_t width, float *scores);

/* The tiles, where points and centers are few. */
extern tlv_status tlv_kmeans_fill_tiles(tlv_context *ctx, kmeans_data *data);

/* Squared lengths of n points of a block. */
extern void tlv_kmeans_squares(size_t d, size_t n, const float *block, float *squares);

/* Squared distance of a point from a center (which is relative to the mean), without cancellation.
 */
extern double tlv_kmeans_distance(const kmeans_data *data, size_t i, const float *center);

/* The sum of n numbers, each times its weight (NULL: 1). */
extern double tlv_kmeans_sum(size_t n, const float *x, const float *weights);

/* Points per block, in whole tiles: some MB, some ms of work with k centers. */
extern size_t tlv_kmeans_width(size_t n, size_t d, size_t k);

#endif /* TENSORLV_KMEANS_POINTS_H */
