/*
 * kmeans.c - k-means by Lloyd's iteration (kmeans.h).
 *
 * The products of a block of points with all centers are one GEMM, or, of few, made from tiles.
 */
#include "kmeans_seed.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "tensorlv/num/assert.h"

/* A mean whose square is below this part of the mean square of the points costs no digits. */
#define CENTERED 0.01

/* Squared distances below this part of the squared lengths are mostly rounding. */
#define KMEANS_ROUNDING 1e-5F

/* Points whose nearest centers are sought at once: their scores stay in the first cache. */
#define PART ((size_t) 512)

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

			valid &= isfinite(x);
			sum[j] += weight * (double) x;
			squares += weight * (double) x * (double) x;
		}
		if (!valid)
			return tlv_fail(ctx, TLV_BAD_DATA,
							"point %zu has coordinates that are not finite numbers", i + 1);
	}
	if (!(data->total > 0))
		return tlv_fail(ctx, TLV_BAD_DATA, "all weights of the points are 0");
	choose_origin(data, sum, squares);
	return TLV_OK;
}

static tlv_status
measure_points(tlv_context *ctx, const kmeans_data *data, float *room, size_t width)
{
	for (size_t first = 0; first < data->n; first += width)
	{
		size_t n = tlv_least(width, data->n - first);

		TLV_TRY_CONTINUE(ctx);
		tlv_kmeans_squares(data->d, n, tlv_kmeans_block(data, first, n, room),
						   data->squares + first);
	}
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

TLV_CLONES static void
add_to_sum(size_t d, double weight, const float *restrict point, double *restrict sum)
{
	for (size_t j = 0; j < d; j++)
		sum[j] += weight * (double) point[j];
}

static void
add_to_cluster(lloyd *s, int32_t c, double weight, const float *point)
{
	add_to_sum(s->data->d, weight, point, s->sums + (size_t) c * s->data->d);
	s->sizes[c] += weight;
}

/*
 * The distance of a point so close to its center that it is mostly rounding
 * is computed again, to every center that rounding cannot distinguish from the nearest; score has
 * the point's, width apart.
 */
static int32_t
nearest_exactly(const lloyd *s, size_t point, float square, const float *score, int32_t nearest,
				float *distance)
{
	const float *half = s->half;
	float least_score =
		score[(size_t) nearest * s->width] - half[nearest] - KMEANS_ROUNDING * square;
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

/* A point goes over to the cluster c. */
static void
move_point(lloyd *s, size_t i, int32_t c, const float *point)
{
	double weight = kmeans_weight(s->data, i);
	int32_t from = s->label[i];

	if (from >= 0)
	{
		add_to_cluster(s, from, -weight, point);
		s->counts[from]--;
	}
	add_to_cluster(s, c, weight, point);
	s->counts[c]++;
	s->label[i] = c;
}

TLV_CLONES static void
nearest_distances(size_t n, const float *restrict squares, const float *restrict most,
				  float *restrict distance)
{
	for (size_t i = 0; i < n; i++)
		distance[i] = squares[i] - 2 * most[i];
}

/* Labels of a block and what they change of the sums. */
static void
assign_block(lloyd *s, size_t first, size_t n)
{
	size_t d = s->data->d, k = s->k;
	const float *block = tlv_kmeans_block(s->data, first, n, s->block);
	const float *squares = s->data->squares + first;
	float *distance = s->distance + first;

	tlv_kmeans_scores(s->data, first, n, block, k, s->centers, s->width, s->scores);
	for (size_t i = 0; i < n; i += PART)
		find_nearest_centers(tlv_least(PART, n - i), k, s->scores + i, s->width, s->half,
							 s->most + i, s->found + i);
	nearest_distances(n, squares, s->most, distance);
	for (size_t i = 0; i < n; i++)
	{
		int32_t c = s->found[i];

		if (distance[i] < KMEANS_ROUNDING * squares[i])
			c = nearest_exactly(s, first + i, squares[i], s->scores + i, c, &distance[i]);
		if (s->label[first + i] == c)
			continue;
		s->changed++;
		move_point(s, first + i, c, block + i * d);
	}
	s->inertia += tlv_kmeans_sum(n, distance, kmeans_weights(s->data, first));
}

static tlv_status
assign_points(tlv_context *ctx, lloyd *s)
{
	size_t d = s->data->d, n = s->data->n;

	s->inertia = 0;
	s->changed = 0;
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
		move_point(s, farthest, (int32_t) c, center);
		TLV_TRY(exact_distances(ctx, s, center, true));
		*moved = true;
	}
	return TLV_OK;
}

/* Means of the clusters; one of no weight keeps its center. */
static void
update_centers(lloyd *s)
{
	/* A cluster of less than this part of all weight has only points without any, but for rounding.
	 */
	const double no_weight = 1e-14;

	for (size_t c = 0; c < s->k; c++)
		if (s->sizes[c] > no_weight * s->data->total)
			for (size_t j = 0; j < s->data->d; j++)
				s->centers[c * s->data->d + j] =
					(float) (s->sums[c * s->data->d + j] / s->sizes[c]);
}

static tlv_status
iterate_lloyd(tlv_context *ctx, lloyd *s, int max_steps)
{
	/* Iterations end when the sum of squares falls by less than this part. */
	const double inertia_tolerance = 1e-5;
	double before = INFINITY;
	bool moved;

	memset(s->sums, 0, s->data->d * s->k * sizeof(double));
	memset(s->sizes, 0, s->k * sizeof(double));
	memset(s->counts, 0, s->k * sizeof(size_t));
	for (size_t i = 0; i < s->data->n; i++)
		s->label[i] = -1;
	for (int step = 0;; step++)
	{
		TLV_TRY(assign_points(ctx, s));
		TLV_TRY(fill_empty(ctx, s, &moved));
		update_centers(s);
		if (step >= max_steps ||
			(!moved &&
			 (s->changed == 0 || (step > 0 && before - s->inertia <= inertia_tolerance * before))))
			break;
		before = s->inertia;
	}
	TLV_TRY(exact_distances(ctx, s, NULL, false));
	s->inertia = tlv_kmeans_sum(s->data->n, s->distance, kmeans_weights(s->data, 0));
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

	s->data = data;
	s->k = k;
	s->width = tlv_kmeans_width(n, d, k);
	TLV_TRY_NEW(ctx, s->centers, d * k + k + s->width * (d + 2 + k));
	s->half = s->centers + d * k;
	s->block = s->half + k;
	s->scores = s->block + d * s->width;
	s->most = s->scores + k * s->width;
	s->found = (int32_t *) (s->most + s->width);
	TLV_TRY_NEW(ctx, s->sums, d * k + k);
	s->sizes = s->sums + d * k;
	TLV_TRY_NEW(ctx, s->counts, k);
	s->distance = tlv_alloc(ctx, n, sizeof(float));
	TLV_TRY_ALLOC(ctx, s->distance);
	TLV_TRY_NEW(ctx, s->label, n);
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

/* What all starts share. */
typedef struct kmeans_run
{
	kmeans_data data;
	lloyd lloyd;
	double *sum;		  /* d, and room for the mean */
	tlv_kmeans_task task; /* with these points: */
	float *scaled;		  /* NULL: the caller's */
	int exponent;		  /* they are 2^-exponent times the caller's */
} kmeans_run;

static void
close_kmeans(tlv_context *ctx, kmeans_run *run)
{
	free_lloyd(ctx, &run->lloyd);
	tlv_free(ctx, run->data.tiles);
	tlv_free(ctx, run->data.squares);
	tlv_free(ctx, run->sum);
	tlv_free(ctx, run->scaled);
}

/* Points that are too large or too small for single precision, scaled. */
static tlv_status
scale_points(tlv_context *ctx, kmeans_run *run)
{
	/* Squares of larger coordinates, and of smaller ones, leave single precision: points are
	 * multiplied by a power of 2. */
	const float coordinate_most = 1e15F, coordinate_least = 1e-15F;
	size_t n = run->task.n * run->task.d;
	float largest = 0;

	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		largest = fmaxf(largest, fabsf(run->task.points[i]));
	}
	if (largest == 0 || isinf(largest) ||
		(largest >= coordinate_least && largest <= coordinate_most))
		return TLV_OK;
	(void) frexpf(largest, &run->exponent);
	TLV_TRY_NEW(ctx, run->scaled, n);
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		run->scaled[i] = ldexpf(run->task.points[i], -run->exponent);
	}
	run->task.points = run->scaled;
	return TLV_OK;
}

/* To be closed, whatever it returns. */
static tlv_status
open_kmeans(tlv_context *ctx, const tlv_kmeans_task *task, kmeans_run *run)
{
	kmeans_data *data = &run->data;

	memset(run, 0, sizeof(*run));
	TLV_TRY(check_kmeans_task(ctx, task));
	run->task = *task;
	TLV_TRY(scale_points(ctx, run));
	*data = (kmeans_data){.task = &run->task, .n = task->n, .d = task->d};
	TLV_TRY_NEW(ctx, run->sum, 2 * data->d);
	data->mean = (float *) (run->sum + data->d);
	TLV_TRY_NEW(ctx, data->squares, data->n);
	TLV_TRY(check_points(ctx, data, run->sum));
	TLV_TRY(tlv_kmeans_fill_tiles(ctx, data));
	TLV_TRY(create_lloyd(ctx, data, &run->lloyd));
	return measure_points(ctx, data, run->lloyd.block, run->lloyd.width);
}

/* One initialisation and the given number of iterations; fewer clusters if fewer points are
 * distinct. */
static tlv_status
run_start(tlv_context *ctx, lloyd *s, int max_steps, tlv_rng *rng)
{
	TLV_TRY(tlv_kmeans_seed(ctx, s->data, rng, s->centers, &s->k));
	return iterate_lloyd(ctx, s, max_steps);
}

static tlv_status
keep_best_start(tlv_context *ctx, lloyd *s, tlv_rng *rng, int32_t *label, float *centers,
				double *inertia)
{
	const tlv_kmeans_task *task = s->data->task;

	for (int start = 0; start < task->starts; start++)
	{
		TLV_TRY(run_start(ctx, s, task->max_steps, rng));
		if (start == 0 || s->inertia < *inertia)
		{
			*inertia = s->inertia;
			keep_start(s, label, centers);
		}
		if (task->k == 1)
			break;
	}
	return TLV_OK;
}

static tlv_status
keep_every_start(tlv_context *ctx, lloyd *s, const int *max_steps, tlv_rng *rng, int32_t *label,
				 double *inertia)
{
	const tlv_kmeans_task *task = s->data->task;

	for (int start = 0; start < task->starts; start++)
	{
		TLV_TRY(run_start(ctx, s, max_steps[start], rng));
		inertia[start] = s->inertia;
		keep_start(s, label + (size_t) start * task->n, NULL);
	}
	return TLV_OK;
}

tlv_status
tlv_kmeans(tlv_context *ctx, const tlv_kmeans_task *task, tlv_rng *rng, int32_t *label,
		   float *centers, double *inertia)
{
	kmeans_run run;
	tlv_status status = open_kmeans(ctx, task, &run);

	*inertia = 0;
	if (status == TLV_OK)
		status = keep_best_start(ctx, &run.lloyd, rng, label, centers, inertia);
	*inertia = ldexp(*inertia, 2 * run.exponent);
	for (size_t i = 0; i < task->k * task->d && status == TLV_OK && centers != NULL; i++)
		centers[i] = ldexpf(centers[i], run.exponent);
	close_kmeans(ctx, &run);
	return status;
}

tlv_status
tlv_kmeans_starts(tlv_context *ctx, const tlv_kmeans_task *task, const int *max_steps, tlv_rng *rng,
				  int32_t *label, double *inertia)
{
	kmeans_run run;
	tlv_status status = open_kmeans(ctx, task, &run);

	if (status == TLV_OK)
		status = keep_every_start(ctx, &run.lloyd, max_steps, rng, label, inertia);
	for (int start = 0; start < task->starts && status == TLV_OK; start++)
		inertia[start] = ldexp(inertia[start], 2 * run.exponent);
	close_kmeans(ctx, &run);
	return status;
}
