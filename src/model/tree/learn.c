/*
 * learn.c - the whole of learning a latent tree from rows of variables (tree_learn.h): moments,
 * structure, for categories the tables of triples where the moments had none, and EM iterations
 * until the log-likelihood converges.
 */
#include "tuning.h"
#include <math.h>

#include "tensorlv/model/categories.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/tree_learn.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/tuning.h"

typedef struct tree_learning
{
	tlv_tree_procedure_options options;
	const tlv_names *categories; /* the caller's; NULL: they are codes */
	bool gaussian;
	double left_out;		/* rows, since a number is missing in them */
	tlv_diagnostics warned; /* of variables that identify rows */
	tlv_held model;
} tree_learning;

static int
tree_step_limit(const tree_learning *fit)
{
	if (fit->gaussian)
		return 0;
	return fit->options.iterations < 0 ? USUAL_STEPS : fit->options.iterations;
}

/* ---- what is asked for ---- */

/* The names that the rows' reader has found, as those of the model. */
static tlv_status
take_names(tlv_context *ctx, const tlv_names *names, tlv_tree_learn_options *learn)
{
	char *lines;

	if (learn->distance.groups > 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "groups are of the elements of arrays");
		return tlv_fail_hint(ctx, "Let the query return one array for each row.");
	}
	if (names->n > TLV_CATEGORY_MOST_VARIABLES)
		return tlv_fail(ctx, TLV_LIMIT, "the query returns %zu variables, more than %d", names->n,
						TLV_CATEGORY_MOST_VARIABLES);
	TLV_TRY(tlv_tree_join_names(ctx, names, &lines, &learn->fit.names_length));
	learn->fit.names = lines;
	return TLV_OK;
}

static tlv_status
tree_begin(tlv_context *ctx, const tlv_source *rows, const tlv_tree_procedure_options *options,
		   tree_learning *fit)
{
	const tlv_names *names = rows->rows.names;

	*fit = (tree_learning){.options = *options,
						   .categories = options->learn.fit.categories,
						   .gaussian = rows->rows.form == TLV_ROW_VECTOR};
	fit->options.learn.fit.categories = NULL;
	fit->options.learn.fit.iterations =
		options->iterations < 0 ? TLV_TREE_GAUSSIAN_STEPS : options->iterations;
	if (names == NULL)
		return TLV_OK;
	if (names->n == 0)
		return tlv_refuse_no_categories(ctx, &rows->rows);
	return take_names(ctx, names, &fit->options.learn);
}

/* ---- moments and fit ---- */

/* There is no covariance of what is missing: moments of complete rows, as those with weights are.
 * Replicates of them are drawn from the moments, not here. */
static tlv_status
collect_numbers(tlv_context *ctx, tlv_source *rows, tree_learning *fit, tlv_value **moments)
{
	tlv_source complete;

	tlv_source_complete(&complete, rows);
	fit->options.learn.replicates = fit->options.replicates;
	TLV_TRY(tlv_collect(ctx, rows->held != NULL ? rows : &complete, "moments", 1, 1,
						&(tlv_statistic){.aggregate = &tlv_aggregate_dense_moments, .order = 2},
						moments));
	fit->left_out = tlv_source_rows(rows)->rows.left_out;
	if (*moments == NULL && fit->left_out > 0)
		return tlv_refuse_partial_rows(ctx, fit->left_out);
	return tlv_require_rows(ctx, *moments, "rows");
}

/* Rows of categories are dealt to the parts of the bootstrap by their number; those with weights
 * are in order. */
static tlv_status
collect_categories(tlv_context *ctx, tlv_source *rows, const tree_learning *fit,
				   tlv_value **moments)
{
	size_t replicates = fit->options.replicates;
	tlv_statistic statistic = {.aggregate = &tlv_aggregate_category_moments, .count = replicates};
	tlv_source ordered;

	tlv_source_ordered(&ordered, rows);
	if (replicates > 0)
		statistic.seed = fit->options.learn.fit.seed;
	return tlv_collect_first(ctx, replicates > 0 && rows->held == NULL ? &ordered : rows, "moments",
							 2 + tree_step_limit(fit), &statistic, "rows", moments);
}

static tlv_status
warn_of_keys(tlv_context *ctx, const tlv_names *names, const tlv_frame *moments,
			 tlv_diagnostics *to)
{
	tlv_category_tables tables;

	TLV_TRY(tlv_category_open(ctx, moments, &tables));
	TLV_TRY(tlv_warn_tables(ctx, &tables, names,
							"Omit them; or select (row, variable, value) with layout => 'long' if "
							"the second is the name of a variable.",
							to));
	tlv_category_close(ctx, &tables);
	return TLV_OK;
}

static tlv_status
fit_tree(tlv_context *ctx, tlv_source *rows, tree_learning *fit)
{
	tlv_value *moments;
	tlv_making made;

	TLV_TRY(fit->gaussian ? collect_numbers(ctx, rows, fit, &moments)
						  : collect_categories(ctx, rows, fit, &moments));
	if (!fit->gaussian)
		TLV_TRY(warn_of_keys(ctx, rows->rows.names, &moments->frame, &fit->warned));
	TLV_TRY(TLV_MAKE(
		ctx, &made, &fit->model,
		tlv_tree_learn(ctx, &moments->frame, &fit->options.learn, &made.image, &made.size)));
	tlv_value_drop(moments);
	return TLV_OK;
}

/* ---- steps over the rows ---- */

/* The parameters of a tree of categories whose moments held no triples. */
static tlv_status
tree_complete_triples(tlv_context *ctx, tlv_source *rows, tree_learning *fit)
{
	tlv_value *sums;

	if (fit->gaussian || tlv_frame_find(&fit->model.frame, "tables") != NULL)
		return TLV_OK;
	TLV_TRY(tlv_collect_again(
		ctx, rows, "triples", 1 + tree_step_limit(fit),
		&(tlv_statistic){.aggregate = &tlv_aggregate_statistics, .constant = &fit->model.frame},
		&sums));
	TLV_TRY(tlv_refine(ctx, &fit->model, &sums->frame));
	tlv_value_drop(sums);
	return TLV_OK;
}

static tlv_status
refine_tree(tlv_context *ctx, tlv_source *rows, tree_learning *fit)
{
	tlv_source_ascent ascent = {
		.source = rows,
		.model = &fit->model,
		.stage = "belief propagation",
		.em = {.limit = tree_step_limit(fit),
			   .to_the_limit = fit->options.iterations >= 0,
			   .steps_on = true,
			   .tolerance =
				   TLV_SCAN_TOLERANCE * tlv_frame_scalar(&fit->model.frame, "observed", 1)}};

	TLV_TRY(tlv_source_ascend(ctx, &ascent));
	tlv_value_drop(ascent.sums);
	return TLV_OK;
}

/* ---- the end ---- */

/* Number of states of all observed variables together. */
static size_t
observed_states(const tlv_frame *model)
{
	size_t p = (size_t) tlv_frame_scalar(model, "observed", 0), sum = 0;
	const int64_t *states = tlv_frame_int64(model, "states");

	for (size_t v = 0; v < p; v++)
		sum += (size_t) states[v];
	return sum;
}

/* Names of the categories, and the ranges of those that are numbers; returns how many sections. */
static size_t
name_values(const tree_learning *fit, const tlv_frame *model, tlv_added_section sections[5])
{
	const tlv_code_ranges *ranges = &fit->options.ranges;
	size_t p = (size_t) tlv_frame_scalar(model, "observed", 0), states = observed_states(model);
	size_t n = tlv_name_categories(fit->categories, states, sections);

	if (n == 0 || ranges->ranged == NULL)
		return n;
	sections[n++] = (tlv_added_section){"ranged", TLV_INT64, p, 1, ranges->ranged};
	sections[n++] = (tlv_added_section){"lower", TLV_FLOAT64, states, 1, ranges->lower};
	sections[n++] = (tlv_added_section){"centres", TLV_FLOAT64, states, 1, ranges->centres};
	return n;
}

static tlv_status
tree_finish(tlv_context *ctx, const tlv_source *rows, const tree_learning *fit, tlv_held *finished)
{
	const tlv_frame *model = &fit->model.frame;
	tlv_diagnostics diagnostics = fit->warned;
	tlv_added_section sections[5];
	size_t n = 0;

	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, model, NULL));
	if (tlv_frame_scalar(model, "observed", 0) < 3)
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "k_untested",
										.score = tlv_frame_scalar(model, "observed", 0),
										.hint = "Give at least three variables."},
						 "a tree of fewer than three variables has no hidden nodes"));
	if (fit->left_out > 0)
		TLV_TRY(tlv_warn(ctx, &diagnostics,
						 &(tlv_warning){.code = "rows_skipped", .score = fit->left_out},
						 "%.0f %s skipped, since a number is missing in %s%s%s", fit->left_out,
						 tlv_plural(fit->left_out, "row was", "rows were"),
						 tlv_plural(fit->left_out, "it", "them"),
						 rows->rows.null_columns != NULL ? ": nulls are in " : "",
						 rows->rows.null_columns != NULL ? rows->rows.null_columns : ""));
	if (!fit->gaussian)
		n = name_values(fit, model, sections);
	return tlv_source_finish(ctx, rows, model, &diagnostics, n, sections, finished);
}

static tlv_status
tree_learn(tlv_context *ctx, tlv_source *rows, const void *options, tlv_held *model)
{
	tree_learning fit;

	TLV_TRY(tree_begin(ctx, rows, options, &fit));
	TLV_TRY(fit_tree(ctx, rows, &fit));
	TLV_TRY(tree_complete_triples(ctx, rows, &fit));
	TLV_TRY(refine_tree(ctx, rows, &fit));
	return tree_finish(ctx, rows, &fit, model);
}

const tlv_procedure tlv_tree_procedure = {.learn = tree_learn};
