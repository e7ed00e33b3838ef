/*
 * learn.c - the whole of learning latent classes and mixed membership (membership.h): a sample of
 * the rows, k and an initial estimate from it, refinement over all rows where it did not hold them.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/support.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/tuning.h"

/* Most values and rows of a sample. */
#define SAMPLE_VALUES ((size_t) 1 << 20)
#define MOST_SAMPLE	  100000
/* What memory is expected by before it is known: categories of a variable, and components. */
#define USUAL_CATEGORIES 5
#define USUAL_K			 10

typedef struct membership_learning
{
	tlv_membership_learn_options options;
	const tlv_names *names; /* of the variables, or NULL */
	size_t k;
	tlv_held model;
	double likelihood; /* mean over the rows; NaN: not known */
	bool stands;
	bool thorough; /* passes as cheap as those over a sample: of weighted rows, of which it had all
					*/
} membership_learning;

static size_t
membership_sample_count(size_t slots)
{
	size_t count = SAMPLE_VALUES / (slots > 0 ? slots : 1);

	count = count < MEMBERSHIP_FEW_ROWS ? MEMBERSHIP_FEW_ROWS : count;
	return tlv_least(tlv_least(count, MOST_SAMPLE), TLV_DENSE_MOST_SAMPLE);
}

/* ---- the end ---- */

static double
membership_free_parameters(const tlv_membership_parts *parts)
{
	return membership_parameters((double) parts->k, (double) parts->categories, (double) parts->p,
								 (double) parts->scalars);
}

static tlv_status
membership_finish(tlv_context *ctx, const tlv_source *rows, const membership_learning *fit,
				  tlv_held *finished)
{
	static const char *const renewed[] = {"refinement_steps", "mean_log_likelihood", NULL};
	const tlv_frame *model = &fit->model.frame;
	bool mixed = fit->options.fit.mixed;
	tlv_diagnostics all = {0};
	tlv_membership_parts parts;
	tlv_added_section sections[3];
	double parameters, deviance;
	size_t n;

	tlv_membership_read(model, &parts);
	if (rows->rows.effective > 0)
		parts.rows = rows->rows.effective;
	TLV_TRY(tlv_diagnostics_copy(ctx, &all, model, renewed));
	if (isfinite(fit->likelihood))
		TLV_TRY(tlv_diagnose(ctx, &all, fit->likelihood, "mean_log_likelihood"));
	TLV_TRY(membership_diagnose_components(ctx, &parts, &all));
	parameters = membership_free_parameters(&parts);
	deviance = -2 * parts.rows * fit->likelihood;
	TLV_TRY(tlv_diagnose(ctx, &all, parts.steps, "refinement_steps"));
	TLV_TRY(tlv_diagnose(ctx, &all, parameters, "parameters"));
	if (!mixed)
	{
		TLV_TRY(tlv_diagnose(ctx, &all, parameters * log(parts.rows) + deviance, "bic"));
		TLV_TRY(tlv_diagnose(ctx, &all, 2 * parameters + deviance, "aic"));
	}
	if (!mixed && !fit->stands && fit->options.iterations < 0 && fit->options.refine == 0)
		TLV_TRY(tlv_warn(ctx, &all,
						 &(tlv_warning){.code = "iterations_at_limit", .score = parts.steps},
						 "the log-likelihood still increases at the limit of iterations"));
	n = tlv_name_categories(fit->options.categories, parts.categories, sections);
	sections[n++] = (tlv_added_section){"rows", TLV_FLOAT64, 1, 1, &parts.rows};
	return tlv_source_finish(ctx, rows, model, &all, n, sections, finished);
}

/* ---- passes over all rows ---- */

static int
pass_limit(const membership_learning *fit)
{
	if (fit->options.iterations >= 0)
		return fit->options.iterations;
	return fit->options.fit.mixed ? MIXED_PASSES
		   : fit->thorough		  ? MEMBERSHIP_CLASS_STEPS
								  : CLASS_PASSES;
}

static tlv_status
learn_refine(tlv_context *ctx, tlv_source *rows, membership_learning *fit)
{
	tlv_source_ascent ascent = {
		.source = rows,
		.model = &fit->model,
		.stage = "refinement",
		.em = {.limit = pass_limit(fit),
			   .to_the_limit = fit->options.fit.mixed || fit->options.iterations >= 0,
			   .steps_on = true,
			   .tolerance = fit->thorough ? TLV_EM_TOLERANCE : TLV_SCAN_TOLERANCE}};
	tlv_membership_parts parts;

	tlv_membership_read(&fit->model.frame, &parts);
	ascent.em.tolerance *= (double) parts.p * parts.copies + (double) parts.scalars;
	TLV_TRY(tlv_source_ascend(ctx, &ascent));
	tlv_value_drop(ascent.sums);
	fit->likelihood = ascent.em.likelihood;
	fit->stands = ascent.em.stands;
	return TLV_OK;
}

/* ---- the sample ---- */

static tlv_status
diagnose_training(tlv_context *ctx, const membership_training *training, bool chosen, bool alone,
				  tlv_diagnostics *to)
{
	double gain = training->held.mean - training->held.marginal;

	for (size_t h = 0; h <= training->k && training->basis.value[0] > 0; h++)
		TLV_TRY(tlv_diagnose(ctx, to, training->basis.value[h], "singular_value_%zu", h + 1));
	if (!training->deficient)
	{
		TLV_TRY(tlv_diagnose(ctx, to, training->residual, "residual"));
		TLV_TRY(tlv_diagnose(ctx, to, training->negative, "negative_mass"));
	}
	if (training->options.mixed)
		TLV_TRY(
			tlv_diagnose(ctx, to, membership_alpha0(&training->options, training->k), "alpha0"));
	TLV_TRY(tlv_diagnose(ctx, to, strcmp(training->start, "moments") == 0, "start_of_moments"));
	if (training->options.mixed)
		TLV_TRY(tlv_diagnose(ctx, to, strcmp(training->start, "partition") == 0,
							 "start_of_partitions"));
	TLV_TRY(tlv_diagnose(ctx, to, training->held.mean, "held_out_log_likelihood"));
	TLV_TRY(tlv_diagnose(ctx, to, training->held.marginal, "marginal_log_likelihood"));
	TLV_TRY(tlv_diagnose(ctx, to, training->held.error, "held_out_standard_error"));
	if (training->deficient && training->k > 1 && !alone)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "not_identified",
										.score = (double) training->k,
										.hint = "Use a smaller k, or give more rows or variables."},
						 "the pairs of variables do not identify k components: the initial "
						 "estimate is from clusters, and other parameters may fit as well"));
	if (!chosen && !alone && training->k > 1 && !(gain > TLV_CHANCE_ERRORS * training->held.error))
		return tlv_warn(ctx, to,
						&(tlv_warning){.code = "no_structure",
									   .score = gain,
									   .hint = "Use a smaller k, or give more rows."},
						"%s the marginal frequencies of held-out values",
						gain < 0 ? "the model predicts worse than"
								 : "the model does not predict better than");
	return TLV_OK;
}

static tlv_status
write_trained(tlv_context *ctx, const membership_learning *fit, const membership_rows *rows,
			  const membership_training *training, tlv_diagnostics *diagnostics, double seen,
			  void **image, size_t *size)
{
	const membership_numbers *numbers = &training->fit.numbers;
	tlv_membership_parts parts = {.p = rows->p - rows->scalars,
								  .categories = membership_real_categories(rows),
								  .k = training->k,
								  .rows = seen,
								  .copies = (double) rows->copies,
								  .steps = training->taken,
								  .seed = (double) fit->options.fit.seed,
								  .prior = training->prior,
								  .states = rows->states,
								  .weights = training->fit.weights,
								  .probabilities = training->fit.table,
								  .diagnostics = diagnostics};

	if (numbers->q > 0)
	{
		parts.scalars = numbers->q;
		parts.scalar_means = numbers->mean;
		parts.scalar_variances = numbers->variance;
		parts.scalar_counts = numbers->form;
	}
	return tlv_membership_write(ctx, &parts, fit->options.fit.mixed, NULL, image, size);
}

static tlv_status
require_values(tlv_context *ctx, const membership_rows *rows)
{
	for (size_t i = 0; i < rows->n * rows->slots; i++)
		if (rows->codes[i] != 0)
			return TLV_OK;
	return tlv_fail(ctx, TLV_NO_ROWS, "all values of all rows are missing");
}

/* No more components than rows may show, however many were asked for. */
static tlv_status
limit_components(tlv_context *ctx, const membership_rows *rows, size_t *k, tlv_diagnostics *to)
{
	size_t most = tlv_least(rows->categories - rows->p + 1, rows->n), asked = *k;

	if (asked <= most)
		return TLV_OK;
	*k = most;
	return tlv_warn(ctx, to,
					&(tlv_warning){.code = "fewer_components",
								   .score = (double) asked,
								   .hint = "Use a smaller k, more rows, or variables that vary."},
					"%zu components cannot be identified from %zu %s of %zu %s with %zu "
					"categories in all: the model has %zu",
					asked, rows->n, tlv_plural((double) rows->n, "row", "rows"), rows->p,
					tlv_plural((double) rows->p, "variable", "variables"), rows->categories, most);
}

/* Of rows in memory, their pairs of categories, and a decomposition. */
static double
training_memory(const tlv_membership_options *options, size_t n, size_t slots, size_t categories)
{
	double pairs = categories <= MEMBERSHIP_MANY_CATEGORIES ? pow((double) categories, 2) : 0;
	size_t k = options->k > 0 ? options->k : USUAL_K;

	return (sizeof(double) + 2 * sizeof(uint16_t)) * (double) n * (double) slots +
		   sizeof(double) * pairs + tlv_decompose_memory(k, &options->decompose);
}

/* Components of at least one row. */
static size_t
count_occupied(const membership_rows *rows, const membership_fit *fit)
{
	size_t occupied = 0;
	double sum = 0;

	for (size_t h = 0; h < fit->k; h++)
		sum += fit->weights[h];
	for (size_t h = 0; h < fit->k; h++)
		occupied += fit->weights[h] * (double) rows->n >= sum;
	return occupied;
}

static double
training_bic(const membership_rows *rows, const membership_training *training)
{
	double n = (double) rows->n;

	return membership_parameters((double) training->k, (double) membership_real_categories(rows),
								 (double) (rows->p - rows->scalars), (double) rows->scalars) *
			   log(n) -
		   2 * n * training->likelihood;
}

/* A start and refinement with k components.  Where k was chosen, by fits that had other rows and
 * starts, components that hold less than one row of this fit are not asked for again, unless that
 * loses more likelihood than BIC asks of their parameters. */
static tlv_status
train_occupied(tlv_context *ctx, membership_rows *rows, const membership_training *begun,
			   bool chosen, size_t *k, membership_training *training)
{
	membership_training fewer = *begun;

	fewer.k = fewer.options.k = *k;
	TLV_TRY(membership_train(ctx, rows, &fewer));
	for (;;)
	{
		size_t occupied = count_occupied(rows, &fewer.fit);

		*training = fewer;
		*k = training->k;
		if (!chosen || occupied == 0 || occupied == *k)
			return TLV_OK;
		fewer = *begun;
		fewer.k = fewer.options.k = occupied;
		TLV_TRY(membership_train(ctx, rows, &fewer));
		if (fewer.taken > 0 && training_bic(rows, &fewer) > training_bic(rows, training))
			return TLV_OK;
	}
}

/* Does the sample hold all rows?  Equal ones are kept once: fewer different ones than were wanted
 * are all. */
static bool
is_whole_sample(const tlv_frame *sample)
{
	return tlv_frame_scalar(sample, "seen", 0) <= tlv_frame_scalar(sample, "count", 0);
}

/* k, a start and refinement from rows in memory, to a model. */
static tlv_status
fit_sample(tlv_context *ctx, membership_learning *fit, const tlv_frame *sample, void **image,
		   size_t *size)
{
	tlv_membership_options *options = &fit->options.fit;
	membership_training training, begun = {.steps = fit->options.iterations};
	bool chosen = options->k == 0;
	tlv_diagnostics diagnostics = {0};
	membership_rows rows;
	size_t n, slots = tlv_frame_find(sample, "rows")->rows;
	bool alone;
	char shown[TLV_SHOWN_NAME];
	double *values;

	TLV_TRY(membership_check_copies(ctx, slots, options->copies));
	tlv_expect_memory(ctx, training_memory(options, tlv_frame_find(sample, "rows")->columns, slots,
										   USUAL_CATEGORIES * slots));
	TLV_TRY(tlv_row_sample_rows(ctx, sample, &n, &values));
	if (fit->options.scalars >= slots)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "a row of %zu %s has no categories", slots,
						tlv_plural((double) slots, "value", "values"));
	TLV_TRY(membership_rows_create(ctx, n, slots, options->copies, fit->options.scalars, values,
								   fit->options.states, &rows));
	tlv_free(ctx, values);
	tlv_expect_memory(ctx, training_memory(options, n, slots, rows.categories));
	TLV_TRY(membership_check_ranges(ctx, options));
	TLV_TRY(require_values(ctx, &rows));
	fit->k = options->k;
	TLV_TRY(limit_components(ctx, &rows, &fit->k, &diagnostics));
	if (fit->k == 0)
		TLV_TRY(membership_choose(ctx, &rows, options, fit->options.criterion, fit->options.max_k,
								  &diagnostics, &fit->k));
	begun.options = *options;
	begun.plain = fit->options.refine != 0 || fit->options.iterations == 0;
	TLV_TRY(train_occupied(ctx, &rows, &begun, chosen, &fit->k, &training));
	options->k = fit->k;
	fit->stands = training.stands;
	fit->likelihood = training.taken > 0 ? training.likelihood : NAN;
	alone = rows.slots == 1 && (chosen || fit->k > 1);
	TLV_TRY(diagnose_training(ctx, &training, chosen, alone, &diagnostics));
	TLV_TRY(membership_diagnose_variables(
		ctx, &rows,
		&(membership_variables){fit->names, fit->options.states, is_whole_sample(sample)},
		&diagnostics));
	TLV_TRY(membership_diagnose_repeats(ctx, &rows, &training, fit->names, &diagnostics));
	if (alone) /* copies of one variable depend on each other, too */
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "k_untested",
										.score = 1,
										.hint = "Give at least three variables."},
						 "components are identified by the dependence between variables, and %s "
						 "is the only one",
						 tlv_names_show(fit->names, 0, shown)));
	else if (chosen && fit->k == 1)
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "no_structure",
										.score = 1,
										.hint = "Collect more rows, or give k."},
						 "%s: the model has one component",
						 rows.n < MEMBERSHIP_LEAST_COMPARED
							 ? "there are too few rows to compare numbers of components"
							 : "the variables of a row do not depend on each other, judged by "
							   "held-out values"));
	return write_trained(ctx, fit, &rows, &training, &diagnostics,
						 tlv_frame_scalar(sample, "seen", 0), image, size);
}

/* *whole: the sample holds all rows. */
static tlv_status
membership_learn_sample(tlv_context *ctx, membership_learning *fit, const tlv_frame *sample,
						bool *whole)
{
	tlv_making made;

	*whole = is_whole_sample(sample);
	return TLV_MAKE(ctx, &made, &fit->model, fit_sample(ctx, fit, sample, &made.image, &made.size));
}

static tlv_status
membership_collect_sample(tlv_context *ctx, tlv_source *rows, const membership_learning *fit,
						  tlv_value **sample)
{
	const tlv_names *names = tlv_source_rows(rows)->rows.names;
	size_t slots = rows->rows.width[0];

	*sample = NULL;
	if (names != NULL && names->n == 0)
		return tlv_refuse_no_categories(ctx, &tlv_source_rows(rows)->rows);
	if (slots == 0 && names != NULL)
		slots = names->n * fit->options.fit.copies;
	return tlv_collect_first(ctx, rows, "sample",
							 1 + (fit->options.refine == 0 ? pass_limit(fit) : 0),
							 &(tlv_statistic){.aggregate = &tlv_aggregate_row_sample,
											  .count = membership_sample_count(slots),
											  .seed = TLV_CHOICE_SEED},
							 "seen", sample);
}

/* ---- the whole ---- */

static void
membership_begin(const tlv_membership_learn_options *options, membership_learning *fit)
{
	*fit = (membership_learning){.options = *options};
	if (fit->options.fit.copies == 0)
		fit->options.fit.copies = 1;
	if (fit->options.max_k == 0)
		fit->options.max_k = TLV_MEMBERSHIP_MAX_K;
}

static tlv_status
membership_learn(tlv_context *ctx, tlv_source *rows, const void *options, tlv_held *model)
{
	membership_learning fit;
	tlv_value *sample;
	bool whole;

	membership_begin(options, &fit);
	TLV_TRY(
		tlv_source_require_iterations(ctx, rows, fit.options.refine == 0, fit.options.iterations));
	fit.names = tlv_source_rows(rows)->rows.names;
	TLV_TRY(membership_collect_sample(ctx, rows, &fit, &sample));
	TLV_TRY(membership_learn_sample(ctx, &fit, &sample->frame, &whole));
	tlv_value_drop(sample);
	fit.thorough = whole && rows->rows.effective > 0;
	whole &= !fit.thorough; /* of weighted rows it has whole copies */
	if (!whole && fit.options.refine == 0 && pass_limit(&fit) > 0)
		TLV_TRY(learn_refine(ctx, rows, &fit));
	return membership_finish(ctx, rows, &fit, model);
}

/* ---- support (support.h) ---- */

static size_t
support_count(const void *fit, const tlv_frame *model)
{
	tlv_membership_parts parts;

	(void) fit;
	tlv_membership_read(model, &parts);
	return tlv_least(membership_sample_count(parts.p * (size_t) parts.copies + parts.scalars),
					 TLV_SUPPORT_ROWS);
}

static tlv_status
support_rows(tlv_context *ctx, const tlv_frame *model, const tlv_frame *sample, size_t *n,
			 tlv_row **rows, bool *complete)
{
	size_t d = tlv_frame_find(sample, "rows")->rows;
	tlv_membership_parts parts;
	int32_t *codes;
	double *x;

	tlv_membership_read(model, &parts);
	TLV_TRY(tlv_row_sample_rows(ctx, sample, n, &x));
	*complete = (double) *n >= tlv_frame_scalar(sample, "seen", 0);
	TLV_TRY_NEW(ctx, *rows, *n);
	TLV_TRY_NEW_ROWS(ctx, codes, *n, parts.scalars > 0 ? 1 : d);
	for (size_t i = 0; i < *n; i++)
	{
		if (parts.scalars > 0)
		{
			(*rows)[i] = *TLV_AS_VECTOR(d, x + i * d);
			continue;
		}
		for (size_t j = 0; j < d; j++)
			codes[i * d + j] = (int32_t) x[i * d + j];
		(*rows)[i] = *TLV_AS_CODES(d, codes + i * d);
	}
	return TLV_OK;
}

static tlv_status
support_learn(tlv_context *ctx, const void *fit, const tlv_frame *model, size_t n,
			  const tlv_row *rows, uint64_t seed, void **image, size_t *size)
{
	tlv_membership_learn_options options = *(const tlv_membership_learn_options *) fit;
	tlv_memory_source list;
	tlv_held part = {0};

	options.fit.k = tlv_model_components(model);
	options.fit.seed = seed;
	tlv_source_of_list(&list, n, rows);
	list.source.rows.width[0] = rows[0].part[0].d;
	TLV_TRY(membership_learn(ctx, &list.source, &options, &part));
	*image = part.image;
	*size = part.size;
	return TLV_OK;
}

static const tlv_support_class membership_support = {
	"component",   "spurious_component", &tlv_aggregate_row_sample,
	support_count, support_rows,		 support_learn};

static const tlv_procedure classes_procedure = {.learn = membership_learn,
												.support = &membership_support};
static const tlv_procedure mixed_procedure = {.learn = membership_learn,
											  .support = &membership_support};

const tlv_procedure *
tlv_membership_procedure(const tlv_membership_learn_options *options)
{
	return options->fit.mixed ? &mixed_procedure : &classes_procedure;
}
