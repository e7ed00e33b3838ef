/*
 * alpha.c - re-estimation of the Dirichlet parameters in the M step, from sums over documents of
 * the topic counts that Gibbs sampling draws (topics.h; Minka 2000, "Estimating a Dirichlet
 * distribution", equation 55).
 */
#include "worker.h"
#include "tuning.h"

#include <math.h>

#include "tensorlv/num/special.h"

/* digamma(alpha + n) - digamma(alpha) = sum of 1 / (alpha + i), i < n */
static double
digamma_gain(double alpha, double digamma_alpha, double n)
{
	/* Up to this many terms the sum is cheaper than a digamma function. */
	const int short_sum = 8;
	double sum = 0;

	if (n > short_sum)
		return tlv_digamma(alpha + n) - digamma_alpha;
	for (int i = 0; i < (int) n; i++)
		sum += 1 / (alpha + i);
	return sum;
}

void
tlv_topic_alpha_add(const tlv_topic_worker *worker, double scale, double *gains)
{
	for (size_t j = 0; j < worker->k; j++)
		if (worker->totals[j] > 0)
			gains[j] +=
				scale * digamma_gain(worker->alpha[j], worker->digamma_alpha[j], worker->totals[j]);
}

double
tlv_topic_alpha_length(const tlv_topic_worker *worker, double tokens)
{
	return digamma_gain(worker->alpha0, worker->digamma_alpha0, tokens);
}

void
tlv_topic_maximize_alpha(size_t k, const double *gains, double length_gain, double *alpha)
{
	double sum = 0;

	if (!(length_gain > 0))
		return;
	for (size_t j = 0; j < k; j++)
	{
		alpha[j] *= gains[j] / length_gain;
		sum += alpha[j];
	}
	for (size_t j = 0; j < k; j++)
		alpha[j] = fmax(alpha[j], LEAST_RELATIVE_ALPHA * sum / (double) k);
}
