/*
 * variational.c - expected topic counts of one document by variational
 * Bayes (Blei, Ng, Jordan 2003), and their leave-one-out likelihood (topics.h).
 */
#include "worker.h"

#include "tensorlv/num/fast_math.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* worker->theta = exp(E ln theta) under Dirichlet(worker->totals), the largest scaled to 1. */
static void
geometric_means(tlv_topic_worker *worker)
{
	size_t k = worker->k;
	double largest = -HUGE_VAL;

	/* The largest entry first: exp(digamma) of a small parameter underflows. */
	for (size_t j = 0; j < k; j++)
		largest = fmax(largest, worker->totals[j]);
	largest = tlv_fast_digamma(largest);
	for (size_t j = 0; j < k; j++)
		worker->theta[j] = (float) exp(tlv_fast_digamma(worker->totals[j]) - largest);
}

/* One step of the Dirichlet parameters in worker->totals; *change gets their mean change. */
static tlv_status
variational_step(tlv_context *ctx, tlv_topic_worker *worker, size_t n, const int32_t *index,
				 const double *count, double *change)
{
	size_t chunk = tlv_topic_chunk(worker);

	geometric_means(worker);
	memset(worker->row, 0, worker->width * sizeof(float));
	for (size_t i = 0; i < n; i += chunk)
	{
		TLV_TRY_CONTINUE(ctx);
		tlv_topic_responsibilities(worker, n - i < chunk ? n - i : chunk, index + i, count + i,
								   worker->theta, worker->row);
	}
	*change = 0;
	for (size_t j = 0; j < worker->k; j++)
	{
		double next = worker->alpha[j] + (double) worker->theta[j] * (double) worker->row[j];

		*change += fabs(next - worker->totals[j]) / (double) worker->k;
		worker->totals[j] = next;
	}
	return TLV_OK;
}

/* sum_j phi_j max(parameters_j - share * product_j, alpha_j): all but one token of the item */
TLV_KERNEL float
without_one(size_t width, const float *restrict phi, const float *restrict parameters,
			const float *restrict alpha, const float *restrict product, float share)
{
	float lane[TLV_REGISTER_FLOATS] = {0};

	for (size_t b = 0; b < width; b += TLV_REGISTER_FLOATS)
		for (size_t l = 0; l < TLV_REGISTER_FLOATS; l++)
		{
			float rest = parameters[b + l] - share * product[b + l];

			rest = rest > alpha[b + l] ? rest : alpha[b + l];
			lane[l] += phi[b + l] * rest;
		}
	return tlv_lanes_sum(lane);
}

/* product = phi * weights, returns its sum */
TLV_KERNEL float
weigh(size_t width, const float *restrict phi, const float *restrict weights,
	  float *restrict product)
{
	float lane[TLV_REGISTER_FLOATS] = {0};

	for (size_t b = 0; b < width; b += TLV_REGISTER_FLOATS)
		for (size_t l = 0; l < TLV_REGISTER_FLOATS; l++)
		{
			product[b + l] = phi[b + l] * weights[b + l];
			lane[l] += product[b + l];
		}
	return tlv_lanes_sum(lane);
}

/*
 * Expected counts of n items given the weights in worker->theta; returns their log-likelihood.
 * worker->weights has the Dirichlet parameters, worker->row alpha, all in float.
 */
static TLV_CLONES double
collect(tlv_topic_worker *worker, size_t n, const int32_t *index, const double *count,
		double length, double *items)
{
	size_t width = worker->width;
	double likelihood = 0;

	for (size_t i = 0; i < n; i++)
	{
		const float *phi = tlv_topic_row(worker, index[i]);
		float sum = weigh(width, phi, worker->theta, worker->product) + FLT_MIN;
		double one = count[i] < 1 ? count[i] : 1;
		float rest = without_one(width, phi, worker->weights, worker->row, worker->product,
								 (float) one / sum);

		tlv_add_topic_row(worker->k, items + (size_t) index[i] * worker->k, worker->product,
						  count[i] / (double) sum);
		likelihood += count[i] * log((double) rest / (worker->alpha0 + length - one));
	}
	return likelihood;
}

static tlv_status
collect_document(tlv_context *ctx, tlv_topic_worker *worker, size_t n, const int32_t *index,
				 const double *count, double length, tlv_topic_statistics *statistics)
{
	size_t chunk = tlv_topic_chunk(worker);

	geometric_means(worker);
	for (size_t j = 0; j < worker->k; j++)
	{
		worker->weights[j] = (float) worker->totals[j];
		worker->row[j] = (float) worker->alpha[j];
	}
	for (size_t i = 0; i < n; i += chunk)
	{
		TLV_TRY_CONTINUE(ctx);
		statistics->log_likelihood += collect(worker, n - i < chunk ? n - i : chunk, index + i,
											  count + i, length, statistics->items);
	}
	if (statistics->alpha_gains != NULL)
		tlv_topic_alpha_expected(worker, statistics->alpha_gains);
	statistics->length_gain += tlv_topic_alpha_length(worker, length);
	statistics->documents++;
	statistics->tokens += length;
	return TLV_OK;
}

tlv_status
tlv_topic_variational(tlv_context *ctx, tlv_topic_worker *worker, size_t n, const int32_t *index,
					  const double *count, int steps, double tolerance,
					  tlv_topic_statistics *statistics)
{
	double length;

	if (steps < 1 || !(tolerance >= 0))
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"variational steps %d and tolerance %g must be at least 1 and 0", steps,
						tolerance);
	if (n == 0)
		return TLV_OK;
	TLV_TRY(tlv_topic_check_document(ctx, worker, n, index, count, false, &length));
	for (size_t j = 0; j < worker->k; j++)
		worker->totals[j] = worker->alpha[j] + length / (double) worker->k;
	for (int step = 0; step < steps; step++)
	{
		double change = 0;

		TLV_TRY(variational_step(ctx, worker, n, index, count, &change));
		if (change < tolerance)
			break;
	}
	return collect_document(ctx, worker, n, index, count, length, statistics);
}
