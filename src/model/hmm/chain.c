/*
 * chain.c - one sequence under a hidden Markov model: forward, backward, posteriors and
 * likelihood (internal.h).  The states of a step are worked on together.
 *
 * Likelihoods of a vector are scaled to a largest of 1, those of symbols are at least
 * TLV_LEAST_PROBABILITY / 10, and filtered probabilities are scaled to a sum of 1 every
 * TLV_OCTET_STEPS steps: nothing under- or overflows, however long the sequence is.  Of long
 * sequences only the filtered probabilities at the blocks' borders are kept; each block is
 * filtered a second time on the way back.
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/refusals.h"
#include "tensorlv/num/fast_math.h"
#include "internal.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/linalg.h"

/* A density is never nothing: logarithms stay finite. */
#define LEAST_LOGARITHM (-1e300)

/* ---- likelihoods of vectors ---- */

/* Logarithms stay finite. */
static inline __attribute__((always_inline)) void
limit_densities(size_t stride, double *out)
{
	for (size_t j = 0; j < stride; j++)
		out[j] = out[j] > LEAST_LOGARITHM ? out[j] : LEAST_LOGARITHM;
}

/* out[j] = ln N(x; mean_j, variance_j), padded to whole octets. */
TLV_CLONES static void
spherical_densities(size_t stride, size_t d, const double *restrict means, const double *restrict x,
					const double *restrict log_norm, const double *restrict half_precision,
					double *restrict out)
{
	for (size_t b = 0; b < stride; b += TLV_OCTET)
	{
		tlv_octet sum = {0};

		for (size_t i = 0; i < d; i++)
		{
			tlv_octet difference = x[i] - *(const tlv_octet *) (means + i * stride + b);

			sum += difference * difference;
		}
		*(tlv_octet *) (out + b) =
			*(const tlv_octet *) (log_norm + b) - *(const tlv_octet *) (half_precision + b) * sum;
	}
	limit_densities(stride, out);
}

/* The same with a variance for every coordinate. */
TLV_CLONES static void
diagonal_densities(size_t stride, size_t d, const double *restrict means, const double *restrict x,
				   const double *restrict log_norm, const double *restrict half_precision,
				   double *restrict out)
{
	for (size_t b = 0; b < stride; b += TLV_OCTET)
	{
		tlv_octet sum = *(const tlv_octet *) (log_norm + b);

		for (size_t i = 0; i < d; i++)
		{
			tlv_octet difference = x[i] - *(const tlv_octet *) (means + i * stride + b);

			sum -= *(const tlv_octet *) (half_precision + i * stride + b) * difference * difference;
		}
		*(tlv_octet *) (out + b) = sum;
	}
	limit_densities(stride, out);
}

/* The same with the inverses of the covariances' factors. */
TLV_CLONES static void
full_densities(size_t stride, size_t d, const double *restrict means, const double *restrict x,
			   const double *restrict log_norm, const double *restrict inverse,
			   double *restrict difference, double *restrict out)
{
	for (size_t b = 0; b < stride; b += TLV_OCTET)
	{
		tlv_octet sum = *(const tlv_octet *) (log_norm + b);
		const double *row = inverse + b;

		for (size_t i = 0; i < d; i++)
			*(tlv_octet *) (difference + i * stride + b) =
				x[i] - *(const tlv_octet *) (means + i * stride + b);
		for (size_t i = 0; i < d; i++)
		{
			tlv_octet product = {0};

			for (size_t c = 0; c <= i; c++, row += stride)
				product +=
					*(const tlv_octet *) row * *(const tlv_octet *) (difference + c * stride + b);
			sum -= product * product;
		}
		*(tlv_octet *) (out + b) = sum;
	}
	limit_densities(stride, out);
}

static inline void
log_densities(const tlv_hmm_model *model, const double *x, double *out)
{
	size_t d = model->parts.d, stride = model->stride;

	if (model->parts.covariance < TLV_COVARIANCE_DIAGONAL)
		spherical_densities(stride, d, model->means, x, model->log_norm, model->half_precision,
							out);
	else if (model->parts.covariance == TLV_COVARIANCE_DIAGONAL)
		diagonal_densities(stride, d, model->means, x, model->log_norm, model->half_precision, out);
	else
		full_densities(stride, d, model->means, x, model->log_norm, model->half_precision,
					   model->difference, out);
}

TLV_CLONES static void
exponentiate(size_t stride, double largest, double *restrict values)
{
	/* A likelihood of exp(this) beside 1 is nothing: products of it would be denormal. */
	const double least_exponent = -600.0;

	for (size_t j = 0; j < stride; j++)
	{
		double below = values[j] - largest, value = tlv_exp_nonpositive(below);

		values[j] = below > least_exponent ? value : 0;
	}
}

double
tlv_hmm_densities(const tlv_hmm_model *model, size_t n, const double *x, bool scaled,
				  double *densities)
{
	size_t k = model->parts.k, d = model->parts.d, stride = model->stride;
	double taken = 0;

	for (size_t t = 0; t < n; t++, x += d, densities += stride)
	{
		double largest;

		if (model->missing && tlv_hmm_is_incomplete(d, x))
			tlv_hmm_incomplete_densities(model, x, densities);
		else
			log_densities(model, x, densities);
		largest = densities[0];
		for (size_t j = 1; j < k; j++)
			largest = densities[j] > largest ? densities[j] : largest;
		if (scaled)
			exponentiate(stride, largest, densities);
		for (size_t j = k; j < stride; j++)
			densities[j] = 0;
		taken += scaled ? largest : 0;
	}
	return taken;
}

/* Columns of the likelihoods of n steps; the logarithm of their scale is added. */
static tlv_status
block_likelihoods(tlv_context *ctx, tlv_hmm_model *model, const tlv_sequence *sequence,
				  size_t first, size_t n, double *log_likelihood)
{
	for (size_t i = 0; i < n && model->parts.gaussian; i += model->piece)
	{
		TLV_TRY_CONTINUE(ctx);
		*log_likelihood += tlv_hmm_densities(model, tlv_least(model->piece, n - i),
											 sequence->x + (first + i) * sequence->d, true,
											 model->likelihood + i * model->stride);
	}
	for (size_t i = 0; i < n && !model->parts.gaussian; i++)
		model->at[i] = tlv_hmm_position(model, sequence->symbols[first + i]);
	return TLV_OK;
}

/* ---- forward ---- */

/* One row of alpha scaled to a sum of 1, which is returned. */
static inline double
normalize_row(size_t stride, double *row)
{
	double sum = 0;

	for (size_t b = 0; b < stride; b += TLV_OCTET)
		sum += tlv_octet_sum((const tlv_octet *) (row + b));
	tlv_assert(sum > 0);
	for (size_t b = 0; b < stride; b += TLV_OCTET)
		*(tlv_octet *) (row + b) *= 1 / sum;
	return sum;
}

/* out = matrix (stride x k) in, times likelihood. */
static inline __attribute__((always_inline)) void
step(size_t k, size_t stride, const double *restrict matrix, const double *in, double *out)
{
	for (size_t b = 0; b < stride; b += TLV_OCTET)
	{
		tlv_octet even = {0}, odd = {0};
		const double *column = matrix + b;
		size_t i = 0;

		for (; i + 2 <= k; i += 2, column += 2 * stride)
		{
			even += in[i] * *(const tlv_octet *) column;
			odd += in[i + 1] * *(const tlv_octet *) (column + stride);
		}
		if (i < k)
			even += in[i] * *(const tlv_octet *) column;
		*(tlv_octet *) (out + b) = even + odd;
	}
}

/*
 * Filters n steps; row 0 of alpha is the step before.  at: columns of table, or (NULL) one after
 * the other.  Returns the log-likelihood.
 */
TLV_CLONES static double
filter_steps(size_t k, size_t stride, const double *restrict forward, const double *restrict table,
			 const int32_t *restrict at, size_t n, double *alpha, double *restrict scale)
{
	/* Below this, a product of scales is turned into its logarithm. */
	const double least_product = 1e-200;
	double log_likelihood = 0, product = 1;

	for (size_t i = 0; i < n; i++)
	{
		const double *likelihood = table + (at != NULL ? (size_t) at[i] : i) * stride;
		double *next = alpha + (i + 1) * stride;

		step(k, stride, forward, next - stride, next);
		for (size_t b = 0; b < stride; b += TLV_OCTET)
			*(tlv_octet *) (next + b) *= *(const tlv_octet *) (likelihood + b);
		scale[i] = 1;
		if (i % TLV_OCTET_STEPS != TLV_OCTET_STEPS - 1 && i + 1 < n)
			continue;
		scale[i] = normalize_row(stride, next);
		product *= scale[i];
		if (product < least_product)
		{
			log_likelihood += log(product);
			product = 1;
		}
	}
	return log_likelihood + log(product);
}

/* The first step of all; returns its log-likelihood. */
static double
begin_filter(tlv_hmm_model *model, const double *likelihood)
{
	for (size_t j = 0; j < model->stride; j++)
		model->alpha[model->stride + j] = model->initial[j] * likelihood[j];
	model->scale[0] = normalize_row(model->stride, model->alpha + model->stride);
	return log(model->scale[0]);
}

/* Filters n steps from `first`; alpha[0] must hold the step before.  Adds the log-likelihood. */
static tlv_status
hmm_filter_block(tlv_context *ctx, tlv_hmm_model *model, const tlv_sequence *sequence, size_t first,
				 size_t n, double *log_likelihood)
{
	const double *table = model->parts.gaussian ? model->likelihood : model->emissions;
	const int32_t *at = model->parts.gaussian ? NULL : model->at;
	size_t stride = model->stride, begun = first == 0 ? 1 : 0;

	TLV_TRY(block_likelihoods(ctx, model, sequence, first, n, log_likelihood));
	if (begun > 0)
		*log_likelihood += begin_filter(model, table + (at != NULL ? (size_t) at[0] * stride : 0));
	for (size_t i = begun; i < n; i += model->piece)
	{
		TLV_TRY_CONTINUE(ctx);
		*log_likelihood += filter_steps(model->parts.k, stride, model->forward,
										at != NULL ? table : table + i * stride,
										at != NULL ? at + i : NULL, tlv_least(model->piece, n - i),
										model->alpha + i * stride, model->scale + i);
	}
	return TLV_OK;
}

/* ---- backward ---- */

/* gamma and weighted of n filtered steps; beta is that of the last one, then of the step before. */
TLV_CLONES static void
smooth_steps(size_t k, size_t stride, const double *restrict backward, const double *restrict table,
			 const int32_t *restrict at, size_t n, const double *restrict alpha,
			 const double *restrict scale, double *restrict beta, double *restrict gamma,
			 double *restrict weighted)
{
	for (size_t i = n; i-- > 0;)
	{
		const double *likelihood = table + (at != NULL ? (size_t) at[i] : i) * stride;
		const double *filtered = alpha + (i + 1) * stride;
		double inverse = 1 / scale[i];

		for (size_t b = 0; b < stride; b += TLV_OCTET)
		{
			tlv_octet follows = *(const tlv_octet *) (beta + b);

			*(tlv_octet *) (gamma + i * stride + b) = *(const tlv_octet *) (filtered + b) * follows;
			*(tlv_octet *) (weighted + i * stride + b) =
				inverse * *(const tlv_octet *) (likelihood + b) * follows;
		}
		step(k, stride, backward, weighted + i * stride, beta);
	}
}

static tlv_status
smooth_block(tlv_context *ctx, tlv_hmm_model *model, size_t n)
{
	bool gaussian = model->parts.gaussian;
	size_t stride = model->stride, pieces = (n + model->piece - 1) / model->piece;

	for (size_t p = pieces; p-- > 0;)
	{
		size_t i = p * model->piece;

		TLV_TRY_CONTINUE(ctx);
		smooth_steps(model->parts.k, stride, model->backward,
					 gaussian ? model->likelihood + i * stride : model->emissions,
					 gaussian ? NULL : model->at + i, tlv_least(model->piece, n - i),
					 model->alpha + i * stride, model->scale + i, model->beta,
					 model->gamma + i * stride, model->weighted + i * stride);
	}
	return TLV_OK;
}

/* Sums of weighted (x) alpha of the step before; the first step of all has none. */
static tlv_status
hmm_add_pairs(tlv_context *ctx, tlv_hmm_model *model, size_t first, size_t n)
{
	size_t k = model->parts.k, stride = model->stride, skip = first == 0 ? 1 : 0;

	if (n <= skip)
		return TLV_OK;
	return tlv_gemm(ctx, false, true, k, k, n - skip, 1, model->weighted + skip * stride, stride,
					model->alpha + skip * stride, stride, 1, model->pairs, k);
}

static tlv_status
refuse_sequence(tlv_context *ctx, const tlv_hmm_parts *parts)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER, "the model is of %s, the sequence is not",
			 parts->gaussian ? "vectors" : "symbols");
	return tlv_fail_hint(ctx, "Give %s.",
						 parts->gaussian ? "a two-dimensional float8[], one row for each step"
										 : "an int[], one symbol for each step");
}

tlv_status
tlv_hmm_check_sequence(tlv_context *ctx, tlv_hmm_model *model, const tlv_sequence *sequence)
{
	const tlv_hmm_parts *parts = &model->parts;

	if (parts->gaussian == (sequence->symbols != NULL))
		return refuse_sequence(ctx, parts);
	if (!parts->gaussian)
		return TLV_OK;
	if (sequence->d != parts->d)
		return tlv_refuse_width(ctx, sequence->d, parts->d);
	for (size_t i = 0; i < sequence->n * sequence->d; i++)
		if (!isfinite(sequence->x[i]) && (sequence->missing == NULL || !sequence->missing[i]))
			return tlv_refuse_step(ctx, i, sequence->d, sequence->x[i]);
	model->missing = sequence->missing != NULL;
	if (!model->missing || model->incomplete != NULL)
		return TLV_OK;
	TLV_TRY_NEW(ctx, model->places, parts->d);
	TLV_TRY_NEW(ctx, model->incomplete, 2 * parts->d * (parts->d + 1));
	return TLV_OK;
}

/* Back from the last block, which is still there, to the first. */
static tlv_status
smooth_back(tlv_context *ctx, tlv_hmm_model *model, const tlv_sequence *sequence,
			const double *borders, tlv_hmm_visit visit, void *argument, bool pairs)
{
	size_t stride = model->stride, blocks = (sequence->n + HMM_BLOCK - 1) / HMM_BLOCK;
	double known = 0;

	for (size_t j = 0; j < stride; j++)
		model->beta[j] = 1;
	for (size_t b = blocks; b-- > 0;)
	{
		size_t first = b * HMM_BLOCK, own = tlv_least(HMM_BLOCK, sequence->n - first);

		TLV_TRY_CONTINUE(ctx);
		if (b > 0)
			memcpy(model->alpha, borders + (b - 1) * stride, stride * sizeof(double));
		if (b + 1 < blocks)
			TLV_TRY(hmm_filter_block(ctx, model, sequence, first, own, &known));
		TLV_TRY(smooth_block(ctx, model, own));
		if (pairs)
			TLV_TRY(hmm_add_pairs(ctx, model, first, own));
		TLV_TRY(visit(ctx, argument, first, own, model->at, model->gamma));
	}
	return TLV_OK;
}

tlv_status
tlv_hmm_smooth(tlv_context *ctx, tlv_hmm_model *model, const tlv_sequence *sequence,
			   tlv_hmm_visit visit, void *argument, double *pairs, double *log_likelihood)
{
	size_t k = model->parts.k, stride = model->stride, n = sequence->n;
	size_t blocks = (n + HMM_BLOCK - 1) / HMM_BLOCK;
	double *borders = NULL;

	*log_likelihood = 0;
	if (visit != NULL && blocks > 1)
		TLV_TRY_NEW(ctx, borders, blocks * stride);
	for (size_t b = 0; b < blocks; b++)
	{
		size_t own = tlv_least(HMM_BLOCK, n - b * HMM_BLOCK);
		double *last = model->alpha + own * stride;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(hmm_filter_block(ctx, model, sequence, b * HMM_BLOCK, own, log_likelihood));
		if (borders != NULL)
			memcpy(borders + b * stride, last, stride * sizeof(double));
		if (b + 1 < blocks)
			memcpy(model->alpha, last, stride * sizeof(double));
	}
	if (visit != NULL)
	{
		memset(model->pairs, 0, k * k * sizeof(double));
		TLV_TRY(smooth_back(ctx, model, sequence, borders, visit, argument, pairs != NULL));
	}
	for (size_t e = 0; visit != NULL && pairs != NULL && e < k * k; e++)
		pairs[e] += model->pairs[e] * model->parts.transitions[e];
	tlv_free(ctx, borders);
	return TLV_OK;
}
