/*
 * learn.c - the whole of learning independent components (ica.h): moments, fit, refinement steps
 * until they settle.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/tuning.h"

typedef struct ica_learning
{
	tlv_ica_learn_options options;
	bool refine;
	bool likelihood;   /* refinement */
	tlv_held subspace; /* of long vectors */
	size_t left_out;   /* directions of these that were not asked to be */
	tlv_fewer fewer;
	tlv_held model;
	bool settled; /* or as many steps as were asked for */
} ica_learning;

/* ---- options ---- */

static tlv_status
ica_check_options(tlv_context *ctx, const void *argument)
{
	const tlv_ica_learn_options *options = argument;
	const char *refine = options->refine != NULL ? options->refine : "auto";
	bool rows = strcmp(refine, "likelihood") == 0 || strcmp(refine, "tanh") == 0;

	if (strcmp(refine, "auto") == 0 || strcmp(refine, "none") == 0 || (rows && !options->fit.noise))
		return TLV_OK;
	if (!rows)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", refine);
		return tlv_fail_hint(ctx, options->fit.noise ? "Use 'auto' or 'none'."
													 : "Use 'auto', 'tanh', 'likelihood' or "
													   "'none'.");
	}
	tlv_fail(ctx, TLV_BAD_PARAMETER, "a model fitted to noise has no refinement over the rows");
	return tlv_fail_hint(ctx, "The steps would fit the noise: use refine => 'none', or noise => "
							  "false.");
}

static ica_learning
ica_begin(const tlv_ica_learn_options *options)
{
	/* Where steps over the rows follow, the start need not be exact: far below what sampling turns.
	 */
	const double start_tolerance = 1e-5;
	const char *refine = options->refine != NULL ? options->refine : "auto";
	ica_learning fit = {.options = *options};

	fit.likelihood = strcmp(refine, "likelihood") == 0;
	fit.refine = strcmp(refine, "auto") == 0 ? !options->fit.noise : strcmp(refine, "none") != 0;
	if (fit.refine && options->iterations != 0 && options->fit.decompose.tolerance == 0)
		fit.options.fit.decompose.tolerance = start_tolerance;
	return fit;
}

/* ---- moments and fit ---- */

/* Above the limit of whole moments: those in the k leading directions, in a second pass. */
static size_t
directions_of(const ica_learning *fit)
{
	return fit->options.fit.k > 0 ? fit->options.fit.k : fit->options.fit.max_k;
}

static tlv_status
collect_in_directions(tlv_context *ctx, tlv_source *rows, ica_learning *fit, tlv_value **moments)
{
	size_t d = rows->rows.width[0];
	tlv_value *covariance;
	tlv_making made;

	if (directions_of(fit) == 0 || directions_of(fit) > TLV_DENSE_MOST_4)
	{
		/* as many as there can be */
		fit->left_out =
			(directions_of(fit) == 0 ? d : tlv_least(d, directions_of(fit))) - TLV_DENSE_MOST_4;
		fit->options.fit.k = fit->options.fit.k > 0 ? TLV_DENSE_MOST_4 : 0;
		fit->options.fit.max_k = TLV_DENSE_MOST_4;
	}
	TLV_TRY(
		tlv_collect_first(ctx, rows, "covariance", 0,
						  &(tlv_statistic){.aggregate = &tlv_aggregate_dense_moments, .order = 2},
						  "rows", &covariance));
	TLV_TRY(TLV_MAKE(
		ctx, &made, &fit->subspace,
		tlv_dense_subspace(ctx, &covariance->frame, directions_of(fit), &made.image, &made.size)));
	tlv_value_drop(covariance);
	TLV_TRY(tlv_collect_again(ctx, rows, "moments", 0,
							  &(tlv_statistic){.aggregate = &tlv_aggregate_dense_moments,
											   .constant = &fit->subspace.frame},
							  moments));
	return tlv_require_rows(ctx, *moments, "rows");
}

static tlv_status
ica_collect_moments(tlv_context *ctx, tlv_source *rows, ica_learning *fit, tlv_value **moments)
{
	if (rows->rows.width[0] > TLV_DENSE_MOST_4)
		return collect_in_directions(ctx, rows, fit, moments);
	return tlv_collect_first(
		ctx, rows, "moments", 0,
		&(tlv_statistic){.aggregate = &tlv_aggregate_dense_moments, .order = 4}, "rows", moments);
}

static tlv_status
learn_fit_components(tlv_context *ctx, void *argument, const tlv_frame *moments, size_t k)
{
	ica_learning *fit = argument;
	tlv_making made;

	fit->options.fit.k = k;
	return TLV_MAKE(ctx, &made, &fit->model,
					tlv_ica_fit(ctx, moments, &fit->options.fit, &made.image, &made.size));
}

/* ---- refinement ---- */

/*
 * The last step was small, or the steps shrink so fast that all that are to come would be: what is
 * left of a geometric series.  Newton's steps shrink faster than that.
 */
static bool
steps_settle(const tlv_frame *model, int steps, double before)
{
	/* Steps of a lesser ratio are those of a method that has come near, not of one that creeps. */
	const double most_shrink = 0.2;
	double last = tlv_frame_scalar(model, "change", 1);
	double shrink = before > 0 ? last / before : 1;

	return tlv_ica_settled(model) ||
		   (steps > 1 && shrink < most_shrink && last * shrink / (1 - shrink) < TLV_ICA_SETTLED);
}

static tlv_status
refine_components(tlv_context *ctx, tlv_source *rows, ica_learning *fit)
{
	/* The usual refinement is not named: a constant of text would keep servers from shipping it. */
	const tlv_statistic statistic = {.aggregate = &tlv_aggregate_statistics,
									 .constant = &fit->model.frame,
									 .refine = fit->likelihood ? "likelihood" : NULL};
	bool to_the_end = fit->options.iterations < 0;
	int limit = to_the_end ? TLV_MOST_PASSES : fit->options.iterations;

	fit->settled = !to_the_end;
	for (int steps = 0; steps < limit && !(to_the_end && fit->settled); steps++)
	{
		double before = tlv_frame_scalar(&fit->model.frame, "change", 1);
		tlv_value *sums;

		TLV_TRY(tlv_collect_again(ctx, rows, "refinement", limit - steps, &statistic, &sums));
		TLV_TRY(tlv_refine(ctx, &fit->model, &sums->frame));
		tlv_value_drop(sums);
		fit->settled = !to_the_end || steps_settle(&fit->model.frame, steps + 1, before);
	}
	return TLV_OK;
}

/* ---- the end ---- */

/* With few rows, the sampling error of a direction can be as far from a Gaussian as a source is. */
static tlv_status
warn_of_few_rows(tlv_context *ctx, const tlv_frame *model, tlv_diagnostics *diagnostics)
{
	/* Rows for every component, below which some direction has the fourth moment that is sought. */
	const double rows_enough = 10.0;
	double rows = tlv_diagnostics_find(model, "rows", HUGE_VAL);
	double k = (double) tlv_frame_find(model, "mixing")->columns;

	if (k < 2 || rows >= rows_enough * k)
		return TLV_OK;
	return tlv_warn(
		ctx, diagnostics,
		&(tlv_warning){
			.code = "few_rows", .score = rows / k, .hint = "Give more rows, or use a smaller k."},
		"%.0f %s few for %.0f %s: sampling error makes such components as well", rows,
		tlv_plural(rows, "row is", "rows are"), k, tlv_plural(k, "component", "components"));
}

static tlv_status
ica_finish(tlv_context *ctx, const tlv_source *rows, const ica_learning *fit, tlv_held *finished)
{
	static const char *const renewed[] = {"not_identified", NULL};
	const tlv_frame *model = &fit->model.frame;
	const tlv_section *mixing = tlv_frame_find(model, "mixing");
	tlv_diagnostics diagnostics = {0};
	const tlv_ica_parts parts = {.d = mixing->rows,
								 .k = mixing->columns,
								 .rows = tlv_frame_scalar(model, "rows", 0),
								 .mixing = (double *) tlv_section_data(model, mixing),
								 .kurtosis = (double *) tlv_frame_float64(model, "kurtosis"),
								 .names = fit->options.fit.names,
								 .diagnostics = &diagnostics};

	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, model, renewed));
	TLV_TRY(tlv_ica_warn_gaussian(ctx, &parts));
	if (fit->refine && !fit->settled)
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = tlv_frame_scalar(model, "change", 1)},
						 "the refinement did not converge in %d iterations", TLV_MOST_PASSES));
	TLV_TRY(tlv_warn_fewer(ctx, &fit->fewer, &diagnostics));
	TLV_TRY(warn_of_few_rows(ctx, model, &diagnostics));
	if (fit->left_out > 0)
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "directions_skipped",
										.score = (double) fit->left_out,
										.hint = "Fit the columns that belong together separately."},
						 "fourth moments are limited to %d dimensions: components are estimated in "
						 "the leading directions, and %zu are skipped",
						 TLV_DENSE_MOST_4, fit->left_out));
	return tlv_source_finish(ctx, rows, model, &diagnostics, 0, NULL, finished);
}

static tlv_status
ica_learn(tlv_context *ctx, tlv_source *rows, const void *options, tlv_held *model)
{
	ica_learning fit = ica_begin(options);
	tlv_value *moments;

	fit.options.fit.names = tlv_source_rows(rows)->rows.names;
	TLV_TRY(ica_collect_moments(ctx, rows, &fit, &moments));
	TLV_TRY(tlv_fit_fewer(ctx, &moments->frame, fit.options.fit.k, learn_fit_components, &fit,
						  &fit.fewer));
	tlv_value_drop(moments);
	if (fit.refine)
		TLV_TRY(refine_components(ctx, rows, &fit));
	return ica_finish(ctx, rows, &fit, model);
}

const tlv_procedure tlv_ica_procedure = {.check = ica_check_options, .learn = ica_learn};
