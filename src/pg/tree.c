/*
 * tree.c - latent trees: the arguments of a fit, the fit, and its model as rows.
 */
#include "tree.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* ---- arguments ---- */

static double
number_argument(FunctionCallInfo fcinfo, int argument, const char *name, double usual, double most)
{
	double value = PG_ARGISNULL(argument) ? usual : PG_GETARG_FLOAT8(argument);

	if (!(value >= 0) || value > most)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s = %g is out of range", name, value),
						errhint("It is a number from 0 to %g.", most)));
	return value;
}

void
TlvTreeDistanceOptions(FunctionCallInfo fcinfo, int states, int metric, int shrinkage,
					   tlv_tree_distance_options *options)
{
	char *name = PG_ARGISNULL(metric) ? "canonical" : text_to_cstring(PG_GETARG_TEXT_PP(metric));

	if (!PG_ARGISNULL(states))
		options->states = TlvCountArgument(fcinfo, states, "states", 1);
	if (strcmp(name, "determinant") == 0)
		options->metric = TLV_METRIC_DETERMINANT;
	else if (strcmp(name, "canonical") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no metric \"%.40s\"", name),
						errhint("Use 'canonical' or 'determinant'.")));
	options->shrinkage = number_argument(fcinfo, shrinkage, "shrinkage", 0, 1e6);
}

static tlv_tree_method
method_of(const char *name)
{
	static const char *const names[] = {"clnj", "clrg", "nj", "chow-liu"};
	static const tlv_tree_method methods[] = {TLV_TREE_CLNJ, TLV_TREE_CLRG, TLV_TREE_NJ,
											  TLV_TREE_CHOW_LIU};

	for (size_t i = 0; i < lengthof(names); i++)
		if (strcmp(name, names[i]) == 0)
			return methods[i];
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("there is no structure \"%.40s\"", name),
					errhint("Use 'clnj', 'clrg', 'nj' or 'chow-liu'.")));
}

void
TlvTreeOptions(FunctionCallInfo fcinfo, int first, tlv_tree_learn_options *options)
{
	TlvTreeDistanceOptions(fcinfo, first, first + 3, first + 4, &options->distance);
	options->structure.method = PG_ARGISNULL(first + 1)
									? TLV_TREE_CLNJ
									: method_of(text_to_cstring(PG_GETARG_TEXT_PP(first + 1)));
	options->structure.z = number_argument(fcinfo, first + 2, "z", 2, 1e6);
	options->structure.significance = number_argument(fcinfo, first + 5, "significance", 0.01, 1);
	options->structure.observed_inside = !PG_ARGISNULL(first + 6) && PG_GETARG_BOOL(first + 6);
	options->fit.regularise = !PG_ARGISNULL(first + 7) && PG_GETARG_BOOL(first + 7);
}

void
TlvTreeGroups(FunctionCallInfo fcinfo, int argument, tlv_tree_distance_options *options)
{
	ArrayType *array;
	const int32 *from;
	int64_t *column;
	int n;

	if (PG_ARGISNULL(argument))
		return;
	array = PG_GETARG_ARRAYTYPE_P(argument);
	n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (ARR_NDIM(array) != 1 || ARR_HASNULL(array))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("groups must be an array of one dimension without nulls"),
						errhint("It has the number of the variable, from 1, of every column.")));
	from = (const int32 *) ARR_DATA_PTR(array);
	column = palloc((Size) n * sizeof(int64_t));
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

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Would it be taken for a hidden node? */
static bool
is_hidden_name(const char *name)
{
	return name[0] == 'h' && name[1] >= '1' && name[1] <= '9' &&
		   strspn(name + 1, "0123456789") == strlen(name + 1);
}

static void
refuse_names(size_t n, char *const *names)
{
	char **sorted = palloc(n * sizeof(char *));

	for (size_t i = 0; i < n; i++)
	{
		if (names[i][0] == '\0' || strchr(names[i], '\n') != NULL || is_hidden_name(names[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("\"%s\" cannot be the name of a variable", names[i]),
					 errhint("Names are not empty, have no line ends, and are not h1, h2, ..., "
							 "which hidden nodes are called.")));
		sorted[i] = names[i];
	}
	qsort(sorted, n, sizeof(char *), compare_names);
	for (size_t i = 1; i < n; i++)
		if (strcmp(sorted[i - 1], sorted[i]) == 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("two variables have the name \"%s\"", sorted[i])));
	pfree(sorted);
}

char *
TlvTreeNames(size_t n, char *const *names, size_t *length)
{
	StringInfoData lines;

	refuse_names(n, names);
	initStringInfo(&lines);
	for (size_t i = 0; i < n; i++)
	{
		appendStringInfoString(&lines, names[i]);
		appendStringInfoChar(&lines, '\n');
	}
	*length = (size_t) lines.len;
	return lines.data;
}

static void
names_argument(FunctionCallInfo fcinfo, int argument, tlv_tree_fit_options *options)
{
	Datum *elements;
	char **names;
	bool *nulls;
	int n;

	if (PG_ARGISNULL(argument))
		return;
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(argument), TEXTOID, -1, false, TYPALIGN_INT, &elements,
					  &nulls, &n);
	names = palloc((Size) Max(n, 1) * sizeof(char *));
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("name %d of the variables is null", i + 1)));
		names[i] = TextDatumGetCString(elements[i]);
	}
	options->names = TlvTreeNames((size_t) n, names, &options->names_length);
}

/* ---- fit ---- */

struct varlena *
TlvTreeFit(struct varlena *moments, const tlv_tree_learn_options *options)
{
	tlv_frame frame = TlvFrame(moments);
	TlvWork *work = TlvWorkBegin("tensorlv fit");
	struct varlena *result;
	void *image;
	size_t size;

	TlvCheck(&work->ctx, tlv_tree_learn(&work->ctx, &frame, options, &image, &size));
	result = TlvValue(image, size);
	TlvWorkEnd(work);
	return result;
}

PG_FUNCTION_INFO_V1(tlv_fit_tree);

/*
 * tlv_fit_tree(m, states, structure, z, metric, shrinkage, significance, observed_inside,
 * regularise, groups, names, bootstrap, iterations, seed)
 */
Datum
tlv_fit_tree(PG_FUNCTION_ARGS)
{
	tlv_tree_learn_options options = {0};

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	TlvTreeOptions(fcinfo, 1, &options);
	TlvTreeGroups(fcinfo, 9, &options.distance);
	names_argument(fcinfo, 10, &options.fit);
	if (!PG_ARGISNULL(11))
		options.replicates = TlvCountArgument(fcinfo, 11, "bootstrap", 0);
	options.fit.iterations = PG_ARGISNULL(12) ? TLV_TREE_GAUSSIAN_STEPS
											  : (int) TlvCountArgument(fcinfo, 12, "iterations", 0);
	options.fit.seed = TlvSeedArgument(fcinfo, 13);
	options.fit.decompose.seed = options.fit.seed;
	PG_RETURN_POINTER(TlvTreeFit(PG_GETARG_TLV(0), &options));
}

PG_FUNCTION_INFO_V1(tlv_tree_distances_rows);

/* tlv_tree_distances(m, states, metric, shrinkage, groups): rows (a, b, distance, error, p_value)
 */
Datum
tlv_tree_distances_rows(PG_FUNCTION_ARGS)
{
	tlv_tree_distance_options options = {0};
	tlv_tree_distances distances;
	TlvWork *work;
	tlv_frame frame;
	size_t p;

	TlvInitRows(fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	frame = TlvFrame(PG_GETARG_TLV(0));
	TlvTreeDistanceOptions(fcinfo, 1, 2, 3, &options);
	TlvTreeGroups(fcinfo, 4, &options);
	if (options.states == 0)
		options.states = frame.header->kind == TLV_KIND_DENSE_MOMENTS ? 1 : 2;
	work = TlvWorkBegin("tensorlv distances");
	TlvCheck(&work->ctx, tlv_tree_distances_compute(&work->ctx, &frame, &options, &distances));
	p = distances.p;
	for (size_t a = 0; a < p; a++)
		for (size_t b = a + 1; b < p; b++)
		{
			Datum values[5] = {Int32GetDatum((int32) a + 1), Int32GetDatum((int32) b + 1),
							   Float8GetDatum(distances.distance[a * p + b]),
							   Float8GetDatum(distances.error[a * p + b]),
							   Float8GetDatum(distances.independent[a * p + b])};
			bool nulls[5] = {false, false, false, false, false};

			TlvPutRow(fcinfo, values, nulls);
		}
	TlvWorkEnd(work);
	return (Datum) 0;
}

/* ---- the model as rows ---- */

TlvTreeModel
TlvTreeOpen(FunctionCallInfo fcinfo, int argument, const char *function)
{
	TlvTreeModel model = {.frame = TlvModelFrame(fcinfo, argument, &tlv_kind_tree, function)};

	model.work = TlvWorkBegin("tensorlv tree");
	tlv_tree_read(&model.frame, &model.parts);
	TlvCheck(&model.work->ctx, tlv_tree_names(&model.work->ctx, &model.parts, &model.names));
	for (size_t v = 0; v < model.parts.p; v++) /* a value may come from elsewhere */
		pg_verifymbstr(model.names[v], (int) strlen(model.names[v]), false);
	return model;
}

void
TlvTreeClose(TlvTreeModel *model)
{
	TlvWorkEnd(model->work);
}

PG_FUNCTION_INFO_V1(tlv_tree_nodes_rows);

/* Rows (node, is_hidden, variable, states). */
Datum
tlv_tree_nodes_rows(PG_FUNCTION_ARGS)
{
	TlvTreeModel model = TlvTreeOpen(fcinfo, 0, "tlv_tree_nodes");

	TlvInitRows(fcinfo);
	for (size_t v = 0; v < model.parts.nodes; v++)
	{
		bool hidden = v >= model.parts.p;
		Datum values[4] = {CStringGetTextDatum(model.names[v]), BoolGetDatum(hidden),
						   Int32GetDatum((int32) v + 1),
						   Int32GetDatum((int32) model.parts.states[v])};
		bool nulls[4] = {false, false, hidden, false};

		TlvPutRow(fcinfo, values, nulls);
	}
	TlvTreeClose(&model);
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(tlv_tree_edges_rows);

/* Rows (parent, child, length, error, support). */
Datum
tlv_tree_edges_rows(PG_FUNCTION_ARGS)
{
	TlvTreeModel model = TlvTreeOpen(fcinfo, 0, "tlv_tree_edges");
	const tlv_tree_parts *parts = &model.parts;

	TlvInitRows(fcinfo);
	for (size_t v = 0; v < parts->nodes; v++)
	{
		Datum values[5];
		bool nulls[5] = {false, false, false, parts->error[v] < 0, parts->support[v] < 0};

		if (parts->parent[v] < 0)
			continue;
		values[0] = CStringGetTextDatum(model.names[parts->parent[v]]);
		values[1] = CStringGetTextDatum(model.names[v]);
		values[2] = Float8GetDatum(parts->length[v]);
		values[3] = Float8GetDatum(parts->error[v]);
		values[4] = Float8GetDatum(parts->support[v]);
		TlvPutRow(fcinfo, values, nulls);
	}
	TlvTreeClose(&model);
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
put_table(FunctionCallInfo fcinfo, const TlvTreeModel *model, size_t v, const double *table)
{
	const tlv_tree_parts *parts = &model->parts;
	int64_t parent = parts->parent[v];
	size_t rows = parent < 0 ? 1 : (size_t) parts->states[parent];
	size_t states = (size_t) parts->states[v];

	for (size_t x = 0; x < rows; x++)
		for (size_t y = 0; y < states; y++)
		{
			Datum values[5] = {(Datum) 0, CStringGetTextDatum(model->names[v]),
							   Int32GetDatum((int32) x), Int32GetDatum((int32) y),
							   Float8GetDatum(table[x * states + y])};
			bool nulls[5] = {parent < 0, false, parent < 0, false, false};

			if (parent >= 0)
				values[0] = CStringGetTextDatum(model->names[parent]);
			TlvPutRow(fcinfo, values, nulls);
		}
}

PG_FUNCTION_INFO_V1(tlv_tree_parameters_rows);

/* Rows (parent, child, parent_state, child_state, probability); roots have no parent. */
Datum
tlv_tree_parameters_rows(PG_FUNCTION_ARGS)
{
	TlvTreeModel model = TlvTreeOpen(fcinfo, 0, "tlv_tree_parameters");
	size_t *offset;

	if (model.parts.gaussian)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a tree of Gaussian variables has no tables of probabilities"),
						errhint("Its parameters are those of tlv_tree_coefficients(model).")));
	require_parameters(&model.parts);
	TlvInitRows(fcinfo);
	offset = palloc((model.parts.nodes + 1) * sizeof(size_t));
	tlv_tree_table_offsets(&model.parts, offset);
	for (size_t v = 0; v < model.parts.nodes; v++)
		put_table(fcinfo, &model, v, model.parts.tables + offset[v]);
	TlvTreeClose(&model);
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
		{
			Datum values[6] = {CStringGetTextDatum(model->names[parent]),
							   CStringGetTextDatum(model->names[v]),
							   Int32GetDatum((int32) x + 1),
							   Int32GetDatum((int32) y + 1),
							   Float8GetDatum(table[y + x * d]),
							   Float8GetDatum(noise[y + y * d])};
			bool nulls[6] = {false, false, false, false, false, false};

			TlvPutRow(fcinfo, values, nulls);
		}
}

PG_FUNCTION_INFO_V1(tlv_tree_coefficients_rows);

/* Rows (parent, child, parent_dimension, child_dimension, coefficient, noise). */
Datum
tlv_tree_coefficients_rows(PG_FUNCTION_ARGS)
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
	TlvTreeClose(&model);
	return (Datum) 0;
}

/* ---- the model as text ---- */

typedef tlv_status (*TreeWriter)(tlv_context *ctx, const tlv_tree *tree, const char *const *names,
								 char **text);

static Datum
tree_text(FunctionCallInfo fcinfo, const char *function, TreeWriter writer)
{
	TlvTreeModel model = TlvTreeOpen(fcinfo, 0, function);
	tlv_context *ctx = &model.work->ctx;
	const char **names = palloc(model.parts.nodes * sizeof(char *));
	tlv_tree tree;
	text *result;
	char *image;

	for (size_t v = 0; v < model.parts.nodes; v++)
		names[v] = pg_server_to_any(model.names[v], (int) strlen(model.names[v]), PG_UTF8);
	TlvCheck(ctx, tlv_tree_of_model(ctx, &model.parts, &tree));
	TlvCheck(ctx, writer(ctx, &tree, names, &image));
	result = cstring_to_text(pg_any_to_server(image, (int) strlen(image), PG_UTF8));
	TlvTreeClose(&model);
	PG_RETURN_TEXT_P(result);
}

#define TREE_TEXT(name)                                                                            \
	PG_FUNCTION_INFO_V1(name##_sql);                                                               \
	Datum name##_sql(PG_FUNCTION_ARGS)                                                             \
	{                                                                                              \
		return tree_text(fcinfo, #name, name);                                                     \
	}                                                                                              \
	extern Datum name##_sql(PG_FUNCTION_ARGS)

TREE_TEXT(tlv_tree_newick);
TREE_TEXT(tlv_tree_dot);
TREE_TEXT(tlv_tree_svg);
