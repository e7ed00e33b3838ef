/*
 * row.h - one row, whatever it is: what accumulators add and models infer from; and the posterior
 * that a model infers.
 */
#ifndef TENSORLV_ROW_H
#define TENSORLV_ROW_H

#include "tensorlv/num/bag.h"
#include "tensorlv/num/context.h"

/* Kinds of rows; a class states the set of those that it takes. */
typedef enum tlv_row_form
{
	TLV_ROW_BAG = 1,		   /* a sparse vector of counts or weights */
	TLV_ROW_EDGE = 2,		   /* two nodes and a weight */
	TLV_ROW_VECTOR = 4,		   /* one part of float64, n = 1; elements may be missing */
	TLV_ROW_VIEWS = 8,		   /* three parts of float64; a part may be missing as a whole */
	TLV_ROW_CATEGORIES = 16,   /* three parts of one id each; a part may be missing */
	TLV_ROW_SEQUENCE = 32,	   /* one part of float64, n steps of d numbers */
	TLV_ROW_SYMBOLS = 64,	   /* one part of ids, n steps */
	TLV_ROW_CODES = 128,	   /* one part of codes, a row of d categorical variables */
	TLV_ROW_LABELS = 256,	   /* two parts of one id each: label pairs */
	TLV_ROW_COVERS = 512,	   /* two parts of ids: sets of labels */
	TLV_ROW_MEMBERSHIPS = 1024 /* two parts of float64: membership vectors */
} tlv_row_form;

typedef enum tlv_part_type
{
	TLV_PART_NONE,	/* the part is missing */
	TLV_PART_IDS,	/* int64_t */
	TLV_PART_CODES, /* int32_t from 0; -1: missing */
	TLV_PART_FLOAT64,
	TLV_PART_FLOAT32
} tlv_part_type;

/* n x d numbers, step by step. */
typedef struct tlv_part
{
	tlv_part_type type;
	size_t n;
	size_t d;
	union
	{
		const int64_t *ids;
		const int32_t *codes;
		const double *float64;
		const float *float32;
		const void *data;
	};
	const bool *missing; /* n x d, or NULL: nothing is (codes say it by -1) */
} tlv_part;

typedef struct tlv_edge
{
	int64_t source, target;
	double weight;
} tlv_edge;

typedef struct tlv_row
{
	tlv_row_form form;
	union
	{
		const tlv_bag_image *bag;
		tlv_edge edge;
		tlv_part part[3];
	};
} tlv_row;

/*
 * A posterior: n blocks, one behind the other in values, block i of widths[i] numbers summing to 1;
 * one block for a vector, n for a sequence, one for every hidden variable of a tree.  widths NULL:
 * all blocks have `width`.
 */
typedef struct tlv_posterior
{
	size_t n;
	size_t width;
	size_t *widths;
	double *values;
} tlv_posterior;

#endif /* TENSORLV_ROW_H */
