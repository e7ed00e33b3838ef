/*
 * keep.c - what a model expects of steps of its own, added to what a pass has summed up: a step of
 * refinement then keeps part of the old model (internal.h).
 */
#include "internal.h"

static double
total_of(size_t n, const double *x)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

/* The square of coordinates i and c about the mean of state j; of all, spherical. */
static double
expected_square(const tlv_hmm_parts *model, size_t j, size_t i, size_t c)
{
	double sum = 0;

	if (model->covariance >= TLV_COVARIANCE_DIAGONAL)
		return tlv_hmm_covariance(model, j, i, c);
	for (size_t e = 0; e < model->d; e++)
		sum += tlv_hmm_variance(model, j, e);
	return sum;
}

/* Squares of a state as they lie: k x one, coordinates, or pairs of coordinates. */
static void
keep_squares(const tlv_hmm_parts *model, size_t j, double weight, double kept, double *squares)
{
	size_t k = model->k, d = model->covariance < TLV_COVARIANCE_DIAGONAL ? 1 : model->d, e = 0;
	bool full = model->covariance == TLV_COVARIANCE_FULL;

	for (size_t i = 0; i < d; i++)
		for (size_t c = full ? 0 : i; c <= i; c++, e++)
			squares[e * k + j] =
				weight * squares[e * k + j] + kept * expected_square(model, j, i, c);
}

static void
keep_emissions(const tlv_hmm_parts *model, const double *stationary, double weight,
			   tlv_hmm_sums *sums)
{
	size_t k = model->k, d = model->d;
	double steps = model->gaussian ? total_of(k, sums->weights) : total_of(k * d, sums->emissions);

	for (size_t j = 0; j < k; j++)
	{
		double kept = (1 - weight) * steps * stationary[j];

		for (size_t i = 0; i < d && !model->gaussian; i++)
			sums->emissions[i * k + j] =
				weight * sums->emissions[i * k + j] + kept * model->emissions[i * k + j];
		if (!model->gaussian)
			continue;
		sums->weights[j] = weight * sums->weights[j] + kept;
		for (size_t i = 0; i < d; i++)
			sums->deviations[i * k + j] *= weight;
		keep_squares(model, j, weight, kept, sums->squares);
	}
}

void
tlv_hmm_keep(const tlv_hmm_parts *model, const double *stationary, double weight,
			 tlv_hmm_sums *sums)
{
	size_t k = model->k;
	double first = total_of(k, sums->initial), pairs = total_of(k * k, sums->pairs);

	for (size_t j = 0; j < k; j++)
	{
		sums->initial[j] = weight * sums->initial[j] + (1 - weight) * first * model->initial[j];
		for (size_t to = 0; to < k; to++)
			sums->pairs[j * k + to] =
				weight * sums->pairs[j * k + to] +
				(1 - weight) * pairs * stationary[j] * model->transitions[j * k + to];
	}
	keep_emissions(model, stationary, weight, sums);
}
