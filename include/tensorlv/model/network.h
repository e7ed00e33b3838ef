/*
 * network.h - layered sparse networks: rows are sets of items that are on, the children of hidden
 * units that are on, which are in turn the children of units of the layer above.
 *
 *     h_(l-1) = [W_l h_l > 0],  W_l of -1, 0 and 1, sparse; h_0 is the row
 *
 * (Ge 2013, chapter 6; Arora, Bhaskara, Ge and Ma 2014).  What is collected is how often single
 * items, two and three of them are on together.  Three children of one unit are on together far
 * more often than others; the sets of which all threes are such are the units.  Edges of weight -1
 * follow from rows in which a child is off though one unit has it on.
 *
 * The model's frame (kind network): scalars "rows", "seed", "steps"; "items" (ascending ids) with
 * "item_offsets" and "item_names" where they have names; "layers" (units of every layer, the lowest
 * first); "weights" (of every unit, layer after layer: the share of rows in which it is on); of
 * every edge, ascending by unit and child, "edge_units" and "edge_children" (both from 0; a child
 * is the place of an item in the first layer, and the number of a unit in others), "edge_weights"
 * (1 or -1) and "edge_shares" (of the rows that could show the edge, those that do); and
 * diagnostics.
 *
 * The room contains the counts of items that are on together, the procedure, refinement and
 * simulation.  Bags of items are on floor 1 (bag.h), and topics, whose items have probabilities,
 * are in lda.h.
 */
#ifndef TENSORLV_NETWORK_H
#define TENSORLV_NETWORK_H

#include "tensorlv/model/aggregate.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/frame.h"

/* Most items of a row that are counted by threes, items that are on at all, units and layers. */
#define TLV_NETWORK_MOST_ON		1000
#define TLV_NETWORK_MOST_ITEMS	((size_t) 1 << 21)
#define TLV_NETWORK_MOST_UNITS	10000
#define TLV_NETWORK_MOST_LAYERS 10

/* Counts of what is on together, of rows or, with a model as the constant, of its topmost units. */
extern const tlv_aggregate tlv_aggregate_cofire;

/* ---- the stored form ---- */

typedef struct tlv_network_parts
{
	size_t units_n, items_n, edges_n, layers_n, bytes_n;
	double rows;
	double seed;
	double steps;
	int64_t *items;
	int64_t *item_offsets; /* NULL: they have no names */
	char *item_names;
	double *layers;
	double *weights;
	int64_t *edge_units;
	int64_t *edge_children;
	double *edge_weights;
	double *edge_shares;
	tlv_diagnostics *diagnostics;
} tlv_network_parts;

/* The parts of a frame, which they point into. */
extern void tlv_network_read(const tlv_frame *frame, tlv_network_parts *parts);

/* ---- use ---- */

/* The layer of a unit, from 1, of parts that were read. */
extern size_t tlv_network_layer(const tlv_network_parts *parts, size_t unit);

/*
 * The units of an opened model that are on for a row, ascending, from 0; *n how many, and of each
 * the share of its positive children that are on.  The arrays are the model's, until the next call.
 * Items that the model does not know are passed over.  Errors: TLV_CANCELLED, memory.
 */
extern tlv_status tlv_network_encode(tlv_context *ctx, tlv_model *model, const tlv_row *row,
									 size_t *n, const int32_t **units, const double **shares);

/*
 * The items that are on, places from 0, ascending, when exactly the n units are (from 0, all of one
 * layer); *items is from the arena.  Errors: TLV_BAD_PARAMETER for units that there are not or that
 * are of different layers, memory.
 */
extern tlv_status tlv_network_decode(tlv_context *ctx, const tlv_frame *model, size_t n,
									 const int64_t *units, size_t *n_items, int32_t **items);

/* ---- fitting ---- */

typedef struct tlv_network_options
{
	size_t layers;
	double threshold; /* share of rows in which three are on together that belong together; NaN: the
					   * gap in their distribution */
	const char *refine; /* "em" or "none"; NULL or "auto": em */
	int iterations;		/* steps of every layer; below 0: until its edges stand, at most 10 */
	uint64_t seed;
} tlv_network_options;

/*
 * A model of one layer more than `below` (NULL: none) has, without edges of weight -1, from what
 * was counted under it.  Errors: TLV_BAD_PARAMETER for counts of another model, TLV_NO_ROWS,
 * TLV_BAD_DATA where no three items are ever on together, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_network_fit(tlv_context *ctx, const tlv_frame *counts, const tlv_frame *below,
								  const tlv_network_options *options, void **image, size_t *size);

/* For every layer counts, a fit, and steps, over sets.  Its options are tlv_network_options.
 * Errors: TLV_BAD_PARAMETER, those of the fit of the first layer. */
extern const tlv_procedure tlv_network_procedure;

/* ---- simulation ---- */

typedef struct tlv_network_simulation
{
	size_t items;
	size_t layers;
	const size_t *units; /* of every layer, the lowest first */
	double children;	 /* a unit has this many, on average */
	double density;		 /* share of rows in which a unit of the topmost layer is on */
	double negative;	 /* share of edges of weight -1 */
	uint64_t seed;
} tlv_network_simulation;

/* A random network: every edge is there with the same probability, which is its layer's. */
extern tlv_status tlv_network_simulate_model(tlv_context *ctx,
											 const tlv_network_simulation *options, void **image,
											 size_t *size);

typedef tlv_status (*tlv_network_emit)(tlv_context *ctx, void *argument, size_t row, size_t n,
									   const int64_t *active, size_t n_units, const int64_t *units);

/*
 * Rows of a network, from row 1 on: topmost units on with the probability that is their weight,
 * independently, the items that are on, each flipped with a probability, and all units that are on
 * (from 1).
 */
extern tlv_status tlv_network_simulate(tlv_context *ctx, const tlv_frame *model, size_t rows,
									   double flips, uint64_t seed, tlv_network_emit emit,
									   void *argument);

#endif /* TENSORLV_NETWORK_H */
