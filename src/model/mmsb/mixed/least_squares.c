/*
 * least_squares.c - alpha0 > 0: mixed memberships by least squares from the
 * moments, and their refinement.
 *
 * With an estimate of the connectivity that is free of bias, variational steps that keep it fixed
 * are stable and nearly as good as with the true one; where the moments are too noisy for that
 * estimate, or the check after the steps says that it does not fit, the connectivity is
 * re-estimated on the way.
 */
#include "../internal.h"

#include <math.h>
#include <string.h>

#include "../engine/connectivity.h"
#include "../tuning.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"
#include "tensorlv/num/tuning.h"

static tlv_status
create_shares(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	for (size_t s = 0; s < fit->sides; s++)
	{
		tlv_mmsb_side *side = &fit->side[s];

		TLV_TRY_NEW(ctx, side->share, fit->k * side->n);
		if (!fit->corrected)
			continue;
		TLV_TRY_NEW(ctx, side->propensity, side->n);
		for (size_t u = 0; u < side->n; u++)
			side->propensity[u] = side->degree[u] * (double) side->n / fit->total;
	}
	return TLV_OK;
}

/* Projects columns (k x n) on the simplex; those of a row normalised by its degree when given.
 * work: 2 k numbers. */
static void
project_columns(size_t k, size_t n, const float *score, const double *degree, double *work,
				float *share)
{
	double *x = work, *scratch = work + k;

	for (size_t u = 0; u < n; u++)
	{
		double divisor = degree == NULL ? 1 : degree[u], sum = 0;

		for (size_t a = 0; a < k; a++)
			x[a] = score[u * k + a] / divisor;
		tlv_project_simplex(k, x, 1, scratch);
		for (size_t a = 0; a < k; a++)
			sum += x[a];
		for (size_t a = 0; a < k; a++)
			share[u * k + a] = (float) (sum > 0.5 && sum < 2 ? x[a] / sum : 1 / (double) k);
	}
}

static tlv_status
project_scores(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	/* Entries of scores projected between two looks at tlv_should_stop(). */
	const int project_entries = 200000;
	double *work = tlv_alloc(ctx, 2 * fit->k, sizeof(double));
	size_t block = project_entries / (fit->k + 1) + 1;

	TLV_TRY_ALLOC(ctx, work);
	for (size_t s = 0; s < fit->sides; s++)
	{
		tlv_mmsb_side *side = &fit->side[s];

		for (size_t first = 0; first < side->n; first += block)
		{
			size_t n = side->n - first < block ? side->n - first : block;

			TLV_TRY_CONTINUE(ctx);
			project_columns(fit->k, n, fit->moments[s].stars.scores + first * fit->k,
							fit->corrected ? side->degree + first : NULL, work,
							side->share + first * fit->k);
		}
	}
	tlv_free(ctx, work);
	return TLV_OK;
}

/* x (k x n) by rows: the new row assignment[a] is the old a-th */
static void
mixed_permute_rows(size_t k, size_t n, const int64_t *assignment, float *work, float *x)
{
	for (size_t u = 0; u < n; u++)
	{
		for (size_t a = 0; a < k; a++)
			work[assignment[a]] = x[u * k + a];
		memcpy(x + u * k, work, k * sizeof(float));
	}
}

static tlv_status
permute_side(tlv_context *ctx, tlv_mmsb_fit_state *fit, size_t s, const int64_t *assignment)
{
	tlv_star_moments *stars = &fit->moments[s].stars;
	float *work = tlv_alloc(ctx, fit->k, sizeof(float));

	TLV_TRY_ALLOC(ctx, work);
	mixed_permute_rows(fit->k, fit->side[s].n, assignment, work, fit->side[s].share);
	mixed_permute_rows(fit->k, stars->rows, assignment, work, stars->scores);
	if (stars->basis != NULL)
		mixed_permute_rows(fit->k, stars->columns, assignment, work, stars->basis);
	tlv_free(ctx, work);
	return TLV_OK;
}

/* Communities of both sides numbered alike, and as the known labels are. */
static tlv_status
settle_shares(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	int64_t *assignment = tlv_alloc(ctx, fit->k, sizeof(int64_t));
	int32_t *label[2] = {NULL, NULL};

	TLV_TRY_ALLOC(ctx, assignment);
	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY(tlv_mmsb_largest(ctx, fit->k, fit->side[s].n, fit->side[s].share, &label[s]));
	if (fit->sides == 2)
	{
		TLV_TRY(tlv_mmsb_align_sides(ctx, fit, label, assignment));
		tlv_mmsb_relabel(fit->side[1].n, assignment, label[1]);
		TLV_TRY(permute_side(ctx, fit, 1, assignment));
	}
	if (fit->side[0].fixed != NULL)
	{
		TLV_TRY(tlv_mmsb_align_known(ctx, fit, label, assignment));
		for (size_t s = 0; s < fit->sides; s++)
			TLV_TRY(permute_side(ctx, fit, s, assignment));
	}
	tlv_free(ctx, label[0]);
	tlv_free(ctx, label[1]);
	tlv_free(ctx, assignment);
	return TLV_OK;
}

/* Shares of nodes whose community is known. */
static void
fix_shares(tlv_mmsb_fit_state *fit)
{
	size_t k = fit->k;

	for (size_t s = 0; s < fit->sides && fit->side[0].fixed != NULL; s++)
		for (size_t u = 0; u < fit->side[s].n; u++)
			if (fit->side[s].fixed[u] >= 0)
			{
				memset(fit->side[s].share + u * k, 0, k * sizeof(float));
				fit->side[s].share[u * k + (size_t) fit->side[s].fixed[u]] = 1;
			}
}

/* Shares from k-means on the embedding, where the tensor gives no sound ones. */
static tlv_status
clustered_shares(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	size_t k = fit->k;
	int32_t *label[2] = {NULL, NULL};

	for (size_t s = 0; s < fit->sides; s++)
	{
		TLV_TRY_NEW(ctx, label[s], fit->side[s].n);
		TLV_TRY(tlv_mmsb_cluster(ctx, fit, s, CLUSTER_STARTS, label[s]));
	}
	TLV_TRY(tlv_mmsb_settle_labels(ctx, fit, label));
	for (size_t s = 0; s < fit->sides; s++)
	{
		for (size_t u = 0; u < fit->side[s].n; u++)
			for (size_t a = 0; a < k; a++)
				fit->side[s].share[u * k + a] =
					(float) ((1 - CLUSTER_SHARE) / (double) k +
							 (label[s][u] == (int32_t) a ? CLUSTER_SHARE : 0));
		tlv_free(ctx, label[s]);
	}
	fix_shares(fit);
	return TLV_OK;
}

/* P without bias where the moments allow it (*good), else by least squares. */
static tlv_status
estimate_connectivity(tlv_context *ctx, tlv_mmsb_fit_state *fit, bool *good)
{
	double residual = fit->moments[0].residual;
	bool sound = false;

	if (fit->sides == 2)
		residual = fmax(residual, fit->moments[1].residual);
	if (fit->moments[0].rank < fit->k || fit->moments[fit->sides - 1].rank < fit->k)
		TLV_TRY(clustered_shares(ctx, fit)); /* the tensor has none for every community */
	else if (!fit->corrected)
		TLV_TRY(tlv_connectivity_unbiased(ctx, fit, fit->connectivity, &sound));
	*good = sound && residual <= TLV_POOR_RESIDUAL;
	if (!*good)
	{
		TLV_TRY(tlv_connectivity_least_squares(ctx, fit, fit->connectivity));
		tlv_connectivity_settle(fit->k, fit->sides == 1, fit->connectivity);
		if (!fit->poisson && !fit->corrected &&
			tlv_largest_modulus(fit->k * fit->k, fit->connectivity) > 1)
		{
			TLV_TRY(clustered_shares(ctx, fit));
			TLV_TRY(tlv_connectivity_least_squares(ctx, fit, fit->connectivity));
		}
	}
	tlv_connectivity_settle(fit->k, fit->sides == 1, fit->connectivity);
	return TLV_OK;
}

static void
open_model(tlv_mmsb_fit_state *fit, tlv_mixed_model *model)
{
	memset(model, 0, sizeof(*model));
	model->k = fit->k;
	model->sides = fit->sides;
	model->alpha = fmax(fit->options->alpha0, TLV_LEAST_ALPHA0) / (double) fit->k;
	model->connectivity = fit->connectivity;
	for (size_t s = 0; s < fit->sides; s++)
		model->side[s] = (tlv_mixed_side){.n = fit->side[s].n,
										  .edges = &fit->side[s].edges,
										  .degree = fit->side[s].degree,
										  .fixed = fit->side[s].fixed,
										  .share = fit->side[s].share,
										  .propensity = fit->side[s].propensity};
}

static int
allowed_steps(const tlv_mmsb_fit_state *fit)
{
	double step = (double) fit->side[0].edges.entries * (double) (fit->k + 6) * (double) fit->sides;
	double steps = floor(MIXED_MOST_WORK / step);

	return steps > MIXED_MOST_STEPS	   ? MIXED_MOST_STEPS
		   : steps < MIXED_LEAST_STEPS ? MIXED_LEAST_STEPS
									   : (int) steps;
}

static tlv_status
mixed_refine(tlv_context *ctx, tlv_mmsb_fit_state *fit, bool good)
{
	tlv_mixed_model model;
	double distance = 0, off = 1;
	int steps, more = 0, most = allowed_steps(fit);

	open_model(fit, &model);
	TLV_TRY(tlv_require_memory(ctx, tlv_mixed_memory(&model, true), "the variational refinement"));
	TLV_TRY(tlv_mixed_variational(ctx, &model, !good, most, MIXED_TOLERANCE, &steps));
	if (good)
	{
		TLV_TRY(tlv_mixed_check(ctx, &model, &distance, &off));
		TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, distance, "check_distance"));
		TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, off, "check_off_diagonal"));
		if (distance > MOST_DISTANCE || off < LEAST_OFF)
		{
			TLV_TRY(tlv_mixed_variational(ctx, &model, true, most, MIXED_TOLERANCE, &more));
			good = false;
		}
	}
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, steps + more, "refinement_steps"));
	return tlv_diagnose(ctx, &fit->diagnostics, !good, "connectivity_refined");
}

tlv_status
tlv_mmsb_fit_mixed(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	bool good;

	TLV_TRY(create_shares(ctx, fit));
	TLV_TRY(project_scores(ctx, fit));
	TLV_TRY(settle_shares(ctx, fit));
	fix_shares(fit);
	TLV_TRY(estimate_connectivity(ctx, fit, &good));
	for (size_t s = 0; s < fit->sides; s++)
		tlv_star_moments_free(ctx, &fit->moments[s].stars);
	return fit->options->refine == TLV_MMSB_REFINE_NONE ? TLV_OK : mixed_refine(ctx, fit, good);
}
