/*
 * plan.c - latent classes and mixed membership as a plan (membership.h): a sample of the rows, k
 * and a start from it, refinement over all rows where it did not hold them.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/support.h"

/* Values of a sample at most, and its rows at least. */
#define SAMPLE_VALUES ((size_t) 1 << 20)
#define LEAST_SAMPLE  1000
#define MOST_SAMPLE	  100000
/* What memory is expected by before it is known: categories of a variable, and components. */
#define USUAL_CATEGORIES 5
#define USUAL_K			 10
/* Rows that components are looked for anew in, at most. */
#define SUPPORT_ROWS 20000
/* Passes over rows that the sample did not hold. */
#define CLASS_PASSES 20
#define MIXED_PASSES 5
/* The likelihood of a row stands when it rises by less, for every value. */
#define TOLERANCE 1e-5

typedef struct membership_plan
{
	tlv_plan base;
	tlv_membership_plan_options options;
	size_t k;
	tlv_held model;
	int taken;		   /* passes */
	double likelihood; /* mean over the rows; NaN: not known */
	double before;
	bool stands;
} membership_plan;

static size_t
sample_count(size_t slots)
{
	size_t count = SAMPLE_VALUES / (slots > 0 ? slots : 1);

	count = count < LEAST_SAMPLE ? LEAST_SAMPLE : count;
	return tlv_least(tlv_least(count, MOST_SAMPLE), TLV_DENSE_MOST_SAMPLE);
}

/* ---- the end ---- */

static double
free_parameters(const tlv_membership_parts *parts)
{
	return membership_parameters((double) parts->k, (double) parts->categories, (double) parts->p,
								 (double) parts->scalars);
}

static tlv_status
membership_finish(tlv_context *ctx, membership_plan *plan)
{
	static const char *const renewed[] = {"refinement_steps", "mean_log_likelihood", NULL};
	const tlv_frame *model = &plan->model.frame;
	bool mixed = plan->options.fit.mixed;
	tlv_diagnostics all = {0};
	tlv_membership_parts parts;
	tlv_plan_section sections[2];
	double parameters, deviance;

	tlv_membership_read(model, &parts);
	TLV_TRY(tlv_diagnostics_copy(ctx, &all, model, renewed));
	if (isfinite(plan->likelihood))
		TLV_TRY(tlv_diagnose(ctx, &all, plan->likelihood, "mean_log_likelihood"));
	TLV_TRY(membership_diagnose_components(ctx, &parts, &all));
	parameters = free_parameters(&parts);
	deviance = -2 * parts.rows * plan->likelihood;
	TLV_TRY(tlv_diagnose(ctx, &all, parts.steps, "refinement_steps"));
	TLV_TRY(tlv_diagnose(ctx, &all, parameters, "parameters"));
	if (!mixed)
	{
		TLV_TRY(tlv_diagnose(ctx, &all, parameters * log(parts.rows) + deviance, "bic"));
		TLV_TRY(tlv_diagnose(ctx, &all, 2 * parameters + deviance, "aic"));
	}
	if (!mixed && !plan->stands && plan->options.iterations < 0 && plan->options.refine == 0)
		TLV_TRY(tlv_warn(ctx, &all,
						 &(tlv_warning){.code = "iterations_at_limit", .score = parts.steps},
						 "the likelihood still rises after so many steps"));
	return tlv_plan_finish_with(
		ctx, &plan->base, model, &all,
		tlv_plan_name_categories(plan->options.categories, parts.categories, sections), sections);
}

/* ---- passes over all rows ---- */

static int
pass_limit(const membership_plan *plan)
{
	if (plan->options.iterations >= 0)
		return plan->options.iterations;
	return plan->options.fit.mixed ? MIXED_PASSES : CLASS_PASSES;
}

static tlv_status membership_take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values,
											 tlv_pass *pass);

static void
ask_statistics(membership_plan *plan, tlv_pass *pass)
{
	tlv_plan_ask(&plan->base, pass, "refinement", &tlv_aggregate_statistics,
				 membership_take_statistics)
		->constant = &plan->model.frame;
	pass->passes_left = pass_limit(plan) - plan->taken;
}

static tlv_status
membership_take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	membership_plan *plan = (membership_plan *) base;
	double values_of_row;
	tlv_membership_parts parts;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	tlv_membership_read(&plan->model.frame, &parts);
	values_of_row = (double) parts.p * parts.copies + (double) parts.scalars;
	plan->likelihood = tlv_plan_mean_likelihood(&values[0]->frame, "rows");
	plan->stands = plan->likelihood - plan->before < TOLERANCE * values_of_row;
	plan->before = plan->likelihood;
	TLV_TRY(tlv_plan_refine(ctx, &plan->model, &values[0]->frame));
	plan->taken++;
	if (plan->taken >= pass_limit(plan) || (plan->stands && !plan->options.fit.mixed))
		return membership_finish(ctx, plan);
	ask_statistics(plan, pass);
	return TLV_OK;
}

/* ---- the sample ---- */

static tlv_status
diagnose_training(tlv_context *ctx, const membership_training *training, tlv_diagnostics *to)
{
	double gain = training->held - training->marginal;

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
	TLV_TRY(tlv_diagnose(ctx, to, training->held, "held_out_log_likelihood"));
	TLV_TRY(tlv_diagnose(ctx, to, training->marginal, "marginal_log_likelihood"));
	TLV_TRY(tlv_diagnose(ctx, to, training->held_error, "held_out_standard_error"));
	if (training->deficient && training->k > 1)
		TLV_TRY(
			tlv_warn(ctx, to,
					 &(tlv_warning){.code = "not_identified",
									.score = (double) training->k,
									.hint = "ask for a smaller k, or give more rows or variables"},
					 "the pairs of variables do not show so many components: the start is of "
					 "clusters, and parameters may be any of several"));
	if (training->k > 1 && !(gain > MEMBERSHIP_MARGIN * training->held_error))
		return tlv_warn(ctx, to,
						&(tlv_warning){.code = "no_structure",
									   .score = gain,
									   .hint = "ask for a smaller k, or give more rows"},
						"%s the marginal frequencies of held-out values",
						gain < 0 ? "the model predicts worse than"
								 : "the model does not predict better than");
	return TLV_OK;
}

static tlv_status
write_trained(tlv_context *ctx, const membership_plan *plan, const membership_rows *rows,
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
								  .seed = (double) plan->options.fit.seed,
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
		parts.scalar_counts = numbers->counts;
	}
	return tlv_membership_write(ctx, &parts, plan->options.fit.mixed, NULL, image, size);
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
								   .hint = "use a smaller k, more rows, or variables that vary"},
					"%zu components cannot be told from %zu rows of %zu variables of %zu "
					"categories in all: the model has %zu",
					asked, rows->n, rows->p, rows->categories, most);
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

/* k, a start and refinement from rows in memory, to a model. */
static tlv_status
fit_sample(tlv_context *ctx, membership_plan *plan, const tlv_frame *sample, void **image,
		   size_t *size)
{
	tlv_membership_options *options = &plan->options.fit;
	membership_training training = {.steps = plan->options.iterations};
	bool chosen = options->k == 0;
	tlv_diagnostics diagnostics = {0};
	membership_rows rows;
	size_t n, slots = tlv_frame_find(sample, "rows")->rows;
	double *values;

	if (slots % options->copies != 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu values of a row are not %zu of every variable",
						slots, options->copies);
	tlv_expect_memory(ctx, training_memory(options, tlv_frame_find(sample, "rows")->columns, slots,
										   USUAL_CATEGORIES * slots));
	TLV_TRY(tlv_row_sample_rows(ctx, sample, &n, &values));
	if (plan->options.scalars >= slots)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "a row of %zu values has no categories", slots);
	TLV_TRY(membership_rows_create(ctx, n, slots, options->copies, plan->options.scalars, values,
								   plan->options.states, &rows));
	tlv_free(ctx, values);
	tlv_expect_memory(ctx, training_memory(options, n, slots, rows.categories));
	TLV_TRY(membership_check_ranges(ctx, options));
	TLV_TRY(require_values(ctx, &rows));
	plan->k = options->k;
	TLV_TRY(limit_components(ctx, &rows, &plan->k, &diagnostics));
	if (plan->k == 0)
		TLV_TRY(membership_choose(ctx, &rows, options, plan->options.criterion, plan->options.max_k,
								  &diagnostics, &plan->k));
	options->k = training.k = plan->k;
	training.options = *options;
	training.plain = plan->options.refine != 0 || plan->options.iterations == 0;
	TLV_TRY(membership_train(ctx, &rows, &training));
	plan->stands = training.stands;
	plan->likelihood = training.taken > 0 ? training.likelihood : NAN;
	TLV_TRY(diagnose_training(ctx, &training, &diagnostics));
	TLV_TRY(membership_diagnose_variables(ctx, &rows, &diagnostics));
	if (chosen && plan->k == 1)
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "no_structure",
										.score = 1,
										.hint = "more rows may show some; or give k"},
						 "the variables of a row do not depend on each other, as far as held-out "
						 "values tell: one component stands for all"));
	return write_trained(ctx, plan, &rows, &training, &diagnostics,
						 tlv_frame_scalar(sample, "seen", 0), image, size);
}

static tlv_status
membership_take_sample(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	membership_plan *plan = (membership_plan *) base;
	const tlv_frame *sample;
	tlv_making made;
	bool whole;

	TLV_TRY(tlv_plan_require_rows(ctx, values[0], "seen"));
	sample = &values[0]->frame;
	/* Equal rows are kept once: fewer different ones than were wanted are all. */
	whole = tlv_frame_scalar(sample, "seen", 0) <= tlv_frame_scalar(sample, "count", 0);
	tlv_plan_make(ctx, &made);
	TLV_TRY(tlv_plan_made(ctx, &made, &plan->model,
						  fit_sample(ctx, plan, sample, &made.image, &made.size)));
	if (whole || plan->options.refine != 0 || pass_limit(plan) == 0)
		return membership_finish(ctx, plan);
	plan->likelihood = NAN;
	plan->before = -HUGE_VAL;
	ask_statistics(plan, pass);
	return TLV_OK;
}

static tlv_status
membership_begin(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	membership_plan *plan = (membership_plan *) base;
	tlv_statistic *statistic;
	size_t slots = base->rows.width[0];

	if (base->rows.names != NULL && base->rows.names->n == 0) /* no rows */
		return tlv_plan_require_rows(ctx, NULL, NULL);
	if (slots == 0 && base->rows.names != NULL)
		slots = base->rows.names->n * plan->options.fit.copies;
	statistic =
		tlv_plan_ask(base, pass, "sample", &tlv_aggregate_row_sample, membership_take_sample);
	statistic->count = sample_count(slots);
	statistic->seed = plan->options.fit.seed;
	pass->passes_left = 1 + (plan->options.refine == 0 ? pass_limit(plan) : 0);
	return TLV_OK;
}

/* ---- support (support.h) ---- */

static size_t
support_count(const void *fit, const tlv_frame *model)
{
	tlv_membership_parts parts;

	(void) fit;
	tlv_membership_read(model, &parts);
	return tlv_least(sample_count(parts.p * (size_t) parts.copies + parts.scalars), SUPPORT_ROWS);
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
	const tlv_plan *base = fit;
	tlv_membership_plan_options options = ((const membership_plan *) base)->options;
	tlv_plan *part;

	options.fit.k = tlv_model_components(model);
	options.fit.seed = seed;
	TLV_TRY(tlv_membership_plan_create(ctx, &options, &part));
	part->rows.form = base->rows.form;
	part->rows.width[0] = rows[0].part[0].d;
	TLV_TRY(tlv_plan_run(ctx, part, n, rows));
	*image = part->image;
	*size = part->size;
	return TLV_OK;
}

static const tlv_support_class membership_support = {
	"component",   "spurious_component", &tlv_aggregate_row_sample,
	support_count, support_rows,		 support_learn};

tlv_status
tlv_membership_plan_create(tlv_context *ctx, const tlv_membership_plan_options *options,
						   tlv_plan **created)
{
	static const tlv_plan_class classes = {
		.name = "tlv_lca", .next = membership_begin, .support = &membership_support};
	static const tlv_plan_class mixed = {
		.name = "tlv_gom", .next = membership_begin, .support = &membership_support};
	membership_plan *plan = tlv_alloc0(ctx, 1, sizeof(membership_plan));

	TLV_TRY_ALLOC(ctx, plan);
	plan->base.class = options->fit.mixed ? &mixed : &classes;
	plan->options = *options;
	if (plan->options.fit.copies == 0)
		plan->options.fit.copies = 1;
	if (plan->options.max_k == 0)
		plan->options.max_k = TLV_MEMBERSHIP_MAX_K;
	*created = &plan->base;
	return TLV_OK;
}
