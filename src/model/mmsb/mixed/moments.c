/*
 * moments.c - from star moments to memberships by least squares, and to
 * clusters of their embedding.
 */
#include "../internal.h"
#include "../tuning.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/kmeans.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"
#include "tensorlv/num/tuning.h"

static const tlv_dirichlet_words words = {"communities",
										  "use a smaller k, or leave k out and let it be chosen."};

/*
 * Components in the basis, width x k: plain ones by the tensor's weights, normalised ones so that
 * the entries of S^-1 U b sum to 1.
 */
static void
scale_components(const tlv_mmsb_fit_state *fit, const tlv_dirichlet_solver *solver,
				 const tlv_star_moments *stars, double *components, double *weights,
				 double *implied)
{
	size_t k = fit->k, w = stars->moments.width;
	double a0 = fit->options->alpha0, total = 0;

	memset(components, 0, k * w * sizeof(double));
	memset(weights, 0, k * sizeof(double));
	for (size_t j = 0; j < solver->k; j++)
	{
		double value = solver->decomposition.values[j], factor, sum = 0;

		weights[j] = 4 * (a0 + 1) / ((a0 + 2) * (a0 + 2) * fmax(value * value, TLV_TINY));
		factor = sqrt((a0 + 1) / weights[j]);
		for (size_t i = 0; i < w; i++)
			sum += stars->sums[i] * solver->components[j * w + i];
		if (fit->corrected)
			factor = fabs(sum) > 1e-12 ? 1 / sum : 1;
		for (size_t i = 0; i < w; i++)
			components[j * w + i] = factor * solver->components[j * w + i];
		total += weights[j];
	}
	for (size_t j = 0; j < k; j++)
		weights[j] /= total;
	*implied = total;
}

/* The user's options, bounded for large k where these leave it to us. */
static tlv_decompose_options
bounded_options(const tlv_mmsb_fit_state *fit)
{
	tlv_decompose_options options = fit->options->decompose;
	double k = (double) fit->k, steps = ceil(DECOMPOSE_WORK / (2 * k * k * k * k));

	if (options.method != TLV_METHOD_JOINT || steps >= TLV_MOST_PASSES)
		return options;
	options.steps = options.steps > 0 ? options.steps : (int) steps;
	options.starts = options.starts > 0 ? options.starts : 1;
	options.tolerance = 1e-6;
	return options;
}

/*
 * Solves for as many components as the second moment has directions, at most k: directions with
 * less than nothing in them carry no community.  *rank of them; 0: no tensor is left.
 */
static tlv_status
decompose_directions(tlv_context *ctx, const tlv_mmsb_fit_state *fit, const tlv_star_moments *stars,
					 const tlv_decompose_options *options, tlv_dirichlet_solver *solver,
					 size_t *rank)
{
	tlv_status status;

	*rank = fit->k;
	for (;;)
	{
		size_t positive = 0;

		TLV_TRY(tlv_dirichlet_solver_create(ctx, &stars->moments, *rank, options, &words, solver));
		status = tlv_dirichlet_decompose(ctx, solver, fit->options->alpha0);
		if (status == TLV_BAD_DATA) /* of zeros: the stars of a graph that is the same everywhere */
		{
			memset(&ctx->error, 0, sizeof(ctx->error));
			*rank = 0;
			return TLV_OK;
		}
		if (status != TLV_NOT_IDENTIFIABLE)
			return status;
		while (positive < *rank && solver->eigenvalues[positive] > 0 &&
			   solver->eigenvalues[positive] > TLV_LEAST_DIRECTION * solver->eigenvalues[0])
			positive++;
		*rank = positive < *rank ? positive : *rank - 1;
		if (*rank == 0)
			return TLV_OK;
		tlv_dirichlet_solver_free(ctx, solver);
	}
}

/* What is known of a decomposition; k numbers, those of directions that were dropped are 0. */
static tlv_status
keep_decomposition(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
				   const tlv_dirichlet_solver *solver, tlv_mmsb_moments *moments)
{
	size_t k = fit->k, rank = moments->rank, independent = 0;
	double *components;

	TLV_TRY_NEW0(ctx, moments->eigenvalues, 3 * k + k * k);
	moments->values = moments->eigenvalues + k;
	moments->weights = moments->values + k;
	moments->inverse = moments->weights + k;
	memcpy(moments->eigenvalues, solver->eigenvalues, k * sizeof(double));
	moments->residual = 1; /* nothing is explained */
	if (rank == 0)
		return TLV_OK;
	memcpy(moments->values, solver->decomposition.values, rank * sizeof(double));
	moments->residual = solver->decomposition.residual;
	moments->iterations = solver->decomposition.iterations;
	moments->converged = solver->decomposition.converged;
	TLV_TRY_NEW(ctx, components, k * k);
	scale_components(fit, solver, &moments->stars, components, moments->weights, &moments->implied);
	TLV_TRY(tlv_pseudo_inverse(ctx, k, k, components, 1e-9, moments->inverse, &independent));
	tlv_free(ctx, components);
	return TLV_OK;
}

/* The stars of a side, or their directions alone, for which degrees do not count. */
static tlv_status
find_stars(tlv_context *ctx, tlv_mmsb_fit_state *fit, size_t s, bool directions)
{
	tlv_star_side side = {.out = &fit->side[s].edges,
						  .in = &fit->side[tlv_mmsb_other(fit, s)].edges,
						  .symmetric = fit->sides == 1,
						  .normalized = directions || fit->corrected};
	bool large = (double) fit->side[s].edges.entries * (double) fit->k > LARGE_STARS_WORK;
	tlv_star_options options = {.width = fit->k,
								.max_steps = large ? COMMUNITY_STEPS : STARS_STEPS,
								.tolerance = large ? MIXED_TOLERANCE : STARS_TOLERANCE,
								.directions = directions,
								.seed = fit->options->seed + s};

	return tlv_star_moments_compute(ctx, &side, &options, &fit->moments[s].stars);
}

tlv_status
tlv_mmsb_find_directions(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY(find_stars(ctx, fit, s, true));
	return TLV_OK;
}

static tlv_status
decompose_side(tlv_context *ctx, tlv_mmsb_fit_state *fit, size_t s)
{
	tlv_mmsb_moments *moments = &fit->moments[s];
	tlv_decompose_options decompose = bounded_options(fit);
	tlv_dirichlet_solver solver;

	TLV_TRY(find_stars(ctx, fit, s, false));
	TLV_TRY(decompose_directions(ctx, fit, &moments->stars, &decompose, &solver, &moments->rank));
	TLV_TRY(keep_decomposition(ctx, fit, &solver, moments));
	tlv_dirichlet_solver_free(ctx, &solver);
	return TLV_OK;
}

static double
side_memory(const tlv_mmsb_fit_state *fit, size_t s)
{
	tlv_star_side side = {.out = &fit->side[s].edges,
						  .in = &fit->side[tlv_mmsb_other(fit, s)].edges};

	return tlv_star_memory(&side, fit->k);
}

double
tlv_mmsb_directions_memory(const tlv_mmsb_fit_state *fit)
{
	return side_memory(fit, 0) + (fit->sides == 2 ? side_memory(fit, 1) : 0);
}

tlv_status
tlv_mmsb_decompose(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	double decomposition = tlv_dirichlet_memory(fit->k, fit->k, &fit->options->decompose);

	for (size_t s = 0; s < fit->sides; s++)
	{
		TLV_TRY(tlv_require_memory(ctx, side_memory(fit, s) + decomposition,
								   "counting the stars of the graph"));
		TLV_TRY(decompose_side(ctx, fit, s));
	}
	return TLV_OK;
}

tlv_status
tlv_mmsb_solve_scores(tlv_context *ctx, tlv_mmsb_fit_state *fit, size_t s)
{
	tlv_mmsb_moments *moments = &fit->moments[s];
	tlv_star_moments *stars = &moments->stars;
	size_t k = fit->k;
	double *transposed = tlv_alloc(ctx, k * k, sizeof(double));

	TLV_TRY_ALLOC(ctx, transposed);
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < k; i++)
			transposed[i + k * j] = moments->inverse[j + k * i];
	TLV_TRY(tlv_rotate_float(ctx, stars->rows, k, stars->scores, k, transposed));
	TLV_TRY(tlv_rotate_float(ctx, stars->columns, k, stars->basis, k, transposed));
	tlv_free(ctx, transposed);
	return TLV_OK;
}

/* The directions of a side's nodes, k x n, scaled by their values and then of length 1 or 0. */
static tlv_status
mixed_scale_points(tlv_context *ctx, const tlv_star_moments *stars, size_t k, size_t n,
				   float *points)
{
	for (size_t u = 0; u < n; u++)
	{
		double norm = 0;

		TLV_TRY_CONTINUE_OFTEN(ctx, u);
		for (size_t i = 0; i < k; i++)
		{
			double x = stars->values[i] * (double) stars->directions[u * k + i];

			points[u * k + i] = (float) x;
			norm += x * x;
		}
		norm = norm > 0 ? 1 / sqrt(norm) : 0;
		for (size_t i = 0; i < k; i++)
			points[u * k + i] *= (float) norm;
	}
	return TLV_OK;
}

tlv_status
tlv_mmsb_cluster(tlv_context *ctx, const tlv_mmsb_fit_state *fit, size_t s, int starts,
				 int32_t *label)
{
	const tlv_star_moments *stars = &fit->moments[tlv_mmsb_other(fit, s)].stars;
	size_t k = fit->k, n = fit->side[s].n;
	float *points = tlv_alloc(ctx, k * n, sizeof(float));
	double work = (double) n * (double) k * (double) k, inertia;
	int most = work * starts < LARGE_STARS_WORK ? starts : (int) (LARGE_STARS_WORK / work);
	tlv_kmeans_task task = {.n = n,
							.d = k,
							.points = points,
							.k = k,
							.starts = most < 1 ? 1 : most,
							.max_steps = CLUSTER_STEPS};
	tlv_status status;
	tlv_rng rng;

	TLV_TRY_ALLOC(ctx, points);
	tlv_rng_seed(&rng, tlv_mix64(fit->options->seed + 1) + s);
	status = mixed_scale_points(ctx, stars, k, n, points);
	if (status == TLV_OK)
		status = tlv_kmeans(ctx, &task, &rng, label, NULL, &inertia);
	tlv_free(ctx, points);
	return status;
}
