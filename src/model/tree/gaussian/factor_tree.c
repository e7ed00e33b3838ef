/*
 * factor_tree.c - a factor analysis as a tree, one hidden node of several dimensions above all
 * variables, and beside a tree of single hidden numbers (tree_gaussian.h, fit.h).
 */
#include <math.h>

#include "tensorlv/model/dense.h"
#include "fit.h"
#include "tuning.h"
#include "tensorlv/num/tuning.h"

/* ---- the tree of a factor analysis ---- */

/* The correlations of the moments' columns. */
static tlv_status
correlations(tlv_context *ctx, const tlv_dense_central *central, double **r)
{
	size_t d = central->d;

	TLV_TRY(tlv_alloc_numbers(ctx, r, d * d));
	for (size_t j = 0; j < d; j++)
		for (size_t i = 0; i < d; i++)
			/* one after the other: the product of two variances may be out of range */
			(*r)[j * d + i] = central->covariance[j * d + i] /
							  sqrt(central->covariance[i * d + i]) /
							  sqrt(central->covariance[j * d + j]);
	return TLV_OK;
}

static tlv_status
check_factors(tlv_context *ctx, size_t d, size_t q)
{
	if (d > TLV_FACTORS_MOST_VARIABLES)
		return tlv_fail(ctx, TLV_LIMIT, "factors of %zu variables: at most %d", d,
						TLV_FACTORS_MOST_VARIABLES);
	if (q <= tlv_factors_most(d))
		return TLV_OK;
	tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "%zu factors are more than %zu variables identify", q, d);
	return tlv_fail_hint(ctx, "At most %zu are; leave states out to have them chosen.",
						 tlv_factors_most(d));
}

/* One hidden node and its edges; without factors all variables are apart. */
static tlv_status
factor_star(tlv_context *ctx, size_t d, double rows, const tlv_factors *factors, tlv_tree *tree)
{
	size_t q = factors->q;

	TLV_TRY(tlv_tree_create(ctx, d, d + (q > 0), q > 0 ? d : 0, tree));
	for (size_t i = 0; q > 0 && i < d; i++)
	{
		double explained = 0, correlation;

		for (size_t a = 0; a < q; a++)
			explained += factors->loadings[a * d + i] * factors->loadings[a * d + i];
		correlation = fmin(fmax(sqrt(explained), 1 / sqrt(rows)), TREE_MOST_GAUSSIAN);
		tree->ends[2 * i] = (int32_t) i;
		tree->ends[2 * i + 1] = (int32_t) d;
		tree->length[i] = -log(correlation);
		tree->error[i] = (1 - correlation * correlation) / (correlation * sqrt(rows));
		tree->support[i] = NAN;
	}
	return TLV_OK;
}

tlv_status
tlv_tree_factors(tlv_context *ctx, const tlv_frame *moments, size_t q, tlv_factors *factors,
				 tlv_tree *tree)
{
	tlv_dense_central central;
	double *r;

	TLV_TRY(tlv_dense_central_compute(ctx, moments, &central));
	tlv_tree_floor_constant(&central);
	TLV_TRY(check_factors(ctx, central.d, q));
	TLV_TRY(correlations(ctx, &central, &r));
	TLV_TRY(tlv_factors_fit(ctx, central.d, r, central.rows, q, STEPS_MODEL, factors));
	TLV_TRY(factor_star(ctx, central.d, central.rows, factors, tree));
	tlv_free(ctx, r);
	tlv_dense_central_free(ctx, &central);
	return TLV_OK;
}

void
tlv_tree_take_factors(gaussian_fit *fit, const tlv_factors *factors)
{
	size_t d = fit->d;

	for (size_t a = 0; a < factors->q; a++)
		for (size_t i = 0; i < d; i++)
			fit->tables[fit->edge[i] + a] = factors->loadings[a * d + i];
}

/* ---- beside a tree ---- */

static double
tree_parameters(const gaussian_fit *fit)
{
	const tlv_tree_parts *parts = &fit->parts;

	return 2 * (double) fit->d + (double) fit->edge[parts->nodes];
}

static tlv_status
warn_of_factors(tlv_context *ctx, gaussian_fit *fit, const tlv_factors *factors)
{
	double rows = fit->parts.rows, gain, criterion;
	double likelihood = fit->log_likelihood + fit->columns.log_scale;

	gain = factors->log_likelihood - likelihood;
	criterion = tlv_factors_criterion(factors->log_likelihood, factors->parameters, rows) -
				tlv_factors_criterion(likelihood, tree_parameters(fit), rows);
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, (double) factors->q, "factors"));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, factors->log_likelihood - fit->columns.log_scale,
						 "log_likelihood_per_row_of_factors"));
	if (rows * criterion < TLV_STRONG_EVIDENCE)
		return TLV_OK;
	return tlv_warn(
		ctx, &fit->diagnostics,
		&(tlv_warning){
			.code = "factors_fit_better", .score = gain, .hint = "Use structure => 'factors'."},
		factors->q == 1 ? "%zu factor that acts on all variables at once explains a row "
						  "better than the tree, by %.3g nats"
						: "%zu factors that act on all variables at once explain a row "
						  "better than the tree, by %.3g nats",
		factors->q, gain);
}

tlv_status
tlv_tree_compare_factors(tlv_context *ctx, gaussian_fit *fit)
{
	tlv_factors factors;

	if (fit->d != fit->parts.p || fit->d > TLV_FACTORS_MOST_VARIABLES ||
		tlv_factors_most(fit->d) == 0)
		return TLV_OK;
	TLV_TRY(tlv_factors_fit(ctx, fit->d, fit->s, fit->parts.rows, 0, TLV_MOST_PASSES, &factors));
	TLV_TRY(warn_of_factors(ctx, fit, &factors));
	tlv_free(ctx, factors.loadings);
	return TLV_OK;
}
