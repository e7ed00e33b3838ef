/*
 * open.c - a hidden Markov model made ready for its rows: densities and the chain in whole octets
 * (hmm.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"

#include "tensorlv/num/linalg.h"

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

/*
 * L^-1 / sqrt 2, by rows: the squares of its product with x - mean add up to the exponent.  Numbers
 * of one state are stride apart, so that every one is in a cache line of its own.
 */
static tlv_status
open_factor(tlv_context *ctx, tlv_hmm_model *model, size_t j, double *factor, double *inverse)
{
	size_t d = model->parts.d, stride = model->stride;
	const double *packed = model->parts.variances + j * model->variances;
	double *to = model->half_precision + j;

	for (size_t row = 0; row < d; row++, packed += row)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t column = 0; column <= row; column++)
			factor[column * d + row] = packed[column];
	}
	TLV_TRY(tlv_invert_triangle(ctx, true, d, factor, inverse));
	model->log_norm[j] = -0.5 * (double) d * log(2 * M_PI);
	for (size_t row = 0; row < d; row++)
	{
		TLV_TRY_CONTINUE(ctx);
		model->log_norm[j] -= log(factor[row * d + row]);
		for (size_t column = 0; column <= row; column++, to += stride)
			*to = M_SQRT1_2 * inverse[row * d + column];
	}
	return TLV_OK;
}

static tlv_status
open_factors(tlv_context *ctx, tlv_hmm_model *model)
{
	size_t d = model->parts.d;
	double *work;

	TLV_TRY_NEW_ROWS(ctx, work, d, 2 * d);
	for (size_t j = 0; j < model->parts.k; j++)
		TLV_TRY(open_factor(ctx, model, j, work, work + d * d));
	tlv_free(ctx, work);
	return TLV_OK;
}

static tlv_status
hmm_open_vectors(tlv_context *ctx, tlv_hmm_model *model)
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
		TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < d; i++)
			model->means[i * stride + j] = model->parts.emissions[j * d + i];
		if (model->parts.covariance != TLV_COVARIANCE_FULL)
			open_variances(model, j);
	}
	return model->parts.covariance == TLV_COVARIANCE_FULL ? open_factors(ctx, model) : TLV_OK;
}

static tlv_status
hmm_open_symbols(tlv_context *ctx, tlv_hmm_model *model)
{
	size_t k = model->parts.k, d = model->parts.d, stride = model->stride;

	TLV_TRY(tlv_dictionary_freeze(ctx, &model->dictionary, d, model->parts.items));
	model->emissions = tlv_alloc0(ctx, d + 1, stride * sizeof(double));
	TLV_TRY_ALLOC(ctx, model->emissions);
	for (size_t i = 0; i < d; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		memcpy(model->emissions + i * stride, model->parts.emissions + i * k, k * sizeof(double));
	}
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
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t to = 0; to < k; to++)
		{
			double p = model->parts.transitions[from * k + to];

			model->forward[from * stride + to] = p;
			model->backward[to * stride + from] = p;
		}
	}
	return TLV_OK;
}

/* Steps between two looks, in whole groups of those that are scaled together where there are any.
 */
static size_t
piece_steps(const tlv_hmm_model *model)
{
	/* Multiplications between two looks at whether to stop: at most some hundredths of a second. */
	const double piece_work = 2e7;
	double each = (double) model->stride *
				  ((double) model->parts.k + (double) model->parts.d * model->parts.gaussian +
				   (double) tlv_hmm_covariance_numbers(&model->parts));
	size_t steps = (size_t) fmin(fmax(piece_work / each, 1), (double) HMM_BLOCK);

	return steps < TLV_OCTET_STEPS ? steps : steps - steps % TLV_OCTET_STEPS;
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
	model->piece = piece_steps(model);
	TLV_TRY(model->parts.gaussian ? hmm_open_vectors(ctx, model) : hmm_open_symbols(ctx, model));
	return open_chain(ctx, model);
}
