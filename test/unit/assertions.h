/*
 * assertions.h - assertions about figures, which print the expression, the figure and the bound
 * when they fail.  assert_true() is for predicates alone.  With TLV_SHOW in the environment
 * every figure that has a bound is printed, also where it keeps to it, so that a bound can be
 * set near what is reached.
 *
 * Arguments are evaluated once.  They are compared as long double, which holds every double
 * and, on the usual platforms, every integer of 64 bits; a NaN keeps to no bound.
 */
#ifndef TENSORLV_TEST_ASSERTIONS_H
#define TENSORLV_TEST_ASSERTIONS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tensorlv/model/diagnostics.h"

/* Of a figure within its bound, where one was asked to see them; of one beyond it, and then the
 * test fails. */
static inline void
figure_told(bool holds, const char *figure, long double value, const char *relation,
			const char *bound, long double limit, const char *file, int line)
{
	if (!holds)
	{
		print_error("%s = %.17Lg is not %s %s = %.17Lg\n", figure, value, relation, bound, limit);
		_fail(file, line);
	}
	else if (getenv("TLV_SHOW") != NULL)
		print_message("%s:%d: %s = %.5Lg (%s %.5Lg)\n", file, line, figure, value, relation, limit);
}

/* For tests that measure accuracy at a size which takes the sanitizers a minute, by calls that
 * smaller tests make, too: there they end. */
#ifdef __SANITIZE_ADDRESS__
#define MEASURED_WITHOUT_SANITIZERS() skip()
#else
#define MEASURED_WITHOUT_SANITIZERS() ((void) 0)
#endif

#define assert_relation(a, relation, words, b)                                                     \
	do                                                                                             \
	{                                                                                              \
		long double one_ = (a), other_ = (b);                                                      \
		figure_told(one_ relation other_, #a, one_, words, #b, other_, __FILE__, __LINE__);        \
	} while (0)

#define assert_below(a, bound)	  assert_relation(a, <, "below", bound)
#define assert_at_most(a, bound)  assert_relation(a, <=, "at most", bound)
#define assert_above(a, bound)	  assert_relation(a, >, "above", bound)
#define assert_at_least(a, bound) assert_relation(a, >=, "at least", bound)

/* To the last bit, but 0 equals -0. */
#define assert_equal(a, b)	 assert_relation(a, ==, "equal to", b)
#define assert_unequal(a, b) assert_relation(a, !=, "different from", b)

/* |a - b| <= tolerance, which is computed in double. */
#define assert_close(a, b, tolerance)                                                              \
	do                                                                                             \
	{                                                                                              \
		double close_ = (a), to_ = (b), most_ = (tolerance);                                       \
		if (!(fabs(close_ - to_) <= most_))                                                        \
			print_error("%s = %.17g, %s = %.17g\n", #a, close_, #b, to_);                          \
		figure_told(fabs(close_ - to_) <= most_, "|" #a " - " #b "|", fabs(close_ - to_),          \
					"at most", #tolerance, most_, __FILE__, __LINE__);                             \
	} while (0)

/* low <= a <= high */
#define assert_between(a, low, high)                                                               \
	do                                                                                             \
	{                                                                                              \
		long double between_ = (a), low_ = (low), high_ = (high);                                  \
		figure_told(between_ >= low_, #a, between_, "at least", #low, low_, __FILE__, __LINE__);   \
		figure_told(between_ <= high_, #a, between_, "at most", #high, high_, __FILE__, __LINE__); \
	} while (0)

/* A call that returns a tlv_status, with the context ctx of the test: it succeeds. */
#define assert_ok(call)                                                                            \
	do                                                                                             \
	{                                                                                              \
		tlv_status status_ = (call);                                                               \
		if (status_ != TLV_OK)                                                                     \
			fail_msg("%s: status %d: %s %s", #call, (int) status_, ctx.error.message,              \
					 ctx.error.detail);                                                            \
	} while (0)

/* It fails with this status and a message that has these words. */
#define assert_fails(call, status, words)                                                          \
	do                                                                                             \
	{                                                                                              \
		assert_int_equal((call), (status));                                                        \
		if (strstr(ctx.error.message, (words)) == NULL)                                            \
			fail_msg("%s: \"%s\" lacks \"%s\"", #call, ctx.error.message, (words));                \
	} while (0)

/*
 * Entries of cmocka's list for tests that measure accuracy over many draws, or at size.  Under the
 * sanitizers, where a test takes three times as long, there is none: other tests of the program
 * take the same paths.
 */
#if defined(__SANITIZE_ADDRESS__)
#define accuracy_test_setup_teardown(f, setup, teardown)                                           \
	{                                                                                              \
#f, false ? (f) : NULL, false ? (setup) : NULL, false ? (teardown) : NULL, NULL            \
	}
#else
#define accuracy_test_setup_teardown(f, setup, teardown)                                           \
	cmocka_unit_test_setup_teardown(f, setup, teardown)
#endif
#define accuracy_test(f) accuracy_test_setup_teardown(f, NULL, NULL)

/* Whether a model carries a warning with that code; the first goes to warning unless that is NULL.
 */
static inline bool
model_warns(const tlv_frame *model, const char *code, tlv_warning *warning)
{
	tlv_warnings_walk walk = tlv_warnings_of(model);

	while (tlv_warnings_next(&walk))
		if (strcmp(walk.warning.code, code) == 0)
		{
			if (warning != NULL)
				*warning = walk.warning;
			return true;
		}
	return false;
}

#endif /* TENSORLV_TEST_ASSERTIONS_H */
