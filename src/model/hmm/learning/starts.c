/*
 * starts.c - hidden Markov models to start from, of labels of the steps: clusters of the steps or
 * of what windows about them hold, or parts of the sequences; and, of symbols, random ones
 * (learn.h).
 */
#include <math.h>
#include <string.h>

#include "learn.h"
#include "../tuning.h"
#include "tensorlv/num/kmeans.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/rng.h"

/* More symbols than this are looked at in as many random directions. */
#define MOST_DIRECTIONS ((size_t) 16)

/* A start: the windows' half widths, of vectors and of symbols; PARTS: no clusters. */
#define PARTS SIZE_MAX
static const size_t vector_windows[TLV_HMM_LABEL_STARTS] = {0, PARTS, 0, 4, 0, 1, 20, 0};
static const size_t symbol_windows[TLV_HMM_LABEL_STARTS] = {8, 2, PARTS, 30, 1, 100, 4, 400};

typedef struct label_start
{
	const tlv_hmm_data *data;
	const tlv_hmm_start_options *options;
	size_t k, d; /* numbers of a vector, or symbols */
	size_t n;	 /* steps */
	bool gaussian;
	const int64_t *items;
	tlv_dictionary dictionary;
	int32_t *labels;		 /* n */
	double *mean, *variance; /* d, of all steps that are there */
} label_start;

static bool
hmm_is_missing(const tlv_part *part, size_t i)
{
	return part->missing != NULL && part->missing[i];
}

/* ---- clusters ---- */

/* What is seen at a step, in f coordinates; nothing where it is missing. */
static void
step_features(const label_start *start, const tlv_part *part, size_t t, const double *directions,
			  size_t f, double *out)
{
	memset(out, 0, f * sizeof(double));
	if (start->gaussian)
		for (size_t i = 0; i < f; i++)
			out[i] = hmm_is_missing(part, t * f + i) || !(start->variance[i] > 0)
						 ? 0
						 : (part->float64[t * f + i] - start->mean[i]) / sqrt(start->variance[i]);
	else
	{
		int32_t at = tlv_dictionary_find(&start->dictionary, part->ids[t]);

		if (at >= 0 && !hmm_is_missing(part, t))
			memcpy(out, directions + (size_t) at * f, f * sizeof(double));
	}
}

/* A direction for every symbol: one of its own, or, of many symbols, a random one. */
static tlv_status
hmm_draw_directions(tlv_context *ctx, const label_start *start, size_t f, double **directions)
{
	tlv_rng rng;

	TLV_TRY_NEW0(ctx, *directions, start->d * f);
	tlv_rng_stream(&rng, start->options->seed, 77);
	for (size_t i = 0; i < start->d; i++)
		if (f == start->d)
			(*directions)[i * f + i] = 1;
		else
			tlv_rng_fill_normal(&rng, f, *directions + i * f);
	return TLV_OK;
}

/* Means of windows of `half` steps to both sides, within their sequence: by running sums. */
static void
window_means(const label_start *start, const tlv_part *part, const double *directions, size_t f,
			 size_t half, double *work, float *points)
{
	double *sum = work, *row = work + f;
	size_t n = part->n, from = 0, to = 0;

	memset(sum, 0, f * sizeof(double));
	for (size_t t = 0; t < n; t++)
	{
		for (; to < n && to <= t + half; to++)
		{
			step_features(start, part, to, directions, f, row);
			for (size_t i = 0; i < f; i++)
				sum[i] += row[i];
		}
		for (; from + half < t; from++)
		{
			step_features(start, part, from, directions, f, row);
			for (size_t i = 0; i < f; i++)
				sum[i] -= row[i];
		}
		for (size_t i = 0; i < f; i++)
			points[t * f + i] = (float) (sum[i] / (double) (to - from));
	}
}

static tlv_status
label_clusters(tlv_context *ctx, label_start *start, size_t half, int which)
{
	size_t f = start->gaussian ? start->d : tlv_least(start->d, MOST_DIRECTIONS), at = 0;
	double *directions = NULL, *work, inertia;
	float *points;
	tlv_rng rng;

	TLV_TRY_NEW(ctx, points, start->n * f);
	TLV_TRY_NEW(ctx, work, 2 * f);
	if (!start->gaussian)
		TLV_TRY(hmm_draw_directions(ctx, start, f, &directions));
	for (size_t i = 0; i < start->data->n; i++)
	{
		const tlv_part *part = &start->data->rows[i].part[0];

		TLV_TRY_CONTINUE(ctx);
		window_means(start, part, directions, f, half, work, points + at * f);
		at += part->n;
	}
	tlv_rng_stream(&rng, start->options->seed, (uint64_t) which);
	return tlv_kmeans(ctx,
					  &(tlv_kmeans_task){.n = start->n,
										 .d = f,
										 .points = points,
										 .k = start->k,
										 .starts = 1,
										 .max_steps = LLOYD_STEPS},
					  &rng, start->labels, NULL, &inertia);
}

/* Every sequence in k parts of about the same length. */
static void
label_parts(label_start *start)
{
	size_t at = 0;

	for (size_t i = 0; i < start->data->n; i++)
		for (size_t t = 0, n = start->data->rows[i].part[0].n; t < n; t++)
			start->labels[at++] = (int32_t) (t * start->k / n);
}

/* ---- from labels to a model ---- */

static void
count_chain(const label_start *start, double *initial, double *transitions)
{
	size_t k = start->k, at = 0;

	for (size_t j = 0; j < k; j++)
		initial[j] = 1 / (double) k;
	for (size_t e = 0; e < k * k; e++)
		transitions[e] = 1 / (double) k;
	for (size_t i = 0; i < start->data->n; i++)
		for (size_t t = 0, n = start->data->rows[i].part[0].n; t < n; t++, at++)
			if (t == 0)
				initial[start->labels[at]]++;
			else
				transitions[(size_t) start->labels[at - 1] * k + (size_t) start->labels[at]]++;
	tlv_normalize_columns(k, k, 0, transitions);
	for (size_t e = 0; e < k * k; e++)
		transitions[e] = (1 - EVEN_PART) * transitions[e] + EVEN_PART / (double) k;
}

static void
count_symbols(const label_start *start, double *emissions)
{
	size_t k = start->k, d = start->d, at = 0;

	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			emissions[i * k + j] = start->mean[i];
	for (size_t i = 0; i < start->data->n; i++)
	{
		const tlv_part *part = &start->data->rows[i].part[0];

		for (size_t t = 0; t < part->n; t++, at++)
		{
			int32_t symbol = tlv_dictionary_find(&start->dictionary, part->ids[t]);

			if (symbol >= 0)
				emissions[(size_t) symbol * k + (size_t) start->labels[at]]++;
		}
	}
}

/* Means of the labels' steps, and what these leave of the variance; weights: d x k. */
static void
average_vectors(const label_start *start, double *means, double *weights, double *within)
{
	size_t k = start->k, d = start->d, at = 0;

	for (size_t e = 0; e < k * d; e++)
	{
		means[e] = start->mean[e % d];
		weights[e] = 1;
	}
	for (size_t i = 0; i < start->data->n; i++)
	{
		const tlv_part *part = &start->data->rows[i].part[0];

		for (size_t t = 0; t < part->n; t++, at++)
			for (size_t c = 0, own = (size_t) start->labels[at] * d; c < d; c++)
				if (!hmm_is_missing(part, t * d + c))
				{
					means[own + c] += part->float64[t * d + c];
					weights[own + c]++;
				}
	}
	for (size_t e = 0; e < k * d; e++)
		means[e] /= weights[e];
	for (size_t c = 0; c < d; c++)
	{
		double between = 0, total = 0;

		for (size_t j = 0; j < k; j++)
		{
			double off = means[j * d + c] - start->mean[c];

			between += weights[j * d + c] * off * off;
			total += weights[j * d + c];
		}
		within[c] = fmax(start->variance[c] - between / total, 1e-3 * start->variance[c]);
	}
}

static void
spread_variances(const label_start *start, const double *within, double *variances)
{
	size_t k = start->k, d = start->d;
	size_t n = tlv_mixture_variances(d, start->options->covariance);
	double mean = 0;

	for (size_t i = 0; i < d; i++)
		mean += within[i] / (double) d;
	memset(variances, 0, k * n * sizeof(double));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < (n == 1 ? 1 : d); i++)
			if (start->options->covariance == TLV_COVARIANCE_FULL)
				variances[j * n + i * (i + 3) / 2] = sqrt(within[i]);
			else
				variances[j * n + i] = n == 1 ? mean : within[i];
}

/* ---- random starts of symbols ---- */

/* Shares of the symbols that know nothing of the data, and, every other time, those of all steps
 * with noise. */
static tlv_status
draw_model(tlv_context *ctx, const label_start *start, int which, double *initial,
		   double *transitions, double *emissions)
{
	size_t k = start->k, d = start->d;
	double *even, *shares;
	tlv_rng rng;

	TLV_TRY_NEW(ctx, even, k + 2 * d);
	shares = even + k + d;
	for (size_t i = 0; i < k + d; i++)
		even[i] = 1;
	tlv_rng_stream(&rng, start->options->seed, 2000 + (uint64_t) which);
	for (size_t j = 0; j < k; j++)
	{
		initial[j] = 1 / (double) k;
		tlv_rng_dirichlet(&rng, k, even, transitions + j * k);
		if (which % 2 == 0)
			tlv_rng_dirichlet(&rng, d, even, shares);
		for (size_t i = 0; i < d; i++)
			emissions[i * k + j] =
				which % 2 == 0 ? shares[i] : start->mean[i] * exp(tlv_rng_normal(&rng));
	}
	tlv_free(ctx, even);
	return TLV_OK;
}

/* ---- what is given ---- */

/* Clusters have no order: each start gives them other numbers, among which given transitions
 * choose. */
static tlv_status
shuffle_labels(tlv_context *ctx, const label_start *start, int which)
{
	int64_t *order;
	tlv_rng rng;

	if (start->options->transitions == NULL || which == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, order, start->k);
	tlv_rng_stream(&rng, start->options->seed, 1000 + (uint64_t) which);
	TLV_TRY(tlv_rng_permutation(ctx, &rng, start->k, order));
	for (size_t t = 0; t < start->n; t++)
		start->labels[t] = (int32_t) order[start->labels[t]];
	return TLV_OK;
}

/* What is held takes the place of what was counted; labels say nothing of the chain of given
 * emissions. */
static void
hold_given(const label_start *start, double *initial, double *transitions, double *emissions)
{
	const tlv_hmm_start_options *options = start->options;
	size_t k = start->k, d = start->d;

	for (size_t j = 0; options->emissions != NULL && j < k; j++)
	{
		initial[j] = 1 / (double) k;
		for (size_t l = 0; l < k; l++)
			transitions[j * k + l] = 0.5 / (double) k + (j == l ? 0.5 : 0);
	}
	for (size_t e = 0; options->emissions != NULL && e < k * d; e++)
		emissions[start->gaussian ? e : e % d * k + e / d] = options->emissions[e];
	if (options->transitions != NULL)
		memcpy(transitions, options->transitions, k * k * sizeof(double));
	if ((options->constraints & TLV_HMM_LEFT_RIGHT) == 0)
		return;
	for (size_t from = 0; from < k; from++)
	{
		initial[from] = from == 0;
		for (size_t to = 0; options->transitions == NULL && to < from; to++)
			transitions[from * k + to] = 0;
	}
}

static tlv_status
write_start(tlv_context *ctx, const label_start *start, int which, void **image, size_t *size)
{
	size_t k = start->k, d = start->d;
	size_t n = start->gaussian ? tlv_mixture_variances(d, start->options->covariance) : 0;
	double *initial, *transitions, *emissions, *variances, *within;
	tlv_diagnostics diagnostics = {0};
	tlv_hmm_parts parts = {.k = k,
						   .d = d,
						   .gaussian = start->gaussian,
						   .seed = (double) start->options->seed,
						   .covariance = start->options->covariance,
						   .constraints = start->options->constraints,
						   .in_order = true,
						   .items = start->items,
						   .diagnostics = &diagnostics};

	TLV_TRY_NEW(ctx, initial, k * (1 + k + 2 * d + n) + d);
	transitions = initial + k;
	emissions = transitions + k * k;
	variances = emissions + k * d;
	within = variances + k * n + k * d;
	if (start->labels == NULL)
		TLV_TRY(draw_model(ctx, start, which, initial, transitions, emissions));
	else
		count_chain(start, initial, transitions);
	if (start->gaussian)
	{
		average_vectors(start, emissions, variances + k * n, within);
		spread_variances(start, within, variances);
	}
	else if (start->labels != NULL)
		count_symbols(start, emissions);
	hold_given(start, initial, transitions, emissions);
	parts.initial = initial;
	parts.transitions = transitions;
	parts.emissions = emissions;
	parts.variances = variances;
	return tlv_hmm_write(ctx, &parts, image, size);
}

/* ---- a start ---- */

/* Means and variances of the coordinates, or shares of the symbols. */
static void
measure_steps(label_start *start)
{
	size_t d = start->d, n = 0;

	memset(start->mean, 0, 2 * d * sizeof(double));
	for (int round = 0; round < (start->gaussian ? 2 : 1); round++)
		for (size_t c = 0; c < (start->gaussian ? d : 1); c++)
		{
			double sum = 0;

			n = 0;
			for (size_t i = 0; i < start->data->n; i++)
			{
				const tlv_part *part = &start->data->rows[i].part[0];

				for (size_t t = 0; t < part->n; t++)
				{
					int32_t at;

					if (!start->gaussian)
					{
						at = tlv_dictionary_find(&start->dictionary, part->ids[t]);
						n += at >= 0;
						if (at >= 0)
							start->mean[at]++;
					}
					else if (!hmm_is_missing(part, t * d + c))
					{
						double off = part->float64[t * d + c] - start->mean[c];

						sum += round == 0 ? off : off * off;
						n++;
					}
				}
			}
			if (start->gaussian)
				(round == 0 ? start->mean : start->variance)[c] = n > 0 ? sum / (double) n : 0;
		}
	for (size_t i = 0; !start->gaussian && i < d; i++)
		start->mean[i] = n > 0 ? start->mean[i] / (double) n : 1 / (double) d;
}

tlv_status
tlv_hmm_start(tlv_context *ctx, const tlv_hmm_data *data, const tlv_hmm_start_options *options,
			  size_t m, const int64_t *items, int which, void **image, size_t *size)
{
	label_start start = {.data = data, .options = options, .k = options->k, .items = items};
	size_t half;

	start.n = (size_t) data->steps;
	start.gaussian = m == 0;
	start.d = m > 0 ? m : data->rows[0].part[0].d;
	half = which >= TLV_HMM_LABEL_STARTS
			   ? PARTS
			   : (start.gaussian ? vector_windows : symbol_windows)[which];
	if (start.n < start.k || (half != PARTS && start.k > 1 && 4 * half > start.n))
		return tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "%zu %s too few for %zu %s", start.n,
						tlv_plural((double) start.n, "step is", "steps are"), start.k,
						tlv_plural((double) start.k, "state", "states"));
	TLV_TRY_NEW(ctx, start.mean, 2 * start.d);
	start.variance = start.mean + start.d;
	if (m > 0)
		TLV_TRY(tlv_dictionary_freeze(ctx, &start.dictionary, m, items));
	measure_steps(&start);
	if (which >= TLV_HMM_LABEL_STARTS)
		return write_start(ctx, &start, which, image, size);
	TLV_TRY_NEW(ctx, start.labels, start.n);
	if ((options->constraints & TLV_HMM_LEFT_RIGHT) != 0 || half == PARTS)
		label_parts(&start);
	else
		TLV_TRY(label_clusters(ctx, &start, half, which));
	TLV_TRY(shuffle_labels(ctx, &start, which));
	return write_start(ctx, &start, which, image, size);
}
