/*
 * test_blas.c - the library of linear algebra that is linked: what it says of itself, and that a
 * process has one thread of it unless more are asked for.
 */
#include "assertions.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tensorlv/num/linalg.h"

static tlv_context ctx;

static int
setup(void **state)
{
	tlv_num_init();
	return 0;
}

TEST(test_blas)
{
	assert_int_equal(tlv_blas_threads(), 1);
	assert_non_null(strstr(tlv_blas_provider(), "blas"));
	assert_null(strstr(tlv_blas_provider(), "gslcblas"));
	print_message("%s; %s; %s; GSL %s\n", tlv_blas_config(), tlv_blas_core(), tlv_blas_provider(),
				  tlv_gsl_version());
}

/* Threads of this process; 1 where that cannot be seen. */
static int
count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *entry;
	int n = 0;

	if (tasks == NULL)
		return 1;
	while ((entry = readdir(tasks)) != NULL)
		n += entry->d_name[0] != '.';
	closedir(tasks);
	return n;
}

/* One that has been joined is listed until the system has buried it: waits up to a second. */
static bool
is_single_threaded(void)
{
	for (int i = 0; i < 100; i++)
	{
		if (count_threads() == 1)
			return true;
		usleep(10000);
	}
	return false;
}

/* In a process whose environment asks for three, there is one; and more when they are asked for. */
static int
run_with_threads(void)
{
	double a[64] = {1}, b[64] = {1}, c[64];

	tlv_num_init();
	tlv_context_init_malloc(&ctx);
	if (!is_single_threaded() || tlv_blas_threads() != 1)
		return 2;
	if (tlv_gemm(&ctx, false, false, 8, 8, 8, 1, a, 8, b, 8, 0, c, 8) != TLV_OK)
		return 3;
	if (!is_single_threaded())
		return 4;
	tlv_blas_set_threads(2);
	return tlv_gemm(&ctx, false, false, 8, 8, 8, 1, a, 8, b, 8, 0, c, 8) == TLV_OK && c[0] == 1 ? 0
																								: 5;
}

TEST(test_threads)
{
	pid_t child = fork();
	int status;

	if (child == 0)
	{
		setenv("OPENBLAS_NUM_THREADS", "3", 1);
		execl("/proc/self/exe", "test_blas", "threads", (char *) NULL);
		_exit(0); /* the system has no such file */
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(strcmp(tlv_blas_flavour(), "serial") == 0 ||
				strcmp(tlv_blas_flavour(), "pthread") == 0 ||
				strcmp(tlv_blas_flavour(), "openmp") == 0);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		return run_with_threads();
	return run_registered_tests(argv[0], setup, NULL, NULL, NULL);
}
