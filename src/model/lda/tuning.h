/*
 * tuning.h - numbers that decide topics of documents, their number and what is said of them.
 */
#ifndef TENSORLV_LDA_TUNING_H
#define TENSORLV_LDA_TUNING_H

#include "tensorlv/num/tuned.h"

/* ---- Initial estimate ---- */
/* Dirichlet parameter of each topic where the moments do not determine it. */
#define START_ALPHA TLV_TUNED(START_ALPHA, 0.1)

/* Relative residual of the tensor above which a warning says so. */
#define LDA_RESIDUAL_WARN TLV_TUNED(LDA_RESIDUAL_WARN, 0.25)

/* Standard errors of the trace of the third moment that bound alpha0. */
#define TRACE_ERRORS TLV_TUNED(TRACE_ERRORS, 4)

/*
 * Tokens for every probability of a topic from which on the likelihood estimates alpha0 without
 * bias.
 */
#define TOKENS_ENOUGH TLV_TUNED(TOKENS_ENOUGH, 20.0)

/*
 * Documents for every topic, below which anchors are compared with the tensor: both are refined by
 * a few iterations and predict the second halves of a part of the documents.  AP, perplexity of
 * unseen documents after five iterations, tensor and anchors: k = 50 2440 and 2426, k = 100 2370
 * and 2346; k = 20, 96 documents a topic, 2720 and 2717.
 */
#define CONTEST_DOCUMENTS TLV_TUNED(CONTEST_DOCUMENTS, 40)

/* Documents in all, below which they are not compared. */
#define CONTEST_LEAST TLV_TUNED(CONTEST_LEAST, 100)

/* Parts of the documents, one of which is predicted. */
#define CONTEST_PARTS TLV_TUNED(CONTEST_PARTS, 10)

/* Added to every item of a topic where counts are damped, relative to its share of the corpus. */
#define SMOOTHING_DAMPED TLV_TUNED(SMOOTHING_DAMPED, 0.1)

/*
 * Second eigenvalue of the pairs relative to the edge of the spectrum of independent words, below
 * which a given k is tested: on text it is ten times as large and more.
 */
#define DOUBTFUL_EDGES TLV_TUNED(DOUBTFUL_EDGES, 3.0)

/* An anchor is in at least one of this number of documents. */
#define CANDIDATE_SHARE TLV_TUNED(CANDIDATE_SHARE, 100)

/* Largest count in the moments where words come in bursts. */
#define DAMPING_CAP TLV_TUNED(DAMPING_CAP, 2.0)

/* Documents that an item of these moments is in. */
#define DAMPED_DOCUMENTS TLV_TUNED(DAMPED_DOCUMENTS, 20)

/* The same as one of this number of documents, if that is less. */
#define DAMPED_SHARE TLV_TUNED(DAMPED_SHARE, 50)

/* Trace relative to the sum of the leading eigenvalues, above which words come in bursts. */
#define BURST_LIMIT TLV_TUNED(BURST_LIMIT, 2.0)

/* Relative change of the leading Ritz values at which the subspace has converged. */
#define SUBSPACE_CHANGE TLV_TUNED(SUBSPACE_CHANGE, 0.01)

/* Least iterations of the subspace. */
#define SUBSPACE_LEAST TLV_TUNED(SUBSPACE_LEAST, 4)

/* Most iterations of the subspace. */
#define SUBSPACE_MOST TLV_TUNED(SUBSPACE_MOST, 12)

/* Iterations after which burstiness may be decided before the subspace has converged. */
#define DECIDED_ITERATIONS TLV_TUNED(DECIDED_ITERATIONS, 3)

/*
 * It is, where the ratio cannot fall to the limit by this multiple of its last fall: falls halve,
 * at least, from one iteration to the next (AP, k = 200: 3.93, 2.75, 2.55, 2.49, 2.47, .., 2.44).
 */
#define DECIDED_FALLS TLV_TUNED(DECIDED_FALLS, 2)

/*
 * Where fewer than one document of this number has the three words that moments need, of those
 * that have a word, each word of all documents counts thrice.  Every eigenvalue of the scaled pair
 * moment then grows by the same, so the leading directions are kept.  The third moment is biased,
 * and an initial estimate for refinement, which sees the words as they are.
 */
#define LONG_ONE_IN TLV_TUNED(LONG_ONE_IN, 10)

/* Longer documents that are enough for moments of their own. */
#define LONG_ENOUGH TLV_TUNED(LONG_ENOUGH, 1000)

/* ---- Number of topics ---- */
/* Documents to learn from, below which no numbers of topics are compared. */
#define LEAST_LEARNT TLV_TUNED(LEAST_LEARNT, 8)

/* Words of a document, below which it has too few pairs for anchors. */
#define SHORT_DOCUMENTS TLV_TUNED(SHORT_DOCUMENTS, 5.0)

/*
 * Iterations of a model that is compared, and of each fit to a part of the documents: what more
 * would add is the same for all k.
 */
#define MEMBER_ITERATIONS TLV_TUNED(MEMBER_ITERATIONS, 6)

/* Proportion of new words below which all words are scored. */
#define NEW_WORDS TLV_TUNED(NEW_WORDS, 0.1)

/* Topics that are tried where the caller gives no limit, or half of the documents. */
#define MOST_K TLV_TUNED(MOST_K, 100)

/* These are at least this number. */
#define LEAST_K TLV_TUNED(LEAST_K, 10)

/* ---- Refinement ---- */
/*
 * Where topics move, iterations are as many more as the first one was long: this times the square
 * root of the relative decrease of the perplexity, and more where there are many tokens for a
 * parameter (fourth root).  Held-out perplexity of about 20 steps, and of 1000 sweeps of tomotopy:
 * AP, k = 20, 2640 and 2699; AP, k = 50, 2414 and 2493; 20 newsgroups, k = 20, 2255 and 2270.
 */
#define MORE_ITERATIONS TLV_TUNED(MORE_ITERATIONS, 42)

/* Most of these iterations. */
#define MOST_ITERATIONS TLV_TUNED(MOST_ITERATIONS, 60)

/* How much further than the step of expectation maximisation they go at first; ever less. */
#define RELAXATION TLV_TUNED(RELAXATION, 3.0)

/*
 * The same of correlated topics, in every step.  L1 of the topics of 1500 simulated documents of
 * 40 words, four topics in pairs: .34 without, .14 after 12 steps, .19 where they go as far as
 * they lead.
 */
#define CORRELATED_RELAXATION TLV_TUNED(CORRELATED_RELAXATION, 0.9)

/*
 * Tokens times topics, up to which one process scans the documents in the order of their contents,
 * so that a seed gives the same model whatever the plan.
 */
#define SETTLED_WORK TLV_TUNED(SETTLED_WORK, 1e8)

/* Least proportion of a probability that a longer step leaves. */
#define RELAX_LEAST TLV_TUNED(RELAX_LEAST, 0.1)

/* Largest variance that a logistic normal begins with. */
#define START_VARIANCE_MOST TLV_TUNED(START_VARIANCE_MOST, 9.0)

/* Nats a token that rounding the probabilities may lose: .08 % of perplexity. */
#define LOSS TLV_TUNED(LOSS, 8e-4)

/* Least number that is kept, relative to the unit of all. */
#define GRAINS TLV_TUNED(GRAINS, 8.0)

/* ---- Errors and warnings ---- */
/* Mean L1 distance to these fits, above which a topic is not real. */
#define TLV_LDA_RECURRENCE_LIMIT TLV_TUNED(TLV_LDA_RECURRENCE_LIMIT, 0.6)

/*
 * Weight that the eigenvalue implies relative to that of the model, above which a topic is
 * spurious: of 270 topics of moments alone 69 % of the spurious and 3 % of the true ones are.
 */
#define SPURIOUS_RATIO TLV_TUNED(SPURIOUS_RATIO, 2.0)

/* Sweeps that are kept for standard errors. */
#define KEPT_SWEEPS TLV_TUNED(KEPT_SWEEPS, 4)

/* Largest rate of convergence of expectation maximisation that inflates standard errors. */
#define RATE_MOST TLV_TUNED(RATE_MOST, 0.95)

/*
 * Tokens of no topic that are added to the count of every item: fewer occurrences do not support a
 * lift.
 */
#define SHRINKAGE_TOKENS TLV_TUNED(SHRINKAGE_TOKENS, 300.0)

#endif /* TENSORLV_LDA_TUNING_H */
