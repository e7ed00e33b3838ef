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

#include "tests.h"
#include "tensorlv/model/diagnostics.h"

/* A figure within its bound is printed; one beyond it fails the test. */
static inline void
figure_told(bool holds, const char *figure, long double value, const char *relation,
			const char *bound, long double limit, const char *file, int line)
{
	if (holds)
		print_message("%s:%d: %s = %.5Lg (%s %.5Lg)\n", file, line, figure, value, relation, limit);
	else
	{
		print_error("%s = %.17Lg is not %s %s = %.17Lg\n", figure, value, relation, bound, limit);
		_fail(file, line);
	}
}

/* Tests make millions of assertions: only those that print something call a function. */
#define TELL_FIGURE(holds, figure, value, relation, bound, limit)                                  \
	do                                                                                             \
	{                                                                                              \
		if (!(holds) || figures_are_shown)                                                         \
			figure_told(holds, figure, value, relation, bound, limit, __FILE__, __LINE__);         \
	} while (0)

#define assert_relation(a, relation, words, b)                                                     \
	do                                                                                             \
	{                                                                                              \
		long double one_ = (a), other_ = (b);                                                      \
		TELL_FIGURE(one_ relation other_, #a, one_, words, #b, other_);                            \
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
		TELL_FIGURE(fabs(close_ - to_) <= most_, "|" #a " - " #b "|", fabs(close_ - to_),          \
					"at most", #tolerance, most_);                                                 \
	} while (0)

/* max |a[i] - b[i]| of n numbers; not a number where one of them is none. */
static inline double
largest_difference(size_t n, const double *a, const double *b)
{
	double largest = 0;

	for (size_t i = 0; i < n && !isnan(largest); i++)
		if (!(fabs(a[i] - b[i]) <= largest))
			largest = fabs(a[i] - b[i]);
	return largest;
}

#define assert_all_close(n, a, b, tolerance) assert_at_most(largest_difference(n, a, b), tolerance)

/* low <= a <= high */
#define assert_between(a, low, high)                                                               \
	do                                                                                             \
	{                                                                                              \
		long double between_ = (a), low_ = (low), high_ = (high);                                  \
		TELL_FIGURE(between_ >= low_, #a, between_, "at least", #low, low_);                       \
		TELL_FIGURE(between_ <= high_, #a, between_, "at most", #high, high_);                     \
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

/* The diagnostic of that name, or NaN. */
static inline double
diagnostic(tlv_frame model, const char *name)
{
	return tlv_diagnostics_find(&model, name, NAN);
}

#endif /* TENSORLV_TEST_ASSERTIONS_H */
