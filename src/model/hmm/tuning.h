/*
 * tuning.h - numbers that decide the states of sequences and their number.
 */
#ifndef TENSORLV_HMM_TUNING_H
#define TENSORLV_HMM_TUNING_H

#include "tensorlv/num/tuned.h"

/* ---- Initial estimates ---- */
/* Proportion of uniform transitions that is mixed into those of the moments before EM. */
#define EM_SMOOTHING TLV_TUNED(EM_SMOOTHING, 0.05)

/* Asymmetry of the moments above which a warning says so. */
#define ASYMMETRY_WARN TLV_TUNED(ASYMMETRY_WARN, 0.3)

/* Least variance of a state by moments, relative to the mean variance. */
#define MOMENTS_VARIANCE TLV_TUNED(MOMENTS_VARIANCE, 1e-6)

/* Pseudo-count of the counts of labels. */
#define SMOOTHING TLV_TUNED(SMOOTHING, 1.0)

/*
 * Proportion of uniform transitions that is mixed in: clusters alternate more often than states
 * do, or less.
 */
#define EVEN_PART TLV_TUNED(EVEN_PART, 0.1)

/* Iterations of k-means. */
#define LLOYD_STEPS TLV_TUNED(LLOYD_STEPS, 30)

/* Initialisations of either kind of a quick search. */
#define QUICK_STARTS TLV_TUNED(QUICK_STARTS, 4)

/* Steps of time of the first round. */
#define HMM_SEARCH_FIRST_STEPS TLV_TUNED(HMM_SEARCH_FIRST_STEPS, 60000.0)

/* Steps of time of the second round. */
#define SECOND_STEPS TLV_TUNED(SECOND_STEPS, 250000.0)

/* Steps of time times states of a round, of which there are fewer beyond. */
#define STATE_STEPS TLV_TUNED(STATE_STEPS, 2e6)

/* Least steps of time of a round. */
#define HMM_SEARCH_LEAST_STEPS TLV_TUNED(HMM_SEARCH_LEAST_STEPS, 10000.0)

/* Evaluations of each initialisation in the first round. */
#define FIRST_ROUND TLV_TUNED(FIRST_ROUND, 20)

/* The same in the second round. */
#define SECOND_ROUND TLV_TUNED(SECOND_ROUND, 40)

/* Initialisations that take part in it. */
#define SECOND_BEST TLV_TUNED(SECOND_BEST, 3)

/* Random initialisations of EM on stored counts. */
#define HMM_STORED_STARTS TLV_TUNED(HMM_STORED_STARTS, 8)

/* EM iterations of each. */
#define HMM_FIRST_STEPS TLV_TUNED(HMM_FIRST_STEPS, 20)

/* Cells of the counts times states, above which initialisations are few. */
#define COSTLY_CELLS TLV_TUNED(COSTLY_CELLS, 2e7)

/* ---- Number of states ---- */
/* Expected pairs of the symbols that are distinguished: the others are one class. */
#define PAIRS_BY_CLASS TLV_TUNED(PAIRS_BY_CLASS, 20.0)

/* Pairs below which there is no test. */
#define LEAST_PAIRS TLV_TUNED(LEAST_PAIRS, 30.0)

/* Standard deviations at which numbers are truncated, so that single ones do not decide. */
#define CLAMP TLV_TUNED(CLAMP, 3.0)

/* Initialisations of EM for each number of states. */
#define HMM_THINNING_STARTS TLV_TUNED(HMM_THINNING_STARTS, 4)

/* EM iterations on the counts of windows from the best one, and from given parameters. */
#define HMM_LAST_STEPS TLV_TUNED(HMM_LAST_STEPS, 100)

/* Work above which initialisations are fewer, or none. */
#define HMM_MOST_WORK TLV_TUNED(HMM_MOST_WORK, 4e9)

/* Windows of a fold below which numbers of states are not compared. */
#define LEAST_WINDOWS TLV_TUNED(LEAST_WINDOWS, 20.0)

/* Steps of time of which numbers of states are compared. */
#define CHOICE_STEPS TLV_TUNED(CHOICE_STEPS, 30000.0)

/* Evaluations from the best initialisation of a fold. */
#define CLIMB TLV_TUNED(CLIMB, 60)

/* Steps of time to learn from for every transition. */
#define TRANSITION_STEPS TLV_TUNED(TRANSITION_STEPS, 2.0)

/* ---- Refinement ---- */
/*
 * Least variance of a state, relative to the mean variance: without it one would shrink to a
 * point.
 */
#define VARIANCE_FLOOR TLV_TUNED(VARIANCE_FLOOR, 1e-4)

/* Least variance of a coordinate, relative to the mean over coordinates. */
#define COORDINATE_FLOOR TLV_TUNED(COORDINATE_FLOOR, 1e-12)

/* Expected steps of a state, below which it keeps its parameters. */
#define HMM_LEAST_STEPS TLV_TUNED(HMM_LEAST_STEPS, 1e-8)

/* Evaluations of the likelihood of a part. */
#define EVALUATIONS TLV_TUNED(EVALUATIONS, 100)

/* ---- Errors and warnings ---- */
/* How often the transitions are squared for the length of memory. */
#define SQUARINGS TLV_TUNED(SQUARINGS, 6)

/* Least steps of a piece whose scores are added. */
#define LEAST_PIECE TLV_TUNED(LEAST_PIECE, 32)

/* The same relative to those after which a tenth of what the chain knew of its state is left. */
#define MEMORIES TLV_TUNED(MEMORIES, 10.0)

/* Free parameters for every step of time, above which a warning names them. */
#define FEW_STEPS TLV_TUNED(FEW_STEPS, 0.2)

/* Baum-Welch steps above which it does. */
#define MANY_ASCENTS TLV_TUNED(MANY_ASCENTS, 50)

#endif /* TENSORLV_HMM_TUNING_H */
