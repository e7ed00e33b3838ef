/*
 * test_climb.c - steps of EM on counts, of an EM whose every step goes the same part of the way:
 * when they end, what acceleration spares, and that it is taken back where it does not ascend.
 */
#include <math.h>

#include "pool_setup.h"
#include "tensorlv/model/view_solver.h"
#include "tensorlv/model/views.h"

#define N		2
#define ROWS	1000.0
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
expect(tlv_context *context, void *state, double *log_likelihood)
{
	slow_em *em = state;
	double away = em->p[0] - CLIMBED;

	(void) context;
	em->taken++;
	assert_close(em->p[0] + em->p[1], 1, 1e-12);
	*log_likelihood = em->refuses && em->extrapolated ? NAN : -ROWS * away * away;
	em->refusals += isnan(*log_likelihood);
	em->extrapolated = false;
	return TLV_OK;
}

static void
normalize(void *state)
{
	slow_em *em = state;
	double sum = em->p[0] + em->p[1];

	em->p[0] /= sum;
	em->p[1] /= sum;
	em->extrapolated = true;
}

static tlv_status
maximize(tlv_context *context, void *state)
{
	slow_em *em = state;

	(void) context;
	em->p[0] += em->part * (CLIMBED - em->p[0]);
	em->p[1] = 1 - em->p[0];
	return TLV_OK;
}

static slow_em
climbed(double part, bool refuses, int iterations, tlv_cell_climb *climb)
{
	slow_em em = {.p = {0.1, 0.9}, .part = part, .refuses = refuses};
	const tlv_cell_em steps = {.what = "a test",
							   .total = ROWS,
							   .blocks = 2,
							   .block = {em.p, em.p + 1},
							   .numbers = {1, 1},
							   .state = &em,
							   .expect = expect,
							   .maximize = maximize,
							   .normalize = normalize};

	assert_ok(tlv_cell_climb_steps(&ctx, &steps, iterations, climb));
	assert_close(climb->log_likelihood, -ROWS * pow(em.p[0] - CLIMBED, 2), 1e-9);
	return em;
}

static void
test_plain(void **state)
{
	tlv_cell_climb climb;
	slow_em em = climbed(0.01, false, 0, &climb);

	(void) state;
	assert_equal(climb.done, 0);
	assert_equal(em.taken, 1);
	assert_equal(em.p[0], 0.1);
	em = climbed(0.01, false, 10, &climb);
	assert_equal(climb.done, 10);
	assert_false(climb.stands);
	assert_close(CLIMBED - em.p[0], 0.7 * pow(0.99, 10), 1e-12);
	climbed(0.01, false, 100000, &climb);
	assert_true(climb.stands);
	assert_between(climb.done, 500, 1000);
}

static void
test_accelerated(void **state)
{
	tlv_cell_climb plain, climb;
	slow_em em;

	(void) state;
	climbed(0.01, false, 100000, &plain);
	em = climbed(0.01, false, -1, &climb);
	print_message("plain %d steps, accelerated %d\n", plain.done, climb.done);
	assert_true(climb.stands);
	assert_below(climb.done, 0.2 * plain.done);
	assert_equal(em.taken, climb.done + 1);
	assert_at_least(climb.log_likelihood, plain.log_likelihood);
}

/* Where nothing that is extrapolated has a likelihood, the steps are the plain ones. */
static void
test_taken_back(void **state)
{
	tlv_cell_climb plain, climb;
	slow_em em;

	(void) state;
	climbed(0.05, false, 100000, &plain);
	em = climbed(0.05, true, -1, &climb);
	assert_true(climb.stands);
	assert_above(em.refusals, 10);
	/* whether it stands is asked after the first step of a pair */
	assert_between(climb.done - 2 * em.refusals, plain.done, plain.done + 1);
	assert_close(CLIMBED - em.p[0], 0.7 * pow(0.95, climb.done - 2 * em.refusals), 1e-12);
}

static void
test_limit(void **state)
{
	tlv_cell_climb climb;

	(void) state;
	for (int refuses = 0; refuses < 2; refuses++)
	{
		slow_em em = climbed(refuses ? 1e-3 : 1e-9, refuses, -1, &climb);

		if (refuses)
			assert_false(climb.stands);
		assert_at_most(em.taken, TLV_CELL_ITERATIONS + 1);
		assert_at_most(climb.done, TLV_CELL_ITERATIONS);
	}
}

/* Classes of counts with ties, against an order of all; of counts that ascend, in no time. */
static void
test_frequent_classes(void **state)
{
	enum
	{
		D = 500,
		MANY = 1 << 20
	};
	double *counts;
	int64_t order[D];
	int32_t *class;
	size_t classes;

	(void) state;
	counts = tlv_alloc(&ctx, MANY, sizeof(double));
	class = tlv_alloc(&ctx, MANY, sizeof(int32_t));
	for (size_t i = 0; i < D; i++)
		counts[i] = (double) (tlv_mix64(i) % 40);
	for (size_t d = 0; d <= D; d = d * 2 + 1)
		for (size_t most = 1; most <= 65; most += 16)
		{
			tlv_order_weights(d, counts, order);
			assert_ok(tlv_frequent_classes(&ctx, d, counts, most, class, &classes));
			assert_int_equal(classes, tlv_least(d, most));
			for (size_t i = 0; i < d; i++)
				assert_int_equal(class[order[i]], tlv_least(i, classes - 1));
		}
	for (size_t i = 0; i < MANY; i++)
		counts[i] = (double) i;
	assert_ok(tlv_frequent_classes(&ctx, MANY, counts, 50, class, &classes));
	assert_int_equal(class[MANY - 1], 0);
	assert_int_equal(class[MANY - 49], 48);
	assert_int_equal(class[0], 49);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_plain, setup, teardown),
		cmocka_unit_test_setup_teardown(test_accelerated, setup, teardown),
		cmocka_unit_test_setup_teardown(test_taken_back, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_frequent_classes, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
