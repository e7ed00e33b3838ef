/*
 * units.c - which units are on for a row, and which items for units (internal.h).
 *
 * A unit is on when more than six in ten of its children of weight 1 are (algorithm 6.4 of Ge 2013,
 * whose threshold is 0.3 of all children; per unit, since these differ in number).
 */
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/bag.h"

/* ---- opening ---- */

static tlv_status
fill_children(tlv_context *ctx, const tlv_network_parts *parts, tlv_network_layer_edges *e,
			  int sign, int64_t *at)
{
	for (size_t i = 0; i < parts->edges_n; i++)
	{
		size_t unit = (size_t) parts->edge_units[i];

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (unit >= e->first && unit < e->first + e->units &&
			(parts->edge_weights[i] > 0) == (sign > 0))
			e->child[at[unit - e->first]++] =
				(int32_t) ((size_t) parts->edge_children[i] - e->below);
	}
	return TLV_OK;
}

/* The units of every child. */
static tlv_status
list_parents(tlv_context *ctx, tlv_network_layer_edges *e)
{
	int64_t *at;

	TLV_TRY_NEW0(ctx, e->parent_starts, e->children + 1);
	TLV_TRY_NEW(ctx, e->parent, (size_t) e->starts[e->units]);
	TLV_TRY_NEW(ctx, at, e->children);
	for (size_t u = 0; u < e->units; u++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (int64_t i = e->starts[u]; i < e->middle[u]; i++)
			e->parent_starts[e->child[i] + 1]++;
	}
	for (size_t v = 0; v < e->children; v++)
		e->parent_starts[v + 1] += e->parent_starts[v];
	memcpy(at, e->parent_starts, e->children * sizeof(int64_t));
	for (size_t u = 0; u < e->units; u++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (int64_t i = e->starts[u]; i < e->middle[u]; i++)
			e->parent[at[e->child[i]]++] = (int32_t) u;
	}
	tlv_free(ctx, at);
	return TLV_OK;
}

tlv_status
tlv_network_layer_edges_of(tlv_context *ctx, const tlv_network_parts *parts, size_t layer,
						   tlv_network_layer_edges *e)
{
	int64_t *at;
	size_t edges = 0;

	*e = (tlv_network_layer_edges){.units = (size_t) parts->layers[layer]};
	for (size_t l = 0; l < layer; l++)
	{
		e->below = e->first;
		e->first += (size_t) parts->layers[l];
	}
	e->children = layer == 0 ? parts->items_n : (size_t) parts->layers[layer - 1];
	TLV_TRY_NEW0(ctx, e->starts, 2 * e->units + 1);
	e->middle = e->starts + e->units + 1;
	for (size_t i = 0; i < parts->edges_n; i++)
	{
		size_t unit = (size_t) parts->edge_units[i];

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (unit < e->first || unit >= e->first + e->units)
			continue;
		e->starts[unit - e->first + 1]++;
		e->middle[unit - e->first] += parts->edge_weights[i] > 0;
		edges++;
	}
	for (size_t u = 0; u < e->units; u++)
	{
		e->starts[u + 1] += e->starts[u];
		e->middle[u] += e->starts[u];
	}
	TLV_TRY_NEW(ctx, e->child, edges);
	TLV_TRY_NEW(ctx, at, e->units);
	memcpy(at, e->starts, e->units * sizeof(int64_t));
	TLV_TRY(fill_children(ctx, parts, e, 1, at));
	TLV_TRY(fill_children(ctx, parts, e, -1, at));
	tlv_free(ctx, at);
	return list_parents(ctx, e);
}

tlv_status
tlv_network_open(tlv_context *ctx, const tlv_frame *frame, tlv_network_model *model)
{
	tlv_network_parts *parts = &model->parts;
	size_t most = 0;

	tlv_network_read(frame, parts);
	TLV_TRY(tlv_dictionary_freeze(ctx, &model->items, parts->items_n, parts->items));
	for (size_t l = 0; l < parts->layers_n; l++)
	{
		TLV_TRY(tlv_network_layer_edges_of(ctx, parts, l, &model->layer[l]));
		most = most > model->layer[l].units ? most : model->layer[l].units;
		most = most > model->layer[l].children ? most : model->layer[l].children;
	}
	TLV_TRY_NEW(ctx, model->on, most);
	TLV_TRY_NEW(ctx, model->touched, most);
	TLV_TRY_NEW0(ctx, model->sum, most);
	TLV_TRY_NEW(ctx, model->units, parts->units_n);
	TLV_TRY_NEW(ctx, model->shares, parts->units_n);
	return TLV_OK;
}

/* ---- rows ---- */

bool
tlv_network_row_is_whole(const tlv_row *row)
{
	if (row->form == TLV_ROW_BAG || row->part[0].missing == NULL)
		return true;
	for (size_t i = 0; i < row->part[0].n; i++)
		if (row->part[0].missing[i])
			return false;
	return true;
}

/* Ids in ascending order, each once. */
static tlv_status
sort_distinct(tlv_context *ctx, size_t n, int64_t *ids, size_t *distinct)
{
	tlv_bag_entry *entries;

	*distinct = n;
	for (size_t i = 1; i < n && ids[i - 1] < ids[i]; i++)
		if (i == n - 1)
			return TLV_OK; /* they are */
	if (n < 2)
		return TLV_OK;
	TLV_TRY_NEW(ctx, entries, 2 * n);
	for (size_t i = 0; i < n; i++)
		entries[i] = (tlv_bag_entry){ids[i], 1};
	TLV_TRY(tlv_bag_sort(ctx, n, entries, entries + n, distinct));
	for (size_t i = 0; i < *distinct; i++)
		ids[i] = entries[i].item;
	tlv_free(ctx, entries);
	return TLV_OK;
}

tlv_status
tlv_network_row(tlv_context *ctx, const tlv_row *row, int64_t **buffer, double **weights,
				size_t *room, size_t *n)
{
	bool bag = row->form == TLV_ROW_BAG;

	*n = bag ? row->bag->n : row->part[0].n;
	if (*n > *room || *buffer == NULL)
	{
		tlv_free(ctx, *buffer);
		tlv_free(ctx, *weights);
		*buffer = NULL;
		*weights = NULL;
		*room = 0;
		TLV_TRY_NEW(ctx, *buffer, 2 * *n);
		TLV_TRY_NEW(ctx, *weights, 2 * *n);
		*room = 2 * *n;
	}
	if (bag)
		return tlv_bag_read(ctx, row->bag, *buffer, *weights);
	TLV_TRY(tlv_copy(ctx, *buffer, row->part[0].ids, *n * sizeof(int64_t)));
	return sort_distinct(ctx, *n, *buffer, n);
}

/* The units of a layer that are on over what is on below it. */
static void
network_climb(tlv_network_model *model, const tlv_network_layer_edges *e)
{
	size_t touched = 0, n = 0;

	for (size_t i = 0; i < model->on_n; i++)
		for (int64_t p = e->parent_starts[model->on[i]]; p < e->parent_starts[model->on[i] + 1];
			 p++)
			if (model->sum[e->parent[p]]++ == 0)
				model->touched[touched++] = e->parent[p];
	for (size_t i = 0; i < touched; i++)
	{
		int32_t unit = model->touched[i];
		double share = model->sum[unit] / (double) (e->middle[unit] - e->starts[unit]);
		size_t at = n;

		model->sum[unit] = 0;
		if (!(share > SHARE_ON))
			continue;
		for (; at > 0 && model->on[at - 1] > unit; at--) /* ascending */
		{
			model->on[at] = model->on[at - 1];
			model->shares[model->units_n + at] = model->shares[model->units_n + at - 1];
		}
		model->on[at] = unit;
		model->shares[model->units_n + at] = share;
		n++;
	}
	model->on_n = n;
	for (size_t i = 0; i < n; i++)
		model->units[model->units_n + i] = (int32_t) e->first + model->on[i];
	model->units_n += n;
}

tlv_status
tlv_network_run(tlv_context *ctx, tlv_network_model *model, const tlv_row *row, size_t layers)
{
	size_t n;

	TLV_TRY(tlv_network_row(ctx, row, &model->buffer, &model->weights, &model->buffer_room, &n));
	model->on_n = 0;
	model->units_n = 0;
	for (size_t i = 0; i < n; i++)
	{
		int32_t place = tlv_dictionary_find(&model->items, model->buffer[i]);

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (place >= 0)
			model->on[model->on_n++] = place;
	}
	for (size_t l = 0; l < layers; l++)
		network_climb(model, &model->layer[l]);
	return TLV_OK;
}

tlv_status
tlv_network_encode(tlv_context *ctx, tlv_model *model, const tlv_row *row, size_t *n,
				   const int32_t **units, const double **shares)
{
	tlv_network_model *network = (tlv_network_model *) model;

	*n = 0;
	if (tlv_network_row_is_whole(row))
	{
		TLV_TRY(tlv_network_run(ctx, network, row, network->parts.layers_n));
		*n = network->units_n;
	}
	*units = network->units;
	*shares = network->shares;
	return TLV_OK;
}

/* ---- from units to items ---- */

size_t
tlv_network_layer(const tlv_network_parts *parts, size_t unit)
{
	double first = 0;

	for (size_t l = 0; l < parts->layers_n; l++)
	{
		first += parts->layers[l];
		if ((double) unit < first)
			return l + 1;
	}
	return 0;
}

/* What is on below when these (0 or 1 for every unit of the layer) are. */
static tlv_status
network_descend(tlv_context *ctx, const tlv_network_parts *parts, size_t layer, const int32_t *on,
				int32_t **below)
{
	tlv_network_layer_edges e;

	TLV_TRY(tlv_network_layer_edges_of(ctx, parts, layer, &e));
	TLV_TRY_NEW0(ctx, *below, e.children);
	for (size_t u = 0; u < e.units; u++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (int64_t i = e.starts[u]; i < e.starts[u + 1] && on[u]; i++)
			(*below)[e.child[i]] += i < e.middle[u] ? 1 : -1;
	}
	for (size_t v = 0; v < e.children; v++)
		(*below)[v] = (*below)[v] > 0;
	return TLV_OK;
}

/* The layer of them, from 0, and what is on there. */
static tlv_status
take_units(tlv_context *ctx, const tlv_network_parts *parts, size_t n, const int64_t *units,
		   size_t *layer, int32_t **on)
{
	size_t first = 0;

	*layer = 0;
	for (size_t i = 0; i < n; i++)
	{
		size_t own;

		if (units[i] < 0 || (size_t) units[i] >= parts->units_n)
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "unit %lld is not between 1 and %zu",
							(long long) units[i] + 1, parts->units_n);
		own = tlv_network_layer(parts, (size_t) units[i]) - 1;
		if (i > 0 && own != *layer)
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER, "units %lld and %lld are of layers %zu and %zu",
					 (long long) units[0] + 1, (long long) units[i] + 1, *layer + 1, own + 1);
			return tlv_fail_hint(ctx, "Give the units of one layer: those below follow from them.");
		}
		*layer = own;
	}
	for (size_t l = 0; l < *layer; l++)
		first += (size_t) parts->layers[l];
	TLV_TRY_NEW0(ctx, *on, (size_t) parts->layers[*layer]);
	for (size_t i = 0; i < n; i++)
		(*on)[(size_t) units[i] - first] = 1;
	return TLV_OK;
}

tlv_status
tlv_network_decode(tlv_context *ctx, const tlv_frame *model, size_t n, const int64_t *units,
				   size_t *n_items, int32_t **items)
{
	tlv_network_parts parts;
	size_t layer;
	int32_t *on = NULL;

	tlv_network_read(model, &parts);
	TLV_TRY(take_units(ctx, &parts, n, units, &layer, &on));
	for (size_t l = layer + 1; l-- > 0;)
		TLV_TRY(network_descend(ctx, &parts, l, on, &on));
	*n_items = 0;
	for (size_t v = 0; v < parts.items_n; v++)
		if (on[v])
			on[(*n_items)++] = (int32_t) v;
	*items = on;
	return TLV_OK;
}
