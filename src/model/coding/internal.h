/*
 * internal.h - codes of rows, sums over them and steps: what the files of the room share.
 */
#ifndef TENSORLV_CODING_INTERNAL_H
#define TENSORLV_CODING_INTERNAL_H

#include "tensorlv/model/coding.h"
#include "tensorlv/num/rng.h"

/* Rows that are coded together. */
#define CODE_BLOCK 128

/* ---- encode.c ---- */

/* What codes rows under given atoms. */
typedef struct tlv_coder
{
	size_t d, k, sparsity;
	const double *atoms; /* d x k, unit columns */
	double *gram;		 /* k x k */
	double *products;	 /* k x CODE_BLOCK: D'x */
	double *left;		 /* k: D'r of the residual r */
	double *factor;		 /* sparsity x sparsity, lower: of the Gram matrix of the atoms found */
	double *solved;		 /* sparsity */
	/* Of the last block: */
	int32_t *support;	  /* sparsity x CODE_BLOCK */
	double *coefficients; /* the same */
	int32_t *found;		  /* CODE_BLOCK: how many */
	double *energies;	  /* CODE_BLOCK: |x|^2 */
	double *errors;		  /* CODE_BLOCK: |x - D c|^2 */
} tlv_coder;

extern tlv_status tlv_coder_create(tlv_context *ctx, size_t d, size_t k, size_t sparsity,
								   tlv_coder *coder);

/* Other atoms: makes their Gram matrix. */
extern tlv_status tlv_coder_use(tlv_context *ctx, tlv_coder *coder, const double *atoms);

/* Codes n rows (d x n), n at most CODE_BLOCK.  Errors: TLV_BAD_DATA for numbers too large. */
extern tlv_status tlv_coder_run(tlv_context *ctx, tlv_coder *coder, size_t n, const double *rows);

/* ---- sums.c ---- */

/* Sums over coded rows. */
typedef struct tlv_code_sums
{
	double rows;
	double energy;	  /* |x|^2 */
	double error;	  /* |x - D c|^2 */
	double *uses;	  /* k */
	double *codes;	  /* k x k: c c' */
	double *products; /* d x k: x c' */
} tlv_code_sums;

/* Adds the rows of the coder's last block. */
extern void tlv_code_sums_add(const tlv_coder *coder, size_t n, const double *rows,
							  tlv_code_sums *sums);

/*
 * The atoms of least squares given the codes, scaled to unit length, from sums or means of them;
 * atoms that nobody uses stay.  codes (k x k) gets the mean of c c' in the new scale.  Errors:
 * TLV_BAD_DATA, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_code_solve(tlv_context *ctx, size_t d, size_t k, const tlv_code_sums *sums,
								 const double *before, double *atoms, double *codes);

/* ---- learn.c ---- */

/* Rows in memory and what is being learnt from them. */
typedef struct tlv_coding_learner
{
	size_t d, k, n;
	const double *rows; /* d x n */
	tlv_coder coder;
	tlv_code_sums sums;
	double *errors; /* n: of the last step */
	double *atoms;	/* d x k */
	double *codes;	/* k x k */
	tlv_rng rng;
	int steps;
} tlv_coding_learner;

extern tlv_status tlv_coding_learner_create(tlv_context *ctx, const tlv_coding_options *options,
											size_t d, size_t n, const double *rows,
											tlv_coding_learner *learner);

/* Codes all rows under the atoms: sums and errors. */
extern tlv_status tlv_coding_code_all(tlv_context *ctx, tlv_coding_learner *learner);

/* Runs the given number of iterations from the atoms, or (below 0) until the error converges. */
extern tlv_status tlv_coding_learn(tlv_context *ctx, tlv_coding_learner *learner, int limit);

/* ---- starts: fill learner->atoms ---- */

/* Different rows, drawn at random; fewer than atoms: random directions for the rest. */
extern tlv_status tlv_coding_start_rows(tlv_context *ctx, tlv_coding_learner *learner,
										size_t first);
/* graph.c; *found: atoms that are from it. */
extern tlv_status tlv_coding_start_graph(tlv_context *ctx, tlv_coding_learner *learner,
										 const tlv_coding_options *options, size_t *found);

/* ---- statistics.c: entries of the model class ---- */

typedef struct tlv_coding_model
{
	tlv_model base;
	size_t d, k, sparsity;
	tlv_coder coder;
} tlv_coding_model;

/* Copies a row of d numbers; refuses another width and numbers that are not finite. */
extern tlv_status tlv_coding_take_row(tlv_context *ctx, size_t d, size_t width, const double *x,
									  double *out);

extern tlv_status tlv_coding_statistics(tlv_context *ctx, tlv_model *model, const char *method,
										tlv_accumulator **accumulator);
extern tlv_status tlv_coding_update(tlv_context *ctx, const tlv_frame *model,
									const tlv_frame *statistics, const tlv_step *step, void **image,
									size_t *size);

/* Warnings of atoms that nobody uses, or that are alike. */
extern tlv_status tlv_coding_diagnose(tlv_context *ctx, const tlv_coding_parts *parts);

#endif /* TENSORLV_CODING_INTERNAL_H */
