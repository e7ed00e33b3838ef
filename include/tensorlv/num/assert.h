/*
 * assert.h - invariants of the plain C library.  tlv_assert(condition) is for what cannot be
 * false whatever the data are; what a caller or a stored value may get wrong is a tlv_status.
 *
 * With TLV_ASSERTIONS (the unit tests, the sanitizers, the fuzzers, and an extension built for a
 * server with assertions, see the Makefile) a false condition is told on standard error, with
 * file and line, and the process aborts.  Elsewhere it is compiled, but never evaluated.
 */
#ifndef TENSORLV_ASSERT_H
#define TENSORLV_ASSERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef TLV_ASSERTIONS
#define tlv_assert(condition)                                                                      \
	((condition) ? (void) 0 : tlv_assertion_failed(__FILE__, __LINE__, #condition))
#else
#define tlv_assert(condition) ((void) sizeof((condition) ? 1 : 0))
#endif

extern void tlv_assertion_failed(const char *file, int line, const char *condition)
	__attribute__((noreturn, cold));

/* For conditions only: there without TLV_ASSERTIONS too, but nothing calls them. */

/* None of n numbers, `stride` apart, is negative (or NaN), and they sum to 1 within 1e-6. */
extern bool tlv_is_distribution(size_t n, const double *p, size_t stride);

/* Every number is larger than the one before it; none below the one before it. */
extern bool tlv_ascends_strictly(size_t n, const int64_t *x);
extern bool tlv_ascends(size_t n, const double *x);
extern bool tlv_descends(size_t n, const double *x);

/* All lie in [0, end). */
extern bool tlv_all_within(size_t n, const int32_t *x, size_t end);

#endif /* TENSORLV_ASSERT_H */
