/*
 * statistics.c - what a pass over documents under a given topic model
 * sums up: expected counts for one refinement step, and the held-out
 * likelihood by document completion.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/lda.h"

/* Fixed-point steps of one document, and the change of a parameter at which they end. */
#define VARIATIONAL_STEPS	  20
#define VARIATIONAL_TOLERANCE 1e-3

typedef struct statistics_state
{
	tlv_accumulator base;
	tlv_lda_model *model;	/* NULL when only stored values are merged */
	tlv_digest fingerprint; /* of the model */
	size_t k;
	size_t d;
	bool gibbs;
	uint64_t seed;
	double skipped; /* documents without a known item */
	tlv_topic_statistics sums;
	double *by_topic; /* k: documents by topic (single topic model) */
} statistics_state;

/* The random stream of a document depends on the seed, the model and its content, on nothing else:
 * not on the plan, not on the order of rows. */
static uint64_t
document_seed(const tlv_bag_image *bag, uint64_t seed)
{
	return tlv_fingerprint((const char *) bag + sizeof(uint32_t),
						   tlv_bag_image_size(bag) - sizeof(uint32_t), seed);
}

/* One exact E step of the single topic model, a mixture of unigrams. */
static void
add_single(statistics_state *state)
{
	tlv_lda_model *model = state->model;
	const tlv_document *document = &model->document;
	size_t k = state->k;
	double tokens = 0;

	state->sums.log_likelihood +=
		tlv_single_topic_posterior(k, model->topics.phi, model->weights, document->n_known,
								   document->index, document->known, model->shares);
	for (size_t i = 0; i < document->n_known; i++)
	{
		double *row = state->sums.items + (size_t) document->index[i] * k;

		for (size_t j = 0; j < k; j++)
			row[j] += document->known[i] * model->shares[j];
		tokens += document->known[i];
	}
	for (size_t j = 0; j < k; j++)
		state->by_topic[j] += model->shares[j];
	state->sums.documents++;
	state->sums.tokens += tokens;
}

static tlv_status
statistics_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	statistics_state *state = (statistics_state *) accumulator;
	tlv_lda_model *model = state->model;
	tlv_gibbs_options options = {TLV_GIBBS_WARM, TLV_GIBBS_BURN, TLV_GIBBS_KEEP, 0};

	if (model == NULL)
		return tlv_fail(ctx, TLV_INTERNAL, "statistics without a model cannot take rows");
	TLV_TRY(tlv_lda_document(ctx, model, row->bag));
	if (model->document.n_known == 0)
	{
		state->skipped++;
		return TLV_OK;
	}
	if (model->single)
	{
		add_single(state);
		return TLV_OK;
	}
	if (!state->gibbs)
		return tlv_topic_variational(ctx, model->worker, model->document.n_known,
									 model->document.index, model->document.known,
									 VARIATIONAL_STEPS, VARIATIONAL_TOLERANCE, &state->sums);
	options.seed = document_seed(row->bag, state->seed);
	return tlv_topic_gibbs(ctx, model->worker, model->document.n_known, model->document.index,
						   model->document.known, &options, &state->sums);
}

static tlv_status
allocate_sums(tlv_context *ctx, statistics_state *state)
{
	state->sums.items = tlv_alloc0(ctx, state->k * state->d, sizeof(double));
	TLV_TRY_ALLOC(ctx, state->sums.items);
	state->by_topic = tlv_alloc0(ctx, 2 * state->k, sizeof(double));
	TLV_TRY_ALLOC(ctx, state->by_topic);
	state->sums.alpha_gains = state->by_topic + state->k;
	return TLV_OK;
}

static tlv_status
statistics_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	statistics_state *state = tlv_alloc0(ctx, 1, sizeof(statistics_state));

	TLV_TRY_ALLOC(ctx, state);
	state->base.class = tlv_kind_topic_statistics.accumulator;
	*accumulator = &state->base;
	return TLV_OK;
}

tlv_status
tlv_lda_statistics(tlv_context *ctx, tlv_model *model, const char *method,
				   tlv_accumulator **accumulator)
{
	tlv_lda_model *lda = (tlv_lda_model *) model;
	statistics_state *state;

	if (method == NULL)
		method = "gibbs";
	if (strcmp(method, "gibbs") != 0 && strcmp(method, "vb") != 0)
	{
		tlv_status status =
			tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", method);

		tlv_fail_hint(ctx, "Use 'gibbs' or 'vb'.");
		return status;
	}
	TLV_TRY(statistics_create(ctx, accumulator));
	state = (statistics_state *) *accumulator;
	state->model = lda;
	state->fingerprint = model->frame.header->digest;
	state->k = lda->topics.k;
	state->d = lda->topics.d;
	state->gibbs = strcmp(method, "gibbs") == 0;
	/* Every step draws anew. */
	state->seed = tlv_mix64((uint64_t) tlv_frame_scalar(&model->frame, "seed", 0)) +
				  (uint64_t) tlv_frame_scalar(&model->frame, "steps", 0);
	return allocate_sums(ctx, state);
}

static tlv_status
refuse_other_model(tlv_context *ctx)
{
	tlv_status status =
		tlv_fail(ctx, TLV_BAD_PARAMETER, "the statistics were collected under different models");

	tlv_fail_hint(ctx, "Collect all parts with one and the same model.");
	return status;
}

static tlv_status
statistics_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	statistics_state *state = (statistics_state *) accumulator;
	const tlv_section *expected = tlv_frame_find(frame, "expected");
	const double *numbers = tlv_section_data(frame, expected);
	const double *by_topic = tlv_frame_float64(frame, "documents_by_topic");
	const double *alpha_gains = tlv_frame_float64(frame, "alpha_gains");

	if (state->sums.items == NULL)
	{
		state->fingerprint = *tlv_frame_digest(frame, "model");
		state->k = expected->rows;
		state->d = expected->columns;
		TLV_TRY(allocate_sums(ctx, state));
	}
	if (!tlv_digest_equal(&state->fingerprint, tlv_frame_digest(frame, "model")) ||
		state->k != expected->rows || state->d != expected->columns)
		return refuse_other_model(ctx);
	for (size_t i = 0; i < state->k * state->d; i++)
		state->sums.items[i] += numbers[i];
	for (size_t j = 0; j < state->k; j++)
	{
		state->by_topic[j] += by_topic[j];
		state->sums.alpha_gains[j] += alpha_gains[j];
	}
	state->sums.length_gain += tlv_frame_scalar(frame, "length_gain", 0);
	state->base.nulls += tlv_frame_scalar(frame, "nulls", 0);
	state->skipped += tlv_frame_scalar(frame, "skipped", 0);
	state->sums.documents += tlv_frame_scalar(frame, "documents", 0);
	state->sums.tokens += tlv_frame_scalar(frame, "tokens", 0);
	state->sums.log_likelihood += tlv_frame_scalar(frame, "log_likelihood", 0);
	return TLV_OK;
}

static tlv_status
statistics_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	statistics_state *state = (statistics_state *) accumulator;

	(void) ctx;
	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_TOPIC_STATISTICS);
	tlv_frame_add_scalar(builder, "documents", state->sums.documents);
	tlv_frame_add_scalar(builder, "skipped", state->skipped);
	tlv_frame_add_scalar(builder, "nulls", state->base.nulls);
	tlv_frame_add_scalar(builder, "tokens", state->sums.tokens);
	tlv_frame_add_scalar(builder, "log_likelihood", state->sums.log_likelihood);
	tlv_frame_add_scalar(builder, "length_gain", state->sums.length_gain);
	tlv_frame_add_digest(builder, "model", &state->fingerprint);
	tlv_frame_add(builder, "documents_by_topic", TLV_FLOAT64, state->k, 1, state->by_topic);
	tlv_frame_add(builder, "alpha_gains", TLV_FLOAT64, state->k, 1, state->sums.alpha_gains);
	tlv_frame_add(builder, "expected", TLV_FLOAT64, state->k, state->d, state->sums.items);
	return TLV_OK;
}

static tlv_status
statistics_check(tlv_context *ctx, const tlv_frame *frame)
{
	static const char *const scalars[] = {"documents", "skipped", "nulls", "tokens", "length_gain"};
	const tlv_section *expected = tlv_frame_find(frame, "expected");

	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
	{
		TLV_TRY(tlv_frame_require(ctx, frame, scalars[i], TLV_FLOAT64, 1, 1, NULL));
		TLV_TRY(tlv_frame_require_minimum(ctx, frame, scalars[i], 0));
	}
	TLV_TRY(tlv_frame_require(ctx, frame, "log_likelihood", TLV_FLOAT64, 1, 1, NULL));
	TLV_TRY(tlv_frame_require_digest(ctx, frame, "model"));
	if (expected == NULL || expected->element != TLV_FLOAT64 || expected->rows == 0)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"expected\" is missing");
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "expected", 0));
	TLV_TRY(
		tlv_frame_require(ctx, frame, "documents_by_topic", TLV_FLOAT64, expected->rows, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "documents_by_topic", 0));
	TLV_TRY(tlv_frame_require(ctx, frame, "alpha_gains", TLV_FLOAT64, expected->rows, 1, NULL));
	return tlv_frame_require_minimum(ctx, frame, "alpha_gains", 0);
}

static const tlv_accumulator_class statistics_class = {
	.name = "topic_statistics",
	.create = statistics_create,
	.merge = statistics_merge,
	.build = statistics_build,
	.rows = TLV_ROW_BAG,
	.add = statistics_add,
};
const tlv_kind tlv_kind_topic_statistics = {TLV_KIND_LINE(TOPIC_STATISTICS, topic_statistics),
											.check = statistics_check,
											.accumulator = &statistics_class};

/* ---- document completion ---- */

typedef struct completion_state
{
	tlv_accumulator base;
	tlv_lda_model *model;
	tlv_digest fingerprint;
	bool known; /* fingerprint is set */
	double documents;
	double tokens;
	double log_likelihood;
} completion_state;

/* Fair coins of the split: the same for every model, so that models can be compared. */
#define COMPLETION_SEED 7

/*
 * Completion under the single topic model: the posterior of the topic given
 * one half of the tokens mixes the topics for the other half.
 */
static tlv_status
complete_single(tlv_context *ctx, completion_state *state, uint64_t seed)
{
	tlv_lda_model *model = state->model;
	const tlv_document *document = &model->document;
	size_t k = model->topics.k, n = document->n_known;
	double *observed = tlv_alloc(ctx, n, sizeof(double));
	tlv_rng rng;

	TLV_TRY_ALLOC(ctx, observed);
	tlv_rng_seed(&rng, seed);
	for (size_t i = 0; i < n; i++)
		observed[i] = tlv_topic_binomial(&rng, document->known[i], 0.5);
	tlv_single_topic_posterior(k, model->topics.phi, model->weights, n, document->index, observed,
							   model->shares);
	for (size_t i = 0; i < n; i++)
	{
		double scored = document->known[i] - observed[i], p = 0;

		for (size_t j = 0; j < k; j++)
			p += model->shares[j] *
				 fmax(model->topics.phi[(size_t) document->index[i] * k + j], 1e-12);
		state->log_likelihood += scored * log(fmax(p, 1e-300));
		state->tokens += scored;
	}
	tlv_free(ctx, observed);
	return TLV_OK;
}

static tlv_status
completion_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	completion_state *state = (completion_state *) accumulator;
	tlv_lda_model *model = state->model;

	if (model == NULL)
		return tlv_fail(ctx, TLV_INTERNAL, "completion without a model cannot take rows");
	TLV_TRY(tlv_lda_document(ctx, model, row->bag));
	state->documents++;
	if (model->single)
		return complete_single(ctx, state, document_seed(row->bag, COMPLETION_SEED));
	return tlv_topic_completion(ctx, model->worker, model->document.n_known, model->document.index,
								model->document.known, document_seed(row->bag, COMPLETION_SEED),
								&state->log_likelihood, &state->tokens);
}

static tlv_status
completion_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	completion_state *state = tlv_alloc0(ctx, 1, sizeof(completion_state));

	TLV_TRY_ALLOC(ctx, state);
	state->base.class = tlv_kind_completion.accumulator;
	*accumulator = &state->base;
	return TLV_OK;
}

tlv_status
tlv_lda_completion(tlv_context *ctx, tlv_model *model, tlv_accumulator **accumulator)
{
	completion_state *state;

	TLV_TRY(completion_create(ctx, accumulator));
	state = (completion_state *) *accumulator;
	state->model = (tlv_lda_model *) model;
	state->fingerprint = model->frame.header->digest;
	state->known = true;
	return TLV_OK;
}

static tlv_status
completion_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	completion_state *state = (completion_state *) accumulator;
	const tlv_digest *fingerprint = tlv_frame_digest(frame, "model");

	if (state->known && !tlv_digest_equal(&state->fingerprint, fingerprint))
		return refuse_other_model(ctx);
	state->known = true;
	state->fingerprint = *fingerprint;
	state->base.nulls += tlv_frame_scalar(frame, "nulls", 0);
	state->documents += tlv_frame_scalar(frame, "documents", 0);
	state->tokens += tlv_frame_scalar(frame, "tokens", 0);
	state->log_likelihood += tlv_frame_scalar(frame, "log_likelihood", 0);
	return TLV_OK;
}

static tlv_status
completion_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	completion_state *state = (completion_state *) accumulator;

	(void) ctx;
	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_COMPLETION);
	tlv_frame_add_scalar(builder, "documents", state->documents);
	tlv_frame_add_scalar(builder, "nulls", state->base.nulls);
	tlv_frame_add_scalar(builder, "tokens", state->tokens);
	tlv_frame_add_scalar(builder, "log_likelihood", state->log_likelihood);
	tlv_frame_add_digest(builder, "model", &state->fingerprint);
	return TLV_OK;
}

static tlv_status
completion_check(tlv_context *ctx, const tlv_frame *frame)
{
	static const char *const scalars[] = {"documents", "nulls", "tokens"};

	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
	{
		TLV_TRY(tlv_frame_require(ctx, frame, scalars[i], TLV_FLOAT64, 1, 1, NULL));
		TLV_TRY(tlv_frame_require_minimum(ctx, frame, scalars[i], 0));
	}
	TLV_TRY(tlv_frame_require(ctx, frame, "log_likelihood", TLV_FLOAT64, 1, 1, NULL));
	return tlv_frame_require_digest(ctx, frame, "model");
}

static const tlv_accumulator_class completion_class = {
	.name = "completion",
	.create = completion_create,
	.merge = completion_merge,
	.build = completion_build,
	.rows = TLV_ROW_BAG,
	.add = completion_add,
};
const tlv_kind tlv_kind_completion = {TLV_KIND_LINE(COMPLETION, completion),
									  .check = completion_check, .accumulator = &completion_class};
