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

/*
 * GSL carries a reference BLAS of the same symbols: linked in the wrong order
 * it would answer, correctly and twenty times slower.  Hence this question.
 */
const char *
tlv_blas_provider(void)
{
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
	return info.dli_fname;
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
 * passes over data.
 */
void
tlv_num_init(void)
{
	gsl_set_error_handler_off();
	openblas_set_num_threads(1);
}
