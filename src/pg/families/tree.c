/*
 * tree.c - latent trees: arguments of the fit, the driver and the distances, and a model as rows.
 */
#include "tree.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "rows/queries.h"
#include "server/arrays.h"
#include "server/arguments.h"
#include "server/fit.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/tree_learn.h"

/* ---- arguments ---- */

typedef struct TreeArguments
{
	tlv_tree_procedure_options tree;
	Datum groups; /* integer[]; 0: none */
	Datum names;  /* text[]; 0: none */
	const char *kind;
	int layout;
} TreeArguments;

/* In the order of the enumerations. */
static const char *const tree_metrics[] = {"canonical", "determinant", NULL};
static const char *const tree_structures[] = {"clnj", "clrg", "nj", "chow-liu", "factors", NULL};

#define TREE_ARGUMENT(member) offsetof(TreeArguments, member)
#define TREE_OPTION(member)	  offsetof(TreeArguments, tree.learn.member)

/* Of tlv_fit_tree, tlv_tree and tlv_tree_distances. */
static const TlvArgument tree_arguments[] = {
	{"states", TLV_ARGUMENT_COUNT, TREE_OPTION(distance.states), .least = 1},
	{"metric", TLV_ARGUMENT_CHOICE, TREE_OPTION(distance.metric), .what = "metric",
	 .names = tree_metrics},
	{"shrinkage", TLV_ARGUMENT_REAL, TREE_OPTION(distance.shrinkage)},
	{"structure", TLV_ARGUMENT_CHOICE, TREE_OPTION(structure.method), .what = "structure",
	 .names = tree_structures},
	{"z", TLV_ARGUMENT_REAL, TREE_OPTION(structure.z)},
	{"significance", TLV_ARGUMENT_REAL, TREE_OPTION(structure.significance)},
	{"observed_inside", TLV_ARGUMENT_FLAG, TREE_OPTION(structure.observed_inside)},
	{"regularise", TLV_ARGUMENT_FLAG, TREE_OPTION(fit.regularise)},
	{"groups", TLV_ARGUMENT_DATUM, TREE_ARGUMENT(groups)},
	{"names", TLV_ARGUMENT_DATUM, TREE_ARGUMENT(names)},
	{"kind", TLV_ARGUMENT_TEXT, TREE_ARGUMENT(kind)},
	{"layout", TLV_ARGUMENT_CHOICE, TREE_ARGUMENT(layout), .what = "layout", .names = TlvLayouts},
	{"bootstrap", TLV_ARGUMENT_COUNT, TREE_ARGUMENT(tree.replicates)},
	{"iterations", TLV_ARGUMENT_NUMBER, TREE_ARGUMENT(tree.iterations), .least = 0},
	{"seed", TLV_ARGUMENT_SEED, TREE_OPTION(fit.seed)},
	{"seed", TLV_ARGUMENT_SEED, TREE_OPTION(fit.decompose.seed)},
	{NULL}};

static void
tree_refuse_number(const char *name, double value, double most)
{
	if (!(value >= 0) || value > most)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s = %g is out of range", name, value),
						errhint("It is a number from 0 to %g.", most)));
}

/* The variables, from 0, of an array that numbers them from 1. */
static void
read_groups(Datum groups, tlv_tree_distance_options *options)
{
	ArrayType *array = TlvFetchArray(groups);
	int n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	const int32 *from = (const int32 *) ARR_DATA_PTR(array);
	int64_t *column;

	if (ARR_NDIM(array) != 1 || ARR_HASNULL(array))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("groups must be an array of one dimension without nulls"),
						errhint("It has the number of the variable, from 1, of every column.")));
	column = TlvAllocElements((size_t) n, sizeof(int64_t));
	for (int i = 0; i < n; i++)
	{
		if (from[i] < 1 || from[i] > n)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("group %d of column %d is out of range", from[i], i + 1),
							errhint("Groups are numbered from 1, without gaps.")));
		column[i] = from[i] - 1;
		options->groups = Max(options->groups, (size_t) from[i]);
	}
	options->column = column;
	options->columns = (size_t) n;
}

static TreeArguments
read_tree_arguments(FunctionCallInfo fcinfo)
{
	TreeArguments arguments = {.tree.iterations = -1, .layout = TLV_LAYOUT_OMITTED};
	tlv_tree_learn_options *learn = &arguments.tree.learn;

	learn->structure.z = 2;
	learn->structure.significance = 0.01;
	TlvReadArguments(fcinfo, tree_arguments, &arguments);
	tree_refuse_number("shrinkage", learn->distance.shrinkage, 1e6);
	tree_refuse_number("z", learn->structure.z, 1e6);
	tree_refuse_number("significance", learn->structure.significance, 1);
	if (arguments.groups != 0)
		read_groups(arguments.groups, &learn->distance);
	return arguments;
}

/* The names of an array, one behind the other. */
static tlv_names
read_names(Datum value)
{
	StringInfoData joined;
	tlv_names names = {0};
	int64_t *offsets;
	Datum *elements;
	bool *nulls;
	int n = TlvArrayElements(TlvFetchArray(value), sizeof(int64_t), &elements, &nulls);

	offsets = palloc_extended((Size) (n + 1) * sizeof(int64_t), MCXT_ALLOC_HUGE);
	offsets[0] = 0;
	initStringInfo(&joined);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("name %d of the variables is null", i + 1)));
		appendStringInfoString(&joined, TextDatumGetCString(elements[i]));
		offsets[i + 1] = joined.len;
	}
	names.n = (size_t) n;
	names.offsets = offsets;
	names.text = joined.data;
	return names;
}

/* ---- fit ---- */

static tlv_status
tree_fit_form(tlv_context *ctx, const tlv_frame *moments, const void *argument, void **image,
			  size_t *size)
{
	const TreeArguments *arguments = argument;
	tlv_tree_learn_options learn = arguments->tree.learn;
	int iterations = arguments->tree.iterations;

	if (arguments->names != 0)
	{
		tlv_names names = read_names(arguments->names);
		char *lines;

		TLV_TRY(tlv_tree_join_names(ctx, &names, &lines, &learn.fit.names_length));
		learn.fit.names = lines;
	}
	learn.replicates = arguments->tree.replicates;
	learn.fit.iterations = iterations < 0 ? TLV_TREE_GAUSSIAN_STEPS : iterations;
	return tlv_tree_learn(ctx, moments, &learn, image, size);
}

/* tlv_fit_tree(m, ...) */
TLV_FIT_FUNCTION(tlv_fit_tree)
{
	TreeArguments arguments = read_tree_arguments(fcinfo);

	return TlvFit(fcinfo, tree_fit_form, &arguments);
}

/* tlv_tree(query, ...) */
TLV_DRIVER_FUNCTION(tlv_tree_sql)
{
	TreeArguments arguments = read_tree_arguments(fcinfo);
	TlvSurvey *answers;
	TlvDriver *driver = TlvDriverBegin(fcinfo);

	answers = palloc(sizeof(TlvSurvey));
	TlvReadVariables(driver, TlvQueryText(fcinfo, "rows of variables"), arguments.kind,
					 (TlvLayout) arguments.layout, answers);
	if (answers->categories.n > 0)
		arguments.tree.learn.fit.categories = &answers->categories;
	arguments.tree.ranges = answers->ranges;
	return TlvDriverLearn(fcinfo, driver, &tlv_tree_procedure, &arguments.tree);
}

/* tlv_tree_distances(moments, ...): rows (variable_a, variable_a_name, variable_b, variable_b_name,
 * distance, error, p_value); moments tell variables by position */
TLV_FUNCTION(tlv_tree_distances_rows)
{
	tlv_tree_distance_options options;
	const tlv_name_list none = {NULL, NULL};
	tlv_tree_distances distances;
	TlvWork *work;
	tlv_frame frame;
	size_t p;

	TlvInitRows(fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	frame = TlvFrameOf(PG_GETARG_DATUM(0));
	options = read_tree_arguments(fcinfo).tree.learn.distance;
	if (options.states == 0)
		options.states = frame.header->kind == TLV_KIND_DENSE_MOMENTS ? 1 : 2;
	work = TlvWorkBegin("tensorlv distances");
	TlvCheck(&work->ctx, tlv_tree_distances_compute(&work->ctx, &frame, &options, &distances));
	p = distances.p;
	for (size_t a = 0; a < p; a++)
		for (size_t b = a + 1; b < p; b++)
			TlvPutRow(fcinfo, TlvInt8((int64) a + 1), TlvNameCell(&none, 0, (int64) a + 1),
					  TlvInt8((int64) b + 1), TlvNameCell(&none, 0, (int64) b + 1),
					  TlvFloat8(distances.distance[a * p + b]),
					  TlvFloat8(distances.error[a * p + b]),
					  TlvFloat8(distances.independent[a * p + b]));
	TlvWorkEnd(work);
	return (Datum) 0;
}

/* ---- the model as rows ---- */

char **
TlvTreeNames(tlv_context *ctx, const tlv_tree_parts *parts)
{
	char **names;

	TlvCheck(ctx, tlv_tree_names(ctx, parts, &names));
	for (size_t v = 0; v < parts->p; v++) /* a value may come from elsewhere */
		pg_verifymbstr(names[v], (int) strlen(names[v]), false);
	return names;
}

TlvTreeModel
TlvTreeOpen(FunctionCallInfo fcinfo, int argument, const char *function)
{
	TlvTreeModel model = {.frame = TlvModelFrame(fcinfo, argument, &tlv_kind_tree, function)};

	model.work = TlvWorkBegin("tensorlv tree");
	tlv_tree_read(&model.frame, &model.parts);
	model.names = TlvTreeNames(&model.work->ctx, &model.parts);
	return model;
}

TlvTreeStates
TlvTreeStatesOf(const tlv_tree_parts *parts)
{
	TlvTreeStates states = {.names = tlv_tree_category_names(parts)};
	size_t first = 0;

	states.first = palloc(Max(parts->p, 1) * sizeof(size_t));
	for (size_t v = 0; v < parts->p; v++)
	{
		states.first[v] = first;
		first += (size_t) parts->states[v];
	}
	return states;
}

TlvCell
TlvTreeState(const TlvTreeStates *states, size_t v, int64 x)
{
	if (v >= states->names.variables)
		return TlvInt8(x);
	return TlvInt8(tlv_code_number(&states->names, v, states->first[v], x));
}

TlvCell
TlvTreeStateName(const TlvTreeStates *states, size_t v, int64 x)
{
	const tlv_name_list none = {NULL, NULL};

	if (v >= states->names.variables)
		return TlvNameCell(&none, 0, x);
	return TlvCategoryCell(&states->names.names, states->first[v] + (size_t) x, x);
}

/* Rows (node, is_hidden, variable, states). */
TLV_FUNCTION(tlv_tree_nodes_rows)
{
	TlvTreeModel model = TlvTreeOpen(fcinfo, 0, "tlv_tree_nodes");

	TlvInitRows(fcinfo);
	for (size_t v = 0; v < model.parts.nodes; v++)
	{
		bool hidden = v >= model.parts.p;
		TlvPutRow(fcinfo, TlvText(model.names[v]), TlvBool(hidden),
				  TlvNullIf(hidden, TlvInt8((int64) v + 1)),
				  TlvNullIf(hidden, TlvText(model.names[v])),
				  TlvInt4((int32) model.parts.states[v]));
	}
	TlvWorkEnd(model.work);
	return (Datum) 0;
}

/* tlv_tree_clusters(model, groups): rows (variable, variable_name, cluster) */
TLV_FUNCTION(tlv_tree_clusters_rows)
{
	size_t groups = TlvArgumentIsNull(fcinfo, "groups") ? 0 : TlvNamedCount(fcinfo, "groups", 1);
	TlvTreeModel model;
	int32_t *cluster;

	TlvInitRows(fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	model = TlvTreeOpen(fcinfo, 0, "tlv_tree_clusters");
	cluster = palloc(model.parts.p * sizeof(int32_t));
	TlvCheck(&model.work->ctx, tlv_tree_clusters(&model.work->ctx, &model.parts, groups, cluster));
	for (size_t v = 0; v < model.parts.p; v++)
		TlvPutRow(fcinfo, TlvInt8((int64) v + 1), TlvText(model.names[v]), TlvInt4(cluster[v]));
	TlvWorkEnd(model.work);
	return (Datum) 0;
}

/* Rows (parent, child, length, error, support). */
TLV_FUNCTION(tlv_tree_edges_rows)
{
	TlvTreeModel model = TlvTreeOpen(fcinfo, 0, "tlv_tree_edges");
	const tlv_tree_parts *parts = &model.parts;

	TlvInitRows(fcinfo);
	for (size_t v = 0; v < parts->nodes; v++)
	{
		if (parts->parent[v] < 0)
			continue;
		TlvPutRow(fcinfo, TlvText(model.names[parts->parent[v]]), TlvText(model.names[v]),
				  TlvFloat8(parts->length[v]),
				  TlvNullIf(parts->error[v] < 0, TlvFloat8(parts->error[v])),
				  TlvNullIf(parts->support[v] < 0, TlvFloat8(parts->support[v])));
	}
	TlvWorkEnd(model.work);
	return (Datum) 0;
}

static void
require_parameters(const tlv_tree_parts *parts)
{
	if (parts->tables == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the parameters of this tree are not known yet"),
				 errdetail("Its moments had no tables of triples: there were too many of them."),
				 errhint("One pass over the rows completes it: tlv_update(model, (SELECT "
						 "tlv_statistics(v, model) FROM ...)).")));
}

static void
tree_put_table(FunctionCallInfo fcinfo, const TlvTreeModel *model, const TlvTreeStates *named,
			   size_t v, const double *table)
{
	const tlv_tree_parts *parts = &model->parts;
	int64_t parent = parts->parent[v];
	size_t rows = parent < 0 ? 1 : (size_t) parts->states[parent];
	size_t states = (size_t) parts->states[v];
	const char *name = parent < 0 ? NULL : model->names[parent];
	const TlvCell none = {.isnull = true};

	for (size_t x = 0; x < rows; x++)
		for (size_t y = 0; y < states; y++)
			TlvPutRow(fcinfo, TlvText(name), TlvText(model->names[v]),
					  parent < 0 ? none : TlvTreeState(named, (size_t) parent, (int64) x),
					  parent < 0 ? none : TlvTreeStateName(named, (size_t) parent, (int64) x),
					  TlvTreeState(named, v, (int64) y), TlvTreeStateName(named, v, (int64) y),
					  TlvFloat8(table[x * states + y]));
}

/* Rows (parent, child, parent_state, parent_state_name, child_state, child_state_name,
 * probability); roots have no parent. */
TLV_FUNCTION(tlv_tree_parameters_rows)
{
	TlvTreeModel model = TlvTreeOpen(fcinfo, 0, "tlv_tree_parameters");
	TlvTreeStates states;
	size_t *offset;

	if (model.parts.gaussian)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a tree of Gaussian variables has no tables of probabilities"),
						errhint("Its parameters are those of tlv_tree_coefficients(model).")));
	require_parameters(&model.parts);
	TlvInitRows(fcinfo);
	states = TlvTreeStatesOf(&model.parts);
	offset = palloc((model.parts.nodes + 1) * sizeof(size_t));
	tlv_tree_table_offsets(&model.parts, offset);
	for (size_t v = 0; v < model.parts.nodes; v++)
		tree_put_table(fcinfo, &model, &states, v, model.parts.tables + offset[v]);
	TlvWorkEnd(model.work);
	return (Datum) 0;
}

static void
put_coefficients(FunctionCallInfo fcinfo, const TlvTreeModel *model, size_t v, const double *table,
				 const double *noise)
{
	const tlv_tree_parts *parts = &model->parts;
	size_t parent = (size_t) parts->parent[v];
	size_t d = (size_t) parts->states[v], from = (size_t) parts->states[parent];

	for (size_t x = 0; x < from; x++)
		for (size_t y = 0; y < d; y++)
			TlvPutRow(fcinfo, TlvText(model->names[parent]), TlvText(model->names[v]),
					  TlvInt4((int32) x + 1), TlvInt4((int32) y + 1), TlvFloat8(table[y + x * d]),
					  TlvFloat8(noise[y + y * d]));
}

/* Rows (parent, child, parent_dimension, child_dimension, coefficient, noise). */
TLV_FUNCTION(tlv_tree_coefficients_rows)
{
	TlvTreeModel model = TlvTreeOpen(fcinfo, 0, "tlv_tree_coefficients");
	const double *noise = model.parts.noise;
	size_t *offset;

	if (!model.parts.gaussian)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a tree of categories has no coefficients"),
						errhint("Its tables are those of tlv_tree_parameters(model).")));
	TlvInitRows(fcinfo);
	offset = palloc((model.parts.nodes + 1) * sizeof(size_t));
	tlv_tree_table_offsets(&model.parts, offset);
	for (size_t v = 0; v < model.parts.nodes; v++)
	{
		if (model.parts.parent[v] >= 0)
			put_coefficients(fcinfo, &model, v, model.parts.tables + offset[v], noise);
		noise += model.parts.states[v] * model.parts.states[v];
	}
	TlvWorkEnd(model.work);
	return (Datum) 0;
}

/* ---- the model as text ---- */

typedef tlv_status (*TreeWriter)(tlv_context *ctx, const tlv_tree *tree, const char *const *names,
								 char **text);

/* In UTF-8. */
static char *
tree_text(FunctionCallInfo fcinfo, const char *function, TreeWriter writer)
{
	TlvTreeModel model = TlvTreeOpen(fcinfo, 0, function);
	tlv_context *ctx = &model.work->ctx;
	const char **names = palloc(model.parts.nodes * sizeof(char *));
	tlv_tree tree;
	char *result, *image;

	for (size_t v = 0; v < model.parts.nodes; v++)
		names[v] = pg_server_to_any(model.names[v], (int) strlen(model.names[v]), PG_UTF8);
	TlvCheck(ctx, tlv_tree_of_model(ctx, &model.parts, &tree));
	TlvCheck(ctx, writer(ctx, &tree, names, &image));
	result = pstrdup(image);
	TlvWorkEnd(model.work);
	return result;
}

char *
TlvTreeSvg(FunctionCallInfo fcinfo)
{
	return tree_text(fcinfo, "tlv_svg", tlv_tree_svg);
}

#define TREE_TEXT(name)                                                                            \
	TLV_FUNCTION(name##_sql)                                                                       \
	{                                                                                              \
		char *utf8 = tree_text(fcinfo, #name, name);                                               \
                                                                                                   \
		PG_RETURN_TEXT_P(cstring_to_text(pg_any_to_server(utf8, (int) strlen(utf8), PG_UTF8)));    \
	}                                                                                              \
	extern Datum name##_sql(PG_FUNCTION_ARGS)

TREE_TEXT(tlv_tree_newick);
TREE_TEXT(tlv_tree_dot);
