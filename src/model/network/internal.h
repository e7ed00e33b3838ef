/*
 * internal.h - sets that are on, and units over them: what the files of the room share.
 */
#ifndef TENSORLV_NETWORK_INTERNAL_H
#define TENSORLV_NETWORK_INTERNAL_H

#include "tensorlv/model/kind.h"
#include "tensorlv/model/network.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/num/dictionary.h"

/* ---- units.c: what is on ---- */

/* The edges of one layer by unit: those of weight 1 first, children ascending. */
typedef struct tlv_network_layer_edges
{
	size_t first, units; /* numbers of the units */
	size_t below;		 /* the first unit of the layer below; of the first layer 0 */
	size_t children;	 /* items, or units below */
	int64_t *starts;	 /* units + 1 */
	int64_t *middle;	 /* units: where edges of weight -1 begin */
	int32_t *child;
	/* of every child the units of which it is a child of weight 1 */
	int64_t *parent_starts; /* children + 1 */
	int32_t *parent;		/* from 0 within the layer */
} tlv_network_layer_edges;

typedef struct tlv_network_model
{
	tlv_model base;
	tlv_network_parts parts;
	tlv_dictionary items;
	tlv_network_layer_edges layer[TLV_NETWORK_MOST_LAYERS];
	int32_t *on;  /* items or units that are on, of the layer below the one in work */
	size_t on_n;  /* how many */
	int32_t *sum; /* of every unit of a layer: positive children that are on */
	int32_t *touched;
	int32_t *units; /* all units that are on */
	double *shares;
	size_t units_n;
	size_t room; /* of on */
	int64_t *buffer;
	double *weights; /* of items of a bag */
	size_t buffer_room;
} tlv_network_model;

/* Opens what the frame holds; all that is allocated is the arena's. */
extern tlv_status tlv_network_open(tlv_context *ctx, const tlv_frame *frame,
								   tlv_network_model *model);

/* Are all of a row's items there? */
extern bool tlv_network_row_is_whole(const tlv_row *row);

/* The distinct items of a row, ascending: *items, which the buffer holds. */
extern tlv_status tlv_network_row(tlv_context *ctx, const tlv_row *row, int64_t **buffer,
								  double **weights, size_t *room, size_t *n);

/* All units that are on, and with `below` only those under the topmost layer: model->on gets what
 * is on there, from 0 within it (of one layer: places of items). */
extern tlv_status tlv_network_run(tlv_context *ctx, tlv_network_model *model, const tlv_row *row,
								  size_t layers);

/* A layer's edges from lists. */
extern tlv_status tlv_network_layer_edges_of(tlv_context *ctx, const tlv_network_parts *parts,
											 size_t layer, tlv_network_layer_edges *edges);

/* Is it the cell of three different items? */
static inline bool
tlv_is_three(int64_t cell)
{
	return tlv_triple_part(cell, 0) != tlv_triple_part(cell, 1) &&
		   tlv_triple_part(cell, 1) != tlv_triple_part(cell, 2);
}

/* ---- excess.c ---- */

/* Counts by which sets are recovered: the frame's cells with a number each. */
typedef struct tlv_network_threes
{
	const tlv_frame *frame;
	size_t items;
	size_t n; /* cells */
	const int64_t *cells;
	const double *counts; /* n: rows, or of three items rows above what pairs explain */
} tlv_network_threes;

/* *excess (n, the arena's): of cells of three items the rows above what pairs explain, at least 0;
 * of other cells the counts. */
extern tlv_status tlv_network_excess(tlv_context *ctx, const tlv_frame *frame, double **excess);

/* ---- recover.c ---- */

/* Sets of places, one behind the other. */
typedef struct tlv_network_sets
{
	size_t n;
	int64_t *starts; /* n + 1 */
	int32_t *places;
	double *shares;	   /* n: mean share of rows in which three of a set are on */
	double *means;	   /* n: rows in which three of a set are on, of its median member */
	bool *stands;	   /* n: whether the set's members are separated from other items */
	size_t apart;	   /* of how many sets they do */
	double threshold;  /* rows in which three that belong together are on */
	bool gap;		   /* it lies in a gap of the counts, or was given */
	double hyperedges; /* threes above it */
	double explained;  /* of them, those within a set */
} tlv_network_sets;

/* Recovers sets from counts; threshold: rows, or NaN.  None: sets->n = 0. */
extern tlv_status tlv_network_recover(tlv_context *ctx, const tlv_frame *counts, double threshold,
									  uint64_t seed, tlv_network_sets *sets);

/* ---- threshold.c ---- */

/* Gives sets->threshold, and sets->gap. */
extern tlv_status tlv_network_choose_threshold(tlv_context *ctx, const tlv_network_threes *threes,
											   tlv_network_sets *sets);

/* ---- repair.c ---- */

/* Their members by mean counts with all pairs of the others; sets that are the same are one. */
extern tlv_status tlv_network_repair(tlv_context *ctx, const tlv_network_threes *threes,
									 tlv_network_sets *sets);

/* ---- fit.c ---- */

/* The model with the units of its topmost layer by decreasing weight, as those below already are.
 */
extern tlv_status tlv_network_order(tlv_context *ctx, const tlv_frame *model, void **image,
									size_t *size);

/* ---- model.c ---- */

extern tlv_status tlv_network_write(tlv_context *ctx, const tlv_network_parts *parts, void **image,
									size_t *size);

/* ---- statistics.c: entries of the model class ---- */

extern tlv_status tlv_network_statistics(tlv_context *ctx, tlv_model *model, const char *method,
										 tlv_accumulator **accumulator);
extern tlv_status tlv_network_update(tlv_context *ctx, const tlv_frame *model,
									 const tlv_frame *statistics, const tlv_step *step,
									 void **image, size_t *size);

#endif /* TENSORLV_NETWORK_INTERNAL_H */
