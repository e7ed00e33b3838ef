/*
 * model.c - the stored form of an LDA or single topic model, and what it
 * can do: inference, likelihood, refinement (lda.h, model.h).
 */
#include "tensorlv/model/lda.h"

#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/model_json.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/step_prior.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/page.h"
#include "tensorlv/num/numbers.h"

/* Sizes: topics, items, bytes of labels. */
#define SIZE_K		TLV_SIZE_1
#define SIZE_D		TLV_SIZE_2
#define SIZE_LABELS TLV_SIZE_3

tlv_status
tlv_lda_write(tlv_context *ctx, const tlv_lda_parts *parts, void **image, size_t *size)
{
	return tlv_sections_write(ctx, tlv_kind_lda.model->sections, parts, image, size);
}

/* Numbers that are positive, or 0 of a topic that is not there; their sum must not overflow. */
static tlv_status
check_sum(tlv_context *ctx, const tlv_frame *frame, const char *name, uint64_t k, double most)
{
	const double *numbers = tlv_frame_float64(frame, name);
	double sum = 0;

	for (uint64_t j = 0; j < k; j++)
	{
		if ((numbers[j] == 0) != tlv_component_is_absent(frame, j) ||
			(numbers[j] != 0 && !(numbers[j] >= TLV_TINY)))
			return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of section \"%s\" is %g", (size_t) j + 1,
							name, numbers[j]);
		sum += numbers[j];
	}
	if (!(sum > 0 && sum <= most))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" sums to %g", name, sum);
	return TLV_OK;
}

/* Labels: one text for every item, without a terminating zero, offsets ascending. */
static tlv_status
check_labels(tlv_context *ctx, const tlv_lda_parts *parts)
{
	const int64_t *offsets = parts->label_offsets;

	if ((parts->labels == NULL) != (offsets == NULL))
		return tlv_fail(ctx, TLV_CORRUPT, "of labels and their offsets one is missing");
	if (parts->labels == NULL)
		return TLV_OK;
	for (size_t i = 0; i < parts->d; i++)
		if (offsets[i] < 0 || offsets[i + 1] < offsets[i])
			return tlv_fail(ctx, TLV_CORRUPT, "section \"label_offsets\" does not ascend");
	if (offsets[0] != 0 || offsets[parts->d] != (int64_t) parts->labels_length)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"label_offsets\" does not cover the labels");
	return TLV_OK;
}

static tlv_status
lda_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	size_t k = sizes[SIZE_K];
	tlv_lda_parts parts;

	TLV_TRY(check_sum(ctx, frame, "alpha", k, 1e300));
	TLV_TRY(check_sum(ctx, frame, "weights", k, 1 + 1e-6));
	tlv_sections_read(frame, tlv_kind_lda.model->sections, &parts);
	if ((parts.anchors == NULL) != (parts.anchor_distances == NULL))
		return tlv_fail(ctx, TLV_CORRUPT, "of anchors and their distances one is missing");
	TLV_TRY(tlv_lda_check_logistic(ctx, frame, k));
	return check_labels(ctx, &parts);
}

#define AT(member) offsetof(tlv_lda_parts, member)
/* Every topic is a distribution: inference divides by its mixtures. */
static const tlv_declaration lda_list[] = {
	{"alpha0", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(alpha0)},
	{"alpha0_free", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(alpha0_free)},
	{"alpha0_least", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(alpha0_least)},
	{"eta", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(eta)},
	{"seed", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(seed)},
	{"steps", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(steps)},
	{"alpha", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(alpha)},
	{"weights", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(weights)},
	{"items", TLV_INT64, SIZE_D, TLV_ONE, TLV_ASCENDING, TLV_KEPT, AT(items)},
	{"shares", TLV_FLOAT64, SIZE_D, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(shares)},
	{"phi", TLV_FLOAT64, SIZE_K, SIZE_D, TLV_ROW_SHARES, TLV_KEPT, AT(phi)},
	{"anchors", TLV_INT64, SIZE_K, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(anchors)},
	{"anchor_distances", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(anchor_distances)},
	{"logistic_mean", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(logistic_mean)},
	{"logistic_covariance", TLV_FLOAT64, SIZE_K, SIZE_K, TLV_ANY, TLV_GIVEN,
	 AT(logistic_covariance)},
	{"fixed", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_WHOLE, TLV_GIVEN, AT(fixed)},
	{"labels", TLV_BYTES, SIZE_LABELS, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(labels)},
	{"label_offsets", TLV_INT64, TLV_2_AND_1, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(label_offsets)},
};
static const tlv_sections lda_sections = {
	.state = sizeof(tlv_lda_parts),
	.kind = TLV_KIND_LDA,
	TLV_LIST(lda_list),
	.least = {1, 1},
	.most = {TLV_TOPICS_MOST, TLV_DICTIONARY_MAX, SIZE_MAX},
	.size_at = {AT(k), AT(d), AT(labels_length)},
	.diagnostics = AT(diagnostics),
	.check_more = lda_check_more,
};
#undef AT

static const tlv_field lda_fields[] = {
	{"alpha0", TLV_FIELD_NUMBER, .flags = 0},
	{"alpha0_free", TLV_FIELD_FLAG, .flags = TLV_DEFAULT_ZERO},
	{"alpha0_least", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"eta", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"steps", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"alpha", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT | TLV_KEEP_TOTAL},
	{"weights", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT | TLV_KEEP_TOTAL},
	{"items", TLV_FIELD_IDS, .flags = 0},
	{"shares", TLV_FIELD_LIST, .flags = 0},
	{"phi", TLV_FIELD_BY_ROWS, .flags = TLV_OF_ROWS, .keys = "items", .json = "topics"},
	{"anchors", TLV_FIELD_IDS, .flags = TLV_OF_ROWS | TLV_MAY_BE_EMPTY | TLV_MAY_GO},
	{"anchor_distances", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_MAY_BE_EMPTY | TLV_MAY_GO},
	{"logistic_mean", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_MAY_BE_EMPTY | TLV_MAY_GO},
	{"logistic_covariance", TLV_FIELD_BY_ROWS,
	 .flags = TLV_OF_ROWS | TLV_OF_COLUMNS | TLV_MAY_BE_EMPTY | TLV_MAY_GO},
	{"fixed", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_MAY_BE_EMPTY | TLV_ZERO_ABSENT},
	{"labels", TLV_FIELD_TEXTS, .flags = TLV_MAY_BE_EMPTY | TLV_BYTES_FIRST,
	 .beside = "label_offsets", .json = "terms"},
	{.form = TLV_FIELDS_END},
};
/* alpha0 and the topics' weights follow from alpha, the shares of items from topics and weights. */
static tlv_status
lda_complete(tlv_context *ctx, tlv_given *given)
{
	const tlv_given *alpha = tlv_given_find(given, "alpha"), *phi = tlv_given_find(given, "phi");
	size_t k = phi->rows, d = phi->columns;
	const double *weights;
	double *filled, sum = 0;

	if (alpha->rows != k || !alpha->given)
		return TLV_OK;
	for (size_t j = 0; j < k; j++)
		sum += alpha->numbers[j];
	if (!tlv_given_find(given, "alpha0")->given)
	{
		TLV_TRY(tlv_given_fill(ctx, given, "alpha0", 1, &filled));
		*filled = sum;
	}
	if (!tlv_given_find(given, "weights")->given)
	{
		TLV_TRY(tlv_given_fill(ctx, given, "weights", k, &filled));
		for (size_t j = 0; j < k; j++)
			filled[j] = alpha->numbers[j] / sum;
	}
	weights = tlv_given_find(given, "weights")->numbers;
	if (tlv_given_find(given, "shares")->given || tlv_given_find(given, "weights")->rows != k)
		return TLV_OK;
	TLV_TRY(tlv_given_fill(ctx, given, "shares", d, &filled));
	for (size_t i = 0; i < d; i++)
	{
		filled[i] = 0;
		for (size_t j = 0; j < k; j++)
			filled[i] += weights[j] * phi->numbers[i * k + j];
	}
	return TLV_OK;
}

static const char *const lda_series[] = {"negative_mass_1", "tensor_eigenvalue_1",
										 "implied_weight_1", "recurrence_1", NULL};
static const tlv_spread lda_spreads[] = {{.variances = NULL}};
static const tlv_layout lda_layout = {
	.spreads = lda_spreads,
	.fields = lda_fields,
	.weights = "weights",
	.series = lda_series,
	.complete = lda_complete,
};

static tlv_status
lda_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model)
{
	tlv_lda_model *lda;
	const tlv_section *phi = tlv_frame_find(frame, "phi");
	tlv_logistic_normal normal;

	TLV_TRY(tlv_model_create(ctx, frame, sizeof(tlv_lda_model), model));
	lda = (tlv_lda_model *) *model;
	lda->topics.k = phi->rows;
	lda->topics.d = phi->columns;
	lda->topics.phi = tlv_section_data(frame, phi);
	lda->topics.alpha = tlv_frame_float64(frame, "alpha");
	lda->weights = tlv_frame_float64(frame, "weights");
	lda->single = tlv_frame_scalar(frame, "alpha0", 1) == 0;
	TLV_TRY(tlv_dictionary_freeze(ctx, &lda->dictionary, lda->topics.d,
								  tlv_frame_int64(frame, "items")));
	TLV_TRY_NEW(ctx, lda->shares, lda->topics.k);
	TLV_TRY(tlv_topic_worker_create(ctx, &lda->topics, &lda->worker));
	if (!tlv_lda_is_correlated(frame))
		return TLV_OK;
	TLV_TRY(tlv_lda_logistic_normal(ctx, frame, &normal));
	return tlv_topic_logistic_create(ctx, &normal, &lda->logistic);
}

tlv_status
tlv_lda_document(tlv_context *ctx, tlv_lda_model *model, const tlv_bag_image *bag)
{
	tlv_document *document = &model->document;

	TLV_TRY(tlv_document_decode(ctx, document, bag));
	return tlv_dictionary_map(ctx, &model->dictionary, document->n, document->items,
							  document->counts, document->index, document->known,
							  &document->n_known);
}

tlv_status
tlv_single_topic_posterior(tlv_context *ctx, size_t k, const double *phi, const double *weights,
						   size_t n, const int32_t *index, const double *count, double *posterior,
						   double *log_likelihood)
{
	double largest = -HUGE_VAL, sum = 0;

	for (size_t j = 0; j < k; j++)
		posterior[j] = log(weights[j]);
	for (size_t i = 0; i < n; i++)
	{
		const double *item = phi + (size_t) index[i] * k;

		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			posterior[j] += count[i] * log(fmax(item[j], 1e-12));
	}
	for (size_t j = 0; j < k; j++)
		largest = fmax(largest, posterior[j]);
	for (size_t j = 0; j < k; j++)
		sum += posterior[j] = exp(posterior[j] - largest);
	for (size_t j = 0; j < k; j++)
		posterior[j] /= sum;
	tlv_assert(tlv_is_distribution(k, posterior, 1));
	*log_likelihood = largest + log(fmax(sum, 1)); /* the largest term is 1 */
	return TLV_OK;
}

static tlv_status
single_posterior(tlv_context *ctx, tlv_lda_model *lda, double *shares, double *log_likelihood)
{
	return tlv_single_topic_posterior(ctx, lda->topics.k, lda->topics.phi, lda->weights,
									  lda->document.n_known, lda->document.index,
									  lda->document.known, shares, log_likelihood);
}

tlv_status
tlv_lda_infer_counts(tlv_context *ctx, tlv_lda_model *lda, size_t n, const int32_t *index,
					 const double *count, double *shares)
{
	double log_likelihood;

	if (lda->single)
		return tlv_single_topic_posterior(ctx, lda->topics.k, lda->topics.phi, lda->weights, n,
										  index, count, shares, &log_likelihood);
	if (lda->logistic != NULL)
		return tlv_topic_logistic_infer(ctx, lda->logistic, lda->worker, n, index, count, shares);
	return tlv_topic_infer(ctx, lda->worker, n, index, count, shares);
}

static tlv_status
infer_document(tlv_context *ctx, tlv_lda_model *lda, const tlv_bag_image *bag, double *shares)
{
	TLV_TRY(tlv_lda_document(ctx, lda, bag));
	return tlv_lda_infer_counts(ctx, lda, lda->document.n_known, lda->document.index,
								lda->document.known, shares);
}

static tlv_status
lda_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *posterior)
{
	tlv_lda_model *lda = (tlv_lda_model *) model;

	TLV_TRY(tlv_posterior_begin(ctx, posterior, 1, lda->topics.k));
	return infer_document(ctx, lda, row->bag, posterior->values);
}

static tlv_status
lda_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *value)
{
	tlv_lda_model *lda = (tlv_lda_model *) model;

	if (lda->single)
	{
		TLV_TRY(tlv_lda_document(ctx, lda, row->bag));
		return single_posterior(ctx, lda, lda->shares, value);
	}
	TLV_TRY(infer_document(ctx, lda, row->bag, lda->shares));
	*value = tlv_topic_log_likelihood(lda->worker, lda->document.n_known, lda->document.index,
									  lda->document.known, lda->shares);
	return TLV_OK;
}

/* Topic sums to weights of the single topic model, none of them zero. */
static void
normalize_weights(size_t k, const double *sums, double *weights)
{
	double total = 0;

	for (size_t j = 0; j < k; j++)
		total += weights[j] = sums[j] + 1e-3;
	for (size_t j = 0; j < k; j++)
		weights[j] /= total;
	/* sums of forged statistics may overflow, and the model is then refused */
	tlv_assert(!isfinite(total) || tlv_is_distribution(k, weights, 1));
}

/* The M step of the mixing parameters; returns alpha0, which stays where the user gave it. */
static double
maximize_mixing(const tlv_frame *model, const tlv_frame *statistics, size_t k, double *alpha,
				double *weights)
{
	double alpha0 = 0;

	memcpy(alpha, tlv_frame_float64(model, "alpha"), k * sizeof(double));
	if (tlv_frame_scalar(model, "alpha0", 1) == 0)
	{
		normalize_weights(k, tlv_frame_float64(statistics, "documents_by_topic"), weights);
		memcpy(alpha, weights, k * sizeof(double));
		return 0;
	}
	tlv_topic_maximize_alpha(k, tlv_frame_float64(statistics, "alpha_gains"),
							 tlv_frame_scalar(statistics, "length_gain", 0), alpha);
	for (size_t j = 0; j < k; j++)
		alpha0 += alpha[j];
	for (size_t j = 0; j < k; j++)
		weights[j] = fmax(alpha[j] / alpha0, TLV_TINY);
	if (tlv_frame_scalar(model, "alpha0_free", 1) == 0)
		alpha0 = tlv_frame_scalar(model, "alpha0", 1);
	else if (alpha0 < tlv_frame_scalar(model, "alpha0_least", 0))
		alpha0 = tlv_frame_scalar(model, "alpha0_least", 0);
	else
		return alpha0;
	tlv_lda_alpha(k, alpha0, weights, alpha);
	return alpha0;
}

/* Statistics of another model or of nothing are refused. */
static tlv_status
lda_check_statistics(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics)
{
	const tlv_section *phi = tlv_frame_find(model, "phi");

	if (statistics->header->kind != TLV_KIND_TOPIC_STATISTICS &&
		statistics->header->kind != TLV_KIND_LOGISTIC_STATISTICS)
		return tlv_refuse_kind_of_statistics(ctx, "topics");
	TLV_TRY(tlv_require_model(ctx, statistics, model));
	if (!(tlv_frame_scalar(statistics, "tokens", 0) > 0))
		return tlv_refuse_empty_statistics(ctx);
	/* Equal fingerprints mean equal shapes, but a value may come from anywhere. */
	return tlv_frame_require(ctx, statistics, "expected", TLV_FLOAT64, phi->rows, phi->columns,
							 NULL);
}

/*
 * Topics (k x d) go on in the direction of the step: weight times as far as it led, which
 * makes up for the small steps of expectation maximisation.  None loses more than
 * nine tenths of what the step left it.
 */
static tlv_status
relax_topics(tlv_context *ctx, const tlv_lda_parts *parts, double weight, double *phi)
{
	size_t k = parts->k, d = parts->d;
	double *sums;

	TLV_TRY_NEW0(ctx, sums, k);
	for (size_t i = 0; i < d; i++)
	{
		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
		{
			double new = phi[i * k + j], far = new + (weight - 1) * (new - parts->phi[i * k + j]);

			phi[i * k + j] = fmax(far, RELAX_LEAST * new);
			sums[j] += phi[i * k + j];
		}
	}
	for (size_t i = 0; i < d; i++)
	{
		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
			phi[i * k + j] /= sums[j];
	}
	tlv_free(ctx, sums);
	return TLV_OK;
}

/*
 * Topics from weight times the expected counts, and 1 - weight times as many tokens of the old
 * topics, in their shares; what the smoothing counts then is in step_prior.h.
 */
static tlv_status
maximize_topics(tlv_context *ctx, const tlv_lda_parts *parts, const tlv_frame *statistics,
				double weight, double *phi)
{
	const double *expected = tlv_frame_float64(statistics, "expected");
	double tokens = tlv_frame_scalar(statistics, "tokens", 0), *counts, *kept;
	size_t k = parts->k, d = parts->d;

	if (weight >= 1)
	{
		TLV_TRY(tlv_topic_maximize(ctx, k, d, expected, parts->eta, NULL, phi));
		return weight > 1 ? relax_topics(ctx, parts, weight, phi) : TLV_OK;
	}
	TLV_TRY_NEW_ROWS(ctx, counts, k, d + 1);
	kept = counts + k * d;
	for (size_t j = 0; j < k; j++)
		kept[j] = tlv_step_kept(weight, tokens * parts->weights[j], parts->eta * (double) d);
	for (size_t i = 0; i < d; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		for (size_t j = 0; j < k; j++)
			counts[i * k + j] = weight * expected[i * k + j] + kept[j] * parts->phi[i * k + j];
	}
	TLV_TRY(tlv_topic_maximize(ctx, k, d, counts, tlv_step_prior(weight, parts->eta), NULL, phi));
	tlv_free(ctx, counts);
	return TLV_OK;
}

/* alpha between the old one and that of the step; returns alpha0. */
static double
blend_mixing(const tlv_frame *model, double weight, double alpha0, size_t k, double *alpha,
			 double *weights)
{
	const double *old_alpha = tlv_frame_float64(model, "alpha");
	const double *old_weights = tlv_frame_float64(model, "weights");

	for (size_t j = 0; j < k; j++)
	{
		alpha[j] = (1 - weight) * old_alpha[j] + weight * alpha[j];
		weights[j] = (1 - weight) * old_weights[j] + weight * weights[j];
	}
	return (1 - weight) * tlv_frame_scalar(model, "alpha0", 0) + weight * alpha0;
}

/* The distribution of the shares after a step: of correlated topics alpha follows from the weights.
 */
static tlv_status
maximize_shares(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
				double weight, tlv_lda_parts *parts, double *alpha, double *weights)
{
	size_t k = parts->k;
	double *mean;

	/* The fingerprint is the model's, and no call collects these under it. */
	if (statistics->header->kind == TLV_KIND_TOPIC_STATISTICS && parts->logistic_mean != NULL)
		return tlv_fail(ctx, TLV_BAD_DATA, "the statistics are of topics without correlations");
	if (statistics->header->kind == TLV_KIND_TOPIC_STATISTICS)
	{
		parts->alpha0 = maximize_mixing(model, statistics, k, alpha, weights);
		if (weight < 1)
			parts->alpha0 = blend_mixing(model, weight, parts->alpha0, k, alpha, weights);
		return TLV_OK;
	}
	TLV_TRY_NEW_ROWS(ctx, mean, k, k + 1);
	TLV_TRY(tlv_lda_maximize_logistic(ctx, model, statistics, fmin(weight, 1), weights, mean,
									  mean + k));
	parts->logistic_mean = mean;
	parts->logistic_covariance = mean + k;
	tlv_lda_alpha(k, parts->alpha0, weights, alpha);
	return TLV_OK;
}

static tlv_status
lda_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
		   const tlv_step *step, void **image, size_t *size)
{
	static const char *const renewed[] = {"alpha0", "refinement_steps", "negative_mass", NULL};
	double tokens = tlv_frame_scalar(statistics, "tokens", 0);
	tlv_diagnostics diagnostics = {0};
	double *phi, *weights, *alpha;
	tlv_lda_parts parts;
	int64_t *order;
	size_t k, d;

	TLV_TRY(lda_check_statistics(ctx, model, statistics));
	tlv_sections_read(model, tlv_kind_lda.model->sections, &parts);
	k = parts.k;
	d = parts.d;
	parts.steps++;
	TLV_TRY_NEW(ctx, phi, k * d + 2 * k);
	weights = phi + k * d;
	alpha = weights + k;
	TLV_TRY(maximize_topics(ctx, &parts, statistics, step->weight, phi));
	TLV_TRY(tlv_lda_keep_fixed(ctx, &parts, phi));
	TLV_TRY(maximize_shares(ctx, model, statistics, step->weight, &parts, alpha, weights));
	TLV_TRY_NEW(ctx, order, k);
	tlv_order_weights(k, weights, order);
	if (step->order != NULL)
		memcpy(step->order, order, k * sizeof(int64_t));
	TLV_TRY(tlv_lda_order_anchors(ctx, k, order, &parts.anchors, &parts.anchor_distances));
	TLV_TRY(tlv_lda_order_fixed(ctx, k, order, &parts.fixed));
	TLV_TRY(
		tlv_lda_order_logistic(ctx, k, order, &parts.logistic_mean, &parts.logistic_covariance));
	TLV_TRY(tlv_lda_sort_topics(ctx, k, d, phi, alpha, weights));

	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, model, renewed));
	TLV_TRY(tlv_diagnostics_permute(ctx, &diagnostics, "negative_mass_1", k, order));
	TLV_TRY(tlv_diagnostics_permute(ctx, &diagnostics, "tensor_eigenvalue_1", k, order));
	TLV_TRY(tlv_diagnostics_permute(ctx, &diagnostics, "implied_weight_1", k, order));
	TLV_TRY(tlv_warnings_permute(ctx, &diagnostics, k, order));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, parts.alpha0, "alpha0"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, parts.steps, "refinement_steps"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics,
						 exp(-tlv_frame_scalar(statistics, "log_likelihood", 0) / tokens),
						 "perplexity_before_step_%.0f", parts.steps));
	parts.alpha = alpha;
	parts.weights = weights;
	parts.phi = phi;
	parts.diagnostics = &diagnostics;
	TLV_TRY(tlv_lda_write(ctx, &parts, image, size));
	tlv_free(ctx, order);
	tlv_diagnostics_free(ctx, &diagnostics);
	tlv_free(ctx, phi);
	return TLV_OK;
}

static tlv_status
lda_round(tlv_context *ctx, const tlv_frame *frame, void *image)
{
	const tlv_section *phi = tlv_frame_find(frame, "phi");

	return tlv_lda_round(ctx, phi->rows, phi->columns, tlv_frame_float64(frame, "fixed"),
						 (double *) ((char *) image + phi->offset));
}

/* A term is the id of its text, so either will do. */
static tlv_ids
lda_ids(const tlv_model *model, int part, int64_t id, bool *known)
{
	(void) part;
	*known = tlv_dictionary_find(&((const tlv_lda_model *) model)->dictionary, id) >= 0;
	return TLV_IDS_NUMBERS;
}

static const tlv_model_class lda_class = {
	.sections = &lda_sections,
	.layout = &lda_layout,
	.drift = tlv_lda_drift,
	.estimates = tlv_lda_estimates,
	.errors = tlv_lda_error_statistics,
	.standard_errors = tlv_lda_standard_errors,
	.draw = tlv_lda_draw,
	.page = &tlv_lda_page,
	.open = lda_open,
	.round = lda_round,
	.components_size = SIZE_K,
	.ids = lda_ids,
	.rows = TLV_ROW_BAG,
	.infer = lda_infer,
	.log_likelihood = lda_log_likelihood,
	.statistics = tlv_lda_statistics,
	.completion = tlv_lda_completion,
	.coherence = tlv_lda_coherence,
	.update = lda_update,
	.match = tlv_lda_match,
};

const tlv_kind tlv_kind_lda = {TLV_KIND_LINE(LDA, lda), .model = &lda_class};
