/*
 * model.c - what a latent tree can do (tree.h, model.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/model/errors.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/tree.h"
#include "tensorlv/model/tree_belief.h"
#include "tensorlv/model/tree_gaussian.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/tree_parameters.h"

/* Largest length of "v" or "h" with a number and its end. */
#define NAME_ROOM 16

/* Whether a name is the given number of h's followed by a number above 0. */
static bool
is_hidden_name(const char *name, size_t length, size_t prefix)
{
	if (length <= prefix || name[prefix] == '0')
		return false;
	for (size_t i = 0; i < length; i++)
		if (i < prefix ? name[i] != 'h' : name[i] < '0' || name[i] > '9')
			return false;
	return true;
}

/* Is one of the variables called so? */
static bool
prefix_is_taken(const tlv_tree_parts *parts, size_t prefix)
{
	const char *line = parts->names, *end;

	for (size_t left = parts->names_length; left > 0;
		 left -= (size_t) (end + 1 - line), line = end + 1)
	{
		end = memchr(line, '\n', left);
		if (is_hidden_name(line, (size_t) (end - line), prefix))
			return true;
	}
	return false;
}

/* How many h's precede the number of a hidden node: the fewest with which no variable is called. */
static size_t
tree_hidden_prefix(const tlv_tree_parts *parts)
{
	size_t prefix = 1;

	while (prefix_is_taken(parts, prefix))
		prefix++;
	return prefix;
}

tlv_status
tlv_tree_names(tlv_context *ctx, const tlv_tree_parts *parts, char ***names)
{
	size_t nodes = parts->nodes, prefix = tree_hidden_prefix(parts);
	char **list = tlv_alloc(ctx, nodes, sizeof(char *));
	char *at;

	TLV_TRY_ALLOC(ctx, list);
	at = tlv_alloc(ctx, parts->names_length + nodes * (NAME_ROOM + prefix), 1);
	TLV_TRY_ALLOC(ctx, at);
	if (parts->names_length > 0)
		memcpy(at, parts->names, parts->names_length);
	for (size_t v = 0; v < nodes; v++)
	{
		list[v] = at;
		if (v < parts->p && parts->names_length > 0)
		{
			while (*at != '\n')
				at++;
			tlv_lines_decode(list[v], (size_t) (at - list[v]));
			*at++ = '\0';
			continue;
		}
		if (v >= parts->p)
		{
			memset(at, 'h', prefix);
			at += prefix;
		}
		at += snprintf(at, NAME_ROOM, v < parts->p ? "v%zu" : "%zu",
					   v < parts->p ? v + 1 : v - parts->p + 1) +
			  1;
	}
	*names = list;
	return TLV_OK;
}

void
tlv_tree_names_free(tlv_context *ctx, char **names)
{
	tlv_free(ctx, names[0]);
	tlv_free(ctx, names);
}

/* ---- use ---- */

static tlv_status
tree_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **opened)
{
	tree_model *model;

	TLV_TRY(tlv_model_create(ctx, frame, sizeof(tree_model), opened));
	model = (tree_model *) *opened;
	tlv_tree_read(frame, &model->parts);
	model->base.rows &= ~(unsigned) (model->parts.gaussian ? TLV_ROW_CODES : TLV_ROW_VECTOR);
	TLV_TRY(tlv_tree_shape_create(ctx, model->parts.p, model->parts.nodes, model->parts.parent,
								  &model->shape));
	TLV_TRY_NEW(ctx, model->offset, model->parts.nodes + 1);
	tlv_tree_table_offsets(&model->parts, model->offset);
	TLV_TRY_NEW(ctx, model->widths, model->parts.nodes + model->parts.columns);
	if (model->parts.gaussian)
		TLV_TRY(tlv_tree_gaussian_open(ctx, model));
	else if (model->parts.tables != NULL)
		TLV_TRY(tlv_tree_belief_open(ctx, model));
	return TLV_OK;
}

/* Hidden nodes. */
static size_t
tree_components(const tlv_frame *frame)
{
	return tlv_frame_find(frame, "parent")->rows - (size_t) tlv_frame_scalar(frame, "observed", 0);
}

static tlv_status
require_tables(tlv_context *ctx, const tree_model *model)
{
	if (model->parts.gaussian)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "the tree is of numbers, not of categories");
		return tlv_fail_hint(ctx, "Its rows are arrays of float8.");
	}
	if (model->parts.tables == NULL)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "the tree has no parameters yet");
		return tlv_fail_hint(
			ctx, "Collect tlv_statistics(values, model) and tlv_update the model first.");
	}
	return TLV_OK;
}

/* One block for every hidden node, then for every missing variable. */
static tlv_status
tree_begin_posterior(tlv_context *ctx, tree_model *model, const int32_t *values,
					 tlv_posterior *posterior)
{
	size_t p = model->parts.p, nodes = model->parts.nodes, n = 0;

	for (size_t at = p; at < nodes + p; at++)
	{
		size_t v = at < nodes ? at : at - nodes;

		if (v >= p || values[v] == TLV_CATEGORY_MISSING)
			model->widths[n++] = (size_t) model->parts.states[v];
	}
	return tlv_posterior_begin_blocks(ctx, posterior, n, model->widths);
}

/* Posterior of node v in the first row of the block. */
static void
read_posterior(const tree_model *model, size_t v, double *posterior)
{
	size_t states = (size_t) model->parts.states[v];
	const double *table = model->parts.tables + model->offset[v], *belief;
	size_t parents;

	if (tree_is_inner(&model->shape, v))
	{
		for (size_t y = 0; y < states; y++)
			posterior[y] = model->belief[v][y * TREE_BLOCK];
		return;
	}
	belief = model->belief[model->parts.parent[v]];
	parents = (size_t) model->parts.states[model->parts.parent[v]];
	memset(posterior, 0, states * sizeof(double));
	for (size_t x = 0; x < parents; x++)
		for (size_t y = 0; y < states; y++)
			posterior[y] += belief[x * TREE_BLOCK] * table[x * states + y];
}

static tlv_status
infer_codes(tlv_context *ctx, tree_model *model, size_t p, const int32_t *values,
			tlv_posterior *posterior)
{
	size_t nodes = model->parts.nodes;
	double log_likelihood, *block;

	TLV_TRY(require_tables(ctx, model));
	TLV_TRY(tlv_tree_belief_row(ctx, model, p, values, model->codes, 0));
	TLV_TRY(tlv_tree_belief_up(ctx, model, 1, &log_likelihood));
	TLV_TRY(tlv_tree_belief_down(ctx, model, 1, NULL, NULL));
	TLV_TRY(tree_begin_posterior(ctx, model, values, posterior));
	block = posterior->values;
	for (size_t at = p; at < nodes + p; at++)
	{
		size_t v = at < nodes ? at : at - nodes;

		if (v < p && values[v] != TLV_CATEGORY_MISSING)
			continue;
		read_posterior(model, v, block);
		block += model->parts.states[v];
	}
	return TLV_OK;
}

static tlv_status
tree_infer(tlv_context *ctx, tlv_model *base, const tlv_row *row, tlv_posterior *posterior)
{
	tree_model *model = (tree_model *) base;
	const tlv_part *part = &row->part[0];

	if (row->form == TLV_ROW_CODES)
		return infer_codes(ctx, model, part->d, part->codes, posterior);
	return tlv_tree_infer_gaussian(ctx, base, part->d, part->float64, posterior, NULL);
}

static tlv_status
tree_log_likelihood(tlv_context *ctx, tlv_model *base, const tlv_row *row, double *value)
{
	tree_model *model = (tree_model *) base;
	const tlv_part *part = &row->part[0];

	if (row->form == TLV_ROW_VECTOR)
		return tlv_tree_gaussian_log_likelihood(ctx, base, part->d, part->float64, value);
	TLV_TRY(require_tables(ctx, model));
	TLV_TRY(tlv_tree_belief_row(ctx, model, part->d, part->codes, model->codes, 0));
	return tlv_tree_belief_up(ctx, model, 1, value);
}

/* A variable of a row of codes that is filled in by its posterior, or known (NULL): the number, of
 * which the posterior has the ranges, or the category. */
static double
fill_value(const tlv_code_names *names, size_t variable, size_t first, int32_t code,
		   const double *posterior)
{
	const double *centres;
	double mean = 0;

	for (int64_t x = 0; posterior != NULL && x < names->states[variable]; x++)
		code = x == 0 || posterior[x] > posterior[code] ? (int32_t) x : code;
	if (!tlv_code_is_ranged(names, variable))
		return (double) tlv_code_number(names, variable, first, code);
	centres = names->ranges.centres + first;
	for (int64_t x = 0; posterior != NULL && x < names->states[variable]; x++)
		mean += posterior[x] * centres[x];
	return posterior != NULL ? mean : centres[code];
}

/* The means of numbers, the states of categories from 0; a number that is known by its range is the
 * mean of it. */
static tlv_status
tree_impute(tlv_context *ctx, tlv_model *base, const tlv_row *row, tlv_posterior *filled)
{
	tree_model *model = (tree_model *) base;
	const tlv_part *part = &row->part[0];
	bool codes = row->form == TLV_ROW_CODES;
	const tlv_code_names names = tlv_tree_category_names(&model->parts);
	tlv_posterior posterior = {0};
	const double *at;

	TLV_TRY(tree_infer(ctx, base, row, &posterior));
	TLV_TRY(tlv_posterior_begin(ctx, filled, 1, part->d));
	at = posterior.values;
	for (size_t v = model->parts.p; v < model->parts.nodes; v++)
		at += model->parts.states[v];
	for (size_t i = 0, first = 0; i < part->d; i++)
	{
		size_t states = codes ? (size_t) model->parts.states[i] : 1;
		bool missing = codes ? part->codes[i] == TLV_CATEGORY_MISSING
							 : part->missing != NULL && part->missing[i];

		if (codes)
			filled->values[i] = fill_value(&names, i, first, part->codes[i], missing ? at : NULL);
		else
			filled->values[i] = missing ? *at : part->float64[i];
		at += missing ? states : 0;
		first += states;
	}
	tlv_posterior_free(ctx, &posterior);
	return TLV_OK;
}

/* Of variables of one column each, which come in their order. */
static const char *
tree_value_lines(const tlv_frame *frame, size_t *n)
{
	tlv_tree_parts parts;

	tlv_tree_read(frame, &parts);
	*n = 0;
	if (parts.names == NULL || (parts.gaussian && parts.columns != parts.p))
		return NULL;
	for (size_t j = 0; parts.gaussian && j < parts.p; j++)
		if (parts.column[j] != (int64_t) j)
			return NULL;
	*n = parts.p;
	return parts.names;
}

static void
tree_code_names(const tlv_frame *frame, tlv_code_names *names)
{
	tlv_tree_parts parts;

	tlv_tree_read(frame, &parts);
	*names = tlv_tree_category_names(&parts);
}

static const tlv_field tree_fields[] = {
	{"gaussian", TLV_FIELD_FLAG, .flags = 0},
	{"observed", TLV_FIELD_NUMBER, .flags = 0},
	{"rows", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"steps", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"regularise", TLV_FIELD_FLAG, .flags = TLV_DEFAULT_ZERO},
	{"parent", TLV_FIELD_IDS, .flags = 0},
	{"length", TLV_FIELD_LIST, .flags = 0},
	{"error", TLV_FIELD_LIST, .flags = 0},
	{"support", TLV_FIELD_LIST, .flags = 0},
	{"states", TLV_FIELD_IDS, .flags = 0},
	{"names", TLV_FIELD_LINES, .flags = TLV_MAY_BE_EMPTY},
	{"category_offsets", TLV_FIELD_TEXTS, .flags = TLV_MAY_BE_EMPTY, .beside = "category_names",
	 .json = "category_names"},
	{"ranged", TLV_FIELD_IDS, .flags = TLV_MAY_BE_EMPTY},
	{"lower", TLV_FIELD_LIST, .flags = TLV_MAY_BE_EMPTY},
	{"centres", TLV_FIELD_LIST, .flags = TLV_MAY_BE_EMPTY},
	{"column", TLV_FIELD_IDS, .flags = TLV_MAY_BE_EMPTY},
	{"means", TLV_FIELD_LIST, .flags = TLV_MAY_BE_EMPTY},
	{"tables", TLV_FIELD_LIST, .flags = TLV_MAY_BE_EMPTY},
	{"noise", TLV_FIELD_LIST, .flags = TLV_MAY_BE_EMPTY},
	{"triples", TLV_FIELD_BY_COLUMNS, .flags = TLV_MAY_BE_EMPTY},
	{"pairs", TLV_FIELD_LIST, .flags = TLV_MAY_BE_EMPTY},
	{.form = TLV_FIELDS_END},
};
/* Hidden nodes stand where the tree has them: they have no weights and keep their numbers. */
static const tlv_layout tree_layout = {.fields = tree_fields};

static const char *const tree_page_fields[] = {
	"gaussian", "observed", "parent",			"length", "error", "support",
	"states",	"names",	"category_offsets", "tables", NULL};
static const char *const tree_page_before[] = {"observed", "parent", "names", NULL};
/* The neighbours of a hidden node: its children, the observed ones first, and its parent. */
static tlv_status
tree_describe(tlv_context *ctx, const tlv_frame *model, size_t n, tlv_text *texts)
{
	tlv_tree_parts parts;
	tlv_json_writer *written;
	char **names;

	tlv_tree_read(model, &parts);
	TLV_TRY(tlv_tree_names(ctx, &parts, &names));
	TLV_TRY_NEW0(ctx, written, n);
	for (size_t v = 0; v < parts.nodes; v++)
	{
		size_t up = (size_t) (parts.parent[v] < 0 ? 0 : parts.parent[v]);

		TLV_TRY_CONTINUE_AT(ctx, v);
		for (int end = 0; end < 2 && parts.parent[v] >= 0; end++)
		{
			size_t of = end == 0 ? up : v, other = end == 0 ? v : up;
			tlv_json_writer *text;

			if (of < parts.p || of - parts.p >= n)
				continue;
			text = written + (of - parts.p);
			text->most = TLV_PAGE_DIGEST_MOST;
			TLV_TRY(tlv_json_put(ctx, text, text->n > 0 ? ", " : "joins "));
			TLV_TRY(tlv_json_put(ctx, text, names[other]));
		}
	}
	for (size_t h = 0; h < n; h++)
		texts[h] = (tlv_text){written[h].bytes, written[h].n};
	tlv_free(ctx, written);
	tlv_tree_names_free(ctx, names);
	return TLV_OK;
}

static const tlv_page_view tree_page = {.describe = tree_describe,
										.view = "tree",
										.what = "hidden node",
										.fields = tree_page_fields,
										.before = tree_page_before};

/* ---- estimates: the lengths of edges ---- */

/* The names of variables, if they have any, and what precedes the numbers of hidden nodes, from
 * the arena: estimates keep them. */
static tlv_status
copy_names(tlv_context *ctx, const tlv_tree_parts *parts, char **lines, tlv_text *hidden)
{
	size_t prefix = tree_hidden_prefix(parts);

	*lines = tlv_alloc(ctx, parts->names_length + prefix, 1);
	TLV_TRY_ALLOC(ctx, *lines);
	if (parts->names_length > 0)
		memcpy(*lines, parts->names, parts->names_length);
	*hidden = (tlv_text){memset(*lines + parts->names_length, 'h', prefix), prefix};
	return TLV_OK;
}

/* What a variable is called whose line begins at *line. */
static tlv_text
next_name(char **line)
{
	char *name = *line, *end = name;

	while (*end != '\n')
		end++;
	*line = end + 1;
	tlv_lines_decode(name, (size_t) (end - name));
	return (tlv_text){name, (size_t) (end - name)};
}

static tlv_status
tree_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	tlv_tree_parts parts;
	tlv_text hidden;
	char *line;

	tlv_tree_read(model, &parts);
	TLV_TRY(copy_names(ctx, &parts, &line, &hidden));
	for (size_t v = 0; v < parts.nodes; v++)
	{
		tlv_estimate one = {.part = TLV_ESTIMATE_LENGTH,
							.has_item = true,
							.item = (int64_t) v + 1,
							.estimate = parts.length[v]};

		if (v < parts.p && parts.names_length > 0)
			one.name[0] = next_name(&line);
		else
		{
			one.name[0] = v < parts.p ? (tlv_text){"v", 1} : hidden;
			one.between = "";
			one.number[1] = (int64_t) (v < parts.p ? v : v - parts.p) + 1;
		}
		if (parts.parent[v] >= 0)
			TLV_TRY(tlv_estimates_add(ctx, list, &one));
	}
	return TLV_OK;
}

static tlv_status
tree_standard_errors(tlv_context *ctx, const tlv_frame *model, const tlv_frame *errors,
					 tlv_estimates *list)
{
	tlv_tree_parts parts;

	(void) ctx;
	(void) errors;
	tlv_tree_read(model, &parts);
	for (size_t i = 0; i < list->n; i++)
	{
		double error = parts.error[list->list[i].item - 1];

		list->list[i].standard_error = error > 0 ? error : NAN;
	}
	return TLV_OK;
}

static const tlv_model_class tree_class = {
	.sections = &tlv_tree_sections,
	.layout = &tree_layout,
	.open = tree_open,
	.components = tree_components,
	.rows = TLV_ROW_CODES | TLV_ROW_VECTOR | TLV_ROWS_MISSING_ELEMENTS,
	.infer = tree_infer,
	.log_likelihood = tree_log_likelihood,
	.impute = tree_impute,
	.value_lines = tree_value_lines,
	.code_names = tree_code_names,
	.statistics = tlv_tree_statistics,
	.update = tlv_tree_update,
	.estimates = tree_estimates,
	.standard_errors = tree_standard_errors,
	.page = &tree_page,
};
const tlv_kind tlv_kind_tree = {TLV_KIND_LINE(TREE, tree), .model = &tree_class};
