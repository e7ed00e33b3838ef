/*
 * form.c - the stored form of a latent tree: read, written, checked (tree_parameters.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/tree_selection.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/numbers.h"

/* Sizes: nodes, hidden ones, bytes of names, numbers of all tables, pairs, columns and noise. */
#define SIZE_NODES	 TLV_SIZE_1
#define SIZE_HIDDEN	 TLV_SIZE_2
#define SIZE_NAMES	 TLV_SIZE_3
#define SIZE_ENTRIES TLV_SIZE_4
#define SIZE_PAIRS	 TLV_SIZE_5
#define SIZE_COLUMNS TLV_SIZE_6
#define SIZE_NOISE	 TLV_SIZE_7
#define SIZE_ENDS	 TLV_SIZE_8	 /* of names of categories, which are one fewer */
#define SIZE_BYTES	 TLV_SIZE_9	 /* of these names */
#define SIZE_RANGED	 TLV_SIZE_10 /* observed variables, where some are numbers */
#define SIZE_RANGES	 TLV_SIZE_11 /* their categories */

/* What is stored. */
typedef struct tree_stored
{
	tlv_tree_parts parts;
	size_t hidden;
	double observed, gaussian, regularise;
} tree_stored;

/* ---- reading ---- */

void
tlv_tree_read(const tlv_frame *frame, tlv_tree_parts *parts)
{
	tree_stored stored;

	tlv_sections_read(frame, tlv_kind_tree.model->sections, &stored);
	*parts = stored.parts;
	parts->p = (size_t) stored.observed;
	parts->gaussian = stored.gaussian != 0;
	parts->regularise = stored.regularise != 0;
}

tlv_code_names
tlv_tree_category_names(const tlv_tree_parts *parts)
{
	return (tlv_code_names){.variables = parts->p,
							.copies = 1,
							.states = parts->states,
							.names = {parts->category_offsets, parts->category_names},
							.ranges = parts->ranges};
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
				sum += row[y] = fmax(row[y], TLV_LEAST_PROBABILITY);
			for (size_t y = 0; y < states; y++)
				row[y] /= sum;
			tlv_assert(tlv_is_distribution(states, row, 1));
		}
	}
}

tlv_status
tlv_tree_write(tlv_context *ctx, const tlv_tree_parts *parts, void **image, size_t *size)
{
	bool gaussian = parts->gaussian, later = parts->tables == NULL && !gaussian;
	tree_stored stored = {.parts = *parts,
						  .hidden = parts->nodes - parts->p,
						  .observed = (double) parts->p,
						  .gaussian = gaussian,
						  .regularise = parts->regularise};
	double *tables = NULL;

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
	stored.parts.names = parts->names_length > 0 ? parts->names : NULL;
	stored.parts.tables = gaussian ? parts->tables : tables;
	stored.parts.column = gaussian ? parts->column : NULL;
	stored.parts.means = gaussian ? parts->means : NULL;
	stored.parts.noise = gaussian ? parts->noise : NULL;
	stored.parts.triples = later ? parts->triples : NULL;
	stored.parts.pairs = later ? parts->pairs : NULL;
	TLV_TRY(tlv_sections_write(ctx, tlv_kind_tree.model->sections, &stored, image, size));
	tlv_free(ctx, tables);
	return TLV_OK;
}

/* ---- validation ---- */

/* States in range, and all tables together; the parts may be read before. */
static tlv_status
tree_check_states(tlv_context *ctx, const tlv_tree_parts *parts, double *entries, double *noise)
{
	const int most_dimensions = 4000;
	int64_t most = parts->gaussian ? most_dimensions : TLV_CATEGORY_MOST_STATES;

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
tree_check_tables(tlv_context *ctx, const tlv_tree_parts *parts)
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
				if (!(row[y] >= TLV_LEAST_PROBABILITY / (2 * TLV_CATEGORY_MOST_STATES)))
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
form_check_names(tlv_context *ctx, const tlv_tree_parts *parts)
{
	size_t lines = 0;

	for (size_t i = 0; i < parts->names_length; i++)
		lines += parts->names[i] == '\n';
	if (lines != parts->p || parts->names[parts->names_length - 1] != '\n')
		return tlv_fail(ctx, TLV_CORRUPT, "the tree has %zu names of %zu variables", lines,
						parts->p);
	return TLV_OK;
}

static tlv_status
check_category_names(tlv_context *ctx, const tlv_tree_parts *parts)
{
	const int64_t *offsets = parts->category_offsets;
	size_t categories = 0;

	for (size_t v = 0; v < parts->p; v++)
		categories += (size_t) parts->states[v];
	if (parts->gaussian || offsets == NULL || parts->category_names == NULL ||
		parts->category_ends != categories + 1 || offsets[0] != 0)
		return tlv_fail(ctx, TLV_CORRUPT, "the tree has names of other categories than its own");
	for (size_t c = 0; c < categories; c++)
		if (offsets[c + 1] < offsets[c])
			return tlv_fail(ctx, TLV_CORRUPT, "section \"category_offsets\" does not ascend");
	if ((uint64_t) offsets[categories] != parts->category_bytes ||
		memchr(parts->category_names, 0, parts->category_bytes) != NULL)
		return tlv_fail(ctx, TLV_CORRUPT, "the names of categories are not %zu bytes of text",
						parts->category_bytes);
	return TLV_OK;
}

/* Of every number the ranges ascend. */
static tlv_status
check_ranges(tlv_context *ctx, const tlv_tree_parts *parts)
{
	const double *lower = parts->ranges.lower;
	size_t at = 0;

	if (parts->category_offsets == NULL || parts->ranges.ranged == NULL || lower == NULL ||
		parts->ranges.centres == NULL || parts->variables != parts->p ||
		parts->range_ends + 1 != parts->category_ends)
		return tlv_fail(ctx, TLV_CORRUPT, "the tree has ranges of other categories than its own");
	for (size_t v = 0; v < parts->p; at += (size_t) parts->states[v++])
	{
		if (parts->ranges.ranged[v] != 0 && parts->ranges.ranged[v] != 1)
			return tlv_fail(ctx, TLV_CORRUPT, "section \"ranged\" has a number that is not 0 or 1");
		for (int64_t c = 1; parts->ranges.ranged[v] == 1 && c < parts->states[v]; c++)
			if (!(lower[at + (size_t) c] > lower[at + (size_t) c - 1]))
				return tlv_fail(ctx, TLV_CORRUPT, "ranges of variable %zu do not ascend", v);
	}
	return TLV_OK;
}

static tlv_status
tree_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	double observed = tlv_frame_scalar(frame, "observed", 0), entries, noise;
	tlv_tree_parts parts;
	tree_shape shape;

	if (observed < 1 || observed > (double) sizes[SIZE_NODES])
		return tlv_fail(ctx, TLV_CORRUPT, "%g of %zu nodes of the tree are observed", observed,
						sizes[SIZE_NODES]);
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "error", -1));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "support", -1));
	tlv_tree_read(frame, &parts);
	if ((parts.column != NULL || parts.means != NULL || parts.noise != NULL) != parts.gaussian ||
		(parts.triples != NULL || parts.pairs != NULL) != (!parts.gaussian && parts.tables == NULL))
		return tlv_fail(ctx, TLV_CORRUPT, "the tree has parameters of another kind of tree");
	TLV_TRY(tlv_tree_shape_create(ctx, parts.p, parts.nodes, parts.parent, &shape));
	tlv_tree_shape_free(ctx, &shape);
	TLV_TRY(tree_check_states(ctx, &parts, &entries, &noise));
	if (parts.names != NULL)
		TLV_TRY(form_check_names(ctx, &parts));
	if (parts.category_offsets != NULL || parts.category_names != NULL)
		TLV_TRY(check_category_names(ctx, &parts));
	if (parts.ranges.ranged != NULL || parts.ranges.lower != NULL || parts.ranges.centres != NULL)
		TLV_TRY(check_ranges(ctx, &parts));
	if (parts.gaussian)
		return check_gaussian(ctx, frame, &parts, entries, noise);
	if (parts.tables == NULL)
		return check_selection(ctx, frame, &parts);
	TLV_TRY(tlv_frame_require(ctx, frame, "tables", TLV_FLOAT64, (uint64_t) entries, 1, NULL));
	return tree_check_tables(ctx, &parts);
}

#define AT(member) offsetof(tree_stored, member)
static const tlv_declaration tree_list[] = {
	{"gaussian", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_FLAG, TLV_KEPT, AT(gaussian)},
	{"observed", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(observed)},
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(parts.rows)},
	{"steps", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(parts.steps)},
	{"seed", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(parts.seed)},
	{"regularise", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_FLAG, TLV_KEPT, AT(regularise)},
	{"parent", TLV_INT64, SIZE_NODES, TLV_ONE, TLV_ANY, TLV_KEPT, AT(parts.parent)},
	{"length", TLV_FLOAT64, SIZE_NODES, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(parts.length)},
	{"error", TLV_FLOAT64, SIZE_NODES, TLV_ONE, TLV_ANY, TLV_KEPT, AT(parts.error)},
	{"support", TLV_FLOAT64, SIZE_NODES, TLV_ONE, TLV_ANY, TLV_KEPT, AT(parts.support)},
	{"states", TLV_INT64, SIZE_NODES, TLV_ONE, TLV_POSITIVE, TLV_KEPT, AT(parts.states)},
	{"names", TLV_BYTES, SIZE_NAMES, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(parts.names)},
	{"category_offsets", TLV_INT64, SIZE_ENDS, TLV_ONE, TLV_ANY, TLV_GIVEN,
	 AT(parts.category_offsets)},
	{"category_names", TLV_BYTES, SIZE_BYTES, TLV_ONE, TLV_ANY, TLV_GIVEN,
	 AT(parts.category_names)},
	{"ranged", TLV_INT64, SIZE_RANGED, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(parts.ranges.ranged)},
	{"lower", TLV_FLOAT64, SIZE_RANGES, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(parts.ranges.lower)},
	{"centres", TLV_FLOAT64, SIZE_RANGES, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(parts.ranges.centres)},
	{"column", TLV_INT64, SIZE_COLUMNS, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(parts.column)},
	{"means", TLV_FLOAT64, SIZE_COLUMNS, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(parts.means)},
	{"tables", TLV_FLOAT64, SIZE_ENTRIES, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(parts.tables)},
	{"noise", TLV_FLOAT64, SIZE_NOISE, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(parts.noise)},
	{"triples", TLV_INT64, TLV_THREE, SIZE_HIDDEN, TLV_ANY, TLV_GIVEN, AT(parts.triples)},
	{"pairs", TLV_FLOAT64, SIZE_PAIRS, TLV_ONE, TLV_NONNEGATIVE, TLV_GIVEN, AT(parts.pairs)},
};
const tlv_sections tlv_tree_sections = {
	.state = sizeof(tree_stored),
	.kind = TLV_KIND_TREE,
	TLV_LIST(tree_list),
	.least = {1},
	.most = {TLV_TREE_MOST_NODES, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX,
			 SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX},
	.size_at = {AT(parts.nodes), AT(hidden), AT(parts.names_length), AT(parts.entries),
				AT(parts.pair_entries), AT(parts.columns), AT(parts.noise_entries),
				AT(parts.category_ends), AT(parts.category_bytes), AT(parts.variables),
				AT(parts.range_ends)},
	.diagnostics = AT(parts.diagnostics),
	.check_more = tree_check_more,
};
