/*
 * learn.h - how a hidden Markov model is learnt: sequences in memory, starts, accelerated steps of
 * Baum-Welch.
 */
#ifndef TLV_HMM_LEARN_H
#define TLV_HMM_LEARN_H

#include "../internal.h"
#include "tensorlv/model/choice.h"
#include "tensorlv/model/source.h"
#include "tensorlv/model/support.h"

/* ---- sequences in memory (memory.c) ---- */

typedef struct tlv_hmm_data
{
	size_t n;
	tlv_row *rows;
	double steps;
} tlv_hmm_data;

/* The first of them, so many steps at most: the last one is cut. */
extern tlv_status tlv_hmm_data_head(tlv_context *ctx, const tlv_hmm_data *data, double steps,
									tlv_hmm_data *head);

/*
 * The same steps as sequences of at most so many steps each.
 */
extern tlv_status tlv_hmm_data_cut(tlv_context *ctx, const tlv_hmm_data *data, size_t most,
								   tlv_hmm_data *cut);

/* Sequence statistics of the data under a model, as a stored value. */
extern tlv_status tlv_hmm_evaluate(tlv_context *ctx, const tlv_frame *model,
								   const tlv_hmm_data *data, void **image, size_t *size);

/* ---- steps of Baum-Welch (ascent.c) ---- */

/* A climb to a maximum of the likelihood (em.h), from the model `current`, which changes in place.
 */
typedef struct tlv_hmm_ascent
{
	tlv_held current;
	bool plain; /* exactly `limit` steps, of Baum-Welch alone */
	int limit;	/* evaluations */
	/* how it went */
	int taken;
	double mean;   /* the last log-likelihood per step of time */
	double growth; /* what the last cycle added */
	bool stands;
} tlv_hmm_ascent;

/* Over data in memory or (NULL) over the sequences of a source, a scan for each evaluation. */
extern tlv_status tlv_hmm_climb(tlv_context *ctx, const tlv_hmm_data *data, tlv_source *sequences,
								tlv_hmm_ascent *ascent);

/* ---- starts (starts.c) ---- */

typedef struct tlv_hmm_start_options
{
	size_t k;
	tlv_covariance covariance;
	uint64_t seed;
	unsigned constraints;
	const double *transitions; /* given: k x k, row = from; or NULL */
	const double *emissions;   /* given: k x m or d, row = state; or NULL */
} tlv_hmm_start_options;

/* How many starts there are beside the moments': of labels, and of symbols random ones. */
#define TLV_HMM_LABEL_STARTS  8
#define TLV_HMM_RANDOM_STARTS 8
#define TLV_HMM_STARTS		  (TLV_HMM_LABEL_STARTS + TLV_HMM_RANDOM_STARTS)

/*
 * Start number `which`, from 0: k-means of steps and of the means of windows about them, or
 * sequences cut into k parts.  items (m): symbols, ascending, those of the data among them.
 * TLV_NOT_IDENTIFIABLE where that start cannot be: too few steps.
 */
extern tlv_status tlv_hmm_start(tlv_context *ctx, const tlv_hmm_data *data,
								const tlv_hmm_start_options *options, size_t m,
								const int64_t *items, int which, void **image, size_t *size);

/* ---- the best of the starts (search.c) ---- */

typedef struct tlv_hmm_search
{
	const tlv_hmm_data *data;
	tlv_hmm_start_options start;
	size_t m;
	const int64_t *items;
	bool quick; /* fewer starts, and only the first round */
	int starts; /* that were compared */
	bool moments_won;
} tlv_hmm_search;

/*
 * The start that a few steps of Baum-Welch have brought farthest, of the moments' (NULL: there is
 * none) and all others: all on a part of the data, the best of them on more.  Errors: memory,
 * TLV_CANCELLED, TLV_BAD_DATA when there is no start at all.
 */
extern tlv_status tlv_hmm_search_start(tlv_context *ctx, tlv_hmm_search *search,
									   const tlv_frame *moments, tlv_held *best);

/* ---- dependence (dependence.c), the number of states (choose.c) ---- */

/* How many states pairs of neighbouring steps show. */
#define TLV_HMM_RANKS 24
typedef struct tlv_hmm_rank
{
	size_t k;		/* 0: not known */
	double p_value; /* that neighbours are independent: that one state is enough; NaN: not known */
	size_t tested;
	double enough[TLV_HMM_RANKS]; /* p that 1, 2, ... tested states are enough */
} tlv_hmm_rank;

/*
 * Whether neighbouring steps are independent: the p-value, NaN where there are too few.  Of
 * symbols by the table of pairs of the more frequent ones, of which the rank's k is how many states
 * it shows (0 of vectors); of vectors by Pillai's trace of the canonical correlations of a step and
 * the next, of the numbers and of their distances from the mean.
 */
extern tlv_status tlv_hmm_dependence(tlv_context *ctx, const tlv_hmm_data *data, size_t m,
									 const int64_t *items, tlv_hmm_rank *rank);

/* The rank of a c x c table of counts of pairs: the smallest number of components that chi-squared
 * tests at that level do not refuse. */
extern tlv_status tlv_hmm_table_rank(tlv_context *ctx, size_t c, const double *table,
									 tlv_hmm_rank *rank);

/* The p-values as diagnostics, "p_enough_1" and so on. */
extern tlv_status tlv_hmm_tell_rank(tlv_context *ctx, const tlv_hmm_rank *rank,
									tlv_diagnostics *diagnostics);

/* Classes (from 0, at most 24) of m symbols for so many pairs: the frequent ones are classes of
 * their own. */
extern tlv_status tlv_hmm_classes(tlv_context *ctx, size_t m, const double *counts, double pairs,
								  int32_t *class, size_t *classes);

/*
 * The number of states, 1 to max_k, by the likelihood per step of sequences that were left out,
 * beyond that of independent steps (choice.h).  Few sequences are cut into pieces first; too few
 * leave one state, and no point of the curve.
 */
extern tlv_status tlv_hmm_choose(tlv_context *ctx, const tlv_hmm_search *starts, size_t max_k,
								 tlv_choice *curve, size_t *k);

/* ---- symbols that are numbers (numbers.c) ---- */

/*
 * Of m integers that are symbols, ascending: by how many nats one normal distribution of them, of
 * rounded values, describes the steps of the data in fewer than a code of symbols does: which
 * integers of their range occur, and then equal frequencies, or how often each occurs (a two-part
 * code, Rissanen 1983, Annals of Statistics 11).  -infinity of few integers,
 * TLV_MOST_INTEGER_CATEGORIES at most.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_hmm_number_gain(tlv_context *ctx, const tlv_hmm_data *data, size_t m,
									  const int64_t *items, double *gain);

/* ---- stored counts of windows (stored.c) ---- */

/* EM on counts: so many random starts, `first` steps of each, and `last` more of the best one. */
typedef struct tlv_hmm_window_task
{
	size_t k;
	int starts, first, last;
	uint64_t seed;
} tlv_hmm_window_task;

typedef struct tlv_hmm_window_start
{
	double *emissions, *transitions, *first; /* k x m, k x k, k: one block */
	tlv_em em;
} tlv_hmm_window_start;

/* The best of the starts, whose emissions are the block to be freed.  Errors: memory,
 * TLV_CANCELLED. */
extern tlv_status tlv_hmm_best_window_start(tlv_context *ctx, const tlv_view_source *source,
											const tlv_hmm_window_task *task,
											tlv_hmm_window_start *best);

/* ---- which states are real (support.c) ---- */

extern const tlv_support_class tlv_hmm_support;

#endif /* TLV_HMM_LEARN_H */
