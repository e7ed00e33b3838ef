/*
 * tuning.h - numbers that decide answers in several rooms (tuned.h).
 */
#ifndef TENSORLV_TUNING_H
#define TENSORLV_TUNING_H

#include "tensorlv/num/tuned.h"

/* Gain in log-likelihood an observation (a row, step or value) at which EM has converged. */
#define TLV_EM_TOLERANCE TLV_TUNED(TLV_EM_TOLERANCE, 1e-6)

/* The same of passes over rows that are not in memory, and of trees. */
#define TLV_SCAN_TOLERANCE TLV_TUNED(TLV_SCAN_TOLERANCE, 1e-5)

/* Least probability that EM begins with, as it could not raise 0. */
#define TLV_EM_LEAST TLV_TUNED(TLV_EM_LEAST, 1e-6)

/* Most passes of refinement, and steps of an ascent, where their number is not given. */
#define TLV_MOST_PASSES TLV_TUNED(TLV_MOST_PASSES, 100)

/* Most fixed-point steps of the memberships of one row. */
#define TLV_INFER_STEPS TLV_TUNED(TLV_INFER_STEPS, 100)

/*
 * Standard errors from which on the largest of several statistics is no sampling error.  Held-out
 * gains of the best of several initialisations, priors and numbers of components exceed 2 in up to
 * 3 of 100 tables without structure, and 2.5 in none of 600 (bench answers).
 */
#define TLV_CHANCE_ERRORS TLV_TUNED(TLV_CHANCE_ERRORS, 2.5)

/* Numbers of components in a row, each no better than the best one before, that end a search. */
#define TLV_IN_VAIN TLV_TUNED(TLV_IN_VAIN, 2)

/* Directions, at most, whose significance is tested, and groups that a search begins with. */
#define TLV_TESTED_RANK TLV_TUNED(TLV_TESTED_RANK, 50)

/* Level of the tests of independence and rank. */
#define TLV_SIGNIFICANCE TLV_TUNED(TLV_SIGNIFICANCE, 0.01)

/* Nats from which on evidence is very strong (Kass, Raftery 1995). */
#define TLV_STRONG_EVIDENCE TLV_TUNED(TLV_STRONG_EVIDENCE, 5.0)

/* Singular value or eigenvalue, relative to the largest, below which it is no direction. */
#define TLV_LEAST_DIRECTION TLV_TUNED(TLV_LEAST_DIRECTION, 1e-6)

/* The same where values of noise are larger than that. */
#define TLV_NOISE_DIRECTION TLV_TUNED(TLV_NOISE_DIRECTION, 1e-3)

/* Relative residual of a decomposition above which the moments do not fit the model. */
#define TLV_POOR_RESIDUAL TLV_TUNED(TLV_POOR_RESIDUAL, 0.3)

/* Expected count below which the normal approximation does not hold. */
#define TLV_LEAST_EXPECTED TLV_TUNED(TLV_LEAST_EXPECTED, 5.0)

/* Largest ratio of a drawn parameter to its estimate, as a logarithm. */
#define TLV_MOST_LOGARITHM TLV_TUNED(TLV_MOST_LOGARITHM, 4.0)

/* The same as a factor, of means of counts and of concentrations. */
#define TLV_MOST_FACTOR TLV_TUNED(TLV_MOST_FACTOR, 50.0)

/* Ridge of normal equations, relative to their trace or its mean. */
#define TLV_RIDGE TLV_TUNED(TLV_RIDGE, 1e-9)

#endif /* TENSORLV_TUNING_H */
