/*
 * test_memory.c - what a fit asks for before it begins is what it takes.
 */
#include "gmm_fixture.h"

/* What a decomposition sets aside for work, however small it is. */
#define WORK (6 << 20)

/* A fit is refused where what it takes is not there, and passes with twice as much. */
static void
check_memory(const char *what, tlv_frame from, size_t k, tlv_covariance covariance)
{
	size_t before = ctx.arena.used, need;
	tlv_frame model;

	ctx.arena.peak = before;
	assert_ok(try_fit(from, k, covariance, &model));
	need = ctx.arena.peak - before;
	ctx.arena.limit = ctx.arena.used + need - 1;
	assert_int_equal(try_fit(from, k, covariance, &model), TLV_MEMORY_LIMIT);
	if (strstr(ctx.error.message, "are needed for the fit") == NULL)
		fail_msg("%s, covariance %d: %s", what, covariance, ctx.error.message);
	ctx.arena.limit = ctx.arena.used + 2 * need + WORK;
	if (try_fit(from, k, covariance, &model) != TLV_OK)
		fail_msg("%s, covariance %d, with %zu bytes: %s", what, covariance, need,
				 ctx.error.message);
	ctx.arena.limit = SIZE_MAX;
}

static tlv_frame
compressed_moments(const data *rows, size_t p)
{
	tlv_frame pairs = moments(rows, 2), subspace;
	tlv_accumulator *accumulator;

	subspace = MADE(tlv_dense_subspace, &pairs, p);
	assert_ok(tlv_dense_compressed_create_order(&ctx, &subspace, 3, &accumulator));
	return collect(accumulator, rows);
}

/* Moments of order 2 for one component; of order 3 in all dimensions, and in k directions, where
 * they cost k^3, not d^3. */
TEST(test_memory)
{
	data one = simulate(900, 400, 3, 20, TLV_COVARIANCE_SPHERICAL);
	data all = simulate(3000, 60, 20, 20, TLV_COVARIANCE_SPHERICAL);
	data led = simulate(2000, 300, 30, 25, TLV_COVARIANCE_SPHERICAL);
	tlv_frame pairs = moments(&one, 2), triples = moments(&all, 3);
	tlv_frame compressed = compressed_moments(&led, 30);

	for (tlv_covariance c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_FULL; c++)
	{
		check_memory("order 2", pairs, 1, c);
		check_memory("order 3", triples, 20, c);
		check_memory("directions", compressed, 30, c);
	}
}

RUN_TESTS(setup, teardown)
