/*
 * step_prior.h - the prior in a step that keeps part of the old model.
 *
 * Stepwise expectation maximisation (Cappe, Moulines 2009) moves the statistics of a model by a
 * weight w: s' = (1 - w) s + w c / T, of the counts c that new rows of mass T expect.  What it
 * comes to rests on N = T / w rows.  With a prior of eta for every cell, V cells to a component,
 * the smoothed counts are x = N s + eta, and follow
 *
 *     x' = (1 - w) x + w (N c / T + eta).
 *
 * The model has the old ones as x = (N theta + eta V) phi: theta is the share of the component,
 * phi are its probabilities.  Times w, so that all counts together have the mass of the rows:
 *
 *     w x' = (1 - w) (T theta + w eta V) phi + w c + w^2 eta.
 *
 * At w = 1 this is the plain step, and as w falls to 0 nothing moves.  A prior that was added in
 * full would pull the model by its mass over that of the rows at every step, however small w is.
 *
 * How strong a prior is every family decides in its own room.
 */
#ifndef TENSORLV_STEP_PRIOR_H
#define TENSORLV_STEP_PRIOR_H

#include <math.h>
#include <stddef.h>

/* A parameter with fewer expected observations than this stays as it is. */
#define TLV_LEAST_OBSERVATIONS 1e-6

/* What the old probabilities count: mass is T theta, prior eta V. */
static inline double
tlv_step_kept(double weight, double mass, double prior)
{
	return (1 - weight) * (mass + weight * prior);
}

/* What a prior adds to weight times the counts. */
static inline double
tlv_step_prior(double weight, double prior)
{
	return weight * weight * prior;
}

/*
 * Pseudo-counts of each of the given number of categories in a distribution that this number of
 * observations is of: half a count (Jeffreys 1946), so that what few rows have not shown is not
 * impossible; of many categories less, so that all together are no more than the root of the
 * observations, which moves no probability by more than about its standard error.
 */
static inline double
tlv_category_prior(double observations, size_t categories)
{
	return fmin(0.5, sqrt(fmax(observations, 0)) / (double) categories);
}

#endif /* TENSORLV_STEP_PRIOR_H */
