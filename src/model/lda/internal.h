/*
 * internal.h - an opened LDA model, shared by the files that work with it.
 */
#ifndef TENSORLV_LDA_INTERNAL_H
#define TENSORLV_LDA_INTERNAL_H

#include "tensorlv/model/accumulator.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/num/dictionary.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/topics.h"
#include "tensorlv/num/sort.h"

typedef struct tlv_lda_model
{
	tlv_model base;
	tlv_topics topics;
	const double *weights;
	bool single; /* alpha0 = 0 */
	tlv_dictionary dictionary;
	tlv_topic_worker *worker;
	tlv_topic_logistic *logistic; /* of correlated topics; NULL: shares are Dirichlet */
	tlv_document document;
	double *shares; /* k, scratch */
} tlv_lda_model;

/* Items times topics between two looks at whether to stop: some milliseconds. */
#define LDA_TERMS_BETWEEN ((size_t) 1 << 18)

/* Such a look, where it is time, before item i for k topics. */
#define LDA_TRY_LOOK(ctx, i, k)                                                                    \
	do                                                                                             \
	{                                                                                              \
		if (((i) + 1) * (k) % LDA_TERMS_BETWEEN < (k))                                             \
			TLV_TRY_CONTINUE(ctx);                                                                 \
	} while (0)

/* Decodes a bag into model->document, known items mapped to positions. */
extern tlv_status tlv_lda_document(tlv_context *ctx, tlv_lda_model *model,
								   const tlv_bag_image *bag);

/* model.c: the topic proportions of a document, n items at index[i] of the model with counts.
 * Errors: those of tlv_topic_infer, TLV_CANCELLED. */
extern tlv_status tlv_lda_infer_counts(tlv_context *ctx, tlv_lda_model *lda, size_t n,
									   const int32_t *index, const double *count, double *shares);

/* order.c */

/* Reorders topics (phi k x d), alpha and weights by decreasing weight, in place. */
extern tlv_status tlv_lda_sort_topics(tlv_context *ctx, size_t k, size_t d, double *phi,
									  double *alpha, double *weights);

/* Anchors and their distances in that order, k each, as new arrays; those that are NULL stay so. */
extern tlv_status tlv_lda_order_anchors(tlv_context *ctx, size_t k, const int64_t *order,
										const int64_t **anchors, const double **distances);

/*
 * Dirichlet parameters alpha0 * weights, none below TLV_TINY; the single topic model (alpha0
 * = 0) has none, its weights stand in their place.
 */
extern void tlv_lda_alpha(size_t k, double alpha0, const double *weights, double *alpha);

/* round.c: topics of many items (phi k x d) as they are stored, in place; each still sums to 1, and
 * the perplexity of documents grows by 1e-4 of it at most; fixed topics stay.  Error: memory,
 * TLV_CANCELLED. */
extern tlv_status tlv_lda_round(tlv_context *ctx, size_t k, size_t d, const double *fixed,
								double *phi);

/* statistics.c: the random stream of a document depends on the seed and its content, on nothing
 * else: not on the plan, not on the order of rows. */
extern uint64_t tlv_lda_document_seed(const tlv_bag_image *bag, uint64_t seed);

/* A method of tlv_lda_statistics that refines nothing: scores of documents that the model was not
 * learnt from, by which k is chosen (choice.h). */
#define LDA_HELD_OUT "held_out"

/* statistics.c: entries of the model class */
extern tlv_status tlv_lda_statistics(tlv_context *ctx, tlv_model *model, const char *method,
									 tlv_accumulator **accumulator);
extern tlv_status tlv_lda_completion(tlv_context *ctx, tlv_model *model,
									 tlv_accumulator **accumulator);

/* statistics.c: document completion of one document, n items at index[i] of the model with counts:
 * its fair coins are of the seed.  Adds to the sums of the scored half.  Error: TLV_CANCELLED. */
extern tlv_status tlv_lda_complete(tlv_context *ctx, tlv_lda_model *model, size_t n,
								   const int32_t *index, const double *count, uint64_t seed,
								   double *log_likelihood, double *tokens);

/* The seed of a document that is given as a bag. */
extern uint64_t tlv_lda_completion_seed(const tlv_bag_image *bag);

/* products.c: P = S^2 A (A'S^2 A)^-1, k x d, of the topics A and S^-2 their items' shares: P'A = I.
 * Errors: TLV_NOT_IDENTIFIABLE for topics that are mixtures of each other, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_lda_invert(tlv_context *ctx, const tlv_lda_model *model, double *inverse);

/* The group of TLV_LDA_GROUPS of a document: by its content, whatever the plan. */
extern size_t tlv_lda_group(const tlv_bag_image *bag);

/* errors.c */

/* The member of the class: what standard errors and tests of drift need. */
extern tlv_status tlv_lda_error_statistics(tlv_context *ctx, tlv_model *model,
										   tlv_accumulator **accumulator);

/* Are statistics of errors, of a forged value, as many as the model has topics and items? */
extern tlv_status tlv_lda_require_errors(tlv_context *ctx, const tlv_frame *model,
										 const tlv_frame *errors);

/* estimates.c */
extern tlv_status tlv_lda_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list);

/* The interval of item i in topic j, of that share, in a model that keeps errors, as
 * tlv_estimate_interval; NaN, both, where it keeps none. */
extern void tlv_lda_word_interval(const tlv_frame *model, size_t j, size_t i, double z,
								  double share, double *low, double *high);
extern tlv_status tlv_lda_standard_errors(tlv_context *ctx, const tlv_frame *model,
										  const tlv_frame *errors, tlv_estimates *list);

/* logistic.c: correlated topics */

/* Part of the check of a model of k topics. */
extern tlv_status tlv_lda_check_logistic(tlv_context *ctx, const tlv_frame *frame, size_t k);

/* The distribution of the shares of a model; of one whose shares are Dirichlet, the logistic-normal
 * one that refinement starts from, in new arrays. */
extern tlv_status tlv_lda_logistic_normal(tlv_context *ctx, const tlv_frame *model,
										  tlv_logistic_normal *normal);

/* The accumulator of logistic_statistics. */
extern tlv_status tlv_lda_logistic_statistics(tlv_context *ctx, tlv_lda_model *lda,
											  tlv_accumulator **accumulator);

/* weights (k), mean (k) and covariance (k x k) after a step with that weight.  TLV_BAD_DATA where
 * the statistics lead to none. */
extern tlv_status tlv_lda_maximize_logistic(tlv_context *ctx, const tlv_frame *model,
											const tlv_frame *statistics, double weight,
											double *weights, double *mean, double *covariance);

/* Mean and covariance with the topics in that order, as new arrays; those that are NULL stay so. */
extern tlv_status tlv_lda_order_logistic(tlv_context *ctx, size_t k, const int64_t *order,
										 const double **mean, const double **covariance);

/* products.c: means and correlations, from the second moments. */
extern void tlv_lda_complete_correlations(tlv_lda_correlations *to);

/* coherence.c */
extern tlv_status tlv_lda_coherence(tlv_context *ctx, tlv_model *model, size_t top,
									tlv_accumulator **accumulator);

/* The model class's match: L1 distances of the topics over the items of either model. */
extern tlv_status tlv_lda_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b,
								tlv_match *match);

/* The ascending items of either of two models, and the topics of a model over d ascending items (k
 * x d), of which those that it does not know have probability 0; arrays are from the arena. */
extern tlv_status tlv_lda_union_items(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b,
									  size_t *d, int64_t **items);
extern tlv_status tlv_lda_topics_over(tlv_context *ctx, const tlv_frame *frame, size_t d,
									  const int64_t *items, double **result);

/* start.c: diagnostics and warnings but those of single topics. */
extern tlv_status tlv_lda_copy_diagnostics(tlv_context *ctx, const tlv_frame *model,
										   tlv_diagnostics *diagnostics);

/* fixed.c: topics that stay as they are; fixed (k) is the section of that name, NULL: none is. */
extern bool tlv_lda_is_fixed(const double *fixed, size_t topic);

/* In that order, as a new array; NULL stays so. */
extern tlv_status tlv_lda_order_fixed(tlv_context *ctx, size_t k, const int64_t *order,
									  const double **fixed);

/* The fixed topics of the parts, as they are there, in phi (k x d). */
extern tlv_status tlv_lda_keep_fixed(tlv_context *ctx, const tlv_lda_parts *parts, double *phi);

/* draw.c: the member of the class. */
/* Its page (page.c). */
extern const tlv_page_view tlv_lda_page;
extern tlv_status tlv_lda_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture);

/* drift.c: the member of the class. */
extern tlv_status tlv_lda_drift(tlv_context *ctx, const tlv_frame *model,
								const tlv_frame *statistics, tlv_drift *drift);

/* Most topics of statistics that sum over pairs of them. */
#define LDA_MOST_TOPICS 2000

#endif /* TENSORLV_LDA_INTERNAL_H */
