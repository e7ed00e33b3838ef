/*
 * learn_directions.c - the whole of learning mixtures of directions (directions.h): a sample, the
 * best start on it, then steps of expectation maximisation over all rows until the likelihood
 * stands.
 */
#include "directions.h"

#include <math.h>
#include <string.h>

#include "../choose.h"
#include "../wide.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/refusals.h"

/* Of the memory that is left, the part that a sample may take. */
#define SAMPLE_SHARE 6
/* The sample is as large as for so many components where k is chosen. */
#define SAMPLE_K 30
/* Twice the nats that each parameter of a component of few rows costs beyond log(n). */
#define FEW_ROWS 1.0

typedef struct directions_learning
{
	tlv_directions_learn_options options;
	bool k_chosen;
	size_t groups; /* by ICL, where another criterion chose */
	double n;	   /* rows with a direction; as far as it is known */
	double zeros;  /* rows without one */
	double scaled; /* rows whose length was not 1 */
	tlv_held model;
	double likelihood; /* mean over the rows */
	bool stands;
} directions_learning;

/* ---- options ---- */

static tlv_status
check_options(tlv_context *ctx, const void *argument)
{
	const tlv_directions_learn_options *options = argument;

	if (options->k > TLV_MIXTURE_MOST_COMPONENTS || options->max_k > TLV_MIXTURE_MOST_COMPONENTS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%s = %zu is more than %d",
						options->k > TLV_MIXTURE_MOST_COMPONENTS ? "k" : "max_k",
						options->k > TLV_MIXTURE_MOST_COMPONENTS ? options->k : options->max_k,
						TLV_MIXTURE_MOST_COMPONENTS);
	return TLV_OK;
}

static size_t
most_k(const directions_learning *fit)
{
	return fit->options.max_k > 0 ? fit->options.max_k : GMM_WIDE_MOST_K;
}

/* ---- the start ---- */

static tlv_status
collect_sample(tlv_context *ctx, tlv_source *rows, directions_learning *fit, tlv_value **sample)
{
	size_t d = rows->rows.width[0], most = fit->k_chosen ? SAMPLE_K : fit->options.k;
	const gmm_evidence evidence = {.n = HUGE_VAL, .d = d > 0 ? d : 1};
	double room = ((double) ctx->arena.limit - (double) ctx->arena.used) / SAMPLE_SHARE;

	TLV_TRY(tlv_collect_first(ctx, rows, "sample", 0,
							  &(tlv_statistic){.aggregate = &tlv_aggregate_row_sample,
											   .count = gmm_sample_size(&evidence, most, room),
											   .seed = fit->options.seed},
							  "seen", sample));
	fit->n = tlv_frame_scalar(&(*sample)->frame, "seen", 0);
	if ((double) fit->options.k > fit->n)
		return tlv_refuse_few(ctx, fit->n, "rows", fit->options.k, "components");
	return TLV_OK;
}

/* Rows of the sample by their lengths, those of zeros left out, and their moments. */
static tlv_status
open_sample(tlv_context *ctx, directions_learning *fit, size_t d, size_t n, double *x,
			directions_sample *sample)
{
	tlv_accumulator *accumulator;
	tlv_frame_builder *builder;
	double zeros = 0, scaled = 0;
	void *image;
	size_t size, kept = 0;

	TLV_TRY(tlv_dense_moments_create(ctx, 2, &accumulator));
	for (size_t t = 0; t < n; t++)
	{
		double length;

		TLV_TRY(directions_row(ctx, d, d, x + t * d, x + kept * d, &length));
		zeros += length == 0;
		scaled += length > 0 && fabs(length - 1) > DIRECTIONS_UNIT;
		if (length == 0)
			continue;
		TLV_TRY(tlv_add(ctx, accumulator, TLV_AS_VECTOR(d, x + kept * d)));
		kept++;
	}
	fit->zeros = round(zeros / (double) n * fit->n);
	fit->scaled = round(scaled / (double) n * fit->n);
	fit->n -= fit->zeros;
	*sample = (directions_sample){.n = kept, .d = d, .rows = x};
	if (kept == 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "all rows are zero: they have no direction");
	TLV_TRY_NEW(ctx, builder, 1);
	TLV_TRY(accumulator->class->build(ctx, accumulator, builder));
	TLV_TRY(tlv_frame_finish(ctx, builder, &image, &size));
	return tlv_frame_open(ctx, image, size, &sample->moments);
}

/* How many components are left when those that overlap count as one. */
static size_t
groups_of(const directions_start *start)
{
	size_t groups = 1;

	for (size_t k = 2; k <= start->tried; k++)
		groups = start->icl[k - 1] < start->icl[groups - 1] ? k : groups;
	return start->fitted > 0 ? groups : start->k;
}

static tlv_status
write_start(tlv_context *ctx, const directions_learning *fit, const directions_sample *sample,
			const directions_start *start, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	const tlv_directions_parts parts = {.directions = &start->directions,
										.rows = (double) sample->n,
										.seed = (double) fit->options.seed,
										.diagnostics = &diagnostics};

	TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) sample->n, "rows"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) sample->d, "dimensions"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, start->from_moments, "start_moments"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, (double) sample->n, "sample_rows"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, start->steps, "sample_steps"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, start->stands, "sample_stands"));
	for (size_t k = 1; k <= start->fitted; k++)
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, start->bic[k - 1], "bic_%zu", k));
	for (size_t k = 1; k <= start->tried; k++)
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, start->icl[k - 1], "icl_%zu", k));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, 0, "refinement_steps"));
	return tlv_directions_write(ctx, &parts, image, size);
}

/* The rows and their moments; in the leading directions; the fit to third moments. */
static double
start_memory(const directions_learning *fit, size_t d, double n)
{
	double k = (double) (fit->k_chosen ? SAMPLE_K : fit->options.k), wide = (double) d;
	double p = fmin(fmin(wide, k), GMM_WIDE_MOST_DIRECTIONS), clusters = 4 * k * k;

	return sizeof(double) * (n * (wide + p / 2 + 2) + 6 * wide * wide + wide * (6 * k + 2 * p) +
							 clusters + p * p * p) +
		   (k <= GMM_WIDE_MOST_DIRECTIONS
				? tlv_decompose_memory((size_t) k, &fit->options.decompose)
				: 0);
}

static tlv_status
fit_sample(tlv_context *ctx, directions_learning *fit, const tlv_frame *rows, void **image,
		   size_t *size)
{
	directions_start start = {.k = fit->options.k};
	directions_sample sample;
	double *x;
	size_t n, d = tlv_frame_find(rows, "rows")->rows;
	bool whole = fit->n <= tlv_frame_scalar(rows, "count", 0);

	if (d < 2)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "a direction has two numbers at least, a row has %zu", d);
		return tlv_fail_hint(ctx, "Use another covariance for single numbers.");
	}
	TLV_TRY(tlv_require_memory(
		ctx, start_memory(fit, d, fmin(fit->n, tlv_frame_scalar(rows, "count", 0))), "the fit"));
	TLV_TRY(tlv_row_sample_rows(ctx, rows, &n, &x));
	TLV_TRY(open_sample(ctx, fit, d, n, x, &sample));
	TLV_TRY(directions_find_start(ctx, &sample, &fit->options, most_k(fit), &start));
	fit->likelihood = start.log_likelihood;
	fit->groups = groups_of(&start);
	fit->stands = whole && start.stands;
	return write_start(ctx, fit, &sample, &start, image, size);
}

static tlv_status
find_start(tlv_context *ctx, tlv_source *rows, directions_learning *fit)
{
	tlv_value *sample;
	tlv_making made;

	TLV_TRY(collect_sample(ctx, rows, fit, &sample));
	TLV_TRY(TLV_MAKE(ctx, &made, &fit->model,
					 fit_sample(ctx, fit, &sample->frame, &made.image, &made.size)));
	tlv_value_drop(sample);
	return TLV_OK;
}

/* ---- refinement: a pass a step, and one more for the likelihood at the end ---- */

/* What a pass tells of the rows, and of the model that it was under. */
static tlv_status
measure(tlv_context *ctx, directions_learning *fit, const tlv_frame *sums)
{
	fit->n = tlv_frame_scalar(sums, "rows", 0);
	fit->zeros = tlv_frame_scalar(sums, "zeros", 0);
	fit->scaled = tlv_frame_scalar(sums, "scaled", 0);
	if (fit->n == 0)
		return tlv_rows_gone(ctx);
	fit->likelihood = tlv_mean_likelihood(sums, "rows");
	return TLV_OK;
}

static tlv_status
refine_directions(tlv_context *ctx, tlv_source *rows, directions_learning *fit)
{
	const tlv_statistic statistic = {.aggregate = &tlv_aggregate_statistics,
									 .constant = &fit->model.frame};
	bool to_the_end = fit->options.iterations < 0;
	int limit = to_the_end ? GMM_MOST_STEPS : fit->options.iterations;
	double before = -HUGE_VAL;

	for (int steps = 0;; steps++)
	{
		tlv_value *sums;

		TLV_TRY(tlv_collect_again(ctx, rows, "refinement", 1 + limit - steps, &statistic, &sums));
		TLV_TRY(measure(ctx, fit, &sums->frame));
		fit->stands = fit->likelihood - before < TLV_GMM_TOLERANCE * (fabs(before) + 1);
		if (steps >= limit || (to_the_end && fit->stands))
			return TLV_OK;
		before = fit->likelihood;
		TLV_TRY(tlv_refine(ctx, &fit->model, &sums->frame));
		tlv_value_drop(sums);
	}
}

/* ---- the end ---- */

static tlv_status
diagnose_criteria(tlv_context *ctx, const directions_learning *fit, size_t k, size_t d,
				  tlv_diagnostics *diagnostics)
{
	double parameters = (double) k * (double) (d + 1) - 1, likelihood = fit->likelihood;

	TLV_TRY(tlv_diagnose(ctx, diagnostics, likelihood, "mean_log_likelihood"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, parameters, "parameters"));
	TLV_TRY(
		tlv_diagnose(ctx, diagnostics, parameters * log(fit->n) - 2 * fit->n * likelihood, "bic"));
	return tlv_diagnose(ctx, diagnostics, 2 * parameters - 2 * fit->n * likelihood, "aic");
}

static tlv_status
warn_of_rows(tlv_context *ctx, const directions_learning *fit, tlv_diagnostics *diagnostics)
{
	if (fit->zeros > 0)
		TLV_TRY(
			tlv_warn(ctx, diagnostics,
					 &(tlv_warning){.code = "rows_skipped",
									.score = fit->zeros,
									.hint = "Filter these rows out, or use another covariance."},
					 fit->zeros == 1 ? "%.0f row is zero, has no direction and was skipped"
									 : "%.0f rows are zero, have no direction and were skipped",
					 (double) fit->zeros));
	if (fit->scaled > 0)
		TLV_TRY(tlv_warn(
			ctx, diagnostics,
			&(tlv_warning){.code = "rows_scaled",
						   .score = fit->scaled,
						   .hint = "Use another covariance than 'direction' if lengths matter."},
			fit->scaled == 1 ? "%.0f row does not have length 1: only its direction counts"
							 : "%.0f rows do not have length 1: only their directions count",
			(double) fit->scaled));
	return TLV_OK;
}

/*
 * The mean log-likelihood of a row under one component: its direction is that of the mean of all
 * rows, which those of the components make up where the likelihood stands.
 */
static double
single_likelihood(const tlv_directions *directions)
{
	size_t d = directions->d;
	double square = 0, length, kappa;

	for (size_t i = 0; i < d; i++)
	{
		double mean = 0;

		for (size_t j = 0; j < directions->k; j++)
			mean += directions->weights[j] * directions->means[j * d + i] *
					tlv_directions_length(d, directions->kappas[j]);
		square += mean * mean;
	}
	length = sqrt(square);
	kappa = tlv_directions_kappa(d, fmin(length, 1));
	return tlv_directions_log_norm(d, kappa) + kappa * length;
}

/*
 * What chance gains by components beyond the first, at most.  One of fewer rows than it has
 * parameters is not estimated from rows that are there for others, too, but picks its own: it is
 * charged as the Bayesian information criterion does, and FEW_ROWS more for the choice.  Of 500
 * uniform directions in 50 dimensions 5 components gain 2.9 a parameter, and up to 5.0; of 200 such
 * 10 components up to 5.5.
 */
static double
chance_gain(const directions_learning *fit, const tlv_directions *directions)
{
	double parameters = (double) directions->d + 1, k = (double) directions->k, small = 0;

	for (size_t j = 0; j < directions->k; j++)
		small += fit->n * directions->weights[j] < parameters;
	small = fmin(small, k - 1);
	return gmm_chance((k - 1 - small) * parameters) + small * parameters * (log(fit->n) + FEW_ROWS);
}

/* Is there more than chance in what the components gain over a single one? */
static tlv_status
warn_of_chance(tlv_context *ctx, const directions_learning *fit, const tlv_directions *directions,
			   tlv_diagnostics *diagnostics)
{
	double gain = fit->likelihood - single_likelihood(directions);

	if (fit->k_chosen && directions->k == 1)
		return tlv_gmm_warn_one(ctx, diagnostics);
	if (fit->k_chosen || directions->k < 2 || !fit->options.refine || !isfinite(gain))
		return TLV_OK;
	return gmm_diagnose_gain(ctx, diagnostics, fit->n, gain, chance_gain(fit, directions));
}

static tlv_status
warn_of_model(tlv_context *ctx, const directions_learning *fit, const tlv_directions *directions,
			  tlv_diagnostics *diagnostics)
{
	tlv_shown_list narrow = {0};

	for (size_t j = 0; j < directions->k; j++)
		if (directions->kappas[j] >= TLV_DIRECTIONS_MOST_KAPPA * (double) directions->d)
			tlv_shown_add_number(&narrow, j + 1);
	if (narrow.n > 0)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "variances_at_floor",
										.score = (double) narrow.n,
										.hint = "Filter equal rows out, or use a smaller k."},
						 "the concentrations of %s are at their limit: their rows are equal",
						 tlv_shown_text(&narrow, "component")));
	TLV_TRY(tlv_mixture_warn_empty(ctx, diagnostics, directions->k, directions->weights, fit->n));
	if (fit->options.refine && fit->options.iterations < 0 && !fit->stands)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit", .score = GMM_MOST_STEPS},
						 "the log-likelihood still increases after %d iterations", GMM_MOST_STEPS));
	TLV_TRY(warn_of_chance(ctx, fit, directions, diagnostics));
	if (fit->k_chosen && directions->k == most_k(fit))
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "k_at_limit", .score = (double) directions->k},
						 "k is the largest that was tried, max_k = %zu", directions->k));
	if (fit->k_chosen && fit->groups < directions->k)
		TLV_TRY(tlv_warn(
			ctx, diagnostics,
			&(tlv_warning){
				.code = "components_overlap",
				.score = (double) fit->groups,
				.hint = "Give this k to find groups; keep the components to describe the density."},
			"components overlap: ICL, which counts overlapping components as one, prefers k = %zu",
			fit->groups));
	return warn_of_rows(ctx, fit, diagnostics);
}

static tlv_status
finish(tlv_context *ctx, const tlv_source *rows, const directions_learning *fit, tlv_held *finished)
{
	const tlv_added_section counted = {"rows", TLV_FLOAT64, 1, 1, &fit->n};
	const tlv_frame *model = &fit->model.frame;
	tlv_diagnostics all = {0};
	tlv_directions directions;

	tlv_directions_read(model, &directions);
	TLV_TRY(tlv_diagnostics_copy_numbers(ctx, &all, model, NULL));
	if (fit->options.refine)
		TLV_TRY(diagnose_criteria(ctx, fit, directions.k, directions.d, &all));
	TLV_TRY(warn_of_model(ctx, fit, &directions, &all));
	TLV_TRY(tlv_diagnose(ctx, &all, fit->k_chosen, "k_chosen"));
	return tlv_source_finish(ctx, rows, model, &all, 1, &counted, finished);
}

static tlv_status
directions_learn(tlv_context *ctx, tlv_source *rows, const void *argument, tlv_held *model)
{
	const tlv_directions_learn_options *options = argument;
	directions_learning fit = {.options = *options, .k_chosen = options->k == 0};

	TLV_TRY(find_start(ctx, rows, &fit));
	if (options->refine && (!fit.stands || options->iterations >= 0))
		TLV_TRY(refine_directions(ctx, rows, &fit));
	return finish(ctx, rows, &fit, model);
}

const tlv_procedure tlv_directions_procedure = {.check = check_options, .learn = directions_learn};
