/*
 * model.c - the stored form of a network, and what it can do (network.h).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/assignment.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/picture.h"

#define SIZE_UNITS	TLV_SIZE_1
#define SIZE_ITEMS	TLV_SIZE_2
#define SIZE_EDGES	TLV_SIZE_3
#define SIZE_LAYERS TLV_SIZE_4
#define SIZE_BYTES	TLV_SIZE_5

/* ---- the stored form ---- */

tlv_status
tlv_network_write(tlv_context *ctx, const tlv_network_parts *parts, void **image, size_t *size)
{
	return tlv_sections_write(ctx, tlv_kind_network.model->sections, parts, image, size);
}

void
tlv_network_read(const tlv_frame *frame, tlv_network_parts *parts)
{
	tlv_sections_read(frame, tlv_kind_network.model->sections, parts);
}

static tlv_status
check_layers(tlv_context *ctx, const tlv_network_parts *parts)
{
	double units = 0;

	for (size_t l = 0; l < parts->layers_n; l++)
		units += parts->layers[l];
	if (units != (double) parts->units_n)
		return tlv_fail(ctx, TLV_CORRUPT, "the layers have %.0f units, weights are of %zu", units,
						parts->units_n);
	for (size_t u = 0; u < parts->units_n; u++)
		if (parts->weights[u] > 1)
			return tlv_fail(ctx, TLV_CORRUPT, "unit %zu is on in %g of the rows", u + 1,
							parts->weights[u]);
	return TLV_OK;
}

/* Whether a child is one of the layer below a unit's. */
static bool
is_below(const tlv_network_parts *parts, size_t unit, int64_t child)
{
	size_t first = 0, below = 0, l = 0;

	while ((double) unit >= (double) first + parts->layers[l])
	{
		below = first;
		first += (size_t) parts->layers[l++];
	}
	if (l == 0)
		return child >= 0 && child < (int64_t) parts->items_n;
	return child >= (int64_t) below && child < (int64_t) first;
}

static tlv_status
check_edges(tlv_context *ctx, const tlv_network_parts *parts)
{
	const int64_t *units = parts->edge_units, *children = parts->edge_children;
	double *positive;

	TLV_TRY_NEW0(ctx, positive, parts->units_n);
	for (size_t i = 0; i < parts->edges_n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (units[i] < 0 || units[i] >= (int64_t) parts->units_n ||
			!is_below(parts, (size_t) units[i], children[i]))
			return tlv_fail(ctx, TLV_CORRUPT, "edge %zu leads nowhere", i + 1);
		if (i > 0 && (units[i] < units[i - 1] ||
					  (units[i] == units[i - 1] && children[i] <= children[i - 1])))
			return tlv_fail(ctx, TLV_CORRUPT, "edge %zu is not in order", i + 1);
		if (fabs(parts->edge_weights[i]) != 1)
			return tlv_fail(ctx, TLV_CORRUPT, "edge %zu has weight %g, not 1 or -1", i + 1,
							parts->edge_weights[i]);
		if (parts->edge_shares[i] > 1)
			return tlv_fail(ctx, TLV_CORRUPT, "edge %zu has the share %g", i + 1,
							parts->edge_shares[i]);
		positive[units[i]] += parts->edge_weights[i] > 0;
	}
	for (size_t u = 0; u < parts->units_n; u++)
		if (positive[u] == 0)
			return tlv_fail(ctx, TLV_CORRUPT, "unit %zu has no child of weight 1", u + 1);
	tlv_free(ctx, positive);
	return TLV_OK;
}

static tlv_status
network_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	tlv_network_parts parts;

	(void) sizes;
	tlv_network_read(frame, &parts);
	TLV_TRY(tlv_name_list_check(
		ctx, frame, &(const tlv_name_sections){"item_offsets", "item_names"}, parts.items_n));
	TLV_TRY(check_layers(ctx, &parts));
	return check_edges(ctx, &parts);
}

#define AT(member) offsetof(tlv_network_parts, member)
static const tlv_declaration network_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(rows)},
	{"seed", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(seed)},
	{"steps", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(steps)},
	{"items", TLV_INT64, SIZE_ITEMS, TLV_ONE, TLV_ASCENDING, TLV_KEPT, AT(items)},
	{"item_names", TLV_BYTES, SIZE_BYTES, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(item_names)},
	{"item_offsets", TLV_INT64, TLV_2_AND_1, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(item_offsets)},
	{"layers", TLV_FLOAT64, SIZE_LAYERS, TLV_ONE, TLV_COUNTED, TLV_KEPT, AT(layers)},
	{"weights", TLV_FLOAT64, SIZE_UNITS, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(weights)},
	{"edge_units", TLV_INT64, SIZE_EDGES, TLV_ONE, TLV_ANY, TLV_KEPT, AT(edge_units)},
	{"edge_children", TLV_INT64, SIZE_EDGES, TLV_ONE, TLV_ANY, TLV_KEPT, AT(edge_children)},
	{"edge_weights", TLV_FLOAT64, SIZE_EDGES, TLV_ONE, TLV_ANY, TLV_KEPT, AT(edge_weights)},
	{"edge_shares", TLV_FLOAT64, SIZE_EDGES, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(edge_shares)},
};
static const tlv_sections network_sections = {
	.state = sizeof(tlv_network_parts),
	.kind = TLV_KIND_NETWORK,
	TLV_LIST(network_list),
	.least = {1, 1, 1, 1, 0},
	.most = {TLV_NETWORK_MOST_UNITS, TLV_NETWORK_MOST_ITEMS, TLV_FRAME_MAX_BYTES,
			 TLV_NETWORK_MOST_LAYERS, TLV_FRAME_MAX_BYTES},
	.size_at = {AT(units_n), AT(items_n), AT(edges_n), AT(layers_n), AT(bytes_n)},
	.diagnostics = AT(diagnostics),
	.check_more = network_check_more,
};
#undef AT

static const tlv_field network_fields[] = {
	{"rows", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"steps", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"items", TLV_FIELD_IDS, .flags = 0},
	{"item_names", TLV_FIELD_TEXTS, .flags = TLV_MAY_BE_EMPTY | TLV_BYTES_FIRST,
	 .beside = "item_offsets"},
	{"layers", TLV_FIELD_LIST, .flags = 0},
	{"weights", TLV_FIELD_LIST, .flags = 0},
	{"edge_units", TLV_FIELD_IDS, .flags = 0},
	{"edge_children", TLV_FIELD_IDS, .flags = 0},
	{"edge_weights", TLV_FIELD_LIST, .flags = 0},
	{"edge_shares", TLV_FIELD_LIST, .flags = 0},
	{.form = TLV_FIELDS_END},
};
/* units of several layers cannot be renumbered: no weights are named */
static const tlv_layout network_layout = {.fields = network_fields};

/* ---- use ---- */

static tlv_status
network_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model)
{
	TLV_TRY(tlv_model_create(ctx, frame, sizeof(tlv_network_model), model));
	return tlv_network_open(ctx, frame, (tlv_network_model *) *model);
}

static tlv_ids
network_ids(const tlv_model *model, int part, int64_t id, bool *known)
{
	const tlv_network_model *own = (const tlv_network_model *) model;

	(void) part;
	*known = tlv_dictionary_find(&own->items, id) >= 0;
	return own->parts.item_offsets != NULL ? TLV_IDS_NAMES : TLV_IDS_NUMBERS;
}

/* Which items every unit reaches by edges of weight 1, as bits, units x words. */
static tlv_status
reach(tlv_context *ctx, const tlv_network_parts *parts, const tlv_dictionary *items, size_t words,
	  uint64_t **bits)
{
	TLV_TRY_NEW0_ROWS(ctx, *bits, parts->units_n, words);
	for (size_t i = 0; i < parts->edges_n; i++)
	{
		uint64_t *own = *bits + (size_t) parts->edge_units[i] * words;
		size_t child = (size_t) parts->edge_children[i];

		TLV_TRY_CONTINUE(ctx);
		if (parts->edge_weights[i] < 0)
			continue;
		if ((double) parts->edge_units[i] < parts->layers[0])
		{
			size_t place = (size_t) tlv_dictionary_find(items, parts->items[child]);

			own[place / 64] |= UINT64_C(1) << (place % 64);
			continue;
		}
		for (size_t w = 0; w < words; w++)
			own[w] |= (*bits)[child * words + w];
	}
	return TLV_OK;
}

/* Distances of units: 1 less the share of items that both reach among those that either does. */
static tlv_status
network_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	tlv_network_parts x, y;
	tlv_dictionary items = {0};
	uint64_t *of_x, *of_y;
	double *cost;
	size_t words;
	int32_t place;

	tlv_network_read(a, &x);
	tlv_network_read(b, &y);
	for (size_t i = 0; i < x.items_n + y.items_n; i++)
		TLV_TRY(tlv_dictionary_add(ctx, &items, i < x.items_n ? x.items[i] : y.items[i - x.items_n],
								   &place));
	words = items.n / 64 + 1;
	TLV_TRY(reach(ctx, &x, &items, words, &of_x));
	TLV_TRY(reach(ctx, &y, &items, words, &of_y));
	TLV_TRY_NEW_ROWS(ctx, cost, x.units_n, y.units_n);
	for (size_t i = 0; i < x.units_n; i++)
		for (size_t j = 0; j < y.units_n; j++)
		{
			double both = 0, either = 0;

			TLV_TRY_CONTINUE(ctx);
			for (size_t w = 0; w < words; w++)
			{
				uint64_t s = of_x[i * words + w], t = of_y[j * words + w];

				both += __builtin_popcountll(s & t);
				either += __builtin_popcountll(s | t);
			}
			cost[j + i * y.units_n] = tlv_network_layer(&x, i) == tlv_network_layer(&y, j)
										  ? 1 - both / fmax(1, either)
										  : 1;
		}
	TLV_TRY(tlv_assign_components(ctx, x.units_n, y.units_n, cost, NAN, match->component,
								  match->distance));
	tlv_free(ctx, cost);
	tlv_free(ctx, of_x);
	tlv_free(ctx, of_y);
	tlv_dictionary_clear(ctx, &items);
	return TLV_OK;
}

static const char *const network_page_fields[] = {"items",		  "item_names",	 "layers",
												  "weights",	  "edge_units",	 "edge_children",
												  "edge_weights", "edge_shares", NULL};
/* The items and lower units that switch a unit on, those of positive weight first. */
static tlv_status
network_describe(tlv_context *ctx, const tlv_frame *model, size_t n, tlv_text *texts)
{
	/* Children that describe a unit. */
	const int describing = 10;
	tlv_network_parts parts;
	tlv_name_list names;
	tlv_json_writer *written;
	size_t *listed;

	tlv_network_read(model, &parts);
	names = (tlv_name_list){parts.item_offsets, parts.item_names};
	TLV_TRY_NEW0(ctx, written, n);
	TLV_TRY_NEW0(ctx, listed, n);
	for (size_t e = 0; e < 2 * parts.edges_n; e++)
	{
		size_t at = e < parts.edges_n ? e : e - parts.edges_n;
		size_t u = (size_t) parts.edge_units[at];
		size_t child = (size_t) parts.edge_children[at];
		bool positive = parts.edge_weights[at] > 0;
		tlv_text name = {NULL, 0};
		char digits[40];

		TLV_TRY_CONTINUE_AT(ctx, e);
		if (positive != (e < parts.edges_n) || u >= n || listed[u] == describing)
			continue;
		if (child < parts.items_n)
			name = tlv_name_at(&names, child);
		written[u].most = TLV_PAGE_DIGEST_MOST;
		TLV_TRY(tlv_json_put(ctx, written + u, listed[u]++ > 0 ? ", " : ""));
		TLV_TRY(tlv_json_put(ctx, written + u, positive ? "" : "not "));
		if (child < parts.items_n)
			snprintf(digits, sizeof(digits), "%" PRId64, parts.items[child]);
		else
			snprintf(digits, sizeof(digits), "unit %zu", child - parts.items_n + 1);
		if (name.bytes == NULL)
			name = (tlv_text){digits, strlen(digits)};
		TLV_TRY(tlv_json_append(ctx, written + u, name.bytes, name.length));
	}
	for (size_t u = 0; u < n; u++)
		texts[u] = (tlv_text){written[u].bytes, written[u].n};
	tlv_free(ctx, written);
	tlv_free(ctx, listed);
	return TLV_OK;
}

/* The children of the first units, by how many of these they have. */
static tlv_status
choose_children(tlv_context *ctx, const tlv_network_parts *parts, size_t n, size_t *columns,
				int64_t **children)
{
	double *edges;

	*columns = tlv_least(parts->items_n, TLV_PICTURE_COLUMNS);
	TLV_TRY_NEW0(ctx, edges, parts->items_n);
	TLV_TRY_NEW(ctx, *children, *columns);
	for (size_t i = 0; i < parts->edges_n; i++)
	{
		/* children of the layers above are units, not items */
		TLV_TRY_CONTINUE_AT(ctx, i);
		if ((double) parts->edge_units[i] < (double) n &&
			(double) parts->edge_units[i] < parts->layers[0])
			edges[parts->edge_children[i]]++;
	}
	for (size_t c = 0; c < *columns; c++)
	{
		size_t most = 0;

		for (size_t v = 1; v < parts->items_n; v++)
			most = edges[v] > edges[most] ? v : most;
		(*children)[c] = (int64_t) most;
		edges[most] = -1;
	}
	tlv_free(ctx, edges);
	return TLV_OK;
}

/* The names of the chosen items; none where they have none. */
static tlv_status
name_children(tlv_context *ctx, const tlv_network_parts *parts, size_t columns,
			  const int64_t *children, tlv_name_list *heads)
{
	int64_t *offsets;
	char *bytes;
	size_t at = 0;

	*heads = (tlv_name_list){NULL, NULL};
	if (parts->item_offsets == NULL)
		return TLV_OK;
	TLV_TRY_NEW(ctx, offsets, columns + 1);
	TLV_TRY_NEW(ctx, bytes, parts->bytes_n);
	for (size_t c = 0; c < columns; c++)
	{
		offsets[c] = (int64_t) at;
		for (int64_t i = parts->item_offsets[children[c]]; i < parts->item_offsets[children[c] + 1];
			 i++)
			bytes[at++] = parts->item_names[i];
	}
	offsets[columns] = (int64_t) at;
	*heads = (tlv_name_list){offsets, bytes};
	return TLV_OK;
}

static tlv_status
network_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_network_parts parts;
	tlv_picture_component *components;
	tlv_name_list heads;
	int64_t *children;
	double *numbers;
	size_t n, columns;

	tlv_network_read(model, &parts);
	n = tlv_least((size_t) parts.layers[0], TLV_PICTURE_COMPONENTS);
	TLV_TRY_NEW(ctx, components, n);
	for (size_t u = 0; u < n; u++)
		components[u] =
			(tlv_picture_component){tlv_component_label(model, u), "unit", u + 1, parts.weights[u]};
	TLV_TRY(choose_children(ctx, &parts, n, &columns, &children));
	TLV_TRY(name_children(ctx, &parts, columns, children, &heads));
	TLV_TRY_NEW0_ROWS(ctx, numbers, n, columns);
	for (size_t i = 0; i < parts.edges_n && (size_t) parts.edge_units[i] < n; i++)
		for (size_t c = 0; c < columns; c++)
			if (children[c] == parts.edge_children[i])
				numbers[(size_t) parts.edge_units[i] + n * c] = parts.edge_weights[i];
	TLV_TRY(tlv_draw_matrix(ctx, picture, n, components, columns, numbers, &heads));
	tlv_free(ctx, numbers);
	tlv_free(ctx, components);
	return TLV_OK;
}

static const tlv_page_view network_page = {
	.describe = network_describe, .view = "matrix", .what = "unit", .fields = network_page_fields};

static const tlv_model_class network_class = {
	.sections = &network_sections,
	.layout = &network_layout,
	.draw = network_draw,
	.page = &network_page,
	.open = network_open,
	.components_size = SIZE_UNITS,
	.ids = network_ids,
	.statistics = tlv_network_statistics,
	.update = tlv_network_update,
	.match = network_match,
	.no_estimates = "Edges are decided by thresholds: fit two halves of the rows, and compare "
					"their units with tlv_match.",
};

const tlv_kind tlv_kind_network = {TLV_KIND_LINE(NETWORK, network), .model = &network_class};
