/*
 * multiview_fit.c - from moments of three views to a mixture (multiview.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/kind.h"
#include "tensorlv/linalg.h"
#include "tensorlv/multiview.h"
#include "view_solver.h"

/* EM stands when the log-likelihood of a row grows by less. */
#define EM_TOLERANCE   1e-9
#define EM_LEAST	   1e-6
#define NEGATIVE_WARN  0.3
#define VARIANCE_FLOOR 1e-6

static const char *const item_names[3] = {"items1", "items2", "items3"};

typedef struct view_fit
{
	size_t k;
	size_t d[3];
	bool vectors;
	double rows;
	const tlv_view_source *source;
	tlv_view_source cells;
	tlv_view_sums sums;
	tlv_dense_source dense;
	tlv_view_solution solution;
	double *weights;	  /* k */
	double *means[3];	  /* vectors: d_t x k */
	double *variances[3]; /* vectors: d_t x k */
	double worst;		  /* negative mass that was cut */
	tlv_diagnostics diagnostics;
} view_fit;

static tlv_status
take(tlv_context *ctx, double **array, size_t n)
{
	*array = tlv_alloc0(ctx, n, sizeof(double));
	TLV_TRY_ALLOC(ctx, *array);
	return TLV_OK;
}

static void
open_categories(const tlv_frame *moments, view_fit *fit)
{
	for (int t = 0; t < 3; t++)
		fit->d[t] = fit->cells.d[t] = tlv_frame_find(moments, item_names[t])->rows;
	fit->cells.n = tlv_frame_find(moments, "cells")->rows;
	fit->cells.cells = tlv_frame_int64(moments, "cells");
	fit->cells.counts = tlv_frame_float64(moments, "counts");
	for (size_t e = 0; e < fit->cells.n; e++)
		fit->cells.total += fit->cells.counts[e];
	fit->rows = fit->cells.total;
	fit->source = &fit->cells;
}

static tlv_status
open_vectors(tlv_context *ctx, const tlv_frame *moments, view_fit *fit)
{
	fit->vectors = true;
	fit->source = &fit->dense.source;
	if (tlv_frame_find(moments, "sum1") == NULL)
		return TLV_OK;
	TLV_TRY(tlv_view_sums_read(ctx, moments, false, &fit->sums));
	memcpy(fit->d, fit->sums.d, sizeof(fit->d));
	fit->rows = fit->sums.rows;
	if (fit->rows > 0)
		TLV_TRY(tlv_dense_source_create(ctx, &fit->sums, false, fit->k, &fit->dense));
	return TLV_OK;
}

static tlv_status
open_moments(tlv_context *ctx, const tlv_frame *moments, const tlv_multiview_options *options,
			 view_fit *fit)
{
	fit->k = options->k;
	if (fit->k == 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = 0 is not at least 1");
	if (moments->header->kind == TLV_KIND_VIEW_MOMENTS)
		TLV_TRY(open_vectors(ctx, moments, fit));
	else
		open_categories(moments, fit);
	if (fit->rows < (double) fit->k)
		return tlv_fail(ctx, TLV_BAD_DATA, "%.0f rows are too few for %zu components", fit->rows,
						fit->k);
	for (int t = 0; t < 3; t++)
		if (fit->k > fit->source->d[t])
		{
			tlv_status status =
				fit->vectors ? tlv_fail(ctx, TLV_BAD_PARAMETER,
										"k = %zu is more than %zu, the dimensions of view %d and 1",
										fit->k, fit->source->d[t], t + 1)
							 : tlv_fail(ctx, TLV_BAD_PARAMETER,
										"k = %zu is more than the %zu categories of view %d",
										fit->k, fit->source->d[t], t + 1);

			tlv_fail_hint(ctx, "Every view must have as many, to tell k components apart.");
			return status;
		}
	TLV_TRY(tlv_require_memory(
		ctx,
		sizeof(double) * ((double) fit->k * 8.0 *
							  ((double) fit->d[0] + (double) fit->d[1] + (double) fit->d[2]) +
						  4.0 * (double) fit->k * (double) fit->k * (double) fit->k),
		"the fit"));
	return take(ctx, &fit->weights, fit->k);
}

/* ---- vectors ---- */

/* What the means leave of each coordinate's variance is shared by all components. */
static tlv_status
finish_vectors(tlv_context *ctx, view_fit *fit)
{
	size_t k = fit->k;

	memcpy(fit->weights, fit->solution.weights, k * sizeof(double));
	for (int t = 0; t < 3; t++)
	{
		size_t d = fit->d[t];

		TLV_TRY(take(ctx, &fit->means[t], d * k));
		TLV_TRY(take(ctx, &fit->variances[t], d * k));
		tlv_dense_source_means(&fit->dense, t, k, fit->solution.means[t], fit->means[t]);
		for (size_t i = 0; i < d; i++)
		{
			double shifted = fit->sums.sum[t][i] / fit->rows, mean = 0, between = 0;
			double total = fit->sums.square[t][i] / fit->rows - shifted * shifted;

			for (size_t j = 0; j < k; j++)
				mean += fit->weights[j] * fit->means[t][j * d + i];
			for (size_t j = 0; j < k; j++)
				between += fit->weights[j] * (fit->means[t][j * d + i] - mean) *
						   (fit->means[t][j * d + i] - mean);
			for (size_t j = 0; j < k; j++)
				fit->variances[t][j * d + i] = fmax(total - between, VARIANCE_FLOOR * total);
		}
	}
	return TLV_OK;
}

/* ---- categories: EM on the counts ---- */

static void
normalize_rows(size_t k, size_t d, double *p, double smallest)
{
	for (size_t j = 0; j < k; j++)
	{
		double sum = 0;

		for (size_t i = 0; i < d; i++)
			sum += p[i * k + j] = fmax(p[i * k + j], smallest);
		for (size_t i = 0; i < d; i++)
			p[i * k + j] = sum > 0 ? p[i * k + j] / sum : 1 / (double) d;
	}
}

/* One step: views (k x d_t) and weights in place.  g: expectations of the same shapes. */
static tlv_status
cell_step(tlv_context *ctx, const tlv_view_source *source, size_t k, double *const views[3],
		  double *weights, double *weighted, double *const g[3], double *log_likelihood)
{
	double total = 0;

	for (size_t i = 0; i < source->d[0]; i++)
		for (size_t j = 0; j < k; j++)
			weighted[i * k + j] = weights[j] * views[0][i * k + j];
	TLV_TRY(tlv_cell_expectations(ctx, source, k, weighted, views[1], views[2], g[0], g[1], g[2],
								  log_likelihood));
	for (size_t j = 0; j < k; j++)
	{
		double sum = 0;

		for (size_t i = 0; i < source->d[0]; i++)
			sum += weighted[i * k + j] * g[0][i * k + j];
		total += weights[j] = sum;
	}
	for (size_t j = 0; j < k; j++)
		weights[j] /= total;
	for (int t = 0; t < 3; t++)
	{
		const double *factor = t == 0 ? weighted : views[t];

		for (size_t e = 0; e < source->d[t] * k; e++)
			views[t][e] = factor[e] * g[t][e];
		normalize_rows(k, source->d[t], views[t], 0);
	}
	return TLV_OK;
}

static tlv_status
refine_categories(tlv_context *ctx, view_fit *fit, int iterations)
{
	const tlv_view_source *source = fit->source;
	size_t k = fit->k;
	double *g[3], *weighted, before = -HUGE_VAL, log_likelihood = 0;
	int done = 0;

	for (int t = 0; t < 3; t++)
	{
		TLV_TRY(take(ctx, &g[t], k * source->d[t]));
		normalize_rows(k, source->d[t], fit->solution.means[t], EM_LEAST);
	}
	TLV_TRY(take(ctx, &weighted, k * source->d[0]));
	for (; done < iterations; done++)
	{
		tlv_report(ctx, "EM on counts", done, iterations);
		TLV_TRY(cell_step(ctx, source, k, fit->solution.means, fit->weights, weighted, g,
						  &log_likelihood));
		if (log_likelihood - before < EM_TOLERANCE * source->total)
			break;
		before = log_likelihood;
	}
	tlv_free(ctx, weighted);
	for (int t = 0; t < 3; t++)
		tlv_free(ctx, g[t]);
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, done, "count_iterations"));
	return tlv_diagnose(ctx, &fit->diagnostics, log_likelihood / source->total,
						"log_likelihood_per_row");
}

static tlv_status
finish_categories(tlv_context *ctx, view_fit *fit, int iterations)
{
	size_t k = fit->k;
	double *negative;

	TLV_TRY(take(ctx, &negative, k));
	memcpy(fit->weights, fit->solution.weights, k * sizeof(double));
	for (int t = 0; t < 3; t++)
	{
		tlv_clip_probabilities(k, fit->d[t], fit->solution.means[t], negative);
		for (size_t j = 0; j < k; j++)
			fit->worst = fmax(fit->worst, negative[j]);
	}
	tlv_free(ctx, negative);
	if (iterations > 0)
		TLV_TRY(refine_categories(ctx, fit, iterations));
	/* The stored form has one component after the other. */
	for (int t = 0; t < 3; t++)
	{
		size_t d = fit->d[t];

		TLV_TRY(take(ctx, &fit->means[t], d * k));
		for (size_t i = 0; i < d; i++)
			for (size_t j = 0; j < k; j++)
				fit->means[t][j * d + i] = fit->solution.means[t][i * k + j];
	}
	return TLV_OK;
}

static tlv_status
diagnose_fit(tlv_context *ctx, const tlv_frame *moments, view_fit *fit)
{
	int64_t *order = tlv_alloc(ctx, fit->k, sizeof(int64_t));

	TLV_TRY_ALLOC(ctx, order);
	for (size_t j = 0; j < fit->k; j++)
		order[j] = (int64_t) j;
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, fit->rows, "rows"));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, tlv_frame_scalar(moments, "nulls", 0), "nulls"));
	TLV_TRY(tlv_view_diagnose(ctx, &fit->solution, order, &fit->diagnostics));
	if (fit->worst > NEGATIVE_WARN)
		TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, fit->worst,
							 "warning: a component has negative mass above %g before it is cut: it "
							 "is spurious or needs more rows",
							 NEGATIVE_WARN));
	tlv_free(ctx, order);
	return TLV_OK;
}

tlv_status
tlv_multiview_fit(tlv_context *ctx, const tlv_frame *moments, const tlv_multiview_options *options,
				  void **image, size_t *size)
{
	view_fit fit = {0};
	tlv_multiview_parts parts = {0};

	if (moments->header->kind != TLV_KIND_VIEW_MOMENTS &&
		moments->header->kind != TLV_KIND_CATEGORY_VIEWS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"a multi-view mixture is fitted to moments of "
						"three views");
	TLV_TRY(open_moments(ctx, moments, options, &fit));
	TLV_TRY(tlv_view_solve(ctx, fit.source, fit.k, &options->decompose, "components", options->seed,
						   &fit.solution));
	TLV_TRY(fit.vectors ? finish_vectors(ctx, &fit)
						: finish_categories(ctx, &fit, options->iterations));
	TLV_TRY(diagnose_fit(ctx, moments, &fit));
	parts.k = fit.k;
	parts.rows = fit.rows;
	parts.seed = (double) options->seed;
	parts.weights = fit.weights;
	for (int t = 0; t < 3; t++)
	{
		parts.d[t] = fit.d[t];
		parts.means[t] = fit.means[t];
		parts.variances[t] = fit.vectors ? fit.variances[t] : NULL;
		parts.items[t] = fit.vectors ? NULL : tlv_frame_int64(moments, item_names[t]);
	}
	parts.diagnostics = &fit.diagnostics;
	return tlv_multiview_write(ctx, &parts, image, size);
}
