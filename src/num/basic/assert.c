/*
 * assert.c - what a false assertion does, and conditions over arrays (assert.h).
 */
#include "tensorlv/num/assert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void
tlv_assertion_failed(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
	fflush(stderr);
	abort();
}

bool
tlv_is_distribution(size_t n, const double *p, size_t stride)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
	{
		if (!(p[i * stride] >= 0))
			return false;
		sum += p[i * stride];
	}
	return fabs(sum - 1) <= 1e-6;
}

bool
tlv_ascends_strictly(size_t n, const int64_t *x)
{
	for (size_t i = 1; i < n; i++)
		if (x[i] <= x[i - 1])
			return false;
	return true;
}

bool
tlv_ascends(size_t n, const double *x)
{
	for (size_t i = 1; i < n; i++)
		if (!(x[i] >= x[i - 1]))
			return false;
	return true;
}

bool
tlv_descends(size_t n, const double *x)
{
	for (size_t i = 1; i < n; i++)
		if (!(x[i] <= x[i - 1]))
			return false;
	return true;
}

bool
tlv_all_within(size_t n, const int32_t *x, size_t end)
{
	for (size_t i = 0; i < n; i++)
		if (x[i] < 0 || (size_t) x[i] >= end)
			return false;
	return true;
}
