/*
 * internal.h - what the files of hidden Markov models share.
 */
#ifndef TLV_HMM_INTERNAL_H
#define TLV_HMM_INTERNAL_H

#include "octet.h"
#include "tensorlv/num/dictionary.h"
#include "tensorlv/model/hmm.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/view_solver.h"

/* Steps that are smoothed at once: longer sequences are gone through block by block. */
#define HMM_BLOCK ((size_t) 1024)

/* What scores need (errors.c). */
typedef struct hmm_scores
{
	size_t piece;		 /* steps of a piece of a sequence */
	double *pairs;		 /* k x k */
	tlv_mixture mixture; /* of vectors: the states */
	tlv_mixture_scorer scorer;
} hmm_scores;

/* Buffers for many sequences at once (batch.c); they grow and stay. */
typedef struct tlv_hmm_scratch
{
	size_t rows;
	size_t sizes[2];
	double *block;		/* of one chunk: likelihoods, gamma, weighted; beta */
	double *alpha;		/* 8 x k x (rows + 1): filtered */
	double *likelihood; /* 8 x k x rows, vectors */
	double *inverse;	/* 8 x rows: what filtered ones were multiplied by */
} tlv_hmm_scratch;

/* A model opened for use.  "stride" is k rounded up to whole octets; padding is 0. */
typedef struct tlv_hmm_model
{
	tlv_model base;
	tlv_hmm_parts parts;
	tlv_dictionary dictionary; /* symbols */
	size_t stride;
	size_t piece;			/* steps between two looks at whether to stop: 1 .. HMM_BLOCK */
	double *initial;		/* stride */
	double *forward;		/* stride x k: [to + stride from] */
	double *backward;		/* stride x k: [from + stride to] */
	double *emissions;		/* symbols: stride x (d + 1), ones for what is not known */
	double *means;			/* vectors: stride x d */
	size_t variances;		/* vectors: numbers of a state's covariance */
	double *log_norm;		/* vectors: stride, -1/2 ln det(2 pi covariance) */
	double *half_precision; /* stride x variances: 1 / (2 variance); full: L^-1 by rows, S = L L' */
	double *difference;		/* full: stride x d */
	double *incomplete;		/* 2 d x (d + 1), made for the first sequence with missing numbers */
	size_t *places;			/* d, likewise */
	bool missing;			/* numbers of the sequence at hand are */
	double *log_forward;	/* stride x k, made by the first tlv_hmm_decode */
	double *log_emissions;	/* stride x (d + 1), likewise */
	double *packed[2];		/* k x k: T and T', for tlv_hmm_batch_run (NULL before the first) */
	tlv_hmm_scratch scratch;
	/* buffers of one block of one sequence */
	int32_t *at;		/* block: which column of the likelihoods */
	double *likelihood; /* vectors: stride x block, scaled */
	double *alpha;		/* stride x (block + 1): filtered, the first being of the step before */
	double *weighted;	/* stride x block: likelihood times what follows, over the scale */
	double *gamma;		/* stride x block */
	double *scale;		/* block */
	double *beta;		/* stride */
	double *pairs;		/* k x k */
	struct hmm_scores *scores; /* for scores, made by the first */
} tlv_hmm_model;

/* One sequence: symbols, or (NULL) n vectors of d numbers. */
typedef struct tlv_sequence
{
	size_t n;
	const int64_t *symbols;
	size_t d;
	const double *x;
	const bool *missing; /* n x d, where x is NaN; n of symbols; or NULL */
} tlv_sequence;

/* The sequence that a row of symbols or of vectors is. */
static inline tlv_sequence
tlv_sequence_of_row(const tlv_row *row)
{
	const tlv_part *part = &row->part[0];

	if (row->form == TLV_ROW_SYMBOLS)
		return (tlv_sequence){part->n, part->ids, 0, NULL, part->missing};
	return (tlv_sequence){part->n, NULL, part->d, part->float64, part->missing};
}

/* Numbers of a state's covariance; none of symbols. */
static inline size_t
tlv_hmm_covariance_numbers(const tlv_hmm_parts *parts)
{
	return parts->gaussian ? tlv_mixture_variances(parts->d, parts->covariance) : 0;
}

/* open.c */
extern tlv_status tlv_hmm_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model);

/* TLV_BAD_PARAMETER for symbols where vectors are wanted, and so on; numbers must be finite or
 * missing.  Makes the model ready for it. */
extern tlv_status tlv_hmm_check_sequence(tlv_context *ctx, tlv_hmm_model *model,
										 const tlv_sequence *sequence);

/* Vectors with missing numbers: whether one is; the logarithms of the states' densities of what is
 * there (stride); their part of tlv_hmm_vector_sums, padded. */
extern bool tlv_hmm_is_incomplete(size_t d, const double *x);
extern void tlv_hmm_incomplete_densities(const tlv_hmm_model *model, const double *x, double *out);
extern void tlv_hmm_add_incomplete(const tlv_hmm_model *model, const double *x, const double *gamma,
								   double *sums);

/* Column of the emissions of a symbol: d for those that the model does not know. */
static inline int32_t
tlv_hmm_position(const tlv_hmm_model *model, int64_t symbol)
{
	int32_t at = tlv_dictionary_find(&model->dictionary, symbol);

	return at >= 0 ? at : (int32_t) model->parts.d;
}

/*
 * Logarithms of the densities of n vectors (d x n) in each state: stride x n; 0 in the padding.
 * scaled: the densities themselves, of each vector divided by the largest; returns the sum of
 * the logarithms of what was taken off.
 */
extern double tlv_hmm_densities(const tlv_hmm_model *model, size_t n, const double *x, bool scaled,
								double *densities);

/*
 * Posteriors gamma (stride x n) of the steps from `first` on; blocks come from the last to the
 * first.  at: the symbols' columns, of symbols.
 */
typedef tlv_status (*tlv_hmm_visit)(tlv_context *ctx, void *argument, size_t first, size_t n,
									const int32_t *at, const double *gamma);

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

/* ---- many sequences at once ---- */

/*
 * Sequences that wait to be gone through together: laid end to end in eight lanes of about the
 * same length.  Row r holds step r of every lane.
 */
typedef struct tlv_hmm_batch
{
	size_t rows; /* room */
	size_t filled[TLV_OCTET];
	int32_t *at;	 /* 8 x rows: columns of the emissions, of symbols */
	double *x;		 /* d x 8 x rows, of vectors */
	uint8_t *starts; /* rows + 1: in which lanes a sequence starts there */
	uint8_t *breaks; /* rows + 1: or a lane ends */
} tlv_hmm_batch;

/* Sums of expected states, k numbers and so on as in statistics.c. */
typedef struct tlv_hmm_sums
{
	double log_likelihood;
	double *initial;
	double *pairs;
	double *emissions;	/* symbols: k x d */
	double *weights;	/* vectors: k */
	double *deviations; /* vectors: k x d */
	double *squares;	/* vectors: k x variances: of |x - mean|^2, squares or packed products */
} tlv_hmm_sums;

/* Longest sequence that a batch takes. */
extern size_t tlv_hmm_batch_most(const tlv_hmm_model *model);

/* Adds a sequence of 1 .. tlv_hmm_batch_most steps; *full, and nothing is added, if it must be run
 * first. */
extern tlv_status tlv_hmm_batch_add(tlv_context *ctx, const tlv_hmm_model *model,
									tlv_hmm_batch *batch, const tlv_sequence *sequence, bool *full);

/* Forward and backward over the batch, which is empty then.  Errors: memory, TLV_CANCELLED. */
extern tlv_status tlv_hmm_batch_run(tlv_context *ctx, tlv_hmm_model *model, tlv_hmm_batch *batch,
									tlv_hmm_sums *sums);

/*
 * Adds n vectors (d x n) with their posteriors (stride x n) to weights, deviations and squares;
 * work has stride x tlv_hmm_vector_sums numbers.
 */
static inline size_t
tlv_hmm_vector_sums(const tlv_hmm_model *model)
{
	return 1 + model->variances + 2 * model->parts.d;
}

extern void tlv_hmm_add_vectors(const tlv_hmm_model *model, size_t n, const double *x,
								const double *gamma, double *work, tlv_hmm_sums *sums);

/* The names of n items, those that have some, from the arena; of a model's symbols, from the
 * moments. */
extern tlv_status tlv_hmm_name_items(tlv_context *ctx, const tlv_name_table *names, size_t n,
									 const int64_t *items, tlv_name_list *list);
extern tlv_status tlv_hmm_name_symbols(tlv_context *ctx, const tlv_frame *moments,
									   tlv_hmm_parts *parts);
/* Refuses covariances of symbols, which have none, but for the one that is meant by default. */
extern tlv_status tlv_hmm_check_covariance(tlv_context *ctx, const tlv_frame *moments,
										   tlv_covariance covariance);

/* errors.c: the members of the class. */
extern tlv_status tlv_hmm_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list);
extern tlv_status tlv_hmm_score(tlv_context *ctx, tlv_model *model, const tlv_row *row,
								tlv_score_sink *sink);
extern tlv_status tlv_hmm_redraw(tlv_context *ctx, const tlv_frame *model, const double *values,
								 void **image, size_t *size);

/* ---- statistics, windows ---- */

/* What is missing in a sequence (impute.c). */
extern tlv_status tlv_hmm_impute(tlv_context *ctx, tlv_model *model, const tlv_row *row,
								 tlv_posterior *filled);

extern tlv_status tlv_hmm_statistics(tlv_context *ctx, tlv_model *model, const char *method,
									 tlv_accumulator **accumulator);
/* One step of Baum-Welch; in_order: states keep their numbers. */
extern tlv_status tlv_hmm_step(tlv_context *ctx, const tlv_frame *model,
							   const tlv_frame *statistics, const tlv_step *step, bool in_order,
							   void **image, size_t *size);
/* Means (d x k) and covariances of the states after the step; work: 2 d. */
extern void tlv_hmm_maximize_vectors(const tlv_hmm_sums *sums, const tlv_hmm_parts *before,
									 double *means, double *variances, double *work);
extern tlv_status tlv_hmm_update(tlv_context *ctx, const tlv_frame *model,
								 const tlv_frame *statistics, const tlv_step *step, void **image,
								 size_t *size);

/* Counts of windows of symbols, as a source of views; it points into the moments. */
extern void tlv_hmm_window_source(const tlv_frame *moments, tlv_view_source *source);

/*
 * EM on the counts of windows (composite likelihood): emissions k x m, transitions [to + k from],
 * first: law of a window's first state, all changed in place; iterations as in
 * tlv_hmm_options.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_hmm_window_em(tlv_context *ctx, const tlv_view_source *source, size_t k,
									int iterations, double *emissions, double *transitions,
									double *first, tlv_em *em);

/* What it tells of itself; a warning where it ended at its limit, but not of a start. */
extern tlv_status tlv_hmm_diagnose_windows(tlv_context *ctx, const tlv_em *em,
										   const tlv_hmm_options *options,
										   tlv_diagnostics *diagnostics);

/* Names of the numbers that count what the moments are of. */
#define TLV_HMM_COUNTERS 4
extern const char *const tlv_hmm_counters[TLV_HMM_COUNTERS];
/* Warns of n sequences without a window. */
extern tlv_status tlv_hmm_warn_short(tlv_context *ctx, double n, tlv_diagnostics *diagnostics);

/*
 * H >= 0 (k x k) of least sum |P - O H O'|^2 from gram = O'O and moment = O'PO, symmetric
 * positive semi-definite gram.  An active set for small k, projected gradient beyond.
 */
extern tlv_status tlv_hmm_least_squares(tlv_context *ctx, size_t k, const double *gram,
										const double *moment, double *h);

#endif /* TLV_HMM_INTERNAL_H */
