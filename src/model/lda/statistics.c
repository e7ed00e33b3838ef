/*
 * statistics.c - what a pass over documents under a given topic model
 * sums up: expected counts for one refinement step, the held-out
 * likelihood by document completion, and the scores by which k is chosen.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/choice.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/numbers.h"

/* Sizes: topics, items. */
#define SIZE_K TLV_SIZE_1
#define SIZE_D TLV_SIZE_2

typedef struct statistics_state
{
	tlv_declared declared;
	tlv_lda_model *model;	/* NULL when only stored values are merged */
	tlv_digest fingerprint; /* of the model */
	bool moves;				/* the topics, within the pass */
	tlv_topic_moves motion;
	double moved; /* tokens that motion.mass is of */
	uint64_t seed;
	double skipped; /* documents without a known item */
	tlv_topic_statistics sums;
	double *by_topic; /* k: documents by topic (single topic model) */
} statistics_state;

uint64_t
tlv_lda_document_seed(const tlv_bag_image *bag, uint64_t seed)
{
	return tlv_fingerprint((const char *) bag + sizeof(uint32_t),
						   tlv_bag_image_size(bag) - sizeof(uint32_t), seed);
}

/* One exact E step of the single topic model, a mixture of unigrams. */
static tlv_status
add_single(tlv_context *ctx, statistics_state *state)
{
	tlv_lda_model *model = state->model;
	const tlv_document *document = &model->document;
	size_t k = model->topics.k;
	double tokens = 0, log_likelihood;

	TLV_TRY(tlv_single_topic_posterior(ctx, k, model->topics.phi, model->weights, document->n_known,
									   document->index, document->known, model->shares,
									   &log_likelihood));
	state->sums.log_likelihood += log_likelihood;
	for (size_t i = 0; i < document->n_known; i++)
	{
		double *row = state->sums.items + (size_t) document->index[i] * k;

		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			row[j] += document->known[i] * model->shares[j];
		tokens += document->known[i];
	}
	for (size_t j = 0; j < k; j++)
		state->by_topic[j] += model->shares[j];
	state->sums.documents++;
	state->sums.tokens += tokens;
	return TLV_OK;
}

/* ---- topics that move ---- */

/* The masses of the topics, of statistics that have been merged. */
static tlv_status
motion_catch_up(tlv_context *ctx, statistics_state *state)
{
	size_t k = state->model->topics.k, d = state->model->topics.d;
	double *mass = state->motion.mass;

	if (state->moved == state->sums.tokens)
		return TLV_OK;
	memset(mass, 0, k * sizeof(double));
	for (size_t i = 0; i < d; i++)
	{
		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			mass[j] += state->sums.items[i * k + j];
	}
	return TLV_OK;
}

static tlv_status
add_moving(tlv_context *ctx, statistics_state *state, uint64_t seed)
{
	const tlv_document *document = &state->model->document;
	tlv_gibbs_options options = {TLV_STEPWISE_WARM, TLV_STEPWISE_BURN, TLV_STEPWISE_KEEP, seed};
	double tokens = 0;

	for (size_t i = 0; i < document->n_known; i++)
		tokens += document->known[i];
	if (tokens <= TLV_STEPWISE_SHORT)
		options.burn += TLV_STEPWISE_BURN;
	TLV_TRY(motion_catch_up(ctx, state));
	TLV_TRY(tlv_topic_stepwise(ctx, state->model->worker, document->n_known, document->index,
							   document->known, &options, &state->motion, &state->sums));
	state->moved = state->sums.tokens;
	return TLV_OK;
}

/* The tokens of the pass are those that the model has been fitted to; of a model of other origin
 * nothing is known, and its topics stay. */
static tlv_status
motion_begin(tlv_context *ctx, statistics_state *state)
{
	const tlv_lda_model *model = state->model;
	size_t k = model->topics.k;

	state->motion = (tlv_topic_moves){
		.begun = model->topics,
		.weights = model->weights,
		.tokens = tlv_diagnostics_find(&model->base.frame, "tokens", 0),
		.eta = tlv_frame_scalar(&model->base.frame, "eta", 0),
		.fixed = tlv_frame_float64(&model->base.frame, "fixed"),
	};
	state->moves = state->motion.tokens > 0;
	TLV_TRY_NEW0(ctx, state->motion.mass, 4 * k);
	state->motion.factors = state->motion.mass + k;
	return TLV_OK;
}

static tlv_status
lda_statistics_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	statistics_state *state = (statistics_state *) accumulator;
	tlv_lda_model *model = state->model;
	tlv_gibbs_options options = {TLV_GIBBS_WARM, TLV_GIBBS_BURN, TLV_GIBBS_KEEP, 0};

	if (model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	TLV_TRY(tlv_lda_document(ctx, model, row->bag));
	if (model->document.n_known == 0)
	{
		state->skipped++;
		return TLV_OK;
	}
	if (model->single)
		return add_single(ctx, state);
	options.seed = tlv_lda_document_seed(row->bag, state->seed);
	if (state->moves)
		return add_moving(ctx, state, options.seed);
	return tlv_topic_gibbs(ctx, model->worker, model->document.n_known, model->document.index,
						   model->document.known, &options, &state->sums);
}

static tlv_status scores_create(tlv_context *ctx, tlv_lda_model *lda,
								tlv_accumulator **accumulator);

tlv_status
tlv_lda_statistics(tlv_context *ctx, tlv_model *model, const char *method,
				   tlv_accumulator **accumulator)
{
	tlv_lda_model *lda = (tlv_lda_model *) model;
	const size_t sizes[TLV_SIZES] = {lda->topics.k, lda->topics.d};
	statistics_state *state;

	if (method == NULL)
		method = lda->logistic != NULL ? "ctm" : "gibbs";
	if (strcmp(method, LDA_HELD_OUT) == 0)
		return scores_create(ctx, lda, accumulator);
	if (strcmp(method, "ctm") == 0)
		return tlv_lda_logistic_statistics(ctx, lda, accumulator);
	if (strcmp(method, "gibbs") != 0 && strcmp(method, "stepwise") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", method);
		return tlv_fail_hint(ctx, "Use 'stepwise', 'gibbs' or 'ctm'.");
	}
	if (lda->logistic != NULL)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "refinement \"%.40s\" is not for topics that are correlated", method);
		return tlv_fail_hint(ctx, "Use 'ctm'.");
	}
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_topic_statistics.accumulator, sizes, accumulator));
	state = (statistics_state *) *accumulator;
	state->model = lda;
	state->fingerprint = model->frame.header->digest;
	if (strcmp(method, "stepwise") == 0)
		TLV_TRY(motion_begin(ctx, state));
	/* Every step draws anew. */
	state->seed = tlv_mix64((uint64_t) tlv_frame_scalar(&model->frame, "seed", 0)) +
				  (uint64_t) tlv_frame_scalar(&model->frame, "steps", 0);
	return TLV_OK;
}

#define AT(member) offsetof(statistics_state, member)
static const tlv_declaration statistics_list[] = {
	{"documents", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(sums.documents)},
	{"skipped", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(skipped)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"tokens", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(sums.tokens)},
	{"log_likelihood", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_SUM, AT(sums.log_likelihood)},
	{"length_gain", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(sums.length_gain)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"documents_by_topic", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(by_topic)},
	{"alpha_gains", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(sums.alpha_gains)},
	{"expected", TLV_FLOAT64, SIZE_K, SIZE_D, TLV_NONNEGATIVE, TLV_SUM, AT(sums.items)},
};
#undef AT
static const tlv_sections statistics_sections = {
	.state = sizeof(statistics_state),
	.kind = TLV_KIND_TOPIC_STATISTICS,
	TLV_LIST(statistics_list),
	.least = {1},
	.most = {TLV_DICTIONARY_MAX, TLV_DICTIONARY_MAX},
};

static const tlv_accumulator_class statistics_class = {
	.name = "topic_statistics",
	TLV_DECLARED(&statistics_sections),
	.rows = TLV_ROW_BAG,
	.add = lda_statistics_add,
};
const tlv_kind tlv_kind_topic_statistics = {TLV_KIND_LINE(TOPIC_STATISTICS, topic_statistics),
											.accumulator = &statistics_class};

/* ---- document completion ---- */

typedef struct completion_state
{
	tlv_declared declared;
	tlv_lda_model *model;
	tlv_digest fingerprint;
	double documents;
	double tokens;
	double log_likelihood;
} completion_state;

/*
 * Completion under the single topic model: the posterior of the topic given
 * one half of the tokens mixes the topics for the other half.
 */
static tlv_status
complete_single(tlv_context *ctx, tlv_lda_model *model, size_t n, const int32_t *index,
				const double *count, uint64_t seed, double *log_likelihood, double *tokens)
{
	size_t k = model->topics.k;
	double *observed = tlv_alloc(ctx, n, sizeof(double)), of_topics;
	tlv_rng rng;

	TLV_TRY_ALLOC(ctx, observed);
	tlv_rng_seed(&rng, seed);
	for (size_t i = 0; i < n; i++)
		observed[i] = tlv_topic_binomial(&rng, count[i], 0.5);
	TLV_TRY(tlv_single_topic_posterior(ctx, k, model->topics.phi, model->weights, n, index,
									   observed, model->shares, &of_topics));
	for (size_t i = 0; i < n; i++)
	{
		double scored = count[i] - observed[i], p = 0;

		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			p += model->shares[j] * fmax(model->topics.phi[(size_t) index[i] * k + j], 1e-12);
		*log_likelihood += scored * log(fmax(p, TLV_TINY));
		*tokens += scored;
	}
	tlv_free(ctx, observed);
	return TLV_OK;
}

tlv_status
tlv_lda_complete(tlv_context *ctx, tlv_lda_model *model, size_t n, const int32_t *index,
				 const double *count, uint64_t seed, double *log_likelihood, double *tokens)
{
	if (model->single)
		return complete_single(ctx, model, n, index, count, seed, log_likelihood, tokens);
	return tlv_topic_completion(ctx, model->worker, model->logistic, n, index, count, seed,
								log_likelihood, tokens);
}

uint64_t
tlv_lda_completion_seed(const tlv_bag_image *bag)
{
	/* Fair coins of the split: the same for every model, so that models can be compared. */
	const int completion_seed = 7;

	return tlv_lda_document_seed(bag, completion_seed);
}

static tlv_status
completion_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	completion_state *state = (completion_state *) accumulator;
	tlv_lda_model *model = state->model;

	if (model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	TLV_TRY(tlv_lda_document(ctx, model, row->bag));
	state->documents++;
	return tlv_lda_complete(ctx, model, model->document.n_known, model->document.index,
							model->document.known, tlv_lda_completion_seed(row->bag),
							&state->log_likelihood, &state->tokens);
}

tlv_status
tlv_lda_completion(tlv_context *ctx, tlv_model *model, tlv_accumulator **accumulator)
{
	const size_t none[TLV_SIZES] = {0};
	completion_state *state;

	TLV_TRY(tlv_sections_create(ctx, tlv_kind_completion.accumulator, none, accumulator));
	state = (completion_state *) *accumulator;
	state->model = (tlv_lda_model *) model;
	state->fingerprint = model->frame.header->digest;
	return TLV_OK;
}

double
tlv_lda_perplexity(const tlv_frame *sums)
{
	return exp(-tlv_frame_scalar(sums, "log_likelihood", 0) / tlv_frame_scalar(sums, "tokens", 0));
}

#define AT(member) offsetof(completion_state, member)
static const tlv_declaration completion_list[] = {
	{"documents", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(documents)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"tokens", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(tokens)},
	{"log_likelihood", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_SUM, AT(log_likelihood)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
};
#undef AT
static const tlv_sections completion_sections = {
	.state = sizeof(completion_state),
	.kind = TLV_KIND_COMPLETION,
	TLV_LIST(completion_list),
};

static const tlv_accumulator_class completion_class = {
	.name = "completion",
	TLV_DECLARED(&completion_sections),
	.rows = TLV_ROW_BAG,
	.add = completion_add,
};
const tlv_kind tlv_kind_completion = {TLV_KIND_LINE(COMPLETION, completion),
									  .accumulator = &completion_class};

/* ---- scores of documents that were held out ---- */

/*
 * By group of documents: log-likelihood and number of the new words, which are in one half of a
 * document and not in the other, from which they are predicted; and of all words of that half.  A
 * word that comes in bursts predicts itself: with many topics each is one frequent word, and all
 * words of a half are predicted the better the more topics there are, though there be none.  A new
 * word counts as often as it occurs: each once, the best prediction would not be its probability.
 */
typedef struct scores_state
{
	tlv_declared declared;
	tlv_lda_model *model;
	tlv_digest fingerprint;
	double documents;
	double *new_scores, *new_words, *all_scores, *all_words; /* TLV_CHOICE_GROUPS each */
	/* scratch of one document: counts of the half that is seen, and its items alone */
	size_t room;
	double *seen, *half_counts;
	int32_t *half;
} scores_state;

static double
word_probability(const tlv_lda_model *model, int32_t word)
{
	const double *phi = model->topics.phi + (size_t) word * model->topics.k;
	double p = 0;

	for (size_t j = 0; j < model->topics.k; j++)
		p += model->shares[j] * phi[j];
	return fmax(p, TLV_LEAST_PROBABILITY);
}

static tlv_status
scores_reserve(tlv_context *ctx, scores_state *state, size_t n)
{
	if (n <= state->room)
		return TLV_OK;
	tlv_free(ctx, state->seen);
	tlv_free(ctx, state->half);
	state->room = 0;
	TLV_TRY_NEW(ctx, state->seen, 4 * n);
	TLV_TRY_NEW(ctx, state->half, 2 * n);
	state->half_counts = state->seen + 2 * n;
	state->room = 2 * n;
	return TLV_OK;
}

/* The words that one half lacks are predicted from it, where `other` says the half that it is not.
 */
static tlv_status
score_half(tlv_context *ctx, scores_state *state, bool other, size_t group)
{
	tlv_lda_model *model = state->model;
	const tlv_document *document = &model->document;
	double rest = 1, new_score = 0, new_words = 0;
	size_t n = 0;

	for (size_t i = 0; i < document->n_known; i++)
	{
		double count = other ? document->known[i] - state->seen[i] : state->seen[i];

		if (count > 0)
		{
			state->half[n] = document->index[i];
			state->half_counts[n++] = count;
		}
	}
	TLV_TRY(tlv_lda_infer_counts(ctx, model, n, state->half, state->half_counts, model->shares));
	for (size_t i = 0; i < document->n_known; i++)
	{
		double seen = other ? document->known[i] - state->seen[i] : state->seen[i];
		double p = word_probability(model, document->index[i]);

		LDA_TRY_LOOK(ctx, i, model->topics.k);
		state->all_scores[group] += (document->known[i] - seen) * log(p);
		state->all_words[group] += document->known[i] - seen;
		if (seen > 0)
			rest -= p;
		else
		{
			new_score += document->known[i] * log(p);
			new_words += document->known[i];
		}
	}
	state->new_scores[group] += new_score - new_words * log(fmax(rest, TLV_LEAST_PROBABILITY));
	state->new_words[group] += new_words;
	return TLV_OK;
}

static tlv_status
lda_scores_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	scores_state *state = (scores_state *) accumulator;
	tlv_lda_model *model = state->model;
	uint64_t seed;
	tlv_rng rng;

	if (model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	TLV_TRY(tlv_lda_document(ctx, model, row->bag));
	TLV_TRY(scores_reserve(ctx, state, model->document.n_known));
	seed = tlv_lda_completion_seed(row->bag);
	tlv_rng_seed(&rng, seed);
	for (size_t i = 0; i < model->document.n_known; i++)
		state->seen[i] = tlv_topic_binomial(&rng, model->document.known[i], 0.5);
	state->documents++;
	for (int other = 0; other < 2; other++)
		TLV_TRY(score_half(ctx, state, other, tlv_mix64(seed) % TLV_CHOICE_GROUPS));
	return TLV_OK;
}

#define AT(member)	offsetof(scores_state, member)
#define SIZE_GROUPS TLV_SIZE_1
static const tlv_declaration scores_list[] = {
	{"documents", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(documents)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"new_scores", TLV_FLOAT64, SIZE_GROUPS, TLV_ONE, TLV_ANY, TLV_SUM, AT(new_scores)},
	{"new_words", TLV_FLOAT64, SIZE_GROUPS, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(new_words)},
	{"all_scores", TLV_FLOAT64, SIZE_GROUPS, TLV_ONE, TLV_ANY, TLV_SUM, AT(all_scores)},
	{"all_words", TLV_FLOAT64, SIZE_GROUPS, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(all_words)},
};
#undef AT
static const tlv_sections scores_sections = {
	.state = sizeof(scores_state),
	.kind = TLV_KIND_TOPIC_SCORES,
	TLV_LIST(scores_list),
	.least = {TLV_CHOICE_GROUPS},
	.most = {TLV_CHOICE_GROUPS},
};

static const tlv_accumulator_class scores_class = {
	.name = "topic_scores",
	TLV_DECLARED(&scores_sections),
	.rows = TLV_ROW_BAG,
	.add = lda_scores_add,
};
const tlv_kind tlv_kind_topic_scores = {TLV_KIND_LINE(TOPIC_SCORES, topic_scores),
										.accumulator = &scores_class};

static tlv_status
scores_create(tlv_context *ctx, tlv_lda_model *lda, tlv_accumulator **accumulator)
{
	const size_t sizes[TLV_SIZES] = {TLV_CHOICE_GROUPS};
	scores_state *state;

	TLV_TRY(tlv_sections_create(ctx, tlv_kind_topic_scores.accumulator, sizes, accumulator));
	state = (scores_state *) *accumulator;
	state->model = lda;
	state->fingerprint = lda->base.frame.header->digest;
	return TLV_OK;
}
