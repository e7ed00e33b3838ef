/*
 * kmeans_points.c - blocks of points (kmeans_points.h).
 *
 * Points are moved so that their mean is the origin: in single precision |p|^2 - 2 p'c + |c|^2 then
 * keeps what matters.
 */
#include "kmeans_points.h"

#include <cblas.h>

/* Coordinates from which on a call of BLAS is worth it. */
#define CALL_FROM 16

void
tlv_kmeans_load(const kmeans_data *data, size_t first, size_t n, float *block)
{
	size_t d = data->d;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < d; j++)
			block[i * d + j] = data->task->points[(first + i) * d + j] - data->mean[j];
}

void
tlv_kmeans_squares(size_t d, size_t n, const float *block, float *squares)
{
	for (size_t i = 0; i < n; i++)
	{
		const float *point = block + i * d;
		float sum = 0;

		for (size_t j = 0; j < d && d < CALL_FROM; j++)
			sum += point[j] * point[j];
		squares[i] = d < CALL_FROM ? sum : cblas_sdot((int) d, point, 1, point, 1);
	}
}

double
tlv_kmeans_distance(const kmeans_data *data, size_t i, const float *center)
{
	const float *point = data->task->points + i * data->d;
	double sum = 0;

	for (size_t j = 0; j < data->d; j++)
	{
		double difference = (double) (point[j] - data->mean[j]) - (double) center[j];

		sum += difference * difference;
	}
	return sum;
}

size_t
tlv_kmeans_width(size_t n, size_t d, size_t k)
{
	size_t width = 262144 / (d > k ? d : k);

	width = width < 64 ? 64 : width > 4096 ? 4096 : width;
	return n < width ? n : width;
}
