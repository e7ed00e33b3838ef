/*
 * fit.c - from moments of three views to a mixture (multiview.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/model/view_solver.h"
#include "tensorlv/num/tuning.h"

/* Starts that are drawn, and steps of each before the best goes on. */
#define RANDOM_STARTS 20
#define RANDOM_STEPS  30

const char *const tlv_multiview_items[3] = {"items1", "items2", "items3"};

/* How k was found, and what the views tell of it. */
typedef struct view_choice
{
	bool chosen; /* else given */
	bool known;	 /* of views that are not too wide */
	multiview_rank rank;
	size_t max_k; /* where k is chosen; 0: none */
} view_choice;

typedef struct view_fit
{
	size_t k;
	size_t d[3];
	bool vectors;
	bool random; /* begun at random: there is no solution of the moments */
	double rows;
	const tlv_view_source *source;
	tlv_view_source cells;
	tlv_view_sums sums;
	tlv_dense_source dense;
	tlv_view_solution solution;
	double *weights;		/* k */
	double *means[3];		/* vectors: d_t x k */
	double *variances[3];	/* vectors: d_t x k */
	double *totals[3];		/* vectors: d_t, variances of all rows */
	double *floors[3];		/* vectors: d_t */
	double worst;			/* negative mass that was cut */
	size_t worst_component; /* that has it */
	tlv_diagnostics diagnostics;
} view_fit;

void
tlv_multiview_cells(const tlv_frame *moments, tlv_view_source *cells)
{
	for (int t = 0; t < 3; t++)
		cells->d[t] = tlv_frame_find(moments, tlv_multiview_items[t])->rows;
	cells->n = tlv_frame_find(moments, "cells")->rows;
	cells->cells = tlv_frame_int64(moments, "cells");
	cells->counts = tlv_frame_float64(moments, "counts");
	for (size_t e = 0; e < cells->n; e++)
		cells->total += cells->counts[e];
}

static void
open_categories(const tlv_frame *moments, view_fit *fit)
{
	tlv_multiview_cells(moments, &fit->cells);
	memcpy(fit->d, fit->cells.d, sizeof(fit->d));
	fit->rows = fit->cells.total;
	fit->source = &fit->cells;
}

/* Variances of all rows, and the least that components may have. */
static tlv_status
measure_variances(tlv_context *ctx, view_fit *fit)
{
	size_t wide = fit->d[0] + fit->d[1] + fit->d[2];
	double *totals, *floors;

	TLV_TRY(tlv_alloc_numbers(ctx, &totals, wide));
	TLV_TRY(tlv_alloc_numbers(ctx, &floors, wide));
	for (int t = 0; t < 3; t++)
	{
		fit->totals[t] = t == 0 ? totals : fit->totals[t - 1] + fit->d[t - 1];
		fit->floors[t] = t == 0 ? floors : fit->floors[t - 1] + fit->d[t - 1];
		for (size_t i = 0; i < fit->d[t]; i++)
		{
			double mean = fit->sums.sum[t][i] / fit->rows;

			fit->totals[t][i] = fmax(fit->sums.square[t][i] / fit->rows - mean * mean, 0);
		}
	}
	return tlv_mixture_floor(ctx, wide, totals, NULL, floors);
}

/* A view that is always the same tells no components apart. */
static tlv_status
refuse_constant_views(tlv_context *ctx, const view_fit *fit)
{
	for (int t = 0; t < 3; t++)
	{
		double largest = 0;

		for (size_t i = 0; i < fit->d[t]; i++)
			largest = fmax(largest, fit->dense.scale[t][i]); /* 0: does not vary */
		if (largest == 0)
		{
			tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
					 "view %d is constant: the data do not identify %zu "
					 "components",
					 t + 1, fit->k);
			return tlv_fail_hint(ctx,
								 "All views must differ between any two components; numbers that "
								 "differ by less than 1e-150 count as equal.");
		}
	}
	return TLV_OK;
}

static tlv_status
fit_open_vectors(tlv_context *ctx, const tlv_frame *moments, view_fit *fit)
{
	fit->vectors = true;
	fit->source = &fit->dense.source;
	if (tlv_frame_find(moments, "sum1")->rows == 0)
		return TLV_OK;
	TLV_TRY(tlv_view_sums_read(ctx, moments, false, &fit->sums));
	memcpy(fit->d, fit->sums.d, sizeof(fit->d));
	fit->rows = fit->sums.rows;
	if (fit->rows < (double) fit->k)
		return TLV_OK;
	TLV_TRY(measure_variances(ctx, fit));
	TLV_TRY(tlv_dense_source_create(ctx, &fit->sums, false, fit->k, &fit->dense));
	return fit->k > 1 ? refuse_constant_views(ctx, fit) : TLV_OK;
}

static tlv_status
multiview_open_moments(tlv_context *ctx, const tlv_frame *moments,
					   const tlv_multiview_options *options, view_fit *fit)
{
	/* Sums of counts are exact up to here. */
	const double most_rows = 0x1p53;
	fit->k = options->k;
	if (moments->header->kind == TLV_KIND_VIEW_MOMENTS)
		TLV_TRY(fit_open_vectors(ctx, moments, fit));
	else
		open_categories(moments, fit);
	if (fit->rows > most_rows)
		return tlv_fail(ctx, TLV_BAD_DATA, "%g rows are more than can be counted", fit->rows);
	if (fit->rows < (double) fit->k)
		return tlv_fail(ctx, TLV_BAD_DATA, "%.0f %s too few for %zu %s", fit->rows,
						tlv_plural((double) fit->rows, "row is", "rows are"), fit->k,
						tlv_plural((double) fit->k, "component", "components"));
	for (int t = 0; t < 3; t++)
		if (fit->k > fit->source->d[t])
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is more than %zu, the %s of view %d%s",
					 fit->k, fit->source->d[t], fit->vectors ? "dimensions" : "categories", t + 1,
					 fit->vectors ? " and 1" : "");
			return tlv_fail_hint(ctx, "Every view must have as many, to tell k components apart.");
		}
	TLV_TRY(tlv_require_memory(
		ctx,
		sizeof(double) * ((double) fit->k * 8.0 *
							  ((double) fit->d[0] + (double) fit->d[1] + (double) fit->d[2]) +
						  4.0 * (double) fit->k * (double) fit->k * (double) fit->k),
		"the fit"));
	return tlv_alloc_numbers(ctx, &fit->weights, fit->k);
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

		TLV_TRY(tlv_alloc_numbers(ctx, &fit->means[t], d * k));
		TLV_TRY(tlv_alloc_numbers(ctx, &fit->variances[t], d * k));
		tlv_dense_source_means(&fit->dense, t, k, fit->solution.means[t], fit->means[t]);
		for (size_t i = 0; i < d; i++)
		{
			double mean = 0, between = 0;

			for (size_t j = 0; j < k; j++)
				mean += fit->weights[j] * fit->means[t][j * d + i];
			for (size_t j = 0; j < k; j++)
				between += fit->weights[j] * (fit->means[t][j * d + i] - mean) *
						   (fit->means[t][j * d + i] - mean);
			for (size_t j = 0; j < k; j++)
				fit->variances[t][j * d + i] = fmax(fit->totals[t][i] - between, fit->floors[t][i]);
		}
	}
	return TLV_OK;
}

/* ---- categories: EM on the counts ---- */

static tlv_status
climb_cells(tlv_context *ctx, const view_fit *fit, int iterations, tlv_em *em)
{
	double *const *means = fit->solution.means;
	const tlv_cell_mixture own = {.source = fit->source,
								  .k = fit->k,
								  .weights = fit->weights,
								  .means = {means[0], means[1], means[2]}};

	*em = tlv_em_of_counts("EM on counts", 4, iterations);
	return tlv_cell_refine(ctx, &own, em);
}

static tlv_status
refine_categories(tlv_context *ctx, view_fit *fit, int iterations)
{
	tlv_em em;

	for (int t = 0; t < 3; t++)
		tlv_normalize_rows(fit->k, fit->source->d[t], TLV_EM_LEAST, fit->solution.means[t]);
	TLV_TRY(climb_cells(ctx, fit, iterations, &em));
	if (iterations < 0 && !em.stands && em.growth > TLV_EM_TOLERANCE)
		TLV_TRY(tlv_warn(ctx, &fit->diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit", .score = em.taken - 1},
						 "the log-likelihood still increases after %d %s", em.taken - 1,
						 tlv_plural((double) em.taken - 1, "iteration", "iterations")));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, em.taken - 1, "count_iterations"));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, em.stands, "count_stands"));
	return tlv_diagnose(ctx, &fit->diagnostics, em.likelihood, "mean_log_likelihood");
}

/* Probabilities of a flat Dirichlet distribution, components of equal weight. */
static void
multiview_draw_start(view_fit *fit, tlv_rng *rng)
{
	for (size_t j = 0; j < fit->k; j++)
		fit->weights[j] = 1 / (double) fit->k;
	for (int t = 0; t < 3; t++)
	{
		for (size_t e = 0; e < fit->k * fit->d[t]; e++)
			fit->solution.means[t][e] = -log(1 - tlv_rng_uniform(rng));
		tlv_normalize_rows(fit->k, fit->d[t], TLV_EM_LEAST, fit->solution.means[t]);
	}
}

/*
 * Where moments do not identify k components: of random starts that which a few steps of EM bring
 * to the largest likelihood, as other implementations begin (Dempster, Laird, Rubin 1977).
 */
static tlv_status
start_at_random(tlv_context *ctx, view_fit *fit, uint64_t seed)
{
	double best = -HUGE_VAL, *kept[4];
	tlv_em em;

	fit->random = true;
	TLV_TRY(tlv_alloc_numbers(ctx, &kept[3], fit->k));
	TLV_TRY(tlv_alloc_numbers(ctx, &fit->solution.weights, fit->k));
	for (int t = 0; t < 3; t++)
	{
		TLV_TRY(tlv_alloc_numbers(ctx, &kept[t], fit->k * fit->d[t]));
		TLV_TRY(tlv_alloc_numbers(ctx, &fit->solution.means[t], fit->k * fit->d[t]));
	}
	for (uint64_t start = 0; start < RANDOM_STARTS; start++)
	{
		tlv_rng rng;

		tlv_rng_stream(&rng, seed, start);
		multiview_draw_start(fit, &rng);
		TLV_TRY(climb_cells(ctx, fit, RANDOM_STEPS, &em));
		if (em.likelihood <= best)
			continue;
		best = em.likelihood;
		memcpy(kept[3], fit->weights, fit->k * sizeof(double));
		for (int t = 0; t < 3; t++)
			memcpy(kept[t], fit->solution.means[t], fit->k * fit->d[t] * sizeof(double));
	}
	memcpy(fit->solution.weights, kept[3], fit->k * sizeof(double));
	for (int t = 0; t < 3; t++)
		memcpy(fit->solution.means[t], kept[t], fit->k * fit->d[t] * sizeof(double));
	return TLV_OK;
}

static tlv_status
finish_categories(tlv_context *ctx, view_fit *fit, int iterations)
{
	size_t k = fit->k;
	double *negative;

	TLV_TRY(tlv_alloc_numbers(ctx, &negative, k));
	memcpy(fit->weights, fit->solution.weights, k * sizeof(double));
	for (int t = 0; t < 3; t++)
	{
		tlv_clip_probabilities(k, fit->d[t], fit->solution.means[t], negative);
		for (size_t j = 0; j < k; j++)
			if (negative[j] > fit->worst)
			{
				fit->worst = negative[j];
				fit->worst_component = j;
			}
	}
	tlv_free(ctx, negative);
	if (iterations != 0)
		TLV_TRY(refine_categories(ctx, fit, iterations));
	/* The stored form has one component after the other. */
	for (int t = 0; t < 3; t++)
	{
		size_t d = fit->d[t];

		TLV_TRY(tlv_alloc_numbers(ctx, &fit->means[t], d * k));
		for (size_t i = 0; i < d; i++)
			for (size_t j = 0; j < k; j++)
				fit->means[t][j * d + i] = fit->solution.means[t][i * k + j];
	}
	return TLV_OK;
}

static tlv_status
diagnose_rank(tlv_context *ctx, const view_choice *choice, tlv_diagnostics *diagnostics)
{
	static const char *const names[3] = {"rank_12", "rank_13", "rank_23"};

	TLV_TRY(tlv_diagnose(ctx, diagnostics, choice->chosen, "k_chosen"));
	if (choice->chosen)
		TLV_TRY(tlv_warn_k_at_limit(ctx, diagnostics, choice->rank.k, choice->max_k));
	if (!choice->known)
		return TLV_OK;
	for (int pair = 0; pair < 3; pair++)
		TLV_TRY(
			tlv_diagnose(ctx, diagnostics, (double) choice->rank.by_pair[pair], "%s", names[pair]));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, choice->rank.p_value, "independence_p_value"));
	for (size_t k = 1; k <= MULTIVIEW_CURVE && choice->chosen; k++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, choice->rank.enough[k - 1], "p_enough_%zu", k));
	return tlv_multiview_warn_rank(ctx, choice->rank.p_value, diagnostics);
}

tlv_status
tlv_multiview_warn_random(tlv_context *ctx, double starts, size_t k, tlv_diagnostics *diagnostics)
{
	if (!(starts > 0))
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "not_identified",
								   .score = (double) k,
								   .hint = "Use a smaller k or more rows: what differs between "
										   "models of different seeds is not in the data."},
					"the moments do not identify %zu %s: these are the best of %.0f random "
					"initialisations",
					k, tlv_plural((double) k, "component", "components"), starts);
}

/* The component's number is the model's, which has them by decreasing weight. */
static tlv_status
warn_negative(tlv_context *ctx, view_fit *fit)
{
	size_t number = 1, worst = (size_t) fit->worst_component;

	for (size_t j = 0; j < fit->k; j++)
		number += fit->weights[j] > fit->weights[worst] ||
				  (j < worst && fit->weights[j] == fit->weights[worst]);
	return tlv_warn(ctx, &fit->diagnostics,
					&(tlv_warning){.code = "negative_mass",
								   .component = number,
								   .score = fit->worst,
								   .hint = "Use a smaller k, or give more rows."},
					"component %zu has negative mass above %g before truncation", number,
					TLV_NEGATIVE_WARN);
}

static tlv_status
multiview_diagnose_fit(tlv_context *ctx, const tlv_frame *moments, const tlv_names *views,
					   const view_choice *choice, view_fit *fit)
{
	int64_t *order = tlv_alloc(ctx, fit->k, sizeof(int64_t));
	char least[2 * TLV_SHOWN_NAME] = "";

	TLV_TRY_ALLOC(ctx, order);
	for (size_t j = 0; j < fit->k; j++)
		order[j] = (int64_t) j;
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, fit->rows, "rows"));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, tlv_frame_scalar(moments, "nulls", 0), "nulls"));
	TLV_TRY(diagnose_rank(ctx, choice, &fit->diagnostics));
	if (fit->random)
	{
		TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, RANDOM_STARTS, "random_starts"));
		TLV_TRY(tlv_multiview_warn_random(ctx, RANDOM_STARTS, fit->k, &fit->diagnostics));
	}
	else
	{
		if (fit->solution.misfit)
			TLV_TRY(
				tlv_multiview_show_least(ctx, moments, views, &fit->solution, fit->vectors, least));
		TLV_TRY(tlv_view_diagnose(ctx, &fit->solution, order, least, &fit->diagnostics));
	}
	if (fit->worst > TLV_NEGATIVE_WARN)
		TLV_TRY(warn_negative(ctx, fit));
	tlv_free(ctx, order);
	return TLV_OK;
}

/* The categories that are told by name; those of a view of numbers have none. */
static tlv_status
name_categories(tlv_context *ctx, const tlv_frame *moments, tlv_multiview_parts *parts)
{
	const int64_t *told = tlv_frame_int64(moments, "told");
	size_t n = parts->d[0] + parts->d[1] + parts->d[2], filled = 0, at = 0;
	tlv_name_table names = {0};
	int64_t *offsets;
	char *bytes;

	if (told == NULL)
		return TLV_OK;
	TLV_TRY(tlv_name_table_add_frame(ctx, &names, moments));
	TLV_TRY_NEW(ctx, offsets, n + 1);
	TLV_TRY_NEW(ctx, bytes, 3 * names.filled + 1); /* a name may be that of a category each */
	for (int t = 0; t < 3; t++)
		for (size_t i = 0; i < parts->d[t]; i++)
		{
			tlv_text name = tlv_name_table_find(&names, parts->items[t][i]);

			TLV_TRY_CONTINUE_AT(ctx, at);
			offsets[at++] = (int64_t) filled;
			if (told[t] != TLV_CATEGORIES_BY_NAME || name.length == 0)
				continue;
			memcpy(bytes + filled, name.bytes, name.length);
			filled += name.length;
		}
	offsets[n] = (int64_t) filled;
	tlv_name_table_free(ctx, &names);
	if (filled == 0)
		return TLV_OK;
	parts->category_offsets = offsets;
	parts->category_names = bytes;
	parts->category_ends = n + 1;
	parts->category_bytes = filled;
	return TLV_OK;
}

/* From the moments; where they do not identify categories' components that are asked for, and the
 * rows are there to be counted, from elsewhere. */
static tlv_status
multiview_start_components(tlv_context *ctx, const tlv_multiview_options *options,
						   const view_choice *choice, view_fit *fit)
{
	tlv_status status = tlv_view_solve(ctx, fit->source, fit->k, &options->decompose, "components",
									   options->seed, &fit->solution);
	if (status != TLV_NOT_IDENTIFIABLE || fit->vectors || choice->chosen ||
		options->iterations == 0)
		return status;
	fit->solution = (tlv_view_solution){.k = fit->k};
	return start_at_random(ctx, fit, options->seed);
}

/* The fit of options->k components. */
static tlv_status
multiview_fit_components(tlv_context *ctx, const tlv_frame *moments,
						 const tlv_multiview_options *options, const view_choice *choice,
						 void **image, size_t *size)
{
	view_fit fit = {0};
	tlv_multiview_parts parts = {0};

	TLV_TRY(multiview_open_moments(ctx, moments, options, &fit));
	TLV_TRY(multiview_start_components(ctx, options, choice, &fit));
	TLV_TRY(fit.vectors ? finish_vectors(ctx, &fit)
						: finish_categories(ctx, &fit, options->iterations));
	TLV_TRY(multiview_diagnose_fit(ctx, moments, options->names, choice, &fit));
	parts.k = fit.k;
	parts.rows = fit.rows;
	parts.seed = (double) options->seed;
	parts.weights = fit.weights;
	for (int t = 0; t < 3; t++)
	{
		parts.d[t] = fit.d[t];
		parts.means[t] = fit.means[t];
		parts.variances[t] = fit.vectors ? fit.variances[t] : NULL;
		parts.floors[t] = fit.vectors ? fit.floors[t] : NULL;
		parts.items[t] = fit.vectors ? NULL : tlv_frame_int64(moments, tlv_multiview_items[t]);
	}
	if (!fit.vectors)
		TLV_TRY(name_categories(ctx, moments, &parts));
	parts.diagnostics = &fit.diagnostics;
	return tlv_multiview_write(ctx, &parts, image, size);
}

/* The widest pair of views that a rank is found of. */
static tlv_status
find_rank(tlv_context *ctx, const tlv_frame *moments, view_choice *choice)
{
	static const char *const sums[3] = {"sum1", "sum2", "sum3"};
	size_t d[3];

	for (int t = 0; t < 3; t++)
	{
		const tlv_section *section = tlv_frame_find(moments, sums[t]);

		d[t] = section != NULL ? section->rows : 0;
	}
	choice->known = tlv_least(tlv_least(d[0], d[1]), d[2]) <= TLV_EIGEN_LIMIT &&
					tlv_least(d[0] > d[1] ? d[0] : d[1], d[2]) <= TLV_EIGEN_LIMIT;
	if (choice->known)
		return tlv_multiview_rank(ctx, moments, &choice->rank);
	if (!choice->chosen)
		return TLV_OK;
	tlv_fail(ctx, TLV_LIMIT, "k is chosen of views of up to %d numbers", TLV_EIGEN_LIMIT);
	return tlv_fail_hint(ctx, "Give k.");
}

/* The rank says how many components there are; where the moments identify fewer, it is these. */
static tlv_status
fit_chosen(tlv_context *ctx, const tlv_frame *moments, const tlv_multiview_options *options,
		   const view_choice *choice, void **image, size_t *size)
{
	tlv_multiview_options own = *options;
	tlv_status status = TLV_NOT_IDENTIFIABLE;

	own.k = options->max_k > 0 ? tlv_least(choice->rank.k, options->max_k) : choice->rank.k;
	for (; own.k > 0 && status == TLV_NOT_IDENTIFIABLE; own.k--)
	{
		tlv_scratch scratch;

		tlv_scratch_begin(ctx, &scratch);
		status = multiview_fit_components(ctx, moments, &own, choice, image, size);
		if (status == TLV_OK)
			tlv_scratch_keep(ctx, *image);
		tlv_scratch_end(ctx, &scratch);
	}
	return status;
}

tlv_status
tlv_multiview_fit(tlv_context *ctx, const tlv_frame *moments, const tlv_multiview_options *options,
				  void **image, size_t *size)
{
	view_choice choice = {.chosen = options->k == 0, .max_k = options->max_k};

	if (moments->header->kind != TLV_KIND_VIEW_MOMENTS &&
		moments->header->kind != TLV_KIND_CATEGORY_VIEWS)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "a multi-view mixture is fitted to moments of three views");
		return tlv_fail_hint(ctx, "Collect them with tlv_view_moments(x1, x2, x3).");
	}
	TLV_TRY(find_rank(ctx, moments, &choice));
	return (choice.chosen ? fit_chosen : multiview_fit_components)(ctx, moments, options, &choice,
																   image, size);
}
