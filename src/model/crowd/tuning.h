/*
 * tuning.h - numbers that decide the answers of a crowd and what is said of its workers.
 */
#ifndef TENSORLV_CROWD_TUNING_H
#define TENSORLV_CROWD_TUNING_H

#include "tensorlv/num/tuned.h"

/* Most EM iterations. */
#define CROWD_MOST_STEPS TLV_TUNED(CROWD_MOST_STEPS, 200)

/*
 * Answers. The fewer of them a worker has, the more of the pool it is given: confusions of one
 * answer's own confirm any answer, and one class would swallow the others.
 */
#define CROWD_ENOUGH TLV_TUNED(CROWD_ENOUGH, 10.0)

/* Strength of the prior of confusions, the pool, in the leave-one-out step, relative to shrink. */
#define CROWD_SAID_SHRINK TLV_TUNED(CROWD_SAID_SHRINK, 8.0)

/*
 * Probability by which the answer of EM exceeds one that was at least as probable in that step.
 * EM judges an item's answers by counts that include them, which makes its posteriors too certain.
 */
#define CROWD_TIE TLV_TUNED(CROWD_TIE, 1e-9)

/* Expected items of an answer that no worker gives, among those whose answer is not known. */
#define CROWD_UNSAID TLV_TUNED(CROWD_UNSAID, 1e-9)

/*
 * Strength of the prior of confusions in the ascent, relative to shrink: what a worker says who
 * knows a share of the items and has one habit for all others (Hovy, Berg-Kirkpatrick, Vaswani and
 * Hovy 2013).
 */
#define CROWD_OWN_SHRINK TLV_TUNED(CROWD_OWN_SHRINK, 3.0)

/* Pseudo-count of every entry of a confusion matrix. */
#define CROWD_FLOOR TLV_TUNED(CROWD_FLOOR, 0.01)

/* Items that all groups must have answered, for every class. */
#define LEAST_ITEMS TLV_TUNED(LEAST_ITEMS, 10)

/* Singular value, relative to the largest, below which it is noise. */
#define CUT TLV_TUNED(CUT, 1e-3)

/* Least eigenvalue of the second moments, relative to the largest. */
#define LEAST_SIGNAL TLV_TUNED(LEAST_SIGNAL, 1e-5)

/* Least probability of an answer in an initial estimate. */
#define CROWD_LEAST_PROBABILITY TLV_TUNED(CROWD_LEAST_PROBABILITY, 0.01)

/* Least weight of a class in an initial estimate. */
#define CROWD_LEAST_WEIGHT TLV_TUNED(CROWD_LEAST_WEIGHT, 0.02)

/* ---- Agreement and copies ---- */
/* Pairs of answers. With more, every s-th item is compared. */
#define COMPARED_MOST TLV_TUNED(COMPARED_MOST, 2e7)

/* Answers times classes. With more, some items are compared. */
#define AGREEMENT_WORK TLV_TUNED(AGREEMENT_WORK, 2e8)

/* Variance of an item's answers below which nearly all are the same, and tell nothing of copies. */
#define LEAST_SPREAD TLV_TUNED(LEAST_SPREAD, 1e-6)

/* Proportion of the answers that a copying worker takes over: break-even is at an excess of .4. */
#define COPIES_SHARE TLV_TUNED(COPIES_SHARE, 0.7)

/* Rounds of groups and baseline. */
#define COPIES_ROUNDS TLV_TUNED(COPIES_ROUNDS, 6)

/*
 * Squared residual of a pair, in standard errors, from which on it has no weight in the baseline.
 */
#define COPIES_CUT TLV_TUNED(COPIES_CUT, 16.0)

/* Weight of the prior of a worker's knowledge. */
#define COPIES_PRIOR TLV_TUNED(COPIES_PRIOR, 4.0)

/* Answers times squared classes. With more, some items are compared. */
#define CONFIRMED_WORK TLV_TUNED(CONFIRMED_WORK, 5e7)

/*
 * Probability of a wrong answer below which a worker cannot be distinguished from a copy, which
 * does no harm either.
 */
#define LEAST_DIFFER TLV_TUNED(LEAST_DIFFER, 0.1)

/* Rate of copies below which workers only share their confusions. */
#define LEAST_COPY_RATE TLV_TUNED(LEAST_COPY_RATE, 0.25)

/* Standard errors of this rate from 0, below which they do, too. */
#define LEAST_COPY_Z TLV_TUNED(LEAST_COPY_Z, 4.0)

#endif /* TENSORLV_CROWD_TUNING_H */
