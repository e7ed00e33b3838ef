/*
 * redraw.c - a mixture with other values of its estimates (mixture.h).
 */
#include <math.h>
#include <string.h>

#include "worker.h"

#include "tensorlv/num/linalg.h"

/* Largest factor of a variance, as a logarithm. */
#define MIXTURE_MOST_LOGARITHM 4.0

static double
bounded_exp(double x)
{
	return exp(fmin(fmax(x, -MIXTURE_MOST_LOGARITHM), MIXTURE_MOST_LOGARITHM));
}

/* d x d from its packed lower triangle, less another. */
static void
unpack_difference(size_t d, const double *packed, const double *minus, double *matrix)
{
	for (size_t a = 0; a < d; a++)
		for (size_t b = 0; b <= a; b++)
		{
			size_t at = tlv_packed2_index(a, b);
			double value = packed[at] - (minus == NULL ? 0 : minus[at]);

			matrix[b * d + a] = matrix[a * d + b] = value;
		}
}

/* matrix, symmetric, becomes L^-1 matrix L'^-1. */
static tlv_status
mixture_whiten(tlv_context *ctx, size_t d, const double *factor, double *matrix)
{
	TLV_TRY(tlv_solve_triangle(ctx, false, d, d, factor, matrix));
	for (size_t a = 0; a < d; a++)
		for (size_t b = 0; b < a; b++)
		{
			double kept = matrix[b * d + a];

			matrix[b * d + a] = matrix[a * d + b];
			matrix[a * d + b] = kept;
		}
	return tlv_solve_triangle(ctx, false, d, d, factor, matrix);
}

/* One covariance, packed. */
static tlv_status
redraw_covariance(tlv_context *ctx, size_t d, const double *values, double *packed)
{
	double *factor, *matrix, *product, *eigenvalues;

	TLV_TRY_CONTINUE(ctx);
	if (memcmp(values, packed, tlv_packed2_size(d) * sizeof(double)) == 0)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, factor, d, 3 * d + 1);
	matrix = factor + d * d;
	product = matrix + d * d;
	eigenvalues = product + d * d;
	unpack_difference(d, packed, NULL, factor);
	TLV_TRY(tlv_cholesky(ctx, d, factor));
	for (size_t b = 1; b < d; b++)
		memset(factor + b * d, 0, b * sizeof(double));
	unpack_difference(d, values, packed, matrix);
	TLV_TRY(mixture_whiten(ctx, d, factor, matrix));
	TLV_TRY(tlv_eigen_symmetric(ctx, d, matrix, eigenvalues));
	TLV_TRY(tlv_gemm(ctx, false, false, d, d, d, 1, factor, d, matrix, d, 0, product, d));
	for (size_t c = 0; c < d; c++)
		for (size_t r = 0; r < d; r++)
			product[c * d + r] *= sqrt(bounded_exp(eigenvalues[c]));
	TLV_TRY(tlv_syrk(ctx, false, d, d, 1, product, d, 0, matrix, d, false));
	for (size_t a = 0; a < d; a++)
		for (size_t b = 0; b <= a; b++)
			packed[tlv_packed2_index(a, b)] = matrix[b * d + a];
	tlv_free(ctx, factor);
	return TLV_OK;
}

static double
redraw_degrees(double value, double own)
{
	return fmin(fmax(own * bounded_exp(value / own - 1), TLV_LEAST_DEGREES), TLV_MOST_DEGREES);
}

tlv_status
tlv_mixture_redraw(tlv_context *ctx, const double *values, tlv_mixture *mixture)
{
	size_t d = mixture->d, each = tlv_mixture_variances(d, mixture->covariance);
	bool common = tlv_is_shared(mixture->covariance);

	for (size_t j = 0; j < mixture->k; j++)
	{
		double *own = mixture->variances + j * each;

		if (mixture->covariance == TLV_COVARIANCE_DIRECTION)
		{
			mixture_redraw_direction(mixture, j, values);
			values += d + 1;
			continue;
		}
		memcpy(mixture->means + j * d, values, d * sizeof(double));
		values += d;
		if ((!common || j + 1 == mixture->k) && tlv_is_matrix(mixture->covariance))
			TLV_TRY(redraw_covariance(ctx, d, values, own));
		else if (!common || j + 1 == mixture->k)
			for (size_t i = 0; i < each; i++)
				own[i] *= bounded_exp(values[i] / own[i] - 1);
		values += common && j + 1 < mixture->k ? 0 : each;
		if (mixture->degrees != NULL)
			mixture->degrees[j] = redraw_degrees(*values++, mixture->degrees[j]);
	}
	for (size_t j = 0; common && j + 1 < mixture->k; j++)
		memcpy(mixture->variances + j * each, mixture->variances + (mixture->k - 1) * each,
			   each * sizeof(double));
	return TLV_OK;
}
