/*
 * plan_setup.h - setup and teardown of a program whose tests share one run of plans over vectors.
 */
#ifndef TENSORLV_TEST_PLAN_SETUP_H
#define TENSORLV_TEST_PLAN_SETUP_H

#include "plan_fixture.h"
#include "pool_setup.h"

static plan_fixture passes;

static inline int
forget(void **state)
{
	plan_forget(&passes);
	return teardown(state);
}

/* n rows of d numbers, as vectors. */
static inline plan_rows
plan_rows_of(size_t n, size_t d, const double *x)
{
	tlv_row *rows = room(n, sizeof(tlv_row));

	for (size_t t = 0; t < n; t++)
		rows[t] = *TLV_AS_VECTOR(d, x + t * d);
	return (plan_rows){n, rows};
}

/* The plans to come learn from these. */
static inline void
plan_use_rows(plan_rows rows)
{
	plan_forget(&passes);
	passes = (plan_fixture){.ctx = &ctx, .memory = &memory, .rows = {rows}};
	passes.told.form = TLV_ROW_VECTOR;
	passes.told.width[0] = rows.n == 0 ? 0 : rows.rows[0].part[0].d;
}

#endif
