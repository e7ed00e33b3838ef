/*
 * gibbs.c - expected topic counts of one document by collapsed Gibbs
 * sampling with the topics fixed (topics.h): the hot loop of refinement.
 *
 * A sweep draws every token's topic from p_j = phi_j (alpha_j + N_j), N being
 * the topic counts of the document's other tokens.  Three things make it fast:
 *
 * - Whole registers: p is computed for all k topics at once; partial sums are
 *   kept per lane (topics with equal j mod 16), so that adding up needs no
 *   horizontal work inside the loop, and the search for the drawn topic first
 *   finds a lane and then walks it.
 * - The token's present topic comes first in the cumulative order, which any
 *   order is free to do.  Most tokens keep their topic: one comparison, well
 *   predicted, decides them, and the next token's arithmetic starts before
 *   this one's is over.
 * - The counts change only when a topic does; a token's own count is taken
 *   out in the registers, never in memory.
 */
#include "worker.h"
#include "tensorlv/num/numbers.h"

#include <math.h>
#include <string.h>

#define UNIFORMS 64

typedef struct gibbs_chain
{
	tlv_topic_worker *worker;
	size_t n;
	const int32_t *index; /* of the statistics' rows */
	const int32_t *at;	  /* of the worker's rows */
	const double *count;
	double tokens;
	float least;	   /* smallest alpha */
	size_t blocks;	   /* items drawn as a block */
	double scale;	   /* 1 / keep in kept sweeps, 0 in others */
	double *items;	   /* statistics */
	double likelihood; /* sum of ln(sum of p) over kept draws */
	tlv_rng rng;
	int drawn; /* of the uniforms below */
	float uniforms[UNIFORMS];
} gibbs_chain;

/* Uniform numbers are made in batches: a call in the inner loop would empty the registers. */
static void
refill(gibbs_chain *chain)
{
	for (int i = 0; i < UNIFORMS; i += 2)
	{
		uint64_t bits = tlv_rng_next(&chain->rng);

		chain->uniforms[i] = (float) (bits >> 40) * 0x1p-24f;
		chain->uniforms[i + 1] = (float) (bits >> 16 & 0xffffff) * 0x1p-24f;
	}
	chain->drawn = 0;
}

TLV_KERNEL float
uniform(gibbs_chain *chain)
{
	if (chain->drawn == UNIFORMS)
		refill(chain);
	return chain->uniforms[chain->drawn++];
}

/*
 * product = phi * weights without the topic `own` (-1 for none), returns its sum; lane gets the
 * partial sums of equal j mod TLV_REGISTER_FLOATS.
 */
TLV_KERNEL float
weigh(size_t width, const float *restrict phi, const float *restrict weights, int own,
	  float *restrict product, float *restrict lane)
{
	float sums[TLV_REGISTER_FLOATS] = {0};

	for (size_t b = 0; b < width; b += TLV_REGISTER_FLOATS)
		for (int l = 0; l < TLV_REGISTER_FLOATS; l++)
		{
			float p = phi[b + (size_t) l] * weights[b + (size_t) l];

			p = (int) b + l == own ? 0.0f : p;
			product[b + (size_t) l] = p;
			sums[l] += p;
		}
	for (int l = 0; l < TLV_REGISTER_FLOATS; l++)
		lane[l] = sums[l];
	return tlv_lanes_sum(sums);
}

/*
 * First of four entries (stride apart) at which their running sum exceeds *u, from which the sum
 * before it is taken off.  Without branches: where a draw falls cannot be predicted.
 */
TLV_KERNEL size_t
search_four(const float *x, size_t stride, float *u)
{
	float first = x[0];
	float second = first + x[stride];
	float third = second + x[2 * stride];
	float before = *u >= first ? first : 0;
	size_t taken;

	before = *u >= second ? second : before;
	before = *u >= third ? third : before;
	taken = (size_t) (*u >= first) + (size_t) (*u >= second) + (size_t) (*u >= third);
	*u -= before;
	return taken;
}

/*
 * The topic at u of the cumulative product, in the order of j mod 4, then of j mod 16, then of j.
 * Rounding may leave u past the end; then the topic before, of those that are possible.
 */
TLV_KERNEL int
search(size_t width, const float *product, const float *lane, float u)
{
	float quarter[4];
	size_t j;
	size_t steps = 0;
	float sum = 0;

	for (int l = 0; l < 4; l++)
		quarter[l] = (lane[l] + lane[l + 8]) + (lane[l + 4] + lane[l + 12]);
	j = search_four(quarter, 1, &u);
	j += 4 * search_four(lane + j, 4, &u);
	for (size_t b = j; b + TLV_REGISTER_FLOATS < width; b += TLV_REGISTER_FLOATS)
	{
		sum += product[b];
		steps += u >= sum;
	}
	j += TLV_REGISTER_FLOATS * steps;
	while (product[j] <= 0 && j > 0)
		j--;
	return (int) j;
}

/*
 * A token moves.  Counts are kept in double, so that 2^24 tokens do not saturate a float; the
 * float weights are rewritten as whole registers, since the next token reads them so: a single
 * float stored there would make it wait.
 */
TLV_KERNEL void
move(tlv_topic_worker *worker, size_t width, int from, int to)
{
	float *restrict weights = worker->weights;
	float less;
	float more;

	worker->totals[from]--;
	worker->totals[to]++;
	less = (float) (worker->alpha[from] + worker->totals[from]);
	more = (float) (worker->alpha[to] + worker->totals[to]);
	for (size_t b = 0; b < width; b += TLV_REGISTER_FLOATS)
		for (int l = 0; l < TLV_REGISTER_FLOATS; l++)
		{
			float w = weights[b + (size_t) l];

			w = (int) b + l == from ? less : w;
			weights[b + (size_t) l] = (int) b + l == to ? more : w;
		}
}

/* row += factor * product */
TLV_KERNEL void
collect(size_t width, float *restrict row, const float *restrict product, float factor)
{
	for (size_t b = 0; b < width; b += TLV_REGISTER_FLOATS)
		for (size_t l = 0; l < TLV_REGISTER_FLOATS; l++)
			row[b + l] += factor * product[b + l];
}

/* statistics of an item += scale * row */
TLV_KERNEL void
add_item(const gibbs_chain *chain, int32_t index, const float *restrict row, double scale)
{
	size_t k = chain->worker->k;

	tlv_add_topic_row(k, chain->items + (size_t) index * k, row, scale);
}

/* chain->likelihood += ln(sum), by way of a running product that takes few logarithms */
TLV_KERNEL void
add_likelihood(gibbs_chain *chain, double *running, float sum)
{
	*running *= (double) sum;
	if (*running < 1e-250 || *running > 1e250)
	{
		chain->likelihood += log(*running);
		*running = 1;
	}
}

TLV_KERNEL bool
is_block(double count)
{
	return count > TLV_GIBBS_BLOCK_COUNT;
}

/* One sweep over the single tokens of items from .. to-1; assignment starts at their first token.
 */
TLV_KERNEL uint16_t *
sweep_width(gibbs_chain *chain, size_t width, size_t from, size_t to, uint16_t *assignment)
{
	tlv_topic_worker *worker = chain->worker;
	float *restrict product = worker->product;
	float *restrict row = worker->row;
	float lane[TLV_REGISTER_FLOATS];
	float least = chain->least;
	double running = 1;
	bool kept = chain->scale > 0;

	for (size_t i = from; i < to; i++)
	{
		const float *phi = tlv_topic_row(worker, chain->at[i]);
		int tokens = is_block(chain->count[i]) ? 0 : (int) chain->count[i];

		if (kept && tokens > 1)
			memset(row, 0, width * sizeof(float));
		for (int t = 0; t < tokens; t++)
		{
			int own = *assignment;
			int topic = own;
			float others = weigh(width, phi, worker->weights, own, product, lane);
			float rest = worker->weights[own] - 1;
			/* alpha + 1 - 1 may round to 0, which must not happen to the only topic */
			float mine = phi[own] * (rest > least ? rest : least);
			float sum = others + mine;
			float u = uniform(chain) * sum;

			if (kept)
			{
				double factor = chain->scale / (double) sum;

				add_likelihood(chain, &running, sum);
				if (tokens > 1)
					collect(width, row, product, (float) factor);
				else
					add_item(chain, chain->index[i], product, factor);
				chain->items[(size_t) chain->index[i] * worker->k + (size_t) own] +=
					factor * (double) mine;
			}
			if (u >= mine && others > 0)
			{
				topic = search(width, product, lane, u - mine);
				move(worker, width, own, topic);
			}
			*assignment++ = (uint16_t) topic;
		}
		if (kept && tokens > 1)
			add_item(chain, chain->index[i], row, 1);
	}
	chain->likelihood += log(running);
	return assignment;
}

/* The same; the usual widths are known to the compiler. */
static TLV_CLONES uint16_t *
sweep_tokens(gibbs_chain *chain, size_t from, size_t to, uint16_t *assignment)
{
	switch (chain->worker->width)
	{
		case 16:
			return sweep_width(chain, 16, from, to, assignment);
		case 32:
			return sweep_width(chain, 32, from, to, assignment);
		case 64:
			return sweep_width(chain, 64, from, to, assignment);
		default:
			return sweep_width(chain, chain->worker->width, from, to, assignment);
	}
}

/* Topic counts of `count` tokens of one item, given p_j = phi_j theta_j: a multinomial. */
static void
topic_draw_block(gibbs_chain *chain, double count, const double *p, double sum, double *share)
{
	size_t k = chain->worker->k;

	for (size_t j = 0; j < k; j++)
	{
		double part = j + 1 == k || p[j] >= sum ? 1 : p[j] / sum;

		share[j] = part == 1 ? count : tlv_topic_binomial(&chain->rng, count, part);
		count -= share[j];
		sum -= p[j];
		if (count <= 0 || sum <= 0)
		{
			share[j] += count;
			memset(share + j + 1, 0, (k - j - 1) * sizeof(double));
			break;
		}
	}
}

/* First topics of items from .. to-1, independently from theta phi. */
static TLV_CLONES uint16_t *
start_tokens(gibbs_chain *chain, size_t from, size_t to, uint16_t *assignment)
{
	tlv_topic_worker *worker = chain->worker;
	size_t width = worker->width;
	float lane[TLV_REGISTER_FLOATS];

	for (size_t i = from; i < to; i++)
	{
		const float *phi = tlv_topic_row(worker, chain->at[i]);
		int tokens = is_block(chain->count[i]) ? 0 : (int) chain->count[i];
		float sum = weigh(width, phi, worker->theta, -1, worker->product, lane);

		for (int t = 0; t < tokens; t++)
		{
			float u = uniform(chain) * sum;
			int topic = search(width, worker->product, lane, u);

			worker->totals[topic]++;
			*assignment++ = (uint16_t) topic;
		}
	}
	return assignment;
}

/*
 * One sweep over the items with huge counts: memberships are drawn given all
 * topics of the document, and forgotten again after all these items have been
 * drawn given the memberships.  Exact (the joint draw leaves the posterior as
 * it is), and its cost does not grow with the count.
 */
static tlv_status
sweep_blocks(tlv_context *ctx, gibbs_chain *chain, bool first)
{
	tlv_topic_worker *worker = chain->worker;
	size_t k = worker->k;
	double *share = worker->shares;
	double *theta = worker->shares + chain->blocks * k;
	double *p = theta + k;

	for (size_t j = 0; j < k; j++)
		theta[j] = first ? (double) worker->theta[j]
						 : tlv_rng_gamma(&chain->rng, worker->alpha[j] + worker->totals[j]);
	for (size_t i = 0; i < chain->n; i++)
	{
		double count = chain->count[i];
		const float *phi = tlv_topic_row(worker, chain->at[i]);
		double sum = 0;
		double rest = 0;

		if (!is_block(count))
			continue;
		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < k; j++)
		{
			p[j] = theta[j] * (double) phi[j];
			sum += p[j];
			/* of the tokens other than one of this item, on average over its own */
			rest += (double) phi[j] *
					(worker->alpha[j] + worker->totals[j] - (first ? 0 : share[j] / count));
			worker->totals[j] -= first ? 0 : share[j];
		}
		topic_draw_block(chain, count, p, sum, share);
		for (size_t j = 0; j < k; j++)
			worker->totals[j] += share[j];
		share += k;
		if (chain->scale > 0)
		{
			chain->likelihood += count * log(rest);
			for (size_t j = 0; j < k; j++)
				chain->items[(size_t) chain->index[i] * k + j] += chain->scale * count * p[j] / sum;
		}
	}
	return TLV_OK;
}

typedef uint16_t *(*token_pass)(gibbs_chain *chain, size_t from, size_t to, uint16_t *assignment);

/* A pass over all single tokens, in pieces of a few milliseconds. */
static tlv_status
pass_tokens(tlv_context *ctx, gibbs_chain *chain, token_pass pass)
{
	uint16_t *assignment = chain->worker->assignment;
	size_t chunk = tlv_topic_chunk(chain->worker);
	size_t from = 0;

	while (from < chain->n)
	{
		size_t to = from;

		for (double tokens = 0; to < chain->n && tokens < (double) chunk; to++)
			tokens += is_block(chain->count[to]) ? 1 : chain->count[to];
		TLV_TRY_CONTINUE(ctx);
		assignment = pass(chain, from, to, assignment);
		from = to;
	}
	return TLV_OK;
}

/* Checks the document and makes room for its topics. */
static tlv_status
chain_open(tlv_context *ctx, gibbs_chain *chain)
{
	tlv_topic_worker *worker = chain->worker;
	size_t k = worker->k;
	double singles = 0;

	TLV_TRY(tlv_topic_check_document(ctx, worker, chain->n, chain->index, chain->count, true,
									 &chain->tokens));
	for (size_t i = 0; i < chain->n; i++)
		if (is_block(chain->count[i]))
			chain->blocks++;
		else
			singles += chain->count[i];
	worker->assignment = tlv_topic_reserve(ctx, worker->assignment, &worker->assignment_room,
										   (size_t) singles, sizeof(uint16_t));
	TLV_TRY_ALLOC(ctx, worker->assignment);
	if (chain->blocks > 0)
	{
		worker->shares = tlv_topic_reserve(ctx, worker->shares, &worker->shares_room,
										   (chain->blocks + 2) * k, sizeof(double));
		TLV_TRY_ALLOC(ctx, worker->shares);
	}
	return TLV_OK;
}

/* Warm memberships and the first topics. */
static tlv_status
chain_start(tlv_context *ctx, gibbs_chain *chain, int warm)
{
	tlv_topic_worker *worker = chain->worker;

	TLV_TRY(tlv_topic_fixed_point(ctx, worker, chain->n, chain->at, chain->count, warm, 1e-4));
	memset(worker->totals, 0, worker->k * sizeof(double));
	TLV_TRY(pass_tokens(ctx, chain, start_tokens));
	if (chain->blocks > 0)
		TLV_TRY(sweep_blocks(ctx, chain, true));
	chain->least = (float) worker->alpha[0];
	for (size_t j = 0; j < worker->k; j++)
	{
		worker->weights[j] = (float) (worker->alpha[j] + worker->totals[j]);
		chain->least = fminf(chain->least, (float) worker->alpha[j]);
	}
	return TLV_OK;
}

static tlv_status
chain_sweep(tlv_context *ctx, gibbs_chain *chain)
{
	tlv_topic_worker *worker = chain->worker;

	TLV_TRY(pass_tokens(ctx, chain, sweep_tokens));
	if (chain->blocks == 0)
		return TLV_OK;
	TLV_TRY(sweep_blocks(ctx, chain, false));
	for (size_t j = 0; j < worker->k; j++)
		worker->weights[j] = (float) (worker->alpha[j] + worker->totals[j]);
	return TLV_OK;
}

tlv_status
tlv_topic_gibbs_rows(tlv_context *ctx, tlv_topic_worker *worker, size_t n, const int32_t *index,
					 const int32_t *at, const double *count, const tlv_gibbs_options *options,
					 tlv_topic_statistics *statistics)
{
	gibbs_chain chain = {.worker = worker,
						 .n = n,
						 .index = index,
						 .at = at,
						 .count = count,
						 .items = statistics->items,
						 .drawn = UNIFORMS};

	if (options->warm < 0 || options->burn < 0 || options->keep < 1)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"warm steps %d, burn-in %d and kept sweeps %d must be at least 0, 0 and 1",
						options->warm, options->burn, options->keep);
	if (n == 0)
		return TLV_OK;
	tlv_rng_seed(&chain.rng, options->seed);
	TLV_TRY(chain_open(ctx, &chain));
	TLV_TRY(chain_start(ctx, &chain, options->warm));
	for (int sweep = 0; sweep < options->burn + options->keep; sweep++)
	{
		chain.scale = sweep < options->burn ? 0 : 1.0 / options->keep;
		TLV_TRY(chain_sweep(ctx, &chain));
		if (chain.scale > 0 && statistics->alpha_gains != NULL)
			tlv_topic_alpha_add(worker, chain.scale, statistics->alpha_gains);
	}
	statistics->length_gain += tlv_topic_alpha_length(worker, chain.tokens);
	statistics->documents++;
	statistics->tokens += chain.tokens;
	statistics->log_likelihood +=
		chain.likelihood / options->keep - chain.tokens * log(worker->alpha0 + chain.tokens - 1);
	return TLV_OK;
}

tlv_status
tlv_topic_gibbs(tlv_context *ctx, tlv_topic_worker *worker, size_t n, const int32_t *index,
				const double *count, const tlv_gibbs_options *options,
				tlv_topic_statistics *statistics)
{
	return tlv_topic_gibbs_rows(ctx, worker, n, index, index, count, options, statistics);
}
