/*
 * space.c - from the directions of a subspace back to all dimensions: means, variances and
 * covariances of a mixture that was fitted to compressed moments (internal.h).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/tensor4.h"

tlv_status
tlv_gmm_space_open(tlv_context *ctx, const tlv_frame *moments, gmm_space *space)
{
	const tlv_section *basis = tlv_frame_find(moments, "basis");
	const double *radial1, *sum1;
	double rows = tlv_frame_scalar(moments, "rows", 0), radial;

	memset(space, 0, sizeof(*space));
	if (moments->header->kind != TLV_KIND_DENSE_COMPRESSED)
	{
		space->dimensions = space->directions = tlv_frame_find(moments, "shift")->rows;
		return TLV_OK;
	}
	space->dimensions = basis->rows;
	space->directions = basis->columns;
	space->basis = tlv_section_data(moments, basis);
	space->origin = tlv_frame_float64(moments, "mean");
	TLV_TRY_NEW(ctx, space->skew, space->directions);
	radial = tlv_frame_scalar(moments, "radial", 0);
	radial1 = tlv_frame_float64(moments, "radial1");
	sum1 = tlv_frame_float64(moments, "sum1");
	for (size_t a = 0; a < space->directions; a++)
		space->skew[a] = radial1[a] / rows - (sum1[a] / rows) * (radial / rows);
	space->outside = radial / rows;
	if (space->dimensions > space->directions)
		space->variance = space->outside / (double) (space->dimensions - space->directions);
	return TLV_OK;
}

void
tlv_gmm_space_close(tlv_context *ctx, gmm_space *space)
{
	tlv_free(ctx, space->skew);
	space->skew = NULL;
}

tlv_status
tlv_gmm_lift_means(tlv_context *ctx, const gmm_space *space, size_t k, const double *means,
				   double *lifted)
{
	size_t d = space->dimensions, p = space->directions;

	if (space->basis == NULL)
	{
		memcpy(lifted, means, d * k * sizeof(double));
		return TLV_OK;
	}
	for (size_t j = 0; j < k; j++)
		memcpy(lifted + j * d, space->origin, d * sizeof(double));
	return tlv_gemm(ctx, false, false, d, k, p, 1, space->basis, d, means, p, 1, lifted, d);
}

/* basis (covariance - variance I), d x p. */
static tlv_status
project(tlv_context *ctx, const gmm_space *space, const double *covariance, double **product)
{
	size_t d = space->dimensions, p = space->directions;

	TLV_TRY_NEW_ROWS(ctx, *product, d, p);
	memcpy(*product, space->basis, d * p * sizeof(double));
	return tlv_gemm(ctx, false, false, d, p, p, 1, space->basis, d, covariance, p, -space->variance,
					*product, d);
}

tlv_status
tlv_gmm_lift_variances(tlv_context *ctx, const gmm_space *space, const double *covariance,
					   double *variances)
{
	size_t d = space->dimensions, p = space->directions;
	double *product;

	if (space->basis == NULL)
	{
		for (size_t i = 0; i < d; i++)
			variances[i] = covariance[i * d + i];
		return TLV_OK;
	}
	TLV_TRY(project(ctx, space, covariance, &product));
	for (size_t i = 0; i < d; i++)
		variances[i] = space->variance;
	for (size_t a = 0; a < p; a++)
		for (size_t i = 0; i < d; i++)
			variances[i] += product[a * d + i] * space->basis[a * d + i];
	for (size_t i = 0; i < d; i++)
		variances[i] = fmax(variances[i], 0); /* rounding */
	tlv_free(ctx, product);
	return TLV_OK;
}

tlv_status
tlv_gmm_lift_covariance(tlv_context *ctx, const gmm_space *space, const double *covariance,
						double *lifted)
{
	size_t d = space->dimensions, p = space->directions;
	double *product;

	if (space->basis == NULL)
	{
		memcpy(lifted, covariance, d * d * sizeof(double));
		return TLV_OK;
	}
	TLV_TRY(project(ctx, space, covariance, &product));
	TLV_TRY(tlv_gemm(ctx, false, true, d, d, p, 1, product, d, space->basis, d, 0, lifted, d));
	for (size_t i = 0; i < d; i++)
		lifted[i * d + i] += space->variance;
	tlv_free(ctx, product);
	return TLV_OK;
}

/* ---- the column that components explain least ---- */

size_t
gmm_least_explained(const tlv_dense_central *moments, const tlv_mixture *mixture,
					const double *unit)
{
	size_t d = moments->d, found = 0;
	double most = -1;

	for (size_t i = 0; i < d; i++)
	{
		double rest = moments->third[tlv_packed3_index(i, i, i)];
		double variance = moments->covariance[i * (d + 1)];

		/* What is left of a constant column is rounding. */
		if (!(variance > DBL_EPSILON * moments->mean[i] * moments->mean[i]))
			continue;
		for (size_t j = 0; j < mixture->k; j++)
		{
			double mean = mixture->means[j * d + i] / (unit != NULL ? unit[i] : 1);
			double gap = mean - moments->mean[i];

			rest -= mixture->weights[j] * gap * (gap * gap + 3 * mixture->variances[j]);
		}
		rest = fabs(rest) / pow(variance, 1.5);
		found = rest > most ? i : found;
		most = fmax(most, rest);
	}
	return found;
}

/* ---- memory ---- */

/* Numbers of the central moments up to an order, and of what they are read into. */
static double
moment_numbers(size_t p, int order)
{
	double square = (double) p * (double) p;

	return 2 * (double) p + square + (order >= 3 ? (double) tlv_packed3_size(p) : 0) +
		   (order >= 4 ? (double) tlv_packed4_size(p) : 0);
}

/* The eigenvectors with the work of finding them; the decomposition is of size k, whatever p is. */
static double
solving_numbers(size_t p, size_t k)
{
	double wide = (double) p, few = (double) k, square = wide * wide;
	double pairs = (double) tlv_packed2_size(k), slices = fmin(square * wide, 262144 + square);

	if (k == 1)
		return (p <= TLV_EIGEN_LIMIT ? 3 : 1) * square;
	/* Slices of the third moment are compressed some 2 MB at a time. */
	return 3 * square + 2 * wide * few + (double) tlv_packed3_size(k) + slices * (1 + few / wide) +
		   few * few + pairs * (wide + few);
}

/* A covariance within components, in the directions and in all dimensions. */
static double
shape_numbers(const gmm_space *space, const tlv_gmm_options *options)
{
	double p = (double) space->directions, d = (double) space->dimensions;
	double lifted = space->basis != NULL ? d * p : 0;

	if (options->covariance <= TLV_COVARIANCE_SPHERICAL)
		return lifted;
	return lifted + (options->k == 1 ? 1 : 4) * p * p + p * (double) options->k +
		   (tlv_is_matrix(options->covariance) ? d * d : 0);
}

double
tlv_gmm_fit_memory(const gmm_space *space, int order, const tlv_gmm_options *options)
{
	/* Blocks with their heads, and diagnostics. */
	const double other_bytes = 65536.0;
	double p = (double) space->directions, d = (double) space->dimensions, k = (double) options->k;
	double each = d + (double) tlv_mixture_variances(space->dimensions, options->covariance) + 1;
	double numbers = moment_numbers(space->directions, order) +
					 solving_numbers(space->directions, options->k) +
					 shape_numbers(space, options) + 2 * k * each + (k + 6) * (p + k) + 3 * d +
					 (double) tlv_packed2_size(space->directions) + 5 * p;

	return sizeof(double) * numbers + other_bytes +
		   (options->k > 1 ? tlv_decompose_memory(options->k, &options->decompose) : 0);
}
