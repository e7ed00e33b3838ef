/*
 * directions_plan.c - mixtures of directions as a plan (directions.h): a sample, the best start on
 * it, then steps of expectation maximisation over all rows until the likelihood stands.
 */
#include "directions.h"

#include <math.h>
#include <string.h>

#include "choose.h"
#include "wide.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/refusals.h"

/* Of the memory that is left, the part that a sample may take. */
#define SAMPLE_SHARE 6
/* The sample is as large as for so many components where k is chosen. */
#define SAMPLE_K 30
/* Twice the nats that each parameter of a component of few rows costs beyond log(n). */
#define FEW_ROWS 1.0

typedef struct directions_plan
{
	tlv_plan base;
	tlv_directions_plan_options options;
	bool k_chosen;
	size_t groups; /* by ICL, where another criterion chose */
	double n;	   /* rows with a direction; as far as it is known */
	double zeros;  /* rows without one */
	double scaled; /* rows whose length was not 1 */
	bool whole;	   /* the sample is all rows */
	tlv_held model;
	double before; /* mean log-likelihood a step ago */
	double likelihood;
	bool stands;
} directions_plan;

static size_t
most_k(const directions_plan *plan)
{
	return plan->options.max_k > 0 ? plan->options.max_k : GMM_WIDE_MOST_K;
}

/* ---- the end ---- */

static tlv_status
diagnose_criteria(tlv_context *ctx, const directions_plan *plan, size_t k, size_t d,
				  tlv_diagnostics *diagnostics)
{
	double parameters = (double) k * (double) (d + 1) - 1, likelihood = plan->likelihood;

	TLV_TRY(tlv_diagnose(ctx, diagnostics, likelihood, "mean_log_likelihood"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, parameters, "parameters"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, parameters * log(plan->n) - 2 * plan->n * likelihood,
						 "bic"));
	return tlv_diagnose(ctx, diagnostics, 2 * parameters - 2 * plan->n * likelihood, "aic");
}

static tlv_status
warn_of_rows(tlv_context *ctx, const directions_plan *plan, tlv_diagnostics *diagnostics)
{
	if (plan->zeros > 0)
		TLV_TRY(
			tlv_warn(ctx, diagnostics,
					 &(tlv_warning){.code = "rows_skipped",
									.score = plan->zeros,
									.hint = "Filter these rows out, or use another covariance."},
					 plan->zeros == 1 ? "%.0f row is zero, has no direction and was skipped"
									  : "%.0f rows are zero, have no direction and were skipped",
					 (double) plan->zeros));
	if (plan->scaled > 0)
		TLV_TRY(tlv_warn(
			ctx, diagnostics,
			&(tlv_warning){.code = "rows_scaled",
						   .score = plan->scaled,
						   .hint = "Use another covariance than 'direction' if lengths matter."},
			plan->scaled == 1 ? "%.0f row does not have length 1: only its direction counts"
							  : "%.0f rows do not have length 1: only their directions count",
			(double) plan->scaled));
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
chance_gain(const directions_plan *plan, const tlv_directions *directions)
{
	double parameters = (double) directions->d + 1, k = (double) directions->k, small = 0;

	for (size_t j = 0; j < directions->k; j++)
		small += plan->n * directions->weights[j] < parameters;
	small = fmin(small, k - 1);
	return gmm_chance((k - 1 - small) * parameters) +
		   small * parameters * (log(plan->n) + FEW_ROWS);
}

/* Is there more than chance in what the components gain over a single one? */
static tlv_status
warn_of_chance(tlv_context *ctx, const directions_plan *plan, const tlv_directions *directions,
			   tlv_diagnostics *diagnostics)
{
	double gain = plan->likelihood - single_likelihood(directions);

	if (plan->k_chosen && directions->k == 1)
		return tlv_gmm_warn_one(ctx, diagnostics);
	if (plan->k_chosen || directions->k < 2 || !plan->options.refine || !isfinite(gain))
		return TLV_OK;
	return gmm_diagnose_gain(ctx, diagnostics, plan->n, gain, chance_gain(plan, directions));
}

static tlv_status
warn_of_model(tlv_context *ctx, const directions_plan *plan, const tlv_directions *directions,
			  tlv_diagnostics *diagnostics)
{
	size_t narrow = 0;

	for (size_t j = 0; j < directions->k; j++)
		narrow += directions->kappas[j] >= TLV_DIRECTIONS_MOST_KAPPA * (double) directions->d;
	if (narrow > 0)
		TLV_TRY(tlv_warn(
			ctx, diagnostics,
			&(tlv_warning){.code = "variances_at_floor",
						   .score = (double) narrow,
						   .hint = "Filter equal rows out, or use a smaller k."},
			"the concentrations of %zu of %zu components are at their limit: their rows are equal",
			narrow, (size_t) directions->k));
	TLV_TRY(tlv_mixture_warn_empty(ctx, diagnostics, directions->k, directions->weights, plan->n));
	if (plan->options.refine && plan->options.iterations < 0 && !plan->stands)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit", .score = GMM_MOST_STEPS},
						 "the log-likelihood still increases after %d iterations", GMM_MOST_STEPS));
	TLV_TRY(warn_of_chance(ctx, plan, directions, diagnostics));
	if (plan->k_chosen && directions->k == most_k(plan))
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "k_at_limit", .score = (double) directions->k},
						 "k is the largest that was tried, max_k = %zu", directions->k));
	if (plan->k_chosen && plan->groups < directions->k)
		TLV_TRY(tlv_warn(
			ctx, diagnostics,
			&(tlv_warning){
				.code = "components_overlap",
				.score = (double) plan->groups,
				.hint = "Give this k to find groups; keep the components to describe the density."},
			"components overlap: ICL, which counts overlapping components as one, prefers k = %zu",
			plan->groups));
	return warn_of_rows(ctx, plan, diagnostics);
}

static tlv_status
finish_directions(tlv_context *ctx, directions_plan *plan)
{
	const tlv_plan_section rows = {"rows", TLV_FLOAT64, 1, 1, &plan->n};
	const tlv_frame *model = &plan->model.frame;
	tlv_diagnostics all = {0};
	tlv_directions directions;

	tlv_directions_read(model, &directions);
	TLV_TRY(tlv_diagnostics_copy_numbers(ctx, &all, model, NULL));
	if (plan->options.refine)
		TLV_TRY(diagnose_criteria(ctx, plan, directions.k, directions.d, &all));
	TLV_TRY(warn_of_model(ctx, plan, &directions, &all));
	TLV_TRY(tlv_diagnose(ctx, &all, plan->k_chosen, "k_chosen"));
	return tlv_plan_finish_with(ctx, &plan->base, model, &all, 1, &rows);
}

/* ---- refinement: a pass a step, and one more for the likelihood at the end ---- */

static tlv_status take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values,
								  tlv_pass *pass);

static int
most_steps(const directions_plan *plan)
{
	return plan->options.iterations >= 0 ? plan->options.iterations : GMM_MOST_STEPS;
}

static int
steps_done(const directions_plan *plan)
{
	return (int) tlv_frame_scalar(&plan->model.frame, "steps", 0);
}

static void
ask_statistics(directions_plan *plan, tlv_pass *pass)
{
	tlv_plan_ask(&plan->base, pass, "refinement", &tlv_aggregate_statistics, take_statistics)
		->constant = &plan->model.frame;
	pass->passes_left = 1 + most_steps(plan) - steps_done(plan);
}

static tlv_status
take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	directions_plan *plan = (directions_plan *) base;
	const tlv_frame *sums;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	sums = &values[0]->frame;
	plan->n = tlv_frame_scalar(sums, "rows", 0);
	plan->zeros = tlv_frame_scalar(sums, "zeros", 0);
	plan->scaled = tlv_frame_scalar(sums, "scaled", 0);
	if (plan->n == 0)
		return tlv_plan_rows_gone(ctx);
	plan->likelihood = tlv_plan_mean_likelihood(sums, "rows");
	plan->stands = plan->likelihood - plan->before < TLV_GMM_TOLERANCE * (fabs(plan->before) + 1);
	if (steps_done(plan) >= most_steps(plan) || (plan->options.iterations < 0 && plan->stands))
		return finish_directions(ctx, plan);
	plan->before = plan->likelihood;
	TLV_TRY(tlv_plan_refine(ctx, &plan->model, sums));
	ask_statistics(plan, pass);
	return TLV_OK;
}

/* ---- the start ---- */

/* Rows of the sample by their lengths, those of zeros left out, and their moments. */
static tlv_status
open_sample(tlv_context *ctx, directions_plan *plan, size_t d, size_t n, double *x,
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
	plan->zeros = round(zeros / (double) n * plan->n);
	plan->scaled = round(scaled / (double) n * plan->n);
	plan->n -= plan->zeros;
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
write_start(tlv_context *ctx, const directions_plan *plan, const directions_sample *sample,
			const directions_start *start, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	const tlv_directions_parts parts = {.directions = &start->directions,
										.rows = (double) sample->n,
										.seed = (double) plan->options.seed,
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
start_memory(const directions_plan *plan, size_t d, double n)
{
	double k = (double) (plan->k_chosen ? SAMPLE_K : plan->options.k), wide = (double) d;
	double p = fmin(fmin(wide, k), GMM_WIDE_MOST_DIRECTIONS), clusters = 4 * k * k;

	return sizeof(double) * (n * (wide + p / 2 + 2) + 6 * wide * wide + wide * (6 * k + 2 * p) +
							 clusters + p * p * p) +
		   (k <= GMM_WIDE_MOST_DIRECTIONS
				? tlv_decompose_memory((size_t) k, &plan->options.decompose)
				: 0);
}

static tlv_status
find_start(tlv_context *ctx, directions_plan *plan, const tlv_frame *rows, void **image,
		   size_t *size)
{
	directions_start start = {.k = plan->options.k};
	directions_sample sample;
	double *x;
	size_t n, d = tlv_frame_find(rows, "rows")->rows;

	if (d < 2)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "a direction has two numbers at least, a row has %zu", d);
		return tlv_fail_hint(ctx, "Use another covariance for single numbers.");
	}
	TLV_TRY(tlv_require_memory(
		ctx, start_memory(plan, d, fmin(plan->n, tlv_frame_scalar(rows, "count", 0))), "the fit"));
	TLV_TRY(tlv_row_sample_rows(ctx, rows, &n, &x));
	TLV_TRY(open_sample(ctx, plan, d, n, x, &sample));
	TLV_TRY(directions_find_start(ctx, &sample, &plan->options, most_k(plan), &start));
	plan->likelihood = start.log_likelihood;
	plan->groups = groups_of(&start);
	plan->stands = plan->whole && start.stands;
	return write_start(ctx, plan, &sample, &start, image, size);
}

static tlv_status
take_sample(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	directions_plan *plan = (directions_plan *) base;
	tlv_making made;
	const tlv_frame *rows;

	TLV_TRY(tlv_plan_require_rows(ctx, values[0], "seen"));
	rows = &values[0]->frame;
	plan->n = tlv_frame_scalar(rows, "seen", 0);
	if ((double) plan->options.k > plan->n)
		return tlv_refuse_few(ctx, plan->n, "rows", plan->options.k, "components");
	plan->whole = plan->n <= tlv_frame_scalar(rows, "count", 0);
	tlv_plan_make(ctx, &made);
	TLV_TRY(tlv_plan_made(ctx, &made, &plan->model,
						  find_start(ctx, plan, rows, &made.image, &made.size)));
	if (!plan->options.refine || (plan->stands && plan->options.iterations < 0))
		return finish_directions(ctx, plan);
	plan->before = -HUGE_VAL;
	ask_statistics(plan, pass);
	return TLV_OK;
}

static tlv_status
directions_begin(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	directions_plan *plan = (directions_plan *) base;
	size_t d = base->rows.width[0], most = plan->k_chosen ? SAMPLE_K : plan->options.k;
	const gmm_evidence evidence = {.n = HUGE_VAL, .d = d > 0 ? d : 1};
	double room = ((double) ctx->arena.limit - (double) ctx->arena.used) / SAMPLE_SHARE;
	tlv_statistic *sample =
		tlv_plan_ask(base, pass, "sample", &tlv_aggregate_row_sample, take_sample);

	sample->count = gmm_sample_size(&evidence, most, room);
	sample->seed = plan->options.seed;
	return TLV_OK;
}

static const tlv_plan_class directions_plan_class = {.name = "tlv_gmm", .next = directions_begin};

tlv_status
tlv_directions_plan_create(tlv_context *ctx, const tlv_directions_plan_options *options,
						   tlv_plan **result)
{
	directions_plan *plan;

	if (options->k > TLV_MIXTURE_MOST_COMPONENTS || options->max_k > TLV_MIXTURE_MOST_COMPONENTS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%s = %zu is more than %d",
						options->k > TLV_MIXTURE_MOST_COMPONENTS ? "k" : "max_k",
						options->k > TLV_MIXTURE_MOST_COMPONENTS ? options->k : options->max_k,
						TLV_MIXTURE_MOST_COMPONENTS);
	TLV_TRY_NEW0(ctx, plan, 1);
	plan->base.class = &directions_plan_class;
	plan->options = *options;
	plan->k_chosen = options->k == 0;
	*result = &plan->base;
	return TLV_OK;
}
