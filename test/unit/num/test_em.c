/*
 * test_em.c - the loop of expectation maximisation, of one whose every step goes the same part of
 * the way: when it ends, what acceleration spares, and that it is taken back where it does not
 * ascend.
 */
#include "pool_setup.h"
#include "tensorlv/num/em.h"

#define N		2
#define CLIMBED 0.8 /* the probability at which the likelihood is largest */

typedef struct slow_em
{
	double p[N];
	double part;		 /* of the way, a step */
	bool refuses;		 /* the likelihood of what is extrapolated is not a number */
	bool extrapolated;	 /* since the last evaluation */
	int taken, refusals; /* evaluations */
} slow_em;

static tlv_status
expect(tlv_context *context, void *state, double *likelihood)
{
	slow_em *em = state;
	double away = em->p[0] - CLIMBED;

	em->taken++;
	assert_close(em->p[0] + em->p[1], 1, 1e-12);
	*likelihood = em->refuses && em->extrapolated ? NAN : -away * away;
	em->refusals += isnan(*likelihood);
	em->extrapolated = false;
	return TLV_OK;
}

static tlv_status
changed(tlv_context *context, void *state)
{
	slow_em *em = state;
	double sum = em->p[0] + em->p[1];

	em->p[0] /= sum;
	em->p[1] /= sum;
	em->extrapolated = fabs(sum - 1) > 1e-15 || !em->refuses;
	return TLV_OK;
}

static tlv_status
maximize(tlv_context *context, void *state)
{
	slow_em *em = state;

	em->p[0] += em->part * (CLIMBED - em->p[0]);
	em->p[1] = 1 - em->p[0];
	return TLV_OK;
}

static slow_em
climbed(double part, bool refuses, int iterations, tlv_em *climb)
{
	slow_em em = {.p = {0.1, 0.9}, .part = part, .refuses = refuses};

	*climb = tlv_em_of_counts("a test", 2, iterations);
	climb->state = &em;
	climb->expect = expect;
	climb->maximize = maximize;
	climb->changed = changed;
	climb->block[0] = em.p;
	climb->block[1] = em.p + 1;
	climb->numbers[0] = climb->numbers[1] = 1;
	assert_ok(tlv_em_run(&ctx, climb));
	assert_close(climb->likelihood, -pow(em.p[0] - CLIMBED, 2), 1e-12);
	return em;
}

TEST(test_plain)
{
	tlv_em climb;
	slow_em em = climbed(0.01, false, 0, &climb);

	assert_equal(climb.taken, 1);
	assert_equal(em.taken, 1);
	assert_equal(em.p[0], 0.1);
	em = climbed(0.01, false, 10, &climb);
	assert_equal(climb.taken, 11);
	assert_false(climb.stands);
	assert_close(CLIMBED - em.p[0], 0.7 * pow(0.99, 10), 1e-12);
	climbed(0.01, false, 100000, &climb);
	assert_true(climb.stands);
	assert_between(climb.taken, 500, 1200);
}

/* A step after each evaluation, and no end at convergence, where that is asked for. */
TEST(test_given_steps)
{
	slow_em own = {.p = {0.1, 0.9}, .part = 0.5};
	tlv_em em = {.state = &own,
				 .expect = expect,
				 .maximize = maximize,
				 .limit = 100,
				 .to_the_limit = true,
				 .steps_on = true,
				 .tolerance = 1e-3,
				 .likelihood = -HUGE_VAL};

	assert_ok(tlv_em_run(&ctx, &em));
	assert_equal(own.taken, 100);
	assert_true(em.stands);
	own = (slow_em){.p = {0.1, 0.9}, .part = 0.5};
	em.to_the_limit = false;
	em.likelihood = -HUGE_VAL;
	assert_ok(tlv_em_run(&ctx, &em));
	assert_below(own.taken, 10);
	assert_close(CLIMBED - own.p[0], 0.7 * pow(0.5, own.taken), 1e-12);
}

TEST(test_accelerated)
{
	tlv_em plain, climb;
	slow_em em;

	climbed(0.01, false, 100000, &plain);
	em = climbed(0.01, false, -1, &climb);
	print_message("plain %d evaluations, accelerated %d\n", plain.taken, climb.taken);
	assert_true(climb.stands);
	assert_below(climb.taken, 0.2 * plain.taken);
	assert_equal(em.taken, climb.taken);
	assert_at_least(climb.likelihood, plain.likelihood);
}

/* Where nothing that is extrapolated has a likelihood, the steps are the plain ones. */
TEST(test_taken_back)
{
	tlv_em climb;
	slow_em em = climbed(0.05, true, -1, &climb);

	assert_true(climb.stands);
	assert_above(em.refusals, 10);
	/* of two steps one evaluation is refused */
	assert_close(CLIMBED - em.p[0], 0.7 * pow(0.95, 2 * em.refusals), 1e-12);
}

TEST(test_limit)
{
	tlv_em climb;

	for (int refuses = 0; refuses < 2; refuses++)
	{
		slow_em em = climbed(refuses ? 1e-3 : 1e-9, refuses, -1, &climb);

		if (refuses)
			assert_false(climb.stands);
		assert_at_most(em.taken, climb.limit);
	}
}

RUN_TESTS(setup, teardown)
