/*
 * keep.c - what a model expects of steps of its own, added to what a pass has summed up: a step of
 * refinement then keeps part of the old model (internal.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"

static double
hmm_total_of(size_t n, const double *x)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

/* Powers of the transition probabilities, as k x k matrices from the left. */
typedef struct chain_powers
{
	double *power; /* of n steps */
	double *sum;   /* of the powers of 0 to n - 1 steps */
	double *room;
} chain_powers;

static void
hmm_swap(double **a, double **b)
{
	double *c = *a;

	*a = *b;
	*b = c;
}

/* From n steps to 2 n. */
static tlv_status
double_powers(tlv_context *ctx, size_t k, chain_powers *powers)
{
	memcpy(powers->room, powers->sum, k * k * sizeof(double));
	TLV_TRY(tlv_gemm(ctx, false, false, k, k, k, 1, powers->sum, k, powers->power, k, 1,
					 powers->room, k));
	hmm_swap(&powers->sum, &powers->room);
	TLV_TRY(tlv_gemm(ctx, false, false, k, k, k, 1, powers->power, k, powers->power, k, 0,
					 powers->room, k));
	hmm_swap(&powers->power, &powers->room);
	return TLV_OK;
}

/*
 * The part of its first steps that the chain is expected to spend in each state: states that it
 * leaves for good, as one from left to right does, have no stationary probability.
 */
static tlv_status
expect_occupancy(tlv_context *ctx, const tlv_hmm_parts *model, uint64_t steps, double *occupancy)
{
	size_t k = model->k;
	double *now, *next;
	chain_powers powers;

	TLV_TRY_NEW_ROWS(ctx, now, k, 2 + 3 * k);
	next = now + k;
	powers = (chain_powers){next + k, next + k + k * k, next + k + 2 * k * k};
	memcpy(now, model->initial, k * sizeof(double));
	memcpy(powers.power, model->transitions, k * k * sizeof(double));
	for (size_t i = 0; i < k * k; i++)
		powers.sum[i] = i % (k + 1) == 0;
	memset(occupancy, 0, k * sizeof(double));
	for (uint64_t left = steps; left > 0; left /= 2)
	{
		TLV_TRY_CONTINUE(ctx);
		if (left % 2 == 1)
		{
			TLV_TRY(tlv_gemm(ctx, false, false, k, 1, k, 1 / (double) steps, powers.sum, k, now, k,
							 1, occupancy, k));
			TLV_TRY(tlv_gemm(ctx, false, false, k, 1, k, 1, powers.power, k, now, k, 0, next, k));
			memcpy(now, next, k * sizeof(double));
		}
		if (left > 1)
			TLV_TRY(double_powers(ctx, k, &powers));
	}
	tlv_free(ctx, now);
	return TLV_OK;
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
keep_emissions(const tlv_hmm_parts *model, const double *occupancy, double steps, double weight,
			   tlv_hmm_sums *sums)
{
	size_t k = model->k, d = model->d;

	for (size_t j = 0; j < k; j++)
	{
		double kept = (1 - weight) * steps * occupancy[j];

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

tlv_status
tlv_hmm_keep(tlv_context *ctx, const tlv_hmm_parts *model, double weight, tlv_hmm_sums *sums)
{
	/* Sequences are no longer. */
	const double most_steps = 1e15;
	size_t k = model->k;
	double first = hmm_total_of(k, sums->initial), pairs = hmm_total_of(k * k, sums->pairs);
	double steps = model->gaussian ? hmm_total_of(k, sums->weights)
								   : hmm_total_of(k * model->d, sums->emissions);
	double length = fmin(fmax(rint(steps / fmax(first, 1)), 1), most_steps), *occupancy;

	TLV_TRY_NEW(ctx, occupancy, k);
	TLV_TRY(expect_occupancy(ctx, model, (uint64_t) fmax(length - 1, 1), occupancy));
	for (size_t j = 0; j < k; j++)
	{
		sums->initial[j] = weight * sums->initial[j] + (1 - weight) * first * model->initial[j];
		for (size_t to = 0; to < k; to++)
			sums->pairs[j * k + to] =
				weight * sums->pairs[j * k + to] +
				(1 - weight) * pairs * occupancy[j] * model->transitions[j * k + to];
	}
	TLV_TRY(expect_occupancy(ctx, model, (uint64_t) length, occupancy));
	keep_emissions(model, occupancy, steps, weight, sums);
	tlv_free(ctx, occupancy);
	return TLV_OK;
}
