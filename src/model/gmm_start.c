/*
 * gmm_start.c - a mixture of Gaussians from rows in memory: k-means++ starts and expectation
 * maximisation, the better half of the starts going on (gmm.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gmm_internal.h"
#include "tensorlv/linalg.h"
#include "tensorlv/sparse.h"

/* Steps of every start in the first round; each round doubles them. */
#define FIRST_STEPS 8

typedef struct gmm_sample
{
	size_t n;
	size_t d;
	const double *rows;	 /* d x n */
	const double *floor; /* d */
	double *center;		 /* d: mean of the rows */
	float *points;		 /* d x n: centred and scaled, for k-means */
	int32_t *label;
	double *block; /* d x GMM_BLOCK */
} gmm_sample;

typedef struct gmm_candidate
{
	tlv_mixture mixture;
	double log_likelihood; /* mean over the rows */
	bool stands;
} gmm_candidate;

static size_t
load_block(const gmm_sample *sample, size_t first, const double *center)
{
	size_t d = sample->d, n = sample->n - first < GMM_BLOCK ? sample->n - first : GMM_BLOCK;

	for (size_t t = 0; t < n; t++)
		for (size_t i = 0; i < d; i++)
			sample->block[t * d + i] = sample->rows[(first + t) * d + i] - center[i];
	return n;
}

/* ---- expectation maximisation ---- */

/* Up to `steps` steps; log_likelihood is that of the mixture at the end. */
static tlv_status
refine(tlv_context *ctx, const gmm_sample *sample, int steps, gmm_candidate *candidate)
{
	double before = -HUGE_VAL;
	gmm_sums sums;

	TLV_TRY(tlv_gmm_sums_create(ctx, &candidate->mixture, &sums));
	for (int step = 0; !candidate->stands; step++)
	{
		gmm_worker worker;

		TLV_TRY(tlv_gmm_worker_create(ctx, &candidate->mixture, &worker));
		tlv_gmm_sums_clear(&candidate->mixture, &sums);
		for (size_t first = 0; first < sample->n; first += GMM_BLOCK)
			TLV_TRY(tlv_gmm_expect(ctx, &worker, load_block(sample, first, worker.center),
								   sample->block, &sums));
		candidate->log_likelihood = sums.log_likelihood / sums.rows;
		candidate->stands = candidate->log_likelihood - before <
							TLV_GMM_TOLERANCE * (fabs(before) + 1); /* at first: infinity */
		before = candidate->log_likelihood;
		if (!candidate->stands && step < steps)
			tlv_gmm_maximize(&sums, worker.center, sample->floor, &candidate->mixture);
		tlv_gmm_worker_free(ctx, &worker);
		if (step == steps)
			break;
	}
	tlv_gmm_sums_free(ctx, &sums);
	return TLV_OK;
}

/* ---- starts ---- */

/* Points for k-means: in units of the whole data's standard deviation, or of every coordinate's. */
static void
scale_points(const gmm_sample *sample, bool each)
{
	size_t d = sample->d;
	double mean = 0;

	for (size_t i = 0; i < d; i++)
		mean += sample->floor[i] / (double) d;
	for (size_t i = 0; i < d; i++)
	{
		double factor = sqrt(TLV_GMM_FLOOR / (each ? sample->floor[i] : mean));

		for (size_t t = 0; t < sample->n; t++)
			sample->points[t * d + i] =
				(float) ((sample->rows[t * d + i] - sample->center[i]) * factor);
	}
}

/* Statistics of rows that each belong to one component. */
static void
add_labelled(const gmm_sample *sample, const tlv_mixture *mixture, gmm_sums *sums)
{
	size_t d = sample->d, variances = tlv_mixture_variances(d, mixture->covariance);
	double *x = sample->block;

	for (size_t t = 0; t < sample->n; t++)
	{
		size_t j = (size_t) sample->label[t];
		double *squares = sums->squares + j * variances;

		sums->responsibilities[j]++;
		for (size_t i = 0; i < d; i++)
		{
			x[i] = sample->rows[t * d + i] - sample->center[i];
			sums->sums[j * d + i] += x[i];
		}
		if (mixture->covariance == TLV_COVARIANCE_FULL)
			for (size_t i = 0; i < d; i++)
				for (size_t c = 0; c <= i; c++)
					squares[tlv_packed2_index(i, c)] += x[i] * x[c];
		else
			for (size_t i = 0; i < d; i++)
				squares[variances == 1 ? 0 : i] += x[i] * x[i];
	}
	sums->rows = (double) sample->n;
}

/*
 * A mixture from k-means: every third start to its end, the others after no or three steps, which
 * keeps them different.  The components of too few rows begin as wide as the floor lets them.
 */
static tlv_status
start_candidate(tlv_context *ctx, const gmm_sample *sample, int start, tlv_rng *rng,
				gmm_candidate *candidate)
{
	static const int lloyd_steps[] = {30, 0, 3};
	tlv_mixture *mixture = &candidate->mixture;
	bool each = mixture->covariance >= TLV_COVARIANCE_DIAGONAL && start % 2 == 0;
	double inertia;
	gmm_sums sums;

	scale_points(sample, each);
	TLV_TRY(tlv_kmeans(ctx, sample->n, sample->d, sample->points, NULL, mixture->k, 1,
					   lloyd_steps[start % 3], rng, sample->label, NULL, &inertia));
	for (size_t j = 0; j < mixture->k; j++) /* of a component without rows */
		memcpy(mixture->means + j * sample->d, sample->center, sample->d * sizeof(double));
	TLV_TRY(tlv_gmm_sums_create(ctx, mixture, &sums));
	add_labelled(sample, mixture, &sums);
	tlv_gmm_maximize(&sums, sample->center, sample->floor, mixture);
	tlv_gmm_sums_free(ctx, &sums);
	return TLV_OK;
}

/* Variances of the whole sample: what a component without rows keeps. */
static tlv_status
widen(tlv_context *ctx, const gmm_sample *sample, tlv_mixture *mixture)
{
	size_t d = sample->d, variances = tlv_mixture_variances(d, mixture->covariance);
	double mean = 0;

	(void) ctx;
	for (size_t i = 0; i < d; i++)
		mean += sample->floor[i] / TLV_GMM_FLOOR / (double) d;
	for (size_t j = 0; j < mixture->k; j++)
	{
		double *own = mixture->variances + j * variances;

		if (variances == 1)
			own[0] = mean;
		for (size_t i = 0; i < d && variances > 1; i++)
			own[mixture->covariance == TLV_COVARIANCE_FULL ? tlv_packed2_index(i, i) : i] =
				sample->floor[i] / TLV_GMM_FLOOR;
	}
	return TLV_OK;
}

static int
compare_candidates(const void *a, const void *b)
{
	double x = ((const gmm_candidate *) a)->log_likelihood;
	double y = ((const gmm_candidate *) b)->log_likelihood;

	return x > y ? -1 : x < y;
}

/* The best of the starts ends first. */
static tlv_status
run_starts(tlv_context *ctx, const gmm_sample *sample, const tlv_gmm_start_options *options,
		   gmm_candidate *candidates)
{
	int alive = options->starts;
	tlv_rng rng;

	tlv_rng_seed(&rng, options->seed);
	for (int s = 0; s < alive; s++)
	{
		TLV_TRY(tlv_mixture_create(ctx, options->k, sample->d, options->covariance,
								   &candidates[s].mixture));
		TLV_TRY(widen(ctx, sample, &candidates[s].mixture));
		TLV_TRY(start_candidate(ctx, sample, s, &rng, &candidates[s]));
	}
	for (int steps = FIRST_STEPS; alive > 1; steps *= 2)
	{
		for (int s = 0; s < alive; s++)
			TLV_TRY(refine(ctx, sample, steps < options->steps ? steps : options->steps,
						   &candidates[s]));
		qsort(candidates, (size_t) alive, sizeof(gmm_candidate), compare_candidates);
		alive = (alive + 1) / 2;
	}
	return refine(ctx, sample, options->steps, &candidates[0]);
}

static tlv_status
open_sample(tlv_context *ctx, gmm_sample *sample)
{
	size_t n = sample->n, d = sample->d;

	sample->center = tlv_alloc0(ctx, d, (GMM_BLOCK + 1) * sizeof(double));
	TLV_TRY_ALLOC(ctx, sample->center);
	sample->block = sample->center + d;
	sample->points = tlv_alloc(ctx, n, d * sizeof(float));
	TLV_TRY_ALLOC(ctx, sample->points);
	sample->label = tlv_alloc(ctx, n, sizeof(int32_t));
	TLV_TRY_ALLOC(ctx, sample->label);
	for (size_t t = 0; t < n; t++)
		for (size_t i = 0; i < d; i++)
			sample->center[i] += sample->rows[t * d + i] / (double) n;
	return TLV_OK;
}

static tlv_status
write_best(tlv_context *ctx, const gmm_sample *sample, const tlv_gmm_start_options *options,
		   gmm_candidate *best, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_gmm_parts parts = {0};

	parts.mixture = &best->mixture;
	parts.floor = sample->floor;
	parts.rows = (double) sample->n;
	parts.seed = (double) options->seed;
	parts.diagnostics = &diagnostics;
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) sample->n, "rows"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) sample->d, "dimensions"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, options->starts, "starts"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) sample->n, "sample_rows"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, best->log_likelihood, "sample_mean_log_likelihood"));
	TLV_TRY(tlv_gmm_write(ctx, &parts, image, size));
	tlv_free(ctx, diagnostics.names);
	tlv_free(ctx, diagnostics.values);
	return TLV_OK;
}

tlv_status
tlv_gmm_start(tlv_context *ctx, size_t n, size_t d, const double *rows, const double *floor,
			  const tlv_gmm_start_options *options, void **image, size_t *size)
{
	gmm_sample sample = {.n = n, .d = d, .rows = rows, .floor = floor};
	gmm_candidate *candidates;

	if (options->k == 0 || options->k > TLV_GMM_MOST_COMPONENTS || options->starts < 1)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu, %d starts", options->k, options->starts);
	if (n < options->k)
		return tlv_fail(ctx, TLV_BAD_DATA, "%zu rows are too few for %zu components", n,
						options->k);
	TLV_TRY(open_sample(ctx, &sample));
	candidates = tlv_alloc0(ctx, (size_t) options->starts, sizeof(gmm_candidate));
	TLV_TRY_ALLOC(ctx, candidates);
	TLV_TRY(run_starts(ctx, &sample, options, candidates));
	TLV_TRY(write_best(ctx, &sample, options, &candidates[0], image, size));
	for (int s = 0; s < options->starts; s++)
		tlv_mixture_free(ctx, &candidates[s].mixture);
	tlv_free(ctx, candidates);
	tlv_free(ctx, sample.label);
	tlv_free(ctx, sample.points);
	tlv_free(ctx, sample.center);
	return TLV_OK;
}

/* ---- a given start ---- */

tlv_status
tlv_gmm_refine(tlv_context *ctx, const tlv_frame *model, size_t n, const double *rows, int steps,
			   double *log_likelihood, void **image, size_t *size)
{
	gmm_sample sample = {.n = n, .rows = rows, .floor = tlv_frame_float64(model, "floor")};
	tlv_diagnostics diagnostics = {0};
	gmm_candidate candidate = {0};
	tlv_gmm_parts parts = {0};
	tlv_mixture given;

	tlv_gmm_read(model, &given);
	sample.d = given.d;
	sample.block = tlv_alloc(ctx, given.d, GMM_BLOCK * sizeof(double));
	TLV_TRY_ALLOC(ctx, sample.block);
	TLV_TRY(tlv_mixture_create(ctx, given.k, given.d, given.covariance, &candidate.mixture));
	memcpy(candidate.mixture.weights, given.weights, given.k * sizeof(double));
	memcpy(candidate.mixture.means, given.means, given.k * given.d * sizeof(double));
	memcpy(candidate.mixture.variances, given.variances,
		   given.k * tlv_mixture_variances(given.d, given.covariance) * sizeof(double));
	TLV_TRY(refine(ctx, &sample, steps, &candidate));
	*log_likelihood = candidate.log_likelihood;
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, model, NULL));
	parts.mixture = &candidate.mixture;
	parts.floor = sample.floor;
	parts.rows = (double) n;
	parts.steps = tlv_frame_scalar(model, "steps", 0);
	parts.seed = tlv_frame_scalar(model, "seed", 0);
	parts.diagnostics = &diagnostics;
	TLV_TRY(tlv_gmm_write(ctx, &parts, image, size));
	tlv_free(ctx, diagnostics.names);
	tlv_free(ctx, diagnostics.values);
	tlv_mixture_free(ctx, &candidate.mixture);
	tlv_free(ctx, sample.block);
	return TLV_OK;
}
