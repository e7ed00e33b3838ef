/*
 * accumulator.h - what an aggregate builds up row by row: the live form of a
 * tlv_moments value.
 *
 * A stored value becomes live by merging it into a fresh accumulator; a live
 * one becomes a stored value by build().  Both are exact, so partial states can
 * travel between workers, tables and servers as ordinary values.
 */
#ifndef TENSORLV_ACCUMULATOR_H
#define TENSORLV_ACCUMULATOR_H

#include "tensorlv/num/bag.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"

typedef struct tlv_accumulator tlv_accumulator;

typedef struct tlv_accumulator_class
{
	const char *name;
	/* An empty accumulator into which stored values of this kind can be merged. */
	tlv_status (*create)(tlv_context *ctx, tlv_accumulator **accumulator);
	/* Adds a stored value of the same kind.  On error the accumulator is as before or unusable,
	 * never inconsistent with its own memory. */
	tlv_status (*merge)(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame);
	/* Describes the value; scratch memory is left in builder->owned.  Does not change what the
	 * accumulator means: rows may follow. */
	tlv_status (*build)(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder);
	/* Adds one row of its kind; NULL for the kinds of rows that the class does not take. */
	tlv_status (*add_bag)(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_bag_image *bag);
	/* A vector of d finite numbers; all rows of a group have the same d. */
	tlv_status (*add_vector)(tlv_context *ctx, tlv_accumulator *accumulator, size_t d,
							 const double *x);
	/* Three views of one hidden choice, vectors of d[0], d[1] and d[2] numbers. */
	tlv_status (*add_views)(tlv_context *ctx, tlv_accumulator *accumulator, const size_t d[3],
							const double *const x[3]);
	/* Three categorical views, any integers. */
	tlv_status (*add_categories)(tlv_context *ctx, tlv_accumulator *accumulator,
								 const int64_t x[3]);
	/* A sequence of n symbols, or (symbols NULL) of n vectors of d numbers, one after the other. */
	tlv_status (*add_sequence)(tlv_context *ctx, tlv_accumulator *accumulator, size_t n,
							   const int64_t *symbols, size_t d, const double *x);
	/* A row of p categorical variables: states from 0, or -1 for missing. */
	tlv_status (*add_codes)(tlv_context *ctx, tlv_accumulator *accumulator, size_t p,
							const int32_t *values);
} tlv_accumulator_class;

struct tlv_accumulator
{
	const tlv_accumulator_class *class;
	double nulls; /* rows skipped because they were NULL */
};

/* One document, decoded into buffers that grow and stay. */
typedef struct tlv_document
{
	size_t room;
	size_t n;	   /* distinct items */
	double length; /* sum of counts */
	int64_t *items;
	double *counts;
	int32_t *index; /* positions of known items, by tlv_dictionary_map */
	double *known;	/* their counts */
	size_t n_known;
} tlv_document;

/*
 * Decodes a bag whose weights must be counts (integers).  TLV_BAD_DATA names
 * the item and the count otherwise.
 */
extern tlv_status tlv_document_decode(tlv_context *ctx, tlv_document *document,
									  const tlv_bag_image *bag);

/* Documents shorter than this carry no third moment and are skipped (and counted). */
#define TLV_MIN_LENGTH 3
/* Sums of counts are exact up to here. */
#define TLV_MAX_LENGTH 0x1p53

#endif /* TENSORLV_ACCUMULATOR_H */
