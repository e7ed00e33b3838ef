/*
 * decompose_cp.c - symmetric tensors of vectors that need not be orthogonal, by the decomposition
 * of any tensor (decompose.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/num/cp.h"
#include "tensorlv/num/decompose.h"
#include "tensorlv/num/tensor3.h"

/* The mean of a component's three vectors (each k apart, n numbers), turned to agree; its length.
 */
static double
mean_vector(size_t n, size_t k, const double *first, double *vector)
{
	double square = 0;

	for (int m = 0; m < 3; m++)
	{
		const double *x = first + (size_t) m * n * k;
		double along = 0;

		for (size_t i = 0; i < n; i++)
			along += x[i * k] * first[i * k];
		for (size_t i = 0; i < n; i++)
			vector[i] = (m == 0 ? 0 : vector[i]) + (along < 0 ? -x[i * k] : x[i * k]) / 3;
	}
	for (size_t i = 0; i < n; i++)
		square += vector[i] * vector[i];
	return sqrt(square);
}

/* Unit vectors, turned so that their values, which the signs of the three vectors give, are
 * positive. */
static void
take_vectors(size_t n, size_t k, const double *factors, double *vectors)
{
	for (size_t h = 0; h < k; h++)
	{
		const double *x = factors + h, *y = x + n * k, *z = y + n * k;
		double *vector = vectors + h * n, length = mean_vector(n, k, x, vector), xy = 0, xz = 0;

		for (size_t i = 0; i < n; i++)
		{
			xy += x[i * k] * y[i * k];
			xz += x[i * k] * z[i * k];
		}
		for (size_t i = 0; i < n && length > 0; i++)
			vector[i] *= (xy * xz < 0 ? -1 : 1) / length;
	}
}

tlv_status
tlv_decompose_cp(tlv_context *ctx, size_t n, const double *packed, size_t k,
				 const tlv_decompose_options *options, double *values, double *vectors,
				 double *residual)
{
	/* Random starts beyond Kruskal's bound, where one in twenty gets to the end (of 20 in 10
	 * dimensions 55 % of the vectors were found from 10 starts, 78 % from 40). */
	const int many_restarts = 40;
	const tlv_cp_options o = {
		.restarts = options->restarts == 0 && 2 * k + 2 > 3 * n ? many_restarts : options->restarts,
		.iterations = options->steps,
		.seed = options->seed};
	double *full, *factors;
	tlv_factors_found found;

	TLV_TRY(tlv_require_memory(
		ctx, 8 * ((double) n * (double) n * (double) n + 3 * (double) n * (double) k),
		"the decomposition"));
	TLV_TRY_NEW_ROWS(ctx, full, n, n * n);
	TLV_TRY_NEW_ROWS(ctx, factors, n, 3 * k + 1);
	tlv_packed3_unpack(n, packed, full);
	TLV_TRY(
		tlv_cp(ctx, &(tlv_tensor){.d = {n, n, n}, .dense = full}, k, &o, factors, values, &found));
	take_vectors(n, k, factors, vectors);
	*residual = found.residual;
	tlv_free(ctx, factors);
	tlv_free(ctx, full);
	return TLV_OK;
}
