/*
 * form.c - the stored form of a latent tree: read, written, checked (tree_parameters.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/tree_selection.h"
#include "tensorlv/num/assert.h"

#define MOST_DIMENSIONS 4000

/* ---- reading ---- */

void
tlv_tree_read(const tlv_frame *frame, tlv_tree_parts *parts)
{
	const tlv_section *section;

	memset(parts, 0, sizeof(*parts));
	parts->p = (size_t) tlv_frame_scalar(frame, "observed", 0);
	parts->nodes = tlv_frame_find(frame, "parent")->rows;
	parts->gaussian = tlv_frame_scalar(frame, "gaussian", 0) != 0;
	parts->regularise = tlv_frame_scalar(frame, "regularise", 0) != 0;
	parts->rows = tlv_frame_scalar(frame, "rows", 0);
	parts->steps = tlv_frame_scalar(frame, "steps", 0);
	parts->seed = tlv_frame_scalar(frame, "seed", 0);
	parts->parent = tlv_frame_int64(frame, "parent");
	parts->length = tlv_frame_float64(frame, "length");
	parts->error = tlv_frame_float64(frame, "error");
	parts->support = tlv_frame_float64(frame, "support");
	parts->states = tlv_frame_int64(frame, "states");
	parts->tables = tlv_frame_float64(frame, "tables");
	parts->triples = tlv_frame_int64(frame, "triples");
	parts->pairs = tlv_frame_float64(frame, "pairs");
	parts->column = tlv_frame_int64(frame, "column");
	parts->means = tlv_frame_float64(frame, "means");
	parts->noise = tlv_frame_float64(frame, "noise");
	section = tlv_frame_find(frame, "names");
	if (section != NULL)
	{
		parts->names = tlv_section_data(frame, section);
		parts->names_length = section->rows;
	}
	if ((section = tlv_frame_find(frame, "tables")) != NULL)
		parts->entries = section->rows;
	if ((section = tlv_frame_find(frame, "pairs")) != NULL)
		parts->pair_entries = section->rows;
	if ((section = tlv_frame_find(frame, "column")) != NULL)
		parts->columns = section->rows;
	if ((section = tlv_frame_find(frame, "noise")) != NULL)
		parts->noise_entries = section->rows;
}

/* Numbers in a node's table. */
static double
table_size(const tlv_tree_parts *parts, size_t v)
{
	double states = (double) parts->states[v];

	if (parts->parent[v] >= 0)
		return states * (double) parts->states[parts->parent[v]];
	return parts->gaussian ? 0 : states;
}

void
tlv_tree_table_offsets(const tlv_tree_parts *parts, size_t *offset)
{
	offset[0] = 0;
	for (size_t v = 0; v < parts->nodes; v++)
		offset[v + 1] = offset[v] + (size_t) table_size(parts, v);
}

tlv_status
tlv_tree_of_model(tlv_context *ctx, const tlv_tree_parts *parts, tlv_tree *tree)
{
	size_t edges = 0;

	for (size_t v = 0; v < parts->nodes; v++)
		edges += parts->parent[v] >= 0;
	TLV_TRY(tlv_tree_create(ctx, parts->p, parts->nodes, edges, tree));
	edges = 0;
	for (size_t v = 0; v < parts->nodes; v++)
	{
		if (parts->parent[v] < 0)
			continue;
		tree->ends[2 * edges] = (int32_t) parts->parent[v];
		tree->ends[2 * edges + 1] = (int32_t) v;
		tree->length[edges] = parts->length[v];
		tree->error[edges] = parts->error[v] >= 0 ? parts->error[v] : NAN;
		tree->support[edges++] = parts->support[v] >= 0 ? parts->support[v] : NAN;
	}
	return TLV_OK;
}

/* ---- writing ---- */

/* Raises every row of tables to the least probability and normalises it. */
static void
normalise_tables(const tlv_tree_parts *parts, const size_t *offset, double *tables)
{
	for (size_t v = 0; v < parts->nodes; v++)
	{
		size_t states = (size_t) parts->states[v];

		for (double *row = tables + offset[v]; row < tables + offset[v + 1]; row += states)
		{
			double sum = 0;

			for (size_t y = 0; y < states; y++)
				sum += row[y] = fmax(row[y], TLV_TREE_LEAST);
			for (size_t y = 0; y < states; y++)
				row[y] /= sum;
			tlv_assert(tlv_is_distribution(states, row, 1));
		}
	}
}

static void
add_parameters(const tlv_tree_parts *parts, const double *tables, tlv_frame_builder *builder)
{
	if (parts->gaussian)
	{
		tlv_frame_add(builder, "column", TLV_INT64, parts->columns, 1, parts->column);
		tlv_frame_add(builder, "means", TLV_FLOAT64, parts->columns, 1, parts->means);
		tlv_frame_add(builder, "tables", TLV_FLOAT64, parts->entries, 1, parts->tables);
		tlv_frame_add(builder, "noise", TLV_FLOAT64, parts->noise_entries, 1, parts->noise);
	}
	else if (tables != NULL)
		tlv_frame_add(builder, "tables", TLV_FLOAT64, parts->entries, 1, tables);
	else
	{
		tlv_frame_add(builder, "triples", TLV_INT64, 3, parts->nodes - parts->p, parts->triples);
		tlv_frame_add(builder, "pairs", TLV_FLOAT64, parts->pair_entries, 1, parts->pairs);
	}
}

static void
describe_tree(const tlv_tree_parts *parts, const double *tables, tlv_frame_builder *builder)
{
	size_t nodes = parts->nodes;

	tlv_frame_begin(builder, TLV_FRAME_MODEL, TLV_KIND_TREE);
	builder->owned = NULL;
	tlv_frame_add_scalar(builder, "gaussian", parts->gaussian);
	tlv_frame_add_scalar(builder, "observed", (double) parts->p);
	tlv_frame_add_scalar(builder, "rows", parts->rows);
	tlv_frame_add_scalar(builder, "steps", parts->steps);
	tlv_frame_add_scalar(builder, "seed", parts->seed);
	tlv_frame_add_scalar(builder, "regularise", parts->regularise);
	tlv_frame_add(builder, "parent", TLV_INT64, nodes, 1, parts->parent);
	tlv_frame_add(builder, "length", TLV_FLOAT64, nodes, 1, parts->length);
	tlv_frame_add(builder, "error", TLV_FLOAT64, nodes, 1, parts->error);
	tlv_frame_add(builder, "support", TLV_FLOAT64, nodes, 1, parts->support);
	tlv_frame_add(builder, "states", TLV_INT64, nodes, 1, parts->states);
	if (parts->names != NULL && parts->names_length > 0)
		tlv_frame_add(builder, "names", TLV_BYTES, parts->names_length, 1, parts->names);
	add_parameters(parts, tables, builder);
	tlv_diagnostics_add(parts->diagnostics, builder);
}

tlv_status
tlv_tree_write(tlv_context *ctx, const tlv_tree_parts *parts, void **image, size_t *size)
{
	tlv_frame_builder *builder = tlv_alloc(ctx, 1, sizeof(tlv_frame_builder));
	double *tables = NULL;

	TLV_TRY_ALLOC(ctx, builder);
	if (parts->tables != NULL && !parts->gaussian)
	{
		size_t *offset = tlv_alloc(ctx, parts->nodes + 1, sizeof(size_t));

		TLV_TRY_ALLOC(ctx, offset);
		tables = tlv_alloc(ctx, parts->entries, sizeof(double));
		TLV_TRY_ALLOC(ctx, tables);
		memcpy(tables, parts->tables, parts->entries * sizeof(double));
		tlv_tree_table_offsets(parts, offset);
		normalise_tables(parts, offset, tables);
		tlv_free(ctx, offset);
	}
	describe_tree(parts, tables, builder);
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_free(ctx, tables);
	tlv_free(ctx, builder);
	return TLV_OK;
}

/* ---- validation ---- */

static tlv_status
check_nodes(tlv_context *ctx, const tlv_frame *frame, uint64_t *nodes)
{
	static const char *const whole[] = {"gaussian", "observed", "rows",
										"steps",	"seed",		"regularise"};
	static const char *const reals[] = {"length", "error", "support"};
	const tlv_section *parent = tlv_frame_find(frame, "parent");

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		TLV_TRY(tlv_frame_require_whole(ctx, frame, whole[i]));
	if (parent == NULL || parent->rows == 0 || parent->rows > TLV_TREE_MOST_NODES)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"parent\" is missing, empty or too long");
	*nodes = parent->rows;
	TLV_TRY(tlv_frame_require(ctx, frame, "parent", TLV_INT64, *nodes, 1, NULL));
	TLV_TRY(tlv_frame_require(ctx, frame, "states", TLV_INT64, *nodes, 1, NULL));
	for (size_t i = 0; i < 3; i++)
	{
		TLV_TRY(tlv_frame_require(ctx, frame, reals[i], TLV_FLOAT64, *nodes, 1, NULL));
		TLV_TRY(tlv_frame_require_minimum(ctx, frame, reals[i], i == 0 ? 0 : -1));
	}
	if (tlv_frame_scalar(frame, "observed", 0) < 1 ||
		tlv_frame_scalar(frame, "observed", 0) > (double) *nodes ||
		tlv_frame_scalar(frame, "gaussian", 0) > 1 || tlv_frame_scalar(frame, "regularise", 0) > 1)
		return tlv_fail(ctx, TLV_CORRUPT, "the tree's numbers of nodes are out of range");
	return TLV_OK;
}

/* States in range, and all tables together; the parts may be read before. */
static tlv_status
check_states(tlv_context *ctx, const tlv_tree_parts *parts, double *entries, double *noise)
{
	int64_t most = parts->gaussian ? MOST_DIMENSIONS : TLV_CATEGORY_MOST_STATES;

	*entries = *noise = 0;
	for (size_t v = 0; v < parts->nodes; v++)
		if (parts->states[v] < 1 || parts->states[v] > most)
			return tlv_fail(ctx, TLV_CORRUPT, "node %zu of the tree has %lld states", v,
							(long long) parts->states[v]);
	for (size_t v = 0; v < parts->nodes; v++)
	{
		*entries += table_size(parts, v);
		*noise += (double) parts->states[v] * (double) parts->states[v];
	}
	if (*entries > (double) TLV_TREE_MOST_ENTRIES ||
		(parts->gaussian && *noise > (double) TLV_TREE_MOST_ENTRIES))
		return tlv_fail(ctx, TLV_CORRUPT, "the tree's tables have %g numbers", *entries);
	return TLV_OK;
}

static tlv_status
check_tables(tlv_context *ctx, const tlv_tree_parts *parts)
{
	const double *row = parts->tables;

	for (size_t v = 0; v < parts->nodes; v++)
	{
		size_t states = (size_t) parts->states[v];
		size_t rows = (size_t) table_size(parts, v) / states;

		for (size_t x = 0; x < rows; x++, row += states)
		{
			double sum = 0;

			for (size_t y = 0; y < states; y++)
			{
				if (!(row[y] >= TLV_TREE_LEAST / (2 * TLV_CATEGORY_MOST_STATES)))
					return tlv_fail(ctx, TLV_CORRUPT, "a table of node %zu has a probability of %g",
									v, row[y]);
				sum += row[y];
			}
			if (!(fabs(sum - 1) < 1e-6))
				return tlv_fail(ctx, TLV_CORRUPT, "probabilities of node %zu sum to %g", v, sum);
		}
	}
	return TLV_OK;
}

static tlv_status
check_gaussian(tlv_context *ctx, const tlv_frame *frame, const tlv_tree_parts *parts,
			   double entries, double noise)
{
	const double *at = parts->noise;
	int64_t *dimension;

	if (parts->column == NULL || parts->columns == 0)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"column\" is missing");
	TLV_TRY(tlv_frame_require(ctx, frame, "column", TLV_INT64, parts->columns, 1, NULL));
	TLV_TRY(tlv_frame_require(ctx, frame, "means", TLV_FLOAT64, parts->columns, 1, NULL));
	TLV_TRY(tlv_frame_require(ctx, frame, "tables", TLV_FLOAT64, (uint64_t) entries, 1, NULL));
	TLV_TRY(tlv_frame_require(ctx, frame, "noise", TLV_FLOAT64, (uint64_t) noise, 1, NULL));
	TLV_TRY_NEW0(ctx, dimension, parts->p);
	for (size_t j = 0; j < parts->columns; j++)
	{
		if (parts->column[j] < 0 || parts->column[j] >= (int64_t) parts->p)
			return tlv_fail(ctx, TLV_CORRUPT, "column %zu is of no variable", j);
		dimension[parts->column[j]]++;
	}
	for (size_t v = 0; v < parts->p; v++)
		if (dimension[v] != parts->states[v])
			return tlv_fail(ctx, TLV_CORRUPT, "variable %zu has another dimension than its columns",
							v);
	tlv_free(ctx, dimension);
	for (size_t v = 0; v < parts->nodes; at += parts->states[v] * parts->states[v], v++)
		for (int64_t i = 0; i < parts->states[v]; i++)
		{
			if (!(at[i * parts->states[v] + i] > 0))
				return tlv_fail(ctx, TLV_CORRUPT, "node %zu has no variance", v);
			for (int64_t j = 0; j < i; j++)
				if (at[i * parts->states[v] + j] != at[j * parts->states[v] + i])
					return tlv_fail(ctx, TLV_CORRUPT, "the noise of node %zu is not symmetric", v);
		}
	return TLV_OK;
}

static tlv_status
check_selection(tlv_context *ctx, const tlv_frame *frame, const tlv_tree_parts *parts)
{
	uint64_t hidden = parts->nodes - parts->p;
	tree_selection selection;

	TLV_TRY(tlv_frame_require(ctx, frame, "triples", TLV_INT64, 3, hidden, NULL));
	TLV_TRY(tlv_tree_selection_create(ctx, parts, &selection));
	TLV_TRY(tlv_frame_require(ctx, frame, "pairs", TLV_FLOAT64,
							  (uint64_t) tlv_tree_pair_entries(&selection), 1, NULL));
	tlv_tree_selection_free(ctx, &selection);
	return tlv_frame_require_minimum(ctx, frame, "pairs", 0);
}

static tlv_status
check_names(tlv_context *ctx, const tlv_tree_parts *parts)
{
	size_t lines = 0;

	for (size_t i = 0; i < parts->names_length; i++)
	{
		if (parts->names[i] == '\0')
			return tlv_fail(ctx, TLV_CORRUPT, "a variable's name is not text");
		lines += parts->names[i] == '\n';
	}
	if (lines != parts->p || parts->names[parts->names_length - 1] != '\n')
		return tlv_fail(ctx, TLV_CORRUPT, "the tree has %zu names of %zu variables", lines,
						parts->p);
	return TLV_OK;
}

tlv_status
tlv_tree_check(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *names = tlv_frame_find(frame, "names");
	double entries, noise;
	tlv_tree_parts parts;
	tree_shape shape;
	uint64_t nodes;

	TLV_TRY(check_nodes(ctx, frame, &nodes));
	if (names != NULL)
		TLV_TRY(tlv_frame_require(ctx, frame, "names", TLV_BYTES, names->rows, 1, NULL));
	tlv_tree_read(frame, &parts);
	TLV_TRY(tlv_tree_shape_create(ctx, parts.p, parts.nodes, parts.parent, &shape));
	tlv_tree_shape_free(ctx, &shape);
	TLV_TRY(check_states(ctx, &parts, &entries, &noise));
	if (names != NULL)
		TLV_TRY(check_names(ctx, &parts));
	if (parts.gaussian)
		TLV_TRY(check_gaussian(ctx, frame, &parts, entries, noise));
	else if (parts.tables != NULL)
	{
		TLV_TRY(tlv_frame_require(ctx, frame, "tables", TLV_FLOAT64, (uint64_t) entries, 1, NULL));
		TLV_TRY(check_tables(ctx, &parts));
	}
	else
		TLV_TRY(check_selection(ctx, frame, &parts));
	return tlv_diagnostics_check(ctx, frame);
}
