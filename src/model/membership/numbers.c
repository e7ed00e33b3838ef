/*
 * numbers.c - numbers beside the categories, with a distribution in every component (internal.h):
 * normal, or Poisson where all values are counts and that is likelier.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/step_prior.h"

tlv_status
membership_numbers_create(tlv_context *ctx, size_t q, size_t k, membership_numbers *numbers)
{
	*numbers = (membership_numbers){.q = q, .k = k};
	TLV_TRY_NEW0(ctx, numbers->centre, q);
	TLV_TRY_NEW0(ctx, numbers->deviation, q);
	TLV_TRY_NEW0_ROWS(ctx, numbers->mean, q, k);
	TLV_TRY_NEW0_ROWS(ctx, numbers->variance, q, k);
	TLV_TRY_NEW0(ctx, numbers->counts, q);
	return TLV_OK;
}

tlv_status
membership_numbers_copy(tlv_context *ctx, const membership_numbers *from, membership_numbers *to)
{
	size_t q = from->q, k = from->k;

	*to = *from;
	if (q == 0)
		return TLV_OK;
	TLV_TRY(membership_numbers_create(ctx, q, k, to));
	memcpy(to->centre, from->centre, q * sizeof(double));
	memcpy(to->deviation, from->deviation, q * sizeof(double));
	memcpy(to->mean, from->mean, q * k * sizeof(double));
	memcpy(to->variance, from->variance, q * k * sizeof(double));
	memcpy(to->counts, from->counts, q * sizeof(int64_t));
	return TLV_OK;
}

tlv_status
membership_numbers_of(tlv_context *ctx, const tlv_membership_parts *parts,
					  membership_numbers *numbers)
{
	size_t k = parts->k, q = tlv_membership_numbers(parts);
	double all = 0;

	*numbers = (membership_numbers){.k = k};
	if (q == 0)
		return TLV_OK;
	TLV_TRY(membership_numbers_create(ctx, q, k, numbers));
	memcpy(numbers->mean, parts->scalar_means, q * k * sizeof(double));
	memcpy(numbers->variance, parts->scalar_variances, q * k * sizeof(double));
	memcpy(numbers->counts, parts->scalar_counts, q * sizeof(int64_t));
	for (size_t h = 0; h < k; h++)
		all += parts->weights[h];
	for (size_t s = 0; s < q; s++)
	{
		double variance = 0;

		for (size_t h = 0; h < k; h++)
			numbers->centre[s] += parts->weights[h] / all * numbers->mean[s * k + h];
		for (size_t h = 0; h < k; h++)
		{
			double beyond = numbers->mean[s * k + h] - numbers->centre[s];

			variance += parts->weights[h] / all * (numbers->variance[s * k + h] + beyond * beyond);
		}
		numbers->deviation[s] = sqrt(variance);
	}
	return TLV_OK;
}

void
membership_number_add(const membership_numbers *numbers, size_t s, double x, const double *share,
					  double *sums)
{
	size_t k = numbers->k;
	double beyond = x - numbers->centre[s], square = beyond * beyond;

	for (size_t h = 0; h < k; h++)
	{
		sums[h] += share[h];
		sums[k + h] += share[h] * fmax(beyond, 0);
		sums[2 * k + h] += share[h] * fmax(-beyond, 0);
		sums[3 * k + h] += share[h] * square;
	}
}

/* By how much the sums of a number are likelier as counts. */
static double
gain_of_counts(const membership_numbers *numbers, size_t s, const double *sums, double logs)
{
	size_t k = numbers->k;
	double gain = -logs;

	for (size_t h = 0; h < k; h++)
	{
		double n = sums[h], mean = numbers->mean[s * k + h], v = numbers->variance[s * k + h];

		if (n > 0)
			gain +=
				n * (mean * log(fmax(mean, LEAST_MEAN)) - mean) + n * (log(2 * M_PI * v) + 1) / 2;
	}
	return gain;
}

void
membership_numbers_maximize(double weight, const double *sums, const bool *whole,
							const double *logs, membership_numbers *numbers)
{
	/* Least variance of integers: that of their rounding. */
	const double least_whole = 1.0 / 12;
	double count = tlv_step_prior(weight, MEMBERSHIP_COUNT);
	double narrow = tlv_step_prior(weight, VARIANCE_COUNT);
	double kept = tlv_step_kept(weight, 0, VARIANCE_COUNT);
	size_t k = numbers->k;

	for (size_t s = 0; s < numbers->q; s++, sums += MEMBERSHIP_NUMBER_SUMS * k)
	{
		double all = numbers->deviation[s] * numbers->deviation[s], least = LEAST_PART * all;

		if ((whole != NULL && whole[s]) || (whole == NULL && numbers->counts[s]))
			least = fmax(least, least_whole);
		for (size_t h = 0; h < k; h++)
		{
			double n = sums[h] + count, mean = (sums[k + h] - sums[2 * k + h]) / n;
			double square = (sums[3 * k + h] + count * all) / n - mean * mean;
			double before = kept * numbers->variance[s * k + h];
			double v = (n * fmax(square, 0) + narrow * all + before) / (n + narrow + kept);

			numbers->mean[s * k + h] = numbers->centre[s] + mean;
			numbers->variance[s * k + h] = fmax(v, least);
		}
		if (whole != NULL)
			numbers->counts[s] = whole[s] && gain_of_counts(numbers, s, sums, logs[s]) > 0;
		for (size_t h = 0; h < k && numbers->counts[s]; h++)
			numbers->variance[s * k + h] = numbers->mean[s * k + h] =
				fmax(numbers->mean[s * k + h], LEAST_MEAN);
	}
}
