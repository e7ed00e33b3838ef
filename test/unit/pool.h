/*
 * pool.h - a context whose memory can be given back all at once, as the server
 * does with a memory context: functions that hand out objects without a
 * destructor, or stop in the middle, can then be tested without false leaks.
 * Shared by unit tests and fuzz harnesses.
 */
#ifndef TENSORLV_TEST_POOL_H
#define TENSORLV_TEST_POOL_H

#include <stdlib.h>
#include <string.h>

#include "tensorlv/model/kind.h"

typedef struct pool_block
{
	struct pool_block *next, *before;
} pool_block;

typedef struct pool
{
	pool_block all;		  /* ring */
	size_t calls;		  /* of should_stop() */
	size_t stop_at;		  /* the call that says yes; 0: never */
	size_t stopped_calls; /* calls after the one that said yes: nobody may go on */
} pool;

static void *
pool_alloc(void *owner, size_t bytes)
{
	pool *p = owner;
	pool_block *block = malloc(sizeof(pool_block) + bytes);

	if (block == NULL)
		return NULL;
	block->next = p->all.next;
	block->before = &p->all;
	p->all.next->before = block;
	p->all.next = block;
	return block + 1;
}

static void
pool_release(void *owner, void *pointer)
{
	pool_block *block = (pool_block *) pointer - 1;

	block->before->next = block->next;
	block->next->before = block->before;
	free(block);
}

static bool
pool_stop(void *argument)
{
	pool *p = argument;

	p->calls++;
	if (p->stop_at == 0 || p->calls < p->stop_at)
		return false;
	p->stopped_calls += p->calls > p->stop_at;
	return true;
}

static inline void
pool_reset(pool *p, tlv_context *ctx)
{
	while (p->all.next != &p->all)
		pool_release(p, p->all.next + 1);
	ctx->arena.used = 0;
	ctx->arena.peak = 0;
	ctx->arena.limit = SIZE_MAX;
	p->calls = p->stop_at = p->stopped_calls = 0;
}

static inline void
pool_init(pool *p, tlv_context *ctx)
{
	memset(p, 0, sizeof(*p));
	p->all.next = p->all.before = &p->all;
	tlv_context_init_malloc(ctx);
	ctx->kind_of = tlv_kind_find;
	ctx->arena.alloc = pool_alloc;
	ctx->arena.release = pool_release;
	ctx->arena.owner = p;
	ctx->stop = pool_stop;
	ctx->stop_argument = p;
}

#endif /* TENSORLV_TEST_POOL_H */
