/*
 * blend.c - an old mixture and a new one as one, by their expected sufficient statistics
 * (mixture.h).
 */
#include <math.h>

#include "worker.h"

/* Parts of a component: of the old mixture and of the new one, summing to 1. */
typedef struct blend_parts
{
	double before, now;
} blend_parts;

/* The square between the means of a component that a variance takes up. */
static double
mixture_between(blend_parts parts, double a, double b, double c, double d)
{
	return parts.before * parts.now * (a - b) * (c - d);
}

/* Variances of one component, whose means are still those of either mixture. */
static void
blend_variances(const tlv_mixture *before, size_t j, blend_parts parts, tlv_mixture *mixture)
{
	size_t d = mixture->d, each = tlv_mixture_variances(d, mixture->covariance), e = 0;
	const double *x = before->means + j * d, *y = mixture->means + j * d;
	const double *old = before->variances + j * each;
	double *own = mixture->variances + j * each, moved = 0;

	for (size_t i = 0; i < each; i++)
		own[i] = parts.before * old[i] + parts.now * own[i];
	for (size_t i = 0; i < d; i++)
		if (tlv_is_matrix(mixture->covariance))
			for (size_t c = 0; c <= i; c++)
				own[e++] += mixture_between(parts, x[i], y[i], x[c], y[c]);
		else if (mixture->covariance == TLV_COVARIANCE_DIAGONAL)
			own[i] += mixture_between(parts, x[i], y[i], x[i], y[i]);
		else
			moved += mixture_between(parts, x[i], y[i], x[i], y[i]);
	if (each == 1)
		own[0] += moved / (double) d;
}

/* The means of the rows of both, as long as their concentrations make them. */
static tlv_status
blend_direction(tlv_context *ctx, const tlv_mixture *before, size_t j, blend_parts parts,
				tlv_mixture *mixture)
{
	size_t d = mixture->d;
	double old = parts.before * tlv_directions_length(d, before->variances[j]);
	double now = parts.now * tlv_directions_length(d, mixture->variances[j]);
	double *sum;

	TLV_TRY_NEW(ctx, sum, d);
	for (size_t i = 0; i < d; i++)
		sum[i] = old * before->means[j * d + i] + now * mixture->means[j * d + i];
	mixture_set_direction(mixture, j, 1, sum);
	tlv_free(ctx, sum);
	return TLV_OK;
}

/* Rounding must not lead beyond the bounds. */
static double
blend_degrees(blend_parts parts, double before, double now)
{
	double degrees = parts.before * before + parts.now * now;

	return fmin(fmax(degrees, TLV_LEAST_DEGREES), TLV_MOST_DEGREES);
}

/* What all components share: the mean of theirs. */
static void
blend_shared(tlv_mixture *mixture)
{
	size_t each = tlv_mixture_variances(mixture->d, mixture->covariance);

	for (size_t i = 0; i < each; i++)
	{
		double mean = 0;

		for (size_t j = 0; j < mixture->k; j++)
			mean += mixture->weights[j] * mixture->variances[j * each + i];
		for (size_t j = 0; j < mixture->k; j++)
			mixture->variances[j * each + i] = mean;
	}
}

tlv_status
tlv_mixture_blend(tlv_context *ctx, const tlv_mixture *before, double weight, tlv_mixture *mixture)
{
	size_t d = mixture->d;

	for (size_t j = 0; j < mixture->k; j++)
	{
		double old = (1 - weight) * before->weights[j], now = weight * mixture->weights[j];
		blend_parts parts = {old / (old + now), now / (old + now)};

		mixture->weights[j] = old + now;
		if (mixture->covariance == TLV_COVARIANCE_DIRECTION)
		{
			TLV_TRY(blend_direction(ctx, before, j, parts, mixture));
			continue;
		}
		blend_variances(before, j, parts, mixture);
		for (size_t i = 0; i < d; i++)
			mixture->means[j * d + i] =
				parts.before * before->means[j * d + i] + parts.now * mixture->means[j * d + i];
		if (mixture->degrees != NULL)
			mixture->degrees[j] = blend_degrees(parts, before->degrees[j], mixture->degrees[j]);
	}
	if (tlv_is_shared(mixture->covariance))
		blend_shared(mixture);
	return TLV_OK;
}
