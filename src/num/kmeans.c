/*
 * kmeans.c - k-means by Lloyd's iteration (sparse.h).
 *
 * Points are handled in blocks, moved so that their mean is the origin: in
 * single precision |p|^2 - 2 p'c + |c|^2 then keeps what matters.  The products
 * of a block with all centers are one GEMM.
 */
#include "kmeans_seed.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* Iterations end when the sum of squares falls by less than this part. */
#define INERTIA_TOLERANCE 1e-5

/* Squares of larger coordinates leave single precision. */
#define COORDINATE_MOST 1e15

/* Squared distances below this part of the squared lengths are mostly rounding. */
#define ROUNDING 1e-5F

/* A cluster of less than this part of all weight has only points without any, but for rounding. */
#define NO_WEIGHT 1e-14

static inline size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ---- blocks of points ---- */

void
tlv_kmeans_load(const kmeans_data *data, size_t first, size_t n, float *block)
{
	size_t d = data->d;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < d; j++)
			block[i * d + j] = data->points[(first + i) * d + j] - data->mean[j];
}

void
tlv_kmeans_squares(size_t d, size_t n, const float *block, float *squares)
{
	for (size_t i = 0; i < n; i++)
		squares[i] = cblas_sdot((int) d, block + i * d, 1, block + i * d, 1);
}

double
tlv_kmeans_distance(const kmeans_data *data, size_t i, const float *center)
{
	const float *point = data->points + i * data->d;
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

	return least(n, width < 64 ? 64 : width > 4096 ? 4096 : width);
}

static inline double
weight_of(const kmeans_data *data, size_t i)
{
	return data->weights == NULL ? 1 : (double) data->weights[i];
}

/* Points and weights are finite, and their weighted mean. */
static tlv_status
check_points(tlv_context *ctx, kmeans_data *data, double *sum)
{
	size_t d = data->d, block = 1000000 / d + 1;

	bool valid = true;

	memset(sum, 0, d * sizeof(double));
	data->total = 0;
	for (size_t i = 0; i < data->n; i++)
	{
		double weight = weight_of(data, i);

		if (i % block == 0)
			TLV_TRY_CONTINUE(ctx);
		if (!(weight >= 0 && isfinite(weight)))
			return tlv_fail(ctx, TLV_BAD_DATA, "weight %g of point %zu is not valid", weight,
							i + 1);
		data->total += weight;
		for (size_t j = 0; j < d; j++)
		{
			float x = data->points[i * d + j];

			valid &= fabsf(x) <= COORDINATE_MOST; /* false for what is not a number */
			sum[j] += weight * (double) x;
		}
		if (!valid)
			return tlv_fail(ctx, TLV_BAD_DATA,
							"point %zu has coordinates that are not finite or exceed %g", i + 1,
							COORDINATE_MOST);
	}
	if (!(data->total > 0))
		return tlv_fail(ctx, TLV_BAD_DATA, "all weights of the points are 0");
	for (size_t j = 0; j < d; j++)
		data->mean[j] = (float) (sum[j] / data->total);
	return TLV_OK;
}

/* ---- Lloyd's iteration ---- */

typedef struct lloyd
{
	const kmeans_data *data;
	size_t k;
	size_t width;	 /* points per block */
	float *centers;	 /* d x k */
	float *half;	 /* k: |c|^2 / 2 */
	double *sums;	 /* d x k */
	double *sizes;	 /* k: weights */
	size_t *counts;	 /* k: points */
	float *block;	 /* d x width */
	float *squares;	 /* width */
	float *scores;	 /* k x width */
	float *distance; /* n: squared, to the center of the label */
	int32_t *label;
	double inertia;
	size_t changed; /* labels */
} lloyd;

#define LANES 16

/* Position of the largest p'c - |c|^2 / 2; the first of several. */
TLV_CLONES static int32_t
nearest_center(size_t k, const float *restrict score, const float *restrict half, float *most)
{
	float best[LANES];
	int32_t at[LANES], found = 0;
	size_t c = 0;

	for (int j = 0; j < LANES; j++)
	{
		best[j] = -INFINITY;
		at[j] = 0;
	}
	for (; c + LANES <= k; c += LANES)
		for (int j = 0; j < LANES; j++)
		{
			float value = score[c + (size_t) j] - half[c + (size_t) j];
			bool more = value > best[j];

			best[j] = more ? value : best[j];
			at[j] = more ? (int32_t) c : at[j];
		}
	for (int j = 0; j < LANES; j++)
		at[j] += j;
	*most = best[0];
	found = at[0];
	for (int j = 1; j < LANES; j++)
		if (best[j] > *most || (best[j] == *most && at[j] < found))
		{
			*most = best[j];
			found = at[j];
		}
	for (; c < k; c++)
		if (score[c] - half[c] > *most)
		{
			*most = score[c] - half[c];
			found = (int32_t) c;
		}
	return found;
}

static void
add_point(lloyd *s, size_t c, double weight, const float *restrict point)
{
	double *restrict sum = s->sums + c * s->data->d;

	for (size_t j = 0; j < s->data->d; j++)
		sum[j] += weight * (double) point[j];
	s->sizes[c] += weight;
}

/*
 * The distance of a point so close to its center that it is mostly rounding
 * is computed anew, to every center that rounding cannot tell from the nearest.
 */
static int32_t
nearest_exactly(const lloyd *s, size_t point, float square, const float *score, int32_t nearest,
				float *distance)
{
	const float *half = s->half;
	float least_score = score[nearest] - half[nearest] - ROUNDING * square;
	double best = INFINITY;

	for (size_t c = 0; c < s->k; c++)
		if (score[c] - half[c] >= least_score)
		{
			double exact = tlv_kmeans_distance(s->data, point, s->centers + c * s->data->d);

			if (exact < best)
			{
				best = exact;
				nearest = (int32_t) c;
			}
		}
	*distance = (float) best;
	return nearest;
}

/* Labels of a block and its part of the sums. */
static void
assign_block(lloyd *s, size_t first, size_t n)
{
	size_t d = s->data->d, k = s->k;

	tlv_kmeans_load(s->data, first, n, s->block);
	tlv_kmeans_squares(d, n, s->block, s->squares);
	cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int) k, (int) n, (int) d, 1, s->centers,
				(int) d, s->block, (int) d, 0, s->scores, (int) k);
	for (size_t i = 0; i < n; i++)
	{
		double weight = weight_of(s->data, first + i);
		float most;
		int32_t c = nearest_center(k, s->scores + i * k, s->half, &most);
		float distance = s->squares[i] - 2 * most;

		if (distance < ROUNDING * s->squares[i])
			c = nearest_exactly(s, first + i, s->squares[i], s->scores + i * k, c, &distance);
		s->distance[first + i] = distance;
		s->inertia += weight * (double) distance;
		s->changed += s->label[first + i] != c;
		s->label[first + i] = c;
		s->counts[c]++;
		add_point(s, (size_t) c, weight, s->block + i * d);
	}
}

static tlv_status
assign(tlv_context *ctx, lloyd *s)
{
	size_t d = s->data->d, n = s->data->n;

	s->inertia = 0;
	s->changed = 0;
	memset(s->sums, 0, d * s->k * sizeof(double));
	memset(s->sizes, 0, s->k * sizeof(double));
	memset(s->counts, 0, s->k * sizeof(size_t));
	for (size_t c = 0; c < s->k; c++)
		s->half[c] = 0.5F * cblas_sdot((int) d, s->centers + c * d, 1, s->centers + c * d, 1);
	for (size_t first = 0; first < n; first += s->width)
	{
		TLV_TRY_CONTINUE(ctx);
		assign_block(s, first, least(s->width, n - first));
	}
	return TLV_OK;
}

/*
 * Exact squared distances of all points to `center`, or with none each to that
 * of its label; with `closer` only where that makes them smaller.
 */
static tlv_status
exact_distances(tlv_context *ctx, lloyd *s, const float *center, bool closer)
{
	size_t d = s->data->d;

	for (size_t i = 0; i < s->data->n; i++)
	{
		const float *to = center != NULL ? center : s->centers + (size_t) s->label[i] * d;
		double distance;

		if (i % s->width == 0)
			TLV_TRY_CONTINUE(ctx);
		distance = tlv_kmeans_distance(s->data, i, to);
		if (!closer || distance < (double) s->distance[i])
			s->distance[i] = (float) distance;
	}
	return TLV_OK;
}

/*
 * Gives every empty cluster the point farthest from its center, of a cluster that keeps another
 * one.  `moved` tells whether there was an empty cluster and such a point.
 */
static tlv_status
fill_empty(tlv_context *ctx, lloyd *s, bool *moved)
{
	size_t d = s->data->d;
	bool exact = false;

	*moved = false;
	for (size_t c = 0; c < s->k; c++)
	{
		size_t farthest = s->data->n;
		float *center = s->centers + c * d;

		if (s->counts[c] > 0)
			continue;
		if (!exact)
			TLV_TRY(exact_distances(ctx, s, NULL, false));
		exact = true;
		for (size_t i = 0; i < s->data->n; i++)
			if (s->distance[i] > 0 && s->counts[s->label[i]] > 1 &&
				(farthest == s->data->n || s->distance[i] > s->distance[farthest]))
				farthest = i;
		if (farthest == s->data->n)
			return TLV_OK;
		tlv_kmeans_load(s->data, farthest, 1, center);
		add_point(s, (size_t) s->label[farthest], -weight_of(s->data, farthest), center);
		add_point(s, c, weight_of(s->data, farthest), center);
		s->counts[s->label[farthest]]--;
		s->counts[c] = 1;
		s->label[farthest] = (int32_t) c;
		TLV_TRY(exact_distances(ctx, s, center, true));
		*moved = true;
	}
	return TLV_OK;
}

/* Means of the clusters; one of no weight keeps its center. */
static void
update_centers(lloyd *s)
{
	for (size_t c = 0; c < s->k; c++)
		if (s->sizes[c] > NO_WEIGHT * s->data->total)
			for (size_t j = 0; j < s->data->d; j++)
				s->centers[c * s->data->d + j] =
					(float) (s->sums[c * s->data->d + j] / s->sizes[c]);
}

static tlv_status
iterate(tlv_context *ctx, lloyd *s, int max_steps)
{
	double before = INFINITY;
	bool moved;

	for (size_t i = 0; i < s->data->n; i++)
		s->label[i] = -1;
	for (int step = 0;; step++)
	{
		TLV_TRY(assign(ctx, s));
		TLV_TRY(fill_empty(ctx, s, &moved));
		update_centers(s);
		if (step >= max_steps ||
			(!moved &&
			 (s->changed == 0 || (step > 0 && before - s->inertia <= INERTIA_TOLERANCE * before))))
			break;
		before = s->inertia;
	}
	TLV_TRY(exact_distances(ctx, s, NULL, false));
	s->inertia = 0;
	for (size_t i = 0; i < s->data->n; i++)
		s->inertia += weight_of(s->data, i) * (double) s->distance[i];
	return TLV_OK;
}

/* ---- starts ---- */

static void
free_lloyd(tlv_context *ctx, lloyd *s)
{
	tlv_free(ctx, s->label);
	tlv_free(ctx, s->distance);
	tlv_free(ctx, s->counts);
	tlv_free(ctx, s->sums);
	tlv_free(ctx, s->centers);
}

static tlv_status
create_lloyd(tlv_context *ctx, const kmeans_data *data, size_t k, lloyd *s)
{
	size_t d = data->d, n = data->n;

	memset(s, 0, sizeof(*s));
	s->data = data;
	s->k = k;
	s->width = tlv_kmeans_width(n, d, k);
	s->centers = tlv_alloc(ctx, d * k + k + s->width * (d + 1 + k), sizeof(float));
	TLV_TRY_ALLOC(ctx, s->centers);
	s->half = s->centers + d * k;
	s->block = s->half + k;
	s->squares = s->block + d * s->width;
	s->scores = s->squares + s->width;
	s->sums = tlv_alloc(ctx, d * k + k, sizeof(double));
	TLV_TRY_ALLOC(ctx, s->sums);
	s->sizes = s->sums + d * k;
	s->counts = tlv_alloc(ctx, k, sizeof(size_t));
	TLV_TRY_ALLOC(ctx, s->counts);
	s->distance = tlv_alloc(ctx, n, sizeof(float));
	TLV_TRY_ALLOC(ctx, s->distance);
	s->label = tlv_alloc(ctx, n, sizeof(int32_t));
	TLV_TRY_ALLOC(ctx, s->label);
	return TLV_OK;
}

/* Labels and centers of a start that is the best so far. */
static void
keep(const lloyd *s, size_t k, int32_t *label, float *centers)
{
	size_t d = s->data->d;

	memcpy(label, s->label, s->data->n * sizeof(int32_t));
	for (size_t c = 0; c < k && centers != NULL; c++)
		for (size_t j = 0; j < d; j++)
			centers[c * d + j] = s->centers[(c < s->k ? c : 0) * d + j] + s->data->mean[j];
}

static tlv_status
run_starts(tlv_context *ctx, const kmeans_data *data, lloyd *s, int starts, int max_steps,
		   tlv_rng *rng, int32_t *label, float *centers, double *inertia)
{
	size_t k = s->k;

	for (int start = 0; start < starts; start++)
	{
		/* Fewer when fewer points are distinct. */
		TLV_TRY(tlv_kmeans_seed(ctx, data, k, rng, s->centers, &s->k));
		TLV_TRY(iterate(ctx, s, max_steps));
		if (start == 0 || s->inertia < *inertia)
		{
			*inertia = s->inertia;
			keep(s, k, label, centers);
		}
		if (k == 1)
			break;
	}
	return TLV_OK;
}

static tlv_status
check_parameters(tlv_context *ctx, size_t n, size_t d, size_t k, int starts, int max_steps)
{
	if (k < 1 || k > n || k > INT32_MAX)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu clusters of %zu points", k, n);
	if (d < 1 || d > INT32_MAX / 2)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "points of %zu coordinates", d);
	if (starts < 1 || max_steps < 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%d starts of at most %d steps", starts, max_steps);
	return TLV_OK;
}

tlv_status
tlv_kmeans(tlv_context *ctx, size_t n, size_t d, const float *points, const float *weights,
		   size_t k, int starts, int max_steps, tlv_rng *rng, int32_t *label, float *centers,
		   double *inertia)
{
	kmeans_data data = {n, d, points, weights, 0, NULL};
	lloyd s;
	double *sum;
	tlv_status status;

	*inertia = 0;
	TLV_TRY(check_parameters(ctx, n, d, k, starts, max_steps));
	sum = tlv_alloc(ctx, 2 * d, sizeof(double));
	TLV_TRY_ALLOC(ctx, sum);
	data.mean = (float *) (sum + d);
	status = check_points(ctx, &data, sum);
	if (status == TLV_OK)
	{
		status = create_lloyd(ctx, &data, k, &s);
		if (status == TLV_OK)
			status = run_starts(ctx, &data, &s, starts, max_steps, rng, label, centers, inertia);
		free_lloyd(ctx, &s);
	}
	tlv_free(ctx, sum);
	return status;
}
