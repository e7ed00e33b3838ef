/*
 * wide.c - starts of mixtures over wide rows (wide.h).
 */
#include "wide.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/kmeans.h"
#include "tensorlv/num/linalg.h"

/* Clusters to begin with: at least, for each that is wanted, and rows of each at least. */
#define LEAST_CLUSTERS 32
#define SPARE_CLUSTERS 2
#define GMM_LEAST_ROWS 5

/* Rows that are projected together. */
#define PROJECT_ROWS 256

/* ---- the projected rows ---- */

/*
 * Directions of a subspace (dense.h) whose variance noise does not reach, 2 at least: the largest
 * eigenvalue of the covariance of n rows of noise is near (1 + sqrt(d / n))^2 (Marchenko, Pastur
 * 1967).
 */
static size_t
wide_directions(const tlv_frame *subspace)
{
	/* Above the largest eigenvalue of noise by this factor, a direction is no noise. */
	const double above_noise = 1.05;
	const tlv_section *basis = tlv_frame_find(subspace, "basis");
	const double *values = tlv_frame_float64(subspace, "covariance_values");
	double edge = 1 + sqrt((double) basis->rows / tlv_frame_scalar(subspace, "rows", 1));
	double least = above_noise * edge * edge * tlv_frame_scalar(subspace, "noise", 0);
	size_t p = 0;

	while (p < basis->columns && values[p] > least)
		p++;
	return p < 2 ? tlv_least(2, basis->columns) : p;
}

/*
 * What the mean of directions has outside of the leading ones: its length.  The rows' own parts
 * there are noise.  inside: p.
 */
static double
outside_length(size_t d, size_t p, const double *basis, const double *mean, double *inside)
{
	double square = 0;

	for (size_t i = 0; i < d; i++)
		square += mean[i] * mean[i];
	for (size_t a = 0; a < p; a++)
	{
		inside[a] = 0;
		for (size_t i = 0; i < d; i++)
			inside[a] += basis[a * d + i] * mean[i];
		square -= inside[a] * inside[a];
	}
	return sqrt(fmax(square, 0));
}

tlv_status
gmm_wide_project(tlv_context *ctx, const gmm_evidence *evidence, const tlv_frame *subspace,
				 gmm_projected *to)
{
	const tlv_gmm_sample *sample = &evidence->sample;
	const double *basis = tlv_frame_float64(subspace, "basis");
	bool directions = evidence->options.covariance == TLV_COVARIANCE_DIRECTION;
	size_t d = sample->d, p = wide_directions(subspace);
	double *block;
	float outside;

	to->p = p + directions;
	TLV_TRY_NEW_ROWS(ctx, to->points, to->p, sample->n);
	TLV_TRY_NEW(ctx, block, p * PROJECT_ROWS);
	outside = (float) outside_length(d, p, basis, tlv_frame_float64(subspace, "mean"), block);
	for (size_t t = 0; t < sample->n; t += PROJECT_ROWS)
	{
		size_t rows = tlv_least(PROJECT_ROWS, sample->n - t);

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_gemm(ctx, true, false, p, rows, d, 1, basis, d, sample->rows + t * d, d, 0,
						 block, p));
		for (size_t r = 0; r < rows; r++)
		{
			float *point = to->points + (t + r) * to->p;

			for (size_t a = 0; a < p; a++)
				point[a] = (float) block[r * p + a];
			if (directions)
				point[p] = outside;
		}
	}
	tlv_free(ctx, block);
	return TLV_OK;
}

/* ---- clusters that are merged ---- */

typedef struct clusters
{
	size_t n, p;
	size_t d;	/* of a row */
	size_t k;	/* left */
	size_t all; /* at first */
	tlv_covariance covariance;
	double spread; /* of a row that every cluster has beside its own: variance within clusters, of
					* directions the length of the mean over all clusters */
	size_t *into;  /* all: the cluster that it has become part of, or itself; all: had no rows */
	double *rows;  /* all */
	double *mean;  /* p x all */
	double *sums;  /* all: sums of squares within */
	double *cost;  /* all x all: what the likelihood loses when two become one */
	double within; /* of all clusters */
} clusters;

/* Of a cluster, or of two that are merged. */
typedef struct cluster_size
{
	double rows;
	double within; /* sum of squares */
	double square; /* of the mean */
} cluster_size;

/* Log classification likelihood of the rows of a cluster; of common variances its weight only. */
static double
cluster_likelihood(const clusters *c, cluster_size size)
{
	double p = (double) c->p, weight = size.rows * log(size.rows / (double) c->n);

	if (c->covariance == TLV_COVARIANCE_COMMON)
		return weight;
	if (c->covariance == TLV_COVARIANCE_DIRECTION)
	{
		double sum = size.rows * sqrt(size.square);
		double kappa = tlv_directions_kappa(c->d, fmin((sum + c->spread) / (size.rows + 1), 1));

		return weight + size.rows * tlv_directions_log_norm(c->d, kappa) + kappa * sum;
	}
	return weight - size.rows * p / 2 * log((size.within + p * c->spread) / (p * (size.rows + 1)));
}

static cluster_size
gmm_size_of(const clusters *c, size_t a)
{
	cluster_size size = {.rows = c->rows[a], .within = c->sums[a]};

	for (size_t i = 0; i < c->p; i++)
		size.square += c->mean[a * c->p + i] * c->mean[a * c->p + i];
	return size;
}

static double
squares_between(const clusters *c, size_t a, size_t b)
{
	return c->rows[a] * c->rows[b] / (c->rows[a] + c->rows[b]) *
		   tlv_squared_distance(c->p, c->mean + a * c->p, c->mean + b * c->p);
}

/* Of common variances the squares are weighed by the variance within, as it is now. */
static double
merging_cost(const clusters *c, size_t a, size_t b)
{
	cluster_size x = gmm_size_of(c, a), y = gmm_size_of(c, b);
	double more = squares_between(c, a, b), rows = x.rows + y.rows;
	double lost =
		cluster_likelihood(c, x) + cluster_likelihood(c, y) -
		cluster_likelihood(
			c, (cluster_size){rows, x.within + y.within + more,
							  fmax(x.rows * x.square + y.rows * y.square - more, 0) / rows});

	if (c->covariance != TLV_COVARIANCE_COMMON)
		return lost;
	return lost + (double) c->n * (double) c->p / 2 * log1p(more / fmax(c->within, DBL_MIN));
}

static tlv_status
cluster_costs(tlv_context *ctx, clusters *c, size_t a)
{
	TLV_TRY_CONTINUE(ctx);
	for (size_t b = 0; b < c->all; b++)
		if (b != a && c->into[b] == b)
			c->cost[a * c->all + b] = c->cost[b * c->all + a] = merging_cost(c, a, b);
	return TLV_OK;
}

/* Sizes, means and squares of the labelled rows; clusters without rows are gone at once. */
static void
cluster_sums(const float *points, const int32_t *label, clusters *c)
{
	size_t p = c->p;

	for (size_t t = 0; t < c->n; t++)
	{
		size_t j = (size_t) label[t];

		c->rows[j]++;
		for (size_t i = 0; i < p; i++)
			c->mean[j * p + i] += (points[t * p + i] - c->mean[j * p + i]) / c->rows[j];
	}
	for (size_t t = 0; t < c->n; t++)
		for (size_t i = 0, j = (size_t) label[t]; i < p; i++)
			c->sums[j] +=
				(points[t * p + i] - c->mean[j * p + i]) * (points[t * p + i] - c->mean[j * p + i]);
	for (size_t j = 0; j < c->all; j++)
	{
		c->within += c->sums[j];
		c->into[j] = c->rows[j] > 0 ? j : c->all;
		c->k += c->rows[j] > 0;
	}
}

static void
find_spread(const gmm_evidence *evidence, clusters *c)
{
	for (size_t j = 0; j < c->all && c->covariance == TLV_COVARIANCE_DIRECTION; j++)
		c->spread += c->rows[j] * sqrt(gmm_size_of(c, j).square) / (double) c->n;
	if (c->covariance == TLV_COVARIANCE_DIRECTION)
		return;
	for (size_t i = 0; i < evidence->d; i++)
		c->spread += evidence->floor[i] / (double) evidence->d;
	c->spread = fmax(c->spread, c->within / ((double) c->n * (double) c->p));
}

static tlv_status
clusters_open(tlv_context *ctx, const gmm_evidence *evidence, const gmm_projected *of,
			  const int32_t *label, size_t all, clusters *c)
{
	*c = (clusters){.n = evidence->sample.n,
					.p = of->p,
					.d = evidence->d,
					.all = all,
					.covariance = evidence->options.covariance};
	TLV_TRY_NEW0(ctx, c->into, all);
	TLV_TRY_NEW0(ctx, c->rows, all * (2 + c->p + all));
	c->sums = c->rows + all;
	c->mean = c->sums + all;
	c->cost = c->mean + all * c->p;
	cluster_sums(of->points, label, c);
	find_spread(evidence, c);
	for (size_t a = 0; a < all; a++)
		if (c->into[a] == a)
			TLV_TRY(cluster_costs(ctx, c, a));
	return TLV_OK;
}

static void
clusters_close(tlv_context *ctx, clusters *c)
{
	tlv_free(ctx, c->rows);
	tlv_free(ctx, c->into);
}

/* Means lie in the leading directions: of directions each has as many parameters as these are, with
 * its concentration. */
static double
clusters_icl(const clusters *c)
{
	double n = (double) c->n, p = (double) c->p, k = (double) c->k, likelihood = 0;
	double parameters = c->covariance == TLV_COVARIANCE_COMMON		? k * (p + 1)
						: c->covariance == TLV_COVARIANCE_DIRECTION ? k * p + k - 1
																	: k * (p + 1) + k - 1;

	for (size_t j = 0; j < c->all; j++)
		if (c->into[j] == j)
			likelihood += cluster_likelihood(c, gmm_size_of(c, j));
	if (c->covariance == TLV_COVARIANCE_COMMON)
		likelihood -= n * p / 2 * log((c->within + p * c->spread) / (p * (n + 1)));
	return parameters * log(n) - 2 * likelihood;
}

/* The cheapest pair becomes one cluster. */
static tlv_status
merge_cheapest(tlv_context *ctx, clusters *c)
{
	size_t all = c->all, a = all, b = all;
	double more, rows;

	for (size_t i = 0; i < all; i++)
		for (size_t j = i + 1; j < all && c->into[i] == i; j++)
			if (c->into[j] == j && (a == all || c->cost[i * all + j] < c->cost[a * all + b]))
			{
				a = i;
				b = j;
			}
	more = squares_between(c, a, b);
	rows = c->rows[a] + c->rows[b];
	for (size_t i = 0; i < c->p; i++)
		c->mean[a * c->p + i] +=
			c->rows[b] / rows * (c->mean[b * c->p + i] - c->mean[a * c->p + i]);
	c->rows[a] = rows;
	c->sums[a] += c->sums[b] + more;
	c->within += more;
	for (size_t j = 0; j < all; j++)
		c->into[j] = c->into[j] == b ? a : c->into[j];
	c->k--;
	return cluster_costs(ctx, c, a);
}

/* Clusters of k-means, `all` or fewer of few rows. */
static tlv_status
find_clusters(tlv_context *ctx, const gmm_evidence *evidence, const gmm_projected *of, size_t all,
			  int32_t *label)
{
	/* Starts of k-means and their steps: merging mends what they miss. */
	const int kmeans_starts = 4, kmeans_steps = 20;
	const tlv_kmeans_task task = {.n = evidence->sample.n,
								  .d = of->p,
								  .points = of->points,
								  .k = all,
								  .starts = kmeans_starts,
								  .max_steps = kmeans_steps};
	double inertia;
	tlv_rng rng;

	tlv_rng_seed(&rng, evidence->options.seed);
	return tlv_kmeans(ctx, &task, &rng, label, NULL, &inertia);
}

static size_t
cluster_limit(const gmm_evidence *evidence, size_t wanted, size_t least)
{
	size_t most = evidence->sample.n / GMM_LEAST_ROWS;
	size_t all = wanted < most ? wanted : most;

	return all > least ? all : least;
}

/* ---- the number of components ---- */

/* Merges `all` clusters to one. */
static tlv_status
choose_among(tlv_context *ctx, const gmm_evidence *evidence, const gmm_projected *of, size_t all,
			 gmm_wide_choice *choice)
{
	size_t n = evidence->sample.n;
	int32_t *label;
	clusters c;

	TLV_TRY_NEW(ctx, label, n);
	TLV_TRY(find_clusters(ctx, evidence, of, all, label));
	TLV_TRY(clusters_open(ctx, evidence, of, label, all, &c));
	choice->tried = c.k;
	for (choice->k = c.k;;)
	{
		choice->icl[c.k - 1] = clusters_icl(&c);
		if (choice->icl[c.k - 1] < choice->icl[choice->k - 1])
			choice->k = c.k;
		if (c.k == 1)
			break;
		TLV_TRY(merge_cheapest(ctx, &c));
	}
	clusters_close(ctx, &c);
	tlv_free(ctx, label);
	return TLV_OK;
}

tlv_status
gmm_wide_choose(tlv_context *ctx, const gmm_evidence *evidence, const gmm_projected *of,
				size_t max_k, gmm_wide_choice *choice)
{
	/* More clusters are tried while so large a part of them stays. */
	const double most_stay = 0.6;
	size_t most = cluster_limit(evidence, max_k, 1);

	TLV_TRY_NEW0(ctx, choice->icl, most);
	for (size_t all = LEAST_CLUSTERS;; all *= 2)
	{
		all = all < most ? all : most;
		TLV_TRY(choose_among(ctx, evidence, of, all, choice));
		if (all == most || (double) choice->k < most_stay * (double) all)
			return TLV_OK;
	}
}

/* ---- starts ---- */

/* Labels 0 .. k - 1 of the clusters that are left. */
static tlv_status
merged_labels(tlv_context *ctx, const gmm_evidence *evidence, const gmm_projected *of, size_t k,
			  int32_t *label)
{
	size_t all = cluster_limit(
		evidence, k > LEAST_CLUSTERS / SPARE_CLUSTERS ? SPARE_CLUSTERS * k : LEAST_CLUSTERS, k);
	size_t *number, left = 0;
	clusters c;

	TLV_TRY(find_clusters(ctx, evidence, of, all, label));
	TLV_TRY(clusters_open(ctx, evidence, of, label, all, &c));
	while (c.k > k)
		TLV_TRY(merge_cheapest(ctx, &c));
	TLV_TRY_NEW(ctx, number, all);
	for (size_t j = 0; j < all; j++)
		number[j] = c.into[j] == j ? left++ : 0;
	for (size_t t = 0; t < evidence->sample.n; t++)
		label[t] = (int32_t) number[c.into[label[t]]];
	tlv_free(ctx, number);
	clusters_close(ctx, &c);
	return TLV_OK;
}

tlv_status
gmm_wide_clusters(tlv_context *ctx, const gmm_evidence *evidence, const gmm_projected *of,
				  gmm_start *start)
{
	const tlv_gmm_sample *sample = &evidence->sample;
	tlv_mixture mixture;
	int32_t *label;

	if (sample->n < start->k)
		return tlv_refuse_few(ctx, (double) sample->n, "rows", start->k, "components");
	TLV_TRY_NEW(ctx, label, sample->n);
	TLV_TRY(merged_labels(ctx, evidence, of, start->k, label));
	TLV_TRY(tlv_mixture_create(ctx, start->k, sample->d, evidence->options.covariance, &mixture));
	TLV_TRY(tlv_gmm_of_labels(ctx, sample, evidence->floor, label, &mixture));
	tlv_free(ctx, label);
	TLV_TRY(gmm_start_from_sample(ctx, evidence, &mixture, NULL, 0, start, NULL));
	tlv_mixture_free(ctx, &mixture);
	start->from_moments = false;
	/* Of others it is in single precision. */
	start->stands = start->stands && mixture.covariance == TLV_COVARIANCE_DIRECTION;
	return TLV_OK;
}

tlv_status
gmm_wide_better(tlv_context *ctx, const gmm_evidence *evidence, gmm_start *clusters,
				gmm_start *start)
{
	tlv_mixture fitted;

	start->from_moments = false;
	if (start->fitted.image != NULL)
	{
		tlv_gmm_read(&start->fitted.frame, &fitted);
		TLV_TRY(gmm_start_from_sample(ctx, evidence, &fitted, NULL, 0, start, NULL));
		start->from_moments =
			start->log_likelihood >=
			clusters->log_likelihood - TLV_MIXTURE_TOLERANCE * fabs(start->log_likelihood);
	}
	if (!start->from_moments)
	{
		tlv_free(ctx, start->sampled.image);
		start->sampled = clusters->sampled;
		start->log_likelihood = clusters->log_likelihood;
		start->entropy = clusters->entropy;
		clusters->sampled = (tlv_held){0};
	}
	start->stands = false;
	gmm_start_free(ctx, clusters);
	return TLV_OK;
}
