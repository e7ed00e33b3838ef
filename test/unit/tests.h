/*
 * tests.h - tests that register themselves.  TEST(name) { ... } defines a test; RUN_TESTS(setup,
 * teardown), the last line of a file, is its main: it runs the tests of the file, each between
 * setup and teardown (NULL: none).
 */
#ifndef TENSORLV_TEST_TESTS_H
#define TENSORLV_TEST_TESTS_H

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

#define MOST_TESTS 32

/* The tests of this file, in its order. */
__attribute__((unused)) static struct CMUnitTest registered_tests[MOST_TESTS];
__attribute__((unused)) static size_t registered_tests_n;
/* With TLV_SHOW in the environment figures are printed (assertions.h). */
__attribute__((unused)) static bool figures_are_shown;

#define TEST_RUNS(name, function)                                                                  \
	static void name(void **state);                                                                \
	__attribute__((constructor)) static void register_##name(void)                                 \
	{                                                                                              \
		if (registered_tests_n == MOST_TESTS)                                                      \
			abort();                                                                               \
		registered_tests[registered_tests_n++] = (struct CMUnitTest){#name, function, 0, 0, 0};    \
	}                                                                                              \
	__attribute__((unused)) static void name(void **state)
#define TEST(name) TEST_RUNS(name, name)

/*
 * A test that measures accuracy, over several draws or at size, by calls that other tests of the
 * file make, too.  The sanitizers find nothing more in its later draws, and each takes them ten
 * times as long: there it is skipped.
 *
 * EVERY(n) is the step of a loop over draws, or over cases of one kind, that take the same paths:
 * the sanitizers run each n-th.
 */
#ifdef __SANITIZE_ADDRESS__
static inline void
skip_accuracy(void **state)
{
	skip();
}
#define ACCURACY_TEST(name) TEST_RUNS(name, skip_accuracy)
#define EVERY(n)			(n)
#else
#define ACCURACY_TEST(name) TEST_RUNS(name, name)
#define EVERY(n)			1
#endif

static inline int
run_registered_tests(const char *file, CMFixtureFunction begin, CMFixtureFunction end,
					 CMFixtureFunction setup, CMFixtureFunction teardown)
{
	figures_are_shown = getenv("TLV_SHOW") != NULL;
	if (registered_tests_n == 0)
	{
		fprintf(stderr, "%s has no test\n", file);
		return 1;
	}
	for (size_t i = 0; i < registered_tests_n; i++)
	{
		registered_tests[i].setup_func = setup;
		registered_tests[i].teardown_func = teardown;
	}
	return _cmocka_run_group_tests(file, registered_tests, registered_tests_n, begin, end);
}

/* The same, between begin and end once. */
#define RUN_TESTS_OF_GROUP(begin, end, setup, teardown)                                            \
	int main(void)                                                                                 \
	{                                                                                              \
		return run_registered_tests(__FILE__, begin, end, setup, teardown);                        \
	}
#define RUN_TESTS(setup, teardown) RUN_TESTS_OF_GROUP(NULL, NULL, setup, teardown)

#endif /* TENSORLV_TEST_TESTS_H */
