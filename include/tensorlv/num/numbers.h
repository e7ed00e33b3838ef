/*
 * numbers.h - limits of numbers and sizes that several rooms share.  They decide no answer: those
 * that do stand in a tuning.h.
 */
#ifndef TENSORLV_NUMBERS_H
#define TENSORLV_NUMBERS_H

/* Largest modulus of a parameter or an observation: products of three stay finite. */
#define TLV_LARGEST_NUMBER 1e100

/* Least positive divisor or argument of a logarithm: its reciprocal and its logarithm are finite.
 */
#define TLV_TINY 1e-300

/* Least variance of a model. */
#define TLV_LEAST_VARIANCE 1e-200

/*
 * Least probability of a stored model: no logarithm is infinite, and EM can raise every probability
 * again.
 */
#define TLV_LEAST_PROBABILITY 1e-10

/* A remainder of a subtraction below this, relative to what was added up, is rounding error. */
#define TLV_ROUNDING 1e-9

/* Standard errors of a half of a 95 % interval. */
#define TLV_INTERVAL_Z 1.959964

/*
 * Eigenvalue, or variance that other columns leave, relative to the largest or whole one, below
 * which it is rounding error.
 */
#define TLV_DEPENDENT 1e-11

/* Rows of a block that one product of matrices takes; and of one of many such blocks. */
#define TLV_BLOCK_ROWS		 256
#define TLV_SMALL_BLOCK_ROWS 64

/*
 * Doubles and floats of a register of 512 bits: so many sums are computed side by side, on every
 * processor, and rows of floats are padded with zeros to a multiple.
 */
#define TLV_REGISTER_DOUBLES 8
#define TLV_REGISTER_FLOATS	 16

#endif /* TENSORLV_NUMBERS_H */
