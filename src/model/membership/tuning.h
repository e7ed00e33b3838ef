/*
 * tuning.h - numbers that decide models of classes and of mixed memberships.  Numbers that bound
 * work are in operations of the inner loop.
 */
#ifndef TENSORLV_MEMBERSHIP_TUNING_H
#define TENSORLV_MEMBERSHIP_TUNING_H

#include "tensorlv/num/tuned.h"

/* ---- Components and priors ---- */
/*
 * Pseudo-count of every category.  Beside it, the prior distributes more over the categories of a
 * variable by their shares of all rows (the correlated frequencies of Falush, Stephens, Pritchard
 * 2003).
 */
#define MEMBERSHIP_COUNT TLV_TUNED(MEMBERSHIP_COUNT, 0.05)

/* Pseudo-counts that are distributed so, unless held-out cells choose another prior. */
#define MEMBERSHIP_PRIOR TLV_TUNED(MEMBERSHIP_PRIOR, 2.0)

/* Least variance of a component, relative to that of all rows. */
#define LEAST_PART TLV_TUNED(LEAST_PART, 0.01)

/* Rows below which no numbers of components are compared. */
#define MEMBERSHIP_LEAST_COMPARED TLV_TUNED(MEMBERSHIP_LEAST_COMPARED, 10)

/*
 * Rows. Of fewer every fifth is held out in turn, of more one fifth first, and the others where it
 * leaves the choice open.  Samples and trials have at least these.
 */
#define MEMBERSHIP_FEW_ROWS TLV_TUNED(MEMBERSHIP_FEW_ROWS, 1000)

/* One cell of this number is held out. */
#define HELD_SHARE TLV_TUNED(HELD_SHARE, 10)

/* ---- Alpha0 (alpha.c) ---- */
/* Dirichlet parameter of a component, from which on alpha0 is tried. */
#define LEAST_ALPHA TLV_TUNED(LEAST_ALPHA, 0.01)

/* Ratio of two neighbouring values of alpha0 that are tried. */
#define ALPHA_FACTOR TLV_TUNED(ALPHA_FACTOR, 3.0)

/* Parabolas in the logarithm of alpha0, whose least points are tried next. */
#define PARABOLAS TLV_TUNED(PARABOLAS, 2)

/* Distance in that logarithm below which such a point is not tried. */
#define ALPHA_NEAR TLV_TUNED(ALPHA_NEAR, 0.02)

/*
 * What the squared logarithm of alpha0 over the usual one adds to the residual, over the number of
 * rows: residuals of few rows have their minimum anywhere.
 */
#define ALPHA_DEPARTURE TLV_TUNED(ALPHA_DEPARTURE, 1.5)

/*
 * What it adds relative to the squared residual: residuals that are mostly noise rise with alpha0,
 * whatever the true one is.
 */
#define ALPHA_UNCLEAR TLV_TUNED(ALPHA_UNCLEAR, 0.1)

/* Difference in the logarithm of a root below which another alpha0 is not tried. */
#define ALPHAS_APART TLV_TUNED(ALPHAS_APART, 0.5)

/* ---- Moments ---- */
/*
 * Proportion of the rows. A variable that is present in fewer counts as if it were in these, and
 * is no anchor.
 */
#define MEMBERSHIP_LEAST_PRESENT TLV_TUNED(MEMBERSHIP_LEAST_PRESENT, 0.05)

/*
 * Categories. Beyond them only the moments of some variables are computed, and the others are
 * regressed on these.
 */
#define MEMBERSHIP_MANY_CATEGORIES TLV_TUNED(MEMBERSHIP_MANY_CATEGORIES, 2000)

/* Pairs. Of more a part of the rows is counted. */
#define MEMBERSHIP_MOST_PAIRS TLV_TUNED(MEMBERSHIP_MOST_PAIRS, 4e8)

/* Most rounds of completion, and iterations of the subspace of completed moments. */
#define MOST_ROUNDS TLV_TUNED(MOST_ROUNDS, 150)

/* Least rounds of completion. */
#define LEAST_ROUNDS TLV_TUNED(LEAST_ROUNDS, 10)

/*
 * Relative change of an eigenvalue, or change of a membership, at which rounds and iterations have
 * converged.
 */
#define MEMBERSHIP_SETTLED TLV_TUNED(MEMBERSHIP_SETTLED, 1e-6)

/*
 * Added to shares and means before entries are scaled by them, so that rare categories do not
 * dominate; and least mean of counts.
 */
#define SHARE_FLOOR TLV_TUNED(SHARE_FLOOR, 1e-3)

/* Ratio to the largest eigenvalue of noise, above which a direction is no noise. */
#define ABOVE_NOISE TLV_TUNED(ABOVE_NOISE, 1.1)

/* Decompositions, each with the diagonal of the components of the one before. */
#define MEMBERSHIP_ROUNDS TLV_TUNED(MEMBERSHIP_ROUNDS, 5)

/* Work of a decomposition above which there is only one. */
#define MOST_EQUAL TLV_TUNED(MOST_EQUAL, 2e8)

/* Least weight of an initial estimate, relative to the mean weight. */
#define MEMBERSHIP_LEAST_WEIGHT TLV_TUNED(MEMBERSHIP_LEAST_WEIGHT, 0.02)

/* Categories of the anchors together, at least. */
#define ANCHOR_CATEGORIES TLV_TUNED(ANCHOR_CATEGORIES, 240)

/* The same for every component. */
#define ANCHOR_EACH TLV_TUNED(ANCHOR_EACH, 24)

/* Variables that are anchors, at least. */
#define LEAST_ANCHORS TLV_TUNED(LEAST_ANCHORS, 8)

/* Categories of an anchor, at most. */
#define MOST_ANCHOR_STATES TLV_TUNED(MOST_ANCHOR_STATES, 1000)

/* Rounds in which all variables are sources. */
#define REGRESS_ROUNDS TLV_TUNED(REGRESS_ROUNDS, 2)

/* ---- Refinement ---- */
/* Most EM iterations of classes, in a fold as well. */
#define MEMBERSHIP_CLASS_STEPS TLV_TUNED(MEMBERSHIP_CLASS_STEPS, 500)

/* Most passes of classes over rows that are not in memory. */
#define CLASS_PASSES TLV_TUNED(CLASS_PASSES, 20)

/* Passes of mixed memberships over these rows. */
#define MIXED_PASSES TLV_TUNED(MIXED_PASSES, 5)

/* Steps of mixed memberships in memory, and of a row's where held-out cells are compared. */
#define MIXED_STEPS TLV_TUNED(MIXED_STEPS, 20)

/* Steps of mixed memberships where there are at most TRIAL_VALUES values. */
#define MIXED_FEW_STEPS TLV_TUNED(MIXED_FEW_STEPS, 60)

/* Steps of a trial. */
#define TRIAL_STEPS TLV_TUNED(TRIAL_STEPS, 30)

/* Steps of a trial that compares initialisations only, and of one over many values, at least. */
#define QUICK_STEPS TLV_TUNED(QUICK_STEPS, 10)

/* Values times steps of a trial, above which steps are fewer. */
#define TRIAL_WORK TLV_TUNED(TRIAL_WORK, 4e6)

/* Values of a trial. */
#define TRIAL_VALUES TLV_TUNED(TRIAL_VALUES, 200000)

/* Rows of a trial for every component, below which initialisations are compared as they are. */
#define TRIAL_EACH TLV_TUNED(TRIAL_EACH, 30)

/* Initialisations by k-means. */
#define CLASS_CLUSTER_STARTS TLV_TUNED(CLASS_CLUSTER_STARTS, 2)

/* Rows of k-means where its clusters are the answer. */
#define CLASS_CLUSTER_ROWS TLV_TUNED(CLASS_CLUSTER_ROWS, 10000)

/* Sweeps of the chain of a row that begins, before those that are kept. */
#define BURN TLV_TUNED(BURN, 5)

/* Sweeps that are kept. */
#define KEEP TLV_TUNED(KEEP, 2)

/* Steps of the collapsed posterior from which a chain begins. */
#define BEGIN_STEPS TLV_TUNED(BEGIN_STEPS, 8)

/* ---- Errors and warnings ---- */
/* Rows that are searched for repetitions. */
#define REPEATS_ROWS TLV_TUNED(REPEATS_ROWS, 20000)

/* Rows below which there is no warning of repetitions. */
#define REPEATS_LEAST_ROWS TLV_TUNED(REPEATS_LEAST_ROWS, 50)

/* Rows that occur once, relative to those of the model, below which rows are repeated. */
#define FEWEST_SINGLE TLV_TUNED(FEWEST_SINGLE, 0.2)

/* Proportion of rows that occur once in the model, below which there is no warning. */
#define LEAST_SINGLE TLV_TUNED(LEAST_SINGLE, 0.1)

/* Chi-squared distance a degree of freedom below which two components are identical. */
#define ALIKE_IN_ALL TLV_TUNED(ALIKE_IN_ALL, 4.0)

/* The same of each variable, beyond its degrees of freedom. */
#define ALIKE_IN_EACH TLV_TUNED(ALIKE_IN_EACH, 15.0)

#endif /* TENSORLV_MEMBERSHIP_TUNING_H */
