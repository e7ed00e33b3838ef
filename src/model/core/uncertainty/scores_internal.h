/*
 * scores_internal.h - sums of scores on their way, shared by scores.c and sandwich.c.
 */
#ifndef TENSORLV_SCORES_INTERNAL_H
#define TENSORLV_SCORES_INTERNAL_H

#include "tensorlv/model/errors.h"
#include "tensorlv/model/sections.h"

/* The model at other values of its parameters, and where scores of rows go there. */
typedef struct tlv_probes tlv_probes;

struct tlv_score_sink
{
	tlv_declared declared;
	tlv_model *model;		/* NULL when only stored values are merged */
	tlv_digest fingerprint; /* of the model */
	double rows, units, pieces;
	bool left_out; /* the row at hand */
	int64_t *blocks;
	double *scores, *counts, *products;
	double *curvature;	/* of every block the derivatives of its scores' sums, n x n; or empty */
	double *waiting;	/* p x ROWS_TOGETHER */
	size_t n;			/* of them */
	double *kept;		/* p: the counts before a weighted row; NULL before the first */
	double *square;		/* of the largest block */
	tlv_probes *probes; /* NULL: no curvature is collected */
};
typedef struct tlv_score_sink scores_state;

/* Size of the section "curvature", of all blocks; where it is among the sizes. */
#define SIZE_PARAMETERS TLV_SIZE_1
#define SIZE_BLOCKS		TLV_SIZE_2
#define SIZE_PRODUCTS	TLV_SIZE_3
#define SIZE_CURVATURE	TLV_SIZE_4

/* Parameters at most of which the curvature is collected: a row is scored 2 p times. */
#define SANDWICH_MOST 256

/* Adds what waits to the sums. */
extern tlv_status tlv_scores_flush(tlv_context *ctx, tlv_accumulator *accumulator);

/* Opens the probes of a list of all estimates (sandwich.c).  Errors: TLV_LIMIT for more than
 * SANDWICH_MOST parameters, TLV_BAD_PARAMETER for a kind whose models are not drawn, memory. */
extern tlv_status tlv_probes_open(tlv_context *ctx, scores_state *state, const tlv_estimates *list);

/* Adds a row to the curvature. */
extern tlv_status tlv_probes_add(tlv_context *ctx, scores_state *state, const tlv_row *row);

#endif /* TENSORLV_SCORES_INTERNAL_H */
