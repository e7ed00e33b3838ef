/*
 * worker.c - one row under given parameters (internal.h): posterior of its class, or its
 * membership, and what it adds to the expected counts.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/fast_math.h"
#include "tensorlv/num/numbers.h"

tlv_status
membership_worker_create(tlv_context *ctx, bool mixed, size_t k, size_t categories, size_t most,
						 membership_worker *worker)
{
	memset(worker, 0, sizeof(*worker));
	worker->mixed = mixed;
	worker->k = k;
	worker->most = most;
	worker->first = SIZE_MAX;
	worker->most_steps = MEMBERSHIP_MOST_STEPS;
	TLV_TRY_NEW_ROWS(ctx, worker->log_weights, k, 4);
	worker->shares = worker->log_weights + k;
	worker->product = worker->shares + k;
	worker->counts = worker->product + k;
	if (mixed)
	{
		TLV_TRY_NEW_ROWS(ctx, worker->given, most, k);
		TLV_TRY_NEW(ctx, worker->draws, most);
	}
	else
		TLV_TRY_NEW_ROWS(ctx, worker->logs, categories, k);
	return TLV_OK;
}

tlv_status
membership_worker_number(tlv_context *ctx, membership_worker *worker, size_t first,
						 const membership_numbers *numbers)
{
	size_t entries = numbers->q * worker->k;

	if (numbers->q == 0)
		return TLV_OK;
	worker->first = first;
	worker->numbers = numbers;
	TLV_TRY_NEW_ROWS(ctx, worker->terms, 3, entries);
	worker->densities = worker->terms + entries;
	worker->log_densities = worker->densities + entries;
	TLV_TRY_NEW(ctx, worker->x, 2 * numbers->q + worker->k);
	worker->largest = worker->x + numbers->q;
	worker->share = worker->largest + numbers->q;
	return TLV_OK;
}

/* What of the logarithm of a density follows from the parameters alone. */
static void
set_terms(membership_worker *worker)
{
	const membership_numbers *numbers = worker->numbers;

	for (size_t i = 0; numbers != NULL && i < numbers->q * numbers->k; i++)
		worker->terms[i] = numbers->counts[i / numbers->k]
							   ? log(numbers->mean[i])
							   : -log(2 * M_PI * numbers->variance[i]) / 2;
}

int32_t
membership_worker_take(membership_worker *worker, size_t s, double x)
{
	const membership_numbers *numbers = worker->numbers;
	size_t k = worker->k;
	const double *mean = numbers->mean + s * k, *variance = numbers->variance + s * k;
	const double *terms = worker->terms + s * k;
	double *logs = worker->log_densities + s * k, *own = worker->densities + s * k;
	double constant = numbers->counts[s] ? lgamma(x + 1) : 0, largest = -HUGE_VAL;

	worker->x[s] = x;
	for (size_t h = 0; h < k; h++)
	{
		double beyond = x - mean[h];

		logs[h] = numbers->counts[s] ? x * terms[h] - mean[h] - constant
									 : terms[h] - beyond * beyond / (2 * variance[h]);
		largest = fmax(largest, logs[h]);
	}
	for (size_t h = 0; h < k; h++)
		own[h] = exp(logs[h] - largest);
	worker->largest[s] = largest;
	return (int32_t) (worker->first + s);
}

void
membership_worker_free(tlv_context *ctx, membership_worker *worker)
{
	tlv_free(ctx, worker->x);
	tlv_free(ctx, worker->terms);
	tlv_free(ctx, worker->draws);
	tlv_free(ctx, worker->given);
	tlv_free(ctx, worker->logs);
	tlv_free(ctx, worker->log_weights);
}

tlv_status
membership_worker_set(tlv_context *ctx, membership_worker *worker, size_t categories,
					  const double *weights, const double *table)
{
	worker->weights = weights;
	worker->table = table;
	for (size_t h = 0; h < worker->k; h++)
		worker->log_weights[h] = log(weights[h]);
	for (size_t i = 0; !worker->mixed && i < categories * worker->k; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		worker->logs[i] = log(table[i]);
	}
	set_terms(worker);
	return TLV_OK;
}

/* ---- classes ---- */

TLV_CLONES static double
infer_class(const membership_worker *worker, size_t n, const int32_t *items,
			double *restrict shares)
{
	size_t k = worker->k, first = worker->first;
	const double *restrict log_weights = worker->log_weights, *restrict logs = worker->logs;
	double largest, sum;

	for (size_t h = 0; h < k; h++)
		shares[h] = log_weights[h];
	for (size_t i = 0; i < n; i++)
	{
		size_t at = (size_t) items[i];
		const double *own = at < first ? logs + at * k : worker->log_densities + (at - first) * k;

		for (size_t h = 0; h < k; h++)
			shares[h] += own[h];
	}
	largest = shares[0];
	for (size_t h = 1; h < k; h++)
		largest = shares[h] > largest ? shares[h] : largest;
	sum = shares[0] = tlv_exp_nonpositive(shares[0] - largest);
	for (size_t h = 1; h < k; h++)
		sum += shares[h] = tlv_exp_nonpositive(shares[h] - largest);
	for (size_t h = 0; h < k; h++)
		shares[h] /= sum;
	return largest + log(sum);
}

/* ---- mixed membership ---- */

/* ln sum_h shares_h theta_h of every item. */
static double
mixed_likelihood(const membership_worker *worker, size_t n, const int32_t *items)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
	{
		const double *own = membership_item(worker, items[i]);
		double p = 0;

		for (size_t h = 0; h < worker->k; h++)
			p += worker->shares[h] * own[h];
		sum += log(fmax(p, TLV_LEAST_PROBABILITY));
		if ((size_t) items[i] >= worker->first)
			sum += worker->largest[(size_t) items[i] - worker->first];
	}
	return sum;
}

/*
 * The mean membership by fixed points of the collapsed posterior (Asuncion, Welling, Smyth, Teh
 * 2009): an item's shares follow from the counts of the others.
 */
TLV_CLONES static double
collapsed_step(const membership_worker *worker, size_t n, const int32_t *items,
			   double *restrict counts, double *restrict given, double *restrict product)
{
	const double *restrict alpha = worker->weights;
	size_t k = worker->k;
	double change = 0;

	for (size_t i = 0; i < n; i++)
	{
		const double *own = membership_item(worker, items[i]);
		double *share = given + i * k, sum = 0;

		for (size_t h = 0; h < k; h++)
			sum += product[h] = own[h] * (alpha[h] + counts[h] - share[h]) + TLV_TINY;
		sum = 1 / sum;
		for (size_t h = 0; h < k; h++)
		{
			double next = product[h] * sum, moved = next - share[h];

			counts[h] += moved;
			share[h] = next;
			change += moved * moved;
		}
	}
	return change;
}

/* Shares of the components in every item (given), and in all (counts), after at most so many
 * steps. */
static void
collapse_row(membership_worker *worker, size_t n, const int32_t *items, int steps)
{
	size_t k = worker->k;

	for (size_t h = 0; h < k; h++)
		worker->counts[h] = (double) n / (double) k;
	for (size_t i = 0; i < n * k; i++)
		worker->given[i] = 1 / (double) k;
	for (int step = 0; step < steps; step++)
		if (collapsed_step(worker, n, items, worker->counts, worker->given, worker->product) <
			MEMBERSHIP_WORKER_SETTLED * (double) n)
			break;
}

static double
infer_mixed(membership_worker *worker, size_t n, const int32_t *items)
{
	size_t k = worker->k;
	double total = 0;

	collapse_row(worker, n, items, worker->most_steps);
	for (size_t h = 0; h < k; h++)
		total += worker->shares[h] = fmax(worker->weights[h] + worker->counts[h], 0);
	for (size_t h = 0; h < k; h++)
		worker->shares[h] /= total;
	return mixed_likelihood(worker, n, items);
}

double
membership_infer(membership_worker *worker, size_t n, const int32_t *items)
{
	if (worker->mixed)
		return infer_mixed(worker, n, items);
	return infer_class(worker, n, items, worker->shares);
}

/* ---- expected counts ---- */

/* Adds an item's shares of the components. */
static void
add_share(const membership_worker *worker, int32_t item, const double *share, double *counts)
{
	size_t k = worker->k, at = (size_t) item, s = at - worker->first;

	if (at < worker->first)
		for (size_t h = 0; h < k; h++)
			counts[at * k + h] += share[h];
	else
		membership_number_add(worker->numbers, s, worker->x[s], share,
							  counts + (worker->first + MEMBERSHIP_NUMBER_SUMS * s) * k);
}

static void
expect_class(membership_worker *worker, size_t n, const int32_t *items, double weight,
			 membership_sums *sums)
{
	size_t k = worker->k;

	sums->log_likelihood += weight * membership_infer(worker, n, items);
	for (size_t h = 0; worker->entropies && h < k; h++)
		sums->entropy -= worker->shares[h] > 0 ? worker->shares[h] * log(worker->shares[h]) : 0;
	for (size_t h = 0; h < k; h++)
		sums->weights[h] += worker->shares[h] *= weight;
	for (size_t i = 0; i < n; i++)
		add_share(worker, items[i], worker->shares, sums->counts);
}

/* The component at u of the cumulative product. */
static size_t
drawn_component(size_t k, const double *product, double u)
{
	size_t h = 0;

	while (h + 1 < k && u >= product[h])
		u -= product[h++];
	return h;
}

/* Of counts that were kept: the mean membership. */
static void
kept_shares(membership_worker *worker, size_t n)
{
	double total = (double) n;

	for (size_t h = 0; h < worker->k; h++)
		total += worker->weights[h];
	for (size_t h = 0; h < worker->k; h++)
		worker->shares[h] = (worker->shares[h] + worker->weights[h]) / total;
}

/* Adds the conditional distribution of an item, which is product over its sum. */
static void
keep_item(size_t k, const double *product, double sum, double *counts, double *mean)
{
	double scale = 1 / (sum * KEEP);

	for (size_t h = 0; h < k; h++)
	{
		double share = product[h] * scale;

		counts[h] += share;
		mean[h] += share;
	}
}

/* The same of a number. */
static void
keep_number(const membership_worker *worker, int32_t item, double sum, double *counts)
{
	for (size_t h = 0; h < worker->k; h++)
	{
		worker->share[h] = worker->product[h] / (sum * KEEP);
		worker->shares[h] += worker->share[h];
	}
	add_share(worker, item, worker->share, counts);
}

/* First draws of a chain: from the shares that some steps of the collapsed posterior give. */
static void
begin_chain(membership_worker *worker, size_t n, const int32_t *items, uint8_t *draws, tlv_rng *rng)
{
	size_t k = worker->k;

	collapse_row(worker, n, items, BEGIN_STEPS);
	memset(worker->counts, 0, k * sizeof(double));
	for (size_t i = 0; i < n; i++)
	{
		draws[i] = (uint8_t) drawn_component(k, worker->given + i * k, tlv_rng_uniform(rng));
		worker->counts[draws[i]]++;
	}
}

/* One sweep; draws: of the items, taken out of the counts before they are drawn again. */
TLV_CLONES static void
mixed_sweep(membership_worker *worker, size_t n, const int32_t *items, bool kept, uint8_t *draws,
			tlv_rng *rng, membership_sums *sums)
{
	size_t k = worker->k;
	double *counts = worker->counts, *product = worker->product;

	for (size_t i = 0; i < n; i++)
	{
		const double *own = membership_item(worker, items[i]);
		double sum = 0;

		counts[draws[i]]--;
		for (size_t h = 0; h < k; h++)
			sum += product[h] = own[h] * (worker->weights[h] + counts[h]) + TLV_TINY;
		if (kept && (size_t) items[i] >= worker->first)
			keep_number(worker, items[i], sum, sums->counts);
		else if (kept)
			keep_item(k, product, sum, sums->counts + (size_t) items[i] * k, worker->shares);
		draws[i] = (uint8_t) drawn_component(k, product, tlv_rng_uniform(rng) * sum);
		counts[draws[i]]++;
	}
}

/*
 * A chain over the components of the items, theta and alpha given: kept sweeps add the whole
 * conditional distribution, not the draw.  A chain that goes on has its last draws in chain.
 */
static void
expect_mixed(membership_worker *worker, size_t n, const int32_t *items, uint64_t seed,
			 const membership_chain *chain, membership_sums *sums)
{
	size_t k = worker->k;
	bool on = chain != NULL && chain->begun;
	uint8_t *draws = chain != NULL ? chain->draws : worker->draws;
	int burn = on ? BURN_ON : BURN;
	tlv_rng rng;

	tlv_rng_seed(&rng, seed);
	memset(worker->counts, 0, k * sizeof(double));
	memset(worker->shares, 0, k * sizeof(double));
	for (size_t i = 0; i < n && on; i++)
		worker->counts[draws[i]]++;
	if (!on)
		begin_chain(worker, n, items, draws, &rng);
	for (int sweep = 0; sweep < burn + KEEP; sweep++)
		mixed_sweep(worker, n, items, sweep >= burn, draws, &rng, sums);
	for (size_t h = 0; h < k && n > 0; h++)
		sums->weights[h] += worker->shares[h] / (double) n;
	kept_shares(worker, n);
	if (!worker->silent)
		sums->log_likelihood += mixed_likelihood(worker, n, items);
}

void
membership_expect(membership_worker *worker, size_t n, const int32_t *items, double weight,
				  uint64_t seed, const membership_chain *chain, membership_sums *sums)
{
	sums->rows += weight;
	if (worker->mixed)
		expect_mixed(worker, n, items, seed, chain, sums);
	else
		expect_class(worker, n, items, weight, sums);
}

/* ---- maximisation ---- */

/* Those of one variable: its categories from `first` on, to each of which `each` is added. */
static void
maximize_variable(double prior, double each, size_t first, size_t states, size_t k,
				  const double *counts, double *table)
{
	double all = 0;

	for (size_t i = first * k; i < (first + states) * k; i++)
		all += counts[i];
	for (size_t c = first; c < first + states; c++)
	{
		double share = 0;

		for (size_t h = 0; h < k; h++)
			share += counts[c * k + h];
		share = all > 0 ? share / all : 1 / (double) states;
		for (size_t h = 0; h < k; h++)
			table[c * k + h] = counts[c * k + h] + each + prior * share;
	}
	for (size_t h = 0; h < k; h++)
	{
		double sum = 0;

		for (size_t c = first; c < first + states; c++)
			sum += table[c * k + h];
		for (size_t c = first; c < first + states; c++)
			table[c * k + h] = fmax(table[c * k + h] / sum, TLV_LEAST_PROBABILITY);
	}
}

void
membership_maximize(bool mixed, double prior, double part, size_t p, const int64_t *states,
					size_t k, const membership_sums *sums, double *weights, double *table)
{
	double total = 0, each = part * MEMBERSHIP_COUNT;

	for (size_t j = 0, first = 0; j < p; first += (size_t) states[j++])
		maximize_variable(part * prior, each, first, (size_t) states[j], k, sums->counts, table);
	if (mixed)
		return;
	for (size_t h = 0; h < k; h++)
		total += weights[h] = sums->weights[h] + each;
	for (size_t h = 0; h < k; h++)
		weights[h] /= total;
}
