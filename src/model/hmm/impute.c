/*
 * impute.c - what is missing in a sequence, by the posterior of the states of its steps (hmm.h).
 */
#include "internal.h"

#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/model/hmm.h"

/* Emissions of vectors as a mixture, whose shares are the states'; full covariances are made of
 * their factors. */
static tlv_status
emissions_mixture(tlv_context *ctx, const tlv_hmm_parts *parts, tlv_mixture *mixture)
{
	size_t k = parts->k, d = parts->d, packed = tlv_packed2_size(d);

	*mixture = (tlv_mixture){.k = k, .d = d, .covariance = parts->covariance};
	mixture->weights = (double *) parts->initial; /* none is 0 */
	mixture->means = (double *) parts->emissions;
	mixture->variances = (double *) parts->variances;
	if (parts->covariance != TLV_COVARIANCE_FULL)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, mixture->variances, packed, k);
	for (size_t j = 0; j < k; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t a = 0; a < d; a++)
			for (size_t b = 0; b <= a; b++)
				mixture->variances[j * packed + tlv_packed2_index(a, b)] =
					tlv_hmm_covariance(parts, j, a, b);
	}
	return TLV_OK;
}

static tlv_status
impute_vectors(tlv_context *ctx, const tlv_hmm_parts *parts, const tlv_part *part,
			   const double *shares, double *filled)
{
	size_t d = parts->d;
	tlv_mixture mixture;

	TLV_TRY(emissions_mixture(ctx, parts, &mixture));
	for (size_t t = 0; t < part->n; t++)
		TLV_TRY(tlv_mixture_impute(ctx, &mixture, shares + t * parts->k, part->float64 + t * d,
								   part->missing + t * d, filled + t * d));
	if (mixture.variances != parts->variances)
		tlv_free(ctx, mixture.variances);
	return TLV_OK;
}

/* The position of the most probable symbol of a step. */
static size_t
likely_symbol(const tlv_hmm_parts *parts, const double *shares)
{
	size_t best = 0;
	double most = -1;

	for (size_t i = 0; i < parts->d; i++)
	{
		double probability = 0;

		for (size_t j = 0; j < parts->k; j++)
			probability += shares[j] * parts->emissions[j + parts->k * i];
		if (probability > most)
		{
			most = probability;
			best = i;
		}
	}
	return best;
}

static tlv_status
impute_symbols(tlv_context *ctx, const tlv_hmm_parts *parts, const tlv_part *part,
			   const double *shares, double *filled)
{
	for (size_t t = 0; t < part->n; t++)
	{
		bool missing = part->missing != NULL && part->missing[t];
		size_t likely = missing ? likely_symbol(parts, shares + t * parts->k) : 0;
		int64_t symbol = missing ? parts->items[likely] : part->ids[t];
		tlv_text name = missing				  ? tlv_name_at(&parts->names, likely)
						: part->names != NULL ? part->names[t]
											  : (tlv_text){NULL, 0};

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_require_exact_id(ctx, symbol, name));
		filled[t] = (double) symbol;
	}
	return TLV_OK;
}

tlv_status
tlv_hmm_impute(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *filled)
{
	const tlv_hmm_parts *parts = &((tlv_hmm_model *) model)->parts;
	const tlv_part *part = &row->part[0];
	tlv_posterior states = {0};

	TLV_TRY(model->class->infer(ctx, model, row, &states));
	TLV_TRY(tlv_posterior_begin(ctx, filled, part->n, parts->gaussian ? parts->d : 1));
	if (!parts->gaussian)
		TLV_TRY(impute_symbols(ctx, parts, part, states.values, filled->values));
	else if (part->missing != NULL)
		TLV_TRY(impute_vectors(ctx, parts, part, states.values, filled->values));
	else
		memcpy(filled->values, part->float64, filled->total * sizeof(double));
	tlv_posterior_free(ctx, &states);
	return TLV_OK;
}

/* ---- forecasts ---- */

void
tlv_hmm_forecast_states(const tlv_hmm_parts *model, const double *before, double *states)
{
	size_t k = model->k;

	memset(states, 0, k * sizeof(double));
	for (size_t from = 0; from < k; from++)
		for (size_t to = 0; to < k; to++)
			states[to] += before[from] * model->transitions[from * k + to];
}

/* Variance of a coordinate within a state. */
double
tlv_hmm_variance(const tlv_hmm_parts *model, size_t state, size_t i)
{
	return tlv_hmm_covariance(model, state, i, i);
}

double
tlv_hmm_covariance(const tlv_hmm_parts *model, size_t state, size_t a, size_t b)
{
	size_t n = tlv_mixture_variances(model->d, model->covariance);
	const double *own = model->variances + state * n;
	size_t last = a > b ? a : b, first = a > b ? b : a;
	double sum = 0;

	if (model->covariance != TLV_COVARIANCE_FULL)
		return a == b ? own[n == 1 ? 0 : a] : 0;
	for (size_t c = 0; c <= first; c++)
		sum += own[last * (last + 1) / 2 + c] * own[first * (first + 1) / 2 + c];
	return sum;
}

void
tlv_hmm_forecast_steps(const tlv_hmm_parts *model, const double *states, double *means,
					   double *variances)
{
	size_t k = model->k, d = model->d;

	for (size_t i = 0; i < d; i++)
	{
		double mean = 0, square = 0;

		for (size_t j = 0; j < k; j++)
			mean += states[j] * model->emissions[model->gaussian ? j * d + i : i * k + j];
		for (size_t j = 0; model->gaussian && j < k; j++)
		{
			double off = model->emissions[j * d + i] - mean;

			square += states[j] * (tlv_hmm_variance(model, j, i) + off * off);
		}
		means[i] = mean;
		if (model->gaussian)
			variances[i] = square;
	}
}
