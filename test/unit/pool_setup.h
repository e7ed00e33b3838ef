/*
 * pool_setup.h - setup and teardown of a program whose tests share one context over a pool.
 */
#ifndef TENSORLV_TEST_POOL_SETUP_H
#define TENSORLV_TEST_POOL_SETUP_H

#include "assertions.h"
#include "pool.h"
#include "tensorlv/num/linalg.h"

static pool memory;
static tlv_context ctx;

static inline int
setup(void **state)
{
	(void) state;
	tlv_num_init();
	pool_init(&memory, &ctx);
	return 0;
}

static inline int
teardown(void **state)
{
	(void) state;
	pool_reset(&memory, &ctx);
	return 0;
}

/* n zeroed elements, until the teardown. */
static inline void *
room(size_t n, size_t size)
{
	void *p = tlv_alloc0(&ctx, n, size);

	assert_non_null(p);
	return p;
}

#endif
