/*
 * block.h - a block of documents on their way through a subspace: the
 * hot loops of products and compressed moments.
 */
#ifndef TENSORLV_COUNT_BLOCK_H
#define TENSORLV_COUNT_BLOCK_H

#include <math.h>

#include "tensorlv/model/accumulator.h"
#include "tensorlv/num/numbers.h"

/* Adds to a sum that is not negative; of what is taken out again no rounding stays. */
static inline void
tlv_count_add(double *sum, double more)
{
	*sum += more;
	if (more < 0 && fabs(*sum) <= TLV_ROUNDING * -more && *sum != floor(*sum))
		*sum = 0;
}

typedef struct tlv_count_entry
{
	int32_t item; /* position */
	int32_t row;  /* document within the block */
	double count;
} tlv_count_entry;

typedef struct tlv_count_block
{
	size_t width;
	size_t room_rows;
	size_t rows;
	bool by_item; /* entries are sorted by item before they are used */
	size_t d;
	size_t n;
	size_t room;
	tlv_count_entry *entries;
	tlv_count_entry *other; /* of the same room, for sorting */
	double *y;				/* width x room_rows */
	double *s2;				/* 1 / (L - 1) */
	double *s3;				/* 1 / ((L - 1) (L - 2)) */
	double *times;			/* multiplicity of the document, by which s2 and s3 are multiplied */
} tlv_count_block;

/* A block for a basis of d items and the given number of directions. */
extern tlv_status tlv_count_block_init(tlv_context *ctx, tlv_count_block *block, size_t width,
									   size_t d);

/* Adds the known items of a document of at least 3 tokens, with its multiplicity; *full says
 * that the block must be used and reset before the next one. */
extern tlv_status tlv_count_block_add(tlv_context *ctx, tlv_count_block *block,
									  const tlv_document *document, double times, bool *full);

/* y_t = sum over the items of document t of c_ti weights_i, for all rows. */
extern tlv_status tlv_count_block_gather(tlv_context *ctx, tlv_count_block *block,
										 const double *weights);

/* sums_i += factor_t c_ti y_t for all rows and their items; sums is width x d. */
extern tlv_status tlv_count_block_scatter(tlv_context *ctx, tlv_count_block *block,
										  const double *factor, double *sums);

/* quotients_t = sum over items of c_ti^2 weights_i^2, elementwise; width x rows. */
extern tlv_status tlv_count_block_squares(tlv_context *ctx, tlv_count_block *block,
										  const double *weights, double *quotients);

extern void tlv_count_block_reset(tlv_count_block *block);

#endif /* TENSORLV_COUNT_BLOCK_H */
