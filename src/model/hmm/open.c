/*
 * open.c - a hidden Markov model made ready for its rows: densities and the chain in whole octets
 * (hmm.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"

/* The densities' constants of a state with variances of its own or of its coordinates. */
static void
open_variances(tlv_hmm_model *model, size_t j)
{
	size_t n = model->variances, d = model->parts.d;

	model->log_norm[j] = 0;
	for (size_t i = 0; i < n; i++)
	{
		double variance = model->parts.variances[j * n + i];

		model->log_norm[j] -= 0.5 * ((double) d / (double) n) * log(2 * M_PI * variance);
		model->half_precision[i * model->stride + j] = 0.5 / variance;
	}
}

/* L^-1 / sqrt 2, by rows: the squares of its product with x - mean add up to the exponent. */
static void
open_factor(tlv_hmm_model *model, size_t j)
{
	size_t d = model->parts.d, stride = model->stride;
	const double *factor = model->parts.variances + j * model->variances;
	double *inverse = model->half_precision + j;

	model->log_norm[j] = -0.5 * (double) d * log(2 * M_PI);
#define AT(row, column) ((row) * ((row) + 1) / 2 + (column))
	for (size_t i = 0; i < d; i++)
	{
		model->log_norm[j] -= log(factor[AT(i, i)]);
		for (size_t c = 0; c < i; c++)
		{
			double sum = 0;

			for (size_t e = c; e < i; e++)
				sum += factor[AT(i, e)] * inverse[AT(e, c) * stride];
			inverse[AT(i, c) * stride] = -sum / factor[AT(i, i)];
		}
		inverse[AT(i, i) * stride] = M_SQRT1_2 / factor[AT(i, i)];
	}
#undef AT
}

static tlv_status
open_vectors(tlv_context *ctx, tlv_hmm_model *model)
{
	size_t k = model->parts.k, d = model->parts.d, stride = model->stride;
	size_t numbers = tlv_hmm_covariance_numbers(&model->parts);
	double *block = tlv_alloc0(ctx, stride, (2 * d + 1 + numbers + HMM_BLOCK) * sizeof(double));

	TLV_TRY_ALLOC(ctx, block);
	model->variances = numbers;
	model->means = block;
	model->log_norm = block + stride * d;
	model->half_precision = model->log_norm + stride;
	model->difference = model->half_precision + stride * numbers;
	model->likelihood = model->difference + stride * d;
	for (size_t j = 0; j < k; j++)
	{
		for (size_t i = 0; i < d; i++)
			model->means[i * stride + j] = model->parts.emissions[j * d + i];
		if (model->parts.covariance == TLV_COVARIANCE_FULL)
			open_factor(model, j);
		else
			open_variances(model, j);
	}
	return TLV_OK;
}

static tlv_status
open_symbols(tlv_context *ctx, tlv_hmm_model *model)
{
	size_t k = model->parts.k, d = model->parts.d, stride = model->stride;

	TLV_TRY(tlv_dictionary_freeze(ctx, &model->dictionary, d, model->parts.items));
	model->emissions = tlv_alloc0(ctx, d + 1, stride * sizeof(double));
	TLV_TRY_ALLOC(ctx, model->emissions);
	for (size_t i = 0; i < d; i++)
		memcpy(model->emissions + i * stride, model->parts.emissions + i * k, k * sizeof(double));
	for (size_t j = 0; j < k; j++)
		model->emissions[d * stride + j] = 1;
	return TLV_OK;
}

/* The buffers of one block, and the chain in rows of whole octets. */
static tlv_status
open_chain(tlv_context *ctx, tlv_hmm_model *model)
{
	size_t k = model->parts.k, stride = model->stride;
	double *block = tlv_alloc0(ctx, 2 * k + 3 * HMM_BLOCK + 3, stride * sizeof(double));

	TLV_TRY_ALLOC(ctx, block);
	model->initial = block;
	model->beta = block + stride;
	model->forward = model->beta + stride;
	model->backward = model->forward + stride * k;
	model->weighted = model->backward + stride * k;
	model->gamma = model->weighted + HMM_BLOCK * stride;
	model->alpha = model->gamma + HMM_BLOCK * stride;
	TLV_TRY_NEW(ctx, model->at, HMM_BLOCK);
	TLV_TRY_NEW(ctx, model->scale, HMM_BLOCK + k * k);
	model->pairs = model->scale + HMM_BLOCK;
	memcpy(model->initial, model->parts.initial, k * sizeof(double));
	for (size_t from = 0; from < k; from++)
		for (size_t to = 0; to < k; to++)
		{
			double p = model->parts.transitions[from * k + to];

			model->forward[from * stride + to] = p;
			model->backward[to * stride + from] = p;
		}
	return TLV_OK;
}

tlv_status
tlv_hmm_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **opened)
{
	tlv_hmm_model *model;

	TLV_TRY(tlv_model_create(ctx, frame, sizeof(tlv_hmm_model), opened));
	model = (tlv_hmm_model *) *opened;
	tlv_hmm_read(frame, &model->parts);
	model->base.rows &= ~(unsigned) (model->parts.gaussian ? TLV_ROW_SYMBOLS : TLV_ROW_SEQUENCE);
	model->stride = tlv_whole_octets(model->parts.k);
	TLV_TRY(model->parts.gaussian ? open_vectors(ctx, model) : open_symbols(ctx, model));
	return open_chain(ctx, model);
}
