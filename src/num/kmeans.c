/*
 * kmeans.c - k-means by Lloyd's iteration (kmeans.h).
 *
 * The products of a block of points with all centers are one GEMM.
 */
#include "kmeans_seed.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "tensorlv/num/assert.h"

/* Iterations end when the sum of squares falls by less than this part. */
#define INERTIA_TOLERANCE 1e-5

/* Squares of larger coordinates leave single precision. */
#define COORDINATE_MOST 1e15

/* A mean whose square is below this part of the mean square of the points costs no digits. */
#define CENTERED 0.01

/* Squared distances below this part of the squared lengths are mostly rounding. */
#define ROUNDING 1e-5F

/* Points whose nearest centers are sought at once: their scores stay in the first cache. */
#define PART ((size_t) 512)

/* A cluster of less than this part of all weight has only points without any, but for rounding. */
#define NO_WEIGHT 1e-14

/* The weighted mean; where it is near enough to 0, beside the points, 0 is. */
static void
choose_origin(kmeans_data *data, const double *sum, double squares)
{
	double offset = 0;

	for (size_t j = 0; j < data->d; j++)
		offset += sum[j] / data->total * sum[j];
	data->centered = offset <= CENTERED * squares;
	for (size_t j = 0; j < data->d; j++)
		data->mean[j] = data->centered ? 0 : (float) (sum[j] / data->total);
}

/* Points and weights are finite; their origin. */
static tlv_status
check_points(tlv_context *ctx, kmeans_data *data, double *sum)
{
	size_t d = data->d, block = 1000000 / d + 1;
	double squares = 0;
	bool valid = true;

	memset(sum, 0, d * sizeof(double));
	data->total = 0;
	for (size_t i = 0; i < data->n; i++)
	{
		double weight = kmeans_weight(data, i);

		if (i % block == 0)
			TLV_TRY_CONTINUE(ctx);
		if (!(weight >= 0 && isfinite(weight)))
			return tlv_fail(ctx, TLV_BAD_DATA, "weight %g of point %zu is not valid", weight,
							i + 1);
		data->total += weight;
		for (size_t j = 0; j < d; j++)
		{
			float x = data->task->points[i * d + j];

			valid &= fabsf(x) <= COORDINATE_MOST; /* false for what is not a number */
			sum[j] += weight * (double) x;
			squares += weight * (double) x * (double) x;
		}
		if (!valid)
			return tlv_fail(ctx, TLV_BAD_DATA,
							"point %zu has coordinates that are not finite or exceed %g", i + 1,
							COORDINATE_MOST);
	}
	if (!(data->total > 0))
		return tlv_fail(ctx, TLV_BAD_DATA, "all weights of the points are 0");
	choose_origin(data, sum, squares);
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
	float *scores;	 /* width x k */
	float *most;	 /* width: of the scores less half */
	int32_t *found;	 /* width: whose that is */
	float *distance; /* n: squared, to the center of the label */
	int32_t *label;
	double inertia;
	size_t changed; /* labels */
} lloyd;

/* Of every point the largest p'c - |c|^2 / 2 (most) and its center; the first of several. */
TLV_CLONES static void
find_nearest_centers(size_t n, size_t k, const float *restrict scores, size_t width,
					 const float *restrict half, float *restrict most, int32_t *restrict found)
{
	for (size_t i = 0; i < n; i++)
	{
		most[i] = scores[i] - half[0];
		found[i] = 0;
	}
	for (size_t c = 1; c < k; c++)
	{
		const float *restrict score = scores + c * width;
		float own = half[c];

		for (size_t i = 0; i < n; i++)
		{
			float value = score[i] - own;

			found[i] = value > most[i] ? (int32_t) c : found[i];
			most[i] = value > most[i] ? value : most[i];
		}
	}
}

static void
add_to_cluster(lloyd *s, size_t c, double weight, const float *restrict point)
{
	double *restrict sum = s->sums + c * s->data->d;

	for (size_t j = 0; j < s->data->d; j++)
		sum[j] += weight * (double) point[j];
	s->sizes[c] += weight;
}

/*
 * The distance of a point so close to its center that it is mostly rounding
 * is computed anew, to every center that rounding cannot tell from the nearest; score has the
 * point's, width apart.
 */
static int32_t
nearest_exactly(const lloyd *s, size_t point, float square, const float *score, int32_t nearest,
				float *distance)
{
	const float *half = s->half;
	float least_score = score[(size_t) nearest * s->width] - half[nearest] - ROUNDING * square;
	double best = INFINITY;

	for (size_t c = 0; c < s->k; c++)
		if (score[c * s->width] - half[c] >= least_score)
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
	const float *block = tlv_kmeans_block(s->data, first, n, s->block);

	tlv_kmeans_squares(d, n, block, s->squares);
	cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int) n, (int) k, (int) d, 1, block,
				(int) d, s->centers, (int) d, 0, s->scores, (int) s->width);
	for (size_t i = 0; i < n; i += PART)
		find_nearest_centers(tlv_least(PART, n - i), k, s->scores + i, s->width, s->half,
							 s->most + i, s->found + i);
	for (size_t i = 0; i < n; i++)
	{
		double weight = kmeans_weight(s->data, first + i);
		float distance = s->squares[i] - 2 * s->most[i];
		int32_t c = s->found[i];

		if (distance < ROUNDING * s->squares[i])
			c = nearest_exactly(s, first + i, s->squares[i], s->scores + i, c, &distance);
		s->distance[first + i] = distance;
		s->inertia += weight * (double) distance;
		s->changed += s->label[first + i] != c;
		s->label[first + i] = c;
		s->counts[c]++;
		add_to_cluster(s, (size_t) c, weight, block + i * d);
	}
}

static tlv_status
assign_points(tlv_context *ctx, lloyd *s)
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
		assign_block(s, first, tlv_least(s->width, n - first));
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
		add_to_cluster(s, (size_t) s->label[farthest], -kmeans_weight(s->data, farthest), center);
		add_to_cluster(s, c, kmeans_weight(s->data, farthest), center);
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
iterate_lloyd(tlv_context *ctx, lloyd *s)
{
	double before = INFINITY;
	bool moved;

	for (size_t i = 0; i < s->data->n; i++)
		s->label[i] = -1;
	for (int step = 0;; step++)
	{
		TLV_TRY(assign_points(ctx, s));
		TLV_TRY(fill_empty(ctx, s, &moved));
		update_centers(s);
		if (step >= s->data->task->max_steps ||
			(!moved &&
			 (s->changed == 0 || (step > 0 && before - s->inertia <= INERTIA_TOLERANCE * before))))
			break;
		before = s->inertia;
	}
	TLV_TRY(exact_distances(ctx, s, NULL, false));
	s->inertia = 0;
	for (size_t i = 0; i < s->data->n; i++)
		s->inertia += kmeans_weight(s->data, i) * (double) s->distance[i];
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
create_lloyd(tlv_context *ctx, const kmeans_data *data, lloyd *s)
{
	size_t d = data->d, n = data->n, k = data->task->k;

	memset(s, 0, sizeof(*s));
	s->data = data;
	s->k = k;
	s->width = tlv_kmeans_width(n, d, k);
	s->centers = tlv_alloc(ctx, d * k + k + s->width * (d + 3 + k), sizeof(float));
	TLV_TRY_ALLOC(ctx, s->centers);
	s->half = s->centers + d * k;
	s->block = s->half + k;
	s->squares = s->block + d * s->width;
	s->scores = s->squares + s->width;
	s->most = s->scores + k * s->width;
	s->found = (int32_t *) (s->most + s->width);
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
keep_start(const lloyd *s, int32_t *label, float *centers)
{
	size_t d = s->data->d;

	tlv_assert(s->k >= 1 && tlv_all_within(s->data->n, s->label, s->k));
	memcpy(label, s->label, s->data->n * sizeof(int32_t));
	for (size_t c = 0; c < s->data->task->k && centers != NULL; c++)
		for (size_t j = 0; j < d; j++)
			centers[c * d + j] = s->centers[(c < s->k ? c : 0) * d + j] + s->data->mean[j];
}

static tlv_status
run_kmeans_starts(tlv_context *ctx, lloyd *s, tlv_rng *rng, int32_t *label, float *centers,
				  double *inertia)
{
	for (int start = 0; start < s->data->task->starts; start++)
	{
		/* Fewer when fewer points are distinct. */
		TLV_TRY(tlv_kmeans_seed(ctx, s->data, rng, s->centers, &s->k));
		TLV_TRY(iterate_lloyd(ctx, s));
		if (start == 0 || s->inertia < *inertia)
		{
			*inertia = s->inertia;
			keep_start(s, label, centers);
		}
		if (s->data->task->k == 1)
			break;
	}
	return TLV_OK;
}

static tlv_status
check_kmeans_task(tlv_context *ctx, const tlv_kmeans_task *task)
{
	if (task->k < 1 || task->k > task->n || task->k > INT32_MAX)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu clusters of %zu points", task->k, task->n);
	if (task->d < 1 || task->d > INT32_MAX / 2)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "points of %zu coordinates", task->d);
	if (task->starts < 1 || task->max_steps < 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%d starts of at most %d steps", task->starts,
						task->max_steps);
	return TLV_OK;
}

tlv_status
tlv_kmeans(tlv_context *ctx, const tlv_kmeans_task *task, tlv_rng *rng, int32_t *label,
		   float *centers, double *inertia)
{
	kmeans_data data = {.task = task, .n = task->n, .d = task->d};
	lloyd s;
	double *sum;
	tlv_status status;

	*inertia = 0;
	TLV_TRY(check_kmeans_task(ctx, task));
	sum = tlv_alloc(ctx, 2 * data.d, sizeof(double));
	TLV_TRY_ALLOC(ctx, sum);
	data.mean = (float *) (sum + data.d);
	status = check_points(ctx, &data, sum);
	if (status == TLV_OK)
	{
		status = create_lloyd(ctx, &data, &s);
		if (status == TLV_OK)
			status = run_kmeans_starts(ctx, &s, rng, label, centers, inertia);
		free_lloyd(ctx, &s);
	}
	tlv_free(ctx, sum);
	return status;
}
