/*
 * worker.c - inference for single documents: memberships, likelihood,
 * document completion (topics.h).
 *
 * The arithmetic is float: a model's phi is read k floats at a time, and its
 * rows should stay in the caches.  Rows are padded with zeros, so that every
 * inner loop runs over whole registers without a remainder.
 */
#include "worker.h"
#include "tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tensorlv/num/assert.h"
#include "tensorlv/num/special.h"
#include "tensorlv/num/numbers.h"
#include "tensorlv/num/tuning.h"

#define FLOAT_ROWS 4 /* theta, weights, product, row */

static size_t
padded(size_t k)
{
	return (k + TLV_REGISTER_FLOATS - 1) / TLV_REGISTER_FLOATS * TLV_REGISTER_FLOATS;
}

double
tlv_topic_worker_memory(const tlv_topics *topics)
{
	double width = (double) padded(topics->k);

	return sizeof(tlv_topic_worker) + ((double) topics->d + FLOAT_ROWS) * width * sizeof(float) +
		   2 * (double) topics->k * sizeof(double) + 2 * 64;
}

/* `rows` rows of width floats, zeroed, starting at a multiple of 64; *block is what to free. */
static tlv_status
aligned_rows(tlv_context *ctx, size_t rows, size_t width, void **block, float **first)
{
	uintptr_t address;

	if (rows > (SIZE_MAX - 64) / sizeof(float) / width)
		return tlv_fail(ctx, TLV_LIMIT, "a model of %zu items is too large", rows);
	*block = tlv_alloc0(ctx, rows * width * sizeof(float) + 64, 1);
	TLV_TRY_ALLOC(ctx, *block);
	address = ((uintptr_t) *block + 63) & ~(uintptr_t) 63;
	*first = (float *) address;
	return TLV_OK;
}

static tlv_status
worker_fill(tlv_context *ctx, const tlv_topics *topics, tlv_topic_worker *worker)
{
	size_t k = worker->k;
	size_t width = worker->width;

	TLV_TRY_NEW(ctx, worker->alpha, 2 * k);
	worker->digamma_alpha = worker->alpha + k;
	TLV_TRY_NEW0(ctx, worker->totals, k);
	TLV_TRY(aligned_rows(ctx, FLOAT_ROWS, width, &worker->float_block, &worker->theta));
	worker->weights = worker->theta + width;
	worker->product = worker->weights + width;
	worker->row = worker->product + width;
	TLV_TRY(aligned_rows(ctx, worker->d, width, &worker->phi_block, &worker->phi));
	for (size_t j = 0; j < k; j++)
	{
		double alpha = topics->alpha[j];

		if (!(alpha > 0 && alpha < HUGE_VAL))
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha of topic %zu is %g, not positive", j + 1,
							alpha);
		worker->alpha[j] = alpha;
		worker->alpha0 += alpha;
		worker->digamma_alpha[j] = tlv_digamma(alpha);
	}
	worker->digamma_alpha0 = tlv_digamma(worker->alpha0);
	for (size_t i = 0; i < worker->d; i++)
	{
		float *row = worker->phi + i * width;

		TLV_TRY_CONTINUE_AT(ctx, i);
		for (size_t j = 0; j < k; j++)
			row[j] = fmaxf((float) topics->phi[j + k * i], TLV_PHI_FLOOR);
	}
	return TLV_OK;
}

tlv_status
tlv_topic_worker_create(tlv_context *ctx, const tlv_topics *topics, tlv_topic_worker **worker)
{
	tlv_status status;

	*worker = NULL;
	if (topics->k == 0 || topics->k > TLV_TOPICS_MOST)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the number of topics is %zu, not 1 to %d",
						topics->k, TLV_TOPICS_MOST);
	TLV_TRY(tlv_require_memory(ctx, tlv_topic_worker_memory(topics), "topic inference"));
	TLV_TRY_NEW0(ctx, *worker, 1);
	(*worker)->k = topics->k;
	(*worker)->d = topics->d;
	(*worker)->width = padded(topics->k);
	status = worker_fill(ctx, topics, *worker);
	if (status != TLV_OK)
	{
		tlv_topic_worker_destroy(ctx, *worker);
		*worker = NULL;
	}
	return status;
}

void
tlv_topic_worker_destroy(tlv_context *ctx, tlv_topic_worker *worker)
{
	if (worker == NULL)
		return;
	for (int half = 0; half < 2; half++)
	{
		tlv_free(ctx, worker->half_index[half]);
		tlv_free(ctx, worker->half_count[half]);
	}
	tlv_free(ctx, worker->moved_at);
	tlv_free(ctx, worker->moved);
	tlv_free(ctx, worker->shares);
	tlv_free(ctx, worker->assignment);
	tlv_free(ctx, worker->phi_block);
	tlv_free(ctx, worker->float_block);
	tlv_free(ctx, worker->totals);
	tlv_free(ctx, worker->alpha);
	tlv_free(ctx, worker);
}

void *
tlv_topic_reserve(tlv_context *ctx, void *buffer, size_t *room, size_t count, size_t size)
{
	size_t target = count < 256 ? 256 : count + count / 2;

	if (count <= *room && buffer != NULL)
		return buffer;
	tlv_free(ctx, buffer);
	buffer = tlv_alloc(ctx, target, size);
	*room = buffer == NULL ? 0 : target;
	return buffer;
}

tlv_status
tlv_topic_check_document(tlv_context *ctx, const tlv_topic_worker *worker, size_t n,
						 const int32_t *index, const double *count, bool whole, double *tokens)
{
	const double largest_count = 0x1p53; /* larger integers are not exact in double */
	double sum = 0;

	for (size_t i = 0; i < n; i++)
	{
		if (index[i] < 0 || (size_t) index[i] >= worker->d)
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "item position %ld is not in a model of %zu",
							(long) index[i], worker->d);
		if (!(count[i] > 0 && count[i] <= largest_count))
			return tlv_fail(ctx, TLV_BAD_DATA, "count %g is not between 0 and 2^53", count[i]);
		if (whole && count[i] != floor(count[i]))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "count %g is not an integer", count[i]);
			return tlv_fail_hint(ctx,
								 "Sampling moves single tokens: scale the weights to integers.");
		}
		sum += count[i];
	}
	if (tokens != NULL)
		*tokens = sum;
	return TLV_OK;
}

/* weights . phi, one partial sum per lane */
TLV_KERNEL float
dot(size_t width, const float *restrict phi, const float *restrict weights)
{
	float lane[TLV_REGISTER_FLOATS] = {0};

	for (size_t b = 0; b < width; b += TLV_REGISTER_FLOATS)
		for (size_t l = 0; l < TLV_REGISTER_FLOATS; l++)
			lane[l] += phi[b + l] * weights[b + l];
	return tlv_lanes_sum(lane);
}

/* sums += factor_0 phi_0 + .. + factor_3 phi_3 */
TLV_KERNEL void
add_four(size_t width, const float *const *phi, const float *factor, float *restrict sums)
{
	const float *restrict first = phi[0];
	const float *restrict second = phi[1];
	const float *restrict third = phi[2];
	const float *restrict fourth = phi[3];

	for (size_t b = 0; b < width; b += TLV_REGISTER_FLOATS)
		for (size_t l = 0; l < TLV_REGISTER_FLOATS; l++)
			sums[b + l] += (factor[0] * first[b + l] + factor[1] * second[b + l]) +
						   (factor[2] * third[b + l] + factor[3] * fourth[b + l]);
}

/*
 * sums_j += count / (sum_l weights_l phi_l) * phi_j over items; weights and sums have width floats.
 * Four items at a time: the sums are read and written once for all of them.
 */
TLV_CLONES static void
responsibilities(const tlv_topic_worker *worker, size_t n, const int32_t *index,
				 const double *count, const float *weights, float *sums)
{
	size_t width = worker->width;

	tlv_assert(tlv_all_within(n, index, worker->d));
	for (size_t i = 0; i < n; i += 4)
	{
		const float *phi[4];
		float factor[4];

		for (size_t a = 0; a < 4; a++)
		{
			size_t item = i + a < n ? i + a : i;

			phi[a] = tlv_topic_row(worker, index[item]);
			factor[a] = i + a < n ? (float) count[item] : 0;
			factor[a] /= dot(width, phi[a], weights) + FLT_MIN;
		}
		add_four(width, phi, factor, sums);
	}
}

tlv_status
tlv_topic_add_up(tlv_context *ctx, tlv_topic_worker *worker, size_t n, const int32_t *index,
				 const double *count)
{
	size_t chunk = tlv_topic_chunk(worker);

	memset(worker->row, 0, worker->width * sizeof(float));
	for (size_t i = 0; i < n; i += chunk)
	{
		TLV_TRY_CONTINUE(ctx);
		responsibilities(worker, n - i < chunk ? n - i : chunk, index + i, count + i, worker->theta,
						 worker->row);
	}
	return TLV_OK;
}

/* One step; *change gets the largest move of an entry. */
static tlv_status
fixed_point_step(tlv_context *ctx, tlv_topic_worker *worker, size_t n, const int32_t *index,
				 const double *count, double *change)
{
	size_t k = worker->k;
	double sum = 0;

	TLV_TRY(tlv_topic_add_up(ctx, worker, n, index, count));
	for (size_t j = 0; j < k; j++)
	{
		worker->totals[j] = worker->alpha[j] + (double) worker->theta[j] * (double) worker->row[j];
		sum += worker->totals[j];
	}
	tlv_assert(sum > 0);
	*change = 0;
	for (size_t j = 0; j < k; j++)
	{
		float next = (float) (worker->totals[j] / sum);

		*change = fmax(*change, fabs((double) next - (double) worker->theta[j]));
		worker->theta[j] = next;
	}
	return TLV_OK;
}

tlv_status
tlv_topic_fixed_point(tlv_context *ctx, tlv_topic_worker *worker, size_t n, const int32_t *index,
					  const double *count, int steps, double tolerance)
{
	for (size_t j = 0; j < worker->k; j++)
		worker->theta[j] = (float) (1.0 / (double) worker->k);
	for (int step = 0; step < steps; step++)
	{
		double change = 0;

		TLV_TRY(fixed_point_step(ctx, worker, n, index, count, &change));
		if (change < tolerance)
			break;
	}
	return TLV_OK;
}

tlv_status
tlv_topic_infer(tlv_context *ctx, tlv_topic_worker *worker, size_t n, const int32_t *index,
				const double *count, double *theta)
{
	double sum = 0;

	if (n == 0)
	{
		for (size_t j = 0; j < worker->k; j++)
			theta[j] = worker->alpha[j] / worker->alpha0;
		return TLV_OK;
	}
	TLV_TRY(tlv_topic_check_document(ctx, worker, n, index, count, false, NULL));
	TLV_TRY(tlv_topic_fixed_point(ctx, worker, n, index, count, TLV_INFER_STEPS,
								  TLV_TOPIC_INFER_CHANGE));
	/* The last step's totals are theta before it was rounded to float. */
	for (size_t j = 0; j < worker->k; j++)
		sum += worker->totals[j];
	for (size_t j = 0; j < worker->k; j++)
		theta[j] = worker->totals[j] / sum;
	return TLV_OK;
}

/* sum_j weights_j phi_j of one item, in double. */
static double
item_mixture(const tlv_topic_worker *worker, int32_t index, const double *weights)
{
	const float *phi = tlv_topic_row(worker, index);
	double sum = 0;

	for (size_t j = 0; j < worker->k; j++)
		sum += weights[j] * (double) phi[j];
	return sum;
}

double
tlv_topic_log_likelihood(const tlv_topic_worker *worker, size_t n, const int32_t *index,
						 const double *count, const double *theta)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += count[i] * log(item_mixture(worker, index[i], theta));
	return sum;
}

/* Room for n items in both halves. */
static tlv_status
reserve_halves(tlv_context *ctx, tlv_topic_worker *worker, size_t n)
{
	for (int half = 0; half < 2; half++)
	{
		worker->half_index[half] = tlv_topic_reserve(
			ctx, worker->half_index[half], &worker->half_index_room[half], n, sizeof(int32_t));
		TLV_TRY_ALLOC(ctx, worker->half_index[half]);
		worker->half_count[half] = tlv_topic_reserve(
			ctx, worker->half_count[half], &worker->half_count_room[half], n, sizeof(double));
		TLV_TRY_ALLOC(ctx, worker->half_count[half]);
	}
	return TLV_OK;
}

/* worker->half_index and half_count: the tokens split by a fair coin; held gets the items of either
 * half.  Counts must be integers. */
static tlv_status
worker_halve(tlv_context *ctx, tlv_topic_worker *worker, size_t n, const int32_t *index,
			 const double *count, uint64_t seed, size_t held[2])
{
	tlv_rng rng;

	TLV_TRY(tlv_topic_check_document(ctx, worker, n, index, count, true, NULL));
	TLV_TRY(reserve_halves(ctx, worker, n));
	tlv_rng_seed(&rng, seed);
	held[0] = held[1] = 0;
	for (size_t i = 0; i < n; i++)
	{
		double observed = tlv_topic_binomial(&rng, count[i], 0.5);
		double part[2] = {observed, count[i] - observed};

		for (int half = 0; half < 2; half++)
			if (part[half] > 0)
			{
				worker->half_index[half][held[half]] = index[i];
				worker->half_count[half][held[half]++] = part[half];
			}
	}
	return TLV_OK;
}

tlv_status
tlv_topic_completion(tlv_context *ctx, tlv_topic_worker *worker, tlv_topic_logistic *logistic,
					 size_t n, const int32_t *index, const double *count, uint64_t seed,
					 double *log_likelihood, double *tokens)
{
	size_t held[2];

	TLV_TRY(worker_halve(ctx, worker, n, index, count, seed, held));
	if (logistic != NULL)
		TLV_TRY(tlv_topic_logistic_infer(ctx, logistic, worker, held[0], worker->half_index[0],
										 worker->half_count[0], worker->totals));
	else
		TLV_TRY(tlv_topic_fixed_point(ctx, worker, held[0], worker->half_index[0],
									  worker->half_count[0], TLV_INFER_STEPS,
									  TLV_TOPIC_INFER_CHANGE));
	for (size_t j = 0; logistic == NULL && j < worker->k; j++)
		worker->totals[j] = (double) worker->theta[j];
	*log_likelihood += tlv_topic_log_likelihood(worker, held[1], worker->half_index[1],
												worker->half_count[1], worker->totals);
	for (size_t i = 0; i < held[1]; i++)
		*tokens += worker->half_count[1][i];
	return TLV_OK;
}

/* Binomial(n, 1/2) for n <= 4096: a fair coin is one random bit. */
static double
fair_coins(tlv_rng *rng, int n)
{
	int heads = 0;

	for (; n > 0; n -= 64)
	{
		uint64_t bits = tlv_rng_next(rng);

		heads += __builtin_popcountll(n >= 64 ? bits : bits >> (64 - n));
	}
	return heads;
}

/* Inversion from zero upwards: O(n p) steps; n p must be small. */
static double
binomial_inversion(tlv_rng *rng, double n, double p)
{
	double ratio = p / (1 - p);
	double mass = exp(n * log1p(-p));
	double u = tlv_rng_uniform(rng);
	double x = 0;

	while (u > mass && x < n)
	{
		u -= mass;
		x++;
		mass *= ratio * (n - x + 1) / x;
		if (mass < TLV_TINY)
			break;
	}
	return x;
}

double
tlv_topic_binomial(tlv_rng *rng, double n, double p)
{
	double successes = 0;

	if (p == 0.5 && n <= 4096)
		return fair_coins(rng, (int) n);
	/*
	 * The median of n uniform numbers is a beta variate: all numbers on one side of it are
	 * decided by where p lies, and the other side is a binomial of half the size (Devroye 1986,
	 * X.4.3).
	 */
	while (n * fmin(p, 1 - p) > 16)
	{
		double middle = floor(n / 2) + 1;
		double low = tlv_rng_gamma(rng, middle);
		double median = low / (low + tlv_rng_gamma(rng, n + 1 - middle));

		if (median <= p)
		{
			successes += middle;
			n -= middle;
			p = (p - median) / (1 - median);
		}
		else
		{
			n = middle - 1;
			p /= median;
		}
	}
	if (n <= 0 || !(p > 0))
		return successes;
	if (p >= 1)
		return successes + n;
	if (p <= 0.5)
		return successes + binomial_inversion(rng, n, p);
	return successes + n - binomial_inversion(rng, n, 1 - p);
}
