/*
 * learn.c - the whole of learning dictionaries (coding.h): a sample of the rows, starts and steps
 * over it (atoms.c), then steps over all rows where there are more.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"

/* ---- starts from independent components ---- */

/*
 * Complete dictionaries are independent components: whitening, then symmetric
 * fixed-point steps of the fourth cumulant (Hyvarinen 1999), over rows in memory.
 */

/* Rows in the k leading directions of their second moments, of variance 1 (k x n), and what takes
 * these back (d x k). */
static tlv_status
whiten(tlv_context *ctx, const tlv_coding_learner *learner, double *white, double *back)
{
	size_t d = learner->d, k = learner->k;
	double *moments, *values;

	TLV_TRY_NEW_ROWS(ctx, moments, d, d + 1);
	values = moments + d * d;
	TLV_TRY(tlv_syrk(ctx, false, d, learner->n, 1 / (double) learner->n, learner->rows, d, 0,
					 moments, d, true));
	TLV_TRY(tlv_eigen_symmetric(ctx, d, moments, values));
	if (!(values[k - 1] > TLV_DEPENDENT * values[0]))
	{
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the rows span fewer than %zu %s", k,
				 tlv_plural((double) k, "dimension", "dimensions"));
		return tlv_fail_hint(ctx, "Use fewer atoms, or method => 'mod'.");
	}
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			back[i + j * d] = moments[i + j * d] / sqrt(values[j]);
	TLV_TRY(
		tlv_gemm(ctx, true, false, k, learner->n, d, 1, back, d, learner->rows, d, 0, white, k));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			back[i + j * d] *= values[j];
	tlv_free(ctx, moments);
	return TLV_OK;
}

/* y <- y^3 */
TLV_CLONES static void
cube(size_t n, double *y)
{
	for (size_t i = 0; i < n; i++)
		y[i] *= y[i] * y[i];
}

/* Next = polar(E[z (z'v)^3] - 3 v), all columns at once; how far they turned. */
static tlv_status
fixed_point(tlv_context *ctx, const tlv_coding_learner *learner, const double *white,
			double *outputs, double *vectors, double *next, double *turned)
{
	size_t k = learner->k, n = learner->n;

	TLV_TRY(tlv_gemm(ctx, true, false, k, n, k, 1, vectors, k, white, k, 0, outputs, k));
	cube(k * n, outputs);
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, n, 1 / (double) n, white, k, outputs, k, 0, next, k));
	for (size_t i = 0; i < k * k; i++)
		next[i] -= 3 * vectors[i];
	TLV_TRY(tlv_polar(ctx, k, next));
	*turned = 0;
	for (size_t j = 0; j < k; j++)
	{
		double cosine = 0;

		for (size_t i = 0; i < k; i++)
			cosine += next[i + j * k] * vectors[i + j * k];
		*turned = fmax(*turned, 1 - fabs(cosine));
	}
	memcpy(vectors, next, k * k * sizeof(double));
	return TLV_OK;
}

static tlv_status
coding_start_ica(tlv_context *ctx, tlv_coding_learner *learner)
{
	const double tolerance = 1e-7;
	const int most_steps = 200;
	size_t k = learner->k, d = learner->d, n = learner->n;
	double *white, *back, *vectors, *next, turned = 1;

	TLV_TRY(tlv_require_memory(ctx,
							   16.0 * (double) n * (double) k + 8.0 * (double) (d * (d + k + 1)),
							   "independent components of the sample"));
	TLV_TRY_NEW_ROWS(ctx, white, 2 * k, n);
	TLV_TRY_NEW_ROWS(ctx, back, d, k);
	TLV_TRY_NEW_ROWS(ctx, vectors, 2 * k, k);
	next = vectors + k * k;
	TLV_TRY(whiten(ctx, learner, white, back));
	TLV_TRY(tlv_fill_normal(ctx, &learner->rng, k * k, vectors));
	TLV_TRY(tlv_polar(ctx, k, vectors));
	for (int step = 0; step < most_steps && turned > tolerance; step++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(fixed_point(ctx, learner, white, white + k * n, vectors, next, &turned));
	}
	TLV_TRY(tlv_gemm(ctx, false, false, d, k, k, 1, back, d, vectors, k, 0, learner->atoms, d));
	for (size_t j = 0; j < k; j++)
	{
		double length = 0;

		for (size_t i = 0; i < d; i++)
			length += learner->atoms[i + j * d] * learner->atoms[i + j * d];
		for (size_t i = 0; i < d; i++)
			learner->atoms[i + j * d] /= sqrt(length);
	}
	tlv_free(ctx, vectors);
	tlv_free(ctx, back);
	tlv_free(ctx, white);
	return TLV_OK;
}

/* Steps over all rows, and when the error stands. */
#define MOST_PASSES		 20
#define CODING_TOLERANCE 1e-3
#define CODING_STARTS	 3

typedef struct dictionary_learning
{
	tlv_coding_options options;
	bool refine;
	size_t found; /* atoms that the graph shows */
	int passes;	  /* steps over all rows */
	bool settled; /* the error stands */
	tlv_held model;
} dictionary_learning;

/* ---- options ---- */

static tlv_status
check_options(tlv_context *ctx, const void *argument)
{
	const tlv_coding_options *o = argument;
	const char *refine = o->refine == NULL ? "auto" : o->refine;

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
	if (strcmp(refine, "none") == 0 || strcmp(refine, "auto") == 0 || strcmp(refine, "mod") == 0)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", refine);
	return tlv_fail_hint(ctx, "Use 'auto', 'mod' or 'none'.");
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
		tlv_fail(ctx, TLV_BAD_PARAMETER, "sparsity = %zu exceeds the %zu %s of a row",
				 options->sparsity, d, tlv_plural((double) d, "number", "numbers"));
		return tlv_fail_hint(
			ctx, "Use a smaller sparsity: this number of atoms represents any row exactly.");
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

/* ---- the sample ---- */

static tlv_status
collect_sample(tlv_context *ctx, tlv_source *rows, const dictionary_learning *fit,
			   tlv_value **sample)
{
	/* Size of the sample: rows for each atom, and bounds on the rows and the bytes of the sample.
	 */
	const double rows_per_atom = 50.0, least_rows = 20000.0, most_bytes = 2.5e8;
	double width = rows->rows.width[0] > 0 ? (double) rows->rows.width[0] : 256;
	double room = fmin(most_bytes, ((double) ctx->arena.limit - (double) ctx->arena.used) / 4);
	double count = fmax(least_rows, rows_per_atom * (double) fit->options.atoms);

	return tlv_collect_first(
		ctx, rows, "sample", fit->refine && fit->options.iterations != 0 ? 0 : 1,
		&(tlv_statistic){.aggregate = &tlv_aggregate_row_sample,
						 .count = (size_t) fmax(1, fmin(count, room / (8 * width))),
						 .seed = fit->options.seed},
		"seen", sample);
}

static tlv_status
start(tlv_context *ctx, dictionary_learning *fit, tlv_coding_learner *learner)
{
	switch (fit->options.method)
	{
		case TLV_CODING_GRAPH:
			return tlv_coding_start_graph(ctx, learner, &fit->options, &fit->found);
		case TLV_CODING_ICA:
			return coding_start_ica(ctx, learner);
		default:
			return tlv_coding_start_rows(ctx, learner, 0);
	}
}

/* The best of the starts: its atoms, and the sums under them. */
static tlv_status
learn_atoms(tlv_context *ctx, dictionary_learning *fit, tlv_coding_learner *learner)
{
	int starts = fit->options.restarts > 0 ? fit->options.restarts : CODING_STARTS, steps = 0;
	size_t size = learner->d * learner->k;
	double best = INFINITY, *atoms;

	TLV_TRY_NEW(ctx, atoms, size);
	for (int i = 0; i < starts; i++)
	{
		learner->steps = 0;
		TLV_TRY(start(ctx, fit, learner));
		if (fit->refine && fit->options.iterations != 0)
			TLV_TRY(tlv_coding_learn(ctx, learner, fit->options.iterations));
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
model_of(tlv_context *ctx, const dictionary_learning *fit, tlv_coding_learner *learner,
		 void **image, size_t *size)
{
	const tlv_code_sums *sums = &learner->sums;
	tlv_diagnostics diagnostics = {0};
	tlv_coding_parts parts = {.d = learner->d,
							  .k = learner->k,
							  .rows = sums->rows,
							  .seed = (double) fit->options.seed,
							  .sparsity = (double) fit->options.sparsity,
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
learn_model(tlv_context *ctx, dictionary_learning *fit, const tlv_frame *sample, bool *whole,
			void **image, size_t *size)
{
	size_t d = tlv_frame_find(sample, "rows")->rows, n;
	tlv_coding_learner learner;
	double *rows;

	TLV_TRY(tlv_row_sample_rows(ctx, sample, &n, &rows));
	*whole = (double) n >= tlv_frame_scalar(sample, "seen", 0);
	TLV_TRY(tlv_coding_learner_create(ctx, &fit->options, d, n, rows, &learner));
	TLV_TRY(learn_atoms(ctx, fit, &learner));
	return model_of(ctx, fit, &learner, image, size);
}

/* *whole: the sample is all rows. */
static tlv_status
learn_from_sample(tlv_context *ctx, tlv_source *rows, dictionary_learning *fit, bool *whole)
{
	tlv_value *sample;
	tlv_making made;

	TLV_TRY(collect_sample(ctx, rows, fit, &sample));
	TLV_TRY(check_width(ctx, &fit->options, tlv_frame_find(&sample->frame, "rows")->rows));
	TLV_TRY(TLV_MAKE(ctx, &made, &fit->model,
					 learn_model(ctx, fit, &sample->frame, whole, &made.image, &made.size)));
	tlv_value_drop(sample);
	return TLV_OK;
}

/* ---- steps over all rows ---- */

static tlv_status
refine_over_rows(tlv_context *ctx, tlv_source *rows, dictionary_learning *fit)
{
	const tlv_statistic statistic = {.aggregate = &tlv_aggregate_statistics,
									 .constant = &fit->model.frame};
	bool to_the_end = fit->options.iterations < 0;
	int limit = to_the_end ? MOST_PASSES : fit->options.iterations;
	double before = INFINITY;

	while (fit->passes < limit && !(to_the_end && fit->settled))
	{
		tlv_value *sums;
		double error; /* of the model before this step */

		TLV_TRY(tlv_collect_again(ctx, rows, "refinement", limit - fit->passes, &statistic, &sums));
		TLV_TRY(tlv_refine(ctx, &fit->model, &sums->frame));
		tlv_value_drop(sums);
		fit->passes++;
		error = tlv_frame_scalar(&fit->model.frame, "error", 0);
		fit->settled = fit->passes > 1 && !(error < before * (1 - CODING_TOLERANCE));
		before = error;
	}
	return TLV_OK;
}

/* ---- the end ---- */

static tlv_status
finish(tlv_context *ctx, const tlv_source *rows, const dictionary_learning *fit, tlv_held *finished)
{
	const tlv_frame *model = &fit->model.frame;
	tlv_diagnostics diagnostics = {0};

	if (fit->passes > 0 && fit->options.iterations < 0 && !fit->settled)
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = tlv_frame_scalar(model, "error", 0),
										.hint = "Increase iterations."},
						 "the error still decreases after %d %s of refinement", fit->passes,
						 tlv_plural((double) fit->passes, "pass", "passes")));
	if (fit->options.method == TLV_CODING_GRAPH && fit->found < fit->options.atoms)
		TLV_TRY(tlv_warn(
			ctx, &diagnostics,
			&(tlv_warning){
				.code = "not_identified",
				.score = (double) fit->found,
				.hint = "Scale the rows so that coefficients are near 1, or use method => 'mod'."},
			"the graph of rows shows %zu %s; the other %zu are initialised from rows", fit->found,
			tlv_plural((double) fit->found, "atom", "atoms"), fit->options.atoms - fit->found));
	return tlv_source_finish_after(ctx, rows, model, &diagnostics, finished);
}

static tlv_status
dictionary_learn(tlv_context *ctx, tlv_source *rows, const void *argument, tlv_held *model)
{
	const tlv_coding_options *options = argument;
	dictionary_learning fit = {.options = *options};
	bool whole = false;

	fit.refine = options->refine == NULL || strcmp(options->refine, "none") != 0;
	TLV_TRY(learn_from_sample(ctx, rows, &fit, &whole));
	if (fit.refine && !whole)
		TLV_TRY(refine_over_rows(ctx, rows, &fit));
	return finish(ctx, rows, &fit, model);
}

const tlv_procedure tlv_coding_procedure = {.check = check_options, .learn = dictionary_learn};
