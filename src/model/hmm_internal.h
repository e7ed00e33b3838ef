/*
 * hmm_internal.h - what the files of hidden Markov models share.
 */
#ifndef TLV_HMM_INTERNAL_H
#define TLV_HMM_INTERNAL_H

#include "tensorlv/dictionary.h"
#include "tensorlv/hmm.h"
#include "tensorlv/model.h"
#include "view_solver.h"

/* Steps that are smoothed at once: longer sequences are gone through block by block. */
#define HMM_BLOCK ((size_t) 1024)

/* A model opened for use. */
typedef struct tlv_hmm_model
{
	tlv_model base;
	tlv_hmm_parts parts;
	tlv_dictionary dictionary; /* symbols */
	double *transposed;		   /* k x k: [from + k to] */
	double *means;			   /* vectors: k x d */
	double *log_norm;		   /* vectors: k, -d/2 ln(2 pi variance) */
	double *half_precision;	   /* vectors: k, 1 / (2 variance) */
	/* buffers of one block */
	double *likelihood; /* k x block, scaled */
	double *alpha;		/* k x (block + 1): filtered, the first being of the step before */
	double *weighted;	/* k x block: likelihood times what follows, over the scale */
	double *gamma;		/* k x block */
	double *scale;		/* block */
	double *beta;		/* k */
	double *pairs;		/* k x k */
} tlv_hmm_model;

/* One sequence: symbols, or (NULL) n vectors of d numbers. */
typedef struct tlv_sequence
{
	size_t n;
	const int64_t *symbols;
	size_t d;
	const double *x;
} tlv_sequence;

extern tlv_status tlv_hmm_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model);

/* TLV_BAD_PARAMETER for symbols where vectors are wanted, and so on; numbers must be finite. */
extern tlv_status tlv_hmm_check_sequence(tlv_context *ctx, const tlv_hmm_model *model,
										 const tlv_sequence *sequence);

/* Posteriors gamma (k x n) of the steps from `first` on; blocks come from the last to the first. */
typedef tlv_status (*tlv_hmm_visit)(tlv_context *ctx, void *argument, size_t first, size_t n,
									const double *gamma);

/*
 * Forward and backward, scaled.  visit may be NULL: then the likelihood only.  pairs (k x k, may be
 * NULL): expected transitions [to + k from] are added.
 */
extern tlv_status tlv_hmm_smooth(tlv_context *ctx, tlv_hmm_model *model,
								 const tlv_sequence *sequence, tlv_hmm_visit visit, void *argument,
								 double *pairs, double *log_likelihood);

/* Most probable states, from 0 (Viterbi 1967). */
extern tlv_status tlv_hmm_decode(tlv_context *ctx, tlv_hmm_model *model,
								 const tlv_sequence *sequence, int32_t *states);

extern tlv_status tlv_hmm_statistics(tlv_context *ctx, tlv_model *model, const char *method,
									 tlv_accumulator **accumulator);
extern tlv_status tlv_hmm_update(tlv_context *ctx, const tlv_frame *model,
								 const tlv_frame *statistics, void **image, size_t *size);

/*
 * EM on the counts of windows (composite likelihood): emissions k x m, transitions [to + k from],
 * first: law of a window's first state, all changed in place.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_hmm_window_em(tlv_context *ctx, const tlv_view_source *source, size_t k,
									int iterations, double *emissions, double *transitions,
									double *first, double *log_likelihood, int *done);

/*
 * H >= 0 (k x k) of least sum |P - O H O'|^2 from gram = O'O and moment = O'PO, symmetric
 * positive semi-definite gram.  An active set for small k, projected gradient beyond.
 */
extern tlv_status tlv_hmm_least_squares(tlv_context *ctx, size_t k, const double *gram,
										const double *moment, double *h);

#endif /* TLV_HMM_INTERNAL_H */
