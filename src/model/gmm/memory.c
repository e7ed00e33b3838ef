/*
 * memory.c - what a fit to moments takes, before it begins (internal.h).
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/tensor4.h"

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
