/*
 * plan.c - dictionaries as a plan (coding.h): a sample of the rows, starts and steps over it,
 * then steps over all rows where there are more.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/kind.h"

/* Rows of the sample: so many for every atom, within these bounds and so many bytes. */
#define ROWS_PER_ATOM 50.0
#define LEAST_ROWS	  20000.0
#define MOST_BYTES	  2.5e8
/* Steps over all rows, and when the error stands. */
#define MOST_PASSES 20
#define TOLERANCE	1e-3
#define STARTS		3

typedef struct dictionary_plan
{
	tlv_plan base;
	tlv_coding_options options;
	bool refine;
	int passes; /* steps over all rows */
	double error;
	bool settled;
	size_t found; /* by the graph */
	tlv_held model;
} dictionary_plan;

static dictionary_plan *
dictionary_plan_of(tlv_plan *plan)
{
	return (dictionary_plan *) plan;
}

/* ---- the end ---- */

static tlv_status
dictionary_finish(tlv_context *ctx, dictionary_plan *plan)
{
	tlv_diagnostics diagnostics = {0};

	if (plan->passes > 0 && plan->options.iterations < 0 && !plan->settled)
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = tlv_frame_scalar(&plan->model.frame, "error", 0),
										.hint = "Increase iterations."},
						 "the error still decreases after %d passes of refinement", plan->passes));
	if (plan->options.method == TLV_CODING_GRAPH && plan->found < plan->options.atoms)
		TLV_TRY(tlv_warn(
			ctx, &diagnostics,
			&(tlv_warning){
				.code = "not_identified",
				.score = (double) plan->found,
				.hint = "Scale the rows so that coefficients are near 1, or use method => 'mod'."},
			"the graph of rows shows %zu atoms; the other %zu are initialised from rows",
			plan->found, plan->options.atoms - plan->found));
	return tlv_plan_finish(ctx, &plan->base, &plan->model.frame, &diagnostics, 0, NULL);
}

/* ---- steps over all rows ---- */

static tlv_status take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values,
								  tlv_pass *pass);

static tlv_status
refine_or_finish(tlv_context *ctx, dictionary_plan *plan, tlv_pass *pass)
{
	int limit = plan->options.iterations >= 0 ? plan->options.iterations : MOST_PASSES;

	if (!plan->refine || plan->passes >= limit)
		return dictionary_finish(ctx, plan);
	tlv_plan_ask(&plan->base, pass, "refinement", &tlv_aggregate_statistics, take_statistics)
		->constant = &plan->model.frame;
	pass->passes_left = limit - plan->passes;
	return TLV_OK;
}

static tlv_status
take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	dictionary_plan *plan = dictionary_plan_of(base);
	double error;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	TLV_TRY(tlv_plan_refine(ctx, &plan->model, &values[0]->frame));
	plan->passes++;
	error = tlv_frame_scalar(&plan->model.frame, "error", 0); /* of the model before this step */
	plan->settled = plan->passes > 1 && !(error < plan->error * (1 - TOLERANCE));
	plan->error = error;
	if (plan->options.iterations < 0 && plan->settled)
		return dictionary_finish(ctx, plan);
	return refine_or_finish(ctx, plan, pass);
}

/* ---- the sample ---- */

static tlv_status
start(tlv_context *ctx, dictionary_plan *plan, tlv_coding_learner *learner)
{
	switch (plan->options.method)
	{
		case TLV_CODING_GRAPH:
			return tlv_coding_start_graph(ctx, learner, &plan->options, &plan->found);
		case TLV_CODING_ICA:
			return tlv_coding_start_ica(ctx, learner);
		default:
			return tlv_coding_start_rows(ctx, learner, 0);
	}
}

/* The best of the starts: its atoms, and the sums under them. */
static tlv_status
learn(tlv_context *ctx, dictionary_plan *plan, tlv_coding_learner *learner)
{
	int starts = plan->options.restarts > 0 ? plan->options.restarts : STARTS, steps = 0;
	size_t size = learner->d * learner->k;
	double best = INFINITY, *atoms;

	TLV_TRY_NEW(ctx, atoms, size);
	for (int i = 0; i < starts; i++)
	{
		learner->steps = 0;
		TLV_TRY(start(ctx, plan, learner));
		if (plan->refine && plan->options.iterations != 0)
			TLV_TRY(tlv_coding_learn(ctx, learner, plan->options.iterations));
		else
			TLV_TRY(tlv_coding_code_all(ctx, learner));
		if (i > 0 && !(learner->sums.error < best))
			continue;
		best = learner->sums.error;
		steps = learner->steps;
		memcpy(atoms, learner->atoms, size * sizeof(double));
	}
	memcpy(learner->atoms, atoms, size * sizeof(double));
	learner->steps = steps;
	tlv_free(ctx, atoms);
	return tlv_coding_code_all(ctx, learner);
}

/* The model of what was learnt. */
static tlv_status
model_of(tlv_context *ctx, const dictionary_plan *plan, tlv_coding_learner *learner, void **image,
		 size_t *size)
{
	const tlv_code_sums *sums = &learner->sums;
	tlv_diagnostics diagnostics = {0};
	tlv_coding_parts parts = {.d = learner->d,
							  .k = learner->k,
							  .rows = sums->rows,
							  .seed = (double) plan->options.seed,
							  .sparsity = (double) plan->options.sparsity,
							  .steps = learner->steps,
							  .atoms = learner->atoms,
							  .uses = sums->uses,
							  .codes = sums->codes,
							  .diagnostics = &diagnostics};

	parts.error = sums->energy > 0 ? sums->error / sums->energy : 0;
	for (size_t j = 0; j < learner->k; j++)
		sums->uses[j] /= sums->rows;
	for (size_t i = 0; i < learner->k * learner->k; i++)
		sums->codes[i] /= sums->rows;
	TLV_TRY(tlv_coding_order(ctx, &parts, NULL));
	TLV_TRY(tlv_coding_diagnose(ctx, &parts));
	TLV_TRY(tlv_coding_write(ctx, &parts, image, size));
	tlv_diagnostics_free(ctx, &diagnostics);
	return TLV_OK;
}

static tlv_status
learn_model(tlv_context *ctx, dictionary_plan *plan, const tlv_frame *sample, bool *whole,
			void **image, size_t *size)
{
	size_t d = tlv_frame_find(sample, "rows")->rows, n;
	tlv_coding_learner learner;
	double *rows;

	TLV_TRY(tlv_row_sample_rows(ctx, sample, &n, &rows));
	*whole = (double) n >= tlv_frame_scalar(sample, "seen", 0);
	TLV_TRY(tlv_coding_learner_create(ctx, &plan->options, d, n, rows, &learner));
	TLV_TRY(learn(ctx, plan, &learner));
	return model_of(ctx, plan, &learner, image, size);
}

/* What the options ask of rows of d numbers. */
static tlv_status
check_width(tlv_context *ctx, const tlv_coding_options *options, size_t d)
{
	if (d > TLV_CODING_MOST_DIMENSIONS)
	{
		tlv_fail(ctx, TLV_LIMIT, "rows of %zu numbers are too wide for a dictionary", d);
		return tlv_fail_hint(ctx, "At most %d can be taken.", TLV_CODING_MOST_DIMENSIONS);
	}
	if (options->sparsity > d)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "sparsity = %zu exceeds the %zu numbers of a row",
				 options->sparsity, d);
		return tlv_fail_hint(ctx, "Use a smaller sparsity: so many atoms would represent any row.");
	}
	if (options->method == TLV_CODING_ICA && options->atoms > d)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "independent components are no more than the %zu numbers of a row, not %zu", d,
				 options->atoms);
		return tlv_fail_hint(ctx, "Use method => 'mod' for more atoms than dimensions.");
	}
	return TLV_OK;
}

static tlv_status
take_sample(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	dictionary_plan *plan = dictionary_plan_of(base);
	tlv_making made;
	bool whole = false;

	TLV_TRY(tlv_plan_require_rows(ctx, values[0], "seen"));
	TLV_TRY(check_width(ctx, &plan->options, tlv_frame_find(&values[0]->frame, "rows")->rows));
	tlv_plan_make(ctx, &made);
	TLV_TRY(
		tlv_plan_made(ctx, &made, &plan->model,
					  learn_model(ctx, plan, &values[0]->frame, &whole, &made.image, &made.size)));
	return whole ? dictionary_finish(ctx, plan) : refine_or_finish(ctx, plan, pass);
}

static tlv_status
dictionary_begin(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	dictionary_plan *plan = dictionary_plan_of(base);
	double width = base->rows.width[0] > 0 ? (double) base->rows.width[0] : 256;
	double room = fmin(MOST_BYTES, ((double) ctx->arena.limit - (double) ctx->arena.used) / 4);
	double count = fmax(LEAST_ROWS, ROWS_PER_ATOM * (double) plan->options.atoms);
	tlv_statistic *sample =
		tlv_plan_ask(base, pass, "sample", &tlv_aggregate_row_sample, take_sample);

	sample->count = (size_t) fmax(1, fmin(count, room / (8 * width)));
	sample->seed = plan->options.seed;
	pass->passes_left = plan->refine && plan->options.iterations != 0 ? 0 : 1;
	return TLV_OK;
}

/* ---- options ---- */

static tlv_status
check_options(tlv_context *ctx, const tlv_coding_options *o)
{
	if (o->atoms == 0 || o->atoms > TLV_CODING_MOST_ATOMS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "atoms = %zu is not between 1 and %d", o->atoms,
						TLV_CODING_MOST_ATOMS);
	if (o->sparsity == 0 || o->sparsity > TLV_CODING_MOST_SPARSITY || o->sparsity > o->atoms)
		return tlv_fail(
			ctx, TLV_BAD_PARAMETER, "sparsity = %zu is not between 1 and %zu", o->sparsity,
			o->atoms < TLV_CODING_MOST_SPARSITY ? o->atoms : (size_t) TLV_CODING_MOST_SPARSITY);
	if (isnan(o->threshold))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "threshold = NaN is not a number above 0");
	if (!(o->threshold > 0) || isinf(o->threshold))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "threshold = %g is not a number above 0",
						o->threshold);
	if (!(o->common > 0 && o->common <= 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "f = %g is not above 0 and at most 1", o->common);
	return TLV_OK;
}

tlv_status
tlv_coding_plan_create(tlv_context *ctx, const tlv_coding_options *options, tlv_plan **plan)
{
	static const tlv_plan_class class = {.name = "tlv_dictionary", .next = dictionary_begin};
	const char *refine = options->refine == NULL ? "auto" : options->refine;
	dictionary_plan *new = tlv_alloc0(ctx, 1, sizeof(dictionary_plan));

	TLV_TRY_ALLOC(ctx, new);
	TLV_TRY(check_options(ctx, options));
	new->base.class = &class;
	new->options = *options;
	new->refine = strcmp(refine, "none") != 0;
	new->error = INFINITY;
	if (new->refine && strcmp(refine, "auto") != 0 && strcmp(refine, "mod") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", refine);
		return tlv_fail_hint(ctx, "Use 'auto', 'mod' or 'none'.");
	}
	*plan = &new->base;
	return TLV_OK;
}
