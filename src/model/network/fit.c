/*
 * fit.c - a network of one layer more, from the sets that counts show (network.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/sort.h"

/* The distinct items of a cell: three, or fewer if positions are equal. */
static int
distinct_places(int64_t cell, int32_t places[3])
{
	int n = 0;

	for (int t = 0; t < 3; t++)
		if (n == 0 || (int32_t) tlv_triple_part(cell, t) != places[n - 1])
			places[n++] = (int32_t) tlv_triple_part(cell, t);
	return n;
}

/* What is there without structure: the three items that are on together most often, or
 * two, or one, where three never are. */
static tlv_status
best_three(tlv_context *ctx, const tlv_frame *counts, tlv_network_sets *sets)
{
	size_t n = tlv_frame_find(counts, "cells")->rows, best = n;
	const int64_t *cells = tlv_frame_int64(counts, "cells");
	const double *numbers = tlv_frame_float64(counts, "counts");
	int most = 0;

	for (size_t i = 0; i < n; i++)
	{
		int32_t own[3] = {0};
		int items = distinct_places(cells[i], own);

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (items < most || (items == most && numbers[i] <= numbers[best]))
			continue;
		best = i;
		most = items;
	}
	if (best == n)
		return tlv_fail(ctx, TLV_BAD_DATA, "no item is ever on");
	sets->n = 1;
	TLV_TRY_NEW0(ctx, sets->starts, 2);
	TLV_TRY_NEW(ctx, sets->places, 3);
	TLV_TRY_NEW(ctx, sets->shares, 1);
	sets->starts[1] = distinct_places(cells[best], sets->places);
	sets->shares[0] = numbers[best] / tlv_frame_scalar(counts, "rows", 1);
	return TLV_OK;
}

/* Weights and edges that can be changed, with room for more units and edges. */
static tlv_status
network_copy_numbers(tlv_context *ctx, const tlv_network_parts *from, size_t units, size_t edges,
					 tlv_network_parts *to)
{
	size_t n = from->edges_n;

	TLV_TRY_NEW(ctx, to->weights, from->units_n + units);
	TLV_TRY_NEW(ctx, to->edge_units, n + edges);
	TLV_TRY_NEW(ctx, to->edge_children, n + edges);
	TLV_TRY_NEW(ctx, to->edge_weights, n + edges);
	TLV_TRY_NEW(ctx, to->edge_shares, n + edges);
	TLV_TRY(tlv_copy(ctx, to->weights, from->weights, from->units_n * sizeof(double)));
	TLV_TRY(tlv_copy(ctx, to->edge_units, from->edge_units, n * sizeof(int64_t)));
	TLV_TRY(tlv_copy(ctx, to->edge_children, from->edge_children, n * sizeof(int64_t)));
	TLV_TRY(tlv_copy(ctx, to->edge_weights, from->edge_weights, n * sizeof(double)));
	return tlv_copy(ctx, to->edge_shares, from->edge_shares, n * sizeof(double));
}

/* The model below, or none of the items that were counted, with room for the sets. */
static tlv_status
begin_parts(tlv_context *ctx, const tlv_frame *counts, const tlv_frame *below,
			const tlv_network_sets *sets, tlv_network_parts *parts)
{
	size_t edges = (size_t) sets->starts[sets->n];
	tlv_network_parts old = {.items_n = tlv_frame_find(counts, "items")->rows,
							 .items = (int64_t *) tlv_frame_int64(counts, "items")};

	if (below != NULL)
		tlv_network_read(below, &old);
	*parts = old;
	parts->units_n += sets->n;
	parts->layers_n++;
	parts->edges_n += edges;
	TLV_TRY_NEW0(ctx, parts->layers, parts->layers_n);
	TLV_TRY(tlv_copy(ctx, parts->layers, old.layers, old.layers_n * sizeof(double)));
	return network_copy_numbers(ctx, &old, sets->n, edges, parts);
}

/* The sets as units, whose edges are shown by no rows yet. */
static tlv_status
put_units(tlv_context *ctx, const tlv_frame *counts, const tlv_network_sets *sets,
		  tlv_network_parts *parts)
{
	size_t first = parts->units_n - sets->n, at = parts->edges_n - (size_t) sets->starts[sets->n];
	const int64_t *items = tlv_frame_int64(counts, "items");
	bool lowest = parts->layers_n == 1;
	int64_t *order;

	TLV_TRY_NEW(ctx, order, sets->n);
	tlv_order_weights(sets->n, sets->shares, order);
	parts->layers[parts->layers_n - 1] = (double) sets->n;
	for (size_t u = 0; u < sets->n; u++)
	{
		int64_t set = order[u];

		parts->weights[first + u] = fmin(1, sets->shares[set]);
		for (int64_t i = sets->starts[set]; i < sets->starts[set + 1]; i++, at++)
		{
			parts->edge_units[at] = (int64_t) (first + u);
			/* units are counted by their numbers from 1 */
			parts->edge_children[at] = lowest ? sets->places[i] : items[sets->places[i]] - 1;
			parts->edge_weights[at] = 1;
			parts->edge_shares[at] = 1;
		}
	}
	tlv_free(ctx, order);
	return TLV_OK;
}

/* What holds most items of many is several units that the threshold did not keep apart. */
static tlv_status
warn_of_large_sets(tlv_context *ctx, const tlv_network_sets *sets, size_t items, size_t layer,
				   tlv_diagnostics *diagnostics)
{
	size_t large = 0;

	for (size_t s = 0; s < sets->n && items >= MANY_ITEMS; s++)
		large += 2 * (size_t) (sets->starts[s + 1] - sets->starts[s]) > items;
	if (large == 0)
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "large_units",
								   .score = (double) large / (double) sets->n,
								   .hint = "Give a larger threshold."},
					"in layer %zu more than half of the items are in %zu of %zu %s", layer, large,
					sets->n, tlv_plural((double) sets->n, "unit", "units"));
}

static tlv_status
network_diagnose_fit(tlv_context *ctx, const tlv_network_sets *sets, size_t items, size_t layer,
					 bool found, double rows, tlv_diagnostics *diagnostics)
{
	TLV_TRY(warn_of_large_sets(ctx, sets, items, layer, diagnostics));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) sets->n, "units_%zu", layer));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, sets->threshold / rows, "threshold_%zu", layer));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, sets->hyperedges, "threes_%zu", layer));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, sets->explained, "threes_explained_%zu", layer));
	if (!found)
		return tlv_warn(
			ctx, diagnostics,
			&(tlv_warning){.code = "no_structure",
						   .score = sets->threshold / rows,
						   .hint = "Give a smaller threshold, if the items are not independent."},
			"in layer %zu no items are on together more often than by chance", layer);
	if (!sets->gap)
		return tlv_warn(ctx, diagnostics,
						&(tlv_warning){.code = "no_gap",
									   .score = sets->threshold / rows,
									   .hint = "Compare several thresholds: units that occur with "
											   "all of them are not due to chance."},
						"in layer %zu the counts of triples show no gap: the threshold is the "
						"largest that chance gives",
						layer);
	return TLV_OK;
}

/* Counts that the layer can be made of. */
static tlv_status
network_check_counts(tlv_context *ctx, const tlv_frame *counts, const tlv_frame *below)
{
	static const tlv_digest none;
	const tlv_digest *own = tlv_frame_digest(counts, "model");
	const int64_t *items = tlv_frame_int64(counts, "items");
	size_t n = tlv_frame_find(counts, "items")->rows;
	double units = 0, first = 0;

	if (!(tlv_frame_scalar(counts, "rows", 0) > 0))
		return tlv_fail(ctx, TLV_NO_ROWS, "there are no rows to learn from");
	if (!tlv_digest_equal(own, below == NULL ? &none : &below->header->digest))
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 below == NULL ? "units of a model were counted, not items"
							   : "the units of another model were counted");
		return tlv_fail_hint(
			ctx, below == NULL ? "Give the model as `model`."
							   : "Collect tlv_cofire(..., model) with the model that is given.");
	}
	if (below == NULL)
		return TLV_OK;
	units = (double) tlv_model_components(below);
	first = units - tlv_frame_float64(below, "layers")[tlv_frame_find(below, "layers")->rows - 1];
	/* Equal fingerprints mean units of that layer, but a value may come from anywhere. */
	for (size_t i = 0; i < n; i++)
		if ((double) items[i] <= first || (double) items[i] > units)
			return tlv_fail(ctx, TLV_BAD_DATA, "unit %lld is not in the topmost layer",
							(long long) items[i]);
	if (tlv_frame_find(below, "layers")->rows == TLV_NETWORK_MOST_LAYERS)
		return tlv_fail(ctx, TLV_LIMIT, "a network has %d layers at most", TLV_NETWORK_MOST_LAYERS);
	return TLV_OK;
}

static tlv_status
fit_check_options(tlv_context *ctx, const tlv_network_options *o)
{
	if (!isnan(o->threshold) && !(o->threshold > 0 && o->threshold <= 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "threshold = %g is not above 0 and at most 1",
						o->threshold);
	return TLV_OK;
}

static tlv_status
require_few_units(tlv_context *ctx, const tlv_network_sets *sets, const tlv_frame *below)
{
	size_t units = sets->n + (below == NULL ? 0 : tlv_model_components(below));

	if (units <= TLV_NETWORK_MOST_UNITS)
		return TLV_OK;
	tlv_fail(ctx, TLV_LIMIT, "the counts show %zu units, more than %d", units,
			 TLV_NETWORK_MOST_UNITS);
	return tlv_fail_hint(ctx, "Use a larger threshold.");
}

tlv_status
tlv_network_fit(tlv_context *ctx, const tlv_frame *counts, const tlv_frame *below,
				const tlv_network_options *options, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_network_parts parts;
	tlv_network_sets sets;
	double rows;
	bool found;

	TLV_TRY(fit_check_options(ctx, options));
	TLV_TRY(network_check_counts(ctx, counts, below));
	rows = tlv_frame_scalar(counts, "rows", 1);
	TLV_TRY(tlv_network_recover(
		ctx, counts, isnan(options->threshold) ? NAN : fmax(1, options->threshold * rows),
		options->seed, &sets));
	found = sets.n > 0;
	if (!found && below != NULL)
	{
		tlv_fail(ctx, TLV_BAD_DATA,
				 "no units of layer %zu are on together more often than by chance",
				 tlv_frame_find(below, "layers")->rows);
		return tlv_fail_hint(ctx, "Use fewer layers.");
	}
	if (!found)
		TLV_TRY(best_three(ctx, counts, &sets));
	TLV_TRY(require_few_units(ctx, &sets, below));
	TLV_TRY(begin_parts(ctx, counts, below, &sets, &parts));
	TLV_TRY(put_units(ctx, counts, &sets, &parts));
	if (below != NULL)
		TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, below, NULL));
	TLV_TRY(network_diagnose_fit(ctx, &sets, tlv_frame_find(counts, "items")->rows, parts.layers_n,
								 found, rows, &diagnostics));
	parts.rows = rows;
	parts.seed = (double) options->seed;
	parts.diagnostics = &diagnostics;
	return tlv_network_write(ctx, &parts, image, size);
}

/* ---- order ---- */

/* A unit's edges, one behind the other, and its weight. */
typedef struct unit_place
{
	double weight;
	size_t unit, first_edge, edges;
} unit_place;

static int
by_weight(const void *a, const void *b)
{
	const unit_place *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* The topmost units, from `first` on, as they are to stand. */
static tlv_status
sort_units(tlv_context *ctx, const tlv_network_parts *parts, size_t first, unit_place **sorted)
{
	size_t n = parts->units_n - first, edge = 0;

	TLV_TRY_NEW0(ctx, *sorted, n);
	while (edge < parts->edges_n && (size_t) parts->edge_units[edge] < first)
		edge++;
	for (size_t u = 0; u < n; u++)
	{
		unit_place *place = &(*sorted)[u];

		*place = (unit_place){parts->weights[first + u], u, edge, 0};
		for (; edge < parts->edges_n && (size_t) parts->edge_units[edge] == first + u; edge++)
			place->edges++;
	}
	qsort(*sorted, n, sizeof(unit_place), by_weight);
	return TLV_OK;
}

tlv_status
tlv_network_order(tlv_context *ctx, const tlv_frame *model, void **image, size_t *size)
{
	tlv_network_parts parts, to;
	tlv_diagnostics diagnostics = {0};
	size_t first, at;
	unit_place *sorted;

	tlv_network_read(model, &parts);
	first = parts.units_n - (size_t) parts.layers[parts.layers_n - 1];
	TLV_TRY(sort_units(ctx, &parts, first, &sorted));
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, model, NULL));
	to = parts;
	to.diagnostics = &diagnostics;
	TLV_TRY(network_copy_numbers(ctx, &parts, 0, 0, &to));
	at = parts.edges_n;
	for (size_t u = parts.units_n - first; u-- > 0;)
	{
		const unit_place *from = &sorted[u];

		at -= from->edges;
		to.weights[first + u] = from->weight;
		for (size_t e = 0; e < from->edges; e++)
		{
			to.edge_units[at + e] = (int64_t) (first + u);
			to.edge_children[at + e] = parts.edge_children[from->first_edge + e];
			to.edge_weights[at + e] = parts.edge_weights[from->first_edge + e];
			to.edge_shares[at + e] = parts.edge_shares[from->first_edge + e];
		}
	}
	return tlv_network_write(ctx, &to, image, size);
}
