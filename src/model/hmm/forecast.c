/*
 * forecast.c - what follows a sequence under a hidden Markov model (hmm.h).
 */
#include <string.h>

#include "tensorlv/model/hmm.h"
#include "tensorlv/num/linalg.h"

void
tlv_hmm_forecast_states(const tlv_hmm_parts *model, const double *before, double *states)
{
	size_t k = model->k;

	memset(states, 0, k * sizeof(double));
	for (size_t from = 0; from < k; from++)
		for (size_t to = 0; to < k; to++)
			states[to] += before[from] * model->transitions[from * k + to];
}

/* Variance of a coordinate within a state. */
double
tlv_hmm_variance(const tlv_hmm_parts *model, size_t state, size_t i)
{
	return tlv_hmm_covariance(model, state, i, i);
}

double
tlv_hmm_covariance(const tlv_hmm_parts *model, size_t state, size_t a, size_t b)
{
	size_t n = tlv_mixture_variances(model->d, model->covariance);
	const double *own = model->variances + state * n;
	size_t last = a > b ? a : b, first = a > b ? b : a;
	double sum = 0;

	if (model->covariance != TLV_COVARIANCE_FULL)
		return a == b ? own[n == 1 ? 0 : a] : 0;
	for (size_t c = 0; c <= first; c++)
		sum += own[last * (last + 1) / 2 + c] * own[first * (first + 1) / 2 + c];
	return sum;
}

void
tlv_hmm_forecast_steps(const tlv_hmm_parts *model, const double *states, double *means,
					   double *variances)
{
	size_t k = model->k, d = model->d;

	for (size_t i = 0; i < d; i++)
	{
		double mean = 0, square = 0;

		for (size_t j = 0; j < k; j++)
			mean += states[j] * model->emissions[model->gaussian ? j * d + i : i * k + j];
		for (size_t j = 0; model->gaussian && j < k; j++)
		{
			double off = model->emissions[j * d + i] - mean;

			square += states[j] * (tlv_hmm_variance(model, j, i) + off * off);
		}
		means[i] = mean;
		if (model->gaussian)
			variances[i] = square;
	}
}
