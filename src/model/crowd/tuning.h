/*
 * tuning.h - numbers that decide the answers of a crowd and what is said of its workers.
 */
#ifndef TENSORLV_CROWD_TUNING_H
#define TENSORLV_CROWD_TUNING_H

#include "tensorlv/num/tuned.h"

/*
 * Answers. The fewer of them a worker has, the more of the pool it is given: confusions of one
 * answer's own confirm any answer, and one class would swallow the others.
 */
#define CROWD_ENOUGH TLV_TUNED(CROWD_ENOUGH, 10.0)

/* Strength of the prior of confusions, the pool, in the leave-one-out step, relative to shrink. */
#define CROWD_SAID_SHRINK TLV_TUNED(CROWD_SAID_SHRINK, 8.0)

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

/* Least probability of an answer, and least weight of a class, in an initial estimate. */
#define CROWD_LEAST_PROBABILITY TLV_TUNED(CROWD_LEAST_PROBABILITY, 0.01)

/* ---- Agreement and copies ---- */
/* Operations of a comparison of workers. With more, some items are compared. */
#define CROWD_WORK TLV_TUNED(CROWD_WORK, 2e8)

/* Proportion of the answers that a copying worker takes over: break-even is at an excess of .4. */
#define COPIES_SHARE TLV_TUNED(COPIES_SHARE, 0.7)

/* Rounds of groups and baseline. */
#define COPIES_ROUNDS TLV_TUNED(COPIES_ROUNDS, 6)

/* Weight of the prior of a worker's knowledge. */
#define COPIES_PRIOR TLV_TUNED(COPIES_PRIOR, 4.0)

/*
 * Probability of a wrong answer below which a worker cannot be distinguished from a copy, which
 * does no harm either.
 */
#define LEAST_DIFFER TLV_TUNED(LEAST_DIFFER, 0.1)

/* Rate of copies below which workers only share their confusions. */
#define LEAST_COPY_RATE TLV_TUNED(LEAST_COPY_RATE, 0.25)

/*
 * Standard errors of this rate from 0, below which they do, too; and of a pair's residual, from
 * which on it has no weight in the baseline.
 */
#define LEAST_COPY_Z TLV_TUNED(LEAST_COPY_Z, 4.0)

#endif /* TENSORLV_CROWD_TUNING_H */
