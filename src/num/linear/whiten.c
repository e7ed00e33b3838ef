/*
 * whiten.c - whitening and decomposition of given arrays (whiten.h).
 */
#include "tensorlv/num/whiten.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tensor3.h"

/* Components subtracted between two looks at should_stop(). */
#define COLUMNS 32

/* The largest modulus of count finite numbers; infinite when one is not finite. */
static double
largest_modulus(size_t count, const double *x)
{
	double largest = 0;

	for (size_t i = 0; i < count; i++)
	{
		if (!isfinite(x[i]))
			return INFINITY;
		largest = fmax(largest, fabs(x[i]));
	}
	return largest;
}

static tlv_status
refuse_entry(tlv_context *ctx, size_t n, const double *full)
{
	size_t at = 0;

	while (isfinite(full[at]))
		at++;
	return tlv_fail(ctx, TLV_BAD_DATA, "entry [%zu][%zu][%zu] of the tensor is not finite",
					at / (n * n) + 1, at / n % n + 1, at % n + 1);
}

/* Mean of the six entries; false when they differ. */
static bool
mean_entry(size_t n, const double *full, size_t a, size_t b, size_t c, double tolerance,
		   double *mean)
{
	double x[6] = {full[c + n * (b + n * a)], full[b + n * (c + n * a)], full[c + n * (a + n * b)],
				   full[a + n * (c + n * b)], full[b + n * (a + n * c)], full[a + n * (b + n * c)]};
	double sum = 0;
	bool equal = true;

	for (int i = 0; i < 6; i++)
	{
		equal &= fabs(x[i] - x[0]) <= tolerance;
		sum += x[i] / 6;
	}
	*mean = sum;
	return equal;
}

tlv_status
tlv_symmetric3(tlv_context *ctx, size_t n, const double *full, double *packed)
{
	double tolerance = TLV_SYMMETRY_TOLERANCE * largest_modulus(n * n * n, full);

	if (isinf(tolerance))
		return refuse_entry(ctx, n, full);
	for (size_t a = 0; a < n; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++)
				if (!mean_entry(n, full, a, b, c, tolerance, packed++))
					return tlv_fail(ctx, TLV_BAD_DATA,
									"the tensor is not symmetric: [%zu][%zu][%zu] and its "
									"permutations differ by more than %g",
									a + 1, b + 1, c + 1, tolerance);
	}
	return TLV_OK;
}

/* ---- whitening ---- */

static tlv_status
refuse_rank(tlv_context *ctx, size_t d, size_t k, const double *values)
{
	tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the matrix has no %zu clearly positive eigenvalues", k);
	tlv_fail_values(ctx, "Its eigenvalues are", 6, d, values);
	return tlv_fail_hint(ctx, "Use a smaller k.");
}

tlv_status
tlv_whiten(tlv_context *ctx, size_t d, double *m2, const double *m3, size_t k, double *w,
		   double *tensor, double *values)
{
	if (k < 1 || k > d)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is not between 1 and %zu", k, d);
	TLV_TRY(tlv_eigen_symmetric(ctx, d, m2, values));
	if (!(values[k - 1] > 1e-10 * values[0]))
		return refuse_rank(ctx, d, k, values);
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			w[i + d * j] = m2[i + d * j] / sqrt(values[j]);
	TLV_TRY(tlv_packed3_compress(ctx, d, k, m3, w, tensor));
	if (isfinite(largest_modulus(tlv_packed3_size(k), tensor)))
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_DATA, "the whitened tensor overflows");
	return tlv_fail_hint(
		ctx, "Multiply the matrix by the square, the tensor by the cube of a constant.");
}

/* ---- decomposition ---- */

/* ||T - sum values v^(x)3|| / ||T||, in place of the tensor. */
static tlv_status
subtract(tlv_context *ctx, size_t n, size_t k, const double *values, const double *vectors,
		 double *packed, double *residual)
{
	double norm = tlv_packed3_norm(n, packed), weight[COLUMNS];
	double *work = tlv_alloc(ctx, tlv_tensor3_work(n, COLUMNS), sizeof(double));

	TLV_TRY_ALLOC(ctx, work);
	for (size_t first = 0; first < k; first += COLUMNS)
	{
		size_t count = k - first < COLUMNS ? k - first : COLUMNS;

		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < count; j++)
			weight[j] = -values[first + j];
		tlv_packed3_add_cubes(n, count, vectors + n * first, weight, packed, work);
	}
	*residual = tlv_packed3_norm(n, packed) / norm;
	tlv_free(ctx, work);
	return TLV_OK;
}

tlv_status
tlv_decompose_leading(tlv_context *ctx, size_t n, const double *packed, size_t k,
					  const tlv_decompose_options *options, double *values, double *vectors,
					  double *residual)
{
	tlv_decomposition all = {0};
	double *rest;

	*residual = 0;
	if (k < 1 || k > n)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is not between 1 and %zu", k, n);
	TLV_TRY_NEW(ctx, all.values, n);
	TLV_TRY_NEW(ctx, all.vectors, n * n);
	TLV_TRY(tlv_decompose(ctx, n, packed, options, &all));
	for (size_t j = 0; j < k; j++) /* ascending there, descending here */
	{
		values[j] = all.values[n - 1 - j];
		memcpy(vectors + n * j, all.vectors + n * (n - 1 - j), n * sizeof(double));
	}
	TLV_TRY_NEW(ctx, rest, tlv_packed3_size(n));
	memcpy(rest, packed, tlv_packed3_size(n) * sizeof(double));
	TLV_TRY(subtract(ctx, n, k, values, vectors, rest, residual));
	tlv_free(ctx, rest);
	tlv_free(ctx, all.vectors);
	tlv_free(ctx, all.values);
	return TLV_OK;
}
