/*
 * fit.c - from windows of sequences to a hidden Markov model (hmm.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/tuning.h"

typedef struct hmm_fit
{
	size_t k;
	size_t d;	  /* symbols or dimensions */
	size_t width; /* coordinates of the solver: d, or d + 1 of vectors */
	bool gaussian;
	double windows;
	double sequences;
	const tlv_view_source *source;
	tlv_view_source cells;
	tlv_view_sums sums;
	tlv_dense_source dense;
	tlv_view_solution solution;
	double *middle;		 /* k x width: emissions in the solver's coordinates */
	double *transitions; /* k x k */
	double *weights;	 /* k */
	double *first;		 /* k: law of a window's first state */
	double *initial;	 /* k */
	double *negative;	 /* k: what was cut of symbols' probabilities */
	struct
	{
		double *means; /* d x k */
		tlv_covariance covariance;
		size_t numbers;	   /* of a state's covariance */
		double *variances; /* numbers x k */
		double *within;	   /* d: variances within the states */
	} vectors;			   /* the emissions, where steps are vectors */
	tlv_diagnostics diagnostics;
} hmm_fit;

/* ---- the moments ---- */

static void
open_symbols(const tlv_frame *moments, hmm_fit *fit)
{
	tlv_hmm_window_source(moments, &fit->cells);
	fit->d = fit->width = fit->cells.d[0];
	fit->windows = fit->cells.total;
	fit->source = &fit->cells;
}

static tlv_status
refuse_wide(tlv_context *ctx, size_t d)
{
	tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "vectors of %zu numbers are too wide for third moments", d);
	return tlv_fail_hint(ctx, "tlv_hmm(query) learns from the sequences themselves.");
}

static tlv_status
open_vectors(tlv_context *ctx, const tlv_frame *moments, hmm_fit *fit)
{
	fit->gaussian = true;
	if (tlv_frame_find(moments, "sum1") == NULL)
		return refuse_wide(ctx, tlv_frame_find(moments, "initial")->rows);
	TLV_TRY(tlv_view_sums_read(ctx, moments, false, &fit->sums));
	fit->d = fit->sums.d[0];
	fit->width = fit->d + 1;
	fit->windows = fit->sums.rows;
	if (fit->windows > 0)
		TLV_TRY(tlv_dense_source_create(ctx, &fit->sums, true, fit->k, &fit->dense));
	fit->source = &fit->dense.source;
	return TLV_OK;
}

static tlv_status
refuse_states(tlv_context *ctx, const hmm_fit *fit)
{
	if (fit->k == 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = 0 is not at least 1");
	tlv_fail(ctx, TLV_BAD_PARAMETER,
			 fit->gaussian ? "k = %zu is more than %zu, the dimensions and 1"
						   : "k = %zu is more than the %zu distinct symbols",
			 fit->k, fit->width);
	return tlv_fail_hint(ctx,
						 "Moments of windows of single steps identify no more states than that.");
}

static tlv_status
open_moments(tlv_context *ctx, const tlv_frame *moments, const tlv_hmm_options *options,
			 hmm_fit *fit)
{
	size_t k = options->k, rows;
	const tlv_section *wide;

	fit->k = k;
	fit->sequences = tlv_frame_scalar(moments, "sequences", 0);
	wide = tlv_frame_find(moments, "initial");
	rows = wide != NULL ? wide->rows : 1;
	if (fit->sequences == 0 || wide == NULL)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "there is no sequence of at least %d steps", TLV_WINDOW);
		return tlv_fail_hint(ctx, "Give longer sequences, or use tlv_hmm(query), which learns from "
								  "the sequences themselves.");
	}
	TLV_TRY(tlv_require_memory(ctx,
							   sizeof(double) * (16.0 * (double) k * (double) rows +
												 4.0 * (double) k * (double) k * (double) k),
							   "the fit"));
	if (k > 0 && tlv_frame_find(moments, "items") != NULL)
		open_symbols(moments, fit);
	else if (k > 0)
		TLV_TRY(open_vectors(ctx, moments, fit));
	if (k == 0 || k > fit->width)
		return refuse_states(ctx, fit);
	if (fit->windows < (double) k)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "%.0f %s of %d steps %s too few for %zu %s", fit->windows,
				 tlv_plural((double) fit->windows, "window", "windows"), TLV_WINDOW,
				 tlv_plural(fit->windows, "is", "are"), k,
				 tlv_plural((double) k, "state", "states"));
		return tlv_fail_hint(ctx, "Ask for fewer states, or give more sequences.");
	}
	TLV_TRY(tlv_alloc_numbers(ctx, &fit->middle, k * fit->width));
	TLV_TRY(tlv_alloc_numbers(ctx, &fit->transitions, k * k));
	TLV_TRY(tlv_alloc_numbers(ctx, &fit->weights, k));
	TLV_TRY(tlv_alloc_numbers(ctx, &fit->first, k));
	TLV_TRY(tlv_alloc_numbers(ctx, &fit->initial, k));
	TLV_TRY(tlv_alloc_numbers(ctx, &fit->negative, k));
	fit->vectors.covariance = options->covariance;
	fit->vectors.numbers = tlv_mixture_variances(fit->gaussian ? fit->d : 1, options->covariance);
	TLV_TRY(tlv_alloc_numbers(ctx, &fit->vectors.variances, k * fit->vectors.numbers + fit->d));
	fit->vectors.within = fit->vectors.variances + k * fit->vectors.numbers;
	return tlv_alloc_numbers(ctx, &fit->vectors.means, fit->gaussian ? fit->d * k : 1);
}

tlv_status
tlv_hmm_check_covariance(tlv_context *ctx, const tlv_frame *moments, tlv_covariance covariance)
{
	if (covariance == TLV_COVARIANCE_SPHERICAL || tlv_frame_find(moments, "items") == NULL)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no covariance of symbols");
	return tlv_fail_hint(ctx, "Leave covariance out; numbers of type float8 are vectors.");
}

/* ---- from the solution to the chain ---- */

/* Emissions in the solver's coordinates: probabilities, or means whose constant is exact. */
static void
clean_emissions(hmm_fit *fit)
{
	size_t k = fit->k, d = fit->d;

	memcpy(fit->middle, fit->solution.means[1], k * fit->width * sizeof(double));
	memcpy(fit->weights, fit->solution.weights, k * sizeof(double));
	if (!fit->gaussian)
	{
		tlv_clip_probabilities(k, d, fit->middle, fit->negative);
		return;
	}
	tlv_dense_source_means(&fit->dense, 1, k, fit->middle, fit->vectors.means);
	for (size_t j = 0; j < k; j++)
	{
		for (size_t i = 0; i < d; i++)
			fit->middle[i * k + j] =
				fit->dense.scale[1][i] * (fit->vectors.means[j * d + i] - fit->dense.center[1][i]);
		fit->middle[d * k + j] = fit->dense.scale[1][d];
	}
}

/* Pairs of neighbours, both of each window, explained by pairs of states. */
static tlv_status
estimate_transitions(tlv_context *ctx, hmm_fit *fit)
{
	size_t k = fit->k, width = fit->width;
	double *gram, *moment, *image, *h;

	TLV_TRY(tlv_alloc_numbers(ctx, &gram, 3 * k * k + k * width));
	moment = gram + k * k;
	h = moment + k * k;
	image = h + k * k;
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, width, 1, fit->middle, k, fit->middle, k, 0, gram, k));
	for (int first = 0; first < 2; first++)
	{
		TLV_TRY(tlv_view_multiply(ctx, fit->source, first, first + 1, k, fit->middle, image));
		TLV_TRY(tlv_gemm(ctx, false, true, k, k, width, 0.5, fit->middle, k, image, k, first,
						 moment, k));
	}
	TLV_TRY(tlv_hmm_least_squares(ctx, k, gram, moment, h));
	for (size_t from = 0; from < k; from++)
	{
		double sum = 0;

		for (size_t to = 0; to < k; to++)
			sum += h[from * k + to];
		fit->first[from] = sum;
		for (size_t to = 0; to < k; to++)
			fit->transitions[from * k + to] = sum > 0 ? h[from * k + to] / sum : 1 / (double) k;
	}
	tlv_free(ctx, gram);
	return TLV_OK;
}

/* The covariance of every state: what its means leave of the total, alike for all. */
static void
estimate_variances(hmm_fit *fit)
{
	size_t k = fit->k, d = fit->d, n = fit->vectors.numbers;
	double *within = fit->vectors.within, mean = 0;

	for (size_t i = 0; i < d; i++)
	{
		double center = 0, shifted = fit->sums.sum[1][i] / fit->windows, between = 0, total;

		total = fit->sums.square[1][i] / fit->windows - shifted * shifted;
		for (size_t j = 0; j < k; j++)
			center += fit->weights[j] * fit->vectors.means[j * d + i];
		for (size_t j = 0; j < k; j++)
			between += fit->weights[j] * (fit->vectors.means[j * d + i] - center) *
					   (fit->vectors.means[j * d + i] - center);
		within[i] = fmax(total - between, TLV_LEAST_DIRECTION * total);
		mean += within[i] / (double) d;
	}
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < (n == 1 ? 1 : d); i++)
			if (fit->vectors.covariance == TLV_COVARIANCE_FULL)
				fit->vectors.variances[j * n + i * (i + 3) / 2] = sqrt(within[i]);
			else
				fit->vectors.variances[j * n + i] = n == 1 ? mean : within[i];
}

/*
 * How sequences begin: mixture of the emissions nearest to the mean of the first steps; with
 * few sequences drawn to the stationary law, which counts as one more.
 */
static tlv_status
estimate_initial(tlv_context *ctx, const tlv_frame *moments, hmm_fit *fit)
{
	size_t k = fit->k, width = fit->width, d = fit->d;
	const double *sums = tlv_frame_float64(moments, "initial");
	double *gram, *moment, *work, *mean;

	TLV_TRY(tlv_alloc_numbers(ctx, &gram, k * k + k + k * (k + 5) + width));
	moment = gram + k * k;
	work = moment + k;
	mean = work + k * (k + 5);
	for (size_t i = 0; i < d; i++)
		mean[i] = sums[i] / fit->sequences;
	for (size_t i = 0; i < d && fit->gaussian; i++)
		mean[i] =
			fit->dense.scale[1][i] * (mean[i] + fit->sums.shift[0][i] - fit->dense.center[1][i]);
	if (fit->gaussian)
		mean[d] = fit->dense.scale[1][d];
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, width, 1, fit->middle, k, fit->middle, k, 0, gram, k));
	TLV_TRY(tlv_gemm(ctx, false, false, k, 1, width, 1, fit->middle, k, mean, width, 0, moment, k));
	TLV_TRY(tlv_quadratic_nonnegative(ctx, k, gram, moment, true, fit->initial, work));
	for (size_t j = 0; j < k; j++)
		fit->initial[j] =
			(fit->sequences * fit->initial[j] + fit->weights[j]) / (fit->sequences + 1);
	tlv_free(ctx, gram);
	return TLV_OK;
}

static tlv_status
refine_symbols(tlv_context *ctx, hmm_fit *fit, const tlv_hmm_options *options)
{
	size_t k = fit->k;
	tlv_em em;

	if (options->iterations == 0)
		return TLV_OK;
	for (size_t e = 0; e < k * k; e++)
		fit->transitions[e] = (1 - EM_SMOOTHING) * fit->transitions[e] + EM_SMOOTHING / (double) k;
	memcpy(fit->first, fit->weights, k * sizeof(double));
	TLV_TRY(tlv_hmm_window_em(ctx, fit->source, k, options->iterations, fit->middle,
							  fit->transitions, fit->first, &em));
	return tlv_hmm_diagnose_windows(ctx, &em, options, &fit->diagnostics);
}

const char *const tlv_hmm_counters[TLV_HMM_COUNTERS] = {"sequences", "short", "nulls", "steps"};

tlv_status
tlv_hmm_warn_short(tlv_context *ctx, double n, tlv_diagnostics *diagnostics)
{
	if (!(n > 0))
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "rows_skipped",
								   .score = n,
								   .hint = "Join sequences that follow each other: only the "
										   "refinement of tlv_hmm(query) reads shorter ones."},
					n == 1 ? "%.0f sequence has fewer than %d steps and is not in the moments"
						   : "%.0f sequences have fewer than %d steps and are not in the moments",
					n, TLV_WINDOW);
}

/* What messages call the symbol, or the column, that the states explain least. */
static tlv_status
hmm_show_least(tlv_context *ctx, const tlv_frame *moments, const tlv_hmm_options *options,
			   const hmm_fit *fit, char text[2 * TLV_SHOWN_NAME])
{
	size_t least = fit->solution.least;
	tlv_name_table names = {0};
	char shown[TLV_SHOWN_NAME];
	tlv_text name;
	int64_t id;

	if (fit->gaussian)
	{
		snprintf(text, 2 * TLV_SHOWN_NAME, "column %s",
				 tlv_names_show(options->names, least, shown));
		return TLV_OK;
	}
	TLV_TRY(tlv_name_table_add_frame(ctx, &names, moments));
	id = tlv_frame_int64(moments, "items")[least];
	name = tlv_name_table_find(&names, id);
	if (name.length > 0)
		snprintf(text, 2 * TLV_SHOWN_NAME, "symbol %s", tlv_show_name(name, shown));
	else
		snprintf(text, 2 * TLV_SHOWN_NAME, "symbol %lld", (long long) id);
	tlv_name_table_free(ctx, &names);
	return TLV_OK;
}

static tlv_status
hmm_diagnose_fit(tlv_context *ctx, const tlv_frame *moments, const tlv_hmm_options *options,
				 hmm_fit *fit)
{
	tlv_diagnostics *diagnostics = &fit->diagnostics;
	int64_t *order = tlv_alloc(ctx, fit->k, sizeof(int64_t));
	char least[2 * TLV_SHOWN_NAME] = "";

	TLV_TRY_ALLOC(ctx, order);
	for (size_t j = 0; j < fit->k; j++)
		order[j] = (int64_t) j;
	for (size_t i = 0; i < TLV_HMM_COUNTERS; i++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, tlv_frame_scalar(moments, tlv_hmm_counters[i], 0),
							 "%s", tlv_hmm_counters[i]));
	TLV_TRY(tlv_hmm_warn_short(ctx, tlv_frame_scalar(moments, "short", 0), diagnostics));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->windows, "windows"));
	if (fit->solution.misfit)
		TLV_TRY(hmm_show_least(ctx, moments, options, fit, least));
	TLV_TRY(tlv_view_diagnose(ctx, &fit->solution, order, least, diagnostics));
	if (fit->solution.asymmetry2 > TLV_POOR_RESIDUAL)
		TLV_TRY(tlv_warn(
			ctx, diagnostics,
			&(tlv_warning){.code = "asymmetric_moments", .score = fit->solution.asymmetry2},
			"the symmetrised second moment is asymmetric by more than %g: there are too few "
			"windows for k states, or the sequences are not a Markov chain",
			TLV_POOR_RESIDUAL));
	for (size_t j = 0; j < fit->k; j++)
		if (fit->negative[j] > TLV_NEGATIVE_WARN)
			TLV_TRY(tlv_warn(ctx, diagnostics,
							 &(tlv_warning){.code = "negative_mass",
											.component = j + 1,
											.score = fit->negative[j],
											.hint = "Use a smaller k, or give more steps."},
							 "the emission probabilities of state %zu have negative mass above %g "
							 "before truncation",
							 j + 1, TLV_NEGATIVE_WARN));
	tlv_free(ctx, order);
	return TLV_OK;
}

tlv_status
tlv_hmm_name_items(tlv_context *ctx, const tlv_name_table *names, size_t n, const int64_t *items,
				   tlv_name_list *list)
{
	int64_t *offsets;
	char *bytes;

	*list = (tlv_name_list){NULL, NULL};
	if (names->n == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, offsets, n + 1);
	TLV_TRY_NEW(ctx, bytes, names->filled);
	if (tlv_name_table_list(names, n, items, offsets, bytes))
		*list = (tlv_name_list){offsets, bytes};
	return TLV_OK;
}

tlv_status
tlv_hmm_name_symbols(tlv_context *ctx, const tlv_frame *moments, tlv_hmm_parts *parts)
{
	tlv_name_table names = {0};

	if (parts->items == NULL)
		return TLV_OK;
	TLV_TRY(tlv_name_table_add_frame(ctx, &names, moments));
	TLV_TRY(tlv_hmm_name_items(ctx, &names, parts->d, parts->items, &parts->names));
	tlv_name_table_free(ctx, &names);
	return TLV_OK;
}

tlv_status
tlv_hmm_fit(tlv_context *ctx, const tlv_frame *moments, const tlv_hmm_options *options,
			void **image, size_t *size)
{
	hmm_fit fit = {0};
	tlv_hmm_parts parts = {0};

	TLV_TRY(open_moments(ctx, moments, options, &fit));
	TLV_TRY(tlv_view_solve(ctx, fit.source, fit.k, &options->decompose, "states", options->seed,
						   &fit.solution));
	clean_emissions(&fit);
	TLV_TRY(hmm_diagnose_fit(ctx, moments, options, &fit));
	TLV_TRY(estimate_transitions(ctx, &fit));
	if (fit.gaussian)
		estimate_variances(&fit);
	else
		TLV_TRY(refine_symbols(ctx, &fit, options));
	TLV_TRY(estimate_initial(ctx, moments, &fit));
	parts.k = fit.k;
	parts.d = fit.d;
	parts.gaussian = fit.gaussian;
	parts.seed = (double) options->seed;
	parts.initial = fit.initial;
	parts.transitions = fit.transitions;
	parts.items = tlv_frame_int64(moments, "items");
	parts.emissions = fit.gaussian ? fit.vectors.means : fit.middle;
	parts.variances = fit.vectors.variances;
	parts.covariance = fit.gaussian ? fit.vectors.covariance : TLV_COVARIANCE_SPHERICAL;
	parts.diagnostics = &fit.diagnostics;
	TLV_TRY(tlv_hmm_name_symbols(ctx, moments, &parts));
	return tlv_hmm_write(ctx, &parts, image, size);
}
