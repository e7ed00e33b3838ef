/*
 * ranks.c - normal scores of the ranks of weights, without effects of nodes, and their evidence
 * (ranks.h).
 */
#include "ranks.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/fast_math.h"
#include "tensorlv/num/sort.h"
#include "tensorlv/num/special.h"

/* Bits of a float in the order of its values, negative ones included. */
static uint32_t
ordered_bits(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

/* Entries by weight: the bits of the weight above the number of the entry. */
static tlv_status
rank_weights(tlv_context *ctx, size_t n, const float *weight, uint64_t *order, uint64_t **sorted)
{
	tlv_sort_form form = {sizeof(uint64_t), sizeof(uint64_t), 0, 64};
	void *result;

	for (size_t e = 0; e < n; e++)
		order[e] = (uint64_t) ordered_bits(weight[e]) << 32 | e;
	TLV_TRY(tlv_radix_sort(ctx, &form, n, order, order + n, &result));
	*sorted = result;
	return TLV_OK;
}

/*
 * Normal scores of the ranks of the values: of a run of equal ones the mean for each, and the mean
 * of squares, which is added to the squares that there are.
 */
static tlv_status
score_ranks(tlv_context *ctx, size_t n, const float *value, tlv_rank_scores *scores)
{
	uint64_t *order, *sorted;
	double total = 0;
	float scale;

	TLV_TRY_NEW(ctx, order, 2 * n);
	TLV_TRY(rank_weights(ctx, n, value, order, &sorted));
	for (size_t first = 0, end; first < n; first = end)
	{
		double sum = 0, squares = 0;

		for (end = first; end < n && sorted[end] >> 32 == sorted[first] >> 32; end++)
		{
			double q = tlv_normal_quantile(((double) end + 0.5) / (double) n);

			TLV_TRY_CONTINUE_AT(ctx, end);
			sum += q;
			squares += q * q;
		}
		for (size_t i = first; i < end; i++)
		{
			uint32_t e = (uint32_t) sorted[i];

			scores->score[e] = (float) (sum / (double) (end - first));
			scores->square[e] += (float) (squares / (double) (end - first));
			total += (double) scores->square[e];
		}
	}
	tlv_free(ctx, order);
	scale = total > 0 ? (float) sqrt((double) n / total) : 1;
	for (size_t e = 0; e < n; e++)
	{
		scores->score[e] *= scale;
		scores->square[e] *= scale * scale;
	}
	return TLV_OK;
}

/* ---- effects of nodes ---- */

/* A graph whose scores are sums of effects: of each node one, or one as a source and one as a
 * target, which follow after all of the sources. */
typedef struct effect_graph
{
	const tlv_csr *edges;
	const size_t *split; /* where a node's edges as a source end */
	size_t n;			 /* effects */
} effect_graph;

/* The entries first .. *end - 1 of effect i, whose other ends have the effects *other and on. */
static size_t
effect_entries(const effect_graph *graph, size_t i, size_t *end, size_t *other)
{
	size_t rows = graph->edges->rows;

	*other = i < rows ? graph->n - rows : 0;
	*end = i < rows ? graph->split[i] : graph->edges->start[i - rows + 1];
	return i < rows ? graph->edges->start[i] : graph->split[i - rows];
}

/* One damped pass towards the posterior means of the effects. */
static void
pass_effects(const effect_graph *graph, const tlv_rank_scores *scores, double ratio, double *effect,
			 double *next)
{
	for (size_t i = 0; i < graph->n; i++)
	{
		size_t end, other, first = effect_entries(graph, i, &end, &other);
		double sum = 0;

		for (size_t e = first; e < end; e++)
			sum += (double) scores->score[e] - effect[other + (size_t) graph->edges->index[e]];
		next[i] = sum / ((double) (end - first) + ratio);
	}
	for (size_t i = 0; i < graph->n; i++)
		effect[i] = (effect[i] + next[i]) / 2;
}

/* What effects gain over none, with Hadamard's bound of the determinant. */
static double
effects_gain(const effect_graph *graph, const tlv_rank_scores *scores, double ratio,
			 const double *effect)
{
	double residual = 0, total = 0, m = (double) graph->edges->entries / 2, sum = 0, logarithms = 0;

	for (size_t i = 0; i < graph->n; i++)
	{
		size_t end, other, first = effect_entries(graph, i, &end, &other);

		for (size_t e = first; e < end; e++)
		{
			double y = (double) scores->score[e], square = (double) scores->square[e],
				   rest = y - effect[i] - effect[other + (size_t) graph->edges->index[e]];

			residual += (rest * rest + fmax(square - y * y, 0)) / 2;
			total += square / 2;
		}
		sum += effect[i] * effect[i];
		logarithms += log1p((double) (end - first) / ratio);
	}
	return total > 0 ? -m / 2 * log((residual + ratio * sum) / total) - logarithms / 2 - log(m) / 2
					 : 0;
}

/* Residuals take the place of the scores; of the squares what ties leave of the variance of all
 * residuals. */
static void
take_off(const effect_graph *graph, const double *effect, tlv_rank_scores *scores)
{
	double total = 0;

	for (size_t i = 0; i < graph->n; i++)
	{
		size_t end, other, first = effect_entries(graph, i, &end, &other);

		for (size_t e = first; e < end; e++)
		{
			double y = (double) scores->score[e],
				   ties = fmax((double) scores->square[e] - y * y, 0),
				   rest = y - effect[i] - effect[other + (size_t) graph->edges->index[e]];

			scores->score[e] = (float) rest;
			scores->square[e] = (float) ties;
			total += rest * rest + ties;
		}
	}
	for (size_t e = 0; e < graph->edges->entries && total > 0; e++)
		scores->square[e] *= (float) ((double) graph->edges->entries / total);
}

static tlv_status
remove_effects(tlv_context *ctx, const effect_graph *graph, tlv_rank_scores *scores)
{
	/* Passes over the effects of nodes, and exponents of 2 of the noise's variance over theirs. */
	const int effect_passes = 30, first_ratio = -1, last_ratio = 7;
	size_t n = graph->n;
	double *effect = tlv_alloc(ctx, 3 * n, sizeof(double)), *best = effect + n;

	TLV_TRY_ALLOC(ctx, effect);
	for (int i = first_ratio; i <= last_ratio; i++)
	{
		double gain, ratio = exp2(i);

		memset(effect, 0, n * sizeof(double));
		for (int pass = 0; pass < effect_passes; pass++)
		{
			TLV_TRY_CONTINUE(ctx);
			pass_effects(graph, scores, ratio, effect, effect + 2 * n);
		}
		gain = effects_gain(graph, scores, ratio, effect);
		if (gain <= scores->effects)
			continue;
		scores->effects = gain;
		memcpy(best, effect, n * sizeof(double));
	}
	if (scores->effects > 0)
	{
		take_off(graph, best, scores);
		TLV_TRY(score_ranks(ctx, graph->edges->entries, scores->score, scores));
	}
	tlv_free(ctx, effect);
	return TLV_OK;
}

tlv_status
tlv_rank_scores_create(tlv_context *ctx, const tlv_csr *edges, const size_t *split,
					   const float *weight, tlv_rank_scores *scores)
{
	const effect_graph graph = {edges, split == NULL ? edges->start + 1 : split,
								split == NULL ? edges->rows : 2 * edges->rows};
	size_t n = edges->entries;

	*scores = (tlv_rank_scores){0};
	TLV_TRY(tlv_require_memory(
		ctx, (double) n * (2 * sizeof(uint64_t) + 2 * sizeof(float)) + 24 * (double) graph.n,
		"the scores of weights"));
	TLV_TRY_NEW(ctx, scores->score, n);
	TLV_TRY_NEW0(ctx, scores->square, n);
	TLV_TRY(score_ranks(ctx, n, weight, scores));
	return remove_effects(ctx, &graph, scores);
}

void
tlv_rank_scores_free(tlv_context *ctx, tlv_rank_scores *scores)
{
	tlv_free(ctx, scores->score);
	tlv_free(ctx, scores->square);
}

/* ---- evidence ---- */

double
tlv_score_count_evidence(const tlv_score_prior *prior, double n)
{
	return prior->constant + tlv_fast_lgamma((prior->freedom + n) / 2) -
		   log(prior->strength + n) / 2;
}

double
tlv_score_evidence(const tlv_score_prior *prior, const tlv_score_sums *pair, double of_count)
{
	double mean, within, strength = prior->strength + pair->n, freedom = prior->freedom + pair->n;

	if (pair->n <= 0)
		return 0;
	mean = pair->sum / pair->n;
	within = fmax(pair->squares - pair->n * mean * mean, 0);
	mean -= prior->centre;
	return of_count -
		   freedom / 2 *
			   log(prior->freedom * prior->variance + within +
				   prior->strength * pair->n / strength * mean * mean) -
		   pair->n / 2 * log(M_PI);
}

static void
set_prior(double strength, double freedom, tlv_score_prior *prior)
{
	prior->strength = strength;
	prior->freedom = freedom;
	prior->constant = freedom / 2 * log(freedom * prior->variance) + log(strength) / 2 -
					  tlv_fast_lgamma(freedom / 2);
}

/* The mean of all scores, and the variance within pairs. */
static void
centre_prior(size_t n, const tlv_score_sums *pairs, tlv_score_prior *prior)
{
	double edges = 0, sum = 0, within = 0, degrees = 0;

	for (size_t i = 0; i < n; i++)
	{
		edges += pairs[i].n;
		sum += pairs[i].sum;
		if (pairs[i].n > 1)
			within += fmax(pairs[i].squares - pairs[i].sum * pairs[i].sum / pairs[i].n, 0);
		degrees += fmax(pairs[i].n - 1, 0);
	}
	prior->centre = sum / fmax(edges, 1);
	/* the mean square of all scores is 1 */
	prior->variance = fmax(degrees > 0 && within > 0 ? within / degrees : 1, 1e-12);
}

tlv_status
tlv_score_fit(tlv_context *ctx, size_t n, const tlv_score_sums *pairs, bool weak,
			  tlv_score_prior *prior, double *evidence)
{
	/* Exponents of 2 of what is known beforehand of the mean of scores, and of their variance, in
	 * edges; the latter is at most this of a weak prior. */
	const int first_strength = -6, last_strength = 6, last_freedom = 12, weak_freedom = 64;
	double strength = 1, freedom = 1, most = -HUGE_VAL;

	centre_prior(n, pairs, prior);
	for (int s = first_strength; s <= last_strength; s++)
		for (int f = 0; f <= last_freedom; f += 2)
		{
			double value = 0;

			TLV_TRY_CONTINUE(ctx);
			set_prior(exp2(s), exp2(f), prior);
			for (size_t i = 0; i < n; i++)
				value += tlv_score_evidence(prior, &pairs[i],
											tlv_score_count_evidence(prior, pairs[i].n));
			if (value <= most)
				continue;
			most = value;
			strength = prior->strength;
			freedom = prior->freedom;
		}
	set_prior(weak ? 1 : strength, weak ? fmin(freedom, weak_freedom) : freedom, prior);
	*evidence = most;
	return TLV_OK;
}

tlv_status
tlv_scores_alike(tlv_context *ctx, size_t entries, const tlv_rank_scores *scores, double *evidence)
{
	tlv_score_sums all = {(double) entries / 2, 0, 0};
	tlv_score_prior prior;

	for (size_t e = 0; e < entries; e++)
	{
		all.sum += (double) scores->score[e] / 2;
		all.squares += (double) scores->square[e] / 2;
	}
	return tlv_score_fit(ctx, 1, &all, false, &prior, evidence);
}
