/*
 * errors.c - what a pass over documents sums up for the standard errors of topics, and for tests of
 * whether other documents are like them (lda.h).
 *
 * The error of a probability is a sum over documents of their influences on it, whose squares add
 * up.  A document of counts c and length L has the expected counts N (topics by items), N_j their
 * sums; then
 *
 *     refined topics        x_ij = N_ij - p_ij N_j, over N_j of all documents
 *     topics from moments   x_ij = c_i ((z_j - u_ij) / (L - 1) - a0) + a0 s_i (L - g_j) - p_ij g_j,
 *                           over all tokens
 *
 * with P'A = I (products.c), g_j = P_j'c / weight_j, u_ij = (a0 + 1) P_ij / weight_j, z_j = (a0 +
 * 1) g_j and s the items' shares of all topics: the derivative of a_j = M2 P_j / D_j, the topic
 * read through the second moments.  What is not sparse in x is a product of two vectors, so that
 * the square needs one sum by topic and item and the products of N_j and N_l, in whose place stands
 * weight_j g_j where the topics are from moments.
 *
 * Expectation maximisation hides a part r_ij of the error: a step gives back of a movement of p_ij
 * what tokens of the item are not of the topic for certain, 1 - r_ij = sum N_ij^2 / c_i / sum N_ij.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"

/* Sizes: topics, items, groups. */
#define SIZE_K		TLV_SIZE_1
#define SIZE_D		TLV_SIZE_2
#define SIZE_GROUPS TLV_SIZE_3

typedef struct errors_state
{
	tlv_declared declared;
	tlv_lda_model *model; /* NULL when only stored values are merged */
	tlv_digest fingerprint;
	double moments; /* 1: topics from moments, 0: refined */
	double documents;
	double skipped;
	double tokens;
	double log_likelihood; /* of documents, given their inferred shares */
	double likelihood_squares;
	double likelihood_tokens;
	double *totals;	   /* k: sum of N_j */
	double *products;  /* packed(k): sum of N_j N_l */
	double *rate;	   /* 4 x k: of the step and of the moved one, sums over e / p, and masses */
	double *frequency; /* d: documents that hold the item */
	double *words;	   /* d x groups: counts */
	/* k x d: squares of what is sparse and twice its product with what is not */
	double *influence;
	double *certain; /* k x d: sum of N_ij^2 / c_i, of refined topics */

	/* of rows */
	double *inverse; /* k x d: P; topics from moments only */
	double *ones;	 /* d: of all topics, the items' shares */
	size_t room;
	double *items;		/* k x room: of one document */
	double *sums;		/* k: N_j */
	double *per_weight; /* k: g */
	int32_t *places;	/* room: 0, 1, 2, ... */
	uint64_t seed;
} errors_state;

/* ---- one document ---- */

static tlv_status
errors_reserve(tlv_context *ctx, errors_state *state, size_t n)
{
	size_t k = state->model->topics.k;

	if (n <= state->room)
		return TLV_OK;
	tlv_free(ctx, state->items);
	tlv_free(ctx, state->places);
	state->room = 2 * n;
	TLV_TRY_NEW_ROWS(ctx, state->items, k, state->room);
	TLV_TRY_NEW(ctx, state->places, state->room);
	for (size_t i = 0; i < state->room; i++)
		state->places[i] = (int32_t) i;
	return TLV_OK;
}

/* Sums over the topics of the expected counts of a document. */
static void
sum_items(const errors_state *state, double *sums)
{
	size_t k = state->model->topics.k;

	memset(sums, 0, k * sizeof(double));
	for (size_t i = 0; i < state->model->document.n_known; i++)
		for (size_t j = 0; j < k; j++)
			sums[j] += state->items[i * k + j];
}

/* Expected counts of a document, into items. */
static tlv_status
draw_items(tlv_context *ctx, errors_state *state, uint64_t seed, double *log_likelihood)
{
	const tlv_document *document = &state->model->document;
	tlv_gibbs_options options = {TLV_GIBBS_WARM, TLV_GIBBS_BURN, KEPT_SWEEPS, seed};
	tlv_topic_statistics one = {.items = state->items};

	memset(state->items, 0, document->n_known * state->model->topics.k * sizeof(double));
	TLV_TRY(tlv_topic_gibbs_rows(ctx, state->model->worker, document->n_known, state->places,
								 document->index, document->known, &options, &one));
	*log_likelihood = one.log_likelihood;
	return TLV_OK;
}

/* The same of the single topic model, where they are exact. */
static tlv_status
share_items(tlv_context *ctx, errors_state *state, double *log_likelihood)
{
	tlv_lda_model *model = state->model;
	const tlv_document *document = &model->document;
	size_t k = model->topics.k;

	TLV_TRY(tlv_single_topic_posterior(ctx, k, model->topics.phi, model->weights, document->n_known,
									   document->index, document->known, model->shares,
									   log_likelihood));
	for (size_t i = 0; i < document->n_known; i++)
	{
		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			state->items[i * k + j] = document->known[i] * model->shares[j];
	}
	return TLV_OK;
}

/* The influences of a document on refined topics. */
static tlv_status
add_refined(tlv_context *ctx, errors_state *state)
{
	const tlv_document *document = &state->model->document;
	size_t k = state->model->topics.k;

	for (size_t i = 0; i < document->n_known; i++)
	{
		size_t at = (size_t) document->index[i] * k;
		const double *phi = state->model->topics.phi + at, *items = state->items + i * k;

		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
		{
			state->influence[at + j] += items[j] * (items[j] - 2 * phi[j] * state->sums[j]);
			state->certain[at + j] += items[j] * items[j] / document->known[i];
		}
	}
	return TLV_OK;
}

/* sums[j] = P_j'c. */
static tlv_status
invert_document(tlv_context *ctx, errors_state *state)
{
	const tlv_document *document = &state->model->document;
	size_t k = state->model->topics.k;

	memset(state->sums, 0, k * sizeof(double));
	for (size_t i = 0; i < document->n_known; i++)
	{
		const double *inverse = state->inverse + (size_t) document->index[i] * k;

		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			state->sums[j] += document->known[i] * inverse[j];
	}
	return TLV_OK;
}

/* The same of topics from moments; length of at least 2. */
static tlv_status
add_moments(tlv_context *ctx, errors_state *state, double length)
{
	const tlv_lda_model *model = state->model;
	const tlv_document *document = &model->document;
	size_t k = model->topics.k;
	double alpha0 = tlv_frame_scalar(&model->base.frame, "alpha0", 0);
	double factor = (alpha0 + 1) / (length - 1);

	TLV_TRY(invert_document(ctx, state));
	for (size_t j = 0; j < k; j++)
		state->per_weight[j] = state->sums[j] / model->weights[j];
	for (size_t i = 0; i < document->n_known; i++)
	{
		size_t item = (size_t) document->index[i], at = item * k;
		const double *phi = model->topics.phi + at, *inverse = state->inverse + at;

		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
		{
			double g = state->per_weight[j], u = inverse[j] / model->weights[j];
			double sparse = document->known[i] * (factor * (g - u) - alpha0);
			double dense = alpha0 * state->ones[item] * (length - g) - phi[j] * g;

			state->influence[at + j] += sparse * (sparse + 2 * dense);
		}
	}
	return TLV_OK;
}

/* What is the same for all: words, lengths, likelihood, and sums[] and their products. */
static void
add_common(errors_state *state, const tlv_bag_image *bag, double length, double log_likelihood)
{
	const tlv_document *document = &state->model->document;
	size_t k = state->model->topics.k;
	double *words = state->words + tlv_lda_group(bag) * state->model->topics.d;

	for (size_t i = 0; i < document->n_known; i++)
	{
		state->frequency[document->index[i]]++;
		words[document->index[i]] += document->known[i];
	}
	for (size_t j = 0; j < k; j++)
		state->totals[j] += state->sums[j];
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
			state->products[tlv_packed2_index(a, b)] += state->sums[a] * state->sums[b];
	state->documents++;
	state->tokens += length;
	state->log_likelihood += log_likelihood;
	state->likelihood_squares += log_likelihood * log_likelihood;
	state->likelihood_tokens += log_likelihood * length;
}

static tlv_status
add_from_moments(tlv_context *ctx, errors_state *state, double length, double *log_likelihood)
{
	const tlv_document *document = &state->model->document;
	double *theta = state->model->shares;

	if (state->model->single)
		TLV_TRY(share_items(ctx, state, log_likelihood));
	else
	{
		TLV_TRY(tlv_topic_infer(ctx, state->model->worker, document->n_known, document->index,
								document->known, theta));
		*log_likelihood = tlv_topic_log_likelihood(state->model->worker, document->n_known,
												   document->index, document->known, theta);
	}
	return add_moments(ctx, state, length);
}

static tlv_status
add_from_step(tlv_context *ctx, errors_state *state, uint64_t seed, double *log_likelihood)
{
	if (state->model->single)
		TLV_TRY(share_items(ctx, state, log_likelihood));
	else
		TLV_TRY(draw_items(ctx, state, seed, log_likelihood));
	sum_items(state, state->sums);
	return add_refined(ctx, state);
}

static tlv_status
errors_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	errors_state *state = (errors_state *) accumulator;
	const tlv_document *document;
	double length = 0, log_likelihood;
	uint64_t seed;

	if (state->model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	TLV_TRY(tlv_lda_document(ctx, state->model, row->bag));
	document = &state->model->document;
	for (size_t i = 0; i < document->n_known; i++)
		length += document->known[i];
	if (length < (state->moments != 0 ? 2 : 1))
	{
		state->skipped++;
		return TLV_OK;
	}
	TLV_TRY(errors_reserve(ctx, state, document->n_known));
	seed = tlv_lda_document_seed(row->bag, state->seed);
	if (state->moments != 0)
		TLV_TRY(add_from_moments(ctx, state, length, &log_likelihood));
	else
		TLV_TRY(add_from_step(ctx, state, seed, &log_likelihood));
	add_common(state, row->bag, length, log_likelihood);
	return TLV_OK;
}

/* ---- the accumulator ---- */

/* The items' shares of all topics. */
static tlv_status
share_of_items(tlv_context *ctx, errors_state *state)
{
	const tlv_lda_model *model = state->model;
	size_t k = model->topics.k;

	for (size_t i = 0; i < model->topics.d; i++)
	{
		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			state->ones[i] += model->weights[j] * model->topics.phi[i * k + j];
	}
	return TLV_OK;
}

/* Topics of which no step is known, but a decomposition. */
static bool
is_from_moments(const tlv_frame *model)
{
	return tlv_frame_scalar(model, "steps", 0) == 0 &&
		   !isnan(tlv_diagnostics_find(model, "residual", NAN));
}

static tlv_status
refuse_start(tlv_context *ctx, const tlv_frame *model)
{
	if (tlv_frame_scalar(model, "steps", 0) > 0 || tlv_frame_find(model, "anchors") == NULL)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "topics by anchor words have no standard errors");
	return tlv_fail_hint(ctx, "Refine them: tlv_lda(..., method => 'anchors', refine => 'gibbs').");
}

static double
errors_memory(const tlv_lda_model *model, bool moments)
{
	double k = (double) model->topics.k, d = (double) model->topics.d;

	return sizeof(double) * (k * d * (moments ? 3 : 2) + d * (TLV_LDA_GROUPS + 2) + 2 * k * k);
}

tlv_status
tlv_lda_error_statistics(tlv_context *ctx, tlv_model *base, tlv_accumulator **accumulator)
{
	tlv_lda_model *model = (tlv_lda_model *) base;
	size_t k = model->topics.k, d = model->topics.d;
	const size_t sizes[TLV_SIZES] = {k, d, TLV_LDA_GROUPS};
	bool moments = is_from_moments(&base->frame);
	errors_state *state;

	TLV_TRY(refuse_start(ctx, &base->frame));
	if (model->logistic != NULL)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there are no standard errors of correlated topics");
		return tlv_fail_hint(ctx, "Use a model of another refinement than 'ctm'.");
	}
	if (k > LDA_MOST_TOPICS)
	{
		tlv_fail(ctx, TLV_LIMIT, "%zu topics are more than %d", k, LDA_MOST_TOPICS);
		return tlv_fail_hint(ctx, "tlv_jackknife has no such limit.");
	}
	TLV_TRY(tlv_require_memory(ctx, errors_memory(model, moments), "statistics of errors"));
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_topic_errors.accumulator, sizes, accumulator));
	state = (errors_state *) *accumulator;
	state->model = model;
	state->fingerprint = base->frame.header->digest;
	state->moments = moments;
	state->seed = tlv_mix64((uint64_t) tlv_frame_scalar(&base->frame, "seed", 0)) +
				  (uint64_t) tlv_frame_scalar(&base->frame, "steps", 0);
	TLV_TRY_NEW(ctx, state->sums, 2 * k);
	state->per_weight = state->sums + k;
	TLV_TRY_NEW0(ctx, state->ones, d);
	TLV_TRY(share_of_items(ctx, state));
	if (moments)
	{
		TLV_TRY(tlv_alloc_numbers(ctx, &state->inverse, k * d));
		return tlv_lda_invert(ctx, model, state->inverse);
	}
	return TLV_OK;
}

tlv_status
tlv_lda_require_errors(tlv_context *ctx, const tlv_frame *model, const tlv_frame *errors)
{
	const tlv_section *phi = tlv_frame_find(model, "phi");
	const void *data;

	TLV_TRY(tlv_kind_require(ctx, errors, &tlv_kind_topic_errors, "tlv_error_statistics"));
	TLV_TRY(tlv_require_model(ctx, errors, model));
	/* They are never collected of such a model, but a value may come from anywhere. */
	if (tlv_lda_is_correlated(model))
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"there are no standard errors of correlated topics");
	return tlv_frame_require(ctx, errors, "influence", TLV_FLOAT64, phi->rows, phi->columns, &data);
}

#define AT(member) offsetof(errors_state, member)
static const tlv_declaration errors_list[] = {
	{"documents", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(documents)},
	{"skipped", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(skipped)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"tokens", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(tokens)},
	{"log_likelihood", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_SUM, AT(log_likelihood)},
	{"likelihood_squares", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM,
	 AT(likelihood_squares)},
	{"likelihood_tokens", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_SUM, AT(likelihood_tokens)},
	{"moments", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_FLAG, TLV_EQUAL, AT(moments)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"totals", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_ANY, TLV_SUM, AT(totals)},
	{"products", TLV_FLOAT64, TLV_PACKED_1, TLV_ONE, TLV_ANY, TLV_SUM, AT(products)},
	{"frequency", TLV_FLOAT64, SIZE_D, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(frequency)},
	{"words", TLV_FLOAT64, SIZE_D, SIZE_GROUPS, TLV_NONNEGATIVE, TLV_SUM, AT(words)},
	{"influence", TLV_FLOAT64, SIZE_K, SIZE_D, TLV_ANY, TLV_SUM, AT(influence)},
	{"certain", TLV_FLOAT64, SIZE_K, SIZE_D, TLV_NONNEGATIVE, TLV_SUM, AT(certain)},
};
#undef AT
static const tlv_sections errors_sections = {
	.state = sizeof(errors_state),
	.kind = TLV_KIND_TOPIC_ERRORS,
	TLV_LIST(errors_list),
	.least = {1, 1, TLV_LDA_GROUPS},
	.most = {LDA_MOST_TOPICS, TLV_DICTIONARY_MAX, TLV_LDA_GROUPS},
};
static const tlv_accumulator_class errors_class = {
	.name = "topic_errors",
	TLV_DECLARED(&errors_sections),
	.rows = TLV_ROW_BAG,
	.add = errors_add,
};
const tlv_kind tlv_kind_topic_errors = {TLV_KIND_LINE(TOPIC_ERRORS, topic_errors),
										.accumulator = &errors_class};
