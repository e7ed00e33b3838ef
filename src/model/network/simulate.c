/*
 * simulate.c - random networks, and rows of them (network.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/rng.h"

/* Rows that the shares of units below the topmost layer are measured on. */
#define MEASURED_ROWS 2000

static tlv_status
network_check_simulation(tlv_context *ctx, const tlv_network_simulation *o)
{
	size_t units = 0, below = o->items;

	if (o->items < 3 || o->items > 100000)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "items = %zu is not between 3 and 100000",
						o->items);
	if (o->layers < 1 || o->layers > TLV_NETWORK_MOST_LAYERS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu layers are not between 1 and %d", o->layers,
						TLV_NETWORK_MOST_LAYERS);
	for (size_t l = 0; l < o->layers; l++)
	{
		if (o->units[l] < 1 || (units += o->units[l]) > TLV_NETWORK_MOST_UNITS)
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "units of layer %zu are not between 1 and %d",
							l + 1, TLV_NETWORK_MOST_UNITS);
		if (!(o->children >= 1 && o->children <= (double) below))
			return tlv_fail(ctx, TLV_BAD_PARAMETER,
							"children = %g is not between 1 and %zu, the %s", o->children, below,
							l == 0 ? "items" : "units below");
		below = o->units[l];
	}
	if (!(o->density > 0 && o->density <= 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "density = %g is not above 0 and at most 1",
						o->density);
	if (!(o->negative >= 0 && o->negative < 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "negative = %g is not 0 or more and below 1",
						o->negative);
	return TLV_OK;
}

/* Edges of one unit; one of weight 1 at least. */
static void
draw_edges(tlv_rng *rng, const tlv_network_simulation *o, size_t unit, size_t first, size_t below,
		   tlv_network_parts *parts)
{
	size_t must = (size_t) tlv_rng_below(rng, below);

	for (size_t v = 0; v < below; v++)
	{
		bool there = tlv_rng_uniform(rng) * (double) below < o->children;
		bool negative = tlv_rng_uniform(rng) < o->negative;

		if (!there && v != must)
			continue;
		parts->edge_units[parts->edges_n] = (int64_t) unit;
		parts->edge_children[parts->edges_n] = (int64_t) (first + v);
		parts->edge_weights[parts->edges_n] = negative && v != must ? -1 : 1;
		parts->edge_shares[parts->edges_n++] = 1;
	}
}

static tlv_status
draw_network(tlv_context *ctx, const tlv_network_simulation *o, tlv_network_parts *parts)
{
	size_t room = 0, below = o->items, first = 0, unit = 0;
	tlv_rng rng;

	for (size_t l = 0; l < o->layers; l++)
	{
		parts->units_n += o->units[l];
		room += o->units[l] * below;
		below = o->units[l];
	}
	TLV_TRY(tlv_require_memory(ctx, 32.0 * (double) room, "the network"));
	TLV_TRY_NEW(ctx, parts->items, o->items);
	TLV_TRY_NEW(ctx, parts->layers, o->layers);
	TLV_TRY_NEW0(ctx, parts->weights, parts->units_n);
	TLV_TRY_NEW(ctx, parts->edge_units, room);
	TLV_TRY_NEW(ctx, parts->edge_children, room);
	TLV_TRY_NEW(ctx, parts->edge_weights, room);
	TLV_TRY_NEW(ctx, parts->edge_shares, room);
	for (size_t i = 0; i < o->items; i++)
		parts->items[i] = (int64_t) i + 1;
	tlv_rng_seed(&rng, o->seed);
	below = o->items;
	for (size_t l = 0; l < o->layers; l++)
	{
		parts->layers[l] = (double) o->units[l];
		for (size_t u = 0; u < o->units[l]; u++)
		{
			TLV_TRY_CONTINUE(ctx);
			draw_edges(&rng, o, unit++, first, below, parts);
			if (l + 1 == o->layers)
				parts->weights[unit - 1] = o->density;
		}
		first = unit - o->units[l];
		below = o->units[l];
	}
	return TLV_OK;
}

static tlv_status
measure_row(tlv_context *ctx, void *argument, size_t row, size_t n, const int64_t *active,
			size_t n_units, const int64_t *units)
{
	double *on = argument;

	(void) ctx;
	(void) row;
	(void) n;
	(void) active;
	for (size_t i = 0; i < n_units; i++)
		on[units[i] - 1]++;
	return TLV_OK;
}

tlv_status
tlv_network_simulate_model(tlv_context *ctx, const tlv_network_simulation *options, void **image,
						   size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_network_parts parts = {.items_n = options->items,
							   .layers_n = options->layers,
							   .seed = (double) options->seed,
							   .diagnostics = &diagnostics};
	tlv_frame frame;
	double *on;
	size_t top;

	TLV_TRY(network_check_simulation(ctx, options));
	TLV_TRY(draw_network(ctx, options, &parts));
	TLV_TRY(tlv_network_write(ctx, &parts, image, size));
	if (options->layers == 1)
		return TLV_OK;
	top = parts.units_n - options->units[options->layers - 1];
	TLV_TRY(tlv_frame_open(ctx, *image, *size, &frame));
	TLV_TRY_NEW0(ctx, on, parts.units_n);
	TLV_TRY(tlv_network_simulate(ctx, &frame, MEASURED_ROWS, 0, options->seed, measure_row, on));
	for (size_t u = 0; u < top; u++)
		parts.weights[u] = on[u] / MEASURED_ROWS;
	return tlv_network_write(ctx, &parts, image, size);
}

/* ---- rows ---- */

typedef struct network_drawer
{
	tlv_network_parts parts;
	tlv_network_layer_edges layer[TLV_NETWORK_MOST_LAYERS];
	int32_t *sum;	/* of every child */
	bool *on;		/* of every unit of the layer in work */
	int64_t *units; /* that are on, from 1 */
	int64_t *active;
	tlv_rng rng;
} network_drawer;

static tlv_status
open_drawer(tlv_context *ctx, const tlv_frame *model, network_drawer *d)
{
	size_t most;

	tlv_network_read(model, &d->parts);
	most = d->parts.items_n > d->parts.units_n ? d->parts.items_n : d->parts.units_n;
	for (size_t l = 0; l < d->parts.layers_n; l++)
		TLV_TRY(tlv_network_layer_edges_of(ctx, &d->parts, l, &d->layer[l]));
	TLV_TRY_NEW(ctx, d->sum, most);
	TLV_TRY_NEW(ctx, d->on, most);
	TLV_TRY_NEW(ctx, d->units, d->parts.units_n);
	TLV_TRY_NEW(ctx, d->active, d->parts.items_n);
	return TLV_OK;
}

/* What is on below a layer of which d->on is; units that are on are noted. */
static void
draw_below(network_drawer *d, const tlv_network_layer_edges *e, size_t *n_units)
{
	memset(d->sum, 0, e->children * sizeof(int32_t));
	for (size_t u = 0; u < e->units; u++)
	{
		if (!d->on[u])
			continue;
		d->units[(*n_units)++] = (int64_t) (e->first + u) + 1;
		for (int64_t i = e->starts[u]; i < e->starts[u + 1]; i++)
			d->sum[e->child[i]] += i < e->middle[u] ? 1 : -1;
	}
	for (size_t v = 0; v < e->children; v++)
		d->on[v] = d->sum[v] > 0;
}

tlv_status
tlv_network_simulate(tlv_context *ctx, const tlv_frame *model, size_t rows, double flips,
					 uint64_t seed, tlv_network_emit emit, void *argument)
{
	/* Rows between two looks at tlv_should_stop(). */
	const int chunk_rows = 16;
	network_drawer *d;
	const tlv_network_layer_edges *top;

	if (!(flips >= 0 && flips <= 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "flips = %g is not between 0 and 1", flips);
	TLV_TRY_NEW0(ctx, d, 1);
	TLV_TRY(open_drawer(ctx, model, d));
	top = &d->layer[d->parts.layers_n - 1];
	/* Not the stream that the model was drawn from. */
	tlv_rng_seed(&d->rng, tlv_mix64(seed));
	for (size_t row = 1; row <= rows; row++)
	{
		size_t n = 0, n_units = 0;

		if (row % chunk_rows == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t u = 0; u < top->units; u++)
			d->on[u] = tlv_rng_uniform(&d->rng) < d->parts.weights[top->first + u];
		for (size_t l = d->parts.layers_n; l-- > 0;)
			draw_below(d, &d->layer[l], &n_units);
		for (size_t v = 0; v < d->parts.items_n; v++)
			if (d->on[v] != (tlv_rng_uniform(&d->rng) < flips))
				d->active[n++] = d->parts.items[v];
		TLV_TRY(emit(ctx, argument, row, n, d->active, n_units, d->units));
	}
	return TLV_OK;
}
