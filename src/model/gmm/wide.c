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

/* Starts of k-means and their steps: merging mends what they miss. */
#define KMEANS_STARTS 2
#define KMEANS_STEPS  20

/* Clusters to begin with: at least, for each that is wanted, and rows of each at least. */
#define LEAST_CLUSTERS 32
#define SPARE_CLUSTERS 2
#define LEAST_ROWS	   5
/* More clusters are tried while so large a part of them stays. */
#define MOST_STAY 0.6

/* Rows that are projected together. */
#define PROJECT_ROWS 256

/* Above the largest eigenvalue of noise by this factor, a direction is no noise. */
#define ABOVE_NOISE 1.05

/* ---- the projected rows ---- */

size_t
gmm_wide_directions(const tlv_frame *subspace)
{
	const tlv_section *basis = tlv_frame_find(subspace, "basis");
	const double *values = tlv_frame_float64(subspace, "covariance_values");
	double edge = 1 + sqrt((double) basis->rows / tlv_frame_scalar(subspace, "rows", 1));
	double least = ABOVE_NOISE * edge * edge * tlv_frame_scalar(subspace, "noise", 0);
	size_t p = 0;

	while (p < basis->columns && values[p] > least)
		p++;
	return p < 2 ? tlv_least(2, basis->columns) : p;
}

tlv_status
gmm_wide_project(tlv_context *ctx, const tlv_gmm_sample *sample, const tlv_frame *subspace,
				 size_t p, float **points)
{
	const tlv_section *basis = tlv_frame_find(subspace, "basis");
	const double *u = tlv_section_data(subspace, basis);
	size_t d = basis->rows;
	double *block;

	TLV_TRY_NEW_ROWS(ctx, *points, p, sample->n);
	TLV_TRY_NEW(ctx, block, p * PROJECT_ROWS);
	for (size_t t = 0; t < sample->n; t += PROJECT_ROWS)
	{
		size_t rows = tlv_least(PROJECT_ROWS, sample->n - t);

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(
			tlv_gemm(ctx, true, false, p, rows, d, 1, u, d, sample->rows + t * d, d, 0, block, p));
		for (size_t i = 0; i < p * rows; i++)
			(*points)[t * p + i] = (float) block[i];
	}
	tlv_free(ctx, block);
	return TLV_OK;
}

/* ---- clusters that are merged ---- */

typedef struct clusters
{
	size_t n, p;
	size_t k;	   /* left */
	size_t all;	   /* at first */
	bool common;   /* one variance for all */
	double spread; /* of a row that every cluster has beside its own: variance within clusters */
	size_t *into;  /* all: the cluster that it has become part of, or itself */
	double *rows;  /* all */
	double *mean;  /* p x all */
	double *sums;  /* all: sums of squares within */
	double *cost;  /* all x all: what the likelihood loses when two become one */
	double within; /* of all clusters */
} clusters;

/* Log classification likelihood of the rows of a cluster; of common variances its weight only. */
static double
cluster_likelihood(const clusters *c, double rows, double sums)
{
	double p = (double) c->p, weight = rows * log(rows / (double) c->n);

	if (c->common)
		return weight;
	return weight - rows * p / 2 * log((sums + p * c->spread) / (p * (rows + 1)));
}

static double
squares_between(const clusters *c, size_t a, size_t b)
{
	double sum = 0;

	for (size_t i = 0; i < c->p; i++)
		sum += (c->mean[a * c->p + i] - c->mean[b * c->p + i]) *
			   (c->mean[a * c->p + i] - c->mean[b * c->p + i]);
	return c->rows[a] * c->rows[b] / (c->rows[a] + c->rows[b]) * sum;
}

/* Of common variances the squares are weighed by the variance within, as it is now. */
static double
merging_cost(const clusters *c, size_t a, size_t b)
{
	double more = squares_between(c, a, b), p = (double) c->p, n = (double) c->n;
	double lost = cluster_likelihood(c, c->rows[a], c->sums[a]) +
				  cluster_likelihood(c, c->rows[b], c->sums[b]) -
				  cluster_likelihood(c, c->rows[a] + c->rows[b], c->sums[a] + c->sums[b] + more);

	return c->common ? lost + n * p / 2 * log1p(more / fmax(c->within, DBL_MIN)) : lost;
}

static void
cluster_costs(clusters *c, size_t a)
{
	for (size_t b = 0; b < c->all; b++)
		if (b != a && c->into[b] == b)
			c->cost[a * c->all + b] = c->cost[b * c->all + a] = merging_cost(c, a, b);
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

static tlv_status
clusters_open(tlv_context *ctx, const gmm_evidence *evidence, size_t p, const float *points,
			  const int32_t *label, size_t all, clusters *c)
{
	const double *floor = tlv_frame_float64(evidence->single, "floor");

	memset(c, 0, sizeof(*c));
	c->n = evidence->sample.n;
	c->p = p;
	c->all = all;
	c->common = evidence->options.covariance == TLV_COVARIANCE_COMMON;
	TLV_TRY_NEW0(ctx, c->into, all);
	TLV_TRY_NEW0(ctx, c->rows, all * (2 + p + all));
	c->sums = c->rows + all;
	c->mean = c->sums + all;
	c->cost = c->mean + all * p;
	cluster_sums(points, label, c);
	for (size_t i = 0; i < evidence->d; i++)
		c->spread += floor[i] / (double) evidence->d;
	c->spread = fmax(c->spread, c->within / ((double) c->n * (double) p));
	for (size_t a = 0; a < all; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (c->into[a] == a)
			cluster_costs(c, a);
	}
	return TLV_OK;
}

static void
clusters_close(tlv_context *ctx, clusters *c)
{
	tlv_free(ctx, c->rows);
	tlv_free(ctx, c->into);
}

static double
clusters_icl(const clusters *c)
{
	double n = (double) c->n, p = (double) c->p, k = (double) c->k, likelihood = 0;

	for (size_t j = 0; j < c->all; j++)
		if (c->into[j] == j)
			likelihood += cluster_likelihood(c, c->rows[j], c->sums[j]);
	if (c->common)
		likelihood -= n * p / 2 * log((c->within + p * c->spread) / (p * (n + 1)));
	return (k * (p + 1) + (c->common ? 0 : k - 1)) * log(n) - 2 * likelihood;
}

/* The cheapest pair becomes one cluster. */
static void
merge_cheapest(clusters *c)
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
	cluster_costs(c, a);
}

/* Clusters of k-means, `all` or fewer of few rows. */
static tlv_status
find_clusters(tlv_context *ctx, const gmm_evidence *evidence, size_t p, const float *points,
			  size_t all, int32_t *label)
{
	const tlv_kmeans_task task = {.n = evidence->sample.n,
								  .d = p,
								  .points = points,
								  .k = all,
								  .starts = KMEANS_STARTS,
								  .max_steps = KMEANS_STEPS};
	double inertia;
	tlv_rng rng;

	tlv_rng_seed(&rng, evidence->options.seed);
	return tlv_kmeans(ctx, &task, &rng, label, NULL, &inertia);
}

static size_t
cluster_limit(const gmm_evidence *evidence, size_t wanted, size_t least)
{
	size_t most = evidence->sample.n / LEAST_ROWS;
	size_t all = wanted < most ? wanted : most;

	return all > least ? all : least;
}

/* ---- the number of components ---- */

/* Merges `all` clusters to one. */
static tlv_status
choose_among(tlv_context *ctx, const gmm_evidence *evidence, size_t p, const float *points,
			 size_t all, gmm_wide_choice *choice)
{
	size_t n = evidence->sample.n;
	int32_t *label;
	clusters c;

	TLV_TRY_NEW(ctx, label, n);
	TLV_TRY(find_clusters(ctx, evidence, p, points, all, label));
	TLV_TRY(clusters_open(ctx, evidence, p, points, label, all, &c));
	choice->tried = c.k;
	for (choice->k = c.k; c.k > 0; merge_cheapest(&c))
	{
		TLV_TRY_CONTINUE(ctx);
		choice->icl[c.k - 1] = clusters_icl(&c);
		if (choice->icl[c.k - 1] < choice->icl[choice->k - 1])
			choice->k = c.k;
		if (c.k == 1)
			break;
	}
	clusters_close(ctx, &c);
	tlv_free(ctx, label);
	return TLV_OK;
}

tlv_status
gmm_wide_choose(tlv_context *ctx, const gmm_evidence *evidence, size_t p, const float *points,
				size_t max_k, gmm_wide_choice *choice)
{
	size_t most = cluster_limit(evidence, max_k, 1);

	TLV_TRY_NEW0(ctx, choice->icl, most);
	for (size_t all = LEAST_CLUSTERS;; all *= 2)
	{
		all = all < most ? all : most;
		TLV_TRY(choose_among(ctx, evidence, p, points, all, choice));
		if (all == most || (double) choice->k < MOST_STAY * (double) all)
			return TLV_OK;
	}
}

/* ---- starts ---- */

/* The mixture of labelled rows, all components of which have some. */
static tlv_status
mixture_of_labels(tlv_context *ctx, const gmm_evidence *evidence, const int32_t *label,
				  tlv_mixture *mixture)
{
	const tlv_gmm_sample *sample = &evidence->sample;
	tlv_mixture_worker worker;
	tlv_mixture_sums sums;

	TLV_TRY(tlv_mixture_sums_create(ctx, mixture, &sums));
	TLV_TRY(tlv_mixture_worker_open(ctx, mixture, sample->center, &worker));
	for (size_t first = 0; first < sample->n; first += TLV_MIXTURE_BLOCK)
		TLV_TRY(tlv_mixture_add_labelled(ctx, &worker,
										 tlv_least(TLV_MIXTURE_BLOCK, sample->n - first),
										 sample->rows + first * sample->d, label + first, &sums));
	tlv_mixture_maximize(&sums, sample->center, tlv_frame_float64(evidence->single, "floor"),
						 mixture);
	tlv_mixture_worker_free(ctx, &worker);
	tlv_mixture_sums_free(ctx, &sums);
	return TLV_OK;
}

/* Labels 0 .. k - 1 of the clusters that are left. */
static tlv_status
merged_labels(tlv_context *ctx, const gmm_evidence *evidence, size_t p, const float *points,
			  size_t k, int32_t *label)
{
	size_t all = cluster_limit(
		evidence, k > LEAST_CLUSTERS / SPARE_CLUSTERS ? SPARE_CLUSTERS * k : LEAST_CLUSTERS, k);
	size_t *number, left = 0;
	clusters c;

	TLV_TRY(find_clusters(ctx, evidence, p, points, all, label));
	TLV_TRY(clusters_open(ctx, evidence, p, points, label, all, &c));
	for (; c.k > k; merge_cheapest(&c))
		TLV_TRY_CONTINUE(ctx);
	TLV_TRY_NEW(ctx, number, all);
	for (size_t j = 0; j < all; j++)
		number[j] = c.into[j] == j ? left++ : 0;
	for (size_t t = 0; t < evidence->sample.n; t++)
		label[t] = (int32_t) number[c.into[label[t]]];
	tlv_free(ctx, number);
	clusters_close(ctx, &c);
	return TLV_OK;
}

static tlv_status
write_clusters(tlv_context *ctx, const gmm_evidence *evidence, const int32_t *label, size_t k,
			   void **image, size_t *size)
{
	const tlv_gmm_sample *sample = &evidence->sample;
	tlv_diagnostics diagnostics = {0};
	tlv_gmm_parts parts = {.floor = tlv_frame_float64(evidence->single, "floor"),
						   .rows = (double) sample->n,
						   .seed = (double) evidence->options.seed,
						   .diagnostics = &diagnostics};
	tlv_mixture mixture, whole;

	tlv_gmm_read(evidence->single, &whole);
	TLV_TRY(tlv_mixture_create(ctx, k, sample->d, evidence->options.covariance, &mixture));
	for (size_t j = 0; j < k; j++) /* of a component without rows, where too few differ */
	{
		memcpy(mixture.means + j * sample->d, whole.means, sample->d * sizeof(double));
		mixture.variances[j] = whole.variances[0];
	}
	TLV_TRY(mixture_of_labels(ctx, evidence, label, &mixture));
	parts.mixture = &mixture;
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) sample->n, "rows"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) sample->d, "dimensions"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) sample->n, "sample_rows"));
	return tlv_gmm_write(ctx, &parts, image, size);
}

static tlv_status
clusters_fit(tlv_context *ctx, const gmm_evidence *evidence, size_t p, const float *points,
			 size_t k, tlv_held *held)
{
	tlv_making made;
	int32_t *label;
	tlv_status status;

	tlv_make(ctx, &made);
	label = tlv_alloc(ctx, evidence->sample.n, sizeof(int32_t));
	status = label == NULL ? ctx->error.code : merged_labels(ctx, evidence, p, points, k, label);
	if (status == TLV_OK)
		status = write_clusters(ctx, evidence, label, k, &made.image, &made.size);
	return tlv_made(ctx, &made, held, status);
}

static tlv_status
refine_held(tlv_context *ctx, const gmm_evidence *evidence, const tlv_frame *model, tlv_held *held,
			double *log_likelihood, double *entropy)
{
	tlv_making made;

	tlv_make(ctx, &made);
	return tlv_made(ctx, &made, held,
					tlv_gmm_refine(ctx, model, &evidence->sample, GMM_MOST_STEPS, log_likelihood,
								   entropy, &made.image, &made.size));
}

tlv_status
gmm_wide_clusters(tlv_context *ctx, const gmm_evidence *evidence, size_t p, const float *points,
				  gmm_start *start)
{
	tlv_held clusters = {0};

	if (evidence->sample.n < start->k)
		return tlv_refuse_few(ctx, (double) evidence->sample.n, "rows", start->k, "components");
	TLV_TRY(clusters_fit(ctx, evidence, p, points, start->k, &clusters));
	TLV_TRY(refine_held(ctx, evidence, &clusters.frame, &start->sampled, &start->log_likelihood,
						&start->entropy));
	tlv_free(ctx, clusters.image);
	start->from_moments = false;
	return TLV_OK;
}

tlv_status
gmm_wide_better(tlv_context *ctx, const gmm_evidence *evidence, gmm_start *clusters,
				gmm_start *start)
{
	start->from_moments = false;
	if (start->fitted.image != NULL)
	{
		TLV_TRY(refine_held(ctx, evidence, &start->fitted.frame, &start->sampled,
							&start->log_likelihood, &start->entropy));
		start->from_moments =
			start->log_likelihood >=
			clusters->log_likelihood - TLV_GMM_TOLERANCE * fabs(start->log_likelihood);
	}
	if (!start->from_moments)
	{
		tlv_free(ctx, start->sampled.image);
		start->sampled = clusters->sampled;
		start->log_likelihood = clusters->log_likelihood;
		start->entropy = clusters->entropy;
		clusters->sampled = (tlv_held){0};
	}
	gmm_start_free(ctx, clusters);
	return TLV_OK;
}
