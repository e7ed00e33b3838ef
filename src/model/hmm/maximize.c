/*
 * maximize.c - means and covariances of the states from expected sums (internal.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"

#include "tensorlv/num/numbers.h"

/* Position of row i, column c <= i in a factor or in packed products. */
static inline size_t
factor_at(size_t i, size_t c)
{
	return i * (i + 1) / 2 + c;
}

/* Expected square of a coordinate's deviation from the old mean; of all coordinates, spherical. */
static double
square_of(const tlv_hmm_sums *sums, tlv_covariance covariance, size_t k, size_t j, size_t i)
{
	size_t e = covariance == TLV_COVARIANCE_FULL ? factor_at(i, i) : i;

	return sums->squares[e * k + j];
}

/*
 * Least variances: a common floor by coordinate, of all states together, keeps one from shrinking
 * to a point.
 */
static void
variance_floors(const tlv_hmm_sums *sums, const tlv_hmm_parts *before, double *floors)
{
	size_t k = before->k, d = before->d, n = before->covariance < TLV_COVARIANCE_DIAGONAL ? 1 : d;
	double mean = 0;

	for (size_t i = 0; i < n; i++)
	{
		double total = 0, weight = 0;

		for (size_t j = 0; j < k; j++)
		{
			double moved = 0;

			if (!(sums->weights[j] > TLV_ROUNDING))
				continue;
			for (size_t c = n == 1 ? 0 : i; c < (n == 1 ? d : i + 1); c++)
				moved += sums->deviations[c * k + j] * sums->deviations[c * k + j];
			total +=
				fmax(square_of(sums, before->covariance, k, j, i) - moved / sums->weights[j], 0);
			weight += sums->weights[j];
		}
		floors[i] = weight > 0 ? VARIANCE_FLOOR * total / weight / (double) (n == 1 ? d : 1) : 0;
		mean += floors[i] / (double) n;
	}
	for (size_t i = 0; i < n; i++)
		floors[i] = fmax(floors[i], TLV_DEPENDENT / VARIANCE_FLOOR * mean);
}

/* One variance, for all coordinates; moved: squared distance of the new mean from the old. */
static void
spherical_variance(const tlv_hmm_sums *sums, size_t d, size_t j, double moved, double floor,
				   double *variance)
{
	*variance = fmax(fmax(sums->squares[j] / sums->weights[j] - moved, 0) / (double) d, floor);
}

static void
diagonal_variances(const tlv_hmm_sums *sums, size_t k, size_t d, size_t j, const double *step,
				   const double *floors, double *variances)
{
	for (size_t i = 0; i < d; i++)
		variances[i] =
			fmax(sums->squares[i * k + j] / sums->weights[j] - step[i] * step[i], floors[i]);
}

/* The factor of a covariance, whose pivots stay above the floors. */
static void
full_factor(const tlv_hmm_sums *sums, size_t k, size_t d, size_t j, const double *step,
			const double *floors, double *factor)
{
	for (size_t i = 0; i < d; i++)
		for (size_t c = 0; c <= i; c++)
		{
			double sum =
				sums->squares[factor_at(i, c) * k + j] / sums->weights[j] - step[i] * step[c];

			for (size_t e = 0; e < c; e++)
				sum -= factor[factor_at(i, e)] * factor[factor_at(c, e)];
			if (c < i)
				factor[factor_at(i, c)] = floors[c] > 0 ? sum / factor[factor_at(c, c)] : 0;
			else
				factor[factor_at(i, c)] = sqrt(fmax(sum, floors[i]));
		}
}

/* Common: the mean of the states' variances. */
static void
pool_variances(const tlv_hmm_sums *sums, size_t k, double *variances)
{
	double total = 0, weight = 0;

	for (size_t j = 0; j < k; j++)
	{
		total += sums->weights[j] * variances[j];
		weight += sums->weights[j];
	}
	for (size_t j = 0; weight > 0 && j < k; j++)
		variances[j] = total / weight;
}

void
tlv_hmm_maximize_vectors(const tlv_hmm_sums *sums, const tlv_hmm_parts *before, double *means,
						 double *variances, double *work)
{
	size_t k = before->k, d = before->d, n = tlv_mixture_variances(d, before->covariance);
	bool fixed = (before->constraints & TLV_HMM_FIXED_EMISSIONS) != 0;
	double *floors = work, *step = work + d;

	memcpy(means, before->emissions, k * d * sizeof(double));
	memcpy(variances, before->variances, k * n * sizeof(double));
	variance_floors(sums, before, floors);
	for (size_t j = 0; j < k; j++)
	{
		double moved = 0;

		if (!(sums->weights[j] > TLV_ROUNDING))
			continue;
		for (size_t i = 0; i < d; i++)
		{
			step[i] = fixed ? 0 : sums->deviations[i * k + j] / sums->weights[j];
			means[j * d + i] += step[i];
			moved += step[i] * step[i];
		}
		if (before->covariance < TLV_COVARIANCE_DIAGONAL)
			spherical_variance(sums, d, j, moved, floors[0], variances + j);
		else if (before->covariance == TLV_COVARIANCE_DIAGONAL)
			diagonal_variances(sums, k, d, j, step, floors, variances + j * n);
		else
			full_factor(sums, k, d, j, step, floors, variances + j * n);
	}
	if (before->covariance == TLV_COVARIANCE_COMMON)
		pool_variances(sums, k, variances);
}
