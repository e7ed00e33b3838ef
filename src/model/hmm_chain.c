/*
 * hmm_chain.c - one sequence under a hidden Markov model: posteriors and
 * likelihood (forward, backward), most probable states (hmm_internal.h).
 *
 * The model's probabilities are at least TLV_HMM_LEAST, likelihoods of a step
 * are scaled to a largest of 1, and filtered probabilities to a sum of 1: nothing
 * under- or overflows, however long the sequence is.  Of long sequences only
 * the filtered probabilities at the blocks' borders are kept; each block is
 * filtered a second time on the way back.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "hmm_internal.h"
#include "tensorlv/linalg.h"

/* A density is never nothing: logarithms stay finite. */
#define LEAST_LOGARITHM (-1e300)

static inline size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ---- likelihoods of one step ---- */

/* out[j] = ln N(x; mean_j, variance_j) */
TLV_CLONES static void
log_densities(size_t k, size_t d, const double *restrict means, const double *restrict x,
			  const double *restrict log_norm, const double *restrict half_precision,
			  double *restrict out)
{
	for (size_t j = 0; j < k; j++)
		out[j] = 0;
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
		{
			double difference = x[i] - means[i * k + j];

			out[j] += difference * difference;
		}
	for (size_t j = 0; j < k; j++)
		out[j] = fmax(log_norm[j] - half_precision[j] * out[j], LEAST_LOGARITHM);
}

/* Scales logarithms to likelihoods with a largest of 1; returns what was taken off. */
static double
exponentiate(size_t k, double *values)
{
	double largest = values[0];

	for (size_t j = 1; j < k; j++)
		largest = fmax(largest, values[j]);
	for (size_t j = 0; j < k; j++)
		values[j] = exp(values[j] - largest);
	return largest;
}

/* Likelihoods of step t in each state; returns the logarithm of their scale. */
static double
step_likelihood(const tlv_hmm_model *model, const tlv_sequence *sequence, size_t t, double *out)
{
	const tlv_hmm_parts *parts = &model->parts;
	size_t k = parts->k;
	int32_t at;

	if (parts->gaussian)
	{
		log_densities(k, parts->d, model->means, sequence->x + t * parts->d, model->log_norm,
					  model->half_precision, out);
		return exponentiate(k, out);
	}
	at = tlv_dictionary_find(&model->dictionary, sequence->symbols[t]);
	for (size_t j = 0; j < k; j++)
		out[j] = at >= 0 ? parts->emissions[(size_t) at * k + j] : 1; /* unknown: as if missing */
	return 0;
}

/* ---- forward ---- */

/* next = likelihood * (T before), scaled to sum 1; returns the sum. */
TLV_CLONES static double
filter_step(size_t k, const double *restrict transitions, const double *restrict before,
			const double *restrict likelihood, double *restrict next)
{
	double sum = 0;

	for (size_t j = 0; j < k; j++)
		next[j] = 0;
	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < k; j++)
			next[j] += transitions[i * k + j] * before[i];
	for (size_t j = 0; j < k; j++)
		sum += next[j] *= likelihood[j];
	for (size_t j = 0; j < k; j++)
		next[j] /= sum;
	return sum;
}

/* Filters n steps from `first`; alpha[0] must hold the step before.  Returns the log-likelihood. */
static double
filter_block(tlv_hmm_model *model, const tlv_sequence *sequence, size_t first, size_t n)
{
	size_t k = model->parts.k;
	double log_likelihood = 0;

	for (size_t i = 0; i < n; i++)
	{
		double *likelihood = model->likelihood + i * k;
		double *next = model->alpha + (i + 1) * k;

		log_likelihood += step_likelihood(model, sequence, first + i, likelihood);
		if (first + i == 0)
		{
			double sum = 0;

			for (size_t j = 0; j < k; j++)
				sum += next[j] = model->parts.initial[j] * likelihood[j];
			for (size_t j = 0; j < k; j++)
				next[j] /= sum;
			model->scale[i] = sum;
		}
		else
			model->scale[i] = filter_step(k, model->parts.transitions, next - k, likelihood, next);
		log_likelihood += log(fmax(model->scale[i], DBL_MIN)); /* never so small; see above */
	}
	return log_likelihood;
}

/* ---- backward ---- */

/* before = T' weighted */
TLV_CLONES static void
back_step(size_t k, const double *restrict transposed, const double *restrict weighted,
		  double *restrict before)
{
	for (size_t j = 0; j < k; j++)
		before[j] = 0;
	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < k; j++)
			before[j] += transposed[i * k + j] * weighted[i];
}

/* gamma and weighted of n filtered steps; beta is that of the last one, then of the step before. */
static void
smooth_block(tlv_hmm_model *model, size_t n)
{
	size_t k = model->parts.k;

	for (size_t i = n; i-- > 0;)
	{
		const double *alpha = model->alpha + (i + 1) * k, *likelihood = model->likelihood + i * k;
		double *gamma = model->gamma + i * k, *weighted = model->weighted + i * k, sum = 0;

		for (size_t j = 0; j < k; j++)
		{
			sum += gamma[j] = alpha[j] * model->beta[j];
			weighted[j] = likelihood[j] * model->beta[j] / model->scale[i];
		}
		for (size_t j = 0; j < k; j++)
			gamma[j] /= sum;
		back_step(k, model->transposed, weighted, model->beta);
	}
}

/* Sums of weighted (x) alpha of the step before; the first step of all has none. */
static tlv_status
add_pairs(tlv_context *ctx, tlv_hmm_model *model, size_t first, size_t n)
{
	size_t k = model->parts.k, skip = first == 0 ? 1 : 0;

	if (n <= skip)
		return TLV_OK;
	return tlv_gemm(ctx, false, true, k, k, n - skip, 1, model->weighted + skip * k, k,
					model->alpha + skip * k, k, 1, model->pairs, k);
}

static tlv_status
refuse_sequence(tlv_context *ctx, const tlv_hmm_parts *parts)
{
	tlv_status status = tlv_fail(ctx, TLV_BAD_PARAMETER, "the model is of %s, the sequence is not",
								 parts->gaussian ? "vectors" : "symbols");

	tlv_fail_hint(ctx, "Give %s.",
				  parts->gaussian ? "a two-dimensional float8[], one row for each step"
								  : "an int[], one symbol for each step");
	return status;
}

tlv_status
tlv_hmm_check_sequence(tlv_context *ctx, const tlv_hmm_model *model, const tlv_sequence *sequence)
{
	const tlv_hmm_parts *parts = &model->parts;

	if (parts->gaussian == (sequence->symbols != NULL))
		return refuse_sequence(ctx, parts);
	if (!parts->gaussian)
		return TLV_OK;
	if (sequence->d != parts->d)
		return tlv_fail(ctx, TLV_BAD_DATA, "vectors of %zu numbers under a model of %zu",
						sequence->d, parts->d);
	for (size_t i = 0; i < sequence->n * sequence->d; i++)
		if (!isfinite(sequence->x[i]))
			return tlv_fail(ctx, TLV_BAD_DATA, "number %zu of step %zu is %s", i % sequence->d + 1,
							i / sequence->d + 1, isnan(sequence->x[i]) ? "NaN" : "infinite");
	return TLV_OK;
}

tlv_status
tlv_hmm_smooth(tlv_context *ctx, tlv_hmm_model *model, const tlv_sequence *sequence,
			   tlv_hmm_visit visit, void *argument, double *pairs, double *log_likelihood)
{
	size_t k = model->parts.k, n = sequence->n;
	size_t blocks = (n + HMM_BLOCK - 1) / HMM_BLOCK;
	double *borders = tlv_alloc(ctx, (blocks + 1) * k, sizeof(double));

	TLV_TRY_ALLOC(ctx, borders);
	*log_likelihood = 0;
	for (size_t b = 0; b < blocks; b++)
	{
		size_t own = least(HMM_BLOCK, n - b * HMM_BLOCK);

		TLV_TRY_CONTINUE(ctx);
		*log_likelihood += filter_block(model, sequence, b * HMM_BLOCK, own);
		memcpy(borders + b * k, model->alpha + own * k, k * sizeof(double));
		memcpy(model->alpha, borders + b * k, k * sizeof(double));
	}
	for (size_t j = 0; j < k; j++)
		model->beta[j] = 1;
	memset(model->pairs, 0, k * k * sizeof(double));
	for (size_t b = visit != NULL ? blocks : 0; b-- > 0;)
	{
		size_t own = least(HMM_BLOCK, n - b * HMM_BLOCK);

		TLV_TRY_CONTINUE(ctx);
		if (b > 0)
			memcpy(model->alpha, borders + (b - 1) * k, k * sizeof(double));
		if (b + 1 < blocks) /* the last block is still there */
			(void) filter_block(model, sequence, b * HMM_BLOCK, own);
		smooth_block(model, own);
		if (pairs != NULL)
			TLV_TRY(add_pairs(ctx, model, b * HMM_BLOCK, own));
		TLV_TRY(visit(ctx, argument, b * HMM_BLOCK, own, model->gamma));
	}
	for (size_t e = 0; pairs != NULL && e < k * k; e++)
		pairs[e] += model->pairs[e] * model->parts.transitions[e];
	tlv_free(ctx, borders);
	return TLV_OK;
}

/* ---- most probable states ---- */

/* next[j] = max_i before[i] + ln T[j, i]; from[j] says which i. */
static void
viterbi_step(size_t k, const double *restrict logarithms, const double *restrict before,
			 double *restrict next, uint16_t *restrict from)
{
	for (size_t j = 0; j < k; j++)
	{
		next[j] = before[0] + logarithms[j];
		from[j] = 0;
	}
	for (size_t i = 1; i < k; i++)
		for (size_t j = 0; j < k; j++)
		{
			double value = before[i] + logarithms[i * k + j];

			if (value > next[j])
			{
				next[j] = value;
				from[j] = (uint16_t) i;
			}
		}
}

tlv_status
tlv_hmm_decode(tlv_context *ctx, tlv_hmm_model *model, const tlv_sequence *sequence,
			   int32_t *states)
{
	size_t k = model->parts.k, n = sequence->n, best = 0;
	uint16_t *from = tlv_alloc(ctx, n * k, sizeof(uint16_t));
	double *logarithms, *before, *next, *likelihood;

	TLV_TRY_ALLOC(ctx, from);
	logarithms = tlv_alloc(ctx, k * k + 3 * k, sizeof(double));
	TLV_TRY_ALLOC(ctx, logarithms);
	before = logarithms + k * k;
	next = before + k;
	likelihood = next + k;
	for (size_t e = 0; e < k * k; e++)
		logarithms[e] = log(model->parts.transitions[e]);
	for (size_t t = 0; t < n; t++)
	{
		double largest = LEAST_LOGARITHM;

		if (t % HMM_BLOCK == 0)
			TLV_TRY_CONTINUE(ctx);
		if (t > 0)
			viterbi_step(k, logarithms, before, next, from + t * k);
		(void) step_likelihood(model, sequence, t, likelihood);
		for (size_t j = 0; j < k; j++)
		{
			next[j] =
				(t > 0 ? next[j] : log(model->parts.initial[j])) + log(fmax(likelihood[j], 1e-300));
			largest = fmax(largest, next[j]);
		}
		for (size_t j = 0; j < k; j++)
			before[j] = next[j] - largest;
	}
	for (size_t j = 1; j < k && n > 0; j++)
		best = before[j] > before[best] ? j : best;
	for (size_t t = n; t-- > 0;)
	{
		states[t] = (int32_t) best;
		best = t > 0 ? from[t * k + best] : 0;
	}
	tlv_free(ctx, logarithms);
	tlv_free(ctx, from);
	return TLV_OK;
}
