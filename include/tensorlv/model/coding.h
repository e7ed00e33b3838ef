/*
 * coding.h - sparse coding: x = D c + noise, D of k atoms (unit columns, perhaps more than
 * dimensions), c with few entries that are not 0.
 *
 * The model's frame (kind dictionary): scalars "rows", "seed", "sparsity" (most atoms of a row),
 * "steps" (of refinement) and "error" (mean of |x - D c|^2 over the mean of |x|^2); "atoms" D
 * (d x k), "weights" (k, share of rows that use the atom, 1e-12 where none does), "codes" (k x k,
 * mean of c c') and diagnostics.  Atoms are ordered by decreasing use when a model is fitted; the
 * entry of largest modulus of each is positive.  Rows are taken as they are: neither centred nor
 * scaled.
 *
 * Codes are found by orthogonal matching pursuit with the Gram matrix of the atoms (Rubinstein,
 * Zibulevsky, Elad 2008); atoms by the method of optimal directions (Engan, Aase, Husoy 1999) with
 * the replacements of Aharon, Elad, Bruckstein 2006: an atom that nobody uses, or that is another
 * one again, becomes the row that is represented worst.
 *
 * The room contains the initial atoms (by least squares, independent components or the graph of
 * rows), pursuit, refinement and simulation.  Independent sources as a model are in ica.h, and the
 * solvers of least squares are on floor 1.
 */
#ifndef TENSORLV_CODING_H
#define TENSORLV_CODING_H

#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/frame.h"

/* Most atoms, numbers of a row, and atoms of a row. */
#define TLV_CODING_MOST_ATOMS	   4000
#define TLV_CODING_MOST_DIMENSIONS 4000
#define TLV_CODING_MOST_SPARSITY   200

/* ---- the stored form ---- */

typedef struct tlv_coding_parts
{
	size_t d;
	size_t k;
	double rows;
	double seed;
	double sparsity;
	double steps;
	double error;
	double *atoms;
	double *uses;
	double *codes;
	tlv_diagnostics *diagnostics;
} tlv_coding_parts;

/*
 * Orders the atoms by decreasing use, and turns every one such that its entry of largest modulus is
 * positive, in place; order (k, or NULL) gets the number that atom i had before.
 */
extern tlv_status tlv_coding_order(tlv_context *ctx, tlv_coding_parts *parts, int64_t *order);

/* The frame of these parts as they are.  Errors: memory, numbers that are not finite. */
extern tlv_status tlv_coding_write(tlv_context *ctx, const tlv_coding_parts *parts, void **image,
								   size_t *size);

/* ---- use ---- */

/*
 * The code of one row under an opened model of the kind: at most "sparsity" atoms (from 0), in the
 * order in which they were found, and their coefficients; *n how many.  d numbers; room: the
 * model's sparsity.  Errors: TLV_BAD_DATA for another width or numbers that are not finite.
 */
extern tlv_status tlv_coding_encode_row(tlv_context *ctx, tlv_model *model, size_t d,
										const double *x, size_t *n, int32_t *atoms,
										double *coefficients);

/* ---- the whole of learning, as a procedure (source.h) over vectors ---- */

typedef enum tlv_coding_method
{
	TLV_CODING_MOD,	  /* from rows drawn at random */
	TLV_CODING_GRAPH, /* from the sets of rows that share an atom */
	TLV_CODING_ICA	  /* from independent components: no more atoms than dimensions */
} tlv_coding_method;

typedef struct tlv_coding_options
{
	size_t atoms;
	size_t sparsity;
	tlv_coding_method method;
	double threshold; /* graph: rows are connected whose inner product exceeds this part of the
					   * mean square of a coefficient, mean |x|^2 over sparsity */
	double common;	  /* graph: the share of the rows of an atom that must be neighbours of three */
	const char *refine; /* "mod" or "none"; NULL or "auto": mod */
	int iterations;		/* steps over the sample, then as many over all rows where there are more;
						 * below 0: until the error stands */
	int restarts;		/* starts, of which the one of least error is kept; below 1: 3 */
	uint64_t seed;
} tlv_coding_options;

/* What the thesis calls 1/2 and what works in the place of its 1/10 (Ge 2013, algorithm 5.1). */
#define TLV_CODING_THRESHOLD 0.5
#define TLV_CODING_COMMON	 0.35

/*
 * A sample of the rows; starts and steps over it; then, where the table is larger, steps over all
 * rows.  Its options are tlv_coding_options.  Errors: TLV_BAD_PARAMETER, TLV_NO_ROWS, TLV_BAD_DATA,
 * memory, TLV_CANCELLED.
 */
extern const tlv_procedure tlv_coding_procedure;

/* ---- simulation ---- */

typedef struct tlv_coding_simulation
{
	size_t d;
	size_t k;
	size_t sparsity;
	uint64_t seed;
} tlv_coding_simulation;

/* A model of random unit atoms, all used alike. */
extern tlv_status tlv_coding_simulate_model(tlv_context *ctx, const tlv_coding_simulation *options,
											void **image, size_t *size);

typedef tlv_status (*tlv_coding_emit)(tlv_context *ctx, void *argument, size_t row, const double *x,
									  const double *codes);

/*
 * Rows x = D c + noise e from row 1 on: c has "sparsity" atoms drawn without replacement, with
 * coefficients of random sign and modulus uniform in [1, 2]; e standard normal.
 */
extern tlv_status tlv_coding_simulate(tlv_context *ctx, const tlv_frame *model, size_t rows,
									  double noise, uint64_t seed, tlv_coding_emit emit,
									  void *argument);

#endif /* TENSORLV_CODING_H */
