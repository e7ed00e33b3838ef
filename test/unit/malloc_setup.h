/*
 * malloc_setup.h - setup and teardown of a program whose tests give back every block that they
 * take, also after errors; random numbers begin from the same seed.
 */
#ifndef TENSORLV_TEST_MALLOC_SETUP_H
#define TENSORLV_TEST_MALLOC_SETUP_H

#define FAULTS_LEAVE 0
#include "faults.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"

/* A program may define another seed before it includes this. */
#ifndef RNG_SEED
#define RNG_SEED 5
#endif

#define MOST_BLOCKS 4096

static tlv_context ctx;
static tlv_rng rng;
/* Memory of the test itself. */
static void *blocks[MOST_BLOCKS];
static size_t blocks_n;

static inline int
setup(void **state)
{
	tlv_num_init();
	tlv_context_init_malloc(&ctx);
	tlv_rng_seed(&rng, RNG_SEED);
	return 0;
}

/* n zeroed elements, until the test is over. */
static inline void *
room(size_t n, size_t size)
{
	assert_true(blocks_n < MOST_BLOCKS);
	blocks[blocks_n] = calloc(n > 0 ? n : 1, size);
	assert_non_null(blocks[blocks_n]);
	return blocks[blocks_n++];
}

static inline double *
numbers(size_t n)
{
	return room(n, sizeof(double));
}

static inline int
drop_rooms(void **state)
{
	while (blocks_n > 0)
		free(blocks[--blocks_n]);
	return 0;
}

/* What the library took is given back. */
static inline int
teardown(void **state)
{
	(void) drop_rooms(state);
	return ctx.arena.used == 0 ? 0 : -1;
}

#endif
