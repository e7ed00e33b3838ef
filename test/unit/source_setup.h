/*
 * source_setup.h - setup and teardown of a program whose tests learn from vectors in memory.
 */
#ifndef TENSORLV_TEST_SOURCE_SETUP_H
#define TENSORLV_TEST_SOURCE_SETUP_H

#include "source_fixture.h"
#include "pool_setup.h"

static source_fixture passes;

/* n rows of d numbers, as vectors. */
static inline fixture_rows
fixture_rows_of(size_t n, size_t d, const double *x)
{
	tlv_row *rows = room(n, sizeof(tlv_row));

	for (size_t t = 0; t < n; t++)
		rows[t] = *TLV_AS_VECTOR(d, x + t * d);
	return (fixture_rows){n, rows};
}

/* The fits to come learn from these. */
static inline void
fixture_use_rows(fixture_rows rows)
{
	passes = (source_fixture){.ctx = &ctx, .memory = &memory, .rows = {rows}};
	passes.told.form = TLV_ROW_VECTOR;
	passes.told.width[0] = rows.n == 0 ? 0 : rows.rows[0].part[0].d;
}

#endif
