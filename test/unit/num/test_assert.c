/*
 * test_assert.c - a false assertion says where it stands and aborts; a true one does nothing.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assertions.h"
#include "tensorlv/num/assert.h"

/* What a process that does this leaves: its end, and what it says on standard error. */
static int
run(void (*action)(void), char *said, size_t size)
{
	int ends[2], status;
	ssize_t got;
	size_t length = 0;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	child = fork();
	assert_unequal(child, -1);
	if (child == 0)
	{
		/* cmocka and the sanitizers handle SIGABRT in ways of their own */
		signal(SIGABRT, SIG_DFL);
		dup2(ends[1], STDERR_FILENO);
		action();
		_exit(0);
	}
	close(ends[1]);
	while (length + 1 < size && (got = read(ends[0], said + length, size - 1 - length)) > 0)
		length += (size_t) got;
	said[length] = '\0';
	close(ends[0]);
	assert_equal(waitpid(child, &status, 0), child);
	return status;
}

static int evaluated;

static void
assert_truth(void)
{
	tlv_assert(++evaluated == 1);
	tlv_assert(evaluated == 1);
}

static void
assert_falsehood(void)
{
	evaluated = 7;
	tlv_assert(evaluated < 7);
}

TEST(test_abort)
{
	char said[512];
	int status;

	status = run(assert_truth, said, sizeof(said));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_string_equal(said, "");
	status = run(assert_falsehood, said, sizeof(said));
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_non_null(strstr(said, "test_assert.c:"));
	assert_non_null(strstr(said, "assertion failed: evaluated < 7"));
}

TEST(test_conditions)
{
	const double half[4] = {.25, 9, .75, 9}, less[2] = {.5, .4}, negative[2] = {1.5, -.5},
				 unknown[2] = {1, NAN};
	const int64_t up[3] = {INT64_MIN, 0, INT64_MAX}, equal[2] = {3, 3};
	const double same[3] = {2, 2, 3}, down[3] = {3, 2, 2};
	const int32_t index[3] = {0, 4, 2}, below[1] = {-1};

	assert_true(tlv_is_distribution(2, half, 2));
	assert_false(tlv_is_distribution(2, less, 1));
	assert_false(tlv_is_distribution(2, negative, 1));
	assert_false(tlv_is_distribution(2, unknown, 1));
	assert_true(tlv_ascends_strictly(3, up));
	assert_false(tlv_ascends_strictly(2, equal));
	assert_true(tlv_ascends(3, same));
	assert_false(tlv_ascends(3, down));
	assert_false(tlv_ascends(2, unknown));
	assert_true(tlv_descends(3, down));
	assert_false(tlv_descends(3, same));
	assert_true(tlv_all_within(3, index, 5));
	assert_false(tlv_all_within(3, index, 4));
	assert_false(tlv_all_within(1, below, 4));
}

RUN_TESTS(NULL, NULL)
