/*
 * blas_info.c - which BLAS and GSL are in use, and their set-up (linalg.h).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "tensorlv/num/linalg.h"

#include <cblas.h>
#include <dlfcn.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_version.h>
#include <limits.h>
#include <stdlib.h>

/* Ends the threads of the pthread flavour, which others do not have. */
extern int blas_thread_shutdown_(void) __attribute__((weak));

const char *
tlv_blas_config(void)
{
	return openblas_get_config();
}

const char *
tlv_blas_core(void)
{
	return openblas_get_corename();
}

const char *
tlv_blas_flavour(void)
{
	switch (openblas_get_parallel())
	{
		case OPENBLAS_SEQUENTIAL:
			return "serial";
		case OPENBLAS_THREAD:
			return "pthread";
		case OPENBLAS_OPENMP:
			return "openmp";
		default:
			return "unknown";
	}
}

/*
 * GSL carries a reference BLAS of the same symbols: linked in the wrong order
 * it would answer, correctly and twenty times slower.  Hence this question.
 */
const char *
tlv_blas_provider(void)
{
	static char path[PATH_MAX];
	Dl_info info;
	union
	{
		void (*function)(const enum CBLAS_ORDER, const enum CBLAS_TRANSPOSE,
						 const enum CBLAS_TRANSPOSE, const blasint, const blasint, const blasint,
						 const double, const double *, const blasint, const double *, const blasint,
						 const double, double *, const blasint);
		const void *address;
	} symbol = {cblas_dgemm};

	if (dladdr(symbol.address, &info) == 0 || info.dli_fname == NULL)
		return "unknown";
	/* Alternatives are links: the flavour shows in what they lead to. */
	return realpath(info.dli_fname, path) != NULL ? path : info.dli_fname;
}

bool
tlv_blas_in_threads(void)
{
	/* 1: the flavour with threads of its own, which locks what it shares */
	return openblas_get_parallel() == 1 && openblas_get_num_threads() == 1;
}

int
tlv_blas_threads(void)
{
	return openblas_get_num_threads();
}

void
tlv_blas_set_threads(int threads)
{
	openblas_set_num_threads(threads);
}

const char *
tlv_gsl_version(void)
{
	return gsl_version;
}

/*
 * One thread: the server runs many backends, and parallel query spreads the
 * passes over data.  The pthread flavour has started one for every further core
 * by now; they would take the server's signals.  They start again when more are
 * asked for.
 */
void
tlv_num_init(void)
{
	gsl_set_error_handler_off();
	openblas_set_num_threads(1);
	if (blas_thread_shutdown_ != NULL)
		(void) blas_thread_shutdown_();
}
