/*
 * plan.c - a latent tree from rows of variables: moments, structure, for categories the tables of
 * triples where the moments had none, and refinement steps until the likelihood stands.
 */
#include <math.h>

#include "tensorlv/model/categories.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/plan.h"
#include "tensorlv/model/tree_learn.h"

/* Steps of belief-propagation EM, unless said otherwise, and when they stop before: the likelihood
 * of a row, per variable, rises by less. */
#define USUAL_STEPS 10
#define TOLERANCE	1e-5

typedef struct tree_plan
{
	tlv_plan base;
	tlv_tree_plan_options options;
	const tlv_names *categories; /* the caller's; NULL: they are codes */
	bool gaussian;
	double left_out; /* rows, since a number is missing in them */
	tlv_held model;
	int taken;	   /* steps */
	double before; /* the mean log-likelihood under the model before */
} tree_plan;

static int
tree_step_limit(const tree_plan *plan)
{
	if (plan->gaussian)
		return 0;
	return plan->options.iterations < 0 ? USUAL_STEPS : plan->options.iterations;
}

/* Of all observed variables together. */
static size_t
observed_states(const tlv_frame *model)
{
	size_t p = (size_t) tlv_frame_scalar(model, "observed", 0), sum = 0;
	const int64_t *states = tlv_frame_int64(model, "states");

	for (size_t v = 0; v < p; v++)
		sum += (size_t) states[v];
	return sum;
}

static tlv_status
tree_finish_model(tlv_context *ctx, tree_plan *plan)
{
	tlv_diagnostics diagnostics = {0};
	tlv_plan_section sections[2];
	size_t n = 0;

	if (plan->left_out > 0)
		TLV_TRY(tlv_warn(
			ctx, &diagnostics, &(tlv_warning){.code = "rows_skipped", .score = plan->left_out},
			"%.0f rows were skipped, since a number is missing in them", (double) plan->left_out));
	if (!plan->gaussian)
		n = tlv_plan_name_categories(plan->categories, observed_states(&plan->model.frame),
									 sections);
	return tlv_plan_finish(ctx, &plan->base, &plan->model.frame, &diagnostics, n, sections);
}

/* ---- refinement ---- */

static void
tree_ask_statistics(tree_plan *plan, tlv_pass *pass, const char *stage, tlv_plan_step then)
{
	tlv_plan_ask(&plan->base, pass, stage, &tlv_aggregate_statistics, then)->constant =
		&plan->model.frame;
	pass->passes_left = tree_step_limit(plan) - plan->taken;
}

static tlv_status
tree_refine(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	tree_plan *plan = (tree_plan *) base;
	double variables = tlv_frame_scalar(&plan->model.frame, "observed", 1);
	double likelihood, growth;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	likelihood = tlv_plan_mean_likelihood(&values[0]->frame, "rows");
	growth = likelihood - plan->before;
	plan->before = likelihood;
	plan->taken++;
	TLV_TRY(tlv_plan_refine(ctx, &plan->model, &values[0]->frame));
	if (plan->taken >= tree_step_limit(plan) ||
		(plan->options.iterations < 0 && growth < TOLERANCE * variables))
		return tree_finish_model(ctx, plan);
	tree_ask_statistics(plan, pass, "belief propagation", tree_refine);
	return TLV_OK;
}

static tlv_status
begin_steps(tlv_context *ctx, tree_plan *plan, tlv_pass *pass)
{
	if (tree_step_limit(plan) == 0)
		return tree_finish_model(ctx, plan);
	tree_ask_statistics(plan, pass, "belief propagation", tree_refine);
	return TLV_OK;
}

/* The parameters of a tree whose moments held no triples. */
static tlv_status
complete_triples(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	tree_plan *plan = (tree_plan *) base;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	TLV_TRY(tlv_plan_refine(ctx, &plan->model, &values[0]->frame));
	return begin_steps(ctx, plan, pass);
}

/* ---- moments and fit ---- */

static tlv_status
refuse_partial_rows(tlv_context *ctx, double rows)
{
	tlv_fail(ctx, TLV_BAD_DATA, "in every one of the %.0f rows a number is missing", rows);
	return tlv_fail_hint(ctx, "Leave out the variables that are rarely known.");
}

static tlv_status
tree_plan_fit(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	tree_plan *plan = (tree_plan *) base;
	tlv_making made;

	plan->left_out = plan->gaussian ? base->rows.left_out : 0;
	if (values[0] == NULL && plan->left_out > 0)
		return refuse_partial_rows(ctx, plan->left_out);
	TLV_TRY(tlv_plan_require_rows(ctx, values[0], "rows"));
	tlv_plan_make(ctx, &made);
	TLV_TRY(tlv_plan_made(
		ctx, &made, &plan->model,
		tlv_tree_learn(ctx, &values[0]->frame, &plan->options.learn, &made.image, &made.size)));
	tlv_value_drop(values[0]);
	values[0] = NULL;
	if (plan->gaussian)
		return tree_finish_model(ctx, plan);
	if (tlv_frame_find(&plan->model.frame, "tables") != NULL)
		return begin_steps(ctx, plan, pass);
	tree_ask_statistics(plan, pass, "triples", complete_triples);
	pass->passes_left++;
	return TLV_OK;
}

/* The names that the rows' reader has found, as those of the model. */
static tlv_status
take_names(tlv_context *ctx, tree_plan *plan)
{
	const tlv_names *names = plan->base.rows.names;
	char *lines;

	if (plan->options.learn.distance.groups > 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "groups are of the elements of arrays");
		return tlv_fail_hint(ctx, "Let the query return one array for each row.");
	}
	if (names->n > TLV_CATEGORY_MOST_VARIABLES)
		return tlv_fail(ctx, TLV_LIMIT, "the query returns %zu variables, more than %d", names->n,
						TLV_CATEGORY_MOST_VARIABLES);
	TLV_TRY(tlv_tree_join_names(ctx, names, &lines, &plan->options.learn.fit.names_length));
	plan->options.learn.fit.names = lines;
	return TLV_OK;
}

/*
 * There is no covariance of what is missing: of numbers, whole rows only.  Replicates of categories
 * are drawn row by row, those of numbers from the moments.
 */
static tlv_status
ask_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	tree_plan *plan = (tree_plan *) base;
	tlv_statistic *statistic;

	plan->gaussian = base->rows.form == TLV_ROW_VECTOR;
	if (base->rows.names != NULL && base->rows.names->n == 0) /* no rows */
		return tlv_plan_require_rows(ctx, NULL, NULL);
	if (base->rows.names != NULL)
		TLV_TRY(take_names(ctx, plan));
	if (plan->gaussian)
	{
		statistic =
			tlv_plan_ask(base, pass, "moments", &tlv_aggregate_dense_moments, tree_plan_fit);
		statistic->order = 2;
		pass->complete = true;
		plan->options.learn.replicates = plan->options.replicates;
	}
	else
	{
		statistic =
			tlv_plan_ask(base, pass, "moments", &tlv_aggregate_category_moments, tree_plan_fit);
		statistic->count = plan->options.replicates;
		statistic->seed = statistic->count > 0 ? plan->options.learn.fit.seed : 0;
		pass->settled = statistic->count > 0; /* a row's weights follow from the rows before it */
	}
	pass->passes_left = plan->gaussian ? 1 : 2 + tree_step_limit(plan);
	return TLV_OK;
}

static const tlv_plan_class tree_plan_class = {.name = "tlv_tree", .next = ask_moments};

tlv_status
tlv_tree_plan_create(tlv_context *ctx, const tlv_tree_plan_options *options, tlv_plan **created)
{
	tree_plan *plan = tlv_alloc0(ctx, 1, sizeof(tree_plan));

	TLV_TRY_ALLOC(ctx, plan);
	plan->base.class = &tree_plan_class;
	plan->options = *options;
	plan->categories = options->learn.fit.categories;
	plan->options.learn.fit.categories = NULL;
	plan->options.learn.fit.iterations =
		options->iterations < 0 ? TLV_TREE_GAUSSIAN_STEPS : options->iterations;
	plan->before = -HUGE_VAL;
	*created = &plan->base;
	return TLV_OK;
}
