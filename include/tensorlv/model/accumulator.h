/*
 * accumulator.h - what an aggregate builds up row by row: the live form of a
 * tlv_moments value.
 *
 * A stored value becomes live by merging it into a fresh accumulator; a live
 * one becomes a stored value by build().  Both are exact, so partial states can
 * travel between workers, tables and servers as ordinary values.
 *
 * Which accumulator an aggregate of SQL makes, and of which constants, is in aggregate.h; sums
 * whose sections are only declared are in sections.h; what a model infers from a row is in
 * model.h.
 */
#ifndef TENSORLV_ACCUMULATOR_H
#define TENSORLV_ACCUMULATOR_H

#include "tensorlv/model/row.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"

typedef struct tlv_accumulator tlv_accumulator;
typedef struct tlv_sections tlv_sections;

/* What the weights of rows are to an accumulator. */
typedef enum tlv_weighting
{
	TLV_WEIGHTING_NONE,		/* it takes whole rows alone */
	TLV_WEIGHTING_SUMS,		/* it adds a row as many times as its weight says */
	TLV_WEIGHTING_EFFECTIVE /* the same, with weights whose sum is the effective number of rows:
							 * it measures sampling variation */
} tlv_weighting;

typedef struct tlv_accumulator_class
{
	const char *name;
	/* Of a declared kind (sections.h), whose merge and build are those of sections.h; or NULL. */
	const tlv_sections *sections;
	/* Of a kind with several declarations: that of a stored value; NULL: there is one. */
	const tlv_sections *(*form)(const tlv_frame *frame);
	/* An empty accumulator into which stored values of this kind can be merged; NULL when
	 * the kind is declared: called through tlv_accumulator_create. */
	tlv_status (*create)(tlv_context *ctx, tlv_accumulator **accumulator);
	/* Adds a stored value of the same kind.  On error the accumulator is as before or unusable,
	 * never inconsistent with its own memory. */
	tlv_status (*merge)(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame);
	/* Describes the value; scratch memory is left in builder->owned.  Does not change what the
	 * accumulator means: rows may follow. */
	tlv_status (*build)(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder);
	/* The same of a class whose small values are stored in another form than sums, which all else
	 * of the class takes, too; NULL: they are not.  Called through tlv_accumulator_store. */
	tlv_status (*store)(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder);
	/* Of a class with store: the value as sums; *image is NULL where it is that already.  The image
	 * is from the arena. */
	tlv_status (*sums)(tlv_context *ctx, const tlv_frame *frame, void **image, size_t *size);
	/* Of a class with store: whether the value can be taken out exactly; NULL: where all sums are
	 * whole numbers. */
	bool (*exact)(const tlv_accumulator *accumulator, const tlv_frame *frame);
	/* Of kinds that are not declared: tlv_accumulator_subtract, and merge of a value taken so many
	 * times; NULL: they cannot. */
	tlv_status (*subtract)(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame,
						   bool exactly, bool *done);
	tlv_status (*merge_times)(tlv_context *ctx, tlv_accumulator *accumulator,
							  const tlv_frame *frame, double times);
	/* The forms of rows that it takes, a set of tlv_row_form. */
	unsigned rows;
	tlv_weighting weighting;
	/* Adds one row of one of these forms; called through tlv_add. */
	tlv_status (*add)(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row);
} tlv_accumulator_class;

struct tlv_accumulator
{
	const tlv_accumulator_class *class;
	double nulls; /* rows skipped because they were NULL */
	bool large;	  /* what is built stays in this process: it may be larger than a value */
};

/* Adds one row.  Errors: TLV_BAD_PARAMETER for a row of a form that the class does not take; what
 * the class finds wrong with the row itself (width, numbers that are not finite) is TLV_BAD_DATA or
 * TLV_LIMIT, and the accumulator is as before. */
extern tlv_status tlv_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row);

/* The same check of a form, without a row. */
extern tlv_status tlv_accumulator_require(tlv_context *ctx, const tlv_accumulator *accumulator,
										  tlv_row_form form);

/* The one error for a row after values were merged into an accumulator that knows no model or
 * subspace: TLV_BAD_PARAMETER. */
extern tlv_status tlv_accumulator_refuse_rows(tlv_context *ctx, const tlv_accumulator *accumulator);

/* An empty accumulator into which stored values of that class can be merged. */
extern tlv_status tlv_accumulator_create(tlv_context *ctx, const tlv_accumulator_class *class,
										 tlv_accumulator **accumulator);

/* Describes the value as it is stored; as build otherwise. */
extern tlv_status tlv_accumulator_store(tlv_context *ctx, tlv_accumulator *accumulator,
										tlv_frame_builder *builder);

/*
 * Takes a stored value of the same kind, which was merged or whose rows were added, out again.
 * exactly: only where all sums are whole numbers, so that what is left is what would have come
 * without it; otherwise *done is false and nothing has changed.  Not exactly: also sums of other
 * numbers, left to rounding.  Errors: TLV_BAD_PARAMETER for kinds that are not sums alone;
 * TLV_BAD_DATA for more than there is; those of merge.
 */
extern tlv_status tlv_accumulator_subtract(tlv_context *ctx, tlv_accumulator *accumulator,
										   const tlv_frame *frame, bool exactly, bool *done);

/*
 * Adds a stored value of the same kind so many times, as if every row had come so often: sums are
 * multiplied.  Errors: TLV_BAD_PARAMETER for times that is not a finite number above 0, for kinds
 * that are not sums alone, for counts of rows that do not stay whole; those of merge.
 */
extern tlv_status tlv_accumulator_merge_times(tlv_context *ctx, tlv_accumulator *accumulator,
											  const tlv_frame *frame, double times);

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
	size_t group; /* to which it is dealt, where there are groups */
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
