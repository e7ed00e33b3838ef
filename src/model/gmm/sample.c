/*
 * sample.c - rows in memory that mixtures of Gaussians start from (gmm.h): their order, their mean
 * and what their columns hold.
 */
#include <string.h>

#include "wide.h"
#include "tensorlv/num/rng.h"

/* The mean of the rows, and an order in which each is as likely anywhere. */
static tlv_status
look_at_rows(tlv_context *ctx, uint64_t seed, tlv_gmm_sample *sample, size_t *order)
{
	tlv_rng rng;

	tlv_rng_seed(&rng, tlv_mix64(seed));
	for (size_t t = 0; t < sample->n; t++)
	{
		size_t other = (size_t) tlv_rng_below(&rng, t + 1);

		TLV_TRY_CONTINUE_OFTEN(ctx, t);
		order[t] = order[other];
		order[other] = t;
		for (size_t i = 0; i < sample->d; i++)
			sample->center[i] +=
				(sample->rows[t * sample->d + i] - sample->center[i]) / (double) (t + 1);
	}
	return TLV_OK;
}

/* Row order[t] becomes row t, each circle of moves through one more place (d numbers). */
static tlv_status
order_rows(tlv_context *ctx, tlv_gmm_sample *sample, size_t *order, double *moved)
{
	size_t bytes = sample->d * sizeof(double), from;

	for (size_t first = 0; first < sample->n; first++)
	{
		size_t to = first;

		TLV_TRY_CONTINUE_OFTEN(ctx, first);
		memcpy(moved, sample->rows + first * sample->d, bytes);
		for (; (from = order[to]) != first; to = from)
		{
			memcpy(sample->rows + to * sample->d, sample->rows + from * sample->d, bytes);
			order[to] = to;
		}
		memcpy(sample->rows + to * sample->d, moved, bytes);
		order[to] = to;
	}
	return TLV_OK;
}

/* Variances, which are 1 of directions, as the scale of the columns. */
static tlv_status
find_scale(tlv_context *ctx, bool directions, tlv_gmm_sample *sample)
{
	size_t d = sample->d;
	double *variance;

	TLV_TRY_NEW0(ctx, variance, d);
	TLV_TRY_NEW(ctx, sample->scale, d);
	for (size_t t = 0; t < sample->n; t++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, t);
		for (size_t i = 0; i < d; i++)
		{
			double from = sample->rows[t * d + i] - sample->center[i];

			variance[i] += directions ? 1 / (double) sample->n : from * from / (double) sample->n;
		}
	}
	TLV_TRY(tlv_mixture_floor(ctx, d, variance, NULL, sample->scale));
	for (size_t i = 0; i < d; i++)
		sample->scale[i] /= TLV_MIXTURE_FLOOR;
	tlv_free(ctx, variance);
	return TLV_OK;
}

/* Of few columns: many in one variance are bound by none of them. */
static tlv_status
look_at_columns(tlv_context *ctx, tlv_gmm_sample *sample)
{
	TLV_TRY_NEW(ctx, sample->columns, sample->d);
	for (size_t i = 0; i < sample->d; i++)
		TLV_TRY(tlv_mixture_look_at_column(ctx, sample->n, sample->d, sample->rows + i,
										   sample->scale[i], &sample->columns[i]));
	return TLV_OK;
}

tlv_status
tlv_gmm_sample_open(tlv_context *ctx, size_t n, size_t d, double *rows, bool directions,
					uint64_t seed, tlv_gmm_sample *sample)
{
	size_t *order;
	double *moved;

	*sample = (tlv_gmm_sample){.n = n, .d = d, .rows = rows};
	TLV_TRY_NEW0(ctx, sample->center, d);
	TLV_TRY_NEW(ctx, order, n);
	TLV_TRY_NEW(ctx, moved, d);
	TLV_TRY(look_at_rows(ctx, seed, sample, order));
	TLV_TRY(order_rows(ctx, sample, order, moved));
	TLV_TRY(find_scale(ctx, directions, sample));
	if (!directions && d < GMM_WIDE)
		TLV_TRY(look_at_columns(ctx, sample));
	if (directions)
		memset(sample->center, 0, d * sizeof(double));
	for (size_t t = 0; t < n; t++)
		for (size_t i = 0; i < d; i++)
			rows[t * d + i] -= sample->center[i];
	tlv_free(ctx, moved);
	tlv_free(ctx, order);
	return TLV_OK;
}

void
tlv_gmm_sample_free(tlv_context *ctx, tlv_gmm_sample *sample)
{
	tlv_free(ctx, sample->rows);
	tlv_free(ctx, sample->center);
	sample->rows = sample->center = NULL;
}
