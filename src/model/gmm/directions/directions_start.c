/*
 * directions_start.c - starts of mixtures of directions from a sample, and how many components
 * there are: clusters of k-means in the leading directions are merged by the classification
 * likelihood of von Mises-Fisher components, as in wide.c, and the fit of spherical components to
 * third moments competes: the mean of directions is as long as A(kappa).
 */
#include <math.h>
#include <string.h>

#include "directions.h"
#include "../wide.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/kmeans.h"
#include "tensorlv/num/linalg.h"

#define KMEANS_STARTS 4
#define KMEANS_STEPS  20

/* Clusters to begin with: at least, for each that is wanted, rows of each; more are tried while so
 * large a part of them stays. */
#define LEAST_CLUSTERS 32
#define SPARE_CLUSTERS 2
#define LEAST_ROWS	   5
#define MOST_STAY	   0.6

/* In so few dimensions components may overlap, and every number is fitted, until the criterion has
 * risen so often. */
#define FEW_DIMENSIONS 20
#define MOST_RISES	   2

#define PROJECT_ROWS 256

/* ---- the sample in the leading directions ---- */

typedef struct projected
{
	size_t n, d;
	size_t p; /* directions, and one for what all rows have outside */
	float *points;
	void *image; /* the subspace */
	tlv_frame subspace;
} projected;

/* What the mean has outside of the leading directions: its length. */
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

static tlv_status
project(tlv_context *ctx, const directions_sample *sample, projected *to)
{
	const double *basis = tlv_frame_float64(&to->subspace, "basis");
	const double *mean = tlv_frame_float64(&to->subspace, "mean");
	size_t d = sample->d, p = to->p - 1;
	double *block, outside;

	TLV_TRY_NEW_ROWS(ctx, to->points, to->p, sample->n);
	TLV_TRY_NEW(ctx, block, p * PROJECT_ROWS);
	outside = outside_length(d, p, basis, mean, block);
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
			point[p] = (float) outside;
		}
	}
	tlv_free(ctx, block);
	return TLV_OK;
}

static tlv_status
open_projected(tlv_context *ctx, const directions_sample *sample, size_t most, projected *to)
{
	size_t size, p = tlv_least(tlv_least(most, GMM_WIDE_MOST_DIRECTIONS), sample->d);

	to->n = sample->n;
	to->d = sample->d;
	TLV_TRY(tlv_dense_subspace(ctx, &sample->moments, p, &to->image, &size));
	TLV_TRY(tlv_frame_open(ctx, to->image, size, &to->subspace));
	to->p = gmm_wide_directions(&to->subspace) + 1;
	return project(ctx, sample, to);
}

static void
close_projected(tlv_context *ctx, projected *of)
{
	tlv_free(ctx, of->points);
	tlv_free(ctx, of->image);
}

/* ---- clusters that are merged ---- */

typedef struct clusters
{
	size_t n, d, p;
	size_t k;	   /* left */
	size_t all;	   /* at first */
	double length; /* of the mean of rows, over all clusters: a row that each has beside its own */
	size_t *into;  /* all: the cluster that it has become part of, or itself */
	double *rows;  /* all */
	double *gram;  /* all x all: products of the sums of directions */
	double *cost;  /* all x all */
} clusters;

/* Log classification likelihood of so many directions with a sum of that squared length. */
static double
cluster_likelihood(const clusters *c, double rows, double square)
{
	double sum = sqrt(fmax(square, 0));
	double kappa = tlv_directions_kappa(c->d, fmin((sum + c->length) / (rows + 1), 1));

	return rows * (log(rows / (double) c->n) + tlv_directions_log_norm(c->d, kappa)) + kappa * sum;
}

static double
own_likelihood(const clusters *c, size_t a)
{
	return cluster_likelihood(c, c->rows[a], c->gram[a * c->all + a]);
}

static tlv_status
cluster_costs(tlv_context *ctx, clusters *c, size_t a)
{
	size_t all = c->all;
	double own = own_likelihood(c, a);

	TLV_TRY_CONTINUE(ctx);
	for (size_t b = 0; b < all; b++)
		if (b != a && c->into[b] == b)
		{
			double square = c->gram[a * all + a] + c->gram[b * all + b] + 2 * c->gram[a * all + b];

			c->cost[a * all + b] = c->cost[b * all + a] =
				own + own_likelihood(c, b) - cluster_likelihood(c, c->rows[a] + c->rows[b], square);
		}
	return TLV_OK;
}

static tlv_status
cluster_sums(tlv_context *ctx, const projected *of, const int32_t *label, clusters *c)
{
	size_t p = c->p, all = c->all;
	double *sums;

	TLV_TRY_NEW0(ctx, sums, all * p);
	for (size_t t = 0; t < c->n; t++)
	{
		double *sum = sums + (size_t) label[t] * p;

		c->rows[label[t]]++;
		for (size_t a = 0; a < p; a++)
			sum[a] += of->points[t * p + a];
	}
	TLV_TRY(tlv_gemm(ctx, true, false, all, all, p, 1, sums, p, sums, p, 0, c->gram, all));
	tlv_free(ctx, sums);
	for (size_t j = 0; j < all; j++)
	{
		c->into[j] = c->rows[j] > 0 ? j : all;
		c->k += c->rows[j] > 0;
		c->length += sqrt(c->gram[j * all + j]) / (double) c->n;
	}
	return TLV_OK;
}

static tlv_status
clusters_open(tlv_context *ctx, const projected *of, const int32_t *label, size_t all, clusters *c)
{
	memset(c, 0, sizeof(*c));
	c->n = of->n;
	c->d = of->d;
	c->p = of->p;
	c->all = all;
	TLV_TRY_NEW0(ctx, c->into, all);
	TLV_TRY_NEW0(ctx, c->rows, all * (1 + 2 * all));
	c->gram = c->rows + all;
	c->cost = c->gram + all * all;
	TLV_TRY(cluster_sums(ctx, of, label, c));
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

/* Means lie in the leading directions, so that each has as many parameters as these are. */
static double
clusters_icl(const clusters *c)
{
	double likelihood = 0, k = (double) c->k;

	for (size_t j = 0; j < c->all; j++)
		if (c->into[j] == j)
			likelihood += own_likelihood(c, j);
	return (k * (double) c->p + k - 1) * log((double) c->n) - 2 * likelihood;
}

/* The cheapest pair becomes one cluster. */
static tlv_status
merge_cheapest(tlv_context *ctx, clusters *c)
{
	size_t all = c->all, a = all, b = all;

	for (size_t i = 0; i < all; i++)
		for (size_t j = i + 1; j < all && c->into[i] == i; j++)
			if (c->into[j] == j && (a == all || c->cost[i * all + j] < c->cost[a * all + b]))
			{
				a = i;
				b = j;
			}
	for (size_t j = 0; j < all; j++)
		c->gram[a * all + j] += c->gram[b * all + j];
	for (size_t j = 0; j < all; j++)
		c->gram[j * all + a] += c->gram[j * all + b];
	c->rows[a] += c->rows[b];
	for (size_t j = 0; j < all; j++)
		c->into[j] = c->into[j] == b ? a : c->into[j];
	c->k--;
	return cluster_costs(ctx, c, a);
}

static tlv_status
find_clusters(tlv_context *ctx, const projected *of, uint64_t seed, size_t all, int32_t *label)
{
	const tlv_kmeans_task task = {.n = of->n,
								  .d = of->p,
								  .points = of->points,
								  .k = all,
								  .starts = KMEANS_STARTS,
								  .max_steps = KMEANS_STEPS};
	double inertia;
	tlv_rng rng;

	tlv_rng_seed(&rng, seed);
	return tlv_kmeans(ctx, &task, &rng, label, NULL, &inertia);
}

static size_t
cluster_limit(const projected *of, size_t wanted, size_t least)
{
	size_t all = tlv_least(wanted, of->n / LEAST_ROWS);

	return all > least ? all : least;
}

/* ---- the number of components ---- */

/* Merges `all` clusters to one. */
static tlv_status
choose_among(tlv_context *ctx, const projected *of, uint64_t seed, size_t all,
			 directions_start *start)
{
	int32_t *label;
	clusters c;

	TLV_TRY_NEW(ctx, label, of->n);
	TLV_TRY(find_clusters(ctx, of, seed, all, label));
	TLV_TRY(clusters_open(ctx, of, label, all, &c));
	start->tried = start->k = c.k;
	for (;;)
	{
		start->icl[c.k - 1] = clusters_icl(&c);
		if (start->icl[c.k - 1] < start->icl[start->k - 1])
			start->k = c.k;
		if (c.k == 1)
			break;
		TLV_TRY(merge_cheapest(ctx, &c));
	}
	clusters_close(ctx, &c);
	tlv_free(ctx, label);
	return TLV_OK;
}

static tlv_status
choose_k(tlv_context *ctx, const projected *of, uint64_t seed, size_t max_k,
		 directions_start *start)
{
	size_t most = cluster_limit(of, max_k, 1);

	TLV_TRY_NEW0(ctx, start->icl, most);
	for (size_t all = LEAST_CLUSTERS;; all *= 2)
	{
		all = tlv_least(all, most);
		TLV_TRY(choose_among(ctx, of, seed, all, start));
		if (all == most || (double) start->k < MOST_STAY * (double) all)
			return TLV_OK;
	}
}

/* ---- starts ---- */

/* Labels 0 .. k - 1 of merged clusters. */
static tlv_status
merged_labels(tlv_context *ctx, const projected *of, uint64_t seed, size_t k, int32_t *label)
{
	size_t wanted = SPARE_CLUSTERS * k > LEAST_CLUSTERS ? SPARE_CLUSTERS * k : LEAST_CLUSTERS;
	size_t all = cluster_limit(of, wanted, k), *number, left = 0;
	clusters c;

	TLV_TRY(find_clusters(ctx, of, seed, all, label));
	TLV_TRY(clusters_open(ctx, of, label, all, &c));
	while (c.k > k)
		TLV_TRY(merge_cheapest(ctx, &c));
	TLV_TRY_NEW(ctx, number, all);
	for (size_t j = 0; j < all; j++)
		number[j] = c.into[j] == j ? left++ : 0;
	for (size_t t = 0; t < of->n; t++)
		label[t] = (int32_t) number[c.into[label[t]]];
	tlv_free(ctx, number);
	clusters_close(ctx, &c);
	return TLV_OK;
}

static tlv_status
sums_create(tlv_context *ctx, size_t k, size_t d, directions_sums *sums)
{
	TLV_TRY_NEW0(ctx, sums->responsibilities, k * (d + 1));
	sums->sums = sums->responsibilities + k;
	return TLV_OK;
}

static void
sums_clear(size_t k, size_t d, directions_sums *sums)
{
	sums->rows = sums->log_likelihood = 0;
	memset(sums->responsibilities, 0, k * (d + 1) * sizeof(double));
}

/* Of rows that each belong to one component; one without rows points anywhere. */
static tlv_status
start_from_labels(tlv_context *ctx, const directions_sample *sample, const int32_t *label,
				  tlv_directions *directions)
{
	size_t k = directions->k, d = directions->d;
	directions_sums sums = {0};

	tlv_assert(d > 0);
	TLV_TRY(sums_create(ctx, k, d, &sums));
	sums.rows = (double) sample->n;
	for (size_t t = 0; t < sample->n; t++)
	{
		double *sum = sums.sums + (size_t) label[t] * d;

		sums.responsibilities[label[t]]++;
		for (size_t i = 0; i < d; i++)
			sum[i] += sample->rows[t * d + i];
	}
	for (size_t j = 0; j < k; j++)
		directions->means[j * d + j % d] = 1;
	directions_maximize(&sums, directions);
	tlv_free(ctx, sums.responsibilities);
	return TLV_OK;
}

/* Up to GMM_MOST_STEPS steps on the sample; the likelihood is that at the end. */
static tlv_status
ascend(tlv_context *ctx, const directions_sample *sample, directions_start *start)
{
	tlv_directions *directions = &start->directions;
	size_t k = directions->k, d = directions->d;
	directions_worker worker;
	directions_sums sums = {0};
	double before = -HUGE_VAL;

	TLV_TRY(sums_create(ctx, k, d, &sums));
	TLV_TRY(directions_worker_open(ctx, directions, &worker));
	for (start->steps = 0;; start->steps++)
	{
		sums_clear(k, d, &sums);
		directions_worker_prepare(&worker);
		for (size_t t = 0; t < sample->n; t += DIRECTIONS_BLOCK)
			TLV_TRY(directions_expect(ctx, &worker, tlv_least(DIRECTIONS_BLOCK, sample->n - t),
									  sample->rows + t * d, &sums));
		start->log_likelihood = sums.log_likelihood / sums.rows;
		start->stands = start->log_likelihood - before < TLV_GMM_TOLERANCE * (fabs(before) + 1);
		if (start->stands || start->steps == GMM_MOST_STEPS)
			break;
		before = start->log_likelihood;
		directions_maximize(&sums, directions);
	}
	directions_worker_free(ctx, &worker);
	tlv_free(ctx, sums.responsibilities);
	return TLV_OK;
}

static tlv_status
start_from_clusters(tlv_context *ctx, const directions_sample *sample, const projected *of,
					uint64_t seed, directions_start *start)
{
	int32_t *label;

	TLV_TRY_NEW(ctx, label, sample->n);
	TLV_TRY(merged_labels(ctx, of, seed, start->k, label));
	TLV_TRY(tlv_directions_create(ctx, start->k, sample->d, &start->directions));
	TLV_TRY(start_from_labels(ctx, sample, label, &start->directions));
	tlv_free(ctx, label);
	return ascend(ctx, sample, start);
}

/* Has it a component of fewer rows than dimensions that are as good as equal? */
static bool
is_degenerate(const directions_start *start, double n)
{
	const tlv_directions *of = &start->directions;
	double d = (double) of->d;

	for (size_t j = 0; j < of->k; j++)
		if (of->weights[j] * n < d + 1 && of->kappas[j] >= TLV_DIRECTIONS_MOST_KAPPA * d)
			return true;
	return false;
}

/* The number of components of the least Bayesian information criterion, every one fitted. */
static tlv_status
choose_fitted(tlv_context *ctx, const directions_sample *sample, const projected *of, uint64_t seed,
			  directions_start *start)
{
	double n = (double) sample->n, d = (double) sample->d;
	size_t best = 1, rises = 0;

	TLV_TRY_NEW0(ctx, start->bic, start->tried);
	for (size_t k = 1; k <= start->tried && rises < MOST_RISES; k++)
	{
		directions_start own = {.k = k};

		TLV_TRY(start_from_clusters(ctx, sample, of, seed, &own));
		start->bic[k - 1] = ((double) k * (d + 1) - 1) * log(n) - 2 * n * own.log_likelihood;
		if (is_degenerate(&own, n))
			start->bic[k - 1] = HUGE_VAL;
		start->fitted = k;
		tlv_directions_free(ctx, &own.directions);
		rises = start->bic[k - 1] > start->bic[best - 1] ? rises + 1 : 0;
		best = start->bic[k - 1] < start->bic[best - 1] ? k : best;
	}
	start->k = best;
	return TLV_OK;
}

/* ---- the fit to third moments ---- */

/* Moments of the sample in k directions. */
static tlv_status
third_moments(tlv_context *ctx, const directions_sample *sample, size_t k, void **image)
{
	tlv_accumulator *accumulator;
	tlv_frame_builder *builder;
	tlv_frame subspace;
	void *basis;
	size_t size;

	TLV_TRY(tlv_dense_subspace(ctx, &sample->moments, tlv_least(k, sample->d), &basis, &size));
	TLV_TRY(tlv_frame_open(ctx, basis, size, &subspace));
	TLV_TRY(tlv_dense_compressed_create_order(ctx, &subspace, 3, &accumulator));
	for (size_t t = 0; t < sample->n; t++)
		TLV_TRY(tlv_add(ctx, accumulator, TLV_AS_VECTOR(sample->d, sample->rows + t * sample->d)));
	TLV_TRY_NEW(ctx, builder, 1);
	TLV_TRY(accumulator->class->build(ctx, accumulator, builder));
	return tlv_frame_finish(ctx, builder, image, &size);
}

/* The means of spherical components are as long as the concentration makes them. */
static void
directions_of_means(const tlv_mixture *mixture, tlv_directions *directions)
{
	size_t k = mixture->k, d = mixture->d;

	for (size_t j = 0; j < k; j++)
	{
		const double *mean = mixture->means + j * d;
		double square = 0;

		for (size_t i = 0; i < d; i++)
			square += mean[i] * mean[i];
		directions->weights[j] = mixture->weights[j];
		directions->kappas[j] = tlv_directions_kappa(d, fmin(sqrt(square), 1));
		directions->means[j * d] = square > 0 ? 0 : 1;
		for (size_t i = 0; i < d && square > 0; i++)
			directions->means[j * d + i] = mean[i] / sqrt(square);
	}
}

static tlv_status
fit_moments(tlv_context *ctx, const directions_sample *sample,
			const tlv_directions_learn_options *options, size_t k, void **image, size_t *size)
{
	const tlv_gmm_options fit = {.k = k,
								 .covariance = TLV_COVARIANCE_SPHERICAL,
								 .seed = options->seed,
								 .decompose = options->decompose};
	void *moments;
	tlv_frame frame;

	TLV_TRY(third_moments(ctx, sample, k, &moments));
	TLV_TRY(tlv_frame_open(ctx, moments, ((tlv_frame_header *) moments)->size, &frame));
	return tlv_gmm_fit(ctx, &frame, &fit, image, size);
}

/* The better of the start and of one from third moments, where these identify one. */
static tlv_status
compare_moments(tlv_context *ctx, const directions_sample *sample,
				const tlv_directions_learn_options *options, directions_start *start)
{
	directions_start other = {.k = start->k};
	tlv_mixture mixture;
	tlv_making made;
	tlv_held held = {0};
	tlv_status status;

	tlv_make(ctx, &made);
	status = tlv_made(ctx, &made, &held,
					  fit_moments(ctx, sample, options, start->k, &made.image, &made.size));
	if (status != TLV_OK)
		return status == TLV_NOT_IDENTIFIABLE ? TLV_OK : status;
	tlv_gmm_read(&held.frame, &mixture);
	TLV_TRY(tlv_directions_create(ctx, start->k, sample->d, &other.directions));
	directions_of_means(&mixture, &other.directions);
	tlv_free(ctx, held.image);
	TLV_TRY(ascend(ctx, sample, &other));
	if (other.log_likelihood <
		start->log_likelihood - TLV_GMM_TOLERANCE * fabs(start->log_likelihood))
	{
		tlv_directions_free(ctx, &other.directions);
		return TLV_OK;
	}
	tlv_directions_free(ctx, &start->directions);
	other.icl = start->icl;
	other.tried = start->tried;
	other.bic = start->bic;
	other.fitted = start->fitted;
	other.from_moments = true;
	*start = other;
	return TLV_OK;
}

tlv_status
directions_find_start(tlv_context *ctx, const directions_sample *sample,
					  const tlv_directions_learn_options *options, size_t max_k,
					  directions_start *start)
{
	size_t most = start->k > 0 ? start->k : max_k;
	projected of;

	if (sample->n < start->k)
		return tlv_refuse_few(ctx, (double) sample->n, "rows", start->k, "components");
	TLV_TRY(open_projected(ctx, sample, most, &of));
	if (start->k == 0)
	{
		TLV_TRY(choose_k(ctx, &of, options->seed, max_k, start));
		if (sample->d <= FEW_DIMENSIONS)
			TLV_TRY(choose_fitted(ctx, sample, &of, options->seed, start));
	}
	TLV_TRY(start_from_clusters(ctx, sample, &of, options->seed, start));
	close_projected(ctx, &of);
	if (start->k == 1 || start->k > GMM_WIDE_MOST_DIRECTIONS)
		return TLV_OK;
	return compare_moments(ctx, sample, options, start);
}
