/*
 * groups.c - a start for mixtures of product distributions (choose.h): coordinates that are
 * independent within a component are three views of it when they are dealt into three groups
 * (Anandkumar, Ge, Hsu, Kakade, Telgarsky 2014, after Chaudhuri, Rao 2008 and Anandkumar, Hsu,
 * Kakade 2012); spherical components stay products in any orthogonal basis, so that groups of
 * random directions see what single coordinates do not.  Of several divisions that one is taken
 * whose groups show the components best.
 */
#include <math.h>
#include <string.h>

#include "choose.h"
#include "internal.h"

#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/view_solver.h"
#include "tensorlv/num/linalg.h"

/* Divisions that are tried. */
#define DIVISIONS 8
/* Directions of a group at most, but as many as components need. */
#define MOST_OF_GROUP 20
/* A k-th singular value below this part of the first, which is that of the mean, shows its
 * component poorly. */
#define WEAK_RATIO 0.05

typedef struct gmm_division
{
	size_t used;	   /* directions of all groups */
	size_t d[3];	   /* of each */
	double *direction; /* d x used */
	double *row;	   /* used */
} gmm_division;

/* ---- the directions of a division ---- */

static size_t
directions_of(size_t d, size_t k)
{
	size_t group = k > MOST_OF_GROUP ? k : MOST_OF_GROUP;

	return tlv_least(d, 3 * group);
}

/* Coordinates in the units of their deviations, in random order. */
static tlv_status
deal_coordinates(tlv_context *ctx, const tlv_gmm_sample *sample, tlv_rng *rng,
				 gmm_division *division)
{
	size_t d = sample->d;
	int64_t *order;

	TLV_TRY_NEW(ctx, order, d);
	TLV_TRY(tlv_rng_permutation(ctx, rng, d, order));
	memset(division->direction, 0, division->used * d * sizeof(double));
	for (size_t i = 0; i < division->used; i++)
	{
		size_t c = (size_t) order[i];
		double square = 0;

		for (size_t t = 0; t < sample->n; t++)
			square += sample->rows[t * d + c] * sample->rows[t * d + c];
		division->direction[i * d + c] = square > 0 ? 1 / sqrt(square / (double) sample->n) : 0;
	}
	tlv_free(ctx, order);
	return TLV_OK;
}

static tlv_status
deal_directions(tlv_context *ctx, size_t d, tlv_rng *rng, gmm_division *division)
{
	double *columns;
	size_t used = division->used, rank;

	TLV_TRY_NEW_ROWS(ctx, columns, d, used);
	TLV_TRY(tlv_fill_normal(ctx, rng, d * used, columns));
	TLV_TRY(tlv_orthonormalize(ctx, used, d, columns, rng, &rank));
	for (size_t i = 0; i < used; i++)
		for (size_t c = 0; c < d; c++)
			division->direction[i * d + c] = columns[c * used + i];
	tlv_free(ctx, columns);
	return TLV_OK;
}

static void
project_row(const gmm_division *division, size_t d, const double *x)
{
	for (size_t i = 0; i < division->used; i++)
	{
		double sum = 0;

		for (size_t c = 0; c < d; c++)
			sum += division->direction[i * d + c] * x[c];
		division->row[i] = sum;
	}
}

/* ---- three views ---- */

static tlv_status
sum_views(tlv_context *ctx, const tlv_gmm_sample *sample, const gmm_division *division,
		  tlv_view_sums *sums)
{
	const double *const views[3] = {division->row, division->row + division->d[0],
									division->row + division->d[0] + division->d[1]};

	TLV_TRY(tlv_view_sums_create(ctx, division->d, true, sums));
	for (size_t t = 0; t < sample->n; t++)
	{
		if (t % 64 == 0)
			TLV_TRY_CONTINUE(ctx);
		project_row(division, sample->d, sample->rows + t * sample->d);
		TLV_TRY(tlv_view_sums_add(ctx, sums, views));
	}
	return tlv_view_sums_flush(ctx, sums);
}

/* Means (used x k) in the division's directions, and how well its groups show k components. */
static tlv_status
solve_views(tlv_context *ctx, const tlv_gmm_sample *sample, const gmm_options_of_views *options,
			const gmm_division *division, double *means, double *ratio)
{
	size_t k = options->k, at = 0;
	tlv_view_sums sums;
	tlv_dense_source dense;
	tlv_view_solution solution;
	double *own;

	TLV_TRY(sum_views(ctx, sample, division, &sums));
	TLV_TRY(tlv_dense_source_create(ctx, &sums, false, k, &dense));
	TLV_TRY(tlv_view_solve(ctx, &dense.source, k, &options->decompose, "components", options->seed,
						   &solution));
	TLV_TRY_NEW_ROWS(ctx, own, division->used, k);
	for (int t = 0; t < 3; t++)
	{
		tlv_dense_source_means(&dense, t, k, solution.means[t], own);
		for (size_t h = 0; h < k; h++)
			memcpy(means + h * division->used + at, own + h * division->d[t],
				   division->d[t] * sizeof(double));
		at += division->d[t];
	}
	*ratio = solution.singular[0] > 0 ? solution.singular[k - 1] / solution.singular[0] : 0;
	return TLV_OK;
}

/* The mean that every row is nearest to. */
static tlv_status
label_rows(tlv_context *ctx, const tlv_gmm_sample *sample, const gmm_division *division, size_t k,
		   const double *means, int32_t *label)
{
	for (size_t t = 0; t < sample->n; t++)
	{
		double least = HUGE_VAL;

		if (t % 64 == 0)
			TLV_TRY_CONTINUE(ctx);
		project_row(division, sample->d, sample->rows + t * sample->d);
		label[t] = 0;
		for (size_t h = 0; h < k; h++)
		{
			double far =
				tlv_squared_distance(division->used, division->row, means + h * division->used);

			if (far < least)
			{
				least = far;
				label[t] = (int32_t) h;
			}
		}
	}
	return TLV_OK;
}

/* ---- the start ---- */

static tlv_status
division_create(tlv_context *ctx, size_t d, size_t k, gmm_division *division)
{
	size_t used = directions_of(d, k);

	division->used = used;
	for (size_t t = 0; t < 3; t++)
		division->d[t] = used / 3 + (t < used % 3);
	TLV_TRY_NEW_ROWS(ctx, division->direction, used, d);
	TLV_TRY_NEW(ctx, division->row, used);
	return TLV_OK;
}

/* Labels of the best division, in whose scratch nothing is left; *ratio 0: none showed k. */
static tlv_status
try_divisions(tlv_context *ctx, const tlv_gmm_sample *sample, const gmm_options_of_views *options,
			  gmm_division *division, double *means, int32_t *label, double *best)
{
	*best = 0;
	for (uint64_t number = 0; number < DIVISIONS; number++)
	{
		tlv_scratch scratch;
		tlv_status status;
		double ratio = 0;
		tlv_rng rng;

		TLV_TRY_CONTINUE(ctx);
		tlv_rng_stream(&rng, options->seed, number);
		TLV_TRY(options->rotated ? deal_directions(ctx, sample->d, &rng, division)
								 : deal_coordinates(ctx, sample, &rng, division));
		tlv_scratch_begin(ctx, &scratch);
		status = solve_views(ctx, sample, options, division, means, &ratio);
		tlv_scratch_end(ctx, &scratch);
		if (status == TLV_NOT_IDENTIFIABLE)
			continue;
		TLV_TRY(status);
		if (ratio <= *best)
			continue;
		*best = ratio;
		TLV_TRY(label_rows(ctx, sample, division, options->k, means, label));
	}
	return TLV_OK;
}

static tlv_status
write_start(tlv_context *ctx, const tlv_gmm_sample *sample, const gmm_options_of_views *options,
			const double *floor, const int32_t *label, double ratio, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_gmm_parts parts = {0};
	tlv_mixture mixture;

	TLV_TRY(tlv_mixture_create(ctx, options->k, sample->d, options->covariance, &mixture));
	TLV_TRY(tlv_gmm_of_labels(ctx, sample, floor, label, &mixture));
	parts.mixture = &mixture;
	parts.floor = floor;
	parts.rows = (double) sample->n;
	parts.seed = (double) options->seed;
	parts.diagnostics = &diagnostics;
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) sample->n, "sample_rows"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, DIVISIONS, "divisions"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, ratio, "singular_ratio"));
	if (ratio < WEAK_RATIO)
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "weak_signal",
										.score = ratio,
										.hint = "Use a smaller k, or method => 'joint'."},
						 "three groups of coordinates hardly show the last of %zu components",
						 options->k));
	TLV_TRY(tlv_gmm_write(ctx, &parts, image, size));
	tlv_mixture_free(ctx, &mixture);
	return TLV_OK;
}

tlv_status
gmm_fit_views(tlv_context *ctx, const tlv_gmm_sample *sample, const gmm_options_of_views *options,
			  const double *floor, void **image, size_t *size)
{
	gmm_division division;
	double *means, ratio;
	int32_t *label;

	if (sample->d < 3)
		return tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "%zu coordinates are not three groups",
						sample->d);
	TLV_TRY(division_create(ctx, sample->d, options->k, &division));
	for (int t = 0; t < 3; t++)
		if (division.d[t] < options->k)
			return tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
							"groups of %zu coordinates do not show %zu components", division.d[t],
							options->k);
	TLV_TRY_NEW_ROWS(ctx, means, options->k, division.used);
	TLV_TRY_NEW(ctx, label, sample->n);
	TLV_TRY(try_divisions(ctx, sample, options, &division, means, label, &ratio));
	if (ratio == 0)
		return tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
						"no three groups of coordinates show %zu components", options->k);
	TLV_TRY(write_start(ctx, sample, options, floor, label, ratio, image, size));
	tlv_free(ctx, label);
	tlv_free(ctx, means);
	tlv_free(ctx, division.row);
	tlv_free(ctx, division.direction);
	return TLV_OK;
}
