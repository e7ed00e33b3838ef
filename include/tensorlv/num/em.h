/*
 * em.h - expectation maximisation (Dempster, Laird, Rubin 1977): the one loop, convergence
 * criterion and acceleration of the models that are learnt so, over rows in memory, stored counts
 * or the scans of a source.  Crowds have a loop of their own (crowd/fit.c): their steps may lower
 * the likelihood, so that its change, of either sign, ends it.
 */
#ifndef TENSORLV_EM_H
#define TENSORLV_EM_H

#include <math.h>

#include "tensorlv/num/context.h"

#define TLV_EM_BLOCKS 4

typedef struct tlv_em
{
	const char *what; /* in reports of progress; NULL: none */
	void *state;
	/* The mean log-likelihood of a row under the parameters, and what maximize needs of the rows.
	 */
	tlv_status (*expect)(tlv_context *ctx, void *state, double *likelihood);
	tlv_status (*maximize)(tlv_context *ctx, void *state);
	int limit;		   /* expectations at most */
	bool to_the_limit; /* convergence does not end it earlier */
	bool steps_on;	   /* a maximisation follows the expectation at the limit, too */
	/* The likelihood has converged when it increases by less than tolerance and that part of
	 * itself.
	 */
	double tolerance, relative;

	/*
	 * Acceleration where there are blocks of parameters: after two steps the parameters are
	 * extrapolated (SQUAREM: Varadhan, Roland 2008), and are put back where the likelihood falls
	 * below that of the second step.  changed makes them valid again after either.  Numbers are
	 * probabilities, which weigh as much as they are, unless weigh says otherwise: a positive
	 * weight is that of a number's logarithm, a negative one that of the number as it is.
	 */
	int blocks;
	double *block[TLV_EM_BLOCKS];
	size_t numbers[TLV_EM_BLOCKS];
	tlv_status (*changed)(tlv_context *ctx, void *state);
	void (*weigh)(const void *state, const double *x, double *weights); /* NULL: probabilities */

	/* The result.  likelihood is that of the last parameters, of the last but one after steps_on;
	 * before, it is that of an earlier end, or -infinite. */
	double likelihood, growth;
	int taken; /* expectations */
	bool stands;
} tlv_em;

/* Of stored counts: this number of iterations, or (-1) accelerated ones of `blocks` blocks until
 * the likelihood converges. */
static inline tlv_em
tlv_em_of_counts(const char *what, int blocks, int iterations)
{
	/* Without a scan of the rows, what it takes to its end. */
	const int most_iterations = 1000;

	return (tlv_em){.what = what,
					.limit = 1 + (iterations < 0 ? most_iterations : iterations),
					.tolerance = 1e-9,
					.blocks = iterations < 0 ? blocks : 0,
					.likelihood = -HUGE_VAL};
}

/* Errors: memory, TLV_CANCELLED, those of expect and maximize. */
extern tlv_status tlv_em_run(tlv_context *ctx, tlv_em *em);

#endif /* TENSORLV_EM_H */
