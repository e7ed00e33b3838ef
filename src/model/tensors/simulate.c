/*
 * simulate.c - tensors of known products, with noise (tensors.h).
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"

static tlv_status
tensor_check_simulation(tlv_context *ctx, const tlv_tensor_simulation *o)
{
	const double most_numbers = 1e8;
	double items = (double) o->d[0] + (double) o->d[1] + (double) o->d[2];

	for (int m = 0; m < TLV_MODES; m++)
		if (o->d[m] < 1)
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "side %d of the tensor is not at least 1",
							m + 1);
	if (o->k < 1)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is not at least 1", o->k);
	if (items * (double) o->k > most_numbers)
		return tlv_fail(ctx, TLV_LIMIT, "%zu components of %zu x %zu x %zu are too many", o->k,
						o->d[0], o->d[1], o->d[2]);
	if (!(o->noise >= 0 && o->noise <= 1e6))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "noise = %g is not between 0 and 1e6", o->noise);
	if (!(o->share >= 0 && o->share <= 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "share = %g is not between 0 and 1", o->share);
	return TLV_OK;
}

static tlv_status
draw_factors(tlv_context *ctx, const tlv_tensor_simulation *o, double *factors)
{
	/* Of factors that are not negative: how many of their entries are 0. */
	const double zero_share = 0.3;
	size_t all = o->k * (o->d[0] + o->d[1] + o->d[2]);
	tlv_rng rng;

	tlv_rng_seed(&rng, o->seed);
	if (!o->nonnegative)
		return tlv_fill_normal(ctx, &rng, all, factors);
	for (size_t i = 0; i < all; i++)
	{
		double x = tlv_rng_uniform(&rng);

		TLV_TRY_CONTINUE_AT(ctx, i);
		factors[i] = x < zero_share ? 0 : x;
	}
	return TLV_OK;
}

/* The root of the mean squared entry, by the products of the factors' Gram matrices. */
static tlv_status
tensor_mean_entry(tlv_context *ctx, const tlv_tensor_simulation *o, double *const factor[TLV_MODES],
				  double *mean)
{
	size_t k = o->k;
	double *gram, sum = 0;

	TLV_TRY(tlv_require_memory(ctx, 24.0 * (double) k * (double) k, "the simulation"));
	TLV_TRY_NEW_ROWS(ctx, gram, k, TLV_MODES * k);
	for (size_t m = 0; m < TLV_MODES; m++)
		TLV_TRY(tlv_syrk(ctx, false, k, o->d[m], 1 / (double) o->d[m], factor[m], k, 0,
						 gram + m * k * k, k, true));
	for (size_t i = 0; i < k * k; i++)
		sum += gram[i] * gram[k * k + i] * gram[2 * k * k + i];
	*mean = sqrt(fmax(sum, 0));
	tlv_free(ctx, gram);
	return TLV_OK;
}

/* A row of the first two modes, with random numbers of its own. */
static tlv_status
put_fibre(tlv_context *ctx, const tlv_tensor_simulation *o, double *const factor[TLV_MODES],
		  double noise, size_t i, size_t j, tlv_tensor_put put, void *argument)
{
	tlv_rng rng;

	tlv_rng_stream(&rng, o->seed, i * o->d[1] + j + 1);
	for (size_t l = 0; l < o->d[2]; l++)
	{
		tlv_tensor_drawn drawn = {.i = i + 1, .j = j + 1, .l = l + 1};
		double error = noise > 0 ? noise * tlv_rng_normal(&rng) : 0;

		if (o->k > 1000 || l % 256 == 255)
			TLV_TRY_CONTINUE(ctx);
		if (o->share < 1 && !(tlv_rng_uniform(&rng) < o->share))
			continue;
		drawn.exact = tlv_tensor_entry(o->k, NULL, factor[0] + i * o->k, factor[1] + j * o->k,
									   factor[2] + l * o->k);
		drawn.entry = drawn.exact + error;
		TLV_TRY(put(ctx, argument, &drawn));
	}
	return TLV_OK;
}

tlv_status
tlv_tensor_simulate(tlv_context *ctx, const tlv_tensor_simulation *options, tlv_tensor_put put,
					void *argument)
{
	double *factor[TLV_MODES], mean;

	TLV_TRY(tensor_check_simulation(ctx, options));
	TLV_TRY_NEW_ROWS(ctx, factor[0], options->d[0] + options->d[1] + options->d[2], options->k);
	factor[1] = factor[0] + options->k * options->d[0];
	factor[2] = factor[1] + options->k * options->d[1];
	TLV_TRY(draw_factors(ctx, options, factor[0]));
	TLV_TRY(tensor_mean_entry(ctx, options, factor, &mean));
	for (size_t i = 0; i < options->d[0]; i++)
		for (size_t j = 0; j < options->d[1]; j++)
		{
			if (j % 256 == 0)
				TLV_TRY_CONTINUE(ctx);
			TLV_TRY(put_fibre(ctx, options, factor, options->noise * mean, i, j, put, argument));
		}
	tlv_free(ctx, factor[0]);
	return TLV_OK;
}
