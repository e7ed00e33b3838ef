/*
 * sparse_fixture.h - random sparse matrices and blocks of vectors of single precision.
 */
#ifndef TENSORLV_TEST_SPARSE_FIXTURE_H
#define TENSORLV_TEST_SPARSE_FIXTURE_H

#include "malloc_setup.h"
#include "tensorlv/num/sparse.h"

static inline float *
random_block(size_t l, size_t n)
{
	float *x = room(l * n, sizeof(float));

	for (size_t i = 0; i < l * n; i++)
		x[i] = (float) tlv_rng_normal(&rng);
	return x;
}

static inline float *
empty_block(size_t l, size_t n)
{
	float *x = room(l * n, sizeof(float));

	for (size_t i = 0; i < l * n; i++)
		x[i] = NAN; /* whatever is not written shows */
	return x;
}

/* About `density` of all entries; every seventh row empty, the second one full. */
static inline tlv_csr
random_csr(size_t rows, size_t columns, double density, bool weighted)
{
	tlv_csr a;
	size_t entries = 0;
	bool *there = room(rows * columns, sizeof(bool));

	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < columns; j++)
		{
			there[i * columns + j] = i % 7 != 6 && (i == 1 || tlv_rng_uniform(&rng) < density);
			entries += there[i * columns + j];
		}
	assert_ok(tlv_csr_create(&ctx, rows, columns, entries, weighted, &a));
	entries = 0;
	for (size_t i = 0; i < rows; i++)
	{
		for (size_t j = 0; j < columns; j++)
			if (there[i * columns + j])
			{
				if (weighted)
					a.value[entries] = (float) tlv_rng_normal(&rng);
				a.index[entries++] = (int32_t) j;
			}
		a.start[i + 1] = entries;
	}
	return a;
}

static inline double
entry(const tlv_csr *a, size_t p)
{
	return a->value == NULL ? 1 : (double) a->value[p];
}

#endif /* TENSORLV_TEST_SPARSE_FIXTURE_H */
