/*
 * simulate.c - random models, and documents drawn from a model (topics.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/topics.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"

/* One random topic: gamma variates, normalised by the caller; *sum is their sum. */
static tlv_status
random_topic(tlv_context *ctx, size_t k, size_t d, size_t topic, double concentration, tlv_rng *rng,
			 double *phi, double *sum)
{
	*sum = 0;
	for (size_t i = 0; i < d; i++)
	{
		double x = tlv_rng_gamma(rng, concentration);

		TLV_TRY_CONTINUE_AT(ctx, i);
		phi[topic + k * i] = x;
		*sum += x;
	}
	/* All underflowed: the limit of small concentrations is a single item. */
	if (*sum <= 0)
	{
		phi[topic + k * (size_t) tlv_rng_below(rng, d)] = 1;
		*sum = 1;
	}
	return TLV_OK;
}

tlv_status
tlv_topic_random(tlv_context *ctx, size_t k, size_t d, double concentration, tlv_rng *rng,
				 double *phi)
{
	if (k == 0 || d == 0 || !(concentration > 0 && isfinite(concentration)))
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"random topics: %zu topics, %zu items, concentration %g", k, d,
						concentration);
	for (size_t j = 0; j < k; j++)
	{
		double sum;

		TLV_TRY(random_topic(ctx, k, d, j, concentration, rng, phi, &sum));
		for (size_t i = 0; i < d; i++)
			phi[j + k * i] /= sum;
	}
	return TLV_OK;
}

/* Alias tables: item i of topic j is kept with probability keep, else it becomes alias. */
struct tlv_topic_simulator
{
	size_t k;
	size_t d;
	double *alpha;	/* k */
	double *mean;	/* k, of correlated topics, k x k: the Cholesky factor of the covariance, k:
					 * scratch;   or NULL */
	double *keep;	/* topic by topic, d each */
	int32_t *alias; /* likewise */
};

/*
 * Vose's construction for one topic; `stack` has d entries: items below the mean from the bottom,
 * the others from the top.
 */
static void
build_alias(const double *phi, size_t k, size_t d, double sum, double *keep, int32_t *alias,
			int32_t *stack)
{
	size_t small = 0;
	size_t large = d;

	for (size_t i = 0; i < d; i++)
	{
		keep[i] = phi[k * i] / sum * (double) d;
		alias[i] = (int32_t) i;
		if (keep[i] < 1)
			stack[small++] = (int32_t) i;
		else
			stack[--large] = (int32_t) i;
	}
	while (small > 0 && large < d)
	{
		int32_t less = stack[--small];
		int32_t more = stack[large];

		alias[less] = more;
		keep[more] -= 1 - keep[less];
		if (keep[more] < 1)
		{
			large++;
			stack[small++] = more;
		}
	}
	/* What is left is 1 up to rounding. */
	while (small > 0)
		keep[stack[--small]] = 1;
	while (large < d)
		keep[stack[large++]] = 1;
}

static tlv_status
simulator_fill(tlv_context *ctx, const tlv_topics *topics, tlv_topic_simulator *simulator,
			   int32_t *stack)
{
	size_t k = topics->k;
	size_t d = topics->d;

	TLV_TRY_NEW(ctx, simulator->alpha, k);
	memcpy(simulator->alpha, topics->alpha, k * sizeof(double));
	TLV_TRY_NEW_ROWS(ctx, simulator->keep, d, k);
	simulator->alias = tlv_alloc(ctx, d, k * sizeof(int32_t));
	TLV_TRY_ALLOC(ctx, simulator->alias);
	for (size_t j = 0; j < k; j++)
	{
		double sum = 0;

		TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < d; i++)
			sum += topics->phi[j + k * i];
		if (!(sum > 0 && isfinite(sum)))
			return tlv_fail(ctx, TLV_BAD_DATA, "topic %zu is not a distribution", j + 1);
		build_alias(topics->phi + j, k, d, sum, simulator->keep + j * d, simulator->alias + j * d,
					stack);
	}
	return TLV_OK;
}

tlv_status
tlv_topic_simulator_create(tlv_context *ctx, const tlv_topics *topics,
						   tlv_topic_simulator **simulator)
{
	int32_t *stack;
	tlv_status status;

	*simulator = NULL;
	if (topics->k == 0 || topics->d == 0 || topics->d > INT32_MAX)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "cannot simulate %zu %s over %zu %s", topics->k,
						tlv_plural((double) topics->k, "topic", "topics"), topics->d,
						tlv_plural((double) topics->d, "item", "items"));
	TLV_TRY(tlv_require_memory(
		ctx, (double) topics->d * ((double) topics->k * 12 + 4) + 8 * (double) topics->k + 64,
		"the simulation"));
	TLV_TRY_NEW0(ctx, *simulator, 1);
	(*simulator)->k = topics->k;
	(*simulator)->d = topics->d;
	stack = tlv_alloc(ctx, topics->d, sizeof(int32_t));
	status = stack == NULL ? ctx->error.code : simulator_fill(ctx, topics, *simulator, stack);
	tlv_free(ctx, stack);
	if (status != TLV_OK)
	{
		tlv_topic_simulator_destroy(ctx, *simulator);
		*simulator = NULL;
	}
	return status;
}

void
tlv_topic_simulator_destroy(tlv_context *ctx, tlv_topic_simulator *simulator)
{
	if (simulator == NULL)
		return;
	tlv_free(ctx, simulator->alias);
	tlv_free(ctx, simulator->keep);
	tlv_free(ctx, simulator->mean);
	tlv_free(ctx, simulator->alpha);
	tlv_free(ctx, simulator);
}

tlv_status
tlv_topic_simulator_correlate(tlv_context *ctx, tlv_topic_simulator *simulator,
							  const tlv_logistic_normal *normal)
{
	size_t k = simulator->k;

	TLV_TRY_NEW_ROWS(ctx, simulator->mean, k, k + 2);
	memcpy(simulator->mean, normal->mean, k * sizeof(double));
	memcpy(simulator->mean + k, normal->covariance, k * k * sizeof(double));
	return tlv_cholesky(ctx, k, simulator->mean + k);
}

/* The softmax of mean + factor z. */
static void
draw_correlated(const tlv_topic_simulator *simulator, tlv_rng *rng, double *theta)
{
	size_t k = simulator->k;
	const double *factor = simulator->mean + k;
	double largest = -HUGE_VAL, sum = 0, *z = simulator->mean + k + k * k;

	for (size_t j = 0; j < k; j++)
	{
		z[j] = tlv_rng_normal(rng);
		theta[j] = simulator->mean[j];
		for (size_t l = 0; l <= j; l++)
			theta[j] += factor[j + l * k] * z[l];
		largest = fmax(largest, theta[j]);
	}
	for (size_t j = 0; j < k; j++)
		sum += theta[j] = exp(theta[j] - largest);
	for (size_t j = 0; j < k; j++)
		theta[j] /= sum;
}

static int32_t
topic_draw_item(const tlv_topic_simulator *simulator, size_t topic, tlv_rng *rng)
{
	size_t item = (size_t) tlv_rng_below(rng, simulator->d);
	size_t entry = topic * simulator->d + item;

	return tlv_rng_uniform(rng) < simulator->keep[entry] ? (int32_t) item : simulator->alias[entry];
}

static size_t
draw_topic(size_t k, const double *theta, tlv_rng *rng)
{
	double u = tlv_rng_uniform(rng);
	size_t j = 0;

	while (j + 1 < k && u >= theta[j])
		u -= theta[j++];
	return j;
}

/* Shell sort with Ciura's gaps: in place, and a document is short. */
static tlv_status
sort_items(tlv_context *ctx, size_t n, int32_t *items)
{
	static const size_t gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
	size_t gap = n;

	for (size_t g = 0; gap > 1;)
	{
		gap = gap > 3950 ? (size_t) ((double) gap / 2.25) : gaps[g++];
		for (size_t i = gap; i < n; i++)
		{
			int32_t item = items[i];
			size_t at = i;

			TLV_TRY_CONTINUE_AT(ctx, i);
			for (; at >= gap && items[at - gap] > item; at -= gap)
				items[at] = items[at - gap];
			items[at] = item;
		}
	}
	return TLV_OK;
}

tlv_status
tlv_topic_simulate(tlv_context *ctx, tlv_topic_simulator *simulator, tlv_rng *rng, size_t length,
				   double *theta, size_t *n, int32_t *index, double *count)
{
	if (simulator->mean != NULL)
		draw_correlated(simulator, rng, theta);
	else
		tlv_rng_dirichlet(rng, simulator->k, simulator->alpha, theta);
	for (size_t t = 0; t < length; t++)
	{
		TLV_TRY_CONTINUE_AT(ctx, t);
		index[t] = topic_draw_item(simulator, draw_topic(simulator->k, theta, rng), rng);
	}
	TLV_TRY(sort_items(ctx, length, index));
	*n = 0;
	for (size_t t = 0; t < length; t++)
		if (*n > 0 && index[*n - 1] == index[t])
			count[*n - 1]++;
		else
		{
			index[*n] = index[t];
			count[(*n)++] = 1;
		}
	return TLV_OK;
}
