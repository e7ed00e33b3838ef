/*
 * kmeans_seed.c - centers to start k-means with (kmeans_seed.h; Arthur,
 * Vassilvitskii 2007; the greedy choice among several as in their section 4).
 */
#include "kmeans_seed.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* Above so much work for all points, centers are sought among SAMPLE (or 20 k) random ones. */
#define FULL_WORK 2e9
#define SAMPLE	  50000

#define TRIALS_MOST 16

/* Points are drawn from a part, by its mass, and then within it. */
#define PART ((size_t) 256)

typedef struct seeding
{
	const kmeans_data *data;
	size_t among;	   /* points to choose from: the first ones */
	size_t m;		   /* points looked at */
	size_t *point;	   /* m: which they are, ascending */
	float *weight;	   /* m: theirs; NULL: 1 */
	double *mass;	   /* of a part: weights times squared distances */
	size_t trials;	   /* candidates for every center */
	size_t width;	   /* points per block */
	float *squares;	   /* m */
	float *distance;   /* m: squared, to the nearest center so far */
	float *trial;	   /* m x trials: the same to every candidate */
	size_t *nearest;   /* m: that center */
	float *block;	   /* d x width */
	float *scores;	   /* width x trials */
	float *candidates; /* d x trials */
	double sums[TRIALS_MOST];
} seeding;

/* The points first .. first + n - 1 of those looked at, less the mean of all. */
static const float *
load_block(const seeding *s, size_t first, size_t n)
{
	if (s->m == s->among)
		return tlv_kmeans_block(s->data, first, n, s->block);
	for (size_t i = 0; i < n; i++)
		tlv_kmeans_load(s->data, s->point[first + i], 1, s->block + i * s->data->d);
	return s->block;
}

/* Which points are looked at: each equally probable (Knuth, TAOCP 2, 3.4.2, algorithm S). */
static void
choose_points(seeding *s, tlv_rng *rng)
{
	size_t n = s->among;

	for (size_t i = 0, chosen = 0; chosen < s->m; i++)
		if (s->m == n || tlv_rng_uniform(rng) * (double) (n - i) < (double) (s->m - chosen))
			s->point[chosen++] = i;
}

static void
begin_distances(seeding *s)
{
	for (size_t i = 0; i < s->m; i++)
	{
		s->squares[i] = s->data->squares[s->point[i]];
		if (s->weight != NULL)
			s->weight[i] = s->data->task->weights[s->point[i]];
		s->distance[i] = 1; /* all alike: the first center is drawn by weight */
	}
}

static size_t
part_length(const seeding *s, size_t part)
{
	return tlv_least(PART, s->m - part * PART);
}

static const float *
seeding_weights(const seeding *s, size_t first)
{
	return s->weight == NULL ? NULL : s->weight + first;
}

/* A point of that part, by what is left of its masses; the last that has any, for rounding. */
static size_t
draw_point(const seeding *s, size_t part, double left)
{
	size_t first = part * PART, end = first + part_length(s, part), drawn = first;

	for (size_t i = first; i < end && left >= 0; i++)
	{
		double mass = (s->weight == NULL ? 1 : (double) s->weight[i]) * (double) s->distance[i];

		left -= mass;
		drawn = mass > 0 ? i : drawn;
	}
	return drawn;
}

/* Candidates in proportion to weight times squared distance; false when that is 0 for all. */
static bool
draw_trials(seeding *s, tlv_rng *rng)
{
	size_t parts = (s->m + PART - 1) / PART, last = parts;
	double total = 0;

	for (size_t p = 0; p < parts; p++)
	{
		s->mass[p] =
			tlv_kmeans_sum(part_length(s, p), s->distance + p * PART, seeding_weights(s, p * PART));
		total += s->mass[p];
		last = s->mass[p] > 0 ? p : last;
	}
	if (last == parts)
		return false;
	for (size_t t = 0; t < s->trials; t++)
	{
		double left = tlv_rng_uniform(rng) * total;
		size_t part = 0;

		for (; part < last && left >= s->mass[part]; part++)
			left -= s->mass[part];
		tlv_kmeans_load(s->data, s->point[draw_point(s, part, left)], 1,
						s->candidates + t * s->data->d);
	}
	return true;
}

/* Squared distances to a candidate, or those before (NULL: none) where they are less. */
TLV_CLONES static void
fold_distances(size_t n, const float *restrict squares, float square, const float *restrict scores,
			   const float *restrict before, float *restrict distance)
{
	/* Squared distances below this part of the squared lengths are rounding. */
	const float rounding = 1e-6F;

	for (size_t i = 0; i < n; i++)
	{
		float both = squares[i] + square, own = both - 2 * scores[i];

		distance[i] = own < rounding * both ? 0 : own;
	}
	for (size_t i = 0; i < n && before != NULL; i++)
		distance[i] = distance[i] > before[i] ? before[i] : distance[i];
}

static void
multiply_candidates(const seeding *s, size_t first, size_t n)
{
	size_t d = s->data->d;
	const float *block = load_block(s, first, n);

	if (s->m == s->among)
		tlv_kmeans_scores(s->data, first, n, block, s->trials, s->candidates, s->width, s->scores);
	else
		cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int) n, (int) s->trials, (int) d, 1,
					block, (int) d, s->candidates, (int) d, 0, s->scores, (int) s->width);
}

/* What every candidate would leave of the sum of squared distances, in s->sums. */
static tlv_status
try_candidates(tlv_context *ctx, seeding *s, bool none_before)
{
	size_t d = s->data->d, trials = s->trials;
	float squares[TRIALS_MOST];

	tlv_kmeans_squares(d, trials, s->candidates, squares);
	memset(s->sums, 0, sizeof(s->sums));
	for (size_t first = 0; first < s->m; first += s->width)
	{
		size_t n = tlv_least(s->width, s->m - first);

		TLV_TRY_CONTINUE(ctx);
		multiply_candidates(s, first, n);
		for (size_t t = 0; t < trials; t++)
		{
			float *distance = s->trial + t * s->m + first;

			fold_distances(n, s->squares + first, squares[t], s->scores + t * s->width,
						   none_before ? NULL : s->distance + first, distance);
			s->sums[t] += tlv_kmeans_sum(n, distance, seeding_weights(s, first));
		}
	}
	return TLV_OK;
}

static void
take_best(seeding *s, size_t found, float *centers)
{
	size_t best = 0, d = s->data->d;

	for (size_t t = 1; t < s->trials; t++)
		best = s->sums[t] < s->sums[best] ? t : best;
	memcpy(centers + found * d, s->candidates + best * d, d * sizeof(float));
	for (size_t i = 0; i < s->m; i++)
	{
		float distance = s->trial[best * s->m + i];

		if (found == 0 || distance < s->distance[i])
			s->nearest[i] = found;
		s->distance[i] = distance;
	}
}

/*
 * What is left when all distances are 0 to rounding: points that differ from
 * every center by little, found one by one.
 */
static tlv_status
take_distinct(tlv_context *ctx, seeding *s, size_t k, float *centers, size_t *found)
{
	size_t d = s->data->d, looks = 1000000 / d + 1;

	for (size_t i = 0; i < s->m && *found < k; i++)
	{
		size_t point = s->point[i], c;

		if (i % looks == 0)
			TLV_TRY_CONTINUE(ctx);
		if (!(kmeans_weight(s->data, point) > 0) ||
			tlv_kmeans_distance(s->data, point, centers + s->nearest[i] * d) == 0)
			continue;
		TLV_TRY_CONTINUE(ctx);
		for (c = 0; c < *found; c++)
			if (tlv_kmeans_distance(s->data, point, centers + c * d) == 0)
				break;
		if (c == *found)
			tlv_kmeans_load(s->data, point, 1, centers + (*found)++ * d);
	}
	return TLV_OK;
}

static tlv_status
choose_centers(tlv_context *ctx, seeding *s, size_t k, tlv_rng *rng, float *centers, size_t *found)
{
	*found = 0;
	choose_points(s, rng);
	begin_distances(s);
	for (; *found < k; (*found)++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (!draw_trials(s, rng))
			return *found == 0 ? TLV_OK : take_distinct(ctx, s, k, centers, found);
		TLV_TRY(try_candidates(ctx, s, *found == 0));
		take_best(s, *found, centers);
	}
	return TLV_OK;
}

static void
free_seeding(tlv_context *ctx, seeding *s)
{
	tlv_free(ctx, s->squares);
	tlv_free(ctx, s->mass);
	tlv_free(ctx, s->point);
}

static tlv_status
create_seeding(tlv_context *ctx, const kmeans_data *data, size_t among, size_t m, seeding *s)
{
	size_t d = data->d, trials = 2 + (size_t) log((double) data->task->k);

	memset(s, 0, sizeof(*s));
	s->data = data;
	s->among = among;
	s->m = m;
	s->trials = tlv_least(trials, TRIALS_MOST);
	s->width = tlv_kmeans_width(m, d, s->trials);
	TLV_TRY_NEW(ctx, s->point, 2 * m);
	s->nearest = s->point + m;
	TLV_TRY_NEW(ctx, s->mass, (m + PART - 1) / PART);
	s->squares = tlv_alloc(ctx, (3 + s->trials) * m + s->width * (d + s->trials) + d * s->trials,
						   sizeof(float));
	TLV_TRY_ALLOC(ctx, s->squares);
	s->distance = s->squares + m;
	s->trial = s->distance + m;
	s->weight = s->trial + s->trials * m;
	s->block = s->weight + m;
	s->scores = s->block + s->width * d;
	s->candidates = s->scores + s->width * s->trials;
	if (data->task->weights == NULL)
		s->weight = NULL;
	return TLV_OK;
}

/* Looks at m random ones of the first `among` points. */
static tlv_status
seed_among(tlv_context *ctx, const kmeans_data *data, size_t among, size_t m, tlv_rng *rng,
		   float *centers, size_t *found)
{
	seeding s;
	tlv_status status = create_seeding(ctx, data, among, m, &s);

	if (status == TLV_OK)
		status = choose_centers(ctx, &s, data->task->k, rng, centers, found);
	free_seeding(ctx, &s);
	return status;
}

tlv_status
tlv_kmeans_seed(tlv_context *ctx, const kmeans_data *data, tlv_rng *rng, float *centers,
				size_t *found)
{
	size_t k = data->task->k, among = data->task->among, m;

	*found = 0;
	among = among == 0 ? data->n : tlv_least(data->n, among);
	m = among;
	if ((double) m * (double) data->d * (double) k > FULL_WORK)
		m = tlv_least(m, 20 * k > SAMPLE ? 20 * k : SAMPLE);
	TLV_TRY(seed_among(ctx, data, among, m, rng, centers, found));
	/* A part may miss rare points or those that have weight. */
	if (*found < k && m < data->n)
		TLV_TRY(seed_among(ctx, data, data->n, data->n, rng, centers, found));
	return TLV_OK;
}
