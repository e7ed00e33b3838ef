/*
 * tuning.h - numbers that decide the states of sequences and their number.
 */
#ifndef TENSORLV_HMM_TUNING_H
#define TENSORLV_HMM_TUNING_H

#include "tensorlv/num/tuned.h"

/* ---- Initial estimates ---- */
/* Proportion of uniform transitions that is mixed into those of the moments before EM. */
#define EM_SMOOTHING TLV_TUNED(EM_SMOOTHING, 0.05)

/*
 * Proportion of uniform transitions that is mixed in: clusters alternate more often than states
 * do, or less.
 */
#define EVEN_PART TLV_TUNED(EVEN_PART, 0.1)

/* Iterations of k-means. */
#define LLOYD_STEPS TLV_TUNED(LLOYD_STEPS, 30)

/* Steps of time of the first round. */
#define HMM_SEARCH_FIRST_STEPS TLV_TUNED(HMM_SEARCH_FIRST_STEPS, 60000.0)

/* Steps of time of the second round. */
#define SECOND_STEPS TLV_TUNED(SECOND_STEPS, 250000.0)

/* Steps of time times states of a round, of which there are fewer beyond. */
#define STATE_STEPS TLV_TUNED(STATE_STEPS, 2e6)

/* Least steps of time of a round. */
#define HMM_SEARCH_LEAST_STEPS TLV_TUNED(HMM_SEARCH_LEAST_STEPS, 10000.0)

/* Evaluations of each initialisation in the second round. */
#define SECOND_ROUND TLV_TUNED(SECOND_ROUND, 40)

/* Initialisations that take part in it. */
#define SECOND_BEST TLV_TUNED(SECOND_BEST, 3)

/* Random initialisations of EM on stored counts. */
#define HMM_STORED_STARTS TLV_TUNED(HMM_STORED_STARTS, 8)

/* EM iterations of each; and evaluations of each initialisation in the first round. */
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

/* Initialisations of EM for each number of states, and of either kind of a quick search. */
#define HMM_THINNING_STARTS TLV_TUNED(HMM_THINNING_STARTS, 4)

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

/* ---- Errors and warnings ---- */
/* Least steps of a piece whose scores are added. */
#define LEAST_PIECE TLV_TUNED(LEAST_PIECE, 32)

/* The same relative to those after which a tenth of what the chain knew of its state is left. */
#define MEMORIES TLV_TUNED(MEMORIES, 10.0)

/* Free parameters for every step of time, above which a warning names them. */
#define FEW_STEPS TLV_TUNED(FEW_STEPS, 0.2)

/* Baum-Welch steps above which it does. */
#define MANY_ASCENTS TLV_TUNED(MANY_ASCENTS, 50)

#endif /* TENSORLV_HMM_TUNING_H */
