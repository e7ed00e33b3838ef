/*
 * reduce.h - blocks in which a dense matrix is reduced to two or three diagonals (svd.c, eigen.c).
 *
 * LAPACK's own reductions take seconds without a look at interrupts.  These call the routines
 * that LAPACK calls for each block of columns, and look between blocks.
 */
#ifndef TENSORLV_REDUCE_H
#define TENSORLV_REDUCE_H

#include <math.h>

#include "tensorlv/num/context.h"

/* Columns of a block, LAPACK's own width. */
#define TLV_REDUCED_COLUMNS 32

/* A rest of at most this number of rows and columns is reduced in one call. */
#define TLV_REDUCED_AT_ONCE 128

/* Numbers of work space with which LAPACK applies the reflectors of a block to at most
 * TLV_REDUCED_WIDTH columns: 64 for each of these, and a triangle of 65 x 64. */
#define TLV_REDUCED_WIDTH	256
#define TLV_REDUCED_SCRATCH ((TLV_REDUCED_WIDTH + 65) * 64)

/* Columns to which `reflectors` of a given number of rows are applied in one call of about 1
 * GFLOP; at least 8, so that their triangular factors are not computed too often. */
static inline size_t
tlv_reduced_width(size_t rows, size_t reflectors)
{
	double width = 2.5e8 / ((double) rows * (double) reflectors);

	return width < 8 ? 8 : width > TLV_REDUCED_WIDTH ? TLV_REDUCED_WIDTH : (size_t) width;
}

/* A power of two that brings the largest entry of a matrix near 1, so that no square of an entry
 * leaves the range of doubles. */
static inline double
tlv_reduced_scale(double largest)
{
	int exponent;

	(void) frexp(largest, &exponent);
	return ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
}

#endif /* TENSORLV_REDUCE_H */
