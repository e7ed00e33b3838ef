/*
 * sums.h - sums of powers of vectors up to order 4 about a point, and
 * the block of rows that have not entered them yet: what dense moments of the
 * whole space and of a subspace share.
 */
#ifndef TENSORLV_DENSE_SUMS_H
#define TENSORLV_DENSE_SUMS_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"

typedef struct dense_sums
{
	size_t d;
	int order;
	double rows;  /* in the sums, without those of the block */
	double *sum1; /* d */
	double *sum2; /* d x d: the lower triangle holds */
	double *sum3; /* packed3, order 3 on */
	double *sum4; /* packed4, order 4 */

	double *block;	 /* d x block_rows, of block_room */
	double *weights; /* TLV_BLOCK_ROWS: of its rows, up to order 3; NULL: 1 */
	size_t block_rows;
	size_t block_room; /* grows to TLV_BLOCK_ROWS: a group of few rows stays small */
	double *work;	   /* of the products */
} dense_sums;

/* Sums of no rows; d >= 1, 2 <= order <= 4. */
extern tlv_status dense_sums_init(tlv_context *ctx, dense_sums *sums, size_t d, int order);
extern void dense_sums_free(tlv_context *ctx, dense_sums *sums);

/* Room for one more row in the block, which is flushed when full; the caller fills d numbers and
 * raises block_rows. */
extern tlv_status dense_sums_next(tlv_context *ctx, dense_sums *sums, double **row);

/* The weight of that row, before block_rows is raised. */
extern tlv_status dense_sums_weigh(tlv_context *ctx, dense_sums *sums, double weight);

/* A block of more rows of d numbers: 8, 16 .. TLV_BLOCK_ROWS. */
extern tlv_status dense_block_grow(tlv_context *ctx, size_t d, double **block, size_t *room);

/* All rows of the block into the sums. */
extern tlv_status dense_sums_flush(tlv_context *ctx, dense_sums *sums);

/* Sums of y + delta instead of y; the block must be empty. */
extern void dense_sums_translate(dense_sums *sums, const double *delta);

/* sums += other, both about the same point, blocks empty. */
extern void dense_sums_add(dense_sums *sums, const dense_sums *other);

/* Fresh sums of a frame's sections "order", "rows", "sum1" .. "sum4". */
extern tlv_status dense_sums_read(tlv_context *ctx, const tlv_frame *frame, dense_sums *sums);

/* What these sections of d numbers must be beyond what is declared; those of higher orders than
 * "order" are empty. */
extern tlv_status dense_sums_check(tlv_context *ctx, const tlv_frame *frame, size_t d);

/* TLV_BAD_DATA when sums have overflowed. */
extern tlv_status dense_sums_require_finite(tlv_context *ctx, const dense_sums *sums);

/* Largest |x - shift| whose powers can be summed without overflow over any number of rows. */
extern double dense_sums_reach(int order);

/*
 * row = x - shift.  TLV_BAD_DATA names the first element of x that is not finite or farther than
 * dense_sums_reach from the shift.
 */
extern tlv_status dense_sums_shift(tlv_context *ctx, int order, size_t d, const double *x,
								   const double *shift, double *row);

#endif /* TENSORLV_DENSE_SUMS_H */
