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
#include "tensorlv/num/tuning.h"

size_t
membership_kept(const membership_worker *worker)
{
	return worker->mixed ? KEEP * worker->most * worker->k : 0;
}

/* Work space of the chain of a row. */
static tlv_status
create_chain(tlv_context *ctx, membership_worker *worker)
{
	TLV_TRY_NEW_ROWS(ctx, worker->given, worker->most, worker->k);
	TLV_TRY_NEW(ctx, worker->draws, worker->most);
	return TLV_OK;
}

/* That of numbers. */
static tlv_status
create_densities(tlv_context *ctx, membership_worker *worker)
{
	size_t q = worker->numbers->q, entries = q * worker->k;

	TLV_TRY_NEW_ROWS(ctx, worker->densities, 2, entries);
	worker->log_densities = worker->densities + entries;
	TLV_TRY_NEW(ctx, worker->x, 2 * q);
	worker->largest = worker->x + q;
	return TLV_OK;
}

tlv_status
membership_worker_create(tlv_context *ctx, bool mixed, size_t k, size_t categories, size_t most,
						 membership_worker *worker)
{
	memset(worker, 0, sizeof(*worker));
	worker->mixed = mixed;
	worker->k = k;
	worker->most = most;
	worker->first = SIZE_MAX;
	worker->most_steps = TLV_INFER_STEPS;
	TLV_TRY_NEW_ROWS(ctx, worker->log_weights, k, 5);
	worker->shares = worker->log_weights + k;
	worker->product = worker->shares + k;
	worker->counts = worker->product + k;
	worker->row_weights = worker->counts + k;
	if (!mixed)
	{
		TLV_TRY_NEW_ROWS(ctx, worker->logs, categories, k);
		return TLV_OK;
	}
	TLV_TRY_NEW(ctx, worker->kept, membership_kept(worker));
	return create_chain(ctx, worker);
}

tlv_status
membership_worker_number(tlv_context *ctx, membership_worker *worker, size_t first,
						 const membership_numbers *numbers)
{
	if (numbers->q == 0)
		return TLV_OK;
	worker->first = first;
	worker->numbers = numbers;
	TLV_TRY_NEW_ROWS(ctx, worker->coefficients, 3 * numbers->q, worker->k);
	return create_densities(ctx, worker);
}

tlv_status
membership_worker_second(tlv_context *ctx, const membership_worker *first,
						 membership_worker *worker)
{
	/* lines of the cache, of which two workers share none that is written to */
	size_t wide =
		(first->k + TLV_REGISTER_DOUBLES - 1) / TLV_REGISTER_DOUBLES * TLV_REGISTER_DOUBLES;

	*worker = *first;
	TLV_TRY_NEW_ROWS(ctx, worker->shares, wide, 3);
	worker->product = worker->shares + wide;
	worker->counts = worker->product + wide;
	if (worker->mixed)
		TLV_TRY(create_chain(ctx, worker));
	return worker->numbers != NULL ? create_densities(ctx, worker) : TLV_OK;
}

void
membership_worker_free_second(tlv_context *ctx, membership_worker *worker)
{
	tlv_free(ctx, worker->x);
	tlv_free(ctx, worker->densities);
	tlv_free(ctx, worker->draws);
	tlv_free(ctx, worker->given);
	tlv_free(ctx, worker->shares);
}

/* What of the logarithm of a density follows from the parameters alone. */
static void
set_coefficients(membership_worker *worker)
{
	const membership_numbers *numbers = worker->numbers;
	size_t k = worker->k;

	for (size_t i = 0; numbers != NULL && i < numbers->q * k; i++)
	{
		size_t s = i / k;
		double *to = worker->coefficients + 3 * s * k + i % k, c[3];

		membership_number_form(numbers->form[s])
			->coefficients(&numbers->scale[s], numbers->mean[i], numbers->variance[i], c);
		for (int j = 0; j < 3; j++)
			to[(size_t) j * k] = c[j];
	}
}

int32_t
membership_worker_take(membership_worker *worker, size_t s, double x)
{
	const membership_numbers *numbers = worker->numbers;
	size_t k = worker->k;
	const double *c = worker->coefficients + 3 * s * k;
	double *logs = worker->log_densities + s * k, *own = worker->densities + s * k;
	double t[2], largest = -HUGE_VAL;
	double base = membership_number_form(numbers->form[s])->statistics(&numbers->scale[s], x, t);

	worker->x[s] = x;
	for (size_t h = 0; h < k; h++)
	{
		logs[h] = base + c[h] + c[k + h] * t[0] + c[2 * k + h] * t[1];
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
	tlv_free(ctx, worker->densities);
	tlv_free(ctx, worker->coefficients);
	tlv_free(ctx, worker->draws);
	tlv_free(ctx, worker->given);
	tlv_free(ctx, worker->kept);
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
	set_coefficients(worker);
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
			MEMBERSHIP_SETTLED * (double) n)
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

/* Adds the shares of the components in every item from `from` to `below` - 1: k of each, `by`
 * numbers further on. */
TLV_CLONES static void
add_item_shares(const membership_worker *worker, const membership_row *row, size_t from,
				size_t below, const double *shares, size_t by, double *counts)
{
	size_t k = worker->k;

	for (size_t i = 0; i < row->n; i++, shares += by)
	{
		size_t at = (size_t) row->items[i], s = at - worker->first;

		if (at < from || at >= below)
			continue;
		if (at < worker->first)
			for (size_t h = 0; h < k; h++)
				counts[at * k + h] += shares[h];
		else
			membership_number_add(
				worker->numbers, s, row->x[s], shares,
				counts + (worker->first + membership_number_sums(worker->numbers) * s) * k);
	}
}

void
membership_add_items(const membership_worker *worker, const membership_row *row, size_t from,
					 size_t below, membership_sums *sums)
{
	size_t k = worker->k;

	if (!worker->mixed)
		add_item_shares(worker, row, from, below, row->weights, 0, sums->counts);
	for (size_t sweep = 0; worker->mixed && sweep < KEEP; sweep++)
		add_item_shares(worker, row, from, below, row->kept + sweep * row->n * k, k, sums->counts);
}

void
membership_add_row(const membership_worker *worker, const membership_row *row,
				   membership_sums *sums)
{
	const double *own = row->weights;

	sums->rows += row->weight;
	sums->log_likelihood += row->log_likelihood;
	for (size_t h = 0; h < worker->k; h++)
		sums->weights[h] += own[h];
	for (size_t h = 0; worker->entropies && h < worker->k; h++)
		sums->entropy -= own[h] > 0 ? own[h] * log(own[h]) : 0;
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

/* The conditional distribution of an item, which is product over its sum, added to the mean. */
static void
keep_item(size_t k, const double *restrict product, double sum, double *restrict kept,
		  double *restrict mean)
{
	double scale = 1 / (sum * KEEP);

	for (size_t h = 0; h < k; h++)
		mean[h] += kept[h] = product[h] * scale;
}

/* The same of a number. */
static void
keep_number(size_t k, const double *product, double sum, double *kept, double *mean)
{
	for (size_t h = 0; h < k; h++)
		mean[h] += kept[h] = product[h] / (sum * KEEP);
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

/* One sweep; draws: of the items, taken out of the counts before they are drawn again.  kept: n x
 * k, or NULL. */
TLV_CLONES static void
mixed_sweep(membership_worker *worker, size_t n, const int32_t *items, uint8_t *draws, tlv_rng *rng,
			double *kept)
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
		if (kept != NULL && (size_t) items[i] >= worker->first)
			keep_number(k, product, sum, kept + i * k, worker->shares);
		else if (kept != NULL)
			keep_item(k, product, sum, kept + i * k, worker->shares);
		draws[i] = (uint8_t) drawn_component(k, product, tlv_rng_uniform(rng) * sum);
		counts[draws[i]]++;
	}
}

static void
run_class(membership_worker *worker, membership_row *row)
{
	row->log_likelihood = row->weight * membership_infer(worker, row->n, row->items);
	for (size_t h = 0; h < worker->k; h++)
		row->weights[h] = worker->shares[h] *= row->weight;
}

/*
 * A chain over the components of the items, theta and alpha given: kept sweeps add the whole
 * conditional distribution, not the draw.  A chain that goes on has its last draws in chain.
 */
static void
run_chain(membership_worker *worker, uint64_t seed, const membership_chain *chain,
		  membership_row *row)
{
	size_t k = worker->k, n = row->n;
	bool on = chain != NULL && chain->begun;
	uint8_t *draws = chain != NULL ? chain->draws : worker->draws;
	double *kept = row->kept;
	tlv_rng rng;

	tlv_rng_seed(&rng, seed);
	memset(worker->counts, 0, k * sizeof(double));
	memset(worker->shares, 0, k * sizeof(double));
	for (size_t i = 0; i < n && on; i++)
		worker->counts[draws[i]]++;
	if (!on)
		begin_chain(worker, n, row->items, draws, &rng);
	for (int sweep = on ? 1 : BURN; sweep > 0; sweep--)
		mixed_sweep(worker, n, row->items, draws, &rng, NULL);
	for (int sweep = 0; sweep < KEEP; sweep++, kept += n * k)
		mixed_sweep(worker, n, row->items, draws, &rng, kept);
	for (size_t h = 0; h < k; h++)
		row->weights[h] = n > 0 ? worker->shares[h] / (double) n : 0;
	kept_shares(worker, n);
	row->log_likelihood = worker->silent ? 0 : mixed_likelihood(worker, n, row->items);
}

void
membership_run(membership_worker *worker, uint64_t seed, const membership_chain *chain,
			   membership_row *row)
{
	if (worker->mixed)
		run_chain(worker, seed, chain, row);
	else
		run_class(worker, row);
}

void
membership_expect(membership_worker *worker, size_t n, const int32_t *items, double weight,
				  uint64_t seed, membership_sums *sums)
{
	membership_row row = {.n = n,
						  .items = items,
						  .x = worker->x,
						  .weight = weight,
						  .weights = worker->row_weights,
						  .kept = worker->kept};

	membership_run(worker, seed, NULL, &row);
	membership_add_items(worker, &row, 0, SIZE_MAX, sums);
	membership_add_row(worker, &row, sums);
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
