/*
 * learn.h - what learning latent Dirichlet allocation finds on its way (learn.c), for those of its
 * stages that have files of their own: choose.c (the number of topics), subspace.c, initialise.c
 * (the model that refinement begins with), refine.c, recurrence.c and finish.c.
 */
#ifndef TENSORLV_LDA_LEARN_H
#define TENSORLV_LDA_LEARN_H

#include "tensorlv/model/choice.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/lda.h"

/* The number of topics by the words of documents that were held out. */
typedef struct lda_choice
{
	bool chosen;	  /* k was not given */
	bool tested;	  /* k was given, and the curve tells whether there are topics at all */
	bool untested;	  /* documents are too few, or too much alike, to hold some out: one topic */
	bool all_words;	  /* halves of documents have hardly a word of their own: all are scored */
	double documents; /* that were seen on the way */
	tlv_choice curve;
} lda_choice;

/* So often each word counts in a summary that holds documents of a single word as well. */
#define LDA_REPEATS TLV_MIN_LENGTH

/* How the moments see the counts of the documents; refinement sees them as they are. */
typedef struct lda_counts
{
	bool damped;	   /* words come in bursts, and counts are damped for them */
	double repeats;	   /* each word counts this many times, since documents are short; 0: once */
	double too_short;  /* documents of a word, but fewer than moments need */
	bool of_one_word;  /* all documents are */
	double least;	   /* documents that an item of the moments occurs in; below 0: to be chosen */
	double trace;	   /* of the scaled second moment of the counts as they are */
	double burstiness; /* the trace over the sum of the leading eigenvalues; NaN: not measured */
} lda_counts;

/* A fit: its options, and what the end of it reports (finish.c).  All memory is the arena's. */
typedef struct lda_learning
{
	tlv_lda_learn_options options;
	size_t k;
	lda_choice choice;
	lda_counts counts;
	const tlv_frame *summary; /* of the documents that moments can use, of the counts as they are,
							   * or of all documents, of repeated ones */
	const tlv_frame *words;	  /* the summary of all documents, each word LDA_REPEATS times, where
							   * `summary` lacks some; or NULL */
	tlv_held subspace;		  /* of the counts as the moments see them; none once it has served */
	tlv_held model;
	size_t identified;	 /* topics that the moments give; the others are parts of these */
	bool doubtful;		 /* the second eigenvalue is near the edge of the spectrum of noise */
	double held_out[2];	 /* perplexity from the tensor and from anchors; NaN: no contest */
	double tensor_bytes; /* of third moments that exceed the memory limit; 0: they do not */
	bool at_limit;		 /* refinement ended before the perplexity had converged */
	int iterations;		 /* of refinement */
	double *recurrence;	 /* k: mean distance of each topic to those of parts of the documents; NULL:
						  * not sought, the first NaN: not to be had */
} lda_learning;

/* ---- learn.c ---- */

/* A fit with these options, before its first scan. */
extern void lda_begin(const tlv_lda_learn_options *options, lda_learning *fit);

/* Is a k that was given to be tested at the end, since the spectrum does not support it? */
extern bool lda_is_to_be_tested(const lda_learning *fit);

/* The documents as the moments see them. */
extern void lda_see_counts(tlv_source *view, tlv_source *documents, const lda_learning *fit);

/* How the moments see the counts, from fit->summary; *damped: the summary of damped ones, or NULL.
 */
extern tlv_status lda_choose_counts(tlv_context *ctx, tlv_source *documents, lda_learning *fit,
									tlv_value **damped);

/* ---- summary.c ---- */

/*
 * The summary of the documents, NULL where there are none, and whether these are too short for
 * moments as they are.  Errors: those of a pass.
 */
extern tlv_status lda_summarise(tlv_context *ctx, tlv_source *documents, lda_counts *counts,
								tlv_value **summary);

/* Where the summary lacks documents that are too short for moments: the one that has all of them.
 */
extern tlv_status lda_summarise_words(tlv_context *ctx, tlv_source *documents, lda_learning *fit,
									  tlv_value **words);

/* Does the summary hold documents that moments can be learnt from? */
extern bool lda_holds_documents(const tlv_value *summary);

/* A summary of documents that can be learnt from; seen: there were some in an earlier scan. Errors:
 * TLV_NO_ROWS, TLV_BAD_DATA. */
extern tlv_status lda_require_documents(tlv_context *ctx, const tlv_value *summary, bool seen);

/* ---- choose.c ---- */

/*
 * The curve over k of how well documents that were held out are predicted (choice.h), up to
 * fit->options.max_k topics, or where k is given up to that.  each: is called with every model that
 * was learnt on the way; NULL: nothing is.  Errors: those of a fit.
 */
typedef tlv_status (*lda_member_use)(tlv_context *ctx, void *argument, size_t k,
									 const tlv_held *model);
extern tlv_status lda_choose_k(tlv_context *ctx, tlv_source *documents, lda_learning *fit,
							   lda_member_use each, void *argument);

/* The k that was chosen; 1 where none could be. */
extern size_t lda_chosen_k(const lda_choice *choice);

/* ---- subspace.c ---- */

/*
 * The leading directions of the documents, by block iteration from their summary, or from
 * options->begun.  With burstiness it ends as soon as that is decided (lda_is_bursty).  Errors:
 * those of tlv_subspace_from_moments and of a pass.
 */
extern tlv_status lda_find_subspace(tlv_context *ctx, tlv_source *documents, lda_learning *fit,
									const tlv_frame *summary, tlv_subspace_options *options,
									double *burstiness);
extern void lda_drop_subspace(tlv_context *ctx, lda_learning *fit);

/* Do repetitions exceed what topics explain by so much that the moments must not see them? */
extern bool lda_is_bursty(double burstiness);

/* ---- initialise.c ---- */

/* Where a tensor of that rank will be formed whatever it takes, the memory is told beforehand. */
extern void lda_expect_tensor(tlv_context *ctx, const lda_learning *fit, const tlv_frame *summary,
							  size_t rank);

/* Refinement so far. */
typedef struct lda_refinement
{
	const char *how; /* "stepwise", "gibbs", "ctm" */
	int asked;		 /* iterations that the caller wants; below 0: until convergence */
	int planned;	 /* iterations where topics move with every document; 0: not known yet */
	int done;
	double perplexity[2]; /* before the last two iterations, the later one last */
} lda_refinement;

/* The model that refinement begins with, and the iterations that it has already.  The summary is of
 * the counts as the moments see them. */
extern tlv_status lda_initialise(tlv_context *ctx, tlv_source *documents, lda_learning *fit,
								 const tlv_frame *summary, lda_refinement *refinement);

/* ---- refine.c ---- */

/* What refinement begins as: correlations are found of topics that have been refined without. */
extern lda_refinement lda_begin_refinement(const lda_learning *fit);

/* Do topics move with every document? */
extern bool lda_topics_move(const lda_refinement *refinement);

/* Iterations after the first, which has lowered the perplexity by that part. */
extern int lda_more_iterations(const tlv_frame *model, double fall);

extern tlv_statistic lda_statistics_of(const tlv_held *model, const lda_refinement *refinement);

/* The documents, in the order of their contents where they are few: then *view. */
extern tlv_source *lda_in_order(tlv_source *view, tlv_source *documents, const tlv_held *model,
								size_t k, const lda_refinement *refinement);

extern tlv_status lda_refine(tlv_context *ctx, tlv_source *documents, lda_learning *fit,
							 lda_refinement *refinement);

/* ---- recurrence.c ---- */

/* How far every topic is from those of parts of the documents. */
extern tlv_status lda_measure_recurrence(tlv_context *ctx, tlv_source *documents,
										 lda_learning *fit);
extern tlv_status lda_diagnose_recurrence(tlv_context *ctx, const lda_learning *fit,
										  tlv_diagnostics *to);

/* ---- finish.c ---- */

/* The model with its labels, diagnostics and warnings. */
extern tlv_status lda_finish(tlv_context *ctx, tlv_source *documents, lda_learning *fit,
							 tlv_held *finished);

#endif /* TENSORLV_LDA_LEARN_H */
