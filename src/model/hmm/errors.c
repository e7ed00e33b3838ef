/*
 * errors.c - estimates of hidden Markov models, and the scores of a sequence (errors.h).
 *
 * The score of a sequence is that of its expected transitions, first state and emissions (Fisher's
 * identity).  A long one is divided into pieces that are long beside the memory of the chain: their
 * parts of the score hardly depend on each other.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/num/linalg.h"

/* How often transitions are squared: their 64th power is that of the second eigenvalue alone. */
#define SQUARINGS 6

/* ---- estimates ---- */

typedef struct hmm_listing
{
	const tlv_hmm_parts *parts;
	bool whole;
	size_t block, group;
	tlv_estimates *list;
} hmm_listing;

/* One probability of the group at hand. */
static tlv_status
add_probability(tlv_context *ctx, hmm_listing *listing, tlv_estimate estimate)
{
	estimate.group = listing->group;
	estimate.block = listing->block;
	return tlv_estimates_add(ctx, listing->list, &estimate);
}

/* A new group of n, in a block of its own where parameters are divided and it fits into one. */
static void
begin_group(hmm_listing *listing)
{
	listing->group++;
	if (!listing->whole && listing->list->n > 0)
		listing->block++;
}

static tlv_status
add_chain(tlv_context *ctx, hmm_listing *listing)
{
	const tlv_hmm_parts *parts = listing->parts;
	bool left_right = (parts->constraints & TLV_HMM_LEFT_RIGHT) != 0;
	bool fixed = (parts->constraints & TLV_HMM_FIXED_TRANSITIONS) != 0;
	bool many = parts->k > TLV_SCORES_MOST_BLOCK;
	size_t k = parts->k;

	begin_group(listing);
	for (size_t j = 0; j < k; j++)
	{
		TLV_TRY(add_probability(ctx, listing,
								(tlv_estimate){.part = TLV_ESTIMATE_INITIAL,
											   .component = j + 1,
											   .estimate = parts->initial[j],
											   .fixed = left_right || many || k == 1}));
		listing->block += many;
	}
	for (size_t from = 0; from < k; from++)
	{
		begin_group(listing);
		for (size_t to = 0; to < k; to++)
		{
			TLV_TRY(add_probability(
				ctx, listing,
				(tlv_estimate){.part = TLV_ESTIMATE_TRANSITION,
							   .component = from + 1,
							   .has_item = true,
							   .item = (int64_t) to + 1,
							   .estimate = parts->transitions[from * k + to],
							   .fixed = fixed || many || k == 1 || (left_right && to < from)}));
			listing->block += many;
		}
	}
	return TLV_OK;
}

static tlv_status
add_symbols(tlv_context *ctx, hmm_listing *listing)
{
	const tlv_hmm_parts *parts = listing->parts;
	bool fixed = (parts->constraints & TLV_HMM_FIXED_EMISSIONS) != 0;
	bool many = parts->d > TLV_SCORES_MOST_BLOCK;

	for (size_t j = 0; j < parts->k; j++)
	{
		begin_group(listing);
		for (size_t i = 0; i < parts->d; i++)
		{
			TLV_TRY(add_probability(ctx, listing,
									(tlv_estimate){.part = TLV_ESTIMATE_PROBABILITY,
												   .component = j + 1,
												   .has_item = true,
												   .item = parts->items[i],
												   .name = {tlv_name_at(&parts->names, i)},
												   .estimate = parts->emissions[i * parts->k + j],
												   .fixed = fixed || many || parts->d == 1}));
			listing->block += many;
		}
	}
	return TLV_OK;
}

/* Vectors of the states as components of a mixture, whose arrays are the caller's to free. */
static tlv_status
mixture_of_states(tlv_context *ctx, const tlv_frame *model, const tlv_hmm_parts *parts,
				  tlv_mixture *mixture)
{
	size_t k = parts->k, d = parts->d, each = tlv_mixture_variances(d, parts->covariance);

	TLV_TRY(tlv_mixture_create(ctx, k, d, parts->covariance, mixture));
	memcpy(mixture->weights, tlv_frame_float64(model, "stationary"), k * sizeof(double));
	memcpy(mixture->means, parts->emissions, k * d * sizeof(double));
	if (parts->covariance != TLV_COVARIANCE_FULL)
	{
		memcpy(mixture->variances, parts->variances, k * each * sizeof(double));
		return TLV_OK;
	}
	for (size_t j = 0; j < k; j++)
		for (size_t a = 0; a < d; a++)
		{
			TLV_TRY_CONTINUE(ctx);
			for (size_t b = 0; b <= a; b++)
				mixture->variances[j * each + tlv_packed2_index(a, b)] =
					tlv_hmm_covariance(parts, j, a, b);
		}
	return TLV_OK;
}

static tlv_status
hmm_add_vectors(tlv_context *ctx, hmm_listing *listing, const tlv_frame *model)
{
	tlv_mixture_listing vectors = {.names = tlv_dimension_names(model),
								   .fixed_means =
									   (listing->parts->constraints & TLV_HMM_FIXED_EMISSIONS) != 0,
								   .whole = listing->whole,
								   .block = listing->block,
								   .list = listing->list};
	tlv_mixture mixture;

	TLV_TRY(mixture_of_states(ctx, model, listing->parts, &mixture));
	vectors.mixture = &mixture;
	TLV_TRY(tlv_mixture_list_components(ctx, &vectors));
	tlv_mixture_free(ctx, &mixture);
	return TLV_OK;
}

tlv_status
tlv_hmm_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	tlv_hmm_parts parts;
	hmm_listing listing = {.parts = &parts, .list = list};
	double numbers;

	tlv_hmm_read(model, &parts);
	numbers = (double) parts.k * (double) (1 + parts.k);
	numbers += parts.gaussian ? tlv_mixture_parameters(parts.k, parts.d, parts.covariance, false)
							  : (double) parts.k * (double) parts.d;
	listing.whole = numbers <= TLV_SCORES_MOST_BLOCK;
	TLV_TRY(add_chain(ctx, &listing));
	return parts.gaussian ? hmm_add_vectors(ctx, &listing, model) : add_symbols(ctx, &listing);
}

/* ---- scores ---- */

/*
 * The modulus of the second eigenvalue of the transitions T, as far as the Frobenius norm of (T - s
 * 1')^64 tells, s the stationary distribution.
 */
static tlv_status
second_eigenvalue(tlv_context *ctx, const tlv_hmm_model *model, double *value)
{
	size_t k = model->parts.k, n = k * k;
	const double *stationary = tlv_frame_float64(&model->base.frame, "stationary");
	double *power, *square, norm = 0;

	TLV_TRY_NEW(ctx, power, 2 * n);
	square = power + n;
	for (size_t e = 0; e < n; e++)
		power[e] = model->parts.transitions[e] - stationary[e % k];
	for (int i = 0; i < SQUARINGS; i++)
	{
		TLV_TRY(tlv_gemm(ctx, false, false, k, k, k, 1, power, k, power, k, 0, square, k));
		memcpy(power, square, n * sizeof(double));
	}
	for (size_t e = 0; e < n; e++)
		norm += power[e] * power[e];
	*value = pow(norm, 0.5 / (1 << SQUARINGS));
	tlv_free(ctx, power);
	return TLV_OK;
}

/* What scores need, made by the first. */
static tlv_status
open_scores(tlv_context *ctx, tlv_hmm_model *model, hmm_scores **scores)
{
	double memory;

	TLV_TRY_NEW0(ctx, *scores, 1);
	TLV_TRY(second_eigenvalue(ctx, model, &memory));
	memory = MEMORIES / fmax(1 - memory, 1e-3);
	(*scores)->piece = (size_t) fmin(fmax(ceil(memory), LEAST_PIECE), (double) HMM_BLOCK);
	TLV_TRY_NEW_ROWS(ctx, (*scores)->pairs, model->parts.k, model->parts.k);
	if (!model->parts.gaussian)
		return TLV_OK;
	TLV_TRY(mixture_of_states(ctx, &model->base.frame, &model->parts, &(*scores)->mixture));
	return tlv_mixture_scorer_open(ctx, &(*scores)->mixture, &(*scores)->scorer);
}

/* Expected transitions into the steps from `first` to `end` of the block at hand: counts less what
 * was expected, the derivative by their logarithms. */
static tlv_status
score_transitions(tlv_context *ctx, tlv_hmm_model *model, size_t first, size_t end, double *scores,
				  double *counts)
{
	size_t k = model->parts.k, stride = model->stride;
	double *pairs = model->scores->pairs;

	if (end <= first)
		return TLV_OK;
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, end - first, 1, model->weighted + first * stride,
					 stride, model->alpha + first * stride, stride, 0, pairs, k));
	for (size_t from = 0; from < k; from++)
	{
		const double *transitions = model->parts.transitions + from * k;
		double total = 0;

		for (size_t to = 0; to < k; to++)
			total += pairs[from * k + to] *= transitions[to];
		for (size_t to = 0; to < k; to++)
		{
			scores[from * k + to] += pairs[from * k + to] - total * transitions[to];
			counts[from * k + to] += total;
		}
	}
	return TLV_OK;
}

/* Of symbols; those that the model does not know tell of the states alone. */
static void
score_symbols(const tlv_hmm_model *model, size_t n, const int32_t *at, const double *gamma,
			  double *scores, double *counts)
{
	const tlv_hmm_parts *parts = &model->parts;
	double *totals = model->scores->pairs;
	size_t k = parts->k, d = parts->d;

	memset(totals, 0, k * sizeof(double));
	for (size_t t = 0; t < n; t++, gamma += model->stride)
		for (size_t j = 0; (size_t) at[t] < d && j < k; j++)
		{
			scores[j * d + (size_t) at[t]] += gamma[j];
			totals[j] += gamma[j];
		}
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
		{
			scores[j * d + i] -= totals[j] * parts->emissions[i * k + j];
			counts[j * d + i] += totals[j];
		}
}

static void
score_vector(const hmm_scores *own, size_t k, size_t d, const double *x, const double *gamma,
			 double *scores)
{
	for (size_t i = 0; i < d; i++)
		if (!isfinite(x[i])) /* what is missing tells of the states alone */
			return;
	for (size_t j = 0; j < k; j++)
		if (gamma[j] > 0)
			tlv_mixture_score(&own->scorer, j, gamma[j], x, scores);
}

typedef struct score_visit
{
	tlv_hmm_model *model;
	const tlv_sequence *sequence;
	tlv_score_sink *sink;
} score_visit;

/* A piece of a block: steps from `first` to `end` in it, of the sequence from `before` + first. */
static tlv_status
score_piece(tlv_context *ctx, const score_visit *visit, size_t before, size_t first, size_t end,
			const int32_t *at, const double *gamma)
{
	tlv_hmm_model *model = visit->model;
	const tlv_hmm_parts *parts = &model->parts;
	size_t k = parts->k, d = parts->d, chain = k + k * k;
	bool begins = before + first == 0;
	double *scores, *counts;

	TLV_TRY(tlv_scores_next(ctx, visit->sink, (double) (end - first), &scores, &counts));
	for (size_t j = 0; begins && j < k; j++)
	{
		scores[j] = gamma[j] - parts->initial[j];
		counts[j] += 1;
	}
	TLV_TRY(score_transitions(ctx, model, first + begins, end, scores + k, counts + k));
	if (!parts->gaussian)
		score_symbols(model, end - first, at + first, gamma + first * model->stride, scores + chain,
					  counts + chain);
	for (size_t t = first; parts->gaussian && t < end; t++)
		score_vector(model->scores, k, d, visit->sequence->x + (before + t) * d,
					 gamma + t * model->stride, scores + chain);
	return TLV_OK;
}

static tlv_status
score_block(tlv_context *ctx, void *argument, size_t first, size_t n, const int32_t *at,
			const double *gamma)
{
	const score_visit *visit = argument;
	size_t pieces = n / visit->model->scores->piece;

	pieces = pieces > 0 ? pieces : 1;
	for (size_t i = 0; i < pieces; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(score_piece(ctx, visit, first, n * i / pieces, n * (i + 1) / pieces, at, gamma));
	}
	return TLV_OK;
}

tlv_status
tlv_hmm_score(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_score_sink *sink)
{
	tlv_hmm_model *hmm = (tlv_hmm_model *) model;
	tlv_sequence sequence = tlv_sequence_of_row(row);
	score_visit visit = {.model = hmm, .sequence = &sequence, .sink = sink};
	double log_likelihood;

	if (sequence.n == 0)
		return TLV_OK;
	TLV_TRY(tlv_hmm_check_sequence(ctx, hmm, &sequence));
	if (hmm->scores == NULL)
		TLV_TRY(open_scores(ctx, hmm, &hmm->scores));
	return tlv_hmm_smooth(ctx, hmm, &sequence, score_block, &visit, NULL, &log_likelihood);
}

/* ---- other values ---- */

/* The factors of the covariances of a mixture, as they are stored, in place. */
static tlv_status
factor_covariances(tlv_context *ctx, tlv_mixture *mixture)
{
	size_t d = mixture->d, each = tlv_packed2_size(d);
	double *matrix;

	TLV_TRY_NEW_ROWS(ctx, matrix, d, d);
	for (size_t j = 0; j < mixture->k; j++)
	{
		double *own = mixture->variances + j * each;

		for (size_t a = 0; a < d; a++)
			for (size_t b = 0; b <= a; b++)
				matrix[b * d + a] = own[tlv_packed2_index(a, b)];
		TLV_TRY(tlv_cholesky(ctx, d, matrix));
		for (size_t a = 0; a < d; a++)
			for (size_t b = 0; b <= a; b++)
				own[tlv_packed2_index(a, b)] = matrix[b * d + a];
	}
	tlv_free(ctx, matrix);
	return TLV_OK;
}

/* Emissions of symbols, k x d, from d values of each state. */
static tlv_status
redraw_symbols(tlv_context *ctx, tlv_hmm_parts *parts, const double *values)
{
	size_t k = parts->k, d = parts->d;
	double *emissions;

	TLV_TRY_NEW_ROWS(ctx, emissions, k, d);
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			emissions[i * k + j] = values[j * d + i];
	parts->emissions = emissions;
	return TLV_OK;
}

tlv_status
tlv_hmm_redraw(tlv_context *ctx, const tlv_frame *model, const double *values, void **image,
			   size_t *size)
{
	tlv_diagnostics none = {0};
	tlv_mixture mixture;
	tlv_hmm_parts parts;

	tlv_hmm_read(model, &parts);
	if (parts.gaussian)
	{
		TLV_TRY(mixture_of_states(ctx, model, &parts, &mixture));
		TLV_TRY(tlv_mixture_redraw(ctx, values + parts.k * (1 + parts.k), &mixture));
		if (parts.covariance == TLV_COVARIANCE_FULL)
			TLV_TRY(factor_covariances(ctx, &mixture));
		parts.emissions = mixture.means;
		parts.variances = mixture.variances;
	}
	else
		TLV_TRY(redraw_symbols(ctx, &parts, values + parts.k * (1 + parts.k)));
	parts.initial = values;
	parts.transitions = values + parts.k;
	parts.in_order = true;
	parts.diagnostics = &none;
	return tlv_hmm_write(ctx, &parts, image, size);
}
