/*
 * model.c - the stored form of a mixed membership block model
 * (mmsb.h).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "arrange.h"
#include "errors.h"
#include "infer.h"
#include "mixed/memberships.h"
#include "adjacency/neighbours.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/picture.h"
#include "tensorlv/model/mmsb.h"
#include "tensorlv/num/sort.h"
#include "tensorlv/num/numbers.h"

static const struct
{
	const char *nodes, *degree, *propensity, *support, *communities, *shares;
} names[2] = {
	{"nodes_1", "degree_1", "propensity_1", "support_1", "communities_1", "shares_1"},
	{"nodes_2", "degree_2", "propensity_2", "support_2", "communities_2", "shares_2"},
};

static const tlv_name_sections name_sections[2] = {{"name_offsets_1", "names_1"},
												   {"name_offsets_2", "names_2"}};

/* ---- writing ---- */

/* Numbers of communities of every node. */
static tlv_status
count_support(tlv_context *ctx, const tlv_memberships *memberships, uint16_t *support)
{
	for (size_t u = 0; u < memberships->n; u++)
	{
		size_t n = memberships->start[u + 1] - memberships->start[u];

		if (n > UINT16_MAX)
			return tlv_fail(ctx, TLV_LIMIT, "node %zu is in %zu communities, more than %d", u + 1,
							n, UINT16_MAX);
		support[u] = (uint16_t) n;
	}
	return TLV_OK;
}

static void
model_add_side(tlv_frame_builder *builder, const tlv_mmsb_parts *parts, size_t s,
			   const uint16_t *support)
{
	size_t n = parts->side[s].n, entries = parts->side[s].memberships.start[n];

	tlv_frame_add(builder, names[s].nodes, TLV_INT64, n, 1, parts->side[s].nodes);
	tlv_frame_add(builder, names[s].degree, TLV_FLOAT64, n, 1, parts->side[s].degree);
	if (parts->degree_corrected)
		tlv_frame_add(builder, names[s].propensity, TLV_FLOAT64, n, 1, parts->side[s].propensity);
	tlv_frame_add(builder, names[s].support, TLV_BYTES, 2 * n, 1, support);
	tlv_frame_add(builder, names[s].communities, TLV_BYTES, 2 * entries, 1,
				  parts->side[s].memberships.community);
	tlv_frame_add(builder, names[s].shares, TLV_BYTES, 4 * entries, 1,
				  parts->side[s].memberships.share);
	tlv_name_list_add(builder, &name_sections[s], n, &parts->side[s].names);
}

tlv_status
tlv_mmsb_write(tlv_context *ctx, const tlv_mmsb_parts *parts, void **image, size_t *size)
{
	static const tlv_diagnostics none = {0};
	size_t k = parts->k, total = parts->side[0].n + (parts->sides == 2 ? parts->side[1].n : 0);
	tlv_frame_builder *builder = tlv_alloc(ctx, 1, sizeof(tlv_frame_builder));
	uint16_t *support;

	TLV_TRY_ALLOC(ctx, builder);
	TLV_TRY_NEW(ctx, support, total);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, TLV_KIND_MMSB);
	tlv_frame_add_scalar(builder, "alpha0", parts->alpha0);
	tlv_frame_add_scalar(builder, "graph", parts->graph);
	tlv_frame_add_scalar(builder, "poisson", parts->poisson);
	tlv_frame_add_scalar(builder, "degree_corrected", parts->degree_corrected);
	tlv_frame_add_scalar(builder, "seed", parts->seed);
	if (parts->unit > 0 && parts->unit != 1)
		tlv_frame_add_scalar(builder, "unit", parts->unit);
	if (parts->tied)
		tlv_frame_add_scalar(builder, "tied", 1);
	tlv_frame_add(builder, "alpha", TLV_FLOAT64, k, parts->sides, parts->alpha);
	tlv_frame_add(builder, "sizes", TLV_FLOAT64, k, parts->sides, parts->sizes);
	tlv_frame_add(builder, "connectivity", TLV_FLOAT64, k, k, parts->connectivity);
	for (size_t s = 0; s < parts->sides; s++)
	{
		uint16_t *own = support + (s == 0 ? 0 : parts->side[0].n);

		TLV_TRY(count_support(ctx, &parts->side[s].memberships, own));
		model_add_side(builder, parts, s, own);
	}
	tlv_diagnostics_add(parts->diagnostics != NULL ? parts->diagnostics : &none, builder);
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_free(ctx, support);
	tlv_free(ctx, builder);
	return TLV_OK;
}

/* ---- reading ---- */

static tlv_status
read_side(tlv_context *ctx, const tlv_frame *frame, size_t s, tlv_mmsb_parts *parts)
{
	parts->side[s].n = tlv_frame_find(frame, names[s].nodes)->rows;
	parts->side[s].names = tlv_name_list_of(frame, &name_sections[s]);
	parts->side[s].nodes = tlv_frame_int64(frame, names[s].nodes);
	parts->side[s].degree = tlv_frame_float64(frame, names[s].degree);
	if (parts->degree_corrected)
		parts->side[s].propensity = tlv_frame_float64(frame, names[s].propensity);
	return tlv_memberships_open(ctx, frame, parts->side[s].n, names[s].support,
								names[s].communities, names[s].shares, &parts->side[s].memberships);
}

tlv_status
tlv_mmsb_read(tlv_context *ctx, const tlv_frame *frame, tlv_mmsb_parts *parts)
{
	*parts = (tlv_mmsb_parts){0};
	parts->k = tlv_frame_find(frame, "connectivity")->rows;
	parts->graph = (tlv_graph_kind) tlv_frame_scalar(frame, "graph", 0);
	parts->sides = parts->graph == TLV_GRAPH_UNDIRECTED ? 1 : 2;
	parts->poisson = tlv_frame_scalar(frame, "poisson", 0) != 0;
	parts->degree_corrected = tlv_frame_scalar(frame, "degree_corrected", 0) != 0;
	parts->alpha0 = tlv_frame_scalar(frame, "alpha0", 0);
	parts->seed = tlv_frame_scalar(frame, "seed", 0);
	parts->unit = tlv_frame_scalar(frame, "unit", 1);
	parts->tied = tlv_frame_scalar(frame, "tied", 0) != 0;
	parts->alpha = tlv_frame_float64(frame, "alpha");
	parts->sizes = tlv_frame_float64(frame, "sizes");
	parts->connectivity = tlv_frame_float64(frame, "connectivity");
	for (size_t s = 0; s < parts->sides; s++)
		TLV_TRY(read_side(ctx, frame, s, parts));
	return TLV_OK;
}

/* ---- validation ---- */

/* Requires float64 numbers from 0 to TLV_LARGEST_NUMBER. */
static tlv_status
check_rates(tlv_context *ctx, const tlv_frame *frame, const char *name, uint64_t rows,
			uint64_t columns)
{
	const double *numbers = NULL;

	TLV_TRY(
		tlv_frame_require(ctx, frame, name, TLV_FLOAT64, rows, columns, (const void **) &numbers));
	for (uint64_t i = 0; i < rows * columns; i++)
		if (!(numbers[i] >= 0 && numbers[i] <= TLV_LARGEST_NUMBER))
			return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of section \"%s\" is %g, not 0 .. %g",
							(size_t) i + 1, name, numbers[i], TLV_LARGEST_NUMBER);
	return TLV_OK;
}

/* Only a directed graph has the same nodes on both sides. */
static tlv_status
check_tied(tlv_context *ctx, const tlv_frame *frame, bool directed)
{
	const tlv_section *sources = tlv_frame_find(frame, names[0].nodes);
	const tlv_section *targets = tlv_frame_find(frame, names[1].nodes);

	if (tlv_frame_find(frame, "tied") == NULL)
		return TLV_OK;
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "tied"));
	if (tlv_frame_scalar(frame, "tied", 0) > 1)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"tied\" is %g, not 0 or 1",
						tlv_frame_scalar(frame, "tied", 0));
	if (tlv_frame_scalar(frame, "tied", 0) == 1 &&
		!(directed && sources != NULL && targets != NULL && sources->element == TLV_INT64 &&
		  targets->element == TLV_INT64 && sources->columns == 1 && targets->columns == 1 &&
		  sources->rows == targets->rows &&
		  memcmp(tlv_section_data(frame, sources), tlv_section_data(frame, targets),
				 sources->rows * sizeof(int64_t)) == 0))
		return tlv_fail(ctx, TLV_CORRUPT,
						"tied sides are of a directed graph with the same nodes on both");
	return TLV_OK;
}

static tlv_status
mmsb_check_scalars(tlv_context *ctx, const tlv_frame *frame)
{
	const double *unit;
	static const char *const flags[] = {"poisson", "degree_corrected"};
	double graph;

	TLV_TRY(check_rates(ctx, frame, "alpha0", 1, 1));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "seed"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "graph"));
	graph = tlv_frame_scalar(frame, "graph", 0);
	if (!(graph >= TLV_GRAPH_UNDIRECTED && graph <= TLV_GRAPH_BIPARTITE))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"graph\" is %g, not a kind of graph", graph);
	for (int i = 0; i < 2; i++)
	{
		TLV_TRY(tlv_frame_require_whole(ctx, frame, flags[i]));
		if (tlv_frame_scalar(frame, flags[i], 2) > 1)
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is %g, not 0 or 1", flags[i],
							tlv_frame_scalar(frame, flags[i], 2));
	}
	TLV_TRY(check_tied(ctx, frame, graph == TLV_GRAPH_DIRECTED));
	if (tlv_frame_find(frame, "unit") == NULL)
		return TLV_OK;
	/* Weights are divided by it, so that it is as large as they are. */
	TLV_TRY(tlv_frame_require(ctx, frame, "unit", TLV_FLOAT64, 1, 1, (const void **) &unit));
	if (!(*unit > 0 && *unit <= DBL_MAX))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"unit\" is %g, not a unit of weights", *unit);
	return TLV_OK;
}

static tlv_status
check_side(tlv_context *ctx, const tlv_frame *frame, size_t s, size_t k)
{
	const tlv_section *nodes = tlv_frame_find(frame, names[s].nodes);
	const uint16_t *support = NULL, *community = NULL;
	const float *share = NULL;
	uint64_t entries = 0, n;

	if (nodes == NULL || nodes->element != TLV_INT64 || nodes->columns != 1 || nodes->rows == 0 ||
		nodes->rows > (uint64_t) TLV_DICTIONARY_MAX)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is missing or has the wrong shape",
						names[s].nodes);
	n = nodes->rows;
	TLV_TRY(tlv_frame_require_ascending(ctx, frame, names[s].nodes));
	TLV_TRY(tlv_name_list_check(ctx, frame, &name_sections[s], n));
	TLV_TRY(check_rates(ctx, frame, names[s].degree, n, 1));
	if (tlv_frame_scalar(frame, "degree_corrected", 0) != 0)
		TLV_TRY(check_rates(ctx, frame, names[s].propensity, n, 1));
	TLV_TRY(tlv_frame_require(ctx, frame, names[s].support, TLV_BYTES, 2 * n, 1,
							  (const void **) &support));
	for (uint64_t u = 0; u < n; u++)
		entries += support[u];
	TLV_TRY(tlv_frame_require(ctx, frame, names[s].communities, TLV_BYTES, 2 * entries, 1,
							  (const void **) &community));
	TLV_TRY(tlv_frame_require(ctx, frame, names[s].shares, TLV_BYTES, 4 * entries, 1,
							  (const void **) &share));
	return tlv_memberships_check(ctx, k, n, support, community, share);
}

/* Linear in the size of the value. */
static tlv_status
mmsb_check(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *connectivity = tlv_frame_find(frame, "connectivity");
	uint64_t k, sides;

	TLV_TRY(mmsb_check_scalars(ctx, frame));
	if (connectivity == NULL || connectivity->rows == 0 || connectivity->rows > UINT16_MAX)
		return tlv_fail(ctx, TLV_CORRUPT,
						"section \"connectivity\" is missing or has no communities");
	k = connectivity->rows;
	sides = tlv_frame_scalar(frame, "graph", 0) == TLV_GRAPH_UNDIRECTED ? 1 : 2;
	TLV_TRY(check_rates(ctx, frame, "connectivity", k, k));
	TLV_TRY(check_rates(ctx, frame, "alpha", k, sides));
	TLV_TRY(check_rates(ctx, frame, "sizes", k, sides));
	for (size_t s = 0; s < sides; s++)
		TLV_TRY(check_side(ctx, frame, s, k));
	return tlv_diagnostics_check(ctx, frame);
}

static size_t
mmsb_components(const tlv_frame *frame)
{
	return tlv_frame_find(frame, "connectivity")->rows;
}

/* ---- layout ---- */

static const char *const graph_names[] = {"", "undirected", "directed", "bipartite", NULL};
/* Side s, from 1. */
#define SIDE(s)                                                                                    \
	{"nodes_" #s, TLV_FIELD_IDS, .flags = TLV_MAY_BE_EMPTY},                                       \
		{"degree_" #s, TLV_FIELD_LIST, .flags = TLV_MAY_BE_EMPTY},                                 \
		{"propensity_" #s, TLV_FIELD_LIST, .flags = TLV_MAY_BE_EMPTY},                             \
		{"support_" #s,                                                                            \
		 TLV_FIELD_MEMBERSHIPS,                                                                    \
		 .flags = TLV_MAY_BE_EMPTY,                                                                \
		 .beside = "communities_" #s,                                                              \
		 .behind = "shares_" #s,                                                                   \
		 .json = "memberships_" #s},                                                               \
	{                                                                                              \
		"name_offsets_" #s, TLV_FIELD_TEXTS, .flags = TLV_MAY_BE_EMPTY, .beside = "names_" #s,     \
											 .json = "node_names_" #s                              \
	}
static const tlv_field mmsb_fields[] = {
	{"alpha0", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"graph", TLV_FIELD_CHOICE, .names = graph_names},
	{"poisson", TLV_FIELD_FLAG, .flags = TLV_DEFAULT_ZERO},
	{"degree_corrected", TLV_FIELD_FLAG, .flags = TLV_DEFAULT_ZERO},
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"unit", TLV_FIELD_NUMBER, .flags = TLV_MAY_BE_EMPTY},
	{"tied", TLV_FIELD_FLAG, .flags = TLV_MAY_BE_EMPTY},
	{"alpha", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_ROWS},
	{"sizes", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_ROWS},
	{"connectivity", TLV_FIELD_BY_ROWS, .flags = TLV_OF_ROWS | TLV_OF_COLUMNS},
	SIDE(1),
	SIDE(2),
	{.form = TLV_FIELDS_END},
};
#undef SIDE
static const char *const mmsb_series[] = {"conductance_1", "recurrence_1", NULL};
static const tlv_spread mmsb_spreads[] = {{.variances = NULL}};
static const tlv_layout mmsb_layout = {
	.spreads = mmsb_spreads,
	.merge = tlv_mmsb_merge,
	.fields = mmsb_fields,
	.weights = "sizes",
	.series = mmsb_series,
	.arrange = tlv_mmsb_arrange,
	.apart = tlv_mmsb_apart,
};

/* Of the neighbours in a row; a name is the id of its text. */
static tlv_ids
mmsb_ids(const tlv_model *model, int part, int64_t id, bool *known)
{
	const tlv_dictionary *dictionary;

	(void) part;
	(void) tlv_mmsb_opened(model, &dictionary);
	*known = tlv_dictionary_find(dictionary, id) >= 0;
	return TLV_IDS_NUMBERS;
}

/* How often nodes of two communities are joined. */
static tlv_status
mmsb_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	const tlv_name_list none = {NULL, NULL};
	const tlv_section *section = tlv_frame_find(model, "connectivity");
	tlv_picture_component *components;

	TLV_TRY(tlv_picture_components(ctx, model, "community", &components));
	TLV_TRY(tlv_draw_matrix(ctx, picture, section->rows, components, section->columns,
							tlv_section_data(model, section), &none));
	tlv_free(ctx, components);
	return TLV_OK;
}

static const tlv_model_class mmsb_class = {
	.layout = &mmsb_layout,
	.draw = mmsb_draw,
	.page = &tlv_mmsb_page,
	.open = tlv_mmsb_open,
	.components = mmsb_components,
	.ids = mmsb_ids,
	.rows = TLV_ROW_BAG,
	.infer = tlv_mmsb_infer,
	.log_likelihood = tlv_mmsb_log_likelihood,
	.statistics = tlv_mmsb_statistics,
	.update = tlv_mmsb_update,
	.match = tlv_mmsb_match,
	.estimates = tlv_mmsb_estimates,
	.standard_errors = tlv_mmsb_standard_errors,
};

const tlv_kind tlv_kind_mmsb = {TLV_KIND_LINE(MMSB, mmsb), .check = mmsb_check,
								.model = &mmsb_class};

/* ---- a pair of nodes ---- */

size_t
tlv_mmsb_find_node(const tlv_mmsb_parts *parts, size_t side, int64_t node)
{
	return tlv_find_id(parts->side[side].nodes, parts->side[side].n, node);
}

double
tlv_mmsb_edge_probability(const tlv_mmsb_parts *parts, int64_t source, int64_t target)
{
	size_t to = parts->sides - 1, u = tlv_mmsb_find_node(parts, 0, source),
		   v = tlv_mmsb_find_node(parts, to, target);
	const tlv_memberships *a = &parts->side[0].memberships, *b = &parts->side[to].memberships;
	double rate = 0, sums[2] = {0, 0};

	if (u == parts->side[0].n || v == parts->side[to].n || a->start[u] == a->start[u + 1] ||
		b->start[v] == b->start[v + 1])
		return NAN;
	for (size_t i = a->start[u]; i < a->start[u + 1]; i++)
		for (size_t j = b->start[v]; j < b->start[v + 1]; j++)
			rate += (double) a->share[i] * b->share[j] *
					parts->connectivity[a->community[i] + parts->k * b->community[j]];
	for (size_t i = a->start[u]; i < a->start[u + 1]; i++)
		sums[0] += a->share[i];
	for (size_t j = b->start[v]; j < b->start[v + 1]; j++)
		sums[1] += b->share[j];
	rate /= sums[0] * sums[1];
	if (parts->degree_corrected)
		rate *= parts->side[0].propensity[u] * parts->side[to].propensity[v];
	return parts->poisson ? -expm1(-rate) : fmin(rate, 1);
}
