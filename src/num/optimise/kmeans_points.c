/*
 * kmeans_points.c - blocks of points (kmeans_points.h).
 *
 * Points are moved so that their mean is the origin: in single precision |p|^2 - 2 p'c + |c|^2 then
 * keeps what matters.
 */
#include "kmeans_points.h"
#include "tensorlv/num/numbers.h"

#include <cblas.h>

/* Coordinates from which on a call of BLAS is worth it. */
#define CALL_FROM 16

/* Upper bounds on the numbers of the stored tiles, and on the centers with which tiles are used:
 * BLAS arranges the points for every product, which takes longer than a product with few columns.
 */
#define TILES_MOST ((size_t) 1 << 20)
#define FEW		   16

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

tlv_status
tlv_kmeans_fill_tiles(tlv_context *ctx, kmeans_data *data)
{
	size_t d = data->d, tiles = (data->n + KMEANS_TILE - 1) / KMEANS_TILE;

	if (data->task->k > FEW || tiles > TILES_MOST / KMEANS_TILE / d)
		return TLV_OK;
	TLV_TRY_NEW0_ROWS(ctx, data->tiles, tiles * d, KMEANS_TILE);
	for (size_t i = 0; i < data->n; i++)
	{
		const float *point = data->task->points + i * d;
		float *tile = data->tiles + i / KMEANS_TILE * KMEANS_TILE * d + i % KMEANS_TILE;

		for (size_t j = 0; j < d; j++)
			tile[j * KMEANS_TILE] = point[j] - data->mean[j];
	}
	return TLV_OK;
}

/* A part of a tile, in one register or several. */
typedef float part
	__attribute__((vector_size(16 * sizeof(float)), aligned(sizeof(float)), may_alias));

TLV_CLONES static void
kmeans_points_multiply_tiles(size_t tiles, size_t d, const float *restrict points, size_t k,
							 const float *restrict centers, size_t width, float *restrict scores)
{
	for (size_t t = 0; t < tiles; t++)
		for (size_t c = 0; c < k; c++)
		{
			const part *x = (const part *) (points + t * d * KMEANS_TILE);
			part *score = (part *) (scores + c * width + t * KMEANS_TILE);
			part sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0};

			for (size_t j = 0; j < d; j++, x += 4)
			{
				float own = centers[c * d + j];

				sum0 += own * x[0];
				sum1 += own * x[1];
				sum2 += own * x[2];
				sum3 += own * x[3];
			}
			score[0] = sum0;
			score[1] = sum1;
			score[2] = sum2;
			score[3] = sum3;
		}
}

void
tlv_kmeans_scores(const kmeans_data *data, size_t first, size_t n, const float *block, size_t k,
				  const float *centers, size_t width, float *scores)
{
	size_t d = data->d;

	if (data->tiles != NULL)
		kmeans_points_multiply_tiles((n + KMEANS_TILE - 1) / KMEANS_TILE, d,
									 data->tiles + first * d, k, centers, width, scores);
	else
		cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int) n, (int) k, (int) d, 1, block,
					(int) d, centers, (int) d, 0, scores, (int) width);
}

TLV_CLONES static double
sum_numbers(size_t n, const float *restrict x)
{
	double lane[TLV_REGISTER_DOUBLES] = {0}, sum = 0;
	size_t i = 0;

	for (; i + TLV_REGISTER_DOUBLES <= n; i += TLV_REGISTER_DOUBLES)
		for (size_t l = 0; l < TLV_REGISTER_DOUBLES; l++)
			lane[l] += (double) x[i + l];
	for (; i < n; i++)
		sum += (double) x[i];
	for (size_t l = 0; l < TLV_REGISTER_DOUBLES; l++)
		sum += lane[l];
	return sum;
}

double
tlv_kmeans_sum(size_t n, const float *x, const float *weights)
{
	double sum = 0;

	if (weights == NULL)
		return sum_numbers(n, x);
	for (size_t i = 0; i < n; i++)
		sum += (double) weights[i] * (double) x[i];
	return sum;
}

size_t
tlv_kmeans_width(size_t n, size_t d, size_t k)
{
	size_t width = 262144 / (d > k ? d : k);

	width = tlv_least(width < 64 ? 64 : width > 4096 ? 4096 : width, n);
	return (width + KMEANS_TILE - 1) / KMEANS_TILE * KMEANS_TILE;
}
